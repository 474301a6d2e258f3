//! The cubins of a file, one after the other.

use super::images::{File, is_stdin};
use crate::report::{Answers, Image};
use anyhow::{Context, Result};
use nv_debug_sections::container::NumberedEntry;
use std::borrow::Cow;
use std::path::Path;

/// `--help` of the commands that take [`each_cubin`]'s operands: what files with several cubins are.
pub(in crate::commands) const IMAGES_HELP: &str = "\
Files:
  FILE may be a cubin, or a fatbin, host program, object, library or archive with cubins in it. \
  Each is then shown under its name, FILE:ARCH:NUMBER, as `extract` numbers them, and is one of \
  `files` in the document of --json. To choose: FILE:sm_90, FILE:2 or FILE:sm_90:2; of standard \
  input `-- -:sm_90`. A query (an address, a name, a place) fails when no image answers it.";

/// Calls `show` with each cubin that `operand` means: the file itself, or those in a fatbin, host file or archive, one at a
/// time and decompressed only then. What is wrong with one is said, and the others follow.
///
/// # Errors
///
/// Standard output cannot be written.
pub(in crate::commands) fn each_cubin(
    operand: &Path,
    answers: &mut Answers<'_>,
    mut show: impl FnMut(&Image, &[u8], &mut Answers<'_>) -> Result<()>,
) -> Result<()> {
    let file = match File::read(operand) {
        Ok(file) => file,
        Err(error) => {
            let name = shown_name(operand);
            answers.alone(&name, error)?;
            return answers.end_of_file(&name);
        }
    };
    if let Err(error) = each_of_file(&file, answers, &mut show) {
        answers.alone(&file.name, error)?;
    }
    answers.end_of_file(file.base())
}

type Show<'a> = dyn FnMut(&Image, &[u8], &mut Answers<'_>) -> Result<()> + 'a;

fn each_of_file(file: &File, answers: &mut Answers<'_>, show: &mut Show<'_>) -> Result<()> {
    let alone = Image { name: file.name.clone(), origin: None, number: number(file, &file.name) };
    let Some(container) = file.container()? else { return show(&alone, &file.bytes, answers) };
    let is_only = file.survey(&container)?.chosen == 1;
    for found in file.chosen(&container) {
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                let error = Err(error).with_context(|| file.base().to_owned());
                answers.alone(file.base(), error.unwrap_or_else(|error: anyhow::Error| error))?;
                continue;
            }
        };
        let bytes = file.payload(&found);
        if is_only {
            // Its file's name says enough, also of what is wrong with it.
            if let Err(error) = bytes.and_then(|bytes| show(&alone, &bytes, answers)) {
                answers.alone(&alone.name, error)?;
            }
            continue;
        }
        let name = file.name_of(&found);
        let image = Image { number: number(file, &name), name, origin: Some(origin(&found)) };
        if let Err(error) = bytes.and_then(|bytes| show(&image, &bytes, answers)) {
            answers.one_of_several(&image.name, error)?;
        }
    }
    Ok(())
}

/// What follows the file's own name in that of an image.
fn number(file: &File, name: &str) -> Option<String> {
    name.strip_prefix(file.base())?.strip_prefix(':').map(str::to_owned)
}

/// Member of an archive or source file that an image is of; empty if neither is known.
fn origin(image: &NumberedEntry<'_>) -> String {
    let source = String::from_utf8_lossy(image.entry.name);
    image.entry.place.member.as_deref().unwrap_or(source.trim()).to_owned()
}

/// The name to show for an operand.
pub(in crate::commands) fn shown_name(operand: &Path) -> String {
    let name = operand.display().to_string();
    if is_stdin(operand) { name.replacen('-', "<stdin>", 1) } else { name }
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
