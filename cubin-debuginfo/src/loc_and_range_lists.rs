//! `.debug_loc` and `.debug_ranges` (DWARF 2.0.0 §2.4.6 and §7.7.3, DWARF 3 §2.17.3). Entries are
//! pairs of addresses; in `.debug_loc` an expression follows each. Lists are entries, with the rule
//! for the address that they count from.

use crate::entries::Address;
use dwarf2_reader::{loc, ranges};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedSection};

/// One entry of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    /// The entry that ends the list: two zeros without a relocation.
    End,
    /// An entry that sets the base address to which the later offsets of the list are added.
    Base(Address),
    Pair(Pair),
}

/// Code from one address up to another, as they stand in the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) start: Address,
    pub(crate) end: Address,
    /// The location expression, in `.debug_loc`.
    pub(crate) expression: Option<ExpressionBytes>,
}

/// Where the bytes of a location expression are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpressionBytes {
    /// Byte offset in the section.
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// Iterates over the entries from a byte offset of a section on, list after list, each with its own
/// offset. An error is the last item.
pub(crate) fn items<'s>(
    kind: SectionKind,
    section: &'s RelocatedSection<'_>,
    offset: u64,
) -> Box<dyn Iterator<Item = Result<(u64, Item)>> + 's> {
    let address = |at: u64, number| Address::at(section, at, number);
    let pair = move |at: u64, begin, end, expression| {
        Item::Pair(Pair { start: address(at, begin), end: address(at + 8, end), expression })
    };
    let is_relocated = |at| section.target(at).is_some();
    if kind != SectionKind::DebugLoc {
        return Box::new(ranges::items(&section.bytes, offset, is_relocated).map(move |read| {
            let (span, item) = read?;
            Ok((
                span.start,
                match item {
                    ranges::Item::End => Item::End,
                    ranges::Item::Base(base) => Item::Base(address(span.start + 8, base)),
                    ranges::Item::Range { begin, end } => pair(span.start, begin, end, None),
                },
            ))
        }));
    }
    Box::new(loc::items(&section.bytes, offset, is_relocated).map(move |read| {
        let (span, item) = read?;
        Ok((
            span.start,
            match item {
                loc::Item::End => Item::End,
                loc::Item::Base(base) => Item::Base(address(span.start + 8, base)),
                loc::Item::Location { begin, end, expression } => {
                    let length = expression.len() as u64;
                    pair(span.start, begin, end, Some(ExpressionBytes { start: span.end - length, length }))
                }
            },
        ))
    }))
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
        let section = index.map(|index| RelocatedCubin::new(cubin).section(index)).transpose()?;
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

    /// The list at a byte offset, entry by entry: an error ends it, and so does the section's end.
    /// `None` is an entry that only says what numbers count from, which at first is `base`, the
    /// unit's `DW_AT_low_pc`.
    pub(crate) fn at(
        &self,
        offset: u64,
        mut base: Option<Address>,
    ) -> impl Iterator<Item = Result<Option<Pair>>> {
        let mut items = self.section.as_ref().map(|section| items(self.kind, section, offset));
        std::iter::from_fn(move || match items.as_mut()?.next()? {
            Ok((_, Item::End)) => {
                items = None;
                None
            }
            Ok((_, Item::Base(address))) => {
                base = Some(address);
                Some(Ok(None))
            }
            Ok((_, Item::Pair(pair))) => Some(Ok(Some(pair.counted_from(base)))),
            Err(error) => Some(Err(error)),
        })
    }
}

impl Pair {
    /// Two numbers count from the base. A place is an address already, and 0 beside one is a label
    /// that ptxas gave no address.
    pub(crate) fn counted_from(self, base: Option<Address>) -> Self {
        let (Address::Constant(start), Address::Constant(end)) = (self.start, self.end) else { return self };
        let at = |number: u64| match base {
            Some(Address::Constant(base)) => Address::Constant(base.wrapping_add(number)),
            Some(Address::InSection { section, offset, symbol }) => {
                Address::InSection { section, offset: offset.wrapping_add(number), symbol }
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
        let place = |offset| Address::InSection { section: SectionIndex(3), offset, symbol: SymbolIndex(1) };
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
