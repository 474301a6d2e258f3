//! Functions that ptxas folded into a kernel's section: which rows are theirs. Inputs are in
//! `inputs`, beside the cubins that ptxas 13.0.88 (12.6.85 for sm_60) made of them.

use super::{driver, json, stdout};
use crate::support;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn input(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lines/inputs").join(name)
}

/// The lines that each function's code has, innermost ones, in order of its code; `None` for code
/// without. By the name that the function has in its PTX; what ptxas added, which has neither a
/// line nor a PTX line, is left out.
fn lines_of(cubin: &Path) -> BTreeMap<String, Vec<Option<u64>>> {
    let document = json::answer("lines", cubin, &["--all"]);
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

/// The division that ptxas 13.0.88 adds for sm_110 has rows inside: its `IMNMX` instructions have
/// lines of the kernel.
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
    let document = json::answer("lines", &cubin, &["--all"]);
    let ranges = document["sections"].as_array().unwrap().iter();
    let ranges = ranges.flat_map(|section| section["ranges"].as_array().unwrap());
    let is_added = |range: &&Value| range["function"]["name"].as_str().unwrap().contains("__cuda_");
    assert!(ranges.filter(is_added).count() > 0, "{document}");
    // Which asserts that it has neither lines nor PTX lines.
    let found = lines_of(&cubin);
    assert_eq!(found["k"], [Some(3), Some(4), Some(5)]);
}

/// The same of every architecture: a function that is folded has the lines that it has in an object
/// of its own.
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
