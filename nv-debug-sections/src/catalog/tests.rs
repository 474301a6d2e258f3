//! Tests that the rows of the catalog agree with each other. `tests/catalog.rs` compares them with
//! files.

use super::*;
use crate::level::typical_references;
use crate::release::Release;

#[test]
fn names_lead_to_their_rows_and_say_what_these_say() {
    for row in &CATALOG {
        let text = if row.name_match == NameMatch::Prefix {
            format!("{}other", row.name)
        } else {
            row.name.to_owned()
        };
        let name = SectionName::parse(&text);
        assert_eq!((name.kind(), name.space, name.form), (row.kind, row.space, row.form), "{text}");
        assert_eq!(name.entry().map(|found| found.name), Some(row.name));
        assert!(name.is_debug());
        let release = Release::V13_0;
        assert_eq!((name.first_sm(release), name.origin()), (*row.sms(release).start(), Some(row.origin)));
        assert!(row.until >= row.since);
        let (is_clone, is_reloc) = (row.space == Space::Mercury, row.form.is_some());
        assert_eq!(row.header.flags & crate::cubin::SHF_MERCURY != 0, is_clone);
        assert_eq!(row.links != SectionLinks::None, is_reloc);
    }
}

#[test]
fn every_kind_has_its_rows() {
    let kinds: Vec<_> = native_rows().filter_map(|row| row.kind).collect();
    for (index, kind) in (0..=SectionKind::NvDebugShared as usize).zip(kinds) {
        assert_eq!((kind as usize, kind.entry().kind), (index, Some(kind)));
        assert_eq!(SectionKind::from_name(kind.name()), Some(kind));
        let clone = SectionName::native(kind.name()).mercury().to_string();
        let expected = (kind != SectionKind::NvDebugShared).then_some(&*clone);
        assert_eq!(kind.mercury_name(), expected);
        // Each section has as many relocation rows as its clone, and REL if not all its references
        // need an addend.
        let has = |space, form| {
            CATALOG.iter().any(|row| (row.kind, row.space, row.form) == (Some(kind), space, form))
        };
        let rela = has(Space::Native, Some(RelocForm::Rela));
        assert_eq!(rela, has(Space::Mercury, Some(RelocForm::Rela)), "{kind:?}");
        assert_eq!(has(Space::Native, Some(RelocForm::Rel)), rela && kind != SectionKind::DebugInfo);
        assert!(rela || kind.entry().origin == SectionOrigin::Assembler);
        let _ = typical_references(kind);
    }
}

#[test]
fn names_are_unique_but_for_the_window_of_shared_variables() {
    for (at, row) in CATALOG.iter().enumerate() {
        let same = CATALOG.iter().filter(|other| other.name == row.name).count();
        assert_eq!(same, if row.kind == Some(SectionKind::NvDebugShared) { 2 } else { 1 }, "{}", row.name);
        // Rows that share a rank have that of the first of them.
        assert!(row.rank() <= at && row.in_text_order || row.rank() == at);
    }
}

#[test]
fn only_the_ptx_text_has_a_suffix() {
    assert_eq!(SectionKind::from_name(".nv_debug_ptx_txt.123"), Some(SectionKind::NvDebugPtxTxt));
    assert_eq!(SectionKind::from_name(".debug_line.123"), None);
    assert_eq!(SectionKind::from_name(".nv_debug_ptx_txtual"), None);
    assert!(is_debug_section(".nv_debug_ptx_txtual") && is_debug_section(".debug_types"));
    assert!(
        !is_debug_section(".nv_debug.shareds")
            && !is_debug_section(".nv_debug")
            && !is_debug_section(".rel.debug_line")
    );
}

#[test]
fn relocations_without_a_row_are_like_all_others() {
    let none: [SectionName<'_>; 3] =
        [".rela.nv_debug.shared", ".rela.rela.debug_str", ".text.f"].map(SectionName::parse);
    assert!(none.iter().all(|name| name.entry().is_none() && name.header_fields(Release::V13_0).is_none()));
    for (text, row) in
        [(".rela.nv_debug_info_reg_sass", ".rela.nv_debug_"), (".rel.debug_info", ".rel.debug_")]
    {
        assert_eq!(SectionName::parse(text).entry().map(|row| row.name), Some(row));
    }
    assert_eq!(SectionName::native(SectionKind::NvDebugShared.name()).header_fields(Release::V13_0), None);
}
