//! Calls of the line program writer -> bytes -> gimli -> rows.

use arbitrary::{Arbitrary, Unstructured};
use dwarf2_writer::line::{self, Header, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Error};
use gimli::{DebugLine, DebugLineOffset, LittleEndian};

#[derive(Debug, Arbitrary)]
enum Call {
    Begin(u32),
    Row { advance: u16, line: u16 },
    FarRow { address: u64, line: u32 },
    Rows(Vec<(u16, u16, u32)>),
    AdvanceTo(u32),
    File(u64),
    Column(u64),
    Vendor(Vec<u8>),
    End(u16),
}

/// Address, line, file, end of sequence.
type Row = (u64, u64, u64, bool);

/// What the calls accepted so far stand for.
#[derive(Debug, Default)]
struct Model {
    rows: Vec<Row>,
    open: bool,
    address: u64,
    line: u32,
    file: u64,
}

impl Model {
    /// Makes the call, if the writer takes it: it must take exactly those that make sense.
    fn call(&mut self, program: &mut LineProgram, call: Call) {
        let from = self.address;
        match call {
            Call::Begin(address) => {
                let address = u64::from(address);
                let begun = program.begin_sequence(Address::Constant(address));
                assert_eq!(begun.is_ok(), !self.open, "{begun:?}");
                if begun.is_ok() {
                    (self.open, self.address, self.line, self.file) = (true, address, 1, 1);
                }
            }
            Call::Row { advance, line: to } => {
                self.row(program, from.saturating_add(advance.into()), to.into());
            }
            // gimli's line register does not wrap at 32 bits as ptxas' does: stay where it need not.
            Call::FarRow { address, line } => self.row(program, address, line & 0x7fff_ffff),
            Call::Rows(rows) => {
                let mut address = from;
                let at_once: Vec<line::Row> = rows
                    .into_iter()
                    .map(|(advance, line, file)| {
                        address = address.saturating_add(advance.into());
                        line::Row { address, line: line.into(), file }
                    })
                    .collect();
                if self.taken(program.rows(&at_once)) {
                    for line::Row { address, line, file } in at_once {
                        (self.address, self.line, self.file) = (address, line, file.into());
                        self.rows.push((address, line.into(), file.into(), false));
                    }
                }
            }
            Call::AdvanceTo(address) => {
                let address = u64::from(address);
                if self.moved(address, program.advance_to(address)) {
                    self.address = address;
                }
            }
            Call::File(file) => {
                if self.taken(program.set_file(file)) {
                    self.file = file;
                }
            }
            Call::Column(column) => {
                self.taken(program.set_column(column));
            }
            Call::Vendor(data) => {
                self.taken(program.raw_extended(0x90, &data));
            }
            Call::End(advance) => {
                let address = from.saturating_add(advance.into());
                if self.moved(address, program.end_sequence(address)) {
                    self.rows.push((address, self.line.into(), self.file, true));
                    self.open = false;
                }
            }
        }
    }

    fn row(&mut self, program: &mut LineProgram, address: u64, line: u32) {
        if self.moved(address, program.row(address, line)) {
            (self.address, self.line) = (address, line);
            self.rows.push((address, line.into(), self.file, false));
        }
    }

    fn taken(&self, result: Result<(), Error>) -> bool {
        assert_eq!(result.is_ok(), self.open, "{result:?}");
        self.open
    }

    fn moved(&self, address: u64, result: Result<(), Error>) -> bool {
        let forwards =
            address.checked_sub(self.address).is_some_and(|advance| i64::try_from(advance).is_ok());
        assert_eq!(result.is_ok(), self.open && forwards, "{result:?}");
        result.is_ok()
    }
}

/// Makes the calls that `data` stands for and reads the result.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let policy = match data.len() % 3 {
        0 => Policy::Plain,
        1 => Policy::Compact(Header::Choose),
        _ => Policy::Compact(Header::Keep),
    };
    let Ok(mut program) = LineProgram::with_policy(Params::default(), policy) else {
        unreachable!("the default is valid")
    };
    let mut model = Model::default();
    while !input.is_empty() {
        let Ok(call) = Call::arbitrary(&mut input) else { break };
        model.call(&mut program, call);
    }
    model.call(&mut program, Call::End(1));
    if model.open {
        return; // at the end of the address space
    }
    let section = program.finish().expect("no sequence is open");
    let mut rows = read(&section.bytes).expect("readable");
    if policy != Policy::Plain {
        // What no row needs is not written: the end of a sequence has its address.
        for row in rows.iter_mut().chain(&mut model.rows).filter(|row| row.3) {
            *row = (row.0, 0, 0, true);
        }
    }
    assert_eq!(rows, model.rows);
}

fn read(bytes: &[u8]) -> gimli::Result<Vec<Row>> {
    let mut reader = DebugLine::new(bytes, LittleEndian).program(DebugLineOffset(0), 8, None, None)?.rows();
    let mut rows = Vec::new();
    while let Some((_, row)) = reader.next_row()? {
        rows.push((row.address(), row.line().map_or(0, u64::from), row.file_index(), row.end_sequence()));
    }
    Ok(rows)
}
