//! Counts of profiler samples for each source line and each chain of inlined calls.

use super::bad_row::BadRow;
use super::profile_csv::RowError;
use super::sample::Sample;
use super::too_many_samples::TooManySamples;
use super::{LineLookup, NamedFrame};
use crate::address_query::{CodeAddress, QueryError};
use crate::limits::MAX_BAD_SAMPLES;
use crate::names::Name;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The samples of a profile, counted by source line and by chain of calls.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Samples<'s> {
    /// The number of samples in all rows that are samples of the cubin.
    pub total: u64,
    /// The number of samples at addresses that no line table covers.
    pub without_line: u64,
    /// The source lines that were hit, by `self` and then by `total`, most samples first.
    pub lines: Vec<LineCount<'s>>,
    /// The chains of calls that were hit, by `count`, most samples first.
    pub chains: Vec<ChainCount<'s>>,
    /// The number of rows that cannot be read, or that name an address that the cubin does not
    /// have.
    pub bad_rows: u64,
    /// The first 100 rows of the profile that are not samples of the cubin.
    pub errors: Vec<BadRow>,
    /// For each row of the profile, in order, whether it is a sample of the cubin.
    #[serde(skip)]
    pub is_sample: Vec<bool>,
}

/// The number of samples of a source line.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LineSamples")]
pub struct LineCount<'s> {
    /// The source file; `None` for a file number that no table has.
    pub file: Option<&'s str>,
    /// 1-based source line; 0 for none.
    pub line: u32,
    /// The number of samples in the code of the line itself.
    #[serde(rename = "self")]
    pub own: u64,
    /// The number of samples in the code of the line and in the code that is inlined at it. A chain
    /// that has the line twice counts once.
    pub total: u64,
}

/// The number of samples of a chain of calls.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChainSamples")]
pub struct ChainCount<'s> {
    /// The number of samples that hit code with this chain of calls.
    pub count: u64,
    /// The frames of the chain of calls, innermost first: at most 1024 frames.
    pub frames: Vec<NamedFrame<'s>>,
}

/// A frame as a key.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Step<'s> {
    function: Option<String>,
    file: Option<&'s str>,
    line: u32,
    column: u64,
}

impl<'s> LineLookup<'s> {
    /// Counts the samples of a profile by source line and by chain of calls. `rows` are the rows of
    /// the profile with their numbers, as the function [`samples`](super::samples()) reads them.
    ///
    /// # Errors
    ///
    /// There are too many samples. A row that is not a sample is told with the counts.
    pub fn samples(
        &self,
        rows: impl IntoIterator<Item = (u64, Result<Sample, RowError>)>,
    ) -> Result<Samples<'s>, TooManySamples> {
        let mut samples = Samples::default();
        let mut starts = HashMap::new();
        let mut counts: BTreeMap<CodeAddress, u64> = BTreeMap::new();
        for (row, sample) in rows {
            let sample = sample.and_then(|sample| Ok((self.address(&sample, &mut starts)?, sample.count)));
            samples.is_sample.push(sample.is_ok());
            match sample {
                Ok((address, count)) => {
                    // No other sum is larger.
                    samples.total = samples.total.checked_add(count).ok_or(TooManySamples { row })?;
                    *counts.entry(address).or_default() += count;
                }
                Err(error) => {
                    samples.bad_rows += 1;
                    if samples.errors.len() < MAX_BAD_SAMPLES {
                        samples.errors.push(BadRow { error, row });
                    }
                }
            }
        }
        self.count(&mut samples, &counts);
        Ok(samples)
    }

    fn address(
        &self,
        sample: &Sample,
        starts: &mut HashMap<(String, String), Result<CodeAddress, QueryError>>,
    ) -> Result<CodeAddress, QueryError> {
        let key = (sample.function.clone(), sample.section.clone());
        let start = starts
            .entry(key)
            .or_insert_with_key(|(function, section)| self.queries.start_of(function, section));
        let CodeAddress { section, offset } = start.clone()?;
        let address = CodeAddress { section, offset: offset.saturating_add(sample.offset) };
        self.queries.expect_code(address).map(|()| address)
    }

    fn count(&self, samples: &mut Samples<'s>, counts: &BTreeMap<CodeAddress, u64>) {
        let mut lines: HashMap<(Option<&'s str>, u32), (u64, u64)> = HashMap::new();
        let mut chains: HashMap<Vec<Step<'s>>, ChainCount<'s>> = HashMap::new();
        let addresses: Vec<_> = counts.keys().map(|address| (address.section, address.offset)).collect();
        for (place, count) in self.symbolizer.locate_all(addresses).zip(counts.values()) {
            let frames = self.frames_at(place);
            if frames.is_empty() {
                samples.without_line += count;
            }
            let mut seen = HashSet::new();
            for (depth, frame) in frames.iter().enumerate() {
                let place = (frame.frame.file.path(), frame.frame.line);
                let (own, total) = lines.entry(place).or_default();
                if depth == 0 {
                    *own += count;
                }
                if seen.insert(place) {
                    *total += count;
                }
            }
            let function = |frame: &NamedFrame<'s>| frame.name.as_ref().map(Name::to_string);
            let step = |named: &NamedFrame<'s>| Step {
                function: function(named),
                file: named.frame.file.path(),
                line: named.frame.line,
                column: named.frame.column,
            };
            let key: Vec<Step<'s>> = frames.iter().map(step).collect();
            chains.entry(key).or_insert(ChainCount { count: 0, frames }).count += count;
        }
        let lines = lines.into_iter();
        samples.lines =
            lines.map(|((file, line), (own, total))| LineCount { file, line, own, total }).collect();
        samples.lines.sort_by_key(|l| (Reverse((l.own, l.total)), l.file, l.line));
        let mut chains: Vec<_> = chains.into_iter().collect();
        chains.sort_by(|(a, x), (b, y)| (y.count, a).cmp(&(x.count, b)));
        samples.chains = chains.into_iter().map(|(_, chain)| chain).collect();
    }
}
