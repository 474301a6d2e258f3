//! Checks of `.debug_frame`.

use super::{RuleId, SectionView, Verifier, short};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::cursor::Cursor;
use nv_debug_sections::frame;
use nv_debug_sections::{Result, frame::Entry};
use std::collections::HashSet;

mod cfa;

/// Offset in a 64-bit entry of `CIE_pointer`.
const CIE_POINTER: u64 = 12;
/// Offset of `initial_location`.
const INITIAL_LOCATION: u64 = 20;
/// Offset of `address_range`.
const ADDRESS_RANGE: u64 = 28;

pub(super) fn check(check: &mut Verifier<'_, '_>) {
    let Some(view) = check.view(SectionKind::DebugFrame) else { return };
    let decoded = frame::decode(&view.data.bytes, &frame::field_symbols(&view.data));
    let starts = decoded.and_then(|entries| Ok((starts(&view)?, entries)));
    let (starts, entries) = match starts {
        Ok(both) => both,
        Err(error) => return check.unreadable(RuleId::FramesUnreadable, &error),
    };
    let mut cies = HashSet::new();
    // The CFA rule that each CIE ends with, by its number.
    let mut rules = Vec::new();
    let mut covered = Vec::new();
    for ((start, pointer), entry) in starts.into_iter().zip(&entries) {
        let fde = match entry {
            Entry::Fde(fde) => fde,
            Entry::Cie(cie) => {
                cies.insert(start);
                rules.push(cfa::of_cie(cie));
                continue;
            }
        };
        if !cies.contains(&pointer) {
            let is_relocated = view.data.target(start + CIE_POINTER).is_some() || check.is_linked;
            let rule = if is_relocated { RuleId::FramesCieNowhere } else { RuleId::FramesCie };
            let expected = "the offset of a CIE before it";
            check.find(rule, view.name, start + CIE_POINTER, format!("CIE_pointer {pointer:#x}"), expected);
        }
        let code = location(check, &view, start, fde.address_range);
        let first = rules.get(fde.cie.0 as usize).copied().unwrap_or_default();
        if let Some(missing) = cfa::missing(fde, first) {
            let from = code.map_or(0, |(_, start, ..)| start);
            let name = code.and_then(|(section, start, ..)| check.function_name(section, start));
            let (first, last) = (from.saturating_add(missing.start), from.saturating_add(missing.end));
            let found = format!("no CFA from {first:#x} to {last:#x}");
            let at = RuleId::FramesNoCfa.at(view.name, start);
            check.find_in(name, at, found, "a rule for the CFA in each row");
        }
        covered.extend(code);
    }
    overlaps(check, &view, &mut covered);
    // What is in another file has its frames there.
    let with_frame: HashSet<_> = covered.iter().map(|(section, start, ..)| (*section, *start)).collect();
    let sm = check.cubin.header.sm();
    let has_frame = |function: &Function<'_>| {
        sm >= FIRST_SM_WITH_FRAMES_OF_HELPERS || !function.name.starts_with(HELPER_PREFIX)
    };
    let functions: Vec<_> = check
        .code
        .functions()
        .iter()
        .filter(|function| function.size > 0 && has_frame(function))
        .copied()
        .collect();
    for function in functions {
        if !with_frame.contains(&(function.section, function.offset)) {
            let name = Some(short(function.name).to_owned());
            let found = format!("no FDE for {}", check.place(function.section, function.offset));
            check.find_in(name, RuleId::FramesMissing.at(view.name, 0), found, "one for each function");
        }
    }
}

/// The first SM whose functions of the assembler, such as that of a division, have an FDE.
/// Observed: ptxas 12.9.86, sm_52.
const FIRST_SM_WITH_FRAMES_OF_HELPERS: u32 = 70;

/// The prefix of the names of such functions.
const HELPER_PREFIX: &str = "__cuda_sm";

/// Start of each entry and its `CIE_pointer`, of a section that can be decoded.
fn starts(view: &SectionView<'_>) -> Result<Vec<(u64, u64)>> {
    let mut cursor = Cursor::new(view.name, &view.data.bytes);
    let mut starts = Vec::new();
    while !cursor.is_empty() {
        let start = cursor.offset();
        cursor.u32("an entry's length")?;
        let length = cursor.u64("an entry's length")?;
        starts.push((start, cursor.split(length, "an entry")?.u64("CIE_pointer")?));
    }
    Ok(starts)
}

/// Section, start, end, and offset of the FDE that covers it.
type Covered = (SectionIndex, u64, u64, u64);

fn location(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, entry: u64, range: u64) -> Option<Covered> {
    let at = entry + INITIAL_LOCATION;
    let field = at as usize;
    let address = view.data.bytes.get(field..).and_then(|rest| rest.first_chunk()).copied();
    let address = u64::from_le_bytes(address.unwrap_or_default());
    let place = match view.data.target(at) {
        Some(target) => target.section.map(|section| (section, target.offset)),
        None => check.code.at_address(address),
    };
    let Some((section, start)) = place else {
        let is_dropped = address == 0 && check.is_linked;
        let rule = if is_dropped { RuleId::FramesDropped } else { RuleId::FramesRange };
        let found = format!("address {address:#x} without relocation");
        check.find(rule, view.name, at, found, "a place in a code section");
        return None;
    };
    let end = start.saturating_add(range);
    let (function, limit) = check.function_from(section, start);
    let name = function.map(|function| short(function.name).to_owned());
    // Of a function with others folded into it, what is before these.
    let (is_start, size) =
        (name.is_some(), function.map_or(0, |function| function.size.min(limit.saturating_sub(start))));
    if is_start && end <= limit {
        if range < size {
            let (found, expected) = (format!("{range:#x} bytes"), format!("{size:#x}, all of the function"));
            let at = entry + ADDRESS_RANGE;
            let is_habit =
                !check.cubin.release().covers_functions_in_frames() && size - range == check.instruction;
            let rule = if is_habit { RuleId::FramesLastInstruction } else { RuleId::FramesShort };
            check.find_in(name, rule.at(view.name, at), found, expected);
        }
        return Some((section, start, end, entry));
    }
    let found = format!("{} to {end:#x}", check.place(section, start));
    let expected = format!("a function's start, and no more than its end {limit:#x}");
    check.find_in(name, RuleId::FramesRange.at(view.name, at), found, expected);
    // It covers no more than it may: one fault is enough.
    is_start.then_some((section, start, limit, entry))
}

fn overlaps(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, covered: &mut [Covered]) {
    covered.sort_unstable();
    for (first, second) in covered.iter().zip(covered.iter().skip(1)) {
        if first.0 == second.0 && second.1 < first.2 {
            let name = check.function_name(second.0, second.1);
            let found = format!("{} to {:#x}", check.place(second.0, second.1), second.2);
            let expected = format!("code that the FDE at {:#x} does not cover", first.3);
            check.find_in(name, RuleId::FramesOverlap.at(view.name, second.3), found, expected);
        }
    }
}
