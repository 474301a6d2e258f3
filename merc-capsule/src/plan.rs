//! The plan of a capsule: every clone that it holds, before any of them is built.

use super::section_view::SectionView;
use crate::clone_policy::{
    CloneContent, CloneException, ClonePolicy, CloneStorage, clone_policy, is_mercury, merc_name, native_name,
};
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::catalog::{RelocForm, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex, sht};
use nv_debug_sections::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// How the bytes of a Mercury clone are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CloneAction")]
pub enum CloneAction {
    /// The clone shares the file range of its native section.
    Alias,
    /// The clone has a copy of the native section's bytes, in a file range of its own.
    Copy,
    /// The clone has a file range of its own, and the contents of its native section rewritten for
    /// Mercury space.
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

/// One planned clone of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedClone {
    /// The position of the native section in the list of section views, from 0.
    pub original: usize,
    /// The name of the clone.
    pub name: String,
    /// The section type of the clone, `sh_type`.
    pub sh_type: u32,
    /// The section flags of the clone, `sh_flags`.
    pub flags: u64,
    /// The name of the section that `sh_link` of the clone refers to; `None` if `sh_link` is 0.
    pub link: Option<&'static str>,
    /// How the bytes of the clone are made.
    pub action: CloneAction,
    /// The condition under which the clone is made in another way; `None` if it is always made in
    /// this way.
    pub exception: Option<CloneException>,
}

impl PlannedClone {
    /// The index of the native section in the section table of the file. It holds if the plan was
    /// made from the [views](SectionView::all) of all sections of the file.
    pub fn original_index(&self) -> SectionIndex {
        SectionIndex(u32::try_from(self.original + 1).unwrap_or(u32::MAX))
    }
}

/// The planned Mercury clones of a cubin, in the order of their native sections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapsulePlan {
    /// The planned clones, one for each section that has a clone.
    pub clones: Vec<PlannedClone>,
}

/// Why the Mercury clones of a cubin's sections cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The cubin has no `.symtab`, to which relocations and code of both spaces refer.
    #[error("there is no .symtab, whose clone everything in a capsule refers to")]
    NoSymtab,
    /// Two sections would have clones of the same name.
    #[error("section {second}: {name} is the clone of section {first} already")]
    Twice {
        /// Name of the clone.
        name: String,
        /// The 0-based position of the first section among those that are planned.
        first: usize,
        /// The 0-based position of the second section.
        second: usize,
    },
    /// The name of a section and its Mercury flag contradict each other: the name is that of a
    /// clone and the flag is missing, or the flag is set and the name is not that of a clone.
    #[error("section {section}, {name}: {fault}")]
    Space {
        /// The 0-based position of the section among those that are planned.
        section: usize,
        /// The name of the section.
        name: String,
        /// The reason why the section does not fit.
        fault: &'static str,
    },
    /// The cubin has a Mercury clone, but lacks the native section of that clone.
    #[error("section {section}, {name}, is a clone of {native}, which is not there")]
    NoOriginal {
        /// The 0-based position of the section among those that are planned.
        section: usize,
        /// The name of the section.
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

/// Plans the Mercury clones of a cubin for sm_100 or later. Clones that the cubin has already are
/// checked, and planned again.
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
