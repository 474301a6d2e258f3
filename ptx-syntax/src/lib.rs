#![doc = include_str!("../README.md")]

pub mod check;
mod error;
pub mod fix;
mod lexer;
mod nodes;
mod number;
mod operand;
mod parser;
mod section;
pub mod section_data;
mod statement;
mod text;
mod types;

pub use error::{SyntaxError, SyntaxErrorKind};
pub use lexer::{Token, TokenKind, Tokens, tokenize};
pub use nodes::{
    AddressSizeDirective, AtDwarf, Body, Declarator, FileDirective, Function, InlinedAt, Item, LocDirective,
    Module, Parameter, Pointer, TargetDirective, Variable, VersionDirective,
};
pub use operand::{Operand, OperandKind, Operands};
pub use parser::{Parsed, parse};
pub use section::{DataItem, DataItems, SectionBlock, Value, ValueKind};
pub use statement::{Instruction, Predicate, Statement};
pub use text::{LineIndex, Name, TextRange};
pub use types::{FunctionKind, Linkage, ScalarType, StateSpace};

/// Most errors that [`parse`] lists; one more says that there were others.
pub const MAX_ERRORS: usize = 65_536;

/// Deepest brackets in the operands of one statement. Blocks may nest to any depth.
pub const MAX_NESTING: u32 = 32;
