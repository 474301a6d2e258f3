//! What the names of a module stand for.

use std::collections::HashMap;

use crate::nodes::{Function, Item, Module};
use crate::statement::Statement;
use crate::types::StateSpace;

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
