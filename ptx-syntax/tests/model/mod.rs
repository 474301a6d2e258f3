//! A small value model of a module: what the strategies make, what the printer lays out, and what
//! the tree must hold.

pub(crate) mod layout;
pub(crate) mod read;

/// A piece of a module.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Top {
    File { index: u64, path: String, stat: Option<(u64, u64)> },
    Pragma(Vec<String>),
    Alias(String, String),
    Variable { space: &'static str, linkage: &'static str, variable: Variable },
    Function(Function),
    Section { name: &'static str, data: Vec<Datum> },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variable {
    pub(crate) align: Option<u64>,
    pub(crate) vector: Option<u8>,
    pub(crate) ty: &'static str,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) init: Option<Init>,
}

/// What follows the name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    One,
    Registers(u32),
    Array(Vec<u64>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Init {
    Integer(i64),
    Single(u32),
    Symbol { name: String, generic: bool, offset: Option<i64> },
    Mask(u64, String),
    List(Vec<Init>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Function {
    pub(crate) kernel: bool,
    pub(crate) linkage: &'static str,
    pub(crate) name: String,
    pub(crate) params: Vec<Variable>,
    pub(crate) directives: Vec<(&'static str, Vec<u64>)>,
    pub(crate) body: Option<Vec<Statement>>,
}

/// File, line and column.
pub(crate) type LocPosition = (u64, u64, u64);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement {
    Loc(LocPosition, Option<(String, u64, LocPosition)>),
    Label(String),
    Instruction {
        guard: Option<(bool, String)>,
        opcode: Vec<&'static str>,
        operands: Vec<Operand>,
    },
    Variable(&'static str, Variable),
    Open,
    Close,
    Pragma(Vec<String>),
    /// After its label.
    Branches(String, Vec<String>),
    /// After its label.
    Prototype {
        label: String,
        returns: usize,
        params: usize,
        noreturn: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Name(String),
    Integer(i64),
    Single(u32),
    Address(String, Option<i64>),
    Vector(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Datum {
    Label(String),
    /// Width in bytes and values.
    Values(u8, Vec<i64>),
    /// Width in bytes, a name and what is added.
    Symbol(u8, String, u32),
    /// Two labels.
    Difference(u8, String, String),
}
