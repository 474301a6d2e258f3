//! The cubins of a file, one after the other.

use super::images::{File, is_stdin};
use super::shown::{Shown, Tally, Unanswered};
use crate::commands::read::{JSON_VERSION, printable};
use crate::limits::MAX_MESSAGES;
use crate::plain::{json_line, write_json_value};
use crate::stderr::{complain, note};
use anyhow::{Context, Result, anyhow};
use nv_debug_sections::container::NumberedEntry;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// What files with several cubins are, and what `--json` makes of them.
macro_rules! files_help {
    ($json:literal) => {
        concat!(
            "\
Files:
  FILE may be a cubin, or a fatbin, host program, object, library or archive with cubins in it. Each
  is then shown under its name, FILE:ARCH:NUMBER, as `extract` numbers them. To choose: FILE:sm_90,
  FILE:2 or FILE:sm_90:2; of standard input `-- -:sm_90`. ",
            $json
        )
    };
}

/// `--help` of the commands that take [`each_cubin`]'s operands.
pub(in crate::commands) const IMAGES_HELP: &str = files_help!(
    "With --json several make one document of
  the schema nvdwarf.images. A query (an address, a name, a place) fails when no image answers it."
);

/// `--help` of the commands that take [`each_image`]'s operands.
pub(in crate::commands) const FILES_HELP: &str = files_help!(
    "In the document of --json
  each is one of `files`."
);

/// What is written around several cubins of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Around {
    /// A heading above each, a blank line between two.
    Headings,
    /// One JSON document.
    Json,
    /// Nothing: what is shown of each has its own form.
    Nothing,
}

impl Around {
    /// As `--json` has it.
    pub(in crate::commands) fn json_if(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Headings }
    }
}

/// Calls `show` with name and bytes of each cubin that `operand` means: the file itself, or those in a fatbin, host file or
/// archive, one at a time and decompressed only then.
///
/// Where only one is meant, what `show` writes is all that is written. Several have headings, or make one JSON document
/// whose `images` are theirs, as `around` has it. What is wrong with one of several is said, and the others follow. The exit status is a failure
/// if anything is wrong, or a query has an answer in none ([`Shown`]; [`Unanswered`] where it has none at all).
///
/// # Errors
///
/// The file cannot be read, or means no cubin; `out` cannot be written; where only one is meant, those of `show`.
pub(in crate::commands) fn each_cubin(
    operand: &Path,
    around: Around,
    out: &mut dyn Write,
    mut show: impl FnMut(&str, &[u8], &mut dyn Write) -> Result<Shown>,
) -> Result<ExitCode> {
    let file = File::read(operand)?;
    let Some(container) = file.container()? else {
        return show(&file.name, &file.bytes, out).map(Shown::code);
    };
    let survey = file.survey(&container)?;
    let mut list = List::new(&file, around, survey.chosen == 1);
    for found in file.chosen(&container) {
        let image = match found {
            Ok(image) => image,
            Err(error) => {
                list.fault(out, file.base(), &error)?;
                continue;
            }
        };
        if list.is_one && survey.faults == 0 {
            return show(&file.name, &file.payload(&image)?, out).map(Shown::code);
        }
        let name = if list.is_one { file.name.clone() } else { file.name_of(&image) };
        let mut part = list.part(out, &name, &image);
        let done = file.payload(&image).and_then(|bytes| show(&name, &bytes, &mut part));
        let (has_written, has_failed) = (part.before.is_none(), part.has_failed);
        list.count += u64::from(has_written);
        match done {
            Ok(shown) => list.tally.add(shown),
            // Half a document cannot be mended.
            Err(error) if has_failed || has_written && around == Around::Json => return Err(error),
            Err(error) if error.is::<Unanswered>() => list.refuse(out, &name, &format!("{error:#}"))?,
            Err(error) => list.fault(out, &name, &format_args!("{error:#}"))?,
        }
    }
    list.end(out)
}

/// As [`each_cubin`], for commands that take several files and have a document of their own around all: `look` gets name and bytes of each
/// cubin, `take` what came of it, or why it cannot be read. Faults between images are told to `take` too, under the file's own name.
///
/// Faults are said here, as [`each_cubin`] does it; those that `take` gets are without the name.
///
/// # Errors
///
/// Those of `take`, and `out` cannot be written.
pub(in crate::commands) fn each_image<T>(
    operand: &Path,
    out: &mut dyn Write,
    mut look: impl FnMut(&str, &[u8]) -> Result<T>,
    mut take: impl FnMut(&mut dyn Write, &str, Result<T, String>) -> Result<()>,
) -> Result<()> {
    let mut faults = 0;
    let mut tell = |out: &mut dyn Write, name: &str, done: Result<T>| {
        let done = done.map_err(|error| without_name(name, &format!("{error:#}")).to_owned());
        if let Err(error) = &done {
            faults += 1;
            say_fault(out, faults, name, error)?;
        }
        take(out, name, done)
    };
    let file = match File::read(operand) {
        Ok(file) => file,
        Err(error) => return tell(out, &shown_name(operand), Err(error)),
    };
    let found = file.container().and_then(|container| {
        let survey = container.as_ref().map(|container| file.survey(container)).transpose()?;
        Ok(container.zip(survey))
    });
    let (container, survey) = match found {
        Ok(Some(found)) => found,
        Ok(None) => {
            let done = look(&file.name, &file.bytes);
            return tell(out, &file.name, done);
        }
        Err(error) => return tell(out, &file.name, Err(error)),
    };
    for found in file.chosen(&container) {
        match found {
            Err(error) => tell(out, file.base(), Err(error.into()))?,
            Ok(image) => {
                let full = file.name_of(&image);
                let name = if survey.chosen == 1 { &file.name } else { &full };
                // Where it is the only one, its file's name says enough.
                let bytes = file.payload(&image);
                let bytes = bytes.map_err(|error| anyhow!("{}", without_name(&full, &format!("{error:#}"))));
                let done = bytes.and_then(|bytes| look(name, &bytes));
                tell(out, name, done)?;
            }
        }
    }
    say_more(out, faults, file.base())
}

/// The name to show for an operand that cannot be read.
pub(super) fn shown_name(operand: &Path) -> String {
    let name = operand.display().to_string();
    if is_stdin(operand) { name.replacen('-', "<stdin>", 1) } else { name }
}

/// Says what is wrong with a file or image, the `number`-th one (from 1) of a file; not of more than anybody would read.
fn say_fault(out: &mut dyn Write, number: u64, name: &str, error: &str) -> Result<()> {
    if number <= MAX_MESSAGES {
        out.flush()?;
        complain(format_args!("{name}: {error}"));
    }
    Ok(())
}

/// Says how many faults [`say_fault`] has not said, of `faults`.
fn say_more(out: &mut dyn Write, faults: u64, name: &str) -> Result<()> {
    if faults > MAX_MESSAGES {
        out.flush()?;
        complain(format_args!("{name}: and {} more", faults - MAX_MESSAGES));
    }
    Ok(())
}

/// A file of which one cubin is meant. See [`each_cubin`] for what it may be.
pub(in crate::commands) struct OneCubin(File);

impl OneCubin {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is empty, or is PTX.
    pub(in crate::commands) fn read(operand: &Path) -> Result<Self> {
        File::read(operand).map(Self)
    }

    /// The name to show.
    pub(in crate::commands) fn name(&self) -> &str {
        &self.0.name
    }

    /// The bytes of the cubin. An image of a fatbin is decompressed at each call: it may have 256 times the bytes of the
    /// file, so that a command with two files should hold one at a time.
    ///
    /// # Errors
    ///
    /// The file means no cubin, or more than one; something else in the file cannot be read, which may be what was meant.
    pub(in crate::commands) fn bytes(&self) -> Result<Cow<'_, [u8]>> {
        Ok(self.image()?.unwrap_or_else(|| self.0.bytes.as_slice().into()))
    }

    /// The name to show, and the bytes of the cubin.
    ///
    /// # Errors
    ///
    /// Those of [`bytes`](Self::bytes).
    pub(in crate::commands) fn into_parts(self) -> Result<(String, Vec<u8>)> {
        let image = self.image()?.map(Cow::into_owned);
        Ok((self.0.name, image.unwrap_or(self.0.bytes)))
    }

    /// The image that is meant; `None`: the file itself is.
    fn image(&self) -> Result<Option<Cow<'_, [u8]>>> {
        let file = &self.0;
        let Some(container) = file.container()? else { return Ok(None) };
        let survey = file.survey(&container)?;
        file.expect_one(&survey)?;
        let mut meant = None;
        for found in file.chosen(&container) {
            meant = Some(found.with_context(|| file.base().to_owned())?);
        }
        meant.map(|image| file.payload(&image)).transpose()
    }
}

/// What is written around the images of a file.
struct List<'f> {
    file: &'f File,
    around: Around,
    is_one: bool,
    /// Images, and in JSON faults, that were written.
    count: u64,
    faults: u64,
    tally: Tally,
}

/// A fault in a JSON document.
#[derive(Serialize)]
struct Fault<'a> {
    file: &'a str,
    error: String,
}

impl<'f> List<'f> {
    fn new(file: &'f File, around: Around, is_one: bool) -> Self {
        Self { file, around, is_one, count: 0, faults: 0, tally: Tally::default() }
    }

    /// Where an image is written.
    fn part<'o>(&self, out: &'o mut dyn Write, name: &str, image: &NumberedEntry<'_>) -> Part<'o> {
        let entry = &image.entry;
        let source = String::from_utf8_lossy(entry.name);
        let origin = entry.place.member.as_deref().unwrap_or(source.trim());
        let before = match self.around {
            Around::Nothing => String::new(),
            _ if self.is_one => String::new(),
            Around::Json => self.before(),
            Around::Headings => {
                let blank = if self.count == 0 { "" } else { "\n" };
                let origin = if origin.is_empty() { String::new() } else { format!(" ({origin})") };
                format!("{blank}{}:\n", printable(&format!("{name}{origin}")))
            }
        };
        Part::new(out, before, self.is_document())
    }

    /// Whether there is a JSON document around the images.
    fn is_document(&self) -> bool {
        self.around == Around::Json && !self.is_one
    }

    /// What is before an element of the JSON document.
    fn before(&self) -> String {
        if self.count != 0 {
            return ",\n    ".to_owned();
        }
        let name = json_line(&self.file.name).unwrap_or_default();
        let members = [
            r#""schema": "nvdwarf.images""#.to_owned(),
            format!(r#""schema_version": {JSON_VERSION}"#),
            format!(r#""file": {name}"#),
            r#""images": ["#.to_owned(),
        ];
        format!("{{\n  {}\n    ", members.join(",\n  "))
    }

    /// Says what is wrong with an image, or the file between two.
    fn fault(&mut self, out: &mut dyn Write, name: &str, error: &dyn fmt::Display) -> Result<()> {
        self.tally.fault();
        self.faults += 1;
        let error = error.to_string();
        let error = without_name(name, &error);
        say_fault(out, self.faults, name, error)?;
        self.error_element(out, name, error)
    }

    /// Says that an image answers no query; a fault only if none does.
    fn refuse(&mut self, out: &mut dyn Write, name: &str, why: &str) -> Result<()> {
        self.tally.refuse();
        let why = without_name(name, why);
        out.flush()?;
        note(format_args!("{name}: {why}"));
        self.error_element(out, name, why)
    }

    /// In the JSON document, what stands in the place of an image's own.
    fn error_element(&mut self, out: &mut dyn Write, name: &str, error: &str) -> Result<()> {
        if self.is_document() {
            let mut part = Part::new(out, self.before(), true);
            write_json_value(&mut part, &Fault { file: name, error: error.to_owned() })?;
            self.count += 1;
        }
        Ok(())
    }

    fn end(self, out: &mut dyn Write) -> Result<ExitCode> {
        say_more(out, self.faults, self.file.base())?;
        if self.is_document() {
            if self.count == 0 {
                out.write_all(self.before().as_bytes())?;
            }
            writeln!(out, "\n  ]\n}}")?;
        }
        if self.tally.is_unanswered() {
            out.flush()?;
            complain(format_args!("{}: no cubin in it has an answer", self.file.base()));
        }
        Ok(self.tally.code())
    }
}

/// Errors of commands begin with the name, or with that of the file without what chooses an image of it.
pub(super) fn without_name<'e>(name: &str, error: &'e str) -> &'e str {
    let mut names = std::iter::successors(Some(name), |name| Some(name.rsplit_once(':')?.0));
    names.find_map(|name| error.strip_prefix(name)?.strip_prefix(": ")).unwrap_or(error)
}

/// The output of one image, which has its heading as soon as there is some.
struct Part<'o> {
    out: &'o mut dyn Write,
    /// Until something was written.
    before: Option<String>,
    /// Whether lines are indented as elements of an array, the last one without its end.
    is_nested: bool,
    is_at_end: bool,
    has_failed: bool,
}

impl<'o> Part<'o> {
    fn new(out: &'o mut dyn Write, before: String, is_nested: bool) -> Self {
        Self { out, before: Some(before), is_nested, is_at_end: false, has_failed: false }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(before) = self.before.take() {
            self.out.write_all(before.as_bytes())?;
        }
        if !self.is_nested {
            return self.out.write_all(bytes);
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if std::mem::take(&mut self.is_at_end) {
                self.out.write_all(b"\n    ")?;
            }
            let text = line.strip_suffix(b"\n");
            self.is_at_end = text.is_some();
            self.out.write_all(text.unwrap_or(line))?;
        }
        Ok(())
    }
}

impl Write for Part<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.put(bytes);
        self.has_failed |= done.is_err();
        done.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
