//! `diff`: what two cubins say differently.

mod compare;
mod facts;
mod keys;
mod text;

use crate::commands::read::{self, JSON_VERSION, OneCubin};
use crate::plain::write_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use compare::{AllFacts, Difference, Texts, compare};
use facts::Hashes;
use keys::Key;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code for a difference.
const DIFFERENT: u8 = 1;

/// What to compare.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct Options {
    /// A cubin, or one of a file as in a.out:sm_90; `-` for standard input
    a: PathBuf,
    /// Another one
    b: PathBuf,
    /// Leave these keys out, separated by commas; may be given several times
    #[arg(short, long, value_name = "KEYS", value_delimiter = ',', value_parser = Key::parse)]
    ignore: Vec<Key>,
    /// Compare only these keys
    #[arg(short, long, value_name = "KEYS", value_delimiter = ',', value_parser = Key::parse, conflicts_with = "ignore")]
    only: Vec<Key>,
    /// Show at most so many differences of each key; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// One JSON document with all differences (docs/json.md)
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    format!(
        "\
Compared is what the files say, not how they are laid out: addresses are those in a function,
offsets of entries, strings and files are replaced by what is there. Of a source file whose time or
size is another one that is said, and no difference.

Keys:
{}
Examples:
  ptxas-driver diff --only code plain.cubin lineinfo.cubin    did asking for lines change the code?
  ptxas-driver diff --ignore notes,ptx-text a.cubin b.cubin

Exit status:
  0  no difference
  1  a difference
  2  a file cannot be read, or the command line is wrong",
        keys::help()
    )
}

/// The document of `--json`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    a: &'a str,
    b: &'a str,
    /// Keys that were not compared.
    ignored: &'a [Key],
    differences: &'a [Difference<String>],
    /// Source files whose time or size differs, which is none.
    other_file_stats: &'a [&'a str],
}

/// Runs the command.
///
/// # Errors
///
/// A file is no readable cubin, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let (a, b) = (&options.a, &options.b);
    if read::is_stdin(a) && read::is_stdin(b) {
        bail!(read::STDIN_ONCE);
    }
    let hashes = Hashes::default();
    let (a, b) = (OneCubin::read(a)?, OneCubin::read(b)?);
    let (old, old_files) = options.facts_of(&a, &hashes)?;
    let (new, new_files) = options.facts_of(&b, &hashes)?;
    let is_other =
        |(path, stats): &(&String, &FileStats)| old_files.get(*path).is_some_and(|old| old != *stats);
    let other_file_stats: Vec<&str> =
        new_files.iter().filter(is_other).map(|(path, _)| path.as_str()).collect();
    let other_file_stats = if options.wants(Key::Lines) { other_file_stats } else { Vec::new() };
    let ignored: Vec<Key> =
        keys::KEYS.iter().map(|(key, ..)| *key).filter(|key| !options.wants(*key)).collect();
    let limit = if options.json || options.limit == 0 { usize::MAX } else { options.limit };
    let differences = compare(&old, &new, |key| options.wants(key), limit);
    drop((old, new));
    let wanted = differences.wanted();
    let mut texts = Texts::new();
    if !wanted.is_empty() {
        for file in [&a, &b] {
            let bytes = file.bytes()?;
            texts.extend(facts::texts(&read::cubin(file.name(), &bytes)?, bytes.len(), &hashes, &wanted));
        }
    }
    let differences = differences.resolved(&texts);
    let (a, b) = (a.name(), b.name());
    if options.json {
        let document = Document {
            schema: "nvdwarf.diff",
            schema_version: JSON_VERSION,
            a,
            b,
            ignored: &ignored,
            differences: &differences.kept,
            other_file_stats: &other_file_stats,
        };
        write_json(out, &document)?;
    } else {
        text::differences(out, (a, b), &differences, &ignored)?;
        text::other_file_stats(out, &other_file_stats)?;
    }
    Ok(if differences.counts.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

impl Options {
    fn wants(&self, key: Key) -> bool {
        (self.only.is_empty() || self.only.contains(&key)) && !self.ignore.contains(&key)
    }

    /// What a file says, and its source files. The cubin itself is not held: it may be a large image of a small fatbin.
    fn facts_of(&self, file: &OneCubin, hashes: &Hashes) -> Result<(AllFacts, BTreeMap<String, FileStats>)> {
        let (name, bytes) = (file.name(), file.bytes()?);
        let cubin = read::cubin(name, &bytes)?;
        let (facts, unread) = facts::of(&cubin, bytes.len(), hashes).with_context(|| name.to_owned())?;
        if let Some((key, error)) = unread.into_iter().find(|(key, _)| self.wants(*key)) {
            bail!("{name}: {error} (--ignore {key} compares the rest)");
        }
        Ok((facts, file_stats(&cubin).unwrap_or_default()))
    }
}

/// Times and sizes of a source file, of each table that names it.
type FileStats = BTreeSet<(u64, u64)>;

/// Source files by path; `None` where there is no line table that can be read.
fn file_stats(cubin: &Cubin<'_>) -> Option<BTreeMap<String, FileStats>> {
    let name = SectionKind::DebugLine.name();
    let bytes = cubin.bytes(cubin.section_by_name(name)?).ok()?;
    let mut stats: BTreeMap<String, FileStats> = BTreeMap::new();
    for unit in line::programs(name, &bytes) {
        let unit = unit.ok()?;
        if unit.sequences().any(|sequence| sequence.is_err()) {
            return None;
        }
        let table = unit.table;
        for (path, file) in table.paths(name).ok()?.into_iter().zip(&table.files) {
            stats.entry(path?).or_default().insert((file.mtime, file.size));
        }
    }
    Some(stats)
}
