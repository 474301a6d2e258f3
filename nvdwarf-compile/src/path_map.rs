//! `--path-map`.

use dwarf2_reader::source_path;

/// A replacement of the prefix OLD of paths by NEW (`--path-map OLD=NEW`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMap {
    /// The prefix that is replaced; not empty.
    pub old: String,
    /// The prefix that replaces `old`.
    pub new: String,
}

impl PathMap {
    /// Replaces the prefix of a path, in any [spelling](source_path). If several maps fit, the last
    /// one counts; if none fits, the result is `None`.
    pub fn apply(maps: &[Self], path: &[u8]) -> Option<Vec<u8>> {
        maps.iter().rev().find_map(|Self { old, new }| {
            if let Ok(path) = str::from_utf8(path) {
                return source_path::replace_prefix(path, old, new).map(String::into_bytes);
            }
            let rest = path.strip_prefix(old.as_bytes())?;
            Some([new.as_bytes(), rest].concat())
        })
    }
}
