//! The header of a module: `.version`, `.target`, `.address_size`.

use crate::name::Name;
use crate::text_range::TextRange;

/// `.version MAJOR.MINOR` (PTX ISA §.version): two integers, so 7.10 differs from 7.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionDirective {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
    /// The range of the directive.
    pub range: TextRange,
}

/// A `.target` directive, such as `.target sm_90a, debug` (PTX ISA §.target).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetDirective<'a> {
    /// The words after `.target` as written, not checked against a list.
    pub specifiers: Vec<Name<'a>>,
    /// The range of the directive.
    pub range: TextRange,
}

impl<'a> TargetDirective<'a> {
    /// Returns the specifier that names an architecture (`sm_90a`, `compute_75`). If there are
    /// several it is the last, as for ptxas.
    pub fn arch(&self) -> Option<&Name<'a>> {
        self.specifiers
            .iter()
            .rev()
            .find(|name| name.text.starts_with("sm_") || name.text.starts_with("compute_"))
    }

    /// Whether `debug` is among the specifiers.
    pub fn is_debug(&self) -> bool {
        self.specifiers.iter().any(|name| name.text == "debug")
    }
}

/// An `.address_size` directive, such as `.address_size 64` (PTX ISA §.address_size).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressSizeDirective {
    /// The size of an address in bits: 32 or 64, unless there is a syntax error.
    pub bits: u32,
    /// The range of the directive.
    pub range: TextRange,
}
