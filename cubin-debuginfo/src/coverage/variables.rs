//! Counts the variables and parameters that have a location, and its bytes, as `llvm-dwarfdump
//! --statistics` does; and the bytes at which a debugger can read it.

use super::list_reader::Reader;
use super::{FunctionCoverage, VariableCounts};
use crate::code_ranges::{self, CodeRange};
use crate::entries::{Address, Entry, Value};
use crate::symbolize::Symbolizer;
use crate::variables::{LocationList, LocationRange, MissingFacts, Unavailable, VariableLocation, Variables};
use dwarf2_reader::constants as dw;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::HashMap;

/// The function to which the variables of an entry are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VariableOwner {
    /// No function: they are global variables.
    Unit,
    /// A function whose code is not in the file.
    NoCode,
    /// Index of the function.
    Function(usize),
    /// An entry below which nothing is counted. Abstract functions, declarations and types of
    /// functions have no code, and of an inline function in several units the linker keeps one,
    /// which the first of the units describes.
    Ignored,
}

/// The owner and the code that the children of an open entry inherit.
#[derive(Debug, Clone, Copy)]
struct OpenScope {
    owner: VariableOwner,
    /// Index of the nearest code around.
    code: Option<usize>,
}

/// Counts for variables outside any function.
pub(super) struct NonFunctionCounts {
    pub(super) globals: VariableCounts,
    /// Variables of functions whose code is not in the file.
    pub(super) without_code: VariableCounts,
    /// As [`Coverage::register_fault`](super::Coverage::register_fault).
    pub(super) register_fault: Option<Error>,
}

/// Counts the variables of all units: into their functions, and others as the return value.
pub(super) fn count(
    cubin: &Cubin<'_>,
    symbolizer: &Symbolizer<'_>,
    variables: &Variables<'_>,
    functions: &mut [FunctionCoverage<'_>],
) -> Result<NonFunctionCounts> {
    let mut faults = variables.faults().iter().filter(|fault| fault.missing == MissingFacts::Registers);
    let mut counter = Counter {
        lists: Reader::new(cubin, symbolizer.code())?,
        by_place: functions.iter().enumerate().map(|(i, f)| ((f.section, f.offset), i)).collect(),
        symbolizer,
        variables,
        register_fault: faults.next().map(|fault| fault.error.clone()),
        functions,
        unit: 0,
        described: HashMap::new(),
        code: Vec::new(),
        globals: VariableCounts::default(),
        without_code: VariableCounts::default(),
    };
    for unit in variables.entries().units() {
        let base = variables.entries().base_address(unit);
        counter.unit = unit.offset;
        // The scopes of the entries that are open, by depth.
        let mut scopes: Vec<OpenScope> = Vec::new();
        for entry in variables.entries().range(unit.entries.clone()) {
            scopes.truncate(entry.depth());
            let outer =
                scopes.last().copied().unwrap_or(OpenScope { owner: VariableOwner::Unit, code: None });
            let scope = counter.entry(entry, outer, base)?;
            scopes.push(scope);
        }
    }
    let Counter { globals, without_code, register_fault, .. } = counter;
    Ok(NonFunctionCounts { globals, without_code, register_fault })
}

struct Counter<'f, 's, 'n> {
    lists: Reader<'s>,
    symbolizer: &'s Symbolizer<'s>,
    variables: &'s Variables<'s>,
    register_fault: Option<Error>,
    functions: &'f mut [FunctionCoverage<'n>],
    /// Functions by section and offset.
    by_place: HashMap<(SectionIndex, u64), usize>,
    /// Byte offset of the unit.
    unit: u64,
    /// By function: the unit that describes it.
    described: HashMap<usize, u64>,
    /// The code of scopes.
    code: Vec<Vec<CodeRange>>,
    globals: VariableCounts,
    without_code: VariableCounts,
}

impl Counter<'_, '_, '_> {
    /// Counts an entry. Gives the scope of its children.
    fn entry(&mut self, entry: Entry<'_>, outer: OpenScope, base: Option<Address>) -> Result<OpenScope> {
        if outer.owner == VariableOwner::Ignored {
            return Ok(outer);
        }
        let nobody = OpenScope { owner: VariableOwner::Ignored, code: None };
        match entry.tag() {
            dw::DW_TAG_subroutine_type => Ok(nobody),
            dw::DW_TAG_subprogram | dw::DW_TAG_inlined_subroutine | dw::DW_TAG_lexical_block => {
                let is_abstract =
                    entry.tag() != dw::DW_TAG_lexical_block && entry.value(dw::DW_AT_inline).is_some();
                if is_abstract || entry.value(dw::DW_AT_declaration).is_some() {
                    return Ok(nobody);
                }
                self.scope(entry, outer, base)
            }
            dw::DW_TAG_formal_parameter | dw::DW_TAG_variable => {
                self.variable(entry, outer, base)?;
                Ok(outer)
            }
            _ => Ok(outer),
        }
    }

    fn scope(&mut self, entry: Entry<'_>, outer: OpenScope, base: Option<Address>) -> Result<OpenScope> {
        let code = self.lists.code(entry, base)?;
        let mut owner = outer.owner;
        if entry.tag() == dw::DW_TAG_subprogram {
            let number = code.first().and_then(|first| self.function(first));
            if number.is_some_and(|number| *self.described.entry(number).or_insert(self.unit) != self.unit) {
                return Ok(OpenScope { owner: VariableOwner::Ignored, code: None });
            }
            owner = number.map_or(VariableOwner::NoCode, VariableOwner::Function);
            if let Some(function) = number.and_then(|number| self.functions.get_mut(number)) {
                function.entry = true;
            }
        }
        if code.is_empty() {
            // A block without code of its own is part of the scope around it; a function is not.
            let around = if entry.tag() == dw::DW_TAG_subprogram { None } else { outer.code };
            return Ok(OpenScope { owner, code: around });
        }
        self.code.push(code);
        Ok(OpenScope { owner, code: Some(self.code.len() - 1) })
    }

    fn function(&self, first: &CodeRange) -> Option<usize> {
        let function = self.symbolizer.locate(first.section, first.range.start)?.function?;
        self.by_place.get(&(function.section, function.offset)).copied()
    }

    fn variable(&mut self, entry: Entry<'_>, scope: OpenScope, base: Option<Address>) -> Result<()> {
        let is_parameter = entry.tag() == dw::DW_TAG_formal_parameter;
        if !is_parameter && entry.value(dw::DW_AT_declaration).is_some() {
            return Ok(());
        }
        let code = scope.code.and_then(|number| self.code.get(number)).map_or(&[][..], Vec::as_slice);
        let scope_bytes = code_ranges::bytes(code);
        let (located, covered_bytes) = match entry.value(dw::DW_AT_location) {
            // Registers and frames of missing code are not locations.
            _ if scope.owner == VariableOwner::NoCode => (self.is_somewhere(entry.number()), 0),
            _ if entry.value(dw::DW_AT_const_value).is_some() => (true, scope_bytes),
            Some(Value::Block(_)) => (true, scope_bytes),
            Some(Value::Offset(_, offset)) => match self.lists.locations(offset, base)? {
                Some(places) => {
                    self.lists.spend(code.len().saturating_add(places.len()), offset)?;
                    (true, code_ranges::common_bytes(code, &places))
                }
                None => (false, 0),
            },
            _ => (false, 0),
        };
        let (register_bytes, sass_bytes) =
            if covered_bytes > 0 { self.in_registers(entry.number(), scope) } else { (0, 0) };
        let one = VariableCounts {
            all: 1,
            located: located.into(),
            scope_bytes,
            covered_bytes,
            register_bytes,
            sass_bytes,
        };
        let sum = match scope.owner {
            VariableOwner::Unit => &mut self.globals,
            VariableOwner::NoCode => &mut self.without_code,
            VariableOwner::Function(number) => match self.functions.get_mut(number) {
                Some(function) if is_parameter => &mut function.parameters,
                Some(function) => &mut function.locals,
                None => &mut self.without_code,
            },
            VariableOwner::Ignored => return Ok(()),
        };
        *sum += one;
        Ok(())
    }

    /// Returns the location of the variable of an entry.
    fn location(&mut self, entry: usize) -> Option<LocationList> {
        let all = self.variables.all();
        let at = all.binary_search_by_key(&entry, |variable| variable.entry).ok()?;
        Some(self.variables.location(all.get(at)?))
    }

    /// Whether it is somewhere over no certain code.
    fn is_somewhere(&mut self, entry: usize) -> bool {
        let is_place = |range: &LocationRange| range.code.is_none() && range.location.is_available();
        self.location(entry).is_some_and(|found| found.ranges.iter().any(is_place))
    }

    /// Bytes of the scope at which the variable of an entry is in a register, and those at which
    /// SASS registers have that.
    fn in_registers(&mut self, entry: usize, scope: OpenScope) -> (u64, u64) {
        let Some(location) = self.location(entry) else { return (0, 0) };
        let code = scope.code.and_then(|number| self.code.get(number)).map_or(&[][..], Vec::as_slice);
        if location.cut {
            let text = "registers of locations are in too many places to follow them all";
            let name = SectionKind::NvDebugInfoRegSass.name();
            let cut = || Error::in_section(name, ErrorKind::Limit(text.into()));
            self.register_fault.get_or_insert_with(cut);
        }
        let bytes = |wanted: fn(&VariableLocation) -> bool| {
            let wanted = location.ranges.iter().filter(|LocationRange { location: place, .. }| wanted(place));
            let wanted = code_ranges::joined(wanted.filter_map(|range| range.code.clone()).collect());
            code_ranges::common_bytes(code, &wanted)
        };
        (bytes(is_register), bytes(|place| is_register(place) && place.is_available()))
    }
}

/// Whether a place is a register, in SASS registers or not.
fn is_register(place: &VariableLocation) -> bool {
    match place {
        VariableLocation::Register(_) | VariableLocation::RegisterOffset { .. } => true,
        VariableLocation::Unavailable(reason) => matches!(
            reason,
            Unavailable::NotInRegister(_) | Unavailable::NoRegisterMap(_) | Unavailable::UnknownRegister(_)
        ),
        _ => false,
    }
}
