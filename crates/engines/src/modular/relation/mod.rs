//! The thread-state relation of Cook, Kroening and Sharygina, *Verification of Boolean Programs with Unbounded Thread Creation*, TCS
//! 388 (2007), on single thread states ⟨PC, flags, Ω⟩: what one thread sees of a run with any number of threads. A set of thread states
//! is closed (1) under own steps and (2) under steps of another thread of the set that sees the same shared state, of which an observer
//! keeps its location and locals and takes over the shared part.
//!
//! What differs from the paper:
//! - A lock is a local owner bit *and* a shared bit that says it is taken, and a step of a thread is no step for an observer that
//!   holds a lock which the mover holds before or after it (condition 2d). With either alone the paper's own example is not proved.
//! - The atomic section is a lock of that kind: a shared bit and a local one.
//! - A child starts without locks.
//! - Case 2 needs the flag of both threads, and the flag is true from the start if several threads may be there then.
//! - The reduction tells an observer of every change or of none ([`control::attentive`]).
//!
//! Why it contains every thread state of every run: by induction on the run. The thread that steps and the one it creates come by
//! case 1. Another thread sees the shared state that the mover sees, and holds none of its locks before or after; both have the flag, since
//! there are two of them. So it comes by case 2. With the reduction the induction says less of a thread that stands at an inattentive
//! location: it is in the set with the shared state of some earlier moment, since which no thread has asked it for anything, and all
//! changes since are changes of movers in the set, who are attentive. When it comes to an attentive location it hears of them in order: its
//! locks and its place outside the section have not changed, because what changes them is attentive.

pub mod control;
mod diagrams;
mod explicit;
mod formulas;
mod saturate;
#[cfg(test)]
mod tests;

use crate::command::Commands;
use crate::engine::Cx;
use base::settings::Allowed;
use base::{Budget, Event, Events, Setting, Settings, Stop};
use diagrams::Diagrams;
use explicit::Explicit;
use formulas::Formulas;
use ir::bp::{Loc, Program};
use ir::{Certificate, Model, Reason, ReasonKind, Scope, Task, Verdict, Why};
use saturate::Saturation;

const PAPER: &str = "Cook, Kroening and Sharygina, TCS 388, 2007";

/// How thread states are kept.
pub const STATES: Setting = Setting {
    name: "modular.states",
    default: "bdd",
    allowed: Allowed::Word(&["explicit", "bdd", "sat"]),
    help: "with the relation `threads`: thread states one by one, as decision diagrams, or as formulas over choices",
    paper: PAPER,
};

/// Whether the reduction is on.
pub const REDUCTION: Setting = Setting {
    name: "modular.reduction",
    default: "on",
    allowed: Allowed::Switch,
    help: "with the relation `threads`: tell a thread of changes only where its next statement can tell",
    paper: PAPER,
};

/// Which bits of locks are used.
pub const LOCKS: Setting = Setting {
    name: "modular.locks",
    default: "both",
    allowed: Allowed::Word(&["both", "owner", "taken"]),
    help: "with the relation `threads`: which bits of a lock are looked at; `owner` is the paper, `taken` is without its condition (2d)",
    paper: PAPER,
};

/// How thread states are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum States {
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
    pub states: States,
    /// The reduction.
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
            "explicit" => States::Explicit,
            "sat" => States::Formulas,
            _ => States::Diagrams,
        };
        let locks = settings.word(&LOCKS);
        let reduction = settings.is_on(&REDUCTION);
        Options { states, reduction, owner: locks != "taken", taken: locks != "owner", stop_at_error: true }
    }
}

/// A thread state of the set that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where the thread stands.
    pub loc: Loc,
    /// How many own steps, and how many of others, lead to it where that is known.
    pub path: Option<(usize, usize)>,
}

impl Found {
    /// Why there is no answer.
    pub fn reason(&self, program: &Program) -> Reason {
        let what =
            if program.at(self.loc).error { "stands at an error label" } else { "fails its assertion" };
        let path = match self.path {
            Some((own, moved)) => format!(" after {own} steps of its own and {moved} of others"),
            None => String::new(),
        };
        let message =
            format!("a thread state that {what}{path} is in the relation, which may hold more than there is");
        Reason::new(ReasonKind::Suspect, message)
    }
}

/// Whether the representation can do the program, or why not.
pub fn accepts(program: &Program, settings: &Settings) -> Result<(), Reason> {
    let commands = Commands::new(program)?;
    let options = Options::new(settings);
    if options.states != States::Explicit && control::has_passive(program, &commands) {
        let message = "broadcasts and conditions over passive threads need `modular.states=explicit`";
        return Err(Reason::new(ReasonKind::Unsupported, message));
    }
    Ok(())
}

/// Ticks for a certificate. The thread states themselves are none, since the checker knows nothing of condition (2d), so that a wider
/// closure is tried, which may be far too large.
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
    if let Some(found) = run(program, cx)? {
        return unknown(found.reason(program));
    }
    let part = cx.budget.part(CERTIFICATE_TICKS);
    let body = super::listed::certify(task, 1, &part, cx).unwrap_or(None);
    if body.is_none() {
        cx.events.emit(Event::NoCertificate("no checker knows this relation, and a wider one is too large"));
    }
    let certificate = body.map(|body| Certificate { scope: Scope::ANY, body });
    Ok(Verdict::Safe { scope: Scope::ANY, certificate })
}

/// Closes the set; what fails in it, if anything does. The program was accepted.
fn run(program: &Program, cx: &mut Cx<'_>) -> Result<Option<Found>, Stop> {
    let options = Options::new(cx.settings);
    let mut counters = vec![];
    let found = close(program, options, (cx.seed, cx.budget), cx.events, &mut counters);
    for (name, value) in counters {
        cx.events.emit(Event::Counter { who: "modular", name, value });
    }
    found
}

/// What was counted.
pub type Counters = Vec<(&'static str, u64)>;

fn close(
    program: &Program,
    options: Options,
    (seed, budget): (u64, &Budget),
    events: &mut dyn Events,
    counters: &mut Counters,
) -> Result<Option<Found>, Stop> {
    let commands = commands(program, options);
    match options.states {
        States::Explicit => {
            let mut relation = Explicit::new(program, commands, options);
            let found = relation.saturate(budget);
            counters
                .extend([("thread states", relation.len() as u64), ("changes", relation.changes() as u64)]);
            found
        }
        States::Diagrams => {
            let sets = Diagrams::new(program, commands, options, budget)?;
            let mut relation = Saturation::new(sets, options);
            let found = relation.saturate(budget, events);
            relation.count(counters);
            found
        }
        States::Formulas => {
            let sets = Formulas::new(program, commands, options, seed);
            let mut relation = Saturation::new(sets, options);
            let found = relation.saturate(budget, events);
            relation.count(counters);
            found
        }
    }
}

fn commands(program: &Program, options: Options) -> Commands {
    let commands = Commands::new(program).expect("the program was accepted, so it is flat");
    if options.taken { commands } else { commands.without_taken_bits(program) }
}
