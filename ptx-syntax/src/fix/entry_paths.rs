//! The repair of names and folders of units in `.debug_info`, which are paths, by a path map.
//!
//! They may be in the entries or in `.debug_str`, and need not keep their length. What counts the
//! bytes behind them is written anew: the length of the unit, references between entries, tables of
//! names. A label follows by itself, and so does a difference of labels.

use std::borrow::Cow;
use std::collections::HashMap;

use dwarf2_reader::Span;
use dwarf2_reader::offset_fields::{InfoFields, OffsetField, OffsetTarget, table_fields};
use dwarf2_reader::splices::{Splice, Splices};

use super::inlined_names::offset_range;
use super::names::{self, map_path};
use super::{Edit, FixSelection};
use crate::lexer::{Lexer, TokenKind};
use crate::module::Module;
use crate::parser::Parsed;
use crate::section::DataItem;
use crate::section::SectionBlock;
use crate::section_data::{AssembledSection, Fixup, FixupTarget, assemble};
use crate::statement::Statement;
use crate::text_range::TextRange;
use crate::value::{Value, ValueKind};

const INFO: &str = ".debug_info";
const ABBREV: &str = ".debug_abbrev";
const STR: &str = ".debug_str";
/// The tables whose fields lead into `.debug_info`.
const TABLES: [&str; 3] = [".debug_pubnames", ".debug_pubtypes", ".debug_aranges"];

/// The edits of `.file` and of all sections.
pub(super) fn path_map(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let mut edits = names::path_map(parsed, fixes);
    edits.extend(map_entries(parsed, fixes));
    edits
}

/// The edits of all sections, or none if one of them is not possible.
fn map_entries(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let blocks: Vec<_> = module.sections().map(Block::new).collect();
    if !parsed.errors.is_empty() || fixes.path_map.is_empty() {
        return Vec::new();
    }
    Rewrite::new(module, &blocks).and_then(|rewrite| rewrite.edits(fixes)).unwrap_or_default()
}

/// A `.section` block with its bytes.
struct Block<'a> {
    node: &'a SectionBlock<'a>,
    assembled: AssembledSection<'a>,
}

impl<'a> Block<'a> {
    fn new(node: &'a SectionBlock<'a>) -> Self {
        Self { node, assembled: assemble(node) }
    }
}

/// The bytes of a module's debug sections, and the replacements in them.
struct Rewrite<'b, 'a> {
    module: &'b Module<'a>,
    blocks: &'b [Block<'b>],
    info: &'b Block<'b>,
    /// `.debug_info` with the numbers that names stand for.
    info_bytes: Vec<u8>,
    strings: Option<&'b Block<'b>>,
    /// Section and offset of each label.
    labels: HashMap<&'b str, (&'b str, u64)>,
    fields: InfoFields,
    of_info: Splices,
    of_strings: Splices,
}

impl<'b, 'a> Rewrite<'b, 'a> {
    /// `None` where a section has several blocks, or entries cannot be read.
    fn new(module: &'b Module<'a>, blocks: &'b [Block<'b>]) -> Option<Self> {
        let only = |name: &str| {
            let mut named = blocks.iter().filter(|block| block.node.name.text == name);
            let first = named.next();
            named.next().is_none().then_some(first)
        };
        let (info, abbrev, strings) = (only(INFO)??, only(ABBREV)??, only(STR)?);
        let mut labels = HashMap::new();
        for block in blocks {
            for (label, offset) in &block.assembled.labels {
                labels.entry(label.text).or_insert((block.node.name.text, *offset));
            }
        }
        let mut rewrite = Self {
            module,
            blocks,
            info,
            info_bytes: Vec::new(),
            strings,
            labels,
            fields: InfoFields::default(),
            of_info: Splices::default(),
            of_strings: Splices::default(),
        };
        rewrite.info_bytes = rewrite.resolved(info).into_owned();
        rewrite.fields = InfoFields::read(&rewrite.info_bytes, &abbrev.assembled.bytes).ok()?;
        Some(rewrite)
    }

    /// The bytes of a section with the offsets that its names stand for.
    fn resolved(&self, block: &'b Block<'b>) -> Cow<'b, [u8]> {
        let mut bytes = Cow::Borrowed(&*block.assembled.bytes);
        for fixup in &block.assembled.fixups {
            let Some((_, offset)) = self.place(fixup) else { continue };
            let (start, width) = (fixup.offset as usize, usize::from(fixup.width));
            let number = offset.to_le_bytes();
            if let Some((field, number)) =
                bytes.to_mut().get_mut(start..start + width).zip(number.get(..width))
            {
                field.copy_from_slice(number);
            }
        }
        bytes
    }

    /// The section and the offset to which a fixup leads, if that is a debug section.
    fn place(&self, fixup: &Fixup<'_>) -> Option<(&'b str, u64)> {
        let with = |offset: u64, addend: i64| offset.checked_add_signed(addend);
        match fixup.target {
            FixupTarget::Section { name, addend } => {
                let block = self.blocks.iter().find(|block| block.node.name.text == name)?;
                Some((block.node.name.text, with(0, addend)?))
            }
            FixupTarget::Symbol { name, addend } => {
                let (section, offset) = self.label(name)?;
                Some((section, with(offset, addend)?))
            }
            FixupTarget::Difference { .. } => None,
        }
    }

    fn label(&self, name: &str) -> Option<(&'b str, u64)> {
        self.labels.get(name).copied()
    }

    /// The offset that an offset becomes; `None` where it cannot be said.
    fn moved(&self, section: &str, offset: u64) -> Option<u64> {
        match section {
            INFO => self.of_info.offset(offset, &self.info_bytes),
            STR => match self.strings {
                Some(block) => self.of_strings.offset(offset, &block.assembled.bytes),
                None => Some(offset),
            },
            _ => Some(offset),
        }
    }

    fn edits(mut self, fixes: &FixSelection) -> Option<Vec<Edit>> {
        let mapped = |bytes: &[u8]| {
            let path = std::str::from_utf8(bytes).ok()?;
            map_path(path, &fixes.path_map).map(String::into_bytes)
        };
        for path in &self.fields.paths {
            let (section, span) = match path.string {
                None => (&*self.info_bytes, path.span.clone()),
                Some(start) => {
                    let bytes = &*self.strings?.assembled.bytes;
                    let rest = bytes.get(usize::try_from(start).ok()?..)?;
                    (bytes, start..start + memchr::memchr(0, rest)? as u64)
                }
            };
            let old = section.get(span.start as usize..span.end as usize)?;
            let Some(bytes) = mapped(old) else { continue };
            let splices = if path.string.is_some() { &mut self.of_strings } else { &mut self.of_info };
            splices.add(Splice { span, bytes });
        }
        if self.of_info.is_empty() && self.of_strings.is_empty() {
            return None;
        }
        let mut edits = Vec::new();
        Self::strings_anew(self.info, &self.of_info, &mut edits)?;
        if let Some(strings) = self.strings {
            Self::strings_anew(strings, &self.of_strings, &mut edits)?;
        }
        for block in self.blocks {
            self.names_anew(block, &mut edits)?;
        }
        self.numbers_anew(self.info, &self.fields.offsets, &mut edits)?;
        for block in self.blocks {
            if let Some(&name) = TABLES.iter().find(|&&name| name == block.node.name.text)
                && !self.of_info.is_empty()
            {
                let fields = table_fields(name, &self.resolved(block)).ok()?;
                self.numbers_anew(block, &fields, &mut edits)?;
            }
        }
        self.inlined_names_anew(&mut edits)?;
        Some(edits)
    }

    /// Writes the replaced strings, each with its NUL.
    fn strings_anew(block: &Block<'_>, splices: &Splices, edits: &mut Vec<Edit>) -> Option<()> {
        if splices.is_empty() {
            return Some(());
        }
        let values = PlacedValues::of(block.node);
        for Splice { span, bytes } in splices.all() {
            let range = values.bytes(span.start..span.end + 1)?;
            let inside = span.start + 1..=span.end;
            if block.assembled.labels.iter().any(|(_, offset)| inside.contains(offset)) {
                return None; // the text of a label would go
            }
            let numbers: Vec<String> = bytes.iter().chain(&[0]).map(u8::to_string).collect();
            edits.push(Edit::new(range, numbers.join(",")));
        }
        Some(())
    }

    /// Writes the numbers after names anew: `label+N`, `.debug_info+N`.
    fn names_anew(&self, block: &Block<'_>, edits: &mut Vec<Edit>) -> Option<()> {
        for fixup in &block.assembled.fixups {
            let Some((section, offset)) = self.place(fixup) else { continue };
            let (FixupTarget::Section { addend, .. } | FixupTarget::Symbol { addend, .. }) = fixup.target
            else {
                continue;
            };
            let base = offset.checked_add_signed(-addend)?;
            let number = self.moved(section, offset)?.checked_sub(self.moved(section, base)?)?;
            if number != addend as u64 {
                edits.push(Edit::new(last_number(self.module.text, fixup.range)?, number.to_string()));
            }
        }
        Some(())
    }

    /// Writes fields that are plain numbers anew.
    fn numbers_anew(&self, block: &Block<'_>, fields: &[OffsetField], edits: &mut Vec<Edit>) -> Option<()> {
        let assembled = &block.assembled;
        let mut values = None;
        for field in fields {
            let start = field.span.start;
            let is_named =
                |list: &[Fixup<'_>]| list.binary_search_by_key(&start, |fixup| fixup.offset).is_ok();
            if is_named(&assembled.fixups) || is_named(&assembled.folded) {
                continue;
            }
            let section = match field.target {
                OffsetTarget::Info => INFO,
                OffsetTarget::Strings => STR,
                OffsetTarget::Lines => continue, // ptxas writes them
            };
            let (old, base) = (field.offset, field.base);
            let number = self.moved(section, old)?.checked_sub(self.moved(section, base)?)?;
            if number == old - base {
                continue;
            }
            if field.is_leb {
                return None; // its size may change
            }
            let values = values.get_or_insert_with(|| PlacedValues::of(block.node));
            edits.extend(values.number(field.span.clone(), number)?);
        }
        Some(())
    }

    /// `function_name` of `.loc`.
    fn inlined_names_anew(&self, edits: &mut Vec<Edit>) -> Option<()> {
        if self.of_strings.is_empty() {
            return Some(());
        }
        let bodies = self.module.functions().filter_map(|function| function.body.as_ref());
        for statement in bodies.flat_map(|body| &body.statements) {
            let Statement::Loc(loc) = statement else { continue };
            let Some(at) = loc.inlined_at.as_deref() else { continue };
            let name = at.function_name;
            let base = if name.text == STR { 0 } else { self.label(name.text)?.1 };
            let number = self.moved(STR, base + at.name_offset)?.checked_sub(self.moved(STR, base)?)?;
            if number != at.name_offset {
                edits.push(Edit::new(offset_range(self.module.text, at), number.to_string()));
            }
        }
        Some(())
    }
}

/// The number at the end of `NAME+N`.
fn last_number(text: &str, range: TextRange) -> Option<TextRange> {
    let mut lexer = Lexer::new(text, range.start);
    let mut last = lexer.next_significant();
    while last.range.end < range.end {
        last = lexer.next_significant();
    }
    (last.kind == TokenKind::Integer).then_some(last.range)
}

/// The values of a block by their offsets.
struct PlacedValues<'a> {
    /// The index of the value that begins at an offset.
    at: HashMap<u64, usize>,
    list: Vec<Value<'a>>,
}

impl<'a> PlacedValues<'a> {
    fn of(block: &SectionBlock<'a>) -> Self {
        let mut placed = Self { at: HashMap::new(), list: Vec::new() };
        let mut offset = 0;
        for item in block.items() {
            if let DataItem::Value(value) = item {
                placed.at.insert(offset, placed.list.len());
                offset += u64::from(value.width);
                placed.list.push(value);
            }
        }
        placed
    }

    /// The values of a byte range; `None` if it does not begin and end with one.
    fn values(&self, span: Span) -> Option<&[Value<'a>]> {
        let first = *self.at.get(&span.start)?;
        let (mut end, mut offset) = (first, span.start);
        while offset < span.end {
            offset += u64::from(self.list.get(end)?.width);
            end += 1;
        }
        self.list.get(first..end).filter(|_| offset == span.end)
    }

    /// The text of a range of numbers of one byte.
    fn bytes(&self, span: Span) -> Option<TextRange> {
        let values = self.values(span)?;
        let is_byte = |value: &Value<'_>| value.width == 1 && matches!(value.kind, ValueKind::Integer(_));
        let (first, last) = (values.first()?, values.last()?);
        values.iter().all(is_byte).then(|| TextRange::new(first.range.start, last.range.end))
    }

    /// The edits that write a number of several bytes.
    fn number(&self, span: Span, number: u64) -> Option<Vec<Edit>> {
        let size = span.end - span.start;
        if size < 8 && number >> (8 * size) != 0 {
            return None;
        }
        let mut rest = number;
        let edits = self.values(span)?.iter().map(|value| {
            let bits = 8 * u32::from(value.width);
            let part = if bits == 64 { rest } else { rest & ((1 << bits) - 1) };
            rest = rest.checked_shr(bits).unwrap_or(0);
            Edit::new(value.range, part.to_string())
        });
        Some(edits.collect())
    }
}
