//! Appends new sections after all others, where NVIDIA's tools put a capsule
//! (docs/formats/container.md, order of sections). This reverses [`Cubin::remove_capsule`].
//!
//! Nothing that is there moves, so that all indices in the file stay right, that of
//! `.note.nv.cuinfo` in `e_flags` too.

use std::collections::HashMap;

use object::elf;

use super::layout::file_size;
use super::read::{check_table, wrong_link};
use super::write::expect_addends;
use super::{
    Contents, Cubin, Section, SectionIndex, SymbolIndex, extended_numbering, is_nobits, is_symtab_type,
    relocation_size,
};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_CLONES;

/// The section to which `sh_link` or `sh_info` of a new section refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SectionLink {
    /// No section: the field is 0.
    #[default]
    None,
    /// A section that the file already has, by its index.
    Old(SectionIndex),
    /// Another new section, by its 0-based position in the list of new sections.
    New(usize),
}

/// The value of `sh_info` in a new section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionInfo {
    /// The index of a section, in sections for which [`Section::info_is_section`] holds.
    Section(SectionLink),
    /// The index of a symbol in the symbol table that `sh_link` names, in sections of native or
    /// Mercury code.
    Symbol(SymbolIndex),
    /// A number whose meaning depends on the section type, such as the index after the last local
    /// symbol. 0 has no meaning.
    Number(u32),
}

impl Default for SectionInfo {
    fn default() -> Self {
        Self::Number(0)
    }
}

/// A section to be added by [`Cubin::append_sections`]. Its address is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSection<'d> {
    /// The name of the section, with its leading dot.
    pub name: String,
    /// The section type, `sh_type`.
    pub sh_type: u32,
    /// The section flags, `sh_flags`.
    pub flags: u64,
    /// The alignment, `sh_addralign`: 0 or a power of two.
    pub align: u64,
    /// The size of an entry, `sh_entsize`.
    pub entsize: u64,
    /// The section to which `sh_link` refers.
    pub link: SectionLink,
    /// The value of `sh_info`.
    pub info: SectionInfo,
    /// The contents of the section, in the form that its type requires. Section indices in them are
    /// those after the new sections are added, see [`Cubin::append_sections`].
    pub contents: Contents<'d>,
}

impl<'d> Cubin<'d> {
    /// Appends sections in the given order and returns their indices. Section `n` of the list gets
    /// the index `sections.len() + n`. Contents of new sections refer to other new sections by that
    /// index, in [`Symbol::shndx`](super::Symbol::shndx), in [`Contents::Alias`] and in the first
    /// field of a code capsule.
    ///
    /// Names that the file has already are used again: ptxas leaves those of sections that it made
    /// and dropped. `SHT_SYMTAB_SHNDX` sections get their contents from their symbol tables.
    ///
    /// # Errors
    ///
    /// A name holds a NUL or passes the 4 GiB of names, a reference names no section, symbol or
    /// string, an alias no earlier section with bytes of its own, `sh_info` is a section where the
    /// type says otherwise (or the reverse), contents are not of the form that the type demands:
    /// the error names the section. Or the sections become too many. Nothing is changed then.
    pub fn append_sections(&mut self, new: Vec<NewSection<'d>>) -> Result<Vec<SectionIndex>> {
        let first = self.sections.len();
        let count = first.saturating_add(new.len());
        let end = u32::try_from(count).ok().filter(|end| *end < extended_numbering::RESERVED);
        let end = end.ok_or_else(|| {
            let field = "a section index of 32 bits";
            Error::new(
                "",
                0,
                ErrorKind::DoesNotFit { what: "number of sections", value: count as u64, field },
            )
        })?;
        let names: Vec<&str> = new.iter().map(|section| &*section.name).collect();
        let mut table = self.strings(self.header.shstrndx).cloned().unwrap_or_default();
        let name_offsets = table.intern(&names)?;
        let headers = new.iter().zip(name_offsets).map(|(section, name)| self.header_of(section, name, &new));
        let headers = headers.collect::<Result<Vec<_>>>()?;
        let mut names = Vec::with_capacity(new.len());
        for (header, NewSection { name, contents, .. }) in headers.into_iter().zip(new) {
            self.sections.push(Section { contents, ..header });
            names.push(name);
        }
        if let Err(fault) = self.check_appended(first, &names) {
            self.sections.truncate(first);
            return Err(fault);
        }
        if let Some(section) = self.sections.get_mut(self.header.shstrndx.as_usize()) {
            section.contents = Contents::Strings(table);
        }
        self.sections_changed();
        extended_numbering::store(&mut self.sections);
        Ok((first as u32..end).map(SectionIndex).collect())
    }

    /// The section without its contents, for one of `new`.
    fn header_of(
        &self,
        section: &NewSection<'_>,
        name: u32,
        new: &[NewSection<'_>],
    ) -> Result<Section<'static>> {
        let first = self.sections.len();
        let index = |field, link| {
            let (what, at, count) = match link {
                SectionLink::None => return Ok(0),
                SectionLink::Old(index) => (field, index.as_usize(), first),
                SectionLink::New(number) => ("new section", number, new.len()),
            };
            let base = if matches!(link, SectionLink::New(_)) { first } else { 0 };
            let found = u32::try_from(base.saturating_add(at)).ok().filter(|_| at < count);
            let kind = ErrorKind::Index { what, index: at as u64, count: count as u64 };
            found.ok_or_else(|| Error::new(&*section.name, 0, kind))
        };
        let link = index("section (sh_link)", section.link)?;
        let info = match section.info {
            SectionInfo::Section(info) => index("section (sh_info)", info)?,
            SectionInfo::Symbol(symbol) => {
                let contents = match section.link {
                    SectionLink::New(number) => new.get(number).map(|section| &section.contents),
                    SectionLink::Old(index) => {
                        self.sections.get(index.as_usize()).map(|section| &section.contents)
                    }
                    SectionLink::None => None,
                };
                let Some(Contents::Symbols(symbols)) = contents else {
                    let expected = "a symbol table, since sh_info names a symbol";
                    let kind = ErrorKind::Value { field: "sh_link", found: link.into(), expected };
                    return Err(Error::new(&*section.name, 0, kind));
                };
                let (index, count) = (symbol.0.into(), symbols.len() as u64);
                if index >= count {
                    let kind = ErrorKind::Index { what: "symbol (sh_info)", index, count };
                    return Err(Error::new(&*section.name, 0, kind));
                }
                symbol.0
            }
            SectionInfo::Number(number) => number,
        };
        let &NewSection { sh_type, flags, align, entsize, .. } = section;
        let header = Section { name, sh_type, flags, link, info, align, entsize, ..Section::default() };
        // Later edits move what the header says is a section index, and nothing else.
        if info != 0 && header.info_is_section() != matches!(section.info, SectionInfo::Section(_)) {
            let expected = "a section index if SHF_INFO_LINK or the type say so, else none";
            let kind = ErrorKind::Value { field: "sh_info", found: info.into(), expected };
            return Err(Error::new(&*section.name, 0, kind));
        }
        Ok(header)
    }

    /// Checks the sections from `first` on, called `names`, as [`Cubin::parse`] does.
    fn check_appended(&self, first: usize, names: &[String]) -> Result<()> {
        let mut clones: HashMap<SectionIndex, u32> = HashMap::new();
        for section in &self.sections {
            if let Contents::Alias(target) = section.contents {
                *clones.entry(target).or_default() += 1;
            }
        }
        for ((index, section), name) in self.sections.iter().enumerate().skip(first).zip(names) {
            if section.align != 0 && !section.align.is_power_of_two() {
                let expected = "0 or a power of two";
                let kind = ErrorKind::Value { field: "sh_addralign", found: section.align, expected };
                return Err(Error::new(&**name, 0, kind));
            }
            check_form(section, name)?;
            if let Contents::Alias(target) = section.contents {
                self.check_alias(index, target, name)?;
                let has_bytes = self.sections.get(target.as_usize()).is_some_and(|s| file_size(s) != 0);
                if has_bytes && clones.get(&target).is_some_and(|count| *count > MAX_CLONES) {
                    let text = format!("more than {MAX_CLONES} sections share these bytes");
                    return Err(Error::new(&**name, 0, ErrorKind::Limit(text.into())));
                }
            }
            check_table(self, name, section)?;
            let is_symtab = |index: u32| !self.symbols_of(SectionIndex(index)).is_empty();
            if section.sh_type == elf::SHT_SYMTAB_SHNDX.0 && !is_symtab(section.link) {
                return Err(wrong_link(section, name, "a symbol table"));
            }
        }
        extended_numbering::check_section_count(self, self.sections.len())
    }

    fn check_alias(&self, index: usize, target: SectionIndex, name: &str) -> Result<()> {
        let earlier = 1..index;
        let owner = self.sections.get(target.as_usize()).filter(|_| earlier.contains(&target.as_usize()));
        let owner = owner.filter(|owner| !matches!(owner.contents, Contents::Alias(_) | Contents::NoBits(_)));
        let fault =
            |field, found, expected| Err(Error::new(name, 0, ErrorKind::Value { field, found, expected }));
        match (owner, self.sections.get(index)) {
            (None, _) => fault("alias", target.0.into(), "an earlier section with bytes of its own"),
            (Some(owner), Some(section)) if section.align > owner.align.max(1) => {
                fault("sh_addralign", section.align, "no more than that of the section whose bytes it shares")
            }
            _ => Ok(()),
        }
    }
}

/// Whether the contents have the form in which [`Cubin::parse`] gives those of a section of this
/// type.
fn check_form(section: &Section<'_>, name: &str) -> Result<()> {
    let (sh_type, entsize) = (section.sh_type, section.entsize);
    let is_nobits = is_nobits(sh_type, section.flags) || sh_type == elf::SHT_NULL.0;
    let is_strings = sh_type == elf::SHT_STRTAB.0;
    let relocation = relocation_size(sh_type);
    let is_plain = !is_nobits && !is_strings && !is_symtab_type(sh_type) && relocation.is_none();
    let fits = match &section.contents {
        Contents::Bytes(_) => is_plain,
        Contents::Alias(_) => is_plain && section.is_mercury(),
        Contents::NoBits(_) => is_nobits || section.is_reserved_shared_clone(),
        Contents::Strings(_) => is_strings,
        Contents::Symbols(_) => is_symtab_type(sh_type) && entsize == 24,
        Contents::Relocations(all) => {
            expect_addends(sh_type, all, name)?;
            relocation == Some(entsize)
        }
    };
    if fits {
        return Ok(());
    }
    let expected = "the type, with the flags and entry size, of a section that holds such contents";
    Err(Error::new(name, 0, ErrorKind::Value { field: "sh_type", found: sh_type.into(), expected }))
}
