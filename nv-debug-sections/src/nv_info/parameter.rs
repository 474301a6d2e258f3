//! `EIATTR_KPARAM_INFO`: one kernel parameter.

use super::{NAME, Record};
use crate::{Error, ErrorKind, Result};

/// A kernel parameter: its offset, size and other facts, from a `KPARAM_INFO` record of `.nv.info`.
///
/// Observed: cuobjdump 13.2.86, which prints the fields; each bit set in turn. Names are its.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelParameter {
    /// The field `Index` of the record: 0 in every file seen.
    pub index: u32,
    /// The field `Ordinal`: the 0-based position of the parameter in the parameter list.
    pub ordinal: u16,
    /// The field `Offset`: the number of bytes from the first parameter, which lies at
    /// [`parameter_base`](crate::address_space::parameter_base).
    pub offset: u16,
    /// The field `Size`: the size of the parameter in bytes, below 2^14.
    pub size: u16,
    /// The field `Pointee's logAlignment` of a pointer: the base-2 logarithm of the alignment of
    /// its target; 0 if unknown.
    pub log_alignment: u8,
    /// The field `Space` of a pointer: the memory space of its target, below 16; 0 in every file
    /// seen.
    pub space: u8,
    /// The field `cbank`: the constant bank of the parameter, below 32. It is 31 in every file
    /// seen, although the parameters are in bank 0.
    pub bank: u8,
    /// The field `Parameter Space`: whether the parameter is in shared memory (`SMEM`) and not in a
    /// constant bank (`CBANK`).
    pub in_shared_memory: bool,
}

/// Place and width of the fields in the last word.
const SIZE: (u32, u32) = (18, 14);
const SHARED: u32 = 17;
const BANK: (u32, u32) = (12, 5);
const SPACE: (u32, u32) = (8, 4);

impl KernelParameter {
    /// The size of a `KPARAM_INFO` record's value in bytes.
    pub const LEN: usize = 12;

    /// Decodes the value of a `KPARAM_INFO` record. Any twelve bytes are valid.
    pub fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let [i0, i1, i2, i3, o0, o1, a0, a1, w0, w1, w2, w3] = bytes;
        let word = u32::from_le_bytes([w0, w1, w2, w3]);
        let field = |(shift, width): (u32, u32)| word >> shift & ((1 << width) - 1);
        Self {
            index: u32::from_le_bytes([i0, i1, i2, i3]),
            ordinal: u16::from_le_bytes([o0, o1]),
            offset: u16::from_le_bytes([a0, a1]),
            size: field(SIZE) as u16,
            log_alignment: w0,
            space: field(SPACE) as u8,
            bank: field(BANK) as u8,
            in_shared_memory: word >> SHARED & 1 != 0,
        }
    }

    /// Encodes the value of a `KPARAM_INFO` record.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DoesNotFit`] for a field that is wider than its bits.
    pub fn to_bytes(self) -> Result<[u8; Self::LEN]> {
        let mut word = u32::from(self.log_alignment) | u32::from(self.in_shared_memory) << SHARED;
        for (what, value, (shift, width), field) in [
            ("a parameter's size", u32::from(self.size), SIZE, "14 bits"),
            ("a parameter's space", self.space.into(), SPACE, "4 bits"),
            ("a parameter's constant bank", self.bank.into(), BANK, "5 bits"),
        ] {
            if value >> width != 0 {
                let kind = ErrorKind::DoesNotFit { what, value: value.into(), field };
                return Err(Error::new(NAME, 0, kind));
            }
            word |= value << shift;
        }
        let mut bytes = [0; Self::LEN];
        let fields = [
            &self.index.to_le_bytes()[..],
            &self.ordinal.to_le_bytes(),
            &self.offset.to_le_bytes(),
            &word.to_le_bytes(),
        ];
        bytes.iter_mut().zip(fields.into_iter().flatten()).for_each(|(to, from)| *to = *from);
        Ok(bytes)
    }
}

/// Iterates over the kernel's parameters, from the records of `.nv.info.F`, in the order of the
/// records: the last parameter first, in all files seen.
pub fn parameters(records: &[Record<'_>]) -> impl Iterator<Item = KernelParameter> {
    records.iter().filter_map(Record::parameter)
}
