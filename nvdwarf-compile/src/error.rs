//! The error type of a compilation.

use crate::diagnostic::Diagnostic;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};

/// Why a compilation gives no cubin, with the diagnostics up to the failure.
///
/// Errors in the text of the PTX are diagnostics with their places. All else is one [`ErrorKind`]:
/// of a section of the cubin that gave the code with its name and offset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct CompileError {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The diagnostics about the PTX, in the order in which they are to be shown. If the kind is
    /// [`ErrorKind::Ptx`], at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
}

/// The kinds of failure of a compilation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The PTX has errors, which the diagnostics name.
    #[error("the PTX has errors")]
    Ptx,
    /// An option asks for optimised code, but the PTX or another option asks for code to debug
    /// (`.target debug`, `-g`).
    #[error("{OPTIMIZED_DEBUG}")]
    OptimizedDebug,
    /// The cubin is for another architecture than is asked for.
    #[error(
        "the cubin holds code for sm_{found}, -arch asks for sm_{asked}: pass -arch sm_{found} or another cubin"
    )]
    OtherArch {
        /// SM number of the cubin.
        found: u32,
        /// The one that was asked for.
        asked: u32,
    },
    /// The cubin is relocatable, but a whole program is asked for, or the other way round.
    #[error("the cubin is {}", if *.relocatable { "relocatable: compile with -c" } else { "a whole program: compile without -c" })]
    OtherOutput {
        /// Whether the cubin is the relocatable one.
        relocatable: bool,
    },
    /// The cubin is a debug-only object, so it has no code.
    #[error("{section} has no code: this is a debug-only object, expected a cubin")]
    NoCode {
        /// The name of the first code section of the cubin, which has no bytes.
        section: String,
    },
    /// The cubin does not say which PTX line its instructions come from.
    #[error(
        "the cubin has no {section}, which says the PTX line of each instruction: \
         make it with `ptxas -lineinfo` or `ptxas -g`"
    )]
    NoPtxLines {
        /// Name of the section that would say it.
        section: String,
    },
    /// The two register maps of a function differ in length.
    #[error(
        "{} has {ranges} entries for {function}, {} has {types}",
        section_name(*.space, SectionKind::NvDebugInfoRegSass),
        section_name(*.space, SectionKind::NvDebugInfoRegType)
    )]
    RegisterMaps {
        /// Name of the function.
        function: String,
        /// Which of the two spaces the maps are of.
        space: Space,
        /// Number of entries with SASS registers.
        ranges: usize,
        /// Number of entries with types.
        types: usize,
    },
    /// A function of a cubin for sm_100 or later has no Mercury code, which every such function
    /// has.
    #[error("function {function} has no Mercury code, which every function for sm_100 and later has")]
    NoMercuryCode {
        /// The name of the function.
        function: String,
    },
    /// A section of the cubin is damaged, belongs to another PTX, or cannot be written. The error
    /// says which section, and where in it.
    #[error(transparent)]
    Section(Box<nv_debug_sections::Error>),
    /// A value does not fit into a DWARF section that is written.
    #[error(transparent)]
    Unwritable(#[from] dwarf2_writer::Error),
}

/// The message of ptxas for `.target debug` with an optimisation level above 0.
pub const OPTIMIZED_DEBUG: &str = "Optimized debugging not supported";

impl From<nv_debug_sections::Error> for ErrorKind {
    fn from(error: nv_debug_sections::Error) -> Self {
        Self::Section(error.into())
    }
}

/// Name of a section in one of the two spaces.
pub(crate) fn section_name(space: Space, kind: SectionKind) -> String {
    SectionName { space, form: None, base: kind.name().into() }.to_string()
}

pub(crate) type Result<T, E = ErrorKind> = std::result::Result<T, E>;

impl CompileError {
    /// The same error of a later step, with what was said before.
    pub(crate) fn after(self, said: &mut Vec<Diagnostic>) -> Self {
        said.extend(self.diagnostics);
        Self { kind: self.kind, diagnostics: std::mem::take(said) }
    }

    /// The first error of the PTX, or what else it is.
    fn text(&self) -> String {
        let first = self.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        match (&self.kind, first) {
            (ErrorKind::Ptx, Some(first)) => first.message.clone(),
            (kind, _) => kind.to_string(),
        }
    }
}
