//! Distributes work among threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work(worker, index)` for every index below `count` on `jobs` workers, and returns the
/// results in order.
pub fn share<T: Send>(
    count: usize,
    jobs: usize,
    work: impl Fn(usize, usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        for worker in 0..jobs {
            let (next, results, work) = (&next, &results, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = work(worker, index);
                    results
                        .lock()
                        .expect("no worker panics while it holds the lock")
                        .push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("all workers have ended");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        let squares = share(100, 3, |worker, index| {
            assert!(worker < 3);
            index * index
        });
        assert_eq!(squares, (0..100).map(|n| n * n).collect::<Vec<_>>());
    }
}
