//! A frame of a chain of calls, from the cubin or from the PTX.

use super::{PtxCallee, PtxFrame};
use crate::symbolize::{CalleeName, Frame, FrameFunction, ResolvedAddress, TableFileName};
use dwarf2_reader::source_path;

/// A frame of a chain, and what of it is from the PTX.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChainFrame<'s> {
    pub(super) frame: Frame<'s>,
    /// The name of the inlined function is the PTX's.
    pub(super) has_ptx_name: bool,
    /// The cubin does not have this frame.
    pub(super) by_ptx: bool,
}

impl<'s> From<Frame<'s>> for ChainFrame<'s> {
    /// A frame as the cubin has it.
    fn from(frame: Frame<'s>) -> Self {
        Self { frame, has_ptx_name: false, by_ptx: false }
    }
}

/// The frames of a place: those of the cubin with columns of the PTX, or if both differ, those of
/// the PTX.
pub(super) fn joined<'s>(
    place: &ResolvedAddress<'s>,
    own: &[Frame<'s>],
    ptx: &[PtxFrame<'s>],
) -> Vec<ChainFrame<'s>> {
    let pairs = || own.iter().zip(ptx);
    // Of code compiled with -G the entries may know calls where no `.loc` has an `inlined_at`.
    let is_entries_chain = own.iter().any(Frame::is_by_entry) && ptx.len() == 1;
    let is_alike = own.len() == ptx.len() && pairs().all(|(own, ptx)| is_same(place, own, ptx));
    if own.is_empty() || is_alike || is_entries_chain {
        let columns = pairs().map_while(|(own, ptx)| (own.line == ptx.line).then_some(ptx.column));
        let columns = columns.map(Some).chain(std::iter::repeat(None));
        let with_column = |(own, column): (&Frame<'s>, Option<u32>)| {
            let column = column.filter(|_| own.column == 0).map_or(own.column, u64::from);
            Frame { column, ..*own }.into()
        };
        return own.iter().zip(columns).map(with_column).collect();
    }
    // Callers are alike more often than callees.
    let own_of = |depth: usize| own.len().checked_sub(ptx.len() - depth).and_then(|at| own.get(at));
    let mut frames: Vec<ChainFrame<'s>> = ptx
        .iter()
        .enumerate()
        .map(|(depth, frame)| {
            let own = own_of(depth).filter(|own| is_same(place, own, frame));
            ChainFrame { frame: shown(place, own, frame), has_ptx_name: true, by_ptx: own.is_none() }
        })
        .collect();
    // The cubin has one call more.
    if let Some(innermost) = frames.first_mut().filter(|_| own.len() > ptx.len()) {
        innermost.by_ptx = true;
    }
    frames
}

/// Whether the cubin and the PTX mean the same function and source line.
fn is_same(place: &ResolvedAddress<'_>, own: &Frame<'_>, ptx: &PtxFrame<'_>) -> bool {
    is_same_function(own.function, ptx.callee) && is_same_place(place, own, ptx)
}

/// Whether both mean the same inlined function, or both none.
pub(super) fn is_same_function(own: FrameFunction<'_>, ptx: Option<PtxCallee<'_>>) -> bool {
    match (own, ptx) {
        (FrameFunction::Physical(_), None) => true,
        (FrameFunction::Inlined(own), Some(ptx)) => ptx.name.is_none() || own.name == ptx.name,
        (FrameFunction::InlinedEntry(own), Some(ptx)) => ptx.name.is_none() || own.name == ptx.name,
        _ => false,
    }
}

/// Whether both mean the same source line.
pub(super) fn is_same_place(place: &ResolvedAddress<'_>, own: &Frame<'_>, ptx: &PtxFrame<'_>) -> bool {
    own.line == ptx.line && own.lost_context.is_none() && is_same_file(place, own.file, ptx)
}

/// Whether both mean one file. Paths of the cubin may be mapped ones: then they are those of the
/// entries that the files of the PTX have.
pub(super) fn is_same_file(place: &ResolvedAddress<'_>, own: TableFileName<'_>, ptx: &PtxFrame<'_>) -> bool {
    match (own, ptx.path) {
        (TableFileName::Path(own), Some(path)) => {
            source_path::is_same(own, path) || place.table_file(ptx.file) == Some(own)
        }
        (TableFileName::Undeclared(_), None) => true,
        _ => false,
    }
}

/// A frame of the PTX. Its path is the one that the cubin has for the file, if it has one.
fn shown<'s>(place: &ResolvedAddress<'s>, own: Option<&Frame<'s>>, ptx: &PtxFrame<'s>) -> Frame<'s> {
    let entry = || {
        let entry = place.table_file(ptx.file)?;
        let is_named = ptx.path.map(source_path::file_name) == Some(source_path::file_name(entry));
        is_named.then_some(TableFileName::Path(entry))
    };
    let given = || ptx.path.map_or(TableFileName::Undeclared(ptx.file), TableFileName::Path);
    let function = match ptx.callee {
        None => FrameFunction::Physical(place.function),
        Some(PtxCallee { name, offset }) => {
            FrameFunction::Inlined(CalleeName { name, offset, uncertainty: None, recovered: false })
        }
    };
    Frame {
        function,
        file: own.map(|own| own.file).or_else(entry).unwrap_or_else(given),
        line: ptx.line,
        column: ptx.column.into(),
        lost_context: None,
    }
}
