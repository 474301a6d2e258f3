//! What the `.loc` directives of a PTX say of the code of a cubin.

use super::PtxFile;
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::lines::{LineLookup, LostCalls, NoChains, PtxChains};
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::cubin::Cubin;
use nvdwarf_compile::ptx::LocChains;
use ptx_syntax::{LineIndex, Module};
use std::borrow::Cow;

/// A PTX as a cubin may have been made from it: its bytes, and the chains of inlined calls of its
/// `.loc` directives.
pub(in crate::commands) struct PtxLocs<'p> {
    bytes: Cow<'p, [u8]>,
    chains: LocChains<'p>,
}

impl<'p> PtxLocs<'p> {
    /// Reads the `.loc` directives for the architecture of a cubin. What is wrong with the PTX is
    /// for `check` to say.
    pub(in crate::commands) fn of(ptx: &'p PtxFile, module: &Module<'p>, cubin: &Cubin<'_>) -> Self {
        let chains = LocChains::of(module, cubin.target(), &LineIndex::new(&ptx.text));
        Self { bytes: ptx.bytes_of(&ptx.text), chains }
    }

    /// The chains for the code of a cubin.
    ///
    /// # Errors
    ///
    /// The cubin was not made from this PTX, or does not say from which.
    pub(in crate::commands) fn chains(&self, cubin: &Cubin<'_>) -> Result<PtxChains<'_>, NoChains> {
        PtxChains::new(cubin, &self.bytes, |line| self.chains.at_line(line))
    }

    /// The inlined calls that the PTX and a cubin do not have alike. `None` where the cubin's
    /// tables cannot be read.
    ///
    /// # Errors
    ///
    /// As [`chains`](Self::chains).
    pub(in crate::commands) fn lost_calls(&self, cubin: &Cubin<'_>) -> Result<Option<LostCalls>, NoChains> {
        let Ok(symbolizer) = Symbolizer::new(cubin) else { return Ok(None) };
        let entries = InlinedCalls::can_be_in(cubin).then(|| Entries::read(cubin).ok()).flatten();
        let calls = entries.as_ref().and_then(|entries| InlinedCalls::read(cubin, entries, &symbolizer).ok());
        let mut lookup = LineLookup::new(cubin, &symbolizer);
        if let Some(calls) = &calls {
            lookup = lookup.with_calls(calls);
        }
        Ok(lookup.with_ptx(self.chains(cubin)?).lost_calls())
    }
}
