//! A file whose cubins a command changes: the cubin itself, or those in a fatbin, host program,
//! library or archive, each in its place.

use super::each_cubin::{ChosenCubin, chosen_cubins};
use super::operand::File;
use crate::parallel;
use crate::progress::Progress;
use crate::report::InputName;
use anyhow::{Context, Result, bail};
use nv_debug_sections::container::{Entry, FileKind, Replacement};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A file whose cubins are to be changed.
pub(in crate::commands) struct EditedFile(File);

/// A cubin of such a file, as it is.
pub(in crate::commands) struct OldCubin<'f> {
    /// The name of the cubin to show.
    pub(in crate::commands) image: &'f InputName,
    /// The bytes of the cubin, with the padding after it in its file.
    pub(in crate::commands) bytes: &'f [u8],
    /// The identifier of its entry in a fatbin, which is the name of its source file; empty without
    /// one.
    pub(in crate::commands) source: &'f [u8],
}

/// What becomes of a cubin.
pub(in crate::commands) struct Edit<T> {
    /// The new cubin; `None` where it stays as it is.
    pub(in crate::commands) cubin: Option<Vec<u8>>,
    /// The new identifier of its entry; `None` where that stays.
    pub(in crate::commands) source: Option<Vec<u8>>,
    /// What is to be said of it.
    pub(in crate::commands) result: T,
}

/// A cubin that was changed, or could have been.
pub(in crate::commands) struct EditedCubin<T> {
    pub(in crate::commands) image: InputName,
    /// The numbers of bytes that it takes in its file, before and after; `None` for a file that is
    /// a cubin.
    pub(in crate::commands) stored: Option<(u64, u64)>,
    pub(in crate::commands) result: T,
}

/// A file with its cubins changed.
pub(in crate::commands) struct Edited<'f, T> {
    /// The bytes of the file, borrowed where it stays as it is.
    pub(in crate::commands) bytes: Cow<'f, [u8]>,
    /// Its cubins, in file order.
    pub(in crate::commands) cubins: Vec<EditedCubin<T>>,
}

impl<T> Edited<'_, T> {
    /// Whether the file changes.
    pub(in crate::commands) fn is_changed(&self) -> bool {
        matches!(self.bytes, Cow::Owned(_))
    }
}

impl EditedFile {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is empty, or is evidently no file with cubins.
    pub(in crate::commands) fn read(operand: &Path) -> Result<Self> {
        File::read(operand, None).map(Self)
    }

    /// The name of the file without what chooses images.
    pub(in crate::commands) fn name(&self) -> &str {
        self.0.base()
    }

    /// The path of the file without what chooses images.
    pub(in crate::commands) fn path(&self) -> PathBuf {
        self.0.path.clone()
    }

    /// Whether the file is itself a cubin, or nothing that holds cubins.
    pub(in crate::commands) fn is_cubin(&self) -> bool {
        is_cubin(&self.0)
    }

    /// Expects that one cubin is meant.
    ///
    /// # Errors
    ///
    /// There are more: which.
    pub(in crate::commands) fn expect_one(&self) -> Result<()> {
        let Some(container) = self.0.container()? else { return Ok(()) };
        self.0.expect_one(&self.0.survey(&container)?)
    }

    /// Calls `edit` with each cubin that is meant, on all cores, and puts what it returns into the
    /// places of the cubins. A file that is a cubin becomes what is returned. `accept` is called
    /// with each result, in file order, after those before it; if it returns false, the cubin stays
    /// as it is.
    ///
    /// # Errors
    ///
    /// The first of `edit`; no cubin is meant; one cannot be read, or does not fit its place.
    pub(in crate::commands) fn edit<T: Send>(
        &self,
        edit: impl Fn(&OldCubin<'_>) -> Result<Edit<T>> + Sync,
        mut accept: impl FnMut(&InputName, &mut T, &[EditedCubin<T>]) -> bool,
    ) -> Result<Edited<'_, T>> {
        let Self(file) = self;
        let container = file.container()?;
        let (count, found) = chosen_cubins(file, container.as_ref())?;
        let size = |cubin: &Result<ChosenCubin<'_>>| cubin.as_ref().map_or(0, ChosenCubin::size);
        let mut edited = Edited { bytes: Cow::Borrowed(&*file.bytes), cubins: Vec::new() };
        let mut progress = Progress::new(count);
        let edit_each = |cubin: &_| edit_found(file, cubin, &edit);
        parallel::in_order(found, size, edit_each, |cubin, done| {
            let cubin = cubin?;
            let Some((place, mut result)) = done.transpose()? else { bail!("{}: no cubin", file.base()) };
            let place = if accept(&cubin.image, &mut result, &edited.cubins) { place } else { Place::Same };
            let mut stored = cubin.entry.as_ref().map(|entry| {
                let size = entry.entry.stored().len() as u64;
                (size, size)
            });
            match place {
                Place::Same => {}
                Place::Whole(bytes) => {
                    stored = None;
                    edited.bytes = Cow::Owned(bytes);
                }
                Place::Image(replacement) => {
                    stored = stored.map(|(before, _)| (before, replacement.stored_size()));
                    let named = || cubin.image.name.clone();
                    replacement.write_to(&file.bytes, edited.bytes.to_mut()).with_context(named)?;
                }
            }
            progress.step(&cubin.image.name);
            edited.cubins.push(EditedCubin { image: cubin.image, stored, result });
            Ok(())
        })?;
        Ok(edited)
    }

    /// Changes the images beside the cubins. `edit_source` is called with the identifier of each,
    /// which is the name of its source file, and `edit_ptx` with each PTX text and the name to show
    /// for it. `edited` is what [`edit`](Self::edit) returned.
    ///
    /// # Errors
    ///
    /// A text cannot be decompressed, or what is returned does not fit its place.
    ///
    /// Returns the number of images that are neither cubins nor PTX, such as LTO IR.
    pub(in crate::commands) fn edit_others<T>(
        &self,
        edited: &mut Edited<'_, T>,
        edit_source: impl Fn(&[u8]) -> Option<Vec<u8>>,
        mut edit_ptx: impl FnMut(&str, &[u8]) -> Option<Vec<u8>>,
    ) -> Result<u64> {
        let Self(file) = self;
        let mut count = 0;
        let Some(container) = file.container()? else { return Ok(count) };
        for found in file.chosen_others(&container) {
            let name = file.name_of(&found);
            count += u64::from(!found.entry.kind.is_text());
            let source = edit_source(found.entry.name);
            let text =
                if found.entry.kind.is_text() { edit_ptx(&name, &file.payload(&found)?) } else { None };
            // A text in a fatbin ends with a NUL.
            let text = text.map(|text| [&*text, &[0]].concat());
            if source.is_none() && text.is_none() {
                continue;
            }
            let replacement = replacement(&found.entry, text.as_deref(), source.as_deref());
            let put = |new: Replacement<'_>| new.write_to(&file.bytes, edited.bytes.to_mut());
            replacement.and_then(put).with_context(|| name.clone())?;
        }
        Ok(count)
    }
}

/// What goes where a cubin was.
enum Place<'d> {
    Same,
    Whole(Vec<u8>),
    Image(Box<Replacement<'d>>),
}

fn is_cubin(file: &File) -> bool {
    matches!(FileKind::of(&file.bytes), None | Some(FileKind::Cubin))
}

/// Edits a cubin; `None` where something else was found.
fn edit_found<'d, T>(
    file: &'d File,
    cubin: &Result<ChosenCubin<'d>>,
    edit: impl Fn(&OldCubin<'_>) -> Result<Edit<T>>,
) -> Option<Result<(Place<'d>, T)>> {
    cubin.as_ref().ok().map(|cubin| edit_one(file, cubin, edit))
}

fn edit_one<'d, T>(
    file: &'d File,
    cubin: &ChosenCubin<'d>,
    edit: impl Fn(&OldCubin<'_>) -> Result<Edit<T>>,
) -> Result<(Place<'d>, T)> {
    let bytes = cubin.bytes(file)?;
    let entry = cubin.entry.as_ref().map(|found| &found.entry);
    let source = entry.map_or(&[][..], |entry| entry.name);
    let Edit { cubin: new, source, result } = edit(&OldCubin { image: &cubin.image, bytes: &bytes, source })?;
    let place = match (entry.filter(|_| !is_cubin(file)), new) {
        (None, Some(new)) => Place::Whole(new),
        (Some(entry), new) if new.is_some() || source.is_some() => {
            let replacement = replacement(entry, new.as_deref(), source.as_deref());
            Place::Image(Box::new(replacement.with_context(|| cubin.image.name.clone())?))
        }
        _ => Place::Same,
    };
    Ok((place, result))
}

fn replacement<'d>(
    entry: &Entry<'d>,
    new: Option<&[u8]>,
    source: Option<&[u8]>,
) -> nv_debug_sections::Result<Replacement<'d>> {
    let mut replacement = new.map_or_else(|| Ok(entry.kept()), |new| entry.replacement(new))?;
    if let Some(source) = source {
        replacement.set_name(source)?;
    }
    Ok(replacement)
}
