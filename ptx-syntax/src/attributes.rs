//! `.attribute` of functions and variables.

use crate::integer_tokens::IntegerTokens;
use crate::lexer::TokenKind;
use crate::name::Name;
use crate::name_tokens::NameTokens;
use crate::text_range::TextRange;

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
    fn attributes() {
        let text = ".attribute(.managed, .unified(19, 0x95)) .align 4 .attribute(.managed)";
        let all = Attributes { range: TextRange::new(7, 7 + text.len() as u32), text };
        let names: Vec<_> = all.names().map(|name| name.text).collect();
        assert_eq!(names, [".managed", ".unified", ".managed"]);
        assert_eq!(all.unified(), Some((19, 0x95)));
    }
}
