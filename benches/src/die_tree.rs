//! A `.debug_info` tree such as a C++ compiler makes, and the writers to compare on it.

use dwarf2_writer::Error;
use dwarf2_writer::constants as dw;
use dwarf2_writer::info::{DebugInfo, EntryId, InfoSections, Params, Value};
use dwarf2_writer::{Address, Expression, Operation};
use gimli::write::{self, AttributeValue, UnitEntryId};
use gimli::{DwAt, DwTag, Encoding, Format, LittleEndian, RunTimeEndian};

/// An entry of the tree: its parent (0-based, earlier in the list), its tag, name, type (any entry)
/// and three numbers whose meaning depends on the tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// 0-based; the root's is 0.
    pub parent: u32,
    /// `DW_TAG_*`.
    pub tag: u16,
    /// Without NUL.
    pub name: Vec<u8>,
    /// 0-based; 0 is none.
    pub type_entry: u32,
    /// Line of the declaration.
    pub line: u16,
    /// Size in bytes, offset in the structure or in the frame.
    pub number: u32,
}

/// Generates a unit with `count` entries or a few more: types first, then structures with members,
/// then functions with parameters and nested blocks of variables. Types are referred to forwards
/// and backwards.
pub fn synthetic(count: u32) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    let mut state = 0x9e37_79b9_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let mut add = |parent: u32, tag: u16, prefix: &str, type_entry: u32| {
        let (number, line) = (random(), random() as u16);
        let index = out.len() as u32;
        let name = format!("{prefix}{}", number % 5000).into_bytes();
        out.push(Entry { parent, tag, name, type_entry, line, number });
        index
    };
    add(0, dw::DW_TAG_compile_unit, "kernel.cu", 0);
    for _ in 0..20 {
        add(0, dw::DW_TAG_base_type, "type", 0);
    }
    let mut next = 21;
    while next < count {
        let structure = add(0, dw::DW_TAG_structure_type, "Struct", 0);
        for member in 0..8 {
            // Every fourth names a structure that comes later.
            let of = if member % 4 == 3 { structure + 30 } else { 1 + (structure + member) % 20 };
            add(structure, dw::DW_TAG_member, "member_", of);
        }
        let function = add(0, dw::DW_TAG_subprogram, "function_", 1 + structure % 20);
        for _ in 0..3 {
            add(function, dw::DW_TAG_formal_parameter, "arg", structure);
        }
        let mut block = function;
        for _ in 0..4 {
            block = add(block, dw::DW_TAG_lexical_block, "", 0);
            for variable in 0..3 {
                add(block, dw::DW_TAG_variable, "local_variable", 1 + (block + variable) % 20);
            }
        }
        next = add(0, dw::DW_TAG_typedef, "Alias", structure) + 1;
    }
    // The last structures have no successor to name.
    let len = out.len() as u32;
    out.iter_mut().filter(|entry| entry.type_entry >= len).for_each(|entry| entry.type_entry = 1);
    out
}

/// The expression of a variable's location.
const fn has_location(tag: u16) -> bool {
    matches!(tag, dw::DW_TAG_formal_parameter | dw::DW_TAG_variable)
}

/// Writes the tree with `dwarf2_writer`. All ids are reserved first, since entries refer forwards.
///
/// # Errors
///
/// None for [`synthetic`].
pub fn ours(tree: &[Entry]) -> Result<InfoSections, Error> {
    let mut info = DebugInfo::new(Params::default());
    let root = info.reserve_unit();
    let mut ids = vec![root];
    for _ in 1..tree.len() {
        ids.push(info.reserve(root)?);
    }
    for (entry, id) in tree.iter().zip(&ids) {
        put(&mut info, entry, *id, &ids)?;
    }
    info.finish()
}

fn put(info: &mut DebugInfo, entry: &Entry, id: EntryId, ids: &[EntryId]) -> Result<(), Error> {
    let name = (dw::DW_AT_name, Value::String(&entry.name));
    let line = (dw::DW_AT_decl_line, Value::Data2(entry.line));
    let of = (dw::DW_AT_type, Value::Ref4(ids[entry.type_entry as usize]));
    let low = Address::Constant(entry.number.into());
    let high = Address::Constant(u64::from(entry.number) + 64);
    let range = [(dw::DW_AT_low_pc, Value::Addr(low)), (dw::DW_AT_high_pc, Value::Addr(high))];
    let (parent, tag) = (ids[entry.parent as usize], entry.tag);
    match tag {
        dw::DW_TAG_compile_unit => info.fill_unit(id, tag, &[name]),
        dw::DW_TAG_base_type => {
            info.fill(id, parent, tag, &[name, (dw::DW_AT_byte_size, Value::Data1(entry.number as u8))])
        }
        dw::DW_TAG_structure_type => info.fill(
            id,
            parent,
            tag,
            &[name, line, (dw::DW_AT_byte_size, Value::Udata(entry.number.into()))],
        ),
        dw::DW_TAG_member => {
            let offset = (dw::DW_AT_data_member_location, Value::Udata(entry.number.into()));
            info.fill(id, parent, tag, &[name, line, of, offset])
        }
        dw::DW_TAG_subprogram => {
            let external = (dw::DW_AT_external, Value::Flag(true));
            info.fill(id, parent, tag, &[name, line, of, range[0], range[1], external])
        }
        dw::DW_TAG_lexical_block => info.fill(id, parent, tag, &range),
        _ if has_location(tag) => {
            let location = Expression::new(&[Operation::Fbreg(entry.number.into())])?;
            let location = (dw::DW_AT_location, Value::Block((&location).into()));
            info.fill(id, parent, tag, &[name, line, of, location])
        }
        _ => info.fill(id, parent, tag, &[name, line, of]),
    }
}

/// Builds the tree for `gimli::write`.
///
/// # Panics
///
/// If gimli refuses it.
pub fn gimli_build(tree: &[Entry]) -> write::Dwarf {
    let encoding = Encoding { format: Format::Dwarf32, version: 2, address_size: 8 };
    let mut dwarf = write::Dwarf::new();
    let unit = dwarf.units.add(write::Unit::new(encoding, write::LineProgram::none()));
    let unit = dwarf.units.get_mut(unit);
    let mut ids = vec![unit.root()];
    ids.extend(tree[1..].iter().map(|_| unit.reserve()));
    for (entry, id) in tree.iter().zip(&ids) {
        if entry.tag != dw::DW_TAG_compile_unit {
            unit.add_reserved(*id, ids[entry.parent as usize], DwTag(entry.tag));
        }
        gimli_put(unit.get_mut(*id), entry, &ids);
    }
    dwarf
}

fn gimli_put(die: &mut write::DebuggingInformationEntry, entry: &Entry, ids: &[UnitEntryId]) {
    let number = entry.number;
    let attributes = match entry.tag {
        dw::DW_TAG_compile_unit => 1,
        dw::DW_TAG_base_type | dw::DW_TAG_lexical_block => 2,
        dw::DW_TAG_structure_type | dw::DW_TAG_typedef => 3,
        dw::DW_TAG_subprogram => 6,
        _ => 4,
    };
    die.reserve(attributes); // as `gimli::write` allows: one allocation an entry
    if entry.tag != dw::DW_TAG_lexical_block {
        die.set(DwAt(dw::DW_AT_name), AttributeValue::String(entry.name.clone()));
        if !matches!(entry.tag, dw::DW_TAG_compile_unit | dw::DW_TAG_base_type) {
            die.set(DwAt(dw::DW_AT_decl_line), AttributeValue::Data2(entry.line));
        }
    }
    if entry.type_entry != 0 {
        die.set(DwAt(dw::DW_AT_type), AttributeValue::UnitRef(ids[entry.type_entry as usize]));
    }
    let address = |offset: u64| AttributeValue::Address(write::Address::Constant(u64::from(number) + offset));
    match entry.tag {
        dw::DW_TAG_base_type => die.set(DwAt(dw::DW_AT_byte_size), AttributeValue::Data1(number as u8)),
        dw::DW_TAG_structure_type => die.set(DwAt(dw::DW_AT_byte_size), AttributeValue::Udata(number.into())),
        dw::DW_TAG_member => {
            die.set(DwAt(dw::DW_AT_data_member_location), AttributeValue::Udata(number.into()));
        }
        dw::DW_TAG_subprogram | dw::DW_TAG_lexical_block => {
            die.set(DwAt(dw::DW_AT_low_pc), address(0));
            die.set(DwAt(dw::DW_AT_high_pc), address(64));
            if entry.tag == dw::DW_TAG_subprogram {
                die.set(DwAt(dw::DW_AT_external), AttributeValue::Flag(true));
            }
        }
        tag if has_location(tag) => {
            let mut location = write::Expression::new();
            location.op_fbreg(number.into());
            die.set(DwAt(dw::DW_AT_location), AttributeValue::Exprloc(location));
        }
        _ => {}
    }
}

/// Writes a tree of [`gimli_build`] with gimli, as `.debug_info` and `.debug_abbrev`.
///
/// # Panics
///
/// If gimli refuses it.
pub fn gimli_write(dwarf: &mut write::Dwarf) -> (Vec<u8>, Vec<u8>) {
    let mut sections = write::Sections::new(write::EndianVec::new(RunTimeEndian::Little));
    dwarf.write(&mut sections).expect("a tree that gimli can write");
    (sections.debug_info.0.into_vec(), sections.debug_abbrev.0.into_vec())
}

/// An entry as read: depth, tag, attributes. References are 0-based numbers in the order of the
/// section.
type ReadEntry = (isize, u16, Vec<(u16, String)>);

/// Reads the entries of a `.debug_info` of one unit with gimli.
///
/// # Panics
///
/// If it cannot be read.
pub fn decode(info: &[u8], abbrev: &[u8]) -> Vec<ReadEntry> {
    let abbrev = gimli::DebugAbbrev::new(abbrev, LittleEndian);
    let header = gimli::DebugInfo::new(info, LittleEndian).units().next().expect("readable").expect("a unit");
    let abbreviations = header.abbreviations(&abbrev).expect("readable");
    let mut offsets = Vec::new();
    let mut entries = header.entries(&abbreviations);
    while let Some(entry) = entries.next_dfs().expect("readable") {
        offsets.push(entry.offset());
    }
    let number = |offset| offsets.binary_search(&offset).expect("an entry");
    let mut out = Vec::new();
    let mut entries = header.entries(&abbreviations);
    while let Some(entry) = entries.next_dfs().expect("readable") {
        let attributes = entry.attrs().iter().map(|attribute| {
            let value = match attribute.raw_value() {
                gimli::AttributeValue::UnitRef(offset) => format!("entry {}", number(offset)),
                value => format!("{value:?}"),
            };
            (attribute.name().0, value)
        });
        let mut attributes: Vec<_> = attributes.collect();
        attributes.sort(); // writers are free in their order
        out.push((entry.depth(), entry.tag().0, attributes));
    }
    out
}

/// Asserts that `dwarf2_writer` and gimli write the same tree.
///
/// # Panics
///
/// If they do not.
pub fn assert_same_tree(tree: &[Entry]) {
    let ours = ours(tree).expect("a valid tree");
    let (info, abbrev) = gimli_write(&mut gimli_build(tree));
    let read = decode(&ours.info.bytes, &ours.abbrev);
    assert_eq!(read.len(), tree.len());
    assert!(read == decode(&info, &abbrev), "gimli::write says something else");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_writers_say_the_same_tree() {
        assert_same_tree(&synthetic(3000));
    }
}
