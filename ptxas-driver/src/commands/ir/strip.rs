//! `ir strip`: LLVM IR without debug information, or without names, as a pass of LLVM leaves it.

use crate::commands::read::IrFile;
use crate::output;
use crate::report::Exit;
use crate::stderr::note;
use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser as _};
use llvm_debug_metadata::Module;
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, StripPass, strip};
use std::io::Write;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Passes, by LLVM's names:
  strip-debug                   all debug information, as `opt --strip-debug`
  strip-nonlinetable-debuginfo  all but what line tables need
  strip-dead-debug-info         global variables that are gone, and units that nothing uses
  strip-debug-declare           declares of variables; LLVM 19 leaves all of them
  strip-nondebug                names of values, blocks, types, internal functions and variables

Examples:
  ptxas-driver ir strip --pass strip-debug k.ll -o small.ll
  clang -S -emit-llvm -g -x cuda --cuda-device-only k.cu -o - | ptxas-driver ir strip --pass strip-nonlinetable-debuginfo -

The result is what `opt -S` of LLVM 19 prints after the pass, to the byte, if FILE is as `opt -S`
prints it. Nodes and groups of attributes get LLVM's numbers, and those that nothing uses are left
out. A module in which nothing changes stays as it is, to the byte. Typed pointers and llvm.dbg.*
calls are read too. Bitcode is read by way of the llvm-dis on PATH.

Exit status:
  0  done, also where there was nothing to strip
  2  the command line is wrong, or a file cannot be read or written";

/// The options of `ir strip`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// LLVM IR, as text or bitcode; `-` for standard input
    file: PathBuf,
    /// What is stripped (see below)
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = pass_parser())]
    pass: StripPass,
    /// With strip-debug-declare: take the declares that LLVM 19 leaves, records and calls
    #[arg(long)]
    take_declares: bool,
    /// Write to this file, whole or not at all; `-` is standard output, the default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Reads the name of a pass.
fn pass_parser() -> impl clap::builder::TypedValueParser<Value = StripPass> {
    PossibleValuesParser::new(STRIP_PASSES.map(StripPass::name))
        .map(|name| StripPass::named(&name).unwrap_or(StripPass::All))
}

/// Runs `ir strip`, and returns the exit status.
///
/// # Errors
///
/// The file is not readable LLVM IR, or the result cannot be written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let file = IrFile::read(&options.file)?;
    let declares = if options.take_declares { Declares::Remove } else { Declares::AsLlvm };
    let module = Module::parse(&file.text);
    let stripped = strip(&module, options.pass, declares).map_err(|error| file.error(&error))?;
    match options.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => output::write(path, stripped.text.as_bytes())?,
        None => output::write_stdout(out, stripped.text.as_bytes())?,
    }
    for words in &stripped.notes {
        note(format_args!("{}: {words}", file.name));
    }
    Ok(Exit::Answered)
}
