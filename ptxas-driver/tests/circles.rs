//! Files of a crate do not import each other in a circle: each can be read after those that it
//! needs.
//!
//! A file needs another where it names an item by a path that leads into it, in `use` or elsewhere.
//! What a file needs of the modules that it lies in is left out, since a module and its parts
//! belong together; so are tests, and names that are only handed on.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Where a module is in its crate: the names that lead to it.
type ModulePath = Vec<String>;

/// What a `use` says: the name in this file, the path, and whether others may have it from here.
type Import = (String, ModulePath, bool);

/// The modules of a crate: the imports of each, and the paths in the rest of its code. A word is a
/// path too.
type Modules = BTreeMap<ModulePath, (Vec<Import>, BTreeSet<ModulePath>)>;

/// Reads a tree of `use`, or a part of it below the path `before`.
fn tree(text: &str, before: &[String], is_public: bool, imports: &mut Vec<Import>) {
    let (head, parts) = text.split_once('{').unwrap_or((text, ""));
    let (head, alias) = head.split_once(" as ").map_or((head, None), |(head, alias)| (head, Some(alias)));
    let names = head.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let mut path: ModulePath = before.iter().cloned().chain(names).collect();
    if parts.is_empty() && !path.is_empty() {
        path.pop_if(|last| last == "self" && !before.is_empty());
        let name = alias.or(path.last().map(|last| &**last)).unwrap_or_default().trim().to_owned();
        return imports.push((name, path, is_public));
    }
    let mut depth = 0;
    let is_between = |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    let parts = parts.trim_end().strip_suffix('}').unwrap_or(parts);
    for part in parts.split(is_between).filter(|part| !part.trim().is_empty()) {
        tree(part, &path, is_public, imports);
    }
}

/// Imports and paths of a file.
fn module(code: &str) -> (Vec<Import>, BTreeSet<ModulePath>) {
    let (code, _tests) = code.split_once("#[cfg(test)]\nmod tests {").unwrap_or((code, ""));
    let (mut imports, mut body) = (Vec::new(), String::new());
    let mut open: Option<String> = None;
    for line in code.lines().filter_map(|line| line.split("//").next()) {
        let is_use = line.split_once("use ").is_some_and(|(before, _)| {
            let before = before.trim();
            matches!(before, "" | "pub") || before.starts_with("pub(") && before.ends_with(')')
        });
        match &mut open {
            Some(text) => *text = format!("{text} {line}"),
            None if is_use => open = Some(line.to_owned()),
            None => body = body + line + "\n",
        }
        if let Some(text) = open.take_if(|text| text.contains(';')) {
            let (before, path) = text.split_once("use ").unwrap();
            tree(path.split(';').next().unwrap(), &[], before.contains("pub"), &mut imports);
        }
    }
    let is_in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let paths = body.split(|c| !is_in_path(c)).map(|path| path.trim_matches(':'));
    (imports, paths.map(|path| path.split("::").map(str::to_owned).collect()).collect())
}

/// The modules of a crate that are files; `tests.rs` is none.
fn read(folder: &Path, place: &[String], modules: &mut Modules) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inner = [place, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            read(&path, &inner, modules);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
            let is_outer = name == "mod" || place.is_empty() && matches!(&*name, "lib" | "main");
            let module = module(&fs::read_to_string(path).unwrap());
            modules.insert(if is_outer { place.to_vec() } else { inner }, module);
        }
    }
}

/// The module that a path leads into, and whether it names an item there.
fn target(modules: &Modules, from: &ModulePath, path: &[String]) -> Option<(ModulePath, bool)> {
    let child = |place: &ModulePath, name: &String| {
        let inner = [&place[..], std::slice::from_ref(name)].concat();
        modules.contains_key(&inner).then_some(inner)
    };
    let first = path.first()?;
    let supers = path.iter().take_while(|name| *name == "super").count();
    let (mut place, used) = match &**first {
        "crate" => (Vec::new(), 1),
        "self" => (from.clone(), 1),
        "super" => (from[..from.len().checked_sub(supers)?].to_vec(), supers),
        _ => (
            child(from, first).or_else(|| {
                // The name of a module that is imported.
                let named = |(name, full, _): &&Import| name == first && full.first() != Some(first);
                let (_, full, _) = modules[from].0.iter().find(named)?;
                target(modules, from, full).filter(|(_, is_item)| !is_item).map(|(place, _)| place)
            })?,
            1,
        ),
    };
    for name in &path[used..] {
        match child(&place, name) {
            Some(inner) => place = inner,
            None => return Some((place, true)),
        }
    }
    Some((place, false))
}

/// All modules that a module needs.
fn needed(modules: &Modules, place: &ModulePath) -> BTreeSet<ModulePath> {
    let (imports, paths) = &modules[place];
    let words: BTreeSet<&String> = paths.iter().filter_map(|path| path.first()).collect();
    let imports = imports.iter().filter(|(name, _, is_public)| !is_public || words.contains(name));
    let all = imports.map(|(_, path, _)| path).chain(paths);
    let items = all.filter_map(|path| target(modules, place, path)).filter(|(_, is_item)| *is_item);
    items.map(|(other, _)| other).filter(|other| !place.starts_with(other)).collect()
}

/// The groups of modules that need each other.
fn circles(modules: &Modules) -> BTreeSet<Vec<String>> {
    let edges: BTreeMap<&ModulePath, BTreeSet<ModulePath>> =
        modules.keys().map(|place| (place, needed(modules, place))).collect();
    let reach = |from: &ModulePath| {
        let (mut found, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(place) = open.pop() {
            open.extend(edges[&place].iter().filter(|other| found.insert((*other).clone())).cloned());
        }
        found
    };
    let reached: BTreeMap<&ModulePath, BTreeSet<ModulePath>> =
        modules.keys().map(|place| (place, reach(place))).collect();
    let circle = |(place, all): (&&ModulePath, &BTreeSet<ModulePath>)| {
        let both = all.iter().filter(|other| reached[*other].contains(*place));
        both.map(|other| other.join("/")).collect::<Vec<_>>()
    };
    reached.iter().map(circle).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut found) = (0, Vec::new());
    for entry in fs::read_dir(workspace).unwrap() {
        let folder = entry.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let mut modules = Modules::new();
        if folder.path().join("Cargo.toml").is_file() {
            read(&folder.path().join("src"), &[], &mut modules);
        }
        let circles = circles(&modules);
        found.extend(circles.iter().map(|circle| format!("{name}: {}", circle.join(", "))));
        files += modules.len();
    }
    assert!(files > 400, "{files} files");
    assert!(found.is_empty(), "what two files need belongs into a third:\n{}", found.join("\n"));
}

#[test]
fn circles_are_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("b")).unwrap();
    let with = |c: &str| {
        let a = "use crate::b::{\n    self,\n    c::{C as D, E},\n};\nfn f(_: D, _: E) {\n    b::g();\n}\n";
        let b = "mod c;\npub fn g() {\n    c::h() // crate::a::f()\n}\n";
        for (name, code) in [("lib.rs", "mod a;\nmod b;\n"), ("a.rs", a), ("b/mod.rs", b), ("b/c.rs", c)] {
            fs::write(folder.path().join(name), code).unwrap();
        }
        let mut modules = Modules::new();
        read(folder.path(), &[], &mut modules);
        circles(&modules).into_iter().map(|circle| circle.join(" ")).collect::<Vec<_>>()
    };
    // Of an outer module, in a test, only handed on.
    assert_eq!(with("use super::g;\n#[cfg(test)]\nmod tests {\n    use crate::a::f;\n}\n"), [""; 0]);
    assert_eq!(with("pub(crate) use crate::a::f;\n"), [""; 0]);
    for circle in
        ["use super::super::a as other;\nfn h() {\n    other::f()\n}\n", "impl crate::a::T for C {}\n"]
    {
        assert_eq!(with(circle), ["a b b/c"], "{circle}");
    }
}
