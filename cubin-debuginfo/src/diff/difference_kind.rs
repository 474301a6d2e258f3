//! The table of the kinds of difference.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A kind of difference between two cubins. Differences are listed in the order of the kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// The ELF header differs: file type, SM, OS ABI or flags.
    Header,
    /// The section table differs: which sections exist, in which order, or the fields of their
    /// headers.
    Sections,
    /// The symbols differ, compared by name.
    Symbols,
    /// The instructions of a `.text` section differ, compared byte by byte.
    Code,
    /// The bytes of another section differ, such as a constant bank.
    Data,
    /// The records of `.nv.info` differ.
    Info,
    /// The notes differ: the tool that made the cubin, its version or its options.
    Notes,
    /// The source lines or inlined callers of code addresses differ.
    Lines,
    /// The PTX lines of code addresses differ.
    PtxLines,
    /// The PTX texts that the two files carry differ.
    PtxText,
    /// The trees of entries in `.debug_info` differ, or the tables of names that refer to them.
    Entries,
    /// The SASS registers that hold PTX registers differ.
    Registers,
    /// The call frame rules of `.debug_frame` differ.
    Frame,
    /// The strings of `.debug_str` differ.
    Strings,
    /// The relocations of sections differ.
    Relocations,
    /// The Mercury code or the sections that belong to it differ.
    Mercury,
}

/// All kinds, with their names and what each compares.
const KEYS: [(DifferenceKind, &str, &str); 16] = [
    (
        DifferenceKind::Header,
        "header",
        "architecture, release of the toolkit, ABI version, and type and flags of the ELF header",
    ),
    (
        DifferenceKind::Sections,
        "sections",
        "which sections there are: type, flags, alignment, what they belong to, order; sizes of those without bytes",
    ),
    (DifferenceKind::Symbols, "symbols", "symbols by name: type, binding, section, value, size"),
    (DifferenceKind::Code, "code", "instructions, byte by byte, of each .text section"),
    (DifferenceKind::Data, "data", "constant banks, initial values and every other section of bytes"),
    (DifferenceKind::Info, "info", "records of .nv.info: registers, stack, parameters, exits"),
    (DifferenceKind::Notes, "notes", "tool, version, options and object name"),
    (DifferenceKind::Lines, "lines", "source line and inlined callers of each address"),
    (DifferenceKind::PtxLines, "ptx-lines", "PTX line of each address"),
    (DifferenceKind::PtxText, "ptx-text", "the PTX text that the file carries"),
    (
        DifferenceKind::Entries,
        "entries",
        "the tree of .debug_info, by names and locations, not offsets; tables of names",
    ),
    (DifferenceKind::Registers, "registers", "where PTX registers live"),
    (DifferenceKind::Frame, "frame", "call frame rules"),
    (DifferenceKind::Strings, "strings", "strings of .debug_str"),
    (
        DifferenceKind::Relocations,
        "relocations",
        "relocations; of native debug sections without their places",
    ),
    (DifferenceKind::Mercury, "mercury", "Mercury code and its copies of all of this, byte by byte"),
];

impl DifferenceKind {
    /// Iterates over all kinds of difference.
    pub fn all() -> impl Iterator<Item = Self> {
        KEYS.iter().map(|(key, ..)| *key)
    }

    /// Returns the kind that has this name, such as `ptx-lines`.
    pub fn from_name(name: &str) -> Option<Self> {
        KEYS.iter().find(|(_, known, _)| *known == name).map(|(key, ..)| *key)
    }

    /// The name of the kind in arguments and JSON: `ptx-lines`.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |(_, name, _)| name)
    }

    /// Describes in words what is compared for this kind of difference.
    pub fn meaning(self) -> &'static str {
        self.row().map_or("", |(.., meaning)| meaning)
    }

    fn row(self) -> Option<&'static (Self, &'static str, &'static str)> {
        KEYS.iter().find(|(key, ..)| *key == self)
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for DifferenceKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for DifferenceKind {
    fn schema_name() -> Cow<'static, str> {
        "DifferenceKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<Schema> = KEYS
            .iter()
            .map(|(_, name, meaning)| json_schema!({ "type": "string", "const": name, "description": meaning }))
            .collect();
        json_schema!({ "description": "What kind of difference it is.", "oneOf": words })
    }
}
