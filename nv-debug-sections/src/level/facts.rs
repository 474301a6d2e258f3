//! What decides, beside the level, which sections a file has.

use crate::catalog::{SectionKind, SectionName};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The kinds of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FileKind")]
pub enum Output {
    /// `ptxas`, also with `-ewp`: a whole program.
    Program,
    /// `ptxas -c`: to be linked.
    Relocatable,
    /// `nvlink`, with and without `-r`.
    Linked,
    /// `compile --code none` of nvdwarf: line tables without code. No NVIDIA tool makes such files.
    DebugOnly,
}

impl Output {
    /// The kind of file as one word, as JSON documents have it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Relocatable => "relocatable",
            Self::Linked => "linked",
            Self::DebugOnly => "debug-only",
        }
    }
}

/// What the PTX and the code made from it hold. `None` is "not known": the sections that depend on it are then expected
/// [on a condition](Need::If).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program<'a> {
    /// There is code: a function body that is not dropped.
    pub functions: Option<bool>,
    /// Some of that code has a line in a PTX text: all code that comes from PTX, if there are line tables.
    pub traced: Option<bool>,
    /// Some of that code has a `.loc` of a line above 0.
    pub located: Option<bool>,
    /// Some of that code is inlined and its function named (`function_name`, `inlined_at`).
    pub inlined: Option<bool>,
    /// The PTX has `.shared` variables.
    pub shared: Option<bool>,
    /// The PTX file's own `.section`s that reach a file at [`Full`](super::DebugLevel::Full), in text order, `.debug_str` among them:
    /// those with bytes, but `.debug_info` if and only if there is a `.debug_abbrev`, be they empty or not.
    pub sections: Option<Vec<PtxSection<'a>>>,
    /// Names of the PTX texts: one for each PTX file, empty for none.
    pub texts: Option<Vec<Cow<'a, str>>>,
}

/// One of the PTX file's own sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxSection<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// What its bytes refer to.
    pub references: References,
}

/// What the data of a section refers to, by [`Reference`]; `None`: not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct References(pub [Option<bool>; 3]);

/// Kinds of references in debug sections, by who resolves them (FORMATS 4 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A code address, known up to the function's own. Below sm_90 the offset in the function stands in the field: REL, but not in
    /// `.debug_info`.
    Code,
    /// A symbol's address.
    Symbol,
    /// What only the linker knows: an offset in another section, the size of a function that may be dropped, an undefined name. There
    /// are no relocations of it in whole programs, and none are left in linked ones.
    AtLink,
}

impl Reference {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Code, Self::Symbol, Self::AtLink];
}

impl References {
    /// Nothing is referred to.
    pub const NONE: Self = Self([Some(false); 3]);

    /// These and no others.
    pub fn of(references: &[Reference]) -> Self {
        Self(Reference::ALL.map(|reference| Some(references.contains(&reference))))
    }

    /// Whether there is such a reference.
    pub fn has(self, reference: Reference) -> Option<bool> {
        self.0[reference as usize]
    }
}

/// A section that a file is expected to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected<'a> {
    /// Its name. Where the number behind `.nv_debug_ptx_txt` is not known it is `.N`.
    pub name: SectionName<'a>,
    /// Whether it must be there.
    pub need: Need,
}

/// How sure an expectation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// It must be there.
    Always,
    /// It must be there if something holds that is not known.
    If(Condition),
}

/// What sections depend on. [`Display`](fmt::Display): "there is code".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    /// [`Program::functions`].
    Functions,
    /// [`Program::traced`].
    Traced,
    /// [`Program::located`].
    Located,
    /// [`Program::inlined`].
    Inlined,
    /// [`Program::shared`]. Which `.shared` variables do it is known in part only: see `docs/conformance.md`.
    Shared,
    /// One of [`Program::sections`].
    InPtx(SectionKind),
    /// The section whose relocations it would be has a reference that needs them.
    Refers,
    /// It was not stripped: [`DetectedLevel::removed`](super::detected::DetectedLevel::removed).
    Kept,
    /// The code is not optimised: [`DetectedLevel::optimised`](super::detected::DetectedLevel::optimised).
    Unoptimised,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Functions => "there is code",
            Self::Traced => "code comes from PTX",
            Self::Located => "code has a .loc",
            Self::Inlined => "inlined functions are named",
            Self::Shared => "there are .shared variables",
            Self::InPtx(kind) => return write!(f, "the PTX has {}", kind.name()),
            Self::Refers => "that section has references",
            Self::Kept => "it was not stripped",
            Self::Unoptimised => "the code is not optimised",
        })
    }
}
