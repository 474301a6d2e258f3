//! Code sections and the functions in them.

use std::collections::HashMap;

use object::elf;

use crate::catalog::CODE_PREFIX;
use crate::cubin::{Contents, Cubin, SectionIndex, Symbol, SymbolIndex};

/// A section of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSection<'c> {
    /// Its index in the file.
    pub index: SectionIndex,
    /// Its name, `.text.F`.
    pub name: &'c str,
    /// Its address: 0 but in debug-only objects.
    pub address: u64,
    /// Its size in bytes, padding included.
    pub size: u64,
}

/// A function: `F` of `.text.F`, or one that ptxas has folded into a kernel's section (`$kernel$function`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function<'c> {
    /// The symbol's name, mangled as the compiler did.
    pub name: &'c str,
    /// The symbol.
    pub symbol: SymbolIndex,
    /// The code section.
    pub section: SectionIndex,
    /// Byte offset in that section.
    pub offset: u64,
    /// Size in bytes, without the section's padding.
    pub size: u64,
    /// Whether it is a kernel.
    pub kernel: bool,
}

/// The code of a cubin, by section, function and address; needs no line table.
///
/// Mercury sections are left out: their code is not what runs.
#[derive(Debug, Clone)]
pub struct Code<'c> {
    sections: Vec<CodeSection<'c>>,
    /// Index into `sections`.
    numbers: HashMap<SectionIndex, usize>,
    /// Sections that have an address and are not empty, by address: `(start, index into sections)`.
    placed: Vec<(u64, usize)>,
    /// By section, offset, and at one offset by descending size, so that the smallest comes last.
    functions: Vec<Function<'c>>,
}

impl<'c> Code<'c> {
    /// Looks up sections and symbols: code is what has `SHF_EXECINSTR` or, as in debug-only objects, the name `.text.F`.
    pub fn new(cubin: &'c Cubin<'_>) -> Self {
        let is_code =
            |flags: u64, name: &str| flags & elf::SHF_EXECINSTR.0 != 0 || name.starts_with(CODE_PREFIX);
        let sections: Vec<CodeSection<'c>> = cubin
            .iter()
            .filter(|(_, name, section)| !section.is_mercury() && is_code(section.flags, name))
            .map(|(index, name, section)| CodeSection {
                index,
                name,
                address: section.address,
                size: size(&section.contents),
            })
            .collect();
        let numbers: HashMap<_, _> =
            sections.iter().enumerate().map(|(number, section)| (section.index, number)).collect();
        let mut placed: Vec<_> = sections
            .iter()
            .enumerate()
            .filter(|(_, section)| section.address != 0 && section.size != 0)
            .map(|(number, section)| (section.address, number))
            .collect();
        placed.sort_unstable();
        let symbols = cubin.functions().filter_map(|(index, symbol)| {
            let number = *numbers.get(&symbol.section()?)?;
            Some(function(cubin, index, symbol, sections.get(number)?))
        });
        let mut functions: Vec<_> = symbols.collect();
        functions
            .sort_by_key(|function| (function.section, function.offset, std::cmp::Reverse(function.size)));
        Self { sections, numbers, placed, functions }
    }

    /// All functions, by section and offset.
    pub fn functions(&self) -> &[Function<'c>] {
        &self.functions
    }

    /// The functions of a code section, by offset.
    pub fn functions_of(&self, section: SectionIndex) -> &[Function<'c>] {
        let first = self.functions.partition_point(|function| function.section < section);
        let after = self.functions.partition_point(|function| function.section <= section);
        self.functions.get(first..after).unwrap_or_default()
    }

    /// All code sections in file order.
    pub fn sections(&self) -> &[CodeSection<'c>] {
        &self.sections
    }

    /// The code section at `index`; `None` where that is none.
    pub fn section(&self, index: SectionIndex) -> Option<&CodeSection<'c>> {
        self.sections.get(*self.numbers.get(&index)?)
    }

    /// The code section at `address` and the byte offset in it, in files whose functions have addresses of their own.
    ///
    /// That is so in debug-only objects ([`debug_only`](crate::cubin::debug_only)), which have no relocations. `None` in
    /// cubins, where all functions are at 0 and a relocation's
    /// [`target`](crate::relocated::RelocatedSection::target) says which one is meant, and behind a section's end.
    pub fn at_address(&self, address: u64) -> Option<(SectionIndex, u64)> {
        let after = self.placed.partition_point(|(start, _)| *start <= address);
        let (start, number) = self.placed.get(after.checked_sub(1)?)?;
        let section = self.sections.get(*number)?;
        (address - start < section.size).then_some((section.index, address - start))
    }

    /// The function at an offset: the nearest that starts at or before it, if it reaches it, else the section's first. Folded
    /// functions lie behind the kernel's own code, whose symbol covers them and the padding too.
    pub fn function_at(&self, section: SectionIndex, offset: u64) -> Option<&Function<'c>> {
        let own = self.functions_of(section);
        let own = own.get(..own.partition_point(|function| function.offset <= offset))?;
        own.last().filter(|nearest| offset - nearest.offset < nearest.size).or(own.first())
    }
}

fn function<'c>(
    cubin: &'c Cubin<'_>,
    symbol: SymbolIndex,
    entry: &Symbol,
    section: &CodeSection<'c>,
) -> Function<'c> {
    Function {
        name: cubin.symbol_name(symbol),
        symbol,
        section: section.index,
        // In an executable a symbol's value is an address.
        offset: entry.value.saturating_sub(section.address),
        size: entry.size,
        kernel: entry.is_kernel(),
    }
}

fn size(contents: &Contents<'_>) -> u64 {
    match contents {
        Contents::Bytes(bytes) => bytes.len() as u64,
        Contents::NoBits(size) => *size,
        _ => 0,
    }
}
