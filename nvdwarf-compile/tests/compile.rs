//! Compilation through the public interface: text and bytes in, bytes or typed errors out.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use nvdwarf_compile::arch::Arch;
use nvdwarf_compile::{
    CheckedPtx, CodeImage, CompileError, Compiled, ErrorKind, FileStat, LineTableStyle, Options, compile,
};
use ptx_syntax::LineIndex;
use std::fs;
use std::path::{Path, PathBuf};

fn example(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)).unwrap()
}

fn text(name: &str) -> String {
    String::from_utf8(example(name)).unwrap()
}

fn arch(name: &str) -> Arch {
    Arch::parse(name).unwrap()
}

/// Options that the examples with lines were made with.
fn lines() -> Options {
    Options { arch: arch("sm_90"), line_info: true, ..Options::default() }
}

fn kind(result: Result<Compiled, CompileError>) -> ErrorKind {
    result.unwrap_err().kind
}

/// Debug sections are made as ptxas made them.
#[test]
fn a_cubin_of_ptxas_comes_out_as_it_is() {
    let debug = Options { arch: arch("sm_75"), device_debug: true, ..Options::default() };
    for (name, options) in [
        ("saxpy/saxpy", lines()),
        ("saxpy/saxpy-debug", debug.clone()),
        ("block_sum/block_sum", lines()),
        ("block_sum/block_sum-debug", debug),
    ] {
        let cubin = example(&format!("{name}.cubin"));
        let made = compile(&text(&format!("{name}.ptx")), &CodeImage::Cubin(&cubin), &options).unwrap();
        assert_eq!(made.warnings, []);
        assert!(made.bytes == cubin, "{name}");
    }
}

#[test]
fn both_ways_give_the_same() {
    let (ptx, cubin) = (text("saxpy/saxpy-debug.ptx"), example("saxpy/saxpy-debug.cubin"));
    let options = Options { arch: arch("sm_75"), device_debug: true, ..Options::default() };
    for code in [CodeImage::None, CodeImage::Cubin(&cubin)] {
        let lines = LineIndex::new(&ptx);
        let (checked, _) = CheckedPtx::new(&ptx, &lines, &options).unwrap();
        let (prepared, _) = checked.prepare(true).unwrap();
        assert_eq!(prepared.generator_text(), ptx);
        let made = prepared.compile(&code).unwrap();
        assert_eq!(made.bytes, compile(&ptx, &code, &options).unwrap().bytes);
        assert!(made.statistics.functions > 0 && made.statistics.rows > 0 && made.statistics.sections > 2);
    }
}

#[test]
fn code_that_does_not_fit_is_refused() {
    let (ptx, cubin) = (text("saxpy/saxpy.ptx"), example("saxpy/saxpy.cubin"));
    let code = CodeImage::Cubin(&cubin);
    let compile_as = |options| kind(compile(&ptx, &code, &options));
    let other = Options { arch: arch("sm_100"), ..lines() };
    assert_eq!(compile_as(other), ErrorKind::OtherArch { found: 90, asked: 100 });
    let other = Options { relocatable: true, ..lines() };
    assert_eq!(compile_as(other), ErrorKind::OtherOutput { relocatable: false });
    let object = compile(&ptx, &CodeImage::None, &lines()).unwrap().bytes;
    let error = kind(compile(&ptx, &CodeImage::Cubin(&object), &lines()));
    assert!(matches!(error, ErrorKind::NoCode { .. }), "{error}");
    // From another PTX: the section and the byte are named.
    let other = text("block_sum/block_sum.ptx");
    let error = compile(&other, &code, &lines()).unwrap_err();
    let ErrorKind::Section(fault) = &error.kind else { panic!("{error}") };
    assert_eq!(fault.section(), ".nv_debug_line_sass");
    assert!(error.to_string().ends_with("the cubin was made from another PTX"), "{error}");
    let error = kind(compile(&ptx, &CodeImage::Cubin(b"no file"), &lines()));
    assert!(matches!(error, ErrorKind::Section(_)), "{error}");
}

#[test]
fn options_that_do_not_go_together() {
    let ptx = text("saxpy/saxpy-debug.ptx");
    let options = Options { opt_level: Some(3), device_debug: true, ..lines() };
    let error = compile(&ptx, &CodeImage::None, &options).unwrap_err();
    assert_eq!((&error.kind, &error.diagnostics[..]), (&ErrorKind::OptimizedDebug, &[][..]));
    // As ptxas 13.0.88 takes `.target ..., debug` without `-g`.
    assert!(ptx.contains(", debug\n"));
    for (opt_level, is_refused) in [(None, false), (Some(0), false), (Some(1), true), (Some(3), true)] {
        let options = Options { opt_level, ..lines() };
        let made = compile(&ptx, &CodeImage::None, &options);
        assert_eq!(
            made.is_err_and(|error| error.kind == ErrorKind::OptimizedDebug),
            is_refused,
            "{opt_level:?}"
        );
    }
}

#[test]
fn faults_of_the_text_have_places() {
    let ptx = text("saxpy/saxpy.ptx").replace(".target sm_", ".target sm_1");
    let error = compile(&ptx, &CodeImage::None, &lines()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Ptx);
    let ranges = error.diagnostics.iter().filter_map(|diagnostic| diagnostic.range);
    assert!(ranges.into_iter().any(|range| range.slice(&ptx).starts_with("sm_1")), "{error:?}");
}

/// A module whose line table has the time and the size of one source file.
const SOURCES: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n.file 2 \"b.cu\", 7, 8\n\
                       .visible .entry k() {\n.loc 1 3 1\nret;\n}\n";

#[test]
fn source_files_are_values() {
    let lines_of = LineIndex::new(SOURCES);
    let stat = FileStat { path: "a.cu".into(), mtime: 0x1234, size: 0x4321 };
    let options = Options { file_stats: vec![stat.clone()], ..lines() };
    let given = compile(SOURCES, &CodeImage::None, &options).unwrap();
    assert_eq!(given.warnings, []);

    let options = lines();
    let prepare = || CheckedPtx::new(SOURCES, &lines_of, &options).unwrap().0.prepare(false).unwrap().0;
    let mut prepared = prepare();
    assert_eq!(prepared.sources_without_stat(), ["a.cu"]);
    prepared.add_sources([stat]);
    assert!(prepared.sources_without_stat().is_empty());
    assert_eq!(prepared.compile(&CodeImage::None).unwrap().bytes, given.bytes);
    assert_ne!(prepare().compile(&CodeImage::None).unwrap().bytes, given.bytes);

    let stat = FileStat { path: "c.cu".into(), mtime: 1, size: 1 };
    let options = Options { file_stats: vec![stat], ..lines() };
    let warnings = compile(SOURCES, &CodeImage::None, &options).unwrap().warnings;
    assert_eq!(warnings[0].message, "--file-stat c.cu=...: no .file has this path");
}

/// A time of 0 is none, and then the size after it does not count either. Both are cut to 32 bits.
#[test]
fn the_time_and_size_of_a_file_directive() {
    let text = SOURCES.replace("\"a.cu\"", "\"a.cu\", 0, 99").replace("7, 8", "4294967303, 4294967304");
    let times = |file_stats: Vec<FileStat>| -> Vec<(u64, u64)> {
        let options = Options { file_stats, ..lines() };
        let bytes = compile(&text, &CodeImage::None, &options).unwrap().bytes;
        let cubin = Cubin::parse(&bytes).unwrap();
        let section = cubin.bytes(cubin.section_by_name(".debug_line").unwrap()).unwrap();
        let tables = line::decode(".debug_line", &section).unwrap();
        tables[0].files.iter().map(|file| (file.mtime, file.size)).collect()
    };
    assert_eq!(times(Vec::new()), [(0, 0), (7, 8)]);
    let stat = FileStat { path: "a.cu".into(), mtime: 0x1234, size: 0x4321 };
    assert_eq!(times(vec![stat]), [(0x1234, 0x4321), (7, 8)]);
}

#[test]
fn line_tables_of_other_styles() {
    let (ptx, cubin) = (text("block_sum/block_sum.ptx"), example("block_sum/block_sum.cubin"));
    let rows = |style| {
        let mut options = lines();
        options.extras.line_table = style;
        let Compiled { bytes, statistics, .. } = compile(&ptx, &CodeImage::Cubin(&cubin), &options).unwrap();
        (bytes.len(), statistics.rows)
    };
    let [as_ptxas, compact, full] =
        [LineTableStyle::Ptxas, LineTableStyle::Compact, LineTableStyle::Full].map(rows);
    assert!(compact.0 < as_ptxas.0 && compact.1 == as_ptxas.1, "{compact:?} {as_ptxas:?}");
    assert!(full.1 >= as_ptxas.1, "{full:?} {as_ptxas:?}");
}

/// A kernel with 2000 instructions more on one of its lines, and `count` blocks around them that
/// are in each other.
fn nested_blocks(count: usize) -> String {
    let more = format!("$L__BB1_12:{}", " mov.b32 %r1, %r1;".repeat(2000));
    let text = text("block_sum/block_sum.ptx").replace("$L__BB1_12:", &more);
    let text = text.replace(".target sm_90", ".target sm_90, debug");
    let blocks = ".b8 3\n.b64 $L__BB1_12\n.b64 $L__BB1_14\n".repeat(count);
    let ends = ".b8 0\n".repeat(count + 2);
    let size = 7 + 7 + 17 + 17 * count + count + 2;
    format!(
        "{text}.section .debug_abbrev {{\n.b8 1,17,1,3,8,16,6,0,0\n.b8 2,46,1,17,1,18,1,0,0\n.b8 3,11,1,17,1,18,1,0,0\n.b8 0\n}}\n\
         .section .debug_info {{\n.b32 {size}\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8\n.b8 1,97,0\n.b32 .debug_line\n\
         .b8 2\n.b64 $L__BB1_2\n.b64 $L__BB1_14\n{blocks}{ends}}}\n.section .debug_line {{ }}\n"
    )
}

#[test]
fn blocks_in_each_other_may_not_take_forever() {
    let cubin = example("block_sum/block_sum.cubin");
    let mut options = Options { device_debug: true, line_info: false, ..lines() };
    options.extras.keep_optimised = true;
    let compile = |count| compile(&nested_blocks(count), &CodeImage::Cubin(&cubin), &options);
    assert!(compile(20).unwrap().statistics.sections > 4);
    let error = compile(5000).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Ptx);
    let message =
        "--debug-opt, --path-map: blocks in each other need more work than a PTX of this size may ask for";
    assert_eq!(error.to_string(), message);
}

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, all) } else { all.push(path) }
    }
}

/// What reads a PTX here may run where there are no files and no processes.
#[test]
fn the_library_touches_nothing_outside() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 20);
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for word in ["std::fs", "std::process", "std::env", "std::io", "std::net", "println!", "anyhow"] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
}

/// ptxas 13.0.88 drops a section that another one refers to before it has come to it.
#[test]
fn sections_that_are_referred_to_early_are_dropped() {
    const FIRST: &str = ".section .first { .b32 .second }";
    const SECOND: &str = ".section .second { .b32 7 }";
    let cubin = example("saxpy/saxpy-debug.cubin");
    let options = Options { arch: arch("sm_75"), device_debug: true, ..Options::default() };
    let names = |sections: &str| {
        let ptx = format!("{}\n{sections}\n", text("saxpy/saxpy-debug.ptx"));
        let made = compile(&ptx, &CodeImage::Cubin(&cubin), &options).unwrap();
        let cubin = Cubin::parse(&made.bytes).unwrap();
        let own = cubin.iter().map(|(_, name, _)| name).filter(|name| [".first", ".second"].contains(name));
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&format!("{FIRST}\n{SECOND}")), [".first"]);
    assert_eq!(names(&format!("{SECOND}\n{FIRST}")), [".second", ".first"]);
}
