//! What kinds of nodes a field can lead to.

use crate::NodeKind;

/// A class of nodes, by LLVM's names of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedNode {
    /// `DIFile`
    File,
    /// `DIScope`: files, types, units, functions, blocks, namespaces, modules.
    Scope,
    /// `DILocalScope`: functions and blocks.
    LocalScope,
    /// `DIType`
    Type,
    /// `DISubroutineType`
    SubroutineType,
    /// `DIDerivedType`
    DerivedType,
    /// `DICompositeType`
    CompositeType,
    /// `DILocation`
    Location,
    /// `DISubprogram`
    Subprogram,
    /// `DINode`: most nodes, but no tuple, location, expression or macro.
    DebugInfoNode,
    /// `DIGlobalVariable`
    GlobalVariable,
    /// `DIGlobalVariableExpression`
    GlobalVariableExpression,
    /// `DIImportedEntity`
    ImportedEntity,
    /// `DIMacroNode`
    MacroNode,
    /// `DITemplateParameter`
    TemplateParameter,
    /// `DILocalVariable`, `DILabel` or `DIImportedEntity`.
    RetainedNode,
    /// A type or a `DISubprogram`
    RetainedType,
    /// `MDTuple`
    Tuple,
}

impl ExpectedNode {
    /// Whether a node of this kind is one.
    pub(super) fn is(self, kind: NodeKind) -> bool {
        use NodeKind as Kind;
        match self {
            Self::File => kind == Kind::File,
            Self::Scope => kind.is_scope(),
            Self::LocalScope => kind.is_local_scope(),
            Self::Type => kind.is_type(),
            Self::SubroutineType => kind == Kind::SubroutineType,
            Self::DerivedType => kind == Kind::DerivedType,
            Self::CompositeType => kind == Kind::CompositeType,
            Self::Location => kind == Kind::Location,
            Self::Subprogram => kind == Kind::Subprogram,
            Self::DebugInfoNode => kind.is_debug_info_node(),
            Self::GlobalVariable => kind == Kind::GlobalVariable,
            Self::GlobalVariableExpression => kind == Kind::GlobalVariableExpression,
            Self::ImportedEntity => kind == Kind::ImportedEntity,
            Self::MacroNode => matches!(kind, Kind::Macro | Kind::MacroFile),
            Self::TemplateParameter => {
                matches!(kind, Kind::TemplateTypeParameter | Kind::TemplateValueParameter)
            }
            Self::RetainedNode => matches!(kind, Kind::LocalVariable | Kind::Label | Kind::ImportedEntity),
            Self::RetainedType => kind.is_type() || kind == Kind::Subprogram,
            Self::Tuple => kind == Kind::Tuple,
        }
    }

    /// In words that can follow "expected".
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::File => "a DIFile",
            Self::Scope => "a scope",
            Self::LocalScope => "a DISubprogram or a block in one",
            Self::Type => "a type",
            Self::SubroutineType => "a DISubroutineType",
            Self::DerivedType => "a DIDerivedType",
            Self::CompositeType => "a DICompositeType",
            Self::Location => "a DILocation",
            Self::Subprogram => "a DISubprogram",
            Self::DebugInfoNode => "a scope, a type or a variable",
            Self::GlobalVariable => "a DIGlobalVariable",
            Self::GlobalVariableExpression => "a DIGlobalVariableExpression",
            Self::ImportedEntity => "a DIImportedEntity",
            Self::MacroNode => "a DIMacro or a DIMacroFile",
            Self::TemplateParameter => "a template parameter",
            Self::RetainedNode => "a DILocalVariable, a DILabel or a DIImportedEntity",
            Self::RetainedType => "a type or the declaration of a DISubprogram",
            Self::Tuple => "a tuple",
        }
    }
}
