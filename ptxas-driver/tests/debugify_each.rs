//! `ir debugify --each` says what `opt-19 -debugify-each` says, and writes the same statistics.
#![allow(clippy::print_stdout, reason = "says how much was compared")]

use crate::support::driver::program;
use crate::support::{repository, skip};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};

/// The sources and the options of `opt` with which each is compared.
const RUNS: [(&str, &str); 9] = [
    ("loops", "-passes=function(sroa,instcombine,simplifycfg,early-cse,loop-mssa(licm),dce),globaldce"),
    ("lambdas", "-passes=cgscc(inline,function(sroa,instcombine)),globaldce,function(loop(indvars),dce)"),
    ("unions", "-passes=function(sroa,simplifycfg),globalopt,module(ipsccp,globaldce)"),
    ("templates", "-O1"),
    ("switch_cases", "-O2"),
    ("recursion", "-O3"),
    ("vectors", "-Os"),
    ("add", "-passes=default<O2>"),
    ("enums", "-passes=thinlto-pre-link<O2>"),
];

/// A program on PATH.
fn tool(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skip(&format!("no {name} here (tools/llvm.sh installs LLVM 19)"), "REQUIRE_ORACLES");
    }
    found
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().expect("it starts")
}

/// A module without debug information that clang makes of a source of `llvm-debug-metadata`.
fn module(clang: &Path, opt: &Path, source: &str, folder: &Path) -> PathBuf {
    let source = repository().join("llvm-debug-metadata/tests/sources").join(format!("{source}.cu"));
    let (made, module) = (folder.join("made.ll"), folder.join("module.ll"));
    let options = "-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -w -S -emit-llvm -O0 \
                   -Xclang -disable-O0-optnone";
    let compiled = run(Command::new(clang).args(options.split_whitespace()).arg(source).arg("-o").arg(&made));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(run(Command::new(opt).arg("-S").arg(&made).arg("-o").arg(&module)).status.success());
    module
}

/// The lines of debugify, without what the passes themselves say.
fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let is_own = |line: &&str| line.starts_with("remark: ") || line.starts_with("warning: ");
    text.lines().filter(|line| !is_own(line)).map(str::to_owned).collect()
}

/// With typed pointers, and with intrinsics in the place of records.
#[test]
fn each_pass_of_an_older_opt_is_checked_as_it_does() {
    let path = env::var_os("PATH").unwrap_or_default();
    let opt = env::split_paths(&path).map(|folder| folder.join("opt-14")).find(|path| path.is_file());
    let Some(opt) = opt else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [plain, theirs, ours] = ["plain.ll", "theirs.csv", "ours.csv"].map(|name| folder.path().join(name));
    let old = repository().join("llvm-debug-metadata/tests/data/old_dialect.ll");
    let strip = ["ir", "strip", "--pass", "strip-debug", "-o"];
    assert!(run(program().args(strip).arg(&plain).arg(old)).status.success());
    // A target has passes that LLVM 14 has no names for.
    let text = fs::read_to_string(&plain).expect("a module").replace("target triple", "; target triple");
    fs::write(&plain, text).expect("a module");
    let mut export = OsString::from("-debugify-export=");
    export.push(&theirs);
    let expected = ["-O2", "-debugify-each", "-disable-output"];
    let expected = lines(&run(Command::new(&opt).args(expected).arg(export).arg(&plain)).stderr);
    let each = ["ir", "debugify", "--each", "--export"];
    let found = run(program().args(each).arg(&ours).arg(&plain).arg("--").arg(&opt).arg("-O2"));
    assert_eq!(lines(&found.stdout), expected, "{}", String::from_utf8_lossy(&found.stderr));
    assert_eq!(fs::read_to_string(&ours).ok(), fs::read_to_string(&theirs).ok());
    assert!(expected.len() > 50, "{expected:#?}");
}

#[test]
fn each_pass_is_checked_as_opt_does() {
    let (Some(clang), Some(opt)) = (tool("clang-19"), tool("opt-19")) else { return };
    let (mut messages, mut checks) = (0, 0);
    for (source, passes) in RUNS {
        for level in ["location+variables", "locations"] {
            if level == "locations" && !passes.contains("ipsccp") {
                continue;
            }
            let folder = tempfile::tempdir().expect("a folder");
            let module = module(&clang, &opt, source, folder.path());
            let [theirs, ours, result] =
                ["theirs.csv", "ours.csv", "result.ll"].map(|name| folder.path().join(name));
            let mut export = OsString::from("-debugify-export=");
            export.push(&theirs);
            let expected = run(Command::new(&opt)
                .args([passes, "-debugify-each", &format!("-debugify-level={level}"), "-disable-output"])
                .arg(export)
                .arg(&module));
            assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
            let found = run(program()
                .args(["ir", "debugify", "--each", "--level", level, "--export"])
                .arg(&ours)
                .arg("-o")
                .arg(&result)
                .arg(&module)
                .arg("--")
                .args([opt.as_os_str(), passes.as_ref()]));
            let case = format!("{source} {passes} {level}: {}", String::from_utf8_lossy(&found.stderr));
            let expected = lines(&expected.stderr);
            assert_eq!(lines(&found.stdout), expected, "{case}");
            let is_lossy = expected.iter().any(|line| !line.starts_with("Check"));
            assert_eq!(found.status.code(), Some(i32::from(is_lossy)), "{case}");
            assert_eq!(fs::read_to_string(&ours).ok(), fs::read_to_string(&theirs).ok(), "{case}");
            // What is left is the module as these passes make it.
            let plain = run(Command::new(&opt).args([passes, "-S"]).arg(&module).args(["-o", "-"]));
            assert!(fs::read(&result).is_ok_and(|result| result == plain.stdout), "{case}");
            messages += expected.iter().filter(|line| !line.starts_with("Check")).count();
            checks += expected.iter().filter(|line| line.starts_with("Check")).count();
        }
    }
    println!("{checks} checks, {messages} messages equal");
    assert!(checks > 1000 && messages > 200, "{checks} checks, {messages} messages");
}
