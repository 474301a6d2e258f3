//! `compile --stats`: prints the cost of the debug information.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// Measures one run from its start.
pub(super) struct Stats {
    started: Instant,
    /// Time in which another program worked for us.
    others: Duration,
    /// Resident memory at the start, in KiB.
    resident: Option<u64>,
}

impl Stats {
    pub(super) fn begin() -> Self {
        Self { started: Instant::now(), others: Duration::ZERO, resident: memory("VmRSS:") }
    }

    /// Runs what is not ours to account for: the code provider.
    pub(super) fn of_others<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        self.others += started.elapsed();
        result
    }

    /// Wall time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The lines that ptxas has for it. Time is the wall time of this process without
    /// the code provider's, and its share of all. Memory is by how much the resident memory of this
    /// process grew at most; the kernel knows that on Linux, elsewhere the line is left out.
    /// Everything we do is for debug information, so nothing else is in either but reading the PTX
    /// and writing the file.
    pub(super) fn report(&self) -> String {
        let all = self.elapsed();
        let ours = all.saturating_sub(self.others);
        let share = 100.0 * ours.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE);
        let mut text = format!("DebugInfo-time : {:.3} ms ({share:.2}%)\n", ours.as_secs_f64() * 1e3);
        if let (Some(start), Some(peak)) = (self.resident, memory("VmHWM:")) {
            let grown = u32::try_from(peak.saturating_sub(start)).unwrap_or(u32::MAX);
            let _ = writeln!(text, "PeakDebugInfoMemoryUsage : {:.3} KB", f64::from(grown));
        }
        text
    }
}

/// A line of `/proc/self/status`, in KiB.
fn memory(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}
