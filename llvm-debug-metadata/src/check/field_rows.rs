//! The tables of what libNVVM's two parsers ask of fields.

use crate::{IrDialect, NodeKind};
use IrDialect::{OpaquePointers as Modern, TypedPointers as Typed};
use NodeKind as Kind;

/// Fields that the parser of a dialect does not know. Observed: libNVVM 13.0.88, each field of each
/// kind.
static UNKNOWN_FIELDS: [(Kind, IrDialect, &[&str]); 22] = [
    (Kind::Location, Typed, &["isImplicitCode", "atomGroup", "atomRank"]),
    (Kind::Location, Modern, &["atomGroup", "atomRank"]),
    (Kind::Subrange, Typed, &["upperBound", "stride"]),
    (Kind::BasicType, Typed, &["num_extra_inhabitants", "flags"]),
    (Kind::StringType, Typed, &["stringLocationExpression"]),
    (
        Kind::DerivedType,
        Typed,
        &[
            "annotations",
            "ptrAuthKey",
            "ptrAuthIsAddressDiscriminated",
            "ptrAuthExtraDiscriminator",
            "ptrAuthIsaPointer",
            "ptrAuthAuthenticatesNullValues",
        ],
    ),
    (
        Kind::CompositeType,
        Typed,
        &[
            "dataLocation",
            "associated",
            "allocated",
            "rank",
            "annotations",
            "specification",
            "enumKind",
            "bitStride",
        ],
    ),
    (Kind::CompositeType, Modern, &["bitStride"]),
    (Kind::CompileUnit, Typed, &["nameTableKind", "rangesBaseAddress", "sysroot", "sdk"]),
    (Kind::CompileUnit, Modern, &["gnuPubnames"]),
    (Kind::Subprogram, Typed, &["spFlags", "variables", "annotations", "targetFuncName", "keyInstructions"]),
    (Kind::Subprogram, Modern, &["variables", "keyInstructions"]),
    (Kind::Namespace, Typed, &["file", "line"]),
    (Kind::Namespace, Modern, &["file", "line"]),
    (Kind::Module, Typed, &["sysroot", "apinotes", "file", "line", "isDecl"]),
    (Kind::Module, Modern, &["sysroot", "isysroot"]),
    (Kind::TemplateTypeParameter, Typed, &["defaulted"]),
    (Kind::TemplateValueParameter, Typed, &["defaulted"]),
    (Kind::GlobalVariable, Typed, &["templateParams", "annotations"]),
    (Kind::LocalVariable, Typed, &["annotations"]),
    (Kind::ImportedEntity, Typed, &["elements"]),
    (Kind::GenericSubrange, Typed, &["count", "lowerBound", "upperBound", "stride"]),
];

/// Whether the parser of a dialect knows a field of a kind.
pub(super) fn is_known(kind: Kind, dialect: IrDialect, field: &str) -> bool {
    let is_unknown = |(of, in_dialect, fields): &(Kind, IrDialect, &[&str])| {
        *of == kind && *in_dialect == dialect && fields.contains(&field)
    };
    !UNKNOWN_FIELDS.iter().any(is_unknown)
}

/// What a field must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirement {
    /// It must be there.
    There,
    /// It must be there with the dialect of typed pointers.
    ThereIfTyped,
    /// It is not `null`.
    NotNull,
    /// It is not an empty string.
    NotEmpty,
    /// It is a number up to this one.
    AtMost(u64),
}

/// A requirement of a field.
pub(super) struct FieldRequirement {
    pub(super) kind: NodeKind,
    pub(super) field: &'static str,
    pub(super) requirement: Requirement,
}

const fn row(kind: Kind, field: &'static str, requirement: Requirement) -> FieldRequirement {
    FieldRequirement { kind, field, requirement }
}

use Requirement::{AtMost, NotEmpty, NotNull, There, ThereIfTyped};

/// The highest line that LLVM reads.
pub(super) const HIGHEST_LINE: u64 = u32::MAX as u64;
/// The highest column and number of a parameter that LLVM reads.
const HIGHEST_COLUMN: u64 = u16::MAX as u64;

/// What LLVM's parser asks of fields, but for lines, which all are at most [`HIGHEST_LINE`].
/// Observed: libNVVM 13.0.88.
pub(super) static REQUIREMENTS: [FieldRequirement; 55] = [
    row(Kind::Location, "scope", There),
    row(Kind::Location, "scope", NotNull),
    row(Kind::Location, "column", AtMost(HIGHEST_COLUMN)),
    row(Kind::Generic, "tag", There),
    row(Kind::Subrange, "count", ThereIfTyped),
    row(Kind::Enumerator, "name", There),
    row(Kind::Enumerator, "value", There),
    row(Kind::BasicType, "align", AtMost(HIGHEST_LINE)),
    row(Kind::DerivedType, "tag", There),
    row(Kind::DerivedType, "baseType", There),
    row(Kind::DerivedType, "align", AtMost(HIGHEST_LINE)),
    row(Kind::CompositeType, "tag", There),
    row(Kind::CompositeType, "align", AtMost(HIGHEST_LINE)),
    row(Kind::SubroutineType, "types", There),
    row(Kind::File, "filename", There),
    row(Kind::File, "directory", There),
    row(Kind::CompileUnit, "language", There),
    row(Kind::CompileUnit, "file", There),
    row(Kind::CompileUnit, "file", NotNull),
    row(Kind::CompileUnit, "runtimeVersion", AtMost(HIGHEST_LINE)),
    row(Kind::Subprogram, "scopeLine", AtMost(HIGHEST_LINE)),
    row(Kind::Subprogram, "virtualIndex", AtMost(HIGHEST_LINE)),
    row(Kind::LexicalBlock, "scope", There),
    row(Kind::LexicalBlock, "scope", NotNull),
    row(Kind::LexicalBlock, "column", AtMost(HIGHEST_COLUMN)),
    row(Kind::LexicalBlockFile, "scope", There),
    row(Kind::LexicalBlockFile, "scope", NotNull),
    row(Kind::LexicalBlockFile, "discriminator", There),
    row(Kind::LexicalBlockFile, "discriminator", AtMost(HIGHEST_LINE)),
    row(Kind::Namespace, "scope", There),
    row(Kind::Module, "scope", There),
    row(Kind::Module, "name", There),
    row(Kind::CommonBlock, "scope", There),
    row(Kind::Macro, "type", There),
    row(Kind::Macro, "name", There),
    row(Kind::MacroFile, "file", There),
    row(Kind::TemplateTypeParameter, "type", There),
    row(Kind::TemplateValueParameter, "value", There),
    row(Kind::GlobalVariable, "name", ThereIfTyped),
    row(Kind::GlobalVariable, "name", NotEmpty),
    row(Kind::GlobalVariable, "align", AtMost(HIGHEST_LINE)),
    row(Kind::LocalVariable, "scope", There),
    row(Kind::LocalVariable, "scope", NotNull),
    row(Kind::LocalVariable, "arg", AtMost(HIGHEST_COLUMN)),
    row(Kind::LocalVariable, "align", AtMost(HIGHEST_LINE)),
    row(Kind::Label, "scope", There),
    row(Kind::Label, "scope", NotNull),
    row(Kind::Label, "name", There),
    row(Kind::Label, "file", There),
    row(Kind::Label, "line", There),
    row(Kind::GlobalVariableExpression, "var", There),
    row(Kind::GlobalVariableExpression, "expr", There),
    row(Kind::ImportedEntity, "tag", There),
    row(Kind::ImportedEntity, "scope", There),
    row(Kind::ObjCProperty, "attributes", AtMost(HIGHEST_LINE)),
];
