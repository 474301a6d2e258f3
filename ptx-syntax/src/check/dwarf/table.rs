//! Tables of abbreviations (DWARF 2.0.0 §7.5.3).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::abbrev::Form;
use super::faults::{ABBREV, FaultKind, Finder};

/// An abbreviation: whether it has children, and its attributes as a range of [`Table::attributes`].
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) tag: u64,
    pub(super) children: bool,
    attributes: (usize, usize),
}

/// The abbreviations that start at one offset.
#[derive(Default)]
pub(super) struct Table {
    shapes: HashMap<u64, Shape>,
    /// Names and forms.
    attributes: Vec<(u64, u64)>,
}

impl Table {
    /// The abbreviation of a code, and its attributes.
    pub(super) fn get(&self, code: u64) -> Option<(Shape, &[(u64, u64)])> {
        let shape = *self.shapes.get(&code)?;
        let (first, last) = shape.attributes;
        Some((shape, self.attributes.get(first..last)?))
    }
}

impl Finder<'_> {
    /// Reads the table of abbreviations at `offset` of the section.
    pub(super) fn table(&mut self, offset: usize, bytes: &[u8], table: &mut Table) {
        let mut at = 0;
        loop {
            let start = at;
            if self.fuel < at {
                return self.more(ABBREV, offset + at);
            }
            if at >= bytes.len() {
                self.add(ABBREV, offset + at, FaultKind::NoTerminator);
                break;
            }
            let Some(code) = self.leb(ABBREV, offset, bytes, &mut at) else {
                self.add(ABBREV, offset + start, FaultKind::AbbrevCut);
                break;
            };
            if code == 0 {
                break;
            }
            let Some(shape) = self.shape(offset, bytes, &mut at, &mut table.attributes) else {
                self.add(ABBREV, offset + start, FaultKind::AbbrevCut);
                break;
            };
            if let Entry::Vacant(place) = table.shapes.entry(code) {
                place.insert(shape);
            } else {
                self.add(ABBREV, offset + start, FaultKind::DuplicateCode { code });
            }
        }
        self.fuel = self.fuel.saturating_sub(at);
    }

    /// Reads an abbreviation, whose code is read already; `None` where the section ends first.
    fn shape(
        &mut self,
        offset: usize,
        bytes: &[u8],
        at: &mut usize,
        attributes: &mut Vec<(u64, u64)>,
    ) -> Option<Shape> {
        let tag = self.leb(ABBREV, offset, bytes, at)?;
        let children = *bytes.get(*at)?;
        if children > 1 {
            self.add(ABBREV, offset + *at, FaultKind::ChildrenFlag { value: children });
        }
        *at += 1;
        let first = attributes.len();
        loop {
            let start = offset + *at;
            let name = self.leb(ABBREV, offset, bytes, at)?;
            let place = offset + *at;
            let form = self.leb(ABBREV, offset, bytes, at)?;
            match (name, form) {
                (0, 0) => break,
                (0, _) | (_, 0) => self.add(ABBREV, start, FaultKind::HalfAttribute { name, form }),
                _ if Form::of(form).is_none() => self.add(ABBREV, place, FaultKind::UnknownForm { form }),
                _ => {}
            }
            attributes.push((name, form));
        }
        Some(Shape { tag, children: children != 0, attributes: (first, attributes.len()) })
    }
}
