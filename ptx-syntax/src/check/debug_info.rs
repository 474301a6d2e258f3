//! Checks of `.debug_info` and `.debug_abbrev` as DWARF 2: the faults found by `dwarf`, with their
//! place in the text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::debug_entries::Entries;
use super::debug_info_releases::is_known;
use super::dwarf::{self, Fault, FaultKind, Locals, Message, Outcome};
use super::files::Files;
use super::ptxas_transcript::{Level, Modes, Phase};
use super::rules::RuleId;
use super::sections::{Section, Sections};
use super::sink::Sink;
use crate::declared_names::{self, Declared};
use crate::error::ErrorSink;
use crate::module::Module;
use crate::section::{DataCursor, DataItem, SectionBlock};
use crate::section_data::{AssembledSection, Fixup, FixupTarget};
use crate::state_space::StateSpace;
use crate::statement::Statement;
use crate::text_range::TextRange;

const INFO: &str = ".debug_info";
const ABBREV: &str = ".debug_abbrev";
const DW_OP_ADDR: u8 = dwarf2_reader::constants::DW_OP_addr;

/// Reads the sections, if there are any. Returns whether entries describe anything: a function, a
/// type, a variable.
pub(super) fn check(
    module: &Module<'_>,
    sections: &Sections<'_>,
    files: &Files<'_, '_>,
    sink: &mut Sink<'_>,
) -> bool {
    let (info, abbrev) = (sections.named(INFO), sections.named(ABBREV));
    if info.is_none() && abbrev.is_none() {
        return false;
    }
    let fixups: &[Fixup<'_>] = info.map_or(&[], |section| &section.assembled.fixups);
    let views = info.map(|info| Views::of(info, sections)).unwrap_or_default();
    let (blocks, locals): (Vec<_>, Vec<_>) = blocks_with_locals(module, sections).into_iter().unzip();
    let input = dwarf::Input {
        info: &views.read,
        names: views.names,
        written: &views.written,
        abbrev: abbrev.map(|section| &*section.assembled.bytes),
        str_size: sections.named(".debug_str").map(|section| section.assembled.bytes.len() as u64),
        locals: &locals,
        fixups: &views.addresses,
    };
    let reading = dwarf::read(&input);
    let places = Places::of(module, &reading.faults);
    let mut first = None;
    for fault in &reading.faults {
        // `info-without-abbrev` says it.
        let Some((rule, message)) = describe(fault) else { continue };
        first.get_or_insert(rule);
        let offset = fault.offset;
        let range = places.range(fault);
        sink.error(rule, range, format_args!("{}+{offset:#x}: {message}", fault.section));
    }
    let lengths = info.map_or_else(Vec::new, |info| views.lengths(&info.assembled, &reading.faults));
    for NamedLength { range, length, read } in lengths {
        let rule = RuleId::UnitLength;
        first.get_or_insert(rule);
        let written = range.slice(module.text);
        let message = format_args!("ptxas takes the unit's length `{written}` for {read}");
        if let Some(finding) = sink.find(rule, range, message) {
            finding.help = Some(format!("write the number: {length}"));
        }
    }
    if let Outcome::Rejects(Message::UnknownAttribute { block, offset }) = reading.ptxas {
        let fixups = blocks.get(block).map_or(&[][..], |block| &block.assembled.fixups);
        if let Some(fixup) = fixups.iter().find(|fixup| fixup.offset == offset) {
            local(fixup, module, sink);
        }
    } else if is_known(sink.release, &reading, has_bare_local(&blocks, &locals)) {
        outcome(reading.ptxas, first, module, sink);
    } else {
        not_known(reading.ptxas, first, module, sink);
    }
    let find = |offsets: &[u64]| places_of(module, INFO, offsets);
    let entries =
        Entries { facts: &reading.facts, fixups, bytes: &views.written, module, files, find: &find };
    entries.check(sink);
    reading.facts.describes
}

/// Blocks of `.debug_info` that refer to `.local` variables, each with its readings.
fn blocks_with_locals<'s, 'a>(
    module: &Module<'_>,
    sections: &'s Sections<'a>,
) -> Vec<(&'s Section<'a>, Locals)> {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    let has_locals = bodies.flat_map(|body| &body.statements).any(
        |statement| matches!(statement, Statement::Variable(variable) if variable.space == StateSpace::Local),
    );
    if !has_locals {
        return Vec::new();
    }
    let declared = declared_names::declared(module);
    let is_local = |fixup: &&Fixup<'_>| match fixup.target {
        FixupTarget::Symbol { name, .. } => {
            declared.get(name) == Some(Declared::Variable(StateSpace::Local))
                && !sections.labels.contains_key(name)
        }
        _ => false,
    };
    let infos = sections.list.iter().filter(|section| section.name.text == INFO);
    let with_places = infos.map(|section| {
        let places = section.assembled.fixups.iter().filter(is_local).map(|fixup| fixup.offset).collect();
        (section, Locals { info: Vec::new(), places })
    });
    let mut blocks: Vec<_> = with_places.filter(|(_, locals)| !locals.places.is_empty()).collect();
    for (section, locals) in &mut blocks {
        let is_open = |fixup: &Fixup<'_>| match fixup.target {
            FixupTarget::Difference { .. } => true,
            FixupTarget::Symbol { name, .. } if !sections.labels.contains_key(name) => {
                matches!(declared.get(name), Some(Declared::CodeLabel | Declared::Parameter))
            }
            _ => false,
        };
        // The others are resolved by now, and no number any more.
        let mut read = Cow::Borrowed(&*section.assembled.bytes);
        for (fixup, number) in numbered(&section.assembled) {
            put(&mut read, fixup, if is_open(fixup) { number } else { 0 });
        }
        locals.info = read.into_owned();
    }
    blocks
}

/// Whether a `.local` variable stands where no `DW_OP_addr` is before it.
fn has_bare_local(blocks: &[&Section<'_>], locals: &[Locals]) -> bool {
    blocks.iter().zip(locals).any(|(block, locals)| {
        let before = |place: &u64| block.assembled.bytes.get((*place as usize).checked_sub(1)?);
        locals.places.iter().any(|place| before(place) != Some(&DW_OP_ADDR))
    })
}

/// `.debug_info` as its two readers have it.
#[derive(Default)]
struct Views<'a> {
    /// As ptxas reads it: see [`numbered`].
    read: Cow<'a, [u8]>,
    /// The last of these numbers that is not one of `.debug_abbrev`.
    names: u64,
    /// With the numbers that names stand for.
    written: Cow<'a, [u8]>,
    /// Names that stand for none: byte offset and width, ascending.
    addresses: Vec<(u64, u8)>,
}

impl<'a> Views<'a> {
    fn of(info: &'a Section<'_>, sections: &Sections<'_>) -> Self {
        let AssembledSection { bytes, fixups, .. } = &info.assembled;
        let bytes = Cow::Borrowed(&**bytes);
        let mut views = Self { read: bytes.clone(), written: bytes, ..Self::default() };
        for (fixup, number) in numbered(&info.assembled) {
            put(&mut views.read, fixup, number);
            if !is_abbreviations(fixup) {
                views.names = number;
            }
        }
        for fixup in fixups {
            match number(&fixup.target, sections) {
                Some(0) => {}
                Some(number) => put(&mut views.written, fixup, number),
                None => views.addresses.push((fixup.offset, fixup.width)),
            }
        }
        views
    }

    /// Lengths of units that are written by name, with the number that ptxas takes each for; those
    /// with a fault have a finding.
    fn lengths(&self, info: &AssembledSection<'_>, faults: &[Fault]) -> Vec<NamedLength> {
        let mut lengths = Vec::new();
        let mut start = 0;
        while let Some(length) = self.written.get(start..).and_then(|rest| rest.first_chunk()) {
            let length = u64::from(u32::from_le_bytes(*length));
            let at = start as u64;
            let by_name = |fixups: &[Fixup<'_>]| {
                let place = fixups.binary_search_by_key(&at, |fixup| fixup.offset).ok()?;
                fixups.get(place).map(|fixup| fixup.range)
            };
            let read = self.read.get(start..).and_then(|rest| rest.first_chunk());
            let read = read.map_or(0, |read| u64::from(u32::from_le_bytes(*read)));
            if length >= 7
                && read != length
                && let Some(range) = by_name(&info.folded).or_else(|| by_name(&info.fixups))
                && !faults.iter().any(|fault| fault.section == INFO && fault.offset == at)
            {
                lengths.push(NamedLength { range, length, read });
            }
            start += 4 + length as usize;
        }
        lengths
    }
}

/// The length of a unit as a name.
struct NamedLength {
    range: TextRange,
    /// The number that the name stands for.
    length: u64,
    /// The number that ptxas takes it for.
    read: u64,
}

fn is_abbreviations(fixup: &Fixup<'_>) -> bool {
    matches!(fixup.target, FixupTarget::Section { name: ABBREV, .. })
}

/// What is written by name, ascending, with the number that ptxas takes it for: N for
/// `.debug_abbrev+N`; for any other name, label or difference its place among these, from 1.
fn numbered<'s, 'a>(section: &'s AssembledSection<'a>) -> impl Iterator<Item = (&'s Fixup<'a>, u64)> {
    let (mut fixups, mut folded) = (section.fixups.iter().peekable(), section.folded.iter().peekable());
    let ordered = std::iter::from_fn(move || match (fixups.peek(), folded.peek()) {
        (Some(fixup), Some(other)) if fixup.offset < other.offset => fixups.next(),
        (_, Some(_)) => folded.next(),
        _ => fixups.next(),
    });
    let mut count = 0;
    ordered.map(move |fixup| {
        if let FixupTarget::Section { name: ABBREV, addend } = fixup.target {
            return (fixup, addend as u64);
        }
        count += 1;
        (fixup, count)
    })
}

fn put(bytes: &mut Cow<'_, [u8]>, fixup: &Fixup<'_>, number: u64) {
    let (start, number) = (fixup.offset as usize, number.to_le_bytes());
    let width = usize::from(fixup.width);
    if let (Some(place), Some(number)) = (bytes.to_mut().get_mut(start..start + width), number.get(..width)) {
        place.copy_from_slice(number);
    }
}

/// The number that a name stands for; none for an address, and for what is not there.
fn number(target: &FixupTarget<'_>, sections: &Sections<'_>) -> Option<u64> {
    match *target {
        FixupTarget::Section { name, addend } => sections.named(name).map(|_| addend as u64),
        FixupTarget::Symbol { name, addend } => {
            sections.labels.get(name).map(|&(_, offset)| offset.wrapping_add(addend as u64))
        }
        FixupTarget::Difference { left, right } => {
            let ((left, from), (right, to)) = (*sections.labels.get(left)?, *sections.labels.get(right)?);
            (left == right).then(|| from.wrapping_sub(to))
        }
    }
}

/// A `.local` variable in a function where ptxas can put no place.
fn local(fixup: &Fixup<'_>, module: &Module<'_>, sink: &mut Sink<'_>) {
    let rule = RuleId::LocalOutside;
    let name = fixup.range.slice(module.text);
    let message = format_args!(
        "with -g ptxas fails over `{name}`, a .local variable, where no DW_OP_addr stands before it"
    );
    sink.error(rule, fixup.range, message);
    let said = format_args!("Internal error: unknown attribute");
    sink.ptxas_message(rule, Phase::Sections, 0, Level::Fatal, Modes::G, said);
}

/// What ptxas does, by the first fault if there is one.
fn outcome(outcome: Outcome, first: Option<RuleId>, module: &Module<'_>, sink: &mut Sink<'_>) {
    let (level, text, what) = match outcome {
        Outcome::Accepts | Outcome::Skips => return,
        Outcome::Rejects(message) => {
            let text = message.text().trim_end_matches('\n');
            let (level, text) = match text.strip_prefix("ptxas fatal   : ") {
                Some(text) => (Level::Fatal, text),
                None => (Level::Bare, text),
            };
            (level, text, "refuses")
        }
        Outcome::Crashes => (Level::Crash, "", "crashes on"),
        Outcome::Hangs => (Level::Crash, "", "never ends with"),
    };
    let many = outcome == Outcome::Rejects(Message::TooManyAttributes);
    let rule = match first {
        _ if many => RuleId::TooManyAttributes,
        Some(rule) => rule,
        None => RuleId::PtxasReads,
    };
    if many || first.is_none() {
        let section = module.sections().find(|section| section.name.text == if many { ABBREV } else { INFO });
        let range = section.map_or(TextRange::default(), |section| section.name.range);
        let release = sink.release;
        let message = if many {
            format_args!("an abbreviation has more than 256 attributes")
        } else {
            format_args!("ptxas {release} -g {what} this section, which is sound DWARF")
        };
        sink.error(rule, range, message);
    }
    sink.ptxas_message(rule, Phase::Dwarf, 0, level, Modes::G, format_args!("{text}"));
}

/// The release may refuse the section or not; `outcome` is what ptxas 13.0.88 does.
fn not_known(outcome: Outcome, first: Option<RuleId>, module: &Module<'_>, sink: &mut Sink<'_>) {
    let rule = first.unwrap_or(RuleId::PtxasReads);
    if first.is_none() {
        let section = module.sections().find(|section| section.name.text == INFO);
        let range = section.map_or(TextRange::default(), |section| section.name.range);
        let release = sink.release;
        let message = format_args!(
            "ptxas 13.0 -g {} this section, which is sound DWARF; what ptxas {release} does is not known",
            match outcome {
                Outcome::Crashes => "crashes on",
                Outcome::Hangs => "never ends with",
                _ => "refuses",
            }
        );
        sink.warning(rule, range, message);
    }
    sink.ptxas_message(rule, Phase::Dwarf, 0, Level::NotKnown, Modes::G, format_args!(""));
}

/// The rule of a fault, and what is wrong.
fn describe(fault: &Fault) -> Option<(RuleId, String)> {
    use FaultKind as K;
    Some(match fault.kind {
        K::NoAbbrev => return None,
        K::More => (RuleId::MoreFaults, "there are more faults, which are not listed".to_owned()),
        K::HeaderCut { left } => {
            (RuleId::UnitLength, format!("a unit's header has 11 bytes, {left} are left"))
        }
        K::UnitLength { length, left } => {
            (RuleId::UnitLength, format!("the unit's length is {length:#x}, but {left:#x} bytes follow it"))
        }
        K::WrongLength { length, expected } => (
            RuleId::UnitLength,
            format!("the unit's length is {length}, but its entries end after {expected} bytes"),
        ),
        K::OperandCut { operation } => (
            RuleId::OperandCut,
            format!("the operand of operation {operation:#x} goes past the end of its expression"),
        ),
        K::Version { version } => {
            (RuleId::UnitVersion, format!("the unit is of DWARF version {version}: expected 2"))
        }
        K::AbbrevOffset { offset, size } => (
            RuleId::AbbrevOffset,
            format!("the unit's abbreviations are at {offset:#x} of {size:#x} bytes in .debug_abbrev"),
        ),
        K::AddressSize { size } => {
            (RuleId::UnitAddressSize, format!("the unit's addresses have {size} bytes: expected 8"))
        }
        K::UnknownCode { code } => (
            RuleId::UnknownAbbrev,
            format!("abbreviation {code} is not in the unit's table; the rest of the unit cannot be read"),
        ),
        K::ValueCut { form, left } => (
            RuleId::ValueCutShort,
            format!("a value of form {form:#x} needs more than the {left} bytes left in the unit"),
        ),
        K::OpenString => (RuleId::ValueCutShort, "a string has no NUL before the end of the unit".to_owned()),
        K::StringOffset { offset, size } => {
            (RuleId::StringOffset, format!("the string is at {offset:#x} of {size:#x} bytes in .debug_str"))
        }
        K::Reference { offset, size } => {
            (RuleId::DieReference, format!("a reference to {offset:#x} in a unit of {size:#x} bytes"))
        }
        K::OpenChildren { depth } => {
            (RuleId::OpenChildren, format!("the unit ends with {depth} lists of children open"))
        }
        K::NoEntry => (RuleId::NoEntry, "the unit has no entry".to_owned()),
        K::AfterRoot { left } => (RuleId::AfterRoot, format!("{left} bytes follow the unit's only entry")),
        K::UnknownForm { form } => (RuleId::UnknownForm, format!("form {form:#x} is none of DWARF 2")),
        K::AbbrevCut => {
            (RuleId::AbbrevCut, "the abbreviation ends with the section: expected two zeros".to_owned())
        }
        K::ChildrenFlag { value } => {
            (RuleId::ChildrenFlag, format!("the children flag is {value}: expected 0 or 1"))
        }
        K::DuplicateCode { code } => {
            (RuleId::DuplicateAbbrev, format!("abbreviation {code} is defined twice"))
        }
        K::HalfAttribute { name, form } => (
            RuleId::HalfAttribute,
            format!("attribute {name:#x} with form {form:#x}: expected both, or two zeros"),
        ),
        K::NoTerminator => {
            (RuleId::AbbrevTerminator, "the table of abbreviations has no zero at its end".to_owned())
        }
        K::LongLeb => (RuleId::LongLeb, "a LEB128 number of more than 64 bits, or 10 bytes".to_owned()),
    })
}

/// The positions in the text of the bytes that are at fault.
struct Places(HashMap<(&'static str, u64), TextRange>);

impl Places {
    fn of(module: &Module<'_>, faults: &[Fault]) -> Self {
        let mut places = HashMap::new();
        for name in [INFO, ABBREV] {
            let mut wanted: Vec<u64> =
                faults.iter().filter(|fault| fault.section == name).map(|fault| fault.offset).collect();
            wanted.sort_unstable();
            let found = places_of(module, name, &wanted);
            places.extend(wanted.iter().zip(found).map(|(&offset, range)| ((name, offset), range)));
        }
        Self(places)
    }

    fn range(&self, fault: &Fault) -> TextRange {
        self.0.get(&(fault.section, fault.offset)).copied().unwrap_or_default()
    }
}

/// Where the bytes at ascending offsets of a section stand; lines of `@@DWARF` are shown as the
/// whole text.
pub(super) fn places_of(module: &Module<'_>, name: &str, wanted: &[u64]) -> Vec<TextRange> {
    let block = module.sections().find(|block| block.name.text == name);
    block.map_or_else(|| vec![TextRange::default(); wanted.len()], |block| find(block, wanted))
}

/// The values that hold the bytes at these ascending offsets; the block's end for those past it.
fn find(block: &SectionBlock<'_>, wanted: &[u64]) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut cursor = DataCursor::new(block.text, block.open.end);
    let mut errors = ErrorSink::default();
    let mut offset = 0;
    while let Some(item) = cursor.next_item(&mut errors) {
        let DataItem::Value(value) = item else { continue };
        offset += u64::from(value.width);
        while wanted.get(found.len()).is_some_and(|&wanted| wanted < offset) {
            found.push(value.range);
        }
        if found.len() == wanted.len() {
            break;
        }
    }
    found.resize(wanted.len(), block.close);
    found
}
