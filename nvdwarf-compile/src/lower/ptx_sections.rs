//! The debug sections that the PTX file itself has: bytes as written, references resolved
//! (docs/formats/relocations.md, what a name in PTX becomes).

use super::{Context, LoweredSection};
use crate::diagnostic::Diagnostic;
use dwarf2_writer::{Referent, Reloc, SymbolId};
use nv_debug_sections::address_space::shared_window_reserve;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::local_depot;
use ptx_syntax::section_data::{AssembledSection, Fixup, FixupTarget};
use ptx_syntax::section_order::BlockPlacement;
use ptx_syntax::{MergedSection, MergedSections, Module, StateSpace};

/// The sections that the `.section` blocks of a PTX module make, each with its kind.
#[derive(Debug, Default)]
pub struct PtxSections<'a> {
    /// In the order of ptxas.
    pub(crate) sections: Vec<PtxSection<'a>>,
    /// Their labels; the list there is empty.
    merged: MergedSections<'a>,
}

/// One section.
#[derive(Debug)]
pub(crate) struct PtxSection<'a> {
    /// Its name with its dot.
    pub(crate) name: &'a str,
    /// Which section that is; `None` for one that only this PTX knows.
    pub(crate) kind: Option<SectionKind>,
    /// The position at which ptxas writes the section, and whether it keeps it.
    place: BlockPlacement,
    /// Contents.
    pub(crate) assembled: AssembledSection<'a>,
}

impl<'a> PtxSections<'a> {
    /// Reads the sections of a PTX module. Faults of the PTX are ignored.
    pub fn of(module: &Module<'a>) -> Self {
        Self::assemble(module, &mut Vec::new())
    }

    /// The sections of a module, and what is wrong with their data.
    pub(crate) fn assemble(module: &Module<'a>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut merged = MergedSections::of(module);
        diagnostics.extend(merged.errors.iter().map(|e| Diagnostic::error(e.range, e.to_string())));
        let sections = std::mem::take(&mut merged.list).into_iter().map(|section| {
            let MergedSection { name, place, assembled } = section;
            PtxSection { name, kind: SectionKind::from_name(name), place, assembled }
        });
        Self { sections: sections.collect(), merged }
    }

    /// Returns the byte offset of a label in its section.
    pub fn label_offset(&self, label: &str) -> Option<u64> {
        self.merged.label_offset(label)
    }

    /// Name of the section that a label is in.
    pub(crate) fn label_section(&self, label: &str) -> Option<&'a str> {
        self.merged.label(label).map(|(section, _)| section)
    }

    /// The first section of a kind.
    pub(crate) fn by_kind(&self, kind: SectionKind) -> Option<&PtxSection<'a>> {
        self.sections.iter().find(|section| section.kind == Some(kind))
    }

    /// The sections that reach a cubin at full level, in file order: without `.debug_str`, which
    /// has a place of its own, and what the assembler writes itself. Of empty ones ptxas 13.0.88
    /// keeps `.debug_info` only. What it drops because something refers to it too early is there if
    /// `all`.
    pub(crate) fn in_file_order(&self, all: bool) -> impl Iterator<Item = &PtxSection<'a>> {
        self.sections.iter().filter(move |section| {
            let has_contents = match section.kind {
                Some(SectionKind::DebugStr) => false,
                Some(SectionKind::DebugInfo) => true,
                _ => !section.assembled.bytes.is_empty(),
            };
            section.place.kept && has_contents && (all || section.place.early.is_none())
        })
    }
}

/// Lowers one section.
pub(super) fn lower(
    section: &PtxSection<'_>,
    context: &Context<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> LoweredSection {
    let mut lowering = Lowering {
        context,
        kind: section.kind,
        bytes: section.assembled.bytes.clone(),
        relocs: Vec::new(),
        diagnostics,
    };
    for fixup in &section.assembled.fixups {
        lowering.fixup(fixup);
    }
    LoweredSection {
        kind: section.kind,
        name: section.name.to_owned(),
        bytes: lowering.bytes,
        relocs: lowering.relocs,
    }
}

struct Lowering<'c, 'd> {
    context: &'c Context<'c>,
    kind: Option<SectionKind>,
    bytes: Vec<u8>,
    relocs: Vec<Reloc>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Lowering<'_, '_> {
    fn fixup(&mut self, fixup: &Fixup<'_>) {
        match fixup.target {
            FixupTarget::Section { name, addend } if addend != 0 && !self.resolves_all() => {
                self.lost(fixup, name, addend);
            }
            FixupTarget::Section { name, addend } => self.section_offset(fixup, name, addend),
            FixupTarget::Symbol { name, addend } => self.symbol(fixup, name, addend),
            FixupTarget::Difference { left, right } => self.difference(fixup, left, right),
        }
    }

    /// Whole programs hold the offset; relocatable ones a relocation against the section's symbol,
    /// or against the undefined one that stands for a section that is not there.
    fn section_offset(&mut self, fixup: &Fixup<'_>, name: &str, offset: i64) {
        let image = self.context.image;
        let undefined = || image.symbols.get(name).and_then(|symbol| symbol.index);
        let known = image.section_symbols.get(name).copied();
        // Made for a reference before ptxas came to the section; only `.debug_info` is resolved
        // when all are known.
        let is_late = self.kind == Some(SectionKind::DebugInfo);
        let symbol = if is_late { known.or_else(undefined) } else { undefined().or(known) };
        match symbol.filter(|_| self.context.relocatable) {
            Some(symbol) => {
                let is_line = SectionKind::from_name(name) == Some(SectionKind::DebugLine);
                let is_line_table = is_line && self.kind == Some(SectionKind::DebugInfo);
                let referent = if is_line_table { Referent::LineTable } else { Referent::Any };
                self.reloc(fixup, referent, symbol, offset, None);
            }
            None => self.value(fixup, offset.into()),
        }
    }

    fn symbol(&mut self, fixup: &Fixup<'_>, name: &str, addend: i64) {
        let Context { facts, image, sections, .. } = self.context;
        if let Some((section, offset)) = sections.merged.label(name) {
            self.section_label(fixup, name, addend, section, offset);
        } else if facts.labels.contains_key(name) {
            self.code_label(fixup, name, addend);
        } else if let Some(&offset) = facts.kernel_parameters.get(name) {
            self.value(fixup, i128::from(offset) + i128::from(addend));
        } else if let Some(variable) = facts.variables.get(name) {
            self.variable(fixup, name, variable.space, addend);
        } else if let Some(symbol) = image.symbols.get(name).filter(|symbol| symbol.defined) {
            self.symbol_reloc(fixup, name, Referent::Any, symbol.index, addend);
        } else {
            self.undefined(fixup, name);
        }
    }

    /// Whether every reference is resolved here. Elsewhere than in `.debug_info` ptxas loses
    /// `symbol+constant`, constant bank and shared variables, and labels of debug sections
    /// (observed: 13.0.88, sm_75 and sm_90); debug-only objects need not follow.
    fn resolves_all(&self) -> bool {
        self.kind == Some(SectionKind::DebugInfo) || self.context.debug_only
    }

    /// Nothing in a whole program; in a relocatable file ptxas makes a symbol of the whole
    /// expression, `name+offset`.
    fn lost(&mut self, fixup: &Fixup<'_>, name: &str, offset: i64) {
        let message = "this reference is resolved in .debug_info only: 0 is written, as ptxas does";
        self.diagnostics.push(Diagnostic::warning(fixup.range, message));
        self.undefined_reference(fixup, &format!("{name}+{offset}"));
    }

    fn symbol_reloc(
        &mut self,
        fixup: &Fixup<'_>,
        name: &str,
        referent: Referent,
        symbol: Option<SymbolIndex>,
        addend: i64,
    ) {
        if addend != 0 && !self.resolves_all() {
            return self.lost(fixup, name, addend);
        }
        self.reloc(fixup, referent, symbol, addend, None);
    }

    fn code_label(&mut self, fixup: &Fixup<'_>, name: &str, addend: i64) {
        let labels = self.context.labels;
        let open = &self.context.image.open_labels;
        if self.kind.is_some_and(|kind| !open.is_empty() && open.contains(&(kind, name.to_owned()))) {
            return self.undefined_reference(fixup, name);
        }
        if addend != 0 && !self.resolves_all() {
            return self.lost(fixup, name, addend);
        }
        match labels.address(name) {
            // The constant of `label+constant` is in the field only: RELA entries of ptxas lack it.
            Some(address) => {
                let offset = address.offset as i64;
                // From sm_100 on it is the Mercury offset, in both spaces
                // (docs/formats/relocations.md, fields).
                let there = self.context.mercury.and_then(|mercury| mercury.labels.address(name));
                let there = there.map_or(offset, |there| there.offset as i64);
                // ptxas translates it for these two sections only (docs/conformance.md).
                let is_translated = matches!(self.kind, Some(SectionKind::DebugInfo | SectionKind::DebugLoc));
                let offset = if is_translated { offset } else { there };
                let in_place = there.wrapping_add(addend);
                self.reloc(fixup, Referent::Code, address.symbol, offset, Some(in_place));
            }
            None => self.undefined_reference(fixup, name),
        }
    }

    fn variable(&mut self, fixup: &Fixup<'_>, name: &str, space: StateSpace, addend: i64) {
        let symbol = self.context.image.symbols.get(name).copied();
        let window = shared_window_reserve(self.context.target) as i64;
        match (space, symbol) {
            (StateSpace::Local, _) => self.local(fixup, name),
            (StateSpace::Const, _) if !self.resolves_all() && !self.context.relocatable => {
                self.lost(fixup, name, addend);
            }
            (StateSpace::Const, Some(symbol)) => {
                let referent = if self.resolves_all() { Referent::ConstantBank } else { Referent::Any };
                self.symbol_reloc(fixup, name, referent, symbol.index, addend);
            }
            (StateSpace::Shared, Some(symbol)) if self.context.relocatable => {
                let window = if self.resolves_all() { window } else { 0 };
                self.symbol_reloc(fixup, name, Referent::Any, symbol.index, window.wrapping_add(addend));
            }
            (StateSpace::Shared, Some(_)) if addend != 0 && !self.resolves_all() => {
                self.lost(fixup, name, addend);
            }
            // Elsewhere than in `.debug_info` ptxas leaves out where the window begins.
            (StateSpace::Shared, Some(symbol)) => {
                // Mercury's symbols count from 0, without what the system reserves; its entries say
                // the same as the native ones.
                let symbol = self.context.native.symbols.get(name).unwrap_or(&symbol);
                let base = if self.resolves_all() { 0 } else { window };
                self.value(fixup, i128::from(symbol.value) - i128::from(base) + i128::from(addend));
            }
            // A shared variable that the code does not use has no place: ptxas writes the one
            // before the window's first.
            (StateSpace::Shared, None) if !self.context.debug_only => {
                let base = if self.resolves_all() { window } else { 0 };
                self.value(fixup, i128::from(base) - 1 + i128::from(addend));
            }
            (_, Some(symbol)) => self.symbol_reloc(fixup, name, Referent::Any, symbol.index, addend),
            (_, None) => self.undefined_reference(fixup, name),
        }
    }

    /// `DW_OP_addr DEPOT` becomes `DW_OP_fbreg` with the depot's offset from the frame base. A
    /// constant after the name is lost.
    fn local(&mut self, fixup: &Fixup<'_>, name: &str) {
        let below_base = self.context.below_frame_base(name);
        let rewritten = fixup.width == 8
            && local_depot::depot_to_fbreg(&mut self.bytes, fixup.offset as usize, below_base);
        if !rewritten {
            self.value(fixup, -i128::from(below_base));
        }
    }

    /// ptxas resolves labels of debug sections in `.debug_info` only.
    fn section_label(&mut self, fixup: &Fixup<'_>, label: &str, addend: i64, section: &str, offset: u64) {
        let offset = (offset as i64).wrapping_add(addend);
        if self.resolves_all() {
            self.section_offset(fixup, section, offset);
        } else if addend == 0 {
            self.lost(fixup, section, offset);
        } else {
            self.lost(fixup, label, addend);
        }
    }

    /// A difference of labels that are not of this section: both of another one, whose name must be
    /// the same.
    fn difference(&mut self, fixup: &Fixup<'_>, left: &str, right: &str) {
        let sections = self.context.sections;
        let place = |label: &str| sections.merged.label(label);
        match (place(left), place(right)) {
            (Some((in_left, l)), Some((in_right, r))) if in_left == in_right => {
                self.value(fixup, i128::from(l) - i128::from(r));
            }
            // `ptx_syntax::check` has refused these.
            _ => {
                let message = format!("labels '{left}' and '{right}' must be defined in the same section");
                self.diagnostics.push(Diagnostic::error(fixup.range, message));
            }
        }
    }

    fn undefined(&mut self, fixup: &Fixup<'_>, name: &str) {
        let message = format!("'{name}' is defined nowhere: its address is written as 0");
        self.diagnostics.push(Diagnostic::warning(fixup.range, message));
        self.undefined_reference(fixup, name);
    }

    /// Nothing in a whole program; in a relocatable file a relocation against the undefined symbol,
    /// if the file has it.
    fn undefined_reference(&mut self, fixup: &Fixup<'_>, name: &str) {
        if let Some(symbol) = self.context.image.symbols.get(name).filter(|_| self.context.relocatable) {
            self.reloc(fixup, Referent::Any, symbol.index, 0, None);
        }
    }

    /// The relocation that a fixup becomes: the one place where PTX turns into relocations.
    fn reloc(
        &mut self,
        fixup: &Fixup<'_>,
        referent: Referent,
        symbol: impl Into<Option<SymbolIndex>>,
        addend: i64,
        in_place: Option<i64>,
    ) {
        let Some(SymbolIndex(symbol)) = symbol.into() else { return };
        let reloc = Reloc::new(fixup.offset, fixup.width, SymbolId(symbol), addend);
        self.relocs.push(Reloc { in_place, referent, ..reloc });
    }

    /// Writes a value, as signed or unsigned as it needs to be.
    fn value(&mut self, fixup: &Fixup<'_>, value: i128) {
        let width = usize::from(fixup.width);
        let bits = 8 * u32::from(fixup.width);
        if value < -(1 << (bits - 1)) || value >= 1 << bits {
            let message = format!("the value {value:#x} does not fit .b{bits}");
            self.diagnostics.push(Diagnostic::error(fixup.range, message));
        }
        let start = fixup.offset as usize;
        let field = self.bytes.get_mut(start..).and_then(|rest| rest.get_mut(..width));
        if let (Some(field), Some(bytes)) = (field, value.to_le_bytes().get(..width)) {
            field.copy_from_slice(bytes);
        }
    }
}
