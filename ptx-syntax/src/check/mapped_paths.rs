//! Checks what a path map leaves: paths that still have a prefix that it replaces.

use super::debug_info::places_of;
use super::rules::RuleId;
use super::sections::Sections;
use super::sink::Sink;
use crate::module::Module;
use dwarf2_reader::source_path;

/// Checks names of files, and the bytes of all sections.
pub(super) fn check(
    module: &Module<'_>,
    sections: &Sections<'_>,
    map: &[(String, String)],
    sink: &mut Sink<'_>,
) {
    let rule = RuleId::PathNotMapped;
    for (old, new) in map.iter().filter(|(old, _)| !old.is_empty()) {
        let is_again = is_mapped_again(new, map);
        let is_written = |path: &[u8]| is_again && path.starts_with(new.as_bytes());
        let is_left = |path: &str| {
            !is_written(path.as_bytes()) && source_path::replace_prefix(path, old, new).is_some()
        };
        for file in module.files().filter(|file| is_left(file.path)) {
            sink.error(rule, file.path_range, format_args!("`{}` begins with `{old}`", file.path));
        }
        // A word that is not a path may stand in other strings for something else.
        let is_path = old.contains(['/', '\\']);
        for section in &sections.list {
            let bytes = &*section.assembled.bytes;
            let begins = |at: usize| {
                let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                before.is_none_or(u8::is_ascii_control)
            };
            let found = memchr::memmem::find_iter(bytes, old.as_bytes());
            let found = found.filter(|&at| {
                (is_path || begins(at)) && bytes.get(at..).is_some_and(|rest| !is_written(rest))
            });
            let offsets: Vec<u64> = found.map(|at| at as u64).collect();
            let places = places_of(module, section.name.text, &offsets);
            for (offset, range) in offsets.into_iter().zip(places) {
                let rest = bytes.get(offset as usize..).unwrap_or(&[]);
                let length = memchr::memchr(0, rest).unwrap_or(rest.len());
                let string = String::from_utf8_lossy(rest.get(..length).unwrap_or(rest));
                let name = section.name.text;
                sink.error(rule, range, format_args!("{name}+{offset:#x}: `{string}` begins with `{old}`"));
            }
        }
    }
}

/// Whether some map would replace the beginning of this replacement again. Paths that begin with
/// such a replacement are taken for mapped ones.
pub(crate) fn is_mapped_again(new: &str, map: &[(String, String)]) -> bool {
    map.iter().any(|(old, _)| !old.is_empty() && source_path::replace_prefix(new, old, "").is_some())
}
