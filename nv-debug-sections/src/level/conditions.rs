//! The conditions other than the debug level that decide which sections a file has: its kind, and
//! the features of its PTX.

use crate::catalog::{SectionKind, SectionName};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The kinds of output file: of ptxas, of nvlink, or without code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FileKind")]
pub enum OutputKind {
    /// `ptxas`, also with `-ewp`: a whole program.
    Program,
    /// `ptxas -c`: to be linked.
    Relocatable,
    /// `nvlink`, with and without `-r`.
    Linked,
    /// `compile --code none` of nvdwarf: line tables without code. No NVIDIA tool makes such files.
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
/// are. `None` means "not known". The sections that depend on it are then expected [on a
/// condition](Requirement::If).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PtxFeatures<'a> {
    /// There is code: a function body that is not dropped.
    pub has_code: Option<bool>,
    /// Some of that code has a line in a PTX text: all code that comes from PTX, if there are line
    /// tables.
    pub has_ptx_lines: Option<bool>,
    /// Some of that code has a `.loc` of a line above 0.
    pub has_loc: Option<bool>,
    /// Some of that code is inlined and its function named (`function_name`, `inlined_at`).
    pub has_inlined_names: Option<bool>,
    /// The PTX has `.shared` variables.
    pub has_shared_variables: Option<bool>,
    /// The PTX file's own `.section`s that reach a file at [`Full`](super::DebugLevel::Full), in
    /// text order, `.debug_str` among them: those with bytes, but `.debug_info` if and only if
    /// there is a `.debug_abbrev`, be they empty or not.
    pub sections: Option<Vec<PtxSection<'a>>>,
    /// Names of the PTX texts: one for each PTX file, empty for none.
    pub ptx_text_names: Option<Vec<Cow<'a, str>>>,
}

/// A debug section that the PTX file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxSection<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// The kinds of references that its bytes have.
    pub references: ReferenceKinds,
}

/// The kinds of references that the data of a section has, as a set; `None` if they are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReferenceKinds(pub [Option<bool>; 3]);

/// The kinds of references in debug sections, by the tool that resolves them
/// (docs/formats/relocations.md, what a name in PTX becomes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferenceKind {
    /// A code address, known up to the function's own. Below sm_90 the offset in the function
    /// stands in the field: REL, but not in `.debug_info`.
    Code,
    /// A symbol's address.
    Symbol,
    /// A value that only the linker knows: an offset in another section, the size of a function
    /// that may be dropped, an undefined name. Whole programs have no relocations of this kind, and
    /// linked files have none left.
    AtLink,
}

impl ReferenceKind {
    /// The set of all kinds of references.
    pub const ALL: [Self; 3] = [Self::Code, Self::Symbol, Self::AtLink];
}

impl ReferenceKinds {
    /// The empty set of kinds of references.
    pub const NONE: Self = Self([Some(false); 3]);

    /// Creates the set of these kinds of references.
    pub fn of(references: &[ReferenceKind]) -> Self {
        Self(ReferenceKind::ALL.map(|reference| Some(references.contains(&reference))))
    }

    /// Whether the section has a reference of this kind; `None` if that is not known.
    pub fn has(self, reference: ReferenceKind) -> Option<bool> {
        self.0[reference as usize]
    }
}

/// A section that a file is expected to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionExpectation<'a> {
    /// The section's name. If the number after `.nv_debug_ptx_txt` is not known, it is `.N`.
    pub name: SectionName<'a>,
    /// Whether it must be there.
    pub requirement: Requirement,
}

/// Whether a file must have a section always, or only under a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// It must be there.
    Always,
    /// It must be there if something holds that is not known.
    If(Condition),
}

/// A condition under which a file has a section. [`Display`](fmt::Display) writes it as "there is
/// code".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    /// [`PtxFeatures::has_code`].
    Code,
    /// [`PtxFeatures::has_ptx_lines`].
    PtxLines,
    /// [`PtxFeatures::has_loc`].
    Loc,
    /// [`PtxFeatures::has_inlined_names`].
    InlinedNames,
    /// [`PtxFeatures::has_shared_variables`]. Which `.shared` variables do it is known in part
    /// only: see `docs/conformance.md`.
    SharedVariables,
    /// One of [`PtxFeatures::sections`].
    PtxSection(SectionKind),
    /// The section whose relocations it would be has a reference that needs them.
    References,
    /// It was not stripped: [`DetectedLevel::removed`](super::detected::DetectedLevel::removed).
    NotStripped,
    /// The code is not optimised:
    /// [`DetectedLevel::optimised`](super::detected::DetectedLevel::optimised).
    Unoptimised,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Code => "there is code",
            Self::PtxLines => "code comes from PTX",
            Self::Loc => "code has a .loc",
            Self::InlinedNames => "inlined functions are named",
            Self::SharedVariables => "there are .shared variables",
            Self::PtxSection(kind) => return write!(f, "the PTX has {}", kind.name()),
            Self::References => "that section has references",
            Self::NotStripped => "it was not stripped",
            Self::Unoptimised => "the code is not optimised",
        })
    }
}
