//! A checked cursor over one section's bytes, for the decoders of this crate.

use crate::{Error, ErrorKind, Result};

/// Reads little-endian fields in order; every error names the section and the offset of the field.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'d> {
    section: &'d str,
    data: &'d [u8],
    at: usize,
    end: usize,
}

impl<'d> Cursor<'d> {
    pub(crate) fn new(section: &'d str, data: &'d [u8]) -> Self {
        Self { section, data, at: 0, end: data.len() }
    }

    /// The same cursor limited to the next `len` bytes; this one is moved behind them.
    pub(crate) fn split(&mut self, len: u64, what: &'static str) -> Result<Self> {
        let start = self.at;
        self.take(len, what)?;
        Ok(Self { section: self.section, data: self.data, at: start, end: self.at })
    }

    pub(crate) fn offset(&self) -> u64 {
        self.at as u64
    }

    pub(crate) fn remaining(&self) -> u64 {
        (self.end - self.at) as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.section, self.offset(), kind)
    }

    pub(crate) fn error_at(&self, offset: u64, kind: ErrorKind) -> Error {
        Error::new(self.section, offset, kind)
    }

    pub(crate) fn rest(&self) -> &'d [u8] {
        &self.data[self.at..self.end]
    }

    pub(crate) fn take(&mut self, len: u64, what: &'static str) -> Result<&'d [u8]> {
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

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn uleb(&mut self, what: &'static str) -> Result<u64> {
        let (value, used) = leb128_nv::read_uleb128(self.rest()).map_err(|e| self.leb_error(e, what))?;
        self.at += used;
        Ok(value)
    }

    pub(crate) fn sleb(&mut self, what: &'static str) -> Result<i64> {
        let (value, used) = leb128_nv::read_sleb128(self.rest()).map_err(|e| self.leb_error(e, what))?;
        self.at += used;
        Ok(value)
    }

    fn leb_error(&self, error: leb128_nv::Error, what: &'static str) -> Error {
        self.error(match error {
            leb128_nv::Error::Truncated => ErrorKind::Truncated(what),
            leb128_nv::Error::Overflow => ErrorKind::LebOverflow(what),
        })
    }

    /// A string without its NUL terminator.
    pub(crate) fn cstr(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let len = memchr::memchr(0, self.rest()).ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        let string = &self.rest()[..len];
        self.at += len + 1;
        Ok(string)
    }
}
