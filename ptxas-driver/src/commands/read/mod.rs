//! What the commands that read cubins share: the file, names, JSON.

mod cubin_file;
mod debug_file;
mod each;
mod folders;
mod images;
mod names;
mod ptx_file;
mod sources;
mod stripped;

pub(super) use crate::plain::printable;
pub(super) use cubin_debuginfo::names::{FunctionNames, demangle};
pub(super) use cubin_file::{
    STDIN_ONCE, asks_stdin_twice, cubin, other_kind, read_any as read_bytes, read_plain,
};
pub(super) use debug_file::{DebugBytes, DebugFile};
pub(super) use each::{IMAGES_HELP, OneCubin, each_cubin, each_cubin_in_parallel, shown_name};
pub(super) use folders::{Operand, Wanted, walk};
pub(super) use images::is_stdin;
pub(super) use names::{both, shown};
pub(super) use ptx_file::PtxFile;
pub(super) use sources::{SourceOptions, Sources};
pub(super) use stripped::{NO_DEBUG_SECTIONS, no_debug_sections, stripped};

/// Bytes as text; what is not UTF-8 is replaced.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
