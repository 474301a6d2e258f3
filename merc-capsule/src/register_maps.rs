//! `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type` in both spaces: the same ranges, at
//! other addresses and in another order.

use crate::address_map::{AddressMap, AddressRole};
use crate::clone_policy::merc_name;
use crate::code_map::CodeMap;
pub use crate::range_order::RangeOrder;
use foldhash::HashMap;
use nv_debug_sections::catalog::{CODE_PREFIX, Space};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::reg_sass::{self, FunctionRegisters, RegisterRange};
use nv_debug_sections::reg_type::{self, FunctionTypes};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The register ranges of one function with their types, from `.nv_debug_info_reg_sass` and
/// `.nv_debug_info_reg_type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionRanges<'d> {
    /// The name of the function, which is `F` in `.text.F`.
    pub function: &'d [u8],
    /// The register ranges in section order, each with its type code.
    pub ranges: Vec<(RegisterRange<'d>, u8)>,
}

/// The facts needed to convert the register ranges of one function between native and Mercury
/// space.
#[derive(Debug, Clone, Copy)]
pub struct RangeMap<'m> {
    /// The address map of the function's code.
    pub addresses: &'m AddressMap,
    /// For each range in Mercury order, the number of that range in native order. If empty, Mercury
    /// ranges are sorted by start address; ranges with the same start are sorted by descending word
    /// of the PTX register, then in native order. ptxas orders ranges with the same start as it
    /// allocated registers, which no section tells.
    pub order: &'m [u32],
    /// The native ranges that have no start address ([`reg_sass::NO_START`]), ascending: the number
    /// of each, and its start address in Mercury code.
    pub open_starts: &'m [(u32, u32)],
    /// Whether the ranges belong to code that nvlink has dropped, such as a duplicate function.
    /// Native ranges are then empty, from 0 to 0.
    ///
    /// Where the code that it kept came without ranges, nvlink 13.0.88 looks the addresses up in
    /// that code instead: what it does not find there it leaves as memory happens to be. Nothing
    /// tells what these were, so they are made empty too.
    pub is_copy: bool,
}

impl RangeMap<'_> {
    /// Where a native range that has no start begins in Mercury code.
    fn open_start(&self, native: u32) -> Option<u64> {
        let at = self.open_starts.binary_search_by_key(&native, |(number, _)| *number).ok()?;
        self.open_starts.get(at).map(|(_, start)| (*start).into())
    }
}

/// The maps of all functions, for the sections of one file.
#[derive(Debug)]
pub(crate) struct RangeMaps<'m> {
    /// By name, and how often the function has come.
    by_function: HashMap<&'m [u8], (&'m CodeMap, usize)>,
    is_linked: bool,
}

/// The addresses of code that is not there: any.
static DROPPED: LazyLock<AddressMap> = LazyLock::new(|| AddressMap::identity([]));

impl<'m> RangeMaps<'m> {
    pub(crate) fn of(cubin: &'m Cubin<'_>, maps: &'m [CodeMap]) -> Self {
        let name =
            |code: &CodeMap| cubin.section_name(code.native).strip_prefix(CODE_PREFIX).unwrap_or_default();
        Self {
            by_function: maps.iter().map(|code| (name(code).as_bytes(), (code, 0))).collect(),
            is_linked: cubin.is_linked(),
        }
    }

    /// That of the function that comes next in the section.
    ///
    /// # Errors
    ///
    /// It has no code section.
    pub(crate) fn next(&mut self, registers: &FunctionRanges<'_>) -> Result<RangeMap<'m>> {
        let known = self.by_function.get_mut(registers.function);
        if known.is_none() && self.is_linked {
            return Ok(RangeMap { addresses: &DROPPED, order: &[], open_starts: &[], is_copy: true });
        }
        let (code, times) = known.ok_or_else(|| fault(registers, 0, "the function has no code section"))?;
        let known = code.register_orders.get(*times);
        let is_copy = known.map_or(self.is_linked && *times > 0, |known| known.is_copy);
        *times += 1;
        let order = known.map_or(&[][..], |known| &known.numbers);
        let open_starts = known.map_or(&[][..], |known| &known.open_starts);
        let addresses = if is_copy { &*DROPPED } else { &code.map };
        Ok(RangeMap { addresses, order, open_starts, is_copy })
    }
}

/// Decodes `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type` of one space, native or Mercury,
/// to the register ranges of each function.
///
/// # Errors
///
/// One of them cannot be decoded, or they are not of the same functions with as many ranges.
pub fn decode<'d>(reg_sass: &'d [u8], reg_type: &'d [u8]) -> Result<Vec<FunctionRanges<'d>>> {
    let (all, types) = (reg_sass::decode(reg_sass)?, reg_type::decode(reg_type)?);
    if all.len() != types.len() {
        let (types, all) = (types.len(), all.len());
        let text = format!("{types} functions, but {} has {all}", reg_sass::NAME);
        return Err(Error::in_section(reg_type::NAME, ErrorKind::Disagreement(text)));
    }
    let mut at = 0;
    let mut both = Vec::with_capacity(all.len());
    for (FunctionRegisters { function, ranges }, types) in all.into_iter().zip(types) {
        if function != types.function || ranges.len() != types.types.len() {
            let name = String::from_utf8_lossy(function);
            let text = format!("not the ranges that {} has for {name}", reg_sass::NAME);
            return Err(Error::new(reg_type::NAME, at, ErrorKind::Disagreement(text)));
        }
        at += (types.function.len() + NAME_AND_COUNT + types.types.len()) as u64;
        let ranges = ranges.into_iter().zip(types.types.iter().copied()).collect();
        both.push(FunctionRanges { function, ranges });
    }
    Ok(both)
}

/// Bytes of `.nv_debug_info_reg_sass` and of `.nv_debug_info_reg_type`, those of one space from
/// those of the other, called `from`. Functions that nvlink dropped are as `known` has them at
/// their number, if it does.
///
/// # Errors
///
/// Those of [`decode`], [`RangeMaps::next`], [`to_mercury`] or [`to_native`] and [`encode`], in the
/// section that is at fault.
pub(crate) fn translate(
    from: Space,
    reg_sass: &[u8],
    reg_type: &[u8],
    maps: &mut RangeMaps<'_>,
    known: &[FunctionRanges<'_>],
) -> Result<(Vec<u8>, Vec<u8>)> {
    // Decoders know the native name only.
    let in_section = |error: Error, by: u64| {
        let clone = merc_name(error.section()).filter(|_| from == Space::Mercury);
        let section = clone.unwrap_or_else(|| error.section().to_owned());
        error.rebased(section, by)
    };
    let all = decode(reg_sass, reg_type).map_err(|error| in_section(error, 0))?;
    let mut made = Vec::with_capacity(all.len());
    let mut at = 0;
    for (number, registers) in all.iter().enumerate() {
        let is_same = |known: &&FunctionRanges<'_>| {
            known.function == registers.function && known.ranges.len() == registers.ranges.len()
        };
        let other = maps.next(registers).and_then(|map| {
            match (known.get(number).filter(|_| map.is_copy).filter(is_same), from) {
                (Some(known), _) => Ok(known.clone()),
                (None, Space::Native) => to_mercury(registers, map),
                (None, Space::Mercury) => to_native(registers, map),
            }
        });
        made.push(other.map_err(|error| in_section(error, at))?);
        at += registers.range_offset(registers.ranges.len());
    }
    encode(&made)
}

/// Bytes of a function in either section, its name and entries left out: the NUL, and how many.
const NAME_AND_COUNT: usize = 5;

/// Bytes of a range, the name of the PTX register left out.
const RANGE: usize = 17;

impl FunctionRanges<'_> {
    /// The byte offset of a range in the function's part of `.nv_debug_info_reg_sass`. The number
    /// after the last gives the length.
    fn range_offset(&self, number: usize) -> u64 {
        let before = self.ranges.iter().take(number).map(|(range, _)| RANGE + range.ptx_name.len());
        (self.function.len() + NAME_AND_COUNT + before.sum::<usize>()) as u64
    }
}

/// Encodes the register ranges of all functions, and returns the bytes of `.nv_debug_info_reg_sass`
/// and of `.nv_debug_info_reg_type`.
///
/// # Errors
///
/// As [`reg_sass::encode`].
pub fn encode(all: &[FunctionRanges<'_>]) -> Result<(Vec<u8>, Vec<u8>)> {
    let functions = all.iter().map(|FunctionRanges { function, ranges }| FunctionRegisters {
        function,
        ranges: ranges.iter().map(|(range, _)| *range).collect(),
    });
    let bytes = reg_sass::encode(functions)?;
    let codes: Vec<Vec<u8>> =
        all.iter().map(|function| function.ranges.iter().map(|(_, code)| *code).collect()).collect();
    let types: Vec<_> =
        all.iter().zip(&codes).map(|(all, types)| FunctionTypes { function: all.function, types }).collect();
    Ok((bytes, reg_type::encode(&types)?))
}

/// Converts a function's Mercury register ranges to native ones, sorted by register and start.
///
/// # Errors
///
/// The map lacks an address, or a range would end before it starts. The offset counts from where
/// the function begins in `.nv_debug_info_reg_sass`.
pub fn to_native<'d>(mercury: &FunctionRanges<'d>, map: RangeMap<'_>) -> Result<FunctionRanges<'d>> {
    let native = |number: usize, role, address: u32| {
        let is_open = || map.order.get(number).is_some_and(|native| map.open_start(*native).is_some());
        if role == AddressRole::RangeStart && is_open() {
            return Some(reg_sass::NO_START.into());
        }
        map.addresses.native(role, address.into())
    };
    let ranges = moved(mercury, native)?;
    let starts = mercury.ranges.iter().map(|(range, _)| range.start);
    let mut ranges: Vec<_> = ranges.into_iter().zip(starts).collect();
    // A range without start comes after the one before it in Mercury code.
    let with_start = ranges.iter().filter(|((range, _), _)| range.start != reg_sass::NO_START);
    let by_mercury: BTreeMap<(u32, u32), u32> =
        with_start.map(|((range, _), mercury)| ((range.register.0, *mercury), range.start)).collect();
    ranges.sort_by_cached_key(|((range, _), mercury)| {
        let register = range.register.0;
        if range.start != reg_sass::NO_START {
            return (register, Some(range.start), false);
        }
        let before = by_mercury.range((register, 0)..=(register, *mercury)).next_back();
        (register, before.map(|(_, start)| *start), true)
    });
    let mut ranges: Vec<_> = ranges.into_iter().map(|(range, _)| range).collect();
    if map.is_copy {
        for (range, _) in &mut ranges {
            (range.start, range.end) = (0, 0);
        }
    }
    Ok(FunctionRanges { function: mercury.function, ranges })
}

/// Converts a function's native register ranges to Mercury ones, sorted by start.
///
/// # Errors
///
/// The map lacks an address, a range would end before it starts, or the map's order is not one of
/// these ranges. The offset counts from where the function begins in `.nv_debug_info_reg_sass`.
pub fn to_mercury<'d>(native: &FunctionRanges<'d>, map: RangeMap<'_>) -> Result<FunctionRanges<'d>> {
    let mut ranges = if map.is_copy {
        // nvlink's empty ranges of copies stay so: what they were is lost.
        native
            .ranges
            .iter()
            .map(|(range, code)| (RegisterRange { start: 0, end: 0, ..*range }, *code))
            .collect()
    } else {
        moved(native, |number, role, address| {
            let open = (role == AddressRole::RangeStart && address == reg_sass::NO_START)
                .then(|| map.open_start(u32::try_from(number).ok()?));
            open.unwrap_or_else(|| map.addresses.mercury(role, address.into()))
        })?
    };
    if map.is_copy && map.order.is_empty() {
        return Ok(FunctionRanges { function: native.function, ranges });
    }
    if map.order.is_empty() {
        ranges.sort_by_key(|(range, _)| (range.start, Reverse(range.part)));
    } else {
        ranges = ordered(&ranges, map.order)
            .ok_or_else(|| fault(native, 0, "the order that the map has for them is of other ranges"))?;
    }
    Ok(FunctionRanges { function: native.function, ranges })
}

/// Whether these native ranges of a linked file cannot be of code of `size` bytes: all are empty,
/// at 0, or one is reversed or leads out of the code. nvlink has dropped the code that they are of,
/// see [`RangeMap::is_copy`].
pub(crate) fn is_dropped(native: &[RegisterRange<'_>], size: u64) -> bool {
    let is_impossible = |range: &RegisterRange<'_>| range.end < range.start || u64::from(range.end) > size;
    !native.is_empty()
        && (native.iter().all(|range| (range.start, range.end) == (0, 0)) || native.iter().any(is_impossible))
}

/// `.nv_debug_info_reg_sass` with all ranges of dropped code empty, as [`to_native`] makes them.
///
/// # Errors
///
/// It cannot be decoded, or not be encoded again.
pub(crate) fn without_copies(reg_sass: &[u8], maps: &mut RangeMaps<'_>) -> Result<Vec<u8>> {
    let mut all = reg_sass::decode(reg_sass)?;
    for FunctionRegisters { function, ranges } in &mut all {
        if maps.next(&FunctionRanges { function, ranges: Vec::new() })?.is_copy {
            for range in ranges {
                (range.start, range.end) = (0, 0);
            }
        }
    }
    reg_sass::encode(all)
}

fn moved<'d>(
    own: &FunctionRanges<'d>,
    other_address: impl Fn(usize, AddressRole, u32) -> Option<u64>,
) -> Result<Vec<(RegisterRange<'d>, u8)>> {
    let mut all = Vec::with_capacity(own.ranges.len());
    for (number, (range, code)) in own.ranges.iter().enumerate() {
        let fault = |text: String| fault(own, own.range_offset(number), text);
        let address = |role, address| {
            let found = other_address(number, role, address).and_then(|address| u32::try_from(address).ok());
            found.ok_or_else(|| fault(format!("{address:#x}, a {role:?}, is not in the address map")))
        };
        let (start, end) =
            (address(AddressRole::RangeStart, range.start)?, address(AddressRole::RangeEnd, range.end)?);
        if end < start && start != reg_sass::NO_START && range.start < range.end {
            let (from, to) = (range.start, range.end);
            return Err(fault(format!(
                "{from:#x}..{to:#x} is {start:#x}..{end:#x} in the other space: reversed"
            )));
        }
        all.push((RegisterRange { start, end, ..*range }, *code));
    }
    Ok(all)
}

/// `offset` counts from where the function begins.
fn fault(registers: &FunctionRanges<'_>, offset: u64, reason: impl Into<String>) -> Error {
    let function = String::from_utf8_lossy(registers.function).into_owned();
    let kind = ErrorKind::RegisterRanges { function, reason: reason.into() };
    Error::new(reg_sass::NAME, offset, kind)
}

/// `None` unless `order` has the number of each range once, and gives ascending starts.
fn ordered<'d>(ranges: &[(RegisterRange<'d>, u8)], order: &[u32]) -> Option<Vec<(RegisterRange<'d>, u8)>> {
    let mut left: Vec<_> = ranges.iter().copied().map(Some).collect();
    let ordered: Vec<_> =
        order.iter().map(|number| left.get_mut(*number as usize)?.take()).collect::<Option<_>>()?;
    let is_all = ordered.len() == ranges.len();
    (is_all && ordered.is_sorted_by_key(|(range, _)| range.start)).then_some(ordered)
}

/// Matches the Mercury register ranges of a function with its native ones. Returns the number of
/// the native range for each Mercury range, as for [`RangeMap::order`]; `None` if the two lists
/// differ in more than order and addresses.
///
/// Ranges of one word of a PTX register in one SASS register belong together by address. Observed:
/// ptxas 13.0.88, both spaces have as many of each, 23,453 ranges of the corpus.
pub fn match_ranges(native: &[RegisterRange<'_>], mercury: &[RegisterRange<'_>]) -> Option<Vec<u32>> {
    let (native_words, mercury_words) = (by_word(native), by_word(mercury));
    let mut order = vec![0; mercury_words.len()];
    for ((word, _, native), (other, _, mercury)) in native_words.iter().zip(&mercury_words) {
        if word != other {
            return None;
        }
        *order.get_mut(*mercury as usize)? = *native;
    }
    (native_words.len() == mercury_words.len()).then_some(order)
}

/// SASS register and the word of a PTX register in it, address, number of the range. Names, which
/// take longest to compare, come last in the first.
type Numbered<'d> = ((u32, u32, &'d [u8]), (u32, u32), u32);

fn by_word<'d>(ranges: &[RegisterRange<'d>]) -> Vec<Numbered<'d>> {
    let mut before = None;
    let numbered = (0..).zip(ranges).map(|(number, range)| {
        let RegisterRange { part, ptx_name, register, start, end } = *range;
        // A native range without start stands after the one that begins before it in the register.
        let place = if start == reg_sass::NO_START {
            let before = before.filter(|(other, _)| *other == register);
            before.map_or((0, 0), |(_, start)| (start, u32::MAX))
        } else {
            before = Some((register, start));
            (start, end)
        };
        ((register.0, part, ptx_name), place, number)
    });
    let mut all: Vec<_> = numbered.collect();
    // Native ranges are mostly in this order.
    all.sort();
    all
}
