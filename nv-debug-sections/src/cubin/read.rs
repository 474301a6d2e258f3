//! The parser: the bytes of a cubin become values.

use std::borrow::Cow;
use std::collections::HashMap;

use object::LittleEndian as LE;
use object::elf::{self, FileHeader64, ProgramHeader64, Rel64, Rela64, SectionHeader64, Sym64};
use object::pod;

use super::layout::{FILE_HEADER, PROGRAM_HEADER, Position, SECTION_HEADER, SYMBOL, file_size, first_slack};
use super::{
    Contents, Cubin, Header, Relocation, SHF_MERCURY, Section, SectionIndex, StringTable, Symbol,
    SymbolIndex, extended_numbering, is_nobits, is_symtab_type, relocation_size,
};
use crate::error::{Error, ErrorKind, Result};
use crate::generation::Generation;
use crate::limits::{LAYOUT_MARGIN, MAX_CLONES, MAX_LAYOUT_GROWTH};

type RawSection = SectionHeader64<LE>;

pub(super) fn parse(data: &[u8]) -> Result<Cubin<'_>> {
    let file = file_header(data)?;
    let (raw, shstrndx) = tables(file, data)?;
    let names = section_names(raw, shstrndx, data)?;
    let header = Header {
        e_type: file.e_type.get(LE).0,
        os_abi: file.e_ident.os_abi.0,
        abi_version: file.e_ident.abi_version,
        e_version: file.e_version.get(LE),
        e_entry: file.e_entry.get(LE),
        e_flags: file.e_flags.get(LE).0,
        shstrndx,
    };
    let mut reader = Reader {
        data,
        raw,
        names: &names,
        owners: HashMap::new(),
        taken: 0,
        position: Position(FILE_HEADER),
    };
    let sections = (0..raw.len()).map(|index| reader.section(index)).collect::<Result<_>>()?;
    let mut cubin = Cubin::new(header, sections);
    // Of other generations all files are laid out alike, and the note tells it of most files.
    let may_be_classic = cubin.target().generation() == Generation::HiddenMercury;
    cubin.has_classic_segments = has_classic_segments(file, data)
        .filter(|is_classic| may_be_classic && *is_classic != cubin.is_linked());
    mend_symbol_links(&mut cubin);
    empty_reserved_shared(&mut cubin);
    check_links(&cubin)?;
    extended_numbering::load(&mut cubin)?;
    check_tables(&cubin)?;
    find_slack(&mut cubin, raw, data.len() as u64)?;
    check_size(&cubin, data.len() as u64)?;
    Ok(cubin)
}

/// Gives sections the index of the symbol table as their link, where the file has one wrong number
/// there for all of them.
fn mend_symbol_links(cubin: &mut Cubin<'_>) {
    let Some(symtab) = cubin.symtab.map(|index| index.0) else { return };
    let users = || cubin.sections.iter().filter(|section| section.links_symbol_table());
    let Some(wrong) = users().map(|section| section.link).find(|link| *link != symtab) else { return };
    let is_other_table = !cubin.symbols_of(SectionIndex(wrong)).is_empty();
    if wrong == 0 || is_other_table || users().any(|section| section.link != wrong) {
        return; // what is wrong with it is said where the symbols are needed
    }
    cubin.wrong_symbol_link = Some(wrong);
    let users = cubin.sections.iter_mut().filter(|section| section.links_symbol_table());
    users.for_each(|section| section.link = symtab);
}

/// Takes the bytes from Mercury clones of `.nv.shared.reserved.0` that have none in the file: what
/// follows in the file is not theirs. That is known only after the note that names the release.
fn empty_reserved_shared(cubin: &mut Cubin<'_>) {
    if cubin.release().stores_reserved_shared() {
        return;
    }
    for section in cubin.sections.iter_mut().filter(|section| section.is_reserved_shared_clone()) {
        if let Contents::Bytes(bytes) = &section.contents {
            section.contents = Contents::NoBits(bytes.len() as u64);
        }
    }
}

/// Checks that the `sh_link` of every section is a section. A wrong number in place of the symbol
/// table's may be past the last one, so this is known only after [`mend_symbol_links`].
fn check_links(cubin: &Cubin<'_>) -> Result<()> {
    let count = cubin.sections.len() as u64;
    for (_, name, section) in cubin.iter() {
        let index = u64::from(section.link);
        if index >= count {
            let kind = ErrorKind::Index { what: "section (sh_link)", index, count };
            return Err(Error::new(name, 0, kind));
        }
    }
    Ok(())
}

/// Refuses files whose alignments would make [`Cubin::write`] allocate much more than the input.
///
/// What the tools lay out comes out as long as it was; a linker with other rules may have left
/// smaller gaps. PTX may ask for any alignment (ptxas 13.0.88 takes `.align 1048576`), so that is
/// no measure.
fn check_size(cubin: &Cubin<'_>, have: u64) -> Result<()> {
    let value = cubin.layout()?.size;
    if value > have.saturating_mul(MAX_LAYOUT_GROWTH).saturating_add(LAYOUT_MARGIN) {
        let field = "four times the file, as its section alignments demand";
        return Err(Error::new("", 40, ErrorKind::DoesNotFit { what: "size", value, field }));
    }
    Ok(())
}

fn file_header(data: &[u8]) -> Result<&FileHeader64<LE>> {
    let not = |what| Error::new("", 0, ErrorKind::NotACubin(what));
    if data.get(..4) != Some(&elf::ELFMAG) {
        return Err(not("no ELF magic"));
    }
    // Class and encoding decide how the rest is to be read, so they come before the length of the
    // header.
    match (data.get(4).copied(), data.get(5).copied()) {
        (Some(c), Some(_)) if c == elf::ELFCLASS32.0 => return Err(not("a 32-bit ELF file")),
        (Some(_), Some(d)) if d == elf::ELFDATA2MSB.0 => return Err(not("a big-endian ELF file")),
        (Some(c), Some(d)) if c == elf::ELFCLASS64.0 && d == elf::ELFDATA2LSB.0 => {}
        (Some(_), Some(_)) => return Err(not("an ELF file of unknown class or byte order")),
        _ => return Err(truncated(data, "the ELF file header")),
    }
    let header = pod::from_bytes::<FileHeader64<LE>>(data);
    let (header, _) = header.map_err(|()| truncated(data, "the ELF file header"))?;
    let machine = header.e_machine.get(LE);
    if machine != elf::EM_CUDA {
        return Err(Error::new("", 18, ErrorKind::OtherMachine(machine_name(machine.0))));
    }
    Ok(header)
}

/// The machines a wrong file is likely to be for.
fn machine_name(machine: u16) -> String {
    const NAMES: &[(elf::Machine, &str)] = &[
        (elf::EM_386, "i386"),
        (elf::EM_PPC64, "PowerPC 64"),
        (elf::EM_ARM, "ARM"),
        (elf::EM_X86_64, "x86-64"),
        (elf::EM_AARCH64, "AArch64"),
        (elf::EM_AMDGPU, "AMD GPU"),
        (elf::EM_RISCV, "RISC-V"),
        (elf::EM_BPF, "BPF"),
    ];
    let name = NAMES.iter().find(|(m, _)| m.0 == machine).map_or("an unknown machine", |(_, name)| name);
    format!("{name} ({machine})")
}

/// The section headers, and which of them is that of the section names. Program headers are only
/// checked: what they say follows from the sections.
fn tables<'d>(file: &FileHeader64<LE>, data: &'d [u8]) -> Result<(&'d [RawSection], SectionIndex)> {
    let value =
        |offset, field, found, expected| Error::new("", offset, ErrorKind::Value { field, found, expected });
    let start = file.e_shoff.get(LE);
    let entsize = u64::from(file.e_shentsize.get(LE));
    if entsize != SECTION_HEADER {
        return Err(value(58, "e_shentsize", entsize, "64"));
    }
    let tail = usize::try_from(start).ok().and_then(|at| data.get(at..));
    let tail = tail.ok_or_else(|| value(40, "e_shoff", start, "an offset inside the file"))?;
    let null = pod::from_bytes::<RawSection>(tail).ok().map(|(header, _)| header);
    let (count, names, segments) = extended_numbering::counts(file, null);
    if count == 0 {
        return Err(value(60, "e_shnum", 0, "at least 1, here or in sh_size of section 0"));
    }
    let table = usize::try_from(count).ok().and_then(|n| pod::slice_from_bytes::<RawSection>(tail, n).ok());
    let (table, _) = table.ok_or_else(|| truncated(data, "the section header table"))?;

    let (start, entsize) = (file.e_phoff.get(LE), u64::from(file.e_phentsize.get(LE)));
    if segments != 0 && entsize != PROGRAM_HEADER {
        return Err(value(54, "e_phentsize", entsize, "56"));
    }
    let end = start.checked_add(PROGRAM_HEADER * u64::from(segments));
    if segments != 0 && end.is_none_or(|end| end > data.len() as u64) {
        return Err(truncated(data, "the program header table"));
    }
    Ok((table, names))
}

/// Whether the file is laid out as before Mercury: the table of program headers may be executed, or
/// where there is none the size of an entry is there all the same. `None` for a table that does not
/// tell.
fn has_classic_segments(file: &FileHeader64<LE>, data: &[u8]) -> Option<bool> {
    if file.e_phnum.get(LE) == 0 {
        return Some(file.e_phentsize.get(LE) != 0);
    }
    let start = usize::try_from(file.e_phoff.get(LE)).ok()?;
    let (first, _) = pod::from_bytes::<ProgramHeader64<LE>>(data.get(start..)?).ok()?;
    (first.p_type.get(LE) == elf::PT_PHDR).then(|| first.p_flags.get(LE).0 & elf::PF_X.0 != 0)
}

/// `what` should go on where the file ends.
fn truncated(data: &[u8], what: &'static str) -> Error {
    Error::new("", data.len() as u64, ErrorKind::Truncated(what))
}

fn section_names<'d>(raw: &[RawSection], index: SectionIndex, data: &'d [u8]) -> Result<StringTable<'d>> {
    let what = "section (e_shstrndx)";
    let missing = ErrorKind::Index { what, index: index.0.into(), count: raw.len() as u64 };
    let section = raw.get(index.as_usize()).filter(|s| s.sh_type.get(LE) == elf::SHT_STRTAB);
    let section = section.ok_or_else(|| Error::new("", 62, missing))?;
    StringTable::parse(".shstrtab", range(data, section, ".shstrtab")?)
}

/// The file range of a section that has one.
fn range<'d>(data: &'d [u8], raw: &RawSection, name: &str) -> Result<&'d [u8]> {
    let (offset, size) = (raw.sh_offset.get(LE), raw.sh_size.get(LE));
    let end = offset.checked_add(size).and_then(|end| usize::try_from(end).ok());
    let bytes = usize::try_from(offset).ok().zip(end).and_then(|(start, end)| data.get(start..end));
    bytes.ok_or_else(|| Error::new(name, 0, ErrorKind::OutsideFile { offset, size, file_size: data.len() }))
}

struct Reader<'a, 'd> {
    data: &'d [u8],
    raw: &'d [RawSection],
    names: &'a StringTable<'d>,
    /// Who owns a file range (offset, size), for the clones that share it.
    owners: HashMap<(u64, u64), Owner>,
    /// Bytes owned so far; more than the file has means overlapping sections, which could multiply
    /// memory.
    taken: u64,
    position: Position,
}

/// A section whose bytes others may share.
struct Owner {
    index: SectionIndex,
    align: u64,
    /// The number of clones that share the bytes.
    clones: u32,
}

impl<'d> Reader<'_, 'd> {
    fn section(&mut self, index: usize) -> Result<Section<'d>> {
        let Some(raw) = self.raw.get(index).filter(|_| index != 0) else { return Ok(Section::default()) };
        let name_offset = raw.sh_name.get(LE);
        if !self.names.contains(name_offset) {
            let (field, found) = ("sh_name", u64::from(name_offset));
            let kind = ErrorKind::Value { field, found, expected: "an offset inside .shstrtab" };
            return Err(Error::new(format!("section {index}"), 0, kind));
        }
        let name = self.names.get(name_offset).unwrap_or("");
        let mut section = Section {
            name: name_offset,
            sh_type: raw.sh_type.get(LE).0,
            flags: raw.sh_flags.get(LE).0,
            address: raw.sh_addr.get(LE),
            link: raw.sh_link.get(LE),
            info: raw.sh_info.get(LE),
            align: raw.sh_addralign.get(LE),
            entsize: raw.sh_entsize.get(LE),
            contents: Contents::NoBits(0),
            slack: None,
        };
        self.check_header(&section, name)?;
        section.contents = self.contents(index, raw, &section, name)?;
        Ok(section)
    }

    fn check_header(&self, section: &Section<'_>, name: &str) -> Result<()> {
        let count = self.raw.len() as u64;
        let index = |what, index: u32| {
            let kind = ErrorKind::Index { what, index: index.into(), count };
            if u64::from(index) < count { Ok(()) } else { Err(Error::new(name, 0, kind)) }
        };
        if section.info_is_section() {
            index("section (sh_info)", section.info)?;
        }
        if section.align != 0 && !section.align.is_power_of_two() {
            let expected = "0 or a power of two";
            let kind = ErrorKind::Value { field: "sh_addralign", found: section.align, expected };
            return Err(Error::new(name, 0, kind));
        }
        Ok(())
    }

    fn contents(
        &mut self,
        index: usize,
        raw: &RawSection,
        section: &Section<'_>,
        name: &str,
    ) -> Result<Contents<'d>> {
        let size = raw.sh_size.get(LE);
        if is_nobits(section.sh_type, section.flags) || section.sh_type == elf::SHT_NULL.0 {
            self.position.align(section.align)?;
            return Ok(Contents::NoBits(size));
        }
        let bytes = range(self.data, raw, name)?;
        let key = (raw.sh_offset.get(LE), size);
        if let Some(owner) = self.owners.get_mut(&key).filter(|_| section.flags & SHF_MERCURY != 0) {
            let mut natural = self.position;
            natural.align(section.align)?;
            // An empty section shares its place with whatever ended there; only one out of place is
            // a clone.
            if natural.0 != key.0 {
                // Aliases take no part in the layout, so nothing else would bound what aligning one
                // later costs.
                if section.align > owner.align.max(1) {
                    let expected = "no more than that of the section whose bytes it shares";
                    let kind = ErrorKind::Value { field: "sh_addralign", found: section.align, expected };
                    return Err(Error::new(name, 0, kind));
                }
                owner.clones += u32::from(size != 0);
                if owner.clones > MAX_CLONES {
                    let text = format!("more than {MAX_CLONES} sections share these bytes");
                    return Err(Error::new(name, 0, ErrorKind::Limit(text.into())));
                }
                return Ok(Contents::Alias(owner.index));
            }
        }
        self.taken += size;
        if self.taken > self.data.len() as u64 {
            return Err(Error::new(name, 0, ErrorKind::Overlap("the section overlaps others")));
        }
        let owner = Owner { index: SectionIndex(index as u32), align: section.align, clones: 0 };
        self.owners.entry(key).or_insert(owner);
        self.position = Position(key.0.saturating_add(size));
        decode(section, name, bytes)
    }
}

fn decode<'d>(section: &Section<'_>, name: &str, bytes: &'d [u8]) -> Result<Contents<'d>> {
    if section.sh_type == elf::SHT_STRTAB.0 {
        return Ok(Contents::Strings(StringTable::parse(name, bytes)?));
    }
    if is_symtab_type(section.sh_type) {
        let raw = entries::<Sym64<LE>>(section, name, bytes)?;
        return Ok(Contents::Symbols(raw.iter().map(symbol).collect()));
    }
    Ok(match relocation_size(section.sh_type) {
        Some(16) => {
            Contents::Relocations(entries::<Rel64<LE>>(section, name, bytes)?.iter().map(rel).collect())
        }
        Some(_) => {
            Contents::Relocations(entries::<Rela64<LE>>(section, name, bytes)?.iter().map(rela).collect())
        }
        None => Contents::Bytes(Cow::Borrowed(bytes)),
    })
}

fn entries<'d, T: pod::Pod>(section: &Section<'_>, name: &str, bytes: &'d [u8]) -> Result<&'d [T]> {
    let size = size_of::<T>() as u64;
    if section.entsize != size {
        let expected = if size == 16 { "16" } else { "24" };
        let kind = ErrorKind::Value { field: "sh_entsize", found: section.entsize, expected };
        return Err(Error::new(name, 0, kind));
    }
    pod::slice_from_all_bytes(bytes).map_err(|()| {
        let end = bytes.len() as u64;
        Error::new(name, end - end % size, ErrorKind::Truncated("the last entry"))
    })
}

fn symbol(raw: &Sym64<LE>) -> Symbol {
    Symbol {
        name: raw.st_name.get(LE),
        info: raw.st_info.0,
        other: raw.st_other.0,
        shndx: extended_numbering::widen(raw.st_shndx.get(LE)),
        value: raw.st_value.get(LE),
        size: raw.st_size.get(LE),
    }
}

fn rel(raw: &Rel64<LE>) -> Relocation {
    let (r_type, symbol) = (raw.r_type(LE).0, SymbolIndex(raw.r_sym(LE)));
    Relocation { offset: raw.r_offset.get(LE), r_type, symbol, addend: None }
}

fn rela(raw: &Rela64<LE>) -> Relocation {
    let (r_type, symbol) = (raw.r_type(LE, false).0, SymbolIndex(raw.r_sym(LE, false)));
    Relocation { offset: raw.r_offset.get(LE), r_type, symbol, addend: Some(raw.r_addend.get(LE)) }
}

/// Links between tables: symbol names, symbol sections, relocation symbols.
fn check_tables(cubin: &Cubin<'_>) -> Result<()> {
    cubin.iter().try_for_each(|(_, name, section)| check_table(cubin, name, section))
}

/// Checks one section called `name` as [`check_tables`] does.
pub(super) fn check_table(cubin: &Cubin<'_>, name: &str, section: &Section<'_>) -> Result<()> {
    match &section.contents {
        Contents::Symbols(symbols) => {
            let strings = cubin
                .strings(SectionIndex(section.link))
                .ok_or_else(|| wrong_link(section, name, "a string table"))?;
            check_symbols(symbols, name, strings, cubin.sections.len() as u64)
        }
        Contents::Relocations(all) => {
            let Some(Contents::Symbols(symbols)) =
                cubin.sections.get(section.link as usize).map(|s| &s.contents)
            else {
                return Err(wrong_link(section, name, "a symbol table"));
            };
            check_relocations(section.sh_type, all, name, symbols.len() as u64)
        }
        _ => Ok(()),
    }
}

/// Symbols of the table called `name`: their names are in `strings`, they are in one of as many
/// `sections`.
pub(super) fn check_symbols(
    symbols: &[Symbol],
    name: &str,
    strings: &StringTable<'_>,
    sections: u64,
) -> Result<()> {
    for (i, symbol) in (0u64..).zip(symbols) {
        if !strings.contains(symbol.name) {
            let expected = "an offset inside the linked string table";
            let kind = ErrorKind::Value { field: "st_name", found: symbol.name.into(), expected };
            return Err(Error::new(name, i * SYMBOL, kind));
        }
        if let Some(index) = symbol.section().filter(|s| u64::from(s.0) >= sections) {
            let kind =
                ErrorKind::Index { what: "section (st_shndx)", index: index.0.into(), count: sections };
            return Err(Error::new(name, i * SYMBOL, kind));
        }
    }
    Ok(())
}

/// Relocations of a section of type `sh_type` called `name`: each is against one of `count`
/// symbols.
pub(super) fn check_relocations(sh_type: u32, all: &[Relocation], name: &str, count: u64) -> Result<()> {
    if let Some((i, bad)) = (0u64..).zip(all).find(|(_, r)| u64::from(r.symbol.0) >= count) {
        let kind = ErrorKind::Index { what: "symbol", index: bad.symbol.0.into(), count };
        let entry = relocation_size(sh_type).unwrap_or(24);
        return Err(Error::new(name, i * entry, kind));
    }
    Ok(())
}

pub(super) fn wrong_link(section: &Section<'_>, name: &str, expected: &'static str) -> Error {
    Error::new(name, 0, ErrorKind::Value { field: "sh_link", found: section.link.into(), expected })
}

/// Stores the gaps that the layout rules do not explain.
///
/// The position never goes back, so that the slacks of a file with shuffled sections add up to less
/// than its length.
fn find_slack(cubin: &mut Cubin<'_>, raw: &[RawSection], file: u64) -> Result<()> {
    let rule = first_slack(cubin);
    let shstrndx = cubin.header.shstrndx.as_usize();
    let mut at = Position(FILE_HEADER);
    let mut previous: Option<usize> = None;
    for index in 1..cubin.sections.len() {
        let (Some(section), Some(raw)) = (cubin.sections.get(index), raw.get(index)) else { break };
        if matches!(section.contents, Contents::Alias(_)) {
            continue;
        }
        let (align, size, have) = (section.align, file_size(section), raw.sh_offset.get(LE));
        let end = at;
        let expected_slack = if previous == Some(shstrndx) { rule } else { 0 };
        at.advance(expected_slack)?;
        at.align(align)?;
        if at.0 != have {
            let mut plain = end;
            plain.align(align)?;
            if (plain.0..=file).contains(&have) && have.is_multiple_of(align.max(1)) {
                let stored = if have == plain.0 { 0 } else { have - end.0 };
                if let Some(owner) = previous.and_then(|p| cubin.sections.get_mut(p)) {
                    owner.slack = Some(stored);
                }
                at = Position(have);
            }
        }
        at.advance(size)?;
        previous = Some(index);
    }
    Ok(())
}
