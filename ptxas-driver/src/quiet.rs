//! `-q`: notes and progress are left out.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `-q` was given.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on there are no notes, and progress is not shown.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes and progress are left out.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}
