//! Sections of a cubin: their headers and contents.

use super::{Cubin, Relocation, SHF_MERCURY, StringTable, Symbol, sht, write};
use crate::catalog::SectionHeaderFields;
use crate::error::{Error, ErrorKind, Result};
use object::elf;
use std::borrow::Cow;

/// The index of a section. 0 is the null section and means "none" in links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionIndex(pub u32);

impl SectionIndex {
    /// The index as a position in [`Cubin::sections`].
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A section of a cubin: its contents, and the header fields that do not follow from the contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'d> {
    /// The offset of the name, `sh_name`, in the string table that
    /// [`Header::shstrndx`](super::Header::shstrndx) names.
    pub name: u32,
    /// The section type, `sh_type`.
    pub sh_type: u32,
    /// The section flags, `sh_flags`.
    pub flags: u64,
    /// The address of the section, `sh_addr`: 0 in cubins, where every function starts at 0.
    /// Debug-only objects have addresses.
    pub address: u64,
    /// The linked section, `sh_link`: a section index, or 0.
    pub link: u32,
    /// The field `sh_info`: a section index if [`info_is_section`](Self::info_is_section) holds;
    /// otherwise its meaning depends on the section type.
    pub info: u32,
    /// The alignment, `sh_addralign`: 0 or a power of two.
    pub align: u64,
    /// The size of an entry, `sh_entsize`.
    pub entsize: u64,
    /// The contents of the section.
    pub contents: Contents<'d>,
    /// The number of unused zero bytes after the section. `None` is the number in
    /// docs/formats/container.md, layout, which is 0 except after `.shstrtab` (see
    /// [`Cubin::layout`]).
    pub slack: Option<u64>,
}

impl Section<'_> {
    /// Whether `sh_info` is a section index: the section has `SHF_INFO_LINK`, or is a relocation
    /// section.
    ///
    /// `.text.F` and `.nv.capmerc.text.F` lack the flag: theirs holds a symbol index
    /// (docs/formats/container.md, code).
    pub fn info_is_section(&self) -> bool {
        self.flags & elf::SHF_INFO_LINK.0 != 0 || is_relocation_type(self.sh_type)
    }

    /// Whether `sh_link` of the section is the symbol table of the file: it has relocations, code
    /// or facts about functions.
    pub(super) fn links_symbol_table(&self) -> bool {
        let kinds = [elf::SHT_REL.0, elf::SHT_RELA.0, sht::CUDA_INFO, sht::CUDA_CALLGRAPH];
        kinds.contains(&self.sh_type) || self.flags & elf::SHF_EXECINSTR.0 != 0
    }

    /// The header fields that follow from a section's name: type, flags, alignment and entry size.
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
    /// Undecoded bytes, of a section that is not a string table, symbol table or relocation
    /// section.
    Bytes(Cow<'d, [u8]>),
    /// No bytes in the file: the section takes this number of bytes at run time (`SHT_NOBITS`).
    NoBits(u64),
    /// The file range of another, earlier section. Mercury clones share unchanged bytes in this way
    /// (docs/formats/capsule.md, sections).
    Alias(SectionIndex),
    /// A decoded string table (`SHT_STRTAB`).
    Strings(StringTable<'d>),
    /// A decoded symbol table (`SHT_SYMTAB` or [`sht::MERC_SYMTAB`]). Entry 0 is the null symbol.
    Symbols(Vec<Symbol>),
    /// Decoded relocations (`SHT_REL`, `SHT_RELA` or [`sht::MERC_RELA`]).
    Relocations(Vec<Relocation>),
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

impl Section<'_> {
    /// The relocations of a relocation section; `None` for other sections.
    pub fn relocations(&self) -> Option<&[Relocation]> {
        match &self.contents {
            Contents::Relocations(all) => Some(all),
            _ => None,
        }
    }

    /// Whether the section is the Mercury clone of `.nv.shared.reserved.0`.
    pub(super) fn is_reserved_shared_clone(&self) -> bool {
        self.sh_type == sht::CUDA_SHARED_RESERVED && self.flags & SHF_MERCURY != 0
    }

    pub(super) fn into_owned(self) -> Section<'static> {
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
/// chips, but has 128 bytes in the file on sm_110 (ptxas 13.0.88 to 13.4.92; ptxas 13.5.37 gives it
/// the size and no bytes, see [`Release::stores_reserved_shared`]).
///
/// [`Release::stores_reserved_shared`]: crate::release::Release::stores_reserved_shared
pub(crate) fn is_nobits(sh_type: u32, flags: u64) -> bool {
    match sh_type {
        sht::CUDA_GLOBAL | sht::CUDA_SHARED => true,
        sht::CUDA_SHARED_RESERVED => flags & SHF_MERCURY == 0,
        other => other == elf::SHT_NOBITS.0,
    }
}

impl<'d> Cubin<'d> {
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

    /// Finds the first section with this name. Each call searches the section table: use a map for
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
}

pub(super) fn name_in<'a>(table: Option<&'a StringTable<'_>>, offset: u32) -> &'a str {
    table.and_then(|t| t.get(offset)).unwrap_or("")
}
