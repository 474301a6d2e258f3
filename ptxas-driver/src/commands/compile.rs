//! `compile`: reads PTX and writes a cubin with debug sections, with ptxas' own command line.

mod code;
mod document;
mod input;
mod sources;
mod stats;
mod version;

use crate::call_log::Call;
use crate::diagnostics::Reporter;
use crate::help;
use crate::limits::{MAX_ERRORS, MAX_WARNINGS};
use crate::options::{self, CodeChoice, Message as OptionMessage, MessageStyle, Options, Parsed as Command};
use crate::output;
use crate::printable_text::printable_lines;
use crate::provider::ptxas;
use crate::stderr::has_colors;
use code::Choice;
pub use document::SCHEMA;
use document::{NVDWARF, ReportedMessage, Written};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::release::Release;
use nvdwarf_compile::{
    CheckedPtx, CodeImage, CompileError, Compiled, Diagnostic, ErrorKind, Message, Severity, Statistics,
};
use ptx_syntax::LineIndex;
use ptx_syntax::check::{PtxasLines, Verdict, check};
use stats::Stats;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// The exit code of `compile` for every failure, which is that of ptxas.
pub const FAILURE: u8 = 255;

/// Nothing was written, and what is to be said has been said.
struct Stopped {
    /// That of the code provider that failed, else [`FAILURE`].
    exit: u8,
    /// The last line of the failure.
    error: String,
}

/// Says why nothing is written.
fn stop(error: impl Into<String>) -> Stopped {
    let error = error.into();
    say_fatal(&*error);
    Stopped { exit: FAILURE, error }
}

/// Runs `compile`, and returns its exit code. `args` are those after `compile`; `as_ptxas` is set
/// if the program was called by the name `ptxas`.
pub fn run(args: &[OsString], as_ptxas: bool) -> ExitCode {
    let call = Call::begin(args);
    let (code, exit) = run_call(args, as_ptxas);
    call.end(&code, exit);
    ExitCode::from(exit)
}

/// Runs the command; returns in words where the code came from, and the exit code.
fn run_call(args: &[OsString], as_ptxas: bool) -> (String, u8) {
    let parsed = match options::parse(args, &code::ask) {
        Ok((parsed, warnings)) => {
            warnings.iter().for_each(say);
            parsed
        }
        Err(error) => {
            error.messages.iter().for_each(say);
            return (String::new(), FAILURE);
        }
    };
    match parsed {
        Command::Help => (String::new(), print(&options::help(help::columns()))),
        Command::Version => version::print(as_ptxas),
        Command::ListVersion => list_version(),
        Command::Compile(options) => {
            let mut compile = Compile::new(&options, as_ptxas);
            let (exit, error) = match compile.run() {
                Ok(()) => (0, None),
                Err(Stopped { exit, error }) => (exit, Some(error)),
            };
            let is_shown = !options.json || compile.write_document(error.as_deref());
            (compile.code, if is_shown { exit } else { FAILURE })
        }
    }
}

fn list_version() -> (String, u8) {
    match ptxas::find(None) {
        Ok(found) => match ptxas::printed(&found.path, "--list-version") {
            Ok(theirs) => (found.source(), print(&theirs)),
            Err(error) => {
                say_fatal(error.to_string());
                (found.source(), FAILURE)
            }
        },
        Err(missing) => (String::new(), code::say_missing(missing.to_string()).exit),
    }
}

/// Prints to standard output. A closed pipe is not a failure.
fn print(text: &str) -> u8 {
    let mut stdout = std::io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            say_fatal(format!("Standard output could not be written: {error}"));
            FAILURE
        }
        _ => 0,
    }
}

/// One line as ptxas prints it.
fn say(message: &OptionMessage) {
    say_text(&format!("ptxas {message}"));
}

/// Prints to standard error. If it cannot be written, nothing is said.
fn say_text(text: &str) {
    say_rendered(&printable_lines(text));
}

/// Prints what a [`Reporter`] made, which may have colours.
fn say_rendered(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn say_info(text: impl Into<String>) {
    say(&OptionMessage { severity: options::Severity::Info, text: text.into() });
}

fn say_fatal(text: impl Into<String>) {
    say(&OptionMessage { severity: options::Severity::Fatal, text: text.into() });
}

/// One compilation.
struct Compile<'o> {
    options: &'o Options,
    /// In whose words faults of the PTX are told.
    message_style: MessageStyle,
    /// The release by whose rules the PTX was checked.
    release: Release,
    stats: Stats,
    warned: usize,
    /// In words where the code comes from, once that is known.
    code: String,
    /// Kept for the document of `--json`.
    messages: Vec<ReportedMessage>,
    /// What was written.
    written: Option<Written>,
    statistics: Option<Statistics>,
}

impl<'o> Compile<'o> {
    fn new(options: &'o Options, as_ptxas: bool) -> Self {
        // Who calls a ptxas looks for its lines.
        let usual = if as_ptxas { MessageStyle::Both } else { MessageStyle::Ours };
        Self {
            options,
            message_style: options.message_style.unwrap_or(usual),
            release: options.compile.release,
            stats: Stats::begin(),
            warned: 0,
            code: String::new(),
            messages: Vec::new(),
            written: None,
            statistics: None,
        }
    }

    fn run(&mut self) -> Result<(), Stopped> {
        if self.options.json && output::is_same(&self.options.output, Path::new("/dev/stdout")) {
            return Err(stop("the file and --json cannot both go to standard output"));
        }
        if !self.options.more_inputs.is_empty() {
            return self.run_several();
        }
        let name = self.options.input.name();
        let bytes = input::read(&self.options.input, &name)?;
        let text = input::text(&name, &bytes)?;
        let lines = LineIndex::new(text);
        let reporter = Reporter::new(&name, text, &lines, has_colors(&std::io::stderr()));
        let mut checked = CheckedPtx::new(text, &lines, &self.options.compile);
        let of_release;
        // Only what the usual release does not take is worth asking a ptxas for its own.
        if checked.as_ref().map_or(true, |(checked, _)| !checked.is_version_known())
            && let Some(release) = self.other_release()
        {
            self.release = release;
            of_release = nvdwarf_compile::Options { release, ..self.options.compile.clone() };
            checked = CheckedPtx::new(text, &lines, &of_release);
        }
        let checked = self.take(&reporter, &name, checked)?;

        let choice = self.choose()?;
        self.code = choice.source();
        if self.options.virtual_arch.is_some() {
            return self.check_only(&choice, text);
        }
        let prepared = checked.prepare(matches!(choice, Choice::Ptxas(_)));
        let mut prepared = self.take(&reporter, &name, prepared)?;

        let code = self.provide(choice, &prepared.generator_text())?;
        if self.options.compile.relocatable && code.cubin.is_none() {
            let text =
                "-c is ignored: without code there is nothing to link, the result is a debug-only object";
            say_info(text);
        }
        if self.options.stat_files {
            prepared.add_sources(sources::find_sources(prepared.sources_without_stat()));
        }
        let (image, place) = match &code.cubin {
            Some(cubin) => (CodeImage::Cubin(cubin), &code.name),
            None => (CodeImage::None, &name),
        };
        let compiled = prepared
            .compile(&image)
            .map(|Compiled { bytes, warnings, statistics }| ((bytes, statistics), warnings));
        let (file, statistics) = self.take(&reporter, place, compiled)?;
        self.write(&file)?;
        self.statistics = Some(statistics);
        if self.options.verbose {
            self.say_summary(statistics);
        }
        if self.options.stats {
            say_text(self.stats.report().trim_end());
        }
        Ok(())
    }

    /// The release of the ptxas that is to make the code, or has made it, if it is another than
    /// that of the options. What a newer ptxas takes may be unknown to them.
    fn other_release(&self) -> Option<Release> {
        if let CodeChoice::Cubin(path) = &self.options.code {
            // A pipe can be read once only.
            let bytes = path.is_file().then(|| crate::input::read(path).ok()).flatten()?;
            return Cubin::parse(&bytes).ok().map(|cubin| cubin.release());
        }
        if self.options.code != CodeChoice::Ptxas {
            return None;
        }
        let found = ptxas::find(Some(self.options.compile.arch.number)).ok()?;
        ptxas::release(&found.path).filter(|release| *release != self.options.compile.release)
    }

    /// Several inputs: ptxas' cubin as it stands, for we write debug sections of one PTX text only.
    fn run_several(&mut self) -> Result<(), Stopped> {
        let ours = self.options.ours_given();
        if !ours.is_empty() {
            let ours = ours.join(" ");
            return Err(stop(format!(
                "{ours}: of several inputs ptxas writes the debug information, not we"
            )));
        }
        let found = self.choose_for_several()?;
        self.code = found.source();
        let cubin = self.assemble_several(&found.path)?;
        if self.options.virtual_arch.is_some() {
            return Ok(());
        }
        say_info(format!(
            "several inputs: the cubin is written as {} made it, debug sections included",
            found.path.display()
        ));
        self.write(&cubin)
    }

    fn write(&mut self, file: &[u8]) -> Result<(), Stopped> {
        output::write(&self.options.output, file).map_err(|error| {
            let stopped = stop(error.to_string());
            for cause in error.chain().skip(1) {
                say_info(cause.to_string());
            }
            stopped
        })?;
        let output = self.options.output.display().to_string();
        self.written = Some(Written { output, output_bytes: file.len() });
        Ok(())
    }

    /// What a step of the compilation gives, once all that it has to say is said. `place` is the
    /// file that is at fault if the PTX is not.
    fn take<T>(
        &mut self,
        reporter: &Reporter<'_>,
        place: &str,
        step: Result<(T, Vec<Diagnostic>), CompileError>,
    ) -> Result<T, Stopped> {
        let error = match step {
            Ok((made, diagnostics)) => return self.report(reporter, diagnostics).map(|()| made),
            Err(error) => error,
        };
        if error.kind == ErrorKind::Ptx && self.message_style != MessageStyle::Ours {
            let lines = self.ptxas_lines(reporter, place);
            for line in &lines {
                self.say_as_ptxas(line);
            }
            let last = lines.last().filter(|_| self.message_style == MessageStyle::Ptxas);
            if let Some(last) = last {
                let error = last.split_once(": ").map_or(&**last, |(_, text)| text).trim_start().to_owned();
                return Err(Stopped { exit: FAILURE, error });
            }
        }
        self.report(reporter, error.diagnostics)?;
        Err(stop(match error.kind {
            ErrorKind::OptimizedDebug => error.kind.to_string(),
            kind => format!("{place}: {kind}"),
        }))
    }

    /// The lines that ptxas prints for a PTX that it refuses. Before our own messages its last line
    /// is left out, which then ends both.
    fn ptxas_lines(&self, reporter: &Reporter<'_>, name: &str) -> Vec<String> {
        let options = nvdwarf_compile::Options { release: self.release, ..self.options.compile.clone() };
        let report = check(&ptx_syntax::parse(reporter.text()), &options.check_context());
        if report.verdict(options.mode()) == Verdict::Accept {
            return Vec::new(); // the fault is one that only we find
        }
        let lines = PtxasLines::new(reporter.text(), reporter.lines());
        let said = report.ptxas_messages(options.mode(), name, &lines);
        let is_last = |line: &&str| line.ends_with(options::ABORTED);
        let is_shown = |line: &&str| {
            let is_left_out = self.message_style == MessageStyle::Both && is_last(line);
            !(is_left_out || self.options.disable_warnings && line.starts_with("ptxas warning"))
        };
        said.lines().filter(is_shown).map(str::to_owned).collect()
    }

    fn say_as_ptxas(&mut self, line: &str) {
        say_text(line);
        if self.options.json {
            self.messages.push(ReportedMessage::of_ptxas(line));
        }
    }

    /// Prints the diagnostics that `-w` does not suppress: warnings and notes. Fails if one is an
    /// error; with `-Werror` a warning that ptxas gives too is an error.
    fn report(&mut self, reporter: &Reporter<'_>, diagnostics: Vec<Diagnostic>) -> Result<(), Stopped> {
        let mut errors = 0;
        for mut diagnostic in diagnostics {
            // -w wins over -Werror, as in ptxas.
            let Options { warnings_as_errors, disable_warnings, .. } = *self.options;
            let is_warning = diagnostic.severity == Severity::Warning && diagnostic.is_ptxas;
            if is_warning && warnings_as_errors && !disable_warnings {
                diagnostic.severity = Severity::Error;
            }
            let shown = match diagnostic.severity {
                Severity::Error => {
                    errors += 1;
                    errors <= MAX_ERRORS
                }
                Severity::Note | Severity::Warning if disable_warnings => false,
                Severity::Note => true,
                Severity::Warning => {
                    self.warned += 1;
                    self.warned <= MAX_WARNINGS
                }
            };
            if shown {
                say_rendered(&reporter.render(&diagnostic));
            }
            let is_left_out = self.options.disable_warnings && diagnostic.severity != Severity::Error;
            if self.options.json && !is_left_out {
                let message = Message::new(&diagnostic, reporter.lines());
                self.messages.push(ReportedMessage { from: NVDWARF, message });
            }
        }
        if errors == 0 {
            return Ok(());
        }
        if errors > MAX_ERRORS {
            say_text(&format!("{} more errors", errors - MAX_ERRORS));
        }
        Err(stop(options::ABORTED))
    }

    fn say_summary(&self, statistics: Statistics) {
        let mut text = String::new();
        let Statistics { functions, sections, bytes, rows } = statistics;
        let code = &self.code;
        let milliseconds = self.stats.elapsed().as_secs_f64() * 1e3;
        let _ = write!(
            text,
            "{functions} functions, {rows} line rows, {sections} debug sections, {bytes} debug bytes, {milliseconds:.1} ms; code: {code}"
        );
        if self.warned > MAX_WARNINGS {
            let _ = write!(text, "; {} more warnings", self.warned - MAX_WARNINGS);
        }
        // Not as ptxas' own `info` lines, which programs take apart: `Used 32 registers, ...`.
        say_text(&format!("nvdwarf info    : {text}"));
    }
}
