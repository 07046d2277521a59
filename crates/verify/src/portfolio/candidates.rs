//! Who is put the question, and how the time is divided among them. Time is not that of the clock: for C it
//! is counted in ticks of the search of all states, for other models in tenths of a microsecond that a tick
//! takes on average. What the ticks of engines take was measured (`bench/default-engines.md`).

use super::Request;
use crate::c::{self, is_engine_for_c};
use crate::plan::engines;
use ::engines::{Engine, has_much_data};
use ir::Model;

/// What the search of a C program's states may spend before the others begin: most errors are found so,
/// always the same one.
pub const ALONE: u64 = 300_000;
/// How many times the ticks of the others the engine has that most likely finds an error.
const LARGE_SHARE: u64 = 2;
/// Nets with more rules and places than this are large.
const LARGE_NET: usize = 200;

/// A proof that nobody has checked waits until the others have had several times the time that it took, and
/// at least some: one of them may have a proof that can be checked, or a trace. Of C programs it waits
/// longer, since the search of all states, which has no certificates, is often the first.
#[derive(Clone, Copy)]
pub struct WaitingTime {
    times: u64,
    least: u64,
}

impl WaitingTime {
    /// What such a proof about a model waits for: about two seconds in any case.
    pub fn about(model: &Model) -> WaitingTime {
        match model {
            Model::C(_) => WaitingTime { times: 5, least: 3_000_000 },
            Model::Program(_) | Model::Net(_) => WaitingTime { times: 2, least: 20_000_000 },
        }
    }

    /// Until when it waits if it was there at this time.
    pub fn until(self, time: u64) -> u64 {
        time.saturating_mul(self.times).max(self.least)
    }
}

/// An engine that is put the question.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// It begins at this time.
    pub delay: u64,
    /// So much time passes with each of its ticks.
    pub cost: u64,
}

impl Candidate {
    /// How many ticks it may have spent at a time.
    pub fn ticks(&self, time: u64) -> u64 {
        time.saturating_sub(self.delay) / self.cost
    }

    /// The other way round: the time at which it may have spent this many ticks.
    pub fn time(&self, ticks: u64) -> u64 {
        self.delay.saturating_add(ticks.saturating_mul(self.cost))
    }
}

/// The engines in the order in which they are asked: that of the plan. Where nobody chose it, one that is
/// most likely to settle the question has a larger share.
pub fn candidates(request: &Request<'_>) -> Vec<Candidate> {
    let chosen = request.plan.engines.iter().copied();
    if let Model::C(_) = request.prepared.model {
        let named: Vec<&'static dyn Engine> = chosen.filter(|it| is_engine_for_c(*it)).collect();
        let all = if named.is_empty() { c::engines().to_vec() } else { named };
        return all.into_iter().map(for_c).collect();
    }
    let order: Vec<&'static dyn Engine> = chosen.filter(|it| !is_engine_for_c(*it)).collect();
    let is_auto = order.iter().map(|it| it.name()).eq(engines().iter().map(|it| it.name()));
    let first = most_likely(&request.prepared.model).filter(|_| is_auto);
    let candidate = |engine: &'static dyn Engine| {
        let share = if Some(engine.name()) == first { LARGE_SHARE } else { 1 };
        Candidate { engine, delay: 0, cost: cost(engine, &request.prepared.model) / share }
    };
    order.into_iter().map(candidate).collect()
}

/// An engine that does not search all states begins after the one that does.
fn for_c(engine: &'static dyn Engine) -> Candidate {
    let delay = if c::is_concrete(engine) { 0 } else { ALONE };
    Candidate { engine, delay, cost: c::ticks_of_the_search(engine) }
}

/// What a tick of an engine for Boolean programs or nets takes, in tenths of a microsecond. `modular`, which
/// has most of the proofs that can be checked, has a larger share than the others.
fn cost(engine: &dyn Engine, model: &Model) -> u64 {
    match engine.name() {
        "explicit" if much_data(model) => 200,
        "explicit" => 4,
        "modular" => 12,
        "cover" | "simulate" => 2,
        _ => 20,
    }
}

fn much_data(model: &Model) -> bool {
    matches!(model, Model::Program(program) if has_much_data(program))
}

/// The engine that most likely settles the question, if the model tells: decision diagrams find errors where
/// threads have much to choose, and the state equation and the directed search are for large nets.
fn most_likely(model: &Model) -> Option<&'static str> {
    match model {
        Model::Program(_) => much_data(model).then_some("counter"),
        Model::Net(net) => (net.rules().len() + net.places().len() > LARGE_NET).then_some("cover"),
        Model::C(_) => None,
    }
}
