//! The list for people.

use super::json::Listed;
use crate::commands::read::printable;
use crate::limits::MAX_COLUMN;
use nv_debug_sections::container::{Arch, DebugInfo, FileKind, Image};
use std::borrow::Cow;
use std::fmt;
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
            *width = (*width).max(cell.width().min(MAX_COLUMN));
        }
    }

    /// The line above a list.
    pub(super) fn headings(&self, out: &mut dyn Write) -> io::Result<()> {
        line(out, &HEADINGS.map(text), &self.0)
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

/// What stands in a column. Most lists are long, and most cells need no string of their own.
enum Cell<'i> {
    Text(Cow<'i, str>),
    Number(u64),
    Arch(Arch),
    /// Member and section, and the offset there.
    Place(Cow<'i, str>, u64),
}

impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Arch(arch) => arch.fmt(f),
            Self::Place(label, offset) => write!(f, "{label}+{offset:#x}"),
        }
    }
}

impl Cell<'_> {
    /// Characters it takes.
    fn width(&self) -> usize {
        let digits = |number: u64, base: u64| number.checked_ilog(base).unwrap_or(0) as usize + 1;
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Number(number) => digits(*number, 10),
            Self::Arch(arch) => {
                "sm_".len() + digits(arch.number.into(), 10) + usize::from(arch.variant.is_some())
            }
            Self::Place(label, offset) => label.chars().count() + "+0x".len() + digits(*offset, 16),
        }
    }
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(text.into())
}

/// A line without blanks at its end.
fn line(out: &mut dyn Write, cells: &[Cell<'_>; COLUMNS], widths: &[usize; COLUMNS]) -> io::Result<()> {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(widths.iter().sum());
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let blanks = width.saturating_sub(cell.width());
        let (before, behind) = if NUMBERS.contains(&column) { (blanks, 0) } else { (0, blanks) };
        text.extend(iter::repeat_n(' ', 2 + before));
        write!(text, "{cell}").map_err(io::Error::other)?;
        text.extend(iter::repeat_n(' ', behind));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    out.write_all(text.as_bytes())
}

fn row<'i>(image: &'i Image<'_>) -> [Cell<'i>; COLUMNS] {
    let shown = |text: &'i Option<Cow<'_, str>>| text.as_deref().map(printable);
    let kind = match image.kind {
        "unknown" => Cell::Text(format!("{:#x}", image.kind_code).into()),
        kind => text(kind),
    };
    let compression = match (image.compression, image.obfuscated) {
        (compression, false) => text(compression.unwrap_or("-")),
        (None, true) => text("obfuscated"),
        (Some(compression), true) => Cell::Text(format!("{compression}, obfuscated").into()),
    };
    let label = image.label();
    let place = if label.is_empty() && image.host.is_none() {
        text("")
    } else {
        Cell::Place(printable(&label).into_owned().into(), image.offset)
    };
    let options = shown(&image.options);
    let no_code = image.debug_only.as_ref().map(|what| format!("no code: {}", printable(what)));
    let remarks = match (image.ir.as_ref().map(ToString::to_string).or(no_code), options) {
        (Some(words), Some(options)) => format!("{words}; {options}").into(),
        (words, options) => words.map(Cow::from).or(options).unwrap_or_default(),
    };
    let name = match shown(&image.name) {
        Some(Cow::Borrowed(name)) => text(name.trim()),
        Some(Cow::Owned(name)) => Cell::Text(name.trim().to_owned().into()),
        None => text("-"),
    };
    [
        Cell::Number(image.index),
        kind,
        image.arch.map_or(text("-"), Cell::Arch),
        Cell::Number(image.size),
        Cell::Number(image.stored_size),
        compression,
        text(match image.debug {
            None => "?",
            Some(DebugInfo::None) => "-",
            Some(debug) => debug.word(),
        }),
        name,
        place,
        Cell::Text(remarks),
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
