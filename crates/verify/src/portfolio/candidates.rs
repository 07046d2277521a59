//! Who is put the question, and how the time is divided among them. Time is not that of the clock: for C it
//! is counted in ticks of the search of all states, for other models in hundredths of a microsecond, with
//! what a tick of an engine takes on average. That was measured (`bench/default-engines.md`).

use super::Request;
use crate::c::{self, is_engine_for_c};
use crate::plan::engines;
use ::engines::{Engine, has_much_data};
use ir::Model;

/// What the search of a C program's states may spend before the others begin: most errors are found so,
/// always the same one.
pub const ALONE: u64 = 300_000;
/// What the first engine for a Boolean program or a net has before the others count: small questions are
/// answered by the one that the user or the model puts first. A millisecond.
const HEAD_START: u64 = 100_000;
/// What the proof that locks keep accesses apart may take before the others begin.
const LOCKS_FIRST: u64 = 40_000;
/// Nets with more rules and places than this are large.
const LARGE_NET: usize = 200;

/// A proof that nobody has checked waits until the others have had the time that it took, and at least some:
/// one of them may have a proof that can be checked, or a trace. Of C programs it waits several times as
/// long, since the search of all states, which has no certificates, is often the first; of 286 Boolean
/// programs and nets none had a better answer within twice the time.
#[derive(Clone, Copy)]
pub struct WaitingTime {
    times: u64,
    least: u64,
}

impl WaitingTime {
    /// What such a proof about a model waits for: in any case about two seconds of C programs, and 0.3 s of
    /// others.
    pub fn about(model: &Model) -> WaitingTime {
        match model {
            Model::C(_) => WaitingTime { times: 5, least: 3_000_000 },
            Model::Program(_) | Model::Net(_) => WaitingTime { times: 1, least: 30_000_000 },
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
    /// This much time passes with each of its ticks.
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
    if let Model::C(model) = &request.prepared.model {
        let named: Vec<&'static dyn Engine> = chosen.filter(|it| is_engine_for_c(*it)).collect();
        // Where states are judged, the search asks all of them; predicates know of races, of deadlocks by an
        // order, and nothing of leaks.
        let states = model.machine.judges_states();
        let leaks = model.machine.leaks.matter();
        let fits = |it: &&'static dyn Engine| !states || c::is_concrete(*it) || c::is_abstract(*it) && !leaks;
        let mut all =
            if named.is_empty() { c::engines().iter().copied().filter(fits).collect() } else { named };
        let races = model.machine.races.matter() && !model.machine.deadlocks.matter() && !leaks;
        if races && all.iter().any(|it| c::is_abstract(*it)) {
            all.sort_by_key(|it| !c::is_abstract(*it));
            return all.into_iter().map(for_races).collect();
        }
        return all.into_iter().map(for_c).collect();
    }
    let order: Vec<&'static dyn Engine> = chosen.filter(|it| !is_engine_for_c(*it)).collect();
    let is_auto = order.iter().map(|it| it.name()).eq(engines().iter().map(|it| it.name()));
    let first = most_likely(&request.prepared.model).filter(|_| is_auto);
    let leader = first.or(order.first().map(|it| it.name()));
    let candidate = |engine: &'static dyn Engine| {
        let delay = if Some(engine.name()) == leader { 0 } else { HEAD_START };
        Candidate { engine, delay, cost: cost(engine, &request.prepared.model) }
    };
    order.into_iter().map(candidate).collect()
}

/// An engine that does not search all states begins after the one that does.
fn for_c(engine: &'static dyn Engine) -> Candidate {
    let delay = if c::is_concrete(engine) { 0 } else { ALONE };
    Candidate { engine, delay, cost: c::ticks_of_the_search(engine) }
}

/// Locks alone keep most accesses apart, which predicates tell at once: they come before the search.
fn for_races(engine: &'static dyn Engine) -> Candidate {
    let delay = if c::is_abstract(engine) { 0 } else { LOCKS_FIRST };
    Candidate { engine, delay, cost: c::ticks_of_the_search(engine) }
}

/// The time that passes with a tick of an engine for Boolean programs or nets: what the tick takes, and that
/// as often as the share of the engine goes into the largest. Listing valuations is hopeless where there are
/// many; diagrams and formulas are made for them.
fn cost(engine: &dyn Engine, model: &Model) -> u64 {
    let (tick, much_data, little_data) = match engine.name() {
        "explicit" => (30, 32, 2),
        "modular" => (20, 2, 2),
        "cover" => (14, 2, 1),
        "counter" | "simulate" => (15, 1, 4),
        _ => (6, 16, 16),
    };
    tick * if has_much_choice(model) { much_data } else { little_data }
}

fn has_much_choice(model: &Model) -> bool {
    matches!(model, Model::Program(program) if has_much_data(program))
}

/// The engine that most likely settles the question, if the model tells: decision diagrams find errors where
/// threads have much to choose, and the state equation and the directed search are for large nets.
fn most_likely(model: &Model) -> Option<&'static str> {
    match model {
        Model::Program(_) => has_much_choice(model).then_some("counter"),
        Model::Net(net) => (net.rules().len() + net.places().len() > LARGE_NET).then_some("cover"),
        Model::C(_) => None,
    }
}
