//! `.debug_info` and `.debug_abbrev` of a module: what ptxas does with them, and what is wrong with
//! them.
//!
//! The faults are found with `dwarf2_reader`, which tells of each and reads on. What ptxas does is
//! a model of its own: it walks the bytes as ptxas does, right or wrong.
//!
//! The two differ: ptxas 13.0.88 refuses some sound sections and takes many broken ones. It reads
//! them only with `-g` or `.target debug`, for every architecture, if it found no error in the text
//! of the module.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

mod entries;
mod expression;
mod facts;
mod faults;
mod locals;
mod ptxas;
#[cfg(test)]
mod tests;

pub(crate) use facts::{Facts, NameBytes, Number};
pub(crate) use faults::{Fault, FaultKind};
pub(crate) use locals::Locals;
pub(crate) use ptxas::{Message, Outcome};

use ptxas::{List, Walk};

/// The two sections as the assembler leaves them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Input<'a> {
    /// Contents of `.debug_info` as ptxas reads it, which has other numbers where names stand.
    pub(crate) info: &'a [u8],
    /// The last of the numbers by which ptxas knows what is written by name.
    pub(crate) names: u64,
    /// The bytes with the numbers that names stand for; 0 for an address.
    pub(crate) written: &'a [u8],
    /// Contents of `.debug_abbrev`, or `None` if the module has no such section.
    pub(crate) abbrev: Option<&'a [u8]>,
    /// Bytes in `.debug_str`, or `None` if the module has no such section.
    pub(crate) str_size: Option<u64>,
    /// The blocks of `.debug_info` that refer to `.local` variables.
    pub(crate) locals: &'a [Locals],
    /// Places in `.debug_info` that hold an address and no number: byte offset and width,
    /// ascending.
    pub(crate) fixups: &'a [(u64, u8)],
}

impl Input<'_> {
    /// Whether the bytes at `offset` of [`Self::written`] are an address to be filled in.
    fn is_fixup(&self, offset: u64) -> bool {
        self.fixups.binary_search_by_key(&offset, |(place, _)| *place).is_ok()
    }
}

/// The result of [`read`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The violations of DWARF 2, in the order met; at most
    /// [`MAX_FAULTS`](crate::limits::MAX_FAULTS) and one more that says so.
    pub(crate) faults: Vec<Fault>,
    /// The behaviour of ptxas 13.0.88 with `-g`.
    pub(crate) ptxas: Outcome,
    /// The facts that the entries state.
    pub(crate) facts: Facts,
}

/// Reads both sections to the end, whatever their bytes.
pub(crate) fn read(input: &Input<'_>) -> Reading {
    let (faults, facts) = faults::find(input);
    Reading { faults, facts, ptxas: outcome(input) }
}

/// What ptxas does with these bytes.
fn outcome(input: &Input<'_>) -> Outcome {
    let Some(bytes) = input.abbrev else { return Outcome::Skips };
    let end = List::scan(bytes).and_then(|list| {
        let mut walk = Walk::new(input.info, input.names, &list);
        walk.units(Walk::unit)?;
        if walk.crash_later {
            return Err(Outcome::Crashes);
        }
        input
            .locals
            .iter()
            .enumerate()
            .try_for_each(|(index, locals)| locals::place_local(index, locals, &list))
    });
    end.err().unwrap_or(Outcome::Accepts)
}
