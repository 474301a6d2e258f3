//! One frame of a chain of calls, as an answer.

use crate::names::Name;
use crate::symbolize::{self, NameUncertainty, TableFileName};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// One frame of a chain of calls, with the name of its function.
#[derive(Debug, PartialEq)]
pub struct NamedFrame<'s> {
    /// The frame of the call chain, with its source file and line.
    pub frame: symbolize::Frame<'s>,
    /// The name of the frame's function; `None` where it is not known.
    pub name: Option<Name>,
    /// Whether the frame is not the cubin's: the PTX states it, and the cubin has another one here,
    /// or none.
    pub by_ptx: bool,
}

impl fmt::Display for NamedFrame<'_> {
    /// `f at a.cuh:3 (inlined)`, and what is in doubt; with `{:#}` both spellings of the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frame, name, by_ptx } = self;
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
        if *by_ptx {
            f.write_str(" [from the PTX]")?;
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

/// A source place: a function, and where in the source it is at an address.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Frame")]
#[allow(clippy::struct_excessive_bools, reason = "members of an answer")]
pub(super) struct FrameMembers<'a> {
    /// For an inlined frame the callee that the table names, for the last frame the function that
    /// has the code; `None` where it is not known.
    function: Option<&'a Name>,
    /// The source file: directory and name of the file table, joined as one path; `None` where
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
    /// `true` with `--ptx` where the frame is the PTX's, because the cubin has another one here, or
    /// none: ptxas drops and merges some inlined calls, and may give a call site the wrong file.
    /// The chain is then that of the `.loc` in force at the PTX line. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_ptx: bool,
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
        let Self { frame, name, by_ptx } = self;
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
            by_ptx: *by_ptx,
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}
