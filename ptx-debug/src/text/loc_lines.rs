//! The `.loc` lines of a function.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::function_header::{FunctionHeader, function_header};
use super::loc_rules::{InstructionKind, LocLines, LocationKind, loc_lines};
use super::{Instruction, OpenFunction, Tables};
use crate::Error;
use crate::model::{CallSiteId, EmissionKind, Location, Scope};

/// What the `.loc` lines of a module depend on, across its functions: those before.
#[derive(Debug, Clone, Default)]
pub(super) struct LastLocs {
    /// The last location with a line other than 0 for which a `.loc` was written.
    remembered: Option<Location>,
    /// Whether the last `.loc` without attributes has line 0.
    after_line_0: bool,
}

/// What the `.loc` lines of a function depend on: those before.
#[derive(Debug)]
pub(super) struct FunctionLocs {
    header: Location,
    /// The instruction before which the `.loc` of the function is written once more.
    repeat_before: Option<usize>,
    /// Call sites whose `.loc` was written.
    call_sites: BTreeSet<CallSiteId>,
}

impl FunctionLocs {
    /// Begins a function, with the `.loc` of the function itself.
    pub(super) fn begin(
        tables: &mut Tables<'_>,
        function: &OpenFunction,
        number: usize,
        out: &mut String,
    ) -> Result<Self, Error> {
        let OpenFunction { subprogram, .. } = *function;
        let header = Location::new(subprogram, tables.model.subprogram_entry(subprogram)?.scope_line, 0);
        let FunctionHeader { before_code, repeat_before } = function_header(tables.dialect, function);
        tables.writes_calls = tables.has_inlined_at && function.kind == EmissionKind::Directives;
        if before_code {
            tables.put_loc(&header, out)?;
        }
        if function.kind.has_entries() {
            let _ = writeln!(out, "$L__func_begin{number}:");
            if before_code {
                tables.put_loc(&header, out)?;
            }
        }
        if function.instructions.iter().any(|instruction| instruction.location.is_some()) {
            tables.last.remembered = None;
        }
        Ok(Self { header, repeat_before, call_sites: BTreeSet::new() })
    }

    /// Appends the `.loc` lines before an instruction.
    pub(super) fn before_instruction(
        &mut self,
        tables: &mut Tables<'_>,
        index: usize,
        instruction: &Instruction,
        out: &mut String,
    ) -> Result<(), Error> {
        if self.repeat_before == Some(index) {
            return tables.put_loc(&self.header, out);
        }
        let Instruction { location, begins_block, .. } = *instruction;
        let remembered = tables.last.remembered;
        let kind = match location {
            None => LocationKind::None,
            Some(location) if location.line == 0 => LocationKind::Line0,
            location if location == remembered => LocationKind::Remembered,
            Some(_) => LocationKind::New,
        };
        let instruction = InstructionKind {
            location: kind,
            begins_block,
            after_line_0: tables.last.after_line_0,
            has_remembered: remembered.is_some(),
        };
        match (loc_lines(tables.dialect, instruction), remembered, location) {
            (LocLines::Line0, Some(remembered), _) => {
                tables.put_loc(&Location { line: 0, inlined_at: None, ..remembered }, out)?;
            }
            (LocLines::WithoutAttributes, Some(remembered), _) => {
                tables.put_loc(&Location { inlined_at: None, ..remembered }, out)?;
            }
            (LocLines::Chain, _, Some(location)) => {
                for location in self.chain(tables, location)?.iter().rev() {
                    tables.put_loc(location, out)?;
                }
                if location.line != 0 {
                    tables.last.remembered = Some(location);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The location and the call sites that it needs, innermost first.
    fn chain(&mut self, tables: &Tables<'_>, mut location: Location) -> Result<Vec<Location>, Error> {
        let mut chain = Vec::from([location]);
        while let Some(call_site) = location.inlined_at
            && tables.writes_calls
            && self.call_sites.insert(call_site)
        {
            location = tables.model.call_site_location(call_site)?;
            chain.push(location);
        }
        Ok(chain)
    }
}

impl Tables<'_> {
    /// Appends the `.loc` of a location.
    fn put_loc(&mut self, location: &Location, out: &mut String) -> Result<(), Error> {
        let file = self.file_number(location.scope)?;
        let _ = write!(out, "\t.loc\t{file} {} {}", location.line, location.column);
        self.last.after_line_0 = location.line == 0;
        if let Some(caller) = location.inlined_at
            && self.writes_calls
        {
            let function = self.model.subprogram_of(location.scope)?;
            let name = self.names.number(&self.model.subprogram_entry(function)?.linkage_name);
            let caller = self.model.call_site_location(caller)?;
            let file = self.file_number(caller.scope)?;
            let Location { line, column, .. } = caller;
            let _ = write!(out, ", function_name $L__info_string{name}, inlined_at {file} {line} {column}");
        }
        out.push('\n');
        Ok(())
    }

    fn file_number(&mut self, scope: Scope) -> Result<u32, Error> {
        let file = self.model.file_of(scope)?;
        Ok(self.files.number(&self.model.file_entry(file)?.path))
    }
}
