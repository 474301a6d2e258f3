//! `sections` as text.

use super::OfFile;
use crate::commands::read::{NO_DEBUG_SECTIONS, printable};
use crate::text_table::{Column, Row, write_table};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::level::OutputKind;
use nv_debug_sections::level::report::{
    ExpectedList, ExpectedSection, Report, RulesModel, Section, SectionIdentity,
};
use std::io::{self, Write};

type Out<'o> = &'o mut dyn Write;

pub(super) fn expectation(out: Out<'_>, expectation: &ExpectedList, options: &str) -> io::Result<()> {
    let model = match expectation.model {
        RulesModel::Observed => format!("as ptxas and nvlink {} write it", expectation.release.version()),
        RulesModel::Documented => "as documented".to_owned(),
    };
    let what = match expectation.output {
        OutputKind::Linked => "linked file".to_owned(),
        output => format!("{} file", output.as_str()),
    };
    writeln!(out, "sm_{}, {what}, {options}: level {}, {model}", expectation.sm, expectation.level.name())?;
    let rows = expectation.sections.iter().map(|ExpectedSection { name, condition, .. }| -> Row<'_, 4> {
        let condition = condition.as_ref().map_or(String::new(), |condition| format!("if {condition}"));
        [(&*name.name).into(), name.written_by.into(), content(name).into(), condition.into()]
    });
    let columns = ["Name", "Written by", "Content", "Condition"].map(Column::Left);
    write_table(out, columns, &rows.collect::<Vec<_>>())?;
    let depend = expectation.sections.iter().filter(|section| section.condition.is_some()).count();
    let total = expectation.sections.len();
    match (total, depend) {
        (0, _) => writeln!(out, "no debug section")?,
        (_, 0) => writeln!(out, "{}", counted(total, "section"))?,
        _ => writeln!(out, "{}, {} of them on a condition", counted(total, "section"), depend)?,
    }
    if let Some(counts) = expectation.inventory {
        writeln!(
            out,
            "the documented inventory counts {}: {} of standard DWARF, {} of NVIDIA's, {} of Mercury",
            counts.total, counts.stated.standard, counts.stated.extensions, counts.stated.mercury
        )?;
    }
    Ok(())
}

pub(super) fn file(out: Out<'_>, document: &OfFile<'_>) -> io::Result<()> {
    let OfFile { name, origin, origin_text, type_words, has_code, debug_file, report: file, .. } = document;
    let (arch, abi, writer) = (&origin.arch, origin.abi_version, printable(origin_text));
    let of = if file.side_file { "side file of a cubin" } else { "cubin" };
    let debug_file =
        debug_file.map_or(String::new(), |name| format!(", debug sections in {}", printable(name)));
    writeln!(out, "{}: {of} for {arch}, {type_words}, ABI {abi}, {writer}{debug_file}", printable(name))?;
    let because = match (file.level_shown_by, file.level_asked) {
        (Some(section), _) => format!(", as {} shows", printable(section)),
        (None, true) => ", as asked".to_owned(),
        (None, false) => String::new(),
    };
    let documented = if file.model == RulesModel::Documented { ", documented model" } else { "" };
    let stripped = match (file.stripped, file.sections.is_empty()) {
        (false, true) if !file.level_asked => Some(NO_DEBUG_SECTIONS.to_owned()),
        (false, _) => None,
        (true, false) => Some("stripped of the rest".to_owned()),
        (true, true) => Some("stripped of all debug sections".to_owned()),
    };
    let is_bare = file.sections.is_empty() && !file.level_asked;
    let level = (!is_bare).then(|| format!("level {}{because}", file.level.name()));
    let unoptimised = file.unoptimised.as_ref().filter(|_| !is_bare).map(ToString::to_string);
    let level = level.into_iter().chain(unoptimised).chain(stripped).collect::<Vec<_>>().join(", ");
    let no_code = if *has_code { "" } else { ", no code" };
    writeln!(out, "{} file, {level}{documented}{no_code}", file.output.as_str())?;
    if !file.sections.is_empty() {
        table(out, file)?;
    }
    let aliases = file.sections.iter().filter(|section| section.same_bytes_as.is_some()).count();
    let shared =
        if aliases == 0 { String::new() } else { format!(", {aliases} of them with bytes of others") };
    // A sum of nothing is -0.
    let share =
        percent(file.sections.iter().map(|section| section.share).fold(0.0, |sum, share| sum + share));
    writeln!(
        out,
        "{}{shared}: {} of {} bytes, {share}",
        counted(file.sections.len(), "debug section"),
        file.debug_bytes,
        file.file_bytes
    )?;
    if let Some(bytes) = file.ptx_text_bytes {
        writeln!(
            out,
            "{bytes} bytes of PTX text: who has the file can read the code; `strip --keep all-without-ptx` takes it out, \
             `compile --embed-ptx no` leaves it out"
        )?;
    }
    for missing in &file.missing {
        writeln!(out, "missing: {} ({})", printable(&missing.name), printable(&missing.why))?;
    }
    for extra in &file.extra {
        writeln!(out, "extra: {} ({})", printable(&extra.section.name), printable(&extra.why))?;
    }
    for odd in &file.odd {
        writeln!(out, "odd: {} ({})", printable(&odd.section.name), printable(&odd.what))?;
    }
    if file.is_clean() {
        writeln!(out, "nothing missing, extra or odd")?;
    }
    Ok(())
}

fn table(out: Out<'_>, file: &Report<'_>) -> io::Result<()> {
    let columns = [
        Column::Right("Index"),
        Column::Left("Name"),
        Column::Right("Size"),
        Column::Right("Share"),
        Column::Right("Align"),
        Column::Left("Written by"),
        Column::Left("Relocations, or whose bytes"),
    ];
    let rows = file.sections.iter().map(|section| -> Row<'_, 7> {
        let share = if section.file_bytes == 0 { "-".to_owned() } else { percent(section.share) };
        [
            section.index.to_string().into(),
            (&*section.name.name).into(),
            section.size.to_string().into(),
            share.into(),
            section.align.to_string().into(),
            written_by(&section.name).into(),
            remark(section).into(),
        ]
    });
    write_table(out, columns, &rows.collect::<Vec<_>>())
}

fn remark(section: &Section) -> String {
    let own = section.relocations.iter().map(|own| format!("{} in {}", own.count, own.section.name));
    let bytes = section.same_bytes_as.iter().map(|place| format!("= {}", place.name));
    own.chain(bytes).collect::<Vec<_>>().join(", ")
}

fn written_by(name: &SectionIdentity) -> String {
    match name.linked {
        Some(linked) => format!("{}, {linked}", name.written_by),
        None => name.written_by.to_owned(),
    }
}

fn content(name: &SectionIdentity) -> String {
    let copy = if name.space == Space::Mercury { "Mercury copy: " } else { "" };
    format!("{copy}{}", name.content.unwrap_or_default())
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
