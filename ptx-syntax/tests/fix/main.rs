//! Repairs: before and after; `laws` for any text; `shared` on `../shared`, with ptxas 13.0.88
//! where it is installed.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod laws;
mod reported;
mod shared;
#[path = "../support/mod.rs"]
mod support;
mod together;

use dwarf2_reader::PathMap;
use ptx_syntax::fix::{Edit, FixSelection, REPAIRS, Repair, apply, edits, fix};
use ptx_syntax::parse;

/// The maps of paths of pairs of a prefix and its replacement.
fn maps(pairs: &[(&str, &str)]) -> Vec<PathMap> {
    pairs.iter().map(|&(old, new)| PathMap { old: old.to_owned(), new: new.to_owned() }).collect()
}

/// Fixes twice, checks the laws, and returns the text.
fn fixed(text: &str, fixes: &FixSelection) -> String {
    let first = fix(text, fixes);
    let second = fix(&first.text, fixes);
    assert_eq!(
        second.text, first.text,
        "fixing twice: {:?} then {:?} on {text:?}",
        first.applied, second.applied
    );
    assert!(second.applied.is_empty());
    assert_eq!(first.applied.is_empty(), first.text == text);
    let parsed = parse(text);
    for info in &REPAIRS {
        lawful(text, &edits(&parsed, info.repair, fixes));
    }
    first.text
}

/// Edits ascend, lie in the text, cut no character, and all of them are made.
fn lawful(text: &str, edits: &[Edit]) {
    let (mut at, mut length) = (0, text.len());
    for edit in edits {
        let (start, end) = (edit.range.start as usize, edit.range.end as usize);
        assert!(at <= start && text.get(start..end).is_some(), "{edit:?} in {text:?}");
        at = end;
        length = length - (end - start) + edit.replacement.len();
    }
    assert_eq!(apply(text, edits).len(), length);
}

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Each text after the same head.
fn after_head(repair: Repair, before: &str, after: &str) {
    let got = fixed(&format!("{HEAD}{before}"), &FixSelection::of(&[repair]));
    assert_eq!(got, format!("{HEAD}{after}"));
}

/// Whole texts.
fn whole(repair: Repair, before: &str, after: &str) {
    assert_eq!(fixed(before, &FixSelection::of(&[repair])), after);
}

#[test]
fn differences() {
    let section = |version: &str, values: &str| {
        format!(".version {version}\n.target sm_80\n.section .debug_x\n{{\n{values}\n}}\n")
    };
    for (version, before, after) in [
        ("7.0", "a: .b32 b-a\nb:", "a: .b32 4\nb:"),
        ("7.0", "a: .b64 b - /*c*/ a // d\nb:", "a: .b64 8 // d\nb:"),
        ("7.0", "a: .b32 a-b\nb:", "a: .b32 4294967292\nb:"),
        ("7.0", "a: .b64 a-b\nb:", "a: .b32 0xfffffff8, 0xffffffff\nb:"),
        ("7.5", "a: .b32 b-a\nb:", "a: .b32 b-a\nb:"),
        ("7.5", "a: .b8 b-a\nb:", "a: .b8 1\nb:"),
        ("7.5", "a: .b16 a-b\nb:", "a: .b16 65534\nb:"),
        ("7.0", "a: .b32 c-a\nb:", "a: .b32 c-a\nb:"),
        ("7.0", "a: .b32 b-a\nb: b:", "a: .b32 b-a\nb: b:"),
        ("7.0", "a: .b32 b-a\n.b8 x y z\nb:", "a: .b32 b-a\n.b8 x y z\nb:"),
        (
            "7.0",
            "a: .b32 d-c\n} .section .debug_y { c: .b8 1,2\nd:",
            "a: .b32 2\n} .section .debug_y { c: .b8 1,2\nd:",
        ),
        ("7.0", "a: .b32 c-a\n} .section .debug_y { c:", "a: .b32 c-a\n} .section .debug_y { c:"),
    ] {
        whole(Repair::FoldDifferences, &section(version, before), &section(version, after));
    }
}

#[test]
fn numbers() {
    let section = |version: &str, values: &str| {
        format!(".version {version}\n.target sm_80\n.section .debug_x\n{{\n{values}\n}}\n")
    };
    for (version, before, after) in [
        ("7.4", ".b8 1,-5,- 128, 255", ".b8 1,251,128, 255"),
        ("7.4", ".b16 -1 .b32 -2", ".b16 65535 .b32 4294967294"),
        ("7.4", ".b8 -129", ".b8 -129"),
        ("7.4", ".b8 -0 .b64 -0", ".b8 0 .b64 0"),
        ("7.4", "  .b64 1,-5, 3,4", "  .b64 1\n  .b32 0xfffffffb, 0xffffffff\n  .b64 3,4"),
        ("7.4", ".b64 -5,-6,\n7", ".b32 0xfffffffb, 0xffffffff,0xfffffffa, 0xffffffff\n.b64\n7"),
        ("7.4", "l: .b64 1,-5", "l: .b64 1\n.b32 0xfffffffb, 0xffffffff"),
        ("7.5", ".b8 -5, -0 .b64 -1", ".b8 -5, 0 .b64 -1"),
    ] {
        whole(Repair::RewriteNegatives, &section(version, before), &section(version, after));
    }
    for (before, after) in [
        (".b64 0x123456789abcdef0", ".b32 0x9abcdef0, 0x12345678"),
        (".b64 1, 4294967296, 2 // c", ".b64 1\n.b32 0x0, 0x1\n.b64 2 // c"),
        (".quad 1 /*c*/ ,0x8000000000000000U, 2", ".quad 1 /*c*/ \n.b32 0x0, 0x80000000\n.quad 2"),
        (".b32 4294967296", ".b32 4294967296"),
        (".b64 4294967295, -4294967297", ".b64 4294967295, -4294967297"),
        (".b64 99999999999999999999", ".b64 99999999999999999999"),
    ] {
        whole(Repair::SplitWideValues, &section("8.0", before), &section("8.0", after));
    }
}

#[test]
fn labels_used_twice() {
    let text = |uses: &str| {
        format!(
            ".func f()\n{{\nL: ret;\n}}\n.section .debug_info\n{{\nd: .b8 1\n{uses}\n}}\n.section .debug_str\n{{\nm: .b8 0,0\nn: L: .b8 65,0\n}}\n"
        )
    };
    after_head(
        Repair::SpellOffsets,
        &text(
            ".b32 n .b32 n // c\n.b32 n+1 .b32 n+1 .b32 n+2\n.b32 d .b32 d\n.b32 L .b32 L .b32 x .b32 x .b32 m .b32 m",
        ),
        &text(
            ".b32 n .b32 .debug_str+2 // c\n.b32 n+1 .b32 .debug_str+3 .b32 n+2\n.b32 d .b32 .debug_info+0\n.b32 L .b32 L .b32 x .b32 x .b32 m .b32 .debug_str+0",
        ),
    );
}

#[test]
fn files_out_of_functions() {
    for (before, after) in [
        (".func f()\n{\n\t.file 1 \"a\"\n\tret;\n}\n", ".func f()\n{\n\tret;\n}\n.file 1 \"a\"\n"),
        (
            ".func f()\n{\n{ .file 1 \"a\", 5, 6 // c\n}\n.file 2 \"b\"\nret; } // end\n.func g() { ret; }",
            ".func f()\n{\n{  // c\n}\nret; } // end\n.file 1 \"a\", 5, 6\n.file 2 \"b\"\n.func g() { ret; }",
        ),
        (
            ".func f() { .file 1 \"a\" ret; } .func g() { ret; }",
            ".func f() {  ret; }\n.file 1 \"a\"\n .func g() { ret; }",
        ),
        (".func f() { .file 1\nret; }", ".func f() { .file 1\nret; }"),
        (
            ".section .debug_x\n{\n.b8 1\n.file 1 \"a\"\n.b8 2\n}\n",
            ".section .debug_x\n{\n.b8 1\n.b8 2\n}\n.file 1 \"a\"\n",
        ),
    ] {
        after_head(Repair::MoveFiles, before, after);
    }
    after_head(
        Repair::MoveSections,
        ".func f()\n{\n.section .debug_x\n{\n.b8 1\n}\nret;\n}\n",
        ".func f()\n{\nret;\n}\n.section .debug_x\n{\n.b8 1\n}\n",
    );
}

#[test]
fn one_index_twice() {
    let kernel = |name: &str, locs: &str| format!(".func {name}()\n{{\n{locs}ret;\n}}\n");
    let (code, more) = (
        kernel("f", ".loc 1 5 0\n"),
        kernel("g", ".loc 1 7 0\n.loc 2 8 0, function_name n, inlined_at 1 7 0\n"),
    );
    let more3 = kernel("g", ".loc 3 7 0\n.loc 2 8 0, function_name n, inlined_at 3 7 0\n");
    let (a, b, c) = (".file 1 \"a\"\n", ".file 1 \"b\"\n", ".file 2 \"c\"\n");
    let b3 = ".file 3 \"b\"\n";
    for (before, after) in [
        (format!("{code}{a}{more}{b}{c}"), format!("{code}{a}{more3}{b3}{c}")),
        (format!("{a}{code}{b}{c}{more}"), format!("{a}{code}{b3}{c}{more3}")),
        (format!("{code}{a}{more}{a}{c}"), format!("{code}{a}{more}{c}")),
        (format!("{code}{a}{b}{c}"), format!("{code}{a}{b3}{c}")),
        // The size is known only the second time: both stay.
        (format!("{code}{a}.file 1 \"a\", 5, 6\n"), format!("{code}{a}.file 2 \"a\", 5, 6\n")),
        (format!("{code}.file 1 \"a\", 5, 6\n{a}"), format!("{code}.file 1 \"a\", 5, 6\n")),
    ] {
        after_head(Repair::MergeFiles, &before, &after);
    }
}

#[test]
fn gaps() {
    let body = |locs: &str| format!(".func f()\n{{\n{locs}ret;\n}}\n");
    for (before, after) in [
        (
            body(".loc 5 1 0\n.loc 3 2 0, function_name n, inlined_at 5 1 0\n.loc 2 9 9\n")
                + ".file 5 \"e\"\n.file 3 \"c\"\n",
            body(".loc 2 1 0\n.loc 1 2 0, function_name n, inlined_at 2 1 0\n.loc 3 9 9\n")
                + ".file 2 \"e\"\n.file 1 \"c\"\n",
        ),
        (
            body(".loc 0 1 0\n.loc 1 2 0\n.loc 70000 2 0\n")
                + ".file 0 \"z\"\n.file 1 \"a\"\n.file 70000 \"b\"\n",
            body(".loc 2 1 0\n.loc 1 2 0\n.loc 3 2 0\n") + ".file 2 \"z\"\n.file 1 \"a\"\n.file 3 \"b\"\n",
        ),
        (body(".loc 9 1 0\n") + ".file 1 \"a\"\n", body(".loc 9 1 0\n") + ".file 1 \"a\"\n"),
        (body(".loc 040 1 0\n") + ".file WARP_SZ \"a\"\n", body(".loc 1 1 0\n") + ".file 1 \"a\"\n"),
    ] {
        after_head(Repair::RenumberFiles, &before, &after);
    }
}

#[test]
fn header() {
    let debug = ".version 8.0\n.target sm_90, debug\n.address_size 64\n";
    let plain = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let section = ".section .debug_loc\n{\n}\n";
    whole(Repair::DropDebugWithoutSection, debug, plain);
    whole(Repair::DropDebugWithoutSection, &format!("{debug}{section}"), &format!("{debug}{section}"));
    whole(Repair::RemoveDebug, &format!("{debug}{section}"), &format!("{plain}{section}"));
    whole(Repair::AddSection, debug, &format!("{debug}{section}"));
    whole(Repair::AddDebug, plain, &format!("{debug}{section}"));
    whole(Repair::AddDebug, &format!("{plain}{section}"), &format!("{debug}{section}"));
    whole(
        Repair::RemoveDebug,
        ".version 8.0\n.target sm_90 /*a*/ , /*b*/ debug, texmode_unified\n",
        ".version 8.0\n.target sm_90 /*a*/  /*b*/ , texmode_unified\n",
    );
    whole(
        Repair::BumpVersion,
        ".version   7.0 // x\n.target sm_90\n",
        ".version   7.8 // x\n.target sm_90\n",
    );
    whole(
        Repair::BumpVersion,
        ".version 7.0\n.target sm_80\n.section .debug_x { .b8 -1 }\n",
        ".version 7.5\n.target sm_80\n.section .debug_x { .b8 -1 }\n",
    );
    whole(
        Repair::BumpVersion,
        ".version 5.0\n.target sm_50\n.section .debug_x { .b16 1 }\n",
        ".version 5.0\n.target sm_50\n.section .debug_x { .b16 1 }\n",
    );
    whole(
        Repair::DocumentedVersion,
        ".version 5.0\n.target sm_50\n.section .debug_x { .b16 1 }\n",
        ".version 6.0\n.target sm_50\n.section .debug_x { .b16 1 }\n",
    );
    // What can be written another way needs no newer version.
    let fixed = fix(
        ".version 7.0\n.target sm_80\n.section .debug_x { a: .b8 -1 .b32 a-b b: }\n",
        &FixSelection::default(),
    );
    assert_eq!(
        fixed.text,
        ".version 7.0\n.target sm_80\n.section .debug_x { a: .b8 255 .b32 4294967291 b: }\n"
    );
    assert_eq!(fixed.applied, [(Repair::FoldDifferences, 1), (Repair::RewriteNegatives, 1)]);
}

#[test]
fn names() {
    for (before, after) in [
        (
            "// caf\u{e9} \u{1f600}\n.file 1 \"caf\u{e9}/a.cu\"\n",
            "// caf\\u{e9} \\u{1f600}\n.file 1 \"caf%C3%A9/a.cu\"\n",
        ),
        ("/* \u{e9} */ # 1 \"\u{e9}.cu\"\n", "/* \\u{e9} */ # 1 \"%C3%A9.cu\"\n"),
        (".global .b8 \u{e9};\n", ".global .b8 \u{e9};\n"),
    ] {
        after_head(Repair::AsciiText, before, after);
    }
    whole(Repair::AsciiText, &format!("\u{feff}{HEAD}"), HEAD);
    let map = FixSelection {
        path_map: maps(&[("/home/caf\u{e9}", "src")]),
        ..FixSelection::of(&[Repair::PathMap, Repair::AsciiText])
    };
    assert_eq!(
        fixed(&format!("{HEAD}.file 1 \"/home/caf\u{e9}/a.cu\"\n"), &map),
        format!("{HEAD}.file 1 \"src/a.cu\"\n")
    );
    after_head(
        Repair::FileTime,
        ".file 1 \"a\"\n.file 2 \"b\", 0, 7\n.file 3 \"c\", 8, 9\n.file 4 \"d\",\n",
        ".file 1 \"a\", 1, 0\n.file 2 \"b\", 1, 7\n.file 3 \"c\", 8, 9\n.file 4 \"d\",\n",
    );
    for (before, after) in [
        (
            ".global .b8 __f__$_k[2];\n.section .debug_info\n{\n.b64 __f__.k\n.b64 other.k\n}\n",
            ".global .b8 __f__$_k[2];\n.section .debug_info\n{\n.b64 __f__$_k\n.b64 other.k\n}\n",
        ),
        (
            ".global .b8 f.k[2];\n.section .debug_info\n{\n.b64 f.k+1\n}\n",
            ".global .b8 f_$_k[2];\n.section .debug_info\n{\n.b64 f_$_k+1\n}\n",
        ),
        (
            ".global .b8 f.k.l[2], g;\n.func f() { mov.u64 a, f.k.l; mov.u64 a, f.k.lm; mov.u32 b, g.x; }\n",
            ".global .b8 f_$_k_$_l[2], g;\n.func f() { mov.u64 a, f_$_k_$_l; mov.u64 a, f.k.lm; mov.u32 b, g.x; }\n",
        ),
    ] {
        after_head(Repair::MangleSymbols, before, after);
    }
}

#[test]
fn locs_and_strips() {
    after_head(
        Repair::DropRedundantLocs,
        ".func f()\n{\n.loc 1 2 3\n.loc 1 2 3 // again\n\t.loc 1 2 3\nadd.s32 a, b, c;\n.loc 1 2 3\n.loc 1 2 4\n.loc 1 2 3\nret;\n}\n",
        ".func f()\n{\n.loc 1 2 3\n // again\nadd.s32 a, b, c;\n.loc 1 2 4\n.loc 1 2 3\nret;\n}\n",
    );
    let module = ".version 8.0\n.target sm_90, debug\n.address_size 64\n.func f()\n{\nL: .loc 1 2 3 // c\n\t.loc 1 9 9, function_name n, inlined_at 1 2 3\n\tret;\n}\n\t.file\t1 \"a\"\n\t.section\t.debug_info\n\t{\n.b8 1\n\t}\n\t.section\t.debug_str\n{\nn:\n.b8 102,0\n}\n// end\n";
    whole(
        Repair::StripAll,
        module,
        ".version 8.0\n.target sm_90\n.address_size 64\n.func f()\n{\nL:  // c\n\tret;\n}\n// end\n",
    );
    whole(
        Repair::StripToLines,
        module,
        ".version 8.0\n.target sm_90\n.address_size 64\n.func f()\n{\nL: .loc 1 2 3 // c\n\t.loc 1 9 9, function_name n, inlined_at 1 2 3\n\tret;\n}\n\t.file\t1 \"a\"\n\t.section\t.debug_str\n{\nn:\n.b8 102,0\n}\n// end\n",
    );
}
