//! `vars`: one address against the listing. Its text and documents are in `cli/vars.md`, places
//! themselves in `cubin-debuginfo`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::program;
use crate::support::json;
use serde_json::Value;
use std::process::Output;

fn vars(file: &str, args: &[&str]) -> Output {
    let file = support::repository().join(file);
    let mut command = program();
    command.arg("vars").arg(file).args(args).output().unwrap()
}

const SAXPY: &str = "examples/saxpy/saxpy-debug.cubin";

/// At each address of the example, what the listing of `--json` has for it is what `--at` shows.
#[test]
fn an_address_has_what_the_listing_has_there() {
    let listing = json::only(&vars(SAXPY, &["--json"]));
    let all = listing["variables"].as_array().unwrap();
    assert!(!all.is_empty());
    let mut seen = 0;
    for at in (0..0x400_u64).step_by(0x40) {
        let output = vars(SAXPY, &["--at", &format!("saxpy+{at:#x}"), "--json"]);
        if output.status.code() != Some(0) {
            continue;
        }
        let answer = json::only(&output);
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
