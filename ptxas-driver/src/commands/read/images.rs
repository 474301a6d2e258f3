//! The images of a file, numbered as `extract` lists them, and which of them an operand means.

use crate::commands::read::other_kind;
use crate::limits::MAX_IMAGES_SHOWN;
use anyhow::{Context, Result, bail};
use nv_debug_sections::container::{Container, Entry, EntryKind, FileKind};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// An image and its numbers, from 1.
pub(in crate::commands) struct Numbered<'d> {
    /// Among all of the file.
    pub(in crate::commands) index: u64,
    /// Among those of its kind, which names have.
    pub(in crate::commands) number: u64,
    pub(in crate::commands) entry: Entry<'d>,
}

/// The images of a file with their numbers, and its faults.
pub(in crate::commands) fn numbered<'d>(
    container: &Container<'d>,
) -> impl Iterator<Item = nv_debug_sections::Result<Numbered<'d>>> + use<'d> {
    let mut count = 0;
    let mut of_kind: HashMap<EntryKind, u64> = HashMap::new();
    container.entries().map(move |entry| {
        let entry = entry?;
        let number = of_kind.entry(entry.kind).or_default();
        (count, *number) = (count + 1, *number + 1);
        Ok(Numbered { index: count, number: *number, entry })
    })
}

/// Why a file of that kind has no images.
pub(in crate::commands) fn why_none(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Host => "the ELF file has no section .nv_fatbin or __nv_relfatbin with a fatbin in it",
        FileKind::Archive => "no object of the archive has a section .nv_fatbin or __nv_relfatbin",
        _ => "the fatbin has no entries",
    }
}

/// Whether the word names an architecture as fatbins do: `sm_90`, `sm_90a`.
pub(in crate::commands) fn is_arch(word: &str) -> bool {
    let number = word.strip_prefix("sm_").map(|rest| rest.strip_suffix(['a', 'f']).unwrap_or(rest));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the operand is standard input, or an image of it.
pub(in crate::commands) fn is_stdin(operand: &Path) -> bool {
    split(operand).0 == Path::new("-")
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

/// Which images an operand means: those that pass both. Behind the path, after colons.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Choice {
    /// As [`is_arch`] takes it.
    arch: Option<String>,
    /// In the file, from 1.
    index: Option<u64>,
}

/// Path and choice of an operand: `FILE`, `FILE:sm_90`, `FILE:5` or `FILE:sm_90:5`. A file whose name looks so is taken
/// whole.
fn split(operand: &Path) -> (&Path, Choice) {
    let whole = (operand, Choice::default());
    let Some(text) = operand.to_str().filter(|text| text.contains(':') && !operand.exists()) else {
        return whole;
    };
    let last = |text| str::rsplit_once(text, ':').map_or((text, None), |(before, word)| (before, Some(word)));
    let is_index = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (mut choice, mut path) = (Choice::default(), text);
    if let (before, Some(word)) = last(path)
        && is_index(&word)
        && let Ok(index) = word.parse()
    {
        (choice.index, path) = (Some(index), before);
    }
    if let (before, Some(word)) = last(path)
        && is_arch(word)
    {
        (choice.arch, path) = (Some(word.to_owned()), before);
    }
    let path = Path::new(path);
    if path == Path::new("-") || path.exists() { (path, choice) } else { whole }
}

impl Choice {
    /// Whether there is none.
    fn is_all(&self) -> bool {
        *self == Self::default()
    }

    fn takes(&self, image: &Numbered<'_>) -> bool {
        let Self { arch, index } = self;
        image.entry.kind == EntryKind::Elf
            && index.is_none_or(|index| index == image.index)
            && arch.as_ref().is_none_or(|arch| *arch == arch_of(image))
    }

    /// ` for sm_90 with number 5`; empty where there is none.
    fn words(&self) -> String {
        let arch = self.arch.as_ref().map(|arch| format!(" for {arch}"));
        let index = self.index.map(|index| format!(" with number {index}"));
        arch.into_iter().chain(index).collect()
    }
}

fn arch_of(image: &Numbered<'_>) -> String {
    image.entry.arch.map(|arch| arch.to_string()).unwrap_or_default()
}

/// A file that was read, and which of its images are meant.
pub(super) struct File {
    /// As given, to show.
    pub(super) name: String,
    /// The same without what chooses images.
    base: String,
    choice: Choice,
    pub(super) bytes: Vec<u8>,
}

/// How many images there are, before any of them is decompressed.
#[derive(Default)]
pub(super) struct Survey {
    /// Cubins that are meant.
    pub(super) chosen: u64,
    pub(super) faults: u64,
    first_fault: Option<nv_debug_sections::Error>,
    cubins: u64,
    /// The first of the cubins, as they are chosen.
    listed: Vec<String>,
    /// Kind and architecture of all else.
    others: BTreeMap<(&'static str, String), u64>,
}

impl File {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is empty, or is PTX.
    pub(super) fn read(operand: &Path) -> Result<Self> {
        let (path, choice) = split(operand);
        expect_choice(operand, path, &choice)?;
        let (base, bytes) = super::read_bytes(path, "a cubin, or a file with cubins in it")?;
        if bytes.is_empty() {
            bail!("{base}: the file is empty, expected a cubin");
        }
        if let Some(hint) = other_kind(&bytes, &base).filter(|_| FileKind::of(&bytes) == Some(FileKind::Ptx))
        {
            bail!("{base}: {hint}");
        }
        let behind = operand.to_str().zip(path.to_str()).and_then(|(all, path)| all.get(path.len()..));
        Ok(Self { name: format!("{base}{}", behind.unwrap_or_default()), base, choice, bytes })
    }

    /// The file as one that holds images; `None` where it is meant itself: a cubin, or nothing that we know, of which the
    /// decoder says what is wrong with it.
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

    /// The images that are meant, and the faults between them.
    pub(super) fn chosen<'d>(
        &self,
        container: &Container<'d>,
    ) -> impl Iterator<Item = nv_debug_sections::Result<Numbered<'d>>> {
        numbered(container).filter(|found| found.as_ref().map_or(true, |image| self.choice.takes(image)))
    }

    /// What to choose from. At least one cubin is meant.
    ///
    /// # Errors
    ///
    /// None is: why, and which there are.
    pub(super) fn survey(&self, container: &Container<'_>) -> Result<Survey> {
        let mut survey = Survey::default();
        for found in numbered(container) {
            match found {
                Ok(image) => survey.add(&image, &self.choice),
                Err(error) => {
                    survey.faults += 1;
                    survey.first_fault.get_or_insert(error);
                }
            }
        }
        let Self { base, choice, .. } = self;
        if choice.index == Some(0) {
            bail!("{base}: images are numbered from 1, as `ptxas-driver extract {base}` lists them");
        }
        match (&survey, choice.words()) {
            (Survey { chosen: 1.., .. }, _) => Ok(survey),
            (Survey { cubins: 0, first_fault: Some(error), .. }, _) => bail!("{base}: {error}"),
            (Survey { cubins: 0, others, .. }, _) if others.is_empty() => {
                bail!("{base}: no GPU code: {}", why_none(container.kind()))
            }
            (Survey { cubins: 0, .. }, _) => bail!(
                "{base}: no cubin in it, only {}; `ptxas-driver extract {base} -o DIR` takes that out",
                survey.other_words()
            ),
            (_, words) => bail!("{base}: no cubin{words} in it; there are {}", survey.words(base)),
        }
    }

    /// Expects that exactly one cubin is meant.
    ///
    /// # Errors
    ///
    /// There are more: which.
    pub(super) fn expect_one(&self, survey: &Survey) -> Result<()> {
        if survey.chosen > 1 {
            let (base, words) = (&self.base, self.choice.words());
            bail!(
                "{}: {} cubins{words} in it, expected one; there are {}",
                base,
                survey.chosen,
                survey.words(base)
            );
        }
        Ok(())
    }

    /// The name of one image, as an operand would choose it.
    pub(super) fn name_of(&self, image: &Numbered<'_>) -> String {
        format!("{}:{}:{}", self.base, arch_of(image), image.index)
    }

    /// The cubin that an image is.
    ///
    /// # Errors
    ///
    /// It cannot be decompressed, or not within limits.
    pub(super) fn payload<'d>(&self, image: &Numbered<'d>) -> Result<Cow<'d, [u8]>> {
        image.entry.payload().with_context(|| self.name_of(image))
    }

    /// The name of the file itself.
    pub(super) fn base(&self) -> &str {
        &self.base
    }
}

/// Says what is wrong behind the name of a file that is there.
fn expect_choice(operand: &Path, path: &Path, choice: &Choice) -> Result<()> {
    let broken = operand.to_str().filter(|_| choice.is_all() && path == operand && !operand.exists());
    match broken.and_then(|text| text.rsplit_once(':')) {
        Some((before, word)) if before == "-" || Path::new(before).is_file() => bail!(
            "{before}: '{word}' names no image: expected an architecture such as sm_90, a number as \
             `ptxas-driver extract {before}` lists them, or sm_90:NUMBER"
        ),
        _ => Ok(()),
    }
}

impl Survey {
    fn add(&mut self, image: &Numbered<'_>, choice: &Choice) {
        self.chosen += u64::from(choice.takes(image));
        if image.entry.kind != EntryKind::Elf {
            let kind = match image.entry.kind {
                EntryKind::Nvvm => "LTO IR",
                kind if kind.is_text() => "PTX",
                kind => kind.name(),
            };
            // One for each kind and architecture, of which there are few; what has strange numbers is not told apart.
            let arch = if self.others.len() < MAX_IMAGES_SHOWN { arch_of(image) } else { String::new() };
            *self.others.entry((kind, arch)).or_default() += 1;
            return;
        }
        self.cubins += 1;
        if self.listed.len() < MAX_IMAGES_SHOWN {
            self.listed.push(format!("{}:{}", arch_of(image), image.index));
        }
    }

    /// `PTX for sm_90, LTO IR for sm_75`.
    fn other_words(&self) -> String {
        let word = |((kind, arch), _): (&(&str, String), _)| match &**arch {
            "" => (*kind).to_owned(),
            arch => format!("{kind} for {arch}"),
        };
        self.others.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// `a.out:sm_75:1, a.out:sm_90:2 and 7 more`.
    fn words(&self, base: &str) -> String {
        let words = self.listed.iter().map(|image| format!("{base}:{image}")).collect::<Vec<_>>().join(", ");
        match self.cubins - self.listed.len() as u64 {
            0 => words,
            more => format!("{words} and {more} more"),
        }
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
        for (operand, path, arch, index) in [
            (a.clone(), &*a, None, None),
            (format!("{a}:sm_90"), &a, Some("sm_90"), None),
            (format!("{a}:sm_103f:12"), &a, Some("sm_103f"), Some(12)),
            (format!("{a}:7"), &a, None, Some(7)),
            // Its name looks like a choice; of the second one it is the architecture that chooses.
            (b.clone(), &b, None, None),
            (format!("{b}:sm_75"), &b, Some("sm_75"), None),
            ("-:sm_90".to_owned(), "-", Some("sm_90"), None),
            ("-".to_owned(), "-", None, None),
        ] {
            let choice = Choice { arch: arch.map(str::to_owned), index };
            assert_eq!(split(Path::new(&operand)), (Path::new(path), choice), "{operand}");
        }
        for whole in [format!("{a}:sm90"), format!("{a}:+7"), format!("{a}:7:sm_90"), file("none:sm_90")] {
            assert_eq!(split(Path::new(&whole)), (Path::new(&whole), Choice::default()));
        }
        assert!(is_stdin(Path::new("-:3")) && !is_stdin(Path::new("x-:3")));
    }
}
