//! The facts of a cubin that are compared, key by key.

mod container;
mod entries;
mod files;
mod lines;

use super::compare::{self, AllFacts, Facts, Ranges, Texts, Unresolved, Words};
use super::difference_kind::DifferenceKind;
use super::text_hasher::TextHasher;
use super::too_many_facts::TooManyFacts;
use super::unread_section::UnreadSection;
use crate::dump::{Contents, DumpSource};
use crate::limits::{LEAST_FACTS, MAX_FACTS_GROWTH, WORDS_GROWTH};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{self, Cubin, SectionIndex, sht};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher as _;

/// Bytes that a name and its value take beside their letters, in two maps.
const NAMED: usize = 200;

/// Facts as they come in.
#[derive(Debug)]
struct Collector<'h> {
    hashes: &'h TextHasher,
    /// The texts that are asked for, and those that were found.
    wanted: &'h HashSet<Words>,
    texts: Texts,
    all: AllFacts,
    /// How many there are of a name under a key and a subject, or of a subject under a key.
    numbers: HashMap<(DifferenceKind, String, Option<String>), usize>,
    /// Bytes that further facts may take; `None`: there were more.
    room: Option<usize>,
    /// Bytes of words that may still be made.
    work: WorkBudget,
    unread: Vec<UnreadSection>,
}

impl<'h> Collector<'h> {
    fn new(file: usize, hashes: &'h TextHasher, wanted: &'h HashSet<Words>) -> Self {
        let room = Some(file.saturating_mul(MAX_FACTS_GROWTH).saturating_add(LEAST_FACTS));
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

    fn named(
        &mut self,
        key: DifferenceKind,
        subject: &str,
        name: impl Into<String>,
        value: impl Into<String>,
    ) {
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

    fn listed(&mut self, key: DifferenceKind, subject: &str, items: impl IntoIterator<Item = String>) {
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

    fn put(&mut self, key: DifferenceKind, subject: &str, facts: Facts) {
        if !self.takes(NAMED + 2 * subject.len() + facts.size()) {
            return;
        }
        let mut free = self.numbered(key, subject, None);
        while self.all.contains_key(&(key, free.clone())) {
            free.push('\'');
        }
        self.all.insert((key, free), facts);
    }

    fn entry(&mut self, key: DifferenceKind, subject: &str, empty: impl FnOnce() -> Facts) -> &mut Facts {
        self.all.entry((key, subject.to_owned())).or_insert_with(empty)
    }

    /// The name, or without one the subject, with its number from the second on.
    fn numbered(&mut self, key: DifferenceKind, subject: &str, name: Option<&str>) -> String {
        let plain = name.unwrap_or(subject);
        let number = self.numbers.entry((key, subject.to_owned(), name.map(str::to_owned))).or_default();
        *number += 1;
        if *number == 1 { plain.to_owned() } else { format!("{plain} #{number}") }
    }

    /// Takes this number of bytes from the budget, if it has as many.
    fn takes(&mut self, bytes: usize) -> bool {
        self.room = self.room.and_then(|room| room.checked_sub(bytes));
        self.room.is_some()
    }
}

/// The budget for facts is used up.
struct Full;

/// All statements that the debug information of one cubin makes, in a form that can be compared
/// with those of another cubin.
#[derive(Debug)]
pub struct CubinFacts {
    all: AllFacts,
    unread: Vec<UnreadSection>,
    files: files::Files,
}

impl CubinFacts {
    /// Collects the facts of a cubin whose file has `size` bytes.
    ///
    /// # Errors
    ///
    /// That takes more memory than a bound that grows with `size`.
    pub fn new(cubin: &Cubin<'_>, size: usize, hashes: &TextHasher) -> Result<Self, TooManyFacts> {
        let none = HashSet::new();
        let mut facts = Collector::new(size, hashes, &none);
        collect(cubin, &mut facts);
        if facts.room.is_none() {
            return Err(TooManyFacts);
        }
        let files = files::files_of(cubin).unwrap_or_default();
        Ok(Self { all: facts.all, unread: facts.unread, files })
    }

    /// The debug sections of the cubin that cannot be read.
    pub fn unread(&self) -> &[UnreadSection] {
        &self.unread
    }

    /// Compares this cubin with another whose facts were collected with the same [`TextHasher`].
    /// `wants` selects the kinds of difference. At most `limit` differences of each kind are kept;
    /// all are counted.
    pub fn compare(&self, other: &Self, wants: impl Fn(DifferenceKind) -> bool, limit: usize) -> Unresolved {
        compare::compare(&self.all, &other.all, wants, limit)
    }

    /// Returns the paths of source files for which the file tables of the two cubins have different
    /// times or sizes. This does not count as a difference: a file may be written again without a
    /// change.
    pub fn other_file_stats<'f>(&self, other: &'f Self) -> Vec<&'f str> {
        files::other_stats(&self.files, &other.files)
    }
}

impl Unresolved {
    /// Reads the missing texts from one of the two compared cubins, whose file has `size` bytes.
    /// `hashes` must be the [`TextHasher`] of the comparison.
    pub fn look_up_texts(&mut self, cubin: &Cubin<'_>, size: usize, hashes: &TextHasher) {
        let mut facts = Collector::new(size, hashes, &self.wanted);
        collect(cubin, &mut facts);
        self.texts.extend(facts.texts);
    }
}

fn collect(cubin: &Cubin<'_>, facts: &mut Collector<'_>) {
    container::header(cubin, facts);
    container::sections(cubin, facts);
    container::symbols(cubin, facts);
    container::relocations(cubin, facts);
    if let Err(error) = lines::lines(cubin, facts) {
        // Places are made of both tables.
        let unread = [DifferenceKind::Lines, DifferenceKind::PtxLines]
            .map(|key| UnreadSection { key, error: error.clone() });
        facts.unread.extend(unread);
    }
    let source = DumpSource::new(cubin, None, None);
    for (index, name, section) in cubin.iter() {
        let plain = matches!(section.contents, cubin::Contents::Bytes(_) | cubin::Contents::Alias(_));
        if plain && section.is_mercury() {
            let bytes = match files::bytes_without_times(cubin, index, name) {
                Some(bytes) => Facts::Bytes(bytes),
                None => bytes(cubin, index),
            };
            facts.put(DifferenceKind::Mercury, name, bytes);
        } else if plain {
            native(&source, index, name, facts);
        }
    }
}

fn bytes(cubin: &Cubin<'_>, index: SectionIndex) -> Facts {
    Facts::Bytes(cubin.bytes(index).map(Cow::into_owned).unwrap_or_default())
}

/// Bytes as text; what is not UTF-8 is replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A section of bytes.
fn native(source: &DumpSource<'_, '_>, index: SectionIndex, name: &str, facts: &mut Collector<'_>) {
    let kind = SectionName::parse(name).kind();
    let sh_type = source.cubin().section(index).map_or(0, |section| section.sh_type);
    let key = match kind {
        // What they say stands with the code, the registers and the entries.
        Some(
            SectionKind::DebugLine
            | SectionKind::NvDebugLineSass
            | SectionKind::TileirDebugLine
            | SectionKind::NvDebugInfoRegType
            | SectionKind::DebugLoc
            | SectionKind::DebugAbbrev,
        ) => return,
        Some(SectionKind::NvDebugPtxTxt | SectionKind::TileirDebugTxt) => DifferenceKind::PtxText,
        Some(SectionKind::DebugStr) => DifferenceKind::Strings,
        Some(SectionKind::NvDebugInfoRegSass) => DifferenceKind::Registers,
        Some(SectionKind::DebugFrame) => DifferenceKind::Frame,
        Some(_) => DifferenceKind::Entries,
        None if sh_type == sht::CUDA_INFO => DifferenceKind::Info,
        None if sh_type == object::elf::SHT_NOTE.0 => {
            return container::notes(source.cubin(), index, name, facts);
        }
        None if name.starts_with(".text.") => DifferenceKind::Code,
        None if SectionName::parse(name).is_debug() => DifferenceKind::Entries,
        None => DifferenceKind::Data,
    };
    if matches!(key, DifferenceKind::Code | DifferenceKind::Data) {
        return facts.put(key, name, bytes(source.cubin(), index));
    }
    let opened = source.open(index);
    let section = source.decode(&opened);
    if let Some(error) = section.error {
        facts.unread.push(UnreadSection { key, error });
        return;
    }
    // The number of a relocatable file's PTX text is a checksum of the text.
    let subject = kind.map_or(name, |kind| kind.name());
    // If the facts take too much room, that is said in the end.
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
            container::nv_info_attributes(source.cubin(), index, name, &records, facts);
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
