//! The result of a writer: the bytes of a section, and its relocations.

use alloc::vec::Vec;

use crate::{Address, DWARF32_RESERVED, Error, SymbolId};

/// Largest offset in a 4-byte field.
pub(crate) const MAX_OFFSET: u64 = u32::MAX as u64;

/// Refuses a length that a 4-byte length field does not take: from [`DWARF32_RESERVED`] on.
#[inline]
pub(crate) fn check_length(field: &'static str, len: u64) -> Result<u32, Error> {
    match u32::try_from(len) {
        Ok(length) if len < DWARF32_RESERVED => Ok(length),
        _ => Err(Error::TooLong { field, len, max: DWARF32_RESERVED - 1 }),
    }
}

/// A field of a section that gets the value of a symbol plus an addend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reloc {
    /// Byte offset of the field in the section.
    pub offset: u64,
    /// Size of the field in bytes: 4 or 8.
    pub width: u8,
    /// The symbol to which the value is relative.
    pub symbol: SymbolId,
    /// The number that is added to the symbol's value.
    pub addend: i64,
    /// The number in the field before relocation, in the low `width` bytes; `None` if it has no
    /// meaning.
    ///
    /// What this crate writes has the addend there, as REL needs. Under a RELA entry a tool may
    /// leave something else, which readers must ignore.
    pub in_place: Option<i64>,
    /// The kind of thing that the relocated field refers to.
    pub referent: Referent,
}

impl Reloc {
    /// Creates a relocation whose field also holds the addend.
    pub const fn new(offset: u64, width: u8, symbol: SymbolId, addend: i64) -> Self {
        Self { offset, width, symbol, addend, in_place: Some(addend), referent: Referent::Any }
    }
}

/// What a relocated field refers to. Object files may have relocation types of their own for some
/// of these cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Referent {
    /// Anything that has no variant of its own: a section, a variable, the start of a function.
    #[default]
    Any,
    /// An address inside a function's code.
    Code,
    /// An offset in `.debug_line`.
    LineTable,
    /// A variable in a bank of constant memory.
    ConstantBank,
    /// A function, whose size the field holds. A linker that drops the function clears the field.
    FunctionSize,
}

/// The contents of a section and its relocations, in the order of their offsets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The contents of the section, before relocation.
    pub bytes: Vec<u8>,
    /// The fields of `bytes` that depend on symbols.
    pub relocs: Vec<Reloc>,
}

/// The end of a section at some time: the numbers of its bytes and relocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SectionEnd {
    bytes: usize,
    relocs: usize,
}

impl Section {
    /// Appends the contents of `other`, as when several line programs share one section. Offsets
    /// that are written inside `other` do not change; offsets elsewhere that refer to `other` grow
    /// by the former length of this section.
    pub fn append(&mut self, other: &Self) {
        self.append_parts(&other.bytes, &other.relocs);
    }

    pub(crate) fn append_parts(&mut self, bytes: &[u8], relocs: &[Reloc]) {
        let base = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        self.relocs.extend(relocs.iter().map(|reloc| Reloc { offset: base + reloc.offset, ..*reloc }));
    }

    /// An 8-byte address, with its relocation if it is symbolic.
    pub(crate) fn address(&mut self, address: Address) {
        put_address(&mut self.bytes, &mut self.relocs, address);
    }

    /// A 4-byte offset into a section, with its relocation if it is symbolic.
    pub(crate) fn offset4(&mut self, offset: Address, field: &'static str) -> Result<(), Error> {
        check_offset(offset, field)?;
        if let Address::Symbol { symbol, addend } = offset {
            self.relocs.push(Reloc::new(self.bytes.len() as u64, 4, symbol, addend));
        }
        self.bytes.extend_from_slice(&(offset.in_place() as u32).to_le_bytes());
        Ok(())
    }

    /// Lets `body` append; on an error everything is as before.
    pub(crate) fn all_or_nothing<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let end = self.end();
        let written = body(self);
        if written.is_err() {
            self.truncate(end);
        }
        written
    }

    /// Appends a unit: its 4-byte length, then what `body` appends. Returns the unit's offset; on
    /// an error everything is as before.
    pub(crate) fn unit(
        &mut self,
        field: &'static str,
        body: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<u32, Error> {
        self.all_or_nothing(|section| {
            let start = section.next_offset(field)?;
            section.bytes.extend_from_slice(&[0; 4]);
            body(section)?;
            let len = check_length(field, section.bytes.len() as u64 - u64::from(start) - 4)?;
            let length = section.bytes.get_mut(start as usize..).and_then(|unit| unit.first_chunk_mut());
            if let Some(length) = length {
                *length = len.to_le_bytes();
            }
            Ok(start)
        })
    }

    /// Returns the offset of the next byte, as other sections store it in 4 bytes.
    pub(crate) fn next_offset(&self, field: &'static str) -> Result<u32, Error> {
        let len = self.bytes.len() as u64;
        u32::try_from(len).map_err(|_| Error::TooLong { field, len, max: MAX_OFFSET })
    }

    /// Drops everything after `mark`, an earlier [`Section::mark`].
    pub(crate) fn truncate(&mut self, end: SectionEnd) {
        self.bytes.truncate(end.bytes);
        self.relocs.truncate(end.relocs);
    }

    /// The present end, to come back to if something does not fit.
    pub(crate) fn end(&self) -> SectionEnd {
        SectionEnd { bytes: self.bytes.len(), relocs: self.relocs.len() }
    }
}

/// Appends an 8-byte address, and its relocation if it is symbolic.
pub(crate) fn put_address(bytes: &mut Vec<u8>, relocs: &mut Vec<Reloc>, address: Address) {
    if let Address::Symbol { symbol, addend } = address {
        relocs.push(Reloc::new(bytes.len() as u64, 8, symbol, addend));
    }
    bytes.extend_from_slice(&address.in_place().to_le_bytes());
}

/// Refuses what a 4-byte field cannot hold: an offset past 4 GiB, also from a symbol.
pub(crate) fn check_offset(offset: Address, field: &'static str) -> Result<(), Error> {
    let fits = match offset {
        Address::Constant(value) => value <= MAX_OFFSET,
        // From a symbol also backwards, where a field takes it for a signed number.
        Address::Symbol { addend, .. } => u32::try_from(addend).is_ok() || i32::try_from(addend).is_ok(),
    };
    if fits { Ok(()) } else { Err(Error::Operand { field, value: offset.in_place(), max: MAX_OFFSET }) }
}

/// Rejects a range that ends before it begins, if that is known now, and one that reads as the end
/// of a list: empty, or both fields 0 before or after relocation.
pub(crate) fn check_range(field: &'static str, begin: Address, end: Address) -> Result<(), Error> {
    let backward = match (begin, end) {
        (Address::Constant(first), Address::Constant(after)) => after < first,
        (Address::Symbol { symbol, addend }, Address::Symbol { symbol: other, addend: after }) => {
            symbol == other && after < addend
        }
        _ => false,
    };
    if backward {
        return Err(Error::BackwardRange { begin, end });
    }
    if begin == end && begin.in_place() == 0 {
        return Err(Error::EmptyRange { field });
    }
    Ok(())
}

/// Refuses a string that its NUL would not end.
#[inline]
pub(crate) fn check_string(string: &[u8], field: &'static str) -> Result<(), Error> {
    if !string.contains(&0) {
        return Ok(());
    }
    let offset = string.iter().take_while(|byte| **byte != 0).count();
    Err(Error::NulInString { field, offset })
}

/// Appends `string` and its NUL.
#[inline]
pub(crate) fn put_string(out: &mut Vec<u8>, string: &[u8], field: &'static str) -> Result<(), Error> {
    check_string(string, field)?;
    out.reserve(string.len() + 1);
    out.extend_from_slice(string);
    out.push(0);
    Ok(())
}

/// Tests of sizes over 4 GiB. The memory is all zero pages that are never touched.
#[cfg(all(test, target_pointer_width = "64"))]
pub(crate) mod tests {
    use alloc::vec;

    use super::*;

    /// The shortest that is too long for a length field.
    pub(crate) const LONG: usize = DWARF32_RESERVED as usize;

    /// Bytes of that number, and room for some more.
    pub(crate) fn untouched(len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len + 64];
        bytes.truncate(len);
        bytes
    }

    /// The error of a `field` that is `len` bytes long, in a length field.
    pub(crate) fn too_long(field: &'static str, len: usize) -> Error {
        Error::TooLong { field, len: len as u64, max: DWARF32_RESERVED - 1 }
    }

    #[test]
    fn lengths_end_before_the_escapes() {
        assert_eq!(check_length("unit", DWARF32_RESERVED - 1), Ok(0xffff_ffef));
        for len in [DWARF32_RESERVED, MAX_OFFSET, MAX_OFFSET + 1, u64::MAX] {
            assert_eq!(
                check_length("unit", len),
                Err(Error::TooLong { field: "unit", len, max: 0xffff_ffef })
            );
        }
    }

    #[test]
    fn offsets_end_at_4_gib() {
        let symbol = |addend| Address::Symbol { symbol: SymbolId(1), addend };
        let max = MAX_OFFSET;
        for fits in [Address::Constant(max), symbol(u32::MAX.into()), symbol(i32::MIN.into())] {
            assert_eq!(check_offset(fits, "offset"), Ok(()));
        }
        for (past, value) in [
            (Address::Constant(max + 1), max + 1),
            (symbol(1 << 32), 1 << 32),
            (symbol(i64::from(i32::MIN) - 1), 0xffff_ffff_7fff_ffff),
        ] {
            let error = Error::Operand { field: "offset", value, max };
            assert_eq!(check_offset(past, "offset"), Err(error));
            let mut section = Section::default();
            assert_eq!(section.offset4(past, "offset"), Err(error));
            assert_eq!(section, Section::default());
        }
    }

    #[test]
    fn units_are_short_and_begin_before_4_gib() {
        let mut section = Section::default();
        let reach = |section: &mut Section, len| {
            section.unit("unit", |section| {
                section.bytes = untouched(4 + len);
                Ok(())
            })
        };
        assert_eq!(reach(&mut section, LONG), Err(too_long("unit", LONG)));
        assert_eq!(section, Section::default());
        assert_eq!(reach(&mut section, LONG - 1), Ok(0));
        assert_eq!(section.bytes.first_chunk(), Some(&[0xef, 0xff, 0xff, 0xff]));

        let end = u32::MAX as usize;
        section.bytes = untouched(end);
        assert_eq!(section.unit("unit", |_| Ok(())), Ok(u32::MAX));
        let error = Error::TooLong { field: "unit", len: end as u64 + 4, max: MAX_OFFSET };
        assert_eq!(section.unit("unit", |_| Ok(())), Err(error));
        assert_eq!(section.bytes.len(), end + 4);
    }
}
