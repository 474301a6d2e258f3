//! `-q`: notes and progress are left out.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `-q` was given.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Turns off notes and the progress bar for the rest of the run.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes and the progress bar are turned off.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}
