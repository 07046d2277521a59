//! A path that is a run of the guarded commands as a run of the C machine, if it is one: the guarded commands
//! may do more than the machine, which has the last word. Each command says which steps it takes; numbers to
//! choose are those that the solver chose.

use super::ControlPath;
use super::feasibility::Chosen;
use super::straight::{Owner, Straight};
use base::{Budget, Stop};
use c::{Loc, Machine, Refusal, State, Step, ThreadId};
use relation::Relation;

/// A path that is a run of the guarded commands, with the numbers that its steps may choose.
#[derive(Clone, Debug)]
pub struct RealPath {
    /// The path.
    pub path: ControlPath,
    /// For each of its steps the numbers that the solver chose.
    numbers: Vec<Vec<u128>>,
}

/// A step of the machine that is to be taken.
struct Wanted {
    thread: usize,
    at: Loc,
    step: usize,
}

/// A state on the way, with the steps that were not tried yet.
struct TriedState {
    state: State,
    /// The machine's names of the threads of the path.
    names: Vec<ThreadId>,
    open: Vec<Step>,
}

impl RealPath {
    /// A path with what the solver chose.
    pub(crate) fn new(path: ControlPath, straight: &Straight, chosen: &[Chosen]) -> RealPath {
        let mut first: Vec<u128> = vec![0, 1];
        let mut numbers = vec![vec![]; path.steps.len()];
        for it in chosen {
            match straight.copies.get(&it.variable).map(|it| it.owner) {
                Some(Owner::Step(step)) => numbers[step].push(it.value),
                Some(Owner::Thread(_)) if straight.relation.variables[it.variable].initial.is_none() => {
                    first.push(it.value);
                }
                _ => {}
            }
        }
        for list in &mut numbers {
            list.extend(&first);
        }
        RealPath { path, numbers }
    }

    /// The steps of the machine along the path, the last of which fails; `None` if none were found.
    pub fn run(
        &self,
        relation: &Relation,
        machine: &Machine<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<Step>>, Stop> {
        let mut wanted = vec![];
        for (step, it) in self.path.steps.iter().enumerate() {
            let steps = &relation.commands[it.command].steps;
            wanted.extend(steps.iter().map(|&at| Wanted { thread: it.thread, at, step }));
        }
        let start = machine.start();
        let names: Vec<ThreadId> = start.threads.keys().copied().collect();
        let Some(first) = wanted.first() else { return Ok(None) };
        // There is one more state than steps taken.
        let mut tried = vec![self.open(machine, start, names, first)];
        let mut taken: Vec<Step> = vec![];
        while let Some(last) = tried.last_mut() {
            budget.spend(1)?;
            let Some(step) = last.open.pop() else {
                tried.pop();
                taken.pop();
                continue;
            };
            let at = taken.len();
            match machine.perform(&last.state, &step) {
                Err(Refusal::Fails(_)) if at + 1 == wanted.len() => {
                    taken.push(step);
                    return Ok(Some(taken));
                }
                Ok((state, done)) if at + 1 < wanted.len() => {
                    let mut names = last.names.clone();
                    names.extend(done.created);
                    taken.push(step);
                    tried.push(self.open(machine, state, names, &wanted[at + 1]));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The steps that fit what is wanted next, the likeliest last.
    fn open(&self, machine: &Machine<'_>, state: State, names: Vec<ThreadId>, wanted: &Wanted) -> TriedState {
        let mut open = vec![];
        if let Some(&thread) = names.get(wanted.thread) {
            let candidates = machine.candidates(&state, &self.numbers[wanted.step]);
            open = candidates.into_iter().filter(|it| it.thread == thread && it.at == wanted.at).collect();
            open.reverse();
        }
        TriedState { state, names, open }
    }
}
