//! Where new debug sections and their relocation sections go.

use std::collections::HashSet;

use object::elf;

use super::Cubin;
use super::edit::{DebugSection, Fate, Part, is_replaced, relocations};
use crate::catalog::SectionKind;

/// File order of debug sections (FORMATS 0). Those of the PTX come last, `.debug_abbrev` first among them.
const SECTION_ORDER: &[SectionKind] = &[
    SectionKind::DebugFrame,
    SectionKind::DebugLine,
    SectionKind::DebugStr,
    SectionKind::NvDebugLineSass,
    SectionKind::NvDebugPtxTxt,
    SectionKind::NvDebugInfoRegSass,
    SectionKind::NvDebugInfoRegType,
    SectionKind::DebugAbbrev,
];

fn section_rank(name: &str) -> u8 {
    let kind = SectionKind::from_name(name);
    SECTION_ORDER.iter().position(|other| Some(*other) == kind).unwrap_or(SECTION_ORDER.len()) as u8
}

/// File order of relocation sections by target (FORMATS 6). Ranks of code and plain data lie between.
fn relocation_rank(target: &str) -> u8 {
    match SectionKind::from_name(target) {
        Some(SectionKind::DebugLine) => 1,
        Some(SectionKind::NvDebugLineSass) => 2,
        Some(SectionKind::DebugFrame) => 5,
        _ if is_replaced(target) => 3,
        _ if target.starts_with(".text.") => 0,
        _ => 4,
    }
}

/// `.rel.X` comes before `.rela.X`, but for `.debug_line` after. Observed: ptxas 13.0.88 `-c`, sm_75.
fn kind_rank(target: &str, with_addend: bool) -> u8 {
    u8::from(with_addend != (SectionKind::from_name(target) == Some(SectionKind::DebugLine)))
}

/// Where a section goes: before the old section `before` (as that section itself if `old`), then by rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    before: usize,
    old: bool,
    rank: u8,
    /// Order among sections of one rank: as given, or for relocation sections that of their targets.
    ordinal: usize,
    kind: u8,
}

impl Place {
    pub(super) fn old(index: usize) -> Self {
        Self { before: index, old: true, rank: 0, ordinal: 0, kind: 0 }
    }
}

/// Places of the given parts that no section of the file takes.
pub(super) fn places(cubin: &Cubin<'_>, given: &[DebugSection], fates: &[Fate]) -> Vec<(Place, usize, Part)> {
    let mut all: Vec<Option<Place>> = vec![None; given.len()];
    for (index, fate) in fates.iter().enumerate() {
        if let Fate::Takes(g, Part::Bytes) = fate
            && let Some(slot) = all.get_mut(*g)
        {
            *slot = Some(Place::old(index));
        }
    }
    let starts = rank_starts(cubin, fates);
    let mut out = Vec::new();
    for (g, (section, slot)) in given.iter().zip(&mut all).enumerate() {
        if slot.is_none() {
            let rank = section_rank(&section.name);
            let before = starts.get(usize::from(rank) + 1).copied().unwrap_or(0);
            let place = Place { before, old: false, rank, ordinal: g, kind: 0 };
            *slot = Some(place);
            out.push((place, g, Part::Bytes));
        }
    }
    let mut by_place: Vec<usize> = (0..given.len()).collect();
    by_place.sort_by_key(|&g| all.get(g).copied().flatten());
    relocation_places(cubin, given, fates, &by_place, &mut out);
    out
}

/// For each rank the old index of the first debug section of this rank or a higher one; behind the last debug section
/// (behind `.symtab` if there are none) where no section is.
fn rank_starts(cubin: &Cubin<'_>, fates: &[Fate]) -> [usize; SECTION_ORDER.len() + 2] {
    let tables = [Some(cubin.header.shstrndx), cubin.symtab()].into_iter().flatten();
    let mut end = tables.map(|index| index.as_usize() + 1).max().unwrap_or(1);
    let debug: Vec<(usize, usize)> = cubin
        .iter()
        .zip(fates.iter().skip(1))
        .filter(|((.., section), fate)| **fate != Fate::Stays && section.relocations().is_none())
        .map(|((index, name, _), _)| (index.as_usize(), usize::from(section_rank(name))))
        .collect();
    if let Some((last, _)) = debug.last() {
        end = last + 1;
    }
    let mut starts = [end; SECTION_ORDER.len() + 2];
    for (index, rank) in debug.into_iter().rev() {
        starts.iter_mut().take(rank + 1).for_each(|start| *start = index);
    }
    starts
}

/// Order among relocation sections: rank of the target, position of the target, `.rel` or `.rela`.
type Key = (u8, usize, u8);

fn relocation_places(
    cubin: &Cubin<'_>,
    given: &[DebugSection],
    fates: &[Fate],
    by_place: &[usize],
    out: &mut Vec<(Place, usize, Part)>,
) {
    let mut ordinals = vec![0; given.len()];
    for (ordinal, &g) in by_place.iter().enumerate() {
        if let Some(slot) = ordinals.get_mut(g) {
            *slot = ordinal;
        }
    }
    let key = |g: usize, part: Part| -> Key {
        let name = given.get(g).map_or("", |s| s.name.as_str());
        (relocation_rank(name), ordinals.get(g).copied().unwrap_or(0), kind_rank(name, part == Part::Rela))
    };
    let mut taken = HashSet::new();
    let mut present: Vec<(Key, usize)> = Vec::new();
    for (index, (fate, section)) in fates.iter().zip(&cubin.sections).enumerate() {
        match *fate {
            Fate::Takes(g, part @ (Part::Rel | Part::Rela)) => {
                taken.insert((g, part));
                present.push((key(g, part), index));
            }
            Fate::Stays if section.relocations().is_some() && !section.is_mercury() => {
                let target = cubin.section_name(super::SectionIndex(section.info));
                present.push(((relocation_rank(target), 0, 0), index));
            }
            _ => {}
        }
    }
    // Smallest old index among those with this key or a higher one.
    present.sort_unstable();
    let first_loaded = first_loaded(cubin);
    let mut first = first_loaded;
    for (_, index) in present.iter_mut().rev() {
        first = first.min(*index);
        *index = first;
    }
    for g in 0..given.len() {
        for part in [Part::Rel, Part::Rela] {
            if given.get(g).is_none_or(|s| relocations(s, part).is_empty()) || taken.contains(&(g, part)) {
                continue;
            }
            let key = key(g, part);
            let later = present.partition_point(|(k, _)| *k <= key);
            let before = present.get(later).map_or(first_loaded, |(_, index)| *index);
            let (rank, ordinal, kind) = key;
            out.push((Place { before, old: false, rank, ordinal, kind }, g, part));
        }
    }
}

/// The first section that is loaded or Mercury: relocation sections end there.
fn first_loaded(cubin: &Cubin<'_>) -> usize {
    let loaded = |s: &&super::Section<'_>| s.flags & elf::SHF_ALLOC.0 != 0 || s.is_mercury();
    cubin.sections.iter().position(|s| loaded(&s)).unwrap_or(cubin.sections.len())
}
