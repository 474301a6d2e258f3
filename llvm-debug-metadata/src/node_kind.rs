//! The kinds of metadata nodes, their fields, and which fields are operands.

mod table;

use table::{KINDS, KindRow};

/// What the value of a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// A node, or `null`.
    Node,
    /// A string in quotes.
    Text,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A word, or several with `|`: `DW_TAG_member`, `DIFlagPublic | DIFlagVector`, or a number in
    /// its place.
    Word,
    /// A whole number or a node: bounds of arrays.
    Bound,
    /// A constant with its type, or a node.
    Constant,
    /// Operands in braces.
    Operands,
}

/// A field that nodes of a kind can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldRow {
    /// Its name, as LLVM writes it.
    pub name: &'static str,
    /// What its value is.
    pub value: FieldType,
}

/// A kind of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum NodeKind {
    /// Operands without names: `!{!1, null, !"text"}`.
    Tuple,
    /// A place in a source file, in a scope.
    Location,
    /// A node of a kind that only its tag says.
    Generic,
    /// The bounds of a dimension of an array.
    Subrange,
    /// The bounds of a dimension of an array of unknown rank.
    GenericSubrange,
    /// A member of an enumeration.
    Enumerator,
    /// A type such as `int`.
    BasicType,
    /// A character string of Fortran.
    StringType,
    /// A pointer, a typedef, a member, a qualified type.
    DerivedType,
    /// A structure, a class, a union, an array, an enumeration.
    CompositeType,
    /// The types of the result and of the parameters of a function.
    SubroutineType,
    /// A source file.
    File,
    /// A unit of compilation.
    CompileUnit,
    /// A function.
    Subprogram,
    /// A block in a function.
    LexicalBlock,
    /// A part of a block that is in another file.
    LexicalBlockFile,
    /// A namespace.
    Namespace,
    /// A module of Clang or Fortran.
    Module,
    /// A common block of Fortran.
    CommonBlock,
    /// A macro.
    Macro,
    /// The macros of a file.
    MacroFile,
    /// A type parameter of a template.
    TemplateTypeParameter,
    /// A value parameter of a template.
    TemplateValueParameter,
    /// A variable outside functions.
    GlobalVariable,
    /// A variable or a parameter of a function.
    LocalVariable,
    /// A label in a function.
    Label,
    /// Where the value of a variable is, as operations.
    Expression,
    /// Several values that an expression uses.
    ArgList,
    /// A global variable together with where its value is.
    GlobalVariableExpression,
    /// A property of Objective-C.
    ObjCProperty,
    /// A name that was imported from another scope.
    ImportedEntity,
    /// The identity of an assignment.
    AssignId,
    /// A specialised node of a kind that is not known here.
    Unknown,
}

impl NodeKind {
    fn row(self) -> &'static KindRow {
        &KINDS[self as usize]
    }

    /// The kind with this name, `DIFile` for example.
    pub fn named(name: &str) -> Self {
        let found = KINDS.iter().find(|row| !row.name.is_empty() && row.name == name);
        found.map_or(Self::Unknown, |row| row.kind)
    }

    /// The name in LLVM IR without `!`; nothing for a tuple and a kind that is not known.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The fields that it can have, in the order in which LLVM prints them.
    pub fn fields(self) -> &'static [FieldRow] {
        self.row().fields
    }

    /// The names of the fields that hold nodes, in the order of LLVM's operands.
    pub fn operands(self) -> &'static [&'static str] {
        self.row().operands
    }

    /// Whether LLVM prints nodes of this kind where they are used, and never gives them a number.
    pub fn is_always_inline(self) -> bool {
        matches!(self, Self::Expression | Self::ArgList)
    }

    /// Whether it is a type.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::BasicType
                | Self::StringType
                | Self::DerivedType
                | Self::CompositeType
                | Self::SubroutineType
        )
    }

    /// Whether it is one of LLVM's class `DIScope`: what variables, types and functions can be in.
    pub fn is_scope(self) -> bool {
        self.is_local_scope()
            || self.is_type()
            || matches!(
                self,
                Self::File | Self::CompileUnit | Self::Namespace | Self::Module | Self::CommonBlock
            )
    }

    /// Whether it is one of LLVM's class `DILocalScope`: what locations can be in.
    pub fn is_local_scope(self) -> bool {
        matches!(self, Self::Subprogram | Self::LexicalBlock | Self::LexicalBlockFile)
    }

    /// Whether it is one of LLVM's class `DINode`: neither a tuple, a location, an expression, nor
    /// a global variable with its expression.
    pub fn is_debug_info_node(self) -> bool {
        !matches!(
            self,
            Self::Tuple
                | Self::Location
                | Self::Expression
                | Self::ArgList
                | Self::GlobalVariableExpression
                | Self::AssignId
                | Self::Macro
                | Self::MacroFile
                | Self::Unknown
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_kinds() {
        for (index, row) in KINDS.iter().enumerate() {
            assert_eq!(row.kind as usize, index, "{}", row.name);
            for operand in row.operands {
                assert!(row.fields.iter().any(|field| field.name == *operand), "{}: {operand}", row.name);
            }
            if !row.name.is_empty() {
                assert_eq!(NodeKind::named(row.name), row.kind);
            }
        }
        assert_eq!(NodeKind::named("DISomething"), NodeKind::Unknown);
    }
}
