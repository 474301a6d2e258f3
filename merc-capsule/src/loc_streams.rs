//! Reads from a line table the `.loc` directives and instructions from which a Mercury line table
//! can be built.

mod line_table_inputs;

use crate::address_map::AddressRole;
use crate::address_translator::{AddressTranslator, Untranslatable};
use crate::code_map::CodeMap;
use crate::line_table_kind::LineTableKind;
use foldhash::{HashSet, HashSetExt as _};
use nv_debug_sections::catalog::{SectionName, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line::{self, LineOp, LineTable};
use nv_debug_sections::line_table::{EntryRow, Loc, LocId, LocatedInstruction, native_to_mercury};
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub use line_table_inputs::LineTableInputs;

/// The `.loc` directives, instructions and entry rows of one code section, from which
/// [`line_program_from_locs`](nv_debug_sections::line_table::line_program_from_locs) makes a line
/// program. Addresses are those of Mercury code.
#[derive(Debug, Clone, Default)]
pub struct LocStream<'l> {
    /// The `.loc` directives of the code section.
    pub locs: Cow<'l, [Loc]>,
    /// Instructions with their `.loc`, by address; at least those at which the `.loc` changes.
    pub located: Vec<LocatedInstruction>,
    /// The line table rows that open functions, by address.
    pub entries: Vec<EntryRow>,
}

/// The `.loc` data of code sections, by the index of the native code section.
pub type LocStreams<'l> = BTreeMap<SectionIndex, LocStream<'l>>;

/// Recovers the `.loc` directives and instructions of each code section from a line table. `table`
/// is the index of the line table section, native or Mercury.
///
/// Rows are less than directives: a native table lacks those that repeat a location, and nothing
/// tells apart two directives of the same one. A table that is made of what comes out here can lack
/// rows, and with them calls of inlined code, that the `.loc` directives give.
///
/// # Errors
///
/// The table cannot be read, or an address of a native one is not in the map of its code section.
pub fn from_line_table(
    cubin: &Cubin<'_>,
    table: SectionIndex,
    translator: AddressTranslator<'_>,
) -> Result<LocStreams<'static>> {
    let name = cubin.section_name(table);
    let space = if cubin.section(table)?.is_mercury() { Space::Mercury } else { Space::Native };
    let section = RelocatedCubin::new(cubin).section(table)?;
    let mut streams = LocStreams::new();
    let kind = SectionName::parse(name).kind().and_then(LineTableKind::of);
    for unit in line::decode(name, &section.bytes)? {
        check_numbers(name, &unit)?;
        for sequence in &unit.sequences {
            let target = section.target(sequence.base_offset).and_then(|target| target.section);
            let native = match space {
                Space::Native => target,
                Space::Mercury => target.and_then(|code| translator.section_pairs().native_section(code)),
            };
            // nvlink keeps the programs of functions it drops, without relocation.
            let Some(code) = native.and_then(|code| CodeMap::of(translator.maps(), code)) else { continue };
            let mercury = kind.filter(|_| space == Space::Native).and_then(|kind| {
                native_to_mercury(&sequence.ops, 0, &kind.instructions(&code.map), &code.starts)
            });
            let stream = match mercury {
                Some(ops) => from_ops(&ops, code, Space::Mercury),
                None => from_ops(&sequence.ops, code, space),
            };
            let stream = stream.map_err(|error| {
                Error::new(name, sequence.base_offset, ErrorKind::LineProgram(error.to_string()))
            })?;
            streams.insert(code.native, stream);
        }
    }
    Ok(streams)
}

/// Refuses numbers of files and places of names above 32 bits, which the rows made of `table` would
/// have no room for.
pub(crate) fn check_numbers(name: &str, table: &LineTable<'_>) -> Result<()> {
    for sequence in &table.sequences {
        for op in &sequence.ops {
            let (what, value) = match *op {
                LineOp::SetFile(file) => ("the operand of DW_LNS_set_file", file),
                LineOp::InlinedCall { name, .. } => ("the name of an inlined call", name),
                _ => continue,
            };
            if value > u32::MAX.into() {
                let kind = ErrorKind::DoesNotFit { what, value, field: "32 bits" };
                return Err(Error::new(name, sequence.base_offset, kind));
            }
        }
    }
    Ok(())
}

fn from_ops(ops: &[LineOp], code: &CodeMap, space: Space) -> Result<LocStream<'static>, Untranslatable> {
    let (rows, call_sites) = rows(ops);
    let address = |row: &Row| match space {
        Space::Native => code.mercury_line(row.address),
        Space::Mercury => Ok(row.address),
    };
    let is_start = |row: &Row| match space {
        Space::Native => code.function_at_native(row.address).is_some(),
        Space::Mercury => code.function_at_mercury(row.address).is_some(),
    };
    let mut stream = LocStream::default();
    let mut locs: Vec<Loc> = Vec::with_capacity(rows.len());
    // Rows count from 1; that of each is the directive before it in number.
    let mut row_locs: Vec<LocId> = Vec::new();
    let mut opened = HashSet::new();
    for (at, row) in rows.iter().enumerate() {
        let parent = usize::try_from(row.context).ok().and_then(|row| row_locs.get(row.checked_sub(1)?));
        let id = LocId(u32::try_from(locs.len()).unwrap_or(u32::MAX));
        locs.push(Loc { file: row.file, line: row.line, name: row.name, parent: parent.copied() });
        if row.number.is_some() {
            row_locs.push(id);
        }
        let address = address(row)?;
        // A call site that is followed by the code it inlines has no code of its own.
        let next =
            rows.get(at + 1).is_some_and(|next| next.address == row.address && next.context != row.context);
        if next && row.number.is_some_and(|number| call_sites.contains(&number)) {
            continue;
        }
        // Only after a row that opens a function the place alone is given; those of code are on
        // other lines.
        let is_opening =
            || space == Space::Native || rows.get(at + 1).is_some_and(|next| next.number.is_none());
        if row.number.is_some() && (row.is_entry || is_start(row) && is_opening()) && opened.insert(address) {
            let flagged = row.is_entry || space == Space::Native;
            stream.entries.push(EntryRow { address, loc: id, flagged });
        } else {
            stream.located.push(LocatedInstruction { address, loc: Some(id) });
        }
    }
    stream.located.sort_by_key(|located| located.address);
    stream.entries.sort_by_key(|entry| entry.address);
    stream.locs = locs.into();
    Ok(stream)
}

/// What is in force where code changes.
struct Row {
    /// Number of the row, 1-based; `None` for an advance without.
    number: Option<u64>,
    address: u64,
    file: u32,
    line: u32,
    context: u64,
    name: u32,
    is_entry: bool,
}

/// The rows and bare advances of a sequence, and the rows that others name as their call sites.
fn rows(ops: &[LineOp]) -> (Vec<Row>, HashSet<u64>) {
    let (mut rows, mut call_sites) = (Vec::new(), HashSet::new());
    let (mut file, mut line, mut context, mut name, mut is_entry) = (1, 1, 0, 0, false);
    let mut count = 0;
    let mut last = 0;
    // Whether what follows an entry row has had neither a row nor an advance: code at its place, on
    // its line.
    let mut is_left = false;
    let row_at = |file, line, context, name, address| Row {
        number: None,
        address,
        file,
        line,
        context,
        name,
        is_entry: false,
    };
    for op in ops {
        let (number, address) = match *op {
            LineOp::SetFile(new) => {
                file = new as u32; // see `check_numbers`
                continue;
            }
            LineOp::InlinedCall { context: row, name: offset } => {
                (context, name) = (row, offset as u32);
                call_sites.insert(row);
                continue;
            }
            LineOp::EntryRow(flag) => {
                if is_left {
                    rows.push(row_at(file, line, context, name, last));
                }
                is_left = is_entry && flag == 0;
                is_entry = flag != 0;
                continue;
            }
            LineOp::Row { address, line: new } => {
                (line, count) = (new, count + 1);
                (Some(count), address)
            }
            // The first leads to the first row.
            LineOp::Advance(address) if count > 0 => (None, address),
            _ => continue,
        };
        (last, is_left) = (address, false);
        rows.push(Row { number, address, file, line, context, name, is_entry });
    }
    if is_left {
        rows.push(row_at(file, line, context, name, last));
    }
    (rows, call_sites)
}

impl CodeMap {
    /// Where in Mercury code the line changes that changes at a native address.
    fn mercury_line(&self, native: u64) -> Result<u64, Untranslatable> {
        let pairs = self.map.pairs();
        let pair = pairs
            .get(pairs.partition_point(|pair| pair.native < native))
            .filter(|pair| pair.native == native);
        let found =
            pair.map(|pair| pair.mercury).or_else(|| self.map.mercury(AddressRole::Instruction, native));
        found.ok_or(Untranslatable::Address(native, AddressRole::Instruction))
    }
}
