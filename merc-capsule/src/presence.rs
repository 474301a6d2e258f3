//! What a file has of the clones that are planned for it.

use crate::plan::{Action, CapsulePlan, Exception, PlannedClone, SectionView};
use crate::spaces::Spaces;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex};
use nv_debug_sections::reloc::RelocKind;
use nv_debug_sections::relocated::RelocatedCubin;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// How far a clone in a file is as planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(rename = "ClonePresence")]
pub enum Presence {
    /// The clone is as planned.
    #[serde(rename = "yes")]
    AsPlanned,
    /// It has bytes of its own, and is planned in the bytes of the original.
    #[serde(rename = "own bytes")]
    OwnBytes,
    /// It lies in the bytes of the original, and is planned with bytes of its own.
    #[serde(rename = "shared bytes")]
    SharedBytes,
    /// Its `sh_type` or `sh_flags` differ from the plan.
    #[serde(rename = "other header")]
    OtherHeader,
    /// There is no such clone.
    #[serde(rename = "no")]
    Missing,
}

/// A clone as planned and as a file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Clone")]
pub struct CloneRow<'p> {
    /// The name of the original.
    pub original: &'p str,
    /// The name of the clone.
    pub clone: &'p str,
    /// How the clone is made.
    pub action: Action,
    /// When it is made otherwise, in words; `None` where it never is.
    pub exception: Option<String>,
    /// `sh_type` of the clone.
    pub sh_type: u32,
    /// `sh_flags` of the clone.
    pub sh_flags: u64,
    /// The name of the section that `sh_link` of the clone is of; `None` where it is 0.
    pub sh_link: Option<&'static str>,
    /// Whether the file has the clone as it is planned.
    pub in_file: Presence,
}

impl fmt::Display for Presence {
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
    /// Each clone of the cubin that this is the plan of, by its [views](SectionView::all).
    ///
    /// # Errors
    ///
    /// Those of [`presence`](Self::presence).
    pub fn rows<'p>(&'p self, views: &[SectionView<'p>], cubin: &Cubin<'_>) -> Result<Vec<CloneRow<'p>>> {
        let presence = self.presence(cubin)?;
        let row = |(clone, presence): (&'p PlannedClone, Presence)| CloneRow {
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

    /// What the cubin that this is the plan of has of each clone.
    ///
    /// # Errors
    ///
    /// That of [`Spaces::of_sections`]; a section cannot be read.
    pub fn presence(&self, cubin: &Cubin<'_>) -> Result<Vec<Presence>> {
        let spaces = Spaces::of_sections(cubin)?;
        let view = RelocatedCubin::new(cubin);
        self.clones.iter().map(|clone| presence(&view, &spaces, clone)).collect()
    }
}

fn presence(view: &RelocatedCubin<'_, '_>, spaces: &Spaces, clone: &PlannedClone) -> Result<Presence> {
    let cubin = view.cubin();
    let native = clone.original_index();
    let Some(mercury) = spaces.mercury(native) else { return Ok(Presence::Missing) };
    let section = cubin.section(mercury)?;
    if (section.sh_type, section.flags) != (clone.sh_type, clone.flags) {
        return Ok(Presence::OtherHeader);
    }
    let bytes = cubin.bytes(native)?;
    // Of no bytes nothing can be said.
    let is_shared = matches!(section.contents, Contents::Alias(original) if original == native);
    let should_share = match (clone.action, clone.exception) {
        _ if bytes.is_empty() => is_shared,
        (_, Some(Exception::AliasIfEqual)) => is_shared || bytes == cubin.bytes(mercury)?,
        (_, Some(Exception::CopyIfLineOffset)) => {
            let line_offset = RelocKind::LineOffset32.number(Space::Mercury);
            !view.relocations_of(mercury).any(|(_, entry)| entry.r_type == line_offset)
        }
        (_, Some(Exception::RewriteIfRelocated)) => {
            !is_relocated(view, mercury) || is_relocated(view, native)
        }
        (Action::Alias, None) => true,
        (Action::Copy | Action::Rewrite, None) => false,
    };
    Ok(match (is_shared, should_share) {
        (false, true) => Presence::OwnBytes,
        (true, false) => Presence::SharedBytes,
        _ => Presence::AsPlanned,
    })
}

fn is_relocated(view: &RelocatedCubin<'_, '_>, section: SectionIndex) -> bool {
    view.relocations_of(section).next().is_some()
}
