//! Variables and parameters: their type, address class, and locations over their scope.
//!
//! What DWARF says of a place is brought to the machine: a PTX register becomes the SASS registers
//! that `.nv_debug_info_reg_sass` has for it, a frame offset one from the stack pointer, an address
//! a symbol, a place in a window or in a constant bank. Where a variable is nowhere, it is said
//! why.
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use cubin_debuginfo::{entries::Entries, variables::Variables};
//! use nv_debug_sections::cubin::Cubin;
//!
//! let cubin = Cubin::parse(bytes)?;
//! let entries = Entries::read(&cubin)?;
//! let variables = Variables::read(&cubin, &entries)?;
//! for variable in variables.all() {
//!     let (name, r#type) = (variables.name(variable), variables.type_name(variable));
//!     for range in variables.location(variable).ranges {
//!         // where `name` is, over which addresses
//!     }
//! }
//! # Ok(()) }
//! ```

mod constant;
mod display;
mod frame_base;
mod inlined;
pub mod listing;
mod location_answer;
mod location_list;
mod memory;
mod missing_facts;
mod registers;
mod scope;
mod source_position;
mod types;
mod unavailable;
mod variable_address_class;
mod variable_filter;
mod variable_location;

pub use crate::code_ranges::CodeRange;
pub use constant::{Constant, ConstantValue};
pub use frame_base::{FrameBase, FrameOffset};
pub use inlined::InlinedCalls;
pub use location_answer::{LocationAnswer, RegisterPartAnswer};
pub use location_list::{LocationList, LocationRange};
pub use missing_facts::{MissingFacts, UnreadableSection};
pub use registers::{RegisterPart, SassAllocation};
pub use scope::{Scope, ScopeKind};
pub use source_position::SourcePosition;
pub use unavailable::Unavailable;
pub use variable_address_class::{DebuggerMistake, VariableAddressClass};
pub use variable_location::{Memory, VariableLocation};

use crate::code_ranges::{self, EntryCode};
use crate::entries::{Address, Entries, Entry, Unit, Value};
use crate::limits::LOCATION_STEPS;
use crate::loc_and_range_lists::Lists;
use crate::unrelocated_addresses::{OpenSymbols, UnrelocatedAddresses};
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants as dw;
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::{Code, Function};
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::{Error, ErrorKind, Result, line};
use registers::RegisterMap;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The variables and parameters of a cubin, with their scopes.
#[derive(Debug, Clone)]
pub struct Variables<'c> {
    cubin: &'c Cubin<'c>,
    entries: &'c Entries<'c>,
    code: Code<'c>,
    scopes: Vec<Scope>,
    /// By scope: whether it is in a function as its source has it, or is one.
    in_abstract: Vec<bool>,
    all: Vec<Variable>,
    locations: Lists<'c>,
    /// The work that [`location`](Self::location) may still do.
    budget: SharedBudget,
    registers: RegisterMap,
    /// Frame sizes by where the function starts.
    frames: HashMap<(SectionIndex, u64), u64>,
    /// By unit of `.debug_info`: byte offset of its line table in `.debug_line`.
    line_tables: Vec<Option<u64>>,
    /// Paths of each unit of `.debug_line`, by the unit's offset.
    files: HashMap<u64, Vec<Option<String>>>,
    /// Variables' symbols, by section and value.
    objects: Vec<(SectionIndex, u64, SymbolIndex)>,
    /// The facts by which the memory of an address without a relocation is found.
    numbers: UnrelocatedAddresses<'c>,
    open_symbols: OpenSymbols,
    faults: Vec<UnreadableSection>,
}

/// A variable or parameter: one for each entry of `.debug_info`, so a variable of an inlined
/// function occurs once for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// The number of the variable's entry among all entries of `.debug_info`.
    pub entry: usize,
    /// Index of the variable's scope in [`Variables::scopes`].
    pub scope: usize,
    /// Whether the variable is a parameter.
    pub parameter: bool,
}

impl<'c> Variables<'c> {
    /// Finds all variables of a cubin, and reads the sections that their locations need.
    ///
    /// # Errors
    ///
    /// `.debug_ranges` cannot be decoded, or a relocation of it or of `.debug_loc` not be applied;
    /// the error names section and byte offset. What else cannot be read is among the
    /// [`faults`](Self::faults).
    pub fn read(cubin: &'c Cubin<'c>, entries: &'c Entries<'c>) -> Result<Self> {
        let mut found = Self::without_places(cubin, entries)?;
        found.objects = location_list::objects(cubin);
        found.numbers = UnrelocatedAddresses::of(cubin);
        found.open_symbols = OpenSymbols::of(cubin);
        let frames = location_list::frame_sizes(cubin, &found.code);
        found.frames = or_fault(frames, MissingFacts::FrameSizes, &mut found.faults);
        found.registers = or_fault(RegisterMap::read(cubin), MissingFacts::Registers, &mut found.faults);
        Ok(found)
    }

    /// What [`read`](Self::read) finds but registers, frames and symbols: scopes, names, lines of
    /// the source.
    fn without_places(cubin: &'c Cubin<'c>, entries: &'c Entries<'c>) -> Result<Self> {
        let code = Code::new(cubin);
        let ranges = Lists::read(cubin, SectionKind::DebugRanges)?;
        let mut scan = Scan {
            entries,
            code: &code,
            ranges: &ranges,
            kept: HashMap::new(),
            budget: WorkBudget::of_input(ranges.len(), LOCATION_STEPS),
            scopes: Vec::new(),
            all: Vec::new(),
        };
        for unit in entries.units() {
            scan.unit(unit)?;
        }
        let Scan { scopes, all, .. } = scan;
        let mut in_abstract: Vec<bool> = Vec::with_capacity(scopes.len());
        for Scope { kind, parent, .. } in &scopes {
            // The scope around comes first.
            let is_around = parent.is_some_and(|parent| in_abstract.get(parent) == Some(&true));
            in_abstract.push(is_around || *kind == ScopeKind::Abstract);
        }
        let mut faults = Vec::new();
        let files = files(cubin, &mut faults);
        let locations = Lists::read(cubin, SectionKind::DebugLoc)?;
        Ok(Self {
            cubin,
            entries,
            scopes,
            in_abstract,
            all,
            budget: location_budget(cubin, entries, &locations),
            locations,
            registers: RegisterMap::default(),
            frames: HashMap::new(),
            line_tables: entries.units().iter().map(|unit| line_table(entries, unit)).collect(),
            files,
            objects: Vec::new(),
            numbers: UnrelocatedAddresses::default(),
            open_symbols: OpenSymbols::default(),
            code,
            faults,
        })
    }

    /// Whether the calls of [`location`](Self::location) have together used up their work budget.
    /// Location lists are then cut short.
    pub fn is_truncated(&self) -> bool {
        self.budget.with(|budget| budget.is_spent())
    }

    /// Renews the work budget of [`location`](Self::location), before a new query about the file.
    pub fn renew_budget(&self) {
        self.budget.with(|left| *left = self.budget.all.clone());
    }

    /// The sections that cannot be read. Facts about variables that depend on them are missing in
    /// the results.
    pub fn faults(&self) -> &[UnreadableSection] {
        &self.faults
    }

    /// All scopes of variables. A scope comes after the one that encloses it.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// All variables and parameters, in the order of their entries in `.debug_info`.
    pub fn all(&self) -> &[Variable] {
        &self.all
    }

    /// The entries of `.debug_info`.
    pub fn entries(&self) -> &'c Entries<'c> {
        self.entries
    }

    /// The code sections and functions of the cubin.
    pub fn code(&self) -> &Code<'c> {
        &self.code
    }

    fn scope(&self, index: usize) -> Option<&Scope> {
        self.scopes.get(index)
    }

    fn entry(&self, number: usize) -> Option<Entry<'c>> {
        self.entries.get(number)
    }

    fn attribute(&self, number: usize, name: u16) -> Option<(Entry<'c>, Value<'c>)> {
        self.entries.inherited(number, name)
    }

    fn unsigned(&self, number: usize, name: u16) -> Option<u64> {
        self.attribute(number, name)?.1.unsigned()
    }

    fn string(&self, number: usize, name: u16) -> Option<Cow<'c, str>> {
        self.attribute(number, name)?.1.text()
    }

    /// The name of a variable or parameter, from its entry.
    pub fn name(&self, variable: &Variable) -> Option<Cow<'c, str>> {
        self.string(variable.entry, dw::DW_AT_name)
    }

    /// Returns the type of a variable as C spells it: `float const *`, `int[4]`, `float shared *`;
    /// at most about 1024 bytes.
    pub fn type_name(&self, variable: &Variable) -> String {
        let entry = self.attribute(variable.entry, dw::DW_AT_type).map(|(entry, _)| entry);
        entry.map_or_else(|| "?".to_owned(), |entry| types::spell(self.entries, entry))
    }

    /// The source line of the variable's declaration.
    pub fn declared(&self, variable: &Variable) -> Option<SourcePosition<'_>> {
        self.source_line(variable.entry, dw::DW_AT_decl_file, dw::DW_AT_decl_line)
    }

    /// The source line at which the function of an inlined call's scope is called.
    pub fn call_site(&self, scope: &Scope) -> Option<SourcePosition<'_>> {
        self.source_line(scope.entry, dw::DW_AT_call_file, dw::DW_AT_call_line)
    }

    fn source_line(&self, number: usize, file: u16, line: u16) -> Option<SourcePosition<'_>> {
        let line = self.unsigned(number, line)?;
        // The file's number is one of the unit that has the attribute.
        let path = self.attribute(number, file).and_then(|(entry, file)| {
            let index = usize::try_from(file.unsigned()?).ok()?.checked_sub(1)?;
            let unit = self.entries.units().partition_point(|unit| unit.offset <= entry.offset());
            let table = (*self.line_tables.get(unit.checked_sub(1)?)?)?;
            self.files.get(&table)?.get(index)?.as_deref()
        });
        Some(SourcePosition { file: path, line })
    }

    /// The address class of the variable: the kind of memory or register that it is in.
    pub fn class(&self, variable: &Variable) -> VariableAddressClass {
        let stated = self.unsigned(variable.entry, dw::DW_AT_address_class);
        let taken = stated.map_or(Some(AddressClass::Global), AddressClass::of_value);
        VariableAddressClass { stated, taken }
    }

    /// The name of the function that a scope belongs to, or that was inlined there; the mangled
    /// name if it is known. For a unit, the name of its source file.
    pub fn scope_name(&self, scope: &Scope) -> Option<Cow<'c, str>> {
        let names = [dw::DW_AT_linkage_name, dw::DW_AT_MIPS_linkage_name, dw::DW_AT_name];
        match scope.kind {
            ScopeKind::Block => None,
            _ => names.into_iter().find_map(|name| self.string(scope.entry, name)),
        }
    }

    /// The function that contains the code of a scope.
    pub fn function(&self, scope: &Scope) -> Option<&Function<'c>> {
        let first = scope.code.first()?;
        self.code.function_at(first.section, first.range.start)
    }

    /// Iterates over scope `scope` and the scopes that enclose it, the unit last.
    pub fn enclosing_scopes(&self, scope: usize) -> impl Iterator<Item = &Scope> {
        std::iter::successors(self.scope(scope), |scope| self.scope(scope.parent?))
    }
}

/// A budget that all who ask for locations use up together.
#[derive(Debug)]
struct SharedBudget {
    left: Mutex<WorkBudget>,
    /// What it was at first.
    all: WorkBudget,
}

impl SharedBudget {
    fn with<T>(&self, work: impl FnOnce(&mut WorkBudget) -> T) -> T {
        // A number is in order whoever panicked.
        work(&mut self.left.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clone for SharedBudget {
    fn clone(&self) -> Self {
        Self { left: Mutex::new(self.with(|left| left.clone())), all: self.all.clone() }
    }
}

/// What [`Variables::location`] may do for all variables together.
fn location_budget(cubin: &Cubin<'_>, entries: &Entries<'_>, locations: &Lists<'_>) -> SharedBudget {
    let map = cubin.section_by_name(SectionKind::NvDebugInfoRegSass.name());
    let map = map.and_then(|index| cubin.bytes(index).ok()).map_or(0, |bytes| bytes.len());
    let size = (entries.bytes().len().saturating_add(map) as u64).saturating_add(locations.len());
    let all = WorkBudget::of_input(size, LOCATION_STEPS);
    SharedBudget { left: Mutex::new(all.clone()), all }
}

/// Finds scopes and variables.
struct Scan<'s, 'c> {
    entries: &'c Entries<'c>,
    code: &'s Code<'c>,
    ranges: &'s Lists<'c>,
    /// Lists of `.debug_ranges` that the unit refers to, by their offset.
    kept: HashMap<u64, Arc<[CodeRange]>>,
    budget: WorkBudget,
    scopes: Vec<Scope>,
    all: Vec<Variable>,
}

impl Scan<'_, '_> {
    fn unit(&mut self, unit: &Unit) -> Result<()> {
        // Entries that are open, by depth, with the scope of what is in them; `None` in what is not
        // a scope, such as a type.
        let mut open: Vec<Option<usize>> = Vec::new();
        let base = self.entries.base_address(unit);
        self.kept.clear();
        for (number, entry) in (unit.entries.start..).zip(self.entries.range(unit.entries.clone())) {
            open.truncate(entry.depth());
            let around = open.last().copied().unwrap_or(None);
            let is_variable = matches!(entry.tag(), dw::DW_TAG_variable | dw::DW_TAG_formal_parameter);
            if let Some(scope) = around.filter(|_| is_variable) {
                let parameter = entry.tag() == dw::DW_TAG_formal_parameter;
                self.all.push(Variable { entry: number, scope, parameter });
            }
            let is_declared = entry.value(dw::DW_AT_declaration).is_some();
            let inner = match scope_kind(entry.tag()) {
                // Its parameters are not variables, and neither are those of a function's type.
                Some(ScopeKind::Function) if is_declared => None,
                Some(kind) => {
                    let parent = around;
                    let code = self.stretches(entry, base)?;
                    let kind = match kind {
                        ScopeKind::Function if code.is_empty() && !has_code(entry) => ScopeKind::Abstract,
                        kind => kind,
                    };
                    self.scopes.push(Scope { entry: number, kind, parent, code });
                    Some(self.scopes.len() - 1)
                }
                None => around.filter(|_| is_transparent(entry.tag())),
            };
            open.push(inner);
        }
        Ok(())
    }

    fn stretches(&mut self, entry: Entry<'_>, base: Option<Address>) -> Result<Arc<[CodeRange]>> {
        if entry.tag() == dw::DW_TAG_compile_unit {
            return Ok(Arc::default());
        }
        match code_ranges::code_of(self.code, entry) {
            EntryCode::Listed(offset) => self.listed(offset, base),
            EntryCode::One(stretch) => Ok(code_ranges::joined(vec![stretch]).into()),
            EntryCode::Nowhere => Ok(Arc::default()),
        }
    }

    fn listed(&mut self, offset: u64, base: Option<Address>) -> Result<Arc<[CodeRange]>> {
        if let Some(kept) = self.kept.get(&offset) {
            return Ok(Arc::clone(kept));
        }
        let mut found = Vec::new();
        for pair in self.ranges.at(offset, base) {
            if !self.budget.take(1) {
                let text = "too many entries share parts of range lists to read them all";
                return Err(Error::new(
                    SectionKind::DebugRanges.name(),
                    offset,
                    ErrorKind::Limit(text.into()),
                ));
            }
            found.extend(pair?.and_then(|pair| code_ranges::code_range(self.code, pair.start, pair.end)));
        }
        let stretches: Arc<[CodeRange]> = code_ranges::joined(found).into();
        self.kept.insert(offset, Arc::clone(&stretches));
        Ok(stretches)
    }
}

fn has_code(entry: Entry<'_>) -> bool {
    entry.value(dw::DW_AT_low_pc).is_some() || entry.value(dw::DW_AT_ranges).is_some()
}

fn scope_kind(tag: u16) -> Option<ScopeKind> {
    Some(match tag {
        dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit => ScopeKind::Unit,
        dw::DW_TAG_subprogram => ScopeKind::Function,
        dw::DW_TAG_inlined_subroutine => ScopeKind::Inlined,
        dw::DW_TAG_lexical_block | dw::DW_TAG_try_block | dw::DW_TAG_catch_block => ScopeKind::Block,
        _ => return None,
    })
}

/// Entries whose variables belong to the scope around: namespaces, and classes with their static
/// members and member functions.
fn is_transparent(tag: u16) -> bool {
    matches!(
        tag,
        dw::DW_TAG_namespace
            | dw::DW_TAG_module
            | dw::DW_TAG_GNU_formal_parameter_pack
            | dw::DW_TAG_structure_type
            | dw::DW_TAG_class_type
            | dw::DW_TAG_union_type
    )
}

/// What was read, or nothing and a fault.
fn or_fault<T: Default>(read: Result<T>, missing: MissingFacts, faults: &mut Vec<UnreadableSection>) -> T {
    read.unwrap_or_else(|error| {
        faults.push(UnreadableSection { error, missing });
        T::default()
    })
}

/// Byte offset in `.debug_line` of a unit's table.
fn line_table(entries: &Entries<'_>, unit: &Unit) -> Option<u64> {
    match entries.get(unit.entries.start)?.value(dw::DW_AT_stmt_list)? {
        Value::Offset(SectionKind::DebugLine, table) | Value::Unsigned(table) => Some(table),
        _ => None,
    }
}

/// The paths of each unit of `.debug_line`, up to one that cannot be read.
fn files(cubin: &Cubin<'_>, faults: &mut Vec<UnreadableSection>) -> HashMap<u64, Vec<Option<String>>> {
    let name = SectionKind::DebugLine.name();
    let Some(bytes) = cubin.section_by_name(name).map(|index| cubin.bytes(index)) else {
        return HashMap::new();
    };
    let bytes = or_fault(bytes, MissingFacts::SourceFiles, faults);
    let mut files = HashMap::new();
    for header in line::headers(name, &bytes) {
        let paths = header.and_then(|(offset, table)| Ok((offset, table.paths(name)?)));
        match paths {
            Ok((offset, paths)) => _ = files.insert(offset, paths),
            Err(error) => {
                faults.push(UnreadableSection { error, missing: MissingFacts::SourceFiles });
                break;
            }
        }
    }
    files
}
