//! The cubin container: an ELF file of machine `EM_CUDA`, read into values and written back.
//!
//! [`Cubin::parse`] takes everything apart into plain values (indices, names, symbols, relocations,
//! bytes); [`Cubin::write`] lays them out as ptxas, nvlink and NVRTC do: file offsets, gaps,
//! program headers and the position of the header tables are recomputed, never kept. For every
//! cubin these tools write the result is the input, byte for byte. Sources: the ELF-64 gABI for the
//! structures, docs/formats/container.md for what the tools do with them.
//!
//! String tables keep the tools' bytes (creation order, duplicates, names of sections that were
//! dropped), and section and symbol names are offsets into them, because none of that can be had
//! from the names alone.

mod append;
mod debug_only;
mod edit;
mod extended_numbering;
mod layout;
mod mercury;
mod read;
mod replaced_sections;
mod section_edit;
mod section_order;
mod side_file;
mod strip;
mod strtab;
mod symbols;
mod tool_note;
mod write;
mod writing_tool;

use std::borrow::Cow;

use object::elf;

use crate::catalog::SectionHeaderFields;
use crate::error::{Error, ErrorKind, Result};
use crate::release::{Release, Target};

pub use append::{NewSection, SectionInfo, SectionLink};
pub use debug_only::{
    DEBUG_ONLY_BASE, DebugOnlyFunction, DebugOnlyObject, DebugOnlyVariable, VariableSpace, debug_only,
};
pub use edit::DebugSection;
pub use layout::{Layout, Segment};
pub use mercury::MercurySection;
pub use side_file::CODE_NOTE;
pub use strip::{Keep, RemovedSection};
pub use strtab::StringTable;
pub use writing_tool::{CodeLocation, NVDWARF, Writer};

pub use crate::cuda_elf::{ELFOSABI_CUDA_V2, ET_EWP, SHF_MERCURY, sht};

/// The index of a section. 0 is the null section and means "none" in links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionIndex(pub u32);

/// The index of a symbol in its symbol table. 0 is the null symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolIndex(pub u32);

impl SectionIndex {
    /// The index as a position in [`Cubin::sections`].
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

impl SymbolIndex {
    /// The index as a position in a symbol table.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A cubin as values: file header, sections and their contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cubin<'d> {
    /// The fields of the file header that are choices; the others follow from the sections.
    pub header: Header,
    /// All sections in file order; index 0 is the null section.
    pub sections: Vec<Section<'d>>,
    /// See [`Cubin::symtab`]: every look-up of a symbol's name needs it.
    symtab: Option<SectionIndex>,
    /// See [`Cubin::release`]: rules ask for it again and again.
    release: Release,
}

/// The fields of the ELF file header that the other values do not determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// `e_type`: `ET_EXEC` (2), `ET_REL` (1, `ptxas -c`) or [`ET_EWP`].
    pub e_type: u16,
    /// `EI_OSABI`: [`ELFOSABI_CUDA_V2`], before CUDA 13 0x33.
    pub os_abi: u8,
    /// `EI_ABIVERSION`: 8, before CUDA 13 7.
    pub abi_version: u8,
    /// `e_version`: 1; the toolkit version (129) before CUDA 13.
    pub e_version: u32,
    /// `e_entry`: 0 in everything the tools write.
    pub e_entry: u64,
    /// `e_flags`, see [`Header::sm`]. Bits 24-31 hold the section index of `.note.nv.cuinfo` since
    /// CUDA 13.
    pub e_flags: u32,
    /// `e_shstrndx`: the section that holds the section names.
    pub shstrndx: SectionIndex,
}

impl Header {
    /// Whether the file is `ptxas -c` output, to be linked (`ET_REL`).
    pub fn is_relocatable(&self) -> bool {
        self.e_type == elf::ET_REL.0
    }

    /// The kind of file in words, by `e_type`: `relocatable`, `executable`, ...
    pub fn type_words(&self) -> &'static str {
        match self.e_type {
            e_type if e_type == elf::ET_REL.0 => "relocatable",
            e_type if e_type == elf::ET_EXEC.0 => "executable",
            ET_EWP => "extensible whole program",
            _ => "unknown type",
        }
    }

    /// The SM number that the code is for (75 for sm_75).
    ///
    /// `e_flags` bits 8-15 since CUDA 13 (`EI_OSABI` 0x41), bits 0-7 before. Observed: ptxas 12.9,
    /// 13.0 and 13.4.
    pub fn sm(&self) -> u32 {
        if self.os_abi == ELFOSABI_CUDA_V2 { self.e_flags >> 8 & 0xff } else { self.e_flags & 0xff }
    }
}

/// One section: its contents, and the fields of its header that those do not determine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'d> {
    /// `sh_name`: offset of the name in the section that [`Header::shstrndx`] names.
    pub name: u32,
    /// `sh_type`.
    pub sh_type: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_addr`: 0 in cubins, where every function starts at 0; set in debug-only objects.
    pub address: u64,
    /// `sh_link`: section index, or 0.
    pub link: u32,
    /// `sh_info`: section index where [`info_is_section`](Self::info_is_section), else as the type
    /// says.
    pub info: u32,
    /// `sh_addralign`: 0 or a power of two.
    pub align: u64,
    /// `sh_entsize`.
    pub entsize: u64,
    /// The contents of the section.
    pub contents: Contents<'d>,
    /// Zero bytes after the section that belong to nothing. `None`: as many as
    /// docs/formats/container.md, layout, says, which is none but for
    /// `.shstrtab` (see [`Cubin::layout`]).
    pub slack: Option<u64>,
}

impl Section<'_> {
    /// Whether `sh_info` is a section index: the section has `SHF_INFO_LINK`, or is a relocation
    /// section without the flag.
    ///
    /// `.text.F` and `.nv.capmerc.text.F` lack the flag: theirs holds a symbol index
    /// (docs/formats/container.md, code).
    pub fn info_is_section(&self) -> bool {
        self.flags & elf::SHF_INFO_LINK.0 != 0 || is_relocation_type(self.sh_type)
    }

    /// The header fields that the section's name decides.
    pub fn header_fields(&self) -> SectionHeaderFields {
        let Self { sh_type, flags, align, entsize, .. } = *self;
        SectionHeaderFields { sh_type, flags, align, entsize }
    }

    /// Whether the section is a Mercury section (flag [`SHF_MERCURY`]).
    pub fn is_mercury(&self) -> bool {
        self.flags & SHF_MERCURY != 0
    }
}

/// The contents of a section: bytes, a decoded table, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents<'d> {
    /// Anything without a structure of the container's own.
    Bytes(Cow<'d, [u8]>),
    /// `sh_size` bytes at run time, none in the file.
    NoBits(u64),
    /// The file range of another, earlier section: how Mercury clones share unchanged bytes
    /// (docs/formats/capsule.md, sections).
    Alias(SectionIndex),
    /// `SHT_STRTAB`.
    Strings(StringTable<'d>),
    /// `SHT_SYMTAB` and [`sht::MERC_SYMTAB`]; entry 0 is the null symbol.
    Symbols(Vec<Symbol>),
    /// `SHT_REL`, `SHT_RELA` and [`sht::MERC_RELA`].
    Relocations(Vec<Relocation>),
}

/// One symbol (`Elf64_Sym`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symbol {
    /// `st_name`: offset in the string table that the symbol table links to.
    pub name: u32,
    /// `st_info`: binding in the high, type in the low four bits.
    pub info: u8,
    /// `st_other`: visibility in bits 0-1, NVIDIA's marks above ([`Symbol::ENTRY`], and that of a
    /// variable's space).
    pub other: u8,
    /// Section index, or an `SHN_*` value from 0xff00 (`SHN_LORESERVE`) on with 0xffff in its upper
    /// half, as in binutils: `SHN_ABS` is `0xffff_fff1`. Indices from 0xff00 on need an
    /// `SHT_SYMTAB_SHNDX` section.
    pub shndx: u32,
    /// `st_value`: offset in the section (plus its address, which is 0 in cubins).
    pub value: u64,
    /// `st_size` in bytes.
    pub size: u64,
}

impl Symbol {
    /// `STO_CUDA_ENTRY`: the bit of `st_other` that marks a kernel.
    pub const ENTRY: u8 = 0x10;
    /// `STO_CUDA_GLOBAL`: `st_other` of a [`CUDA_OBJECT`](Self::CUDA_OBJECT) in global memory.
    /// Observed: listings of nvdisasm 13.0.88.
    pub const CUDA_GLOBAL: u8 = 0x20;
    /// `STO_CUDA_SHARED`: `st_other` of a [`CUDA_OBJECT`](Self::CUDA_OBJECT) in shared memory.
    pub const CUDA_SHARED: u8 = 0x40;
    /// `STO_CUDA_CONSTANT`: `st_other` of a [`CUDA_OBJECT`](Self::CUDA_OBJECT) in constant memory.
    pub const CUDA_CONSTANT: u8 = 0x80;
    /// `STT_CUDA_OBJECT`: the type of a variable whose address the linker assigns. A variable with
    /// an address has `STT_OBJECT`.
    pub const CUDA_OBJECT: u8 = 13;

    /// The symbol's binding, `STB_*`.
    pub fn binding(&self) -> u8 {
        self.info >> 4
    }

    /// The symbol's type, `STT_*` or [`Symbol::CUDA_OBJECT`].
    pub fn kind(&self) -> u8 {
        self.info & 15
    }

    /// Whether the symbol names a function (`STT_FUNC`).
    pub fn is_function(&self) -> bool {
        self.kind() == elf::STT_FUNC.0
    }

    /// Whether the symbol stands for a section (`STT_SECTION`).
    pub fn is_section(&self) -> bool {
        self.kind() == elf::STT_SECTION.0
    }

    /// Whether the symbol names a kernel: a function with [`Symbol::ENTRY`].
    pub fn is_kernel(&self) -> bool {
        self.is_function() && self.other & Self::ENTRY != 0
    }

    /// Whether the symbol is local, undefined and untyped. No file can define such a symbol.
    ///
    /// [`Cubin::remove_debug_sections`] leaves such symbols of sections, and ptxas makes them for
    /// names that it could not place. Only the name tells these apart.
    pub fn is_local_undefined(&self) -> bool {
        self.info == elf::STB_LOCAL.0 << 4 | elf::STT_NOTYPE.0 && self.shndx == 0 && self.name != 0
    }

    /// The section that defines the symbol; `None` if it is undefined, absolute or common.
    pub fn section(&self) -> Option<SectionIndex> {
        (self.shndx != 0 && self.shndx < extended_numbering::RESERVED).then_some(SectionIndex(self.shndx))
    }
}

/// A relocation as it stands in a file (`Elf64_Rel`, `Elf64_Rela`). Before it is written it is a
/// [`dwarf2_writer::Reloc`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// `r_offset`: byte offset of the field in the target section.
    pub offset: u64,
    /// Low half of `r_info`: `R_CUDA_*`.
    pub r_type: u32,
    /// High half of `r_info`, in the symbol table that the relocation section links to.
    pub symbol: SymbolIndex,
    /// `r_addend`; `None` in `SHT_REL` sections, where the field's own bytes are the addend.
    pub addend: Option<i64>,
}

impl Default for Section<'_> {
    /// The null section: all fields zero.
    fn default() -> Self {
        Self {
            name: 0,
            sh_type: 0,
            flags: 0,
            address: 0,
            link: 0,
            info: 0,
            align: 0,
            entsize: 0,
            contents: Contents::NoBits(0),
            slack: None,
        }
    }
}

impl<'d> Cubin<'d> {
    /// Parses a cubin into values.
    ///
    /// # Errors
    ///
    /// The file is not a 64-bit little-endian ELF of machine 190 (`EM_CUDA`), a header, table or
    /// section lies outside it, sections overlap (Mercury clones excepted), a link, name, entry
    /// size, alignment or symbol index is out of range, or alignments would make the file that
    /// [`Cubin::write`] lays out several times as long as this one. The error names the section, or
    /// for headers and tables the byte offset in the file.
    pub fn parse(data: &'d [u8]) -> Result<Self> {
        read::parse(data)
    }

    /// Writes the values as a file. [`Cubin::layout`] describes the layout.
    ///
    /// # Errors
    ///
    /// A value does not fit its field, an alias names no earlier section with contents, or a
    /// relocation has an addend where its section type has none (or the reverse).
    pub fn write(&self) -> Result<Vec<u8>> {
        write::write(self)
    }

    /// Computes the offsets of all sections, header tables and segments.
    ///
    /// # Errors
    ///
    /// As for [`Cubin::write`].
    pub fn layout(&self) -> Result<Layout> {
        layout::layout(self)
    }

    fn new(header: Header, sections: Vec<Section<'d>>) -> Self {
        let mut cubin = Self { header, sections, symtab: None, release: Release::NEWEST };
        cubin.sections_changed();
        cubin
    }

    /// Finds anew what is kept of the sections.
    fn sections_changed(&mut self) {
        let found = (0..).zip(&self.sections).find(|(_, s)| s.sh_type == elf::SHT_SYMTAB.0);
        self.symtab = found.map(|(i, _)| SectionIndex(i));
        self.release = tool_note::release(self);
    }

    /// Converts the cubin to one that does not borrow from the input.
    pub fn into_owned(self) -> Cubin<'static> {
        let sections = self.sections.into_iter().map(Section::into_owned).collect();
        Cubin { header: self.header, sections, symtab: self.symtab, release: self.release }
    }

    /// The toolkit release whose rules the file follows: that of the tool that wrote the file last,
    /// by the note [`tkinfo::NAME`](crate::tkinfo::NAME). [`Release::NEWEST`] if the note is
    /// missing or names an unknown release.
    pub fn release(&self) -> Release {
        self.release
    }

    /// The SM that the code is for, and the [release](Self::release) of the tools that made the
    /// cubin.
    pub fn target(&self) -> Target {
        self.release.target(self.header.sm())
    }

    /// Returns the section at `index`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if there is none.
    pub fn section(&self, index: SectionIndex) -> Result<&Section<'d>> {
        self.sections.get(index.as_usize()).ok_or_else(|| {
            let count = self.sections.len() as u64;
            Error::in_section("", ErrorKind::Index { what: "section", index: index.0.into(), count })
        })
    }

    /// Iterates over all sections but the null section, in file order, with index and name.
    pub fn iter(&self) -> impl Iterator<Item = (SectionIndex, &str, &Section<'d>)> {
        let names = self.strings(self.header.shstrndx);
        (0..).zip(&self.sections).skip(1).map(move |(i, s)| (SectionIndex(i), name_in(names, s.name), s))
    }

    /// The name of a section, in constant time. Empty if `index` or the name's offset does not
    /// exist. See [`StringTable`] for names that are not UTF-8.
    pub fn section_name(&self, index: SectionIndex) -> &str {
        let name = self.sections.get(index.as_usize()).map_or(0, |s| s.name);
        name_in(self.strings(self.header.shstrndx), name)
    }

    /// Finds the first section with this name. Each call walks the section table: keep a map for
    /// many look-ups.
    pub fn section_by_name(&self, name: &str) -> Option<SectionIndex> {
        self.iter().find(|(_, n, _)| *n == name).map(|(i, ..)| i)
    }

    /// Returns the string table at `index`; `None` if that section is not a string table.
    pub fn strings(&self, index: SectionIndex) -> Option<&StringTable<'d>> {
        match &self.sections.get(index.as_usize())?.contents {
            Contents::Strings(table) => Some(table),
            _ => None,
        }
    }

    /// The bytes of a section as they lie in the file, without relocations applied. Empty for
    /// sections without file bytes.
    ///
    /// # Errors
    ///
    /// `index` or an alias' target does not exist, or a table cannot be encoded.
    pub fn bytes(&self, index: SectionIndex) -> Result<Cow<'_, [u8]>> {
        let mut section = self.section(index)?;
        if let Contents::Alias(target) = section.contents {
            section = self.section(target)?;
        }
        Ok(match &section.contents {
            Contents::Bytes(bytes) => Cow::Borrowed(bytes.as_ref()),
            Contents::Strings(table) => Cow::Borrowed(table.as_bytes()),
            Contents::NoBits(_) | Contents::Alias(_) => Cow::Borrowed(&[]),
            Contents::Symbols(_) | Contents::Relocations(_) => {
                let mut out = Vec::new();
                write::contents(section, self.section_name(index), &mut out)?;
                Cow::Owned(out)
            }
        })
    }

    /// The index of `.symtab`: the first `SHT_SYMTAB` of the file as it was parsed, or last edited
    /// by [`Cubin::set_debug_sections`].
    pub fn symtab(&self) -> Option<SectionIndex> {
        self.symtab
    }

    /// The symbols of `.symtab`, with the null symbol; empty if the section is missing.
    pub fn symbols(&self) -> &[Symbol] {
        self.symtab().map_or(&[], |table| self.symbols_of(table))
    }

    /// The symbols of the symbol table at `table`; empty if that is not a symbol table.
    pub fn symbols_of(&self, table: SectionIndex) -> &[Symbol] {
        match self.sections.get(table.as_usize()).map(|s| &s.contents) {
            Some(Contents::Symbols(symbols)) => symbols,
            _ => &[],
        }
    }

    /// The name of a symbol of `.symtab`, in constant time. Empty if the symbol does not exist.
    pub fn symbol_name(&self, symbol: SymbolIndex) -> &str {
        self.symtab().map_or("", |table| self.symbol_name_in(table, symbol))
    }

    /// The name of a symbol of the table at `table`. Empty if the symbol does not exist.
    pub fn symbol_name_in(&self, table: SectionIndex, symbol: SymbolIndex) -> &str {
        let Some(entry) = self.symbols_of(table).get(symbol.as_usize()) else { return "" };
        let link = self.sections.get(table.as_usize()).map_or(0, |s| s.link);
        name_in(self.strings(SectionIndex(link)), entry.name)
    }

    /// Iterates over the function symbols (`STT_FUNC`) of `.symtab` with their indices, in symbol
    /// order.
    pub fn functions(&self) -> impl Iterator<Item = (SymbolIndex, &Symbol)> {
        (0..).zip(self.symbols()).filter(|(_, s)| s.is_function()).map(|(i, s)| (SymbolIndex(i), s))
    }

    /// Iterates over the function symbols that `section` defines, in symbol order. In `.text.F`
    /// these are `F` and the functions folded into it.
    pub fn functions_of(&self, section: SectionIndex) -> impl Iterator<Item = (SymbolIndex, &Symbol)> {
        self.functions().filter(move |(_, s)| s.section() == Some(section))
    }

    /// The section symbol of `section` in `.symtab`. Section offsets are relocated against it.
    ///
    /// Every debug section that ptxas writes has one; sections added by
    /// [`Cubin::set_debug_sections`] may have none.
    pub fn section_symbol(&self, section: SectionIndex) -> Option<SymbolIndex> {
        let is = |s: &Symbol| s.kind() == elf::STT_SECTION.0 && s.section() == Some(section);
        (0..).zip(self.symbols()).find(|(_, s)| is(s)).map(|(i, _)| SymbolIndex(i))
    }

    /// Iterates over the relocations that apply to the section `target`, in file order. Each comes
    /// with the index of its relocation section.
    pub fn relocations_of(&self, target: SectionIndex) -> impl Iterator<Item = (SectionIndex, &Relocation)> {
        let tables = (0..).zip(&self.sections).filter(move |(_, s)| s.info == target.0);
        tables
            .filter_map(|(i, s)| Some((i, s.relocations()?)))
            .flat_map(|(i, all)| all.iter().map(move |r| (SectionIndex(i), r)))
    }
}

impl Section<'_> {
    /// The relocations of a relocation section; `None` for other sections.
    pub fn relocations(&self) -> Option<&[Relocation]> {
        match &self.contents {
            Contents::Relocations(all) => Some(all),
            _ => None,
        }
    }

    fn into_owned(self) -> Section<'static> {
        let contents = match self.contents {
            Contents::Bytes(bytes) => Contents::Bytes(Cow::Owned(bytes.into_owned())),
            Contents::Strings(table) => Contents::Strings(table.into_owned()),
            Contents::NoBits(size) => Contents::NoBits(size),
            Contents::Alias(target) => Contents::Alias(target),
            Contents::Symbols(symbols) => Contents::Symbols(symbols),
            Contents::Relocations(all) => Contents::Relocations(all),
        };
        Section { contents, ..self }
    }
}

fn name_in<'a>(table: Option<&'a StringTable<'_>>, offset: u32) -> &'a str {
    table.and_then(|t| t.get(offset)).unwrap_or("")
}

/// Whether sections of this type hold `Elf64_Rel` or `Elf64_Rela` entries.
pub(crate) fn is_relocation_type(sh_type: u32) -> bool {
    relocation_size(sh_type).is_some()
}

/// Entry size of a relocation section of this type.
pub(crate) fn relocation_size(sh_type: u32) -> Option<u64> {
    match sh_type {
        t if t == elf::SHT_REL.0 => Some(16),
        t if t == elf::SHT_RELA.0 || t == sht::MERC_RELA => Some(24),
        _ => None,
    }
}

/// Whether sections of this type hold `Elf64_Sym` entries.
pub(crate) fn is_symtab_type(sh_type: u32) -> bool {
    sh_type == elf::SHT_SYMTAB.0 || sh_type == sht::MERC_SYMTAB
}

/// Whether such a section takes no bytes in the file (it is aligned all the same).
///
/// Of `.nv.shared.reserved.0` that holds for the native section. The Mercury clone is empty on most
/// chips, but has 128 bytes in the file on sm_110 (ptxas 13.0.88).
pub(crate) fn is_nobits(sh_type: u32, flags: u64) -> bool {
    match sh_type {
        sht::CUDA_GLOBAL | sht::CUDA_SHARED => true,
        sht::CUDA_SHARED_RESERVED => flags & SHF_MERCURY == 0,
        other => other == elf::SHT_NOBITS.0,
    }
}
