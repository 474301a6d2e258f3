//! Directives that are lists of words, and directives between a function's head and its body.

use super::function_directive::FunctionDirective;
use crate::function_directive::function_directive;
use crate::lexer::{Lexer, TokenKind};
use crate::name::Name;
use crate::text_range::TextRange;

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
}
