//! The names that a module and its functions have, and the numbers that come instead.

use crate::TextRange;
use crate::lexer::{Lexer, Token, TokenKind, without_needless_quotes};
use crate::module::{FunctionItem, GlobalName, ItemKind, Module};
use crate::statement::{StatementKind, Statements};
use std::collections::{HashMap, HashSet};

/// Numbers by the names that they come for: names are without sigil, with quotes where they need
/// them.
pub(super) type Slots<'a> = HashMap<&'a str, u32>;

/// A name that the pass keeps.
pub(super) fn is_kept(name: &str) -> bool {
    name.trim_start_matches('"').starts_with("llvm.dbg")
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers for globals that others cannot see, and that `@llvm.used` does not name.
pub(super) fn global_slots<'a>(module: &Module<'a>) -> Slots<'a> {
    let text = module.text;
    let mut used = HashSet::new();
    for item in module.items() {
        if let ItemKind::Variable(global) = item.kind
            && matches!(sigil_free(text, global.name), "llvm.used" | "llvm.compiler.used")
        {
            let names = Lexer::in_range(text, item.range).filter(|token| token.kind == TokenKind::Global);
            used.extend(names.map(|token| token.name(text)));
        }
    }
    let (mut slots, mut next) = (Slots::new(), 0);
    let mut add = |global: GlobalName, loses_name: bool| {
        let name = sigil_free(text, global.name);
        if is_number(name) || loses_name && global.is_local && !used.contains(name) && !is_kept(name) {
            slots.insert(name, next);
            next += 1;
        }
    };
    let kinds = || module.items().iter().map(|item| item.kind);
    for kind in kinds() {
        if let ItemKind::Variable(global) = kind {
            add(global, true);
        }
    }
    for kind in kinds() {
        if let ItemKind::Alias(global) = kind {
            add(global, false);
        }
    }
    for kind in kinds() {
        if let ItemKind::Function(function) = kind {
            add(function.global, true);
        }
    }
    slots
}

/// A name without its sigil.
pub(super) fn sigil_free(text: &str, name: TextRange) -> &str {
    without_needless_quotes(name.slice(text).get(1..).unwrap_or_default())
}

/// Numbers for the parameters, blocks and results of a function.
pub(super) fn local_slots<'a>(text: &'a str, function: &FunctionItem) -> Slots<'a> {
    let (mut slots, mut next) = (Slots::new(), 0);
    let mut add = |name: Option<&'a str>| {
        if name.is_some_and(is_kept) {
            return;
        }
        if let Some(name) = name {
            slots.insert(name, next);
        }
        next += 1;
    };
    for parameter in parameters(text, function) {
        add(parameter.map(|token| token.name(text)));
    }
    let Some(body) = function.body else { return slots };
    let mut statements = Statements::new(text, body);
    let mut is_first = true;
    while let Some(statement) = statements.next_statement() {
        let is_label = statement.kind == StatementKind::Label;
        if std::mem::take(&mut is_first) && !is_label {
            add(entry_block_number(text, function, body));
        }
        if let Some(label) = statement.tokens.first().filter(|_| is_label) {
            add(Some(label.name(text)));
        } else if let Some(result) = statement.result() {
            add(Some(result.name(text)));
        } else if matches!(statement.opcode(), "call" | "invoke")
            && !gives_nothing(text, statement.operation())
        {
            add(None);
        }
    }
    slots
}

/// The number by which phis and comments name a first block without a label: that of the parameters
/// without names before it. `None` where nothing names it.
fn entry_block_number<'a>(text: &'a str, function: &FunctionItem, body: TextRange) -> Option<&'a str> {
    let is_unnamed = |parameter: &Option<Token>| parameter.is_none_or(|token| is_number(token.name(text)));
    let number = parameters(text, function).into_iter().filter(is_unnamed).count();
    let (body, wanted) = (body.slice(text), format!("%{number}"));
    let is_whole = |at: &usize| !body[at + wanted.len()..].starts_with(|c: char| c.is_ascii_digit());
    let at = body.match_indices(&wanted).map(|(at, _)| at).find(is_whole)?;
    body.get(at + 1..at + wanted.len())
}

/// Whether the result of a call is `void`. That of an unused result has a name in LLVM's texts.
fn gives_nothing(text: &str, call: &[Token]) -> bool {
    let end = call.iter().position(|token| token.is(b'(', text)).unwrap_or(call.len());
    call[..end].iter().any(|token| token.text(text) == "void")
}

/// The names of parameters; none for one without a name.
fn parameters(text: &str, function: &FunctionItem) -> Vec<Option<Token>> {
    let mut parameters = Vec::new();
    let (mut depth, mut tokens, mut last): (i32, usize, Option<Token>) = (0, 0, None);
    let mut is_after_name = false;
    for token in Lexer::in_range(text, function.header) {
        if !is_after_name {
            is_after_name = token.range == function.global.name;
            continue;
        }
        depth += token.nesting(text);
        if depth == 0 || depth == 1 && token.is(b',', text) {
            let is_variadic = last.is_some_and(|last| last.text(text) == "...");
            if tokens > 0 && !is_variadic {
                parameters.push(last.filter(|last| last.kind == TokenKind::Local && tokens > 1));
            }
            if depth == 0 {
                break;
            }
            (tokens, last) = (0, None);
        } else if depth > 1 || !token.is(b'(', text) {
            tokens += 1;
            last = Some(token);
        }
    }
    parameters
}
