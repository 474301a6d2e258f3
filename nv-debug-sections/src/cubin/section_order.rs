//! The positions of new debug sections and their relocation sections in the section table.

use std::collections::HashSet;

use object::elf;

use super::Cubin;
use super::section_edit::{Edit, SectionAction, SectionPart, relocations};
use super::sht;
use crate::catalog::{CATALOG, CODE_PREFIX, CatalogEntry, RelocForm, SectionKind, SectionName, Space};

/// File order of debug sections (docs/formats/container.md, order of sections): that of the
/// catalog. `base` is a name without the prefix of its space; clones have the order
/// of their originals.
fn section_rank(base: &str) -> usize {
    SectionName::native(base).ptx_entry().map_or(CATALOG.len(), CatalogEntry::rank)
}

/// The relocation sections of a native section.
fn relocation_names(target: &str) -> [SectionName<'_>; 2] {
    [RelocForm::Rel, RelocForm::Rela].map(|form| SectionName::native(target).relocations(form))
}

/// File order of the relocation sections of given sections.
fn given_relocation_rank(target: &str) -> usize {
    let entries = relocation_names(target);
    let rank = entries.iter().filter_map(SectionName::ptx_entry).map(CatalogEntry::rank).min();
    rank.map_or(0, |rank| 2 * rank + 2)
}

/// File order of relocation sections by target (docs/formats/container.md, order of sections):
/// code, then as in the catalog, but plain data before `.debug_frame`.
fn relocation_rank(target: &str) -> usize {
    let rank = |name: &str| {
        let names = relocation_names(name);
        names.iter().filter_map(SectionName::entry).map(CatalogEntry::rank).min()
    };
    let of_debug = rank(target).map(|rank| 2 * rank + 2);
    let of_data = || rank(SectionKind::DebugFrame.name()).map_or(0, |rank| 2 * rank + 1);
    let is_code = target.starts_with(CODE_PREFIX) || target.starts_with(".nv.capmerc.text.");
    of_debug.unwrap_or_else(|| if is_code { 0 } else { of_data() })
}

/// `.rel.X` comes before `.rela.X`, but for `.debug_line` after: as in the catalog.
fn kind_rank(target: &str, form: RelocForm) -> usize {
    let name = SectionName::native(target).relocations(form);
    let at = name.ptx_entry().and_then(|row| CATALOG.iter().position(|other| other == row));
    at.unwrap_or(CATALOG.len())
}

/// The sort key of a section in the edited file: before the old section `before` (or that section
/// itself if `old`), then by rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SectionOrderKey {
    before: usize,
    old: bool,
    rank: usize,
    /// Order among sections of one rank: as given, or for relocation sections that of their
    /// targets.
    ordinal: usize,
    form: usize,
}

impl SectionOrderKey {
    pub(super) fn old(index: usize) -> Self {
        Self { before: index, old: true, rank: 0, ordinal: 0, form: 0 }
    }
}

/// The sort keys of the sections that the edit adds.
pub(super) fn new_section_order(
    cubin: &Cubin<'_>,
    edit: &Edit,
    actions: &[SectionAction],
) -> Vec<(SectionOrderKey, usize, SectionPart)> {
    let given = &edit.replacements;
    let mut all: Vec<Option<SectionOrderKey>> = vec![None; given.len()];
    for (index, action) in actions.iter().enumerate() {
        if let SectionAction::Replace(g, SectionPart::Bytes) = action
            && let Some(slot) = all.get_mut(*g)
        {
            *slot = Some(SectionOrderKey::old(index));
        }
    }
    let starts = rank_starts(cubin, edit.space, actions);
    let mut out = Vec::new();
    for (g, (section, slot)) in given.iter().zip(&mut all).enumerate() {
        if slot.is_none() {
            let rank = section_rank(&section.base);
            let before = starts.get(rank + 1).copied().unwrap_or(0);
            let place = SectionOrderKey { before, old: false, rank, ordinal: g, form: 0 };
            *slot = Some(place);
            out.push((place, g, SectionPart::Bytes));
        }
    }
    let mut by_place: Vec<usize> = (0..given.len()).collect();
    by_place.sort_by_key(|&g| all.get(g).copied().flatten());
    relocation_order(cubin, edit, actions, &by_place, &mut out);
    out
}

/// For each rank the old index of the first debug section of this rank or a higher one. Where there
/// is none, the index after the last debug section (without debug sections, after `.symtab`; in
/// Mercury space, after the code of the capsules).
fn rank_starts(cubin: &Cubin<'_>, space: Space, actions: &[SectionAction]) -> [usize; CATALOG.len() + 2] {
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
        .zip(actions.iter().skip(1))
        .filter(|((.., section), action)| **action != SectionAction::Keep && section.relocations().is_none())
        .map(|((index, name, _), _)| (index.as_usize(), section_rank(&SectionName::parse(name).base)))
        .collect();
    if let Some((last, _)) = debug.last() {
        end = last + 1;
    }
    let mut starts = [end; CATALOG.len() + 2];
    for (index, rank) in debug.into_iter().rev() {
        starts.iter_mut().take(rank + 1).for_each(|start| *start = index);
    }
    starts
}

/// Order among relocation sections: rank of the target, position of the target, `.rel` or `.rela`.
type RelocationOrderKey = (usize, usize, usize);

fn relocation_order(
    cubin: &Cubin<'_>,
    edit: &Edit,
    actions: &[SectionAction],
    by_place: &[usize],
    out: &mut Vec<(SectionOrderKey, usize, SectionPart)>,
) {
    let Edit { space, replacements: given, .. } = edit;
    let mut ordinals = vec![0; given.len()];
    for (ordinal, &g) in by_place.iter().enumerate() {
        if let Some(slot) = ordinals.get_mut(g) {
            *slot = ordinal;
        }
    }
    let key = |g: usize, part: SectionPart| -> RelocationOrderKey {
        let name = given.get(g).map_or("", |s| s.base.as_str());
        let kind = part.form().map_or(0, |form| kind_rank(name, form));
        (given_relocation_rank(name), ordinals.get(g).copied().unwrap_or(0), kind)
    };
    let mut taken = HashSet::new();
    let mut present: Vec<(RelocationOrderKey, usize)> = Vec::new();
    for (index, (action, section)) in actions.iter().zip(&cubin.sections).enumerate() {
        match *action {
            SectionAction::Replace(g, part @ (SectionPart::Rel | SectionPart::Rela)) => {
                taken.insert((g, part));
                present.push((key(g, part), index));
            }
            SectionAction::Keep
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
    let after = relocations_end(cubin, *space);
    let mut first = after;
    for (_, index) in present.iter_mut().rev() {
        first = first.min(*index);
        *index = first;
    }
    for g in 0..given.len() {
        for part in [SectionPart::Rel, SectionPart::Rela] {
            if given.get(g).is_none_or(|s| relocations(s, part).is_empty()) || taken.contains(&(g, part)) {
                continue;
            }
            let key = key(g, part);
            let later = present.partition_point(|(k, _)| *k <= key);
            let before = present.get(later).map_or(after, |(_, index)| *index);
            let (rank, ordinal, kind) = key;
            out.push((SectionOrderKey { before, old: false, rank, ordinal, form: kind }, g, part));
        }
    }
}

/// Where the relocation sections of a space end: before the first section that is loaded, or what
/// is last of the space.
fn relocations_end(cubin: &Cubin<'_>, space: Space) -> usize {
    let is_loaded = |s: &super::Section<'_>| s.flags & elf::SHF_ALLOC.0 != 0;
    let is_after = |s: &super::Section<'_>| match space {
        Space::Native => is_loaded(s) || s.is_mercury(),
        Space::Mercury => s.is_mercury() && (is_loaded(s) || s.sh_type == sht::MERC_SYMTAB),
    };
    cubin.sections.iter().position(is_after).unwrap_or(cubin.sections.len())
}
