//! How ptxas 13.0.88 places the `.local` variables that a block of `.debug_info` refers to. It
//! reads the block again, entry after entry up to the end of each unit, without regard to the lists
//! of children, and only from functions on to their siblings.

use dwarf2_reader::constants::{
    DW_AT_MIPS_linkage_name, DW_AT_name, DW_AT_sibling, DW_OP_addr, DW_TAG_subprogram,
};
use dwarf2_reader::info::FormEncoding;

use super::ptxas::{List, Message, Outcome, Unit, Walk, stop};

/// A block of `.debug_info` that refers to `.local` variables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Locals {
    /// Its contents as ptxas reads them now.
    pub(crate) info: Vec<u8>,
    /// The byte offsets of the variables, ascending.
    pub(crate) places: Vec<u64>,
}

/// Places the variables of block number `index`.
pub(super) fn place_local(index: usize, locals: &Locals, list: &List) -> Result<(), Outcome> {
    let mut first = None;
    let mut walk = Walk::new(&locals.info, 0, list);
    walk.check_length(0)?;
    walk.units(|walk, unit| {
        walk.scan(unit, &mut first)?;
        walk.check_length(unit.end)
    })?;
    // The place of a function is counted from its unit, that of a variable from the section.
    let Some(first) = first else { return Ok(()) };
    let is_misplaced = |&&place: &&u64| {
        let before = (place as usize).checked_sub(1).and_then(|before| locals.info.get(before));
        place > first && before != Some(&DW_OP_addr) // which ptxas makes a `DW_OP_fbreg`
    };
    match locals.places.iter().find(is_misplaced) {
        Some(&offset) => stop(Message::UnknownAttribute { block: index, offset }),
        None => Ok(()),
    }
}

impl Walk<'_> {
    /// Here the length of a unit, if there is one at `start`, is looked at before the rest of its
    /// header is read.
    fn check_length(&self, start: usize) -> Result<(), Outcome> {
        let Some(left) = self.info.len().checked_sub(start + 4) else { return Ok(()) };
        if self.fixed(start, 4, self.info.len())? > left as u64 { stop(Message::Truncate) } else { Ok(()) }
    }

    /// Reads the entries of a unit; `first` is the least place of a function with a name in its
    /// unit.
    fn scan(&mut self, unit: Unit, first: &mut Option<u64>) -> Result<(), Outcome> {
        let mut at = unit.entries();
        while at < unit.end {
            let start = at;
            let (code, len) = self.uleb(at, unit.end)?;
            at += len;
            let code = code & 0xffff_ffff;
            if code == 0 {
                continue;
            }
            if at >= unit.end {
                break;
            }
            let (entry, attributes) = self.list.look_up(code + unit.base)?;
            let is_function = entry.tag == DW_TAG_subprogram;
            let mut sibling = None;
            for &(name, form) in attributes {
                if is_function {
                    if at >= unit.end {
                        return stop(Message::OutOfBounds);
                    }
                    let value = self.value(unit, at, name, form)?;
                    if name == DW_AT_sibling {
                        sibling = value.reference.or(Some(0));
                    }
                    if matches!(name, DW_AT_name | DW_AT_MIPS_linkage_name) {
                        let place = (start - unit.start) as u64;
                        *first = Some(first.map_or(place, |first| first.min(place)));
                    }
                }
                at = at.saturating_add(self.bytes(at, unit.end, form)?);
            }
            self.spend(1 + at.abs_diff(start).min(unit.end) as u64)?;
            if let Some(sibling) = sibling {
                at = usize::try_from(sibling).map_or(unit.end, |sibling| unit.start.saturating_add(sibling));
            }
        }
        Ok(())
    }

    /// Bytes of a value of a form as it counts here.
    fn bytes(&mut self, at: usize, end: usize, form: u16) -> Result<usize, Outcome> {
        if form == 0 {
            return Ok(0);
        }
        let Some(layout) = FormEncoding::of_version_2(form.into()) else {
            return Ok(usize::from(form)); // the number of a form that it does not know is taken for the size
        };
        Ok(match layout {
            FormEncoding::Address | FormEncoding::InfoReference => 8, // whatever the unit says
            FormEncoding::Fixed(width) => width.into(),
            FormEncoding::Leb | FormEncoding::Indirect => self.uleb(at, end)?.1,
            FormEncoding::String => self.string(at, end)? - at,
            FormEncoding::Offset => 4,
            FormEncoding::Block(width) => {
                let width = usize::from(width);
                width.saturating_add(self.fixed(at, width, end)? as usize)
            }
            FormEncoding::BlockLeb => {
                let (len, width) = self.uleb(at, end)?;
                width.saturating_add(len as u32 as usize)
            }
        })
    }
}
