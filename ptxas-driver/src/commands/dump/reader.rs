//! A checked reader for the sections that are decoded here; errors name section and offset.

use nv_debug_sections::{Error, ErrorKind, Result};

#[derive(Debug, Clone)]
pub(super) struct Reader<'d> {
    section: &'d str,
    data: &'d [u8],
    at: usize,
}

impl<'d> Reader<'d> {
    pub(super) fn new(section: &'d str, data: &'d [u8]) -> Self {
        Self { section, data, at: 0 }
    }

    pub(super) fn offset(&self) -> u64 {
        self.at as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.data.len()
    }

    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.section, self.offset(), kind)
    }

    fn rest(&self) -> &'d [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    pub(super) fn take(&mut self, len: u64, what: &'static str) -> Result<&'d [u8]> {
        let taken = usize::try_from(len).ok().and_then(|len| self.rest().get(..len));
        let taken = taken.ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.at += taken.len();
        Ok(taken)
    }

    /// A little-endian number of at most 8 bytes.
    pub(super) fn number(&mut self, bytes: u8, what: &'static str) -> Result<u64> {
        let bytes = self.take(bytes.into(), what)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    pub(super) fn uleb(&mut self, what: &'static str) -> Result<u64> {
        let (value, used) = leb128_nv::read_uleb128(self.rest()).map_err(|error| self.leb(error, what))?;
        self.at += used;
        Ok(value)
    }

    pub(super) fn sleb(&mut self, what: &'static str) -> Result<i64> {
        let (value, used) = leb128_nv::read_sleb128(self.rest()).map_err(|error| self.leb(error, what))?;
        self.at += used;
        Ok(value)
    }

    /// The bytes of a LEB128 number of any length.
    pub(super) fn leb_bytes(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let last = self.rest().iter().position(|byte| byte & 0x80 == 0);
        let last = last.ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        self.take(last as u64 + 1, what)
    }

    pub(super) fn cstr(&mut self, what: &'static str) -> Result<&'d [u8]> {
        let len = memchr::memchr(0, self.rest()).ok_or_else(|| self.error(ErrorKind::Truncated(what)))?;
        let string = self.take(len as u64, what)?;
        self.at += 1;
        Ok(string)
    }

    fn leb(&self, error: leb128_nv::Error, what: &'static str) -> Error {
        self.error(match error {
            leb128_nv::Error::Truncated => ErrorKind::Truncated(what),
            leb128_nv::Error::Overflow => ErrorKind::LebOverflow(what),
        })
    }
}
