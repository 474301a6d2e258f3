//! The sections that `@@DWARF` lines make.

use super::super::section_data::AssembledSection;
use super::AtDwarfKind;
use crate::error::ErrorSink;
use crate::module::Module;
use crate::name::Name;

/// A section made from `@@DWARF` lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtDwarfSection<'a> {
    /// The name of the section, with its dot.
    pub name: Name<'a>,
    /// The assembled contents of the section. They have no labels.
    pub assembled: AssembledSection<'a>,
}

/// Joins the `@@DWARF` lines of a module to sections. Each `@@DWARF .section` line begins one, as a
/// `.section` block does.
///
/// When a section is named again ptxas 13.0.88 keeps the first contents (`.debug_str`) or stops
/// with an internal error. Lines before the first `.section` belong to none and are left out; there
/// ptxas 13.0.88 crashes.
pub fn assemble_at_dwarf<'a>(module: &Module<'a>) -> Vec<AtDwarfSection<'a>> {
    let mut sections = Vec::new();
    for line in module.at_dwarf() {
        if let AtDwarfKind::Section { name, .. } = line.kind() {
            sections.push(AtDwarfSection { name, assembled: AssembledSection::default() });
        }
        let Some(AtDwarfSection { assembled, .. }) = sections.last_mut() else { continue };
        let mut sink = ErrorSink::default();
        let mut values = line.values();
        while let Some(value) = values.next_checked(&mut sink) {
            assembled.value(value);
        }
        assembled.errors.extend(sink.finish());
    }
    sections
}
