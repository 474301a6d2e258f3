//! Takes declares of variables out.

use super::all::is_intrinsic_declaration;
use super::{Declares, Note};
use crate::module::ItemKind;
use crate::rewrite::Changes;
use crate::statement::{StatementKind, Statements};

pub(super) fn strip(changes: &mut Changes<'_, '_>, declares: Declares, notes: &mut Vec<Note>) {
    let module = changes.graph.module;
    let text = module.text;
    let mut stay = 0;
    for (index, item) in module.items().iter().enumerate() {
        let ItemKind::Function(function) = item.kind else { continue };
        let name = function.global.name.slice(text).trim_start_matches('@').trim_matches('"');
        if declares == Declares::Remove
            && is_intrinsic_declaration(text, &function)
            && name == "llvm.dbg.declare"
        {
            changes.removed_items.insert(index);
        }
        let Some(body) = function.body else { continue };
        let mut statements = Statements::new(text, body);
        while let Some(statement) = statements.next_statement() {
            let is_declare = match statement.kind {
                StatementKind::Record => statement.opcode() == "#dbg_declare",
                _ => statement.debug_intrinsic() == Some("llvm.dbg.declare"),
            };
            match declares {
                Declares::AsLlvm => stay += usize::from(is_declare),
                Declares::Remove if is_declare => changes.remove(statement.with_line()),
                Declares::Remove => {}
            }
        }
    }
    if stay > 0 {
        notes.push(Note::DeclaresStay(stay));
    }
}
