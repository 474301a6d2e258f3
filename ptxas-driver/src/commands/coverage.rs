//! `coverage`: how much of the code its debug information covers.

mod text;

use crate::commands::findings::{
    FailOn, FindingList, FindingOptions, FindingOutput, Findings, FormatName, Rules, show_rules,
};
use crate::commands::read::{self, DebugFileOptions, FolderFilter, PtxFile, PtxLocs, no_debug_sections};
use crate::options::{PathMap, path_map_argument};
use crate::report::{Answer, Answers, CubinKind, DocumentHead, DocumentSchema, Exit, InputName, Status};
use crate::stderr::{complain, note};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use cubin_debuginfo::coverage::rules::{RuleId, file_findings};
use cubin_debuginfo::coverage::{Coverage, Limits, PtxNames, Report};
use cubin_debuginfo::symbolize::Symbolizer;
use findings::{
    Catalog, FindingFile, KnownFindings, LocatedFinding, RuleTable as _, RuleText, Selection, Severity,
};
use nv_debug_sections::arch::Arch;
use nv_debug_sections::cubin::{CodeLocation, Cubin};
use nv_debug_sections::level::UnoptimisedCode;
use ptx_syntax::Module;
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::Cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
The first five are shares of the instructions. NOPs after a function's last instruction are left out.
  line       a row of the line table covers the instruction, with a line other than 0
  inlined    that row is of inlined code
  own        that row starts in the same function, at code of the same PTX line
  inherited  that row starts before, at code of another PTX line. A row reaches over the start of a
             function only where ptxas left out the function's first row
  ptx        a row of the PTX line table covers the instruction
  vars       the share of the bytes of variables' and parameters' scopes at which they have a location
             (`llvm-dwarfdump --statistics`: #bytes in parent scope covered by DW_AT_location)
  regs       of the bytes at which the location is a register, the share at which SASS registers hold
             all of it, by the register map. Elsewhere a debugger has a location and cannot read it
Lines are \"not in the code\" if only rows that cover no instruction name them; with --ptx also if a
.loc or inlined_at directive names them, and no instruction or inlined call of the file has them. It
is an error if no FILE has any function, inlined function, source file or variable of the PTX. From a
linked file all of them may be gone.

Limits apply to each kernel. Limits of lines apply to functions folded into kernels too, except for
those of the toolkit. In a file without kernels limits apply to each function that has a section of
its own. The variables of a function without an entry in .debug_info count as not covered. A FILE
without such code does not meet a limit. An object of `compile --code none` does not either, since
its shares are of PTX instructions.

Examples:
  ptxas-driver coverage out.cubin --min-lines 95
  ptxas-driver coverage out.cubin --by file --ptx in.ptx
  ptxas-driver coverage build/ --min-lines 95 --format github
  ptxas-driver extract lib.a -o DIR && ptxas-driver coverage DIR --json

Exit status:
  0  done, and every function meets the limits
  1  a function does not meet a limit, the PTX and the files have nothing in common, or a register map cannot be read (`--rules`)
  2  the command line is wrong, or a file cannot be read";

/// The options of `coverage`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// Cubins, or folders with cubins; `-` for standard input
    #[arg(required_unless_present_any = ["rules", "explain"], value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    debug: DebugFileOptions,
    /// What the lines of the table are about; --json has both
    #[arg(long, value_enum, default_value = "kernel", value_name = "WHAT")]
    by: By,
    /// The PTX that the files were made from, to show which of its lines and variables they lack
    #[arg(long, value_name = "FILE")]
    ptx: Option<PathBuf>,
    /// Paths of the PTX that begin with OLD begin with NEW in the files, as after `compile
    /// --path-map`; may be given again
    #[arg(long, visible_alias = "file-prefix-map", value_name = "OLD=NEW", value_parser = path_map_argument, requires = "ptx")]
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
    #[command(flatten)]
    findings: FindingOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Kernels and functions
    Kernel,
    /// Source files
    File,
}

/// What `coverage` says of a cubin: how much of its code has lines, and how much of the scopes of
/// its variables locations.
///
/// The exit status is 1 where a register map cannot be read, a function does not keep a limit,
/// there is a limit and a file has no code that limits hold for (`code` is `none`, say), or the PTX
/// has nothing in common with any file (see `ptx`).
#[derive(Serialize, JsonSchema)]
struct Covered<'a> {
    #[serde(flatten)]
    report: Report,
    #[serde(skip)]
    name: String,
    /// The name for messages about debug sections.
    #[serde(skip)]
    sections_name: String,
    /// What is odd about the file, for standard error.
    #[serde(skip)]
    notes: Vec<String>,
    #[serde(skip)]
    arch: Arch,
    #[serde(skip)]
    options: &'a Options,
    /// What a file without code is; it keeps no limit.
    #[serde(skip)]
    debug_only: Option<String>,
    /// Whether the file has no code, here or elsewhere.
    #[serde(skip)]
    is_without_code: bool,
    /// Why the cubin is not compared with the limits that were asked for. Absent where it is, or
    /// where no limit was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_code: Option<String>,
    #[serde(skip)]
    shown: FindingOutput,
}

impl FindingList for Covered<'_> {
    fn located(&self, file: &FindingFile) -> Vec<LocatedFinding> {
        let no_code = self.no_code.iter().map(|words| file_findings::no_code(file, words.clone()));
        self.report.located(file).into_iter().chain(no_code).collect()
    }

    fn unlisted(&self) -> Vec<(&'static str, Severity, usize)> {
        Vec::new()
    }

    fn leave_out(&mut self, file: &str, known: &mut KnownFindings) {
        self.report.leave_out(file, known);
        let no_code = file_findings::no_code(&FindingFile::default(), String::new());
        let is_known = |_: &mut String| known.take(file, no_code.code, &no_code.subject);
        if self.no_code.take_if(is_known).is_some() {
            self.report.in_baseline = self.report.in_baseline.map(|count| count + 1);
        }
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

/// What is said of a file that minima cannot be looked at for.
const NO_CODE: &str = "no code that minima could hold for";

/// The name of the JSON schema of `coverage`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins_with::<Limits, Covered<'_>>();

/// The name of the JSON schema of `coverage --rules`.
pub const RULES_SCHEMA: DocumentSchema = DocumentSchema::of::<Rules<RuleText>>("nvdwarf.coverage.rules");

/// Runs `coverage`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let catalog = Catalog::of::<RuleId>();
    if options.findings.asks_for_rules() {
        return show_rules("coverage", RULES_SCHEMA.name, &options.findings, &catalog, |rule| rule, out);
    }
    let is_stdin = options.files.iter().chain(&options.ptx).map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(Exit::Unreadable);
    }
    let findings = Findings::new("coverage", &options.findings, catalog, FailOn::Error)?;
    let limits = options.limits();
    let name = options.files.first().map(|path| read::shown_name(path)).unwrap_or_default();
    let look = |answers: &mut Answers<'_>| cover_file(options, &findings, answers);
    findings.report(out, DocumentHead { schema: Covered::SCHEMA, members: &limits }, &name, look)
}

/// Looks at all files.
fn cover_file(options: &Options, findings: &Findings<'_>, answers: &mut Answers<'_>) -> Result<()> {
    let debug = options.debug.read()?;
    let ptx_file = options.ptx.as_deref().map(PtxFile::read).transpose()?;
    let module = ptx_file.as_ref().map(|ptx| ptx_syntax::parse(&ptx.text).module);
    let ptx = ptx_file.as_ref().zip(module.as_ref());
    let names = ptx.map(|(ptx, module)| {
        let path = |path: &str| match PathMap::apply(&options.path_map, path.as_bytes()) {
            Some(mapped) => read::text(&mapped),
            None => path.to_owned(),
        };
        PtxNames::read(module, path).with_context(|| ptx.name.clone())
    });
    let names = names.transpose()?;
    let given = ptx.zip(names.as_ref()).map(|((file, module), names)| GivenPtx { file, module, names });
    let limits = options.limits();
    let (mut reports, mut has_ptx) = (Vec::new(), false);
    let selection = findings.selection();
    let look = |_: &Path, image: &InputName, bytes: &[u8]| {
        debug.look(&image.name, bytes, |cubin, side| {
            let mut covered = of_cubin(&image.name, cubin, given, options)?;
            covered.sections_name = read::name_of_sections(&image.name, side).into_owned();
            covered.select(selection);
            Ok((CubinKind::from(cubin), covered))
        })
    };
    // Of the cubins of one operand: whether there is one, and whether limits could be looked at or
    // it was said why not.
    let (is_read, is_judged) = (Cell::new(false), Cell::new(false));
    let tell =
        |image: &InputName, (kind, mut covered): (CubinKind, Covered<'_>), answers: &mut Answers<'_>| {
            // nvlink puts an image without code into each program.
            if image.origin.is_some() && covered.is_without_code {
                answers.pass_over(Status::default());
                return Ok(());
            }
            covered.notes.iter().for_each(|words| note(format_args!("{}: {words}", image.name)));
            covered.shown = findings.take(&findings.file(image), &mut covered);
            answers.add_cubin(image, kind, &covered)?;
            answers.flush()?;
            covered.complain();
            let Covered { report, debug_only, .. } = covered;
            is_read.set(true);
            is_judged.set(is_judged.get() || debug_only.is_some() || report.judged > 0);
            has_ptx |= report.ptx.is_some();
            reports.push((report.instructions, report.variables));
            Ok(())
        };
    let end = |path: &Path, answers: &mut Answers<'_>| {
        let (is_read, is_judged) = (is_read.take(), is_judged.take());
        if limits.is_any() && is_read && !is_judged {
            let image = InputName { name: read::shown_name(path), ..InputName::default() };
            say(
                findings.take_one(file_findings::no_code(&findings.file(&image), NO_CODE.to_owned())),
                answers,
            )?;
        }
        Ok(())
    };
    let operands = read::walk(&options.files, FolderFilter::Cubins);
    let files = operands.len();
    read::each_cubin_in_parallel(operands, answers, look, tell, end)?;
    if let Some(file) = ptx_file.as_ref().filter(|_| !has_ptx) {
        let image = InputName { name: file.name.clone(), ..InputName::default() };
        let words = "no function, source file or variable of it is in what was read".to_owned();
        say(findings.take_one(file_findings::unrelated_ptx(&findings.file(&image), words)), answers)?;
    }
    if options.findings.format() == FormatName::Text && files > 1 {
        text::all_files(answers.out, &reports)?;
    }
    Ok(())
}

/// Says what is of no single cubin.
fn say(finding: Option<(LocatedFinding, FindingOutput)>, answers: &mut Answers<'_>) -> Result<()> {
    let Some((finding, shown)) = finding else { return Ok(()) };
    if shown.fails {
        answers.worsen_exit(Exit::Findings);
    }
    if !shown.write(answers.out)? {
        answers.add_words(&finding.place.file.shown, &finding.message)?;
        answers.flush()?;
        complain(format_args!("{}: {}", finding.place.file.shown, finding.message));
    }
    Ok(())
}

impl Options {
    fn limits(&self) -> Limits {
        let Self { min_lines, min_own, max_inherited, min_vars, .. } = *self;
        Limits { min_lines, min_own, max_inherited, min_variables: min_vars }
    }
}

impl Answer for Covered<'_> {
    const SCHEMA: &'static str = "nvdwarf.coverage";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { report, name, arch, options, debug_only, shown, .. } = self;
        if shown.write(out)? {
            return Ok(());
        }
        text::file(out, name, *arch, debug_only.as_deref(), report, options.by == By::File)?;
        if options.ptx.is_some() && report.ptx.is_none() {
            writeln!(
                out,
                "  the PTX is of something else: no function, source file or variable of it is in the file"
            )?;
        }
        if let Some(count) = report.in_baseline {
            writeln!(out, "  findings in the baseline: {count}")?;
        }
        Ok(())
    }

    fn status(&self) -> Status {
        Status { has_findings: self.shown.fails, ..Status::default() }
    }
}

impl Covered<'_> {
    /// Leaves out what rules say that do not count.
    fn select(&mut self, selection: &Selection) {
        self.report.select(selection);
        self.no_code.take_if(|_| !selection.has(RuleId::NoCode.rule().code));
    }

    /// Says what is not as it should be.
    fn complain(&self) {
        let Self { report, name, sections_name, .. } = self;
        if self.shown.has_lines() {
            return;
        }
        if let Some(error) = &report.register_fault {
            complain(format_args!("{sections_name}: {error}; not all that is in SASS registers is counted"));
        }
        for function in &report.functions {
            for shortfall in &function.below {
                complain(format_args!("{name}: {}: {shortfall}", function.plain_name()));
            }
        }
        if let Some(words) = &self.no_code {
            complain(format_args!("{name}: {words}"));
        }
    }
}

/// The PTX that cubins are compared with.
#[derive(Clone, Copy)]
struct GivenPtx<'p> {
    file: &'p PtxFile,
    module: &'p Module<'p>,
    names: &'p PtxNames,
}

fn of_cubin<'a>(
    name: &str,
    cubin: &Cubin<'_>,
    ptx: Option<GivenPtx<'_>>,
    options: &'a Options,
) -> Result<Covered<'a>> {
    let other_file = cubin.code_location() == CodeLocation::OtherFile;
    let padding = other_file.then_some("the code is in another file, so that padding counts as instructions");
    let notes = no_debug_sections(cubin, None).into_iter().chain(padding).map(str::to_owned);
    // Whoever asked for -g knows.
    let unoptimised = UnoptimisedCode::of(cubin).filter(|code| code.options.contains(&"-O0"));
    let unoptimised = unoptimised.map(|code| format!("{code}: its profiles say little of optimised code"));
    let mut notes: Vec<String> = notes.chain(unoptimised).collect();
    let mut report = || {
        let symbolizer = Symbolizer::new(cubin)?;
        let coverage = Coverage::of(cubin, &symbolizer)?;
        let lost = ptx.map(|ptx| ptx.names.lost(cubin, &coverage)).transpose()?.flatten();
        let mut lost_calls = None;
        if let Some(ptx) = ptx.filter(|_| lost.is_some()) {
            match PtxLocs::of(ptx.file, ptx.module, cubin).lost_calls(cubin) {
                Ok(found) => lost_calls = found,
                Err(why) => notes.push(format!("inlined calls are not compared: {why}")),
            }
        }
        let report = Report::new(cubin, &coverage, options.limits());
        Ok::<_, nv_debug_sections::Error>(Report { ptx: lost, lost_calls, ..report })
    };
    let report = report().with_context(|| name.to_owned())?;
    let debug_only = cubin.debug_only_text();
    let no_code = debug_only.as_ref().filter(|_| options.limits().is_any());
    let no_code = no_code.map(|what| format!("{NO_CODE}: {what}"));
    let name = name.to_owned();
    Ok(Covered {
        report,
        sections_name: name.clone(),
        name,
        notes,
        arch: cubin.arch(),
        options,
        debug_only,
        is_without_code: read::is_without_code(cubin),
        no_code,
        shown: FindingOutput::default(),
    })
}
