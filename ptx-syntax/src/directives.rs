//! Directives that are lists of words, and directives between a function's head and its body.

use crate::lexer::{Lexer, TokenKind};
use crate::parameter::Parameter;
use crate::text::{Name, TextRange};
use crate::token_list::{IntegerTokens, NameTokens};
use crate::types::function_directive;

/// A directive `.pragma "nounroll", "b";` (PTX ISA §.pragma), in a module or a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pragma<'a> {
    /// The range of the directive, with the `;`.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Pragma<'a> {
    /// Iterates over the strings of the `.pragma`, without their quotes.
    pub fn strings(&self) -> NameTokens<'a> {
        NameTokens::new(self.text, self.range.start, TokenKind::String)
    }
}

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

/// A list of the places to which a branch or a call may go: `LABEL: .branchtargets L1, L2;` or
/// `LABEL: .calltargets f, g;` (PTX ISA §.branchtargets, §.calltargets).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Targets<'a> {
    /// The label right before the list. It is a statement of its own too. `None` where it is
    /// missing; a syntax error says so.
    pub label: Option<Name<'a>>,
    /// The range from the directive to the `;`, without the label.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Targets<'a> {
    /// Iterates over the labels or functions in the list.
    pub fn names(&self) -> NameTokens<'a> {
        NameTokens::new(self.text, self.range.start, TokenKind::Ident)
    }
}

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

/// The list of directives between a function's parameters and its body, or at the end of a call
/// prototype. Most lists are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directives<'a> {
    /// The range from the first directive to the last; empty if there is none.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Directives<'a> {
    /// Iterates over the directives in text order.
    pub fn iter(&self) -> DirectivesIter<'a> {
        let mut lexer = Lexer::new(self.text, 0);
        let next = first_directive(&mut lexer, self.text);
        DirectivesIter { all: *self, lexer, next }
    }

    /// Returns the first directive with this name, dot included (`.maxntid`).
    pub fn get(&self, name: &str) -> Option<FunctionDirective<'a>> {
        self.iter().find(|directive| directive.name.text == name)
    }
}

impl<'a> IntoIterator for &Directives<'a> {
    type Item = FunctionDirective<'a>;
    type IntoIter = DirectivesIter<'a>;

    fn into_iter(self) -> DirectivesIter<'a> {
        self.iter()
    }
}

/// The range of the next directive's word.
fn first_directive(lexer: &mut Lexer<'_>, text: &str) -> Option<TextRange> {
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::Eof => return None,
            TokenKind::DotIdent if function_directive(token.range.slice(text)).is_some() => {
                return Some(token.range);
            }
            _ => {}
        }
    }
}

/// Iterates over the directives of a function or call prototype; see [`Directives::iter`].
#[derive(Debug, Clone)]
pub struct DirectivesIter<'a> {
    all: Directives<'a>,
    lexer: Lexer<'a>,
    next: Option<TextRange>,
}

impl<'a> Iterator for DirectivesIter<'a> {
    type Item = FunctionDirective<'a>;

    fn next(&mut self) -> Option<FunctionDirective<'a>> {
        let Directives { range, text } = self.all;
        let word = self.next?;
        self.next = first_directive(&mut self.lexer, text);
        let end = self.next.map_or(text.len() as u32, |next| next.start);
        let name = Name { text: word.slice(text), range: word.shifted(range.start) };
        let arguments = TextRange::new(word.end, end).slice(text).trim_ascii_end();
        Some(FunctionDirective { name, arguments })
    }
}

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

/// One or more `.attribute(...)` of a function or a variable (PTX ISA §Variable and Function
/// Attribute Directive).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes<'a> {
    /// The range from the first `.attribute` to the last `)`. An `.align` may be among them.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Attributes<'a> {
    /// Iterates over the names of the attributes: `.managed`, `.unified`.
    pub fn names(&self) -> impl Iterator<Item = Name<'a>> + use<'a> {
        NameTokens::new(self.text, self.range.start, TokenKind::DotIdent)
            .filter(|name| !matches!(name.text, ".attribute" | ".align"))
    }

    /// Returns the two numbers of the attribute `.unified(UUID1, UUID2)`, which are the halves of a
    /// UUID.
    pub fn unified(&self) -> Option<(u64, u64)> {
        let name = self.names().find(|name| name.text == ".unified")?;
        let after = self.text.get((name.range.end - self.range.start) as usize..)?;
        let mut integers = IntegerTokens::new(after);
        Some((integers.next()?, integers.next()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_and_their_arguments() {
        let text = ".maxntid 128, WARP_SZ // .maxnreg 3\n .noreturn\n.pragma \"a\", \"b\"; .maxnreg 0x10";
        let all = Directives { range: TextRange::new(100, 100 + text.len() as u32), text };
        let names: Vec<_> = all.iter().map(|d| (d.name.text, d.name.range.start - 100)).collect();
        assert_eq!(names, [(".maxntid", 0), (".noreturn", 37), (".pragma", 47), (".maxnreg", 65)]);
        assert!(all.get(".maxntid").unwrap().integers().eq([128, 32]));
        assert!(all.get(".maxnreg").unwrap().integers().eq([16]));
        let strings: Vec<_> = all.get(".pragma").unwrap().strings().map(|s| (s.text, s.range)).collect();
        assert_eq!(strings, [("a", TextRange::new(156, 157)), ("b", TextRange::new(161, 162))]);
    }

    #[test]
    fn attributes() {
        let text = ".attribute(.managed, .unified(19, 0x95)) .align 4 .attribute(.managed)";
        let all = Attributes { range: TextRange::new(7, 7 + text.len() as u32), text };
        let names: Vec<_> = all.names().map(|name| name.text).collect();
        assert_eq!(names, [".managed", ".unified", ".managed"]);
        assert_eq!(all.unified(), Some((19, 0x95)));
    }
}
