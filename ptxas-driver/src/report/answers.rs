//! The answers of one run, and where they are written.

use super::document::{DocumentHead, Files, OfCubin, OfFile, Refusal};
use super::status::{Exit, FileOutcome, Status};
use super::{Answer, CubinKind, Form, InputName, NoAnswer, UnansweredInput};
use crate::limits::MAX_MESSAGES;
use crate::output::HalfWritten;
use crate::printable_text::printable;
use crate::progress::{self, without_bar};
use crate::stderr::{complain, note};
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// The results of one run of a command, each of which is written as soon as it is ready.
pub struct Answers<'o> {
    /// The stream to which results are written.
    pub out: &'o mut dyn Write,
    form: Form,
    document: Option<Files>,
    /// How many were written.
    count: u64,
    /// What came of the files before this one.
    exit: Exit,
    /// What came of this one.
    tally: FileOutcome,
    /// How many faults were found in it.
    faults: u64,
    /// How many of its images have no answer, without those with a fault.
    unanswered: u64,
    /// Why there was no answer, for at most [`MAX_MESSAGES`] images of a file.
    refused: Vec<UnansweredInput>,
    /// How many of `refused` are of the files before this one.
    ended: usize,
}

/// Runs a command that writes results about files to `out`, in one document of `schema` if `form`
/// is JSON. An error of `run` is reported for the file called `name`.
///
/// # Errors
///
/// `out` cannot be written.
pub fn report(
    out: &mut dyn Write,
    form: Form,
    schema: &'static str,
    name: &str,
    run: impl FnOnce(&mut Answers<'_>) -> Result<()>,
) -> Result<Exit> {
    report_to_end(out, form, DocumentHead::of(schema), name, run, |_, _, _| Ok(()))
}

/// Runs a command as [`report`] does, with a document that begins with `head`. `end` writes the
/// text or members after all results; it gets the exit status, and the inputs without a result.
///
/// # Errors
///
/// Those of [`report`], and those of `end`.
pub fn report_to_end(
    out: &mut dyn Write,
    form: Form,
    head: DocumentHead<'_, impl Serialize>,
    name: &str,
    run: impl FnOnce(&mut Answers<'_>) -> Result<()>,
    end: impl FnOnce(&mut dyn Write, Exit, &[UnansweredInput]) -> Result<()>,
) -> Result<Exit> {
    let document = if form == Form::Json { Some(Files::new(head)?) } else { None };
    let mut answers = Answers {
        out,
        form,
        document,
        count: 0,
        exit: Exit::Answered,
        tally: FileOutcome::default(),
        faults: 0,
        unanswered: 0,
        refused: Vec::new(),
        ended: 0,
    };
    if let Err(error) = run(&mut answers) {
        answers.alone(name, error)?;
    }
    answers.end_of_file(name)?;
    if let Some(document) = &mut answers.document {
        document.end(answers.out)?;
    }
    end(answers.out, answers.exit, &answers.refused)?;
    Ok(answers.exit)
}

impl fmt::Debug for Answers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers")
            .field("form", &self.form)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl Answers<'_> {
    /// Writes the result for a file that is not a cubin.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn add<A: Answer>(&mut self, image: &InputName, answer: &A) -> io::Result<()> {
        self.write(image, None, answer)
    }

    /// Writes the result for a cubin.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn add_cubin<A: Answer>(
        &mut self,
        image: &InputName,
        cubin: impl Into<CubinKind>,
        answer: &A,
    ) -> io::Result<()> {
        self.write(image, Some(cubin.into()), answer)
    }

    fn write<A: Answer>(
        &mut self,
        image: &InputName,
        cubin: Option<CubinKind>,
        answer: &A,
    ) -> io::Result<()> {
        if !progress::is_shown() {
            return self.write_now(image, cubin, answer);
        }
        without_bar(|| {
            self.write_now(image, cubin, answer)?;
            self.flush()
        })
    }

    fn write_now<A: Answer>(
        &mut self,
        image: &InputName,
        cubin: Option<CubinKind>,
        answer: &A,
    ) -> io::Result<()> {
        if let Some(document) = &mut self.document {
            let file = &*image.name;
            match cubin {
                Some(CubinKind { sm, code }) => {
                    document.element(self.out, &OfCubin { file, sm, code, answer })?;
                }
                None => document.element(self.out, &OfFile { file, answer })?,
            }
        } else {
            if let Some(origin) = image.origin.as_ref().filter(|_| self.form == Form::Text) {
                if self.count != 0 {
                    writeln!(self.out)?;
                }
                let origin = if origin.is_empty() { String::new() } else { format!(" ({origin})") };
                writeln!(self.out, "{}:", printable(&format!("{}{origin}", image.name)))?;
            }
            answer.text(self.out)?;
        }
        self.count += 1;
        self.tally.add(answer.status());
        Ok(())
    }

    /// Reports an error about a file, or about the only image in it.
    ///
    /// # Errors
    ///
    /// `error` is that standard output cannot be written, or it cannot be.
    pub fn alone(&mut self, name: &str, error: anyhow::Error) -> Result<()> {
        let error = not_of_stdout(error)?;
        if error.is::<NoAnswer>() {
            self.exit = self.exit.max(Exit::Findings);
        } else {
            self.tally.fault();
        }
        self.faults += 1;
        let error = format!("{error:#}");
        let bare = without_name(name, &error);
        if self.faults <= MAX_MESSAGES {
            self.flush()?;
            // It names its file, which may be another one, such as one that is to be written.
            complain(format_args!("{error}"));
        }
        self.refusal(name, bare)
    }

    /// Reports an error about one of several images in a file. An image in which a query has no
    /// result is a fault only if no image of the file has one.
    ///
    /// # Errors
    ///
    /// Those of [`alone`](Self::alone).
    pub fn one_of_several(&mut self, name: &str, error: anyhow::Error) -> Result<()> {
        if !error.is::<NoAnswer>() {
            let error = not_of_stdout(error)?;
            let error = format!("{error:#}");
            return self.alone(name, anyhow!("{name}: {}", without_name(name, &error)));
        }
        self.tally.refuse();
        let error = format!("{error:#}");
        let why = without_name(name, &error);
        self.unanswered += 1;
        if self.unanswered <= MAX_MESSAGES {
            self.flush()?;
            note(format_args!("{name}: {why}"));
        }
        self.refusal(name, why)
    }

    /// Passes over one of several images in a file, since it has nothing of what was asked. That is
    /// a fault only if all images of the file are passed over. `status` has its queries, none of
    /// which is answered.
    pub fn pass_over(&mut self, status: Status) {
        self.tally.pass_over(status);
    }

    /// Adds a message to the JSON document that is not about an image of a file; text output does
    /// not have it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn add_words(&mut self, file: &str, words: &str) -> io::Result<()> {
        match &mut self.document {
            Some(document) => document.element(self.out, &Refusal { file, error: words }),
            None => Ok(()),
        }
    }

    /// Flushes text results before something is printed on standard error. A JSON document is not
    /// flushed.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.document.is_some() { Ok(()) } else { self.out.flush() }
    }

    /// Raises the exit status to `exit` if it is lower, for a fault that is not part of a result.
    pub fn worsen_exit(&mut self, exit: Exit) {
        self.exit = self.exit.max(exit);
    }

    fn refusal(&mut self, file: &str, error: &str) -> Result<()> {
        if let Some(document) = &mut self.document {
            document.element(self.out, &Refusal { file, error })?;
        }
        if self.faults.max(self.unanswered) <= MAX_MESSAGES {
            // Whose image it is, is known at the end of the file.
            let (name, error) = (file.to_owned(), error.to_owned());
            self.refused.push(UnansweredInput { file: String::new(), name, error });
        }
        Ok(())
    }

    /// Ends the results for the file called `name`, and reports how many faults were not shown.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn end_of_file(&mut self, name: &str) -> Result<()> {
        let (tally, faults) = (std::mem::take(&mut self.tally), std::mem::take(&mut self.faults));
        for refused in self.refused.iter_mut().skip(self.ended) {
            name.clone_into(&mut refused.file);
        }
        self.ended = self.refused.len();
        if faults > MAX_MESSAGES {
            self.flush()?;
            complain(format_args!("{name}: and {} more", faults - MAX_MESSAGES));
        }
        let unanswered = std::mem::take(&mut self.unanswered);
        if unanswered > MAX_MESSAGES {
            self.flush()?;
            note(format_args!("{name}: and {} more", unanswered - MAX_MESSAGES));
        }
        if tally.is_unanswered() {
            self.flush()?;
            complain(format_args!("{name}: no cubin in it has an answer"));
        }
        self.exit = self.exit.max(tally.exit());
        Ok(())
    }
}

/// Gives an error back, or passes it on where it says that standard output cannot be written.
fn not_of_stdout(error: anyhow::Error) -> Result<anyhow::Error> {
    if is_of_stdout(&error) { Err(error) } else { Ok(error) }
}

/// Whether an error says that standard output could not be written. Errors about files have a
/// context that names the file.
pub fn is_of_stdout(error: &anyhow::Error) -> bool {
    if error.is::<HalfWritten>() {
        return true;
    }
    let is_io = error.is::<io::Error>()
        || error.downcast_ref::<serde_json::Error>().is_some_and(serde_json::Error::is_io);
    is_io && error.chain().len() == 1
}

/// Removes the name at the start of an error, or the name of the file without the selector of an
/// image.
fn without_name<'e>(name: &str, error: &'e str) -> &'e str {
    let mut names = std::iter::successors(Some(name), |name| Some(name.rsplit_once(':')?.0));
    names.find_map(|name| error.strip_prefix(name)?.strip_prefix(": ")).unwrap_or(error)
}
