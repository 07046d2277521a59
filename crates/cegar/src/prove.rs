//! The schedule: few predicates first, threads one by one first, and more of both while the closure raises an alarm.

use crate::basis::Basis;
use crate::closure::{Closed, Limits, close};
use crate::distinct::distinct;
use crate::rows::proof;
use crate::templates::Templates;
use base::{Budget, Event, Events, Stop};
use ir::c::relation::proof::{PairPredicate, Proof};
use ir::c::relation::{NoRelation, Relation};
use ir::c::{ExprId, Program};

/// What the prover may do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the machine is to be read.
    pub machine: ir::c::Options,
    /// The most states of two threads in one attempt.
    pub states: usize,
    /// The most rounds of refinement after the templates.
    pub rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { machine: ir::c::Options::default(), states: 60_000, rounds: 4 }
    }
}

/// What the prover found.
#[derive(Debug)]
pub enum Outcome {
    /// No assertion fails, with any number of threads.
    Proved {
        /// The invariant.
        proof: Proof,
        /// The commands that it speaks of.
        relation: Relation,
        /// The number of predicates, relations between threads included.
        predicates: usize,
        /// How many threads are looked at together.
        width: u8,
        /// The attempts that it took.
        rounds: usize,
    },
    /// The abstraction has a failing command that could not be excluded.
    Alarm {
        /// Why, as text: the failing command and how it is reached.
        why: String,
        /// The attempts.
        rounds: usize,
    },
    /// The program cannot be treated this way.
    Unsupported {
        /// Why.
        why: String,
    },
}

/// Tries to prove that no assertion of a program fails.
pub fn prove(
    program: &Program,
    options: &Options,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Outcome, Stop> {
    match Relation::of(program, &options.machine, budget) {
        Ok(relation) => prove_relation(relation, options, budget, events),
        Err(NoRelation::Stopped(stop)) => Err(stop),
        Err(other) => Ok(Outcome::Unsupported { why: other.to_string() }),
    }
}

/// The same for a program as guarded commands.
pub fn prove_relation(
    relation: Relation,
    options: &Options,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Outcome, Stop> {
    let mut prover = Prover { relation: &relation, options, budget, events, rounds: 0, last: None };
    let found = prover.schedule()?;
    let rounds = prover.rounds;
    Ok(match found {
        Found::Proof(proof, width) => {
            let predicates = proof.predicates.len() + proof.pairs.len();
            Outcome::Proved { proof: *proof, relation, predicates, width, rounds }
        }
        Found::Alarm(why) => Outcome::Alarm { why, rounds },
    })
}

struct Prover<'a> {
    relation: &'a Relation,
    options: &'a Options,
    budget: &'a Budget,
    events: &'a mut dyn Events,
    rounds: usize,
    /// The predicates of the last attempt, to leave out one that brings nothing new.
    last: Option<Tried>,
}

#[derive(Clone, PartialEq, Eq)]
struct Tried {
    predicates: Vec<ExprId>,
    pairs: Vec<PairPredicate>,
    width: u8,
}

enum Found {
    Proof(Box<Proof>, u8),
    Alarm(String),
}

impl Prover<'_> {
    fn schedule(&mut self) -> Result<Found, Stop> {
        let mut templates = Templates::new(self.relation, self.budget);
        let threads = self.relation.commands.iter().any(|it| it.creates.is_some());
        let mut alarm = String::from("no attempt was made");
        for layer in 0..3 {
            match layer {
                0 => templates.assertions()?,
                1 => templates.connected()?,
                _ => templates.linked()?,
            }
            for (width, pairs) in [(1, false), (2, false), (2, true)] {
                if width == 2 && !threads || pairs && layer == 0 {
                    continue;
                }
                let relations = if pairs { templates.pairs(layer == 2)? } else { vec![] };
                match self.attempt(&templates, relations, width)? {
                    Some(Found::Alarm(why)) => alarm = why,
                    Some(proof) => return Ok(proof),
                    None => {}
                }
            }
        }
        Ok(Found::Alarm(alarm))
    }

    fn attempt(
        &mut self,
        templates: &Templates<'_>,
        pairs: Vec<PairPredicate>,
        width: u8,
    ) -> Result<Option<Found>, Stop> {
        let predicates = distinct(self.relation, &templates.exprs, templates.predicates(), self.budget)?;
        let tried = Tried { predicates, pairs, width };
        if self.last.as_ref() == Some(&tried) {
            return Ok(None);
        }
        self.rounds += 1;
        let basis = Basis::new(self.relation, templates.exprs.clone(), &tried.predicates, &tried.pairs);
        self.last = Some(tried);
        let limits = Limits { width, states: self.options.states };
        let closed = close(self.relation, &basis, limits, self.budget)?;
        self.tell(&basis, width, &closed);
        Ok(Some(match closed {
            Closed::Safe(states) => {
                Found::Proof(Box::new(proof(&basis, &states, width, self.budget)?), width)
            }
            Closed::Alarm { states, command, single } => {
                Found::Alarm(crate::alarm::describe(self.relation, &basis, &states, command, single))
            }
            Closed::Large => Found::Alarm("there are too many abstract states".into()),
        }))
    }

    fn tell(&mut self, basis: &Basis, width: u8, closed: &Closed) {
        let outcome = match closed {
            Closed::Safe(states) => {
                format!("proved with {} and {} states", states.singles.len(), states.pair_causes.len())
            }
            Closed::Alarm { states, .. } => {
                format!("an alarm after {} and {} states", states.singles.len(), states.pair_causes.len())
            }
            Closed::Large => "too many states".into(),
        };
        let count = basis.shared.len() + basis.local.len();
        let line = format!(
            "round {}: {count} predicates, {} relations between threads, width {width}: {outcome}",
            self.rounds,
            basis.pairs.len()
        );
        self.events.emit(Event::Progress(line));
    }
}
