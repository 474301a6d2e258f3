//! Lists, look-up tables, macros and strings by this crate and by gimli.
#![allow(unreachable_pub, reason = "a module of tests")]

use super::outcome::{Outcome, Reading, compare};
use dwarf2_reader::macinfo::Macro;
use dwarf2_reader::{
    Cursor, ErrorKind, Format, Result, Span, aranges, loc, macinfo, pubnames, ranges, strings,
};
use gimli::{
    DebugAranges, DebugLoc, DebugLocLists, DebugMacinfo, DebugMacinfoOffset, DebugPubNames, DebugPubTypes,
    DebugRanges, DebugRngLists, DebugStr, DebugStrOffset, Encoding, EndianSlice, LittleEndian, LocationLists,
    LocationListsOffset, MacroEntry, MacroString, RangeLists, RangeListsOffset, RawLocListEntry,
    RawRngListEntry,
};

const ENCODING: Encoding = Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 2 };

/// Bytes of two addresses.
const PAIR: usize = 16;

/// The items up to the first that cannot be read.
fn until_error<T, E>(mut items: impl Iterator<Item = Result<T, E>>) -> Reading<T> {
    let mut all = Vec::new();
    let is_sound = items.try_for_each(|item| item.map(|item| all.push(item))).is_ok();
    (all, is_sound)
}

/// Compares both readings of `.debug_loc`: no difference is known.
pub fn compare_locations(section: &[u8]) -> Outcome {
    compare(&until_error(loc::items(section, 0, |_| false)), &gimli_locations(section), || None)
}

fn gimli_locations(section: &[u8]) -> Reading<(Span, loc::Item<'_>)> {
    let no_lists = DebugLocLists::from(EndianSlice::new(&[], LittleEndian));
    let lists = LocationLists::new(DebugLoc::new(section, LittleEndian), no_lists);
    of_lists(section, loc::Item::End, |at, put| {
        let mut list = lists.raw_locations(LocationListsOffset(at), ENCODING)?;
        while let Some(entry) = list.next()? {
            match entry {
                RawLocListEntry::BaseAddress { addr } => put(loc::Item::Base(addr), PAIR),
                RawLocListEntry::AddressOrOffsetPair { begin, end, data } => {
                    let expression = data.0.slice();
                    put(loc::Item::Location { begin, end, expression }, PAIR + 2 + expression.len());
                }
                other => panic!("an entry of DWARF 5: {other:?}"),
            }
        }
        Ok(())
    })
}

/// Compares both readings of `.debug_ranges`: no difference is known.
pub fn compare_ranges(section: &[u8]) -> Outcome {
    compare(&until_error(ranges::items(section, 0, |_| false)), &gimli_ranges(section), || None)
}

fn gimli_ranges(section: &[u8]) -> Reading<(Span, ranges::Item)> {
    let no_lists = DebugRngLists::from(EndianSlice::new(&[], LittleEndian));
    let lists = RangeLists::new(DebugRanges::new(section, LittleEndian), no_lists);
    of_lists(section, ranges::Item::End, |at, put| {
        let mut list = lists.raw_ranges(RangeListsOffset(at), ENCODING)?;
        while let Some(entry) = list.next()? {
            match entry {
                RawRngListEntry::BaseAddress { addr } => put(ranges::Item::Base(addr), PAIR),
                RawRngListEntry::AddressOrOffsetPair { begin, end } => {
                    put(ranges::Item::Range { begin, end }, PAIR);
                }
                other => panic!("an entry of DWARF 5: {other:?}"),
            }
        }
        Ok(())
    })
}

/// One list after another, as gimli reads a single one: `read` is told where it begins, and gives
/// away its entries with their sizes. gimli takes the end of the section for the end of a list.
fn of_lists<T: Copy>(
    section: &[u8],
    end: T,
    read: impl Fn(usize, &mut dyn FnMut(T, usize)) -> gimli::Result<()>,
) -> Reading<(Span, T)> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < section.len() {
        let start = at;
        let mut put = |item, size| {
            all.push((at as u64..(at + size) as u64, item));
            at += size;
        };
        if read(start, &mut put).is_err() {
            return (all, false);
        }
        if at < section.len() {
            all.push((at as u64..(at + PAIR) as u64, end));
            at += PAIR;
        }
    }
    (all, true)
}

/// Compares both readings of `.debug_aranges`. gimli does not say where two zeros stand.
pub fn compare_addresses(section: &[u8]) -> Outcome {
    let (mut ours, is_sound) =
        until_error(aranges::items(section, |_| false).map(|item| item.map(|(_, item)| item)));
    ours.retain(|item| matches!(item, aranges::Item::Set(_) | aranges::Item::Range { .. }));
    compare(&(ours, is_sound), &gimli_addresses(section), || addresses_difference(section))
}

fn gimli_addresses(section: &[u8]) -> Reading<aranges::Item<'_>> {
    let mut all = Vec::new();
    let mut read = || {
        for header in DebugAranges::new(section, LittleEndian).headers() {
            let header = header?;
            let format = format(header.encoding().format);
            let end = (header.offset().0 + length_size(format) + header.length()) as u64;
            let (version, info) = (header.encoding().version, header.debug_info_offset().0 as u64);
            all.push(aranges::Item::Set(aranges::Set { format, version, info, end }));
            let mut entries = header.entries();
            while let Some(entry) = entries.next_raw()? {
                all.push(aranges::Item::Range { address: entry.address(), length: entry.length() });
            }
        }
        gimli::Result::Ok(())
    };
    let is_sound = read().is_ok();
    (all, is_sound)
}

/// The first thing in a section on which the readers disagree, and whether values after it may
/// differ.
fn addresses_difference(section: &[u8]) -> Option<(&'static str, bool)> {
    let mut end_of_set = 0;
    aranges::items(section, |_| false).find_map(|item| match item {
        // All versions of DWARF have 2; the caller is told. gimli also takes the 3 of some
        // producers.
        Ok((_, aranges::Item::Set(set))) if !matches!(set.version, 2 | 3) => Some(("another version", false)),
        Ok((_, aranges::Item::Set(set))) => {
            end_of_set = set.end;
            None
        }
        // Of an assembler that aligns; a set of no bytes to gimli.
        Ok((span, aranges::Item::Padding(_))) => {
            (span.start >= end_of_set).then_some(("zeros between sets", false))
        }
        Ok(_) => None,
        Err(error) => match error.kind {
            // Code of NVIDIA's has addresses of 8 bytes only.
            ErrorKind::Value { field: "address_size", found: 1 | 2 | 4, .. } => {
                Some(("addresses of another size", false))
            }
            // gimli leaves out what has fewer bytes than a range.
            ErrorKind::Truncated("an address" | "a length") => Some(("a set that ends in a range", false)),
            _ => None,
        },
    })
}

/// Compares both readings of `.debug_pubnames` or `.debug_pubtypes`.
pub fn compare_names(name: &'static str, section: &[u8]) -> Outcome {
    let (mut ours, is_sound) =
        until_error(pubnames::items(name, section).map(|item| item.map(|(_, item)| item)));
    ours.retain(|item| matches!(item, pubnames::Item::Set(_) | pubnames::Item::Name { .. }));
    compare(&(ours, is_sound), &gimli_names(name, section), || names_difference(name, section))
}

/// A set as gimli reads it: header and names, or why not.
type GimliSet<'d> = gimli::Result<(pubnames::Item<'d>, Reading<pubnames::Item<'d>>)>;

fn gimli_names<'d>(name: &'static str, section: &'d [u8]) -> Reading<pubnames::Item<'d>> {
    let header = |wide, version, info: usize, info_length: usize| {
        let (info, info_length) = (info as u64, info_length as u64);
        pubnames::Item::Set(pubnames::Set { format: format(wide), version, info, info_length })
    };
    let item = |entry: usize, name: &EndianSlice<'d, LittleEndian>| pubnames::Item::Name {
        entry: entry as u64,
        name: name.slice(),
    };
    // gimli's types of both sections have the same methods, but nothing in common.
    if name == ".debug_pubtypes" {
        in_sequence(DebugPubTypes::new(section, LittleEndian).sets().map(|set| {
            let set = set?;
            let names = set.items().map(|name| name.map(|name| item(name.die_offset().0, name.name())));
            let info = set.unit_header_offset().0;
            Ok((header(set.format(), set.version(), info, set.unit_length()), until_error(names)))
        }))
    } else {
        in_sequence(DebugPubNames::new(section, LittleEndian).sets().map(|set| {
            let set = set?;
            let names = set.items().map(|name| name.map(|name| item(name.die_offset().0, name.name())));
            let info = set.unit_header_offset().0;
            Ok((header(set.format(), set.version(), info, set.unit_length()), until_error(names)))
        }))
    }
}

fn in_sequence<'d>(sets: impl Iterator<Item = GimliSet<'d>>) -> Reading<pubnames::Item<'d>> {
    let mut all = Vec::new();
    for set in sets {
        let Ok((header, (names, is_sound))) = set else { return (all, false) };
        all.push(header);
        all.extend(names);
        if !is_sound {
            return (all, false);
        }
    }
    (all, true)
}

/// The first thing in a section on which the readers disagree, and whether values after it may
/// differ.
fn names_difference(name: &'static str, section: &[u8]) -> Option<(&'static str, bool)> {
    let mut end_of_set = 0;
    pubnames::items(name, section).find_map(|item| match item {
        // All versions of DWARF have 2; the caller is told.
        Ok((_, pubnames::Item::Set(set))) if set.version != 2 => Some(("another version", false)),
        Ok((span, pubnames::Item::Set(_))) => {
            let mut set = Cursor::at(name, section, span.start, "a set").ok()?;
            let (length, _) = set.unit_length().ok()?;
            end_of_set = set.offset() + length;
            None
        }
        // Of an assembler that aligns; a set of no bytes to gimli.
        Ok((span, pubnames::Item::Padding(_))) => {
            (span.start >= end_of_set).then_some(("zeros between sets", false))
        }
        Ok(_) => None,
        Err(error) => match error.kind {
            // gimli leaves out what stands after the zero.
            ErrorKind::Rest { .. } => Some(("bytes after the names of a set", false)),
            // A zero ends the names (DWARF 2.0.0 §6.1.1); gimli takes the end of the set for it.
            ErrorKind::Truncated("the offset of an entry") if error.offset == end_of_set => {
                Some(("names without an end", false))
            }
            _ => None,
        },
    })
}

fn format(format: gimli::Format) -> Format {
    match format {
        gimli::Format::Dwarf32 => Format::Dwarf32,
        gimli::Format::Dwarf64 => Format::Dwarf64,
    }
}

/// Bytes of `unit_length`.
fn length_size(format: Format) -> usize {
    match format {
        Format::Dwarf32 => 4,
        Format::Dwarf64 => 12,
    }
}

/// Compares both readings of `.debug_macinfo`. gimli does not say where a list ends: each begins
/// where it does for this crate.
pub fn compare_macros(section: &[u8]) -> Outcome {
    let (ours, is_sound) = until_error(macinfo::items(section, 0));
    let ends = ours.iter().filter(|(_, item)| item.is_none()).map(|(span, _)| span.end as usize);
    let starts: Vec<_> = [0].into_iter().chain(ends).filter(|start| *start < section.len()).collect();
    let has_end = ours.last().is_none_or(|(_, last)| last.is_none());
    let ours = (ours.into_iter().map(|(_, item)| item).collect(), is_sound);
    compare(&ours, &gimli_macros(section, &starts), || {
        // A zero ends a list (DWARF 2.0.0 §7.22); here the caller sees that there is none.
        (is_sound && !has_end).then_some(("a list without an end", false))
    })
}

fn gimli_macros<'d>(section: &'d [u8], starts: &[usize]) -> Reading<Option<Macro<'d>>> {
    let direct = |text: MacroString<EndianSlice<'d, LittleEndian>>| match text {
        MacroString::Direct(text) => text.slice(),
        other => panic!("a string of DWARF 5: {other:?}"),
    };
    let macros = DebugMacinfo::new(section, LittleEndian);
    let mut all = Vec::new();
    let mut read = |start| {
        let mut list = macros.get_macinfo(DebugMacinfoOffset(start))?;
        loop {
            let entry = list.next()?.map(|entry| match entry {
                MacroEntry::Define { line, text } => Macro::Define { line, text: direct(text) },
                MacroEntry::Undef { line, name } => Macro::Undef { line, text: direct(name) },
                MacroEntry::StartFile { line, file } => Macro::StartFile { line, file },
                MacroEntry::EndFile => Macro::EndFile,
                MacroEntry::VendorExt { numeric, string } => {
                    Macro::Vendor { constant: numeric, text: string.slice() }
                }
                other => panic!("an entry of DWARF 5: {other:?}"),
            });
            all.push(entry);
            if entry.is_none() {
                return gimli::Result::Ok(());
            }
        }
    };
    let is_sound = starts.iter().all(|start| read(*start).is_ok());
    (all, is_sound)
}

/// Compares both readings of `.debug_str`, from the start of each string and from inside of it: no
/// difference is known.
pub fn compare_strings(section: &[u8]) -> Outcome {
    let theirs = DebugStr::new(section, LittleEndian);
    let at = |offset: u64| theirs.get_str(DebugStrOffset(offset as usize)).ok().map(|string| string.slice());
    let ours = until_error(strings::strings(section));
    let inside = ours.0.iter().map(|(span, _)| span.start.midpoint(span.end));
    for offset in inside.chain([0, section.len() as u64, section.len() as u64 + 1]) {
        assert_eq!(strings::string_at(section, offset), at(offset), "{offset:#x}");
    }
    let (mut all, mut start) = (Vec::new(), 0);
    while let Some(string) = at(start) {
        let end = start + string.len() as u64 + 1;
        all.push((start..end, string));
        start = end;
    }
    compare(&ours, &(all, start == section.len() as u64), || None)
}
