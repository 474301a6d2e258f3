//! `dump`: what it shows against other readers of the same bytes, and its command line.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use gimli::LittleEndian;
use nv_debug_sections::cubin::{Cubin, DebugSection, debug_only};
use nv_debug_sections::release::Release;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, io};

fn dump(file: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    command.arg("dump").arg(file).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(file: &Path, args: &[&str]) -> String {
    let output = dump(file, args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(file: &Path, args: &[&str]) -> Value {
    let document: Value = serde_json::from_str(&text(file, &[args, &["--json"]].concat())).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.dump".into(), &1.into()));
    document
}

fn example(name: &str) -> PathBuf {
    support::repository().join("examples").join(name)
}

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

// gimli is an oracle for rows, which our own code decodes; not for entries, which it decodes for us. It cannot read frames.
#[test]
fn rows_frames_and_registers_are_those_of_other_readers() {
    let Some(entries) = support::corpus(|entry| entry.ok && entry.cubin.is_some()) else { return };
    let (mut files, mut rows, mut frames, mut registers) = (0, 0, 0, 0);
    for entry in &entries {
        let path = entry.cubin.as_ref().unwrap();
        let document = json(path, &[]);
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

/// Counts ranges of `.nv_debug_info_reg_sass`: a name, a count, and for each range four words around a name (FORMATS 3).
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
        let document = json(&example(&format!("{name}.cubin")), &["--section", ".nv_debug_ptx_txt"]);
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

// `block_sum.cu` is our own: its names, types and the array's size are read off the source.
#[test]
fn entries_and_locations_of_an_example() {
    let all = text(&example("block_sum/block_sum-debug.cubin"), &[]);
    for part in [
        "DW_TAG_compile_unit\n",
        "DW_AT_name: \"block_sum.cu\"",
        "DW_TAG_structure_type\n             DW_AT_name: \"Window\"",
        "DW_AT_low_pc: .text.block_sum+0x0",
        "DW_AT_high_pc: .text.block_sum+0x1580",
        "DW_AT_MIPS_linkage_name: \"_Z10sum_windowPKf6Window\"",
        ".text.block_sum+0x330 to .text.block_sum+0x350: DW_OP_regx %r2",
        "DW_OP_fbreg ",
        "CIE 0: version 3, code alignment 4, data alignment -4, return address in R20",
        "UR4-UR35 undefined",
        "FDE .text.block_sum+0x0, 0x1580 bytes",
        "sequence at .text.block_sum+0x0, 0x1580 bytes",
    ] {
        assert!(all.contains(part), "{part}");
    }
}

#[test]
fn rows_show_their_call_site_and_callee() {
    let lines = text(&example("saxpy/saxpy.cubin"), &["--section", ".debug_line"]);
    let row = lines.lines().find(|line| line.contains("0x000e0") && line.contains("inlined")).unwrap();
    assert!(row.contains("fused.cuh:13  fused(float, float, float) inlined at row "), "{row}");
    let number = row.rsplit(' ').next().unwrap();
    let site = lines.lines().find(|line| line.split_whitespace().nth(1) == Some(number)).unwrap();
    assert!(site.ends_with("saxpy.cu:10"), "{site}");
}

#[test]
fn a_function_alone() {
    let file = example("block_sum/block_sum-debug.cubin");
    let document = json(&file, &["--function", "sum_window"]);
    assert!(document.get("section_table").is_none());
    let (_, units) = of_kind(&document, "lines").next().unwrap();
    let starts: Vec<_> =
        units[0]["sequences"].as_array().unwrap().iter().map(|sequence| &sequence["start"]).collect();
    assert_eq!(starts, [".text._Z10sum_windowPKf6Window+0x0"]);
    let (_, registers) = of_kind(&document, "registers").next().unwrap();
    assert_eq!(
        registers.iter().map(|function| &function["function"]).collect::<Vec<_>>(),
        ["_Z10sum_windowPKf6Window"]
    );
    let (_, frames) = of_kind(&document, "frames").next().unwrap();
    assert_eq!(frames.len(), 2);
    let (_, units) = of_kind(&document, "info").next().unwrap();
    let tops: Vec<_> = units[0]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["depth"].as_u64().unwrap() < 2)
        .collect();
    assert_eq!(
        tops.iter().map(|entry| &entry["tag"]).collect::<Vec<_>>(),
        ["DW_TAG_compile_unit", "DW_TAG_subprogram"]
    );
    let (_, lines) = of_kind(&document, "ptx_text").next().unwrap();
    assert!(lines[0]["text"].as_str().unwrap().starts_with('{'), "{}", lines[0]);

    let missing = dump(&file, &["--function", "nosuch"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no function 'nosuch'; the functions are "));
}

// Debug-only objects have addresses in place of relocations.
#[test]
fn a_function_alone_of_a_debug_only_object() {
    let dir = tempfile::tempdir().unwrap();
    let (input, object) = (example("block_sum/block_sum-debug.ptx"), dir.path().join("block_sum.debug"));
    let mut compile = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    compile.args(["-g", "-arch", "sm_75", "--code", "none", "-o"]).args([&object, &input]);
    assert!(compile.status().unwrap().success());
    let document = json(&object, &["--function", "block_sum"]);
    let (_, units) = of_kind(&document, "lines").next().unwrap();
    assert_eq!(units[0]["sequences"][0]["start"], ".text.block_sum+0x0");
    let (_, units) = of_kind(&document, "info").next().unwrap();
    let own = units[0]["entries"].as_array().unwrap().iter().find(|entry| entry["depth"] == 1).unwrap();
    let attributes = own["attributes"].as_array().unwrap();
    assert!(
        attributes.iter().any(|it| it["name"] == "DW_AT_name" && it["value"] == "\"block_sum\""),
        "{own}"
    );
    assert!(
        attributes.iter().any(|it| it["name"] == "DW_AT_low_pc" && it["value"] == ".text.block_sum+0x0"),
        "{own}"
    );
}

#[test]
fn sections_by_name() {
    let file = example("saxpy/saxpy.cubin");
    let both = text(&file, &["--section", ".debug_str", "--section", ".note.nv.cuinfo"]);
    assert!(both.starts_with(".debug_str (section "));
    assert!(both.contains("\n  0x0000  _Z5fusedfff\n"), "{both}");
    // No decoder: bytes, sixteen a line, and their characters.
    assert!(both.contains("\n  0x0000  ") && both.contains("NVID\n"), "{both}");

    let missing = dump(&file, &["--section", ".nosuch"]);
    assert_eq!(missing.status.code(), Some(1));
    let error = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(
        error.contains("no section '.nosuch'; the debug sections are .debug_frame, .debug_line, "),
        "{error}"
    );
}

#[test]
fn a_section_that_cannot_be_decoded_is_shown_as_bytes() {
    let (status, text) = dump_changed("saxpy/saxpy.cubin", &[], |cubin, bytes| {
        bytes[located(cubin, ".debug_line").1 + 4] = 9; // the version of the line table
    });
    assert_eq!(status, Some(1));
    assert!(text.contains("  error: .debug_line+0x4: version is 0x9, expected 2\n  0x0000  "), "{text}");
    // The other sections are there all the same.
    assert!(text.contains("\n.nv_debug_ptx_txt (section "));
}

#[test]
fn a_tag_above_16_bits_is_not_cut() {
    let (status, text) = dump_changed("saxpy/saxpy-debug.cubin", &["-s", ".debug_abbrev"], |cubin, bytes| {
        let tag = located(cubin, ".debug_abbrev").1 + 1;
        bytes[tag..tag + 3].copy_from_slice(&[0x91, 0x80, 0x04]); // 0x10011 as ULEB128; 0x11 is a unit
    });
    assert_eq!(status, Some(1));
    assert!(text.contains(": .debug_abbrev+0x1: a tag is 0x10011, expected a number of 16 bits\n"), "{text}");
}

// As cuobjdump 13.2.86 has them: 24 registers, no stack; four parameters, the last first; the places of three EXIT instructions.
#[test]
fn records_of_nv_info_are_named() {
    let document =
        json(&example("saxpy/saxpy.cubin"), &["--section", ".nv.info", "--section", ".nv.info.saxpy"]);
    let all: Vec<_> = of_kind(&document, "attributes").flat_map(|(_, records)| records).collect();
    let values = |attribute: &str| -> Vec<&str> {
        let records = all.iter().filter(|record| record["attribute"] == attribute);
        records.map(|record| record["value"].as_str().unwrap()).collect()
    };
    assert_eq!(values("EIATTR_REGCOUNT"), ["saxpy 0x18"]);
    assert_eq!(values("EIATTR_MIN_STACK_SIZE"), ["saxpy 0x0"]);
    assert_eq!(values("EIATTR_EXIT_INSTR_OFFSETS"), ["0x90 0x360 0x550"]);
    assert_eq!(values("EIATTR_KPARAM_INFO")[0], "parameter 3: offset 0x10, 8 bytes");
    assert_eq!(values("EIATTR_KPARAM_INFO").len(), 4);
    let text = text(&example("saxpy/saxpy.cubin"), &["--section", ".nv.info"]);
    assert!(text.contains("  EIATTR_REGCOUNT                       saxpy 0x18\n"), "{text}");
}

// The same facts, by function.
#[test]
fn functions_of_nv_info_have_their_registers_stacks_and_exits() {
    let args = ["--section", ".nv.info", "--section", ".nv.info.saxpy"];
    let document = json(&example("saxpy/saxpy.cubin"), &args);
    let functions: Vec<_> =
        document["sections"].as_array().unwrap().iter().map(|section| &section["functions"][0]).collect();
    assert_eq!(functions[0]["registers"], 24);
    assert_eq!([&functions[0]["frame_size"], &functions[0]["min_stack_size"]], [0, 0]);
    assert_eq!(*functions[1], serde_json::json!({ "function": "saxpy", "exits": [0x90, 0x360, 0x550] }));
    let text = text(&example("saxpy/saxpy.cubin"), &args);
    assert!(text.contains("  saxpy: 24 registers, frame of 0 bytes, stack of 0 bytes\n"), "{text}");
    assert!(text.contains("  saxpy: exits at 0x90 0x360 0x550\n"), "{text}");
}

// As readelf 2.40 -s has the symbols: values are alignments before linking.
#[test]
fn shared_variables_have_their_alignment_and_size() {
    let is_sample =
        |entry: &support::Entry| entry.name() == "cuda/reduce_tree/sm_120/lineinfo-rdc/reduce_tree";
    let Some(entries) = support::corpus(is_sample) else { return };
    let path = entries[0].cubin.as_ref().unwrap();
    let document = json(path, &["--section", ".nv_debug.shared"]);
    let contents = &document["sections"][0]["contents"];
    assert_eq!((&contents["kind"], &contents["data"]["linked"]), (&"shared".into(), &false.into()));
    let variables = contents["data"]["variables"].as_array().unwrap().iter();
    let numbers: Vec<_> = variables
        .map(|variable| [&variable["align"], &variable["size"]].map(|n| n.as_u64().unwrap()))
        .collect();
    assert_eq!(numbers, [[4, 32], [8, 32], [4, 64]]);
    let text = text(path, &["--section", ".nv_debug.shared"]);
    assert!(text.contains("  to be linked, alignment 8\n"), "{text}");
    assert!(text.contains("::partial: alignment 0x8, 32 bytes\n"), "{text}");
}

/// Dumps an example with some of its bytes changed: exit status and text.
fn dump_changed(
    name: &str,
    args: &[&str],
    change: impl FnOnce(&Cubin<'_>, &mut [u8]),
) -> (Option<i32>, String) {
    let bytes = fs::read(example(name)).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let mut new = bytes.clone();
    change(&cubin, &mut new);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("changed.cubin");
    fs::write(&path, new).unwrap();
    let output = dump(&path, args);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Index of a section, and where its contents are in the file.
fn located(cubin: &Cubin<'_>, section: &str) -> (usize, usize) {
    let index = cubin.section_by_name(section).unwrap().as_usize();
    (index, cubin.layout().unwrap().offsets[index] as usize)
}

#[test]
fn a_name_that_starts_inside_a_string_is_in_doubt() {
    let (status, text) = dump_changed("saxpy/saxpy.cubin", &["-s", ".debug_line"], |cubin, bytes| {
        let (_, unit) = located(cubin, ".debug_line");
        let header = u32::from_le_bytes(bytes[unit + 6..unit + 10].try_into().unwrap()) as usize;
        // The base of names: the four bytes behind the file table.
        bytes[unit + 10 + header - 4] = 1;
    });
    assert_eq!(status, Some(0));
    let is_in_doubt = |line: &str| {
        line.contains("?? (.debug_str+0x1) inlined at row ")
            && line.ends_with(" [name unsure: no string starts at the name's offset in .debug_str]")
    };
    assert!(text.lines().any(is_in_doubt), "{text}");
}

#[test]
fn what_refers_to_a_broken_section_says_so() {
    for (file, table, section, shown) in [
        ("saxpy/saxpy.cubin", ".rela.debug_frame", ".debug_str", ".debug_line"),
        ("saxpy/saxpy-debug.cubin", ".rel.debug_frame", ".debug_abbrev", ".debug_info"),
    ] {
        let (status, text) = dump_changed(file, &["-s", shown], |cubin, bytes| {
            // A relocation of no known type, for `section`: r_info of the first entry, sh_info of the table's header.
            let (table, entries) = located(cubin, table);
            bytes[entries + 8] = 0xee;
            let headers = u64::from_le_bytes(bytes[0x28..0x30].try_into().unwrap()) as usize;
            let target = located(cubin, section).0 as u8;
            bytes[headers + 64 * table + 44] = target;
        });
        assert_eq!(status, Some(1), "{text}");
        let error = text.lines().nth(1).unwrap();
        assert!(error.starts_with(&format!("  error: {section}+0x")), "{error}");
        assert!(error.contains(": relocation type is 0xee, "), "{error}");
    }
}

// DW_FORM_ref8 of -1 in a second unit.
#[test]
fn a_reference_out_of_its_unit_is_said() {
    let bytes = |bytes: &[u8]| {
        bytes
            .iter()
            .flat_map(|byte| [".b8 ".to_owned(), byte.to_string(), "\n".to_owned()])
            .collect::<String>()
    };
    let abbreviations = bytes(&[1, 17, 0, 1, 20, 0, 0, 0]);
    let unit = |reference: u64| {
        bytes(&[&[16, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 1], &reference.to_le_bytes()[..]].concat())
    };
    let ptx = format!(
        ".version 8.0\n.target sm_90, debug\n.address_size 64\n.visible .entry k()\n{{\nret;\n}}\n\
         .section .debug_abbrev {{\n{abbreviations}}}\n.section .debug_info {{\n{}{}}}\n",
        unit(0xb),
        unit(u64::MAX)
    );
    let dir = tempfile::tempdir().unwrap();
    let (input, object) = (dir.path().join("k.ptx"), dir.path().join("k.debug"));
    fs::write(&input, ptx).unwrap();
    let mut compile = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    compile.args(["-g", "-arch", "sm_90", "--code", "none", "-o"]).args([&object, &input]);
    assert!(compile.status().unwrap().success());
    let shown = text(&object, &["--section", ".debug_info"]);
    assert!(shown.contains("DW_AT_sibling: <0xb>\n"), "{shown}");
    assert!(shown.ends_with("DW_AT_sibling: unit+0xffffffffffffffff (outside the unit)\n"), "{shown}");
}

/// Bug 61: ptxas wrote 0 for the end of a block, because no label of that name is there.
#[test]
fn a_code_address_without_relocation_is_marked() {
    let file = Path::new("../cubin-debuginfo/tests/data/unplaced_label.sm_86.cubin");
    let text = text(file, &["--section", ".debug_info"]);
    let ends: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("DW_AT_high_pc: ")).collect();
    let (marked, places): (Vec<&str>, Vec<&str>) =
        ends.iter().partition(|end| end.ends_with("(no relocation)"));
    assert_eq!(marked, ["0x0 (no relocation)"], "{text}");
    assert!(!places.is_empty() && places.iter().all(|place| place.starts_with(".text.")), "{text}");
}

#[test]
fn the_section_table_says_what_debug_sections_hold() {
    let file = example("saxpy/saxpy.cubin");
    let all = text(&file, &[]);
    let row = |name: &str| all.lines().find(|line| line.split_whitespace().nth(1) == Some(name)).unwrap();
    assert!(row(".debug_line").ends_with("  SASS address to source line"));
    assert!(row(".debug_str").ends_with("  names, of inlined functions above all (from the PTX)"));
    assert!(row(".text.saxpy").ends_with("0x600"));
    let document = json(&file, &[]);
    let rows = document["section_table"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(row(".debug_str")["origin"], "ptx");
    assert_eq!(
        (&row(".nv_debug_ptx_txt")["origin"], &row(".nv_debug_ptx_txt")["content"]),
        (&"assembler".into(), &"the PTX text".into())
    );
    assert!(row(".text.saxpy").get("content").is_none());
}

#[test]
fn wrong_bytes_never_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.cubin");
    // xorshift: the same bytes on every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let mut counts = [0; 2];
    for name in ["saxpy/saxpy.cubin", "block_sum/block_sum-debug.cubin"] {
        let bytes = fs::read(example(name)).unwrap();
        for round in 0..150 {
            let mut mutant = bytes.clone();
            for _ in 0..=round % 4 {
                let at = next() % mutant.len();
                mutant[at] = next() as u8;
            }
            fs::write(&path, &mutant).unwrap();
            for command in ["dump", "lines"] {
                let output = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
                    .arg(command)
                    .arg(&path)
                    .output()
                    .unwrap();
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                let code = output.status.code().unwrap_or(-1);
                assert!(code == 0 || code == 1, "{command}: {code}: {error}");
                assert!(!error.contains("panicked"), "{error}");
                counts[code as usize] += 1;
            }
        }
    }
    let _ = writeln!(io::stderr(), "wrong bytes: {} answered, {} refused", counts[0], counts[1]);
}

/// 300 KB in which 1000 entries have one name of 300 KB are not made into 300 MB.
#[test]
fn one_long_string_for_many_entries() {
    let section = |name: &str, bytes: &[u8]| DebugSection {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
        rel: Vec::new(),
        rela: Vec::new(),
    };
    let entries = [2, 0, 0, 0, 0].repeat(1000);
    let unit = [&[2, 0, 0, 0, 0, 0, 8, 1][..], &entries, &[0]].concat();
    let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
    let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
    cubin
        .set_debug_sections(vec![
            section(".debug_abbrev", &[1, 0x11, 1, 0, 0, 2, 0x34, 0, 3, 0x0e, 0, 0, 0]),
            section(".debug_info", &info),
            section(".debug_str", &[vec![b'q'; 300_000], vec![0]].concat()),
        ])
        .unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, cubin.write().unwrap()).unwrap();
    let run = dump(file.path(), &[]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(text.contains("too many fields refer to long strings"));
    assert!(text.len() < 2_000_000, "{}", text.len());
}
