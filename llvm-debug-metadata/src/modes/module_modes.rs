//! What the units of a module ask for, read from its text.

use super::PtxContents;
use super::ptxas::{PtxasRun, ptxas_runs};
use super::table::{COMPILER_OPTIONS, CompilerOption, ContainerLevel, ContainerStatement, EmissionKind};
use crate::attachments::header_attachments;
use crate::check::versions::DEBUG_INFO_VERSION;
use crate::module::{FunctionItem, Module, NodeBody, NodeId};
use crate::node::{Node, Reference};
use crate::statement::{Attachment, StatementKind, Statements};
use crate::{Error, ErrorKind, IrDialect, NodeKind, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// How much debug information a module asks for, and what libNVVM and ptxas 13.0.88 make of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModuleModes {
    /// The module flag `Debug Info Version`; `null` where it is missing. If it is not 3, libNVVM
    /// drops all debug information without a word.
    pub debug_info_version: Option<i64>,
    /// Whether all debug information is dropped, because of that flag.
    pub is_dropped: bool,
    /// The units of `!llvm.dbg.cu`, in its order.
    pub units: Vec<UnitModes>,
    /// The debug information in the PTX of libNVVM 13.0.88, whatever its options.
    pub ptx: PtxContents,
    /// The level in the header of a container.
    pub container: ContainerStatement,
    /// What options of cicc make, for comparison: libNVVM takes them too, and follows the units.
    pub compiler_options: Vec<CompilerOption>,
    /// What ptxas 13.0.88 does with the PTX of an architecture below compute_100.
    pub ptxas_below_compute_100: Vec<PtxasRun>,
    /// What ptxas 13.0.88 does with the PTX of compute_100 and later architectures.
    pub ptxas_from_compute_100: Vec<PtxasRun>,
}

/// What a unit asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnitModes {
    /// The name of its file, as written in the IR.
    pub file: String,
    /// How much debug information is emitted for it.
    pub emission_kind: EmissionKind,
    /// How many functions with a body have a subprogram of this unit.
    pub functions: usize,
    /// How many instructions of these functions were inlined.
    pub inlined_locations: usize,
    /// Whether it has `.debug_pubnames` and `.debug_pubtypes` where there is DWARF, from
    /// compute_100 on.
    pub has_public_names: bool,
    /// The level in the header of a container with such units alone.
    pub container: ContainerStatement,
}

impl ModuleModes {
    /// Reads what the units of a module ask for.
    ///
    /// # Errors
    ///
    /// The first one of [`Module::errors`]; a node whose fields are not those of its kind; a unit
    /// with an unknown emission kind.
    pub fn read(module: &Module<'_>) -> Result<Self> {
        if let Some(error) = module.errors().first() {
            return Err(error.clone());
        }
        let mut units = Vec::new();
        let mut unit_index = HashMap::new();
        for reference in module.units() {
            if let Reference::Numbered(id) = reference {
                unit_index.entry(id).or_insert(units.len());
            }
            units.extend(module.body_of(reference).map(|body| UnitModes::read(module, body)).transpose()?);
        }
        for function in module.functions() {
            let Some(unit) = unit_of(module, function)? else { continue };
            let Some(unit) = unit_index.get(&unit).and_then(|index| units.get_mut(*index)) else { continue };
            unit.functions += 1;
            unit.inlined_locations += inlined_locations(module, function)?;
        }
        let flag = module.flag("Debug Info Version").and_then(|flag| flag.value);
        let debug_info_version = flag.and_then(|value| i64::try_from(value).ok());
        let is_dropped = !units.is_empty() && debug_info_version.map(i128::from) != Some(DEBUG_INFO_VERSION);
        let ptx = if is_dropped { PtxContents::default() } else { PtxContents::of_units(&units) };
        Ok(Self {
            debug_info_version,
            is_dropped,
            container: if is_dropped { NOTHING } else { container(&units) },
            units,
            ptx,
            compiler_options: COMPILER_OPTIONS.to_vec(),
            ptxas_below_compute_100: ptxas_runs(ptx, IrDialect::TypedPointers),
            ptxas_from_compute_100: ptxas_runs(ptx, IrDialect::OpaquePointers),
        })
    }
}

impl UnitModes {
    fn read(module: &Module<'_>, body: NodeBody) -> Result<Self> {
        let unit = Node::read(module, body)?;
        let Some(emission_kind) = EmissionKind::from_field(unit.word("emissionKind")) else {
            let range = unit.field("emissionKind").map_or(body.range, |field| field.range);
            return Err(Error::new(ErrorKind::WrongValue("an emission kind"), range));
        };
        let file = unit.reference("file").and_then(|file| module.body_of(file));
        let file = file.map(|file| Node::read(module, file)).transpose()?;
        let row = emission_kind.row();
        Ok(Self {
            file: file.map(|file| file.text("filename").to_owned()).unwrap_or_default(),
            emission_kind,
            functions: 0,
            inlined_locations: 0,
            has_public_names: row.has_public_names && has_names_table(&unit),
            container: row.container,
        })
    }
}

/// Whether a unit asks for a table of names, where its emission kind has one. One of GNU's has
/// another section: `.debug_gnu_pubnames`.
pub(crate) fn has_names_table(unit: &Node<'_, '_>) -> bool {
    matches!(unit.word("nameTableKind"), "" | "0" | "Default")
}

/// The level of a module without debug information.
const NOTHING: ContainerStatement =
    ContainerStatement { documented: Some(ContainerLevel::None), measured: ContainerLevel::None };

/// The level of a module: that of the unit with the most.
fn container(units: &[UnitModes]) -> ContainerStatement {
    let statements = units.iter().map(|unit| unit.container);
    statements.max_by_key(|container| container.measured as u8).unwrap_or(NOTHING)
}

/// The node of the unit of a function that has a body and a subprogram.
fn unit_of(module: &Module<'_>, function: &FunctionItem) -> Result<Option<NodeId>> {
    if function.body.is_none() {
        return Ok(None);
    }
    let attachments = header_attachments(module.text, function.header);
    let Some(subprogram) = debug_node(module, attachments)? else { return Ok(None) };
    match subprogram.reference("unit") {
        Some(Reference::Numbered(unit)) if subprogram.kind() == NodeKind::Subprogram => Ok(Some(unit)),
        _ => Ok(None),
    }
}

/// How many instructions of a function have a location that was inlined.
fn inlined_locations(module: &Module<'_>, function: &FunctionItem) -> Result<usize> {
    let Some(body) = function.body else { return Ok(0) };
    let mut statements = Statements::new(module.text, body);
    let mut count = 0;
    while let Some(statement) = statements.next_statement() {
        // Calls of debug intrinsics have a location, and are no instructions.
        if statement.kind != StatementKind::Instruction || statement.debug_intrinsic().is_some() {
            continue;
        }
        let location = debug_node(module, statement.attachments())?;
        if location.is_some_and(|location| location.reference("inlinedAt").is_some()) {
            count += 1;
        }
    }
    Ok(count)
}

/// The node of the attachment `!dbg`.
fn debug_node<'m, 'a>(
    module: &'m Module<'a>,
    attachments: impl IntoIterator<Item = Attachment>,
) -> Result<Option<Node<'m, 'a>>> {
    let found = attachments.into_iter().find(|attachment| attachment.kind.slice(module.text) == "dbg");
    let body = found.and_then(|found| module.reference(found.value)).and_then(|node| module.body_of(node));
    body.map(|body| Node::read(module, body)).transpose()
}
