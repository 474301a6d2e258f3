//! `.nv_debug_info_reg_type`: the declared PTX type of each entry of `.nv_debug_info_reg_sass`.
//!
//! No public specification; FORMATS 3, observed: ptxas 13.0.88, sm_75-sm_121, only with `-g`.

use crate::Result;
use crate::bytes::Cursor;
use crate::catalog::SectionKind;
use crate::reg_sass::{push_count, push_cstr};

/// Name of the section.
pub const NAME: &str = SectionKind::NvDebugInfoRegType.name();

/// The type codes of one function; `types[i]` belongs to range `i` of the same function in `.nv_debug_info_reg_sass`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionTypes<'d> {
    /// Function name as in `.text.NAME`, without terminator.
    pub function: &'d [u8],
    /// One code for each register range.
    pub types: &'d [u8],
}

/// PTX type names by type code, complete as far as probes reached (FORMATS 3).
const TYPE_NAMES: [&str; 18] = [
    "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "f32",
    "f64", "pred", "b128",
];

/// Name of a type code, as PTX spells the type without its dot; `None` for a code never seen.
pub fn type_name(code: u8) -> Option<&'static str> {
    TYPE_NAMES.get(usize::from(code)).copied()
}

/// Decodes the section.
///
/// # Errors
///
/// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) with the offset of the field the data ends in.
pub fn decode(data: &[u8]) -> Result<Vec<FunctionTypes<'_>>> {
    let mut cursor = Cursor::new(NAME, data);
    let mut functions = Vec::new();
    while !cursor.is_empty() {
        let function = cursor.cstr("a function name")?;
        let count = cursor.u32("the number of types")?;
        functions.push(FunctionTypes { function, types: cursor.take(u64::from(count), "the type codes")? });
    }
    Ok(functions)
}

/// Encodes the section.
///
/// # Errors
///
/// As [`reg_sass::encode`](crate::reg_sass::encode).
pub fn encode(functions: &[FunctionTypes<'_>]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for function in functions {
        push_cstr(NAME, &mut out, function.function)?;
        push_count(NAME, &mut out, function.types.len())?;
        out.extend_from_slice(function.types);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cover_the_codes() {
        assert_eq!((type_name(0), type_name(17), type_name(18)), (Some("b8"), Some("b128"), None));
    }

    #[test]
    fn a_count_past_the_end_is_an_error_at_the_codes() {
        assert_eq!(decode(b"f\0\x04\0\0\0ab").unwrap_err().offset(), 6);
    }
}
