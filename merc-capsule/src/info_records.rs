//! `.nv.info[.F]` and `.nv.merc.nv.info[.F]`: the same records in both spaces, except for those of
//! a [table](DIFFERING_ATTRIBUTES).
//!
//! A clone has the records of its original in the same order, without those that only native code
//! has, which are the last of the original. Addresses are those of Mercury code, symbols those of
//! `.nv.merc.symtab`, and functions may have stack frames of another size. `.nv.merc.nv.info.F` has
//! one record more, after [`CUDA_API_VERSION`](Attribute::CUDA_API_VERSION) (nvlink: before it).
//!
//! No public specification. Observed: ptxas 13.0.88, sm_100-sm_121, nvlink 13.0.88 and ptxas 13.4.
//!
//! ```
//! use merc_capsule::AddressMap;
//! use merc_capsule::info_records::{MercuryOnlyInfo, NativeOnlyInfo, finalizer_options, native_only, to_mercury, to_native};
//! use nv_debug_sections::release::Release;
//! use nv_debug_sections::nv_info;
//! use std::collections::BTreeMap;
//! // CUDA_API_VERSION 130, EXIT_INSTR_OFFSETS 0x90, SW_WAR 0.
//! let file = [4, 0x37, 4, 0, 130, 0, 0, 0, 4, 0x1c, 4, 0, 0x90, 0, 0, 0, 4, 0x36, 4, 0, 0, 0, 0, 0];
//! let native = nv_info::decode(".nv.info.saxpy", &file)?;
//! let (map, frame_sizes) = (AddressMap::identity([]), BTreeMap::new());
//! let mercury_only = MercuryOnlyInfo { map: &map, frame_sizes: &frame_sizes, finalizer_options: Some(&[0; 52]) };
//! let mercury = to_mercury(".nv.info.saxpy", &native, &mercury_only, Some)?;
//! assert_eq!(finalizer_options(&mercury), Some(&[0; 52][..]));
//!
//! let only = native_only(&mercury, Release::V13_0.target(120), None, false)?;
//! let native_only = NativeOnlyInfo { map: &map, frame_sizes: &frame_sizes, only: &only };
//! assert_eq!(to_native(".nv.merc.nv.info.saxpy", &mercury, &native_only, Some)?, native);
//! # Ok::<(), nv_debug_sections::Error>(())
//! ```

mod layout;
mod native;

use crate::address_map::{AddressMap, AddressRole};
use crate::clone_policy::merc_name;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::nv_info::{Attribute, Record, Value};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub use layout::AddressLayout;
pub use native::{FrameOwners, native_only};

/// How a native `.nv.info` record differs from its Mercury counterpart, apart from the indices of
/// the [symbols](Record::symbols) that they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordDifference {
    /// Only the `.nv.info` section of this space has the record.
    OnlyIn(Space),
    /// The code addresses in the record differ.
    Addresses(AddressLayout),
    /// The number that the record has for a symbol differs, such as a frame size.
    OwnNumber,
}

/// The `.nv.info` attributes whose records differ between native and Mercury space, by number.
/// Records of other attributes differ at most in symbol indices.
///
/// Those of [`AddressLayout::Unknown`] seem to hold addresses by their names; no file for sm_100
/// and later has them yet. `AT_ENTRY_FRAGMENTS` holds none: its numbers have names (cuobjdump
/// 13.2.86: `AT_ENTRY_FRAGMENT_TMEM_CTA1_V2`), and are the same in both spaces.
pub const DIFFERING_ATTRIBUTES: [(Attribute, RecordDifference); 28] = [
    (Attribute::PARAM_CBANK, RecordDifference::OnlyIn(Space::Native)),
    (Attribute::FRAME_SIZE, RecordDifference::OwnNumber),
    (Attribute::BINDLESS_TEXTURE_BANK, RecordDifference::OnlyIn(Space::Native)),
    (Attribute::BINDLESS_SURFACE_BANK, RecordDifference::OnlyIn(Space::Native)),
    (Attribute::CBANK_PARAM_SIZE, RecordDifference::OnlyIn(Space::Native)),
    (Attribute::EXIT_INSTR_OFFSETS, LIST),
    (Attribute::S2RCTAID_INSTR_OFFSETS, UNKNOWN),
    (Attribute::LD_CACHEMOD_INSTR_OFFSETS, UNKNOWN),
    (Attribute::ATOM_SYS_INSTR_OFFSETS, UNKNOWN),
    (Attribute::COOP_GROUP_INSTR_OFFSETS, LIST),
    (Attribute::ATOMF16_EMUL_INSTR_OFFSETS, UNKNOWN),
    (Attribute::ATOM16_EMUL_INSTR_REG_MAP, UNKNOWN),
    (Attribute::INT_WARP_WIDE_INSTR_OFFSETS, LIST),
    (Attribute::INDIRECT_BRANCH_TARGETS, RecordDifference::Addresses(AddressLayout::Branches)),
    (Attribute::SW_WAR, RecordDifference::OnlyIn(Space::Native)),
    // Each address with three words of the barrier and the instruction.
    (Attribute::MBARRIER_INSTR_OFFSETS, entries(4)),
    (Attribute::COROUTINE_RESUME_ID_OFFSETS, UNKNOWN),
    (Attribute::INSTR_REG_MAP, UNKNOWN),
    // Each address with a mask of bytes.
    (Attribute::UNUSED_LOAD_BYTE_OFFSET, entries(2)),
    (Attribute::SYSCALL_OFFSETS, LIST),
    (Attribute::SW_WAR_MEMBAR_SYS_INSTR_OFFSETS, UNKNOWN),
    (Attribute::ANNOTATIONS, RecordDifference::Addresses(AddressLayout::Annotations)),
    (Attribute::STACK_CANARY_TRAP_OFFSETS, UNKNOWN),
    (Attribute::LOCAL_CTA_ASYNC_STORE_OFFSETS, UNKNOWN),
    (Attribute::MERCURY_FINALIZER_OPTIONS, RecordDifference::OnlyIn(Space::Mercury)),
    (Attribute::IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS, UNKNOWN),
    (Attribute::NVSAL_SW_WAR, RecordDifference::OnlyIn(Space::Native)),
    (Attribute(0x6d), RecordDifference::OnlyIn(Space::Native)),
];

const LIST: RecordDifference = entries(1);
const UNKNOWN: RecordDifference = RecordDifference::Addresses(AddressLayout::Unknown);

const fn entries(words: usize) -> RecordDifference {
    RecordDifference::Addresses(AddressLayout::Entries { words })
}

/// Returns how the native and Mercury records of an `.nv.info` attribute differ; `None` if they
/// differ at most in symbol indices.
pub fn difference(attribute: Attribute) -> Option<RecordDifference> {
    let place = DIFFERING_ATTRIBUTES.binary_search_by_key(&attribute, |(attribute, _)| *attribute).ok()?;
    DIFFERING_ATTRIBUTES.get(place).map(|(_, difference)| *difference)
}

/// The facts of a Mercury `.nv.info` clone that do not follow from the native section.
#[derive(Debug, Clone, Copy)]
pub struct MercuryOnlyInfo<'a, 'd> {
    /// The map between native and Mercury addresses of the function's code, by which the addresses
    /// in its records are translated. The `.nv.info` of the whole file has no addresses.
    pub map: &'a AddressMap,
    /// Frame sizes in Mercury code, in bytes, by symbols of `.nv.merc.symtab`: of the functions
    /// whose native frame size differs, such as some that lie in another function's section.
    pub frame_sizes: &'a BTreeMap<SymbolIndex, u32>,
    /// The value of the record `MERCURY_FINALIZER_OPTIONS`, which only `.nv.merc.nv.info.F` has.
    /// Its meaning is not documented. `None` for `.nv.merc.nv.info`.
    pub finalizer_options: Option<&'d [u8]>,
}

/// The facts of a native `.nv.info` section that do not follow from its Mercury clone.
#[derive(Debug, Clone, Copy)]
pub struct NativeOnlyInfo<'a, 'd> {
    /// The map between native and Mercury addresses of the function's code, by which the addresses
    /// in its records are translated. The `.nv.info` of the whole file has no addresses.
    pub map: &'a AddressMap,
    /// Frame sizes in native code, in bytes, by symbols of `.nv.merc.symtab`: those that
    /// [`FrameOwners::sizes`] returns, or those of a native file that is to be made again.
    pub frame_sizes: &'a BTreeMap<SymbolIndex, u32>,
    /// The records of `.nv.info` that its Mercury clone has not: those that [`native_only`]
    /// returns, or those of a native file that is to be made again. They are written as they are.
    pub only: &'a [Record<'d>],
}

/// Converts native `.nv.info` records to those of the Mercury clone. `section` is the name of the
/// native section; `symbol` maps a symbol of `.symtab` to its index in `.nv.merc.symtab`.
///
/// # Errors
///
/// At the field at fault: the map lacks an address, `symbol` a symbol, a record is one that only
/// Mercury has, or its value is not of the attribute's [layout](AddressLayout).
pub fn to_mercury<'d>(
    section: &str,
    native: &[Record<'d>],
    mercury_only: &MercuryOnlyInfo<'_, 'd>,
    symbol: impl Fn(SymbolIndex) -> Option<SymbolIndex>,
) -> Result<Vec<Record<'d>>> {
    let MercuryOnlyInfo { map, frame_sizes, finalizer_options } = mercury_only;
    let address = |address| map.mercury(AddressRole::Listed, address);
    let mut records =
        RecordTranslator { section, from: Space::Native, address, symbol, frame_sizes }.all(native)?;
    if let Some(options) = finalizer_options {
        let value = Value::Sized(Cow::Borrowed(options));
        let version = records.iter().position(|record| record.attribute == Attribute::CUDA_API_VERSION);
        let at = version.map_or(records.len(), |version| version + 1);
        records.insert(at, Record { attribute: Attribute::MERCURY_FINALIZER_OPTIONS, value });
    }
    Ok(records)
}

/// Converts the `.nv.info` records of a Mercury clone to native ones. `section` is the name of the
/// clone; `symbol` maps a symbol of `.nv.merc.symtab` to its index in `.symtab`.
///
/// # Errors
///
/// As [`to_mercury`], for a record that only native code has.
pub fn to_native<'d>(
    section: &str,
    mercury: &[Record<'d>],
    native_only: &NativeOnlyInfo<'_, 'd>,
    symbol: impl Fn(SymbolIndex) -> Option<SymbolIndex>,
) -> Result<Vec<Record<'d>>> {
    let NativeOnlyInfo { map, frame_sizes, only } = native_only;
    let address = |address| map.native(AddressRole::Listed, address);
    let mut records =
        RecordTranslator { section, from: Space::Mercury, address, symbol, frame_sizes }.all(mercury)?;
    records.extend_from_slice(only);
    Ok(records)
}

/// Returns the value of the record `MERCURY_FINALIZER_OPTIONS`, which `.nv.merc.nv.info.F` has and
/// `.nv.info.F` lacks; `None` if the records have none.
pub fn finalizer_options<'r>(mercury: &'r [Record<'_>]) -> Option<&'r [u8]> {
    let record = mercury.iter().find(|record| record.attribute == Attribute::MERCURY_FINALIZER_OPTIONS)?;
    match &record.value {
        Value::Sized(bytes) => Some(bytes),
        _ => None,
    }
}

/// Returns the pairs of native and Mercury code addresses that `.nv.info` and its Mercury clone
/// list, ascending. Addresses of the same attribute are paired in the order of the sections.
/// `section` is the name of the native section.
///
/// # Errors
///
/// The two do not have as many addresses of an attribute, or a value is not of the attribute's
/// [layout](AddressLayout).
pub fn listed_address_pairs(
    section: &str,
    native: &[Record<'_>],
    mercury: &[Record<'_>],
) -> Result<Vec<AddressPair>> {
    let clone = merc_name(section).unwrap_or_default();
    let mut by_attribute = addresses(&clone, mercury)?;
    let mut pairs = Vec::new();
    for (attribute, native) in addresses(section, native)? {
        let mercury = by_attribute.remove(&attribute).unwrap_or_default();
        if native.len() != mercury.len() {
            let text = format!("{attribute}: {} addresses, in {clone} {}", native.len(), mercury.len());
            return Err(Error::in_section(section, ErrorKind::Disagreement(text)));
        }
        pairs
            .extend(native.into_iter().zip(mercury).map(|(native, mercury)| AddressPair { native, mercury }));
    }
    if let Some(attribute) = by_attribute.keys().next() {
        let text = format!("{attribute}: {section} has no addresses of it");
        return Err(Error::in_section(clone, ErrorKind::Disagreement(text)));
    }
    pairs.sort_unstable_by_key(|pair| (pair.native, pair.mercury));
    pairs.dedup();
    Ok(pairs)
}

/// The addresses of each attribute, in order.
fn addresses(section: &str, records: &[Record<'_>]) -> Result<HashMap<Attribute, Vec<u64>>> {
    let mut all: HashMap<_, Vec<u64>> = HashMap::new();
    for (offset, record) in with_offsets(records) {
        if let Some(RecordDifference::Addresses(layout)) = difference(record.attribute) {
            let words: Vec<u32> = record.words().collect();
            let places = layout.address_words(section, offset, record)?;
            let found = places.into_iter().filter_map(|place| words.get(place)).copied().map(u64::from);
            all.entry(record.attribute).or_default().extend(found);
        }
    }
    all.retain(|_, addresses| !addresses.is_empty());
    Ok(all)
}

/// Records with their byte offsets in the section.
fn with_offsets<'r, 'd>(records: &'r [Record<'d>]) -> impl Iterator<Item = (u64, &'r Record<'d>)> {
    records.iter().scan(0, |next, record| {
        let offset = *next;
        *next += HEAD
            + match &record.value {
                Value::Sized(bytes) => bytes.len() as u64,
                _ => 0,
            };
        Some((offset, record))
    })
}

/// Bytes of a record before its sized value.
const HEAD: u64 = 4;

/// Translates `.nv.info` records to the other space.
struct RecordTranslator<'a, A, S> {
    section: &'a str,
    from: Space,
    address: A,
    symbol: S,
    frame_sizes: &'a BTreeMap<SymbolIndex, u32>,
}

impl<A: Fn(u64) -> Option<u64>, S: Fn(SymbolIndex) -> Option<SymbolIndex>> RecordTranslator<'_, A, S> {
    fn all<'d>(&self, records: &[Record<'d>]) -> Result<Vec<Record<'d>>> {
        let mut made = Vec::with_capacity(records.len());
        for (offset, record) in with_offsets(records) {
            match difference(record.attribute) {
                Some(RecordDifference::OnlyIn(space)) if space == self.from => {}
                Some(RecordDifference::OnlyIn(_)) => {
                    return Err(self.fault(offset, record.attribute, "the record is of the other space"));
                }
                difference => made.push(self.one(offset, record, difference)?),
            }
        }
        Ok(made)
    }

    fn one<'d>(
        &self,
        offset: u64,
        record: &Record<'d>,
        difference: Option<RecordDifference>,
    ) -> Result<Record<'d>> {
        let mut record = record.clone();
        let old = record.symbol_and_number();
        self.set_symbols(offset, &mut record)?;
        match difference {
            Some(RecordDifference::Addresses(layout)) => self.set_addresses(offset, &mut record, layout)?,
            Some(RecordDifference::OwnNumber) => {
                let of_mercury = match self.from {
                    Space::Native => record.symbol_and_number(),
                    Space::Mercury => old,
                };
                if let Some(number) = of_mercury.and_then(|(symbol, _)| self.frame_sizes.get(&symbol)) {
                    set_word(&mut record, 1, *number);
                }
            }
            Some(RecordDifference::OnlyIn(_)) | None => {}
        }
        Ok(record)
    }

    fn set_symbols(&self, offset: u64, record: &mut Record<'_>) -> Result<()> {
        let mut made = Vec::new();
        for (place, symbol) in record.symbols().enumerate() {
            made.push((self.symbol)(symbol).ok_or_else(|| {
                let reason = format!("symbol {} is not in the other table", symbol.0);
                self.fault(word_offset(offset, place), record.attribute, reason)
            })?);
        }
        let mut made = made.into_iter();
        record.map_symbols(|symbol| made.next().unwrap_or(symbol));
        Ok(())
    }

    fn set_addresses(&self, offset: u64, record: &mut Record<'_>, layout: AddressLayout) -> Result<()> {
        let words: Vec<u32> = record.words().collect();
        for place in layout.address_words(self.section, offset, record)? {
            let Some(&old) = words.get(place) else { continue };
            let at = word_offset(offset, place);
            let new = (self.address)(old.into()).ok_or_else(|| {
                self.fault(at, record.attribute, format!("the map has nothing for {old:#x}"))
            })?;
            let new = u32::try_from(new).map_err(|_| {
                let kind = ErrorKind::DoesNotFit { what: "an address", value: new, field: "32 bits" };
                Error::new(self.section, at, kind)
            })?;
            set_word(record, place, new);
        }
        Ok(())
    }

    fn fault(&self, offset: u64, attribute: Attribute, reason: impl Into<Cow<'static, str>>) -> Error {
        Error::new(self.section, offset, ErrorKind::InfoRecord { attribute, reason: reason.into() })
    }
}

/// Byte offset in the section of a word of the record at `offset`.
fn word_offset(offset: u64, place: usize) -> u64 {
    offset + HEAD + 4 * place as u64
}

/// Sets a word of a sized value that is there.
fn set_word(record: &mut Record<'_>, place: usize, new: u32) {
    if let Value::Sized(bytes) = &mut record.value
        && let Some(field) = bytes.to_mut().chunks_exact_mut(4).nth(place)
    {
        field.copy_from_slice(&new.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
