//! What the knobs of the documented debug pipeline do in libNVVM and cicc 13.0.88 and LLVM 19.
//!
//! `tests/data/knobs/measured.txt` holds the answers; `docs/conformance.md` has what follows from
//! them. One test asks the tools again where they are; `BLESS=1` writes the file anew.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod faults;
#[path = "../support/libnvvm.rs"]
mod libnvvm;
mod modules;
#[path = "../support/mod.rs"]
mod support;
mod tools;

use modules::Modules;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};
use support::in_parallel;
use tools::{Answer, Tool, Tools};

const MEASURED: &str = include_str!("../data/knobs/measured.txt");
const CONFORMANCE: &str = include_str!("../../../docs/conformance.md");

/// The knobs that the seed documents, by their names in LLVM.
const KNOBS: [&str; 19] = [
    "debug-compile",
    "generate-line-info",
    "line-info-inlined-at",
    "nvptx-emit-src",
    "dwarf-extended-loc",
    "dwarf-version",
    "debugify-each",
    "debugify-level",
    "debugify-quiet",
    "debugify-func-limit",
    "debugify-export",
    "verify-each",
    "verify-after-all",
    "verify-debuginfo-preserve",
    "verify-di-preserve-export",
    "no-inline-line-tables",
    "write-experimental-debuginfo",
    "write-experimental-debuginfo-iterators-to-bitcode",
    "preserve-input-debuginfo-format",
];

/// The knobs with a value: what they are set to.
const SETTINGS: [&str; 21] = [
    "-debug-compile",
    "-generate-line-info",
    "-line-info-inlined-at=0",
    "-nvptx-emit-src",
    "-dwarf-extended-loc=Enable",
    "-dwarf-extended-loc=Disable",
    "-dwarf-version=4",
    "-debugify-each",
    "-debugify-each -debugify-quiet",
    "-debugify-each -debugify-level=locations",
    "-debugify-each -debugify-func-limit=0",
    "-debugify-each -debugify-export=EXPORT",
    "-verify-each",
    "-verify-after-all",
    "-verify-debuginfo-preserve",
    "-verify-each-debuginfo-preserve -verify-di-preserve-export=EXPORT",
    "-no-inline-line-tables",
    "-write-experimental-debuginfo=0",
    "-write-experimental-debuginfo-iterators-to-bitcode=0",
    "-preserve-input-debuginfo-format",
    "-nvvm-verify-show-info",
];

/// The versions of a module that libNVVM is asked about.
const VERSIONS: [&str; 12] = [
    "i32 2, i32 0",
    "i32 2, i32 0, i32 3, i32 0",
    "i32 2, i32 0, i32 3, i32 1",
    "i32 2, i32 0, i32 3, i32 2",
    "i32 2, i32 0, i32 3, i32 3",
    "i32 2, i32 0, i32 4, i32 0",
    "i32 2, i32 0, i32 2, i32 0",
    "i32 2, i32 0, i32 3",
    "i32 2, i32 1",
    "i32 2, i32 98",
    "i32 3, i32 0",
    "i32 2",
];

const DIALECTS: [(Tool, &str); 2] = [(Tool::NvvmTyped, "typed"), (Tool::NvvmModern, "modern")];

/// A tool with a module and options.
#[derive(Debug)]
struct Question {
    tool: Tool,
    name: String,
    module: String,
    options: String,
}

/// All questions; those with one tool and name stand together, first the one without knobs.
#[derive(Default)]
struct Questions(Vec<Question>);

impl Questions {
    fn add(&mut self, tool: Tool, name: &str, module: &str, options: &str) {
        let (name, module, options) = (name.to_owned(), module.to_owned(), options.to_owned());
        self.0.push(Question { tool, name, module, options });
    }

    fn all() -> Self {
        let (mut all, modules) = (Self::default(), Modules::read());
        for (tool, dialect) in DIALECTS {
            all.of_options(&modules, tool, dialect);
            all.of_versions(&modules, tool, dialect);
        }
        all.of_modules(&modules);
        all.of_llvm(&modules);
        for tool in [Tool::CiccTyped, Tool::CiccModern] {
            for mode in ["-generate-line-info", "-g"] {
                let knobs = ["", "-no-lineinfo-inlined-at", "-show-src", "-line-info-inlined-at=0"];
                let more = [
                    "-dwarf-extended-loc=Disable",
                    "-dwarf-version=4",
                    "-debugify-each",
                    "-Xllc -dwarf-version=4",
                ];
                for knob in knobs.into_iter().chain(more) {
                    let options = format!("{mode} {knob}");
                    all.add(tool, &format!("source with {mode}"), modules::SOURCE, options.trim());
                }
            }
        }
        all
    }

    /// The options of libNVVM, and the knobs that it hands to LLVM.
    fn of_options(&mut self, modules: &Modules, tool: Tool, dialect: &str) {
        for kind in ["DebugDirectivesOnly", "FullDebug", "no debug information"] {
            if kind == "no debug information" && tool == Tool::NvvmTyped {
                continue; // it has no debugify
            }
            let module = modules.kind(dialect, kind);
            for options in [
                "",
                "-no-lineinfo-inlined-at",
                "-show-src",
                "-Xllc -line-info-inlined-at=0",
                "-Xllc -debugify-each",
            ] {
                self.add(tool, kind, &module, options);
            }
            for setting in SETTINGS {
                let words: Vec<String> = setting.split(' ').map(|word| format!("-Xopt {word}")).collect();
                self.add(tool, kind, &module, &words.join(" "));
            }
        }
    }

    fn of_versions(&mut self, modules: &Modules, tool: Tool, dialect: &str) {
        for version in VERSIONS {
            for kind in ["FullDebug", "NoDebug", "no debug information"] {
                let module = modules.version(dialect, kind, version);
                let name = format!("{kind}, version {{{version}}}");
                let all: &[&str] = match (kind, version) {
                    ("no debug information", "i32 2, i32 0, i32 3, i32 3") => &["-g"],
                    (_, "i32 2, i32 0") => &["", "-g", "-generate-line-info"],
                    ("FullDebug", _) => &["", "-g"],
                    _ => &[],
                };
                for options in all {
                    self.add(tool, &name, &module, options);
                }
            }
        }
    }

    /// What stands in the module and not among the options.
    fn of_modules(&mut self, modules: &Modules) {
        let tool = Tool::NvvmModern;
        self.add(tool, "inlined call", &modules::inlined(""), "");
        self.add(
            tool,
            "inlined call, caller with no-inline-line-tables",
            &modules::inlined(NO_INLINE_LINE_TABLES),
            "",
        );
        for kind in ["FullDebug", "DebugDirectivesOnly"] {
            for depth in [1, 100, 1000] {
                self.add(
                    tool,
                    &format!("{kind}, variable in {depth} blocks"),
                    &modules.deep(depth, kind),
                    "",
                );
            }
        }
        self.add(tool, "FullDebug, flag Dwarf Version 4", &modules.dwarf_version(4), "");
        let lossy = modules::LOSSY;
        self.add(tool, "loop", lossy, "");
        self.add(tool, "loop", lossy, "-Xopt -verify-debuginfo-preserve");
        let export = "-Xopt -verify-each-debuginfo-preserve -Xopt -verify-di-preserve-export=EXPORT";
        self.add(tool, "loop", lossy, export);
        let plain = modules::stripped(lossy);
        self.add(tool, "loop, no debug information", &plain, "");
        for (name, module) in [("loop, no debug information", plain.as_str()), ("loop with it", lossy)] {
            for knob in ["", " -Xopt -debugify-quiet", " -Xopt -debugify-export=EXPORT"] {
                self.add(tool, name, module, &format!("-Xopt -debugify-each{knob}"));
            }
        }
    }

    fn of_llvm(&mut self, modules: &Modules) {
        let full = modules.kind("modern", "FullDebug");
        self.add(Tool::Llc, "FullDebug", &full, "");
        for knob in SETTINGS.iter().filter(|knob| !knob.contains("EXPORT")) {
            self.add(Tool::Llc, "FullDebug", &full, knob);
        }
        self.add(Tool::Llc, "FullDebug, flag Dwarf Version 4", &modules.dwarf_version(4), "");
        self.add(Tool::Llc, "DebugDirectivesOnly", &modules.kind("modern", "DebugDirectivesOnly"), "");

        let inline = "-passes=always-inline";
        self.add(Tool::Opt, "inlined call", &modules::inlined(""), inline);
        let name = "inlined call, caller with no-inline-line-tables";
        self.add(Tool::Opt, name, &modules::inlined(NO_INLINE_LINE_TABLES), inline);
        for (name, module) in [("records", &full), ("intrinsics", &modules.intrinsics())] {
            for options in ["", "-preserve-input-debuginfo-format", "-write-experimental-debuginfo=0"] {
                self.add(Tool::Opt, name, module, options);
            }
        }
        let lossy = modules::LOSSY;
        let plain = modules::stripped(lossy);
        let of_passes = |knob: &&&str| knob.starts_with("-debugify") || knob.starts_with("-verify");
        for (name, module) in
            [("loop, passes", lossy), ("loop, no debug information, passes", plain.as_str())]
        {
            for knob in [""].iter().chain(SETTINGS.iter().filter(of_passes)) {
                let options =
                    format!("-passes=function(simplifycfg,loop-mssa(loop-rotate,licm),simplifycfg) {knob}");
                self.add(Tool::Opt, name, module, options.trim());
            }
        }
    }
}

const NO_INLINE_LINE_TABLES: &str = " \"no-inline-line-tables\"";

/// All questions with their answers, as text.
fn asked(tools: &Tools) -> String {
    let questions = Questions::all().0;
    let answers =
        in_parallel(&questions, |question| tools.ask(question.tool, &question.module, &question.options));
    let mut text = values(tools);
    let mut first: Option<(&Question, &Answer)> = None;
    for (question, answer) in questions.iter().zip(&answers) {
        let plain = first.filter(|(plain, _)| plain.tool == question.tool && plain.name == question.name);
        if plain.is_none() {
            writeln!(text, "{}, {}", question.tool.name(), question.name).unwrap();
            first = Some((question, answer));
        }
        let is_same = plain.is_some_and(|(_, plain)| plain.has_output_of(answer));
        writeln!(text, "  [{}]: {}", question.options, answer.words(is_same)).unwrap();
    }
    text
}

/// The values of all knobs, which libNVVM prints for the modern dialect, and which its own options
/// change.
fn values(tools: &Tools) -> String {
    let module = Modules::read().kind("modern", "FullDebug");
    let tool = Tool::NvvmModern;
    let (mut text, mut plain) = (String::new(), Vec::new());
    for own in ["", "-g", "-generate-line-info", "-no-lineinfo-inlined-at", "-show-src"] {
        let options = format!("{own} -Xopt -print-all-options");
        writeln!(text, "{}, values of knobs [{}]", tool.name(), options.trim()).unwrap();
        let printed = tools.output(tool, &module, options.trim());
        let value = |knob: &str| {
            let line = printed.lines().find_map(|line| {
                let (name, value) = line.trim_start().strip_prefix("--")?.split_once('=')?;
                (name.trim_end() == knob).then(|| value.split_whitespace().collect::<Vec<_>>().join(" "))
            });
            format!("  {knob} = {}\n", line.as_deref().unwrap_or("not there"))
        };
        let values: Vec<String> = KNOBS.iter().map(|knob| value(knob)).collect();
        text.extend(values.iter().filter(|line| !plain.contains(*line)).map(String::as_str));
        if plain.is_empty() {
            plain = values;
        }
    }
    text
}

#[test]
fn the_knobs_do_what_was_measured() {
    let Some(tools) = Tools::find() else { return };
    let text = asked(&tools);
    if env::var_os("BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/knobs/measured.txt");
        fs::write(path, text).unwrap();
        return;
    }
    let (mut name, mut measured) = ("", MEASURED.lines());
    for line in text.lines() {
        if !line.starts_with(' ') {
            name = line;
        }
        assert_eq!(line, measured.next().unwrap_or("nothing"), "of {name}");
    }
    assert_eq!(measured.next(), None, "the file has more");
}

#[test]
fn each_knob_is_measured_and_has_a_row() {
    let (_, rows) = CONFORMANCE.split_once("\n## Knobs of the debug pipeline").unwrap();
    let rows = rows.split("\n## ").next().unwrap();
    for knob in KNOBS {
        assert!(MEASURED.contains(&format!("-{knob}")), "{knob} is not measured");
        assert!(
            rows.contains(&format!("{knob}`")) || rows.contains(&format!("{knob}=")),
            "{knob} has no row"
        );
    }
}
