//! The pages of `docs/formats`: each claim names the tests that hold it, and what cites a page
//! names a heading of it.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The pages by name, with their text.
fn pages() -> BTreeMap<String, String> {
    let folder = repository().join("docs/formats");
    let pages = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
    });
    let pages: BTreeMap<_, _> = pages.collect();
    assert!(pages.len() >= 12, "{:?}", pages.keys());
    pages
}

/// The names of a page's headings, without number and marks, in small letters.
fn headings(page: &str) -> Vec<String> {
    let headings = page.lines().filter_map(|line| line.strip_prefix("## "));
    let names = headings.map(|heading| heading.split_once(". ").map_or(heading, |(_, name)| name));
    names.map(|name| name.replace('`', "").to_lowercase()).collect()
}

/// The parts of the numbered sections of a page that say something: paragraphs, points of a list,
/// tables.
fn parts(page: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let (mut is_numbered, mut is_open, mut is_code) = (false, false, false);
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        if is_fence || is_code {
            is_code ^= is_fence;
            is_open = false;
        } else if let Some(heading) = line.strip_prefix("## ") {
            is_numbered = heading.starts_with(|c: char| c.is_ascii_digit());
            is_open = false;
        } else if line.is_empty() {
            is_open = false;
        } else if is_numbered {
            let is_point =
                line.starts_with("- ") || line.split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok());
            if is_open && !is_point {
                let last = parts.last_mut().unwrap();
                last.push(' ');
                last.push_str(line.trim());
            } else {
                parts.push(line.to_owned());
                is_open = true;
            }
        }
    }
    parts
}

/// What stands in the brackets `[WORD: ...]` of a text.
fn marked<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let start = format!("[{word}: ");
    let marks = text.split(&*start).skip(1).map(|rest| rest.split_once(']').unwrap().0);
    marks.collect()
}

#[test]
fn each_claim_names_a_test_that_is_there() {
    let (mut claims, mut untested, mut faults) = (0, 0, Vec::new());
    for (name, page) in pages() {
        for part in parts(&page) {
            let (tests, reasons) = (marked(&part, "test"), marked(&part, "not tested"));
            claims += tests.len() + reasons.len();
            untested += reasons.len();
            if part.starts_with("- ") && tests.is_empty() && reasons.is_empty() {
                faults.push(format!("{name}: no test of: {part}"));
            }
            for test in tests.iter().flat_map(|tests| tests.split(", ")) {
                let (path, function) = test.split_once("::").unwrap_or((test, ""));
                let function = function.rsplit("::").next().unwrap();
                let source = fs::read_to_string(repository().join(path)).unwrap_or_default();
                // Those of `proptest!` have arguments.
                let is_there = source.contains(&format!("fn {function}("));
                if !is_there || function.is_empty() || !source.contains("#[test]") {
                    faults.push(format!("{name}: no test {test}"));
                }
            }
        }
        // A table is followed by the sentence that has its tests.
        let lines: Vec<&str> = page.lines().collect();
        for (at, pair) in lines.windows(2).enumerate() {
            if pair[0].starts_with('|') && pair[1].is_empty() {
                let after = lines[at + 1..].iter().skip_while(|line| line.is_empty());
                let sentence: Vec<&str> = after.copied().take_while(|line| !line.is_empty()).collect();
                if !sentence.join(" ").contains("[test: ") {
                    faults.push(format!("{name}: no test after the table: {}", pair[0]));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(claims > 250, "{claims}");
    assert!(untested * 10 < claims, "{untested} of {claims} claims have no test");
}

/// Sources, scripts and documents of the repository.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        if path.is_dir() {
            if !(name.starts_with('.') && name != ".ci" && name != ".github" || name == "target") {
                files(&path, all);
            }
        } else if ["rs", "md", "py", "sh", "ptx", "toml", "json", "tsv", "txt"]
            .iter()
            .any(|extension| path.extension().is_some_and(|found| found == *extension))
        {
            all.push(path);
        }
    }
}

/// The notes that the pages were made from are not in the repository, so nothing may cite them.
#[test]
fn nothing_cites_the_notes_before_the_pages() {
    let notes = concat!("FORM", "ATS");
    let mut all = Vec::new();
    files(repository(), &mut all);
    let cites = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains(notes));
    all.retain(cites);
    assert!(all.is_empty(), "{all:?}");
}

#[test]
fn what_cites_a_page_names_a_heading_of_it() {
    let pages = pages();
    let (mut all, mut cited, mut faults) = (Vec::new(), 0, Vec::new());
    files(repository(), &mut all);
    for path in all {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        // A comment may wrap inside of a heading's name.
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let next =
                lines.get(at + 1).map_or("", |next| next.trim_start_matches([' ', '/', '!', '#', '*']));
            let joined = format!("{line} {next}");
            // What begins on the next line is that one's.
            for (start, folder) in line.match_indices("docs/formats/") {
                let Some((name, rest)) = joined[start + folder.len()..].split_once(".md") else { continue };
                if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
                    continue;
                }
                let place = || format!("{}: {}", path.display(), line.trim());
                let Some(page) = pages.get(&format!("{name}.md")) else {
                    faults.push(place());
                    continue;
                };
                cited += 1;
                let heading = rest.strip_prefix(", ").map(str::to_lowercase);
                let is_one = |text: String| headings(page).iter().any(|name| text.starts_with(name));
                if heading.is_some_and(|text| !is_one(text)) {
                    faults.push(place());
                }
            }
        }
    }
    assert!(faults.is_empty(), "no such page or heading:\n{}", faults.join("\n"));
    assert!(cited > 3, "{cited}");
}
