//! Iteration over the entries of a unit.

use crate::abbrev::{AbbrevTable, Abbreviation, AttributeSpec};
use crate::constants::DW_FORM_indirect;
use crate::info::form::{self, Widths};
use crate::info::{SECTION, Unit, Units, Value};
use crate::limits::EMPTY_ATTRIBUTES;
use crate::{Cursor, ErrorKind, Result, Span, WorkBudget};

/// An entry of a `.debug_info` unit, or the 0 that ends a list of children.
#[derive(Debug, Clone)]
pub enum Node<'i, 'd> {
    /// An entry (DIE).
    Entry(Entry<'i, 'd>),
    /// A 0 that ends the list of children of an entry.
    End(Span),
    /// A 0 that ends no list of children: padding of the unit.
    Padding(Span),
}

/// One entry (DIE) of `.debug_info`. It borrows its abbreviation from the [`Units`] (`'i`) and its
/// values from the section (`'d`).
#[derive(Debug, Clone, Copy)]
pub struct Entry<'i, 'd> {
    section: &'d [u8],
    unit: UnitFacts,
    table: &'i AbbrevTable,
    abbreviation: &'i Abbreviation,
    depth: u32,
    start: u64,
    /// The byte offset in the section of the first value.
    values: u64,
}

/// The facts about a unit that reading the values of its entries needs.
#[derive(Debug, Clone, Copy)]
struct UnitFacts {
    start: u64,
    widths: Widths,
    format: crate::Format,
    version: u16,
    has_long_numbers: bool,
}

/// One attribute of a `.debug_info` entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute<'d> {
    /// The name of the attribute, `DW_AT_*`.
    pub name: u16,
    /// The form of the value, `DW_FORM_*`. Where the abbreviation has `DW_FORM_indirect`, it is the
    /// form that stands before the value.
    pub form: u16,
    /// Whether the abbreviation has `DW_FORM_indirect`, so that the form stands before the value.
    pub is_indirect: bool,
    /// The byte range of the value in `.debug_info`, including the length of a block and the NUL of
    /// a string.
    pub span: Span,
    /// The value of the attribute.
    pub value: Value<'d>,
    /// Whether a [`Value::Data`] is an offset in another section, as attributes of DWARF 2 and 3
    /// have it.
    is_section_offset: bool,
}

impl<'d> Attribute<'d> {
    /// Returns the section to which the value refers, and the byte offset in it; `None` if the
    /// value is not an offset in another section.
    #[must_use]
    pub fn section_offset(&self) -> Option<(&'static str, u64)> {
        match self.value {
            Value::SectionOffset(offset) => Some((form::pointed_section(self.name)?, offset)),
            Value::Data(offset) if self.is_section_offset => {
                Some((form::pointed_section(self.name)?, offset))
            }
            _ => None,
        }
    }

    /// The operations of a location expression, if the value is one; `None` for other values, and
    /// for blocks that are not expressions.
    #[must_use]
    pub fn expression(&self) -> Option<&'d [u8]> {
        match self.value {
            Value::Block(operations) if form::is_expression(self.name, self.form) => Some(operations),
            _ => None,
        }
    }

    /// The byte range in `.debug_info` of the value itself: of a block without its length, of a
    /// string without its NUL.
    #[must_use]
    pub fn content(&self) -> Span {
        let Span { start, end } = self.span;
        match self.value {
            Value::Block(block) => end.saturating_sub(block.len() as u64)..end,
            Value::String(string) => {
                let after = end.saturating_sub(1);
                after.saturating_sub(string.len() as u64)..after
            }
            _ => start..end,
        }
    }
}

/// An iterator over the entries of a unit, which [`Units::nodes`] returns. It ends after an error.
#[derive(Debug, Clone)]
pub struct Nodes<'i, 'd> {
    cursor: Option<Cursor<'d>>,
    section: &'d [u8],
    unit: UnitFacts,
    table: Option<&'i AbbrevTable>,
    depth: i64,
    budget: WorkBudget,
}

impl<'i, 'd> Nodes<'i, 'd> {
    pub(super) fn new(units: &'i Units, unit: &Unit, section: &'d [u8]) -> Self {
        let section = up_to(section, unit.span.end);
        let cursor = Cursor::at(SECTION, section, unit.entries, "an entry").ok();
        let budget = WorkBudget::of_input(unit.span.end - unit.span.start, EMPTY_ATTRIBUTES);
        Self { cursor, section, unit: UnitFacts::of(unit), table: units.table(unit), depth: 0, budget }
    }

    fn node(&mut self, cursor: &mut Cursor<'d>) -> Result<Node<'i, 'd>> {
        let start = cursor.offset();
        let Some((table, abbreviation)) = shape(self.table, cursor)? else {
            let span = start..cursor.offset();
            let node = if self.depth > 0 { Node::End(span) } else { Node::Padding(span) };
            self.depth -= 1;
            return Ok(node);
        };
        if abbreviation.empty != 0 && !self.budget.take(abbreviation.empty.into()) {
            return Err(cursor.error_at(start, ErrorKind::Budget("attributes that take no bytes")));
        }
        let values = cursor.offset();
        for spec in table.attributes(abbreviation) {
            self.unit.widths.skip(spec.form, cursor)?;
        }
        let depth = u32::try_from(self.depth.max(0)).unwrap_or(u32::MAX);
        self.depth += i64::from(abbreviation.has_children);
        let (section, unit) = (self.section, self.unit);
        Ok(Node::Entry(Entry { section, unit, table, abbreviation, depth, start, values }))
    }
}

impl UnitFacts {
    fn of(unit: &Unit) -> Self {
        let Unit { format, version, has_long_numbers, .. } = *unit;
        Self { start: unit.span.start, widths: Widths::of(unit), format, version, has_long_numbers }
    }

    fn cursor<'d>(self, section: &'d [u8], offset: u64, what: &'static str) -> Result<Cursor<'d>> {
        let cursor = Cursor::at(SECTION, section, offset, what)?;
        Ok(if self.has_long_numbers { cursor.with_long_numbers() } else { cursor })
    }
}

/// The section up to a byte offset.
fn up_to(section: &[u8], end: u64) -> &[u8] {
    usize::try_from(end).ok().and_then(|end| section.get(..end)).unwrap_or(section)
}

/// The abbreviation of the entry at the cursor, and its table; `None` of a 0.
fn shape<'i>(
    table: Option<&'i AbbrevTable>,
    cursor: &mut Cursor<'_>,
) -> Result<Option<(&'i AbbrevTable, &'i Abbreviation)>> {
    let start = cursor.offset();
    let code = cursor.uleb("an abbreviation code")?;
    if code == 0 {
        return Ok(None);
    }
    let found = table.and_then(|table| Some((table, table.get(code)?)));
    found.map(Some).ok_or_else(|| cursor.error_at(start, ErrorKind::UnknownCode { code }))
}

impl<'i, 'd> Iterator for Nodes<'i, 'd> {
    type Item = Result<Node<'i, 'd>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut cursor = self.cursor.take().filter(|cursor| !cursor.is_empty())?;
        let node = self.node(&mut cursor);
        if node.is_ok() {
            self.cursor = Some(cursor);
        }
        Some(node)
    }
}

impl<'i, 'd> Entry<'i, 'd> {
    pub(super) fn at(
        table: Option<&'i AbbrevTable>,
        unit: &Unit,
        section: &'d [u8],
        start: u64,
    ) -> Result<Node<'i, 'd>> {
        let section = up_to(section, unit.span.end);
        let unit = UnitFacts::of(unit);
        let mut cursor = unit.cursor(section, start, "an entry")?;
        let Some((table, abbreviation)) = shape(table, &mut cursor)? else {
            return Ok(Node::Padding(start..cursor.offset()));
        };
        let values = cursor.offset();
        Ok(Node::Entry(Self { section, unit, table, abbreviation, depth: 0, start, values }))
    }

    /// The byte offset of the entry in `.debug_info`.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.start
    }

    /// The byte offset in `.debug_info` of the entry's first attribute value.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The byte range of the entry in `.debug_info`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.start..self.attributes().last().map_or(self.values, |attribute| attribute.span.end)
    }

    /// The number of entries that enclose this entry: 0 for the top entry of a unit.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The tag, `DW_TAG_*`.
    #[must_use]
    pub fn tag(&self) -> u16 {
        self.abbreviation.tag
    }

    /// The abbreviation of the entry: its tag, children flag and attribute forms.
    #[must_use]
    pub fn abbreviation(&self) -> &'i Abbreviation {
        self.abbreviation
    }

    /// Iterates over the attributes of the entry, in the order in which their values are stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes<'i, 'd> {
        let specs = self.table.attributes(self.abbreviation);
        match self.unit.cursor(self.section, self.values, "the values of an entry") {
            Ok(cursor) => Attributes { cursor, specs: specs.iter(), unit: self.unit },
            // Not reached: the code of the entry stands before them.
            Err(_) => Attributes { cursor: Cursor::new(SECTION, &[]), specs: [].iter(), unit: self.unit },
        }
    }

    /// Iterates over the attributes for which `is_wanted` returns true, in the order of their
    /// values. The values of other attributes are skipped.
    pub fn attributes_where(
        self,
        is_wanted: impl Fn(&AttributeSpec) -> bool,
    ) -> impl Iterator<Item = Attribute<'d>> {
        let specs = self.table.attributes(self.abbreviation);
        let last = specs.iter().rposition(&is_wanted).map_or(0, |last| last + 1);
        let mut attributes = self.attributes();
        attributes.specs = specs.get(..last).unwrap_or_default().iter();
        core::iter::from_fn(move || {
            loop {
                let spec = attributes.specs.as_slice().first()?;
                if is_wanted(spec) {
                    return attributes.next();
                }
                attributes.specs.next();
                attributes.unit.widths.skip(spec.form, &mut attributes.cursor).ok()?;
            }
        })
    }

    /// Returns the entry's first attribute with this `DW_AT_*` number.
    #[must_use]
    pub fn attribute(&self, name: u16) -> Option<Attribute<'d>> {
        let specs = self.table.attributes(self.abbreviation);
        let before = specs.iter().position(|spec| spec.name == name)?;
        let place = self.table.place(self.abbreviation, before);
        let start = self.values + place.map_or(0, |place| self.unit.widths.bytes_before(place));
        let mut cursor = self.unit.cursor(self.section, start, "the value of an attribute").ok()?;
        if place.is_none() {
            for spec in specs.iter().take(before) {
                self.unit.widths.skip(spec.form, &mut cursor).ok()?;
            }
        }
        Attributes { cursor, specs: specs.get(before..)?.iter(), unit: self.unit }.next()
    }

    /// Converts a [`Value::UnitReference`], an offset in the entry's unit, to a byte offset in
    /// `.debug_info`; `None` past 2^64.
    #[must_use]
    pub fn in_unit(&self, reference: u64) -> Option<u64> {
        self.unit.start.checked_add(reference)
    }
}

/// An iterator over the attributes of an entry, which [`Entry::attributes`] returns.
#[derive(Debug, Clone)]
pub struct Attributes<'i, 'd> {
    cursor: Cursor<'d>,
    specs: core::slice::Iter<'i, AttributeSpec>,
    unit: UnitFacts,
}

impl<'d> Iterator for Attributes<'_, 'd> {
    type Item = Attribute<'d>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'d>> {
        let AttributeSpec { name, form: written } = *self.specs.next()?;
        let start = self.cursor.offset();
        // Entries of `Nodes` have all their values; others end where the section is wrong.
        let (form, value) = self.unit.widths.read(written, &mut self.cursor).ok()?;
        let is_section_offset = form::is_section_offset(name, form, self.unit.format, self.unit.version);
        let (span, is_indirect) = (start..self.cursor.offset(), written == DW_FORM_indirect);
        Some(Attribute { name, form, is_indirect, span, value, is_section_offset })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.specs.size_hint()
    }
}
