//! Code sections and the functions in them.

mod code_section;
mod function;
mod instruction_size;

use std::ops::Range;

use object::elf;

use crate::catalog::{CODE_PREFIX, Space};
use crate::cubin::{Contents, Cubin, Section, SectionIndex, Symbol, SymbolIndex};

pub use code_section::CodeSection;
pub use function::Function;
pub use instruction_size::instruction_size;

/// The code sections of a cubin and their functions, for lookup by section, name and address. It
/// needs no line table.
#[derive(Debug, Clone)]
pub struct Code<'c> {
    sections: Vec<CodeSection<'c>>,
    /// By index of a section of the file: its index in `sections`.
    numbers: Vec<Option<u32>>,
    /// Sections that have an address and are not empty, by address: `(start, index into sections)`.
    by_address: Vec<(u64, usize)>,
    /// By section, offset, and at one offset by descending size, so that the smallest comes last.
    functions: Vec<Function<'c>>,
    /// Where the functions of each of `sections` start in `functions`, and where the last one's
    /// end.
    first: Vec<u32>,
    /// The ranges of all sections, by section and offset.
    ranges: Vec<FunctionRange>,
    /// Where the ranges of each of `sections` start in `ranges`, and where the last one's end.
    first_range: Vec<u32>,
}

/// A range of a code section that belongs to one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FunctionRange {
    /// Byte offset in the section.
    start: u64,
    /// The byte offset at which the next range of the section starts; [`u64::MAX`] for the last
    /// one.
    end: u64,
    /// Index into [`Code::functions`].
    function: Option<u32>,
}

/// Prefix of the sections of Mercury code. Their bytes are packed: addresses in them go by
/// `.nv.merc.symtab` (docs/formats/capsule.md, Mercury space).
const MERCURY_CODE_PREFIX: &str = ".nv.capmerc.text.";

impl<'c> Code<'c> {
    /// Collects the native code sections of a cubin and their functions. Code sections are those
    /// with `SHF_EXECINSTR` or, in debug-only objects, the name `.text.F`.
    pub fn new(cubin: &'c Cubin<'_>) -> Self {
        Self::in_space(cubin, Space::Native)
    }

    /// Collects the code sections and functions of one space, native or Mercury. Mercury code
    /// (`.nv.capmerc.text.F`) does not run, and has its own addresses.
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
        let mut code = Self {
            sections,
            numbers,
            by_address: placed,
            functions,
            first,
            ranges: Vec::new(),
            first_range: vec![0],
        };
        for number in 0..code.sections.len() {
            code.add_function_ranges(number);
            code.first_range.push(code.ranges.len() as u32);
        }
        code
    }

    /// Cuts a section, by its number in `sections`, where the function changes that has the code.
    fn add_function_ranges(&mut self, number: usize) {
        let from = self.first.get(number).map_or(0, |from| *from as usize);
        let functions = self.functions_in(number);
        let mut ranges: Vec<FunctionRange> = Vec::new();
        let size = self.sections.get(number).map_or(0, |section| section.size);
        let mut add = |start: u64, function: usize| {
            if start != 0 && start >= size {
                return;
            }
            let function = functions.get(function).map(|_| (from + function) as u32);
            // Of several at one offset the last counts.
            ranges.pop_if(|last| last.start == start);
            if ranges.last().is_none_or(|last| last.function != function) {
                if let Some(last) = ranges.last_mut() {
                    last.end = start;
                }
                ranges.push(FunctionRange { start, end: u64::MAX, function });
            }
        };
        add(0, 0);
        // Functions that have started and may still go on: where they end, and their indices. The
        // last one that does has the code.
        let mut open: Vec<(u64, usize)> = Vec::new();
        let starts = functions.iter().enumerate().filter(|(_, function)| function.size != 0);
        let starts = starts.map(|(index, function)| (function.offset, function.size, index));
        for (offset, size, index) in starts.chain([(u64::MAX, 0, functions.len())]) {
            while let Some(&(end, _)) = open.last().filter(|(end, _)| *end <= offset) {
                while open.last().is_some_and(|(other, _)| *other <= end) {
                    open.pop();
                }
                add(end, open.last().map_or(0, |(_, outer)| *outer));
            }
            if index < functions.len() {
                add(offset, index);
                open.push((offset.saturating_add(size), index));
            }
        }
        self.ranges.extend(ranges);
    }

    /// All functions, sorted by section and offset.
    pub fn functions(&self) -> &[Function<'c>] {
        &self.functions
    }

    /// The functions of a code section, sorted by offset.
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

    /// The code section at `index`; `None` if that is not a code section.
    pub fn section(&self, index: SectionIndex) -> Option<&CodeSection<'c>> {
        self.sections.get(number_of(&self.numbers, index)?)
    }

    /// Finds the code section that contains `address`, and the byte offset in it. This works in
    /// files that give each section an address, as debug-only objects do.
    ///
    /// That is so in debug-only objects ([`debug_only`](crate::cubin::debug_only)), which have no
    /// relocations. `None` in cubins, where all functions are at 0 and a relocation's
    /// [`target`](crate::relocated::RelocatedSection::target) says which one is meant, and after a
    /// section's end.
    pub fn at_address(&self, address: u64) -> Option<(SectionIndex, u64)> {
        let after = self.by_address.partition_point(|(start, _)| *start <= address);
        let (start, number) = self.by_address.get(after.checked_sub(1)?)?;
        let section = self.sections.get(*number)?;
        (address - start < section.size).then_some((section.index, address - start))
    }

    /// Whether the code sections have addresses, as in debug-only objects; elsewhere each starts at
    /// 0.
    pub fn has_addresses(&self) -> bool {
        !self.by_address.is_empty()
    }

    /// Returns the function at a byte offset of a code section. Of the functions whose symbols
    /// cover the offset it is the one that starts last; if no symbol covers it, the first function
    /// of the section. Symbols of kernels cover the folded functions after the kernel's own code
    /// too. A symbol without a size covers nothing.
    pub fn function_at(&self, section: SectionIndex, offset: u64) -> Option<&Function<'c>> {
        let (_, range) = self.range_at(section, offset)?;
        self.function_of_range(range)
    }

    /// Splits a code section into function ranges: non-empty, adjacent ranges of byte offsets, each
    /// with the function that [`function_at`](Self::function_at) gives for it.
    pub fn ranges_of(
        &self,
        section: SectionIndex,
    ) -> impl Iterator<Item = (Range<u64>, Option<&Function<'c>>)> {
        let size = self.section(section).map_or(0, |section| section.size);
        self.range_numbers_of(section).filter_map(move |number| {
            let range = self.range(number);
            let range = range.start..range.end.min(size);
            (!range.is_empty()).then(|| (range, self.function_of_range(number)))
        })
    }

    /// Returns the code section with the index `section`, and the number of its function range at a
    /// byte offset. The offset may be after the section's end.
    #[inline]
    pub fn range_at(&self, section: SectionIndex, offset: u64) -> Option<(&CodeSection<'c>, u32)> {
        let number = number_of(&self.numbers, section)?;
        let section = self.sections.get(number)?;
        let &[first, end] = self.first_range.get(number..number + 2)? else { return None };
        let own = self.ranges.get(first as usize..end as usize)?;
        let after = match own {
            [_] => 1,
            _ => own.partition_point(|range| range.start <= offset),
        };
        Some((section, first + (after as u32).checked_sub(1)?))
    }

    /// Returns the function of a function range, given the number that [`range_at`](Self::range_at)
    /// returns.
    #[inline]
    pub fn function_of_range(&self, range: u32) -> Option<&Function<'c>> {
        self.functions.get(self.ranges.get(range as usize)?.function? as usize)
    }

    /// Returns the indices, among all function ranges of the file, of those in one code section.
    pub fn range_numbers_of(&self, section: SectionIndex) -> Range<u32> {
        let range = number_of(&self.numbers, section)
            .and_then(|number| Some(*self.first_range.get(number)?..*self.first_range.get(number + 1)?));
        range.unwrap_or_default()
    }

    /// The byte offsets in its section at which a function range begins and ends. The last range of
    /// a section ends at [`u64::MAX`].
    #[inline]
    pub fn range(&self, number: u32) -> Range<u64> {
        self.ranges.get(number as usize).map_or(0..0, |range| range.start..range.end)
    }

    /// The number of function ranges in all code sections.
    pub fn range_count(&self) -> usize {
        self.ranges.len()
    }
}

#[inline]
fn number_of(numbers: &[Option<u32>], section: SectionIndex) -> Option<usize> {
    numbers.get(section.as_usize())?.map(|number| number as usize)
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

#[cfg(test)]
mod tests {
    use super::*;

    // Maxwell's listings count 0x8, 0x10, 0x18; Volta's 0x0, 0x10, 0x20.
    #[test]
    fn instructions_have_128_bits_since_volta() {
        let sizes = [52, 62, 70, 75, 121].map(instruction_size);
        assert_eq!(sizes, [8, 8, 16, 16, 16]);
    }

    /// Where the function changes in a section of functions with these offsets and sizes, and the
    /// number of the one that has the code.
    fn cut(functions: &[(u64, u64)]) -> Vec<(u64, Option<u32>)> {
        let section = SectionIndex(1);
        let function = |(symbol, (offset, size)): (u32, &(u64, u64))| Function {
            name: "",
            symbol: SymbolIndex(symbol),
            section,
            offset: *offset,
            size: *size,
            kernel: false,
        };
        let mut code = Code {
            sections: vec![CodeSection { index: section, name: "", address: 0, size: 100 }],
            numbers: vec![None, Some(0)],
            by_address: Vec::new(),
            functions: (0..).zip(functions).map(function).collect(),
            first: vec![0, functions.len() as u32],
            ranges: Vec::new(),
            first_range: vec![0],
        };
        code.add_function_ranges(0);
        assert!(code.ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        code.ranges.iter().map(|range| (range.start, range.function)).collect()
    }

    #[test]
    fn the_function_changes_where_symbols_start_and_end() {
        for (functions, want) in [
            (&[][..], vec![(0, None)]),
            // Padding is the function's.
            (&[(0, 64)], vec![(0, Some(0))]),
            (&[(0, 100), (40, 20), (60, 40)], vec![(0, Some(0)), (40, Some(1)), (60, Some(2))]),
            // Code after a folded function is the kernel's; code after a function within another is
            // the outer one's.
            (&[(0, 100), (40, 20)], vec![(0, Some(0)), (40, Some(1)), (60, Some(0))]),
            (
                &[(0, 100), (10, 40), (20, 10)],
                vec![(0, Some(0)), (10, Some(1)), (20, Some(2)), (30, Some(1)), (50, Some(0))],
            ),
            // Of two names at one address the last counts, and one without a size does not.
            (&[(0, 100), (40, 20), (40, 20)], vec![(0, Some(0)), (40, Some(2)), (60, Some(0))]),
            (&[(0, 100), (40, 20), (40, 0), (50, 0)], vec![(0, Some(0)), (40, Some(1)), (60, Some(0))]),
            // Symbols that overlap.
            (
                &[(0, 10), (5, 10), (6, 1)],
                vec![(0, Some(0)), (5, Some(1)), (6, Some(2)), (7, Some(1)), (15, Some(0))],
            ),
            (&[(16, u64::MAX)], vec![(0, Some(0))]),
        ] {
            assert_eq!(cut(functions), want, "{functions:?}");
        }
    }
}
