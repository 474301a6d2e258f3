//! `.debug_loc` and `.debug_ranges` (DWARF 2.0.0 §2.4.6 and §7.7.3, DWARF 3 §2.17.3), entry by entry: pairs of addresses, behind
//! which `.debug_loc` has an expression each.

use crate::entries::Address;
use nv_debug_sections::Result;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::relocated::RelocatedSection;

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
