//! JSON documents are as their schemas say; all tests that read one check that (`support::json`).
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::{json, schemas};
use serde_json::{Value, json};
use std::process::Command;

fn lines() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.cubin");
    let output = Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).args(["lines", "--json", file]).output();
    json::document(&output.unwrap())
}

#[test]
fn a_member_that_the_schema_lacks_or_alone_has_is_found() {
    schemas::check(&lines()).unwrap();
    let changes: [fn(&mut Value); 7] = [
        |document| document["more"] = json!(1),
        |document| document["files"][0]["more"] = json!(1),
        |document| document["files"][0]["sections"][0]["ranges"][0]["frames"][0]["more"] = json!(1),
        |document| document["files"][0]["sections"][0]["size"] = json!("1"),
        |document| document["files"][0]["code"] = json!("elsewhere"),
        |document| drop(document["files"][0].as_object_mut().unwrap().remove("sm")),
        // Of what is listed a document has one.
        |document| document["files"][0]["queries"] = json!([]),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut document = lines();
        change(&mut document);
        assert!(schemas::check(&document).is_err(), "change {number}: {document}");
    }
}
