//! Comparison of the Mercury clones of a file with those that are planned for it.

use crate::clone_policy::CloneException;
use crate::plan::{CapsulePlan, CloneAction, PlannedClone};
use crate::section_pairs::SectionPairs;
use crate::section_view::SectionView;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex};
use nv_debug_sections::reloc::RelocKind;
use nv_debug_sections::relocated::RelocatedCubin;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Whether a file has a planned Mercury clone, and whether the clone is as planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(rename = "ClonePresence")]
pub enum CloneStatus {
    /// The clone is as planned.
    #[serde(rename = "yes")]
    AsPlanned,
    /// The clone has bytes of its own, but the plan lets it share those of its native section.
    #[serde(rename = "own bytes")]
    OwnBytes,
    /// The clone shares the bytes of its native section, but the plan gives it bytes of its own.
    #[serde(rename = "shared bytes")]
    SharedBytes,
    /// The `sh_type` or the `sh_flags` of the clone differ from the plan.
    #[serde(rename = "other header")]
    OtherHeader,
    /// The file lacks the clone.
    #[serde(rename = "no")]
    Missing,
}

/// A planned clone, with its status in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Clone")]
pub struct CloneRow<'p> {
    /// The name of the native section.
    pub original: &'p str,
    /// The name of the clone.
    pub clone: &'p str,
    /// How the clone is made.
    pub action: CloneAction,
    /// The condition under which the clone is made in another way, in words; `None` where it is
    /// always made in this way.
    pub exception: Option<String>,
    /// `sh_type` of the clone.
    pub sh_type: u32,
    /// `sh_flags` of the clone.
    pub sh_flags: u64,
    /// The name of the section that `sh_link` of the clone refers to; `None` where `sh_link` is 0.
    pub sh_link: Option<&'static str>,
    /// Whether the file has the clone, and whether it is as planned.
    pub in_file: CloneStatus,
}

impl fmt::Display for CloneStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AsPlanned => "yes",
            Self::OwnBytes => "own bytes",
            Self::SharedBytes => "shared bytes",
            Self::OtherHeader => "other header",
            Self::Missing => "no",
        })
    }
}

impl CapsulePlan {
    /// Compares the Mercury clones that a cubin should have with those it has, and returns a row
    /// for each clone. `views` must be the section [views](SectionView::all) from which the plan
    /// was made.
    ///
    /// # Errors
    ///
    /// Those of [`statuses`](Self::statuses).
    pub fn rows<'p>(&'p self, views: &[SectionView<'p>], cubin: &Cubin<'_>) -> Result<Vec<CloneRow<'p>>> {
        let presence = self.statuses(cubin)?;
        let row = |(clone, presence): (&'p PlannedClone, CloneStatus)| CloneRow {
            original: views.get(clone.original).map_or("", |view| view.name),
            clone: &clone.name,
            action: clone.action,
            exception: clone.exception.map(|exception| exception.to_string()),
            sh_type: clone.sh_type,
            sh_flags: clone.flags,
            sh_link: clone.link,
            in_file: presence,
        };
        Ok(self.clones.iter().zip(presence).map(row).collect())
    }

    /// Returns the status of each planned clone in the cubin for which the plan was made.
    ///
    /// # Errors
    ///
    /// That of [`SectionPairs::of_sections`]; a section cannot be read.
    pub fn statuses(&self, cubin: &Cubin<'_>) -> Result<Vec<CloneStatus>> {
        let pairs = SectionPairs::of_sections(cubin)?;
        let view = RelocatedCubin::new(cubin);
        self.clones.iter().map(|clone| status(&view, &pairs, clone)).collect()
    }
}

fn status(view: &RelocatedCubin<'_, '_>, pairs: &SectionPairs, clone: &PlannedClone) -> Result<CloneStatus> {
    let cubin = view.cubin();
    let native = clone.original_index();
    let Some(mercury) = pairs.mercury_section(native) else { return Ok(CloneStatus::Missing) };
    let section = cubin.section(mercury)?;
    if (section.sh_type, section.flags) != (clone.sh_type, clone.flags) {
        return Ok(CloneStatus::OtherHeader);
    }
    let bytes = cubin.bytes(native)?;
    // Of no bytes nothing can be said.
    let is_shared = matches!(section.contents, Contents::Alias(original) if original == native);
    let should_share = match (clone.action, clone.exception) {
        _ if bytes.is_empty() => is_shared,
        (_, Some(CloneException::AliasIfEqual)) => is_shared || bytes == cubin.bytes(mercury)?,
        (_, Some(CloneException::CopyIfLineOffset)) => {
            let line_offset = RelocKind::LineOffset32.number(Space::Mercury);
            !view.relocations_of(mercury).any(|(_, entry)| entry.r_type == line_offset)
        }
        (_, Some(CloneException::RewriteIfRelocated)) => {
            !is_relocated(view, mercury) || is_relocated(view, native)
        }
        (CloneAction::Alias, None) => true,
        (CloneAction::Copy | CloneAction::Rewrite, None) => false,
    };
    Ok(match (is_shared, should_share) {
        (false, true) => CloneStatus::OwnBytes,
        (true, false) => CloneStatus::SharedBytes,
        _ => CloneStatus::AsPlanned,
    })
}

fn is_relocated(view: &RelocatedCubin<'_, '_>, section: SectionIndex) -> bool {
    view.relocations_of(section).next().is_some()
}
