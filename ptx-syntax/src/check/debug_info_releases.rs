//! The releases whose ptxas reads `.debug_info` as ptxas 13.0.88 does.

use super::dwarf::{FaultKind, Message, Outcome, Reading};
use cuda_releases::Release;
use cuda_releases::release::DebugInfoBounds;

/// Whether a release's ptxas does with the sections what ptxas 13.0.88 does. `has_bare_local`
/// says whether an entry refers to a `.local` variable otherwise than after `DW_OP_addr`.
pub(super) fn is_known(release: Release, reading: &Reading, has_bare_local: bool) -> bool {
    if release == Release::V13_0 {
        return true;
    }
    // It reads the memory after the section.
    if reading.faults.iter().any(|fault| fault.kind == FaultKind::AbbrevCut) {
        return false;
    }
    match release.debug_info_bounds() {
        DebugInfoBounds::OfUnits => true,
        DebugInfoBounds::OfUnitsAlone => match reading.ptxas {
            Outcome::Rejects(Message::OutOfBounds | Message::Invalid) => {
                reading.faults.iter().any(|fault| is_past_end(fault.kind))
            }
            Outcome::Crashes | Outcome::Hangs => false,
            Outcome::Accepts | Outcome::Skips | Outcome::Rejects(_) => true,
        },
        // Where such a variable stands, it reads on at another place.
        DebugInfoBounds::OfValues => reading.ptxas != Outcome::Rejects(Message::Truncate) && !has_bare_local,
        DebugInfoBounds::Unchecked => match reading.ptxas {
            Outcome::Accepts | Outcome::Skips => true,
            Outcome::Rejects(message) => {
                !matches!(message, Message::OutOfBounds | Message::Truncate | Message::Invalid)
            }
            Outcome::Crashes | Outcome::Hangs => false,
        },
    }
}

/// Whether a fault is that something should be read where its unit or the section has ended.
fn is_past_end(kind: FaultKind) -> bool {
    use FaultKind as K;
    matches!(
        kind,
        K::HeaderCut { .. }
            | K::UnitLength { .. }
            | K::WrongLength { .. }
            | K::AddressSize { .. }
            | K::UnknownCode { .. }
            | K::ValueCut { .. }
            | K::OpenString
            | K::OperandCut { .. }
            | K::NoEntry
            | K::LongLeb
    )
}
