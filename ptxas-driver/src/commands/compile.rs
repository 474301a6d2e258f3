//! `compile`: PTX in, cubin with debug sections out, with ptxas' own command line.

use crate::arch::{self, Arch};
use crate::diag::{Diagnostic, Reporter, Severity};
use crate::lower::{self, ptx_facts::PtxFacts, ptx_sections::PtxSections};
use crate::options::{self, CodeChoice, Input, Message, Options, Parsed};
use crate::output;
use crate::provider::{Provided, cubin, none, ptxas};
use crate::source_files::SourceStats;
use anyhow::{Context, Result, anyhow};
use nv_debug_sections::cubin::{Cubin, DebugSection};
use nv_debug_sections::level::{DebugLevel, PtxKind, Request};
use nv_debug_sections::relocated::Relocated;
use ptx_syntax::{LineIndex, Module};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use std::time::Instant;

/// ptxas' exit code for every failure.
pub const FAILURE: u8 = 255;

/// Most of our own warnings that one run prints.
const MAX_WARNINGS: usize = 20;

/// Why nothing was written. What is to be said has been said.
struct Stopped;

/// Runs the command. `args` are those behind `compile`.
pub fn run(args: &[OsString]) -> ExitCode {
    let parsed = match options::parse(args) {
        Ok((parsed, warnings)) => {
            warnings.iter().for_each(say);
            parsed
        }
        Err(error) => {
            error.messages.iter().for_each(say);
            return ExitCode::from(FAILURE);
        }
    };
    match parsed {
        Parsed::Help => print!("{}", options::help()),
        Parsed::Version => println!("{}", crate::version()),
        Parsed::Compile(options) => {
            if Compile::new(&options).run().is_err() {
                return ExitCode::from(FAILURE);
            }
        }
    }
    ExitCode::SUCCESS
}

/// One line as ptxas prints it.
fn say(message: &Message) {
    eprintln!("ptxas {message}");
}

fn say_fatal(text: impl Into<String>) {
    say(&Message { severity: options::Severity::Fatal, text: text.into() });
}

/// One compilation.
struct Compile<'o> {
    options: &'o Options,
    started: Instant,
    warned: usize,
}

/// What the summary line tells.
struct Summary {
    functions: usize,
    sections: usize,
    bytes: usize,
    rows: usize,
    code: String,
}

/// A code provider's choice: a cubin's bytes, or none, and in words where from.
struct Code {
    cubin: Option<Vec<u8>>,
    name: String,
    source: String,
}

impl<'o> Compile<'o> {
    fn new(options: &'o Options) -> Self {
        Self { options, started: Instant::now(), warned: 0 }
    }

    fn run(&mut self) -> Result<(), Stopped> {
        let name = match &self.options.input {
            Input::Stdin => "<stdin>".to_owned(),
            Input::Path(path) => path.display().to_string(),
        };
        let bytes = self.read_input(&name)?;
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => return Err(not_text(&name, &bytes, error.valid_up_to())),
        };
        let reporter = Reporter::new(&name, text, std::io::stderr().is_terminal());
        let parsed = ptx_syntax::parse(text);
        let mut diagnostics: Vec<_> =
            parsed.errors.iter().map(|error| Diagnostic::error(error.range, error.to_string())).collect();
        self.check_target(&parsed.module, &mut diagnostics);
        self.report(&reporter, &mut diagnostics)?;

        let level = self.level(&parsed.module, &mut diagnostics)?;
        let sections = PtxSections::assemble(&parsed.module, &mut diagnostics);
        let lines = LineIndex::new(text);
        let name_offset = |label: &str| sections.label_offset(label);
        let sm = self.options.arch.number;
        let facts = PtxFacts::collect(&parsed.module, sm, &lines, &name_offset, &mut diagnostics);
        self.check_sections(level, &parsed.module, &sections, &mut diagnostics);
        self.report(&reporter, &mut diagnostics)?;

        let code = self.code(text)?;
        let made = self.make(text, &parsed.module, &facts, &sections, level, &code, &mut diagnostics);
        self.report(&reporter, &mut diagnostics)?;
        let (file, summary) = made.map_err(|error| {
            say_fatal(format!("{}{error:#}", if code.cubin.is_some() { format!("{}: ", code.name) } else { String::new() }));
            Stopped
        })?;
        output::write(&self.options.output, &file).map_err(|error| {
            say_fatal(format!("{error:#}"));
            Stopped
        })?;
        if self.options.verbose {
            self.say_summary(&summary);
        }
        Ok(())
    }

    fn read_input(&self, name: &str) -> Result<Vec<u8>, Stopped> {
        let read = match &self.options.input {
            Input::Stdin => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
            }
            Input::Path(path) => std::fs::read(path),
        };
        read.map_err(|error| {
            let text = format!("Input file '{name}' could not be opened");
            say(&Message { severity: options::Severity::Error, text });
            say(&Message { severity: options::Severity::Info, text: error.to_string() });
            say_fatal(options::ABORTED);
            Stopped
        })
    }

    /// `.target` against `-arch`.
    fn check_target(&self, module: &Module<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let Some(name) = module.target().and_then(|target| target.arch()) else { return };
        match Arch::parse_target(name.text) {
            Err(_) => diagnostics.push(Diagnostic::error(
                name.range,
                format!("Unsupported .target '{}': expected an architecture of ptxas 13.0", name.text),
            )),
            Ok(target) => {
                if let Err(cannot) = arch::can_run(target, self.options.arch) {
                    diagnostics.push(Diagnostic::error(name.range, format!("{cannot} ({})", cannot.hint())));
                }
            }
        }
    }

    fn level(&self, module: &Module<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<DebugLevel, Stopped> {
        let request = Request {
            device_debug: self.options.device_debug,
            line_info: self.options.line_info,
            suppress: self.options.suppress_debug_info,
        };
        let ptx = PtxKind {
            version: module.version().map_or((0, 0), |version| (version.major, version.minor)),
            has_loc: has_loc(module),
            target_debug: module.target().is_some_and(ptx_syntax::TargetDirective::is_debug),
        };
        if ptx.target_debug && self.options.opt_level.is_some_and(|level| level > 0) {
            say_fatal(options::OPTIMIZED_DEBUG);
            return Err(Stopped);
        }
        let without = DebugLevel::observed(Request { suppress: false, ..request }, ptx);
        if request.suppress && without == DebugLevel::None {
            diagnostics.push(Diagnostic::warning(None, options::NOTHING_TO_SUPPRESS));
        }
        Ok(DebugLevel::observed(request, ptx))
    }

    /// What full debug information needs of the PTX.
    fn check_sections(
        &self,
        level: DebugLevel,
        module: &Module<'_>,
        sections: &PtxSections<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let target = module.target().filter(|target| target.is_debug());
        if let Some(target) = target.filter(|_| module.sections().next().is_none()) {
            let message = "Debug information not found in presence of .target debug: expected a .section block";
            diagnostics.push(Diagnostic::error(target.range, message));
        } else if level == DebugLevel::Full {
            for name in [".debug_abbrev", ".debug_info"] {
                if sections.by_name(name).is_none() {
                    diagnostics.push(Diagnostic::warning(None, format!("{name} section not found")));
                }
            }
        }
    }

    /// Asks the code provider that `--code` names.
    fn code(&self, text: &str) -> Result<Code, Stopped> {
        let none = |source: String| Code { cubin: None, name: String::new(), source };
        match &self.options.code {
            CodeChoice::None => Ok(none("none, as --code none asks".to_owned())),
            CodeChoice::Cubin(path) => {
                let name = path.display().to_string();
                let bytes = std::fs::read(path).map_err(|error| {
                    say_fatal(format!("{name}: {error}"));
                    Stopped
                })?;
                Ok(Code { cubin: Some(bytes), source: format!("cubin {name}"), name })
            }
            CodeChoice::Ptxas => match ptxas::find() {
                Ok(found) => self.assemble(&found, text),
                Err(missing) => {
                    say_fatal(missing.to_string());
                    Err(Stopped)
                }
            },
            CodeChoice::Auto => match ptxas::find() {
                Ok(found) => self.assemble(&found, text),
                Err(missing) => Ok(none(format!("none, since {missing}"))),
            },
        }
    }

    fn assemble(&self, found: &ptxas::Found, text: &str) -> Result<Code, Stopped> {
        let request = ptxas::Request {
            source: match &self.options.input {
                Input::Stdin => ptxas::Source::Text(text.as_bytes()),
                Input::Path(path) => ptxas::Source::File(path),
            },
            arch: self.options.arch,
            device_debug: self.options.device_debug,
            line_info: self.options.line_info,
            compile_only: self.options.compile_only,
            opt_level: self.options.opt_level,
            disable_warnings: self.options.disable_warnings,
            warnings_as_errors: self.options.warnings_as_errors,
        };
        match ptxas::run(&found.path, &request) {
            Ok(made) => {
                eprint!("{}", made.messages);
                let name = found.path.display().to_string();
                Ok(Code { cubin: Some(made.cubin), source: format!("{name} ({})", found.how), name })
            }
            Err(error) => {
                eprintln!("{}", error.to_string().trim_end());
                Err(Stopped)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the values of one compilation, each made by its own step")]
    fn make(
        &self,
        text: &str,
        module: &Module<'_>,
        facts: &PtxFacts<'_>,
        sections: &PtxSections<'_>,
        level: DebugLevel,
        code: &Code,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(Vec<u8>, Summary)> {
        let sm = self.options.arch.number;
        let relocatable = self.options.compile_only;
        let provided = match &code.cubin {
            None => none::provide(module, facts, sm)?,
            Some(data) => cubin::provide(data, cubin::Request { facts, sections, sm, relocatable, level })?,
        };
        let Provided { image, mut container, placed } = provided;
        let files = SourceStats::new(&self.options.file_stats).settle_all(module, diagnostics);
        let input = lower::Input { source: text, facts, sections, files: &files, image: &image, sm, relocatable, level, placed };
        let lowered = lower::lower(&input, diagnostics)?;
        let mut summary = Summary {
            functions: image.sections.iter().map(|section| section.parts.len()).sum(),
            sections: lowered.sections.len(),
            bytes: lowered.sections.iter().map(|section| section.bytes.len()).sum(),
            rows: lowered.rows,
            code: code.source.clone(),
        };
        container.set_debug_sections(lowered.sections)?;
        if placed {
            apply_relocations(&mut container)?;
        }
        let file = container.write()?;
        summary.bytes = summary.bytes.min(file.len());
        Ok((file, summary))
    }

    /// Prints diagnostics, as far as `-w` and `-Werror` let it; fails if any is an error.
    fn report(&mut self, reporter: &Reporter<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Stopped> {
        let mut failed = false;
        for mut diagnostic in diagnostics.drain(..) {
            if diagnostic.severity == Severity::Warning {
                if self.options.warnings_as_errors {
                    diagnostic.severity = Severity::Error;
                } else if self.options.disable_warnings {
                    continue;
                } else {
                    self.warned += 1;
                    if self.warned > MAX_WARNINGS {
                        continue;
                    }
                }
            }
            failed |= diagnostic.severity == Severity::Error;
            eprintln!("{}", reporter.render(&diagnostic));
        }
        if failed {
            say_fatal(options::ABORTED);
            return Err(Stopped);
        }
        Ok(())
    }

    fn say_summary(&self, summary: &Summary) {
        let mut text = String::new();
        let Summary { functions, sections, bytes, rows, code } = summary;
        let milliseconds = self.started.elapsed().as_secs_f64() * 1e3;
        let _ = write!(
            text,
            "{functions} functions, {rows} line rows, {sections} debug sections, {bytes} debug bytes, {milliseconds:.1} ms; code: {code}"
        );
        if self.warned > MAX_WARNINGS {
            let _ = write!(text, "; {} more warnings", self.warned - MAX_WARNINGS);
        }
        say(&Message { severity: options::Severity::Info, text });
    }
}

/// Says that the input is not text, with the place of the first byte that is none.
fn not_text(name: &str, bytes: &[u8], at: usize) -> Stopped {
    let before = &bytes[..at];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let column = at - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1) + 1;
    let byte = bytes.get(at).copied().unwrap_or(0);
    let what = if bytes.starts_with(b"\x7fELF") { "an ELF file, not PTX" } else { "not PTX" };
    eprintln!("error: {name} is {what}: byte {byte:#04x} at offset {at:#x}, expected ASCII text\n --> {name}:{line}:{column}");
    say_fatal(options::ABORTED);
    Stopped
}

fn has_loc(module: &Module<'_>) -> bool {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| &body.statements).any(|statement| matches!(statement, ptx_syntax::Statement::Loc(_)))
}

/// Replaces the relocations of the debug sections by their values.
fn apply_relocations(container: &mut Cubin<'_>) -> Result<()> {
    let view = Relocated::new(container);
    let mut sections = Vec::new();
    for (index, name, _) in container.iter() {
        if nv_debug_sections::catalog::is_debug_section(name) {
            let bytes = view.section(index)?.bytes.into_owned();
            sections.push(DebugSection { name: name.to_owned(), bytes, rel: Vec::new(), rela: Vec::new() });
        }
    }
    container.set_debug_sections(sections).context("applying relocations").map_err(|error| anyhow!(error))
}
