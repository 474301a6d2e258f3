//! `compile --code cubin:X` against the cubin X that ptxas made of the same PTX: which sections
//! come out the same.
//!
//! `tools/campaign exactness` has any manifest compared: `$NVDWARF_EXACTNESS` is its path,
//! `$NVDWARF_REPORT` the file for the report, which shows at most `$NVDWARF_LIMIT` differences.
//! `$NVDWARF_EXACTNESS_DRIVER` is another program than ours to try.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "the figures")]

mod corpus;
mod known;
mod report;
mod words;

use crate::support;
use crate::support::cubins::debug_sections;
use crate::support::driver;
use known::Reason;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::frame;
use report::{Report, WHOLE_FILE};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Small PTX of our own, each for a rule, and what ptxas 13.0.88 made of it; the file's name says
/// how (`tests/pairs/make.sh`).
#[test]
fn own_pairs_are_exact() {
    let folder = support::repository().join("ptxas-driver/tests/pairs");
    let mut cubins: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cubin"))
        .collect();
    cubins.sort();
    assert!(cubins.len() >= 15, "{} has {} cubins", folder.display(), cubins.len());
    for cubin in cubins {
        let stem = cubin.file_stem().unwrap().to_str().unwrap();
        let mut words = stem.split('.');
        let ptx = folder.join(format!("{}.ptx", words.next().unwrap()));
        let arch = words.next().unwrap();
        assert_same_file(&ptx, &cubin, arch, words.map(|option| format!("-{option}")));
    }
}

/// The examples, which `examples/make.sh` made with the real tools.
#[test]
fn examples_are_exact() {
    let examples = support::repository().join("examples");
    for (name, arch, option) in [
        ("saxpy/saxpy", "sm_90", "-lineinfo"),
        ("saxpy/saxpy-debug", "sm_75", "-g"),
        ("block_sum/block_sum", "sm_90", "-lineinfo"),
        ("block_sum/block_sum-debug", "sm_75", "-g"),
    ] {
        let ptx = examples.join(format!("{name}.ptx"));
        assert_same_file(&ptx, &ptx.with_extension("cubin"), arch, [option.to_owned()]);
    }
}

fn assert_same_file(ptx: &Path, cubin: &Path, arch: &str, options: impl IntoIterator<Item = String>) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let mut command = driver::compile();
    command.arg(ptx).args(["-arch", arch]).args(options).arg("--code").arg(driver::code_of(cubin));
    let (ours, original) = (driver::made(&mut command, &output), fs::read(cubin).unwrap());
    let (our_sections, sections) = (debug_sections(&ours), debug_sections(&original));
    let other: Vec<_> =
        sections.iter().filter(|(name, bytes)| our_sections.get(*name) != Some(bytes)).collect();
    assert!(
        other.is_empty(),
        "{}: {:?} differ",
        cubin.display(),
        other.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    assert!(ours == original, "{}: the file differs outside its debug sections", cubin.display());
}

/// A cubin with relocations that overlap still gives code facts: only label places are then told by
/// the lines.
#[test]
fn overlapping_relocations_are_no_fault() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (code, output) = (folder.path().join("code.cubin"), folder.path().join("out.cubin"));
    let ptx = support::repository().join("ptxas-driver/tests/pairs/overlapping_references.ptx");
    let options = ["-arch", "sm_120", "-g"];
    assert!(Command::new(ptxas).arg(&ptx).args(options).arg("-o").arg(&code).status().unwrap().success());
    let mut command = driver::compile();
    driver::made(command.arg(&ptx).args(options).arg("--code").arg(driver::code_of(&code)), &output);
}

/// The program of this build.
fn our_driver() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_ptxas-driver"))
}

/// The whole corpus, all that ptxas 13.0.88 wrote: all SMs, producers, modes and kinds of file.
#[test]
fn the_whole_corpus_is_exact() {
    let corpus = support::corpus_root::root();
    let report = report::compare(our_driver(), &corpus.join("manifest.json"), None).unwrap();
    println!("{}", report.text(20).unwrap());
    assert!(report.failed.is_empty(), "{:#?}", report.failed);
    let at_least = support::corpus_root::at_least;
    assert!(report.entries >= at_least(612), "{} entries", report.entries);
    // Differences with a reason, in docs/conformance.md: CIE pointers of relocatable sm_90 files
    // lead into the hidden Mercury `.debug_frame`, ours to the CIE.
    let wrong: Vec<_> = report.different.iter().filter(|one| one.reason.is_none()).collect();
    assert!(wrong.is_empty(), "{} sections are not as they should be: {wrong:#?}", wrong.len());
    assert!(!report.is_exact(), "the CIE pointers differ");

    for (family, name) in [
        ("up to sm_89", ".debug_line"),
        ("sm_90", ".debug_line"),
        ("from sm_100", ".debug_line"),
        ("from sm_100", ".nv.merc.debug_line"),
        ("from sm_100", ".nv.merc.nv_debug_line_sass"),
    ] {
        let count = report.families[family].sequences[name];
        assert!(
            count.identical == count.total && count.total > at_least(400),
            "{family} {name}: {count} sequences"
        );
    }
    let files = report.families["from sm_100"].files;
    assert_eq!(files.total, files.identical, "{files}");
}

/// A manifest of other programs, which `tools/campaign exactness` writes.
#[test]
fn a_manifest_of_the_campaign() {
    let Some(manifest) = env::var_os("NVDWARF_EXACTNESS").map(PathBuf::from) else { return };
    let driver = env::var_os("NVDWARF_EXACTNESS_DRIVER");
    let driver = driver.as_ref().map_or(our_driver(), Path::new);
    let limit = env::var("NVDWARF_LIMIT").map_or(0, |limit| limit.parse().unwrap());
    let report = report::compare(driver, &manifest, None).unwrap();
    fs::write(env::var_os("NVDWARF_REPORT").unwrap(), report.text(limit).unwrap()).unwrap();
}

/// Where only the CIE pointers differ, the report says so, and counts the section apart.
#[test]
fn cie_pointers_of_sm_90_are_a_known_difference() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (cubin, manifest) = (folder.path().join("k.cubin"), folder.path().join("manifest.json"));
    let ptx = support::repository().join("ptxas-driver/tests/pairs/stack_arguments.ptx");
    let mut command = Command::new(ptxas);
    driver::made(command.arg(&ptx).args(["-arch", "sm_90", "-g", "-c"]), &cubin);
    let entry = format!(
        r#"{{"writer": "ptxas-13.0.88", "ptx": {{"path": {ptx:?}}}, "cubin": {{"path": {cubin:?}}}}}"#
    );
    fs::write(&manifest, format!(r#"{{"entries": [{entry}]}}"#)).unwrap();
    let report = report::compare(our_driver(), &manifest, None).unwrap();
    let text = report.text(20).unwrap();
    assert!(text.contains("\n  known: CIE pointers of sm_90 -c\n"), "{text}");
    assert!(text.contains("with a known difference 1, other 0 (100.000 %"), "{text}");
    let different: Vec<_> = report.different.iter().map(|one| (&*one.section, one.reason)).collect();
    assert_eq!(different, [(".rela.debug_frame", Some(Reason::CiePointers))]);

    // Ours lead to the CIE before each FDE.
    let mut command = driver::compile();
    command.arg(&ptx).args(["-arch", "sm_90", "-g", "-c", "--code"]).arg(driver::code_of(&cubin));
    let ours = driver::made(&mut command, &folder.path().join("ours.cubin"));
    let ours = Cubin::parse(&ours).unwrap();
    let frames = ours.section_by_name(".debug_frame").unwrap();
    let starts = frame::entry_offsets(&ours.bytes(frames).unwrap());
    let of_section = ours.relocations_of(frames).map(|(_, entry)| *entry).filter(|entry| {
        let symbol = ours.symbols()[entry.symbol.as_usize()];
        symbol.is_section() && symbol.section() == Some(frames)
    });
    let mut count = 0;
    for entry in of_section {
        let fde = starts.partition_point(|start| *start <= entry.offset) - 1;
        assert_eq!(entry.addend, Some(starts[fde - 1] as i64), "{entry:x?}");
        count += 1;
    }
    assert_eq!(2 * count, starts.len());
}

/// `tools/campaign exactness` on one program of each language that needs no more than the oracles.
#[test]
fn the_campaign_compares_a_folder() {
    let oracles =
        Command::new(support::repository().join("tools/oracle.sh")).arg("--check").output().unwrap();
    // The script would install them; tools on the path are not what it takes.
    if support::oracle::tool("nvcc").is_none() || !oracles.status.success() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    // For sm_90: refused on the first chip.
    fs::copy(driver::example("saxpy/saxpy.ptx"), programs.join("saxpy.ptx")).unwrap();
    let cuda = "// nvcc: -DN=3\n__device__ __noinline__ int f(int n) { int a[N] = {n}; return a[n]; }\n\
                __global__ void k(int *p) { *p = f(*p); }\n";
    fs::write(programs.join("k.cu"), cuda).unwrap();
    fs::write(programs.join("bad.ptx"), ".version 9.0\n.target sm_75\n.entry k() { none; }\n").unwrap();
    let run = Command::new(support::repository().join("tools/campaign"))
        .arg("exactness")
        .arg(&programs)
        .args(["--chips", "75 100", "--modes", "lineinfo g"])
        .arg("--tests")
        .arg(env::current_exe().unwrap())
        .arg("--keep")
        .arg(folder.path().join("kept"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{text}{}", driver::messages(&run));
    assert!(text.starts_with("3 programs, 12 cubins, 12 runs refused by a compiler or ptxas\n"), "{text}");
    assert!(text.contains("no cubin of ") && text.contains("bad.ptx\n"), "{text}");
    assert!(text.trim_end().ends_with("other 0 (100.000 % of those without a known difference)"), "{text}");
}

/// A cubin with another PTX, a manifest that is none, a filter that nothing passes.
#[test]
fn what_cannot_be_compared_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.json");
    let compare = |text: &str, filter: Option<&str>| {
        fs::write(&manifest, text).unwrap();
        report::compare(our_driver(), &manifest, filter)
    };
    let entry = |ptx: &str, cubin: &str| {
        let path = |name: &str| support::repository().join("examples").join(name).canonicalize().unwrap();
        format!(
            r#"{{"entries": [{{"unit": "u", "writer": "ptxas-13.0.88", "ptx": {{"path": {:?}}}, "cubin": {{"path": {:?}}}}}]}}"#,
            path(ptx),
            path(cubin)
        )
    };
    let text = |report: Report| report.text(20).unwrap();
    let exact = compare(&entry("saxpy/saxpy.ptx", "saxpy/saxpy.cubin"), Some("u")).unwrap();
    assert!(exact.is_exact(), "{}", text(exact));
    let other = compare(&entry("saxpy/saxpy.ptx", "block_sum/block_sum.cubin"), None).unwrap();
    assert!(!other.is_exact() && text(other).contains("does not compile"));
    let mut longer = fs::read(driver::example("saxpy/saxpy.cubin")).unwrap();
    longer.extend([0; 64]);
    let path = folder.path().join("longer.cubin");
    fs::write(&path, longer).unwrap();
    let outside = compare(&entry("saxpy/saxpy.ptx", path.to_str().unwrap()), None).unwrap();
    assert!(!outside.is_exact(), "all debug sections are the same, the files are not");
    assert!(text(outside).contains(WHOLE_FILE));
    for (text, filter) in [
        ("{", None),
        ("{\"entries\": []}", None),
        (&entry("saxpy/saxpy.ptx", "saxpy/saxpy.cubin"), Some("x")),
    ] {
        assert!(compare(text, filter).is_err(), "{text}");
    }
}
