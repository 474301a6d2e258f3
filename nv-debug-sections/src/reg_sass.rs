//! `.nv_debug_info_reg_sass`: where each PTX register lives in SASS registers, over which addresses.
//!
//! No public specification; FORMATS 3, observed: ptxas 13.0.88, sm_75-sm_121, only with `-g`.

use crate::bytes::Cursor;
use crate::catalog::SectionKind;
use crate::{Error, ErrorKind, Result};
use std::fmt;

/// Name of the section.
pub const NAME: &str = SectionKind::NvDebugInfoRegSass.name();

/// The register ranges of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionRegisters<'d> {
    /// Function name as in `.text.NAME`, without terminator.
    pub function: &'d [u8],
    /// Ranges in section order.
    pub ranges: Vec<RegisterRange<'d>>,
}

/// One PTX register word in one SASS register, from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterRange<'d> {
    /// Which 32-bit word of the PTX register: 0 is the low one, up to 3 for `.b128`.
    pub part: u32,
    /// PTX register name with its `%`; compiler-made names occur.
    pub ptx_name: &'d [u8],
    /// The SASS register.
    pub register: SassRegister,
    /// Byte offset in the function of the first instruction after the definition.
    pub start: u32,
    /// Byte offset in the function, exclusive.
    pub end: u32,
}

/// A SASS register as debug sections number them: class in the high byte, number below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SassRegister(pub u32);

/// Register classes: number and the prefix of their names. 1, 9 and 11 are inferred from frame rules (FORMATS 5).
const CLASSES: [(u8, &str); 6] = [(1, "CC"), (2, "P"), (4, "H"), (5, "R"), (9, "UP"), (11, "UR")];
const HALF: u8 = 4;
const GENERAL: u8 = 5;

impl SassRegister {
    /// Class: 2 predicate, 4 half of a general register, 5 general; others occur in frame rules.
    pub fn class(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// Number inside the class, 24 bits; for halves `2 * R + half`.
    pub fn number(self) -> u32 {
        self.0 & 0x00ff_ffff
    }
}

impl fmt::Display for SassRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number();
        match (self.class(), CLASSES.iter().find(|(class, _)| *class == self.class())) {
            (HALF, _) => write!(f, "R{}.H{}", number / 2, number % 2),
            (GENERAL, _) if number == 255 => f.write_str("RZ"),
            (1, Some((_, name))) => f.write_str(name),
            (_, Some((_, prefix))) => write!(f, "{prefix}{number}"),
            (class, None) => write!(f, "class{class}:{number}"),
        }
    }
}

/// Decodes the section.
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
        let mut ranges = Vec::new();
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

/// Encodes the section.
///
/// # Errors
///
/// [`ErrorKind::DoesNotFit`] when a function has 2^32 ranges or more, [`ErrorKind::Other`] for a name that holds a NUL.
pub fn encode(functions: &[FunctionRegisters<'_>]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for function in functions {
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
        let kind =
            ErrorKind::Other(format!("the name {:?} holds a NUL byte", String::from_utf8_lossy(string)));
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

    #[test]
    fn register_names() {
        for (raw, name) in [
            (0x0500_0005, "R5"),
            (0x0500_00ff, "RZ"),
            (0x0400_000b, "R5.H1"),
            (0x0200_0001, "P1"),
            (0x0b00_0004, "UR4"),
        ] {
            assert_eq!(SassRegister(raw).to_string(), name);
        }
    }

    #[test]
    fn a_count_without_entries_is_truncated_not_allocated() {
        let error = decode(b"f\0\xff\xff\xff\xff").unwrap_err();
        assert_eq!((error.section(), error.offset()), (NAME, 6));
    }
}
