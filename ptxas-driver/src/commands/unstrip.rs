//! `unstrip`: puts the debug sections of side files back into stripped cubins.

use crate::commands::read::{self, DebugFileOptions, DebugFiles, Edit, EditedFile, OldCubin, SideFile};
use crate::commands::written_file::{Target, write_together};
use crate::report::{Answer, Answers, CubinKind, DocumentSchema, Exit, Form, NoAnswer, report};
use crate::stderr::{complain, note};
use anyhow::{Context, Result, bail};
use clap::Args;
use nv_debug_sections::level::detected::is_stripped;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver unstrip k.cubin --debug-file k.debug      what strip --split k.debug took out
  ptxas-driver unstrip a.out --debug-dir debug           all cubins of a.out that have side files there
  ptxas-driver unstrip a.out -o whole                    side files lie beside a.out

FILE may be what `strip` takes: a cubin, a fatbin, or a host program, object, library or archive with
cubins in it, which keeps its length. FILE:sm_90, FILE:2 or FILE:sm_90:2 choose cubins. Side files are
found by the build IDs of the cubins, in the folders of --debug-dir and beside FILE. A cubin is then what
it was before it was stripped, to the byte. In a fatbin its compressed form is too where zstd made it, as
nvcc 13.0 does by default; LZ4 data, as in libraries of CUDA 12, are other ones.

Exit status:
  0  done, also for a file in which nothing was stripped
  1  a side file of a stripped cubin is missing; the others are put back
  2  the command line is wrong, or a file cannot be read or written, or a cubin does not fit its place";

/// The options of `unstrip`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A cubin, or a file with cubins in it; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    debug: DebugFileOptions,
    /// Write to this file, `-` for standard output; else FILE is replaced, or what was read from
    /// standard input goes to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Say on standard error what is put back
    #[arg(short, long)]
    verbose: bool,
    /// One JSON document of what was put back (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// What `unstrip` did with a cubin.
#[derive(Debug, Serialize, JsonSchema)]
struct Unstripped<'a> {
    /// The file that was written; `None` where nothing changes and the file stays as it is.
    output: Option<String>,
    /// The build ID of the cubin, by which its side file is found; `None` for a cubin that is not
    /// stripped.
    build_id: Option<&'a str>,
    /// The side file whose debug sections were put back; `None` where there is none.
    debug_file: Option<&'a str>,
    /// Size of the cubin before, in bytes, with the zeros after it in a fatbin.
    bytes_before: usize,
    /// Size of the cubin after, in bytes.
    bytes_after: usize,
}

/// What became of a cubin.
struct FilledCubin {
    kind: CubinKind,
    /// The build ID of a cubin that is stripped.
    build_id: Option<String>,
    side_file: Option<String>,
    before: usize,
    after: usize,
}

/// The name of the JSON schema of `unstrip`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Unstripped<'_>>();

/// Runs `unstrip`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if read::asks_stdin_twice(out, [read::is_stdin(&options.file), options.debug.is_stdin()])? {
        return Ok(Exit::Unreadable);
    }
    let target = Target::of(&options.file, options.output.as_deref());
    let fault = target.fault_in_place(&options.file);
    let to_stdout = "the file and --json cannot both go to standard output: -o FILE";
    if let Some(fault) = fault.or((options.json && target == Target::Stdout).then_some(to_stdout)) {
        complain(format_args!("{fault}"));
        return Ok(Exit::Unreadable);
    }
    let form = if options.json { Form::Json } else { Form::NoHeadings };
    let name = read::shown_name(&options.file);
    report(out, form, Unstripped::SCHEMA, &name, |answers| unstrip(options, answers))
}

/// Puts the debug sections back into the cubins of the file.
fn unstrip(options: &Options, answers: &mut Answers<'_>) -> Result<()> {
    let debug = options.debug.read()?;
    let file = EditedFile::read(&options.file)?;
    let read = file.path();
    let target = Target::of(&read, options.output.as_deref());
    if options.debug.is_file() {
        file.expect_one()?;
    }
    let edited = file.edit(|cubin| fill(&debug, cubin), |_, _, _| true)?;
    let is_written = options.output.is_some() || edited.is_changed() || target == Target::Stdout;
    let written = is_written.then_some(target);
    write_together(&[], written, &edited.bytes, &read, answers.out)?;
    for cubin in &edited.cubins {
        let done = &cubin.result;
        let name = &cubin.image.name;
        let answer = Unstripped {
            output: match written {
                Some(Target::File(path)) => Some(path.display().to_string()),
                Some(Target::Stdout) | None => None,
            },
            build_id: done.build_id.as_deref(),
            debug_file: done.side_file.as_deref(),
            bytes_before: done.before,
            bytes_after: done.after,
        };
        if let (true, Some(side)) = (options.verbose, &done.side_file) {
            note(format_args!("{name}: {side}, {} bytes before, {} after", done.before, done.after));
        }
        match (&done.build_id, &done.side_file) {
            (Some(id), None) => {
                let words = format!("{name}: stripped, and there is no side file {id}.debug");
                answers.alone(name, NoAnswer(words).into())?;
            }
            _ => answers.add_cubin(&cubin.image, done.kind, &answer)?,
        }
    }
    Ok(())
}

/// Puts the debug sections back into a cubin, if its side file is there.
fn fill(debug: &DebugFiles, old: &OldCubin<'_>) -> Result<Edit<FilledCubin>> {
    let name = &*old.image.name;
    let code = read::cubin(name, old.bytes)?;
    if code.is_side_file() {
        bail!("{name}: a side file of `strip`; the cubin itself is the file to put it into");
    }
    let side = debug.side_file(name, &code)?;
    // It takes a look at all of the code, which the search for the side file may have taken.
    let found = side.as_ref().and_then(SideFile::build_id);
    let build_id = || found.map_or_else(|| code.build_id().with_context(|| name.to_owned()), Ok);
    let build_id = is_stripped(&code, None).then(build_id).transpose()?.map(|id| id.to_string());
    let mut done = FilledCubin {
        kind: CubinKind::from(&code),
        build_id,
        side_file: None,
        before: old.bytes.len(),
        after: old.bytes.len(),
    };
    let Some(side) = side else { return Ok(Edit { cubin: None, source: None, result: done }) };
    let whole = side.join(name, &code)?;
    let bytes = whole.write().with_context(|| name.to_owned())?;
    done.side_file = Some(side.name().to_owned());
    done.after = bytes.len();
    let is_same = old.bytes.starts_with(&bytes);
    Ok(Edit { cubin: (!is_same).then_some(bytes), source: None, result: done })
}

impl Answer for Unstripped<'_> {
    const SCHEMA: &'static str = "nvdwarf.unstrip";

    /// Nothing: the file is the answer.
    fn text(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
