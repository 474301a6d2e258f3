//! Read commands on fatbins, host programs, objects, libraries and archives: what they say of the cubins inside is what
//! they say of the same cubins in files of their own, as `extract` writes them.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::json;
use crate::support::made::{ARCHES, Tools};
use nv_debug_sections::cubin::Cubin;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs a command with options on a file.
fn run(command: &str, file: &str, options: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    program.args(command.split(' ')).arg(file).args(options).stdin(Stdio::null()).output().unwrap()
}

fn example(name: &str) -> PathBuf {
    support::repository().join("examples").join(name)
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    json::document(output)
}

/// A cubin in a file: its name there, what a heading has behind it, and a file of its own.
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

    let (whole, parts) = (run(command, name, options), apart(options));
    let headed = |(image, part): (&Image, &Output)| match images.len() {
        1 => text(part),
        _ => format!("{}{}:\n{}", image.name, image.origin, text(part)),
    };
    let shown: Vec<String> =
        images.iter().zip(&parts).filter(|(_, part)| !part.stdout.is_empty()).map(headed).collect();
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
    let (whole, parts) = (run(command, name, &options), apart(&options));
    let whole = json(&whole);
    let found = whole["files"].as_array().unwrap();
    assert_eq!(found.len(), images.len(), "{what}");
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

#[test]
fn one_of_several_is_chosen() {
    let file = example("saxpy/saxpy.fatbin").display().to_string();
    for chosen in [":sm_75", ":2", ":sm_75:2"] {
        let name = format!("{file}{chosen}");
        let document = json::only(&run("lines", &name, &["--json"]));
        assert_eq!(document["sm"], 75);
        assert_eq!(document["file"], *name);
        let mut program = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        let stdin = Stdio::from(File::open(&file).unwrap());
        let piped =
            program.args(["lines", "--json", "--", &format!("-{chosen}")]).stdin(stdin).output().unwrap();
        let mut piped = json::only(&piped);
        assert_eq!(piped["file"], format!("<stdin>{chosen}"));
        piped["file"] = name.into();
        assert_eq!(piped, document);
    }
    // Of a cubin too, where a script does not know which it has.
    let cubin = example("saxpy/saxpy.cubin").display().to_string();
    assert!(run("sections", &format!("{cubin}:sm_90"), &[]).status.success());
    let (a, b) = (format!("{file}:sm_90"), format!("{file}:sm_75"));
    assert_eq!(run("diff", &a, &[&b, "--only", "code"]).status.code(), Some(1));
}

#[test]
fn what_cannot_be_chosen_is_said() {
    let file = example("saxpy/saxpy.fatbin").display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let there_are = format!("there are {file}:sm_90:1, {file}:sm_75:2");
    let host = env!("CARGO_BIN_EXE_ptxas-driver");
    let fatbin = fs::read(&file).unwrap();
    let half = write("half.fatbin", &fatbin[..fatbin.len() - 8]);
    let archive = write("empty.a", b"!<arch>\n");
    for (command, name, want) in [
        ("lines", format!("{file}:sm_80"), format!("{file}: no cubin for sm_80 in it; {there_are}")),
        ("dump", format!("{file}:sm_90:2"), format!("no cubin for sm_90 with number 2 in it; {there_are}")),
        // The third image is PTX.
        ("sections", format!("{file}:3"), format!("no cubin with number 3 in it; {there_are}")),
        ("lines", format!("{file}:0"), "images are numbered from 1".to_owned()),
        (
            "lines",
            format!("{file}:sm90"),
            "'sm90' names no image: expected an architecture such as".to_owned(),
        ),
        ("lines", format!("{file}.none:sm_90"), "No such file or directory".to_owned()),
        ("merc plan", host.to_owned(), "no GPU code: the ELF file has no section".to_owned()),
        ("merc self-check", archive, "no GPU code: no object of the archive has".to_owned()),
        ("strip", file.clone(), "a fatbin, expected a cubin; `ptxas-driver extract".to_owned()),
        (
            "merc clone",
            format!("{file}:sm_90"),
            "expected a cubin that is a file; `ptxas-driver extract".to_owned(),
        ),
    ] {
        let output = run(command, &name, &[]);
        assert_eq!((output.status.code(), &*text(&output)), (Some(2), ""), "{command} {name}");
        assert!(messages(&output).contains(&want), "{command} {name}: {}", messages(&output));
    }
    let diff = run("diff", &file, &[&file]);
    assert_eq!(diff.status.code(), Some(2));
    assert!(messages(&diff).contains(&format!("2 cubins in it, expected one; {there_are}")));
    // What is sound before and behind a fault is shown.
    for command in ["sections", "verify", "coverage"] {
        let output = run(command, &half, &["--json"]);
        let said = messages(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let document = json(&output);
        let images = document["files"].as_array().unwrap();
        assert!(images.len() >= 2, "{document}");
        let errors: Vec<&Value> = images.iter().filter(|image| image["error"].is_string()).collect();
        assert!(!errors.is_empty(), "{document}");
        // The faults are the file's own, their words are without the name, and the messages have both.
        for fault in errors {
            assert_eq!(fault["file"], *half, "{command}");
            let words = fault["error"].as_str().unwrap();
            assert!(words.starts_with("offset 0x"), "{command}: {words}");
            assert!(said.contains(&format!("error: {half}: {words}\n")), "{command}: {said}");
        }
    }
}

/// Cubins that are none: each is said under its name, up to 20, and all are in the document.
#[test]
fn faults_of_one_file_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let cubin = fs::read(example("saxpy/saxpy.cubin")).unwrap();
    let mut bytes = fatbin(&vec![cubin; 23]);
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

/// Forms of other tools have no headings: one array of JSON, one object a line, or names and places alone.
#[test]
fn forms_of_other_tools_of_several_images() {
    let file = example("saxpy/saxpy.fatbin").display().to_string();
    let lines = |style: &str, name: &str| text(&run("lines", name, &["--style", style, "saxpy+0x10"]));
    let each = |style| [1, 2].map(|number| lines(style, &format!("{file}:{number}")));
    for style in ["gnu", "llvm"] {
        assert_eq!(lines(style, &file), each(style).concat(), "{style}");
    }
    let array = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap();
    let mut want: Vec<Value> = each("json").iter().flat_map(|text| array(text)).collect();
    for (object, arch) in want.iter_mut().zip(["sm_90:1", "sm_75:2"]) {
        object["ModuleName"] = format!("{file}:{arch}").into();
    }
    assert_eq!(array(&lines("json", &file)), want);
    assert_eq!(want.len(), 2);
    let folder = tempfile::tempdir().unwrap();
    let queries = folder.path().join("queries");
    fs::write(&queries, "saxpy+0x10\nsaxpy+0x20\n").unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    program.args(["lines", &file, "--style", "json", "-"]).stdin(File::open(&queries).unwrap());
    let by_line = text(&program.output().unwrap());
    let objects: Vec<Value> = by_line.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 4, "{by_line}");
}

/// A fatbin (docs/containers.md) with cubins as they are.
fn fatbin(cubins: &[Vec<u8>]) -> Vec<u8> {
    let mut entries = Vec::new();
    for cubin in cubins {
        let sm = Cubin::parse(cubin).unwrap().header.sm();
        let padded = cubin.len().next_multiple_of(8);
        let mut header = [0; 64];
        header[..4].copy_from_slice(&[2, 0, 1, 1]);
        header[4..8].copy_from_slice(&64_u32.to_le_bytes());
        header[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        header[28..32].copy_from_slice(&sm.to_le_bytes());
        header[40] = 0x11;
        entries.extend_from_slice(&header);
        entries.extend_from_slice(cubin);
        entries.resize(entries.len() + padded - cubin.len(), 0);
    }
    let mut fatbin = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    fatbin.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    fatbin.extend_from_slice(&entries);
    fatbin
}

/// The rule, with two kernels in a file that are in one image each.
#[test]
fn a_query_fails_when_no_image_answers_it() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read(example(name)).unwrap();
    let file = folder.path().join("two.fatbin");
    fs::write(&file, fatbin(&[read("saxpy/saxpy.cubin"), read("block_sum/block_sum.cubin")])).unwrap();
    let samples = folder.path().join("pcs.csv");
    fs::write(&samples, "function,pc\nsaxpy,0x10\nblock_sum,0x10\n").unwrap();
    let file = file.to_str().unwrap();
    for (command, options, fails) in [
        ("lines", &["saxpy+0x10"][..], false),
        ("lines", &["saxpy+0x10", "block_sum+0x10"], false),
        ("lines", &["saxpy+0x10", "nobody+0x10"], true),
        ("lines", &["--style", "llvm", "block_sum+0x10", "saxpy+0x10"], false),
        ("lines", &["--at", "saxpy.cu:10"], false),
        ("lines", &["--at", "saxpy.cu:10", "--at", "nobody.cu:1"], true),
        ("lines", &["-f", "block_sum"], false),
        ("lines", &["-f", "nobody"], true),
        ("lines", &["--samples", samples.to_str().unwrap()], false),
        ("vars", &["-f", "saxpy"], false),
        ("vars", &["-f", "nobody"], true),
        ("vars", &["--at", "block_sum+0x10"], false),
        ("vars", &["--at", "saxpy+0x100000"], true),
        ("vars", &["nobody"], true),
        ("dump", &["-f", "saxpy"], false),
        ("dump", &["-f", "nobody"], true),
        ("dump", &["--section", ".nv.info.block_sum"], false),
        ("dump", &["--section", ".nobody"], true),
    ] {
        for more in [&[][..], &["--json"]] {
            if more == ["--json"] && options.contains(&"--style") {
                continue;
            }
            let output = run(command, file, &[options, more].concat());
            let messages = messages(&output);
            assert_eq!(output.status.code(), Some(i32::from(fails)), "{command} {options:?}: {messages}");
            assert!(fails || !messages.contains("error:"), "{command} {options:?}: {messages}");
            if !more.is_empty() {
                assert_eq!(json(&output)["files"].as_array().unwrap().len(), 2, "{command} {options:?}");
            }
        }
    }
}

#[test]
fn images_without_a_capsule_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let cubins = |name: &str| extracted(&example(name), folder.path());
    let old = fs::read(&cubins("saxpy/saxpy.fatbin")[0].path).unwrap();
    let Some(mercury) = support::corpus(|entry| entry.ok && entry.sm() >= 100 && entry.cubin.is_some())
        .and_then(|entries| entries.into_iter().find_map(|entry| entry.cubin))
    else {
        return;
    };
    let mercury = fs::read(mercury).unwrap();
    let file = folder.path().join("mixed.fatbin");
    for command in ["merc plan", "merc self-check"] {
        for (images, fails) in
            [(&[old.clone(), mercury.clone()][..], false), (&[old.clone(), old.clone()], true)]
        {
            fs::write(&file, fatbin(images)).unwrap();
            let output = run(command, file.to_str().unwrap(), &[]);
            let messages = messages(&output);
            assert_eq!(output.status.code(), Some(i32::from(fails)), "{command}: {messages}");
            assert!(messages.contains("note: ") && messages.contains("which has no capsule"), "{messages}");
            assert_eq!(messages.contains("error: "), fails, "{messages}");
        }
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
