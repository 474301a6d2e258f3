//! What is compared of a cubin, key by key.

mod container;
mod entries;
mod lines;

use super::compare::{AllFacts, Facts};
use super::keys::Key;
use crate::commands::dump::{Contents, NvInfoRecord, Source};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{self, Cubin, SectionIndex, sht};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Facts as they come in.
#[derive(Debug, Default)]
struct Collector {
    all: AllFacts,
}

impl Collector {
    fn named(&mut self, key: Key, subject: &str, name: impl Into<String>, value: impl Into<String>) {
        let facts = self.entry(key, subject, || Facts::Named(BTreeMap::new()));
        if let Facts::Named(all) = facts {
            // A second one of the same name is told apart by its number.
            let name = name.into();
            let mut free = name.clone();
            let mut number = 1;
            while all.contains_key(&free) {
                number += 1;
                free = format!("{name} #{number}");
            }
            all.insert(free, value.into());
        }
    }

    fn listed(&mut self, key: Key, subject: &str, items: impl IntoIterator<Item = String>) {
        if let Facts::Listed(all) = self.entry(key, subject, || Facts::Listed(Vec::new())) {
            all.extend(items);
        }
    }

    fn put(&mut self, key: Key, subject: &str, facts: Facts) {
        let mut free = subject.to_owned();
        let mut number = 1;
        while self.all.contains_key(&(key, free.clone())) {
            number += 1;
            free = format!("{subject} #{number}");
        }
        self.all.insert((key, free), facts);
    }

    fn entry(&mut self, key: Key, subject: &str, empty: impl FnOnce() -> Facts) -> &mut Facts {
        self.all.entry((key, subject.to_owned())).or_insert_with(empty)
    }
}

/// Everything that is compared of a cubin. What cannot be decoded is compared byte by byte.
pub(super) fn of(cubin: &Cubin<'_>) -> AllFacts {
    let mut facts = Collector::default();
    container::header(cubin, &mut facts);
    container::sections(cubin, &mut facts);
    container::symbols(cubin, &mut facts);
    container::relocations(cubin, &mut facts);
    let decoded = lines::lines(cubin, &mut facts);
    let source = Source::new(cubin, None);
    for (index, name, section) in cubin.iter() {
        let plain = matches!(section.contents, cubin::Contents::Bytes(_) | cubin::Contents::Alias(_));
        if plain && section.is_mercury() {
            facts.put(Key::Mercury, name, bytes(cubin, index));
        } else if plain {
            native(&source, index, name, decoded, &mut facts);
        }
    }
    facts.all
}

fn bytes(cubin: &Cubin<'_>, index: SectionIndex) -> Facts {
    Facts::Bytes(cubin.bytes(index).map(Cow::into_owned).unwrap_or_default())
}

/// A section of bytes. `lines` says whether both line tables could be read.
fn native(source: &Source<'_, '_>, index: SectionIndex, name: &str, lines: bool, facts: &mut Collector) {
    let kind = SectionName::parse(name).kind();
    let sh_type = source.cubin().section(index).map_or(0, |section| section.sh_type);
    let key = match kind {
        Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass) if lines => return,
        // The types stand with the registers.
        Some(SectionKind::NvDebugInfoRegType | SectionKind::DebugLoc | SectionKind::DebugAbbrev) => return,
        Some(SectionKind::DebugLine) => Key::Lines,
        Some(SectionKind::NvDebugLineSass) => Key::PtxLines,
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
    let section = source.decode(index);
    // The number of a relocatable file's PTX text is a checksum of the text.
    let subject = kind.map_or(name, |kind| kind.name());
    match section.contents {
        Contents::Bytes(bytes) => facts.put(key, name, Facts::Bytes(bytes)),
        Contents::PtxText(lines) => facts.listed(key, subject, lines.into_iter().map(|line| line.text)),
        Contents::Strings(strings) | Contents::Macros(strings) => {
            facts.listed(key, subject, strings.into_iter().map(|string| string.value));
        }
        Contents::Registers(functions) => entries::registers(functions, facts),
        Contents::Frames(all) => entries::frames(all, facts),
        Contents::Info(units) => entries::info(source, &units, facts),
        Contents::Lookup(names) => entries::lookup(source, subject, names, facts),
        Contents::Attributes(records) => {
            let words = |record: NvInfoRecord| format!("{} {}", record.attribute, record.value);
            facts.listed(key, name, records.into_iter().map(words));
        }
        // Lines whose section could be decoded, but not be placed.
        Contents::Lines(_) | Contents::Shared(_) => facts.put(key, name, bytes(source.cubin(), index)),
        Contents::RegisterTypes(_) | Contents::Abbreviations(_) | Contents::Locations(_) => {}
    }
}
