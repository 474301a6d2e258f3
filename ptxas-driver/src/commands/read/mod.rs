//! The common part of the commands that read cubins: the file, names, JSON.

mod arch_option;
mod cubin_file;
mod debug_file;
mod each_cubin;
mod edited_file;
mod folders;
mod ir_file;
mod kept_file;
mod names;
mod operand;
mod ptx_file;
mod ptx_locs;
mod sources;
mod stripped;

pub(super) use crate::printable_text::printable;
pub(super) use arch_option::parse_arch;
pub(super) use cubin_debuginfo::names::{FunctionNames, demangle};
pub(super) use cubin_file::{
    STDIN_ONCE, asks_stdin_twice, cubin, other_kind, read_any as read_bytes, read_plain,
    warn_of_newer_release,
};
pub(super) use debug_file::{DebugFileOptions, DebugFiles, SideFile, name_of_sections};
pub(super) use each_cubin::{
    CubinFile, IMAGES_HELP, OneCubin, each_chosen_cubin, each_cubin, each_cubin_in_parallel, shown_name,
};
pub(super) use edited_file::{Edit, Edited, EditedCubin, EditedFile, OldCubin};
pub(super) use folders::{FolderFilter, WalkEntry, walk};
pub(super) use ir_file::IrFile;
pub(super) use kept_file::{KeptCubin, KeptFile};
pub(super) use names::{both, shown};
pub(super) use operand::{OtherCubins, is_stdin, is_there, real_path};
pub(super) use ptx_file::PtxFile;
pub(super) use ptx_locs::PtxLocs;
pub(super) use sources::{SourceOptions, Sources};
pub(super) use stripped::{NO_DEBUG_SECTIONS, is_without_code, no_debug_sections, stripped};

/// Bytes as text; what is not UTF-8 is replaced.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
