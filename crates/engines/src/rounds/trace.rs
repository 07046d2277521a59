//! From the derivation of an error to a schedule: which threads there are, in which order, and what each does
//! in each round.
//!
//! The error is on a path of some thread in some round i. Where that round began stand a right block, which
//! unfolds into the threads after it with their rounds up to i−1, and a want, which unfolds into the threads
//! before it with their rounds up to i. Each thread's own steps are read off its path alone: interfaces fit
//! together by their inputs and outputs, whatever else derived them.

use super::equations::{Equations, Kind, Meaning, PathKey};
use super::moves::Position;
use crate::fixpoint::{RelationElement, RelationId};
use base::Stop;
use solve::bdd::Level;
use std::collections::BTreeMap;

/// A step of a thread in the schedule.
#[derive(Clone, Debug)]
pub struct ScheduledStep {
    /// What: a move, a call or a return.
    pub what: Meaning,
    /// Where the thread is after it.
    pub after: PathKey,
    /// The bits of the thread and of the rounds after it.
    pub values: BTreeMap<Level, bool>,
}

/// A thread of the schedule.
#[derive(Clone, Debug)]
pub struct ThreadSchedule {
    /// Where it begins.
    pub begin: PathKey,
    /// The bits there.
    pub values: BTreeMap<Level, bool>,
    /// What it does.
    pub steps: Vec<ScheduledStep>,
}

/// A run within some rounds.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// What `init` does.
    pub init: Option<ThreadSchedule>,
    /// The shared bits when the threads start, in the order of the model's bits.
    pub shared: Vec<bool>,
    /// The threads in their order.
    pub threads: Vec<ThreadSchedule>,
    /// Which of them is in error at the end.
    pub failing: usize,
}

impl Schedule {
    /// All steps in order: which thread, and the position among its steps.
    pub fn sequence(&self) -> Vec<(usize, usize)> {
        let mut all: Vec<(usize, usize, usize)> = vec![];
        for (thread, schedule) in self.threads.iter().enumerate() {
            all.extend(schedule.steps.iter().enumerate().map(|(at, it)| (it.after.round, thread, at)));
        }
        all.sort();
        all.into_iter().map(|(_, thread, at)| (thread, at)).collect()
    }
}

/// The schedule of the error that was found.
pub fn schedule(equations: &mut Equations<'_, '_>) -> Result<Schedule, Stop> {
    let error = equations.system.pick(equations.error).expect("an error was found");
    let end = equations.system.derive(&error)?.body.swap_remove(0);
    let mut reader = TraceReader { equations };
    if reader.key(&end).kind == Kind::Init {
        let init = reader.thread(&end)?;
        return Ok(Schedule {
            shared: reader.shared(&init.values, 1),
            init: Some(init),
            threads: vec![],
            failing: 0,
        });
    }
    let paths = reader.threads(end.clone())?;
    let failing = paths.iter().position(|path| *path == end).expect("the thread in error takes part");
    let mut threads = vec![];
    for path in &paths {
        threads.push(reader.thread(path)?);
    }
    let first = &threads[0].values;
    let shared = reader.shared(first, 1);
    let init = reader.init(first)?;
    Ok(Schedule { init, shared, threads, failing })
}

struct TraceReader<'e, 'p, 'b> {
    equations: &'e mut Equations<'p, 'b>,
}

impl TraceReader<'_, '_, '_> {
    fn key(&self, path: &RelationElement) -> PathKey {
        self.equations.keys[&path.relation]
    }

    /// The shared state that is the output of a round.
    fn shared(&self, values: &BTreeMap<Level, bool>, round: usize) -> Vec<bool> {
        let levels = self.equations.space.layout.levels(self.equations.space.v[round - 1]);
        levels.iter().map(|level| values[level]).collect()
    }

    fn init(&mut self, first: &BTreeMap<Level, bool>) -> Result<Option<ThreadSchedule>, Stop> {
        if self.equations.model.program.start().init.is_none() {
            return Ok(None);
        }
        let levels = self.equations.space.layout.levels(self.equations.space.v[0]);
        let values = levels.iter().map(|&level| (level, first[&level])).collect();
        let after = RelationElement { relation: self.equations.initial, values };
        let ended = self.equations.system.derive(&after)?.body.swap_remove(0);
        Ok(Some(self.thread(&ended)?))
    }

    // ---- who takes part
    // --------------------------------------------------------------------------------------------

    /// The last elements of all threads' paths, in the order of the threads.
    fn threads(&mut self, end: RelationElement) -> Result<Vec<RelationElement>, Stop> {
        let round = self.key(&end).round;
        let bodies = self.where_round_began(&end)?;
        if round == 1 {
            return self.after_each_other(end, bodies);
        }
        let link = bodies.into_iter().nth(1).expect("a round begins from a path and a link");
        let parts = self.equations.system.derive(&link)?.body;
        let of = |relation: RelationId| parts.iter().find(|part| part.relation == relation).cloned();
        let (right, want) = (of(self.equations.right[round - 2]), of(self.equations.want[round - 1]));
        let mut threads = self.before(want, round)?;
        threads.push(end);
        threads.extend(self.behind(right.expect("a round begins after a right block"), round - 1)?);
        Ok(threads)
    }

    /// What the first element of the path's last round was derived from.
    fn where_round_began(&mut self, end: &RelationElement) -> Result<Vec<RelationElement>, Stop> {
        let round = self.key(end).round;
        let mut path = end.clone();
        loop {
            self.equations.system.calculus.budget.spend(1)?;
            let derivation = self.equations.system.derive(&path)?;
            match self.equations.meanings[&derivation.rule] {
                Meaning::Begin | Meaning::Resume => return Ok(derivation.body),
                Meaning::Leave(..) => {
                    // The callee was entered in an earlier round, or the caller was there when this one
                    // began.
                    let [caller, callee] = <[RelationElement; 2]>::try_from(derivation.body)
                        .expect("a return joins caller and callee");
                    path = if self.key(&caller).round < round { callee } else { caller };
                }
                _ => path = derivation.body.into_iter().next().expect("a step has a state before it"),
            }
        }
    }

    /// One round: each thread begins where the one before it stopped.
    fn after_each_other(
        &mut self,
        end: RelationElement,
        mut bodies: Vec<RelationElement>,
    ) -> Result<Vec<RelationElement>, Stop> {
        let mut threads = vec![end];
        while let Some(body) = bodies.pop().filter(|body| body.relation != self.equations.initial) {
            let path = self.path_of(&body)?;
            bodies = self.where_round_began(&path)?;
            threads.push(path);
        }
        threads.reverse();
        Ok(threads)
    }

    /// The path that shows this output.
    fn path_of(&mut self, out: &RelationElement) -> Result<RelationElement, Stop> {
        Ok(self.equations.system.derive(out)?.body.swap_remove(0))
    }

    fn before(
        &mut self,
        mut want: Option<RelationElement>,
        round: usize,
    ) -> Result<Vec<RelationElement>, Stop> {
        let mut threads = vec![];
        while let Some(wanted) = want {
            let body = self.equations.system.derive(&wanted)?.body;
            threads.push(self.path_of(&body[0])?);
            want = body.into_iter().find(|it| it.relation == self.equations.want[round - 1]);
        }
        threads.reverse();
        Ok(threads)
    }

    fn behind(&mut self, right: RelationElement, round: usize) -> Result<Vec<RelationElement>, Stop> {
        let mut threads = vec![];
        let mut rest = Some(right);
        while let Some(block) = rest {
            let body = self.equations.system.derive(&block)?.body;
            threads.push(self.path_of(&body[0])?);
            rest = body.into_iter().find(|it| it.relation == self.equations.right[round - 1]);
        }
        Ok(threads)
    }

    // ---- what each does
    // --------------------------------------------------------------------------------------------

    /// Walks a path back to its begin. A summary is walked from the callee's end to its entry before the
    /// caller's path goes on, so that everything comes out in reverse; no recursion, because stacks of
    /// summaries may be deep.
    fn thread(&mut self, end: &RelationElement) -> Result<ThreadSchedule, Stop> {
        let mut steps = vec![];
        // A path to walk; inside a summary, the call that it belongs to.
        let mut work: Vec<(RelationElement, Option<usize>)> = vec![(end.clone(), None)];
        let mut begin = None;
        while let Some((path, summary)) = work.pop() {
            self.equations.system.calculus.budget.spend(1)?;
            let derivation = self.equations.system.derive(&path)?;
            let mut body = derivation.body.into_iter();
            let mut add = |what| {
                steps.push(ScheduledStep {
                    what,
                    after: self.equations.keys[&path.relation],
                    values: path.values.clone(),
                })
            };
            match self.equations.meanings[&derivation.rule] {
                Meaning::Begin => begin = Some(path),
                Meaning::Resume => work.extend(body.next().map(|before| (before, summary))),
                Meaning::Enter(call) => {
                    add(Meaning::Enter(summary.unwrap_or(call)));
                    work.extend(body.next().filter(|_| summary.is_none()).map(|before| (before, None)));
                }
                Meaning::Leave(call, end) => {
                    add(Meaning::Leave(call, end));
                    work.extend(body.next().map(|caller| (caller, summary)));
                    work.extend(body.next().map(|callee| (callee, Some(call))));
                }
                what => {
                    add(what);
                    work.extend(body.next().map(|before| (before, summary)));
                }
            }
        }
        steps.reverse();
        let begin = begin.expect("every path begins somewhere");
        Ok(ThreadSchedule { begin: self.key(&begin), values: begin.values, steps })
    }
}

/// Whether a thread begins at a location, rather than asleep.
pub fn begins_at(thread: &ThreadSchedule) -> Option<ir::bp::Loc> {
    match thread.begin.position {
        Position::At(loc) => Some(loc),
        _ => None,
    }
}
