//! `ir debugify` and `ir check-debugify`: made-up debug information, and what passes lost of it.

use super::debugify_checks::{DebugifyChecks, ShowOptions};
use super::each;
use crate::commands::read;
use crate::commands::read::IrFile;
use crate::output;
use crate::report::{Answer as _, Answers, Exit, Form, InputName, report};
use crate::stderr::note;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use llvm_debug_metadata::Module;
use llvm_debug_metadata::debugify::{DebugifyOptions, FunctionScope, VariableForm, check_debugify, debugify};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
The result is what `opt -S -passes=debugify` of LLVM 19 prints, to the byte, if FILE is as `opt -S`
prints it: instruction N has line N, and each value a variable.

With --each, the command after `--` is that of an `opt` (of LLVM 14 or later), without its input. Its
passes are run one after the other. Debug information is made up before each run of a pass, checked
after it and taken out again. What is shown, and the file of --export, are those of LLVM 19's
-debugify-each: on functions for passes of functions, on the module for others. As with LLVM, passes
of loops and of the call graph (licm, inline) run without a check. One thing differs: a pass runs in
a process of its own, on the text of the module, so that analyses which an earlier pass left are made
anew. Each run of a pass starts the opt once: 500 runs take about 15 seconds.

Examples:
  ptxas-driver ir debugify k.ll | opt -S -passes=instcombine | ptxas-driver ir check-debugify -
  ptxas-driver ir debugify --each k.ll -- opt -passes='function(sroa,instcombine),globaldce'
  ptxas-driver ir debugify --each --silent --export lost.csv k.ll -- opt -O2

Exit status:
  0  done, also where the module has debug information and stays as it is; with --each nothing is missing
  1  with --each: something is missing
  2  the command line is wrong, a file cannot be read or written, or the opt failed";

const AFTER_CHECK_HELP: &str = "\
The lines are those of `opt -passes=check-debugify` of LLVM 19. LLVM's word FAIL is for values with
another size than their variable; what is missing has a WARNING. The columns of --export are LLVM's; its
ratio of values is one to all lines.

Example:
  ptxas-driver ir check-debugify --pass instcombine --export lost.csv passed.ll

Exit status:
  0  all that `ir debugify` gave out is there
  1  something is missing, or the module has nothing of `ir debugify`
  2  the command line is wrong, or a file cannot be read or written";

/// The options of `ir debugify`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// LLVM IR, as text or bitcode; `-` for standard input
    file: PathBuf,
    /// What is made up
    #[arg(long, value_name = "WHAT", default_value = "location+variables")]
    level: Level,
    /// Stop after this number of functions; LLVM 19 does not heed its option of this name here
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    func_limit: u64,
    /// Write variables as calls of llvm.dbg.value, which LLVM before 19 and libNVVM below
    /// compute_100 read; records are for LLVM 19 and later
    #[arg(long)]
    intrinsics: bool,
    /// Write to this file, whole or not at all; `-` is standard output, the default. With --each it
    /// is the module after all passes, without debug information, and not written by default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make debug information up before each pass of an opt, and check it after the pass
    #[arg(long, requires = "command")]
    each: bool,
    #[command(flatten)]
    show: ShowOptions,
    /// With --each: an opt and its options, without its input
    #[arg(last = true, value_name = "OPT COMMAND", requires = "each")]
    command: Vec<OsString>,
}

/// What is made up, by LLVM's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    /// A line for each instruction
    Locations,
    /// A line for each instruction and a variable for each value
    #[value(name = "location+variables")]
    LocationsAndVariables,
}

/// The options of `ir check-debugify`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_CHECK_HELP)]
pub(super) struct CheckOptions {
    /// LLVM IR, as text or bitcode; `-` for standard input
    file: PathBuf,
    /// The name of the pass before, which is shown and is in the file of --export
    #[arg(long, value_name = "NAME")]
    pass: Option<String>,
    #[command(flatten)]
    show: ShowOptions,
}

impl Options {
    fn debugify<'a>(&self, file: &'a IrFile) -> DebugifyOptions<'a> {
        DebugifyOptions {
            module_name: &file.name,
            has_variables: self.level == Level::LocationsAndVariables,
            function_limit: self.func_limit,
            functions: FunctionScope::Module,
            form: if self.intrinsics { VariableForm::Intrinsic } else { VariableForm::Record },
        }
    }

    /// The file to write to, unless it is standard output.
    fn output_file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// Runs `ir debugify`, and returns the exit status.
///
/// # Errors
///
/// The file is not readable LLVM IR, or the result cannot be written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if options.each {
        let name = read::shown_name(&options.file);
        let form = Form::json_if(options.show.json);
        return report(out, form, DebugifyChecks::SCHEMA, &name, |answers| each_pass(options, answers));
    }
    if options.show.is_given() {
        bail!("--silent, --export and --json of `ir debugify` go with --each");
    }
    let file = IrFile::read(&options.file)?;
    let module = Module::parse(&file.text);
    let made = debugify(&module, options.debugify(&file)).map_err(|error| file.error(&error))?;
    match options.output_file() {
        Some(path) => output::write(path, made.text.as_bytes())?,
        None => output::write_stdout(out, made.text.as_bytes())?,
    }
    if module.named_metadata("llvm.dbg.cu").is_some() {
        note(format_args!("{}: the module has debug information and stays as it is", file.name));
    }
    if made.scalable_variables > 0 {
        let plural = if made.scalable_variables == 1 { "" } else { "s" };
        note(format_args!(
            "{}: {} variable{plural} of a scalable type, with its least size; LLVM 19 aborts at such a type",
            file.name, made.scalable_variables
        ));
    }
    Ok(Exit::Answered)
}

fn each_pass(options: &Options, answers: &mut Answers<'_>) -> Result<()> {
    let file = IrFile::read(&options.file)?;
    let done = each::run(&file, &options.command, options.debugify(&file))?;
    if let Some(path) = options.output.as_deref() {
        output::write(path, &done.module)?;
    }
    show(done.checks, &options.show, &file.name, answers)
}

/// Runs `ir check-debugify`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub(super) fn check(options: &CheckOptions, out: &mut dyn Write) -> Result<Exit> {
    let (name, form) = (read::shown_name(&options.file), Form::json_if(options.show.json));
    report(out, form, DebugifyChecks::SCHEMA, &name, |answers| {
        let file = IrFile::read(&options.file)?;
        let checked = check_debugify(&Module::parse(&file.text), FunctionScope::Module);
        let checked = checked.map_err(|error| file.error(&error))?;
        let mut checks = DebugifyChecks { is_debugified: checked.is_some(), ..DebugifyChecks::default() };
        if let Some(checked) = checked {
            checks.add(options.pass.clone(), None, checked);
        }
        show(checks, &options.show, &file.name, answers)
    })
}

fn show(
    mut checks: DebugifyChecks,
    options: &ShowOptions,
    name: &str,
    answers: &mut Answers<'_>,
) -> Result<()> {
    checks.is_silent = options.silent;
    checks.export(options.export.as_deref())?;
    Ok(answers.add(&InputName { name: name.to_owned(), ..InputName::default() }, &checks)?)
}
