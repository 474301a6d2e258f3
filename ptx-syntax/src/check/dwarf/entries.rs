//! The entries of a unit (DWARF 2.0.0 §7.5.2 and §7.5.4).

use dwarf2_reader::abbrev::AbbrevTable;
use dwarf2_reader::constants::{
    DW_AT_MIPS_linkage_name, DW_AT_address_class, DW_AT_call_file, DW_AT_decl_file, DW_AT_high_pc,
    DW_AT_location, DW_AT_low_pc, DW_AT_name, DW_FORM_indirect, DW_FORM_udata, DW_TAG_compile_unit,
    DW_TAG_subprogram,
};
use dwarf2_reader::info::{self, Attribute, FormEncoding, HEADER_SIZE, Node, Unit, Value};
use dwarf2_reader::{Cursor, Error, ErrorKind};

use super::expression::Expression;
use super::facts::{CodeAddress, EntryWithAddress, NameBytes, Number, SubprogramFile};
use super::faults::{FaultKind, Finder};

/// The attributes by which ptxas knows that an entry is a function's, whatever their form.
fn is_name(name: u16) -> bool {
    matches!(name, DW_AT_name | DW_AT_MIPS_linkage_name)
}

/// The facts from the values of an entry that have been read so far.
#[derive(Default)]
struct EntryFacts {
    name: NameBytes,
    location: Option<u64>,
    class: Option<Number>,
    decl_file: Option<Number>,
    low_pc: Option<u64>,
}

/// The state of the reading of a unit.
#[derive(Default)]
struct Walk {
    /// Lists of children that are open.
    depth: u64,
    /// Depth and start of the outermost function that is open.
    function: Option<(u64, u64)>,
    unit_name: NameBytes,
}

impl Finder<'_> {
    /// Reads the entries of a unit; whether they end where it ends.
    pub(super) fn entries(&mut self, unit: &Unit, table: &AbbrevTable) -> bool {
        let Some(end) = self.closed(unit, table) else { return false };
        let left = unit.span.end - end;
        if left != 0 {
            self.info(end, FaultKind::AfterRoot { left });
        }
        left == 0
    }

    /// Returns the position at which the list of the first entry is closed; none, with a fault, if
    /// something ends the reading before.
    pub(super) fn closed(&mut self, unit: &Unit, table: &AbbrevTable) -> Option<u64> {
        let mut walk = Walk::default();
        let mut at = unit.entries;
        while at < unit.span.end {
            self.leb(unit, at);
            at = match unit.node(table, self.input.written, at) {
                Ok(Node::Entry(entry)) => self.entry(unit, &entry, table, &mut walk)?,
                Ok(Node::End(_) | Node::Padding(_)) if walk.depth == 0 => break,
                Ok(Node::End(span) | Node::Padding(span)) => {
                    walk.depth -= 1;
                    if let Some((_, first)) = walk.function.take_if(|&mut (outer, _)| outer >= walk.depth) {
                        self.facts.functions.push((first, span.end));
                    }
                    span.end
                }
                Err(error) => {
                    let kind = match error.kind {
                        ErrorKind::UnknownCode { code } => FaultKind::UnknownCode { code },
                        _ => FaultKind::ValueCut { form: DW_FORM_udata.into(), left: unit.span.end - at },
                    };
                    self.info(at, kind);
                    return None;
                }
            };
            if walk.depth == 0 {
                return Some(at);
            }
        }
        let is_open = walk.depth != 0;
        let kind = if is_open { FaultKind::OpenChildren { depth: walk.depth } } else { FaultKind::NoEntry };
        self.info(at, kind);
        None
    }

    /// Reads an entry. Returns where it ends; none, with a fault here or in the table, if the rest
    /// of the unit cannot be read.
    fn entry(
        &mut self,
        unit: &Unit,
        entry: &info::Entry<'_, '_>,
        table: &AbbrevTable,
        walk: &mut Walk,
    ) -> Option<u64> {
        let mut facts = EntryFacts::default();
        let shape = entry.abbreviation();
        let specs = table.attributes(shape);
        let (start, mut end) = (entry.offset(), entry.values());
        let mut attributes = entry.attributes();
        for spec in specs {
            let Some(attribute) = attributes.next() else {
                self.unreadable(unit, spec.form, end);
                return None;
            };
            self.attribute(unit, entry.tag(), &attribute, &mut facts)?;
            end = attribute.span.end;
        }
        if shape.tag == DW_TAG_compile_unit {
            walk.unit_name = walk.unit_name.or(facts.name);
        } else {
            self.facts.describes = true;
        }
        let located = facts.location.map(|address| EntryWithAddress { address, class: facts.class });
        self.facts.locations.extend(located);
        if shape.tag == DW_TAG_subprogram {
            if let (Some(file), Some(low_pc)) = (facts.decl_file, facts.low_pc) {
                self.facts.subprograms.push(SubprogramFile { file, low_pc, unit_name: walk.unit_name });
            }
            let has_name = specs.iter().any(|spec| is_name(spec.name));
            if has_name {
                let before = self.facts.first_function.unwrap_or(u64::MAX);
                self.facts.first_function = Some(before.min(start - unit.span.start));
            }
            match walk.function {
                None if !has_name => {}
                None if shape.has_children => walk.function = Some((walk.depth, start)),
                None => self.facts.functions.push((start, end)),
                Some(_) => {}
            }
        }
        walk.depth += u64::from(shape.has_children);
        Some(end)
    }

    /// What is wrong with the value of a form at a place, which cannot be read.
    fn unreadable(&mut self, unit: &Unit, form: u16, place: u64) {
        let is_indirect = form == DW_FORM_indirect;
        let form = u64::from(form);
        let inner = if is_indirect { self.leb(unit, place) } else { Some(form) };
        let kind = match inner.map(|form| (form, FormEncoding::of_version_2(form))) {
            // Without an indirection it has its fault in the table.
            Some((_, None)) if !is_indirect => return,
            Some((form, None | Some(FormEncoding::Indirect))) => FaultKind::UnknownForm { form },
            Some((_, Some(FormEncoding::String))) => FaultKind::OpenString,
            inner => {
                let form = inner.map_or(form, |(form, _)| form);
                FaultKind::ValueCut { form, left: unit.span.end - place }
            }
        };
        self.info(place, kind);
    }

    /// The code or form at a place of a unit, if it ends there; with a fault if it is too long.
    fn leb(&mut self, unit: &Unit, at: u64) -> Option<u64> {
        let bytes = self.input.written.get(..unit.span.end as usize)?;
        if let Some(&byte @ ..0x80) = bytes.get(at as usize) {
            return Some(byte.into());
        }
        let mut cursor = Cursor::at(info::SECTION, bytes, at, "a number").ok()?;
        let on_fault = &mut |error: Error| {
            self.info(error.offset, FaultKind::LongLeb);
            Ok(())
        };
        cursor.uleb_or("a number", on_fault).ok()
    }

    /// Checks a value, and notes what it says. None, with a fault here or in the table, for a form
    /// that DWARF 2 does not have: as ptxas does not know it, the rest of the unit is not read.
    /// None also if no more faults are listed.
    fn attribute(
        &mut self,
        unit: &Unit,
        tag: u16,
        attribute: &Attribute<'_>,
        facts: &mut EntryFacts,
    ) -> Option<()> {
        let &Attribute { form, is_indirect, ref span, value, .. } = attribute;
        let (at, size) = (span.start, unit.span.end - unit.span.start);
        if is_indirect {
            self.leb(unit, at);
        }
        if form > DW_FORM_indirect {
            if is_indirect {
                self.info(at, FaultKind::UnknownForm { form: form.into() });
            }
            return None;
        }
        let str_size = self.input.str_size.unwrap_or(0);
        let kind = match value {
            Value::UnitReference(offset) if !(HEADER_SIZE..size).contains(&offset) => {
                Some(FaultKind::Reference { offset, size })
            }
            Value::StringOffset(offset) if offset >= str_size => {
                Some(FaultKind::StringOffset { offset, size: str_size })
            }
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| !self.input.is_fixup(at)) {
            self.info(at, kind);
        }
        if self.full() {
            return None;
        }
        if !is_indirect {
            self.note(tag, attribute, facts);
        }
        Some(())
    }

    /// Notes what a value says.
    fn note(&mut self, tag: u16, attribute: &Attribute<'_>, facts: &mut EntryFacts) {
        let &Attribute { name, ref span, value, .. } = attribute;
        let offset = span.start;
        let constant = || {
            let value = match value {
                Value::Data(value) | Value::Unsigned(value) => value,
                Value::Signed(value) => value as u64,
                Value::Flag(value) => value.into(),
                _ => return None,
            };
            Some(Number { offset, value })
        };
        let expression = attribute.expression().map(Expression::read);
        if let Some((at, operation)) = expression.and_then(|expression| expression.cut) {
            self.info(attribute.content().start + at, FaultKind::OperandCut { operation });
        }
        match (name, value) {
            (DW_AT_location, _) => {
                let address = expression.filter(|expression| expression.is_address);
                facts.location = address.map(|_| attribute.content().start + 1);
            }
            (DW_AT_name, Value::String(name)) => facts.name = Some((offset as usize, name.len())),
            (DW_AT_low_pc | DW_AT_high_pc, Value::Address(_)) => {
                if name == DW_AT_low_pc {
                    facts.low_pc = Some(offset);
                }
                if tag != DW_TAG_compile_unit {
                    self.facts.pcs.push(CodeAddress { offset, attribute: name });
                }
            }
            (DW_AT_address_class, _) => facts.class = constant(),
            (DW_AT_decl_file | DW_AT_call_file, _) => {
                let file = constant();
                if name == DW_AT_decl_file {
                    facts.decl_file = file;
                }
                self.facts.files.extend(file.map(|number| (name, number, facts.name)));
            }
            _ => {}
        }
    }
}
