//! `vars`: its command line, text and JSON. Places themselves are tested in `cubin-read`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod support;

use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn vars(file: &str, args: &[&str]) -> Output {
    let file = support::repository().join(file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    command.arg("vars").arg(file).args(args).stdin(Stdio::null()).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

const CLASSES: &str = "cubin-read/tests/data/address_class.sm_90.cubin";
const SAXPY: &str = "examples/saxpy/saxpy-debug.cubin";

// EXPECT.md of report 36.
#[test]
fn memories_of_report_36() {
    let output = vars(CLASSES, &[]);
    let text = "\
unit kern.cu
  tile: int  kern.cu:2
    shared[0x400]
  counter: int  kern.cu:3
    global, .nv.global+0x0
  tile_noclass: int  kern.cu:2
    warning: no DW_AT_address_class: a debugger reads global memory there
    global[0x400]
";
    assert_eq!((stdout(&output).as_str(), output.status.code()), (text, Some(0)));
    let output = vars(CLASSES, &["counter", "--json"]);
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.vars".into(), &1.into()));
    let [variable] = document["variables"].as_array().unwrap().as_slice() else { panic!("{document}") };
    let place = &variable["places"][0];
    assert_eq!(
        [&variable["name"], &variable["class_name"], &place["symbol"], &place["section"]],
        ["counter", "ADDR_global_space", "counter", ".nv.global"]
    );
    assert!(place["code"].is_null());
}

/// At each address of the example, what the listing of `--json` has for it is what `--at` shows.
#[test]
fn an_address_has_what_the_listing_has_there() {
    let listing: Value = serde_json::from_str(&stdout(&vars(SAXPY, &["--json"]))).unwrap();
    let all = listing["variables"].as_array().unwrap();
    assert!(!all.is_empty());
    let mut seen = 0;
    for at in (0..0x400_u64).step_by(0x40) {
        let output = vars(SAXPY, &["--at", &format!("saxpy+{at:#x}"), "--json"]);
        if output.status.code() != Some(0) {
            continue;
        }
        let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let section = &answer["at"][0]["section"];
        for variable in answer["variables"].as_array().unwrap() {
            let same = all.iter().find(|other| other["entry"] == variable["entry"]).unwrap();
            let has = |place: &&Value| {
                let code = &place["code"];
                let is_in = |code: &Value| {
                    code["section"] == *section
                        && (code["start"].as_u64().unwrap()..code["end"].as_u64().unwrap()).contains(&at)
                };
                code.is_null() || is_in(code)
            };
            let want: Vec<_> = same["places"].as_array().unwrap().iter().filter(has).cloned().collect();
            assert_eq!(variable["places"], Value::Array(want));
            seen += variable["places"].as_array().unwrap().len();
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn questions_without_an_answer_fail() {
    for (args, message) in [
        (&["nobody"][..], "no variable 'nobody'"),
        (&["-f", "nobody"], "no function 'nobody'"),
        (&["--at", "saxpy+0x100000"], "is behind the end of the function's code"),
        (&["--at", "saxpy+0xq"], "is no offset"),
    ] {
        let output = vars(SAXPY, args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains(message), "{args:?}: {stderr}");
    }
}
