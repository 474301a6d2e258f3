//! Extended section numbering (ELF-64 gABI, "Sections"), for section indices that do not fit into
//! 16 bits.
//!
//! From 0xff00 (`SHN_LORESERVE`) on, the number of sections is `sh_size` of section 0, the index of
//! the section names its `sh_link`, and a symbol's section index is in the `SHT_SYMTAB_SHNDX`
//! section that links to the symbol table. ptxas has the name of the latter, `.symtab_shndx`, in
//! every file (docs/formats/container.md, file header).

use std::borrow::Cow;
use std::collections::HashSet;

use object::LittleEndian as LE;
use object::elf::{self, FileHeader64, SectionHeader64, SymbolSection};
use object::endian::{U32, U64};

use super::{Contents, Cubin, Section, SectionIndex};
use crate::error::{Error, ErrorKind, Result};

/// The first `SHN_*` value among 32-bit section indices (see
/// [`Symbol::shndx`](super::Symbol::shndx)).
pub(super) const RESERVED: u32 = 0xffff_0000 | elf::SHN_LORESERVE as u32;

/// A 16-bit section index, the `SHN_*` values moved to the end of 32 bits.
pub(super) fn widen(index: SymbolSection) -> u32 {
    let reserved = if index.0 < elf::SHN_LORESERVE { 0 } else { 0xffff_0000 };
    reserved | u32::from(index.0)
}

/// The reverse of [`widen`]; `SHN_XINDEX` for what is stored elsewhere.
pub(super) fn narrow(index: u32) -> SymbolSection {
    if is_extended(index) { elf::SHN_XINDEX } else { SymbolSection(index as u16) }
}

fn is_extended(index: u32) -> bool {
    (elf::SHN_LORESERVE.into()..RESERVED).contains(&index)
}

/// The entry of `SHT_SYMTAB_SHNDX` for a symbol in section `index`.
fn entry(index: u32) -> u32 {
    if is_extended(index) { index } else { 0 }
}

/// `e_shnum` for this many sections.
pub(super) fn section_count(count: usize) -> u16 {
    u16::try_from(count).ok().filter(|n| *n < elf::SHN_LORESERVE).unwrap_or(0)
}

/// Puts what the file header has no room for in the header of section 0.
pub(super) fn fill_null_header(cubin: &Cubin<'_>, header: &mut SectionHeader64<LE>) {
    let count = cubin.sections.len();
    let stored = if section_count(count) == 0 { count as u64 } else { 0 };
    header.sh_size = U64::new(LE, stored);
    header.sh_link = U32::new(LE, entry(cubin.header.shstrndx.0));
}

/// `e_shnum`, `e_shstrndx` and `e_phnum`, from the header of section 0 where the file header says
/// so.
pub(super) fn counts(
    file: &FileHeader64<LE>,
    null: Option<&SectionHeader64<LE>>,
) -> (u64, SectionIndex, u32) {
    let (count, names, segments) = (file.e_shnum.get(LE), file.e_shstrndx.get(LE), file.e_phnum.get(LE));
    let count = if count == 0 { null.map_or(0, |n| n.sh_size.get(LE)) } else { count.into() };
    let is_extended = names == elf::SHN_XINDEX;
    let names = null.filter(|_| is_extended).map_or_else(|| widen(names), |n| n.sh_link.get(LE));
    let is_extended = segments == elf::PN_XNUM;
    let segments = null.filter(|_| is_extended).map_or_else(|| segments.into(), |n| n.sh_info.get(LE));
    (count, SectionIndex(names), segments)
}

/// Gives symbols that say `SHN_XINDEX` their section indices.
pub(super) fn load(cubin: &mut Cubin<'_>) -> Result<()> {
    for index in 0..cubin.sections.len() {
        load_table(&mut cubin.sections, index).map_err(|(offset, kind)| {
            Error::new(cubin.section_name(SectionIndex(index as u32)), offset, kind)
        })?;
    }
    Ok(())
}

fn load_table(sections: &mut [Section<'_>], index: usize) -> Result<(), (u64, ErrorKind)> {
    let Some((link, bytes)) = sections.get(index).and_then(table) else { return Ok(()) };
    let bytes = bytes.clone();
    let Some(Contents::Symbols(symbols)) = sections.get_mut(link).map(|s| &mut s.contents) else {
        let expected = "a symbol table";
        return Err((0, ErrorKind::Value { field: "sh_link", found: link as u64, expected }));
    };
    let (entries, rest) = bytes.as_chunks::<4>();
    if entries.len() != symbols.len() || !rest.is_empty() {
        let expected = "4 bytes for each symbol";
        return Err((0, ErrorKind::Value { field: "sh_size", found: bytes.len() as u64, expected }));
    }
    for (i, (symbol, found)) in (0..).zip(symbols.iter_mut().zip(entries)) {
        let found = u32::from_le_bytes(*found);
        if narrow(symbol.shndx) == elf::SHN_XINDEX {
            symbol.shndx = found;
        }
        if entry(symbol.shndx) != found {
            let expected = "a section index from 0xff00 on, or 0 if st_shndx is not SHN_XINDEX";
            let kind =
                ErrorKind::Value { field: "the symbol's section index", found: found.into(), expected };
            return Err((i * 4, kind));
        }
    }
    Ok(())
}

/// Makes the `SHT_SYMTAB_SHNDX` sections say what the symbols say.
pub(super) fn store(sections: &mut [Section<'_>]) {
    for index in 0..sections.len() {
        let Some((link, _)) = sections.get(index).and_then(table) else { continue };
        let Some(Contents::Symbols(symbols)) = sections.get(link).map(|s| &s.contents) else { continue };
        let bytes: Vec<u8> = symbols.iter().flat_map(|s| entry(s.shndx).to_le_bytes()).collect();
        if let Some(section) = sections.get_mut(index) {
            section.contents = Contents::Bytes(Cow::Owned(bytes));
        }
    }
}

/// The symbol table that an `SHT_SYMTAB_SHNDX` section is for, and its bytes.
fn table<'s, 'd>(section: &'s Section<'d>) -> Option<(usize, &'s Cow<'d, [u8]>)> {
    match &section.contents {
        Contents::Bytes(bytes) if section.sh_type == elf::SHT_SYMTAB_SHNDX.0 => {
            Some((section.link as usize, bytes))
        }
        _ => None,
    }
}

/// Refuses to let a file grow to `count` sections whose symbols cannot name them all.
pub(super) fn check_section_count(cubin: &Cubin<'_>, count: usize) -> Result<()> {
    let tables: HashSet<usize> = cubin.sections.iter().filter_map(table).map(|(link, _)| link).collect();
    let has_room =
        |(i, s): (usize, &Section<'_>)| !matches!(s.contents, Contents::Symbols(_)) || tables.contains(&i);
    if section_count(count) != 0 || cubin.sections.iter().enumerate().all(has_room) {
        return Ok(());
    }
    let field = "st_shndx (0xfeff without an SHT_SYMTAB_SHNDX section)";
    Err(Error::in_section(
        "",
        ErrorKind::DoesNotFit { what: "number of sections", value: count as u64, field },
    ))
}
