//! `strip`: what is left still works, and the side file answers as before. Its command line is in
//! `cli/strip.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

mod in_place;
mod path_maps;

use crate::support;
use crate::support::cubins::with_code_and_entries;
use crate::support::driver::program;
use crate::support::driver::{messages, names_in};
use crate::support::json;
use crate::support::{Entry, oracle};
use nv_debug_sections::cubin::{Contents, Cubin};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, fs};
use tempfile::TempDir;

/// Runs the driver in a folder, so that outputs name no path.
fn run(folder: &Path, args: &[&str]) -> Output {
    program().current_dir(folder).args(args).output().unwrap()
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

/// Entries with a cubin: one of each architecture, mode and producer, smallest first; all with
/// `NVDWARF_ALL=1`.
fn sample(filter: impl Fn(&Entry) -> bool) -> Vec<Entry> {
    let mut entries = support::corpus(|entry| entry.cubin.is_some() && filter(entry));
    if env::var_os("NVDWARF_ALL").is_none() {
        entries.sort_by_key(|entry| fs::metadata(entry.cubin.as_ref().unwrap()).unwrap().len());
        let mut seen = HashSet::new();
        entries.retain(|entry| {
            let by_mode = seen.insert(format!("{} {}", entry.arch, entry.mode));
            seen.insert(format!("{} {}", entry.arch, entry.producer)) || by_mode
        });
    }
    entries
}

/// File and line of each instruction, and its section, of a listing in JSON.
fn innermost(listing: &Output) -> Vec<(String, u64, String, u64)> {
    let listing = json::only(listing);
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
    let entries = sample(|_| true);
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

/// With each thing to keep: `sections` knows what was stripped and finds nothing wrong, knows a
/// side file, and with it sees what it saw before. All cubins of the corpus with `NVDWARF_ALL=1`;
/// all are in `nv-debug-sections/tests/levels.rs`.
#[test]
fn sections_knows_stripped_cubins_and_side_files() {
    let entries = sample(|_| true);
    let sections = |folder: &Path, args: &[&str]| -> Value {
        let output = ok(folder, &[&["sections", "--check", "--json"], args].concat());
        json::parse(&output).unwrap()["files"][0].clone()
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

/// The smallest of each architecture with full debug information; all cubins of the corpus with
/// `NVDWARF_ALL=1`. What the library makes of the others is shown to the tools in
/// `nv-debug-sections/tests/cubin_edit.rs`.
#[test]
fn nvdisasm_and_cuobjdump_read_what_is_left() {
    let (Some(nvdisasm), Some(cuobjdump)) = (oracle::tool("nvdisasm"), oracle::tool("cuobjdump")) else {
        return;
    };
    let all = env::var_os("NVDWARF_ALL").is_some();
    let mut entries = sample(|entry| all || ["G", "debug"].contains(&&*entry.mode));
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
    let entries = support::corpus(relocatable);
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

/// The side file opens in readers that know no relocations of cubins: `k` of `../shared/bugs/34-*`
/// is 0x280 or 0x200 bytes long.
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

/// A reader that goes away: more than a pipe holds cannot be written, and then neither file is.
#[test]
fn both_files_or_neither() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("large.cubin"), with_code_and_entries(&[7])).unwrap();
    let mut child = program()
        .args(["strip", "large.cubin", "--split", "k.debug", "-o", "-"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(names_in(folder), ["large.cubin"]);
}

/// A change of what is not loaded: an entry of `.rela.text.F`, a record of `.nv.info.F`, a symbol.
#[test]
fn a_side_file_of_another_link_is_refused() {
    let entries = support::corpus(|entry| entry.mode == "lineinfo-rdc" && entry.cubin.is_some());
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
            assert_eq!(output.status.code(), Some(2), "{} {name}", entry.name());
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
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("k.cubin"), with_code_and_entries(&vec![7; 100 << 20])).unwrap();
    ok(folder, &["strip", "k.cubin", "--split", "k.debug"]);
    let size = |name| fs::metadata(folder.join(name)).unwrap().len();
    assert!((1 << 20..2 << 20).contains(&size("k.cubin")));
    assert!((100 << 20..101 << 20).contains(&size("k.debug")));
    ok(folder, &["lines", "k.cubin", "--debug-file", "k.debug"]);
}

/// What the listing of lines says, with the folder that a map replaces.
fn listing(folder: &Path, file: &str) -> String {
    let document = json::only(&run(folder, &["lines", "--all", "--json", file]));
    document["sections"].to_string()
}

/// Codes of what `verify` finds.
fn findings(folder: &Path, file: &str) -> Vec<String> {
    let document = json::only(&run(folder, &["verify", "--no-sources", "--json", file]));
    document["findings"].as_array().unwrap().iter().map(|finding| finding["code"].to_string()).collect()
}
