//! Repairs of section values that ptxas rejects or cuts: they are written in another way, with the
//! same bytes.

use std::collections::{HashMap, HashSet};

use super::versions::version;
use super::{Edit, FixSelection};
use crate::check::PtxVersion;
use crate::declared_names::declared;
use crate::error::{ErrorSink, SyntaxErrorKind};
use crate::lexer::{Lexer, TokenKind};
use crate::module::Module;
use crate::number::Literal;
use crate::parser::Parsed;
use crate::section::{DataCursor, DataItem, SectionBlock};
use crate::section_data::{AssembledSection, assemble};
use crate::text_range::TextRange;
use crate::value::{Value, ValueKind};

/// What takes a value's place.
#[derive(Debug, PartialEq, Eq)]
enum New {
    /// Another number in the same list.
    Number(u64),
    /// Two `.b32` in place of one `.b64`, low half first.
    Halves(u64),
    /// `.debug_str+12`
    Offset(String),
}

/// Since when ptxas takes differences and negative numbers.
const EXPRESSIONS: PtxVersion = PtxVersion::new(7, 5);

fn before_expressions(module: &Module<'_>) -> bool {
    version(module).is_some_and(|version| version < EXPRESSIONS)
}

/// A number as one that is not negative; none if it does not fit the width.
fn unsigned(number: i64, width: u8) -> Option<New> {
    if width >= 8 {
        let number = number as u64;
        return Some(if number >> 32 == 0 { New::Number(number) } else { New::Halves(number) });
    }
    let bits = 8 * u32::from(width);
    let fits = (-(1_i64 << (bits - 1))..1_i64 << bits).contains(&number);
    fits.then_some(New::Number(number as u64 & ((1 << bits) - 1)))
}

/// Differences of labels, where `.version` or the width does not allow them. ptxas asks only that
/// both labels stand in one section, not that it is the one of the difference.
pub(super) fn fold(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let below = before_expressions(module);
    let lengths: HashSet<u32> =
        module.sections().filter(|block| block.name.text == ".debug_info").flat_map(unit_lengths).collect();
    let wanted = |value: &Value<'_>| {
        matches!(value.kind, ValueKind::Difference { .. })
            && (below || value.width < 4 || lengths.contains(&value.range.start))
    };
    if !module.sections().any(|block| any_value(block, wanted)) {
        return Vec::new();
    }
    let labels = labels(module);
    rewrite(module, |value| {
        let ValueKind::Difference { left, right } = value.kind else { return None };
        let (left, right) = ((*labels.get(left.text)?)?, (*labels.get(right.text)?)?);
        if !wanted(value) || left.0 != right.0 {
            return None;
        }
        unsigned(left.1.wrapping_sub(right.1) as i64, value.width)
    })
}

/// Where differences stand that are the length of a unit, which ptxas takes for 0.
fn unit_lengths(block: &SectionBlock<'_>) -> Vec<u32> {
    let AssembledSection { bytes, folded, .. } = assemble(block);
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(length) =
        bytes.get(start..).filter(|_| !folded.is_empty()).and_then(|rest| rest.first_chunk())
    {
        let place = folded.binary_search_by_key(&(start as u64), |fixup| fixup.offset).ok();
        found.extend(place.and_then(|place| folded.get(place)).map(|fixup| fixup.range.start));
        start += 4 + u32::from_le_bytes(*length) as usize;
    }
    found
}

/// The block and offset of each label; `None` for one defined twice or after values that could not
/// be read.
fn labels<'a>(module: &Module<'a>) -> HashMap<&'a str, Option<(usize, u64)>> {
    let mut labels = HashMap::new();
    for (index, block) in module.sections().enumerate() {
        let assembled = assemble(block);
        let sound = is_laid_out(&assembled);
        for (label, offset) in assembled.labels {
            let place = sound.then_some((index, offset));
            labels.entry(label.text).and_modify(|known| *known = None).or_insert(place);
        }
    }
    labels
}

/// Whether every value got its bytes, whatever is wrong with it.
fn is_laid_out(assembled: &AssembledSection<'_>) -> bool {
    use SyntaxErrorKind as Kind;
    let harmless =
        |kind| matches!(kind, Kind::ConstantOverflow | Kind::ValueOutOfRange { .. } | Kind::NarrowLabel);
    assembled.errors.iter().all(|error| harmless(error.kind))
}

/// Negative numbers where `.version` does not allow them, and `-0`, which fits no narrow directive.
pub(super) fn negatives(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let below = before_expressions(module);
    rewrite(module, |value| {
        let ValueKind::Integer(number) = value.kind else { return None };
        let digits = value.range.slice(module.text).strip_prefix('-')?;
        let zero = number == 0 && value.width < 8;
        if !(below || zero) || Literal::read(last_number(digits)).overflow {
            return None;
        }
        unsigned(number as i64, value.width)
    })
}

/// The number after a sign, blanks and comments.
fn last_number(text: &str) -> &str {
    let digits = text.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
    text.get(text.len() - digits..).unwrap_or("")
}

/// Numbers whose low 32 bits only ptxas keeps.
pub(super) fn wide(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    rewrite(&parsed.module, |value| {
        let ValueKind::Integer(_) = value.kind else { return None };
        let written = value.range.slice(text);
        if value.width < 8 || written.starts_with('-') {
            return None;
        }
        let literal = Literal::read(written);
        (!literal.overflow && literal.value >> 32 != 0).then_some(New::Halves(literal.value))
    })
}

/// Labels that `.debug_info` refers to again with the same number added, which ptxas loses; it
/// takes the section and the offset as often as one likes, with `-c` too (observed: 13.0.88,
/// sm_90).
pub(super) fn offsets(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let mut used = HashSet::new();
    let mut again = Vec::new();
    for block in module.sections().filter(|block| block.name.text == ".debug_info") {
        let repeated = |item| match item {
            DataItem::Value(Value { kind: ValueKind::Symbol { name, addend }, range, .. })
                if !name.text.starts_with('.') && !used.insert((name.text, addend)) =>
            {
                Some((range.start, name.text, addend))
            }
            _ => None,
        };
        again.extend(block.items().filter_map(repeated));
    }
    if again.is_empty() {
        return Vec::new();
    }
    let (labels, code) = (labels(module), declared(module));
    let mut blocks: HashMap<&str, u32> = HashMap::new();
    module.sections().for_each(|block| *blocks.entry(block.name.text).or_default() += 1);
    let names: Vec<&str> = module.sections().map(|block| block.name.text).collect();
    let spelled = again.into_iter().filter_map(|(at, label, addend)| {
        let (block, offset) = (*labels.get(label)?)?;
        let name =
            names.get(block).filter(|&name| blocks.get(name) == Some(&1) && code.get(label).is_none())?;
        let offset = u32::try_from(offset + u64::from(addend)).ok()?; // ptxas keeps no more
        Some((at, format!("{name}+{offset}")))
    });
    let spelled: HashMap<u32, String> = spelled.collect();
    rewrite(module, |value| spelled.get(&value.range.start).cloned().map(New::Offset))
}

/// Whether a block has a wanted value among those that are not a plain decimal number of its width.
fn any_value(block: &SectionBlock<'_>, wanted: impl Fn(&Value<'_>) -> bool) -> bool {
    other_values(block).any(|value| wanted(&value))
}

/// The values of a block that are not a plain decimal number of its width.
pub(super) fn other_values<'a>(block: &SectionBlock<'a>) -> impl Iterator<Item = Value<'a>> {
    let mut cursor = (!block.open.is_empty()).then(|| DataCursor::new(block.text, block.open.end));
    let mut errors = ErrorSink::default(); // the parser has reported them
    std::iter::from_fn(move || {
        let cursor = cursor.as_mut()?;
        loop {
            cursor.run_plain(|_, _| {});
            if let DataItem::Value(value) = cursor.next_item(&mut errors)? {
                return Some(value);
            }
        }
    })
}

/// Writes the values anew that `change` has something else for.
fn rewrite(module: &Module<'_>, change: impl Fn(&Value<'_>) -> Option<New>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for block in module.sections().filter(|block| any_value(block, |value| change(value).is_some())) {
        if !is_laid_out(&assemble(block)) {
            continue; // who knows what its lists were meant to be
        }
        let mut list = List { text: module.text, word: TextRange::default(), after: None, halves: false };
        for item in block.items() {
            match item {
                DataItem::Directive { range, .. } => {
                    list = List { word: range, after: None, halves: false, ..list };
                }
                DataItem::Value(value) => list.value(&value, change(&value), &mut edits),
                DataItem::Label(_) => {}
            }
        }
    }
    edits
}

/// The list that is being walked.
struct List<'a> {
    text: &'a str,
    /// Its directive.
    word: TextRange,
    /// The end of the value before.
    after: Option<u32>,
    /// It is one of `.b32` halves now.
    halves: bool,
}

impl List<'_> {
    fn value(&mut self, value: &Value<'_>, new: Option<New>, edits: &mut Vec<Edit>) {
        let halves = matches!(new, Some(New::Halves(_)));
        let after = self.after.replace(value.range.end);
        if halves != self.halves {
            self.halves = halves;
            edits.push(self.switch(after));
        }
        match new {
            Some(New::Number(number)) => edits.push(Edit::new(value.range, number.to_string())),
            Some(New::Offset(written)) => edits.push(Edit::new(value.range, written)),
            Some(New::Halves(number)) => {
                let (low, high) = (number as u32, number >> 32);
                edits.push(Edit::new(value.range, format!("{low:#x}, {high:#x}")));
            }
            None => {}
        }
    }

    /// From the directive to `.b32` or back: in the directive's place, or in that of the comma, as
    /// a line of its own.
    fn switch(&self, after: Option<u32>) -> Edit {
        let word = if self.halves { ".b32" } else { self.word.slice(self.text) };
        let Some(after) = after else { return Edit::new(self.word, word) };
        let comma = Lexer::new(self.text, after).next_significant();
        debug_assert_eq!(comma.kind, TokenKind::Comma);
        let line = self.text.get(..self.word.start as usize).and_then(|before| before.rsplit('\n').next());
        let indent = line.filter(|line| line.bytes().all(|b| matches!(b, b' ' | b'\t'))).unwrap_or("");
        let next = self.text.as_bytes().get(comma.range.end as usize);
        let blank = if next.is_some_and(u8::is_ascii_whitespace) { "" } else { " " };
        Edit::new(comma.range, format!("{}{indent}{word}{blank}", super::edit::line_end(self.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::{New, unsigned};

    #[test]
    fn what_fits() {
        assert_eq!(unsigned(-5, 1), Some(New::Number(251)));
        assert_eq!(unsigned(-128, 1), Some(New::Number(128)));
        assert_eq!(unsigned(-129, 1), None);
        assert_eq!(unsigned(255, 1), Some(New::Number(255)));
        assert_eq!(unsigned(256, 1), None);
        assert_eq!(unsigned(-1, 2), Some(New::Number(65535)));
        assert_eq!(unsigned(-1, 4), Some(New::Number(0xffff_ffff)));
        assert_eq!(unsigned(-1, 8), Some(New::Halves(u64::MAX)));
        assert_eq!(unsigned(7, 8), Some(New::Number(7)));
    }
}
