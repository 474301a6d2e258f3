//! The members of an archive (`ar`), as GNU and BSD write it.
//!
//! A header of 60 bytes and the member's bytes, each member at an even offset (ar(5) of FreeBSD;
//! GNU's long names as in `bfd/archive.c`). Read here because a fault must not hide the members
//! after it.

use std::sync::Arc;

use memchr::memmem;

use super::{ContainerPosition, slice};
use crate::limits::MAX_MEMBER_NAME;
use crate::{Error, ErrorKind, Result};

/// First bytes of an archive.
pub(super) const MAGIC: &[u8] = b"!<arch>\n";
/// First bytes of an archive that only names its members.
pub(super) const THIN_MAGIC: &[u8] = b"!<thin>\n";

const HEADER_SIZE: u64 = 60;
const SIZE_AT: u64 = 48;
const END_AT: u64 = 58;
/// Last two bytes of a header.
const END: &[u8] = b"`\n";

/// A file in an archive.
#[derive(Debug, Clone)]
pub(super) struct Member<'d> {
    pub(super) name: Arc<str>,
    pub(super) data: &'d [u8],
}

/// The members of an archive, without its symbol tables.
///
/// After a fault in a header they go on where the next thing looks like one; a member that is cut
/// off has its bytes up to there.
#[derive(Debug, Clone)]
pub(super) struct Members<'d> {
    data: &'d [u8],
    at: u64,
    /// GNU's long names.
    names: &'d [u8],
    /// A member whose fault was told first.
    held: Option<Member<'d>>,
}

impl<'d> Members<'d> {
    /// The members of the archive `data`.
    pub(super) fn new(data: &'d [u8]) -> Self {
        Self { data, at: MAGIC.len() as u64, names: &[], held: None }
    }

    /// The next member, if it is one for the caller, and what is wrong with it.
    fn read(&mut self) -> (Option<Member<'d>>, Option<Error>) {
        let at = self.at;
        let Some(header) = slice(self.data, at, HEADER_SIZE) else {
            self.at = self.data.len() as u64;
            return (
                None,
                Some(ContainerPosition::start().error(at, ErrorKind::Truncated("a member's header"))),
            );
        };
        if !header.ends_with(END) {
            self.at = self.next_header(at + 2);
            let found = header.iter().rev().take(2).fold(0, |value, byte| value << 8 | u64::from(*byte));
            return (None, Some(wrong(at + END_AT, "ar_fmag", found, "0xa60, the end of a member's header")));
        }
        let (data, mut fault) = self.contents(at + HEADER_SIZE, header);
        let member = match self.name(at, header, data) {
            Ok(None) => None,
            Ok(Some((name, data))) => Some((name, data)),
            Err(error) => {
                fault = fault.or(Some(error));
                Some((text(header.get(..16).unwrap_or_default()), data))
            }
        };
        (member.map(|(name, data)| Member { name: shown(name), data }), fault)
    }

    /// The bytes of the member at `start`; the next header follows them.
    fn contents(&mut self, start: u64, header: &[u8]) -> (&'d [u8], Option<Error>) {
        let field = start - HEADER_SIZE + SIZE_AT;
        let size = decimal(header.get(48..58).unwrap_or_default());
        if let Some(data) = size.and_then(|size| slice(self.data, start, size)) {
            let end = start + data.len() as u64;
            self.at = end + end % 2;
            return (data, None);
        }
        self.at = self.next_header(start);
        let fault = match size {
            Some(size) => wrong(field, "ar_size", size, "no more than the bytes that follow"),
            None => {
                wrong(field, "ar_size", u64::from(header.get(48).copied().unwrap_or(0)), "decimal digits")
            }
        };
        (slice(self.data, start, self.at - start).unwrap_or_default(), Some(fault))
    }

    /// Name and bytes of a member; `None` for tables.
    fn name(&mut self, at: u64, header: &'d [u8], data: &'d [u8]) -> Result<Option<(&'d [u8], &'d [u8])>> {
        let field = text(header.get(..16).unwrap_or_default());
        match field {
            b"/" | b"/SYM64/" => return Ok(None),
            b"//" => {
                self.names = data;
                return Ok(None);
            }
            _ => {}
        }
        if let Some(size) = field.strip_prefix(b"#1/") {
            // BSD: in front of the bytes, perhaps with NULs after it.
            let found = decimal(size).and_then(|size| data.split_at_checked(usize::try_from(size).ok()?));
            let (name, data) = found.ok_or_else(|| {
                wrong(at + 3, "length of ar_name", decimal(size).unwrap_or(0), "digits, no more than ar_size")
            })?;
            let end = memchr::memchr(0, name).unwrap_or(name.len());
            return Ok(Some((name.get(..end).unwrap_or(name), data)));
        }
        if let Some(start) = field.strip_prefix(b"/") {
            // GNU: in a member of names, each ended by a slash and a line feed.
            let rest = decimal(start).and_then(|start| self.names.get(usize::try_from(start).ok()?..));
            let rest = rest.filter(|rest| !rest.is_empty()).ok_or_else(|| {
                wrong(
                    at + 1,
                    "offset in ar_name",
                    decimal(start).unwrap_or(0),
                    "a position in the member `//`",
                )
            })?;
            // No more is read than is kept: many members may share one long name.
            let rest = rest.get(..=MAX_MEMBER_NAME).unwrap_or(rest);
            let end = memchr::memchr2(b'\n', 0, rest).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or(rest);
            return Ok(Some((name.strip_suffix(b"/").unwrap_or(name), data)));
        }
        Ok(Some((field.strip_suffix(b"/").unwrap_or(field), data)))
    }

    /// Offset from `from` on of what looks like a member's header, else the archive's end.
    fn next_header(&self, from: u64) -> u64 {
        let end = self.data.len() as u64;
        let first = from.saturating_add(END_AT);
        let Some(rest) = slice(self.data, first, end.saturating_sub(first)) else { return end };
        let mut headers = memmem::find_iter(rest, END).map(|found| from + found as u64);
        let is_header = |at: &u64| {
            let size = slice(self.data, at + SIZE_AT, END_AT - SIZE_AT);
            at.is_multiple_of(2) && size.and_then(decimal).is_some()
        };
        headers.find(is_header).unwrap_or(end)
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = Result<Member<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(member) = self.held.take() {
            return Some(Ok(member));
        }
        while self.at < self.data.len() as u64 {
            match self.read() {
                (None, None) => {}
                (Some(member), None) => return Some(Ok(member)),
                (member, Some(fault)) => {
                    self.held = member;
                    return Some(Err(fault));
                }
            }
        }
        None
    }
}

/// A fault in a header, which belongs to the archive.
fn wrong(at: u64, field: &'static str, found: u64, expected: &'static str) -> Error {
    ContainerPosition::start().error(at, ErrorKind::Value { field, found, expected })
}

/// A field without its trailing blanks.
fn text(field: &[u8]) -> &[u8] {
    field.trim_ascii_end()
}

/// The number in a field.
fn decimal(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(text(field)).ok()?.parse().ok()
}

fn shown(name: &[u8]) -> Arc<str> {
    String::from_utf8_lossy(name.get(..MAX_MEMBER_NAME).unwrap_or(name)).into()
}
