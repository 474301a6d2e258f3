//! PC samples as profilers write them: a CSV text, with columns found by the names in its header
//! (RFC 4180).

use super::sample::Sample;
use crate::address_query::{QueryError, parse_number};
use crate::csv_records::{plain_header, records};
use thiserror::Error;

/// The reason why a row of a profile cannot be a sample of the cubin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RowError {
    /// The offset in the row is not a number. The value is its text.
    #[error("'{0}' is not an offset")]
    Offset(String),
    /// The number of samples in the row is not a number. The value is its text.
    #[error("'{0}' is not a count")]
    Count(String),
    /// The row names neither a function nor a section.
    #[error("neither a function nor a section")]
    Nameless,
    /// The row names an address that the cubin does not have, for the reason in the value.
    #[error(transparent)]
    Address(#[from] QueryError),
}

/// The error for a text without a header row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "no header that names a column of offsets (pc, offset) and one of functions (function, kernel) or sections (section)"
)]
pub struct NoHeader;

/// What a column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Function,
    Section,
    Offset,
    Count,
}

/// Names of columns, without case, blanks and punctuation. CUPTI's and Nsight's fields are among
/// them.
const NAMES: [(&str, Column); 18] = [
    ("function", Column::Function),
    ("functionname", Column::Function),
    ("kernel", Column::Function),
    ("kernelname", Column::Function),
    ("symbol", Column::Function),
    ("section", Column::Section),
    ("sectionname", Column::Section),
    ("pc", Column::Offset),
    ("pcoffset", Column::Offset),
    ("offset", Column::Offset),
    ("functionoffset", Column::Offset),
    ("address", Column::Offset),
    ("count", Column::Count),
    ("samplecount", Column::Count),
    ("samples", Column::Count),
    ("numsamples", Column::Count),
    ("hits", Column::Count),
    ("weight", Column::Count),
];

fn column(header: &str) -> Option<Column> {
    let plain = plain_header(header);
    NAMES.iter().find(|(name, _)| *name == plain).map(|(_, column)| *column)
}

/// Reads the samples of a profile from a CSV text, each with the 1-based number of its line.
/// Without a column of counts each row is one sample.
///
/// # Errors
///
/// No row names a column of offsets, and one of functions or sections.
pub fn samples(text: &str) -> Result<impl Iterator<Item = (u64, Result<Sample, RowError>)>, NoHeader> {
    let mut records = records(text);
    // Profilers put remarks before the header.
    let columns = records.find_map(|(_, fields)| {
        let columns: Vec<Option<Column>> = fields.iter().map(|field| column(field)).collect();
        let has = |column| columns.contains(&Some(column));
        (has(Column::Offset) && (has(Column::Function) || has(Column::Section))).then_some(columns)
    });
    let columns = columns.ok_or(NoHeader)?;
    // Looked up once: a header may have as many columns as the text has rows.
    let of = |column| columns.iter().position(|found| *found == Some(column));
    let indices = ColumnIndices {
        function: of(Column::Function),
        section: of(Column::Section),
        offset: of(Column::Offset),
        count: of(Column::Count),
    };
    let samples = records.filter(|(_, fields)| fields.iter().any(|field| !field.trim().is_empty()));
    Ok(samples.map(move |(row, fields)| (row, indices.sample(&fields))))
}

/// The columns that a sample is read from, 0-based; of several of one kind the first.
#[derive(Debug, Clone, Copy)]
struct ColumnIndices {
    function: Option<usize>,
    section: Option<usize>,
    offset: Option<usize>,
    count: Option<usize>,
}

impl ColumnIndices {
    fn sample(self, fields: &[String]) -> Result<Sample, RowError> {
        let field = |at: usize| fields.get(at).map_or("", |field| field.trim());
        let text = |at: Option<usize>| at.map_or("", field).to_owned();
        let offset = text(self.offset);
        let offset = parse_number(&offset).ok_or(RowError::Offset(offset))?;
        let count = match self.count.map(field) {
            None => 1,
            // Some tools group digits by commas.
            Some(count) => {
                parse_number(&count.replace(',', "")).ok_or_else(|| RowError::Count(count.to_owned()))?
            }
        };
        let (function, section) = (text(self.function), text(self.section));
        if function.is_empty() && section.is_empty() {
            return Err(RowError::Nameless);
        }
        Ok(Sample { function, section, offset, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Result<(String, u64, u64), String>> {
        let samples = samples(text).unwrap();
        samples
            .map(|(row, sample)| {
                let sample = sample.map(|s| (s.function + &s.section, s.offset, s.count));
                sample.map_err(|why| format!("row {row}: {why}"))
            })
            .collect()
    }

    #[allow(clippy::unnecessary_wraps, reason = "compared with results")]
    fn one(function: &str, offset: u64, count: u64) -> Result<(String, u64, u64), String> {
        Ok((function.to_owned(), offset, count))
    }

    #[test]
    fn columns_in_any_order_under_any_name() {
        let want = [one("k", 16, 3)];
        for text in [
            "function,pc,count\nk,0x10,3\n",
            "Samples,Kernel Name,PC Offset\r\n3,k,16\r\n",
            "\"id\",\"offset\",\"section\",\"samples\"\n1,0x10,k,\"3\"",
            "==1== a remark\n\npcOffset,functionName,numSamples,stall\n16,k,3,x\n\n",
            "\u{feff}pc , kernel, hits\n 0x10 , \"k\" , 3\n",
        ] {
            assert_eq!(all(text), want, "{text}");
        }
        assert_eq!(all("kernel,pc\nk,16\nk,16\n"), [one("k", 16, 1), one("k", 16, 1)]);
    }

    #[test]
    fn quotes() {
        let text = "kernel,pc,count\n\"f(int, \"\"x\"\"\n)\",1,\"1,234\"\n";
        assert_eq!(all(text), [one("f(int, \"x\"\n)", 1, 1234)]);
        // Never closed: up to the end.
        assert_eq!(all("pc,kernel\n1,\"k,1\n"), [one("k,1", 1, 1)]);
    }

    /// As `grep -n` numbers them.
    #[test]
    fn rows_are_numbered_as_the_lines_of_the_file() {
        for end in ["\n", "\r\n"] {
            let lines =
                ["==1== x", "", "", "pc,kernel", "a,k", "", "1,k", "b,\"k", "", "k\"", "c,k", "", "", "d,k"];
            let text = lines.join(end);
            for text in [text.clone(), format!("\u{feff}{text}{end}{end}")] {
                let rows: Vec<u64> = samples(&text).unwrap().map(|(row, _)| row).collect();
                assert_eq!(rows, [5, 7, 8, 11, 14], "{text:?}");
            }
        }
    }

    #[test]
    fn rows_that_are_none() {
        let text = "kernel,pc,count\nk,zz,1\nk,1,-1\n,1,1\nk\nk,1,1\n";
        let bad = [
            "row 2: 'zz' is not an offset",
            "row 3: '-1' is not a count",
            "row 4: neither a function nor a section",
            "row 5: '' is not an offset",
        ];
        let bad = bad.map(|why| Err(why.to_owned()));
        assert_eq!(all(text), [&bad[..], &[one("k", 1, 1)]].concat());
        assert!(samples("k,1,1\n").is_err() && samples("").is_err() && samples("kernel,count\n").is_err());
    }
}
