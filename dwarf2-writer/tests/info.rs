//! Units byte by byte, and what is refused.

use dwarf2_writer::constants::*;
use dwarf2_writer::info::{Block, DebugInfo, EntryId, Params, Value, is_one_unit};
use dwarf2_writer::{Address, Error, Expression, Operation, Reloc, SymbolId};

const SECTION: SymbolId = SymbolId(2);

fn unit() -> (DebugInfo, EntryId) {
    let mut info = DebugInfo::new(Params::default());
    let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    (info, root)
}

#[test]
fn every_byte_of_two_units() {
    let function = Address::Symbol { symbol: SymbolId(1), addend: 0x10 };
    let strings = Address::Symbol { symbol: SymbolId(3), addend: 4 };
    let params = Params { siblings: true, abbrev: 0x20.into(), info_symbol: Some(SECTION) };
    let mut info = DebugInfo::new(params);
    let first = info
        .unit(
            DW_TAG_compile_unit,
            &[(DW_AT_name, Value::Strp(strings)), (DW_AT_stmt_list, Value::Offset(7.into()))],
        )
        .expect("valid");
    let int = info.reserve(first).expect("reserved");
    let subprogram = [(DW_AT_low_pc, Value::Addr(function)), (DW_AT_type, Value::Ref1(int))];
    let subprogram = info.entry(first, DW_TAG_subprogram, &subprogram).expect("valid");
    info.fill(int, first, DW_TAG_base_type, &[(DW_AT_byte_size, Value::Data1(4))]).expect("valid");
    let location = Expression::new(&[Operation::Fbreg(-8)]).expect("valid");
    let parameter = [(DW_AT_location, Value::Block1(Block::from(&location)))];
    info.entry(subprogram, DW_TAG_formal_parameter, &parameter).expect("valid");
    let indirect = Value::Udata(300);
    info.unit(
        DW_TAG_compile_unit,
        &[(DW_AT_language, Value::Indirect(&indirect)), (DW_AT_type, Value::RefAddr(int))],
    )
    .expect("valid");
    let sections = info.finish().expect("valid");

    let mut expected = vec![44, 0, 0, 0, 2, 0, 0x20, 0, 0, 0, 8];
    expected.extend([1, 4, 0, 0, 0, 7, 0, 0, 0]);
    expected.extend([2, 38, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 38]); // sibling, low_pc, type
    expected.extend([3, 2, 0x91, 0x78, 0]);
    assert_eq!(expected.len(), 39);
    expected.extend([4, 4, 0]);
    expected[0] = expected.len() as u8 - 4;
    expected[21] = 39;
    expected[33] = 39;
    let second = expected.len();
    expected.extend([19, 0, 0, 0, 2, 0, 0x20, 0, 0, 0, 8]);
    expected.extend([5, 0x0f, 0xac, 0x02, 39, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(sections.info.bytes, expected);
    assert_eq!(
        sections.info.relocs,
        [
            Reloc::new(12, 4, SymbolId(3), 4),
            Reloc::new(25, 8, SymbolId(1), 0x10),
            Reloc::new(second as u64 + 15, 8, SECTION, 39),
        ]
    );
    let mut abbrev = vec![1, 0x11, 1, 0x03, 0x0e, 0x10, 0x06, 0, 0];
    abbrev.extend([2, 0x2e, 1, 0x01, 0x13, 0x11, 0x01, 0x49, 0x11, 0, 0]);
    abbrev.extend([3, 0x05, 0, 0x02, 0x0a, 0, 0]);
    abbrev.extend([4, 0x24, 0, 0x0b, 0x0b, 0, 0]);
    abbrev.extend([5, 0x11, 0, 0x13, 0x16, 0x49, 0x10, 0, 0, 0]);
    assert_eq!(sections.abbrev, abbrev);
    assert_eq!(sections.entry_offset(int), Some(39));
    assert_eq!(sections.unit(int), Some((0, second as u32)));
    assert!(!is_one_unit(&sections.info.bytes) && is_one_unit(&sections.info.bytes[..second]));
    assert!(!is_one_unit(&[]) && !is_one_unit(&[0; 5]));
}

#[test]
fn abbreviations_are_shared() {
    let mut info = DebugInfo::new(Params::default());
    for _ in 0..3 {
        let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
        for n in 0..4 {
            info.entry(root, DW_TAG_variable, &[(DW_AT_const_value, Value::Data1(n))]).expect("valid");
        }
    }
    assert_eq!(info.finish().expect("valid").abbrev, [1, 0x11, 1, 0, 0, 2, 0x34, 0, 0x1c, 0x0b, 0, 0, 0]);
    // What the caller says himself is the abbreviation that `siblings` makes.
    let mut info = DebugInfo::new(Params { siblings: true, ..Params::default() });
    let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let block = info.entry(root, DW_TAG_lexical_block, &[]).expect("valid");
    info.entry(block, DW_TAG_label, &[]).expect("valid");
    let own = info.entry(root, DW_TAG_lexical_block, &[(DW_AT_sibling, Value::Ref4(root))]).expect("valid");
    info.entry(own, DW_TAG_label, &[]).expect("valid");
    let abbrev = info.finish().expect("valid").abbrev;
    assert_eq!(abbrev, [1, 0x11, 1, 0, 0, 2, 0x0b, 1, 0x01, 0x13, 0, 0, 3, 0x0a, 0, 0, 0, 0]);
}

#[test]
fn refused_values_leave_nothing_behind() {
    let (mut info, root) = unit();
    let child = info.entry(root, DW_TAG_variable, &[(DW_AT_name, Value::String(b"a"))]).expect("valid");
    let other = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let before = info.clone().finish().expect("valid");
    let long = vec![0; 0x1_0000];
    let stray = [Reloc::new(1, 8, SECTION, 0)];
    let too_long = |field, max| Error::TooLong { field, len: 0x1_0000, max };
    let foreign = |form| Error::ForeignEntry { form, id: other, unit: 0 };
    let past = |field| Error::Operand { field, value: 1 << 32, max: u32::MAX.into() };
    let cases = [
        (Value::String(b"ab\0c"), Error::NulInString { field: "DW_FORM_string", offset: 2 }),
        (Value::Block1(long[..].into()), too_long("DW_FORM_block1", 0xff)),
        (Value::Block2(long[..].into()), too_long("DW_FORM_block2", 0xffff)),
        (
            Value::Block(Block { bytes: &[0; 8], relocs: &stray }),
            Error::ExpressionReloc { offset: 1, width: 8, len: 8 },
        ),
        (Value::Strp(Address::Constant(1 << 32)), past("DW_FORM_strp")),
        (Value::Offset(Address::Constant(1 << 32)), past("DW_FORM_data4")),
        (Value::Ref1(other), foreign("DW_FORM_ref1")),
        (Value::Ref2(other), foreign("DW_FORM_ref2")),
        (Value::Ref4(other), foreign("DW_FORM_ref4")),
        (Value::Ref8(other), foreign("DW_FORM_ref8")),
        (Value::RefUdata(other), foreign("DW_FORM_ref_udata")),
    ];
    for (value, error) in cases {
        let attributes = [(DW_AT_decl_line, Value::Ref4(child)), (DW_AT_type, Value::Indirect(&value))];
        assert_eq!(info.entry(root, DW_TAG_variable, &attributes), Err(error));
        assert_eq!(info.unit(DW_TAG_variable, &attributes[1..]), Err(of_unit(error, 2)));
    }
    let twice =
        [(DW_AT_name, Value::Data1(0)), (DW_AT_type, Value::Data1(0)), (DW_AT_name, Value::Flag(true))];
    let error = Error::DuplicateAttribute { tag: DW_TAG_variable, name: DW_AT_name };
    assert_eq!(info.entry(root, DW_TAG_variable, &twice), Err(error));
    assert_eq!(info.entry(root, 0, &[]), Err(Error::ZeroCode { tag: 0, field: "tag" }));
    let after = info.finish().expect("valid");
    assert_eq!((after.info, after.abbrev), (before.info, before.abbrev));
}

/// The error in a unit with another number.
fn of_unit(error: Error, unit: u32) -> Error {
    match error {
        Error::ForeignEntry { form, id, .. } => Error::ForeignEntry { form, id, unit },
        other => other,
    }
}

#[test]
fn entries_that_are_not_there() {
    let (mut info, root) = unit();
    // Ids of another section, which has more.
    let (mut more, there) = unit();
    let stranger = more.reserve(there).expect("reserved");
    let far = [more.reserve_unit(), more.reserve_unit()][1];
    assert_eq!(info.entry(stranger, DW_TAG_variable, &[]), Err(Error::UnknownEntry(stranger)));
    assert_eq!(info.fill(stranger, root, DW_TAG_variable, &[]), Err(Error::UnknownEntry(stranger)));
    assert_eq!(info.reserve(far), Err(Error::UnknownEntry(far)));
    assert_eq!(info.entry(far, DW_TAG_variable, &[]), Err(Error::UnknownEntry(far)));

    let reserved = info.reserve(root).expect("reserved");
    assert_eq!(info.entry(reserved, DW_TAG_variable, &[]), Err(Error::EmptyEntry(reserved)));
    assert_eq!(info.fill(reserved, reserved, DW_TAG_variable, &[]), Err(Error::EmptyEntry(reserved)));
    let child = info.entry(root, DW_TAG_variable, &[]).expect("valid");
    assert_eq!(info.fill(child, root, DW_TAG_variable, &[]), Err(Error::FilledEntry(child)));
    assert_eq!(info.fill_unit(root, DW_TAG_compile_unit, &[]), Err(Error::FilledEntry(root)));
    assert_eq!(info.fill(root, root, DW_TAG_variable, &[]), Err(Error::RootWithParent(root)));
    // Reserved and never used: no entry.
    let sections = info.clone().finish().expect("valid");
    assert_eq!((sections.entry_offset(reserved), sections.entry_offset(child)), (None, Some(12)));
    assert_eq!((sections.entry_offset(far), sections.unit(far)), (None, None));

    let refused = |value: Value<'_>| {
        let mut info = info.clone();
        info.entry(root, DW_TAG_variable, &[(DW_AT_type, value)]).expect("not known yet");
        info.finish().map(drop)
    };
    let after = (0..4).map(|_| more.reserve(there).expect("reserved")).last().expect("four");
    for value in [Value::Ref4, Value::RefUdata, Value::RefAddr] {
        assert_eq!(refused(value(reserved)), Err(Error::EmptyEntry(reserved)));
        assert_eq!(refused(value(after)), Err(Error::UnknownEntry(after)));
    }
    assert_eq!(refused(Value::RefAddr(far)), Err(Error::UnknownEntry(far)));
    let mut two = info.clone();
    let empty = two.reserve_unit();
    let other = two.reserve(empty).expect("reserved");
    assert_eq!(
        two.fill(other, root, DW_TAG_variable, &[]),
        Err(Error::ForeignEntry { form: "parent", id: root, unit: 1 })
    );
    assert_eq!(two.finish().map(drop), Err(Error::EmptyEntry(empty)));
}

#[test]
fn references_too_far() {
    for (reach, form) in [(0xff, Value::Ref1 as fn(EntryId) -> Value<'static>), (0xffff, Value::Ref2)] {
        for (beyond, fits) in [(0, true), (1, false)] {
            let (mut info, root) = unit();
            let target = info.reserve(root).expect("reserved");
            let from = info.entry(root, DW_TAG_variable, &[(DW_AT_type, form(target))]).expect("valid");
            let width = if reach == 0xff { 1 } else { 2 };
            // The header, two codes, the reference, another code and a block with its length.
            let filler = vec![0; reach - 11 - 2 - width - 1 - 2 + beyond];
            info.entry(root, DW_TAG_variable, &[(DW_AT_name, Value::Block2(filler[..].into()))])
                .expect("valid");
            info.fill(target, root, DW_TAG_label, &[]).expect("valid");
            let far = Error::FarReference { from, to: target, offset: reach as u64 + 1, width: width as u8 };
            match info.finish() {
                Ok(sections) => assert!(fits && sections.entry_offset(target) == Some(reach as u32)),
                Err(error) => assert_eq!((fits, error), (false, far)),
            }
        }
    }
}

#[test]
fn siblings_do_not_meet_the_callers() {
    let mut info = DebugInfo::new(Params { siblings: true, ..Params::default() });
    let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let block = info.entry(root, DW_TAG_lexical_block, &[(DW_AT_sibling, Value::Ref4(root))]).expect("valid");
    info.entry(block, DW_TAG_label, &[]).expect("valid");
    info.entry(root, DW_TAG_label, &[]).expect("valid");
    let error = Error::DuplicateAttribute { tag: DW_TAG_lexical_block, name: DW_AT_sibling };
    assert_eq!(info.finish().map(drop), Err(error));
}

/// Every call returns one: small enough that it costs the calls nothing.
const _: () = assert!(size_of::<Error>() <= 40);

#[test]
fn messages_say_where() {
    let (mut info, root) = unit();
    let other = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let error = info.entry(root, DW_TAG_variable, &[(DW_AT_type, Value::Ref4(other))]).expect_err("refused");
    assert_eq!(error.to_string(), "DW_FORM_ref4: entry 0 of unit 1 is not of unit 0");
    let begin = Address::Symbol { symbol: SECTION, addend: 4 };
    let error = Error::BackwardRange { begin, end: Address::Constant(3) };
    assert_eq!(
        error.to_string(),
        "range from symbol 2 +4 to 0x3: ends before it begins, or beyond the largest address"
    );
}
