//! Changes of symbol tables and symbol names.

use object::elf;

use super::read::{check_relocations, check_symbols, wrong_link};
use super::{Contents, Cubin, SectionIndex, Symbol, extended_numbering};
use crate::error::{Error, ErrorKind, Result};

/// Where `sh_info` holds a symbol index: of code from before CUDA 13 a register count lies above it
/// (docs/formats/container.md, code).
const INFO_SYMBOL: u32 = 0x00ff_ffff;

impl Cubin<'_> {
    /// Returns the offset of each of `names` in `.strtab`, which `.symtab` and `.nv.merc.symtab`
    /// share: the offset in a symbol of this name, or that of an appended string. All names are
    /// given at once, since each call searches the table.
    ///
    /// # Errors
    ///
    /// There is no `.symtab`, or [`StringTable::intern`](super::StringTable::intern) refuses a
    /// name. Nothing is changed then.
    pub fn intern_symbol_names<S: AsRef<str>>(&mut self, names: &[S]) -> Result<Vec<u32>> {
        let table = self.symtab().and_then(|table| self.sections.get(table.as_usize()));
        let link = table.map(|table| table.link as usize);
        let strings = link.and_then(|link| self.sections.get_mut(link));
        match strings.map(|section| &mut section.contents) {
            Some(Contents::Strings(strings)) => strings.intern(names),
            _ => Err(Error::in_section("", ErrorKind::Missing("there is no .symtab with names".into()))),
        }
    }

    /// Replaces the symbols of the symbol table at `table`; the null symbol comes first. `sh_info`
    /// becomes the index after the last local symbol (ELF-64 gABI; ptxas writes global ones among
    /// them).
    ///
    /// # Errors
    ///
    /// `table` is not a symbol table, a symbol is not named in its string table or in a section
    /// that does not exist, or a relocation or code that refers to the table names a removed
    /// symbol. Nothing is changed then.
    pub fn set_symbols(&mut self, table: SectionIndex, symbols: Vec<Symbol>) -> Result<()> {
        let section = self.section(table)?;
        let name = self.section_name(table);
        if !matches!(section.contents, Contents::Symbols(_)) {
            let text = "the section is not a symbol table";
            return Err(Error::new(name, 0, ErrorKind::Unsuitable(text)));
        }
        let strings = self.strings(SectionIndex(section.link));
        let strings = strings.ok_or_else(|| wrong_link(section, name, "a string table"))?;
        check_symbols(&symbols, name, strings, self.sections.len() as u64)?;
        extended_numbering::check_section_count(self, self.sections.len())?;
        let count = symbols.len() as u64;
        for (_, name, user) in self.iter().filter(|(_, _, user)| user.link == table.0) {
            if let Some(all) = user.relocations() {
                check_relocations(user.sh_type, all, name, count)?;
            } else if !user.info_is_section() {
                let index = u64::from(user.info & INFO_SYMBOL);
                if index >= count && index != 0 {
                    let kind = ErrorKind::Index { what: "symbol (sh_info)", index, count };
                    return Err(Error::new(name, 0, kind));
                }
            }
        }
        let last_local = symbols.iter().rposition(|symbol| symbol.binding() == elf::STB_LOCAL.0);
        let locals = last_local.map_or(0, |last| last as u32 + 1);
        if let Some(section) = self.sections.get_mut(table.as_usize()) {
            section.info = locals;
            section.contents = Contents::Symbols(symbols);
        }
        extended_numbering::store(&mut self.sections);
        Ok(())
    }
}
