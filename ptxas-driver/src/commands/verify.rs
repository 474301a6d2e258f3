//! `verify`: checks the debug information of cubins.

mod text;

use crate::commands::findings::{
    FailOn, FindingList, FindingOptions, FindingOutput, Findings, FormatName, Rules, show_rules,
};
use crate::commands::read::{
    self, DebugFileOptions, FolderFilter, PtxFile, PtxLocs, SourceOptions, Sources, no_debug_sections,
};
use crate::report::{
    Answer, Answers, CubinKind, DocumentHead, DocumentSchema, Exit, InputName, Status, write_document,
};
use crate::stderr::note;
use anyhow::{Result, bail};
use clap::Args;
use cubin_debuginfo::lines::{LostCalls, NoChains};
use cubin_debuginfo::verify::{
    self as native, KnownFault, SourceFile, VerifyContext, known_faults, verify_with,
};
use findings::{Catalog, FindingFile, KnownFindings, LocatedFinding, RuleText, Selection, Severity, Summary};
use merc_capsule::self_check as capsule;
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::Module;
use ptx_syntax::check::SourceState;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver verify a.cubin                 what is wrong with its debug information
  ptxas-driver verify --json *.cubin          the same for a script
  ptxas-driver verify --ignore L101,R101 a.cubin
  ptxas-driver verify --explain L101          what a rule requires, why, and what to do
  ptxas-driver verify --format sarif build/   all cubins of a folder, for code scanning (docs/ci.md)
  ptxas-driver verify --ptx a.ptx a.cubin     also inlined calls that ptxas has dropped
  ptxas-driver verify --known-faults          what tools are known to do wrong

Line numbers are compared with the source files. A source file is read only if it has the size that
the cubin records, and lies below the working folder or one of --source-dir; relative names may also
lie below the folder of FILE. Where one of a table is there, a note names those that are missing.
The rules are in docs/verify.md. Rules that ptxas and nvlink are known to break have codes of their
own, from 101 on, and are notes. 20 findings of a rule are shown and the others counted; --json has
100.
From sm_100 on the capsule is compared with the native sections too, as `merc self-check` does.
A file without code, as `compile --code none` makes it, is not a fault; a note names it.

Exit status:
  0  no errors (with --fail-on, nothing of that severity)
  1  an error
  2  the command line is wrong, or a file cannot be read";

/// The options of `verify`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// Cubins, or folders with cubins; `-` for standard input
    #[arg(required_unless_present_any = ["known_faults", "rules", "explain"], value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    debug: DebugFileOptions,
    #[command(flatten)]
    sources: SourceOptions,
    /// The PTX that the files were made from, to find inlined calls that ptxas drops. It must be
    /// the one whose text the files keep
    #[arg(long, value_name = "FILE")]
    ptx: Option<PathBuf>,
    /// List the rules that tools are known to break; no file is read
    #[arg(long, conflicts_with_all = ["files", "debug_file", "ptx", "select", "ignore", "rules", "explain"])]
    known_faults: bool,
    #[command(flatten)]
    findings: FindingOptions,
}

/// What tools are known to do wrong: the table of `verify --known-faults`.
#[derive(Serialize, JsonSchema)]
struct KnownFaults {
    /// The rules that tools are known to break.
    rules: Vec<KnownFault>,
}

/// What `verify` finds in a cubin. The exit status is 1 where `errors` is not 0.
#[derive(Serialize, JsonSchema)]
struct Verified {
    #[serde(skip)]
    name: String,
    /// What is odd about the file, for standard error.
    #[serde(skip)]
    notes: Vec<String>,
    /// What a file without code is.
    #[serde(skip)]
    debug_only: Option<String>,
    #[serde(flatten)]
    summary: Summary,
    #[serde(skip)]
    shown: FindingOutput,
}

impl FindingList for Verified {
    fn located(&self, file: &FindingFile) -> Vec<LocatedFinding> {
        self.summary.findings.iter().map(|finding| finding.located(file)).collect()
    }

    fn unlisted(&self) -> Vec<(&'static str, Severity, usize)> {
        self.summary.more.iter().map(|more| (more.code, more.severity, more.count)).collect()
    }

    fn leave_out(&mut self, file: &str, known: &mut KnownFindings) {
        self.summary.remove_known(file, known);
    }
}

impl Answer for Verified {
    const SCHEMA: &'static str = "nvdwarf.verify";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.shown.write(out)? { Ok(()) } else { text::file(out, self) }
    }

    fn status(&self) -> Status {
        Status { has_findings: self.shown.fails, ..Status::default() }
    }
}

/// The rules of both tables.
fn catalog() -> Catalog {
    Catalog::of::<native::RuleId>().with_table::<capsule::RuleId>()
}

/// The name of the JSON schema of `verify`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Verified>();

/// The name of the JSON schema of `verify --rules`.
pub const RULES_SCHEMA: DocumentSchema = DocumentSchema::of::<Rules<RuleText>>("nvdwarf.verify.rules");

/// The name of the JSON schema of `verify --known-faults`.
pub const KNOWN_FAULTS_SCHEMA: DocumentSchema =
    DocumentSchema::of::<KnownFaults>("nvdwarf.verify.known_faults");

/// Runs `verify`, and returns the exit status.
///
/// # Errors
///
/// The debug file cannot be read, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if options.known_faults {
        let rules: Vec<KnownFault> = known_faults().collect();
        match options.findings.format() {
            FormatName::Text => text::known_faults(out, &rules)?,
            FormatName::Json => write_document(out, KNOWN_FAULTS_SCHEMA.name, &KnownFaults { rules })?,
            _ => bail!("rules are not findings: expected --format text or json"),
        }
        return Ok(Exit::Answered);
    }
    if options.findings.asks_for_rules() {
        return show_rules("verify", RULES_SCHEMA.name, &options.findings, &catalog(), |rule| rule, out);
    }
    let is_stdin = options.files.iter().chain(&options.ptx).map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(Exit::Unreadable);
    }
    let findings = Findings::new("verify", &options.findings, catalog(), FailOn::Error)?;
    let name = options.files.first().map(|path| read::shown_name(path)).unwrap_or_default();
    let selection = findings.selection();
    let run = |answers: &mut Answers<'_>| {
        let debug = options.debug.read()?;
        let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
        let module = ptx.as_ref().map(|ptx| ptx_syntax::parse(&ptx.text).module);
        let ptx = ptx.as_ref().zip(module.as_ref());
        let look = |path: &Path, image: &InputName, bytes: &[u8]| {
            debug.look(&image.name, bytes, |cubin, _| {
                let sources = options.sources.of(path);
                let verified = of_cubin(&image.name, cubin, sources.as_ref(), ptx, selection);
                Ok((CubinKind::from(cubin), verified))
            })
        };
        let tell =
            |image: &InputName, (kind, mut verified): (CubinKind, Verified), answers: &mut Answers<'_>| {
                for why in &verified.notes {
                    note(format_args!("{}: {why}", image.name));
                }
                verified.shown = findings.take(&findings.file(image), &mut verified);
                Ok(answers.add_cubin(image, kind, &verified)?)
            };
        let operands = read::walk(&options.files, FolderFilter::Cubins);
        read::each_cubin_in_parallel(operands, answers, look, tell, |_, _| Ok(()))
    };
    findings.report(out, DocumentHead::of(Verified::SCHEMA), &name, run)
}

/// The inlined calls and files that the PTX and the cubin do not have alike; none where the tables
/// cannot be read, which is a finding.
fn lost_calls<'p>(ptx: &'p PtxFile, module: &Module<'p>, cubin: &Cubin<'_>) -> Result<LostCalls, NoChains> {
    let locs = PtxLocs::of(ptx, module, cubin);
    let lost = locs.lost_calls(cubin)?;
    Ok(lost.unwrap_or_default())
}

fn of_cubin(
    name: &str,
    cubin: &Cubin<'_>,
    sources: Option<&Sources>,
    ptx: Option<(&PtxFile, &Module<'_>)>,
    selection: &Selection,
) -> Verified {
    let mut notes: Vec<String> = no_debug_sections(cubin, None).map(str::to_owned).into_iter().collect();
    let lost_calls = ptx.map(|(ptx, module)| lost_calls(ptx, module, cubin));
    let lost_calls = lost_calls.transpose().unwrap_or_else(|why| {
        notes.push(format!("inlined calls are not compared: {why}"));
        None
    });
    let lost_calls = lost_calls.unwrap_or_default();
    let source_lines = |file: &SourceFile<'_>| {
        sources.map_or(SourceState::Unknown, |sources| sources.look_for(file.path, file.size))
    };
    let source_lines = sources.is_some().then_some(&source_lines as _);
    let report = verify_with(
        cubin,
        VerifyContext { source_lines, lost_calls: &lost_calls.calls, lost_files: &lost_calls.files },
    );
    let mut summary = Summary::default();
    summary.add(&report, selection, |rule| rule.details.fault_of);
    // A side file alone has no code that would say where its clones' addresses are; `--debug-file`
    // brings both together.
    if cubin.has_capsule() && !cubin.is_side_file() {
        summary.add(&capsule::verify(cubin), selection, |_| None);
    }
    Verified {
        name: name.to_owned(),
        notes,
        debug_only: cubin.debug_only_text(),
        summary,
        shown: FindingOutput::default(),
    }
}
