//! Which functions could be inlined.

use super::debug_attachment::is_debug;
use crate::attachments::header_attachments;
use crate::module::{FunctionItem, Module};
use crate::{IrDialect, TextRange};
use std::collections::HashMap;

/// The functions of a module by their names, and whether the verifier takes each for one that could
/// be inlined with its debug information.
pub(crate) fn inlinable<'m>(module: &'m Module<'_>, dialect: IrDialect) -> HashMap<&'m str, bool> {
    let text = module.text;
    let is_inlinable = |function: &FunctionItem| {
        let attachments = header_attachments(text, function.header);
        let has_subprogram = attachments.iter().any(|attachment| is_debug(text, attachment));
        let before = TextRange { end: function.global.name.start, ..function.header };
        let is_interposable = before
            .slice(text)
            .split_ascii_whitespace()
            .any(|word| matches!(word, "weak" | "linkonce" | "extern_weak" | "common"));
        has_subprogram && (dialect == IrDialect::TypedPointers || function.body.is_some() && !is_interposable)
    };
    let functions = module.functions();
    functions.map(|function| (function.global.name.slice(text), is_inlinable(function))).collect()
}
