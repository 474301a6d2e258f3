//! The types of variables and registers.

use crate::keywords::keywords;

keywords! {
    /// The declared type (PTX ISA §Types).
    ScalarType {
        B8 = ".b8", B16 = ".b16", B32 = ".b32", B64 = ".b64", B128 = ".b128",
        U8 = ".u8", U16 = ".u16", U32 = ".u32", U64 = ".u64",
        S8 = ".s8", S16 = ".s16", S32 = ".s32", S64 = ".s64",
        F16 = ".f16", F16x2 = ".f16x2", Bf16 = ".bf16", Bf16x2 = ".bf16x2", F32 = ".f32", F64 = ".f64",
        Pred = ".pred", Texref = ".texref", Samplerref = ".samplerref", Surfref = ".surfref",
        /// No type was written; an error says so.
        Missing = "",
    }
}

impl ScalarType {
    /// Returns the size of one element in bytes; 8 for opaque handles such as `.texref`. `None` for
    /// `.pred`, and if no type was written.
    pub const fn size(self) -> Option<u64> {
        Some(match self {
            Self::B8 | Self::U8 | Self::S8 => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 => 4,
            Self::B64
            | Self::U64
            | Self::S64
            | Self::F64
            | Self::Texref
            | Self::Samplerref
            | Self::Surfref => 8,
            Self::B128 => 16,
            Self::Pred | Self::Missing => return None,
        })
    }
}

/// Whether a word begins the type of a declaration. ptxas reports a missing state space only after
/// the first name.
pub(crate) fn begins_type(word: &str) -> bool {
    ScalarType::from_keyword(word).is_some()
        || matches!(word, ".align" | ".v2" | ".v4" | ".v8" | ".attribute")
}

pub(crate) fn natural_alignment(ty: ScalarType, vector: Option<u8>) -> u64 {
    ty.size().unwrap_or(1) * vector.map_or(1, u64::from)
}
