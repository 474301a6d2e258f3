//! Checks of which debug sections there are and of their headers, and of the PTX texts.

use super::{RuleId, Verifier};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::Section;
use nv_debug_sections::level::compare::{HeaderOddity, compare};
use nv_debug_sections::level::detected::DetectedLevel;
use nv_debug_sections::ptx_txt::{self, PtxText};

pub(super) fn check(check: &mut Verifier<'_, '_>) {
    let cubin = check.cubin;
    let found = DetectedLevel::of(cubin);
    let expected = found.expected();
    let comparison = compare(cubin, &expected);
    let level = found.level.name();
    for name in &comparison.missing {
        let (name, expected) = (name.to_string(), format!("it in a file of level `{level}`"));
        check.find(RuleId::SectionMissing, &name, 0, "no such section", expected);
    }
    for index in &comparison.extra {
        let expected = format!("none, or none more, in a file of level `{level}`");
        check.find(RuleId::SectionExtra, cubin.section_name(*index), 0, "a section", expected);
    }
    for odd in &comparison.odd {
        let (found, expected) = match odd.what {
            HeaderOddity::Fields { found, expected } => (found.to_string(), expected.to_string()),
            HeaderOddity::Target(target) => {
                let name = cubin.section_name(target);
                (format!("relocations of {name}"), "those of the section in its name".to_owned())
            }
        };
        check.find(RuleId::SectionHeader, cubin.section_name(odd.section), 0, found, expected);
    }
    habits(check);
    texts(check);
}

/// What the file's release does to every file, which is then expected above: one note each.
fn habits(check: &mut Verifier<'_, '_>) {
    let cubin = check.cubin;
    if let Some(wrong) = cubin.wrong_symbol_link() {
        let user = cubin.iter().find(|(_, _, section)| section.relocations().is_some());
        let name = user.map_or("", |(_, name, _)| name);
        let found = format!("sh_link {wrong} in all sections that use the symbol table");
        check.find(RuleId::SymbolLinks, name, 0, found, "the index of the symbol table");
    }
    let is_unflagged = |name: &str, section: &Section<'_>| {
        section.relocations().is_some() && section.flags == 0 && SectionName::parse(name).is_debug()
    };
    if !cubin.release().flags_debug_relocations()
        && let Some((_, name, _)) = cubin.iter().find(|(_, name, section)| is_unflagged(name, section))
    {
        check.find(RuleId::RelocationFlags, name, 0, "no flags", "SHF_INFO_LINK");
    }
}

fn texts(check: &mut Verifier<'_, '_>) {
    let cubin = check.cubin;
    for (index, name, section) in cubin.iter() {
        if SectionKind::from_name(name) != Some(SectionKind::NvDebugPtxTxt) || section.is_mercury() {
            continue;
        }
        let suffix = name.strip_prefix(ptx_txt::NAME).unwrap_or_default();
        if !suffix.is_empty() && ptx_txt::checksum_in(name).is_none() {
            let found = format!("a name that ends in `{suffix}`");
            check.find(RuleId::TextName, name, 0, found, "a dot and an Adler-32 in decimal");
        }
        let bytes = cubin.bytes(index).unwrap_or_default();
        if let Err(error) = PtxText::decode(&bytes) {
            let (found, expected) = (error.kind().to_string(), "a NUL after the last line");
            check.find(RuleId::TextUnreadable, name, error.offset(), found, expected);
        }
    }
}
