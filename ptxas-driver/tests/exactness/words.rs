//! The first difference of a section, in words.

use crate::support::driver;
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// The first thing that our section says otherwise than theirs.
pub(crate) fn first_difference(
    driver: &Path,
    (made, ours, ours_at): (&[u8], &Cubin<'_>, Option<SectionIndex>),
    (original, theirs, theirs_at): (&[u8], &Cubin<'_>, SectionIndex),
) -> String {
    let Some(ours_at) = ours_at else { return "ours has no such section".to_owned() };
    let (our_words, their_words) =
        (words(driver, made, ours, ours_at), words(driver, original, theirs, theirs_at));
    let first = our_words.iter().zip(&their_words).position(|(a, b)| a != b);
    let first = first.unwrap_or(our_words.len().min(their_words.len()));
    let line = |words: &[String]| {
        words.get(first).map_or_else(|| "nothing more".to_owned(), |line| line.trim().to_owned())
    };
    if first < our_words.len().max(their_words.len()) {
        return format!("line {}: ours `{}`, ptxas' `{}`", first + 1, line(&our_words), line(&their_words));
    }
    let (a, b) = (ours.bytes(ours_at).unwrap_or_default(), theirs.bytes(theirs_at).unwrap_or_default());
    format!("{}, and means the same", first_byte(&a, &b))
}

/// Where bytes differ first.
pub(crate) fn first_byte(a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    format!("byte {at:#x} is other")
}

/// A section of a file as `dump` shows it, without the line that has its size; of relocations one
/// line each.
fn words(driver: &Path, file: &[u8], cubin: &Cubin<'_>, index: SectionIndex) -> Vec<String> {
    let Ok(section) = cubin.section(index) else { return Vec::new() };
    if let Some(relocations) = section.relocations() {
        let table = SectionIndex(section.link);
        let word = |relocation: &Relocation| {
            let symbol = cubin.symbol_name_in(table, relocation.symbol);
            let addend = relocation.addend.map_or(String::new(), |addend| format!("{addend:+#x}"));
            format!("{:#x}: type {:#x} {symbol}{addend}", relocation.offset, relocation.r_type)
        };
        return relocations.iter().map(word).collect();
    }
    let mut copy = tempfile::NamedTempFile::new().unwrap();
    copy.write_all(file).unwrap();
    let mut dump = Command::new(driver);
    let dump =
        dump.arg("dump").arg(copy.path()).args(["--section", cubin.section_name(index)]).output().unwrap();
    driver::text(&dump.stdout).lines().skip(1).map(|line| without_offset(line).to_owned()).collect()
}

/// A line of `dump` without the offset of its item: items may be the same at other places.
fn without_offset(line: &str) -> &str {
    let rest = line.trim_start().strip_prefix("0x").and_then(|rest| rest.split_once(' '));
    rest.map_or(line, |(_, rest)| rest)
}
