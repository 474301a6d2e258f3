//! The line table encoders to compare, one function each: rows to the bytes of a complete
//! `.debug_line` section.

use dwarf2_writer::line::{FileEntry, Header, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Error};
use gimli::write;
use gimli::{Encoding, Format, LineEncoding, RunTimeEndian};

use crate::rows::{Table, files};

/// Encodes a table with `dwarf2_writer`, with `set_file` where the file changes.
///
/// # Errors
///
/// None for the rows of [`crate::rows`].
#[inline(never)] // counted by its name
pub fn ours(table: &Table, policy: Policy) -> Result<Vec<u8>, Error> {
    let mut program = program(policy)?;
    for sequence in table {
        program.begin_sequence(Address::Constant(0))?;
        let mut file = 1;
        for row in &sequence.rows {
            if row.file != file {
                file = row.file;
                program.set_file(file.into())?;
            }
            program.row(row.address, row.line)?;
        }
        program.end_sequence(sequence.end)?;
    }
    Ok(program.finish()?.bytes)
}

/// A program with one file: those of the rows are numbers to it.
fn program(policy: Policy) -> Result<LineProgram, Error> {
    let mut program = LineProgram::with_policy(Params::default(), policy)?;
    program.file(FileEntry { name: b"k.cu", directory: 0, mtime: 0, size: 0 })?;
    Ok(program)
}

/// Encodes a table with `gimli::write`, under the same header parameters.
///
/// # Panics
///
/// If gimli refuses the rows.
#[inline(never)]
pub fn gimli(table: &Table) -> Vec<u8> {
    let encoding = Encoding { format: Format::Dwarf32, version: 2, address_size: 8 };
    let line_encoding = LineEncoding {
        minimum_instruction_length: 1,
        maximum_operations_per_instruction: 1,
        default_is_stmt: true,
        line_base: -5,
        line_range: 14,
    };
    let text = |text: &str| write::LineString::String(text.as_bytes().to_vec());
    let mut program = write::LineProgram::new(encoding, line_encoding, text("/w"), None, text("k.cu"), None);
    let directory = program.default_directory();
    let files: Vec<_> =
        (0..files(table)).map(|i| program.add_file(text(&format!("f{i}.cu")), directory, None)).collect();
    for sequence in table {
        program.begin_sequence(Some(write::Address::Constant(0)));
        for row in &sequence.rows {
            let out = program.row();
            (out.address_offset, out.line, out.file) =
                (row.address, u64::from(row.line), files[row.file as usize - 1]);
            program.generate_row();
        }
        program.end_sequence(sequence.end);
    }
    let mut dwarf = write::Dwarf::new();
    dwarf.units.add(write::Unit::new(encoding, program));
    let mut sections = write::Sections::new(write::EndianVec::new(RunTimeEndian::Little));
    dwarf.write(&mut sections).expect("rows that gimli can write");
    sections.debug_line.0.into_vec()
}

/// Encodes a table with a plain encoder on the `leb128` crate, by the opcodes of
/// docs/formats/line-tables.md: without checks, and without a header.
///
/// # Panics
///
/// Never: a `Vec` takes all bytes.
#[inline(never)]
pub fn plain(table: &Table) -> Vec<u8> {
    let rows: usize = crate::rows::count(table);
    let mut out = Vec::with_capacity(rows * 6 + 16);
    for sequence in table {
        out.extend_from_slice(&[0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
        let (mut address, mut line, mut file) = (0, 1_i64, 1);
        for row in &sequence.rows {
            if row.file != file {
                out.push(4);
                leb128::write::unsigned(&mut out, row.file.into()).expect("vec");
                file = row.file;
            }
            let (advance, lines) = (row.address - address, i64::from(row.line) - line);
            let opcode = if (-5..9).contains(&lines) { (lines + 5) as u64 + 14 * advance + 10 } else { 999 };
            if opcode <= 255 && advance != 0 && lines != 0 {
                out.push(opcode as u8);
            } else {
                if lines != 0 || advance == 0 {
                    out.push(3);
                    leb128::write::signed(&mut out, lines).expect("vec");
                }
                if advance != 0 {
                    out.push(2);
                    leb128::write::signed(&mut out, advance as i64).expect("vec");
                }
                out.push(1);
            }
            (address, line) = (row.address, i64::from(row.line));
        }
        if sequence.end != address {
            out.push(2);
            leb128::write::signed(&mut out, (sequence.end - address) as i64).expect("vec");
        }
        out.extend_from_slice(&[0, 1, 1]);
    }
    out
}

/// Adds a header to a program of [`plain`], so that it can be read.
pub fn with_header(program: &[u8]) -> Vec<u8> {
    let mut out = ((program.len() + 22) as u32).to_le_bytes().to_vec();
    out.extend([2, 0, 16, 0, 0, 0, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0]);
    out.extend(program);
    out
}

/// The policy [`Policy::Compact`] that keeps the header parameters.
pub const KEEP: Policy = Policy::Compact(Header::Keep);
/// The policy [`Policy::Compact`] that chooses a `line_base` of its own.
pub const CHOOSE: Policy = Policy::Compact(Header::Choose);

/// Asserts that all encoders write the rows of `table`, and that their sizes are as expected.
///
/// # Panics
///
/// If one does not.
pub fn assert_same_rows(table: &Table) {
    use crate::rows::decode;
    let of = |policy| ours(table, policy).expect("valid rows");
    let (plain, gimli) = (plain(table), gimli(table));
    assert!(of(Policy::Plain).ends_with(&plain), "same opcode rule, same program");
    for policy in [Policy::Plain, KEEP, CHOOSE] {
        assert_eq!(&decode(&of(policy)), table, "{policy:?}");
    }
    assert_eq!(&decode(&with_header(&plain)), table, "plain");
    assert_eq!(&decode(&gimli), table, "gimli");
    let program = |section: &[u8]| {
        section.len() - 10 - u32::from_le_bytes([section[6], section[7], section[8], section[9]]) as usize
    };
    assert!(program(&of(KEEP)) <= program(&gimli), "no larger than gimli's for the same header");
    assert!(of(CHOOSE).len() <= of(KEEP).len());
}

#[cfg(test)]
mod tests {
    use super::assert_same_rows;
    use crate::rows;

    #[test]
    fn all_encoders_say_the_same_rows() {
        assert_same_rows(&rows::synthetic(20_000));
        for section in [".debug_line", ".nv_debug_line_sass"] {
            rows::corpus(section).iter().for_each(assert_same_rows);
        }
    }
}
