//! `.debug_frame` in both spaces: the same rules at other addresses, and advances that only one
//! space has.
//!
//! Observed: ptxas 13.0.88, 1,180 functions of 261 cubins for sm_100 and sm_120.
//!
//! * Mercury code has a step after the first instruction of a kernel, without rules, and one of 0
//!   bytes before rules that hold from the start on. Its last step, to where the function ends,
//!   comes last also if its address is lower.
//! * Native code has steps by address, none of 0 bytes.
//! * Native code leaves out rules that begin where the function ends.
//! * Native code has the last of several rules of one Mercury instruction, as of one that saves two
//!   registers (observed: 10 pairs in one of 1,624 cubins).
//! * Of functions that nvlink drops, Mercury code keeps the entries, without relocation.
//! * Of functions that share a section with the one that calls them, native code leaves out rules
//!   that hold from the start on, which are those of the CIE.

use crate::address_map::AddressRole;
use crate::address_translator::{AddressTranslator, SymbolAndAddend, Untranslatable};
use crate::code_map::CodeMap;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde};
use dwarf2_writer::{Address, Expression, Reloc, Section, SymbolId};
use foldhash::HashMap;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use nv_debug_sections::frame::{self, Entry};
use nv_debug_sections::reloc::RelocKind;
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::sync::Arc;

/// `return_address_register` of a kernel's CIE: none (docs/formats/frames.md, registers).
const NO_RETURN: u64 = 0xffff_ffff;

/// That of a function folded into the section of the one that calls it (docs/formats/frames.md,
/// registers).
const FOLDED_RETURN: u64 = 0x500_0100;

/// R20, which has the address that functions of the ABI return to (docs/formats/frames.md,
/// registers).
const ABI_RETURN: u64 = 0x500_0014;

/// The target of the first advance of a kernel in Mercury code: after its first instruction.
const FIRST_STEP: u64 = 0x10;

/// Bytes that a unit of an advance stands for in each space.
const fn code_alignment(space: Space) -> u64 {
    match space {
        Space::Native => 4,
        Space::Mercury => 1,
    }
}

/// A `.debug_frame` section, native or Mercury, as a list of decoded entries.
#[derive(Debug, Clone)]
pub struct FrameSection {
    /// Which space.
    space: Space,
    /// Name of the section, for messages.
    name: String,
    /// The CIEs and FDEs of the section, in section order.
    pub entries: Vec<Entry>,
    /// Of each entry, the code section of an FDE's function and where in it that starts.
    functions: Vec<Option<(SectionIndex, u64)>>,
    /// Byte offset of each entry, for messages.
    offsets: Vec<u64>,
}

/// The call frame rules of an FDE, by the code offset from which they hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FdeRules<'f> {
    /// Steps with rules, and their byte offset in the function.
    steps: Vec<(u64, &'f [Cfi])>,
    /// Byte offset of the step without.
    end: Option<u64>,
    /// Bytes of code that the FDE is of.
    pub(crate) range: u64,
}

impl FrameSection {
    /// Reads the `.debug_frame` section with this index, a native section or a Mercury clone.
    ///
    /// # Errors
    ///
    /// It cannot be decoded, or its relocations cannot be applied.
    pub fn read(view: &RelocatedCubin<'_, '_>, index: SectionIndex) -> Result<Self> {
        let cubin = view.cubin();
        let section = view.section(index)?;
        let name = cubin.section_name(index);
        let space = if cubin.section(index)?.is_mercury() { Space::Mercury } else { Space::Native };
        let entries = frame::decode(&section.bytes, &frame::field_symbols(&section))
            .map_err(|error| error.rebased(name, 0))?;
        let table = view.relocations_of(index).find_map(|(table, _)| Some(cubin.section(table).ok()?.link));
        let symbols = table.map_or(&[][..], |table| cubin.symbols_of(SectionIndex(table)));
        let functions = entries.iter().map(|entry| {
            let Entry::Fde(Fde { initial_location: Address::Symbol { symbol, addend }, .. }) = entry else {
                return None;
            };
            let symbol = symbols.get(symbol.0 as usize)?;
            Some((symbol.section()?, symbol.value.wrapping_add_signed(*addend)))
        });
        let functions = functions.collect();
        let offsets = frame::entry_offsets(&section.bytes);
        Ok(Self { space, name: name.to_owned(), entries, functions, offsets })
    }

    /// Which entries are of functions that were dropped: FDEs in Mercury space whose function has
    /// no symbol, and their CIEs.
    fn dropped(&self) -> Vec<bool> {
        let is_fde = |entry: &Entry| {
            let Entry::Fde(fde) = entry else { return false };
            self.space == Space::Mercury && matches!(fde.initial_location, Address::Constant(_))
        };
        let mut dropped: Vec<bool> = self.entries.iter().map(is_fde).collect();
        for (number, pair) in self.entries.windows(2).enumerate() {
            if let [Entry::Cie(_), Entry::Fde(_)] = pair
                && let [cie, fde] = dropped.get_mut(number..number + 2).unwrap_or_default()
            {
                *cie = *fde;
            }
        }
        dropped
    }

    /// Whether the Mercury `.debug_frame` has rules that the native section lacks. A clone built
    /// from the native section may then differ from the clone in the file.
    ///
    /// Such rules are: rules at the end of a function, other than that of the CIE; several rules of
    /// one instruction; and a missing rule at the start of a folded function that returns by R20.
    /// Any function may lack that rule if it is not called by the ABI (observed: two functions of
    /// 280 files).
    pub fn has_more_entries(&self) -> bool {
        let mut cie = None;
        self.entries.iter().any(|entry| match entry {
            Entry::Cie(new) => {
                cie = Some(&**new);
                false
            }
            Entry::Fde(fde) => cie.is_some_and(|cie| {
                let Some(rules) = FdeRules::of(fde, cie, self.space) else { return false };
                let mut at_end = rules.steps.iter().filter(|(offset, _)| rules.end == Some(*offset));
                at_end.any(|(_, own)| rules.steps.len() > 1 || Some(*own) != cfa(cie))
                    || rules.last_steps().count() < rules.steps.len()
                    || rules.steps.is_empty()
                        && cie.return_address_register == FOLDED_RETURN
                        && is_of_abi(cie)
            }),
        })
    }

    /// Rules of each function: code section, where in it the function starts, and what its FDE
    /// says. FDEs with steps that ptxas does not write are left out.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (SectionIndex, u64, FdeRules<'_>)> {
        let mut cie = None;
        self.entries.iter().zip(&self.functions).filter_map(move |(entry, function)| match entry {
            Entry::Cie(new) => {
                cie = Some(&**new);
                None
            }
            Entry::Fde(fde) => {
                let (section, address) = (*function)?;
                Some((section, address, FdeRules::of(fde, cie?, self.space)?))
            }
        })
    }
}

impl<'f> FdeRules<'f> {
    /// What an FDE says; `None` if it has steps of a form that ptxas does not write, or several
    /// without rules.
    fn of(fde: &'f Fde, cie: &Cie, space: Space) -> Option<Self> {
        let mut rest = fde.instructions.as_slice();
        let mut all = Self { range: fde.address_range, ..Self::default() };
        let mut address = 0_u64;
        let mut is_first = space == Space::Mercury && cie.return_address_register == NO_RETURN;
        while let Some(instruction) = rest.first() {
            if let Cfi::AdvanceLoc4(delta) = *instruction {
                let delta =
                    i64::from(delta.cast_signed()).checked_mul(cie.code_alignment_factor.try_into().ok()?)?;
                address = address.checked_add_signed(delta)?;
                rest = rest.get(1..)?;
            }
            let is_step = |instruction: &Cfi| {
                matches!(
                    instruction,
                    Cfi::AdvanceLoc(_)
                        | Cfi::AdvanceLoc1(_)
                        | Cfi::AdvanceLoc2(_)
                        | Cfi::AdvanceLoc4(_)
                        | Cfi::SetLoc(_)
                )
            };
            let (rules, after) = rest.split_at(rest.iter().position(is_step).unwrap_or(rest.len()));
            if after.first().is_some_and(|step| !matches!(step, Cfi::AdvanceLoc4(_))) {
                return None;
            }
            rest = after;
            if !rules.is_empty() {
                all.steps.push((address, rules));
            } else if !(is_first && address == FIRST_STEP) && all.end.replace(address).is_some() {
                return None;
            }
            is_first = false;
        }
        Some(all)
    }

    /// The steps but those that another one follows at the same place.
    fn last_steps(&self) -> impl Iterator<Item = &(u64, &'f [Cfi])> {
        let next = self.steps.iter().skip(1).map(|(offset, _)| Some(*offset)).chain([None]);
        self.steps.iter().zip(next).filter(|((offset, _), next)| *next != Some(*offset)).map(|(step, _)| step)
    }
}

/// Places that both say something of, by their byte offsets in the function, native and Mercury.
pub(crate) fn match_rules(native: &FdeRules<'_>, mercury: &FdeRules<'_>) -> Vec<(AddressRole, u64, u64)> {
    // Native code leaves out rules at the end, and some at the start.
    let shown: Vec<_> = mercury.last_steps().filter(|(offset, _)| Some(*offset) != mercury.end).collect();
    let extra = shown.len().saturating_sub(native.steps.len());
    let steps = native.steps.iter().zip(shown.into_iter().skip(extra));
    let mut all: Vec<_> = steps
        .filter(|((_, native), (_, mercury))| native.len() == mercury.len())
        .map(|((native, _), (mercury, _))| (AddressRole::FrameRule, *native, *mercury))
        .collect();
    all.extend(native.end.zip(mercury.end).map(|(native, mercury)| (AddressRole::FrameEnd, native, mercury)));
    all
}

/// Translates the code addresses in the entries of a `.debug_frame` section from native to Mercury,
/// or back.
///
/// # Errors
///
/// A map lacks an address, an FDE is of no function or has steps that ptxas does not write.
pub fn translate(frames: &FrameSection, translator: AddressTranslator<'_>) -> Result<Vec<Entry>> {
    FrameTranslator { translator, from: frames.space }.entries(frames)
}

/// Returns the relocations of an encoded native `.debug_frame`. For relocatable files `mercury` is
/// the encoded clone: there the native pointers to CIEs have the offsets of the CIEs in the clone,
/// a fault of ptxas 13.0.88 that nvlink keeps (docs/conformance.md).
pub fn native_relocs(native: &Section, mercury: Option<&Section>) -> Vec<Reloc> {
    let mut relocs = frame::debug_relocs(native);
    if let Some(mercury) = mercury {
        let mercury_relocs = frame::debug_relocs(mercury);
        let is_pointer = |reloc: &&Reloc| RelocKind::of(reloc) == RelocKind::Absolute64;
        let pointers = relocs.iter_mut().filter(|reloc| is_pointer(&&**reloc));
        let mercury_pointers = mercury_relocs.iter().filter(is_pointer);
        pointers.zip(mercury_pointers).for_each(|(native, mercury)| native.addend = mercury.addend);
    }
    relocs
}

/// Inserts the entries of `clone` for dropped functions, at their positions, since native sections
/// have none of these. Returns the entries as they are if the clone has another number of other
/// entries.
pub(crate) fn with_dropped(made: Vec<Entry>, clone: &FrameSection) -> Vec<Entry> {
    let is_dropped = clone.dropped();
    if is_dropped.iter().filter(|is_dropped| !**is_dropped).count() != made.len() {
        return made;
    }
    let mut made = made.into_iter();
    let mut dropped = 0;
    let mut all = Vec::with_capacity(clone.entries.len());
    for (entry, is_dropped) in clone.entries.iter().zip(is_dropped) {
        if is_dropped {
            dropped += u32::from(matches!(entry, Entry::Cie(_)));
            all.push(entry.clone());
        } else if let Some(mut own) = made.next() {
            if let Entry::Fde(fde) = &mut own {
                fde.cie = CieId(fde.cie.0.saturating_add(dropped));
            }
            all.push(own);
        }
    }
    all
}

/// Sorts the relocations of a section that was built: they get the order that those of its
/// counterpart in the other space, the section at `other`, have. That order is ptxas', or the one
/// in which nvlink took up modules; it is the same in both spaces, and does not follow offsets.
pub(crate) fn in_order_of(
    view: &RelocatedCubin<'_, '_>,
    other: SectionIndex,
    counterpart: &Section,
    relocs: Vec<Reloc>,
) -> Vec<Reloc> {
    let positions: HashMap<u64, usize> =
        view.relocations_of(other).enumerate().map(|(at, (_, entry))| (entry.offset, at)).collect();
    let position = |reloc: &Reloc| positions.get(&reloc.offset).copied().unwrap_or(usize::MAX);
    let counterparts = frame::debug_relocs(counterpart);
    let order = counterparts.iter().map(position).chain(std::iter::repeat(usize::MAX));
    let mut numbered: Vec<(usize, Reloc)> = order.zip(relocs).collect();
    numbered.sort_by_key(|(position, _)| *position);
    numbered.into_iter().map(|(_, reloc)| reloc).collect()
}

/// Whether a folded function is called as the ABI has it: of the registers that its CIE keeps after
/// RZ and R1, R20 is the only one. Other functions keep the registers by which their callers
/// return, and have no rules at their start in either space.
fn is_of_abi(cie: &Cie) -> bool {
    let kept = cie.instructions.iter().filter_map(|instruction| match instruction {
        Cfi::SameValue { register } => Some(*register),
        _ => None,
    });
    kept.skip(2).eq([ABI_RETURN])
}

/// The instruction by which a CIE says where the CFA is.
fn cfa(cie: &Cie) -> Option<&[Cfi]> {
    let at = cie.instructions.iter().position(|instruction| matches!(instruction, Cfi::DefCfa { .. }))?;
    cie.instructions.get(at..=at)
}

/// Translates the entries of `.debug_frame` to the other space.
struct FrameTranslator<'m> {
    translator: AddressTranslator<'m>,
    from: Space,
}

impl FrameTranslator<'_> {
    /// Each function has a CIE of its own, which comes before its FDE.
    fn entries(&self, frames: &FrameSection) -> Result<Vec<Entry>> {
        let is_dropped: Vec<bool> = frames.dropped();
        let mut dropped = 0;
        // The CIE that FDEs follow, and what it has become: each function has one of its own,
        // mostly the same.
        let mut last: Option<(Arc<Cie>, Arc<Cie>)> = None;
        let mut all = Vec::with_capacity(frames.entries.len());
        let entries = frames.entries.iter().zip(&frames.functions).zip(is_dropped).enumerate();
        for (number, ((entry, function), is_dropped)) in entries {
            let fault = |reason: String| {
                let offset = frames.offsets.get(number).copied().unwrap_or(0);
                Error::new(&*frames.name, offset, ErrorKind::FrameEntry { number, reason })
            };
            match entry {
                _ if is_dropped => dropped += u32::from(matches!(entry, Entry::Cie(_))),
                Entry::Cie(cie) => {
                    let known = last.take().filter(|(before, _)| Arc::ptr_eq(before, cie));
                    let (_, made) = if let Some(known) = known {
                        last.insert(known)
                    } else {
                        let made = self.cie(cie).map_err(|error| fault(error.to_string()))?;
                        last.insert((Arc::clone(cie), Arc::new(made)))
                    };
                    all.push(Entry::Cie(Arc::clone(made)));
                }
                Entry::Fde(fde) => {
                    let cie =
                        last.as_ref().map(|(cie, _)| cie).ok_or_else(|| fault("there is no CIE".into()))?;
                    let mut made = self.fde(fde, cie, *function).map_err(fault)?;
                    made.cie = CieId(fde.cie.0.saturating_sub(dropped));
                    all.push(Entry::Fde(made));
                }
            }
        }
        Ok(all)
    }

    fn to(&self) -> Space {
        match self.from {
            Space::Native => Space::Mercury,
            Space::Mercury => Space::Native,
        }
    }

    fn cie(&self, cie: &Cie) -> Result<Cie, Untranslatable> {
        let instructions = cie.instructions.iter().map(|instruction| self.instruction(instruction));
        let instructions = instructions.collect::<Result<_, _>>()?;
        Ok(Cie {
            code_alignment_factor: code_alignment(self.to()),
            augmentation: cie.augmentation.clone(),
            instructions,
            ..*cie
        })
    }

    fn fde(&self, fde: &Fde, cie: &Cie, function: Option<(SectionIndex, u64)>) -> Result<Fde, String> {
        let (section, start) = function.ok_or("its function has no code section")?;
        let pairs = self.translator.section_pairs();
        let native = if self.from == Space::Native { Some(section) } else { pairs.native_section(section) };
        let code = native.and_then(|native| CodeMap::of(self.translator.maps(), native));
        let code = code.ok_or("its code section has no address map")?;
        let function = match self.from {
            Space::Native => code.function_at_native(start),
            Space::Mercury => code.function_at_mercury(start),
        };
        let function = function.ok_or_else(|| Untranslatable::Start(start).to_string())?;
        let (other_start, address_range) = match self.from {
            Space::Native => (function.mercury.value, code.mercury_range(function)),
            Space::Mercury => (function.native, code.native_range(function)),
        };
        let rules =
            FdeRules::of(fde, cie, self.from).ok_or("its steps are of a form that ptxas does not write")?;
        let moved = |role, offset: u64| {
            let address = start.wrapping_add(offset);
            let found = match self.from {
                Space::Native => code.map.mercury(role, address),
                Space::Mercury => code.map.native(role, address),
            };
            let found = found.or((offset == 0).then_some(other_start));
            let found = found.and_then(|found| found.checked_sub(other_start));
            found.ok_or_else(|| Untranslatable::Address(address, role).to_string())
        };
        let steps = match self.from {
            Space::Native => self.mercury_steps(&rules, cie, moved)?,
            Space::Mercury => self.native_steps(&rules, cie, moved)?,
        };
        let symbol = |SymbolId(symbol)| self.symbol(SymbolIndex(symbol)).map_err(|error| error.to_string());
        Ok(Fde {
            cie: fde.cie,
            initial_location: self.address(fde.initial_location).map_err(|error| error.to_string())?,
            range_symbol: fde.range_symbol.map(symbol).transpose()?,
            address_range,
            instructions: steps,
        })
    }

    /// Native steps, by address.
    fn native_steps(
        &self,
        rules: &FdeRules<'_>,
        cie: &Cie,
        moved: impl Fn(AddressRole, u64) -> Result<u64, String>,
    ) -> Result<Vec<Cfi>, String> {
        // What the CIE says already, of a folded function and of a kernel that ends where its only
        // rules begin.
        let is_hidden = |offset: u64| {
            rules.end == Some(offset) || offset == 0 && cie.return_address_register == FOLDED_RETURN
        };
        let mut steps = Vec::new();
        for (offset, rules) in rules.last_steps().filter(|(offset, _)| !is_hidden(*offset)) {
            steps.push((moved(AddressRole::FrameRule, *offset)?, *rules));
        }
        if let Some(end) = rules.end {
            steps.push((moved(AddressRole::FrameEnd, end)?, &[]));
        }
        steps.sort_by_key(|(offset, _)| *offset);
        self.written(&steps)
    }

    /// Mercury steps: the first of a kernel, those with rules, the last.
    fn mercury_steps(
        &self,
        rules: &FdeRules<'_>,
        cie: &Cie,
        moved: impl Fn(AddressRole, u64) -> Result<u64, String>,
    ) -> Result<Vec<Cfi>, String> {
        let mut steps: Vec<(u64, &[Cfi])> = Vec::new();
        if cie.return_address_register == NO_RETURN {
            steps.push((FIRST_STEP, &[]));
        }
        let end = rules.end.map(|end| moved(AddressRole::FrameEnd, end)).transpose()?;
        let hidden = match cie.return_address_register {
            FOLDED_RETURN => is_of_abi(cie).then_some(0),
            // A function that ends at its start has no native steps at all.
            _ => Some(end.unwrap_or(0)),
        };
        let hidden = hidden.filter(|_| rules.steps.is_empty());
        steps.extend(hidden.and_then(|offset| Some((offset, cfa(cie)?))));
        for (offset, rules) in &rules.steps {
            steps.push((moved(AddressRole::FrameRule, *offset)?, rules));
        }
        steps.extend(end.or(hidden).map(|end| (end, &[][..])));
        self.written(&steps)
    }

    fn written(&self, steps: &[(u64, &[Cfi])]) -> Result<Vec<Cfi>, String> {
        let mut all = Vec::new();
        let mut at = 0_u64;
        for (offset, rules) in steps {
            let unit = code_alignment(self.to());
            let delta = offset.wrapping_sub(at).cast_signed();
            if delta != 0 || self.to() == Space::Mercury {
                let units = i32::try_from(delta / unit.cast_signed()).ok();
                let units = units.filter(|_| delta % unit.cast_signed() == 0);
                let units = units.ok_or_else(|| format!("a step of {delta} bytes cannot be written"))?;
                all.push(Cfi::AdvanceLoc4(units.cast_unsigned()));
            }
            for instruction in *rules {
                all.push(self.instruction(instruction).map_err(|error| error.to_string())?);
            }
            at = *offset;
        }
        Ok(all)
    }

    fn symbol(&self, symbol: SymbolIndex) -> Result<SymbolId, Untranslatable> {
        let symbol = match self.from {
            Space::Native => self.translator.symbol_to_mercury(symbol)?,
            Space::Mercury => self.translator.symbol_to_native(symbol)?,
        };
        Ok(SymbolId(symbol.0))
    }

    /// Where a function starts, in the other space.
    fn address(&self, address: Address) -> Result<Address, Untranslatable> {
        let Address::Symbol { symbol: SymbolId(symbol), addend } = address else { return Ok(address) };
        let SymbolAndAddend { symbol, addend } = self.reference(symbol, addend)?;
        Ok(Address::Symbol { symbol: SymbolId(symbol.0), addend })
    }

    fn reference(&self, symbol: u32, addend: i64) -> Result<SymbolAndAddend, Untranslatable> {
        let own = SymbolAndAddend { symbol: SymbolIndex(symbol), addend };
        match self.from {
            Space::Native => self.translator.native_start_to_mercury(own),
            Space::Mercury => self.translator.mercury_start_to_native(own),
        }
    }

    fn instruction(&self, instruction: &Cfi) -> Result<Cfi, Untranslatable> {
        Ok(match instruction {
            Cfi::DefCfaExpression(expression) => Cfi::DefCfaExpression(self.expression(expression)?),
            Cfi::Expression { register, expression } => {
                Cfi::Expression { register: *register, expression: self.expression(expression)? }
            }
            Cfi::ValExpression { register, expression } => {
                Cfi::ValExpression { register: *register, expression: self.expression(expression)? }
            }
            other => other.clone(),
        })
    }

    /// Addresses in expressions are those of functions.
    fn expression(&self, expression: &Expression) -> Result<Expression, Untranslatable> {
        let mut made = expression.clone();
        for reloc in &mut made.relocs {
            let Reloc { offset, width, symbol: SymbolId(symbol), addend, .. } = *reloc;
            let SymbolAndAddend { symbol, addend } = self.reference(symbol, addend)?;
            *reloc = Reloc::new(offset, width, SymbolId(symbol.0), addend);
            let place = usize::try_from(offset).ok().and_then(|at| made.bytes.get_mut(at..));
            let bytes = place.into_iter().flatten().take(width.into());
            bytes.zip(addend.to_le_bytes()).for_each(|(byte, new)| *byte = new);
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `STL.64 [R1+0x10], R4` saves R4 and R5: 0x540 in Mercury code, 0x2f0 in native code, which
    /// says it of R5 alone. Observed: ptxas 13.0.88.
    #[test]
    fn native_code_has_the_last_rule_of_an_instruction() {
        let saved = |register, factored_offset| [Cfi::Offset { register, factored_offset }];
        let (r0, r4, r5) = (saved(0, 37), saved(4, 36), saved(5, 35));
        let mercury = [(0x4e0, &r0[..]), (0x540, &r4[..]), (0x540, &r5[..])];
        let native = [(0x2a0, &r0[..]), (0x2f0, &r5[..])];
        let [native, mercury] =
            [native.to_vec(), mercury.to_vec()].map(|steps| FdeRules { steps, ..FdeRules::default() });
        let found = match_rules(&native, &mercury);
        assert_eq!(found, [(AddressRole::FrameRule, 0x2a0, 0x4e0), (AddressRole::FrameRule, 0x2f0, 0x540)]);
    }
}
