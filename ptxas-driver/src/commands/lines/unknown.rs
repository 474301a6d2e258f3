//! What to say of functions and files that are asked for and have no code.

use super::answer::{Answers, NamedFrame};
use crate::commands::read::{Canonical, printable, shown};
use crate::limits::MAX_LISTED_FRAMES;
use cubin_debuginfo::query::number;
use nv_debug_sections::level::found::Found;
use std::collections::HashMap;

/// What a linker does to code that the sources of a program have.
const LINKED: &str = "the linker may have left it out or, at link-time optimisation, folded it away";

impl Answers<'_> {
    /// Why a query has no answer; `message` says so of a name that nobody knows.
    pub(super) fn why_unknown(&self, asked: &str, message: String) -> String {
        let offset = asked.rsplit_once('+').filter(|(_, offset)| number(offset.trim_start()).is_some());
        let name = offset.map_or(asked, |(name, _)| name).trim();
        let inlined = self.inlined.get_or_init(|| self.inlined_functions());
        let spelled = Canonical::of(name);
        let known =
            [name, &spelled.whole, &spelled.without_return].into_iter().find_map(|name| inlined.get(name));
        known.cloned().unwrap_or_else(|| self.or_linked(message))
    }

    /// A message about what is not in the file, and what may have happened to it in a linked one.
    pub(super) fn or_linked(&self, message: String) -> String {
        if Found::of(self.cubin).is_linked { format!("{message}; {LINKED}") } else { message }
    }

    /// By each spelling of an inlined function's name a message that says where it is.
    fn inlined_functions(&self) -> HashMap<String, String> {
        let mut found = HashMap::new();
        for section in self.symbolizer.sections() {
            for (_, place) in self.source_ranges(section.index) {
                let frames: Vec<NamedFrame<'_>> = self.frames_of(&place).take(MAX_LISTED_FRAMES).collect();
                let calls = frames.iter().zip(frames.iter().skip(1));
                for (named, caller) in calls.filter(|(named, _)| named.frame.is_inlined()) {
                    let Some(name) = &named.name else { continue };
                    if found.contains_key(name.linkage_name()) {
                        continue;
                    }
                    let into = caller.name.as_ref().map_or("??".into(), shown);
                    let file = caller.frame.file.path().map_or("??".into(), printable);
                    let (shown, line) = (shown(name), caller.frame.line);
                    let message =
                        format!("{shown} has no code of its own; it is inlined into {into} at {file}:{line}");
                    for spelling in Canonical::of(name.plain()).spellings() {
                        found.entry(spelling).or_insert_with(|| message.clone());
                    }
                    found.insert(name.linkage_name().to_owned(), message);
                }
            }
        }
        found
    }
}
