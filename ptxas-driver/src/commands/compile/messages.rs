//! The messages of one compilation: in whose words, and in which order (`--messages`).
//!
//! Where ptxas makes the code and its lines are asked for, it also runs on a PTX that we refuse:
//! only it knows what it prints. Without a ptxas its lines are those that `check` foretells.

use super::document::{NVDWARF, ReportedMessage};
use super::input::NotText;
use super::{Compile, FAILURE, Stopped, say_fatal, say_info, say_rendered, say_text, stop};
use crate::diagnostics::Reporter;
use crate::limits::{MAX_ERRORS, MAX_WARNINGS};
use crate::options::{self, CodeChoice, MessageStyle, Options};
use crate::provider::ptxas;
use nvdwarf_compile::arch::{Arch, can_run};
use nvdwarf_compile::{CompileError, Diagnostic, ErrorKind as CompileErrorKind, Message, Severity};
use ptx_syntax::LineIndex;
use ptx_syntax::check::{PtxasLines, Report, Verdict, check};
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::PathBuf;

impl Compile<'_> {
    /// The ptxas that is to make the code, if its lines come before our messages.
    pub(super) fn find_first_speaker(&self) -> Option<PathBuf> {
        let asks = self.message_style != MessageStyle::Ours && self.options.code == CodeChoice::Ptxas;
        let found = asks.then(|| ptxas::find(Some(self.options.compile.arch.number)).ok()).flatten()?;
        Some(found.path)
    }

    /// Whether nothing is printed but what ptxas prints, apart from failures that only we have.
    pub(super) fn leaves_words_to_ptxas(&self) -> bool {
        self.message_style == MessageStyle::Ptxas && self.options.code == CodeChoice::Ptxas
    }

    /// What a step of the compilation gives, once all that it has to say is said, or is held back
    /// until ptxas has run. `place` is the file that is at fault if the PTX is not.
    pub(super) fn take<T>(
        &mut self,
        reporter: &Reporter<'_>,
        place: &str,
        step: Result<(T, Vec<Diagnostic>), CompileError>,
    ) -> Result<T, Stopped> {
        let error = match step {
            Ok((made, diagnostics)) if self.first_speaker.is_some() => {
                self.held_back.extend(diagnostics);
                return Ok(made);
            }
            Ok((made, diagnostics)) => return self.report(reporter, diagnostics).map(|()| made),
            Err(error) => error,
        };
        let of_step = [std::mem::take(&mut self.held_back), error.diagnostics].concat();
        if let Some(path) = self.first_speaker.take() {
            if let Err(stopped) = self.assemble(&path, reporter.text().as_bytes()) {
                if self.message_style == MessageStyle::Both {
                    self.show(reporter, of_step);
                }
                return Err(stopped);
            }
        } else if error.kind == CompileErrorKind::Ptx && self.foretells() {
            let lines = self.foretold_lines(reporter, place);
            for line in &lines {
                self.say_as_ptxas(line);
            }
            if let Some(last) = lines.last() {
                if self.message_style == MessageStyle::Both {
                    self.show(reporter, of_step);
                }
                return Err(stopped_after(last));
            }
        }
        self.report(reporter, of_step)?;
        Err(stop(match error.kind {
            CompileErrorKind::OptimizedDebug => error.kind.to_string(),
            kind => format!("{place}: {kind}"),
        }))
    }

    /// What the run of ptxas gave, once what was held back is said.
    pub(super) fn after_ptxas<T>(
        &mut self,
        reporter: &Reporter<'_>,
        made: Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        self.first_speaker = None;
        let held_back = std::mem::take(&mut self.held_back);
        match made {
            Ok(made) => self.report(reporter, held_back).map(|()| made),
            Err(stopped) => {
                self.show(reporter, held_back);
                Err(stopped)
            }
        }
    }

    /// Says that the input cannot be read, in the words that are asked for.
    pub(super) fn say_unreadable(&mut self, error: &io::Error) -> Stopped {
        // ptxas reads files of any size, and does not keep the code optimised.
        let is_only_ours =
            error.kind() == ErrorKind::FileTooLarge || self.options.compile.extras.keep_optimised;
        let path = self.find_first_speaker().filter(|_| !is_only_ours);
        if let Some(Err(stopped)) = path.map(|path| self.assemble_several(&path)) {
            if self.message_style == MessageStyle::Both {
                say_info(error.to_string());
            }
            return stopped;
        }
        let stopped = stop(format!("Input file '{}' could not be opened", self.options.input.name()));
        if self.message_style == MessageStyle::Ours {
            say_info(error.to_string());
        }
        say_fatal(options::ABORTED);
        if self.message_style == MessageStyle::Both {
            say_info(error.to_string());
        }
        stopped
    }

    /// Says that the input is not text, in the words that are asked for.
    pub(super) fn say_not_text(&mut self, fault: NotText, bytes: &[u8]) -> Stopped {
        let name = self.options.input.name();
        let mut stopped = None;
        if let Some(path) = self.first_speaker.take() {
            stopped = self.assemble(&path, bytes).err();
        } else if self.foretells() {
            let text = String::from_utf8_lossy(bytes);
            let report = check(&ptx_syntax::parse(&text), &self.check_options().check_context());
            let lines = self.lines_of_report(&report, &text, &LineIndex::new(&text), &name);
            for line in &lines {
                self.say_as_ptxas(line);
            }
            stopped = lines.last().map(|last| stopped_after(last));
        }
        if let Some(stopped) = stopped.take_if(|_| self.message_style == MessageStyle::Ptxas) {
            return stopped;
        }
        let place = fault.place.map(|(line, column)| format!("\n --> {name}:{line}:{column}"));
        say_text(&format!("error: {}{}", fault.error, place.unwrap_or_default()));
        stopped.unwrap_or_else(|| {
            say_fatal(options::ABORTED);
            Stopped { exit: FAILURE, error: fault.error }
        })
    }

    /// Whether we say the lines of ptxas in its place.
    fn foretells(&self) -> bool {
        self.message_style != MessageStyle::Ours
    }

    /// The options with the release by whose rules the PTX was checked.
    fn check_options(&self) -> nvdwarf_compile::Options {
        nvdwarf_compile::Options { release: self.release, ..self.options.compile.clone() }
    }

    /// The lines that a ptxas would print for a PTX that it refuses; none where the fault is one
    /// that only we find.
    fn foretold_lines(&self, reporter: &Reporter<'_>, name: &str) -> Vec<String> {
        let parsed = ptx_syntax::parse(reporter.text());
        let options = self.check_options();
        let report = check(&parsed, &options.check_context());
        let is_refused = report.verdict(options.mode()) != Verdict::Accept;
        let lines = self.lines_of_report(&report, reporter.text(), reporter.lines(), name);
        // Once it has parsed the text, ptxas looks at `.target` before anything else.
        if !lines.last().is_some_and(|last| last.ends_with(options::ABORTED))
            && let Some(word) = parsed.module.arch()
            && let Ok(target) = Arch::parse_target(word.text)
            && let Err(cannot) = can_run(target, options.arch)
        {
            return vec![format!("ptxas fatal   : {cannot}")];
        }
        if is_refused { lines } else { Vec::new() }
    }

    fn lines_of_report(&self, report: &Report, text: &str, lines: &LineIndex, name: &str) -> Vec<String> {
        let mode = self.check_options().mode();
        let said = report.ptxas_messages(mode, name, &PtxasLines::new(text, lines));
        let is_shown = |line: &&str| !(self.options.disable_warnings && line.starts_with("ptxas warning"));
        said.lines().filter(is_shown).map(str::to_owned).collect()
    }

    /// Says a line that we foretell.
    fn say_as_ptxas(&mut self, line: &str) {
        say_text(line);
        if self.keeps_messages() {
            self.messages.push(ReportedMessage::of_ptxas(line));
        }
    }

    /// Prints the diagnostics that are to be shown. Fails if one is an error.
    fn report(&mut self, reporter: &Reporter<'_>, diagnostics: Vec<Diagnostic>) -> Result<(), Stopped> {
        if self.show(reporter, diagnostics) { Err(stop(options::ABORTED)) } else { Ok(()) }
    }

    /// Prints the diagnostics that `-w` does not suppress: warnings and notes. Whether one is an
    /// error; with `-Werror` a warning that ptxas gives too is one.
    fn show(&mut self, reporter: &Reporter<'_>, diagnostics: Vec<Diagnostic>) -> bool {
        let mut errors = 0;
        // -w wins over -Werror, as in ptxas.
        let Options { warnings_as_errors, disable_warnings, .. } = *self.options;
        let leaves_out_remarks = disable_warnings || self.leaves_words_to_ptxas();
        for mut diagnostic in diagnostics {
            let is_warning = diagnostic.severity == Severity::Warning && diagnostic.is_ptxas;
            // Where ptxas alone speaks, it has judged its own warnings.
            if is_warning && warnings_as_errors && !leaves_out_remarks {
                diagnostic.severity = Severity::Error;
            }
            let shown = match diagnostic.severity {
                Severity::Error => {
                    errors += 1;
                    errors <= MAX_ERRORS
                }
                Severity::Note | Severity::Warning if leaves_out_remarks => false,
                Severity::Note => true,
                Severity::Warning => {
                    self.warned += 1;
                    self.warned <= MAX_WARNINGS
                }
            };
            if shown {
                say_rendered(&reporter.render(&diagnostic));
            }
            let is_left_out = leaves_out_remarks && diagnostic.severity != Severity::Error;
            if self.keeps_messages() && !is_left_out {
                let message = Message::new(&diagnostic, reporter.lines());
                self.messages.push(ReportedMessage { from: NVDWARF, message });
            }
        }
        if errors > MAX_ERRORS {
            say_text(&format!("{} more errors", errors - MAX_ERRORS));
        }
        errors != 0
    }
}

/// Hands on a line that a ptxas printed. If it cannot be written, nothing is said.
pub(super) fn forward(line: &[u8], style: MessageStyle) {
    let mut stderr = io::stderr();
    if style == MessageStyle::Ptxas && !stderr.is_terminal() {
        let _ = stderr.write_all(&[line, b"\n"].concat());
    } else {
        say_text(&String::from_utf8_lossy(line));
    }
}

/// A compilation that ended with a line of ptxas.
fn stopped_after(last: &str) -> Stopped {
    let error = last.split_once(": ").map_or(last, |(_, text)| text).trim_start().to_owned();
    Stopped { exit: FAILURE, error }
}
