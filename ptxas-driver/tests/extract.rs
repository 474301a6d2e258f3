//! `extract`: what it writes against cuobjdump, and its command line.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::made::{ARCHES, Tools, files_in};
use nv_debug_sections::cubin::Cubin;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, io};

fn extract() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    command.arg("extract").stdin(Stdio::null());
    command
}

fn example(name: &str) -> PathBuf {
    support::repository().join("examples").join(name)
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(command: &mut Command) -> Value {
    let document: Value = serde_json::from_str(&stdout(&command.arg("--json").output().unwrap())).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.extract".into(), &1.into()));
    document
}

/// Options of nvcc, name of the output, images in it.
const MADE: &[(&str, &str, usize)] = &[
    ("-fatbin saxpy.cu", "plain.fatbin", 3),
    ("-fatbin --compress-mode=none saxpy.cu", "none.fatbin", 3),
    ("-fatbin --compress-mode=speed saxpy.cu", "speed.fatbin", 3),
    ("-fatbin --compress-mode=balance saxpy.cu", "balance.fatbin", 3),
    ("-fatbin --compress-mode=size saxpy.cu", "size.fatbin", 3),
    ("-fatbin --compress-mode=speed -Xfatbin -compress-all saxpy.cu", "speed-all.fatbin", 3),
    ("-fatbin -lineinfo block_sum.cu", "lineinfo.fatbin", 3),
    ("-fatbin -G --compress-mode=none block_sum.cu", "debug.fatbin", 3),
    ("-fatbin -G --compress-mode=speed block_sum.cu", "debug-lz4.fatbin", 3),
    ("-fatbin -rdc=true -G -Xfatbin -ident=a/b.cu block_sum.cu", "ident.fatbin", 3),
    ("-c block_sum.cu", "whole.o", 3),
    ("-c -rdc=true -lineinfo saxpy.cu", "rdc.o", 3),
    ("-c -G -Xptxas --opt-level=0 saxpy.cu", "debug.o", 3),
    ("-shared -cudart=none -Xcompiler -fPIC -lineinfo saxpy.cu block_sum.cu", "both.so", 6),
    // Two sources in __nv_relfatbin, and in .nv_fatbin what the device linker made of them.
    ("-shared -rdc=true -Xcompiler -fPIC -lineinfo saxpy.cu block_sum.cu", "linked.so", 8),
    ("-lib saxpy.cu block_sum.cu", "both.a", 6),
    ("-lib -rdc=true -G saxpy.cu block_sum.cu", "both-debug.a", 6),
];

#[test]
fn images_are_those_of_cuobjdump() {
    let Some(tools) = Tools::find() else { return };
    let (mut files, mut images) = (0, 0);
    for (args, output, count) in MADE {
        let file = tools.make(&format!("{ARCHES} {args}"), output);
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join("made");
        let run = extract().arg(&file).arg("-o").arg(&ours).output().unwrap();
        assert_eq!(stdout(&run).lines().count(), *count, "{output}");
        let mut ours = files_in(&ours);
        assert_eq!(ours.len(), *count, "{output}");
        let theirs = [tools.dumped("-xelf", &file), tools.dumped("-xptx", &file)];
        for (name, bytes) in theirs.iter().flatten() {
            let own = ours.remove(name).unwrap_or_else(|| panic!("{output}: {name} is missing"));
            assert!(own == *bytes, "{output}: {name} differs");
            images += 1;
        }
        assert!(ours.is_empty(), "{output}: cuobjdump has no {:?}", ours.keys());
        files += 1;
    }
    let _ = writeln!(io::stderr(), "extract: {images} images of {files} files as cuobjdump has them");
}

// sm_100 and later have compatibility records in place of options; `a` and `f` are flags.
#[test]
fn later_architectures_and_lto_ir() {
    let Some(tools) = Tools::find() else { return };
    let arches = "-gencode arch=compute_90a,code=[sm_90a,compute_90a,lto_90a] -gencode arch=compute_103f,code=sm_103f \
                  -gencode arch=compute_120a,code=sm_120a";
    let file = tools.make(&format!("-fatbin -lineinfo {arches} saxpy.cu"), "arches.fatbin");
    let document = json(extract().arg(&file));
    let images = document["files"][0]["images"].as_array().unwrap();
    let of = |member: &str| images.iter().map(|image| image[member].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(of("kind"), ["cubin", "ptx", "ltoir", "cubin", "cubin"]);
    assert_eq!(of("arch"), ["sm_90a", "sm_90a", "sm_90a", "sm_103f", "sm_120a"]);
    assert_eq!(of("debug"), ["lineinfo"; 5]);
    let obfuscated = images.iter().filter(|image| image["obfuscated"] == true);
    assert!(obfuscated.map(|image| image["index"].as_u64().unwrap()).eq([3]));

    let folder = tempfile::tempdir().unwrap();
    let run = extract().arg(&file).arg("-o").arg(folder.path()).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("image 3: ") && stderr(&run).contains("obfuscated"), "{}", stderr(&run));
    let mut ours = files_in(folder.path());
    let theirs = [tools.dumped("-xelf", &file), tools.dumped("-xptx", &file)];
    assert_eq!(ours.len(), 4);
    // One name is not cuobjdump's, as --help says.
    for (name, bytes) in theirs.iter().flatten() {
        let name = if name == "saxpy.sm_103.cubin" { "saxpy.sm_103f.cubin" } else { name };
        assert!(ours.remove(name).is_some_and(|own| own == *bytes), "{name}");
    }
    assert!(ours.is_empty(), "{:?}", ours.keys());
}

#[test]
fn the_ir_header_of_an_ltoir_file() {
    let Some(tools) = Tools::find() else { return };
    for (arch, llvm) in [("sm_75", "7.0"), ("sm_90a", "7.0"), ("sm_100", "20.0"), ("sm_121", "20.0")] {
        let file = tools.make(&format!("-ltoir -dlto -arch={arch} saxpy.cu"), "saxpy.ltoir");
        let document = json(extract().arg(&file));
        let image = &document["files"][0]["images"][0];
        assert_eq!((&image["kind"], &image["arch"]), (&"ltoir".into(), &arch.into()));
        let versions = ["container_version", "ir_version", "debug_version", "llvm_version"];
        let versions = versions.map(|member| image["ir"][member].as_str().unwrap());
        assert_eq!(versions, ["1.65", "2.98", "3.2", llvm]);
    }
    // The same IR in a fatbin, with zeros up to a multiple of 8: only what is compressed is obfuscated.
    let ir = fs::read(tools.make("-ltoir -dlto -arch=sm_90 saxpy.cu", "saxpy.ltoir")).unwrap();
    let file = tools.make("-fatbin --compress-mode=none -rdc=true -arch=lto_90 saxpy.cu", "plain.fatbin");
    let folder = tempfile::tempdir().unwrap();
    let document = json(extract().arg(&file).arg("-o").arg(folder.path()));
    assert_eq!(document["files"][0]["images"][0]["ir"]["debug_version"], "3.2");
    let written = &files_in(folder.path())["plain.1.sm_90.ltoir"];
    assert!(written.len() < ir.len() + 8 && written.starts_with(&ir));
    assert!(written[ir.len()..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_list_and_selections() {
    let file = example("saxpy/saxpy.fatbin");
    let list = stdout(&extract().arg(&file).output().unwrap());
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 5, "{list}");
    assert_eq!(lines[2][..4], ["1", "cubin", "sm_90", "8832"]);
    assert_eq!(lines[3][5..], ["zstd", "g", "saxpy.cu", "+0xa58"]);
    assert_eq!(lines[4][8..], ["+0x1b88", "--generate-line-info"]);

    for (args, want) in [
        (&["--arch", "sm_90"][..], &[1, 3][..]),
        (&["--kind", "cubin"], &[1, 2]),
        (&["--kind", "ptx", "--kind", "cubin", "--arch", "sm_75"], &[2]),
        (&["--index", "3", "--index", "1"], &[1, 3]),
    ] {
        let document = json(extract().arg(&file).args(args));
        let images = document["files"][0]["images"].as_array().unwrap();
        let indices: Vec<_> = images.iter().map(|image| image["index"].as_u64().unwrap()).collect();
        assert_eq!((indices.as_slice(), &document["files"][0]["count"]), (want, &3.into()), "{args:?}");
    }
    for args in [["--arch", "sm_80"], ["--index", "4"], ["--kind", "ltoir"]] {
        let run = extract().arg(&file).args(args).output().unwrap();
        assert_eq!(run.status.code(), Some(1));
        assert!(stderr(&run).contains("none of its 3 images is selected"), "{}", stderr(&run));
    }
    for args in [["--arch", "90"], ["--arch", "sm_x"], ["--index", "0"], ["--kind", "sass"]] {
        assert_eq!(extract().arg(&file).args(args).output().unwrap().status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn no_name_is_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let file = example("saxpy/saxpy.fatbin");
    let other = example("saxpy/saxpy-lz4.fatbin");
    let out = folder.path().join("new/folder");
    let run = extract().args([&file, &other, &file]).arg("-o").arg(&out).output().unwrap();
    let paths: Vec<PathBuf> = stdout(&run).lines().map(PathBuf::from).collect();
    let files = files_in(&out);
    assert_eq!((paths.len(), files.len()), (8, 8));
    let first = ["saxpy.sm_90.cubin", "saxpy.sm_75.cubin", "saxpy.sm_90.ptx"];
    assert!(first.iter().zip(&paths).all(|(name, path)| *path == out.join(name)), "{paths:?}");
    assert!(files["saxpy.sm_90.cubin"] == fs::read(example("saxpy/saxpy.cubin")).unwrap());
    assert!(files["saxpy.1.sm_90.cubin"] == files["saxpy.sm_90.cubin"]);
    // Never over the file that is read, under whatever name.
    let input = out.join("saxpy.sm_75.cubin");
    fs::copy(&file, &input).unwrap();
    let run = extract().arg(&input).arg("-o").arg(out.join("../folder")).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("it would replace"), "{}", stderr(&run));
    assert!(fs::read(&input).unwrap() == fs::read(&file).unwrap());
    // Once more, over its own files.
    assert!(extract().arg(&file).arg("-o").arg(&out).output().unwrap().status.success());
    assert_eq!(files_in(&out).len(), 8);
}

#[test]
fn standard_input_and_single_images() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = extract();
    command.args(["-", "-o"]).arg(folder.path()).stdin(fs::File::open(example("saxpy/saxpy.cubin")).unwrap());
    let run = command.output().unwrap();
    assert_eq!(stdout(&run).trim(), folder.path().join("stdin.1.sm_90.cubin").display().to_string());
    assert_eq!(
        files_in(folder.path())["stdin.1.sm_90.cubin"],
        fs::read(example("saxpy/saxpy.cubin")).unwrap()
    );
    let list = stdout(&extract().arg(example("saxpy/saxpy-debug.cubin")).output().unwrap());
    assert!(list.contains("cubin  sm_75") && list.contains("  g "), "{list}");
    assert!(
        stdout(&extract().arg(example("saxpy/saxpy.ptx")).output().unwrap()).contains("PTX text, 1 image")
    );
}

#[test]
fn files_without_gpu_code() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let fatbin = fs::read(example("saxpy/saxpy.fatbin")).unwrap();
    let mut damaged = fatbin.clone();
    damaged[200..400].fill(0x55);
    for (path, want) in [
        (write("empty", b""), "the file is empty"),
        (write("text", b"hello\n"), "neither ELF, nor a fatbin"),
        (write("cut", &fatbin[..fatbin.len() - 1]), "offset 0x8: fatSize is"),
        (write("damaged", &damaged), "image 1: offset 0x10: the zstd data cannot be decompressed"),
        (write("header", &fatbin[..16]), "fatSize"),
        (write("archive", b"!<arch>\n"), "no object of the archive"),
        (PathBuf::from(env!("CARGO_BIN_EXE_ptxas-driver")), "has no section .nv_fatbin"),
        (folder.path().to_path_buf(), "a folder, expected"),
        (folder.path().join("missing"), "No such file"),
    ] {
        let run = extract().arg(&path).output().unwrap();
        assert_eq!(run.status.code(), Some(1), "{}", path.display());
        let message = stderr(&run);
        assert!(message.starts_with("error: ") && message.contains(want), "{message}");
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
        let document = extract().arg(&path).arg("--json").output().unwrap();
        let document: Value = serde_json::from_slice(&document.stdout).unwrap();
        let file = &document["files"][0];
        let error = file["errors"][0].as_str().or(file["images"][0]["error"].as_str()).unwrap();
        assert!(message.contains(error), "{error}");
    }
    // What is wrong with one file does not keep the next from being read.
    let run = extract().arg(folder.path().join("text")).arg(example("saxpy/saxpy.fatbin")).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stdout).contains("3 images"));
    // A folder that cannot be made.
    let run =
        extract().arg(example("saxpy/saxpy.fatbin")).arg("-o").arg(folder.path().join("text/x")).output();
    let run = run.unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("could not be made"), "{}", stderr(&run));
}

/// The header of an entry of a fatbin, a cubin without bytes.
fn empty_entry(flags: u64, stored: u32, size: u64) -> Vec<u8> {
    let words = [
        2_u64 | 0x101 << 16 | 64 << 32,
        stored.into(),
        stored.into(),
        8 | 1 << 16 | 90 << 32,
        0,
        flags,
        0,
        size,
    ];
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn fatbin_of(entries: &[u8]) -> Vec<u8> {
    let header = [0xba55_ed50_u64 | 1 << 32 | 16 << 48, entries.len() as u64];
    [header.map(u64::to_le_bytes).as_flattened(), entries].concat()
}

/// Runs in so much address space.
#[cfg(target_os = "linux")]
fn within(kibibytes: u64, args: &[&std::ffi::OsStr]) -> Output {
    let script = format!("ulimit -v {kibibytes}; exec \"$0\" extract \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_ptxas-driver")]).args(args).stdin(Stdio::null());
    command.output().unwrap()
}

/// The file, and an amount that no number of images changes.
#[cfg(target_os = "linux")]
#[test]
fn a_list_takes_no_memory_for_each_image() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.fatbin");
    let count = 300_000;
    fs::write(&file, fatbin_of(&empty_entry(0x11, 0, 0).repeat(count))).unwrap();
    let room = 64 * count as u64 / 1024 + 40_000;
    for form in [&[][..], &["--json".as_ref()]] {
        let run = within(room, &[&[file.as_os_str()], form].concat());
        assert_eq!(run.status.code(), Some(1), "{}", stderr(&run));
        let lines = String::from_utf8_lossy(&run.stdout).lines().count();
        assert!(lines >= count, "{lines}: {}", stderr(&run));
        let message = stderr(&run);
        assert_eq!(message.lines().count(), 21);
        assert!(message.ends_with("many.fatbin: and 299980 more\n"), "{message}");
    }
}

/// Twice what an image becomes, and an amount that no image changes.
#[cfg(target_os = "linux")]
#[test]
fn an_image_takes_twice_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("zeros.fatbin"), folder.path().join("out"));
    // A zstd frame of one segment that repeats a byte 128 KiB at a time (RFC 8878 3.1.1).
    let blocks = 512_u64;
    let mut frame = b"\x28\xb5\x2f\xfd\xe0".to_vec();
    frame.extend((blocks << 17).to_le_bytes());
    for block in 1..=blocks {
        let header = 1_u32 << 20 | 1 << 1 | u32::from(block == blocks);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame.resize(frame.len().next_multiple_of(8), 0);
    let entry = [empty_entry(0x8011, frame.len() as u32, blocks << 17), frame].concat();
    fs::write(&file, fatbin_of(&entry)).unwrap();
    let run = extract().arg(&file).output().unwrap();
    assert!(stderr(&run).contains("more than 256 times as many"), "{}", stderr(&run));
    let args = [file.as_os_str(), "--max-expansion=40000".as_ref(), "-o".as_ref(), out.as_os_str()];
    let run = within(2 * (blocks << 7) + 40_000, &args);
    assert_eq!(
        files_in(&out).into_values().map(|bytes| bytes.len() as u64).collect::<Vec<_>>(),
        [blocks << 17]
    );
    assert!(stderr(&run).contains("image 1: in the cubin: offset 0x0: not a cubin"), "{}", stderr(&run));
}

/// What a list costs is bounded whatever is in the file.
/// The level is that of `sections`; PTX in a file of its own says nothing of what it is compiled with.
#[test]
fn debug_information_of_files() {
    let data = fs::read(example("saxpy/saxpy-debug.cubin")).unwrap();
    let mut cubin = Cubin::parse(&data).unwrap();
    // As `-g` leaves a PTX without sections of its own.
    cubin.remove_debug_sections(|name| name.starts_with(".nv_debug") || name == ".debug_line").unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, cubin.write().unwrap()).unwrap();
    let debug = |file: &Path| json(extract().arg(file))["files"][0]["images"][0]["debug"].clone();
    assert_eq!(debug(file.path()), "g");
    assert_eq!(debug(&example("saxpy/saxpy.cubin")), "lineinfo");
    assert_eq!(debug(&example("saxpy/saxpy-debug.ptx")), Value::Null);
}

#[test]
fn a_list_looks_into_64_mib() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.fatbin");
    let example = fs::read(example("saxpy/saxpy.fatbin")).unwrap();
    // Its first entry, a cubin of 8832 bytes with line information, again and again.
    let head = u32::from_le_bytes(example[20..24].try_into().unwrap()) as usize;
    let size = head + u64::from_le_bytes(example[24..32].try_into().unwrap()) as usize;
    let fits = (64 << 20) / 8832;
    fs::write(&file, fatbin_of(&example[16..16 + size].repeat(fits + 5))).unwrap();
    let document = json(extract().arg(&file));
    let images = document["files"][0]["images"].as_array().unwrap();
    let debug: Vec<_> = images.iter().map(|image| image["debug"].as_str()).collect();
    assert_eq!(debug.len(), fits + 5);
    assert!(debug[..fits].iter().all(|debug| *debug == Some("lineinfo")));
    assert!(debug[fits..].iter().all(Option::is_none));
    let last = stdout(&extract().arg(&file).args(["--index", &(fits + 5).to_string()]).output().unwrap());
    assert!(last.lines().last().is_some_and(|line| line.contains("lineinfo")), "{last}");
}

#[test]
fn one_member_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let fatbin = fs::read(example("saxpy/saxpy.fatbin")).unwrap();
    let cubin = fs::read(example("saxpy/saxpy.cubin")).unwrap();
    let mut library = b"!<arch>\n".to_vec();
    for (name, bytes) in [("a.fatbin/", &fatbin[..]), ("bad.o/", b"\x7fELF\x02\x01  "), ("k.cubin/", &cubin)]
    {
        library.extend(format!("{name:<16}{:<32}{:<10}`\n", 0, bytes.len()).bytes());
        library.extend(bytes);
    }
    let file = folder.path().join("lib.a");
    fs::write(&file, library).unwrap();
    let run = extract().arg(&file).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stdout).contains("lib.a: archive, 4 images\n"));
    assert!(stderr(&run).contains("lib.a: bad.o+0x8: the data ends inside e_shoff\n"), "{}", stderr(&run));
    let run = extract().arg(&file).arg("--json").output().unwrap();
    let document: Value = serde_json::from_slice(&run.stdout).unwrap();
    let images = document["files"][0]["images"].as_array().unwrap();
    assert_eq!((images.len(), &images[3]["member"]), (4, &"k.cubin".into()));
    assert_eq!(document["files"][0]["errors"].as_array().unwrap().len(), 1);
}

/// A reader that has seen enough of the names does not keep files from being written.
#[cfg(unix)]
#[test]
fn files_are_written_though_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.fatbin");
    let count = 3000;
    fs::write(&file, fatbin_of(&empty_entry(0x11, 0, 0).repeat(count))).unwrap();
    for form in [&[][..], &["--json"]] {
        let out = folder.path().join(format!("out{}", form.len()));
        let mut command = extract();
        command.arg(&file).arg("-o").arg(&out).args(form).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        child.wait().unwrap();
        assert_eq!(files_in(&out).len(), count);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (form, count) in [(&[][..], 0), (&["--json".as_ref()], 0), (&["-o".as_ref(), out.as_os_str()], 3)] {
        let mut command = extract();
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = command.arg(example("saxpy/saxpy.fatbin")).args(form).stdout(full).output().unwrap();
        assert_eq!(run.status.code(), Some(1));
        let want = "error: Standard output could not be written: No space left on device";
        assert!(stderr(&run).starts_with(want), "{}", stderr(&run));
        assert_eq!(if out.is_dir() { files_in(&out).len() } else { 0 }, count);
    }
}

#[test]
fn words_for_a_wrong_command_line() {
    for (args, want) in [
        (["--index", "0"], "images are numbered from 1, as in the list"),
        (["--index", "x"], "expected the number of an image in the list, from 1"),
        (["--arch", "90"], "expected sm_ and a number"),
        (["--max-expansion", "0"], "0 is not in 1.."),
    ] {
        let run = extract().arg(example("saxpy/saxpy.fatbin")).args(args).output().unwrap();
        assert_eq!(run.status.code(), Some(2));
        assert!(stderr(&run).contains(want), "{}", stderr(&run));
    }
}

#[test]
fn other_commands_point_here() {
    let file = example("saxpy/saxpy.fatbin");
    let run = Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).arg("strip").arg(&file).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("ptxas-driver extract"), "{}", stderr(&run));
}
