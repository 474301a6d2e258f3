//! Repairs of names with dots.

use std::collections::HashSet;

use super::{Edit, FixSelection};
use crate::dotted_names::{DOT, DeclaredNames, dotted_symbol};
use crate::error::SyntaxErrorKind;
use crate::lexer::{Token, TokenKind, tokenize};
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::statement::Statement;
use crate::text_range::TextRange;

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
            while let Some(part) = tokens.next_if(|token| token.kind == TokenKind::DotIdent) {
                range.end = part.range.end;
            }
            return Some(range);
        }
    })
}

/// Names with dots that the parser stumbled over, ascending and disjoint.
fn dotted(parsed: &Parsed<'_>) -> Vec<TextRange> {
    let mut found: Vec<TextRange> = Vec::new();
    for error in &parsed.errors {
        let stumbled = matches!(error.kind, SyntaxErrorKind::Expected { found: TokenKind::DotIdent, .. });
        let seen = found.last().is_some_and(|last| error.range.start < last.end);
        if stumbled && !seen {
            found.extend(dotted_symbol(parsed.module.text, error.range));
        }
    }
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
