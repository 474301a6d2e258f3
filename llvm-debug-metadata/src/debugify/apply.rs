//! Adds debug information to a module that has none.

use super::{FunctionScope, function_name, is_passed_over};
use crate::attachments::header_attachments;
use crate::lexer::Token;
use crate::module::{FunctionItem, ItemKind, Module, NodeId};
use crate::rewrite::{Changes, NewNode, NewValue, Piece, Replacement, write};
use crate::statement::{Statement, StatementKind, Statements, with_line};
use crate::type_size::Types;
use crate::{Error, ErrorKind, NodeKind, Result, TextRange};
use std::borrow::Cow;
use std::collections::HashMap;

/// What is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebugifyOptions<'a> {
    /// The name of the module, which becomes that of the source file.
    pub module_name: &'a str,
    /// Whether values get variables; else they have locations only.
    pub has_variables: bool,
    /// The number of functions that get debug information. LLVM 19 has such a limit
    /// (`-debugify-func-limit`) and does not heed it here.
    pub function_limit: u64,
    /// The functions that get debug information.
    pub functions: FunctionScope<'a>,
    /// How variables are written.
    pub form: VariableForm,
}

impl<'a> DebugifyOptions<'a> {
    /// Locations and variables, as records, for all functions.
    pub fn new(module_name: &'a str) -> Self {
        Self {
            module_name,
            has_variables: true,
            function_limit: u64::MAX,
            functions: FunctionScope::Module,
            form: VariableForm::Record,
        }
    }
}

/// How the value of a variable is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableForm {
    /// `#dbg_value(..)`, from LLVM 19 on.
    Record,
    /// A call of `llvm.dbg.value`, as LLVM before 19 and libNVVM below compute_100 read it.
    Intrinsic,
}

/// The declaration of the intrinsic.
const DECLARATION: &str = "\n\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)";

/// A module with made-up debug information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debugified<'a> {
    /// The text; borrowed where the module has debug information and so stays as it is.
    pub text: Cow<'a, str>,
    /// Lines that were given out: one for each instruction.
    pub lines: u64,
    /// Variables that were given out.
    pub variables: u64,
    /// Variables whose values have a scalable type. LLVM 19 aborts at the first one. Here they have
    /// the least size that the type can have.
    pub scalable_variables: u64,
}

/// Adds a line to each instruction and, if wanted, a variable for each value, as LLVM's pass
/// `debugify` does.
///
/// # Errors
///
/// The first one of [`Module::errors`]; [`ErrorKind::UnknownType`] for a value with typed pointers
/// whose type is not known.
pub fn debugify<'a>(module: &Module<'a>, options: DebugifyOptions<'a>) -> Result<Debugified<'a>> {
    if let Some(error) = module.errors().first() {
        return Err(error.clone());
    }
    if module.named_metadata("llvm.dbg.cu").is_some() {
        return Ok(Debugified { text: module.text.into(), lines: 0, variables: 0, scalable_variables: 0 });
    }
    let types = Types::new(module);
    let mut changes = Changes::new(module);
    let fields =
        vec![("filename", NewValue::Quoted(options.module_name)), ("directory", NewValue::Quoted("/"))];
    let file = changes.graph.unique(NewNode { kind: NodeKind::File, is_distinct: false, fields })?;
    let unit = changes.graph.add(NewNode {
        kind: NodeKind::CompileUnit,
        is_distinct: true,
        fields: vec![
            ("language", NewValue::Text("DW_LANG_C")),
            ("file", NewValue::Node(file)),
            ("producer", NewValue::Quoted("debugify")),
            ("isOptimized", NewValue::Text("true")),
            ("runtimeVersion", NewValue::Text("0")),
            ("emissionKind", NewValue::Text("FullDebug")),
        ],
    });
    let none = changes.graph.tuple([])?;
    let fields = vec![("types", NewValue::Node(none))];
    let function_type =
        changes.graph.unique(NewNode { kind: NodeKind::SubroutineType, is_distinct: false, fields })?;
    let mut made = Made {
        types: &types,
        file,
        unit,
        function_type,
        has_variables: options.has_variables,
        form: options.form,
        by_size: HashMap::new(),
        lines: 0,
        variables: 0,
        scalable_variables: 0,
    };
    let mut left = options.function_limit;
    let is_in_scope = |function: &&FunctionItem| options.functions.has(module, function);
    for function in module.functions().filter(is_in_scope).filter(|one| !is_passed_over(module, one)) {
        if left == 0 {
            break;
        }
        left -= 1;
        made.function(&mut changes, function)?;
    }
    let (lines, variables, scalable_variables) = (made.lines, made.variables, made.scalable_variables);
    if variables > 0 && options.form == VariableForm::Intrinsic {
        declare_intrinsic(&mut changes);
    }
    let counts = [lines, variables].map(|count| count_node(&mut changes, count));
    let [lines_node, variables_node] = counts;
    changes.add_to_named("llvm.dbg.cu", vec![unit]);
    changes.add_to_named("llvm.debugify", vec![lines_node?, variables_node?]);
    add_version_flag(&mut changes)?;
    Ok(Debugified { text: write(changes)?.into(), lines, variables, scalable_variables })
}

/// Declares the intrinsic after the last function, if the module does not.
fn declare_intrinsic(changes: &mut Changes<'_, '_>) {
    let module = changes.graph.module;
    let is_declared = module.functions().any(|one| function_name(module, one) == "llvm.dbg.value");
    let mut functions = module.items().iter().filter(|item| matches!(item.kind, ItemKind::Function(_)));
    if let Some(last) = functions.next_back().filter(|_| !is_declared) {
        let at = TextRange { start: last.range.end, end: last.range.end };
        changes.edit(at, Replacement::Pieces([Piece::Text(DECLARATION.into())].into()));
    }
}

/// `!{i32 7}`.
fn count_node(changes: &mut Changes<'_, '_>, count: u64) -> Result<NodeId> {
    changes.graph.tuple([NewValue::Typed("i32", count)])
}

/// Says which version the debug information has, if the module does not.
fn add_version_flag(changes: &mut Changes<'_, '_>) -> Result<()> {
    const NAME: &str = "Debug Info Version";
    let module = changes.graph.module;
    if module.flag(NAME).is_some() {
        return Ok(());
    }
    let flag = [NewValue::Text("i32 2"), NewValue::Text("!\"Debug Info Version\""), NewValue::Text("i32 3")];
    let flag = changes.graph.tuple(flag)?;
    changes.add_to_named("llvm.module.flags", vec![flag]);
    Ok(())
}

/// What was made up so far.
struct Made<'t, 'm, 'a> {
    types: &'t Types<'m, 'a>,
    file: NodeId,
    unit: NodeId,
    function_type: NodeId,
    has_variables: bool,
    form: VariableForm,
    /// Types by their size in bits.
    by_size: HashMap<u64, NodeId>,
    lines: u64,
    variables: u64,
    scalable_variables: u64,
}

/// A value that a variable has.
struct NewVariable<'v> {
    name: &'v str,
    value_type: &'v str,
    line: u64,
    location: NodeId,
}

impl<'a> Made<'_, '_, 'a> {
    fn function(&mut self, changes: &mut Changes<'_, 'a>, function: &FunctionItem) -> Result<()> {
        let module = changes.graph.module;
        let text = module.text;
        let Some(body) = function.body else { return Ok(()) };
        let subprogram = self.subprogram(changes, function);
        let at = header_attachments(text, function.header)
            .first()
            .map_or(function.header.end, |one| one.range.start);
        attach(changes, at, " !dbg ", subprogram);
        let mut variables = Vec::new();
        let mut block = Block::default();
        let mut first_terminator: Option<LastInstruction> = None;
        let mut statements = Statements::new(text, body);
        while let Some(statement) = statements.next_statement() {
            if statement.kind == StatementKind::Label {
                block = Block::default();
                continue;
            }
            if statement.kind == StatementKind::Record {
                continue;
            }
            self.lines += 1;
            let location = self.location(changes, subprogram);
            let end = statement.attachments().next().map_or(statement.range.end, |one| one.range.start);
            attach(changes, end, ", !dbg ", location);
            if !self.has_variables || block.is_done {
                continue;
            }
            let opcode = statement.opcode();
            block.see(&statement);
            if opcode != "phi" {
                self.flush(changes, &mut block, subprogram, &mut variables)?;
            }
            if block.is_done {
                if variables.is_empty() && first_terminator.is_none() {
                    first_terminator = Some(LastInstruction {
                        range: statement.range,
                        value: self.value(&statement)?,
                        line: self.lines,
                        location,
                    });
                }
                continue;
            }
            let Some((result, value_type)) = self.value(&statement)? else { continue };
            if opcode == "phi" {
                block.phis.push(Phi { result, value_type, line: self.lines, location });
                block.phis_end = statement.range.end;
            } else {
                let new = NewVariable {
                    name: result.text(text),
                    value_type: &value_type,
                    line: self.lines,
                    location,
                };
                variables.push(self.variable(changes, subprogram, &new, statement.range.end)?);
            }
        }
        if let Some(last) = first_terminator.filter(|_| variables.is_empty()) {
            let value = last.value.as_ref();
            let (name, value_type) =
                value.map_or(("0", "i32"), |(name, value_type)| (name.text(text), value_type));
            let new = NewVariable { name, value_type, line: last.line, location: last.location };
            let at = with_line(text, last.range).start;
            variables.push(self.variable(changes, subprogram, &new, at)?);
        }
        if !variables.is_empty() {
            let retained = changes.graph.tuple(variables.into_iter().map(NewValue::Node))?;
            changes.graph.add_field(subprogram, "retainedNodes", NewValue::Node(retained));
        }
        Ok(())
    }

    /// The name of the value that an instruction gives, and its type.
    fn value(&self, statement: &Statement<'_>) -> Result<Option<(Token, String)>> {
        let Some(result) = statement.result() else { return Ok(None) };
        let unknown = || Error::new(ErrorKind::UnknownType, result.range);
        let value_type = self.types.result(statement).ok_or_else(unknown)?;
        Ok(Some((result, value_type.into_owned())))
    }

    /// A new subprogram for a function, whose first instruction has its line.
    fn subprogram(&self, changes: &mut Changes<'_, 'a>, function: &FunctionItem) -> NodeId {
        let name = NewValue::Quoted(function_name(changes.graph.module, function));
        let flags = if function.global.is_local {
            "DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized"
        } else {
            "DISPFlagDefinition | DISPFlagOptimized"
        };
        let line = NewValue::Integer(self.lines + 1);
        changes.graph.add(NewNode {
            kind: NodeKind::Subprogram,
            is_distinct: true,
            fields: vec![
                ("name", name),
                ("linkageName", name),
                ("scope", NewValue::Null),
                ("file", NewValue::Node(self.file)),
                ("line", line),
                ("type", NewValue::Node(self.function_type)),
                ("scopeLine", line),
                ("spFlags", NewValue::Text(flags)),
                ("unit", NewValue::Node(self.unit)),
            ],
        })
    }

    /// Adds the variables of the phis of a block, which follow the last one.
    fn flush(
        &mut self,
        changes: &mut Changes<'_, 'a>,
        block: &mut Block,
        subprogram: NodeId,
        variables: &mut Vec<NodeId>,
    ) -> Result<()> {
        let text = changes.graph.module.text;
        for phi in std::mem::take(&mut block.phis) {
            let new = NewVariable {
                name: phi.result.text(text),
                value_type: &phi.value_type,
                line: phi.line,
                location: phi.location,
            };
            variables.push(self.variable(changes, subprogram, &new, block.phis_end)?);
        }
        Ok(())
    }

    /// The type of values of a size.
    fn value_type(&mut self, changes: &mut Changes<'_, 'a>, bits: u64) -> Result<NodeId> {
        if let Some(known) = self.by_size.get(&bits) {
            return Ok(*known);
        }
        let mut fields = vec![("name", NewValue::Numbered("ty", bits))];
        fields.extend(Some(("size", NewValue::Integer(bits))).filter(|_| bits > 0));
        fields.push(("encoding", NewValue::Text("DW_ATE_unsigned")));
        let id = changes.graph.unique(NewNode { kind: NodeKind::BasicType, is_distinct: false, fields })?;
        self.by_size.insert(bits, id);
        Ok(id)
    }

    fn location(&self, changes: &mut Changes<'_, 'a>, scope: NodeId) -> NodeId {
        let fields = vec![
            ("line", NewValue::Integer(self.lines)),
            ("column", NewValue::Text("1")),
            ("scope", NewValue::Node(scope)),
        ];
        changes.graph.add(NewNode { kind: NodeKind::Location, is_distinct: false, fields })
    }

    fn variable(
        &mut self,
        changes: &mut Changes<'_, 'a>,
        scope: NodeId,
        new: &NewVariable<'_>,
        at: u32,
    ) -> Result<NodeId> {
        self.variables += 1;
        let is_scalable = new.value_type.contains("vscale x ") || new.value_type.contains("aarch64.svcount");
        self.scalable_variables += u64::from(is_scalable);
        let bits = self.types.allocated_bits(new.value_type);
        let value_type = self.value_type(changes, bits)?;
        let variable = changes.graph.add(NewNode {
            kind: NodeKind::LocalVariable,
            is_distinct: false,
            fields: vec![
                ("name", NewValue::Numbered("", self.variables)),
                ("scope", NewValue::Node(scope)),
                ("file", NewValue::Node(self.file)),
                ("line", NewValue::Integer(new.line)),
                ("type", NewValue::Node(value_type)),
            ],
        });
        let value = format!("{} {}, ", new.value_type, new.name);
        let [before, between, end] = match self.form {
            VariableForm::Record => ["\n    #dbg_value(", ", !DIExpression(), ", ")"],
            VariableForm::Intrinsic => {
                ["\n  tail call void @llvm.dbg.value(metadata ", ", metadata !DIExpression()), !dbg ", ""]
            }
        };
        let word = if self.form == VariableForm::Intrinsic { "metadata " } else { "" };
        let pieces = [
            Piece::Text(format!("{before}{value}{word}").into()),
            Piece::Node(variable),
            Piece::Text(between.into()),
            Piece::Node(new.location),
            Piece::Text(end.into()),
        ];
        changes.edit(TextRange { start: at, end: at }, Replacement::Pieces(pieces.into()));
        Ok(variable)
    }
}

fn attach(changes: &mut Changes<'_, '_>, at: u32, before: &str, node: NodeId) {
    let pieces = [Piece::Text(before.into()), Piece::Node(node)];
    changes.edit(TextRange { start: at, end: at }, Replacement::Pieces(pieces.into()));
}

/// A phi whose variable is not added yet.
struct Phi {
    result: Token,
    value_type: String,
    line: u64,
    location: NodeId,
}

/// The instruction of a block after which no more variables come.
struct LastInstruction {
    range: TextRange,
    /// The name and the type of its value.
    value: Option<(Token, String)>,
    line: u64,
    location: NodeId,
}

/// What was seen of a block.
#[derive(Default)]
struct Block {
    phis: Vec<Phi>,
    phis_end: u32,
    /// Whether no more variables come: after its terminator, a `musttail` call or one of
    /// `llvm.experimental.deoptimize`, and in a block that handles exceptions.
    is_done: bool,
}

impl Block {
    fn see(&mut self, statement: &Statement<'_>) {
        let opcode = statement.opcode();
        let is_pad = matches!(opcode, "landingpad" | "catchpad" | "cleanuppad" | "catchswitch");
        if is_pad {
            self.phis.clear();
        }
        self.is_done |= is_pad || is_terminator(opcode) || opcode == "call" && ends_block(statement);
    }
}

/// Whether only a `ret` of its value may follow a call.
fn ends_block(call: &Statement<'_>) -> bool {
    let is_deoptimize = |name: &str| name.starts_with("@llvm.experimental.deoptimize.");
    call.is_must_tail() || call.callee().is_some_and(is_deoptimize)
}

fn is_terminator(opcode: &str) -> bool {
    matches!(
        opcode,
        "ret"
            | "br"
            | "switch"
            | "indirectbr"
            | "invoke"
            | "callbr"
            | "resume"
            | "catchswitch"
            | "catchret"
            | "cleanupret"
            | "unreachable"
    )
}
