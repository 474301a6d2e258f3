//! Facts of the container: header, section table, symbols, relocations, notes.

use super::{Collector, files, text};
use crate::diff::compare::Facts;
use crate::diff::difference_kind::DifferenceKind;
use crate::dump::{ItemStream, NvInfoRecord};
use nv_debug_sections::catalog::{SectionName, Space};
use nv_debug_sections::cubin::{
    Contents, Cubin, ReleaseSource, Relocation, Section, SectionIndex, Symbol, SymbolIndex,
};
use nv_debug_sections::nv_info::{self, KernelParameter};
use nv_debug_sections::reloc::RelocType;
use nv_debug_sections::tkinfo;

pub(super) fn header(cubin: &Cubin<'_>, facts: &mut Collector<'_>) {
    let header = &cubin.header;
    // The upper byte of the flags is a section index, which follows from the sections.
    let flags = header.e_flags & 0xff;
    for (name, value) in [
        ("architecture", cubin.arch().to_string()),
        ("release", release(cubin)),
        ("type", format!("{:#x}", header.e_type)),
        ("OS ABI", format!("{:#x}", header.os_abi)),
        ("ABI version", header.abi_version.to_string()),
        ("ELF version", header.e_version.to_string()),
        ("flags", format!("{flags:#x}")),
        ("code", cubin.code_location().as_str().to_owned()),
    ] {
        facts.named(DifferenceKind::Header, "", name, value);
    }
}

/// The release whose tool wrote the file, where the file tells it.
fn release(cubin: &Cubin<'_>) -> String {
    match (cubin.release_source(), cubin.writer().and_then(|writer| writer.version)) {
        (ReleaseSource::NewerNote, Some(version)) => version,
        (ReleaseSource::Guess, _) => "not told".to_owned(),
        _ => cubin.release().name().to_owned(),
    }
}

pub(super) fn sections(cubin: &Cubin<'_>, facts: &mut Collector<'_>) {
    let mut order = Vec::new();
    for (_, name, section) in cubin.iter() {
        let Section { sh_type, flags, align, entsize, .. } = section;
        let size = match section.contents {
            Contents::NoBits(size) => format!(" size {size:#x}"),
            _ => String::new(),
        };
        let shared = match section.contents {
            Contents::Alias(target) => format!(" in the bytes of {}", cubin.section_name(target)),
            _ => String::new(),
        };
        let belongs = belongs(cubin, section);
        let value = format!(
            "type {sh_type:#x} flags {flags:#x} align {align} entry size {entsize}{size}{shared}{belongs}"
        );
        facts.named(DifferenceKind::Sections, "", name, value);
        order.push(name);
    }
    let order = order.into_iter().map(|name| facts.words(name.to_owned())).collect();
    facts.put(DifferenceKind::Sections, "order", Facts::Listed(order));
}

/// What `sh_addr`, `sh_link` and `sh_info` say, by name. A symbol table's `sh_info` follows from
/// the symbols.
fn belongs(cubin: &Cubin<'_>, section: &Section<'_>) -> String {
    const SYMBOL: u32 = 0xff_ffff;
    let mut words = Vec::new();
    if section.address != 0 {
        words.push(format!(" address {:#x}", section.address));
    }
    if section.link != 0 {
        words.push(format!(" link {}", cubin.section_name(SectionIndex(section.link))));
    }
    if section.info_is_section() {
        words.push(format!(" of {}", cubin.section_name(SectionIndex(section.info))));
    } else if section.info != 0 && !matches!(section.contents, Contents::Symbols(_)) {
        // Of code: its function, and up to sm_89 the registers that it needs
        // (docs/formats/container.md, code).
        let function = cubin.symbol_name_in(SectionIndex(section.link), SymbolIndex(section.info & SYMBOL));
        words.push(format!(" function {function} registers {}", section.info >> 24));
    }
    words.concat()
}

pub(super) fn symbols(cubin: &Cubin<'_>, facts: &mut Collector<'_>) {
    for (key, table) in
        [(DifferenceKind::Symbols, cubin.symtab()), (DifferenceKind::Mercury, cubin.mercury_symtab())]
    {
        let Some(table) = table else { continue };
        let subject = if key == DifferenceKind::Mercury { "symbols" } else { "" };
        for (index, symbol) in (0..).zip(cubin.symbols_of(table)).skip(1) {
            let name = cubin.symbol_name_in(table, SymbolIndex(index));
            facts.named(key, subject, name, symbol_words(cubin, symbol));
        }
    }
}

const KINDS: [&str; 4] = ["NOTYPE", "OBJECT", "FUNC", "SECTION"];
const BINDINGS: [&str; 3] = ["LOCAL", "GLOBAL", "WEAK"];

fn symbol_words(cubin: &Cubin<'_>, symbol: &Symbol) -> String {
    let word = |words: &[&str], number: u8| {
        words.get(usize::from(number)).map_or_else(|| number.to_string(), |word| (*word).to_owned())
    };
    let section = match symbol.section() {
        Some(section) => cubin.section_name(section).to_owned(),
        None if symbol.shndx == 0 => "undefined".to_owned(),
        None => format!("section {:#x}", symbol.shndx),
    };
    format!(
        "{} {} {section}+{:#x} size {:#x} other {:#x}",
        word(&KINDS, symbol.kind()),
        word(&BINDINGS, symbol.binding()),
        symbol.value,
        symbol.size,
        symbol.other
    )
}

/// Relocations by the section they apply to. Their offsets in native debug sections follow from
/// what is compared elsewhere.
pub(super) fn relocations(cubin: &Cubin<'_>, facts: &mut Collector<'_>) {
    for (_, name, section) in cubin.iter() {
        let Some(relocations) = section.relocations() else { continue };
        let table = SectionIndex(section.link);
        let parsed = SectionName::parse(name);
        let key = if parsed.space == Space::Mercury {
            DifferenceKind::Mercury
        } else {
            DifferenceKind::Relocations
        };
        let words = |relocation: &Relocation| {
            let kind = match RelocType::from_number(relocation.r_type) {
                Some(known) if known.space == Space::Native => known.name.to_owned(),
                _ => format!("type {:#x}", relocation.r_type),
            };
            let addend = relocation.addend.map_or(String::new(), |addend| format!("{addend:+#x}"));
            format!("{kind} {}{addend}", cubin.symbol_name_in(table, relocation.symbol))
        };
        if parsed.is_debug() && parsed.space == Space::Native {
            let mut all = Vec::new();
            for words in relocations.iter().map(words) {
                if !facts.takes(words.len()) {
                    return;
                }
                all.push(words);
            }
            all.sort_unstable();
            facts.listed(key, name, all);
        } else {
            let headers = files::line_headers(cubin, SectionIndex(section.info));
            for relocation in relocations {
                let place = files::place_in_lines(&headers, relocation.offset);
                let place = place.unwrap_or_else(|| format!("{:#x}", relocation.offset));
                facts.named(key, name, place, words(relocation));
            }
        }
    }
}

/// Records of `.nv.info` in words, with all that words leave out of a parameter.
pub(super) fn nv_info_attributes(
    cubin: &Cubin<'_>,
    index: SectionIndex,
    name: &str,
    records: &ItemStream<'_, NvInfoRecord>,
    facts: &mut Collector<'_>,
) {
    let bytes = cubin.bytes(index).unwrap_or_default();
    let decoded = nv_info::decode(name, &bytes).unwrap_or_default();
    let mut decoded = decoded.iter();
    let words = |words: NvInfoRecord| {
        let record = decoded.next()?;
        let rest = record.parameter().map_or(String::new(), |parameter| {
            let KernelParameter { index, log_alignment, space, bank, in_shared_memory, .. } = parameter;
            let memory = if in_shared_memory { "shared memory" } else { "constants" };
            format!(", index {index}, pointee aligned to 2^{log_alignment} in space {space}, bank {bank} of {memory}")
        });
        Some(format!("{} {}{rest}", words.attribute, words.value))
    };
    let mut words = words;
    let _ = records.try_each(|record| {
        facts.listed(DifferenceKind::Info, name, words(record));
        facts.go_on()
    });
}

/// Of tools' notes each text has a name; other notes are bytes.
pub(super) fn notes(cubin: &Cubin<'_>, index: SectionIndex, name: &str, facts: &mut Collector<'_>) {
    let bytes = cubin.bytes(index).unwrap_or_default();
    let tools = (name == tkinfo::NAME).then(|| tkinfo::decode(&bytes));
    let Some(Ok(tools)) = tools else {
        return facts.put(DifferenceKind::Notes, name, Facts::Bytes(bytes.into_owned()));
    };
    for tool in tools {
        let subject = text(tool.tool);
        for (name, value) in [
            ("object", tool.object),
            ("version", tool.version),
            ("build", tool.build),
            ("options", tool.options),
        ] {
            facts.named(DifferenceKind::Notes, &subject, name, text(value));
        }
    }
}
