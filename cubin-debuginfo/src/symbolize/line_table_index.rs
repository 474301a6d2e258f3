//! An index of a line section by address. Rows of inlined code are stored with a fixed size; other
//! rows are decoded from the section's bytes.
//!
//! A row takes 1 to 12 bytes in a line program, 56 as a value and 16 in [`PackedRows`]. With
//! inlined calls packed rows take about what their program does, and a chain of callers is followed
//! without running anything. Without, the program itself is the smaller table: a lookup finds the
//! last [`Mark`] before an address and runs the program from there.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::packed::{PackedRows, PackedRowsBuilder, Shape};
use super::row_walker::RowWalker;
use crate::limits::MAX_ROWS_BESIDE_MARKS;
use dwarf2_reader::Cursor;
use dwarf2_writer::line::Params;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::line::RowTable;
use nv_debug_sections::line::{self, LineRow, LineState, LineTable, Step, UnitProgram};
use nv_debug_sections::{Error, Result};

/// The bytes of a program between two checkpoints. A checkpoint takes 28 bytes, so all of them
/// together take about as many as the section.
const CHECKPOINT_EVERY: u64 = 32;
/// Longer programs have no checkpoints: [`Checkpoint::next`] has two bits for flags.
const MAX_PROGRAM: u64 = 1 << 30;

/// A row that is not inlined, with the state from which its program can be run on.
#[derive(Debug, Clone, Copy)]
struct Checkpoint {
    address: u32,
    line: u32,
    file: u32,
    column: u32,
    name: u32,
    number: u32,
    /// The byte offset after the row's opcode, from the program's start. The high bits are flags:
    /// `is_stmt`, `entry`.
    next: u32,
}

const IS_STMT: u32 = 1 << 31;
const ENTRY: u32 = 1 << 30;

/// How the rows of a sequence are stored: packed, as checkpoints of its program, or as values.
#[derive(Debug, Clone, Copy)]
enum RowStorage {
    /// Range of [`LineTableIndex::packed`].
    Packed(u32, u32),
    /// Range of [`LineTableIndex::marks`]. No row is inlined.
    Marked(u32, u32),
    /// Addresses go back or numbers have more than 32 bits, which no tool writes; index into
    /// [`LineTableIndex::expanded`].
    Expanded(u32),
}

#[derive(Debug, Clone)]
struct SequenceEntry {
    section: SectionIndex,
    unit: u32,
    /// Byte offset in the code section.
    start: u64,
    /// Relative to `start`; not that of expanded rows.
    end: u32,
    /// Byte offset of the first opcode in the line section, of marked rows.
    program: u32,
    form: RowStorage,
}

/// An index of a line table (`.debug_line` or `.nv_debug_line_sass`), for lookup by code section
/// and address.
#[derive(Debug, Clone, Default)]
pub struct LineTableIndex<'c> {
    bytes: Cow<'c, [u8]>,
    /// By unit.
    params: Vec<Params>,
    /// By unit: whether a row has a context.
    contexts: Vec<bool>,
    /// By code section, then by start.
    entries: Vec<SequenceEntry>,
    /// By index of a section of the file, and one more: where its entries start.
    first: Vec<u32>,
    packed: PackedRows,
    checkpoints: Vec<Checkpoint>,
    expanded: Vec<RowTable>,
    unplaced: usize,
    /// By number of a stretch of code: where the first row is that may cover it, see
    /// [`covered_ranges`](super::covered_ranges).
    pub(super) first_rows: Vec<u64>,
}

/// The kinds of storage that a sequence allows.
#[derive(Debug, Clone, Copy)]
struct PossibleStorage {
    packed: bool,
    marked: bool,
    /// Rows were given up for marks.
    has_given_up: bool,
}

/// What is collected while a section is read, and dropped afterwards.
#[derive(Debug, Default)]
struct Scratch {
    packing: PackedRowsBuilder,
    /// Names that the rows of one unit use.
    names: Vec<u64>,
}

impl<'c> LineTableIndex<'c> {
    /// Indexes a line section. `relocated` are its bytes with relocations applied; kept are those
    /// as they stand in the file, `bytes`, because relocations change only headers and the operands
    /// of `DW_LNE_set_address`. `place` gives code section and offset of a sequence, from its base
    /// and the base's byte offset, of a file with `section_count` sections; `each` sees every
    /// unit's header and the names that its rows use, ascending.
    pub(super) fn new(
        section: &str,
        bytes: Cow<'c, [u8]>,
        relocated: &[u8],
        section_count: usize,
        mut place: impl FnMut(u64, u64) -> Option<(SectionIndex, u64)>,
        mut each: impl FnMut(&LineTable<'_>, Vec<u64>) -> Result<()>,
    ) -> Result<Self> {
        let mut index = Self::default();
        let mut scratch = Scratch::default();
        for unit in line::unit_programs(section, relocated) {
            let UnitProgram { table, mut program, .. } = unit?;
            while !program.is_empty() {
                let added = index.add(&table, &mut program, &mut place, &mut scratch);
                added.map_err(|error| Error::from(error).rebased(section, 0))?;
            }
            index.params.push(table.params);
            scratch.packing = PackedRowsBuilder::of(index.params.len() as u32);
            let mut names = std::mem::take(&mut scratch.names);
            index.contexts.push(!names.is_empty());
            names.sort_unstable();
            names.dedup();
            each(&table, names)?;
        }
        index.bytes = bytes;
        index.entries.sort_by_key(|entry| (entry.section, entry.start));
        let first =
            |section: usize| index.entries.partition_point(|entry| entry.section.as_usize() < section);
        index.first = (0..=section_count).map(|section| first(section) as u32).collect();
        index.entries.shrink_to_fit();
        index.packed.shrink_to_fit();
        index.checkpoints.shrink_to_fit();
        Ok(index)
    }

    /// Reads one sequence and files it.
    fn add(
        &mut self,
        table: &LineTable<'_>,
        cursor: &mut Cursor<'_>,
        place: &mut impl FnMut(u64, u64) -> Option<(SectionIndex, u64)>,
        scratch: &mut Scratch,
    ) -> dwarf2_reader::Result<()> {
        let whole = cursor.clone();
        let (base, base_offset) = line::set_address(cursor)?;
        let program = cursor.offset();
        let first_mark = self.checkpoints.len();
        let Scratch { packing, names } = scratch;
        packing.start(&self.packed);
        let mut walk = RowWalker::new(cursor.clone(), table.params);
        let first_name = names.len();
        let mut fits = self.read(&mut walk, program, packing, names, true)?;
        if !fits.marked && fits.has_given_up {
            // Marks were to do, and do not.
            self.checkpoints.truncate(first_mark);
            names.truncate(first_name);
            packing.start(&self.packed);
            walk = RowWalker::new(cursor.clone(), table.params);
            fits = self.read(&mut walk, program, packing, names, false)?;
        }
        let end = walk.address();
        *cursor = walk.cursor;
        let Some((section, start)) = place(base, base_offset) else {
            self.packed.undo(packing);
            self.checkpoints.truncate(first_mark);
            self.unplaced += 1;
            return Ok(());
        };
        let (rows, marks) = (packing.range(&self.packed), first_mark..self.checkpoints.len());
        let is_small = (end | program) <= u32::MAX.into() && u32::try_from(marks.end).is_ok();
        fits.marked &= is_small;
        fits.packed &= is_small;
        let (packed_bytes, marked_bytes) =
            (PackedRows::bytes_of(rows.len()), size_of::<Checkpoint>() * marks.len());
        fits.packed &= !fits.marked || packed_bytes <= marked_bytes;
        if !fits.packed {
            self.packed.undo(packing);
        }
        if fits.packed || !fits.marked {
            self.checkpoints.truncate(first_mark);
        }
        let form = match fits {
            PossibleStorage { packed: true, .. } => RowStorage::Packed(rows.start as u32, rows.end as u32),
            PossibleStorage { marked: true, .. } => RowStorage::Marked(marks.start as u32, marks.end as u32),
            PossibleStorage { .. } => {
                let sequence = line::decode_sequence(&mut whole.clone(), table.params, |_| ())?;
                self.expanded.push(RowTable::new(self.params.len(), table, &sequence));
                RowStorage::Expanded(self.expanded.len() as u32 - 1)
            }
        };
        let unit = self.params.len() as u32;
        self.entries.push(SequenceEntry {
            section,
            unit,
            start,
            end: end as u32,
            program: program as u32,
            form,
        });
        Ok(())
    }

    /// Runs a sequence whose program starts at byte `program`, packs its rows, sets marks, and
    /// collects the names that its rows use.
    ///
    /// Once packed rows take much more memory than marks, they are given up if `may_give_up`.
    fn read(
        &mut self,
        walk: &mut RowWalker<'_>,
        program: u64,
        packing: &mut PackedRowsBuilder,
        names: &mut Vec<u64>,
        may_give_up: bool,
    ) -> dwarf2_reader::Result<PossibleStorage> {
        let first_mark = self.checkpoints.len();
        let mut fits = PossibleStorage { packed: true, marked: true, has_given_up: false };
        let (mut address, mut call, mut due) = (0, (0, 0), 0);
        while let Some(found) = walk.next_row()? {
            let row = &found.row;
            if row.context != 0 && (row.context, row.name) != call {
                names.push(row.name);
            }
            call = (row.context, row.name);
            let largest = row.address | row.file | row.column | row.context | row.name;
            let is_plain = row.address >= address && largest <= u32::MAX.into();
            address = row.address;
            fits.packed = fits.packed && is_plain && self.packed.push(&found, packing);
            let next = walk.cursor.offset() - program;
            fits.marked &= is_plain && row.context == 0 && next < MAX_PROGRAM;
            if fits.marked && next >= due {
                due = next + CHECKPOINT_EVERY;
                self.checkpoints.push(Checkpoint::new(row, next as u32));
                let rows = PackedRows::bytes_of(packing.range(&self.packed).len());
                let marks = size_of::<Checkpoint>() * (self.checkpoints.len() - first_mark);
                if may_give_up && fits.packed && rows > marks + MAX_ROWS_BESIDE_MARKS {
                    self.packed.undo(packing);
                    (fits.packed, fits.has_given_up) = (false, true);
                }
            }
        }
        Ok(fits)
    }

    /// Whether line unit `unit` (0-based) has any row of inlined code. If so, its rows without a
    /// context belong to the functions themselves.
    pub fn has_contexts(&self, unit: usize) -> bool {
        self.contexts.get(unit).copied().unwrap_or(false)
    }

    /// The packed rows.
    #[inline]
    pub(super) fn packed(&self) -> &PackedRows {
        &self.packed
    }

    /// What packed rows have in common.
    pub(super) fn shapes(&self) -> &[Shape] {
        self.packed.shapes()
    }

    /// Whether the line table has no sequences.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.unplaced == 0
    }

    /// The number of sequences that belong to no code section. nvlink keeps the sequences of
    /// functions that it has dropped, without a relocation.
    pub fn unplaced(&self) -> usize {
        self.unplaced
    }

    /// The number of bytes that the index holds on the heap. It includes the line section itself if
    /// that is not borrowed.
    pub fn heap_bytes(&self) -> usize {
        let section = match &self.bytes {
            Cow::Borrowed(_) => 0,
            Cow::Owned(bytes) => bytes.capacity(),
        };
        let tables = size_of::<SequenceEntry>() * self.entries.capacity()
            + size_of::<Checkpoint>() * self.checkpoints.capacity()
            + size_of::<u32>() * self.first.capacity()
            + size_of::<u64>() * self.first_rows.capacity()
            + self.packed.heap_bytes();
        section + tables + self.expanded.iter().map(RowTable::heap_bytes).sum::<usize>()
    }

    /// Iterates over the sequences of a code section, each with the byte offset in the section at
    /// which it starts, ascending.
    pub fn of(&self, section: SectionIndex) -> impl Iterator<Item = (u64, SequenceRows<'_>)> {
        self.entries_of(section).iter().map(|entry| (entry.start, SequenceRows { index: self, entry }))
    }

    /// The sequence that `offset` of `section` may be in, and the offset in that.
    #[inline]
    pub(super) fn sequence(&self, section: SectionIndex, offset: u64) -> Option<(SequenceRows<'_>, u64)> {
        let entries = self.entries_of(section);
        let after = match entries {
            [only] => usize::from(only.start <= offset),
            _ => entries.partition_point(|entry| entry.start <= offset),
        };
        let entry = entries.get(after.checked_sub(1)?)?;
        Some((SequenceRows { index: self, entry }, offset - entry.start))
    }

    /// The row of the table that stands last at or before byte `offset` of `section`, if its
    /// sequence reaches the offset.
    #[inline]
    pub(super) fn nearest(&self, section: SectionIndex, offset: u64) -> Option<RowRef<'_>> {
        let (rows, offset) = self.sequence(section, offset)?;
        rows.at(offset)
    }

    /// The row that covers byte `offset` of `section`, which is in the stretch of code number
    /// `stretch`.
    #[inline]
    pub(super) fn find(&self, section: SectionIndex, offset: u64, stretch: u32) -> Option<RowRef<'_>> {
        let found = self.nearest(section, offset)?;
        self.reaches(&found, stretch).then_some(found)
    }

    /// Whether a [`nearest`](Self::nearest) row reaches over the starts of functions into the
    /// stretch of code number `stretch`.
    #[inline]
    pub(super) fn reaches(&self, nearest: &RowRef<'_>, stretch: u32) -> bool {
        // Before most code there is no other in its section.
        let first = self.first_rows.get(stretch as usize).copied().unwrap_or(0);
        first == 0 || nearest.offset() >= first
    }

    /// Those of `offsets` of a section at which a program stops, with or without a row. Addresses
    /// that go back are not looked for.
    pub(super) fn stops(&self, section: SectionIndex, offsets: &HashSet<u64>) -> HashSet<u64> {
        let mut stops = HashSet::new();
        let last = offsets.iter().max().copied().unwrap_or(0);
        for (base, rows) in self.of(section) {
            let (mut program, params) = (Cursor::new("", rows.program()), rows.params());
            let mut registers = LineState::START;
            // What has been read once is read again without an error.
            while let Ok(step) = line::step(&mut program, params, &mut registers) {
                let offset = base.saturating_add(registers.address);
                stops.extend(offsets.get(&offset));
                if offset > last || matches!(step, Step::End) {
                    break;
                }
            }
        }
        stops
    }

    #[inline]
    fn entries_of(&self, section: SectionIndex) -> &[SequenceEntry] {
        let range = self.first.get(section.as_usize()).zip(self.first.get(section.as_usize() + 1));
        range.map_or(&[], |(from, to)| self.entries.get(*from as usize..*to as usize).unwrap_or_default())
    }
}

/// The rows of one sequence of a line table, found through a [`LineTableIndex`].
#[derive(Debug, Clone, Copy)]
pub struct SequenceRows<'s> {
    index: &'s LineTableIndex<'s>,
    entry: &'s SequenceEntry,
}

impl<'s> SequenceRows<'s> {
    /// Returns the 0-based number of the line table unit that has the sequence. Files and names of
    /// inlined functions are those of this unit.
    #[inline]
    pub fn unit(self) -> usize {
        self.entry.unit as usize
    }

    /// The first address after the sequence, relative to the start of the sequence.
    #[inline]
    pub fn end(self) -> u64 {
        self.expanded().map_or(self.entry.end.into(), RowTable::end)
    }

    /// Iterates over all rows of the sequence in program order. Addresses are relative to the start
    /// of the sequence.
    pub fn rows(self) -> impl Iterator<Item = LineRow> {
        self.found().map(|found| found.row())
    }

    /// Iterates over the non-empty ranges that the rows of the sequence cover, by ascending
    /// address. Each item is the start, the end (both relative to the start of the sequence) and
    /// the row.
    pub fn ranges(self) -> impl Iterator<Item = (u64, u64, LineRow)> {
        self.found_ranges().map(|(start, end, found)| (start, end, found.row()))
    }

    /// [`ranges`](Self::ranges), with rows whose callers can be asked for.
    pub(super) fn found_ranges(self) -> impl Iterator<Item = (u64, u64, RowRef<'s>)> {
        // Expanded rows may lie in any order, and say themselves which ranges they cover.
        let expanded = self.expanded();
        let scattered = expanded.into_iter().flat_map(RowTable::ranges);
        let scattered =
            scattered.map(move |(start, end, row)| (start, end, self.found_at(RowLocation::Expanded(row))));
        let mut rows = if expanded.is_some() { None } else { Some(self.found().peekable()) };
        let ascending = std::iter::from_fn(move || {
            let rows = rows.as_mut()?;
            let found = rows.next()?;
            let end = rows.peek().map_or(self.end(), RowRef::address);
            Some((found.address(), end, found))
        });
        scattered.chain(ascending.filter(|(start, end, _)| start < end))
    }

    fn found(self) -> impl Iterator<Item = RowRef<'s>> {
        let expanded = 0..self.expanded().map_or(0, |rows| rows.all().len());
        let (packed, mut walk) = match self.entry.form {
            RowStorage::Packed(first, to) => (first..to, None),
            RowStorage::Marked(..) => {
                (0..0, Some(RowWalker::new(Cursor::new("", self.program()), self.params())))
            }
            RowStorage::Expanded(_) => (0..0, None),
        };
        // What has been read once is read again without an error.
        let marked = std::iter::from_fn(move || walk.as_mut()?.next_row().ok()?);
        let first = packed.start;
        let packed = packed.map(move |row| RowLocation::Packed { first, row });
        let places = expanded.map(RowLocation::Expanded).chain(packed);
        places
            .chain(marked.map(|found| RowLocation::Marked(Checkpoint::new(&found.row, 0))))
            .map(move |place| self.found_at(place))
    }

    /// The row that covers `offset` (relative to the sequence's start): the last one at or before
    /// it.
    #[inline]
    pub(super) fn at(self, offset: u64) -> Option<RowRef<'s>> {
        self.at_step(self.step(offset), offset)
    }

    /// The first half of [`at`](Self::at): which [`step`](PackedRows::step) of packed rows the row
    /// is in.
    #[inline]
    pub(super) fn step(self, offset: u64) -> usize {
        self.index.packed.step(&self.packed(), offset).unwrap_or(0)
    }

    /// The second half.
    #[inline]
    pub(super) fn at_step(self, step: usize, offset: u64) -> Option<RowRef<'s>> {
        let place = match self.entry.form {
            _ if offset >= self.end() => return None,
            RowStorage::Packed(first, to) => {
                let row = self.index.packed.at_step(&(first as usize..to as usize), step, offset)?;
                RowLocation::Packed { first, row: row as u32 }
            }
            RowStorage::Marked(from, to) => {
                RowLocation::Marked(self.marked_at(from as usize..to as usize, offset)?)
            }
            RowStorage::Expanded(_) => RowLocation::Expanded(self.expanded()?.at(offset)?),
        };
        Some(self.found_at(place))
    }

    fn marked_at(self, marks: Range<usize>, offset: u64) -> Option<Checkpoint> {
        let marks = self.index.checkpoints.get(marks)?;
        let after = marks.partition_point(|mark| u64::from(mark.address) <= offset);
        let mark = marks.get(after.checked_sub(1)?)?;
        let mut walk = mark.resume(self.program(), self.params());
        let mut row = mark.row();
        while let Ok(Some(next)) = walk.next_row() {
            if next.row.address > offset {
                break;
            }
            row = next.row;
        }
        Some(Checkpoint::new(&row, 0))
    }

    #[inline]
    fn found_at(self, place: RowLocation) -> RowRef<'s> {
        RowRef { rows: self, place }
    }

    /// The rows of packed ones in their table.
    #[inline]
    fn packed(self) -> Range<usize> {
        match self.entry.form {
            RowStorage::Packed(from, to) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    #[inline]
    fn expanded(self) -> Option<&'s RowTable> {
        match self.entry.form {
            RowStorage::Expanded(at) => self.index.expanded.get(at as usize),
            _ => None,
        }
    }

    fn params(self) -> Params {
        self.index.params.get(self.unit()).copied().unwrap_or_default()
    }

    fn program(self) -> &'s [u8] {
        self.index.bytes.get(self.entry.program as usize..).unwrap_or_default()
    }
}

/// A row of a [`LineTableIndex`], whose callers can be asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowRef<'s> {
    rows: SequenceRows<'s>,
    place: RowLocation,
}

#[derive(Debug, Clone, Copy)]
enum RowLocation {
    /// Index into [`LineTableIndex::packed`], and that of the sequence's first row.
    Packed { first: u32, row: u32 },
    /// The row itself, which is not inlined.
    Marked(Checkpoint),
    /// Index into [`Rows::all`].
    Expanded(usize),
}

impl RowRef<'_> {
    /// The row.
    pub(super) fn row(&self) -> LineRow {
        let SequenceRows { index, .. } = self.rows;
        let row = match self.place {
            RowLocation::Packed { row, .. } => index.packed.row(&self.rows.packed(), row as usize),
            RowLocation::Marked(mark) => Some(mark.row()),
            RowLocation::Expanded(row) => self.rows.expanded().and_then(|rows| rows.all().get(row).copied()),
        };
        // The place was found in these very rows.
        row.unwrap_or(LineRow::start(false))
    }

    /// Of a packed row: the index of its sequence's first row, and its own.
    #[inline]
    pub(super) fn packed(&self) -> Option<(u32, u32)> {
        match self.place {
            RowLocation::Packed { first, row } => Some((first, row)),
            _ => None,
        }
    }

    /// Line of the call site of a packed row, else 0.
    #[inline]
    pub(super) fn caller_line(&self) -> u32 {
        let RowLocation::Packed { first, row } = self.place else { return 0 };
        let packed = &self.rows.index.packed;
        let caller = packed.spot(row as usize).and_then(|spot| packed.spot(first as usize + spot.caller?));
        caller.map_or(0, |caller| caller.line)
    }

    /// The row that is the call site; `None` if the row is not inlined, or its context names no
    /// earlier row.
    pub(super) fn caller(&self) -> Option<Self> {
        let place = match self.place {
            RowLocation::Packed { first, row } => {
                let caller = self.rows.index.packed.spot(row as usize)?.caller?;
                RowLocation::Packed { first, row: first + caller as u32 }
            }
            RowLocation::Marked(_) => return None,
            RowLocation::Expanded(row) => RowLocation::Expanded(self.rows.expanded()?.caller(row)?),
        };
        Some(Self { place, ..*self })
    }

    /// Byte offset of the row in its code section.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.rows.entry.start.saturating_add(self.address())
    }

    #[inline]
    fn address(&self) -> u64 {
        match self.place {
            RowLocation::Marked(mark) => mark.address.into(),
            RowLocation::Packed { row, .. } => self.rows.index.packed.address(row as usize),
            RowLocation::Expanded(_) => self.row().address,
        }
    }

    /// As [`SequenceRows::unit`].
    #[inline]
    pub(super) fn unit(&self) -> usize {
        self.rows.unit()
    }

    /// How many callers there are: steps to the call site until there is none.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        match self.place {
            RowLocation::Packed { row, .. } => self.rows.index.packed.depth(row as usize),
            RowLocation::Marked(_) => 0,
            RowLocation::Expanded(row) => self.rows.expanded().map_or(0, |rows| rows.depth(row)),
        }
    }
}

impl Checkpoint {
    /// At a row whose opcode ends at `next`.
    fn new(row: &LineRow, next: u32) -> Self {
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        Self {
            address: row.address as u32,
            line: row.line,
            file: row.file as u32,
            column: row.column as u32,
            name: row.name as u32,
            number: row.number,
            next: next | flag(row.is_stmt, IS_STMT) | flag(row.entry, ENTRY),
        }
    }

    fn row(&self) -> LineRow {
        LineRow {
            number: self.number,
            address: self.address.into(),
            file: self.file.into(),
            line: self.line,
            column: self.column.into(),
            context: 0,
            name: self.name.into(),
            is_stmt: self.next & IS_STMT != 0,
            entry: self.next & ENTRY != 0,
        }
    }

    /// Continues the run of `program` after this checkpoint.
    fn resume<'d>(&self, program: &'d [u8], params: Params) -> RowWalker<'d> {
        let next = (self.next & (ENTRY - 1)) as usize;
        let rest = Cursor::new("", program.get(next..).unwrap_or_default());
        RowWalker::after_row(rest, params, self.row())
    }
}
