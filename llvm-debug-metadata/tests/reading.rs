//! Every byte of a module is in an item, a node, a blank or a comment, and every node has fields of
//! its kind.

mod support;

use llvm_debug_metadata::lexer::Lexer;
use llvm_debug_metadata::statement::Statements;
use llvm_debug_metadata::{Module, Node, NodeKind, TextRange, equal_nodes};
use std::collections::BTreeSet;
use support::{data, samples};

/// Modules that are there without any tool.
const FILES: [&str; 6] =
    ["odd_names.ll", "names.ll", "loops.ll", "old_dialect.ll", "dead.ll", "split_unit.ll"];

fn check(name: &str, text: &str, kinds: &mut BTreeSet<NodeKind>) {
    let module = Module::parse(text);
    assert_eq!(module.errors(), [], "{name}");
    let mut ranges: Vec<TextRange> = module.items().iter().map(|item| item.range).collect();
    ranges.extend(module.nodes().iter().map(|node| node.range));
    ranges.sort();
    let mut pos = 0;
    for range in ranges {
        let gap = TextRange { start: pos, end: range.start };
        assert_eq!(Lexer::in_range(text, gap).count(), 0, "{name}: {:?}", gap.slice(text));
        pos = range.end;
    }
    assert_eq!(text[pos as usize..].trim(), "", "{name}");
    for function in module.functions() {
        let Some(body) = function.body else { continue };
        let (mut statements, mut tokens) = (Statements::new(text, body), 0);
        while let Some(statement) = statements.next_statement() {
            assert!(body.contains(statement.range), "{name}");
            tokens += statement.tokens.len();
        }
        assert_eq!(tokens, Lexer::in_range(text, body).count(), "{name}");
    }
    for definition in module.nodes() {
        let words = definition.range.slice(text);
        let node =
            Node::read(&module, definition.body).unwrap_or_else(|error| panic!("{name}: {words}: {error}"));
        kinds.insert(node.kind());
        let rows = node.kind().fields();
        let names = node.fields().iter().filter_map(|field| field.name).map(|range| range.slice(text));
        let places = names.map(|name| rows.iter().position(|row| row.name == name));
        assert!(places.is_sorted(), "{name}: the fields are not in the order of their table: {words}");
    }
}

#[test]
fn files_of_the_repository() {
    let mut kinds = BTreeSet::new();
    for name in FILES {
        check(name, &data(name), &mut kinds);
    }
    assert!(kinds.len() >= 13, "{kinds:?}");
}

#[test]
fn what_clang_makes() {
    let Some(samples) = samples() else { return };
    let mut kinds = BTreeSet::new();
    for sample in &samples {
        check(&sample.name, &sample.text, &mut kinds);
    }
    assert!(kinds.len() >= 20, "{kinds:?}");
}

/// One node of each kind as LLVM 19 prints it, and its type of each field.
#[test]
fn every_kind_of_node() {
    let text = data("every_kind.ll");
    let mut kinds = BTreeSet::new();
    check("every_kind.ll", &text, &mut kinds);
    let module = Module::parse(&text);
    let subprogram = module.nodes().iter().find(|node| node.body.kind == NodeKind::Subprogram).unwrap();
    let node = Node::read(&module, subprogram.body).unwrap();
    assert!(node.body().is_distinct);
    assert_eq!((node.text("name"), node.text("linkageName")), ("f", "_Z1fv"));
    assert_eq!((node.integer("line"), node.word("spFlags")), (7, "DISPFlagDefinition | DISPFlagOptimized"));
    assert!(node.reference("unit").is_some() && node.reference("declaration").is_none());
    // Expressions and lists of arguments are in places where they are used.
    assert!(kinds.len() >= 28, "{kinds:?}");
}

#[test]
fn what_a_module_says_of_itself() {
    let text = data("old_dialect.ll");
    let module = Module::parse(&text);
    let flag = module.flag("Debug Info Version").unwrap();
    assert_eq!((flag.behavior, flag.value), (2, Some(3)));
    assert_eq!(module.flag("wchar_size"), None);
    assert_eq!(module.nvvm_ir_version(), [2, 0, 3, 1]);
    let [unit] = module.units()[..] else { panic!("one unit") };
    let unit = Node::read(&module, module.body_of(unit).unwrap()).unwrap();
    assert_eq!((unit.kind(), unit.word("emissionKind")), (NodeKind::CompileUnit, "FullDebug"));
    let file = module.body_of(unit.reference("file").unwrap()).unwrap();
    assert_eq!(Node::read(&module, file).unwrap().text("filename"), "scale.cu");
}

#[test]
fn equal_nodes_are_recognised() {
    let text = "!0 = !{!1, null}\n!1 = !DIFile(filename: \"a\", directory: \"\")\n!2 = !{!1,  null}\n\
                !3 = distinct !{!1, null}\n!4 = !{}\n!9 = !DIFile(filename: \"a\", directory: \"\") ; again\n";
    let module = Module::parse(text);
    let equal = equal_nodes(&module);
    let number = |id| module.node(id).unwrap().number;
    let mut pairs: Vec<(u32, u32)> =
        equal.iter().map(|(node, first)| (number(*node), number(*first))).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [(2, 0), (9, 1)]);
}

#[test]
fn fields_of_the_wrong_kind() {
    let cases = [
        ("!DIFile(name: \"a\")", "name", "DIFile has no field of this name"),
        ("!DIFile(filename: \"a\", filename: \"b\")", "filename", "this field is there twice"),
        ("!DIFile(filename: 7)", "7", "this field is not a string"),
        ("!DILocation(line: \"a\")", "\"a\"", "this field is not a whole number"),
        ("!DILocation(line: 1, scope: 7)", "7", "this field is not a node"),
        ("!DILocation(line: 1, scope: !8)", "!8", "metadata !8 is not defined"),
        ("!DINamespace(exportSymbols: 1)", "1", "this field is not true or false"),
    ];
    for (node, at, message) in cases {
        let text = format!("!0 = {node}\n");
        let module = Module::parse(&text);
        let error = Node::read(&module, module.nodes()[0].body).unwrap_err();
        assert_eq!((error.range.slice(&text), error.to_string().as_str()), (at, message), "{node}");
    }
}
