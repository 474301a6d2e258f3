//! Small modules and what LLVM makes of them: these run without any tool. `BLESS=1` writes the
//! results anew as `opt` has them.

mod support;

use llvm_debug_metadata::strip::{Declares, Note, STRIP_PASSES, StripPass, strip};
use llvm_debug_metadata::{ErrorKind, Module};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{env, fs};
use support::{data, printed, tool, without_names};

/// Modules as `opt` prints them, and the version of the `opt` that reads them.
const MODULES: [(&str, &str); 9] = [
    ("names", "opt-19"),
    ("loops", "opt-19"),
    ("types", "opt-19"),
    ("dead", "opt-19"),
    ("every_kind", "opt-19"),
    ("odd_names", "opt-19"),
    ("entry_blocks", "opt-19"),
    ("followup", "opt-19"),
    ("live_units", "opt-19"),
];

fn expected_path(name: &str, pass: StripPass) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.{}.ll", pass.name()))
}

#[test]
fn strips_are_as_llvm_made_them() {
    for (name, opt) in MODULES {
        let text = data(&format!("{name}.ll"));
        for pass in STRIP_PASSES {
            let path = expected_path(name, pass);
            if env::var_os("BLESS").is_some() {
                let Some(opt) = tool(opt) else { return };
                let argument = match pass {
                    StripPass::All => "--strip-debug".to_owned(),
                    _ => format!("-passes={}", pass.name()),
                };
                let theirs = printed(&opt, &["-S", &argument], &text);
                // A module that stays as it is has no file.
                if theirs == without_names(&text) {
                    _ = fs::remove_file(&path);
                } else {
                    fs::write(&path, theirs).unwrap();
                }
            }
            let expected = fs::read_to_string(&path).unwrap_or_else(|_| without_names(&text));
            let stripped = strip(&Module::parse(&text), pass, Declares::AsLlvm).unwrap();
            assert_eq!(without_names(&stripped.text), expected, "{name}: {}", pass.name());
        }
    }
}

#[test]
fn what_nothing_changes_is_the_input() {
    for (name, pass) in [
        ("loops", StripPass::DeadDebugInfo),
        ("names", StripPass::DebugDeclare),
        ("loops", StripPass::NonDebug),
    ] {
        let text = data(&format!("{name}.ll"));
        let odd = format!("{text}; a comment at the end without a line break");
        let module = Module::parse(&odd);
        let stripped = strip(&module, pass, Declares::AsLlvm).unwrap();
        assert!(matches!(stripped.text, Cow::Borrowed(text) if text == odd), "{name}: {}", pass.name());
    }
    // A stripped module has nothing more to strip.
    for pass in STRIP_PASSES {
        let text = data("types.ll");
        let once = strip(&Module::parse(&text), pass, Declares::AsLlvm).unwrap().text.into_owned();
        let twice = strip(&Module::parse(&once), pass, Declares::AsLlvm).unwrap().text.into_owned();
        assert_eq!(once, twice, "{}", pass.name());
    }
}

/// Numba writes `B0:` and `%"B0"` of one block.
#[test]
fn quotes_that_a_name_does_not_need() {
    let plain = "@g = internal global i32 7\n\ndefine void @f(i1 %c) {\nentry:\n  br i1 %c, label %B0, label %B1\n\n\
                 B0:\n  store i32 1, ptr @g\n  br label %B1\n\nB1:\n  ret void\n}\n";
    let quoted = plain.replace("%B0", "%\"B0\"").replace("br label %B1", "br label %\"B1\"");
    let quoted = quoted.replace("ptr @g", "ptr @\"g\"").replace("i1 %c, label", "i1 %\"c\", label");
    assert_eq!(quoted.matches('"').count(), 8);
    let stripped = |text: &str| {
        strip(&Module::parse(text), StripPass::NonDebug, Declares::AsLlvm).unwrap().text.into_owned()
    };
    assert_eq!(stripped(&quoted), stripped(plain));
    // A number in quotes is a name.
    assert!(stripped(&plain.replace("B0", "\"7\"")).contains("label %2, label %3"));
}

/// LLVM aborts: "subprogram definitions must have a compile unit".
#[test]
fn a_split_unit_becomes_a_whole_one() {
    let text = data("split_unit.ll");
    let stripped = strip(&Module::parse(&text), StripPass::NonLineTable, Declares::AsLlvm).unwrap();
    assert_eq!(stripped.notes, [Note::SplitUnits(1)]);
    let unit = "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: \"by hand\", isOptimized: false, \
                runtimeVersion: 0, emissionKind: LineTablesOnly)\n";
    assert!(stripped.text.contains(unit), "{}", stripped.text);
    let Some(opt) = tool("opt-19") else { return };
    assert_eq!(printed(&opt, &["-S"], &stripped.text), without_names(&stripped.text));
    // One that no function has goes, as with LLVM.
    let text = text.replace(" !dbg !6 {", " {").replace(", !dbg !9", "");
    let pass = StripPass::NonLineTable;
    let ours = strip(&Module::parse(&text), pass, Declares::AsLlvm).unwrap();
    assert_eq!(
        without_names(&ours.text),
        printed(&opt, &["-S", "-passes=strip-nonlinetable-debuginfo"], &text)
    );
    assert!(ours.notes.is_empty() && ours.text.contains("!llvm.dbg.cu = !{}"), "{}", ours.text);
}

#[test]
fn declares_stay_or_go() {
    let text = data("names.ll");
    let module = Module::parse(&text);
    let count = text.matches("#dbg_declare").count();
    let stay = strip(&module, StripPass::DebugDeclare, Declares::AsLlvm).unwrap();
    assert_eq!(stay.notes, [Note::DeclaresStay(count)]);
    assert_eq!(stay.notes[0].to_string(), format!("{count} declares of variables stay, as with LLVM 19"));
    let gone = strip(&module, StripPass::DebugDeclare, Declares::Remove).unwrap();
    assert!(count > 5 && !gone.text.contains("#dbg_declare") && !gone.text.contains("!DILocalVariable"));
    assert!(gone.notes.is_empty() && gone.text.contains("!dbg "));
}

/// Typed pointers and intrinsics, against LLVM 14, whose pass takes the calls.
#[test]
fn the_old_dialect() {
    let text = data("old_dialect.ll");
    let module = Module::parse(&text);
    let line_tables = strip(&module, StripPass::NonLineTable, Declares::AsLlvm).unwrap().text;
    assert!(!line_tables.contains("llvm.dbg.value") && line_tables.contains("LineTablesOnly"));
    let Some(opt) = tool("opt-14") else { return };
    for pass in STRIP_PASSES {
        let ours = strip(&module, pass, Declares::Remove).unwrap().text;
        let mut arguments = vec!["-S".to_owned(), format!("-passes={}", pass.name())];
        match pass {
            // These leave declarations of intrinsics that nothing calls.
            StripPass::All => {
                arguments[1] = "--strip-debug".to_owned();
                arguments.push("-passes=strip-dead-prototypes".to_owned());
            }
            StripPass::NonLineTable => arguments[1] += ",strip-dead-prototypes",
            _ => {}
        }
        assert_eq!(without_names(&ours), printed(&opt, &arguments, &text), "{}", pass.name());
    }
}

#[test]
fn errors_say_where() {
    let cases = [
        ("!0 = !{!7}\n!named = !{!0}\n", "!7", ErrorKind::UndefinedNode(7)),
        ("!0 = !{}\n!0 = !{}\n", "!0 = !{}", ErrorKind::RepeatedNode(0)),
        ("define void @f() {\n  ret void, !dbg !3\n}\n", "!3", ErrorKind::UndefinedNode(3)),
        ("!0 = !DIFile(filename: \"x\n", "\"x\n", ErrorKind::UnterminatedString),
        ("!0 = !DIFile(filename: \"x\"\n", "(", ErrorKind::UnclosedBracket),
        ("!0 = 7\n", "!0", ErrorKind::MissingNode),
        ("!99999999999 = !{}\n", "!99999999999", ErrorKind::NumberTooLarge),
        ("define void @f() {\n  ret void\n", "{", ErrorKind::UnclosedBracket),
        ("@f = global i32 0\nnothing\n", "nothing", ErrorKind::UnknownItem),
    ];
    for (text, at, kind) in cases {
        let module = Module::parse(text);
        let error = strip(&module, StripPass::NonLineTable, Declares::AsLlvm)
            .and_then(|_| strip(&module, StripPass::All, Declares::AsLlvm))
            .map(|stripped| panic!("{text}: {}", stripped.text))
            .unwrap_err();
        assert_eq!((error.range.slice(text), error.kind), (at, kind), "{text}");
    }
}
