//! `compile`: PTX in, cubin with debug sections out, with ptxas' own command line.

pub(super) mod checks;
mod input;

use crate::commands::read;
use crate::diag::{Diagnostic, Reporter, Severity};
use crate::lower::{self, ptx_facts::PtxFacts, ptx_sections::PtxSections};
use crate::options::{self, CodeChoice, Input, Message, Options, Parsed};
use crate::output;
use crate::provider::{Provided, cubin, none, ptxas};
use crate::source_files::SourceStats;
use anyhow::Result;
use nv_debug_sections::cubin::{Cubin, DebugSection};
use nv_debug_sections::level::{DebugLevel, Request};
use nv_debug_sections::relocated::Relocated;
use ptx_syntax::check::Mode;
use ptx_syntax::{LineIndex, Module};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// ptxas' exit code for every failure.
pub const FAILURE: u8 = 255;

/// Most of our own warnings that one run prints.
const MAX_WARNINGS: usize = 20;
/// Most errors that one run prints.
const MAX_ERRORS: usize = 100;

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
        Parsed::Help => print(&options::help()),
        Parsed::Version => print(&format!("{}\n", crate::version())),
        Parsed::Compile(options) => match Compile::new(&options).run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(Stopped) => ExitCode::from(FAILURE),
        },
    }
}

/// Prints to standard output. A reader that has seen enough is no failure.
fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::from(FAILURE),
        _ => ExitCode::SUCCESS,
    }
}

/// One line as ptxas prints it.
fn say(message: &Message) {
    say_text(&format!("ptxas {message}"));
}

/// Prints to standard error. If nobody can read it there is nobody to tell.
fn say_text(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn say_info(text: impl Into<String>) {
    say(&Message { severity: options::Severity::Info, text: text.into() });
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

/// The PTX, understood.
#[derive(Clone, Copy)]
struct Prepared<'a> {
    text: &'a str,
    module: &'a Module<'a>,
    facts: &'a PtxFacts<'a>,
    sections: &'a PtxSections<'a>,
    level: DebugLevel,
}

/// What the summary line tells.
struct Summary {
    functions: usize,
    sections: usize,
    bytes: usize,
    rows: usize,
    code: String,
}

/// Which code provider is asked.
enum Choice {
    /// None, and in words why.
    None(String),
    /// An existing cubin.
    Cubin(PathBuf),
    /// A ptxas.
    Ptxas(ptxas::Found),
}

/// What a code provider gave: a cubin's bytes, or none, and in words where from.
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
        let bytes = input::read(&self.options.input, &name)?;
        let text = input::text(&name, &bytes)?;
        let lines = LineIndex::new(text);
        let reporter = Reporter::new(&name, text, &lines, std::io::stderr().is_terminal());
        let parsed = ptx_syntax::parse(text);
        let mut diagnostics = Vec::new();
        let mode = self.mode();
        let report = checks::refused(&parsed, (mode, self.options.compile_only), &mut diagnostics);
        checks::target(&parsed.module, self.options.arch, &mut diagnostics);
        checks::line_markers(text, &mut diagnostics);
        self.report(&reporter, &mut diagnostics)?;

        let choice = self.choose()?;
        let level = self.level(&parsed.module, &mut diagnostics)?;
        let sections = PtxSections::assemble(&parsed.module, &mut diagnostics);
        let name_offset = |label: &str| sections.label_offset(label);
        let sm = self.options.arch.number;
        let facts = PtxFacts::collect(&parsed.module, sm, &lines, &name_offset, &mut diagnostics);
        checks::at_dwarf(&parsed.module, &mut diagnostics);
        if !matches!(choice, Choice::Ptxas(_)) {
            diagnostics.extend(report.ptxas_remarks(mode).map(|remark| Diagnostic::warning(None, remark)));
        }
        self.report(&reporter, &mut diagnostics)?;

        let code = self.code(choice, text)?;
        let prepared = Prepared { text, module: &parsed.module, facts: &facts, sections: &sections, level };
        let made = self.make(&prepared, &code, &mut diagnostics);
        self.report(&reporter, &mut diagnostics)?;
        let (file, summary) = made.map_err(|error| {
            let place = if code.cubin.is_some() { format!("{}: ", code.name) } else { String::new() };
            say_fatal(format!("{place}{error:#}"));
            Stopped
        })?;
        output::write(&self.options.output, &file).map_err(|error| {
            say_fatal(error.to_string());
            for cause in error.chain().skip(1) {
                say_info(cause.to_string());
            }
            Stopped
        })?;
        if self.options.verbose {
            self.say_summary(&summary);
        }
        Ok(())
    }

    /// How ptxas would be called.
    fn mode(&self) -> Mode {
        match (self.options.device_debug, self.options.line_info) {
            (true, _) => Mode::G,
            (false, true) => Mode::Lineinfo,
            (false, false) => Mode::None,
        }
    }

    fn level(&self, module: &Module<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<DebugLevel, Stopped> {
        let request = Request {
            device_debug: self.options.device_debug,
            line_info: self.options.line_info,
            suppress: self.options.suppress_debug_info,
        };
        let ptx = checks::ptx_kind(module);
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

    /// Decides where the code comes from, as `--code` says.
    fn choose(&self) -> Result<Choice, Stopped> {
        let given = std::env::var_os("PTXAS").is_some_and(|path| !path.is_empty());
        match &self.options.code {
            CodeChoice::None => Ok(Choice::None("none, as --code none asks".to_owned())),
            CodeChoice::Cubin(path) => Ok(Choice::Cubin(path.clone())),
            CodeChoice::Ptxas | CodeChoice::Auto => match ptxas::find() {
                Ok(found) => Ok(Choice::Ptxas(found)),
                // A $PTXAS that cannot be run is a mistake, not a machine without ptxas.
                Err(missing) if self.options.code == CodeChoice::Auto && !given => {
                    if !self.options.verbose {
                        say_info(
                            "no ptxas found: the result is a debug-only object, without code (-v says more)",
                        );
                    }
                    Ok(Choice::None(format!("none, since {missing}")))
                }
                Err(missing) => {
                    say_fatal(missing.to_string());
                    Err(Stopped)
                }
            },
        }
    }

    /// Has the code provider make its cubin, if it makes one.
    fn code(&self, choice: Choice, text: &str) -> Result<Code, Stopped> {
        match choice {
            Choice::None(source) => Ok(Code { cubin: None, name: String::new(), source }),
            Choice::Ptxas(found) => self.assemble(&found, text),
            Choice::Cubin(path) => {
                let name = path.display().to_string();
                let read = std::fs::read(&path).map_err(|error| error.to_string());
                let bytes = read.and_then(|bytes| read::other_kind(&bytes, &name).map_or(Ok(bytes), Err));
                let bytes = bytes.map_err(|why| {
                    say_fatal(format!("{name}: {why}"));
                    Stopped
                })?;
                Ok(Code { cubin: Some(bytes), source: format!("cubin {name}"), name })
            }
        }
    }

    fn assemble(&self, found: &ptxas::Found, text: &str) -> Result<Code, Stopped> {
        let request = ptxas::Request {
            source: match &self.options.input {
                // What is no ordinary file can be read only once, and we have done so.
                Input::Path(path) if path.is_file() => ptxas::Source::File(path),
                Input::Path(_) | Input::Stdin => ptxas::Source::Text(text.as_bytes()),
            },
            arch: self.options.arch,
            device_debug: self.options.device_debug,
            line_info: self.options.line_info,
            compile_only: self.options.compile_only,
            opt_level: self.options.opt_level,
            disable_warnings: self.options.disable_warnings,
            warnings_as_errors: self.options.warnings_as_errors,
            machine: self.options.machine,
        };
        let made = ptxas::run(&found.path, &request).map_err(|error| {
            // A ptxas that failed has said why.
            let text = error.to_string();
            let (messages, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
            if !messages.is_empty() {
                say_text(messages);
            }
            say_fatal(last);
            Stopped
        })?;
        if !made.messages.is_empty() {
            say_text(made.messages.trim_end());
        }
        let name = found.path.display().to_string();
        Ok(Code { cubin: Some(made.cubin), source: format!("{name} ({})", found.how), name })
    }

    fn make(
        &self,
        prepared: &Prepared<'_>,
        code: &Code,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(Vec<u8>, Summary)> {
        let Prepared { text, module, facts, sections, level } = *prepared;
        let sm = self.options.arch.number;
        let relocatable = self.options.compile_only && code.cubin.is_some();
        if relocatable != self.options.compile_only {
            let text =
                "-c is ignored: without code there is nothing to link, the result is a debug-only object";
            say_info(text);
        }
        let provided = match &code.cubin {
            None => none::provide(module, facts, sm)?,
            Some(data) => cubin::provide(data, cubin::Request { facts, sections, sm, relocatable, level })?,
        };
        let Provided { image, mercury, mut container, placed } = provided;
        let files = SourceStats::new(&self.options.file_stats).settle_all(module, diagnostics);
        let input = lower::Input {
            source: text,
            facts,
            sections,
            files: &files,
            image: &image,
            mercury: mercury.as_ref(),
            sm,
            relocatable,
            level,
            placed,
        };
        let lowered = lower::lower(&input, diagnostics)?;
        let summary = Summary {
            functions: image.sections.iter().map(|section| section.parts.len()).sum(),
            sections: lowered.sections.len(),
            bytes: lowered.sections.iter().map(|section| section.bytes.len()).sum(),
            rows: lowered.rows,
            code: code.source.clone(),
        };
        container.set_debug_sections(lowered.sections)?;
        if mercury.is_some() {
            container.set_mercury_sections(lowered.mercury)?;
        }
        if placed {
            apply_relocations(&mut container)?;
        }
        Ok((container.write()?, summary))
    }

    /// Prints diagnostics, as far as `-w` and `-Werror` let it; fails if any is an error.
    fn report(&mut self, reporter: &Reporter<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Stopped> {
        let mut errors = 0;
        for mut diagnostic in diagnostics.drain(..) {
            // -w wins over -Werror, as in ptxas.
            let Options { warnings_as_errors, disable_warnings, .. } = *self.options;
            if diagnostic.severity == Severity::Warning && warnings_as_errors && !disable_warnings {
                diagnostic.severity = Severity::Error;
            }
            let shown = match diagnostic.severity {
                Severity::Error => {
                    errors += 1;
                    errors <= MAX_ERRORS
                }
                Severity::Note => false,
                Severity::Warning if disable_warnings => false,
                Severity::Warning => {
                    self.warned += 1;
                    self.warned <= MAX_WARNINGS
                }
            };
            if shown {
                say_text(&reporter.render(&diagnostic));
            }
        }
        if errors == 0 {
            return Ok(());
        }
        if errors > MAX_ERRORS {
            say_text(&format!("{} more errors", errors - MAX_ERRORS));
        }
        say_fatal(options::ABORTED);
        Err(Stopped)
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
        say_info(text);
    }
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
    container.set_debug_sections(sections)?;
    Ok(())
}
