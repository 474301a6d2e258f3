//! The entries of a unit (DWARF 2.0.0 §7.5.2 and §7.5.4).

use super::abbrev::{
    AT_ADDRESS_CLASS, AT_CALL_FILE, AT_DECL_FILE, AT_HIGH_PC, AT_LINKAGE_NAME, AT_LOCATION, AT_LOW_PC,
    AT_NAME, Form, TAG_COMPILE_UNIT, TAG_SUBPROGRAM, number, wrapping_uleb,
};
use super::expression::{address, cut_operand};
use super::facts::{CodeAddress, Located, Number, SubprogramFile};
use super::faults::{FaultKind, Finder, HEADER, INFO};
use super::table::Table;

/// The attributes by which ptxas knows that an entry is a function's, whatever their form.
fn is_name(name: u64) -> bool {
    name == u64::from(AT_NAME) || name == u64::from(AT_LINKAGE_NAME)
}

/// Attributes whose block is an expression: the locations of DWARF 2.
fn has_expression(name: u64) -> bool {
    matches!(name, 0x02 | 0x19 | 0x2a | 0x30 | 0x38 | 0x40 | 0x46 | 0x48 | 0x4a | 0x4d)
}

/// What an entry says, while its values are read.
#[derive(Default)]
struct Entry {
    name: Option<(usize, usize)>,
    location: Option<u64>,
    class: Option<Number>,
    decl_file: Option<Number>,
    low_pc: Option<u64>,
}

impl Finder<'_> {
    /// Reads the entries of a unit, header included in `unit`; whether they end where it ends.
    pub(super) fn entries(&mut self, start: usize, unit: &[u8], table: &Table) -> bool {
        let Some(end) = self.closed(start, unit, table) else { return false };
        if end < unit.len() {
            let left = (unit.len() - end) as u64;
            self.add(INFO, start + end, FaultKind::AfterRoot { left });
        }
        end == unit.len()
    }

    /// Where the list of the first entry is closed; none, with a fault, if something ends the reading before.
    pub(super) fn closed(&mut self, start: usize, unit: &[u8], table: &Table) -> Option<usize> {
        let address = usize::from(*unit.get(HEADER - 1)?);
        let mut at = HEADER;
        let mut depth = 0_u64;
        let mut function = None; // depth and start of the outermost one that is open
        let mut unit_name = None;
        if at >= unit.len() {
            self.add(INFO, start + at, FaultKind::NoEntry);
            return None;
        }
        loop {
            let place = at;
            if at >= unit.len() {
                self.add(INFO, start + at, FaultKind::OpenChildren { depth });
                return None;
            }
            let Some(code) = self.leb(INFO, start, unit, &mut at) else {
                let left = (unit.len() - place) as u64;
                self.add(INFO, start + place, FaultKind::ValueCut { form: 0x0f, left });
                return None;
            };
            if code == 0 {
                if depth == 0 {
                    self.add(INFO, start + place, FaultKind::NoEntry);
                    return None;
                }
                depth -= 1;
                if let Some((_, first)) = function.take_if(|&mut (outer, _)| outer >= depth) {
                    self.facts.functions.push((first, (start + at) as u64));
                }
            } else {
                let Some((shape, attributes)) = table.get(code) else {
                    self.add(INFO, start + place, FaultKind::UnknownCode { code });
                    return None;
                };
                let mut entry = Entry::default();
                for &(name, form) in attributes {
                    let value = at;
                    self.value(start, unit, &mut at, form, address)?;
                    if self.full() {
                        return None;
                    }
                    let bytes = unit.get(value..at).unwrap_or_default();
                    self.attribute((name, form), (start + value, bytes), shape.tag, &mut entry);
                }
                if shape.tag == u64::from(TAG_COMPILE_UNIT) {
                    unit_name = unit_name.or(entry.name);
                }
                self.facts
                    .locations
                    .extend(entry.location.map(|address| Located { address, class: entry.class }));
                if shape.tag == u64::from(TAG_SUBPROGRAM) {
                    if let (Some(file), Some(low_pc)) = (entry.decl_file, entry.low_pc) {
                        self.facts.subprograms.push(SubprogramFile { file, low_pc, unit_name });
                    }
                    let first = (start + place) as u64;
                    let has_name = attributes.iter().any(|&(name, _)| is_name(name));
                    if has_name {
                        let before = self.facts.first_function.unwrap_or(u64::MAX);
                        self.facts.first_function = Some(before.min(place as u64));
                    }
                    match function {
                        None if !has_name => {}
                        None if shape.children => function = Some((depth, first)),
                        None => self.facts.functions.push((first, (start + at) as u64)),
                        Some(_) => {}
                    }
                }
                depth += u64::from(shape.children);
            }
            if depth == 0 {
                return Some(at);
            }
        }
    }

    /// Notes what an attribute says; `bytes` are its value, which stands at `place` of the section.
    fn attribute(
        &mut self,
        (name, form): (u64, u64),
        (place, bytes): (usize, &[u8]),
        tag: u64,
        entry: &mut Entry,
    ) {
        let Some(layout) = Form::of(form) else { return };
        let at = place as u64;
        let constant = || {
            let value = match layout {
                Form::Data(_) => number(bytes),
                Form::Leb => wrapping_uleb(bytes)?.0,
                _ => return None,
            };
            Some(Number { offset: at, value })
        };
        if has_expression(name)
            && let Some((start, cut)) = cut_operand(layout, bytes)
        {
            self.add(INFO, place + start, FaultKind::OperandCut { operation: cut });
        }
        let (known, is_of_unit) = (u16::try_from(name).unwrap_or(0), tag == u64::from(TAG_COMPILE_UNIT));
        match known {
            AT_NAME if layout == Form::String => entry.name = Some((place, bytes.len().saturating_sub(1))),
            AT_LOCATION => entry.location = address(layout, bytes).map(|start| at + start as u64),
            AT_LOW_PC | AT_HIGH_PC if layout == Form::Address => {
                if known == AT_LOW_PC {
                    entry.low_pc = Some(at);
                }
                if !is_of_unit {
                    self.facts.pcs.push(CodeAddress { offset: at, attribute: known });
                }
            }
            AT_ADDRESS_CLASS => entry.class = constant(),
            AT_DECL_FILE | AT_CALL_FILE => {
                let file = constant();
                if known == AT_DECL_FILE {
                    entry.decl_file = file;
                }
                self.facts.files.extend(file.map(|number| (known, number, entry.name)));
            }
            _ => {}
        }
    }

    /// Steps over a value; `None`, with a fault, where what follows cannot be read.
    fn value(&mut self, start: usize, unit: &[u8], at: &mut usize, form: u64, address: usize) -> Option<()> {
        let place = *at;
        let mut number_form = form;
        let mut layout = Form::of(form)?; // else it has its fault in the table
        if layout == Form::Indirect {
            number_form = self.leb(INFO, start, unit, at).or_else(|| self.cut(start, place, unit, form))?;
            layout = match Form::of(number_form) {
                Some(Form::Indirect) | None => {
                    self.add(INFO, start + place, FaultKind::UnknownForm { form: number_form });
                    return None;
                }
                Some(layout) => layout,
            };
        }
        let rest = unit.get(*at..).unwrap_or_default();
        let leb = || wrapping_uleb(rest);
        let len = match layout {
            Form::Address | Form::RefAddress => Some(address),
            Form::Block(width) => {
                rest.get(..width).and_then(|len| width.checked_add(usize::try_from(number(len)).ok()?))
            }
            Form::BlockLeb => leb().and_then(|(len, width)| width.checked_add(usize::try_from(len).ok()?)),
            Form::Data(width) | Form::Ref(width) => Some(width),
            Form::Leb | Form::RefLeb => leb().map(|(_, len)| len),
            Form::String => {
                let Some(len) = memchr::memchr(0, rest) else {
                    self.add(INFO, start + place, FaultKind::OpenString);
                    return None;
                };
                Some(len + 1)
            }
            Form::Strp => Some(4),
            Form::Indirect => None,
        };
        let Some(value) = len.and_then(|len| rest.get(..len)) else {
            return self.cut(start, place, unit, number_form);
        };
        *at += value.len();
        if self.input.is_fixup(start + place) {
            return Some(());
        }
        let size = unit.len() as u64;
        let reference = match layout {
            Form::Ref(_) => Some(number(value)),
            Form::RefLeb => leb().map(|(offset, _)| offset),
            _ => None,
        };
        if let Some(offset) = reference.filter(|offset| !(HEADER as u64..size).contains(offset)) {
            self.add(INFO, start + place, FaultKind::Reference { offset, size });
        }
        if layout == Form::Strp {
            let (offset, size) = (number(value), self.input.str_size.unwrap_or(0));
            if offset >= size {
                self.add(INFO, start + place, FaultKind::StringOffset { offset, size });
            }
        }
        Some(())
    }

    fn cut<T>(&mut self, start: usize, place: usize, unit: &[u8], form: u64) -> Option<T> {
        let left = (unit.len() - place.min(unit.len())) as u64;
        self.add(INFO, start + place, FaultKind::ValueCut { form, left });
        None
    }
}
