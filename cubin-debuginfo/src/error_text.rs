//! Errors in JSON: as their messages, in fields whose schema is that of a string.

use serde::Serializer;
use std::fmt::Display;

/// Writes the message of an error, for `#[serde(serialize_with = ...)]`.
pub(crate) fn message<E: Display, S: Serializer>(error: &E, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

/// Writes the message of an error, or `null` for none.
#[allow(clippy::ref_option, reason = "serde passes the field by reference")]
pub(crate) fn optional_message<E: Display, S: Serializer>(
    error: &Option<E>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match error {
        Some(error) => serializer.collect_str(error),
        None => serializer.serialize_none(),
    }
}
