//! Replacements of the beginnings of paths (`--path-map OLD=NEW`), for all commands alike.
//!
//! A path is replaced until no map fits, so that a second run changes nothing. gcc and clang
//! (`-ffile-prefix-map`) replace once, since they see each path only once; what is mapped here may
//! have been mapped before.

use crate::limits::{MAX_PATH_MAPS, SPELLING_GROWTH};
use crate::source_path::{SEPARATORS, replace_prefix, rest_after_prefix};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A replacement of the prefix `old` of paths by `new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMap {
    /// The prefix that is replaced; a map with an empty one fits no path.
    pub old: String,
    /// The prefix that replaces `old`.
    pub new: String,
}

/// A place where bytes still have the prefix that a map replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemainingPrefix<'m> {
    /// The map with the prefix.
    pub map: &'m PathMap,
    /// The byte offset of the prefix.
    pub offset: usize,
}

impl PathMap {
    /// Replaces the prefix of a path, in any [spelling](crate::source_path), until no map fits. If
    /// several maps fit, the last one counts; if none fits, the result is `None`.
    ///
    /// Where `new` would be replaced again, as in `/b=/b/x`, a path that is `new` or inside it
    /// counts as mapped and stays. For `old` to fit there, it must be complete components of the
    /// path: `/b=/b/x` does not change `/bc`.
    pub fn apply(maps: &[Self], path: &[u8]) -> Option<Vec<u8>> {
        let (text, tail) = text_and_tail(path);
        let mut mapped = step(maps, &text)?;
        // A replacement that leads back to its own prefix ends it. The others use up the path.
        for _ in 0..MAX_PATH_MAPS.saturating_add(path.len()) {
            let Some(next) = step(maps, &mapped) else { break };
            mapped = next;
        }
        if tail.is_empty() {
            return Some(mapped.into_bytes());
        }
        Some([mapped.strip_suffix(MARK)?.as_bytes(), tail].concat())
    }

    /// Returns the map that would replace the beginning of a path first; `None` if the path stays.
    pub fn fitting<'m>(maps: &'m [Self], path: &[u8]) -> Option<&'m Self> {
        fitting(maps, &text_and_tail(path).0)
    }

    /// Finds the prefixes that are left in bytes which hold strings with NUL at their ends, by
    /// ascending offsets. A prefix that is a word, with no separator, is found at the beginning of
    /// a string only, since it may stand elsewhere for something else.
    pub fn remaining<'m>(maps: &'m [Self], bytes: &[u8]) -> Vec<RemainingPrefix<'m>> {
        // What decides is at most as long as the longest prefix, in its longest spelling.
        let longest = maps.iter().map(|map| map.old.len().max(map.new.len())).max().unwrap_or(0);
        let decisive = longest.saturating_mul(SPELLING_GROWTH).saturating_add(SPELLING_GROWTH);
        let mut found = Vec::new();
        for map in maps.iter().filter(|map| !map.old.is_empty()) {
            for offset in map.candidates(bytes) {
                let rest = bytes.get(offset..).unwrap_or_default();
                let rest = rest.get(..decisive).unwrap_or(rest);
                if !is_inside_new(map, bytes, offset) && is_left(maps, map, rest) {
                    found.push(RemainingPrefix { map, offset });
                }
            }
        }
        found.sort_by_key(|found| found.offset);
        found
    }

    /// The offsets at which the prefix may begin, by its first two bytes.
    fn candidates(&self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let is_separator = |byte: u8| matches!(byte, b'/' | b'\\');
        let is_path = self.old.contains(SEPARATORS);
        let mut letters = self.old.bytes();
        let (first, second) = (letters.next().unwrap_or(0), letters.next());
        let [one, other] = if is_separator(first) {
            [b'/', b'\\']
        } else {
            [first.to_ascii_lowercase(), first.to_ascii_uppercase()]
        };
        memchr::memchr2_iter(one, other, bytes).filter(move |&at| {
            let is_start = match at.checked_sub(1).and_then(|before| bytes.get(before)) {
                // Of a run of separators the first begins the path.
                Some(before) if is_path => !is_separator(first) || !is_separator(*before),
                Some(before) => before.is_ascii_control(),
                None => true,
            };
            let goes_on = |second: u8| {
                let after = bytes.get(at + 1);
                after.is_some_and(|after| is_separator(*after) || after.eq_ignore_ascii_case(&second))
            };
            is_start && second.is_none_or(goes_on)
        })
    }

    /// Whether what this map writes, one of several, would come to it again.
    fn comes_again(&self, maps: &[Self]) -> bool {
        if rest_after_prefix(&self.new, &self.old).is_some() {
            return true;
        }
        let mut path = Cow::Borrowed(&*self.new);
        for _ in 0..MAX_PATH_MAPS {
            let fits = |map: &&Self| !map.old.is_empty() && rest_after_prefix(&path, &map.old).is_some();
            let Some(map) = maps.iter().rev().find(fits) else { return false };
            if map == self {
                return true;
            }
            let Some(next) = replace_prefix(&path, &map.old, &map.new) else { return false };
            path = Cow::Owned(next);
        }
        false
    }

    /// Whether a path is one that this map writes.
    fn has_written(&self, path: &str) -> bool {
        let folder = self.new.trim_end_matches(SEPARATORS);
        let ends_anywhere = folder.len() == self.new.len() && self.old.ends_with(SEPARATORS);
        rest_after_prefix(path, folder).is_some_and(|rest| ends_anywhere || is_end_of_component(rest))
    }

    /// Whether the map, which is one of several, may replace the beginning of a path.
    fn fits(&self, maps: &[Self], path: &str) -> bool {
        let Some(rest) = rest_after_prefix(path, &self.old) else { return false };
        let is_complete = || self.old.ends_with(SEPARATORS) || is_end_of_component(rest);
        !self.old.is_empty() && (!self.comes_again(maps) || is_complete())
    }
}

fn fitting<'m>(maps: &'m [PathMap], path: &str) -> Option<&'m PathMap> {
    let is_written = |map: &PathMap| map.has_written(path) && map.comes_again(maps);
    if maps.iter().any(|map| !map.old.is_empty() && is_written(map)) {
        return None;
    }
    maps.iter().rev().find(|map| map.fits(maps, path))
}

fn step(maps: &[PathMap], path: &str) -> Option<String> {
    fitting(maps, path).and_then(|map| replace_prefix(path, &map.old, &map.new))
}

/// Whether a component ends before `rest`.
fn is_end_of_component(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(SEPARATORS)
}

/// Whether a prefix stands inside a replacement that has been written.
fn is_inside_new(map: &PathMap, bytes: &[u8], offset: usize) -> bool {
    let new = map.new.as_bytes();
    let starts = memchr::memmem::find_iter(new, &map.old).filter(|inside| *inside > 0);
    let mut before = starts.filter_map(|inside| bytes.get(offset.checked_sub(inside)?..));
    before.any(|rest| rest.starts_with(new))
}

/// Whether a string, to its NUL, still begins with the prefix of a map.
fn is_left(maps: &[PathMap], map: &PathMap, rest: &[u8]) -> bool {
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    let text = text_and_tail(rest.get(..end).unwrap_or(rest)).0;
    fitting(maps, &text).is_some_and(|found| core::ptr::eq(found, map))
}

/// Holds the place of what is not UTF-8, which no prefix can be in.
const MARK: char = '\u{fffd}';

/// The text that a path begins with, and the bytes after it. If there are any, the text ends with
/// [`MARK`].
fn text_and_tail(path: &[u8]) -> (Cow<'_, str>, &[u8]) {
    let Some(chunk) = path.utf8_chunks().next() else { return (Cow::Borrowed(""), &[]) };
    let valid = chunk.valid();
    match path.get(valid.len()..) {
        None | Some([]) => (Cow::Borrowed(valid), &[]),
        Some(tail) => (Cow::Owned(format!("{valid}{MARK}")), tail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use proptest::prelude::*;

    fn maps(pairs: &[(&str, &str)]) -> Vec<PathMap> {
        pairs.iter().map(|&(old, new)| PathMap { old: old.to_owned(), new: new.to_owned() }).collect()
    }

    fn mapped(pairs: &[(&str, &str)], path: &str) -> Option<String> {
        PathMap::apply(&maps(pairs), path.as_bytes()).map(|path| String::from_utf8(path).unwrap())
    }

    #[test]
    fn paths_are_mapped_until_no_map_fits() {
        for (pairs, path, expected) in [
            (&[("/home/e", "src")][..], "/home/e/a.cu", Some("src/a.cu")),
            (&[("/home/e", "src")], "/tmp/a.cu", None),
            (&[("/home", "A"), ("/home/e/", "B/")], "/home/e/a.cu", Some("B/a.cu")),
            (&[("/build/ws", "/build")], "/build/ws/a.cu", Some("/build/a.cu")),
            (&[("/src", "/s")], "/src/a.cu", Some("/s/a.cu")),
            (&[("/a/b", "/a")], "/a/b/b/k", Some("/a/k")),
            (&[("/a", "")], "/a/a/k", Some("/k")),
            (&[("/a", "/b"), ("/b", "/c")], "/a/k", Some("/c/k")),
            (&[("/a", "/b"), ("/b", "/b/x")], "/a/k", Some("/b/x/k")),
            (&[("/a", "/b"), ("/b", "/c")], "/b/k", Some("/c/k")),
            (&[("a", "b"), ("b", "a")], "a", None),
            (&[("", "x")], "a", None),
            (&[("/tmp/x", "/src")], "/tmp/xyz/k.cu", Some("/srcyz/k.cu")),
        ] {
            assert_eq!(mapped(pairs, path).as_deref(), expected, "{pairs:?} {path}");
        }
    }

    /// gcc 12 and clang 19 give `/b/x/x/k`, since they take each path for one that is not mapped.
    #[test]
    fn what_is_inside_the_replacement_is_mapped_already() {
        for (old, new) in [("/b", "/b/x"), ("/b/", "/b/x/"), ("/b", "/b/x/")] {
            for path in ["/b/x", "/b/x/k.cu", "/b/x/x/k.cu", "/b//x/k.cu"] {
                let is_part = old == "/b" || path != "/b/x" && path != "/b";
                assert!(!is_part || mapped(&[(old, new)], path).is_none(), "{old}={new} {path}");
            }
            for (path, tail) in [("/b/k.cu", "k.cu"), ("/b/xy.cu", "xy.cu"), ("/b/y/x/k.cu", "y/x/k.cu")] {
                let after = mapped(&[(old, new)], path).unwrap();
                assert_eq!(after.replace("//", "/"), format!("/b/x/{tail}"), "{old}={new} {path}");
            }
            assert_eq!(mapped(&[(old, new)], "/bc/k.cu"), None, "{old}={new}: another folder");
        }
        assert_eq!(mapped(&[("a", "ab")], "a/k.cu").as_deref(), Some("ab/k.cu"));
        assert_eq!(mapped(&[("a", "ab")], "ab/k.cu"), None);
        assert_eq!(mapped(&[("D:\\b", "d:/B/x")], "D:\\b\\x\\k.cu"), None, "in any spelling");
    }

    #[test]
    fn bytes_that_are_not_text_stay() {
        let apply = |path: &[u8]| PathMap::apply(&maps(&[("/b", "/b/x")]), path);
        assert_eq!(apply(b"/b/\xff/k.cu").as_deref(), Some(&b"/b/x/\xff/k.cu"[..]));
        assert_eq!(apply(b"/b/x/\xff/k.cu"), None);
        assert_eq!(apply(b"/b\xff/k.cu"), None);
    }

    #[test]
    fn prefixes_that_are_left() {
        let offsets = |pairs: &[(&str, &str)], bytes: &[u8]| {
            let maps = maps(pairs);
            PathMap::remaining(&maps, bytes).into_iter().map(|found| found.offset).collect::<Vec<_>>()
        };
        let bytes = b"/ws/a.cu\0/src/ws/a.cu\0-I/ws/b\0/wsx\0";
        assert_eq!(offsets(&[("/ws", "/src")], bytes), [0, 13, 24, 30]);
        assert_eq!(offsets(&[("/ws", "/src/ws")], bytes), [0, 24, 30]);
        let bytes = b"/b/x/a.cu\0/b/xy.cu\0/b\0/bc\0";
        assert_eq!(offsets(&[("/b", "/b/x")], bytes), [10, 19]);
        assert_eq!(offsets(&[("ws", "src")], b"ws/a.cu\0/ws/a.cu\0"), [0]);
        assert_eq!(offsets(&[("/b", "/b/x")], b"/b/\xff"), [0]);
        let windows = b"D:\\\\jobs\\\\k.cu\0#line 3 d:/Jobs\\k.cu\0E:\\jobs\0D:\\job\0";
        for old in ["D:\\jobs", "d:/jobs", "D:\\\\JOBS"] {
            assert_eq!(offsets(&[(old, "/src")], windows), [0, 23], "{old}");
        }
        assert_eq!(offsets(&[("/ws/a", "/src")], b"-I//ws/./a/k.cu /ws//a"), [2, 16]);
    }

    proptest! {
        #[test]
        fn a_second_run_changes_nothing(
            pairs in prop::collection::vec(("[aA.\u{e9}/\\\\]{0,5}", "[aA.\u{e9}/\\\\]{0,5}"), 0..4),
            path in "[aA.\u{e9}/\\\\]{0,12}",
            tail in prop::collection::vec(any::<u8>(), 0..3),
        ) {
            let maps: Vec<_> = pairs.into_iter().map(|(old, new)| PathMap { old, new }).collect();
            let path = [path.as_bytes(), &tail].concat();
            let after = PathMap::apply(&maps, &path);
            prop_assert_eq!(after.is_some(), PathMap::fitting(&maps, &path).is_some());
            if let Some(after) = after {
                prop_assert_eq!(PathMap::apply(&maps, &after), None);
            }
        }
    }
}
