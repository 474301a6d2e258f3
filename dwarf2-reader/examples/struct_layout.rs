//! Prints the structs that a file's debug information knows, with the byte offset of each member.
//!
//! `cargo run -p dwarf2-reader --example struct_layout [ELF]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::fmt::Write;

use dwarf2_reader::constants::{
    DW_AT_byte_size, DW_AT_data_member_location, DW_AT_name, DW_OP_plus_uconst, DW_TAG_member,
    DW_TAG_structure_type,
};
use dwarf2_reader::expression::{Operand, operations};
use dwarf2_reader::info::{Attribute, Entry, Node, Units, Value};
use dwarf2_reader::strings::string_at;
use object::{Object, ObjectSection};

fn name<'d>(entry: &Entry<'_, 'd>, strings: &'d [u8]) -> String {
    let name = match entry.attribute(DW_AT_name).map(|name| name.value) {
        Some(Value::String(name)) => name,
        Some(Value::StringOffset(offset)) => string_at(strings, offset).unwrap_or(b"?"),
        _ => b"(no name)",
    };
    String::from_utf8_lossy(name).into_owned()
}

/// The offset of a member: a number, or, as DWARF 2 has it, an expression that adds one.
fn offset(location: &Attribute<'_>) -> Option<u64> {
    match location.value {
        Value::Data(offset) | Value::Unsigned(offset) => Some(offset),
        _ => match operations(location.expression()?).next()?.ok()? {
            plus if plus.opcode == DW_OP_plus_uconst => match plus.operands[0] {
                Some(Operand::Unsigned(offset)) => Some(offset),
                _ => None,
            },
            _ => None,
        },
    }
}

fn report(path: &str) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let bytes = std::fs::read(path)?;
    let file = object::File::parse(&*bytes)?;
    let section = |name| file.section_by_name(name).map_or(Ok(&[][..]), |section| section.data());
    let (info, abbrev, strings) =
        (section(".debug_info")?, section(".debug_abbrev")?, section(".debug_str")?);

    let units = Units::read(info, abbrev)?;
    for unit in units.all() {
        for node in units.nodes(unit, info) {
            let Node::Entry(entry) = node? else { continue };
            if entry.tag() == DW_TAG_structure_type {
                let size = match entry.attribute(DW_AT_byte_size).map(|size| size.value) {
                    Some(Value::Data(size) | Value::Unsigned(size)) => size,
                    _ => 0,
                };
                writeln!(out, "struct {}: {size} bytes", name(&entry, strings))?;
            } else if entry.tag() == DW_TAG_member {
                let at = entry.attribute(DW_AT_data_member_location).as_ref().and_then(offset);
                writeln!(
                    out,
                    "  {}: {}",
                    at.map_or("?".to_owned(), |at| at.to_string()),
                    name(&entry, strings)
                )?;
            }
        }
    }
    Ok(out)
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/block_sum/block_sum-debug.cubin");

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(std::env::args().nth(1).as_deref().unwrap_or(EXAMPLE))?);
    Ok(())
}

#[test]
fn members_have_offsets() {
    assert_eq!(report(EXAMPLE).unwrap(), "struct Window: 8 bytes\n  0: first\n  4: count\n");
}
