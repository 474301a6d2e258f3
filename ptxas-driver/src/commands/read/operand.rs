//! The file that an operand names, and the selector of its images.

use crate::commands::read::other_kind;
use anyhow::{Context, Result, anyhow, bail};
use nv_debug_sections::container::{Container, FileKind, ImageSelector, NumberedEntry, SelectionSummary};
use nv_debug_sections::error::ErrorKind;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Whether the operand is standard input, or an image in it.
pub(in crate::commands) fn is_stdin(operand: &Path) -> bool {
    split(operand).0 == Path::new("-")
}

/// The path of an operand's file without links; `None` where it is not there.
pub(in crate::commands) fn real_path(operand: &Path) -> Option<PathBuf> {
    split(operand).0.canonicalize().ok()
}

/// Whether the file of an operand is there.
pub(in crate::commands) fn is_there(operand: &Path) -> bool {
    split(operand).0.exists()
}

/// Expects a file, as a command that changes one does.
///
/// # Errors
///
/// The operand is an image of a file.
pub(super) fn expect_file(operand: &Path) -> Result<()> {
    let (path, choice) = split(operand);
    if !choice.is_all() {
        let (operand, path) = (operand.display(), path.display());
        bail!(
            "{operand}: expected a cubin that is a file; `ptxas-driver extract {path} -o DIR` takes cubins out"
        );
    }
    Ok(())
}

/// Path and choice of an operand: `FILE`, `FILE:sm_90`, `FILE:5` or `FILE:sm_90:5`. A file whose
/// name looks so is taken whole.
fn split(operand: &Path) -> (&Path, ImageSelector) {
    let text = operand.to_str().filter(|text| text.contains(':') && !operand.exists());
    let split = text.map(ImageSelector::split).map(|(path, choice)| (Path::new(path), choice));
    let there = split.filter(|(path, _)| *path == Path::new("-") || path.exists());
    there.unwrap_or_else(|| (operand, ImageSelector::default()))
}

/// A file that was read, and which of its images are meant.
pub(super) struct File {
    /// As given, to show.
    pub(super) name: String,
    /// The same without what chooses images.
    base: String,
    /// The path without what chooses images.
    pub(super) path: PathBuf,
    choice: ImageSelector,
    /// Whether `choice` is not in the operand, but in an option for all files.
    is_choice_of_option: bool,
    pub(super) bytes: Cow<'static, [u8]>,
}

/// The error for a file that has cubins, but not of the architecture or number asked for.
#[derive(Debug, Error)]
#[error("{0}")]
pub(in crate::commands) struct OtherCubins(String);

impl File {
    /// Reads the file. `arch` chooses among its images, beside what the operand chooses.
    ///
    /// # Errors
    ///
    /// It cannot be read, is empty, or is PTX, or the operand chooses another architecture.
    pub(super) fn read(operand: &Path, arch: Option<&str>) -> Result<Self> {
        Self::with_bytes(operand, arch, |path| {
            let (name, bytes) = super::read_bytes(path, "a cubin, or a file with cubins in it")?;
            Ok((name, bytes.into()))
        })
    }

    /// Reads the file by `read`, which gets its path without what chooses images, and returns its
    /// name to show and its bytes.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), and of the parameter.
    pub(super) fn with_bytes(
        operand: &Path,
        arch: Option<&str>,
        read: impl FnOnce(&Path) -> Result<(String, Cow<'static, [u8]>)>,
    ) -> Result<Self> {
        let (path, mut choice) = split(operand);
        expect_choice(operand, path, &choice)?;
        if let (Some(own), Some(arch)) = (&choice.arch, arch)
            && own != arch
        {
            bail!("{}: its images for {own}, and --arch {arch}", operand.display());
        }
        let is_choice_of_option = choice.is_all() && arch.is_some();
        choice.arch = choice.arch.or_else(|| arch.map(str::to_owned));
        let (base, bytes) = read(path)?;
        if bytes.is_empty() {
            bail!("{base}: the file is empty, expected a cubin");
        }
        let is_other = matches!(FileKind::of(&bytes), None | Some(FileKind::Ptx));
        if let Some(hint) = other_kind(&bytes, &base).filter(|_| is_other) {
            bail!("{base}: {hint}");
        }
        let after = operand.to_str().zip(path.to_str()).and_then(|(all, path)| all.get(path.len()..));
        Ok(Self {
            name: format!("{base}{}", after.unwrap_or_default()),
            base,
            path: path.to_owned(),
            choice,
            is_choice_of_option,
            bytes,
        })
    }

    /// The file as one that holds images; `None` where it is meant itself: a cubin, or a file of no
    /// kind that we know, and the decoder then says what is wrong with it.
    ///
    /// # Errors
    ///
    /// Those of [`Container::parse`].
    pub(super) fn container(&self) -> Result<Option<Container<'_>>> {
        let holds = !matches!(FileKind::of(&self.bytes), None | Some(FileKind::Cubin));
        if !holds && self.choice.is_all() {
            return Ok(None);
        }
        Container::parse(&self.bytes).map(Some).with_context(|| self.base.clone())
    }

    /// The cubins that are meant, and the faults between them.
    pub(super) fn chosen<'d>(
        &self,
        container: &Container<'d>,
    ) -> impl Iterator<Item = nv_debug_sections::Result<NumberedEntry<'d>>> {
        self.choice.select(container)
    }

    /// The images beside the cubins that are meant, such as PTX.
    pub(super) fn chosen_others<'d>(
        &self,
        container: &Container<'d>,
    ) -> impl Iterator<Item = NumberedEntry<'d>> {
        self.choice.select_others(container)
    }

    /// What to choose from. At least one cubin is meant.
    ///
    /// # Errors
    ///
    /// None is: why, and which there are.
    pub(super) fn survey(&self, container: &Container<'_>) -> Result<SelectionSummary> {
        let Self { base, choice, .. } = self;
        if choice.index == Some(0) {
            bail!("{base}: images are numbered from 1, as `ptxas-driver extract {base}` lists them");
        }
        let survey = choice.summarize(container);
        let others = survey.others();
        match &survey {
            SelectionSummary { chosen: 1.., .. } => Ok(survey),
            SelectionSummary { cubins: 0, first_fault: Some(error), .. } => bail!("{base}: {error}"),
            SelectionSummary { cubins: 0, .. } if others.is_empty() => {
                bail!("{base}: no GPU code: {}", container.kind().why_empty())
            }
            SelectionSummary { cubins: 0, .. } => bail!(
                "{base}: no cubin in it, only {others}; `ptxas-driver extract {base} -o DIR` takes that out"
            ),
            _ => {
                let words = format!("{base}: no cubin{choice} in it; there are {}", survey.list(base));
                Err(OtherCubins(words).into())
            }
        }
    }

    /// Expects that exactly one cubin is meant.
    ///
    /// # Errors
    ///
    /// There are more: which.
    pub(super) fn expect_one(&self, survey: &SelectionSummary) -> Result<()> {
        let Self { base, choice, .. } = self;
        if survey.chosen > 1 {
            let (count, list) = (survey.chosen, survey.list(base));
            bail!("{base}: {count} cubins{choice} in it, expected one; there are {list}");
        }
        Ok(())
    }

    /// Whether the operand names one cubin, so that the operand is the name of that cubin. An
    /// option that chooses among the images of all files changes no names.
    pub(super) fn names_one(&self, survey: &SelectionSummary) -> bool {
        let named = if self.is_choice_of_option { survey.cubins } else { survey.chosen };
        named == 1
    }

    /// The name of one image, as an operand would choose it.
    pub(super) fn name_of(&self, image: &NumberedEntry<'_>) -> String {
        format!("{}:{}", self.base, image.selector_text())
    }

    /// The cubin that an image is.
    ///
    /// # Errors
    ///
    /// It cannot be decompressed, or not within limits.
    pub(super) fn payload<'d>(&self, image: &NumberedEntry<'d>) -> Result<Cow<'d, [u8]>> {
        image.entry.payload().map_err(|error| {
            let name = self.name_of(image);
            match error.kind() {
                ErrorKind::Expansion { .. } => {
                    anyhow!("{name}: {error}; `extract --max-expansion` takes it out all the same")
                }
                _ => anyhow::Error::new(error).context(name),
            }
        })
    }

    /// The name of the file itself.
    pub(super) fn base(&self) -> &str {
        &self.base
    }
}

/// Says what is wrong after the `:` where the name before it is that of a file.
fn expect_choice(operand: &Path, path: &Path, choice: &ImageSelector) -> Result<()> {
    let broken = operand.to_str().filter(|_| choice.is_all() && path == operand && !operand.exists());
    match broken.and_then(|text| text.rsplit_once(':')) {
        Some((before, word)) if before == "-" || Path::new(before).is_file() => bail!(
            "{before}: '{word}' names no image: expected an architecture such as sm_90, a number as \
             `ptxas-driver extract {before}` lists them, or sm_90:NUMBER"
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_operand_means() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let file = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.out", "b:sm_90"] {
            std::fs::write(file(name), "").unwrap_or_else(|error| panic!("{error}"));
        }
        let (a, b) = (file("a.out"), file("b:sm_90"));
        // The name of a file looks like a choice; of the second one it is the architecture that
        // chooses.
        for (operand, path) in [(format!("{a}:sm_103f:12"), &a), (b.clone(), &b), (format!("{b}:sm_75"), &b)]
        {
            let (found, choice) = split(Path::new(&operand));
            assert_eq!((found, choice.is_all()), (Path::new(path), operand == b), "{operand}");
        }
        for whole in [format!("{a}:sm90"), format!("{a}:7:sm_90"), file("none:sm_90")] {
            assert_eq!(split(Path::new(&whole)), (Path::new(&whole), ImageSelector::default()));
        }
        assert!(is_stdin(Path::new("-:3")) && !is_stdin(Path::new("x-:3")));
    }
}
