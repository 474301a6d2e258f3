//! The right answers of `../shared/bugs/*/EXPECT.md` to questions that a reader of lines asks.

use super::{chain, frames, json, spot};
use crate::support;
use crate::support::driver::succeed as made;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Assembles a PTX file; `None` without ptxas.
fn assembled(input: &Path, arch: &str, options: &[&str], dir: &Path) -> Option<PathBuf> {
    let out = dir.join("out.cubin");
    let mut ptxas = Command::new(support::oracle::tool("ptxas")?);
    made(ptxas.args(["-arch", arch, "-lineinfo"]).args(options).arg(input).arg("-o").arg(&out));
    Some(out)
}

/// Assembles a bug's `input.ptx` for sm_90 with `options`; `None` without ptxas or `../shared`.
fn bug(number: &str, options: &[&str], dir: &Path) -> Option<PathBuf> {
    assembled(&support::bug(number)?.join("input.ptx"), "sm_90", options, dir)
}

/// Compiles the CUDA files of a bug, each with its option, and links them; `None` without the tools
/// or `../shared`.
fn linked(number: &str, inputs: &[(&str, Option<&str>)], dir: &Path) -> Option<PathBuf> {
    let (nvcc, nvlink) = (support::oracle::tool("nvcc")?, support::oracle::tool("nvlink")?);
    let (folder, out) = (support::bug(number)?, dir.join("linked.cubin"));
    let mut objects = Vec::new();
    for (input, option) in inputs {
        let object = dir.join(input).with_extension("cubin");
        let mut command = Command::new(&nvcc);
        command.args(["-arch=sm_90", "-rdc=true", "-cubin"]).args(option);
        made(command.arg(folder.join(input)).arg("-o").arg(&object));
        objects.push(object);
    }
    made(Command::new(nvlink).arg("-arch=sm_90").args(objects).arg("-o").arg(&out));
    Some(out)
}

#[test]
fn bug_28_a_chain_of_three() {
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = bug("28", &[], dir.path()) else { return };
    assert_eq!(chain(&cubin, "k+0x40"), [spot("kern.cu", 12, "middle"), spot("kern.cu", 22, "k")]);
    let three = [spot("leaf.h", 3, "leaf"), spot("kern.cu", 12, "middle"), spot("kern.cu", 22, "k")];
    assert_eq!(chain(&cubin, "k+0x50"), three);
}

#[test]
fn bug_30_one_callee_line_from_two_call_sites() {
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = bug("30", &[], dir.path()) else { return };
    let lines =
        |query| chain(&cubin, query).into_iter().map(|(_, line, name)| (line, name)).collect::<Vec<_>>();
    assert_eq!(lines("k+0x40"), [(5, "square".to_owned()), (22, "k".to_owned())]);
    assert_eq!(lines("k+0x50"), [(5, "square".to_owned()), (23, "k".to_owned())]);
}

#[test]
fn bug_32_a_bare_offset_has_an_answer_in_each_kernel() {
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = bug("32", &[], dir.path()) else { return };
    assert_eq!(chain(&cubin, "ka+0x20"), [spot("alpha.cu", 13, "ka")]);
    assert_eq!(chain(&cubin, "kb+0x20"), [spot("beta.cu", 23, "kb")]);
    let document = json::answer("lines", &cubin, &["0x20"]);
    let mut both: Vec<_> =
        document["queries"][0]["answers"].as_array().unwrap().iter().flat_map(frames).collect();
    both.sort();
    assert_eq!(both, [spot("alpha.cu", 13, "ka"), spot("beta.cu", 23, "kb")]);
    assert_eq!(
        frames(&json::answer("lines", &cubin, &["-f", "kb", "32"])["queries"][0]["answers"][0]),
        [spot("beta.cu", 23, "kb")]
    );
}

#[test]
fn bug_40_the_same_rows_before_and_after_linking() {
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = bug("40", &["-c"], dir.path()) else { return };
    let Some(nvlink) = support::oracle::tool("nvlink") else { return };
    let linked = dir.path().join("linked.cubin");
    let run = Command::new(nvlink).arg("-arch=sm_90").arg(&cubin).arg("-o").arg(&linked).output().unwrap();
    assert!(run.status.success());
    for file in [&cubin, &linked] {
        assert_eq!(chain(file, "ka+0x20"), [spot("alpha.cu", 13, "ka")]);
        assert_eq!(chain(file, "kb+0x20"), [spot("beta.cu", 23, "kb")]);
        // The text is found under its suffixed name.
        let answer = &json::answer("lines", file, &["ka+0x20"])["queries"][0]["answers"][0];
        assert!(answer["ptx"]["text"].is_string(), "{answer}");
        assert!(answer["ptx"]["section"].as_str().unwrap().starts_with(".nv_debug_ptx_txt."));
    }
}

/// Every inlined frame of a listing.
fn inlined(document: &Value) -> Vec<Value> {
    let sections = document["sections"].as_array().unwrap().iter();
    let ranges = sections.flat_map(|section| section["ranges"].as_array().unwrap());
    let frames = ranges.flat_map(|range| range["frames"].as_array().unwrap());
    frames.filter(|frame| frame["inlined"] == true).cloned().collect()
}

#[test]
fn bug_55_names_are_recovered_and_marked() {
    let dir = tempfile::tempdir().unwrap();
    for order in [["input.cu", "b.cu"], ["b.cu", "input.cu"]] {
        let inputs = order.map(|input| (input, Some("-lineinfo")));
        let Some(cubin) = linked("55", &inputs, dir.path()) else { return };
        let mut seen = BTreeMap::new();
        for frame in inlined(&json::answer("lines", &cubin, &["--all"])) {
            assert!(frame.get("name_doubt").is_none(), "{frame}");
            let file = frame["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let name = frame["function"]["name"].as_str().unwrap().to_owned();
            seen.insert(file, (name, frame["name_recovered"] == true));
        }
        let want = [("b.cu", "_Z10other_leaff"), ("input.cu", "_Z6leaf_af")];
        let want = want.map(|(file, name)| (file.to_owned(), (name.to_owned(), file == order[1])));
        assert_eq!(seen, BTreeMap::from(want));
    }
}

// Bug 55 on the corpus' linked files: sm_75 relocates the bases, and the names for sm_90 must be
// the same.
#[test]
fn bug_55_recovered_names_are_those_of_an_older_chip() {
    let linked = |entry: &support::Entry| {
        entry.program == "rdc_three" && entry.mode == "lineinfo-rdc" && entry.arch != "sm_120"
    };
    let entries = support::corpus(linked);
    let mut names: BTreeMap<String, BTreeMap<(String, u64), String>> = BTreeMap::new();
    let mut recovered = 0;
    for entry in entries {
        let Some(cubin) = entry.cubin.filter(|path| path.ends_with("linked.cubin")) else { continue };
        for frame in inlined(&json::answer("lines", &cubin, &["--all"])) {
            let place = (frame["file"].as_str().unwrap().to_owned(), frame["line"].as_u64().unwrap());
            let name = frame["function"]["name"].as_str().unwrap().to_owned();
            assert!(frame.get("name_doubt").is_none(), "{frame}");
            recovered += usize::from(frame["name_recovered"] == true);
            let one = names.entry(entry.arch.clone()).or_default().insert(place, name.clone());
            assert!(one.is_none_or(|one| one == name));
        }
    }
    assert!(recovered > 0);
    for (place, name) in &names["sm_90"] {
        assert_eq!(names["sm_75"].get(place).unwrap_or(name), name, "{place:?}");
    }
}

#[test]
fn bug_44_every_table_is_read_and_none_is_lent() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = [("input.cu", Some("-G")), ("b.cu", Some("-lineinfo")), ("c.cu", None)];
    let Some(cubin) = linked("44", &inputs, dir.path()) else { return };
    let document = json::answer("lines", &cubin, &["--all"]);
    let mut files = BTreeMap::new();
    for section in document["sections"].as_array().unwrap() {
        for range in section["ranges"].as_array().unwrap() {
            let file = range["frames"][0]["file"].as_str().unwrap_or("none").rsplit('/').next().unwrap();
            files.insert(section["section"].as_str().unwrap().to_owned(), file.to_owned());
        }
    }
    let of = |function: &str| {
        files.iter().find(|(section, _)| section.contains(function)).map(|(_, file)| file.as_str())
    };
    assert_eq!(
        (of("1k"), of("bits"), of("fold")),
        (Some("input.cu"), Some("b.cu"), Some("none")),
        "{files:?}"
    );
}

#[test]
fn bug_23_a_line_that_the_file_does_not_have_is_given_as_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = bug("23", &[], dir.path()) else { return };
    let found = chain(&cubin, "0x10");
    assert_eq!((&*found[0].0, found[0].1), ("kern.cu", 112));
}

#[test]
fn bug_27_the_ptx_line_tells_two_statements_of_one_line_apart() {
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = bug("27", &[], dir.path()) else { return };
    let all = json::answer("lines", &cubin, &["--all"]);
    let ranges = all["sections"][0]["ranges"].as_array().unwrap();
    let on_six = ranges.iter().filter(|range| range["frames"][0]["line"] == 6);
    let texts: Vec<_> = on_six.map(|range| range["ptx"]["text"].as_str().unwrap().to_owned()).collect();
    for statement in ["mov.u32 %r1, %tid.x;", "st.global.u32 [%rd1], %r1;"] {
        assert!(texts.iter().any(|text| text == statement), "{texts:?}");
    }
}

#[test]
fn bug_34_ranges_go_to_the_relocated_end() {
    let Some(folder) = support::bug("34") else { return };
    let dir = tempfile::tempdir().unwrap();
    let (ptx, input) = (fs::read_to_string(folder.join("input.ptx")).unwrap(), dir.path().join("in.ptx"));
    // `high_pc` of EXPECT.md: from the bytes in place where they count (REL), else from the addend.
    for (arch, end) in
        [("sm_75", 0x180), ("sm_80", 0x280), ("sm_90", 0x280), ("sm_100", 0x280), ("sm_120", 0x200)]
    {
        fs::write(&input, ptx.replace(".target sm_90", &format!(".target {arch}"))).unwrap();
        let Some(cubin) = assembled(&input, arch, &["-g"], dir.path()) else { return };
        let document = json::answer("lines", &cubin, &["-f", "k"]);
        let ranges = document["sections"][0]["ranges"].as_array().unwrap();
        let mut covered = ranges.iter().filter(|range| !range["frames"].as_array().unwrap().is_empty());
        assert_eq!(covered.next_back().unwrap()["end"], end, "{arch}");
    }
}

#[test]
fn bug_38_two_tables_that_are_never_mixed() {
    let Some(input) = support::bug("38").map(|folder| folder.join("input.ptx")) else { return };
    let dir = tempfile::tempdir().unwrap();
    let Some(cubin) = assembled(&input, "sm_100", &[], dir.path()) else { return };
    let starts = |options: &[&str]| {
        let document = json::answer("lines", &cubin, options);
        let ranges = document["sections"][0]["ranges"].as_array().unwrap().clone();
        let mut rows: Vec<(u64, u64)> = Vec::new();
        for range in ranges {
            let line = range["frames"][0]["line"].as_u64().unwrap();
            if rows.last().is_none_or(|(_, last)| *last != line) {
                rows.push((range["start"].as_u64().unwrap(), line));
            }
        }
        rows
    };
    let [native, mercury] = [starts(&["-f", "ka"]), starts(&["-f", "ka", "--mercury"])];
    assert_eq!(native.iter().map(|row| row.0).collect::<Vec<_>>(), [0, 0x10, 0x20, 0x50]);
    assert_eq!(mercury.iter().map(|row| row.0).collect::<Vec<_>>(), [0, 0x10, 0x20, 0x70]);
    assert!(native.iter().zip(&mercury).all(|(a, b)| a.1 == b.1));
}

#[test]
fn bug_42_lines_are_there_without_asking() {
    let dir = tempfile::tempdir().unwrap();
    let (Some(input), Some(ptxas)) = (support::bug("42"), support::oracle::tool("ptxas")) else { return };
    let out = dir.path().join("out.cubin");
    made(Command::new(ptxas).arg("-arch=sm_90").arg(input.join("input.ptx")).arg("-o").arg(&out));
    let document = json::answer("lines", &out, &["--all"]);
    assert!(document["sections"][0]["ranges"][0]["frames"][0]["line"].as_u64() > Some(0));
}

// nvdisasm crashes on a file number that is not declared, which ptxas writes without a warning
// (LOG.md, 4).
#[test]
fn an_undeclared_file_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in.ptx");
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.loc 7 5 1\nret;\n}\n.file 1 \"a.cu\"\n";
    fs::write(&input, ptx).unwrap();
    let Some(cubin) = assembled(&input, "sm_90", &[], dir.path()) else { return };
    let frame = &json::answer("lines", &cubin, &["k"])["queries"][0]["answers"][0]["frames"][0];
    assert_eq!(
        (&frame["file"], &frame["undeclared_file"], &frame["line"]),
        (&Value::Null, &7.into(), &5.into())
    );
}
