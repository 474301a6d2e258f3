use super::*;
use crate::constants::{DW_AT_byte_size, DW_AT_name, DW_TAG_compile_unit, DW_TAG_variable};
use crate::section::tests::{LONG, too_long, untouched};

const SIZE: &[Attribute<'_>] = &[(DW_AT_byte_size, Value::Data2(0))];

/// A unit whose attributes take `len` bytes.
fn unit_of(len: usize) -> DebugInfo {
    let mut info = DebugInfo::new(Params::default());
    info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    info.units[0].attributes.bytes = untouched(len);
    info
}

#[test]
fn attributes_end_before_4_gib() {
    let mut info = unit_of(LONG - 3);
    let root = EntryId { unit: 0, index: 0 };
    let string = [(DW_AT_name, Value::String(b"ab"))];
    let reference = [(DW_AT_name, Value::Ref4(root))];
    for attributes in [&string, &reference] {
        let error = info.entry(root, DW_TAG_variable, attributes).expect_err("too long");
        assert!(matches!(error, Error::TooLong { field: "attributes of a unit", max: 0xffff_ffef, .. }));
    }
    assert_eq!((info.units[0].attributes.bytes.len(), info.units[0].nodes.len()), (LONG - 3, 1));
    info.entry(root, DW_TAG_variable, SIZE).expect("fits");
    let full = info.entry(root, DW_TAG_variable, SIZE);
    assert_eq!(full, Err(too_long("attributes of a unit", LONG + 1)));
}

#[test]
fn units_end_before_4_gib() {
    // From after the length: the rest of the header and the root's code.
    let others = 2 + 4 + 1 + 1;
    let with_size = |size: usize| {
        let mut info = unit_of(0);
        info.units[0].nodes[0].size = size as u32;
        info
    };
    assert_eq!(with_size(LONG - others).finish().map(drop), Err(too_long("unit", LONG)));
    // Each unit is short enough; the third would begin past 4 GiB.
    let mut info = with_size(LONG - others - 1);
    for _ in 0..2 {
        let unit = info.units[0].clone();
        info.units.push(unit);
    }
    let (len, max) = (2 * (LONG as u64 + 3), MAX_OFFSET);
    assert_eq!(info.finish().map(drop), Err(Error::TooLong { field: ".debug_info", len, max }));
}
