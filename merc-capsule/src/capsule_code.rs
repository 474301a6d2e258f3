//! The bytes of `.nv.capmerc.text.F`: the native instructions that each Mercury instruction
//! becomes, and its kind.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | index of the section of the native code |
//! | 4 | `0xc0000001` |
//! | 4 | how many Mercury instructions there are; the last is the padding |
//! | 4 for each 32 instructions | a bit for each, from the lowest: set if it is the native instruction and nothing else |
//! | the rest | a record for each of the other instructions |
//!
//! The low seven bits of a record are its form: 0x01 has 16 bytes, 0x02 has 32, 0x41 and 0x42 have
//! four, and 0x50 has two: native `NOP` instructions that no Mercury instruction becomes, and their
//! number in the upper nine bits. An instruction that becomes several has two bytes more in front,
//! of the form 0x51, with that number. The second byte of a record is the operation, the third its
//! variant.
//!
//! Source: no public specification. Observed with ptxas 13.0.88: README, "What a capsule says of
//! its code".

use std::iter;

/// Value of the second word.
const VERSION: u32 = 0xc000_0001;
/// Bytes of the three words in front.
const HEADER: usize = 12;
/// The bits of a record's first byte that say its form; the others belong to a number.
const FORM: u8 = 0x7f;

/// A Mercury instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// The number of native instructions that the Mercury instruction becomes.
    pub count: u64,
    /// The operation of the Mercury instruction; `None` if the capsule has no record of it.
    pub operation: Option<Operation>,
    /// Whether this stands for `NOP` instructions that only the native code has, so that there is
    /// no Mercury instruction.
    pub is_added: bool,
    /// The size of the instruction in Mercury code in bytes; 0 if unknown.
    pub size: u64,
}

/// The operation of a record of 16 or 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The number of the operation and the number of its variant.
    pub code: [u8; 2],
    /// Whether the record states the number of native instructions that the Mercury instruction
    /// becomes.
    pub is_expanded: bool,
}

/// The instructions of a capsule in the order of the code. It ends before the first that cannot be
/// read.
pub(crate) fn instructions(capsule: &[u8]) -> impl Iterator<Item = Instruction> {
    let word = |at: usize| Some(u32::from_le_bytes(*capsule.get(at..)?.first_chunk()?));
    let count = word(4).filter(|version| *version == VERSION).and_then(|_| word(8)).unwrap_or_default();
    let bits = count.div_ceil(u32::BITS) as usize * size_of::<u32>();
    let rest = capsule.get(HEADER..).unwrap_or_default();
    let (bits, mut records) = rest.split_at_checked(bits).unwrap_or_default();
    let is_copied = bits.iter().flat_map(|byte| (0..u8::BITS).map(move |bit| byte >> bit & 1 != 0));
    let mut is_copied = is_copied.take(count as usize);
    iter::from_fn(move || {
        if is_copied.next()? {
            return Some(Instruction { count: 1, operation: None, is_added: false, size: 0 });
        }
        let mut expanded = None;
        if form(records)? == 0x51 {
            expanded = Some(number(take_record(&mut records, 2)?)?);
        }
        let (length, size) = match form(records)? {
            0x01 => (16, 16),
            0x02 => (32, 32),
            0x41 => (4, 16),
            0x42 => (4, 32),
            0x50 => (2, 0),
            _ => return None,
        };
        let record = take_record(&mut records, length)?;
        let is_added = length == 2;
        let count = if is_added { number(record)? } else { expanded.unwrap_or(1) };
        let operation = match record {
            [_, operation, variant, _, _, ..] => {
                Some(Operation { code: [*operation, *variant], is_expanded: expanded.is_some() })
            }
            _ => None,
        };
        Some(Instruction { count, operation, is_added, size })
    })
}

fn form(records: &[u8]) -> Option<u8> {
    records.first().map(|byte| byte & FORM)
}

fn number(record: &[u8]) -> Option<u64> {
    record.first_chunk().map(|bytes| (u16::from_le_bytes(*bytes) >> 7).into())
}

fn take_record<'c>(records: &mut &'c [u8], length: usize) -> Option<&'c [u8]> {
    let (record, rest) = records.split_at_checked(length)?;
    *records = rest;
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: [u8; 8] = [17, 0, 0, 0, 1, 0, 0, 0xc0];

    fn read(count: u8, bits: u8, records: &[u8]) -> Vec<Instruction> {
        instructions(&[&HEAD[..], &[count, 0, 0, 0, bits, 0, 0, 0], records].concat()).collect()
    }

    const COPIED: Instruction = Instruction { count: 1, operation: None, is_added: false, size: 0 };

    fn whole(count: u64, code: [u8; 2], is_expanded: bool, size: u64) -> Instruction {
        Instruction { count, operation: Some(Operation { code, is_expanded }), is_added: false, size }
    }

    #[test]
    fn every_form() {
        let record = |record: [u8; 4], length: usize| {
            let zeros = vec![0; length - record.len()];
            [&record[..], &zeros].concat()
        };
        let records = [
            &record([0x01, 0x0b, 0x04, 0x0a], 16)[..],
            &[0xd1, 0x02],
            &record([0x02, 0x4e, 0x44, 0x32], 32),
            &[0x41, 0x47, 0x12, 0x16],
            &[0x50, 0x05],
        ];
        let added = Instruction { count: 10, operation: None, is_added: true, size: 0 };
        let short = Instruction { size: 16, ..COPIED };
        let long = whole(5, [0x4e, 0x44], true, 32);
        let want = [whole(1, [0x0b, 4], false, 16), COPIED, long, short, added];
        assert_eq!(read(5, 0b00010, &records.concat()), want);
    }

    #[test]
    fn what_cannot_be_read_ends_it() {
        assert_eq!(read(3, 0b001, &[0x13; 40]), [COPIED]);
        assert_eq!(read(3, 0b001, &[0x02; 31]), [COPIED]);
        assert_eq!(read(3, 0b001, &[0x51, 2]), [COPIED]);
        assert_eq!(read(0, 0xff, &[]), []);
        let huge = [&HEAD[..], &[0xff; 8]].concat();
        assert_eq!(instructions(&huge).count(), 0);
        assert_eq!(instructions(&HEAD).count(), 0);
        let other = [&[0; 8][..], &[3, 0, 0, 0, 7, 0, 0, 0]].concat();
        assert_eq!(instructions(&other).count(), 0);
    }
}
