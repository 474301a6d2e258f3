//! `.debug_pubnames` and `.debug_pubtypes`: lookup of entries by name (DWARF 2.0.0 §6.1.1 and
//! §7.19).
//!
//! ```
//! use dwarf2_reader::pubnames::{Item, items};
//!
//! let section = *b"\x14\0\0\0\x02\0\0\0\0\0\x40\0\0\0\x0b\0\0\0k\0\0\0\0\0";
//! let all: Vec<_> = items(".debug_pubnames", &section).collect::<Result<_, _>>()?;
//! let [(_, Item::Set(set)), name, end] = &all[..] else { panic!() };
//! assert_eq!((set.info, set.info_length), (0, 0x40));
//! assert_eq!(*name, (14..20, Item::Name { entry: 11, name: b"k" }));
//! assert_eq!(*end, (20..24, Item::End));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```

use crate::{Cursor, ErrorKind, Format, Result, Span};

/// An item of `.debug_pubnames` or `.debug_pubtypes`: the header of a set, a name, the end of the
/// set or padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item<'d> {
    /// The header of a set. All items up to the next header belong to the set.
    Set(Set),
    /// The name of a debug entry (DIE), and the entry's offset in its unit.
    Name {
        /// Byte offset of the entry from the start of the unit.
        entry: u64,
        /// Without its NUL.
        name: &'d [u8],
    },
    /// The zero that ends a set.
    End,
    /// Zeros between sets, or in a set after its end mark.
    Padding(&'d [u8]),
}

/// The header of a set of `.debug_pubnames` or `.debug_pubtypes`: the names of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Set {
    /// The DWARF format of the set, 32-bit or 64-bit, which is the width of its offsets.
    pub format: Format,
    /// DWARF version of the set; 2 in all versions up to 5.
    pub version: u16,
    /// Byte offset in `.debug_info` of the unit whose names the set has.
    pub info: u64,
    /// Size in bytes of the unit in `.debug_info` whose names the set has.
    pub info_length: u64,
}

/// Reads the items of a section one after another; see [`items`].
#[derive(Debug, Clone)]
struct Reader<'d> {
    sets: Cursor<'d>,
    /// The rest of the set that is being read, the width of its offsets, and whether its names have
    /// ended.
    set: Option<(Cursor<'d>, Format, bool)>,
}

/// Iterates over all items of `.debug_pubnames` or `.debug_pubtypes`, each with its byte range.
/// `name` is the section's name, for errors. An error is the last item.
pub fn items<'d>(name: &'static str, section: &'d [u8]) -> impl Iterator<Item = Result<(Span, Item<'d>)>> {
    let mut reader = Some(Reader { sets: Cursor::new(name, section), set: None });
    core::iter::from_fn(move || {
        let mut state = reader.take()?;
        let item = state.next().transpose()?;
        reader = item.is_ok().then_some(state);
        Some(item)
    })
}

impl<'d> Reader<'d> {
    fn next(&mut self) -> Result<Option<(Span, Item<'d>)>> {
        if let Some((set, format, is_over)) = &mut self.set {
            let start = set.offset();
            if !*is_over {
                let entry = set.section_offset(*format, "the offset of an entry")?;
                let item = if entry == 0 {
                    *is_over = true;
                    Item::End
                } else {
                    Item::Name { entry, name: set.string("a name")? }
                };
                return Ok(Some((start..set.offset(), item)));
            }
            if let Some((span, zeros)) = padding(set) {
                return Ok(Some((span, Item::Padding(zeros))));
            }
            if !set.is_empty() {
                let left = set.rest().len() as u64;
                return Err(set.error(ErrorKind::Rest { what: "the names of a set", left }));
            }
            self.set = None;
        }
        if let Some((span, zeros)) = padding(&mut self.sets) {
            return Ok(Some((span, Item::Padding(zeros))));
        }
        if self.sets.is_empty() {
            return Ok(None);
        }
        let start = self.sets.offset();
        let (mut set, format, version, info) = set(&mut self.sets)?;
        let info_length = set.section_offset(format, "debug_info_length")?;
        let span = start..set.offset();
        self.set = Some((set, format, false));
        Ok(Some((span, Item::Set(Set { format, version, info, info_length }))))
    }
}

/// Reads the set at the cursor: what is left of it, how wide its offsets are, its version, and the
/// offset of its unit in `.debug_info`.
pub(crate) fn set<'d>(sets: &mut Cursor<'d>) -> Result<(Cursor<'d>, Format, u16, u64)> {
    let (length, format) = sets.unit_length()?;
    let mut set = sets.split(length, "a set (unit_length goes past the end)")?;
    let version = set.u16("version")?;
    let info = set.section_offset(format, "debug_info_offset")?;
    Ok((set, format, version, info))
}

/// Zeros at the cursor that begin no set: all that are left, or as many words as there are.
pub(crate) fn padding<'d>(cursor: &mut Cursor<'d>) -> Option<(Span, &'d [u8])> {
    let rest = cursor.rest();
    let zeros = rest.iter().take_while(|byte| **byte == 0).count();
    let zeros = if zeros == rest.len() { zeros } else { zeros - zeros % 4 };
    let start = cursor.offset();
    let taken = cursor.take(zeros as u64, "padding").ok().filter(|taken| !taken.is_empty())?;
    Some((start..cursor.offset(), taken))
}
