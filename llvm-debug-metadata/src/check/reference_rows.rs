//! The table of fields that lead to nodes of one kind, with the sentence of LLVM's verifier where
//! they do not.

use super::expected_node::ExpectedNode;
use crate::NodeKind;
use ExpectedNode as Expected;
use NodeKind as Kind;

/// A field that leads to a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReferenceRow {
    /// The kind of the node that has the field.
    pub(super) kind: NodeKind,
    /// The name of the field.
    pub(super) field: &'static str,
    /// What the field leads to.
    pub(super) expected: ExpectedNode,
    /// Whether the field must be there.
    pub(super) is_required: bool,
    /// Whether LLVM checks it with all nodes of a class, and goes on after a fault.
    pub(super) is_of_class: bool,
    /// What libNVVM says otherwise.
    pub(super) sentence: &'static str,
    /// What the operands of the tuple are that it leads to.
    pub(super) operands: Option<OperandRow>,
}

/// The operands of a tuple that a field leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct OperandRow {
    /// What they are.
    pub(super) expected: ExpectedNode,
    /// Whether they can be `null`.
    pub(super) can_be_null: bool,
    /// What libNVVM says otherwise.
    pub(super) sentence: &'static str,
}

const fn to(kind: Kind, field: &'static str, expected: Expected, sentence: &'static str) -> ReferenceRow {
    ReferenceRow { kind, field, expected, is_required: false, is_of_class: false, sentence, operands: None }
}

const fn of_class(mut row: ReferenceRow) -> ReferenceRow {
    row.is_of_class = true;
    row
}

const fn required(mut row: ReferenceRow) -> ReferenceRow {
    row.is_required = true;
    row
}

/// A field that leads to a tuple, in the place of which libNVVM says `sentence`.
const fn list(
    kind: Kind,
    field: &'static str,
    sentence: &'static str,
    expected: Expected,
    of_operand: &'static str,
) -> ReferenceRow {
    let mut row = to(kind, field, Expected::Tuple, sentence);
    row.operands = Some(OperandRow { expected, can_be_null: false, sentence: of_operand });
    row
}

const fn with_null(mut row: ReferenceRow) -> ReferenceRow {
    if let Some(operands) = &mut row.operands {
        operands.can_be_null = true;
    }
    row
}

/// By kind, in the order in which LLVM looks at the fields of one: it says the first fault only.
/// Observed: libNVVM 13.0.88, both dialects.
#[rustfmt::skip] // one field, one place
pub(super) static REFERENCES: &[ReferenceRow] = &[
    required(to(Kind::Location, "scope", Expected::LocalScope, "location requires a valid scope")),
    to(Kind::Location, "inlinedAt", Expected::Location, "inlined-at should be a location"),
    of_class(to(Kind::DerivedType, "file", Expected::File, "invalid file")),
    to(Kind::DerivedType, "scope", Expected::Scope, "invalid scope"),
    to(Kind::DerivedType, "baseType", Expected::Type, "invalid base type"),
    of_class(to(Kind::CompositeType, "file", Expected::File, "invalid file")),
    to(Kind::CompositeType, "scope", Expected::Scope, "invalid scope"),
    to(Kind::CompositeType, "baseType", Expected::Type, "invalid base type"),
    to(Kind::CompositeType, "elements", Expected::Tuple, "invalid composite elements"),
    to(Kind::CompositeType, "vtableHolder", Expected::Type, "invalid vtable holder"),
    list(Kind::CompositeType, "templateParams", "invalid template params", Expected::TemplateParameter, "invalid template parameter"),
    with_null(list(Kind::SubroutineType, "types", "invalid composite elements", Expected::Type, "invalid subroutine type ref")),
    required(to(Kind::CompileUnit, "file", Expected::File, "invalid file")),
    list(Kind::CompileUnit, "enums", "invalid enum list", Expected::CompositeType, "invalid enum type"),
    list(Kind::CompileUnit, "retainedTypes", "invalid retained type list", Expected::RetainedType, "invalid retained type"),
    list(Kind::CompileUnit, "globals", "invalid global variable list", Expected::GlobalVariableExpression, "invalid global variable ref"),
    list(Kind::CompileUnit, "imports", "invalid imported entity list", Expected::ImportedEntity, "invalid imported entity ref"),
    list(Kind::CompileUnit, "macros", "invalid macro list", Expected::MacroNode, "invalid macro ref"),
    to(Kind::Subprogram, "scope", Expected::Scope, "invalid scope"),
    to(Kind::Subprogram, "file", Expected::File, "invalid file"),
    to(Kind::Subprogram, "type", Expected::SubroutineType, "invalid subroutine type"),
    to(Kind::Subprogram, "containingType", Expected::Type, "invalid containing type"),
    list(Kind::Subprogram, "templateParams", "invalid template params", Expected::TemplateParameter, "invalid template parameter"),
    to(Kind::Subprogram, "declaration", Expected::Subprogram, "invalid subprogram declaration"),
    list(Kind::Subprogram, "retainedNodes", "invalid retained nodes list", Expected::RetainedNode, "invalid retained nodes, expected DILocalVariable, DILabel or DIImportedEntity"),
    required(to(Kind::LexicalBlock, "scope", Expected::LocalScope, "invalid local scope")),
    required(to(Kind::LexicalBlockFile, "scope", Expected::LocalScope, "invalid local scope")),
    to(Kind::Namespace, "scope", Expected::Scope, "invalid scope ref"),
    to(Kind::CommonBlock, "scope", Expected::Scope, "invalid scope ref"),
    to(Kind::CommonBlock, "declaration", Expected::GlobalVariable, "invalid declaration"),
    to(Kind::MacroFile, "file", Expected::File, "invalid file"),
    list(Kind::MacroFile, "nodes", "invalid macro list", Expected::MacroNode, "invalid macro ref"),
    to(Kind::TemplateTypeParameter, "type", Expected::Type, "invalid type ref"),
    to(Kind::TemplateValueParameter, "type", Expected::Type, "invalid type ref"),
    of_class(to(Kind::GlobalVariable, "scope", Expected::Scope, "invalid scope")),
    of_class(to(Kind::GlobalVariable, "file", Expected::File, "invalid file")),
    to(Kind::GlobalVariable, "type", Expected::Type, "invalid type ref"),
    to(Kind::GlobalVariable, "declaration", Expected::DerivedType, "invalid static data member declaration"),
    of_class(to(Kind::LocalVariable, "scope", Expected::Scope, "invalid scope")),
    of_class(to(Kind::LocalVariable, "file", Expected::File, "invalid file")),
    to(Kind::LocalVariable, "type", Expected::Type, "invalid type ref"),
    required(to(Kind::LocalVariable, "scope", Expected::LocalScope, "local variable requires a valid scope")),
    to(Kind::Label, "scope", Expected::Scope, "invalid scope"),
    to(Kind::Label, "file", Expected::File, "invalid file"),
    required(to(Kind::Label, "scope", Expected::LocalScope, "label requires a valid scope")),
    to(Kind::ObjCProperty, "type", Expected::Type, "invalid type ref"),
    to(Kind::ObjCProperty, "file", Expected::File, "invalid file"),
    to(Kind::ImportedEntity, "scope", Expected::Scope, "invalid scope for imported entity"),
    to(Kind::ImportedEntity, "entity", Expected::DebugInfoNode, "invalid imported entity"),
];
