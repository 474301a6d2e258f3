//! `vars`: its command line, text and JSON. Places themselves are tested in `cubin-debuginfo`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use nv_debug_sections::cubin::{Contents, Cubin};
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

const CLASSES: &str = "cubin-debuginfo/tests/data/address_class.sm_90.cubin";
const SAXPY: &str = "examples/saxpy/saxpy-debug.cubin";
/// Variables in frames.
const FRAMES: &str = "examples/block_sum/block_sum-debug.cubin";

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

/// The document of a cubin with the bytes of a section changed, standard error, and the exit status.
fn damaged(file: &str, section: &str, damage: fn(&mut Vec<u8>)) -> (Value, String, Option<i32>) {
    let bytes = std::fs::read(support::repository().join(file)).unwrap();
    let mut cubin = Cubin::parse(&bytes).unwrap();
    let index = cubin.section_by_name(section).unwrap();
    let Contents::Bytes(contents) = &mut cubin.sections[index.as_usize()].contents else { panic!() };
    damage(contents.to_mut());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cubin");
    std::fs::write(&file, cubin.write().unwrap()).unwrap();
    let output = vars(file.to_str().unwrap(), &["--json"]);
    let document = serde_json::from_str(&stdout(&output)).unwrap();
    // An address needs no line table either.
    let at = vars(file.to_str().unwrap(), &["--at", "0x20"]);
    assert_eq!(at.status.code(), output.status.code());
    (document, String::from_utf8(output.stderr).unwrap(), output.status.code())
}

/// Calls `change` with every object in a document.
fn each_object(value: &mut Value, change: &mut impl FnMut(&mut serde_json::Map<String, Value>)) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| each_object(value, change)),
        Value::Object(members) => {
            change(members);
            members.values_mut().for_each(|value| each_object(value, change));
        }
        _ => {}
    }
}

/// Takes out of a document what an unreadable section is needed for; how much that was.
fn take(document: &mut Value, missing: &str) -> usize {
    document["file"] = Value::Null;
    document.as_object_mut().unwrap().remove("faults");
    let mut taken = 0;
    each_object(document, &mut |members| match missing {
        "source files" => {
            let file = members.get_mut("file").filter(|file| file.is_string());
            taken += usize::from(file.is_some_and(|file| !file.take().is_null()));
        }
        "offsets from R1" if members.get("kind").is_some_and(|kind| kind == "frame") => {
            taken += usize::from(members.remove("stack_offset").is_some());
            members.remove("text");
        }
        "SASS registers" if members.contains_key("places") => {
            taken += members["places"].to_string().matches("\"registers\"").count();
            for member in ["places", "available_bytes"] {
                members.remove(member);
            }
        }
        _ => {}
    });
    taken
}

/// What is in no damaged section is answered as before, and what is missing is said.
#[test]
fn without_a_section_that_cannot_be_read_the_rest_is_answered() {
    for (file, section, damage, missing) in [
        (SAXPY, ".debug_line", (|bytes| bytes[4] = 9) as fn(&mut Vec<u8>), "source files"),
        (FRAMES, ".debug_frame", |bytes| bytes.truncate(9), "offsets from R1"),
        (SAXPY, ".nv_debug_info_reg_sass", |bytes| bytes.truncate(9), "SASS registers"),
    ] {
        let (mut document, messages, code) = damaged(file, section, damage);
        let faults = document["faults"].as_array().unwrap();
        let [fault] = faults.as_slice() else { panic!("{faults:?}") };
        assert_eq!((&fault["section"], &fault["missing"], code), (&section.into(), &missing.into(), Some(1)));
        assert!(
            messages.contains(&format!("k.cubin: {section}+")) && messages.contains(missing),
            "{messages}"
        );
        assert_eq!(messages.lines().count(), 1, "{messages}");
        let mut sound: Value = serde_json::from_str(&stdout(&vars(file, &["--json"]))).unwrap();
        let (before, after) = (take(&mut sound, missing), take(&mut document, missing));
        assert!(before > 0 && after == 0, "{section}: {before}, {after}");
        assert_eq!(document, sound, "{section}");
    }
    // Names of files are in the headers: what rows say is not asked for.
    let (mut document, messages, code) =
        damaged(SAXPY, ".debug_line", |bytes| *bytes.last_mut().unwrap() = 0x0f);
    let mut sound: Value = serde_json::from_str(&stdout(&vars(SAXPY, &["--json"]))).unwrap();
    (document["file"], sound["file"]) = (Value::Null, Value::Null);
    assert_eq!((document, messages.as_str(), code), (sound, "", Some(0)));
}

/// nvcc 13.0 names a type of a namespace by its mangled name.
#[test]
fn mangled_names_of_types_are_demangled_beside_the_file_s() {
    let rename = |bytes: &mut Vec<u8>| {
        // As long as a mangled name can be that is no longer than the base type's.
        let at = bytes.windows(6).position(|name| name == b"float\0").unwrap();
        bytes[at..at + 6].copy_from_slice(b"_Z1fv\0");
    };
    let (document, ..) = damaged(SAXPY, ".debug_info", rename);
    let spelled = |member: &str| -> Vec<String> {
        let all = document["variables"].as_array().unwrap().iter();
        all.filter_map(|variable| variable[member].as_str().map(str::to_owned)).collect()
    };
    let raw: Vec<_> = spelled("type").into_iter().filter(|name| name.contains("_Z1fv")).collect();
    let demangled = spelled("demangled_type");
    assert!(raw.contains(&"_Z1fv const *".to_owned()) && raw.len() == demangled.len(), "{raw:?}");
    assert!(raw.iter().map(|name| name.replace("_Z1fv", "f()")).eq(demangled));
}
