//! `check`: what is wrong with the debug directives of PTX, what ptxas would say, and repairs.

mod json;
mod ptx_file;
mod sources;
mod text;

use crate::cli::{FAILURE, USAGE, complain};
use anyhow::Result;
use clap::{Args, ValueEnum};
use ptx_file::PtxFile;
use ptx_syntax::LineIndex;
use ptx_syntax::check::{self, Context, Mode, PtxasLines, Report, Rule, Severity, Verdict, rule_named};
use sources::Sources;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver check k.ptx                       every finding, with its line
  ptxas-driver check --verdict g *.ptx           what ptxas 13.0.88 -g would do with each
  ptxas-driver check --min-version k.ptx         the least .version for the directives used
  ptxas-driver check --rules                     every rule, its code and what ptxas does

Rules are named by code (F001) or name (duplicate-file-index). Notes are no findings.
A module is judged by its grammar and its debug directives: opcodes, types and registers are not looked at.

Exit status:
  0  no findings; with --verdict, every file is accepted
  1  findings; with --verdict, a file is rejected
  2  the command line is wrong, or a file cannot be read";

/// What to check, and what to show.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// PTX files; `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "rules")]
    files: Vec<PathBuf>,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
    /// Only say whether ptxas 13.0.88 takes each file: `FILE: accept` or `FILE: reject CODE`
    #[arg(long, value_name = "MODE", conflicts_with_all = ["json", "ptxas_messages", "min_version"])]
    verdict: Option<ModeName>,
    /// Only print what ptxas 13.0.88 would print
    #[arg(long, conflicts_with_all = ["json", "min_version"])]
    ptxas_messages: bool,
    /// How ptxas is called, for --ptxas-messages
    #[arg(long, value_name = "MODE", default_value = "none", requires = "ptxas_messages")]
    mode: ModeName,
    /// Only print the least `.version` for the directives used
    #[arg(long, conflicts_with = "json")]
    min_version: bool,
    /// Leave out a rule; may be given again
    #[arg(long, value_name = "RULE", value_parser = parse_rule)]
    allow: Vec<&'static Rule>,
    /// Leave out notes
    #[arg(long)]
    no_notes: bool,
    /// Show all findings of a rule, not only the first 20 in a file
    #[arg(long)]
    all: bool,
    /// Do not look for the source files, which tell lines past their end
    #[arg(long)]
    no_sources: bool,
    /// List the rules
    #[arg(long, conflicts_with_all = ["files", "verdict", "ptxas_messages", "min_version"])]
    rules: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// How ptxas is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// Without debug options
    None,
    /// -lineinfo
    Lineinfo,
    /// -g
    G,
}

impl ModeName {
    const fn mode(self) -> Mode {
        match self {
            Self::None => Mode::None,
            Self::Lineinfo => Mode::Lineinfo,
            Self::G => Mode::G,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

fn parse_rule(word: &str) -> Result<&'static Rule, String> {
    rule_named(word).ok_or_else(|| "no such rule; --rules lists them".to_owned())
}

/// One file, checked.
struct Checked<'f> {
    file: &'f PtxFile,
    lines: LineIndex,
    report: Report,
}

/// Runs the command.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    if options.rules {
        if options.json {
            json::rules(out)?
        } else {
            text::rules(out)?
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut unreadable = false;
    let mut found = false;
    let mut documents = json::Documents::new(options.json);
    for path in &options.files {
        let file = match PtxFile::read(path) {
            Ok(file) => file,
            Err(error) => {
                out.flush()?;
                complain(format_args!("{error:#}"));
                documents.unreadable(path, &error);
                unreadable = true;
                continue;
            }
        };
        let checked = Checked::new(&file, options);
        found |= checked.is_finding(options);
        if options.json {
            documents.add(&checked);
        } else {
            checked.show(options, out)?;
        }
    }
    documents.write(out)?;
    Ok(ExitCode::from(match (unreadable, found) {
        (true, _) => USAGE,
        (false, true) => FAILURE,
        (false, false) => 0,
    }))
}

impl<'f> Checked<'f> {
    fn new(file: &'f PtxFile, options: &Options) -> Self {
        let parsed = ptx_syntax::parse(&file.text);
        let sources = Sources::beside(&file.path);
        let source_lines = |path: &str| sources.line_count(path);
        let context = Context { source_lines: if options.no_sources { None } else { Some(&source_lines) } };
        let mut report = check::check(&parsed, &context);
        report.findings.retain(|finding| {
            !options.allow.contains(&finding.rule)
                && !(options.no_notes && finding.severity == Severity::Note)
        });
        report.more.retain(|(rule, _)| !options.allow.contains(rule));
        Self { file, lines: LineIndex::new(&file.text), report }
    }

    fn is_finding(&self, options: &Options) -> bool {
        match options.verdict {
            Some(mode) => self.report.verdict(mode.mode()) != Verdict::Accept,
            None => self.report.worst() > Some(Severity::Note),
        }
    }

    fn show(&self, options: &Options, out: &mut dyn Write) -> Result<()> {
        let name = &self.file.name;
        if let Some(mode) = options.verdict {
            writeln!(out, "{name}: {}", self.report.verdict(mode.mode()))?;
        } else if options.ptxas_messages {
            let lines = PtxasLines::new(&self.file.text, &self.lines);
            out.write_all(self.report.ptxas_messages(options.mode.mode(), name, &lines).as_bytes())?;
        } else if options.min_version {
            text::min_version(self, out)?;
        } else {
            text::findings(self, options, out)?;
        }
        Ok(())
    }
}
