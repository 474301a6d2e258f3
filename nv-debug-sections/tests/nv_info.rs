//! `.nv.info` against cuobjdump, which prints it as text, and against the symbol tables of the
//! corpus.
#![allow(clippy::print_stdout, reason = "the figures")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod corpus;

use corpus::{Cubins, file, oracle};
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::nv_info::{self, Attribute, Record, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// `.nv.info` and `.nv.info.F`, and with `mercury` their copies.
fn info_sections<'c>(cubin: &'c Cubin<'_>, mercury: bool) -> impl Iterator<Item = (SectionIndex, &'c str)> {
    cubin.iter().filter_map(move |(index, name, section)| {
        let native = name.strip_prefix(".nv.merc").unwrap_or(name);
        let is_info = native.strip_prefix(nv_info::NAME).is_some_and(|f| f.is_empty() || f.starts_with('.'));
        (is_info && (mercury || !section.is_mercury())).then_some((index, name))
    })
}

fn hexadecimal(words: impl Iterator<Item = u32>) -> String {
    words.map(|word| format!("{word:#x}")).collect::<Vec<_>>().join(" ")
}

/// A record as cuobjdump prints it, blanks aside; `None` for the value of the few attributes whose
/// layout is not ours to know.
fn words(record: &Record<'_>, name: impl Fn(SymbolIndex) -> String) -> (String, Option<String>) {
    let attribute = record.attribute.name().unwrap_or("unknown Attribute");
    let head = format!("Attribute: {attribute} Format: {}", record.value.format_name());
    let symbol = |symbol: SymbolIndex| format!("{}({:#x})", name(symbol), symbol.0);
    let function = |what: &str, number: fn(u32) -> String| {
        let (of, value) = record.symbol_and_number().unwrap();
        format!("function: {} {what}: {}", symbol(of), number(value))
    };
    let value = match (record.attribute, &record.value) {
        (_, Value::None { .. }) => String::new(),
        (_, Value::Byte { value, .. }) => format!("{value:#x}"),
        (Attribute::MERCURY_ISA_VERSION, Value::Half(value)) => format!("{}.{}", value >> 8, value & 0xff),
        (_, Value::Half(value)) => format!("{value:#x}"),
        (Attribute::REGCOUNT, _) => function("register count", |n| n.to_string()),
        (Attribute::FRAME_SIZE, _) => function("frame size", |n| format!("{n:#x}")),
        (Attribute::MIN_STACK_SIZE, _) => function("min stack size", |n| format!("{n:#x}")),
        (Attribute::EXTERNS, _) => {
            format!("externs: {}", record.symbols().map(symbol).collect::<Vec<_>>().join(" "))
        }
        (Attribute::KPARAM_INFO, _) => parameter(record),
        (Attribute::INDIRECT_BRANCH_TARGETS | Attribute::ANNOTATIONS | Attribute::LANGUAGE, _) => {
            return (head, None);
        }
        (_, Value::Sized(_)) => hexadecimal(record.words()),
    };
    (head, Some(value))
}

fn parameter(record: &Record<'_>) -> String {
    let p = record.parameter().unwrap();
    format!(
        "Index : {:#x} Ordinal : {:#x} Offset : {:#x} Size : {:#x} Pointee's logAlignment : {:#x} Space : {:#x} cbank : {:#x} Parameter Space : {}",
        p.index,
        p.ordinal,
        p.offset,
        p.size,
        p.log_alignment,
        p.space,
        p.bank,
        if p.in_shared_memory { "SMEM" } else { "CBANK" }
    )
}

/// The records that cuobjdump prints, by section: head and value, blanks made single.
fn printed(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if line.starts_with('.') {
            open = line.strip_prefix(nv_info::NAME).is_some_and(|f| f.is_empty() || f.starts_with('.'));
            if open {
                sections.push((line.to_owned(), Vec::new()));
            }
        } else if open && line.trim_start().starts_with("<0x") {
            sections.last_mut().unwrap().1.push(String::new());
        } else if open && let Some(record) = sections.last_mut().unwrap().1.last_mut() {
            for word in line.split_whitespace() {
                let _ = write!(record, "{}{word}", if record.is_empty() { "" } else { " " });
            }
        }
    }
    let split = |record: String| {
        let (head, value) = record.split_once(" Value:").unwrap_or((&record, ""));
        (head.to_owned(), value.trim().to_owned())
    };
    sections.into_iter().map(|(name, records)| (name, records.into_iter().map(split).collect())).collect()
}

/// Records, and those whose values were compared; `None` if cuobjdump cannot read the file.
fn compare(path: &Path, cuobjdump: &Path, attributes: &mut BTreeMap<String, u32>) -> Option<(u32, u32)> {
    let output = std::process::Command::new(cuobjdump).arg("-elf").arg(path).output().unwrap();
    if !output.status.success() {
        return None; // cuobjdump 13.2 and what later compilers write
    }
    let theirs = printed(&String::from_utf8_lossy(&output.stdout));
    let data = file(path);
    let cubin = Cubin::parse(&data).unwrap();
    let (mut records, mut values) = (0, 0);
    let mut sections = theirs.iter();
    for (index, name) in info_sections(&cubin, false) {
        let bytes = cubin.bytes(index).unwrap();
        let ours = nv_info::decode(name, &bytes).unwrap();
        let (their_name, theirs) = sections.next().unwrap();
        assert_eq!((their_name.as_str(), theirs.len()), (name, ours.len()), "{}", path.display());
        for (record, (head, value)) in ours.iter().zip(theirs) {
            let (our_head, our_value) = words(record, |symbol| cubin.symbol_name(symbol).to_owned());
            assert_eq!(our_head, *head, "{} {name}", path.display());
            if let Some(our_value) = our_value {
                assert_eq!(our_value, *value, "{} {name} {head}", path.display());
                values += 1;
            }
            records += 1;
            *attributes.entry(record.attribute.to_string()).or_default() += 1;
        }
    }
    assert!(sections.next().is_none(), "{}", path.display());
    Some((records, values))
}

#[test]
fn cuobjdump_prints_the_same_records() {
    let cubins = Cubins::open();
    let Some(cuobjdump) = oracle("cuobjdump") else { return };
    let (mut files, mut records, mut values) = (0, 0, 0);
    let mut attributes = BTreeMap::new();
    for path in &cubins.paths {
        let Some((some, of_them)) = compare(path, &cuobjdump, &mut attributes) else { continue };
        (files, records, values) = (files + 1, records + some, values + of_them);
    }
    let refused = cubins.paths.len() - files;
    println!(
        "{files} cubins: {records} records named alike, {values} values alike; {refused} refused; {attributes:?}"
    );
    assert!(files > 9 * refused && attributes.len() > 25);
}

/// `STT_SECTION`, `STT_FUNC`.
const SECTION: u8 = 3;
const FUNCTION: u8 = 2;

#[test]
fn symbols_of_records_are_what_the_records_are_about() {
    let cubins = Cubins::open();
    let mut kinds: BTreeMap<(String, u8), u32> = BTreeMap::new();
    for path in &cubins.paths {
        let data = file(path);
        let Ok(cubin) = Cubin::parse(&data) else { continue };
        for (index, name) in info_sections(&cubin, true) {
            let bytes = cubin.bytes(index).unwrap();
            let table = SectionIndex(cubin.section(index).unwrap().link);
            for record in nv_info::decode(name, &bytes).unwrap() {
                for symbol in record.symbols() {
                    let symbol = cubin.symbols_of(table).get(symbol.as_usize());
                    let symbol = symbol.unwrap_or_else(|| panic!("{} {name} {record:?}", path.display()));
                    *kinds.entry((record.attribute.to_string(), symbol.kind())).or_default() += 1;
                }
            }
        }
    }
    println!("{kinds:?}");
    for (attribute, kind) in kinds.keys() {
        let expected = if attribute == "EIATTR_PARAM_CBANK" { SECTION } else { FUNCTION };
        assert_eq!(*kind, expected, "{attribute}");
    }
}

/// Offsets of the `EXIT` instructions of each function, as `cuobjdump -sass` prints the code.
fn exits_in(text: &str) -> BTreeMap<String, BTreeSet<u32>> {
    let mut functions: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("Function : ") {
            current = Some(name.to_owned());
            functions.entry(name.to_owned()).or_default();
        }
        // `/*0090*/  @P0 EXIT ;  /* 0x000000000000094d */`
        let instruction = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        let is_exit = |code: &str| code.split([' ', ';', '.']).any(|word| word == "EXIT");
        if let (Some((address, code)), Some(name)) = (instruction, &current)
            && is_exit(code.split("/*").next().unwrap())
        {
            functions.entry(name.clone()).or_default().insert(u32::from_str_radix(address, 16).unwrap());
        }
    }
    functions
}

#[test]
fn exits_are_where_the_code_has_them() {
    let cubins = Cubins::open();
    let Some(cuobjdump) = oracle("cuobjdump") else { return };
    let (mut files, mut functions, mut exits) = (0, 0, 0);
    let mut sms = BTreeSet::new();
    for path in cubins.paths.iter().filter(|path| path.iter().any(|part| part == "lineinfo")).step_by(17) {
        let output = std::process::Command::new(&cuobjdump).arg("-sass").arg(path).output().unwrap();
        if !output.status.success() {
            continue;
        }
        let theirs = exits_in(&String::from_utf8_lossy(&output.stdout));
        let data = file(path);
        let cubin = Cubin::parse(&data).unwrap();
        for (_, symbol) in cubin.functions().filter(|(_, symbol)| symbol.is_kernel()) {
            let code = symbol.section().unwrap();
            let name = cubin.section_name(code).strip_prefix(".text.").unwrap();
            let index = nv_info::section_of(&cubin, code).unwrap();
            assert_eq!(cubin.section_name(index), format!("{}.{name}", nv_info::NAME), "{}", path.display());
            let bytes = cubin.bytes(index).unwrap();
            let records = nv_info::decode(nv_info::NAME, &bytes).unwrap();
            let ours: BTreeSet<_> = nv_info::exit_offsets(&records).collect();
            assert_eq!(ours, theirs[name], "{} {name}", path.display());
            functions += 1;
            exits += ours.len();
        }
        sms.insert(cubin.header.sm());
        files += 1;
    }
    println!(
        "{files} cubins of {sms:?}: {exits} EXIT instructions of {functions} kernels where the records say"
    );
    assert!(sms.len() >= 4 && functions > corpus::root::at_least(20));
}
