//! String tables, kept as the tools wrote them.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result};

/// An ELF string table (`SHT_STRTAB`): NUL-terminated UTF-8 strings, named by byte offset.
///
/// ptxas writes names in creation order, keeps those of sections it dropped, and merges neither duplicates nor
/// suffixes; new names are therefore appended, and everything else stays where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringTable<'d> {
    text: Cow<'d, str>,
}

impl Default for StringTable<'_> {
    /// The empty string alone, at offset 0.
    fn default() -> Self {
        Self { text: Cow::Borrowed("\0") }
    }
}

impl<'d> StringTable<'d> {
    /// Wraps the contents of the section called `section`.
    ///
    /// # Errors
    ///
    /// The bytes are not UTF-8 (PTX names are ASCII), or the last string has no NUL.
    pub fn parse(section: &str, data: &'d [u8]) -> Result<Self> {
        let text = std::str::from_utf8(data).map_err(|e| {
            let kind = ErrorKind::Other("the string table is not UTF-8".into());
            Error::new(section, e.valid_up_to() as u64, kind)
        })?;
        if !text.is_empty() && !text.ends_with('\0') {
            return Err(Error::new(section, text.len() as u64, ErrorKind::Truncated("the last string")));
        }
        Ok(Self { text: Cow::Borrowed(text) })
    }

    /// The string at `offset`, without its NUL. May start inside another one, as ELF allows.
    pub fn get(&self, offset: u32) -> Option<&str> {
        let tail = self.text.get(offset as usize..)?;
        tail.find('\0').and_then(|end| tail.get(..end))
    }

    /// Whether a string starts at `offset`, without looking for its end.
    pub(crate) fn contains(&self, offset: u32) -> bool {
        (offset as usize) < self.text.len() && self.text.is_char_boundary(offset as usize)
    }

    /// All whole strings with their offsets, in file order.
    pub fn entries(&self) -> impl Iterator<Item = (u32, &str)> {
        self.text.split_terminator('\0').scan(0, |next: &mut u32, entry| {
            let offset = *next;
            *next = offset.checked_add(u32::try_from(entry.len()).ok()?)?.checked_add(1)?;
            Some((offset, entry))
        })
    }

    /// Appends `name` whether or not it is there, as ptxas does.
    ///
    /// # Errors
    ///
    /// `name` holds a NUL, or the table passes 4 GiB.
    pub fn push(&mut self, name: &str) -> Result<u32> {
        let end = self.text.len();
        if name.contains('\0') {
            return Err(Error::new(name, 0, ErrorKind::Other("the name holds a NUL".into())));
        }
        let field = "a string offset of 32 bits";
        let too_big =
            |_| Error::new(name, 0, ErrorKind::DoesNotFit { what: "offset", value: end as u64, field });
        let offset = u32::try_from(end).map_err(too_big)?;
        let text = self.text.to_mut();
        text.push_str(name);
        text.push('\0');
        Ok(offset)
    }

    /// The table as it lies in the file.
    pub fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    pub(crate) fn into_owned(self) -> StringTable<'static> {
        StringTable { text: Cow::Owned(self.text.into_owned()) }
    }
}
