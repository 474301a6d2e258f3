//! Checks the address spaces of variables outside functions.

use super::debug_attachment::is_debug;
use super::expression;
use super::rules::RuleId;
use super::sink::Sink;
use crate::attachments::variable_attachments;
use crate::lexer::{Lexer, TokenKind};
use crate::module::{ItemKind, Module};
use crate::{IrDialect, Node, NodeKind, TextRange};

/// An address space and the DWARF address class of its variables.
struct SpaceRow {
    space: u64,
    name: &'static str,
    class: u64,
}

/// The address spaces that variables outside functions can be in. Those of the generic space are in
/// global memory. Observed: libNVVM 13.0.88.
static SPACES: [SpaceRow; 4] = [
    SpaceRow { space: 0, name: "global", class: 5 },
    SpaceRow { space: 1, name: "global", class: 5 },
    SpaceRow { space: 3, name: "shared", class: 8 },
    SpaceRow { space: 4, name: "constant", class: 4 },
];

/// Checks the address spaces of variables.
pub(super) fn check(module: &Module<'_>, dialect: IrDialect, sink: &mut Sink) {
    for item in module.items() {
        if let ItemKind::Variable(global) = item.kind {
            let name = global.name.slice(module.text).trim_start_matches('@').trim_matches('"');
            if !name.starts_with("llvm.") {
                variable(module, dialect, sink, global.name, item.range);
            }
        }
    }
}

fn variable(module: &Module<'_>, dialect: IrDialect, sink: &mut Sink, name: TextRange, range: TextRange) {
    let text = module.text;
    let shown = name.slice(text);
    let space = address_space(text, range);
    let Some(row) = SPACES.iter().find(|row| row.space == space) else {
        let message =
            format!("{shown} is in address space {space}, which has no address class; expected 0, 1, 3 or 4");
        sink.find(RuleId::AddressSpace, name, "Invalid address space for global variable", message);
        return;
    };
    for attachment in variable_attachments(text, range).iter().filter(|attachment| is_debug(text, attachment))
    {
        let Some(body) = module.reference(attachment.value).and_then(|node| module.body_of(node)) else {
            continue;
        };
        let Ok(node) = Node::read(module, body) else { continue };
        if node.kind() != NodeKind::GlobalVariableExpression {
            continue;
        }
        let Some(field) = node.field("expr") else { continue };
        let read = expression::content(text, field.value, module)
            .and_then(|content| expression::read(text, content, dialect));
        let Some(class) = read.and_then(|read| read.address_class) else { continue };
        if class != row.class {
            let message = format!(
                "the address class of {shown} is {class}, and the variable is in {} memory, expected {}",
                row.name, row.class
            );
            sink.find(RuleId::AddressClass, field.range, "", message);
            sink.relate(name, "the variable");
        }
    }
}

/// The address space of a variable: the number in `addrspace(N)` before its type.
fn address_space(text: &str, range: TextRange) -> u64 {
    let mut tokens = Lexer::in_range(text, range);
    while let Some(token) = tokens.next() {
        match (token.kind, token.text(text)) {
            (TokenKind::Word, "addrspace") => {
                return tokens.nth(1).and_then(|number| number.text(text).parse().ok()).unwrap_or(0);
            }
            (TokenKind::Word, "global" | "constant") => return 0,
            _ => {}
        }
    }
    0
}
