//! Variables of the corpus, beside a decode of its own.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::variables::{LocationList, Unavailable, VariableLocation, Variables};
use gimli::{AttributeValue, DebugAbbrev, DebugInfo, LittleEndian};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedSection};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;

/// Offsets of the variables and parameters in `.debug_info`, by gimli alone.
fn decoded(info: &[u8], abbrev: &[u8]) -> Vec<(u64, bool)> {
    let abbrev = DebugAbbrev::new(abbrev, LittleEndian);
    let info = DebugInfo::new(info, LittleEndian);
    let mut all = Vec::new();
    let mut headers = info.units();
    while let Some(header) = headers.next().unwrap() {
        let abbreviations = header.abbreviations(&abbrev).unwrap();
        let mut raw = header.entries_raw(&abbreviations, None).unwrap();
        // Parameters of a function's type or declaration are not variables.
        let mut outer_depth = None;
        while !raw.is_empty() {
            let (offset, depth) = (header.offset().0 + raw.next_offset().0, raw.next_depth());
            let Some(abbreviation) = raw.read_abbreviation().unwrap() else { continue };
            raw.skip_attributes(abbreviation.attributes()).unwrap();
            outer_depth = outer_depth.filter(|around| depth > *around);
            let is_declaration = abbreviation
                .attributes()
                .iter()
                .any(|attribute| attribute.name() == gimli::DW_AT_declaration);
            match abbreviation.tag() {
                gimli::DW_TAG_subroutine_type => outer_depth = outer_depth.or(Some(depth)),
                gimli::DW_TAG_subprogram if is_declaration => outer_depth = outer_depth.or(Some(depth)),
                tag @ (gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter) if outer_depth.is_none() => {
                    all.push((offset as u64, tag == gimli::DW_TAG_formal_parameter));
                }
                _ => {}
            }
        }
    }
    all
}

/// A register location of an entry: the code and the PTX register, read from the raw sections.
struct Expected {
    entry: u64,
    section: u32,
    range: Range<u64>,
    register: String,
}

/// The name that a ULEB128 number is.
fn unpacked(mut leb: &[u8]) -> String {
    let (mut number, mut shift) = (0_u128, 0);
    while let [byte, rest @ ..] = leb {
        number |= u128::from(byte & 0x7f) << shift;
        shift += 7;
        leb = rest;
    }
    let bytes = number.to_be_bytes();
    String::from_utf8(bytes.into_iter().skip_while(|byte| *byte == 0).collect()).unwrap()
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The section that a field's relocation names.
fn section_at(section: &RelocatedSection<'_>, at: usize) -> Option<u32> {
    section.target(at as u64)?.section.map(|section| section.0)
}

/// `DW_OP_regx` alone, of exprlocs over the nearest entry with code, and of lists.
fn register_locations(
    info: &RelocatedSection<'_>,
    abbrev: &[u8],
    locations: Option<&RelocatedSection<'_>>,
) -> Vec<Expected> {
    let (abbrev, debug_info) =
        (DebugAbbrev::new(abbrev, LittleEndian), DebugInfo::new(&info.bytes, LittleEndian));
    let mut all = Vec::new();
    let mut headers = debug_info.units();
    while let Some(header) = headers.next().unwrap() {
        let start = header.offset().0;
        let abbreviations = header.abbreviations(&abbrev).unwrap();
        let mut raw = header.entries_raw(&abbreviations, None).unwrap();
        let mut open: Vec<Option<(u32, Range<u64>)>> = Vec::new();
        while !raw.is_empty() {
            let entry = (start + raw.next_offset().0) as u64;
            let depth = usize::try_from(raw.next_depth()).unwrap();
            let Some(abbreviation) = raw.read_abbreviation().unwrap() else { continue };
            let (mut low, mut high, mut location) = (None, None, None);
            for spec in abbreviation.attributes() {
                let field = start + raw.next_offset().0;
                let attribute = raw.read_attribute(*spec).unwrap();
                match (attribute.name(), attribute.value()) {
                    (gimli::DW_AT_low_pc, AttributeValue::Addr(at)) => {
                        low = section_at(info, field).zip(Some(at));
                    }
                    (gimli::DW_AT_high_pc, AttributeValue::Addr(at)) => high = Some(at),
                    (gimli::DW_AT_location, value) => location = Some(value),
                    _ => {}
                }
            }
            open.truncate(depth);
            let is_variable =
                matches!(abbreviation.tag(), gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter);
            match (location, open.last()) {
                (Some(AttributeValue::Exprloc(bytes)), Some(Some((section, range)))) if is_variable => {
                    if let [0x90, leb @ ..] = bytes.0.slice() {
                        let register = unpacked(leb);
                        all.push(Expected { entry, section: *section, range: range.clone(), register });
                    }
                }
                (Some(AttributeValue::LocationListsRef(offset)), _) if is_variable => {
                    listed(locations.unwrap(), offset.0, entry, &mut all);
                }
                _ => {}
            }
            open.push(low.zip(high).map(|((section, low), high)| (section, low..high)));
        }
    }
    all
}

fn listed(section: &RelocatedSection<'_>, mut at: usize, entry: u64, all: &mut Vec<Expected>) {
    let bytes = &section.bytes;
    loop {
        let sections = [section_at(section, at), section_at(section, at + 8)];
        let range = u64_at(bytes, at)..u64_at(bytes, at + 8);
        if sections == [None, None] && range == (0..0) {
            return;
        }
        let length = usize::from(u16::from_le_bytes(bytes[at + 16..at + 18].try_into().unwrap()));
        // A label without address has no relocation.
        if let ([Some(first), Some(last)], [0x90, leb @ ..]) = (sections, &bytes[at + 18..at + 18 + length]) {
            assert_eq!(first, last);
            all.push(Expected { entry, section: first, range, register: unpacked(leb) });
        }
        at += 18 + length;
    }
}

/// Part, SASS register's number, start and end.
type MapRange = (u32, u32, Range<u64>);

/// `.nv_debug_info_reg_sass` by function and PTX register.
fn register_map(bytes: &[u8]) -> HashMap<(String, String), Vec<MapRange>> {
    let mut at = 0;
    let text = |at: &mut usize| {
        let len = bytes[*at..].iter().position(|byte| *byte == 0).unwrap();
        *at += len + 1;
        String::from_utf8(bytes[*at - len - 1..*at - 1].to_vec()).unwrap()
    };
    let number = |at: &mut usize| {
        *at += 4;
        u32::from_le_bytes(bytes[*at - 4..*at].try_into().unwrap())
    };
    let mut map: HashMap<_, Vec<_>> = HashMap::new();
    while at < bytes.len() {
        let function = text(&mut at);
        for _ in 0..number(&mut at) {
            let part = number(&mut at);
            let key = (function.clone(), text(&mut at));
            let register = number(&mut at);
            let start = number(&mut at).into();
            map.entry(key).or_default().push((part, register, start..number(&mut at).into()));
        }
    }
    map
}

/// The words of a register at an address, as the answer has them.
fn shown(location: &LocationList, section: u32, at: u64, register: &str) -> Option<BTreeSet<(u32, u32)>> {
    let mut here = location.ranges.iter().filter(|range| {
        range.code.as_ref().is_some_and(|code| code.section.0 == section && code.range.contains(&at))
    });
    here.find_map(|range| match &range.location {
        VariableLocation::Register(held) if held.ptx == register => {
            Some(held.words.iter().map(|word| (word.part, word.register.0)).collect())
        }
        VariableLocation::Unavailable(Unavailable::NotInRegister(name)) if name == register => {
            Some(BTreeSet::new())
        }
        _ => None,
    })
}

#[derive(Debug, Default)]
struct Counts {
    files: usize,
    variables: usize,
    locations: usize,
    covered: usize,
    points: usize,
    with_register: usize,
}

/// Every variable of the tree is there once, and every register that the map has at an address is
/// shown there, no other.
#[test]
fn variables_of_the_corpus() {
    let mut by_sm: BTreeMap<u32, Counts> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let paths = support::cubins();
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let relocated = RelocatedCubin::new(&cubin);
        let section = |name: &str| cubin.section_by_name(name).map(|index| relocated.section(index).unwrap());
        let (Some(info), Some(abbrev)) = (section(".debug_info"), section(".debug_abbrev")) else { continue };
        let counts = by_sm.entry(cubin.header.sm()).or_default();
        counts.files += 1;
        let entries = Entries::read(&cubin).unwrap();
        let variables = Variables::read(&cubin, &entries).unwrap();
        let found: Vec<_> =
            variables.all().iter().map(|v| (entries.get(v.entry).unwrap().offset(), v.parameter)).collect();
        assert_eq!(found, decoded(&info.bytes, &abbrev.bytes), "{}", path.display());
        counts.variables += found.len();
        let locations: HashMap<_, _> = variables
            .all()
            .iter()
            .map(|v| (entries.get(v.entry).unwrap().offset(), variables.location(v)))
            .collect();
        assert!(!variables.is_truncated());
        for range in locations.values().flat_map(|location| &location.ranges) {
            if let VariableLocation::Unavailable(reason) = &range.location {
                let words = format!("{reason:?}");
                *reasons.entry(words.split('(').next().unwrap().to_owned()).or_default() += 1;
            }
        }
        let map = section(".nv_debug_info_reg_sass").map(|map| register_map(&map.bytes)).unwrap_or_default();
        for expected in register_locations(&info, &abbrev.bytes, section(".debug_loc").as_ref()) {
            let name = cubin.section_name(SectionIndex(expected.section));
            let key = (name.strip_prefix(".text.").unwrap().to_owned(), expected.register.clone());
            let ranges = map.get(&key).map_or(&[][..], Vec::as_slice);
            let mut points: BTreeSet<u64> =
                ranges.iter().flat_map(|(.., range)| [range.start, range.end]).collect();
            points.insert(expected.range.start);
            points.retain(|at| expected.range.contains(at));
            counts.locations += 1;
            let mut covered = false;
            for at in points {
                let there = ranges.iter().filter(|(.., range)| range.contains(&at));
                let words: BTreeSet<_> = there.map(|(part, register, _)| (*part, *register)).collect();
                counts.points += 1;
                counts.with_register += usize::from(!words.is_empty());
                covered |= !words.is_empty();
                let answer = shown(&locations[&expected.entry], expected.section, at, &expected.register);
                assert_eq!(
                    answer,
                    Some(words),
                    "{}: {:#x} at {name}+{at:#x}",
                    path.display(),
                    expected.entry
                );
            }
            counts.covered += usize::from(covered);
        }
    }
    for (sm, counts) in &by_sm {
        eprintln!("sm_{sm}: {counts:?}");
        // No architecture passes on nothing.
        assert!(
            counts.variables > 0 && counts.locations > 0 && counts.with_register > 0,
            "sm_{sm}: {counts:?}"
        );
    }
    assert!(by_sm.len() > 4, "only {:?}", by_sm.keys());
    eprintln!("ranges without a place: {reasons:?}");
}
