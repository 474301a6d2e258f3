//! `docs/releases.md` is made from the tables of releases and architectures; `BLESS=1` writes it.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cuda_releases::release::{DebugInfoBounds, ImnmxLines, NonAscii};
use cuda_releases::{Arch, Release};
use ptx_syntax::check::RULES;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const HEAD: &str = "# Releases of the CUDA toolkit

This page is made from the tables of [`cuda-releases`](../cuda-releases) (`BLESS=1 cargo test -p ptxas-driver --test house
releases_page` writes it). All facts are observed: the ptxas of each release, as PyPI has it, compiled real PTX for its architectures.

A cubin is read by the rules of the tool that wrote it. Files with ABI version 7 have the release in `e_version` (129 for CUDA 12.9);
files with ABI version 8 have a note, `.note.nv.tkinfo`, with the version of the tool. Without both, the release is a guess by the
shape of the file. A release that is newer than those of the table is read by the rules of the newest one.

## What ptxas takes

100[af] stands for sm_100, sm_100a and sm_100f.

";

const CHECK: &str = "
## What `check --release` knows

`check --release` gives the verdict of the ptxas of a release: that of ptxas 13.0.88, but for the versions, architectures and text above
and the facts below. Where ptxas checks no bounds in `.debug_info`, what it does past the end depends on the memory there: the verdict is
not known.

";

const CHECK_RULES: &str = "
For these rules of `check` the ptxas of a release does otherwise, and the verdict on a module that breaks one is mostly not known.
([rules.md](rules.md) has what ptxas 13.0.88 does.)

| rule | | releases |
|---|---|---|
";

const HABITS: &str = "
## What ptxas writes

- *ABI*: `EI_ABIVERSION`, and the first SM that has 8.
- *`sh_link`*: whether relocation sections link to the symbol table. `5` is a wrong index, which readers must not follow.
- *Flag*: whether relocation sections of debug sections have `SHF_INFO_LINK`.
- *Frames*: whether the FDE of a function covers its last instruction.
- *Times*: whether time and size of a source file come from the file system, where `.file` gives none.
- *Lines*: the DWARF version of line tables. Version 3 has `DW_LNS_set_prologue_end` after the row that opens a function.
- *Rows*: which rules of [line-tables.md](formats/line-tables.md#10-other-releases) line tables of sm_90 follow besides those of 13.0: of
  blocks and row numbers before CUDA 12.8 (`blocks`), and those and of the lines of entry rows before 12.2 (`blocks, entries`).
- *Minima*: which code gives its lines to the `IMNMX` of sm_110 besides that which does so in every release
  ([capsule.md](formats/capsule.md#2-mercury-space)).
- *Gaps*: whether files for sm_90 and later have room for names after `.shstrtab`, and section headers at a multiple of 8.

";

const KNOWN: &str = "
## What is known here

`compile` writes debug sections as the ptxas that makes the code would write them, where its rules are known. Where they are not, the
sections of ptxas stay as they are, and a note says so. *With exceptions*: about 1 of 100 line tables does not follow the rules; so
`compile` compares, and leaves the sections of ptxas, with a note, where its own would differ. `verify` compares a capsule with the file where the rules of capsules are
known.

";

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/releases.md");
    let page = page();
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/releases.md is old: BLESS=1 writes it anew");
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page +=
        "| release | ptxas | PTX up to | architectures | text that is not ASCII |\n|---|---|---|---|---|\n";
    for release in Release::all() {
        let (major, minor) = release.newest_ptx();
        let non_ascii = match release.non_ascii() {
            NonAscii::Taken => "taken",
            NonAscii::TakenInComments => "taken in comments, crashes elsewhere",
            NonAscii::Refused => "refused",
            NonAscii::RefusedOutsideComments => "taken in comments, refused elsewhere",
        };
        let (version, archs) = (release.version(), archs(release));
        writeln!(page, "| {release} | {version} | {major}.{minor} | {archs} | {non_ascii} |").unwrap();
    }
    page += CHECK;
    page += "| release | addresses of 32 bits | bounds in `.debug_info` |\n|---|---|---|\n";
    for release in Release::all() {
        let addresses = if release.has_32_bit_addresses() { "before sm_90, without `-g`" } else { "refused" };
        let bounds = match release.debug_info_bounds() {
            DebugInfoBounds::Unchecked => "none",
            DebugInfoBounds::OfValues => "of values",
            DebugInfoBounds::OfUnits => "of values and units; refuses some sound entries",
            DebugInfoBounds::OfUnitsAlone => "of values and units",
        };
        writeln!(page, "| {release} | {addresses} | {bounds} |").unwrap();
    }
    page += CHECK_RULES;
    for rule in &RULES {
        for difference in rule.details.releases {
            writeln!(page, "| {} | {} | {difference} |", rule.code, rule.name).unwrap();
        }
    }
    page += HABITS;
    page += "| release | ABI | `sh_link` | flag | frames | times | lines | rows | minima | gaps |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for release in Release::all() {
        let abi = match [75, 100].map(|sm| release.abi_version(sm)) {
            [7, 8] => "7, from sm_100 on 8".to_owned(),
            [abi, _] => abi.to_string(),
        };
        let link = if release.has_right_symbol_links() { "right" } else { "5" };
        let frames = if release.covers_functions_in_frames() { "whole" } else { "without the last" };
        let [flag, times, gaps] =
            [release.flags_debug_relocations(), release.asks_file_times(), release.leaves_gaps()]
                .map(|is_so| if is_so { "yes" } else { "no" });
        let lines = release.line_version();
        let rows = match (release.carries_lines_into_blocks(), release.has_rows_on_entry_lines()) {
            (true, true) => "blocks, entries",
            (true, false) => "blocks",
            _ => "13.0",
        };
        let minima = match release.imnmx_lines() {
            _ if release.number() < (13, 0) => "-",
            ImnmxLines::OfMatrices => "matrices",
            ImnmxLines::OfNeither => "no other",
            ImnmxLines::OfWaits => "waits",
            ImnmxLines::OfWaitsAndExchanges => "waits, exchanges",
        };
        writeln!(
            page,
            "| {release} | {abi} | {link} | {flag} | {frames} | {times} | {lines} | {rows} | {minima} | {gaps} |"
        )
        .unwrap();
    }
    page += KNOWN;
    page += "| release | debug sections | capsules |\n|---|---|---|\n";
    for release in Release::all() {
        let (sections, capsules) =
            (debug_sections(release), known(release, |sm| sm < 100 || release.knows_capsules_of(sm)));
        let has_capsules = release.archs().any(|arch| arch.number >= 100);
        let capsules = if has_capsules { capsules } else { "none".to_owned() };
        writeln!(page, "| {release} | {sections} | {capsules} |").unwrap();
    }
    page
}

/// The numbers of the architectures, each with its letters.
fn archs(release: Release) -> String {
    let mut words: Vec<String> = Vec::new();
    for arch in release.archs() {
        let word = arch.to_string().replace("sm_", "");
        let letter = word.trim_start_matches(|digit: char| digit.is_ascii_digit()).to_owned();
        match words.last_mut().filter(|last| !letter.is_empty() && last.starts_with(&arch.number.to_string()))
        {
            Some(last) if last.ends_with(']') => last.insert_str(last.len() - 1, &letter),
            Some(last) => last.extend(["[", &letter, "]"]),
            None => words.push(word),
        }
    }
    words.join(", ")
}

/// For which SMs the rules of debug sections are known, and for which some line tables are not
/// explained by them.
fn debug_sections(release: Release) -> String {
    let known = known(release, |sm| release.knows_rules_of(sm));
    let has_exceptions = |arch: Arch| release.line_tables_have_exceptions(arch.number);
    if release.archs().any(has_exceptions) && known == "known" {
        return "known; of sm_90 with exceptions".to_owned();
    }
    known
}

fn known(release: Release, is_known: impl Fn(u32) -> bool) -> String {
    let mut unknown: Vec<u32> = release.archs().map(|arch| arch.number).filter(|sm| !is_known(*sm)).collect();
    unknown.dedup();
    let all = release.archs().all(|arch| !is_known(arch.number));
    match unknown.as_slice() {
        [] => "known".to_owned(),
        _ if all => "not known".to_owned(),
        some => {
            let names: Vec<String> = some.iter().map(|sm| format!("sm_{sm}")).collect();
            format!("known, but for {}", names.join(", "))
        }
    }
}
