//! The names of the functions of all images, and which images have each.

use super::ImageNumber;
use crate::names::{NameMatch, Spellings, is_mangled, joined_names};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Names of functions, and the images that have a function of each name.
#[derive(Debug, Default)]
pub(super) struct FunctionIndex {
    names: Vec<String>,
    /// For each of `names` the images that have it, ascending.
    images: Vec<Vec<ImageNumber>>,
    by_name: HashMap<String, usize>,
    /// The same for names of code sections, such as `.text.k`.
    sections: HashMap<String, Vec<ImageNumber>>,
    /// Computed when a name is asked for that is not a mangled symbol.
    spellings: OnceCell<Spellings>,
}

/// The images whose functions match a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundImages {
    /// Those that have the function or code section.
    Of(Vec<ImageNumber>),
    /// The name is a part of the names of several functions.
    Part {
        /// The names of these functions.
        matches: String,
        /// The images that have any of them, ascending.
        images: Vec<ImageNumber>,
    },
    /// No image has it. The value lists functions that there are.
    None(String),
}

impl FunctionIndex {
    /// Adds the functions and code sections of an image whose number is higher than all before.
    pub(super) fn add(&mut self, image: ImageNumber, functions: &[String], sections: &[String]) {
        self.spellings = OnceCell::new();
        for name in functions {
            let next = self.names.len();
            let index = *self.by_name.entry(name.clone()).or_insert(next);
            if index == next {
                self.names.push(name.clone());
                self.images.push(Vec::new());
            }
            if let Some(images) = self.images.get_mut(index).filter(|images| images.last() != Some(&image)) {
                images.push(image);
            }
        }
        for name in sections {
            let images = self.sections.entry(name.clone()).or_default();
            if images.last() != Some(&image) {
                images.push(image);
            }
        }
    }

    /// Finds the images that have a function or code section with a name, among those that are
    /// meant.
    pub(super) fn find(&self, name: &str, is_meant: impl Fn(ImageNumber) -> bool) -> FoundImages {
        let meant = |images: &[ImageNumber]| -> Vec<ImageNumber> {
            images.iter().copied().filter(|image| is_meant(*image)).collect()
        };
        let of = |index: usize| meant(self.images.get(index).map_or(&[][..], Vec::as_slice));
        let section = self.sections.get(name).map(|images| meant(images));
        let symbol = self.by_name.get(name).filter(|_| is_mangled(name)).map(|index| of(*index));
        if let Some(images) = [section, symbol].into_iter().flatten().find(|images| !images.is_empty()) {
            return FoundImages::Of(images);
        }
        let spellings = self.spellings.get_or_init(|| Spellings::new(self.names.iter().map(String::as_str)));
        let (kind, found) = spellings.find(name, |index| !of(index).is_empty());
        let listed = |indices: &[usize]| {
            let names: Vec<&str> =
                indices.iter().filter_map(|index| Some(&**self.names.get(*index)?)).collect();
            joined_names(&names)
        };
        let images_of = |indices: &[usize]| {
            let mut images: Vec<ImageNumber> = indices.iter().flat_map(|index| of(*index)).collect();
            images.sort_unstable();
            images.dedup();
            images
        };
        match kind {
            Some(NameMatch::Part) if found.len() > 1 => {
                FoundImages::Part { matches: listed(&found), images: images_of(&found) }
            }
            Some(_) => FoundImages::Of(images_of(&found)),
            None => {
                let all: Vec<usize> = (0..self.names.len()).filter(|index| !of(*index).is_empty()).collect();
                FoundImages::None(format!("the functions are {}", listed(&all)))
            }
        }
    }
}
