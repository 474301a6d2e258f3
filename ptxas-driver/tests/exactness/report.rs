//! Which debug sections `compile` makes byte for byte as ptxas did, over a corpus.
//!
//! Nothing can be copied: what a cubin has from its PTX is overwritten before its code facts are
//! read.

use super::corpus::{Corpus, Entry};
use super::{known, words};
use anyhow::{Context, Result};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::line;
use nv_debug_sections::release::Target;
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::Path;

/// How many of a kind came out the same.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) identical: usize,
    /// The bytes differ, but not what they say once relocated: on sm_90 stale fields hold offsets
    /// in a hidden layout.
    equal_when_relocated: usize,
    pub(crate) total: usize,
}

/// The counts of one span of SMs.
#[derive(Debug, Default)]
pub(crate) struct Family {
    pub(crate) files: Count,
    sections: BTreeMap<String, Count>,
    /// Sequences of the line sections.
    pub(crate) sequences: BTreeMap<String, Count>,
}

/// Stands for a section where only bytes outside the debug sections differ.
pub(crate) const WHOLE_FILE: &str = "whole file";

/// A section that came out otherwise.
#[derive(Debug)]
pub(crate) struct Different {
    entry: String,
    /// Its name; [`WHOLE_FILE`] where all debug sections are the same.
    pub(crate) section: String,
    /// The first difference in words.
    first: String,
    /// Why it differs, where that is known.
    pub(crate) reason: Option<known::Reason>,
}

/// What came of all entries.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) entries: usize,
    pub(crate) families: BTreeMap<&'static str, Family>,
    pub(crate) different: Vec<Different>,
    pub(crate) failed: Vec<Failed>,
}

/// An entry that did not compile.
#[derive(Debug)]
pub(crate) struct Failed {
    entry: String,
    message: String,
    /// Debug sections that ptxas made of it.
    sections: usize,
}

/// Compiles the PTX of a manifest's entries, those whose name has the part `filter`, and compares
/// what comes with their cubins.
///
/// # Errors
///
/// The manifest or a file it names cannot be read, or no entry is wanted.
pub(crate) fn compare(driver: &Path, manifest: &Path, filter: Option<&str>) -> Result<Report> {
    let corpus = Corpus::read(manifest, filter)?;
    let entries = corpus.entries.len();
    let mut report = Report { entries, families: BTreeMap::new(), different: Vec::new(), failed: Vec::new() };
    for entry in &corpus.entries {
        report.entry(driver, entry).with_context(|| entry.name.clone())?;
    }
    Ok(report)
}

/// The span of SMs whose files are made by the same rules, as a column's title.
fn family(target: Target) -> &'static str {
    match target.generation() {
        Generation::PreMercury => "up to sm_89",
        Generation::HiddenMercury => "sm_90",
        Generation::Mercury => "from sm_100",
    }
}

impl Report {
    /// Whether each file is that of ptxas.
    pub(crate) fn is_exact(&self) -> bool {
        self.different.is_empty() && self.failed.is_empty()
    }

    fn entry(&mut self, driver: &Path, entry: &Entry) -> Result<()> {
        let original = entry.original()?;
        let theirs = Cubin::parse(&original)?;
        let made = match entry.compile(driver, &theirs, &original)? {
            Ok(made) => made,
            Err(message) => {
                let sections = debug_sections(&theirs).len();
                self.failed.push(Failed { entry: entry.name.clone(), message, sections });
                return Ok(());
            }
        };
        let family = self.families.entry(family(theirs.target())).or_default();
        family.files.add(made == original, false);
        let mut is_explained = made == original;
        let ours = Cubin::parse(&made).context("our own cubin")?;
        let (our_sections, their_sections) = (debug_sections(&ours), debug_sections(&theirs));
        for (name, &theirs_at) in &their_sections {
            let ours_at = our_sections.get(name).copied();
            let same = ours_at.map(|at| ours.bytes(at)).transpose()? == Some(theirs.bytes(theirs_at)?);
            let relocated = !same
                && has_stale_fields(&theirs, name)
                && ours_at.and_then(|at| relocated(&ours, at)).is_some_and(|bytes| {
                    relocated(&theirs, theirs_at).is_some_and(|original| original == bytes)
                });
            is_explained |= !same;
            family.sections.entry(kind(name)).or_default().add(same, relocated);
            family.sequences(name, (&ours, ours_at), (&theirs, theirs_at));
            if !same && !relocated {
                let first =
                    words::first_difference(driver, (&made, &ours, ours_at), (&original, &theirs, theirs_at));
                let reason = ours_at.and_then(|at| known::reason((&ours, at), (&theirs, theirs_at)));
                let (entry, section) = (entry.name.clone(), name.clone());
                self.different.push(Different { entry, section, first, reason });
            }
        }
        for name in our_sections.keys().filter(|name| !their_sections.contains_key(*name)) {
            is_explained = true;
            let first = "ptxas has no such section".to_owned();
            let (entry, section) = (entry.name.clone(), name.clone());
            self.different.push(Different { entry, section, first, reason: None });
        }
        if !is_explained {
            let first = words::first_byte(&made, &original);
            let (entry, section) = (entry.name.clone(), WHOLE_FILE.to_owned());
            self.different.push(Different { entry, section, first, reason: None });
        }
        Ok(())
    }

    /// The report as text with at most `limit` differences, 0 for all.
    pub(crate) fn text(&self, limit: usize) -> Result<String> {
        let mut text = String::new();
        self.write(&mut text, limit)?;
        Ok(text)
    }

    fn write(&self, out: &mut dyn Write, limit: usize) -> fmt::Result {
        writeln!(out, "{} entries; identical of all, in parentheses equal once relocated\n", self.entries)?;
        let families: Vec<&str> = self.families.keys().copied().collect();
        writeln!(
            out,
            "{:36}{}",
            "",
            families.iter().map(|family| format!("{family:>20}")).collect::<Vec<_>>().concat()
        )?;
        let row = |out: &mut dyn Write, title: &str, of: &dyn Fn(&Family) -> Count| {
            let cells = self.families.values().map(|family| format!("{:>20}", of(family).to_string()));
            writeln!(out, "{title:36}{}", cells.collect::<Vec<_>>().concat())
        };
        let mut names: Vec<&String> =
            self.families.values().flat_map(|family| family.sections.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            row(out, name, &|family| family.sections.get(name).copied().unwrap_or_default())?;
            if self.families.values().any(|family| family.sequences.contains_key(name)) {
                row(out, "  sequences", &|family| family.sequences.get(name).copied().unwrap_or_default())?;
            }
        }
        row(out, "whole files", &|family| family.files)?;
        let shown = if limit == 0 { usize::MAX } else { limit };
        // What has no known reason comes first.
        let mut different: Vec<&Different> = self.different.iter().collect();
        different.sort_by_key(|one| one.reason.is_some());
        for Different { entry, section, first, reason } in different.into_iter().take(shown) {
            writeln!(out, "\n{entry} {section}\n  {first}")?;
            if let Some(reason) = reason {
                writeln!(out, "  known: {reason}")?;
            }
        }
        if self.different.len() > shown {
            writeln!(out, "\n... and {} more", self.different.len() - shown)?;
        }
        for Failed { entry, message, .. } in &self.failed {
            writeln!(out, "\n{entry} does not compile\n  {}", message.trim())?;
        }
        writeln!(out, "\n{}", self.summary())
    }

    /// How many debug sections came out the same, those of entries that did not compile included.
    fn summary(&self) -> String {
        let counts = || self.families.values().flat_map(|family| family.sections.values());
        let failed: usize = self.failed.iter().map(|failed| failed.sections).sum();
        let total = counts().map(|count| count.total).sum::<usize>() + failed;
        let same: usize = counts().map(|count| count.identical + count.equal_when_relocated).sum();
        let sections = self.different.iter().filter(|one| one.section != WHOLE_FILE);
        let (known, other): (Vec<_>, Vec<_>) = sections.partition(|one| one.reason.is_some());
        let rated = total - known.len().min(total);
        // Rounded down: 100.000 % only where all are the same.
        let share = (same * 100_000).checked_div(rated).unwrap_or(100_000);
        let percent = format!("{}.{:03}", share / 1000, share % 1000);
        format!(
            "debug sections: {total}, as from ptxas {same}, with a known difference {}, other {} ({percent} % of those without a known difference)",
            known.len(),
            other.len() + failed
        )
    }
}

impl Count {
    fn add(&mut self, identical: bool, relocated: bool) {
        self.total += 1;
        self.identical += usize::from(identical);
        self.equal_when_relocated += usize::from(relocated);
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self { total: 0, .. } => "-".to_owned(),
            Self { identical, equal_when_relocated: 0, total } => format!("{identical} of {total}"),
            Self { identical, equal_when_relocated, total } => {
                format!("{identical} (+{equal_when_relocated}) of {total}")
            }
        };
        f.pad(&text)
    }
}

impl Family {
    /// Counts the sequences of a line section, which stand for one function each.
    fn sequences(
        &mut self,
        name: &str,
        (ours, ours_at): (&Cubin<'_>, Option<SectionIndex>),
        (theirs, theirs_at): (&Cubin<'_>, SectionIndex),
    ) {
        let parsed = SectionName::parse(name);
        let is_line = matches!(parsed.kind(), Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass));
        if !is_line || parsed.form.is_some() {
            return;
        }
        let read = |cubin: &Cubin<'_>, at: SectionIndex| {
            let bytes = cubin.bytes(at).ok()?.into_owned();
            let tables = line::decode(name, &bytes).ok()?;
            let sequences = tables.into_iter().flat_map(|table| table.sequences);
            Some(sequences.map(|sequence| (sequence.ops, sequence.end)).collect::<Vec<_>>())
        };
        let ours = ours_at.and_then(|at| read(ours, at)).unwrap_or_default();
        let theirs = read(theirs, theirs_at).unwrap_or_default();
        let count = self.sequences.entry(kind(name)).or_default();
        for (index, sequence) in theirs.iter().enumerate() {
            count.add(ours.get(index) == Some(sequence), false);
        }
    }
}

/// Debug sections, their clones and their relocations by name.
fn debug_sections(cubin: &Cubin<'_>) -> BTreeMap<String, SectionIndex> {
    let debug = cubin.iter().filter(|(_, name, _)| SectionName::parse(name).is_debug());
    debug.map(|(index, name, _)| (name.to_owned(), index)).collect()
}

/// The name without the number of a PTX text.
fn kind(name: &str) -> String {
    let mut name = SectionName::parse(name);
    name.base = name.kind().map_or(name.base, |kind| kind.name().into());
    name.to_string()
}

/// Whether fields of this section hold what no cubin shows: offsets in the hidden Mercury code of
/// sm_90 (docs/formats/relocations.md, fields).
fn has_stale_fields(cubin: &Cubin<'_>, name: &str) -> bool {
    let name = SectionName::parse(name);
    let of_code = matches!(name.kind(), Some(SectionKind::DebugInfo | SectionKind::DebugLoc));
    cubin.target().generation() == Generation::HiddenMercury && of_code && name.form.is_none()
}

/// Bytes of a section with its relocations applied; `None` if one cannot be.
fn relocated(cubin: &Cubin<'_>, at: SectionIndex) -> Option<Vec<u8>> {
    Some(RelocatedCubin::new(cubin).section(at).ok()?.bytes.into_owned())
}
