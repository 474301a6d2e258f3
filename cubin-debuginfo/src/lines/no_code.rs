//! Explanations for functions in queries that have no code of their own.

use super::{LineLookup, NamedFrame};
use crate::address_query::{QueryError, parse_number};
use crate::limits::MAX_LISTED_FRAMES;
use crate::names::{CanonicalName, Name};
use std::collections::HashMap;

impl LineLookup<'_> {
    /// Why a query has no answer: its function may be inlined, or left out by the linker.
    pub(super) fn explain_no_code(&self, asked: &str, error: QueryError) -> QueryError {
        let offset = asked.rsplit_once('+').filter(|(_, offset)| parse_number(offset.trim_start()).is_some());
        let name = offset.map_or(asked, |(name, _)| name).trim();
        let inlined = self.inlined.get_or_init(|| self.inlined_functions());
        let spelled = CanonicalName::of(name);
        let known =
            [name, &spelled.whole, &spelled.without_return].into_iter().find_map(|name| inlined.get(name));
        match known {
            Some(inlined) => inlined.clone(),
            None if self.is_linked() => QueryError::Linked(Box::new(error)),
            None => error,
        }
    }

    /// Where each inlined function is, by each spelling of its name.
    fn inlined_functions(&self) -> HashMap<String, QueryError> {
        let mut found = HashMap::new();
        for section in self.symbolizer.sections() {
            for (_, place) in self.source_ranges(section.index) {
                let frames: Vec<NamedFrame<'_>> = self.frames(&place).take(MAX_LISTED_FRAMES).collect();
                let calls = frames.iter().zip(frames.iter().skip(1));
                for (named, caller) in calls.filter(|(named, _)| named.frame.is_inlined()) {
                    let Some(name) = &named.name else { continue };
                    if found.contains_key(name.linkage_name()) {
                        continue;
                    }
                    let error = QueryError::Inlined {
                        function: name.plain().to_owned(),
                        into: caller.name.as_ref().map_or("??", Name::plain).to_owned(),
                        file: caller.frame.file.path().unwrap_or("??").to_owned(),
                        line: caller.frame.line,
                    };
                    for spelling in CanonicalName::of(name.plain()).spellings() {
                        found.entry(spelling).or_insert_with(|| error.clone());
                    }
                    found.insert(name.linkage_name().to_owned(), error);
                }
            }
        }
        found
    }
}
