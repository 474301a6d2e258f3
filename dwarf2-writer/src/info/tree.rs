//! The entries of one unit: the links between them and the offsets of their attributes. There is no
//! recursion, so depth costs nothing.

use core::ops::Range;

use alloc::vec::Vec;

use super::form::Attributes;

/// No entry, or no shape.
pub(super) const NONE: u32 = u32::MAX;

/// One entry. Links are 0-based numbers in [`Unit::nodes`].
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Tag and attributes; [`NONE`] until the entry is filled.
    pub(super) shape: u32,
    parent: u32,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    /// In [`Attributes::bytes`].
    bytes: (u32, u32),
    /// In [`Attributes::fixups`].
    fixups: (u32, u32),
    /// The size in bytes of the attributes with their references.
    pub(super) size: u32,
    /// From the start of the unit; once laid out.
    pub(super) offset: u32,
    /// The code of the abbreviation. It is known once the unit is laid out.
    pub(super) code: u32,
}

impl Node {
    pub(super) const RESERVED: Self = Self {
        shape: NONE,
        parent: NONE,
        first_child: NONE,
        last_child: NONE,
        next_sibling: NONE,
        bytes: (0, 0),
        fixups: (0, 0),
        size: 0,
        offset: 0,
        code: 0,
    };

    #[inline]
    pub(super) const fn has_children(&self) -> bool {
        self.first_child != NONE
    }

    /// The next entry with the same parent.
    #[inline]
    pub(super) fn sibling(&self) -> Option<u32> {
        (self.next_sibling != NONE).then_some(self.next_sibling)
    }

    #[inline]
    pub(super) const fn bytes(&self) -> Range<usize> {
        self.bytes.0 as usize..self.bytes.1 as usize
    }

    #[inline]
    pub(super) const fn fixups(&self) -> Range<usize> {
        self.fixups.0 as usize..self.fixups.1 as usize
    }
}

/// One unit. Entry 0 is its root.
#[derive(Debug, Clone, Default)]
pub(super) struct Unit {
    pub(super) nodes: Vec<Node>,
    pub(super) attributes: Attributes,
    /// From the start of the section; once laid out.
    pub(super) offset: u32,
    /// With its header, in bytes; once laid out.
    pub(super) size: u32,
}

/// Ends of what [`Attributes`] hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeEnds {
    bytes: u32,
    fixups: u32,
    missing: u64,
}

impl Unit {
    #[inline]
    pub(super) fn mark(&self) -> AttributeEnds {
        let Attributes { bytes, fixups, missing, .. } = &self.attributes;
        AttributeEnds { bytes: bytes.len() as u32, fixups: fixups.len() as u32, missing: *missing }
    }

    /// Drops what was put since `mark`.
    pub(super) fn rewind(&mut self, mark: AttributeEnds) {
        self.attributes.bytes.truncate(mark.bytes as usize);
        self.attributes.fixups.truncate(mark.fixups as usize);
        self.attributes.missing = mark.missing;
    }

    /// Makes the reserved entry `index` the last child of `parent`, with the attributes that were
    /// put since `mark`.
    #[inline]
    pub(super) fn link(&mut self, index: u32, parent: Option<u32>, shape: u32, mark: AttributeEnds) {
        let end = self.mark();
        let mut last = NONE;
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent as usize)) {
            last = parent.last_child;
            parent.last_child = index;
            if last == NONE {
                parent.first_child = index;
            }
        }
        if let Some(last) = self.nodes.get_mut(last as usize) {
            last.next_sibling = index;
        }
        if let Some(node) = self.nodes.get_mut(index as usize) {
            node.shape = shape;
            node.parent = parent.unwrap_or(NONE);
            node.bytes = (mark.bytes, end.bytes);
            node.fixups = (mark.fixups, end.fixups);
            node.size = end.bytes - mark.bytes + (end.missing - mark.missing) as u32;
        }
    }
}

/// Goes through a unit in the order of the section.
#[derive(Debug, Clone)]
pub(super) struct Walk(State);

#[derive(Debug, Clone, Copy)]
enum State {
    Enter(u32),
    /// The walk has passed the entry with this index, and its children.
    After(u32),
}

/// The next item of the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The next item of the section is an entry, with this index in its unit.
    Entry(u32),
    /// The next item of the section is the end of a list of children.
    End,
}

impl Walk {
    /// From the root on.
    pub(super) const fn new() -> Self {
        Self(State::Enter(0))
    }

    /// The next step in `nodes`, which must be the same each time but for their offsets.
    #[inline]
    pub(super) fn step(&mut self, nodes: &[Node]) -> Option<Step> {
        if let State::After(index) = self.0 {
            let node = nodes.get(index as usize)?;
            let Some(sibling) = node.sibling() else {
                self.0 = State::After(node.parent);
                return (node.parent != NONE).then_some(Step::End);
            };
            self.0 = State::Enter(sibling);
        }
        let State::Enter(index) = self.0 else { return None };
        let node = nodes.get(index as usize)?;
        self.0 = if node.has_children() { State::Enter(node.first_child) } else { State::After(index) };
        Some(Step::Entry(index))
    }
}
