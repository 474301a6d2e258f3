//! What `debugify` adds and `check-debugify` says, with results that opt-19 printed; those of many
//! modules are compared in `oracle.rs`.

mod support;

use llvm_debug_metadata::debugify::{DebugifyOptions, FunctionScope, VariableForm, check_debugify, debugify};
use llvm_debug_metadata::strip::{Declares, StripPass, strip};
use llvm_debug_metadata::{ErrorKind, Module};
use support::{data, without_names};

/// `opt-19 -S --strip-debug` leaves `!llvm.debugify`, and `debugify` adds to it.
#[test]
fn the_counts_of_an_earlier_run_stay_in_front() {
    let text = data("again.ll");
    let made = debugify(&Module::parse(&text), DebugifyOptions::new("o2.ll")).unwrap();
    assert_eq!(without_names(&made.text), without_names(&data("again.debugify.ll")));
    let checked =
        check_debugify(&Module::parse(&made.text), FunctionScope::Module).unwrap().expect("it is debugified");
    assert_eq!((checked.messages.len(), checked.lines, checked.variables), (0, 2, 1));
}

#[test]
fn a_value_of_another_size_is_told_in_the_words_of_opt() {
    let checked = check_debugify(&Module::parse(&data("other_size.ll")), FunctionScope::Module)
        .unwrap()
        .expect("it is debugified");
    let words: Vec<String> = checked.messages.iter().map(ToString::to_string).collect();
    let expected = [
        "ERROR: dbg.value operand has size 64, but its variable has size 32: #dbg_value(ptr %q, !11, \
         !DIExpression(), !14)",
        "WARNING: Missing variable 2",
    ];
    assert_eq!(words, expected);
    assert!(checked.has_errors());
}

/// Records stop before calls after which only `ret` may come. A block without any other value has
/// one for that call, before it.
#[test]
fn records_stop_before_calls_that_end_a_block() {
    for name in ["last_calls", "target_types"] {
        let text = data(&format!("{name}.ll"));
        let module_name = format!("{name}.ll");
        let made = debugify(&Module::parse(&text), DebugifyOptions::new(&module_name)).unwrap();
        assert_eq!(without_names(&made.text), without_names(&data(&format!("{name}.debugify.ll"))), "{name}");
        assert_eq!(made.scalable_variables, 0);
    }
}

/// opt-19 ends with `LLVM ERROR: Invalid size request on a scalable vector.`
#[test]
fn scalable_values_have_variables_all_the_same() {
    let text =
        "define void @f(<vscale x 4 x i32> %a) {\n  %b = add <vscale x 4 x i32> %a, %a\n  ret void\n}\n";
    let made = debugify(&Module::parse(text), DebugifyOptions::new("f.ll")).unwrap();
    assert_eq!((made.variables, made.scalable_variables), (1, 1));
    assert!(made.text.contains("name: \"ty128\", size: 128"), "{}", made.text);
}

/// What opt-19 reads as records: with opaque pointers and, by opt-14, with typed ones.
#[test]
fn values_of_intrinsics_are_looked_at_too() {
    let text = data("intrinsics.ll");
    let typed = text.replace("metadata ptr", "metadata i8*").replace("(ptr %p", "(i8* %p");
    let typed = typed.replace("i8, ptr %p", "i8, i8* %p");
    for (text, pointer) in [(&text, "ptr"), (&typed, "i8*")] {
        let checked =
            check_debugify(&Module::parse(text), FunctionScope::Module).unwrap().expect("debugified");
        let words: Vec<String> = checked.messages.iter().map(ToString::to_string).collect();
        let record = format!(
            "ERROR: dbg.value operand has size 64, but its variable has size 32: #dbg_value({pointer} %q, !9, \
             !DIExpression(), !13)"
        );
        let expected = [
            &record,
            "WARNING: Missing line 2",
            "WARNING: Missing variable 1",
            "WARNING: Missing variable 3",
        ];
        assert_eq!(words, expected);
    }
}

/// opt-19 says "expected 32-bit integer (too large)" and "use of undefined metadata '!99'".
#[test]
fn numbers_that_mean_nothing_are_errors() {
    let text = data("other_size.ll");
    for (number, kind) in [("!4294967296", ErrorKind::NumberTooLarge), ("!99", ErrorKind::UndefinedNode(99))]
    {
        let broken = text.replace("ret void, !dbg !15", &format!("ret void, !dbg {number}"));
        assert_ne!(broken, text);
        let error = check_debugify(&Module::parse(&broken), FunctionScope::Module).unwrap_err();
        assert_eq!((error.range.slice(&broken), error.kind), (number, kind.clone()));
        let error = strip(&Module::parse(&broken), StripPass::NonDebug, Declares::AsLlvm).unwrap_err();
        assert_eq!((error.range.slice(&broken), error.kind), (number, kind));
    }
}

/// Lines and variables of one function alone, as LLVM's `-debugify-each` has them.
#[test]
fn one_function_alone() {
    let text = data("last_calls.ll");
    let options =
        DebugifyOptions { functions: FunctionScope::Function("m2"), ..DebugifyOptions::new("m.ll") };
    let made = debugify(&Module::parse(&text), options).unwrap();
    assert_eq!((made.lines, made.variables), (3, 1));
    let module = Module::parse(&made.text);
    let messages = |name| {
        let checked = check_debugify(&module, FunctionScope::Function(name)).unwrap();
        checked.expect("debugified").messages.len()
    };
    assert_eq!((messages("m2"), messages("d2")), (0, 6));
}

/// opt-14 reads this, and says the same of its own: typed pointers, and no records.
#[test]
fn typed_pointers_have_the_types_that_they_point_at() {
    let text = "define void @f(i32 %n) {\n  %p = alloca i32, align 4\n  %q = alloca i8*, align 8\n  \
                %r = alloca [2 x i8], align 1, addrspace(5)\n  store i32 %n, i32* %p, align 4\n  ret void\n}\n";
    let options = DebugifyOptions { form: VariableForm::Intrinsic, ..DebugifyOptions::new("f.ll") };
    let made = debugify(&Module::parse(text), options).unwrap().text;
    for value in ["i32* %p", "i8** %q", "[2 x i8] addrspace(5)* %r"] {
        assert!(made.contains(&format!("tail call void @llvm.dbg.value(metadata {value}, ")), "{made}");
    }
    assert_eq!(made.matches("\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n").count(), 1);
}
