//! The findings of `coverage` that are about a whole file.

use super::{Rule, RuleId};
use findings::{FindingFile, FindingPosition, LocatedFinding, RuleTable as _};

/// Returns the finding that a file has no code, so that its coverage is not compared with the
/// limits that the user asked for.
pub fn no_code(file: &FindingFile, message: String) -> LocatedFinding {
    of_file(RuleId::NoCode, file, message, "code".to_owned())
}

/// Returns the finding that none of the cubins that were read has a function of the PTX, so that
/// they were made from another text.
pub fn unrelated_ptx(ptx: &FindingFile, message: String) -> LocatedFinding {
    of_file(RuleId::UnrelatedPtx, ptx, message, "ptx".to_owned())
}

pub(super) fn of_file(id: RuleId, file: &FindingFile, message: String, subject: String) -> LocatedFinding {
    let Rule { code, name, severity, .. } = *id.rule();
    let place = FindingPosition { file: file.clone(), ..FindingPosition::default() };
    LocatedFinding { code, name, severity, message, place, related: None, help: None, subject }
}
