//! What a module says of its debug information as a whole.

use crate::module::{Module, NodeBody};
use crate::node::Reference;
use crate::value::{Fields, Value};

/// A flag of a module: `!{i32 2, !"Debug Info Version", i32 3}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModuleFlag {
    /// What a linker does where two modules have other values: LLVM's number.
    pub behavior: i128,
    /// The value, if it is a whole number.
    pub value: Option<i128>,
}

impl Module<'_> {
    /// The operands of named metadata; nothing where it is missing.
    pub fn named_nodes(&self, name: &str) -> Vec<Reference> {
        let Some(named) = self.named_metadata(name) else { return Vec::new() };
        let operands = Fields::new(self.text, named.operands);
        operands.filter_map(|operand| self.reference(operand.value)).collect()
    }

    /// The node that a value means.
    pub fn reference(&self, value: Value) -> Option<Reference> {
        match value {
            Value::Number(number) => self.node_id(number).map(Reference::Numbered),
            Value::Inline(body) => Some(Reference::Inline(body)),
            _ => None,
        }
    }

    /// The node itself.
    pub fn body_of(&self, reference: Reference) -> Option<NodeBody> {
        match reference {
            Reference::Numbered(id) => self.node(id).map(|node| node.body),
            Reference::Inline(body) => Some(body),
        }
    }

    /// The units of compilation, in the order of `!llvm.dbg.cu`.
    pub fn units(&self) -> Vec<Reference> {
        self.named_nodes("llvm.dbg.cu")
    }

    /// The flag of this name, the first where there are several.
    pub fn flag(&self, name: &str) -> Option<ModuleFlag> {
        let bodies = self.named_nodes("llvm.module.flags").into_iter();
        bodies.filter_map(|flag| self.body_of(flag)).find_map(|body| {
            let fields: Vec<Value> = Fields::new(self.text, body.content).map(|field| field.value).collect();
            match fields[..] {
                [behavior, Value::Text(text), value] if text.slice(self.text) == name => {
                    Some(ModuleFlag { behavior: self.integer(behavior)?, value: self.integer(value) })
                }
                _ => None,
            }
        })
    }

    /// The numbers of `!nvvmir.version`: of NVVM IR, then of its debug information; nothing where
    /// it is missing.
    pub fn nvvm_ir_version(&self) -> Vec<i128> {
        let first = self.named_nodes("nvvmir.version").first().copied();
        let Some(body) = first.and_then(|reference| self.body_of(reference)) else { return Vec::new() };
        Fields::new(self.text, body.content).filter_map(|field| self.integer(field.value)).collect()
    }

    /// A whole number with its type, `i32 3`.
    pub(crate) fn integer(&self, value: Value) -> Option<i128> {
        let Value::Other(range) = value else { return None };
        range.slice(self.text).split_once(' ').and_then(|(_, number)| number.trim().parse().ok())
    }
}
