//! `../shared`: what is said to be repaired is, keeps its meaning, and is assembled by the real
//! tool.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};
use ptx_syntax::check::{CheckContext, Mode, Verdict, check};
use ptx_syntax::fix::{FixSelection, REPAIRS, Repair, fix};
use ptx_syntax::section_data::{self, Fixup, FixupTarget};
use ptx_syntax::{Parsed, Statement, parse};

use crate::fixed;
use crate::support::{corpus_root, ptxas, shared};

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Name and text of each bug's module and of each case.
pub(crate) fn modules() -> Vec<(String, String)> {
    let (Some(bugs), Some(cases)) = (shared("bugs"), shared("cases")) else { return Vec::new() };
    let bugs = fs::read_dir(bugs).unwrap().map(|entry| entry.unwrap().path().join("input.ptx"));
    let cases = fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        bugs.chain(cases).filter(|path| path.is_file() && path.extension().unwrap() == "ptx").collect();
    paths.sort();
    let name = |path: &Path| {
        let name = if path.ends_with("input.ptx") { path.parent().unwrap() } else { path };
        name.file_name().unwrap().to_string_lossy().into_owned()
    };
    paths.iter().map(|path| (name(path), read(path))).collect()
}

fn accepts(text: &str, mode: Mode) -> bool {
    check(&parse(text), &CheckContext::default()).verdict(mode) == Verdict::Accept
}

/// Inputs of field reports that have a repair.
const REPAIRED_BUGS: [&str; 6] = ["01-", "03-", "07-", "09-", "11-", "19-"];

#[test]
fn bugs_and_cases() {
    let modules = modules();
    if modules.is_empty() {
        return;
    }
    let mut repaired = Vec::new();
    for (name, text) in &modules {
        let after = fixed(text, &FixSelection::default());
        for mode in [Mode::None, Mode::Lineinfo, Mode::G] {
            assert!(!accepts(text, mode) || accepts(&after, mode), "{name} {mode:?}");
        }
        for info in &REPAIRS {
            fixed(text, &FixSelection::of(&[info.repair]));
        }
        if !accepts(text, Mode::G) && accepts(&after, Mode::G) {
            repaired.push((name, text, after));
        }
    }
    eprintln!("{} modules, {} repaired", modules.len(), repaired.len());
    for bug in REPAIRED_BUGS {
        assert!(repaired.iter().any(|(name, ..)| name.starts_with(bug)), "{bug}");
    }
    let Some(ptxas) = ptxas() else { return };
    for (name, before, after) in &repaired {
        assert!(assemble(&ptxas, before, &["-g"]).is_err(), "{name}");
        for options in [&["-g"], &["-lineinfo"]] {
            assert_eq!(assemble(&ptxas, after, options).err(), None, "{name} {options:?}");
        }
    }
}

/// Bytes of all sections, one after the other; none where something is still open that a repair
/// may close.
fn bytes(parsed: &Parsed<'_>) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for block in parsed.module.sections() {
        let assembled = section_data::assemble(block);
        let open = |fixup: &Fixup<'_>| matches!(fixup.target, FixupTarget::Difference { .. });
        if assembled.fixups.iter().any(open) {
            return None;
        }
        all.extend(assembled.bytes);
    }
    Some(all)
}

#[test]
fn data_keep_their_bytes() {
    let (mut changed, repairs) = (0, FixSelection::of(&[Repair::FoldDifferences, Repair::RewriteNegatives]));
    for (name, text) in modules().into_iter().chain(corpus()) {
        // An old version, so that there is something to do.
        let parsed = parse(&text);
        let Some(version) = parsed.module.version().map(|version| version.range) else { continue };
        let text =
            format!("{}.version 7.0{}", &text[..version.start as usize], &text[version.end as usize..]);
        let after = fixed(&text, &repairs);
        changed += usize::from(after != text);
        let (before, after) = (bytes(&parse(&text)), bytes(&parse(&after)));
        assert!(before.is_none() || before == after, "{name}");
    }
    eprintln!("{changed} modules with differences or negative numbers");
}

/// What ptxas makes of the repaired values is what the values mean.
#[test]
fn data_in_the_cubin() {
    let Some(ptxas) = ptxas() else { return };
    let info = |uses: &str| {
        let abbrev = ".section .debug_abbrev { .b8 1,17,0,3,14,3,14,0,0,0 }";
        format!(
            "{abbrev}\n.section .debug_info\n{{\n.b32 16\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8,1\n{uses}\n}}\n.section .debug_str {{ .b8 66,0\nn: .b8 65,0 }}\n"
        )
    };
    let head = ".version 7.0\n.target sm_80, debug\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
    let x = |values: &str| format!(".section .debug_x\n{{\n{values}\n}}\n");
    for (data, section_name, expected) in [
        (
            x("a: .b8 -1, 2\nb: .b64 a-b\n.b32 b-a"),
            ".debug_x",
            [&[255, 2, 254][..], &[255; 7], &[2, 0, 0, 0]].concat(),
        ),
        (x(".b64 1, -2"), ".debug_x", [&[1, 0, 0, 0, 0, 0, 0, 0, 254][..], &[255; 7]].concat()),
        (x(".b64 0x0102030405060708, 9"), ".debug_x", vec![8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 0, 0, 0, 0]),
        (
            info(".b32 n\n.b32 n"),
            ".debug_info",
            vec![16, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 1, 2, 0, 0, 0, 2, 0, 0, 0],
        ),
    ] {
        let after = fixed(&format!("{head}{data}"), &FixSelection::default());
        let cubin = assemble(&ptxas, &after, &["-g"]).unwrap();
        assert_eq!(section(&cubin, section_name), Some(expected), "{after}");
    }
}

/// The path that each number of each `.loc` names.
fn paths(text: &str) -> Vec<[Option<String>; 2]> {
    let parsed = parse(text);
    let files: HashMap<u64, &str> = parsed.module.files().map(|file| (file.index, file.path)).collect();
    let path = |index: u64| files.get(&index).map(|&path| path.to_owned());
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let locs = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Loc(loc) => Some([path(loc.file), loc.inlined_at.as_ref().and_then(|at| path(at.file))]),
        _ => None,
    });
    locs.collect()
}

/// File indices of the corpus made worse, then repaired.
#[test]
fn locs_keep_their_files() {
    let repairs = FixSelection::of(&[Repair::MergeFiles, Repair::RenumberFiles]);
    let (mut gaps, mut pairs) = (0, 0);
    let mut modules = corpus();
    modules.retain(|(_, text)| text.contains(".file") && text.len() < 100_000);
    for (path, text) in &modules {
        // 1 becomes 101, and so on; some beyond what ptxas stores.
        let far = if text.len() % 2 == 0 { "10" } else { "7000" };
        let mut spread = text.clone();
        for word in [".loc\t", ".loc ", "inlined_at ", ".file\t", ".file "] {
            spread = spread.replace(word, &format!("{word}{far}"));
        }
        let after = fixed(&spread, &repairs);
        gaps += usize::from(after != spread);
        assert_eq!(paths(&after), paths(&spread), "{path}");
    }
    // Each `.loc` names the file of its own part; compilers declare files after the code.
    let is_after = |text: &str| {
        let parsed = parse(text);
        let first_file = parsed.module.files().next().map(|file| file.range.start);
        let first_code =
            parsed.module.functions().find(|function| function.body.is_some()).map(|code| code.range.start);
        first_file > first_code
    };
    for pair in modules.chunks_exact(2) {
        let [(path, first), (_, second)] = pair else { continue };
        if is_after(first) && is_after(second) {
            pairs += 1;
            let head = ".address_size 64";
            let body = second.split_once(head).map_or("", |(_, body)| body);
            let pasted = fixed(&format!("{first}\n{body}"), &repairs);
            let expected: Vec<_> = paths(first).into_iter().chain(paths(second)).collect();
            assert_eq!(paths(&pasted), expected, "{path}");
        }
    }
    eprintln!("{gaps} modules with gaps, {pairs} pairs");
}

/// The cubin, or what ptxas said.
pub(crate) fn assemble(ptxas: &Path, text: &str, options: &[&str]) -> Result<Vec<u8>, String> {
    assemble_beside(ptxas, text, options, "")
}

/// The same in a folder that holds a source file.
fn assemble_beside(ptxas: &Path, text: &str, options: &[&str], source: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    if !source.is_empty() {
        fs::write(folder.path().join(source), "x").unwrap();
    }
    let (input, output) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
    fs::write(&input, text).unwrap();
    let parsed = parse(text);
    let arch = parsed.module.target().and_then(|target| target.arch()).map_or("sm_90", |name| name.text);
    let old = arch
        .trim_start_matches("sm_")
        .trim_end_matches(['a', 'f'])
        .parse()
        .is_ok_and(|number: u32| number < 75);
    let arch = format!("-arch={}", if old { "sm_75" } else { arch });
    let run = Command::new(ptxas)
        .arg(arch)
        .args(options)
        .arg("-o")
        .args([&output, &input])
        .current_dir(folder.path())
        .output();
    let run = run.unwrap();
    if run.status.success() {
        Ok(fs::read(output).unwrap())
    } else {
        Err(String::from_utf8_lossy(&run.stderr).into_owned())
    }
}

/// PTX of the corpus whose assembling takes no time, for architectures that ptxas reads as they
/// are.
fn corpus() -> Vec<(String, String)> {
    let files = corpus_root::files("ptx").into_iter();
    files.map(|path| (path.display().to_string(), read(&path))).collect()
}

fn section(cubin: &[u8], name: &str) -> Option<Vec<u8>> {
    let elf = ElfFile64::<object::Endianness>::parse(cubin).unwrap();
    Some(elf.section_by_name(name)?.data().unwrap().to_vec())
}

/// One module of the corpus in `step`, of at most 100 KB.
fn some(step: usize, wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let found = corpus().into_iter().filter(|(_, text)| text.len() < 100_000 && wanted(text));
    found.step_by(step).collect()
}

#[test]
fn redundant_locs_give_no_rows() {
    let Some(ptxas) = ptxas() else { return };
    let repair = FixSelection::of(&[Repair::DropRedundantLocs]);
    let modules = some(10, |text| fix(text, &repair).text != text); // all 269 were tried once
    eprintln!("{} modules with redundant .loc", modules.len());
    for (path, text) in modules {
        let rows =
            |text: &str| assemble(&ptxas, text, &["-lineinfo"]).map(|cubin| section(&cubin, ".debug_line"));
        assert_eq!(rows(&text).ok(), rows(&fixed(&text, &repair)).ok(), "{path}");
    }
}

fn debug_sections(cubin: &[u8]) -> Vec<String> {
    let elf = ElfFile64::<object::Endianness>::parse(cubin).unwrap();
    let names = elf.sections().map(|section| section.name().unwrap().to_owned());
    names.filter(|name| name.contains("debug") && !name.contains("debug_frame")).collect()
}

#[test]
fn stripped_modules() {
    let Some(ptxas) = ptxas() else { return };
    let modules = some(25, |text| text.contains(".loc"));
    eprintln!("{} modules to strip", modules.len());
    for (path, text) in modules {
        let all = fixed(&text, &FixSelection::of(&[Repair::StripAll]));
        let lines = fixed(&text, &FixSelection::of(&[Repair::StripToLines]));
        let Ok(cubin) = assemble(&ptxas, &text, &["-lineinfo"]) else { continue };
        assert!(!debug_sections(&cubin).is_empty(), "{path}");
        assert_eq!(debug_sections(&assemble(&ptxas, &all, &[]).unwrap()), [""; 0], "{path}");
        let lines = assemble(&ptxas, &lines, &["-lineinfo"]).unwrap();
        assert!(
            section(&lines, ".debug_line").is_some() && section(&lines, ".debug_info").is_none(),
            "{path}"
        );
        if !parse(&text).module.target().unwrap().is_debug() {
            assert_eq!(section(&lines, ".debug_line"), section(&cubin, ".debug_line"), "{path}");
        }
    }
}

#[test]
fn a_fixed_time_makes_the_cubin_reproducible() {
    let (Some(ptxas), Some(bugs)) = (ptxas(), shared("bugs")) else { return };
    let text = read(&bugs.join("46-source-mtime-in-cubin/input.ptx"));
    let fixed = fixed(&text, &FixSelection::of(&[Repair::FileTime]));
    let without = |text: &str| assemble(&ptxas, text, &["-lineinfo"]);
    let with = |text: &str| assemble_beside(&ptxas, text, &["-lineinfo"], "kern.cu");
    assert_eq!(without(&fixed), with(&fixed));
    assert_ne!(without(&text), with(&text));
}
