//! The list for people.

use super::model::{Image, Versions};
use crate::commands::read::printable;
use std::io::{self, Write};

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

/// No cell, however long, moves those of other lines further.
const MAX_WIDTH: usize = 60;

impl Widths {
    /// Makes room for an image.
    pub(super) fn add(&mut self, image: &Image) {
        for (width, cell) in self.0.iter_mut().zip(&row(image)) {
            *width = cell.chars().count().clamp(*width, MAX_WIDTH);
        }
    }

    /// The line above a list.
    pub(super) fn headings(&self, out: &mut dyn Write) -> io::Result<()> {
        line(out, &HEADINGS.map(str::to_owned), &self.0)
    }

    /// The line of an image.
    pub(super) fn image(&self, out: &mut dyn Write, image: &Image) -> io::Result<()> {
        line(out, &row(image), &self.0)
    }
}

/// What a list begins with: the file, what it is, and how many images it has.
pub(super) fn title(
    out: &mut dyn Write,
    name: &str,
    kind: &'static str,
    count: u64,
    selected: u64,
) -> io::Result<()> {
    let images = if count == 1 { "image" } else { "images" };
    write!(out, "{}: {}, {count} {images}", printable(name), kind_words(kind))?;
    if selected == count { writeln!(out) } else { writeln!(out, ", {selected} selected") }
}

/// Says where an image was written.
pub(super) fn path(out: &mut dyn Write, image: &Image) -> io::Result<()> {
    image.path.iter().try_for_each(|path| writeln!(out, "{}", printable(path)))
}

fn line(out: &mut dyn Write, cells: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> io::Result<()> {
    let cells = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
        if NUMBERS.contains(&column) { format!("  {cell:>width$}") } else { format!("  {cell:width$}") }
    });
    writeln!(out, "{}", cells.collect::<String>().trim_end())
}

fn row(image: &Image) -> [String; COLUMNS] {
    let shown = |text: &Option<String>| text.as_deref().map_or("-".to_owned(), |text| printable(text).into());
    let kind = match image.kind {
        "unknown" => format!("{:#x}", image.kind_code),
        kind => kind.to_owned(),
    };
    let compression = match (image.compression, image.obfuscated) {
        (compression, false) => compression.unwrap_or("-").to_owned(),
        (None, true) => "obfuscated".to_owned(),
        (Some(compression), true) => format!("{compression}, obfuscated"),
    };
    let label = image.label();
    let place = if label.is_empty() && image.host.is_none() {
        String::new()
    } else {
        format!("{}+{:#x}", printable(&label), image.offset)
    };
    let options = image.options.as_deref().map(|options| printable(options).into_owned());
    let remarks = image.ir.as_ref().map(Versions::words).into_iter().chain(options);
    let remarks = remarks.collect::<Vec<_>>().join("; ");
    [
        image.index.to_string(),
        kind,
        shown(&image.arch),
        image.size.to_string(),
        image.stored_size.to_string(),
        compression,
        image.debug.map_or("?", |debug| if debug == "none" { "-" } else { debug }).to_owned(),
        shown(&image.name).trim().to_owned(),
        place,
        remarks,
    ]
}

fn kind_words(kind: &'static str) -> &'static str {
    match kind {
        "host" => "host ELF file",
        "ltoir" => "LTO IR",
        "ptx" => "PTX text",
        kind => kind,
    }
}
