//! The line tables of one cubin, and what else is read to answer from them.

use super::Options;
use crate::commands::read::{PtxFile, PtxLocs, no_debug_sections};
use crate::report::NoAnswer;
use crate::stderr::note;
use anyhow::{Context, Result};
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::lines::{LineLookup, UnplacedSequences};
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::Module;
use std::cell::OnceCell;

/// A cubin, and the names by which messages call it.
#[derive(Clone, Copy)]
pub(super) struct NamedCubin<'c, 's> {
    /// The name of the file or image.
    pub(super) name: &'c str,
    /// The name in messages about debug sections: with the debug file, if there is one.
    pub(super) sections_name: &'c str,
    pub(super) cubin: &'s Cubin<'s>,
}

/// The options that say how line tables are read.
#[derive(Clone, Copy)]
pub(super) struct TableOptions<'p> {
    pub(super) space: Space,
    pub(super) ptx: Option<(&'p PtxFile, &'p Module<'p>)>,
}

impl<'p> TableOptions<'p> {
    pub(super) fn of(options: &Options, ptx: Option<(&'p PtxFile, &'p Module<'p>)>) -> Self {
        Self { space: if options.mercury { Space::Mercury } else { Space::Native }, ptx }
    }
}

/// What is read of one cubin: the lookup of lines borrows from all of it.
#[derive(Default)]
pub(super) struct LineTables<'s> {
    symbolizer: OnceCell<Symbolizer<'s>>,
    entries: OnceCell<Entries<'s>>,
    calls: OnceCell<InlinedCalls<'s>>,
    locs: OnceCell<PtxLocs<'s>>,
}

impl<'s> LineTables<'s> {
    /// Reads the line tables of a cubin, its inlined calls, and the PTX that it was made from if
    /// that is given.
    ///
    /// # Errors
    ///
    /// A line table cannot be read, or the cubin has no Mercury capsule and that was asked for.
    pub(super) fn lookup(
        &'s self,
        NamedCubin { name, sections_name, cubin }: NamedCubin<'_, 's>,
        options: TableOptions<'s>,
    ) -> Result<LineLookup<'s>> {
        if options.space == Space::Mercury && !cubin.has_capsule() {
            let arch = cubin.arch();
            return Err(NoAnswer(format!("{name}: a cubin for {arch} without a capsule")).into());
        }
        let symbolizer = Symbolizer::in_space(cubin, options.space).with_context(|| name.to_owned())?;
        let symbolizer = self.symbolizer.get_or_init(|| symbolizer);
        let mut lookup = LineLookup::new(cubin, symbolizer);
        // Else all that there is of inlined calls is in the line tables.
        if options.space == Space::Native
            && InlinedCalls::can_be_in(cubin)
            && let Some(entries) = or_note(sections_name, Entries::read(cubin))
        {
            let entries = self.entries.get_or_init(|| entries);
            let calls = or_note(sections_name, InlinedCalls::read(cubin, entries, symbolizer));
            if let Some(calls) = calls.filter(|calls| !calls.is_empty()) {
                if calls.is_truncated() {
                    note(format_args!(
                        "{name}: not all inlined calls of .debug_info are shown: they share too many pieces of code"
                    ));
                }
                lookup = lookup.with_calls(self.calls.get_or_init(|| calls));
            }
        }
        if let Some((ptx, module)) = options.ptx {
            match self.locs.get_or_init(|| PtxLocs::of(ptx, module, cubin)).chains(cubin) {
                Ok(chains) => lookup = lookup.with_ptx(chains),
                Err(why) => note(format_args!("{name}: no columns and inlined calls of the PTX: {why}")),
            }
        }
        Ok(lookup)
    }
}

/// Returns what was read. After a fault it prints a note and returns `None`: only the inlined calls
/// of code without another record are lost.
fn or_note<T>(name: &str, read: nv_debug_sections::Result<T>) -> Option<T> {
    read.map_err(|error| note(format_args!("{name}: inlined calls of .debug_info are not shown: {error}")))
        .ok()
}

/// Prints notes about what is odd in all of a cubin.
pub(super) fn note_oddities(name: &str, cubin: &Cubin<'_>, symbolizer: &Symbolizer<'_>, space: Space) {
    if let Some(what) = cubin.debug_only_text() {
        note(format_args!("{name}: no code: {what}, with 16 bytes for each PTX instruction"));
    }
    let unplaced = UnplacedSequences::of(symbolizer);
    for (table, count) in unplaced.into_iter().flat_map(UnplacedSequences::tables) {
        let sequences = if count == 1 { "sequence" } else { "sequences" };
        note(format_args!("{name}: {table}: {count} {sequences} of functions that the linker dropped"));
    }
    if symbolizer.source_rows().is_empty() {
        let why = match no_debug_sections(cubin, Some(SectionKind::DebugLine)) {
            _ if space == Space::Mercury => " in a Mercury capsule".to_owned(),
            Some(why) => format!(": {why}"),
            None => ", as of code compiled without -lineinfo or -g".to_owned(),
        };
        note(format_args!("{name}: no source lines{why}"));
    }
}
