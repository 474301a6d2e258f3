//! All sections in one file, as `readelf` and `eu-readelf` see them. A tool that is not there is
//! said to be skipped; with `REQUIRE_ORACLES=1` it is a failure.
#![allow(clippy::print_stderr, reason = "says what is skipped")]

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::constants::*;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, Fde, FrameTable};
use dwarf2_writer::info::{DebugInfo, EntryId, InfoSections, Params, Value};
use dwarf2_writer::loc::{Location, LocationTable};
use dwarf2_writer::macinfo::{Macro, MacroTable};
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Error, Expression, Operation, frame};
use object::write::{Object, StandardSegment};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};

const CODE: Address = Address::Constant(0x1000);
const END: Address = Address::Constant(0x1040);

/// `.debug_info` with every form, and the sections that it points to.
///
/// Also the function and the type, for the tables of names.
fn info(
    strings: &mut StringTable,
    locations: u32,
    macros: u32,
) -> Result<(InfoSections, [EntryId; 2]), Error> {
    let mut info = DebugInfo::new(Params { siblings: true, ..Params::default() });
    let unit = info.unit(
        DW_TAG_compile_unit,
        &[
            (DW_AT_name, Value::Strp(strings.add(b"kernel.cu")?.into())),
            (DW_AT_language, Value::Data2(DW_LANG_C_plus_plus)),
            (DW_AT_macro_info, Value::Offset(macros.into())),
            (DW_AT_low_pc, Value::Addr(CODE)),
            (DW_AT_high_pc, Value::Addr(END)),
        ],
    )?;
    let int = info.reserve(unit)?;
    let function = [
        (DW_AT_name, Value::String(b"saxpy")),
        (DW_AT_external, Value::Flag(true)),
        (DW_AT_low_pc, Value::Addr(CODE)),
        (DW_AT_high_pc, Value::Addr(END)),
        (DW_AT_type, Value::Ref4(int)),
    ];
    let function = info.entry(unit, DW_TAG_subprogram, &function)?;
    let frame = Expression::new(&[Operation::Fbreg(-16), Operation::Plain(DW_OP_deref)])?;
    let blocks = [Value::Block1, Value::Block2, Value::Block4, Value::Block];
    for (index, (name, of)) in [
        ("in_ref1", Value::Ref1(int)),
        ("in_ref2", Value::Ref2(int)),
        ("in_ref8", Value::Ref8(int)),
        ("in_ref_udata", Value::RefUdata(int)),
        ("in_ref_addr", Value::RefAddr(int)),
        ("in_indirect", Value::Indirect(&Value::Ref4(int))),
    ]
    .into_iter()
    .enumerate()
    {
        let location = blocks[index % blocks.len()];
        let name = (DW_AT_name, Value::String(name.as_bytes()));
        let attributes = [name, (DW_AT_type, of), (DW_AT_location, location((&frame).into()))];
        info.entry(function, DW_TAG_variable, &attributes)?;
    }
    let moved = [(DW_AT_name, Value::String(b"moved")), (DW_AT_location, Value::Offset(locations.into()))];
    info.entry(function, DW_TAG_formal_parameter, &moved)?;
    let base = [
        (DW_AT_name, Value::Strp(strings.add(b"int")?.into())),
        (DW_AT_byte_size, Value::Data1(4)),
        (DW_AT_encoding, Value::Udata(DW_ATE_signed.into())),
        (DW_AT_decl_line, Value::Sdata(-1)),
        (DW_AT_const_value, Value::Data8(7)),
    ];
    info.fill(int, unit, DW_TAG_base_type, &base)?;
    Ok((info.finish()?, [function, int]))
}

/// Names and contents.
fn sections() -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let mut strings = StringTable::new();
    let mut locations = LocationTable::new();
    let (begin, end) = (Address::Constant(0), Address::Constant(0x20));
    let in_register = Location::Range { begin, end, location: Expression::new(&[Operation::Reg(5)])? };
    let location = Expression::new(&[Operation::Lit(31), Operation::Plain(DW_OP_stack_value)])?;
    let known = Location::Range { begin: Address::Constant(4), end: Address::Constant(8), location };
    locations.list(&[in_register, Location::Base(Address::Constant(0x1020)), known])?;
    let mut macros = MacroTable::new();
    macros.list(&[Macro::Define { line: 0, text: b"WARP 32" }, Macro::Undef { line: 0, text: b"WARP" }])?;
    let (info, ids) = info(&mut strings, 0, 0)?;
    let [function, int] = ids.map(|id| info.entry_offset(id).unwrap_or(0));
    let size = info.info.bytes.len() as u32;
    let (mut names, mut types, mut aranges) = (PubTable::new(), PubTable::new(), ArangeTable::new());
    names.unit(&NameSet { info: 0.into(), info_length: size, names: &[(function, b"saxpy")] })?;
    types.unit(&NameSet { info: 0.into(), info_length: size, names: &[(int, b"int")] })?;
    aranges.unit(0.into(), &[(CODE, 0x40)])?;
    let mut frames = FrameTable::new(frame::Params::default())?;
    let cie = frames.cie(&Cie {
        version: 1,
        code_alignment_factor: 4,
        data_alignment_factor: -8,
        return_address_register: 16,
        instructions: vec![Cfi::DefCfa { register: 7, offset: 8 }],
        ..Cie::default()
    })?;
    let instructions = vec![Cfi::AdvanceLoc(2), Cfi::DefCfaOffset(16)];
    frames.fde(&Fde {
        cie,
        initial_location: CODE,
        address_range: 0x40,
        range_symbol: None,
        instructions,
    })?;
    Ok(vec![
        (".debug_info", info.info.bytes),
        (".debug_abbrev", info.abbrev),
        (".debug_str", strings.finish()),
        (".debug_loc", locations.finish().bytes),
        (".debug_macinfo", macros.finish()),
        (".debug_pubnames", names.finish().bytes),
        (".debug_pubtypes", types.finish().bytes),
        (".debug_aranges", aranges.finish().bytes),
        (".debug_frame", frames.finish().bytes),
    ])
}

/// An x86-64 object with the sections.
fn file(name: &str) -> PathBuf {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    for (name, bytes) in sections().expect("valid") {
        let segment = object.segment_name(StandardSegment::Debug).to_vec();
        let section = object.add_section(segment, name.as_bytes().to_vec(), SectionKind::Debug);
        object.append_section_data(section, &bytes, 1);
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, object.write().expect("an object")).expect("a file");
    path
}

/// What the tool prints, without complaints; `None` where it is not installed.
fn output(tool: &str, arguments: &[&str]) -> Option<String> {
    match Command::new(tool).args(arguments).arg(file(&format!("{tool}.o"))).env("LC_ALL", "C").output() {
        Ok(output) => {
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && complaints.is_empty(), "{tool}: {complaints}");
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert!(std::env::var_os("REQUIRE_ORACLES").is_none_or(|value| value != "1"), "no {tool}");
            eprintln!("skipped: no {tool}");
            None
        }
        Err(error) => panic!("{tool}: {error}"),
    }
}

#[test]
fn readelf_accepts_every_section() {
    let Some(text) = output("readelf", &["--debug-dump"]) else { return };
    for wanted in [
        "DW_AT_language    : 4\t(C++)",
        "DW_OP_fbreg: -16; DW_OP_deref",
        "DW_OP_reg5 (rdi)",
        "DW_OP_lit31; DW_OP_stack_value",
        "(base address)",
        "DW_MACINFO_define - lineno : 0 macro : WARP 32",
        "DW_CFA_def_cfa: r7 (rsp) ofs 8",
        "0000000000001000 0000000000000040",
        "saxpy",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
    // A function and six variables, each with an abbreviation of its own.
    assert_eq!(text.matches("DW_AT_type").count(), 7 + 7);
}

#[test]
fn eu_readelf_accepts_every_section() {
    let Some(text) = output("eu-readelf", &["--debug-dump"]) else { return };
    for wanted in [
        "\"saxpy\"",
        "fbreg -16",
        "reg5",
        "lit31",
        "#define WARP 32",
        "def_cfa r7 (rsp) at offset 8",
        "name: saxpy",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
}
