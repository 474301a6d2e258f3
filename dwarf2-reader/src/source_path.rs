//! Paths of source files as people and tools write them: joined from folder and name, compared,
//! and replaced, whichever separators and spellings they have.
//!
//! `\` and `/` both separate, as ptxas and Windows take them. A doubled separator and a folder `.`
//! mean nothing. In a path that begins with a drive letter or `\\server` case means nothing either.

use alloc::format;
use alloc::string::String;

/// Joins the folder and the name of a file. The separator between them is the last one that the
/// folder itself has. It is `\` after a bare drive letter, `/` after another word.
pub fn join(folder: &str, name: &str) -> String {
    let is_drive = || has_drive(folder) && folder.len() == DRIVE;
    let separator = match folder.rfind(SEPARATORS).map(|at| &folder[at..=at]) {
        Some(separator) => separator,
        None if is_drive() => "\\",
        None => "/",
    };
    format!("{folder}{separator}{name}")
}

/// Returns the last component of a path: the name of the file.
pub fn file_name(path: &str) -> &str {
    path.rsplit(SEPARATORS).next().unwrap_or(path)
}

/// Whether two paths are spellings of one path.
pub fn is_same(a: &str, b: &str) -> bool {
    let folds = is_of_windows(a) || is_of_windows(b);
    Letters::of(a).map(|letter| letter.folded(folds)).eq(Letters::of(b).map(|letter| letter.folded(folds)))
}

/// Whether `wanted` names the file of `path`: the complete path or its last components, in any
/// spelling.
pub fn is_named_by(path: &str, wanted: &str) -> bool {
    let folds = is_of_windows(path) || is_of_windows(wanted);
    let text = |path| Letters::of(path).map(|letter| letter.folded(folds)).collect::<String>();
    let (path, wanted) = (text(path), text(wanted));
    path.strip_suffix(&*wanted)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || wanted.starts_with('/'))
}

/// Returns one spelling for all spellings of a path: with `/`, without what means nothing, in small
/// letters where case means nothing.
pub fn normalized(path: &str) -> String {
    let folds = is_of_windows(path);
    Letters::of(path).map(|letter| letter.folded(folds)).collect()
}

/// Returns what follows the beginning `old` of a path, in any spelling. `None` if the path does not
/// begin so. `old` may end inside a component.
pub fn rest_after_prefix<'p>(path: &'p str, old: &str) -> Option<&'p str> {
    path.strip_prefix(old).or_else(|| strip_spelled_prefix(path, old))
}

/// Replaces the beginning `old` of a path, in any spelling, by `new`. `None` if the path does not
/// begin so. `old` may end inside a component.
///
/// The rest of the path takes the separators of `new`; only in a path that begins with `/` a `\`
/// stays, where it belongs to a name.
pub fn replace_prefix(path: &str, old: &str, new: &str) -> Option<String> {
    let rest = rest_after_prefix(path, old)?;
    let own = new.rfind(SEPARATORS).map(|at| &new[at..=at]);
    let separator = match own.or_else(|| rest.find(SEPARATORS).map(|at| &rest[at..=at])) {
        Some("/") if !path.starts_with('/') => "/",
        Some("\\") if new.trim_start_matches('\\').contains("\\\\") => "\\\\",
        Some("\\") => "\\",
        _ => return Some(format!("{new}{rest}")),
    };
    let other = if separator == "/" { '\\' } else { '/' };
    if !rest.contains(other) {
        return Some(format!("{new}{rest}"));
    }
    let mut mapped = String::from(new);
    let mut is_after_separator = false;
    for letter in rest.chars() {
        let is_separator = SEPARATORS.contains(&letter);
        match (is_separator, is_after_separator) {
            (true, false) => mapped.push_str(separator),
            (true, true) => {}
            (false, _) => mapped.push(letter),
        }
        is_after_separator = is_separator;
    }
    Some(mapped)
}

pub(crate) const SEPARATORS: [char; 2] = ['/', '\\'];

/// Bytes of a drive letter with its colon.
const DRIVE: usize = 2;

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Whether a path begins with a drive letter or `\\server`.
pub fn is_of_windows(path: &str) -> bool {
    path.starts_with("\\\\") || has_drive(Letters::of(path).rest())
}

/// The rest of a path that begins with `old` in another spelling.
fn strip_spelled_prefix<'p>(path: &'p str, old: &str) -> Option<&'p str> {
    let folds = is_of_windows(path) || is_of_windows(old);
    let mut letters = Letters::of(path);
    let mut end = 0;
    for wanted in Letters::of(old) {
        let found = letters.next()?;
        if found.folded(folds) != wanted.folded(folds) {
            return None;
        }
        end = found.end;
    }
    // Where `old` means nothing, as `./`, it is the beginning of no path.
    path.get(end..).filter(|_| end > 0)
}

/// The letters of a path that mean something, with `/` for each run of separators.
struct Letters<'p> {
    path: &'p str,
    at: usize,
}

/// A letter of a path.
struct Letter {
    letter: char,
    /// Byte offset after it, and after the separators that mean nothing.
    end: usize,
}

impl Letter {
    fn folded(&self, folds: bool) -> char {
        // Of the few letters that become several, the first one tells enough.
        if folds { self.letter.to_lowercase().next().unwrap_or(self.letter) } else { self.letter }
    }
}

impl<'p> Letters<'p> {
    fn of(path: &'p str) -> Self {
        // Windows' own mark of paths that it takes as they stand.
        let mark = ["\\\\?\\", "\\\\.\\"].into_iter().find(|mark| path.starts_with(mark));
        let mut letters = Self { path, at: mark.map_or(0, str::len) };
        letters.skip_here();
        letters
    }

    fn rest(&self) -> &'p str {
        self.path.get(self.at..).unwrap_or_default()
    }

    fn skip_separators(&mut self) {
        self.at = self.path.len() - self.rest().trim_start_matches(SEPARATORS).len();
    }

    /// Skips folders called `.`, each with the separators after it.
    fn skip_here(&mut self) {
        while self.rest().strip_prefix('.').is_some_and(|rest| rest.starts_with(SEPARATORS)) {
            self.at += 1;
            self.skip_separators();
        }
    }
}

impl Iterator for Letters<'_> {
    type Item = Letter;

    fn next(&mut self) -> Option<Letter> {
        let letter = self.rest().chars().next()?;
        if SEPARATORS.contains(&letter) {
            self.skip_separators();
            self.skip_here();
            return Some(Letter { letter: '/', end: self.at });
        }
        self.at += letter.len_utf8();
        Some(Letter { letter, end: self.at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_joining_sign_is_that_of_the_folder() {
        for (folder, name, path) in [
            ("/a/b", "k.cu", "/a/b/k.cu"),
            ("..", "k.cu", "../k.cu"),
            ("D:\\jobs\\r7", "k.cu", "D:\\jobs\\r7\\k.cu"),
            ("D:\\\\jobs\\\\r7\\", "k.cu", "D:\\\\jobs\\\\r7\\\\k.cu"),
            ("D:\\jobs/inc", "k.cu", "D:\\jobs/inc/k.cu"),
            ("D:/jobs", "k.cu", "D:/jobs/k.cu"),
            ("D:", "k.cu", "D:\\k.cu"),
            ("/x/h\\303", "251.h", "/x/h\\303\\251.h"),
            ("a/", "k.cu", "a//k.cu"),
        ] {
            assert_eq!(join(folder, name), path);
        }
    }

    const SPELLINGS: [&str; 10] = [
        "D:\\jobs\\r7\\inc\\sort2.cuh",
        "D:\\\\jobs\\\\r7\\\\inc\\\\sort2.cuh",
        "D:/jobs/r7/inc/sort2.cuh",
        "d:\\Jobs\\R7\\INC\\Sort2.cuh",
        "D:\\jobs\\r7\\.\\inc/sort2.cuh",
        "\\\\?\\D:\\jobs\\r7\\inc\\sort2.cuh",
        "D:\\jobs/r7//inc\\sort2.cuh",
        "D:/jobs/r7/inc/./sort2.cuh",
        "d:/jobs\\\\r7/inc/sort2.CUH",
        "D:\\\\jobs\\r7\\inc\\sort2.cuh",
    ];

    #[test]
    fn spellings_of_a_path_are_one_path() {
        for a in SPELLINGS {
            for b in SPELLINGS {
                assert!(is_same(a, b) && normalized(a) == normalized(b) && is_named_by(a, b), "{a} {b}");
            }
            for end in ["sort2.cuh", "inc\\sort2.cuh", "INC/sort2.cuh", "r7\\\\inc\\\\SORT2.cuh"] {
                assert!(is_named_by(a, end), "{a} {end}");
            }
            assert!(!is_named_by(a, "ort2.cuh") && !is_named_by(a, "E:\\jobs\\r7\\inc\\sort2.cuh"), "{a}");
        }
        assert!(is_same("\\\\server\\share\\k.cu", "//Server/share/K.cu"));
        assert!(is_same("/a/./b//k.cu", "/a/b/k.cu") && is_same("./k.cu", "k.cu"));
        for (a, b) in [("/a/K.cu", "/a/k.cu"), ("k.cu", "K.cu"), ("/k.cu", "k.cu"), ("../k.cu", "k.cu")] {
            assert!(!is_same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn files_by_their_last_components() {
        for (wanted, is) in [
            ("k.cu", true),
            ("b/k.cu", true),
            ("b\\k.cu", true),
            ("/a/b/k.cu", true),
            (".cu", false),
            ("c/k.cu", false),
            ("/b/k.cu", true),
            ("./k.cu", true),
            ("b//./k.cu", true),
            ("../k.cu", false),
            ("B/k.cu", false),
        ] {
            assert_eq!(is_named_by("/a/b/k.cu", wanted), is, "{wanted}");
        }
        assert!(is_named_by("/a/./k.cu", "/a/k.cu") && !is_named_by("k.cu", "/k.cu"));
        assert!(is_named_by("k.cu", "k.cu") && is_named_by("C:\\k.cu", "k.cu"));
    }

    #[test]
    fn a_prefix_is_replaced_in_any_spelling() {
        for old in ["D:\\jobs\\r7", "D:\\\\jobs\\\\r7", "D:/jobs/r7", "d:/JOBS/r7"] {
            for path in SPELLINGS {
                let mapped = replace_prefix(path, old, "/src").unwrap();
                assert_eq!(normalized(&mapped).to_lowercase(), "/src/inc/sort2.cuh", "{old} {path}");
                assert!(!mapped.contains('\\'), "{old} {path}: {mapped}");
            }
        }
        for (path, old, new, mapped) in [
            ("D:\\a\\inc/k.cu", "D:\\a\\", "C:\\b\\", Some("C:\\b\\inc\\k.cu")),
            ("D:/a/inc/k.cu", "D:\\a", "C:\\\\b", Some("C:\\\\b\\\\inc\\\\k.cu")),
            ("D:\\a\\inc\\k.cu", "D:/a", "b", Some("b\\inc\\k.cu")),
            ("D:\\a\\k.cu", "D:/a/", "", Some("k.cu")),
            ("D:\\a\\inc/k.cu", "D:/a", "b", Some("b\\inc\\k.cu")),
            ("..\\gen\\k.inc", "../gen", "/src/gen", Some("/src/gen/k.inc")),
            ("/tmp/xyz/k.cu", "/tmp/x", "/src", Some("/srcyz/k.cu")),
            ("/tmp//k.cu", "/tmp", "/src", Some("/src//k.cu")),
            ("/x/h\\303\\251.h", "/x", "/src", Some("/src/h\\303\\251.h")),
            ("/a/./b/k.cu", "/a/b", "/src", Some("/src/k.cu")),
            ("./k.cu", "./", "/src/", Some("/src/k.cu")),
            ("k.cu", "./", "/src/", None),
            ("/a/k.cu", "/A", "/src", None),
            ("E:\\a\\k.cu", "D:\\a", "/src", None),
            ("a", "a/b", "/src", None),
        ] {
            assert_eq!(replace_prefix(path, old, new).as_deref(), mapped, "{path} {old}={new}");
        }
    }

    proptest! {
        #[test]
        fn laws_hold_for_any_path(a in "[aA.:\u{e9}/\\\\]{0,8}", b in "[aA.:\u{e9}/\\\\]{0,8}") {
            prop_assert!(is_same(&a, &a) && is_named_by(&a, &a));
            prop_assert_eq!(is_same(&a, &b), is_same(&b, &a));
            prop_assert!(!is_same(&a, &b) || is_named_by(&a, &b));
            prop_assert_eq!(normalized(&normalized(&a)), normalized(&a));
            let whole = join(&a, &b);
            prop_assert!(whole.starts_with(&a) && whole.ends_with(&b) && whole.len() == a.len() + 1 + b.len());
            if !a.is_empty() {
                let mapped = replace_prefix(&whole, &a, "/new");
                prop_assert!(mapped.is_some_and(|mapped| mapped.starts_with("/new")));
            }
        }
    }
}
