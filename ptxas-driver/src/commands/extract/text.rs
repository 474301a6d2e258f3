//! The list for people.

use super::model::{File, Image, Versions};
use crate::commands::read::printable;
use std::io::{self, Write};

const HEADINGS: [&str; COLUMNS] =
    ["Index", "Kind", "Arch", "Size", "Stored", "Compression", "Debug", "Name", "Place", "Options"];
const COLUMNS: usize = 10;

/// Columns of numbers, which are right-aligned.
const NUMBERS: [usize; 3] = [0, 3, 4];

/// Says where a file's images were written.
pub(super) fn paths(out: &mut dyn Write, file: &File) -> io::Result<()> {
    let mut paths = file.images.iter().filter_map(|image| image.path.as_ref());
    paths.try_for_each(|path| writeln!(out, "{}", printable(path)))
}

/// Lists a file's images.
pub(super) fn list(out: &mut dyn Write, file: &File) -> io::Result<()> {
    let images = if file.count == 1 { "image" } else { "images" };
    write!(out, "{}: {}, {} {images}", printable(&file.name), file.kind.map_or("", kind_words), file.count)?;
    match file.count - file.images.len() as u64 {
        0 => writeln!(out)?,
        _ => writeln!(out, ", {} selected", file.images.len())?,
    }
    let rows: Vec<[String; COLUMNS]> = file.images.iter().map(row).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().clamp(*width, 60);
        }
    }
    line(out, &HEADINGS.map(str::to_owned), &widths)?;
    rows.iter().try_for_each(|row| line(out, row, &widths))
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
    let place = if image.label.is_empty() && image.host.is_none() {
        String::new()
    } else {
        format!("{}+{:#x}", printable(&image.label), image.offset)
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
        if image.debug == "none" { "-".to_owned() } else { image.debug.to_owned() },
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
