//! Fuzz target: the bytes of `.debug_frame`. Decoding what was encoded gives the same entries, as
//! numbers and with symbols.
//!
//! Numbers may be padded, so the first encoding may be shorter; the second has the bytes of the
//! first. Every field that is relocated has its relocation filed.

use crate::Target;
use crate::seeds::sections_of;
use crate::support::decoded;
use dwarf2_writer::{Address, Reloc, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::frame::{self, Entry, FieldSymbol, FieldSymbols};
use nv_debug_sections::reloc::RelocKind;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(60_000, &sections_of(&[SectionKind::DebugFrame]));
}

/// Decodes `data`, encodes the entries, and decodes these.
pub(crate) fn run(data: &[u8]) {
    let Some(mut entries) = decoded(data, frame::decode(data, &FieldSymbols::new())) else { return };
    assert_frames(&entries);
    // In a cubin both address fields of an FDE are relocated.
    for (symbol, entry) in (1..).zip(&mut entries) {
        if let Entry::Fde(fde) = entry
            && let Address::Constant(address) = fde.initial_location
        {
            fde.initial_location = Address::Symbol { symbol: SymbolId(symbol), addend: address as i64 };
            fde.range_symbol = Some(SymbolId(symbol));
        }
    }
    assert_frames(&entries);
}

/// Asserts that entries survive, with their symbols given by their relocations, which all are
/// filed.
fn assert_frames(entries: &[Entry]) {
    let section = frame::encode(entries, None).expect("what was decoded can be encoded");
    let relocs = frame::debug_relocs(&section);
    let symbol = |reloc: &Reloc| FieldSymbol {
        symbol: reloc.symbol,
        addend: reloc.addend,
        width: reloc.width,
        action: RelocKind::of(reloc).row().action,
    };
    let symbols = relocs.iter().map(|reloc| (reloc.offset, symbol(reloc))).collect();
    let again = frame::decode(&section.bytes, &symbols);
    assert_eq!(again.expect("what was encoded can be decoded"), entries);
    let mut filed: Vec<u64> = relocs.iter().map(|reloc| reloc.offset).collect();
    filed.sort_unstable();
    assert!(filed.iter().eq(section.relocs.iter().map(|reloc| &reloc.offset)));
}
