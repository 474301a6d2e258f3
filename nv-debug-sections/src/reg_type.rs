//! `.nv_debug_info_reg_type`: the declared PTX type of each entry of `.nv_debug_info_reg_sass`.
//!
//! No public specification; docs/formats/register-maps.md, types; observed: ptxas 13.0.88,
//! sm_75-sm_121, only with `-g`.

use crate::Result;
use crate::catalog::SectionKind;
use crate::cursor::Cursor;
use crate::reg_sass::{push_count, push_cstr};
use std::fmt;

/// The name of the section, `.nv_debug_info_reg_type`.
pub const NAME: &str = SectionKind::NvDebugInfoRegType.name();

/// The type codes of the PTX registers of one function. `types[i]` belongs to range `i` of the same
/// function in `.nv_debug_info_reg_sass`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionTypes<'d> {
    /// The name of the function as in `.text.NAME`, without terminator.
    pub function: &'d [u8],
    /// The type codes, one for each register range.
    pub types: &'d [u8],
}

/// The type of a PTX register, or of one element of a vector register (PTX ISA, Fundamental Types).
///
/// Codes: observed, ptxas 13.0.88 `-g` on one register of each type for each of sm_75, 80, 86-90,
/// 100, 103, 110, 120, 121: the same on all. It refuses registers of the other types (`.bf16`,
/// `.tf32` and what they are packed into: "syntax error"; `.e4m3`, `.u16x2`, `.f32x2` and kin: "may
/// only be used as an instruction type"), whose values live in `.b16` to `.b64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs, reason = "PTX's own names")]
pub enum PtxType {
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    F32,
    F64,
    Pred,
    B128,
}

/// Every type by ascending code, with its name and width in bits; a predicate is 1.
const TYPES: [(PtxType, &str, u8); 18] = [
    (PtxType::B8, "b8", 8),
    (PtxType::B16, "b16", 16),
    (PtxType::B32, "b32", 32),
    (PtxType::B64, "b64", 64),
    (PtxType::U8, "u8", 8),
    (PtxType::U16, "u16", 16),
    (PtxType::U32, "u32", 32),
    (PtxType::U64, "u64", 64),
    (PtxType::S8, "s8", 8),
    (PtxType::S16, "s16", 16),
    (PtxType::S32, "s32", 32),
    (PtxType::S64, "s64", 64),
    (PtxType::F16, "f16", 16),
    (PtxType::F16x2, "f16x2", 32),
    (PtxType::F32, "f32", 32),
    (PtxType::F64, "f64", 64),
    (PtxType::Pred, "pred", 1),
    (PtxType::B128, "b128", 128),
];

impl PtxType {
    /// Returns the scalar type for its code, 0 to 17; `None` for other codes.
    pub fn of_code(code: u8) -> Option<Self> {
        TYPES.get(usize::from(code)).map(|(r#type, ..)| *r#type)
    }

    /// Returns the type for its PTX name without the dot.
    pub fn of_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(_, known, _)| *known == name).map(|(r#type, ..)| *r#type)
    }

    /// The code of a scalar register of this type in `.nv_debug_info_reg_type`.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The PTX name of the type, without its dot.
    pub fn name(self) -> &'static str {
        TYPES.get(usize::from(self.code())).map_or("", |(_, name, _)| name)
    }

    /// The width of the type in bits; 1 for a predicate.
    pub fn bits(self) -> u8 {
        TYPES.get(usize::from(self.code())).map_or(0, |(.., bits)| *bits)
    }

    /// The number of 32-bit SASS registers that a value of this type takes.
    pub fn words(self) -> u8 {
        self.bits().div_ceil(32)
    }
}

/// The type with which a PTX register is declared: a scalar type, or a vector of two or four
/// elements.
///
/// The code of a vector is that of its element, plus 64 for two elements or 128 for four; observed:
/// ptxas 13.0.88 `-g` on every type and width. It refuses `.v8`, vectors of predicates, and vectors
/// of more than 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterType {
    element: PtxType,
    elements: u8,
}

/// The code of a vector of two elements is that of its element plus this.
const TWO: u8 = 64;
/// The code of a vector of four elements is that of its element plus this.
const FOUR: u8 = 128;
/// Most bits of a vector register.
const MAX_VECTOR_BITS: u8 = 128;

impl RegisterType {
    /// Creates a scalar type (`elements` is 1) or a vector of 2 or 4 elements; `None` if PTX does
    /// not have the type.
    pub fn new(element: PtxType, elements: u8) -> Option<Self> {
        let fits = element.bits().checked_mul(elements).is_some_and(|bits| bits <= MAX_VECTOR_BITS);
        let known = elements == 1 || [2, 4].contains(&elements) && element != PtxType::Pred && fits;
        known.then_some(Self { element, elements })
    }

    /// Returns the register type for its code in `.nv_debug_info_reg_type`; `None` for a code that
    /// ptxas never writes.
    pub fn of_code(code: u8) -> Option<Self> {
        let elements = match code & (TWO | FOUR) {
            0 => 1,
            TWO => 2,
            FOUR => 4,
            _ => return None,
        };
        Self::new(PtxType::of_code(code & !(TWO | FOUR))?, elements)
    }

    /// The code of the register type in `.nv_debug_info_reg_type`.
    pub fn code(self) -> u8 {
        let vector = match self.elements {
            2 => TWO,
            4 => FOUR,
            _ => 0,
        };
        self.element.code() | vector
    }

    /// The type of one element of the register; for a scalar the type itself.
    pub fn element(self) -> PtxType {
        self.element
    }

    /// The number of elements of the register: 1, 2 or 4.
    pub fn elements(self) -> u8 {
        self.elements
    }

    /// The number of 32-bit SASS registers that a value of this register type takes. Each is a word
    /// of the register in `.nv_debug_info_reg_sass`.
    ///
    /// Each element begins a part of its own, so that a `.v4.b8` has four.
    pub fn words(self) -> u8 {
        self.element.words().saturating_mul(self.elements)
    }
}

impl From<PtxType> for RegisterType {
    fn from(element: PtxType) -> Self {
        Self { element, elements: 1 }
    }
}

impl fmt::Display for RegisterType {
    /// As PTX spells it, without the first dot: `b32`, `v2.f32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.elements > 1 {
            write!(f, "v{}.", self.elements)?;
        }
        f.write_str(self.element.name())
    }
}

impl FunctionTypes<'_> {
    /// The number of bytes that the function's record takes in `.nv_debug_info_reg_type`: the name,
    /// the count, and one byte for each type.
    pub fn size(&self) -> u64 {
        (self.function.len() + 5 + self.types.len()) as u64
    }

    /// Iterates over the types of the function's PTX registers, in order. A code that does not name
    /// a type is returned as an error.
    pub fn types(&self) -> impl Iterator<Item = Result<RegisterType, u8>> {
        self.types.iter().map(|code| RegisterType::of_code(*code).ok_or(*code))
    }
}

/// Decodes `.nv_debug_info_reg_type` to the type codes of each function.
///
/// # Errors
///
/// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) with the offset of the field the data ends
/// in.
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

/// Encodes the type codes of functions as the contents of `.nv_debug_info_reg_type`.
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
    use proptest::prelude::*;

    #[test]
    fn the_table_is_in_the_order_of_the_codes() {
        for (code, (r#type, name, _)) in (0..).zip(TYPES) {
            assert_eq!((r#type.code(), r#type.name()), (code, name));
            assert_eq!((PtxType::of_code(code), PtxType::of_name(name)), (Some(r#type), Some(r#type)));
        }
        assert_eq!(PtxType::of_code(18), None);
    }

    // The codes and refusals that ptxas 13.0.88 gave for `.reg .v2.b8 %w` and so on.
    #[test]
    fn codes_of_vectors() {
        let name = |code| RegisterType::of_code(code).map(|known| known.to_string());
        for (code, expected) in [
            (0, "b8"),
            (17, "b128"),
            (64, "v2.b8"),
            (76, "v2.f16"),
            (78, "v2.f32"),
            (79, "v2.f64"),
            (128, "v4.b8"),
            (141, "v4.f16x2"),
            (142, "v4.f32"),
        ] {
            assert_eq!(name(code).as_deref(), Some(expected));
        }
        // v2.pred, v2.b128, v4.b64, v4.f64, v4.pred, v4.b128, and no width.
        for code in [18, 80, 81, 82, 131, 143, 144, 145, 192, 255] {
            assert_eq!(name(code), None, "{code}");
        }
        for code in 0..=u8::MAX {
            assert!(RegisterType::of_code(code).is_none_or(|known| known.code() == code));
        }
        let words = |code| RegisterType::of_code(code).unwrap().words();
        assert_eq!((words(64), words(67), words(128), words(142), words(17)), (2, 4, 4, 4, 4));
    }

    #[test]
    fn a_code_that_is_none_is_kept() {
        let data = b"f\0\x02\0\0\0\x10\x12";
        let functions = decode(data).unwrap();
        assert_eq!(functions[0].types().collect::<Vec<_>>(), [Ok(PtxType::Pred.into()), Err(18)]);
        assert_eq!(encode(&functions).unwrap(), data);
    }

    #[test]
    fn a_count_past_the_end_is_an_error_at_the_codes() {
        assert_eq!(decode(b"f\0\x04\0\0\0ab").unwrap_err().offset(), 6);
    }

    proptest! {
        #[test]
        fn values_come_back(
            functions in prop::collection::vec((prop::collection::vec(1_u8.., 0..6), prop::collection::vec(any::<u8>(), 0..9)), 0..4),
        ) {
            let values: Vec<_> = functions.iter().map(|(function, types)| FunctionTypes { function, types }).collect();
            let data = encode(&values).unwrap();
            prop_assert_eq!(decode(&data).unwrap(), values);
        }

        #[test]
        fn bytes_come_back(data in prop::collection::vec(0_u8..3, 0..40)) {
            match decode(&data) {
                Ok(functions) => prop_assert_eq!(encode(&functions).unwrap(), data),
                Err(error) => prop_assert!(error.offset() <= data.len() as u64),
            }
        }
    }
}
