//! What `strip` makes of one cubin, and of a PTX text beside it.

use super::Options;
use super::side_file::{SideFile, gives_back, side_file};
use crate::commands::read::{self, Edit, OldCubin};
use crate::options::PathMap;
use crate::report::CubinKind;
use crate::stderr::note;
use anyhow::{Context, Result, bail};
use nv_debug_sections::cubin::{Cubin, Keep, RemovedSection};
use ptx_syntax::fix::{self, FixSelection, Repair};
use schemars::JsonSchema;
use serde::Serialize;

/// What was done to a cubin.
#[derive(Debug)]
pub(super) struct StrippedCubin {
    pub(super) kind: CubinKind,
    pub(super) keep: Keep,
    /// What the path map did; `None` without one.
    pub(super) path_map: Option<MappedPaths>,
    /// Sizes in bytes.
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) removed: Vec<RemovedSection>,
    /// The side file, if there is to be one.
    pub(super) side: Option<SideFile>,
}

impl StrippedCubin {
    /// Says that the cubin stays as it is.
    pub(super) fn keep_all(&mut self) {
        (self.keep, self.path_map, self.side) = (Keep::All, None, None);
        self.after = self.before;
        self.removed.clear();
    }
}

/// What a path map did to a cubin.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MappedPaths {
    /// Whether any path was written anew.
    changed: bool,
    /// The sections of the cubin that still have a beginning of a path that was to be replaced, in
    /// file order. `.nv_debug_ptx_txt` has it in the PTX text.
    pub(super) remaining: Vec<RemainingPath>,
}

/// A beginning of a path that a section still has.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RemainingPath {
    /// The name of the section.
    section: String,
    /// The beginning of the path, as `--path-map` has it.
    old: String,
    /// The number of places in the section that have it.
    count: usize,
}

/// What stands in place of a section's name for a PTX text beside the cubins.
const PTX: &str = "the PTX";

impl RemainingPath {
    /// Says that a section, or a text, of a file still has the beginning of a path.
    pub(super) fn say(&self, file: &str) {
        let Self { section, old, count } = self;
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        note(format_args!("{file}: {section} still has '{old}' ({times})"));
    }
}

/// Strips a cubin, and maps its paths.
pub(super) fn strip_cubin(options: &Options, old: &OldCubin<'_>) -> Result<Edit<StrippedCubin>> {
    let name = &old.image.name;
    let named = || name.clone();
    let cubin = Cubin::parse(old.bytes).with_context(named)?;
    read::warn_of_newer_release(name, &cubin);
    if options.json || options.verbose {
        cubin.check_name_expansion().with_context(named)?;
    }
    if cubin.is_side_file() {
        bail!("{name}: a side file of `strip`; the cubin itself is to be stripped");
    }
    let (keep, maps) = (options.keep(), &options.path_map);
    let mut whole = cubin.clone();
    let map = |path: &[u8]| PathMap::apply(maps, path);
    let is_mapped = !maps.is_empty() && whole.map_paths(&map).with_context(named)?;
    let mut stripped = whole.clone();
    let removed = stripped.strip(keep).with_context(named)?;
    // What is stripped already stays as it is, to the byte.
    let is_changed = !removed.is_empty() || is_mapped;
    let new = is_changed.then(|| stripped.write().with_context(named)).transpose()?;
    let side = side_file(options, &whole).with_context(named)?;
    if let (Some(side), false) = (&side, is_mapped)
        && !gives_back(new.as_deref().unwrap_or(old.bytes), &side.bytes, old.bytes)
    {
        note(format_args!(
            "{name}: not laid out as NVIDIA's tools do; `unstrip` gives its sections back, not all of its bytes"
        ));
    }
    let remaining = || remaining(&stripped, maps);
    let result = StrippedCubin {
        kind: CubinKind::from(&cubin),
        keep,
        path_map: (!maps.is_empty()).then(|| MappedPaths { changed: is_mapped, remaining: remaining() }),
        before: old.bytes.len(),
        after: new.as_ref().map_or(old.bytes.len(), Vec::len),
        removed: RemovedSection::of(&cubin, &removed),
        side,
    };
    Ok(Edit { cubin: new, source: map_names(maps, old.source), result })
}

/// The sections that still have a beginning of a path that was to be replaced.
fn remaining(cubin: &Cubin<'_>, maps: &[PathMap]) -> Vec<RemainingPath> {
    let mut found = Vec::new();
    for (index, section, _) in cubin.iter() {
        let left = PathMap::remaining(maps, &cubin.bytes(index).unwrap_or_default());
        for map in maps {
            let count = left.iter().filter(|left| std::ptr::eq(left.map, map)).count();
            if count > 0 {
                found.push(RemainingPath { section: section.to_owned(), old: map.old.clone(), count });
            }
        }
    }
    found
}

/// The beginnings of paths that are left in the strings of a PTX text.
fn remaining_paths(text: &str, maps: &[PathMap]) -> Vec<RemainingPath> {
    let mut left: Vec<RemainingPath> = Vec::new();
    for path in text.split('"').skip(1).step_by(2) {
        let Some(map) = PathMap::fitting(maps, path.as_bytes()) else { continue };
        match left.iter_mut().find(|left| left.old == map.old) {
            Some(left) => left.count += 1,
            None => left.push(RemainingPath { section: PTX.to_owned(), old: map.old.clone(), count: 1 }),
        }
    }
    left
}

/// Maps the names of source files in the identifier of an entry, which have blanks between them;
/// `None` where none of them changes.
pub(super) fn map_names(maps: &[PathMap], names: &[u8]) -> Option<Vec<u8>> {
    if let Some(mapped) = PathMap::apply(maps, names) {
        return Some(mapped);
    }
    let mut is_mapped = false;
    let words: Vec<Vec<u8>> = names
        .split(|byte| *byte == b' ')
        .map(|name| {
            let mapped = PathMap::apply(maps, name);
            is_mapped |= mapped.is_some();
            mapped.unwrap_or_else(|| name.to_vec())
        })
        .collect();
    is_mapped.then(|| words.join(&b' '))
}

/// Maps the paths of a PTX text, as `check --fix=path-map` does; `None` where none of them changes.
/// The second is what is left of them.
pub(super) fn map_ptx(maps: &[PathMap], text: &[u8]) -> (Option<Vec<u8>>, Vec<RemainingPath>) {
    let Ok(old) = std::str::from_utf8(text) else {
        return (None, remaining_paths(&String::from_utf8_lossy(text), maps));
    };
    let fixes = FixSelection { path_map: maps.to_vec(), ..FixSelection::of(&[Repair::PathMap]) };
    let fixed = fix::fix(old, &fixes).text;
    let remaining = remaining_paths(&fixed, maps);
    ((fixed != old).then(|| fixed.into_bytes()), remaining)
}
