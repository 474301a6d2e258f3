//! Sections of DWARF as PTX text.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use dwarf2_writer::{Address, Section, SymbolId};

use super::Dialect;
use super::data_lines::put_bytes;

/// The names that fields of sections refer to: sections, symbols and labels.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    names: Vec<String>,
}

impl Symbols {
    /// Returns the address of a name plus an offset.
    pub(super) fn address(&mut self, name: &str, addend: i64) -> Address {
        let found = self.names.iter().rposition(|known| known == name);
        let index = found.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        Address::Symbol { symbol: SymbolId(index as u32), addend }
    }
}

/// Appends a section, without its last line.
pub(super) fn put_section(
    out: &mut String,
    dialect: Dialect,
    name: &str,
    section: &Section,
    symbols: &Symbols,
) {
    let _ = writeln!(out, "\t.section\t{name}\n\t{{"); // a String takes everything
    let mut written = 0;
    for reloc in &section.relocs {
        let at = reloc.offset as usize;
        put_bytes(out, dialect, section.bytes.get(written..at).unwrap_or_default());
        written = at + usize::from(reloc.width);
        let bits = u32::from(reloc.width) * 8;
        let symbol = symbols.names.get(reloc.symbol.0 as usize).map_or("", String::as_str);
        let _ = write!(out, ".b{bits} {symbol}");
        if reloc.addend != 0 {
            let _ = write!(out, "{:+}", reloc.addend);
        }
        out.push('\n');
    }
    put_bytes(out, dialect, section.bytes.get(written..).unwrap_or_default());
}
