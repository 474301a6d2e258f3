//! Which cubins of a file with several have what is asked: known before the first is shown, and
//! without its line tables.

use super::advice::image_error_text;
use crate::commands::read::{self, CubinFile};
use crate::report::InputName;
use anyhow::{Result, anyhow};
use cubin_debuginfo::images::{FileNumber, ImageFacts, ImageQuery, ImageSet};
use cubin_debuginfo::lines::QueryAnswer;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::CodeLocation;
use std::collections::HashMap;

/// The cubins of a file, and the queries that each has code for.
#[derive(Default)]
pub(super) struct AskedImages {
    /// Those with code.
    images: ImageSet,
    /// By the names of cubins the numbers of the queries that they are to answer. A cubin that is
    /// not here has nothing of what is asked.
    queries: HashMap<String, Vec<usize>>,
    /// Those whose code is elsewhere, which they say themselves.
    elsewhere: Vec<String>,
}

impl AskedImages {
    /// Reads the names of the functions of all cubins of a file.
    ///
    /// # Errors
    ///
    /// It has no cubin.
    fn read(file: &CubinFile, space: Space) -> Result<Self> {
        let facts = |image: &InputName, bytes: &[u8]| {
            let cubin = read::cubin(&image.name, bytes)?;
            let is_elsewhere = cubin.code_location() == CodeLocation::OtherFile;
            Ok((ImageFacts::of(FileNumber(0), &image.name, &cubin, space), is_elsewhere))
        };
        let mut asked = Self::default();
        file.look_at_each(facts, |image, facts| match facts {
            Ok((facts, _)) if facts.has_code() => {
                asked.images.add(facts);
            }
            // nvlink puts an image without code into each program.
            Ok((_, false)) => {}
            Ok((_, true)) => asked.elsewhere.push(image.name.clone()),
            // It is read again when it would be shown, and its fault is told then.
            Err(_) => drop(asked.queries.insert(image.name.clone(), Vec::new())),
        })?;
        Ok(asked)
    }

    /// The cubins that have code for any of some queries. Offsets alone are in `function`.
    ///
    /// # Errors
    ///
    /// The file has no cubin.
    pub(super) fn of_queries(
        file: &CubinFile,
        space: Space,
        queries: &[String],
        function: Option<&str>,
    ) -> Result<Self> {
        let mut asked = Self::read(file, space)?;
        for (number, text) in queries.iter().enumerate() {
            for image in asked.images.images_about(&ImageQuery { function, ..ImageQuery::new(text) }) {
                asked.queries.entry(asked.images.name(image).to_owned()).or_default().push(number);
            }
        }
        let all: Vec<usize> = (0..queries.len()).collect();
        asked.queries.extend(asked.elsewhere.drain(..).map(|name| (name, all.clone())));
        Ok(asked)
    }

    /// The cubins that have any of the functions or code sections called `names`, which were
    /// sampled. Only those for one architecture, unless one was chosen already.
    ///
    /// # Errors
    ///
    /// It is not known which architecture was sampled, or the file has no cubin.
    pub(super) fn of_samples(
        file: &CubinFile,
        space: Space,
        names: &[String],
        file_name: &str,
    ) -> Result<Self> {
        let mut asked = Self::read(file, space)?;
        let arch = asked.images.arch_of_samples(names.iter().map(String::as_str));
        let arch = arch.map_err(|error| anyhow!("{file_name}: {}", image_error_text(&error)))?;
        let mut sampled: Vec<_> = if names.is_empty() {
            asked.images.numbers().collect()
        } else {
            names.iter().flat_map(|name| asked.images.images_about(&ImageQuery::of_name(name))).collect()
        };
        sampled.retain(|image| arch.is_none_or(|arch| asked.images.arch(*image) == arch));
        let sampled = sampled.into_iter().map(|image| asked.images.name(image).to_owned());
        asked.queries.extend(sampled.chain(asked.elsewhere.drain(..)).map(|name| (name, Vec::new())));
        Ok(asked)
    }

    /// The numbers of the queries that a cubin is to answer; `None` if it has nothing of what is
    /// asked.
    pub(super) fn queries(&self, name: &str) -> Option<&[usize]> {
        self.queries.get(name).map(Vec::as_slice)
    }

    /// Whether some cubin is to answer a query.
    pub(super) fn has_query(&self, number: usize) -> bool {
        self.queries.values().any(|numbers| numbers.binary_search(&number).is_ok())
    }

    /// Why no cubin answers a query; `None` if the file has no code at all, which it says itself.
    pub(super) fn no_answer<'q>(
        &self,
        query: &'q str,
        function: Option<&'q str>,
    ) -> Option<QueryAnswer<'q, 'q>> {
        let query = ImageQuery { function, ..ImageQuery::new(query) };
        let unread = |_| Err("its line tables were not read".to_owned());
        (!self.images.is_empty()).then(|| self.images.answer(&query, unread).answer)
    }
}
