//! Work of tests on all processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a function gives for each item, in the order of the items. A panic in it is one of the caller.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(vec![]);
    let workers = std::thread::available_parallelism().map_or(1, |it| it.get()).min(items.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((at, item)) = take(&next, items) {
                    let result = work(item);
                    done.lock().unwrap_or_else(|it| it.into_inner()).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|it| it.into_inner());
    done.sort_by_key(|it| it.0);
    done.into_iter().map(|it| it.1).collect()
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(in_parallel(&items, |it| it * 2), items.iter().map(|it| it * 2).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u64], |it| *it).is_empty());
    }
}
