//! Symbols of a cubin.

use super::section::name_in;
use super::{Contents, Cubin, SectionIndex, extended_numbering};
use object::elf;

/// The index of a symbol in its symbol table. 0 is the null symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolIndex(pub u32);

impl SymbolIndex {
    /// The index as a position in a symbol table.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// One symbol (`Elf64_Sym`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symbol {
    /// The offset of the name, `st_name`, in the string table to which the symbol table links.
    pub name: u32,
    /// The field `st_info`: the binding in the high four bits, the type in the low four bits.
    pub info: u8,
    /// The field `st_other`: the visibility in bits 0-1, NVIDIA's marks in the others, which are
    /// [`Symbol::ENTRY`] of a kernel and the state space of a variable.
    pub other: u8,
    /// The index of the symbol's section, or an `SHN_*` value from 0xff00 (`SHN_LORESERVE`) on with
    /// 0xffff in its upper half, as in binutils: `SHN_ABS` is `0xffff_fff1`. Section indices from
    /// 0xff00 on need an `SHT_SYMTAB_SHNDX` section.
    pub shndx: u32,
    /// The value of the symbol, `st_value`: its offset in its section, plus the section's address,
    /// which is 0 in cubins.
    pub value: u64,
    /// The size of the symbol in bytes, `st_size`.
    pub size: u64,
}

impl Symbol {
    /// `STO_CUDA_ENTRY`: the bit of `st_other` that marks a kernel.
    pub const ENTRY: u8 = 0x10;
    /// `STO_CUDA_GLOBAL`: the `st_other` value of a [`CUDA_OBJECT`](Self::CUDA_OBJECT) in global
    /// memory. Observed: listings of nvdisasm 13.0.88.
    pub const CUDA_GLOBAL: u8 = 0x20;
    /// `STO_CUDA_SHARED`: the `st_other` value of a [`CUDA_OBJECT`](Self::CUDA_OBJECT) in shared
    /// memory.
    pub const CUDA_SHARED: u8 = 0x40;
    /// `STO_CUDA_CONSTANT`: the `st_other` value of a [`CUDA_OBJECT`](Self::CUDA_OBJECT) in
    /// constant memory.
    pub const CUDA_CONSTANT: u8 = 0x80;
    /// `STT_CUDA_OBJECT`: the symbol type of a variable to which the linker assigns an address. A
    /// variable that has an address has `STT_OBJECT`.
    pub const CUDA_OBJECT: u8 = 13;

    /// The symbol's binding, such as `STB_GLOBAL`.
    pub fn binding(&self) -> u8 {
        self.info >> 4
    }

    /// The symbol's type, such as `STT_FUNC` or [`Symbol::CUDA_OBJECT`].
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

impl Cubin<'_> {
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
}
