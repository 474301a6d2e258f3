//! A bounds-checked cursor over the bytes of a section.

use crate::{Error, ErrorKind, Result};

/// A reader of the little-endian fields of a section, one after another. Every error names the
/// section and the field's offset: [`ErrorKind::Truncated`] where the data ends,
/// [`ErrorKind::LebOverflow`] for numbers of more than 64 bits.
#[derive(Debug, Clone)]
pub struct Cursor<'d> {
    section: &'d str,
    data: &'d [u8],
    at: usize,
    end: usize,
}

impl<'d> Cursor<'d> {
    /// Creates a cursor at the start of `data`, the contents of a section. `section` is its name,
    /// for errors.
    pub fn new(section: &'d str, data: &'d [u8]) -> Self {
        Self { section, data, at: 0, end: data.len() }
    }

    /// Returns a new cursor over the next `len` bytes, and moves this cursor to the byte after
    /// them.
    pub fn split(&mut self, len: u64, what: &'static str) -> Result<Self> {
        let start = self.at;
        self.take(len, what)?;
        Ok(Self { section: self.section, data: self.data, at: start, end: self.at })
    }

    /// The byte offset of the next field in the section.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// The number of bytes that are left to read.
    pub fn remaining(&self) -> u64 {
        (self.end - self.at) as u64
    }

    /// Whether no bytes are left to read.
    pub fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// Makes an error with the byte offset of the next field.
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.section, self.offset(), kind)
    }

    /// Makes an error with a given byte offset in the section.
    pub fn error_at(&self, offset: u64, kind: ErrorKind) -> Error {
        Error::new(self.section, offset, kind)
    }

    /// The bytes that are left to read.
    pub fn rest(&self) -> &'d [u8] {
        &self.data[self.at..self.end]
    }

    /// Reads the next `len` bytes. `what` names them in an error.
    pub fn take(&mut self, len: u64, what: &'static str) -> Result<&'d [u8]> {
        let taken = usize::try_from(len)
            .ok()
            .and_then(|len| self.rest().get(..len))
            .ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.at += taken.len();
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let bytes = self.rest().first_chunk::<N>().ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.at += N;
        Ok(*bytes)
    }

    /// Reads one byte.
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    /// Reads two bytes, little-endian.
    pub fn u16(&mut self, what: &'static str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    /// Reads four bytes, little-endian.
    pub fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// Reads eight bytes, little-endian.
    pub fn u64(&mut self, what: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// Reads an unsigned LEB128 number of at most 64 bits.
    #[inline]
    pub fn uleb(&mut self, what: &'static str) -> Result<u64> {
        // Most numbers are of one byte.
        if let [byte @ ..0x80, ..] = *self.rest() {
            self.at += 1;
            return Ok(byte.into());
        }
        let (value, used) = leb128_nv::read_uleb128(self.rest()).map_err(|e| self.leb_error(e, what))?;
        self.at += used;
        Ok(value)
    }

    /// Reads a signed LEB128 number of at most 64 bits.
    pub fn sleb(&mut self, what: &'static str) -> Result<i64> {
        let (value, used) = leb128_nv::read_sleb128(self.rest()).map_err(|e| self.leb_error(e, what))?;
        self.at += used;
        Ok(value)
    }

    /// Reads a little-endian number of `bytes` bytes, at most 8.
    pub fn number(&mut self, bytes: u8, what: &'static str) -> Result<u64> {
        let bytes = self.take(bytes.into(), what)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// Reads the bytes of a LEB128 number of any length.
    pub fn leb_bytes(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let last = self.rest().iter().position(|byte| byte & 0x80 == 0);
        let last = last.ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.take(last as u64 + 1, what)
    }

    fn leb_error(&self, error: leb128_nv::Error, what: &'static str) -> Error {
        self.error(match error {
            leb128_nv::Error::Truncated => ErrorKind::Truncated(what),
            leb128_nv::Error::Overflow => ErrorKind::LebOverflow(what),
        })
    }

    /// Reads a NUL-terminated string, and returns it without the NUL.
    pub fn cstr(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let len = memchr::memchr(0, self.rest()).ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        let string = &self.rest()[..len];
        self.at += len + 1;
        Ok(string)
    }
}
