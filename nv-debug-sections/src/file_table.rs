//! The directory and file tables of `.debug_line`, built from `.file` directives
//! (docs/formats/line-tables.md, directories and files).

use crate::line::LineFile;
use std::borrow::Cow;
use std::collections::HashMap;

/// A source file as a `.file` directive declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile<'a> {
    /// The index in the `.file` directive, of at most 32 bits in PTX. The file table is sorted by
    /// it. Rows keep only 16 of its bits ([`Loc::file`](crate::line_table::Loc::file)).
    pub index: u64,
    /// The path between the quotes of the directive. Escapes are not decoded.
    pub path: &'a [u8],
    /// The modification time of the file, seconds since 1970, of which 32 bits are kept.
    pub mtime: u64,
    /// The size of the file in bytes, of which 32 bits are kept.
    pub size: u64,
}

/// The directory table and the file table for the header of a line table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileTable<'a> {
    /// The directories, `include_directories`. The first has the number 1.
    pub directories: Vec<Cow<'a, [u8]>>,
    /// The files, `file_names`. The first has the number 1.
    pub files: Vec<LineFile<'a>>,
}

/// Builds the directory table and the file table as ptxas does. Files are sorted by index and
/// numbered without gaps, although rows keep the declared index. Directories are listed once, in
/// order of first use. If a row uses file 0, both tables are empty.
///
/// Observed: ptxas 13.0.88, sm_75-sm_121.
pub fn build<'a>(files: impl IntoIterator<Item = SourceFile<'a>>, rows_use_file_0: bool) -> FileTable<'a> {
    let mut table = FileTable::default();
    if rows_use_file_0 {
        return table;
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|file| file.index);
    let mut numbers = HashMap::new();
    for file in files {
        let (directory, name) = split_path(file.path);
        let directory = directory.map_or(0, |directory| {
            *numbers.entry(directory).or_insert_with(|| {
                table.directories.push(Cow::Borrowed(directory));
                table.directories.len() as u64
            })
        });
        // Both fields are 32-bit in ptxas.
        let (mtime, size) = (u64::from(file.mtime as u32), u64::from(file.size as u32));
        table.files.push(LineFile { name: Cow::Borrowed(name), directory, mtime, size });
    }
    table
}

/// Returns the file name of a path, without its directory.
pub fn file_name(path: &[u8]) -> &[u8] {
    split_path(path).1
}

/// Splits at the last `/` or `\`; none, or one at position 0, leaves the path whole.
fn split_path(path: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match memchr::memrchr2(b'/', b'\\', path) {
        None | Some(0) => (None, path),
        Some(at) => (Some(&path[..at]), &path[at + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&'static str]) -> (Vec<String>, Vec<(String, u64)>) {
        let files = paths.iter().enumerate().map(|(index, path)| SourceFile {
            index: index as u64 + 1,
            path: path.as_bytes(),
            mtime: 0,
            size: 0,
        });
        let table = build(files, false);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            table.directories.iter().map(|d| text(d)).collect(),
            table.files.iter().map(|f| (text(&f.name), f.directory)).collect(),
        )
    }

    // The paths of docs/formats/line-tables.md, directories and files, as ptxas 13.0.88 answered
    // them.
    #[test]
    fn paths_split_as_ptxas_does() {
        let (directories, files) = names(&["/nope.c", "a//b.c", "./e.c", "/x/h\\303\\251.h", "a//c.c"]);
        assert_eq!(directories, ["a/", ".", "/x/h\\303"]);
        let want = [("/nope.c", 0), ("b.c", 1), ("e.c", 2), ("251.h", 3), ("c.c", 1)];
        assert_eq!(files, want.map(|(name, directory)| (name.to_owned(), directory)));
    }

    #[test]
    fn gaps_close_and_order_is_by_index() {
        let file =
            |index, path: &'static [u8]| SourceFile { index, path, mtime: 1 << 32 | 7, size: 1 << 32 | 9 };
        // 65537 comes last, although rows call it 1 (observed: ptxas 13.0.88;
        // `ptxas-driver/tests/pairs/files.ptx`).
        let table = build([file(65537, b"c"), file(5, b"b"), file(2, b"a")], false);
        assert_eq!(table.files.iter().map(|f| &*f.name).collect::<Vec<_>>(), [b"a", b"b", b"c"]);
        assert_eq!((table.files[0].mtime, table.files[0].size), (7, 9));
        assert_eq!(build([file(1, b"a")], true), FileTable::default());
    }
}
