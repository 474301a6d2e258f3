//! Variables and parameters, and where they are at run time.

use alloc::string::String;
use alloc::vec::Vec;

use super::{FileId, Scope, TypeId, UnitId, check_string};
use crate::Error;

/// The handle of a variable in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub(super) u32);

/// A variable or parameter of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source.
    pub name: Vec<u8>,
    /// What declares it.
    pub kind: VariableKind,
    /// The type of the variable.
    pub of: TypeId,
    /// The file that declares it.
    pub file: FileId,
    /// 1-based line of its declaration.
    pub line: u32,
    /// The memory that its address, or the address in its register, counts in.
    pub memory: AddressClass,
    /// Where it is; `None` if it was optimised away.
    pub location: Option<VariableLocation>,
}

/// What declares a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// The source file, outside any function.
    Global(UnitId),
    /// A parameter of a function.
    Parameter(Scope),
    /// A function or block.
    Local(Scope),
}

/// The memory that an address counts in: NVIDIA's values of `DW_AT_address_class`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum AddressClass {
    /// A register of PTX.
    Register = 2,
    /// Constant memory.
    Const = 4,
    /// Global memory.
    Global = 5,
    /// Memory of a thread.
    Local = 6,
    /// Parameters of a kernel.
    Param = 7,
    /// Memory of a block of threads.
    Shared = 8,
    /// Any memory, by a generic address.
    Generic = 12,
}

/// Where a variable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableLocation {
    /// One place, in all of the variable's scope.
    Single(Place),
    /// Places for parts of the code. Elsewhere the variable is nowhere.
    List(Vec<PlaceInRange>),
}

/// A place that holds a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Memory at a symbol of the PTX: of a global variable, or of a function's `__local_depot`.
    Symbol {
        /// The name of the symbol.
        name: String,
        /// Bytes beyond the symbol.
        offset: u64,
    },
    /// A register of PTX, such as `%r5`.
    Register(String),
    /// Memory at the address in a register of PTX.
    AtRegister {
        /// The name of the register.
        name: String,
        /// Bytes beyond the address.
        offset: i64,
    },
}

/// The place that holds a variable in a range of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInRange {
    /// The label of the compiler's before the first instruction.
    pub begin: String,
    /// The label of the compiler's after the last instruction.
    pub end: String,
    /// The place.
    pub place: Place,
}

impl Place {
    /// The number that stands for a register of PTX in DWARF: the bytes of its name, the first one
    /// highest.
    pub(crate) fn register_number(name: &str) -> Result<u64, Error> {
        let bytes = name.as_bytes();
        if !name.starts_with('%') || bytes.len() > 8 || bytes.len() < 2 {
            return Err(Error::RegisterName { name: name.into() });
        }
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Symbol { name, .. } => check_string(name.as_bytes(), "symbol"),
            Self::Register(name) | Self::AtRegister { name, .. } => Self::register_number(name).map(drop),
        }
    }
}

impl Variable {
    pub(super) fn check(&self) -> Result<(), Error> {
        check_string(&self.name, "name")?;
        match &self.location {
            None => Ok(()),
            Some(VariableLocation::Single(place)) => place.check(),
            Some(VariableLocation::List(ranges)) => ranges.iter().try_for_each(|range| range.place.check()),
        }
    }
}
