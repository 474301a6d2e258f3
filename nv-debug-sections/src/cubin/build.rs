//! Debug-only objects, made without any cubin: what `objcopy --only-keep-debug` leaves of one.

use object::elf;

use super::{
    Contents, Cubin, ELFOSABI_CUDA_V2, Header, Section, SectionIndex, StringTable, Symbol, SymbolIndex,
};
use crate::error::{Error, ErrorKind, Result};

/// Address of the first function in a debug-only object.
///
/// Not 0: DWARF readers take ranges that start at 0 for functions the linker has dropped.
pub const DEBUG_ONLY_BASE: u64 = 0x1000;

/// Alignment of `.text.F` in every cubin. Observed: ptxas 13.0.88, sm_75-sm_121.
const TEXT_ALIGN: u64 = 128;

/// Sections before the first `.text.F`, as in every cubin.
const SHSTRTAB: u32 = 1;
const STRTAB: u32 = 2;
const SYMTAB: u32 = 3;
const FIRST_TEXT: u16 = 4;

/// One function of a debug-only object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function<'a> {
    /// Its (mangled) name, `F` of `.text.F`.
    pub name: &'a str,
    /// Bytes of code it would have.
    pub size: u64,
    /// Whether it is a kernel (`.entry`).
    pub kernel: bool,
    /// Whether its symbol is local (a PTX function that is neither `.visible` nor `.weak`).
    pub local: bool,
}

/// A debug-only object for SM `sm`: `.text.F` sections without bytes, each at an address of its own, and their symbols.
///
/// Returns the symbol index of each function, in the order given. Symbol values are addresses, as ELF wants them in an
/// `ET_EXEC`; the debug sections, added by [`Cubin::set_debug_sections`], should have addresses in place.
///
/// # Errors
///
/// `sm` needs more than 8 bits, a name holds a NUL, or there are more functions than an ELF file has sections.
pub fn debug_only(sm: u32, functions: &[Function<'_>]) -> Result<(Cubin<'static>, Vec<SymbolIndex>)> {
    if sm > 0xff {
        return Err(fault("SM number", sm.into(), "e_flags (8 bits)"));
    }
    // Leaves room for debug sections below SHN_LORESERVE.
    let count = u16::try_from(functions.len()).ok().filter(|n| *n < 0xf000);
    let count = count.ok_or_else(|| fault("number of functions", functions.len() as u64, "e_shnum"))?;

    let indices = symbol_indices(functions);
    let mut names = StringTable::default();
    let mut strings = StringTable::default();
    let mut symbols = vec![Symbol::default(); functions.len() + 1];
    let mut sections = vec![
        Section::default(),
        string_table(names.push(".shstrtab")?),
        string_table(names.push(".strtab")?),
        symbol_table(names.push(".symtab")?, functions),
    ];
    let mut address = DEBUG_ONLY_BASE;
    for ((shndx, function), &index) in (FIRST_TEXT..FIRST_TEXT + count).zip(functions).zip(&indices) {
        let name = names.push(&format!(".text.{}", function.name))?;
        sections.push(text(name, function, address, index));
        if let Some(slot) = symbols.get_mut(index.as_usize()) {
            *slot = symbol(strings.push(function.name)?, function, address, shndx);
        }
        let end = address.checked_add(function.size).and_then(|end| end.checked_next_multiple_of(TEXT_ALIGN));
        address = end.ok_or_else(|| fault("size", function.size, "an address"))?;
    }
    let tables = [Contents::Strings(names), Contents::Strings(strings), Contents::Symbols(symbols)];
    for (section, contents) in sections.iter_mut().skip(1).zip(tables) {
        section.contents = contents;
    }
    let header = Header {
        e_type: elf::ET_EXEC.0,
        os_abi: ELFOSABI_CUDA_V2,
        abi_version: 8,
        e_version: 1,
        e_entry: 0,
        e_flags: sm << 8 | if sm < 100 { 4 } else { 2 },
        shstrndx: SectionIndex(SHSTRTAB),
    };
    Ok((Cubin { header, sections }, indices))
}

fn fault(what: &'static str, value: u64, field: &'static str) -> Error {
    Error::new("", 0, ErrorKind::DoesNotFit { what, value, field })
}

/// ELF wants local symbols first; within each kind the order is the given one.
fn symbol_indices(functions: &[Function<'_>]) -> Vec<SymbolIndex> {
    let mut next_local = 1;
    let mut next_global = first_global(functions);
    let number = |function: &Function<'_>| {
        let next = if function.local { &mut next_local } else { &mut next_global };
        *next += 1;
        SymbolIndex(*next - 1)
    };
    functions.iter().map(number).collect()
}

fn first_global(functions: &[Function<'_>]) -> u32 {
    1 + functions.iter().filter(|f| f.local).count() as u32
}

fn string_table(name: u32) -> Section<'static> {
    Section { name, sh_type: elf::SHT_STRTAB.0, align: 1, ..Section::default() }
}

fn symbol_table(name: u32, functions: &[Function<'_>]) -> Section<'static> {
    let info = first_global(functions);
    Section {
        name,
        sh_type: elf::SHT_SYMTAB.0,
        link: STRTAB,
        info,
        align: 8,
        entsize: 24,
        ..Section::default()
    }
}

fn text(name: u32, function: &Function<'_>, address: u64, symbol: SymbolIndex) -> Section<'static> {
    Section {
        name,
        sh_type: elf::SHT_NOBITS.0,
        flags: elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0,
        address,
        link: SYMTAB,
        info: symbol.0,
        align: TEXT_ALIGN,
        contents: Contents::NoBits(function.size),
        ..Section::default()
    }
}

fn symbol(name: u32, function: &Function<'_>, address: u64, shndx: u16) -> Symbol {
    let binding = if function.local { elf::STB_LOCAL } else { elf::STB_GLOBAL };
    Symbol {
        name,
        info: binding.0 << 4 | elf::STT_FUNC.0,
        other: if function.kernel { Symbol::ENTRY } else { 0 },
        shndx,
        value: address,
        size: function.size,
    }
}
