//! Random concurrent C programs for the real compiler: each is written as plain C and once more for a
//! scheduler that tries all schedules of the compiled code. So the meaning that they are compared with is the
//! compiler's, and nothing of ours but the scheduler.
//!
//! At most one access to shared memory stands in operands whose order C leaves open, since the compiler's
//! order is not ours; arguments of which one is a struct are the exception, and there the judge evaluates
//! from left to right, as we document. Programs have no other undefined behaviour than what the scheduler
//! knows to stop at: division by zero, unlocking what one does not hold, a second join.

mod calls;
mod features;
mod functions;
mod library;
mod lifetimes;
mod locks;
mod maker;
mod reuse;
mod standard;
mod statements;
mod threads;
mod twin;

pub use twin::{Twin, judge_file};

use maker::Maker;

/// The program with this seed.
pub fn schedules(seed: u64) -> Twin {
    let mut maker = Maker::new(seed);
    maker.globals();
    maker.helpers();
    let workers = maker.workers();
    maker.main(&workers);
    maker.finish()
}
