//! `extract`: what it writes against cuobjdump, and what it costs. Its command line is in
//! `cli/extract.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver::example;
use crate::support::driver::messages as stderr;
use crate::support::driver::program;
use crate::support::fatbins::{BLOCK, PLAIN, ZSTD, entry, fatbin, zstd_frame};
use crate::support::json;
use crate::support::made::{ARCHES, Tools, files_in};
use serde_json::Value;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::{fs, io};

fn extract() -> Command {
    let mut command = program();
    command.arg("extract");
    command
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(command: &mut Command) -> Value {
    let document = json::document(&command.arg("--json").output().unwrap());
    assert_eq!(document["schema"], "nvdwarf.extract");
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
    assert_eq!(run.status.code(), Some(2));
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
    // The same IR in a fatbin, with zeros up to a multiple of 8: only what is compressed is
    // obfuscated.
    let ir = fs::read(tools.make("-ltoir -dlto -arch=sm_90 saxpy.cu", "saxpy.ltoir")).unwrap();
    let file = tools.make("-fatbin --compress-mode=none -rdc=true -arch=lto_90 saxpy.cu", "plain.fatbin");
    let folder = tempfile::tempdir().unwrap();
    let document = json(extract().arg(&file).arg("-o").arg(folder.path()));
    assert_eq!(document["files"][0]["images"][0]["ir"]["debug_version"], "3.2");
    let written = &files_in(folder.path())["plain.1.sm_90.ltoir"];
    assert!(written.len() < ir.len() + 8 && written.starts_with(&ir));
    assert!(written[ir.len()..].iter().all(|byte| *byte == 0));
}

/// The header that nvcc 13.0.88 writes for sm_90a (`nv-debug-sections/tests/nvvm.rs`), with other
/// versions of the debug metadata.
#[test]
fn debug_versions_of_ir_are_told_in_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ltoir");
    let header = b"\xed\x43\x4e\x7f\x01\x41\x02\x62\x03\x02\x07\x00\x18\x00\x01\x00\x2c\0\0\0\x30\0\0\0\
        \x01\x00\x84\x03\x02\x00\x02\x00\x20\x00\x01\x00\x63\0\0\0\0\0\0\0\x47\x27\x4d\x14";
    for (version, words) in [
        ([3, 0], None),
        ([3, 2], None),
        ([3, 3], Some("debug metadata 3.3 is newer than 3.2")),
        ([4, 0], Some("debug metadata 4.0 is not compatible with 3.2")),
        ([2, 2], Some("debug metadata 2.2 is not compatible with 3.2")),
    ] {
        let mut bytes = header.to_vec();
        bytes[8..10].copy_from_slice(&version);
        fs::write(&file, bytes).unwrap();
        let run = extract().arg(&file).output().unwrap();
        let note = words.map(|words| format!("note: {}: image 1: {words}\n", file.display()));
        assert_eq!((run.status.code(), stderr(&run)), (Some(0), note.unwrap_or_default()));
    }
}

/// Runs in so much address space.
#[cfg(target_os = "linux")]
fn within(kibibytes: u64, args: &[&std::ffi::OsStr]) -> Output {
    let script = format!("ulimit -v {kibibytes}; exec \"$0\" extract \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_ptxas-driver")]).args(args);
    command.output().unwrap()
}

/// The file, and an amount that no number of images changes.
#[cfg(target_os = "linux")]
#[test]
fn a_list_takes_no_memory_for_each_image() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.fatbin");
    let count = 300_000;
    fs::write(&file, fatbin(&entry(90, PLAIN, &[], 0).repeat(count))).unwrap();
    let room = 64 * count as u64 / 1024 + 40_000;
    for form in [&[][..], &["--json".as_ref()]] {
        let run = within(room, &[&[file.as_os_str()], form].concat());
        assert_eq!(run.status.code(), Some(2), "{}", stderr(&run));
        let lines = String::from_utf8_lossy(&run.stdout).lines().count();
        assert!(lines >= count, "{lines}: {}", stderr(&run));
        let message = stderr(&run);
        assert_eq!(message.lines().count(), 21);
        assert!(message.ends_with("many.fatbin: and 299980 more\n"), "{message}");
    }
}

/// Images of fatbinary whose headers claim 512 MiB, in less memory than that: the size is found to
/// be wrong before any is reserved. Of zstd the frame is damaged too, so that no data come.
#[cfg(target_os = "linux")]
#[test]
fn a_claimed_size_reserves_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("claim.fatbin"), folder.path().join("out"));
    let args = [file.as_os_str(), "--max-expansion=1000000".as_ref(), "-o".as_ref(), out.as_os_str()];
    for (name, is_damaged, message) in [
        ("saxpy/saxpy-lz4.fatbin", false, "it has 0x2280 bytes, its header says 0x20000000"),
        ("saxpy/saxpy.fatbin", true, "BadMagicNumber"),
    ] {
        let mut bytes = fs::read(example(name)).unwrap();
        // The first entry: the size of the uncompressed payload, and where the payload starts.
        bytes[16 + 56..16 + 64].copy_from_slice(&(512_u64 << 20).to_le_bytes());
        let payload = 16 + u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
        if is_damaged {
            bytes[payload..payload + 4].fill(0);
        }
        fs::write(&file, bytes).unwrap();
        let run = within(60_000, &args);
        assert!(stderr(&run).contains(message), "{name}: {}", stderr(&run));
    }
}

/// Twice what an image becomes, and an amount that no image changes.
#[cfg(target_os = "linux")]
#[test]
fn an_image_takes_twice_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("zeros.fatbin"), folder.path().join("out"));
    let blocks = 512;
    fs::write(&file, fatbin(&entry(90, ZSTD, &zstd_frame(&[], blocks), blocks * BLOCK))).unwrap();
    let run = extract().arg(&file).output().unwrap();
    assert!(stderr(&run).contains("more than 256 times as many"), "{}", stderr(&run));
    let args = [file.as_os_str(), "--max-expansion=40000".as_ref(), "-o".as_ref(), out.as_os_str()];
    let run = within((2 * blocks * BLOCK / 1024) as u64 + 40_000, &args);
    assert_eq!(files_in(&out).into_values().map(|bytes| bytes.len()).collect::<Vec<_>>(), [blocks * BLOCK]);
    assert!(stderr(&run).contains("image 1: in the cubin: offset 0x0: not a cubin"), "{}", stderr(&run));
}

/// What a list costs is bounded whatever is in the file.
#[test]
fn a_list_looks_into_64_mib() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.fatbin");
    let example = fs::read(example("saxpy/saxpy.fatbin")).unwrap();
    // Its first entry, a cubin of 8832 bytes with line information, again and again.
    let head = u32::from_le_bytes(example[20..24].try_into().unwrap()) as usize;
    let size = head + u64::from_le_bytes(example[24..32].try_into().unwrap()) as usize;
    let fits = (64 << 20) / 8832;
    fs::write(&file, fatbin(&example[16..16 + size].repeat(fits + 5))).unwrap();
    let document = json(extract().arg(&file));
    let images = document["files"][0]["images"].as_array().unwrap();
    let debug: Vec<_> = images.iter().map(|image| image["debug"].as_str()).collect();
    assert_eq!(debug.len(), fits + 5);
    assert!(debug[..fits].iter().all(|debug| *debug == Some("lineinfo")));
    assert!(debug[fits..].iter().all(Option::is_none));
    let last = stdout(&extract().arg(&file).args(["--index", &(fits + 5).to_string()]).output().unwrap());
    assert!(last.lines().last().is_some_and(|line| line.contains("lineinfo")), "{last}");
    // What the entry itself says of `-G` is known all the same.
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - size;
    bytes[last + 40] |= 2;
    fs::write(&file, bytes).unwrap();
    let document = json(extract().arg(&file));
    assert_eq!(document["files"][0]["images"][fits + 4]["debug"], "g");
}

/// A list sees damage in a cubin, also where the entry says `-G`, and none in text.
#[test]
fn a_list_decompresses_cubins_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.fatbin");
    let example = fs::read(example("saxpy/saxpy.fatbin")).unwrap();
    let number = |at: usize| u32::from_le_bytes(example[at..at + 4].try_into().unwrap()) as usize;
    // Two cubins and their PTX: where the entries start.
    let second = 16 + number(16 + 4) + number(16 + 8);
    let third = second + number(second + 4) + number(second + 8);
    for (entry, says_debug, status) in [(16, false, 2), (second, true, 2), (third, false, 0)] {
        let mut bytes = example.clone();
        let payload = entry + number(entry + 4);
        bytes[payload..payload + 4].fill(0);
        bytes[entry + 40] |= if says_debug { 2 } else { 0 };
        fs::write(&file, bytes).unwrap();
        let run = extract().arg(&file).output().unwrap();
        assert_eq!(run.status.code(), Some(status), "{}", stderr(&run));
    }
}

/// A reader that has seen enough of the names does not keep files from being written.
#[cfg(unix)]
#[test]
fn files_are_written_though_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.fatbin");
    let count = 3000;
    fs::write(&file, fatbin(&entry(90, PLAIN, &[], 0).repeat(count))).unwrap();
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
