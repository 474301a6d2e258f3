//! The records of a CSV text (RFC 4180), with the lines where they start.

/// The name of a column without case, blanks and punctuation.
pub(crate) fn plain_header(header: &str) -> String {
    header.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Records with the 1-based numbers of their lines, also of different lengths.
pub(crate) fn records(text: &str) -> impl Iterator<Item = (u64, Vec<String>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut lines = Lines { rest: text.as_bytes(), at: 0, line: 1 };
    // One for all rows: a new one would have room for as many fields as the widest row so far.
    let mut record = csv::StringRecord::new();
    std::iter::from_fn(move || {
        // The text is UTF-8, and records may have any length: nothing can fail.
        if !reader.read_record(&mut record).unwrap_or(false) {
            return None;
        }
        let line = lines.first_of(record.position().map_or(0, csv::Position::byte));
        Some((line, record.iter().map(|field| unquoted(field.trim()).to_owned()).collect()))
    })
}

/// Counts lines, as an editor has them: those in quotes and blank ones too.
struct Lines<'t> {
    rest: &'t [u8],
    /// Byte offset of `rest`.
    at: u64,
    /// 1-based.
    line: u64,
}

impl Lines<'_> {
    /// Returns the line of a record that is read from a byte on. Line ends before the record are
    /// skipped, since the reader counts them as part of it.
    fn first_of(&mut self, start: u64) -> u64 {
        loop {
            let (is_end, length) = match self.rest {
                [b'\r', b'\n', ..] => (true, 2),
                [b'\r' | b'\n', ..] => (true, 1),
                [_, ..] if self.at < start => (false, 1),
                _ => return self.line,
            };
            self.line += u64::from(is_end);
            self.at += length as u64;
            self.rest = self.rest.get(length..).unwrap_or_default();
        }
    }
}

/// A field in quotes with blanks around them, which are none to RFC 4180.
fn unquoted(field: &str) -> &str {
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}
