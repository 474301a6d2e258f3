//! What a module declares, and what it declares twice.

use std::collections::{HashMap, HashSet};

use super::grammar::next_token;
use super::rules::RuleId;
use super::sink::Sink;
use crate::nodes::{Body, Function, Item, Module};
use crate::statement::Statement;
use crate::text::Name;
use crate::types::{Linkage, StateSpace};

/// What a name of the code stands for, as far as section data can refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    CodeLabel,
    Function,
    Variable(StateSpace),
    Parameter,
}

/// The names of a module that are no labels of sections.
pub(crate) fn declared<'a>(module: &Module<'a>) -> HashMap<&'a str, Declared> {
    let mut names = HashMap::new();
    for item in &module.items {
        match item {
            Item::Variable(variable) => {
                for declarator in &variable.declarators {
                    names.insert(declarator.name.text, Declared::Variable(variable.space));
                }
            }
            Item::Function(function) => declared_by(function, &mut names),
            _ => {}
        }
    }
    names
}

fn declared_by<'a>(function: &Function<'a>, names: &mut HashMap<&'a str, Declared>) {
    names.insert(function.name.text, Declared::Function);
    for parameter in function.params.iter().chain(&function.returns) {
        if let Some(name) = parameter.name {
            names.insert(name.text, Declared::Parameter);
        }
    }
    for statement in function.body.iter().flat_map(|body| &body.statements) {
        match statement {
            Statement::Label(label) => {
                names.insert(label.text, Declared::CodeLabel);
            }
            Statement::Variable(variable) if variable.space != StateSpace::Reg => {
                for declarator in &variable.declarators {
                    names.insert(declarator.name.text, Declared::Variable(variable.space));
                }
            }
            _ => {}
        }
    }
}

/// Functions, variables at module scope and labels of one block that are defined twice.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink<'_>) {
    let mut functions = Definitions::new("function");
    let mut variables = Definitions::new("variable");
    for item in &module.items {
        match item {
            Item::Function(function) => {
                if let Some(body) = &function.body {
                    functions.define(function.name, function.name.range.start, sink);
                    labels(body, sink);
                }
            }
            Item::Variable(variable) if variable.linkage != Linkage::Extern => {
                for (index, declarator) in variable.declarators.iter().enumerate() {
                    // ptxas reads on to the `,` or `;` first.
                    let end = match variable.declarators.get(index + 1) {
                        Some(next) => next.name.range.start,
                        None => variable.range.end,
                    };
                    let at = next_token(sink.text, declarator.name.range.end).range.start.min(end);
                    variables.define(declarator.name, at, sink);
                }
            }
            _ => {}
        }
    }
}

/// Each block has its own labels.
fn labels(body: &Body<'_>, sink: &mut Sink<'_>) {
    let mut defined = HashSet::new();
    let (mut blocks, mut last) = (vec![0_u32], 0);
    for statement in &body.statements {
        match statement {
            Statement::BlockOpen(_) => {
                last += 1;
                blocks.push(last);
            }
            Statement::BlockClose(_) => drop(blocks.pop()),
            Statement::Label(label) if !defined.insert((blocks.last().copied(), label.text)) => {
                let at = next_token(sink.text, label.range.end).range.start;
                twice("label", *label, at, sink);
            }
            _ => {}
        }
    }
}

/// Names of one kind, each of which may be defined once.
struct Definitions<'a> {
    kind: &'static str,
    defined: HashSet<&'a str>,
}

impl<'a> Definitions<'a> {
    fn new(kind: &'static str) -> Self {
        Self { kind, defined: HashSet::new() }
    }

    fn define(&mut self, name: Name<'a>, at: u32, sink: &mut Sink<'_>) {
        if !self.defined.insert(name.text) {
            twice(self.kind, name, at, sink);
        }
    }
}

fn twice(kind: &str, name: Name<'_>, at: u32, sink: &mut Sink<'_>) {
    let rule = RuleId::DuplicateDefinition;
    sink.error(rule, name.range, format_args!("{kind} `{}` is defined twice", name.text));
    sink.says_error(rule, at, format_args!("Duplicate definition of {kind} '{}'", name.text));
}
