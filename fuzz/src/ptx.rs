//! Fuzz target: any text as PTX. The tokens are the text, and the data of sections becomes bytes.
//!
//! Items and statements ascend and leave only trivia out. Every range lies in the text. Labels and
//! fixups lie in the bytes of their section.

use crate::Target;
use crate::seeds::{files, ptx_constructs};
use ptx_syntax::section_data::assemble;
use ptx_syntax::{
    AtDwarf, AtDwarfKind, InitialValueKind, Instruction, Item, LineIndex, MAX_ERRORS, MAX_NESTING, Name,
    Parsed, SectionBlock, Statement, SyntaxError, SyntaxErrorKind, TextRange, Variable, assemble_at_dwarf,
    parse, tokenize,
};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    target.run_on_damaged(15_000, &files("ptx"));
    target.run_on_damaged(60_000, &ptx_constructs());
}

/// Parses `data` (bytes that are not UTF-8 are replaced) and checks every range in the tree.
pub(crate) fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let parsed = parse(text);
    check_tokens(text, &parsed);
    check_errors(text, &parsed.errors);
    let mut at = 0;
    for item in &parsed.module.items {
        at = follows(at, item.range());
        match item {
            Item::Section(section) => check_section(section, &parsed),
            Item::Pragma(pragma) => check_names(pragma.strings(), pragma.range, text),
            Item::AtDwarf(line) => check_at_dwarf(line, text),
            Item::Variable(variable) => check_variable(variable, text),
            Item::Function(function) => {
                for directive in &function.directives {
                    assert_eq!(directive.name.range.slice(text), directive.name.text);
                    check_names(directive.strings(), directive.range(), text);
                    assert!(directive.integers().count() <= directive.range().len() as usize);
                }
                let mut at = function.range.start;
                for statement in function.body.iter().flat_map(|body| &body.statements) {
                    at = follows(at, statement.range());
                    check_statement(statement, &parsed);
                }
                assert!(at <= function.range.end);
            }
            _ => {}
        }
    }
    assert!(at as usize <= text.len());
    for section in assemble_at_dwarf(&parsed.module) {
        assert!(section.assembled.bytes.len() <= 8 * text.len());
    }
}

/// Asserts that `range` begins at or after `at`, and returns where it ends.
fn follows(at: u32, range: TextRange) -> u32 {
    assert!(at <= range.start && range.start <= range.end, "{range:?} after {at}");
    range.end
}

/// Tokens are the text, and what the parser took for no item is trivia.
fn check_tokens(text: &str, parsed: &Parsed<'_>) {
    let mut printed = String::with_capacity(text.len());
    let mut items = parsed.module.items.iter().map(Item::range).peekable();
    for token in tokenize(text) {
        assert_eq!(token.range.start as usize, printed.len());
        assert!(!token.range.is_empty());
        printed.push_str(token.range.slice(text));
        while items.next_if(|item| item.end <= token.range.start).is_some() {}
        let inside =
            items.peek().is_some_and(|item| item.start <= token.range.start && token.range.end <= item.end);
        assert!(inside || token.kind.is_trivia(), "{token:?} is in no item");
    }
    assert_eq!(printed, text);
}

fn check_errors(text: &str, errors: &[SyntaxError]) {
    assert!(errors.len() <= MAX_ERRORS + 1 && errors.is_sorted_by_key(|error| error.range));
    let lines = LineIndex::new(text);
    for error in errors {
        let TextRange { start, end } = error.range;
        assert!(text.get(start as usize..end as usize).is_some(), "{error:?} cuts a character");
        let (line, column) = lines.line_col(start);
        assert!((1..=lines.line_count()).contains(&line) && column >= 1);
        assert!(!error.to_string().is_empty());
    }
}

fn check_section(section: &SectionBlock<'_>, parsed: &Parsed<'_>) {
    let assembled = assemble(section);
    let size = assembled.bytes.len() as u64;
    assert!(assembled.labels.is_sorted_by_key(|(_, offset)| *offset));
    for (name, offset) in &assembled.labels {
        assert!(*offset <= size);
        assert_eq!(name.range.slice(parsed.module.text), name.text);
    }
    let mut at = 0;
    for fixup in &assembled.fixups {
        assert!(at <= fixup.offset, "{fixup:?} overlaps");
        at = fixup.offset + u64::from(fixup.width);
        assert!(at <= size);
        let (start, end) = (fixup.offset as usize, at as usize);
        assert!(assembled.bytes[start..end].iter().all(|&byte| byte == 0));
    }
    // Each value has a character of its own, and none is wider than 8 bytes.
    assert!(size <= 8 * u64::from(section.range.len()));
    let full = parsed.errors.last().is_some_and(|error| error.kind == SyntaxErrorKind::TooManyErrors);
    for error in &assembled.errors {
        let from = parsed.errors.partition_point(|other| other.range < error.range);
        let mut same_place = parsed.errors[from..].iter().take_while(|other| other.range == error.range);
        assert!(full || same_place.any(|other| other == error), "{error:?} is news to `parse`");
    }
}

fn check_statement(statement: &Statement<'_>, parsed: &Parsed<'_>) {
    match statement {
        Statement::Instruction(instruction) => check_instruction(instruction, parsed.module.text),
        Statement::Section(section) => check_section(section, parsed),
        Statement::Pragma(pragma) => check_names(pragma.strings(), pragma.range, parsed.module.text),
        Statement::BranchTargets(targets) | Statement::CallTargets(targets) => {
            check_names(targets.names(), targets.range, parsed.module.text);
        }
        Statement::Variable(variable) => check_variable(variable, parsed.module.text),
        _ => {}
    }
}

fn check_names<'a>(names: impl Iterator<Item = Name<'a>>, inside: TextRange, text: &str) {
    let mut at = inside.start;
    for name in names {
        at = follows(at, name.range);
        assert_eq!(name.range.slice(text), name.text);
    }
    assert!(at <= inside.end);
}

fn check_at_dwarf(line: &AtDwarf<'_>, text: &str) {
    if let AtDwarfKind::Section { name, flags } = line.kind() {
        check_names([name, flags].into_iter(), line.range, text);
    }
    let mut at = line.range.start;
    for value in line.values() {
        at = follows(at, value.range);
    }
    assert!(at <= line.range.end);
}

fn check_variable(variable: &Variable<'_>, text: &str) {
    if let Some(attributes) = variable.attributes {
        check_names(attributes.names(), attributes.range, text);
        let _ = attributes.unified();
    }
    for initializer in variable.declarators.iter().filter_map(|declarator| declarator.initializer) {
        let mut open = vec![(initializer.value(), 0)];
        while let Some((value, depth)) = open.pop() {
            assert_eq!(value.range.slice(text), value.text);
            assert!(depth <= MAX_NESTING);
            let (InitialValueKind::Symbol(symbol) | InitialValueKind::Mask(_, symbol)) = value.kind else {
                open.extend(value.elements().map(|element| (element, depth + 1)));
                continue;
            };
            check_names([symbol.name].into_iter(), value.range, text);
            assert!(symbol.offset.is_none_or(|offset| offset.range.slice(text) == offset.text));
        }
    }
}

/// The parts that are read on demand lie where they say.
fn check_instruction(instruction: &Instruction<'_>, text: &str) {
    let range = instruction.range;
    assert_eq!(range.slice(text), instruction.text());
    assert_eq!(instruction.opcode.range.slice(text), instruction.opcode.text);
    // Without its `;` the anchor may be what stands in its place.
    let end = if instruction.text().ends_with(';') { range.end } else { text.len() as u32 };
    assert!(range.start <= instruction.line_anchor() && instruction.line_anchor() <= end);
    if let Some(predicate) = instruction.predicate() {
        assert_eq!(predicate.register.range.slice(text), predicate.register.text);
    }
    check_names(instruction.modifiers(), instruction.opcode.range, text);
    for operand in instruction.operands() {
        check_names(operand.names(), operand.range, text);
        let _ = operand.number();
        if let Some(address) = operand.address() {
            assert_eq!(address.base.range.slice(text), address.base.text);
            assert!(address.offset.is_none_or(|offset| offset.range.slice(text) == offset.text));
        }
        assert!(range.start <= operand.range.start && operand.range.end <= range.end);
        assert_eq!(operand.range.slice(text), operand.text);
        for element in operand.elements() {
            assert_eq!(element.range.slice(text), element.text);
        }
    }
}
