//! The one public API: answer a task ([`answer()`]: prepare it, run engines on it, lift what they say, have
//! it confirmed), and do so for a file ([`check()`]). Knows no arguments and no terminal.
//!
//! Three laws are kept here: a bounded result is never told as a proof, an over-approximation never gives an
//! alarm, and evidence speaks of the user's file ([`judge`]). And one more: two engines that contradict each
//! other are a fault.

mod answer;
pub mod c;
mod chain;
mod check;
mod confirm;
mod findings;
mod input;
mod judge;
mod limits;
mod load;
mod memory;
mod plan;
mod portfolio;
pub mod predicates;
mod prepare;
mod progress;
mod properties;
mod starts;
mod supervise;
pub mod translate;
mod turns;
pub mod undefined;
mod vacuity;

pub use ::check::{Rejected, Run};
pub use answer::{Answer, Assumption, EngineReason, Outcome, Proof, answer};
pub use base::process::end_all as end_processes;
pub use check::{Question, Report, TimedRound, check, check_classes};
pub use check_formulas::Checker;
pub use confirm::{Confirmation, Presented, confirm, confirm_text, replay};
pub use engines::{Condition, Engine};
pub use front::error_labels;
pub use front::{COptions, CProgram, CProperty, Dialect, InitReading, ReadOptions, Source};
pub use input::{BadInput, Input, NotRead, READERS, read, read_with, read_within};
pub use judge::judge;
pub use limits::Limits;
pub use load::{Origin, load, plain};
pub use memory::Granted;
pub use plan::{Plan, engines, pass_settings, property_settings, set};
pub use progress::{Best, Counter, Counters};
pub use supervise::{Ended, RunContext, supervise};
pub use vacuity::Vacuity;
