//! `strip` and `unstrip` on what nvcc builds: objects, archives, programs and shared libraries.
//! `tools/campaign strip` does the same with many more files.

use super::{ok, run};
use crate::support::driver::messages;
use crate::support::oracle;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a tool in a folder.
fn tool(folder: &Path, tool: &Path, args: &str) -> Output {
    let output = Command::new(tool).current_dir(folder).args(args.split(' ')).output().unwrap();
    assert!(output.status.success(), "{} {args}: {}", tool.display(), messages(&output));
    output
}

/// What commands answer about a file, and what they say.
fn answers(folder: &Path, args: &[&str]) -> Vec<String> {
    let of = |command: &&str| {
        let output = run(folder, &[&[*command], args].concat());
        format!("{}{}", String::from_utf8_lossy(&output.stdout), messages(&output))
    };
    ["lines", "vars", "coverage", "verify"].iter().map(of).collect()
}

#[test]
fn what_nvcc_builds_is_stripped_in_place_and_comes_back() {
    let (Some(nvcc), Some(cuobjdump)) = (oracle::tool("nvcc"), oracle::tool("cuobjdump")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let source = "__device__ float f(float x, int n) { float y = x; while (n--) y *= y; return y; }\n\
                  __global__ void k(float *p, int n) { for (int i = 0; i < n; i++) p[i] = f(p[i], i); }\n";
    fs::write(at.join("k.cu"), source).unwrap();
    fs::write(at.join("main.cu"), format!("{source}int main() {{ return 0; }}\n")).unwrap();
    let archs = "-gencode arch=compute_90,code=[sm_90,compute_90]";
    tool(at, &nvcc, &format!("{archs} -G --compress-mode=none -Xcompiler -fPIC -c k.cu -o k.o"));
    tool(at, &nvcc, &format!("{archs} -lineinfo --compress-mode=size -rdc=true -c k.cu -o r.o"));
    tool(at, &nvcc, &format!("{archs} -G -c main.cu -o main.o"));
    tool(at, Path::new("ar"), "crs libk.a k.o r.o");
    let library = nvcc.parent().unwrap().join("../lib");
    let link = format!("-L{} -lcudart_static -lpthread -ldl -lrt", library.display());
    tool(at, Path::new("g++"), &format!("main.o {link} -o a.out"));
    tool(at, Path::new("g++"), &format!("-shared k.o {link} -o libk.so"));
    // nvlink puts an image without code into the program.
    tool(at, &nvcc, &format!("-arch=sm_90 -G main.cu -L{} -o linked", library.display()));
    let words = answers(at, &["linked"]).concat();
    let is_silent = !words.contains("linked:sm_90:1: warning") && !words.contains("note: ");
    assert!(words.contains("linked:sm_90:2") && is_silent, "{words}");
    for name in ["libk.a", "a.out", "libk.so", "linked"] {
        let old = fs::read(at.join(name)).unwrap();
        let listed = tool(at, &cuobjdump, &format!("-all -lelf -lptx {name}")).stdout;
        let code = tool(at, &cuobjdump, &format!("-sass {name}")).stdout;
        let before = answers(at, &[name]);
        ok(at, &["strip", name, "--debug-dir", "debug"]);
        let new = fs::read(at.join(name)).unwrap();
        assert!(new.len() == old.len() && new != old, "{name}");
        assert_eq!(tool(at, &cuobjdump, &format!("-all -lelf -lptx {name}")).stdout, listed);
        assert!(tool(at, &cuobjdump, &format!("-sass {name}")).stdout == code, "{name}");
        assert_ne!(answers(at, &[name]), before, "{name}");
        assert_eq!(answers(at, &[name, "--debug-dir", "debug"]), before, "{name}");
        ok(at, &["unstrip", name, "--debug-dir", "debug"]);
        assert!(fs::read(at.join(name)).unwrap() == old, "{name}");
        fs::remove_dir_all(at.join("debug")).unwrap();
    }
}
