//! `extract` as text: the list of images.

use super::listed::Listed;
use crate::commands::read::printable;
use crate::text_table::{Column, Row, Table};
use nv_debug_sections::container::{DebugInfo, FileKind, Image};
use nv_debug_sections::cubin::ReleaseSource;
use std::borrow::Cow;
use std::io::{self, Write};

const COLUMNS: [Column; 12] = [
    Column::Right("Index"),
    Column::Left("Kind"),
    Column::Left("Arch"),
    Column::Left("Release"),
    Column::Left("ABI"),
    Column::Right("Size"),
    Column::Right("Stored"),
    Column::Left("Compression"),
    Column::Left("Debug"),
    Column::Left("Name"),
    Column::Left("Place"),
    Column::Left("Options"),
];

/// The list of a file.
#[derive(Debug)]
pub(super) struct List(Table<{ COLUMNS.len() }>);

impl Default for List {
    fn default() -> Self {
        Self(Table::new(COLUMNS))
    }
}

impl List {
    /// Makes room for an image, which has not been looked into.
    pub(super) fn add(&mut self, image: &Image<'_>) {
        let [index, kind, arch, _, abi, size, stored, compression, _, rest @ ..] = row(image);
        let debug = DebugInfo::LineInfo.as_str().into();
        let release = "13.0?".into();
        let [name, place, options] = rest;
        self.0.fit(&[
            index,
            kind,
            arch,
            release,
            abi,
            size,
            stored,
            compression,
            debug,
            name,
            place,
            options,
        ]);
    }

    /// The line above a list.
    pub(super) fn headings(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.headings(out)
    }

    /// The line of an image.
    pub(super) fn image(&self, out: &mut dyn Write, image: &Image<'_>) -> io::Result<()> {
        self.0.row(out, &row(image))
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

fn row<'i>(image: &'i Image<'_>) -> Row<'i, { COLUMNS.len() }> {
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
        format!("{label}+{:#x}", image.offset).into()
    };
    let options = image.options.as_deref().map(Cow::from);
    let no_code = image.debug_only.as_ref().map(|what| format!("no code: {what}"));
    let remarks = match (image.ir.as_ref().map(ToString::to_string).or(no_code), options) {
        (Some(words), Some(options)) => format!("{words}; {options}").into(),
        (words, options) => words.map(Cow::from).or(options).unwrap_or_default(),
    };
    let name = image.name.as_deref().map_or("-", str::trim).into();
    [
        image.index.to_string().into(),
        kind,
        image.arch.map_or("-".into(), |arch| arch.to_string().into()),
        release(image).into(),
        image.abi_version.map_or("-".into(), |version| version.to_string().into()),
        image.size.to_string().into(),
        image.stored_size.to_string().into(),
        compression,
        match image.debug {
            None => "?",
            Some(DebugInfo::None) => "-",
            Some(debug) => debug.as_str(),
        }
        .into(),
        name,
        place,
        remarks,
    ]
}

/// The release of the toolkit that wrote a cubin, with `?` where the cubin does not tell it.
fn release(image: &Image<'_>) -> String {
    match (image.release, image.release_source) {
        (Some(release), Some(ReleaseSource::Guess)) => format!("{release}?"),
        (Some(release), Some(ReleaseSource::NewerNote)) => format!(">{release}"),
        (release, _) => release.unwrap_or("-").to_owned(),
    }
}

fn kind_words(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Host => "host file",
        FileKind::Nvvm => "LTO IR",
        FileKind::Ptx => "PTX text",
        kind => kind.as_str(),
    }
}
