//! Work on several inputs at once, on all cores, with results in the order of the inputs.

use crate::limits::{MAX_PARALLEL_BYTES, MAX_PARALLEL_ITEMS, STACK_BYTES};
use anyhow::Result;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::sync::OnceLock;

/// Processes items in parallel, and their results in the order of the items. `look` is called with
/// an item on any thread, `tell` with the item and its result on this thread. A single item is
/// processed on this thread.
///
/// Results wait until those before them are told. Therefore items are taken in groups: at most
/// [`MAX_PARALLEL_ITEMS`], and no more than [`MAX_PARALLEL_BYTES`] by `size`, unless one item is
/// larger.
///
/// # Errors
///
/// Those of `tell`. Nothing is looked at after one.
pub fn in_order<I: Sync + Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    size: impl Fn(&I) -> u64,
    look: impl Fn(&I) -> T + Sync,
    mut tell: impl FnMut(I, T) -> Result<()>,
) -> Result<()> {
    let mut items = items.into_iter().peekable();
    while let Some(first) = items.next() {
        let mut bytes = size(&first);
        let mut group = vec![first];
        while group.len() < MAX_PARALLEL_ITEMS
            && let Some(item) = items.next_if(|item| bytes.saturating_add(size(item)) <= MAX_PARALLEL_BYTES)
        {
            bytes = bytes.saturating_add(size(&item));
            group.push(item);
        }
        let results: Vec<T> = match pool().filter(|_| group.len() > 1) {
            Some(pool) => pool.install(|| group.par_iter().map(&look).collect()),
            None => group.iter().map(&look).collect(),
        };
        group.into_iter().zip(results).try_for_each(|(item, result)| tell(item, result))?;
    }
    Ok(())
}

/// The threads, started when they are first needed. `None` where there can be none.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    // Nested input is read as deep as on the first thread.
    POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build().ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn results_come_in_order_whichever_is_ready_first() {
        let threads = Mutex::new(BTreeSet::new());
        let mut told = Vec::new();
        let look = |&item: &u64| {
            threads.lock().unwrap().insert(format!("{:?}", thread::current().id()));
            thread::sleep(Duration::from_millis(7 * item % 5));
            item * 2
        };
        in_order(
            0..100,
            |_| 1,
            look,
            |item, result| {
                told.push((item, result));
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(told, (0..100).map(|item| (item, item * 2)).collect::<Vec<_>>());
        let here = format!("{:?}", thread::current().id());
        assert!(!threads.into_inner().unwrap().contains(&here));
    }

    #[test]
    fn large_items_are_looked_at_alone_and_an_error_ends_the_work() {
        let (looked, here) = (Mutex::new(Vec::new()), thread::current().id());
        let look = |&item: &u64| looked.lock().unwrap().push((item, thread::current().id() == here));
        let size = |&item: &u64| if item == 1 { MAX_PARALLEL_BYTES + 1 } else { MAX_PARALLEL_BYTES / 2 };
        let done =
            in_order(0..9, size, look, |item, ()| if item < 3 { Ok(()) } else { anyhow::bail!("full") });
        assert_eq!(done.unwrap_err().to_string(), "full");
        let mut looked = looked.into_inner().unwrap();
        looked.sort_unstable();
        assert_eq!(looked, [(0, true), (1, true), (2, false), (3, false)]);
    }
}
