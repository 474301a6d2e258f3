//! JSON documents of the driver. A test that looks at one reads it here.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use super::{driver, schemas};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// The document that a run printed.
///
/// # Panics
///
/// Where it is none, with what was printed.
pub fn document(output: &Output) -> Value {
    parse(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// A document of this version, which is as its schema says.
pub fn parse(text: &[u8]) -> Result<Value, String> {
    let document: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let is_known = document["schema"].as_str().is_some_and(|schema| schema.starts_with("nvdwarf."));
    if !is_known || document["schema_version"] != 2 {
        return Err(format!("not a document of version 2: {document}"));
    }
    schemas::check(&document).map(|()| document)
}

/// What the document of a command says of its only file or image.
///
/// # Panics
///
/// Where there are several or none.
pub fn answer(command: &str, file: &Path, args: &[&str]) -> Value {
    let output = driver::answer(command, file, &[args, &["--json"]].concat());
    assert_eq!(document(&output)["schema"], format!("nvdwarf.{command}"));
    only(&output)
}

/// What the document that a run printed says of its only file or image.
///
/// # Panics
///
/// Where there are several or none.
pub fn only(output: &Output) -> Value {
    let mut document = document(output);
    match document["files"].as_array_mut().unwrap().as_mut_slice() {
        [file] => file.take(),
        _ => panic!("not one file: {document}"),
    }
}

/// Members and their kinds, without values.
pub fn kinds(value: &Value) -> Value {
    match value {
        Value::Array(all) => all.iter().map(kinds).collect(),
        Value::Object(all) => all.iter().map(|(key, value)| (key.clone(), kinds(value))).collect(),
        Value::Number(_) => "number".into(),
        _ => "string".into(),
    }
}
