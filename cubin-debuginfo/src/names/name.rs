//! A name with its mangled and its demangled spelling.

use super::demangle::demangle;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The name of a function or variable as the file has it and, if it is mangled, as its programmer
/// wrote it. A clone is cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(Arc<Spellings>);

/// A name of a function or variable.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
#[schemars(rename = "Name")]
struct Spellings {
    /// The name as the file has it, which may be mangled.
    name: String,
    /// The name as its programmer wrote it; C++ and Rust are tried. Absent where the name is not
    /// mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    demangled: Option<String>,
}

impl Name {
    /// Creates a name from the name of a symbol or of an entry, and demangles it once.
    pub fn new(name: String) -> Self {
        Self(Arc::new(Spellings { demangled: demangle(&name), name }))
    }

    /// The name as the file has it; it may be mangled.
    pub fn linkage_name(&self) -> &str {
        &self.0.name
    }

    /// The name as its programmer wrote it; `None` if the file's name is not mangled.
    pub fn demangled(&self) -> Option<&str> {
        self.0.demangled.as_deref()
    }

    /// The name as its programmer wrote it: demangled if the file's name is mangled.
    pub fn plain(&self) -> &str {
        self.demangled().unwrap_or(&self.0.name)
    }
}

impl fmt::Display for Name {
    /// As [`plain`](Self::plain); `{:#}` is `demangled [mangled]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plain())?;
        if f.alternate() && self.demangled().is_some() {
            write!(f, " [{}]", self.linkage_name())?;
        }
        Ok(())
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        Spellings::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Spellings::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Spellings::json_schema(generator)
    }
}
