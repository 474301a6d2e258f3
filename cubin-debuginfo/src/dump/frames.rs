//! `.debug_frame` in words.

use super::contents::Contents;
use super::dump_source::DumpSource;
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart};
use super::unclaimed_bytes::UnclaimedBytes;
use crate::expression;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, Fde};
use dwarf2_writer::{Address, Expression};
use nv_debug_sections::Result;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use nv_debug_sections::frame::{self, Entry, EntryWithOffsets};
use nv_debug_sections::register::SassRegister;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::ControlFlow;

/// The CIE's return address register of a kernel, which has none.
const NO_RETURN: u64 = 0xffff_ffff;

pub(super) fn frames<'s>(
    source: &'s DumpSource<'_, '_>,
    view: &'s RelocatedView<'_>,
) -> Result<Contents<'s>> {
    let entries = frame::decode_with_offsets(&view.data.bytes, &frame::field_symbols(&view.data))?;
    let table = source.cubin.iter().find_map(|(_, _, section)| {
        (section.relocations().is_some() && section.info == view.index.0).then_some(section.link)
    });
    let words = Words { source, table: table.unwrap_or(0) };
    Ok(Contents::Frames(ItemStream::new(move |visit| {
        let mut cies = Vec::new();
        for placed in &entries {
            match &placed.entry {
                Entry::Cie(cie) => {
                    cies.push((placed, &**cie));
                    if source.filter.is_none() {
                        visit(StreamPart::Item(words.cie(cies.len() - 1, placed, cie)))?;
                    }
                }
                Entry::Fde(fde) => {
                    let cie = cies.get(fde.cie.0 as usize).copied();
                    if let Some(filter) = &source.filter {
                        let place = words.place(fde.initial_location);
                        if !place.is_some_and(|(section, offset)| filter.has_offset(section, offset)) {
                            continue;
                        }
                        if let Some((at, cie)) = cie {
                            visit(StreamPart::Item(words.cie(fde.cie.0 as usize, at, cie)))?;
                        }
                    }
                    visit(StreamPart::Item(words.fde(placed, fde, cie.map(|(_, cie)| cie))))?;
                }
            }
            if let Some(padding) = padding(placed) {
                visit(StreamPart::Rest(padding))?;
            }
        }
        ControlFlow::Continue(())
    })))
}

/// The `DW_CFA_nop`s at the end of an entry.
fn padding(placed: &EntryWithOffsets) -> Option<UnclaimedBytes> {
    let start = placed.offset + placed.instructions.last()?;
    let at = Span::between(start, placed.offset + placed.size);
    (at.size > 0).then(|| UnclaimedBytes::new(at, "padding"))
}

struct Words<'s, 'c, 'd> {
    source: &'s DumpSource<'c, 'd>,
    /// The symbol table of the section's relocations.
    table: u32,
}

impl<'c> Words<'_, 'c, '_> {
    /// Section and offset of a symbolic address, or of an absolute one in a section with an
    /// address.
    fn place(&self, address: Address) -> Option<(&'c str, u64)> {
        let cubin = self.source.cubin;
        match address {
            Address::Symbol { symbol, addend } => {
                let table = SectionIndex(self.table);
                let symbol = cubin.symbols_of(table).get(SymbolIndex(symbol.0).as_usize())?;
                let section = symbol.section()?;
                let base = cubin.section(section).ok()?.address;
                Some((
                    cubin.section_name(section),
                    symbol.value.wrapping_sub(base).wrapping_add_signed(addend),
                ))
            }
            Address::Constant(address) => self.source.at_address(address),
        }
    }

    fn address(&self, address: Address) -> String {
        match (self.place(address), address) {
            (Some((section, offset)), _) => format!("{section}+{offset:#x}"),
            (None, Address::Constant(address)) => format!("{address:#x}"),
            (None, Address::Symbol { symbol, addend }) => format!("symbol {}+{addend:#x}", symbol.0),
        }
    }

    fn cie(&self, number: usize, placed: &EntryWithOffsets, cie: &Cie) -> FrameEntry {
        let augmentation = match &*cie.augmentation {
            [] => String::new(),
            augmentation => format!(", augmentation {:?}", String::from_utf8_lossy(augmentation)),
        };
        let header = format!(
            "{number}: version {}{augmentation}, code alignment {}, data alignment {}, return address in {}",
            cie.version,
            cie.code_alignment_factor,
            cie.data_alignment_factor,
            match cie.return_address_register {
                NO_RETURN => "nothing (a kernel)".to_owned(),
                register => name(register),
            }
        );
        self.entry("CIE", header, placed, &cie.instructions, cie)
    }

    fn fde(&self, placed: &EntryWithOffsets, fde: &Fde, cie: Option<&Cie>) -> FrameEntry {
        let start = self.address(fde.initial_location);
        let header = format!("{start}, {:#x} bytes, CIE {}", fde.address_range, fde.cie.0);
        let factors = Cie { code_alignment_factor: 1, data_alignment_factor: 1, ..Cie::default() };
        self.entry("FDE", header, placed, &fde.instructions, cie.unwrap_or(&factors))
    }

    /// An entry with all its rules; runs of registers that share one, which fill the CIEs of `-g`,
    /// become one line.
    fn entry(
        &self,
        entry: &'static str,
        header: String,
        placed: &EntryWithOffsets,
        instructions: &[Cfi],
        cie: &Cie,
    ) -> FrameEntry {
        let is_same = |a: &Cfi, b: &Cfi| {
            plain(a).is_some_and(|(_, rule)| plain(b).is_some_and(|(_, next)| rule == next))
        };
        let mut at = 0;
        let (mut rules, mut rule_offsets) = (Vec::new(), Vec::new());
        let mut starts = placed.instructions.iter().map(|start| placed.offset + start);
        for run in instructions.chunk_by(is_same) {
            let own = starts.by_ref().take(run.len());
            if let Some((_, rule)) = run.first().and_then(plain) {
                let names = registers(run.iter().filter_map(plain).map(|(register, _)| register));
                rules.push(format!("{names} {rule}"));
                rule_offsets.extend(own.reduce(|first, _| first));
            } else {
                rules.extend(run.iter().map(|rule| self.rule(rule, cie, &mut at)));
                rule_offsets.extend(own);
            }
        }
        rule_offsets.extend(starts.next()); // where the padding is
        FrameEntry {
            at: Span { offset: placed.offset, size: placed.size },
            header_size: placed.instructions.first().copied().unwrap_or(placed.size),
            entry,
            header,
            rules,
            rule_offsets,
        }
    }

    /// One rule in words; `at` is the offset from the function's start that the rules have come to.
    fn rule(&self, rule: &Cfi, cie: &Cie, at: &mut u64) -> String {
        let mut advance = |units: u32| {
            *at = at.wrapping_add_signed(step(units, cie.code_alignment_factor));
            format!("from {at:#x}:")
        };
        let data = |factored: i64| factored.wrapping_mul(cie.data_alignment_factor);
        let saved = |register: u64, offset: i64| format!("{} saved at CFA{offset:+}", name(register));
        match rule {
            Cfi::Nop => "nop".to_owned(),
            Cfi::SetLoc(address) => format!("from {}:", self.address(*address)),
            Cfi::AdvanceLoc(by) | Cfi::AdvanceLoc1(by) => advance((*by).into()),
            Cfi::AdvanceLoc2(by) => advance((*by).into()),
            Cfi::AdvanceLoc4(by) => advance(*by),
            Cfi::Offset { register, factored_offset } => {
                saved((*register).into(), data(*factored_offset as i64))
            }
            Cfi::OffsetExtended { register, factored_offset } => {
                saved(*register, data(*factored_offset as i64))
            }
            Cfi::OffsetExtendedSf { register, factored_offset } => saved(*register, data(*factored_offset)),
            Cfi::ValOffset { register, factored_offset } => {
                format!("{} = CFA{:+}", name(*register), data(*factored_offset as i64))
            }
            Cfi::ValOffsetSf { register, factored_offset } => {
                format!("{} = CFA{:+}", name(*register), data(*factored_offset))
            }
            Cfi::Restore { register } => format!("{} as in the CIE", name((*register).into())),
            Cfi::RestoreExtended { register } => format!("{} as in the CIE", name(*register)),
            Cfi::Undefined { register } | Cfi::SameValue { register } => name(*register), // see `entry`
            Cfi::Register { register, source } => format!("{} saved in {}", name(*register), name(*source)),
            Cfi::RememberState => "remember the rules".to_owned(),
            Cfi::RestoreState => "back to the remembered rules".to_owned(),
            Cfi::DefCfa { register, offset } => format!("CFA = {}+{offset}", name(*register)),
            Cfi::DefCfaSf { register, factored_offset } => {
                format!("CFA = {}{:+}", name(*register), data(*factored_offset))
            }
            Cfi::DefCfaRegister { register } => format!("CFA register {}", name(*register)),
            Cfi::DefCfaOffset(offset) => format!("CFA offset {offset}"),
            Cfi::DefCfaOffsetSf(factored) => format!("CFA offset {}", data(*factored)),
            Cfi::DefCfaExpression(expression) => format!("CFA = {{ {} }}", self.expression(expression)),
            Cfi::Expression { register, expression } => {
                format!("{} saved at {{ {} }}", name(*register), self.expression(expression))
            }
            Cfi::ValExpression { register, expression } => {
                format!("{} = {{ {} }}", name(*register), self.expression(expression))
            }
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        expression::operations_text(&expression.bytes, 0, &|at, value| {
            let reloc = expression.relocs.iter().find(|reloc| reloc.offset == at);
            reloc.map_or_else(
                || format!("{value:#x}"),
                |reloc| self.address(Address::Symbol { symbol: reloc.symbol, addend: reloc.addend }),
            )
        })
    }
}

/// Bytes of a step of `units` code alignment units. It has 32 bits and a sign: ptxas writes a step
/// back of 16 bytes as 0x3ffffffc units of 4, in Mercury copies as 0xfffffff0 units of 1
/// (docs/formats/frames.md, what entries say).
fn step(units: u32, code_alignment_factor: u64) -> i64 {
    (u64::from(units).wrapping_mul(code_alignment_factor) as u32).cast_signed().into()
}

/// A rule that is a register and a word.
fn plain(rule: &Cfi) -> Option<(u64, &'static str)> {
    match rule {
        Cfi::Undefined { register } => Some((*register, "undefined")),
        Cfi::SameValue { register } => Some((*register, "unchanged")),
        _ => None,
    }
}

/// `UP0, UP2-UP6`
fn registers(all: impl Iterator<Item = u64>) -> String {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for register in all {
        match spans.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(register) => *last = register,
            _ => spans.push((register, register)),
        }
    }
    let span = |(first, last): &(u64, u64)| {
        if first == last { name(*first) } else { format!("{}-{}", name(*first), name(*last)) }
    };
    spans.iter().map(span).collect::<Vec<_>>().join(", ")
}

fn name(register: u64) -> String {
    match u32::try_from(register) {
        Ok(register) if register >> 24 != 0 => SassRegister(register).to_string(),
        _ => format!("register {register}"),
    }
}

/// A CIE or FDE of `.debug_frame`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrameEntry {
    /// The byte range of the entry in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of bytes from the start of the entry to its first rule. The rules follow one another
    /// from there to the end of the entry.
    pub header_size: u64,
    /// Whether the entry is a CIE or an FDE.
    #[schemars(extend("enum" = ["CIE", "FDE"]))]
    pub entry: &'static str,
    /// The fields of the header of the CIE or FDE, in words.
    pub header: String,
    /// The call frame instructions of the entry, in words. A run of registers with the same rule is
    /// one item.
    pub rules: Vec<String>,
    /// Byte offset in the section of each item of `rules`, then the offset at which the last one
    /// ends.
    pub rule_offsets: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_are_32_bit_numbers() {
        // In units of 4 and of 1.
        assert_eq!((step(0x3fff_fffc, 4), step(0xffff_fff0, 1)), (-16, -16));
        assert_eq!((step(4, 4), step(0x1fff_ffff, 4)), (16, 0x7fff_fffc));
    }
}
