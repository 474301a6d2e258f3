//! `debugify` and `check-debugify`: made-up lines of PTX, and whether a cubin has them.

use crate::commands::read::{self, PtxFile, printable};
use crate::output;
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, Status, report};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use cubin_debuginfo::debugify::{LineAgreement, line_agreement};
use ptx_syntax::debugify::{DebugifiedLines, debugify};
use ptx_syntax::{LineIndex, parse};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Instruction k of the module gets `.loc FILE k 1` on a line of its own, as `ir debugify` does with
LLVM IR. Instructions that share a PTX line get lines of their own. A module with debug directives is not changed:
`check --fix=strip-all` takes them out.

Examples:
  ptxas-driver debugify k.ptx -o made.ptx && ptxas -lineinfo -arch sm_90 made.ptx -o k.cubin
  ptxas-driver check-debugify k.cubin --ptx made.ptx

Exit status:
  0  done
  2  the module has debug directives or syntax errors, the command line is wrong, or a file cannot be read or written";

const AFTER_CHECK_HELP: &str = "\
Where .nv_debug_line_sass names the PTX line of instruction k, .debug_line must have line k. A line
that no code has is not a fault: ptxas took its instruction out, or made one of it and others.

Examples:
  ptxas-driver debugify k.ptx -o made.ptx && ptxas-driver compile -lineinfo made.ptx -o k.cubin
  ptxas-driver check-debugify k.cubin --ptx made.ptx

Exit status:
  0  all ranges of code agree
  1  a range has another line, or the file has no ranges with PTX lines
  2  the command line is wrong, a file cannot be read, or the PTX is not one of `debugify`";

/// The options of `debugify`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A PTX file; `-` for standard input
    file: PathBuf,
    /// Write to this file, whole or not at all; `-` is standard output, the default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The options of `check-debugify`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_CHECK_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct CheckOptions {
    /// A cubin, or a file with cubins in it; `-` for standard input
    file: PathBuf,
    /// The PTX that `debugify` wrote, from which the cubin was made
    #[arg(long, value_name = "FILE")]
    ptx: PathBuf,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs `debugify`, and returns the exit status.
///
/// # Errors
///
/// The module has debug directives or syntax errors, or the result cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let file = PtxFile::read(&options.file)?;
    let made = debugify(&parse(&file.text), &file.name).map_err(|fault| {
        let (line, column) = LineIndex::new(&file.text).line_col(fault.range().start);
        anyhow!("{}:{line}:{column}: {fault}", file.name)
    })?;
    let bytes = file.bytes_of(&made.text);
    match options.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => output::write(path, &bytes)?,
        None => output::write_stdout(out, &bytes)?,
    }
    Ok(Exit::Answered)
}

/// What `check-debugify` says of a cubin. The exit status is 1 where `other_ranges` has any, or
/// `ranges` is 0.
#[derive(Serialize, JsonSchema)]
struct CubinCheck {
    #[serde(flatten)]
    agreement: LineAgreement,
    #[serde(skip)]
    name: String,
}

/// The name of the JSON schema of `check-debugify`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<CubinCheck>();

/// Runs `check-debugify`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn check(options: &CheckOptions, out: &mut dyn Write) -> Result<Exit> {
    if read::asks_stdin_twice(out, [read::is_stdin(&options.file), read::is_stdin(&options.ptx)])? {
        return Ok(Exit::Unreadable);
    }
    let name = read::shown_name(&options.file);
    report(out, Form::json_if(options.json), CubinCheck::SCHEMA, &name, |answers| {
        check_file(options, answers)
    })
}

fn check_file(options: &CheckOptions, answers: &mut Answers<'_>) -> Result<()> {
    let ptx = PtxFile::read(&options.ptx)?;
    let given = DebugifiedLines::read(&parse(&ptx.text).module);
    let given = given.ok_or_else(|| anyhow!("{}: its lines are not those of `debugify`", ptx.name))?;
    read::each_cubin(&options.file, None, answers, |image, bytes, answers| {
        let cubin = read::cubin(&image.name, bytes)?;
        let agreement = line_agreement(&cubin, &given).with_context(|| image.name.clone())?;
        let check = CubinCheck { agreement, name: image.name.clone() };
        Ok(answers.add_cubin(image, &cubin, &check)?)
    })
}

/// Lines as `1-3, 7`.
fn runs(lines: &[u32]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = lines.iter().copied().peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        while let Some(next) = rest.next_if_eq(&last.saturating_add(1)) {
            last = next;
        }
        words.push(if first == last { first.to_string() } else { format!("{first}-{last}") });
    }
    words.join(", ")
}

impl Answer for CubinCheck {
    const SCHEMA: &'static str = "nvdwarf.check_debugify";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let LineAgreement { lines, missing_lines, ranges, agreeing_ranges, other_ranges, entry_ranges } =
            &self.agreement;
        let name = printable(&self.name);
        writeln!(out, "{name}: {agreeing_ranges} of {ranges} ranges of code agree in both line tables")?;
        for other in other_ranges {
            let section = printable(&other.section);
            let expected = other.expected.map_or("no instruction".to_owned(), |line| format!("line {line}"));
            let found = match &other.lines[..] {
                [] => "no row".to_owned(),
                lines => format!("line {}", runs(lines)),
            };
            writeln!(
                out,
                "  {section}+{:#x}: PTX line {} is {expected}, .debug_line has {found}",
                other.offset, other.ptx_line
            )?;
        }
        if *entry_ranges > 0 {
            let plural = if *entry_ranges == 1 { "" } else { "s" };
            writeln!(out, "  {entry_ranges} range{plural} before the first instruction of a function")?;
        }
        let with_code = *lines as usize - missing_lines.len();
        writeln!(out, "  {with_code} of {lines} lines have code")?;
        if !missing_lines.is_empty() {
            writeln!(out, "  without code: {}", runs(missing_lines))?;
        }
        Ok(())
    }

    fn status(&self) -> Status {
        let agreement = &self.agreement;
        let has_findings = !agreement.other_ranges.is_empty() || agreement.ranges == 0;
        Status { has_findings, ..Status::default() }
    }
}
