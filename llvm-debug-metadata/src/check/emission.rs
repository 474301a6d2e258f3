//! Checks what gets lost without a word: by units, subprograms and functions.

use super::debug_attachment::is_debug;
use super::inlined::inlined_subprograms;
use super::rules::RuleId;
use super::sink::Sink;
use super::subprogram::is_definition;
use super::versions::{DEBUG_INFO_VERSION, debug_info_flag};
use crate::attachments::header_attachments;
use crate::modes::{EmissionKind, has_names_table};
use crate::module::{FunctionItem, Module, NodeId};
use crate::statement::{StatementKind, Statements};
use crate::value::Value;
use crate::{IrDialect, Node, NodeKind, TextRange};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What the functions of a unit have.
#[derive(Debug, Default, Clone, Copy)]
struct UnitUse {
    functions: usize,
    locations: usize,
}

/// Checks what gets lost without a word.
pub(super) fn check(module: &Module<'_>, dialect: IrDialect, sink: &mut Sink) {
    let mut emission = Emission {
        module,
        uses: HashMap::new(),
        has_subprograms: false,
        subprograms: HashMap::new(),
        called: HashSet::new(),
        plain: Vec::new(),
        sink,
    };
    for function in module.functions() {
        emission.function(function);
    }
    emission.functions_without_subprogram();
    emission.linkage_names();
    emission.units(dialect);
    emission.version(dialect);
}

struct Emission<'s, 'm, 'a> {
    module: &'m Module<'a>,
    uses: HashMap<NodeId, UnitUse>,
    has_subprograms: bool,
    /// The subprograms of functions by the names of these.
    subprograms: HashMap<&'a str, NodeId>,
    /// Functions that are called by ones with a subprogram.
    called: HashSet<String>,
    /// Functions without a subprogram and without locations.
    plain: Vec<TextRange>,
    sink: &'s mut Sink,
}

impl<'m, 'a> Emission<'_, 'm, 'a> {
    fn node(&self, value: Value) -> Option<(Option<NodeId>, Node<'m, 'a>)> {
        let module = self.module;
        let reference = module.reference(value)?;
        let node = Node::read(module, module.body_of(reference)?).ok()?;
        Some((reference.numbered(), node))
    }

    fn function(&mut self, function: &FunctionItem) {
        let module = self.module;
        let Some(body) = function.body else { return };
        let name = function.global.name;
        let attachments = header_attachments(module.text, function.header);
        let attached = attachments.iter().find(|attachment| is_debug(module.text, attachment));
        let subprogram = attached.and_then(|attachment| self.node(attachment.value));
        let subprogram = subprogram.filter(|(_, node)| node.kind() == NodeKind::Subprogram);
        let (mut locations, mut instructions, mut first) = (0, 0, None);
        let mut has_variable = false;
        let mut has_inlined = false;
        let mut statements = Statements::new(module.text, body);
        while let Some(statement) = statements.next_statement() {
            let is_record = statement.kind == StatementKind::Record || statement.debug_intrinsic().is_some();
            if is_record {
                has_variable |= !statement.opcode().ends_with("label");
                continue;
            }
            if statement.kind != StatementKind::Instruction {
                continue;
            }
            instructions += 1;
            if subprogram.is_some() {
                let callee = statement.callee().filter(|callee| !self.called.contains(*callee));
                self.called.extend(callee.map(str::to_owned));
            }
            let attachment = statement.attachments().find(|attachment| is_debug(module.text, attachment));
            let Some(attachment) = attachment else { continue };
            locations += 1;
            first.get_or_insert(attachment.range);
            let location = self.node(attachment.value).map(|(_, node)| node);
            has_inlined |= location.is_some_and(|location| location.reference("inlinedAt").is_some());
        }
        let Some((id, subprogram)) = subprogram else {
            match first {
                Some(first) => {
                    let message = format!(
                        "{} has no subprogram, so that the locations of {locations} instructions are dropped",
                        name.slice(module.text)
                    );
                    self.sink.find(RuleId::LocationWithoutSubprogram, name, "", message);
                    self.sink.relate(first, "the first location");
                }
                None => self.plain.push(name),
            }
            return;
        };
        self.has_subprograms = true;
        self.subprograms.extend(id.map(|id| (name.slice(module.text), id)));
        let unit = subprogram.field("unit").and_then(|field| self.node(field.value));
        if let Some((Some(id), unit)) = unit {
            let uses = self.uses.entry(id).or_default();
            uses.functions += 1;
            uses.locations += locations;
            let is_lines_only =
                EmissionKind::from_field(unit.word("emissionKind")) == Some(EmissionKind::LineTablesOnly);
            let has_variable = has_variable || self.has_retained_nodes(&subprogram);
            if is_lines_only && has_variable && !has_inlined {
                let message =
                    format!("{} has a variable, and its unit is `LineTablesOnly`", name.slice(module.text));
                self.sink.find(RuleId::LinesOnlyVariable, name, "", message);
            }
        }
        if locations == 0 && instructions > 0 {
            let message =
                format!("{} has a subprogram, and no instruction has a location", name.slice(module.text));
            self.sink.find(RuleId::FunctionWithoutLocation, name, "", message);
        }
        if is_definition(&subprogram)
            && subprogram.reference("file").is_none()
            && subprogram.integer("line") == 0
        {
            let message = format!("the subprogram of {} has no file", name.slice(module.text));
            self.sink.find(RuleId::SubprogramFile, subprogram.body().range, "", message);
        }
    }

    /// Whether a subprogram lists variables or labels.
    fn has_retained_nodes(&self, subprogram: &Node<'_, '_>) -> bool {
        let nodes = subprogram.field("retainedNodes").and_then(|field| self.node(field.value));
        nodes.is_some_and(|(_, nodes)| !nodes.fields().is_empty())
    }

    fn functions_without_subprogram(&mut self) {
        if self.has_subprograms {
            for name in std::mem::take(&mut self.plain) {
                let message = format!("{} has no subprogram", name.slice(self.module.text));
                self.sink.find(RuleId::FunctionWithoutSubprogram, name, "", message);
            }
        }
    }

    /// Checks the names of subprograms that were inlined, and of those that libNVVM may inline.
    /// They are written for units of some kinds only.
    fn linkage_names(&mut self) {
        let module = self.module;
        let units = module.units().into_iter().filter_map(|unit| module.body_of(unit));
        let mut units = units.filter_map(|body| Node::read(module, body).ok());
        let has_names = units.any(|unit| {
            EmissionKind::from_field(unit.word("emissionKind")).is_some_and(|kind| kind.row().has_inlined_at)
        });
        if !has_names {
            return;
        }
        let inlined = inlined_subprograms(module);
        let called = self.called.iter().filter_map(|name| self.subprograms.get(&**name)).copied();
        let called: BTreeSet<NodeId> = called.filter(|id| !inlined.contains(id)).collect();
        for (subprograms, what) in [(inlined, "was inlined"), (called, "may be inlined")] {
            for node in subprograms.into_iter().filter_map(|id| Node::of(module, id).ok()) {
                if node.text("linkageName").is_empty() {
                    let name = match node.text("name") {
                        "" => "this subprogram".to_owned(),
                        name => format!("`{name}`"),
                    };
                    let message =
                        format!("{name} {what} and has no linkage name: `function_name` will be empty");
                    self.sink.find(RuleId::LinkageName, node.body().range, "", message);
                }
            }
        }
    }

    fn units(&mut self, dialect: IrDialect) {
        let module = self.module;
        let mut with_names = 0;
        // A unit may be listed twice, and is written once.
        let mut listed = HashSet::new();
        for reference in module.units() {
            let Some(body) = module.body_of(reference) else { continue };
            let Ok(unit) = Node::read(module, body) else { continue };
            let Some(kind) = EmissionKind::from_field(unit.word("emissionKind")) else { continue };
            let range = unit.field("emissionKind").map_or(body.range, |field| field.range);
            if !listed.insert(body.range) {
                continue;
            }
            let uses = reference.numbered().and_then(|id| self.uses.get(&id)).copied().unwrap_or_default();
            if kind == EmissionKind::NoDebug && uses.locations > 0 {
                let message =
                    format!("the {} locations in functions of this unit are not written", uses.locations);
                self.sink.find(RuleId::UnitWithoutLines, range, "", message);
            }
            if kind.row().has_dwarf {
                let message = format!(
                    "`{}` makes `.target ..., debug`, which ptxas refuses to optimize",
                    kind.row().name
                );
                self.sink.find(RuleId::OptimizedDebugging, range, "", message);
            }
            if kind.row().has_public_names && has_names_table(&unit) && uses.functions > 0 {
                with_names += 1;
                if with_names == 2 && dialect == IrDialect::OpaquePointers {
                    let message = "this is the second unit with a table of names".to_owned();
                    self.sink.find(RuleId::SeveralNamesTables, body.range, "", message);
                }
            }
        }
    }

    fn version(&mut self, dialect: IrDialect) {
        let module = self.module;
        let has_debug = module.named_metadata("llvm.dbg.cu").is_some() || self.has_subprograms;
        let version = debug_info_flag(module, dialect);
        if !has_debug || version.is_some_and(|flag| flag.value == DEBUG_INFO_VERSION) {
            return;
        }
        let (range, found) = match version {
            Some(flag) => (flag.value_range, format!("{}, expected 3", flag.value)),
            None => (TextRange::default(), "missing".to_owned()),
        };
        let message =
            format!("the module flag `Debug Info Version` is {found}: all debug information is dropped");
        self.sink.find(RuleId::DebugInfoVersion, range, "", message);
    }
}
