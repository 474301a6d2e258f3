//! The order in which ptxas puts sections into the cubin, which is its own; it drops some of them
//! (observed: ptxas 13.0.88, sm_75-100, with `-g`).

use std::collections::{HashMap, HashSet};

use crate::section_data::{AssembledSection, FixupTarget};
use crate::text_range::TextRange;

/// Sections that ptxas writes itself when asked for full debug information.
pub(crate) const RESERVED: [&str; 5] = [
    ".debug_frame",
    ".nv_debug_line_sass",
    ".nv_debug_ptx_txt",
    ".nv_debug_info_reg_sass",
    ".nv_debug_info_reg_type",
];

/// What ptxas does with blocks of one name. The others go to the end, in text order, over each
/// other.
const SPECIAL: [(&str, Special); 4] = [
    (".debug_str", Special { turn: 0, only_first: true, dropped: false }),
    (".debug_abbrev", Special { turn: 1, only_first: true, dropped: false }),
    (".debug_info", Special { turn: 2, only_first: false, dropped: false }),
    (".debug_line", Special { turn: 2, only_first: false, dropped: true }),
];

/// The file's own tables take the place of sections of these names.
pub(crate) const TABLES: [&str; 3] = [".symtab", ".strtab", ".shstrtab"];

/// How the names begin that ptxas knows before it comes to the sections.
const DEBUG: [&str; 2] = [".debug_", ".nv_debug_"];

/// Whether ptxas -c makes a symbol for a section of this name that `.debug_info` refers to, and
/// fails if the section gets no bytes. Of the sections that ptxas writes itself only the PTX text
/// has another name in relocatable files.
pub(crate) fn is_deleted_if_empty(name: &str) -> bool {
    let is_written = RESERVED.contains(&name) && name != ".nv_debug_ptx_txt" || name == ".debug_line";
    let is_known = DEBUG.iter().any(|debug| name.starts_with(debug)) || TABLES.contains(&name);
    is_known && !is_written && name != ".debug_info"
}

/// Sections of DWARF 2 and 3 that CUDA 13.5 knows, beside those of [`SPECIAL`] and [`RESERVED`].
/// It mostly crashes with `-g` over bytes of any other name.
const KNOWN_LATER: [&str; 6] =
    [".debug_ranges", ".debug_macinfo", ".debug_aranges", ".debug_pubnames", ".debug_pubtypes", ".debug_loc"];

/// Whether ptxas of CUDA 13.5 knows a section of this name.
pub(crate) fn is_known_later(name: &str) -> bool {
    special(name).is_some() || RESERVED.contains(&name) || KNOWN_LATER.contains(&name)
}

#[derive(Debug, Clone, Copy)]
struct Special {
    /// Which come first.
    turn: u8,
    /// Of several blocks the others are dropped.
    only_first: bool,
    dropped: bool,
}

fn special(name: &str) -> Option<Special> {
    SPECIAL.iter().find(|(special, _)| *special == name).map(|&(_, special)| special)
}

/// The position at which ptxas writes a `.section` block, and whether it keeps the block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockPlacement {
    /// The 0-based position of the block in the order in which ptxas writes blocks.
    pub rank: u32,
    /// Whether ptxas makes a section of the block, if no earlier block refers to it. It makes none
    /// of an empty block, unless that is `.debug_info`.
    pub kept: bool,
    /// The first reference to the block's section from a block that ptxas writes before it. If
    /// there is one, ptxas drops the section, and crashes if the section itself has references.
    pub early: Option<TextRange>,
}

/// Returns for each `.section` block of a module its place in the order in which ptxas writes the
/// blocks, which is not always that of the text. `blocks` are the blocks with their names; `text`
/// is the text of the module.
pub fn block_placements<'a>(blocks: &[(&'a str, &AssembledSection<'a>)], text: &str) -> Vec<BlockPlacement> {
    let mut placements = vec![BlockPlacement::default(); blocks.len()];
    let has_abbrev = blocks.iter().any(|(name, _)| *name == ".debug_abbrev");
    let mut seen = HashSet::new();
    let mut order: Vec<(u8, usize)> = Vec::new();
    let mut labels: HashMap<&str, &str> = HashMap::new();
    for (index, ((name, assembled), place)) in blocks.iter().zip(&mut placements).enumerate() {
        let special = special(name);
        let is_first = seen.insert(*name);
        place.kept = special.is_none_or(|special| !special.dropped && (is_first || !special.only_first))
            && (*name != ".debug_info" || has_abbrev)
            && !TABLES.contains(name);
        order.push((special.map_or(2, |special| special.turn), index));
        for (label, _) in &assembled.labels {
            labels.entry(label.text).or_insert(name);
        }
    }
    order.sort_unstable();
    let mut known: HashSet<&str> = RESERVED.into_iter().chain([".debug_info", ".debug_line"]).collect();
    let mut early: HashMap<&str, TextRange> = HashMap::new();
    for (rank, &(_, index)) in (0..).zip(&order) {
        let (Some(&(name, assembled)), Some(place)) = (blocks.get(index), placements.get_mut(index)) else {
            continue;
        };
        (place.rank, place.early) = (rank, early.get(name).copied());
        if place.early.is_none() {
            known.insert(name);
        }
        if !place.kept {
            continue;
        }
        for fixup in &assembled.fixups {
            let target = match fixup.target {
                // Of `.debug_info` ptxas resolves labels too, and debug sections wherever they are.
                FixupTarget::Symbol { name: label, .. } if name == ".debug_info" => {
                    labels.get(label).copied()
                }
                FixupTarget::Section { name: to, .. } if name == ".debug_info" => Some(to),
                // With a number, be it 0, it is another kind of value.
                FixupTarget::Section { name: to, .. } if !fixup.range.slice(text).contains('+') => Some(to),
                _ => None,
            };
            let is_resolved =
                |to: &str| name == ".debug_info" && DEBUG.iter().any(|debug| to.starts_with(debug));
            if let Some(to) = target.filter(|to| !known.contains(to) && !is_resolved(to)) {
                early.entry(to).or_insert(fixup.range);
            }
        }
    }
    placements
}
