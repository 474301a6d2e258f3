//! `.debug_loc` and `.debug_ranges` (DWARF 2.0.0 §2.4.6 and §7.7.3, DWARF 3 §2.17.3), entry by entry: pairs of addresses, behind
//! which `.debug_loc` has an expression each; and lists, with the rule of what numbers count from.

use crate::entries::Address;
use nv_debug_sections::Result;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::relocated::{Relocated, RelocatedSection};

/// One entry of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    /// The list ends: two zeros that are under no relocation.
    End,
    /// What numbers count from, from here on.
    Base(Address),
    Pair(Pair),
}

/// Code from one address up to another, as they stand in the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) start: Address,
    pub(crate) end: Address,
    /// Byte offset in the section and length of the expression, in `.debug_loc`.
    pub(crate) expression: Option<(u64, u64)>,
}

/// The entry at the cursor, which is in the bytes of `section`; the cursor is behind it then.
///
/// # Errors
///
/// The section ends in it.
pub(crate) fn item(
    kind: SectionKind,
    section: &RelocatedSection<'_>,
    cursor: &mut Cursor<'_>,
) -> Result<Item> {
    let at = cursor.offset();
    let start = Address::at(section, at, cursor.u64("the start of a range")?);
    let end = Address::at(section, at.saturating_add(8), cursor.u64("the end of a range")?);
    match (start, end) {
        (Address::Constant(0), Address::Constant(0)) => return Ok(Item::End),
        (Address::Constant(u64::MAX), end) => return Ok(Item::Base(end)),
        _ => {}
    }
    let mut expression = None;
    if kind == SectionKind::DebugLoc {
        let length = cursor.u16("the length of an expression")?.into();
        expression = Some((cursor.offset(), length));
        cursor.take(length, "an expression")?;
    }
    Ok(Item::Pair(Pair { start, end, expression }))
}

/// A section of lists, which entries refer to by offset.
#[derive(Debug, Clone)]
pub(crate) struct Lists<'c> {
    kind: SectionKind,
    section: Option<RelocatedSection<'c>>,
}

impl<'c> Lists<'c> {
    pub(crate) fn read(cubin: &'c Cubin<'_>, kind: SectionKind) -> Result<Self> {
        let index = cubin.section_by_name(kind.name());
        let section = index.map(|index| Relocated::new(cubin).section(index)).transpose()?;
        Ok(Self { kind, section })
    }

    /// Size of the section in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.section.as_ref().map_or(0, |section| section.bytes.len() as u64)
    }

    /// The section, for the fields of an expression; `None` where the file has none.
    pub(crate) fn section(&self) -> Option<&RelocatedSection<'c>> {
        self.section.as_ref()
    }

    /// The list at a byte offset, entry by entry: an error ends it, and so does the section's end. `None` is an entry that only says what
    /// numbers count from, which at first is `base`, the unit's `DW_AT_low_pc`.
    pub(crate) fn at(
        &self,
        offset: u64,
        mut base: Option<Address>,
    ) -> impl Iterator<Item = Result<Option<Pair>>> {
        let bytes = self.section.as_ref().map_or(&[][..], |section| &section.bytes);
        let mut cursor = Cursor::new(self.kind.name(), bytes);
        let mut start = Some(offset);
        let mut is_over = self.section.is_none();
        std::iter::from_fn(move || {
            let section = self.section.as_ref().filter(|_| !is_over)?;
            let skipped = start.take().map_or(Ok(()), |offset| cursor.take(offset, "a list").map(drop));
            if skipped.is_ok() && cursor.is_empty() {
                return None;
            }
            let entry = skipped.and_then(|()| item(self.kind, section, &mut cursor));
            is_over = !matches!(entry, Ok(Item::Base(_) | Item::Pair(_)));
            match entry {
                Ok(Item::End) => None,
                Ok(Item::Base(address)) => {
                    base = Some(address);
                    Some(Ok(None))
                }
                Ok(Item::Pair(pair)) => Some(Ok(Some(pair.counted_from(base)))),
                Err(error) => Some(Err(error)),
            }
        })
    }
}

impl Pair {
    /// Two numbers count from the base. A place is an address already, and 0 beside one is a label that ptxas gave no address.
    fn counted_from(self, base: Option<Address>) -> Self {
        let (Address::Constant(start), Address::Constant(end)) = (self.start, self.end) else { return self };
        let at = |number: u64| match base {
            Some(Address::Constant(base)) => Address::Constant(base.wrapping_add(number)),
            Some(Address::Place { section, offset, symbol }) => {
                Address::Place { section, offset: offset.wrapping_add(number), symbol }
            }
            Some(Address::Undefined(_)) | None => Address::Constant(number),
        };
        Self { start: at(start), end: at(end), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};

    #[test]
    fn two_numbers_count_from_the_base_and_a_label_without_address_does_not() {
        let number = Address::Constant;
        let place = |offset| Address::Place { section: SectionIndex(3), offset, symbol: SymbolIndex(1) };
        let undefined = Address::Undefined(SymbolIndex(2));
        for (start, end, base, want) in [
            (number(0), number(16), Some(number(0x100)), (number(0x100), number(0x110))),
            (number(0), number(16), Some(place(0x20)), (place(0x20), place(0x30))),
            (number(8), number(16), None, (number(8), number(16))),
            (number(8), number(16), Some(undefined), (number(8), number(16))),
            (place(8), number(0), Some(place(0x20)), (place(8), number(0))),
            (number(0), place(8), Some(number(0x100)), (number(0), place(8))),
            (place(8), place(16), Some(place(0x20)), (place(8), place(16))),
        ] {
            let Pair { start, end, .. } = Pair { start, end, expression: None }.counted_from(base);
            assert_eq!((start, end), want);
        }
    }
}
