//! The thread-state relation of Cook, Kroening and Sharygina, *Verification of Boolean Programs with
//! Unbounded Thread Creation*, TCS 388 (2007), on single thread states ⟨PC, flags, Ω⟩: what one thread sees
//! of a run with any number of threads. A set of thread states is closed (1) under own steps and (2) under
//! steps of another thread of the set that sees the same shared state, of which an passive thread keeps its
//! location and locals and takes over the shared part.
//!
//! What differs from the paper:
//! - A lock is a local owner bit *and* a shared bit that says it is taken, and a step of a thread is no step
//!   for an passive thread that holds a lock which the active thread holds before or after it (condition 2d).
//!   With either alone the paper's own example is not proved.
//! - The atomic section is a lock of that kind: a shared bit and a local one.
//! - A child starts without locks.
//! - Case 2 needs the flag of both threads, and the flag is true from the start if several threads may be
//!   there then.
//! - The reduction tells an passive thread of every change or of none ([`control::attentive`]).
//!
//! Why it contains every thread state of every run: by induction on the run. The thread that steps and the
//! one it creates come by case 1. Another thread sees the shared state that the active thread sees, and holds
//! none of its locks before or after; both have the flag, since there are two of them. So it comes by case 2.
//! With the reduction the induction says less of a thread that stands at an inattentive location: it is in
//! the set with the shared state of some earlier moment, since which no thread has constrained it, and all
//! changes since are changes of active threads in the set, who are attentive. When it comes to an attentive
//! location it hears of them in order: its locks and that it is outside the section have not changed, because
//! what changes them is attentive.

pub mod control;
mod diagrams;
mod explicit;
mod formulas;
mod saturate;
#[cfg(test)]
mod tests;

use super::settings::{LOCKS, REDUCTION, STATES};
use crate::certificate;
use crate::command::Commands;
use crate::engine::Cx;
use crate::statistics;
use base::{Event, Settings, Stop};
use diagrams::DiagramSets;
use explicit::ExplicitSets;
use formulas::FormulaSets;
use ir::bp::{Loc, Program};
use ir::{Model, Reason, ReasonKind, Scope, Task, Verdict, Why};
use saturate::{Saturation, Sets};

/// How thread states are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Representation {
    /// One by one.
    Explicit,
    /// A decision diagram for each location.
    Diagrams,
    /// A parametric formula for each location.
    Formulas,
}

/// How the relation is computed.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The representation.
    pub states: Representation,
    pub reduction: bool,
    /// Condition (2d).
    pub owner: bool,
    /// Whether locks have a shared bit.
    pub taken: bool,
    /// Whether to stop at the first error.
    pub stop_at_error: bool,
}

impl Options {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> Options {
        let states = match settings.word(&STATES) {
            "explicit" => Representation::Explicit,
            "sat" => Representation::Formulas,
            _ => Representation::Diagrams,
        };
        let locks = settings.word(&LOCKS);
        let reduction = settings.is_on(&REDUCTION);
        Options { states, reduction, owner: locks != "taken", taken: locks != "owner", stop_at_error: true }
    }
}

/// Whether the representation can do the program, or why not.
pub fn accepts(program: &Program, settings: &Settings) -> Result<(), Reason> {
    let commands = Commands::new(program)?;
    let options = Options::new(settings);
    if options.states != Representation::Explicit && control::has_passive(program, &commands) {
        let message = "broadcasts and conditions over passive threads need `modular.states=explicit`";
        return Err(Reason::new(ReasonKind::Unsupported, message));
    }
    Ok(())
}

/// Ticks for a certificate. The thread states themselves are none, since the checker knows nothing of
/// condition (2d), so that a wider closure is tried, which may be far too large.
const CERTIFICATE_TICKS: u64 = 5_000_000;

/// Answers a question about a flat program.
pub fn answer(task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let unknown = |reason| Ok(Verdict::Unknown(Why::Because(reason)));
    let Model::Program(program) = &task.model else {
        return unknown(Reason::new(
            ReasonKind::Unsupported,
            "the relation `threads` is for programs, not for nets",
        ));
    };
    if let Err(reason) = accepts(program, cx.settings) {
        return unknown(reason);
    }
    if let Some(loc) = close(program, cx)? {
        let what = if program.at(loc).error { "is at an error label" } else { "fails its assertion" };
        let message =
            format!("a thread state that {what} is in the relation, which may hold more than there is");
        return unknown(Reason::new(ReasonKind::Suspect, message));
    }
    let part = cx.budget.part(CERTIFICATE_TICKS);
    let proof = super::listed::certify(task, 1, &part, cx).unwrap_or(None);
    if proof.is_none() {
        cx.events.emit(Event::NoCertificate("no checker knows this relation, and a wider one is too large"));
    }
    Ok(certificate::safe(Scope::ANY, proof))
}

/// What was counted.
pub type Counters = Vec<(&'static str, u64)>;

/// Closes the set; where a thread of it fails, if one does. The program was accepted.
fn close(program: &Program, cx: &mut Cx<'_>) -> Result<Option<Loc>, Stop> {
    let options = Options::new(cx.settings);
    let commands = commands(program, options);
    match options.states {
        Representation::Explicit => saturate(ExplicitSets::new(program, commands, options), options, cx),
        Representation::Diagrams => {
            saturate(DiagramSets::new(program, commands, options, cx.budget)?, options, cx)
        }
        Representation::Formulas => {
            saturate(FormulaSets::new(program, commands, options, cx.seed), options, cx)
        }
    }
}

fn saturate(sets: impl Sets, options: Options, cx: &mut Cx<'_>) -> Result<Option<Loc>, Stop> {
    let mut relation = Saturation::new(sets, options);
    let failing = relation.saturate(cx.budget, cx.events);
    let mut counted = vec![];
    relation.count(&mut counted);
    statistics::emit("modular", &counted, cx.events);
    failing
}

fn commands(program: &Program, options: Options) -> Commands {
    let commands = Commands::new(program).expect("the program was accepted, so it is flat");
    if options.taken { commands } else { commands.without_taken_bits(program) }
}
