//! The source lines of an address, as a chain of calls, and its PTX line.

use super::LineLookup;
use crate::names::Name;
use crate::symbolize::{self, NameUncertainty, ResolvedAddress, TableFileName};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The call chain and the PTX line that the line tables have for one address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressLines<'a, 's> {
    /// The call chain of the address, innermost frame first: at most 1024 frames, in the ranges of
    /// a listing at most 64. Empty where `.debug_line` does not cover the address.
    pub frames: CallChain<'a, 's>,
    /// The number of outer frames that `frames` leaves out because there are too many. Absent where
    /// `frames` has them all.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_frames: u64,
    /// The place of the address in a text of an intermediate language, as cuTile has one. Absent
    /// where `.nv.tileir.debug_line` does not cover the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intermediate: Option<IntermediateSource<'s>>,
    /// The PTX line of the address; `None` where `.nv_debug_line_sass` does not cover the address.
    pub ptx: Option<PtxSource<'s>>,
}

/// The chain of inlined calls that contain an address, innermost first. Each iteration reads it
/// again.
#[derive(Debug)]
pub struct CallChain<'a, 's> {
    lookup: &'a LineLookup<'s>,
    place: ResolvedAddress<'s>,
    limit: usize,
}

/// One frame of a chain of calls, with the name of its function.
#[derive(Debug, PartialEq)]
pub struct NamedFrame<'s> {
    /// The frame of the call chain, with its source file and line.
    pub frame: symbolize::Frame<'s>,
    /// The name of the frame's function; `None` where it is not known.
    pub name: Option<Name>,
}

/// A line of the PTX text that a cubin was made from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PtxSource<'s> {
    /// 1-based number of the line in the PTX text.
    pub line: u32,
    /// The text of the PTX line as `.nv_debug_ptx_txt` keeps it, without leading blanks and debug
    /// directives; `None` where the file has no such line.
    pub text: Option<Cow<'s, str>>,
    /// The name of the section that has the PTX text. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'s str>,
}

/// A line in a text of the intermediate language that a compiler has between the source and PTX.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IntermediateSource<'s> {
    /// The name of the file that the text is of, as `.nv.tileir.debug_txt.NAME` has it; `None`
    /// where the file table has no such file.
    pub file: Option<&'s str>,
    /// 1-based number of the line in the text of the intermediate language.
    pub line: u32,
    /// The text of the line; `None` where the cubin does not have the text, or no such line in it.
    pub text: Option<Cow<'s, str>>,
    /// The name of the section that has the text. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'s str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<'a, 's> AddressLines<'a, 's> {
    /// The lines of a place, with `limit` frames at most.
    pub(super) fn new(lookup: &'a LineLookup<'s>, place: ResolvedAddress<'s>, limit: usize) -> Self {
        let ptx = place.ptx().map(|ptx| PtxSource {
            line: ptx.line,
            text: ptx.text.map(String::from_utf8_lossy),
            section: ptx.section.map(|section| lookup.cubin.section_name(section)),
        });
        let intermediate = place.intermediate().map(|line| IntermediateSource {
            file: line.file,
            line: line.line,
            text: line.text.map(String::from_utf8_lossy),
            section: line.section.map(|section| lookup.cubin.section_name(section)),
        });
        let more_frames = lookup.depth(&place).saturating_sub(limit) as u64;
        Self { frames: CallChain { lookup, place, limit }, more_frames, intermediate, ptx }
    }

    /// Whether no line table covers the address.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.ptx.is_none() && self.intermediate.is_none()
    }
}

impl<'s> CallChain<'_, 's> {
    /// Whether the call chain has no frame, because `.debug_line` does not cover the address.
    pub fn is_empty(&self) -> bool {
        self.place.depth() == 0
    }

    /// Iterates over the frames of the call chain, innermost first.
    pub fn iter(&self) -> impl Iterator<Item = NamedFrame<'s>> {
        self.lookup.frames(&self.place).take(self.limit)
    }
}

impl fmt::Display for AddressLines<'_, '_> {
    /// `f at a.cuh:3 (inlined) <- k at k.cu:18  | ptx:46  ret;`, with `??:0` where `.debug_line`
    /// does not cover the address.
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
        if let Some(intermediate) = &self.intermediate {
            write!(f, "  | {intermediate}")?;
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
        let callee = frame.inlined_callee();
        if callee.is_some_and(|callee| callee.recovered) {
            f.write_str(" [name recovered]")?;
        }
        if let Some(doubt) = callee.and_then(|callee| callee.uncertainty) {
            write!(f, " [name unsure: {}]", doubt.reason())?;
        }
        match frame.lost_context {
            Some(context) => write!(f, " [callers unknown: context {context} is not an earlier row]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for IntermediateSource<'_> {
    /// `intermediate:3  %a = load %x`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "intermediate:{}", self.line)?;
        self.text.as_ref().map_or(Ok(()), |text| write!(f, "  {}", text.trim_ascii_start()))
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

impl JsonSchema for CallChain<'_, '_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<FrameMembers<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<FrameMembers<'_>>::json_schema(generator)
    }
}

/// A source place: a function, and where in the source it is at an address.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Frame")]
struct FrameMembers<'a> {
    /// For an inlined frame the callee that the table names, for the last frame the function that
    /// has the code; `None` where it is not known.
    function: Option<&'a Name>,
    /// The source file: directory and name, joined by `/`, as the file table has them; `None` where
    /// the file table has no such file.
    file: Option<&'a str>,
    /// The index that the file table does not have. Absent where `file` is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    undeclared_file: Option<u64>,
    /// 1-based line; 0 for none.
    line: u32,
    /// 1-based column. ptxas writes none. With `--ptx` columns are those of the PTX's `.loc` and
    /// `inlined_at`, if the file's `.nv_debug_ptx_txt` is the text of that PTX, or its name has the
    /// checksum. The text has no `.loc` directives, so a change of these alone goes unseen. Absent
    /// where there is none.
    #[serde(skip_serializing_if = "is_zero")]
    column: u64,
    /// Whether the frame's function was inlined into the function of the next frame.
    inlined: bool,
    /// `true` where an entry of `.debug_info` says so, because the line table does not (code
    /// compiled with `-G`). The function, and file and line of the next frame, are then the
    /// entry's. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_entry: bool,
    /// Why `function` may be wrong. Absent where it is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_doubt: Option<&'static str>,
    /// `true` where nvlink left the unit's base of names at 0, and it was found again from the
    /// names of all units. With a `name_doubt` it is the lowest of several that are possible.
    /// Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    name_recovered: bool,
    /// The number of a context that names no earlier row: the callers are unknown, and this frame
    /// is the last. Absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_context: Option<u64>,
}

impl Serialize for NamedFrame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { frame, name } = self;
        let callee = frame.inlined_callee();
        let undeclared_file = match frame.file {
            TableFileName::Undeclared(number) => Some(number),
            TableFileName::Path(_) => None,
        };
        let members = FrameMembers {
            function: name.as_ref(),
            file: frame.file.path(),
            undeclared_file,
            line: frame.line,
            column: frame.column,
            inlined: frame.is_inlined(),
            by_entry: frame.is_by_entry(),
            name_doubt: callee.and_then(|callee| callee.uncertainty).map(NameUncertainty::reason),
            name_recovered: callee.is_some_and(|callee| callee.recovered),
            lost_context: frame.lost_context,
        };
        members.serialize(serializer)
    }
}

impl JsonSchema for NamedFrame<'_> {
    fn schema_name() -> Cow<'static, str> {
        FrameMembers::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        FrameMembers::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        FrameMembers::json_schema(generator)
    }
}
