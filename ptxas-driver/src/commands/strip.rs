//! `strip`: writes a cubin without its debug sections, and these to a side file.

use crate::commands::read;
use crate::input;
use crate::options::{PathMap, path_map_argument};
use crate::output::{self, Together};
use crate::quiet::is_quiet;
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, NoAnswer, report};
use crate::stderr::{complain, note};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use nv_debug_sections::cubin::{Cubin, Keep, RemovedSection};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver strip k.cubin                          remove the debug sections from k.cubin
  ptxas-driver strip k.cubin --split k.debug          the same, and write them to k.debug
  ptxas-driver lines k.cubin --debug-file k.debug     answers as before
  ptxas-driver strip --keep lines k.cubin -o small.cubin
  ptxas-driver strip --path-map /home/me=/src k.cubin   all debug sections stay, with other paths
  ptxas-driver strip --keep all-without-ptx k.cubin   take out the text from which the code can be read

Code, constants, symbols and .nv.info stay as they are: symbols keep their numbers, which .nv.info
refers to. A side file is an ELF file with all sections under their old numbers, those of code
without bytes. --debug-file takes it only together with the rest of the cubin from which it was made.
Both files are written, or none. A file that is read-only is not replaced; a symbolic link stays and
the file that it leads to is replaced; other names of a file (hard links) keep what it was. For fatbins and
host programs: `extract` first.

Exit status:
  0  done, also where there was nothing to remove
  1  there is nothing to split off
  2  the command line is wrong, or a file cannot be read or written, also because a side file of the
     same code with more in it would be replaced";

/// The options of `strip`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A cubin; `-` for standard input
    file: PathBuf,
    /// What stays of the debug sections (default: none, with --path-map all)
    #[arg(long, value_name = "WHAT")]
    keep: Option<KeepName>,
    /// Write paths that begin with OLD as if they began with NEW: folders and files of line tables,
    /// names and folders of units. May be given again; the last one that fits wins. Where NEW
    /// begins with OLD, paths inside NEW stay. A note says which sections still have OLD
    #[arg(long, visible_alias = "file-prefix-map", value_name = "OLD=NEW", value_parser = path_map_argument)]
    path_map: Vec<PathMap>,
    /// Write a side file with all debug sections, those that stay too
    #[arg(long, value_name = "FILE")]
    split: Option<PathBuf>,
    /// Write the cubin to this file, `-` for standard output; else it replaces FILE, or follows
    /// standard input to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Say on standard error what goes
    #[arg(short, long)]
    verbose: bool,
    /// One JSON document of what went (docs/json.md)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeepName {
    /// Nothing
    None,
    /// All of them
    All,
    /// What `-lineinfo` gives: frame rules, lines, inlined functions, PTX lines and the PTX text
    Lines,
    /// The same without PTX lines and PTX text, from which the code can be read
    LinesWithoutPtx,
    /// Everything but PTX lines and PTX text
    AllWithoutPtx,
}

/// Where the cubin goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target<'o> {
    Stdout,
    /// A file, which is that of the cubin where no other is named.
    File(&'o Path),
}

/// What `strip` did. With `--json` the cubin cannot go to standard output.
#[derive(Debug, Serialize, JsonSchema)]
struct Stripped<'a> {
    #[serde(skip)]
    file: &'a str,
    /// Which debug sections stay in the cubin.
    keep: Keep,
    /// What `--path-map` did. Absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_map: Option<MappedPaths>,
    /// The cubin that was written; `None` where nothing was removed and the file stays as it is.
    output: Option<String>,
    /// Size of the cubin before, in bytes.
    bytes_before: usize,
    /// Size of the cubin after, in bytes.
    bytes_after: usize,
    /// The sections that were removed, in file order, including relocations and Mercury copies.
    removed: Vec<RemovedSection>,
    /// The side file that was written; `None` without one.
    debug_file: Option<String>,
    /// Size of the side file in bytes; `None` without one.
    debug_file_bytes: Option<usize>,
}

/// What a path map did to a cubin.
#[derive(Debug, Serialize, JsonSchema)]
struct MappedPaths {
    /// Whether any path was written anew.
    changed: bool,
    /// The sections of the cubin that still have a beginning of a path that was to be replaced, in
    /// file order. `.nv_debug_ptx_txt` has it in the PTX text.
    remaining: Vec<RemainingPath>,
}

/// A beginning of a path that a section still has.
#[derive(Debug, Serialize, JsonSchema)]
struct RemainingPath {
    /// The name of the section.
    section: String,
    /// The beginning of the path, as `--path-map` has it.
    old: String,
    /// The number of places in the section that have it.
    count: usize,
}

/// The name of the JSON schema of `strip`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Stripped<'_>>();

/// Runs `strip`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let target = options.target();
    if let Some(message) = options.fault(target) {
        complain(format_args!("{message}"));
        return Ok(Exit::Unreadable);
    }
    let form = if options.json { Form::Json } else { Form::NoHeadings };
    let name = read::shown_name(&options.file);
    report(out, form, Stripped::SCHEMA, &name, |answers| strip(options, target, answers))
}

/// Strips the file.
fn strip(options: &Options, target: Target<'_>, answers: &mut Answers<'_>) -> Result<()> {
    let (name, bytes) = read::read_plain(&options.file)?;
    let cubin = Cubin::parse(&bytes).with_context(|| name.clone())?;
    read::warn_of_newer_release(&name, &cubin);
    if options.json || options.verbose {
        cubin.check_name_expansion().with_context(|| name.clone())?;
    }
    if cubin.is_side_file() {
        bail!("{name}: a side file of `strip`; the cubin itself is to be stripped");
    }
    let keep = options.keep();
    let mut whole = cubin.clone();
    let map = |path: &[u8]| PathMap::apply(&options.path_map, path);
    let is_mapped = !options.path_map.is_empty() && whole.map_paths(&map).with_context(|| name.clone())?;
    let mut stripped = whole.clone();
    let removed = stripped.strip(keep).with_context(|| name.clone())?;
    // What is stripped already stays as it is, to the byte.
    let result = if removed.is_empty() && !is_mapped {
        Cow::Borrowed(&*bytes)
    } else {
        stripped.write().with_context(|| name.clone())?.into()
    };
    let side = match &options.split {
        Some(split) => Some((split, side_file(&whole, split).with_context(|| name.clone())?)),
        None => None,
    };
    if let Target::File(path) = target {
        // The side file of an earlier run is all that is left of what it took.
        expect_replaceable(&cubin, path, Replaced::SideFile).with_context(|| name.clone())?;
    }
    // A file that loses nothing is not written either.
    let changes = !removed.is_empty() || is_mapped;
    let written = if options.output.is_some() || changes { Some(target) } else { None };
    write(side.as_ref().map(|(path, bytes)| (path.as_path(), &**bytes)), written, &result, answers.out)?;

    let shown = |path: &Path| path.display().to_string();
    let answer = Stripped {
        file: &name,
        keep,
        path_map: (!options.path_map.is_empty())
            .then(|| MappedPaths { changed: is_mapped, remaining: remaining(&stripped, &options.path_map) }),
        output: match written {
            Some(Target::File(path)) => Some(shown(path)),
            Some(Target::Stdout) | None => None,
        },
        bytes_before: bytes.len(),
        bytes_after: result.len(),
        removed: RemovedSection::of(&cubin, &removed),
        debug_file: side.as_ref().map(|(path, _)| shown(path)),
        debug_file_bytes: side.as_ref().map(|(_, bytes)| bytes.len()),
    };
    for RemainingPath { section, old, count } in answer.path_map.iter().flat_map(|map| &map.remaining) {
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        note(format_args!("{name}: {section} still has '{old}' ({times})"));
    }
    if options.verbose {
        answer.say();
    }
    let image = InputName { name: name.clone(), ..InputName::default() };
    Ok(answers.add_cubin(&image, &cubin, &answer)?)
}

impl Answer for Stripped<'_> {
    const SCHEMA: &'static str = "nvdwarf.strip";

    /// Nothing: the files are the answer.
    fn text(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The sections that still have a beginning of a path that was to be replaced.
fn remaining(cubin: &Cubin<'_>, maps: &[PathMap]) -> Vec<RemainingPath> {
    let mut found = Vec::new();
    for (index, section, _) in cubin.iter() {
        let left = PathMap::remaining(maps, &cubin.bytes(index).unwrap_or_default());
        for map in maps {
            let count = left.iter().filter(|left| std::ptr::eq(left.map, map)).count();
            if count > 0 {
                found.push(RemainingPath { section: section.to_owned(), old: map.old.clone(), count });
            }
        }
    }
    found
}

impl Options {
    fn keep(&self) -> Keep {
        match self.keep {
            Some(KeepName::None) => Keep::None,
            Some(KeepName::Lines) => Keep::Lines,
            Some(KeepName::LinesWithoutPtx) => Keep::LinesWithoutPtx,
            Some(KeepName::AllWithoutPtx) => Keep::AllWithoutPtx,
            None if self.path_map.is_empty() => Keep::None,
            Some(KeepName::All) | None => Keep::All,
        }
    }

    fn target(&self) -> Target<'_> {
        let path = self.output.as_deref().unwrap_or(&self.file);
        if path == Path::new("-") { Target::Stdout } else { Target::File(path) }
    }

    /// Why it cannot be done as the command line has it.
    fn fault(&self, target: Target<'_>) -> Option<&'static str> {
        let in_place = self.output.is_none() && target != Target::Stdout;
        if in_place && self.file.exists() && !self.file.is_file() && !self.file.is_dir() {
            return Some("what is not a plain file cannot be replaced: -o FILE");
        }
        if self.json && target == Target::Stdout {
            return Some("the cubin and --json cannot both go to standard output: -o FILE");
        }
        let split = self.split.as_deref()?;
        match target {
            _ if split == Path::new("-") => Some("the side file needs a name: --split FILE"),
            Target::File(target) if output::is_same(split, target) => {
                Some("the side file and the cubin cannot be the same file")
            }
            _ if output::is_same(split, &self.file) => {
                Some("the side file cannot replace the cubin it is made of")
            }
            _ => None,
        }
    }
}

/// Writes both files, or none. `target` is `None` for a cubin that stays as it is.
fn write(
    side: Option<(&Path, &[u8])>,
    target: Option<Target<'_>>,
    cubin: &[u8],
    out: &mut dyn Write,
) -> Result<()> {
    let mut files = Together::lasting();
    let mut names = Vec::new();
    let file = match target {
        Some(Target::File(path)) => Some((path, cubin)),
        Some(Target::Stdout) | None => None,
    };
    for (path, bytes) in side.into_iter().chain(file) {
        files.add(path, bytes)?;
        names.push((path, output::other_names(path)));
    }
    if target == Some(Target::Stdout) {
        output::write_stdout(out, cubin)?;
    }
    files.commit()?;
    for (path, others) in names.into_iter().filter(|(_, others)| *others > 0) {
        let path = path.display();
        note(format_args!("{path}: other names of the file (hard links: {others}) keep what it was"));
    }
    Ok(())
}

/// Which files are not replaced where they have debug sections that the cubin lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replaced {
    /// Every cubin.
    Any,
    /// Side files.
    SideFile,
}

/// Expects that a file that is to be replaced has no debug sections of this code that the cubin
/// lacks.
fn expect_replaceable(cubin: &Cubin<'_>, path: &Path, replaced: Replaced) -> Result<()> {
    let is_kept = |old: &Cubin<'_>| replaced == Replaced::Any || old.is_side_file();
    let has_more = |old: &Cubin<'_>| is_kept(old) && old.is_unstripped(cubin);
    let bytes = if path.is_file() { input::read(path).ok() } else { None };
    if bytes.is_some_and(|bytes| Cubin::parse(&bytes).is_ok_and(|old| has_more(&old))) {
        let path = path.display();
        bail!("'{path}' has debug sections of this code that the cubin lacks, so it is not replaced");
    }
    Ok(())
}

/// The bytes of the side file that is to be written to `path`.
fn side_file(cubin: &Cubin<'_>, path: &Path) -> Result<Vec<u8>> {
    if !cubin.has_debug_sections() {
        return Err(NoAnswer(format!("no debug sections, so '{}' is not written", path.display())).into());
    }
    expect_replaceable(cubin, path, Replaced::Any)?;
    let mut side = cubin.clone();
    side.keep_only_debug()?;
    Ok(side.write()?)
}

impl Stripped<'_> {
    /// Says on standard error what went. If that takes nothing, the files are written all the same.
    fn say(&self) {
        if is_quiet() {
            return;
        }
        let mut errors = io::stderr().lock();
        for RemovedSection { name, size, .. } in &self.removed {
            let s = if *size == 1 { "" } else { "s" };
            let (file, name) = (read::printable(self.file), read::printable(name));
            let _ = writeln!(errors, "{file}: {name}: {size} byte{s}");
        }
        drop(errors);
        let Self { file, removed, bytes_before, bytes_after, .. } = self;
        note(format_args!(
            "{file}: {} sections removed, {bytes_before} bytes before, {bytes_after} after",
            removed.len()
        ));
    }
}
