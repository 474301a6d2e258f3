#![doc = include_str!("../README.md")]

mod at_dwarf;
mod call;
mod call_sites;
pub mod check;
mod declared;
mod directives;
mod dotted;
mod error;
pub mod fix;
mod header;
mod initializer;
pub mod instruction_lines;
mod lexer;
mod limits;
mod loc;
mod merged_sections;
mod mnemonics;
mod nodes;
mod number;
mod operand;
mod parameter;
mod parser;
pub mod print;
mod reserved;
mod section;
pub mod section_data;
pub mod section_order;
mod statement;
mod text;
mod types;
mod variable;
mod words;

pub use at_dwarf::{AtDwarf, AtDwarfKind, AtDwarfValues};
pub use call::Call;
pub use call_sites::{CallSite, CallSites};
pub use directives::{
    Alias, Attributes, CallPrototype, Directives, DirectivesIter, FunctionDirective, Pragma, Targets,
};
pub use error::{SyntaxError, SyntaxErrorKind};
pub use header::{AddressSizeDirective, TargetDirective, VersionDirective};
pub use initializer::{InitialSymbol, InitialValue, InitialValueKind, Initializer};
pub use lexer::{Token, TokenKind, Tokens, tokenize};
pub use limits::{MAX_ERRORS, MAX_NESTING};
pub use loc::{FileDirective, InlinedAt, LocDirective};
pub use merged_sections::{MergedSection, MergedSections};
pub use nodes::{Body, Function, Item, Module};
pub use number::Number;
pub use operand::{Address, Constant, Operand, OperandKind, Operands};
pub use parameter::{Parameter, Pointer};
pub use parser::{Parsed, parse};
pub use section::{DataItem, DataItems, SectionBlock, Value, ValueKind};
pub use statement::{Instruction, Predicate, Statement};
pub use text::{LineCursor, LineIndex, Name, TextRange, raw_byte, raw_byte_as_char};
pub use types::{FunctionKind, Linkage, ScalarType, StateSpace};
pub use variable::{Declarator, Variable};
pub use words::{Integers, Names};
