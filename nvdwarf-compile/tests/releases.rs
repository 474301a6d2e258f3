//! Cubins of every release of the toolkit, made from the PTX of `corpus/releases`: they are read by
//! the rules of their release, written again, and compiled as their ptxas did it.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cubin_debuginfo::verify::verify;
use dwarf2_writer::Address;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, ReleaseSource};
use nv_debug_sections::line;
use nvdwarf_compile::arch::Arch;
use nvdwarf_compile::{CodeImage, Compiled, Diagnostic, ErrorKind, Options, PathMap, compile};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

/// A cubin of the folder.
struct Sample {
    /// The release and the architecture, as the file name has them.
    release: String,
    arch: Arch,
    /// The name of the PTX that it was made from: `lookup`, `blocks`, `minima` and `intermediate`
    /// with lines, `divide` with `-g`.
    ptx: &'static str,
    bytes: Vec<u8>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus/releases")
}

fn samples() -> Vec<Sample> {
    let files = fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let cubins = files.filter(|path| path.extension().is_some_and(|extension| extension == "cubin"));
    let mut samples: Vec<Sample> = cubins
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (release, arch) = name.split_once('-').unwrap();
            let (arch, ptx) = match arch.split_once('.') {
                Some((arch, "divide")) => (arch, "divide"),
                Some((arch, "blocks")) => (arch, "blocks"),
                Some((arch, "minima")) => (arch, "minima"),
                Some((arch, "intermediate")) => (arch, "intermediate"),
                _ => (arch, "lookup"),
            };
            let (release, arch) = (release.to_owned(), Arch::parse(arch).unwrap());
            Sample { release, arch, ptx, bytes: fs::read(&path).unwrap() }
        })
        .collect();
    samples.sort_by_key(|sample| (sample.release.clone(), sample.arch));
    assert!(samples.len() > 20, "{}", samples.len());
    samples
}

#[test]
fn each_file_tells_its_release() {
    for Sample { release, arch, bytes, .. } in samples() {
        let cubin = Cubin::parse(&bytes).unwrap();
        assert_eq!(cubin.release().name(), release);
        let source = if cubin.header.abi_version == 8 { ReleaseSource::Note } else { ReleaseSource::Header };
        assert_eq!(cubin.release_source(), source, "{release} {arch}");
        assert_eq!((cubin.header.sm(), cubin.release().compiles_for(arch)), (arch.number, true));
        assert_eq!(cubin.header.abi_version, cubin.release().abi_version(arch.number), "{release} {arch}");
        assert_eq!(
            cubin.wrong_symbol_link().is_some(),
            !cubin.release().has_right_symbol_links(),
            "{release}"
        );
    }
}

#[test]
fn files_and_line_tables_are_written_as_they_were() {
    for Sample { release, arch, bytes, .. } in samples() {
        let cubin = Cubin::parse(&bytes).unwrap();
        assert!(cubin.write().unwrap() == bytes, "{release} {arch}");
        for kind in [SectionKind::DebugLine, SectionKind::NvDebugLineSass] {
            for name in [kind.name().to_owned(), format!(".nv.merc{}", kind.name())] {
                let Some(index) = cubin.section_by_name(&name) else { continue };
                let section = cubin.bytes(index).unwrap();
                let tables = line::decode(&name, &section).unwrap();
                let [table] = tables.as_slice() else { panic!("{release} {arch} {name}: one unit") };
                assert_eq!(table.params, line::params(cubin.release()), "{release} {arch} {name}");
                let written =
                    line::encode(&name, table, None, |_, sequence| Address::Constant(sequence.base)).unwrap();
                assert!(written.bytes == *section, "{release} {arch} {name}");
            }
        }
    }
}

/// What a release does by habit is a note with a code of its own.
#[test]
fn verify_finds_habits_and_no_faults() {
    for Sample { release, arch, ptx, bytes } in samples() {
        let codes: BTreeSet<&str> = verify(&Cubin::parse(&bytes).unwrap())
            .findings()
            .iter()
            .map(|finding| finding.rule.code)
            .collect();
        let habits: &[&str] = match release.as_str() {
            // A register that is set and not read (R101), as in later releases.
            _ if ptx == "divide" => &["R101"],
            // The numbers of rows that ptxas before 12.8 counts wrongly.
            "12.1" if ptx == "blocks" => &["E101", "E102", "L108"],
            "12.6" if ptx == "blocks" => &["L108"],
            "11.7" => &["E102", "F103"],
            "11.8" | "12.3" => &["E102"],
            "12.0" | "12.1" | "12.2" => &["E101", "E102"],
            _ => &[],
        };
        assert_eq!(codes.into_iter().collect::<Vec<_>>(), habits, "{release} {arch}");
    }
}

#[test]
fn a_cubin_for_another_sm_is_refused_where_rules_are_not_known() {
    let ptx = fs::read_to_string(folder().join("lookup.ptx")).unwrap();
    let bytes = fs::read(folder().join("12.0-sm_52.cubin")).unwrap();
    let options = Options { arch: Arch::parse("sm_90").unwrap(), line_info: true, ..Options::default() };
    let error = compile(&ptx, &CodeImage::Cubin(&bytes), &options).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::OtherArch { found: 52, asked: 90 }), "{:?}", error.kind);
}

/// The expectations are the files of ptxas: no byte of a debug section is copied from them where
/// the rules are known.
#[test]
fn compile_writes_what_the_ptxas_of_each_release_does() {
    let mut unknown = BTreeSet::new();
    for Sample { release, arch, ptx, bytes } in samples() {
        let text = fs::read_to_string(folder().join(ptx).with_extension("ptx")).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let (major, minor) = cubin.release().newest_ptx();
        let text = text
            .replace(".version 7.7", &format!(".version {major}.{minor}"))
            .replace(".target sm_52", &format!(".target {arch}"))
            .replace(".target sm_90", &format!(".target {arch}"));
        let device_debug = ptx == "divide";
        let options = Options {
            arch,
            line_info: !device_debug,
            device_debug,
            release: cubin.release(),
            ..Options::default()
        };
        let compiled = compile(&text, &CodeImage::Cubin(&bytes), &options).unwrap();
        if !cubin.release().knows_rules_of(arch.number) {
            assert!(compiled.bytes == bytes, "{release} {arch}");
            assert_eq!(compiled.warnings.len(), 1, "{release} {arch}: a note");
            unknown.insert(format!("{release} {arch}"));
            continue;
        }
        assert!(!left_the_sections(&compiled), "{release} {arch}");
        let made = Cubin::parse(&compiled.bytes).unwrap();
        for (index, name, _) in cubin.iter().filter(|(_, name, _)| SectionName::parse(name).is_debug()) {
            let ours = made.section_by_name(name).unwrap_or_else(|| panic!("{release} {arch}: {name}"));
            // From sm_90 on the bytes under a relocation of sm_90's frames are not known.
            let is_open = name == ".debug_frame" && arch.number == 90 && release == "13.5";
            assert!(
                is_open || made.bytes(ours).unwrap() == cubin.bytes(index).unwrap(),
                "{release} {arch} {name}"
            );
        }
    }
    let expected = ["11.7 sm_75"];
    assert_eq!(unknown.into_iter().collect::<Vec<_>>(), expected);
}

/// Whether a note says that the debug sections of ptxas stay.
fn left_the_sections(compiled: &Compiled) -> bool {
    compiled.warnings.iter().any(|warning| warning.message.contains("stay as they are"))
}

/// On sm_90 before CUDA 12.8 the rules of line tables have exceptions, so that a table that does
/// not follow them is taken for right. Later tables are written by the rules.
#[test]
fn line_tables_that_do_not_follow_the_rules_stay_where_there_are_exceptions() {
    let arch = Arch::parse("sm_90").unwrap();
    for (file, stays) in [("12.6-sm_90.blocks.cubin", true), ("12.8-sm_90.blocks.cubin", false)] {
        let mut bytes = fs::read(folder().join(file)).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let release = cubin.release();
        assert_eq!(release.line_tables_have_exceptions(arch.number), stays, "{file}");
        let index = cubin.section_by_name(SectionKind::DebugLine.name()).unwrap();
        let table = cubin.bytes(index).unwrap().into_owned();
        let at = bytes.windows(table.len()).position(|window| window == table).unwrap();
        // Another size of the code: before the three bytes of `DW_LNE_end_sequence` and the high
        // byte of the advance stands its low byte, whose bits 0 to 6 count.
        bytes[at + table.len() - 5] ^= 0x10;
        let mut options = Options { arch, line_info: true, release, ..Options::default() };
        let (major, minor) = release.newest_ptx();
        let text = fs::read_to_string(folder().join("blocks.ptx")).unwrap();
        let text = text.replace(".version 7.7", &format!(".version {major}.{minor}"));
        let compiled = compile(&text, &CodeImage::Cubin(&bytes), &options).unwrap();
        assert_eq!((compiled.bytes == bytes, left_the_sections(&compiled)), (stays, stays), "{file}");
        // Bytes of our own are asked for: that they differ is said.
        options.extras.path_maps = vec![PathMap { old: "/".into(), new: "/x".into() }];
        let compiled = compile(&text, &CodeImage::Cubin(&bytes), &options).unwrap();
        assert!(compiled.bytes != bytes, "{file}");
        let warns = |warning: &Diagnostic| warning.message.contains("has other rows than its own");
        assert_eq!(compiled.warnings.iter().any(warns), stays, "{file}");
        options.extras.path_maps.clear();
        // Times of files follow the rules.
        bytes[at + table.len() - 5] ^= 0x10;
        options.extras.time_of_files = Some(1);
        let compiled = compile(&text, &CodeImage::Cubin(&bytes), &options).unwrap();
        assert_eq!((compiled.bytes == bytes, left_the_sections(&compiled)), (false, false), "{file}");
    }
}
