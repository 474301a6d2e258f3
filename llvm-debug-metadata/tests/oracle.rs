//! Strips of modules that clang makes are, to the byte, what LLVM 19's `opt` makes of them.
#![allow(clippy::print_stdout, reason = "says how much was compared")]

mod support;

use llvm_debug_metadata::Module;
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, StripPass, strip};
use support::{Sample, in_parallel, printed, samples, tool, without_names};

/// The arguments with which `opt` runs a pass.
fn arguments(pass: StripPass) -> Vec<String> {
    let pass = match pass {
        StripPass::All => "--strip-debug".to_owned(),
        _ => format!("-passes={}", pass.name()),
    };
    vec!["-S".to_owned(), pass]
}

/// Our strip of a module.
fn ours(text: &str, pass: StripPass, declares: Declares) -> String {
    let module = Module::parse(text);
    without_names(&strip(&module, pass, declares).expect("a sound module").text)
}

#[test]
fn strips_are_those_of_opt() {
    let (Some(opt), Some(samples)) = (tool("opt-19"), samples()) else { return };
    for pass in STRIP_PASSES {
        let differs = |sample: &Sample| {
            let same =
                ours(&sample.text, pass, Declares::AsLlvm) == printed(&opt, &arguments(pass), &sample.text);
            (!same).then(|| sample.name.clone())
        };
        let different: Vec<String> = in_parallel(&samples, differs).into_iter().flatten().collect();
        println!("{}: {} of {} equal", pass.name(), samples.len() - different.len(), samples.len());
        assert!(different.is_empty(), "{}: {different:#?}", pass.name());
    }
}

/// With intrinsics in the place of records, which `opt` reads as records.
#[test]
fn strips_with_intrinsics() {
    let (Some(opt), Some(samples)) = (tool("opt-19"), samples()) else { return };
    let old = "--write-experimental-debuginfo=0";
    let samples = samples.into_iter().filter(|sample| sample.text.contains("#dbg_"));
    let samples: Vec<Sample> = samples.step_by(3).collect();
    assert!(samples.len() > 10, "{} samples have records", samples.len());
    for pass in STRIP_PASSES {
        let differs = |sample: &Sample| {
            let text = printed(&opt, &["-S", old], &sample.text);
            assert!(text.contains("call void @llvm.dbg."), "{}", sample.name);
            let (ours, theirs) =
                (ours(&text, pass, Declares::AsLlvm), printed(&opt, &arguments(pass), &text));
            // Both through `opt`, which makes records of what is left.
            (printed(&opt, &["-S"], &ours) != theirs).then(|| sample.name.clone())
        };
        let different: Vec<String> = in_parallel(&samples, differs).into_iter().flatten().collect();
        assert!(different.is_empty(), "{}: {different:#?}", pass.name());
    }
}

/// What `opt` does where intrinsics stay intrinsics: then the pass finds the declares.
#[test]
fn declares_go_as_they_once_did() {
    let (Some(opt), Some(samples)) = (tool("opt-19"), samples()) else { return };
    let samples: Vec<Sample> =
        samples.into_iter().filter(|sample| sample.text.contains("#dbg_declare")).collect();
    let pass = StripPass::DebugDeclare;
    let differs = |sample: &Sample| {
        let old = ["-S", "--experimental-debuginfo-iterators=0", "--write-experimental-debuginfo=0"];
        let text = printed(&opt, &old, &sample.text);
        let ours = ours(&text, pass, Declares::Remove);
        let theirs = printed(&opt, &[&old[..], &["-passes=strip-debug-declare"]].concat(), &text);
        // Records too: the same module with them gives what `opt` makes of the intrinsics' one.
        let from_records = self::ours(&sample.text, pass, Declares::Remove);
        let same = ours == theirs && from_records == printed(&opt, &["-S"], &theirs);
        (!same).then(|| sample.name.clone())
    };
    let different: Vec<String> = in_parallel(&samples, differs).into_iter().flatten().collect();
    println!("{} of {} equal", samples.len() - different.len(), samples.len());
    assert!(different.is_empty(), "{different:#?}");
}
