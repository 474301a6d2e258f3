//! `compile`: PTX in, cubin with debug sections out, with ptxas' own command line.

pub(super) mod checks;
mod code;
mod input;
mod stats;
mod version;

use crate::call_log::Call;
use crate::diag::{Diagnostic, Reporter};
use crate::limits::{MAX_ERRORS, MAX_WARNINGS};
use crate::lower::{self, ptx_facts::PtxFacts, ptx_sections::PtxSections, shared_lines};
use crate::options::{self, LineTableStyle, Message, Options, Parsed as Command};
use crate::output;
use crate::parallel;
use crate::plain::printable_lines;
use crate::provider::{Provided, cubin, none, ptxas};
use crate::source_files::SourceStats;
use anyhow::Result;
use code::{Choice, Code};
use findings::Severity;
use nv_debug_sections::cubin::{Cubin, DebugSection};
use nv_debug_sections::level::{DebugLevel, Request};
use nv_debug_sections::relocated::Relocated;
use ptx_syntax::check::{Mode, Report};
use ptx_syntax::{LineIndex, Module, Parsed};
use stats::Stats;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::process::ExitCode;

/// ptxas' exit code for every failure.
pub const FAILURE: u8 = 255;

/// Nothing was written, and what is to be said has been said. The exit code is that of the code provider that failed,
/// else [`FAILURE`].
struct Stopped(u8);

const STOPPED: Stopped = Stopped(FAILURE);

/// Runs the command. `args` are those behind `compile`; `as_ptxas` if we were called by the name `ptxas`.
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
        Command::Help => (String::new(), print(&options::help())),
        Command::Version => version::print(as_ptxas),
        Command::ListVersion => list_version(),
        Command::Compile(options) => {
            let mut compile = Compile::new(&options);
            let exit = match compile.run() {
                Ok(()) => 0,
                Err(Stopped(exit)) => exit,
            };
            (compile.code, exit)
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
        Err(missing) => {
            code::say_missing(missing.to_string());
            (String::new(), FAILURE)
        }
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
fn say(message: &Message) {
    say_text(&format!("ptxas {message}"));
}

/// Prints to standard error. If nobody can read it there is nobody to tell.
fn say_text(text: &str) {
    say_rendered(&printable_lines(text));
}

/// Prints what a [`Reporter`] made, which may have colours.
fn say_rendered(text: &str) {
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
    stats: Stats,
    warned: usize,
    /// In words where the code comes from, once that is known.
    code: String,
}

/// The PTX, understood.
struct Prepared<'a> {
    text: &'a str,
    module: Module<'a>,
    facts: PtxFacts<'a>,
    sections: PtxSections<'a>,
    level: DebugLevel,
}

/// What lowering needs of the PTX, and what was wrong with that.
struct Index<'a> {
    sections: PtxSections<'a>,
    facts: PtxFacts<'a>,
    diagnostics: Vec<Diagnostic>,
}

/// What the summary line tells.
struct Summary {
    functions: usize,
    sections: usize,
    bytes: usize,
    rows: usize,
}

impl<'o> Compile<'o> {
    fn new(options: &'o Options) -> Self {
        Self { options, stats: Stats::begin(), warned: 0, code: String::new() }
    }

    fn run(&mut self) -> Result<(), Stopped> {
        if !self.options.more_inputs.is_empty() {
            return self.run_several();
        }
        let name = self.options.input.name();
        let bytes = input::read(&self.options.input, &name)?;
        let text = input::text(&name, &bytes)?;
        let lines = LineIndex::new(text);
        let reporter = Reporter::new(&name, text, &lines, std::io::stderr().is_terminal());
        let parsed = ptx_syntax::parse(text);
        let mode = self.mode();
        let is_large = text.len() >= parallel::LARGE;
        let ((report, mut diagnostics), Index { sections, facts, diagnostics: mut of_index }) =
            parallel::both(is_large, || self.check(&parsed, mode), || self.index(&parsed, &lines));
        self.report(&reporter, &mut diagnostics)?;

        let choice = self.choose()?;
        self.code = choice.source();
        if self.options.virtual_arch.is_some() {
            return self.check_only(&choice, text);
        }
        let by_ptxas = matches!(choice, Choice::Ptxas(_));
        let level = self.level(&parsed.module, by_ptxas, &mut diagnostics)?;
        diagnostics.append(&mut of_index);
        if level >= DebugLevel::Lines && facts.has_line_markers() && !facts.locs.is_empty() {
            diagnostics.extend(shared_lines::warning(&parsed.module, &lines));
        }
        if !by_ptxas {
            diagnostics.extend(report.ptxas_remarks(mode).map(Diagnostic::ptxas_warning));
        }
        self.report(&reporter, &mut diagnostics)?;

        let code = if self.options.extras.keep_optimised {
            self.provide(choice, &without_target_debug(text, &parsed.module))?
        } else {
            self.provide(choice, text)?
        };
        let prepared = Prepared { text, module: parsed.module, facts, sections, level };
        let made = self.make(prepared, &code, &mut diagnostics);
        self.report(&reporter, &mut diagnostics)?;
        let (file, summary) = made.map_err(|error| {
            let place = if code.cubin.is_some() { &code.name } else { &name };
            say_fatal(format!("{place}: {error:#}"));
            STOPPED
        })?;
        self.write(&file)?;
        if self.options.verbose {
            self.say_summary(&summary);
        }
        if self.options.stats {
            say_text(self.stats.report().trim_end());
        }
        Ok(())
    }

    /// Several inputs: ptxas' cubin as it stands, for we write debug sections of one PTX text only.
    fn run_several(&mut self) -> Result<(), Stopped> {
        let ours = self.options.ours_given();
        if !ours.is_empty() {
            let ours = ours.join(" ");
            say_fatal(format!("{ours}: of several inputs ptxas writes the debug information, not we"));
            return Err(STOPPED);
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

    fn write(&self, file: &[u8]) -> Result<(), Stopped> {
        output::write(&self.options.output, file).map_err(|error| {
            say_fatal(error.to_string());
            for cause in error.chain().skip(1) {
                say_info(cause.to_string());
            }
            STOPPED
        })
    }

    /// What stops the compilation of a module.
    fn check(&self, parsed: &Parsed<'_>, mode: Mode) -> (Report, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let report = checks::refused(parsed, (mode, self.options.compile_only), &mut diagnostics);
        checks::target(&parsed.module, self.options.arch, &mut diagnostics);
        (report, diagnostics)
    }

    /// What lowering needs of a module.
    fn index<'a>(&self, parsed: &Parsed<'a>, lines: &LineIndex) -> Index<'a> {
        let mut diagnostics = Vec::new();
        let sections = PtxSections::assemble(&parsed.module, &mut diagnostics);
        let name_offset = |label: &str| sections.label_offset(label);
        let sm = self.options.arch.number;
        let facts = PtxFacts::collect(&parsed.module, sm, lines, &name_offset, &mut diagnostics);
        Index { sections, facts, diagnostics }
    }

    /// How ptxas would be called.
    fn mode(&self) -> Mode {
        let keeps = self.options.extras.keep_optimised;
        match (self.options.device_debug && !keeps, self.options.line_info || keeps) {
            (true, _) => Mode::G,
            (false, true) => Mode::Lineinfo,
            (false, false) => Mode::None,
        }
    }

    /// How much debug information is due. A ptxas warns itself where there is none to suppress.
    fn level(
        &self,
        module: &Module<'_>,
        by_ptxas: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<DebugLevel, Stopped> {
        let keeps = self.options.extras.keep_optimised;
        let request = Request {
            device_debug: self.options.device_debug,
            line_info: self.options.line_info,
            suppress: self.options.suppress_debug_info,
        };
        let ptx = checks::ptx_kind(module);
        if ptx.target_debug && !keeps && self.options.opt_level.is_some_and(|level| level > 0) {
            say_fatal(options::OPTIMIZED_DEBUG);
            return Err(STOPPED);
        }
        let without = DebugLevel::observed(Request { suppress: false, ..request }, ptx);
        if request.suppress && without == DebugLevel::None && !by_ptxas {
            diagnostics.push(Diagnostic::ptxas_warning(options::NOTHING_TO_SUPPRESS));
        }
        Ok(DebugLevel::observed(request, ptx))
    }

    fn make(
        &self,
        prepared: Prepared<'_>,
        code: &Code,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(Vec<u8>, Summary)> {
        let Prepared { text, module, facts, sections, level } = prepared;
        let sm = self.options.arch.number;
        let relocatable = self.options.compile_only && code.cubin.is_some();
        if relocatable != self.options.compile_only {
            let text =
                "-c is ignored: without code there is nothing to link, the result is a debug-only object";
            say_info(text);
        }
        let extras = &self.options.extras;
        // Where we write bytes of our own, or read the table again, a nameless file must not end it.
        let as_ptxas = code.cubin.is_some()
            && extras.line_table == LineTableStyle::Ptxas
            && !extras.keep_optimised
            && extras.path_maps.is_empty();
        let stats = SourceStats::new(&self.options.file_stats, extras.stat_files);
        let mut files = stats.settle_all(&module, as_ptxas, diagnostics);
        let mapped: Vec<_> = files.iter().map(|file| lower::mapped(file.path, &extras.path_maps)).collect();
        for (file, mapped) in files.iter_mut().zip(&mapped) {
            file.path = mapped.as_deref().unwrap_or(file.path);
        }
        // What is read no more makes room for what is made, here and below.
        let provided = match &code.cubin {
            None => {
                let provided = none::provide(&module, &facts, sm)?;
                drop(module);
                provided
            }
            Some(data) => {
                drop(module);
                // Optimised code has no more to say than lines.
                let level = if extras.keep_optimised { level.min(DebugLevel::Lines) } else { level };
                let request = cubin::Request { facts: &facts, sections: &sections, sm, relocatable, level };
                cubin::provide(data, request)?
            }
        };
        let Provided { image, mercury, mut container, placed } = provided;
        let input = lower::Input {
            source: text,
            facts: &facts,
            sections: &sections,
            files: &files,
            image: &image,
            mercury: mercury.as_ref(),
            sm,
            relocatable,
            level,
            extras,
            placed,
        };
        let lowered = lower::lower(&input, diagnostics)?;
        let summary = Summary {
            functions: image.sections.iter().map(|section| section.parts.len()).sum(),
            sections: lowered.sections.len(),
            bytes: lowered.sections.iter().map(|section| section.bytes.len()).sum(),
            rows: lowered.rows,
        };
        let names: Vec<String> = lowered.sections.iter().map(|section| section.name.clone()).collect();
        container.set_debug_sections(lowered.sections)?;
        if mercury.is_some() {
            container.set_mercury_sections(lowered.mercury)?;
        }
        drop((image, mercury, facts, sections));
        if placed {
            apply_relocations(&mut container, &names)?;
        }
        Ok((container.write()?, summary))
    }

    /// Prints diagnostics, as far as `-w` lets it; fails if any is an error, as with `-Werror` a warning is that ptxas gives too.
    fn report(&mut self, reporter: &Reporter<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Stopped> {
        let mut errors = 0;
        for mut diagnostic in diagnostics.drain(..) {
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
                Severity::Note => false,
                Severity::Warning if disable_warnings => false,
                Severity::Warning => {
                    self.warned += 1;
                    self.warned <= MAX_WARNINGS
                }
            };
            if shown {
                say_rendered(&reporter.render(&diagnostic));
            }
        }
        if errors == 0 {
            return Ok(());
        }
        if errors > MAX_ERRORS {
            say_text(&format!("{} more errors", errors - MAX_ERRORS));
        }
        say_fatal(options::ABORTED);
        Err(STOPPED)
    }

    fn say_summary(&self, summary: &Summary) {
        let mut text = String::new();
        let Summary { functions, sections, bytes, rows } = summary;
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

/// The text with blanks for `debug` in `.target`, so that a ptxas optimises; all else stays where it is.
fn without_target_debug(text: &str, module: &Module<'_>) -> String {
    let mut bytes = text.to_owned().into_bytes();
    for target in module.targets() {
        let words = &target.specifiers;
        let pairs = words.windows(2).filter(|pair| pair[1].text == "debug");
        let mut blank: Vec<_> = pairs.map(|pair| pair[0].range.end..pair[1].range.end).collect();
        match words.as_slice() {
            [first] if first.text == "debug" => blank.push(target.range.start..target.range.end),
            [first, next, ..] if first.text == "debug" => blank.push(first.range.start..next.range.start),
            _ => {}
        }
        for range in blank {
            if let Some(bytes) = bytes.get_mut(range.start as usize..range.end as usize) {
                // Comments in between may hold line breaks.
                bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Replaces the relocations of the sections of these names, which are all debug sections, by their values.
fn apply_relocations(container: &mut Cubin<'_>, names: &[String]) -> Result<()> {
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    let view = Relocated::new(container);
    let mut sections = Vec::new();
    for (index, name, _) in container.iter() {
        if names.contains(name) {
            let bytes = view.section(index)?.bytes.into_owned();
            sections.push(DebugSection { name: name.to_owned(), bytes, rel: Vec::new(), rela: Vec::new() });
        }
    }
    container.set_debug_sections(sections)?;
    Ok(())
}
