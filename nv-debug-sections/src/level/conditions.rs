//! The conditions other than the debug level that decide which sections a file has: its kind, and
//! the features of its PTX.

use super::ReferenceKinds;
use crate::catalog::{SectionKind, SectionName};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The kind of output file: from ptxas, from nvlink, or without code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FileKind")]
pub enum OutputKind {
    /// A whole program, as ptxas writes it without `-c` (also with `-ewp`).
    Program,
    /// A relocatable object, as `ptxas -c` writes it.
    Relocatable,
    /// A linked file, as nvlink writes it with and without `-r`.
    Linked,
    /// A file with debug sections and no code, as `compile --code none` of nvdwarf writes it.
    /// NVIDIA's tools do not make such files.
    DebugOnly,
}

impl OutputKind {
    /// The kind of file as one word, as JSON documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Relocatable => "relocatable",
            Self::Linked => "linked",
            Self::DebugOnly => "debug-only",
        }
    }
}

/// The features of a PTX file, and of the code made from it, that decide which debug sections there
/// are. A feature that is `None` is not known. Sections that depend on it are then expected [on a
/// condition](Requirement::If).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PtxFeatures<'a> {
    /// Whether the file has code: a function body that is not dropped.
    pub has_code: Option<bool>,
    /// Whether some of the code has a line in a PTX text. With line tables this is all code that
    /// comes from PTX.
    pub has_ptx_lines: Option<bool>,
    /// Whether some of the code has a `.loc` with a line above 0.
    pub has_loc: Option<bool>,
    /// Whether some of the code is inlined and its `.loc` names the function (`function_name`,
    /// `inlined_at`).
    pub has_inlined_names: Option<bool>,
    /// Whether the PTX has `.shared` variables.
    pub has_shared_variables: Option<bool>,
    /// The `.section` blocks of the PTX file that become sections of the output at
    /// [`Full`](super::DebugLevel::Full), in text order, `.debug_str` included. These are the
    /// blocks with bytes; `.debug_info` is one of them exactly if the PTX has a `.debug_abbrev`,
    /// even if they are empty.
    pub sections: Option<Vec<PtxSection<'a>>>,
    /// The section names of the PTX texts, one for each PTX file; empty if there is no PTX text.
    pub ptx_text_names: Option<Vec<Cow<'a, str>>>,
    /// Whether some of the code has a `.loc_intermediate` with a line above 0.
    pub has_intermediate_lines: Option<bool>,
    /// The names of the sections with texts of an intermediate language, in file order.
    pub intermediate_text_names: Option<Vec<Cow<'a, str>>>,
}

/// A debug section that the PTX file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxSection<'a> {
    /// The name of the section.
    pub name: Cow<'a, str>,
    /// The kinds of references to code, symbols and other sections in the section's bytes.
    pub references: ReferenceKinds,
}

/// A section that a file is expected to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionExpectation<'a> {
    /// The section's name. If the number after `.nv_debug_ptx_txt` is not known, the name ends with
    /// `.N`.
    pub name: SectionName<'a>,
    /// Whether the file must have the section always, or only under a condition.
    pub requirement: Requirement,
}

/// Whether a file must have a section always, or only under a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// The file must have the section.
    Always,
    /// The file must have the section if this condition holds. It is not known whether it does.
    If(Condition),
}

/// A condition under which a file has a section. [`Display`](fmt::Display) writes it as "there is
/// code".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    /// There is code ([`PtxFeatures::has_code`]).
    Code,
    /// Code comes from PTX ([`PtxFeatures::has_ptx_lines`]).
    PtxLines,
    /// Code has a `.loc` ([`PtxFeatures::has_loc`]).
    Loc,
    /// Inlined functions are named ([`PtxFeatures::has_inlined_names`]).
    InlinedNames,
    /// Code has a `.loc_intermediate` ([`PtxFeatures::has_intermediate_lines`]).
    IntermediateLoc,
    /// The PTX has texts of an intermediate language
    /// ([`PtxFeatures::intermediate_text_names`]).
    IntermediateText,
    /// There are `.shared` variables ([`PtxFeatures::has_shared_variables`]). It is not fully known
    /// which `.shared` variables count: see `docs/conformance.md`.
    SharedVariables,
    /// The PTX has a section of this kind ([`PtxFeatures::sections`]).
    PtxSection(SectionKind),
    /// The section whose relocations are expected has references that need them.
    References,
    /// The section was not stripped
    /// ([`DetectedLevel::removed`](super::detected::DetectedLevel::removed)).
    NotStripped,
    /// The code is not optimised
    /// ([`DetectedLevel::optimised`](super::detected::DetectedLevel::optimised)).
    Unoptimised,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Code => "there is code",
            Self::PtxLines => "code comes from PTX",
            Self::Loc => "code has a .loc",
            Self::InlinedNames => "inlined functions are named",
            Self::IntermediateLoc => "code has a .loc_intermediate",
            Self::IntermediateText => "the PTX has .nv_intermediate_source_section",
            Self::SharedVariables => "there are .shared variables",
            Self::PtxSection(kind) => return write!(f, "the PTX has {}", kind.name()),
            Self::References => "that section has references",
            Self::NotStripped => "it was not stripped",
            Self::Unoptimised => "the code is not optimised",
        })
    }
}
