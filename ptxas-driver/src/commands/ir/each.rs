//! `ir debugify --each`: debugify and check-debugify around each pass of an `opt`.

use super::debugify_checks::DebugifyChecks;
use super::opt_command::OptCommand;
use crate::cleanup::{PrivateFolder, write_private};
use crate::commands::read::IrFile;
use crate::input;
use crate::stderr::note;
use anyhow::{Context, Result, bail};
use llvm_debug_metadata::Module;
use llvm_debug_metadata::debugify::{
    CheckedDebugify, DebugifyOptions, FunctionScope, VariableForm, check_debugify, debugify,
};
use llvm_debug_metadata::pass_pipeline::{PassPipeline, PassRun, PassTrace, class_names};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// A function on which the names of classes of passes are learned.
const LEARNING_FUNCTION: &str = "define void @f() {\n  ret void\n}\n";

/// The checks after each pass, and the module after all of them.
#[derive(Debug)]
pub(super) struct EachPass {
    pub(super) checks: DebugifyChecks,
    pub(super) module: Vec<u8>,
}

/// Runs the passes of a command line.
///
/// # Errors
///
/// The module has debug information, the `opt` fails, or one of its passes cannot be run alone.
pub(super) fn run(file: &IrFile, command: &[OsString], options: DebugifyOptions<'_>) -> Result<EachPass> {
    let opt = OptCommand::new(command)?;
    if Module::parse(&file.text).named_metadata("llvm.dbg.cu").is_some() {
        bail!(
            "{}: the module has debug information; `ptxas-driver ir strip --pass strip-debug` takes it out",
            file.name
        );
    }
    // LLVM before 19 reads no records.
    let is_old = opt.llvm_version()?.is_some_and(|version| version < 19);
    let form = if is_old { VariableForm::Intrinsic } else { options.form };
    let options = DebugifyOptions { form, ..options };
    let folder = PrivateFolder::new().context("no folder for temporary files")?;
    let place = |name: &str| folder.path().join(name);
    let (input, result, learning) = (place("input.ll"), place("result.ll"), place("learning.ll"));
    write_private(&input, file.text.as_bytes())?;
    // A target has passes of its own.
    let target = file.text.lines().filter(|line| line.starts_with("target "));
    let target: String = target.flat_map(|line| [line, "\n"]).collect();
    write_private(&learning, (target + LEARNING_FUNCTION).as_bytes())?;
    let text = opt.pipeline(&input)?;
    let pipeline = PassPipeline::parse(&text).with_context(|| text.clone())?;
    let classes = class_names(&pipeline, |passes| opt.run(passes, &learning, &place("learned.ll")))?;
    let single = SinglePass { opt: &opt, options, before: place("before.ll"), after: place("after.ll") };
    let mut checks = DebugifyChecks { is_debugified: true, ..DebugifyChecks::default() };
    let mut trace = PassTrace::new(&pipeline, &classes);
    opt.trace(&input, &result, &mut |line| {
        let Some(run) = trace.line(&String::from_utf8_lossy(line)) else { return Ok(()) };
        if let Some(checked) = single.check(&run)? {
            checks.add_run(run, checked);
        }
        Ok(())
    })?;
    let module = named(&input::read(&result)?, &input.to_string_lossy(), &file.name);
    Ok(EachPass { checks, module })
}

/// A module whose first two lines name the user's file, not the one that the opt was given.
fn named(module: &[u8], given: &str, name: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(module);
    let head = text.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| at);
    let (head, rest) = text.split_at(head);
    (head.replace(given, name) + rest).into_bytes()
}

/// Runs passes one at a time, each on a module of its own.
struct SinglePass<'a> {
    opt: &'a OptCommand,
    options: DebugifyOptions<'a>,
    before: PathBuf,
    after: PathBuf,
}

impl SinglePass<'_> {
    /// Makes debug information up, runs the pass, and looks for what is missing: nothing where the
    /// pass has removed all of it, or cannot be run alone.
    fn check(&self, run: &PassRun) -> Result<Option<CheckedDebugify>> {
        let on = run.function.as_deref().unwrap_or("the module");
        let about = |when: &str| format!("the module {when} {} on {on}", run.class);
        let functions = run.function.as_deref().map_or(FunctionScope::Module, FunctionScope::Function);
        let options = DebugifyOptions { functions, ..self.options };
        let made = debugify(&Module::parse(&run.module), options).with_context(|| about("before"))?;
        if made.lines == 0 && run.function.is_some() {
            return Ok(Some(CheckedDebugify { lines: 0, variables: 0, messages: Vec::new() }));
        }
        let Some(pipeline) = run.pipeline.as_deref() else {
            note(format_args!("{} on {on} is not checked: its opt has no name for it", run.class));
            return Ok(None);
        };
        fs::write(&self.before, made.text.as_bytes())?;
        self.opt.run(pipeline, &self.before, &self.after)?;
        let after = String::from_utf8(input::read(&self.after)?).with_context(|| about("after"))?;
        let checked = check_debugify(&Module::parse(&after), functions).with_context(|| about("after"))?;
        if checked.is_none() {
            note(format_args!("{} on {on} is not checked: it removed what was made up", run.class));
        }
        Ok(checked)
    }
}
