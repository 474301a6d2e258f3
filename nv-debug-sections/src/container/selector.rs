//! The selection of cubins in a file by architecture and number (`FILE:sm_90:5`), and the list of
//! what can be selected.

use super::{Container, EntryKind, NumberedEntry};
use crate::arch::is_arch_name;
use crate::limits::MAX_IMAGES_LISTED;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fmt;

/// Selects cubins of a file by architecture and number; a cubin must match both.
/// [`Display`](fmt::Display) writes ` for sm_90 with number 5`, or nothing if all are selected.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ImageSelector {
    /// The architecture that the cubin must have, a name that [`is_arch_name`] accepts; `None`
    /// selects every architecture.
    pub arch: Option<String>,
    /// The number that the cubin must have among all images of the file, from 1; `None` selects
    /// every number.
    pub index: Option<u64>,
}

impl ImageSelector {
    /// Splits an argument such as `FILE:sm_90`, `FILE:5` or `FILE:sm_90:5` into the file name and
    /// the selector.
    pub fn split(text: &str) -> (&str, Self) {
        let last =
            |text| str::rsplit_once(text, ':').map_or((text, None), |(before, word)| (before, Some(word)));
        let is_index = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let (mut choice, mut rest) = (Self::default(), text);
        if let (before, Some(word)) = last(rest)
            && is_index(&word)
            && let Ok(index) = word.parse()
        {
            (choice.index, rest) = (Some(index), before);
        }
        if let (before, Some(word)) = last(rest)
            && is_arch_name(word)
        {
            (choice.arch, rest) = (Some(word.to_owned()), before);
        }
        (rest, choice)
    }

    /// Whether the selector has no condition, so that it selects all cubins.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it selects an image.
    fn selects(&self, image: &NumberedEntry<'_>) -> bool {
        image.entry.kind == EntryKind::Elf && self.matches(image)
    }

    /// Whether an image of any kind has the number and the architecture.
    fn matches(&self, image: &NumberedEntry<'_>) -> bool {
        let Self { arch, index } = self;
        index.is_none_or(|index| index == image.index)
            && arch.as_ref().is_none_or(|arch| *arch == image.arch())
    }

    /// Iterates over the selected cubins of a file, in file order. An entry that cannot be read is
    /// returned as an error.
    pub fn select<'d>(&self, container: &Container<'d>) -> impl Iterator<Item = Result<NumberedEntry<'d>>> {
        container.numbered_entries().filter(|found| found.as_ref().map_or(true, |image| self.selects(image)))
    }

    /// Iterates over the images of a file that are no cubins, such as PTX, and have the
    /// architecture and the number, in file order. Entries that cannot be read are passed over.
    pub fn select_others<'d>(&self, container: &Container<'d>) -> impl Iterator<Item = NumberedEntry<'d>> {
        let entries = container.numbered_entries().filter_map(Result::ok);
        entries.filter(|image| image.entry.kind != EntryKind::Elf && self.matches(image))
    }

    /// Counts the images of a file, and those that are selected. Nothing is decompressed.
    pub fn summarize(&self, container: &Container<'_>) -> SelectionSummary {
        let mut survey = SelectionSummary::default();
        for found in container.numbered_entries() {
            match found {
                Ok(image) => survey.add(&image, self),
                Err(error) => {
                    survey.faults += 1;
                    survey.first_fault.get_or_insert(error);
                }
            }
        }
        survey
    }
}

impl fmt::Display for ImageSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.arch.iter().try_for_each(|arch| write!(f, " for {arch}"))?;
        self.index.iter().try_for_each(|index| write!(f, " with number {index}"))
    }
}

/// The number of images in a file, and the number that an [`ImageSelector`] selects.
#[derive(Debug, Clone, Default)]
pub struct SelectionSummary {
    /// The number of cubins that the selector selects.
    pub chosen: u64,
    /// The number of cubins in the file.
    pub cubins: u64,
    /// The number of errors met while the images of the file were listed.
    pub faults: u64,
    /// The first error met while the images of the file were listed.
    pub first_fault: Option<Error>,
    /// The first of the cubins, as they are chosen.
    listed: Vec<String>,
    /// Kind and architecture of all else.
    others: BTreeMap<(&'static str, String), u64>,
}

impl SelectionSummary {
    fn add(&mut self, image: &NumberedEntry<'_>, choice: &ImageSelector) {
        self.chosen += u64::from(choice.selects(image));
        if image.entry.kind != EntryKind::Elf {
            let kind = match image.entry.kind {
                EntryKind::Nvvm => "LTO IR",
                kind if kind.is_text() => "PTX",
                kind => kind.name(),
            };
            // One for each kind and architecture: there are few. What has strange numbers is not
            // told apart.
            let arch = if self.others.len() < MAX_IMAGES_LISTED { image.arch() } else { String::new() };
            *self.others.entry((kind, arch)).or_default() += 1;
            return;
        }
        self.cubins += 1;
        if self.listed.len() < MAX_IMAGES_LISTED {
            self.listed.push(image.selector_text());
        }
    }

    /// Lists the images other than cubins, with their architectures: `PTX for sm_90, LTO IR for
    /// sm_75`. Empty if there are none.
    pub fn others(&self) -> String {
        let word = |((kind, arch), _): (&(&str, String), _)| match &**arch {
            "" => (*kind).to_owned(),
            arch => format!("{kind} for {arch}"),
        };
        self.others.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// Lists the cubins of the file called `base`, each by the argument that selects it alone:
    /// `a.out:sm_75:1, a.out:sm_90:2 and 7 more`.
    pub fn list(&self, base: &str) -> String {
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
    fn a_choice_is_taken_off_the_end() {
        for (text, rest, arch, index) in [
            ("a.out", "a.out", None, None),
            ("a.out:sm_90", "a.out", Some("sm_90"), None),
            ("a.out:sm_103f:12", "a.out", Some("sm_103f"), Some(12)),
            ("a.out:7", "a.out", None, Some(7)),
            ("b:sm_90:sm_75", "b:sm_90", Some("sm_75"), None),
            ("a:sm90", "a:sm90", None, None),
            ("a:+7", "a:+7", None, None),
        ] {
            let choice = ImageSelector { arch: arch.map(str::to_owned), index };
            assert_eq!(ImageSelector::split(text), (rest, choice), "{text}");
        }
        let words = |text| ImageSelector::split(text).1.to_string();
        assert_eq!((&*words("a:sm_90:5"), &*words("a")), (" for sm_90 with number 5", ""));
    }
}
