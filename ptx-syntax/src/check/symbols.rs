//! The symbols of a module: functions and variables whose declarations must agree.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::calls::{self, Reached};
use super::grammar::next_token;
use super::ptxas_transcript::{Level, Modes, Phase};
use super::rules::RuleId;
use super::sink::Sink;
use crate::alias::Alias;
use crate::function::Function;
use crate::function_kind::FunctionKind;
use crate::linkage::Linkage;
use crate::module::{Item, Module};
use crate::name::Name;
use crate::parameter::Parameter;
use crate::scalar_type::ScalarType;
use crate::state_space::StateSpace;
use crate::text_range::TextRange;
use crate::variable::{Declarator, Variable};

/// Checks the symbols at module scope.
pub(super) fn check(module: &Module<'_>, relocatable: bool, sink: &mut Sink<'_>) {
    let abi = module.version().is_some_and(|version| version.major >= 3);
    let mut symbols = Symbols { abi, known: HashMap::new(), externs: Vec::new(), aliases: HashSet::new() };
    for item in &module.items {
        match item {
            Item::Function(function) => symbols.function(function, sink),
            Item::Variable(variable) => symbols.variables(variable, sink),
            Item::Alias(alias) => symbols.alias(alias, sink),
            _ => {}
        }
    }
    let is_undefined = |symbol: &Symbol<'_, '_>| matches!(symbol, Symbol::Function { defined: false, .. });
    // Only then it matters who calls whom.
    if symbols.known.values().any(is_undefined) {
        symbols.undefined(&calls::order(module), relocatable, sink);
    }
    if !relocatable {
        symbols.extern_variables(sink);
    }
}

/// The facts that ptxas keeps about a name.
#[derive(Debug, Clone, Copy)]
enum Symbol<'m, 'a> {
    Function {
        /// Linkage and `.noreturn` count as first declared.
        first: &'m Function<'a>,
        /// Parameters count as last declared.
        last: &'m Function<'a>,
        defined: bool,
    },
    Variable {
        linkage: Linkage,
        defined: bool,
        shape: VariableType,
    },
}

/// The properties in which all declarations of a variable must agree: type and dimensions, not
/// state space and alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct VariableType {
    ty: ScalarType,
    vector: Option<u8>,
    /// Number of dimensions and of elements; none for `[]`, which agrees with all.
    elements: (usize, Option<u64>),
}

impl VariableType {
    fn of(variable: &Variable<'_>, declarator: &Declarator<'_>) -> Self {
        let dimensions = &declarator.dimensions;
        let elements = match &declarator.initializer {
            Some(list) if dimensions.first() == Some(&0) => Some(list.value().elements().count() as u64),
            _ => {
                dimensions.iter().try_fold(1_u64, |all, &each| all.checked_mul(each)).filter(|&all| all != 0)
            }
        };
        Self { ty: variable.ty, vector: variable.vector, elements: (dimensions.len(), elements) }
    }

    fn agrees(self, later: Self) -> bool {
        let (dimensions, elements) = later.elements;
        let same_elements = elements.is_none() || self.elements.1.is_none() || self.elements.1 == elements;
        (self.ty, self.vector, self.elements.0) == (later.ty, later.vector, dimensions) && same_elements
    }
}

struct Symbols<'m, 'a> {
    /// PTX 3.0 or later.
    abi: bool,
    known: HashMap<&'a str, Symbol<'m, 'a>>,
    /// Variables that are `.extern` where they are declared first.
    externs: Vec<(Name<'a>, StateSpace)>,
    aliases: HashSet<&'a str>,
}

impl<'m, 'a> Symbols<'m, 'a> {
    fn function(&mut self, function: &'m Function<'a>, sink: &mut Sink<'_>) {
        let name = function.name;
        let at = head_end(function, sink.text);
        let is_definition = function.body.is_some();
        let mut first = function;
        let mut defined = false;
        match self.known.get(name.text) {
            _ if name.text.is_empty() => return,
            None => {}
            Some(&Symbol::Function { first: before, last, defined: is_defined }) => {
                (first, defined) = (before, is_defined);
                Redeclaration { name, at, before: before.name.range }
                    .functions(before, last, defined, function, sink);
            }
            Some(&Symbol::Variable { linkage, .. }) => {
                let clash = Redeclaration { name, at, before: name.range };
                clash.inconsistent(
                    format_args!("Inconsistent redefinition of variable '{}'", name.text),
                    sink,
                );
                if linkage == function.linkage {
                    clash.duplicate("function", sink);
                }
                let (level, text) = match (linkage, function.linkage) {
                    (Linkage::Extern, Linkage::Extern) => (Level::Crash, ""),
                    (Linkage::Extern, _) => return,
                    _ => (Level::Fatal, "Inconsistent redefinition of symbol"),
                };
                let text = format_args!("{text} '{}'", name.text);
                sink.ptxas_message_at(RuleId::InconsistentDeclaration, at, level, Modes::ALL, text);
                return;
            }
        }
        if let Some(body) = &function.body
            && first.linkage == Linkage::Extern
        {
            let rule = RuleId::InconsistentDeclaration;
            sink.error(
                rule,
                name.range,
                format_args!("`{}` is declared `.extern`, and defined here", name.text),
            );
            let said = "Function definition conflicts with '.extern' declaration for function";
            sink.ptxas_error(rule, body.close.start, format_args!("{said} '{}'", name.text));
        }
        let symbol = Symbol::Function { first, last: function, defined: defined || is_definition };
        self.known.insert(name.text, symbol);
    }

    fn variables(&mut self, variable: &Variable<'a>, sink: &mut Sink<'_>) {
        for (index, declarator) in variable.declarators.iter().enumerate() {
            let at = name_end(variable, index, sink.text);
            module_scope(variable.space, declarator.name, at, self.abi, sink);
            self.variable(variable, declarator, at, sink);
        }
    }

    fn variable(
        &mut self,
        variable: &Variable<'a>,
        declarator: &Declarator<'a>,
        at: u32,
        sink: &mut Sink<'_>,
    ) {
        let (name, linkage) = (declarator.name, variable.linkage);
        let shape = VariableType::of(variable, declarator);
        let mut defined = linkage != Linkage::Extern;
        let clash = Redeclaration { name, at, before: name.range };
        let (agrees, was_defined, was_extern) = match self.known.get(name.text) {
            None => {
                if !defined {
                    self.externs.push((name, variable.space));
                }
                (true, false, false)
            }
            Some(Symbol::Function { .. }) => (false, true, false),
            Some(&Symbol::Variable { linkage, shape: before, defined }) => {
                (before.agrees(shape), defined, linkage == Linkage::Extern)
            }
        };
        if !agrees {
            let said = format_args!("Inconsistent redefinition of variable '{}'", name.text);
            clash.inconsistent(said, sink);
        }
        if defined && was_defined {
            clash.duplicate("variable", sink);
        } else if was_extern && linkage == Linkage::None {
            let said = format_args!("'.extern' variable '{}' cannot be resolved by a '.static'", name.text);
            clash.inconsistent(said, sink);
        }
        defined |= was_defined;
        if !matches!(self.known.get(name.text), Some(Symbol::Function { .. })) {
            self.known.insert(name.text, Symbol::Variable { linkage, defined, shape });
        }
    }

    fn alias(&mut self, alias: &Alias<'a>, sink: &mut Sink<'_>) {
        let (Some(new), Some(old)) = (alias.alias, alias.aliasee) else { return };
        let at = alias.range.end - 1;
        let mut wrong = |name: Name<'_>, said: fmt::Arguments<'_>| {
            sink.error(RuleId::AliasTarget, name.range, format_args!("{said}"));
            sink.ptxas_error(RuleId::AliasTarget, at, said);
        };
        for name in [new, old] {
            match self.known.get(name.text) {
                None => return wrong(name, format_args!("Unknown symbol '{}'", name.text)),
                Some(Symbol::Function { first, .. }) if first.kind == FunctionKind::Entry => {
                    wrong(name, format_args!("Cannot define alias to entry function '{}'", name.text));
                }
                Some(_) => {}
            }
        }
        if let Some(Symbol::Function { defined: true, first, .. }) = self.known.get(new.text)
            && first.kind == FunctionKind::Func
        {
            wrong(new, format_args!("Illegal redefinition of function '{}' as alias", new.text));
        }
        if let Some(Symbol::Function { first, .. }) = self.known.get(old.text)
            && first.linkage == Linkage::Extern
        {
            wrong(old, format_args!("Function '{}' with .extern scope cannot be aliased", old.text));
        }
        self.aliases.insert(new.text);
    }

    /// Without -c ptxas makes such a variable its own, and needs its size for that. Dynamic shared
    /// memory has none.
    fn extern_variables(&self, sink: &mut Sink<'_>) {
        let rule = RuleId::ExternVariable;
        for &(name, space) in &self.externs {
            let Some(&Symbol::Variable { shape, .. }) = self.known.get(name.text) else { continue };
            let name_text = name.text;
            if shape.elements.1.is_some() {
                let text = format_args!(
                    "Unresolved extern variable '{name_text}' in whole program compilation, ignoring extern qualifier"
                );
                sink.ptxas_message(rule, Phase::Symbols, 1, Level::Warning, Modes::ALL, text);
            } else if space != StateSpace::Shared {
                let message =
                    format_args!("`{name_text}` has no size here, and only with -c may it be elsewhere");
                sink.error(rule, name.range, message);
                let text = format_args!("Unresolved extern variable '{name_text}'");
                sink.ptxas_message(rule, Phase::Symbols, 1, Level::Fatal, Modes::ALL, text);
            }
        }
    }

    /// Reports functions that are not defined in the module, or with -c neither defined nor
    /// `.extern`. ptxas names the first: of those that kernels reach, otherwise of the rest, which
    /// it checks after the variables.
    fn undefined(&self, order: &[Reached<'a>], relocatable: bool, sink: &mut Sink<'_>) {
        let mut said = false;
        for &Reached { name, called, by_kernel } in order {
            let Some(Symbol::Function { first, defined: false, .. }) = self.known.get(name) else {
                continue;
            };
            let is_extern = first.linkage == Linkage::Extern;
            let elsewhere = is_extern && (relocatable || !called || calls::is_built_in(name));
            if elsewhere || self.aliases.contains(name) {
                continue;
            }
            let rule = RuleId::FunctionUndefined;
            let range = first.name.range;
            if is_extern {
                sink.error(
                    rule,
                    range,
                    format_args!("`{name}` is called, and only with -c may it be elsewhere"),
                );
            } else {
                sink.error(
                    rule,
                    range,
                    format_args!("`{name}` is declared without `.extern` and never defined"),
                );
            }
            if !std::mem::replace(&mut said, true) {
                let text = format_args!("Unresolved extern function '{name}'");
                let at = if by_kernel { 0 } else { 2 };
                sink.ptxas_message(rule, Phase::Symbols, at, Level::Fatal, Modes::ALL, text);
            }
        }
    }
}

/// The position at which ptxas knows a declarator's name: the token after it.
pub(super) fn name_end(variable: &Variable<'_>, index: usize, text: &str) -> u32 {
    let end = match variable.declarators.get(index + 1) {
        Some(next) => next.name.range.start,
        None => variable.range.end,
    };
    let name = variable.declarators.get(index).map_or(end, |declarator| declarator.name.range.end);
    next_token(text, name).range.start.min(end)
}

/// Not all state spaces hold variables of the module.
fn module_scope(space: StateSpace, name: Name<'_>, at: u32, abi: bool, sink: &mut Sink<'_>) {
    let said = match space {
        StateSpace::Reg if abi => "Module-scoped variables in .reg state space are not allowed with ABI",
        StateSpace::Local if abi => "Module-scoped variables in .local state space are not allowed with ABI",
        StateSpace::Param => "Parameter variables may not be declared at module scope",
        _ => return,
    };
    let rule = RuleId::ModuleScope;
    sink.error(rule, name.range, format_args!("`{}` can only be declared in a function", name.text));
    sink.ptxas_error(rule, at, format_args!("{said}"));
}

/// The position at which ptxas knows all of a function's head: the `)` of a kernel, otherwise the
/// token after it.
fn head_end(function: &Function<'_>, text: &str) -> u32 {
    let directives = function.directives.range;
    let end = if directives.is_empty() || function.kind == FunctionKind::Entry {
        last_token(function, text)
    } else {
        directives.end
    };
    let is_paren = text.get(..end as usize).is_some_and(|head| head.ends_with(')'));
    if function.kind == FunctionKind::Entry && is_paren {
        return end - 1;
    }
    next_token(text, end).range.start
}

/// Where name and parameters end.
fn last_token(function: &Function<'_>, text: &str) -> u32 {
    let from = function.params.last().map_or(function.name.range.end, |last| last.range.end);
    let close = next_token(text, from);
    match close.range.slice(text) {
        ")" => close.range.end,
        "(" => next_token(text, close.range.end).range.end,
        _ => from,
    }
}

/// A declaration that does not agree with one before it.
struct Redeclaration<'a> {
    name: Name<'a>,
    /// Where ptxas says so.
    at: u32,
    /// The name in the declaration before; that of this one if it is not known.
    before: TextRange,
}

impl Redeclaration<'_> {
    fn functions(
        &self,
        first: &Function<'_>,
        last: &Function<'_>,
        is_defined: bool,
        function: &Function<'_>,
        sink: &mut Sink<'_>,
    ) {
        let name = self.name.text;
        if first.kind != function.kind {
            let said = format_args!("Inconsistent redefinition of '{name}' as entry and function");
            self.inconsistent(said, sink);
        }
        if is_defined {
            self.duplicate("function", sink);
        }
        let same_linkage = first.linkage == function.linkage
            || function.linkage == Linkage::None && first.linkage != Linkage::Extern;
        if !same_linkage || no_return(first) != no_return(function) {
            self.inconsistent(format_args!("Inconsistent redefinition of variable '{name}'"), sink);
        }
        self.parameters(&last.returns, &function.returns, sink);
        self.parameters(&last.params, &function.params, sink);
    }

    fn parameters(&self, before: &[Parameter<'_>], now: &[Parameter<'_>], sink: &mut Sink<'_>) {
        let mut differ = |what: &str| {
            let said = format_args!("Inconsistent prototypes of '{}', {what} differ", self.name.text);
            self.inconsistent(said, sink);
        };
        if before.len() != now.len() {
            differ("number of parameters");
        }
        for (before, now) in before.iter().zip(now) {
            if (before.ty, before.vector, before.array) != (now.ty, now.vector, now.array) {
                differ("parameter types");
            }
            if before.alignment() != now.alignment() {
                differ("parameter alignment");
            }
            if before.space != now.space {
                differ("parameter state space");
            }
        }
    }

    fn inconsistent(&self, said: fmt::Arguments<'_>, sink: &mut Sink<'_>) {
        let rule = RuleId::InconsistentDeclaration;
        let message = format_args!("`{}` is declared otherwise before: {said}", self.name.text);
        if let Some(finding) = sink.find(rule, self.name.range, message)
            && self.before != self.name.range
        {
            finding.related = Some((self.before, "first declared here".into()));
        }
        sink.ptxas_error(rule, self.at, said);
    }

    fn duplicate(&self, kind: &str, sink: &mut Sink<'_>) {
        twice(kind, self.name, self.at, sink);
    }
}

fn no_return(function: &Function<'_>) -> bool {
    function.directives.iter().any(|directive| directive.name.text == ".noreturn")
}

/// Reports a second definition in one scope.
pub(super) fn twice(kind: &str, name: Name<'_>, at: u32, sink: &mut Sink<'_>) {
    let rule = RuleId::DuplicateDefinition;
    sink.error(rule, name.range, format_args!("{kind} `{}` is defined twice", name.text));
    sink.ptxas_error(rule, at, format_args!("Duplicate definition of {kind} '{}'", name.text));
}
