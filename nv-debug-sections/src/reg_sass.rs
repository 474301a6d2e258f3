//! `.nv_debug_info_reg_sass`: where each PTX register lives in SASS registers, over which
//! addresses.
//!
//! No public specification; docs/formats/register-maps.md, ranges; observed: ptxas 13.0.88,
//! sm_75-sm_121, only with `-g`.

use crate::catalog::SectionKind;
use crate::cursor::Cursor;
use crate::{Error, ErrorKind, Result};
use std::borrow::Borrow;

pub use crate::register::SassRegister;

/// The start address in `.nv_debug_info_reg_sass` of a register range that has no start, since no
/// native instruction comes from its first Mercury instruction. Observed: ptxas 13.0.88 from sm_100
/// on.
pub const NO_START: u32 = u32::MAX;

/// The name of the section, `.nv_debug_info_reg_sass`.
pub const NAME: &str = SectionKind::NvDebugInfoRegSass.name();

/// The SASS registers that hold the PTX registers of one function, as ranges of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionRegisters<'d> {
    /// The name of the function as in `.text.NAME`, without terminator.
    pub function: &'d [u8],
    /// The register ranges of the function, in section order.
    pub ranges: Vec<RegisterRange<'d>>,
}

/// A range of code addresses in which one SASS register holds one 32-bit word of a PTX register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterRange<'d> {
    /// The number of the 32-bit word of the PTX register: 0 is the low word, 1 the high word of a
    /// 64-bit register. The words of a `.b128` register have 0, 1, 1, 2 from low to high, that is
    /// the number of the 64-bit half plus the number of the word in that half. Observed: ptxas
    /// 13.0.88, all SMs.
    pub part: u32,
    /// The name of the PTX register with its `%`. Registers that the compiler adds have names too.
    pub ptx_name: &'d [u8],
    /// The SASS register that holds the word.
    pub register: SassRegister,
    /// The first address of the range, a byte offset in the function: that of the first instruction
    /// after the definition.
    pub start: u32,
    /// The first address after the range, a byte offset in the function.
    pub end: u32,
}

/// Bytes of a range without a name: four numbers and the name's end.
const MIN_RANGE: u64 = 17;

impl FunctionRegisters<'_> {
    /// The size in bytes of the function's name and count in `.nv_debug_info_reg_sass`, before its
    /// first range.
    pub fn header_size(&self) -> u64 {
        self.function.len() as u64 + 5
    }

    /// The number of bytes that the function's name and ranges take in `.nv_debug_info_reg_sass`.
    pub fn size(&self) -> u64 {
        self.header_size() + self.ranges.iter().map(RegisterRange::size).sum::<u64>()
    }
}

impl RegisterRange<'_> {
    /// The number of bytes that the register range takes in `.nv_debug_info_reg_sass`.
    pub fn size(&self) -> u64 {
        MIN_RANGE + self.ptx_name.len() as u64
    }
}

/// Decodes `.nv_debug_info_reg_sass` to the register ranges of each function.
///
/// # Errors
///
/// [`ErrorKind::Truncated`] with the offset of the field the data ends in.
pub fn decode(data: &[u8]) -> Result<Vec<FunctionRegisters<'_>>> {
    let mut cursor = Cursor::new(NAME, data);
    let mut functions = Vec::new();
    while !cursor.is_empty() {
        let function = cursor.cstr("a function name")?;
        let count = cursor.u32("the number of ranges")?;
        let most = cursor.remaining() / MIN_RANGE;
        let mut ranges = Vec::with_capacity(most.min(count.into()) as usize);
        for _ in 0..count {
            ranges.push(RegisterRange {
                part: cursor.u32("a register part")?,
                ptx_name: cursor.cstr("a PTX register name")?,
                register: SassRegister(cursor.u32("a SASS register")?),
                start: cursor.u32("a range start")?,
                end: cursor.u32("a range end")?,
            });
        }
        functions.push(FunctionRegisters { function, ranges });
    }
    Ok(functions)
}

/// Encodes the register ranges of functions as the contents of `.nv_debug_info_reg_sass`.
///
/// # Errors
///
/// [`ErrorKind::DoesNotFit`] when a function has 2^32 ranges or more, [`ErrorKind::NulByte`] for a
/// name that holds a NUL.
pub fn encode<'a>(
    functions: impl IntoIterator<Item = impl Borrow<FunctionRegisters<'a>>>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for function in functions {
        let function = function.borrow();
        push_cstr(NAME, &mut out, function.function)?;
        push_count(NAME, &mut out, function.ranges.len())?;
        for range in &function.ranges {
            out.extend_from_slice(&range.part.to_le_bytes());
            push_cstr(NAME, &mut out, range.ptx_name)?;
            for field in [range.register.0, range.start, range.end] {
                out.extend_from_slice(&field.to_le_bytes());
            }
        }
    }
    Ok(out)
}

/// Appends a NUL-terminated string.
pub(crate) fn push_cstr(section: &str, out: &mut Vec<u8>, string: &[u8]) -> Result<()> {
    if memchr::memchr(0, string).is_some() {
        let kind = ErrorKind::NulByte(format!("the name {:?}", String::from_utf8_lossy(string)));
        return Err(Error::new(section, out.len() as u64, kind));
    }
    out.extend_from_slice(string);
    out.push(0);
    Ok(())
}

/// Appends an entry count as `u32`.
pub(crate) fn push_count(section: &str, out: &mut Vec<u8>, count: usize) -> Result<()> {
    let count = u32::try_from(count).map_err(|_| {
        let kind =
            ErrorKind::DoesNotFit { what: "the entry count", value: count as u64, field: "a 32-bit count" };
        Error::new(section, out.len() as u64, kind)
    })?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_count_without_entries_is_truncated_not_allocated() {
        let error = decode(b"f\0\xff\xff\xff\xff").unwrap_err();
        assert_eq!((error.section(), error.offset()), (NAME, 6));
    }

    #[test]
    fn a_name_with_a_nul_is_refused_where_it_would_be() {
        let range =
            RegisterRange { part: 0, ptx_name: b"%r\0x", register: SassRegister(0), start: 0, end: 0 };
        let error = encode(&[FunctionRegisters { function: b"f", ranges: vec![range] }]).unwrap_err();
        assert_eq!((error.section(), error.offset()), (NAME, 10));
    }

    /// A string without NUL.
    fn name() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(1_u8.., 0..6)
    }

    proptest! {
        #[test]
        fn values_come_back(
            functions in prop::collection::vec((name(), prop::collection::vec((name(), any::<[u32; 4]>()), 0..4)), 0..4),
        ) {
            let values: Vec<_> = functions
                .iter()
                .map(|(function, ranges)| FunctionRegisters {
                    function,
                    ranges: ranges
                        .iter()
                        .map(|(ptx_name, [part, register, start, end])| RegisterRange {
                            part: *part,
                            ptx_name,
                            register: SassRegister(*register),
                            start: *start,
                            end: *end,
                        })
                        .collect(),
                })
                .collect();
            let data = encode(&values).unwrap();
            prop_assert_eq!(decode(&data).unwrap(), values);
        }

        #[test]
        fn bytes_come_back(data in prop::collection::vec(0_u8..3, 0..60)) {
            match decode(&data) {
                Ok(functions) => prop_assert_eq!(encode(&functions).unwrap(), data),
                Err(error) => prop_assert!(error.offset() <= data.len() as u64),
            }
        }
    }
}
