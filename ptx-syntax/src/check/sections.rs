//! The bytes of all sections of a module, and the positions of their labels.

use crate::at_dwarf::{AtDwarfSection, assemble_at_dwarf};
use crate::module::Module;
use crate::name::Name;
use crate::section_data::{AssembledSection, assemble};
use foldhash::HashMap;

/// One section: a block, or `@@DWARF` lines.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) name: Name<'a>,
    pub(super) assembled: AssembledSection<'a>,
}

/// All sections, and where their labels are.
#[derive(Debug, Default)]
pub(super) struct Sections<'a> {
    pub(super) list: Vec<Section<'a>>,
    /// The section and the offset of a label; the first of its name.
    pub(super) labels: HashMap<&'a str, (usize, u64)>,
    /// The first `.debug_str`, which every inlined call refers to.
    debug_str: Option<usize>,
}

impl<'a> Sections<'a> {
    pub(super) fn of(module: &Module<'a>) -> Self {
        let mut all = Self::default();
        for block in module.sections() {
            let assembled = assemble(block);
            for (label, offset) in &assembled.labels {
                all.labels.entry(label.text).or_insert((all.list.len(), *offset));
            }
            all.list.push(Section { name: block.name, assembled });
        }
        let lines = assemble_at_dwarf(module).into_iter();
        all.list.extend(lines.map(|AtDwarfSection { name, assembled }| Section { name, assembled }));
        all.debug_str = all.list.iter().position(|section| section.name.text == ".debug_str");
        all
    }

    /// Whether a section of this name has any bytes.
    pub(super) fn has_bytes(&self, name: &str) -> bool {
        let mut blocks = self.list.iter().filter(|section| section.name.text == name);
        let has_bytes = |section: &Section<'_>| !section.assembled.bytes.is_empty();
        // Of these the first block counts.
        if matches!(name, ".debug_str" | ".debug_abbrev") {
            blocks.next().is_some_and(has_bytes)
        } else {
            blocks.any(has_bytes)
        }
    }

    /// The first `.debug_str`.
    pub(super) fn debug_str(&self) -> Option<&Section<'a>> {
        self.list.get(self.debug_str?)
    }

    /// The name of a section, by its index.
    pub(super) fn name(&self, index: usize) -> &'a str {
        if Some(index) == self.debug_str {
            return ".debug_str";
        }
        self.list.get(index).map_or("", |section| section.name.text)
    }

    /// The first section of a name.
    pub(super) fn named(&self, name: &str) -> Option<&Section<'a>> {
        self.list.iter().find(|section| section.name.text == name)
    }
}
