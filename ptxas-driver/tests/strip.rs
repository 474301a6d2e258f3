//! `strip`: what is left still works, the side file answers as before, and the command line bears mistakes.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::driver::{example, messages, names_in};
use crate::support::{Entry, oracle};
use nv_debug_sections::cubin::{Contents, Cubin, DebugSection, Function, debug_only};
use nv_debug_sections::release::Release;
use serde_json::Value;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};
use tempfile::TempDir;

/// Runs the driver in a folder, so that outputs name no path.
fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).current_dir(folder).args(args).output().unwrap()
}

/// What a successful run prints.
fn ok(folder: &Path, args: &[&str]) -> Vec<u8> {
    let output = run(folder, args);
    assert!(output.status.success(), "{args:?}: {}", messages(&output));
    output.stdout
}

/// A folder with `k.cubin`.
fn folder_with(cubin: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(cubin, folder.path().join("k.cubin")).unwrap();
    make_writable(&folder.path().join("k.cubin"));
    folder
}

/// The corpus may be read-only, and copies keep that.
fn make_writable(path: &Path) {
    fs::write(path.with_extension("copy"), fs::read(path).unwrap()).unwrap();
    fs::rename(path.with_extension("copy"), path).unwrap();
}

/// Entries with a cubin: one of each architecture, mode and producer, smallest first; all with `NVDWARF_ALL=1`.
fn sample(filter: impl Fn(&Entry) -> bool) -> Option<Vec<Entry>> {
    let mut entries = support::corpus(|entry| entry.cubin.is_some() && filter(entry))?;
    if env::var_os("NVDWARF_ALL").is_none() {
        entries.sort_by_key(|entry| fs::metadata(entry.cubin.as_ref().unwrap()).unwrap().len());
        let mut seen = HashSet::new();
        entries.retain(|entry| {
            let by_mode = seen.insert(format!("{} {}", entry.arch, entry.mode));
            seen.insert(format!("{} {}", entry.arch, entry.producer)) || by_mode
        });
    }
    Some(entries)
}

/// File and line of each instruction, and its section, of a listing in JSON.
fn innermost(listing: &Output) -> Vec<(String, u64, String, u64)> {
    let listing: Value = serde_json::from_slice(&listing.stdout).unwrap();
    let mut all = Vec::new();
    for section in listing["sections"].as_array().unwrap() {
        for range in section["ranges"].as_array().unwrap() {
            let Some(frame) = range["frames"].get(0) else { continue };
            let place = (frame["file"].to_string(), frame["line"].as_u64().unwrap());
            let (start, end) = (range["start"].as_u64().unwrap(), range["end"].as_u64().unwrap());
            let offsets = (start..end).step_by(16);
            all.extend(offsets.map(|at| (section["section"].to_string(), at, place.0.clone(), place.1)));
        }
    }
    all
}

#[test]
fn with_the_side_file_answers_are_as_before() {
    let Some(entries) = sample(|_| true) else { return };
    let (mut compared, mut with_lines, mut with_calls) = (0, 0, 0);
    for entry in &entries {
        let (before, after) = (folder_with(entry.cubin.as_ref().unwrap()), tempfile::tempdir().unwrap());
        let (before, after) = (before.path(), after.path());
        let input = before.join("k.cubin");
        let output = after.join("k.cubin");
        let (input, output) = (input.to_str().unwrap(), output.to_str().unwrap());
        let split = run(before, &["strip", input, "-o", output, "--split", "k.debug"]);
        if !split.status.success() {
            // As ptxas writes them where there is no function.
            assert!(messages(&split).contains("no debug sections"), "{}: {}", entry.name(), messages(&split));
            continue;
        }
        fs::rename(before.join("k.debug"), after.join("k.debug")).unwrap();
        for (command, options) in [
            ("lines", ["--all", "--json"]),
            ("lines", ["--all", "--all"]),
            ("dump", ["--json", "--json"]),
            ("coverage", ["--json", "--json"]),
            ("verify", ["--json", "--json"]),
        ] {
            let options = if options[0] == options[1] { &options[..1] } else { &options[..] };
            let expected = run(before, &[&[command, "k.cubin"], options].concat());
            let found = run(after, &[&[command, "k.cubin", "--debug-file", "k.debug"], options].concat());
            let place = || format!("{} {command} {options:?}", entry.name());
            assert!(expected.stdout == found.stdout, "{}", place());
            assert_eq!(expected.status, found.status, "{}", place());
            assert_eq!(messages(&expected), messages(&found), "{}", place());
            compared += 1;
        }
        // The lines alone; calls that only entries know go with these.
        let listing =
            |folder: &Path| ["--all", "--json"].map(|option| run(folder, &["lines", option, "k.cubin"]));
        let [expected, expected_json] = listing(before);
        ok(after, &["strip", "--keep", "lines", input, "-o", "k.cubin"]);
        let [found, found_json] = listing(after);
        if String::from_utf8_lossy(&expected_json.stdout).contains("\"by_entry\"") {
            let (expected, found) = (innermost(&expected_json), innermost(&found_json));
            assert_eq!(expected, found, "{} --keep lines", entry.name());
            with_calls += 1;
        } else {
            assert!(expected.stdout == found.stdout, "{} --keep lines", entry.name());
        }
        with_lines += usize::from(!expected.stdout.is_empty());
        // The rest can go later, and the side file is still the right one.
        ok(after, &["strip", "k.cubin"]);
        assert!(fs::read(output).unwrap() == stripped(input));
    }
    println!(
        "{compared} outputs of {} cubins with --debug-file as before; {with_lines} listings with --keep lines, of {with_calls} without the calls of entries",
        entries.len()
    );
    assert!(compared > 50 && with_lines > 20 && with_calls < with_lines / 2);
}

/// With each thing to keep: `sections` knows what was stripped and finds nothing wrong, knows a side file, and with it sees what
/// it saw before. All cubins of the corpus with `NVDWARF_ALL=1`; all are in `nv-debug-sections/tests/levels.rs`.
#[test]
fn sections_knows_stripped_cubins_and_side_files() {
    let Some(entries) = sample(|_| true) else { return };
    let sections = |folder: &Path, args: &[&str]| -> Value {
        let output = ok(folder, &[&["sections", "--check", "--json"], args].concat());
        serde_json::from_slice(&output).unwrap()
    };
    let (mut files, mut stripped) = (0, 0);
    for entry in &entries {
        let folder = folder_with(entry.cubin.as_ref().unwrap());
        let folder = folder.path();
        let before = sections(folder, &["k.cubin"]);
        for keep in ["lines", "none"] {
            ok(folder, &["strip", "--keep", keep, "k.cubin", "-o", "out.cubin", "--split", "k.debug"]);
            let after = sections(folder, &["out.cubin"]);
            let count = |document: &Value| document["sections"].as_array().unwrap().len();
            let removes = count(&after) < count(&before);
            let place = || format!("{} --keep {keep}", entry.name());
            assert!(removes || after["stripped"] == false, "{}", place());
            assert_eq!(before["stripped"], false, "{}", place());
            if keep == "none" {
                let left = after["sections"].as_array().unwrap();
                assert!(left.iter().all(|section| section["name"] == ".nv_debug.shared"), "{}", place());
                assert_eq!((&after["stripped"], &after["level"]), (&true.into(), &"frame".into()));
            }
            let side = sections(folder, &["k.debug"]);
            assert_eq!((&side["side_file"], &before["side_file"]), (&true.into(), &false.into()));
            let joined = sections(folder, &["out.cubin", "--debug-file", "k.debug"]);
            assert_eq!(joined["debug_file"], "k.debug");
            for member in ["output", "level", "level_shown_by", "writer", "stripped"] {
                assert_eq!(side[member], before[member], "{} {member}", place());
                assert_eq!(joined[member], before[member], "{} {member}", place());
            }
            let list = |document: &Value| {
                let all = document["sections"].as_array().unwrap().iter();
                all.map(|section| (section["name"].clone(), section["size"].clone())).collect::<Vec<_>>()
            };
            assert!(list(&side) == list(&before) && list(&joined) == list(&before), "{}", place());
            files += 3;
            stripped += usize::from(after["stripped"] == true);
        }
    }
    println!("sections: {files} files of {} cubins, {stripped} of them stripped: none wrong", entries.len());
    assert!(entries.len() > 50 && stripped > entries.len());
}

/// What the library makes of a file.
fn stripped(path: &str) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let mut cubin = Cubin::parse(&bytes).unwrap();
    cubin.remove_debug_sections(|_| false).unwrap();
    cubin.write().unwrap()
}

fn tool(path: &Path, options: &[&str], folder: &Path, file: &str) -> Output {
    Command::new(path).current_dir(folder).args(options).arg(file).output().unwrap()
}

/// cuobjdump's listing of the code.
fn sass(cuobjdump: &Path, folder: &Path, file: &str) -> Vec<u8> {
    let output = tool(cuobjdump, &["-sass"], folder, file);
    assert!(output.status.success(), "cuobjdump -sass: {}", messages(&output));
    output.stdout
}

/// The smallest of each architecture with full debug information; all cubins of the corpus with `NVDWARF_ALL=1`. What the
/// library makes of the others is shown to the tools in `nv-debug-sections/tests/cubin_edit.rs`.
#[test]
fn nvdisasm_and_cuobjdump_read_what_is_left() {
    let (Some(nvdisasm), Some(cuobjdump)) = (oracle::tool("nvdisasm"), oracle::tool("cuobjdump")) else {
        return;
    };
    let all = env::var_os("NVDWARF_ALL").is_some();
    let Some(mut entries) = sample(|entry| all || ["G", "debug"].contains(&&*entry.mode)) else { return };
    let mut seen = HashSet::new();
    entries.retain(|entry| seen.insert(entry.arch.clone()) || all);
    let (mut code, mut lines) = (0, 0);
    for entry in &entries {
        let folder = folder_with(entry.cubin.as_ref().unwrap());
        let folder = folder.path();
        let name = entry.name();
        let before = sass(&cuobjdump, folder, "k.cubin");
        ok(folder, &["strip", "--keep", "lines", "k.cubin", "-o", "lines.cubin"]);
        let read = |options: &[&str], file: &str| tool(&nvdisasm, options, folder, file);
        if read(&["-c", "-g"], "k.cubin").status.success() {
            let listing = read(&["-c", "-g"], "lines.cubin");
            assert!(listing.status.success(), "{name} nvdisasm -g: {}", messages(&listing));
            lines += 1;
        }
        ok(folder, &["strip", "k.cubin"]);
        let listing = read(&[], "k.cubin");
        assert!(listing.status.success(), "{name} nvdisasm: {}", messages(&listing));
        let elf = tool(&cuobjdump, &["-elf"], folder, "k.cubin");
        assert!(elf.status.success(), "{name} cuobjdump -elf: {}", messages(&elf));
        for file in ["k.cubin", "lines.cubin"] {
            assert!(sass(&cuobjdump, folder, file) == before, "{name} {file}: other code");
        }
        code += 1;
    }
    println!(
        "{code} stripped cubins read by nvdisasm and cuobjdump, the code as before; {lines} with their lines"
    );
    assert!(code > 4 && lines > 4);
}

#[test]
fn nvlink_links_stripped_objects() {
    let (Some(nvlink), Some(cuobjdump)) = (oracle::tool("nvlink"), oracle::tool("cuobjdump")) else { return };
    let relocatable = |entry: &Entry| {
        entry.mode.contains("rdc")
            && entry.cubin.as_ref().is_some_and(|path| {
                let bytes = fs::read(path).unwrap();
                Cubin::parse(&bytes).unwrap().header.is_relocatable()
            })
    };
    let Some(entries) = support::corpus(relocatable) else { return };
    // All units of a program, which need each other.
    let mut programs: Vec<(String, Vec<&Entry>)> = Vec::new();
    for entry in &entries {
        let key = [&*entry.producer, &entry.program, &entry.arch, &entry.mode].join("/");
        match programs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, units)) => units.push(entry),
            None => programs.push((key, vec![entry])),
        }
    }
    let mut linked = 0;
    for (name, units) in &programs {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let link = |output: &str| {
            let arch = format!("-arch={}", units[0].arch);
            let objects = (0..units.len()).map(|number| format!("{number}.cubin"));
            Command::new(&nvlink)
                .current_dir(folder)
                .arg(arch)
                .args(objects)
                .args(["-o", output])
                .output()
                .unwrap()
        };
        for (number, unit) in units.iter().enumerate() {
            let path = folder.join(format!("{number}.cubin"));
            fs::write(path, fs::read(unit.cubin.as_ref().unwrap()).unwrap()).unwrap();
        }
        if !link("before.cubin").status.success() {
            continue; // a part of a program
        }
        for number in 0..units.len() {
            ok(folder, &["strip", &format!("{number}.cubin")]);
        }
        let after = link("after.cubin");
        assert!(after.status.success(), "{name}: {}", messages(&after));
        let code = |file: &str| sass(&cuobjdump, folder, file);
        assert!(code("before.cubin") == code("after.cubin"), "{name}: other code");
        linked += 1;
    }
    println!("{linked} of {} programs linked from stripped objects, the code as before", programs.len());
    assert!(linked > 0);
}

/// Makes `k.cubin` of a case of `../shared/bugs`.
fn assemble(ptxas: &Path, shared: &Path, case: &str, options: &[&str], folder: &Path) {
    let input = shared.join("bugs").join(case).join("input.ptx");
    let mut command = Command::new(ptxas);
    let done = command.current_dir(folder).args(options).arg(input).args(["-o", "k.cubin"]).output().unwrap();
    assert!(done.status.success(), "{}", messages(&done));
}

/// `../shared/bugs/48-*`.
#[test]
fn the_reported_case() {
    let (Some(ptxas), Some(nvdisasm)) = (oracle::tool("ptxas"), oracle::tool("nvdisasm")) else { return };
    let Some(shared) = support::shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for arch in ["sm_90", "sm_100", "sm_120"] {
        let options = [&*format!("-arch={arch}"), "-lineinfo"];
        assemble(&ptxas, &shared, "48-strip-device-debug", &options, folder);
        let original = fs::read(folder.join("k.cubin")).unwrap();
        ok(folder, &["strip", "k.cubin"]);
        let stripped = fs::read(folder.join("k.cubin")).unwrap();
        let (before, after) = (Cubin::parse(&original).unwrap(), Cubin::parse(&stripped).unwrap());
        assert!(after.iter().all(|(_, name, _)| !name.contains("debug")));
        assert_eq!(before.symbols().len(), after.symbols().len());
        for (index, name, _) in
            after.iter().filter(|(_, name, _)| name.starts_with(".nv.info") || name.starts_with(".text"))
        {
            let original = before.section_by_name(name).unwrap();
            assert_eq!(before.bytes(original), after.bytes(index), "{name}");
        }
        for (symbol, function) in before.functions() {
            let same = after.symbols()[symbol.0 as usize];
            assert_eq!((same.value, same.size, same.name), (function.value, function.size, function.name));
        }
        assert!(tool(&nvdisasm, &[], folder, "k.cubin").status.success());
    }
}

/// The side file opens in readers that know no relocations of cubins: `k` of `../shared/bugs/34-*` is 0x280 or 0x200 bytes long.
#[test]
fn other_readers_see_right_values_in_the_side_file() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let Some(shared) = support::shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (arch, size) in [("sm_90", 0x280), ("sm_100", 0x280), ("sm_120", 0x200)] {
        let options = [&*format!("-arch={arch}"), "-g"];
        assemble(&ptxas, &shared, "34-stale-high-pc-under-relocation", &options, folder);
        ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
        let bytes = fs::read(folder.join("k.debug")).unwrap();
        let side = Cubin::parse(&bytes).unwrap();
        let text = side.section(side.section_by_name(".text.k").unwrap()).unwrap();
        assert_eq!(text.contents, Contents::NoBits(size), "{arch}");
        assert_eq!(high_pc(&side), Some(size), "{arch}");
        for (reader, options) in
            [("readelf", &["-SsW"][..]), ("llvm-dwarfdump", &["--debug-info", "--debug-line"])]
        {
            let Ok(output) = Command::new(reader).current_dir(folder).args(options).arg("k.debug").output()
            else {
                println!("skipped: no {reader}");
                continue;
            };
            assert!(output.status.success(), "{reader}: {}", messages(&output));
            if reader == "llvm-dwarfdump" {
                let expected = format!("DW_AT_high_pc\t({size:#018x})");
                assert!(String::from_utf8_lossy(&output.stdout).contains(&expected), "{arch}");
            }
        }
    }
}

/// `DW_AT_high_pc` of the first subprogram as gimli reads the bytes.
fn high_pc(cubin: &Cubin<'_>) -> Option<u64> {
    let section = |id: gimli::SectionId| {
        let bytes = cubin.section_by_name(id.name()).map(|index| cubin.bytes(index).unwrap().into_owned());
        Ok::<_, gimli::Error>(bytes.unwrap_or_default())
    };
    let owned = gimli::DwarfSections::load(section).unwrap();
    let dwarf = owned.borrow(|bytes| gimli::EndianSlice::new(bytes, gimli::LittleEndian));
    let header = dwarf.units().next().unwrap()?;
    let unit = dwarf.unit(header).unwrap();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs().unwrap() {
        if entry.tag() == gimli::DW_TAG_subprogram
            && let Some(gimli::AttributeValue::Addr(end)) = entry.attr_value(gimli::DW_AT_high_pc)
        {
            return Some(end);
        }
    }
    None
}

fn saxpy() -> PathBuf {
    example("saxpy/saxpy-debug.cubin")
}

#[test]
fn in_place_elsewhere_and_through_pipes_it_is_the_same_file() {
    let folder = folder_with(&saxpy());
    let folder = folder.path();
    let original = fs::read(folder.join("k.cubin")).unwrap();
    ok(folder, &["strip", "k.cubin", "-o", "out.cubin"]);
    assert!(fs::read(folder.join("k.cubin")).unwrap() == original);
    let expected = fs::read(folder.join("out.cubin")).unwrap();
    assert!(expected.len() < original.len());
    assert!(ok(folder, &["strip", "k.cubin", "-o", "-"]) == expected);
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
        .current_dir(folder)
        .args(["strip", "-", "--split", "pipe.debug"])
        .stdin(fs::File::open(folder.join("k.cubin")).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut piped = Vec::new();
    std::io::Read::read_to_end(child.stdout.as_mut().unwrap(), &mut piped).unwrap();
    assert!(child.wait().unwrap().success() && piped == expected);
    ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
    assert!(fs::read(folder.join("k.cubin")).unwrap() == expected);
    assert!(fs::read(folder.join("pipe.debug")).unwrap() == fs::read(folder.join("k.debug")).unwrap());
    // Again: nothing to do, not even to write.
    let time = || fs::metadata(folder.join("k.cubin")).unwrap().modified().unwrap();
    let written = time();
    let again = run(folder, &["strip", "-v", "k.cubin"]);
    assert!(
        again.status.success() && messages(&again).contains("0 sections removed"),
        "{}",
        messages(&again)
    );
    assert_eq!(time(), written);
    assert_eq!(names_in(folder), ["k.cubin", "k.debug", "out.cubin", "pipe.debug"]);
}

/// Exit status and message of a run that fails, and that it leaves everything as it was.
fn fails(folder: &Path, args: &[&str], status: i32, part: &str) {
    let before: Vec<_> =
        names_in(folder).into_iter().map(|name| (fs::read(folder.join(&name)).ok(), name)).collect();
    let output = run(folder, args);
    let text = messages(&output);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {text}");
    assert!(text.contains(part), "{args:?}: {text}");
    assert!(output.stdout.is_empty(), "{args:?}");
    let after: Vec<_> =
        names_in(folder).into_iter().map(|name| (fs::read(folder.join(&name)).ok(), name)).collect();
    assert!(before == after, "{args:?}");
}

#[test]
fn mistakes_are_named_and_change_nothing() {
    let folder = folder_with(&saxpy());
    let folder = folder.path();
    fs::write(folder.join("k.ptx"), ".version 8.0\n.target sm_80\n").unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("text"), "hello\n").unwrap();
    fs::create_dir(folder.join("dir")).unwrap();
    let bytes = fs::read(folder.join("k.cubin")).unwrap();
    fs::write(folder.join("cut"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(folder.join("big"), vec![0x7f; 100 << 20]).unwrap();
    for (file, part) in [
        ("k.ptx", "PTX text, expected a cubin"),
        ("empty", "the file is empty"),
        ("text", "no ELF magic"),
        ("dir", "a folder, expected a cubin"),
        ("missing", "No such file"),
        ("cut", "an offset inside the file"),
        ("big", "no ELF magic"),
    ] {
        fails(folder, &["strip", file, "-o", "out", "--split", "side"], 1, part);
    }
    fs::remove_file(folder.join("big")).unwrap();
    let own = env!("CARGO_BIN_EXE_ptxas-driver");
    fails(folder, &["strip", own, "-o", "out"], 1, "not for NVIDIA CUDA");

    fails(folder, &["strip"], 2, "<FILE>");
    fails(folder, &["strip", "--keep", "line", "k.cubin"], 2, "'lines'");
    fails(folder, &["strip", "--split", "k.cubin", "k.cubin"], 2, "the same file");
    fails(folder, &["strip", "--split", "./k.cubin", "k.cubin", "-o", "out"], 2, "cannot replace the cubin");
    fails(folder, &["strip", "--split", "out", "k.cubin", "-o", "out"], 2, "the same file");
    fails(folder, &["strip", "--split", "-", "k.cubin"], 2, "needs a name");
    fails(folder, &["strip", "--split", "no/such/side", "k.cubin"], 1, "'no/such/side'");
    fails(folder, &["strip", "-o", "no/such/out", "k.cubin"], 1, "'no/such/out'");

    ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
    // A side file is not replaced by nothing, and is no cubin to strip.
    fails(folder, &["strip", "k.cubin", "--split", "k.debug"], 1, "no debug sections");
    fails(folder, &["strip", "k.debug"], 1, "a side file of `strip`");
    // Nor by less, but by as much, and by that of other code.
    fs::write(folder.join("k.cubin"), &bytes).unwrap();
    ok(folder, &["strip", "k.cubin", "--split", "k.debug", "--keep", "lines"]);
    fails(folder, &["strip", "k.cubin", "--split", "k.debug"], 1, "so it is not replaced");
    fs::write(folder.join("k.cubin"), &bytes).unwrap();
    fs::copy(example("block_sum/block_sum-debug.cubin"), folder.join("old.debug")).unwrap();
    ok(folder, &["strip", "k.cubin", "--split", "old.debug", "-o", "out"]);
    ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
    fs::copy(example("block_sum/block_sum-debug.cubin"), folder.join("other.cubin")).unwrap();
    for command in ["lines", "dump"] {
        let with = |cubin, debug| [command, cubin, "--debug-file", debug];
        fails(folder, &with("other.cubin", "k.debug"), 1, "k.debug is not the debug file of other.cubin: ");
        fails(folder, &with("k.cubin", "k.cubin"), 1, "k.cubin: no debug sections");
        fails(folder, &with("k.debug", "k.cubin"), 1, "the cubin itself comes first");
        fails(folder, &with("k.cubin", "k.ptx"), 1, "PTX text");
        fails(folder, &with("k.cubin", "missing"), 1, "missing");
        fails(folder, &with("-", "-"), 2, "standard input");
    }
}

/// The side file is there if and only if the cubin is, and no temporary file stays.
#[test]
fn both_files_or_neither() {
    let folder = folder_with(&saxpy());
    let folder = folder.path();
    fs::create_dir(folder.join("dir")).unwrap();
    for target in ["no/such/out", "dir"] {
        fails(folder, &["strip", "k.cubin", "--split", "k.debug", "-o", target], 1, &format!("'{target}'"));
        fails(folder, &["strip", "k.cubin", "--split", target, "-o", "out"], 1, &format!("'{target}'"));
    }
    // Two names of one file that is not there yet.
    fails(folder, &["strip", "k.cubin", "--split", "./out", "-o", "out"], 2, "the same file");
    if cfg!(target_os = "linux") {
        for args in [["-o", "/dev/full", "--split", "k.debug"], ["-o", "out", "--split", "/dev/full"]] {
            fails(folder, &[&["strip", "k.cubin"], &args[..]].concat(), 1, "No space left");
        }
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        command.args(["strip", "k.cubin", "--split", "k.debug", "-o", "-"]).current_dir(folder);
        let output = command.stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            messages(&output).contains("Standard output could not be written: No space left"),
            "{}",
            messages(&output)
        );
        assert_eq!(names_in(folder), ["dir", "k.cubin"]);
    }
    // A reader that goes away: more than a pipe holds cannot be written.
    let bytes = large();
    fs::write(folder.join("large.cubin"), bytes).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
        .args(["strip", "large.cubin", "--split", "k.debug", "-o", "-"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names_in(folder), ["dir", "k.cubin", "large.cubin"]);
}

/// A cubin with a code section of 1 MiB and a bit of debug information.
fn large() -> Vec<u8> {
    let function = Function { name: "k", size: 1 << 20, kernel: true, local: false };
    let mut cubin = debug_only(Release::V13_0.target(90), &[function], &[]).unwrap().cubin;
    let text = cubin.section_by_name(".text.k").unwrap();
    let section = &mut cubin.sections[text.0 as usize];
    (section.sh_type, section.contents) = (1, Contents::Bytes(vec![1; 1 << 20].into()));
    let info = DebugSection { name: ".debug_info".into(), bytes: vec![7], rel: Vec::new(), rela: Vec::new() };
    cubin.set_debug_sections(vec![info]).unwrap();
    cubin.write().unwrap()
}

#[cfg(unix)]
#[test]
fn files_that_are_replaced_keep_what_they_are() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let folder = folder_with(&saxpy());
    let folder = folder.path();
    let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().mode() & 0o777;
    let set_mode = |name: &str, mode| {
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    let original = fs::read(folder.join("k.cubin")).unwrap();
    // Read-only: not in place, and not as the output of another; reading it is fine.
    set_mode("k.cubin", 0o444);
    fails(folder, &["strip", "k.cubin", "--split", "k.debug"], 1, "'k.cubin' could not be");
    fs::write(folder.join("old.debug"), "old").unwrap();
    set_mode("old.debug", 0o400);
    fails(folder, &["strip", "k.cubin", "--split", "old.debug", "-o", "out"], 1, "the file is read-only");
    ok(folder, &["strip", "k.cubin", "-o", "out"]);
    assert_ne!(mode("out") & 0o200, 0);
    fs::remove_file(folder.join("out")).unwrap();
    // A symbolic link stays one; the mode stays; another name of the file keeps what it was, and that is said.
    set_mode("k.cubin", 0o640);
    symlink("k.cubin", folder.join("link")).unwrap();
    fs::hard_link(folder.join("k.cubin"), folder.join("second")).unwrap();
    let output = run(folder, &["strip", "link", "--split", "k.debug"]);
    assert!(output.status.success());
    assert!(messages(&output).contains("link: other names of the file (hard links: 1) keep what it was"));
    assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
    assert_eq!(mode("k.cubin"), 0o640);
    assert!(fs::read(folder.join("second")).unwrap() == original);
    assert!(fs::read(folder.join("k.cubin")).unwrap().len() < original.len());
    assert_eq!(names_in(folder), ["k.cubin", "k.debug", "link", "old.debug", "second"]);
    // What is no plain file can be read, not replaced.
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    let output = run(folder, &["strip", "pipe"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(messages(&output).contains("-o FILE"), "{}", messages(&output));
}

#[test]
fn what_went_as_json() {
    let folder = folder_with(&saxpy());
    let folder = folder.path();
    let before = fs::read(folder.join("k.cubin")).unwrap();
    let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    let json = |args: &[&str]| -> Value {
        serde_json::from_slice(&ok(folder, &[&["strip", "--json"], args].concat())).unwrap()
    };
    let document = json(&["k.cubin", "-o", "out", "--split", "k.debug", "--keep", "lines"]);
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.strip".into(), &1.into()));
    assert_eq!((&document["file"], &document["keep"]), (&"k.cubin".into(), &"lines".into()));
    assert_eq!((&document["output"], &document["debug_file"]), (&"out".into(), &"k.debug".into()));
    assert_eq!(document["bytes_before"], before.len());
    assert_eq!(document["bytes_after"], size("out"));
    assert_eq!(document["debug_file_bytes"], size("k.debug"));
    let cubin = Cubin::parse(&before).unwrap();
    let removed = document["removed"].as_array().unwrap();
    assert!(removed.iter().any(|section| section["name"] == ".rela.debug_info"));
    for section in removed {
        let (index, found) =
            cubin.iter().find(|(index, ..)| section["index"] == index.0).map(|(i, n, _)| (i, n)).unwrap();
        assert_eq!(
            (&section["name"], &section["size"]),
            (&found.into(), &cubin.bytes(index).unwrap().len().into())
        );
    }
    ok(folder, &["strip", "k.cubin"]);
    let document = json(&["k.cubin"]);
    assert_eq!((&document["output"], &document["debug_file"]), (&Value::Null, &Value::Null));
    assert_eq!(document["removed"], Value::Array(Vec::new()));
    fails(folder, &["strip", "--json", "k.cubin", "-o", "-"], 2, "-o FILE");
    fails(folder, &["strip", "--json", "-"], 2, "-o FILE");
}

/// A change of what is not loaded: an entry of `.rela.text.F`, a record of `.nv.info.F`, a symbol.
#[test]
fn a_side_file_of_another_link_is_refused() {
    let Some(entries) = support::corpus(|entry| entry.mode == "lineinfo-rdc" && entry.cubin.is_some()) else {
        return;
    };
    let (mut refused, mut arches) = (0, HashSet::new());
    for entry in entries.iter().filter(|entry| arches.insert(entry.arch.clone())) {
        let folder = folder_with(entry.cubin.as_ref().unwrap());
        let folder = folder.path();
        ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
        let bytes = fs::read(folder.join("k.cubin")).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let layout = cubin.layout().unwrap();
        let parts = [".rel.text.", ".rela.text.", ".nv.info", ".symtab"];
        for (index, name, _) in
            cubin.iter().filter(|(_, name, _)| parts.iter().any(|part| name.starts_with(part)))
        {
            // The low byte of a field in the middle.
            let middle = cubin.bytes(index).unwrap().len() / 16 * 8;
            let mut other = bytes.clone();
            other[usize::try_from(layout.offsets[index.0 as usize]).unwrap() + middle] ^= 1;
            fs::write(folder.join("other.cubin"), other).unwrap();
            let output = run(folder, &["lines", "other.cubin", "--debug-file", "k.debug"]);
            let text = messages(&output);
            assert_eq!(output.status.code(), Some(1), "{} {name}", entry.name());
            // Of a symbol's size its function is named.
            assert!(text.contains("is not the debug file of other.cubin"), "{text}");
            assert!(text.contains(name) || name == ".symtab", "{text}");
            refused += 1;
        }
        ok(folder, &["lines", "k.cubin", "--debug-file", "k.debug"]);
    }
    println!("{refused} changed cubins of {} architectures refused with the old side file", arches.len());
    assert!(refused > 10);
}

#[test]
fn a_hundred_megabytes() {
    let function = Function { name: "k", size: 1 << 20, kernel: true, local: false };
    let mut cubin = debug_only(Release::V13_0.target(90), &[function], &[]).unwrap().cubin;
    let text = cubin.section_by_name(".text.k").unwrap();
    let section = &mut cubin.sections[text.0 as usize];
    (section.sh_type, section.contents) = (1, Contents::Bytes(vec![1; 1 << 20].into()));
    let bytes = vec![7; 100 << 20];
    let info = DebugSection { name: ".debug_info".into(), bytes, rel: Vec::new(), rela: Vec::new() };
    cubin.set_debug_sections(vec![info]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("k.cubin"), cubin.write().unwrap()).unwrap();
    ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
    let size = |name| fs::metadata(folder.join(name)).unwrap().len();
    assert!((1 << 20..2 << 20).contains(&size("k.cubin")));
    assert!((100 << 20..101 << 20).contains(&size("k.debug")));
    ok(folder, &["lines", "k.cubin", "--debug-file", "k.debug"]);
}

#[test]
fn what_goes_is_said_on_demand() {
    let folder = folder_with(&saxpy());
    let folder = folder.path();
    let output = run(folder, &["strip", "-v", "--keep", "lines", "k.cubin"]);
    let text = messages(&output);
    assert!(text.contains("k.cubin: .debug_info: ") && text.contains(" bytes before, "), "{text}");
    assert!(!text.contains(".debug_line:") && output.stdout.is_empty());
}

/// What a command says on standard error of a file, and its exit status.
fn said(command: &str, file: &Path, options: &[&str]) -> (String, Option<i32>) {
    let mut run = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    let output = run.arg(command).arg(file).args(options).output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

/// Each reading command says why it has nothing to say, and nothing of it where the sections are at hand, or never were.
#[test]
fn reading_commands_say_that_a_file_was_stripped() {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/saxpy");
    // Entries of variables; source lines alone.
    for (example, has_entries) in [("saxpy-debug.cubin", true), ("saxpy.cubin", false)] {
        let whole = examples.join(example);
        let (file, side) = (folder.path().join(example), folder.path().join("side"));
        let paths = ["-o", file.to_str().unwrap(), "--split", side.to_str().unwrap()];
        assert_eq!(said("strip", &whole, &paths).1, Some(0));
        for (command, options, is_said, code) in [
            ("vars", &[][..], has_entries, 0),
            ("vars", &["--json"], has_entries, 0),
            ("lines", &[], true, 0),
            ("coverage", &[], true, 0),
            ("verify", &[], true, 0),
            ("dump", &[], true, 0),
            ("dump", &["-s", ".debug_info"], has_entries, 1),
            ("dump", &["-s", ".debug_line"], true, 1),
            ("dump", &["-s", ".text"], false, 1),
        ] {
            let what = format!("{command} {options:?} {example}");
            let text = "debug sections were stripped; --debug-file names a file that has them";
            let (message, found) = said(command, &file, options);
            assert_eq!((message.contains(text), found), (is_said, Some(code)), "{what}: {message}");
            assert!(message.lines().count() <= 1, "{what}: {message}");
            let joined = [options, &["--debug-file", side.to_str().unwrap()]].concat();
            for message in [said(command, &whole, options).0, said(command, &file, &joined).0] {
                assert!(!message.contains("stripped"), "{what}: {message}");
            }
        }
    }
}
