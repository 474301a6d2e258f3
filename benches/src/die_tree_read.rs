//! Reading of every attribute of every entry of a section, by `dwarf2-reader` and by gimli.

use dwarf2_reader::info::{Node, Units, Value};
use gimli::{AttributeValue, LittleEndian};

/// The number of entries and attributes read, and the wrapping sum of tags, names and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// Entries.
    pub entries: u64,
    /// The number of attributes of all entries.
    pub attributes: u64,
    /// Of depths, tags, names of attributes, numbers, and lengths of strings and blocks.
    pub values: u64,
}

impl Sum {
    #[inline]
    fn entry(&mut self, depth: u64, tag: u16) {
        self.entries += 1;
        self.values = self.values.wrapping_add(depth).wrapping_add(tag.into());
    }

    #[inline]
    fn attribute(&mut self, name: u16, value: u64) {
        self.attributes += 1;
        self.values = self.values.wrapping_add(name.into()).wrapping_add(value);
    }
}

/// Reads a section with `dwarf2_reader`.
///
/// # Errors
///
/// None for what [`super::die_tree::ours`] writes.
pub fn ours(info: &[u8], abbrev: &[u8]) -> dwarf2_reader::Result<Sum> {
    let mut sum = Sum::default();
    let units = Units::read(info, abbrev)?;
    for unit in units.all() {
        for node in units.nodes(unit, info) {
            let Node::Entry(entry) = node? else { continue };
            sum.entry(entry.depth().into(), entry.tag());
            for attribute in entry.attributes() {
                let value = match attribute.value {
                    Value::Block(bytes) | Value::String(bytes) => bytes.len() as u64,
                    Value::Address(number)
                    | Value::Data(number)
                    | Value::Unsigned(number)
                    | Value::StringOffset(number)
                    | Value::UnitReference(number)
                    | Value::InfoReference(number)
                    | Value::Signature(number)
                    | Value::SectionOffset(number) => number,
                    Value::Signed(number) => number.cast_unsigned(),
                    Value::Flag(flag) => flag.into(),
                };
                sum.attribute(attribute.name, value);
            }
        }
    }
    Ok(sum)
}

/// Reads a section with gimli in its fastest way: one entry after another, without a tree.
///
/// # Errors
///
/// None for what [`super::die_tree::ours`] writes.
pub fn gimli(info: &[u8], abbrev: &[u8]) -> gimli::Result<Sum> {
    let mut sum = Sum::default();
    let abbrev = gimli::DebugAbbrev::new(abbrev, LittleEndian);
    let mut units = gimli::DebugInfo::new(info, LittleEndian).units();
    while let Some(unit) = units.next()? {
        let table = unit.abbreviations(&abbrev)?;
        let mut raw = unit.entries_raw(&table, None)?;
        while !raw.is_empty() {
            let depth = raw.next_depth() as u64;
            let Some(abbreviation) = raw.read_abbreviation()? else { continue };
            sum.entry(depth, abbreviation.tag().0);
            for spec in abbreviation.attributes() {
                let attribute = raw.read_attribute(*spec)?;
                let value = match attribute.raw_value() {
                    AttributeValue::Block(bytes) | AttributeValue::String(bytes) => bytes.len() as u64,
                    AttributeValue::Exprloc(expression) => expression.0.len() as u64,
                    AttributeValue::Addr(number)
                    | AttributeValue::Data8(number)
                    | AttributeValue::Udata(number) => number,
                    AttributeValue::Data1(number) => number.into(),
                    AttributeValue::Data2(number) => number.into(),
                    AttributeValue::Data4(number) => number.into(),
                    AttributeValue::Sdata(number) => number.cast_unsigned(),
                    AttributeValue::Flag(flag) => flag.into(),
                    AttributeValue::UnitRef(offset) => offset.0 as u64,
                    AttributeValue::DebugInfoRef(offset) => offset.0 as u64,
                    AttributeValue::DebugStrRef(offset) => offset.0 as u64,
                    AttributeValue::SecOffset(offset) => offset as u64,
                    _ => 0,
                };
                sum.attribute(attribute.name().0, value);
            }
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::die_tree;

    #[test]
    fn both_readers_read_the_same() {
        let written = die_tree::ours(&die_tree::synthetic(3000)).expect("valid");
        let sum = ours(&written.info.bytes, &written.abbrev).expect("readable");
        assert!(sum.entries >= 3000 && sum.attributes > 2 * sum.entries, "{sum:?}");
        assert_eq!(Ok(sum), gimli(&written.info.bytes, &written.abbrev));
    }
}
