//! Trees of entries, written and read again by gimli.

use std::collections::BTreeMap;

use dwarf2_writer::constants::*;
use dwarf2_writer::info::{Attribute, Block, DebugInfo, EntryId, InfoSections, Params, Value};
use dwarf2_writer::{Address, Expression, Reloc, SymbolId};
use gimli::{AttributeValue, DebugAbbrev, DebugInfoOffset, EndianSlice, LittleEndian, UnitOffset};
use proptest::prelude::*;
use proptest::sample::Index;

/// A value in any form; references by a number that is taken modulo the entries there are.
#[derive(Debug, Clone)]
enum Model {
    Addr(u64),
    Symbol(u32, i64),
    /// Which block form, bytes.
    Block(u8, Vec<u8>),
    /// A block with one relocation.
    Location(u8, i64),
    Data1(u8),
    Data2(u16),
    Data4(u32),
    Data8(u64),
    String(Vec<u8>),
    Flag(bool),
    Sdata(i64),
    Udata(u64),
    Strp(u32),
    Offset(u32),
    RefAddr(Index),
    RefAddrOffset(u64),
    /// To the unit's root, which is always near enough.
    Ref1,
    Ref2(Index),
    Ref4(Index),
    Ref8(Index),
    RefUdata(Index),
    Indirect(Box<Model>),
}

fn model() -> impl Strategy<Value = Model> {
    let string = prop::collection::vec(1..=u8::MAX, 0..12);
    let leaf = prop_oneof![
        any::<u64>().prop_map(Model::Addr),
        (any::<u32>(), any::<i64>()).prop_map(|(symbol, addend)| Model::Symbol(symbol, addend)),
        (0..4_u8, prop::collection::vec(any::<u8>(), 0..200))
            .prop_map(|(form, bytes)| Model::Block(form, bytes)),
        (0..4_u8, any::<i64>()).prop_map(|(form, addend)| Model::Location(form, addend)),
        any::<u8>().prop_map(Model::Data1),
        any::<u16>().prop_map(Model::Data2),
        any::<u32>().prop_map(Model::Data4),
        any::<u64>().prop_map(Model::Data8),
        string.prop_map(Model::String),
        any::<bool>().prop_map(Model::Flag),
        any::<i64>().prop_map(Model::Sdata),
        any::<u64>().prop_map(Model::Udata),
        any::<u32>().prop_map(Model::Strp),
        any::<u32>().prop_map(Model::Offset),
        any::<Index>().prop_map(Model::RefAddr),
        any::<u64>().prop_map(Model::RefAddrOffset),
        Just(Model::Ref1),
        any::<Index>().prop_map(Model::Ref2),
        any::<Index>().prop_map(Model::Ref4),
        any::<Index>().prop_map(Model::Ref8),
        any::<Index>().prop_map(Model::RefUdata),
    ];
    leaf.prop_recursive(2, 4, 1, |inner| inner.prop_map(|value| Model::Indirect(Box::new(value))))
}

/// An entry: its parent among those before it, tag and attributes. Names are vendors', which no
/// reader knows better.
#[derive(Debug, Clone)]
struct Entry {
    parent: Index,
    tag: u16,
    attributes: Vec<(u16, Model)>,
}

fn entry() -> impl Strategy<Value = Entry> {
    let attributes = prop::collection::btree_map(0x2000..0x2010_u16, model(), 0..6);
    (any::<Index>(), prop_oneof![1..0x36_u16, Just(0x4080), Just(0xffff)], attributes).prop_map(
        |(parent, tag, attributes)| Entry { parent, tag, attributes: attributes.into_iter().collect() },
    )
}

/// The address that [`Model::Location`] has in its block.
fn location(addend: i64) -> (Vec<u8>, Vec<Reloc>) {
    let mut expression = Expression::default();
    expression.op(DW_OP_nop).addr(Address::Symbol { symbol: SymbolId(9), addend }).op(DW_OP_stack_value);
    (expression.bytes, expression.relocs)
}

/// Calls `with` with the value. `ids` are the entries of the unit that may be named, `all` those of
/// all units.
fn with_value(model: &Model, ids: &[EntryId], all: &[EntryId], with: &mut dyn FnMut(Value<'_>)) {
    let block = |form: u8, block| match form {
        0 => Value::Block1(block),
        1 => Value::Block2(block),
        2 => Value::Block4(block),
        _ => Value::Block(block),
    };
    match model {
        Model::Addr(address) => with(Value::Addr(Address::Constant(*address))),
        Model::Symbol(symbol, addend) => {
            with(Value::Addr(Address::Symbol { symbol: SymbolId(*symbol), addend: *addend }));
        }
        Model::Block(form, bytes) => with(block(*form, bytes.as_slice().into())),
        Model::Location(form, addend) => {
            let (bytes, relocs) = location(*addend);
            with(block(*form, Block { bytes: &bytes, relocs: &relocs }));
        }
        Model::Data1(data) => with(Value::Data1(*data)),
        Model::Data2(data) => with(Value::Data2(*data)),
        Model::Data4(data) => with(Value::Data4(*data)),
        Model::Data8(data) => with(Value::Data8(*data)),
        Model::String(string) => with(Value::String(string)),
        Model::Flag(flag) => with(Value::Flag(*flag)),
        Model::Sdata(data) => with(Value::Sdata(*data)),
        Model::Udata(data) => with(Value::Udata(*data)),
        Model::Strp(offset) => with(Value::Strp((*offset).into())),
        Model::Offset(offset) => with(Value::Offset((*offset).into())),
        Model::RefAddr(index) => with(Value::RefAddr(*index.get(all))),
        Model::RefAddrOffset(offset) => with(Value::RefAddrOffset(Address::Constant(*offset))),
        Model::Ref1 => with(Value::Ref1(ids[0])),
        Model::Ref2(index) => with(Value::Ref2(*index.get(ids))),
        Model::Ref4(index) => with(Value::Ref4(*index.get(ids))),
        Model::Ref8(index) => with(Value::Ref8(*index.get(ids))),
        Model::RefUdata(index) => with(Value::RefUdata(*index.get(ids))),
        Model::Indirect(inner) => with_value(inner, ids, all, &mut |value| with(Value::Indirect(&value))),
    }
}

/// Whether gimli read what `model` says.
fn same(model: &Model, read: AttributeValue<EndianSlice<'_, LittleEndian>>, places: &Places<'_>) {
    match (model, read) {
        (Model::Addr(address), AttributeValue::Addr(read)) => assert_eq!(read, *address),
        (Model::Symbol(_, addend), AttributeValue::Addr(read)) => assert_eq!(read, *addend as u64),
        (Model::Block(_, bytes), AttributeValue::Block(read)) => assert_eq!(read.slice(), bytes),
        (Model::Location(_, addend), AttributeValue::Block(read)) => {
            assert_eq!(read.slice(), location(*addend).0);
        }
        (Model::Data1(data), AttributeValue::Data1(read)) => assert_eq!(read, *data),
        (Model::Data2(data), AttributeValue::Data2(read)) => assert_eq!(read, *data),
        (Model::Data4(data) | Model::Offset(data), AttributeValue::Data4(read)) => assert_eq!(read, *data),
        (Model::Data8(data), AttributeValue::Data8(read))
        | (Model::Udata(data), AttributeValue::Udata(read)) => {
            assert_eq!(read, *data);
        }
        (Model::String(string), AttributeValue::String(read)) => assert_eq!(read.slice(), string),
        (Model::Flag(flag), AttributeValue::Flag(read)) => assert_eq!(read, *flag),
        (Model::Sdata(data), AttributeValue::Sdata(read)) => assert_eq!(read, *data),
        (Model::Strp(offset), AttributeValue::DebugStrRef(read)) => assert_eq!(read.0, *offset as usize),
        (Model::RefAddr(index), AttributeValue::DebugInfoRef(read)) => {
            assert_eq!(places.sections[&read], *index.get(places.all));
        }
        (Model::RefAddrOffset(offset), AttributeValue::DebugInfoRef(read)) => {
            assert_eq!(read.0 as u64, *offset);
        }
        (Model::Ref1, AttributeValue::UnitRef(read)) => assert_eq!(places.unit[&read], places.ids[0]),
        (
            Model::Ref2(index) | Model::Ref4(index) | Model::Ref8(index) | Model::RefUdata(index),
            AttributeValue::UnitRef(read),
        ) => assert_eq!(places.unit[&read], *index.get(places.ids)),
        (Model::Indirect(inner), read) => same(inner, read, places),
        (model, read) => panic!("{model:?} was read as {read:?}"),
    }
}

/// Entries by where they are.
struct Places<'a> {
    sections: &'a BTreeMap<DebugInfoOffset, EntryId>,
    unit: BTreeMap<UnitOffset, EntryId>,
    ids: &'a [EntryId],
    all: &'a [EntryId],
}

/// Entries with the tree that they were asked to be: ids in the order of creation, parents as
/// positions in it.
struct Asked<'a> {
    entries: &'a [Entry],
    ids: Vec<EntryId>,
    parents: Vec<Option<usize>>,
}

impl Asked<'_> {
    /// Positions and depths in the order of the section.
    fn preorder(&self) -> Vec<(usize, isize)> {
        let mut children = vec![Vec::new(); self.ids.len()];
        for (position, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(position);
            }
        }
        let (mut out, mut stack) = (Vec::new(), vec![(0, 0)]);
        while let Some((position, depth)) = stack.pop() {
            out.push((position, depth));
            stack.extend(children[position].iter().rev().map(|child| (*child, depth + 1)));
        }
        out
    }
}

/// Adds the units. With `early`, all ids are there from the start, last one first, and references
/// go both ways; else only backwards.
fn build<'a>(info: &mut DebugInfo, units: &'a [Vec<Entry>], early: bool) -> Vec<Asked<'a>> {
    let mut asked: Vec<Asked<'_>> = Vec::new();
    if early {
        for entries in units {
            let root = info.reserve_unit();
            let mut ids: Vec<_> =
                entries[1..].iter().map(|_| info.reserve(root).expect("reserved")).collect();
            ids.push(root);
            ids.reverse();
            asked.push(Asked { entries, ids, parents: Vec::new() });
        }
    }
    for (number, entries) in units.iter().enumerate() {
        if !early {
            asked.push(Asked { entries, ids: Vec::new(), parents: Vec::new() });
        }
        for (position, entry) in entries.iter().enumerate() {
            let all: Vec<_> = asked.iter().flat_map(|unit| unit.ids.iter().copied()).collect();
            let unit = &asked[number];
            let parent = (position > 0).then(|| entry.parent.index(position));
            let parent_id = parent.map(|parent| unit.ids[parent]);
            let mut put = |attributes: &[(u16, Value<'_>)]| match (early, parent_id) {
                (true, None) => info.fill_unit(unit.ids[0], entry.tag, attributes).map(|()| unit.ids[0]),
                (true, Some(parent)) => {
                    info.fill(unit.ids[position], parent, entry.tag, attributes).map(|()| unit.ids[position])
                }
                (false, None) => info.unit(entry.tag, attributes),
                (false, Some(parent)) => info.entry(parent, entry.tag, attributes),
            };
            let id = with_all(&entry.attributes, &unit.ids, &all, &mut Vec::new(), &mut put);
            let id = id.expect("valid");
            if !early {
                asked[number].ids.push(id);
            }
            asked[number].parents.push(parent);
        }
    }
    asked
}

/// Calls `put` with all values, which live as long as the calls are nested. Without entries to name
/// there are no references.
fn with_all<T>(
    models: &[(u16, Model)],
    ids: &[EntryId],
    all: &[EntryId],
    values: &mut Vec<(u16, Value<'_>)>,
    put: &mut dyn FnMut(&[Attribute<'_>]) -> T,
) -> T {
    let Some(((name, model), rest)) = models.split_first() else { return put(values) };
    let mut out = None;
    with_value(model, ids, all, &mut |value| {
        let mut values: Vec<_> = values.iter().copied().chain([(*name, value)]).collect();
        out = Some(with_all(rest, ids, all, &mut values, put));
    });
    out.expect("called")
}

/// Reads everything and compares.
fn check(sections: &InfoSections, asked: &[Asked<'_>], siblings: bool) {
    let abbrev = DebugAbbrev::new(&sections.abbrev, LittleEndian);
    let info = gimli::DebugInfo::new(&sections.info.bytes, LittleEndian);
    let all: Vec<_> = asked.iter().flat_map(|unit| unit.ids.iter().copied()).collect();
    let place = |id: EntryId| UnitOffset(sections.entry_offset(id).expect("placed") as usize);
    let in_section =
        |id: EntryId| DebugInfoOffset(sections.unit(id).expect("placed").0 as usize + place(id).0);
    let by_section: BTreeMap<_, _> = all.iter().map(|id| (in_section(*id), *id)).collect();
    let mut units = info.units();
    for unit in asked {
        let header = units.next().expect("readable").expect("one more unit");
        let (offset, size) = sections.unit(unit.ids[0]).expect("placed");
        assert_eq!((header.version(), header.address_size()), (2, 8));
        assert_eq!(header.offset().0, offset as usize);
        assert_eq!(header.length_including_self(), size as usize);
        let abbreviations = header.abbreviations(&abbrev).expect("readable");
        let unit_places = unit.ids.iter().map(|id| (place(*id), *id)).collect();
        let places = Places { sections: &by_section, unit: unit_places, ids: &unit.ids, all: &all };
        let mut entries = header.entries(&abbreviations);
        let preorder = unit.preorder();
        for (order, &(position, depth)) in preorder.iter().enumerate() {
            let read = entries.next_dfs().expect("readable").expect("one more entry");
            let entry = &unit.entries[position];
            assert_eq!((read.tag().0, read.depth()), (entry.tag, depth));
            assert_eq!(read.offset(), place(unit.ids[position]));
            // The next sibling is the next entry of this depth, if none is further up before.
            let after = preorder[order + 1..].iter().find(|next| next.1 <= depth);
            let next = after.filter(|next| next.1 == depth && preorder[order + 1].1 > depth);
            let mut attributes = read.attrs().iter();
            if let Some(next) = next.filter(|_| siblings) {
                let sibling = attributes.next().expect("added");
                assert_eq!(sibling.name(), gimli::DW_AT_sibling);
                assert_eq!(sibling.raw_value(), AttributeValue::UnitRef(place(unit.ids[next.0])));
            }
            for (name, model) in &entry.attributes {
                let read = attributes.next().expect("one more attribute");
                assert_eq!(read.name().0, *name);
                same(model, read.raw_value(), &places);
            }
            assert!(attributes.next().is_none());
        }
        assert!(entries.next_dfs().expect("readable").is_none());
    }
    assert!(units.next().expect("readable").is_none());
}

/// Relocations that the values ask for, in the order of the section.
fn expected_relocs(asked: &[Asked<'_>]) -> Vec<(SymbolId, i64)> {
    let one = |model: &Model| {
        let mut model = model;
        while let Model::Indirect(inner) = model {
            model = inner;
        }
        match model {
            Model::Symbol(symbol, addend) => Some((SymbolId(*symbol), *addend)),
            Model::Location(_, addend) => Some((SymbolId(9), *addend)),
            _ => None,
        }
    };
    let entries = asked.iter().flat_map(|unit| unit.preorder().into_iter().map(|(p, _)| &unit.entries[p]));
    entries.flat_map(|entry| &entry.attributes).filter_map(|(_, model)| one(model)).collect()
}

/// Trees without references, as the first entries of a unit can only name what is there.
fn without_references(entry: &Entry) -> Entry {
    let is_reference = |model: &Model| {
        let mut model = model;
        while let Model::Indirect(inner) = model {
            model = inner;
        }
        matches!(
            model,
            Model::RefAddr(_)
                | Model::Ref1
                | Model::Ref2(_)
                | Model::Ref4(_)
                | Model::Ref8(_)
                | Model::RefUdata(_)
        )
    };
    let attributes = entry.attributes.iter().filter(|(_, model)| !is_reference(model)).cloned().collect();
    Entry { attributes, ..entry.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn gimli_reads_the_tree(
        units in prop::collection::vec(prop::collection::vec(entry(), 1..24), 1..4),
        early in any::<bool>(),
        siblings in any::<bool>(),
    ) {
        let mut units = units;
        // References by position mean the same for writer and reader only if all ids are known when
        // they are made.
        if !early {
            units.iter_mut().flatten().for_each(|entry| *entry = without_references(entry));
        }
        let mut info = DebugInfo::new(Params { siblings, ..Params::default() });
        let asked = build(&mut info, &units, early);
        let sections = info.finish().expect("valid");
        check(&sections, &asked, siblings);
        let relocs: Vec<_> = sections.info.relocs.iter().map(|reloc| (reloc.symbol, reloc.addend)).collect();
        prop_assert_eq!(relocs, expected_relocs(&asked));
        prop_assert!(sections.info.relocs.is_sorted_by_key(|reloc| reloc.offset));
        for reloc in &sections.info.relocs {
            let field = sections.info.bytes[reloc.offset as usize..].first_chunk().expect("in the section");
            prop_assert_eq!((reloc.width, i64::from_le_bytes(*field)), (8, reloc.addend));
        }
    }
}

/// One unit of `count` entries, each `parent(n)` of the one before it or of the root; read back by
/// depth.
fn shape(count: u32, deep: bool) {
    let mut info = DebugInfo::new(Params { siblings: true, ..Params::default() });
    let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
    let mut parent = root;
    let mut previous = root;
    for n in 0..count {
        let attributes = [(DW_AT_byte_size, Value::Udata(n.into())), (DW_AT_type, Value::Ref4(previous))];
        previous = info.entry(parent, DW_TAG_lexical_block, &attributes).expect("valid");
        if deep {
            parent = previous;
        }
    }
    let sections = info.finish().expect("valid");
    let abbrev = DebugAbbrev::new(&sections.abbrev, LittleEndian);
    let header = gimli::DebugInfo::new(&sections.info.bytes, LittleEndian).units().next();
    let header = header.expect("readable").expect("a unit");
    let abbreviations = header.abbreviations(&abbrev).expect("readable");
    let mut entries = header.entries(&abbreviations);
    let mut offset = entries.next_dfs().expect("readable").expect("the root").offset();
    for n in 0..count {
        let entry = entries.next_dfs().expect("readable").expect("one more");
        assert_eq!(entry.depth(), if deep { n as isize + 1 } else { 1 });
        assert_eq!(entry.attrs()[0].udata_value(), Some(n.into()));
        assert_eq!(entry.attrs()[1].value(), AttributeValue::UnitRef(offset));
        offset = entry.offset();
    }
    assert!(entries.next_dfs().expect("readable").is_none());
    assert_eq!(sections.entry_offset(previous), Some(offset.0 as u32));
}

#[test]
fn a_million_entries_side_by_side() {
    shape(1_000_000, false);
}

#[test]
fn a_million_entries_below_each_other() {
    shape(1_000_000, true);
}

#[test]
fn references_in_7_bit_groups_are_shortest_or_padded() {
    // Each entry names the next: those near 128 and 16384 move each other over the border, one a
    // round.
    for (count, widest) in [(20, 1), (60, 2), (9000, 5)] {
        let mut info = DebugInfo::new(Params::default());
        let root = info.unit(DW_TAG_compile_unit, &[]).expect("valid");
        let ids: Vec<_> = (0..count).map(|_| info.reserve(root).expect("reserved")).collect();
        for (position, id) in ids.iter().enumerate() {
            let next = ids.get(position + 1).unwrap_or(&root);
            info.fill(*id, root, DW_TAG_typedef, &[(DW_AT_type, Value::RefUdata(*next))]).expect("valid");
        }
        let sections = info.finish().expect("valid");
        let abbrev = DebugAbbrev::new(&sections.abbrev, LittleEndian);
        let header = gimli::DebugInfo::new(&sections.info.bytes, LittleEndian).units().next();
        let header = header.expect("readable").expect("a unit");
        let abbreviations = header.abbreviations(&abbrev).expect("readable");
        let mut entries = header.entries(&abbreviations);
        entries.next_dfs().expect("readable");
        let mut seen = Vec::new();
        while let Some(entry) = entries.next_dfs().expect("readable") {
            seen.push((entry.offset(), entry.attrs()[0].value()));
        }
        assert_eq!(seen.len(), count);
        for pair in seen.windows(2) {
            assert_eq!(pair[0].1, AttributeValue::UnitRef(pair[1].0));
            assert!(pair[1].0.0 - pair[0].0.0 <= 1 + widest);
        }
    }
}
