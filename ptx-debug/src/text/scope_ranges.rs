//! Which code belongs to which block and inlined call of a function.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Instruction;
use crate::Error;
use crate::model::{CallSiteId, Location, Model, Scope};

/// A block of a function or an inlined call, with the code from its first to its last instruction.
/// What stands between is covered too: NVPTX has one range for each.
#[derive(Debug, Clone)]
pub(super) struct ScopeRange {
    /// The block; or the function that was inlined.
    pub(super) scope: Scope,
    /// The call by which the scope was inlined.
    pub(super) inlined_at: Option<CallSiteId>,
    /// The range around it, by number; `None` in the function itself.
    pub(super) parent: Option<usize>,
    /// 0-based number of the first instruction.
    pub(super) first: usize,
    /// 0-based number of the instruction after the last one.
    pub(super) end: usize,
}

/// The ranges of a function, each after the one around it.
pub(super) fn scope_ranges(model: &Model, instructions: &[Instruction]) -> Result<Vec<ScopeRange>, Error> {
    let mut ranges: Vec<ScopeRange> = Vec::new();
    let mut numbers = BTreeMap::new();
    for (index, instruction) in instructions.iter().enumerate() {
        let Some(location) = instruction.location else { continue };
        let mut parent = None;
        for (scope, inlined_at) in path(model, location)?.into_iter().rev() {
            let number = *numbers.entry((scope, inlined_at)).or_insert(ranges.len());
            if number == ranges.len() {
                ranges.push(ScopeRange { scope, inlined_at, parent, first: index, end: index });
            }
            if let Some(range) = ranges.get_mut(number) {
                range.end = index + 1;
            }
            parent = Some(number);
        }
    }
    Ok(ranges)
}

/// The blocks and inlined calls that a location is in, innermost first.
fn path(model: &Model, location: Location) -> Result<Vec<(Scope, Option<CallSiteId>)>, Error> {
    let Location { mut scope, mut inlined_at, .. } = location;
    let mut path = Vec::new();
    loop {
        match (scope, inlined_at) {
            (Scope::Block(block), _) => {
                path.push((scope, inlined_at));
                scope = model.block_entry(block)?.parent;
            }
            (Scope::Subprogram(_), Some(call_site)) => {
                path.push((scope, inlined_at));
                Location { scope, inlined_at, .. } = model.call_site_location(call_site)?;
            }
            (Scope::Subprogram(_), None) => return Ok(path),
        }
    }
}
