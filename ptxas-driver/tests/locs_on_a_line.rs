//! `check` L019 against the real ptxas: it speaks where `.loc` on one line of PTX make another table than on lines of their own.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

/// Source lines that the three stores have by their `.loc`; line 0 is none.
const LINES: [u32; 3] = [0, 5, 6];

/// A kernel of three stores with a `.loc` each. Nothing of their code can be moved to another place.
fn module(lines: [u32; 3], separators: [&str; 2]) -> String {
    let store = |n: usize| format!(".loc 1 {} 1 st.volatile.global.u32 [%rd1+{}], %r1;", lines[n], 4 * n);
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a.cu\", 5, 7\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<2>;\n\
         .reg .b64 %rd<2>;\n.loc 1 1 1\nld.param.u64 %rd1, [p];\nld.volatile.global.u32 %r1, [%rd1];\n{}{}{}{}{}\n.loc 1 9 1\nret;\n}}\n",
        store(0),
        separators[0],
        store(1),
        separators[1],
        store(2),
    )
}

/// The source lines that the stores have in ptxas' table.
fn line_of_each_store(ptxas: &Path, nvdisasm: &Path, folder: &Path, text: &str) -> Vec<u32> {
    let (ptx, cubin) = (folder.join("in.ptx"), folder.join("in.cubin"));
    fs::write(&ptx, text).unwrap();
    let made = Command::new(ptxas).arg("-lineinfo").arg(&ptx).arg("-o").arg(&cubin).status().unwrap();
    assert!(made.success(), "{text}");
    let listed = Command::new(nvdisasm).args(["-g", "-c"]).arg(&cubin).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let (mut line, mut lines) = (0, Vec::new());
    for row in listed.lines() {
        if row.contains("//## File") {
            line = row.split("line ").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        } else if row.contains("STG") {
            lines.push(line);
        }
    }
    assert_eq!(lines.len(), 3, "{listed}");
    lines
}

#[test]
fn what_is_lost_is_said_and_nothing_else() {
    let (Some(ptxas), Some(nvdisasm)) = (support::oracle::tool("ptxas"), support::oracle::tool("nvdisasm"))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (mut lost, mut total) = (0, 0);
    for number in 0..27 {
        let lines = [number / 9, number / 3 % 3, number % 3].map(|at| LINES[at]);
        let apart = line_of_each_store(&ptxas, &nvdisasm, folder.path(), &module(lines, ["\n", "\n"]));
        for separators in [[" ", " "], [" ", "\n"], ["\n", " "]] {
            let text = module(lines, separators);
            let together = line_of_each_store(&ptxas, &nvdisasm, folder.path(), &text);
            let check = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
                .args(["check", "--no-notes"])
                .arg(folder.path().join("in.ptx"))
                .output()
                .unwrap();
            let said = String::from_utf8(check.stdout).unwrap();
            assert_eq!(
                said.contains("[L019]"),
                together != apart,
                "{lines:?} {separators:?}: {apart:?} {together:?}\n{said}"
            );
            lost += u32::from(together != apart);
            total += 1;
        }
    }
    println!("{lost} of {total} modules lose a line");
    assert!(lost > 20 && total - lost > 20);
}
