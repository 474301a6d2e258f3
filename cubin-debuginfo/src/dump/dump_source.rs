//! A cubin whose sections are decoded, with the sections that others refer to.

use super::function_filter::Filter;
use super::open_section::OpenSection;
use super::relocated_view::RelocatedView;
use super::stream::{StreamPart, Visit};
use super::unclaimed_bytes::UnclaimedBytes;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::relocated::{RelocatedCubin, RelocationTarget};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A cubin whose debug sections can be decoded one by one for a dump.
#[derive(Debug)]
pub struct DumpSource<'c, 'd> {
    pub(super) cubin: &'c Cubin<'d>,
    relocated: RelocatedCubin<'c, 'd>,
    /// The first section of each kind, Mercury and native apart.
    first: HashMap<(Space, SectionKind), SectionIndex>,
    /// The sections that others refer to.
    siblings: RefCell<HashMap<SectionIndex, Rc<RelocatedView<'c>>>>,
    code: Code<'c>,
    pub(super) filter: Option<Filter>,
    /// The byte that is asked for, around which more is shown.
    pub(super) at: Option<u64>,
}

/// Visits the bytes that belong to no item, if there are any.
pub(super) fn rest_of<T>(
    visit: &mut Visit<'_, T>,
    span: dwarf2_reader::Span,
    what: impl Into<Cow<'static, str>>,
) -> ControlFlow<()> {
    if span.is_empty() {
        return ControlFlow::Continue(());
    }
    visit(StreamPart::Rest(UnclaimedBytes::new(span.into(), what)))
}

impl<'c, 'd> DumpSource<'c, 'd> {
    /// Prepares a cubin for decoding. `filter` selects what belongs to some functions; `None`
    /// selects everything. If `at` is an offset in a section, the row that contains this byte is
    /// shown with all of its opcodes.
    pub fn new(cubin: &'c Cubin<'d>, filter: Option<Filter>, at: Option<u64>) -> Self {
        let mut first = HashMap::new();
        for (index, name, _) in cubin.iter() {
            let name = SectionName::parse(name);
            if let Some(kind) = name.contents_kind() {
                first.entry((name.space, kind)).or_insert(index);
            }
        }
        Self {
            cubin,
            relocated: RelocatedCubin::new(cubin),
            first,
            siblings: RefCell::default(),
            code: Code::new(cubin),
            filter,
            at,
        }
    }

    /// Section and offset of an absolute code address, in files whose sections have addresses.
    pub(super) fn at_address(&self, address: u64) -> Option<(&'c str, u64)> {
        let (section, offset) = self.code.at_address(address)?;
        Some((self.cubin.section_name(section), offset))
    }

    /// Returns a section with its relocations applied.
    ///
    /// # Errors
    ///
    /// The section does not exist, or its relocations cannot be applied.
    pub fn view(&self, index: SectionIndex) -> Result<RelocatedView<'c>> {
        Ok(RelocatedView {
            index,
            name: self.cubin.section_name(index).to_owned(),
            data: self.relocated.section(index)?,
        })
    }

    /// Returns the first section of a kind that, like the section called `near`, belongs to native
    /// code or to Mercury code; `None` if there is none.
    ///
    /// # Errors
    ///
    /// It is there, but cannot be read. What refers to it cannot be shown then.
    pub fn sibling(&self, near: &str, wanted: SectionKind) -> Result<Option<Rc<RelocatedView<'c>>>> {
        let Some(index) = self.first.get(&(SectionName::parse(near).space, wanted)) else { return Ok(None) };
        let mut siblings = self.siblings.borrow_mut();
        if !siblings.contains_key(index) {
            siblings.insert(*index, Rc::new(self.view(*index)?));
        }
        Ok(siblings.get(index).map(Rc::clone))
    }

    /// A place in words: `.text.F+0x10`, or the symbol where it has no section.
    pub(super) fn place(&self, target: &RelocationTarget) -> String {
        match target.section {
            Some(section) => format!("{}+{:#x}", self.cubin.section_name(section), target.offset),
            None => format!(
                "{}+{:#x} (undefined)",
                self.cubin.symbol_name_in(target.table, target.symbol),
                target.addend
            ),
        }
    }

    /// The field at `offset` of a section, whose bytes say `value`, in words.
    pub(super) fn field(&self, view: &RelocatedView<'_>, offset: u64, value: u64) -> String {
        view.data.target(offset).map_or_else(|| format!("{value:#x}"), |target| self.place(target))
    }

    /// Returns the target of a code address, as for other addresses. In debug-only objects it needs
    /// no relocation.
    pub(super) fn code_address(&self, view: &RelocatedView<'_>, offset: u64, value: u64) -> String {
        self.code_place(view, offset, value).unwrap_or_else(|| format!("{value:#x}"))
    }

    /// Returns the target of an end address. The address after a range may be the first of another
    /// section.
    pub(super) fn end_address(&self, view: &RelocatedView<'_>, offset: u64, value: u64) -> String {
        self.end_place(view, offset, value).unwrap_or_else(|| format!("{value:#x}"))
    }

    /// Describes the target of a code address in words; `None` if the field holds a number that is
    /// not an address in this file.
    pub(super) fn code_place(&self, view: &RelocatedView<'_>, offset: u64, value: u64) -> Option<String> {
        match view.data.target(offset) {
            Some(target) => Some(self.place(target)),
            None => self.at_address(value).map(|(section, offset)| format!("{section}+{offset:#x}")),
        }
    }

    /// Describes the target of an end address in words.
    pub(super) fn end_place(&self, view: &RelocatedView<'_>, offset: u64, value: u64) -> Option<String> {
        if let Some(target) = view.data.target(offset) {
            return Some(self.place(target));
        }
        let (section, last) = self.at_address(value.checked_sub(1)?)?;
        Some(format!("{section}+{:#x}", last + 1))
    }

    /// The cubin whose sections are decoded.
    pub fn cubin(&self) -> &'c Cubin<'d> {
        self.cubin
    }

    /// The index of the first native section of a kind; `None` if the cubin has none.
    pub fn first(&self, kind: SectionKind) -> Option<SectionIndex> {
        self.first.get(&(Space::Native, kind)).copied()
    }

    /// Opens a section for decoding, together with the sections that its decoder needs, such as
    /// `.debug_abbrev` and `.debug_str`.
    pub fn open(&self, index: SectionIndex) -> OpenSection<'c> {
        let name = self.cubin.section_name(index);
        let needed = |by: &[SectionKind], wanted| match SectionName::parse(name).contents_kind() {
            Some(kind) if by.contains(&kind) => self.sibling(name, wanted),
            _ => Ok(None),
        };
        let lines = [SectionKind::DebugLine, SectionKind::NvDebugLineSass];
        let info = [SectionKind::DebugInfo];
        OpenSection {
            index,
            name,
            view: self.view(index),
            abbrev: needed(&info, SectionKind::DebugAbbrev),
            strings: needed(&[&lines[..], &info].concat(), SectionKind::DebugStr),
            types: needed(&[SectionKind::NvDebugInfoRegSass], SectionKind::NvDebugInfoRegType),
            units: OnceCell::new(),
        }
    }
}

/// Reads all items.
///
/// # Errors
///
/// That of the first that cannot be read.
pub(super) fn read_all<T>(
    view: &RelocatedView<'_>,
    items: impl IntoIterator<Item = dwarf2_reader::Result<T>>,
) -> Result<()> {
    items.into_iter().try_for_each(|item| item.map(|_| ())).map_err(|error| view.fault(error))
}
