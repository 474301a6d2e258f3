//! Fuzz target: the name, type and flags of a section. What is split is joined again.
//!
//! The catalog knows what the documented classifiers know.

use crate::Target;
use nv_debug_sections::catalog::{CATALOG, SectionKind, SectionName, Space, classify, is_debug_section};
use nv_debug_sections::release::Release;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 60);
    let names = CATALOG.map(|entry| [&[1, 0, 0, 0], entry.name.as_bytes()].concat());
    target.run_on_damaged(60_000, &names);
}

/// Takes `data` for a type (4 bytes) and a name.
pub(crate) fn run(data: &[u8]) {
    let Some((sh_type, name)) = data.split_first_chunk() else { return };
    let Ok(text) = std::str::from_utf8(name) else { return };
    let name = SectionName::parse(text);
    assert_eq!(name.to_string(), text);
    assert_eq!(name.kind().is_some(), SectionKind::from_name(&name.base).is_some());
    assert!(name.kind().is_none() || is_debug_section(&name.base));
    assert!(name.header_fields(Release::default()).is_none() || name.is_debug(), "{text}");
    if name.base.starts_with('.') {
        let clone = name.mercury();
        assert_eq!(SectionName::parse(&clone.to_string()), clone);
    }
    classified(u32::from_le_bytes(*sh_type), text, &name);
}

/// What the documented classifiers know, the catalog knows, or as the beginning of the PTX text's
/// name.
fn classified(sh_type: u32, text: &str, name: &SectionName<'_>) {
    let flag = nv_debug_sections::cubin::SHF_MERCURY;
    let known = [
        classify::standard(sh_type, text).map(|kind| (Space::Native, kind)),
        classify::mercury(sh_type, flag, text).map(|kind| (Space::Mercury, kind)),
    ];
    for (space, kind) in known.into_iter().flatten() {
        assert_eq!((name.space, name.form), (space, None));
        assert!(name.kind() == Some(kind) || kind == SectionKind::NvDebugPtxTxt);
    }
}
