//! The images of some files, and the one among them that answers a query.

use super::arch_choice::ascending;
use super::function_index::{FoundImages, FunctionIndex};
use super::{FunctionInImage, ImageError, LoadedFunctions};
use crate::address_query::{CodeAddress, QueryError, parse_number};
use crate::limits::{MAX_FOUND_NAMES, MAX_NAMED_FILES};
use crate::lines::{AddressAnswer, LineLookup, QueryAnswer};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::Cubin;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The number of an image in an [`ImageSet`], from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageNumber(pub u32);

/// The number of a file whose images are in an [`ImageSet`]. The caller counts files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileNumber(pub u32);

/// What is known of an image before its line tables are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFacts {
    /// The file that has the image.
    pub file: FileNumber,
    /// The name of the image in messages, such as `a.out:sm_90:2`.
    pub name: String,
    /// The architecture of the image, such as `sm_90`.
    pub arch: String,
    /// The symbol names of the functions of the image.
    pub functions: Vec<String>,
    /// The names of its code sections.
    pub sections: Vec<String>,
}

/// A query for the images of an [`ImageSet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageQuery<'q> {
    /// The query, in the syntax of [`AddressQueries`](crate::address_query::AddressQueries), as
    /// answers repeat it.
    pub asked: &'q str,
    /// The number that the query is, if it is one. The caller reads it, since other tools read
    /// numbers as hexadecimal without a prefix.
    pub number: Option<u64>,
    /// The function to whose start an offset alone is relative.
    pub function: Option<&'q str>,
    /// The file whose images are meant; `None` for all, or those of
    /// [`ImageSet::set_common_files`].
    pub file: Option<FileNumber>,
}

impl ImageFacts {
    /// Collects the facts about a cubin of a file.
    pub fn of(file: FileNumber, name: &str, cubin: &Cubin<'_>, space: Space) -> Self {
        let code = Code::in_space(cubin, space);
        let arch = cubin.arch().to_string();
        let functions = code.functions().iter().map(|function| function.name.to_owned()).collect();
        let sections = code.sections().iter().map(|section| section.name.to_owned()).collect();
        Self { file, name: name.to_owned(), arch, functions, sections }
    }

    /// Whether the image has code. nvlink puts an image without any into each program.
    pub fn has_code(&self) -> bool {
        !self.sections.is_empty()
    }
}

impl<'q> ImageQuery<'q> {
    /// Creates a query for all images, with the number that it is after the rules of
    /// [`AddressQueries`](crate::address_query::AddressQueries).
    pub fn new(asked: &'q str) -> Self {
        Self { asked, number: parse_number(asked), function: None, file: None }
    }

    /// Creates a query for a function or code section, also one whose name reads as a number.
    pub fn of_name(name: &'q str) -> Self {
        Self { asked: name, number: Some(0), function: Some(name), file: None }
    }

    /// The function or section that the query names; `None` if it is an offset alone.
    fn name(&self) -> Option<&'q str> {
        if self.number.is_some() {
            return self.function;
        }
        let has_number = |(name, rest): &(&str, &str)| {
            parse_number(rest.trim_start()).is_some() && !name.trim_end().is_empty()
        };
        let section = || self.asked.rsplit_once(':').filter(|(name, _)| name.starts_with('.'));
        match self.asked.rsplit_once('+') {
            Some(("", _)) => self.function,
            plus => {
                let before = plus.filter(has_number).or_else(|| section().filter(has_number));
                Some(before.map_or(self.asked, |(name, _)| name.trim_end()))
            }
        }
    }
}

/// The answer of an [`ImageSet`]: that of the image, and which one it is.
#[derive(Debug)]
pub struct ImageAnswer<'a, 's> {
    /// The image that answers; `None` if there is none, or not only one.
    pub image: Option<ImageNumber>,
    /// What the image says.
    pub answer: QueryAnswer<'a, 's>,
}

/// The images of some files, by the names of their functions.
///
/// ```no_run
/// use cubin_debuginfo::images::{FileNumber, ImageFacts, ImageQuery, ImageSet};
/// use cubin_debuginfo::lines::LineLookup;
///
/// # use nv_debug_sections::catalog::Space;
/// # use nv_debug_sections::cubin::Cubin;
/// # fn f<'s>(cubins: &[Cubin<'_>], lookups: &[LineLookup<'s>]) {
/// let mut images = ImageSet::default();
/// for cubin in cubins {
///     images.add(ImageFacts::of(FileNumber(0), "k.cubin", cubin, Space::Native));
/// }
/// let found = images.answer(&ImageQuery::new("saxpy+0x160"), |image| Ok(&lookups[image.0 as usize]));
/// for address in found.answer.addresses {
///     println!("{} {:#x}", address.section, address.offset);
/// }
/// # }
/// ```
#[derive(Debug, Default)]
pub struct ImageSet {
    images: Vec<Image>,
    pub(super) functions: FunctionIndex,
    loaded: Option<LoadedFunctions>,
    /// The number of files that queries without a file are for; `None` for all.
    common_files: Option<u32>,
    /// The images of names that were asked for, in all files or in one.
    found: RefCell<HashMap<Option<FileNumber>, FoundByName>>,
}

type FoundByName = HashMap<String, Rc<FoundImages>>;

/// What is kept of an [`ImageFacts`].
#[derive(Debug)]
pub(super) struct Image {
    file: FileNumber,
    name: String,
    pub(super) arch: String,
}

impl ImageSet {
    /// Adds an image, and returns its number.
    pub fn add(&mut self, facts: ImageFacts) -> ImageNumber {
        let number = ImageNumber(u32::try_from(self.images.len()).unwrap_or(u32::MAX));
        let ImageFacts { file, name, arch, functions, sections } = facts;
        self.functions.add(number, &functions, &sections);
        self.images.push(Image { file, name, arch });
        self.found.get_mut().clear();
        number
    }

    /// Takes numbers in queries for addresses at run time from now on, those of `loaded`.
    pub fn set_loaded(&mut self, loaded: LoadedFunctions) {
        self.loaded = Some(loaded);
    }

    /// Makes queries without a file be for the first `count` files only. So their answers do not
    /// depend on which files other queries name.
    pub fn set_common_files(&mut self, count: u32) {
        self.common_files = Some(count);
        self.found.get_mut().clear();
    }

    /// The name of an image in messages; empty for a number that no image has.
    pub fn name(&self, image: ImageNumber) -> &str {
        self.image(image).map_or("", |image| &image.name)
    }

    pub(super) fn image(&self, image: ImageNumber) -> Option<&Image> {
        self.images.get(image.0 as usize)
    }

    /// The numbers of all images.
    pub fn numbers(&self) -> impl Iterator<Item = ImageNumber> + use<> {
        (0..).map(ImageNumber).take(self.images.len())
    }

    /// The number of images.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Whether the set has no images.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// Answers a query from the image that has the function. `lookup` gives the line tables of an
    /// image, or says why they cannot be read. If there is one image only, it answers in any case,
    /// since it can say best why it has no answer.
    pub fn answer<'a, 's: 'a>(
        &self,
        query: &ImageQuery<'a>,
        lookup: impl Fn(ImageNumber) -> Result<&'a LineLookup<'s>, String>,
    ) -> ImageAnswer<'a, 's> {
        let asked = query.asked;
        let answered = match (&self.loaded, query.number) {
            (Some(loaded), Some(address)) => self.at_address(loaded, address, query, lookup),
            _ => self.choose(query, &lookup),
        };
        answered.unwrap_or_else(|error| {
            let answer = QueryAnswer { asked, addresses: Vec::new(), error: Some(QueryError::Images(error)) };
            ImageAnswer { image: None, answer }
        })
    }

    /// The images with code that a query may be about: those with a function or section of its
    /// name, also where the name is only a part of several; for an offset alone all of them.
    pub fn images_about(&self, query: &ImageQuery<'_>) -> Vec<ImageNumber> {
        let Some(name) = query.name() else { return self.meant(query.file).collect() };
        match &*self.find(name, query.file) {
            FoundImages::Of(images) | FoundImages::Part { images, .. } => images.clone(),
            FoundImages::None(_) => Vec::new(),
        }
    }

    /// Finds the images that have the function called `name`, to load it. They are for one
    /// architecture.
    ///
    /// # Errors
    ///
    /// No image has it, or images for several architectures do.
    pub fn images_to_load(&self, name: &str) -> Result<Vec<ImageNumber>, ImageError> {
        let images = self.images_of(name, None)?;
        self.expect_one_arch(name, &images)?;
        Ok(images)
    }

    /// Answers for an address at run time.
    fn at_address<'a, 's: 'a>(
        &self,
        loaded: &LoadedFunctions,
        address: u64,
        query: &ImageQuery<'a>,
        lookup: impl Fn(ImageNumber) -> Result<&'a LineLookup<'s>, String>,
    ) -> Result<ImageAnswer<'a, 's>, ImageError> {
        let (function, inside) = loaded.find(address).ok_or(ImageError::NotLoaded { address })?;
        let answer = |loaded: &FunctionInImage| {
            let lookup = lookup(loaded.image).map_err(ImageError::Unreadable)?;
            let CodeAddress { section, offset } = loaded.code;
            let code = CodeAddress { section, offset: offset.saturating_add(inside) };
            let answer = lookup.query_at(query.asked, Ok(vec![code]));
            Ok(ImageAnswer { image: Some(loaded.image), answer })
        };
        let meant = function.images.iter().filter(|loaded| self.is_meant(loaded.image, query.file));
        self.one_of(&function.name, meant, |loaded| loaded.image, answer)?
            .ok_or(ImageError::NotLoaded { address })
    }

    /// Answers from the image that has the function.
    fn choose<'a, 's: 'a>(
        &self,
        query: &ImageQuery<'a>,
        lookup: &impl Fn(ImageNumber) -> Result<&'a LineLookup<'s>, String>,
    ) -> Result<ImageAnswer<'a, 's>, ImageError> {
        let answer = |image: ImageNumber| {
            let lookup = lookup(image).map_err(ImageError::Unreadable)?;
            let ImageQuery { asked, number, function, .. } = *query;
            let answer = match number {
                Some(offset) => lookup.query_offset(asked, offset, function),
                None => lookup.query(asked, function),
            };
            Ok(ImageAnswer { image: Some(image), answer })
        };
        if let Some(only) = self.only_image(query.file)? {
            return answer(only);
        }
        let Some(name) = query.name() else {
            return Err(ImageError::OffsetAlone { images: self.meant(query.file).count() });
        };
        let images = self.images_of(name, query.file)?;
        self.expect_one_arch(name, &images)?;
        self.one_of(name, images.iter(), |image| *image, |image| answer(*image))?.ok_or(ImageError::NoImage)
    }

    /// The answer of the first of several images, which must all say the same of the function
    /// called `name`; `None` if there are none.
    fn one_of<'a, 's, 'i, T: 'i>(
        &self,
        name: &str,
        images: impl Iterator<Item = &'i T> + Clone,
        number: impl Fn(&T) -> ImageNumber,
        answer: impl Fn(&T) -> Result<ImageAnswer<'a, 's>, ImageError>,
    ) -> Result<Option<ImageAnswer<'a, 's>>, ImageError> {
        let mut others = images.clone();
        let Some(first) = others.next().map(&answer).transpose()? else { return Ok(None) };
        for other in others {
            if !is_same(&first.answer, &answer(other)?.answer) {
                return Err(self.several(name, &images.map(number).collect::<Vec<_>>()));
            }
        }
        Ok(Some(first))
    }

    /// The images that are meant.
    fn meant(&self, file: Option<FileNumber>) -> impl Iterator<Item = ImageNumber> {
        self.numbers().filter(move |image| self.is_meant(*image, file))
    }

    /// The only image that is meant; `None` if there are several.
    fn only_image(&self, file: Option<FileNumber>) -> Result<Option<ImageNumber>, ImageError> {
        let mut meant = self.meant(file);
        let first = meant.next().ok_or(ImageError::NoImage)?;
        Ok(meant.next().is_none().then_some(first))
    }

    fn is_meant(&self, image: ImageNumber, file: Option<FileNumber>) -> bool {
        self.image(image).is_some_and(|image| match (file, self.common_files) {
            (Some(file), _) => image.file == file,
            (None, Some(count)) => image.file.0 < count,
            (None, None) => true,
        })
    }

    /// The images that have a function.
    fn images_of(&self, name: &str, file: Option<FileNumber>) -> Result<Vec<ImageNumber>, ImageError> {
        let function = name.to_owned();
        match &*self.find(name, file) {
            FoundImages::Of(images) => Ok(images.clone()),
            FoundImages::Part { matches, .. } => Err(ImageError::Part { function, matches: matches.clone() }),
            FoundImages::None(known) => {
                let images = self.meant(file).count();
                Err(ImageError::NoFunction { function, images, known: known.clone() })
            }
        }
    }

    /// What is found of a name, which is kept.
    pub(super) fn find(&self, name: &str, file: Option<FileNumber>) -> Rc<FoundImages> {
        let known = self.found.borrow().get(&file).and_then(|names| names.get(name)).cloned();
        known.unwrap_or_else(|| {
            let found = Rc::new(self.functions.find(name, |image| self.is_meant(image, file)));
            let mut all = self.found.borrow_mut();
            let names = all.entry(file).or_default();
            if names.len() >= MAX_FOUND_NAMES {
                names.clear();
            }
            names.insert(name.to_owned(), Rc::clone(&found));
            found
        })
    }

    fn expect_one_arch(&self, name: &str, images: &[ImageNumber]) -> Result<(), ImageError> {
        let archs = self.archs(images.iter().copied());
        if archs.len() < 2 {
            return Ok(());
        }
        let archs = ascending(archs);
        Err(ImageError::SeveralArchitectures { function: name.to_owned(), archs })
    }

    /// The error for images that have a function and do not say the same of it.
    pub fn several(&self, name: &str, images: &[ImageNumber]) -> ImageError {
        let names = images.iter().take(MAX_NAMED_FILES).map(|image| self.name(*image).to_owned());
        ImageError::SeveralImages { function: name.to_owned(), images: names.collect() }
    }
}

/// Whether two images say the same.
fn is_same(one: &QueryAnswer<'_, '_>, other: &QueryAnswer<'_, '_>) -> bool {
    let same = |one: &AddressAnswer<'_, '_>, other: &AddressAnswer<'_, '_>| {
        let place = |answer: &AddressAnswer<'_, '_>| (answer.offset, answer.function_offset);
        one.section == other.section
            && place(one) == place(other)
            && one.function == other.function
            && one.lines.to_string() == other.lines.to_string()
    };
    one.error == other.error
        && one.addresses.len() == other.addresses.len()
        && one.addresses.iter().zip(&other.addresses).all(|(one, other)| same(one, other))
}
