//! `sizes`: how the bytes of cubins are shared out.

mod text;

use crate::commands::read::{self, FolderFilter};
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, report};
use crate::stderr::complain;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use cubin_debuginfo::sizes::{CubinSizes, Sizes, Totals};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Bytes are those of the cubins, decompressed. Those of a function are its code, its capsule, its constants, and its facts
for the driver; debug sections, symbols and headers belong to the whole file. A function of the same name in several
cubins of an architecture is one row.

Examples:
  ptxas-driver sizes a.out                     over all cubins in a program, library or fatbin
  ptxas-driver sizes new.so --base old.so      what has grown, the largest change first
  ptxas-driver sizes lib.a --by function -n 50
  ptxas-driver sizes lib.a:sm_90               of one architecture only

Exit status:
  0  answered
  2  the command line is wrong, or a file cannot be read";

/// The options of `sizes`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// Cubins, files with cubins in them, or folders; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare with this older file: show by how much each row has grown, the largest change first
    #[arg(long, value_name = "OLD")]
    base: Option<PathBuf>,
    /// Show one list only; --json has all
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<By>,
    /// The number of functions to show; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Architectures
    Arch,
    /// Kinds of sections
    Section,
    /// Kernels and functions
    Function,
}

/// What `sizes` says of a file: how the bytes of all its cubins are shared out.
#[derive(Debug, Serialize, JsonSchema)]
struct FileSizes<'a> {
    #[serde(flatten)]
    sizes: Sizes,
    #[serde(skip)]
    name: &'a str,
    #[serde(skip)]
    options: &'a Options,
}

/// The name of the JSON schema of `sizes`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_files::<FileSizes<'_>>();

/// Runs `sizes`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let is_stdin = options.files.iter().chain(&options.base).map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin)? {
        return Ok(Exit::Unreadable);
    }
    if options.base.is_some() && options.files.len() > 1 {
        complain(format_args!("--base compares one FILE, and {} are given", options.files.len()));
        return Ok(Exit::Unreadable);
    }
    let form = if options.json { Form::Json } else { Form::Text };
    let name = options.files.first().map(|path| read::shown_name(path)).unwrap_or_default();
    report(out, form, FileSizes::SCHEMA, &name, |answers| {
        let mut base = None;
        if let Some(path) = &options.base {
            let tell = |_: &Path, totals, _: &mut Answers<'_>| {
                base = Some(totals);
                Ok(())
            };
            measure(std::slice::from_ref(path), answers, tell)?;
            if base.is_none() {
                return Ok(());
            }
        }
        measure(&options.files, answers, |path, totals, answers| {
            let name = read::shown_name(path);
            let answer = FileSizes { sizes: totals.sizes(base.as_ref()), name: &name, options };
            let image = InputName { name: name.clone(), ..InputName::default() };
            Ok(answers.add(&image, &answer)?)
        })
    })
}

/// Calls `tell` with the sizes of all cubins of each operand that has one.
fn measure(
    operands: &[PathBuf],
    answers: &mut Answers<'_>,
    mut tell: impl FnMut(&Path, Totals, &mut Answers<'_>) -> Result<()>,
) -> Result<()> {
    let totals = std::cell::RefCell::new(None);
    let look = |_: &Path, image: &InputName, bytes: &[u8]| {
        let cubin = read::cubin(&image.name, bytes)?;
        CubinSizes::of(&cubin, bytes.len() as u64).with_context(|| image.name.clone())
    };
    let add = |_: &InputName, sizes: CubinSizes, _: &mut Answers<'_>| {
        totals.borrow_mut().get_or_insert_with(Totals::default).add(&sizes);
        Ok(())
    };
    let end = |path: &Path, answers: &mut Answers<'_>| match totals.take() {
        Some(totals) => tell(path, totals, answers),
        None => Ok(()),
    };
    read::each_cubin_in_parallel(read::walk(operands, FolderFilter::Cubins), answers, look, add, end)
}

impl Answer for FileSizes<'_> {
    const SCHEMA: &'static str = "nvdwarf.sizes";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        text::file(out, self.name, &self.sizes, self.options.by, self.options.top)
    }
}
