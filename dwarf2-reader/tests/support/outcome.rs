//! What two readers of the same bytes agree on.
#![allow(unreachable_pub, reason = "a module of tests")]

/// What was read, and whether it could be read to its end.
pub type Reading<T> = (Vec<T>, bool);

/// How two readings compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Both accept the bytes, with the same values.
    Same,
    /// Both refuse them, with the same values before.
    Refused,
    /// They differ, for a known reason.
    Known(&'static str),
}

/// Compares readings; `difference` finds the reason where they differ, and says whether values may
/// differ too.
///
/// # Panics
///
/// If they differ without one.
pub fn compare<T: PartialEq + std::fmt::Debug>(
    ours: &Reading<T>,
    theirs: &Reading<T>,
    difference: impl FnOnce() -> Option<(&'static str, bool)>,
) -> Outcome {
    // Where both refuse, one may have read further.
    let both = ours.0.len().min(theirs.0.len());
    let has_same_values =
        if ours.1 && theirs.1 { ours == theirs } else { ours.0[..both] == theirs.0[..both] };
    if ours.1 == theirs.1 && has_same_values {
        return if ours.1 { Outcome::Same } else { Outcome::Refused };
    }
    match difference() {
        Some((reason, may_differ)) if has_same_values || may_differ => Outcome::Known(reason),
        other => {
            let at = (0..both).find(|at| ours.0[*at] != theirs.0[*at]).unwrap_or(both);
            let [a, b] = [ours, theirs].map(|all| (all.1, all.0.get(at)));
            panic!("item {at}: {a:?}, by gimli {b:?} ({other:?})")
        }
    }
}
