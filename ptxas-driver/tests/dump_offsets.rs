//! `dump` and bytes: what it shows of a section covers every byte once, and `--offset` finds what
//! covers a byte.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::cubins::{checked_in, with_sections};
use crate::support::driver::{answer, printed};
use crate::support::json;
use crate::support::random::Random;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{Contents, Cubin, sht};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn dump(file: &Path, args: &[&str]) -> Value {
    let output = answer("dump", file, &[args, &["--json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.is_empty(), "{} {args:?}: {error}", file.display());
    let document = json::only(&output);
    // What cannot be decoded is shown as bytes.
    let is_sound = array(&document, "sections").iter().all(|section| section.get("error").is_none());
    assert_eq!(output.status.success(), is_sound, "{} {args:?}", file.display());
    document
}

fn text(file: &Path, args: &[&str]) -> String {
    printed(&answer("dump", file, args))
}

fn array<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

fn span(item: &Value) -> Range<u64> {
    let offset = item["offset"].as_u64().unwrap();
    offset..offset + item["size"].as_u64().unwrap()
}

/// Where the items of a section are.
#[derive(Default)]
struct Items {
    /// Those without parts, headers of those with parts, and what is between them.
    leaves: Vec<Range<u64>>,
    /// Those with parts.
    wholes: Vec<Range<u64>>,
}

impl Items {
    fn of(section: &Value) -> Self {
        let mut items = Self::default();
        let contents = &section["contents"];
        // docs/json.md: which members hold parts, outermost first.
        let parts: &[&str] = match contents["kind"].as_str().unwrap() {
            "lines" => &["sequences", "rows"],
            "info" => &["entries"],
            "registers" => &["ranges"],
            _ => &[],
        };
        match &contents["data"] {
            Value::String(digits) => items.leaves.push(0..digits.len() as u64 / 2),
            data => data.as_array().unwrap().iter().for_each(|item| items.add(item, parts)),
        }
        items.leaves.extend(array(section, "rest").iter().map(span));
        items.leaves.retain(|leaf| !leaf.is_empty());
        items.leaves.sort_by_key(|leaf| leaf.start);
        items
    }

    fn add(&mut self, item: &Value, parts: &[&str]) {
        let whole = span(item);
        let Some(header) = item["header_size"].as_u64() else {
            return self.leaves.push(whole);
        };
        self.leaves.push(whole.start..whole.start + header);
        if let [part, inner @ ..] = parts {
            for item in array(item, part) {
                self.add(item, inner);
            }
        }
        let rules: Vec<u64> =
            array(item, "rule_offsets").iter().map(|start| start.as_u64().unwrap()).collect();
        assert_eq!(rules.len().saturating_sub(1), array(item, "rules").len());
        self.leaves.extend(rules.windows(2).map(|ends| ends[0]..ends[1]));
        self.wholes.push(whole);
    }

    /// What is wrong with the cover of a section of that size.
    fn fault(&self, size: u64) -> Option<String> {
        let ends = self.leaves.iter().map(|leaf| leaf.end);
        let starts = self.leaves.iter().map(|leaf| leaf.start).chain([size]);
        let gap = std::iter::once(0).chain(ends).zip(starts).find(|(end, start)| end != start);
        if let Some((end, start)) = gap {
            return Some(format!("an item ends at {end:#x}, the next starts at {start:#x}"));
        }
        let borders: BTreeSet<u64> = self.leaves.iter().map(|leaf| leaf.start).chain([size]).collect();
        let cut = self.wholes.iter().find(|whole| !borders.contains(&whole.end));
        cut.map(|whole| format!("{whole:x?} ends inside an item"))
    }
}

/// Every debug section with bytes, and what tools know of functions: name and bytes as they stand
/// in the file.
fn sections(cubin: &Cubin<'_>) -> Vec<(String, Vec<u8>)> {
    let all = cubin.iter().filter(|(_, name, section)| {
        let is_info = matches!(section.sh_type, sht::CUDA_INFO | sht::MERC_INFO);
        let has_bytes = matches!(section.contents, Contents::Bytes(_) | Contents::Alias(_));
        has_bytes && (is_info || SectionName::parse(name).is_debug_contents())
    });
    all.map(|(index, name, _)| (name.to_owned(), cubin.bytes(index).unwrap().into_owned())).collect()
}

/// The corpus, and what is checked in.
fn cubins() -> Vec<PathBuf> {
    let entries = support::corpus(|entry| entry.ok && entry.cubin.is_some());
    checked_in().into_iter().chain(entries.into_iter().filter_map(|entry| entry.cubin)).collect()
}

/// What an item's bytes must be for it to be there, told from the bytes alone.
fn check_bytes(kind: &str, section: &Value, bytes: &[u8]) {
    let of = |item: &Value| {
        let at = span(item);
        &bytes[at.start as usize..at.end as usize]
    };
    for rest in array(section, "rest") {
        let what = rest["what"].as_str().unwrap();
        let is_zero = what == "padding" || what.starts_with("end of") && what != "end of sequence";
        assert!(!is_zero || of(rest).iter().all(|byte| *byte == 0), "{rest}");
        assert!(what != "end of sequence" || of(rest).ends_with(&[0, 1, 1]), "{rest}");
    }
    let items = array(&section["contents"], "data");
    match kind {
        "strings" | "ptx_text" => {
            let member = if kind == "strings" { "value" } else { "text" };
            for item in items {
                let text = String::from_utf8_lossy(of(item)).into_owned();
                assert_eq!(text.strip_suffix('\0'), item[member].as_str(), "{item}");
            }
        }
        "registers" => {
            for range in items.iter().flat_map(|function| array(function, "ranges")) {
                let name = range["ptx"].as_str().unwrap().as_bytes();
                assert_eq!(
                    (&of(range)[4..4 + name.len()], of(range).len()),
                    (name, name.len() + 17),
                    "{range}"
                );
            }
        }
        "frames" => {
            for entry in items {
                assert_eq!(of(entry)[4..12], (of(entry).len() as u64 - 12).to_le_bytes(), "{entry}");
            }
        }
        // A row is made by DW_LNS_copy or a special opcode; ptxas' and our opcode_base is 10.
        "lines" => {
            for unit in items {
                assert_eq!(of(unit)[..4], (of(unit).len() as u32 - 4).to_le_bytes());
                for row in array(unit, "sequences").iter().flat_map(|sequence| array(sequence, "rows")) {
                    assert!(matches!(of(row).last(), Some(1 | 10..)), "{row}");
                }
            }
        }
        "attributes" => {
            for record in items {
                let sized = if of(record)[0] == 4 { of(record).len() - 4 } else { 0 };
                let size = u16::from_le_bytes([of(record)[2], of(record)[3]]);
                assert!(sized == 0 || usize::from(size) == sized, "{record}");
                assert_eq!(of(record).len(), 4 + sized, "{record}");
            }
        }
        _ => {}
    }
}

// The law: no byte of a section is passed over, none is shown twice, and `--offset` shows what
// covers a byte and nothing else.
#[test]
fn every_byte_is_some_item_s() {
    let (mut files, mut bytes_seen, mut leaves_seen, mut asked) = (0, 0, 0, 0);
    let mut kinds = BTreeSet::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for path in cubins() {
        let file = fs::read(&path).unwrap();
        let sections = sections(&Cubin::parse(&file).unwrap());
        let names: Vec<&str> = sections.iter().flat_map(|(name, _)| ["--section", name]).collect();
        if names.is_empty() {
            continue;
        }
        let document = dump(&path, &names);
        let shown = array(&document, "sections");
        assert_eq!(shown.len(), sections.len());
        for (section, (name, bytes)) in shown.iter().zip(&sections) {
            let kind = section["contents"]["kind"].as_str().unwrap();
            let items = Items::of(section);
            let fault = items.fault(bytes.len() as u64);
            assert!(fault.is_none(), "{} {name}: {}", path.display(), fault.unwrap_or_default());
            check_bytes(kind, section, bytes);
            kinds.insert(kind.to_owned());
            (bytes_seen, leaves_seen) = (bytes_seen + bytes.len(), leaves_seen + items.leaves.len());
        }
        let (name, bytes) = &sections[random.index(sections.len())];
        if !bytes.is_empty() {
            check_offset(&path, name, random.index(bytes.len()) as u64);
            asked += 1;
        }
        files += 1;
    }
    let _ = writeln!(
        io::stderr(),
        "dump: {files} cubins: {bytes_seen} bytes in {leaves_seen} items of {kinds:?}; {asked} bytes asked for"
    );
}

/// `--offset` shows an item that has the byte; what else it shows has the byte too, or is the
/// header of what has it.
fn check_offset(path: &Path, name: &str, offset: u64) {
    let document = dump(path, &["--offset", &format!("{name}+{offset:#x}")]);
    // Sections of relocatable files may share a name.
    for section in array(&document, "sections") {
        let items = Items::of(section);
        let has = |span: &&Range<u64>| span.contains(&offset);
        assert_eq!(
            items.leaves.iter().filter(has).count(),
            1,
            "{} {name}+{offset:#x}: {section}",
            path.display()
        );
        assert_eq!(items.wholes.iter().filter(has).count(), items.wholes.len(), "{section}");
        let others = items.leaves.iter().filter(|leaf| !has(leaf));
        let is_header = |leaf: &Range<u64>| items.wholes.iter().any(|whole| whole.start == leaf.start);
        assert!(others.clone().all(is_header), "{section}");
    }
}

// The text has the same items: a line that starts with the offset of each.
#[test]
fn the_text_has_a_line_for_each_item() {
    for name in ["saxpy/saxpy", "saxpy/saxpy-debug", "block_sum/block_sum", "block_sum/block_sum-debug"] {
        let path = support::repository().join("examples").join(format!("{name}.cubin"));
        let file = fs::read(&path).unwrap();
        let mut lines = 0;
        for (section, _) in sections(&Cubin::parse(&file).unwrap()) {
            let document = dump(&path, &["--section", &section]);
            let text = text(&path, &["--section", &section]);
            // `  0x0012  ...`; of units of .debug_info `  unit at 0x12: ...`
            let offset = |line: &str| {
                let digits = line.strip_prefix("  0x").or_else(|| line.strip_prefix("  unit at 0x"))?;
                let end = digits.find(|c: char| !c.is_ascii_hexdigit())?;
                u64::from_str_radix(&digits[..end], 16).ok()
            };
            let written: Vec<u64> = text.lines().filter_map(offset).collect();
            assert!(written.is_sorted(), "{name} {section}: {text}");
            let items = Items::of(&document["sections"][0]);
            let missing = items.leaves.iter().find(|leaf| !written.contains(&leaf.start));
            assert_eq!(missing, None, "{name} {section}: {text}");
            lines += items.leaves.len();
        }
        assert!(lines > 200, "{name}: {lines}");
    }
}

// Every byte of sections whose items are of all sizes; each kind of item is asked for in all its
// bytes.
#[test]
fn each_byte_of_an_example_is_found() {
    let example = |name: &str| support::repository().join("examples").join(name);
    for (file, name) in [
        ("saxpy/saxpy.cubin", ".debug_line"),
        ("saxpy/saxpy.cubin", ".nv.info"),
        ("saxpy/saxpy.cubin", ".debug_str"),
        ("saxpy/saxpy.cubin", ".debug_frame"),
        ("saxpy/saxpy-debug.cubin", ".debug_abbrev"),
    ] {
        let bytes = fs::read(example(file)).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let size = cubin.bytes(cubin.section_by_name(name).unwrap()).unwrap().len() as u64;
        (0..size).for_each(|offset| check_offset(&example(file), name, offset));
    }
}

/// A set: its length and what is in it.
fn set(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes(), body].concat()
}

/// What `dump` says of a section made of these bytes; `others` are there beside it.
fn shown(name: &str, bytes: &[u8], others: &[(&str, &[u8])]) -> (Value, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), with_sections(&[&[(name, bytes)], others].concat())).unwrap();
    let document = dump(file.path(), &["--section", name]);
    let section = document["sections"][0].clone();
    assert_eq!(Items::of(&section).fault(bytes.len() as u64), None, "{section}");
    (0..bytes.len()).for_each(|offset| check_offset(file.path(), name, offset as u64));
    (section, text(file.path(), &["--section", name]))
}

/// Offset, size and words of what is between the items.
fn rest(section: &Value) -> Vec<(u64, u64, &str)> {
    let rest = array(section, "rest").iter();
    rest.map(|rest| (span(rest).start, rest["size"].as_u64().unwrap(), rest["what"].as_str().unwrap()))
        .collect()
}

#[test]
fn zeros_in_and_between_units_are_padding() {
    // Abbreviation 1: a compile unit with children and no attributes; 2: a base type without.
    let abbrev = [1, 0x11, 1, 0, 0, 2, 0x24, 0, 0, 0, 0];
    let unit = |entries: &[u8]| set(&[&[2, 0, 0, 0, 0, 0, 8], entries].concat());
    let info = [unit(&[1, 2, 0, 0, 0]), vec![0; 4], unit(&[2]), vec![0; 3]].concat();
    let (section, text) = shown(".debug_info", &info, &[(".debug_abbrev", &abbrev)]);
    let expected = [(13, 1, "end of children"), (14, 1, "padding"), (15, 1, "padding"), (16, 4, "padding")];
    assert_eq!(rest(&section), [&expected[..], &[(32, 3, "padding")]].concat());
    assert!(text.contains("\n  0x000c   DW_TAG_base_type\n  0x000d  end of children (1 byte)\n"), "{text}");
    assert!(text.ends_with("\n  0x001f DW_TAG_base_type\n  0x0020  padding (3 bytes)\n"), "{text}");

    let (section, _) = shown(".debug_abbrev", &abbrev, &[]);
    assert_eq!(rest(&section), [(10, 1, "end of table")]);
}

#[test]
fn sets_of_names_and_addresses_have_headers_and_ends() {
    // Version 2, unit at 0x40 of 0x80 bytes; one name, the end, two bytes more.
    let names = [2, 0, 0x40, 0, 0, 0, 0x80, 0, 0, 0, 0x0b, 0, 0, 0, b'k', 0, 0, 0, 0, 0, 0, 0];
    let (section, text) = shown(".debug_pubnames", &set(&names), &[]);
    let header = "names of the unit at 0x40, 0x80 bytes, version 2";
    assert_eq!(rest(&section), [(0, 14, header), (20, 4, "end of names"), (24, 2, "padding")]);
    assert!(text.contains("\n  0x000e  <0x4b>  k\n  0x0014  end of names (4 bytes)\n"), "{text}");

    // Version 2, unit at 0, addresses of 8 bytes, no segments, padding; 0x10 bytes at 0x100; the
    // end.
    let word = |number: u64| number.to_le_bytes();
    let addresses = [&[2, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 9][..], &word(0x100), &word(0x10), &[0; 16]].concat();
    let (section, text) = shown(".debug_aranges", &set(&addresses), &[]);
    let header = "addresses of the unit at 0x0, version 2";
    assert_eq!(rest(&section), [(0, 12, header), (12, 4, "unknown"), (32, 16, "end of addresses")]);
    let range = serde_json::json!({ "offset": 16, "size": 16, "unit": 0, "start": "0x100", "length": 16 });
    assert_eq!(section["contents"], serde_json::json!({ "kind": "addresses", "data": [range] }));
    assert!(text.contains("\n  0x000c  00 00 00 09 "), "{text}");
}

#[test]
fn lists_have_bases_and_ends() {
    let pair = |start: u64, end: u64| [start.to_le_bytes(), end.to_le_bytes()].concat();
    let ranges = [pair(u64::MAX, 0x100), pair(0x10, 0x20), pair(0, 0)].concat();
    let between = [(0, 16, "from here on relative to 0x100"), (32, 16, "end of list")];
    let (section, text) = shown(".debug_ranges", &ranges, &[]);
    assert_eq!((rest(&section), &section["contents"]["kind"]), (between.to_vec(), &"ranges".into()));
    assert!(text.contains("\n  0x0010  0x10 to 0x20\n  0x0020  end of list (16 bytes)\n"), "{text}");
    // DW_OP_reg0, of one byte.
    let locations = [pair(u64::MAX, 0x100), pair(0x10, 0x20), vec![1, 0, 0x50], pair(0, 0)].concat();
    let (section, _) = shown(".debug_loc", &locations, &[]);
    assert_eq!(rest(&section), [between[0], (35, 16, "end of list")]);
    let location = serde_json::json!({
        "offset": 16, "size": 19, "start": "0x10", "end": "0x20", "expression": "DW_OP_reg0", "last": true
    });
    assert_eq!(section["contents"]["data"], serde_json::json!([location]));
}

// Nothing of a line program is passed over: a step of the address alone, an opcode of another
// vendor, a column, code that is not a statement.
#[test]
fn operations_that_make_no_row_are_shown() {
    let address = [&[0, 9, 2][..], &[0; 8]].concat();
    let program: [&[u8]; 8] = [
        &[5, 7, 6, 1],       // column 7, negate_stmt, copy
        &[2, 0x10],          // advance_pc, alone
        &[0, 3, 0x99, 1, 2], // unknown
        &[7, 2, 0x10, 1],    // basic block, advance_pc, copy
        &[2, 0x10],          // advance_pc, alone
        &[6],                // negate_stmt
        &[2, 0x10],          // of the end
        &[0, 1, 1],
    ];
    // Params, operand counts, no directories and files.
    let header = [&[1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1][..], &[0, 0]].concat();
    let unit = [&[2, 0], &*set(&header), &address, &program.concat()].concat();
    let (section, text) = shown(".debug_line", &set(&unit), &[]);
    let data = &section["contents"]["data"][0];
    let start = 4 + 2 + 4 + header.len() as u64;
    assert_eq!((data["header_size"].as_u64(), span(&data["sequences"][0]).start), (Some(start), start));
    let at = start + 11;
    let rows = array(&data["sequences"][0], "rows");
    assert_eq!((span(&rows[0]), span(&rows[1])), (at..at + 4, at + 4..at + 15));
    assert_eq!((&rows[0]["column"], &rows[0]["is_stmt"]), (&7.into(), &false.into()));
    let operations: Vec<_> =
        array(&rows[1], "operations").iter().map(|it| (span(it), it["value"].as_str().unwrap())).collect();
    let expected = [
        (at + 4..at + 6, "address 0x10, line as before"),
        (at + 6..at + 11, "DW_LNE 0x99: bytes [01, 02]"),
        (at + 11..at + 12, "DW_LNS_set_basic_block"),
    ];
    assert_eq!(operations, expected);
    let end = [
        (at + 15, 2, "address 0x30, line as before"),
        (at + 17, 1, "DW_LNS_negate_stmt"),
        (at + 18, 5, "end of sequence"),
    ];
    assert_eq!(rest(&section), end);
    assert!(text.contains("file 1 (not declared):1:7  no statement\n"), "{text}");
    assert!(text.contains("  DW_LNE 0x99: bytes [01, 02]\n"), "{text}");
}

#[test]
fn gaps_and_overlaps_are_faults_of_a_cover() {
    let fault = |leaves: &[(u64, u64)], whole: u64| {
        let leaves = leaves.iter().map(|(start, end)| *start..*end).collect();
        Items { leaves, wholes: std::iter::once(0..whole).collect() }.fault(6)
    };
    assert_eq!(fault(&[(0, 4), (4, 6)], 4), None);
    for leaves in [&[(0, 4), (5, 6)][..], &[(0, 4), (3, 6)], &[(1, 6)], &[(0, 5)], &[]] {
        assert!(fault(leaves, 6).is_some(), "{leaves:?}");
    }
    assert!(fault(&[(0, 4), (4, 6)], 5).is_some());
}
