//! Asks libNVVM, cicc, `llc-19` and `opt-19`.

use crate::libnvvm::{libnvvm, toolkit};
use llvm_debug_metadata::IrDialect;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::{env, fs};

/// A program that is asked, with the architecture that decides on its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    NvvmTyped,
    NvvmModern,
    CiccTyped,
    CiccModern,
    Llc,
    Opt,
}

impl Tool {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NvvmTyped => "libNVVM compute_90",
            Self::NvvmModern => "libNVVM compute_100",
            Self::CiccTyped => "cicc compute_90",
            Self::CiccModern => "cicc compute_100",
            Self::Llc => "llc-19",
            Self::Opt => "opt-19",
        }
    }
}

/// What a tool did with a module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The exit status, or 128 and the number of a signal.
    pub(crate) status: i32,
    output: String,
    messages: String,
    /// The first lines of the file that the tool was told to write, if it did.
    exported: Option<String>,
}

impl Answer {
    /// Whether this output is that of another answer.
    pub(crate) fn has_output_of(&self, other: &Self) -> bool {
        self.output == other.output
    }

    /// The answer in words.
    pub(crate) fn words(&self, has_same_output: bool) -> String {
        let mut text = format!("code {}", self.status);
        match (self.output.is_empty(), has_same_output) {
            (true, _) => text += ", no output",
            (false, true) => text += ", the same output",
            (false, false) => text += &self.facts(),
        }
        let mut counts = BTreeMap::new();
        for line in self.messages.lines().filter(|line| !line.is_empty()) {
            *counts.entry(shortened(line)).or_insert(0_usize) += 1;
        }
        counts.remove("");
        for (line, count) in &counts {
            let times = if *count > 1 { format!("{count} times ") } else { String::new() };
            write!(text, "\n    {times}{line}").unwrap();
        }
        if let Some(exported) = &self.exported {
            for line in exported.lines() {
                write!(text, "\n    exported: {line}").unwrap();
            }
        }
        text
    }

    /// What stands in a PTX or a module.
    fn facts(&self) -> String {
        let lines =
            |part: &str| self.output.lines().filter(|line| line.trim_start().starts_with(part)).count();
        let parts = |part: &str| self.output.matches(part).count();
        let mut text = String::new();
        for (what, count) in [
            ("loc", lines(".loc")),
            ("inlined_at", parts("inlined_at")),
            (
                "is_stmt, prologue_end, discriminator",
                parts("is_stmt") + parts("prologue_end") + parts("discriminator "),
            ),
            ("lines of source", lines("//k.c") + lines("//l.cu")),
            ("records", lines("#dbg_")),
            ("calls of intrinsics", parts("call void @llvm.dbg.")),
            ("inlinedAt", parts("inlinedAt:")),
            ("DILocation", parts("!DILocation(")),
        ] {
            if count > 0 {
                write!(text, ", {count} {what}").unwrap();
            }
        }
        let sections = self.output.lines().filter_map(|line| line.trim_start().strip_prefix(".section"));
        for section in sections {
            text += ", ";
            text += section.split_whitespace().next().unwrap_or_default();
        }
        if let Some(version) = self.dwarf_version() {
            write!(text, ", DWARF version {version}").unwrap();
        }
        if text.is_empty() { ", without debug information".to_owned() } else { text }
    }
}

impl Answer {
    /// The version that the first unit of a PTX has.
    fn dwarf_version(&self) -> Option<u32> {
        let (_, section) = self.output.split_once(".debug_info\n")?;
        // The unit's length is a `.b32`, the version the byte after it.
        let (_, rest) = section.split_once(".b32")?;
        let (_, bytes) = rest.split_once(".b8")?;
        bytes.split([',', '\n', '/']).next()?.trim().parse().ok()
    }
}

/// A message without what is not the question: names of passes, places, advice.
fn shortened(line: &str) -> String {
    if line.contains(": Did you mean '")
        || line == "Compilation terminated."
        || line.contains("catastrophic error")
    {
        return String::new();
    }
    if let Some((_, rest)) = line.split_once("Unknown command line argument '") {
        return format!("unknown: {}", rest.split('\'').next().unwrap_or(rest));
    }
    if let Some(place) = line.find("Missing line ") {
        return line[..place + 12].to_owned();
    }
    match (line.find(" ["), line.find("]: ")) {
        (Some(start), Some(end)) => format!("{} [PASS]{}", &line[..start], &line[end + 1..]),
        _ if line.ends_with("Pass: PASS") => "PASS: PASS".to_owned(),
        _ => line.to_owned(),
    }
}

/// The programs.
pub(crate) struct Tools {
    toolkit: PathBuf,
    /// The one folder of cicc, whose name it writes into its output.
    of_cicc: Mutex<tempfile::TempDir>,
}

impl Tools {
    /// The programs, where all of them are.
    pub(crate) fn find() -> Option<Self> {
        let toolkit = toolkit();
        let llvm =
            ["llc-19", "opt-19"].iter().all(|name| Command::new(name).arg("--version").output().is_ok());
        if toolkit.is_none() || !llvm {
            assert!(
                env::var_os("REQUIRE_ORACLES").is_none(),
                "libNVVM and LLVM 19 are required and not there"
            );
            #[allow(clippy::print_stderr, reason = "says what was not tried")]
            {
                eprintln!("skipped: no libNVVM (tools/oracle.sh) or no LLVM 19 (tools/llvm.sh)");
            }
            return None;
        }
        Some(Self { toolkit: toolkit?, of_cicc: Mutex::new(tempfile::tempdir().unwrap()) })
    }

    /// What a tool does with a module and options, in which `EXPORT` is a file.
    pub(crate) fn ask(&self, tool: Tool, module: &str, options: &str) -> Answer {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let export = folder.join("export");
        let done = self.run(folder, tool, module, &options.replace("EXPORT", export.to_str().unwrap()));
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes)
                .replace(export.to_str().unwrap(), "EXPORT")
                .replace(folder.to_str().unwrap(), "FOLDER")
        };
        let exported = fs::read_to_string(&export).ok();
        Answer {
            status: done.status.code().or(done.status.signal().map(|signal| 128 + signal)).unwrap(),
            output: text(&done.stdout),
            messages: text(&done.stderr),
            exported: exported.map(|text| {
                text.lines()
                    .take(2)
                    .map(|line| line.chars().take(160).chain(['\n']).collect::<String>())
                    .collect()
            }),
        }
    }

    /// What a tool prints.
    pub(crate) fn output(&self, tool: Tool, module: &str, options: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        String::from_utf8(self.run(folder.path(), tool, module, options).stdout).unwrap()
    }

    /// Whether ptxas compiles a PTX, and what it says.
    pub(crate) fn ptxas(&self, ptx: &str, architecture: &str) -> (bool, String) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("k.ptx"), ptx).unwrap();
        let mut command = Command::new(self.toolkit.join("bin/ptxas"));
        command.current_dir(folder.path()).args(["-arch", architecture, "k.ptx", "-o", "k.cubin"]);
        let output = command.output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    }

    fn run(&self, folder: &Path, tool: Tool, module: &str, options: &str) -> Output {
        fs::write(folder.join("module.ll"), module).unwrap();
        // The file that `-show-src` reads.
        let source: String =
            (1..32).fold(String::new(), |text, line| text + "line " + &line.to_string() + "\n");
        fs::write(folder.join("k.c"), source).unwrap();
        let options = options.split_whitespace();
        let mut command = match tool {
            Tool::NvvmTyped | Tool::NvvmModern => {
                let dialect = if tool == Tool::NvvmTyped {
                    IrDialect::TypedPointers
                } else {
                    IrDialect::OpaquePointers
                };
                let mut command = libnvvm(&self.toolkit, Path::new("module.ll"), dialect);
                command.args(options);
                command
            }
            Tool::CiccTyped | Tool::CiccModern => return self.cicc(tool, module, options),
            Tool::Llc | Tool::Opt => {
                let mut command = Command::new(tool.name());
                command.arg(if tool == Tool::Llc { "-mcpu=sm_90" } else { "-S" });
                command.args(options).args(["module.ll", "-o", "-"]);
                command
            }
        };
        command.current_dir(folder).output().unwrap()
    }

    fn cicc<'a>(&self, tool: Tool, source: &str, options: impl Iterator<Item = &'a str>) -> Output {
        let folder = self.of_cicc.lock().unwrap();
        let folder = folder.path();
        fs::write(folder.join("k.cpp1.ii"), source).unwrap();
        let _ = fs::remove_file(folder.join("k.ptx"));
        fs::write(folder.join("k.cu"), source).unwrap();
        let architecture = if tool == Tool::CiccTyped { "compute_90" } else { "compute_100" };
        let mut command = Command::new(self.toolkit.join("nvvm/bin/cicc"));
        command.current_dir(folder);
        command.args(["--c++17", "--static-host-stub", "--orig_src_file_name", "k.cu", "--allow_managed"]);
        command.args(["-arch", architecture, "-m64", "-tused"]).args(options).args([
            "k.cpp1.ii",
            "-o",
            "k.ptx",
        ]);
        let mut output = command.output().unwrap();
        output.stderr.append(&mut output.stdout);
        output.stdout = fs::read(folder.join("k.ptx")).unwrap_or_default();
        output
    }
}
