//! The meaning of the names of a module.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::function::Function;
use crate::function_kind::FunctionKind;
use crate::linkage::Linkage;
use crate::module::{Item, Module};
use crate::state_space::StateSpace;
use crate::statement::Statement;

/// What a name in the code stands for, if section data can refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    CodeLabel,
    Function,
    /// An `.extern .func` that the module does not define.
    FunctionElsewhere,
    Variable(StateSpace),
    /// A parameter of a kernel.
    Parameter,
    /// A parameter of a function that is not a kernel.
    FunctionParameter,
}

/// The names of a module other than labels of sections.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    known: HashMap<&'a str, Declared>,
    /// Those that stand for several things.
    ambiguous: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    /// What a name stands for: of several things the first label of code, else the one declared
    /// first.
    pub(crate) fn get(&self, name: &str) -> Option<Declared> {
        self.known.get(name).copied()
    }

    /// Whether it stands for several things.
    pub(crate) fn is_ambiguous(&self, name: &str) -> bool {
        self.ambiguous.contains(name)
    }

    /// All names, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, Declared)> {
        self.known.iter().map(|(&name, &what)| (name, what))
    }

    fn add(&mut self, name: &'a str, what: Declared) {
        use Declared::{CodeLabel, Function, FunctionElsewhere};
        match self.known.entry(name) {
            Entry::Vacant(entry) => drop(entry.insert(what)),
            Entry::Occupied(mut entry) => match (*entry.get(), what) {
                (Function, Function | FunctionElsewhere) | (FunctionElsewhere, FunctionElsewhere) => {}
                (FunctionElsewhere, Function) => drop(entry.insert(what)),
                (known, _) => {
                    if what == CodeLabel && known != CodeLabel {
                        entry.insert(what);
                    }
                    self.ambiguous.insert(name);
                }
            },
        }
    }

    fn add_function(&mut self, function: &Function<'a>) {
        let elsewhere = function.linkage == Linkage::Extern && function.body.is_none();
        let what = if elsewhere { Declared::FunctionElsewhere } else { Declared::Function };
        self.add(function.name.text, what);
        let Some(body) = &function.body else { return };
        let parameter_of = match function.kind {
            FunctionKind::Entry => Declared::Parameter,
            FunctionKind::Func => Declared::FunctionParameter,
        };
        for parameter in function.params.iter().chain(&function.returns) {
            if let Some(name) = parameter.name {
                self.add(name.text, parameter_of);
            }
        }
        for statement in &body.statements {
            match statement {
                Statement::Label(label) => self.add(label.text, Declared::CodeLabel),
                Statement::Variable(variable) if variable.space != StateSpace::Reg => {
                    for declarator in &variable.declarators {
                        self.add(declarator.name.text, Declared::Variable(variable.space));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Collects the names of a module other than labels of sections.
pub(crate) fn declared<'a>(module: &Module<'a>) -> Names<'a> {
    let mut names = Names::default();
    for item in &module.items {
        match item {
            Item::Variable(variable) => {
                for declarator in &variable.declarators {
                    // Another declaration stands for the same variable.
                    if !matches!(names.get(declarator.name.text), Some(Declared::Variable(_))) {
                        names.add(declarator.name.text, Declared::Variable(variable.space));
                    }
                }
            }
            Item::Function(function) => names.add_function(function),
            _ => {}
        }
    }
    names
}
