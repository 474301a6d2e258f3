//! A checked cursor over the bytes of a section.

use crate::{Error, ErrorKind, Format, RESERVED_LENGTH, Result, Span};

/// Reads little-endian fields one behind another. Every error has the offset of the field in the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<'d> {
    section: &'static str,
    /// The section, up to where this cursor may read.
    data: &'d [u8],
    at: usize,
}

impl<'d> Cursor<'d> {
    /// A cursor at the start of a section; `section` is its name in errors.
    #[must_use]
    pub fn new(section: &'static str, data: &'d [u8]) -> Self {
        Self { section, data, at: 0 }
    }

    /// A cursor at a byte offset of a section, where `what` is to be read.
    ///
    /// # Errors
    ///
    /// The offset is past the end.
    pub fn at(section: &'static str, data: &'d [u8], offset: u64, what: &'static str) -> Result<Self> {
        match usize::try_from(offset).ok().filter(|at| *at <= data.len()) {
            Some(at) => Ok(Self { section, data, at }),
            None => Err(Error { section, offset, kind: ErrorKind::Truncated(what) }),
        }
    }

    /// Byte offset of the next field.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Whether nothing is left.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at >= self.data.len()
    }

    /// What is left.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'d [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    /// An error at the next field.
    #[must_use]
    pub fn error(&self, kind: ErrorKind) -> Error {
        self.error_at(self.offset(), kind)
    }

    /// An error at a byte offset of the section.
    #[must_use]
    pub fn error_at(&self, offset: u64, kind: ErrorKind) -> Error {
        Error { section: self.section, offset, kind }
    }

    /// The next `len` bytes; `what` names them in the error.
    #[inline]
    pub fn take(&mut self, len: u64, what: &'static str) -> Result<&'d [u8]> {
        let taken = usize::try_from(len).ok().and_then(|len| self.rest().get(..len));
        let taken = taken.ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.at += taken.len();
        Ok(taken)
    }

    /// A cursor over the next `len` bytes; this one goes on behind them.
    pub fn split(&mut self, len: u64, what: &'static str) -> Result<Self> {
        let start = self.at;
        self.take(len, what)?;
        let data = self.data.get(..self.at).unwrap_or_default();
        Ok(Self { section: self.section, data, at: start })
    }

    /// A number of `width` bytes, at most 8.
    #[inline]
    pub fn number(&mut self, width: u8, what: &'static str) -> Result<u64> {
        let bytes = self.take(width.into(), what)?;
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        Ok(u64::from_le_bytes(word))
    }

    /// Goes on to where `left` bytes are left, of those that [`rest`](Self::rest) has.
    #[inline]
    pub fn leave(&mut self, left: usize) {
        self.at = self.at.max(self.data.len().saturating_sub(left));
    }

    /// A byte.
    #[inline]
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        let Some(&byte) = self.data.get(self.at) else { return Err(self.error(ErrorKind::Truncated(what))) };
        self.at += 1;
        Ok(byte)
    }

    /// Two bytes.
    pub fn u16(&mut self, what: &'static str) -> Result<u16> {
        Ok(self.number(2, what)? as u16)
    }

    /// Four bytes.
    pub fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(self.number(4, what)? as u32)
    }

    /// A ULEB128 number of at most 64 bits.
    #[inline]
    pub fn uleb(&mut self, what: &'static str) -> Result<u64> {
        // Most numbers are of one byte.
        if let Some(&byte @ ..0x80) = self.data.get(self.at) {
            self.at += 1;
            return Ok(byte.into());
        }
        let (value, used) =
            leb128_nv::read_uleb128(self.rest()).map_err(|error| self.leb_error(error, what))?;
        self.at += used;
        Ok(value)
    }

    /// An SLEB128 number of at most 64 bits.
    pub fn sleb(&mut self, what: &'static str) -> Result<i64> {
        let (value, used) =
            leb128_nv::read_sleb128(self.rest()).map_err(|error| self.leb_error(error, what))?;
        self.at += used;
        Ok(value)
    }

    /// The bytes of a LEB128 number of any length.
    pub fn leb_bytes(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let last = self.rest().iter().position(|byte| byte & 0x80 == 0);
        let len = last.ok_or_else(|| self.error(ErrorKind::Truncated(what)))? + 1;
        self.take(len as u64, what)
    }

    /// A string; the cursor goes on behind its NUL.
    pub fn string(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let len = memchr::memchr(0, self.rest()).ok_or_else(|| self.error(ErrorKind::OpenString(what)))?;
        let string = self.take(len as u64, what)?;
        self.at += 1;
        Ok(string)
    }

    /// The length of a unit, and how wide its offsets are (DWARF 3 §7.4).
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

    /// A byte offset in a section: 4 bytes in 32-bit DWARF, else 8.
    pub fn section_offset(&mut self, format: Format, what: &'static str) -> Result<u64> {
        self.number(offset_width(format), what)
    }

    fn leb_error(&self, error: leb128_nv::Error, what: &'static str) -> Error {
        self.error(match error {
            leb128_nv::Error::Truncated => ErrorKind::Truncated(what),
            leb128_nv::Error::Overflow => ErrorKind::LebOverflow(what),
        })
    }
}

/// Bytes of an offset in a section.
pub(crate) const fn offset_width(format: Format) -> u8 {
    match format {
        Format::Dwarf32 => 4,
        Format::Dwarf64 => 8,
    }
}

/// What `read` finds from the cursor on, one item behind another up to the end of the section, each with its span. An error is the
/// last.
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
