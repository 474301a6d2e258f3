//! Frames byte by byte, and as gimli reads them.

use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Error, Expression, Format, Referent, Reloc, SymbolId};
use gimli::{
    BaseAddresses, CallFrameInstruction as Read, CieOrFde, DebugFrame, LittleEndian, Register, UnwindSection,
};
use proptest::prelude::*;

const FUNCTION: SymbolId = SymbolId(1);
const SECTION: SymbolId = SymbolId(2);
const RANGE: SymbolId = SymbolId(3);

fn fde(cie: CieId, instructions: Vec<Cfi>) -> Fde {
    let initial_location = Address::Symbol { symbol: FUNCTION, addend: 0x40 };
    Fde { cie, initial_location, address_range: 0x180, range_symbol: Some(RANGE), instructions }
}

#[test]
fn ptxas_layout() {
    // docs/formats/frames.md, entries: 64-bit DWARF, version 3, padded to 8; with -c the CIE
    // pointer and the range are relocated too.
    let params = Params { format: Format::Dwarf64, alignment: 8, cie_pointer_symbol: Some(SECTION) };
    let mut frames = FrameTable::new(params).expect("valid");
    let mut expression = Expression::default();
    expression.addr(Address::Symbol { symbol: FUNCTION, addend: 0 }).bregx(0x500_0014, 0).op(0x22);
    let cie = frames
        .cie(&Cie {
            version: 3,
            code_alignment_factor: 4,
            data_alignment_factor: -4,
            return_address_register: 0xffff_ffff,
            instructions: vec![Cfi::ValExpression { register: 0x500_0100, expression }],
            ..Cie::default()
        })
        .expect("valid");
    frames
        .fde(&fde(cie, vec![Cfi::AdvanceLoc4(8), Cfi::DefCfa { register: 0x500_0001, offset: 16 }]))
        .expect("valid");
    let section = frames.finish();

    let mut expected = vec![0xff; 4];
    expected.extend([44, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([0xff; 8]);
    expected.extend([3, 0, 4, 0x7c, 0xff, 0xff, 0xff, 0xff, 0x0f]); // version .. return register
    expected.extend([0x16, 0x80, 0x82, 0x80, 0x28, 16]); // val_expression r block
    expected.extend([3, 0, 0, 0, 0, 0, 0, 0, 0, 0x92, 0x94, 0x80, 0x80, 0x28, 0, 0x22]);
    expected.extend([0; 5]);
    assert_eq!(expected.len(), 12 + 44);
    expected.extend([0xff; 4]);
    expected.extend([36, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([0; 8]);
    expected.extend([0x40, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, 0, 0, 0, 0]);
    expected.extend([4, 8, 0, 0, 0, 0x0c, 0x81, 0x80, 0x80, 0x28, 16, 0]);
    assert_eq!(section.bytes, expected);
    assert_eq!(
        section.relocs,
        [
            Reloc::new(36, 8, FUNCTION, 0),
            Reloc::new(68, 8, SECTION, 0),
            Reloc::new(76, 8, FUNCTION, 0x40),
            Reloc { in_place: None, referent: Referent::FunctionSize, ..Reloc::new(84, 8, RANGE, 0) },
        ]
    );
}

#[test]
fn cie_pointers_hold_the_offset() {
    let params = Params { cie_pointer_symbol: Some(SECTION), ..Params::default() };
    let mut frames = FrameTable::new(params).expect("valid");
    let first = frames.cie(&Cie { version: 1, ..Cie::default() }).expect("valid");
    let second = frames.cie(&Cie { version: 3, ..Cie::default() }).expect("valid");
    frames.fde(&fde(second, vec![])).expect("valid");
    frames.fde(&fde(first, vec![])).expect("valid");
    let section = frames.finish();
    assert_eq!(section.bytes[36..40], 16_u32.to_le_bytes());
    assert_eq!(section.relocs[0], Reloc::new(36, 4, SECTION, 16));
    assert_eq!(section.relocs[3].addend, 0);
}

#[test]
fn errors_leave_nothing_behind() {
    let alignment = Params { alignment: 6, ..Params::default() };
    assert_eq!(FrameTable::new(alignment).map(drop), Err(Error::Alignment { alignment: 6 }));

    let mut frames = FrameTable::new(Params::default()).expect("valid");
    let cie = Cie { version: 3, ..Cie::default() };
    let id = frames.cie(&cie).expect("valid");
    let before = frames.clone().finish();
    let cies = [
        (Cie { version: 2, ..Cie::default() }, Error::CieVersion { version: 2 }),
        (
            Cie { augmentation: b"z\0R".to_vec(), ..cie.clone() },
            Error::NulInString { field: "augmentation", offset: 1 },
        ),
        (
            Cie { version: 1, return_address_register: 256, ..cie.clone() },
            Error::Operand { field: "return_address_register", value: 256, max: 255 },
        ),
        (
            Cie { instructions: vec![Cfi::Nop, Cfi::AdvanceLoc(64)], ..cie.clone() },
            Error::Operand { field: "DW_CFA_advance_loc", value: 64, max: 63 },
        ),
    ];
    for (cie, error) in cies {
        assert_eq!(frames.cie(&cie), Err(error));
    }
    for (offset, width) in [(0, 8), (1, 4), (u64::MAX, 4), (0, 2)] {
        let relocs = vec![Reloc::new(offset, width, FUNCTION, 0)];
        let expression = Expression { bytes: vec![0; 4], relocs };
        let refused = frames.fde(&fde(id, vec![Cfi::DefCfaExpression(expression)]));
        assert_eq!(refused, Err(Error::ExpressionReloc { offset, width, len: 4 }));
    }
    assert_eq!(frames.fde(&fde(CieId(1), vec![])), Err(Error::UnknownCie { index: 1, count: 1 }));
    assert_eq!(frames.finish(), before);
}

/// Any instruction with register numbers that gimli can hold.
fn instruction() -> impl Strategy<Value = Cfi> {
    let r = || (0..=u64::from(u16::MAX)).boxed();
    let e = || prop::collection::vec(any::<u8>(), 0..300).prop_map(Expression::from);
    prop_oneof![
        Just(Cfi::Nop),
        Just(Cfi::RememberState),
        Just(Cfi::RestoreState),
        any::<u64>().prop_map(|address| Cfi::SetLoc(Address::Constant(address))),
        (0..=0x3f_u8).prop_map(Cfi::AdvanceLoc),
        any::<u8>().prop_map(Cfi::AdvanceLoc1),
        any::<u16>().prop_map(Cfi::AdvanceLoc2),
        any::<u32>().prop_map(Cfi::AdvanceLoc4),
        (0..=0x3f_u8, any::<u64>())
            .prop_map(|(register, factored_offset)| Cfi::Offset { register, factored_offset }),
        (r(), any::<u64>())
            .prop_map(|(register, factored_offset)| Cfi::OffsetExtended { register, factored_offset }),
        (r(), any::<i64>())
            .prop_map(|(register, factored_offset)| Cfi::OffsetExtendedSf { register, factored_offset }),
        (r(), any::<u64>())
            .prop_map(|(register, factored_offset)| Cfi::ValOffset { register, factored_offset }),
        (r(), any::<i64>())
            .prop_map(|(register, factored_offset)| Cfi::ValOffsetSf { register, factored_offset }),
        (0..=0x3f_u8).prop_map(|register| Cfi::Restore { register }),
        r().prop_map(|register| Cfi::RestoreExtended { register }),
        r().prop_map(|register| Cfi::Undefined { register }),
        r().prop_map(|register| Cfi::SameValue { register }),
        (r(), r()).prop_map(|(register, source)| Cfi::Register { register, source }),
        (r(), any::<u64>()).prop_map(|(register, offset)| Cfi::DefCfa { register, offset }),
        (r(), any::<i64>())
            .prop_map(|(register, factored_offset)| Cfi::DefCfaSf { register, factored_offset }),
        r().prop_map(|register| Cfi::DefCfaRegister { register }),
        any::<u64>().prop_map(Cfi::DefCfaOffset),
        any::<i64>().prop_map(Cfi::DefCfaOffsetSf),
        e().prop_map(Cfi::DefCfaExpression),
        (r(), e()).prop_map(|(register, expression)| Cfi::Expression { register, expression }),
        (r(), e()).prop_map(|(register, expression)| Cfi::ValExpression { register, expression }),
    ]
}

/// What gimli makes of an instruction: it keeps the meaning, not the form.
fn seen_by_gimli(instruction: &Read<usize>, section: &[u8]) -> Cfi {
    let n = |register: Register| u64::from(register.0);
    let e = |expression: &gimli::UnwindExpression<usize>| {
        Expression::from(section[expression.offset..][..expression.length].to_vec())
    };
    match *instruction {
        Read::SetLoc { address } => Cfi::SetLoc(Address::Constant(address)),
        Read::AdvanceLoc { delta } => Cfi::AdvanceLoc4(delta),
        Read::DefCfa { register, offset } => Cfi::DefCfa { register: n(register), offset },
        Read::DefCfaSf { register, factored_offset } => {
            Cfi::DefCfaSf { register: n(register), factored_offset }
        }
        Read::DefCfaRegister { register } => Cfi::DefCfaRegister { register: n(register) },
        Read::DefCfaOffset { offset } => Cfi::DefCfaOffset(offset),
        Read::DefCfaOffsetSf { factored_offset } => Cfi::DefCfaOffsetSf(factored_offset),
        Read::DefCfaExpression { ref expression } => Cfi::DefCfaExpression(e(expression)),
        Read::Undefined { register } => Cfi::Undefined { register: n(register) },
        Read::SameValue { register } => Cfi::SameValue { register: n(register) },
        Read::Offset { register, factored_offset } => {
            Cfi::OffsetExtended { register: n(register), factored_offset }
        }
        Read::OffsetExtendedSf { register, factored_offset } => {
            Cfi::OffsetExtendedSf { register: n(register), factored_offset }
        }
        Read::ValOffset { register, factored_offset } => {
            Cfi::ValOffset { register: n(register), factored_offset }
        }
        Read::ValOffsetSf { register, factored_offset } => {
            Cfi::ValOffsetSf { register: n(register), factored_offset }
        }
        Read::Register { dest_register, src_register } => {
            Cfi::Register { register: n(dest_register), source: n(src_register) }
        }
        Read::Expression { register, ref expression } => {
            Cfi::Expression { register: n(register), expression: e(expression) }
        }
        Read::ValExpression { register, ref expression } => {
            Cfi::ValExpression { register: n(register), expression: e(expression) }
        }
        Read::Restore { register } => Cfi::RestoreExtended { register: n(register) },
        Read::RememberState => Cfi::RememberState,
        Read::RestoreState => Cfi::RestoreState,
        Read::Nop => Cfi::Nop,
        ref other => panic!("{other:?}"),
    }
}

/// The instruction in the form that [`seen_by_gimli`] gives.
fn without_form(instruction: &Cfi) -> Cfi {
    match *instruction {
        Cfi::AdvanceLoc(delta) | Cfi::AdvanceLoc1(delta) => Cfi::AdvanceLoc4(delta.into()),
        Cfi::AdvanceLoc2(delta) => Cfi::AdvanceLoc4(delta.into()),
        Cfi::Offset { register, factored_offset } => {
            Cfi::OffsetExtended { register: register.into(), factored_offset }
        }
        Cfi::Restore { register } => Cfi::RestoreExtended { register: register.into() },
        ref same => same.clone(),
    }
}

fn check_instructions(
    mut read: gimli::CallFrameInstructionIter<'_, gimli::EndianSlice<'_, LittleEndian>>,
    section: &[u8],
    expected: &[Cfi],
) {
    for instruction in expected {
        let seen = read.next().expect("readable").expect("one more");
        assert_eq!(seen_by_gimli(&seen, section), without_form(instruction));
    }
    while let Some(padding) = read.next().expect("readable") {
        assert_eq!(padding, Read::Nop);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn gimli_reads_what_was_written(
        format in prop_oneof![Just(Format::Dwarf32), Just(Format::Dwarf64)],
        alignment in (0..=6_u32).prop_map(|log2| 1_u8 << log2),
        version in prop_oneof![Just(1_u8), Just(3), Just(4)],
        (code, data, register) in (any::<u64>(), any::<i64>(), any::<u8>()),
        (start, range) in (0..1_u64 << 62, 0..1_u64 << 62),
        in_cie in prop::collection::vec(instruction(), 0..12),
        in_fde in prop::collection::vec(instruction(), 0..12),
    ) {
        let mut frames = FrameTable::new(Params { format, alignment, cie_pointer_symbol: None }).expect("valid");
        let cie = Cie {
            version,
            augmentation: Vec::new(),
            code_alignment_factor: code,
            data_alignment_factor: data,
            return_address_register: register.into(),
            instructions: in_cie.clone(),
        };
        // Twice, so that the second CIE is not at offset 0.
        frames.cie(&cie).expect("valid");
        let id = frames.cie(&cie).expect("valid");
        let initial_location = Address::Constant(start);
        let instructions = in_fde.clone();
        frames.fde(&Fde { cie: id, initial_location, address_range: range, range_symbol: None, instructions }).expect("valid");
        let bytes = frames.finish().bytes;
        prop_assert_eq!(bytes.len() % usize::from(alignment), 0);

        let mut section = DebugFrame::new(&bytes, LittleEndian);
        section.set_address_size(8);
        let bases = BaseAddresses::default();
        let mut entries = section.entries(&bases);
        for _ in 0..2 {
            let Some(CieOrFde::Cie(read)) = entries.next().expect("readable") else { panic!("no CIE") };
            prop_assert_eq!(read.version(), version);
            prop_assert_eq!(read.code_alignment_factor(), code);
            prop_assert_eq!(read.data_alignment_factor(), data);
            prop_assert_eq!(read.return_address_register(), Register(register.into()));
            check_instructions(read.instructions(&section, &bases), &bytes, &in_cie);
        }
        let Some(CieOrFde::Fde(partial)) = entries.next().expect("readable") else { panic!("no FDE") };
        let read = partial.parse(DebugFrame::cie_from_offset).expect("readable");
        prop_assert_eq!((read.initial_address(), read.len()), (start, range));
        check_instructions(read.instructions(&section, &bases), &bytes, &in_fde);
        prop_assert!(entries.next().expect("readable").is_none());
    }
}
