//! The inlined calls and files that a PTX states and that the line tables of the cubin lack, and
//! the calls that they have where the PTX has none.

use super::chain_frame::{is_same_file, is_same_function, is_same_place};
use super::{CallFault, LineLookup, LostCall, LostFile, PtxFrame};
use crate::names::Name;
use crate::symbolize::{Frame, MAX_FRAMES, ResolvedAddress};
use nv_debug_sections::code::instruction_size;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How inlined calls of the code differ between a PTX and the cubin that was made from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct LostCalls {
    /// The number of instructions whose `.loc` in the PTX has an `inlined_at`, padding after the
    /// last instruction of a function included.
    pub inlined: u64,
    /// The number of instructions of `inlined` that lack at least one of their calls in the cubin.
    pub incomplete: u64,
    /// The number of instructions of `inlined` that have no inlined call at all in the cubin.
    pub without_call: u64,
    /// The calls that are lost or wrong, by source line of their call sites.
    pub calls: Vec<LostCall>,
    /// The source lines whose code is shown at the same line of another file, by file and line.
    pub files: Vec<LostFile>,
}

/// The calls and files that were found, each by its key.
#[derive(Default)]
struct Lost {
    calls: BTreeMap<Key, LostCall>,
    files: BTreeMap<FileKey, LostFile>,
}

/// A lost file as a key: the file, its line, and the file that is shown.
type FileKey = (Option<String>, u32, Option<String>);

/// A call as a key: its fault, file and line of its call site, its callee.
type Key = (Option<String>, u32, CallFault, Option<String>);

impl<'s> LineLookup<'s> {
    /// Compares the inlined calls of all code with those that the PTX states. `None` without a PTX
    /// ([`with_ptx`](Self::with_ptx)).
    pub fn lost_calls(&self) -> Option<LostCalls> {
        self.ptx.as_ref()?;
        let mut lost = LostCalls::default();
        let mut found = Lost::default();
        let size = instruction_size(self.cubin.header.sm());
        for section in self.symbolizer.sections() {
            for (range, place) in self.source_ranges(section.index) {
                let Some(ptx) = self.ptx_frames(&place) else { continue };
                let end = range.end.min(section.size);
                let instructions = end.saturating_sub(range.start) / size;
                self.compare(&mut lost, &mut found, &place, &ptx, instructions);
            }
        }
        lost.calls = found.calls.into_values().collect();
        lost.files = found.files.into_values().collect();
        Some(lost)
    }

    fn compare(
        &self,
        lost: &mut LostCalls,
        found: &mut Lost,
        place: &ResolvedAddress<'s>,
        ptx: &[PtxFrame<'s>],
        instructions: u64,
    ) {
        let own: Vec<Frame<'s>> = self.own_chain(*place).take(MAX_FRAMES).collect();
        // Of code compiled with -G the entries may know calls where no `.loc` has an `inlined_at`.
        if own.is_empty() || own.iter().any(Frame::is_by_entry) && ptx.len() == 1 {
            return;
        }
        if own.len() == ptx.len()
            && let (Some(own), Some(ptx)) = (own.first(), ptx.first())
        {
            self.compare_files(found, place, (own, ptx), instructions);
        }
        // A call is a callee and the place of its call site, wherever it is in the chain.
        let is_call = |own: &[Frame<'_>], ptx: &[PtxFrame<'_>]| match (own, ptx) {
            ([callee, site], [ptx_callee, ptx_site]) => {
                is_same_function(callee.function, ptx_callee.callee) && is_same_place(place, site, ptx_site)
            }
            _ => false,
        };
        let mut is_incomplete = false;
        for call in ptx.windows(2) {
            if !own.windows(2).any(|own| is_call(own, call)) {
                is_incomplete = true;
                let [callee, site] = call else { continue };
                let name = callee.callee.and_then(|callee| self.ptx_name(callee));
                let call = Call { fault: CallFault::Lost, name, file: site.path, line: site.line };
                self.note_call(&mut found.calls, place, call, instructions);
            }
        }
        for call in own.windows(2) {
            if !ptx.windows(2).any(|ptx| is_call(call, ptx)) {
                let [callee, site] = call else { continue };
                let (name, file) = (self.function_name(callee.function), site.file.path());
                let call = Call { fault: CallFault::NotInPtx, name, file, line: site.line };
                self.note_call(&mut found.calls, place, call, instructions);
            }
        }
        if ptx.len() > 1 {
            lost.inlined += instructions;
            lost.incomplete += if is_incomplete { instructions } else { 0 };
            lost.without_call += if own.len() == 1 { instructions } else { 0 };
        }
    }

    /// Compares the files of the innermost frames, if these are alike but for that.
    fn compare_files(
        &self,
        found: &mut Lost,
        place: &ResolvedAddress<'s>,
        (own, ptx): (&Frame<'s>, &PtxFrame<'s>),
        instructions: u64,
    ) {
        let is_alike = is_same_function(own.function, ptx.callee) && own.line == ptx.line && own.line != 0;
        if !is_alike || own.lost_context.is_some() || is_same_file(place, own.file, ptx) {
            return;
        }
        let [file, shown] = [ptx.path, own.file.path()].map(|path| path.map(str::to_owned));
        let file = found.files.entry((file.clone(), own.line, shown.clone())).or_insert_with(|| LostFile {
            file,
            line: own.line,
            shown,
            instructions: 0,
            section: place.section.name.to_owned(),
            offset: place.offset,
            function: self.function(place),
        });
        file.instructions += instructions;
    }

    fn note_call(
        &self,
        calls: &mut BTreeMap<Key, LostCall>,
        place: &ResolvedAddress<'s>,
        call: Call<'_>,
        instructions: u64,
    ) {
        let Call { fault, name, file, line } = call;
        let callee = name.as_ref().map(|name| name.linkage_name().to_owned());
        let key = (file.map(str::to_owned), line, fault, callee);
        let call = calls.entry(key).or_insert_with(|| LostCall {
            fault,
            callee: name,
            file: file.map(str::to_owned),
            line,
            instructions: 0,
            section: place.section.name.to_owned(),
            offset: place.offset,
            function: self.function(place),
        });
        call.instructions += instructions;
    }
}

/// A call that is lost or wrong.
struct Call<'a> {
    fault: CallFault,
    name: Option<Name>,
    file: Option<&'a str>,
    line: u32,
}
