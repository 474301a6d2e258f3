//! Tables beside the tree of entries: `.debug_ranges`, and those that find entries by name.

use super::tree::Written;
use crate::lower::Lowered;
use dwarf2_writer::{Referent, Reloc, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;

/// `.debug_ranges` in the making (DWARF 3 §2.16.3, which readers of DWARF 2 know too).
#[derive(Debug, Default)]
pub(super) struct Ranges {
    pub(super) bytes: Vec<u8>,
    pub(super) relocs: Vec<Reloc>,
}

impl Ranges {
    /// Adds a list; its offset.
    pub(super) fn add(&mut self, symbol: SymbolIndex, ranges: &[(u64, u64)]) -> u32 {
        let start = self.bytes.len();
        // Addresses count from 0, not from the unit's start.
        self.pair(u64::MAX, 0);
        for (start, end) in ranges {
            for (offset, address) in [(0, *start), (8, *end)] {
                let (offset, addend) = (self.bytes.len() as u64 + offset, address as i64);
                let reloc = Reloc::new(offset, 8, SymbolId(symbol.0), addend);
                self.relocs.push(Reloc { referent: Referent::Code, ..reloc });
            }
            self.pair(*start, *end);
        }
        self.pair(0, 0);
        start as u32
    }

    fn pair(&mut self, start: u64, end: u64) {
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend(end.to_le_bytes());
    }
}

/// Leads the tables of names to where the entries are now (DWARF 2.0.0 §6.1.1).
pub(super) fn move_lookups(lowered: &mut [Lowered], written: &Written) {
    let kinds = [SectionKind::DebugPubnames, SectionKind::DebugPubtypes];
    for section in lowered.iter_mut().filter(|section| section.kind.is_some_and(|kind| kinds.contains(&kind)))
    {
        let mut at = 0;
        while let Some(length) = word(&section.bytes, at) {
            let end = at.saturating_add(4).saturating_add(length as usize).min(section.bytes.len());
            let [unit_field, size_field, first] = [6, 10, 14].map(|offset| at + offset);
            let reloc = section.relocs.iter_mut().find(|reloc| reloc.offset as usize == unit_field);
            let old = match &reloc {
                Some(reloc) => reloc.addend as usize,
                None => word(&section.bytes, unit_field).unwrap_or(0) as usize,
            };
            let Some((new, size)) = written.units.get(&old).copied() else { return };
            match reloc {
                Some(reloc) => reloc.addend = new.into(),
                None => set_word(&mut section.bytes, unit_field, new),
            }
            set_word(&mut section.bytes, size_field, size);
            let mut entry = first;
            while let Some(offset) = word(&section.bytes, entry).filter(|offset| *offset != 0 && entry < end)
            {
                if let Some(new) = written.entries.get(&(old.saturating_add(offset as usize))) {
                    set_word(&mut section.bytes, entry, *new);
                }
                let name = section.bytes.get(entry + 4..end).unwrap_or_default();
                entry += 5 + memchr::memchr(0, name).unwrap_or(name.len());
            }
            at = end;
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn set_word(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(word) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *word = value.to_le_bytes();
    }
}
