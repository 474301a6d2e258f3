//! `coverage`: how much of the code its debug information covers.

mod text;

use crate::commands::read::{self, DebugBytes, DebugFile, PtxFile, no_debug_sections, write_document};
use crate::options::{self, PathMap};
use crate::stderr::{FAILURE, USAGE, complain, note};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use cubin_debuginfo::coverage::ptx::PtxNames;
use cubin_debuginfo::coverage::{Coverage, Limits, Report};
use cubin_debuginfo::symbolize::Symbolizer;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Shares are of instructions, the NOPs behind the last one of a function left out:
  line       a row of the line table covers it, with a line other than 0
  inlined    the row is of inlined code
  own        of these the row starts in the function, at code of the same PTX line
  inherited  the row before covers it, which is at code of another PTX line; over the start of a
             function a row reaches only where ptxas left out the function's first row
  ptx        a row of the PTX line table covers it
  vars       of variables and parameters, the bytes of their scopes at which they have a location
             (`llvm-dwarfdump --statistics`: #bytes in parent scope covered by DW_AT_location)
  regs       of the bytes at which that is a register, those at which the register map has all of it in
             SASS registers: elsewhere a debugger has a location and cannot read it
Lines that are not in the code are those that rows name in vain, and with --ptx those of .loc and
inlined_at directives that no instruction or inlined call of the file has. PTX of something else, of
which no FILE has any function, inlined function, source file or variable, is an error; of a linked
file it may be all folded away.

Limits hold for each kernel; those of lines for functions folded into kernels too, but for those of
the toolkit; in a file without kernels, for each function with a section of its own. Without an entry
in .debug_info the variables of a function count as not covered. A FILE without such code keeps no
limit, nor does what `compile --code none` makes: its shares are of PTX instructions.

Examples:
  ptxas-driver coverage out.cubin --min-lines 95
  ptxas-driver coverage out.cubin --by file --ptx in.ptx
  ptxas-driver extract lib.a -o DIR && ptxas-driver coverage DIR/*.cubin --json

Exit status:
  0  done, and every function keeps the limits
  1  a function does not keep a limit, the PTX has nothing of the files, or a file or its register map
     cannot be read
  2  the command line is wrong";

/// The command line.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::FILES_HELP))]
pub struct Options {
    /// Cubins; `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    debug: DebugFile,
    /// What has a line of the table each; --json has both
    #[arg(long, value_enum, default_value = "kernel", value_name = "WHAT")]
    by: By,
    /// The PTX that the files were made from: what of it is not in them
    #[arg(long, value_name = "FILE")]
    ptx: Option<PathBuf>,
    /// Paths of the PTX that begin with OLD begin with NEW in the files, as after `compile --path-map`; may be given again
    #[arg(long, value_name = "OLD=NEW", value_parser = path_map, requires = "ptx")]
    path_map: Vec<PathMap>,
    /// Least share of instructions with a line, 0 to 100
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    min_lines: Option<f64>,
    /// Least share of instructions with a line of their own, 0 to 100
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    min_own: Option<f64>,
    /// Largest share of instructions that inherit their line, 0 to 100
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    max_inherited: Option<f64>,
    /// Least share of the bytes of variables' scopes that have a location, 0 to 100
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    min_vars: Option<f64>,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Kernels and functions
    Kernel,
    /// Source files
    File,
}

/// The JSON document.
#[derive(Debug, Serialize)]
struct Document {
    #[serde(flatten)]
    limits: Limits,
    files: Vec<Outcome>,
}

/// What came of a cubin.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    file: String,
    #[serde(flatten)]
    report: Option<Report>,
    /// What a file without code is; it keeps no limit.
    #[serde(skip)]
    debug_only: Option<String>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn path_map(text: &str) -> Result<PathMap, String> {
    options::path_map(text).ok_or_else(|| "expected OLD=NEW, and OLD not empty".to_owned())
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

/// What is said of a file that minima cannot be looked at for.
const NO_CODE: &str = "no code that minima could hold for";

/// Runs the command.
///
/// # Errors
///
/// The PTX or the debug file cannot be read, or `out` cannot be written. A cubin that cannot be read is an outcome of its own.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let is_stdin = options.files.iter().chain(&options.ptx).map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(ExitCode::from(USAGE));
    }
    let debug = options.debug.read()?;
    let ptx_file = options.ptx.as_deref().map(PtxFile::read).transpose()?;
    let names = ptx_file.as_ref().map(|ptx| {
        let path = |path: &str| match PathMap::apply(&options.path_map, path.as_bytes()) {
            Some(mapped) => read::text(&mapped),
            None => path.to_owned(),
        };
        PtxNames::read(&ptx_syntax::parse(&ptx.text).module, path).with_context(|| ptx.name.clone())
    });
    let names = names.transpose()?;
    let limits = options.limits();
    let mut failed = false;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for path in &options.files {
        let before = outcomes.len();
        let look = |name: &str, bytes: &[u8]| look((name, bytes), &debug, names.as_ref(), limits);
        read::each_image(path, out, look, |out, name, done| {
            let file = name.to_owned();
            let outcome =
                done.unwrap_or_else(|error| Outcome { file, error: Some(error), ..Outcome::default() });
            failed |= !say(&outcome, options, &debug, out)?;
            outcomes.push(outcome);
            Ok(())
        })?;
        let is_said = |outcome: &Outcome| {
            outcome.debug_only.is_some() || outcome.report.as_ref().is_some_and(|report| report.judged > 0)
        };
        if limits.is_any() && !outcomes.iter().skip(before).any(is_said) {
            failed = true;
            out.flush()?;
            complain(format_args!("{}: {NO_CODE}", path.display()));
        }
    }
    if let Some(file) = &ptx_file
        && !reports(&outcomes).any(|report| report.ptx.is_some())
    {
        failed = true;
        out.flush()?;
        complain(format_args!(
            "{}: no function, source file or variable of it is in what was read",
            file.name
        ));
    }
    if options.json {
        write_document(out, "nvdwarf.coverage", &Document { limits, files: outcomes })?;
    } else if options.files.len() > 1 {
        text::all_files(out, reports(&outcomes))?;
    }
    Ok(if failed { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS })
}

impl Options {
    fn limits(&self) -> Limits {
        let Self { min_lines, min_own, max_inherited, min_vars, .. } = *self;
        Limits { min_lines, min_own, max_inherited, min_variables: min_vars }
    }
}

/// The reports of cubins that were read.
fn reports(outcomes: &[Outcome]) -> impl Iterator<Item = &Report> {
    outcomes.iter().filter_map(|outcome| outcome.report.as_ref())
}

/// Shows what came of a cubin, and whether all is well with it.
fn say(outcome: &Outcome, options: &Options, debug: &DebugBytes, out: &mut dyn Write) -> Result<bool> {
    let Outcome { file: name, report: Some(report), debug_only, .. } = outcome else { return Ok(false) };
    let debug_only = debug_only.as_deref();
    if !options.json {
        text::file(out, (name, debug_only), report, options.by == By::File)?;
        if options.ptx.is_some() && report.ptx.is_none() {
            writeln!(
                out,
                "  the PTX is of something else: no function, source file or variable of it is in the file"
            )?;
        }
    }
    out.flush()?;
    if let Some(error) = &report.register_fault {
        let name = debug.name_of_sections(name);
        complain(format_args!("{name}: {error}; not all that is in SASS registers is counted"));
    }
    let mut is_well = report.register_fault.is_none();
    for function in &report.functions {
        for shortfall in &function.below {
            is_well = false;
            complain(format_args!("{name}: {}: {shortfall}", function.plain_name()));
        }
    }
    if let Some(what) = debug_only.filter(|_| options.limits().is_any()) {
        is_well = false;
        complain(format_args!("{name}: {NO_CODE}: {what}"));
    }
    Ok(is_well)
}

fn look(
    (name, bytes): (&str, &[u8]),
    debug: &DebugBytes,
    names: Option<&PtxNames>,
    limits: Limits,
) -> Result<Outcome> {
    debug.look(name, bytes, |cubin, _| {
        if let Some(why) = no_debug_sections(cubin, None) {
            note(format_args!("{name}: {why}"));
        }
        let report = || {
            let symbolizer = Symbolizer::new(cubin)?;
            let coverage = Coverage::of(cubin, &symbolizer)?;
            let ptx = names.map(|names| names.lost(cubin, &coverage)).transpose()?.flatten();
            Ok::<_, nv_debug_sections::Error>(Report { ptx, ..Report::new(cubin, &coverage, limits) })
        };
        let report = Some(report().with_context(|| name.to_owned())?);
        Ok(Outcome { file: name.to_owned(), report, debug_only: cubin.debug_only_words(), error: None })
    })
}
