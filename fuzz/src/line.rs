//! Fuzz target: calls of the line program writer, with any parameters and either policy. gimli
//! reads the rows that were asked for, with all registers and marks.
//!
//! Calls that make no sense are refused, and leave not a byte.

use crate::Target;
use crate::seeds::sections;
use arbitrary::{Arbitrary, Unstructured};
use dwarf2_writer::line::{FileEntry, Header, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Error};
use gimli::{ColumnType, DebugLine, DebugLineOffset, LittleEndian};

/// A call; advances count from the address reached so far.
#[derive(Debug, Clone, Arbitrary)]
enum Call<'a> {
    Directory(&'a [u8]),
    File { name: &'a [u8], directory: u64 },
    KnownFilesOnly,
    Begin(u32),
    Row { advance: i16, line: u16 },
    FarRow { address: u64, line: u32 },
    AdvanceTo(u32),
    SetFile(u64),
    Column(u64),
    NegateStmt,
    BasicBlock,
    PrologueEnd,
    EpilogueBegin,
    Isa(u64),
    Vendor(u8, &'a [u8]),
    End(i16),
}

/// A row as gimli shows it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Row {
    address: u64,
    line: u64,
    file: u64,
    column: u64,
    isa: u64,
    is_stmt: bool,
    /// Basic block, end of the prologue, begin of the epilogue: of this row only.
    marks: [bool; 3],
    is_end: bool,
}

/// Lines of 31 bits: gimli's line register does not wrap at 32 bits as ptxas' does.
const LINES: u32 = 0x7fff_ffff;

impl Call<'_> {
    /// The address `advance` units away; those below 0 are beyond the largest.
    fn moved(from: u64, advance: i16, unit: u8) -> u64 {
        from.wrapping_add_signed(i64::from(advance) * i64::from(unit))
    }

    fn make(&self, program: &mut LineProgram, from: u64, unit: u8) -> Result<(), Error> {
        match *self {
            Self::Directory(path) => program.directory(path).map(drop),
            Self::File { name, directory } => {
                program.file(FileEntry { name, directory, mtime: directory, size: 0 }).map(drop)
            }
            Self::KnownFilesOnly => {
                program.known_files_only();
                Ok(())
            }
            Self::Begin(address) => program.begin_sequence(Address::Constant(address.into())),
            Self::Row { advance, line } => program.row(Self::moved(from, advance, unit), line.into()),
            Self::FarRow { address, line } => program.row(address, line & LINES),
            Self::AdvanceTo(address) => program.advance_to(address.into()),
            Self::SetFile(file) => program.set_file(file),
            Self::Column(column) => program.set_column(column),
            Self::NegateStmt => program.negate_stmt(),
            Self::BasicBlock => program.set_basic_block(),
            Self::PrologueEnd => program.set_prologue_end(),
            Self::EpilogueBegin => program.set_epilogue_begin(),
            Self::Isa(isa) => program.set_isa(isa),
            Self::Vendor(op, operands) => program.raw_extended(op, operands),
            Self::End(advance) => program.end_sequence(Self::moved(from, advance, unit)),
        }
    }
}

/// What the calls accepted so far stand for.
#[derive(Debug)]
struct Model {
    params: Params,
    directories: u64,
    files: u64,
    known_files_only: bool,
    open: bool,
    /// The registers.
    now: Row,
    rows: Vec<Row>,
}

impl Model {
    /// Whether the writer is to take the call.
    fn makes_sense(&self, call: &Call<'_>) -> bool {
        let has = |opcode| self.open && opcode < self.params.opcode_base;
        let from = self.now.address;
        let unit = self.params.minimum_instruction_length;
        match *call {
            Call::Directory(name) => is_name(name),
            Call::File { name, directory } => {
                let known = !self.known_files_only || directory <= self.directories;
                is_name(name) && known && u32::try_from(directory).is_ok()
            }
            Call::KnownFilesOnly => true,
            Call::Begin(_) => !self.open && self.knows(1),
            Call::Row { advance, .. } | Call::End(advance) => {
                self.open && self.ascends(from, Call::moved(from, advance, unit))
            }
            Call::FarRow { address, .. } => self.open && self.ascends(from, address),
            Call::AdvanceTo(address) => self.open && self.ascends(from, address.into()),
            Call::SetFile(file) => self.open && self.knows(file) && u32::try_from(file).is_ok(),
            Call::Column(_) | Call::NegateStmt | Call::BasicBlock => self.open,
            Call::PrologueEnd => has(10),
            Call::EpilogueBegin => has(11),
            Call::Isa(_) => has(12),
            Call::Vendor(op, _) => self.open && !matches!(op, 1 | 2),
        }
    }

    fn knows(&self, file: u64) -> bool {
        !self.known_files_only || (1..=self.files).contains(&file)
    }

    fn ascends(&self, from: u64, to: u64) -> bool {
        let unit = u64::from(self.params.minimum_instruction_length);
        to.checked_sub(from).is_some_and(|step| i64::try_from(step).is_ok() && step.is_multiple_of(unit))
    }

    /// Notes what a call did.
    fn note(&mut self, call: &Call<'_>) {
        let unit = self.params.minimum_instruction_length;
        let from = self.now.address;
        match *call {
            Call::Directory(_) => self.directories += 1,
            Call::File { .. } => self.files += 1,
            Call::KnownFilesOnly => self.known_files_only = true,
            Call::Begin(address) => {
                self.open = true;
                let is_stmt = self.params.default_is_stmt;
                self.now = Row { address: address.into(), line: 1, file: 1, is_stmt, ..Row::default() };
            }
            Call::Row { advance, line } => self.row(Call::moved(from, advance, unit), line.into()),
            Call::FarRow { address, line } => self.row(address, line & LINES),
            Call::AdvanceTo(address) => self.now.address = address.into(),
            Call::SetFile(file) => self.now.file = file,
            Call::Column(column) => self.now.column = column,
            Call::NegateStmt => self.now.is_stmt = !self.now.is_stmt,
            Call::BasicBlock => self.now.marks[0] = true,
            Call::PrologueEnd => self.now.marks[1] = true,
            Call::EpilogueBegin => self.now.marks[2] = true,
            Call::Isa(isa) => self.now.isa = isa,
            Call::Vendor(..) => {}
            Call::End(advance) => {
                self.now.address = Call::moved(from, advance, unit);
                self.rows.push(Row { is_end: true, ..self.now.clone() });
                self.open = false;
            }
        }
    }

    fn row(&mut self, address: u64, line: u32) {
        (self.now.address, self.now.line) = (address, line.into());
        self.rows.push(self.now.clone());
        self.now.marks = [false; 3];
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}

/// Mostly the default.
fn params(input: &mut Unstructured<'_>) -> arbitrary::Result<Params> {
    if input.ratio(2, 3)? {
        return Ok(Params::default());
    }
    Ok(Params {
        version: input.int_in_range(2..=3)?,
        minimum_instruction_length: input.int_in_range(1..=16)?,
        default_is_stmt: input.arbitrary()?,
        line_base: input.arbitrary()?,
        line_range: input.int_in_range(1..=u8::MAX)?,
        opcode_base: input.int_in_range(10..=13)?,
    })
}

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(30_000, 600);
    target.run_on_damaged(300, &sections());
}

/// Makes the calls that `data` stands for and reads the result. The writer takes those that make
/// sense; the others leave no trace in the bytes.
pub(crate) fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let policies = [Policy::Plain, Policy::Compact(Header::Choose), Policy::Compact(Header::Keep)];
    let policy = policies[data.len() % 3];
    let Ok(params) = params(&mut input) else { return };
    let unit = params.minimum_instruction_length;
    let start = || LineProgram::with_policy(params, policy).expect("usable parameters");
    let (mut program, mut taken) = (start(), Vec::new());
    let (directories, files, known_files_only, open) = (0, 0, false, false);
    let (now, rows) = (Row::default(), Vec::new());
    let mut model = Model { params, directories, files, known_files_only, open, now, rows };
    let mut make = |model: &mut Model, call: Call<'_>| {
        let from = model.now.address;
        let done = call.make(&mut program, from, unit);
        assert_eq!(done.is_ok(), model.makes_sense(&call), "{call:?}: {done:?}");
        if done.is_ok() {
            model.note(&call);
        }
        done.is_ok()
    };
    while !input.is_empty() {
        let Ok(call) = Call::arbitrary(&mut input) else { break };
        // Standard extended opcodes, which readers look into.
        let call = if let Call::Vendor(3 | 4, operands) = call { Call::Vendor(0x90, operands) } else { call };
        let from = model.now.address;
        if make(&mut model, call.clone()) {
            taken.push((call, from));
        }
    }
    let (end, from) = (Call::End(0), model.now.address);
    if model.open && make(&mut model, end.clone()) {
        taken.push((end, from));
    }
    let section = program.finish().expect("no sequence is open");

    let mut again = start();
    for (call, from) in taken {
        call.make(&mut again, from, unit).expect("taken before");
    }
    assert!(again.finish().expect("no sequence is open") == section, "a refused call left a trace");

    let mut rows = read(&section.bytes).expect("readable");
    if policy != Policy::Plain {
        // What no row needs is not written: the end of a sequence has its address.
        for row in rows.iter_mut().chain(&mut model.rows).filter(|row| row.is_end) {
            *row = Row { address: row.address, is_end: true, ..Row::default() };
        }
    }
    assert_eq!(rows, model.rows);
}

fn read(bytes: &[u8]) -> gimli::Result<Vec<Row>> {
    let mut reader = DebugLine::new(bytes, LittleEndian).program(DebugLineOffset(0), 8, None, None)?.rows();
    let mut rows = Vec::new();
    while let Some((_, row)) = reader.next_row()? {
        rows.push(Row {
            address: row.address(),
            line: row.line().map_or(0, u64::from),
            file: row.file_index(),
            column: match row.column() {
                ColumnType::LeftEdge => 0,
                ColumnType::Column(column) => column.get(),
            },
            isa: row.isa(),
            is_stmt: row.is_stmt(),
            marks: [row.basic_block(), row.prologue_end(), row.epilogue_begin()],
            is_end: row.end_sequence(),
        });
    }
    Ok(rows)
}
