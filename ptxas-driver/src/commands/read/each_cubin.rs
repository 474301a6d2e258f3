//! The cubins of files, one after the other or on all cores.

use super::folders::WalkEntry;
use super::operand::{File, is_stdin};
use crate::parallel;
use crate::progress::Progress;
use crate::report::{Answers, InputName};
use anyhow::{Context, Result};
use nv_debug_sections::container::{Container, NumberedEntry};
use std::borrow::Cow;
use std::path::Path;

/// `--help` of the commands that take [`each_cubin`]'s operands: what files with several cubins
/// are.
pub(in crate::commands) const IMAGES_HELP: &str = "\
Files:
  FILE may be a cubin, or a fatbin, host program, object, library or archive with cubins in it. \
  Each is then shown under its name, FILE:ARCH:NUMBER, as `extract` numbers them, and is one of \
  `files` in the document of --json. To choose: FILE:sm_90, FILE:2 or FILE:sm_90:2; from standard \
  input `-- -:sm_90`. A query (an address, a name, a place) fails if no image answers it.";

/// Calls `show` with each cubin that `operand` means: the file itself, or those in a fatbin, host
/// file or archive, one at a time and decompressed only then. What is wrong with one is said, and
/// the others follow.
///
/// # Errors
///
/// Standard output cannot be written.
pub(in crate::commands) fn each_cubin(
    operand: &Path,
    arch: Option<&str>,
    answers: &mut Answers<'_>,
    show: impl FnMut(&InputName, &[u8], &mut Answers<'_>) -> Result<()>,
) -> Result<()> {
    let everything = |_: &CubinFile| Ok(());
    each_chosen_cubin(operand, arch, answers, everything, |(), _, _| true, show)
}

/// As [`each_cubin`], but `survey` first looks at the file, and `is_shown` then chooses among its
/// cubins by what that found. Those that are not chosen are not decompressed.
///
/// # Errors
///
/// Those of [`each_cubin`].
pub(in crate::commands) fn each_chosen_cubin<S>(
    operand: &Path,
    arch: Option<&str>,
    answers: &mut Answers<'_>,
    survey: impl FnOnce(&CubinFile) -> Result<S>,
    mut is_shown: impl FnMut(&S, &InputName, &mut Answers<'_>) -> bool,
    mut show: impl FnMut(&InputName, &[u8], &mut Answers<'_>) -> Result<()>,
) -> Result<()> {
    let file = match File::read(operand, arch) {
        Ok(file) => CubinFile(file),
        Err(error) => return unreadable(operand, error, answers),
    };
    let shown = survey(&file).and_then(|survey| {
        let CubinFile(file) = &file;
        let container = file.container()?;
        let (count, cubins) = chosen_cubins(file, container.as_ref())?;
        let mut progress = Progress::new(count);
        for cubin in cubins {
            match cubin {
                Ok(cubin) => {
                    if is_shown(&survey, &cubin.image, answers) {
                        let shown = cubin.bytes(file).and_then(|bytes| show(&cubin.image, &bytes, answers));
                        cubin.end(shown, answers)?;
                    }
                    progress.step(&cubin.image.name);
                }
                Err(error) => answers.alone(file.base(), error)?,
            }
        }
        Ok(())
    });
    end_of_file(&file.0, shown, answers)
}

/// A file whose cubins are looked at before any of them is shown.
pub(in crate::commands) struct CubinFile(File);

impl CubinFile {
    /// Whether several cubins are meant.
    ///
    /// # Errors
    ///
    /// None is.
    pub(in crate::commands) fn has_several(&self) -> Result<bool> {
        let container = self.0.container()?;
        Ok(chosen_cubins(&self.0, container.as_ref())?.0 > 1)
    }

    /// Calls `look` with each cubin that is meant, on all cores, and `tell` with each result, in
    /// order. What is wrong with the file between the cubins is passed over.
    ///
    /// # Errors
    ///
    /// None is meant.
    pub(in crate::commands) fn look_at_each<T: Send>(
        &self,
        look: impl Fn(&InputName, &[u8]) -> Result<T> + Sync,
        mut tell: impl FnMut(&InputName, Result<T>),
    ) -> Result<()> {
        let Self(file) = self;
        let container = file.container()?;
        let look = |cubin: &ChosenCubin<'_>| look(&cubin.image, &cubin.bytes(file)?);
        in_parallel(file, container.as_ref(), look, |cubin, looked| {
            if let (Ok(cubin), Some(looked)) = (cubin, looked) {
                tell(&cubin.image, looked);
            }
            Ok(())
        })
    }
}

/// Calls `look` with each cubin that is meant of a file, on all cores, and `tell` with each result,
/// in order. A fault between the cubins is told too, without a result.
///
/// # Errors
///
/// None is meant, or one of `tell`.
pub(super) fn in_parallel<'d, T: Send>(
    file: &File,
    container: Option<&Container<'d>>,
    look: impl Fn(&ChosenCubin<'d>) -> Result<T> + Sync,
    mut tell: impl FnMut(Result<ChosenCubin<'d>>, Option<Result<T>>) -> Result<()>,
) -> Result<()> {
    let (count, cubins) = chosen_cubins(file, container)?;
    let mut progress = Progress::new(count);
    let size = |cubin: &Result<ChosenCubin<'_>>| cubin.as_ref().map_or(0, ChosenCubin::size);
    let look = |cubin: &Result<ChosenCubin<'d>>| cubin.as_ref().ok().map(&look);
    parallel::in_order(cubins, size, look, |cubin, looked| {
        let name = cubin.as_ref().ok().map(|cubin| cubin.image.name.clone());
        tell(cubin, looked)?;
        if let Some(name) = name {
            progress.step(&name);
        }
        Ok(())
    })
}

/// Calls `look` with each cubin that the operands mean, on all cores, and `tell` with each result,
/// in order. `end` follows the last one of an operand. Else it is as [`each_cubin`].
///
/// # Errors
///
/// Those of `end`; standard output cannot be written.
pub(in crate::commands) fn each_cubin_in_parallel<T: Send>(
    operands: Vec<WalkEntry>,
    answers: &mut Answers<'_>,
    look: impl Fn(&Path, &InputName, &[u8]) -> Result<T> + Sync,
    mut tell: impl FnMut(&InputName, T, &mut Answers<'_>) -> Result<()>,
    mut end: impl FnMut(&Path, &mut Answers<'_>) -> Result<()>,
) -> Result<()> {
    let mut progress = Progress::new(operands.len() as u64);
    let look_at_file = |operand: &WalkEntry| {
        let WalkEntry::File(path) = operand else { return None };
        // A file with one cubin is looked at here. The cubins of others follow one by one, also on
        // all cores.
        let looked = File::read(path, None).map(|file| {
            let looked = only_cubin(&file, |image, bytes| look(path, image, bytes));
            (file, looked)
        });
        Some(looked)
    };
    parallel::in_order(operands, WalkEntry::size, look_at_file, |operand, looked| {
        let Some((path, looked)) = operand.file(answers)?.zip(looked) else { return Ok(()) };
        match looked {
            Err(error) => unreadable(&path, error, answers)?,
            Ok((file, Some((image, looked)))) => {
                let told = looked.and_then(|result| tell(&image, result, answers));
                end_of_file(&file, told, answers)?;
            }
            Ok((file, None)) => {
                let look = |image: &InputName, bytes: &[u8]| look(&path, image, bytes);
                let told = several_cubins(&file, look, &mut tell, answers);
                end_of_file(&file, told, answers)?;
            }
        }
        end(&path, answers)?;
        progress.step(&shown_name(&path));
        Ok(())
    })
}

/// What `look` says of the only cubin of a file. `None` where there are several, or none.
fn only_cubin<T>(
    file: &File,
    look: impl Fn(&InputName, &[u8]) -> Result<T>,
) -> Option<(InputName, Result<T>)> {
    let container = file.container().ok()?;
    let (count, mut cubins) = chosen_cubins(file, container.as_ref()).ok()?;
    let (cubin, None) = (cubins.next()?.ok()?, cubins.next()) else { return None };
    let looked = cubin.bytes(file).and_then(|bytes| look(&cubin.image, &bytes));
    (count == 1).then_some((cubin.image, looked))
}

fn several_cubins<T: Send>(
    file: &File,
    look: impl Fn(&InputName, &[u8]) -> Result<T> + Sync,
    mut tell: impl FnMut(&InputName, T, &mut Answers<'_>) -> Result<()>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let container = file.container()?;
    let look = |cubin: &ChosenCubin<'_>| look(&cubin.image, &cubin.bytes(file)?);
    in_parallel(file, container.as_ref(), look, |cubin, looked| match (cubin, looked) {
        (Ok(cubin), Some(looked)) => {
            let told = looked.and_then(|result| tell(&cubin.image, result, answers));
            cubin.end(told, answers)
        }
        (Ok(_), None) => Ok(()),
        (Err(error), _) => answers.alone(file.base(), error),
    })
}

/// Says what is wrong with a file that cannot be read.
fn unreadable(operand: &Path, error: anyhow::Error, answers: &mut Answers<'_>) -> Result<()> {
    let name = shown_name(operand);
    answers.alone(&name, error)?;
    answers.end_of_file(&name)
}

/// Ends what is said of a file, after what is wrong with it.
fn end_of_file(file: &File, told: Result<()>, answers: &mut Answers<'_>) -> Result<()> {
    if let Err(error) = told {
        answers.alone(&file.name, error)?;
    }
    answers.end_of_file(file.base())
}

/// A cubin that an operand means.
#[derive(Clone)]
pub(super) struct ChosenCubin<'d> {
    pub(super) image: InputName,
    /// `None`: the file itself.
    pub(super) entry: Option<NumberedEntry<'d>>,
    /// Whether the operand means no other one. Its file's name says enough then, also of what is
    /// wrong with it.
    pub(super) is_only: bool,
    /// Whether the operand is its name.
    pub(super) is_named: bool,
}

/// The cubins that are meant of a file, and the faults between them; first how many cubins.
///
/// # Errors
///
/// There are none.
pub(super) fn chosen_cubins<'c, 'd>(
    file: &'c File,
    container: Option<&'c Container<'d>>,
) -> Result<(u64, impl Iterator<Item = Result<ChosenCubin<'d>>> + use<'c, 'd>)> {
    let alone = InputName { name: file.name.clone(), origin: None, number: number(file, &file.name) };
    let survey = container.map(|container| file.survey(container)).transpose()?;
    let count = survey.as_ref().map_or(1, |survey| survey.chosen);
    let is_named = survey.as_ref().is_none_or(|survey| file.names_one(survey));
    let itself = container.is_none().then(|| ChosenCubin {
        image: alone.clone(),
        entry: None,
        is_only: true,
        is_named: true,
    });
    let entries = container.into_iter().flat_map(|container| file.chosen(container));
    let entries = entries.map(move |found| {
        let found = found.with_context(|| file.base().to_owned())?;
        let is_only = count == 1;
        let image = if is_named {
            alone.clone()
        } else {
            let name = file.name_of(&found);
            InputName { number: number(file, &name), name, origin: (!is_only).then(|| origin(&found)) }
        };
        Ok(ChosenCubin { image, entry: Some(found), is_only, is_named })
    });
    Ok((count, itself.map(Ok).into_iter().chain(entries)))
}

impl<'d> ChosenCubin<'d> {
    /// The bytes, decompressed.
    pub(super) fn bytes(&self, file: &'d File) -> Result<Cow<'d, [u8]>> {
        match &self.entry {
            Some(entry) => file.payload(entry),
            None => Ok((&*file.bytes).into()),
        }
    }

    /// How many bytes [`bytes`](Self::bytes) gives.
    pub(super) fn size(&self) -> u64 {
        self.entry.as_ref().map_or(0, |entry| entry.entry.size())
    }

    /// Ends the output for this cubin, after its error if there is one.
    fn end(&self, told: Result<()>, answers: &mut Answers<'_>) -> Result<()> {
        match told {
            Ok(()) => Ok(()),
            Err(error) if self.is_only => answers.alone(&self.image.name, error),
            Err(error) => answers.one_of_several(&self.image.name, error),
        }
    }
}

/// What follows the file's own name in that of an image.
fn number(file: &File, name: &str) -> Option<String> {
    name.strip_prefix(file.base())?.strip_prefix(':').map(str::to_owned)
}

/// Member of an archive or source file that an image is of; empty if neither is known.
fn origin(image: &NumberedEntry<'_>) -> String {
    let source = String::from_utf8_lossy(image.entry.name);
    image.entry.position.member.as_deref().unwrap_or(source.trim()).to_owned()
}

/// The name to show for an operand.
pub(in crate::commands) fn shown_name(operand: &Path) -> String {
    let name = operand.display().to_string();
    if is_stdin(operand) { name.replacen('-', "<stdin>", 1) } else { name }
}

/// A file in which one cubin is meant. See [`each_cubin`] for what it may be.
pub(in crate::commands) struct OneCubin(File);

impl OneCubin {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is empty, or is PTX.
    pub(in crate::commands) fn read(operand: &Path) -> Result<Self> {
        File::read(operand, None).map(Self)
    }

    /// The name to show.
    pub(in crate::commands) fn name(&self) -> &str {
        &self.0.name
    }

    /// The bytes of the cubin. An image of a fatbin is decompressed at each call: it may have 256
    /// times the bytes of the file, so that a command with two files should hold one at a time.
    ///
    /// # Errors
    ///
    /// The file means no cubin, or more than one; something else in the file cannot be read, which
    /// may be what was meant.
    pub(in crate::commands) fn bytes(&self) -> Result<Cow<'_, [u8]>> {
        Ok(self.image()?.unwrap_or_else(|| (&*self.0.bytes).into()))
    }

    /// The name to show, and the bytes of the cubin.
    ///
    /// # Errors
    ///
    /// Those of [`bytes`](Self::bytes).
    pub(in crate::commands) fn into_parts(self) -> Result<(String, Vec<u8>)> {
        let image = self.image()?.map(Cow::into_owned);
        Ok((self.0.name, image.unwrap_or_else(|| self.0.bytes.into_owned())))
    }

    /// The image that is meant; `None`: the file itself is.
    fn image(&self) -> Result<Option<Cow<'_, [u8]>>> {
        let file = &self.0;
        let Some(container) = file.container()? else { return Ok(None) };
        let survey = file.survey(&container)?;
        let mut meant = Vec::new();
        for found in file.chosen(&container) {
            let image = found.with_context(|| file.base().to_owned())?;
            // nvlink puts an image without code into each program. It is not what is meant, if one
            // other can be.
            let is_passed = survey.chosen > 1 && (meant.len() > 1 || self.is_without_code(&image)?);
            if !is_passed {
                meant.push(image);
            }
        }
        let [image] = meant.as_slice() else {
            file.expect_one(&survey)?;
            return Ok(None);
        };
        file.payload(image).map(Some)
    }

    fn is_without_code(&self, image: &NumberedEntry<'_>) -> Result<bool> {
        let bytes = self.0.payload(image)?;
        Ok(super::cubin(&self.0.name_of(image), &bytes).is_ok_and(|cubin| super::is_without_code(&cubin)))
    }
}
