//! ptxas' own tables, decoded to values and written again: the bytes must come back (`corpus/`).
//! Line programs are decoded by gimli; frames by the small reader here, for gimli's register
//! numbers end at 65535 and it does not keep the form of an instruction.
#![allow(clippy::print_stdout, reason = "how much was compared, or that it was skipped")]

#[path = "../../corpus/root.rs"]
mod corpus_root;
mod frame_reader;

use std::collections::BTreeMap;

use dwarf2_writer::line::{FileEntry, LineProgram, Params};
use dwarf2_writer::{Address, Section};
use gimli::{DebugLine, DebugLineOffset, LineInstruction as Op, LittleEndian, Reader};
use object::{Object, ObjectSection};

/// Runs `check` on each section with one of the names, or its Mercury clone; returns how many there
/// were.
fn each_section(names: &[&str], mut check: impl FnMut(&[u8], &str)) -> BTreeMap<String, usize> {
    let (cubins, mut seen) = (corpus_root::files("cubin"), BTreeMap::new());
    for path in &cubins {
        let file = std::fs::read(path).expect("readable");
        let Ok(elf) = object::File::parse(&*file) else { continue };
        for section in elf.sections() {
            let name = section.name().expect("named");
            if names.contains(&name.strip_prefix(".nv.merc").unwrap_or(name)) {
                check(section.data().expect("in the file"), &format!("{} {name}", path.display()));
                *seen.entry(name.to_owned()).or_default() += 1;
            }
        }
    }
    assert!(!seen.is_empty(), "a corpus without {names:?}");
    seen
}

#[test]
fn line_programs_come_back() {
    let seen = each_section(&[".debug_line", ".nv_debug_line_sass"], |data, place| {
        let written = rewrite_line(data).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(written.bytes == data, "{place} differs");
    });
    println!("identical: {seen:?}");
}

#[test]
fn frames_come_back() {
    let (mut stray, mut linked) = (0, 0);
    let seen = each_section(&[".debug_frame"], |data, place| {
        let (written, stray_pointers) =
            frame_reader::rewrite(data).unwrap_or_else(|error| panic!("{place}: {error}"));
        // Observed: nvlink 13.0.88 writes CIE pointers that are a few bytes off. They are put back
        // to compare the rest.
        let mut bytes = written.bytes;
        for &(at, pointer) in &stray_pointers {
            bytes[at..at + 8].copy_from_slice(&pointer.to_le_bytes());
        }
        assert!(bytes == data, "{place} differs");
        assert!(stray_pointers.is_empty() || place.contains("linked"), "{place} has CIE pointers to no CIE");
        stray += stray_pointers.len();
        linked += usize::from(!stray_pointers.is_empty());
    });
    println!("identical: {seen:?}; but for {stray} CIE pointers in {linked} sections that nvlink wrote");
}

fn rewrite_line(data: &[u8]) -> Result<Section, String> {
    let mut section = Section::default();
    while section.bytes.len() < data.len() {
        let unit = rewrite_unit(data, section.bytes.len()).map_err(|error| error.to_string())?;
        section.append(&unit);
    }
    Ok(section)
}

fn rewrite_unit(data: &[u8], offset: usize) -> Result<Section, Box<dyn std::error::Error>> {
    let lines = DebugLine::new(data, LittleEndian);
    let program = lines.program(DebugLineOffset(offset), 8, None, None)?;
    let header = program.header();
    let params = Params {
        version: header.version(),
        minimum_instruction_length: header.minimum_instruction_length(),
        default_is_stmt: header.default_is_stmt(),
        line_base: header.line_base(),
        line_range: header.line_range(),
        opcode_base: header.opcode_base(),
    };
    let mut out = LineProgram::new(params)?;
    for directory in header.include_directories() {
        let gimli::AttributeValue::String(path) = directory else { return Err("directory".into()) };
        out.directory(path)?;
    }
    for file in header.file_names() {
        let gimli::AttributeValue::String(name) = file.path_name() else { return Err("file".into()) };
        let (directory, mtime, size) = (file.directory_index(), file.timestamp(), file.size());
        out.file(FileEntry { name: &name, directory, mtime, size })?;
    }
    // What the header has more than the tables is its tail.
    let without_tail = out.clone().finish()?.bytes.len() - 10;
    let opcodes = offset + 10 + header.header_length();
    let tail = header.header_length() - without_tail;
    out.header_tail(&data[opcodes - tail..opcodes]);

    let (base, range) = (i64::from(params.line_base), i64::from(params.line_range));
    let (mut address, mut line, mut advanced) = (0, 1_u32, false);
    let mut ops = header.instructions();
    while let Some(op) = ops.next_instruction(header)? {
        // An advance directly before `copy` or the end is theirs, any other stands alone.
        if advanced && !matches!(op, Op::Copy | Op::EndSequence) {
            out.advance_to(address)?;
        }
        advanced = false;
        match op {
            Op::SetAddress(start) => {
                (address, line) = (start, 1);
                out.begin_sequence(Address::Constant(start))?;
            }
            Op::Special(opcode) => {
                let adjusted = i64::from(opcode - params.opcode_base);
                address += (adjusted / range) as u64;
                line = line.wrapping_add((base + adjusted % range) as u32);
                out.row(address, line)?;
            }
            Op::Copy => out.row(address, line)?,
            Op::EndSequence => out.end_sequence(address)?,
            Op::AdvancePc(units) => {
                address += units;
                advanced = true;
            }
            Op::AdvanceLine(lines) => line = line.wrapping_add(lines as u32),
            Op::SetFile(file) => out.set_file(file)?,
            Op::SetColumn(column) => out.set_column(column)?,
            Op::NegateStatement => out.negate_stmt()?,
            Op::SetBasicBlock => out.set_basic_block()?,
            Op::UnknownExtended(code, operands) => out.raw_extended(code.0, &operands.to_slice()?)?,
            other => return Err(format!("{other:?} is not expected of ptxas").into()),
        }
    }
    Ok(out.finish()?)
}
