//! The list for people.

use super::listed::Listed;
use crate::commands::read::printable;
use crate::limits::MAX_COLUMN;
use nv_debug_sections::container::{DebugInfo, FileKind, Image};
use std::borrow::Cow;
use std::io::{self, Write};
use std::iter;

const HEADINGS: [&str; COLUMNS] =
    ["Index", "Kind", "Arch", "Size", "Stored", "Compression", "Debug", "Name", "Place", "Options"];
const COLUMNS: usize = 10;
const DEBUG: usize = 6;

/// Columns of numbers, which are right-aligned.
const NUMBERS: [usize; 3] = [0, 3, 4];

/// Widths of columns, those of the widest cells that were seen.
#[derive(Debug)]
pub(super) struct Widths([usize; COLUMNS]);

impl Default for Widths {
    fn default() -> Self {
        let mut widths = HEADINGS.map(str::len);
        // Known only after a look inside, which comes when the line is written.
        widths[DEBUG] = "lineinfo".len();
        Self(widths)
    }
}

impl Widths {
    /// Makes room for an image.
    pub(super) fn add(&mut self, image: &Image<'_>) {
        for (width, cell) in self.0.iter_mut().zip(&row(image)) {
            *width = (*width).max(self::width(cell).min(MAX_COLUMN));
        }
    }

    /// The line above a list.
    pub(super) fn headings(&self, out: &mut dyn Write) -> io::Result<()> {
        line(out, &HEADINGS.map(Cow::from), &self.0)
    }

    /// The line of an image.
    pub(super) fn image(&self, out: &mut dyn Write, image: &Image<'_>) -> io::Result<()> {
        line(out, &row(image), &self.0)
    }
}

/// What a list begins with: the file, what it is, and how many images it has.
pub(super) fn title(
    out: &mut dyn Write,
    name: &str,
    kind: FileKind,
    count: u64,
    selected: u64,
) -> io::Result<()> {
    let images = if count == 1 { "image" } else { "images" };
    write!(out, "{}: {}, {count} {images}", printable(name), kind_words(kind))?;
    if selected == count { writeln!(out) } else { writeln!(out, ", {selected} selected") }
}

/// Says where an image was written.
pub(super) fn path(out: &mut dyn Write, image: &Listed<'_>) -> io::Result<()> {
    image.path.iter().try_for_each(|path| writeln!(out, "{}", printable(path)))
}

type Cells<'i> = [Cow<'i, str>; COLUMNS];

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// A line without blanks at its end.
fn line(out: &mut dyn Write, cells: &Cells<'_>, widths: &[usize; COLUMNS]) -> io::Result<()> {
    let mut text = String::with_capacity(widths.iter().sum());
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let blanks = iter::repeat_n(' ', width.saturating_sub(self::width(cell)));
        text.push_str("  ");
        if NUMBERS.contains(&column) {
            text.extend(blanks);
            text.push_str(cell);
        } else {
            text.push_str(cell);
            text.extend(blanks);
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    out.write_all(text.as_bytes())
}

fn row<'i>(image: &'i Image<'_>) -> Cells<'i> {
    let shown = |text: &'i Option<Cow<'_, str>>| text.as_deref().map(printable);
    let kind = match image.kind {
        "unknown" => format!("{:#x}", image.kind_code).into(),
        kind => kind.into(),
    };
    let compression = match (image.compression, image.obfuscated) {
        (compression, false) => compression.unwrap_or("-").into(),
        (None, true) => "obfuscated".into(),
        (Some(compression), true) => format!("{compression}, obfuscated").into(),
    };
    let label = image.label();
    let place = if label.is_empty() && image.host.is_none() {
        "".into()
    } else {
        format!("{}+{:#x}", printable(&label), image.offset).into()
    };
    let options = shown(&image.options);
    let no_code = image.debug_only.as_ref().map(|what| format!("no code: {}", printable(what)));
    let remarks = match (image.ir.as_ref().map(ToString::to_string).or(no_code), options) {
        (Some(words), Some(options)) => format!("{words}; {options}").into(),
        (words, options) => words.map(Cow::from).or(options).unwrap_or_default(),
    };
    let name = match shown(&image.name) {
        Some(Cow::Borrowed(name)) => name.trim().into(),
        Some(Cow::Owned(name)) => name.trim().to_owned().into(),
        None => "-".into(),
    };
    [
        image.index.to_string().into(),
        kind,
        image.arch.map_or("-".into(), |arch| arch.to_string().into()),
        image.size.to_string().into(),
        image.stored_size.to_string().into(),
        compression,
        match image.debug {
            None => "?",
            Some(DebugInfo::None) => "-",
            Some(debug) => debug.word(),
        }
        .into(),
        name,
        place,
        remarks,
    ]
}

fn kind_words(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Host => "host ELF file",
        FileKind::Nvvm => "LTO IR",
        FileKind::Ptx => "PTX text",
        kind => kind.word(),
    }
}
