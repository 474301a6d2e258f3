//! String tables, kept byte for byte as the tools wrote them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::error::{Error, ErrorKind, Result};

/// An ELF string table (`SHT_STRTAB`): NUL-terminated strings, addressed by byte offset.
///
/// ptxas writes names in creation order, keeps those of sections it dropped, and merges neither
/// duplicates nor suffixes; new names are therefore appended, and everything else stays where it
/// is.
///
/// Names are UTF-8 (PTX names are ASCII), but for garbage that ptxas writes, another in each run,
/// where debug sections refer to labels in code (observed: ptxas 13.0.88 `-g`). Each byte of theirs
/// that is not UTF-8 is shown as `?`, which no name in PTX holds; [`as_bytes`](Self::as_bytes) has
/// the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringTable<'d> {
    /// The strings as they are shown: as long as the bytes, so that offsets hold.
    text: Cow<'d, str>,
    /// The bytes, where they are not UTF-8.
    raw: Option<Cow<'d, [u8]>>,
    /// The offset of the first NUL at or after each multiple of [`STRIDE`]. Many names may end in
    /// one long string, and a search for its end each time would take quadratic time.
    ends: Vec<usize>,
}

/// Bytes between two entries of `ends`.
const STRIDE: usize = 64;

impl Default for StringTable<'_> {
    /// The empty string alone, at offset 0.
    fn default() -> Self {
        Self { text: Cow::Borrowed("\0"), raw: None, ends: vec![0] }
    }
}

impl<'d> StringTable<'d> {
    /// Parses a string table from the bytes of a section. `section` is the section's name, for
    /// errors.
    ///
    /// # Errors
    ///
    /// The last string has no NUL.
    pub fn parse(section: &str, data: &'d [u8]) -> Result<Self> {
        if data.last().is_some_and(|last| *last != 0) {
            return Err(Error::new(section, data.len() as u64, ErrorKind::Truncated("the last string")));
        }
        let (text, raw) = match std::str::from_utf8(data) {
            Ok(text) => (Cow::Borrowed(text), None),
            Err(_) => (Cow::Owned(lossy(data)), Some(Cow::Borrowed(data))),
        };
        let mut table = Self { text, raw, ends: Vec::new() };
        table.index(0);
        Ok(table)
    }

    /// Extends `ends` by the strings from `start` on.
    fn index(&mut self, start: usize) {
        let tail = self.text.as_bytes().get(start..).unwrap_or_default();
        for nul in memchr::memchr_iter(0, tail) {
            let end = start + nul;
            self.ends.resize(self.ends.len().max(end / STRIDE + 1), end);
        }
    }

    /// Returns the string at byte `offset`, without its NUL, in constant time. The offset may be
    /// inside another string, as ELF allows. `None` outside the table or inside a character.
    pub fn get(&self, offset: u32) -> Option<&str> {
        let start = offset as usize;
        let tail = self.text.as_bytes().get(start..)?;
        let near = memchr::memchr(0, tail.get(..STRIDE).unwrap_or(tail)).map(|len| start + len);
        let end = near.or_else(|| self.ends.get(start / STRIDE + 1).copied())?;
        self.text.get(start..end)
    }

    /// Whether `offset` lies in the table.
    pub(crate) fn contains(&self, offset: u32) -> bool {
        (offset as usize) < self.text.len()
    }

    /// Iterates over the strings that start after a NUL, with their offsets, in file order.
    pub fn entries(&self) -> impl Iterator<Item = (u32, &str)> {
        self.text.split_terminator('\0').scan(0, |next: &mut u32, entry| {
            let offset = *next;
            *next = offset.checked_add(u32::try_from(entry.len()).ok()?)?.checked_add(1)?;
            Some((offset, entry))
        })
    }

    /// Appends a string to the table, even if the table has it already, as ptxas does. Returns the
    /// offset of the new string.
    ///
    /// # Errors
    ///
    /// `name` holds a NUL, or the table passes 4 GiB.
    pub fn push(&mut self, name: &str) -> Result<u32> {
        let end = self.text.len();
        let offset = next_offset(name, end)?;
        let text = self.text.to_mut();
        text.push_str(name);
        text.push('\0');
        if let Some(raw) = &mut self.raw {
            raw.to_mut().extend_from_slice(text.as_bytes().get(end..).unwrap_or_default());
        }
        self.index(end);
        Ok(offset)
    }

    /// Returns the offset of each of `names` in the table. A name that the table lacks is appended
    /// once; a string counts only if it starts after a NUL. Searches the table once.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push), for any of `names`. Nothing is changed then.
    pub fn intern<S: AsRef<str>>(&mut self, names: &[S]) -> Result<Vec<u32>> {
        let mut offsets: HashMap<&str, Option<u32>> =
            names.iter().map(|name| (name.as_ref(), None)).collect();
        for (offset, entry) in self.entries() {
            if let Some(slot) = offsets.get_mut(entry) {
                slot.get_or_insert(offset);
            }
        }
        let mut end = self.text.len();
        let mut new = Vec::new();
        for name in names.iter().map(AsRef::as_ref) {
            let Some(slot) = offsets.get_mut(name).filter(|slot| slot.is_none()) else { continue };
            *slot = Some(next_offset(name, end)?);
            end = end.saturating_add(name.len() + 1);
            new.push(name);
        }
        for name in new {
            self.push(name)?;
        }
        Ok(names.iter().filter_map(|name| offsets.get(name.as_ref()).copied().flatten()).collect())
    }

    /// The bytes of the table as they lie in the file.
    pub fn as_bytes(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.text.as_bytes())
    }

    pub(crate) fn into_owned(self) -> StringTable<'static> {
        StringTable {
            text: Cow::Owned(self.text.into_owned()),
            raw: self.raw.map(|raw| Cow::Owned(raw.into_owned())),
            ends: self.ends,
        }
    }
}

/// The offset of `name` at the `end` of a table.
fn next_offset(name: &str, end: usize) -> Result<u32> {
    if name.contains('\0') {
        return Err(Error::new(name, 0, ErrorKind::NulByte("the name".to_owned())));
    }
    let field = "a string offset of 32 bits";
    let too_big = |_| Error::new(name, 0, ErrorKind::DoesNotFit { what: "offset", value: end as u64, field });
    u32::try_from(end).map_err(too_big)
}

/// The text of `data`, with `?` for each byte that is not part of a UTF-8 character.
fn lossy(data: &[u8]) -> String {
    let mut text = String::with_capacity(data.len());
    for chunk in data.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// A map by name for the names in one string table.
///
/// A name is hashed once however many sections or symbols share it, and not at all if it is as long
/// as none in the map.
#[derive(Debug, Default)]
pub(super) struct NameMap<'a, T> {
    numbers: HashMap<&'a str, usize>,
    lengths: HashSet<usize>,
    /// By offset in the string table.
    seen: HashMap<u32, Option<usize>>,
    values: Vec<T>,
}

impl<'a, T: Default> NameMap<'a, T> {
    /// Changes the value of `name`, at first the default.
    pub(super) fn change(&mut self, name: &'a str, change: impl FnOnce(&mut T)) {
        let number = *self.numbers.entry(name).or_insert(self.values.len());
        self.lengths.insert(name.len());
        self.values.resize_with(self.values.len().max(number + 1), T::default);
        self.values.get_mut(number).map(change);
    }

    /// The value of `name`, which the string table has at `offset`. After all calls of
    /// [`change`](Self::change).
    pub(super) fn find(&mut self, offset: u32, name: &str) -> Option<&mut T> {
        if !self.lengths.contains(&name.len()) {
            return None;
        }
        let number = *self.seen.entry(offset).or_insert_with(|| self.numbers.get(name).copied());
        self.values.get_mut(number?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_the_next_nul_wherever_they_start() {
        let long = "x".repeat(200);
        for first in 0..130 {
            let mut data = vec![b'a'; first];
            data.push(0);
            data.extend_from_slice(b"\0\0.text.\0");
            data.extend_from_slice(long.as_bytes());
            data.push(0);
            let mut table = StringTable::parse("", &data).expect("ends in NUL").into_owned();
            let added = table.push(&long).expect("small");
            assert_eq!(added as usize, data.len());
            data.extend_from_slice(long.as_bytes());
            data.push(0);
            assert_eq!(table.as_bytes(), data);
            for at in 0..data.len() {
                let rest = &data[at..];
                let expected = &rest[..rest.iter().position(|b| *b == 0).expect("ends in NUL")];
                assert_eq!(table.get(at as u32).map(str::as_bytes), Some(expected), "{first} {at}");
            }
            assert_eq!(table.get(data.len() as u32), None);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_and_kept() {
        let data = b"\0a\xff\xfeb\0\xc3\xa9\0\xe2\x82\0z\0";
        let mut table = StringTable::parse("", data).expect("ends in NUL");
        let names: Vec<_> = table.entries().collect();
        assert_eq!(names, [(0, ""), (1, "a??b"), (6, "é"), (9, "??"), (12, "z")]);
        assert_eq!([table.get(2), table.get(7), table.get(12)], [Some("??b"), None, Some("z")]);
        assert!(table.contains(7));
        assert_eq!(table.push("new"), Ok(14));
        assert_eq!(table.as_bytes(), [&data[..], b"new\0"].concat());
        assert_eq!(table.get(14), Some("new"));
        assert_eq!(
            StringTable::parse("s", b"\0\xff").unwrap_err().to_string(),
            "s+0x2: the data ends inside the last string"
        );
    }
}
