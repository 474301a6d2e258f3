//! The locations of a variable, by code address.

use super::constant::{self, Constant, ConstantValue, RawConstant};
use super::frame_base::{FrameBase, FrameOffset};
use super::registers::SassAllocation;
use super::unavailable::Unavailable;
use super::variable_location::{self, LocationForm, VariableLocation};
use super::{DebuggerMistake, RegisterPart, Scope, ScopeKind, Variable, VariableAddressClass, Variables};
use crate::code_ranges::{self, CodeRange};
use crate::entries::{Address, Value};
use crate::loc_and_range_lists::ExpressionBytes;
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants as dw;
use nv_debug_sections::Result;
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::frame::{self, Entry as FrameEntry};
use nv_debug_sections::register::{DwarfRegister, SassRegister};
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedSection};
use std::collections::HashMap;
use std::ops::Range;

/// Type of the symbols of variables (ELF gABI).
const STT_OBJECT: u8 = 1;

/// The locations of one variable over the code of its scope.
#[derive(Debug, Clone, PartialEq)]
pub struct LocationList {
    /// The locations of the variable: first those that hold everywhere, then those with a range of
    /// code, by ascending start. Ranges of the scope that a location list leaves out are among
    /// them. Ranges of a list may overlap and go beyond the scope.
    pub ranges: Vec<LocationRange>,
    /// The number of bytes of code in the variable's scope; 0 for a scope without code, as that of
    /// a global variable.
    pub scope_bytes: u64,
    /// The number of bytes of code in the scope at which the complete variable has a location.
    pub available_bytes: u64,
    /// The mistakes that a debugger may make with the variable.
    pub remarks: Vec<DebuggerMistake>,
    /// Whether the work budget was used up: ranges are then missing, and the numbers of bytes do
    /// not count them.
    pub cut: bool,
}

/// The location of a variable over a range of addresses.
#[derive(Debug, Clone, PartialEq)]
pub struct LocationRange {
    /// The range of code in which the variable has this location; `None` for a location that holds
    /// everywhere, as that of a global variable.
    pub code: Option<CodeRange>,
    /// The location of the variable in the range.
    pub location: VariableLocation,
}

impl VariableLocation {
    /// Whether the location gives the complete value of the variable.
    pub fn is_available(&self) -> bool {
        match self {
            Self::Register(held) | Self::RegisterOffset { register: held, .. } => held.is_complete(),
            Self::Unavailable(_) => false,
            Self::Memory(_) | Self::Frame(_) | Self::Constant(_) | Self::Words(_) => true,
        }
    }
}

/// What is being put together.
pub(super) struct Builder<'b> {
    variable: &'b Variable,
    scope: &'b Scope,
    pub(super) class: VariableAddressClass,
    found: LocationList,
}

impl Builder<'_> {
    fn push(&mut self, code: Option<CodeRange>, place: VariableLocation) {
        self.found.ranges.push(LocationRange { code, location: place });
    }

    /// A place that holds in the whole scope.
    fn same(&mut self, place: VariableLocation, budget: &mut WorkBudget) {
        let scope = self.scope;
        match scope.kind {
            ScopeKind::Unit | ScopeKind::Abstract => self.push(None, place),
            _ if scope.code.is_empty() => {
                let says_why = matches!(place, VariableLocation::Unavailable(_));
                let place = if says_why { place } else { VariableLocation::Unavailable(Unavailable::NoCode) };
                self.push(None, place);
            }
            _ => {
                for stretch in scope.code.iter().take_while(|_| budget.take(1)) {
                    self.push(Some(stretch.clone()), place.clone());
                }
            }
        }
    }

    /// Number of the variable's entry.
    pub(super) fn entry(&self) -> usize {
        self.variable.entry
    }

    pub(super) fn remark(&mut self, remark: DebuggerMistake) {
        if !self.found.remarks.contains(&remark) {
            self.found.remarks.push(remark);
        }
    }
}

impl Variables<'_> {
    /// Finds the locations of a variable over its scope.
    ///
    /// All calls together may do as much work as fits the size of the file: enough to ask for each
    /// variable once, however it is made by a compiler. After that answers are [cut
    /// short](LocationList::cut); a [clone](Clone::clone) made before has its own.
    pub fn location(&self, variable: &Variable) -> LocationList {
        self.budget.with(|budget| self.location_within(variable, budget))
    }

    fn location_within(&self, variable: &Variable, budget: &mut WorkBudget) -> LocationList {
        let Some(scope) = self.scope(variable.scope) else { return LocationList::nowhere() };
        let scope_bytes =
            if budget.take((scope.code.len() + 1) as u64) { code_ranges::bytes(&scope.code) } else { 0 };
        let found = LocationList { scope_bytes, ..LocationList::nowhere() };
        let mut builder = Builder { variable, scope, class: self.class(variable), found };
        self.fill(variable, &mut builder, budget);
        let Builder { mut found, .. } = builder;
        found.cut = budget.is_spent();
        found.ranges.sort_by_key(|range| range.code.as_ref().map(|code| (code.section, code.range.start)));
        found.available_bytes = available(&found.ranges, scope);
        found
    }

    fn fill(&self, variable: &Variable, builder: &mut Builder<'_>, budget: &mut WorkBudget) {
        let location = self.attribute(variable.entry, dw::DW_AT_location).map(|(_, value)| value);
        let constant = || self.attribute(variable.entry, dw::DW_AT_const_value).map(|(_, value)| value);
        let is_location = location.is_some();
        match location.or_else(constant) {
            Some(Value::Block(range)) if is_location => {
                let form = self.form_in_entries(&range, budget);
                self.everywhere(form, builder, budget);
            }
            Some(Value::Offset(SectionKind::DebugLoc, offset)) => {
                self.list(offset, variable, builder, budget);
            }
            // DW_FORM_data4 is a list, or a constant; DWARF 2 has no class to tell them apart but
            // the attribute's name.
            Some(Value::Unsigned(offset)) if is_location => {
                self.list(offset, variable, builder, budget);
            }
            Some(Value::Unsigned(value)) => {
                let constant = self.constant(variable, RawConstant::Number(value.into()), budget);
                builder.same(VariableLocation::Constant(constant), budget);
            }
            Some(Value::Signed(value)) => {
                let constant = self.constant(variable, RawConstant::Number(value.into()), budget);
                builder.same(VariableLocation::Constant(constant), budget);
            }
            Some(Value::Block(range)) => {
                let bytes = self.bytes(&range, budget).to_vec();
                let constant = self.constant(variable, RawConstant::Bytes(&bytes), budget);
                builder.same(VariableLocation::Constant(constant), budget);
            }
            Some(Value::String(Some(bytes))) if budget.take(bytes.len() as u64) => {
                let value = ConstantValue::Text(String::from_utf8_lossy(bytes).into_owned());
                builder.same(VariableLocation::Constant(Constant { value, bits: bytes.to_vec() }), budget);
            }
            Some(other) => {
                let words = format!("{other:?}");
                let words = if budget.take(words.len() as u64) { words } else { String::new() };
                builder.same(VariableLocation::Words(words), budget);
            }
            None => {
                let reason = self.without_location(variable, builder.scope);
                builder.same(VariableLocation::Unavailable(reason), budget);
            }
        }
    }

    fn without_location(&self, variable: &Variable, scope: &Scope) -> Unavailable {
        let is_abstract = || self.in_abstract.get(variable.scope) == Some(&true);
        if self.entry(variable.entry).is_some_and(|entry| entry.value(dw::DW_AT_declaration).is_some()) {
            Unavailable::Declaration
        } else if scope.code.is_empty() && is_abstract() {
            Unavailable::Abstract
        } else {
            Unavailable::NoLocation
        }
    }

    /// A constant in the variable's type.
    fn constant(&self, variable: &Variable, given: RawConstant<'_>, budget: &mut WorkBudget) -> Constant {
        let kind = self.attribute(variable.entry, dw::DW_AT_type);
        let kind = kind.and_then(|(entry, _)| self.entries.referenced_entry(entry, dw::DW_AT_type));
        let bit_size = self.unsigned(variable.entry, dw::DW_AT_bit_size);
        constant::read(self.entries, kind, bit_size, given, budget)
    }

    /// The bytes of a block of `.debug_info`.
    fn bytes(&self, range: &Range<u64>, budget: &mut WorkBudget) -> &[u8] {
        let range = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        let bytes = range.and_then(|(start, end)| self.entries.bytes().get(start..end)).unwrap_or_default();
        if budget.take(bytes.len() as u64) { bytes } else { &[] }
    }

    fn form_in_entries(&self, range: &Range<u64>, budget: &mut WorkBudget) -> LocationForm {
        let bytes = self.bytes(range, budget);
        let start = range.start;
        variable_location::form(bytes, start, self.entries.section(), &|address| self.address_words(address))
    }

    fn address_words(&self, address: Address) -> String {
        match address {
            Address::InSection { section, offset, .. } => {
                format!("{}+{offset:#x}", self.cubin.section_name(section))
            }
            Address::Undefined(symbol) => format!("{} (undefined)", self.cubin.symbol_name(symbol)),
            Address::Constant(number) => format!("{number:#x}"),
        }
    }

    /// An expression that holds in the whole scope. What is in static memory is there without it
    /// too.
    fn everywhere(&self, form: LocationForm, builder: &mut Builder<'_>, budget: &mut WorkBudget) {
        let scope = builder.scope;
        if let LocationForm::Register(register) | LocationForm::Based(register, ..) = &form
            && scope.code.is_empty()
        {
            let reason = match scope.kind {
                ScopeKind::Unit | ScopeKind::Abstract => Unavailable::NotInRegister(register.to_string()),
                _ => Unavailable::NoCode,
            };
            return builder.push(None, VariableLocation::Unavailable(reason));
        }
        match form {
            LocationForm::Register(_) | LocationForm::Based(..) => {
                for stretch in scope.code.iter() {
                    if !budget.take(1) {
                        return;
                    }
                    self.in_register(stretch, &form, builder, budget);
                }
            }
            LocationForm::Memory(address, offset) => {
                let place = self.memory(address, offset, builder);
                if scope.code.is_empty() {
                    builder.push(None, place);
                } else {
                    builder.same(place, budget);
                }
            }
            other => {
                let place = self.placed(other, builder, budget);
                builder.same(place, budget);
            }
        }
    }

    fn list(&self, offset: u64, variable: &Variable, builder: &mut Builder<'_>, budget: &mut WorkBudget) {
        let unit = self.entries.unit_of(variable.entry);
        let base = unit.and_then(|unit| self.entries.base_address(unit));
        let mut covered = Vec::new();
        // Where ranges may be that are open on one side, and whether there may be some anywhere.
        let (mut possible, mut anywhere) = (Vec::new(), false);
        for pair in self.locations.at(offset, base) {
            if !budget.take(1) {
                return;
            }
            let pair = match pair {
                Ok(Some(pair)) => pair,
                Ok(None) => continue,
                Err(error) => {
                    builder
                        .push(None, VariableLocation::Unavailable(Unavailable::BadList(error.to_string())));
                    anywhere = true;
                    break;
                }
            };
            let Some(stretch) = code_ranges::code_range(&self.code, pair.start, pair.end) else {
                let is_open = [pair.start, pair.end].contains(&Address::Constant(0));
                let reason = if is_open { Unavailable::OpenRange } else { Unavailable::BadRange };
                builder.push(None, VariableLocation::Unavailable(reason));
                let sides = code_ranges::possible(&self.code, pair.start, pair.end);
                anywhere |= sides.is_empty();
                possible.extend(sides);
                continue;
            };
            if stretch.range.start > stretch.range.end {
                builder.push(Some(stretch), VariableLocation::Unavailable(Unavailable::BadRange));
                continue;
            }
            if stretch.range.is_empty() {
                continue;
            }
            let form = self.form_in_list(pair.expression.unwrap_or_default(), budget);
            covered.push(stretch.clone());
            match form {
                LocationForm::Register(_) | LocationForm::Based(..) => {
                    self.in_register(&stretch, &form, builder, budget);
                }
                other => {
                    let place = self.placed(other, builder, budget);
                    builder.push(Some(stretch), place);
                }
            }
        }
        let (covered, possible) = (code_ranges::joined(covered), code_ranges::joined(possible));
        if budget.take((covered.len() + possible.len() + builder.scope.code.len()) as u64) {
            let gaps = code_ranges::without(&builder.scope.code, &covered);
            let left_out = if anywhere { Vec::new() } else { code_ranges::without(&gaps, &possible) };
            for gap in code_ranges::without(&gaps, &left_out) {
                builder.push(Some(gap), VariableLocation::Unavailable(Unavailable::Unknown));
            }
            for gap in left_out {
                builder.push(Some(gap), VariableLocation::Unavailable(Unavailable::Gap));
            }
        }
    }

    fn form_in_list(&self, expression: ExpressionBytes, budget: &mut WorkBudget) -> LocationForm {
        let ExpressionBytes { start, length } = expression;
        let section = self.locations.section();
        let range = usize::try_from(start).ok().zip(usize::try_from(start.saturating_add(length)).ok());
        let bytes = section.zip(range).and_then(|(section, (start, end))| section.bytes.get(start..end));
        let bytes = bytes.filter(|bytes| budget.take(bytes.len() as u64)).unwrap_or_default();
        variable_location::form(bytes, start, section, &|address| self.address_words(address))
    }

    /// The places of a register over a range.
    fn in_register(
        &self,
        stretch: &CodeRange,
        form: &LocationForm,
        builder: &mut Builder<'_>,
        budget: &mut WorkBudget,
    ) {
        let (register, based) = match form {
            LocationForm::Register(register) => (register, None),
            LocationForm::Based(register, offset, value) => (register, Some((*offset, *value))),
            _ => return,
        };
        let is_memory = |class| !matches!(class, AddressClass::Register | AddressClass::UniformRegister);
        let is_stated = builder.class.stated.is_some_and(|stated| stated != 0);
        if based.is_none() && is_stated && builder.class.taken.is_none_or(is_memory) {
            builder.remark(DebuggerMistake::RegisterOfOtherClass);
        }
        let target = self.cubin.target();
        let placed = |held: SassAllocation| {
            if let Some(word) = held.words.iter().find(|word| !word.register.exists_on(target)) {
                return VariableLocation::Unavailable(Unavailable::UnknownRegister(
                    word.register.to_string(),
                ));
            }
            match based {
                None => VariableLocation::Register(held),
                Some((offset, value)) => VariableLocation::RegisterOffset { register: held, offset, value },
            }
        };
        let ptx = match register {
            DwarfRegister::Ptx(name) => name,
            DwarfRegister::Sass(register) => {
                let held = SassAllocation { ptx: String::new(), r#type: None, words: vec![word(*register)] };
                return builder.push(Some(stretch.clone()), placed(held));
            }
            DwarfRegister::Number(_) | DwarfRegister::Wide(_) => {
                let reason = Unavailable::UnknownRegister(register.to_string());
                return builder.push(Some(stretch.clone()), VariableLocation::Unavailable(reason));
            }
        };
        if !self.registers.is_there() {
            let reason = Unavailable::NoRegisterMap(ptx.clone());
            return builder.push(Some(stretch.clone()), VariableLocation::Unavailable(reason));
        }
        for (range, held) in self.registers.held(stretch.section, &stretch.range, ptx, budget) {
            let nowhere = || VariableLocation::Unavailable(Unavailable::NotInRegister(ptx.clone()));
            let place = held.map_or_else(nowhere, placed);
            builder.push(Some(CodeRange { section: stretch.section, range }), place);
        }
    }

    /// The place of an expression that needs no register.
    fn placed(
        &self,
        form: LocationForm,
        builder: &mut Builder<'_>,
        budget: &mut WorkBudget,
    ) -> VariableLocation {
        match form {
            LocationForm::Empty => VariableLocation::Unavailable(Unavailable::Empty),
            LocationForm::Memory(address, offset) => self.memory(address, offset, builder),
            LocationForm::Frame(offset) => {
                let frame = self.frame(builder.scope, offset, budget);
                Self::compare_frame(&frame, builder);
                VariableLocation::Frame(frame)
            }
            LocationForm::Constant(given) => VariableLocation::Constant(self.constant(
                builder.variable,
                RawConstant::Number(given),
                budget,
            )),
            LocationForm::Bytes(bytes) => VariableLocation::Constant(self.constant(
                builder.variable,
                RawConstant::Bytes(&bytes),
                budget,
            )),
            LocationForm::CallFrame => VariableLocation::Words("DW_OP_call_frame_cfa".to_owned()),
            LocationForm::Register(register) | LocationForm::Based(register, ..) => {
                VariableLocation::Words(register.to_string())
            }
            LocationForm::Words(words) => VariableLocation::Words(words),
        }
    }

    pub(super) fn offset_in(&self, symbol: SymbolIndex, section: SectionIndex, offset: u64) -> u64 {
        let value = self.cubin.symbols().get(symbol.as_usize()).map_or(0, |symbol| symbol.value);
        let address = self.cubin.sections.get(section.as_usize()).map_or(0, |section| section.address);
        offset.wrapping_sub(value.wrapping_sub(address))
    }

    /// The variable that has a byte of a section.
    pub(super) fn object_at(&self, section: SectionIndex, offset: u64) -> Option<(SymbolIndex, u64)> {
        let after = self.objects.partition_point(|(own, start, _)| (*own, *start) <= (section, offset));
        let (own, start, symbol) = self.objects.get(after.checked_sub(1)?)?;
        (*own == section).then(|| (*symbol, offset - start))
    }

    /// A frame offset, with what the function around the scope says of its frame.
    fn frame(&self, scope: &Scope, offset: i64, budget: &mut WorkBudget) -> FrameOffset {
        let mut function = Some(scope);
        while let Some(scope) = function.filter(|scope| scope.kind != ScopeKind::Function && budget.take(1)) {
            function = scope.parent.and_then(|parent| self.scope(parent));
        }
        let function = function.filter(|scope| scope.kind == ScopeKind::Function);
        let base = function.and_then(|scope| self.attribute(scope.entry, dw::DW_AT_frame_base));
        let base = match base.map(|(_, value)| value) {
            Some(Value::Block(range)) => match self.form_in_entries(&range, budget) {
                LocationForm::CallFrame => FrameBase::CallFrame,
                LocationForm::Register(register) | LocationForm::Based(register, 0, _) => {
                    FrameBase::Register(register)
                }
                LocationForm::Words(words) => FrameBase::Words(words),
                other => FrameBase::Words(format!("{other:?}")),
            },
            Some(other) => FrameBase::Words(format!("{other:?}")),
            None => FrameBase::Missing,
        };
        let start =
            function.and_then(|scope| scope.code.first()).map(|code| (code.section, code.range.start));
        let size = start.and_then(|start| self.frames.get(&start)).and_then(|size| i64::try_from(*size).ok());
        let size = size.filter(|_| base == FrameBase::CallFrame);
        FrameOffset { offset, base, from_stack_pointer: size.and_then(|size| size.checked_add(offset)) }
    }
}

impl LocationList {
    fn nowhere() -> Self {
        Self { ranges: Vec::new(), scope_bytes: 0, available_bytes: 0, remarks: Vec::new(), cut: false }
    }
}

fn word(register: SassRegister) -> RegisterPart {
    RegisterPart { part: 0, register }
}

/// Bytes of the scope in which the variable is somewhere.
fn available(ranges: &[LocationRange], scope: &Scope) -> u64 {
    let somewhere = ranges.iter().filter(|range| range.location.is_available());
    let somewhere = code_ranges::joined(somewhere.filter_map(|range| range.code.clone()).collect());
    code_ranges::common_bytes(&scope.code, &somewhere)
}

/// The frame sizes that `.debug_frame` has, by where functions start.
pub(super) fn frame_sizes(cubin: &Cubin<'_>, code: &Code<'_>) -> Result<HashMap<(SectionIndex, u64), u64>> {
    let Some(index) = cubin.section_by_name(frame::NAME) else { return Ok(HashMap::new()) };
    let section: RelocatedSection<'_> = RelocatedCubin::new(cubin).section(index)?;
    let entries = frame::decode(&section.bytes, &frame::field_symbols(&section))?;
    let fdes = entries.iter().filter_map(|entry| match entry {
        FrameEntry::Fde(fde) => Some(fde),
        FrameEntry::Cie(_) => None,
    });
    let start = |address: dwarf2_writer::Address| match address {
        dwarf2_writer::Address::Constant(number) => code.at_address(number),
        dwarf2_writer::Address::Symbol { symbol, addend } => {
            let symbol = cubin.symbols().get(usize::try_from(symbol.0).ok()?)?;
            let section = symbol.section()?;
            let address = cubin.sections.get(section.as_usize())?.address;
            Some((section, symbol.value.wrapping_sub(address).wrapping_add_signed(addend)))
        }
    };
    Ok(fdes.filter_map(|fde| Some((start(fde.initial_location)?, frame::frame_size(fde)))).collect())
}

/// The symbols of variables by section and byte offset.
pub(super) fn objects(cubin: &Cubin<'_>) -> Vec<(SectionIndex, u64, SymbolIndex)> {
    let is_object = |kind: u8| kind == STT_OBJECT || kind == Symbol::CUDA_OBJECT;
    let symbols = (0..).map(SymbolIndex).zip(cubin.symbols());
    let objects = symbols.filter(|(_, symbol)| is_object(symbol.kind()));
    let mut objects: Vec<_> = objects
        .filter_map(|(index, symbol)| {
            let section = symbol.section()?;
            let address = cubin.sections.get(section.as_usize())?.address;
            Some((section, symbol.value.wrapping_sub(address), index))
        })
        .collect();
    objects.sort_unstable();
    objects
}
