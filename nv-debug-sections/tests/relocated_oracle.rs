//! Relocated values against `nvdisasm`, which lists debug sections with a symbol or a label for
//! every relocated field, and the cases of `../shared/bugs` about them.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use corpus::{Cubins, case, file, oracle, run, typical};
use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::reloc::RelocAction;
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedField};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// A place: section and byte offset.
type Spot = (String, u64);

/// What `nvdisasm` says of the debug sections, and where its labels are.
#[derive(Default)]
struct Listing {
    /// By section and offset: the plain bytes of one line.
    bytes: Vec<(Spot, Vec<u8>)>,
    /// By section and offset: width and expression of a relocated field.
    fields: BTreeMap<Spot, (u8, String)>,
    labels: HashMap<String, Spot>,
    /// Linked files may have several sections of one name: its name for such a one, and the file's.
    renamed: HashMap<String, String>,
}

/// A name without the quotes that `nvdisasm` puts around unusual ones.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}

impl Listing {
    fn read(text: &str) -> Self {
        let mut listing = Self::default();
        let (mut section, mut end) = (String::new(), 0);
        let mut waiting: Vec<String> = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("\t.section\t") {
                listing.place(&mut waiting, &section, end);
                unquoted(rest.split(",\"").next().unwrap()).clone_into(&mut section);
                end = 0;
            } else if let Some(label) = line.strip_suffix(':').filter(|_| !line.starts_with([' ', '\t', '/']))
            {
                waiting.push(unquoted(label).to_owned());
            } else if let Some((offset, rest)) = offset_of(line) {
                listing.place(&mut waiting, &section, offset);
                let words = rest.trim_start();
                if is_debug_section(&section) {
                    listing.data(&section, offset, words);
                }
                end = offset + size_of_line(words);
            } else if let Some((new, old)) =
                line.trim_start().strip_prefix(".map_symbolname ").and_then(|names| names.split_once(' '))
            {
                // The symbol of the section; its name there may have yet another number.
                if new.starts_with('.') {
                    listing.renamed.insert(section.clone(), old.to_owned());
                }
            } else if let Some(count) = line.strip_prefix("\t.zero\t\t") {
                // Of sections without bytes.
                listing.place(&mut waiting, &section, end);
                end += count.parse::<u64>().unwrap();
            }
        }
        listing.place(&mut waiting, &section, end);
        listing
    }

    fn place(&mut self, waiting: &mut Vec<String>, section: &str, offset: u64) {
        self.labels.extend(waiting.drain(..).map(|label| (label, (section.to_owned(), offset))));
    }

    fn data(&mut self, section: &str, offset: u64, words: &str) {
        let spot = (section.to_owned(), offset);
        if let Some(list) = words.strip_prefix(".byte\t") {
            let byte = |word: &str| u8::from_str_radix(word.trim().trim_start_matches("0x"), 16).unwrap();
            self.bytes.push((spot, list.split(',').map(byte).collect()));
        } else if let Some(expression) = words.strip_prefix(".dword\t") {
            self.fields.insert(spot, (8, expression.to_owned()));
        } else if let Some(expression) = words.strip_prefix(".word\t") {
            self.fields.insert(spot, (4, expression.to_owned()));
        }
    }

    /// The place that `SYMBOL`, `(SYMBOL + LABEL@srel)` or `(SYMBOL + 0x10)` means; the symbol
    /// alone where the file has no such.
    fn value(&self, expression: &str) -> Result<Spot, String> {
        let inner = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let mut terms = inner.unwrap_or(expression).split(" + ");
        let base = unquoted(terms.next().unwrap());
        let Some((section, mut offset)) = self.labels.get(base).cloned() else { return Err(base.to_owned()) };
        for term in terms {
            offset += match (term.strip_suffix("@srel"), term.strip_prefix("0x")) {
                (Some(label), _) => {
                    let (of, offset) =
                        self.labels.get(unquoted(label)).unwrap_or_else(|| panic!("no {label}"));
                    assert_eq!(*of, section, "{expression}");
                    *offset
                }
                (None, Some(digits)) => u64::from_str_radix(digits, 16).unwrap(),
                (None, None) => panic!("{expression}"),
            };
        }
        Ok((self.renamed.get(&section).cloned().unwrap_or(section), offset))
    }
}

/// Bytes that a line of data or code stands for.
fn size_of_line(words: &str) -> u64 {
    match words.split_once('\t') {
        Some((".byte", list)) => list.split(',').count() as u64,
        Some((".dword", _)) => 8,
        Some((".word", _)) => 4,
        _ => 16, // an instruction
    }
}

/// `/*0010*/` and what follows.
fn offset_of(line: &str) -> Option<(u64, &str)> {
    let (digits, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    Some((u64::from_str_radix(digits, 16).ok()?, rest))
}

/// Counts of what was the same.
#[derive(Default)]
struct Tally {
    cubins: usize,
    sections: usize,
    fields: usize,
    /// By section that they refer to: "function by function".
    functions: usize,
    bytes: usize,
    different: Vec<String>,
}

fn compare(path: &Path, listing: &Listing, tally: &mut Tally) {
    let data = file(path);
    let cubin = Cubin::parse(&data).unwrap();
    let view = RelocatedCubin::new(&cubin);
    let mut ours: BTreeMap<Spot, RelocatedField> = BTreeMap::new();
    let mut contents: HashMap<String, Vec<u8>> = HashMap::new();
    for (index, name, section) in cubin.iter().filter(|(_, name, _)| is_debug_section(name)) {
        if section.is_mercury() {
            continue;
        }
        let relocated = view.section(index).unwrap();
        ours.extend(relocated.fields().iter().map(|field| ((name.to_owned(), field.offset), *field)));
        contents.insert(name.to_owned(), relocated.bytes.into_owned());
        tally.sections += 1;
    }
    let mut functions = std::collections::HashSet::new();
    let mut complain = |spot: &Spot, text: String| {
        tally.different.push(format!("{} {}+{:#x}: {text}", path.display(), spot.0, spot.1));
    };
    for (spot, (width, expression)) in &listing.fields {
        let Some(field) = ours.remove(spot) else {
            complain(spot, format!("nvdisasm {expression}, we have no relocation"));
            continue;
        };
        let symbol = cubin.symbol_name_in(field.target.table, field.target.symbol);
        let section = field.target.section.map(|section| cubin.section_name(section).to_owned());
        let bytes = &contents[&spot.0][spot.1 as usize..][..usize::from(field.width)];
        let in_field = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        let wrapped =
            expression.strip_prefix("fun@").and_then(|rest| rest.strip_suffix(')')?.split_once('('));
        let is_same = match wrapped {
            Some(("R_CUDA_UNUSED_CLEAR64", name)) => {
                field.action == RelocAction::Clear && symbol == unquoted(name)
            }
            Some((kind, _)) if kind != "R_CUDA_G64" => false,
            _ => match listing.value(wrapped.map_or(expression, |(_, inner)| inner)) {
                Ok((of, offset)) => {
                    section.as_deref() == Some(&*of) && field.target.offset == offset && in_field == offset
                }
                Err(name) => symbol == name && section.is_none(),
            },
        };
        if is_same && field.width == *width {
            tally.fields += 1;
            functions.extend(section.filter(|name| name.starts_with(".text.")));
        } else {
            complain(
                spot,
                format!("nvdisasm {expression}, ours {symbol} {section:?} {field:?} {in_field:#x}"),
            );
        }
    }
    for (spot, bytes) in &listing.bytes {
        let own = contents.get(&spot.0).and_then(|own| own.get(spot.1 as usize..)?.get(..bytes.len()));
        if own == Some(bytes) {
            tally.bytes += bytes.len();
        } else {
            complain(spot, format!("nvdisasm {bytes:x?}, ours {own:x?}"));
        }
    }
    for (spot, field) in &ours {
        complain(spot, format!("no field in nvdisasm's listing, ours {field:?}"));
    }
    tally.functions += functions.len();
    tally.cubins += 1;
}

/// Most of the time is nvdisasm's: typical cubins of each kind, or all with `NVDWARF_ALL=1`.
#[test]
fn every_field_has_the_value_that_nvdisasm_lists() {
    let cubins = Cubins::open();
    let Some(nvdisasm) = oracle("nvdisasm") else { return };
    let chosen: Vec<&PathBuf> = if std::env::var_os("NVDWARF_ALL").is_some() {
        cubins.paths.iter().collect()
    } else {
        typical(&cubins)
    };
    let (mut tally, mut unread) = (Tally::default(), Vec::new());
    for path in &chosen {
        match run(&nvdisasm, &[], path) {
            Ok(text) => compare(path, &Listing::read(&text), &mut tally),
            Err(message) => unread.push(format!("{}: {}", path.display(), message.trim())),
        }
    }
    eprintln!(
        "relocated as nvdisasm has it: {} fields and {} other bytes of {} sections, of {} functions in {} cubins; {} that it cannot read",
        tally.fields,
        tally.bytes,
        tally.sections,
        tally.functions,
        tally.cubins,
        unread.len()
    );
    let shown: Vec<_> = tally.different.iter().take(20).collect();
    assert!(tally.different.is_empty(), "{} differ: {shown:#?}", tally.different.len());
    let at_least = corpus::root::at_least;
    assert!(tally.fields > at_least(700) && tally.bytes > at_least(100_000));
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The case 34: `DW_AT_high_pc` of `k` is 0x280 from `k`, whatever the bytes say.
#[test]
fn bug_34_a_stale_field_is_not_read() {
    let name = "34-stale-high-pc-under-relocation";
    for (arch, size, in_place) in [("90", 0x280, 0x150), ("100", 0x280, 0x150), ("120", 0x200, 0x110)] {
        let Some(bytes) = case(name, &[&format!("-arch=sm_{arch}"), "-g"]) else { return };
        let cubin = Cubin::parse(&bytes).unwrap();
        let info = cubin.section_by_name(".debug_info").unwrap();
        let section = RelocatedCubin::new(&cubin).section(info).unwrap();
        let text = cubin.section_by_name(".text.k").unwrap();
        let [low, high] = section.fields() else { panic!("{:?}", section.fields()) };
        assert_eq!((low.target.section, low.target.offset), (Some(text), 0));
        assert_eq!((high.target.section, high.target.offset), (Some(text), size));
        assert_eq!(u64_at(&section.bytes, high.offset as usize), size);
        assert_eq!(
            u64_at(&cubin.bytes(info).unwrap(), high.offset as usize),
            in_place,
            "not what was reported"
        );
    }
}

/// The case 36: `tile` is in place, `counter` is what a relocation says.
#[test]
fn bug_36_variables_of_two_address_spaces() {
    let Some(bytes) = case("36-shared-variable-address-class", &["-arch=sm_90", "-g"]) else { return };
    let cubin = Cubin::parse(&bytes).unwrap();
    let info = cubin.section_by_name(".debug_info").unwrap();
    let section = RelocatedCubin::new(&cubin).section(info).unwrap();
    // `DW_OP_addr` and eight bytes, in a block of nine.
    let location = |name: &[u8]| {
        let at = section.bytes.windows(name.len()).position(|window| window == name).unwrap();
        let block = section.bytes[at..].windows(2).position(|window| window == [9, 3]).unwrap();
        (at + block + 2) as u64
    };
    let at = |name: &[u8]| u64_at(&section.bytes, location(name) as usize);
    assert_eq!((section.target(location(b"tile\0")), at(b"tile\0")), (None, 0x400));
    let counter = section.target(location(b"counter\0")).unwrap();
    assert_eq!(cubin.symbol_name(counter.symbol), "counter");
    let global = cubin.section_by_name(".nv.global").unwrap();
    assert_eq!((counter.section, counter.offset), (Some(global), 0));
    assert_eq!((section.target(location(b"tile_noclass\0")), at(b"tile_noclass\0")), (None, 0x400));
}
