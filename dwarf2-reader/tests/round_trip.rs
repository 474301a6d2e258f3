//! What was read is written again to the same bytes: sections of cubins, and random ones that
//! `dwarf2-writer` wrote.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]
#![allow(clippy::print_stdout, reason = "how much was compared, or that it was skipped")]

#[path = "support/lines.rs"]
#[allow(dead_code, reason = "this test takes its rows")]
mod lines;
#[path = "support/outcome.rs"]
#[allow(dead_code, reason = "`lines` needs it")]
mod outcome;
#[path = "support/sections.rs"]
#[allow(dead_code, reason = "the comparison with gimli takes ranges")]
mod sections;
mod support;
#[path = "support/written.rs"]
mod written;

use dwarf2_reader::info::{Node, Units};
use dwarf2_reader::{Format, frame, line};
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, Fde, FrameTable, Params as FrameParams};
use dwarf2_writer::info::{Block, DebugInfo, EntryId, Params, Value};
use dwarf2_writer::line::{FileEntry, Header, LineProgram, Params as LineParams, Policy};
use dwarf2_writer::{Address, Expression};
use lines::Row;
use proptest::prelude::*;
use std::collections::BTreeMap;
use support::files;
use written::{Refused, address_ranges, frames, info, loc_lists, macros, names, string_table};

/// The section with 0 for each code of an abbreviation, where all codes are of one byte.
fn without_codes((info, abbrev): (&Vec<u8>, &[u8])) -> Vec<u8> {
    let mut bytes = info.clone();
    let read = Units::read(info, abbrev).unwrap();
    for unit in read.all() {
        for node in read.nodes(unit, info) {
            let Node::Entry(entry) = node.unwrap() else { continue };
            assert!(entry.abbreviation().code < 0x80);
            bytes[entry.offset() as usize] = 0;
        }
    }
    bytes
}

/// By section: how many came back, and why others did not.
type Counts = BTreeMap<(&'static str, Refused), usize>;

#[test]
fn sections_of_cubins() {
    let mut counts = Counts::new();
    let mut count = |section: &'static str, name: &str, bytes: &[u8], written: Result<Vec<u8>, Refused>| {
        if bytes.is_empty() {
            return;
        }
        let outcome = match written {
            Ok(written) => {
                assert!(written == bytes, "{name}: {section} differs");
                "same"
            }
            Err(refused) => refused,
        };
        *counts.entry((section, outcome)).or_default() += 1;
    };
    for file in files() {
        let section = |name| file.section(name);
        let (info_bytes, abbrev) = (section(".debug_info"), section(".debug_abbrev"));
        match info(info_bytes, abbrev) {
            Ok((written, written_abbrev)) if written_abbrev == abbrev => {
                count(".debug_info", &file.name, info_bytes, Ok(written));
                count(".debug_abbrev", &file.name, abbrev, Ok(written_abbrev));
            }
            Ok((written, written_abbrev)) => {
                // Another producer numbers abbreviations in another order, or has some that no
                // entry uses.
                let [ours, theirs] =
                    [(&written, &written_abbrev[..]), (&info_bytes.to_vec(), abbrev)].map(without_codes);
                assert!(ours == theirs, "{}", file.name);
                count(".debug_info", &file.name, info_bytes, Err("same but for codes of abbreviations"));
            }
            Err(refused) => count(".debug_info", &file.name, info_bytes, Err(refused)),
        }
        for (name, written) in [
            (".debug_loc", loc_lists(section(".debug_loc"))),
            (".debug_pubnames", names(".debug_pubnames", section(".debug_pubnames"))),
            (".debug_pubtypes", names(".debug_pubtypes", section(".debug_pubtypes"))),
            (".debug_aranges", address_ranges(section(".debug_aranges"))),
            (".debug_macinfo", macros(section(".debug_macinfo"))),
            (".debug_str", string_table(section(".debug_str"))),
            (".debug_frame", frames(section(".debug_frame"))),
        ] {
            count(name, &file.name, section(name), written);
        }
    }
    println!("{counts:#?}");
    assert!(counts.contains_key(&(".debug_info", "same")), "{counts:?}");
    // Only entries may be written in ways that the writer does not have. Pointers in the FDEs of
    // nvlink go past their CIE (docs/conformance.md, `.debug_frame`).
    assert!(
        counts.keys().all(|(section, outcome)| *section == ".debug_info"
            || *outcome == "same"
            || (*section, *outcome) == (".debug_frame", "an FDE that is not after its CIE")),
        "{counts:?}"
    );
}

/// A value by its form; references by a number that is taken modulo the entries that there are.
#[derive(Debug, Clone)]
struct Model {
    form: usize,
    number: u64,
    bytes: Vec<u8>,
    is_indirect: bool,
}

const FORMS: usize = 21;

impl Model {
    fn value<'v>(&'v self, ids: &[EntryId], root: EntryId) -> Value<'v> {
        let Self { form, number, bytes, .. } = self;
        let (number, block) = (*number, Block::from(&bytes[..]));
        let entry = ids[number as usize % ids.len()];
        let address = Address::Constant(number);
        let offset = Address::Constant(u64::from(number as u32));
        match form {
            0 => Value::Addr(address),
            1 => Value::Block1(block),
            2 => Value::Block2(block),
            3 => Value::Block4(block),
            4 => Value::Block(block),
            5 => Value::Data1(number as u8),
            6 => Value::Data2(number as u16),
            7 => Value::Data4(number as u32),
            8 => Value::Data8(number),
            9 => Value::String(bytes),
            10 => Value::Flag(number & 1 == 1),
            11 => Value::Sdata(number.cast_signed() >> (number & 63)),
            12 => Value::Strp(offset),
            13 => Value::Udata(number >> (number & 63)),
            14 => Value::RefAddr(entry),
            // Too far for an entry of these sections.
            15 => Value::RefAddrOffset(Address::Constant(number | 1 << 40)),
            16 => Value::Ref1(root), // always near enough
            17 => Value::Ref2(entry),
            18 => Value::Ref4(entry),
            19 => Value::Ref8(entry),
            _ => Value::RefUdata(entry),
        }
    }
}

fn model() -> impl Strategy<Value = Model> {
    let bytes = prop::collection::vec(1..=u8::MAX, 0..200);
    (0..FORMS, any::<u64>(), bytes, any::<bool>()).prop_map(|(form, number, bytes, is_indirect)| Model {
        form,
        number,
        bytes,
        is_indirect,
    })
}

/// Parent, tag and attributes of each entry but the first.
type Tree = Vec<(usize, u16, BTreeMap<u16, Model>)>;

fn tree() -> impl Strategy<Value = Tree> {
    let attributes = prop::collection::btree_map(1..0x3000_u16, model(), 0..6);
    prop::collection::vec((any::<usize>(), 1..0x5000_u16, attributes), 1..40)
}

fn random_info(trees: &[Tree]) -> (Vec<u8>, Vec<u8>) {
    let mut info = DebugInfo::new(Params::default());
    for tree in trees {
        let root = info.reserve_unit();
        let mut ids = vec![root];
        ids.extend(tree.iter().skip(1).map(|_| info.reserve(root).unwrap()));
        for (number, (parent, tag, attributes)) in tree.iter().enumerate() {
            let plain: Vec<_> =
                attributes.iter().map(|(name, model)| (*name, model, model.value(&ids, root))).collect();
            let values: Vec<_> = plain
                .iter()
                .map(|(name, model, value)| {
                    (*name, if model.is_indirect { Value::Indirect(value) } else { *value })
                })
                .collect();
            match number {
                0 => info.fill_unit(root, *tag, &values).unwrap(),
                _ => info.fill(ids[number], ids[parent % number], *tag, &values).unwrap(),
            }
        }
    }
    let sections = info.finish().unwrap();
    (sections.info.bytes, sections.abbrev)
}

/// An instruction of any kind; the field may have any number that fits it.
fn call_frame_instruction() -> impl Strategy<Value = Cfi> {
    let bytes = prop::collection::vec(any::<u8>(), 0..20);
    (0..26_u8, any::<u64>(), any::<u64>(), any::<u32>(), bytes).prop_map(
        |(kind, first, second, bits, bytes)| {
            let register = first >> (bits & 63);
            let factored_offset = second >> (bits >> 8 & 63);
            let signed = second.cast_signed() >> (bits >> 8 & 63);
            let (small, expression) = (first as u8 & 63, Expression::from(bytes));
            match kind {
                0 => Cfi::Nop,
                1 => Cfi::SetLoc(Address::Constant(first)),
                2 => Cfi::AdvanceLoc(small),
                3 => Cfi::AdvanceLoc1(first as u8),
                4 => Cfi::AdvanceLoc2(first as u16),
                5 => Cfi::AdvanceLoc4(bits),
                6 => Cfi::Offset { register: small, factored_offset },
                7 => Cfi::OffsetExtended { register, factored_offset },
                8 => Cfi::OffsetExtendedSf { register, factored_offset: signed },
                9 => Cfi::ValOffset { register, factored_offset },
                10 => Cfi::ValOffsetSf { register, factored_offset: signed },
                11 => Cfi::Restore { register: small },
                12 => Cfi::RestoreExtended { register },
                13 => Cfi::Undefined { register },
                14 => Cfi::SameValue { register },
                15 => Cfi::Register { register, source: second },
                16 => Cfi::RememberState,
                17 => Cfi::RestoreState,
                18 => Cfi::DefCfa { register, offset: factored_offset },
                19 => Cfi::DefCfaSf { register, factored_offset: signed },
                20 => Cfi::DefCfaRegister { register },
                21 => Cfi::DefCfaOffset(factored_offset),
                22 => Cfi::DefCfaOffsetSf(signed),
                23 => Cfi::DefCfaExpression(expression),
                24 => Cfi::Expression { register, expression },
                _ => Cfi::ValExpression { register, expression },
            }
        },
    )
}

/// A CIE, and the FDEs that name it: first address, bytes of code, instructions.
type Frames = (Cie, Vec<(u64, u64, Vec<Cfi>)>);

fn frame_entries() -> impl Strategy<Value = Frames> {
    let instructions = || prop::collection::vec(call_frame_instruction(), 0..8);
    let cie = (
        prop::sample::select(vec![1_u8, 3, 4]),
        prop::collection::vec(1..=u8::MAX, 0..3),
        any::<u64>(),
        any::<i64>(),
        any::<u64>(),
        instructions(),
    );
    let cie = cie.prop_map(|(version, augmentation, code, data, register, instructions)| Cie {
        version,
        augmentation,
        code_alignment_factor: code,
        data_alignment_factor: data,
        return_address_register: if version == 1 { register & 0xff } else { register },
        instructions,
    });
    (cie, prop::collection::vec((any::<u64>(), any::<u64>(), instructions()), 0..4))
}

/// One step of a line program: a call of the writer, with numbers that it takes modulo what is
/// possible.
type Step = (u8, u64, u32);

/// The end of a sequence: of its registers only the address counts, and a compact program does not
/// set the others.
const fn end_row(address: u64) -> Row {
    Row { address, is_end: true, ..Row::first(true) }
}

/// A program, and what it was told as rows.
fn line_program(params: LineParams, policy: Policy, sequences: &[(u64, Vec<Step>)]) -> (Vec<u8>, Vec<Row>) {
    let mut program = LineProgram::with_policy(params, policy).unwrap();
    let directory = program.directory(b"/home").unwrap();
    program.file(FileEntry { name: b"a.cu", directory, mtime: 1, size: 0x1234 }).unwrap();
    program.file(FileEntry { name: b"b.cu", directory: 0, mtime: 0, size: 0 }).unwrap();
    let mut rows = Vec::new();
    for (start, steps) in sequences {
        program.begin_sequence(Address::Constant(*start)).unwrap();
        let mut row = Row { address: *start, ..Row::first(params.default_is_stmt) };
        for (kind, address, number) in steps {
            let next = row.address + address * u64::from(params.minimum_instruction_length);
            match kind {
                0 => {
                    row.file = (*number).into();
                    program.set_file(row.file).unwrap();
                }
                1 => {
                    row.column = (*number).into();
                    program.set_column(row.column).unwrap();
                }
                2 => {
                    row.is_stmt ^= true;
                    program.negate_stmt().unwrap();
                }
                3 => {
                    row.is_basic_block = true;
                    program.set_basic_block().unwrap();
                }
                4 if params.opcode_base > 10 => {
                    row.is_prologue_end = true;
                    program.set_prologue_end().unwrap();
                }
                5 if params.opcode_base > 11 => {
                    row.is_epilogue_begin = true;
                    program.set_epilogue_begin().unwrap();
                }
                6 if params.opcode_base > 12 => {
                    row.isa = (*number).into();
                    program.set_isa(row.isa).unwrap();
                }
                7 => {
                    row.address = next;
                    program.advance_to(next).unwrap();
                }
                8 => program.raw_extended(0x90, &number.to_le_bytes()).unwrap(),
                _ => {
                    let line =
                        if number % 3 == 0 { row.line as u32 + number % 10 } else { number >> (number % 32) };
                    (row.address, row.line) = (next, line.into());
                    program.row(next, line).unwrap();
                    rows.push(row.take());
                }
            }
        }
        row.address += u64::from(params.minimum_instruction_length);
        program.end_sequence(row.address).unwrap();
        rows.push(end_row(row.address));
    }
    (program.finish().unwrap().bytes, rows)
}

proptest! {
    #[test]
    fn random_entries(trees in prop::collection::vec(tree(), 1..4)) {
        let (bytes, abbrev) = random_info(&trees);
        prop_assert_eq!(info(&bytes, &abbrev), Ok((bytes, abbrev)));
    }

    #[test]
    fn random_lists(bytes in sections::locations()) {
        prop_assert_eq!(loc_lists(&bytes), Ok(bytes));
    }

    #[test]
    fn random_names(bytes in sections::names()) {
        prop_assert_eq!(names(".debug_pubnames", &bytes), Ok(bytes));
    }

    #[test]
    fn random_addresses(bytes in sections::addresses()) {
        prop_assert_eq!(address_ranges(&bytes), Ok(bytes));
    }

    #[test]
    fn random_macros(bytes in sections::macros()) {
        prop_assert_eq!(macros(&bytes), Ok(bytes));
    }

    #[test]
    fn random_strings(bytes in sections::strings()) {
        prop_assert_eq!(string_table(&bytes), Ok(bytes));
    }

    #[test]
    fn random_frames(
        (is_64_bit, alignment, all) in
            (any::<bool>(), prop::sample::select(vec![1_u8, 4, 8]), prop::collection::vec(frame_entries(), 0..4)),
    ) {
        let format = if is_64_bit { Format::Dwarf64 } else { Format::Dwarf32 };
        let mut table = FrameTable::new(FrameParams { format, alignment, cie_pointer_symbol: None }).unwrap();
        let mut instructions = Vec::new();
        for (cie, fdes) in &all {
            let id = table.cie(cie).unwrap();
            instructions.push(&cie.instructions);
            for (address, range, all) in fdes {
                table.fde(&Fde {
                    cie: id,
                    initial_location: Address::Constant(*address),
                    address_range: *range,
                    range_symbol: None,
                    instructions: all.clone(),
                }).unwrap();
                instructions.push(all);
            }
        }
        let bytes = table.finish().bytes;
        prop_assert_eq!(frames(&bytes), Ok(bytes.clone()));
        // What was asked for is read, with no more than the padding after it.
        let read: Vec<_> = frame::entries(&bytes).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read.len(), instructions.len());
        for ((_, entry), asked) in read.into_iter().zip(instructions) {
            let span = match entry {
                frame::Entry::Cie(cie) => {
                    prop_assert_eq!(cie.format, format);
                    cie.instructions
                }
                frame::Entry::Fde(fde) => fde.instructions,
            };
            let all = written::instructions(&bytes, span).unwrap();
            prop_assert_eq!(&all[..asked.len()], &asked[..]);
            prop_assert!(all[asked.len()..].iter().all(|padding| *padding == Cfi::Nop));
        }
    }

    #[test]
    fn random_line_programs(
        params in (2..=3_u16, 1..9_u8, any::<bool>(), any::<i8>(), 1..=u8::MAX, 10..14_u8),
        policy in prop::sample::select(vec![
            Policy::Plain, Policy::Compact(Header::Keep), Policy::Compact(Header::Choose),
        ]),
        sequences in prop::collection::vec(
            (0..1_u64 << 40, prop::collection::vec((0..14_u8, 0..400_u64, any::<u32>()), 0..30)), 0..4),
    ) {
        let (version, minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base) = params;
        let params = LineParams { version, minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base };
        let (bytes, asked) = line_program(params, policy, &sequences);
        let all: Vec<_> = line::units(&bytes).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(all.len(), 1);
        let (span, unit) = &all[0];
        prop_assert_eq!(span.clone(), 0..bytes.len() as u64);
        let line_base = if policy == Policy::Compact(Header::Choose) { unit.params.line_base } else { line_base };
        prop_assert_eq!(unit.params, LineParams { line_base, ..params });
        let mut tables = unit.tables.clone();
        prop_assert_eq!(line::directories(&mut tables).unwrap(), vec![b"/home"]);
        let files = [(&b"a.cu"[..], 1, 1, 0x1234), (b"b.cu", 0, 0, 0)];
        for (name, directory, mtime, size) in files {
            prop_assert_eq!(line::file(&mut tables), Ok(Some(FileEntry { name, directory, mtime, size })));
        }
        prop_assert_eq!(line::file(&mut tables), Ok(None));
        prop_assert!(tables.is_empty());
        let mut rows = lines::rows(unit).unwrap();
        for row in &mut rows {
            row.line = u64::from(row.line as u32); // lines wrap at 32 bits
            if row.is_end {
                *row = end_row(row.address);
            }
        }
        prop_assert_eq!(rows, asked);
    }
}
