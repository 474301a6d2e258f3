//! Functions' names, demangled once each.

use crate::commands::read::{demangle, printable, text};
use crate::limits::MAX_NAME_CACHE;
use cubin_debuginfo::symbolize::{CalleeName, InlinedEntry};
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::SymbolIndex;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A function's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) struct Name(Rc<Spelling>);

/// How one name is written.
#[derive(Debug, Serialize, PartialEq, Eq)]
struct Spelling {
    name: String,
    /// Where the name is mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    demangled: Option<String>,
    /// As its programmer wrote it, printable.
    #[serde(skip)]
    shown: String,
}

impl Name {
    pub(in crate::commands) fn new(name: String) -> Self {
        let demangled = demangle(&name);
        let shown = printable(demangled.as_ref().unwrap_or(&name)).into_owned();
        Self(Rc::new(Spelling { name, demangled, shown }))
    }

    /// As its programmer wrote it, printable.
    pub(in crate::commands) fn shown(&self) -> &str {
        &self.0.shown
    }

    /// As its programmer wrote it.
    pub(super) fn demangled(&self) -> &str {
        self.0.demangled.as_ref().unwrap_or(&self.0.name)
    }

    /// As the file has it.
    pub(super) fn mangled(&self) -> &str {
        &self.0.name
    }

    /// `demangled [mangled]`, printable.
    pub(in crate::commands) fn both(&self) -> String {
        match &self.0.demangled {
            Some(_) => format!("{} [{}]", self.shown(), printable(&self.0.name)),
            None => self.shown().to_owned(),
        }
    }

    fn bytes(&self) -> usize {
        let Spelling { name, demangled, shown } = &*self.0;
        name.len() + demangled.as_ref().map_or(0, String::len) + shown.len()
    }
}

impl Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Where a name is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Origin {
    Symbol(SymbolIndex),
    /// Byte offset in `.debug_str`, the unit's base included.
    DebugStr(u64),
    /// Byte offset of a call's entry in `.debug_info`.
    Entry(u64),
}

/// The names met so far.
#[derive(Debug, Default)]
pub(super) struct Spellings(RefCell<Kept>);

#[derive(Debug, Default)]
struct Kept {
    names: HashMap<Origin, Name>,
    bytes: usize,
}

impl Spellings {
    pub(super) fn function(&self, function: &Function<'_>) -> Name {
        self.get(Origin::Symbol(function.symbol), || function.name.to_owned())
    }

    /// `None` where there is no name at the callee's offset.
    pub(super) fn callee(&self, callee: CalleeName<'_>) -> Option<Name> {
        callee
            .name
            .filter(|name| !name.is_empty())
            .map(|name| self.get(Origin::DebugStr(callee.offset), || text(name)))
    }

    /// `None` where the entry has no name.
    pub(super) fn entry(&self, entry: InlinedEntry<'_>) -> Option<Name> {
        entry.name.map(|name| self.get(Origin::Entry(entry.offset), || text(name)))
    }

    fn get(&self, origin: Origin, name: impl FnOnce() -> String) -> Name {
        let mut kept = self.0.borrow_mut();
        if let Some(name) = kept.names.get(&origin) {
            return name.clone();
        }
        let name = Name::new(name());
        if kept.bytes > MAX_NAME_CACHE {
            *kept = Kept::default();
        }
        kept.bytes += name.bytes();
        kept.names.insert(origin, name.clone());
        name
    }
}
