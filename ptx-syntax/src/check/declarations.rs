//! Checks of single declarations: sizes, initial values, alignments, attributes, and duplicate
//! names in a scope.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::grammar::next_token;
use super::rules::RuleId;
use super::sink::Sink;
use super::symbols::{name_end, twice};
use crate::function::Function;
use crate::function_kind::FunctionKind;
use crate::lexer::{Lexer, TokenKind};
use crate::linkage::Linkage;
use crate::module::{Item, Module};
use crate::name::Name;
use crate::number::Literal;
use crate::parameter::Parameter;
use crate::state_space::StateSpace;
use crate::statement::Statement;
use crate::text_range::TextRange;
use crate::variable::{Declarator, Variable};

/// Checks the declarations at module scope, of parameters, and in bodies.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink<'_>) {
    for item in &module.items {
        match item {
            Item::Variable(one) => variable(one, sink),
            Item::Function(one) => function(one, sink),
            _ => {}
        }
    }
}

/// A fault of what a declarator declares.
struct Fault {
    rule: RuleId,
    is: fn(&Variable<'_>, &Declarator<'_>) -> bool,
    /// The words of ptxas before and after the name. If there are no second ones, the name is left
    /// out.
    said: (&'static str, Option<&'static str>),
}

const FAULTS: [Fault; 4] = [
    Fault {
        rule: RuleId::IncompleteType,
        is: |variable, one| {
            let sized = one.initializer.is_some() || !one.dimensions.contains(&0);
            variable.linkage != Linkage::Extern && !sized
        },
        said: ("Non-external variable", Some("has incomplete type")),
    },
    Fault {
        rule: RuleId::InitialValue,
        is: |variable, one| {
            use StateSpace as Space;
            let never = matches!(variable.space, Space::Shared | Space::Local | Space::Reg | Space::Param);
            one.initializer.is_some() && never
        },
        said: ("No initial value is allowed for", Some("in this state space")),
    },
    Fault {
        rule: RuleId::InitialValue,
        is: |variable, one| one.initializer.is_some() && variable.linkage == Linkage::Extern,
        said: ("No initial value is allowed for external symbol", Some("")),
    },
    Fault {
        rule: RuleId::CommonSpace,
        is: |variable, _| {
            use StateSpace as Space;
            let plain = matches!(variable.space, Space::Shared | Space::Const | Space::Local);
            variable.linkage == Linkage::Common && plain
        },
        said: (".common variables must be declared in .global space", None),
    },
];

fn variable(variable: &Variable<'_>, sink: &mut Sink<'_>) {
    if variable.align.is_some_and(|align| !align.is_power_of_two()) {
        alignment(variable.range, sink);
    }
    for (index, declarator) in variable.declarators.iter().enumerate() {
        for fault in FAULTS.iter().filter(|fault| (fault.is)(variable, declarator)) {
            let at = name_end(variable, index, sink.text);
            let name = declarator.name;
            let (before, after) = fault.said;
            let said = match after {
                Some(after) => format!("{before} '{}' {after}", name.text).trim_end().to_owned(),
                None => before.to_owned(),
            };
            report(fault.rule, name.range, at, format_args!("{said}"), sink);
        }
    }
}

/// A finding in ptxas' own words.
fn report(rule: RuleId, range: TextRange, at: u32, said: fmt::Arguments<'_>, sink: &mut Sink<'_>) {
    sink.error(rule, range, said);
    sink.ptxas_error(rule, at, said);
}

/// Reports an `.align` of the declaration that is not a power of two.
fn alignment(declaration: TextRange, sink: &mut Sink<'_>) {
    for value in values_of_align(declaration, sink.text) {
        if !Literal::read(value.slice(sink.text)).to_u32().0.is_power_of_two() {
            let said = format_args!("Alignment must be a power of two");
            report(RuleId::Alignment, value, value.start, said, sink);
        }
    }
}

/// The numbers after the `.align` of one declaration.
fn values_of_align(declaration: TextRange, text: &str) -> Vec<TextRange> {
    let mut lexer = Lexer::new(text, declaration.start);
    let mut values = Vec::new();
    let mut after_align = false;
    loop {
        let token = lexer.next_significant();
        match token.kind {
            TokenKind::Integer if after_align => values.push(token.range),
            TokenKind::Ident | TokenKind::Eof => return values,
            _ if token.range.start >= declaration.end => return values,
            _ => {}
        }
        after_align = token.range.slice(text) == ".align";
    }
}

fn function(function: &Function<'_>, sink: &mut Sink<'_>) {
    for parameter in function.returns.iter().chain(&function.params) {
        let pointed = parameter.pointer.and_then(|pointer| pointer.align);
        if [parameter.align, pointed].into_iter().flatten().any(|align| !align.is_power_of_two()) {
            alignment(parameter.range, sink);
        }
        if function.kind == FunctionKind::Func {
            kernel_attributes(parameter, sink);
        }
    }
    directives(function, sink);
    if let Some(body) = &function.body {
        for statement in &body.statements {
            if let Statement::Variable(one) = statement {
                variable(one, sink);
            }
        }
        scope(function, sink);
    }
}

/// `.ptr` and `.hidden` are of kernels only: of `.ptr` ptxas says so at the state space, and again
/// at the alignment.
fn kernel_attributes(parameter: &Parameter<'_>, sink: &mut Sink<'_>) {
    let said = "Illegal placement of kernel parameter attribute";
    if let Some(hidden) = parameter.hidden {
        report(RuleId::PointerAttribute, hidden, hidden.start, format_args!("{said}"), sink);
    }
    let Some(pointer) = parameter.pointer else { return };
    let text = sink.text;
    let mut lexer = Lexer::new(text, parameter.range.start);
    let word = loop {
        let token = lexer.next_significant();
        if token.kind == TokenKind::Eof || token.range.start >= parameter.range.end {
            return;
        }
        if token.range.slice(text) == ".ptr" {
            break token.range;
        }
    };
    let rule = RuleId::PointerAttribute;
    report(rule, word, lexer.next_significant().range.start, format_args!("{said}"), sink);
    let value = values_of_align(TextRange::new(word.start, parameter.range.end), text).first().copied();
    if let Some(value) = value.filter(|_| pointer.align.is_some()) {
        sink.ptxas_error(rule, value.start, format_args!("{said}"));
    }
}

fn directives(function: &Function<'_>, sink: &mut Sink<'_>) {
    if function.directives.range.is_empty() {
        return;
    }
    if !function.returns.is_empty()
        && let Some(found) = function.directives.get(".noreturn")
    {
        let at = next_token(sink.text, found.name.range.end).range.start;
        let said = format_args!("Invalid directive '.noreturn' for function '{}'", function.name.text);
        report(RuleId::NoReturnResult, found.name.range, at, said, sink);
    }
    let threads = |name| function.directives.get(name);
    if let (Some(_), Some(required)) = (threads(".maxntid"), threads(".reqntid")) {
        let at = next_token(sink.text, function.directives.range.end).range.start;
        let said = "Conflicting directives: .maxntid and .reqntid cannot both be specified";
        report(RuleId::ThreadCounts, required.name.range, at, format_args!("{said}"), sink);
    }
}

/// Names of a function so far, each with its block.
#[derive(Default)]
struct Scope<'a> {
    names: HashSet<(u32, &'a str)>,
    /// N of `%r<N>`.
    ranges: HashMap<(u32, &'a str), u32>,
}

impl<'a> Scope<'a> {
    /// Whether the block has the name, before it is added.
    fn has(&mut self, block: u32, name: &'a str) -> bool {
        !self.names.insert((block, name)) || !self.ranges.is_empty() && self.in_range(block, name)
    }

    /// Whether it is one of a register range: `%r7` of `%r<8>`.
    fn in_range(&self, block: u32, name: &str) -> bool {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count().min(10);
        (1..=digits).any(|length| {
            let Some((prefix, number)) = name.split_at_checked(name.len() - length) else { return false };
            let plain = length == 1 || !number.starts_with('0');
            let count = self.ranges.get(&(block, prefix));
            plain && count.is_some_and(|&count| number.parse().is_ok_and(|number: u32| number < count))
        })
    }
}

/// A block has each name once, be it a variable or a label; parameters are in the outermost.
fn scope(function: &Function<'_>, sink: &mut Sink<'_>) {
    let mut scope = Scope::default();
    let parameters = function.returns.iter().chain(&function.params);
    for name in parameters.filter_map(|parameter| parameter.name) {
        if scope.has(0, name.text) {
            twice("variable", name, name.range.start, sink);
        }
    }
    let (mut blocks, mut last) = (vec![0_u32], 0);
    for statement in function.body.iter().flat_map(|body| &body.statements) {
        let block = blocks.last().copied().unwrap_or(0);
        match statement {
            Statement::BlockOpen(_) => {
                last += 1;
                blocks.push(last);
            }
            Statement::BlockClose(_) => drop(blocks.pop()),
            Statement::Label(label) if scope.has(block, label.text) => {
                let at = next_token(sink.text, label.range.end).range.start;
                twice("label", *label, at, sink);
            }
            Statement::Variable(variable) => {
                for (index, declarator) in variable.declarators.iter().enumerate() {
                    let at = name_end(variable, index, sink.text);
                    declared(&mut scope, block, declarator, at, sink);
                }
            }
            _ => {}
        }
    }
}

fn declared<'a>(
    scope: &mut Scope<'a>,
    block: u32,
    declarator: &Declarator<'a>,
    at: u32,
    sink: &mut Sink<'_>,
) {
    let name = declarator.name;
    match declarator.registers {
        Some(count) if scope.ranges.insert((block, name.text), count).is_some() => {
            // ptxas names a range so.
            let text = format!("{}<", name.text);
            twice("variable", Name { text: &text, range: name.range }, at, sink);
        }
        None if scope.has(block, name.text) => twice("variable", name, at, sink),
        _ => {}
    }
}
