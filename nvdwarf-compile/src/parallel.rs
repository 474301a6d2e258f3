//! Work on all cores, with results that do not depend on their number.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{available_parallelism, scope};

/// Bytes of PTX from which on a second thread is worth its start.
pub(crate) const LARGE: usize = 1 << 18;

/// Runs two jobs, at the same time if `is_large`.
pub(crate) fn both<A: Send, B>(
    is_large: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B,
) -> (A, B) {
    if !is_large {
        return (a(), b());
    }
    scope(|scope| {
        let a = scope.spawn(a);
        let b = b();
        (a.join().unwrap_or_else(|panic| resume_unwind(panic)), b)
    })
}

/// Runs `work` on each job; results in the order of the jobs. Jobs begin in that order, so that one
/// may wait for those before it.
pub(crate) fn map<J: Send, R: Send>(jobs: Vec<J>, work: impl Fn(J) -> R + Sync) -> Vec<R> {
    let threads = available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    if threads <= 1 {
        return jobs.into_iter().map(work).collect();
    }
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || std::iter::from_fn(next).map(|(number, job)| (number, work(job))).collect::<Vec<_>>();
    let mut results = scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut results = worker();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn results_come_in_order_of_the_jobs() {
        assert_eq!(map((0..1000).collect(), |n: u32| n * n), (0..1000).map(|n| n * n).collect::<Vec<_>>());
        assert!(map(Vec::new(), |n: u32| n).is_empty());
        assert_eq!(both(true, || 1, || 2), both(false, || 1, || 2));
    }

    #[test]
    fn a_job_may_wait_for_those_before_it() {
        let (first, mut before) = channel();
        first.send(0_u32).unwrap_or_default();
        let jobs = (0..100).map(|number| {
            let (sender, after) = channel();
            (number, std::mem::replace(&mut before, after), sender)
        });
        let sums = map(jobs.collect(), |(number, before, after)| {
            let sum = before.recv().unwrap_or_default() + number;
            after.send(sum).unwrap_or_default();
            sum
        });
        assert_eq!(sums.last(), Some(&(0..100).sum()));
    }
}
