//! Checks of `.section` blocks: their values, labels and references, and which blocks reach the
//! cubin.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::ModuleFacts;
use super::bounded_text::bounded;
use super::gates::Gates;
use super::grammar::next_token;
use super::layout::{self, is_reference};
use super::ptxas_transcript::{DELETED_SYMBOL, Level, Modes, Phase};
use super::rules::RuleId;
use super::sections::{Section, Sections};
use super::sink::Sink;
use crate::declared_names::{Declared, Names, declared};
use crate::dotted_names::{DeclaredNames, whole_name};
use crate::error::ErrorSink;
use crate::module::{Item, Module};
use crate::name::Name;
use crate::number::Literal;
use crate::reserved_words::is_reserved;
use crate::section::{DataCursor, DataItem, SectionBlock};
use crate::section_data::{Fixup, FixupTarget};
use crate::section_order::{self, BlockPlacement, RESERVED, TABLES, is_deleted_if_empty};
use crate::state_space::StateSpace;
use crate::text_range::TextRange;
use crate::value::{Value, ValueKind};
use findings::Severity;

/// Checks every block.
pub(super) fn check<'a>(
    module: &Module<'a>,
    known: &ModuleFacts,
    gates: &mut Gates,
    sink: &mut Sink<'_>,
) -> Sections<'a> {
    let sections = Sections::of(module);
    let mut defined = HashSet::new();
    for block in module.sections() {
        let name = block.name;
        if !is_reserved(name.text) {
            gates.check(RuleId::GateSection, name.range, name.range.start, sink);
        }
        if !block.open.is_empty() {
            lines(block, &mut defined, gates, sink);
        }
    }
    at_dwarf(module, gates, sink);
    sections.list.iter().for_each(|section| reach(section.name, sink));
    if known.code {
        other_names(&sections, sink);
    }
    let blocks: Vec<_> =
        sections.list.iter().map(|section| (section.name.text, &section.assembled)).collect();
    let places = section_order::block_placements(&blocks, sink.text);
    abbreviations(&sections, known, sink);
    if sections.list.iter().any(|section| !section.assembled.fixups.is_empty()) {
        references(&sections, &places, &declared(module), known, sink);
    }
    // ptxas resolves what a section refers to before it finds that another is in its place.
    layout::overlaps(&sections, &places, known, sink);
    sections
}

/// The lines of one block, one by one.
fn lines<'a>(
    block: &SectionBlock<'a>,
    defined: &mut HashSet<&'a str>,
    gates: &mut Gates,
    sink: &mut Sink<'_>,
) {
    let mut cursor = DataCursor::new(block.text, block.open.end);
    let mut errors = ErrorSink::default(); // the parser has reported them
    loop {
        cursor.run_plain(|_, _| {});
        match cursor.next_item(&mut errors) {
            Some(DataItem::Label(label)) => {
                let colon = next_token(sink.text, label.range.end).range.start;
                gates.check(RuleId::GateSectionLabel, label.range, colon, sink);
                if !defined.insert(label.text) {
                    let message = format_args!("label `{}` is defined twice", label.text);
                    sink.error(RuleId::DuplicateLabel, label.range, message);
                    let said = format_args!("Duplicate definition of label '{}'", label.text);
                    sink.ptxas_error(RuleId::DuplicateLabel, colon, said);
                }
            }
            Some(DataItem::Directive { width: 2, range }) => {
                gates.check(RuleId::GateB16, range, range.start, sink);
            }
            Some(DataItem::Directive { .. }) => {}
            Some(DataItem::Value(value)) => check_value(&value, gates, sink),
            None => return,
        }
    }
}

fn check_value(value: &Value<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
    let range = value.range;
    let last = range.end - 1;
    let written = range.slice(sink.text);
    match value.kind {
        ValueKind::Integer(_) if written.starts_with('-') => {
            gates.check(RuleId::GateNegative, range, last, sink);
        }
        ValueKind::Integer(stored) => {
            let literal = Literal::read(written);
            if !literal.overflow && literal.value != stored {
                let message = format_args!("ptxas stores 32 bits of this number: {stored:#x}");
                if let Some(finding) = sink.find(RuleId::ValueCut, range, message)
                    && value.width == 8
                {
                    let (low, high) = (literal.value as u32, literal.value >> 32);
                    finding.help = Some(match literal.value >> 63 {
                        0 => format!("write two values: .b32 {low:#x}, {high:#x}"),
                        _ => format!("write {}, or .b32 {low:#x}, {high:#x}", literal.value as i64),
                    });
                }
            }
        }
        ValueKind::Symbol { addend, .. } => {
            let Some((_, offset)) = written.split_once('+') else { return };
            gates.check(RuleId::GateLabelOffset, range, last, sink);
            let literal = Literal::read(last_number(offset));
            if literal.value != u64::from(addend) {
                sink.error(
                    RuleId::OffsetCut,
                    range,
                    format_args!("ptxas keeps 32 bits of the offset: {addend}"),
                );
                sink.ptxas_may_refuse(RuleId::OffsetCut, Phase::Sections, range.start, Modes::G);
            }
        }
        ValueKind::Difference { .. } => gates.check(RuleId::GateDifference, range, last, sink),
    }
}

/// The number at the end of a text of blanks, comments and a number.
fn last_number(text: &str) -> &str {
    let digits = text.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
    text.get(text.len() - digits..).unwrap_or("")
}

/// Whether a block gets into the cubin at all.
fn reach(name: Name<'_>, sink: &mut Sink<'_>) {
    let (severity, message) = match name.text {
        "" => return,
        ".debug_line" => {
            (Severity::Warning, "ptxas makes its own `.debug_line` from `.loc`, and drops this one")
        }
        word if word.starts_with(".debug_") || word.starts_with(".nv_debug_") => return,
        _ => (
            Severity::Note,
            "this section is kept with -g or `.target debug` only, and no debugger looks for it",
        ),
    };
    sink.find_as(severity, RuleId::SectionDropped, name.range, format_args!("{message}"));
}

/// Sections with bytes whose names a later ptxas does not know.
fn other_names(sections: &Sections<'_>, sink: &mut Sink<'_>) {
    let is_other = |section: &&Section<'_>| {
        !section.assembled.bytes.is_empty() && !section_order::is_known_later(section.name.text)
    };
    if let Some(section) = sections.list.iter().find(is_other) {
        let (rule, at) = (RuleId::SectionDropped, section.name.range.start);
        sink.ptxas_may_refuse(rule, Phase::Sections, at, Modes::G);
    }
}

/// `@@DWARF` lines of PTX 1.x.
fn at_dwarf(module: &Module<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
    let outdated = module.version().is_some_and(|version| version.major >= 2);
    let mut in_section = false;
    for item in &module.items {
        // After a block ptxas takes the lines for the block's.
        in_section |= matches!(item, Item::Section(_));
        let Item::AtDwarf(line) = item else { continue };
        let range = line.range;
        gates.check(RuleId::GateAtDwarf, range, range.end - 1, sink);
        if line.directive.text == ".section" {
            in_section = true;
            if outdated && !line.is_complete {
                let message = "`@@DWARF` ended with PTX 1.x: expected `.section NAME { ... }`";
                sink.error(RuleId::AtDwarfDeprecated, range, format_args!("{message}"));
            } else if outdated {
                let rule = RuleId::AtDwarfDeprecated;
                let message = "`@@DWARF` ended with PTX 1.x: expected `.section NAME { ... }`";
                sink.error(rule, range, format_args!("{message}"));
                let said = "Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0";
                sink.ptxas_error(rule, range.end - 1, format_args!("{said}"));
            }
        } else if !in_section && line.is_complete {
            in_section = true;
            let rule = RuleId::AtDwarfWithoutSection;
            let release = sink.release;
            let message = format_args!("this crashes ptxas {release}: expected `@@DWARF .section` first");
            sink.error(rule, range, message);
            sink.ptxas_message_at(rule, range.end, Level::Crash, Modes::ALL, format_args!(""));
        }
        for value in line.values().filter(|value| matches!(value.kind, ValueKind::Integer(_))) {
            check_value(&value, gates, sink);
        }
    }
}

/// `.debug_info` needs `.debug_abbrev`; and what ptxas says of sections that are not there.
fn abbreviations(sections: &Sections<'_>, known: &ModuleFacts, sink: &mut Sink<'_>) {
    let abbrev = sections.named(".debug_abbrev").is_some();
    let mut infos = 0_u32;
    for section in sections.list.iter().filter(|section| section.name.text == ".debug_info") {
        infos += 1;
        if !abbrev {
            let rule = RuleId::InfoWithoutAbbrev;
            let range = section.name.range;
            if section.assembled.bytes.is_empty() {
                sink.warning(rule, range, format_args!(".debug_info without .debug_abbrev is dropped"));
            } else {
                sink.error(
                    rule,
                    range,
                    format_args!(".debug_info present but unusable: without .debug_abbrev it is dropped"),
                );
            }
        }
    }
    if !known.code {
        return;
    }
    let mut warn = |level: Level, text: &str| {
        let rule = RuleId::InfoWithoutAbbrev;
        sink.ptxas_message(rule, Phase::Warn, 2, level, Modes::G, format_args!("{text}"));
    };
    if !abbrev {
        warn(Level::Warning, " .debug_abbrev section not found");
    }
    if infos == 0 {
        warn(Level::Warning, " .debug_info section not found");
    }
    if !abbrev {
        for _ in 0..infos {
            warn(Level::Info, "skipping .debug_info section due to missing .debug_abbrev section");
        }
    }
}

/// What the blocks refer to.
fn references(
    sections: &Sections<'_>,
    places: &[BlockPlacement],
    declared: &Names<'_>,
    known: &ModuleFacts,
    sink: &mut Sink<'_>,
) {
    let mut used = HashMap::new();
    let dotted = OnceCell::new();
    for (section, &place) in sections.list.iter().zip(places) {
        let mut references =
            References { sections, declared, dotted: &dotted, section, place, known, used: &mut used };
        for fixup in &section.assembled.fixups {
            references.past_strings(fixup, sink);
            if references.local(fixup, sink) {
                continue;
            }
            if place.early.is_some() && is_reference(&fixup.target) {
                let (phase, at) = (Phase::Sections, place.rank);
                let nothing = format_args!("");
                sink.ptxas_message(RuleId::SectionEarly, phase, at, Level::Crash, Modes::G, nothing);
            }
            match fixup.target {
                FixupTarget::Symbol { name, addend } => references.symbol(fixup.range, name, addend, sink),
                FixupTarget::Section { name, addend } => {
                    references.section_offset(fixup.range, name, addend, sink);
                }
                FixupTarget::Difference { left, right } => {
                    references.difference(fixup.range, left, right, sink);
                }
            }
        }
    }
}

struct References<'r, 'a> {
    sections: &'r Sections<'a>,
    declared: &'r Names<'a>,
    /// The declared names by their letters, made for the first name that begins with a dot.
    dotted: &'r OnceCell<DeclaredNames<'a>>,
    section: &'r Section<'a>,
    place: BlockPlacement,
    known: &'r ModuleFacts,
    /// Labels of sections used in `.debug_info`, with their offset.
    used: &'r mut HashMap<(&'a str, i64), TextRange>,
}

impl<'a> References<'_, 'a> {
    fn in_info(&self) -> bool {
        self.section.name.text == ".debug_info"
    }

    /// Modes in which the section is kept: `.debug_str` with line information already.
    fn modes(&self) -> Modes {
        if self.section.name.text == ".debug_str" { self.known.names } else { Modes::G }
    }

    /// Whether ptxas resolves what it refers to; of the file's own tables it does before it drops
    /// them.
    fn is_resolved(&self) -> bool {
        self.place.kept || TABLES.contains(&self.section.name.text)
    }

    /// A `.local` variable without a number ends ptxas. Says so, and whether it is one.
    fn local(&self, fixup: &Fixup<'_>, sink: &mut Sink<'_>) -> bool {
        let FixupTarget::Symbol { name, .. } = fixup.target else { return false };
        let is_local = self.declared.get(name) == Some(Declared::Variable(StateSpace::Local))
            && !self.sections.labels.contains_key(name)
            && !fixup.range.slice(sink.text).contains('+');
        if !is_local || self.in_info() || !self.is_resolved() {
            return false;
        }
        let rule = RuleId::LocalOutside;
        let message =
            format_args!("with -g ptxas fails over `{name}`, a .local variable, outside .debug_info");
        if let Some(finding) = sink.find(rule, fixup.range, message) {
            finding.help = Some("write 0: its place is known in .debug_info only".into());
        }
        if self.known.code {
            let said = format_args!("Internal error: unknown attribute");
            sink.ptxas_message(rule, Phase::Sections, self.place.rank, Level::Fatal, Modes::G, said);
        }
        true
    }

    /// A name in `.debug_info` that leads past the end of `.debug_str`.
    fn past_strings(&self, fixup: &Fixup<'_>, sink: &mut Sink<'_>) {
        let FixupTarget::Symbol { name, addend } = fixup.target else { return };
        let Some(&(section, offset)) = self.sections.labels.get(name) else { return };
        let Some(section) = self.sections.list.get(section) else { return };
        let is_past = offset.wrapping_add(addend as u64) >= section.assembled.bytes.len() as u64;
        if self.in_info() && self.known.code && section.name.text == ".debug_str" && is_past {
            sink.ptxas_may_refuse(RuleId::StringOffset, Phase::Sections, self.place.rank, Modes::G);
        }
    }

    /// The section is dropped as a whole.
    fn is_dropped(&self) -> bool {
        self.section.name.text == ".debug_line"
    }

    fn symbol(&mut self, range: TextRange, name: &'a str, addend: i64, sink: &mut Sink<'_>) {
        let is_label = self.sections.labels.contains_key(name);
        let declared = self.declared.get(name);
        if self.declared.is_ambiguous(name) || is_label && declared.is_some() {
            let taken = match declared {
                _ if is_label => "the section's label",
                Some(Declared::CodeLabel) => "the first label of code",
                _ => "the first",
            };
            let message = format_args!("`{name}` stands for several things: ptxas takes {taken}");
            sink.error(RuleId::AmbiguousName, range, message);
        }
        if let Some(declared) = declared.filter(|_| !is_label) {
            if declared == Declared::FunctionElsewhere {
                let message =
                    format_args!("`{name}` is defined in another module: ptxas writes 0 and no relocation");
                sink.error(RuleId::UndefinedSymbol, range, message);
                return;
            }
            return self.declared(range, declared, addend, sink);
        }
        if !is_label {
            if sink.text.as_bytes().get(range.end as usize) == Some(&b'.') {
                return; // half of a dotted name, which has a finding of its own
            }
            let number = if self.in_info() { addend } else { 0 };
            let message = format_args!("`{name}` is defined nowhere: ptxas writes {number}");
            sink.error(RuleId::UndefinedSymbol, range, message);
            return;
        }
        if !self.in_info() {
            return self.lost(range, sink);
        }
        if let Some(&first) = self.used.get(&(name, addend)) {
            let message = format_args!(
                "`{name}` with the same offset is used before: ptxas loses .debug_info or writes it wrong"
            );
            if let Some(finding) = sink.find(RuleId::LabelTwice, range, message) {
                finding.related = Some((first, "first used here".into()));
                finding.help = Some("write the section and the number: `.debug_str+12`".into());
            }
            sink.ptxas_may_refuse(RuleId::LabelTwice, Phase::Sections, self.place.rank, Modes::G);
        } else {
            self.used.insert((name, addend), range);
        }
    }

    /// A name of the code.
    fn declared(&self, range: TextRange, declared: Declared, addend: i64, sink: &mut Sink<'_>) {
        // With a number, be it 0, ptxas resolves it in `.debug_info` only.
        let has_number = range.slice(sink.text).contains('+');
        let message = match declared {
            _ if self.is_dropped() => return,
            Declared::CodeLabel if self.in_info() && addend != 0 => {
                format!("the {addend} after a label of code is lost when its relocation is applied")
            }
            Declared::Variable(StateSpace::Local) if self.in_info() && addend != 0 => {
                format!("ptxas loses the {addend} after a .local variable")
            }
            Declared::FunctionParameter if self.in_info() => {
                format!("a parameter of a function has no place in memory: ptxas writes {addend}")
            }
            _ if self.in_info() => return,
            Declared::Variable(StateSpace::Shared) if !has_number => {
                "ptxas writes the address of a .shared variable in .debug_info only: here it leaves out where their \
                 memory begins, and writes -1 if the code does not use it"
                    .to_owned()
            }
            Declared::Variable(StateSpace::Const | StateSpace::Shared) | Declared::FunctionParameter => {
                return self.lost(range, sink);
            }
            _ if has_number => return self.lost(range, sink),
            _ => return,
        };
        sink.error(RuleId::ReferenceLost, range, format_args!("{message}"));
    }

    fn section_offset(&mut self, range: TextRange, name: &str, addend: i64, sink: &mut Sink<'_>) {
        if addend != 0 && !self.in_info() {
            return self.lost(range, sink);
        }
        let is_of_ptxas = name == ".debug_line" || RESERVED.contains(&name);
        if self.sections.named(name).is_none() && !is_of_ptxas {
            self.no_section(range, name, sink);
        }
        // Of the file's own tables a reference without a number fails in any section.
        let is_table = TABLES.contains(&name) && !range.slice(sink.text).contains('+');
        let fails =
            self.in_info() && self.place.kept && is_deleted_if_empty(name) || is_table && self.is_resolved();
        if self.known.relocatable && fails && !self.sections.has_bytes(name) {
            let rule = RuleId::SectionMissing;
            let message =
                format_args!("with -c and -g ptxas fails over {name}: the module has no bytes of it");
            sink.error(rule, range, message);
            if self.known.code {
                let said = format_args!("{DELETED_SYMBOL}");
                sink.ptxas_message(rule, Phase::Sections, u32::MAX, Level::Fatal, self.modes(), said);
            }
        }
    }

    /// A name that begins with a dot and is not that of a section: it may stand for a variable.
    fn no_section(&self, range: TextRange, name: &str, sink: &mut Sink<'_>) {
        let at = TextRange::new(range.start, range.start + name.len() as u32);
        let whole = whole_name(sink.text, at);
        let names = self.dotted.get_or_init(|| DeclaredNames::of(self.declared));
        let Some(meant) = names.meant(whole.slice(sink.text)) else {
            let message = format_args!("the module has no section {name}");
            sink.error(RuleId::UndefinedSymbol, range, message);
            return;
        };
        if whole == at {
            let message =
                format_args!("`{name}` is not a PTX name: ptxas takes it for a section, and writes 0");
            let found = sink.find_as(Severity::Warning, RuleId::DottedSymbol, at, message);
            if let Some(finding) = found {
                finding.help = Some(bounded(format_args!("the module declares it as `{meant}`")));
            }
        } // else the parser has stumbled over the rest, and has a finding for the whole
    }

    fn lost(&self, range: TextRange, sink: &mut Sink<'_>) {
        if self.is_dropped() {
            return;
        }
        let message =
            format_args!("ptxas resolves this in .debug_info only: here it writes 0 and no relocation");
        sink.error(RuleId::ReferenceLost, range, message);
    }

    fn difference(&self, range: TextRange, left: &str, right: &str, sink: &mut Sink<'_>) {
        let labels = &self.sections.labels;
        let modes = self.modes();
        let resolved = self.place.kept && self.known.code;
        let (phase, at) = (Phase::Sections, self.place.rank);
        let missing = [left, right].into_iter().filter(|label| !labels.contains_key(label));
        let missing: Vec<&str> = missing.collect();
        if let Some(&label) = missing.first() {
            let rule = RuleId::DifferenceUndefined;
            let is_code = self.declared.get(label) == Some(Declared::CodeLabel);
            let what = if is_code { "is a label of code" } else { "is defined nowhere" };
            let message = format_args!(
                "`{label}` {what}: both labels of a difference are defined in the section that holds it"
            );
            if let Some(finding) = sink.find(rule, range, message).filter(|_| is_code) {
                finding.help = Some("write the labels alone, in a unit without low_pc (base 0)".into());
            }
            for label in missing.into_iter().filter(|_| resolved) {
                let said = format_args!("label '{label}' invalid");
                sink.ptxas_message(rule, phase, at, Level::Error, modes, said);
            }
            return;
        }
        let block = |label: &str| labels.get(label).map(|&(section, _)| section);
        let name = |label: &str| {
            block(label).and_then(|at| self.sections.list.get(at)).map(|section| section.name.text)
        };
        if name(left) == name(right) {
            return;
        }
        let rule = RuleId::DifferenceSections;
        sink.error(rule, range, format_args!("`{left}` and `{right}` are labels of different sections"));
        if resolved {
            let said = format_args!("labels '{left}' and '{right}' must be defined in the same section");
            sink.ptxas_message(rule, phase, at, Level::Error, modes, said);
        }
    }
}
