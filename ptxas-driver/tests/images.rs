//! Read commands on fatbins, host programs, objects, libraries and archives: what they say of the
//! cubins inside is what they say of the same cubins in files of their own, as `extract` writes
//! them. How one is chosen is in `cli/images.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver::example;
use crate::support::driver::program;
use crate::support::driver::{messages, printed as text};
use crate::support::fatbins::{PLAIN, entry, fatbin};
use crate::support::json;
use crate::support::json::document as json;
use crate::support::made::{ARCHES, Tools};
use crate::support::oracle::tool;
use serde_json::Value;
use std::fs::{self};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output};

/// Runs a command with options on a file.
fn run(command: &str, file: &str, options: &[&str]) -> Output {
    let mut program = program();
    program.args(command.split(' ')).arg(file).args(options).output().unwrap()
}

/// A cubin in a file: its name there, what a heading has after it, and a file of its own.
struct Image {
    name: String,
    origin: String,
    path: String,
}

/// The cubins of a file, written into a folder.
fn extracted(file: &Path, folder: &Path) -> Vec<Image> {
    let folder = folder.to_str().unwrap();
    let list = run("extract", file.to_str().unwrap(), &["--json", "-o", folder, "--kind", "cubin"]);
    let document = json(&list);
    let images = document["files"][0]["images"].as_array().unwrap();
    let image = |image: &Value| {
        let word = |member: &str| image[member].as_str().map(str::trim).filter(|word| !word.is_empty());
        let origin = word("member").or(word("name")).map(|origin| format!(" ({origin})"));
        Image {
            name: format!("{}:{}:{}", file.display(), word("arch").unwrap(), image["index"]),
            origin: origin.unwrap_or_default(),
            path: word("path").unwrap().to_owned(),
        }
    };
    images.iter().map(image).collect()
}

/// What a command says of an image's own file, with the image's name in place of that file's.
fn alone(command: &str, image: &Image, name: &str, options: &[&str]) -> Output {
    let mut output = run(command, &image.path, options);
    for stream in [&mut output.stdout, &mut output.stderr] {
        *stream = String::from_utf8(std::mem::take(stream)).unwrap().replace(&image.path, name).into_bytes();
    }
    output
}

/// Compares what a command says of a file with what it says of each cubin alone.
fn compare(command: &str, options: &[&str], file: &Path, images: &[Image]) {
    let name = file.to_str().unwrap();
    let what = format!("{command} {name} {options:?}");
    let name_of = |image: &Image| if images.len() == 1 { name.to_owned() } else { image.name.clone() };
    let apart = |options: &[&str]| -> Vec<Output> {
        images.iter().map(|image| alone(command, image, &name_of(image), options)).collect()
    };

    // `lines` passes over an image without the function that a query names.
    let is_passed = |part: &Output| {
        command == "lines" && !options.is_empty() && images.len() > 1 && part.status.code() == Some(1)
    };
    let (whole, mut parts) = (run(command, name, options), apart(options));
    let meant: Vec<&Image> =
        images.iter().zip(&parts).filter(|(_, part)| !is_passed(part)).map(|(image, _)| image).collect();
    parts.retain(|part| !is_passed(part));
    let headed = |(image, part): (&&Image, &Output)| match images.len() {
        1 => text(part),
        _ => format!("{}{}:\n{}", image.name, image.origin, text(part)),
    };
    let shown: Vec<String> =
        meant.iter().zip(&parts).filter(|(_, part)| !part.stdout.is_empty()).map(headed).collect();
    assert_eq!(text(&whole), shown.join("\n"), "{what}");
    let is_failure = |part: &&Output| part.status.code() == Some(1);
    // One of several that shows nothing has no answer, which is a fault only if none has one.
    let is_refused = |part: &Output| images.len() > 1 && is_failure(&part) && part.stdout.is_empty();
    let said = |part: &Output| {
        let said = messages(part);
        if is_refused(part) { said.replacen("error: ", "note: ", 1) } else { said }
    };
    let all_refuse = parts.iter().all(is_refused);
    let none =
        if all_refuse { format!("error: {name}: no cubin in it has an answer\n") } else { String::new() };
    assert_eq!(messages(&whole), parts.iter().map(said).collect::<String>() + &none, "{what}");
    let shown = || parts.iter().filter(|part| !is_refused(part));
    let is_query = command == "lines" && !options.is_empty();
    let fails =
        if is_query { shown().all(|part| is_failure(&part)) } else { shown().any(|part| is_failure(&part)) };
    assert_eq!(whole.status.code(), Some(i32::from(fails || all_refuse)), "{what}");

    let options = [options, &["--json"]].concat();
    let (whole, mut parts) = (run(command, name, &options), apart(&options));
    if is_query {
        parts.retain(|part| images.len() == 1 || part.status.code() != Some(1));
    }
    let whole = json(&whole);
    let found = whole["files"].as_array().unwrap();
    assert_eq!(found.len(), parts.len(), "{what}");
    for (found, part) in found.iter().zip(&parts) {
        assert_eq!(whole["schema"], json(part)["schema"], "{what}");
        assert_eq!(*found, json::only(part), "{what}");
    }
}

const COMMANDS: &[(&str, &[&str])] = &[
    ("lines", &[]),
    ("lines", &["saxpy+0x10"]),
    ("vars", &[]),
    ("dump", &["--section", ".debug_line"]),
    ("dump", &["--section", ".debug_frame"]),
    ("sections", &["--check"]),
    ("merc plan", &[]),
    ("merc self-check", &[]),
];

/// Commands with a document of their own around all files.
const OF_FILES: &[(&str, &[&str])] =
    &[("verify", &["--no-sources"]), ("coverage", &[]), ("coverage", &["--by", "file"])];

/// The same for these.
fn compare_of_files(command: &str, options: &[&str], file: &Path, images: &[Image]) {
    let name = file.to_str().unwrap();
    let name_of = |image: &Image| if images.len() == 1 { name.to_owned() } else { image.name.clone() };
    let apart = |options: &[&str]| -> Vec<Output> {
        images.iter().map(|image| alone(command, image, &name_of(image), options)).collect()
    };
    let (whole, parts) = (run(command, name, options), apart(options));
    assert_eq!(text(&whole), parts.iter().map(text).collect::<String>(), "{command} {name}");
    assert_eq!(messages(&whole), parts.iter().map(messages).collect::<String>(), "{command} {name}");
    assert!(parts.iter().all(|part| !part.stdout.is_empty()), "{command} {name}");
    let fails = parts.iter().any(|part| part.status.code() == Some(1));
    assert_eq!(whole.status.code(), Some(i32::from(fails)), "{command} {name}");
    let options = [options, &["--json"]].concat();
    let whole = json(&run(command, name, &options));
    let parts: Vec<Value> = apart(&options).iter().map(|part| json(part)["files"][0].clone()).collect();
    assert_eq!(*whole["files"].as_array().unwrap(), parts, "{command} {name}");
}

const MERCURY: &str = "-gencode arch=compute_100,code=sm_100 -gencode arch=compute_120a,code=sm_120a";
const ONE: &str = "-gencode arch=compute_90,code=[sm_90,compute_90]";

/// Architectures, options of nvcc, name of the output, cubins in it.
const MADE: &[(&str, &str, &str, usize)] = &[
    (ARCHES, "-fatbin --compress-mode=speed -Xfatbin -compress-all -lineinfo saxpy.cu", "two.fatbin", 2),
    (ONE, "-fatbin --compress-mode=none -G saxpy.cu", "one.fatbin", 1),
    (MERCURY, "-fatbin -lineinfo saxpy.cu", "mercury.fatbin", 2),
    (ARCHES, "-c -rdc=true -lineinfo saxpy.cu", "rdc.o", 2),
    (ARCHES, "-shared -cudart=none -Xcompiler -fPIC -lineinfo saxpy.cu block_sum.cu", "both.so", 4),
    (ARCHES, "-lib -rdc=true -G saxpy.cu block_sum.cu", "both.a", 4),
];

#[test]
fn each_command_on_each_kind_of_file() {
    let Some(tools) = Tools::find() else { return };
    let mut compared = 0;
    for (arches, args, output, count) in MADE {
        let file = tools.make(&format!("{arches} {args}"), output);
        let folder = tempfile::tempdir().unwrap();
        let images = extracted(&file, folder.path());
        assert_eq!(images.len(), *count, "{output}");
        for (command, options) in COMMANDS {
            compare(command, options, &file, &images);
            compared += 1;
        }
        for (command, options) in OF_FILES {
            compare_of_files(command, options, &file, &images);
            compared += 1;
        }
        for image in &images {
            let diff = run("diff", &image.name, &[&image.path]);
            assert_eq!(diff.status.code(), Some(0), "{}: {}{}", image.name, text(&diff), messages(&diff));
        }
    }
    let _ = writeln!(
        io::stderr(),
        "images: {compared} runs say of cubins in {} files what they say alone",
        MADE.len()
    );
}

/// The cubins of this fatbin are for SMs before sm_100.
#[test]
fn merc_needs_an_image_with_a_capsule() {
    let file = example("saxpy/saxpy.fatbin");
    for command in ["merc plan", "merc self-check"] {
        let output = run(command, file.to_str().unwrap(), &[]);
        let messages = messages(&output);
        assert_eq!(output.status.code(), Some(1), "{messages}");
        assert!(messages.contains("expected sm_100 or later"), "{messages}");
    }
}

/// Queries that no image answers, and such as one of two does: of the other there is a note, and in
/// JSON an error in its place. An image that cannot be read fails always.
#[test]
fn what_no_image_answers_fails() {
    let file = example("saxpy/saxpy.fatbin");
    let file = file.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.fatbin");
    let mut bytes = fs::read(file).unwrap();
    // The first entry's payload.
    let payload = 16 + u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
    bytes[payload..payload + 4].fill(0);
    fs::write(&damaged, bytes).unwrap();
    let status = |command: &str, file: &str, options: &[&str]| run(command, file, options).status.code();
    for (command, none, some) in [
        ("lines", &["nosuch+0x10"][..], &["fminf+0x0"][..]),
        ("lines", &["--function", "nosuch"], &["--function", "fminf"]),
        ("vars", &["--at", "nosuch+0x10"], &["--at", "fminf+0x0"]),
        ("vars", &["--function", "nosuch"], &["--function", "fminf"]),
        ("dump", &["--section", ".nosuch"], &["--section", ".debug_info"]),
        ("dump", &["--function", "nosuch"], &["--function", "fminf"]),
        ("dump", &["--offset", ".debug_line+0xffffff"], &["--offset", ".debug_info+0x0"]),
    ] {
        assert_eq!(status(command, file, none), Some(1), "{command} {none:?}");
        let output = run(command, file, some);
        assert_eq!(output.status.code(), Some(0), "{command} {some:?}: {}", messages(&output));
        // `lines` passes over an image that has nothing of what is asked.
        let is_silent = command == "lines";
        let (first, second) = (format!("{file}:sm_90:1"), format!("{file}:sm_75:2"));
        let is_noted = messages(&output).contains(&format!("note: {first}: "));
        assert_eq!(is_noted, !is_silent, "{command} {some:?}: {}", messages(&output));
        let document = json(&run(command, file, &[some, &["--json"]].concat()));
        let files = document["files"].as_array().unwrap();
        let found: Vec<_> =
            files.iter().map(|file| (file["file"].as_str().unwrap(), file["error"].is_string())).collect();
        let expected = [(&*first, true), (&*second, false)];
        assert_eq!(found, expected[usize::from(is_silent)..], "{command}");
        assert_eq!(status(command, damaged.to_str().unwrap(), some), Some(2), "{command}");
    }
}

#[test]
fn the_example_without_tools() {
    let file = example("saxpy/saxpy.fatbin");
    let folder = tempfile::tempdir().unwrap();
    let images = extracted(&file, folder.path());
    assert_eq!(images.len(), 2);
    for (command, options) in COMMANDS {
        compare(command, options, &file, &images);
    }
    for (command, options) in OF_FILES {
        compare_of_files(command, options, &file, &images);
    }
    compare(
        "lines",
        &[],
        &example("saxpy/saxpy.cubin"),
        &extracted(&example("saxpy/saxpy.cubin"), folder.path()),
    );
}

/// Cubins that are none: each is said under its name, up to 20, and all are in the document.
#[test]
fn faults_of_one_file_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let cubin = fs::read(example("saxpy/saxpy.cubin")).unwrap();
    let mut bytes = fatbin(&entry(90, PLAIN, &cubin, 0).repeat(23));
    let starts: Vec<usize> =
        bytes.windows(4).enumerate().filter(|w| w.1 == b"\x7fELF").map(|w| w.0).collect();
    for at in starts {
        // ELFCLASS64 is 2.
        bytes[at + 4] = 1;
    }
    let file = folder.path().join("many.fatbin");
    fs::write(&file, bytes).unwrap();
    let file = file.to_str().unwrap();
    for command in ["lines", "dump", "verify", "coverage"] {
        let output = run(command, file, &["--json"]);
        let said = messages(&output);
        let named = |number: u32| said.contains(&format!("error: {file}:sm_90:{number}: offset 0x0: "));
        assert!((1..=20).all(named) && !named(21), "{command}: {said}");
        assert!(said.ends_with(&format!("error: {file}: and 3 more\n")), "{command}: {said}");
        let document = json(&output);
        let all = document["files"].as_array().unwrap();
        assert_eq!(all.len(), 23, "{command}");
        let is_bare = |error: &Value| error.as_str().unwrap().starts_with("offset 0x0: ");
        assert!(all.iter().all(|element| is_bare(&element["error"])), "{command}: {document}");
        assert_eq!(all[22]["file"], format!("{file}:sm_90:23"), "{command}");
    }
}

#[test]
fn only_ptx_in_it() {
    let Some(tools) = Tools::find() else { return };
    let file = tools.make("-fatbin -arch=compute_90 -code=compute_90 saxpy.cu", "ptx.fatbin");
    let output = run("lines", file.to_str().unwrap(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        messages(&output).contains("no cubin in it, only PTX for sm_90; `ptxas-driver extract"),
        "{output:?}"
    );
}

/// nvlink puts an image without code into each program. It is not what a command for one cubin
/// means, misses no debug sections, and has nothing to be covered.
#[test]
fn an_image_without_code_is_not_meant() {
    let Some(ptxas) = tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("empty.ptx"), ".version 9.0\n.target sm_90\n.address_size 64\n").unwrap();
    let status = Command::new(&ptxas)
        .args(["-arch=sm_90", &path("empty.ptx"), "-o", &path("empty.cubin")])
        .status()
        .unwrap();
    assert!(status.success());
    let saxpy = example("saxpy/saxpy.cubin");
    let image = |file: &Path| {
        let cubin = fs::read(file).unwrap();
        entry(90, PLAIN, &cubin, 0)
    };
    let (empty, full) = (image(Path::new(&path("empty.cubin"))), image(&saxpy));
    let saxpy = saxpy.to_str().unwrap();
    for (name, entries) in [("first", [&*empty, &full]), ("last", [&full, &empty])] {
        let file = path(name);
        fs::write(&file, fatbin(&entries.concat())).unwrap();
        for meant in [file.clone(), format!("{file}:sm_90")] {
            let diff = run("diff", &meant, &[saxpy]);
            assert_eq!(diff.status.code(), Some(0), "{meant}: {}{}", text(&diff), messages(&diff));
        }
        for command in ["verify", "coverage", "lines"] {
            let output = run(command, &file, &[]);
            assert_eq!((output.status.code(), messages(&output)), (Some(0), String::new()), "{command}");
        }
        assert_eq!(text(&run("coverage", &file, &[])).matches("sm_90, ").count(), 1);
        let number = if name == "first" { 2 } else { 1 };
        let lines = text(&run("lines", &file, &["saxpy+0x10"]));
        assert!(lines.starts_with(&format!("{file}:sm_90:{number}:\n")), "{lines}");
    }
    let (two, none) = (path("two"), path("none"));
    fs::write(&two, fatbin(&[&*full, &empty, &full].concat())).unwrap();
    fs::write(&none, fatbin(&[&*empty, &empty].concat())).unwrap();
    for (file, count) in [(&two, 3), (&none, 2)] {
        let said = messages(&run("diff", file, &[saxpy]));
        assert!(said.contains(&format!("{count} cubins in it, expected one")), "{said}");
    }
}
