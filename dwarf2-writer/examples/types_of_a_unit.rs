//! Describes the types of a program of one's own, as a compiler does: a struct with members,
//! strings in `.debug_str`, and `.debug_pubtypes` to find the struct by its name.
//!
//! `cargo run -p dwarf2-writer --example types_of_a_unit`
#![allow(clippy::print_stdout, reason = "this is a program")]

use dwarf2_writer::constants::{
    DW_AT_byte_size, DW_AT_data_member_location, DW_AT_encoding, DW_AT_name, DW_AT_type, DW_ATE_float,
    DW_ATE_signed, DW_TAG_base_type, DW_TAG_compile_unit, DW_TAG_member, DW_TAG_structure_type,
};
use dwarf2_writer::info::{Block, DebugInfo, EntryId, Params, Value};
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Error, Expression, Operation};

/// An attribute whose value is a string of `.debug_str`.
fn name(strings: &mut StringTable, text: &str) -> Result<(u16, Value<'static>), Error> {
    Ok((DW_AT_name, Value::Strp(Address::from(strings.add(text.as_bytes())?))))
}

fn report() -> Result<String, Error> {
    let mut strings = StringTable::new();
    let mut info = DebugInfo::new(Params { siblings: true, ..Params::default() });
    let unit = info.unit(DW_TAG_compile_unit, &[name(&mut strings, "particles.cu")?])?;

    let mut base_type = |text, encoding, size| -> Result<EntryId, Error> {
        let attributes = [
            name(&mut strings, text)?,
            (DW_AT_encoding, Value::Data1(encoding)),
            (DW_AT_byte_size, Value::Data1(size)),
        ];
        info.entry(unit, DW_TAG_base_type, &attributes)
    };
    let (float, int) = (base_type("float", DW_ATE_float, 4)?, base_type("int", DW_ATE_signed, 4)?);

    let particle = info.entry(
        unit,
        DW_TAG_structure_type,
        &[name(&mut strings, "Particle")?, (DW_AT_byte_size, Value::Data1(12))],
    )?;
    for (member, of_type, offset) in [("x", float, 0), ("y", float, 4), ("id", int, 8)] {
        let place = Expression::new(&[Operation::PlusUconst(offset)])?;
        let location = (DW_AT_data_member_location, Value::Block1(Block::from(&place)));
        info.entry(
            particle,
            DW_TAG_member,
            &[name(&mut strings, member)?, (DW_AT_type, Value::Ref4(of_type)), location],
        )?;
    }

    let sections = info.finish()?;
    let (Some((start, size)), Some(entry)) = (sections.unit(unit), sections.entry_offset(particle)) else {
        unreachable!("both were added")
    };
    let mut types = PubTable::new();
    types.unit(&NameSet { info: start.into(), info_length: size, names: &[(entry, b"Particle")] })?;

    Ok(format!(
        "Particle is at {entry:#x} of the unit; {} bytes of entries, {} of abbreviations, {} of strings, {} of names",
        sections.info.bytes.len(),
        sections.abbrev.len(),
        strings.finish().len(),
        types.finish().bytes.len(),
    ))
}

fn main() -> Result<(), Error> {
    println!("{}", report()?);
    Ok(())
}

#[test]
fn sections_are_written() {
    let sizes = "74 bytes of entries, 39 of abbreviations, 39 of strings, 31 of names";
    assert_eq!(report().unwrap(), format!("Particle is at 0x1e of the unit; {sizes}"));
}
