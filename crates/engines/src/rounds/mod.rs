//! Linear interfaces within k rounds and the adequacy game (La Torre, Madhusudan and Parlato, CAV 2010), with
//! recursion by summaries. See docs/engines/rounds.md.

mod births;
mod blocks;
mod calls;
mod closure;
mod equations;
mod game;
mod listing;
mod model;
mod moves;
mod paths;
mod replay;
mod shown;
mod space;
mod strategy;
mod summaries;
#[cfg(test)]
mod tests;
mod trace;

use crate::certificate::{self, Proof};
use crate::engine::{Cx, Engine};
use crate::fewer;
use crate::options::{self, after, number, settings, switch};
use crate::statistics;
use base::{Budget, Event, Progress, Setting, Stop};
use equations::Equations;
use ir::trace::ProgramTrace;
use ir::{Model as TaskModel, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use model::Model;
use replay::Mismatch;
use trace::Schedule;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds;

const PAPER: &str = "La Torre, Madhusudan and Parlato, CAV 2010";

settings! {
    MOST = after(PAPER, number("rounds.most", "6", 1..=16, "the most rounds that are looked at"));
    GAME = after(PAPER, switch("rounds.game", "play the adequacy game after each round"));
    CLOSURE = after(
        "Liu and Wahl, PLDI 2018",
        switch("rounds.closure", "first try a proof that ignores rounds and contexts"),
    );
    NODES = number(
        "rounds.nodes",
        "20000000",
        1000..=60_000_000,
        "the most nodes of decision diagrams, 40 bytes each",
    );
    CERTIFICATE = number(
        "rounds.certificate",
        "200000",
        0..=10_000_000,
        "the most states or tuples of a certificate; a larger proof is unchecked",
    );
}

impl Engine for Rounds {
    fn name(&self) -> &'static str {
        "rounds"
    }

    fn about(&self) -> &'static str {
        "k-round schedules of any number of threads; recursion; proofs by the adequacy game"
    }

    fn paper(&self) -> &'static str {
        PAPER
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        model::check(task)
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let TaskModel::Program(program) = &task.model else {
            return Ok(unknown(model::check(task).expect_err("nets are refused")));
        };
        match Model::new(program) {
            Ok(model) => RoundsSearch { task, cx }.run(model),
            Err(reason) => Ok(unknown(reason)),
        }
    }
}

fn unknown(reason: Reason) -> Verdict {
    Verdict::Unknown(Why::Because(reason))
}

/// The loop of S4: k = 1, 2, …, an error or the game, whichever comes first.
struct RoundsSearch<'a, 'c> {
    task: &'a Task,
    cx: &'a mut Cx<'c>,
}

/// Which proofs are tried, and what they may spend. They have budgets of their own: an error in a later round
/// must not be missed because a proof was hard to find.
struct Proofs {
    /// There is one thread only.
    alone: bool,
    nodes: usize,
    /// The most states or tuples of a certificate.
    listed: usize,
    closure: Option<Budget>,
    game: Option<Budget>,
}

/// What a checker can follow of a proof for any number of threads and rounds, unless that is too large.
type Written = Option<Proof>;

impl RoundsSearch<'_, '_> {
    fn run(&mut self, model: Model<'_>) -> Result<Verdict, Stop> {
        let (settings, budget) = (self.cx.settings, self.cx.budget);
        let number = |setting| options::size(settings, setting);
        let Some(most) = fitting(&model, number(&MOST)) else {
            let message = "so many variables that their copies for two rounds are too deep a diagram";
            return Ok(unknown(Reason::new(ReasonKind::Unsupported, message)));
        };
        let part = |wanted: bool| wanted.then(|| budget.part(PROOF_TICKS));
        let (nodes, alone) = (number(&NODES), !model.has_others());
        // One thread alone needs no proof but a certificate, and that is the closure.
        let (closure, game) = (part(alone || settings.is_on(&CLOSURE)), part(settings.is_on(&GAME)));
        let listed = number(&CERTIFICATE);
        let proofs = Proofs { alone, nodes, listed, closure, game };
        if let Some(verdict) = self.scout(&model, nodes)? {
            return Ok(verdict);
        }
        // The game for k rounds needs the interfaces of k+1.
        let mut equations = Equations::new(model, most + 1, nodes, budget)?;
        for rounds in 1..=most + 1 {
            let found = equations.next_round()?;
            self.report(&equations);
            if found {
                return self.error(&mut equations);
            }
            self.cx.events.emit(Event::SafeUpToRounds(count(rounds)));
            if let Some(proof) = prove(&mut equations, &proofs, budget)? {
                if proof.is_none() {
                    self.cx.events.emit(Event::NoCertificate("too many summaries or interfaces to list"));
                }
                return Ok(certificate::safe(Scope::ANY, proof));
            }
        }
        let message = format!("no error in {} rounds, the most that were requested, and no proof", most + 1);
        Ok(unknown(Reason::new(ReasonKind::Bound, message)))
    }

    /// Looks for an error in one round, no matter who comes first in it, without the interfaces that further
    /// rounds and proofs need.
    fn scout(&mut self, model: &Model<'_>, nodes: usize) -> Result<Option<Verdict>, Stop> {
        let part = self.cx.budget.part(SCOUT_TICKS);
        let found = Equations::scout(model.shuffled(), nodes, &part).and_then(|mut equations| {
            let found = equations.next_round()?;
            found.then(|| self.error(&mut equations)).transpose()
        });
        self.cx.budget.spend(part.spent())?;
        match found {
            // What needs more threads than were requested may need fewer in several rounds.
            Ok(Some(Verdict::Unsafe(trace))) => Ok(Some(Verdict::Unsafe(trace))),
            Ok(_) | Err(Stop::Ticks | Stop::Memory) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn error(&mut self, equations: &mut Equations<'_, '_>) -> Result<Verdict, Stop> {
        let schedule = trace::schedule(equations)?;
        Ok(match self.trace(equations, &schedule) {
            Ok(trace) => Verdict::Unsafe(Trace::Program(trace)),
            Err(Mismatch::TooManyThreads) => {
                let message = "the error found needs more threads than were requested";
                unknown(Reason::new(ReasonKind::Bound, message))
            }
            Err(Mismatch::Fault(what)) => unknown(Reason::new(ReasonKind::Fault, what)),
        })
    }

    /// The trace with few threads, or one in which creations beyond the bound are skips.
    fn trace(&self, equations: &Equations<'_, '_>, schedule: &Schedule) -> Result<ProgramTrace, Mismatch> {
        let program = equations.model.program;
        let trace = fewer::drop_threads(program, replay::replay(equations, schedule, None)?);
        match self.task.scope.threads.limit() {
            bound @ Some(_) if fewer::end(program, &trace, bound).is_none() => {
                replay::replay(equations, schedule, bound)
            }
            _ => Ok(trace),
        }
    }

    fn report(&mut self, equations: &Equations<'_, '_>) {
        let statistics = equations.system.calculus.manager.statistics();
        let (relations, rules) = equations.system.size();
        let rounds = equations.rounds();
        let nodes = statistics.nodes;
        self.cx.events.emit(Event::Progress(Progress::Fixpoint { rounds, relations, rules, nodes }));
        let counters = [("rounds", rounds as u64), ("peak nodes", statistics.peak_nodes as u64)];
        statistics::emit("rounds", &counters, self.cx.events);
    }
}

/// The most levels that a diagram may have: operations recurse once a level.
const MOST_LEVELS: usize = 8000;

/// As many rounds as requested, or fewer if the diagrams would become too deep: the game has six copies of
/// each shared bit for a round, and a step three of the others.
fn fitting(model: &Model<'_>, requested: usize) -> Option<usize> {
    let levels = |most: usize| 6 * model.bits.len() * (most + 1) + 5 * (model.program.locals().len() + 2);
    (1..=requested).rev().find(|&most| levels(most) <= MOST_LEVELS)
}

/// What the first look may spend: some five seconds.
const SCOUT_TICKS: u64 = 50_000_000;

/// What an attempt at a proof may spend: some ten seconds.
const PROOF_TICKS: u64 = 100_000_000;

/// Tries what can be tried after this round: the closure once, then the game for one round less.
fn prove<'b>(
    equations: &mut Equations<'_, 'b>,
    proofs: &'b Proofs,
    whole: &'b Budget,
) -> Result<Option<Written>, Stop> {
    let rounds = equations.rounds();
    let part = if rounds == 1 { &proofs.closure } else { &proofs.game };
    // One thread has nobody to wait for: its first turn is everything.
    let otherwise = || proofs.alone.then_some(None);
    let Some(part) = part.as_ref().filter(|_| rounds == 1 || equations.threads_are_flat()) else {
        return Ok(otherwise());
    };
    let before = part.spent();
    let proof = if rounds == 1 {
        closed(equations, proofs, part)
    } else {
        equations.system.calculus.budget = part;
        let won = played(equations, rounds - 1, proofs.listed);
        equations.system.calculus.budget = whole;
        won
    };
    whole.spend(part.spent() - before)?;
    match proof {
        // A proof that is too large is dropped; anything else that stops it stops the run.
        Err(Stop::Ticks | Stop::Memory) => Ok(otherwise()),
        Ok(None) => Ok(otherwise()),
        proof => proof,
    }
}

/// The closure. How many fixed threads sleep is more than its certificate can show, so it is first tried
/// without.
fn closed(equations: &Equations<'_, '_>, proofs: &Proofs, part: &Budget) -> Result<Option<Written>, Stop> {
    if !equations.model.late.is_empty() {
        let mut relaxed = Equations::new(equations.model.relaxed(), 1, proofs.nodes, part)?;
        if !relaxed.next_round()?
            && let Some(proof) = closure::prove(&relaxed, proofs.nodes, proofs.listed, part)?
        {
            return Ok(Some(proof));
        }
    }
    closure::prove(equations, proofs.nodes, proofs.listed, part)
}

/// The game. A certificate that is too large is dropped.
fn played(equations: &mut Equations<'_, '_>, rounds: usize, most: usize) -> Result<Option<Written>, Stop> {
    let Some(regions) = game::adam_wins(equations, rounds)? else { return Ok(None) };
    let proof = match strategy::certificate(equations, rounds, &regions, most) {
        Err(Stop::Ticks | Stop::Memory) => None,
        found => found?,
    };
    Ok(Some(proof))
}

fn count(rounds: usize) -> u32 {
    u32::try_from(rounds).expect("rounds are few")
}
