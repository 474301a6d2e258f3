//! Inlined calls of `.debug_info` entries, against the `.loc` directives of the same text; and the
//! repair that writes them into `.loc`, against ptxas.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is a failed test")]
#![allow(clippy::print_stderr, reason = "the figures")]

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};
use ptx_syntax::check::{CheckContext, Mode, Verdict, check};
use ptx_syntax::fix::{FixSelection, Repair, fix};
use ptx_syntax::{CallSite, CallSites, InlinedCalls, LocDirective, Module, Statement, parse};
use support::corpus_root;

/// The call sites of an instruction, outermost first: file and line.
type Chain = Vec<(u64, u64)>;

/// The chain of each instruction of a module as its `.loc` directives say it; `None` before the
/// first `.loc` of a body.
fn by_locs(module: &Module<'_>) -> Vec<Option<Chain>> {
    let mut sites = CallSites::of(module);
    let mut locs: Vec<(Chain, (u64, u64))> = Vec::new();
    let mut chains = Vec::new();
    for function in module.functions() {
        sites.begin_function();
        let mut current = None;
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            match statement {
                Statement::Loc(loc) => {
                    let chain = match sites.take(loc) {
                        None => Chain::new(),
                        Some(CallSite::Here(number)) => {
                            let (chain, site) = &locs[number as usize];
                            chain.iter().chain([site]).copied().collect()
                        }
                        Some(other) => panic!("{loc:?}: {other:?}"),
                    };
                    // LLVM leaves `inlined_at` out where it goes back to a line after line 0.
                    let chain = if chain.is_empty() { comment(module, loc).unwrap_or(chain) } else { chain };
                    locs.push((chain.clone(), (loc.file, loc.line)));
                    current = Some(chain);
                }
                Statement::Instruction(_) => chains.push(current.clone()),
                _ => {}
            }
        }
    }
    chains
}

/// The chain that LLVM's comment after a `.loc` tells: `k.cu:4:3 @[ k.cu:9:5 @[ k.cu:20:1 ] ]`.
fn comment(module: &Module<'_>, loc: &LocDirective<'_>) -> Option<Chain> {
    let rest = module.text[loc.range.end as usize..].lines().next()?;
    let (_, sites) = rest.split_once(" @[ ")?;
    let site = |site: &str| {
        let mut parts = site.trim_end_matches([' ', ']']).rsplit(':').skip(1);
        let (line, name) = (parts.next()?.parse().ok()?, parts.next()?);
        Some((module.files().find(|file| file.path.ends_with(name))?.index, line))
    };
    let mut chain: Chain = sites.split(" @[ ").map(|text| site(text).unwrap()).collect();
    chain.reverse();
    Some(chain)
}

/// The same as the entries say it.
fn by_entries(module: &Module<'_>) -> Vec<Option<Chain>> {
    let calls = InlinedCalls::of(module);
    let mut chains = Vec::new();
    for (number, function) in module.functions().enumerate() {
        let statements = function.body.iter().flat_map(|body| &body.statements);
        let (mut has_loc, mut at) = (false, 0);
        for statement in statements {
            has_loc |= matches!(statement, Statement::Loc(_));
            if matches!(statement, Statement::Instruction(_)) {
                let innermost = calls.innermost(number, at);
                let chain = std::iter::successors(innermost, |call| calls.call(*call).unwrap().parent);
                let mut chain: Chain =
                    chain.map(|call| calls.call(call).unwrap()).map(|call| (call.file, call.line)).collect();
                chain.reverse();
                chains.push(has_loc.then_some(chain));
                at += 1;
            }
        }
    }
    chains
}

/// The PTX of the corpus; or of the folder that `NVDWARF_BOTH_FORMS` names.
fn texts() -> impl Iterator<Item = (PathBuf, String)> {
    let other = std::env::var_os("NVDWARF_BOTH_FORMS").map(PathBuf::from);
    let files = other.map_or_else(
        || corpus_root::files("ptx"),
        |folder| {
            let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
            files.filter(|path| path.extension().is_some_and(|extension| extension == "ptx")).collect()
        },
    );
    let read = |path: PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        (path, text)
    };
    files.into_iter().map(read).filter(|(_, text)| text.contains(".debug_info"))
}

#[test]
fn entries_say_what_locs_say() {
    let (mut modules, mut all, mut equal) = (0, 0, 0);
    for (path, text) in texts().filter(|(_, text)| text.contains("inlined_at")) {
        // LLVM writes few entries beside `inlined_at`: what it writes with all may lie beside.
        let full = fs::read_to_string(path.with_extension("full")).unwrap_or_else(|_| text.clone());
        let (parsed, full) = (parse(&text), parse(&full));
        if InlinedCalls::of(&full.module).is_empty() {
            continue;
        }
        let (locs, entries) = (by_locs(&parsed.module), by_entries(&full.module));
        assert_eq!(locs.len(), entries.len());
        let same = locs.iter().zip(&entries).filter(|(loc, entry)| loc == entry).count();
        if std::env::var_os("NVDWARF_BOTH_FORMS").is_some() {
            eprintln!("{same} of {}: {}", locs.len(), path.display());
        }
        (modules, all, equal) = (modules + 1, all + locs.len(), equal + same);
    }
    let share = 10_000 * equal / all;
    eprintln!(
        "{modules} modules with both forms: {equal} of {all} instructions, {}.{:02} %",
        share / 100,
        share % 100
    );
    let least = if std::env::var_os("NVDWARF_BOTH_FORMS").is_some() { 1 } else { corpus_root::at_least(28) };
    assert!(modules >= least && share >= 9800);
}

/// A module without the calls in its `.loc` directives.
fn without_call_sites(text: &str) -> String {
    let mut plain = text.to_owned();
    let parsed = parse(text);
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let locs: Vec<&LocDirective<'_>> = bodies
        .flat_map(|body| &body.statements)
        .filter_map(|statement| match statement {
            Statement::Loc(loc) => Some(loc),
            _ => None,
        })
        .collect();
    for loc in locs.into_iter().rev().filter(|loc| loc.inlined_at.is_some()) {
        let end = loc.inlined_at.as_deref().unwrap().range.end as usize;
        let start = text[..end].rfind(".loc").unwrap();
        let comma = start + text[start..end].find(',').unwrap();
        plain.replace_range(comma..end, "");
    }
    plain
}

/// A module without its sections and `debug`.
fn without_sections(text: &str) -> String {
    let mut plain = text.to_owned();
    let parsed = parse(text);
    let sections: Vec<_> = parsed.module.sections().map(|section| section.range).collect();
    for range in sections.into_iter().rev() {
        plain.replace_range(range.start as usize..range.end as usize, "");
    }
    fix(&plain, &FixSelection::of(&[Repair::RemoveDebug])).text
}

/// The code of a module as ptxas makes it for lines, or its message.
fn code(ptxas: &PathBuf, text: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["in.ptx", "out.cubin"].map(|name| folder.path().join(name));
    fs::write(&input, text).unwrap();
    let parsed = parse(text);
    let arch = parsed.module.target().and_then(|target| target.arch()).unwrap().text;
    let mut command = Command::new(ptxas);
    command.args(["-O3", "-lineinfo", "-arch", arch]).arg(&input).arg("-o").arg(&output);
    let run = command.output().unwrap();
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned());
    }
    let cubin = fs::read(&output).unwrap();
    let elf = ElfFile64::<object::Endianness>::parse(&*cubin).unwrap();
    let sections = elf.sections().filter(|section| section.name().unwrap().starts_with(".text"));
    Ok(sections
        .map(|section| (section.name().unwrap().to_owned(), section.data().unwrap().to_vec()))
        .collect())
}

/// The version of a text that is too new for ptxas 13.0 set back.
fn for_ptxas_13_0(text: &str) -> String {
    let version = text.lines().find(|line| line.starts_with(".version")).unwrap_or_default();
    match version.split_whitespace().nth(1) {
        Some("9.1" | "9.2" | "9.3" | "9.4" | "9.5") => text.replacen(version, ".version 9.0", 1),
        _ => text.to_owned(),
    }
}

#[test]
fn stripped_to_lines_they_stay() {
    let ptxas = support::ptxas();
    let fixes = FixSelection::of(&[Repair::StripToLines]);
    let every = if std::env::var_os("NVDWARF_ALL").is_some() { 1 } else { 5 };
    let (mut modules, mut instructions, mut inlined, mut frames, mut compiled) = (0, 0, 0, 0, 0);
    for (path, text) in texts() {
        let text = fs::read_to_string(path.with_extension("full")).unwrap_or(text);
        let text = for_ptxas_13_0(&without_call_sites(&text));
        let parsed = parse(&text);
        if InlinedCalls::of(&parsed.module).is_empty() {
            continue;
        }
        let name = path.display();
        let expected = by_entries(&parsed.module);
        let stripped = fix(&text, &fixes).text;
        let of_lines = parse(&stripped);
        assert_eq!(of_lines.errors, [], "{name}");
        assert_eq!(by_locs(&of_lines.module), expected, "{name}");
        assert!(fix(&stripped, &fixes).applied.is_empty(), "{name}: a second time");
        let report = check(&of_lines, &CheckContext::default());
        assert_eq!(report.verdict(Mode::Lineinfo), Verdict::Accept, "{name}");
        if let Some(ptxas) = ptxas.as_ref().filter(|_| modules % every == 0)
            && let Ok(before) = code(ptxas, &without_sections(&text))
        {
            compiled += 1;
            assert!(code(ptxas, &stripped).unwrap_or_else(|why| panic!("{name}: {why}")) == before, "{name}");
        }
        let chains = expected.iter().flatten().filter(|chain| !chain.is_empty());
        frames += chains.clone().map(Vec::len).sum::<usize>();
        (modules, instructions, inlined) =
            (modules + 1, instructions + expected.len(), inlined + chains.count());
    }
    eprintln!(
        "{modules} modules with inlined calls in entries: {frames} frames of {inlined} of {instructions} instructions kept; {compiled} compiled"
    );
    let least = if std::env::var_os("NVDWARF_BOTH_FORMS").is_some() { 1 } else { corpus_root::at_least(50) };
    assert!(modules >= least && inlined > 0, "{modules}");
}

/// A kernel at line 10 that calls `f` (line 2) at 12:5; that calls `g` (line 6) at 3:4, which was
/// moved beside the kernel's own line 13.
const KERNEL: &str = ".version 6.3\n.target sm_75, debug\n.address_size 64\n.visible .entry k()\n{\n\
    .reg .b32 %r<4>;\n\t.loc 1 11 1\n\tmov.b32 %r0, 0;\n$a:\n\t.loc 1 3 9 // f\n\tmov.b32 %r1, 1;\n$b:\n\
    \tmov.b32 %r1, 2;\n\t.loc 1 7 2\n\tmov.b32 %r2, 2;\n\t.loc 1 13 1\n\tmov.b32 %r3, 3;\n\
    \t.loc 1 7 8\n\tmov.b32 %r2, 4;\n$c:\n\t.loc 1 4 1\n\tmov.b32 %r1, 5;\n$d:\n\t.loc 1 14 1\n\tret;\n$e:\n}\n\
    .file 1 \"k.cu\"\n";

/// The entries of `KERNEL`.
const ENTRIES: &str = ".section .debug_abbrev\n{\n.b8 1,17,1,0,0\n.b8 2,46,0,3,8,58,11,59,11,32,11,0,0\n\
    .b8 3,46,1,3,8,58,11,59,11,17,1,18,1,0,0\n.b8 4,29,1,49,19,17,1,18,1,88,11,89,11,87,11,0,0\n\
    .b8 5,29,0,49,19,17,1,18,1,88,11,89,11,87,11,0,0,0\n}\n.section .debug_info\n{\n.b32 92\n.b8 2,0\n\
    .b32 .debug_abbrev\n.b8 8\n.b8 1\n.b8 2,102,0,1,2,1\n.b8 2,103,0,1,6,1\n\
    .b8 3,107,0,1,10\n.b64 $a\n.b64 $e\n.b8 4\n.b32 12\n.b64 $a\n.b64 $d\n.b8 1,12,5\n\
    .b8 5\n.b32 18\n.b64 $b\n.b64 $c\n.b8 1,3,4\n.b8 0,0,0\n}\n";

#[test]
fn inlined_calls_become_locs() {
    let text = format!("{KERNEL}{ENTRIES}");
    assert_eq!(parse(&text).errors, []);
    for name in ["strip-to-lines", "strip-nonlinetable-debuginfo"] {
        let repair = ptx_syntax::fix::repair_named(name).unwrap().repair;
        let stripped = fix(&text, &FixSelection::of(&[repair])).text;
        let expected = ".version 7.2\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\
            .reg .b32 %r<4>;\n\t.loc 1 11 1\n\tmov.b32 %r0, 0;\n$a:\n\
            \t.loc\t1 12 5\n\t.loc\t1 3 9, function_name $L__info_string0, inlined_at 1 12 5 // f\n\
            \tmov.b32 %r1, 1;\n$b:\n\tmov.b32 %r1, 2;\n\
            \t.loc\t1 3 4, function_name $L__info_string0, inlined_at 1 12 5\n\
            \t.loc\t1 7 2, function_name $L__info_string1, inlined_at 1 3 4\n\tmov.b32 %r2, 2;\n\
            \t.loc 1 13 1\n\tmov.b32 %r3, 3;\n\
            \t.loc\t1 7 8, function_name $L__info_string1, inlined_at 1 3 4\n\tmov.b32 %r2, 4;\n$c:\n\
            \t.loc\t1 4 1, function_name $L__info_string0, inlined_at 1 12 5\n\tmov.b32 %r1, 5;\n$d:\n\
            \t.loc 1 14 1\n\tret;\n$e:\n}\n.file 1 \"k.cu\"\n\
            \t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 102,0\n$L__info_string1:\n.b8 103,0\n\t}\n";
        assert_eq!(stripped, expected);
    }
    let Some(ptxas) = support::ptxas() else { return };
    let stripped = fix(&text, &FixSelection::of(&[Repair::StripToLines])).text;
    assert!(code(&ptxas, &stripped).unwrap() == code(&ptxas, &without_sections(&text)).unwrap());
}
