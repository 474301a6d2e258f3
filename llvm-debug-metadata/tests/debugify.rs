//! What `debugify` adds and `check-debugify` says, with results that opt-19 printed; those of many
//! modules are compared in `oracle.rs`.

mod support;

use llvm_debug_metadata::Module;
use llvm_debug_metadata::debugify::{DebugifyOptions, check_debugify, debugify};
use support::{data, without_names};

/// `opt-19 -S --strip-debug` leaves `!llvm.debugify`, and `debugify` adds to it.
#[test]
fn the_counts_of_an_earlier_run_stay_in_front() {
    let text = data("again.ll");
    let options = DebugifyOptions { module_name: "o2.ll", has_variables: true, function_limit: u64::MAX };
    let made = debugify(&Module::parse(&text), options).unwrap();
    assert_eq!(without_names(&made.text), without_names(&data("again.debugify.ll")));
    let checked = check_debugify(&Module::parse(&made.text)).unwrap().expect("it is debugified");
    assert_eq!((checked.messages.len(), checked.lines, checked.variables), (0, 2, 1));
}

#[test]
fn a_value_of_another_size_is_told_in_the_words_of_opt() {
    let checked = check_debugify(&Module::parse(&data("other_size.ll"))).unwrap().expect("it is debugified");
    let words: Vec<String> = checked.messages.iter().map(ToString::to_string).collect();
    let expected = [
        "ERROR: dbg.value operand has size 64, but its variable has size 32: #dbg_value(ptr %q, !11, \
         !DIExpression(), !14)",
        "WARNING: Missing variable 2",
    ];
    assert_eq!(words, expected);
    assert!(checked.has_errors());
}
