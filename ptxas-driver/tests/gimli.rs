//! gimli, a DWARF reader that knows nothing of us, reads everything we write; so does
//! llvm-dwarfdump, where installed.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::Entry;
use crate::support::driver;
use gimli::{
    AttributeValue, DebugLineOffset, Dwarf, EndianSlice, Error, LittleEndian, Section as _, SectionId, Unit,
};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::relocated::RelocatedCubin;
use ptx_syntax::{Body, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Reader<'s> = EndianSlice<'s, LittleEndian>;
type Result<T> = gimli::Result<T>;

/// A file's debug sections with relocations applied, by name.
struct Sections(BTreeMap<String, Vec<u8>>);

impl Sections {
    fn read(data: &[u8]) -> Self {
        let cubin = Cubin::parse(data).unwrap();
        let view = RelocatedCubin::new(&cubin);
        let debug = cubin.iter().filter(|(_, name, _)| name.starts_with(".debug_"));
        Self(
            debug
                .map(|(index, name, _)| (name.to_owned(), view.section(index).unwrap().bytes.into_owned()))
                .collect(),
        )
    }

    /// Empty where the file has no such section.
    fn reader(&self, id: SectionId) -> Reader<'_> {
        EndianSlice::new(self.0.get(id.name()).map_or(&[], Vec::as_slice), LittleEndian)
    }

    fn dwarf(&self) -> Dwarf<Reader<'_>> {
        Dwarf::load(|id| Ok::<_, Error>(self.reader(id))).unwrap()
    }
}

/// What was walked.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    tables: usize,
    rows: usize,
    sequences: usize,
    units: usize,
    dies: usize,
    attributes: usize,
    operations: usize,
    location_lists: usize,
    locations: usize,
    vendor_registers: usize,
}

impl Counts {
    /// Reads every line table of `.debug_line`, one after the other, whether a unit refers to it or
    /// not.
    fn line_tables(&mut self, dwarf: &Dwarf<Reader<'_>>) -> Result<()> {
        let size = dwarf.debug_line.reader().len();
        let mut offset = 0;
        while offset < size {
            let program = dwarf.debug_line.program(DebugLineOffset(offset), 8, None, None)?;
            let header = program.header();
            assert_eq!(header.version(), 2);
            offset += header.unit_length() + 4;
            let files = header.file_names().len() as u64;
            self.tables += 1;
            let mut rows = program.rows();
            let mut previous = None;
            while let Some((_, row)) = rows.next_row()? {
                self.rows += 1;
                if row.end_sequence() {
                    self.sequences += 1;
                    previous = None;
                    continue;
                }
                assert!(
                    previous.is_none_or(|previous| previous <= row.address()),
                    "addresses decrease in a sequence"
                );
                previous = Some(row.address());
                // With gaps among the indices of .file, rows keep theirs
                // (docs/formats/line-tables.md, directories and files).
                assert!(files == 0 || row.file_index() > 0, "a row of file 0");
            }
        }
        Ok(())
    }

    /// Reads every unit: all entries, attributes, expressions and location lists.
    fn units(&mut self, dwarf: &Dwarf<Reader<'_>>) -> Result<()> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            self.units += 1;
            let mut entries = unit.entries();
            let mut depth = 0;
            while let Some(entry) = entries.next_dfs()? {
                self.dies += 1;
                depth = entry.depth();
                for attribute in entry.attrs() {
                    self.attributes += 1;
                    self.attribute(dwarf, &unit, attribute.value())?;
                }
            }
            assert!(depth >= 0);
        }
        Ok(())
    }

    fn attribute(
        &mut self,
        dwarf: &Dwarf<Reader<'_>>,
        unit: &Unit<Reader<'_>>,
        value: AttributeValue<Reader<'_>>,
    ) -> Result<()> {
        match value {
            AttributeValue::Exprloc(expression) => self.expression(unit, expression)?,
            AttributeValue::LocationListsRef(offset) => {
                self.location_lists += 1;
                let mut locations = dwarf.locations(unit, offset)?;
                while let Some(location) = locations.next()? {
                    assert!(location.range.begin < location.range.end, "an empty location at {offset:?}");
                    self.locations += 1;
                    self.expression(unit, location.data)?;
                }
            }
            AttributeValue::UnitRef(target) => {
                // The referred-to entry exists.
                unit.entry(target)?;
            }
            AttributeValue::DebugStrRef(_) | AttributeValue::String(_) => {
                dwarf.attr_string(unit, value)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn expression(
        &mut self,
        unit: &Unit<Reader<'_>>,
        expression: gimli::Expression<Reader<'_>>,
    ) -> Result<()> {
        let mut operations = expression.operations(unit.encoding());
        loop {
            match operations.next() {
                Ok(Some(_)) => self.operations += 1,
                Ok(None) => return Ok(()),
                // NVIDIA's register numbers hold a PTX register's name, up to 64 bits; gimli's
                // hold 16. Such an operation is the last of its expression.
                Err(Error::UnsupportedRegister(_)) => {
                    self.vendor_registers += 1;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn read(data: &[u8]) -> Result<Self> {
        let mut counts = Self::default();
        let sections = Sections::read(data);
        let dwarf = sections.dwarf();
        counts.line_tables(&dwarf)?;
        counts.units(&dwarf)?;
        Ok(counts)
    }

    fn add(&mut self, other: &Self) {
        let Self {
            tables,
            rows,
            sequences,
            units,
            dies,
            attributes,
            operations,
            location_lists,
            locations,
            vendor_registers,
        } = other;
        self.tables += tables;
        self.rows += rows;
        self.sequences += sequences;
        self.units += units;
        self.dies += dies;
        self.attributes += attributes;
        self.operations += operations;
        self.location_lists += location_lists;
        self.locations += locations;
        self.vendor_registers += vendor_registers;
    }
}

/// The corpus' pairs for sm_75 to sm_90.
fn pairs() -> Vec<Entry> {
    let mut pairs = support::simple_pairs();
    pairs.extend(driver::sm_90_pairs());
    pairs
}

fn with_code(entry: &Entry, output: &Path) -> Vec<u8> {
    let code = driver::code_of(entry.cubin.as_ref().unwrap());
    driver::made(driver::compile_entry(entry).arg("--code").arg(code), output)
}

fn without_code(entry: &Entry, output: &Path) -> Vec<u8> {
    driver::made(driver::compile_entry(entry).args(["--code", "none"]), output)
}

/// Reads what `make` makes of each pair, and prints and returns the sums.
fn read_all(title: &str, make: fn(&Entry, &Path) -> Vec<u8>) -> Counts {
    let folder = tempfile::tempdir().unwrap();
    let mut sums = Counts::default();
    let pairs = pairs();
    for entry in &pairs {
        let data = make(entry, &folder.path().join("out.cubin"));
        let counts = Counts::read(&data).unwrap_or_else(|error| panic!("{}: {error}", entry.name()));
        assert!(counts.tables > 0 && counts.rows > 0, "{}: {counts:?}", entry.name());
        // An entry of mode G has the sections of its PTX, a debug-only object at least a unit that
        // leads to its lines.
        let placed = title.contains("none");
        assert_eq!(counts.units > 0, placed || entry.mode == "G", "{}: {counts:?}", entry.name());
        sums.add(&counts);
    }
    println!("{title}, {} files: {sums:?}", pairs.len());
    sums
}

#[test]
fn files_with_code() {
    let sums = read_all("--code cubin", with_code);
    assert!(sums.dies > 0 && sums.locations > 0 && sums.operations > 0, "{sums:?}");
}

#[test]
fn files_without_code() {
    let sums = read_all("--code none", without_code);
    assert!(sums.dies > 0 && sums.operations > 0, "{sums:?}");
}

/// Function symbols: name, address, size.
fn functions(data: &[u8]) -> Vec<(String, u64, u64)> {
    use object::{Object as _, ObjectSymbol as _, SymbolKind};
    let file = object::read::elf::ElfFile64::<object::LittleEndian>::parse(data).unwrap();
    let functions =
        file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    let mut functions: Vec<_> = functions
        .map(|symbol| (symbol.name().unwrap().to_owned(), symbol.address(), symbol.size()))
        .collect();
    functions.sort_by_key(|(_, address, _)| *address);
    functions
}

/// Source lines by address, from all line tables: what addr2line makes of them.
fn lines(data: &[u8]) -> BTreeMap<u64, u64> {
    let sections = Sections::read(data);
    let dwarf = sections.dwarf();
    let mut lines = BTreeMap::new();
    let mut offset = 0;
    while offset < dwarf.debug_line.reader().len() {
        let program = dwarf.debug_line.program(DebugLineOffset(offset), 8, None, None).unwrap();
        offset += program.header().unit_length() + 4;
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row().unwrap() {
            // The end of a sequence is not the start of the next one.
            if row.end_sequence() {
                lines.entry(row.address()).or_insert(0);
            } else {
                lines.insert(row.address(), row.line().map_or(0, u64::from));
            }
        }
    }
    lines
}

/// A debug-only object's addresses mean something by themselves: functions do not overlap, and a
/// plain address leads to function and line, which is what a reader that knows nothing of cubins
/// needs.
#[test]
fn addresses_of_debug_only_objects_are_unique() {
    let pairs = pairs();
    let folder = tempfile::tempdir().unwrap();
    let (mut looked_up, mut without_line) = (0, 0);
    for entry in &pairs {
        let data = without_code(entry, &folder.path().join("out.cubin"));
        let functions = functions(&data);
        assert!(!functions.is_empty(), "{}", entry.name());
        for pair in functions.windows(2) {
            let [(first, start, size), (second, next, _)] = pair else { unreachable!() };
            assert!(start + size <= *next && *size > 0, "{}: {first} and {second} overlap", entry.name());
        }
        let text = std::fs::read_to_string(entry.ptx.as_ref().unwrap()).unwrap();
        let parsed = ptx_syntax::parse(&text);
        let rows = lines(&data);
        for (name, address, size) in &functions {
            let mut with_body = parsed.module.functions().filter(|function| function.body.is_some());
            let function = with_body.find(|function| function.name.text == name).unwrap();
            let locs = lines_of_locs(function.body.as_ref().unwrap());
            looked_up += 1;
            if locs.is_empty() {
                without_line += 1;
                continue;
            }
            let named: Vec<u64> = rows.range(address..&(address + size)).map(|(_, line)| *line).collect();
            assert!(!named.is_empty(), "{}: no row in {name}", entry.name());
            // Every line is one that a .loc of that very function names.
            assert!(
                named.iter().all(|line| locs.contains(line)),
                "{}: {name}: {named:?} not in {locs:?}",
                entry.name()
            );
        }
    }
    println!("looked up {looked_up} functions, {without_line} of them without .loc");
    assert!(looked_up > without_line);
}

/// Lines that a body's `.loc` directives name: their own, and those of their calls.
fn lines_of_locs(body: &Body<'_>) -> BTreeSet<u64> {
    let locs = body.statements.iter().filter_map(|statement| match statement {
        Statement::Loc(loc) => Some(loc),
        _ => None,
    });
    locs.flat_map(|loc| loc.inlined_at.iter().map(|call| call.line).chain([loc.line])).collect()
}

/// Complaints of llvm-dwarfdump that are not ours to mend.
const KNOWN_COMPLAINTS: &[&str] = &[
    // NVIDIA's line table header ends with an offset into .debug_str, where inlined calls are
    // named.
    "unknown data in line table prologue",
    // nvcc's lexical blocks in cub_block_sort overlap: so do the relocations that ptxas writes for
    // their labels.
    "DIEs have overlapping address ranges",
];

/// llvm-dwarfdump reads the line tables of debug-only objects, and finds no fault in their DIEs.
#[test]
fn llvm_dwarfdump() {
    let Some(tool) = llvm_tool("llvm-dwarfdump") else { return };
    let pairs = pairs();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let mut read = 0;
    for entry in &pairs {
        without_code(entry, &output);
        for options in
            [&["--debug-line"][..], &["--debug-info", "--debug-abbrev", "--debug-loc"], &["--verify"]]
        {
            let run = Command::new(&tool).args(options).arg(&output).output().unwrap();
            let text = String::from_utf8_lossy(&run.stdout).into_owned() + &driver::messages(&run);
            let is_complaint = |line: &&str| line.contains("error:") || line.contains("warning:");
            let is_known = |line: &str| KNOWN_COMPLAINTS.iter().any(|known| line.contains(known));
            let complaint = text.lines().filter(is_complaint).find(|line| !is_known(line));
            assert!(complaint.is_none(), "{} {options:?}: {complaint:?}", entry.name());
            let known = text.lines().filter(is_complaint).count();
            assert!(run.status.success() || known > 0, "{} {options:?}: {}", entry.name(), run.status);
        }
        read += 1;
    }
    println!("llvm-dwarfdump reads {read} debug-only objects");
}

/// A tool of LLVM from `PATH`; `None` where it is missing and may be.
fn llvm_tool(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file());
    if found.is_none() {
        support::skip(name, "REQUIRE_ORACLES");
    }
    found
}
