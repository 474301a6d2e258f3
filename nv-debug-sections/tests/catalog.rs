//! The catalog against files: 679 corpus cubins, the section lists of 1152 runs, and what ptxas and
//! nvlink make of a PTX with every section.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use corpus::{architectures, file, oracle};
use nv_debug_sections::catalog::{
    CATALOG, CatalogEntry, LinkerAction, NameMatch, SectionHeaderFields, SectionKind, SectionLinks,
    SectionName, SectionOrigin, Space,
};
use nv_debug_sections::cubin::{Cubin, Section, SectionIndex};
use nv_debug_sections::release::Release;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who wrote a file: ptxas and what has it inside (NVRTC, Triton), or nvlink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    Ptxas,
    Nvlink,
}

/// By row: the SMs in whose files it was seen, by writer.
#[derive(Default)]
struct Seen(BTreeMap<usize, BTreeSet<(Writer, u32)>>);

impl Seen {
    /// Notes a section, and that its row says the SM can have it.
    fn note(&mut self, row: &CatalogEntry, writer: Writer, sm: u32, what: &str) {
        let sms = row.sms(Release::V13_0);
        assert!(sms.contains(&sm), "{what}: sm_{sm} has {}, {sms:?}", row.name);
        let at = CATALOG.iter().position(|other| other == row).unwrap();
        self.0.entry(at).or_default().insert((writer, sm));
    }

    fn sms(&self, row: usize, writer: Writer) -> BTreeSet<u32> {
        let seen = self.0.get(&row).into_iter().flatten();
        seen.filter(|(by, _)| *by == writer).map(|(_, sm)| *sm).collect()
    }
}

/// The row of a section of a file, whose header it must be. Of the two rows of `.nv_debug.shared`
/// that of its type.
fn row_of(name: &SectionName<'_>, section: &Section<'_>, what: &str) -> &'static CatalogEntry {
    let row = name.entry().unwrap_or_else(|| panic!("{what}: no row"));
    let of_name = CATALOG.iter().filter(|other| other.name == row.name);
    let row = { of_name }.find(|other| other.header.sh_type == section.sh_type).unwrap_or(row);
    let found = section.header_fields();
    let align = if row.header.align == 0 { found.align } else { row.header.align };
    assert_eq!(found, SectionHeaderFields { align, ..row.header }, "{what}");
    row
}

/// Checks every debug section of a file; returns how many there are.
fn check_file(bytes: &[u8], writer: Writer, what: &str, seen: &mut Seen) -> usize {
    let cubin = Cubin::parse(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (mut last, mut rows) = (BTreeMap::new(), BTreeSet::new());
    let mut count = 0;
    for (index, text, section) in cubin.iter() {
        let name = SectionName::parse(text);
        if !name.is_debug() {
            continue;
        }
        let what = format!("{what}: {text}");
        let row = row_of(&name, section, &what);
        seen.note(row, writer, cubin.header.sm(), &what);
        assert!(
            text.starts_with(row.name) && (text == row.name || row.name_match != NameMatch::Exact),
            "{what}"
        );
        check_links(&cubin, section, &name, row, &what);
        if writer == Writer::Ptxas {
            check_content(&cubin, index, &name, row, &what);
        }
        // In files of ptxas sections of one block come in the order of the rows; nvlink adds what
        // its later inputs have.
        let block = (name.space, name.form.is_some(), section.flags & 2);
        let before = last.insert(block, row.rank());
        let in_order = before.is_none_or(|before| before <= row.rank());
        assert!(in_order || writer == Writer::Nvlink, "{what} comes too late");
        let is_alone = rows.insert(row.name) || row.name_match == NameMatch::Prefix;
        assert!(is_alone || row.linker_action == LinkerAction::KeepSeparate, "{what} is not joined");
        count += 1;
    }
    count
}

/// `sh_link` and `sh_info` are what the row says.
fn check_links(
    cubin: &Cubin<'_>,
    section: &Section<'_>,
    name: &SectionName<'_>,
    row: &CatalogEntry,
    what: &str,
) {
    match row.links {
        SectionLinks::None => assert_eq!((section.link, section.info), (0, 0), "{what}"),
        SectionLinks::Relocations { symtab } => {
            assert_eq!(cubin.section_name(SectionIndex(section.link)), symtab, "{what}");
            let target = SectionName { form: None, ..name.clone() }.to_string();
            assert_eq!(cubin.section_name(SectionIndex(section.info)), target, "{what}");
        }
    }
}

/// Clones that are said to have the native bytes have them in files of ptxas. In linked files that
/// of `.debug_info` differs.
fn check_content(
    cubin: &Cubin<'_>,
    index: SectionIndex,
    name: &SectionName<'_>,
    row: &CatalogEntry,
    what: &str,
) {
    if name.space == Space::Mercury && row.content == "the native section's bytes" {
        let native = cubin.section_by_name(&name.base).unwrap();
        assert!(cubin.bytes(index).unwrap() == cubin.bytes(native).unwrap(), "{what}");
    }
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(path);
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
    }
    path.exists().then_some(path)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&file(path)).unwrap()
}

/// Every cubin of the corpus' manifest.
fn corpus_files(seen: &mut Seen) {
    let manifest = corpus::root::root().join("manifest.json");
    let (mut files, mut sections) = (0, 0);
    for entry in json(&manifest)["entries"].as_array().unwrap() {
        let Some(path) = entry["cubin"]["path"].as_str() else { continue };
        let is_linked = entry["writer"].as_str().unwrap().starts_with("nvlink");
        let writer = if is_linked { Writer::Nvlink } else { Writer::Ptxas };
        sections += check_file(&file(&manifest.with_file_name(path)), writer, path, seen);
        files += 1;
    }
    eprintln!("{sections} debug sections of {files} cubins are as their rows say");
    assert_eq!(files, if corpus::root::is_whole() { 679 } else { 571 });
}

/// The section lists of the matrix, which have names only. What ptxas writes for a PTX without
/// sections of its own it has made itself.
fn matrix_runs(seen: &mut Seen) -> bool {
    let Some(matrix) = shared("behaviour/matrix.json").map(|path| json(&path)) else { return false };
    let mut made = BTreeSet::new();
    for (tool, writer) in [("ptxas", Writer::Ptxas), ("nvlink", Writer::Nvlink)] {
        for run in matrix[tool].as_array().unwrap() {
            let digits = run["sm"].as_str().unwrap().trim_end_matches(|c: char| c.is_ascii_alphabetic());
            for section in run["sections"].as_array().into_iter().flatten() {
                let name = SectionName::parse(section[0].as_str().unwrap());
                seen.note(name.entry().unwrap(), writer, digits.parse().unwrap(), tool);
                made.extend(name.kind().filter(|_| run["ptx"] == "none"));
            }
        }
    }
    // Not in those runs, which have no shared variables outside of kernels.
    made.insert(SectionKind::NvDebugShared);
    made.extend(LATER);
    assert!(
        SectionKind::all()
            .all(|kind| (kind.entry().origin == SectionOrigin::Assembler) == made.contains(&kind))
    );
    true
}

/// A PTX with every section that is copied, and each kind of shared variable. `reference`: what the
/// sections refer to; `reversed`: their order.
fn probe(sm: u32, reference: &str, reversed: bool) -> String {
    let own =
        SectionKind::all().filter(|kind| kind.entry().origin == SectionOrigin::Ptx).map(SectionKind::name);
    let mut own: Vec<&str> = own.chain([".debug_types", ".nv_debug_other"]).collect();
    if reversed {
        own.reverse();
    }
    let mut ptx = format!(
        ".version 9.0\n.target sm_{sm}, debug\n.address_size 64\n.file 1 \"a.cu\"\n.global .b8 gv[4];\n.shared .b8 sv[64];\n\
         .extern .shared .align 16 .b8 dynamic[];\n.visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n\
         .loc 1 3 1\nLcode: ld.param.u64 %rd1, [p];\n.loc 1 4 1, function_name Lname, inlined_at 1 3 1\nmov.u32 %r1, 7;\n\
         st.global.u32 [%rd1], %r1;\n.loc 1 5 1\nret;\n}}\n"
    );
    for name in own {
        let bytes = match SectionKind::from_name(name) {
            Some(SectionKind::DebugStr) => "Lname:\n.b8 102, 0\n".to_owned() + reference,
            // One unit of one entry, with DW_AT_low_pc.
            Some(SectionKind::DebugAbbrev) => ".b8 1, 17, 0, 17, 1, 0, 0, 0\n".to_owned() + reference,
            Some(SectionKind::DebugInfo) => {
                ".b32 16\n.b8 2, 0\n.b32 .debug_abbrev\n.b8 8, 1\n.b64 Lcode\n".to_owned()
            }
            _ => reference.to_owned(),
        };
        let bytes = bytes.replace(", ", "\n.b8 ");
        ptx.extend([".section ", name, " {\n", &bytes, "}\n"]);
    }
    ptx
}

fn run(tool: &Path, arguments: &[String], folder: &Path) {
    let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What the tools make of the probe, for every SM that they know, which are given; none without
/// them.
fn probe_files(seen: &mut Seen) -> Vec<u32> {
    let (Some(ptxas), Some(nvlink)) = (oracle("ptxas"), oracle("nvlink")) else { return Vec::new() };
    let sms = architectures::numbers(&ptxas);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("catalog");
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = 0;
    for &sm in &sms {
        for (name, reference, reversed) in [
            ("code", ".b64 Lcode\n", false),
            ("symbol", ".b64 gv\n", true),
            ("section", ".b32 .debug_str\n", false),
        ] {
            std::fs::write(folder.join("a.ptx"), probe(sm, reference, reversed)).unwrap();
            for (tool, mode, input, output) in [
                (&ptxas, "-g", "a.ptx", "a.cubin"),
                (&ptxas, "-c", "a.ptx", "c.cubin"),
                (&nvlink, "-g", "c.cubin", "linked.cubin"),
                (&nvlink, "-r", "c.cubin", "r.cubin"),
            ] {
                let arch = format!("sm_{sm}");
                run(tool, &["-arch", &arch, mode, input, "-o", output].map(str::to_owned), &folder);
                let writer = if *tool == nvlink { Writer::Nvlink } else { Writer::Ptxas };
                let what = format!("probe, sm_{sm}, {name}, {output}");
                check_file(&file(&folder.join(output)), writer, &what, seen);
                files += 1;
            }
        }
    }
    eprintln!("{files} probe files are as the rows say");
    sms
}

/// The sections of later releases than 13.0.
const LATER: [SectionKind; 2] = [SectionKind::TileirDebugLine, SectionKind::TileirDebugTxt];

/// Every row is seen, from its first SM to its last, in files of both tools.
#[test]
fn every_row_is_what_the_tools_write() {
    let mut seen = Seen::default();
    corpus_files(&mut seen);
    let (has_matrix, sms) = (matrix_runs(&mut seen), probe_files(&mut seen));
    if !(corpus::root::is_whole() && has_matrix) || sms.is_empty() {
        eprintln!("skipped: first and last SMs, for which all three sources are needed");
        return;
    }
    let is_of_13_0 = |row: &CatalogEntry| row.kind.is_none_or(|kind| !LATER.contains(&kind));
    for (at, row) in CATALOG.iter().enumerate().filter(|(_, row)| is_of_13_0(row)) {
        let of_row = row.sms(Release::V13_0);
        let expected: BTreeSet<u32> = sms.iter().copied().filter(|sm| of_row.contains(sm)).collect();
        assert_eq!(seen.sms(at, Writer::Ptxas), expected, "{}", row.name);
        assert!(!seen.sms(at, Writer::Nvlink).is_empty(), "{}: never in a file of nvlink", row.name);
    }
}
