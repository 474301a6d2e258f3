//! Tables as text: a line with headings, then a line for each row, the columns aligned.
//!
//! Rows are written as they come, so that a list of a million images needs no memory. A cell that
//! is wider than [`MAX_COLUMN`] moves only the rest of its own row: one long name does not fill the
//! other rows with blanks.

use crate::limits::MAX_COLUMN;
use crate::printable_text::printable;
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;

/// A column of a text table: its heading, and the side at which its cells are aligned.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    /// A column whose cells are aligned at the left, for words.
    Left(&'static str),
    /// A column whose cells are aligned at the right, for numbers.
    Right(&'static str),
}

/// A row of a text table, with `N` cells.
pub type Row<'c, const N: usize> = [Cow<'c, str>; N];

/// The columns of a text table, and their widths.
#[derive(Debug)]
pub struct Table<const N: usize> {
    columns: [Column; N],
    /// In columns of a terminal.
    widths: [usize; N],
}

impl<const N: usize> Table<N> {
    /// Creates a table that is as wide as its headings.
    pub fn new(columns: [Column; N]) -> Self {
        Self { columns, widths: columns.map(|column| column.heading().width()) }
    }

    /// Widens the columns so that the cells of a row fit.
    pub fn fit(&mut self, row: &Row<'_, N>) {
        for (width, cell) in self.widths.iter_mut().zip(row) {
            *width = (*width).max(printable(cell).width().min(MAX_COLUMN));
        }
    }

    /// Writes the line with the headings of the columns.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn headings(&self, out: &mut dyn Write) -> io::Result<()> {
        self.row(out, &self.columns.map(|column| column.heading().into()))
    }

    /// Writes one row of the table as a line, without trailing blanks.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn row(&self, out: &mut dyn Write, row: &Row<'_, N>) -> io::Result<()> {
        let mut line = String::new();
        for ((cell, column), width) in row.iter().zip(self.columns).zip(self.widths) {
            let cell = printable(cell);
            let blanks = width.saturating_sub(cell.width());
            let (before, after) = match column {
                Column::Left(_) => (0, blanks),
                Column::Right(_) => (blanks, 0),
            };
            line.extend([&*" ".repeat(before + 2), &cell, &" ".repeat(after)]);
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// Writes a text table: the headings, then the rows.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_table<const N: usize>(
    out: &mut dyn Write,
    columns: [Column; N],
    rows: &[Row<'_, N>],
) -> io::Result<()> {
    let mut table = Table::new(columns);
    for row in rows {
        table.fit(row);
    }
    table.headings(out)?;
    rows.iter().try_for_each(|row| table.row(out, row))
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Self::Left(heading) | Self::Right(heading) => heading,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cell_moves_its_own_row_only() {
        let mut text = Vec::new();
        let long = "x".repeat(MAX_COLUMN + 5);
        let rows = [("1", &*long, ""), ("20", "\u{4e2d}\u{1b}", "end")];
        let rows = rows.map(|(a, b, c)| [a.into(), b.into(), c.into()]);
        write_table(&mut text, [Column::Right("No"), Column::Left("Name"), Column::Left("Rest")], &rows)
            .unwrap();
        let text = String::from_utf8(text).unwrap();
        let blanks = |count: usize| " ".repeat(count);
        let expected = [
            format!("  No  Name{}  Rest", blanks(MAX_COLUMN - 4)),
            format!("   1  {long}"),
            // The ideograph takes two columns.
            format!("  20  \u{4e2d}\\u{{1b}}{}  end", blanks(MAX_COLUMN - 8)),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
