//! Code sections and the functions in them.

use object::elf;

use crate::catalog::{CODE_PREFIX, Space};
use crate::cubin::{Contents, Cubin, Section, SectionIndex, Symbol, SymbolIndex};

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
#[derive(Debug, Clone)]
pub struct Code<'c> {
    sections: Vec<CodeSection<'c>>,
    /// By index of a section of the file: its index in `sections`.
    numbers: Vec<Option<u32>>,
    /// Sections that have an address and are not empty, by address: `(start, index into sections)`.
    placed: Vec<(u64, usize)>,
    /// By section, offset, and at one offset by descending size, so that the smallest comes last.
    functions: Vec<Function<'c>>,
    /// Where the functions of each of `sections` start in `functions`, and where the last one's end.
    first: Vec<u32>,
}

/// Prefix of the sections of Mercury code. Their bytes are packed: addresses in them go by `.nv.merc.symtab` (FORMATS 7).
const MERCURY_CODE_PREFIX: &str = ".nv.capmerc.text.";

impl<'c> Code<'c> {
    /// The code that runs: sections that have `SHF_EXECINSTR` or, as in debug-only objects, the name `.text.F`, but none of
    /// Mercury.
    pub fn new(cubin: &'c Cubin<'_>) -> Self {
        Self::in_space(cubin, Space::Native)
    }

    /// The code of one space. Mercury code (`.nv.capmerc.text.F`) is not what runs, and has addresses of its own.
    pub fn in_space(cubin: &'c Cubin<'_>, space: Space) -> Self {
        let symtab = match space {
            Space::Native => cubin.symtab(),
            Space::Mercury => mercury_symtab(cubin),
        };
        let mut sections: Vec<CodeSection<'c>> = cubin
            .iter()
            .filter(|(_, name, section)| is_code(section, name, space))
            .map(|(index, name, section)| CodeSection {
                index,
                name,
                address: section.address,
                size: size(&section.contents),
            })
            .collect();
        let mut numbers = vec![None; cubin.sections.len()];
        for (number, section) in (0..).zip(&sections) {
            if let Some(slot) = numbers.get_mut(section.index.as_usize()) {
                *slot = Some(number);
            }
        }
        let mut functions = Vec::new();
        for (index, symbol) in (0..).zip(symtab.map_or(&[][..], |table| cubin.symbols_of(table))) {
            let section = symbol.section().and_then(|section| sections.get(number_of(&numbers, section)?));
            let (Some(table), Some(section), true) = (symtab, section, symbol.is_function()) else {
                continue;
            };
            let name = cubin.symbol_name_in(table, SymbolIndex(index));
            functions.push(function(name, SymbolIndex(index), symbol, section));
        }
        functions.sort_by_key(|function: &Function<'_>| {
            (function.section, function.offset, std::cmp::Reverse(function.size))
        });
        let after = |section: &CodeSection<'_>| {
            functions.partition_point(|function| function.section <= section.index)
        };
        let first: Vec<u32> = std::iter::once(0).chain(sections.iter().map(|s| after(s) as u32)).collect();
        if space == Space::Mercury {
            for (section, range) in sections.iter_mut().zip(first.windows(2)) {
                let own = match range {
                    [from, to] => functions.get(*from as usize..*to as usize).unwrap_or_default(),
                    _ => &[],
                };
                section.size = own.iter().map(|f| f.offset.saturating_add(f.size)).max().unwrap_or(0);
            }
        }
        let mut placed: Vec<_> = sections
            .iter()
            .enumerate()
            .filter(|(_, section)| section.address != 0 && section.size != 0)
            .map(|(number, section)| (section.address, number))
            .collect();
        placed.sort_unstable();
        Self { sections, numbers, placed, functions, first }
    }

    /// All functions, by section and offset.
    pub fn functions(&self) -> &[Function<'c>] {
        &self.functions
    }

    /// The functions of a code section, by offset.
    pub fn functions_of(&self, section: SectionIndex) -> &[Function<'c>] {
        number_of(&self.numbers, section).map_or(&[], |number| self.functions_in(number))
    }

    #[inline]
    fn functions_in(&self, number: usize) -> &[Function<'c>] {
        let range = self.first.get(number).zip(self.first.get(number + 1));
        range.map_or(&[], |(from, to)| self.functions.get(*from as usize..*to as usize).unwrap_or_default())
    }

    /// All code sections in file order.
    pub fn sections(&self) -> &[CodeSection<'c>] {
        &self.sections
    }

    /// The code section at `index`; `None` where that is none.
    pub fn section(&self, index: SectionIndex) -> Option<&CodeSection<'c>> {
        self.sections.get(number_of(&self.numbers, index)?)
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

    /// Whether functions have addresses of their own, as in debug-only objects.
    pub fn has_addresses(&self) -> bool {
        !self.placed.is_empty()
    }

    /// The function at an offset: the nearest that starts at or before it, if it reaches it, else the section's first. Folded
    /// functions lie behind the kernel's own code, whose symbol covers them and the padding too.
    pub fn function_at(&self, section: SectionIndex, offset: u64) -> Option<&Function<'c>> {
        function_at(self.functions_of(section), offset)
    }

    /// A code section and the function at an offset in it, which may be behind its end: [`section`](Self::section) and
    /// [`function_at`](Self::function_at) at once.
    #[inline]
    pub(super) fn at(
        &self,
        section: SectionIndex,
        offset: u64,
    ) -> Option<(&CodeSection<'c>, Option<&Function<'c>>)> {
        let number = number_of(&self.numbers, section)?;
        Some((self.sections.get(number)?, function_at(self.functions_in(number), offset)))
    }
}

#[inline]
fn number_of(numbers: &[Option<u32>], section: SectionIndex) -> Option<usize> {
    numbers.get(section.as_usize())?.map(|number| number as usize)
}

#[inline]
fn function_at<'f, 'c>(own: &'f [Function<'c>], offset: u64) -> Option<&'f Function<'c>> {
    let own = own.get(..own.partition_point(|function| function.offset <= offset))?;
    own.last().filter(|nearest| offset - nearest.offset < nearest.size).or(own.first())
}

fn is_code(section: &Section<'_>, name: &str, space: Space) -> bool {
    match space {
        Space::Native => {
            !section.is_mercury()
                && (section.flags & elf::SHF_EXECINSTR.0 != 0 || name.starts_with(CODE_PREFIX))
        }
        Space::Mercury => section.is_mercury() && name.starts_with(MERCURY_CODE_PREFIX),
    }
}

/// `.nv.merc.symtab`.
fn mercury_symtab(cubin: &Cubin<'_>) -> Option<SectionIndex> {
    let is = |section: &Section<'_>| section.is_mercury() && matches!(section.contents, Contents::Symbols(_));
    cubin.iter().find(|(.., section)| is(section)).map(|(index, ..)| index)
}

fn function<'c>(
    name: &'c str,
    symbol: SymbolIndex,
    entry: &Symbol,
    section: &CodeSection<'_>,
) -> Function<'c> {
    Function {
        name,
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
