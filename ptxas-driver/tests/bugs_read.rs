//! The right answers of `../shared/bugs/*/EXPECT.md` to what a reader of cubins asks, and where
//! each is tested.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::program;
use crate::support::driver::succeed as made;
use crate::support::json;
use crate::support::oracle;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Every bug of the classes W (lines), I (inlining), R (readers) and F (flags, link, strip): the
/// command that answers, and the test that has the right answer, in `ptxas-driver/tests/`.
const ANSWERS: &[(&str, &str, &str, &str)] = &[
    ("21", "verify", "bugs_read.rs", "lines_that_the_source_does_not_have"),
    ("21", "coverage", "coverage.rs", "bugs_about_lines"),
    ("21", "check", "check.rs", "bugs_have_their_finding"),
    ("23", "verify", "bugs_read.rs", "lines_that_the_source_does_not_have"),
    ("23", "lines", "lines/bugs.rs", "bug_23_a_line_that_the_file_does_not_have_is_given_as_it_stands"),
    ("23", "check", "check.rs", "bugs_have_their_finding"),
    ("25", "verify", "bugs_read.rs", "placeholders_are_those_of_check"),
    ("25", "check --fix=path-map", "bugs_read.rs", "a_placeholder_can_be_mapped_to_the_file"),
    ("27", "lines --ptx", "bugs_read.rs", "columns_come_from_the_ptx"),
    ("27", "lines", "lines/bugs.rs", "bug_27_the_ptx_line_tells_two_statements_of_one_line_apart"),
    ("27", "check", "check.rs", "bugs_have_their_finding"),
    ("28", "lines", "lines/bugs.rs", "bug_28_a_chain_of_three"),
    ("28", "coverage", "coverage.rs", "bugs_about_lines"),
    ("30", "lines", "lines/bugs.rs", "bug_30_one_callee_line_from_two_call_sites"),
    ("30", "coverage", "coverage.rs", "bugs_about_lines"),
    ("32", "lines", "lines/bugs.rs", "bug_32_a_bare_offset_has_an_answer_in_each_kernel"),
    ("34", "lines", "lines/bugs.rs", "bug_34_ranges_go_to_the_relocated_end"),
    ("34", "dump", "bugs_read.rs", "the_end_of_a_function_is_the_relocated_one"),
    ("34", "verify", "verify.rs", "faults_that_ptxas_takes_are_found"),
    ("34", "strip", "strip.rs", "other_readers_see_right_values_in_the_side_file"),
    ("36", "vars", "bugs_read.rs", "memories_of_variables"),
    ("38", "lines", "lines/bugs.rs", "bug_38_two_tables_that_are_never_mixed"),
    ("38", "dump, sections", "bugs_read.rs", "tables_of_both_spaces_are_told_apart"),
    ("40", "lines", "lines/bugs.rs", "bug_40_the_same_rows_before_and_after_linking"),
    ("40", "verify", "verify.rs", "faults_that_ptxas_takes_are_found"),
    ("42", "lines", "lines/bugs.rs", "bug_42_lines_are_there_without_asking"),
    ("42", "sections", "bugs_read.rs", "the_level_is_told_whatever_was_asked_for"),
    ("42", "check", "check.rs", "lines_without_option_is_a_note"),
    ("44", "lines", "lines/bugs.rs", "bug_44_every_table_is_read_and_none_is_lent"),
    ("44", "coverage, verify", "bugs_read.rs", "levels_of_a_linked_file_by_function"),
    ("46", "diff", "bugs_read.rs", "another_time_of_a_source_is_no_difference"),
    ("48", "strip", "strip.rs", "the_reported_case"),
    ("48", "sections, lines, verify", "bugs_read.rs", "a_stripped_file_says_so_and_its_side_file_answers"),
    ("50", "diff", "bugs_read.rs", "lineinfo_does_not_change_code"),
    ("52", "coverage", "bugs_read.rs", "which_kernels_of_a_library_have_lines"),
    ("55", "lines", "lines/bugs.rs", "bug_55_names_are_recovered_and_marked"),
    ("55", "verify", "verify.rs", "faults_of_linked_files_are_found"),
];

/// Bugs of these classes that ask no reader anything, and why.
const NO_QUESTION: &[(&str, &str)] = &[];

#[test]
fn every_bug_has_its_answer() {
    let Some(shared) = support::shared() else { return };
    let mut asked = BTreeSet::new();
    for path in fs::read_dir(shared.join("bugs")).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = fs::read_to_string(path.join("EXPECT.md")) else { continue };
        // Inputs from 60 on have no class: `docs/bugs.md` lists them with their tests.
        let Some(class) = text.lines().find_map(|line| line.strip_prefix("- class: ")) else { continue };
        if class.starts_with(['W', 'I', 'R', 'F']) {
            let (number, _) = path.file_name().unwrap().to_str().unwrap().split_once('-').unwrap();
            asked.insert(number.to_owned());
        }
    }
    let answered =
        ANSWERS.iter().map(|(number, ..)| *number).chain(NO_QUESTION.iter().map(|(number, _)| *number));
    assert_eq!(answered.map(str::to_owned).collect::<BTreeSet<_>>(), asked);
    for (number, command, file, test) in ANSWERS {
        let text = fs::read_to_string(support::repository().join("ptxas-driver/tests").join(file)).unwrap();
        let is_test = text.contains(&format!("#[test]\nfn {test}()"));
        assert!(is_test, "{number} {command}: no test {test} in {file}");
        assert!(text.contains(number), "{number}: {file} does not name it");
    }
}

/// Each row of `docs/bugs.md` names files that are there, and tests that stand in one of them. A
/// name may end with `*`.
#[test]
fn the_table_of_reported_faults_names_tests() {
    let root = support::repository();
    let table = fs::read_to_string(root.join("docs/bugs.md")).unwrap();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let tests = row.split(" | ").nth(1).unwrap();
        let quoted: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        let paths: Vec<&str> = quoted.iter().copied().filter(|name| name.contains('/')).collect();
        assert!(!paths.is_empty(), "{row}");
        let read = |path: &&str| {
            // `tools/campaign NAME` runs a script of that name.
            let path = root.join(path.replace("campaign ", "campaign.d/"));
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{row}: {error}"))
        };
        let texts: String = paths.iter().map(read).collect();
        for name in quoted.iter().filter(|name| !name.contains(['/', '.', ' '])) {
            let name = name.trim_end_matches('*');
            assert!(texts.contains(&format!("fn {name}")), "{name}: {row}");
        }
        rows += 1;
    }
    assert!(rows >= 40, "{rows}");
}

// ---- what is asked ----

fn driver<A: AsRef<OsStr>>(dir: &Path, args: impl IntoIterator<Item = A>) -> Output {
    let mut command = program();
    command.current_dir(dir).args(args).output().unwrap()
}

fn document(output: &Output) -> Value {
    // Of a document about one file what it says of that.
    let document = json::document(output);
    match document["files"].as_array().map(Vec::as_slice) {
        Some([file]) => file.clone(),
        _ => document,
    }
}

/// A bug's own folder with its files, and what a tool makes of them there.
struct Bug {
    dir: TempDir,
}

impl Bug {
    /// `None` without `../shared`.
    fn new(number: &str) -> Option<Self> {
        let (from, dir) = (support::bug(number)?, tempfile::tempdir().unwrap());
        for path in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
            // Not `copy`: what is shared may be read-only.
            fs::write(dir.path().join(path.file_name().unwrap()), fs::read(path).unwrap()).unwrap();
        }
        Some(Self { dir })
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Runs an NVIDIA tool there; `None` without it.
    fn run(&self, tool: &str, args: &str) -> Option<()> {
        made(Command::new(oracle::tool(tool)?).current_dir(self.path()).args(args.split_whitespace()));
        Some(())
    }

    /// `input.ptx` as `out.cubin`.
    fn assembled(number: &str, options: &str) -> Option<Self> {
        let bug = Self::new(number)?;
        bug.run("ptxas", &format!("{options} input.ptx -o out.cubin"))?;
        Some(bug)
    }

    fn driver(&self, args: &str) -> Output {
        driver(self.path(), args.split_whitespace())
    }

    fn json(&self, args: &str) -> Value {
        document(&self.driver(&format!("{args} --json")))
    }

    /// `(code, found, expected)` of the findings.
    fn findings(&self, args: &str) -> Vec<(String, String, String)> {
        let document = self.json(&format!("verify {args}"));
        let findings = document["findings"].as_array().unwrap().iter();
        let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
        findings.map(|f| (word(f, "code"), word(f, "found"), word(f, "expected"))).collect()
    }
}

/// "lines 6, 7, 8 are past the end of kern.cu (5 lines)", and "kern.cu has 9 lines, row at 0x10
/// says 112".
#[test]
fn lines_that_the_source_does_not_have() {
    for (number, lines, count, place) in
        [("21", &[6, 7, 8][..], 5, " in row 4 at 0x60"), ("23", &[112], 9, " in row 2 at 0x10")]
    {
        let Some(bug) = Bug::assembled(number, "-arch=sm_90 -lineinfo") else { return };
        let found = bug.findings("out.cubin");
        let said: Vec<_> =
            found.iter().map(|(code, found, expected)| (&**code, found, &**expected)).collect();
        assert_eq!(said.len(), lines.len(), "{number}: {said:?}");
        assert!(said[0].1.ends_with(place), "{said:?}");
        for (said, line) in said.iter().zip(lines) {
            let is_line = said.1.starts_with(&format!("line {line} of kern.cu in row "));
            assert!(said.0 == "L014" && is_line && said.2 == format!("one of its {count} lines"), "{said:?}");
        }
        assert_eq!(bug.driver("verify out.cubin").status.code(), Some(0));
        assert!(bug.findings("out.cubin --no-sources").is_empty());
        // A source of another size than the cubin records is not what was compiled; without its
        // size it is taken as it is.
        fs::write(bug.path().join("kern.cu"), "\n".repeat(4)).unwrap();
        assert!(bug.findings("out.cubin").is_empty());
        fs::remove_file(bug.path().join("kern.cu")).unwrap();
        assert!(bug.findings("out.cubin").is_empty());
    }
}

#[test]
fn placeholders_are_those_of_check() {
    let Some(bug) = Bug::assembled("25", "-arch=sm_90 -lineinfo") else { return };
    let found = bug.findings("out.cubin");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].0, &*found[0].1), ("L105", "`default_program` as file 1"));
    let ptx = fs::read_to_string(bug.path().join("input.ptx")).unwrap();
    let names = [
        "<stdin>",
        "<unknown>",
        "dir/<stdin>",
        "-",
        "stdin",
        "unknown",
        "source.cu",
        "compute_sass.ptx",
        "kern.cu",
        "my_stdin",
        "default_program.cu",
        "<a>.cu",
        "<a>",
        "/tmp/ipykernel_30517/2218865044.py",
        "In[12]",
        "REPL[41]",
        "./none",
        "src/relax.jl",
    ];
    let mut placeholders = 0;
    for name in names {
        fs::write(bug.path().join("other.ptx"), ptx.replace("default_program", name)).unwrap();
        made(
            program()
                .current_dir(bug.path())
                .args("compile --code none -lineinfo -arch sm_90 other.ptx -o other.debug".split(' ')),
        );
        let checked = bug.json("check other.ptx");
        let findings = checked["findings"].as_array().unwrap();
        let by_check = findings.iter().any(|finding| finding["code"] == "F007");
        let by_verify = bug.findings("other.debug").iter().any(|(code, ..)| code == "L105");
        assert_eq!(by_verify, by_check, "{name}");
        placeholders += usize::from(by_verify);
    }
    assert_eq!(placeholders, 13);
}

#[test]
fn a_placeholder_can_be_mapped_to_the_file() {
    let Some(bug) = Bug::new("25") else { return };
    let mapped = bug.driver("check input.ptx --fix=path-map --path-map default_program=src/real.cu");
    assert!(mapped.status.code().is_some_and(|code| code < 2), "{mapped:?}");
    let Some(()) = bug.run("ptxas", "-arch=sm_90 -lineinfo input.ptx -o out.cubin") else { return };
    assert!(bug.findings("out.cubin").is_empty());
    let frame = &bug.json("lines out.cubin k+0x10")["queries"][0]["answers"][0]["frames"][0];
    assert_eq!((&frame["file"], &frame["line"]), (&"src/real.cu".into(), &6.into()));
}

/// Bug 27: 6:4 for 0x10 and 6:31 for 0x20; of inlined code each caller's too.
#[test]
fn columns_come_from_the_ptx() {
    let spots = |document: &Value| -> Vec<(u64, Option<u64>)> {
        let frames = document["queries"][0]["answers"][0]["frames"].as_array().unwrap().iter();
        frames.map(|frame| (frame["line"].as_u64().unwrap(), frame["column"].as_u64())).collect()
    };
    for options in ["-arch=sm_90 -lineinfo", "-arch=sm_90 -lineinfo -c"] {
        let Some(bug) = Bug::assembled("27", options) else { return };
        for (query, column) in [("k+0x10", 4), ("k+0x20", 31)] {
            assert_eq!(spots(&bug.json(&format!("lines out.cubin {query}"))), [(6, None)]);
            let with_ptx = bug.json(&format!("lines out.cubin --ptx input.ptx {query}"));
            assert_eq!(spots(&with_ptx), [(6, Some(column))]);
        }
        // Other code is other PTX, and lends no column. Other `.loc` directives alone are told by a
        // name with a checksum, for the text that ptxas keeps has none of them.
        let has_checksum = options.ends_with("-c");
        for (old, new, column) in
            [("%tid.x", "%ctaid.x", None), ("1 6 4", "1 6 5", if has_checksum { None } else { Some(5) })]
        {
            let other = fs::read_to_string(bug.path().join("input.ptx")).unwrap().replace(old, new);
            fs::write(bug.path().join("other.ptx"), other).unwrap();
            let output = bug.driver("lines out.cubin --ptx other.ptx --json k+0x10");
            let said = String::from_utf8_lossy(&output.stderr);
            let document = json::only(&output);
            assert_eq!(spots(&document), [(6, column)], "{new}");
            assert_eq!(said.contains("the PTX is not that of this file"), column.is_none(), "{new}: {said}");
        }
    }
    let Some(bug) = Bug::assembled("28", "-arch=sm_90 -lineinfo") else { return };
    let chain = spots(&bug.json("lines out.cubin --ptx input.ptx k+0x50"));
    let ptx = fs::read_to_string(bug.path().join("input.ptx")).unwrap();
    // `.loc FILE LINE COLUMN` of the three lines, as the PTX has them.
    let column = |line: u64| {
        let locs = ptx.lines().filter_map(|text| text.trim().strip_prefix(".loc "));
        let mut locs = locs.map(|loc| loc.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>());
        let found = locs.find(|loc| loc[1] == line.to_string()).unwrap();
        found[2].parse::<u64>().ok()
    };
    // The line of a call inside of another one is that of `inlined_at`, which has an
    // earlier `.loc`.
    assert_eq!(chain.iter().map(|spot| spot.0).collect::<Vec<_>>(), [3, 12, 22]);
    assert_eq!((chain[0].1, chain[2].1), (column(3), column(22)));
    assert!(chain[1].1.is_some());
}

/// Bug 34: `k: 0x0..0x280`, whatever the bytes in place say.
#[test]
fn the_end_of_a_function_is_the_relocated_one() {
    let Some(bug) = Bug::new("34") else { return };
    let ptx = fs::read_to_string(bug.path().join("input.ptx")).unwrap();
    for (arch, end) in
        [("sm_75", 0x180), ("sm_80", 0x280), ("sm_90", 0x280), ("sm_100", 0x280), ("sm_120", 0x200)]
    {
        fs::write(bug.path().join("in.ptx"), ptx.replace("sm_90", arch)).unwrap();
        let Some(()) = bug.run("ptxas", &format!("-arch={arch} -g in.ptx -o out.cubin")) else { return };
        let dump = bug.driver("dump out.cubin --section .debug_info");
        let text = String::from_utf8(dump.stdout).unwrap();
        let high = text.lines().filter(|line| line.contains("high_pc")).collect::<Vec<_>>();
        let is_end = |line: &&str| line.ends_with(&format!(".text.k+{end:#x}"));
        assert!(!high.is_empty() && high.iter().any(is_end), "{arch}: {text}");
    }
}

/// Bug 36.
#[test]
fn memories_of_variables() {
    let Some(bug) = Bug::assembled("36", "-arch=sm_90 -g") else { return };
    let document = bug.json("vars out.cubin");
    let variables = document["variables"].as_array().unwrap();
    let of = |name: &str| variables.iter().find(|variable| variable["name"] == name).unwrap();
    let text = String::from_utf8(bug.driver("vars out.cubin").stdout).unwrap();
    assert!(text.contains("shared[0x400]"), "{text}");
    let counter = &of("counter")["places"][0];
    assert_eq!(
        (&of("counter")["class_name"], &counter["symbol"]),
        (&"ADDR_global_space".into(), &"counter".into())
    );
    assert_eq!(of("tile")["class_name"], "ADDR_shared_space");
    let line = text.split("tile_noclass").nth(1).unwrap();
    assert!(line.lines().nth(1).unwrap().contains("warning: no DW_AT_address_class"), "{text}");
    assert!(line.lines().nth(2).unwrap().contains("global[0x400]"), "{text}");
}

/// Bug 38: rows 0, 0x10, 0x20, 0x70 against 0, 0x10, 0x20, 0x50; 0x92 is 1 before the first row
/// only.
#[test]
fn tables_of_both_spaces_are_told_apart() {
    let Some(bug) = Bug::assembled("38", "-arch=sm_100 -lineinfo") else { return };
    let sections = bug.json("sections out.cubin");
    let text = sections.to_string();
    for (name, prefix, last) in
        [(".debug_line", ".text.", 0x50), (".nv.merc.debug_line", ".nv.capmerc.text.", 0x70)]
    {
        assert!(text.contains(&format!("\"{name}\"")), "{text}");
        let dump = bug.json(&format!("dump out.cubin --section {name}"));
        let contents = &dump["sections"][0]["contents"]["data"][0];
        let sequences = contents["sequences"].as_array().unwrap();
        assert_eq!(sequences.len(), 2);
        for sequence in sequences {
            assert!(sequence["start"].as_str().unwrap().starts_with(prefix), "{sequence}");
            let rows = sequence["rows"].as_array().unwrap();
            let addresses: Vec<_> = rows.iter().map(|row| row["address"].as_u64().unwrap()).collect();
            assert_eq!(addresses, [0, 0x10, 0x20, last], "{name}");
            let marks: Vec<_> = rows.iter().map(|row| row["entry"] == true).collect();
            assert_eq!(marks, [name != ".debug_line", false, false, false], "{name}: {rows:?}");
        }
    }
}

/// Bug 42: lines come from `.loc`, no flag needed; only `-suppress-debug-info` takes them away.
#[test]
fn the_level_is_told_whatever_was_asked_for() {
    for (option, level) in [("", "lines"), ("-lineinfo", "lines"), ("-suppress-debug-info", "frame")] {
        let Some(bug) = Bug::assembled("42", &format!("-arch=sm_90 {option}")) else { return };
        let document = bug.json("sections out.cubin");
        assert_eq!(document["level"], level, "{option}: {document}");
    }
}

/// Bug 44: k full, bits lines only, fold none.
#[test]
fn levels_of_a_linked_file_by_function() {
    let Some(bug) = Bug::new("44") else { return };
    for (source, option) in [("input.cu", "-G"), ("b.cu", "-lineinfo"), ("c.cu", "-w")] {
        let args = format!("-arch=sm_90 -rdc=true -cubin {option} {source} -o {source}.cubin");
        let Some(()) = bug.run("nvcc", &args) else { return };
    }
    let link = "-arch=sm_90 input.cu.cubin b.cu.cubin c.cu.cubin -o linked.cubin";
    let Some(()) = bug.run("nvlink", link) else { return };
    let document = bug.json("coverage linked.cubin");
    let functions = document["functions"].as_array().unwrap();
    let of = |name: &str| {
        let function = functions.iter().find(|f| f["name"].as_str().unwrap().contains(name)).unwrap();
        let variables = function["variables"]["all"].as_u64().unwrap_or(0);
        (function["instructions"]["line_percent"].as_f64().unwrap(), variables > 0)
    };
    assert_eq!(
        [of("1k"), of("bits"), of("fold")],
        [(100.0, true), (100.0, false), (0.0, false)],
        "{document:#}"
    );
    let found = bug.findings("linked.cubin");
    let mixed = found.iter().find(|(code, ..)| code == "M001").unwrap();
    for words in ["level `full` (_Z1kPj)", "level `lines` (_Z4bitsj)", "level `frame` (_Z4foldj)"] {
        assert!(mixed.1.contains(words), "{mixed:?}");
    }
}

/// Bug 46: "same code, same lines, other mtime".
#[test]
fn another_time_of_a_source_is_no_difference() {
    let Some(bug) = Bug::new("46") else { return };
    for (time, name) in [(1_700_000_000, "a.cubin"), (1_600_000_000, "b.cubin")] {
        let file = fs::File::options().write(true).open(bug.path().join("kern.cu")).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(time)).unwrap();
        let Some(()) = bug.run("ptxas", &format!("-arch=sm_90 -lineinfo input.ptx -o {name}")) else {
            return;
        };
    }
    let bytes = ["a.cubin", "b.cubin"].map(|name| fs::read(bug.path().join(name)).unwrap());
    assert_ne!(bytes[0], bytes[1]);
    let diff = bug.driver("diff a.cubin b.cubin");
    let text = String::from_utf8(diff.stdout).unwrap();
    let want = "no difference\nother time or size of source files, not compared: kern.cu\n";
    assert_eq!((diff.status.code(), text.as_str()), (Some(0), want));
    let document = bug.json("diff a.cubin b.cubin");
    assert_eq!(document["other_file_stats"], serde_json::json!(["kern.cu"]));
    assert_eq!(bug.json("diff a.cubin a.cubin")["other_file_stats"], serde_json::json!([]));
}

/// Bug 48: what is left says that it was stripped, is sound, and answers with the side file as it
/// did.
#[test]
fn a_stripped_file_says_so_and_its_side_file_answers() {
    for arch in ["sm_90", "sm_100", "sm_120"] {
        let Some(bug) = Bug::assembled("48", &format!("-arch={arch} -lineinfo")) else { return };
        let before = bug.json("lines out.cubin --all")["sections"].clone();
        assert!(bug.driver("strip out.cubin -o k.cubin --split k.debug").status.success());
        let sections = bug.json("sections k.cubin");
        assert_eq!(
            (&sections["stripped"], &sections["debug_bytes"]),
            (&true.into(), &0.into()),
            "{sections}"
        );
        let lines = bug.driver("lines k.cubin ka+0x10");
        let text = String::from_utf8(lines.stdout).unwrap();
        assert!(
            lines.status.code() == Some(1) && text.contains("no line table covers this address"),
            "{text}"
        );
        assert_eq!(bug.findings("k.cubin"), []);
        let after = bug.json("lines k.cubin --all --debug-file k.debug");
        assert_eq!(after["sections"], before, "{arch}");
        for tool in ["nvdisasm", "cuobjdump"] {
            let option = if tool == "nvdisasm" { "-c" } else { "-sass" };
            let Some(()) = bug.run(tool, &format!("{option} k.cubin")) else { return };
        }
    }
}

/// Bug 50: "same code".
#[test]
fn lineinfo_does_not_change_code() {
    let Some(bug) = Bug::new("50") else { return };
    for (option, name) in [("", "plain"), ("-lineinfo", "lines"), ("-G", "debug")] {
        let args = format!("-arch=sm_90 -cubin {option} input.cu -o {name}.cubin");
        let Some(()) = bug.run("nvcc", &args) else { return };
    }
    let same = bug.driver("diff --only code plain.cubin lines.cubin");
    assert!(same.status.success() && same.stdout.starts_with(b"no difference"));
    let other = bug.json("diff --only code plain.cubin debug.cubin");
    let differences = other["differences"].as_array().unwrap();
    assert!(!differences.is_empty() && differences.iter().all(|difference| difference["key"] == "code"));
    // 32 instructions against 104.
    let sizes = differences.iter().map(|d| (d["a"].to_string(), d["b"].to_string())).collect::<Vec<_>>();
    assert!(sizes[0].0.contains("0x200 bytes") && sizes[0].1.contains("0x680 bytes"), "{sizes:?}");
}

/// Bug 52: a library of objects; by file, architecture and kernel, with an exit code.
#[test]
fn which_kernels_of_a_library_have_lines() {
    let Some(bug) = Bug::new("52") else { return };
    let archive = |members: &str| {
        made(Command::new("ar").current_dir(bug.path()).arg("cr").args(members.split(' ')));
    };
    for args in ["-c -lineinfo input.cu -o input.o", "-c b.cu -o b.o"] {
        let Some(()) = bug.run("nvcc", &format!("-arch=sm_90 {args}")) else { return };
    }
    archive("lib.a input.o b.o");
    let document = bug.json("coverage lib.a");
    let files = document["files"].as_array().unwrap();
    let mut rows = Vec::new();
    for file in files {
        for function in file["functions"].as_array().unwrap() {
            let percent = function["instructions"]["line_percent"].as_f64().unwrap();
            let name = file["file"].as_str().unwrap().to_owned();
            rows.push((name, file["sm"].as_u64(), function["name"].as_str().unwrap().to_owned(), percent));
        }
    }
    assert_eq!(rows.len(), 2, "{document:#}");
    assert!(rows[0].0.starts_with("lib.a:sm_90:") && rows[0].1 == Some(90));
    assert!(rows[0].2.contains("with_info") && (rows[0].3 - 100.0).abs() < 1e-9, "{rows:?}");
    assert!(rows[1].2.contains("no_info") && rows[1].3.abs() < 1e-9, "{rows:?}");
    let minimum = bug.driver("coverage lib.a --min-lines 95");
    let messages = String::from_utf8(minimum.stderr).unwrap();
    assert_eq!(minimum.status.code(), Some(1));
    assert!(messages.contains("no_info") && !messages.contains("with_info"), "{messages}");
    archive("good.a input.o");
    assert_eq!(bug.driver("coverage good.a --min-lines 95").status.code(), Some(0));
}
