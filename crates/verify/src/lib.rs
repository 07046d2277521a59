//! The one public API: answer a task ([`answer()`]: prepare it, run engines on it, lift what they say, have
//! it confirmed), and do so for a file ([`check()`]). Knows no arguments and no terminal.
//!
//! A program that verifies others depends on this crate alone: what is in the signatures comes with it
//! ([`base`], [`ir`]).
//!
//! ```
//! use verify::base::NoEvents;
//! use verify::{Origin, Outcome, Question, check};
//!
//! // Any number of threads, all engines, no limit of time.
//! let file = Origin::File("../../examples/lock.bp".into());
//! let report = check(&file, &Question::default(), &mut NoEvents);
//! match report.outcome() {
//!     Some(Outcome::Safe { scope, proof }) => {
//!         assert_eq!(scope.to_string(), "any number of threads");
//!         // A checker that shares no code with the engines agrees.
//!         assert!(proof.is_confirmed());
//!     }
//!     Some(Outcome::Unsafe { property, threads, .. }) => panic!("{} with {threads} threads", property.text),
//!     Some(Outcome::Unknown(reason)) => panic!("{}", reason.message),
//!     // The file cannot be used, and the diagnostics say why.
//!     None => panic!("{:?}", report.diagnostics),
//! }
//! ```
//!
//! Three laws are kept here: a bounded result is never told as a proof, an over-approximation never gives an
//! alarm, and evidence speaks of the user's file ([`judge`]). And one more: two engines that contradict each
//! other are a fault.

mod answer;
pub mod c;
mod chain;
mod check;
mod confirm;
pub mod explore;
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

pub use base;
pub use ir;

pub use ::check::{Rejected, Run};
pub use answer::{Answer, Assumption, EngineReason, Outcome, Proof, answer};
pub use base::process::{end_all as end_processes, is_executable};
pub use check::{Question, Report, TimedRound, check, check_classes};
pub use check_formulas::Checker;
pub use confirm::{Confirmation, Presented, after_passes, confirm, confirm_text, replay};
pub use engines::{Condition, Engine};
pub use front::error_labels;
pub use front::{COptions, CProgram, CProperty, Dialect, InitReading, ReadOptions, Source};
pub use front_c::Symbols;
pub use input::{BadInput, Input, NotRead, READERS, read, read_with, read_within, symbols};
pub use judge::judge;
pub use limits::Limits;
pub use load::{Origin, load, plain};
pub use memory::Granted;
pub use plan::{Plan, engines, pass_settings, property_settings, set};
pub use progress::{Best, Counter, Counters};
pub use supervise::{Ended, RunContext, supervise};
pub use vacuity::Vacuity;
