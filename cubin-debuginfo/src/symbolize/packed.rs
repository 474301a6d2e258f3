//! Rows of fixed size: they are found, and followed to their callers, without running a line
//! program.
//!
//! Rows stay in program order, because a call site mostly stands right before what is inlined
//! there: a chain then costs the cache line that the row itself has brought, or one near it.

use std::collections::HashMap;
use std::ops::Range;

use super::row_walker::NumberedRow;
use nv_debug_sections::line::LineRow;

/// Rows between two [`PackedRows::steps`]: two cache lines.
const STEP: usize = 8;
/// Bits of [`PackedRow::shape`] that number a [`Shape`]; those above are the row's depth.
const SHAPE_BITS: u32 = 24;
const MAX_SHAPES: usize = 1 << SHAPE_BITS;
const MAX_DEPTH: u32 = u32::MAX >> SHAPE_BITS;

#[derive(Debug, Clone, Copy)]
struct PackedRow {
    /// Relative to the sequence's start.
    address: u32,
    line: u32,
    call: Call,
    shape: u32,
}

/// Where a row is inlined: 0 for nowhere, else the call site's 1-based number among all rows of the
/// sequence, or with [`LOST`] a context that names no earlier row.
#[derive(Debug, Clone, Copy)]
struct Call(u32);

const LOST: u32 = 1 << 31;

/// What many rows of a unit have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// 0-based number of the unit.
    pub(super) unit: u32,
    pub(super) file: u32,
    /// Name operand.
    pub(super) name: u32,
    pub(super) column: u32,
    is_stmt: bool,
    entry: bool,
}

/// The rows of many sequences, each a range of indices.
#[derive(Debug, Clone, Default)]
pub(super) struct PackedRows {
    rows: Vec<PackedRow>,
    /// Addresses of rows 0, [`STEP`], twice that, ...: a search goes through these first.
    steps: Vec<u32>,
    shapes: Vec<Shape>,
    /// Rows that contexts do not count (see [`Rows::new`](nv_debug_sections::line::Rows::new)),
    /// ascending.
    uncounted: Vec<u32>,
}

/// What is needed while rows are added.
#[derive(Debug, Default)]
pub(super) struct PackedRowsBuilder {
    unit: u32,
    /// First row of the sequence.
    first: usize,
    first_uncounted: usize,
    /// The rows of the sequence that contexts count, relative to its first.
    counted: Vec<u32>,
    shapes: HashMap<Shape, u32, foldhash::fast::RandomState>,
    last: Option<(Shape, u32)>,
}

/// What a frame shows of a row; the rest is the same for all rows of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameFields {
    /// Index into [`PackedRows::shapes`].
    pub(super) shape: usize,
    pub(super) line: u32,
    /// Whether the row is in an inlined function.
    pub(super) inlined: bool,
    /// A context that names no earlier row.
    pub(super) lost_context: Option<u64>,
    /// The call site: an index relative to the sequence's first row.
    pub(super) caller: Option<usize>,
}

impl PackedRowsBuilder {
    /// For the rows of a unit, given by its 0-based number.
    pub(super) fn of(unit: u32) -> Self {
        Self { unit, ..Self::default() }
    }

    /// Begins a sequence.
    pub(super) fn start(&mut self, rows: &PackedRows) {
        (self.first, self.first_uncounted) = (rows.rows.len(), rows.uncounted.len());
        self.counted.clear();
    }

    /// The rows of the sequence so far.
    pub(super) fn range(&self, rows: &PackedRows) -> Range<usize> {
        self.first..rows.rows.len()
    }

    /// The number of a shape; `None` where there are too many.
    fn shape(&mut self, shape: Shape, shapes: &mut Vec<Shape>) -> Option<u32> {
        if let Some((last, number)) = self.last
            && last == shape
        {
            return Some(number);
        }
        let next = shapes.len();
        let number = match self.shapes.get(&shape) {
            Some(number) => *number,
            None if next < MAX_SHAPES => {
                shapes.push(shape);
                self.shapes.insert(shape, next as u32);
                next as u32
            }
            None => return None,
        };
        self.last = Some((shape, number));
        Some(number)
    }
}

impl PackedRows {
    /// Adds a row, whose numbers have 32 bits and whose address is not less than that of the row
    /// before; whether it can be packed.
    pub(super) fn push(&mut self, found: &NumberedRow, packing: &mut PackedRowsBuilder) -> bool {
        let NumberedRow { row, seen, counted } = found;
        let call = match row.context as u32 {
            0 => Call(0),
            context if context <= *seen => {
                let at = packing.counted.get(context as usize - 1);
                Call(at.map_or(0, |at| at + 1))
            }
            context => Call(context | LOST),
        };
        let depth = match call.row() {
            Some(caller) => self.rows.get(packing.first + caller).map_or(0, |caller| caller.depth() + 1),
            None => 0,
        };
        let (file, name, column) = (row.file as u32, row.name as u32, row.column as u32);
        let shape = Shape { unit: packing.unit, file, name, column, is_stmt: row.is_stmt, entry: row.entry };
        let shape = packing.shape(shape, &mut self.shapes);
        let index = self.rows.len();
        let fits = row.context < LOST.into() && depth <= MAX_DEPTH && index < LOST as usize;
        let (true, Some(shape)) = (fits, shape) else { return false };
        if index.is_multiple_of(STEP) {
            self.steps.push(row.address as u32);
        }
        if *counted {
            packing.counted.push((index - packing.first) as u32);
        } else {
            self.uncounted.push(index as u32);
        }
        let shape = shape | depth << SHAPE_BITS;
        self.rows.push(PackedRow { address: row.address as u32, line: row.line, call, shape });
        true
    }

    /// Takes the rows of the last sequence away.
    pub(super) fn undo(&mut self, packing: &PackedRowsBuilder) {
        self.rows.truncate(packing.first);
        self.steps.truncate(packing.first.div_ceil(STEP));
        self.uncounted.truncate(packing.first_uncounted);
    }

    /// Bytes that `rows` rows take.
    pub(super) fn bytes_of(rows: usize) -> usize {
        rows * size_of::<PackedRow>() + rows / STEP * size_of::<u32>()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
        self.steps.shrink_to_fit();
        self.shapes.shrink_to_fit();
        self.uncounted.shrink_to_fit();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<PackedRow>() * self.rows.capacity()
            + size_of::<u32>() * (self.steps.capacity() + self.uncounted.capacity())
            + size_of::<Shape>() * self.shapes.capacity()
    }

    /// Where [`at_step`](Self::at_step) looks for an offset: how many of [`steps`](Self::steps)
    /// come before the end of that.
    #[inline]
    pub(super) fn step(&self, sequence: &Range<usize>, offset: u64) -> Option<usize> {
        let (first, last) = (sequence.start.div_ceil(STEP), sequence.end.div_ceil(STEP));
        Some(first + self.steps.get(first..last)?.partition_point(|address| u64::from(*address) <= offset))
    }

    /// The last row of a sequence at or before `offset`, given its [`step`](Self::step).
    #[inline]
    pub(super) fn at_step(&self, sequence: &Range<usize>, step: usize, offset: u64) -> Option<usize> {
        let start = step.saturating_sub(1).saturating_mul(STEP).max(sequence.start);
        let end = step.saturating_mul(STEP).min(sequence.end);
        let rows = self.rows.get(start..end)?;
        // All at once, so that their cache lines are waited for together.
        let after = start + rows.iter().filter(|row| u64::from(row.address) <= offset).count();
        (after > sequence.start).then(|| after - 1)
    }

    /// Address of row `index`, relative to its sequence's start.
    pub(super) fn address(&self, index: usize) -> u64 {
        self.rows.get(index).map_or(0, |row| row.address.into())
    }

    /// What a frame shows of row `index`.
    #[inline]
    pub(super) fn spot(&self, index: usize) -> Option<FrameFields> {
        let row = self.rows.get(index)?;
        Some(FrameFields {
            shape: row.shape(),
            line: row.line,
            inlined: row.call.0 != 0,
            lost_context: row.call.lost(),
            caller: row.call.row(),
        })
    }

    /// All shapes; [`Spot::shape`] is an index.
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// How many callers row `index` has.
    #[inline]
    pub(super) fn depth(&self, index: usize) -> usize {
        self.rows.get(index).map_or(0, |row| row.depth() as usize)
    }

    /// Row `index` as it was.
    pub(super) fn row(&self, sequence: &Range<usize>, index: usize) -> Option<LineRow> {
        let row = self.rows.get(index)?;
        let shape = self.shapes.get(row.shape())?;
        let context = match row.call.row() {
            Some(caller) => {
                let before = |row: usize| self.uncounted.partition_point(|at| (*at as usize) < row);
                let uncounted = before(sequence.start + caller) - before(sequence.start);
                (caller + 1 - uncounted) as u64
            }
            None => row.call.lost().unwrap_or(0),
        };
        Some(LineRow {
            number: (index - sequence.start + 1) as u32,
            address: row.address.into(),
            file: shape.file.into(),
            line: row.line,
            column: shape.column.into(),
            context,
            name: shape.name.into(),
            is_stmt: shape.is_stmt,
            entry: shape.entry,
        })
    }
}

impl PackedRow {
    #[inline]
    fn shape(&self) -> usize {
        self.shape as usize & (MAX_SHAPES - 1)
    }

    #[inline]
    fn depth(&self) -> u32 {
        self.shape >> SHAPE_BITS
    }
}

impl Call {
    /// The call site, 0-based in the sequence.
    #[inline]
    fn row(self) -> Option<usize> {
        if self.0 < LOST { self.0.checked_sub(1).map(|row| row as usize) } else { None }
    }

    #[inline]
    fn lost(self) -> Option<u64> {
        (self.0 >= LOST).then_some(u64::from(self.0 & !LOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwarf2_writer::line::Params;
    use nv_debug_sections::line::RowTable;
    use nv_debug_sections::line::{LineOp, LineTable, Sequence};
    use proptest::prelude::*;

    fn op() -> impl Strategy<Value = LineOp> {
        prop_oneof![
            6 => (0..3_u64, 0..4_u32).prop_map(|(by, line)| LineOp::Row { address: by * 16, line }),
            2 => (0..9_u64, 0..3_u64).prop_map(|(context, name)| LineOp::InlinedCall { context, name }),
            1 => (0..3_u64).prop_map(LineOp::SetFile),
            1 => Just(LineOp::NegateStmt),
            1 => (0..2_u64).prop_map(LineOp::SetColumn),
        ]
    }

    /// A sequence, whose row addresses are given as advances.
    fn rows(mut ops: Vec<LineOp>) -> RowTable {
        let mut end = 0;
        for op in &mut ops {
            if let LineOp::Row { address, .. } = op {
                end += *address;
                *address = end;
            }
        }
        let sequence = Sequence { base: 0, base_offset: 0, ops, end: end + 16 };
        let params = Params::default();
        let (directories, files, sequences) = (vec![], vec![], vec![]);
        let table =
            LineTable { params, directories, files, debug_str_base: None, sequences, has_lone_end: false };
        RowTable::new(0, &table, &sequence)
    }

    proptest! {
        /// Packed rows are the rows they were made of, wherever in the table they stand.
        #[test]
        fn packed_rows_answer_as_rows_do(sequences in prop::collection::vec(prop::collection::vec(op(), 0..60), 1..4)) {
            let (mut packed, mut packing) = (PackedRows::default(), PackedRowsBuilder::default());
            let mut all = Vec::new();
            for ops in sequences {
                let rows = rows(ops);
                packing.start(&packed);
                for undone in [true, false] {
                    let mut seen = 0;
                    for (index, row) in rows.all().iter().enumerate() {
                        let counted = rows.row_number(index).is_some();
                        let found = NumberedRow { row: *row, seen, counted };
                        prop_assert!(packed.push(&found, &mut packing));
                        seen += u32::from(counted);
                    }
                    if undone {
                        packed.undo(&packing);
                        packing.start(&packed);
                    }
                }
                all.push((packing.range(&packed), rows));
            }
            for (range, rows) in all {
                let own = |index: usize| index + range.start;
                for (index, row) in rows.all().iter().enumerate() {
                    prop_assert_eq!(packed.row(&range, own(index)), Some(*row));
                    let spot = packed.spot(own(index)).unwrap();
                    prop_assert_eq!(spot.caller, rows.caller(index));
                    prop_assert_eq!(spot.inlined, row.context != 0);
                    prop_assert_eq!(packed.depth(own(index)), rows.depth(index));
                    let lost = row.context != 0 && rows.caller(index).is_none();
                    prop_assert_eq!(spot.lost_context, lost.then_some(row.context));
                }
                for offset in 0..rows.end() {
                    let step = packed.step(&range, offset).unwrap();
                    prop_assert_eq!(packed.at_step(&range, step, offset), rows.at(offset).map(own));
                }
            }
        }
    }
}
