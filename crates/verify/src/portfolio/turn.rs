//! One engine at work: what it says, judged.

use super::candidates::Candidate;
use super::{Host, Request};
use crate::answer::{Answer, Note, Outcome, Proof};
use crate::c;
use crate::judge::{Court, NONE_WRITTEN, states};
use crate::limits::stop_kind;
use crate::plan::Plan;
use crate::supervise::message;
use ::engines::{Cx, Facts};
use base::{Budget, Event, Events, Progress, Round, Span, Stop};
use ir::certificate::Body;
use ir::{Model, Reason, ReasonKind};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One engine in one round.
pub struct Turn<'a> {
    pub candidate: &'a Candidate,
    pub budget: &'a Budget,
    pub facts: &'a Facts,
}

impl Turn<'_> {
    /// What the engine says; nothing, if its ticks ran out or it was cancelled. A fault of it does not end
    /// the others.
    pub fn take(&self, request: &Request<'_>) -> Option<Answer> {
        if self.budget.handle().reason().is_some() {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| self.work(request))) {
            Ok(answer) => answer,
            Err(payload) => Some(Answer::unknown(Reason::new(ReasonKind::Fault, message(&*payload)))),
        }
    }

    fn work(&self, request: &Request<'_>) -> Option<Answer> {
        let engine = self.candidate.engine;
        let name = engine.name();
        let mut events = Listener::new(request.host, self);
        events.emit(Event::Progress(Progress::Starting { engine: name }));
        let Plan { settings, seed, .. } = request.plan;
        let (budget, facts) = (self.budget, self.facts);
        let mut cx = Cx { budget, events: &mut events, facts, settings, seed: *seed };
        let verdict = match engine.run(request.prepared, &mut cx) {
            Ok(verdict) => verdict,
            Err(Stop::Ticks | Stop::Cancelled) => return None,
            Err(stop) => return Some(Answer::unknown(Reason::new(stop_kind(stop), stop.to_string()))),
        };
        events.emit(Event::Progress(Progress::Checking));
        // Evidence is checked without a limit of ticks: a proof that was found must not be lost for being
        // long.
        let budget = match request.host.budget {
            // Who works for an engine does that in its share too.
            Some(budget) => budget.part(u64::MAX),
            None => Budget::new(u64::MAX, self.budget.handle().clone()),
        };
        // A search has seen all states already; for a proof of another kind they may be far too many.
        let worth = match c::is_concrete(engine) {
            true => states::worth(self.budget.spent()),
            false => states::FEW,
        };
        let court = Court {
            task: request.task,
            prepared: request.prepared,
            back: request.back,
            budget: &budget,
            states: worth,
        };
        let is_c = matches!(request.task.model, Model::C(_));
        let engine = Some(events.found_by.unwrap_or(name));
        let way = is_c.then_some(name);
        let (why, waiting) = (events.no_certificate, std::mem::take(&mut events.waiting));
        let claim = |answer: Option<Answer>| {
            (request.host.hear)(Note::Claim { engine: name, answer: answer.map(Box::new) });
        };
        let meanwhile = |outcome: &Outcome| {
            let outcome = explained(outcome.clone(), why, is_c);
            claim(Some(Answer { engine, way, ..Answer::of(outcome) }));
        };
        let answer = court.judge(verdict, meanwhile);
        if let Some(threads) = answer.best.threads {
            events.emit(Event::SafeUpToThreads(threads));
        }
        let outcome = explained(answer.outcome, why, is_c);
        if let Some((proof, Body::Predicates(_))) =
            outcome.proof().and_then(|it| Some((it, &it.certificate()?.body)))
        {
            events.emit(Event::Round(Round::Certificate { confirmed: proof.is_confirmed() }));
        }
        let answer = Answer { outcome, engine, way, waiting, ..answer };
        claim(Some(answer.clone()).filter(|it| !matches!(it.outcome, Outcome::Unknown(_))));
        Some(answer)
    }
}

/// Hears what an engine says beside its verdict; everything else is passed on.
struct Listener<'a> {
    host: &'a Host<'a>,
    turn: &'a Turn<'a>,
    no_certificate: &'static str,
    found_by: Option<&'static str>,
    waiting: Vec<Option<Span>>,
}

impl<'a> Listener<'a> {
    fn new(host: &'a Host<'a>, turn: &'a Turn<'a>) -> Listener<'a> {
        Listener { host, turn, no_certificate: NONE_WRITTEN, found_by: None, waiting: vec![] }
    }
}

impl Events for Listener<'_> {
    fn emit(&mut self, event: Event) {
        match event {
            Event::NoCertificate(why) => self.no_certificate = why,
            Event::FoundBy(name) => self.found_by = Some(name),
            Event::Waiting(places) => self.waiting = places,
            event => {
                let Candidate { engine, .. } = self.turn.candidate;
                let time = self.turn.candidate.time(self.turn.budget.spent());
                (self.host.hear)(Note::Timed { time, engine: engine.name(), event });
            }
        }
    }
}

/// The outcome, with what the engine says of a certificate that it did not write.
fn explained(mut outcome: Outcome, because: &'static str, is_c: bool) -> Outcome {
    if let Outcome::Safe { proof: Proof::Unchecked { certificate: None, why }, .. } = &mut outcome
        && (why == NONE_WRITTEN || (is_c && because != NONE_WRITTEN))
    {
        *why = because.to_string();
    }
    outcome
}
