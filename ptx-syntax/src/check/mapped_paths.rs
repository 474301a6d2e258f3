//! Checks what a path map leaves: paths that still have a prefix that it replaces.

use super::debug_info::places_of;
use super::rules::RuleId;
use super::sections::Sections;
use super::sink::Sink;
use crate::module::Module;
use dwarf2_reader::PathMap;

/// Checks names of files, and the bytes of all sections.
pub(super) fn check(module: &Module<'_>, sections: &Sections<'_>, maps: &[PathMap], sink: &mut Sink<'_>) {
    let rule = RuleId::PathNotMapped;
    if maps.is_empty() {
        return;
    }
    for file in module.files() {
        if let Some(map) = PathMap::fitting(maps, file.path.as_bytes()) {
            let message = format_args!("`{}` begins with `{}`", file.path, map.old);
            sink.error(rule, file.path_range, message);
        }
    }
    for section in &sections.list {
        let bytes = &*section.assembled.bytes;
        let left = PathMap::remaining(maps, bytes);
        let offsets: Vec<u64> = left.iter().map(|left| left.offset as u64).collect();
        let places = places_of(module, section.name.text, &offsets);
        for (left, range) in left.iter().zip(places) {
            let rest = bytes.get(left.offset..).unwrap_or(&[]);
            let length = memchr::memchr(0, rest).unwrap_or(rest.len());
            let string = String::from_utf8_lossy(rest.get(..length).unwrap_or(rest));
            let (name, offset, old) = (section.name.text, left.offset, &left.map.old);
            sink.error(rule, range, format_args!("{name}+{offset:#x}: `{string}` begins with `{old}`"));
        }
    }
}
