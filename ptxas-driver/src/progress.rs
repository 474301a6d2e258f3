//! A progress bar on standard error, for work that takes longer than a moment.

use crate::quiet::is_quiet;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long work takes before a bar is shown.
const DELAY: Duration = Duration::from_secs(1);

/// What is shown.
const TEMPLATE: &str = "{wide_msg} {bar:30} {pos}/{len}";

/// Whether some work is being counted. Work inside it is part of one step.
static IS_COUNTED: AtomicBool = AtomicBool::new(false);

/// The bar on the terminal.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn bar() -> MutexGuard<'static, Option<ProgressBar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A progress bar for work in steps. Dropping it removes the bar. It is shown only if standard
/// error is a terminal and `-q` is not given.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    steps: u64,
    done: u64,
    /// Whether this is the work that is counted.
    is_counted: bool,
}

impl Progress {
    /// Creates a progress bar for work in this number of steps.
    pub fn new(steps: u64) -> Self {
        let is_counted = steps > 1 && !IS_COUNTED.swap(true, Ordering::Relaxed);
        Self { started: Instant::now(), steps, done: 0, is_counted }
    }

    /// Records that the step for the file `name` is done, and advances the progress bar.
    pub fn step(&mut self, name: &str) {
        self.done += 1;
        if !self.is_counted || is_quiet() || self.started.elapsed() < DELAY {
            return;
        }
        let mut bar = bar();
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(self.steps), ProgressDrawTarget::stderr());
            ProgressStyle::with_template(TEMPLATE).map_or(bar.clone(), |style| bar.with_style(style))
        });
        bar.set_message(name.to_owned());
        bar.set_position(self.done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_counted {
            IS_COUNTED.store(false, Ordering::Relaxed);
            if let Some(bar) = bar().take() {
                bar.finish_and_clear();
            }
        }
    }
}

/// Whether a progress bar is on the terminal.
pub fn is_shown() -> bool {
    bar().as_ref().is_some_and(|bar| !bar.is_hidden())
}

/// Runs a function that writes to the terminal, and hides the progress bar meanwhile.
pub fn without_bar<T>(write: impl FnOnce() -> T) -> T {
    // It is taken, since what is run may come here again.
    let Some(shown) = bar().take() else { return write() };
    let written = shown.suspend(write);
    *bar() = Some(shown);
    written
}
