//! `ir debugify` and `ir check-debugify`: made-up debug information, and what passes lost of it.

use super::ir_file::IrFile;
use crate::output;
use crate::printable_text::printable;
use crate::report::Exit;
use crate::stderr::note;
use anyhow::Result;
use clap::{Args, ValueEnum};
use llvm_debug_metadata::Module;
use llvm_debug_metadata::debugify::{DebugifyOptions, FunctionScope, check_debugify, debugify};
use std::io::Write;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
The result is what `opt -S -passes=debugify` of LLVM 19 prints, to the byte, if FILE is as `opt -S`
prints it: instruction N has line N, and each value a variable.

Example:
  ptxas-driver ir debugify k.ll | opt -S -passes=instcombine | ptxas-driver ir check-debugify -

Exit status:
  0  done, also where the module has debug information and stays as it is
  2  the command line is wrong, or a file cannot be read or written";

const AFTER_CHECK_HELP: &str = "\
The lines are those of `opt -passes=check-debugify` of LLVM 19. LLVM's word FAIL is for values with
another size than their variable; what is missing has a WARNING.

Exit status:
  0  all that `ir debugify` gave out is there
  1  something is missing, or the module has nothing of `ir debugify`
  2  the command line is wrong, or a file cannot be read";

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
    /// Write to this file, whole or not at all; `-` is standard output, the default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
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
}

/// Runs `ir debugify`, and returns the exit status.
///
/// # Errors
///
/// The file is not readable LLVM IR, or the result cannot be written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let file = IrFile::read(&options.file)?;
    let module = Module::parse(&file.text);
    let debugify_options = DebugifyOptions {
        module_name: &file.name,
        has_variables: options.level == Level::LocationsAndVariables,
        function_limit: options.func_limit,
        functions: FunctionScope::Module,
    };
    let made = debugify(&module, debugify_options).map_err(|error| file.error(&error))?;
    match options.output.as_deref().filter(|path| *path != Path::new("-")) {
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

/// Runs `ir check-debugify`, and returns the exit status.
///
/// # Errors
///
/// The file is not readable LLVM IR, or `out` cannot be written.
pub(super) fn check(options: &CheckOptions, out: &mut dyn Write) -> Result<Exit> {
    let file = IrFile::read(&options.file)?;
    let module = Module::parse(&file.text);
    let Some(checked) = check_debugify(&module, FunctionScope::Module).map_err(|error| file.error(&error))?
    else {
        writeln!(out, "CheckModuleDebugify: Skipping module without debugify metadata")?;
        return Ok(Exit::Findings);
    };
    for message in &checked.messages {
        writeln!(out, "{}", printable(&message.to_string()))?;
    }
    let verdict = if checked.has_errors() { "FAIL" } else { "PASS" };
    writeln!(out, "CheckModuleDebugify: {verdict}")?;
    Ok(if checked.messages.is_empty() { Exit::Answered } else { Exit::Findings })
}
