//! `dump`: what it shows against other readers of the same bytes, and damaged files. Its text is in
//! `cli/dump.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::cubins::with_sections;
use crate::support::driver::{answer, example, printed};
use crate::support::json;
use crate::support::random::Random;
use gimli::LittleEndian;
use nv_debug_sections::cubin::Cubin;
use serde_json::Value;
use std::io::Write as _;
use std::{fs, io};

/// Contents of every section of one kind.
fn of_kind<'v>(document: &'v Value, kind: &'v str) -> impl Iterator<Item = (&'v str, &'v Vec<Value>)> {
    let sections = document["sections"].as_array().unwrap().iter();
    let sections = sections.filter(move |section| section["contents"]["kind"] == kind);
    sections
        .map(|section| (section["name"].as_str().unwrap(), section["contents"]["data"].as_array().unwrap()))
}

fn count<'v>(values: &'v [Value], member: &'v str) -> usize {
    values.iter().map(|value| value[member].as_array().unwrap().len()).sum()
}

// gimli is an oracle for rows, which our own code decodes; not for entries, which it decodes for
// us. It cannot read frames.
#[test]
fn rows_frames_and_registers_are_those_of_other_readers() {
    let entries = support::corpus(|entry| entry.ok && entry.cubin.is_some());
    let (mut files, mut rows, mut frames, mut registers) = (0, 0, 0, 0);
    for entry in &entries {
        let path = entry.cubin.as_ref().unwrap();
        let document = json::answer("dump", path, &[]);
        let bytes = fs::read(path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let section = |name: &str| cubin.bytes(cubin.section_by_name(name).unwrap()).unwrap();
        assert_eq!(document["section_table"].as_array().unwrap().len() + 1, cubin.sections.len());
        for (name, units) in of_kind(&document, "lines") {
            let ours: usize =
                units.iter().map(|unit| count(unit["sequences"].as_array().unwrap(), "rows")).sum();
            assert_eq!(ours, gimli_rows(&section(name)), "{} {name}", entry.name());
            rows += ours;
        }
        for (name, entries) in of_kind(&document, "frames") {
            let cies = entries.iter().filter(|entry| entry["entry"] == "CIE").count();
            assert_eq!(
                (cies, entries.len() - cies),
                frame_entries(&section(name)),
                "{} {name}",
                entry.name()
            );
            frames += entries.len();
        }
        for (name, functions) in of_kind(&document, "registers") {
            assert_eq!(
                count(functions, "ranges"),
                register_ranges(&section(name)),
                "{} {name}",
                entry.name()
            );
            registers += count(functions, "ranges");
        }
        files += 1;
    }
    let _ = writeln!(
        io::stderr(),
        "dump: {files} cubins: {rows} line rows, {frames} frame entries, {registers} register ranges as other readers count them"
    );
    assert!(rows > 1000 && frames > 100 && registers > 100);
}

fn gimli_rows(section: &[u8]) -> usize {
    let lines = gimli::DebugLine::new(section, LittleEndian);
    let (mut offset, mut rows) = (0, 0);
    while offset < section.len() {
        let program = lines.program(gimli::DebugLineOffset(offset), 8, None, None).unwrap();
        offset += program.header().unit_length() + 4;
        let mut all = program.rows();
        while let Some((_, row)) = all.next_row().unwrap() {
            rows += usize::from(!row.end_sequence());
        }
    }
    rows
}

/// Counts CIEs and FDEs by their lengths and ids alone: gimli's registers end at 16 bits.
fn frame_entries(section: &[u8]) -> (usize, usize) {
    let (mut at, mut counts) = (0, (0, 0));
    while at < section.len() {
        let word = |at: usize| u64::from_le_bytes(section[at..at + 8].try_into().unwrap());
        if word(at + 12) == u64::MAX {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
        at += 12 + word(at + 4) as usize;
    }
    counts
}

/// Counts ranges of `.nv_debug_info_reg_sass`: a name, a count, and for each range four words
/// around a name (docs/formats/register-maps.md, ranges).
fn register_ranges(section: &[u8]) -> usize {
    let name = |rest: &[u8]| rest.iter().position(|byte| *byte == 0).unwrap() + 1;
    let (mut at, mut ranges) = (0, 0);
    while at < section.len() {
        at += name(&section[at..]);
        let count = u32::from_le_bytes(section[at..at + 4].try_into().unwrap());
        at += 4;
        for _ in 0..count {
            at += 4;
            at += name(&section[at..]) + 12;
        }
        ranges += count as usize;
    }
    ranges
}

#[test]
fn ptx_text_has_the_lines_of_the_source() {
    for name in ["saxpy/saxpy", "block_sum/block_sum", "saxpy/saxpy-debug"] {
        let document =
            json::answer("dump", &example(&format!("{name}.cubin")), &["--section", ".nv_debug_ptx_txt"]);
        let source = fs::read_to_string(example(&format!("{name}.ptx"))).unwrap();
        let source: Vec<&str> = source.lines().collect();
        let (_, lines) = of_kind(&document, "ptx_text").next().unwrap();
        let full: Vec<_> = lines.iter().filter(|line| line["text"] != "").collect();
        assert!(full.len() > 20);
        for line in full {
            let number = line["line"].as_u64().unwrap() as usize;
            assert_eq!(line["text"].as_str().unwrap(), source[number - 1].trim_start_matches([' ', '\t']));
        }
    }
}

// As readelf 2.40 -s has the symbols: values are alignments before linking.
#[test]
fn shared_variables_have_their_alignment_and_size() {
    let is_sample =
        |entry: &support::Entry| entry.name() == "cuda/reduce_tree/sm_120/lineinfo-rdc/reduce_tree";
    let entries = support::corpus(is_sample);
    let path = entries[0].cubin.as_ref().unwrap();
    let document = json::answer("dump", path, &["--section", ".nv_debug.shared"]);
    let contents = &document["sections"][0]["contents"];
    assert_eq!((&contents["kind"], &contents["data"]["linked"]), (&"shared".into(), &false.into()));
    let variables = contents["data"]["variables"].as_array().unwrap().iter();
    let numbers: Vec<_> = variables
        .map(|variable| [&variable["align"], &variable["size"]].map(|n| n.as_u64().unwrap()))
        .collect();
    assert_eq!(numbers, [[4, 32], [8, 32], [4, 64]]);
    let text = printed(&answer("dump", path, &["--section", ".nv_debug.shared"]));
    assert!(text.contains("  to be linked, alignment 8\n"), "{text}");
    assert!(text.contains("::partial: alignment 0x8, 32 bytes\n"), "{text}");
}

#[test]
fn wrong_bytes_never_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.cubin");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut counts = [0; 3];
    for name in ["saxpy/saxpy.cubin", "block_sum/block_sum-debug.cubin"] {
        let bytes = fs::read(example(name)).unwrap();
        for round in 0..150 {
            let mut mutant = bytes.clone();
            for _ in 0..=round % 4 {
                let at = random.index(mutant.len());
                mutant[at] = random.next() as u8;
            }
            fs::write(&path, &mutant).unwrap();
            for command in ["dump", "lines"] {
                let output = answer(command, &path, &[]);
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                let code = output.status.code().unwrap_or(-1);
                assert!((0..=2).contains(&code), "{command}: {code}: {error}");
                assert!(!error.contains("panicked"), "{error}");
                counts[code as usize] += 1;
            }
        }
    }
    let _ = writeln!(
        io::stderr(),
        "wrong bytes: {} answered, {} in part, {} refused",
        counts[0],
        counts[1],
        counts[2]
    );
}

/// 300 KB in which 1000 entries have one name of 300 KB are not made into 300 MB.
#[test]
fn one_long_string_for_many_entries() {
    let entries = [2, 0, 0, 0, 0].repeat(1000);
    let unit = [&[2, 0, 0, 0, 0, 0, 8, 1][..], &entries, &[0]].concat();
    let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
    let abbrev = vec![1, 0x11, 1, 0, 0, 2, 0x34, 0, 3, 0x0e, 0, 0, 0];
    let strings = [vec![b'q'; 300_000], vec![0]].concat();
    let sections = [(".debug_abbrev", abbrev), (".debug_info", info), (".debug_str", strings)];
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, with_sections(&sections)).unwrap();
    let run = answer("dump", file.path(), &[]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(text.contains("too many fields refer to long strings"));
    assert!(text.len() < 2_000_000, "{}", text.len());
}
