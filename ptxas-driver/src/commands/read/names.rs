//! Names of functions, made printable.

use super::printable;
use cubin_debuginfo::names::Name;
use std::borrow::Cow;

/// As its programmer wrote it.
pub(in crate::commands) fn shown(name: &Name) -> Cow<'_, str> {
    printable(name.plain())
}

/// `demangled [mangled]`.
pub(in crate::commands) fn both(name: &Name) -> String {
    match name.demangled() {
        Some(demangled) => format!("{} [{}]", printable(demangled), printable(name.linkage_name())),
        None => shown(name).into_owned(),
    }
}
