//! Tree -> model, by the public interface only.

use ptx_syntax::{
    self as ptx, FunctionKind, InitialSymbol, InitialValue, InitialValueKind, Item, Number, OperandKind,
    Parsed, ValueKind,
};

use super::{Datum, Function, Init, Operand, Shape, Statement, Top, Variable};

pub(crate) fn module(parsed: &Parsed<'_>) -> Vec<Top> {
    let items = parsed.module.items.iter();
    items
        .filter_map(|item| {
            Some(match item {
                Item::Version(_) | Item::Target(_) | Item::AddressSize(_) => return None,
                Item::File(file) => Top::File {
                    index: file.index,
                    path: file.path.to_owned(),
                    stat: file.timestamp.zip(file.size),
                },
                Item::Pragma(pragma) => Top::Pragma(owned(pragma.strings())),
                Item::Alias(alias) => {
                    Top::Alias(alias.alias.unwrap().text.to_owned(), alias.aliasee.unwrap().text.to_owned())
                }
                Item::Variable(all) => Top::Variable {
                    space: all.space.keyword(),
                    linkage: all.linkage.keyword(),
                    variable: variable(all),
                },
                Item::Function(all) => Top::Function(function(all)),
                Item::Section(section) => Top::Section {
                    name: if section.name.text == ".debug_str" { ".debug_str" } else { ".debug_info" },
                    data: data(section),
                },
                other => panic!("{other:?}"),
            })
        })
        .collect()
}

fn owned<'a>(names: impl Iterator<Item = ptx::Name<'a>>) -> Vec<String> {
    names.map(|name| name.text.to_owned()).collect()
}

fn variable(all: &ptx::Variable<'_>) -> Variable {
    let [declarator] = &*all.declarators else { panic!("{all:?}") };
    let shape = match declarator.registers {
        Some(count) => Shape::Registers(count),
        None if declarator.dimensions.is_empty() => Shape::One,
        None => Shape::Array(declarator.dimensions.clone()),
    };
    Variable {
        align: all.align,
        vector: all.vector,
        ty: all.ty.keyword(),
        name: declarator.name.text.to_owned(),
        shape,
        init: declarator.initializer.map(|initializer| init(initializer.value())),
    }
}

fn init(value: InitialValue<'_>) -> Init {
    let symbol = |symbol: InitialSymbol<'_>| Init::Symbol {
        name: symbol.name.text.to_owned(),
        generic: symbol.generic,
        offset: symbol.offset.map(|offset| offset.value().unwrap() as i64),
    };
    match value.kind {
        InitialValueKind::Number(Number::Integer(value)) => Init::Integer(value as i64),
        InitialValueKind::Number(Number::Single(bits)) => Init::Single(bits),
        InitialValueKind::Symbol(name) => symbol(name),
        InitialValueKind::Mask(mask, name) => Init::Mask(mask, name.name.text.to_owned()),
        InitialValueKind::List => Init::List(value.elements().map(init).collect()),
        other => panic!("{other:?}"),
    }
}

fn function(all: &ptx::Function<'_>) -> Function {
    let parameter = |parameter: &ptx::Parameter<'_>| Variable {
        align: parameter.align,
        vector: parameter.vector,
        ty: parameter.ty.keyword(),
        name: parameter.name.unwrap().text.to_owned(),
        shape: parameter.array.map_or(Shape::One, |size| Shape::Array(vec![size])),
        init: None,
    };
    let names = [".maxntid", ".reqntid", ".maxnreg", ".explicitcluster", ".noreturn", ".abi_preserve"];
    let directive = |directive: ptx::FunctionDirective<'_>| {
        let name = names.into_iter().find(|name| *name == directive.name.text).unwrap();
        (name, directive.integers().collect())
    };
    Function {
        kernel: all.kind == FunctionKind::Entry,
        linkage: all.linkage.keyword(),
        name: all.name.text.to_owned(),
        params: all.params.iter().map(parameter).collect(),
        directives: all.directives.iter().map(directive).collect(),
        body: all.body.as_ref().map(|body| body.statements.iter().map(statement).collect()),
    }
}

fn statement(statement: &ptx::Statement<'_>) -> Statement {
    match statement {
        ptx::Statement::Loc(loc) => Statement::Loc(
            (loc.file, loc.line, loc.column),
            loc.inlined_at
                .as_deref()
                .map(|at| (at.function_name.text.to_owned(), at.name_offset, (at.file, at.line, at.column))),
        ),
        ptx::Statement::Label(name) => Statement::Label(name.text.to_owned()),
        ptx::Statement::Instruction(instruction) => Statement::Instruction {
            guard: instruction.predicate().map(|guard| (guard.negated, guard.register.text.to_owned())),
            opcode: std::iter::once(instruction.mnemonic())
                .chain(instruction.modifiers().map(|name| name.text))
                .map(|word| {
                    super::super::OPCODES.iter().copied().flatten().find(|known| **known == word).unwrap()
                })
                .copied()
                .collect(),
            operands: instruction.operands().map(operand).collect(),
        },
        ptx::Statement::Variable(all) => Statement::Variable(all.space.keyword(), variable(all)),
        ptx::Statement::BlockOpen(_) => Statement::Open,
        ptx::Statement::BlockClose(_) => Statement::Close,
        ptx::Statement::Pragma(pragma) => Statement::Pragma(owned(pragma.strings())),
        ptx::Statement::BranchTargets(targets) => {
            Statement::Branches(targets.label.unwrap().text.to_owned(), owned(targets.names()))
        }
        ptx::Statement::CallPrototype(prototype) => Statement::Prototype {
            label: prototype.label.unwrap().text.to_owned(),
            returns: prototype.returns.len(),
            params: prototype.params.len(),
            noreturn: prototype.directives.get(".noreturn").is_some(),
        },
        other => panic!("{other:?}"),
    }
}

fn operand(operand: ptx::Operand<'_>) -> Operand {
    match operand.kind {
        OperandKind::Name => Operand::Name(operand.text.to_owned()),
        OperandKind::Number => match operand.number().unwrap() {
            Number::Integer(value) => Operand::Integer(value as i64),
            Number::Single(bits) => Operand::Single(bits),
            Number::Double(_) => panic!("{operand:?}"),
        },
        OperandKind::Address => {
            let address = operand.address().unwrap();
            let offset = address.offset.map(|offset| offset.value().unwrap() as i64);
            Operand::Address(address.base.text.to_owned(), offset)
        }
        OperandKind::Vector => Operand::Vector(owned(operand.names())),
        _ => panic!("{operand:?}"),
    }
}

fn data(section: &ptx::SectionBlock<'_>) -> Vec<Datum> {
    let mut data = Vec::new();
    for item in section.items() {
        match item {
            ptx::DataItem::Label(name) => data.push(Datum::Label(name.text.to_owned())),
            ptx::DataItem::Directive { width, .. } => data.push(Datum::Values(width, Vec::new())),
            ptx::DataItem::Value(value) => match (value.kind, data.last_mut().unwrap()) {
                (ValueKind::Integer(number), Datum::Values(_, values)) => values.push(number as i64),
                (ValueKind::Symbol { name, addend }, last) => {
                    *last = Datum::Symbol(value.width, name.text.to_owned(), addend);
                }
                (ValueKind::Difference { left, right }, last) => {
                    *last = Datum::Difference(value.width, left.text.to_owned(), right.text.to_owned());
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
    data
}
