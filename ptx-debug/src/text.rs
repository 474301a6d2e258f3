//! PTX text: a compiler hands its lines over, and gets them back with debug information.
//!
//! ```
//! use ptx_debug::model::{EmissionKind, File, Location, Subprogram, Unit};
//! use ptx_debug::{Dialect, Model, PtxWriter};
//!
//! let mut model = Model::new();
//! let file = model.file(File { directory: b"/src", name: b"k.cu" })?;
//! let unit = model.unit(Unit::new(EmissionKind::Directives, file))?;
//! let kernel = Subprogram { line: 1, scope_line: 1, ..Subprogram::new(b"k", file, unit) };
//! let kernel = model.subprogram(kernel)?;
//!
//! let mut writer = PtxWriter::new(&model, Dialect::Compute100);
//! writer.text(".version 9.0\n.target sm_100\n.address_size 64\n\n.visible .entry k()\n{\n");
//! writer.begin_function(kernel)?;
//! writer.instruction("\tbar.sync 0;\n", Some(Location::new(kernel, 2, 3)))?;
//! writer.instruction("\tret;\n", Some(Location::new(kernel, 3, 1)))?;
//! writer.end_function()?;
//! writer.text("}\n");
//! let ptx = writer.finish()?;
//! assert!(ptx.contains("{\n\t.loc\t1 1 0\n\t.loc\t1 2 3\n\tbar.sync 0;\n\t.loc\t1 3 1\n\tret;\n}\n"));
//! assert!(ptx.ends_with("}\n\t.file\t1 \"/src/k.cu\"\n"));
//! # Ok::<(), ptx_debug::Error>(())
//! ```

mod data_lines;
mod dialect;
mod entries;
mod file_table;
mod function_header;
mod loc_lines;
mod loc_rules;
mod name_table;
mod scope_ranges;
mod sections;
mod type_entries;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::Error;
use crate::model::{EmissionKind, Location, Model, SubprogramId};
pub use dialect::Dialect;

use entries::{FunctionEntry, LabelledRange, put_entries};
use file_table::FileTable;
use loc_lines::{FunctionLocs, LastLocs};
use name_table::NameTable;
use scope_ranges::scope_ranges;

/// Writes a PTX module: the lines of a compiler, and between them those that say where in the
/// source they come from.
///
/// Lines are handed over with the newline that ends them. A call that fails has written nothing.
#[derive(Debug, Clone)]
pub struct PtxWriter<'m> {
    out: String,
    tables: Tables<'m>,
    function: Option<OpenFunction>,
    /// The functions with entries that are written.
    functions: Vec<FunctionEntry>,
    /// The count of labels that are written in them.
    labels: usize,
}

/// What the functions of a module share.
#[derive(Debug, Clone)]
struct Tables<'m> {
    model: &'m Model,
    dialect: Dialect,
    /// Whether inlined calls are written.
    has_inlined_at: bool,
    /// Whether they are written as attributes of `.loc` in the function that is being written.
    writes_calls: bool,
    files: FileTable,
    /// Names of inlined functions.
    names: NameTable,
    last: LastLocs,
}

/// The function that is being written. Its `.loc` lines are made at its end: whether the function
/// itself gets one depends on all instructions.
#[derive(Debug, Clone)]
struct OpenFunction {
    subprogram: SubprogramId,
    kind: EmissionKind,
    /// The lines that were handed over.
    body: String,
    instructions: Vec<Instruction>,
    begins_block: bool,
}

/// An instruction of the function that is being written.
#[derive(Debug, Clone, Copy)]
struct Instruction {
    /// Byte offset of the instruction in the lines that were handed over.
    at: usize,
    location: Option<Location>,
    begins_block: bool,
}

impl<'m> PtxWriter<'m> {
    /// Begins a module.
    #[must_use]
    pub fn new(model: &'m Model, dialect: Dialect) -> Self {
        let mut tables = Tables {
            model,
            dialect,
            has_inlined_at: true,
            writes_calls: false,
            files: FileTable::default(),
            names: NameTable::default(),
            last: LastLocs::default(),
        };
        // In the sections of entries, the file of a unit has the lowest number.
        for unit in model.units().iter().filter(|unit| unit.kind.has_entries()) {
            if let Ok(file) = model.file_entry(unit.file) {
                tables.files.number(&file.path);
            }
        }
        Self { out: String::new(), tables, function: None, functions: Vec::new(), labels: 0 }
    }

    /// Adds the `.target` line of an architecture such as `sm_90`, with `, debug` where ptxas needs
    /// it for the sections that [`PtxWriter::finish`] adds.
    pub fn target(&mut self, architecture: &str) {
        let has_entries = self.tables.model.units().iter().any(|unit| unit.kind.has_entries());
        let suffix = if has_entries { ", debug" } else { "" };
        self.text(&format!(".target {architecture}{suffix}\n"));
    }

    /// Leaves inlined calls out: each instruction gets its own line, but neither the lines of its
    /// callers nor the name of its function. It is what cicc's `-no-lineinfo-inlined-at` does, for
    /// PTX that readers of before PTX 7.2 must take.
    #[must_use]
    pub fn without_inlined_at(mut self) -> Self {
        self.tables.has_inlined_at = false;
        self
    }

    /// Adds lines that are not instructions of a function that has debug information: headers,
    /// declarations, comments, braces.
    pub fn text(&mut self, text: &str) {
        self.function.as_mut().map_or(&mut self.out, |function| &mut function.body).push_str(text);
    }

    /// Begins a function, after its declarations of registers and before its first instruction.
    ///
    /// # Errors
    ///
    /// [`Error::FunctionOpen`], [`Error::UnknownHandle`].
    pub fn begin_function(&mut self, subprogram: SubprogramId) -> Result<(), Error> {
        if self.function.is_some() {
            return Err(Error::FunctionOpen);
        }
        let model = self.tables.model;
        let unit = model.unit_entry(model.subprogram_entry(subprogram)?.unit)?;
        let kind = unit.kind;
        let (body, instructions) = (String::new(), Vec::new());
        self.function = Some(OpenFunction { subprogram, kind, body, instructions, begins_block: false });
        Ok(())
    }

    /// Adds the label of a basic block, which begins the block as [`PtxWriter::block`] does.
    ///
    /// # Errors
    ///
    /// [`Error::NoFunction`].
    pub fn label(&mut self, line: &str) -> Result<(), Error> {
        self.block()?;
        self.text(line);
        Ok(())
    }

    /// Says that the next instruction begins a basic block. Code can come to it from elsewhere, so
    /// it does not take the line of the instruction before it.
    ///
    /// # Errors
    ///
    /// [`Error::NoFunction`].
    pub fn block(&mut self) -> Result<(), Error> {
        let function = self.function.as_mut().ok_or(Error::NoFunction)?;
        function.begins_block = true;
        Ok(())
    }

    /// Adds an instruction, which may be several lines, after the `.loc` lines that it needs.
    ///
    /// # Errors
    ///
    /// [`Error::NoFunction`], [`Error::UnknownHandle`], [`Error::ForeignLocation`].
    pub fn instruction(&mut self, lines: &str, location: Option<Location>) -> Result<(), Error> {
        let function = self.function.as_mut().ok_or(Error::NoFunction)?;
        if let Some(location) = location
            && self.tables.model.outermost_subprogram(location)? != function.subprogram
        {
            return Err(Error::ForeignLocation);
        }
        let begins_block = core::mem::take(&mut function.begins_block);
        function.instructions.push(Instruction { at: function.body.len(), location, begins_block });
        function.body.push_str(lines);
        Ok(())
    }

    /// Ends the function, before the `}` of its body.
    ///
    /// # Errors
    ///
    /// [`Error::NoFunction`].
    pub fn end_function(&mut self) -> Result<(), Error> {
        let function = self.function.take().ok_or(Error::NoFunction)?;
        let OpenFunction { kind, body, instructions, subprogram, .. } = &function;
        if *kind == EmissionKind::None {
            self.out.push_str(body);
            return Ok(());
        }
        let number = self.functions.len();
        let mut labels = BTreeMap::new();
        if kind.has_entries() {
            let mut ranges = Vec::new();
            for range in scope_ranges(self.tables.model, instructions)? {
                let mut label = |at| -> String {
                    if at == instructions.len() {
                        return format!("$L__func_end{number}");
                    }
                    let next = self.labels + labels.len();
                    labels.entry(at).or_insert_with(|| format!("$L__debug_tmp{next}")).clone()
                };
                let (low, high) = (label(range.first), label(range.end));
                ranges.push(LabelledRange { range, low, high });
            }
            self.labels += labels.len();
            self.functions.push(FunctionEntry { subprogram: *subprogram, number, ranges });
        }
        let mut locs = FunctionLocs::begin(&mut self.tables, &function, number, &mut self.out)?;
        let mut written = 0;
        for (index, instruction) in instructions.iter().enumerate() {
            self.out.push_str(body.get(written..instruction.at).unwrap_or_default());
            written = instruction.at;
            if let Some(label) = labels.get(&index) {
                self.out.push_str(label);
                self.out.push_str(":\n");
            }
            locs.before_instruction(&mut self.tables, index, instruction, &mut self.out)?;
        }
        self.out.push_str(body.get(written..).unwrap_or_default());
        if kind.has_entries() {
            let _ = writeln!(self.out, "$L__func_end{number}:");
        }
        Ok(())
    }

    /// Ends the module with its files and sections, and returns its text.
    ///
    /// # Errors
    ///
    /// [`Error::FunctionOpen`], [`Error::UndefinedType`], [`Error::Entries`].
    pub fn finish(self) -> Result<String, Error> {
        if self.function.is_some() {
            return Err(Error::FunctionOpen);
        }
        let mut out = self.out;
        if self.tables.model.units().iter().any(|unit| unit.kind.has_entries()) {
            let mut tables = self.tables;
            put_entries(&mut tables, &self.functions, &mut out)?;
            return Ok(out);
        }
        if self.tables.names.is_empty() {
            out.push_str(self.tables.dialect.end_of_module());
        }
        self.tables.files.write(&mut out);
        self.tables.names.write(self.tables.dialect, &mut out);
        Ok(out)
    }
}
