//! The positions of code addresses in a record's value.

use super::{HEAD, word_offset};
use nv_debug_sections::nv_info::{Record, Value};
use nv_debug_sections::{Error, ErrorKind, Result};

/// The positions of code addresses in the value of an `.nv.info` record. All fields of the value
/// are 32-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressLayout {
    /// The value is a list of entries of this many words. The first word of each entry is an
    /// address.
    Entries {
        /// Words of an entry.
        words: usize,
    },
    /// The value is a list of annotations (`ptxas -annotate`). An annotation has a kind, in kinds 1
    /// and 2 an address, and in kinds 2 and 3 the byte length of a text and the text, padded with
    /// zeros to whole words. Observed: kind 2 is for loops, kind 3 for the function, and kind 1 is
    /// there without the option.
    Annotations,
    /// The value is a list of indirect branches. An entry has the branch's address, a 0, the number
    /// of its targets, and the targets' addresses.
    Branches,
    /// The layout is not known, since no file with such a record has been seen. The record cannot
    /// be converted.
    Unknown,
}

impl AddressLayout {
    /// Which words of the value of `record`, which is at `offset` of `section`, are addresses,
    /// ascending.
    pub(super) fn address_words(self, section: &str, offset: u64, record: &Record<'_>) -> Result<Vec<usize>> {
        let fault = |offset, text: &'static str| {
            let kind = ErrorKind::InfoRecord { attribute: record.attribute, reason: text.into() };
            Error::new(section, offset, kind)
        };
        let Value::Sized(bytes) = &record.value else {
            return Err(fault(offset, "the format is not EIFMT_SVAL"));
        };
        let words: Vec<u32> = record.words().collect();
        let is_whole = |entry: usize| bytes.len().is_multiple_of(4 * entry);
        let ends = || fault(offset + HEAD + bytes.len() as u64, "the value ends inside an entry");
        match self {
            Self::Entries { words: entry } if is_whole(entry) => {
                Ok((0..words.len()).step_by(entry).collect())
            }
            Self::Annotations if is_whole(1) => annotations(&words).map_err(|broken| match broken {
                Broken::Ends => ends(),
                Broken::Kind { place, found } => {
                    let (field, found) = ("an annotation's kind", found.into());
                    let kind = ErrorKind::Value { field, found, expected: "1 to 3" };
                    Error::new(section, word_offset(offset, place), kind)
                }
            }),
            Self::Branches if is_whole(1) => branches(&words).ok_or_else(ends),
            Self::Unknown => Err(fault(offset, "nobody has seen the layout of its addresses")),
            _ => Err(ends()),
        }
    }
}

/// What annotations of each kind hold after their header: an address, a text.
const ANNOTATIONS: [(u32, bool, bool); 3] = [(1, true, false), (2, true, true), (3, false, true)];

/// Why a value cannot be read.
enum Broken {
    Ends,
    Kind { place: usize, found: u32 },
}

fn annotations(words: &[u32]) -> Result<Vec<usize>, Broken> {
    let (mut places, mut next) = (Vec::new(), 0);
    while let Some(&found) = words.get(next) {
        let known = ANNOTATIONS.iter().find(|(kind, ..)| *kind == found);
        let &(_, has_address, has_text) = known.ok_or(Broken::Kind { place: next, found })?;
        next += 1;
        if has_address {
            places.push(next);
            next += 1;
        }
        if has_text {
            let bytes = usize::try_from(*words.get(next).ok_or(Broken::Ends)?).map_err(|_| Broken::Ends)?;
            next = bytes.div_ceil(4).checked_add(next + 1).ok_or(Broken::Ends)?;
        }
        if next > words.len() {
            return Err(Broken::Ends);
        }
    }
    Ok(places)
}

/// The addresses of branches and their targets; `None` if the words end inside an entry.
fn branches(words: &[u32]) -> Option<Vec<usize>> {
    let (mut places, mut next) = (Vec::new(), 0);
    while next < words.len() {
        let count = usize::try_from(*words.get(next + 2)?).ok()?;
        let targets = next + 3;
        if count > words.len() - targets {
            return None;
        }
        places.push(next);
        places.extend(targets..targets + count);
        next = targets + count;
    }
    Some(places)
}
