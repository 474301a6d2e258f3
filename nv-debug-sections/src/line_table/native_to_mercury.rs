//! The inverse of [`mercury_to_native`](super::mercury_to_native): finds a Mercury line program
//! from which it derives a given native one.
//!
//! A native program says less than the Mercury one it was made of, so there are many of these. This
//! one has a row for each of its rows, at the address of the same instruction, and beyond these
//! only rows that no instruction is looked up in, because another stands at their address or none
//! begins there: call sites at address 0, which ptxas takes rows for whose line and file they have,
//! or one byte before the instruction, where one it inlines has the same line and file; second call
//! sites, where the program names one twice; repeated rows, which keep the next row from being the
//! [first](super::mercury_to_native::RowKind) after an entry row; and entry rows, which make it
//! that.

use super::mercury_to_native::{AddressAndLine, AddressPair, RowKey, RowKind, is_special, mercury_to_native};
use crate::line::LineOp;
use foldhash::{HashMap, HashMapExt as _, HashSet};
use std::collections::VecDeque;

/// Finds a Mercury line program from which [`mercury_to_native`] builds the given native line
/// program. `None` if there is none, or if the search does not find it. It finds one for all
/// programs of ptxas that were seen (`tests/native_to_mercury.rs`).
///
/// `name` is the [`last_inlined_name`](super::last_inlined_name) of the section before in the
/// Mercury table; `instructions` and `starts` are as `mercury_to_native` takes them, and both
/// spaces must have the same order.
pub fn native_to_mercury(
    native: &[LineOp],
    name: u32,
    instructions: &[AddressPair],
    starts: &[u64],
) -> Option<Vec<LineOp>> {
    let readings = INTERPRETATIONS.iter();
    readings.copied().find_map(|reading| {
        let made = mercury_program(&native_steps(native, reading)?, reading, name, instructions, starts)?;
        (mercury_to_native(&made, name, instructions, starts, 0) == native).then_some(made)
    })
}

/// How the parts of a native program that have two meanings are read. The first interpretation that
/// leads to the program is taken.
#[derive(Debug, Clone, Copy)]
struct Interpretation {
    /// A context whose call site is the row before is that of code on this row's line, which has no
    /// row. Else it is that of the next row, and the row before stands in for the call site.
    inlined_here: bool,
    /// Call sites whose file ptxas forgets to write are in the file of the row before.
    same_file: bool,
}

/// The likely ones first.
const INTERPRETATIONS: [Interpretation; 4] = [
    Interpretation { inlined_here: true, same_file: true },
    Interpretation { inlined_here: false, same_file: true },
    Interpretation { inlined_here: true, same_file: false },
    Interpretation { inlined_here: false, same_file: false },
];

/// The Mercury program for the steps of a native one.
fn mercury_program(
    written: &[NativeStep],
    reading: Interpretation,
    name: u32,
    instructions: &[AddressPair],
    starts: &[u64],
) -> Option<Vec<LineOp>> {
    if !instructions.is_sorted_by_key(|pair| pair.mercury) {
        return None;
    }
    let mut builder = MercuryBuilder::new(name, files_to_come(written), reading);
    for of_address in written.chunk_by(|a, b| a.address == b.address) {
        let address = of_address.first()?.address;
        let at = instructions.binary_search_by_key(&address, |pair| pair.native).ok()?;
        let is_start = starts.binary_search(&address).is_ok();
        builder.instruction(of_address, instructions.get(at)?.mercury, is_start)?;
    }
    Some(builder.ops(name))
}

/// What ptxas writes at once: the state, then a row or only its place, or neither if the row before
/// has its line.
#[derive(Debug, Clone, Copy)]
struct NativeStep {
    address: u64,
    line: u32,
    file: Option<u32>,
    call: Option<(u64, u32)>,
    kind: StepKind,
    /// The row stands twice, as at function starts.
    is_doubled: bool,
}

impl NativeStep {
    /// Whether the next step at the same address can be code that is inlined at this row. A doubled
    /// row comes after everything else at its address, and a call site that does not change the
    /// context has no file written.
    fn can_be_call_site(&self) -> bool {
        !self.is_doubled && self.kind != StepKind::Advance && (self.call.is_some() || self.file.is_none())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepKind {
    Row,
    /// Only the place.
    Advance,
    /// Only the state.
    State,
}

/// Splits a native program into the steps in which ptxas writes it.
fn native_steps(native: &[LineOp], reading: Interpretation) -> Option<Vec<NativeStep>> {
    let mut all: Vec<NativeStep> = Vec::new();
    let mut rows = 0;
    let (mut file, mut call) = (None, None);
    for op in native {
        let (address, line, kind) = match *op {
            LineOp::SetFile(new) => {
                // The file comes before the context.
                if call.is_some() || file.is_some() {
                    push_state(&mut all, &mut file, &mut call)?;
                }
                file = Some(u32::try_from(new).ok()?);
                continue;
            }
            LineOp::InlinedCall { context, name } => {
                if call.is_some() {
                    push_state(&mut all, &mut file, &mut call)?;
                }
                call = Some((context, u32::try_from(name).ok()?));
                continue;
            }
            LineOp::Row { address, line } => (address, line, StepKind::Row),
            // A sequence opens at its first row's address.
            LineOp::Advance(_) if all.is_empty() => continue,
            LineOp::Advance(address) => (address, all.last()?.line, StepKind::Advance),
            _ => return None,
        };
        let last = all.last().copied();
        let is_inlined_here = reading.inlined_here
            && rows > 1
            && call.is_some_and(|(context, _)| context == rows)
            && last.is_some_and(|last| last.address != address && last.can_be_call_site());
        let is_repeated = last.is_some_and(|last| (last.address, last.line) == (address, line));
        if is_inlined_here
            || is_repeated && (call.is_some() || file.is_some())
            || kind == StepKind::Advance && call.is_some()
        {
            push_state(&mut all, &mut file, &mut call)?;
        }
        if is_repeated && kind == StepKind::Row {
            all.last_mut()?.is_doubled = true;
            continue;
        }
        rows += u64::from(kind == StepKind::Row);
        all.push(NativeStep { address, line, file: file.take(), call: call.take(), kind, is_doubled: false });
    }
    if file.is_some() || call.is_some() {
        push_state(&mut all, &mut file, &mut call)?;
    }
    Some(all)
}

/// Ends what has no row of its own: it is on the line of the one before.
fn push_state(
    all: &mut Vec<NativeStep>,
    file: &mut Option<u32>,
    call: &mut Option<(u64, u32)>,
) -> Option<()> {
    let NativeStep { address, line, .. } = *all.last()?;
    let (file, call) = (file.take(), call.take());
    all.push(NativeStep { address, line, file, call, kind: StepKind::State, is_doubled: false });
    Some(())
}

/// The files that are written, in order.
fn files_to_come(written: &[NativeStep]) -> VecDeque<u32> {
    written.iter().filter_map(|written| written.file).collect()
}

/// A Mercury row. Rows refer to each other by their number in order of making.
#[derive(Debug, Clone, Copy)]
struct Row {
    address: u64,
    line: u32,
    file: u32,
    name: u32,
    parent: Option<usize>,
    /// It opens a function.
    is_entry: bool,
    /// The flag is set before it, if only to be taken back.
    is_flagged: bool,
}

struct MercuryBuilder {
    rows: Vec<Row>,
    /// Rows without code that stand at address 0, before all others.
    at_zero: Vec<usize>,
    /// The rows in order, after these.
    order: Vec<usize>,
    /// Rows without code, by the row that they stand before.
    twins: HashMap<usize, Vec<usize>>,
    reader: MercuryReader,
    writer: NativeWriter,
    files_to_come: VecDeque<u32>,
    reading: Interpretation,
}

/// What ptxas knows of the Mercury rows it has read, to decide what comes next.
struct MercuryReader {
    last: AddressAndLine,
    last_kind: Option<RowKind>,
    /// The next row counts as flagged.
    is_flagged: bool,
    name: u32,
}

impl MercuryReader {
    /// What a row would be: its place, and whether it counts as flagged.
    fn look(&self, row: &Row) -> (RowKind, bool) {
        let is_special = is_special(self.last, AddressAndLine { address: row.address, line: row.line });
        let is_flagged = row.is_flagged || self.is_flagged;
        (RowKind::after(self.last_kind, row.is_entry, is_flagged, is_special), is_flagged)
    }

    fn read(&mut self, row: &Row) {
        let (place, is_flagged) = self.look(row);
        let to = AddressAndLine { address: row.address, line: row.line };
        self.is_flagged = is_flagged && is_special(self.last, to);
        (self.last, self.last_kind, self.name) = (to, Some(place), row.name);
    }
}

/// What ptxas has written of the native program so far.
struct NativeWriter {
    count: u64,
    last: AddressAndLine,
    file: u32,
    context_parent: Option<usize>,
    row_of: HashMap<RowKey, u64>,
    /// Call sites by the number of their row.
    site_of: HashMap<u64, usize>,
    /// Line and file of rows that stand in for call sites at address 0, by number.
    stand_in: HashMap<u64, (u32, u32)>,
    /// The row of the instruction before, and its place.
    previous: Option<(usize, RowKind)>,
}

impl MercuryBuilder {
    fn new(name: u32, files_to_come: VecDeque<u32>, reading: Interpretation) -> Self {
        let reader = MercuryReader { last: AddressAndLine::START, last_kind: None, is_flagged: false, name };
        let writer = NativeWriter {
            count: 0,
            last: AddressAndLine::START,
            file: 0,
            context_parent: None,
            row_of: HashMap::new(),
            site_of: HashMap::new(),
            stand_in: HashMap::new(),
            previous: None,
        };
        Self {
            rows: Vec::new(),
            at_zero: Vec::new(),
            order: Vec::new(),
            twins: HashMap::new(),
            reader,
            writer,
            files_to_come,
            reading,
        }
    }

    /// What is written at an instruction: call sites, outermost first, then its own row.
    fn instruction(&mut self, written: &[NativeStep], mercury: u64, is_start: bool) -> Option<()> {
        let (own, call_sites) = written.split_last()?;
        if call_sites.iter().any(|site| site.is_doubled) || own.is_doubled && !is_start {
            return None;
        }
        if self.writer.count == 0 && !(call_sites.is_empty() && own.call.is_none()) {
            return None;
        }
        let mut count_before = 0;
        for (at, site) in call_sites.iter().enumerate() {
            let inlined = written.get(at + 1..)?;
            let row = self.row(site, mercury, Some(inlined))?;
            if at == 0 {
                count_before = self.count_before(row.file, written);
            }
            // No instruction begins there.
            let address = if at < count_before { mercury.checked_sub(1)? } else { mercury };
            let id = self.push(Row { address, ..row });
            self.write(id, site, true);
        }
        // A row that gives only its place is none that opens a function; the one before it is.
        let is_flagged = is_start && !own.is_doubled;
        let is_entry = is_flagged && own.kind != StepKind::Advance;
        let mut row = Row { is_entry, is_flagged: is_entry, ..self.row(own, mercury, None)? };
        self.prepare(own, &mut row, is_start)?;
        let (place, _) = self.reader.look(&row);
        let id = self.push(row);
        self.write(id, own, false);
        self.writer.previous = Some((id, place));
        Some(())
    }

    /// The row of what is written; `inlined` is what follows a call site.
    fn row(&mut self, written: &NativeStep, mercury: u64, inlined: Option<&[NativeStep]>) -> Option<Row> {
        let parent = match written.call {
            None => self.writer.context_parent,
            Some((0, _)) => {
                self.writer.context_parent?;
                None
            }
            Some((context, _)) => Some(self.call_site(context)?),
        };
        let file = if let Some(inlined) = inlined.filter(|_| written.call.is_none()) {
            if written.file.is_some() {
                return None;
            }
            self.forgotten_file(written.line, inlined)?
        } else {
            if written.file.is_some() {
                self.files_to_come.pop_front();
            }
            written.file.unwrap_or(self.writer.file)
        };
        let name = written.call.map_or(self.reader.name, |(_, name)| name);
        Some(Row {
            address: mercury,
            line: written.line,
            file,
            name,
            parent,
            is_entry: false,
            is_flagged: false,
        })
    }

    /// The file of a call site that ptxas forgets to write: the one before if that can be, else
    /// any. It is not the one written next. Other call sites of its line are in its file if what
    /// they inline has its number, else in others.
    fn forgotten_file(&self, line: u32, inlined: &[NativeStep]) -> Option<u32> {
        let number = self.writer.count + 1;
        let mut others: HashSet<u32> = self.files_to_come.front().copied().into_iter().collect();
        let (mut file, mut same) = (None, None);
        for (site, inlined) in inlined.iter().zip(inlined.iter().skip(1)) {
            file = site.file.or(file);
            if site.line == line {
                let is_same = inlined.call.is_some_and(|(context, _)| context == number);
                if is_same { same = same.or(file) } else { others.extend(file) }
            }
        }
        let before = self.writer.file;
        if !self.reading.same_file {
            others.insert(before);
        }
        let any = std::iter::once(before).chain(1..=u32::from(u16::MAX));
        same.into_iter().chain(any).find(|file| !others.contains(file))
    }

    /// The Mercury row of the call site whose native row has this number; another than that of the
    /// context before.
    fn call_site(&mut self, number: u64) -> Option<usize> {
        if let Some(&site) = self.writer.site_of.get(&number) {
            if self.writer.context_parent != Some(site) {
                return Some(site);
            }
            let twin = self.rows.len();
            self.rows.push(*self.rows.get(site)?);
            self.twins.entry(site).or_default().push(twin);
            return Some(twin);
        }
        let (line, file) = *self.writer.stand_in.get(&number)?;
        let row = Row { address: 0, line, file, name: 0, parent: None, is_entry: false, is_flagged: false };
        let id = self.rows.len();
        self.rows.push(row);
        self.at_zero.push(id);
        self.writer.site_of.insert(number, id);
        Some(id)
    }

    /// Sees to it that the next row has the place that makes ptxas write it so.
    fn prepare(&mut self, own: &NativeStep, row: &mut Row, is_start: bool) -> Option<()> {
        if self.writer.count == 0 {
            return Some(());
        }
        let same_context = row.parent == self.writer.context_parent;
        let line = self.writer.last.line;
        let only_place = |place| place == RowKind::FirstAfterEntry && same_context && row.line == line;
        let is_flagged = is_start && !own.is_doubled;
        let is_so = |(place, flagged): (RowKind, bool)| {
            only_place(place) == (own.kind == StepKind::Advance) && (!is_start || flagged == is_flagged)
        };
        let mut filler = *self.rows.get(*self.order.last()?)?;
        if !is_so(self.reader.look(row)) {
            let is_entry = own.kind == StepKind::Advance;
            (filler.address, filler.is_entry, filler.is_flagged) = (row.address, is_entry, is_entry);
            row.is_flagged = is_flagged;
            self.push(filler);
        }
        let looked = self.reader.look(row);
        if !is_so(looked) {
            return None;
        }
        if own.call.is_none() && looked.0 == RowKind::Plain {
            self.tell_apart(row);
        }
        Some(())
    }

    /// Alike rows are written once, unless they are told apart: the first of the section by an
    /// entry row before it, whose line is not known, others by a name, which is not written.
    fn tell_apart(&mut self, row: &mut Row) {
        let Some((id, RowKind::Plain)) = self.writer.previous else { return };
        let Some(&previous) = self.rows.get(id) else { return };
        let is_alike = (previous.line, previous.file, previous.parent, previous.name)
            == (row.line, row.file, row.parent, row.name);
        if !is_alike {
            return;
        }
        if self.order.first() == Some(&id) {
            let entry = self.rows.len();
            self.rows.push(Row { line: 0, is_entry: true, is_flagged: true, ..previous });
            self.twins.entry(id).or_default().push(entry);
        } else {
            row.name = u32::from(row.name == 0);
        }
    }

    /// Adds a row to the Mercury program.
    fn push(&mut self, row: Row) -> usize {
        let id = self.rows.len();
        self.reader.read(&row);
        self.rows.push(row);
        self.order.push(id);
        id
    }

    /// How many of the call sites that are written at an instruction stand before it in Mercury
    /// code: those up to the last that has the line and file of one it inlines, which yet has a row
    /// of its own. `file` is that of the first.
    fn count_before(&self, mut file: u32, written: &[NativeStep]) -> usize {
        let mut number = self.writer.count;
        let sites: Vec<_> = written
            .iter()
            .zip(written.iter().skip(1))
            .map(|(site, inlined)| {
                number += u64::from(site.kind == StepKind::Row);
                file = site.file.unwrap_or(file);
                ((site.line, file), number, inlined.call.map(|(context, _)| context))
            })
            .collect();
        // Of the sites further in with a line and file: the number that all have to what they
        // inline, if it is one.
        let mut inner: HashMap<(u32, u32), Option<u64>> = HashMap::new();
        let mut count = 0;
        for (at, (key, number, named)) in sites.into_iter().enumerate().rev() {
            let further_in = inner.get(&key).copied();
            if count == 0 && further_in.is_some_and(|all| all != Some(number)) {
                count = at + 1;
            }
            inner.insert(key, named.filter(|_| further_in.is_none_or(|all| all == named)));
        }
        count
    }

    /// Takes note of what ptxas does when it writes a row.
    fn write(&mut self, id: usize, written: &NativeStep, is_call_site: bool) {
        let Some(&Row { address, line, file, parent, .. }) = self.rows.get(id) else { return };
        let state = &mut self.writer;
        let is_first = state.count == 0;
        let (last, this) = (state.last, AddressAndLine { address: written.address, line: written.line });
        state.count += u64::from(written.kind == StepKind::Row);
        (state.last, state.file) = (this, file);
        if written.kind == StepKind::Advance {
            return;
        }
        if is_call_site {
            let number = *state.row_of.entry((address, line, file)).or_insert(state.count);
            state.site_of.insert(number, id);
        }
        let is_same_context = written.call.is_none();
        let stands_in = is_first || !is_call_site && is_same_context && !is_special(last, this);
        if stands_in && !state.row_of.contains_key(&(0, line, file)) {
            state.row_of.insert((0, line, file), state.count);
            state.stand_in.insert(state.count, (line, file));
        }
        if !is_same_context {
            state.context_parent = parent;
        }
    }

    /// The program. `name` is in force before it.
    fn ops(&self, mut name: u32) -> Vec<LineOp> {
        let with_twins = |id: &usize| {
            let twins = self.twins.get(id).into_iter().flatten().copied();
            twins.chain([*id]).collect::<Vec<_>>()
        };
        let order: Vec<usize> = self.at_zero.iter().chain(&self.order).flat_map(with_twins).collect();
        let mut numbers = vec![0; self.rows.len()];
        for (&id, number) in order.iter().zip(1..) {
            if let Some(slot) = numbers.get_mut(id) {
                *slot = number;
            }
        }
        let mut ops = Vec::new();
        let (mut file, mut context, mut is_entry, mut is_first) = (None, 0, false, true);
        for row in order.iter().filter_map(|id| self.rows.get(*id)) {
            if file.replace(row.file) != Some(row.file) {
                ops.push(LineOp::SetFile(row.file.into()));
            }
            // The flag applies to the next row only: two rows in a row need it twice.
            if is_entry {
                ops.push(LineOp::EntryRow(0));
            }
            if row.is_flagged {
                ops.push(LineOp::EntryRow(1));
                if !row.is_entry {
                    ops.push(LineOp::EntryRow(0));
                }
            }
            is_entry = row.is_entry;
            let own = row.parent.and_then(|parent| numbers.get(parent)).copied().unwrap_or(0);
            if (context, name) != (own, row.name) {
                (context, name) = (own, row.name);
                ops.push(LineOp::InlinedCall { context, name: name.into() });
            }
            if std::mem::take(&mut is_first) && row.address != 0 {
                ops.push(LineOp::Advance(row.address));
            }
            ops.push(LineOp::Row { address: row.address, line: row.line });
        }
        ops
    }
}
