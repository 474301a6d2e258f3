//! Tests on hand-made sections, with what the real tool did with them (ptxas 13.0.88, `-arch=sm_90
//! -g`), and with their faults.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use super::Message::*;
use super::Outcome::{self, *};
use super::{Fault, FaultKind, Input, read};
use crate::limits::MAX_FAULTS;
use support::ptxas;

/// Name, `.debug_info`, `.debug_abbrev`, what ptxas did.
#[rustfmt::skip]
const OBSERVED: &[(&str, &str, &str, Outcome)] = &[
    ("one entry", "0a00000002000000000008017800", "0111000308000000", Accepts),
    ("empty .debug_info", "", "0111000308000000", Accepts),
    ("empty .debug_abbrev: every code is past the list", "0a00000002000000000008017800", "", Rejects(OutOfBounds)),
    ("three bytes of a length", "0a0000", "0111000308000000", Rejects(OutOfBounds)),
    ("a length and nothing else", "0a000000", "0111000308000000", Rejects(Invalid)),
    ("a header and nothing else", "0700000002000000000008", "0111000308000000", Rejects(Invalid)),
    ("a length one too short", "0900000002000000000008017800", "0111000308000000", Rejects(OutOfBounds)),
    ("a length one too long", "0b00000002000000000008017800", "0111000308000000", Rejects(Truncate)),
    ("a length below the header", "0600000002000000000008017800", "0111000308000000", Rejects(Truncate)),
    ("four zeros after the unit", "0a0000000200000000000801780000000000", "0111000308000000", Rejects(Invalid)),
    ("eleven zeros after the unit", "0a000000020000000000080178000000000000000000000000", "0111000308000000", Rejects(Truncate)),
    ("version 5", "0a00000005000000000008017800", "0111000308000000", Accepts),
    ("abbreviation offset past the end", "0a00000002006300000008017800", "0111000308000000", Accepts),
    ("abbreviation offset of the second entry: its code 1 is entry 2", "1c00000002000700000008010000000000000000000000000000000000000000", "011100030c0000022400047f000000", Rejects(FormValue)),
    ("the same, with code 0 first: entry 1", "080000000200070000000800", "011100030c0000022400047f000000", Rejects(Invalid)),
    ("a code is a position: 1 of a table with only 9", "09000000020000000000080178", "0911000308000000", Rejects(OutOfBounds)),
    ("code 9 of a table with only 9", "09000000020000000000080978", "0911000308000000", Accepts),
    ("code one past the list: an entry without values", "09000000020000000000080200", "0111000308000000", Accepts),
    ("code two past the list: the unit is left", "0a0000000200000000000803ffff", "0111000308000000", Accepts),
    ("code 63 of 64 places", "08000000020000000000083f", "0111000308000000", Accepts),
    ("code 64 of 64 places", "080000000200000000000840", "0111000308000000", Rejects(OutOfBounds)),
    ("code 2^32: cut to 0", "0e0000000200000000000880808080107800", "0111000308000000", Accepts),
    ("code 2^70: wraps to 64", "140000000200000000000880808080808080808080017800", "0111000308000000", Rejects(OutOfBounds)),
    ("code 1 in 12 bytes", "15000000020000000000088180808080808080808080007800", "0111000308000000", Accepts),
    ("a code without an end", "09000000020000000000088180", "0111000308000000", Rejects(OutOfBounds)),
    ("no terminator of the table", "0a00000002000000000008017800", "01110003080000", Accepts),
    ("a zero before the table", "1c00000002000000000008010000000000000000000000000000000000000000", "00011100037f000000", Rejects(FormValue)),
    ("the same without a terminator: the table is lost", "1c00000002000000000008010000000000000000000000000000000000000000", "00011100037f0000", Accepts),
    ("form 0x7f", "0a00000002000000000008017800", "011100037f000000", Rejects(FormValue)),
    ("form 0x17 (DWARF 4)", "1c00000002000000000008010000000000000000000000000000000000000000", "0111000317000000", Rejects(FormValue)),
    ("form 0x10008: cut to 8", "0a00000002000000000008017800", "01110003888004000000", Accepts),
    ("form 0: no value", "09000000020000000000080100", "0111000300000000", Accepts),
    ("attribute 0 ends the list whatever its form", "09000000020000000000080100", "011100000800", Accepts),
    ("no attributes and nothing after", "080000000200000000000801", "011100000000", Rejects(Invalid)),
    ("an unknown form of an entry near the end is not reached", "0e0000000200000000000801780002000000", "01110003080000022400047f000000", Accepts),
    ("one byte more and it is", "0f000000020000000000080178000200000000", "01110003080000022400047f000000", Rejects(FormValue)),
    ("children without a closing null", "09000000020000000000080101", "011101030c000000", Accepts),
    ("a string without NUL", "0a00000002000000000008017878", "0111000308000000", Rejects(OutOfBounds)),
    ("a string where nothing is left", "080000000200000000000801", "0111000308000000", Rejects(Invalid)),
    ("data4 with three bytes", "0b0000000200000000000801000000", "0111000306000000", Rejects(OutOfBounds)),
    ("strp is read as a string: no NUL", "0c0000000200000000000801ffffffff", "011100030e000000", Rejects(OutOfBounds)),
    ("strp with two bytes", "0a00000002000000000008017800", "011100030e000000", Accepts),
    ("indirect to data2", "0b0000000200000000000801050000", "0111000316000000", Accepts),
    ("indirect to indirect", "0d00000002000000000008011616087800", "0111000316000000", Rejects(IndirectTwice)),
    ("indirect to an unknown form", "0b00000002000000000008017f0000", "0111000316000000", Rejects(FormValue)),
    ("block1 past the end", "0b0000000200000000000801030000", "011100030a000000", Rejects(OutOfBounds)),
    ("block of length 0", "1d0000000200000000000801000000000000000000000000000000000000000000", "0111000309000000", Rejects(Invalid)),
    ("block1 of length 0", "09000000020000000000080100", "011100020a000000", Accepts),
    ("block2 of length 3: its length is taken for DW_OP_addr", "21000000020000000000080103000000000000000000000000000000000000000000000000", "0111000303000000", Rejects(OutOfBounds)),
    ("block2 of length 4", "2200000002000000000008010400000000000000000000000000000000000000000000000000", "0111000303000000", Accepts),
    ("DW_OP_addr cut in a location", "2000000002000000000008010303ffff0000000000000000000000000000000000000000", "011100020a000000", Rejects(OutOfBounds)),
    ("the same in an attribute that is not an expression", "2000000002000000000008010303ffff0000000000000000000000000000000000000000", "011100400a000000", Accepts),
    ("an operation after a zero is not looked at", "200000000200000000000801033000030000000000000000000000000000000000000000", "011100020a000000", Accepts),
    ("DW_OP_constu without its number", "1e000000020000000000080101100000000000000000000000000000000000000000", "011100020a000000", Rejects(Invalid)),
    ("DW_OP_deref_size without its number", "1e000000020000000000080101940000000000000000000000000000000000000000", "011100020a000000", Rejects(OutOfBounds)),
    ("DW_OP_regx takes a byte too many", "200000000200000000000801039003030000000000000000000000000000000000000000", "011100020a000000", Accepts),
    ("address size 4: addresses of four bytes", "0c000000020000000000040100000000", "0111001101000000", Accepts),
    ("address size 1: eight are read", "0c000000020000000000010100000000", "0111001101000000", Rejects(OutOfBounds)),
    ("address size 0: the next entry is in the address", "2400000002000000000000017f7f7f7f7f7f7f7f0000000000000000000000000000000000000000", "0111001101000000", Rejects(OutOfBounds)),
    ("address size 255: the entry is its own next", "24000000020000000000ff0100000000000000000000000000000000000000000000000000000000", "0111001101000000", Hangs),
    ("a sibling reference to the entry itself", "2000000002000000000008010b0000000000000000000000000000000000000000000000", "0124000113000000", Hangs),
    ("a sibling reference past the unit", "20000000020000000000080163000000ffffffffffffffffffffffffffffffffffffffff", "0124000113000000", Accepts),
    ("a named function at the top", "1e00000002000000000008016b000000000000000000000000000000000000000000", "012e000308000000", Crashes),
    ("a named function in a unit", "20000000020000000000080101026b000000000000000000000000000000000000000000", "011101030c0000022e000308000000", Accepts),
    ("a location list of a parameter outside a function", "2200000002000000000008010102000000000000000000000000000000000000000000000000", "011101030c00000205000206000000", Crashes),
    ("a location list 0 of a variable in a function", "25000000020000000000080101036b0002000000000000000000000000000000000000000000000000", "011101030c000002340002060000032e010308000000", Accepts),
    ("a location list 1 of a variable in a function", "25000000020000000000080101036b0002010000000000000000000000000000000000000000000000", "011101030c000002340002060000032e010308000000", Crashes),
    ("a register location of a parameter outside a function", "21000000020000000000080101020290010000000000000000000000000000000000000000", "011101030c0000020500020a000000", Crashes),
    ("the same in a function", "24000000020000000000080101036b00020290010000000000000000000000000000000000000000", "011101030c0000020500020a0000032e010308000000", Accepts),
    ("a string after a strp: its size is taken from four bytes on", "22000000020000000000080100616161007f0000000000000000000000000000000000000000", "012400030e1b08000000", Rejects(OutOfBounds)),
    ("two units", "0a000000020000000000080178000a00000002000000000008017900", "0111000308000000", Accepts),
    ("the second unit is bad", "0a0000000200000000000801780009000000020000000000080179", "0111000308000000", Rejects(OutOfBounds)),
    ("no attributes: a root and its child end the unit", "0a00000002000000000008010200", "0111010000022e00000000", Accepts),
    ("the same at two levels", "0b0000000200000000000801010000", "0111010000022e00000000", Accepts),
    ("two children without attributes", "0b0000000200000000000801020200", "0111010000022e00000000", Accepts),
    ("a second top entry with a child", "0b0000000200000000000802010200", "0111010000022e00000000", Accepts),
    ("an empty list at the end", "09000000020000000000080100", "0111010000022e00000000", Rejects(Invalid)),
    ("an empty list at the end, its 0 in two bytes", "0a00000002000000000008018000", "0111010000022e00000000", Accepts),
    ("a full list, then an empty one at the end", "0c000000020000000000080102000100", "0111010000022e00000000", Rejects(Invalid)),
    ("the inner list ends the unit, the outer does not", "0b0000000200000000000801010200", "0111010000022e00000000", Rejects(Invalid)),
    ("a 0 in two bytes gives up the unit", "0d00000002000000000008010102800002", "0111010000022e00000000", Accepts),
    ("DW_AT_high_pc of a block as data1 is read as an address", "0a00000002000000000008010200", "010b00120b000000", Rejects(OutOfBounds)),
    ("the same of a variable", "0a00000002000000000008010200", "013400120b000000", Accepts),
    ("the same of a block in a unit of addresses of four bytes", "0c000000020000000000040102000000", "010b00120b000000", Accepts),
    ("the same after a form", "1000000002000000000008010b00000000000000", "010b001216000000", Rejects(OutOfBounds)),
    ("the same after a form, with a byte more", "1100000002000000000008010b0000000000000000", "010b001216000000", Accepts),
    ("a sibling as ref_udata that leads to the entry itself", "0c00000002000000000008010b020202", "01240001150000022400000000", Hangs),
    ("the same with one byte less: so near the end it is the end", "0b00000002000000000008010b0202", "01240001150000022400000000", Accepts),
    ("the same after a flag: not looked for so near the end", "0d0000000200000000000801010b020202", "0124003f0c01150000022400000000", Accepts),
    ("the same with a byte more", "0e0000000200000000000801010b02020202", "0124003f0c01150000022400000000", Hangs),
    ("a sibling that leads back to another entry", "0d0000000200000000000802010b020202", "01240001150000022400000000", Hangs),
    ("a child's sibling 0 ends its list: the parent's is followed", "0e00000002000000000008010b0100000000", "01340101110000023400000000", Hangs),
    ("DWARF64", "ffffffff0a00000002000000000008017800", "0111000308000000", Rejects(Truncate)),
];

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// The rows of [`OBSERVED`] and those too long to write down.
fn observed() -> Vec<(&'static str, Vec<u8>, Vec<u8>, Outcome)> {
    let mut rows: Vec<_> = OBSERVED
        .iter()
        .map(|(name, info, abbrev, outcome)| (*name, bytes(info), bytes(abbrev), *outcome))
        .collect();
    let flags = |count: usize| [&[1, 0x11, 0][..], &[3, 12].repeat(count), &[0, 0, 0]].concat();
    let unit = [&[8, 1, 0, 0, 2, 0, 0, 0, 0, 0, 8][..], &[1; 257]].concat();
    rows.push(("256 attributes", unit.clone(), flags(256), Accepts));
    rows.push(("257 attributes", unit, flags(257), Rejects(TooManyAttributes)));
    rows.push(("257 attributes beside an empty .debug_info", vec![], flags(257), Rejects(TooManyAttributes)));
    rows
}

fn reading(info: &[u8], abbrev: &[u8]) -> super::Reading {
    read(&Input { info, written: info, abbrev: Some(abbrev), ..Input::default() })
}

#[test]
fn outcomes_are_those_observed() {
    for (name, info, abbrev, outcome) in observed() {
        assert_eq!(reading(&info, &abbrev).ptxas, outcome, "{name}");
    }
    assert_eq!(read(&Input { info: &[1], ..Input::default() }).ptxas, Skips);
}

fn section(text: &mut String, name: &str, bytes: &[u8]) {
    let _ = writeln!(text, ".section {name}\n{{");
    for line in bytes.chunks(32) {
        let numbers: Vec<String> = line.iter().map(u8::to_string).collect();
        let _ = writeln!(text, ".b8 {}", numbers.join(","));
    }
    text.push_str("}\n");
}

/// Signal numbers of Linux: the kernel ends a program by these when it has used up its processor
/// time.
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

/// What the tool does with the sections; `Err` with its words if it says something new.
fn measure(ptxas: &Path, folder: &Path, info: &[u8], abbrev: &[u8]) -> Result<Outcome, String> {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\nret;\n}\n",
    );
    section(&mut text, ".debug_abbrev", abbrev);
    section(&mut text, ".debug_info", info);
    let input = folder.join("a.ptx");
    fs::write(&input, text).unwrap();
    // Three seconds of its own time: on a busy machine a sound run may take longer by the clock.
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -t 3; exec "$@""#, "sh"]).arg(ptxas);
    command.args(["-arch=sm_90", "-g", "-o"]).arg(folder.join("a.cubin")).arg(&input);
    let output = command.output().unwrap();
    match output.status.signal() {
        Some(SIGKILL | SIGXCPU) => return Ok(Hangs),
        Some(_) => return Ok(Crashes),
        None => {}
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let code = output.status.code();
    if code == Some(0) {
        return Ok(Accepts);
    }
    [OutOfBounds, Truncate, Invalid, FormValue, IndirectTwice, TooManyAttributes]
        .into_iter()
        .find(|message| message.text() == said && code == Some(i32::from(message.exit_code())))
        .map_or(Err(format!("{code:?} {said}")), |message| Ok(Rejects(message)))
}

#[test]
fn the_real_tool_agrees() {
    let Some(ptxas) = ptxas() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, info, abbrev, outcome) in observed() {
        assert_eq!(measure(&ptxas, folder.path(), &info, &abbrev), Ok(outcome), "{name}");
    }
}

/// One abbreviation for each of: unit with a name, null-terminated children; data4, strp, ref4,
/// block1, indirect.
const ABBREV: &[u8] = &[
    1, 0x11, 1, 3, 8, 0, 0, //
    2, 0x24, 0, 3, 6, 0, 0, //
    3, 0x24, 0, 3, 14, 0, 0, //
    4, 0x24, 0, 0x49, 19, 0, 0, //
    5, 0x24, 0, 2, 10, 0, 0, //
    6, 0x24, 0, 3, 22, 0, 0, //
    0,
];

fn unit(body: &[u8]) -> Vec<u8> {
    let length = (7 + body.len() as u32).to_le_bytes();
    [&length[..], &[2, 0, 0, 0, 0, 0, 8], body].concat()
}

fn faults(info: &[u8], abbrev: &[u8]) -> Vec<(&'static str, u64, FaultKind)> {
    let input = Input { info, written: info, abbrev: Some(abbrev), str_size: Some(10), ..Input::default() };
    read(&input).faults.into_iter().map(|Fault { section, offset, kind }| (section, offset, kind)).collect()
}

#[test]
fn sound_sections_have_no_faults() {
    let body = [1, b'x', 0, 2, 0, 0, 0, 0, 3, 9, 0, 0, 0, 4, 11, 0, 0, 0, 5, 1, 0x50, 6, 11, 7, 0];
    assert_eq!(faults(&unit(&body), ABBREV), []);
    assert_eq!(faults(&[unit(&body), unit(&body)].concat(), ABBREV), []);
    assert_eq!(faults(&[], ABBREV), []);
}

#[test]
fn faults_of_units() {
    use FaultKind::*;
    let info = |offset, kind| vec![(".debug_info", offset, kind)];
    let mut long = unit(&[1, b'x', 0, 0]);
    long[0] += 1;
    assert_eq!(faults(&long, ABBREV), info(0, WrongLength { length: 12, expected: 11 }));
    let mut short = unit(&[]);
    short[0] = 6;
    assert_eq!(faults(&short, ABBREV), info(0, HeaderCut { left: 10 }));
    assert_eq!(faults(&unit(&[])[..9], ABBREV), info(0, HeaderCut { left: 9 }));
    assert_eq!(faults(&unit(&[]), ABBREV), info(11, NoEntry));
    assert_eq!(faults(&unit(&[0]), ABBREV), info(11, NoEntry));
    let mut header = unit(&[1, b'x', 0, 0]);
    (header[4], header[10]) = (3, 4);
    let both = [info(4, Version { version: 3 }), info(10, AddressSize { size: 4 })].concat();
    assert_eq!(faults(&header, ABBREV), both);
    let mut offset = unit(&[1, b'x', 0, 0]);
    offset[6] = 43;
    assert_eq!(faults(&offset, ABBREV), info(6, AbbrevOffset { offset: 43, size: 43 }));
    let absent = read(&Input { written: &unit(&[]), ..Input::default() });
    assert_eq!(absent.faults, [Fault { section: ".debug_info", offset: 0, kind: NoAbbrev }]);
}

#[test]
fn faults_of_entries() {
    use FaultKind::*;
    for (body, offset, kind) in [
        (&[1, b'x', 0, 9, 0][..], 14, UnknownCode { code: 9 }),
        (&[1, b'x', b'x'], 12, OpenString),
        (&[1, b'x', 0], 14, OpenChildren { depth: 1 }),
        (&[1, b'x', 0, 0, 0, 0], 15, AfterRoot { left: 2 }),
        (&[1, b'x', 0, 2, 0, 0, 0], 15, ValueCut { form: 6, left: 3 }),
        (&[1, b'x', 0, 5, 3, 0, 0], 15, ValueCut { form: 10, left: 3 }),
        (&[1, b'x', 0, 3, 10, 0, 0, 0, 0], 15, StringOffset { offset: 10, size: 10 }),
        (&[1, b'x', 0, 4, 10, 0, 0, 0, 0], 15, Reference { offset: 10, size: 20 }),
        (&[1, b'x', 0, 4, 20, 0, 0, 0, 0], 15, Reference { offset: 20, size: 20 }),
        (&[1, b'x', 0, 6, 0x7f, 0, 0], 15, UnknownForm { form: 0x7f }),
        (&[1, b'x', 0, 0x82], 14, ValueCut { form: 15, left: 1 }),
        (&[0x81, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, b'x', 0, 0], 11, LongLeb),
        (&[1, b'x', 0, 6, 0x16, 0, 0], 15, UnknownForm { form: 0x16 }),
        (&[1, b'x', 0, 6, 0x18, 0, 0], 15, UnknownForm { form: 0x18 }),
        (&[1, b'x', 0, 6, 0x8b], 15, ValueCut { form: 0x16, left: 1 }),
        (&[1, b'x', 0, 6, 6, 0, 0], 15, ValueCut { form: 6, left: 3 }),
        (&[1, b'x', 0, 6, 8, b'x'], 15, OpenString),
    ] {
        assert_eq!(faults(&unit(body), ABBREV), [(".debug_info", offset, kind)], "{body:?}");
    }
}

/// Values before a fault in their entry are checked too, and forms of later versions are unknown.
#[test]
fn values_before_a_fault() {
    use FaultKind::*;
    let info = |offset, kind| (".debug_info", offset, kind);
    let table = |form: u8| [1, 0x24, 0, 3, 14, 0x3a, form, 0x0b, 11, 0, 0, 0];
    let string = info(12, StringOffset { offset: 10, size: 10 });
    let cut = info(16, ValueCut { form: 6, left: 3 });
    assert_eq!(faults(&unit(&[1, 10, 0, 0, 0, 1, 0, 0]), &table(6)), [string, cut]);
    let form = (".debug_abbrev", 6, UnknownForm { form: 0x19 });
    assert_eq!(faults(&unit(&[1, 10, 0, 0, 0, 1]), &table(0x19)), [form, string]);
    assert_eq!(faults(&unit(&[1, 10, 0, 0, 0]), &table(0x19)), [form, string]);
    // A number of any length is a value.
    let long = [0x83, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0];
    assert_eq!(faults(&unit(&[&[1, 9, 0, 0, 0][..], &long, &[0]].concat()), &table(15)), []);
    let code = info(11, UnknownCode { code: 3 });
    let too_large = [0x83, 128, 128, 128, 128, 128, 128, 128, 128, 2];
    assert_eq!(faults(&unit(&too_large), &table(15)), [info(11, LongLeb), code]);
}

#[test]
fn rule_table_faultss() {
    use FaultKind::*;
    let info = unit(&[1, b'x', 0, 0]);
    for (change, offset, kind) in [
        (&[7, 0x24, 2, 0, 0, 0][..], 44, ChildrenFlag { value: 2 }),
        (&[2, 0x24, 0, 0, 0, 0], 42, DuplicateCode { code: 2 }),
        (&[7, 0x24, 0, 3, 0x7f, 0, 0, 0], 46, UnknownForm { form: 0x7f }),
        (&[7, 0x24, 0, 3, 0, 0, 0, 0], 45, HalfAttribute { name: 3, form: 0 }),
        (&[7, 0x24, 0, 0, 8, 0, 0, 0], 45, HalfAttribute { name: 0, form: 8 }),
        (&[7, 0x24, 0, 3, 8], 42, AbbrevCut),
        (&[], 42, NoTerminator),
    ] {
        let table = [&ABBREV[..42], change].concat();
        assert_eq!(faults(&info, &table), [(".debug_abbrev", offset, kind)], "{change:?}");
    }
}

#[test]
fn fixups_are_not_numbers() {
    let info = unit(&[1, b'x', 0, 3, 99, 0, 0, 0, 0]);
    let input = Input {
        info: &info,
        names: 1,
        written: &info,
        abbrev: Some(ABBREV),
        str_size: Some(10),
        fixups: &[(15, 4)],
        locals: &[],
    };
    assert_eq!(read(&input).faults, []);
}

#[test]
fn faults_are_capped() {
    let info = unit(&[1, b'x', 0, 0]).repeat(100);
    let mut versions = info.clone();
    versions.chunks_mut(15).for_each(|unit| unit[4] = 5);
    let reading = reading(&versions, ABBREV);
    assert_eq!(reading.faults.len(), MAX_FAULTS + 1);
    assert_eq!(reading.faults.last().map(|fault| fault.kind), Some(FaultKind::More));
}

proptest::proptest! {
    #[test]
    fn any_bytes_have_a_reading(
        info in proptest::collection::vec(0_u8..40, 0..80),
        abbrev in proptest::collection::vec(0_u8..40, 0..60),
        high in 0_usize..80,
    ) {
        let mut info = info;
        if let Some(byte) = info.get_mut(high) {
            *byte |= 0x80;
        }
        let reading = reading(&info, &abbrev);
        assert!(reading.faults.len() <= MAX_FAULTS + 1);
        assert!(reading.faults.iter().all(|fault| fault.offset <= 80));
    }
}

/// Inputs that would take quadratic time if something were read again and again.
#[test]
fn long_inputs_end_soon() {
    let started = own_time();
    let sizes = 1_usize << 20;
    let strp = [1, 0x11, 0, 3, 14, 0, 0, 0];
    let block = [1, 0x11, 0, 1, 19, 3, 10, 0, 0, 0];
    for (body, abbrev) in [
        (vec![1; sizes], &strp[..]),
        ([&[1, 11, 0, 0, 0, 255][..], &vec![0x30; sizes]].concat(), &block),
        (vec![0x80; sizes], &strp),
        (vec![1; sizes], &[1, 0x11, 1, 0, 0, 0]),
    ] {
        reading(&unit(&body), abbrev);
    }
    reading(&unit(&[1, b'x', 0]).repeat(50_000), &vec![1; sizes]);
    let took = own_time().checked_sub(started).unwrap();
    assert!(took < Duration::from_secs(20), "{took:?}");
}

/// The processor time of this thread (proc(5)): a busy machine makes it no longer.
fn own_time() -> Duration {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(times.split(' ').next().unwrap().parse().unwrap())
}

/// For comparisons at large: each line of `$NVDWARF_DWARF_IN` holds the two sections as hexadecimal
/// digits with a blank between, and `$NVDWARF_DWARF_OUT` gets a line with the outcome and the
/// number of faults for each.
#[test]
fn many_from_a_file() {
    let (Some(input), Some(output)) = (env::var_os("NVDWARF_DWARF_IN"), env::var_os("NVDWARF_DWARF_OUT"))
    else {
        return;
    };
    let mut out = String::new();
    for line in fs::read_to_string(input).unwrap().lines() {
        let (info, abbrev) = line.split_once(' ').unwrap();
        let reading = reading(&bytes(info), &bytes(abbrev));
        let _ = writeln!(out, "{:?} {}", reading.ptxas, reading.faults.len());
    }
    fs::write(output, out).unwrap();
}
