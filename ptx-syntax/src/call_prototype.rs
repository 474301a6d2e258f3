//! `.callprototype`.

use super::directives::Directives;
use crate::name::Name;
use crate::parameter::Parameter;
use crate::text_range::TextRange;

/// The prototype of calls through a register: `LABEL: .callprototype (RETURNS) _ (PARAMETERS)
/// DIRECTIVES;` (PTX ISA §.callprototype).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPrototype<'a> {
    /// The label right before the prototype. It is a statement of its own too. `None` where it is
    /// missing; a syntax error says so.
    pub label: Option<Name<'a>>,
    /// The return parameters of the prototype.
    pub returns: Vec<Parameter<'a>>,
    /// The parameters of the prototype.
    pub params: Vec<Parameter<'a>>,
    /// The directives at the end of the prototype: `.noreturn`, `.abi_preserve N`,
    /// `.abi_preserve_control N`.
    pub directives: Directives<'a>,
    /// The range from the directive to the `;`, without the label.
    pub range: TextRange,
}
