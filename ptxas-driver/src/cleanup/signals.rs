//! The thread that waits for signals.

use super::lock_unwatched;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::ffi::c_int;
use std::fs;
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

/// From then on a second signal ends us at once, whatever stays then.
const PATIENCE: Duration = Duration::from_secs(2);

/// Starts to wait for signals. Before there is anything to clean up their own actions are right.
pub(super) fn watch() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // What was ignored for us, as by `nohup`, stays ignored.
        let ignored = ignored();
        let wanted = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter();
        let wanted: Vec<c_int> = wanted.filter(|signal| ignored >> (signal - 1) & 1 == 0).collect();
        let Ok(mut signals) = Signals::new(&wanted) else { return };
        let watcher = thread::Builder::new().name("signals".to_owned());
        if watcher.spawn(move || wait(&mut signals)).is_err() {
            // Nobody would wait for them.
            let always = Arc::new(AtomicBool::new(true));
            for signal in wanted {
                let _ = flag::register_conditional_default(signal, Arc::clone(&always));
            }
        }
    });
}

fn wait(signals: &mut Signals) {
    let mut first: Option<Instant> = None;
    for signal in signals.forever() {
        match first {
            None => {
                first = Some(Instant::now());
                let cleaner = thread::Builder::new().name("cleanup".to_owned());
                if cleaner.spawn(move || clean_up(signal)).is_err() {
                    clean_up(signal);
                }
            }
            Some(first) if first.elapsed() >= PATIENCE => end(signal),
            Some(_) => {}
        }
    }
}

fn clean_up(signal: c_int) {
    // Never given back: nothing is made any more, and nothing gets its name.
    let mut registry = lock_unwatched();
    registry.clear();
    end(signal);
}

/// Ends us as the signal does without a handler.
fn end(signal: c_int) {
    let _ = low_level::emulate_default_handler(signal);
}

/// The ignored signals, a bit each from signal 1 on. Only Linux tells.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
