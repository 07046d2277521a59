//! The one public API: load a file, prepare the program, run engines on it, lift what they say back to the user's file, and have it
//! confirmed. Knows no arguments and no terminal.
//!
//! Three laws are kept here: a bounded result is never told as a proof, an over-approximation never gives an alarm, and evidence
//! speaks of the user's file ([`judge`]).

mod confirm;
mod input;
mod judge;
mod load;
mod memory;
mod plan;
mod portfolio;
mod report;
mod run;
mod starts;
mod supervise;
pub mod translate;

pub use confirm::{Confirmation, Presented, confirm};
pub use input::{BadInput, Input, Reading, dialects, read};
pub use judge::{Finding, judge};
pub use load::{Origin, load, plain};
pub use plan::{engines, pass_settings, plan, set};
pub use report::{Best, Evidence, Outcome, Report};
pub use run::{Question, check};
pub use supervise::{Counter, Desk, Ended, Limits, Told, Watcher, supervise};
