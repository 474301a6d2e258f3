//! Address maps from a cubin alone: what the symbol tables and the PTX line tables of both spaces say.

use crate::address_map::{AddressMap, Lines};
use crate::policy::merc_name;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::line::{self, LineOp, Sequence};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::relocated::Relocated;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, HashMap};

/// One code section in both spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeMap {
    /// The native section, `.text.F`.
    pub native: SectionIndex,
    /// Its capsule, `.nv.capmerc.text.F`.
    pub mercury: SectionIndex,
    /// The native symbol that line tables name it by.
    pub symbol: SymbolIndex,
    /// Native addresses of functions, ascending.
    pub starts: Vec<u64>,
    /// Native size in bytes, padding included.
    pub size: u64,
    /// Where native instructions come from.
    pub map: AddressMap,
}

/// The maps of all code sections that `.nv_debug_line_sass` has lines of, in its order; none in a file without these tables.
///
/// Code that comes from no PTX instruction has the line of the function's `{`, which a flagged row of the Mercury table says.
///
/// # Errors
///
/// That of [`Cubin::expect_short_names`]; a table cannot be read, a sequence is of no code section or the second of one, or a code
/// section has no capsule with lines of the same function.
pub fn code_maps(cubin: &Cubin<'_>) -> Result<Vec<CodeMap>> {
    cubin.expect_short_names()?;
    let native = Tables::read(cubin, Space::Native)?;
    let mercury = Tables::read(cubin, Space::Mercury)?;
    native
        .sequences
        .iter()
        .map(|(index, place)| code_map(cubin, (*index, place), &native, &mercury))
        .collect()
}

/// The PTX line table of one space.
struct Tables {
    name: String,
    /// By code section, in the order of the table.
    sequences: Vec<(SectionIndex, PtxLines)>,
    by_section: HashMap<SectionIndex, usize>,
    /// Address of each function, by section and name.
    functions: HashMap<SectionIndex, BTreeMap<String, u64>>,
}

struct PtxLines {
    offset: u64,
    symbol: SymbolIndex,
    lines: Vec<(u64, u32)>,
    /// Address and line of the rows that are flagged as those of a function's entry: of its `{`, where it has PTX. Mercury only.
    entries: BTreeMap<u64, u32>,
}

impl Tables {
    fn read(cubin: &Cubin<'_>, space: Space) -> Result<Self> {
        let native = SectionKind::NvDebugLineSass.name();
        let name = match space {
            Space::Native => native.to_owned(),
            Space::Mercury => merc_name(native).unwrap_or_default(),
        };
        let mut all =
            Self { name, sequences: Vec::new(), by_section: HashMap::new(), functions: HashMap::new() };
        let symtab = match space {
            Space::Native => cubin.symtab(),
            Space::Mercury => cubin.mercury_symtab(),
        };
        let (Some(symtab), Some(index)) = (symtab, cubin.section_by_name(&all.name)) else { return Ok(all) };
        for (symbol, number) in cubin.symbols_of(symtab).iter().zip(0..) {
            if let Some(section) = symbol.section().filter(|_| symbol.is_function()) {
                let name = cubin.symbol_name_in(symtab, SymbolIndex(number)).to_owned();
                all.functions.entry(section).or_default().insert(name, symbol.value);
            }
        }
        let view = Relocated::new(cubin);
        let section = view.section(index)?;
        for table in line::decode(&all.name, &section.bytes)? {
            for sequence in &table.sequences {
                let offset = sequence.base_offset;
                let target = section.target(offset);
                let (code, symbol) =
                    target.and_then(|target| Some((target.section?, target.symbol))).ok_or_else(|| {
                        fault(&all.name, offset, "the sequence's address leads to no code section")
                    })?;
                if all.by_section.insert(code, all.sequences.len()).is_some() {
                    return Err(fault(&all.name, offset, "a second sequence for the same code section"));
                }
                let (lines, entries) = (sequence.line_changes().collect(), entries(sequence));
                all.sequences.push((code, PtxLines { offset, symbol, lines, entries }));
            }
        }
        Ok(all)
    }
}

fn fault(section: &str, offset: u64, message: &str) -> Error {
    Error::new(section, offset, ErrorKind::Other(message.to_owned()))
}

/// Address and line of the rows that are flagged.
fn entries(sequence: &Sequence) -> BTreeMap<u64, u32> {
    let mut is_entry = false;
    let mut entries = BTreeMap::new();
    for op in &sequence.ops {
        match *op {
            LineOp::EntryRow(flag) => is_entry = flag != 0,
            LineOp::Row { address, line } if is_entry => {
                entries.entry(address).or_insert(line);
            }
            _ => {}
        }
    }
    entries
}

fn code_map(
    cubin: &Cubin<'_>,
    (native, place): (SectionIndex, &PtxLines),
    here: &Tables,
    there: &Tables,
) -> Result<CodeMap> {
    let missing = |message: &str| fault(&here.name, place.offset, message);
    let name = cubin.section_name(native);
    let mercury = merc_name(name).and_then(|clone| cubin.section_by_name(&clone));
    let mercury = mercury.ok_or_else(|| missing("the code section has no capsule"))?;
    let lines_there = there.by_section.get(&mercury).and_then(|index| there.sequences.get(*index));
    let (_, lines_there) = lines_there.ok_or_else(|| missing("the capsule has no PTX lines"))?;

    let (none, addresses_there) = (BTreeMap::new(), there.functions.get(&mercury));
    let pair = |(name, native): (&String, &u64)| {
        let mercury = *addresses_there.unwrap_or(&none).get(name)?;
        Some(AddressPair { native: *native, mercury })
    };
    let mut starts: Vec<AddressPair> =
        here.functions.get(&native).unwrap_or(&none).iter().filter_map(pair).collect();
    starts.sort_unstable_by_key(|start| start.native);
    starts.dedup_by_key(|start| start.native);

    let opening = &lines_there.entries;
    let by_native: BTreeMap<u64, u32> =
        starts.iter().filter_map(|start| Some((start.native, *opening.get(&start.mercury)?))).collect();
    let opening_lines: Vec<u32> = opening.values().copied().collect();
    let map = AddressMap::recover(Lines {
        native: &without_opening_rows(&place.lines, &by_native),
        mercury: &without_opening_rows(&lines_there.lines, opening),
        starts: &starts,
        opening_lines: &opening_lines,
    });
    let size = cubin.bytes(native)?.len() as u64;
    let starts = starts.iter().map(|start| start.native).collect();
    Ok(CodeMap { native, mercury, symbol: place.symbol, starts, size, map })
}

/// The changes without the first at each of `opening`, addresses and lines, if it is on that line.
fn without_opening_rows(lines: &[(u64, u32)], opening: &BTreeMap<u64, u32>) -> Vec<(u64, u32)> {
    let mut kept = Vec::with_capacity(lines.len());
    let mut before = None;
    for &(address, line) in lines {
        let is_first = before != Some(address);
        before = Some(address);
        if !(is_first && opening.get(&address) == Some(&line)) {
            kept.push((address, line));
        }
    }
    // An opening row that is on the line of the function's first code.
    kept.dedup();
    kept
}
