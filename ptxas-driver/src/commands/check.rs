//! `check`: checks the debug directives of PTX and the debug metadata of LLVM IR, says what ptxas
//! and libNVVM would say, and repairs them.

mod json;
mod llvm_ir;
mod release;
mod repair;
mod text;

use crate::commands::findings::{
    FailOn, FindingList, FindingOptions, FindingOutput, Findings, FormatName, Rules, show_rules,
};
use crate::commands::read::{self, FolderFilter, IrFile, PtxFile, SourceOptions, WalkEntry};
use crate::options::{PathMap, path_map_argument};
use crate::output;
use crate::parallel;
use crate::printable_text::{Plain, printable_lines};
use crate::progress::Progress;
use crate::report::{Answer, Answers, DocumentHead, DocumentSchema, Exit, InputName, Status};
use crate::stderr::{complain, has_colors};
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use findings::{Catalog, FindingFile, KnownFindings, LocatedFinding, Selection};
use llvm_ir::CheckedIr;
use ptx_syntax::check::{self, CheckContext, Mode, PtxasLines, Report, Severity, SourceState, Verdict};
use ptx_syntax::fix::{self, FixResult, FixSelection, Repair};
use ptx_syntax::{LineIndex, Release};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver check k.ptx                       every finding, with its line
  ptxas-driver check --verdict g *.ptx           what ptxas 13.0.88 -g would do with each
  ptxas-driver check --verdict g --release 12.9 k.ptx   what ptxas of CUDA 12.9 -g would do
  ptxas-driver check --min-version k.ptx         the least .version for the directives used
  ptxas-driver check --diff k.ptx                what the repairs would change
  ptxas-driver check --fix k.ptx                 repair the file, and say what is left
  ptxas-driver check --fix=strip-all k.ptx       one repair by its name
  ptxas-driver check --rules                     every rule, its code and what ptxas or libNVVM does
  ptxas-driver check --explain L004              one rule: what it requires, why, what to do
  ptxas-driver check --format github build/      all files of a folder, as annotations (docs/ci.md)
  ptxas-driver check --repairs                   every repair
  ptxas-driver check k.ll                        the debug metadata of LLVM IR, and what libNVVM makes of it

Rules are named by code (F001), name (duplicate-file-index) or the beginning of codes (F). --fix leaves
out a repair if all rules that it serves are ignored. Notes do not count for the exit status, unless --fail-on says so.
Lines are looked up in source files below the working folder, the folder of FILE and those of --source-dir.
--fix writes the file whole or not at all; of standard input it writes the text to standard output, and findings to standard error.
A module is judged by its debug directives, its grammar, and its declarations and their linkage (what is declared twice,
differently or never defined). Opcodes, operand types, registers and initial values are not looked at: a module without a
finding may still be refused for these. LLVM IR, as text or bitcode, is judged by its debug metadata, as libNVVM 13.0.88 does it:
below compute_100 where it has typed pointers, else from compute_100 on. A module that is refused for other reasons may have no finding. Folders are searched for *.ptx only.

Exit status:
  0  no warning and no error, or nothing of the severity of --fail-on (with --fix, none is left); with --verdict, every file is accepted
  1  findings; with --verdict, a file is rejected, or that is not known
  2  the command line is wrong, or a file cannot be read or repaired";

/// Options that exclude the short answers: each asks for an output of its own.
const OTHER_OUTPUT: [&str; 6] = ["json", "format", "baseline", "write_baseline", "rules", "explain"];

/// The options of `check`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Options {
    /// Files of PTX or LLVM IR, or folders with files *.ptx; `-` for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["rules", "explain", "repairs"])]
    files: Vec<PathBuf>,
    /// Only say whether ptxas takes each file: `FILE: accept` or `FILE: reject CODE`
    #[arg(long, value_name = "MODE", conflicts_with_all = OTHER_OUTPUT, conflicts_with_all = ["ptxas_messages", "min_version"])]
    verdict: Option<ModeName>,
    /// Judge as the ptxas of this release of CUDA: 12.9 or 12.9.86, 11.7 to 13.5 (default: 13.0). A
    /// verdict that is not known for it is `not known CODE`
    #[arg(long, value_name = "RELEASE", value_parser = release::parse)]
    release: Option<Release>,
    /// Only print what ptxas 13.0.88 would print
    #[arg(long, conflicts_with_all = OTHER_OUTPUT, conflicts_with_all = ["min_version", "release"])]
    ptxas_messages: bool,
    /// How ptxas is called, for --ptxas-messages
    #[arg(long, value_name = "MODE", default_value = "none", requires = "ptxas_messages")]
    mode: ModeName,
    /// ptxas is called with -c: other modules may define `.extern` variables
    #[arg(short = 'c', long)]
    compile_only: bool,
    /// Only print the least `.version` for the directives used
    #[arg(long, conflicts_with_all = OTHER_OUTPUT)]
    min_version: bool,
    /// Repair the files, by the repairs that `--repairs` marks or by the named ones (`default`
    /// stands for the marked ones)
    #[arg(
        long, value_name = "REPAIR,...", num_args = 0..=1, require_equals = true, value_delimiter = ',',
        default_missing_value = "default", value_parser = repair::parse,
        conflicts_with_all = ["verdict", "ptxas_messages", "min_version"]
    )]
    fix: Option<Vec<repair::Choice>>,
    /// Show what the repairs would change, and write nothing
    #[arg(long, conflicts_with_all = ["verdict", "ptxas_messages", "min_version", "format", "baseline", "write_baseline"])]
    diff: bool,
    /// For the repair path-map: what paths in `.file` and names and folders of units begin with,
    /// and what to write for it; may be given again. Where NEW begins with OLD, paths inside NEW
    /// stay
    #[arg(long, visible_alias = "file-prefix-map", value_name = "OLD=NEW", value_parser = path_map_argument)]
    path_map: Vec<PathMap>,
    /// For the repair file-time: seconds since 1970 (1 or more), and bytes
    #[arg(long, value_name = "SECONDS,BYTES", value_parser = repair::parse_time, default_value = "1,0")]
    file_time: (u32, u32),
    /// Leave out notes
    #[arg(long)]
    no_notes: bool,
    /// Show up to 1000 findings of a rule in a file, not only the first 20
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    findings: FindingOptions,
    /// List the repairs
    #[arg(long, conflicts_with_all = ["files", "verdict", "ptxas_messages", "min_version", "rules", "explain"], conflicts_with_all = OTHER_OUTPUT)]
    repairs: bool,
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

impl Options {
    /// The option that only PTX has an answer for, if one is given.
    fn ptx_only_option(&self) -> Option<&'static str> {
        let given = [
            (self.verdict.is_some(), "--verdict"),
            (self.ptxas_messages, "--ptxas-messages"),
            (self.min_version, "--min-version"),
            (self.release.is_some(), "--release"),
            (self.compile_only, "-c"),
            (!self.path_map.is_empty(), "--path-map"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

/// All rules: of PTX, then of LLVM IR.
fn catalog() -> Catalog {
    fix::catalog().with_catalog(llvm_debug_metadata::fix::catalog())
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

/// One file, checked; after its repairs, if there are any.
struct Checked<'o> {
    options: &'o Options,
    file: Arc<PtxFile>,
    repaired: Option<FixResult>,
    lines: LineIndex,
    report: Report,
    /// Whether it is the repaired text that was checked.
    is_of_repaired: bool,
    shown: FindingOutput,
}

impl FindingList for Checked<'_> {
    fn located(&self, file: &FindingFile) -> Vec<LocatedFinding> {
        self.report.located(file, self.text(), &self.lines)
    }

    fn unlisted(&self) -> Vec<(&'static str, Severity, usize)> {
        self.report.more.iter().map(|more| (more.rule.code, more.severity, more.count)).collect()
    }

    fn leave_out(&mut self, file: &str, known: &mut KnownFindings) {
        let mut report = std::mem::take(&mut self.report);
        report.remove_known(file, self.text(), &self.lines, known);
        self.report = report;
    }
}

/// The name of the JSON schema of `check`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_files_of_two_kinds::<Checked<'_>, CheckedIr<'_>>();

/// The name of the JSON schema of `check --rules`.
pub const RULES_SCHEMA: DocumentSchema =
    DocumentSchema::of::<Rules<json::CheckRule<'_>>>("nvdwarf.check.rules");

/// Runs `check`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if options.findings.asks_for_rules() {
        return show_rules(
            "check",
            RULES_SCHEMA.name,
            &options.findings,
            &catalog(),
            json::CheckRule::new,
            out,
        );
    }
    if options.repairs {
        text::repairs(out)?;
        return Ok(Exit::Answered);
    }
    let findings = Findings::new("check", &options.findings, catalog(), FailOn::Warning)?;
    let fixes = repair::fixes(options, findings.selection());
    if fixes.as_ref().is_some_and(|fixes| fixes.repairs.contains(&Repair::PathMap))
        && options.path_map.is_empty()
    {
        complain(format_args!("path-map needs at least one --path-map OLD=NEW"));
        return Ok(Exit::Unreadable);
    }
    let format = options.findings.format();
    let writes_text = fixes.is_some() && !options.diff && format != FormatName::Json;
    if writes_text && options.files.iter().any(|path| path == Path::new("-")) {
        if options.files.len() > 1 {
            complain(format_args!("standard input is repaired to standard output: expected `-` alone"));
            return Ok(Exit::Unreadable);
        }
        if matches!(format, FormatName::Github | FormatName::Sarif) {
            complain(format_args!("standard input is repaired to standard output: expected no --format"));
            return Ok(Exit::Unreadable);
        }
    }
    let ir_fixes = repair::ir_fixes(options, findings.selection());
    let check = Check {
        options,
        fixes: fixes.as_ref(),
        ir_fixes: ir_fixes.as_deref(),
        selection: findings.selection(),
    };
    let run = |answers: &mut Answers<'_>| {
        let operands = read::walk(&options.files, FolderFilter::Ptx);
        let mut progress = Progress::new(operands.len() as u64);
        let look = |operand: &WalkEntry| match operand {
            WalkEntry::File(path) => Some(check.read(path)),
            WalkEntry::Fault { .. } => None,
        };
        parallel::in_order(operands, WalkEntry::size, look, |operand, checked| {
            let Some((path, checked)) = operand.file(answers)?.zip(checked) else { return Ok(()) };
            let name = read::shown_name(&path);
            if let Err(error) = checked.and_then(|checked| check.tell(checked, &findings, answers)) {
                answers.alone(&name, error)?;
            }
            progress.step(&name);
            answers.end_of_file(&name)
        })
    };
    // What is shown of several files has their names in it.
    findings.report(out, DocumentHead::of(Checked::SCHEMA), "", run)
}

/// What is asked of every file.
#[derive(Clone, Copy)]
struct Check<'o> {
    options: &'o Options,
    fixes: Option<&'o FixSelection>,
    ir_fixes: Option<&'o [llvm_debug_metadata::fix::Repair]>,
    selection: &'o Selection,
}

/// A file that was checked.
enum CheckedFile<'o> {
    Ptx(Box<Checked<'o>>),
    LlvmIr(Box<CheckedIr<'o>>),
}

impl<'o> Check<'o> {
    /// Reads a file and checks it: after its repairs, unless these are only shown.
    fn read(self, path: &Path) -> Result<CheckedFile<'o>> {
        // What would be changed is shown beside what is found now.
        let of_repaired = !self.options.diff;
        let (name, bytes) = read::read_bytes(path, "PTX text or LLVM IR")?;
        if IrFile::is_one(path, &bytes) {
            let file = IrFile::of(path, name, bytes)?;
            let checked = CheckedIr::new(self.options, file, self.ir_fixes, self.selection, of_repaired)?;
            return Ok(CheckedFile::LlvmIr(Box::new(checked)));
        }
        let file = Arc::new(PtxFile::of(path, name, bytes)?);
        Ok(CheckedFile::Ptx(Box::new(self.check(file, of_repaired))))
    }

    /// Writes the repairs of a file, and tells what was found in it.
    fn tell(
        self,
        checked: CheckedFile<'_>,
        findings: &Findings<'_>,
        answers: &mut Answers<'_>,
    ) -> Result<()> {
        match checked {
            CheckedFile::Ptx(checked) => self.tell_ptx(*checked, findings, answers),
            CheckedFile::LlvmIr(checked) => self.tell_ir(*checked, findings, answers),
        }
    }

    fn tell_ir(
        self,
        mut checked: CheckedIr<'_>,
        findings: &Findings<'_>,
        answers: &mut Answers<'_>,
    ) -> Result<()> {
        let image = InputName { name: checked.file.name.clone(), ..InputName::default() };
        let take = |checked: &mut CheckedIr<'_>| findings.take(&findings.file(&image), checked);
        if let Some(text) = checked.write().with_context(|| format!("{}: not repaired", image.name))? {
            answers.out.write_all(&text)?;
        }
        checked.shown = take(&mut checked);
        answers.add(&image, &checked)?;
        if self.options.diff && !self.options.findings.json {
            let mut left = CheckedIr::new(self.options, checked.file, self.ir_fixes, self.selection, true)?;
            left.shown = take(&mut left);
            if left.is_finding() {
                answers.worsen_exit(Exit::Findings);
                answers.flush()?;
                let _ = left.write_findings(has_colors(&io::stderr()), &mut io::stderr().lock());
            }
        }
        Ok(())
    }

    fn tell_ptx(
        self,
        mut checked: Checked<'_>,
        findings: &Findings<'_>,
        answers: &mut Answers<'_>,
    ) -> Result<()> {
        let image = InputName { name: checked.file.name.clone(), ..InputName::default() };
        let take = |checked: &mut Checked<'_>| findings.take(&findings.file(&image), checked);
        if let Some(text) = checked.write().with_context(|| format!("{}: not repaired", image.name))? {
            answers.out.write_all(&text)?;
        }
        // A text that could not be written has no findings.
        checked.shown = take(&mut checked);
        answers.add(&image, &checked)?;
        if self.options.diff && !self.options.findings.json {
            // The patch alone would not say what it leaves.
            let mut left = self.check(checked.file, true);
            left.shown = take(&mut left);
            if left.is_finding() {
                answers.worsen_exit(Exit::Findings);
                answers.flush()?;
                let _ = text::findings(&left, has_colors(&io::stderr()), &mut io::stderr().lock());
            }
        }
        Ok(())
    }

    /// Checks a file after its repairs, if `of_repaired`; else as it is.
    fn check(self, file: Arc<PtxFile>, of_repaired: bool) -> Checked<'o> {
        let Self { options, fixes, selection, .. } = self;
        let repaired = fixes.map(|fixes| fix::fix(&file.text, fixes));
        let text = match &repaired {
            Some(repaired) if of_repaired => &repaired.text,
            _ => &file.text,
        };
        let parsed = ptx_syntax::parse(text);
        let sources = options.sources.of(&file.path);
        let source_lines =
            |path: &str| sources.as_ref().map_or(SourceState::Unknown, |sources| sources.look_for(path, 0));
        let context = CheckContext {
            source_lines: sources.is_some().then_some(&source_lines as _),
            release: options.release.unwrap_or_default(),
            relocatable: options.compile_only,
            arch: None,
            path_map: &options.path_map,
        };
        let mut report = check::check(&parsed, &context);
        report.select(selection);
        if options.no_notes {
            report.findings.retain(|finding| finding.severity > Severity::Note);
            report.more.retain(|more| more.severity > Severity::Note);
        }
        let lines = LineIndex::new(text);
        let shown = FindingOutput::default();
        Checked { options, file, repaired, lines, report, is_of_repaired: of_repaired, shown }
    }
}

impl Checked<'_> {
    /// The text that was checked.
    fn text(&self) -> &str {
        match &self.repaired {
            Some(repaired) if self.is_of_repaired => &repaired.text,
            _ => &self.file.text,
        }
    }

    /// Puts the repaired text in place of the file. What came from standard input is for standard
    /// output, and returned.
    fn write(&self) -> Result<Option<Cow<'_, [u8]>>> {
        let Some(repaired) = self.repaired.as_ref().filter(|_| !self.options.diff) else { return Ok(None) };
        if !fix::is_ptx(&self.file.text) {
            bail!("no PTX: expected `.version` first");
        }
        let bytes = self.file.bytes_of(&repaired.text);
        if self.file.is_stdin() {
            return Ok(Some(bytes).filter(|_| self.options.findings.format() != FormatName::Json));
        }
        if !self.file.path.is_file() {
            bail!("no ordinary file; `-` repairs standard input to standard output");
        }
        if repaired.text != self.file.text {
            output::write_lasting(&self.file.path, &bytes)?;
        }
        Ok(None)
    }

    fn is_finding(&self) -> bool {
        match self.options.verdict {
            Some(mode) => self.report.verdict(mode.mode()) != Verdict::Accept,
            None => self.shown.fails,
        }
    }
}

impl Answer for Checked<'_> {
    const SCHEMA: &'static str = "nvdwarf.check";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, options) = (&self.file.name, self.options);
        let text = &mut Plain(&mut *out);
        if let Some(mode) = options.verdict {
            writeln!(text, "{name}: {}", self.report.verdict(mode.mode()))
        } else if options.ptxas_messages {
            let lines = PtxasLines::new(self.text(), &self.lines);
            let messages = self.report.ptxas_messages(options.mode.mode(), name, &lines);
            out.write_all(&self.file.bytes_of(&printable_lines(&messages)))
        } else if options.min_version {
            text::min_version(self, text)
        } else if options.diff {
            let patch = self.repaired.as_ref();
            let patch = patch.map(|repaired| repair::diff(name, &self.file.text, &repaired.text));
            out.write_all(&self.file.bytes_of(&patch.unwrap_or_default()))
        } else if self.file.is_stdin() && self.repaired.is_some() {
            let out = &mut io::stderr().lock();
            if self.shown.write(out)? { Ok(()) } else { text::findings(self, has_colors(&io::stderr()), out) }
        } else if self.shown.write(out)? {
            Ok(())
        } else {
            text::findings(self, has_colors(&io::stdout()), out)
        }
    }

    fn status(&self) -> Status {
        Status { has_findings: self.is_finding(), ..Status::default() }
    }
}
