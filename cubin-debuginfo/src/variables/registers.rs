//! Finds the SASS registers of PTX registers.

use dwarf2_reader::WorkBudget;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{CODE_PREFIX, SectionKind};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::reg_sass::{self, SassRegister};
use nv_debug_sections::reg_type::{self, PtxType, RegisterType};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

/// The SASS register that holds a 32-bit word of a PTX register, or a register narrower than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegisterPart {
    /// Which word of the PTX register this is, as
    /// [`RegisterRange::part`](reg_sass::RegisterRange::part) counts: 0 is the low word.
    pub part: u32,
    /// The SASS register that holds the word.
    pub register: SassRegister,
}

/// The SASS registers that hold a PTX register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SassAllocation {
    /// The name of the PTX register, with `%`; empty where the location expression names the SASS
    /// register itself.
    pub ptx: String,
    /// The type that the register is declared with, if `.nv_debug_info_reg_type` tells it.
    pub r#type: Option<RegisterType>,
    /// The words of the PTX register, ascending, each with its SASS register. A word may be in
    /// several registers at a time, each with a copy. The four words of a `.b128` register, whose
    /// parts are 0, 1, 1, 2, are all different.
    pub words: Vec<RegisterPart>,
}

impl SassAllocation {
    /// Whether every word of the PTX register is in a SASS register.
    pub fn is_complete(&self) -> bool {
        let Some(words) = self.r#type.map(|r#type| usize::from(r#type.words())) else {
            return self.words.first().is_none_or(|word| word.part == 0);
        };
        if self.parts_repeat() {
            return self.words.len() >= words;
        }
        let mut parts: Vec<u32> = self.words.iter().map(|word| word.part).collect();
        parts.dedup();
        parts.len() >= words
    }

    /// Whether the parts of its words are 0, 1, 1, 2: those of a `.b128` register.
    fn parts_repeat(&self) -> bool {
        self.r#type == Some(PtxType::B128.into())
    }
}

/// Parts beyond are none.
const LAST_PART: u32 = 3;

impl fmt::Display for SassAllocation {
    /// Its words from high to low: `R5:R4`; `R9|R17:R8` where one is in two registers, `R5:--`
    /// where one is in none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.r#type.map_or(0, |r#type| usize::from(r#type.words()));
        if self.parts_repeat() {
            for (at, word) in self.words.iter().rev().enumerate() {
                write!(f, "{}{}", if at == 0 { "" } else { ":" }, word.register)?;
            }
            return if self.is_complete() { Ok(()) } else { f.write_str(" (not all)") };
        }
        let part = |word: &RegisterPart| word.part.min(LAST_PART);
        let missing = |f: &mut fmt::Formatter<'_>, parts: Range<u32>| {
            parts.into_iter().try_for_each(|_| f.write_str("--:"))
        };
        let mut above = u32::try_from(words).unwrap_or(0);
        let mut previous = None;
        for word in self.words.iter().rev() {
            let part = part(word);
            if previous == Some(part) {
                write!(f, "|{}", word.register)?;
                continue;
            }
            if previous.is_some() {
                f.write_str(":")?;
            }
            missing(f, part + 1..above)?;
            write!(f, "{}", word.register)?;
            (previous, above) = (Some(part), part);
        }
        (0..above).try_for_each(|_| f.write_str(":--"))
    }
}

/// A register's word over a range of a code section.
#[derive(Debug, Clone)]
struct Entry {
    word: RegisterPart,
    range: Range<u64>,
    r#type: Option<RegisterType>,
}

type OfFunction = HashMap<Box<[u8]>, Vec<Entry>>;

/// Where the registers of each function are.
#[derive(Debug, Clone, Default)]
pub(super) struct RegisterMap {
    functions: HashMap<SectionIndex, OfFunction>,
    is_there: bool,
}

impl RegisterMap {
    /// Reads both sections; an empty map of a file without.
    pub(super) fn read(cubin: &Cubin<'_>) -> Result<Self> {
        let bytes =
            |kind: SectionKind| cubin.section_by_name(kind.name()).map(|at| cubin.bytes(at)).transpose();
        let Some(map) = bytes(SectionKind::NvDebugInfoRegSass)? else {
            return Ok(Self::default());
        };
        let types = bytes(SectionKind::NvDebugInfoRegType)?;
        let types = types.as_deref().map(reg_type::decode).transpose()?.unwrap_or_default();
        let mut sections: HashMap<&[u8], Vec<SectionIndex>> = HashMap::new();
        for (index, name, section) in cubin.iter() {
            if let Some(function) = name.strip_prefix(CODE_PREFIX).filter(|_| !section.is_mercury()) {
                sections.entry(function.as_bytes()).or_default().push(index);
            }
        }
        let mut functions: HashMap<SectionIndex, OfFunction> = HashMap::new();
        // Functions are in the same order in both sections, and a name may come twice.
        let types = types.iter().map(Some).chain(std::iter::repeat(None));
        for (function, types) in reg_sass::decode(&map)?.iter().zip(types) {
            let Some(section) = sections.get(function.function).and_then(|all| all.first()) else { continue };
            let types = types
                .filter(|types| types.function == function.function)
                .map_or(&[][..], |types| types.types);
            let own = functions.entry(*section).or_default();
            for (at, range) in function.ranges.iter().enumerate() {
                let r#type = types.get(at).and_then(|code| RegisterType::of_code(*code));
                let word = RegisterPart { part: range.part, register: range.register };
                let entry = Entry { word, range: range.start.into()..range.end.into(), r#type };
                match own.get_mut(range.ptx_name) {
                    Some(all) => all.push(entry),
                    None => _ = own.insert(range.ptx_name.into(), vec![entry]),
                }
            }
        }
        Ok(Self { functions, is_there: true })
    }

    /// Whether the file has a map at all.
    pub(super) fn is_there(&self) -> bool {
        self.is_there
    }

    /// Where a register is over `range` of a code section: ascending pieces without a gap; `None`
    /// for those where it is nowhere.
    pub(super) fn held(
        &self,
        section: SectionIndex,
        range: &Range<u64>,
        ptx: &str,
        budget: &mut WorkBudget,
    ) -> Vec<(Range<u64>, Option<SassAllocation>)> {
        let all = self
            .functions
            .get(&section)
            .and_then(|own| own.get(ptx.as_bytes()))
            .map_or(&[][..], Vec::as_slice);
        // What begins and ends where.
        let mut changes: BTreeMap<u64, Vec<(bool, &Entry)>> = BTreeMap::new();
        if budget.take((all.len() + 1) as u64) {
            for entry in all {
                let (start, end) = (entry.range.start.max(range.start), entry.range.end.min(range.end));
                if start < end {
                    changes.entry(start).or_default().push((true, entry));
                    changes.entry(end).or_default().push((false, entry));
                }
            }
        }
        let (mut pieces, mut at) = (Pieces { ptx, all: Vec::new() }, range.start);
        let mut words: BTreeMap<RegisterPart, (usize, Option<RegisterType>)> = BTreeMap::new();
        for (offset, changed) in changes {
            if !budget.take((words.len() + 1) as u64) {
                break;
            }
            pieces.push(at..offset, &words);
            at = offset;
            for (begins, entry) in changed {
                let count = words.entry(entry.word).or_insert((0, entry.r#type));
                count.0 = if begins { count.0 + 1 } else { count.0.saturating_sub(1) };
                if count.0 == 0 {
                    words.remove(&entry.word);
                }
            }
        }
        pieces.push(at..range.end, &words);
        pieces.all
    }
}

struct Pieces<'p> {
    ptx: &'p str,
    all: Vec<(Range<u64>, Option<SassAllocation>)>,
}

impl Pieces<'_> {
    fn push(&mut self, range: Range<u64>, words: &BTreeMap<RegisterPart, (usize, Option<RegisterType>)>) {
        if range.is_empty() {
            return;
        }
        let r#type = words.values().find_map(|(_, r#type)| *r#type);
        let held =
            SassAllocation { ptx: self.ptx.to_owned(), r#type, words: words.keys().copied().collect() };
        let held = (!words.is_empty()).then_some(held);
        match self.all.last_mut() {
            Some((last, before)) if *before == held && last.end == range.start => last.end = range.end,
            _ => self.all.push((range, held)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nv_debug_sections::register::RegisterClass;

    fn held(r#type: Option<RegisterType>, words: &[(u32, u32)]) -> SassAllocation {
        let word = |&(part, number): &(u32, u32)| RegisterPart {
            part,
            register: SassRegister::new(RegisterClass::General, number),
        };
        SassAllocation { ptx: "%r".to_owned(), r#type, words: words.iter().map(word).collect() }
    }

    #[test]
    fn words_are_shown_from_high_to_low() {
        let wide = Some(PtxType::B64.into());
        for (held, text, whole) in [
            (held(wide, &[(0, 4), (1, 5)]), "R5:R4", true),
            (held(wide, &[(0, 8), (1, 9), (1, 17)]), "R17|R9:R8", true),
            (held(wide, &[(1, 5)]), "R5:--", false),
            (held(wide, &[(0, 4)]), "--:R4", false),
            (held(Some(PtxType::F32.into()), &[(0, 0)]), "R0", true),
            (held(Some(PtxType::B128.into()), &[(0, 4), (1, 5), (1, 6), (2, 7)]), "R7:R6:R5:R4", true),
            (
                held(RegisterType::new(PtxType::F32, 4), &[(0, 4), (1, 5), (2, 6), (3, 7)]),
                "R7:R6:R5:R4",
                true,
            ),
            (held(RegisterType::new(PtxType::B8, 4), &[(0, 4), (1, 5), (3, 7)]), "R7:--:R5:R4", false),
            (held(None, &[(0, 4), (1, 5)]), "R5:R4", true),
            (held(None, &[(u32::MAX, 4)]), "R4:--:--:--", false),
        ] {
            assert_eq!((held.to_string().as_str(), held.is_complete()), (text, whole));
        }
    }
}
