//! `check` L019 against the real ptxas: it speaks where `.loc` on one line of PTX make another
//! table than on lines of their own.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::driver::program;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// Source lines that the three stores have by their `.loc`; line 0 is none.
const LINES: [u32; 3] = [0, 5, 6];
/// Kernels: all choices of three.
const COUNT: usize = 27;

/// The lines of kernel `number`: all there are of three.
fn lines(number: usize) -> [u32; 3] {
    [number / 9, number / 3 % 3, number % 3].map(|at| LINES[at])
}

/// Kernels of three stores with a `.loc` each. Nothing of their code can be moved to another place.
fn module(numbers: Range<usize>, separators: [&str; 2]) -> String {
    let store = |line: u32, n: u32| format!(".loc 1 {line} 1 st.volatile.global.u32 [%rd1+{}], %r1;", 4 * n);
    let kernel = |number: usize| {
        let [a, b, c] = lines(number);
        let code = [&store(a, 0), separators[0], &store(b, 1), separators[1], &store(c, 2)].concat();
        format!(
            ".visible .entry k{number}(.param .u64 p)\n{{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n.loc 1 1 1\nld.param.u64 %rd1, [p];\n\
             ld.volatile.global.u32 %r1, [%rd1];\n{code}\n.loc 1 9 1\nret;\n}}\n"
        )
    };
    let kernels: String = numbers.map(kernel).collect();
    format!(".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a.cu\", 5, 7\n{kernels}")
}

/// The source lines that the stores of all kernels have in ptxas' table, by kernel.
fn lines_of_stores(tools: [&Path; 2], folder: &Path, separators: [&str; 2]) -> Vec<Vec<u32>> {
    let (ptx, cubin) = (folder.join("all.ptx"), folder.join("all.cubin"));
    fs::write(&ptx, module(0..COUNT, separators)).unwrap();
    let made = Command::new(tools[0]).arg("-lineinfo").arg(&ptx).arg("-o").arg(&cubin).status().unwrap();
    assert!(made.success());
    let listed = Command::new(tools[1]).args(["-g", "-c"]).arg(&cubin).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let (mut line, mut kernel, mut all) = (0, 0, vec![Vec::new(); COUNT]);
    for row in listed.lines() {
        if let Some(label) = row.strip_prefix(".text.k") {
            kernel = label.trim_end_matches(':').parse().unwrap();
        } else if row.contains("//## File") {
            line = row.split("line ").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        } else if row.contains("STG") {
            all[kernel].push(line);
        }
    }
    assert!(all.iter().all(|stores| stores.len() == 3), "{listed}");
    all
}

#[test]
fn what_is_lost_is_said_and_nothing_else() {
    let (Some(ptxas), Some(nvdisasm)) = (support::oracle::tool("ptxas"), support::oracle::tool("nvdisasm"))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("in.ptx");
    let by_ptxas = |separators| lines_of_stores([&ptxas, &nvdisasm], folder.path(), separators);
    let apart = by_ptxas(["\n", "\n"]);
    let (mut lost, mut total) = (0, 0);
    for separators in [[" ", " "], [" ", "\n"], ["\n", " "]] {
        for (number, (together, apart)) in by_ptxas(separators).iter().zip(&apart).enumerate() {
            fs::write(&ptx, module(number..number + 1, separators)).unwrap();
            let check = program().args(["check", "--no-notes"]).arg(&ptx).output();
            let said = String::from_utf8(check.unwrap().stdout).unwrap();
            let lines = lines(number);
            assert_eq!(
                said.contains("[L019]"),
                together != apart,
                "{lines:?} {separators:?}: {apart:?} {together:?}\n{said}"
            );
            lost += u32::from(together != apart);
            total += 1;
        }
    }
    println!("{lost} of {total} kernels lose a line");
    assert!(lost > 20 && total - lost > 20);
}
