//! What is compared of a cubin, key by key.

mod container;
mod entries;
mod lines;

use super::compare::{AllFacts, Facts, Ranges, Texts, Words};
use super::keys::Key;
use crate::commands::dump::{Contents, Source};
use anyhow::{Result, bail};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{self, Cubin, SectionIndex, sht};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

/// Bytes that the facts of a file may take in any case.
const LEAST_ROOM: usize = 48 << 20;

/// Beyond [`LEAST_ROOM`], how many times the bytes of the file: a small file may say a long thing at many places.
const ROOM_GROWTH: usize = 8;

/// Bytes of words that are made and forgotten, for each byte of the file: many entries may share a long list.
const WORDS_GROWTH: u64 = 512;

/// Bytes that a name and its value take beside their letters, in two maps.
const NAMED: usize = 200;

/// How words become [`Words`]: the same way for both files, and in each run another.
#[derive(Debug, Default)]
pub(super) struct Hashes(RandomState);

/// Facts as they come in.
#[derive(Debug)]
struct Collector<'h> {
    hashes: &'h Hashes,
    /// Words that are asked for, and those of them that came.
    wanted: &'h HashSet<Words>,
    texts: Texts,
    all: AllFacts,
    /// How many there are of a name under a key and a subject, or of a subject under a key.
    numbers: HashMap<(Key, String, Option<String>), usize>,
    /// Bytes that further facts may take; `None`: there were more.
    room: Option<usize>,
    /// Bytes of words that may still be made.
    work: WorkBudget,
    unread: Vec<Unread>,
}

impl<'h> Collector<'h> {
    fn new(file: usize, hashes: &'h Hashes, wanted: &'h HashSet<Words>) -> Self {
        let room = Some(file.saturating_mul(ROOM_GROWTH).saturating_add(LEAST_ROOM));
        let (texts, all, numbers, unread) = (Texts::new(), AllFacts::new(), HashMap::new(), Vec::new());
        let work = WorkBudget::of_input(file as u64, WORDS_GROWTH);
        Self { hashes, wanted, texts, all, numbers, room, work, unread }
    }

    /// The hash of words; the words themselves are kept if they are asked for.
    fn words(&mut self, text: String) -> Words {
        if !self.work.take(text.len() as u64) {
            self.room = None;
        }
        let words = Words(self.hashes.0.hash_one(&text));
        if self.wanted.contains(&words) {
            self.texts.insert(words, text);
        }
        words
    }

    /// Goes on while there is room.
    fn go_on(&self) -> Result<(), Full> {
        if self.room.is_some() { Ok(()) } else { Err(Full) }
    }

    fn ranges(&self, all: Vec<(u64, u64, Words)>) -> Ranges {
        let hash = self.hashes.0.hash_one(&all);
        Ranges { all: all.into(), hash }
    }

    fn named(&mut self, key: Key, subject: &str, name: impl Into<String>, value: impl Into<String>) {
        let (name, value) = (name.into(), value.into());
        if !self.takes(NAMED + 2 * subject.len() + 3 * name.len() + value.len()) {
            return;
        }
        // A second one of the same name is told apart by its number.
        let mut free = self.numbered(key, subject, Some(&name));
        if let Facts::Named(all) = self.entry(key, subject, || Facts::Named(BTreeMap::new())) {
            while all.contains_key(&free) {
                free.push('\''); // another one has the name with the number
            }
            all.insert(free, value);
        }
    }

    fn listed(&mut self, key: Key, subject: &str, items: impl IntoIterator<Item = String>) {
        for item in items {
            let words = self.words(item);
            if !self.takes(size_of::<Words>()) {
                return;
            }
            if let Facts::Listed(all) = self.entry(key, subject, || Facts::Listed(Vec::new())) {
                all.push(words);
            }
        }
    }

    fn put(&mut self, key: Key, subject: &str, facts: Facts) {
        if !self.takes(NAMED + 2 * subject.len() + facts.size()) {
            return;
        }
        let mut free = self.numbered(key, subject, None);
        while self.all.contains_key(&(key, free.clone())) {
            free.push('\'');
        }
        self.all.insert((key, free), facts);
    }

    fn entry(&mut self, key: Key, subject: &str, empty: impl FnOnce() -> Facts) -> &mut Facts {
        self.all.entry((key, subject.to_owned())).or_insert_with(empty)
    }

    /// The name, or without one the subject, with its number from the second on.
    fn numbered(&mut self, key: Key, subject: &str, name: Option<&str>) -> String {
        let plain = name.unwrap_or(subject);
        let number = self.numbers.entry((key, subject.to_owned(), name.map(str::to_owned))).or_default();
        *number += 1;
        if *number == 1 { plain.to_owned() } else { format!("{plain} #{number}") }
    }

    /// Takes so many bytes of the room, if there are as many.
    fn takes(&mut self, bytes: usize) -> bool {
        self.room = self.room.and_then(|room| room.checked_sub(bytes));
        self.room.is_some()
    }
}

/// There is no room for more facts.
struct Full;

/// A section that cannot be read, and what would have been compared of it.
pub(super) type Unread = (Key, String);

/// Everything that is compared of a cubin of `size` bytes, and what of it cannot be read.
///
/// # Errors
///
/// That takes more than [`LEAST_ROOM`] and [`ROOM_GROWTH`] times the file.
pub(super) fn of(cubin: &Cubin<'_>, size: usize, hashes: &Hashes) -> Result<(AllFacts, Vec<Unread>)> {
    let none = HashSet::new();
    let mut facts = Collector::new(size, hashes, &none);
    collect(cubin, &mut facts);
    if facts.room.is_none() {
        bail!("a file of this size cannot have so much to compare: it says long things at too many places");
    }
    Ok((facts.all, facts.unread))
}

/// Those of the wanted words that a cubin of `size` bytes has.
pub(super) fn texts(cubin: &Cubin<'_>, size: usize, hashes: &Hashes, wanted: &HashSet<Words>) -> Texts {
    let mut facts = Collector::new(size, hashes, wanted);
    collect(cubin, &mut facts);
    facts.texts
}

fn collect(cubin: &Cubin<'_>, facts: &mut Collector<'_>) {
    container::header(cubin, facts);
    container::sections(cubin, facts);
    container::symbols(cubin, facts);
    container::relocations(cubin, facts);
    if let Err(error) = lines::lines(cubin, facts) {
        // Places are made of both tables.
        let unread = [Key::Lines, Key::PtxLines].map(|key| (key, error.to_string()));
        facts.unread.extend(unread);
    }
    let source = Source::new(cubin, None, None);
    for (index, name, section) in cubin.iter() {
        let plain = matches!(section.contents, cubin::Contents::Bytes(_) | cubin::Contents::Alias(_));
        if plain && section.is_mercury() {
            facts.put(Key::Mercury, name, bytes(cubin, index));
        } else if plain {
            native(&source, index, name, facts);
        }
    }
}

fn bytes(cubin: &Cubin<'_>, index: SectionIndex) -> Facts {
    Facts::Bytes(cubin.bytes(index).map(Cow::into_owned).unwrap_or_default())
}

/// A section of bytes.
fn native(source: &Source<'_, '_>, index: SectionIndex, name: &str, facts: &mut Collector<'_>) {
    let kind = SectionName::parse(name).kind();
    let sh_type = source.cubin().section(index).map_or(0, |section| section.sh_type);
    let key = match kind {
        // What they say stands with the code, the registers and the entries.
        Some(
            SectionKind::DebugLine
            | SectionKind::NvDebugLineSass
            | SectionKind::NvDebugInfoRegType
            | SectionKind::DebugLoc
            | SectionKind::DebugAbbrev,
        ) => return,
        Some(SectionKind::NvDebugPtxTxt) => Key::PtxText,
        Some(SectionKind::DebugStr) => Key::Strings,
        Some(SectionKind::NvDebugInfoRegSass) => Key::Registers,
        Some(SectionKind::DebugFrame) => Key::Frame,
        Some(_) => Key::Entries,
        None if sh_type == sht::CUDA_INFO => Key::Info,
        None if sh_type == object::elf::SHT_NOTE.0 => {
            return container::notes(source.cubin(), index, name, facts);
        }
        None if name.starts_with(".text.") => Key::Code,
        None if SectionName::parse(name).is_debug() => Key::Entries,
        None => Key::Data,
    };
    if matches!(key, Key::Code | Key::Data) {
        return facts.put(key, name, bytes(source.cubin(), index));
    }
    let opened = source.open(index);
    let section = source.decode(&opened);
    if let Some(error) = section.error {
        facts.unread.push((key, error));
        return;
    }
    // The number of a relocatable file's PTX text is a checksum of the text.
    let subject = kind.map_or(name, |kind| kind.name());
    // Where there is no more room, that is said in the end.
    let _ = match section.contents {
        Contents::Bytes(bytes) => {
            facts.put(key, name, Facts::Bytes(bytes.into_owned()));
            Ok(())
        }
        Contents::PtxText(lines) => lines.try_each(|line| {
            facts.listed(key, subject, [line.text.into_owned()]);
            facts.go_on()
        }),
        Contents::Strings(strings) | Contents::Macros(strings) => strings.try_each(|string| {
            facts.listed(key, subject, [string.value.into_owned()]);
            facts.go_on()
        }),
        Contents::Registers(functions) => functions.try_each(|function| {
            entries::registers(&function, facts);
            facts.go_on()
        }),
        Contents::Frames(all) => entries::frames(&all, facts),
        Contents::Info(units) => entries::info(source, &opened, &units, facts),
        Contents::Lookup(names) => entries::lookup(source, subject, &names, facts),
        Contents::Attributes(records) => {
            container::attributes(source.cubin(), index, name, &records, facts);
            Ok(())
        }
        // Lines whose section could be decoded, but not be placed.
        Contents::Lines(_) | Contents::Shared(_) | Contents::Ranges(_) | Contents::Addresses(_) => {
            facts.put(key, name, bytes(source.cubin(), index));
            Ok(())
        }
        Contents::RegisterTypes(_) | Contents::Abbreviations(_) | Contents::Locations(_) => Ok(()),
    };
}
