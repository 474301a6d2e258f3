//! The common part of `check`, `verify` and `coverage`: which findings count, how they are written,
//! and when they fail.

mod options;
mod rules;

pub(in crate::commands) use options::{FailOn, FindingOptions, FormatName};
pub(in crate::commands) use rules::{Rules, show_rules};

use crate::input;
use crate::output;
use crate::printable_text::{write_json, write_line};
use crate::report::{
    Answers, DocumentHead, DocumentSchema, Exit, Form, InputName, UnansweredInput, report_to_end,
};
use anyhow::{Context, Result, anyhow, bail};
use findings::format::{Concise, Github, GithubFault, sarif};
use findings::{
    Baseline, BaselineBuilder, Catalog, FindingFile, FindingPosition, KnownFindings, LocatedFinding,
    Selection, Severity, UnknownRule,
};
use serde::Serialize;
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;

/// Of the file that `--write-baseline` writes.
pub(super) const BASELINE_SCHEMA: DocumentSchema = DocumentSchema::of::<Baseline>("nvdwarf.baseline");

/// An answer that is a list of findings.
pub(in crate::commands) trait FindingList {
    /// The findings, with their places in `file`.
    fn located(&self, file: &FindingFile) -> Vec<LocatedFinding>;

    /// Rules with findings that are only counted: code, severity, number.
    fn unlisted(&self) -> Vec<(&'static str, Severity, usize)>;

    /// Takes out those that a baseline has, of the file that has this name in it.
    fn leave_out(&mut self, file: &str, known: &mut KnownFindings);
}

/// The findings of one run of a command.
pub(in crate::commands) struct Findings<'o> {
    command: &'static str,
    options: &'o FindingOptions,
    catalog: Catalog,
    selection: Selection,
    fail_on: FailOn,
    /// The working folder.
    folder: Option<String>,
    known: RefCell<KnownFindings>,
    baseline: RefCell<BaselineBuilder>,
    /// What SARIF has to say at the end.
    log: RefCell<SarifResults>,
}

#[derive(Default)]
struct SarifResults {
    findings: Vec<LocatedFinding>,
    unlisted: Vec<(FindingFile, &'static str, usize)>,
}

/// What of an answer is written, unless it is text or JSON, and what it means.
#[derive(Debug, Default)]
pub(in crate::commands) struct FindingOutput {
    /// In formats that have a line for each.
    lines: Option<(FormatName, Vec<LocatedFinding>)>,
    /// Whether any makes the exit status 1.
    pub(in crate::commands) fails: bool,
}

impl<'o> Findings<'o> {
    /// The findings of `command`, which knows the rules of `catalog`. Without `--fail-on` those of
    /// `fail_on` fail.
    ///
    /// # Errors
    ///
    /// An option names no rule; the baseline cannot be read, or is not one of this command.
    pub(in crate::commands) fn new(
        command: &'static str,
        options: &'o FindingOptions,
        catalog: Catalog,
        fail_on: FailOn,
    ) -> Result<Self> {
        let selection = Selection::new(&catalog, &options.select, &options.ignore);
        let selection = selection.map_err(|error| with_hint(command, &error))?;
        let known = match &options.baseline {
            None => KnownFindings::default(),
            Some(path) => {
                let name = || path.display().to_string();
                let text = input::read(path).with_context(name)?;
                Baseline::parse(&text, command).with_context(name)?.known()
            }
        };
        if let Some(path) = &options.write_baseline {
            expect_replaceable(path, command)?;
        }
        let folder = std::env::current_dir().ok();
        Ok(Self {
            command,
            options,
            catalog,
            selection,
            fail_on: options.fail_on.unwrap_or(fail_on),
            folder: folder.and_then(|folder| Some(folder.to_str()?.to_owned())),
            known: RefCell::new(known),
            baseline: RefCell::default(),
            log: RefCell::default(),
        })
    }

    /// The rules that count.
    pub(in crate::commands) fn selection(&self) -> &Selection {
        &self.selection
    }

    fn format(&self) -> FormatName {
        self.options.format()
    }

    /// The names of a file, or of an image in it.
    pub(in crate::commands) fn file(&self, image: &InputName) -> FindingFile {
        let folder = self.folder.as_deref();
        match &image.number {
            Some(number) => FindingFile::of_image(&image.name, number, folder),
            None => FindingFile::new(&image.name, folder),
        }
    }

    /// Takes the findings of an answer about `file` that count. Those in a baseline are removed
    /// from the answer.
    pub(in crate::commands) fn take(
        &self,
        file: &FindingFile,
        answer: &mut impl FindingList,
    ) -> FindingOutput {
        let name = file.stable();
        if self.options.write_baseline.is_some() {
            // What is written is known.
            let mut known = BaselineBuilder::default();
            for builder in [&mut known, &mut *self.baseline.borrow_mut()] {
                answer.located(file).iter().for_each(|finding| builder.add(finding));
                answer
                    .unlisted()
                    .iter()
                    .for_each(|(code, _, count)| builder.add_unlisted(&name, code, *count));
            }
            answer.leave_out(&name, &mut known.finish(self.command).known());
        } else if self.options.baseline.is_some() {
            answer.leave_out(&name, &mut self.known.borrow_mut());
        }
        self.show(file, answer.located(file), &answer.unlisted())
    }

    /// Takes a finding that no answer has, if it counts.
    pub(in crate::commands) fn take_one(
        &self,
        finding: LocatedFinding,
    ) -> Option<(LocatedFinding, FindingOutput)> {
        if !self.selection.has(finding.code) {
            return None;
        }
        let file = finding.place.file.clone();
        if self.options.write_baseline.is_some() {
            self.baseline.borrow_mut().add(&finding);
            return None;
        }
        if self.known.borrow_mut().take(&file.stable(), finding.code, &finding.subject) {
            return None;
        }
        let shown = self.show(&file, vec![finding.clone()], &[]);
        Some((finding, shown))
    }

    fn show(
        &self,
        file: &FindingFile,
        mut located: Vec<LocatedFinding>,
        unlisted: &[(&'static str, Severity, usize)],
    ) -> FindingOutput {
        let severities = located.iter().map(|finding| finding.severity);
        let mut severities = severities.chain(unlisted.iter().map(|(_, severity, _)| *severity));
        let fails = severities.any(|severity| self.fail_on.fails(severity));
        let lines = match self.format() {
            FormatName::Text | FormatName::Json => None,
            FormatName::Sarif => {
                let mut log = self.log.borrow_mut();
                log.findings.append(&mut located);
                log.unlisted.extend(unlisted.iter().map(|(code, _, count)| (file.clone(), *code, *count)));
                Some((FormatName::Sarif, Vec::new()))
            }
            format => {
                located.extend(unlisted.iter().map(|(code, severity, count)| {
                    LocatedFinding {
                        code,
                        name: self
                            .catalog
                            .rules()
                            .iter()
                            .find(|rule| rule.code == *code)
                            .map_or("", |rule| rule.name),
                        severity: *severity,
                        message: format!("{count} more are counted and not listed"),
                        place: FindingPosition { file: file.clone(), ..FindingPosition::default() },
                        related: None,
                        help: None,
                        subject: String::new(),
                    }
                }));
                Some((format, located))
            }
        };
        FindingOutput { lines, fails }
    }

    /// Runs the command, as [`report_to_end`] does it: `run` makes the answers, and what comes
    /// after them is written.
    ///
    /// # Errors
    ///
    /// Those of [`report_to_end`] and [`Self::finish`].
    pub(in crate::commands) fn report(
        &self,
        out: &mut dyn Write,
        document: DocumentHead<'_, impl Serialize>,
        name: &str,
        run: impl FnOnce(&mut Answers<'_>) -> Result<()>,
    ) -> Result<Exit> {
        let form = if self.format() == FormatName::Json { Form::Json } else { Form::NoHeadings };
        report_to_end(out, form, document, name, run, |out, exit, refused| self.finish(out, exit, refused))
    }

    /// Writes what comes after all answers: the log, and the baseline.
    ///
    /// # Errors
    ///
    /// The baseline cannot be written, or is not whole, since a file could not be read; `out`
    /// cannot be written.
    fn finish(&self, out: &mut dyn Write, exit: Exit, refused: &[UnansweredInput]) -> Result<()> {
        // The log has the exit status.
        let baseline = self.write_baseline(exit);
        let exit = if baseline.is_err() { Exit::Unreadable } else { exit };
        let folder = self.folder.as_deref();
        let named = |UnansweredInput { file, name, error }: &UnansweredInput| {
            let number = name.strip_prefix(&**file).and_then(|rest| rest.strip_prefix(':'));
            (FindingFile::of_image(name, number.unwrap_or_default(), folder), error.clone())
        };
        let faults: Vec<(FindingFile, String)> = refused.iter().map(named).collect();
        match self.format() {
            FormatName::Github => {
                for (file, error) in &faults {
                    write_line(out, format_args!("{}", GithubFault(file, error)))?;
                }
            }
            FormatName::Sarif => {
                let log = self.log.borrow();
                let run = sarif::Run {
                    program: env!("CARGO_PKG_NAME"),
                    version: env!("CARGO_PKG_VERSION"),
                    command: self.command,
                    rules: &self.catalog,
                    findings: &log.findings,
                    unlisted: &log.unlisted,
                    faults: &faults,
                    exit_code: exit as u8,
                };
                write_json(out, &sarif::log(&run))?;
            }
            FormatName::Text | FormatName::Concise | FormatName::Json => {}
        }
        baseline
    }

    fn write_baseline(&self, exit: Exit) -> Result<()> {
        let Some(path) = &self.options.write_baseline else { return Ok(()) };
        let name = path.display();
        if exit == Exit::Unreadable {
            bail!("{name}: not written, since not all files could be read");
        }
        let baseline = self.baseline.take().finish(self.command);
        let mut text = Vec::new();
        write_json(&mut text, &baseline)?;
        output::write(path, &text)
    }
}

impl FindingOutput {
    /// Whether findings have a format of their own, so that nothing else is printed about them.
    pub(in crate::commands) fn has_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// Writes findings that have a line each. False where the answer is to be written as text.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub(in crate::commands) fn write(&self, out: &mut dyn Write) -> io::Result<bool> {
        let Some((format, findings)) = &self.lines else { return Ok(false) };
        for finding in findings {
            if *format == FormatName::Github {
                write_line(out, format_args!("{}", Github(finding)))?;
            } else {
                write_line(out, format_args!("{}", Concise(finding)))?;
            }
        }
        Ok(true)
    }
}

/// Expects that `path` is not there, or is a baseline of `command`: an operand too many must not
/// replace a file.
///
/// # Errors
///
/// It is standard output, cannot be read, or is another file.
fn expect_replaceable(path: &Path, command: &str) -> Result<()> {
    let name = path.display();
    if path == Path::new("-") {
        bail!("the baseline needs a name: --write-baseline FILE");
    }
    if !path.is_file() {
        return Ok(());
    }
    let text = input::read(path).with_context(|| name.to_string())?;
    if !text.is_empty() && Baseline::parse(&text, command).is_err() {
        bail!("{name}: not replaced, since it is another file than a baseline of `{command}`");
    }
    Ok(())
}

/// The error, and where the rules of the command are listed.
fn with_hint(command: &str, error: &UnknownRule) -> anyhow::Error {
    anyhow!("{error} (`ptxas-driver {command} --rules` lists the rules)")
}
