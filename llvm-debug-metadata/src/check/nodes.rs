//! Checks one node, as LLVM's verifier does: it says the first fault of a node only.

use super::expected_node::ExpectedNode;
use super::fault::Fault;
use super::fragments;
use super::reference_rows::{REFERENCES, ReferenceRow};
use super::rules::RuleId;
use super::subprogram::{has_flag, is_definition};
use super::verifier::Verifier;
use super::{expression, words};
use crate::module::NodeBody;
use crate::value::{Field, Fields, Value};
use crate::{IrDialect, Node, NodeKind};

/// The first fault of a node, if it has one.
pub(super) fn fault(verifier: &mut Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let rows = REFERENCES.iter().filter(|row| row.kind == node.kind());
    let (of_class, others): (Vec<&ReferenceRow>, Vec<&ReferenceRow>) = rows.partition(|row| row.is_of_class);
    if let Some(fault) = of_class.into_iter().find_map(|row| reference(verifier, node, row)) {
        verifier.report(&fault);
    }
    if let Some(allowed) = words::tags(node.kind(), verifier.dialect) {
        let tag = words::tag(node);
        let is_static_member = tag == "DW_TAG_variable" && has_flag(node, "DIFlagStaticMember");
        if !tag.is_empty() && !allowed.contains(&tag) && !is_static_member {
            let range = node.field("tag").map_or(node.body().range, |field| field.range);
            return Some(Fault::value(
                range,
                "invalid tag",
                format!("a {} has no tag {tag}", node.kind().name()),
            ));
        }
    }
    let found = others.into_iter().find_map(|row| reference(verifier, node, row));
    found.or_else(|| contradiction(verifier, node))
}

/// The fault of a field that leads to a node of another kind.
fn reference(verifier: &Verifier<'_, '_, '_>, node: &Node<'_, '_>, row: &ReferenceRow) -> Option<Fault> {
    let text = verifier.module.text;
    let kind = node.kind().name();
    let field = node.field(row.field);
    let value = field.map_or(Value::Null, |field| field.value);
    let range = field.map_or(node.body().range, |field| field.range);
    let wrong = |range, sentence, message| Some(Fault { rule: RuleId::WrongNode, range, sentence, message });
    let expected = row.expected.words();
    if value == Value::Null {
        if !row.is_required {
            return None;
        }
        return wrong(
            range,
            row.sentence,
            format!("`{}` of this {kind} is missing, expected {expected}", row.field),
        );
    }
    let body = verifier.body(value);
    let Some(body) = body.filter(|body| row.expected.is(body.kind)) else {
        let found = verifier.found(value);
        return wrong(
            range,
            row.sentence,
            format!("`{}` of this {kind} is {found}, expected {expected}", row.field),
        );
    };
    if row.field == "declaration" && node.kind() == NodeKind::Subprogram && verifier.is_definition(value) {
        let message = "`declaration` of this DISubprogram is a definition, expected a declaration".to_owned();
        return wrong(range, row.sentence, message);
    }
    let operands = row.operands?;
    for operand in Fields::new(text, body.content) {
        if operand.value == Value::Null && operands.can_be_null {
            continue;
        }
        let kind_of_operand = verifier.body(operand.value).map(|body| body.kind);
        let is_expected = kind_of_operand.is_some_and(|kind| operands.expected.is(kind))
            && is_right_operand(verifier, operands.expected, &operand);
        if !is_expected {
            let sentence = match (row.field, verifier.dialect) {
                ("retainedNodes", IrDialect::TypedPointers) => {
                    "invalid retained nodes, expected DILocalVariable or DILabel"
                }
                _ => operands.sentence,
            };
            let (found, expected) = (verifier.found(operand.value), operands.expected.words());
            let message = format!("`{}` of a {kind} lists {found}, expected {expected}", row.field);
            return wrong(operand.range, sentence, message);
        }
    }
    None
}

/// Whether an operand of the right kind has the right values too.
fn is_right_operand(verifier: &Verifier<'_, '_, '_>, expected: ExpectedNode, operand: &Field) -> bool {
    let Some(node) = verifier.node(operand.value) else { return false };
    match expected {
        // Only `enums` of a unit lists them.
        ExpectedNode::CompositeType => words::tag(&node) == "DW_TAG_enumeration_type",
        ExpectedNode::RetainedType => !is_definition(&node),
        ExpectedNode::RetainedNode => {
            node.kind() != NodeKind::ImportedEntity || verifier.dialect == IrDialect::OpaquePointers
        }
        _ => true,
    }
}

/// The fault of a location or a block in a declaration, or with a column and no line.
fn scope(verifier: &Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let range = |name: &str| node.field(name).map_or(node.body().range, |field| field.range);
    let scope = node.field("scope").map_or(Value::Null, |field| field.value);
    let subprogram = verifier.node(scope).filter(|scope| scope.kind() == NodeKind::Subprogram);
    if subprogram.is_some_and(|subprogram| !is_definition(&subprogram)) {
        let message = "the scope is the declaration of a function, expected its definition";
        return Some(Fault::value(range("scope"), "scope points into the type hierarchy", message));
    }
    let is_block = node.kind() == NodeKind::LexicalBlock;
    (is_block && node.integer("line") == 0 && node.integer("column") != 0).then(|| {
        let message = "this block has a column and no line";
        Fault::value(range("column"), "cannot have column info without line info", message)
    })
}

/// The fault of bounds that contradict each other.
fn subrange(verifier: &Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let range = |name: &str| node.field(name).map_or(node.body().range, |field| field.range);
    let (count, bound) = (node.field("count"), node.field("upperBound"));
    if let (Some(_), Some(bound)) = (count, bound)
        && verifier.dialect == IrDialect::OpaquePointers
    {
        let message = "this DISubrange has a count and an upper bound";
        return Some(Fault::value(bound.range, "Subrange can have any one of count or upperBound", message));
    }
    (node.integer("count") < -1)
        .then(|| Fault::value(range("count"), "invalid subrange count", "this count is below -1"))
}

/// The fault of values that contradict each other.
fn contradiction(verifier: &mut Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let range = |name: &str| node.field(name).map_or(node.body().range, |field| field.range);
    match node.kind() {
        NodeKind::Location | NodeKind::LexicalBlock | NodeKind::LexicalBlockFile => scope(verifier, node),
        NodeKind::Subrange => subrange(verifier, node),
        NodeKind::DerivedType => (node.integer("dwarfAddressSpace") != 0
            && !matches!(
                words::tag(node),
                "DW_TAG_pointer_type" | "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type"
            ))
        .then(|| {
            let sentence = "DWARF address space only applies to pointer or reference types";
            Fault::value(
                range("dwarfAddressSpace"),
                sentence,
                "this type has `dwarfAddressSpace`, and is neither a pointer nor a reference",
            )
        }),
        NodeKind::CompositeType => composite_type(verifier, node),
        NodeKind::SubroutineType => conflicting_flags(node),
        NodeKind::File => file(node),
        NodeKind::CompileUnit => {
            let file = verifier.node(node.field("file")?.value)?;
            file.text("filename").is_empty().then(|| {
                Fault::value(range("file"), "invalid filename", "the name of this unit's file is empty")
            })
        }
        NodeKind::Subprogram => subprogram(verifier, node),
        NodeKind::Macro => node
            .text("name")
            .is_empty()
            .then(|| Fault::value(node.body().range, "anonymous macro", "this macro has no name")),
        NodeKind::Module => node
            .text("name")
            .is_empty()
            .then(|| Fault::value(node.body().range, "anonymous module", "this module has no name")),
        NodeKind::GlobalVariable => {
            let is_definition = node.field("isDefinition").is_none() || node.boolean("isDefinition");
            (is_definition && node.reference("type").is_none()).then(|| {
                let message = "this variable is a definition and has no type";
                Fault::value(range("type"), "missing global variable type", message)
            })
        }
        NodeKind::LocalVariable => {
            let kind = node.field("type").and_then(|field| verifier.body(field.value)).map(|body| body.kind);
            (kind == Some(NodeKind::SubroutineType) && verifier.dialect == IrDialect::OpaquePointers).then(
                || {
                    Fault::value(
                        range("type"),
                        "invalid type",
                        "the type of this variable is a DISubroutineType",
                    )
                },
            )
        }
        NodeKind::Expression => expression_fault(verifier, node.body()),
        NodeKind::GlobalVariableExpression => fragments::of_global(verifier, node),
        _ => None,
    }
}

/// The fault of an expression that LLVM does not take.
fn expression_fault(verifier: &Verifier<'_, '_, '_>, body: NodeBody) -> Option<Fault> {
    let read = expression::read(verifier.module.text, body.content, verifier.dialect);
    read.is_none().then(|| Fault {
        rule: RuleId::Expression,
        range: body.range,
        sentence: "invalid expression",
        message: "LLVM's verifier rejects this expression".to_owned(),
    })
}

fn conflicting_flags(node: &Node<'_, '_>) -> Option<Fault> {
    const PAIRS: [[&str; 2]; 2] = [
        ["DIFlagLValueReference", "DIFlagRValueReference"],
        ["DIFlagTypePassByValue", "DIFlagTypePassByReference"],
    ];
    let [first, second] = PAIRS.into_iter().find(|pair| pair.iter().all(|flag| has_flag(node, flag)))?;
    let range = node.field("flags").map_or(node.body().range, |field| field.range);
    Some(Fault::value(range, "invalid reference flags", format!("{first} and {second} exclude each other")))
}

/// Fields that only arrays have, with the sentence about another type.
const OF_ARRAYS: [(&str, &str); 4] = [
    ("dataLocation", "dataLocation can only appear in array type"),
    ("associated", "associated can only appear in array type"),
    ("allocated", "allocated can only appear in array type"),
    ("rank", "rank can only appear in array type"),
];

fn composite_type(verifier: &Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let text = verifier.module.text;
    let range = |name: &str| node.field(name).map_or(node.body().range, |field| field.range);
    if let Some(fault) = conflicting_flags(node) {
        return Some(fault);
    }
    let tag = words::tag(node);
    let is_array = tag == "DW_TAG_array_type";
    let elements = node.field("elements").and_then(|field| verifier.body(field.value));
    let elements: Vec<Field> =
        elements.map(|body| Fields::new(text, body.content).collect()).unwrap_or_default();
    if has_flag(node, "DIFlagVector") {
        let kinds: Vec<NodeKind> = elements
            .iter()
            .filter_map(|element| verifier.body(element.value))
            .map(|body| body.kind)
            .collect();
        if kinds != [NodeKind::Subrange] {
            let sentence = "invalid vector, expected one element of type subrange";
            return Some(Fault::value(
                range("elements"),
                sentence,
                "the elements of this vector are not one DISubrange",
            ));
        }
    }
    if tag == "DW_TAG_class_type" || tag == "DW_TAG_union_type" {
        let file = node.field("file").and_then(|field| verifier.node(field.value));
        if verifier.dialect == IrDialect::TypedPointers
            && file.is_none_or(|file| file.text("filename").is_empty())
        {
            let message = "this class or union has no file with a name";
            return Some(Fault::value(range("file"), "class/union requires a filename", message));
        }
    }
    if let Some(field) = node.field("discriminator").filter(|field| field.value != Value::Null) {
        let kind = verifier.body(field.value).map(|body| body.kind);
        if kind != Some(NodeKind::DerivedType) || tag != "DW_TAG_variant_part" {
            let sentence = "discriminator can only appear on variant part";
            return Some(Fault::value(
                field.range,
                sentence,
                "this type has a `discriminator`, and is not a variant part",
            ));
        }
    }
    if verifier.dialect == IrDialect::TypedPointers {
        return None;
    }
    for (name, sentence) in OF_ARRAYS {
        if node.field(name).is_some_and(|field| field.value != Value::Null) && !is_array {
            return Some(Fault::value(
                range(name),
                sentence,
                format!("this type has `{name}`, and is not an array"),
            ));
        }
    }
    if is_array && node.reference("baseType").is_none() {
        let sentence = "array types must have a base type";
        return Some(Fault::value(range("baseType"), sentence, "this array has no `baseType`"));
    }
    elements.iter().find(|element| element.value == Value::Null).map(|element| {
        let sentence = "DISubprogram contains null entry in `elements` field";
        Fault::value(element.range, sentence, "an element of this type is `null`")
    })
}

fn file(node: &Node<'_, '_>) -> Option<Fault> {
    let field = node.field("checksum")?;
    let length = match node.word("checksumkind") {
        "CSK_MD5" => 32,
        "CSK_SHA1" => 40,
        "CSK_SHA256" => 64,
        _ => return None,
    };
    let checksum = node.text("checksum");
    if checksum.is_empty() {
        return None;
    }
    if checksum.len() != length {
        let message = format!("this checksum has {} digits, expected {length}", checksum.len());
        return Some(Fault::value(field.range, "invalid checksum length", message));
    }
    let is_hexadecimal = checksum.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!is_hexadecimal).then(|| {
        Fault::value(field.range, "invalid checksum", "this checksum has other than hexadecimal digits")
    })
}

fn subprogram(verifier: &mut Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let range = |name: &str| node.field(name).map_or(node.body().range, |field| field.range);
    let line = node.integer("line");
    if node.reference("file").is_none() && line != 0 {
        let message = "this subprogram has a line and no file";
        return Some(Fault::value(range("line"), "line specified with no file", message));
    }
    if let Some(fault) = conflicting_flags(node) {
        return Some(fault);
    }
    let unit = node.field("unit").filter(|field| field.value != Value::Null);
    let fault = |rule, range, sentence, message: &str| {
        let message = message.to_owned();
        Some(Fault { rule, range, sentence, message })
    };
    if is_definition(node) {
        let Some(unit) = unit else {
            let message = "this definition of a subprogram has no unit";
            let sentence = "subprogram definitions must have a compile unit";
            return fault(RuleId::Unit, range("unit"), sentence, message);
        };
        let kind = verifier.body(unit.value).map(|body| body.kind);
        if kind != Some(NodeKind::CompileUnit) {
            let message = format!(
                "`unit` of this DISubprogram is {}, expected a DICompileUnit",
                verifier.found(unit.value)
            );
            return fault(RuleId::Unit, unit.range, "invalid unit type", &message);
        }
    } else {
        if let Some(unit) = unit {
            let message = "this declaration of a subprogram has a unit";
            let sentence = "subprogram declarations must not have a compile unit";
            return fault(RuleId::DeclarationUnit, unit.range, sentence, message);
        }
        if let Some(declaration) = node.field("declaration").filter(|field| field.value != Value::Null)
            && verifier.dialect == IrDialect::OpaquePointers
        {
            let message = "this declaration of a subprogram has a declaration";
            let sentence = "subprogram declaration must not have a declaration field";
            return fault(RuleId::DeclarationUnit, declaration.range, sentence, message);
        }
    }
    let thrown = node.field("thrownTypes").filter(|field| field.value != Value::Null);
    if let Some(thrown) = thrown {
        let Some(body) = verifier.body(thrown.value).filter(|body| body.kind == NodeKind::Tuple) else {
            return Some(Fault::value(
                thrown.range,
                "invalid thrown types list",
                "`thrownTypes` is not a tuple",
            ));
        };
        let is_type = |operand: &Field| verifier.body(operand.value).is_some_and(|body| body.kind.is_type());
        if let Some(wrong) = Fields::new(verifier.module.text, body.content).find(|operand| !is_type(operand))
        {
            return Some(Fault::value(
                wrong.range,
                "invalid thrown type",
                "an entry of `thrownTypes` is not a type",
            ));
        }
    }
    (has_flag(node, "DIFlagAllCallsDescribed") && !is_definition(node)).then(|| {
        let sentence = "DIFlagAllCallsDescribed must be attached to a definition";
        Fault::value(range("flags"), sentence, "only a definition describes all its calls")
    })
}
