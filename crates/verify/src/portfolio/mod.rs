//! Puts one question to several engines. They work side by side in rounds of equal ticks: among those that decide in a round one wins and the
//! others are cancelled, so that the same file, flags and seed give the same answer whatever the machine does meanwhile, unless the clock,
//! the memory or the user stops the run. Engines for C go on in the next round where they were, and the one wins that needed least ([`paced`]);
//! the others start anew with what all have learnt, and the first in the plan's order wins ([`anew`]).
//!
//! A proof that nobody has checked is weaker than it looks. It waits for the others, one of which may have a proof that can be checked, or
//! a trace: until a limit is reached, or, where there is no limit of time, for one round more, which is longer than all before together, and
//! not a short one. Two engines that contradict each other are a fault, never a race that the quicker one wins.

mod anew;
mod paced;
mod reasons;
mod turn;

use crate::answer::{Answer, Note, Outcome};
use crate::c::{self, is_engine_for_c};
use crate::limits::Limits;
use crate::plan::{Plan, engines};
use crate::starts;
use crate::undefined::Watch;
use ::engines::{Engine, Facts, Given, has_much_data};
use anew::Anew;
use base::budget::StopHandle;
use base::{Budget, Event, Events};
use ir::{Model, Reason, ReasonKind, Task};
use paced::Paced;
use passes::Guided;
use reasons::{Teller, together};

/// Each round has so many times more ticks than the one before that starting anew costs little.
const GROWTH: u64 = 4;
/// How many times the ticks of the others the engine has that most likely finds an error.
const LARGE_SHARE: u64 = 4;
/// Nets with more rules and places than this are large.
const LARGE_NET: usize = 200;
/// Models of less than this size, in locations and variables or rules and places, are small.
const SMALL: u64 = 40;
/// An unchecked proof waits for a round of at least so many ticks: about a second.
const LONG_ROUND: u64 = 1_000_000;
/// What the search of a C program's states may spend before the others begin: most errors are found so, always the same one.
const ALONE: u64 = 300_000;
/// Only what is touched costs memory.
const STACK: usize = 1 << 26;

/// Where the work is done.
pub struct Host<'a> {
    /// Stops it.
    pub stop: &'a StopHandle,
    /// Hears of it.
    pub hear: &'a (dyn Fn(Note) + Sync),
    /// Who pays for it, if it is a part of an engine's work.
    pub budget: Option<&'a Budget>,
    /// The limits that it is under, for messages.
    pub limits: &'a Limits,
}

impl Host<'_> {
    /// Takes events.
    pub fn events(&self) -> HostEvents<'_> {
        HostEvents(self.hear)
    }
}

/// Passes events on to a host.
pub struct HostEvents<'a>(&'a (dyn Fn(Note) + Sync));

impl Events for HostEvents<'_> {
    fn emit(&mut self, event: Event) {
        (self.0)(event.into());
    }
}

/// A task on its way to the engines.
pub struct Request<'a> {
    /// The task.
    pub task: &'a Task,
    /// The same about the prepared program.
    pub prepared: &'a Task,
    /// The way back.
    pub lift: Option<&'a Guided>,
    /// Who is asked.
    pub plan: &'a Plan,
    /// Where the work is done.
    pub host: &'a Host<'a>,
}

impl Request<'_> {
    /// What engines know before they work.
    fn facts(&self) -> Facts {
        let engines = self.plan.engines.iter().copied().filter(|it| !is_engine_for_c(*it)).collect();
        let given =
            Given { conditions: self.plan.predicates.clone(), engines, memory: self.host.limits.bytes() };
        Facts::with(given)
    }

    /// Stops that are beyond the engines' reach.
    fn is_stopped(&self) -> bool {
        self.host.stop.reason().is_some()
    }
}

/// An engine that is put the question.
#[derive(Clone, Copy)]
struct Candidate {
    engine: &'static dyn Engine,
    /// It has so many times the ticks of a round.
    share: u64,
}

/// What an engine said, and what it took.
struct EngineResult {
    engine: &'static str,
    answer: Answer,
    ticks: u64,
}

impl EngineResult {
    fn is_safe(&self) -> bool {
        self.answer.outcome.proof().is_some()
    }

    fn decides(&self) -> bool {
        !matches!(self.answer.outcome, Outcome::Unknown(_))
    }

    /// Whether no other engine needs to be asked.
    fn settles(&self) -> bool {
        settles(&self.answer)
    }
}

/// Whether nothing better can come: an error, or a proof that was confirmed. A run into an error that is not told excludes every proof.
fn settles(answer: &Answer) -> bool {
    match &answer.outcome {
        Outcome::Unknown(reason) => reason.kind == ReasonKind::Approximation,
        outcome => !outcome.is_unchecked(),
    }
}

/// Asks the engines of the plan.
pub fn ask(request: &Request<'_>) -> Answer {
    // No start fits into the bound: whatever an engine said would be about no run. `init` runs before the threads are there.
    if let Some(reason) = starts::too_few_threads(request.task).filter(|_| !starts::runs_before(request.task))
    {
        return Answer::unknown(reason);
    }
    let (mut accepting, mut results) = (vec![], vec![]);
    for candidate in order(request) {
        match candidate.engine.accepts(request.prepared) {
            Ok(()) => accepting.push(candidate),
            Err(reason) => {
                let answer = Answer::unknown(reason);
                results.push(EngineResult { engine: candidate.engine.name(), answer, ticks: 0 });
            }
        }
    }
    let facts = request.facts();
    match (&request.prepared.model, request.host.budget) {
        (Model::C(model), None) => {
            let watch = Watch::new(model, request.task.scope, &request.plan.settings, request.host.stop);
            let ended = std::thread::scope(|scope| {
                let mut field = Field::Paced(Paced::new(request, accepting, &facts, &watch, scope));
                let ended = rounds(request, &mut field, results);
                field.end(&ended.results);
                ended
            });
            Teller { model, request, watch: &watch }.tell(ended)
        }
        _ => {
            let alone = match &accepting[..] {
                [only] => Some(only.engine.name()),
                _ => None,
            };
            let ended = rounds(request, &mut Field::Anew(Anew::new(request, accepting, facts)), results);
            if let Some(answer) = ended.decision {
                return answer;
            }
            let reasons: Vec<(&'static str, Reason)> =
                ended.results.into_iter().filter_map(|it| Some((it.engine, reason(it.answer)?))).collect();
            Answer { engine: alone, ..Answer::unknown(together(&reasons)) }
        }
    }
}

fn reason(answer: Answer) -> Option<Reason> {
    match answer.outcome {
        Outcome::Unknown(reason) => Some(reason),
        _ => None,
    }
}

/// The engines at work.
enum Field<'scope, 'a> {
    /// They start anew in each round.
    Anew(Anew<'a>),
    /// They go on where they were.
    Paced(Paced<'scope, 'a>),
}

impl Field<'_, '_> {
    /// Whether somebody is at work.
    fn is_running(&self) -> bool {
        match self {
            Field::Anew(it) => it.is_running(),
            Field::Paced(it) => it.is_running(),
        }
    }

    /// The ticks of the first round.
    fn first(&self) -> u64 {
        match self {
            Field::Anew(it) => it.first(),
            Field::Paced(it) => it.first(),
        }
    }

    /// The ticks of the round after one with so many; whether there is a proof that nobody has checked.
    fn next(&mut self, ticks: u64, unchecked: bool) -> u64 {
        match self {
            Field::Anew(it) => {
                // Not before: what an engine reads must not depend on how fast the others are.
                it.publish();
                ticks.saturating_mul(GROWTH)
            }
            Field::Paced(it) => it.next(ticks, unchecked),
        }
    }

    /// One round: what those engines say that end in it, in order. An engine after one that settled the question may be cancelled.
    fn round(&mut self, ticks: u64) -> Vec<EngineResult> {
        match self {
            Field::Anew(it) => it.round(ticks),
            Field::Paced(it) => it.round(ticks),
        }
    }

    /// Whether nobody needs to say any more: undefined behaviour was found.
    fn is_cut_short(&self) -> bool {
        matches!(self, Field::Paced(it) if it.is_cut_short())
    }

    /// Ends those engines whose proofs have no certificates.
    fn stop_those_without_certificates(&mut self) {
        if let Field::Paced(it) = self {
            it.stop_those_without_certificates();
        }
    }

    /// Ends everything.
    fn end(self, results: &[EngineResult]) {
        if let Field::Paced(it) = self {
            it.end(results);
        }
    }
}

/// What came of all rounds.
struct Rounds {
    /// The answer, if an engine has one.
    decision: Option<Answer>,
    /// What engines said, in the order in which they ended.
    results: Vec<EngineResult>,
}

/// Goes on in rounds until somebody settles the question or nobody is left.
fn rounds(request: &Request<'_>, field: &mut Field<'_, '_>, mut results: Vec<EngineResult>) -> Rounds {
    let most = request.plan.most_ticks;
    let waits_for_the_clock = request.host.limits.time.is_some()
        && matches!(field, Field::Anew(_))
        && request.host.budget.is_none();
    let mut ticks = field.first().min(most);
    let mut unchecked: Option<Answer> = None;
    while field.is_running() && !request.is_stopped() {
        let ended = field.round(ticks);
        let decided: Vec<Answer> =
            ended.iter().filter(|it| it.decides()).map(|it| it.answer.clone()).collect();
        let is_settled = ended.iter().any(EngineResult::settles);
        results.extend(ended);
        let all: Vec<&Answer> = unchecked.iter().chain(&decided).collect();
        if let Some(answer) = contradiction(&all) {
            return Rounds { decision: Some(answer), results };
        }
        if is_settled {
            let decision = decided.into_iter().find(settles);
            return Rounds { decision, results };
        }
        let is_long = ticks >= LONG_ROUND || matches!(field, Field::Paced(_));
        let waited = unchecked.is_some() && !waits_for_the_clock && is_long;
        let is_new = unchecked.is_none() && !decided.is_empty();
        unchecked = unchecked.or_else(|| decided.into_iter().next());
        if waited || ticks == most || field.is_cut_short() {
            break;
        }
        if is_new {
            field.stop_those_without_certificates();
        }
        ticks = field.next(ticks, unchecked.is_some()).min(most);
    }
    Rounds { decision: unchecked, results }
}

/// The fault that two of these answers are, if one proves what the other refutes.
fn contradiction(answers: &[&Answer]) -> Option<Answer> {
    let first = answers.first()?;
    let other = answers.iter().find(|it| it.contradicts(first))?;
    Some(Answer::contradiction((*first).clone(), (*other).clone()))
}

/// The engines in the order in which they are asked: that of the plan, with equal shares. Where nobody chose it and one of them is most likely to settle
/// the question, it comes first, with a larger share, and the one that lists states last: a round is over when the first one that settles the question is.
fn order(request: &Request<'_>) -> Vec<Candidate> {
    let equal = |engine: &'static dyn Engine| Candidate { engine, share: 1 };
    let chosen = request.plan.engines.iter().copied();
    if let Model::C(_) = request.prepared.model {
        let named: Vec<Candidate> = chosen.filter(|it| is_engine_for_c(*it)).map(equal).collect();
        return if named.is_empty() { c::engines().iter().copied().map(equal).collect() } else { named };
    }
    let mut order: Vec<Candidate> = chosen.filter(|it| !is_engine_for_c(*it)).map(equal).collect();
    let is_auto = order.iter().map(|it| it.engine.name()).eq(engines().iter().map(|it| it.name()));
    if let Some(first) = most_likely(&request.prepared.model).filter(|_| is_auto) {
        order.sort_by_key(|it| match it.engine.name() {
            name if name == first => 0,
            "explicit" => 2,
            _ => 1,
        });
        order[0].share = LARGE_SHARE;
    }
    order
}

/// The engine that most likely settles the question, if the model tells: decision diagrams find errors where threads have much to choose, and the state
/// equation and the directed search are for large nets.
fn most_likely(model: &Model) -> Option<&'static str> {
    match model {
        Model::Program(program) => has_much_data(program).then_some("counter"),
        Model::Net(net) => (net.rules().len() + net.places().len() > LARGE_NET).then_some("cover"),
        Model::C(_) => None,
    }
}

/// The ticks of the first round: more for large models, for which only starting anew is dear.
fn first_round(request: &Request<'_>) -> u64 {
    let size = match &request.prepared.model {
        Model::Program(program) => program.locations().len() + program.shared().len(),
        Model::Net(net) => net.rules().len() + net.places().len(),
        Model::C(model) => model.program.locations().len(),
    };
    request.plan.first_round.saturating_mul(1 + size as u64 / SMALL)
}
