//! Assembly of section data: lines become bytes and fixups.

use std::collections::HashMap;

use crate::error::{ErrorSink, SyntaxError};
use crate::name::Name;
use crate::section::{DataCursor, DataItem, SectionBlock};
use crate::text_range::TextRange;
use crate::value::{Value, ValueKind};

/// The assembled bytes of a section, with its fixups and labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AssembledSection<'a> {
    /// The contents of the section, little-endian; 0 in each field that has a fixup.
    pub bytes: Vec<u8>,
    /// The fields whose bytes depend on an address, ascending.
    pub fixups: Vec<Fixup<'a>>,
    /// The differences of labels that are already computed and written into `bytes`, ascending.
    pub folded: Vec<Fixup<'a>>,
    /// The labels with their byte offsets in the section, in text order.
    pub labels: Vec<(Name<'a>, u64)>,
    /// The syntax errors of this section, which [`crate::parse`] returns too.
    pub errors: Vec<SyntaxError>,
}

/// A field whose bytes depend on an address, and so on a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixup<'a> {
    /// The byte offset of the field in the section.
    pub offset: u64,
    /// The size of the field in bytes: 4 or 8; 1 or 2 only where there is a syntax error.
    pub width: u8,
    /// The value that the field gets.
    pub target: FixupTarget<'a>,
    /// The range in the PTX text of the label or expression that the field is to hold.
    pub range: TextRange,
}

/// The value that a fixup gets: an address, an offset or a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixupTarget<'a> {
    /// The address of a label, a function or a variable. The label may be in any section or
    /// function.
    Symbol {
        /// The name of the label, function or variable.
        name: &'a str,
        /// The number that is added to the address or offset: 0 to 2^32-1.
        addend: i64,
    },
    /// An offset in a section.
    Section {
        /// The name of the section with its dot, such as `.debug_abbrev`.
        name: &'a str,
        /// The number that is added to the address or offset: 0 to 2^32-1.
        addend: i64,
    },
    /// The difference of two labels that are not both in this section. If both are, `bytes` has the
    /// number, and there is no fixup.
    Difference {
        /// The label subtracted from.
        left: &'a str,
        /// The label subtracted.
        right: &'a str,
    },
}

/// Assembles the data of a `.section` block to bytes. Values are cut to their width; a value that
/// does not fit is also an error.
///
/// Of a label defined twice the first place counts.
pub fn assemble<'a>(section: &SectionBlock<'a>) -> AssembledSection<'a> {
    if section.open.is_empty() {
        return AssembledSection::default(); // no `{`: what follows is not the section's
    }
    let mut cursor = DataCursor::new(section.text, section.open.end);
    let mut sink = ErrorSink::default();
    let mut out = AssembledSection::default();
    loop {
        cursor.run_plain(|width, value| emit(&mut out.bytes, width, u64::from(value)));
        match cursor.next_item(&mut sink) {
            Some(DataItem::Label(name)) => out.labels.push((name, out.bytes.len() as u64)),
            Some(DataItem::Directive { .. }) => {}
            Some(DataItem::Value(value)) => out.value(value),
            None => break,
        }
    }
    out.fold_differences();
    out.errors = sink.finish();
    out
}

fn emit(bytes: &mut Vec<u8>, width: u8, value: u64) {
    match width {
        1 => bytes.push(value as u8),
        2 => bytes.extend_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes.extend_from_slice(&(value as u32).to_le_bytes()),
        _ => bytes.extend_from_slice(&value.to_le_bytes()),
    }
}

impl<'a> AssembledSection<'a> {
    pub(crate) fn value(&mut self, value: Value<'a>) {
        let target = match value.kind {
            ValueKind::Integer(number) => return emit(&mut self.bytes, value.width, number),
            ValueKind::Symbol { name, addend } => {
                let (name, addend) = (name.text, i64::from(addend));
                if name.starts_with('.') {
                    FixupTarget::Section { name, addend }
                } else {
                    FixupTarget::Symbol { name, addend }
                }
            }
            ValueKind::Difference { left, right } => {
                FixupTarget::Difference { left: left.text, right: right.text }
            }
        };
        let offset = self.bytes.len() as u64;
        self.fixups.push(Fixup { offset, width: value.width, target, range: value.range });
        emit(&mut self.bytes, value.width, 0);
    }

    fn fold_differences(&mut self) {
        if !self.fixups.iter().any(|fixup| matches!(fixup.target, FixupTarget::Difference { .. })) {
            return;
        }
        // Reversed, so that the first definition of a name is the one kept.
        let labels: HashMap<&str, u64> =
            self.labels.iter().rev().map(|(name, offset)| (name.text, *offset)).collect();
        let (bytes, folded) = (&mut self.bytes, &mut self.folded);
        self.fixups.retain(|fixup| {
            let FixupTarget::Difference { left, right } = fixup.target else { return true };
            let (Some(left), Some(right)) = (labels.get(left), labels.get(right)) else { return true };
            let number = left.wrapping_sub(*right).to_le_bytes();
            let (start, width) = (fixup.offset as usize, usize::from(fixup.width));
            if let (Some(place), Some(number)) = (bytes.get_mut(start..start + width), number.get(..width)) {
                place.copy_from_slice(number);
            }
            folded.push(*fixup);
            false
        });
    }
}
