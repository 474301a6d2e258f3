//! `.debug_info`: units, each a tree of entries (DWARF 2.0.0 §2, §3 and §7.5).
//!
//! Entries are added in any order, below any parent; what refers to an entry needs its id only,
//! which [`DebugInfo::reserve`] gives before the entry is there. Abbreviations are made from the
//! entries, each once, for all units.
//!
//! ```
//! use dwarf2_writer::Address;
//! use dwarf2_writer::constants::*;
//! use dwarf2_writer::info::{DebugInfo, Params, Value};
//!
//! let mut info = DebugInfo::new(Params::default());
//! let unit = info.unit(DW_TAG_compile_unit, &[(DW_AT_name, Value::String(b"kernel.cu"))])?;
//! let int = info.reserve(unit)?;
//! info.entry(unit, DW_TAG_variable, &[(DW_AT_name, Value::String(b"n")), (DW_AT_type, Value::Ref4(int))])?;
//! info.fill(int, unit, DW_TAG_base_type, &[(DW_AT_byte_size, Value::Data1(4))])?;
//! let sections = info.finish()?;
//! assert_eq!(sections.entry_offset(int), Some(11 + 11 + 7));
//! assert_eq!(sections.info.bytes[11 + 11 + 3..][..4], [29, 0, 0, 0]);
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

pub(crate) mod entry_id;
mod form;
mod layout;
#[cfg(all(test, target_pointer_width = "64"))]
mod limits;
mod tree;

use alloc::vec::Vec;

use crate::abbrev::{self, Shapes};
use crate::section::{MAX_OFFSET, check_length};
use crate::{Address, DWARF32_RESERVED, Error, SymbolId};
pub use entry_id::EntryId;
pub use form::{Block, Value};
pub use layout::{InfoSections, is_one_unit};
use tree::{NONE, Node, Unit};

/// An attribute: its name (`DW_AT_*`) and value.
pub type Attribute<'a> = (u16, Value<'a>);

/// The parameters that all units of a `.debug_info` section share. The default is for an object
/// file by itself, in which a field is relocated only if its value says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Whether each entry that has children and a next sibling gets `DW_AT_sibling`, so that
    /// readers can skip the children (DWARF 2.0.0 §2.3).
    pub siblings: bool,
    /// Byte offset of the abbreviations in `.debug_abbrev`.
    pub abbrev: Address,
    /// The symbol of `.debug_info` itself, against which `DW_FORM_ref_addr` references to entries
    /// are relocated if a linker will join sections; `None` for no relocation. The addend is the
    /// offset of the entry, and stands in the field as well.
    pub info_symbol: Option<SymbolId>,
}

impl Default for Params {
    fn default() -> Self {
        Self { siblings: false, abbrev: Address::Constant(0), info_symbol: None }
    }
}

/// Collects the units of a `.debug_info` section (version 2, 32-bit DWARF, 8-byte addresses).
///
/// A call that fails has changed nothing.
#[derive(Debug, Clone)]
pub struct DebugInfo {
    params: Params,
    /// Tags and attributes that entries have.
    shapes: Shapes,
    units: Vec<Unit>,
    /// The abbreviation of the entry that is being added. The buffer is used again for the next
    /// entry.
    shape: Vec<u32>,
}

impl DebugInfo {
    /// Creates a `.debug_info` section without units.
    #[must_use]
    pub fn new(params: Params) -> Self {
        Self { params, shapes: Shapes::default(), units: Vec::new(), shape: Vec::new() }
    }

    /// Adds a unit with its root entry, whose tag is `DW_TAG_compile_unit` or that of another unit
    /// in a later DWARF version.
    ///
    /// # Errors
    ///
    /// As [`DebugInfo::entry`].
    pub fn unit(&mut self, tag: u16, attributes: &[Attribute<'_>]) -> Result<EntryId, Error> {
        let root = self.reserve_unit();
        self.put(root, None, tag, attributes).inspect_err(|_| drop(self.units.pop()))?;
        Ok(root)
    }

    /// Adds an entry as the last child of `parent`.
    ///
    /// # Errors
    ///
    /// - [`Error::UnknownEntry`] and [`Error::EmptyEntry`] if the parent is not there;
    /// - [`Error::ZeroCode`], [`Error::DuplicateAttribute`];
    /// - [`Error::NulInString`], [`Error::TooLong`], [`Error::Operand`],
    ///   [`Error::ExpressionReloc`], [`Error::ForeignEntry`] for a value that its form cannot say.
    ///
    /// Whether the entries that it refers to are there is checked when all are: by
    /// [`DebugInfo::finish`].
    pub fn entry(
        &mut self,
        parent: EntryId,
        tag: u16,
        attributes: &[Attribute<'_>],
    ) -> Result<EntryId, Error> {
        self.expect_entry(parent)?;
        let id = self.reserve(parent)?;
        let added = self.put(id, Some(parent), tag, attributes);
        if added.is_err() {
            self.units.get_mut(parent.unit as usize).and_then(|unit| unit.nodes.pop());
        }
        added.map(|()| id)
    }

    /// Reserves a unit, so that other units can refer to its entries before
    /// [`DebugInfo::fill_unit`] is called.
    pub fn reserve_unit(&mut self) -> EntryId {
        self.units.push(Unit { nodes: [Node::RESERVED].into(), ..Unit::default() });
        EntryId { unit: self.units.len() as u32 - 1, index: 0 }
    }

    /// Reserves an entry in the unit that has the entry `any`, for [`DebugInfo::fill`]. A reserved
    /// entry that is not filled is left out if nothing refers to it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownEntry`] if there is no such unit, [`Error::TooLong`] if it has 2^32 entries.
    #[inline]
    pub fn reserve(&mut self, any: EntryId) -> Result<EntryId, Error> {
        let unit = self.units.get_mut(any.unit as usize).ok_or(Error::UnknownEntry(any))?;
        let len = unit.nodes.len() as u64;
        if len >= u64::from(NONE) {
            return Err(Error::TooLong { field: "entries of a unit", len, max: u64::from(NONE) });
        }
        unit.nodes.push(Node::RESERVED);
        Ok(EntryId { unit: any.unit, index: len as u32 })
    }

    /// Gives a reserved entry its tag and attributes, and makes it the last child of `parent`.
    ///
    /// # Errors
    ///
    /// As [`DebugInfo::entry`]; [`Error::UnknownEntry`] and [`Error::FilledEntry`] if the entry
    /// itself is not one that waits for this, [`Error::RootWithParent`] if it is a unit's,
    /// [`Error::ForeignEntry`] if the parent is of another unit.
    pub fn fill(
        &mut self,
        id: EntryId,
        parent: EntryId,
        tag: u16,
        attributes: &[Attribute<'_>],
    ) -> Result<(), Error> {
        if parent.unit != id.unit {
            return Err(Error::ForeignEntry { form: "parent", id: parent, unit: id.unit });
        }
        if id.index == 0 {
            return Err(Error::RootWithParent(id));
        }
        self.expect_entry(parent)?;
        self.put(id, Some(parent), tag, attributes)
    }

    /// Gives the root entry of a reserved unit its tag and attributes.
    ///
    /// # Errors
    ///
    /// As [`DebugInfo::fill`].
    pub fn fill_unit(&mut self, root: EntryId, tag: u16, attributes: &[Attribute<'_>]) -> Result<(), Error> {
        self.put(EntryId { index: 0, ..root }, None, tag, attributes)
    }

    /// Refuses a parent that is not there.
    #[inline]
    fn expect_entry(&self, parent: EntryId) -> Result<(), Error> {
        let unit = self.units.get(parent.unit as usize);
        match unit.and_then(|unit| unit.nodes.get(parent.index as usize)) {
            None => Err(Error::UnknownEntry(parent)),
            Some(node) if node.shape == NONE => Err(Error::EmptyEntry(parent)),
            Some(_) => Ok(()),
        }
    }

    /// Encodes the attributes of a reserved entry and puts it in its place.
    fn put(
        &mut self,
        id: EntryId,
        parent: Option<EntryId>,
        tag: u16,
        attributes: &[Attribute<'_>],
    ) -> Result<(), Error> {
        let unit = self.units.get_mut(id.unit as usize).ok_or(Error::UnknownEntry(id))?;
        match unit.nodes.get(id.index as usize) {
            None => return Err(Error::UnknownEntry(id)),
            Some(node) if node.shape != NONE => return Err(Error::FilledEntry(id)),
            Some(_) => {}
        }
        self.shape.clear();
        self.shape.push(tag.into());
        self.shape.extend(attributes.iter().map(|(name, value)| abbrev::attribute(*name, value.form())));
        let mark = unit.mark();
        let put = attributes.iter().try_for_each(|(_, value)| unit.attributes.put(id.unit, value));
        let len = unit.attributes.bytes.len() as u64 + unit.attributes.missing;
        let put = put.and_then(|()| check_length("attributes of a unit", len)).and_then(|_| {
            if let Some(shape) = self.shapes.find(&self.shape) {
                return Ok(shape);
            }
            abbrev::check(tag, self.shape.get(1..).unwrap_or_default())?;
            Ok(self.shapes.insert(&self.shape))
        });
        match put {
            Ok(shape) => unit.link(id.index, parent.map(|parent| parent.index), shape, mark),
            Err(_) => unit.rewind(mark),
        }
        put.map(drop)
    }

    /// Lays the units out, and returns the finished `.debug_info` and `.debug_abbrev`.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownEntry`] and [`Error::EmptyEntry`] if something refers to an entry that is
    /// not there, [`Error::FarReference`], [`Error::DuplicateAttribute`] if [`Params::siblings`]
    /// meets a `DW_AT_sibling` of the caller's, [`Error::Operand`] for an abbreviation offset and
    /// [`Error::TooLong`] for a unit or section past 4 GiB.
    pub fn finish(self) -> Result<InfoSections, Error> {
        crate::section::check_offset(self.params.abbrev, "debug_abbrev_offset")?;
        layout::write(self)
    }
}

const _: () = assert!(MAX_OFFSET > DWARF32_RESERVED);
