//! The debug sections of cubins.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(dead_code, reason = "each test takes some")]

#[path = "../../../corpus/root.rs"]
pub mod corpus_root;

use object::{Object, ObjectSection};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The sections of a cubin whose names begin with `.debug_`, and their clones for Mercury, as they
/// stand in the file.
pub struct File {
    pub name: String,
    sections: BTreeMap<String, Vec<u8>>,
}

impl File {
    /// The bytes of a section; none where the file has no such section.
    pub fn section(&self, name: &str) -> &[u8] {
        self.sections.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The cubins with entries of the repository, and of the corpus.
pub fn files() -> Vec<File> {
    files_with(".debug_info")
}

/// The cubins with a section.
pub fn files_with(section: &str) -> Vec<File> {
    let root = root();
    let own = [root.join("examples"), root.join("cubin-debuginfo/tests/data")];
    let paths = own.into_iter().flat_map(cubins).chain(corpus_root::files("cubin"));
    let files = paths.map(|path| {
        let file = std::fs::read(&path).unwrap();
        let mut sections = BTreeMap::new();
        if let Ok(elf) = object::File::parse(&*file) {
            for section in elf.sections() {
                let name = section.name().unwrap_or_default();
                if name.strip_prefix(".nv.merc").unwrap_or(name).starts_with(".debug_") {
                    sections.insert(name.to_owned(), section.data().unwrap().to_vec());
                }
            }
        }
        File { name: path.display().to_string(), sections }
    });
    files.filter(|file| !file.section(section).is_empty()).collect()
}

/// The cubins below a folder.
fn cubins(folder: PathBuf) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cubin") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
