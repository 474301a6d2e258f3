//! `.alias`: a second name of a function.

use crate::name::Name;
use crate::text_range::TextRange;

/// A second name of a function: `.alias ALIAS, ALIASEE;` (PTX ISA §.alias).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias<'a> {
    /// The new name of the function. `None` where it is missing; a syntax error says so.
    pub alias: Option<Name<'a>>,
    /// The function that gets the new name. `None` where it is missing; a syntax error says so.
    pub aliasee: Option<Name<'a>>,
    /// The range of the directive, with the `;`.
    pub range: TextRange,
}
