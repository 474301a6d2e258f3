//! The variables of a cubin by scope, as an answer for people and, with serde, for programs. They
//! are looked up while the answer is written.

use super::location_answer::LocationAnswer;
pub use super::variable_filter::VariableFilter;
use super::variable_filter::is_called;
use super::{CodeRange, ScopeKind, SourcePosition, UnreadableSection, Variable, Variables};
use crate::address_query::CodeAddress;
use crate::entries::Entry;
use crate::limits::{MAX_SCOPE_CHAIN, SHARED_PATHS};
use crate::names::{Name, demangle, demangle_type};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::cubin::Cubin;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

/// The selected scopes and variables of a cubin, as a serializable listing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariableListing<'a> {
    /// The addresses that were asked for. Absent where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Vec<AddressRow<'a>>>,
    /// The scopes that have the variables, and those around them.
    scopes: Scopes<'a>,
    /// One for each entry: a variable of an inlined function comes once for each call.
    variables: ShownVariables<'a>,
    /// Sections that cannot be read, without which there are answers all the same. Absent where
    /// there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultRow<'a>>,
}

/// A section that cannot be read, in a listing of variables.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnreadableSection")]
pub struct FaultRow<'a> {
    /// The name of the section.
    pub section: &'a str,
    /// Byte offset of the fault in the section.
    pub offset: u64,
    /// The fault in words, with section and offset.
    pub error: String,
    /// The facts that are missing in the results; `offsets from R1` are those of variables in stack
    /// frames.
    #[schemars(extend("enum" = ["source files", "offsets from R1", "SASS registers"]))]
    pub missing: &'static str,
}

/// A code address that the user asked for, in a listing of variables.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Address")]
pub struct AddressRow<'a> {
    /// The name of the code section that contains the address.
    pub section: &'a str,
    /// The index of the code section in the section table.
    pub section_index: u32,
    /// Byte offset of the address in the code section.
    pub offset: u64,
    /// The function that contains the address; `None` where no symbol covers it.
    pub function: Option<Name>,
    /// Byte offset of the address in the function.
    pub function_offset: u64,
}

#[derive(Debug)]
struct Scopes<'a> {
    cubin: &'a Cubin<'a>,
    variables: &'a Variables<'a>,
    /// Ascending.
    indices: Vec<usize>,
    paths: Rc<SharedPaths>,
    /// The last chain that was asked for, whose outer scopes the next one often has too.
    last_chain: RefCell<Vec<(usize, Option<Name>)>>,
}

#[derive(Debug)]
struct ShownVariables<'a> {
    cubin: &'a Cubin<'a>,
    variables: &'a Variables<'a>,
    wanted: &'a VariableFilter<'a>,
    /// By scope, in the order in which they are shown.
    groups: Vec<(usize, Range<usize>)>,
    /// Indices of the groups' variables.
    order: Vec<u32>,
    paths: Rc<SharedPaths>,
}

/// How much of paths may still be shown: many entries may be of one file, whose path is as long as
/// the cubin.
#[derive(Debug)]
struct SharedPaths(RefCell<WorkBudget>);

impl SharedPaths {
    fn line<'a>(&self, line: SourcePosition<'a>) -> SourcePosition<'a> {
        let file = line.file.filter(|file| self.0.borrow_mut().take(file.len() as u64));
        SourcePosition { file, ..line }
    }
}

/// A scope of variables, in a listing of variables.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Scope")]
pub struct ScopeRow<'a> {
    /// The number of the scope, by which variables and other scopes refer to it.
    pub id: usize,
    /// Whether the scope is a unit, a function, an inlined call or a block.
    pub kind: ScopeKind,
    /// The `id` of the scope that encloses this one; `None` for a unit.
    pub parent: Option<usize>,
    /// Byte offset in `.debug_info` of the scope's entry.
    pub entry: u64,
    /// The name of the scope's function, or of a unit's source file. `None` where there is none.
    pub name: Option<Name>,
    /// The source line at which an inlined call is called. Absent for other scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_site: Option<SourcePosition<'a>>,
    /// The code ranges of the scope, ascending.
    pub code: Vec<CodeRow<'a>>,
}

/// A range of code in a section, in a listing of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CodeRange")]
pub struct CodeRow<'a> {
    /// The name of the code section that contains the range.
    pub section: &'a str,
    /// The index of the code section in the section table.
    pub section_index: u32,
    /// Byte offset in the code section of the first instruction of the range.
    pub start: u64,
    /// Byte offset in the code section after the last instruction of the range.
    pub end: u64,
}

/// A variable, in a listing of variables.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Variable")]
pub struct VariableRow<'a> {
    /// The `id` of the scope that the variable is in.
    pub scope: usize,
    /// Whether the variable is a parameter.
    #[schemars(extend("enum" = ["parameter", "variable"]))]
    pub kind: &'static str,
    /// The name of the variable as its entry has it; `None` where it has none.
    pub name: Option<String>,
    /// The name of the variable as its programmer wrote it. Absent where the name is not mangled;
    /// nvcc mangles those of variables in namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demangled: Option<String>,
    /// The type of the variable as C spells it, such as `float const *`, `int[4]` and `int S::*`;
    /// `float shared *` for a pointer whose address class is not the generic one. At most about
    /// 1024 bytes.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The type of the variable with demangled names. Absent where none is mangled; nvcc mangles
    /// those of types in namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demangled_type: Option<String>,
    /// The source line of the variable's declaration; `None` where its entry does not say.
    pub declared: Option<SourcePosition<'a>>,
    /// Byte offset in `.debug_info` of the variable's entry.
    pub entry: u64,
    /// The value of `DW_AT_address_class`; `None` where the variable's entry has none.
    pub class: Option<u64>,
    /// The name of the address class that CUDA-GDB uses for the variable: that of global memory
    /// where its entry has none; `None` for a value without a name.
    pub class_name: Option<&'static str>,
    /// The number of bytes of code in the variable's scope.
    pub scope_bytes: u64,
    /// The number of bytes of code in the scope at which the complete variable has a location.
    pub available_bytes: u64,
    /// The mistakes that a debugger may make with the variable, in words.
    pub remarks: Vec<&'static str>,
    /// `true` where ranges of locations are left out, because a hostile file could have more than
    /// anybody could read. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The locations of the variable, by ascending start. Those of a location list may overlap and
    /// go beyond the scope. With `--at` only those at the address.
    pub places: Vec<LocationRow<'a>>,
}

/// The location of a variable over a range of code, in a listing of variables.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VariablePlace")]
pub struct LocationRow<'a> {
    /// The range of code in which the variable has this location; `None` for a location that holds
    /// everywhere.
    pub code: Option<CodeRow<'a>>,
    /// The location of the variable in the range.
    #[serde(flatten)]
    pub place: LocationAnswer<'a>,
}

impl<'a> VariableListing<'a> {
    /// Finds the selected scopes and variables of a cubin.
    pub fn new(cubin: &'a Cubin<'a>, variables: &'a Variables<'a>, wanted: &'a VariableFilter<'a>) -> Self {
        let scopes = wanted.scopes(variables);
        let all = variables.all();
        let is_shown = |variable: &Variable| {
            scopes.get(variable.scope) == Some(&true) && wanted.has_name(variables, variable)
        };
        let scope = |index: &u32| all.get(*index as usize).map_or(0, |variable| variable.scope);
        let mut order: Vec<u32> =
            (0..).zip(all).filter(|(_, variable)| is_shown(variable)).map(|(index, _)| index).collect();
        order.sort_by_key(scope);
        let mut groups: Vec<(usize, Range<usize>)> = Vec::new();
        for group in order.chunk_by(|a, b| scope(a) == scope(b)) {
            let start = groups.last().map_or(0, |(_, range)| range.end);
            groups.extend(group.first().map(|first| (scope(first), start..start + group.len())));
        }
        // Scopes are in the order of the entries, outer ones first; an address is asked from the
        // inside.
        if !wanted.addresses.is_empty() {
            groups.reverse();
        }
        let mut indices = HashSet::new();
        for (scope, _) in &groups {
            let mut index = Some(*scope);
            while let Some(at) = index.filter(|at| indices.insert(*at)) {
                index = variables.scopes().get(at).and_then(|scope| scope.parent);
            }
        }
        let mut indices: Vec<_> = indices.into_iter().collect();
        indices.sort_unstable();
        let address = |at: &CodeAddress| {
            let function = variables.code().function_at(at.section, at.offset);
            AddressRow {
                section: cubin.section_name(at.section),
                section_index: at.section.0,
                offset: at.offset,
                function: function.map(|function| Name::new(function.name.to_owned())),
                function_offset: function.map_or(0, |function| at.offset.saturating_sub(function.offset)),
            }
        };
        let at = (!wanted.addresses.is_empty()).then(|| wanted.addresses.iter().map(address).collect());
        let size = variables.entries().bytes().len() as u64;
        let paths = Rc::new(SharedPaths(RefCell::new(WorkBudget::of_input(size, SHARED_PATHS))));
        let last_chain = RefCell::default();
        let scopes = Scopes { cubin, variables, indices, paths: Rc::clone(&paths), last_chain };
        let faults = variables.faults().iter().map(FaultRow::new).collect();
        Self {
            at,
            scopes,
            variables: ShownVariables { cubin, variables, wanted, groups, order, paths },
            faults,
        }
    }

    /// The sections that could not be read, and the facts that are missing because of that.
    pub fn faults(&self) -> &[FaultRow<'a>] {
        &self.faults
    }

    /// Whether the part of the listing that has been written so far leaves out ranges of locations.
    pub fn is_truncated(&self) -> bool {
        self.variables.variables.is_truncated() || self.variables.paths.0.borrow().is_spent()
    }

    /// The code addresses that the user asked for.
    pub fn addresses(&self) -> &[AddressRow<'a>] {
        self.at.as_deref().unwrap_or_default()
    }

    /// Iterates over the scopes that have variables. Each item has the scope and those that enclose
    /// it, innermost first, and the variables.
    pub fn groups(&self) -> impl Iterator<Item = (Vec<ScopeRow<'a>>, impl Iterator<Item = VariableRow<'a>>)> {
        let shown = &self.variables;
        shown.groups.iter().map(move |(scope, group)| {
            let chain = self.scopes.chain(*scope);
            (chain, shown.of_group(group).map(move |variable| shown.row(variable)))
        })
    }
}

impl<'a> FaultRow<'a> {
    fn new(fault: &'a UnreadableSection) -> Self {
        let UnreadableSection { error, missing } = fault;
        let (section, offset) = (error.section(), error.offset());
        Self { section, offset, error: error.to_string(), missing: missing.words() }
    }
}

impl Variables<'_> {
    /// Whether a variable has this name: the name in its entry, the demangled name, or the last
    /// part of that.
    pub fn has_named(&self, name: &str) -> bool {
        self.all().iter().any(|variable| self.name(variable).is_some_and(|own| is_called(&own, name)))
    }
}

impl<'a> Scopes<'a> {
    fn row(&self, id: usize) -> Option<ScopeRow<'a>> {
        let scope = self.variables.scopes().get(id)?;
        let entry = self.variables.entries().get(scope.entry).map_or(0, Entry::offset);
        let call_site = self.variables.call_site(scope).filter(|_| scope.kind == ScopeKind::Inlined);
        let call_site = call_site.map(|line| self.paths.line(line));
        let last_chain = self.last_chain.borrow();
        let name = match last_chain.iter().find(|(known, _)| *known == id) {
            Some((_, name)) => name.clone(),
            None => self.variables.scope_name(scope).map(|name| Name::new(name.into_owned())),
        };
        let code = scope.code.iter().map(|stretch| code(self.cubin, stretch)).collect();
        Some(ScopeRow { id, kind: scope.kind, parent: scope.parent, entry, name, call_site, code })
    }

    /// A scope and those around it, the innermost first.
    fn chain(&self, id: usize) -> Vec<ScopeRow<'a>> {
        let first = self.row(id);
        let chain = std::iter::successors(first, |row| self.row(row.parent?)).take(MAX_SCOPE_CHAIN);
        let chain: Vec<ScopeRow<'a>> = chain.collect();
        *self.last_chain.borrow_mut() = chain.iter().map(|row| (row.id, row.name.clone())).collect();
        chain
    }
}

impl Serialize for Scopes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.indices.iter().filter_map(|id| self.row(*id)))
    }
}

impl JsonSchema for Scopes<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<ScopeRow<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<ScopeRow<'_>>::json_schema(generator)
    }
}

impl<'a> ShownVariables<'a> {
    fn of_group(&self, group: &Range<usize>) -> impl Iterator<Item = &'a Variable> {
        let all = self.variables.all();
        let indices = self.order.get(group.clone()).unwrap_or_default();
        indices.iter().filter_map(move |index| all.get(*index as usize))
    }

    fn row(&self, variable: &Variable) -> VariableRow<'a> {
        let variables = self.variables;
        let location = variables.location(variable);
        let class = variables.class(variable);
        let wanted = location.ranges.iter().filter(|range| self.wanted.has_range(range));
        let places = wanted.map(|range| LocationRow {
            code: range.code.as_ref().map(|stretch| code(self.cubin, stretch)),
            place: LocationAnswer::new(self.cubin, &range.location),
        });
        let name = variables.name(variable).map(Cow::into_owned);
        let type_name = variables.type_name(variable);
        VariableRow {
            scope: variable.scope,
            kind: if variable.parameter { "parameter" } else { "variable" },
            demangled: name.as_deref().and_then(demangle),
            name,
            demangled_type: demangle_type(&type_name),
            type_name,
            declared: variables.declared(variable).map(|line| self.paths.line(line)),
            entry: variables.entries().get(variable.entry).map_or(0, Entry::offset),
            class: class.stated,
            class_name: class.taken.map(AddressClass::name),
            scope_bytes: location.scope_bytes,
            available_bytes: location.available_bytes,
            remarks: location.remarks.iter().map(|remark| remark.words()).collect(),
            cut: location.cut,
            places: places.collect(),
        }
    }
}

impl Serialize for ShownVariables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.groups.iter().flat_map(|(_, group)| self.of_group(group));
        serializer.collect_seq(all.map(|variable| self.row(variable)))
    }
}

impl JsonSchema for ShownVariables<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<VariableRow<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<VariableRow<'_>>::json_schema(generator)
    }
}

impl VariableRow<'_> {
    /// Whether the variable has no location because its function is abstract (`DW_AT_inline`).
    pub fn is_abstract(&self) -> bool {
        !self.places.is_empty() && self.places.iter().all(|row| row.place.is_abstract)
    }

    /// Whether the variable has no location anywhere in its scope.
    pub fn is_nowhere(&self) -> bool {
        self.places.iter().all(|row| row.place.is_nowhere())
    }
}

pub(super) fn code<'a>(cubin: &'a Cubin<'_>, stretch: &CodeRange) -> CodeRow<'a> {
    CodeRow {
        section: cubin.section_name(stretch.section),
        section_index: stretch.section.0,
        start: stretch.range.start,
        end: stretch.range.end,
    }
}
