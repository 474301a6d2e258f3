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
    const FIRST_TEXT: u16 = 4;
    let fault = |what, value, field| Error::new("", 0, ErrorKind::DoesNotFit { what, value, field });
    if sm > 0xff {
        return Err(fault("SM number", sm.into(), "e_flags (8 bits)"));
    }
    // Leaves room for debug sections below SHN_LORESERVE.
    let count = u16::try_from(functions.len()).ok().filter(|n| *n < 0xf000);
    let count = count.ok_or_else(|| fault("number of functions", functions.len() as u64, "e_shnum"))?;

    // ELF wants local symbols first.
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&i| functions.get(i).is_some_and(|f| !f.local));
    let mut indices = vec![SymbolIndex(0); functions.len()];
    for (position, &function) in (1..).zip(&order) {
        if let Some(slot) = indices.get_mut(function) {
            *slot = SymbolIndex(position);
        }
    }

    let mut names = StringTable::default();
    let mut strings = StringTable::default();
    let text_flags = elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0;
    let mut sections = vec![Section::default()];
    let shstrtab = names.push(".shstrtab")?;
    let strtab = names.push(".strtab")?;
    let symtab = names.push(".symtab")?;
    let mut texts = Vec::with_capacity(functions.len());
    let mut symbols = vec![Symbol::default(); functions.len() + 1];
    let mut address = DEBUG_ONLY_BASE;
    for ((shndx, function), &index) in (FIRST_TEXT..FIRST_TEXT + count).zip(functions).zip(&indices) {
        let binding = if function.local { elf::STB_LOCAL } else { elf::STB_GLOBAL };
        let symbol = Symbol {
            name: strings.push(function.name)?,
            info: binding.0 << 4 | elf::STT_FUNC.0,
            other: if function.kernel { Symbol::ENTRY } else { 0 },
            shndx,
            value: address,
            size: function.size,
        };
        if let Some(slot) = symbols.get_mut(index.as_usize()) {
            *slot = symbol;
        }
        texts.push(Section {
            name: names.push(&format!(".text.{}", function.name))?,
            sh_type: elf::SHT_NOBITS.0,
            flags: text_flags,
            address,
            link: 3,
            info: index.0,
            align: TEXT_ALIGN,
            contents: Contents::NoBits(function.size),
            ..Section::default()
        });
        let end = address.checked_add(function.size).and_then(|end| end.checked_next_multiple_of(TEXT_ALIGN));
        address = end.ok_or_else(|| fault("size", function.size, "an address"))?;
    }

    let table = |name, strings| Section {
        name,
        sh_type: elf::SHT_STRTAB.0,
        align: 1,
        contents: Contents::Strings(strings),
        ..Section::default()
    };
    let locals = functions.iter().filter(|f| f.local).count() as u32;
    sections.push(table(shstrtab, names));
    sections.push(table(strtab, strings));
    sections.push(Section {
        name: symtab,
        sh_type: elf::SHT_SYMTAB.0,
        link: 2,
        info: locals + 1,
        align: 8,
        entsize: 24,
        contents: Contents::Symbols(symbols),
        ..Section::default()
    });
    sections.append(&mut texts);
    let header = Header {
        e_type: elf::ET_EXEC.0,
        os_abi: ELFOSABI_CUDA_V2,
        abi_version: 8,
        e_version: 1,
        e_entry: 0,
        e_flags: sm << 8 | if sm < 100 { 4 } else { 2 },
        shstrndx: SectionIndex(1),
    };
    Ok((Cubin { header, sections }, indices))
}
