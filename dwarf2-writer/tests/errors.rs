//! Each error by a call that meets it; the call leaves its writer as it was.

use std::collections::BTreeSet;
use std::fmt::Debug;

use dwarf2_writer::abbrev::AbbrevTable;
use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::constants::*;
use dwarf2_writer::frame::{self, CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable};
use dwarf2_writer::info::{self, DebugInfo, Value};
use dwarf2_writer::line::{FileEntry, Header, LineProgram, Params, Policy};
use dwarf2_writer::loc::{Location, LocationTable};
use dwarf2_writer::macinfo::{Macro, MacroTable};
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Error, Expression, Operation, Reloc, SymbolId};
use leb128_nv::Field;

const SYMBOL: SymbolId = SymbolId(3);
/// An offset past 4 GiB, known or from a symbol.
const PAST: [Address; 3] = [
    Address::Constant(1 << 32),
    Address::Symbol { symbol: SYMBOL, addend: 1 << 32 },
    Address::Symbol { symbol: SYMBOL, addend: -(1 << 31) - 1 },
];

/// The errors met so far.
#[derive(Default)]
struct Met(Vec<Error>);

impl Met {
    /// Makes a call that is to be refused, with the contents of the section before and after it.
    fn refused<W: Clone, T: Debug, S: PartialEq + Debug>(
        &mut self,
        writer: &mut W,
        finish: fn(W) -> S,
        call: impl FnOnce(&mut W) -> Result<T, Error>,
    ) {
        let before = finish(writer.clone());
        let error = call(writer).expect_err("refused");
        assert_eq!(finish(writer.clone()), before, "{error}");
        self.0.push(error);
    }

    /// A call without a writer.
    fn error<T: Debug>(&mut self, result: Result<T, Error>) {
        self.0.push(result.expect_err("refused"));
    }

    fn names(&self) -> BTreeSet<String> {
        let name = |error| format!("{error:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned();
        self.0.iter().map(name).collect()
    }
}

/// The variants in the source of [`Error`].
fn variants() -> BTreeSet<String> {
    let body = include_str!("../src/error.rs").split_once("pub enum Error {").expect("the enum").1;
    let body = body.split_once("\n}\n").expect("its end").0;
    let names = body.lines().filter_map(|line| {
        let name = line.strip_prefix("    ")?.trim_end_matches([',', ' ', '{']);
        let name = name.split('(').next()?;
        name.starts_with(|first: char| first.is_ascii_uppercase()).then(|| name.to_owned())
    });
    names.collect()
}

#[test]
fn every_error_is_met_and_leaves_nothing_behind() {
    let mut met = Met::default();
    for policy in [Policy::Plain, Policy::Compact(Header::Choose), Policy::Compact(Header::Keep)] {
        for params in [
            Params::default(),
            Params { minimum_instruction_length: 4, opcode_base: 13, ..Params::default() },
        ] {
            line(&mut met, policy, params);
        }
    }
    frames(&mut met);
    entries(&mut met);
    expressions(&mut met);
    lists(&mut met);
    assert_eq!(met.names(), variants());
    for error in &met.0 {
        assert!(error.to_string().len() > 10, "{error:?}");
    }
}

/// A program with its sequence, if that is open, ended after one more row.
fn finish_line(mut program: LineProgram) -> Result<dwarf2_writer::Section, Error> {
    let _ = program.row(0x1ff0, 5).and_then(|()| program.end_sequence(0x2000));
    program.finish()
}

fn line(met: &mut Met, policy: Policy, params: Params) {
    met.error(LineProgram::with_policy(Params { line_range: 0, ..params }, policy));
    let entry = |name, directory| FileEntry { name, directory, mtime: 0, size: 0 };
    let mut program = LineProgram::with_policy(params, policy).expect("usable");
    program.directory(b"/src").expect("a name");
    program.file(entry(b"a.cu", 1)).expect("a name");
    let refused = &mut |program: &mut _, call: &dyn Fn(&mut LineProgram) -> Result<(), Error>| {
        met.refused(program, finish_line, call);
    };
    refused(&mut program, &|p| p.directory(b"").map(drop));
    refused(&mut program, &|p| p.directory(b"a\0").map(drop));
    refused(&mut program, &|p| p.file(entry(b"", 1)).map(drop));
    refused(&mut program, &|p| p.file(entry(b"\0", 1)).map(drop));
    refused(&mut program, &|p| p.file(entry(b"b", 1 << 32)).map(drop));
    for past in PAST {
        refused(&mut program, &|p| p.header_tail_offset(past));
    }
    refused(&mut program, &|p| p.set_file(1));

    let before_its_symbol = Address::Symbol { symbol: SYMBOL, addend: -16 };
    refused(&mut program, &|p| p.begin_sequence(before_its_symbol));
    program.begin_sequence(Address::Constant(0x100)).expect("closed");
    // Two rows would be shorter with another `line_base`: not enough to choose it.
    let few = (0..300).map(|i| (0x100 + 16 * i, 1 + i as u32));
    for (address, line) in few.chain((0..2).map(|i| (0x13c0 + 16 * i, 312 + 12 * i as u32))) {
        program.row(address, line).expect("ascending");
    }
    program.set_column(8).expect("open");
    program.advance_to(0x1400).expect("ascending");
    met.error(program.clone().finish());
    let refused = &mut |program: &mut _, call: &dyn Fn(&mut LineProgram) -> Result<(), Error>| {
        met.refused(program, finish_line, call);
    };
    refused(&mut program, &|p| p.begin_sequence(Address::Constant(0x200)));
    refused(&mut program, &|p| p.set_file(1 << 32));
    refused(&mut program, &|p| p.raw_extended(DW_LNE_end_sequence, &[]));
    refused(&mut program, &|p| p.raw_extended(DW_LNE_set_address, &[0; 8]));
    if params.opcode_base == 10 {
        refused(&mut program, &|p| p.set_prologue_end());
        refused(&mut program, &|p| p.set_isa(1));
    } else {
        refused(&mut program, &|p| p.row(0x1401, 1));
        refused(&mut program, &|p| p.advance_to(0x1402));
        refused(&mut program, &|p| p.end_sequence(0x1403));
    }
    for (address, line) in [(0, 1), (u64::MAX - 3, 1)] {
        refused(&mut program, &|p| p.row(address, line));
        refused(&mut program, &|p| p.advance_to(address));
        refused(&mut program, &|p| p.end_sequence(address));
    }

    program.known_files_only();
    refused(&mut program, &|p| p.set_file(0));
    refused(&mut program, &|p| p.set_file(2));
    refused(&mut program, &|p| p.file(entry(b"b", 2)).map(drop));
    let mut empty = LineProgram::with_policy(params, policy).expect("usable");
    empty.known_files_only();
    refused(&mut empty, &|p| p.begin_sequence(Address::Constant(0)));
}

fn frames(met: &mut Met) {
    met.error(FrameTable::new(frame::Params { alignment: 3, ..frame::Params::default() }));
    let mut table = FrameTable::new(frame::Params::default()).expect("valid");
    let cie = Cie { version: 3, ..Cie::default() };
    table.cie(&cie).expect("valid");
    let cies = [
        Cie { version: 2, ..cie.clone() },
        Cie { version: 1, return_address_register: 256, ..cie.clone() },
        Cie { augmentation: b"\0".to_vec(), ..cie.clone() },
        Cie { instructions: vec![Cfi::Restore { register: 64 }], ..cie },
    ];
    for cie in cies {
        met.refused(&mut table, FrameTable::finish, |table| table.cie(&cie));
    }
    let fde = Fde {
        cie: CieId(1),
        initial_location: Address::Symbol { symbol: SYMBOL, addend: 0 },
        address_range: 16,
        range_symbol: Some(SYMBOL),
        instructions: vec![Cfi::SetLoc(Address::Symbol { symbol: SYMBOL, addend: 8 }), Cfi::AdvanceLoc(64)],
    };
    met.refused(&mut table, FrameTable::finish, |table| table.fde(&fde));
    met.refused(&mut table, FrameTable::finish, |table| table.fde(&Fde { cie: CieId(0), ..fde }));
}

fn finish_info(info: DebugInfo) -> Result<(dwarf2_writer::Section, Vec<u8>), Error> {
    info.finish().map(|sections| (sections.info, sections.abbrev))
}

fn entries(met: &mut Met) {
    let mut info = DebugInfo::new(info::Params::default());
    let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let other = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let child = info.entry(root, DW_TAG_variable, &[]).expect("valid");
    let later = info.reserve(root).expect("a unit");
    let mut elsewhere = info.clone();
    let stranger = elsewhere.reserve(root).expect("a unit");

    met.refused(&mut info, finish_info, |info| info.entry(stranger, DW_TAG_variable, &[]));
    met.refused(&mut info, finish_info, |info| info.entry(later, DW_TAG_variable, &[]));
    met.refused(&mut info, finish_info, |info| info.fill(child, root, DW_TAG_variable, &[]));
    met.refused(&mut info, finish_info, |info| info.fill(root, root, DW_TAG_variable, &[]));
    met.refused(&mut info, finish_info, |info| info.fill(later, other, DW_TAG_variable, &[]));
    met.refused(&mut info, finish_info, |info| info.fill_unit(other, DW_TAG_variable, &[]));
    let name = (DW_AT_name, Value::String(b"a"));
    met.refused(&mut info, finish_info, |info| info.entry(root, 0, &[name]));
    met.refused(&mut info, finish_info, |info| info.entry(root, 1, &[name, name]));
    let stray = [Reloc::new(0, 3, SYMBOL, 0)];
    let mut values = vec![
        Value::String(b"a\0b"),
        Value::Block1([0; 256].as_slice().into()),
        Value::Block(info::Block { bytes: &[0; 8], relocs: &stray }),
        Value::Ref4(other),
    ];
    values.extend(PAST.into_iter().flat_map(|past| [Value::Strp(past), Value::Offset(past)]));
    for value in values {
        // After one that is taken, with a relocation and a reference.
        let address = Address::Symbol { symbol: SYMBOL, addend: 0 };
        let attributes =
            [(DW_AT_low_pc, Value::Addr(address)), (DW_AT_type, Value::RefUdata(child)), (DW_AT_name, value)];
        met.refused(&mut info, finish_info, |info| info.entry(root, DW_TAG_variable, &attributes));
        met.refused(&mut info, finish_info, |info| info.fill(later, root, DW_TAG_variable, &attributes));
        met.refused(&mut info, finish_info, |info| info.unit(DW_TAG_compile_unit, &attributes[2..]));
    }

    let mut far = info.clone();
    let long = [0; 256];
    far.entry(root, DW_TAG_variable, &[(DW_AT_location, Value::Block2(long.as_slice().into()))])
        .expect("valid");
    let last = far.entry(root, DW_TAG_variable, &[]).expect("valid");
    far.entry(root, DW_TAG_variable, &[(DW_AT_type, Value::Ref1(last))]).expect("known later");
    met.error(far.finish());
    for past in PAST {
        met.error(DebugInfo::new(info::Params { abbrev: past, ..info::Params::default() }).finish());
    }

    let mut table = AbbrevTable::new();
    table.add(DW_TAG_variable, false, &[(DW_AT_name, DW_FORM_string)]).expect("valid");
    let twice = [(DW_AT_name, DW_FORM_string), (DW_AT_name, DW_FORM_strp)];
    met.refused(&mut table, AbbrevTable::finish, |table| table.add(DW_TAG_variable, true, &twice));
    met.refused(&mut table, AbbrevTable::finish, |table| {
        table.add(DW_TAG_variable, true, &[(DW_AT_name, 0)])
    });
}

fn expressions(met: &mut Met) {
    let mut far = vec![Operation::Skip(9000)];
    far.resize(9001, Operation::Const4u(0));
    for operations in [&[Operation::Plain(DW_OP_addr)][..], &[Operation::Lit(32)], &[Operation::Bra(2)], &far]
    {
        met.error(Expression::new(operations));
    }
}

fn lists(met: &mut Met) {
    let symbol = |addend| Address::Symbol { symbol: SYMBOL, addend };
    let range = |begin, end, location| Location::Range { begin, end, location };
    let mut table = LocationTable::new();
    let valid = range(symbol(0), symbol(8), Expression::from(vec![0x50]));
    table.list(std::slice::from_ref(&valid)).expect("valid");
    for location in [
        range(symbol(8), symbol(0), Expression::default()),
        range(symbol(0), symbol(0), Expression::default()),
        range(Address::Constant(u64::MAX), symbol(0), Expression::default()),
        range(symbol(0), symbol(1), Expression::from(vec![0; 0x1_0000])),
    ] {
        met.refused(&mut table, LocationTable::finish, |table| table.list(&[valid.clone(), location]));
    }

    let mut table = ArangeTable::new();
    table.unit(0.into(), &[(symbol(0), 8)]).expect("valid");
    for range in [(Address::Constant(u64::MAX), 1), (symbol(0), 0)] {
        met.refused(&mut table, ArangeTable::finish, |table| table.unit(0.into(), &[(symbol(0), 8), range]));
    }
    let mut names = PubTable::new();
    let valid = NameSet { info: 0.into(), info_length: 40, names: &[(11, b"x")] };
    names.unit(&valid).expect("valid");
    for name in [(0, b"y".as_slice()), (12, b"y\0")] {
        let set = NameSet { names: &[(11, b"x"), name], ..valid };
        met.refused(&mut names, PubTable::finish, |names| names.unit(&set));
    }
    for past in PAST {
        met.refused(&mut table, ArangeTable::finish, |table| table.unit(past, &[]));
        met.refused(&mut names, PubTable::finish, |names| names.unit(&NameSet { info: past, ..valid }));
    }

    let mut table = MacroTable::new();
    let (open, close) = (Macro::StartFile { line: 0, file: 1 }, Macro::EndFile);
    table.list(&[open, close]).expect("valid");
    for list in [[open, open], [close, open], [open, Macro::Undef { line: 1, text: b"\0" }]] {
        met.refused(&mut table, MacroTable::finish, |table| table.list(&list));
    }
    let mut strings = StringTable::new();
    strings.add(b"a").expect("valid");
    met.refused(&mut strings, StringTable::finish, |strings| strings.add(b"b\0"));
    met.refused(&mut strings, StringTable::finish, |strings| strings.append(b"\0b"));
}

#[test]
fn numbers_that_do_not_fit_are_named_as_ptxas_names_them() {
    let mut program = LineProgram::new(Params::default()).expect("usable");
    program.begin_sequence(Address::Constant(0)).expect("closed");
    let file = program.set_file(0x1_0000_0000).expect_err("33 bits");
    assert_eq!(file, Error::Leb128 { field: Field::FILE_NUMBER, value: 1 << 32, max: u32::MAX.into() });
    assert_eq!(
        file.to_string(),
        "overflow when generating LEB128 number for file number: it is 0x100000000, at most 0xffffffff fits"
    );
    let message = program.row(1 << 63, 1).expect_err("64 bits").to_string();
    assert!(message.starts_with("overflow when generating LEB128 number for address advance: "), "{message}");
}
