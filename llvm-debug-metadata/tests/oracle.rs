//! Strips of modules that clang makes are, to the byte, what LLVM 19's `opt` makes of them.
#![allow(clippy::print_stdout, reason = "says how much was compared")]

mod support;

use llvm_debug_metadata::Module;
use llvm_debug_metadata::debugify::{DebugifyOptions, FunctionScope, check_debugify, debugify};
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, StripPass, strip};
use support::{Sample, data, in_parallel, printed, run_on, samples, tool, without_names};

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

/// What `debugify` makes up, and what `check-debugify` says after passes that lose something.
#[test]
fn debugify_is_that_of_opt() {
    let (Some(opt), Some(mut samples)) = (tool("opt-19"), samples()) else { return };
    samples.push(Sample { name: "odd names".to_owned(), text: data("odd_names.ll") });
    let plain = |sample: &Sample| ours(&sample.text, StripPass::All, Declares::AsLlvm);
    let differs = |sample: &Sample| {
        let text = plain(sample);
        let made = |has_variables, function_limit| {
            let options = DebugifyOptions { has_variables, function_limit, ..DebugifyOptions::new("NAME") };
            without_names(&debugify(&Module::parse(&text), options).expect("a sound module").text)
        };
        // `opt` takes the path of its input for the name of the module.
        let theirs = |arguments: &[&str]| {
            let text = printed(&opt, &[&["-S", "-passes=debugify"], arguments].concat(), &text);
            let name = |line: &str| {
                line.ends_with("directory: \"/\")").then(|| line.split('"').nth(1).map(str::to_owned))
            };
            let name = text.lines().find_map(name).flatten().expect("a file");
            text.replace(&name, "NAME")
        };
        // LLVM 19 heeds its limit of functions where it looks at debug information of its own only.
        let same = made(true, u64::MAX) == theirs(&["-debugify-func-limit=1"])
            && made(false, u64::MAX) == theirs(&["-debugify-level=locations"]);
        // None where the first function has no values.
        assert!(made(true, 1).matches(" retainedNodes: ").count() <= 1);
        (!same).then(|| sample.name.clone())
    };
    let different: Vec<String> = in_parallel(&samples, differs).into_iter().flatten().collect();
    println!("debugify: {} of {} equal", samples.len() - different.len(), samples.len());
    assert!(different.is_empty(), "{different:#?}");

    let check = |sample: &Sample| {
        let passes = "-passes=debugify,function(sroa,instcombine,simplifycfg,early-cse,loop-mssa(licm),dce)";
        // Passes pass over functions with `optnone`.
        let passed = printed(&opt, &["-S", passes], &plain(sample).replace(" optnone", ""));
        let theirs = run_on(&opt, &["-S", "-passes=check-debugify"], &passed).stderr;
        let theirs = String::from_utf8(theirs).expect("text");
        let checked = check_debugify(&Module::parse(&passed), FunctionScope::Module)
            .expect("a sound module")
            .expect("it is debugified");
        let lines: String = checked.messages.iter().map(|message| message.to_string() + "\n").collect();
        let verdict = if checked.has_errors() { "FAIL" } else { "PASS" };
        let same = lines + "CheckModuleDebugify: " + verdict + "\n" == theirs;
        (checked.messages.len(), (!same).then(|| sample.name.clone()))
    };
    let checked = in_parallel(&samples, check);
    let messages: usize = checked.iter().map(|(messages, _)| messages).sum();
    let different: Vec<&String> = checked.iter().filter_map(|(_, name)| name.as_ref()).collect();
    println!(
        "check-debugify: {messages} messages, {} of {} equal",
        samples.len() - different.len(),
        samples.len()
    );
    assert!(different.is_empty(), "{different:#?}");
    assert!(messages > 50, "{messages} messages");
}
