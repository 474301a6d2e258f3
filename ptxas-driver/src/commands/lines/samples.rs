//! `--samples`: how often each source line and each chain of inlined calls was hit.

use super::answer::{Answers, NamedFrame};
use super::csv::{self, BadRow, Sample};
use crate::commands::read::{printable, shown};
use crate::limits::MAX_BAD_SAMPLES;
use cubin_debuginfo::query::{CodeAddress, Queries};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::io::{self, Write};

/// What came of a file of samples.
#[derive(Debug, Serialize)]
pub(super) struct Samples<'s> {
    /// Samples in all rows that could be read.
    total: u64,
    /// Those of addresses that no line table covers.
    without_line: u64,
    /// By `self` and then `total`, most first.
    lines: Vec<LineCount<'s>>,
    /// By count, most first.
    chains: Vec<ChainCount<'s>>,
    /// Rows that are no samples, or name what the file does not have.
    bad_rows: u64,
    /// The first of them.
    errors: Vec<BadRow>,
    /// For each row in file order whether it is a sample of the cubin.
    #[serde(skip)]
    answers: Vec<bool>,
}

impl Serialize for BadRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::json!({ "row": self.row, "error": self.why }).serialize(serializer)
    }
}

#[derive(Debug, Serialize)]
struct LineCount<'s> {
    file: Option<&'s str>,
    line: u32,
    /// Samples in the line's own code.
    #[serde(rename = "self")]
    own: u64,
    /// These and the samples in what is inlined into it; a chain that has the line twice counts once.
    total: u64,
}

#[derive(Debug, Serialize)]
struct ChainCount<'s> {
    count: u64,
    /// Innermost first; up to 1024.
    frames: Vec<NamedFrame<'s>>,
}

/// A frame as a key: function, file, line.
type Step<'s> = (Option<String>, Option<&'s str>, u32);

impl<'s> Samples<'s> {
    /// Reads a CSV text and counts.
    pub(super) fn new(text: &str, answers: &Answers<'s>, queries: &Queries<'_>) -> Result<Self, String> {
        let mut samples = Self {
            total: 0,
            without_line: 0,
            lines: vec![],
            chains: vec![],
            bad_rows: 0,
            errors: vec![],
            answers: vec![],
        };
        let mut starts: HashMap<(String, String), Result<CodeAddress, String>> = HashMap::new();
        let mut counts: HashMap<CodeAddress, u64> = HashMap::new();
        for (row, sample) in csv::samples(text)? {
            let address = sample.and_then(|sample| {
                let address = Self::address(&sample, &mut starts, answers, queries);
                address.map(|address| (address, sample.count))
            });
            samples.answers.push(address.is_ok());
            match address {
                Ok((address, count)) => {
                    // No other sum is larger.
                    let total = samples.total.checked_add(count);
                    samples.total = total.ok_or_else(|| {
                        format!("row {row}: there are more than {} samples up to here", u64::MAX)
                    })?;
                    *counts.entry(address).or_default() += count;
                }
                Err(why) => samples.bad_row(BadRow { row, why }),
            }
        }
        samples.count(counts, answers);
        Ok(samples)
    }

    /// Whether each row, in file order, was a sample of the cubin.
    pub(super) fn into_answers(self) -> Vec<bool> {
        self.answers
    }

    fn bad_row(&mut self, error: BadRow) {
        self.bad_rows += 1;
        if self.errors.len() < MAX_BAD_SAMPLES {
            self.errors.push(error);
        }
    }

    fn address(
        sample: &Sample,
        starts: &mut HashMap<(String, String), Result<CodeAddress, String>>,
        answers: &Answers<'s>,
        queries: &Queries<'_>,
    ) -> Result<CodeAddress, String> {
        let key = (sample.function.clone(), sample.section.clone());
        let start = starts.entry(key).or_insert_with_key(|(function, section)| {
            queries.start_of(function, section).map_err(|error| error.to_string())
        });
        let CodeAddress { section, offset } = start.clone()?;
        let address = CodeAddress { section, offset: offset.saturating_add(sample.offset) };
        answers.expect_code(address)?;
        Ok(address)
    }

    fn count(&mut self, counts: HashMap<CodeAddress, u64>, answers: &Answers<'s>) {
        let mut lines: HashMap<(Option<&'s str>, u32), (u64, u64)> = HashMap::new();
        let mut chains: HashMap<Vec<Step<'s>>, ChainCount<'s>> = HashMap::new();
        for (address, count) in counts {
            let frames = answers.frames(address);
            if frames.is_empty() {
                self.without_line += count;
            }
            let mut seen = Vec::new();
            for (depth, frame) in frames.iter().enumerate() {
                let place = (frame.frame.file.path(), frame.frame.line);
                let (own, total) = lines.entry(place).or_default();
                if depth == 0 {
                    *own += count;
                }
                if !seen.contains(&place) {
                    *total += count;
                    seen.push(place);
                }
            }
            let function = |frame: &NamedFrame<'s>| frame.name.as_ref().map(|name| shown(name).into_owned());
            let key: Vec<Step<'s>> = frames
                .iter()
                .map(|frame| (function(frame), frame.frame.file.path(), frame.frame.line))
                .collect();
            let chain = chains.entry(key).or_insert(ChainCount { count: 0, frames });
            chain.count += count;
        }
        self.lines = lines
            .into_iter()
            .map(|((file, line), (own, total))| LineCount { file, line, own, total })
            .collect();
        self.lines.sort_by_key(|l| (std::cmp::Reverse((l.own, l.total)), l.file, l.line));
        let mut chains: Vec<_> = chains.into_iter().collect();
        chains.sort_by(|(a, x), (b, y)| (y.count, a).cmp(&(x.count, b)));
        self.chains = chains.into_iter().map(|(_, chain)| chain).collect();
    }
}

/// Writes the counts: lines, then chains.
pub(super) fn write(out: &mut dyn Write, samples: &Samples<'_>) -> io::Result<()> {
    let Samples { total, without_line, lines, chains, .. } = samples;
    writeln!(out, "{total} samples, {without_line} of them without a line")?;
    writeln!(out, "\n{:>10} {:>10}  line", "self", "total")?;
    for LineCount { file, line, own, total } in lines {
        writeln!(out, "{own:>10} {total:>10}  {}:{line}", printable(file.unwrap_or("??")))?;
    }
    writeln!(out, "\n{:>10}  chain", "samples")?;
    for ChainCount { count, frames } in chains {
        write!(out, "{count:>10}  ")?;
        for (depth, frame) in frames.iter().enumerate() {
            if depth > 0 {
                out.write_all(b" <- ")?;
            }
            super::text::write_frame(out, frame, shown)?;
        }
        writeln!(out, "{}", if frames.is_empty() { "??" } else { "" })?;
    }
    Ok(())
}

/// Rows without an answer, for standard error.
pub(super) fn messages<'a>(samples: &'a Samples<'_>) -> impl Iterator<Item = String> + 'a {
    let more = samples.bad_rows - samples.errors.len() as u64;
    let more = (more > 0).then(|| format!("{more} more rows without an answer"));
    samples.errors.iter().map(ToString::to_string).chain(more)
}
