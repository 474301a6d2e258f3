//! Functions that ptxas folded into a kernel's section: which rows are theirs. Inputs are in `inputs`, beside the cubins that ptxas 13.0.88
//! (12.6.85 for sm_60) made of them.

use super::{driver, json, lines, stderr, stdout};
use crate::support;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn input(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lines/inputs").join(name)
}

/// The lines that each function's code has, innermost ones, in order of its code; `None` for code without. By the name that the function
/// has in its PTX; what ptxas added, which has neither a line nor a PTX line, is left out.
fn lines_of(cubin: &Path) -> BTreeMap<String, Vec<Option<u64>>> {
    let document = json(cubin, &["--all"]);
    let mut all: BTreeMap<String, Vec<Option<u64>>> = BTreeMap::new();
    let ranges = document["sections"].as_array().unwrap().iter();
    for range in ranges.flat_map(|section| section["ranges"].as_array().unwrap()) {
        let name = range["function"]["name"].as_str().unwrap();
        if name.contains("__cuda_") {
            assert_eq!((&range["frames"], &range["ptx"]), (&Value::Array(vec![]), &Value::Null), "{name}");
            continue;
        }
        let lines = all.entry(name.rsplit('$').next().unwrap().to_owned()).or_default();
        let line = range["frames"][0]["line"].as_u64();
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    all
}

/// Bug 60. `wrapidx` has no `.loc`: as in the object of `ptxas -c`, where it has a section of its own, it has no line.
#[test]
fn a_function_without_loc_has_no_line() {
    for arch in ["sm_86", "sm_90"] {
        let cubin = input(&format!("wrap.{arch}.cubin"));
        let found = lines_of(&cubin);
        assert_eq!(found["wrapidx"], [None], "{arch}");
        assert_eq!(found["lum"], [Some(12), Some(13)], "{arch}");
        assert_eq!(found["rows"], [Some(71), Some(79)], "{arch}");
        // Its PTX lines are its own.
        let first = json(&cubin, &["$rows$wrapidx"])["queries"][0]["answers"][0].clone();
        assert_eq!((&first["frames"], &first["ptx"]["line"]), (&Value::Array(vec![]), &21.into()));
    }
    let cubin = input("wrap.sm_86.cubin");
    let at = stdout(&lines(&cubin, &["--at", "pixels.cu:79"]));
    assert_eq!(at, "pixels.cu:79:\n  .text.rows+0x50..0x90  rows  pixels.cu:79\n");
    let samples = input("wrap.csv");
    let samples = stdout(&lines(&cubin, &["--samples", samples.to_str().unwrap()]));
    assert!(samples.starts_with("21 samples, 15 of them without a line\n"), "{samples}");
    let styled = stdout(&lines(&cubin, &["--style", "gnu", "$rows$wrapidx+0x10"]));
    assert_eq!(styled, "$rows$wrapidx\n??:?\n");
}

/// ptxas leaves out the first row of a function whose line is that of the row before. On sm_86 it leaves a trace; on sm_90 only rows that
/// follow in the function show it, and `wrapidx`, all on the line of `lum`, has none.
#[test]
fn a_row_that_ptxas_left_out_is_that_before_it() {
    let [legacy, transcoded] =
        ["sm_86", "sm_90"].map(|arch| lines_of(&input(&format!("same_lines.{arch}.cubin"))));
    for found in [&legacy, &transcoded] {
        assert_eq!(found["lum"], [Some(47), Some(13)]);
    }
    assert_eq!(legacy["wrapidx"], [Some(13)]);
}

/// The division that ptxas 13.0.88 adds for sm_110 has rows inside: its `IMNMX` instructions have lines of the kernel.
#[test]
fn code_that_ptxas_added_has_no_line() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (ptx, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    let text = "\
.version 9.0
.target sm_75
.address_size 64
.file 1 \"k.cu\"
.visible .entry k(.param .u64 p)
{
.reg .f64 %fd<3>;
.reg .b64 %rd<2>;
.loc 1 3 1
ld.param.u64 %rd1, [p];
ld.global.f64 %fd1, [%rd1];
.loc 1 4 1
div.rn.f64 %fd2, %fd1, 0d400D99999999999A;
.loc 1 5 1
st.global.f64 [%rd1], %fd2;
ret;
}
";
    fs::write(&ptx, text).unwrap();
    let mut command = Command::new(ptxas);
    let run = command.args(["-lineinfo", "-arch=sm_110", "-o"]).args([&cubin, &ptx]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let document = json(&cubin, &["--all"]);
    let ranges = document["sections"].as_array().unwrap().iter();
    let ranges = ranges.flat_map(|section| section["ranges"].as_array().unwrap());
    let is_added = |range: &&Value| range["function"]["name"].as_str().unwrap().contains("__cuda_");
    assert!(ranges.filter(is_added).count() > 0, "{document}");
    // Which asserts that it has neither lines nor PTX lines.
    let found = lines_of(&cubin);
    assert_eq!(found["k"], [Some(3), Some(4), Some(5)]);
}

/// Functions with a `.loc` of line 0 first, with one after code, with none but of line 0; and one that ptxas added.
#[test]
fn functions_of_each_kind() {
    let found = lines_of(&input("folded.sm_86.cubin"));
    for (function, lines) in [
        ("one", vec![Some(12)]),
        ("zero", vec![Some(32)]),
        ("late", vec![Some(52)]),
        ("onlyzero", vec![None]),
        ("k", vec![Some(40), Some(41), Some(42)]),
    ] {
        assert_eq!(found[function], lines, "{function}");
    }
}

/// The same of every architecture: a function that is folded has the lines that it has in an object of its own.
#[test]
fn folded_functions_have_the_lines_of_their_objects() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, object, cubin) =
        (folder.path().join("k.ptx"), folder.path().join("k.o"), folder.path().join("k.cubin"));
    for name in ["wrap", "same_lines", "folded"] {
        let ptx = fs::read_to_string(input(&format!("{name}.ptx"))).unwrap();
        for arch in
            ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"]
        {
            let text = ptx.replace("sm_86", arch).replace(".version 7.8", ".version 9.0");
            fs::write(&source, text.replace(".version 8.7", ".version 9.0")).unwrap();
            for (out, args) in [(&object, &["-c"][..]), (&cubin, &[])] {
                let run = Command::new(&ptxas)
                    .args(["-lineinfo", "-arch", arch])
                    .args(args)
                    .arg(&source)
                    .arg("-o")
                    .arg(out)
                    .output()
                    .unwrap();
                assert!(run.status.success(), "{name} {arch}: {}", String::from_utf8_lossy(&run.stderr));
            }
            let (mut folded, mut own) = (lines_of(&cubin), lines_of(&object));
            if name == "same_lines" && arch.trim_start_matches("sm_").parse::<u32>().unwrap() >= 90 {
                // See above.
                folded.remove("wrapidx");
                own.remove("wrapidx");
            }
            // Instructions may come in another order.
            for lines in folded.values_mut().chain(own.values_mut()) {
                lines.sort_unstable();
                lines.dedup();
            }
            assert_eq!(folded, own, "{name} {arch}");
        }
    }
}

/// Bug 82. Offsets inside a string name its end; one past the last string is an error.
#[test]
fn names_may_share_their_ends() {
    let cubin = input("shared_ends.sm_80.cubin");
    let listing = stdout(&lines(&cubin, &[]));
    for name in [
        "  warp_block_sum at sums.cuh:6 (inlined) <-",
        "  block_sum at sums.cuh:11 (inlined) <-",
        "  sum at sums.cuh:17 (inlined) <-",
    ] {
        assert!(listing.contains(name), "{name}: {listing}");
    }
    assert!(!listing.contains("unsure"), "{listing}");
    let verified = driver(&["verify", "--no-sources", cubin.to_str().unwrap()]);
    assert!(stdout(&verified).contains("0 errors, 0 warnings, 0 notes"), "{}", stdout(&verified));
}

/// Names as CUDA's tools print them (`nvlink -dump-callgraph` of the same PTX), and as other people may write them.
#[test]
fn functions_by_the_names_that_cuda_prints() {
    let cubin = input("names.sm_80.cubin");
    for (name, line) in [
        ("k1(float *, int)", 10),
        ("k1(float*,int)", 10),
        ("void k1(float *, int)", 10),
        ("void reduce<(int)4, float>(T2 *, const T2 *)", 20),
        ("reduce<4, float>(float*, float const*)", 20),
        ("reduce<(int)8, float>", 30),
        ("<unnamed>::k(int)", 40),
        ("(anonymous namespace)::k", 40),
        ("void ns::k<int>(T1 *, T1 *)", 50),
        ("void ns::k<float>(T1 *, T1 *)", 60),
        ("k<float>", 60),
        ("f(unsigned)", 70),
        ("f( int )", 80),
    ] {
        let document = json(&cubin, &[&format!("{name}+0x0")]);
        let answers = document["queries"][0]["answers"].as_array().unwrap();
        let found: Vec<_> = answers.iter().map(|answer| &answer["frames"][0]["line"]).collect();
        assert_eq!(found, [&Value::from(line)], "{name}: {document}");
        let listed = lines(&cubin, &["-f", name]);
        assert!(stdout(&listed).contains(&format!("names.cu:{line}")), "{name}: {}", stderr(&listed));
    }
    for name in ["k1(float)", "f(long)", "reduce<(int)5, float>", "void ns::k<double>(T1 *, T1 *)"] {
        assert_eq!(lines(&cubin, &[name]).status.code(), Some(1), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("pcs.csv");
    fs::write(&csv, "\"Kernel Name\",\"PC Offset\",Samples\n\"void ns::k<int>(T1 *, T1 *)\",0,3\n\"k1(float *, int)\",0x0,2\n").unwrap();
    let samples = json(&cubin, &["--samples", csv.to_str().unwrap()])["samples"].clone();
    assert_eq!((&samples["total"], &samples["bad_rows"]), (&5.into(), &0.into()), "{samples}");
}

/// Bug 80. `halve` was folded away at link-time optimisation, `quarter` inlined.
#[test]
fn functions_folded_away_at_link_time() {
    let cubin = input("lto.sm_86.cubin");
    let said = |query: &[&str]| stdout(&lines(&cubin, query));
    assert!(
        said(&["quarter"]).contains("quarter(int) has no code of its own; it is inlined into tile(int*) at ")
    );
    assert!(said(&["_Z7quarteri+0x10"]).contains("/main.cu:6\n"));
    for query in [&["halve"][..], &["--at", "halve.cu:3"]] {
        assert!(
            said(query)
                .contains("the linker may have left it out or, at link-time optimisation, folded it away")
        );
    }
    let coverage =
        |ptx: &str| driver(&["coverage", cubin.to_str().unwrap(), "--ptx", input(ptx).to_str().unwrap()]);
    let halve = coverage("lto_halve.ptx");
    let text = stdout(&halve);
    assert!(text.contains("lost of the PTX: _Z5halvei: folded away or not used"), "{text}");
    assert!(text.contains("halve.cu: 1, 3") && !text.contains("something else"), "{text}");
    assert_eq!(halve.status.code(), Some(0), "{}", stderr(&halve));
    let quarter = coverage("lto_quarter.ptx");
    assert!(stdout(&quarter).contains("_Z7quarteri, which has no code of its own and is inlined"));
    assert_eq!(quarter.status.code(), Some(0), "{}", stderr(&quarter));
    // Of a program that is not linked nothing is folded away.
    let other = driver(&[
        "coverage",
        input("wrap.sm_86.cubin").to_str().unwrap(),
        "--ptx",
        input("lto_halve.ptx").to_str().unwrap(),
    ]);
    assert_eq!(other.status.code(), Some(1));
    assert!(stdout(&other).contains("the PTX is of something else"), "{}", stdout(&other));
}

/// Bug 92. Below sm_70 ptxas writes no debug section without debug options, so that a file without them was not stripped.
#[test]
fn a_file_that_may_never_have_had_debug_sections() {
    const WORDS: &str = "no debug sections (stripped, or compiled without)";
    let cubin = input("no_debug.sm_60.cubin");
    let run = |cubin: &Path, args: &[&str]| {
        let run = driver(&[&[args[0], cubin.to_str().unwrap()], &args[1..]].concat());
        stdout(&run) + &stderr(&run)
    };
    for args in [&["sections"][..], &["lines", "one"], &["coverage"], &["verify"], &["vars"], &["dump"]] {
        let said = run(&cubin, args);
        assert!(said.contains(WORDS) && !said.contains("--debug-file"), "{args:?}: {said}");
    }
    assert!(run(&cubin, &["sections"]).contains("nothing missing, extra or odd"));
    // From sm_70 on every file has `.debug_frame`, and what `strip` takes out leaves its symbols.
    let folder = tempfile::tempdir().unwrap();
    let stripped = folder.path().join("s.cubin");
    let made =
        driver(&["strip", input("wrap.sm_86.cubin").to_str().unwrap(), "-o", stripped.to_str().unwrap()]);
    assert!(made.status.success());
    for args in [&["lines", "rows"][..], &["coverage"], &["verify"]] {
        assert!(run(&stripped, args).contains("--debug-file"), "{args:?}");
    }
}

/// What ptxas of a release writes without debug options is never called stripped.
#[test]
fn nothing_that_ptxas_writes_is_stripped() {
    let ptxas = [support::oracle::tool("ptxas"), support::oracle::ptxas_of_cuda_12()];
    let folder = tempfile::tempdir().unwrap();
    let (source, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    let mut seen = 0;
    for ptxas in ptxas.iter().flatten() {
        for arch in ["sm_50", "sm_60", "sm_61", "sm_70", "sm_75", "sm_90", "sm_100", "sm_120"] {
            let version = if arch.len() > 5 { "8.7" } else { "7.8" };
            let head = format!(".version {version}\n.target {arch}\n.address_size 64\n");
            for body in [".visible .entry k() { ret; }\n", ".visible .global .u32 data;\n", ""] {
                fs::write(&source, head.clone() + body).unwrap();
                for args in [&[][..], &["-c"]] {
                    let mut command = Command::new(ptxas);
                    command.args(["-arch", arch]).args(args).arg(&source).arg("-o").arg(&cubin);
                    if !command.output().unwrap().status.success() {
                        continue;
                    }
                    let said = stdout(&driver(&["sections", cubin.to_str().unwrap()]));
                    assert!(!said.contains("stripped of"), "{arch} {args:?} {body}: {said}");
                    assert!(
                        said.contains("level frame") || arch < "sm_70" && arch.len() == 5,
                        "{arch}: {said}"
                    );
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 0 || ptxas.iter().all(Option::is_none));
}
