//! The replacement of images in the file that they are in. The file keeps its length, and every
//! byte outside the image keeps its offset.

use std::ops::Range;

use super::compress::{Compressed, compress};
use super::{Compression, Entry};
use crate::limits::MAX_EXPANSION;
use crate::{ErrorKind, Result};

/// The offset of `compressedSize` in the header of an entry.
const COMPRESSED_SIZE: Range<usize> = 16..20;
/// The offset of the identifier's size in the header of an entry.
const NAME_SIZE: Range<usize> = 36..40;
/// The offset of the uncompressed size in the header of an entry.
const UNCOMPRESSED_SIZE: Range<usize> = 56..64;

/// An image, encoded for the place in a file where another one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement<'d> {
    entry: Entry<'d>,
    header: Vec<u8>,
    stored: Vec<u8>,
}

impl<'d> Entry<'d> {
    /// Encodes an image for the place of this one. It is compressed if this one is, and by the same
    /// method.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoRoom`] where it is larger than its place; [`ErrorKind::UnsupportedEncoding`]
    /// and the other errors of [`payload`](Entry::payload) where this image cannot be decoded.
    pub fn replacement(&self, image: &[u8]) -> Result<Replacement<'d>> {
        let fail = |kind| self.position.error(self.position.offset, kind);
        let mut header = self.header.to_vec();
        let method = self.flags.compression();
        let Compressed { stored, size } = match method {
            None => Compressed { stored: image.to_vec(), size: image.len() as u64 },
            Some(method) => self.compressed(method, image)?,
        };
        let room = self.room.len();
        // Nothing stands for an image that is not compressed but the size of the place.
        let sizes = method.map(|_| (u32::try_from(stored.len()).ok(), size));
        if stored.len() > room || matches!(sizes, Some((None, _))) {
            let (needed, room) = (stored.len() as u64, room as u64);
            return Err(fail(ErrorKind::NoRoom { needed, room, is_compressed: method.is_some() }));
        }
        if let Some((Some(compressed), size)) = sizes {
            set(&mut header, COMPRESSED_SIZE, &compressed.to_le_bytes());
            set(&mut header, UNCOMPRESSED_SIZE, &size.to_le_bytes());
        }
        Ok(Replacement { entry: self.clone(), header, stored })
    }

    /// Returns the image as it is, for its place. It is there for
    /// [`set_name`](Replacement::set_name).
    pub fn kept(&self) -> Replacement<'d> {
        Replacement { entry: self.clone(), header: self.header.to_vec(), stored: self.stored.to_vec() }
    }

    fn compressed(&self, method: Compression, image: &[u8]) -> Result<Compressed> {
        // With the NUL of a text.
        let old = self.decompressed(MAX_EXPANSION)?;
        compress(method, image, &old, self.stored, self.room.len())
            .map_err(|kind| self.position.error(self.position.offset, kind))
    }
}

impl Replacement<'_> {
    /// The number of bytes that the image takes in the file, without the padding after it.
    pub fn stored_size(&self) -> u64 {
        self.stored.len() as u64
    }

    /// Gives the entry another identifier, which is the name of its source file. The rest of the
    /// place of the old one becomes zeros.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoRoom`] where it is longer than the old one and the zeros after that.
    pub fn set_name(&mut self, name: &[u8]) -> Result<()> {
        let Entry { position, name: old, .. } = &self.entry;
        let Some(start) = offset_in(self.entry.header, old).filter(|_| !old.is_empty()) else {
            return Ok(());
        };
        let after = self.entry.header.get(start + old.len()..).unwrap_or_default();
        let padding = after.iter().take_while(|byte| **byte == 0).count();
        // Identifiers end at a multiple of 8.
        let padding = padding.min((start + old.len()).next_multiple_of(8) - (start + old.len()));
        let room = old.len() + padding;
        if name.len() > room {
            let (needed, room) = (name.len() as u64, room as u64);
            let kind = ErrorKind::NoRoom { needed, room, is_compressed: false };
            return Err(position.error(position.offset + start as u64, kind));
        }
        let mut padded = name.to_vec();
        padded.resize(room, 0);
        set(&mut self.header, start..start + room, &padded);
        set(&mut self.header, NAME_SIZE, &(name.len() as u32).to_le_bytes());
        Ok(())
    }

    /// Puts the image into `copy`, a copy of `original`, which is the file that the image was read
    /// from.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherFile`]: the image was read from another file, or the copy has another
    /// length.
    pub fn write_to(&self, original: &[u8], copy: &mut [u8]) -> Result<()> {
        let Entry { position, header, room, .. } = &self.entry;
        let mut stored = self.stored.clone();
        stored.resize(room.len(), 0);
        let places = offset_in(original, header).zip(offset_in(original, room));
        let Some((header_at, room_at)) = places.filter(|_| copy.len() == original.len()) else {
            let text = "the image is one of another file".to_owned();
            return Err(position.error(position.offset, ErrorKind::OtherFile(text)));
        };
        set(copy, header_at..header_at + header.len(), &self.header);
        set(copy, room_at..room_at + room.len(), &stored);
        Ok(())
    }
}

/// Where in `whole` the slice `part` lies that was taken from it.
fn offset_in(whole: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    (start.checked_add(part.len())? <= whole.len()).then_some(start)
}

/// Writes `bytes` to a place that is there.
fn set(whole: &mut [u8], place: Range<usize>, bytes: &[u8]) {
    if let Some(place) = whole.get_mut(place).filter(|place| place.len() == bytes.len()) {
        place.copy_from_slice(bytes);
    }
}
