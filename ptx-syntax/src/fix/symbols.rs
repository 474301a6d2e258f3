//! Repairs of names with dots.

use std::collections::HashSet;

use super::data::other_values;
use super::{Edit, FixSelection};
use crate::dotted_names::{DOT, DeclaredNames, dotted_symbol, is_section_name, whole_name};
use crate::error::SyntaxErrorKind;
use crate::lexer::{Token, TokenKind, tokenize};
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::statement::Statement;
use crate::text_range::TextRange;
use crate::value::ValueKind;

/// A name with dots gets the declared name that [`crate::check`] takes it for. Where it is declared
/// with its dots itself, it gets LLVM's form wherever it stands: to the parser `a.b` in an
/// instruction may be a part of a vector.
pub(super) fn mangle(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let mut found = dotted(parsed);
    if found.is_empty() {
        return Vec::new();
    }
    let text = parsed.module.text;
    let names = DeclaredNames::new(&parsed.module);
    let declared: HashSet<&str> =
        found.iter().filter(|&&at| is_declaration(&parsed.module, at)).map(|at| at.slice(text)).collect();
    if !declared.is_empty() {
        found.extend(words_with_dots(text).filter(|at| declared.contains(at.slice(text))));
        found.sort_unstable();
        found.dedup();
    }
    let taken: HashSet<&str> = if declared.is_empty() {
        HashSet::new()
    } else {
        tokenize(text).filter(|t| t.kind == TokenKind::Ident).map(|t| t.range.slice(text)).collect()
    };
    let edits = found.iter().filter_map(|&range| {
        let dotted = range.slice(text);
        // What is declared with its dots is itself, and nothing else that looks like it.
        let name = if declared.contains(dotted) {
            let spelled = dotted.replace('.', DOT);
            (!taken.contains(spelled.as_str())).then_some(spelled)?
        } else {
            names.meant(dotted)?.to_owned()
        };
        Some(Edit::new(range, name))
    });
    edits.collect()
}

/// A name and all that follows it tight with a dot.
fn words_with_dots(text: &str) -> impl Iterator<Item = TextRange> {
    let mut tokens = tokenize(text).peekable();
    std::iter::from_fn(move || {
        loop {
            let Token { kind, mut range } = tokens.next()?;
            if kind != TokenKind::Ident {
                continue;
            }
            while let Some(part) = tokens.next_if(|token| is_part(text, token)) {
                range.end = part.range.end;
            }
            return Some(range);
        }
    })
}

/// Whether a token can be a part of a dotted name after the first: `.x`, `.7`, or `hi` of `.7hi`.
fn is_part(text: &str, token: &Token) -> bool {
    use TokenKind::{DotIdent, Float, Ident, Integer};
    let follows_part = || {
        let before = text.as_bytes().get(token.range.start.wrapping_sub(1) as usize);
        before.is_some_and(u8::is_ascii_digit)
    };
    match token.kind {
        DotIdent => true,
        Float => token.range.slice(text).starts_with('.'),
        Ident | Integer => follows_part(),
        _ => false,
    }
}

/// Names with dots that the parser stumbled over, and those in sections that begin with one,
/// ascending and disjoint.
fn dotted(parsed: &Parsed<'_>) -> Vec<TextRange> {
    let text = parsed.module.text;
    let mut found: Vec<TextRange> = Vec::new();
    for error in &parsed.errors {
        let stumbled = matches!(error.kind, SyntaxErrorKind::Expected { .. });
        let seen = found.last().is_some_and(|last| error.range.start < last.end);
        if stumbled && !seen && error.range.slice(text).starts_with('.') {
            found.extend(dotted_symbol(text, error.range));
        }
    }
    let sections: HashSet<&str> = parsed.module.sections().map(|section| section.name.text).collect();
    let in_sections = parsed.module.sections().flat_map(other_values);
    found.extend(in_sections.filter_map(|value| match value.kind {
        ValueKind::Symbol { name, .. }
            if name.text.starts_with('.') && !is_section_name(name.text) && !sections.contains(name.text) =>
        {
            Some(whole_name(text, name.range))
        }
        _ => None,
    }));
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a place lies in a declaration rather than in an instruction or a section.
fn is_declaration(module: &Module<'_>, at: TextRange) -> bool {
    let after = module.items.partition_point(|item| item.range().start <= at.start);
    match after.checked_sub(1).and_then(|index| module.items.get(index)) {
        Some(Item::Variable(variable)) => at.end <= variable.range.end,
        Some(Item::Function(function)) => match &function.body {
            Some(body) if at.start >= body.open.end => {
                let after = body.statements.partition_point(|statement| statement.range().start <= at.start);
                let statement = after.checked_sub(1).and_then(|index| body.statements.get(index));
                matches!(statement, Some(Statement::Variable(variable)) if at.end <= variable.range.end)
            }
            _ => at.end <= function.range.end,
        },
        _ => false,
    }
}
