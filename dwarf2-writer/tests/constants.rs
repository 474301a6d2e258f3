//! The name tables against gimli's.

use dwarf2_writer::constants::{DW_CFA, DW_LNE, DW_LNS, DW_OP, NameTable};

fn check(table: &NameTable, gimli: impl Fn(u8) -> Option<&'static str>) {
    let entries: Vec<_> = table.iter().collect();
    assert!(entries.is_sorted_by(|a, b| a.0 < b.0), "ascending, without duplicates");
    for (value, name) in entries {
        assert_eq!(gimli(value), Some(name), "{value:#x}");
        assert_eq!((table.name(value), table.value(name)), (Some(name), Some(value)));
    }
    assert_eq!(table.value(""), None);
}

#[test]
fn same_names_as_gimli() {
    check(&DW_LNS, |value| gimli::DwLns(value).static_string());
    check(&DW_LNE, |value| gimli::DwLne(value).static_string());
    check(&DW_CFA, |value| gimli::DwCfa(value).static_string());
    check(&DW_OP, |value| gimli::DwOp(value).static_string());
}

#[test]
fn every_operation_of_dwarf_2() {
    // DWARF 2.0.0 figure 22: 0x03, 0x06, 0x08 to 0x96.
    for value in [0x03, 0x06].into_iter().chain(0x08..=0x96) {
        assert!(DW_OP.name(value).is_some(), "{value:#x}");
    }
    assert_eq!(DW_OP.name(0x04), None);
}
