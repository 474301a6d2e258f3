//! Recovers address pairs from register ranges, frame rules, debug sections and `.nv.info`.

use crate::address_map::AddressRole;
use crate::code_map::CodeMap;
use crate::frame::{self, FdeRules, FrameSection};
use crate::range_order::RangeOrder;
use crate::section_pairs::SectionPairs;
use crate::{info_records, register_maps, relocations};
use foldhash::{HashMap, HashMapExt as _, HashSet};
use nv_debug_sections::catalog::{CODE_PREFIX, SectionKind};
use nv_debug_sections::cubin::{Cubin, SectionIndex, sht};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::reg_sass::{self, FunctionRegisters, RegisterRange};
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Result, nv_info};
use std::collections::VecDeque;

/// Adds to `maps` all places that are known; `kept_sizes` are those of [`kept_sizes`].
pub(super) fn add(
    cubin: &Cubin<'_>,
    pairs: &SectionPairs,
    kept_sizes: &HashMap<SectionIndex, u64>,
    maps: &mut [CodeMap],
) -> Result<()> {
    register_ranges(cubin, pairs, kept_sizes, maps)?;
    let view = RelocatedCubin::new(cubin);
    frame_rules(&view, pairs, maps)?;
    labels(&view, pairs, maps);
    listed(cubin, pairs, maps)
}

/// The sizes of functions that had copies which nvlink dropped, by Mercury section. nvlink gives
/// their symbols the size of another copy, but the first of their frame rules are those of the code
/// that it keeps.
pub(super) fn kept_sizes(cubin: &Cubin<'_>, pairs: &SectionPairs) -> Result<HashMap<SectionIndex, u64>> {
    let clone = both(cubin, pairs, SectionKind::DebugFrame).filter(|_| cubin.is_linked());
    let Some((_, clone)) = clone else { return Ok(HashMap::new()) };
    let view = RelocatedCubin::new(cubin);
    let frames = FrameSection::read(&view, clone)?;
    let mut sizes: HashMap<SectionIndex, (u64, usize)> = HashMap::new();
    for (section, _, rules) in frames.rules().filter(|(_, address, _)| *address == 0) {
        let (_, times) = sizes.entry(section).or_insert((rules.range, 0));
        *times += 1;
    }
    Ok(sizes
        .into_iter()
        .filter(|(_, (_, times))| *times > 1)
        .map(|(section, (size, _))| (section, size))
        .collect())
}

/// A native section of this kind and its clone, if there are both.
fn both(cubin: &Cubin<'_>, pairs: &SectionPairs, kind: SectionKind) -> Option<(SectionIndex, SectionIndex)> {
    let native = cubin.section_by_name(kind.name())?;
    Some((native, pairs.mercury_section(native)?))
}

fn insert(code: &mut CodeMap, role: AddressRole, native: u64, mercury: u64) {
    // What contradicts the places before shows where sections are compared.
    let _ = code.map.insert(role, AddressPair { native, mercury });
}

fn register_ranges(
    cubin: &Cubin<'_>,
    pairs: &SectionPairs,
    kept_sizes: &HashMap<SectionIndex, u64>,
    maps: &mut [CodeMap],
) -> Result<()> {
    let Some((native, mercury)) = both(cubin, pairs, SectionKind::NvDebugInfoRegSass) else {
        return Ok(());
    };
    let (native_side, mercury_side) = (cubin.bytes(native)?, cubin.bytes(mercury)?);
    let (native_side, mercury_side) = (reg_sass::decode(&native_side)?, reg_sass::decode(&mercury_side)?);
    let mut by_function: HashMap<&[u8], VecDeque<&FunctionRegisters<'_>>> = HashMap::new();
    for function in &native_side {
        by_function.entry(function.function).or_default().push_back(function);
    }
    let mut names = by_name(cubin, maps);
    let is_linked = cubin.is_linked();
    for FunctionRegisters { function, ranges } in &mercury_side {
        let native = by_function.get_mut(function).and_then(VecDeque::pop_front);
        let (Some(code), Some(native)) = (names.get_mut(function), native) else { continue };
        let kept_size = pairs.mercury_section(code.native).and_then(|code| kept_sizes.get(&code));
        let size = kept_size.copied().unwrap_or(code.mercury_size);
        let leads_out = ranges.iter().any(|range| u64::from(range.end) > size);
        let is_copy = is_linked
            && (leads_out
                || register_maps::is_dropped(&native.ranges, code.size)
                || code.register_orders.iter().any(|known| !known.is_copy));
        if is_copy {
            let native: Vec<_> =
                native.ranges.iter().map(|range| RegisterRange { start: 0, end: 0, ..*range }).collect();
            let numbers = register_maps::match_ranges(&native, ranges).unwrap_or_default();
            code.register_orders.push(RangeOrder { numbers, is_copy, ..RangeOrder::default() });
            continue;
        }
        let order = register_maps::match_ranges(&native.ranges, ranges).unwrap_or_default();
        let mut open_starts = Vec::new();
        for (number, range) in order.iter().zip(ranges) {
            let Some(native) = native.ranges.get(*number as usize) else { continue };
            if native.start == reg_sass::NO_START {
                open_starts.push((*number, range.start));
            } else {
                insert(code, AddressRole::RangeStart, native.start.into(), range.start.into());
            }
            insert(code, AddressRole::RangeEnd, native.end.into(), range.end.into());
        }
        open_starts.sort_unstable();
        code.register_orders.push(RangeOrder { numbers: order, open_starts, is_copy });
    }
    Ok(())
}

/// Notes in maps of a linked file without capsule which register ranges are of dropped code.
pub(super) fn add_copies(cubin: &Cubin<'_>, maps: &mut [CodeMap]) -> Result<()> {
    let native = cubin.section_by_name(SectionKind::NvDebugInfoRegSass.name());
    let Some(native) = native.filter(|_| cubin.is_linked()) else { return Ok(()) };
    let bytes = cubin.bytes(native)?;
    let mut names = by_name(cubin, maps);
    for FunctionRegisters { function, ranges } in reg_sass::decode(&bytes)? {
        let Some(code) = names.get_mut(function) else { continue };
        let is_copy = register_maps::is_dropped(&ranges, code.size)
            || code.register_orders.iter().any(|known| !known.is_copy);
        code.register_orders.push(RangeOrder { is_copy, ..RangeOrder::default() });
    }
    Ok(())
}

/// The maps by the name of the function that their section is of.
fn by_name<'n>(cubin: &'n Cubin<'_>, maps: &'n mut [CodeMap]) -> HashMap<&'n [u8], &'n mut CodeMap> {
    let name = |code: &CodeMap| cubin.section_name(code.native).strip_prefix(CODE_PREFIX).unwrap_or_default();
    maps.iter_mut().map(|code| (name(code).as_bytes(), code)).collect()
}

fn frame_rules(view: &RelocatedCubin<'_, '_>, pairs: &SectionPairs, maps: &mut [CodeMap]) -> Result<()> {
    let Some((native, mercury)) = both(view.cubin(), pairs, SectionKind::DebugFrame) else { return Ok(()) };
    let native_side = FrameSection::read(view, native)?;
    let mercury_side = FrameSection::read(view, mercury)?;
    // nvlink leads the rules of functions that it drops as copies to the one that it keeps, which
    // is the first.
    let mut rules_there: HashMap<(SectionIndex, u64), FdeRules<'_>> = HashMap::new();
    for (section, address, rules) in mercury_side.rules() {
        rules_there.entry((section, address)).or_insert(rules);
    }
    let mut known: HashSet<(SectionIndex, u64)> = HashSet::default();
    for (section, address, rules) in
        native_side.rules().filter(|(section, address, _)| known.insert((*section, *address)))
    {
        let Ok(at) = maps.binary_search_by_key(&section, |code| code.native) else { continue };
        let (Some(code), Some(capsule)) = (maps.get_mut(at), pairs.mercury_section(section)) else {
            continue;
        };
        let Some(start) = code.function_at_native(address) else { continue };
        let start = start.mercury.value;
        let Some(other) = rules_there.get(&(capsule, start)) else { continue };
        for (role, native, mercury) in frame::match_rules(&rules, other) {
            insert(code, role, address.wrapping_add(native), start.wrapping_add(mercury));
        }
    }
    Ok(())
}

/// Addresses of labels, which both spaces have relocations of at the same places.
fn labels(view: &RelocatedCubin<'_, '_>, pairs: &SectionPairs, maps: &mut [CodeMap]) {
    for kind in relocations::TRANSLATED_KINDS {
        let Some((native, mercury)) = both(view.cubin(), pairs, kind) else { continue };
        let mercury_side: HashMap<u64, _> = relocations::code_targets(view, mercury)
            .map(|(at, section, address)| (at, (section, address)))
            .collect();
        for (at, section, address) in relocations::code_targets(view, native) {
            let Ok(number) = maps.binary_search_by_key(&section, |code| code.native) else { continue };
            let (Some(code), Some(&(other, mercury))) = (maps.get_mut(number), mercury_side.get(&at)) else {
                continue;
            };
            if pairs.mercury_section(section) == Some(other) {
                insert(code, AddressRole::Instruction, address, mercury);
            }
        }
    }
}

/// Instructions that `.nv.info.F` lists.
fn listed(cubin: &Cubin<'_>, pairs: &SectionPairs, maps: &mut [CodeMap]) -> Result<()> {
    for (native, name, section) in cubin.iter().filter(|(_, _, section)| section.sh_type == sht::CUDA_INFO) {
        let number = maps.binary_search_by_key(&SectionIndex(section.info), |code| code.native);
        let code = number.ok().and_then(|number| maps.get_mut(number)).filter(|_| section.info_is_section());
        let (Some(code), Some(mercury)) = (code, pairs.mercury_section(native)) else { continue };
        let (here, there) = (cubin.bytes(native)?, cubin.bytes(mercury)?);
        let (here, there) =
            (nv_info::decode(name, &here)?, nv_info::decode(cubin.section_name(mercury), &there)?);
        for AddressPair { native, mercury } in info_records::listed_address_pairs(name, &here, &there)? {
            insert(code, AddressRole::Listed, native, mercury);
        }
    }
    Ok(())
}
