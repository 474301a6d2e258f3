//! Modules as numba and Triton write them, which look otherwise than those that `opt` prints: read
//! without error, unchanged where nothing is stripped, and stripped as `opt` strips them. After
//! `opt -S` they are among the samples of `oracle.rs` and `reading.rs`.
#![allow(clippy::print_stdout, reason = "says how much was compared")]

mod support;

use llvm_debug_metadata::debugify::{DebugifyOptions, debugify};
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, StripPass, strip};
use llvm_debug_metadata::{Module, Node};
use std::borrow::Cow;
use std::fs;
use std::path::Path;
use support::python_modules::{Modules, as_llvm_19, numba, triton};
use support::{Sample, in_parallel, printed, tool};

fn argument(pass: StripPass) -> String {
    match pass {
        StripPass::All => "--strip-debug".to_owned(),
        _ => format!("-passes={}", pass.name()),
    }
}

/// What is wrong with the strips of a module that `opt` did not print: both results are compared
/// as `opt` prints them.
fn faults(opt: &Path, sample: &Sample) -> Vec<String> {
    let module = Module::parse(&sample.text);
    let mut faults: Vec<String> = module.errors().iter().map(|error| format!("{error}")).collect();
    for definition in module.nodes() {
        faults.extend(Node::read(&module, definition.body).err().map(|error| error.to_string()));
    }
    let text = as_llvm_19(&sample.text);
    let module = Module::parse(&text);
    let plain = printed(opt, &["-S"], &text);
    for pass in STRIP_PASSES {
        let ours = match strip(&module, pass, Declares::AsLlvm) {
            Ok(stripped) => stripped.text,
            Err(error) => {
                faults.push(format!("{}: {error}", pass.name()));
                continue;
            }
        };
        let theirs = printed(opt, &["-S", &argument(pass)], &text);
        if theirs == plain && !matches!(&ours, Cow::Borrowed(same) if *same == text) {
            faults.push(format!("{}: nothing to strip, and changed", pass.name()));
        }
        if printed(opt, &["-S"], &ours) != theirs {
            faults.push(pass.name().to_owned());
        }
    }
    let plain = strip(&module, StripPass::All, Declares::AsLlvm).map(|stripped| stripped.text.into_owned());
    let plain = plain.unwrap_or_default();
    let options = DebugifyOptions::new("NAME");
    let ours = debugify(&Module::parse(&plain), options).map(|made| made.text);
    let theirs = printed(opt, &["-S", "-passes=debugify"], &plain);
    let name =
        |line: &str| line.ends_with("directory: \"/\")").then(|| line.split('"').nth(1).map(str::to_owned));
    let name = theirs.lines().find_map(name).flatten().expect("a file");
    if ours.map(|text| printed(opt, &["-S"], &text)).ok() != Some(theirs.replace(&name, "NAME")) {
        faults.push("debugify".to_owned());
    }
    faults
}

fn check(modules: Option<Modules>, at_least: usize) {
    let (Some(opt), Some((_folder, modules))) = (tool("opt-19"), modules) else { return };
    assert!(modules.len() >= at_least, "{} modules", modules.len());
    let found = in_parallel(&modules, |sample| faults(&opt, sample));
    let bytes: usize = modules.iter().map(|sample| sample.text.len()).sum();
    println!("{} modules, {bytes} bytes", modules.len());
    let found: Vec<_> = modules
        .iter()
        .map(|sample| &sample.name)
        .zip(found)
        .filter(|(_, faults)| !faults.is_empty())
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn modules_of_numba() {
    check(numba(), 24);
}

#[test]
fn modules_of_triton() {
    check(triton(), 30);
}

/// Numba's modules as LLVM 14 prints them: typed pointers.
#[test]
fn modules_of_numba_in_the_old_dialect() {
    let Some(old) = tool("opt-14") else { return };
    let printed = |(folder, modules): Modules| {
        let print = |sample: &Sample| Sample {
            name: sample.name.clone(),
            text: printed(&old, &["-S"], &sample.text),
        };
        (folder, in_parallel(&modules, print))
    };
    check(numba().map(printed), 24);
}

/// LLVM's `.loc` has had `inlined_at` since 2025-12, and Triton's LLVM is later. Only units with
/// `LineTablesOnly` have it.
#[test]
fn inlined_calls_in_the_ptx_of_triton() {
    let Some((folder, modules)) = triton() else { return };
    let ptx = |sample: &Sample| {
        fs::read_to_string(folder.path().join(format!("{}.ptx", sample.name))).expect("its PTX")
    };
    let (mut inlined, mut with_calls) = (0, 0);
    for sample in &modules {
        let ptx = ptx(sample);
        assert!(!ptx.contains("Based on NVVM"), "{}: not by LLVM", sample.name);
        if sample.text.contains("inlinedAt:") && sample.text.contains("emissionKind: LineTablesOnly") {
            inlined += 1;
            with_calls += usize::from(ptx.contains(", inlined_at "));
        } else {
            assert!(!ptx.contains("inlined_at"), "{}", sample.name);
        }
    }
    println!("{with_calls} of {inlined} modules with inlined calls have them in `.loc`");
    assert!(inlined >= 9 && with_calls == inlined, "{with_calls} of {inlined}");
}
