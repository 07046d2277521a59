//! Random C programs as source text: the same seed gives the same text on every machine.

mod bytes;
mod concurrent;
mod expression;
mod locking;
mod normalised;
mod schedules;
mod sequential;
mod statement;
mod text;
mod types;

pub use bytes::bytes;
pub use concurrent::concurrent;
pub use locking::locking;
pub use normalised::{copies, normalised, thread_loops};
pub use schedules::{Twin, judge_file, schedules};

/// The folder of the headers that C programs are read with.
pub const OWN_HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../front-c/headers");
pub use sequential::sequential;
