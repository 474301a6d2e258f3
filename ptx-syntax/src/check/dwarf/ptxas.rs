//! The behaviour of ptxas 13.0.88 on the two sections under `-g`. All of it was observed on the
//! tool as a black box.
//!
//! It scans the whole of `.debug_abbrev` once into one list and takes an abbreviation code for a
//! position in it; then it walks the units of `.debug_info`. The numbers in this file are its own,
//! not DWARF's.

#[allow(clippy::wildcard_imports, reason = "many of DW_OP_*, DW_FORM_* and DW_AT_*")]
use dwarf2_reader::constants::*;
use dwarf2_reader::info::{self, FormEncoding, HEADER_SIZE};
use dwarf2_reader::{Cursor, WorkBudget};

use crate::limits::PTXAS_WALK_STEPS;

/// How ptxas ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// ptxas accepts the sections.
    Accepts,
    /// ptxas drops `.debug_info` since there is no `.debug_abbrev` section, and says so.
    Skips,
    /// ptxas stops with a message.
    Rejects(Message),
    /// ptxas ends by a signal (SIGSEGV).
    Crashes,
    /// ptxas does not end.
    Hangs,
}

/// The message that ptxas prints when it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// A number, string or block extends past the end of its unit, or an abbreviation code is
    /// greater than the number of abbreviations.
    OutOfBounds,
    /// The length of a unit is less than 7, or more than what follows it in the section.
    Truncate,
    /// A value was to be read where the unit has no byte left.
    Invalid,
    /// An attribute has a form that ptxas does not know.
    FormValue,
    /// A `DW_FORM_indirect` value has `DW_FORM_indirect` as its form. ptxas stops without a word.
    IndirectTwice,
    /// An abbreviation has more than 256 attributes.
    TooManyAttributes,
    /// The internal error "unknown attribute" of ptxas: a reference to a `.local` variable is not
    /// the operand of a `DW_OP_addr`. `block` is an index in
    /// [`Input::locals`](super::Input::locals), `offset` the byte offset of the reference in that
    /// block of `.debug_info`.
    UnknownAttribute { block: usize, offset: u64 },
}

impl Message {
    /// Standard error to the byte.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::OutOfBounds => "ptxas fatal   : Attempted to Dereference Out of Bounds\n",
            Self::Truncate => "ptxas fatal   : Attempted to truncate larger than current size\n",
            Self::Invalid => "ptxas fatal   : Checked Data was Invalid\n",
            Self::FormValue => "Error in get_form_value default \n",
            Self::IndirectTwice => "",
            Self::TooManyAttributes => {
                "unexpectedly too many dwarf attributes for any DW_TAG entry!\nptxas fatal   : Invalid ELF\n"
            }
            Self::UnknownAttribute { .. } => "ptxas fatal   : Internal error: unknown attribute\n",
        }
    }

    /// The exit status: 1 or 255.
    #[cfg(test)]
    pub(crate) fn exit_code(self) -> u8 {
        if matches!(self, Self::FormValue | Self::IndirectTwice) { 1 } else { 255 }
    }
}

/// More attributes in one abbreviation stop ptxas.
const MAX_ATTRIBUTES: usize = 256;
/// It calls itself for children, and at about 20,100 levels the stack of 8 MiB is full.
const MAX_DEPTH: usize = 20_100;

pub(super) fn stop<T>(message: Message) -> Result<T, Outcome> {
    Err(Outcome::Rejects(message))
}

/// One abbreviation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// Cut to 16 bits.
    pub(super) tag: u16,
    children: bool,
    /// Attributes in [`List::attributes`]: first and one past the last.
    attributes: (usize, usize),
}

/// The name and the form of an attribute, cut to 16 bits.
pub(super) type Attribute = (u16, u16);

/// All abbreviations of the section as ptxas numbers them: 1 is the first, and codes do not count.
pub(super) struct List {
    entries: Vec<Entry>,
    /// Those of all entries.
    attributes: Vec<Attribute>,
    /// The start of each, in the same order; the last is the place of the last zero, if a zero ends
    /// the section.
    starts: Vec<usize>,
    /// Entry numbers that it can look up without stopping: 64, doubled when it is full.
    capacity: u64,
}

impl List {
    pub(super) fn scan(bytes: &[u8]) -> Result<Self, Outcome> {
        let mut list =
            Self { entries: vec![Entry::default()], attributes: vec![], starts: vec![], capacity: 64 };
        let (mut at, mut zero, mut committed) = (0, None, 1);
        while at < bytes.len() {
            if list.entries.len() as u64 >= list.capacity {
                list.capacity *= 2;
            }
            let start = at;
            if take_uleb(bytes, &mut at) == Some(0) {
                (zero, committed) = (Some(start), list.entries.len());
                continue;
            }
            zero = None;
            list.starts.push(start);
            list.entry(bytes, &mut at)?;
        }
        // A section that begins with a zero and does not end with one: the entries after the last
        // zero are lost.
        if bytes.first() == Some(&0) && zero.is_none() {
            list.entries.iter_mut().skip(committed).for_each(|entry| *entry = Entry::default());
        }
        list.starts.extend(zero);
        Ok(list)
    }

    /// The abbreviation whose tag stands at `at`.
    fn entry(&mut self, bytes: &[u8], at: &mut usize) -> Result<(), Outcome> {
        let tag = take_uleb(bytes, at);
        let children = bytes.get(*at);
        *at += 1;
        let first = self.attributes.len();
        while *at < bytes.len() {
            let Some(name) = take_uleb(bytes, at) else { break };
            if name == 0 {
                *at += 1; // whatever the byte is
                break;
            }
            let Some(form) = take_uleb(bytes, at) else { break };
            if self.attributes.len() - first >= MAX_ATTRIBUTES {
                return stop(Message::TooManyAttributes);
            }
            self.attributes.push((name as u16, form as u16));
        }
        self.entries.push(Entry {
            tag: tag.unwrap_or(0) as u16,
            children: children.is_some_and(|flag| *flag != 0),
            attributes: (first, self.attributes.len()),
        });
        Ok(())
    }

    /// The entry of a number, and its attributes: one without any for a number that is not in the
    /// list.
    pub(super) fn look_up(&self, index: u64) -> Result<(Entry, &[Attribute]), Outcome> {
        if index >= self.capacity {
            return stop(Message::OutOfBounds);
        }
        let entry = self.entries.get(index as usize).copied().unwrap_or_default();
        let (first, last) = entry.attributes;
        Ok((entry, self.attributes.get(first..last).unwrap_or_default()))
    }

    /// What a unit with this abbreviation offset adds to its codes: 0 unless an entry starts there.
    fn base(&self, offset: u64) -> u64 {
        self.starts.binary_search_by_key(&offset, |start| *start as u64).unwrap_or(0) as u64
    }
}

/// Steps over a ULEB128 value; to the end of the bytes if they end first.
fn take_uleb(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let read = bytes.get(*at..).and_then(wrapping_uleb);
    *at = read.map_or(bytes.len(), |(_, len)| *at + len);
    read.map(|(value, _)| value)
}

/// The position of a unit.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) base: u64,
    address: u8,
}

impl Unit {
    /// Returns the position at which the unit's entries begin.
    pub(super) fn entries(self) -> usize {
        self.start + HEADER_SIZE as usize
    }

    fn address_width(self) -> usize {
        if self.address == 4 { 4 } else { 8 }
    }

    /// ptxas looks for the end of a unit where the length without its own four bytes puts it.
    fn is_over(self, at: usize) -> bool {
        at < self.start || at + 4 >= self.end
    }

    /// Where a sibling reference leads, 0 to the unit's length; `None` where it ends the list.
    fn sibling(self, offset: Sibling) -> Option<usize> {
        let offset = usize::try_from(offset?).ok()?;
        Some(self.start.saturating_add(offset).min(self.end)).filter(|at| !self.is_over(*at))
    }
}

/// A value of `DW_AT_sibling`; `None` for one that ptxas does not find or that is not a reference.
type Sibling = Option<u64>;

/// An entry with children that is open.
struct Open {
    subprogram: bool,
    sibling: Option<Sibling>,
}

/// The open entries; ptxas calls itself for each.
#[derive(Default)]
struct Levels {
    open: Vec<Open>,
    /// The number of these that are functions.
    subprograms: usize,
}

impl Levels {
    fn open(&mut self, subprogram: bool, sibling: Option<Sibling>) -> Result<(), Outcome> {
        self.subprograms += usize::from(subprogram);
        self.open.push(Open { subprogram, sibling });
        if self.open.len() > MAX_DEPTH { Err(Outcome::Crashes) } else { Ok(()) }
    }

    fn pop(&mut self) -> Option<Open> {
        let closed = self.open.pop()?;
        self.subprograms -= usize::from(closed.subprogram);
        Some(closed)
    }

    /// The position at which ptxas reads on after a list that ends before `at`.
    fn close(&mut self, unit: Unit, at: usize) -> Option<usize> {
        match self.pop()?.sibling {
            Some(sibling) => unit.sibling(sibling),
            // Only after the children of a top entry does it ask whether anything is left.
            None => Some(at).filter(|at| !self.open.is_empty() || *at < unit.end),
        }
    }

    /// Where it reads on when it gives up a list: at the sibling of the next entry around it that
    /// has one.
    fn leave(&mut self, unit: Unit) -> Option<usize> {
        while let Some(closed) = self.pop() {
            if let Some(next) = closed.sibling.and_then(|sibling| unit.sibling(sibling)) {
                return Some(next);
            }
        }
        None
    }
}

/// One value of an entry.
pub(super) struct Value {
    /// The position of the next value.
    next: usize,
    /// Bytes that it adds to the size of the entry, from which the next *entry* is found.
    size: i64,
    form: u16,
    /// The number, for references.
    pub(super) reference: Option<u64>,
    /// The first operation of a `DW_FORM_block1`.
    operation: Option<u8>,
}

/// A reading of a block of `.debug_info`.
pub(super) struct Walk<'a> {
    pub(super) info: &'a [u8],
    /// The last number of a name: see [`Input::names`](super::Input::names).
    names: u64,
    pub(super) list: &'a List,
    /// The span without a NUL that was last searched: strings may be looked up twice.
    searched: (usize, usize),
    /// Bytes and values that may still be read before the walk counts as endless.
    budget: WorkBudget,
    pub(super) crash_later: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(info: &'a [u8], names: u64, list: &'a List) -> Self {
        // The stack is full before this is spent.
        let budget = WorkBudget::of_input(info.len() as u64, PTXAS_WALK_STEPS);
        Self { info, names, list, searched: (0, 0), budget, crash_later: false }
    }

    /// Reads the headers of all units, and each unit by `entries`.
    pub(super) fn units(
        &mut self,
        mut entries: impl FnMut(&mut Self, Unit) -> Result<(), Outcome>,
    ) -> Result<(), Outcome> {
        let (mut start, all) = (0, self.info.len());
        while start < all {
            let length = self.fixed(start, 4, all)?;
            self.fixed(start + 4, 2, all)?; // the version is not looked at
            let abbrev = self.fixed(start + 6, 4, all)?;
            let address = self.fixed(start + 10, 1, all)? as u8;
            let left = (all - start - 4) as u64;
            if length < HEADER_SIZE - 4 || length > left {
                return stop(Message::Truncate);
            }
            let end = start + 4 + length as usize;
            entries(self, Unit { start, end, base: self.list.base(abbrev), address })?;
            start = end;
        }
        Ok(())
    }

    pub(super) fn unit(&mut self, unit: Unit) -> Result<(), Outcome> {
        let mut levels = Levels::default();
        let mut at = unit.entries();
        let mut root = true;
        loop {
            let next = self.entry(unit, at, root, &mut levels)?;
            let Some(next) = next.or_else(|| levels.leave(unit)) else { return Ok(()) };
            (at, root) = (next, false);
        }
    }

    /// Reads an entry, or the end of a list; `None` where it gives up the list.
    fn entry(
        &mut self,
        unit: Unit,
        start: usize,
        root: bool,
        levels: &mut Levels,
    ) -> Result<Option<usize>, Outcome> {
        let (code, len) = self.uleb(start, unit.end)?;
        let code = code & 0xffff_ffff;
        let mut at = start + len;
        let index = code + unit.base;
        if index == 0 || (code == 0 && !root) {
            // A 0 of more bytes than one does not end the list well.
            return Ok(if len == 1 { levels.close(unit, at) } else { None });
        }
        let (entry, _) = self.list.look_up(index)?;
        if code > self.list.entries.len() as u64 {
            return Ok(None); // not in the list
        }
        let seen = self.values(unit, entry, at, root, levels.subprograms > 0)?;
        self.spend(1 + at.abs_diff(start) as u64)?;
        let Some(next) = at.checked_add_signed(seen.size as isize) else { return Ok(None) };
        at = next;
        let is_over = seen.any && unit.is_over(at);
        if entry.children && !is_over {
            // A zero byte is an empty list without a check of what is left after it.
            if self.info.get(at..unit.end).and_then(<[u8]>::first) != Some(&0) {
                levels.open(entry.tag == DW_TAG_subprogram && seen.any, seen.sibling)?;
                return Ok(Some(at));
            }
            at += 1;
        }
        Ok(match seen.sibling {
            Some(sibling) => unit.sibling(sibling),
            None => Some(at).filter(|_| !is_over),
        })
    }

    /// Reads the values of an entry. The first is at `at`.
    fn values(
        &mut self,
        unit: Unit,
        entry: Entry,
        at: usize,
        root: bool,
        inside: bool,
    ) -> Result<Seen, Outcome> {
        let mut seen = Seen { any: false, size: 0, sibling: None };
        let (first, last) = entry.attributes;
        let mut place = at;
        for &(name, form) in self.list.attributes.get(first..last).unwrap_or_default() {
            let value = self.value(unit, place, name, form)?;
            // The place of the next entry is found by going over the values a second time, each as
            // wide as it counts.
            let counted = at.saturating_add_signed(seen.size as isize);
            let size = if counted == place { value.size } else { self.size(unit, counted, form)? };
            self.spend(1 + value.next.abs_diff(place).min(self.info.len()) as u64)?;
            if name == DW_AT_sibling {
                // The first of several counts; after other values it is not found so near the end.
                let is_found = !seen.any || !unit.is_over(counted);
                if seen.sibling.is_none() {
                    // It is looked up in that second way.
                    let reference = if counted == place || !is_found {
                        value.reference
                    } else {
                        self.value(unit, counted, name, form)?.reference
                    };
                    seen.sibling = Some(reference.filter(|_| is_found));
                }
            }
            let has_value = value.form != 0;
            if has_value
                && matches!(name, DW_AT_low_pc | DW_AT_high_pc)
                && matches!(entry.tag, DW_TAG_lexical_block | DW_TAG_inlined_subroutine | DW_TAG_subprogram)
            {
                // Read once more as an address, whatever the form.
                let skipped = if form == DW_FORM_indirect { self.uleb(place, unit.end)?.1 } else { 0 };
                self.fixed(place + skipped, if unit.address == 8 { 8 } else { 4 }, unit.end)?;
            }
            if name == DW_AT_location
                && !inside
                && entry.tag == DW_TAG_formal_parameter
                && matches!(value.operation, Some(DW_OP_regx | DW_OP_bregx))
            {
                return Err(Outcome::Crashes); // a register needs a function around it
            }
            if name == DW_AT_location && value.form == DW_FORM_data4 {
                self.location_list(entry.tag, place, inside)?;
            }
            let is_name = matches!(name, DW_AT_name | DW_AT_MIPS_linkage_name);
            if has_value && root && entry.tag == DW_TAG_subprogram && is_name {
                // A function needs a unit around it. What it reads instead depends on the heap: for
                // some sizes it goes well.
                return Err(Outcome::Crashes);
            }
            seen.any |= has_value;
            seen.size = seen.size.saturating_add(size);
            place = value.next;
        }
        Ok(seen)
    }

    /// `DW_AT_location` as `DW_FORM_data4`: ptxas takes it for a name, and looks up what was
    /// written by that name.
    fn location_list(&mut self, tag: u16, place: usize, inside: bool) -> Result<(), Outcome> {
        if !inside && tag == DW_TAG_formal_parameter {
            return Err(Outcome::Crashes);
        }
        let number = number(self.info.get(place..place + 4).unwrap_or_default());
        if inside && matches!(tag, DW_TAG_formal_parameter | DW_TAG_variable) && number > self.names {
            self.crash_later = true; // found only when all units are read
        }
        Ok(())
    }

    pub(super) fn value(&mut self, unit: Unit, at: usize, name: u16, form: u16) -> Result<Value, Outcome> {
        let end = unit.end;
        let sized =
            |len: usize| Value { next: at + len, size: len as i64, form, reference: None, operation: None };
        if form == 0 {
            return Ok(sized(0));
        }
        let Some(layout) = FormEncoding::of_version_2(form.into()) else { return stop(Message::FormValue) };
        let reference = |value| matches!(form, DW_FORM_ref1..=DW_FORM_ref_udata).then_some(value);
        Ok(match layout {
            FormEncoding::Address | FormEncoding::InfoReference => {
                self.fixed(at, unit.address_width(), end)?;
                // The size counts as a signed byte, whatever was read.
                Value { size: i64::from(unit.address as i8), ..sized(unit.address_width()) }
            }
            FormEncoding::Fixed(width) => {
                let value = self.fixed(at, width.into(), end)?;
                Value { reference: reference(value), ..sized(width.into()) }
            }
            FormEncoding::Leb => {
                let (value, len) = self.uleb(at, end)?;
                Value { reference: reference(value), ..sized(len) }
            }
            FormEncoding::String => sized(self.string(at, end)? - at),
            // Read as if it were a string, counted as four bytes.
            FormEncoding::Offset => Value { size: 4, ..sized(self.string(at, end)? - at) },
            FormEncoding::Block(width) => {
                let width = usize::from(width);
                let len = self.fixed(at, width, end)?;
                let next = within(at + width, len, end)?;
                if width == 1 {
                    if has_expression(name) {
                        self.expression(unit, at + width, next)?;
                    }
                } else {
                    // It forgets to step over the length.
                    self.expression(unit, at, next - width)?;
                }
                let operation = self.info.get(at + width..next).and_then(<[u8]>::first).copied();
                Value { operation: operation.filter(|_| width == 1), ..sized(next - at) }
            }
            FormEncoding::BlockLeb => {
                let (len, width) = self.uleb(at, end)?;
                let next = within(at + width, len, end)?;
                if len == 0 {
                    return stop(Message::Invalid);
                }
                self.expression(unit, at + width, next)?;
                sized(next - at)
            }
            FormEncoding::Indirect => {
                let (inner, len) = self.uleb(at, end)?;
                if inner as u16 == form {
                    return stop(Message::IndirectTwice);
                }
                let value = self.value(unit, at + len, name, inner as u16)?; // one level: see above
                Value { size: value.size + len as i64, ..value }
            }
        })
    }

    /// Bytes that the value at `at` counts for.
    fn size(&mut self, unit: Unit, at: usize, form: u16) -> Result<i64, Outcome> {
        let end = unit.end;
        let Some(layout) = FormEncoding::of_version_2(form.into()) else { return Ok(0) }; // form 0: others were refused
        Ok(match layout {
            FormEncoding::Address | FormEncoding::InfoReference => i64::from(unit.address as i8),
            FormEncoding::Fixed(width) => width.into(),
            FormEncoding::Leb => self.uleb(at, end)?.1 as i64,
            FormEncoding::String => (self.string(at, end)? - at) as i64,
            FormEncoding::Offset => 4,
            FormEncoding::Block(width) => (self.fixed(at, width.into(), end)? + u64::from(width)) as i64,
            FormEncoding::BlockLeb => {
                let (len, width) = self.uleb(at, end)?;
                (len as u32 as usize + width) as i64
            }
            FormEncoding::Indirect => {
                let (inner, len) = self.uleb(at, end)?;
                if inner as u16 == form {
                    return stop(Message::IndirectTwice);
                }
                self.size(unit, at + len, inner as u16)? + len as i64
            }
        })
    }

    /// A location expression: up to its end, or to a zero that is not its first byte.
    fn expression(&self, unit: Unit, mut at: usize, end: usize) -> Result<(), Outcome> {
        let start = at;
        while let Some(&op) = self.info.get(at..end).and_then(<[u8]>::first) {
            if op == 0 && at > start {
                break;
            }
            at += 1;
            match op {
                DW_OP_addr => at = within(at, unit.address_width() as u64, end)?,
                DW_OP_const4u => at = within(at, 4, end)?,
                DW_OP_deref_size => at = within(at, 1, end)?,
                DW_OP_constu | DW_OP_plus_uconst | DW_OP_breg0..DW_OP_regx | DW_OP_fbreg => {
                    at += self.uleb(at, end)?.1;
                }
                DW_OP_regx => at += self.uleb(at, end)?.1 + 1, // one byte too far
                DW_OP_bregx => {
                    at += self.uleb(at, end)?.1;
                    at += self.uleb(at, end)?.1;
                }
                _ => {} // no operand of any other is skipped
            }
        }
        Ok(())
    }

    pub(super) fn fixed(&self, at: usize, width: usize, end: usize) -> Result<u64, Outcome> {
        let bytes = self.left(at, end)?;
        bytes.get(..width).map_or(stop(Message::OutOfBounds), |bytes| Ok(number(bytes)))
    }

    pub(super) fn uleb(&self, at: usize, end: usize) -> Result<(u64, usize), Outcome> {
        wrapping_uleb(self.left(at, end)?).map_or(stop(Message::OutOfBounds), Ok)
    }

    /// The position after the NUL of the string at `at`.
    pub(super) fn string(&mut self, at: usize, end: usize) -> Result<usize, Outcome> {
        let bytes = self.left(at, end)?;
        if !(self.searched.0..=self.searched.1).contains(&at) {
            self.searched = (at, memchr::memchr(0, bytes).map_or(end, |len| at + len));
        }
        if self.searched.1 < end { Ok(self.searched.1 + 1) } else { stop(Message::OutOfBounds) }
    }

    fn left(&self, at: usize, end: usize) -> Result<&'a [u8], Outcome> {
        match self.info.get(at..end) {
            Some(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => stop(Message::Invalid),
        }
    }

    pub(super) fn spend(&mut self, work: u64) -> Result<(), Outcome> {
        if self.budget.take(work) { Ok(()) } else { Err(Outcome::Hangs) }
    }
}

/// The facts from the values of an entry.
struct Seen {
    /// Whether there was a value of a form other than 0.
    any: bool,
    /// Bytes from the first value to the next entry.
    size: i64,
    sibling: Option<Sibling>,
}

fn within(at: usize, len: u64, end: usize) -> Result<usize, Outcome> {
    match usize::try_from(len).ok().and_then(|len| at.checked_add(len)) {
        Some(next) if next <= end => Ok(next),
        _ => stop(Message::OutOfBounds),
    }
}

/// Attributes whose block is an expression if it is a `DW_FORM_block1`.
fn has_expression(name: u16) -> bool {
    matches!(name, DW_AT_location | DW_AT_bit_stride | DW_AT_data_member_location | DW_AT_byte_stride)
}

/// A little-endian number of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A ULEB128 value of any length and the bytes it takes, or `None` where the bytes end first.
fn wrapping_uleb(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut cursor = Cursor::new(info::SECTION, bytes).with_long_numbers();
    let value = cursor.uleb("a number").ok()?;
    Some((value, cursor.offset() as usize))
}
