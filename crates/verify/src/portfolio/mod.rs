//! Puts one question to several engines. They work in rounds of ticks, each going on in the next round where
//! it was ([`field`]), and the one wins that needed least, so that the same file, flags and seed give the
//! same answer whatever the machine does meanwhile, unless the clock, the memory or the user stops the run.
//!
//! A proof that nobody has checked is weaker than it looks. It waits for the others, one of which may have a
//! proof that can be checked, or a trace, until they have had several times what it took. Two engines that
//! contradict each other are a fault, never a race that the quicker one wins.

mod candidates;
mod field;
mod lane;
mod nothing;
mod reasons;
mod turn;

use crate::answer::{Answer, Note, Outcome};
use crate::c::is_engine_for_c;
use crate::limits::Limits;
use crate::plan::Plan;
use crate::prepare::WayBack;
use crate::starts;
use crate::undefined::Watch;
use ::engines::{Facts, Given};
use base::budget::StopHandle;
use base::{Budget, Event, Events};
use candidates::{WaitingTime, candidates};
use field::{Field, Ground};
use ir::{Model, Reason, ReasonKind, Task};
use reasons::{Teller, together};

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
    pub back: &'a WayBack,
    /// Who is asked.
    pub plan: &'a Plan,
    /// Where the work is done.
    pub host: &'a Host<'a>,
}

impl Request<'_> {
    /// What engines know before they work.
    fn facts(&self, is_alone: bool) -> Facts {
        let engines = self.plan.engines.iter().copied().filter(|it| !is_engine_for_c(*it)).collect();
        let (conditions, memory) = (self.plan.predicates.clone(), self.host.limits.bytes());
        let given = Given { conditions, engines, is_alone, memory };
        Facts::with(given)
    }

    /// Stops that are beyond the engines' reach.
    fn is_stopped(&self) -> bool {
        self.host.stop.reason().is_some()
    }
}

/// What an engine said, and what it took.
struct EngineResult {
    engine: &'static str,
    answer: Answer,
    /// In its own ticks.
    ticks: u64,
    /// In the time that all share.
    time: u64,
}

impl EngineResult {
    fn is_safe(&self) -> bool {
        self.answer.outcome.proof().is_some()
    }

    fn decides(&self) -> bool {
        decides(&self.answer)
    }

    /// Whether no other engine needs to be asked.
    fn settles(&self) -> bool {
        settles(&self.answer)
    }
}

fn decides(answer: &Answer) -> bool {
    !matches!(answer.outcome, Outcome::Unknown(_))
}

/// Whether nothing better can come: an error, or a proof that was confirmed. A run into an error that is not
/// told excludes every proof.
fn settles(answer: &Answer) -> bool {
    match &answer.outcome {
        Outcome::Unknown(reason) => reason.kind == ReasonKind::Approximation,
        outcome => !outcome.is_unchecked(),
    }
}

/// Asks the engines of the plan.
pub fn ask(request: &Request<'_>) -> Answer {
    // No start fits into the bound: whatever an engine said would be about no run. `init` runs before the
    // threads are there.
    if let Some(reason) = starts::too_few_threads(request.task).filter(|_| !starts::runs_before(request.task))
    {
        return Answer::unknown(reason);
    }
    if request.host.budget.is_none() && nothing::without_properties(request.task).is_some() {
        return nothing::ask(request);
    }
    let (mut accepting, mut results) = (vec![], vec![]);
    for candidate in candidates(request) {
        match candidate.engine.accepts(request.prepared) {
            Ok(()) => accepting.push(candidate),
            Err(reason) => {
                let (engine, answer) = (candidate.engine.name(), Answer::unknown(reason));
                results.push(EngineResult { engine, answer, ticks: 0, time: 0 });
            }
        }
    }
    let alone = match &accepting[..] {
        [only] => Some(only.engine.name()),
        _ => None,
    };
    let facts = request.facts(alone.is_some());
    let watch = match (&request.prepared.model, request.host.budget) {
        (Model::C(model), None) => {
            let watch = Watch::new(model, request.task.scope, &request.plan.settings, request.host.stop);
            Some((model, watch))
        }
        _ => None,
    };
    let ended = std::thread::scope(|scope| {
        let ground = Ground { request, facts: &facts, watch: watch.as_ref().map(|it| &it.1) };
        let mut field = Field::new(ground, accepting, scope);
        let ended = rounds(request, &mut field, results);
        field.end(&ended.results);
        ended
    });
    (request.host.hear)(Note::Until(ended.until));
    match watch {
        Some((model, watch)) => Teller { model, request, watch: &watch }.tell(ended),
        None => ended.answer(alone),
    }
}

fn reason(answer: Answer) -> Option<Reason> {
    match answer.outcome {
        Outcome::Unknown(reason) => Some(reason),
        _ => None,
    }
}

/// What came of all rounds.
struct Rounds {
    /// The answer, if an engine has one.
    decision: Option<Answer>,
    /// What engines said, in the order in which they ended.
    results: Vec<EngineResult>,
    /// What engines told until this time counts.
    until: u64,
}

impl Rounds {
    /// The answer, or the reasons of all; `alone` is the engine that worked, if it was one.
    fn answer(self, alone: Option<&'static str>) -> Answer {
        if let Some(answer) = self.decision {
            return answer;
        }
        let reasons: Vec<(&'static str, Reason)> =
            self.results.into_iter().filter_map(|it| Some((it.engine, reason(it.answer)?))).collect();
        Answer { engine: alone, ..Answer::unknown(together(&reasons)) }
    }
}

/// A proof that nobody has checked, and how long it waits for a better one.
struct Unchecked {
    answer: Answer,
    until: u64,
}

impl Unchecked {
    fn new(result: &EngineResult, waiting: WaitingTime) -> Unchecked {
        Unchecked { answer: result.answer.clone(), until: waiting.until(result.time) }
    }
}

/// Goes on in rounds until somebody settles the question or nobody is left.
fn rounds(request: &Request<'_>, field: &mut Field<'_, '_>, mut results: Vec<EngineResult>) -> Rounds {
    let mut time = field.first();
    let mut unchecked: Option<Unchecked> = None;
    // The end of the last round that nothing cut short.
    let mut until = 0;
    while field.is_running() && !request.is_stopped() {
        let mut ended = field.round(time);
        let decided: Vec<&Answer> = ended.iter().filter(|it| it.decides()).map(|it| &it.answer).collect();
        let all: Vec<&Answer> = unchecked.iter().map(|it| &it.answer).chain(decided).collect();
        if let Some(answer) = contradiction(&all) {
            return Rounds { decision: Some(answer), results, until };
        }
        if let Some(first) = ended.iter().position(EngineResult::settles) {
            // Whether those who needed more have ended is a matter of the clock.
            ended.truncate(first + 1);
            let decision = Some(ended[first].answer.clone()).filter(decides);
            let until = ended[first].time;
            results.extend(ended);
            return Rounds { decision, results, until };
        }
        if unchecked.is_none()
            && let Some(first) = ended.iter().find(|it| it.decides())
        {
            unchecked = Some(Unchecked::new(first, WaitingTime::about(&request.prepared.model)));
            field.stop_those_without_certificates();
        }
        results.extend(ended);
        if field.is_cut_short() {
            return Rounds { decision: unchecked.map(|it| it.answer), results, until };
        }
        until = time;
        if unchecked.as_ref().is_some_and(|it| it.until <= time) {
            return Rounds { decision: unchecked.map(|it| it.answer), results, until };
        }
        time = field.next(time).min(unchecked.as_ref().map_or(u64::MAX, |it| it.until));
    }
    Rounds { decision: unchecked.map(|it| it.answer), results, until: u64::MAX }
}

/// The fault that two of these answers are, if one proves what the other refutes.
fn contradiction(answers: &[&Answer]) -> Option<Answer> {
    let first = answers.first()?;
    let other = answers.iter().find(|it| it.contradicts(first))?;
    Some(Answer::contradiction((*first).clone(), (*other).clone()))
}
