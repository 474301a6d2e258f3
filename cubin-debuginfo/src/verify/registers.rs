//! Checks of `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`, and whether they have the
//! registers of locations.

use super::{RuleId, SectionView, Verifier, short};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::generation::Generation;
use nv_debug_sections::reg_sass::{self, FunctionRegisters, RegisterRange};
use nv_debug_sections::reg_type::{self, FunctionTypes, RegisterType};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A register that a location uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Used {
    pub(super) function: Rc<str>,
    /// Its PTX name.
    pub(super) register: String,
    /// Where.
    pub(super) section: &'static str,
    pub(super) offset: u64,
}

pub(super) fn check(check: &mut Verifier<'_, '_>, used: &[Used]) {
    let Some(sass) = check.view(SectionKind::NvDebugInfoRegSass) else { return };
    let functions = match reg_sass::decode(&sass.data.bytes) {
        Ok(functions) => functions,
        Err(error) => return check.unreadable(RuleId::RegistersUnreadable, &error),
    };
    let mut at = 0;
    let mut map: HashMap<&[u8], HashSet<&[u8]>> = HashMap::new();
    for function in &functions {
        let known =
            map.insert(function.function, function.ranges.iter().map(|range| range.ptx_name).collect());
        at = of_function(check, &sass, function, at, known.is_some());
    }
    if let Some(types) = check.view(SectionKind::NvDebugInfoRegType) {
        match reg_type::decode(&types.data.bytes) {
            Ok(decoded) => types_of(check, &types, &functions, &decoded),
            Err(error) => check.unreadable(RuleId::RegistersUnreadable, &error),
        }
    }
    let mut seen = HashSet::new();
    for Used { function, register, section, offset } in used {
        let registers = map.get(function.as_bytes());
        let is_known = registers.is_none_or(|registers| registers.contains(register.as_bytes()));
        if !is_known && seen.insert((function, register)) {
            let name = Some(function.to_string());
            let found = format!("a location in {register}");
            check.find_in(
                name,
                RuleId::RegistersMissing.at(section, *offset),
                found,
                "a register of the map",
            );
        }
    }
}

fn text(bytes: &[u8]) -> String {
    short(&String::from_utf8_lossy(bytes)).to_owned()
}

/// The ranges of one function at byte `at`; returns where the next one is.
fn of_function(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    function: &FunctionRegisters<'_>,
    at: u64,
    is_again: bool,
) -> u64 {
    let name = text(function.function);
    let size = check.function_size(&String::from_utf8_lossy(function.function));
    let fault = match size {
        None => {
            let rule = if check.is_linked { RuleId::RegistersDropped } else { RuleId::RegistersFunction };
            Some((rule, "the name of a function in the file"))
        }
        Some(_) if is_again && check.is_linked => Some((RuleId::RegistersTwice, "each function once")),
        Some(_) if is_again => Some((RuleId::RegistersFunction, "each function once")),
        Some(_) => None,
    };
    if let Some((rule, expected)) = fault {
        check.find_in(Some(name.clone()), rule.at(view.name, at), "this name", expected);
    }
    let mut offset = at + function.function.len() as u64 + 1 + 4;
    for range in &function.ranges {
        let RegisterRange { part: _, ptx_name, register, start, end } = *range;
        let ptx = text(ptx_name);
        if register.class().is_none() {
            let found = format!("class {} of the register of {ptx}", register.class_number());
            let place = RuleId::RegistersClass.at(view.name, offset);
            check.find_in(Some(name.clone()), place, found, "a known class of SASS registers");
        } else if !register.exists_on(check.cubin.target()) {
            let place = RuleId::RegistersNumber.at(view.name, offset);
            check.find_in(
                Some(name.clone()),
                place,
                format!("{register} for {ptx}"),
                "a register of the chip",
            );
        }
        if let Some((rule, expected)) = range_fault(check, start, end, size) {
            let found = format!("{start:#x} to {end:#x} for {ptx}");
            check.find_in(Some(name.clone()), rule.at(view.name, offset), found, expected);
        }
        offset += 4 + ptx_name.len() as u64 + 1 + 12;
    }
    offset
}

/// What is wrong with a range, and what is expected. `size` is the function's, where it is known.
fn range_fault(
    check: &Verifier<'_, '_>,
    start: u32,
    end: u32,
    size: Option<u64>,
) -> Option<(RuleId, String)> {
    let expected = || match size {
        Some(size) => format!("a range in the function's {size:#x} bytes"),
        None => "a range with bytes".to_owned(),
    };
    let is_place = |at: u32| check.is_instruction(at.into()) && size.is_none_or(|size| u64::from(at) <= size);
    // Both are habits of ptxas: in a file that it did not write, and of other numbers, they are
    // errors.
    if check.is_of_ptxas && is_place(end) {
        if start == reg_sass::NO_START && check.cubin.target().generation() == Generation::Mercury {
            return Some((RuleId::RegistersNoStart, expected()));
        }
        if start > end && is_place(start) {
            return Some((RuleId::RegistersReversed, expected()));
        }
    }
    if !(check.is_instruction(start.into()) && check.is_instruction(end.into())) {
        return Some((RuleId::RegistersInside, "the starts of instructions".to_owned()));
    }
    if start > end || size.is_some_and(|size| u64::from(end) > size) {
        return Some((RuleId::RegistersRange, expected()));
    }
    (start == end).then(|| (RuleId::RegistersEmpty, expected()))
}

fn types_of(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    functions: &[FunctionRegisters<'_>],
    types: &[FunctionTypes<'_>],
) {
    let key = |name: &[u8], count: usize| format!("{} with {count}", text(name));
    let mut at = 0;
    for (function, types) in functions.iter().zip(types) {
        let ours = (types.function, types.types.len());
        let theirs = (function.function, function.ranges.len());
        if ours != theirs {
            let found = format!("types of {}", key(ours.0, ours.1));
            let expected = format!("those of {}, as the other map has it", key(theirs.0, theirs.1));
            check.find(RuleId::RegistersTypes, view.name, at, found, expected);
            return;
        }
        at += types.function.len() as u64 + 1 + 4;
        for (range, code) in function.ranges.iter().zip(types.types) {
            let name = || Some(text(types.function));
            match RegisterType::of_code(*code) {
                None => {
                    let found = format!("type {code} of {}", text(range.ptx_name));
                    let place = RuleId::RegistersClass.at(view.name, at);
                    check.find_in(name(), place, found, "a known type of PTX registers");
                }
                Some(known) if range.part >= known.words().into() => {
                    let found = format!("part {} of {}, a .{}", range.part, text(range.ptx_name), known);
                    let expected = format!("one of {}", known.words());
                    check.find_in(name(), RuleId::RegistersPart.at(view.name, at), found, expected);
                }
                Some(_) => {}
            }
            at += 1;
        }
    }
    if functions.len() != types.len() {
        let found = format!("types of {} functions", types.len());
        let expected = format!("{}, as the other map has", functions.len());
        check.find(RuleId::RegistersTypes, view.name, at, found, expected);
    }
}
