//! From a path of stored states to a run of the reference semantics. Stored states have forgotten which
//! thread is which and which choices were made: each expansion on the path is done again, with its steps,
//! until it gives the next state, and the threads are followed under their real names.

use super::lazy;
use super::search::BoundedSearch;
use super::state::{GlobalState, TaggedStep};
use crate::explore::NONE;
use base::{Budget, Id, Stop};
use c::machine::Rejected;
use c::{Choice, InstanceId, Machine, Renaming, State, Step, ThreadId, Trace};
use std::collections::{BTreeMap, HashMap};

/// Why a path is no trace: a fault of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoTrace {
    /// An expansion did not give what it gave before.
    Lost,
    /// The reference semantics refuses it.
    Rejected(String),
}

/// The trace that ends in a failing step on the way from a stored state.
pub fn trace(
    search: &mut BoundedSearch<'_>,
    requested: c::Options,
    from: u32,
    budget: &Budget,
) -> Result<Result<Trace, NoTrace>, Stop> {
    let mut path = vec![NONE];
    if from != NONE {
        path.extend(search.states.path(from));
    }
    let objects = search.space.runner.machine.start().memory.instances.len();
    let mut names = Names {
        real: vec![0],
        next: 1,
        objects: (0..objects).map(InstanceId::from_index).collect(),
        next_object: objects,
        steps: vec![],
    };
    for (at, &here) in path.iter().enumerate() {
        let (found, failing) = search.recorded(here, budget)?;
        // The search may have run only one thread here, and another one fails at once: so much the better.
        if let Some(failing) = failing {
            names.translate(&failing.steps);
            let machine = Machine::new(search.space.runner.machine.program(), requested);
            let rejected = |why: Rejected| NoTrace::Rejected(format!("step {}: {}", why.at, why.why));
            // The last step of a run into a state that is the error is not taken.
            let last = failing.is_state.then(|| names.steps.pop()).flatten();
            let runner = &search.space.runner;
            let settled = match lazy::settle(&machine, &runner.chosen, runner.has_unchosen, &names.steps) {
                Ok(settled) => settled,
                Err(refusal) => return Ok(Err(NoTrace::Rejected(refusal.to_string()))),
            };
            let mut steps = without_cycles(&machine, settled);
            if requested.leaks.matter() {
                steps = up_to_the_leak(&machine, steps);
            }
            steps.extend(last);
            return Ok(machine.record(&steps).map_err(rejected));
        }
        let Some(&next) = path.get(at + 1) else { break };
        if !names.follow(search, found, next)? {
            break;
        }
    }
    Ok(Err(NoTrace::Lost))
}

/// Cycles are looked for in traces with at most this many steps: all their states are kept.
const MOST_STEPS: usize = 10_000;

/// The steps without those that lead back to a state that was there before. A thread that is run on until
/// something stops it may turn round in a loop many times before it is seen that nothing does.
fn without_cycles(machine: &Machine<'_>, steps: Vec<Step>) -> Vec<Step> {
    if steps.len() > MOST_STEPS {
        return steps;
    }
    let mut states = vec![machine.start()];
    let mut numbers: HashMap<State, usize> = states.iter().cloned().zip(0..).collect();
    let mut kept = vec![];
    for step in steps {
        kept.push(step);
        let Ok(after) = machine.apply(&states[states.len() - 1], &step) else { break };
        if let Some(&number) = numbers.get(&after) {
            kept.truncate(number);
            for dropped in states.drain(number + 1..) {
                numbers.remove(&dropped);
            }
        } else {
            numbers.insert(after.clone(), states.len());
            states.push(after);
        }
    }
    kept
}

/// The steps up to the first state with a leak, if there is one: what is lost is lost in all states behind.
fn up_to_the_leak(machine: &Machine<'_>, mut steps: Vec<Step>) -> Vec<Step> {
    let mut states = vec![machine.start()];
    for step in &steps {
        match machine.apply(&states[states.len() - 1], step) {
            Ok(after) => states.push(after),
            Err(_) => break,
        }
    }
    let kept = states.partition_point(|state| machine.leak(state).is_none());
    steps.truncate(kept);
    steps
}

/// The real names of the threads of a stored state, in the order of its row.
struct Names {
    real: Vec<ThreadId>,
    next: ThreadId,
    /// The real numbers of its objects, by number; the next new one gets the next number.
    objects: Vec<InstanceId>,
    next_object: usize,
    steps: Vec<Step>,
}

impl Names {
    /// Takes the steps to the next stored state, which is one of those found.
    fn follow(
        &mut self,
        search: &mut BoundedSearch<'_>,
        found: Vec<GlobalState>,
        to: u32,
    ) -> Result<bool, Stop> {
        for mut run in found {
            let steps = run.log.take().unwrap_or_default();
            let objects = run.memory.instances.len();
            let packed = search.space.pack_with_tags(&mut run)?;
            if search.states.states().find(&packed.row) == Some(to) {
                let by_tag = self.translate(&steps);
                self.follow_objects(objects, packed.renaming.as_ref());
                self.real = packed.tags.iter().map(|tag| by_tag[tag]).collect();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes over the objects of the next stored state: this many there were before they got new numbers.
    fn follow_objects(&mut self, number: usize, renaming: Option<&Renaming>) {
        let all: Vec<InstanceId> = (0..number).map(|at| self.object(InstanceId::from_index(at))).collect();
        self.next_object += number.saturating_sub(self.objects.len());
        self.objects = match renaming {
            Some(renaming) => renaming.old().filter_map(|old| all.get(old.index()).copied()).collect(),
            None => all,
        };
    }

    /// The real number of an object. Objects come into being in the same order here and there.
    fn object(&self, id: InstanceId) -> InstanceId {
        let new = || InstanceId::from_index(self.next_object + id.index() - self.objects.len());
        self.objects.get(id.index()).copied().unwrap_or_else(new)
    }

    /// Appends steps under real names; what each tag stands for.
    fn translate(&mut self, steps: &[TaggedStep]) -> BTreeMap<u32, ThreadId> {
        let mut by_tag: BTreeMap<u32, ThreadId> =
            self.real.iter().enumerate().map(|(at, &name)| (at as u32, name)).collect();
        for step in steps {
            let choice = Choice {
                thread: step.choice.thread.map(|tag| by_tag[&tag]),
                reuses: step.choice.reuses.map(|id| self.object(id)),
                ..step.choice
            };
            self.steps.push(Step { thread: by_tag[&step.tag], at: step.at, choice });
            if let Some(created) = step.created {
                by_tag.insert(created, self.next);
                self.next += 1;
            }
        }
        by_tag
    }
}
