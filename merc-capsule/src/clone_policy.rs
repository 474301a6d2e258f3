//! The policy table: the clone that each section has.

use nv_debug_sections::catalog::{MERCURY_PREFIX, MERCURY_RELA_PREFIX, RelocForm, SectionKind};
use nv_debug_sections::cubin::{SHF_MERCURY, sht};
use std::fmt;

const PROGBITS: u32 = 1;

/// How [`ClonePolicy::native`] is compared with the name of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameMatch {
    /// The section has exactly this name.
    Exact,
    /// The section has this name with a dot and a further name, such as that of a function:
    /// `.text.F`.
    Function,
    /// The section has this name, or this name with a dot and a number (`.nv_debug_ptx_txt.N`,
    /// docs/formats/ptx-text.md, name).
    Numbered,
}

/// Whether a clone has the same contents as its native section, or contents for Mercury space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloneContent {
    /// The clone has the same contents as the native section.
    Same,
    /// The clone has Mercury code, or the facts of the native section with addresses in Mercury
    /// space.
    Mercury,
}

/// Whether a clone has its own bytes in the file or shares those of its native section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CloneStorage {
    /// The clone shares the file range of the native section.
    Alias,
    /// The clone shares the file range of the native section, unless relocations in it give the
    /// offsets of line programs (observed: ptxas 13.0.88 gives a clone its own bytes when it makes
    /// an `R_MERC` relocation of type 0x10008 in it, as with `-c`).
    AliasUnlessLineOffset,
    /// The clone shares the file range of the native section, unless only the clone has relocations
    /// (observed: in whole programs ptxas 13.0.88 has applied the relocations of the native section
    /// to its bytes).
    AliasUnlessRelocated,
    /// The clone shares the file range of the native section if both have the same bytes.
    AliasIfEqual,
    /// The clone has a file range of its own.
    Own,
    /// The clone has a file range of its own, and exists only if the code generator has made it.
    OwnIfThere,
}

/// The policy for the clones of one kind of section: their name, type, contents and storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClonePolicy {
    /// The name of the native section, or the beginning of its name.
    pub native: &'static str,
    /// How [`native`](Self::native) is compared with the name of a section.
    pub name_match: NameMatch,
    /// The name of the clone, or its beginning.
    pub clone: &'static str,
    /// The section type (`sh_type`) of the clone.
    pub sh_type: u32,
    /// Whether the clone has the same contents as its native section, or contents for Mercury
    /// space.
    pub content: CloneContent,
    /// Whether the clone has its own bytes in the file or shares those of its native section.
    pub storage: CloneStorage,
}

impl ClonePolicy {
    /// Returns `sh_flags` of the clone, given the `sh_flags` of the native section: the same flags
    /// and [`SHF_MERCURY`]. The clone of a code section has [`SHF_MERCURY`] only, since it is
    /// neither loaded nor executed.
    pub fn flags(&self, native: u64) -> u64 {
        if self.sh_type == sht::MERC_CODE { SHF_MERCURY } else { native | SHF_MERCURY }
    }
}

/// The policies for the clones that ptxas makes, by the name of the native section
/// (docs/formats/capsule.md, sections). For relocation sections, for sections without a clone and
/// for unknown sections see [`clone_policy`].
pub const CLONE_POLICIES: &[ClonePolicy] = {
    use CloneContent::{Mercury, Same};
    use CloneStorage::{Alias, AliasIfEqual, AliasUnlessLineOffset, AliasUnlessRelocated, Own, OwnIfThere};
    use NameMatch::{Exact, Function, Numbered};
    const fn row(
        native: &'static str,
        name_match: NameMatch,
        clone: &'static str,
        sh_type: u32,
        content: CloneContent,
        storage: CloneStorage,
    ) -> ClonePolicy {
        ClonePolicy { native, name_match, clone, sh_type, content, storage }
    }
    const fn debug(kind: SectionKind, content: CloneContent, storage: CloneStorage) -> ClonePolicy {
        let Some(row) = kind.mercury() else { panic!("a debug section without clone") };
        let name_match = if kind.has_suffix() { Numbered } else { Exact };
        ClonePolicy {
            native: kind.name(),
            name_match,
            clone: row.name,
            sh_type: row.header.sh_type,
            content,
            storage,
        }
    }
    &[
        row(".text", Function, ".nv.capmerc.text", sht::MERC_CODE, Mercury, Own),
        debug(SectionKind::DebugFrame, Mercury, AliasIfEqual),
        debug(SectionKind::DebugLine, Mercury, AliasIfEqual),
        debug(SectionKind::DebugStr, Same, Alias),
        debug(SectionKind::NvDebugLineSass, Mercury, AliasIfEqual),
        debug(SectionKind::TileirDebugLine, Mercury, AliasIfEqual),
        debug(SectionKind::NvDebugPtxTxt, Same, Alias),
        debug(SectionKind::TileirDebugTxt, Same, Alias),
        debug(SectionKind::NvDebugInfoRegSass, Mercury, AliasIfEqual),
        debug(SectionKind::NvDebugInfoRegType, Mercury, AliasIfEqual),
        debug(SectionKind::DebugAbbrev, Same, Alias),
        debug(SectionKind::DebugLoc, Same, Alias),
        debug(SectionKind::DebugInfo, Same, AliasUnlessLineOffset),
        debug(SectionKind::DebugMacinfo, Same, Alias),
        debug(SectionKind::DebugAranges, Same, Alias),
        debug(SectionKind::DebugRanges, Same, Alias),
        debug(SectionKind::DebugPubnames, Same, Alias),
        debug(SectionKind::DebugPubtypes, Same, Alias),
        row(".nv.info", Exact, ".nv.merc.nv.info", sht::MERC_INFO, Mercury, Own),
        row(".nv.info", Function, ".nv.merc.nv.info", sht::MERC_INFO, Mercury, Own),
        // ptxas 13.0 makes no clone of the call graph, 13.4 always does.
        row(".nv.callgraph", Exact, ".nv.merc.nv.callgraph", sht::MERC_CALLGRAPH, Same, Own),
        row(
            ".nv.constant3",
            Exact,
            ".nv.merc.nv.constant.user",
            sht::MERC_CONSTANT_USER,
            Same,
            AliasUnlessRelocated,
        ),
        row(".nv.constant4", Exact, ".nv.merc.nv.constant.pic", sht::MERC_CONSTANT_PIC, Same, Alias),
        // What a kernel needs of its `.texref`, `.samplerref` and `.surfref` variables stands
        // natively after its parameters.
        row(
            ".nv.constant0",
            Function,
            ".nv.merc.nv.constant.entry_image_header_indices",
            sht::MERC_CONSTANT_IMAGE_HEADERS,
            Mercury,
            OwnIfThere,
        ),
        row(
            ".nv.constant2",
            Function,
            ".nv.merc.nv.constant.optimizer",
            sht::MERC_CONSTANT_OPTIMIZER,
            Mercury,
            Own,
        ),
        row(
            ".nv.global.init",
            Exact,
            ".nv.merc.nv.global.init",
            sht::CUDA_GLOBAL_INIT,
            Same,
            AliasUnlessRelocated,
        ),
        row(
            ".nv.shared.reserved",
            Function,
            ".nv.merc.nv.shared.reserved",
            sht::CUDA_SHARED_RESERVED,
            Mercury,
            Own,
        ),
        row(".symtab", Exact, ".nv.merc.symtab", sht::MERC_SYMTAB, Mercury, Own),
    ]
};

/// Relocation sections: one row for all.
const RELOCATIONS: ClonePolicy = ClonePolicy {
    native: RelocForm::Rela.prefix(),
    name_match: NameMatch::Function,
    clone: MERCURY_RELA_PREFIX,
    sh_type: sht::MERC_RELA,
    content: CloneContent::Mercury,
    storage: CloneStorage::Own,
};

/// Sections that the PTX brought and ptxas does not know, `.debug_types` among them, are copied.
const UNKNOWN: ClonePolicy = ClonePolicy {
    native: "",
    name_match: NameMatch::Function,
    clone: MERCURY_PREFIX,
    sh_type: PROGBITS,
    content: CloneContent::Same,
    storage: CloneStorage::Own,
};

/// Sections without clone.
const NOT_CLONED: &[(&str, NameMatch)] = &[
    ("", NameMatch::Exact),
    (".shstrtab", NameMatch::Exact),
    (".strtab", NameMatch::Exact),
    (".symtab_shndx", NameMatch::Exact),
    (".note.nv", NameMatch::Function),
    (".nv.compat", NameMatch::Exact),
    (".nv.prototype", NameMatch::Exact),
    (".nv.global", NameMatch::Exact),
    (".nv.shared", NameMatch::Function),
    (SectionKind::NvDebugShared.name(), NameMatch::Exact),
    (RelocForm::Rel.prefix(), NameMatch::Function),
    (MERCURY_PREFIX, NameMatch::Function),
    (".nv.capmerc", NameMatch::Function),
];

impl NameMatch {
    /// What follows `stem` in `name`, if `name` begins with it in the way this extent says.
    fn rest<'n>(self, name: &'n str, stem: &str) -> Option<&'n str> {
        let rest = name.strip_prefix(stem)?;
        let follows = match self {
            Self::Exact => rest.is_empty(),
            Self::Function => rest.len() > 1 && rest.starts_with('.'),
            Self::Numbered => rest.strip_prefix('.').map_or(rest.is_empty(), |number| {
                !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            }),
        };
        follows.then_some(rest)
    }
}

/// Returns the policy for the clone of the section called `native`; `None` if it has no clone.
/// Relocation sections have one policy for all, and unknown sections are copied.
pub fn clone_policy(native: &str) -> Option<&'static ClonePolicy> {
    merc_name(native)?;
    if relocated(native).is_some() { Some(&RELOCATIONS) } else { content_rule(native) }
}

/// Returns the name of the Mercury clone of the section called `native`; `None` if the section has
/// no clone.
///
/// The relocations of `.X` are named after the clone of `.X` (`.rela.nv.constant4` has the clone
/// `.nv.merc.rela.nv.constant.pic`), but those of code after `.text.F`.
///
/// Each clone has one original, so that [`native_name`] leads back from every name given here:
/// there is no clone of `.nv.constant.user`, whose name would be that of the clone of
/// `.nv.constant3`.
pub fn merc_name(native: &str) -> Option<String> {
    clone_of(native).filter(|merc| original_of(merc).as_deref() == Some(native))
}

/// Returns the name of the native section whose Mercury clone is called `merc`; `None` if that is
/// not the name of a clone.
///
/// [`merc_name`] leads back from every name given here.
pub fn native_name(merc: &str) -> Option<String> {
    original_of(merc).filter(|native| clone_of(native).as_deref() == Some(merc))
}

/// The target's name, of the name of a section with relocations.
fn relocated(native: &str) -> Option<&str> {
    RELOCATIONS.name_match.rest(native, RELOCATIONS.native)
}

/// The rule that the name of a section without relocations asks for, whether or not the clone's
/// name is another's.
fn content_rule(native: &str) -> Option<&'static ClonePolicy> {
    let takes = |stem, extent: NameMatch| extent.rest(native, stem).is_some();
    let known = CLONE_POLICIES.iter().find(|rule| takes(rule.native, rule.name_match));
    let is_excluded = || NOT_CLONED.iter().any(|(stem, extent)| takes(stem, *extent));
    known.or_else(|| (takes(UNKNOWN.native, UNKNOWN.name_match) && !is_excluded()).then_some(&UNKNOWN))
}

/// Name of the clone, whether or not it is another's.
fn clone_of(native: &str) -> Option<String> {
    let Some(target) = relocated(native) else { return content_clone(native) };
    let clone = content_clone(target);
    let clone = clone.as_deref().and_then(|name| name.strip_prefix(UNKNOWN.clone)).unwrap_or(target);
    Some(format!("{}{clone}", RELOCATIONS.clone))
}

fn content_clone(native: &str) -> Option<String> {
    let rule = content_rule(native)?;
    Some(format!("{}{}", rule.clone, native.strip_prefix(rule.native)?))
}

/// Name of the original, whether or not its clone has this name.
fn original_of(merc: &str) -> Option<String> {
    let Some(target) = RELOCATIONS.name_match.rest(merc, RELOCATIONS.clone) else {
        return content_original(merc);
    };
    let original = content_original(&format!("{}{target}", UNKNOWN.clone));
    Some(format!("{}{}", RELOCATIONS.native, original.as_deref().unwrap_or(target)))
}

fn content_original(merc: &str) -> Option<String> {
    let mut known = CLONE_POLICIES.iter().chain([&UNKNOWN]);
    known.find_map(|r| Some(format!("{}{}", r.native, r.name_match.rest(merc, r.clone)?)))
}

/// Whether a section with these `sh_flags` is a Mercury section, that is a clone or a code capsule.
pub fn is_mercury(flags: u64) -> bool {
    flags & SHF_MERCURY != 0
}

/// The condition under which a clone is made in another way than its
/// [`CloneAction`](crate::plan::CloneAction) says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CloneException {
    /// The clone is an alias if it has the same bytes as the native section.
    AliasIfEqual,
    /// The clone is a copy if relocations in it give the offsets of line programs.
    CopyIfLineOffset,
    /// The clone has bytes of its own if it has relocations and the native section has none.
    RewriteIfRelocated,
}

impl fmt::Display for CloneException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AliasIfEqual => "alias if equal",
            Self::CopyIfLineOffset => "copy if it has offsets of line programs",
            Self::RewriteIfRelocated => "rewrite if only it has relocations",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// Beginnings of names: of both spaces, with and without a row, whole and cut off; none.
    fn stems() -> Vec<&'static str> {
        let rows = CLONE_POLICIES.iter().chain([&RELOCATIONS, &UNKNOWN]);
        let names = rows.flat_map(|rule| [rule.native, rule.clone]);
        let names = names.chain(NOT_CLONED.iter().map(|(stem, _)| *stem));
        let unprefixed = |name: &'static str| name.strip_prefix(MERCURY_PREFIX);
        let mut all: Vec<&str> = names.flat_map(|name| [Some(name), unprefixed(name)]).flatten().collect();
        all.extend([".debug_types", ".nv_debug_info_ptx", ".nv.constant", ".rel.", ".foo", "foo"]);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Names from and near all rows, and of relocation sections, also of those of relocation
    /// sections.
    fn names() -> impl Strategy<Value = String> {
        const PREFIXES: &[&str] =
            &["", "", "", ".rela", ".rela.rela", ".rel", ".nv.merc", ".nv.merc.rela", ".nv.capmerc", "."];
        let rest = prop_oneof![
            Just(String::new()),
            r"\.[0-9]{0,3}",
            r"\.{0,3}(kernel|reserved\.0|user|pic|optimizer|init|text|rela|\PC{0,3})\.{0,2}",
            r"\PC{0,4}",
        ];
        (select(PREFIXES), select(stems()), rest)
            .prop_map(|(prefix, stem, rest)| [prefix, stem, &rest].concat())
    }

    /// Whatever is true of one name.
    fn check(name: &str) -> Result<(), TestCaseError> {
        let (clone, original) = (merc_name(name), native_name(name));
        prop_assert!(clone.is_none() || original.is_none(), "{name} is both an original and a clone");
        if let Some(clone) = &clone {
            prop_assert_eq!(native_name(clone), Some(name.to_owned()));
        }
        if let Some(original) = original {
            prop_assert_eq!(merc_name(&original), Some(name.to_owned()));
        }
        match (clone_policy(name), &clone) {
            (Some(rule), Some(clone)) => {
                prop_assert!(
                    name.starts_with(rule.native) && clone.starts_with(rule.clone),
                    "{name}: {rule:?}"
                );
            }
            (rule, clone) => prop_assert_eq!((rule, clone), (None, &None)),
        }
        // Nothing goes without a clone but what the table says, and what would take the clone of
        // another.
        if let (Some(wanted), None) = (clone_of(name), clone) {
            let owner = native_name(&wanted);
            prop_assert!(
                owner.as_ref().is_some_and(|owner| owner != name),
                "{name} has no clone, and {wanted} is of {owner:?}"
            );
        }
        Ok(())
    }

    #[test]
    fn each_row_is_its_own_inverse_and_none_of_another() -> Result<(), TestCaseError> {
        for stem in stems() {
            for prefix in ["", RelocForm::Rela.prefix(), MERCURY_PREFIX, MERCURY_RELA_PREFIX] {
                for rest in ["", ".", "..", ".f", ".0", ".07", ".7.f", "_f", ".f.", ".\u{fc}"] {
                    check(&[prefix, stem, rest].concat())?;
                }
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn originals_and_clones_go_in_pairs(name in names()) {
            check(&name)?;
        }

        #[test]
        fn so_do_names_of_any_kind(name in r"(\.?(nv|merc|capmerc|rela|rel|text|constant|user|7|\PC))*") {
            check(&name)?;
        }
    }
}
