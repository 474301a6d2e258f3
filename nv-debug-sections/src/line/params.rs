//! The parameters in the line table headers of ptxas.

use crate::release::Release;
use dwarf2_writer::line::Params;

/// The parameters in the line table headers of ptxas before CUDA 13.5
/// (docs/formats/line-tables.md, header).
pub const DWARF2_PARAMS: Params = Params {
    version: 2,
    minimum_instruction_length: 1,
    default_is_stmt: true,
    line_base: -5,
    line_range: 14,
    opcode_base: 10,
};

/// The parameters in the line table headers of ptxas from CUDA 13.5 on: those of
/// [`DWARF2_PARAMS`], with the three more standard opcodes of DWARF 3.
pub const DWARF3_PARAMS: Params = Params { version: 3, opcode_base: 13, ..DWARF2_PARAMS };

/// Returns the parameters in the line table headers that the ptxas of a release writes.
pub fn params(release: Release) -> Params {
    if release.line_version() == DWARF2_PARAMS.version { DWARF2_PARAMS } else { DWARF3_PARAMS }
}
