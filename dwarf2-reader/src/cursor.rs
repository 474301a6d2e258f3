//! A bounds-checked cursor over the bytes of a section.

use crate::{Error, ErrorKind, Format, RESERVED_LENGTH, Result, Span};

/// A reader of the little-endian fields of a section, one after another. Every error has the offset
/// of the field in the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<'d> {
    section: &'static str,
    /// The section, up to where this cursor may read.
    data: &'d [u8],
    at: usize,
    /// See [`Self::with_long_numbers`].
    has_long_numbers: bool,
}

impl<'d> Cursor<'d> {
    /// Creates a cursor at the start of a section. `section` is its name, for errors.
    #[must_use]
    pub fn new(section: &'static str, data: &'d [u8]) -> Self {
        Self { section, data, at: 0, has_long_numbers: false }
    }

    /// Accepts a LEB128 number of more than ten bytes or 64 bits, for readers that go on after
    /// faults. Bits beyond 64 wrap around, as they do in ptxas 13.0.88: `80 80 80 80 80 80 80 80 80
    /// 80 01` is 64.
    #[must_use]
    pub fn with_long_numbers(self) -> Self {
        Self { has_long_numbers: true, ..self }
    }

    /// Creates a cursor at a byte offset of a section. `what` names the item to be read at the
    /// offset, for the error if the offset is outside the section.
    ///
    /// # Errors
    ///
    /// The offset is past the end.
    pub fn at(section: &'static str, data: &'d [u8], offset: u64, what: &'static str) -> Result<Self> {
        match usize::try_from(offset).ok().filter(|at| *at <= data.len()) {
            Some(at) => Ok(Self { at, ..Self::new(section, data) }),
            None => Err(Error { section, offset, kind: ErrorKind::Truncated(what) }),
        }
    }

    /// The byte offset of the next field.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Whether no bytes are left to read.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at >= self.data.len()
    }

    /// The bytes that are left to read.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'d [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    /// Makes an error with the byte offset of the next field.
    #[must_use]
    pub fn error(&self, kind: ErrorKind) -> Error {
        self.error_at(self.offset(), kind)
    }

    /// Makes an error with a given byte offset in the section.
    #[must_use]
    pub fn error_at(&self, offset: u64, kind: ErrorKind) -> Error {
        Error { section: self.section, offset, kind }
    }

    /// Reads the next `len` bytes. `what` names them in an error.
    #[inline]
    pub fn take(&mut self, len: u64, what: &'static str) -> Result<&'d [u8]> {
        let taken = usize::try_from(len).ok().and_then(|len| self.rest().get(..len));
        let taken = taken.ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.at += taken.len();
        Ok(taken)
    }

    /// Returns a new cursor over the next `len` bytes, and moves this cursor to the byte after
    /// them.
    pub fn split(&mut self, len: u64, what: &'static str) -> Result<Self> {
        let start = self.at;
        self.take(len, what)?;
        let data = self.data.get(..self.at).unwrap_or_default();
        Ok(Self { data, at: start, ..*self })
    }

    /// Reads a little-endian number of `width` bytes, at most 8.
    #[inline]
    pub fn number(&mut self, width: u8, what: &'static str) -> Result<u64> {
        // Nearly all numbers have 8 bytes from their first on: one load, and no loop.
        if let (Some(word), 1..=8) = (self.rest().first_chunk(), width) {
            self.at += usize::from(width);
            return Ok(u64::from_le_bytes(*word) & u64::MAX >> (64 - 8 * u32::from(width)));
        }
        let bytes = self.take(width.into(), what)?;
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        Ok(u64::from_le_bytes(word))
    }

    /// Skips bytes so that only the last `left` bytes remain to be read.
    #[inline]
    pub fn leave(&mut self, left: usize) {
        self.at = self.at.max(self.data.len().saturating_sub(left));
    }

    /// Reads one byte.
    #[inline]
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        let Some(&byte) = self.data.get(self.at) else { return Err(self.error(ErrorKind::Truncated(what))) };
        self.at += 1;
        Ok(byte)
    }

    /// Reads two bytes, little-endian.
    pub fn u16(&mut self, what: &'static str) -> Result<u16> {
        Ok(self.number(2, what)? as u16)
    }

    /// Reads four bytes, little-endian.
    pub fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(self.number(4, what)? as u32)
    }

    /// Reads a ULEB128 number of at most 64 bits.
    #[inline]
    pub fn uleb(&mut self, what: &'static str) -> Result<u64> {
        // Most numbers are of one byte.
        if let Some(&byte @ ..0x80) = self.data.get(self.at) {
            self.at += 1;
            return Ok(byte.into());
        }
        self.uleb_of_bytes(what)
    }

    /// Reads a number of more than one byte. It is a function of its own so that the loops over
    /// short numbers stay small.
    #[inline(never)]
    fn uleb_of_bytes(&mut self, what: &'static str) -> Result<u64> {
        let (value, used) =
            leb128_nv::read_uleb128(self.rest()).or_else(|error| self.long_number(error, what))?;
        self.at += used;
        Ok(value)
    }

    /// Reads a ULEB128 number. If the number has more than ten bytes or 64 bits, `on_fault` gets
    /// the error; if it returns `Ok`, the number wraps around as in [`Self::with_long_numbers`].
    pub fn uleb_or(
        &mut self,
        what: &'static str,
        on_fault: &mut impl FnMut(Error) -> Result<()>,
    ) -> Result<u64> {
        self.uleb(what).or_else(|error| {
            let mut after = self.clone().with_long_numbers();
            let value = after.uleb(what).map_err(|_| error)?;
            on_fault(error)?;
            self.at = after.at;
            Ok(value)
        })
    }

    /// Reads an SLEB128 number of at most 64 bits.
    pub fn sleb(&mut self, what: &'static str) -> Result<i64> {
        let (value, used) = leb128_nv::read_sleb128(self.rest())
            .or_else(|error| self.long_number(error, what).map(|(value, used)| (value as i64, used)))?;
        self.at += used;
        Ok(value)
    }

    /// Moves after a LEB128 number of at most 64 bits, without its value. Returns `false`, without
    /// moving, if it has more than 8 bytes or stands in the last 8 of the section.
    #[inline]
    pub(crate) fn skip_leb(&mut self) -> bool {
        let Some(word) = self.rest().first_chunk() else { return false };
        let last = (!u64::from_le_bytes(*word) & 0x8080_8080_8080_8080).trailing_zeros();
        self.at += if last < 64 { last as usize / 8 + 1 } else { 0 };
        last < 64
    }

    /// Reads the bytes of a LEB128 number of any length.
    pub fn leb_bytes(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let last = self.rest().iter().position(|byte| byte & 0x80 == 0);
        let len = last.ok_or_else(|| self.error(ErrorKind::Truncated(what)))? + 1;
        self.take(len as u64, what)
    }

    /// Reads a NUL-terminated string, and returns it without the NUL.
    #[inline]
    pub fn string(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let len = first_nul(self.rest()).ok_or_else(|| self.error(ErrorKind::OpenString(what)))?;
        let string = self.take(len as u64, what)?;
        self.at += 1;
        Ok(string)
    }

    /// Reads the length field of a unit, and returns the length and whether the unit is 32-bit or
    /// 64-bit DWARF (DWARF 3 §7.4).
    ///
    /// # Errors
    ///
    /// An escape that is not the one of 64-bit DWARF.
    pub fn unit_length(&mut self) -> Result<(u64, Format)> {
        let start = self.offset();
        let what = "unit_length";
        match self.u32(what)? {
            crate::DWARF64_LENGTH => Ok((self.number(8, what)?, Format::Dwarf64)),
            found @ RESERVED_LENGTH.. => {
                let expected = "a length below 0xfffffff0, or 0xffffffff";
                Err(self.error_at(start, ErrorKind::Value { field: what, found: found.into(), expected }))
            }
            length => Ok((length.into(), Format::Dwarf32)),
        }
    }

    /// Reads a byte offset in a section: 4 bytes in 32-bit DWARF, otherwise 8.
    pub fn section_offset(&mut self, format: Format, what: &'static str) -> Result<u64> {
        self.number(offset_width(format), what)
    }

    /// A LEB128 number that cannot be read so, and how many bytes it has; or the error.
    #[cold]
    fn long_number(&self, error: leb128_nv::Error, what: &'static str) -> Result<(u64, usize)> {
        match error {
            leb128_nv::Error::Truncated => Err(self.error(ErrorKind::Truncated(what))),
            leb128_nv::Error::Overflow if self.has_long_numbers => {
                let bytes = self.clone().leb_bytes(what)?;
                let groups = bytes.iter().zip((0..64_u32).cycle().step_by(7));
                let wrap = |value, (byte, shift): (&u8, u32)| value | u64::from(byte & 0x7f) << shift;
                Ok((groups.fold(0, wrap), bytes.len()))
            }
            leb128_nv::Error::Overflow => Err(self.error(ErrorKind::LebOverflow(what))),
        }
    }
}

/// Index of the first NUL. Most names are shorter than the words that are looked through here;
/// `memchr` is faster on the rest.
#[inline]
fn first_nul(bytes: &[u8]) -> Option<usize> {
    const WORD: usize = size_of::<u64>();
    const WORDS: usize = 4;
    let (ones, highs) = (0x0101_0101_0101_0101_u64, 0x8080_8080_8080_8080_u64);
    let mut done = 0;
    while let Some(word) = bytes.get(done..).and_then(<[u8]>::first_chunk).filter(|_| done < WORDS * WORD) {
        let word = u64::from_le_bytes(*word);
        // The lowest high bit that is set here is that of the first byte that is 0.
        let nul = word.wrapping_sub(ones) & !word & highs;
        if nul != 0 {
            return Some(done + nul.trailing_zeros() as usize / 8);
        }
        done += WORD;
    }
    memchr::memchr(0, bytes.get(done..)?).map(|at| done + at)
}

/// Bytes of an offset in a section.
pub(crate) const fn offset_width(format: Format) -> u8 {
    match format {
        Format::Dwarf32 => 4,
        Format::Dwarf64 => 8,
    }
}

/// Iterates over the items that `read` returns from the cursor on, up to the end of the section,
/// each with its span. An error is the last item.
pub(crate) fn items<'d, T>(
    cursor: Result<Cursor<'d>>,
    mut read: impl FnMut(&mut Cursor<'d>) -> Result<T>,
) -> impl Iterator<Item = Result<(Span, T)>> {
    let mut next = Some(cursor);
    core::iter::from_fn(move || {
        let mut cursor = match next.take()? {
            Ok(cursor) if cursor.is_empty() => return None,
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error)),
        };
        let start = cursor.offset();
        let item = read(&mut cursor);
        let span = start..cursor.offset();
        next = item.is_ok().then_some(Ok(cursor));
        Some(item.map(|item| (span, item)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_nul_is_found(bytes in prop::collection::vec(prop::sample::select(vec![0, 1, 0x7f, 0x80, 0x81, 0xff]), 0..80),
                                  start in 0..80_usize) {
            let mut bytes = bytes;
            bytes.iter_mut().take(start).filter(|byte| **byte == 0).for_each(|byte| *byte = 1);
            prop_assert_eq!(first_nul(&bytes), bytes.iter().position(|byte| *byte == 0));
        }
    }

    #[test]
    fn long_numbers_are_taken_where_they_are_let_pass() {
        let number =
            |first: u8, last: u8| [first, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, last];
        for (bytes, value) in [(number(0x85, 0), 5), (number(0x85, 1), 69), (number(0x80, 0x41), 64 * 65)] {
            let strict = Cursor::new("a section", &bytes);
            let error = strict.error(ErrorKind::LebOverflow("a number"));
            assert_eq!(strict.clone().uleb("a number"), Err(error));
            let mut long = strict.clone().with_long_numbers();
            assert_eq!((long.uleb("a number"), long.offset()), (Ok(value), 11));
            assert_eq!(strict.clone().with_long_numbers().sleb("a number"), Ok(value as i64));
            let mut told = None;
            let mut tolerant = strict.clone();
            let read = tolerant.uleb_or("a number", &mut |error| {
                told = Some(error);
                Ok(())
            });
            assert_eq!((read, told, tolerant.offset()), (Ok(value), Some(error), 11));
            assert_eq!(strict.clone().uleb_or("a number", &mut Err), Err(error));
        }
        let endless = Cursor::new("a section", &[0x80; 20]).with_long_numbers();
        assert_eq!(endless.clone().uleb("a number"), Err(endless.error(ErrorKind::Truncated("a number"))));
    }
}
