//! Names of functions, each demangled once.

use super::PtxCallee;
use crate::limits::MAX_NAME_CACHE;
use crate::names::Name;
use crate::symbolize::{CalleeName, InlinedEntry};
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::SymbolIndex;
use std::cell::RefCell;
use std::collections::HashMap;

/// Where a name is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum NameOrigin {
    Symbol(SymbolIndex),
    /// Byte offset in `.debug_str`, the unit's base included.
    DebugStr(u64),
    /// Byte offset in `.debug_str` of the PTX.
    Ptx(u64),
    /// Byte offset of a call's entry in `.debug_info`.
    Entry(u64),
}

/// The names met so far.
#[derive(Debug, Default)]
pub(super) struct NameCache(RefCell<CachedNames>);

#[derive(Debug, Default)]
struct CachedNames {
    names: HashMap<NameOrigin, Name>,
    bytes: usize,
}

impl NameCache {
    pub(super) fn function(&self, function: &Function<'_>) -> Name {
        self.get(NameOrigin::Symbol(function.symbol), || function.name.to_owned())
    }

    /// Returns the callee's name; `None` if there is none at its offset.
    pub(super) fn callee_name(&self, callee: CalleeName<'_>) -> Option<Name> {
        let name = callee.name.filter(|name| !name.is_empty())?;
        Some(self.get(NameOrigin::DebugStr(callee.offset), || text(name)))
    }

    /// The name of a callee that the PTX has; `None` if there is none at its offset.
    pub(super) fn ptx_callee(&self, callee: PtxCallee<'_>) -> Option<Name> {
        let name = callee.name.filter(|name| !name.is_empty())?;
        Some(self.get(NameOrigin::Ptx(callee.offset), || text(name)))
    }

    /// `None` where the entry has no name.
    pub(super) fn entry(&self, entry: InlinedEntry<'_>) -> Option<Name> {
        entry.name.map(|name| self.get(NameOrigin::Entry(entry.offset), || text(name)))
    }

    fn get(&self, origin: NameOrigin, name: impl FnOnce() -> String) -> Name {
        let mut kept = self.0.borrow_mut();
        if let Some(name) = kept.names.get(&origin) {
            return name.clone();
        }
        let name = Name::new(name());
        if kept.bytes > MAX_NAME_CACHE {
            *kept = CachedNames::default();
        }
        kept.bytes += name.linkage_name().len() + name.demangled().map_or(0, str::len);
        kept.names.insert(origin, name.clone());
        name
    }
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
