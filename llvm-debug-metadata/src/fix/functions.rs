//! Repairs in functions.

use super::edits::Edits;
use crate::IrDialect;
use crate::attachments::header_attachments;
use crate::check::debug_attachment::is_debug;
use crate::check::inlinable::inlinable;
use crate::module::Module;
use crate::statement::{StatementKind, Statements};
use crate::value::Value;

/// Gives calls that could be inlined and have no location one with line 0.
pub(super) fn call_locations(module: &Module<'_>, edits: &mut Edits<'_>) {
    let inlinable = inlinable(module, IrDialect::of(module));
    for function in module.functions() {
        let Some(body) = function.body else { continue };
        let attachments = header_attachments(module.text, function.header);
        let subprogram = attachments.iter().find(|attachment| is_debug(module.text, attachment));
        let Some(Value::Number(subprogram)) = subprogram.map(|attachment| attachment.value) else { continue };
        let mut location = None;
        let mut statements = Statements::new(module.text, body);
        while let Some(statement) = statements.next_statement() {
            let is_call = statement.kind == StatementKind::Instruction
                && statement.callee().is_some_and(|callee| inlinable.get(callee) == Some(&true))
                && !statement.attachments().any(|attachment| is_debug(module.text, &attachment));
            if !is_call {
                continue;
            }
            let node = format!("!DILocation(line: 0, scope: !{subprogram})");
            let number = match location {
                Some(number) => number,
                None => match edits.add_node(&node) {
                    Some(number) => *location.insert(number),
                    None => return,
                },
            };
            edits.insert(statement.range.end, format!(", !dbg !{number}"));
        }
    }
}
