//! `@@DWARF` lines (PTX 1.2 to 1.5): debug sections, a line at a time.

mod at_dwarf_section;

use crate::error::ErrorSink;
use crate::lexer::{Lexer, TokenKind};
use crate::name::Name;
use crate::section::{DataCursor, data_width};
use crate::text_range::TextRange;
use crate::value::Value;

pub use at_dwarf_section::{AtDwarfSection, assemble_at_dwarf};

/// One `@@DWARF` directive (PTX ISA §@@dwarf; rejected from PTX 2.0 on). Its list of values may
/// continue over several lines.
///
/// Its words are read from the text on demand: such a module has one node for every few values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtDwarf<'a> {
    /// The word after `@@DWARF`: `.section`, `.byte`, `.4byte`, `.quad`, ...; empty where it is
    /// missing.
    pub directive: Name<'a>,
    /// The range of the directive, from `@@DWARF` to the last operand.
    pub range: TextRange,
    /// No error cut it short.
    pub(crate) is_complete: bool,
    /// The text of the module up to the end of `range`.
    pub(crate) text: &'a str,
}

/// The content of an `@@DWARF` line: the start of a section, or data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtDwarfKind<'a> {
    /// `.section NAME, "FLAGS", @progbits`: the data that follow, up to the next such line, are of
    /// this section.
    Section {
        /// With its dot.
        name: Name<'a>,
        /// The flags of the section, without their quotes; ptxas ignores them. Empty where they are
        /// missing.
        flags: Name<'a>,
    },
    /// Data: `.byte`, `.4byte`, `.quad` (also `.b8`, `.b16`, `.b32`, `.b64`) and values, see
    /// [`AtDwarf::values`].
    Data {
        /// The size of each value in bytes: 1, 2, 4 or 8.
        width: u8,
    },
    /// The line is neither the start of a section nor data; a syntax error says why.
    Faulty,
}

impl<'a> AtDwarf<'a> {
    /// Returns what the line is: the start of a section, or data.
    pub fn kind(&self) -> AtDwarfKind<'a> {
        if let Some(width) = data_width(self.directive.text) {
            return AtDwarfKind::Data { width };
        }
        if self.directive.text != ".section" {
            return AtDwarfKind::Faulty;
        }
        let mut lexer = Lexer::new(self.text, self.directive.range.end);
        let name = lexer.next_significant();
        if name.kind != TokenKind::DotIdent {
            return AtDwarfKind::Faulty;
        }
        let name = Name { text: name.range.slice(self.text), range: name.range };
        let comma = lexer.next_significant();
        let quoted = lexer.next_significant();
        let flags = if comma.kind == TokenKind::Comma && quoted.kind == TokenKind::String {
            TextRange::new(quoted.range.start + 1, quoted.range.end - 1)
        } else {
            TextRange::empty(name.range.end)
        };
        AtDwarfKind::Section { name, flags: Name { text: flags.slice(self.text), range: flags } }
    }

    /// Returns the values of a data line, as in a `.section` block: either numbers, the first of
    /// which has no sign, or one name.
    pub fn values(&self) -> AtDwarfValues<'a> {
        let cursor = data_width(self.directive.text)
            .map(|width| DataCursor::list(self.text, self.directive.range.end, width));
        AtDwarfValues { cursor }
    }
}

/// Iterates over the values of an `@@DWARF` data line; see [`AtDwarf::values`].
#[derive(Debug, Clone)]
pub struct AtDwarfValues<'a> {
    cursor: Option<DataCursor<'a>>,
}

impl<'a> AtDwarfValues<'a> {
    /// The next value; its faults go to `sink`.
    pub(crate) fn next_checked(&mut self, sink: &mut ErrorSink) -> Option<Value<'a>> {
        self.cursor.as_mut()?.next_value(sink)
    }
}

impl<'a> Iterator for AtDwarfValues<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.next_checked(&mut ErrorSink::default())
    }
}
