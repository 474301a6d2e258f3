//! Fuzz target: the bytes of `.debug_line` or `.nv_debug_line_sass`, with NVIDIA's opcodes.
//! Decoding what was encoded gives the same tables.
//!
//! Numbers may be padded and a row has several encodings, so the first encoding may be shorter; the
//! second has the bytes of the first. The writer refuses exactly the tables whose parameters it
//! does not know, whose files, contexts or names take more than 32 bits, or whose addresses do not
//! ascend in whole units.

use crate::Target;
use crate::seeds::sections_of;
use crate::support::decoded;
use dwarf2_writer::Address;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line::{self, LineOp, LineTable, Sequence};

/// What errors call the section.
const NAME: &str = SectionKind::DebugLine.name();

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    let tables = sections_of(&[SectionKind::DebugLine, SectionKind::NvDebugLineSass]);
    target.run_on_damaged(60_000, &tables);
}

/// Decodes `data`, encodes each table, and decodes that.
pub(crate) fn run(data: &[u8]) {
    let Some(tables) = decoded(data, line::decode(NAME, data)) else { return };
    for table in &tables {
        // A unit's rows are numbered from 1 and carry what the program says.
        for sequence in &table.sequences {
            let rows = sequence.ops.iter().filter(|op| matches!(op, LineOp::Row { .. })).count();
            assert!(table.rows(sequence).map(|row| row.number as usize).eq(1..=rows));
        }
        let encoded = line::encode(NAME, table, None, |_, sequence| Address::Constant(sequence.base));
        assert_eq!(encoded.is_ok(), is_writable(table), "{encoded:?}");
        let Ok(section) = encoded else { continue };
        let again = line::decode(NAME, &section.bytes).expect("what was encoded can be decoded");
        let [again] = &*again else { panic!("one unit was encoded") };
        assert_eq!(placeless(again), placeless(table));
        let second = line::encode(NAME, again, None, |_, sequence| Address::Constant(sequence.base));
        assert_eq!(second.expect("encoded before").bytes, section.bytes);
    }
}

/// A table without the places of its fields, which move when something before them gets shorter.
fn placeless<'d>(table: &LineTable<'d>) -> LineTable<'d> {
    let mut table = table.clone();
    table.sequences.iter_mut().for_each(|sequence| sequence.base_offset = 0);
    table
}

/// What the writer takes, as its documentation has it: usable parameters, numbers of at most 32
/// bits, addresses that ascend in whole units.
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
