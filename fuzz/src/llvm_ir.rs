//! Fuzz target: any text as LLVM IR. Its errors lie in it, and what a strip gives is read without
//! an error.

use crate::Target;
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, strip};
use llvm_debug_metadata::{Module, Node, equal_nodes};

/// A module with a node of most kinds that strips look at.
const MODULE: &str = include_str!("seeds/strips.ll");

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    target.run_on_damaged(3_000, &[MODULE.as_bytes().to_vec()]);
}

/// Reads and strips `data` (bytes that are not UTF-8 are replaced).
pub(crate) fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let module = Module::parse(text);
    for error in module.errors() {
        assert!(text.get(error.range.start as usize..error.range.end as usize).is_some(), "{error:?}");
    }
    for definition in module.nodes() {
        if let Err(error) = Node::read(&module, definition.body) {
            assert!(definition.range.contains(error.range), "{error:?}");
        }
    }
    let _ = equal_nodes(&module);
    for pass in STRIP_PASSES {
        for declares in [Declares::AsLlvm, Declares::Remove] {
            match strip(&module, pass, declares) {
                Ok(stripped) => assert_eq!(Module::parse(&stripped.text).errors(), [], "{}", pass.name()),
                Err(error) => assert!(error.range.end as usize <= text.len(), "{error:?}"),
            }
        }
    }
}
