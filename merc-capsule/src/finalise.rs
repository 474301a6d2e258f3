//! The way back: what native sections say, from a capsule.

use crate::address_map::AddressMap;
use nv_debug_sections::line::{LineTable, Sequence};
use nv_debug_sections::line_table::{last_name, transcode};
use std::borrow::Cow;

/// Where the native code of one sequence is.
#[derive(Debug, Clone, Copy)]
pub struct NativeCode<'m> {
    /// Where its instructions come from.
    pub map: &'m AddressMap,
    /// Native addresses of the functions in the section, ascending.
    pub starts: &'m [u64],
    /// Native size of the section in bytes, padding included.
    pub size: u64,
}

/// Which of the two line tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineTableKind {
    /// `.debug_line`: code that comes from no PTX instruction has no source location.
    Source,
    /// `.nv_debug_line_sass`.
    Ptx,
}

/// The native programs of a Mercury line table (FORMATS 1.6), in the order of its sequences. `code` has the native code of each; a
/// sequence without one has no native program. Bases are 0, and not placed in a section yet.
///
/// ptxas' native tables have the same programs in the order of the native function symbols.
pub fn sequences(
    mercury: &LineTable<'_>,
    kind: LineTableKind,
    code: &[Option<NativeCode<'_>>],
) -> Vec<Option<Sequence>> {
    let mut name = 0;
    let mut native = Vec::with_capacity(mercury.sequences.len());
    let code = code.iter().copied().chain(std::iter::repeat(None));
    for (sequence, code) in mercury.sequences.iter().zip(code) {
        native.push(code.map(|NativeCode { map, starts, size }| {
            let instructions = match kind {
                LineTableKind::Source => Cow::Owned(map.of_instructions()),
                LineTableKind::Ptx => Cow::Borrowed(map.pairs()),
            };
            let ops = transcode(&sequence.ops, name, &instructions, starts);
            Sequence { base: 0, base_offset: 0, ops, end: size }
        }));
        name = last_name(&sequence.ops, name);
    }
    native
}
