//! Code of two files with one line number, and nothing inlined: ptxas keeps the first file only.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver::{program, succeed};
use crate::support::oracle;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Sections that -g asks for.
const SECTIONS: &str = ".section .debug_abbrev { .b8 1,17,0,37,8,0,0,0 }
.section .debug_info { .b32 9
.b8 2,0
.b32 .debug_abbrev
.b8 8,1,0 }
";

/// A kernel with a `.loc` (file and line) for each instruction that the code needs, and the PTX
/// lines of these `.loc`.
fn kernel(arch: &str, mode: &str, locs: &[(u32, u32)]) -> (String, Vec<u32>) {
    let debug = if mode == "-g" { ", debug" } else { "" };
    let mut ptx = format!(
        ".version 8.7\n.target {arch}{debug}\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<4>;\n.reg .b64 %q<2>;\n"
    );
    ptx += "ld.param.u64 %q1, [p];\nld.volatile.global.u32 %r1, [%q1];\n";
    let mut lines = Vec::new();
    for (number, (file, line)) in locs.iter().enumerate() {
        lines.push(ptx.lines().count() as u32 + 1);
        let _ =
            write!(ptx, ".loc {file} {line} 1\nst.volatile.global.u32 [%q1+{}], %r1;\n", 4 * (number + 1));
    }
    ptx += "ret;\n}\n.file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n.file 3 \"c.cuh\"\n";
    if mode == "-g" {
        ptx += SECTIONS;
    }
    (ptx, lines)
}

fn said(dir: &Path, command: &str) -> String {
    let output = program().current_dir(dir).args(command.split_whitespace()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// What `check` foretells is what the tables of ptxas have, on each kind of chip, with `-lineinfo`
/// and `-g`, in three releases; `verify --ptx` and `coverage --ptx` name each place.
#[test]
fn a_change_of_file_alone_is_lost() {
    // Each with the indices of the `.loc` whose code is shown in the file before.
    let cases = [
        (vec![(1, 5), (1, 7), (2, 7), (1, 8), (2, 8), (1, 8), (2, 9)], vec![2, 4]),
        (vec![(1, 5), (2, 5), (3, 5), (1, 5), (2, 6)], vec![1, 2]),
        (vec![(1, 7), (2, 8), (1, 7), (2, 8)], vec![]),
        // A `.loc` of line 0 has no row, and does not come between.
        (vec![(1, 7), (1, 0), (2, 7)], vec![2]),
        (vec![(2, 7), (2, 7), (1, 7), (1, 9)], vec![2]),
        (vec![(2, 7), (2, 8), (2, 7)], vec![]),
    ];
    let mut found = 0;
    for ptxas in oracle::ptxas_of(&["12.8", "13.5"]) {
        for arch in ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"] {
            for mode in ["-lineinfo", "-g"] {
                for (locs, lost) in &cases {
                    let dir = tempfile::tempdir().unwrap();
                    let dir = dir.path();
                    let (ptx, lines) = kernel(arch, mode, locs);
                    fs::write(dir.join("k.ptx"), ptx).unwrap();
                    let options = [mode, "-arch", arch, "k.ptx", "-o", "k.cubin"];
                    succeed(Command::new(&ptxas).current_dir(dir).args(options));
                    // Where the code of each `.loc` is shown, by the table alone.
                    let listing = said(dir, "lines k.cubin");
                    let case = format!("{} {arch} {mode} {locs:?}\n{listing}", ptxas.display());
                    let shown = |index: usize| {
                        let ptx_line = format!("| ptx:{} ", lines[index] + 1);
                        let line = listing.lines().find(|line| line.contains(&ptx_line));
                        let (_, place) = line.unwrap_or_else(|| panic!("{case}")).split_once(" at ").unwrap();
                        place.split_whitespace().next().unwrap().to_owned()
                    };
                    let stated = |index: usize| {
                        let (file, line) = locs[index];
                        format!("{}:{line}", ["a.cu", "b.cuh", "c.cuh"][file as usize - 1])
                    };
                    let others: Vec<usize> = (0..locs.len())
                        .filter(|index| locs[*index].1 != 0 && shown(*index) != stated(*index))
                        .collect();
                    assert_eq!(others, *lost, "{case}");
                    found += others.len();

                    let checked = said(dir, "check --no-sources --select L025 --format concise k.ptx");
                    let lines_of = |text: &str| {
                        let line = |line: &str| line.split(':').nth(1).unwrap().parse::<u32>().unwrap();
                        text.lines().filter(|line| line.contains("L025")).map(line).collect::<Vec<_>>()
                    };
                    let want: Vec<u32> = lost.iter().map(|index| lines[*index]).collect();
                    assert_eq!(lines_of(&checked), want, "{case}{checked}");

                    let verified = said(dir, "verify --ptx k.ptx k.cubin");
                    let covered = said(dir, "coverage --ptx k.ptx k.cubin");
                    for index in 0..locs.len() {
                        let is_lost = lost.contains(&index);
                        let place = format!("{} shown at {}", stated(index), shown(index));
                        assert_eq!(verified.contains(&place), is_lost, "{case}{verified}");
                        assert_eq!(covered.contains(&place), is_lost, "{case}{covered}");
                    }
                    assert_eq!(verified.contains("note[L109]"), !lost.is_empty(), "{case}{verified}");
                    if mode == "-g" {
                        continue;
                    }
                    // A table that is written in full has each file.
                    let full = format!(
                        "compile --line-table full {mode} -arch {arch} k.ptx --code cubin:k.cubin -o full.cubin"
                    );
                    succeed(program().current_dir(dir).args(full.split_whitespace()));
                    assert!(!said(dir, "verify --ptx k.ptx full.cubin").contains("L109"), "{case}");
                    assert!(!said(dir, "lines --ptx k.ptx full.cubin").contains("from the PTX"), "{case}");
                }
            }
        }
    }
    assert!(found == 0 || found >= 6 * 12, "{found}");
}
