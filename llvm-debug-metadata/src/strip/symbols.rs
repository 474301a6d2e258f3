//! Takes names out that are not debug information.

use super::names::{Slots, global_slots, local_slots, sigil_free};
use super::types::{NamedTypes, named_types};
use crate::TextRange;
use crate::lexer::{Lexer, Token, TokenKind, line_end};
use crate::module::{FunctionItem, ItemKind};
use crate::rewrite::{Changes, Replacement};
use crate::statement::{StatementKind, Statements, with_line};
use memchr::memmem;
use std::collections::HashMap;

/// The column at which LLVM writes the comment after a label.
const COMMENT_COLUMN: usize = 50;

/// All new names.
struct Names<'a> {
    text: &'a str,
    globals: Slots<'a>,
    types: NamedTypes<'a>,
    /// Names in functions whose blocks have their address taken.
    functions: HashMap<&'a str, Slots<'a>>,
}

pub(super) fn strip(changes: &mut Changes<'_, '_>) {
    let module = changes.graph.module;
    let text = module.text;
    let mut functions = HashMap::new();
    if memmem::find(text.as_bytes(), b"blockaddress").is_some() {
        for function in module.functions() {
            functions.insert(sigil_free(text, function.global.name), local_slots(text, function));
        }
    }
    let names = Names { text, globals: global_slots(module), types: named_types(module), functions };
    let mut edits = Vec::new();
    for item in module.items() {
        match item.kind {
            ItemKind::Function(function) => names.function(&function, &mut edits),
            ItemKind::Variable(global) | ItemKind::Alias(global) => {
                names.tokens(item.range, &Slots::new(), &mut edits);
                names.comdat(global.name, item.range, &mut edits);
            }
            ItemKind::Type { .. } => names.tokens(item.range, &Slots::new(), &mut edits),
            _ => {}
        }
    }
    if !names.globals.is_empty() || !names.types.slots.is_empty() {
        for node in module.nodes() {
            names.tokens(node.body.range, &Slots::new(), &mut edits);
        }
    }
    for (range, with) in edits {
        let is_same = match &with {
            Replacement::Slot(slot) => range.slice(text).get(1..) == Some(slot.to_string().as_str()),
            Replacement::Text(new) => range.slice(text) == &**new,
            Replacement::Nothing | Replacement::Node(_) | Replacement::Pieces(_) => false,
        };
        if !is_same {
            changes.edit(range, with);
        }
    }
    if !names.types.items.is_sorted() {
        changes.types = names.types.items;
    }
}

impl<'a> Names<'a> {
    /// New names in a part of the text outside functions, or in a line of one.
    fn tokens(&self, range: TextRange, locals: &Slots<'a>, edits: &mut Vec<(TextRange, Replacement)>) {
        // Variables may have millions of tokens: no more than five are kept.
        let mut window = [None; 5];
        let mut lexer = Lexer::in_range(self.text, range);
        window[3] = lexer.next();
        window[4] = lexer.next();
        while let Some(token) = window[3] {
            let slot = match token.kind {
                TokenKind::Global => self.globals.get(token.name(self.text)),
                TokenKind::Local => self.local(&window, locals),
                _ => None,
            };
            if let Some(slot) = slot {
                edits.push((token.range, Replacement::Slot(*slot)));
            }
            window.rotate_left(1);
            window[4] = lexer.next();
        }
    }

    /// The new name of the token in the middle of five, three before it and one after it.
    fn local<'s>(&'s self, window: &[Option<Token>; 5], locals: &'s Slots<'a>) -> Option<&'s u32> {
        let text = self.text;
        let [other, function, before, Some(token), after] = window else { return None };
        let name = token.name(text);
        // `blockaddress(@f, %block)`
        let is_comma = before.is_some_and(|before| before.is(b',', text));
        if is_comma
            && other.is_some_and(|other| other.is(b'(', text))
            && let Some(function) = function.filter(|function| function.kind == TokenKind::Global)
            && let Some(slot) = self.functions.get(function.name(text)).and_then(|slots| slots.get(name))
        {
            return Some(slot);
        }
        let (value, kind) = (locals.get(name), self.types.slots.get(name));
        if !self.types.names.contains(name) {
            return value;
        }
        if value.is_none() || is_type(text, *before, *after) { kind } else { value }
    }

    fn function(&self, function: &FunctionItem, edits: &mut Vec<(TextRange, Replacement)>) {
        let text = self.text;
        let locals = match function.body {
            Some(_) => local_slots(text, function),
            None => Slots::new(),
        };
        self.tokens(function.header, &locals, edits);
        self.comdat(function.global.name, function.header, edits);
        let Some(body) = function.body else { return };
        let mut statements = Statements::new(text, body);
        let mut is_first = true;
        while let Some(statement) = statements.next_statement() {
            let is_entry = std::mem::take(&mut is_first);
            match statement.tokens.first() {
                Some(label) if statement.kind == StatementKind::Label => {
                    edits.extend(self.label(*label, is_entry, &locals));
                }
                _ => self.tokens(statement.range, &locals, edits),
            }
        }
    }

    /// A label with its comment, which names the blocks before it. That of the first block goes.
    fn label(&self, label: Token, is_entry: bool, locals: &Slots<'a>) -> Option<(TextRange, Replacement)> {
        let text = self.text;
        let slot = locals.get(label.name(text))?;
        let end = label.range.end as usize;
        let rest = TextRange::new(end, line_end(text, end));
        let comment = rest.slice(text).trim();
        // An instruction may follow on the same line.
        let is_alone = comment.is_empty() || comment.starts_with(';');
        let range = if is_alone { label.range.to(rest) } else { label.range };
        if is_entry {
            let range = if is_alone { with_line(text, range) } else { range };
            return Some((range, Replacement::Nothing));
        }
        let mut new = format!("{slot}:");
        if is_alone && !comment.is_empty() {
            let width = COMMENT_COLUMN.max(new.len() + 1);
            new = format!("{new:width$}");
            // The lexer passes over the comment, which names blocks too.
            let words = comment.strip_prefix(';').unwrap_or_default();
            let mut pos = 0;
            new.push(';');
            for token in Lexer::new(words).filter(|token| token.kind == TokenKind::Local) {
                new.push_str(&words[pos..token.range.start as usize]);
                match locals.get(token.name(words)) {
                    Some(slot) => new.extend(["%", &slot.to_string()]),
                    None => new.push_str(token.text(words)),
                }
                pos = token.range.end as usize;
            }
            new.push_str(&words[pos..]);
        }
        Some((range, Replacement::Text(new.into())))
    }

    /// A comdat that has the name that a global loses has to be named.
    fn comdat(&self, name: TextRange, range: TextRange, edits: &mut Vec<(TextRange, Replacement)>) {
        let text = self.text;
        let old = sigil_free(text, name);
        if !self.globals.contains_key(old) || memmem::find(range.slice(text).as_bytes(), b"comdat").is_none()
        {
            return;
        }
        let (mut depth, mut last) = (0, None);
        for token in Lexer::in_range(text, range) {
            if let Some(word) = last.filter(|_| depth == 0 && !token.is(b'(', text)) {
                edits.push((word, Replacement::Text(format!("comdat(${old})").into())));
            }
            last = Some(token.range).filter(|range| depth == 0 && range.slice(text) == "comdat");
            depth += token.nesting(text);
        }
        if let Some(word) = last {
            edits.push((word, Replacement::Text(format!("comdat(${old})").into())));
        }
    }
}

/// Whether a name that is both of a type and of a value stands for the type.
fn is_type(text: &str, before: Option<Token>, after: Option<Token>) -> bool {
    let goes_on = after.is_some_and(|after| {
        matches!(after.kind, TokenKind::Local | TokenKind::Global) || after.is(b'*', text)
    });
    let word = before.filter(|before| before.kind == TokenKind::Word).map(|before| before.text(text));
    goes_on || word.is_some_and(|word| matches!(word, "x" | "getelementptr" | "inbounds" | "alloca" | "load"))
}
