//! Fuzz target: any text as PTX, printed by `normalise`. Words, comments, tree and faults stay, and
//! printing again changes nothing.

use crate::Target;
use crate::seeds::{files, ptx_constructs};
use ptx_syntax::print::normalise;
use ptx_syntax::{
    Item, MAX_ERRORS, Parsed, Statement, SyntaxErrorKind, TextRange, TokenKind, parse, tokenize,
};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    target.run_on_damaged(10_000, &files("ptx"));
    target.run_on_damaged(60_000, &ptx_constructs());
}

/// Normalises `data` (bytes that are not UTF-8 are replaced).
pub(crate) fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let before = parse(text);
    let printed = normalise(&before);
    let after = parse(&printed);
    for (first, second) in words(text).into_iter().zip(words(&printed)) {
        assert_eq!(first, second);
    }
    assert_eq!(words(text).len(), words(&printed).len());
    assert_eq!(comments(text), comments(&printed));
    assert!(printed.is_empty() || printed.ends_with('\n'));
    if before.errors.len() <= MAX_ERRORS {
        assert_eq!(faults(&before), faults(&after));
        for (first, second) in shape(&before).into_iter().zip(shape(&after)) {
            assert_eq!(first, second);
        }
        assert_eq!(shape(&before).len(), shape(&after).len());
    }
    let again = normalise(&after);
    for (number, (first, second)) in printed.lines().zip(again.lines()).enumerate() {
        assert_eq!(first, second, "line {} of the layout", number + 1);
    }
    assert_eq!(printed.len(), again.len());
}

/// The words of a text without blanks, comments and line markers.
fn words(text: &str) -> Vec<&str> {
    let kept = tokenize(text).filter(|token| !token.kind.is_trivia());
    kept.map(|token| token.range.slice(text).trim_ascii_end()).collect()
}

/// Comments and markers, sorted: those inside a statement may change places.
fn comments(text: &str) -> Vec<&str> {
    let kept = tokenize(text).filter(|token| token.kind.is_trivia() && token.kind != TokenKind::Whitespace);
    let mut all: Vec<&str> = kept.map(|token| token.range.slice(text).trim_ascii_end()).collect();
    all.sort_unstable();
    all
}

/// What is wrong and with which words.
fn faults<'a>(parsed: &Parsed<'a>) -> Vec<(SyntaxErrorKind, &'a str)> {
    let text = parsed.module.text;
    parsed.errors.iter().map(|error| (error.kind, error.range.slice(text).trim_ascii_end())).collect()
}

/// The kind and words of each item, and of each statement after its function.
fn shape<'a>(parsed: &Parsed<'a>) -> Vec<(&'static str, Vec<&'a str>)> {
    let inside = |range: TextRange| words(range.slice(parsed.module.text));
    let mut shape = Vec::new();
    for item in &parsed.module.items {
        let (kind, body) = match item {
            Item::Version(_) => ("version", None),
            Item::Target(_) => ("target", None),
            Item::AddressSize(_) => ("address size", None),
            Item::File(_) => ("file", None),
            Item::Section(_) => ("section", None),
            Item::IntermediateSources(_) => ("intermediate sources", None),
            Item::AtDwarf(_) => ("@@DWARF", None),
            Item::Variable(_) => ("variable", None),
            Item::Function(function) => ("function", function.body.as_ref()),
            Item::Pragma(_) => ("pragma", None),
            Item::Alias(_) => ("alias", None),
            Item::Unknown(_) => ("unknown", None),
            _ => ("new", None),
        };
        shape.push((kind, inside(item.range())));
        let statements = body.iter().flat_map(|body| &body.statements);
        shape.extend(statements.map(|statement| (statement_kind(statement), inside(statement.range()))));
    }
    shape
}

fn statement_kind(statement: &Statement<'_>) -> &'static str {
    match statement {
        Statement::Loc(_) => "loc",
        Statement::IntermediateLoc(_) => "intermediate loc",
        Statement::Label(_) => "label",
        Statement::Instruction(_) => "instruction",
        Statement::Variable(_) => "variable",
        Statement::BlockOpen(_) => "{",
        Statement::BlockClose(_) => "}",
        Statement::Pragma(_) => "pragma",
        Statement::BranchTargets(_) => "branch targets",
        Statement::CallTargets(_) => "call targets",
        Statement::CallPrototype(_) => "prototype",
        Statement::File(_) => "file",
        Statement::Section(_) => "section",
        Statement::Unknown(_) => "unknown",
        _ => "new",
    }
}
