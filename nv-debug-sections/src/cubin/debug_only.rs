//! Debug-only objects made without a cubin: what `objcopy --only-keep-debug` would leave of one.

use std::borrow::Cow;

use object::elf;

use super::{
    Contents, Cubin, ELFOSABI_CUDA_V2, Header, Section, SectionIndex, StringTable, Symbol, SymbolIndex,
    extended_numbering,
};
use crate::catalog::CODE_PREFIX;
use crate::error::{Error, ErrorKind, Result};
use crate::generation::Generation;
use crate::limits::MAX_VARIABLE_ALIGN;
use crate::release::Target;

/// The address of the first function in a debug-only object.
///
/// Not 0: DWARF readers take ranges that start at 0 for functions the linker has dropped.
pub const DEBUG_ONLY_BASE: u64 = 0x1000;

/// Alignment of `.text.F` in every cubin. Observed: ptxas 13.0.88, sm_75-sm_121.
const TEXT_ALIGN: u64 = 128;

/// Sections before the first `.text.F`, as in every cubin.
const SHSTRTAB: u32 = 1;
const STRTAB: u32 = 2;
const SYMTAB: u32 = 3;

/// With more functions there is a `.symtab_shndx`: leaves room for debug sections below
/// `SHN_LORESERVE`.
const MAX_SHORT_FUNCTIONS: usize = 0xf000;

/// A function of a debug-only object (an ELF file without code), for which the object gets a
/// symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebugOnlyFunction<'a> {
    /// The mangled name of the function, `F` of `.text.F`.
    pub name: &'a str,
    /// The size in bytes that the function's code would have.
    pub size: u64,
    /// Whether the function is a kernel (`.entry`).
    pub kernel: bool,
    /// Whether the function's symbol is local, for a PTX function that is neither `.visible` nor
    /// `.weak`.
    pub local: bool,
}

/// The state space of a variable in an object file that has debug information but no code. It
/// decides in which section the variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableSpace {
    /// The state space `.global`: the variable lies in `.nv.global`.
    Global,
    /// The state space `.const`: the variable lies in `.nv.constant3`.
    Constant,
}

/// A variable of a debug-only object (an ELF file without code), for which the object gets a
/// symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebugOnlyVariable<'a> {
    /// The mangled name of the variable.
    pub name: &'a str,
    /// The size of the variable in bytes.
    pub size: u64,
    /// The alignment of the variable in bytes, a power of two. Larger alignments count as 4096.
    pub align: u64,
    /// The state space of the variable.
    pub space: VariableSpace,
    /// Whether the variable's symbol is local.
    pub local: bool,
}

/// A new ELF file without code and debug sections, and the symbols of its functions and variables.
/// Debug sections can be added to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugOnlyObject {
    /// The ELF file. Symbol values are addresses, as ELF requires in an `ET_EXEC`. Debug sections
    /// are added by [`Cubin::set_debug_sections`], and should have addresses in place of
    /// relocations.
    pub cubin: Cubin<'static>,
    /// The symbol index of each function, in the order in which the functions were given.
    pub functions: Vec<SymbolIndex>,
    /// The symbol index of each variable, in the order in which the variables were given.
    pub variables: Vec<SymbolIndex>,
}

/// Builds a debug-only object (an ELF file without code) for a target. Its sections have no bytes,
/// and each has its own address.
///
/// # Errors
///
/// `sm` needs more than 8 bits, a name holds a NUL, sizes overflow an address, names pass 4 GiB, or
/// there are more than 2^31 functions and variables.
pub fn debug_only(
    target: Target,
    functions: &[DebugOnlyFunction<'_>],
    variables: &[DebugOnlyVariable<'_>],
) -> Result<DebugOnlyObject> {
    let sm = target.sm;
    if sm > 0xff {
        return Err(fault("SM number", sm.into(), "e_flags (8 bits)"));
    }
    let count = functions.len().saturating_add(variables.len());
    if i32::try_from(count).is_err() {
        return Err(fault("number of functions and variables", count as u64, "an object (2^31)"));
    }
    let locals = functions.iter().map(|f| f.local).chain(variables.iter().map(|v| v.local));
    let (indices, first_global) = symbol_indices(locals);
    let (function_symbols, variable_symbols) = indices.split_at(functions.len());

    let mut builder = Builder::new(indices.len())?;
    if functions.len() > MAX_SHORT_FUNCTIONS {
        builder.symtab_shndx()?;
    }
    for (function, &index) in functions.iter().zip(function_symbols) {
        builder.function(function, index)?;
    }
    for space in [VariableSpace::Global, VariableSpace::Constant] {
        builder.variables(space, variables.iter().zip(variable_symbols).filter(|(v, _)| v.space == space))?;
    }
    let header = Header {
        e_type: elf::ET_EXEC.0,
        os_abi: ELFOSABI_CUDA_V2,
        abi_version: 8,
        e_version: 1,
        e_entry: 0,
        e_flags: sm << 8 | if target.generation() < Generation::Mercury { 4 } else { 2 },
        shstrndx: SectionIndex(SHSTRTAB),
    };
    Ok(DebugOnlyObject {
        cubin: Cubin::new(header, builder.finish(first_global)),
        functions: function_symbols.to_vec(),
        variables: variable_symbols.to_vec(),
    })
}

fn fault(what: &'static str, value: u64, field: &'static str) -> Error {
    Error::in_section("", ErrorKind::DoesNotFit { what, value, field })
}

/// Numbers symbols, and says which is the first global one. ELF wants local symbols first; within
/// each kind the order is the given one.
fn symbol_indices(locals: impl Iterator<Item = bool> + Clone) -> (Vec<SymbolIndex>, u32) {
    let first_global = 1 + locals.clone().filter(|local| *local).count() as u32;
    let (mut next_local, mut next_global) = (1, first_global);
    let indices = locals
        .map(|local| {
            let next = if local { &mut next_local } else { &mut next_global };
            *next += 1;
            SymbolIndex(*next - 1)
        })
        .collect();
    (indices, first_global)
}

struct Builder {
    sections: Vec<Section<'static>>,
    names: StringTable<'static>,
    strings: StringTable<'static>,
    symbols: Vec<Symbol>,
    address: u64,
}

impl Builder {
    fn new(symbols: usize) -> Result<Self> {
        let mut names = StringTable::default();
        let string_table =
            |name| Section { name, sh_type: elf::SHT_STRTAB.0, align: 1, ..Section::default() };
        let sections = vec![
            Section::default(),
            string_table(names.push(".shstrtab")?),
            string_table(names.push(".strtab")?),
            Section {
                name: names.push(".symtab")?,
                sh_type: elf::SHT_SYMTAB.0,
                link: STRTAB,
                align: 8,
                entsize: 24,
                ..Section::default()
            },
        ];
        Ok(Self {
            sections,
            names,
            strings: StringTable::default(),
            symbols: vec![Symbol::default(); symbols + 1],
            address: DEBUG_ONLY_BASE,
        })
    }

    /// Room for the section indices of symbols beyond 16 bits.
    fn symtab_shndx(&mut self) -> Result<()> {
        self.sections.push(Section {
            name: self.names.push(".symtab_shndx")?,
            sh_type: elf::SHT_SYMTAB_SHNDX.0,
            link: SYMTAB,
            align: 4,
            entsize: 4,
            contents: Contents::Bytes(Cow::default()),
            ..Section::default()
        });
        Ok(())
    }

    fn function(&mut self, function: &DebugOnlyFunction<'_>, index: SymbolIndex) -> Result<()> {
        let address = self.place(function.name, function.size, TEXT_ALIGN)?;
        let name = self.names.push(&[CODE_PREFIX, function.name].concat())?;
        let other = if function.kernel { Symbol::ENTRY } else { 0 };
        let kind = elf::STT_FUNC.0;
        self.symbol(index, function.name, kind, other, address, function.size, function.local)?;
        self.sections.push(Section {
            name,
            sh_type: elf::SHT_NOBITS.0,
            flags: elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0,
            address,
            link: SYMTAB,
            info: index.0,
            align: TEXT_ALIGN,
            contents: Contents::NoBits(function.size),
            ..Section::default()
        });
        Ok(())
    }

    /// One section for all variables of a state space; none if there are none.
    fn variables<'v>(
        &mut self,
        space: VariableSpace,
        variables: impl Iterator<Item = (&'v DebugOnlyVariable<'v>, &'v SymbolIndex)>,
    ) -> Result<()> {
        let start = self.place("", 0, TEXT_ALIGN)?;
        for (variable, &index) in variables {
            let align = variable.align.clamp(1, MAX_VARIABLE_ALIGN).next_power_of_two();
            let address = self.place(variable.name, variable.size, align)?;
            let kind = elf::STT_OBJECT.0;
            self.symbol(index, variable.name, kind, 0, address, variable.size, variable.local)?;
        }
        if self.address == start {
            return Ok(());
        }
        let (name, flags) = match space {
            VariableSpace::Global => (".nv.global", elf::SHF_ALLOC.0 | elf::SHF_WRITE.0),
            VariableSpace::Constant => (".nv.constant3", elf::SHF_ALLOC.0),
        };
        self.sections.push(Section {
            name: self.names.push(name)?,
            sh_type: elf::SHT_NOBITS.0,
            flags,
            address: start,
            align: TEXT_ALIGN,
            contents: Contents::NoBits(self.address - start),
            ..Section::default()
        });
        Ok(())
    }

    /// Takes `size` bytes for `name` at the next multiple of `align`, and gives their address.
    fn place(&mut self, name: &str, size: u64, align: u64) -> Result<u64> {
        let overflow = || Error::in_section("", ErrorKind::AddressSpace { name: name.to_owned(), size });
        let address = self.address.checked_next_multiple_of(align).ok_or_else(overflow)?;
        self.address = address.checked_add(size).ok_or_else(overflow)?;
        Ok(address)
    }

    /// Fills in the symbol at `index`, in the section that comes next.
    #[expect(clippy::too_many_arguments, reason = "the fields of a symbol, used twice")]
    fn symbol(
        &mut self,
        index: SymbolIndex,
        name: &str,
        kind: u8,
        other: u8,
        value: u64,
        size: u64,
        local: bool,
    ) -> Result<()> {
        let binding = if local { elf::STB_LOCAL } else { elf::STB_GLOBAL };
        let shndx = self.sections.len() as u32;
        let name = self.strings.push(name)?;
        if let Some(slot) = self.symbols.get_mut(index.as_usize()) {
            *slot = Symbol { name, info: binding.0 << 4 | kind, other, shndx, value, size };
        }
        Ok(())
    }

    fn finish(mut self, first_global: u32) -> Vec<Section<'static>> {
        let tables =
            [Contents::Strings(self.names), Contents::Strings(self.strings), Contents::Symbols(self.symbols)];
        for (section, contents) in self.sections.iter_mut().skip(1).zip(tables) {
            section.contents = contents;
        }
        if let Some(symtab) = self.sections.get_mut(SYMTAB as usize) {
            symtab.info = first_global;
        }
        extended_numbering::store(&mut self.sections);
        self.sections
    }
}
