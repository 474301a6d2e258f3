//! Line rows: made-up ones, and those of the corpus.

use std::path::{Path, PathBuf};

use gimli::{DebugLine, DebugLineOffset, LittleEndian};
use object::{Object, ObjectSection};

/// A row of a line table, with the registers that all encoders support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// In bytes, from the start of the sequence.
    pub address: u64,
    /// 1-based, below 2^31.
    pub line: u32,
    /// 1-based, at most [`MAX_FILES`].
    pub file: u32,
}

/// The most files of a table. Higher file numbers are folded back.
pub const MAX_FILES: u64 = 64;

/// The rows of one function's code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequence {
    /// By ascending address.
    pub rows: Vec<Row>,
    /// The first byte after the code.
    pub end: u64,
}

/// The sequences of one line program.
pub type Table = Vec<Sequence>;

/// Returns the number of rows in `table`.
pub fn count(table: &Table) -> usize {
    table.iter().map(|sequence| sequence.rows.len()).sum()
}

/// Returns the highest file number of `table`, which is the size of its file table.
pub fn files(table: &Table) -> u64 {
    table.iter().flat_map(|sequence| &sequence.rows).map(|row| row.file.into()).max().unwrap_or(0)
}

/// Generates `n` rows in one sequence, as they are in line tables: address advances of 16 bytes,
/// now and then more; mostly small line advances; a few file changes.
pub fn synthetic(n: usize) -> Table {
    let (mut line, mut address, mut random) = (100_i64, 0, 0x9E37_79B9_7F4A_7C15_u64);
    let rows: Vec<Row> = (0..n)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            address += 16 * (1 + u64::from(random.is_multiple_of(10)) * ((random >> 8) % 6));
            let bits = random >> 20;
            line += match (random >> 16) % 10 {
                0..=6 => (bits % 12) as i64 - 4,
                7 | 8 => (bits % 60) as i64 - 30,
                _ => (bits % 400) as i64 - 200,
            };
            line = line.max(1);
            let file = if (random >> 40).is_multiple_of(20) { 1 + (random >> 50) % 4 } else { 1 };
            Row { address, line: line as u32, file: file as u32 }
        })
        .collect();
    let end = address + 16;
    vec![Sequence { rows, end }]
}

/// Reads the line tables in sections called `section` of the corpus' cubins. Returns an empty list
/// without `../shared/corpus`.
pub fn corpus(section: &str) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out")];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cubin") {
                tables.extend(std::fs::read(path).ok().and_then(|file| table_of(&file, section)));
            }
        }
    }
    tables
}

fn table_of(file: &[u8], section: &str) -> Option<Table> {
    let elf = object::File::parse(file).ok()?;
    let data = elf.section_by_name(section)?.data().ok()?;
    Some(decode(data)).filter(|table| count(table) > 0)
}

/// Joins the sequences of all tables to one program: many functions, as in a large cubin.
pub fn joined(tables: &[Table]) -> Table {
    tables.iter().flatten().cloned().collect()
}

/// Reads the first program of a section with gimli. A row with a line of 2^31 or more ends the
/// table, since encoders differ there.
///
/// # Panics
///
/// If the bytes are not a line program.
pub fn decode(section: &[u8]) -> Table {
    let program = DebugLine::new(section, LittleEndian).program(DebugLineOffset(0), 8, None, None);
    let mut reader = program.expect("a line program").rows();
    let (mut table, mut open) = (Table::new(), Sequence::default());
    while let Some((_, row)) = reader.next_row().expect("readable opcodes") {
        if row.end_sequence() {
            open.end = row.address();
            table.push(std::mem::take(&mut open));
            continue;
        }
        let Ok(line @ 0..0x8000_0000) = u32::try_from(row.line().map_or(0, u64::from)) else { break };
        let file = if row.file_index() > MAX_FILES {
            1 + row.file_index() % MAX_FILES
        } else {
            row.file_index().max(1)
        };
        open.rows.push(Row { address: row.address(), line, file: file as u32 });
    }
    table
}
