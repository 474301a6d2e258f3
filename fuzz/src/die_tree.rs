//! Fuzz target: calls that make entries of `.debug_info`. gimli reads the tree that was asked for.
//!
//! Calls that make no sense are refused, and change nothing.

use crate::Target;
use crate::seeds::sections;
use std::collections::{BTreeMap, BTreeSet};

use arbitrary::{Arbitrary, Unstructured};
use dwarf2_writer::info::{DebugInfo, EntryId, InfoSections, Params, Value};
use dwarf2_writer::{Address, Error};
use gimli::{AttributeValue, DebugAbbrev, EndianSlice, LittleEndian};

/// A call; entries are meant by a number that is taken modulo those there are.
#[derive(Debug, Arbitrary)]
enum Call<'a> {
    Unit(u16, Vec<Attribute<'a>>),
    ReserveUnit,
    FillUnit(u8, u16, Vec<Attribute<'a>>),
    Entry(u8, u16, Vec<Attribute<'a>>),
    Reserve(u8),
    Fill(u8, u8, u16, Vec<Attribute<'a>>),
}

#[derive(Debug, Clone, Arbitrary)]
struct Attribute<'a> {
    /// Taken modulo 0x4000: beyond are numbers that no reader takes.
    name: u16,
    value: Data<'a>,
}

#[derive(Debug, Clone, Arbitrary)]
enum Data<'a> {
    Addr(u64),
    Block(&'a [u8], u8),
    Data1(u8),
    Data2(u16),
    Data8(u64),
    String(&'a [u8]),
    Flag(bool),
    Sdata(i64),
    Udata(u64),
    Strp(u64),
    /// Entry and form.
    Reference(u8, u8),
}

/// An attribute as gimli should show it, but for references.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    Value(String),
    Entry(EntryId),
}

/// An entry that was taken.
#[derive(Debug)]
struct Entry {
    id: EntryId,
    tag: u16,
    attributes: Vec<(u16, Seen)>,
    children: Vec<usize>,
}

#[derive(Debug, Default)]
struct Model {
    /// All ids, and the number of the unit.
    ids: Vec<(EntryId, usize)>,
    roots: Vec<EntryId>,
    entries: Vec<Entry>,
    by_id: BTreeMap<EntryId, usize>,
}

impl Data<'_> {
    /// The value, the unit it has to be of, and what gimli should show.
    fn value<'v>(&'v self, ids: &[(EntryId, usize)]) -> Option<(Value<'v>, Option<usize>, Seen)> {
        type Shown<'a> = AttributeValue<EndianSlice<'a, LittleEndian>>;
        let slice = |bytes| EndianSlice::new(bytes, LittleEndian);
        let (value, shown) = match *self {
            Self::Addr(address) => (Value::Addr(Address::Constant(address)), Shown::Addr(address)),
            Self::Block(bytes, form) => {
                let block = bytes.into();
                let value =
                    [Value::Block1(block), Value::Block2(block), Value::Block4(block), Value::Block(block)];
                (value[usize::from(form) % 4], Shown::Block(slice(bytes)))
            }
            Self::Data1(data) => (Value::Data1(data), Shown::Data1(data)),
            Self::Data2(data) => (Value::Data2(data), Shown::Data2(data)),
            Self::Data8(data) => (Value::Data8(data), Shown::Data8(data)),
            Self::String(string) => (Value::String(string), Shown::String(slice(string))),
            Self::Flag(flag) => (Value::Flag(flag), Shown::Flag(flag)),
            Self::Sdata(data) => (Value::Sdata(data), Shown::Sdata(data)),
            Self::Udata(data) => (Value::Udata(data), Shown::Udata(data)),
            Self::Strp(offset) => (
                Value::Strp(Address::Constant(offset)),
                Shown::DebugStrRef(gimli::DebugStrOffset(offset as usize)),
            ),
            Self::Reference(entry, form) => {
                let &(id, unit) = ids.get(usize::from(entry) % ids.len().max(1))?;
                let forms =
                    [Value::Ref1, Value::Ref2, Value::Ref4, Value::Ref8, Value::RefUdata, Value::RefAddr];
                let form = usize::from(form) % forms.len();
                return Some((forms[form](id), (form < 5).then_some(unit), Seen::Entry(id)));
            }
        };
        Some((value, None, Seen::Value(format!("{shown:?}"))))
    }

    /// Whether the form can say it.
    fn fits(&self) -> bool {
        match *self {
            Self::Block(bytes, form) => form % 4 != 0 || bytes.len() <= 255,
            Self::String(string) => !string.contains(&0),
            Self::Strp(offset) => u32::try_from(offset).is_ok(),
            _ => true,
        }
    }
}

impl Model {
    fn pick(&self, number: u8) -> Option<(EntryId, usize)> {
        self.ids.get(usize::from(number) % self.ids.len().max(1)).copied()
    }

    /// Makes one call of each kind with the values of `attributes` in unit `unit`, and notes what
    /// it should have done.
    fn put(
        &mut self,
        unit: usize,
        tag: u16,
        attributes: &[Attribute<'_>],
        may: bool,
        parent: Option<EntryId>,
        call: impl FnOnce(&[(u16, Value<'_>)]) -> Result<EntryId, Error>,
    ) -> Option<EntryId> {
        let (mut values, mut seen, mut fit) = (Vec::new(), Vec::new(), true);
        for Attribute { name, value } in attributes {
            let Some((written, of_unit, shown)) = value.value(&self.ids) else { continue };
            fit &= value.fits() && of_unit.is_none_or(|of| of == unit);
            values.push((name % 0x4000, written));
            seen.push((name % 0x4000, shown));
        }
        let names: BTreeSet<_> = values.iter().map(|(name, _)| *name).collect();
        let valid = may && fit && tag != 0 && !names.contains(&0) && names.len() == values.len();
        let done = call(&values);
        assert_eq!(done.is_ok(), valid, "{done:?}");
        let id = done.ok()?;
        let entry = self.entries.len();
        self.entries.push(Entry { id, tag, attributes: seen, children: Vec::new() });
        self.by_id.insert(id, entry);
        if let Some(parent) = parent.and_then(|parent| self.by_id.get(&parent)) {
            self.entries[*parent].children.push(entry);
        }
        Some(id)
    }

    fn call(&mut self, info: &mut DebugInfo, call: Call<'_>) {
        match call {
            Call::Unit(tag, attributes) => {
                let unit = self.roots.len();
                let id = self.put(unit, tag, &attributes, true, None, |values| info.unit(tag, values));
                self.ids.extend(id.map(|id| (id, unit)));
                self.roots.extend(id);
            }
            Call::ReserveUnit => {
                let id = info.reserve_unit();
                self.ids.push((id, self.roots.len()));
                self.roots.push(id);
            }
            Call::FillUnit(number, tag, attributes) => {
                let Some((_, unit)) = self.pick(number) else { return };
                self.fill_unit(info, unit, tag, &attributes);
            }
            Call::Entry(parent, tag, attributes) => {
                let Some((parent, unit)) = self.pick(parent) else { return };
                let may = self.by_id.contains_key(&parent);
                let id = self
                    .put(unit, tag, &attributes, may, Some(parent), |values| info.entry(parent, tag, values));
                self.ids.extend(id.map(|id| (id, unit)));
            }
            Call::Reserve(any) => {
                let Some((any, unit)) = self.pick(any) else { return };
                self.ids.push((info.reserve(any).expect("a unit"), unit));
            }
            Call::Fill(number, parent, tag, attributes) => {
                let (Some((id, unit)), Some((parent, parents))) = (self.pick(number), self.pick(parent))
                else {
                    return;
                };
                let may = self.by_id.contains_key(&parent)
                    && !self.by_id.contains_key(&id)
                    && unit == parents
                    && id != self.roots[unit];
                self.put(unit, tag, &attributes, may, Some(parent), |values| {
                    info.fill(id, parent, tag, values).map(|()| id)
                });
            }
        }
    }

    fn fill_unit(&mut self, info: &mut DebugInfo, unit: usize, tag: u16, attributes: &[Attribute<'_>]) {
        let root = self.roots[unit];
        let may = !self.by_id.contains_key(&root);
        self.put(unit, tag, attributes, may, None, |values| info.fill_unit(root, tag, values).map(|()| root));
    }

    /// Compares with what gimli reads.
    fn check(&self, sections: &InfoSections, siblings: bool) {
        let abbrev = DebugAbbrev::new(&sections.abbrev, LittleEndian);
        let info = gimli::DebugInfo::new(&sections.info.bytes, LittleEndian);
        let mut units = info.units();
        for root in &self.roots {
            let header = units.next().expect("readable").expect("one more");
            let abbreviations = header.abbreviations(&abbrev).expect("readable");
            let mut entries = header.entries(&abbreviations);
            let mut stack = vec![(self.by_id[root], 0)];
            while let Some((index, depth)) = stack.pop() {
                let entry = &self.entries[index];
                let read = entries.next_dfs().expect("readable").expect("one more");
                assert_eq!((read.tag().0, read.depth()), (entry.tag, depth));
                assert_eq!(Some(read.offset().0 as u32), sections.entry_offset(entry.id));
                let next = stack.last().filter(|next| next.1 == depth && !entry.children.is_empty());
                let sibling = next.filter(|_| siblings).map(|next| (1, Seen::Entry(self.entries[next.0].id)));
                let expected: Vec<_> = sibling.into_iter().chain(entry.attributes.iter().cloned()).collect();
                assert_eq!(read.attrs().len(), expected.len());
                for (read, (name, seen)) in read.attrs().iter().zip(expected) {
                    assert_eq!(read.name().0, name);
                    match (seen, read.raw_value()) {
                        (Seen::Entry(id), AttributeValue::UnitRef(offset)) => {
                            assert_eq!(Some(offset.0 as u32), sections.entry_offset(id));
                        }
                        (Seen::Entry(id), AttributeValue::DebugInfoRef(offset)) => {
                            let unit = sections.unit(id).expect("placed").0;
                            assert_eq!(offset.0 as u32 - unit, sections.entry_offset(id).expect("placed"));
                        }
                        // In some attributes gimli takes numbers for offsets.
                        (Seen::Value(value), AttributeValue::SecOffset(offset)) => {
                            assert!(value.ends_with(&format!("({offset})")), "{value}");
                        }
                        (Seen::Value(value), read) => assert_eq!(format!("{read:?}"), value),
                        (seen, read) => panic!("{seen:?} was read as {read:?}"),
                    }
                }
                stack.extend(entry.children.iter().rev().map(|child| (*child, depth + 1)));
            }
            assert!(entries.next_dfs().expect("readable").is_none());
        }
        assert!(units.next().expect("readable").is_none());
    }

    /// Whether `error` is why this cannot be written.
    fn explains(&self, error: Error, siblings: bool) -> bool {
        let filled = |id: &EntryId| self.by_id.contains_key(id);
        match error {
            Error::EmptyEntry(id) => !filled(&id),
            Error::FarReference { from, to, offset, width } => {
                filled(&from) && filled(&to) && width < 4 && offset >> (8 * width) != 0
            }
            Error::DuplicateAttribute { name: 1, .. } => siblings,
            _ => false,
        }
    }
}

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(6_000, 1500);
    target.run_on_damaged(300, &sections());
}

/// Makes the calls that `data` stands for and reads the result.
pub(crate) fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let siblings = input.arbitrary().unwrap_or(false);
    let mut info = DebugInfo::new(Params { siblings, ..Params::default() });
    let mut model = Model::default();
    while !input.is_empty() {
        let Ok(call) = Call::arbitrary(&mut input) else { break };
        model.call(&mut info, call);
    }
    // A unit without a root cannot be written: give each one.
    for unit in 0..model.roots.len() {
        model.fill_unit(&mut info, unit, 1, &[]);
    }
    match info.finish() {
        Ok(sections) => model.check(&sections, siblings),
        Err(error) => assert!(model.explains(error, siblings), "{error}"),
    }
}
