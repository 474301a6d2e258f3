//! The policy table: which section has which clone.

use nv_debug_sections::catalog::{MERCURY_PREFIX, MERCURY_RELA_PREFIX, RelocForm, SectionKind};
use nv_debug_sections::cubin::{SHF_MERCURY, sht};

const PROGBITS: u32 = 1;

/// How much of a section's name [`Rule::native`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// A function's name or `reserved.0` follows, after a dot.
    Function,
    /// A dot and a number may follow (`.nv_debug_ptx_txt.N`, docs/formats/ptx-text.md, name).
    Numbered,
}

/// What a clone's bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// The same as the original's.
    Same,
    /// The same facts with addresses in Mercury space, or Mercury code.
    Mercury,
}

/// Where a clone's bytes lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Storage {
    /// In the original's file range.
    Alias,
    /// In the original's file range unless relocations say where line programs begin (observed: ptxas 13.0.88 gives a clone its own
    /// bytes when it makes an `R_MERC` relocation of type 0x10008 in it, as with `-c`).
    AliasUnlessLineOffset,
    /// In the original's file range unless it has relocations and the original has none (observed: ptxas 13.0.88 has applied those of the
    /// original to its bytes, in whole programs).
    AliasUnlessRelocated,
    /// In the original's file range if the bytes are equal.
    AliasIfEqual,
    /// In a file range of its own.
    Own,
    /// In a file range of its own, in files in which the code generator has put it.
    OwnIfThere,
}

/// One row of the policy table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Name of the original, or its beginning.
    pub native: &'static str,
    /// What may follow [`native`](Self::native).
    pub extent: Extent,
    /// The same part of the clone's name.
    pub clone: &'static str,
    /// `sh_type` of the clone.
    pub sh_type: u32,
    /// What the clone says.
    pub content: Content,
    /// Where it says it.
    pub storage: Storage,
}

impl Rule {
    /// `sh_flags` of the clone of a section with `sh_flags` `native`: [`SHF_MERCURY`] is added, and capsules, which are
    /// neither loaded nor executed, have nothing else.
    pub fn flags(&self, native: u64) -> u64 {
        if self.sh_type == sht::MERC_CODE { SHF_MERCURY } else { native | SHF_MERCURY }
    }
}

/// Clones that ptxas makes, by name of the original (docs/formats/capsule.md, sections). Relocation
/// sections follow from their target's row, see
/// [`merc_name`]; sections in neither this table nor the list of those without clone are copied ([`rule`]), unless that
/// would give their clones the names of others.
pub const RULES: &[Rule] = {
    use Content::{Mercury, Same};
    use Extent::{Function, Numbered, Whole};
    use Storage::{Alias, AliasIfEqual, AliasUnlessLineOffset, AliasUnlessRelocated, Own, OwnIfThere};
    const fn row(
        (native, extent): (&'static str, Extent),
        (clone, sh_type): (&'static str, u32),
        content: Content,
        storage: Storage,
    ) -> Rule {
        Rule { native, extent, clone, sh_type, content, storage }
    }
    const fn debug(kind: SectionKind, content: Content, storage: Storage) -> Rule {
        let Some(row) = kind.mercury() else { panic!("a debug section without clone") };
        let extent = if kind.has_suffix() { Numbered } else { Whole };
        Rule { native: kind.name(), extent, clone: row.name, sh_type: row.header.sh_type, content, storage }
    }
    &[
        row((".text", Function), (".nv.capmerc.text", sht::MERC_CODE), Mercury, Own),
        debug(SectionKind::DebugFrame, Mercury, AliasIfEqual),
        debug(SectionKind::DebugLine, Mercury, AliasIfEqual),
        debug(SectionKind::DebugStr, Same, Alias),
        debug(SectionKind::NvDebugLineSass, Mercury, AliasIfEqual),
        debug(SectionKind::NvDebugPtxTxt, Same, Alias),
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
        row((".nv.info", Whole), (".nv.merc.nv.info", sht::MERC_INFO), Mercury, Own),
        row((".nv.info", Function), (".nv.merc.nv.info", sht::MERC_INFO), Mercury, Own),
        // ptxas 13.0 makes no clone of the call graph, 13.4 always does.
        row((".nv.callgraph", Whole), (".nv.merc.nv.callgraph", sht::MERC_CALLGRAPH), Same, Own),
        row(
            (".nv.constant3", Whole),
            (".nv.merc.nv.constant.user", sht::MERC_CONSTANT_USER),
            Same,
            AliasUnlessRelocated,
        ),
        row((".nv.constant4", Whole), (".nv.merc.nv.constant.pic", sht::MERC_CONSTANT_PIC), Same, Alias),
        // What a kernel needs of its `.texref`, `.samplerref` and `.surfref` variables stands natively behind its parameters.
        row(
            (".nv.constant0", Function),
            (".nv.merc.nv.constant.entry_image_header_indices", sht::MERC_CONSTANT_IMAGE_HEADERS),
            Mercury,
            OwnIfThere,
        ),
        row(
            (".nv.constant2", Function),
            (".nv.merc.nv.constant.optimizer", sht::MERC_CONSTANT_OPTIMIZER),
            Mercury,
            Own,
        ),
        row(
            (".nv.global.init", Whole),
            (".nv.merc.nv.global.init", sht::CUDA_GLOBAL_INIT),
            Same,
            AliasUnlessRelocated,
        ),
        row(
            (".nv.shared.reserved", Function),
            (".nv.merc.nv.shared.reserved", sht::CUDA_SHARED_RESERVED),
            Mercury,
            Own,
        ),
        row((".symtab", Whole), (".nv.merc.symtab", sht::MERC_SYMTAB), Mercury, Own),
    ]
};

/// Relocation sections: one row for all.
const RELOCATIONS: Rule = Rule {
    native: RelocForm::Rela.prefix(),
    extent: Extent::Function,
    clone: MERCURY_RELA_PREFIX,
    sh_type: sht::MERC_RELA,
    content: Content::Mercury,
    storage: Storage::Own,
};

/// Sections that the PTX brought and ptxas does not know, `.debug_types` among them, are copied.
const UNKNOWN: Rule = Rule {
    native: "",
    extent: Extent::Function,
    clone: MERCURY_PREFIX,
    sh_type: PROGBITS,
    content: Content::Same,
    storage: Storage::Own,
};

/// Sections without clone.
const NOT_CLONED: &[(&str, Extent)] = &[
    ("", Extent::Whole),
    (".shstrtab", Extent::Whole),
    (".strtab", Extent::Whole),
    (".symtab_shndx", Extent::Whole),
    (".note.nv", Extent::Function),
    (".nv.compat", Extent::Whole),
    (".nv.prototype", Extent::Whole),
    (".nv.global", Extent::Whole),
    (".nv.shared", Extent::Function),
    (SectionKind::NvDebugShared.name(), Extent::Whole),
    (RelocForm::Rel.prefix(), Extent::Function),
    (MERCURY_PREFIX, Extent::Function),
    (".nv.capmerc", Extent::Function),
];

impl Extent {
    /// What follows `stem` in `name`, if `name` begins with it in the way this extent says.
    fn rest<'n>(self, name: &'n str, stem: &str) -> Option<&'n str> {
        let rest = name.strip_prefix(stem)?;
        let follows = match self {
            Self::Whole => rest.is_empty(),
            Self::Function => rest.len() > 1 && rest.starts_with('.'),
            Self::Numbered => rest.strip_prefix('.').map_or(rest.is_empty(), |number| {
                !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            }),
        };
        follows.then_some(rest)
    }
}

/// The rule for the clone of the section called `native`; `None` if there is no clone of it, as [`merc_name`] says.
pub fn rule(native: &str) -> Option<&'static Rule> {
    merc_name(native)?;
    if relocated(native).is_some() { Some(&RELOCATIONS) } else { content_rule(native) }
}

/// Name of the clone of the section called `native`; `None` if there is no clone of it.
///
/// The relocations of `.X` are named after the clone of `.X` (`.rela.nv.constant4` has the clone
/// `.nv.merc.rela.nv.constant.pic`), but those of code after `.text.F`.
///
/// Each clone has one original, so that [`native_name`] leads back from every name given here: there is no clone of
/// `.nv.constant.user`, whose name would be that of the clone of `.nv.constant3`.
pub fn merc_name(native: &str) -> Option<String> {
    clone_of(native).filter(|merc| original_of(merc).as_deref() == Some(native))
}

/// Name of the section whose clone is called `merc`; `None` if that is not the name of a clone.
///
/// [`merc_name`] leads back from every name given here.
pub fn native_name(merc: &str) -> Option<String> {
    original_of(merc).filter(|native| clone_of(native).as_deref() == Some(merc))
}

/// The target's name, of the name of a section with relocations.
fn relocated(native: &str) -> Option<&str> {
    RELOCATIONS.extent.rest(native, RELOCATIONS.native)
}

/// The rule that the name of a section without relocations asks for, whether or not the clone's name is another's.
fn content_rule(native: &str) -> Option<&'static Rule> {
    let takes = |stem, extent: Extent| extent.rest(native, stem).is_some();
    let known = RULES.iter().find(|rule| takes(rule.native, rule.extent));
    let is_excluded = || NOT_CLONED.iter().any(|(stem, extent)| takes(stem, *extent));
    known.or_else(|| (takes(UNKNOWN.native, UNKNOWN.extent) && !is_excluded()).then_some(&UNKNOWN))
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
    let Some(target) = RELOCATIONS.extent.rest(merc, RELOCATIONS.clone) else {
        return content_original(merc);
    };
    let original = content_original(&format!("{}{target}", UNKNOWN.clone));
    Some(format!("{}{}", RELOCATIONS.native, original.as_deref().unwrap_or(target)))
}

fn content_original(merc: &str) -> Option<String> {
    let mut known = RULES.iter().chain([&UNKNOWN]);
    known.find_map(|r| Some(format!("{}{}", r.native, r.extent.rest(merc, r.clone)?)))
}

/// Whether a section with these `sh_flags` is a clone or a capsule.
pub fn is_mercury(flags: u64) -> bool {
    flags & SHF_MERCURY != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// Beginnings of names: of both spaces, with and without a row, whole and cut off; none.
    fn stems() -> Vec<&'static str> {
        let rows = RULES.iter().chain([&RELOCATIONS, &UNKNOWN]);
        let names = rows.flat_map(|rule| [rule.native, rule.clone]);
        let names = names.chain(NOT_CLONED.iter().map(|(stem, _)| *stem));
        let unprefixed = |name: &'static str| name.strip_prefix(MERCURY_PREFIX);
        let mut all: Vec<&str> = names.flat_map(|name| [Some(name), unprefixed(name)]).flatten().collect();
        all.extend([".debug_types", ".nv_debug_info_ptx", ".nv.constant", ".rel.", ".foo", "foo"]);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Names of and near all rows, relocations of them, and relocations of these.
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
        match (rule(name), &clone) {
            (Some(rule), Some(clone)) => {
                prop_assert!(
                    name.starts_with(rule.native) && clone.starts_with(rule.clone),
                    "{name}: {rule:?}"
                );
            }
            (rule, clone) => prop_assert_eq!((rule, clone), (None, &None)),
        }
        // Nothing goes without a clone but what the table says, and what would take the clone of another.
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
