//! Every instruction's answer against `nvdisasm -gi -gp`.

use super::{driver, example, json};
use crate::support;
use dwarf2_reader::source_path;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fmt, fs, io};

/// A source place: file and line.
type Spot = (String, u32);

/// An instruction as nvdisasm shows it: what it printed before it, if anything.
struct Instruction {
    section: String,
    offset: u64,
    source: Vec<Spot>,
    ptx: Option<u32>,
}

/// Reads `nvdisasm -c -gi -gp`.
fn annotations(text: &str) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let (mut section, mut source, mut ptx) = (String::new(), Vec::new(), None);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("\t.section\t") {
            rest.split(',').next().unwrap().clone_into(&mut section);
        } else if let Some(rest) = line.strip_prefix("\t//## File \"") {
            let (file, rest) = rest.split_once("\", line ").unwrap();
            let number: i64 = rest.split(' ').next().unwrap().parse().unwrap();
            // It prints lines as signed numbers.
            let number = number as u32;
            if file.starts_with(".nv_debug_ptx_txt") {
                ptx = Some(number);
            } else {
                // It joins folder and name with `/`, whatever separates the folder.
                let file = match file.rsplit_once('/') {
                    Some((folder, name)) if folder.contains('\\') => source_path::join(folder, name),
                    _ => file.to_owned(),
                };
                source.push((file, number));
            }
        } else if let Some(offset) = offset_of(line) {
            let source = std::mem::take(&mut source);
            instructions.push(Instruction { section: section.clone(), offset, source, ptx: ptx.take() });
        }
    }
    instructions
}

/// The offset of an instruction's line: `        /*0010*/                   S2R R3, SR_CTAID.X ;`.
fn offset_of(line: &str) -> Option<u64> {
    u64::from_str_radix(line.trim_start().strip_prefix("/*")?.split_once("*/")?.0, 16).ok()
}

/// Our listing: by section, ranges of `(start, end, chain, PTX line)`.
type Listing = BTreeMap<String, Vec<(u64, u64, Vec<Spot>, Option<u32>)>>;

fn listing(cubin: &Path) -> Listing {
    let document = json::answer("lines", cubin, &["--all"]);
    let mut listing = Listing::new();
    for section in document["sections"].as_array().unwrap() {
        let ranges = section["ranges"].as_array().unwrap().iter().map(|range| {
            let frames = range["frames"].as_array().unwrap();
            // nvdisasm reads no entries: of a chain that is theirs it knows the row.
            let by_table =
                if frames.iter().any(|frame| frame["by_entry"] == true) { 1 } else { frames.len() };
            let spots = frames[..by_table].iter().map(|frame| {
                (
                    frame["file"].as_str().unwrap_or_default().to_owned(),
                    frame["line"].as_u64().unwrap() as u32,
                )
            });
            let ptx = range["ptx"]["line"].as_u64().map(|line| line as u32);
            (range["start"].as_u64().unwrap(), range["end"].as_u64().unwrap(), spots.collect(), ptx)
        });
        listing.insert(section["section"].as_str().unwrap().to_owned(), ranges.collect());
    }
    listing
}

#[derive(Default, Debug)]
struct Tally {
    cubins: usize,
    instructions: usize,
    /// With a source line, by us and nvdisasm alike.
    equal: usize,
    /// With none, by us and nvdisasm alike.
    bare: usize,
    /// nvdisasm prints only where file or line change, so the second of two call sites of one line
    /// is lost (`../shared/bugs/30-*`), also across functions.
    unseen: usize,
    /// nvdisasm counts a doubled row that contexts do not
    /// (docs/formats/line-tables.md, opcodes of NVIDIA); each checked to be in such a function.
    miscounted: usize,
    ptx_equal: usize,
    different: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} instructions: {} equal to nvdisasm -gi, {} without line in both, {} where nvdisasm misses a change of call \
             site, {} where it miscounts; PTX line equal for {}",
            self.instructions, self.equal, self.bare, self.unseen, self.miscounted, self.ptx_equal
        )
    }
}

impl Tally {
    /// Nothing differs, more than `least` instructions were compared, and known faults of nvdisasm
    /// stay rare, or they would hide ours: less than one in `rarity`.
    fn assert_equal(&self, least: usize, rarity: usize) {
        let shown: Vec<_> = self.different.iter().take(20).cloned().collect();
        assert!(self.different.is_empty(), "{} differ:\n{}", self.different.len(), shown.join("\n"));
        assert!(self.equal > least, "{self:?}");
        assert!(self.unseen * rarity < self.equal && self.miscounted < 10, "{self:?}");
    }
}

/// Compares one cubin. The state that nvdisasm prints from goes on across sections.
fn compare(name: &str, cubin: &Path, text: &str, tally: &mut Tally) {
    let listing = listing(cubin);
    let (mut printed, mut printed_ptx): (Vec<Spot>, _) = (Vec::new(), None);
    for instruction in annotations(text) {
        let Some(ranges) = listing.get(&instruction.section) else { continue };
        let at = ranges.partition_point(|range| range.1 <= instruction.offset);
        let (_, _, ours, ptx) = &ranges[at];
        tally.instructions += 1;
        let place = || format!("{name} {}+{:#x}", instruction.section, instruction.offset);
        if ours.is_empty() && instruction.source.is_empty() {
            tally.bare += 1;
        } else if !instruction.source.is_empty() {
            printed = instruction.source;
            if printed == *ours {
                tally.equal += 1;
            } else if printed.first() == ours.first() && has_doubled_row(cubin, &instruction.section) {
                tally.miscounted += 1;
            } else {
                tally.different.push(format!("{}: nvdisasm {printed:?}, ours {ours:?}", place()));
            }
        } else if printed == *ours {
            tally.equal += 1;
        } else if printed.first() == ours.first() {
            tally.unseen += 1;
        } else {
            tally.different.push(format!("{}: nvdisasm nothing new, ours {ours:?}", place()));
        }
        printed_ptx = instruction.ptx.or(printed_ptx);
        if ptx.is_none() && instruction.ptx.is_none() || *ptx == printed_ptx {
            tally.ptx_equal += 1;
        } else {
            tally.different.push(format!("{}: nvdisasm PTX {printed_ptx:?}, ours {ptx:?}", place()));
        }
    }
    tally.cubins += 1;
}

/// Whether the section's sequence has a row that contexts do not count.
fn has_doubled_row(cubin: &Path, section: &str) -> bool {
    let output = driver(&["dump", cubin.to_str().unwrap(), "--section", ".debug_line", "--json"]);
    let document = json::only(&output);
    let units = document["sections"][0]["contents"]["data"].as_array().unwrap();
    let mut sequences = units.iter().flat_map(|unit| unit["sequences"].as_array().unwrap());
    let own = sequences.find(|sequence| sequence["start"] == format!("{section}+0x0")).unwrap();
    own["rows"].as_array().unwrap().iter().any(|row| row["number"].is_null())
}

/// Most of the time is nvdisasm's, so that only every `STRIDE`th cubin is looked at, and all with
/// `NVDWARF_ALL=1`.
const STRIDE: usize = 13;

#[test]
fn every_instruction_has_the_lines_that_nvdisasm_prints() {
    let Some(nvdisasm) = support::oracle::tool("nvdisasm") else { return };
    let all = env::var_os("NVDWARF_ALL").is_some();
    let is_wanted =
        |entry: &support::Entry| entry.ok && entry.cubin.is_some() && (all || entry.mode != "none");
    let examples = [
        "saxpy/saxpy.cubin",
        "saxpy/saxpy-debug.cubin",
        "block_sum/block_sum.cubin",
        "block_sum/block_sum-debug.cubin",
    ];
    let mut cubins: Vec<_> = examples.iter().map(|name| ((*name).to_owned(), example(name))).collect();
    let corpus = support::corpus(is_wanted);
    let total = corpus.len();
    let stride = if all { 1 } else { STRIDE };
    let chosen = corpus.iter().enumerate().filter(|(index, entry)| {
        // The one program whose doubled row matters is always there.
        index % stride == 0 || entry.program == "switch_table" && entry.arch == "sm_90"
    });
    cubins.extend(chosen.map(|(_, entry)| (entry.name(), entry.cubin.clone().unwrap())));
    let mut tally = Tally::default();
    let mut unreadable = Vec::new();
    for (name, cubin) in &cubins {
        let output = Command::new(&nvdisasm).args(["-c", "-gi", "-gp"]).arg(cubin).output().unwrap();
        if output.status.success() {
            compare(name, cubin, &String::from_utf8_lossy(&output.stdout), &mut tally);
        } else {
            unreadable.push(name);
        }
    }
    let _ = writeln!(
        io::stderr(),
        "lines: {} cubins ({} of {total} of the corpus; {} that nvdisasm cannot read), {tally}",
        tally.cubins,
        cubins.len() - examples.len(),
        unreadable.len()
    );
    // It crashes on a file that is not in the table, which ptxas writes (`../shared/bugs/LOG.md`,
    // 4), and on made capsules.
    let others = |name: &&&String| !name.starts_with("handptx/");
    let others: Vec<_> = unreadable.iter().filter(others).collect();
    assert!(others.is_empty(), "{others:?}");
    // The examples alone have 760.
    tally.assert_equal(if total == 0 { 700 } else { 1000 }, 100);
}

/// The same of what CUDA 12's ptxas makes of the corpus' PTX. Chips that CUDA 13 does not know its
/// nvdisasm does not read: `nv-debug-sections/tests/symbolize.rs` compares their rows with gimli's.
#[test]
fn cubins_of_cuda_12_too() {
    let tool = support::oracle::tool;
    let (Some(nvdisasm), Some(ptxas)) = (tool("nvdisasm"), support::oracle::ptxas_of_cuda_12()) else {
        return;
    };
    let has_ptx = |entry: &support::Entry| {
        entry.ok && entry.cubin.is_some() && entry.ptx.is_some() && entry.mode != "none"
    };
    let corpus = support::corpus(has_ptx);
    let stride = if env::var_os("NVDWARF_ALL").is_some() { 1 } else { 3 * STRIDE };
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("a.ptx"), dir.path().join("a.cubin"));
    let (mut tally, mut refused, mut unreadable) = (Tally::default(), 0, 0);
    for entry in corpus.iter().step_by(stride) {
        let level = if entry.mode.starts_with("line") { "-lineinfo" } else { "-g" };
        let ptx = fs::read_to_string(entry.ptx.as_ref().unwrap()).unwrap();
        fs::write(&input, support::cuda_12::ptx(&ptx, &entry.arch)).unwrap();
        let mut command = Command::new(&ptxas);
        command.args(["-arch", &entry.arch, level]).arg(&input).arg("-o").arg(&output);
        if !command.output().unwrap().status.success() {
            refused += 1;
            continue;
        }
        let listed = Command::new(&nvdisasm).args(["-c", "-gi", "-gp"]).arg(&output).output().unwrap();
        if listed.status.success() {
            let name = format!("{} by CUDA 12", entry.name());
            compare(&name, &output, &String::from_utf8_lossy(&listed.stdout), &mut tally);
        } else {
            unreadable += 1;
        }
    }
    let _ = writeln!(
        io::stderr(),
        "lines, CUDA 12: {} cubins ({unreadable} that nvdisasm cannot read, {refused} that ptxas refuses), {tally}",
        tally.cubins,
    );
    if !corpus.is_empty() {
        tally.assert_equal(1000, 50);
    }
}
