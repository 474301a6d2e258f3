//! The features of a PTX file that decide which debug sections there are.

use super::ReferenceKinds;
use std::borrow::Cow;

/// The features of a PTX file, and of the code made from it, that decide which debug sections there
/// are. A feature that is `None` is not known. Sections that depend on it are then expected [on a
/// condition](super::Requirement::If).
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
