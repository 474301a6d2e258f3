//! `compile`: reads PTX and writes a cubin with debug sections, with ptxas' own command line.

mod code;
mod command_line;
mod document;
mod input;
mod messages;
mod saved_call;
mod sources;
mod stats;
mod version;

use crate::call_log::Call;
use crate::diagnostics::Reporter;
use crate::help;
use crate::limits::MAX_WARNINGS;
use crate::options::{self, CodeChoice, Message as OptionMessage, MessageStyle, Options, Parsed as Command};
use crate::output;
use crate::printable_text::printable_lines;
use crate::provider::ptxas;
use crate::stderr::has_colors;
use code::Choice;
pub use document::SCHEMA;
use document::{ReportedMessage, Written};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::release::Release;
use nvdwarf_compile::{CheckedPtx, CodeImage, Compiled, Diagnostic, Statistics};
use ptx_syntax::LineIndex;
use saved_call::SavedCall;
use stats::Stats;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
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
    let saved = SavedCall::begin();
    let (code, exit) = run_call(args, as_ptxas, saved.as_ref());
    if let Some(saved) = saved {
        saved.end(args, &code, exit);
    }
    call.end(&code, exit);
    ExitCode::from(exit)
}

/// Runs the command; returns in words where the code came from, and the exit code.
fn run_call(args: &[OsString], as_ptxas: bool, saved: Option<&SavedCall>) -> (String, u8) {
    let environment = std::env::var_os(options::ENVIRONMENT);
    let parsed = match options::parse(args, environment.as_deref(), &code::ask) {
        Ok((parsed, warnings)) => {
            warnings.iter().for_each(say);
            if let Some(saved) = saved.filter(|_| !warnings.is_empty()) {
                saved.keep(saved_call::MESSAGES, command_line::text_of(&warnings).as_bytes());
            }
            parsed
        }
        Err(error) => return command_line::refuse(&error, saved),
    };
    match parsed {
        Command::Help => (String::new(), print_kept(&options::help(help::columns()), saved)),
        Command::Version => {
            let (source, text) = version::text(as_ptxas);
            (source, print_kept(&text, saved))
        }
        Command::ListVersion => list_version(saved),
        Command::Compile(options) => {
            let mut compile = Compile { saved, ..Compile::new(&options, as_ptxas) };
            let (exit, error) = match compile.run() {
                Ok(()) => (0, None),
                Err(Stopped { exit, error }) => (exit, Some(error)),
            };
            if let Some(saved) = saved {
                let read = usize::from(options.more_inputs.is_empty());
                saved.keep_inputs(options.inputs(), read);
                saved.keep_options_files(&options.options_files);
                saved.keep("document.json", &compile.document(error.as_deref()));
            }
            let is_shown = !options.json || compile.write_document(error.as_deref());
            (compile.code, if is_shown { exit } else { FAILURE })
        }
    }
}

fn list_version(saved: Option<&SavedCall>) -> (String, u8) {
    match ptxas::find(None) {
        Ok(found) => match ptxas::printed(&found.path, "--list-version") {
            Ok(theirs) => (found.source(), print_kept(&theirs, saved)),
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

/// Prints to standard output, and keeps it for a report of a fault.
fn print_kept(text: &str, saved: Option<&SavedCall>) -> u8 {
    if let Some(saved) = saved {
        saved.keep(saved_call::STDOUT, text.as_bytes());
    }
    print(text)
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
    /// The ptxas whose lines come before our own messages, until it has run.
    first_speaker: Option<PathBuf>,
    /// What we say once it has.
    held_back: Vec<Diagnostic>,
    warned: usize,
    /// In words where the code comes from, once that is known.
    code: String,
    /// What is kept of the call.
    saved: Option<&'o SavedCall>,
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
            first_speaker: None,
            held_back: Vec::new(),
            warned: 0,
            code: String::new(),
            saved: None,
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
        let bytes = match input::read(&self.options.input) {
            Ok(bytes) => bytes,
            Err(error) => return Err(self.say_unreadable(&error)),
        };
        self.keep("input.ptx", &bytes);
        self.first_speaker = self.find_first_speaker();
        let text = match input::text(&name, &bytes) {
            Ok(text) => text,
            Err(fault) => return Err(self.say_not_text(fault, &bytes)),
        };
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
            let checked = self.check_only(&choice, text);
            return self.after_ptxas(&reporter, checked);
        }
        let prepared = checked.prepare(matches!(choice, Choice::Ptxas(_)));
        let mut prepared = self.take(&reporter, &name, prepared)?;

        let code = self.provide(choice, &prepared.generator_text());
        let code = self.after_ptxas(&reporter, code)?;
        if self.options.compile.relocatable && code.cubin.is_none() {
            let text =
                "-c is ignored: without code there is nothing to link, the result is a debug-only object";
            say_info(text);
        }
        if self.options.stat_files {
            prepared.add_sources(sources::find_sources(prepared.sources_without_stat()));
        }
        if let Some(cubin) = &code.cubin {
            self.keep("code.cubin", cubin);
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
        if self.options.verbose && !self.leaves_words_to_ptxas() {
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
        if self.message_style != MessageStyle::Ptxas {
            say_info(format!(
                "several inputs: the cubin is written as {} made it, debug sections included",
                found.path.display()
            ));
        }
        self.write(&cubin)
    }

    /// Keeps a file for a report of a fault, if it is asked for.
    fn keep(&self, name: &str, bytes: &[u8]) {
        if let Some(saved) = self.saved {
            saved.keep(name, bytes);
        }
    }

    /// Whether messages are kept for a document.
    fn keeps_messages(&self) -> bool {
        self.options.json || self.saved.is_some()
    }

    fn write(&mut self, file: &[u8]) -> Result<(), Stopped> {
        self.keep("output.cubin", file);
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
