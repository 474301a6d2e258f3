//! `strip`: writes a file without the debug sections of its cubins, and these to side files.

mod cubin;
mod side_file;

use crate::commands::read::{self, Edited, EditedCubin, EditedFile};
use crate::commands::written_file::{Target, write_together};
use crate::options::{PathMap, path_map_argument};
use crate::output;
use crate::quiet::is_quiet;
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, NoAnswer, report};
use crate::stderr::{complain, note};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use cubin::{MappedPaths, StrippedCubin, map_names, map_ptx, strip_cubin};
use nv_debug_sections::cubin::{Cubin, Keep, RemovedSection};
use schemars::JsonSchema;
use serde::Serialize;
use side_file::{Replaced, expect_replaceable};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver strip k.cubin                          remove the debug sections from k.cubin
  ptxas-driver strip k.cubin --split k.debug          the same, and write them to k.debug
  ptxas-driver lines k.cubin --debug-file k.debug     answers as before
  ptxas-driver strip a.out --debug-dir debug          all cubins in a.out, a side file for each
  ptxas-driver lines a.out --debug-dir debug f+0x40   answers as before
  ptxas-driver strip --keep lines k.cubin -o small.cubin
  ptxas-driver strip --path-map /home/me=/src k.cubin   all debug sections stay, with other paths
  ptxas-driver strip --keep all-without-ptx k.cubin   take out the text from which the code can be read

Code, constants, symbols and .nv.info stay as they are: symbols keep their numbers, which .nv.info
refers to. A side file is an ELF file with all sections under their old numbers, those of code
without bytes. --debug-file takes it only together with the rest of the cubin from which it was made;
`unstrip` puts it back.

FILE may be a fatbin, or a host program, object, library or archive with cubins in it. It keeps its
length, and all that is not a cubin stays where it is: a smaller cubin is followed by zeros, and one
that was compressed is compressed again. FILE:sm_90, FILE:2 or FILE:sm_90:2 choose cubins. PTX and
LTO IR stay; --path-map changes the paths in PTX, and the names of source files that fatbins have.

The name of a side file in --debug-dir is the build ID of its cubin, which stays the same when the
cubin is stripped. All files are written, or none. A file that is read-only is not replaced; a symbolic
link stays and the file that it leads to is replaced; other names of a file (hard links) keep what it
was.

Exit status:
  0  done, also where there was nothing to remove
  1  there is nothing to split off
  2  the command line is wrong, or a file cannot be read or written, also because a side file of the
     same code with more in it would be replaced, or because a cubin does not fit its place";

/// The options of `strip`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A cubin, or a file with cubins in it; `-` for standard input
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
    /// Write a side file for each cubin into this folder, which is made if it is not there; their
    /// names are the build IDs of the cubins, by which other commands find them
    #[arg(long, value_name = "DIR", conflicts_with = "split")]
    debug_dir: Option<PathBuf>,
    /// Write to this file, `-` for standard output; else FILE is replaced, or what was read from
    /// standard input goes to standard output
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

/// What `strip` did. With `--json` the file cannot go to standard output.
#[derive(Debug, Serialize, JsonSchema)]
struct Stripped<'a> {
    #[serde(skip)]
    file: &'a str,
    /// Which debug sections stay in the cubin.
    keep: Keep,
    /// What `--path-map` did. Absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_map: Option<&'a MappedPaths>,
    /// The file that was written; `None` where nothing changes and the file stays as it is.
    output: Option<String>,
    /// Size of the cubin before, in bytes.
    bytes_before: usize,
    /// Size of the cubin after, in bytes.
    bytes_after: usize,
    /// Number of bytes that the cubin took in its fatbin before, compressed where it is. Absent for
    /// a file that is a cubin.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes_before: Option<u64>,
    /// Number of bytes that the cubin takes in its fatbin after, without the zeros that follow it.
    /// Absent for a file that is a cubin.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes_after: Option<u64>,
    /// The sections that were removed, in file order, including relocations and Mercury copies.
    removed: &'a [RemovedSection],
    /// The side file that was written; `None` without one.
    debug_file: Option<String>,
    /// Size of the side file in bytes; `None` without one.
    debug_file_bytes: Option<usize>,
}

/// The name of the JSON schema of `strip`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Stripped<'_>>();

/// Runs `strip`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let target = Target::of(&options.file, options.output.as_deref());
    let form = if options.json { Form::Json } else { Form::NoHeadings };
    let name = read::shown_name(&options.file);
    if let Some(message) = options.fault(target) {
        complain(format_args!("{message}"));
        return Ok(Exit::Unreadable);
    }
    report(out, form, Stripped::SCHEMA, &name, |answers| strip(options, answers))
}

/// Strips the cubins of the file.
fn strip(options: &Options, answers: &mut Answers<'_>) -> Result<()> {
    let file = EditedFile::read(&options.file)?;
    let read = file.path();
    let target = Target::of(&read, options.output.as_deref());
    let mut named = HashMap::new();
    let mut edited = file.edit(
        |cubin| strip_cubin(options, cubin),
        |image, result, before| has_own_side_file(image, result, before, &mut named),
    )?;
    if !options.path_map.is_empty() {
        let maps = &options.path_map;
        let edit_ptx = |name: &str, text: &[u8]| {
            let (new, remaining) = map_ptx(maps, text);
            for left in remaining {
                left.say(name);
            }
            new
        };
        let others = file.edit_others(&mut edited, |source| map_names(maps, source), edit_ptx)?;
        if others > 0 {
            let name = file.name();
            note(format_args!("{name}: paths in LTO IR stay as they are (images of it: {others})"));
        }
    }
    let sides = sides(options, &file, &edited)?;
    if let (Target::File(path), true) = (target, file.is_cubin()) {
        // The side file of an earlier run is all that is left of what it took.
        let cubin = Cubin::parse(&edited.bytes).with_context(|| file.name().to_owned())?;
        expect_replaceable(&cubin, path, Replaced::SideFile).with_context(|| file.name().to_owned())?;
    }
    if let Target::File(path) = target
        && let Some(side) = sides.keys().find(|side| output::is_same(side, path))
    {
        let (name, side) = (file.name(), side.display());
        bail!("{name}: '{side}' is to be a side file, so nothing else can be written to it");
    }
    // A file that loses nothing is not written either.
    let written =
        (options.output.is_some() || edited.is_changed() || target == Target::Stdout).then_some(target);
    if let Some(folder) = options.debug_dir.as_ref().filter(|_| !sides.is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let files: Vec<(&Path, &[u8])> = sides.into_iter().collect();
    write_together(&files, written, &edited.bytes, &read, answers.out)?;
    tell(options, written, &edited, answers)
}

/// Whether a cubin has a side file that is for no cubin before it with other debug sections. Such
/// cubins have the same code, as of a template in several sources; one of them can be stripped.
/// `named` are the numbers of the cubins before it, by their side files.
fn has_own_side_file(
    image: &InputName,
    result: &mut StrippedCubin,
    before: &[EditedCubin<StrippedCubin>],
    named: &mut HashMap<PathBuf, usize>,
) -> bool {
    let Some(side) = &result.side else { return true };
    let first = *named.entry(side.path.clone()).or_insert(before.len());
    let of_first = before.get(first).and_then(|cubin| cubin.result.side.as_ref());
    let Some(first) = before.get(first).filter(|_| of_first.is_some_and(|first| first.bytes != side.bytes))
    else {
        return true;
    };
    note(format_args!(
        "{}: stays as it is: {} has the same code and other debug sections, and takes the side file",
        image.name, first.image.name
    ));
    result.keep_all();
    false
}

/// The side files that are to be written, by their paths: cubins that are the same have one.
///
/// # Errors
///
/// The options ask for one, and there is none, or there are several.
fn sides<'e>(
    options: &Options,
    file: &EditedFile,
    edited: &'e Edited<'_, StrippedCubin>,
) -> Result<BTreeMap<&'e Path, &'e [u8]>> {
    let name = file.name();
    let found = edited.cubins.iter().filter_map(|cubin| cubin.result.side.as_ref());
    if let (Some(split), Some(_)) = (&options.split, found.clone().nth(1)) {
        let (count, split) = (found.count(), split.display());
        bail!(
            "{name}: {count} cubins with debug sections, and one file '{split}'; --debug-dir has one for each"
        );
    }
    let sides: BTreeMap<&Path, &[u8]> = found.map(|side| (side.path.as_path(), &*side.bytes)).collect();
    if let (Some(path), true) = (options.split.as_ref().or(options.debug_dir.as_ref()), sides.is_empty()) {
        let path = path.display();
        let what = if options.split.is_some() {
            format!("'{path}' is not written")
        } else {
            format!("nothing is written into '{path}'")
        };
        return Err(NoAnswer(format!("{name}: no debug sections, so {what}")).into());
    }
    Ok(sides)
}

/// Says what became of each cubin.
fn tell(
    options: &Options,
    written: Option<Target<'_>>,
    edited: &Edited<'_, StrippedCubin>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let shown = |path: &Path| path.display().to_string();
    for cubin in &edited.cubins {
        let done = &cubin.result;
        let answer = Stripped {
            file: &cubin.image.name,
            keep: done.keep,
            path_map: done.path_map.as_ref(),
            output: match written {
                Some(Target::File(path)) => Some(shown(path)),
                Some(Target::Stdout) | None => None,
            },
            bytes_before: done.before,
            bytes_after: done.after,
            stored_bytes_before: cubin.stored.map(|(before, _)| before),
            stored_bytes_after: cubin.stored.map(|(_, after)| after),
            removed: &done.removed,
            debug_file: done.side.as_ref().map(|side| shown(&side.path)),
            debug_file_bytes: done.side.as_ref().map(|side| side.bytes.len()),
        };
        for left in answer.path_map.iter().flat_map(|map| &map.remaining) {
            left.say(&cubin.image.name);
        }
        if options.verbose {
            answer.say();
        }
        answers.add_cubin(&cubin.image, done.kind, &answer)?;
    }
    if let (true, [_, _, ..]) = (options.verbose, &*edited.cubins) {
        say_total(edited);
    }
    Ok(())
}

/// Says on standard error how many bytes all cubins of a file lost.
fn say_total(edited: &Edited<'_, StrippedCubin>) {
    let cubins = &edited.cubins;
    let changed = cubins.iter().filter(|cubin| !cubin.result.removed.is_empty()).count();
    let (before, after) = cubins
        .iter()
        .fold((0, 0), |(before, after), cubin| (before + cubin.result.before, after + cubin.result.after));
    note(format_args!("{changed} of {} cubins stripped, {before} bytes before, {after} after", cubins.len()));
}

impl Answer for Stripped<'_> {
    const SCHEMA: &'static str = "nvdwarf.strip";

    /// Nothing: the files are the answer.
    fn text(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
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

    /// Why it cannot be done as the command line has it.
    fn fault(&self, target: Target<'_>) -> Option<&'static str> {
        if let Some(fault) = target.fault_in_place(&self.file) {
            return Some(fault);
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

impl Stripped<'_> {
    /// Says on standard error what went. If that takes nothing, the files are written all the same.
    fn say(&self) {
        if is_quiet() {
            return;
        }
        let mut errors = io::stderr().lock();
        for RemovedSection { name, size, .. } in self.removed {
            let s = if *size == 1 { "" } else { "s" };
            let (file, name) = (read::printable(self.file), read::printable(name));
            let _ = writeln!(errors, "{file}: {name}: {size} byte{s}");
        }
        drop(errors);
        let Self { file, removed, bytes_before, bytes_after, .. } = self;
        let stored = match (self.stored_bytes_before, self.stored_bytes_after) {
            (Some(before), Some(after)) => format!("; in the file {before} before, {after} after"),
            _ => String::new(),
        };
        note(format_args!(
            "{file}: {} sections removed, {bytes_before} bytes before, {bytes_after} after{stored}",
            removed.len()
        ));
    }
}
