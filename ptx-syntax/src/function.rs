//! A function of a module, and its body.

use crate::attributes::Attributes;
use crate::directives::Directives;
use crate::function_kind::FunctionKind;
use crate::linkage::Linkage;
use crate::name::Name;
use crate::parameter::Parameter;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// A function or a prototype (PTX ISA §Kernel and Function Directives).
#[derive(Debug, Clone)]
pub struct Function<'a> {
    /// The kind of function: a kernel or a device function.
    pub kind: FunctionKind,
    /// The name of the function; empty where it is missing.
    pub name: Name<'a>,
    /// The linkage of the function, such as `.visible`.
    pub linkage: Linkage,
    /// The return parameters of the function.
    pub returns: Vec<Parameter<'a>>,
    /// The parameters of the function.
    pub params: Vec<Parameter<'a>>,
    /// The attributes of the function: `.attribute(...)` after `.func`.
    pub attributes: Option<Attributes<'a>>,
    /// The directives between parameters and body, such as `.maxntid 128`.
    pub directives: Directives<'a>,
    /// The body of the function; `None` for a prototype.
    pub body: Option<Body<'a>>,
    /// The range of the function, from the linkage word to `}` or `;`.
    pub range: TextRange,
}

/// The statements of a function. Those of nested blocks are in the same list.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// The range of the `{` that opens the body.
    pub open: TextRange,
    /// The range of the `}` that closes the body; empty where it is missing.
    pub close: TextRange,
    /// The statements of the body in text order. A nested block is `BlockOpen` ... `BlockClose`.
    pub statements: Vec<Statement<'a>>,
    /// Whether a `.target` is among them, which hardly any body has.
    pub(crate) has_targets: bool,
}
