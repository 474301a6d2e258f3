//! One directive of a function.

use crate::integer_tokens::IntegerTokens;
use crate::lexer::TokenKind;
use crate::name::Name;
use crate::name_tokens::NameTokens;
use crate::text_range::TextRange;

/// A directive of a function, such as `.maxntid 128, 1, 1` (PTX ISA §Performance-Tuning Directives,
/// §Cluster Dimension Directives, §.noreturn, §.abi_preserve).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionDirective<'a> {
    /// The name of the directive, with its dot.
    pub name: Name<'a>,
    /// What follows it, up to the next directive; comments may be in it.
    pub(crate) arguments: &'a str,
}

impl<'a> FunctionDirective<'a> {
    /// Iterates over the numbers after the directive's name; none for `.noreturn`, `.pragma`, ...
    pub fn integers(&self) -> IntegerTokens<'a> {
        IntegerTokens::new(self.arguments)
    }

    /// Iterates over the strings of a `.pragma`, without their quotes.
    pub fn strings(&self) -> NameTokens<'a> {
        NameTokens::new(self.arguments, self.name.range.end, TokenKind::String)
    }

    /// The range of the directive, from its name to its last argument.
    pub fn range(&self) -> TextRange {
        TextRange::new(self.name.range.start, self.name.range.end + self.arguments.len() as u32)
    }
}

/// Directives that may stand between a function's parameters and its body (PTX ISA
/// §Performance-Tuning Directives, §Cluster Dimension Directives, §.noreturn, §.abi_preserve).
/// Places and numbers of arguments: ptxas 13.0.88.
const FUNCTION_DIRECTIVES: &[(&str, Arguments, DirectiveOwner)] = &[
    (".maxnreg", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".maxntid", Arguments::Integers(3), DirectiveOwner::Kernel),
    (".reqntid", Arguments::Integers(3), DirectiveOwner::Kernel),
    (".minnctapersm", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".maxnctapersm", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".pragma", Arguments::Strings, DirectiveOwner::Kernel),
    (".reqnctapercluster", Arguments::Integers(3), DirectiveOwner::Kernel),
    (".explicitcluster", Arguments::None, DirectiveOwner::Kernel),
    (".maxclusterrank", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".blocksareclusters", Arguments::None, DirectiveOwner::Kernel),
    (".noreturn", Arguments::None, DirectiveOwner::CallableFirst),
    (".abi_preserve", Arguments::Integers(1), DirectiveOwner::Callable),
    (".abi_preserve_control", Arguments::Integers(1), DirectiveOwner::Callable),
    // Of any length. Observed: ptxas 13.2.86 and 13.5.37.
    (".language", Arguments::Integers(u8::MAX), DirectiveOwner::Any),
];

/// What follows a function directive, and what it may belong to; none for other words.
pub(crate) fn function_directive(word: &str) -> Option<(Arguments, DirectiveOwner)> {
    FUNCTION_DIRECTIVES
        .iter()
        .find(|(directive, ..)| *directive == word)
        .map(|&(_, what, place)| (what, place))
}

/// What follows a function directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    None,
    /// A list of integers such as `128, 1, 1`; the value is the most that are allowed.
    Integers(u8),
    /// A list of strings such as `"nounroll"`.
    Strings,
}

/// What a function directive belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectiveOwner {
    /// The directive belongs to a function of any kind.
    Any,
    /// The directive belongs to an `.entry`.
    Kernel,
    /// The directive belongs to a `.func` or a `.callprototype`.
    Callable,
    /// The directive belongs to a `.func` or a `.callprototype`, and stands before any other.
    CallableFirst,
}
