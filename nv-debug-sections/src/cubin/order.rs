//! Where new debug sections and their relocation sections go.

use std::collections::HashSet;

use object::elf;

use super::Cubin;
use super::edit::{Edit, Fate, Part, is_replaced, relocations};
use super::sht;
use crate::catalog::{SectionKind, SectionName, Space};

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

/// Rank of a section by its name without the prefix of its space.
fn section_rank(base: &str) -> u8 {
    let kind = SectionKind::from_name(base);
    SECTION_ORDER.iter().position(|other| Some(*other) == kind).unwrap_or(SECTION_ORDER.len()) as u8
}

/// File order of relocation sections by target (FORMATS 6). Ranks of code and plain data lie between.
fn relocation_rank(target: &str) -> u8 {
    match SectionKind::from_name(target) {
        Some(SectionKind::DebugLine) => 1,
        Some(SectionKind::NvDebugLineSass) => 2,
        Some(SectionKind::DebugFrame) => 5,
        _ if is_replaced(target) => 3,
        _ if target.starts_with(".text.") || target.starts_with(".nv.capmerc.text.") => 0,
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
pub(super) fn places(cubin: &Cubin<'_>, edit: &Edit, fates: &[Fate]) -> Vec<(Place, usize, Part)> {
    let given = &edit.given;
    let mut all: Vec<Option<Place>> = vec![None; given.len()];
    for (index, fate) in fates.iter().enumerate() {
        if let Fate::Takes(g, Part::Bytes) = fate
            && let Some(slot) = all.get_mut(*g)
        {
            *slot = Some(Place::old(index));
        }
    }
    let starts = rank_starts(cubin, edit.space, fates);
    let mut out = Vec::new();
    for (g, (section, slot)) in given.iter().zip(&mut all).enumerate() {
        if slot.is_none() {
            let rank = section_rank(&section.base);
            let before = starts.get(usize::from(rank) + 1).copied().unwrap_or(0);
            let place = Place { before, old: false, rank, ordinal: g, kind: 0 };
            *slot = Some(place);
            out.push((place, g, Part::Bytes));
        }
    }
    let mut by_place: Vec<usize> = (0..given.len()).collect();
    by_place.sort_by_key(|&g| all.get(g).copied().flatten());
    relocation_places(cubin, edit, fates, &by_place, &mut out);
    out
}

/// For each rank the old index of the first debug section of this rank or a higher one; behind the last debug section
/// (if there are none, behind `.symtab`; of Mercury's behind the capsules' code) where no section is.
fn rank_starts(cubin: &Cubin<'_>, space: Space, fates: &[Fate]) -> [usize; SECTION_ORDER.len() + 2] {
    let mut end = match space {
        Space::Native => {
            let tables = [Some(cubin.header.shstrndx), cubin.symtab()].into_iter().flatten();
            tables.map(|index| index.as_usize() + 1).max().unwrap_or(1)
        }
        Space::Mercury => {
            let other = |s: &super::Section<'_>| s.is_mercury() && s.sh_type != sht::MERC_CODE;
            cubin.sections.iter().position(other).unwrap_or(cubin.sections.len())
        }
    };
    let debug: Vec<(usize, usize)> = cubin
        .iter()
        .zip(fates.iter().skip(1))
        .filter(|((.., section), fate)| **fate != Fate::Stays && section.relocations().is_none())
        .map(|((index, name, _), _)| {
            (index.as_usize(), usize::from(section_rank(&SectionName::parse(name).base)))
        })
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
    edit: &Edit,
    fates: &[Fate],
    by_place: &[usize],
    out: &mut Vec<(Place, usize, Part)>,
) {
    let Edit { space, given } = edit;
    let mut ordinals = vec![0; given.len()];
    for (ordinal, &g) in by_place.iter().enumerate() {
        if let Some(slot) = ordinals.get_mut(g) {
            *slot = ordinal;
        }
    }
    let key = |g: usize, part: Part| -> Key {
        let name = given.get(g).map_or("", |s| s.base.as_str());
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
            Fate::Stays
                if section.relocations().is_some() && section.is_mercury() == (*space == Space::Mercury) =>
            {
                let target = SectionName::parse(cubin.section_name(super::SectionIndex(section.info)));
                present.push(((relocation_rank(&target.base), 0, 0), index));
            }
            _ => {}
        }
    }
    // Smallest old index among those with this key or a higher one.
    present.sort_unstable();
    let behind = first_behind(cubin, *space);
    let mut first = behind;
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
            let before = present.get(later).map_or(behind, |(_, index)| *index);
            let (rank, ordinal, kind) = key;
            out.push((Place { before, old: false, rank, ordinal, kind }, g, part));
        }
    }
}

/// Where the relocation sections of a space end: before the first section that is loaded, or what is last of the space.
fn first_behind(cubin: &Cubin<'_>, space: Space) -> usize {
    let is_loaded = |s: &super::Section<'_>| s.flags & elf::SHF_ALLOC.0 != 0;
    let is_behind = |s: &super::Section<'_>| match space {
        Space::Native => is_loaded(s) || s.is_mercury(),
        Space::Mercury => s.is_mercury() && (is_loaded(s) || s.sh_type == sht::MERC_SYMTAB),
    };
    cubin.sections.iter().position(is_behind).unwrap_or(cubin.sections.len())
}
