//! Facts about the contents of a PTX file, as a user states them in words.

use super::{LevelDirectives, PtxFeatures, PtxSection, ReferenceKinds};
use crate::catalog::{SectionKind, SectionName};

/// A fact about a PTX file that a user states. Facts that are not stated count as false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatedFact {
    /// The PTX has code.
    Code,
    /// Some of the code has a `.loc`.
    Loc,
    /// Some of the code is inlined, and its `.loc` names the function.
    Inlined,
    /// The PTX has `.shared` variables.
    Shared,
    /// The `.target` directive has the word `debug`.
    Debug,
    /// The PTX has a debug section of this name.
    Section(String),
}

/// A PTX version in which `.loc` alone gives line tables, as in every one that is written today.
const MODERN: (u32, u32) = (9, 0);

impl StatedFact {
    /// Parses one fact that a user states about a PTX: `code`, `loc`, `inlined`, `shared`, `debug`,
    /// or the name of a debug section.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "code" => Self::Code,
            "loc" => Self::Loc,
            "inlined" => Self::Inlined,
            "shared" => Self::Shared,
            "debug" => Self::Debug,
            name if SectionName::parse(name).is_debug() => Self::Section(name.to_owned()),
            _ => return None,
        })
    }

    /// Converts facts that a user states about a PTX (`sections --has`) to the features that decide
    /// which sections a cubin of it has. Without facts nothing is taken for known of the PTX.
    /// `references` maps a kind of section to the kinds of references in it.
    pub fn ptx_features<'a>(
        facts: &[Self],
        references: impl Fn(SectionKind) -> ReferenceKinds,
    ) -> (LevelDirectives, PtxFeatures<'a>) {
        if facts.is_empty() {
            return (
                LevelDirectives { version: MODERN, ..LevelDirectives::default() },
                PtxFeatures::default(),
            );
        }
        let has = |fact: &Self| facts.contains(fact);
        let has_loc = has(&Self::Loc) || has(&Self::Inlined);
        let has_code = has(&Self::Code) || has_loc;
        let sections = facts.iter().filter_map(|fact| match fact {
            Self::Section(name) => {
                let references = SectionKind::from_name(name).map_or(ReferenceKinds::default(), &references);
                Some(PtxSection { name: name.clone().into(), references })
            }
            _ => None,
        });
        let program = PtxFeatures {
            has_code: Some(has_code),
            has_ptx_lines: Some(has_code),
            has_loc: Some(has_loc),
            has_inlined_names: Some(has(&Self::Inlined)),
            has_shared_variables: if has(&Self::Shared) { None } else { Some(false) },
            sections: Some(sections.collect()),
            ptx_text_names: None,
            has_intermediate_lines: Some(false),
            intermediate_text_names: Some(Vec::new()),
        };
        (LevelDirectives { version: MODERN, has_loc, target_debug: has(&Self::Debug) }, program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_stated_is_not_there() {
        let facts: Vec<StatedFact> =
            ["loc", ".debug_info"].into_iter().filter_map(StatedFact::parse).collect();
        let (kind, program) = StatedFact::ptx_features(&facts, |_| ReferenceKinds::NONE);
        assert_eq!((kind.has_loc, kind.target_debug), (true, false));
        assert_eq!(
            (program.has_code, program.has_inlined_names, program.has_shared_variables),
            (Some(true), Some(false), Some(false))
        );
        let sections = program.sections.unwrap_or_default();
        assert_eq!(sections, [PtxSection { name: ".debug_info".into(), references: ReferenceKinds::NONE }]);
        assert_eq!(StatedFact::ptx_features(&[], |_| ReferenceKinds::NONE).1, PtxFeatures::default());
        assert_eq!((StatedFact::parse("nope"), StatedFact::parse(".text")), (None, None));
    }
}
