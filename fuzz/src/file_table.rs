//! Fuzz target: `.file` directives of PTX. Entries are found by index, and paths come together
//! again.
//!
//! Directories are unique, in the order of their first use. The header of the line table reads
//! back.

use crate::Target;
use crate::seeds::sections;
use std::collections::HashSet;

use arbitrary::{Arbitrary, Unstructured};
use dwarf2_writer::line::Params;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::file_table::{FileTable, SourceFile, build, file_name};
use nv_debug_sections::line::{self, LineTable};

/// What errors call the section.
const NAME: &str = SectionKind::DebugLine.name();

/// Characters that paths are made of: those that split them, and one that no table can hold.
const ALPHABET: [u8; 8] = *b"ab./\\/\xe9\0";

#[derive(Debug, Arbitrary)]
struct File {
    index: u16,
    /// Indices into [`ALPHABET`], so that directories repeat.
    path: Vec<u8>,
    mtime: u64,
    size: u64,
}

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(30_000, 600);
    target.run_on_damaged(300, &sections());
}

/// Builds the tables of the directives that `data` stands for, and reads them back.
pub(crate) fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let mut files: Vec<File> = Vec::new();
    while let (false, Ok(file)) = (input.is_empty(), input.arbitrary()) {
        files.push(file);
    }
    for path in files.iter_mut().flat_map(|file| &mut file.path) {
        *path = ALPHABET[usize::from(*path) % ALPHABET.len()];
    }
    let directives = || {
        files.iter().map(|File { index, path, mtime, size }| SourceFile {
            index: (*index).into(),
            path,
            mtime: *mtime,
            size: *size,
        })
    };
    assert_eq!(build(directives(), true), FileTable::default());
    let table = build(directives(), false);
    let mut sources: Vec<_> = directives().collect();
    sources.sort_by_key(|source| source.index);
    check(&table, &sources);
    encode(table);
}

fn check(table: &FileTable<'_>, sources: &[SourceFile<'_>]) {
    assert_eq!(table.files.len(), sources.len());
    let unique: HashSet<_> = table.directories.iter().collect();
    assert_eq!(unique.len(), table.directories.len());
    let mut used = 0;
    for (entry, source) in table.files.iter().zip(sources) {
        assert_eq!(
            (&*entry.name, entry.mtime, entry.size),
            (file_name(source.path), low(source.mtime), low(source.size))
        );
        // Directories are numbered in order of first use, and joined with the name they make the
        // path again.
        assert!(entry.directory <= used + 1);
        used = used.max(entry.directory);
        let directory = entry.directory.checked_sub(1).map(|index| &*table.directories[index as usize]);
        let prefix = directory.map_or(0, |directory| directory.len() + 1);
        assert!(
            source.path.starts_with(directory.unwrap_or_default()) && source.path[prefix..] == *entry.name
        );
    }
    assert_eq!(used, table.directories.len() as u64);
}

fn low(value: u64) -> u64 {
    value & u64::from(u32::MAX)
}

/// A table with a directory that is empty or a name that holds a NUL is refused, any other comes
/// back; but a nameless last file of four bytes is read as a base.
fn encode(FileTable { directories, files }: FileTable<'_>) {
    let unit = LineTable {
        params: Params::default(),
        directories,
        files,
        debug_str_base: None,
        has_lone_end: false,
        sequences: Vec::new(),
    };
    let mut names = unit.directories.iter().chain(unit.files.iter().map(|file| &file.name));
    let is_writable =
        names.all(|name| !name.contains(&0)) && unit.directories.iter().all(|name| !name.is_empty());
    let no_sequence = |_, _: &line::Sequence| unreachable!("there are no sequences");
    let encoded = line::encode(NAME, &unit, None, no_sequence);
    assert_eq!(encoded.is_ok(), is_writable, "{encoded:?}");
    if let Ok(section) = encoded {
        let again = line::decode(NAME, &section.bytes).expect("what was encoded can be decoded");
        let is_like_a_base = unit.files.last().is_some_and(|file| {
            file.name.is_empty()
                && [file.directory, file.mtime, file.size].iter().all(|number| *number < 0x80)
        });
        if is_like_a_base {
            assert!(again.iter().all(|table| table.debug_str_base.is_some()));
        } else {
            assert_eq!(again, [unit]);
        }
    }
}
