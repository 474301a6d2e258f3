//! The kinds of difference, in one table.

use serde::{Serialize, Serializer};
use std::fmt;

/// A kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Header,
    Sections,
    Symbols,
    Code,
    Data,
    Info,
    Notes,
    Lines,
    PtxLines,
    PtxText,
    Entries,
    Registers,
    Frame,
    Strings,
    Relocations,
    Mercury,
}

/// Keys in the order of the output, with what each compares.
pub(super) const KEYS: [(Key, &str, &str); 16] = [
    (Key::Header, "header", "file type, SM, OS ABI and flags of the ELF header"),
    (
        Key::Sections,
        "sections",
        "which sections there are: type, flags, alignment, what they belong to, order; sizes of those without bytes",
    ),
    (Key::Symbols, "symbols", "symbols by name: type, binding, section, value, size"),
    (Key::Code, "code", "instructions, byte by byte, of each .text section"),
    (Key::Data, "data", "constant banks, initial values and every other section of bytes"),
    (Key::Info, "info", "records of .nv.info: registers, stack, parameters, exits"),
    (Key::Notes, "notes", "tool, version, options and object name"),
    (Key::Lines, "lines", "source line and inlined callers of each address"),
    (Key::PtxLines, "ptx-lines", "PTX line of each address"),
    (Key::PtxText, "ptx-text", "the PTX text that the file carries"),
    (
        Key::Entries,
        "entries",
        "the tree of .debug_info, by names and locations, not offsets; tables of names",
    ),
    (Key::Registers, "registers", "where PTX registers live"),
    (Key::Frame, "frame", "call frame rules"),
    (Key::Strings, "strings", "strings of .debug_str"),
    (Key::Relocations, "relocations", "relocations; of native debug sections without their places"),
    (Key::Mercury, "mercury", "Mercury code and its copies of all of this, byte by byte"),
];

impl Key {
    /// Its name on the command line and in the output.
    pub(super) fn name(self) -> &'static str {
        KEYS.iter().find(|(key, ..)| *key == self).map_or("", |(_, name, _)| name)
    }

    /// The key of a name.
    ///
    /// # Errors
    ///
    /// A message that lists the names.
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        let found = KEYS.iter().find(|(_, known, _)| *known == name).map(|(key, ..)| *key);
        found.ok_or_else(|| {
            let names: Vec<&str> = KEYS.iter().map(|(_, name, _)| *name).collect();
            format!("no such key; the keys are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The keys as a list for `--help`.
pub(super) fn help() -> String {
    KEYS.iter().map(|(_, name, what)| format!("  {name:<12} {what}\n")).collect::<Vec<_>>().concat()
}
