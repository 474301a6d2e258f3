//! The opcodes of a line program, in memory that is allocated ahead.

use alloc::vec::Vec;

use leb128_nv::Leb128;

use super::opcodes::Opcodes;
use crate::constants::DW_LNE_set_address;
use crate::{Address, Reloc, Section};

/// Extended opcodes start with this byte.
pub(super) const EXTENDED: u8 = 0;

/// Room of a program that has any opcode.
const LEAST_ROOM: usize = 512;

/// Most bytes that are made room for before they are needed.
const MOST_AHEAD: usize = 1024;

/// The opcodes, and the relocations among them. Stores have a fixed size, and the bytes that count
/// are counted separately, so neither the length of a copy nor the room after the last byte needs a
/// branch.
#[derive(Debug, Clone, Default)]
pub(super) struct ProgramBytes {
    /// Its end is of no use from `len` on.
    buffer: Vec<u8>,
    len: usize,
    relocs: Vec<Reloc>,
}

impl ProgramBytes {
    /// In bytes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or(&self.buffer)
    }

    pub(super) fn relocs(&self) -> &[Reloc] {
        &self.relocs
    }

    /// At least `room` bytes after the last one, to be written and then counted with
    /// [`ProgramBytes::wrote`].
    #[inline]
    pub(super) fn room(&mut self, room: usize) -> &mut [u8] {
        if self.buffer.len() - self.len < room {
            self.grow(room);
        }
        self.buffer.get_mut(self.len..).unwrap_or_default()
    }

    /// [`ProgramBytes::room`] whose size is known.
    #[inline]
    pub(super) fn fixed_room<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        self.room(N).first_chunk_mut()
    }

    /// Counts bytes of the [`ProgramBytes::room`] as written.
    #[inline]
    pub(super) fn wrote(&mut self, len: usize) {
        self.len = (self.len + len).min(self.buffer.len());
    }

    /// Appends the first `len` of `bytes`.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        if let Some(room) = self.fixed_room() {
            *room = bytes;
        }
        self.wrote(len.min(N));
    }

    #[inline]
    pub(super) fn op(&mut self, opcode: u8) {
        self.put([opcode], 1);
    }

    /// Appends an opcode with an operand.
    #[inline]
    pub(super) fn with(&mut self, opcode: u8, operand: Leb128) {
        if let Some([first, rest @ ..]) = self.fixed_room::<{ 1 + 16 }>() {
            (*first, *rest) = (opcode, operand.to_bits().to_le_bytes());
        }
        self.wrote(1 + operand.len());
    }

    #[inline]
    pub(super) fn opcodes(&mut self, Opcodes { bits, len }: Opcodes) {
        self.put(bits.to_le_bytes(), len as usize);
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room(bytes.len()).get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.wrote(bytes.len());
    }

    /// [`ProgramBytes::extend`] with relocations, whose offsets are in `bytes`.
    pub(super) fn extend_relocated(&mut self, bytes: &[u8], relocs: impl Iterator<Item = Reloc>) {
        let base = self.len as u64;
        self.relocs.extend(relocs.map(|reloc| Reloc { offset: base + reloc.offset, ..reloc }));
        self.extend(bytes);
    }

    /// `DW_LNE_set_address`.
    #[inline]
    pub(super) fn set_address(&mut self, address: Address) {
        const OPCODE: [u8; 3] = [EXTENDED, 1 + 8, DW_LNE_set_address];
        let [a, b, c] = OPCODE;
        if let Address::Symbol { symbol, addend } = address {
            let offset = (self.len + OPCODE.len()) as u64;
            self.relocs.push(Reloc::new(offset, 8, symbol, addend));
        }
        let bits = u128::from(u32::from_le_bytes([a, b, c, 0])) | u128::from(address.in_place()) << 24;
        self.put(bits.to_le_bytes(), OPCODE.len() + 8);
    }

    /// The finished section: `header_len` bytes for the header, and the opcodes, moved within their
    /// own memory.
    pub(super) fn after_header(mut self, header_len: usize) -> Section {
        self.buffer.resize(header_len + self.len, 0);
        self.buffer.copy_within(..self.len, header_len);
        for reloc in &mut self.relocs {
            reloc.offset += header_len as u64;
        }
        Section { bytes: self.buffer, relocs: self.relocs }
    }

    /// Opcodes of `len` bytes, in memory that has not been touched.
    #[cfg(all(test, target_pointer_width = "64"))]
    pub(super) fn untouched(len: usize) -> Self {
        Self { buffer: crate::section::tests::untouched(len), len, relocs: Vec::new() }
    }

    /// Zeroes no more than is soon written: the caches still have it then.
    #[cold]
    fn grow(&mut self, room: usize) {
        let ahead = self.buffer.len().clamp(LEAST_ROOM, MOST_AHEAD);
        self.buffer.resize(self.len + room + ahead, 0);
    }
}
