//! What a writer returns: bytes, and the relocations that belong to them.

use alloc::vec::Vec;

/// A symbol, by an id that means something to the caller only.
///
/// A caller whose relocation types depend on the place of use, not only on the field's width, gives the same symbol
/// one id for each use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// An address of the target program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// Known now.
    Constant(u64),
    /// Known once the symbol is placed: the symbol's value plus `addend`.
    Symbol {
        /// What it is relative to.
        symbol: SymbolId,
        /// Bytes beyond the symbol.
        addend: i64,
    },
}

impl Address {
    /// What stands in the field until relocation: the constant, or the addend.
    pub(crate) const fn in_place(self) -> u64 {
        match self {
            Self::Constant(address) => address,
            Self::Symbol { addend, .. } => addend as u64,
        }
    }
}

/// A place that gets the value of a symbol plus an addend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reloc {
    /// Byte offset of the field in the section.
    pub offset: u64,
    /// Size of the field in bytes: 4 or 8.
    pub width: u8,
    /// What the value is relative to.
    pub symbol: SymbolId,
    /// Added to the symbol's value.
    ///
    /// The field itself holds the low `width` bytes of the addend too, as REL needs; a caller that writes RELA and wants
    /// other bytes there may overwrite them.
    pub addend: i64,
}

/// The contents of a section and its relocations, in the order of their offsets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The contents.
    pub bytes: Vec<u8>,
    /// The fields of `bytes` that depend on symbols.
    pub relocs: Vec<Reloc>,
}

impl Section {
    /// Puts `other` behind this one, as when several line programs share one section. Offsets *inside* `other` stay as
    /// they are: what points into it from elsewhere moves by the old length.
    pub fn append(&mut self, other: &Self) {
        self.append_parts(&other.bytes, &other.relocs);
    }

    pub(crate) fn append_parts(&mut self, bytes: &[u8], relocs: &[Reloc]) {
        let base = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        self.relocs.extend(relocs.iter().map(|reloc| Reloc { offset: base + reloc.offset, ..*reloc }));
    }

    /// Puts this one before `rest`, whose bytes are moved within their own memory.
    pub(crate) fn before(mut self, mut rest: Self) -> Self {
        let base = self.bytes.len() as u64;
        self.relocs.extend(rest.relocs.iter().map(|reloc| Reloc { offset: base + reloc.offset, ..*reloc }));
        rest.bytes.splice(..0, self.bytes);
        Self { bytes: rest.bytes, relocs: self.relocs }
    }

    /// An 8-byte address, with its relocation if it is symbolic.
    pub(crate) fn address(&mut self, address: Address) {
        put_address(&mut self.bytes, &mut self.relocs, address);
    }

    /// Drops everything behind `mark`, an earlier [`Section::mark`].
    pub(crate) fn rewind(&mut self, mark: (usize, usize)) {
        self.bytes.truncate(mark.0);
        self.relocs.truncate(mark.1);
    }

    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.bytes.len(), self.relocs.len())
    }
}

/// Appends an 8-byte address, and its relocation if it is symbolic.
pub(crate) fn put_address(bytes: &mut Vec<u8>, relocs: &mut Vec<Reloc>, address: Address) {
    if let Address::Symbol { symbol, addend } = address {
        relocs.push(Reloc { offset: bytes.len() as u64, width: 8, symbol, addend });
    }
    bytes.extend_from_slice(&address.in_place().to_le_bytes());
}

/// Appends `string` and its NUL.
pub(crate) fn put_string(out: &mut Vec<u8>, string: &[u8], field: &'static str) -> Result<(), crate::Error> {
    if let Some(offset) = string.iter().position(|byte| *byte == 0) {
        return Err(crate::Error::NulInString { field, offset });
    }
    out.extend_from_slice(string);
    out.push(0);
    Ok(())
}
