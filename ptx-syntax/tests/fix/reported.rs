//! Inputs of reported faults (`../shared/bugs`) and their kinds: what the repair writes, and that
//! ptxas 13.0.88 takes it.

use std::fs;
use std::path::PathBuf;

use ptx_syntax::check::{CheckContext, check};
use ptx_syntax::fix::{FixSelection, Repair};
use ptx_syntax::parse;
use ptx_syntax::raw_text::decode;

use crate::shared::assemble;
use crate::support::{ptxas, shared};
use crate::{HEAD, after_head, fixed, maps, whole};

/// A file of a report.
fn input(report: &str, file: &str) -> Option<String> {
    let bugs = fs::read_dir(shared("bugs")?).unwrap().map(|entry| entry.unwrap().path());
    let is_report = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(report);
    let path = bugs.into_iter().find(is_report).unwrap();
    Some(decode(fs::read(path.join(file)).unwrap()).0)
}

/// Code, line and help of each error and warning.
fn findings(text: &str) -> Vec<(&'static str, usize, Option<String>)> {
    let report = check(&parse(text), &CheckContext::default());
    let lines = ptx_syntax::LineIndex::new(text);
    // `debug` of `.target` is no fault of these, nor is what ptxas loses of a sound module.
    let is_wanted = |code: &str| !matches!(code, "T002" | "L023" | "L024" | "L025");
    let findings = report.findings.into_iter().filter(|finding| is_wanted(finding.rule.code));
    let findings = findings.filter(|finding| finding.severity > findings::Severity::Note);
    findings.map(|f| (f.rule.code, lines.line(f.range.start) as usize, f.help)).collect()
}

/// What ptxas says; `None` without it, or if it takes the text.
fn refusal(text: &str, options: &[&str]) -> Option<String> {
    assemble(&ptxas()?, text, options).err()
}

/// Report 72.
#[test]
fn names_with_dots() {
    for (file, dotted, name) in [
        ("digit.ptx", "lut.7", "lut_$_7"),
        ("two.ptx", "lut.0.hi", "lut_$_0_$_hi"),
        ("unnamed.ptx", ".L__unnamed_3", "_$_L__unnamed_3"),
        ("str.ptx", ".str.12", "_$_str_$_12"),
    ] {
        let Some(text) = input("72-", file) else { return };
        let help = format!("the module declares it as `{name}`");
        assert_eq!(findings(&text), [("D005", 58, Some(help))], "{file}");
        let after = fixed(&text, &FixSelection::default());
        assert_eq!(after, text.replace(&format!(".b64 {dotted}\n"), &format!(".b64 {name}\n")), "{file}");
        assert_eq!(findings(&after), [], "{file}");
        assert_eq!(refusal(&after, &["-g"]), None, "{file}");
    }
    let declared = ".global .b8 lut_$_7[4], _$_str[4], _$_str_$_5[4], debug_y;\n";
    let section = |values: &str| format!("{declared}.section .debug_x {{\n{values}\n}}\n");
    for (before, after) in [
        (".b64 lut.7+4", ".b64 lut_$_7+4"),
        (".b64 .str .b64 .str.5 .b64 .str+1", ".b64 _$_str .b64 _$_str_$_5 .b64 _$_str+1"),
        // Sections are no names, whether the module has them or not.
        (".b32 .debug_y .b32 .debug_x", ".b32 .debug_y .b32 .debug_x"),
        (".b64 .other.7", ".b64 .other.7"),
    ] {
        after_head(Repair::MangleSymbols, &section(before), &section(after));
    }
    after_head(
        Repair::MangleSymbols,
        ".global .b8 t.7[2], t.8hi;\n.func f() { mov.u64 a, t.7; mov.u64 a, t.8hi; mov.u64 a, t.70; }\n",
        ".global .b8 t_$_7[2], t_$_8hi;\n.func f() { mov.u64 a, t_$_7; mov.u64 a, t_$_8hi; mov.u64 a, t.70; }\n",
    );
}

/// What is declared with dots gets names that nothing else has, and ptxas takes the module then.
#[test]
fn names_declared_with_dots() {
    let kernel = |body: &str| format!(".entry k() {{\n.reg .b32 %r<3>;\n.reg .b64 %q<3>;\n{body}ret;\n}}\n");
    let load = |name: &str| kernel(&format!("ld.global.u32 %r1, [{name}];\n"));
    let address = |name: &str| kernel(&format!("mov.u64 %q1, {name};\n"));
    let vector = |of_register: &str, of_variable: &str| {
        kernel(&format!(
            ".reg .v4 .b32 v, w;\nmov.b32 %r1, {of_register};\nld.global.b32 %r2, [{of_variable}];\n"
        ))
    };
    for (before, after) in [
        // LLVM's form is taken, and the next one too; each keeps what is its own.
        (
            ".global .b32 a.b, a_$_b;\n.global .b8 a_$_b_1;\n".to_owned() + &load("a.b") + &load("a_$_b").replace("k()", "l()"),
            ".global .b32 a_$_b_2, a_$_b;\n.global .b8 a_$_b_1;\n".to_owned()
                + &load("a_$_b_2")
                + &load("a_$_b").replace("k()", "l()"),
        ),
        (
            ".global .b32 a.b_$_c, a_$_b.c;\n".to_owned() + &load("a_$_b.c"),
            ".global .b32 a_$_b_$_c, a_$_b_$_c_1;\n".to_owned() + &load("a_$_b_$_c_1"),
        ),
        // A component of a vector stays, and so does one of a vector that is named anew.
        (
            ".global .b32 v.x, u.x;\n".to_owned() + &vector("v.x", "u.x"),
            ".global .b32 v_$_x, u_$_x;\n".to_owned() + &vector("v.x", "u_$_x"),
        ),
        (
            kernel(".reg .v4 .b32 v.y;\nmov.b32 %r1, v.y.x;\n"),
            kernel(".reg .v4 .b32 v_$_y;\nmov.b32 %r1, v_$_y.x;\n"),
        ),
        // The registers of a family have its name, and numbers.
        (
            kernel(".reg .b32 %r.x<13>, %s.7;\nmov.b32 %r.x1, %s.7;\nmov.b32 %r.x12, %r1;\n"),
            kernel(".reg .b32 %r_$_x<13>, %s_$_7;\nmov.b32 %r_$_x1, %s_$_7;\nmov.b32 %r_$_x12, %r1;\n"),
        ),
        // A vector of one function is none of another.
        (
            ".global .b32 v.x;\n".to_owned() + &vector("v.y", "%q1") + &load("v.x").replace("k()", "l()"),
            ".global .b32 v_$_x;\n".to_owned() + &vector("v.y", "%q1") + &load("v_$_x").replace("k()", "l()"),
        ),
        // Names that begin with a dot.
        (
            ".const .b8 .str.1[4];\n".to_owned() + &address(".str.1"),
            ".const .b8 _$_str_$_1[4];\n".to_owned() + &address("_$_str_$_1"),
        ),
        (
            ".visible .global .align 4 .b8 .str[4] = {1,2,3,4}, .L__unnamed_3[4];\n.global .u64 p = .str;\n.global .u64 q[2] = { .str+1, .L__unnamed_3 };\n".to_owned(),
            ".visible .global .align 4 .b8 _$_str[4] = {1,2,3,4}, _$_L__unnamed_3[4];\n.global .u64 p = _$_str;\n.global .u64 q[2] = { _$_str+1, _$_L__unnamed_3 };\n".to_owned(),
        ),
        // Parameters, registers and labels.
        (
            ".func (.reg .b32 r.1) f(.reg .b32 p.1, .reg .b32 p.2) { add.u32 r.1, p.1, p.2; ret; }\n".to_owned(),
            ".func (.reg .b32 r_$_1) f(.reg .b32 p_$_1, .reg .b32 p_$_2) { add.u32 r_$_1, p_$_1, p_$_2; ret; }\n".to_owned(),
        ),
        (
            ".entry k(.param .b64 p.1) { .reg .b64 x.1; .reg .pred q.1; ld.param.b64 x.1, [p.1]; setp.eq.b64 q.1, x.1, 0; @q.1 bra l.1; @!q.1 bra l.1; l.1: ret; }\n".to_owned(),
            ".entry k(.param .b64 p_$_1) { .reg .b64 x_$_1; .reg .pred q_$_1; ld.param.b64 x_$_1, [p_$_1]; setp.eq.b64 q_$_1, x_$_1, 0; @q_$_1 bra l_$_1; @!q_$_1 bra l_$_1; l_$_1: ret; }\n".to_owned(),
        ),
        // An instruction is not a name.
        (
            ".global .b32 ld.global.u32;\n".to_owned() + &load("ld.global.u32"),
            ".global .b32 ld_$_global_$_u32;\n".to_owned() + &load("ld_$_global_$_u32"),
        ),
    ] {
        after_head(Repair::MangleSymbols, &before, &after);
        assert_eq!(refusal(&format!("{HEAD}{after}"), &[]), None, "{after}");
        // Done twice it is as done once.
        after_head(Repair::MangleSymbols, &after, &after);
        if ptxas().is_some() {
            assert!(refusal(&format!("{HEAD}{before}"), &[]).is_some(), "{before}");
        }
        let found = findings(&format!("{HEAD}{before}"));
        assert!(found.iter().any(|(code, ..)| *code == "D005"), "{before}: {found:?}");
    }
    // Kernels and functions keep their names, which no variable gets; their findings have new ones.
    for (before, after, help) in [
        (
            ".global .b32 a.b;\n".to_owned() + &load("a.b") + ".entry a.b() { ret; }\n",
            ".global .b32 a_$_b;\n".to_owned() + &load("a_$_b") + ".entry a.b() { ret; }\n",
            "a_$_b_1",
        ),
        (
            ".func a.b() { ret; }\n.global .b32 a.b;\n".to_owned()
                + &kernel("ld.global.u32 %r1, [a.b];\ncall a.b, ();\n"),
            ".func a.b() { ret; }\n.global .b32 a_$_b;\n".to_owned()
                + &kernel("ld.global.u32 %r1, [a_$_b];\ncall a.b, ();\n"),
            "a_$_b_1",
        ),
        (
            ".func .foo();\n".to_owned() + &kernel("call .foo, ();\n") + ".func .foo() { ret; }\n",
            ".func .foo();\n".to_owned() + &kernel("call .foo, ();\n") + ".func .foo() { ret; }\n",
            "_$_foo",
        ),
    ] {
        after_head(Repair::MangleSymbols, &before, &after);
        let help = Some(format!("write `{help}` wherever it stands, also where it is looked up"));
        let found = findings(&format!("{HEAD}{before}"));
        assert!(found.iter().any(|(code, _, said)| *code == "D005" && *said == help), "{found:?}");
    }
    // Each place has a finding with the new name, and none with that of something else.
    let text = format!("{HEAD}.global .b32 a_$_b;\n.global .b32 a.b;\n{}", load("a.b"));
    let helps: Vec<_> = findings(&text).into_iter().map(|(code, _, help)| (code, help)).collect();
    let help = Some("write `a_$_b_1` wherever it stands".to_owned());
    assert_eq!(helps, [("D005", help.clone()), ("D005", help)]);
    // What is left out for want of a name is no name.
    let odd = ".global .b8 .align 4 x;\n.global .b8\n.visible .entry k() { ret; }\n";
    after_head(Repair::MangleSymbols, odd, odd);
}

/// Report 73.
#[test]
fn inline_attributes_are_dropped() {
    let repair = FixSelection::of(&[Repair::DropInlineAttributes]);
    if let Some(text) = input("73-", "shade.ptx") {
        let after = fixed(&text, &repair);
        let locs = |text: &str| text.matches(".loc").count();
        assert_eq!((after.matches("function_name").count(), after.matches(".section").count()), (0, 0));
        assert_eq!((locs(&after), after.lines().next()), (locs(&text), text.lines().next()));
        assert_eq!(findings(&after), []);
        assert_eq!(refusal(&after, &["-lineinfo"]), None);
        // What strip-to-lines would leave is refused for this version.
        let lines_only = fixed(&text, &FixSelection::of(&[Repair::StripToLines]));
        assert_eq!((locs(&lines_only), lines_only.lines().next()), (locs(&text), text.lines().next()));
        assert_eq!(lines_only.matches("function_name").count() + lines_only.matches(".section").count(), 0);
        assert_eq!(refusal(&lines_only, &["-lineinfo"]), None);
    }
    let body = |end: &str| format!(".func f()\n{{\n.loc 1 2 3\n\t.loc 1 9 9{end} // c\n\tret;\n}}\n");
    let inlined = body(" , function_name n+1, inlined_at 1 2 3");
    for (sections, left) in [
        (".section .debug_str\n{\nn:\n.b8 0,102,0\n}\n", ""),
        // What something else names stays; a number may be an offset.
        (
            ".section .debug_str\n{\nn:\n.b8 102,0\nm:\n.b8 0\n}\n.section .debug_info\n{\n.b32 m\n}\n",
            ".section .debug_str\n{\n.b8 102,0\nm:\n.b8 0\n}\n.section .debug_info\n{\n.b32 m\n}\n",
        ),
        (
            ".section .debug_str\n{\nn: .b8 102,0\n}\n.section .debug_info\n{\n.b32 0\n}\n",
            ".section .debug_str\n{\n .b8 102,0\n}\n.section .debug_info\n{\n.b32 0\n}\n",
        ),
        (
            ".section .debug_str\n{\nn: .b8 102,0\n}\n.section .debug_x\n{\n.b32 n\n}\n",
            ".section .debug_str\n{\nn: .b8 102,0\n}\n.section .debug_x\n{\n.b32 n\n}\n",
        ),
        (".section .debug_str\n{\nm: .b8 102,0\n}\n", ".section .debug_str\n{\nm: .b8 102,0\n}\n"),
    ] {
        let before = format!("{inlined}{sections}");
        after_head(Repair::DropInlineAttributes, &before, &format!("{}{left}", body("")));
    }
}

/// The section of the names stays, empty, where `debug` asks for one: ptxas would refuse the
/// module, and without `debug` its code would be other.
#[test]
fn debug_keeps_a_section() {
    let module = |target: &str, attributes: &str, sections: &str| {
        format!(
            ".version 8.0\n.target sm_80{target}\n.address_size 64\n.entry k()\n{{\n.loc 1 2 3\n\
             .loc 1 9 9{attributes}\nret;\n}}\n.file 1 \"k.cu\"\n{sections}"
        )
    };
    let names = ".section .debug_str\n{\nn:\n.b8 102,0\n}\n";
    for (target, sections, left) in [
        (", debug", names.to_owned(), ".section .debug_str\n{\n}\n"),
        (", debug", format!("{names}.section .debug_loc {{ }}\n"), ".section .debug_loc { }\n"),
        ("", names.to_owned(), ""),
    ] {
        let before = module(target, ", function_name n, inlined_at 1 2 3", &sections);
        let after = module(target, "", left);
        whole(Repair::DropInlineAttributes, &before, &after);
        let options = if target.is_empty() { ["-lineinfo"] } else { ["-g"] };
        assert_eq!((refusal(&before, &options), refusal(&after, &options)), (None, None), "{after}");
    }
}

/// Report 73: what strip-to-lines leaves is not refused for the version either.
#[test]
fn strip_to_lines_keeps_an_old_version() {
    let module = |version: &str| {
        format!(
            ".version {version}\n.target sm_75\n.func f()\n{{\n.loc 1 2 3\n.loc 1 9 9, function_name n, inlined_at 1 2 3\n\
             ret;\n}}\n.file 1 \"k.cu\"\n.section .debug_str\n{{\nn:\n.b8 102,0\n}}\n"
        )
    };
    let repair = FixSelection::of(&[Repair::StripToLines]);
    let old = fixed(&module("6.5"), &repair);
    assert!(old.starts_with(".version 6.5\n") && old.contains(".loc 1 9 9\n"), "{old}");
    assert!(!old.contains("inlined_at") && !old.contains(".section"), "{old}");
    assert_eq!(fixed(&old, &repair), old);
    let new = module("7.0");
    assert_eq!(fixed(&new, &repair), new, "ptxas takes it");
}

/// Report 74.
#[test]
fn call_sites_are_inserted() {
    if let Some(text) = input("74-", "area.ptx") {
        let after = fixed(&text, &FixSelection::default());
        let added: Vec<_> = after.lines().filter(|line| !text.contains(line)).collect();
        assert_eq!(added, ["    .loc 1 80 21"], "80:40 stands later too: {after}");
        let at = |line: &str| after.find(line).unwrap();
        assert!(
            at(".loc 1 80 21\n") < at("inlined_at 1 80 21")
                && at(".loc 1 80 40\n") < at("inlined_at 1 80 40")
        );
        assert_eq!(findings(&after), []);
        assert_eq!(refusal(&after, &["-c", "-lineinfo"]), None);
    }
    let n = |site: &str| format!("function_name n, inlined_at {site}");
    let body = |locs: &[String]| format!(".func f()\n{{\n{}ret;\n}}\n", locs.concat());
    let loc = |place: &str, end: &str| match end {
        "" => format!("  .loc {place}\n"),
        end => format!("  .loc {place}, {end}\n"),
    };
    let plain = |place: &str| loc(place, "");
    for (before, after) in [
        // A call site in inlined code: by a later `.loc` of its place, of its line, or of the
        // lines around it.
        (
            vec![plain("1 5 5"), loc("1 9 9", &n("1 7 7")), loc("1 7 7", &n("1 5 5"))],
            vec![
                plain("1 5 5"),
                loc("1 7 7", &n("1 5 5")),
                loc("1 9 9", &n("1 7 7")),
                loc("1 7 7", &n("1 5 5")),
            ],
        ),
        (
            vec![plain("1 5 5"), loc("1 7 2", &n("1 5 5")), loc("1 9 9", &n("1 7 7"))],
            vec![
                plain("1 5 5"),
                loc("1 7 2", &n("1 5 5")),
                loc("1 7 7", &n("1 5 5")),
                loc("1 9 9", &n("1 7 7")),
            ],
        ),
        (
            vec![
                plain("1 5 5"),
                loc("1 6 1", &n("1 5 5")),
                loc("1 9 9", &n("1 7 7")),
                loc("1 8 1", &n("1 5 5")),
            ],
            vec![
                plain("1 5 5"),
                loc("1 6 1", &n("1 5 5")),
                loc("1 7 7", &n("1 5 5")),
                loc("1 9 9", &n("1 7 7")),
                loc("1 8 1", &n("1 5 5")),
            ],
        ),
        // Nothing is known: it is of the function.
        (
            vec![plain("1 5 5"), loc("2 6 1", &n("1 5 5")), loc("1 9 9", &n("1 7 7"))],
            vec![plain("1 5 5"), loc("2 6 1", &n("1 5 5")), plain("1 7 7"), loc("1 9 9", &n("1 7 7"))],
        ),
        // The call site of the call site too, and a call through itself.
        (
            vec![loc("1 9 9", &n("1 7 7")), loc("1 7 7", &n("1 5 5"))],
            vec![
                plain("1 5 5"),
                loc("1 7 7", &n("1 5 5")),
                loc("1 9 9", &n("1 7 7")),
                loc("1 7 7", &n("1 5 5")),
            ],
        ),
        (vec![loc("1 9 9", &n("1 9 9"))], vec![plain("1 9 9"), loc("1 9 9", &n("1 9 9"))]),
        (
            vec![loc("1 9 9", &n("1 8 8")), loc("1 8 8", &n("1 9 9"))],
            vec![
                plain("1 9 9"),
                loc("1 8 8", &n("1 9 9")),
                loc("1 9 9", &n("1 8 8")),
                loc("1 8 8", &n("1 9 9")),
            ],
        ),
    ] {
        after_head(Repair::InsertCallSites, &body(&before), &body(&after));
    }
    whole(
        Repair::InsertCallSites,
        &format!("{HEAD}.func f() {{ L: .loc 1 9 9, {} ret; }}", n("1 2 3")),
        &format!("{HEAD}.func f() {{ L: .loc 1 2 3\n.loc 1 9 9, {} ret; }}", n("1 2 3")),
    );
}

/// Report 76.
#[test]
fn nul_bytes_at_the_end() {
    let module = format!("{HEAD}.func f() {{ ret; }}\n");
    for (end, left) in [
        ("\0\0\0\0\0\0\0\0\0", ""),
        ("//end\0", "//end"),
        ("\0\n\0 \0\r\n", ""),
        ("\n\t\0", "\n\t"),
        ("// a\0b\0", "// a\0b"),
        ("/* \0 */\n", "/* \0 */\n"),
        ("\0.func", "\0.func"),
    ] {
        let (before, after) = (format!("{module}{end}"), format!("{module}{left}"));
        whole(Repair::CutNulBytes, &before, &after);
        assert_eq!(findings(&before)[0].0, "P003");
        if !left.contains('\0') {
            assert_eq!(findings(&after), []);
            assert_eq!(refusal(&after, &["-lineinfo"]), None);
        }
    }
    whole(Repair::CutNulBytes, ".\0v\0e\0", ".\0v\0e\0"); // UTF-16 is no PTX
}

/// Report 93.
#[test]
fn files_with_folder_and_name() {
    for file in ["axpb.ptx", "md5.ptx"] {
        let Some(text) = input("93-", file) else { return };
        let names = ["/home/ci/axpb/axpb.c", "/usr/lib/clang/19/include/fma.h", "/opt/abs.h"];
        let help = |name: &str| Some(format!("write \"{name}\""));
        let want: Vec<_> = (17..).zip(names).map(|(line, name)| ("F015", line, help(name))).collect();
        assert_eq!(findings(&text), want, "{file}");
        let after = fixed(&text, &FixSelection::default());
        let files: Vec<&str> = after.lines().filter(|line| line.starts_with(".file")).collect();
        let want: Vec<_> =
            (1..).zip(names).map(|(index, name)| format!(".file {index} \"{name}\"")).collect();
        assert_eq!(files, want, "{file}");
        assert_eq!(findings(&after), [], "{file}");
        assert_eq!(refusal(&after, &["-lineinfo"]), None, "{file}");
    }
    for (before, after) in [
        (".file 1 \"/a\" \"b.c\" // c\n", ".file 1 \"/a/b.c\" // c\n"),
        (".file 1 \"b.c\" md5 0x0123456789abcdef0123456789abcdef\n", ".file 1 \"b.c\"\n"),
        (".file 1 \"/a\" \"b.c\" source \"int a;\"\n", ".file 1 \"/a/b.c\"\n"),
        (
            ".file 1 \"/a\" \"b.c\" md5 0x0123456789abcdef0123456789abcdef source \"\"\n.file 2 \"d\"\n",
            ".file 1 \"/a/b.c\"\n.file 2 \"d\"\n",
        ),
        (".func f()\n{\n.file 1 \"/a\" \"b.c\"\nret;\n}\n", ".func f()\n{\n.file 1 \"/a/b.c\"\nret;\n}\n"),
        // What stands between the parts does not matter, and comments stay.
        (".file 1 \"/a\"\n\"b.c\"\n", ".file 1 \"/a/b.c\"\n"),
        (".file 1\n\"/a\"\t\n\n\t\"b.c\"\n.file 2 \"d\"\n", ".file 1\n\"/a/b.c\"\n.file 2 \"d\"\n"),
        (".file 1 \"/a\"\r\n  \"b.c\"\r\nmd5\r\n0x0123456789abcdef\r\n", ".file 1 \"/a/b.c\"\r\n"),
        (".file 1 \"/a\"\"b.c\"\n", ".file 1 \"/a/b.c\"\n"),
        (".file 1 \"/a\" // a\n\"b.c\"\n", ".file 1 \"/a/b.c\" // a\n\n"),
        (
            ".file 1 \"/a\"/* a\n*/\"b.c\" /**/ source /* s */ \"x\"\n",
            ".file 1 \"/a/b.c\"/* a\n*/ /**/  /* s */ \n",
        ),
        (".func f()\n{\n.file 1 \"/a\"\n\"b.c\"\nret;\n}\n", ".func f()\n{\n.file 1 \"/a/b.c\"\nret;\n}\n"),
        // No name at all.
        (".file 1 \"/a\" \"\"\n", ".file 1 \"/a\" \"\"\n"),
        (".file 1 \"/a\"\nmd5 f\n", ".file 1 \"/a\"\nmd5 f\n"),
        (".file 1 \"/a\" md5\n", ".file 1 \"/a\" md5\n"),
    ] {
        after_head(Repair::JoinFileNames, before, after);
        // One error for the directive.
        if before != after && !before.contains(".func") {
            let found = findings(&format!("{HEAD}{before}"));
            assert_eq!(found.iter().filter(|(code, ..)| *code == "F015").count(), found.len(), "{found:?}");
            assert_eq!(refusal(&format!("{HEAD}{after}"), &[]), None, "{after}");
        }
    }
}

/// What ptxas says of each kind is what `check --ptxas-messages` says.
#[test]
fn the_words_of_ptxas() {
    let Some(ptxas) = ptxas() else { return };
    let kernel = ".visible .entry k() {\n.loc 1 5 5\nret;\n}\n";
    for tail in [
        ".file 1 \"/a\" \"b.c\"\n",
        ".file 1 \"/a\" \"b.c\" md5 0x0123456789abcdef0123456789abcdef\n",
        ".file 1 \"b.c\" md5 0x0123456789abcdef0123456789abcdef\n",
        ".file 1 \"b.c\" source \"x\"\n",
        ".file 1 \"/a\" \"\"\n",
        ".file 1 \"b.c\"\n\0\0",
        ".global .b8 _$_str_$_5;\n.section .debug_x { .b64 .str.5 }\n",
        ".global .b8 t_$_5;\n.section .debug_x { .b64 t.5 }\n",
    ] {
        let text = format!("{HEAD}{kernel}{tail}");
        let said = assemble(&ptxas, &text, &["-lineinfo"]).unwrap_err();
        let said: Vec<&str> =
            said.lines().map(|line| line.rsplit_once("a.ptx").map_or(line, |(_, end)| end)).collect();
        let index = ptx_syntax::LineIndex::new(&text);
        let report = check(&parse(&text), &CheckContext::default());
        let lines = ptx_syntax::check::PtxasLines::new(&text, &index);
        let ours = report.ptxas_messages(ptx_syntax::check::Mode::Lineinfo, "a.ptx", &lines);
        let ours: Vec<&str> =
            ours.lines().map(|line| line.rsplit_once("a.ptx").map_or(line, |(_, end)| end)).collect();
        assert_eq!(ours, said, "{tail}");
    }
}

/// Report 75: names and folders of units, in entries and in `.debug_str`, and what counts their
/// bytes.
#[test]
fn paths_of_units_are_mapped() {
    let map = |pairs: &[(&str, &str)]| FixSelection {
        path_map: maps(pairs),
        ..FixSelection::of(&[Repair::PathMap])
    };
    let left = |text: &str, fixes: &FixSelection| {
        let context = CheckContext { path_map: &fixes.path_map, ..CheckContext::default() };
        let report = check(&parse(text), &context);
        report.findings.into_iter().filter(|f| f.rule.code == "F016").map(|f| f.message).collect::<Vec<_>>()
    };
    if let Some(text) = input("75-", "fir.ptx") {
        for new in ["/src", "", "/a/folder/with/a/much/longer/name/than/that/of/the/agent"] {
            let fixes = map(&[("/build/agent-7/ws", new)]);
            assert_eq!(left(&text, &fixes).len(), 4);
            let after = fixed(&text, &fixes);
            assert!(!after.contains("agent-7") || new.contains("agent"), "{after}");
            let length = 106 + 2 * new.len() - 2 * "/build/agent-7/ws".len();
            assert!(after.contains(&format!(".b32 {length}\n.b8 2,0\n")), "{after}");
            assert_eq!(left(&after, &fixes), [""; 0]);
            assert_eq!(findings(&after).iter().filter(|(code, ..)| code.starts_with('W')).count(), 0);
            assert_eq!(refusal(&after, &["-g"]), None);
        }
        // What another kind of string has is said.
        let fixes = map(&[("handmade 1", "x")]);
        assert_eq!(
            left(&fixed(&text, &fixes), &fixes),
            [".debug_info+0xc: `handmade 1` begins with `handmade 1`"]
        );
    }
    let bytes = |text: &str| text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",") + ",0";
    // A unit with its name in the entry and its folder in `.debug_str`, and two entries that lead
    // to each other; references as numbers, as labels, and as differences.
    let module = |name: &str, folder: &str, numbers: [usize; 7], labels: &str| {
        let [length, first, second, offset, unit, entry, inlined] = numbers;
        let (name, folder) = (bytes(name), bytes(folder));
        format!(
            "{HEAD}.func f()\n{{\n.loc 1 2 3\n.loc 1 9 9, function_name .debug_str+{inlined}, inlined_at 1 2 3\nret;\n}}\n.file 1 \"k.cu\"\n\
             .section .debug_abbrev\n{{\n.b8 1,17,1,3,8,27,14,0,0\n.b8 2,36,0,3,14,73,19,0,0,0\n}}\n\
             .section .debug_info\n{{\n.b32 {length}\nstart:\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n.b8 {name}\n.b32 .debug_str\n\
             a:\n.b8 2\n.b32 n\n.b32 {first}\nb:\n.b8 2\n.b32 .debug_str+{offset}\n.b8 {second},0,0,0\n{labels}.b8 0\nend:\n}}\n\
             .section .debug_pubnames\n{{\n.b32 18\n.b8 2,0\n.b32 .debug_info\n.b32 {unit}\n.b32 {entry}\n.b8 97,0\n.b32 0\n}}\n\
             .section .debug_str\n{{\n.b8 {folder}\nn:\n.b8 97,0\n.b8 98,0\n}}\n"
        )
    };
    let fixes = map(&[("/old", "/n")]);
    let more = ".b8 2\n.b32 n+2\n.b32 a-start+4\n";
    // The name is shorter by 2, and so is the folder.
    let before = module("/old/k.cu", "/old/b", [50, 35, 26, 9, 54, 26, 9], more);
    let after = module("/n/k.cu", "/n/b", [48, 33, 24, 7, 52, 24, 7], more);
    assert_eq!(fixed(&before.replace("a-start+4", "26"), &fixes), after.replace("a-start+4", "24"));
    assert_eq!(left(&before.replace("a-start+4", "26"), &fixes).len(), 2);
    // In another spelling than that of the map.
    let windows = module("D:\\old\\k.cu", "D:\\old\\b", [52, 37, 28, 11, 56, 28, 11], more);
    let windows = windows.replace("a-start+4", "28");
    let any_spelling = map(&[("d:/OLD", "/n")]);
    assert_eq!(left(&windows, &any_spelling).len(), 2);
    assert_eq!(fixed(&windows, &any_spelling), after.replace("a-start+4", "24"));
    // Labels count by themselves.
    let by_labels =
        |text: &str| text.replace(".b32 50\n", ".b32 end-start\n").replace(".b32 48\n", ".b32 end-start\n");
    assert_eq!(
        fixed(&by_labels(&before.replace("a-start+4", "26")), &fixes),
        by_labels(&after.replace("a-start+4", "24"))
    );
    // An offset into the beginning of the name cannot follow, and so nothing changes.
    let inside = before.replace("a-start+4", "26").replace(".debug_str+9\n", ".debug_str+2\n");
    assert_eq!(fixed(&inside, &fixes), inside);
    assert_eq!(left(&inside, &fixes).len(), 2);
}
