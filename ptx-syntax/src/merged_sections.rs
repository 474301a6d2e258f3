//! The sections that a module's blocks make: blocks of one name together, as bytes and fixups, in
//! the order of ptxas.

use crate::at_dwarf::assemble_at_dwarf;
use crate::error::SyntaxError;
use crate::module::Module;
use crate::section_data::{AssembledSection, assemble};
use crate::section_order::{BlockPlacement, block_placements};
use foldhash::{HashMap, HashMapExt as _};

/// The sections of a PTX module, each joined from the `.section` blocks with its name.
#[derive(Debug, Default)]
pub struct MergedSections<'a> {
    /// The sections, in the order in which ptxas writes them.
    pub list: Vec<MergedSection<'a>>,
    /// The syntax errors in the data of all blocks, in text order.
    pub errors: Vec<SyntaxError>,
    /// Section and offset of every label.
    labels: HashMap<&'a str, (&'a str, u64)>,
}

/// A section of a module, joined from all its blocks.
#[derive(Debug)]
pub struct MergedSection<'a> {
    /// The name of the section, with its dot.
    pub name: &'a str,
    /// The position at which ptxas writes the section, and whether it keeps it.
    pub place: BlockPlacement,
    /// The contents of the section, with its fixups and labels.
    pub assembled: AssembledSection<'a>,
}

impl<'a> MergedSections<'a> {
    /// Assembles the sections of a module: first its `.section` blocks, then its `@@DWARF` lines.
    ///
    /// Each block of `.debug_info` stays a section of its own. ptxas lays another block of any
    /// other name over the first, and fails where bytes differ, which [`check`](crate::check) says.
    pub fn of(module: &Module<'a>) -> Self {
        let blocks = module.sections().map(|block| (block.name.text, assemble(block)));
        let lines = assemble_at_dwarf(module).into_iter();
        let mut blocks: Vec<_> = blocks.chain(lines.map(|line| (line.name.text, line.assembled))).collect();
        let mut all = Self::default();
        for (name, assembled) in &mut blocks {
            all.errors.append(&mut assembled.errors);
            for (label, offset) in &assembled.labels {
                all.labels.entry(label.text).or_insert((name, *offset));
            }
        }
        let listed: Vec<_> = blocks.iter().map(|(name, assembled)| (*name, assembled)).collect();
        let mut placed: Vec<_> = block_placements(&listed, module.text).into_iter().zip(blocks).collect();
        placed.sort_by_key(|(place, _)| place.rank);
        let mut first: HashMap<&str, usize> = HashMap::new();
        for (place, (name, assembled)) in placed {
            let below = first.get(name).filter(|_| name != ".debug_info");
            match below.and_then(|at| all.list.get_mut(*at)) {
                Some(section) if place.kept => section.lay_over(assembled),
                Some(_) => {}
                None => {
                    first.entry(name).or_insert(all.list.len());
                    all.list.push(MergedSection { name, place, assembled });
                }
            }
        }
        all
    }

    /// Returns the name of the section that has a label, and the label's byte offset in it. Of
    /// several labels with one name the first counts.
    pub fn label(&self, label: &str) -> Option<(&'a str, u64)> {
        self.labels.get(label).copied()
    }

    /// Returns the byte offset of a label in its section. The name `.debug_str` is a label too,
    /// with offset 0 (observed: ptxas 13.0.88).
    pub fn label_offset(&self, label: &str) -> Option<u64> {
        self.label(label).map(|(_, offset)| offset).or_else(|| (label == ".debug_str").then_some(0))
    }
}

impl<'a> MergedSection<'a> {
    /// Adds another block of this section.
    fn lay_over(&mut self, block: AssembledSection<'a>) {
        let AssembledSection { bytes, fixups, .. } = &mut self.assembled;
        bytes.extend(block.bytes.get(bytes.len()..).unwrap_or_default());
        fixups.extend(block.fixups);
    }
}
