//! File names for extracted images.

use super::{EntryKind, NumberedEntry};
use crate::limits::MAX_FILE_STEM;
use dwarf2_reader::source_path;
use std::collections::HashSet;

/// Gives file names to images that are extracted, each name once.
#[derive(Debug, Default)]
pub struct FileNames(HashSet<String>);

impl FileNames {
    /// Returns a new file name for an image of the file with this stem. The name is safe on every
    /// file system: it has no separators and no leading dot.
    ///
    /// As cuobjdump names it; where that name is given already, with the image's index, and if need
    /// be the file's name, in it.
    pub fn name(&mut self, stem: &str, image: &NumberedEntry<'_>) -> String {
        let (file, NumberedEntry { index, number, entry }) = (safe(stem), image);
        let source = source_stem(entry.name);
        let arch = entry.arch.map(|arch| format!(".{arch}")).unwrap_or_default();
        let extension = extension(entry.kind);
        let first = match &source {
            Some(source) => format!("{source}{arch}.{extension}"),
            None => format!("{file}.{number}{arch}.{extension}"),
        };
        let stem = source.as_ref().unwrap_or(&file);
        let second = format!("{stem}.{index}{arch}.{extension}");
        let more = (1_u64..).map(|n| format!("{file}.{stem}.{index}.{n}{arch}.{extension}"));
        let names = [first.clone(), second].into_iter().chain(more);
        // Compared without case, as some file systems do.
        names.into_iter().find(|name| self.0.insert(name.to_lowercase())).unwrap_or(first)
    }
}

/// `tl-tf` for `tl.cu tf.cu `: cuobjdump joins the names of several sources like this.
fn source_stem(identifier: &[u8]) -> Option<String> {
    let identifier = String::from_utf8_lossy(identifier);
    let words = identifier.split_whitespace().map(|word| {
        let name = source_path::file_name(word);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    });
    let stem = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    (!stem.is_empty()).then(|| safe(&stem))
}

/// Makes a stem safe on any file system. Each character other than a letter, a digit or one of
/// `._-+` becomes `_`, and the result does not begin with a dot or a dash.
fn safe(stem: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    let mut safe: String = stem.chars().map(|c| if keep(c) { c } else { '_' }).collect();
    let end =
        safe.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_FILE_STEM).last();
    safe.truncate(end.unwrap_or(0));
    if safe.is_empty() || safe.starts_with(['.', '-']) {
        safe.insert(0, '_');
    }
    safe
}

fn extension(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Elf | EntryKind::OldCubin => "cubin",
        EntryKind::Nvvm => "ltoir",
        kind if kind.is_text() => "ptx",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_of_sources() {
        for (identifier, want) in [
            (&b"saxpy.cu"[..], Some("saxpy")),
            (b"tl.cu tf.cu main.cu ", Some("tl-tf-main")),
            (b"/home/a b/../k.cu", Some("a-k")),
            (b"..\\..\\evil.cu", Some("evil")),
            (b"../../..", Some("_.")),
            (b".hidden", None),
            (b" ", None),
            (b"", None),
            (b"a\xff\n.cu", Some("a_")),
        ] {
            assert_eq!(source_stem(identifier).as_deref(), want, "{}", String::from_utf8_lossy(identifier));
        }
        assert!(safe(&"\u{e4}".repeat(400)).len() <= MAX_FILE_STEM);
    }
}
