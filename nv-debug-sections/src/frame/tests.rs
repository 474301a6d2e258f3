//! Tests of the relocations of encoded sections (docs/formats/frames.md, relocations), and of
//! decoding them.

use super::*;
use crate::reloc::RelocKind;
use proptest::prelude::*;

const KERNEL: SymbolId = SymbolId(5);
const DEVICE: SymbolId = SymbolId(6);
const OWN: SymbolId = SymbolId(2);

fn cie(instructions: Vec<Cfi>) -> Entry {
    Entry::Cie(Arc::new(Cie {
        version: 3,
        code_alignment_factor: 4,
        data_alignment_factor: -4,
        return_address_register: 0xffff_ffff,
        instructions,
        ..Cie::default()
    }))
}

fn fde(cie: u32, initial_location: Address, range_symbol: Option<SymbolId>) -> Entry {
    Entry::Fde(Fde {
        cie: CieId(cie),
        initial_location,
        address_range: 0x80,
        range_symbol,
        instructions: vec![],
    })
}

fn at(symbol: SymbolId) -> Address {
    Address::Symbol { symbol, addend: 0 }
}

/// The return address of a folded function (docs/formats/frames.md, what entries say): the
/// function's address plus a register.
fn return_address(symbol: SymbolId) -> Cfi {
    let mut expression = Expression::default();
    expression.addr(at(symbol)).bregx(0x500_0014, 0).op(dwarf2_writer::constants::DW_OP_plus);
    Cfi::ValExpression { register: 0x500_0100, expression }
}

/// Offset in its entry, kind and symbol of each relocation, with the entry's number.
fn places(section: &Section) -> Vec<(usize, u64, RelocKind, u32)> {
    let starts: Vec<u64> = entry_relocs(section).iter().map(|entry| entry.start).collect();
    let place = |reloc: &Reloc| {
        let entry = starts.partition_point(|start| *start <= reloc.offset) - 1;
        (entry, reloc.offset - starts[entry], RelocKind::of(reloc), reloc.symbol.0)
    };
    debug_relocs(section).iter().map(place).collect()
}

// docs/formats/frames.md, relocations: per code section, last first: FDE fields descending, then
// the CIEs' expression addresses descending.
#[test]
fn relocations_go_by_code_section_and_fdes_come_first() {
    let folded = || cie(vec![return_address(KERNEL)]);
    let entries = [
        cie(vec![]),
        fde(0, at(KERNEL), None),
        folded(),
        fde(1, at(KERNEL), None),
        folded(),
        fde(2, at(DEVICE), None),
    ];
    let section = encode(&entries, None).unwrap();
    let found = places(&section);
    assert_eq!(found.iter().map(|place| place.0).collect::<Vec<_>>(), [5, 4, 3, 1, 2]);
    assert!(found.iter().all(|place| place.2 == RelocKind::Code64));
}

// docs/formats/frames.md, relocations: with -c the CIE pointer (in place 0) and the range (0x49)
// are relocated too.
#[test]
fn relocatable_files_have_three_per_fde() {
    let entries = [cie(vec![]), fde(0, at(KERNEL), Some(KERNEL))];
    let section = encode(&entries, Some(OWN)).unwrap();
    let want = [
        (1, 28, RelocKind::UnusedClear64, KERNEL.0),
        (1, 20, RelocKind::Code64, KERNEL.0),
        (1, 12, RelocKind::Absolute64, OWN.0),
    ];
    assert_eq!(places(&section), want);
    let in_place: Vec<_> = debug_relocs(&section).iter().map(|reloc| reloc.in_place).collect();
    assert_eq!(in_place, [None, Some(0), None]);
}

#[test]
fn no_relocation_is_lost_at_the_end_or_without_a_symbol() {
    let constant = Address::Constant(0x100);
    for entries in [
        vec![cie(vec![]), fde(0, at(KERNEL), None), fde(0, constant, Some(KERNEL))],
        vec![cie(vec![]), fde(0, constant, Some(KERNEL)), fde(0, at(KERNEL), None)],
        vec![cie(vec![]), fde(0, at(KERNEL), None), cie(vec![return_address(DEVICE)])],
        vec![cie(vec![return_address(DEVICE)])],
        vec![cie(vec![]), fde(0, constant, Some(DEVICE))],
    ] {
        let section = encode(&entries, Some(OWN)).unwrap();
        let filed = debug_relocs(&section);
        assert_eq!(filed.len(), section.relocs.len(), "{entries:?}");
        // In a single code section an FDE's fields come before a CIE's, wherever the entry stands.
        let is_cie = |place: &(usize, u64, RelocKind, u32)| matches!(entries[place.0], Entry::Cie(_));
        assert!(places(&section).is_sorted_by_key(is_cie), "{entries:?}");
    }
}

#[test]
fn symbols_come_back_whatever_their_number() {
    let high = SymbolId(u32::MAX);
    let entries =
        [cie(vec![return_address(high)]), fde(0, Address::Symbol { symbol: high, addend: 0x40 }, Some(high))];
    let section = encode(&entries, None).unwrap();
    let symbols = symbols(&section);
    assert_eq!(decode(&section.bytes, &symbols).unwrap(), entries);
    assert!(debug_relocs(&section).iter().all(|reloc| reloc.symbol.0 == u32::MAX));
}

fn symbols(section: &Section) -> FieldSymbols {
    let symbol = |reloc: &Reloc| FieldSymbol {
        symbol: reloc.symbol,
        addend: reloc.addend,
        width: reloc.width,
        action: RelocKind::of(reloc).row().action,
    };
    debug_relocs(section).iter().map(|reloc| (reloc.offset, symbol(reloc))).collect()
}

#[test]
fn relocations_must_suit_their_field() {
    let entries = [cie(vec![return_address(KERNEL)]), fde(0, at(KERNEL), Some(KERNEL))];
    let section = encode(&entries, None).unwrap();
    let good = symbols(&section);
    assert_eq!(good.len(), 3);
    for &offset in good.keys() {
        for wrong in [RelocAction::Add, RelocAction::Clear] {
            let mut bad = good.clone();
            let Some(field) = bad.get_mut(&offset).filter(|field| field.action != wrong) else {
                continue;
            };
            field.action = wrong;
            let error = decode(&section.bytes, &bad).unwrap_err();
            assert_eq!((error.section(), error.offset()), (NAME, offset), "{error}");
        }
    }
}

/// The frame is made, made larger, and given back: ptxas 13.0.88 writes one of these at most.
#[test]
fn the_largest_offset_of_the_cfa_is_the_size_of_the_frame() {
    let cfa = |offset| Cfi::DefCfa { register: 0x500_0001, offset };
    let size = |instructions| {
        let Entry::Fde(entry) = fde(0, at(KERNEL), None) else { unreachable!() };
        frame_size(&Fde { instructions, ..entry })
    };
    assert_eq!(size(vec![]), 0);
    assert_eq!(size(vec![Cfi::AdvanceLoc4(4), cfa(16)]), 16);
    let steps =
        vec![Cfi::AdvanceLoc4(4), cfa(16), Cfi::AdvanceLoc4(8), cfa(0x40), Cfi::AdvanceLoc4(9), cfa(0)];
    assert_eq!(size(steps), 0x40);
}

#[test]
fn refusals_of_the_writer_name_the_entry() {
    let entries = [cie(vec![]), fde(1, at(KERNEL), None)];
    let error = encode(&entries, None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unwritable { part: "entry", index: 1, .. }), "{error}");
}

fn instruction() -> impl Strategy<Value = Cfi> {
    prop_oneof![
        (0_u8..0x40).prop_map(Cfi::AdvanceLoc),
        any::<u32>().prop_map(Cfi::AdvanceLoc4),
        any::<(u64, u64)>().prop_map(|(register, offset)| Cfi::DefCfa { register, offset }),
        any::<(u64, i64)>()
            .prop_map(|(register, factored_offset)| Cfi::OffsetExtendedSf { register, factored_offset }),
        any::<(u64, u64)>().prop_map(|(register, source)| Cfi::Register { register, source }),
        (1_u32..9).prop_map(|symbol| return_address(SymbolId(symbol))),
    ]
}

proptest! {
    // The second round has the bytes of the first: decoding keeps all that encoding writes.
    #[test]
    fn entries_come_back(
        first in prop::collection::vec(instruction(), 0..6),
        later in prop::collection::vec((prop::collection::vec(instruction(), 0..6), 0_u32..9, any::<bool>()), 0..5),
    ) {
        let functions = later.into_iter().map(|(instructions, symbol, relocatable)| {
            let location = if symbol == 0 { Address::Constant(0x40) } else { at(SymbolId(symbol)) };
            let Entry::Fde(entry) = fde(0, location, relocatable.then_some(SymbolId(symbol))) else { unreachable!() };
            Entry::Fde(Fde { instructions, ..entry })
        });
        let entries: Vec<Entry> = std::iter::once(cie(first)).chain(functions).collect();
        let section = encode(&entries, None).unwrap();
        let again = decode(&section.bytes, &symbols(&section)).unwrap();
        prop_assert_eq!(&again, &entries);
        prop_assert_eq!(&encode(&again, None).unwrap().bytes, &section.bytes);
        cut_at_every_instruction(&section)?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(data in prop::collection::vec(prop_oneof![0_u8..5, any::<u8>()], 0..60)) {
        match decode(&data, &FieldSymbols::new()) {
            Ok(entries) => {
                let section = encode(&entries, None).unwrap();
                prop_assert_eq!(decode(&section.bytes, &FieldSymbols::new()).unwrap(), entries);
            }
            Err(error) => prop_assert!(error.offset() <= data.len() as u64),
        }
    }
}

/// Where an instruction starts its entry can end: it then has the instructions before. Entries tile
/// the section.
fn cut_at_every_instruction(section: &Section) -> Result<(), TestCaseError> {
    let symbols = symbols(section);
    let placed = decode_with_offsets(&section.bytes, &symbols).unwrap();
    let starts: Vec<u64> = placed.iter().map(|entry| entry.offset).collect();
    prop_assert_eq!(starts, entry_offsets(&section.bytes));
    for (number, entry) in placed.iter().enumerate() {
        let all = instructions(&entry.entry);
        prop_assert_eq!(entry.instructions.len(), all.len() + 1);
        for (count, start) in entry.instructions.iter().enumerate() {
            let (offset, end) = (entry.offset as usize, (entry.offset + start) as usize);
            let mut cut = section.bytes[..end].to_vec();
            cut[offset + 4..offset + 12].copy_from_slice(&(start - 12).to_le_bytes());
            let again = decode(&cut, &symbols).unwrap();
            prop_assert_eq!(instructions(&again[number]), &all[..count]);
        }
    }
    Ok(())
}

fn instructions(entry: &Entry) -> &[Cfi] {
    match entry {
        Entry::Cie(cie) => &cie.instructions,
        Entry::Fde(fde) => &fde.instructions,
    }
}
