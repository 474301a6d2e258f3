//! The texts after the options of `--help`, laid out for the width of the terminal.

use std::fmt::Write as _;

/// The most columns of the help, and their number if there is no terminal.
const WIDEST: usize = 100;
/// The fewest columns that the second of two columns has.
const SECOND_COLUMN: usize = 36;

/// Returns the width of help texts in columns: that of the terminal, and 100 at most.
pub fn columns() -> usize {
    let columns = terminal_size::terminal_size().map_or(WIDEST, |(width, _)| usize::from(width.0));
    columns.clamp(40, WIDEST)
}

/// Breaks a help text into lines. Lines that begin with a word are sentences of one paragraph.
/// Lines that begin with blanks stay lines; if one has two columns, a line that begins in the
/// second column continues it.
pub fn laid_out(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            out.push('\n');
        } else if !line.starts_with(' ') {
            let mut paragraph = line.to_owned();
            // A line with a colon at its end is a heading.
            let is_more = |next: &&str| !next.is_empty() && !next.starts_with(' ');
            while let Some(more) = if paragraph.ends_with(':') { None } else { lines.next_if(is_more) } {
                let _ = write!(paragraph, " {more}");
            }
            wrap(&mut out, Indent::all(0), &paragraph, columns);
        } else {
            let mut rows: Vec<Row> = vec![Row::new(line)];
            while let Some(line) = lines.next_if(|next| next.starts_with(' ')) {
                match rows.last_mut().filter(|row| row.is_continued_by(line)) {
                    Some(row) => {
                        let _ = write!(row.second, " {}", line.trim());
                    }
                    None => rows.push(Row::new(line)),
                }
            }
            block(&mut out, &rows, columns);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// An indented line: its columns, and where the second one begins (0: there is none).
struct Row {
    indent: usize,
    first: String,
    second: String,
    second_at: usize,
}

impl Row {
    fn new(line: &str) -> Self {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let (first, second) = text.rsplit_once("  ").unwrap_or((text, ""));
        let second_at = if second.is_empty() { 0 } else { indent + text.len() - second.len() };
        Self { indent, first: first.trim_end().to_owned(), second: second.to_owned(), second_at }
    }

    fn is_continued_by(&self, line: &str) -> bool {
        self.second_at != 0 && line.len() - line.trim_start().len() == self.second_at
    }
}

/// Lines that all have their second column below the first, or none has.
fn block(out: &mut String, rows: &[Row], columns: usize) {
    let is_narrow = |row: &Row| {
        row.second_at + SECOND_COLUMN > columns && row.second_at + row.second.chars().count() > columns
    };
    let is_split = rows.iter().any(is_narrow);
    for row in rows {
        if row.second_at == 0 {
            wrap(out, Indent { first: row.indent, others: row.indent + 2 }, &row.first, columns);
        } else if is_split {
            wrap(out, Indent { first: row.indent, others: row.indent + 2 }, &row.first, columns);
            wrap(out, Indent::all(row.indent + 4), &row.second, columns);
        } else {
            let first = format!("{:indent$}{}", "", row.first, indent = row.indent);
            let at = row.second_at;
            let mut second = String::new();
            wrap(&mut second, Indent::all(at), &row.second, columns);
            let _ = write!(out, "{first:at$}{}", second.get(at..).unwrap_or_default());
        }
    }
}

/// The number of blanks before the first line of a text, and before each other line.
#[derive(Debug, Clone, Copy)]
struct Indent {
    first: usize,
    others: usize,
}

impl Indent {
    fn all(blanks: usize) -> Self {
        Self { first: blanks, others: blanks }
    }
}

/// Adds a text in lines, the first and the others with blanks before them.
fn wrap(out: &mut String, indent: Indent, text: &str, columns: usize) {
    let Indent { first, others } = indent;
    let mut column = first;
    let _ = write!(out, "{:first$}", "");
    for (number, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if number > 0 && column + 1 + width > columns {
            out.truncate(out.trim_end_matches(' ').len());
            let _ = write!(out, "\n{:others$}", "");
            column = others;
        } else if number > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_laid_out_for_a_width() {
        let text =
            "Examples:\n  a b      one two three\n           four\n  cc\n\nA sentence of\nwords here.\nMore.";
        let wide = "Examples:\n  a b      one two three four\n  cc\n\nA sentence of words here. More.";
        assert_eq!(laid_out(text, 80), wide);
        let narrow =
            "Examples:\n  a b\n      one two three\n      four\n  cc\n\nA sentence of words\nhere. More.";
        assert_eq!(laid_out(text, 20), narrow);
        assert_eq!(laid_out("  x  one two", 40), "  x  one two");
    }
}
