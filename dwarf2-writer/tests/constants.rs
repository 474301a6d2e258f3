//! The name tables against gimli's.

use dwarf2_writer::constants::*;

fn check<T: Copy + Ord + std::fmt::Debug + 'static>(
    table: &NameTable<T>,
    gimli: impl Fn(T) -> Option<&'static str>,
) {
    let entries: Vec<_> = table.iter().collect();
    assert!(entries.is_sorted_by(|a, b| a.0 < b.0), "ascending, without duplicates");
    for (value, name) in entries {
        let theirs = gimli(value).expect("known to gimli");
        assert_eq!(theirs, name, "{value:#x?}");
        assert_eq!((table.name(value), table.value(name)), (Some(name), Some(value)));
    }
    assert_eq!(table.value(""), None);
}

#[test]
fn names_that_later_versions_changed_are_understood() {
    assert_eq!(DW_AT.value("DW_AT_stride_size"), Some(DW_AT_bit_stride));
    assert_eq!(DW_TAG.value("DW_TAG_template_type_param"), Some(DW_TAG_template_type_parameter));
    assert_eq!(DW_TAG.value("DW_TAG_template_value_param"), Some(DW_TAG_template_value_parameter));
}

#[test]
fn same_names_as_gimli() {
    check(&DW_LNS, |value| gimli::DwLns(value).static_string());
    check(&DW_LNE, |value| gimli::DwLne(value).static_string());
    check(&DW_CFA, |value| gimli::DwCfa(value).static_string());
    check(&DW_OP, |value| gimli::DwOp(value).static_string());
    check(&DW_TAG, |value| gimli::DwTag(value).static_string());
    check(&DW_AT, |value| gimli::DwAt(value).static_string());
    check(&DW_FORM, |value| gimli::DwForm(value).static_string());
    check(&DW_CHILDREN, |value| gimli::DwChildren(value).static_string());
    check(&DW_ATE, |value| gimli::DwAte(value).static_string());
    check(&DW_ACCESS, |value| gimli::DwAccess(value).static_string());
    check(&DW_VIS, |value| gimli::DwVis(value).static_string());
    check(&DW_VIRTUALITY, |value| gimli::DwVirtuality(value).static_string());
    check(&DW_LANG, |value| gimli::DwLang(value).static_string());
    check(&DW_ADDR, |value| gimli::DwAddr(value.into()).static_string());
    check(&DW_ID, |value| gimli::DwId(value).static_string());
    check(&DW_CC, |value| gimli::DwCc(value).static_string());
    check(&DW_INL, |value| gimli::DwInl(value).static_string());
    check(&DW_ORD, |value| gimli::DwOrd(value).static_string());
    check(&DW_DSC, |value| gimli::DwDsc(value).static_string());
    check(&DW_MACINFO, |value| gimli::DwMacinfo(value).static_string());
}

#[test]
fn everything_of_dwarf_2() {
    // DWARF 2.0.0 figure 22: 0x03, 0x06, 0x08 to 0x96.
    for value in [0x03, 0x06].into_iter().chain(0x08..=0x96) {
        assert!(DW_OP.name(value).is_some(), "{value:#x}");
    }
    assert_eq!(DW_OP.name(0x04), None);
    // Figures 14, 17 and 18, with the numbers that are DWARF 1's and unused.
    let gaps = |unused: &[u16], last: u16, name: fn(u16) -> Option<&'static str>| {
        (1..=last).for_each(|value| assert_eq!(name(value).is_none(), unused.contains(&value), "{value:#x}"));
    };
    gaps(&[0x06, 0x07, 0x09, 0x0c, 0x0e, 0x14], 0x35, |value| DW_TAG.name(value));
    gaps(
        &[4, 5, 6, 7, 8, 0x0a, 0x0e, 0x0f, 0x14, 0x1f, 0x23, 0x24, 0x26, 0x28, 0x29, 0x2b, 0x2d, 0x30],
        0x4d,
        |value| DW_AT.name(value),
    );
    gaps(&[0x02], 0x16, |value| DW_FORM.name(value));
    // Figures 16, 19, 24 to 38, 40: numbers from the first to the last.
    let all = |first: u8, last: u8, name: fn(u8) -> Option<&'static str>| {
        (first..=last).for_each(|value| assert!(name(value).is_some(), "{value:#x}"));
    };
    all(0, 1, |value| DW_CHILDREN.name(value));
    all(1, 8, |value| DW_ATE.name(value));
    all(1, 3, |value| DW_ACCESS.name(value));
    all(1, 3, |value| DW_VIS.name(value));
    all(0, 2, |value| DW_VIRTUALITY.name(value));
    all(1, 0x0a, |value| DW_LANG.name(value.into()));
    all(0, 0, |value| DW_ADDR.name(value));
    all(0, 3, |value| DW_ID.name(value));
    all(1, 3, |value| DW_CC.name(value));
    all(0, 3, |value| DW_INL.name(value));
    all(0, 1, |value| DW_ORD.name(value));
    all(0, 1, |value| DW_DSC.name(value));
    all(1, 9, |value| DW_LNS.name(value));
    all(1, 3, |value| DW_LNE.name(value));
    all(1, 4, |value| DW_MACINFO.name(value));
    assert_eq!(DW_MACINFO.name(255), Some("DW_MACINFO_vendor_ext"));
    all(0, 0x0f, |value| DW_CFA.name(value));
    assert!([0x40, 0x80, 0xc0].into_iter().all(|value| DW_CFA.name(value).is_some()));
}

#[test]
fn vendors_ranges_are_known_by_name_only() {
    assert_eq!((DW_TAG.value("DW_TAG_lo_user"), DW_TAG.name(DW_TAG_lo_user)), (Some(0x4080), None));
    assert_eq!((DW_AT.value("DW_AT_hi_user"), DW_AT.name(DW_AT_hi_user)), (Some(0x3fff), None));
    assert_eq!((DW_LANG.value("DW_LANG_lo_user"), DW_LANG.name(DW_LANG_lo_user)), (Some(0x8000), None));
    assert_eq!((DW_OP.value("DW_OP_lo_user"), DW_OP.name(DW_OP_lo_user)), (Some(0xe0), None));
}
