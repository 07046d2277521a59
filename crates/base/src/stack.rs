//! Threads for work that calls itself deeply: each has as large a stack as it can use and the system grants,
//! and recursive code can ask how much of it is left.

use crate::budget::Stop;
use crate::memory::{self, Granted};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

/// The smallest stack that a thread gets.
const SMALLEST: usize = 1 << 21;

/// What the functions need that are called between two questions how much is left; of a small stack, half of
/// it.
const RESERVE: usize = 1 << 22;

thread_local! {
    /// The address that the stack must not grow down to; 0 if nobody knows.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
}

/// Sizes of stacks to try, the largest first. Only what is touched costs memory, but it takes addresses, of
/// which the system may grant few: most of them are left to the work.
pub fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    let left = Granted::to_this_process().left(memory::usage());
    let left = left.and_then(|left| usize::try_from(left / 4).ok()).unwrap_or(largest);
    let first = largest.min(left).max(SMALLEST);
    std::iter::successors(Some(first), |size| Some(size / 2)).take_while(|&size| size >= SMALLEST)
}

/// Begins work on a thread of its own; false if the system refuses to start one.
pub fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    largest: usize,
    work: impl FnOnce() + Send + 'scope,
) -> bool {
    // A refused stack must not lose the work: it waits for the thread that gets through.
    let cell = Arc::new(Mutex::new(Some(work)));
    sizes(largest).any(|size| {
        let cell = Arc::clone(&cell);
        let body = move || {
            let work = cell.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.into_iter().for_each(|work| work());
        };
        std::thread::Builder::new().stack_size(size).spawn_scoped(scope, body).is_ok()
    })
}

/// Runs work on a thread of its own and waits for it. The system may refuse to start one.
pub fn run<T: Send>(largest: usize, work: impl FnOnce() -> T + Send) -> Result<T, Stop> {
    // A refused stack must not lose the work: it waits for the thread that gets through.
    let cell = Mutex::new(Some(work));
    std::thread::scope(|scope| {
        for size in sizes(largest) {
            let cell = &cell;
            let body = move || {
                FLOOR.set(here().saturating_sub(size - RESERVE.min(size / 2)));
                let work = cell.lock().unwrap_or_else(PoisonError::into_inner).take();
                work.expect("one thread only gets here")()
            };
            if let Ok(thread) = std::thread::Builder::new().stack_size(size).spawn_scoped(scope, body) {
                return thread.join().map_or_else(|panic| std::panic::resume_unwind(panic), Ok);
            }
        }
        Err(Stop::Refused)
    })
}

/// Whether the stack of this thread is nearly used up.
pub fn is_low() -> bool {
    here() < FLOOR.get()
}

/// An address in the stack, near its end.
#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How deep a function can call itself.
    fn depth(n: u64) -> u64 {
        if is_low() { n } else { std::hint::black_box(depth(std::hint::black_box(n + 1))) }
    }

    #[test]
    fn the_end_of_the_stack_is_seen() {
        let (small, large) = (run(SMALLEST, || depth(0)), run(8 * SMALLEST, || depth(0)));
        let (small, large) = (small.expect("a thread starts"), large.expect("a thread starts"));
        assert!(small > 1000 && large > 4 * small, "{small} {large}");
        assert!(!is_low(), "nobody knows how large the stack of a test is");
    }

    #[test]
    fn sizes_go_down() {
        let sizes: Vec<usize> = sizes(1 << 23).collect();
        assert_eq!(sizes, [1 << 23, 1 << 22, 1 << 21]);
    }
}
