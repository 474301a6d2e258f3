//! The tables that refer to entries: `.debug_ranges`, and those that find entries by name.

use super::tree::Written;
use crate::lower::LoweredSection;
use dwarf2_reader::pubnames::{self, Item};
use dwarf2_writer::{Referent, Reloc, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use std::collections::HashMap;

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
pub(super) fn move_lookups(lowered: &mut [LoweredSection], written: &Written) {
    for section in lowered {
        let kinds = [SectionKind::DebugPubnames, SectionKind::DebugPubtypes];
        let Some(kind) = section.kind.filter(|kind| kinds.contains(kind)) else { continue };
        let old = section.bytes.clone();
        // Of several at one place the first counts.
        let mut relocs: HashMap<usize, &mut Reloc> =
            section.relocs.iter_mut().rev().map(|reloc| (reloc.offset as usize, reloc)).collect();
        let mut unit = 0;
        for item in pubnames::items(kind.name(), &old).map_while(Result::ok) {
            let start = item.0.start as usize;
            match item.1 {
                Item::Set(set) => {
                    let field = start + UNIT_FIELD;
                    let reloc = relocs.get_mut(&field);
                    unit = reloc.as_ref().map_or(set.info, |reloc| reloc.addend as u64) as usize;
                    let Some((new, size)) = written.units.get(&unit).copied() else { return };
                    match reloc {
                        Some(reloc) => reloc.addend = new.into(),
                        None => set_word(&mut section.bytes, field, new),
                    }
                    set_word(&mut section.bytes, field + 4, size);
                }
                Item::Name { entry, .. } => {
                    if let Some(new) = written.entries.get(&unit.saturating_add(entry as usize)) {
                        set_word(&mut section.bytes, start, *new);
                    }
                }
                Item::End | Item::Padding(_) => {}
            }
        }
    }
}

/// The offset of `debug_info_offset` in the header of a set, after `unit_length` and `version`;
/// `debug_info_length` follows it.
const UNIT_FIELD: usize = 6;

fn set_word(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(word) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *word = value.to_le_bytes();
    }
}
