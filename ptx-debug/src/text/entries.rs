//! `.debug_info`, `.debug_abbrev` and `.debug_loc`: units, functions, inlined calls, blocks.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use dwarf2_writer::Section;
use dwarf2_writer::constants::{
    DW_AT_MIPS_linkage_name, DW_AT_abstract_origin, DW_AT_call_column, DW_AT_call_file, DW_AT_call_line,
    DW_AT_comp_dir, DW_AT_decl_file, DW_AT_decl_line, DW_AT_external, DW_AT_frame_base, DW_AT_high_pc,
    DW_AT_inline, DW_AT_language, DW_AT_low_pc, DW_AT_name, DW_AT_producer, DW_AT_stmt_list, DW_AT_type,
    DW_INL_inlined, DW_OP_call_frame_cfa, DW_TAG_compile_unit, DW_TAG_inlined_subroutine,
    DW_TAG_lexical_block, DW_TAG_subprogram,
};
use dwarf2_writer::info::{Attribute, Block, DebugInfo, EntryId, InfoSections, Params, Value};
use dwarf2_writer::loc::LocationTable;

use super::Tables;
use super::scope_ranges::ScopeRange;
use super::sections::{Symbols, put_section};
use crate::Error;
use crate::model::{BlockId, EmissionKind, FileId, Model, Scope, SubprogramId, Unit, VariableKind};

/// A function of the PTX, as its entry needs it.
#[derive(Debug, Clone)]
pub(super) struct FunctionEntry {
    pub(super) subprogram: SubprogramId,
    /// The number in its labels.
    pub(super) number: usize,
    pub(super) ranges: Vec<LabelledRange>,
}

/// A block or inlined call with the labels around its code.
#[derive(Debug, Clone)]
pub(super) struct LabelledRange {
    pub(super) range: ScopeRange,
    pub(super) low: String,
    pub(super) high: String,
}

/// What is collected for the sections.
pub(super) struct Entries<'t, 'm> {
    pub(super) model: &'m Model,
    pub(super) tables: &'t mut Tables<'m>,
    pub(super) info: DebugInfo,
    pub(super) lists: LocationTable,
    pub(super) symbols: Symbols,
    /// The entries of the unit's types, in the order of the model.
    pub(super) types: Vec<EntryId>,
    /// The entries of functions that were inlined, which have no code.
    inlined_functions: BTreeMap<SubprogramId, EntryId>,
}

/// Appends the sections of all units that have entries. `functions` are those of the PTX.
pub(super) fn put_entries(
    tables: &mut Tables<'_>,
    functions: &[FunctionEntry],
    out: &mut String,
) -> Result<(), Error> {
    let mut symbols = Symbols::default();
    let params = Params { abbrev: symbols.address(".debug_abbrev", 0), ..Params::default() };
    let mut entries = Entries {
        model: tables.model,
        tables,
        info: DebugInfo::new(params),
        lists: LocationTable::new(),
        symbols,
        types: Vec::new(),
        inlined_functions: BTreeMap::new(),
    };
    for unit in entries.model.units().iter().filter(|unit| unit.kind.has_entries()) {
        entries.unit(unit, functions)?;
    }
    let Entries { tables, info, lists, symbols, .. } = entries;
    let InfoSections { info, abbrev, .. } = info.finish()?;
    let abbrev = Section { bytes: abbrev, relocs: Vec::new() };
    let lists = lists.finish();
    let dialect = tables.dialect;
    tables.files.write(out);
    if !lists.bytes.is_empty() {
        put_section(out, dialect, ".debug_loc", &lists, &symbols);
        out.push_str("\t}\n");
    }
    put_section(out, dialect, ".debug_abbrev", &abbrev, &symbols);
    out.push_str("\t}\n");
    put_section(out, dialect, ".debug_info", &info, &symbols);
    out.push_str(dialect.end_of_module());
    out.push_str("\t}\n");
    Ok(())
}

impl<'m> Entries<'_, 'm> {
    fn unit(&mut self, unit: &Unit, functions: &[FunctionEntry]) -> Result<(), Error> {
        let model = self.model;
        let file = model.file_entry(unit.file)?;
        let mut attributes = Vec::from([
            (DW_AT_producer, Value::String(&unit.producer)),
            (DW_AT_language, Value::Data2(unit.language)),
            (DW_AT_name, Value::String(&file.name)),
            (DW_AT_stmt_list, Value::Offset(self.symbols.address(".debug_line", 0))),
        ]);
        if !file.directory.is_empty() {
            attributes.push((DW_AT_comp_dir, Value::String(&file.directory)));
        }
        attributes.push((DW_AT_low_pc, Value::Addr(0.into())));
        let root = self.info.unit(DW_TAG_compile_unit, &attributes)?;
        let is_of_unit = |id| -> Result<bool, Error> {
            let of = model.subprogram_entry(id)?.unit;
            Ok(core::ptr::eq(model.unit_entry(of)?, unit))
        };
        if unit.kind == EmissionKind::Full {
            self.types(root)?;
            for variable in model.variables() {
                if let VariableKind::Global(of) = variable.kind
                    && core::ptr::eq(model.unit_entry(of)?, unit)
                {
                    self.variable(root, variable, true)?;
                }
            }
        }
        self.inlined_functions.clear();
        let mut own = Vec::new();
        for function in functions {
            if is_of_unit(function.subprogram)? {
                own.push(function);
            }
        }
        let inlined = |labelled: &LabelledRange| match labelled.range.scope {
            Scope::Subprogram(id) => Some(id),
            Scope::Block(_) => None,
        };
        for id in own.iter().flat_map(|function| function.ranges.iter().filter_map(inlined)) {
            if !self.inlined_functions.contains_key(&id) {
                let has_code = own.iter().any(|function| function.subprogram == id);
                self.abstract_entry(root, id, unit.kind, has_code)?;
            }
        }
        own.into_iter().try_for_each(|function| self.function(root, function, unit.kind))
    }

    /// The entry of a function that was inlined, which says what all its copies have in common.
    fn abstract_entry(
        &mut self,
        root: EntryId,
        id: SubprogramId,
        kind: EmissionKind,
        has_code: bool,
    ) -> Result<(), Error> {
        let model = self.model;
        let mut attributes = self.declaration(id, kind)?;
        attributes.push((DW_AT_inline, Value::Data1(DW_INL_inlined)));
        let entry = self.info.entry(root, DW_TAG_subprogram, &attributes)?;
        self.inlined_functions.insert(id, entry);
        if kind == EmissionKind::Full && !has_code {
            for variable in model.variables() {
                if let VariableKind::Parameter(scope) | VariableKind::Local(scope) = variable.kind
                    && model.subprogram_of(scope)? == id
                {
                    self.variable(entry, variable, false)?;
                }
            }
        }
        Ok(())
    }

    /// Name, file, line and type of a function.
    fn declaration(&mut self, id: SubprogramId, kind: EmissionKind) -> Result<Vec<Attribute<'m>>, Error> {
        let subprogram = self.model.subprogram_entry(id)?;
        let mut attributes = Vec::new();
        if !subprogram.linkage_name.is_empty() && subprogram.linkage_name != subprogram.name {
            attributes.push((DW_AT_MIPS_linkage_name, Value::String(&subprogram.linkage_name)));
        }
        attributes.push((DW_AT_name, Value::String(&subprogram.name)));
        attributes.push((DW_AT_decl_file, self.file(subprogram.file)?));
        attributes.push((DW_AT_decl_line, number(subprogram.line.into())));
        if let Some(of) = subprogram.returns
            && kind == EmissionKind::Full
        {
            attributes.push((DW_AT_type, Value::Ref4(self.type_entry(of)?)));
        }
        if subprogram.is_external {
            attributes.push((DW_AT_external, Value::Flag(true)));
        }
        Ok(attributes)
    }

    /// The entry of a function with code, and what is in it.
    fn function(&mut self, root: EntryId, function: &FunctionEntry, kind: EmissionKind) -> Result<(), Error> {
        let model = self.model;
        let label = |what| format!("$L__func_{what}{}", function.number);
        let low = self.symbols.address(&label("begin"), 0);
        let high = self.symbols.address(&label("end"), 0);
        let mut attributes = Vec::from([
            (DW_AT_low_pc, Value::Addr(low)),
            (DW_AT_high_pc, Value::Addr(high)),
            (DW_AT_frame_base, Value::Block1(Block::from(&[DW_OP_call_frame_cfa][..]))),
        ]);
        match self.inlined_functions.get(&function.subprogram) {
            Some(origin) => attributes.push((DW_AT_abstract_origin, Value::Ref4(*origin))),
            None => attributes.extend(self.declaration(function.subprogram, kind)?),
        }
        let entry = self.info.entry(root, DW_TAG_subprogram, &attributes)?;
        let mut entries = Vec::new();
        let mut blocks = BTreeMap::new();
        for LabelledRange { range, low, high } in &function.ranges {
            let parent = range.parent.and_then(|parent| entries.get(parent)).copied().unwrap_or(entry);
            let mut attributes = Vec::from([
                (DW_AT_low_pc, Value::Addr(self.symbols.address(low, 0))),
                (DW_AT_high_pc, Value::Addr(self.symbols.address(high, 0))),
            ]);
            let tag = match (range.scope, range.inlined_at) {
                (Scope::Subprogram(id), Some(call_site)) => {
                    if let Some(origin) = self.inlined_functions.get(&id) {
                        attributes.insert(0, (DW_AT_abstract_origin, Value::Ref4(*origin)));
                    }
                    let call = model.call_site_location(call_site)?;
                    attributes.push((DW_AT_call_file, self.file(model.file_of(call.scope)?)?));
                    attributes.push((DW_AT_call_line, number(call.line.into())));
                    attributes.push((DW_AT_call_column, number(call.column.into())));
                    DW_TAG_inlined_subroutine
                }
                _ => DW_TAG_lexical_block,
            };
            let added = self.info.entry(parent, tag, &attributes)?;
            entries.push(added);
            if let (Scope::Block(block), None) = (range.scope, range.inlined_at) {
                blocks.insert(block, added);
            }
        }
        if kind != EmissionKind::Full {
            return Ok(());
        }
        for variable in model.variables() {
            if let VariableKind::Parameter(scope) | VariableKind::Local(scope) = variable.kind
                && model.subprogram_of(scope)? == function.subprogram
            {
                self.variable(nearest(model, scope, &blocks)?.unwrap_or(entry), variable, true)?;
            }
        }
        Ok(())
    }

    /// The number of a file in the `.file` lines.
    pub(super) fn file(&mut self, id: FileId) -> Result<Value<'static>, Error> {
        let path = &self.model.file_entry(id)?.path;
        Ok(number(self.tables.files.number(path).into()))
    }
}

/// The entry of the innermost block around a scope that has code.
fn nearest(
    model: &Model,
    mut scope: Scope,
    blocks: &BTreeMap<BlockId, EntryId>,
) -> Result<Option<EntryId>, Error> {
    while let Scope::Block(block) = scope {
        if let Some(entry) = blocks.get(&block) {
            return Ok(Some(*entry));
        }
        scope = model.block_entry(block)?.parent;
    }
    Ok(None)
}

/// A number in the shortest form.
pub(super) fn number(value: u64) -> Value<'static> {
    if let Ok(value) = u8::try_from(value) {
        Value::Data1(value)
    } else if let Ok(value) = u16::try_from(value) {
        Value::Data2(value)
    } else if let Ok(value) = u32::try_from(value) {
        Value::Data4(value)
    } else {
        Value::Data8(value)
    }
}
