//! Modules on which ptxas 13.0.88 fails or crashes without naming a line: section references, file
//! tables, line markers. Each row was measured (`-arch=sm_90`) and is measured again where the real
//! tool is installed.
// Helpers outside `#[test]` functions; a panic is a test's way to fail.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Command;

use ptx_syntax::check::{CheckContext, Mode, Report, Verdict, check};
use ptx_syntax::parse;
use support::ptxas;

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// `x=a,7 a=!k`: `.section .debug_x { .b32 .debug_a, 7 }` and so on; `!` stands before other
/// values, names with a dot are whole.
type Sections = &'static str;

/// Sections, and the rule that refuses them with `-g`. Without it ptxas takes all of them.
const SECTIONS: &[(Sections, Option<&str>)] = &[
    // One section that comes later is dropped; all of them are laid over each other.
    ("x=a a=7", None),
    ("x=a,b a=7 b=1", Some("S007")),
    ("x=b,a a=7 b=1", Some("S007")),
    ("x=a y=b a=7 b=1", Some("S007")),
    ("x=a a=7 x=b b=8", Some("S007")),
    ("x=a,b a=7 b=7", None),
    ("x=a,b a=7 b=7,8", None),
    ("x=a,b a=7,8 b=7", None),
    ("x=a,b a= b=7", None),
    ("x=a,b,c a=1,2 b=1 c=1,3", Some("S007")),
    ("x=a,b a=7", None),
    ("x=a,b", None),
    ("x=a,a a=7", None),
    ("x=a y=a a=7", None),
    ("x=b a=7 b=1", None),
    // Known before.
    ("a=7 b=1 x=a,b", None),
    ("a=7 x=a,b b=1", None),
    ("a= x=a,b b=1", None),
    ("x=a a=7 b=8 x=b", None),
    ("x=x", None),
    // References in one that comes later.
    ("x=a a=x", Some("S007")),
    ("x=a a=a", Some("S007")),
    ("x=a a=c c=1", Some("S007")),
    ("x=a a=!k", Some("S007")),
    ("x=a a=!nope", Some("S007")),
    ("x=a a=!k+4", Some("S007")),
    ("x=a,b a=7 b=1,!k", Some("S007")),
    ("x=a a=!-1", None),
    ("x=a a=!k-k", Some("D008")),
    ("x=a a=!k,!u-v", Some("S007")),
    // With a number it is not a reference to a section.
    ("x=a,b+1 a=7 b=1", None),
    ("x=a,b+0 a=7 b=1", None),
    // `.debug_str` comes first, then `.debug_abbrev`; `.debug_info` and `.debug_line` are apart.
    ("x=a,str a=7 str=1", None),
    ("x=a,abbrev a=7 abbrev=1", None),
    ("x=str str=!k", None),
    ("x=loc loc=!k", Some("S007")),
    ("x=loc,a loc=1 a=7", Some("S007")),
    ("x=7 y=8 str=x,y", Some("S007")),
    ("x=7 y=8 abbrev=x,y", Some("S007")),
    ("x=7 y=8 loc=x,y", None),
    ("x=!k str=x", Some("S007")),
    ("x=!k loc=x", None),
    ("str=abbrev abbrev=!k", Some("S007")),
    ("abbrev=str str=!k", None),
    ("line=x,a x=7 a=8", None),
    ("info=x,a x=7 a=8", None),
    ("x=line line=x", None),
    ("x=frame,a a=3", None),
    // Repeated.
    ("q=1 q=2", Some("S002")),
    ("q=1 q=1,2 q=1,3", Some("S002")),
    ("abbrev=1 abbrev=2", None),
    ("abbrev=1 abbrev=!u-v", None),
    ("str=1 str=!u-v", None),
    // From `.debug_info` only where the name is not a debug section's. The unit has one entry with
    // two words.
    ("abbrev=0x1c001101,0x00061c06,0 info=16,2,0x01080000,.m,.m .m=7", None),
    ("abbrev=0x1c001101,0x00061c06,0 info=16,2,0x01080000,.m,0 .m=!k", Some("S007")),
    ("abbrev=0x1c001101,0x00061c06,0 .m=!k info=16,2,0x01080000,.m,0", None),
    ("abbrev=0x1c001101,0x00061c06,0 info=16,2,0x01080000,.m,.n .m=7 .n=8", Some("S007")),
    ("abbrev=0x1c001101,0x00061c06,0 info=16,2,0x01080000,!.m+4,0 .m=!k", Some("S007")),
    ("abbrev=0x1c001101,0x00061c06,0 info=16,2,0x01080000,a,b a=7 b=!k", None),
    ("x=.m .m=!k", Some("S007")),
    // The first that fails.
    ("x=a a=!k q=1 q=2", Some("S007")),
    ("q=1 q=2 x=a a=!k", Some("S002")),
    ("q=1 q=2 c=!u-v", Some("S002")),
    ("c=!u-v q=1 q=2", Some("D008")),
    ("q=1 q=2 x=7 y=8 str=x,y", Some("S002")),
];

/// `.file` lines; what refuses them with a `.loc` in any mode, and with none with `-lineinfo` and
/// `-g`.
type Files = (&'static str, Option<&'static str>, Option<&'static str>);

const FILES: &[Files] = &[
    (".file 1 \"a.cu\"\n.file 2 \"\"", None, None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 127, 127", None, None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 128, 5", Some("F012"), None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 5, 128", Some("F012"), None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 1700000000, 5", Some("F012"), Some("F012")),
    (".file 1 \"a.cu\"\n.file 2 \"\", 0x80000000, 5", Some("F012"), Some("F012")),
    (".file 1 \"a.cu\"\n.file 2 \"\", 0xffffffff, 0", Some("F012"), Some("F012")),
    (".file 1 \"a.cu\"\n.file 2 \"\", 0x100000000, 5", None, None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 0x100000000, 0x7fffffffffffffff", Some("F012"), Some("F012")),
    (".file 1 \"a.cu\"\n.file 2 \"\", 5, 0x100000005", None, None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 0, 0xffffffff", None, None),
    (".file 1 \"a.cu\"\n.file 2 \"\", 0x8000000000000005, 4", None, None),
    (".file 1 \"q/\", 1700000000, 400", Some("F012"), Some("F012")),
    (".file 1 \"\"\n.file 2 \"\"", None, None),
    (".file 1 \"\"\n.file 2 \"a.cu\"", Some("F012"), Some("F012")),
    (".file 1 \"\"\n.file 3 \"a.cu\"", Some("F012"), Some("F012")),
    (".file 1 \"a.cu\", 0x8000000000000005, 4", Some("F009"), Some("F009")),
];

/// Bodies after `{` on line 6 with a `.loc` on line 7, whether ptxas crashes.
const MARKERS: &[(&str, bool)] = &[
    ("# 5 \"f\"\nret;}", false),
    ("# 4 \"f\"\nret;}", true),
    ("# 4 \"f\"\nret;\n}", false),
    ("# 3 \"f\"\nret;\n}", true),
    ("bar.sync 0;\n# 7 \"f\"\nret;\n}", false),
    ("bar.sync 0;\n# 6 \"f\"\nret;\n}", true),
    ("bar.sync 0;\n# 6 \"f\"\nret;\n# 30 \"f\"\n}", true),
    ("bar.sync 0;\n# 1 \"f\"\nbar.sync 0;\n# 30 \"f\"\nret;\n}", false),
    ("bar.sync 0;\n# 1 \"f\"\n.loc 1 2 1\nret;\n# 30 \"f\"\n}", false),
    ("bar.sync 0;\n# 1 \"f\"\nret;\n.loc 1 2 1\n# 30 \"f\"\n}", true),
    ("bar.sync 0;\n.loc 1 0 1\n# 1 \"f\"\nret;\n# 30 \"f\"\n}", false),
    ("bar.sync 0;\n# 1 \"f\"\n.pragma \"nounroll\";\n# 30 \"f\"\n}", false),
    ("{\nbar.sync 0;\n}\n# 1 \"f\"\nret;\n# 30 \"f\"\n}", true),
    ("# 29 \"f\"\nbar.sync\n# 28 \"f\"\n0;\n}", false),
    ("# 29 \"f\"\nbar.sync\n# 27 \"f\"\n0;\n}", true),
    ("# 29 \"f\"\nmov\n# 20 \"f\"\n.u32 %r1, 1;\n}", false),
    ("# 4294967295 \"f\"\nbar.sync 0;\n# 1 \"f\"\nret;\n# 30 \"f\"\n}", false),
];

const KERNEL: &str = ".entry k()\n{\n.reg .b32 %r<3>;\nbar.sync 0;\nret;\n}\n";

fn section_name(name: &str) -> String {
    if name.starts_with('.') { name.to_owned() } else { format!(".debug_{name}") }
}

fn sections(spec: &str) -> String {
    let mut text = format!("{HEAD}.file 1 \"a.cu\"\n{KERNEL}");
    for (name, values) in spec.split(' ').map(|section| section.split_once('=').unwrap()) {
        let lines =
            values.split(',').filter(|value| !value.is_empty()).map(|value| match value.strip_prefix('!') {
                Some(other) => format!(".b32 {other}\n"),
                None if value.starts_with(|c: char| c.is_ascii_digit()) => format!(".b32 {value}\n"),
                None => format!(".b32 {}\n", section_name(value)),
            });
        text.extend([".section ", &section_name(name), " {\n", &lines.collect::<String>(), "}\n"]);
    }
    text
}

fn files(lines: &str, with_loc: bool) -> String {
    let kernel = if with_loc { KERNEL.replace("bar", ".loc 1 1 1\nbar") } else { KERNEL.to_owned() };
    format!("{HEAD}{lines}\n{kernel}")
}

fn markers(body: &str) -> String {
    format!("{HEAD}.file 1 \"a.cu\"\n.entry k()\n{{.reg .b32 %r<3>;\n.loc 1 1 1\n{body}\n")
}

/// Every module with the rule that refuses it in each mode.
fn all() -> Vec<(String, [Option<&'static str>; 3])> {
    let mut all = Vec::new();
    for &(spec, code) in SECTIONS {
        // `.debug_str` is kept with line information already, with its labels.
        all.push((sections(spec), [None, None, code]));
    }
    for &(lines, with_loc, without) in FILES {
        all.push((files(lines, true), [with_loc; 3]));
        all.push((files(lines, false), [None, without, without]));
    }
    for (length, code) in [(16_000, None), (16_001, Some("F005"))] {
        let file = format!(".file 1 \"{}\"", "a".repeat(length));
        all.push((files(&file, true), [code; 3]));
        all.push((files(&file, false), [None, code, code]));
    }
    for &(body, crashes) in MARKERS {
        all.push((markers(body), [crashes.then_some("L017"); 3]));
    }
    all
}

const MODES: [(Mode, &[&str]); 3] = [(Mode::None, &[]), (Mode::Lineinfo, &["-lineinfo"]), (Mode::G, &["-g"])];

fn report(text: &str) -> Report {
    check(&parse(text), &CheckContext::default())
}

#[test]
fn verdicts() {
    for (text, codes) in all() {
        let report = report(&text);
        for ((mode, _), code) in MODES.into_iter().zip(codes) {
            let found = match report.verdict(mode) {
                Verdict::Accept => None,
                Verdict::Reject(rule) | Verdict::NotKnown(rule) => Some(rule.code),
            };
            assert_eq!(found, code, "{mode:?}: {text}");
        }
    }
}

#[test]
fn the_real_tool_agrees() {
    let Some(ptxas) = ptxas() else { return };
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.ptx");
    for (text, codes) in all() {
        fs::write(&input, &text).unwrap();
        for ((mode, options), code) in MODES.into_iter().zip(codes) {
            let mut command = Command::new(&ptxas);
            command.arg("-arch=sm_90").args(options).arg("-o").arg(folder.path().join("a.cubin")).arg(&input);
            let taken = command.output().unwrap().status.success();
            assert_eq!(taken, code.is_none(), "{mode:?}: {text}");
        }
    }
}

/// What a finding points to, and its message.
fn found(text: &str, code: &str) -> Vec<(String, String)> {
    let findings = report(text).findings.into_iter().filter(|finding| finding.rule.code == code);
    findings.map(|finding| (finding.range.slice(text).to_owned(), finding.message)).collect()
}

#[test]
fn numbers_that_are_cut() {
    let text = files(".file 1 \"a.cu\", 0x100000005, 0x100000007", true);
    let [time, size] = found(&text, "F010").try_into().unwrap();
    assert_eq!((time.0.as_str(), size.0.as_str()), ("0x100000005", "0x100000007"));
    assert!(time.1.contains("time 4294967301") && size.1.contains("size 4294967303"), "{time:?} {size:?}");

    let text = markers(".loc 1 2 1, function_name A+0x100000001, inlined_at 1 1 1\nret;\n}");
    let [(number, _)] = found(&text, "L013").try_into().unwrap();
    assert_eq!(number, "0x100000001");

    for (line, what) in [
        ("18446744073709551616", "line 18446744073709551616 overflows"),
        ("0x8000000000000000", "overflows to 0"),
        ("0", "line 0:"),
        ("0x0", "line 0:"),
    ] {
        let [(_, message)] =
            found(&markers(&format!(".loc 1 {line} 1\nret;\n}}")), "L004").try_into().unwrap();
        assert!(message.contains(what), "{message}");
    }
}

/// A reference that drops a section is a warning; one that fails is an error.
#[test]
fn early_references() {
    for (spec, count, what) in [
        ("x=a a=7", 1, "drops"),
        ("x=a,b a=7 b=7", 2, "drops"),
        ("x=a,b a=7 b=1", 2, "it fails"),
        ("x=a a=!k", 1, "crashes"),
        ("x=a a=", 0, ""),
        ("x=a", 0, ""),
    ] {
        let text = sections(spec);
        let found = found(&text, "S007");
        assert_eq!(found.len(), count, "{spec}: {found:?}");
        assert!(found.last().is_none_or(|(at, message)| at.starts_with(".debug_") && message.contains(what)));
    }
}
