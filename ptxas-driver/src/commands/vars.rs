//! `vars`: prints variables and parameters, with the location of each over its scope.

mod text;

use crate::commands::read::{self, DebugFileOptions, FunctionNames, no_debug_sections};
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, NoAnswer, Status, report};
use crate::stderr::{complain, note};
use anyhow::{Context, Result};
use clap::Args;
use cubin_debuginfo::address_query::AddressQueries;
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::variables::Variables;
use cubin_debuginfo::variables::listing::{VariableFilter, VariableListing};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
A variable is in a place over a range of addresses: byte offsets in its code section, the end excluded.
  R5:R4  %rd1           the SASS registers that hold the PTX register, high word first
  R9|R17:R8  %rd3       the high word is in both R9 and R17
  R5:--  %rd4           the low word is in no register
  local[R1+0x8]         in the frame: the offset is from the stack pointer, once the function has its frame
  shared[0x400], c[0x0][0x210], counter+0x4
                        in the window of a memory, in a constant bank, at a symbol
  --                    nowhere, and why
With --at the variables of all scopes around an address are shown, the innermost first, and then those of the file.

Examples:
  ptxas-driver vars k.cubin                     all variables
  ptxas-driver vars k.cubin i sum -f saxpy      two of one function
  ptxas-driver vars k.cubin --at saxpy+0x160    where all variables are at one address

Exit status:
  0  done
  1  no such variable, function or address in any cubin of the file, or a debug section cannot be read:
     the other variables are shown, with a note of what is missing
  2  the command line is wrong, or a file cannot be read";

/// The options of `vars`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// A cubin compiled with -G, or an object of `compile --code none`; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    debug: DebugFileOptions,
    /// Only variables of these names
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only those of this function, and of what is inlined into it
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,
    /// Only those in scope at an address, and their places there: FUNCTION+0xOFF, or 0xOFF with -f
    #[arg(long, value_name = "FUNCTION+0xOFF")]
    at: Option<String>,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// What `vars` says of a cubin: its variables, and where they are.
#[derive(Serialize, JsonSchema)]
struct Answered<'a> {
    #[serde(flatten)]
    listing: VariableListing<'a>,
    /// Whether each name has a variable.
    #[serde(skip)]
    has_named: Vec<bool>,
}

impl Answer for Answered<'_> {
    const SCHEMA: &'static str = "nvdwarf.vars";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        text::write(out, &self.listing)
    }

    fn status(&self) -> Status {
        Status { has_findings: !self.listing.faults().is_empty(), queries: self.has_named.clone() }
    }
}

/// The name of the JSON schema of `vars`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Answered<'_>>();

/// Runs `vars`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if read::asks_stdin_twice(out, [read::is_stdin(&options.file), options.debug.is_stdin()])? {
        return Ok(Exit::Unreadable);
    }
    let name = read::shown_name(&options.file);
    report(out, Form::json_if(options.json), Answered::SCHEMA, &name, |answers| {
        let debug = options.debug.read()?;
        read::each_cubin(&options.file, None, answers, |image, bytes, answers| {
            debug.look(&image.name, bytes, |cubin, side| {
                let shown = read::name_of_sections(&image.name, side);
                of_cubin(options, image, &shown, cubin, answers)
            })
        })
    })
}

/// Shows the variables of one cubin.
fn of_cubin(
    options: &Options,
    image: &InputName,
    shown: &str,
    cubin: &Cubin<'_>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    // nvlink puts an image without code into each program.
    if image.origin.is_some() && read::is_without_code(cubin) {
        answers.pass_over(Status::default());
        return Ok(());
    }
    let name = &*image.name;
    let entries = Entries::read(cubin).with_context(|| name.to_owned())?;
    let variables = Variables::read(cubin, &entries).with_context(|| name.to_owned())?;
    if variables.all().is_empty() {
        match no_debug_sections(cubin, Some(SectionKind::DebugInfo)) {
            Some(why) => note(format_args!("{name}: no entries of variables: {why}")),
            None => note(format_args!("{name}: no entries of variables, as of code compiled without -G")),
        }
    }
    if let Some(what) = cubin.debug_only_text() {
        note(format_args!("{name}: no code: {what}"));
    }
    let refuse = |message: String| Err(NoAnswer(format!("{name}: {message}")).into());
    let mut wanted = VariableFilter { names: &options.names, functions: None, addresses: Vec::new() };
    if let Some(query) = &options.at {
        match AddressQueries::new(variables.code()).resolve(query, options.function.as_deref()) {
            Ok(found) => wanted.addresses = found,
            Err(error) => return refuse(error.to_string()),
        }
        let outside = wanted
            .addresses
            .iter()
            .find(|at| variables.code().section(at.section).is_none_or(|section| section.size <= at.offset));
        if let Some(at) = outside {
            return refuse(format!("'{query}': {:#x} is after the end of the function's code", at.offset));
        }
    } else if let Some(function) = &options.function {
        match FunctionNames::new(variables.code().functions()).find(function) {
            Ok(found) => wanted.functions = Some(found.iter().map(|function| function.symbol).collect()),
            Err(error) => return refuse(error.to_string()),
        }
    }
    let has_named: Vec<bool> = options.names.iter().map(|name| variables.has_named(name)).collect();
    let mut missing = options.names.iter().zip(&has_named).filter(|(_, has)| !**has).map(|(name, _)| name);
    if !has_named.contains(&true)
        && let Some(missing) = missing.next()
    {
        return refuse(format!("no variable '{missing}'"));
    }
    for missing in missing {
        note(format_args!("{name}: no variable '{missing}'"));
    }
    let listing = VariableListing::new(cubin, &variables, &wanted);
    let answered = Answered { listing, has_named };
    answers.add_cubin(image, cubin, &answered)?;
    let listing = answered.listing;
    if listing.is_truncated() {
        note(format_args!("{name}: more ranges or paths than anybody could read; some are left out"));
    }
    for fault in listing.faults() {
        answers.flush()?;
        complain(format_args!("{shown}: {}; what is missing: {}", fault.error, fault.missing));
    }
    Ok(())
}
