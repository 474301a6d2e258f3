//! The headers of a line table section.

use super::LineTable;
use super::units::units;
use crate::Result;

/// Iterates over the headers of a line table section: the byte offset of each unit, and its table
/// without sequences. It does not decode line programs, and does not need relocations, which apply
/// only to addresses and names.
///
/// # Errors
///
/// A header is not that of a line table of DWARF 2 or 3, with its byte offset in `section`; none
/// follows then.
pub fn headers<'d>(section: &'d str, data: &'d [u8]) -> impl Iterator<Item = Result<(u64, LineTable<'d>)>> {
    units(section, data).map(|unit| unit.map(|(offset, table, _)| (offset, table)))
}
