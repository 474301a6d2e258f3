//! The dialects of LLVM IR that libNVVM reads.

use crate::lexer::{Lexer, TokenKind};
use crate::module::{ItemKind, Module};
use schemars::JsonSchema;
use serde::Serialize;

/// A dialect of IR that libNVVM reads. It goes with the virtual architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IrDialect {
    /// Typed pointers, for architectures below compute_100.
    TypedPointers,
    /// Opaque pointers, for compute_100 and later ones.
    OpaquePointers,
}

impl IrDialect {
    /// The dialect that a module is written in: that of its first pointer or debug record; modern
    /// where it has neither.
    pub fn of(module: &Module<'_>) -> Self {
        let text = module.text;
        for item in module.items() {
            let is_code =
                matches!(item.kind, ItemKind::Function(_) | ItemKind::Variable(_) | ItemKind::Type { .. });
            for token in Lexer::in_range(text, item.range).filter(|_| is_code) {
                match token.kind {
                    TokenKind::Record => return Self::OpaquePointers,
                    TokenKind::Word if token.text(text) == "ptr" => return Self::OpaquePointers,
                    _ if token.is(b'*', text) => return Self::TypedPointers,
                    _ => {}
                }
            }
        }
        Self::OpaquePointers
    }

    /// The words for the architectures that libNVVM reads it for.
    pub const fn architectures(self) -> &'static str {
        match self {
            Self::TypedPointers => "below compute_100",
            Self::OpaquePointers => "from compute_100 on",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_and_records_tell_the_dialect() {
        let of = |text| IrDialect::of(&Module::parse(text));
        assert_eq!(of("define void @f(i32* %p) {\n  ret void\n}\n"), IrDialect::TypedPointers);
        assert_eq!(of("define void @f(ptr %p) {\n  ret void\n}\n"), IrDialect::OpaquePointers);
        assert_eq!(of("%s = type { i8* }\n"), IrDialect::TypedPointers);
        assert_eq!(of("!0 = !{!\"i8*\"}\n"), IrDialect::OpaquePointers);
        assert_eq!(
            of("; i8*\ndefine void @f() {\n    #dbg_label(!1, !2)\n  ret void\n}\n"),
            IrDialect::OpaquePointers
        );
    }
}
