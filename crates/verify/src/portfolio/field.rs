//! The engines at work. Each has a thread of its own, which waits where it has spent the ticks of the round,
//! and goes on there in the next one: side by side, or one after the other where they work for an engine, on
//! its budget. Beside them, in the same rounds, undefined behaviour is looked for.

use super::candidates::{ALONE, Candidate};
use super::lane::Lane;
use super::turn::Turn;
use super::{EngineResult, Request};
use crate::answer::Answer;
use crate::c;
use crate::undefined::{AT_LEAST, Watch};
use ::engines::Facts;
use base::{Bell, Stop};
use ir::Model;
use std::sync::Arc;
use std::thread::Scope;

/// The first round of those that begin after the search of all states of a C program, in ticks of that.
const SHORT_ROUND: u64 = 40_000;

/// Only what is touched costs memory.
const STACK: usize = 1 << 26;

/// What the engines work with.
pub struct Ground<'env> {
    /// What was asked.
    pub request: &'env Request<'env>,
    /// What they learn.
    pub facts: &'env Facts,
    /// Who looks for undefined behaviour beside them.
    pub watch: Option<&'env Watch<'env>>,
}

/// Engines that go on in each round.
pub struct Field<'scope, 'env> {
    ground: Ground<'env>,
    lanes: Vec<Arc<Lane>>,
    /// Whether one engine works alone from the start, and nobody waits for it: it needs no thread of its own.
    /// One that is left when the others have ended still works in rounds.
    is_alone: bool,
    is_first: bool,
    scope: &'scope Scope<'scope, 'env>,
    bell: Arc<Bell>,
}

impl<'scope, 'env> Field<'scope, 'env> {
    /// These engines, none of which has begun.
    pub fn new(
        ground: Ground<'env>,
        candidates: Vec<Candidate>,
        scope: &'scope Scope<'scope, 'env>,
    ) -> Field<'scope, 'env> {
        let bell = Arc::default();
        let lane = |candidate| Arc::new(Lane::new(ground.request, candidate, &bell));
        let lanes: Vec<_> = candidates.into_iter().map(lane).collect();
        // Who looks for undefined behaviour only after a proof is no part of the rounds.
        let watch = ground.watch.filter(|it| it.tells());
        let is_alone = lanes.len() == 1 && watch.is_none();
        Field { ground: Ground { watch, ..ground }, lanes, is_alone, is_first: true, scope, bell }
    }

    /// Whether an engine is at work.
    pub fn is_running(&self) -> bool {
        !self.lanes.is_empty()
    }

    fn begins_with_the_search(&self) -> bool {
        self.lanes.first().is_some_and(|it| c::is_concrete(it.candidate.engine))
    }

    /// The end of the first round: never, for one engine alone.
    pub fn first(&self) -> u64 {
        match self.lanes.iter().map(|it| it.candidate.delay).max() {
            _ if self.is_alone => u64::MAX,
            Some(delay @ 1..) if self.begins_with_the_search() => delay,
            Some(delay) => delay + self.least(),
            None => self.least(),
        }
    }

    /// The shortest round.
    fn least(&self) -> u64 {
        match self.ground.request.prepared.model {
            Model::C(_) => SHORT_ROUND,
            Model::Program(_) | Model::Net(_) => self.ground.request.plan.first_round,
        }
    }

    /// The end of the round after one that ended then. Rounds are short: what the others do in the round in
    /// which one settles the question is lost.
    pub fn next(&self, time: u64) -> u64 {
        // Not before: what an engine reads must not depend on how fast the others are.
        self.ground.facts.publish();
        let delay = self.lanes.iter().map(|it| it.candidate.delay).max().unwrap_or(0);
        let common = time.saturating_sub(delay);
        time.max(delay).saturating_add((common / 4).max(self.least()))
    }

    /// One round, until this time: what those engines say that end in it, the one that needed least first.
    pub fn round(&mut self, time: u64) -> Vec<EngineResult> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if let Some(watch) = self.ground.watch {
            watch.grant(time.min(AT_LEAST).max(time / 2));
            if is_first {
                self.begin_watch(watch);
            }
        }
        // Most errors of C programs are found by the search of all states, with few ticks: the others begin
        // after it.
        let comes_first = is_first && self.begins_with_the_search();
        let working = if comes_first { &self.lanes[..1] } else { &self.lanes[..] };
        if self.ground.request.host.budget.is_some() {
            self.one_by_one(working, time);
        } else {
            working.iter().for_each(|lane| self.let_go(lane, time));
            self.wait(working, time);
        }
        self.collect()
    }

    /// Lets an engine go on until this time.
    fn let_go(&self, lane: &Arc<Lane>, time: u64) {
        lane.grant(time);
        if lane.begins() {
            self.begin(lane);
        }
    }

    /// One engine after the other; those after one that settled the question have nothing to add.
    fn one_by_one(&self, lanes: &[Arc<Lane>], time: u64) {
        for lane in lanes {
            self.let_go(lane, time);
            self.wait(std::slice::from_ref(lane), time);
            if lane.settles() || self.ground.request.is_stopped() {
                return;
            }
        }
    }

    fn begin_watch(&self, watch: &'env Watch<'env>) {
        let bell = Arc::clone(&self.bell);
        let body = move || {
            watch.run();
            bell.ring();
        };
        if !base::stack::spawn(self.scope, STACK, body) {
            watch.give_up();
        }
    }

    fn begin(&self, lane: &Arc<Lane>) {
        let (request, facts, bell) = (self.ground.request, self.ground.facts, Arc::clone(&self.bell));
        let body = {
            let lane = Arc::clone(lane);
            move || {
                let turn = Turn { candidate: &lane.candidate, budget: &lane.budget, facts };
                lane.end(turn.take(request));
                bell.ring();
            }
        };
        if self.is_alone {
            body();
        } else if !base::stack::spawn(self.scope, STACK, body) {
            lane.end(Some(Answer::unknown(request.host.limits.reason(Stop::Refused))));
        }
    }

    /// Waits for the end of the round: all have spent their ticks or ended. When one has settled the
    /// question, the others go on only as far as it came.
    fn wait(&self, lanes: &[Arc<Lane>], time: u64) {
        let (request, watch) = (self.ground.request, self.ground.watch);
        let mut last = time;
        loop {
            let rung = self.bell.rung();
            let settled = lanes.iter().filter(|it| it.settles()).map(|it| it.time()).min();
            if let Some(time) = settled.filter(|time| *time < last) {
                // Later answers do not count.
                last = time;
                lanes.iter().for_each(|it| it.grant(time));
            }
            // Where somebody settles the question, the watch is waited for at the end, for as long as it is
            // owed.
            let is_watched = settled.is_some() || watch.is_none_or(|it| it.rests());
            // Nobody waits for an engine that checks what it found too late.
            let rests = |it: &Arc<Lane>| it.rests() || (settled.is_some() && it.time() > last);
            if request.is_stopped() || (is_watched && lanes.iter().all(rests)) {
                break;
            }
            if self.is_found_early() {
                lanes.iter().for_each(|lane| lane.stop());
                break;
            }
            self.bell.wait(rung);
        }
        // An engine that a limit stopped says so in a moment.
        while request.is_stopped() && lanes.iter().any(|it| it.is_at_work()) {
            self.bell.wait(self.bell.rung());
        }
    }

    /// Whether undefined behaviour was found so early that only an error which the search of all states finds
    /// with as few ticks is told rather than it.
    fn is_found_early(&self) -> bool {
        let found = self.ground.watch.and_then(|it| it.found());
        let Some(found) = found.filter(|ticks| *ticks <= AT_LEAST) else { return false };
        let concrete = self.lanes.iter().find(|it| c::is_concrete(it.candidate.engine));
        concrete.is_none_or(|it| !it.is_at_work() || it.budget.spent() >= found.max(ALONE))
    }

    /// Whether nobody needs to say any more: undefined behaviour was found.
    pub fn is_cut_short(&self) -> bool {
        self.ground.watch.is_some_and(|it| it.found().is_some())
    }

    /// What those engines say that have ended.
    fn collect(&mut self) -> Vec<EngineResult> {
        let (left, mut done): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lanes).into_iter().partition(|lane| lane.is_at_work());
        self.lanes = left;
        // The one that needed least comes first.
        done.sort_by_key(|lane| lane.time());
        done.into_iter().filter_map(|lane| lane.result()).collect()
    }

    /// Ends those engines whose proofs have no certificates.
    pub fn stop_those_without_certificates(&mut self) {
        let (stopped, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lanes).into_iter().partition(|it| c::is_concrete(it.candidate.engine));
        stopped.iter().for_each(|lane| lane.stop());
        self.lanes = left;
    }

    /// Ends everything. The search for undefined behaviour goes on for as many ticks as it is owed.
    pub fn end(self, results: &[EngineResult]) {
        self.lanes.iter().for_each(|lane| lane.stop());
        self.ground.watch.iter().for_each(|it| it.finish(super::reasons::owed(results)));
    }
}
