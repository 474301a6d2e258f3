//! `diff`: compares what two cubins say.

mod text;

use crate::commands::read::{self, OneCubin};
use crate::report::{DocumentSchema, Exit, is_of_stdout, write_document};
use anyhow::{Context, Result, bail};
use clap::Args;
use cubin_debuginfo::diff::{CubinFacts, Difference, DifferenceKind, TextHasher, UnreadSection};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// The options of `diff`.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct Options {
    /// A cubin, or one of a file as in a.out:sm_90; `-` for standard input
    a: PathBuf,
    /// Another one
    b: PathBuf,
    /// Leave these keys out, separated by commas; may be given several times
    #[arg(short, long, value_name = "KEYS", value_delimiter = ',', value_parser = parse_key)]
    ignore: Vec<DifferenceKind>,
    /// Compare only these keys
    #[arg(short, long, value_name = "KEYS", value_delimiter = ',', value_parser = parse_key, conflicts_with = "ignore")]
    only: Vec<DifferenceKind>,
    /// Show at most N differences of each key; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// One JSON document with all differences (docs/json.md)
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    let keys: Vec<String> =
        DifferenceKind::all().map(|key| format!("  {key:<12} {}\n", key.meaning())).collect();
    format!(
        "\
Files are compared by what they say, not by how they are laid out. Addresses count from the start of
a function, and offsets of entries, strings and files are replaced by what they lead to. If a source
file has another time or size, diff says so, but does not count it as a difference.

Keys:
{}
Examples:
  ptxas-driver diff --only code plain.cubin lineinfo.cubin    did asking for lines change the code?
  ptxas-driver diff --ignore notes,ptx-text a.cubin b.cubin

Exit status:
  0  no difference
  1  a difference
  2  a file cannot be read, or the command line is wrong",
        keys.concat()
    )
}

/// The key of a name.
///
/// # Errors
///
/// A message that lists the names.
fn parse_key(name: &str) -> Result<DifferenceKind, String> {
    DifferenceKind::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = DifferenceKind::all().map(DifferenceKind::name).collect();
        format!("no such key; the keys are {}", names.join(", "))
    })
}

/// What `diff` finds: what two cubins say differently. The exit status is 1 where there is a
/// difference.
#[derive(Debug, Serialize, JsonSchema)]
struct Diff<'a> {
    /// The first file, as given.
    a: &'a str,
    /// The second file, as given.
    b: &'a str,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

/// What came of the comparison.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Outcome<'a> {
    Compared {
        /// Keys that were not compared. Absent with `error`.
        ignored: &'a [DifferenceKind],
        /// All differences, whatever `--limit` says. Absent with `error`.
        differences: &'a [Difference],
        /// The source files for which the file tables of the two cubins have different times or
        /// sizes. This does not count as a difference. Absent with `error`.
        other_file_stats: &'a [String],
    },
    Refused {
        /// Why the files cannot be compared. Absent where they were.
        error: String,
    },
}

/// The name of the JSON schema of `diff`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of::<Diff<'_>>("nvdwarf.diff");

/// Runs `diff`, and returns the exit status.
///
/// # Errors
///
/// A file is not a readable cubin, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let done = compare(options, out);
    if let Some(error) = done.as_ref().err().filter(|error| options.json && !is_of_stdout(error)) {
        let [a, b] = [&options.a, &options.b].map(|path| read::shown_name(path));
        let outcome = Outcome::Refused { error: format!("{error:#}") };
        write_document(out, SCHEMA.name, &Diff { a: &a, b: &b, outcome })?;
    }
    done
}

fn compare(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let (a, b) = (&options.a, &options.b);
    if read::is_stdin(a) && read::is_stdin(b) {
        bail!(read::STDIN_ONCE);
    }
    let hashes = TextHasher::default();
    let (a, b) = (OneCubin::read(a)?, OneCubin::read(b)?);
    let (old, new) = (options.facts_of(&a, &hashes)?, options.facts_of(&b, &hashes)?);
    let other_file_stats =
        if options.wants(DifferenceKind::Lines) { old.other_file_stats(&new) } else { Vec::new() };
    let other_file_stats: Vec<String> = other_file_stats.into_iter().map(str::to_owned).collect();
    let ignored: Vec<DifferenceKind> = DifferenceKind::all().filter(|key| !options.wants(*key)).collect();
    let limit = if options.json || options.limit == 0 { usize::MAX } else { options.limit };
    let mut differences = old.compare(&new, |key| options.wants(key), limit);
    drop((old, new));
    if differences.needs_texts() {
        for file in [&a, &b] {
            let bytes = file.bytes()?;
            differences.look_up_texts(&read::cubin(file.name(), &bytes)?, bytes.len(), &hashes);
        }
    }
    let differences = differences.resolve();
    let (a, b) = (a.name(), b.name());
    if options.json {
        let (differences, other_file_stats) = (&differences.kept, &other_file_stats);
        let outcome = Outcome::Compared { ignored: &ignored, differences, other_file_stats };
        write_document(out, SCHEMA.name, &Diff { a, b, outcome })?;
    } else {
        text::differences(out, a, b, &differences, &ignored)?;
        text::other_file_stats(out, &other_file_stats)?;
    }
    Ok(Exit::findings_if(!differences.counts.is_empty()))
}

impl Options {
    fn wants(&self, key: DifferenceKind) -> bool {
        (self.only.is_empty() || self.only.contains(&key)) && !self.ignore.contains(&key)
    }

    /// What a file says. The cubin itself is not held: it may be a large image of a small fatbin.
    fn facts_of(&self, file: &OneCubin, hashes: &TextHasher) -> Result<CubinFacts> {
        let (name, bytes) = (file.name(), file.bytes()?);
        let cubin = read::cubin(name, &bytes)?;
        let facts = CubinFacts::new(&cubin, bytes.len(), hashes).with_context(|| name.to_owned())?;
        if let Some(UnreadSection { key, error }) =
            facts.unread().iter().find(|unread| self.wants(unread.key))
        {
            bail!("{name}: {error} (--ignore {key} compares the rest)");
        }
        Ok(facts)
    }
}
