//! A line section that is looked up where it stands: its bytes, and a note of the registers every 32 bytes.
//!
//! A row takes 1 to 6 bytes in a line program and 56 as a value, so the program itself is the table. A lookup finds the last
//! [`Mark`] before an address and runs the program from there. Rows that contexts refer to are kept as [`Site`]s, so that a
//! chain of inlined calls is followed without running anything.

use std::borrow::Cow;
use std::collections::HashMap;

use super::rows::Rows;
use super::walk::{Numbered, Walk};
use crate::Result;
use crate::bytes::Cursor;
use crate::cubin::SectionIndex;
use crate::line::{self, LineRow, LineTable};
use dwarf2_writer::line::Params;

/// Bytes of a program between two marks. A mark takes 36, so all of them take about what the section does.
const MARK_EVERY: u64 = 32;
/// Programs from here on are expanded: [`Mark::next`] has three bits for flags.
const MAX_PROGRAM: u64 = 1 << 29;

/// A row, with everything needed to go on from there. Numbers that do not fit make a sequence [`Form::Expanded`].
#[derive(Debug, Clone, Copy)]
struct Mark {
    address: u32,
    line: u32,
    file: u32,
    column: u32,
    context: u32,
    name: u32,
    number: u32,
    /// Rows before this one that contexts count.
    seen: u32,
    /// Byte offset behind the row's opcode from the program's start; above it flags: `is_stmt`, `entry`, counted.
    next: u32,
}

const IS_STMT: u32 = 1 << 31;
const ENTRY: u32 = 1 << 30;
const COUNTED: u32 = 1 << 29;

/// A row that is a call site.
#[derive(Debug, Clone, Copy)]
struct Site {
    /// The number by which contexts refer to it.
    number: u32,
    line: u32,
    file: u32,
    column: u32,
    context: u32,
    name: u32,
    /// Callers above it.
    depth: u32,
}

/// How a sequence's rows are found: ranges of [`LineIndex::marks`] and [`LineIndex::sites`].
#[derive(Debug, Clone, Copy)]
enum Form {
    Marked {
        marks: (u32, u32),
        sites: (u32, u32),
    },
    /// Addresses go back or numbers have more than 32 bits, which no tool writes; index into [`LineIndex::expanded`].
    Expanded(u32),
}

#[derive(Debug, Clone)]
struct Entry {
    section: SectionIndex,
    unit: u32,
    /// Byte offset in the code section.
    start: u64,
    /// Relative to `start`.
    end: u64,
    /// Byte offset of the first opcode in the line section.
    program: usize,
    form: Form,
}

/// A line section, by code section and address.
#[derive(Debug, Clone, Default)]
pub struct LineIndex<'c> {
    bytes: Cow<'c, [u8]>,
    /// By unit.
    params: Vec<Params>,
    /// By code section, then by start.
    entries: Vec<Entry>,
    /// Range of each code section's entries.
    sections: HashMap<SectionIndex, (u32, u32), foldhash::quality::RandomState>,
    marks: Vec<Mark>,
    sites: Vec<Site>,
    expanded: Vec<Rows>,
    unplaced: usize,
}

/// What is collected while a section is read, and dropped afterwards.
#[derive(Debug, Default)]
struct Scratch {
    /// Contexts of one sequence.
    contexts: Vec<u32>,
    /// Names that the rows of one unit use.
    names: Vec<u64>,
}

impl<'c> LineIndex<'c> {
    /// Indexes a line section. `relocated` are its bytes with relocations applied; kept are those as they stand in the file, `bytes`,
    /// because relocations change only headers and the operands of `DW_LNE_set_address`. `place` gives code section and offset of a sequence, from its base
    /// and the base's byte offset; `each` sees every unit's header and the names that its rows use, ascending.
    pub(super) fn new(
        section: &str,
        bytes: Cow<'c, [u8]>,
        relocated: &[u8],
        mut place: impl FnMut(u64, u64) -> Option<(SectionIndex, u64)>,
        mut each: impl FnMut(&LineTable<'_>, Vec<u64>) -> Result<()>,
    ) -> Result<Self> {
        let mut index = Self::default();
        let mut scratch = Scratch::default();
        for unit in line::units(section, relocated) {
            let (table, mut program) = unit?;
            while !program.is_empty() {
                index.add(&table, &mut program, &mut place, &mut scratch)?;
            }
            index.params.push(table.params);
            let mut names = std::mem::take(&mut scratch.names);
            names.sort_unstable();
            names.dedup();
            each(&table, names)?;
        }
        index.bytes = bytes;
        index.entries.sort_by_key(|entry| (entry.section, entry.start));
        for (number, entry) in (0..).zip(&index.entries) {
            index.sections.entry(entry.section).or_insert((number, number)).1 = number + 1;
        }
        index.entries.shrink_to_fit();
        index.marks.shrink_to_fit();
        index.sites.shrink_to_fit();
        Ok(index)
    }

    /// Reads one sequence and files it.
    fn add(
        &mut self,
        table: &LineTable<'_>,
        cursor: &mut Cursor<'_>,
        place: &mut impl FnMut(u64, u64) -> Option<(SectionIndex, u64)>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let whole = cursor.clone();
        let (base, base_offset) = line::set_address(cursor)?;
        let (program, bytes) = (cursor.offset() as usize, cursor.rest());
        let (first_mark, first_site) = (self.marks.len(), self.sites.len());
        let mut walk = Walk::new(cursor.clone(), table.params);
        let fits = self.mark(&mut walk, program as u64, scratch)?;
        let end = walk.address();
        *cursor = walk.cursor;
        let Some((section, start)) = place(base, base_offset) else {
            self.marks.truncate(first_mark);
            self.unplaced += 1;
            return Ok(());
        };
        let unit = self.params.len();
        let form = if fits {
            scratch.contexts.sort_unstable();
            scratch.contexts.dedup();
            let marks = self.marks.get(first_mark..).unwrap_or_default();
            for &number in &scratch.contexts {
                if let Some(found) = numbered(bytes, table.params, marks, number) {
                    let earlier = self.sites.get(first_site..).unwrap_or_default();
                    self.sites.push(Site::new(&found, number, earlier));
                }
            }
            let marks = (first_mark as u32, self.marks.len() as u32);
            Form::Marked { marks, sites: (first_site as u32, self.sites.len() as u32) }
        } else {
            self.marks.truncate(first_mark);
            let sequence = line::decode_sequence(&mut whole.clone(), table.params)?;
            self.expanded.push(Rows::new(unit, table, &sequence));
            Form::Expanded(self.expanded.len() as u32 - 1)
        };
        self.entries.push(Entry { section, unit: unit as u32, start, end, program, form });
        Ok(())
    }

    /// Runs a sequence whose program starts at byte `program`, sets marks and collects what its rows refer to. Whether marks
    /// can hold all its numbers, and its addresses ascend.
    fn mark(&mut self, walk: &mut Walk<'_>, program: u64, scratch: &mut Scratch) -> Result<bool> {
        let mut fits = true;
        let (mut address, mut call, mut due) = (0, (0, 0), 0);
        scratch.contexts.clear();
        while let Some(found) = walk.next_row()? {
            let Numbered { row, seen, .. } = found;
            if row.context != 0 && (row.context, row.name) != call {
                // A context that names no earlier row is no site.
                scratch.contexts.extend((row.context <= seen.into()).then_some(row.context as u32));
                scratch.names.push(row.name);
            }
            call = (row.context, row.name);
            let next = walk.cursor.offset() - program;
            let largest = row.address | row.file | row.column | row.context | row.name;
            fits &= row.address >= address && largest <= u32::MAX.into() && next < MAX_PROGRAM;
            address = row.address;
            if fits && next >= due {
                due = next + MARK_EVERY;
                self.marks.push(Mark::new(&found, next as u32));
            }
        }
        Ok(fits && u32::try_from(self.marks.len().max(self.sites.len())).is_ok())
    }

    /// Whether there is no sequence at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.unplaced == 0
    }

    /// Sequences that belong to no section: nvlink leaves those of functions it has dropped, without relocation.
    pub fn unplaced(&self) -> usize {
        self.unplaced
    }

    /// Bytes that the index holds on the heap: besides its tables the section itself, where it cannot be borrowed.
    pub fn heap_bytes(&self) -> usize {
        let section = match &self.bytes {
            Cow::Borrowed(_) => 0,
            Cow::Owned(bytes) => bytes.capacity(),
        };
        let tables = size_of::<Entry>() * self.entries.capacity()
            + size_of::<Mark>() * self.marks.capacity()
            + size_of::<Site>() * self.sites.capacity()
            // A byte of control for each slot, and one slot in eight stays free.
            + (size_of::<(SectionIndex, (u32, u32))>() + 1) * self.sections.capacity() * 8 / 7;
        section + tables + self.expanded.iter().map(Rows::heap_bytes).sum::<usize>()
    }

    /// The sequences of a code section by ascending start, with that start (byte offset in the section).
    pub fn of(&self, section: SectionIndex) -> impl Iterator<Item = (u64, SequenceRows<'_>)> {
        self.entries_of(section).iter().map(|entry| (entry.start, SequenceRows { index: self, entry }))
    }

    /// The row that covers byte `offset` of `section`.
    pub(super) fn find(&self, section: SectionIndex, offset: u64) -> Option<Found<'_>> {
        let entries = self.entries_of(section);
        let after = match entries {
            [only] => usize::from(only.start <= offset),
            _ => entries.partition_point(|entry| entry.start <= offset),
        };
        let entry = entries.get(after.checked_sub(1)?)?;
        SequenceRows { index: self, entry }.at(offset - entry.start)
    }

    fn entries_of(&self, section: SectionIndex) -> &[Entry] {
        let range = self.sections.get(&section);
        range.map_or(&[], |(from, to)| self.entries.get(*from as usize..*to as usize).unwrap_or_default())
    }
}

/// The rows of one sequence of a [`LineIndex`].
#[derive(Debug, Clone, Copy)]
pub struct SequenceRows<'s> {
    index: &'s LineIndex<'s>,
    entry: &'s Entry,
}

impl<'s> SequenceRows<'s> {
    /// 0-based number of the unit in its section: which file table and name base apply.
    pub fn unit(self) -> usize {
        self.entry.unit as usize
    }

    /// First byte behind the sequence, relative to its start.
    pub fn end(self) -> u64 {
        self.entry.end
    }

    /// All rows in program order; addresses are relative to the sequence's start.
    pub fn rows(self) -> impl Iterator<Item = LineRow> {
        self.found().map(|found| found.row)
    }

    /// Ranges that rows cover, by ascending address, none empty: start and end (relative to the sequence's start), and the row.
    pub fn ranges(self) -> impl Iterator<Item = (u64, u64, LineRow)> {
        self.found_ranges().map(|(start, end, found)| (start, end, found.row))
    }

    /// [`ranges`](Self::ranges), with rows whose callers can be asked for.
    pub(super) fn found_ranges(self) -> impl Iterator<Item = (u64, u64, Found<'s>)> {
        // Expanded rows may lie in any order, and say themselves which ranges they cover.
        let expanded = self.expanded();
        let scattered = expanded.into_iter().flat_map(Rows::ranges);
        let scattered =
            scattered.filter_map(move |(start, end, row)| Some((start, end, self.expanded_row(row)?)));
        let mut rows = if expanded.is_some() { None } else { Some(self.found().peekable()) };
        let ascending = std::iter::from_fn(move || {
            let rows = rows.as_mut()?;
            let found = rows.next()?;
            let end = rows.peek().map_or(self.entry.end, |next| next.row.address);
            Some((found.row.address, end, found))
        });
        scattered.chain(ascending.filter(|(start, end, _)| start < end))
    }

    fn found(self) -> impl Iterator<Item = Found<'s>> {
        let count = self.expanded().map_or(0, |rows| rows.all().len());
        let scattered = (0..count).filter_map(move |row| self.expanded_row(row));
        let mut walk = match self.entry.form {
            Form::Marked { .. } => Some(Walk::new(Cursor::new("", self.program()), self.params())),
            Form::Expanded(_) => None,
        };
        // What has been read once is read again without an error.
        let marked = std::iter::from_fn(move || walk.as_mut()?.next_row().ok()?);
        scattered.chain(marked.map(move |counted| self.marked_row(counted)))
    }

    /// The row that covers `offset` (relative to the sequence's start): the last one at or before it.
    fn at(self, offset: u64) -> Option<Found<'s>> {
        if offset >= self.entry.end {
            return None;
        }
        if let Some(rows) = self.expanded() {
            return self.expanded_row(rows.at(offset)?);
        }
        let marks = self.marks();
        let after = marks.partition_point(|mark| u64::from(mark.address) <= offset);
        let mark = marks.get(after.checked_sub(1)?)?;
        let (mut walk, mut found) = mark.resume(self.program(), self.params());
        while let Ok(Some(next)) = walk.next_row() {
            if next.row.address > offset {
                break;
            }
            found = next;
        }
        Some(self.marked_row(found))
    }

    fn marked_row(self, Numbered { row, seen, .. }: Numbered) -> Found<'s> {
        Found { rows: self, row, place: RowPlace::Marked { seen } }
    }

    fn expanded_row(self, index: usize) -> Option<Found<'s>> {
        let row = *self.expanded()?.all().get(index)?;
        Some(Found { rows: self, row, place: RowPlace::Expanded(index) })
    }

    fn expanded(self) -> Option<&'s Rows> {
        match self.entry.form {
            Form::Expanded(at) => self.index.expanded.get(at as usize),
            Form::Marked { .. } => None,
        }
    }

    fn params(self) -> Params {
        self.index.params.get(self.unit()).copied().unwrap_or_default()
    }

    fn program(self) -> &'s [u8] {
        self.index.bytes.get(self.entry.program..).unwrap_or_default()
    }

    fn marks(self) -> &'s [Mark] {
        let Form::Marked { marks: (from, to), .. } = self.entry.form else { return &[] };
        self.index.marks.get(from as usize..to as usize).unwrap_or_default()
    }

    fn sites(self) -> &'s [Site] {
        let Form::Marked { sites: (from, to), .. } = self.entry.form else { return &[] };
        self.index.sites.get(from as usize..to as usize).unwrap_or_default()
    }
}

/// A row of a [`LineIndex`], whose callers can be asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'s> {
    rows: SequenceRows<'s>,
    row: LineRow,
    place: RowPlace,
}

#[derive(Debug, Clone, Copy)]
enum RowPlace {
    Marked {
        seen: u32,
    },
    /// Index into [`Rows::all`].
    Expanded(usize),
}

impl<'s> Found<'s> {
    /// The row. Of one that is a [`caller`](Self::caller) address and number are not kept and 0.
    pub(super) fn row(&self) -> &LineRow {
        &self.row
    }

    /// As [`SequenceRows::unit`].
    pub(super) fn unit(&self) -> usize {
        self.rows.unit()
    }

    /// The row that is the call site; `None` if the row is not inlined, or its context names no earlier row.
    pub(super) fn caller(&self) -> Option<Self> {
        match self.place {
            RowPlace::Marked { .. } => {
                let site = self.site()?;
                let is_stmt = self.row.is_stmt;
                Some(Self {
                    row: site.row(is_stmt),
                    place: RowPlace::Marked { seen: site.number - 1 },
                    ..*self
                })
            }
            RowPlace::Expanded(index) => {
                let rows = self.rows.expanded()?;
                self.rows.expanded_row(rows.caller(index)?)
            }
        }
    }

    /// How many callers there are: steps of [`caller`](Self::caller) until there is none.
    pub(super) fn depth(&self) -> usize {
        match self.place {
            RowPlace::Marked { .. } => self.site().map_or(0, |site| site.depth as usize + 1),
            RowPlace::Expanded(index) => self.rows.expanded().map_or(0, |rows| rows.depth(index)),
        }
    }

    fn site(&self) -> Option<&'s Site> {
        let RowPlace::Marked { seen } = self.place else { return None };
        let context = u32::try_from(self.row.context).ok().filter(|context| (1..=seen).contains(context))?;
        site(self.rows.sites(), context)
    }
}

fn site(sites: &[Site], number: u32) -> Option<&Site> {
    sites.get(sites.binary_search_by_key(&number, |site| site.number).ok()?)
}

/// The row that contexts call `number`.
fn numbered(program: &[u8], params: Params, marks: &[Mark], number: u32) -> Option<Numbered> {
    // A mark at a row that is not counted comes behind the row that has its number.
    let after = marks.partition_point(|mark| mark.seen < number);
    let (mut walk, mut found) = marks.get(after.checked_sub(1)?)?.resume(program, params);
    while !(found.counted && found.seen + 1 == number) {
        found = walk.next_row().ok()??;
    }
    Some(found)
}

impl Site {
    /// `earlier` are the sites before it, among them its own caller.
    fn new(Numbered { row, seen, .. }: &Numbered, number: u32, earlier: &[Self]) -> Self {
        let caller = Some(row.context as u32).filter(|context| (1..=*seen).contains(context));
        let caller = caller.and_then(|context| site(earlier, context));
        Self {
            number,
            line: row.line,
            file: row.file as u32,
            column: row.column as u32,
            context: row.context as u32,
            name: row.name as u32,
            depth: caller.map_or(0, |caller| caller.depth.saturating_add(1)),
        }
    }

    fn row(&self, is_stmt: bool) -> LineRow {
        LineRow {
            line: self.line,
            file: self.file.into(),
            column: self.column.into(),
            context: self.context.into(),
            name: self.name.into(),
            ..LineRow::start(is_stmt)
        }
    }
}

impl Mark {
    /// At a row whose opcode ends at `next`.
    fn new(Numbered { row, seen, counted }: &Numbered, next: u32) -> Self {
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        Self {
            address: row.address as u32,
            line: row.line,
            file: row.file as u32,
            column: row.column as u32,
            context: row.context as u32,
            name: row.name as u32,
            number: row.number,
            seen: *seen,
            next: next | flag(row.is_stmt, IS_STMT) | flag(row.entry, ENTRY) | flag(*counted, COUNTED),
        }
    }
    /// The run of `program` from behind this mark, and the mark's row.
    fn resume<'d>(&self, program: &'d [u8], params: Params) -> (Walk<'d>, Numbered) {
        let row = LineRow {
            number: self.number,
            address: self.address.into(),
            file: self.file.into(),
            line: self.line,
            column: self.column.into(),
            context: self.context.into(),
            name: self.name.into(),
            is_stmt: self.next & IS_STMT != 0,
            entry: self.next & ENTRY != 0,
        };
        let found = Numbered { row, seen: self.seen, counted: self.next & COUNTED != 0 };
        let next = (self.next & (COUNTED - 1)) as usize;
        let rest = Cursor::new("", program.get(next..).unwrap_or_default());
        (Walk::behind(rest, params, &found), found)
    }
}
