//! Section bytes -> values -> section bytes, for each codec of `nv-debug-sections`; register operands; `.nv_debug.shared`.
//!
//! Sections without alternative encodings come back byte for byte. The others (LEB128 may be padded, the same row has
//! several opcodes) come back as the same values, and the bytes of the second round are those of the first.

use dwarf2_writer::{Address, SymbolId};
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::frame::{self, Entry, FieldSymbol, FieldSymbols};
use nv_debug_sections::line::{self, LineOp, LineTable, Sequence};
use nv_debug_sections::nv_info::{self, KernelParameter};
use nv_debug_sections::ptx_txt::{self, NumberedText, PtxText};
use nv_debug_sections::register::{DwarfRegister, pack_name};
use nv_debug_sections::reloc::DebugReloc;
use nv_debug_sections::shared_window::{self, SharedVariable, SharedWindow, Stage};
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
    exact(data, nv_info::decode(nv_info::NAME, data), |records| nv_info::encode(nv_info::NAME, records));
    texts(data);
    records(data);
    register_operand(data);
    shared_window(data);
    let _ = decoded(data, tkinfo::decode(data));
    lines(data);
    frames(data);
}

/// Lines by number are the lines in order; what the filter leaves of a text it leaves as it is.
fn texts(data: &[u8]) {
    if let (Ok(text), Ok(numbered)) = (PtxText::decode(data), NumberedText::decode(data)) {
        assert!((1..).map_while(|line| numbered.line(line)).eq(text.lines()));
        assert_eq!(numbered.line_count(), text.lines().count());
    }
    // Blanks behind a leading carriage return stay, and go the next time.
    if !data.contains(&b'\r')
        && let Ok(filtered) = ptx_txt::from_ptx(data)
    {
        let text = PtxText::decode(&filtered).expect("encoded");
        assert_eq!(ptx_txt::from_ptx(&text.to_ptx()).expect("filtered before"), filtered);
    }
}

/// Symbols are words, and replacing them by themselves changes nothing; what is known of functions comes from records.
fn records(data: &[u8]) {
    let Ok(mut records) = nv_info::decode(nv_info::NAME, data) else { return };
    assert!(nv_info::functions(&records).len() <= records.len());
    assert!(nv_info::exit_offsets(&records).count() <= data.len() / 4);
    for parameter in nv_info::parameters(&records) {
        let bytes = parameter.to_bytes().expect("fields came from their bits");
        assert_eq!(KernelParameter::from_bytes(bytes), parameter);
    }
    for record in &mut records {
        assert!(record.words().zip(record.symbols()).all(|(word, symbol)| word == symbol.0));
        record.map_symbols(|symbol| symbol);
    }
    assert_eq!(nv_info::encode(nv_info::NAME, &records).expect("decoded before"), data);
}

/// The operand of `DW_OP_regx`: as gimli reads the number, and back.
fn register_operand(data: &[u8]) {
    let len = data.iter().position(|byte| byte & 0x80 == 0).map_or(0, |last| last + 1);
    let operand = &data[..len];
    let register = DwarfRegister::from_uleb(operand);
    let number = gimli::leb128::read::unsigned(&mut gimli::EndianSlice::new(operand, gimli::LittleEndian));
    if let (Ok(number), true) = (number, len > 0) {
        assert_eq!(register, DwarfRegister::from_number(number));
        assert_eq!(register.number().expect("at most 64 bits"), number);
    }
    if let (DwarfRegister::Ptx(name), Ok(number)) = (&register, register.number()) {
        assert_eq!(pack_name(name).expect("packed before"), number);
    }
}

/// The law of `.nv_debug.shared`, on a header and symbols made of the data.
fn shared_window(data: &[u8]) {
    let [stage, align, size, rest @ ..] = data else { return };
    let stage = if stage % 2 == 0 { Stage::Linked } else { Stage::Unlinked };
    let variables = rest.chunks_exact(3).map(|chunk| SharedVariable {
        name: "v",
        binding: chunk[0],
        value: chunk[1].into(),
        size: chunk[2].into(),
    });
    let window = SharedWindow {
        stage,
        size: u64::from(*size) << 2,
        align: u64::from(*align),
        variables: variables.collect(),
    };
    let index = SectionIndex(7);
    let narrow = window.variables.iter().all(|variable| variable.binding < 16);
    let encoded = shared_window::encode(&window, index);
    assert_eq!(encoded.is_ok(), narrow && window.align.is_power_of_two());
    if let Ok((section, symbols)) = encoded {
        let again = shared_window::decode(&section, index, symbols.iter().map(|symbol| ("v", symbol)));
        assert_eq!(again.expect("encoded"), window);
    }
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
            LineOp::SetFile(number) | LineOp::SetFunctionName(number) => narrow(number),
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
