//! Answers as values: what the text and the JSON document are written from. Variables are looked up while they are written.

use super::words;
use crate::commands::read::{demangle, demangle_type};
use crate::limits::{MAX_SCOPE_CHAIN, SHARED_PATHS};
use cubin_debuginfo::names::Name;
use cubin_debuginfo::query::CodeAddress;
use cubin_debuginfo::variables::{Fault, LocationRange, Scope, ScopeKind, SourceLine, Variable, Variables};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::cubin::{Cubin, SymbolIndex};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

/// Which variables to show.
#[derive(Debug)]
pub(super) struct Wanted<'o> {
    /// By name; all where there is none.
    pub(super) names: &'o [String],
    /// Of these functions, by their symbols.
    pub(super) functions: Option<HashSet<SymbolIndex>>,
    /// In scope at these addresses; everywhere where there is none.
    pub(super) addresses: Vec<CodeAddress>,
}

/// The scopes and variables that are wanted.
#[derive(Debug, Serialize)]
pub(super) struct Listing<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Vec<Address<'a>>>,
    scopes: Scopes<'a>,
    variables: Shown<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultRow<'a>>,
}

/// A section that cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct FaultRow<'a> {
    section: &'a str,
    offset: u64,
    /// What is wrong, with section and offset.
    pub(super) error: String,
    /// What answers lack.
    pub(super) missing: &'static str,
}

/// An address of `--at`.
#[derive(Debug, Serialize)]
pub(super) struct Address<'a> {
    pub(super) section: &'a str,
    pub(super) section_index: u32,
    pub(super) offset: u64,
    pub(super) function: Option<Name>,
    pub(super) function_offset: u64,
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
struct Shown<'a> {
    cubin: &'a Cubin<'a>,
    variables: &'a Variables<'a>,
    wanted: &'a Wanted<'a>,
    /// By scope, in the order in which they are shown.
    groups: Vec<(usize, Range<usize>)>,
    /// Indices of the groups' variables.
    order: Vec<u32>,
    paths: Rc<SharedPaths>,
}

/// How much of paths may still be shown: many entries may be of one file, whose path is as long as the cubin.
#[derive(Debug)]
struct SharedPaths(RefCell<WorkBudget>);

impl SharedPaths {
    fn line<'a>(&self, line: SourceLine<'a>) -> Line<'a> {
        let file = line.file.filter(|file| self.0.borrow_mut().take(file.len() as u64));
        Line { file, line: line.line }
    }
}

/// A scope.
#[derive(Debug, Serialize)]
pub(super) struct ScopeRow<'a> {
    pub(super) id: usize,
    pub(super) kind: &'static str,
    /// The scope around it.
    pub(super) parent: Option<usize>,
    /// Byte offset of its entry in `.debug_info`.
    pub(super) entry: u64,
    /// The function; of a unit the source file.
    pub(super) name: Option<Name>,
    /// Of an inlined call: where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call_site: Option<Line<'a>>,
    pub(super) code: Vec<Code<'a>>,
}

/// A line of the source.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Line<'a> {
    pub(super) file: Option<&'a str>,
    pub(super) line: u64,
}

/// A stretch of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Code<'a> {
    pub(super) section: &'a str,
    pub(super) section_index: u32,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// A variable.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    pub(super) scope: usize,
    /// `variable` or `parameter`.
    pub(super) kind: &'static str,
    pub(super) name: Option<String>,
    /// Where the name is mangled, as nvcc has it of variables in namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) demangled: Option<String>,
    #[serde(rename = "type")]
    pub(super) type_name: String,
    /// Where a name in it is mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) demangled_type: Option<String>,
    pub(super) declared: Option<Line<'a>>,
    /// Byte offset of its entry in `.debug_info`.
    pub(super) entry: u64,
    pub(super) class: Option<u64>,
    /// Of the class that it is taken for.
    pub(super) class_name: Option<&'static str>,
    pub(super) scope_bytes: u64,
    pub(super) available_bytes: u64,
    pub(super) remarks: Vec<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) cut: bool,
    pub(super) places: Vec<PlaceRow<'a>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A place over a stretch of code.
#[derive(Debug, Serialize)]
pub(super) struct PlaceRow<'a> {
    /// `None` for a place that holds everywhere.
    pub(super) code: Option<Code<'a>>,
    #[serde(flatten)]
    pub(super) place: words::Words<'a>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(cubin: &'a Cubin<'a>, variables: &'a Variables<'a>, wanted: &'a Wanted<'a>) -> Self {
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
        // Scopes are in the order of the entries, outer ones first; an address is asked from the inside.
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
            Address {
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
        Self { at, scopes, variables: Shown { cubin, variables, wanted, groups, order, paths }, faults }
    }

    /// What could not be read.
    pub(super) fn faults(&self) -> &[FaultRow<'a>] {
        &self.faults
    }

    /// Whether ranges were left out of what has been written.
    pub(super) fn is_cut(&self) -> bool {
        self.variables.variables.is_cut() || self.variables.paths.0.borrow().is_spent()
    }

    pub(super) fn addresses(&self) -> &[Address<'a>] {
        self.at.as_deref().unwrap_or_default()
    }

    /// The scopes that have variables, with them.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Vec<ScopeRow<'a>>, impl Iterator<Item = Row<'a>>)> {
        let shown = &self.variables;
        shown.groups.iter().map(move |(scope, group)| {
            let chain = self.scopes.chain(*scope);
            (chain, shown.of_group(group).map(move |variable| shown.row(variable)))
        })
    }
}

impl<'a> FaultRow<'a> {
    fn new(fault: &'a Fault) -> Self {
        let Fault { error, missing } = fault;
        let (section, offset) = (error.section(), error.offset());
        Self { section, offset, error: error.to_string(), missing: missing.words() }
    }
}

impl Wanted<'_> {
    /// Whether each scope's variables are wanted.
    fn scopes(&self, variables: &Variables<'_>) -> Vec<bool> {
        let of_unit = |scope: &Scope| scope.kind == ScopeKind::Unit;
        if self.addresses.is_empty() {
            let is_wanted = |scope: &Scope| match &self.functions {
                Some(symbols) => variables.function(scope).is_some_and(|own| symbols.contains(&own.symbol)),
                None => true,
            };
            return variables.scopes().iter().map(is_wanted).collect();
        }
        let has = |scope: &Scope, at: &CodeAddress| {
            scope.code.iter().any(|own| own.section == at.section && own.range.contains(&at.offset))
        };
        let mut wanted: Vec<bool> =
            variables.scopes().iter().map(|scope| self.addresses.iter().any(|at| has(scope, at))).collect();
        // The file's own: of the units that have one of the functions.
        for index in 0..wanted.len() {
            if let (Some(true), Some(scope)) = (wanted.get(index), variables.scopes().get(index))
                && scope.kind == ScopeKind::Function
                && let Some(unit) = scope.parent
                && variables.scopes().get(unit).is_some_and(of_unit)
                && let Some(unit) = wanted.get_mut(unit)
            {
                *unit = true;
            }
        }
        wanted
    }

    fn has_name(&self, variables: &Variables<'_>, variable: &Variable) -> bool {
        self.names.is_empty()
            || variables.name(variable).is_some_and(|own| self.names.iter().any(|name| is_called(&own, name)))
    }

    /// Whether a range is to be shown.
    fn has_range(&self, range: &LocationRange) -> bool {
        let Some(code) = &range.code else { return true };
        let has = |at: &CodeAddress| at.section == code.section && code.range.contains(&at.offset);
        self.addresses.is_empty() || self.addresses.iter().any(has)
    }
}

/// Whether a variable is meant by a name: its own, as its programmer wrote it, or the last part of that.
pub(super) fn is_called(own: &str, name: &str) -> bool {
    own == name
        || demangle(own).is_some_and(|whole| {
            whole == name || whole.strip_suffix(name).is_some_and(|scopes| scopes.ends_with("::"))
        })
}

impl<'a> Scopes<'a> {
    fn row(&self, id: usize) -> Option<ScopeRow<'a>> {
        let scope = self.variables.scopes().get(id)?;
        let kind = match scope.kind {
            ScopeKind::Unit => "unit",
            ScopeKind::Function => "function",
            ScopeKind::Abstract => "abstract",
            ScopeKind::Inlined => "inlined",
            ScopeKind::Block => "block",
        };
        let entry =
            self.variables.entries().get(scope.entry).map_or(0, cubin_debuginfo::entries::Entry::offset);
        let call_site = self.variables.call_site(scope).filter(|_| scope.kind == ScopeKind::Inlined);
        let call_site = call_site.map(|line| self.paths.line(line));
        let last_chain = self.last_chain.borrow();
        let name = match last_chain.iter().find(|(known, _)| *known == id) {
            Some((_, name)) => name.clone(),
            None => self.variables.scope_name(scope).map(|name| Name::new(name.into_owned())),
        };
        let code = scope.code.iter().map(|stretch| code(self.cubin, stretch)).collect();
        Some(ScopeRow { id, kind, parent: scope.parent, entry, name, call_site, code })
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

impl<'a> Shown<'a> {
    fn of_group(&self, group: &Range<usize>) -> impl Iterator<Item = &'a Variable> {
        let all = self.variables.all();
        let indices = self.order.get(group.clone()).unwrap_or_default();
        indices.iter().filter_map(move |index| all.get(*index as usize))
    }

    fn row(&self, variable: &Variable) -> Row<'a> {
        let variables = self.variables;
        let location = variables.location(variable);
        let class = variables.class(variable);
        let wanted = location.ranges.iter().filter(|range| self.wanted.has_range(range));
        let places = wanted.map(|range| PlaceRow {
            code: range.code.as_ref().map(|stretch| code(self.cubin, stretch)),
            place: words::Words::new(self.cubin, &range.place),
        });
        let name = variables.name(variable).map(std::borrow::Cow::into_owned);
        let type_name = variables.type_name(variable);
        Row {
            scope: variable.scope,
            kind: if variable.parameter { "parameter" } else { "variable" },
            demangled: name.as_deref().and_then(demangle),
            name,
            demangled_type: demangle_type(&type_name),
            type_name,
            declared: variables.declared(variable).map(|line| self.paths.line(line)),
            entry: variables.entries().get(variable.entry).map_or(0, cubin_debuginfo::entries::Entry::offset),
            class: class.stated,
            class_name: class.taken.map(nv_debug_sections::address_class::AddressClass::name),
            scope_bytes: location.scope_bytes,
            available_bytes: location.available_bytes,
            remarks: location.remarks.iter().map(|remark| remark.words()).collect(),
            cut: location.cut,
            places: places.collect(),
        }
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.groups.iter().flat_map(|(_, group)| self.of_group(group));
        serializer.collect_seq(all.map(|variable| self.row(variable)))
    }
}

impl Row<'_> {
    /// Whether all there is to say is that it is of a function's source.
    pub(super) fn is_abstract(&self) -> bool {
        !self.places.is_empty() && self.places.iter().all(|row| row.place.is_abstract)
    }

    /// Whether it is nowhere in its scope.
    pub(super) fn is_nowhere(&self) -> bool {
        self.places.iter().all(|row| matches!(row.place.kind, words::NOWHERE))
    }
}

fn code<'a>(cubin: &'a Cubin<'_>, stretch: &cubin_debuginfo::variables::CodeRange) -> Code<'a> {
    Code {
        section: cubin.section_name(stretch.section),
        section_index: stretch.section.0,
        start: stretch.range.start,
        end: stretch.range.end,
    }
}
