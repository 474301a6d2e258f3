//! Types of the source (DWARF 2.0.0 §5).

use alloc::vec::Vec;

use super::check_string;
use crate::Error;

/// The handle of a type in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub(super) u32);

impl TypeId {
    /// The 0-based number of the type.
    pub(crate) const fn index(self) -> u32 {
        self.0
    }
}

/// A type of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// A type that the language has, such as `int`.
    Base {
        /// The name of the type.
        name: Vec<u8>,
        /// How its bytes are read, `DW_ATE_*`.
        encoding: u8,
        /// Size in bytes.
        byte_size: u8,
    },
    /// A pointer to a type; `None` is `void`.
    Pointer(Option<TypeId>),
    /// A reference to a type.
    Reference(TypeId),
    /// A type whose values do not change; `None` is `void`.
    Const(Option<TypeId>),
    /// Another name of a type.
    Typedef {
        /// The other name.
        name: Vec<u8>,
        /// The type.
        of: TypeId,
    },
    /// An array.
    Array {
        /// The type of its elements.
        element: TypeId,
        /// The type that its elements are counted in.
        index: TypeId,
        /// The count of elements in each dimension, the outermost first; `None` is unknown.
        counts: Vec<Option<u64>>,
    },
    /// A structure, union or class.
    Record {
        /// Which of them.
        kind: RecordKind,
        /// The name of the type; empty if it has none.
        name: Vec<u8>,
        /// Size in bytes.
        byte_size: u64,
        /// The parts, in the order of the source.
        members: Vec<Member>,
    },
    /// An enumeration.
    Enumeration {
        /// The name of the type; empty if it has none.
        name: Vec<u8>,
        /// Size in bytes.
        byte_size: u8,
        /// Names and their values.
        enumerators: Vec<Enumerator>,
    },
}

/// Which kind of type with members it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// `struct`.
    Structure,
    /// `union`.
    Union,
    /// `class`.
    Class,
}

/// A part of a structure, union or class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name of the part.
    pub name: Vec<u8>,
    /// The type of the part.
    pub of: TypeId,
    /// Bytes from the start of the whole.
    pub offset: u64,
}

/// A name in an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumerator {
    /// The name.
    pub name: Vec<u8>,
    /// Its value.
    pub value: i64,
}

impl Type {
    /// Refuses names that no section can hold.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Base { name, .. } | Self::Typedef { name, .. } => check_string(name, "name"),
            Self::Record { name, members, .. } => {
                check_string(name, "name")?;
                members.iter().try_for_each(|member| check_string(&member.name, "name"))
            }
            Self::Enumeration { name, enumerators, .. } => {
                check_string(name, "name")?;
                enumerators.iter().try_for_each(|enumerator| check_string(&enumerator.name, "name"))
            }
            Self::Pointer(_) | Self::Reference(_) | Self::Const(_) | Self::Array { .. } => Ok(()),
        }
    }

    /// The types that this one is made of.
    pub(super) fn parts(&self) -> Vec<TypeId> {
        match self {
            Self::Base { .. } | Self::Enumeration { .. } => Vec::new(),
            Self::Pointer(of) | Self::Const(of) => of.iter().copied().collect(),
            Self::Reference(of) | Self::Typedef { of, .. } => Vec::from([*of]),
            Self::Array { element, index, .. } => Vec::from([*element, *index]),
            Self::Record { members, .. } => members.iter().map(|member| member.of).collect(),
        }
    }
}
