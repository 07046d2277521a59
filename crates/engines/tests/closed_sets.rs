//! Deadlocks against brute force over the reference semantics, on random programs, without spurious wake-ups:
//! no thread of a closed set ever steps again, whatever the others do; and a thread that waits outside of one
//! can step after some continuation, unless a closed set comes to hold it, or somebody is stuck for another
//! reason.

use c::machine::Deadlocks;
use c::{Blocked, Choice, Machine, Options, Program, Refusal, State, Step, ThreadId};
use std::collections::{BTreeSet, HashMap};
use testing::programs::normalised;

/// How many programs of each kind.
const PROGRAMS: u64 = 220;
/// Programs with more states are left out.
const STATES: usize = 1_000;

/// All states of a program, with their successors and the threads that step to them.
struct Graph {
    states: Vec<State>,
    next: Vec<Vec<(ThreadId, usize)>>,
    /// By state: the threads that wait for each other for ever.
    closed: Vec<BTreeSet<ThreadId>>,
    /// By state: whether a thread is stuck there, at a failing assertion or assumption or at undefined
    /// behaviour: nobody waits for good because of it.
    stuck: Vec<bool>,
}

impl Graph {
    fn new(program: &Program) -> Option<Graph> {
        let options = Options { spurious_wakeups: false, deadlocks: Deadlocks::All, ..Options::default() };
        let machine = Machine::new(program, options);
        let start = machine.start();
        let mut numbers = HashMap::from([(start.clone(), 0)]);
        let mut graph = Graph { states: vec![start], next: vec![], closed: vec![], stuck: vec![] };
        while graph.next.len() < graph.states.len() {
            let state = graph.states[graph.next.len()].clone();
            let found = machine.deadlock(&state);
            graph.closed.push(found.iter().flat_map(|it| &it.waits).map(|it| it.thread).collect());
            graph.stuck.push(state.threads.keys().any(|&it| is_stuck(&machine, &state, it)));
            let mut next = vec![];
            for (step, after) in machine.successors(&state, &[0, 1]) {
                let new = graph.states.len();
                let number = *numbers.entry(after.clone()).or_insert(new);
                if number == new {
                    graph.states.push(after);
                }
                next.push((step.thread, number));
            }
            graph.next.push(next);
            if graph.states.len() > STATES {
                return None;
            }
        }
        Some(graph)
    }

    /// By state: the threads that end or come to be in a closed set in some continuation, or, if that
    /// counts, step. Where somebody is stuck everybody is among them.
    fn going_on(&self, steps_count: bool) -> Vec<BTreeSet<ThreadId>> {
        let mut good: Vec<BTreeSet<ThreadId>> = vec![BTreeSet::new(); self.states.len()];
        loop {
            let mut changed = false;
            for at in (0..self.states.len()).rev() {
                let state = &self.states[at];
                let halted = state.threads.values().any(|it| it.halted);
                for &thread in state.threads.keys() {
                    let goes_on = halted
                        || self.stuck[at]
                        || self.closed[at].contains(&thread)
                        || self.next[at].iter().any(|&(by, to)| {
                            (steps_count && by == thread)
                                || good[to].contains(&thread)
                                || !self.states[to].threads.contains_key(&thread)
                        });
                    changed |= goes_on && good[at].insert(thread);
                }
            }
            if !changed {
                return good;
            }
        }
    }

    /// What is wrong with its closed sets; otherwise how many states have one, and how many threads wait in
    /// others.
    fn judge(&self, program: &Program) -> Result<[usize; 2], String> {
        let (mut deadlocks, mut waiting) = (0, 0);
        let (good, ending) = (self.going_on(true), self.going_on(false));
        for (at, state) in self.states.iter().enumerate() {
            let closed = &self.closed[at];
            deadlocks += usize::from(!closed.is_empty());
            for &(by, to) in &self.next[at] {
                if closed.contains(&by) {
                    return Err(format!("{by:?} of a closed set steps at {state:?}"));
                }
                let halted = self.states[to].threads.values().any(|it| it.halted);
                if !halted && !closed.is_subset(&self.closed[to]) {
                    return Err(format!("a closed set is open after a step of {by:?} at {state:?}"));
                }
            }
            // To wait for somebody who goes round for ever is no deadlock.
            if good[at].iter().any(|thread| !ending[at].contains(thread)) {
                continue;
            }
            let steps = |thread: ThreadId| self.next[at].iter().any(|it| it.0 == thread);
            let waits = |thread: ThreadId| {
                let waits = program.effects(state.threads[&thread].loc()).waits;
                waits.iter().any(|it| !matches!(it, Blocked::Assumption | Blocked::ThreadBound))
            };
            for &thread in state.threads.keys().filter(|&&it| waits(it) && !steps(it)) {
                waiting += 1;
                if !good[at].contains(&thread) {
                    return Err(format!("{thread:?} waits for ever outside of a closed set at {state:?}"));
                }
            }
        }
        Ok([deadlocks, waiting])
    }
}

/// Whether a thread never steps again, for a reason that is no waiting.
fn is_stuck(machine: &Machine<'_>, state: &State, thread: ThreadId) -> bool {
    let step = Step { thread, at: state.threads[&thread].loc(), choice: Choice::default() };
    matches!(
        machine.apply(state, &step),
        Err(Refusal::Fails(_)
            | Refusal::Unsupported(_)
            | Refusal::Blocked(Blocked::Assumption | Blocked::Undefined(_)))
    )
}

#[test]
fn closed_sets_are_what_never_steps_again() {
    let (mut programs, mut deadlocks, mut waiting) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let texts = [testing::c::locking(seed), testing::c::concurrent(seed)];
        for text in texts {
            let Some(normalised) = normalised("random.c", &text, &[]) else { continue };
            let Some(graph) = Graph::new(&normalised.program) else { continue };
            let [some, others] =
                graph.judge(&normalised.program).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
            programs += 1;
            deadlocks += usize::from(some > 0);
            waiting += others;
        }
    }
    println!("{programs} programs, {deadlocks} with a deadlock, {waiting} waits that end");
    assert!(programs >= 300 && deadlocks > 30 && waiting > 100, "{programs} {deadlocks} {waiting}");
}
