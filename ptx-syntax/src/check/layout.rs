//! Checks of the order in which ptxas lays out sections, and of blocks of one name, which it puts
//! on top of each other.

use std::collections::HashMap;

use super::ModuleFacts;
use super::ptxas_transcript::{Level, Modes, Phase};
use super::rules::RuleId;
use super::sections::{Section, Sections};
use super::sink::Sink;
use crate::section_data::FixupTarget;
use crate::section_order::{BlockPlacement, RESERVED, TABLES};
use crate::text_range::TextRange;
use findings::Severity;

/// Blocks that ptxas lays over each other: of one name, of a name that is ptxas' own, or referred
/// to too early. It puts all of the last kind where it has put nothing else.
pub(super) fn overlaps(
    sections: &Sections<'_>,
    places: &[BlockPlacement],
    known: &ModuleFacts,
    sink: &mut Sink<'_>,
) {
    let mut ordered: Vec<(&Section<'_>, BlockPlacement)> =
        sections.list.iter().zip(places.iter().copied()).filter(|(s, _)| !s.name.text.is_empty()).collect();
    ordered.sort_by_key(|(_, place)| place.rank);
    let mut first: HashMap<&str, &Section<'_>> = HashMap::new();
    let mut laid: HashMap<Option<&str>, &Section<'_>> = HashMap::new();
    for &(section, place) in &ordered {
        let (name, bytes) = (section.name, &section.assembled.bytes);
        // The tables of the file come last, and take the place of what was laid there.
        let is_laid = (place.kept || TABLES.contains(&name.text)) && name.text != ".debug_info";
        // In relocatable files the PTX text has another name.
        let is_free = known.relocatable && name.text == ".nv_debug_ptx_txt";
        let is_reserved = RESERVED.contains(&name.text) && !bytes.is_empty() && !is_free;
        let slot = place.early.is_none().then_some(name.text);
        let below = laid.get(&slot).filter(|_| is_laid).copied();
        let differs = below.filter(|below| below.assembled.bytes.iter().zip(bytes).any(|(a, b)| a != b));
        if is_laid && below.is_none_or(|below| below.assembled.bytes.len() < bytes.len()) {
            laid.insert(slot, section);
        }
        let before = first.get(name.text).copied();
        first.entry(name.text).or_insert(section);
        let rule = if is_reserved {
            reserved(section, sink);
            RuleId::SectionReserved
        } else if let Some(before) = before {
            repeated(before, section, place, differs.is_some(), sink);
            RuleId::SectionRepeated
        } else if let Some(at) = place.early {
            early(section, at, differs, sink);
            RuleId::SectionEarly
        } else {
            continue;
        };
        if known.code && (is_reserved || differs.is_some()) {
            let said = format_args!("Internal error: overlapping non-identical data");
            sink.ptxas_message(rule, Phase::Sections, place.rank, Level::Fatal, Modes::G, said);
        }
    }
}

fn reserved(section: &Section<'_>, sink: &mut Sink<'_>) {
    let name = section.name;
    let message = format_args!("ptxas writes {} itself, and fails with -g over this one", name.text);
    sink.error(RuleId::SectionReserved, name.range, message);
}

fn repeated(
    before: &Section<'_>,
    section: &Section<'_>,
    place: BlockPlacement,
    fails: bool,
    sink: &mut Sink<'_>,
) {
    let (rule, name) = (RuleId::SectionRepeated, section.name);
    let what = match name.text {
        ".debug_line" => "ptxas drops both",
        ".debug_info" => "ptxas keeps the last one only",
        _ if place.kept => "ptxas lays one over the other",
        _ => "ptxas keeps the first one only",
    };
    let message = format_args!("section {} has a block already; {what}", name.text);
    if !fails {
        sink.warning(rule, name.range, message);
    } else if let Some(finding) = sink.find(rule, name.range, message) {
        finding.related = Some((before.name.range, "first block here".to_owned()));
    }
}

/// ptxas drops these sections, and cannot resolve what they refer to.
fn early(section: &Section<'_>, at: TextRange, differs: Option<&Section<'_>>, sink: &mut Sink<'_>) {
    let (rule, name) = (RuleId::SectionEarly, section.name.text);
    let refers = section.assembled.fixups.iter().any(|fixup| is_reference(&fixup.target));
    if section.assembled.bytes.is_empty() {
        return;
    }
    let (severity, outcome) = match differs {
        _ if refers => (Severity::Error, format!("crashes over what {name} itself refers to")),
        Some(other) => {
            (Severity::Error, format!("lays it over {}: it fails, for they differ", other.name.text))
        }
        None => (Severity::Warning, "drops that section".to_owned()),
    };
    let message = format_args!("with -g ptxas comes to {name} only later, and {outcome}");
    if let Some(finding) = sink.find_as(severity, rule, at, message) {
        finding.related = Some((section.name.range, "declared here".to_owned()));
        finding.help = Some(format!("write 0, which is what ptxas stores, or put {name} before"));
    }
}

/// Whether ptxas has to resolve it when it lays the section; labels of a difference it knows from
/// the parser.
pub(super) fn is_reference(target: &FixupTarget<'_>) -> bool {
    !matches!(target, FixupTarget::Difference { .. })
}
