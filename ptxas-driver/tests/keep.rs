//! `-g --debug-opt keep`: full debug information on optimised code, which ptxas refuses.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "the figures")]

mod inlined;
mod odd;
mod too_much;

use crate::support;
use crate::support::driver;
use crate::support::driver::program;
use crate::support::{Entry, oracle};
use cubin_debuginfo::symbolize::{FrameFunction, Symbolizer, TableFileName};
use gimli::{AttributeValue, DebugAbbrev, DebugInfo, EndianSlice, LittleEndian};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedSection};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// A chain of call sites, outermost first: path and line.
type Chain = Vec<(String, u64)>;

/// One entry with what matters here.
#[derive(Debug)]
struct Die {
    depth: usize,
    tag: gimli::DwTag,
    /// Code section and addresses, of entries that have any.
    code: Option<(String, BTreeSet<u64>)>,
    call: Option<(String, u64)>,
    /// What of its attributes says where a variable is.
    locations: Vec<Vec<u8>>,
}

fn section<'c>(cubin: &'c Cubin<'_>, name: &str) -> Option<RelocatedSection<'c>> {
    let index = cubin.section_by_name(name)?;
    Some(RelocatedCubin::new(cubin).section(index).unwrap())
}

/// Reads every entry with gimli; addresses are told from relocations, since all functions start at
/// 0.
fn entries(cubin: &Cubin<'_>) -> Vec<Die> {
    let info = section(cubin, ".debug_info").unwrap();
    let abbrev = section(cubin, ".debug_abbrev").unwrap();
    let ranges = section(cubin, ".debug_ranges");
    let lines = section(cubin, ".debug_line").unwrap();
    let tables = line::decode(".debug_line", &lines.bytes).unwrap();
    let place = |section: &RelocatedSection<'_>, field: usize| {
        let target = section.target(field as u64)?;
        Some((cubin.section_name(target.section?).to_owned(), target.offset))
    };
    let mut dies = Vec::new();
    let debug_info = DebugInfo::new(&info.bytes, LittleEndian);
    let debug_abbrev = DebugAbbrev::new(&abbrev.bytes, LittleEndian);
    let mut units = debug_info.units();
    while let Some(unit) = units.next().unwrap() {
        let abbreviations = unit.abbreviations(&debug_abbrev).unwrap();
        let start = unit.offset().0;
        let mut raw = unit.entries_raw(&abbreviations, None).unwrap();
        while !raw.is_empty() {
            let depth = raw.next_depth() as usize;
            let Some(abbreviation) = raw.read_abbreviation().unwrap() else { continue };
            let mut die =
                Die { depth, tag: abbreviation.tag(), code: None, call: None, locations: Vec::new() };
            let (mut low, mut high, mut file, mut call_line, mut list) = (None, None, None, None, None);
            for spec in abbreviation.attributes() {
                let field = start + raw.next_offset().0;
                let attribute = raw.read_attribute(*spec).unwrap();
                let value: AttributeValue<EndianSlice<'_, LittleEndian>> = attribute.value();
                match attribute.name() {
                    gimli::DW_AT_low_pc => low = place(&info, field),
                    gimli::DW_AT_high_pc => high = place(&info, field),
                    gimli::DW_AT_call_file => file = attribute.udata_value(),
                    gimli::DW_AT_call_line => call_line = attribute.udata_value(),
                    gimli::DW_AT_ranges => match value {
                        AttributeValue::RangeListsRef(offset) => list = Some(offset.0),
                        other => panic!("{other:?}"),
                    },
                    gimli::DW_AT_location | gimli::DW_AT_frame_base => match value {
                        AttributeValue::Exprloc(expression) => {
                            die.locations.push(expression.0.slice().to_vec());
                        }
                        other => panic!("{other:?} needs registers"),
                    },
                    // `.debug_loc` is gone.
                    name if matches!(value, AttributeValue::LocationListsRef(_)) => {
                        panic!("{name} of a list")
                    }
                    _ => {}
                }
            }
            die.call = file.and_then(|file| Some((tables[0].path(file)?, call_line?)));
            if let (Some((section, low)), Some((_, high))) = (&low, high) {
                die.code = Some((section.clone(), (*low..high).step_by(16).collect()));
            }
            if let Some(mut at) = list {
                let ranges = ranges.as_ref().unwrap();
                let word = |at: usize| u64::from_le_bytes(ranges.bytes[at..at + 8].try_into().unwrap());
                assert_eq!((word(at), word(at + 8)), (u64::MAX, 0), "a list counts from 0");
                at += 16;
                let mut code = BTreeSet::new();
                let mut name = String::new();
                while let Some(((section, low), (_, high))) = place(ranges, at).zip(place(ranges, at + 8)) {
                    assert!(low < high);
                    code.extend((low..high).step_by(16));
                    name = section;
                    at += 16;
                }
                assert_eq!((word(at), word(at + 8)), (0, 0));
                die.code = Some((name, code));
            }
            dies.push(die);
        }
    }
    dies
}

/// The addresses of every chain that the line table has, with all its beginnings.
fn chains(cubin: &Cubin<'_>) -> BTreeMap<(String, Chain), BTreeSet<u64>> {
    let symbolizer = Symbolizer::new(cubin).unwrap();
    let mut chains: BTreeMap<(String, Chain), BTreeSet<u64>> = BTreeMap::new();
    for section in symbolizer.sections() {
        for address in (0..section.size).step_by(16) {
            let Some(place) = symbolizer.locate(section.index, address) else { continue };
            let frames: Vec<_> = place.frames().collect();
            let mut chain = Chain::new();
            for (callee, caller) in frames.iter().zip(frames.iter().skip(1)).rev() {
                assert!(matches!(callee.function, FrameFunction::Inlined(_)));
                let TableFileName::Path(path) = caller.file else { panic!("an undeclared file") };
                chain.push((path.to_owned(), caller.line.into()));
                chains.entry((section.name.to_owned(), chain.clone())).or_default().insert(address);
            }
        }
    }
    chains
}

/// Compiles with a ptxas that makes the code, at -O3.
fn keep(ptx: &Path, arch: &str, output: &Path, options: &[&str]) -> Vec<u8> {
    let mut command = driver::compile();
    command.env("PTXAS", oracle::tool("ptxas").unwrap());
    command
        .args(["-g", "--debug-opt", "keep", "-O3", "-arch", arch, "--code", "ptxas"])
        .args(options)
        .arg(ptx);
    driver::made(&mut command, output)
}

#[derive(Debug, Default)]
struct Tally {
    files: usize,
    entries: usize,
    functions: usize,
    inlined: usize,
    with_code: usize,
    locations: usize,
    read_by_llvm: usize,
}

fn check(entry: &Entry, text: &str, folder: &Path, tally: &mut Tally) {
    let ptx = folder.join("in.ptx");
    std::fs::write(&ptx, text).unwrap();
    let parsed = ptx_syntax::parse(text);
    let target = parsed.module.target().and_then(|target| target.arch()).unwrap().text;
    let arch = if target.starts_with(&entry.arch) { target } else { &entry.arch };
    let output = folder.join("out.cubin");
    let data = keep(&ptx, arch, &output, &[]);
    let cubin = Cubin::parse(&data).unwrap();
    let name = entry.name();

    // The code is ptxas' at -O3, of the same text without `debug`.
    let plain = text.replacen(", debug", "       ", 1);
    std::fs::write(&ptx, &plain).unwrap();
    let ptxas = oracle::tool("ptxas").unwrap();
    let optimised = folder.join("optimised.cubin");
    let mut command = Command::new(ptxas);
    command.args(["-O3", "-lineinfo", "-arch", arch]).arg(&ptx).arg("-o").arg(&optimised);
    assert!(command.output().unwrap().status.success(), "{name}");
    let theirs = std::fs::read(&optimised).unwrap();
    let theirs = Cubin::parse(&theirs).unwrap();
    for (index, section, _) in theirs.iter().filter(|(_, name, _)| name.starts_with(".text.")) {
        let own = cubin.section_by_name(section).unwrap();
        assert!(cubin.bytes(own).unwrap() == theirs.bytes(index).unwrap(), "{name}: {section}");
    }

    let mut command = program();
    let sections = command.args(["sections", "--check"]).arg(&output).output().unwrap();
    assert!(sections.status.success(), "{name}: {}", String::from_utf8_lossy(&sections.stdout));

    // Calls cover exactly the addresses that the line table gives them, where it does.
    let chains = chains(&cubin);
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let dies = entries(&cubin);
    let mut path: Vec<(usize, (String, u64))> = Vec::new();
    let mut said: BTreeMap<(String, Chain), BTreeSet<u64>> = BTreeMap::new();
    let mut function: Option<String> = None;
    let mut whole: Option<(String, BTreeSet<u64>)> = None;
    for die in &dies {
        path.retain(|(depth, _)| *depth < die.depth);
        if die.tag == gimli::DW_TAG_subprogram {
            function = die.code.as_ref().map(|(section, _)| section.clone());
            if let Some((section, code)) = &die.code {
                // From the symbol's start on, and everywhere with lines.
                let index = cubin.section_by_name(section).unwrap();
                let first = *code.first().unwrap();
                let starts = symbolizer.functions_of(index).iter().map(|function| function.offset);
                assert!(starts.into_iter().any(|start| start == first), "{name}: {section}+{first:#x}");
                let has_line =
                    |at: &u64| symbolizer.locate(index, *at).is_some_and(|place| place.depth() > 0);
                assert!(code.iter().all(has_line), "{name}: code of {section} without lines");
                tally.functions += 1;
            }
            whole.clone_from(&die.code);
        } else if let (Some((section, code)), true) = (&die.code, die.depth > 0) {
            let (home, whole) = whole.as_ref().unwrap();
            assert!(section == home && code.is_subset(whole), "{name}: {:?} outside its function", die.tag);
        }
        if die.tag == gimli::DW_TAG_inlined_subroutine {
            tally.inlined += 1;
            path.push((die.depth, die.call.clone().unwrap()));
            let chain: Chain = path.iter().map(|(_, call)| call.clone()).collect();
            if let Some((section, code)) = &die.code {
                tally.with_code += 1;
                assert_eq!(Some(section), function.as_ref(), "{name}");
                said.entry((section.clone(), chain)).or_default().extend(code);
            }
        }
        for location in &die.locations {
            // DW_OP_addr, or a constant bank's offset: no registers, no frame.
            assert!(location.is_empty() || location[0] == 0x03, "{name}: {location:x?}");
            tally.locations += 1;
        }
    }
    let names_call_sites = text.contains("inlined_at");
    for (chain, code) in said.iter().filter(|_| names_call_sites) {
        assert_eq!(Some(code), chains.get(chain), "{name}: {chain:?}");
    }
    if !names_call_sites {
        nest(&name, &dies);
    }
    tally.entries += dies.len();
    tally.files += 1;

    for (tool, arguments, accepted) in
        [("nvdisasm", &["-c", "-g"][..], "nvdisasm"), ("nvdisasm", &["-c", "-gi"], "nvdisasm")]
    {
        let run = Command::new(oracle::tool(tool).unwrap()).args(arguments).arg(&output).output().unwrap();
        assert!(
            run.status.success(),
            "{name}: {accepted} {arguments:?}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
    if let Ok(run) = Command::new("llvm-dwarfdump").arg("--debug-info").arg(&output).output() {
        let text = String::from_utf8_lossy(&run.stdout);
        let shown = text.lines().filter(|line| line.contains(": ") && line.contains("DW_TAG_")).count();
        assert!(
            run.status.success() && shown == dies.len(),
            "{name}: llvm-dwarfdump shows {shown} of {}",
            dies.len()
        );
        tally.read_by_llvm += 1;
    }
}

/// Calls and blocks are inside what they stand in, and apart from those beside them.
fn nest(name: &str, dies: &[Die]) {
    let mut free: Vec<(usize, BTreeSet<u64>)> = Vec::new();
    for die in dies {
        free.retain(|(depth, _)| *depth < die.depth);
        let Some((_, code)) = die.code.as_ref().filter(|_| die.depth > 0) else { continue };
        if die.tag != gimli::DW_TAG_subprogram {
            let (_, around) = free.last_mut().unwrap();
            for address in code {
                assert!(around.remove(address), "{name}: {:?}: {address:#x} is not its own", die.tag);
            }
        }
        free.push((die.depth, code.clone()));
    }
}

fn run(title: &str, entries: &[Entry], change: impl Fn(&str) -> String) {
    if oracle::tool("ptxas").is_none() || oracle::tool("nvdisasm").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut tally = Tally::default();
    for entry in entries {
        let text = std::fs::read_to_string(entry.ptx.as_ref().unwrap()).unwrap();
        check(entry, &change(&text), folder.path(), &mut tally);
    }
    println!("{title}: {tally:?}");
    assert!(tally.files > 0 && tally.entries > tally.files);
}

/// Of every how many entries one is compiled; all with `NVDWARF_ALL=1`.
fn sampled<T>(entries: Vec<T>, every: usize) -> Vec<T> {
    let every = if std::env::var_os("NVDWARF_ALL").is_some() { 1 } else { every };
    entries.into_iter().step_by(every).collect()
}

#[test]
fn triton_keeps_its_inlined_calls() {
    let is_triton = |entry: &Entry| {
        entry.producer == "triton"
            && entry.mode == "lineinfo"
            && entry.ok
            && entry.written_by_ptxas_13_0
            && entry.ptx.is_some()
    };
    let entries = support::corpus(is_triton);
    run("triton lineinfo", &sampled(entries, 3), str::to_owned);
}

/// Triton's own PTX version is too new for ptxas 13.0: it is set back.
#[test]
fn triton_native_versions() {
    let is_native =
        |entry: &Entry| entry.producer == "triton" && entry.mode == "lineinfo-native" && entry.ptx.is_some();
    let entries = support::corpus(is_native);
    let mut seen = BTreeSet::new();
    let entries: Vec<_> = entries.into_iter().filter(|entry| seen.insert(entry.ptx.clone())).collect();
    run("triton lineinfo-native", &sampled(entries, 3), |text| {
        let version = text.lines().find(|line| line.starts_with(".version")).unwrap();
        text.replacen(version, ".version 9.0", 1)
    });
}

/// Any other PTX with debug sections: `FOLDER/*.ptx` of `NVDWARF_KEEP=FOLDER`, each for the SM that
/// it names.
#[test]
fn other_inputs() {
    let Some(folder) = std::env::var_os("NVDWARF_KEEP") else { return };
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let entry = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let parsed = ptx_syntax::parse(&text);
        let arch = parsed.module.target().and_then(|target| target.arch()).unwrap().text.to_owned();
        let unit = path.file_stem().unwrap().to_string_lossy().into_owned();
        let [producer, program, mode] = ["other", "", "keep"].map(str::to_owned);
        let (ptx, cubin, command) = (Some(path), None, Vec::new());
        Entry {
            producer,
            program,
            arch,
            mode,
            unit,
            ok: true,
            written_by_ptxas_13_0: true,
            command,
            ptx,
            cubin,
        }
    };
    let entries: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(entry)
        .collect();
    run("other inputs", &entries, str::to_owned);
}

#[test]
fn nvcc_debug_code_optimised() {
    let is_debug = |entry: &Entry| {
        entry.producer == "cuda"
            && entry.mode == "G"
            && entry.ok
            && entry.written_by_ptxas_13_0
            && entry.ptx.is_some()
    };
    let entries = support::corpus(is_debug);
    run("nvcc -G", &sampled(entries, 8), str::to_owned);
}
