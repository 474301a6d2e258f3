//! The lines of an address: a chain of calls, and the PTX line.

use super::Lookup;
use crate::names::Name;
use crate::symbolize::{self, FileName, Place};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What the line tables have for an address.
#[derive(Debug, Serialize)]
pub struct AddressLines<'a, 's> {
    /// The chain of calls, innermost first.
    pub frames: CallChain<'a, 's>,
    /// How many frames are left out of it.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_frames: u64,
    /// The line of the PTX.
    pub ptx: Option<PtxSource<'s>>,
}

/// A chain of calls, read anew each time that it is gone through.
#[derive(Debug)]
pub struct CallChain<'a, 's> {
    lookup: &'a Lookup<'s>,
    place: Place<'s>,
    limit: usize,
}

/// One step of a chain of calls, and the name of its function.
#[derive(Debug, PartialEq)]
pub struct NamedFrame<'s> {
    /// The step.
    pub frame: symbolize::Frame<'s>,
    /// The name of its function; `None` where it is not known.
    pub name: Option<Name>,
}

/// A line of the PTX.
#[derive(Debug, Serialize)]
pub struct PtxSource<'s> {
    /// 1-based line.
    pub line: u32,
    /// Its text, as the file keeps it; `None` where it keeps none.
    pub text: Option<Cow<'s, str>>,
    /// The name of the section that has the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'s str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<'a, 's> AddressLines<'a, 's> {
    /// The lines of a place, with `limit` frames at most.
    pub(super) fn new(lookup: &'a Lookup<'s>, place: Place<'s>, limit: usize) -> Self {
        let ptx = place.ptx().map(|ptx| PtxSource {
            line: ptx.line,
            text: ptx.text.map(String::from_utf8_lossy),
            section: ptx.section.map(|section| lookup.cubin.section_name(section)),
        });
        let more_frames = lookup.depth(&place).saturating_sub(limit) as u64;
        Self { frames: CallChain { lookup, place, limit }, more_frames, ptx }
    }

    /// Whether no table covers the address.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.ptx.is_none()
    }
}

impl<'s> CallChain<'_, 's> {
    /// Whether there is no frame: `.debug_line` does not cover the address.
    pub fn is_empty(&self) -> bool {
        self.place.depth() == 0
    }

    /// The frames, innermost first.
    pub fn iter(&self) -> impl Iterator<Item = NamedFrame<'s>> {
        self.lookup.frames(&self.place).take(self.limit)
    }
}

impl fmt::Display for AddressLines<'_, '_> {
    /// `f at a.cuh:3 (inlined) <- k at k.cu:18  | ptx:46  ret;`, with `??:0` where `.debug_line` does not cover the
    /// address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arrow = "";
        for frame in self.frames.iter() {
            write!(f, "{arrow}{frame}")?;
            arrow = " <- ";
        }
        match self.more_frames {
            0 => {}
            more => write!(f, " <- ... {more} more")?,
        }
        if self.frames.is_empty() {
            f.write_str("??:0")?;
        }
        self.ptx.as_ref().map_or(Ok(()), |ptx| write!(f, "  | {ptx}"))
    }
}

impl fmt::Display for NamedFrame<'_> {
    /// `f at a.cuh:3 (inlined)`, and what is in doubt; with `{:#}` both spellings of the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frame, name } = self;
        match name {
            Some(name) => name.fmt(f)?,
            None => f.write_str("??")?,
        }
        write!(f, " at {}:{}", frame.file, frame.line)?;
        if frame.column != 0 {
            write!(f, ":{}", frame.column)?;
        }
        if frame.is_inlined() {
            f.write_str(" (inlined)")?;
        }
        let callee = frame.callee();
        if callee.is_some_and(|callee| callee.recovered) {
            f.write_str(" [name recovered]")?;
        }
        if let Some(doubt) = callee.and_then(|callee| callee.doubt) {
            write!(f, " [name unsure: {}]", doubt.reason())?;
        }
        match frame.lost_context {
            Some(context) => write!(f, " [callers unknown: context {context} is no earlier row]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PtxSource<'_> {
    /// `ptx:46  ret;`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptx:{}", self.line)?;
        self.text.as_ref().map_or(Ok(()), |text| write!(f, "  {text}"))
    }
}

impl Serialize for CallChain<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for NamedFrame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { frame, name } = self;
        let callee = frame.callee();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("function", name)?;
        map.serialize_entry("file", &frame.file.path())?;
        if let FileName::Undeclared(number) = frame.file {
            map.serialize_entry("undeclared_file", &number)?;
        }
        map.serialize_entry("line", &frame.line)?;
        if frame.column != 0 {
            map.serialize_entry("column", &frame.column)?;
        }
        map.serialize_entry("inlined", &frame.is_inlined())?;
        if frame.is_by_entry() {
            map.serialize_entry("by_entry", &true)?;
        }
        if let Some(doubt) = callee.and_then(|callee| callee.doubt) {
            map.serialize_entry("name_doubt", doubt.reason())?;
        }
        if callee.is_some_and(|callee| callee.recovered) {
            map.serialize_entry("name_recovered", &true)?;
        }
        if let Some(context) = frame.lost_context {
            map.serialize_entry("lost_context", &context)?;
        }
        map.end()
    }
}
