//! `docs/formats/intermediate-lines.md`, directives: each row is a module, and the words of ptxas
//! 13.4.92 and 13.5.37. `the_real_tools_say_so` asks them again, and 13.0.88.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fs;
use std::process::Command;

use ptx_syntax::check::{CheckContext, Mode, PtxasLines, Severity, check};
use ptx_syntax::fix::{FixSelection, Repair, fix};
use ptx_syntax::print::normalise;
use ptx_syntax::{LineIndex, Release, Statement, parse};

const FILES: &str = ".file 1 \"a.py\"\n.file 2 \"./abc\"\n";
const BLOCK: &str =
    ".code_block {\n.ir_name: \"ir\"\n.sourceFileName: 2\n.source_begin\naa\n bb\n.source_end\n}\n";

/// A kernel with `lines` in it, which begin on line 8; the files are on two lines after them, with
/// 3 between.
fn module(lines: &str, after: &str) -> String {
    format!(
        ".version 9.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<3>;\n.loc 1 7 3\n{lines}\n\
         mov.u32 %r1, 5;\nret;\n}}\n{FILES}{after}"
    )
}

/// The section around `blocks`: its directive is on line 14, the blocks begin on line 15.
fn sources(blocks: &str) -> String {
    format!(".nv_intermediate_source_section {{\n{blocks}}}\n")
}

fn block(text: &str) -> String {
    module("", &sources(text))
}

/// A module, and what ptxas says of it; nothing where it takes it.
type Row = (String, &'static str);

fn locs() -> Vec<Row> {
    let row = |lines: &str, said| (module(lines, &sources(BLOCK)), said);
    vec![
        row(".loc_intermediate 2 1 1", ""),
        row(".loc_intermediate 0x2 01 3U", ""),
        row(".loc_intermediate WARP_SZ WARP_SZ WARP_SZ", ""),
        row(".loc_intermediate\n2 /* a */ 1 // b\n 1", ""),
        row(".loc_intermediate 2 1 1 .loc_intermediate 2 2 1 .loc 1 8 1", ""),
        row(".loc_intermediate 9 99 99", ""),
        row(".loc_intermediate 0 0 0", ""),
        row("{ .loc_intermediate 2 4294967295 1 }", ""),
        row(".loc_intermediate", "line 9; fatal   : Parsing error near 'mov': syntax error"),
        row(".loc_intermediate 2", "line 9; fatal   : Parsing error near 'mov': syntax error"),
        row(".loc_intermediate 2 1", "line 9; fatal   : Parsing error near 'mov': syntax error"),
        row(".loc_intermediate 2 1 1 4", "line 8; fatal   : Parsing error near '4': syntax error"),
        row(".loc_intermediate 2 1 1;", "line 8; fatal   : Parsing error near ';': syntax error"),
        row(".loc_intermediate 2, 1, 1", "line 8; fatal   : Parsing error near ',': syntax error"),
        row(".loc_intermediate 2 -3 1", "line 8; fatal   : Parsing error near '-': syntax error"),
        row(".loc_intermediate 1+1 3 1", "line 8; fatal   : Parsing error near '+': syntax error"),
        row(".loc_intermediate x 3 1", "line 8; fatal   : Parsing error near 'x': syntax error"),
        row(
            ".loc_intermediate 2 1 1, inlined_at 1 7 3",
            "line 8; fatal   : Parsing error near ',': syntax error",
        ),
        row(".loc_intermediate 2 4294967296 1", "line 8; error   : Constant overflow"),
        row(
            &sources(BLOCK),
            "line 8; fatal   : Parsing error near '.nv_intermediate_source_section': syntax error",
        ),
        (
            module("", ".loc_intermediate 2 1 1"),
            "line 14; fatal   : Parsing error near '.loc_intermediate': syntax error",
        ),
    ]
}

fn blocks() -> Vec<Row> {
    let with = |from: &str, to: &str| {
        assert!(BLOCK.contains(from), "{from}");
        block(&BLOCK.replace(from, to))
    };
    let row = |from: &str, to: &str, said| (with(from, to), said);
    vec![
        (block(""), ""),
        (block(BLOCK), ""),
        (block(&BLOCK.repeat(2)), ""),
        (module("", &sources(BLOCK).repeat(2)), ""),
        row("aa\n bb\n", "\n", ""),
        row(
            "aa\n",
            "}}} {{ \" ' /* # 1 \"x\"\n.version 1.0\n.source_begin\n.source_end_of x.source_end\n",
            "",
        ),
        row(": 2", ":2", ""),
        row("\"ir\"", "\"\"", ""),
        row(": 2", ": /* c */ 0x2 // d", ""),
        row("2\n.source_begin", "2 .source_begin \t", ""),
        row(".source_end", " \t.source_end ", ""),
        row(".code_block", "// c\n.code_block\n", ""),
        (block(".code_block {\n}\n"), "line 16; fatal   : Parsing error near '}': syntax error"),
        row(
            ".ir_name: \"ir\"\n",
            "",
            "line 16; fatal   : Parsing error near '.sourceFileName:': syntax error",
        ),
        row("\"ir\"", "ir", "line 16; fatal   : Parsing error near 'ir': syntax error"),
        row("\"ir\"", "\"ir\",", "line 16; fatal   : Parsing error near ',': syntax error"),
        row(".ir_name:", ".ir_name :", "line 16; fatal   : Parsing error near '.ir_name': syntax error"),
        row(".ir_name:", ".ir_name", "line 16; fatal   : Parsing error near '.ir_name': syntax error"),
        row("\"ir\"\n", "\"ir\"\n.foo: 1\n", "line 17; fatal   : Parsing error near '.foo': syntax error"),
        row(": 2", ": \"abc\"", "line 17; fatal   : Parsing error near '\"abc\"': syntax error"),
        row(": 2", ": -2", "line 17; fatal   : Parsing error near '-': syntax error"),
        row(": 2", ": 4294967298", "line 17; error   : Constant overflow"),
        row(": 2", ": 7", "line 15; error   : Undefined file index #7"),
        row(": 2", ": 0", "line 15; error   : Undefined file index #0"),
        row(".code_block {", ".code_block x {", "line 15; fatal   : Parsing error near 'x': syntax error"),
        row(".source_end\n}", ".source_end\n} x", "line 22; fatal   : Parsing error near 'x': syntax error"),
        row(
            ".source_begin",
            ".source_begin x",
            "line 18; fatal   : Parsing error near '.source_begin': syntax error",
        ),
        row(
            ".source_begin",
            ".source_begin\r",
            "line 18; fatal   : Parsing error near '.source_begin': syntax error",
        ),
        row(
            ".source_end\n",
            "",
            "line 23; fatal   : Parsing error near '': unterminated .source_begin, expected .source_end",
        ),
        row(
            ".source_end",
            ".source_end }",
            "line 24; fatal   : Parsing error near '': unterminated .source_begin, expected .source_end",
        ),
        row(
            ".source_end",
            ".source_end\r",
            "line 24; fatal   : Parsing error near '': unterminated .source_begin, expected .source_end",
        ),
        (block(BLOCK).replace(FILES, "") + FILES, "line 13; error   : Undefined file index #2"),
    ]
}

fn versions() -> Vec<Row> {
    let old = |text: String| text.replace("9.4", "9.3");
    vec![
        (
            old(module(".loc_intermediate\n2 1\n1", "")),
            "line 10; error   : Feature '.loc_intermediate' requires PTX ISA .version 9.4 or later",
        ),
        (
            old(block(BLOCK)),
            "line 14; error   : Feature '.nv_intermediate_source_section' requires PTX ISA .version 9.4 or later",
        ),
        (old(module(".loc_intermediate", "")), "line 9; fatal   : Parsing error near 'mov': syntax error"),
    ]
}

/// Parameters: the attribute `.hidden` of those of kernels, which cuTile writes too, and state
/// spaces. The function is on line 4.
fn parameters() -> Vec<Row> {
    let row = |version: &str, head: &str, said| {
        (format!(".version {version}\n.target sm_90\n.address_size 64\n{head} {{ ret; }}\n"), said)
    };
    let illegal = "line 5; error   : Illegal placement of kernel parameter attribute";
    vec![
        row("8.8", ".entry k(.param .u64 a, .hidden .param .align 64 .b8 b[128])", ""),
        row("9.0", ".entry k(.hidden .param .u32 b)", ""),
        row(
            "9.0",
            ".entry k(.param .hidden .u32 b)",
            "line 4; fatal   : Parsing error near '.hidden': syntax error",
        ),
        row("9.0", ".func f(\n.hidden .param .u32 b)", illegal),
        row(
            "9.0",
            ".entry k(.shared\n.u32\nb\n,\n.param .u32 c)",
            "line 7; error   : Entry parameter 'b' must have .param state space",
        ),
        row(
            "9.0",
            ".func (.global .u32 r) f(.reg .u32 a, .const .u32 b)",
            "line 4; error   : Function parameter 'r' has illegal state space\n\
             line 4; error   : Function parameter 'b' has illegal state space",
        ),
        row("9.0", ".func f(.sreg .u32 b)", "line 4; fatal   : Parsing error near '.sreg': syntax error"),
        row("9.0", ".entry k(.hidden)", "line 4; fatal   : Parsing error near ')': syntax error"),
        row(
            "9.0",
            ".entry k(.hidden .reg .u32 b)",
            "line 4; error   : Entry parameter 'b' must have .param state space",
        ),
        row(
            "8.7",
            ".func f(.hidden .param .u32 b)",
            "line 4; error   : Feature 'kernel parameter hidden attribute' requires PTX ISA .version 8.8 or later\n\
             line 4; error   : Illegal placement of kernel parameter attribute",
        ),
        row(
            "8.7",
            ".entry k(\n.hidden .param .u32 b)",
            "line 5; error   : Feature 'kernel parameter hidden attribute' requires PTX ISA .version 8.8 or later",
        ),
    ]
}

/// The directive `.language` of functions, which cuTile writes too: `words` are on line 5.
fn languages() -> Vec<Row> {
    let row = |version: &str, words: &str, said| {
        let head = format!(".version {version}\n.target sm_90\n.address_size 64");
        (format!("{head}\n.visible .entry k()\n{words}\n{{\nret;\n}}\n"), said)
    };
    vec![
        row("9.2", ".language 5", ""),
        row("9.4", ".language 1, 2, 3, 4", ""),
        row("9.4", ".language 1 .language 2", ""),
        row("9.4", ".maxntid 32 .language 3", ""),
        row("9.4", ".language", "line 6; fatal   : Parsing error near '{': syntax error"),
        row("9.4", ".language -1", "line 5; fatal   : Parsing error near '-': syntax error"),
        row("9.4", ".language x", "line 5; fatal   : Parsing error near 'x': syntax error"),
        row("9.4", ".language 4294967296", "line 5; error   : Constant overflow"),
        row(
            "9.1",
            ".language 5",
            "line 6; error   : Feature '.language' requires PTX ISA .version 9.2 or later",
        ),
    ]
}

fn rows() -> Vec<Row> {
    [locs(), blocks(), versions(), languages(), parameters()].concat()
}

/// A text without a line, of which releases have different words.
fn empty_text() -> [(&'static str, String, &'static str); 2] {
    let text = block(&BLOCK.replace("aa\n bb\n", ""));
    let refused =
        "line 22; fatal   : Parsing error near '': unterminated .source_begin, expected .source_end";
    [("13.4", text.clone(), refused), ("13.5", text, "")]
}

fn said(text: &str, release: Release) -> String {
    let report = check(&parse(text), &CheckContext { release, ..CheckContext::default() });
    let words = report.ptxas_messages(Mode::None, "a.ptx", &PtxasLines::new(text, &LineIndex::new(text)));
    own_words(&words)
}

/// The messages without the file's name and the last one, which all refusals have.
fn own_words(words: &str) -> String {
    let lines = words.lines().filter(|line| !line.ends_with("aborted due to errors"));
    let lines: Vec<&str> = lines.map(|line| line.trim_start_matches("ptxas a.ptx, ")).collect();
    lines.join("\n")
}

#[test]
fn check_says_what_the_tools_say() {
    for release in [Release::of_version("13.4").unwrap(), Release::of_version("13.5").unwrap()] {
        let wrong: Vec<String> = rows()
            .into_iter()
            .filter_map(|(text, words)| {
                let found = said(&text, release);
                (found != words).then(|| format!("{text}\nexpected {words}\nfound    {found}\n"))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    for (name, text, words) in empty_text() {
        assert_eq!(said(&text, Release::of_version(name).unwrap()), words);
    }
}

/// To older ones the first of the directives is an error of syntax, whatever follows it.
#[test]
fn older_tools_know_no_such_directive() {
    let older = ["11.8", "13.0", "13.3"].map(|name| Release::of_version(name).unwrap());
    for release in older {
        let text =
            module(".loc_intermediate 2 1 1\n.loc_intermediate", &sources(BLOCK)).replace("9.4", "7.8");
        assert_eq!(
            said(&text, release),
            "line 8; fatal   : Parsing error near '.loc_intermediate': syntax error"
        );
        if release < Release::of_version("13.2").unwrap() {
            let text = module("", "").replace("9.4", "7.8").replace("k()", "k() .language 1");
            assert_eq!(
                said(&text, release),
                "line 4; fatal   : Parsing error near '.language': syntax error"
            );
        }
        let text = block(&BLOCK.replace(".ir_name", "x")).replace("9.4", "7.8");
        let words = "line 14; fatal   : Parsing error near '.nv_intermediate_source_section': syntax error";
        assert_eq!(said(&text, release), words);
    }
}

#[test]
fn the_real_tools_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    let mut ask = |ptxas: &std::path::Path, text: &str, words: &str| {
        fs::write(folder.path().join("a.ptx"), text).unwrap();
        let run = Command::new(ptxas)
            .args(["-arch=sm_90", "a.ptx", "-o", "a.cubin"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let found = own_words(&String::from_utf8_lossy(&run.stderr));
        if found != words {
            wrong.push(format!("{}\n{text}\nexpected {words}\nfound    {found}\n", ptxas.display()));
        }
    };
    for name in ["13.4", "13.5"] {
        let Some(ptxas) = support::ptxas_of(Release::of_version(name).unwrap()) else { continue };
        let of_release = empty_text().into_iter().filter(|(of, ..)| *of == name);
        for (text, words) in rows().into_iter().chain(of_release.map(|(_, text, words)| (text, words))) {
            ask(&ptxas, &text, words);
        }
    }
    if let Some(ptxas) = support::ptxas() {
        let text = module(".loc_intermediate 2 1 1", &sources(BLOCK)).replace("9.4", "9.0");
        ask(&ptxas, &text, "line 8; fatal   : Parsing error near '.loc_intermediate': syntax error");
        let text = module("", "").replace("9.4", "9.0").replace("k()", "k() .language 1");
        ask(&ptxas, &text, "line 4; fatal   : Parsing error near '.language': syntax error");
        ask(
            &ptxas,
            &block(BLOCK).replace("9.4", "9.0"),
            "line 14; fatal   : Parsing error near '.nv_intermediate_source_section': syntax error",
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One finding for each directive, and nothing from inside the text.
#[test]
fn each_directive_is_one_finding() {
    let text =
        module(".loc_intermediate 2 1 1\n.loc_intermediate 2 2 1", &sources(BLOCK)).replace("9.4", "9.0");
    for name in ["13.0", "13.5"] {
        let context = CheckContext { release: Release::of_version(name).unwrap(), ..CheckContext::default() };
        let report = check(&parse(&text), &context);
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let codes: Vec<&str> = errors.map(|finding| finding.rule.code).collect();
        assert_eq!(codes, ["V113", "V113", "V114"], "{name}: {:?}", report.findings);
        assert!(report.findings.iter().all(|finding| !finding.message.is_empty()));
    }
}

#[test]
fn texts_and_places_are_read() {
    let text = module(".loc_intermediate 2 1 5", &sources(&BLOCK.repeat(2)));
    let parsed = parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let blocks: Vec<_> =
        parsed.module.code_blocks().map(|block| (block.ir_name, block.file, block.text)).collect();
    assert_eq!(blocks, [("ir", 2, "aa\n bb"); 2]);
    let body = parsed.module.functions().next().unwrap().body.as_ref().unwrap();
    let loc = body.statements.iter().find_map(|statement| match statement {
        Statement::IntermediateLoc(loc) => Some((loc.file, loc.line, loc.column)),
        _ => None,
    });
    assert_eq!(loc, Some((2, 1, 5)));
}

/// Lines of the text stay as they are; all else has the layout of directives.
#[test]
fn the_layout_keeps_the_text() {
    let text = module(
        ".loc_intermediate  2\n1 1",
        &sources(&BLOCK.replace(": 2", ":2 /* a */").replace("aa", "  // a\t\n}")),
    );
    let printed = normalise(&parse(&text));
    let expected = "\n.nv_intermediate_source_section {\n\t.code_block {\n\t\t.ir_name: \"ir\"\n\t\t.sourceFileName: 2 /* a */\n\t\t\
                    .source_begin\n  // a\t\n}\n bb\n.source_end\n\t}\n}\n";
    assert!(printed.ends_with(expected), "{printed}");
    assert!(printed.contains("\n\t.loc_intermediate 2 1 1\n"), "{printed}");
    assert_eq!(normalise(&parse(&printed)), printed);
    assert_eq!(parse(&printed).module.code_blocks().next().unwrap().text, "  // a\t\n}\n bb");
}

/// The repairs take out what a ptxas does not know, and keep it for one that does.
#[test]
fn repairs() {
    let old = module(".loc_intermediate 2 1 1", &sources(BLOCK)).replace("9.4", "9.0");
    let gone = |text: &str| {
        !text.contains("intermediate") && text.contains(".loc 1 7 3") && text.contains(".file 2")
    };
    let of = |release: Option<&str>| FixSelection {
        release: release.map(|name| Release::of_version(name).unwrap()),
        ..FixSelection::default()
    };
    let fixed = fix(&old, &of(None));
    assert!(gone(&fixed.text), "{}", fixed.text);
    assert_eq!(fixed.applied, [(Repair::DropUnknownIntermediateLines, 2)]);
    assert!(gone(&fix(&old, &of(Some("12.9"))).text));
    assert_eq!(fix(&old, &of(Some("13.4"))).text, old.replace("9.0", "9.4"));
    let new = old.replace("9.0", "9.4");
    assert_eq!(fix(&new, &of(None)).text, new, "some ptxas takes it");
    assert!(gone(&fix(&new, &of(Some("13.3"))).text));
    assert!(gone(&fix(&new, &FixSelection::of(&[Repair::DropIntermediateLines])).text));
    let stripped = fix(&new, &FixSelection::of(&[Repair::StripAll])).text;
    assert!(["intermediate", ".loc", ".file"].iter().all(|word| !stripped.contains(word)), "{stripped}");
}

/// A directive in a wrong place is taken out too; nothing of a broken section is read as PTX.
#[test]
fn broken_sections_are_one_error() {
    for broken in ["\"ir\"", ".sourceFileName: 2\n", ".source_end", "2\n"] {
        let text =
            block(&BLOCK.replace("aa", "func {\n}\n.visible").replace(broken, "x ")) + ".global .b32 v;\n";
        let parsed = parse(&text);
        assert!(parsed.errors.len() == 1, "{broken}: {:?}", parsed.errors);
        assert!(parsed.module.variables().count() == 1 || broken == ".source_end", "{text}");
    }
    let text = module(&sources(BLOCK), ".loc_intermediate 2 1 1\n").replace("9.4", "9.0");
    assert!(!fix(&text, &FixSelection::default()).text.contains("intermediate"));
}
