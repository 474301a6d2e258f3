//! Severities: the output of healthy compilers gets at most a note, and what a fault report asks
//! for gets at least a warning. The forms that a rule tells apart are measured with ptxas 13.0.88
//! where it is installed.
// Helpers outside `#[test]` functions; a panic is a test's way to fail.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use object::{Object, ObjectSection};
use ptx_syntax::check::{CheckContext, Finding, Mode, RULES, Report, Severity, Verdict, check};
use ptx_syntax::{LineIndex, parse};
use serde_json::Value;
use support::{corpus_root, ptxas, shared};

fn report(text: &str) -> Report {
    check(&parse(text), &CheckContext::default())
}

// ---- compilers ----

/// The compilers of the corpus, all but the PTX that was written by hand.
const COMPILERS: [&str; 6] = ["cuda", "clang", "triton", "numba", "nvrtc", "warp"];

/// Of the corpus files that ptxas accepts in all three modes, at most this share has a finding that
/// is more than a note.
const MOST_PERCENT: usize = 5;

/// The files that have one are those of `severities/corpus.txt`, each with what is lost. `BLESS=1`
/// writes the list anew.
#[test]
fn what_healthy_compilers_emit_is_a_note() {
    let corpus = corpus_root::root();
    let manifest: Value = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
    let entries = manifest["entries"].as_array().unwrap();
    let of_compilers =
        entries.iter().filter(|entry| COMPILERS.contains(&entry["producer"].as_str().unwrap()));
    let paths: BTreeSet<&str> = of_compilers.filter_map(|entry| entry["ptx"]["path"].as_str()).collect();
    let (mut accepted, mut files, mut list) = (0, 0, String::new());
    for path in paths {
        let text = String::from_utf8_lossy(&fs::read(corpus.join(path)).unwrap()).into_owned();
        let report = report(&text);
        let takes = |mode| report.verdict(mode) == Verdict::Accept;
        if ![Mode::None, Mode::Lineinfo, Mode::G].into_iter().all(takes) {
            continue;
        }
        accepted += 1;
        let lines = LineIndex::new(&text);
        // Inlined calls and files that ptxas loses are no fault of a module, but reported fault 66
        // asks for more than a note.
        let is_listed = |f: &&Finding| f.severity > Note && !matches!(f.rule.code, "L023" | "L025");
        let more: Vec<&Finding> = report.findings.iter().filter(is_listed).collect();
        if !more.is_empty() {
            files += 1;
            writeln!(list, "{path}").unwrap();
        }
        for Finding { rule, severity, range, message, .. } in more {
            let (line, code) = (lines.line(range.start), rule.code);
            writeln!(list, "  {line}: {}[{code}]: {message}", severity.as_str()).unwrap();
        }
    }
    assert_eq!(accepted, if corpus_root::is_whole() { 464 } else { 369 });
    // The part of the corpus has all files with one that tests name.
    let is_few = files * 100 <= accepted * MOST_PERCENT;
    assert!(is_few || !corpus_root::is_whole(), "{files} of {accepted}:\n{list}");
    let listed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/severities/corpus.txt");
    if env::var_os("BLESS").is_some() {
        fs::write(&listed, &list).unwrap();
    }
    assert_eq!(of_files(&fs::read_to_string(listed).unwrap(), &corpus), list);
}

/// Of a list of files, each with lines that are indented, the files that are in a folder.
fn of_files(list: &str, folder: &Path) -> String {
    let mut is_there = false;
    let lines = list.split_inclusive('\n').filter(|line| {
        is_there = if line.starts_with(' ') { is_there } else { folder.join(line.trim_end()).exists() };
        is_there
    });
    lines.collect()
}

// ---- reported faults ----

/// What an EXPECT.md asks of `check`.
struct Asked {
    /// The folder, by its number, and the file there.
    of: (&'static str, &'static str),
    code: &'static str,
    /// The line; 0: any.
    line: u32,
    severity: Severity,
    /// The words of the EXPECT.md that ask for it.
    words: &'static str,
}

const fn asked(
    (folder, file): (&'static str, &'static str),
    (code, line): (&'static str, u32),
    severity: Severity,
    words: &'static str,
) -> Asked {
    Asked { of: (folder, file), code, line, severity, words }
}

use Severity::{Error, Note, Warning};

/// Where the EXPECT.md names no severity it is a warning, and an error where ptxas refuses the
/// module or readers fail. Those that only want a fact of ptxas said ("State", "Report") name a
/// note.
const ASKED: &[Asked] = &[
    asked(("01", "input.ptx"), ("D005", 58), Error, "Lint before assembling: report the operand at line 58"),
    asked(("03", "input.ptx"), ("V111", 57), Error, "the least PTX version that the debug directives need"),
    asked(("05", "input.ptx"), ("D008", 57), Error, "both labels must be defined in the section"),
    asked(("07", "input.ptx"), ("T001", 2), Error, "Report the pair (header line, no section)"),
    asked(("09", "input.ptx"), ("F008", 8), Error, "Say `.file` is module scope only"),
    asked(("11", "input.ptx"), ("F001", 23), Error, "Point at both directives"),
    asked(("13", "input.ptx"), ("L010", 13), Error, "the label must be defined in `.debug_str`"),
    asked(("15", "input.ptx"), ("S006", 23), Error, "Treat as an error when `-g` was asked for"),
    asked(("17", "input.ptx"), ("W002", 43), Error, "Reject units that are not version 2 in a PTX lint"),
    asked(("19", "input.ptx"), ("P002", 22), Error, "Name the path and the byte"),
    asked(("21", "input.ptx"), ("L015", 13), Warning, "inside begin/end inline asm is suspicious"),
    asked(("25", "input.ptx"), ("F007", 22), Warning, "Flag names that are known placeholders"),
    asked(("27", "input.ptx"), ("L007", 15), Note, "State that columns do not survive ptxas"),
    asked(("36", "input.ptx"), ("W021", 73), Warning, "tile_noclass: warn"),
    asked(("42", "input.ptx"), ("L016", 8), Note, "Report \"line info present (from .loc, no flag needed)\""),
    asked(("61", "number.ptx"), ("W026", 58), Warning, "may say that a bare number gets no relocation"),
    asked(("61", "var.ptx"), ("D007", 58), Warning, "warning[D007]: `gain_tab` is defined nowhere"),
    asked(("61", "block.ptx"), ("D007", 66), Warning, "warning[D007]: `$LA_blkend2` is defined nowhere"),
    asked(
        ("63", "shared-table.ptx"),
        ("W025", 70),
        Warning,
        "`check` (from `.file`, `.loc` and the entries)",
    ),
    asked(("63", "call-file.ptx"), ("W024", 71), Warning, "`check` says both at the line of the number"),
    asked(("63", "decl-file.ptx"), ("W024", 54), Warning, "`check` says both at the line of the number"),
    asked(("68", "trim.ptx"), ("L004", 15), Warning, "count to trim.cu:22 (0x1f0 to 0x300), of another file"),
    asked(("68", "trim.ptx"), ("L004", 25), Warning, "Line 25: trim.cu:22"),
    asked(("68", "trim.ptx"), ("L004", 33), Warning, "Line 33: nothing stands before"),
    asked(
        ("69", "pick.ptx"),
        ("L024", 13),
        Warning,
        "the `.loc` of 103, 104, 108, 111 and 114 have no instruction",
    ),
    asked(("69", "pick.ptx"), ("L024", 14), Warning, "a finding at each, none for the others"),
    asked(("69", "pick.ptx"), ("L024", 21), Warning, "a finding at each, none for the others"),
    asked(("69", "pick.ptx"), ("L024", 27), Warning, "a finding at each, none for the others"),
    asked(("69", "pick.ptx"), ("L024", 31), Warning, "a finding at each, none for the others"),
    asked(("71", "swapped.ptx"), ("W023", 62), Warning, "`check` has three findings (W021's kind)"),
    asked(("71", "swapped.ptx"), ("W023", 69), Warning, "`check` has three findings (W021's kind)"),
    asked(("71", "swapped.ptx"), ("W023", 76), Warning, "`check` has three findings (W021's kind)"),
    asked(("71", "none.ptx"), ("W021", 63), Warning, "the warning in `vars` and `verify` that `check` gives"),
    asked(("71", "none.ptx"), ("W021", 75), Warning, "the warning in `vars` and `verify` that `check` gives"),
    asked(("72", "digit.ptx"), ("D005", 58), Error, "D005 at the line of the name"),
    asked(("72", "two.ptx"), ("D005", 58), Error, "D005 at the line of the name"),
    asked(("73", "shade.ptx"), ("V110", 12), Error, "error[V110]: `function_name` and `inlined_at` needs"),
    asked(("74", "area.ptx"), ("L008", 7), Error, "A default repair of L008"),
    asked(
        ("78", "price.ptx"),
        ("L016", 0),
        Note,
        "note[L016]: this gives line information without any option",
    ),
    asked(
        ("81", "relax.ptx"),
        ("F007", 24),
        Warning,
        "F007 (and L105 in the cubin) for files 1 to 5, as for `<stdin>`",
    ),
    asked(("81", "relax.ptx"), ("F007", 25), Warning, "1 and 2: ipykernel 6 and later name each cell so"),
    asked(("81", "relax.ptx"), ("F007", 26), Warning, "3: IJulia's cells"),
    asked(("81", "relax.ptx"), ("F007", 27), Warning, "4 and 5: Julia names the input of its prompt"),
    asked(("81", "relax.ptx"), ("F007", 28), Warning, "4 and 5: Julia names the input of its prompt"),
    asked(("83", "swz.ptx"), ("L015", 10), Warning, "L015 for 215 to 217"),
    asked(("83", "swz.ptx"), ("L015", 20), Warning, "and for 225 to 228"),
    asked(("84", "short.ptx"), ("W001", 91), Error, "the number that is wrong"),
    asked(("84", "long.ptx"), ("W001", 75), Error, "the number that is wrong"),
    asked(("84", "last.ptx"), ("W001", 107), Error, "the number that is wrong"),
    asked(("90", "addone.ptx"), ("V113", 11), Error, "one finding per directive that names the feature"),
    asked(("93", "axpb.ptx"), ("F015", 17), Error, "`check` says that a directive was expected"),
];

#[test]
fn what_fault_reports_ask_for_keeps_its_severity() {
    let Some(bugs) = shared("bugs") else { return };
    let folders: Vec<_> = fs::read_dir(bugs).unwrap().map(|entry| entry.unwrap().path()).collect();
    for Asked { of: (number, file), code, line, severity, words } in ASKED {
        let begins =
            |folder: &&std::path::PathBuf| folder.file_name().unwrap().to_str().unwrap().starts_with(number);
        let folder = folders.iter().find(begins).unwrap();
        let expected = fs::read_to_string(folder.join("EXPECT.md")).unwrap();
        assert!(expected.contains(words), "{number}: {words}");
        // Some inputs are made by a script there.
        let Ok(text) = fs::read(folder.join(file)) else { continue };
        let text = String::from_utf8_lossy(&text);
        let (report, lines) = (report(&text), LineIndex::new(&text));
        let at = |found: &&Finding| *line == 0 || lines.line(found.range.start) == *line;
        let found = report.findings.iter().filter(|found| found.rule.code == *code).find(at);
        assert_eq!(found.map(|found| found.severity), Some(*severity), "{number} {file}: {code}");
    }
}

// ---- forms ----

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";
const FILES: &str = ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n";

/// A kernel with these statements.
fn kernel(body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<4>;\n.reg .b64 %SP;\n.reg .b32 %r<4>;\n{body}\nret;\n}}\n{FILES}"
    )
}

/// Severity and message of the only finding of a rule.
fn only(text: &str, code: &str) -> (Severity, String) {
    let report = report(text);
    let mut found = report.findings.into_iter().filter(|finding| finding.rule.code == code);
    let Finding { severity, message, .. } = found.next().unwrap();
    assert!(found.next().is_none(), "{text}");
    (severity, message)
}

const LOADS: &str = "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\n";
const STORES: &str = "st.global.u32 [%rd1], %r1;";

/// Code before a `.loc` with line 0, that `.loc`, the code that it has, and what the finding is.
const LINES_OF_ZERO: &[(&str, &str, &str, Severity, &str)] = &[
    // LLVM's form: file and column of the place before.
    (".loc 1 5 3", ".loc 1 0 3", "add.u32 %r2, %r1, 1;", Note, "to the row before, line 5 of a.cu"),
    (".loc 1 5 3", ".loc 1 0 3", STORES, Note, "line 5 of a.cu, its `st.global.u32` too"),
    (".loc 1 5 0", ".loc 1 0 0", STORES, Note, "line 5 of a.cu, its `st.global.u32` too"),
    // A place of its own.
    (".loc 1 5 3", ".loc 1 0 0", "add.u32 %r2, %r1, 1;", Note, "line 5 of a.cu"),
    (".loc 1 5 3", ".loc 1 0 0", "st.local.u32 [%rd1], %r1;", Note, "line 5 of a.cu"),
    (".loc 1 5 3", ".loc 1 0 0", "st.u32 [%SP+8], %r1;", Note, "line 5 of a.cu"),
    (".loc 1 5 3", ".loc 1 0 0", STORES, Warning, "a tool that stops at its `st.global.u32` names that line"),
    (".loc 1 5 3", ".loc 1 0 0", "ld.u32 %r2, [%rd1];", Warning, "a tool that stops at its `ld.u32`"),
    (".loc 1 5 3", ".loc 1 0 0", "bar.sync 0;", Warning, "a tool that stops at its `bar.sync`"),
    (
        ".loc 1 5 3",
        ".loc 2 0 0",
        "add.u32 %r2, %r1, 1;",
        Warning,
        "line 5 of a.cu; this `.loc` names another file",
    ),
    (
        ".loc 1 5 3",
        ".loc 1 0 0, function_name NAME, inlined_at 1 5 3",
        "add.u32 %r2, %r1, 1;",
        Warning,
        "names another inlined call",
    ),
    // No row before; one that nothing of the text tells.
    ("", ".loc 1 0 0", "add.u32 %r2, %r1, 1;", Warning, "the code has no line"),
    (".loc 1 5 3", ".loc 1 0 3", "", Note, "no instruction follows"),
    (".loc 1 5 3", "L: .loc 1 0 3", "add.u32 %r2, %r1, 1;", Note, "the order of the blocks decides"),
    (".loc 1 5 3", "$L__tmp1: .loc 1 0 3", "add.u32 %r2, %r1, 1;", Note, "to the row before"),
    // A line that the text names.
    (".loc 1 5 3", ".loc 1 9223372036854775808 3", "add.u32 %r2, %r1, 1;", Warning, "overflows to 0"),
];

#[test]
fn line_zero_is_a_note_where_no_place_is_lost() {
    for (before, zero, code, severity, words) in LINES_OF_ZERO {
        let text = kernel(&format!("{before}\n{LOADS}{zero}\n{code}\n.loc 1 9 1\n{STORES}"))
            + ".section .debug_str { NAME:\n.b8 102, 0 }\n";
        let (found, message) = only(&text, "L004");
        assert!(found == *severity && message.contains(words), "{zero} {code}: {found:?} {message}");
    }
}

#[test]
fn many_notes_do_not_hide_a_warning() {
    let note = ".loc 1 5 3\nadd.u32 %r2, %r1, 1;\n.loc 1 0 3\nadd.u32 %r2, %r2, 1;\n";
    let text = kernel(&format!("{}.loc 2 0 0\n{STORES}", note.repeat(1100)));
    let report = report(&text);
    assert_eq!(report.worst(), Some(Warning));
    let more = report.more.iter().filter(|more| more.rule.code == "L004");
    assert_eq!(more.map(|more| (more.severity, more.count)).collect::<Vec<_>>(), [(Note, 100)]);
}

#[test]
fn debug_in_the_target_is_a_note_where_entries_describe_something() {
    let module = |sections: &str| kernel(".loc 1 5 3").replace("sm_90\n", "sm_90, debug\n") + sections;
    let abbreviations = ".section .debug_abbrev { .b8 1,17,1,0,0, 2,46,0,3,8,0,0, 0 }\n";
    let unit = |bytes: &str, length: u32| {
        format!(
            "{abbreviations}.section .debug_info {{ .b32 {length}\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8,{bytes} }}\n"
        )
    };
    for (sections, severity) in [
        (".section .debug_loc { }\n".to_owned(), Warning),
        (unit("1,0", 9), Warning),
        (unit("1,2,107,0,0", 12), Note),
    ] {
        let (found, message) = only(&module(&sections), "T002");
        assert_eq!(found, severity, "{sections}: {message}");
    }
}

/// The severity of a finding, and words of its message; `None` for no finding.
type Expected = Option<(Severity, &'static str)>;

/// Statements around a `.loc` of line 7 without an instruction, and what the finding is, if any.
const LOCS_WITHOUT_CODE: &[(&str, &str, Expected)] = &[
    (".loc 1 5 3\n", ".loc 1 9 1", Some((Warning, "line 7 of a.cu has no code in `k`"))),
    (".loc 1 5 3\n", "L: {\n.reg .b32 %x;\n.loc 1 9 1\n}", Some((Warning, "and the next `.loc`"))),
    (".loc 1 5 3\n", "", None),
    ("", ".loc 1 9 1", None),
    (".loc 1 5 3\n", ".loc 1 7 3", None),
    (".loc 1 5 3\n", ".loc 1 7 4", Some((Note, "another `.loc` has code of line 7"))),
    (".loc 1 5 3\n", ".loc 2 7 3", Some((Warning, "line 7 of a.cu has no code"))),
    (".loc 1 5 3\n", ".loc 1 9 1, function_name NAME, inlined_at 1 7 3", None),
    (".loc 1 5 3\n", ".loc 1 9 1, function_name NAME, inlined_at 1 5 3", Some((Warning, "line 7"))),
];

#[test]
fn places_without_code_are_warnings_where_their_line_has_none() {
    for (before, after, expected) in LOCS_WITHOUT_CODE {
        let code = if before.is_empty() { "" } else { LOADS };
        let text = kernel(&format!("{before}{code}.loc 1 7 3\n{after}\n{STORES}"))
            + ".section .debug_str { NAME:\n.b8 102, 0 }\n";
        let report = report(&text);
        let found: Vec<_> = report.findings.iter().filter(|found| found.rule.code == "L024").collect();
        assert_eq!(found.len(), usize::from(expected.is_some()), "{before}{after}: {found:?}");
        if let (Some((severity, words)), [found]) = (expected, &*found) {
            let is_said = found.severity == *severity && found.message.contains(words);
            assert!(is_said, "{before}{after}: {found:?}");
        }
    }
    let at_end = kernel(".loc 1 5 3").replace("ret;\n", "ret;\n.loc 1 7 3\n$L__func_end0:\n");
    assert!(only(&at_end, "L024").1.contains("the end of the function"));
}

/// Statements with inline assembly, and what is found: the lines that count up.
const ASSEMBLIES: &[(&str, &str)] = &[
    (".loc 1 5 3\nBEGIN\nadd\n.loc 1 6 3\nadd\n.loc 1 7 3\nadd\nEND", "lines 5 to 7"),
    ("BEGIN\n.loc 1 5 3\nadd\n.loc 1 6 3\nadd\n.loc 1 7 3\nadd\nEND", "lines 5 to 7"),
    (".loc 1 5 3\nadd\nBEGIN\nadd\n.loc 1 6 3\nadd\n.loc 1 7 3\nadd\nEND", "lines 5 to 7"),
    // No instruction of the assembly has the line before it.
    (".loc 1 4 3\nadd\nBEGIN\n.loc 1 5 3\nadd\n.loc 1 6 3\nadd\nEND", ""),
    (".loc 1 5 3\nBEGIN\nadd\n.loc 1 6 3\nadd\nEND\n.loc 1 7 3\nadd", ""),
    // That of another file.
    (".loc 2 5 3\nBEGIN\nadd\n.loc 1 6 3\nadd\n.loc 1 7 3\nadd\nEND", ""),
    // The second statement's line is its own.
    (".loc 1 5 3\nBEGIN\nadd\n.loc 1 6 3\nadd\nEND\nBEGIN\nadd\n.loc 1 7 3\nadd\nEND", ""),
];

#[test]
fn drift_begins_at_the_line_before_the_assembly() {
    for (body, expected) in ASSEMBLIES {
        let body = body
            .replace("BEGIN", "// begin inline asm")
            .replace("END", "// end inline asm")
            .replace("add", "add.u32 %r1, %r1, 1;");
        let report = report(&kernel(&body));
        let found: Vec<_> = report.findings.iter().filter(|found| found.rule.code == "L015").collect();
        let messages: String = found.iter().map(|found| &*found.message).collect();
        let is_found = if expected.is_empty() { found.is_empty() } else { messages.starts_with(expected) };
        assert!(is_found && found.len() <= 1, "{body}: {messages}");
    }
}

/// Names of files, what is found of them, and its severity.
const NAMES: &[(&str, Option<(&str, Severity)>)] = &[
    ("a.cu", None),
    (r"D:\jobs\r7\median.cu", Some(("F006", Note))),
    (r"\\server\share\a.cu", Some(("F006", Note))),
    (r"..\gen\keys.inc", Some(("F006", Note))),
    (r"D:\jobs\320\277.cu", Some(("F006", Warning))),
    (r"D:\jobs\320\run\277.cu", Some(("F006", Note))),
    (r"/src/\320\277\320\276/a.cu", Some(("F006", Warning))),
    (r"D:\\jobs\\r7\\median.cu", Some(("F006", Warning))),
    (r"/src/odd\name.cu", Some(("F006", Warning))),
    ("/src/a\nb.cu", Some(("F006", Warning))),
    ("<stdin>", Some(("F007", Warning))),
    ("/src/<unknown>", Some(("F007", Warning))),
    ("<command line>", Some(("F007", Warning))),
    ("<ipython-input-3-1f>", Some(("F007", Warning))),
    ("default_program", Some(("F007", Warning))),
    ("/tmp/ipykernel_30517/2218865044.py", Some(("F007", Warning))),
    ("In[12]", Some(("F007", Warning))),
    ("/src/<expression 1>", Some(("F007", Note))),
    ("<jit:kernel_0>", Some(("F007", Note))),
];

#[test]
fn names_of_files_are_notes_where_readers_lose_nothing() {
    for (name, expected) in NAMES {
        let text = kernel(".loc 1 5 3").replace("a.cu", name);
        let report = report(&text);
        let found = report.findings.iter().filter(|found| ["F006", "F007"].contains(&found.rule.code));
        let found: Vec<_> = found.map(|found| (found.rule.code, found.severity)).collect();
        assert_eq!(found, expected.iter().copied().collect::<Vec<_>>(), "{name}");
    }
}

// ---- ptxas ----

/// The sections that ptxas writes; the text of the PTX and what counts its lines left out.
fn sections(ptxas: &Path, options: &[&str], text: &str) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
    fs::write(&input, text).unwrap();
    let mut command = Command::new(ptxas);
    let ran = command.arg("-arch=sm_90").args(options).arg("-o").arg(&output).arg(&input).output().unwrap();
    assert!(ran.status.success(), "{text}: {}", String::from_utf8_lossy(&ran.stderr));
    let bytes = fs::read(output).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    let kept = [".debug_line", ".text.k"];
    let sections = elf.sections().map(|section| (section.name().unwrap().to_owned(), section));
    let sections = sections.filter(|(name, _)| kept.contains(&&**name));
    sections.map(|(name, section)| (name, section.data().unwrap().to_vec())).collect()
}

/// What is a note makes no difference to code and lines: the module without it gives the same. What
/// is a warning does.
#[test]
fn notes_make_no_difference_to_ptxas() {
    let Some(ptxas) = ptxas() else { return };
    let twice = |again: &str| kernel(&format!(".loc 1 5 3\n{LOADS}{again}\n{STORES}\n.loc 1 9 1\n"));
    let of_zero =
        |zero: &str, code: &str| kernel(&format!(".loc 1 5 3\n{LOADS}{zero}\n{code}\n.loc 1 9 1\n"));
    for options in [&["-lineinfo"][..], &["-g"], &[]] {
        let same = |with: &str, without: &str| {
            assert_eq!(sections(&ptxas, options, with), sections(&ptxas, options, without), "{with}");
        };
        // L006
        same(&twice(".loc 1 5 3"), &twice(""));
        same(&twice("add.u32 %r1, %r1, 1;\n.loc 1 5 3"), &twice("add.u32 %r1, %r1, 1;"));
        // L004
        same(&of_zero(".loc 1 0 3", STORES), &of_zero("", STORES));
        same(&of_zero(".loc 1 0 3", ""), &of_zero("", ""));
    }
    // T002: as -g does, and only that.
    let debug = kernel(".loc 1 5 3\n").replace("sm_90\n", "sm_90, debug\n") + ".section .debug_loc { }\n";
    let asked = kernel(".loc 1 5 3\n") + ".section .debug_loc { }\n";
    let code = |options: &[&str], text: &str| {
        let all = sections(&ptxas, options, text);
        all.into_iter().find(|(name, _)| name == ".text.k").unwrap().1
    };
    assert_eq!(code(&[], &debug), code(&["-g"], &asked));
    assert_ne!(code(&[], &debug), code(&["-lineinfo"], &asked));
}

/// The names of folders and of files that ptxas writes.
#[test]
fn backslashes_separate_and_escape_nothing() {
    let Some(ptxas) = ptxas() else { return };
    for (name, folder, file) in [
        (r"D:\jobs\median.cu", r"D:\jobs", "median.cu"),
        (r"D:\\jobs\\median.cu", r"D:\\jobs\", "median.cu"),
        (r"/src/\320\277.cu", r"/src/\320", "277.cu"),
        (r"/src/odd\name.cu", "/src/odd", "name.cu"),
    ] {
        let text = kernel(&format!(".loc 1 5 3\n{LOADS}{STORES}")).replace("a.cu", name);
        let all = sections(&ptxas, &["-lineinfo"], &text);
        let (_, line) = all.iter().find(|(name, _)| name == ".debug_line").unwrap();
        let part = |words: &str| {
            let bytes = [&[0], words.as_bytes(), &[0]].concat();
            line.windows(bytes.len()).any(|window| window == bytes)
        };
        // The first folder follows the table of lengths of opcodes, not a NUL.
        let first = line.windows(folder.len() + 1).any(|window| window == [folder.as_bytes(), &[0]].concat());
        assert!(first && part(file), "{name}");
    }
}

// ---- the table ----

#[test]
fn rules_with_two_severities_say_which() {
    for code in ["L004", "T002", "F006", "F007"] {
        let rule = RULES.iter().find(|rule| rule.code == code).unwrap();
        assert!(rule.severity == Warning && rule.summary.contains("A note "), "{code}");
    }
}
