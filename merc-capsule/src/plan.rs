//! The plan of a capsule: every clone that it holds, before any of them is built.

use crate::clone_policy::{
    CloneContent, ClonePolicy, CloneStorage, clone_policy, is_mercury, merc_name, native_name,
};
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::catalog::{RelocForm, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex, sht};
use nv_debug_sections::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The name, type and flags of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionView<'a> {
    /// Its name with its dot.
    pub name: &'a str,
    /// `sh_type`.
    pub sh_type: u32,
    /// `sh_flags`.
    pub flags: u64,
}

impl<'a> SectionView<'a> {
    /// Lists the sections of a cubin in file order, without section 0: section `i` of the file is
    /// element `i - 1`.
    pub fn all(cubin: &'a Cubin<'_>) -> Vec<Self> {
        let view = |name, sh_type, flags| SectionView { name, sh_type, flags };
        cubin.iter().map(|(_, name, section)| view(name, section.sh_type, section.flags)).collect()
    }
}

/// How the bytes of a clone are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CloneAction")]
pub enum CloneAction {
    /// It lies in the file range of the original.
    Alias,
    /// It has the bytes of the original, in a range of its own.
    Copy,
    /// It says the same as the original in Mercury space.
    Rewrite,
}

impl fmt::Display for CloneAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Alias => "alias",
            Self::Copy => "copy",
            Self::Rewrite => "rewrite",
        })
    }
}

/// The condition under which a clone is built in another way than its [`CloneAction`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CloneException {
    /// It is an alias if it comes out with the original's bytes.
    AliasIfEqual,
    /// It is a copy if relocations in it say where line programs begin.
    CopyIfLineOffset,
    /// It has bytes of its own if it has relocations and the original has none.
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

/// One planned clone of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedClone {
    /// Number of its original in the views.
    pub original: usize,
    /// Its name.
    pub name: String,
    /// `sh_type`.
    pub sh_type: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// Name of the section that `sh_link` is of; `None` for 0.
    pub link: Option<&'static str>,
    /// How it comes to be.
    pub action: CloneAction,
    /// When it does not.
    pub exception: Option<CloneException>,
}

impl PlannedClone {
    /// The index of the original section in the file whose [views](SectionView::all) were used for
    /// the plan.
    pub fn original_index(&self) -> SectionIndex {
        SectionIndex(u32::try_from(self.original + 1).unwrap_or(u32::MAX))
    }
}

/// The planned clones of a cubin, in the order of their originals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapsulePlan {
    /// One for each section that has a clone.
    pub clones: Vec<PlannedClone>,
}

/// Why no capsule can be planned for the sections of a cubin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Symbols are what relocations and code of both spaces refer to.
    #[error("there is no .symtab, whose clone everything in a capsule refers to")]
    NoSymtab,
    /// Two sections of relocations have one name, and so would their clones.
    #[error("section {second}: {name} is the clone of section {first} already")]
    Twice {
        /// Name of the clone.
        name: String,
        /// Number of the first original in the views.
        first: usize,
        /// Number of the second.
        second: usize,
    },
    /// The name says one space, `sh_flags` the other.
    #[error("section {section}, {name}: {fault}")]
    Space {
        /// Its number in the views.
        section: usize,
        /// Its name.
        name: String,
        /// The reason why the section does not fit.
        fault: &'static str,
    },
    /// A clone of a section that is not there.
    #[error("section {section}, {name}, is a clone of {native}, which is not there")]
    NoOriginal {
        /// Its number in the views.
        section: usize,
        /// Its name.
        name: String,
        /// Name of the original.
        native: String,
    },
}

impl PlanError {
    /// As an error of the section at fault.
    pub(crate) fn at_section(&self) -> Error {
        let section = match self {
            Self::NoSymtab => ".symtab",
            Self::Twice { name, .. } | Self::Space { name, .. } | Self::NoOriginal { name, .. } => name,
        };
        Error::in_section(section, ErrorKind::Capsule(self.to_string()))
    }
}

/// Checks that names and flags agree on which sections are clones.
pub(crate) fn expect_spaces(cubin: &Cubin<'_>) -> Result<(), PlanError> {
    SectionView::all(cubin).iter().enumerate().try_for_each(|(section, view)| {
        check_space(section, view)?;
        Ok(())
    })
}

/// Plans the capsule of a cubin of sm_100 or later. Sections that are clones already are checked,
/// and planned again.
///
/// # Errors
///
/// [`PlanError`], for the first section that is wrong.
pub fn plan(sections: &[SectionView<'_>]) -> Result<CapsulePlan, PlanError> {
    let mut natives: HashMap<&str, usize> = HashMap::new();
    for (section, view) in sections.iter().enumerate() {
        if !check_space(section, view)? {
            natives.entry(view.name).or_insert(section);
        }
    }
    if !natives.contains_key(".symtab") {
        return Err(PlanError::NoSymtab);
    }
    for (section, view) in sections.iter().enumerate().filter(|(_, view)| is_mercury(view.flags)) {
        let native = native_name(view.name).unwrap_or_default();
        // The relocations of code are in the capsule only, and so are those that only its space
        // needs.
        let is_rela = view.sh_type == sht::MERC_RELA;
        if !is_rela && !natives.contains_key(&*native) {
            return Err(PlanError::NoOriginal { section, name: view.name.to_owned(), native });
        }
    }
    let mut clones: Vec<PlannedClone> = Vec::new();
    let mut relocations: HashMap<&str, usize> = HashMap::new();
    for (original, view) in sections.iter().enumerate().filter(|(_, view)| !is_mercury(view.flags)) {
        let (Some(rule), Some(name)) = (clone_policy(view.name), merc_name(view.name)) else { continue };
        let is_there = || sections.iter().any(|section| section.name == name);
        if rule.storage == CloneStorage::OwnIfThere && !is_there() {
            continue;
        }
        // Linked files have several sections of one name, each with a clone of its own; relocations
        // merge.
        let is_relocation = SectionName::parse(view.name).form == Some(RelocForm::Rela);
        if is_relocation && let Some(first) = relocations.insert(view.name, original) {
            return Err(PlanError::Twice { name, first, second: original });
        }
        clones.push(clone(original, name, view, rule));
    }
    Ok(CapsulePlan { clones })
}

/// Whether a section is a clone; both its name and its flags must say so.
fn check_space(section: usize, view: &SectionView<'_>) -> Result<bool, PlanError> {
    let has_flag = is_mercury(view.flags);
    let fault = match (native_name(view.name).is_some(), has_flag) {
        (true, false) => "the name is that of a clone, but sh_flags lacks 0x10000000",
        (false, true) => "sh_flags has 0x10000000, but the name is not that of a clone",
        _ => return Ok(has_flag),
    };
    Err(PlanError::Space { section, name: view.name.to_owned(), fault })
}

fn clone(original: usize, name: String, view: &SectionView<'_>, rule: &ClonePolicy) -> PlannedClone {
    let (action, exception) = match (rule.content, rule.storage) {
        (_, CloneStorage::Alias) => (CloneAction::Alias, None),
        (_, CloneStorage::AliasUnlessLineOffset) => {
            (CloneAction::Alias, Some(CloneException::CopyIfLineOffset))
        }
        (_, CloneStorage::AliasUnlessRelocated) => {
            (CloneAction::Alias, Some(CloneException::RewriteIfRelocated))
        }
        (CloneContent::Same, _) => (CloneAction::Copy, None),
        (CloneContent::Mercury, CloneStorage::AliasIfEqual) => {
            (CloneAction::Rewrite, Some(CloneException::AliasIfEqual))
        }
        (CloneContent::Mercury, CloneStorage::Own | CloneStorage::OwnIfThere) => (CloneAction::Rewrite, None),
    };
    let link = match rule.sh_type {
        sht::MERC_CODE | sht::MERC_INFO | sht::MERC_RELA | sht::MERC_CALLGRAPH => Some(".nv.merc.symtab"),
        sht::MERC_SYMTAB => Some(".strtab"),
        _ => None,
    };
    PlannedClone {
        original,
        name,
        sh_type: rule.sh_type,
        flags: rule.flags(view.flags),
        link,
        action,
        exception,
    }
}
