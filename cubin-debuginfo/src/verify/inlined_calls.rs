//! Inlined calls and files that differ from those of the PTX.

use super::rules::BrokenRule;
use super::{RuleId, Verifier};
use crate::lines::{CallFault, LostCall, LostFile};
use crate::names::Name;

pub(super) fn check(check: &mut Verifier<'_, '_>) {
    for call in check.context.lost_calls {
        let LostCall { fault, section, offset, function, instructions, .. } = call;
        let at = counted(*instructions);
        let (found, expected) = match fault {
            CallFault::Lost => (format!("no row of `{call}` for {at}"), "the call, which the PTX has"),
            CallFault::NotInPtx => (format!("rows of `{call}` for {at}"), "rows without it, as in the PTX"),
        };
        let broken = BrokenRule { rule: RuleId::LineInlinedCall, section, offset: *offset };
        let function = function.as_ref().map(Name::linkage_name).map(str::to_owned);
        check.find_in(function, broken, found, expected);
    }
    for file in check.context.lost_files {
        let LostFile { section, offset, function, instructions, .. } = file;
        let broken = BrokenRule { rule: RuleId::LineFileChange, section, offset: *offset };
        let function = function.as_ref().map(Name::linkage_name).map(str::to_owned);
        let found = format!("{file} for {}", counted(*instructions));
        check.find_in(function, broken, found, "the file of the PTX");
    }
}

fn counted(instructions: u64) -> String {
    match instructions {
        1 => "1 instruction".to_owned(),
        count => format!("{count} instructions"),
    }
}
