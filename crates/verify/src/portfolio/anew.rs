//! Rounds in which engines start anew, with what all have learnt in the rounds before.

use super::turn::Turn;
use super::{Candidate, EngineResult, Request, STACK, first_round, settles};
use crate::answer::Answer;
use ::engines::Facts;
use base::budget::StopHandle;
use base::{Budget, Stop};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Engines that start anew in each round.
pub struct Anew<'a> {
    request: &'a Request<'a>,
    running: Vec<Candidate>,
    facts: Facts,
}

impl<'a> Anew<'a> {
    /// These engines.
    pub fn new(request: &'a Request<'a>, running: Vec<Candidate>, facts: Facts) -> Anew<'a> {
        Anew { request, running, facts }
    }

    /// Whether somebody is at work.
    pub fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// The ticks of the first round: all, for one engine alone.
    pub fn first(&self) -> u64 {
        if self.running.len() > 1 { first_round(self.request) } else { u64::MAX }
    }

    /// Lets everybody read what was learnt.
    pub fn publish(&mut self) {
        self.facts.publish();
    }

    /// One round. Whoever has said something is not asked again.
    pub fn round(&mut self, ticks: u64) -> Vec<EngineResult> {
        let answers = match self.request.host.budget {
            Some(budget) => self.one_by_one(ticks, budget),
            None => self.side_by_side(ticks),
        };
        let (mut left, mut ended) = (vec![], vec![]);
        for (candidate, answer) in self.running.iter().zip(answers) {
            match answer {
                Some(answer) => {
                    let engine = candidate.engine.name();
                    ended.push(EngineResult { engine, answer, ticks });
                }
                None => left.push(*candidate),
            }
        }
        self.running = left;
        ended
    }

    fn ticks_of(&self, candidate: Candidate, ticks: u64) -> u64 {
        ticks.saturating_mul(candidate.share).min(self.request.plan.most_ticks)
    }

    /// Each engine on the budget of whoever asks; those after one that settled the question are not asked.
    fn one_by_one(&self, ticks: u64, budget: &Budget) -> Vec<Option<Answer>> {
        let mut answers: Vec<Option<Answer>> = vec![];
        for &candidate in &self.running {
            let is_settled = answers.iter().flatten().any(settles);
            let budget = budget.part(self.ticks_of(candidate, ticks));
            let turn = Turn { engine: candidate.engine, budget: &budget, facts: &self.facts };
            answers.push(if is_settled { None } else { turn.take(self.request) });
        }
        answers
    }

    fn side_by_side(&self, ticks: u64) -> Vec<Option<Answer>> {
        let handles: Vec<StopHandle> = self.running.iter().map(|_| self.request.host.stop.part()).collect();
        let answers: Vec<Mutex<Option<Answer>>> = self.running.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&candidate) = self.running.get(index) else { return };
                let budget = Budget::new(self.ticks_of(candidate, ticks), handles[index].clone());
                let turn = Turn { engine: candidate.engine, budget: &budget, facts: &self.facts };
                let answer = turn.take(self.request);
                if answer.as_ref().is_some_and(settles) {
                    handles[index + 1..].iter().for_each(|later| later.stop(Stop::Cancelled));
                }
                *answers[index].lock().unwrap_or_else(PoisonError::into_inner) = answer;
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        std::thread::scope(|scope| {
            for _ in 1..cores.min(self.running.len()) {
                // Without another thread this one does all the work.
                let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            }
            work();
        });
        answers.into_iter().map(|it| it.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}
