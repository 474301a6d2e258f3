//! Native line tables from the capsules of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::finalise::{LineTableKind, NativeCode, sequences};
use merc_capsule::{CodeMap, code_maps};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line::{self, Sequence};
use nv_debug_sections::relocated::Relocated;
use std::collections::HashMap;
use support::each_capsule;

/// The sequences of a line table by code section.
fn by_code(cubin: &Cubin<'_>, name: &str) -> Vec<(SectionIndex, Sequence)> {
    let Some(index) = cubin.section_by_name(name) else { return Vec::new() };
    let view = Relocated::new(cubin);
    let section = view.section(index).unwrap();
    let tables = line::decode(name, &section.bytes).unwrap();
    let all = tables.into_iter().flat_map(|table| table.sequences);
    all.map(|sequence| (section.target(sequence.base_offset).unwrap().section.unwrap(), sequence)).collect()
}

#[test]
fn native_line_tables_come_back() {
    let mut counts = HashMap::new();
    let mut first = None;
    each_capsule(|path, cubin| {
        let maps = code_maps(cubin).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let by_mercury: HashMap<SectionIndex, &CodeMap> =
            maps.iter().map(|code| (code.mercury, code)).collect();
        for (kind, name) in
            [(LineTableKind::Source, ".debug_line"), (LineTableKind::Ptx, ".nv_debug_line_sass")]
        {
            let clone = format!(".nv.merc{name}");
            let (here, there) = (by_code(cubin, name), by_code(cubin, &clone));
            let Some(index) = cubin.section_by_name(&clone) else { continue };
            let contents = cubin.bytes(index).unwrap();
            let mercury = line::decode(&clone, &contents).unwrap();
            let code: Vec<_> = there
                .iter()
                .map(|(section, _)| {
                    let CodeMap { map, starts, size, .. } = by_mercury.get(section)?;
                    Some(NativeCode { map, starts, size: *size })
                })
                .collect();
            let Some(table) = mercury.first() else { continue };
            let made = sequences(table, kind, &code);
            let made: HashMap<SectionIndex, Sequence> = there
                .iter()
                .zip(made)
                .filter_map(|((section, _), made)| Some((by_mercury.get(section)?.native, made?)))
                .collect();
            for (section, native) in &here {
                let (equal, total) = counts.entry(name).or_insert((0, 0));
                let same =
                    made.get(section).is_some_and(|made| (&made.ops, made.end) == (&native.ops, native.end));
                (*equal, *total) = (*equal + usize::from(same), *total + 1);
                if !same && first.is_none() {
                    first = Some(format!(
                        "{} {name} of {}: {:x?} for {:x?}",
                        path.display(),
                        cubin.section_name(*section),
                        made.get(section).map(|made| &made.ops),
                        native.ops
                    ));
                }
            }
        }
    });
    eprintln!("equal sequences of all: {counts:?}");
    for (name, (equal, total)) in counts {
        assert_eq!(equal, total, "{name}: first {first:?}");
    }
}
