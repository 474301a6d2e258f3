//! Section bytes -> values -> section bytes, for each codec of `nv-debug-sections`.
//!
//! Sections without alternative encodings come back byte for byte. The others (LEB128 may be padded, the same row has
//! several opcodes) come back as the same values, and the bytes of the second round are those of the first.

use dwarf2_writer::{Address, SymbolId};
use nv_debug_sections::frame::{self, Entry, FieldSymbol, FieldSymbols};
use nv_debug_sections::line::{self, LineOp, LineTable, Sequence};
use nv_debug_sections::ptx_txt::{self, PtxText};
use nv_debug_sections::reloc::DebugReloc;
use nv_debug_sections::{Result, reg_sass, reg_type, tkinfo};

/// Decodes `data` as every kind of section.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    exact(data, PtxText::decode(data), |text| ptx_txt::encode(text.lines()));
    exact(data, reg_sass::decode(data), |functions| reg_sass::encode(functions));
    exact(data, reg_type::decode(data), |functions| reg_type::encode(functions));
    let _ = decoded(data, tkinfo::decode(data));
    lines(data);
    frames(data);
}

/// `decoded`, if there is nothing wrong with it; errors lie in the data.
fn decoded<T>(data: &[u8], decoded: Result<T>) -> Option<T> {
    decoded.inspect_err(|error| assert!(error.offset() <= data.len() as u64, "{error}")).ok()
}

/// The law of sections that say everything in one way only: `encode(decode(b)) == b` for any `b` that decodes.
fn exact<T>(data: &[u8], result: Result<T>, encode: impl Fn(&T) -> Result<Vec<u8>>) {
    if let Some(values) = decoded(data, result) {
        assert_eq!(encode(&values).expect("what was decoded can be encoded"), data);
    }
}

fn lines(data: &[u8]) {
    let Some(tables) = decoded(data, line::decode(".debug_line", data)) else { return };
    for table in &tables {
        // A unit's rows are numbered from 1 and carry what the program says.
        for sequence in &table.sequences {
            let rows = sequence.ops.iter().filter(|op| matches!(op, LineOp::Row { .. })).count();
            assert!(table.rows(sequence).map(|row| row.number as usize).eq(1..=rows));
        }
        let encoded =
            line::encode(".debug_line", table, None, |_, sequence| Address::Constant(sequence.base));
        assert_eq!(encoded.is_ok(), is_writable(table), "{encoded:?}");
        let Ok(section) = encoded else { continue };
        let again = line::decode(".debug_line", &section.bytes).expect("what was encoded can be decoded");
        let [again] = &*again else { panic!("one unit was encoded") };
        assert_eq!(placeless(again), placeless(table));
        let second = line::encode(".debug_line", again, None, |_, sequence| Address::Constant(sequence.base));
        assert_eq!(second.expect("encoded before").bytes, section.bytes);
    }
}

/// A table without the places of its fields, which move when something before them gets shorter.
fn placeless<'d>(table: &LineTable<'d>) -> LineTable<'d> {
    let mut table = table.clone();
    table.sequences.iter_mut().for_each(|sequence| sequence.base_offset = 0);
    table
}

/// What the writer takes, as its documentation has it: usable parameters, numbers of at most 32 bits, addresses that ascend
/// in whole units.
fn is_writable(table: &LineTable<'_>) -> bool {
    let unit = table.params.minimum_instruction_length;
    let narrow = |number: u64| u32::try_from(number).is_ok();
    let mut ops = table.sequences.iter().flat_map(|sequence| &sequence.ops);
    unit != 0
        && table.files.iter().all(|file| narrow(file.directory))
        && ops.all(|op| match *op {
            LineOp::SetFile(file) => narrow(file),
            LineOp::InlinedCall { context, name } => narrow(context) && narrow(name),
            _ => true,
        })
        && (10..=13).contains(&table.params.opcode_base)
        && table.sequences.iter().all(|sequence| ascends(sequence, unit.into()))
}

fn ascends(sequence: &Sequence, unit: u64) -> bool {
    let addresses = sequence.ops.iter().filter_map(|op| match op {
        LineOp::Advance(address) | LineOp::Row { address, .. } => Some(*address),
        _ => None,
    });
    let mut at = sequence.base;
    addresses.chain([sequence.end]).all(|address| {
        let next = sequence.base.wrapping_add(address);
        let step = next.checked_sub(std::mem::replace(&mut at, next));
        step.is_some_and(|step| i64::try_from(step).is_ok() && step.is_multiple_of(unit))
    })
}

fn frames(data: &[u8]) {
    let Some(mut entries) = decoded(data, frame::decode(data, &FieldSymbols::new())) else { return };
    assert_frames(&entries);
    // In a cubin both address fields of an FDE are relocated.
    for (symbol, entry) in (1..).zip(&mut entries) {
        if let Entry::Fde(fde) = entry
            && let Address::Constant(address) = fde.initial_location
        {
            fde.initial_location = Address::Symbol { symbol: SymbolId(symbol), addend: address as i64 };
            fde.range_symbol = Some(SymbolId(symbol));
        }
    }
    assert_frames(&entries);
}

/// Entries survive, with their symbols given by their relocations, all of which are filed.
fn assert_frames(entries: &[Entry]) {
    let section = frame::encode(entries, None).expect("what was decoded can be encoded");
    let relocs = frame::debug_relocs(&section);
    let symbol = |reloc: &DebugReloc| FieldSymbol {
        symbol: SymbolId(reloc.symbol.0),
        addend: reloc.addend,
        width: reloc.kind.row().width,
        action: reloc.kind.row().action,
    };
    let symbols = relocs.iter().map(|reloc| (reloc.offset, symbol(reloc))).collect();
    let again = frame::decode(&section.bytes, &symbols);
    assert_eq!(again.expect("what was encoded can be decoded"), entries);
    let mut filed: Vec<u64> = relocs.iter().map(|reloc| reloc.offset).collect();
    filed.sort_unstable();
    assert!(filed.iter().eq(section.relocs.iter().map(|reloc| &reloc.offset)));
}
