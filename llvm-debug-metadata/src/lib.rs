#![doc = include_str!("../README.md")]

pub mod attachments;
pub mod check;
pub mod debugify;
mod dialect;
mod equal_nodes;
mod error;
pub mod fix;
pub mod lexer;
pub mod limits;
pub mod modes;
pub mod module;
mod module_facts;
mod node;
mod node_kind;
pub mod pass_pipeline;
mod result_type;
mod rewrite;
pub mod statement;
pub mod strip;
mod text_range;
mod type_size;
pub mod value;

pub use dialect::IrDialect;
pub use equal_nodes::equal_nodes;
pub use error::{Error, ErrorKind, Result};
pub use module::Module;
pub use module_facts::ModuleFlag;
pub use node::{Node, Reference};
pub use node_kind::{FieldRow, FieldType, NodeKind};
pub use text_range::TextRange;
pub use type_size::{DataLayout, Types};
