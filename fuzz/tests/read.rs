//! Damaged cubins and containers, through everything that the read commands ask.
//!
//! `NVDWARF_MUTATIONS=N` damages N files, of `../shared/corpus` too where it is there, and allows
//! none more than a second; `NVDWARF_SEED=N` makes it other damage.
#![allow(clippy::unwrap_used)] // helpers outside `#[test]` functions; a panic is a test's way to fail

use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::{Contents, Cubin, SymbolIndex};
use nvdwarf_fuzz::read::{QUESTIONS, Tally, ask};
use nvdwarf_fuzz::seeds::{Random, SaveOnPanic, containers, mutate, pairs};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many files are damaged without `NVDWARF_MUTATIONS`.
const MUTATIONS: u64 = 3_000;

/// No question may take longer, of files of up to [`LARGEST`] bytes before they are damaged.
const LIMIT: Duration = Duration::from_secs(1);
const LARGEST: u64 = 200_000;

/// Of the cubins that are checked in, those that have something that cannot be read.
const ODD: [&str; 2] = ["nameless_inlined.sm_100.lineinfo.c.cubin", "nameless_inlined.sm_75.lineinfo.cubin"];

/// A file before it is damaged.
struct Seed {
    name: String,
    data: Vec<u8>,
}

/// The smallest cubins of the corpus by producer, architecture and mode, and every linked one, not
/// above [`LARGEST`].
fn corpus() -> Vec<Seed> {
    const EACH: usize = 2;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out");
    let mut kinds: BTreeMap<String, Vec<(u64, PathBuf)>> = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cubin") {
                let inside = path.strip_prefix(&root).unwrap();
                let words: Vec<_> = inside.iter().map(|word| word.to_string_lossy().into_owned()).collect();
                let size = path.metadata().unwrap().len();
                let linked = if path.ends_with("linked.cubin") { words.join("/") } else { String::new() };
                // producer/program/architecture/mode/...
                let kind = |at: usize| words.get(at).cloned().unwrap_or_default();
                let kind = [kind(0), kind(2), kind(3), linked].join("/");
                kinds.entry(kind).or_default().push((size, path));
            }
        }
    }
    let mut seeds = Vec::new();
    for files in kinds.values_mut() {
        files.sort();
        for (_, path) in files.iter().filter(|(size, _)| *size <= LARGEST).take(EACH) {
            seeds.push(Seed { name: path.display().to_string(), data: fs::read(path).unwrap() });
        }
    }
    seeds
}

/// Damages what is inside of a cubin, so that the file around it stays one: bytes of a section, a
/// relocation, a symbol.
fn damage_inside(data: &[u8], others: &[Vec<u8>], random: &mut Random) -> Option<Vec<u8>> {
    let mut cubin = Cubin::parse(data).ok()?;
    for _ in 0..=random.below(3) {
        let debug: Vec<usize> = cubin
            .iter()
            .filter(|(_, name, _)| is_debug_section(name))
            .map(|(at, ..)| at.as_usize())
            .collect();
        let any = random.below(cubin.sections.len());
        let at =
            if random.below(8) == 0 { any } else { *debug.get(random.below(debug.len())).unwrap_or(&any) };
        let symbols = cubin.symbols().len();
        match &mut cubin.sections[at].contents {
            Contents::Bytes(bytes) if !bytes.is_empty() => {
                let seeds = [&[bytes.to_vec()], others].concat();
                *bytes = mutate(&seeds[..=random.below(2) * others.len()], random).into();
            }
            Contents::Relocations(all) if !all.is_empty() => {
                let place = random.below(all.len());
                let relocation = &mut all[place];
                match random.below(4) {
                    0 => relocation.offset = odd(random),
                    1 => relocation.symbol = SymbolIndex(random.below(symbols + 2) as u32),
                    2 if relocation.addend.is_some() => relocation.addend = Some(odd(random) as i64),
                    _ => {
                        all.swap_remove(place);
                    }
                }
            }
            Contents::Symbols(all) if !all.is_empty() => {
                let place = random.below(all.len());
                match random.below(3) {
                    0 => all[place].value = odd(random),
                    1 => all[place].size = odd(random),
                    _ => all[place].shndx = random.number() as u32 % 64,
                }
            }
            _ => {}
        }
    }
    cubin.write().ok()
}

/// A number that is a limit of something, or small.
fn odd(random: &mut Random) -> u64 {
    let any = random.number();
    [0, 1, any % 0x1000, u64::from(any as u32), 0x7fff_ffff, 0xffff_fff0, u64::MAX, any][random.below(8)]
}

/// What was asked, by the seed that took longest.
#[derive(Default)]
struct Run {
    files: u64,
    answered: u64,
    tally: Tally,
    slowest: Duration,
    name: String,
}

impl Run {
    fn ask(&mut self, name: &str, data: &[u8]) -> bool {
        let start = Instant::now();
        let tally = ask(data);
        let took = start.elapsed();
        self.files += 1;
        self.answered += u64::from(tally.is_answered());
        self.tally.add(&tally);
        if took > self.slowest {
            (self.slowest, self.name) = (took, format!("{name}, {} bytes", data.len()));
        }
        tally.is_answered()
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "counts belong into the log of the tests")]
fn damaged_files_end_in_answers_or_errors() {
    let asked = std::env::var("NVDWARF_MUTATIONS").ok();
    let count = asked.as_deref().map_or(MUTATIONS, |count| count.parse().unwrap());
    let named = |(name, data): (String, Vec<u8>)| Seed { name, data };
    let mut all: Vec<Seed> = pairs().into_iter().map(named).collect();
    let (cubins, images) = (all.len(), containers());
    all.extend(images.iter().enumerate().map(|(at, data)| named((format!("container {at}"), data.clone()))));
    if asked.is_some() {
        all.extend(corpus());
    }
    let mut whole = Run::default();
    for Seed { name, data } in &all {
        let is_answered = whole.ask(name, data);
        // Made by hand, to be odd: ptxas makes tables and sections of some that nobody can read.
        let is_odd = name.contains("/handptx/") || ODD.contains(&name.as_str());
        assert!(is_answered || is_odd, "{name}: {:?}", ask(data));
    }

    let mut random = Random::from_environment();
    let mut run = Run::default();
    for _ in 0..count {
        // Containers are few, and others' code.
        let from = if random.below(12) == 0 { &all[cubins..cubins + images.len()] } else { &all[..] };
        let seed = &from[random.below(from.len())];
        let other = &all[random.below(all.len())];
        let pair = [seed.data.clone(), other.data.clone()];
        let inside =
            if random.below(3) == 0 { None } else { damage_inside(&pair[0], &pair[1..], &mut random) };
        let data = inside.unwrap_or_else(|| mutate(&pair[..=random.below(2)], &mut random));
        let _guard = SaveOnPanic { test: "damaged_files_end_in_answers_or_errors", data: &data };
        run.ask(&seed.name, &data);
        if asked.is_some() {
            assert!(run.slowest <= LIMIT, "{:?}: {}", run.slowest, run.name);
        }
    }
    eprintln!(
        "read: {} damaged files of {} seeds: {} with an answer to everything, {} with an error; slowest {:?}, {}",
        run.files,
        all.len(),
        run.answered,
        run.files - run.answered,
        run.slowest,
        run.name
    );
    for (number, question) in QUESTIONS.iter().enumerate() {
        eprintln!("  {question}: {} answers, {} errors", run.tally.answers[number], run.tally.errors[number]);
    }
    // Damage reaches every question but those that have no errors.
    let without = |number: usize| ["verify", "sections"].contains(&QUESTIONS[number]);
    assert!((0..QUESTIONS.len()).all(|number| run.tally.answers[number] > 0));
    assert!((0..QUESTIONS.len()).all(|number| without(number) || run.tally.errors[number] > 0));
}
