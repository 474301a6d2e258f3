//! 32-bit and 64-bit DWARF.

/// 32-bit or 64-bit DWARF: the size of the length and offset fields of a unit or entry (DWARF 3
/// §7.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Format {
    /// 4-byte lengths and offsets: all that DWARF 2 has.
    #[default]
    Dwarf32,
    /// 8-byte lengths and offsets after the escape `ff ff ff ff`.
    Dwarf64,
}
