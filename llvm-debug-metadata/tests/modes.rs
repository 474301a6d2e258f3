//! What `modes` says of modules is what libNVVM, cicc and ptxas 13.0.88 did with them.
//!
//! `tests/data/modes/measured.txt` holds what they did. One test compares `modes` with that file,
//! everywhere; one asks the tools again where they are. `BLESS=1` writes the file anew.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

#[path = "support/libnvvm.rs"]
mod libnvvm;
mod modes_oracle;

use llvm_debug_metadata::Module;
use llvm_debug_metadata::modes::{
    COMPILER_OPTIONS, DebugTables, EmissionKind, KINDS, ModuleModes, PtxContents, PtxasRun,
};
use llvm_debug_metadata::strip::{Declares, StripPass, strip};
use std::collections::HashMap;
use std::fmt::Write as _;

/// What the tools did with each module of [`cases`], and cicc with its options.
const MEASURED: &str = include_str!("data/modes/measured.txt");

/// The two dialects with the kernels `k`, into which a function is inlined, and `g`.
const TYPED: &str = include_str!("data/modes/typed.ll");
const MODERN: &str = include_str!("data/modes/modern.ll");

/// A module that the tools are asked about.
#[derive(Debug)]
struct Case {
    name: String,
    text: String,
    is_modern: bool,
    /// Whether libNVVM is asked with each of its options.
    has_options: bool,
}

/// All modules: each emission kind alone, each pair of kinds, and what else decides.
fn cases() -> Vec<Case> {
    let dialects = [("typed", TYPED, false), ("modern", MODERN, true)];
    dialects.into_iter().flat_map(|(name, text, is_modern)| cases_of(name, text, is_modern)).collect()
}

fn cases_of(dialect: &str, template: &str, is_modern: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, text: String, has_options: bool| {
        cases.push(Case { name: format!("{dialect}: {name}"), text, is_modern, has_options });
    };
    // In both kernels, of one unit.
    let alone = template.replace("unit: !14", "unit: !0");
    let alone = without_line(&alone, "!14 = ");
    let single = |kind: &str| alone.replace("KIND_OF_K", kind);
    let module = single("FullDebug");
    let stripped = strip(&Module::parse(&module), StripPass::All, Declares::AsLlvm).unwrap().text;
    add("no unit", stripped.into_owned(), true);
    add("no emission kind", alone.replace(", emissionKind: KIND_OF_K", ""), true);
    for row in &KINDS {
        add(row.name, single(row.name), true);
        add(&format!("{}, no subprograms", row.name), without_locations(&single(row.name)), false);
        let dropped = single(row.name).replace("Version\", i32 3", "Version\", i32 4");
        add(&format!("{}, debug info version 4", row.name), dropped, false);
        let dropped = single(row.name).replace("!llvm.module.flags = !{!1}\n", "");
        add(&format!("{}, no debug info version", row.name), dropped, false);
        let not_inlined = single(row.name).replace("scope: !7, inlinedAt: !9", "scope: !6");
        // libNVVM dies of variables in a unit with LineTablesOnly where nothing is inlined.
        let not_inlined = without_line(&without_line(&not_inlined, "#dbg_value"), "call void @llvm.dbg");
        add(&format!("{}, nothing inlined", row.name), not_inlined, false);
    }
    let listed = template.replace("dbg.cu = !{!0}", "dbg.cu = !{!0, !14}");
    for k in &KINDS {
        for g in &KINDS {
            let pair = listed.replace("KIND_OF_K", k.name).replace("KIND_OF_G", g.name);
            add(&format!("k {}, g {}", k.name, g.name), pair.clone(), false);
            if k.kind != g.kind {
                let name = format!("k {}, g {} without a subprogram", k.name, g.name);
                add(&name, pair.replace("i32 %a) !dbg !15", "i32 %a)").replace(", !dbg !16", ""), false);
            }
            if is_modern && k.kind == EmissionKind::FullDebug {
                let name = format!("k {}, g {}, k without names table", k.name, g.name);
                let kind = "emissionKind: FullDebug, nameTableKind: None)";
                add(&name, pair.replacen("emissionKind: FullDebug)", kind, 1), false);
            }
        }
    }
    cases
}

fn without_line(text: &str, part: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(part)).collect()
}

/// A module whose functions have no subprograms, and whose instructions have no locations.
fn without_locations(text: &str) -> String {
    let text = without_line(&without_line(text, "#dbg_value"), "call void @llvm.dbg");
    let cut = |line: &str| match (line.find(" !dbg"), line.ends_with('{')) {
        (Some(at), true) => format!("{} {{\n", &line[..at]),
        (Some(at), false) => format!("{}\n", line[..at].trim_end_matches(',')),
        _ => format!("{line}\n"),
    };
    text.lines().map(cut).collect()
}

/// The contents of a PTX in words.
fn ptx_line(ptx: PtxContents) -> String {
    let PtxContents { target_debug, loc, inlined_at, dwarf_sections, public_names_sections, .. } = ptx;
    let has = [(target_debug, "debug"), (loc, "loc"), (inlined_at, "inlined_at"), (dwarf_sections, "dwarf")];
    let words: Vec<&str> = has.into_iter().filter(|(has, _)| *has).map(|(_, word)| word).collect();
    format!("  PTX: {}; pubnames {public_names_sections}\n", words.join(" "))
}

/// What ptxas did, a line for each result with the options that lead to it.
fn ptxas_lines(runs: &[PtxasRun]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for run in runs {
        let tables = run.tables.map_or("no cubin", DebugTables::name);
        let result = [&[tables][..], &run.messages].concat().join("; ");
        let level = run.level.map(|level| format!("-O{level}")).unwrap_or_default();
        let options = format!("[{}]", [run.options, &level].join(" ").trim());
        match groups.iter_mut().find(|(of, _)| *of == result) {
            Some((_, all)) => all.push(options),
            None => groups.push((result, vec![options])),
        }
    }
    groups.into_iter().fold(String::new(), |mut text, (result, options)| {
        writeln!(text, "  ptxas: {result}: {}", options.join(" ")).unwrap();
        text
    })
}

/// A line for an option of cicc, with what its PTX has.
fn cicc_line(architecture: &str, options: &str, ptx: PtxContents) -> String {
    format!("cicc {architecture} [{options}]\n{}", ptx_line(ptx))
}

/// The answers that were written so far: an equal one refers to the first.
#[derive(Default)]
struct Blocks(HashMap<String, String>);

impl Blocks {
    fn block(&mut self, name: &str, answer: String) -> String {
        if let Some(first) = self.0.get(&answer) {
            return format!("{name}\n  as {first}\n");
        }
        let block = format!("{name}\n{answer}");
        self.0.insert(answer, name.to_owned());
        block
    }
}

/// What `modes` says of all cases.
fn said() -> String {
    let (mut text, mut blocks) = (String::new(), Blocks::default());
    for case in cases() {
        let modes = ModuleModes::read(&Module::parse(&case.text)).unwrap();
        let runs =
            if case.is_modern { &modes.ptxas_from_compute_100 } else { &modes.ptxas_below_compute_100 };
        let names = if case.is_modern { modes.ptx.public_names_sections } else { 0 };
        let ptx = PtxContents { public_names_sections: names, ..modes.ptx };
        text += &blocks.block(&case.name, format!("{}{}", ptx_line(ptx), ptxas_lines(runs)));
    }
    for architecture in ["compute_90", "compute_100"] {
        for option in &COMPILER_OPTIONS {
            let row = option.measured.row();
            let module = MODERN.replace("unit: !14", "unit: !0").replace("KIND_OF_K", row.name);
            let modes = ModuleModes::read(&Module::parse(&module)).unwrap();
            let names = modes.ptx.public_names_sections;
            let names = if architecture == "compute_100" { names } else { 0 };
            let ptx = PtxContents { public_names_sections: names, ..modes.ptx };
            text += &cicc_line(architecture, option.options, ptx);
        }
    }
    text
}

#[test]
fn modes_say_what_was_measured() {
    assert_same("modes", &said(), MEASURED);
}

/// Fails with the first lines that differ.
fn assert_same(what: &str, found: &str, expected: &str) {
    let mut name = "";
    let mut lines = expected.lines();
    for line in found.lines() {
        if !line.starts_with(' ') {
            name = line;
        }
        let expected = lines.next().unwrap_or("nothing");
        assert_eq!(line, expected, "{what}, of {name}");
    }
    assert_eq!(lines.next(), None, "{what} has too few lines");
}
