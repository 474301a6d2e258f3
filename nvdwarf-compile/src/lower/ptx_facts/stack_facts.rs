//! The facts about a function's stack frame in its PTX: its local variables and what its calls
//! need.

use super::{FunctionFacts, InstructionFacts};
use nv_debug_sections::stack_frame::{self, Argument, SizeAndAlignment};
use ptx_syntax::{
    Body, Call, Function, Instruction, Module, Name, OperandKind, Parameter, StateSpace, Statement, Variable,
};
use std::collections::{HashMap, HashSet};

/// The parts of one function's frame that its PTX decides on.
#[derive(Debug, Default)]
pub(crate) struct StackFacts<'a> {
    /// `.local` variables, in text order.
    locals: Vec<(&'a str, SizeAndAlignment)>,
    /// Parameters that arrive in registers and whose address the body takes: they get a place in
    /// the frame.
    parameters: Vec<SizeAndAlignment>,
    /// Calls that need space in the frame.
    calls: Vec<CallFacts>,
}

/// What one call needs.
#[derive(Debug, Clone, Copy)]
struct CallFacts {
    /// PTX line.
    line: u32,
    /// Bytes of the arguments in memory.
    argument_bytes: u64,
    /// A result in memory.
    result: Option<SizeAndAlignment>,
}

impl<'a> StackFacts<'a> {
    /// Each local variable and its offset from the stack pointer. `has_call` tells whether the code
    /// of a PTX line has a call: one that cannot be reached is left out, and needs no space.
    ///
    /// `None` where sizes add up to 2^64 bytes or more.
    pub(crate) fn offsets(&self, has_call: impl Fn(u32) -> bool) -> Option<Vec<(&'a str, u64)>> {
        let calls = || self.calls.iter().filter(|call| has_call(call.line));
        let argument_bytes = calls().map(|call| call.argument_bytes).max().unwrap_or(0);
        let results = calls().filter_map(|call| call.result);
        let results = results.reduce(|one, other| SizeAndAlignment {
            size: one.size.max(other.size),
            alignment: one.alignment.max(other.alignment),
        });
        let locals = self.locals.iter().map(|(_, extent)| *extent);
        let variables: Vec<SizeAndAlignment> =
            results.into_iter().chain(locals).chain(self.parameters.iter().copied()).collect();
        let offsets = stack_frame::variable_offsets(argument_bytes, &variables)?;
        let offsets = offsets.into_iter().skip(usize::from(results.is_some()));
        Some(self.locals.iter().map(|(name, _)| *name).zip(offsets).collect())
    }
}

/// Collects the facts of every function that has local variables.
pub(super) fn collect<'a>(
    module: &Module<'a>,
    functions: &HashMap<&'a str, FunctionFacts>,
    instructions: &[InstructionFacts],
) -> HashMap<&'a str, StackFacts<'a>> {
    let is_local = |statement: &Statement<'_>| matches!(statement, Statement::Variable(variable) if variable.space == StateSpace::Local);
    let mut with_locals = module
        .functions()
        .filter_map(|function| Some((function, function.body.as_ref()?)))
        .filter(|(_, body)| body.statements.iter().any(is_local))
        .peekable();
    if with_locals.peek().is_none() {
        return HashMap::new();
    }
    let signatures: HashMap<&str, Signature<'_, '_>> =
        module.functions().map(|function| (function.name.text, Signature::of_function(function))).collect();
    with_locals
        .filter_map(|(function, body)| {
            let facts = functions.get(function.name.text)?;
            let lines = instructions.get(facts.first_instruction..facts.end_instruction)?;
            let collector = Collector { signatures: &signatures, scopes: Scopes::default() };
            Some((function.name.text, collector.function(function, body, lines)))
        })
        .collect()
}

/// Results and parameters of a function or a `.callprototype`.
#[derive(Debug, Clone, Copy)]
struct Signature<'m, 'a> {
    results: &'m [Parameter<'a>],
    parameters: &'m [Parameter<'a>],
}

impl<'m, 'a> Signature<'m, 'a> {
    fn of_function(function: &'m Function<'a>) -> Self {
        Self { results: &function.returns, parameters: &function.params }
    }

    fn result(&self) -> Option<SizeAndAlignment> {
        self.results.first().map(extent)
    }
}

fn extent(parameter: &Parameter<'_>) -> SizeAndAlignment {
    SizeAndAlignment { size: parameter.size().unwrap_or(0), alignment: parameter.alignment() }
}

/// Whether a parameter takes an argument of any size: `.param .align 8 .b8 p[]`.
fn is_variadic(parameter: &Parameter<'_>) -> bool {
    parameter.array == Some(0)
}

/// What the names of nested blocks stand for: `.param` variables, and labels of `.callprototype`
/// and `.calltargets`.
#[derive(Debug)]
struct Scopes<'m, 'a> {
    names: HashMap<&'a str, Vec<Named<'m, 'a>>>,
    /// The names that each open block declares.
    blocks: Vec<Vec<&'a str>>,
}

impl Default for Scopes<'_, '_> {
    fn default() -> Self {
        Self { names: HashMap::new(), blocks: vec![Vec::new()] }
    }
}

#[derive(Debug, Clone, Copy)]
enum Named<'m, 'a> {
    Argument(SizeAndAlignment),
    Signature(Signature<'m, 'a>),
}

impl<'m, 'a> Scopes<'m, 'a> {
    fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    fn close(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            self.names.get_mut(name).and_then(Vec::pop);
        }
    }

    fn declare(&mut self, name: &'a str, named: Named<'m, 'a>) {
        self.names.entry(name).or_default().push(named);
        if let Some(block) = self.blocks.last_mut() {
            block.push(name);
        }
    }

    fn get(&self, name: &str) -> Option<Named<'m, 'a>> {
        self.names.get(name)?.last().copied()
    }
}

struct Collector<'s, 'm, 'a> {
    signatures: &'s HashMap<&'a str, Signature<'m, 'a>>,
    scopes: Scopes<'m, 'a>,
}

impl<'m, 'a> Collector<'_, 'm, 'a> {
    fn function(
        mut self,
        function: &Function<'a>,
        body: &'m Body<'a>,
        lines: &[InstructionFacts],
    ) -> StackFacts<'a> {
        let mut facts = StackFacts::default();
        let mut with_address = HashSet::new();
        let parameters: HashSet<&str> =
            function.params.iter().filter_map(|one| Some(one.name?.text)).collect();
        let mut lines = lines.iter().map(|instruction| instruction.line);
        for statement in &body.statements {
            match statement {
                Statement::BlockOpen(_) => self.scopes.open(),
                Statement::BlockClose(_) => self.scopes.close(),
                Statement::Variable(variable) => self.variable(variable, &mut facts),
                Statement::CallPrototype(prototype) => {
                    let signature = Signature { results: &prototype.returns, parameters: &prototype.params };
                    self.label(prototype.label, Some(signature));
                }
                Statement::CallTargets(targets) => {
                    let first = targets.names().find_map(|name| self.signatures.get(name.text).copied());
                    self.label(targets.label, first);
                }
                Statement::Instruction(instruction) => {
                    let Some(line) = lines.next() else { continue };
                    if let Some(call) = Call::of(instruction) {
                        facts.calls.extend(self.call(&call, line));
                    } else {
                        with_address.extend(addresses(instruction).filter(|name| parameters.contains(name)));
                    }
                }
                _ => {}
            }
        }
        facts.parameters = parameters_in_frame(function, &with_address);
        facts
    }

    fn variable(&mut self, variable: &Variable<'a>, facts: &mut StackFacts<'a>) {
        for declarator in &variable.declarators {
            let size = variable.size(declarator).unwrap_or(0);
            let extent = SizeAndAlignment { size, alignment: variable.alignment() };
            match variable.space {
                StateSpace::Local => facts.locals.push((declarator.name.text, extent)),
                StateSpace::Param => self.scopes.declare(declarator.name.text, Named::Argument(extent)),
                _ => {}
            }
        }
    }

    fn label(&mut self, label: Option<Name<'a>>, signature: Option<Signature<'m, 'a>>) {
        if let (Some(label), Some(signature)) = (label, signature) {
            self.scopes.declare(label.text, Named::Signature(signature));
        }
    }

    /// `None` for a call that needs no space in the frame.
    fn call(&self, call: &Call<'a>, line: u32) -> Option<CallFacts> {
        let targets = call.targets.and_then(|targets| self.scopes.get(targets.text));
        let signature = match targets {
            Some(Named::Signature(signature)) => signature,
            _ => *self.signatures.get(call.callee.text)?,
        };
        let mut passed = call.arguments.into_iter().flat_map(|arguments| arguments.elements());
        let arguments: Vec<Argument> = signature
            .parameters
            .iter()
            .map(|parameter| {
                let name = passed.next().map_or("", |operand| operand.text);
                let extent = match self.scopes.get(name) {
                    Some(Named::Argument(argument)) if is_variadic(parameter) => argument,
                    _ => extent(parameter),
                };
                Argument { extent, is_variadic: is_variadic(parameter) }
            })
            .collect();
        let result = signature.result();
        let argument_bytes = stack_frame::pass_arguments(&arguments, result)?.memory_bytes;
        let result = result.filter(|result| stack_frame::is_in_memory(*result));
        (argument_bytes > 0 || result.is_some()).then_some(CallFacts { line, argument_bytes, result })
    }
}

/// The names that an instruction uses as numbers: `p` of `mov.u64 %rd1, p+4`, and not of
/// `ld.param.u32 %r1, [p]`.
fn addresses<'a>(instruction: &Instruction<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let operands = instruction.operands();
    let operands =
        operands.filter(|operand| matches!(operand.kind, OperandKind::Name | OperandKind::Expression));
    operands.flat_map(|operand| operand.names().map(|name| name.text))
}

/// The parameters in `with_address` that arrive in registers. Those of a kernel are in constant
/// memory.
fn parameters_in_frame(function: &Function<'_>, with_address: &HashSet<&str>) -> Vec<SizeAndAlignment> {
    if with_address.is_empty() || function.kind == ptx_syntax::FunctionKind::Entry {
        return Vec::new();
    }
    let argument = |parameter: &Parameter<'_>| Argument {
        extent: extent(parameter),
        is_variadic: is_variadic(parameter),
    };
    let arguments: Vec<Argument> = function.params.iter().map(argument).collect();
    let Some(passing) = stack_frame::pass_arguments(&arguments, Signature::of_function(function).result())
    else {
        return Vec::new();
    };
    let parameters = function.params.iter().zip(passing.in_registers);
    parameters
        .filter(|(parameter, in_registers)| {
            *in_registers && parameter.name.is_some_and(|name| with_address.contains(name.text))
        })
        .map(|(parameter, _)| stack_frame::spill_slot(extent(parameter)))
        .collect()
}
