//! The units of a line section: their headers, and the offsets of their programs.

use super::{LineFile, LineTable};
use crate::{Error, ErrorKind, Result};
use dwarf2_reader::line::{self as dwarf2, FileEntry};
use dwarf2_reader::{Cursor, Format};
use std::borrow::Cow;

/// The units of a line section: each with its byte offset, its header, without sequences, and a
/// cursor at its program.
pub(super) fn units<'d>(
    section: &'d str,
    data: &'d [u8],
) -> impl Iterator<Item = Result<(u64, LineTable<'d>, Cursor<'d>)>> {
    dwarf2::units(data).map(move |unit| {
        let (span, unit) = unit.map_err(|error| match error.kind {
            // The reader knows versions that no cubin has.
            dwarf2_reader::ErrorKind::Value { field: "version", found, .. } => {
                let kind = ErrorKind::Value { field: "version", found, expected: "2 or 3" };
                Error::new(section, error.offset, kind)
            }
            _ => in_section(section, error),
        })?;
        let table = header(&unit, span.start).map_err(|error| error.rebased(section, 0))?;
        Ok((span.start, table, unit.program))
    })
}

/// The error of a reader that has one name for all line sections.
pub(super) fn in_section(section: &str, error: dwarf2_reader::Error) -> Error {
    Error::from(error).rebased(section, 0)
}

/// Operand counts of standard opcodes 1-12, as DWARF 2 (1-9) and DWARF 3 (10-12) fix them.
const OPERAND_COUNTS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

fn header<'d>(unit: &dwarf2::Unit<'d>, start: u64) -> Result<LineTable<'d>> {
    let mut tables = unit.tables.clone();
    let fault = |offset, field, found, expected| {
        Error::new(dwarf2::SECTION, offset, ErrorKind::Value { field, found, expected })
    };
    if unit.format != Format::Dwarf32 {
        return Err(fault(start, "unit_length", u32::MAX.into(), "a 32-bit DWARF length"));
    }
    let version = unit.params.version;
    if !matches!(version, 2 | 3) {
        return Err(fault(start + 4, "version", version.into(), "2 or 3"));
    }
    let lengths = unit.standard_opcode_lengths;
    let first = tables.offset() - lengths.len() as u64;
    let odd = (first..).zip(lengths.iter().zip(&OPERAND_COUNTS)).find(|(_, (found, want))| found != want);
    if let Some((offset, (found, _))) = odd {
        let expected = "the operand count DWARF gives this opcode";
        return Err(fault(offset, "standard_opcode_lengths", (*found).into(), expected));
    }
    if lengths.len() > OPERAND_COUNTS.len() {
        return Err(fault(first - 1, "opcode_base", unit.params.opcode_base.into(), "at most 13"));
    }
    let directories = dwarf2::directories(&mut tables)?.into_iter().map(Cow::Borrowed).collect();
    let mut files = Vec::new();
    let debug_str_base = loop {
        // Other readers take the files to end at a name that is empty. Of ptxas it is a file's if
        // what follows is more than a base.
        let file = match (dwarf2::file(&mut tables)?, tables.rest().len()) {
            (Some(file), _) => file,
            (None, 0) => break None,
            (None, 4) => break Some(tables.u32("the .debug_str base")?),
            (None, found @ 1..4) => {
                let field = "header bytes after the file table";
                return Err(fault(tables.offset(), field, found as u64, "0, 4 or a file's"));
            }
            (None, _) => dwarf2::file_named(&mut tables, &[])?,
        };
        let FileEntry { name, directory, mtime, size } = file;
        files.push(LineFile { name: Cow::Borrowed(name), directory, mtime, size });
    };
    Ok(LineTable {
        params: unit.params,
        directories,
        files,
        debug_str_base,
        has_lone_end: false,
        sequences: Vec::new(),
    })
}
