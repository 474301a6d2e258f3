//! The writer: values become the bytes of a cubin.

use object::elf::{self, FileHeader64, Ident, ProgramHeader64, Rel64, Rela64, SectionHeader64, Sym64};
use object::endian::{I64, LittleEndian as LE, U16, U32, U64};
use object::pod::bytes_of;

use super::layout::{FILE_HEADER, Layout, SECTION_HEADER, section_size};
use super::segment::Segment;
use super::{
    Contents, Cubin, Relocation, Section, SectionIndex, Symbol, extended_numbering, relocation_size,
};
use crate::error::{Error, ErrorKind, Result};

pub(super) fn write(cubin: &Cubin<'_>) -> Result<Vec<u8>> {
    let layout = cubin.layout()?;
    let mut out = Vec::with_capacity(layout.size as usize);
    out.extend_from_slice(bytes_of(&file_header(cubin, &layout)?));
    for (i, (section, &offset)) in (0..).zip(cubin.sections.iter().zip(&layout.offsets)).skip(1) {
        if !matches!(section.contents, Contents::Alias(_)) {
            out.resize(offset as usize, 0);
            contents(section, cubin.section_name(SectionIndex(i)), &mut out)?;
        }
    }
    out.resize(layout.section_headers as usize, 0);
    for (i, (section, &offset)) in cubin.sections.iter().zip(&layout.offsets).enumerate() {
        let mut header = section_header(cubin, section, offset);
        if i == 0 {
            extended_numbering::fill_null_header(cubin, &mut header);
        }
        out.extend_from_slice(bytes_of(&header));
    }
    for segment in &layout.segments {
        out.extend_from_slice(bytes_of(&program_header(segment)));
    }
    Ok(out)
}

/// Appends the bytes of one section called `name`.
pub(super) fn contents(section: &Section<'_>, name: &str, out: &mut Vec<u8>) -> Result<()> {
    match &section.contents {
        Contents::Bytes(bytes) => out.extend_from_slice(bytes),
        Contents::Strings(table) => out.extend_from_slice(table.as_bytes()),
        Contents::Symbols(symbols) => {
            for symbol in symbols {
                out.extend_from_slice(bytes_of(&raw_symbol(symbol)));
            }
        }
        Contents::Relocations(all) => {
            expect_addends(section.sh_type, all, name)?;
            for relocation in all {
                push_relocation(relocation, out);
            }
        }
        Contents::NoBits(_) | Contents::Alias(_) => {}
    }
    Ok(())
}

/// Refuses relocations that have an addend where those of `sh_type` have none, or the reverse.
pub(super) fn expect_addends(sh_type: u32, all: &[Relocation], name: &str) -> Result<()> {
    let size = relocation_size(sh_type).unwrap_or(24);
    let with_addend = size != 16;
    match (0..).zip(all).find(|(_, relocation)| relocation.addend.is_some() != with_addend) {
        Some((i, _)) => {
            Err(Error::new(name, i * size, ErrorKind::Addend { has_addend: !with_addend, sh_type }))
        }
        None => Ok(()),
    }
}

fn file_header(cubin: &Cubin<'_>, layout: &Layout) -> Result<FileHeader64<LE>> {
    let header = &cubin.header;
    let e_ident = Ident {
        magic: elf::ELFMAG,
        class: elf::ELFCLASS64,
        data: elf::ELFDATA2LSB,
        version: elf::EV_CURRENT,
        os_abi: elf::OsAbi(header.os_abi),
        abi_version: header.abi_version,
        padding: [0; 7],
    };
    Ok(FileHeader64 {
        e_ident,
        e_type: U16::new(LE, elf::FileType(header.e_type)),
        e_machine: U16::new(LE, elf::EM_CUDA),
        e_version: U32::new(LE, header.e_version),
        e_entry: U64::new(LE, header.e_entry),
        e_phoff: U64::new(LE, layout.program_headers),
        e_shoff: U64::new(LE, layout.section_headers),
        e_flags: U32::new(LE, elf::FileFlags(header.e_flags)),
        e_ehsize: U16::new(LE, FILE_HEADER as u16),
        e_phentsize: U16::new(LE, layout.program_header_size),
        e_phnum: U16::new(LE, segment_count(layout)?),
        e_shentsize: U16::new(LE, SECTION_HEADER as u16),
        e_shnum: U16::new(LE, extended_numbering::section_count(cubin.sections.len())),
        e_shstrndx: U16::new(LE, extended_numbering::narrow(header.shstrndx.0)),
    })
}

fn segment_count(layout: &Layout) -> Result<u16> {
    let value = layout.segments.len() as u64;
    let fits = u16::try_from(value).ok().filter(|n| *n < elf::PN_XNUM);
    let kind = ErrorKind::DoesNotFit { what: "number of segments", value, field: "e_phnum" };
    fits.ok_or_else(|| Error::new("", 56, kind))
}

fn section_header(cubin: &Cubin<'_>, section: &Section<'_>, offset: u64) -> SectionHeader64<LE> {
    let wrong = cubin.wrong_symbol_link.filter(|_| section.links_symbol_table());
    let link = wrong.unwrap_or(section.link);
    SectionHeader64 {
        sh_name: U32::new(LE, section.name),
        sh_type: U32::new(LE, elf::SectionType(section.sh_type)),
        sh_flags: U64::new(LE, elf::SectionFlags(section.flags)),
        sh_addr: U64::new(LE, section.address),
        sh_offset: U64::new(LE, offset),
        sh_size: U64::new(LE, section_size(cubin, section)),
        sh_link: U32::new(LE, link),
        sh_info: U32::new(LE, section.info),
        sh_addralign: U64::new(LE, section.align),
        sh_entsize: U64::new(LE, section.entsize),
    }
}

fn program_header(segment: &Segment) -> ProgramHeader64<LE> {
    ProgramHeader64 {
        p_type: U32::new(LE, elf::ProgramType(segment.p_type)),
        p_flags: U32::new(LE, elf::ProgramFlags(segment.flags)),
        p_offset: U64::new(LE, segment.offset),
        p_vaddr: U64::new(LE, segment.address),
        p_paddr: U64::new(LE, segment.address),
        p_filesz: U64::new(LE, segment.file_size),
        p_memsz: U64::new(LE, segment.memory_size),
        p_align: U64::new(LE, 8),
    }
}

fn raw_symbol(symbol: &Symbol) -> Sym64<LE> {
    Sym64 {
        st_name: U32::new(LE, symbol.name),
        st_info: elf::SymbolInfo(symbol.info),
        st_other: elf::SymbolOther(symbol.other),
        st_shndx: U16::new(LE, extended_numbering::narrow(symbol.shndx)),
        st_value: U64::new(LE, symbol.value),
        st_size: U64::new(LE, symbol.size),
    }
}

fn push_relocation(relocation: &Relocation, out: &mut Vec<u8>) {
    let r_offset = U64::new(LE, relocation.offset);
    let r_info = Rel64::r_info(LE, relocation.symbol.0, elf::RelocationType(relocation.r_type));
    match relocation.addend {
        None => out.extend_from_slice(bytes_of(&Rel64 { r_offset, r_info })),
        Some(addend) => {
            out.extend_from_slice(bytes_of(&Rela64 { r_offset, r_info, r_addend: I64::new(LE, addend) }));
        }
    }
}
