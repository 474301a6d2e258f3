//! Shares in percent.

/// Returns the share of `part` in `all`, in percent; `None` if `all` is 0.
#[expect(clippy::cast_precision_loss, reason = "a share, a few digits of which are shown")]
pub fn percent(part: u64, all: u64) -> Option<f64> {
    (all != 0).then(|| part as f64 * 100.0 / all as f64)
}
