//! The paths in the header of a line table, and what a map of paths makes of them.

use dwarf2_reader::offset_fields::{OffsetField, OffsetTarget};
use dwarf2_reader::splices::{Splice, Splices};
use dwarf2_reader::{Format, Span, line};

use super::path_mapper::PathMapper;
use crate::error::Result;

/// The replacements in a line table, and the fields that count its bytes.
#[derive(Debug, Default)]
pub(super) struct LinePaths {
    pub(super) splices: Splices,
    /// `unit_length` and `header_length` of each unit.
    pub(super) lengths: Vec<OffsetField>,
}

/// A string of a table, with its place.
struct Text<'d> {
    span: Span,
    bytes: &'d [u8],
}

/// An entry of the file table.
struct File<'d> {
    name: Text<'d>,
    directory: u64,
    /// The place of the number of the directory.
    directory_span: Span,
}

/// Reads all units of a line table.
pub(super) fn line_paths(section: &[u8], map: PathMapper<'_>) -> Result<LinePaths> {
    let mut found = LinePaths::default();
    for unit in line::units(section) {
        let (span, unit) = unit?;
        let mut tables = unit.tables.clone();
        let (mut directories, mut files) = (Vec::new(), Vec::new());
        loop {
            let start = tables.offset();
            let bytes = tables.string("include_directories")?;
            if bytes.is_empty() {
                break;
            }
            directories.push(Text { span: start..start + bytes.len() as u64, bytes });
        }
        loop {
            let start = tables.offset();
            let bytes = tables.string("file_names")?;
            if bytes.is_empty() {
                break;
            }
            let at = tables.offset();
            let directory = tables.uleb("directory")?;
            let directory_span = at..tables.offset();
            tables.uleb("time")?;
            tables.uleb("size")?;
            let name = Text { span: start..start + bytes.len() as u64, bytes };
            files.push(File { name, directory, directory_span });
        }
        replace(&directories, &files, map, &mut found.splices);
        let width = match unit.format {
            Format::Dwarf32 => 4,
            Format::Dwarf64 => 8,
        };
        let unit_length = span.start + if width == 8 { 4 } else { 0 };
        let header_length = unit_length + width + 2;
        let length = |start: u64, end: u64| OffsetField {
            span: start..start + width,
            target: OffsetTarget::Lines,
            base: start + width,
            offset: end,
            is_leb: false,
        };
        found.lengths.push(length(unit_length, span.end));
        found.lengths.push(length(header_length, unit.program.offset()));
    }
    Ok(found)
}

/// Replaces folders where all their files agree, else the names of files by whole paths.
fn replace(directories: &[Text<'_>], files: &[File<'_>], map: PathMapper<'_>, splices: &mut Splices) {
    let is_whole = |name: &[u8]| matches!(name, [b'/', ..] | [_, b':', ..]);
    let of =
        |number: u64| files.iter().filter(move |file| file.directory == number && !is_whole(file.name.bytes));
    let mut put = |span: &Span, bytes: Vec<u8>| splices.add(Splice { span: span.clone(), bytes });
    for file in files.iter().filter(|file| file.directory == 0 || is_whole(file.name.bytes)) {
        if let Some(new) = map(file.name.bytes).filter(|new| !new.is_empty()) {
            put(&file.name.span, new);
        }
    }
    for (number, directory) in (1..).zip(directories) {
        let separator: &[u8] = match directory.bytes {
            [.., b'/' | b'\\'] => b"",
            bytes if bytes.contains(&b'\\') && !bytes.contains(&b'/') => b"\\",
            _ => b"/",
        };
        let path = |file: &File<'_>| {
            let old = [directory.bytes, separator, file.name.bytes].concat();
            map(&old).unwrap_or(old)
        };
        let folder_of = |file: &File<'_>| {
            let path = path(file);
            let folder = path.strip_suffix(file.name.bytes)?.strip_suffix(separator)?;
            (!folder.is_empty()).then(|| folder.to_vec())
        };
        let mut folders = of(number).map(folder_of);
        let first = match folders.next() {
            None => map(directory.bytes).filter(|new| !new.is_empty()),
            Some(first) => first.filter(|first| folders.all(|other| other.as_ref() == Some(first))),
        };
        match first {
            Some(folder) if folder != directory.bytes => put(&directory.span, folder),
            Some(_) => {}
            None => {
                let mut stays = false;
                for file in of(number) {
                    let new = path(file);
                    let is_same = new == [directory.bytes, separator, file.name.bytes].concat();
                    stays |= is_same;
                    if !is_same && !new.is_empty() {
                        put(&file.name.span, new);
                        put(&file.directory_span, vec![0]);
                    }
                }
                if let Some(new) = map(directory.bytes).filter(|_| !stays) {
                    put(&directory.span, if new.is_empty() { b".".to_vec() } else { new });
                }
            }
        }
    }
}
