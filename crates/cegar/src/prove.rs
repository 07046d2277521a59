//! The schedule: few predicates first, threads one by one first, and more of both while the closure raises an alarm.

use crate::alarm::{Link, derivation, describe};
use crate::basis::Basis;
use crate::closure::{Closed, Limits, close};
use crate::distinct::distinct;
use crate::rows::proof;
use crate::state::States;
use crate::templates::Templates;
use base::{Budget, Event, Events, Stop};
use ir::c::relation::proof::{PairPredicate, Proof};
use ir::c::relation::{NoRelation, Relation};
use ir::c::{ExprId, Exprs, Program};

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
        Self { machine: ir::c::Options::default(), states: 60_000, rounds: 12 }
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
    let threads = relation.commands.iter().any(|it| it.creates.is_some());
    let alarm = String::from("there are too many abstract states");
    let mut prover = Prover {
        relation: &relation,
        options,
        budget,
        events,
        rounds: 0,
        threads,
        tried: vec![],
        exprs: relation.exprs.clone(),
        alarm,
    };
    let found = prover.schedule()?;
    let Prover { rounds, alarm, .. } = prover;
    Ok(match found {
        Some((proof, width)) => {
            let predicates = proof.predicates.len() + proof.pairs.len();
            Outcome::Proved { proof: *proof, relation, predicates, width, rounds }
        }
        None => Outcome::Alarm { why: alarm, rounds },
    })
}

struct Prover<'a> {
    relation: &'a Relation,
    options: &'a Options,
    budget: &'a Budget,
    events: &'a mut dyn Events,
    rounds: usize,
    /// Whether threads are created at all.
    threads: bool,
    /// Attempts that ended in an alarm.
    tried: Vec<(Tried, Alarm)>,
    /// The pool of all attempts: the same expression has the same number in all of them.
    exprs: Exprs,
    /// The last alarm in words.
    alarm: String,
}

/// The predicates of an attempt, to leave out one that brings nothing new.
#[derive(Clone, PartialEq, Eq)]
struct Tried {
    predicates: Vec<ExprId>,
    pairs: Vec<PairPredicate>,
    width: u8,
}

/// What an attempt came to.
enum Attempt {
    Proof(Box<Proof>, u8),
    Alarm(Alarm),
    /// Too many states or too much work.
    Nothing,
}

#[derive(Clone)]
struct Alarm {
    command: usize,
    chain: Vec<Link>,
}

/// How much an attempt may cost in the first pass over the schedule; what was too much is tried again without this limit.
const FIRST_TICKS: u64 = 3_000_000;
const FIRST_STATES: usize = 5_000;

impl Prover<'_> {
    fn schedule(&mut self) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        for limited in [true, false] {
            let limits = if limited {
                Cost { ticks: FIRST_TICKS, states: FIRST_STATES }
            } else {
                Cost { ticks: u64::MAX, states: self.options.states }
            };
            let found = match self.layers(limits)? {
                None => self.refined(limits)?,
                found => found,
            };
            let found = match found {
                None => self.thresholds(limits)?,
                found => found,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The templates, layer by layer.
    fn layers(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = Templates::new(self.relation, self.exprs.clone(), self.budget);
        for layer in 0..4 {
            match layer {
                0 => templates.assertions()?,
                1 => templates.connected()?,
                2 => templates.guards()?,
                _ => templates.linked()?,
            }
            for (width, pairs) in [(1, false), (2, false), (2, true)] {
                if width == 2 && !self.threads || pairs && layer == 0 {
                    continue;
                }
                let relations = if pairs { templates.pairs(layer == 3)? } else { vec![] };
                match self.attempt(&templates, relations, width, cost)? {
                    Attempt::Proof(proof, width) => return Ok(Some((proof, width))),
                    // Looking at more threads together does not help where no other thread is to blame.
                    Attempt::Alarm(alarm) if alarm.chain.iter().all(|it| it.own) => break,
                    _ => {}
                }
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }

    /// From the assertions, with what the alarms themselves say.
    fn refined(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = Templates::new(self.relation, self.exprs.clone(), self.budget);
        templates.assertions()?;
        let mut stage = 0;
        let mut rounds = 0;
        while rounds < self.options.rounds {
            let (width, pairs) = [(1, false), (2, false), (2, true)][stage];
            let relations = if pairs { templates.pairs(true)? } else { vec![] };
            let learnt = match self.attempt(&templates, relations, width, cost)? {
                Attempt::Proof(proof, width) => return Ok(Some((proof, width))),
                Attempt::Alarm(alarm) => templates.along(alarm.command, &alarm.chain)?,
                Attempt::Nothing => false,
            };
            rounds += 1;
            if !learnt {
                stage += 1;
                if stage == 3 || !self.threads {
                    break;
                }
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }

    /// Bounds on variables that are scaled by numbers.
    fn thresholds(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = Templates::new(self.relation, self.exprs.clone(), self.budget);
        templates.assertions()?;
        if templates.thresholds()? {
            for width in 1..=if self.threads { 2 } else { 1 } {
                if let Attempt::Proof(proof, width) = self.attempt(&templates, vec![], width, cost)? {
                    return Ok(Some((proof, width)));
                }
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }

    fn attempt(
        &mut self,
        templates: &Templates<'_>,
        pairs: Vec<PairPredicate>,
        width: u8,
        cost: Cost,
    ) -> Result<Attempt, Stop> {
        let predicates = distinct(self.relation, &templates.exprs, templates.predicates(), self.budget)?;
        let tried = Tried { predicates, pairs, width };
        if let Some((_, alarm)) = self.tried.iter().find(|it| it.0 == tried) {
            return Ok(Attempt::Alarm(alarm.clone()));
        }
        self.rounds += 1;
        let basis = Basis::new(self.relation, templates.exprs.clone(), &tried.predicates, &tried.pairs);
        let limits = Limits { width, states: cost.states };
        let closed = match close(self.relation, &basis, limits, &self.budget.part(cost.ticks)) {
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => self.budget.spend(0).map(|()| Closed::Large)?,
            other => other?,
        };
        self.tell(&basis, width, &closed);
        Ok(match closed {
            Closed::Safe(states) => {
                Attempt::Proof(Box::new(proof(&basis, &states, width, self.budget)?), width)
            }
            Closed::Alarm { states, command, single } => {
                self.alarm = describe(self.relation, &basis, &states, command, single);
                let alarm = Alarm { command, chain: derivation(&states, single) };
                self.tried.push((tried, alarm.clone()));
                Attempt::Alarm(alarm)
            }
            Closed::Large => Attempt::Nothing,
        })
    }

    fn tell(&mut self, basis: &Basis, width: u8, closed: &Closed) {
        let size = |states: &States| {
            format!("{} states of one thread, {} of two", states.singles.len(), states.pair_causes.len())
        };
        let outcome = match closed {
            Closed::Safe(states) => format!("proved, {}", size(states)),
            Closed::Alarm { states, .. } => format!("alarm, {}", size(states)),
            Closed::Large => "too large".into(),
        };
        let count = basis.shared.len() + basis.local.len();
        let relations = basis.pairs.len();
        let round = self.rounds;
        self.events.emit(Event::Progress(format!(
            "round {round}: {count} predicates, {relations} between threads, width {width}: {outcome}"
        )));
    }
}

/// What an attempt may cost.
#[derive(Clone, Copy)]
struct Cost {
    ticks: u64,
    states: usize,
}
