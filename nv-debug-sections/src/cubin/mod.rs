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
mod build_id;
mod code_location;
mod debug_only;
mod debug_section;
mod edit;
mod extended_numbering;
mod header;
mod layout;
mod line_paths;
mod mercury;
mod path_map;
mod path_mapper;
mod read;
mod release_of;
mod relocation;
mod replaced_sections;
mod section;
mod section_edit;
mod section_order;
mod segment;
mod side_file;
mod strip;
mod strtab;
mod symbol;
mod symbols;
mod write;
mod writing_tool;

pub use header::Header;
pub use relocation::Relocation;
pub use section::{Contents, Section, SectionIndex};
pub(crate) use section::{is_nobits, is_relocation_type, is_symtab_type, relocation_size};
pub use symbol::{Symbol, SymbolIndex};

use object::elf;

use crate::error::Result;
use crate::release::{Release, Target};

pub use append::{NewSection, SectionInfo, SectionLink};
pub use build_id::BuildId;
pub use code_location::CodeLocation;
pub use debug_only::{
    DEBUG_ONLY_BASE, DebugOnlyFunction, DebugOnlyObject, DebugOnlyVariable, VariableSpace, debug_only,
};
pub use debug_section::DebugSection;
pub use layout::Layout;
pub use mercury::MercurySection;
pub use path_mapper::PathMapper;
pub use release_of::{CubinOrigin, ReleaseSource};
pub use segment::Segment;
pub use side_file::CODE_NOTE;
pub use strip::{Keep, RemovedSection};
pub use strtab::StringTable;
pub use writing_tool::Writer;

pub use crate::cuda_elf::{ELFOSABI_CUDA_V2, ET_EWP, SHF_MERCURY, sht};

/// A parsed cubin: its file header, and its sections with decoded contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cubin<'d> {
    /// The fields of the file header that do not follow from the sections.
    pub header: Header,
    /// All sections in file order; index 0 is the null section.
    pub sections: Vec<Section<'d>>,
    /// See [`Cubin::symtab`]: every look-up of a symbol's name needs it.
    symtab: Option<SectionIndex>,
    /// See [`Cubin::release`]: rules ask for it again and again.
    release: (Release, ReleaseSource),
    /// See [`Cubin::wrong_symbol_link`].
    wrong_symbol_link: Option<u32>,
    /// Whether a file that was read is laid out as before Mercury by its program headers, where its
    /// note does not tell.
    has_classic_segments: Option<bool>,
}

impl<'d> Cubin<'d> {
    /// Parses a cubin, an ELF file with GPU code.
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

    /// Writes the cubin as an ELF file. [`Cubin::layout`] describes the layout.
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
        let release = (Release::NEWEST, ReleaseSource::Guess);
        let mut cubin = Self {
            header,
            sections,
            symtab: None,
            release,
            wrong_symbol_link: None,
            has_classic_segments: None,
        };
        cubin.sections_changed();
        cubin
    }

    /// Finds anew what is kept of the sections.
    fn sections_changed(&mut self) {
        let found = (0..).zip(&self.sections).find(|(_, s)| s.sh_type == elf::SHT_SYMTAB.0);
        self.symtab = found.map(|(i, _)| SectionIndex(i));
        self.release = release_of::release_of(self);
        self.wrong_symbol_link = None;
    }

    /// Converts the cubin to one that does not borrow from the input.
    pub fn into_owned(self) -> Cubin<'static> {
        let sections = self.sections.into_iter().map(Section::into_owned).collect();
        let Self { header, symtab, release, wrong_symbol_link, has_classic_segments, .. } = self;
        Cubin { header, sections, symtab, release, wrong_symbol_link, has_classic_segments }
    }

    /// The toolkit release whose rules the file follows: that of the tool that wrote the file last.
    /// Files of ABI version 7 have it in their header, others in the note
    /// [`tkinfo::NAME`](crate::tkinfo::NAME). Without either it is guessed from the form of the
    /// file; [`release_source`](Self::release_source) says so.
    pub fn release(&self) -> Release {
        self.release.0
    }

    /// How the toolkit [`release`](Self::release) of the file is known.
    pub fn release_source(&self) -> ReleaseSource {
        self.release.1
    }

    /// The wrong `sh_link` that the file has in place of the index of its symbol table; `None` if
    /// that index is right. In both cases [`Section::link`] is the right index. [`Cubin::write`]
    /// writes the wrong index again, and an edit corrects it. Observed: 5 in executables of ptxas
    /// 12.0 to 12.2.
    pub fn wrong_symbol_link(&self) -> Option<u32> {
        self.wrong_symbol_link
    }

    /// The SM that the code is for, and the [release](Self::release) of the tools that made the
    /// cubin.
    pub fn target(&self) -> Target {
        self.release().target(self.header.sm())
    }
}
