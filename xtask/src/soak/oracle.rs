//! What brute force says of a program or a net: whether there is an error with this many threads, and within
//! this many rounds.

use ir::bp::{Count, Machine, Op, State, ThreadId};
use ir::{Bound, Model, Program};
use std::collections::HashSet;

/// The most threads of the brute force.
pub const THREADS: u32 = 3;
/// Programs with more states than this are left out.
const MOST_STATES: usize = 1500;
/// The same for programs with recursion, which may have no end of states, and larger and larger ones.
const MOST_OF_RECURSION: usize = 400;
/// The most states of all schedules by rounds.
const MOST_IN_ROUNDS: usize = 20_000;

/// What brute force says.
#[derive(Clone)]
pub struct Truth {
    /// For each number of threads whether there is an error.
    fails: [bool; THREADS as usize],
    /// Whether there is an error in a run in which the bound kept no thread from being created: one that any
    /// number of threads has, too.
    fails_without_bound: bool,
    /// Whether all states were looked at.
    pub complete: bool,
    /// The fewest threads with which the model can start.
    pub least: u32,
}

impl Truth {
    /// `None` for a model with too many states, unless these are the states of a recursion: then errors that
    /// are found are real.
    pub fn of(model: &Model) -> Option<Truth> {
        let mut truth = Truth {
            fails: Default::default(),
            fails_without_bound: false,
            complete: true,
            least: least(model),
        };
        for (bound, fails) in (1..).zip(&mut truth.fails) {
            *fails = match (model, fails_with(model, bound)) {
                (_, Some(fails)) => fails,
                (Model::Program(program), None) if program.recursive_procedure().is_some() => {
                    truth.complete = false;
                    Machine::new(program, Some(bound)).fails_with_short_stacks(4, MOST_STATES)
                }
                _ => return None,
            };
        }
        truth.fails_without_bound = match model {
            // A created thread that stands still is as good as none, unless somebody looks at it.
            Model::Program(program) if !program.monotone() => truth.complete && fails_unhindered(program)?,
            _ => truth.fails.contains(&true),
        };
        Some(truth)
    }

    /// Whether an error is known within the bound.
    pub fn fails(&self, bound: Bound) -> bool {
        match bound {
            Bound::AtMost(0) => false,
            Bound::AtMost(n) => self.fails[n.min(THREADS) as usize - 1],
            Bound::Any => self.fails_without_bound,
        }
    }
}

fn fails_with(model: &Model, bound: u32) -> Option<bool> {
    match model {
        Model::Program(program) => {
            let machine = Machine::new(program, Some(bound));
            let recursive = program.recursive_procedure().is_some();
            let states = machine.reachable(if recursive { MOST_OF_RECURSION } else { MOST_STATES })?;
            Some(states.iter().any(|state| machine.failure(state).is_some()))
        }
        Model::C(_) => None,
        Model::Net(net) => {
            let machine = ir::net::Machine::new(net, Some(bound));
            let markings = machine.reachable(MOST_STATES)?;
            Some(markings.iter().any(|marking| machine.at_target(marking)))
        }
    }
}

/// Whether there is an error in a run with few threads in which every `start_thread` creates one.
fn fails_unhindered(program: &Program) -> Option<bool> {
    let machine = Machine::new(program, Some(THREADS));
    let mut work: Vec<State> = machine.starts().iter().map(State::canonical).collect();
    let mut seen: HashSet<State> = work.iter().cloned().collect();
    while let Some(state) = work.pop() {
        if machine.failure(&state).is_some() {
            return Some(true);
        }
        if seen.len() > MOST_STATES {
            return None;
        }
        for &thread in state.threads.keys() {
            for (step, after) in machine.steps(&state, thread) {
                let hindered = step.births.is_empty() && matches!(program.at(step.at).op, Op::Start(_));
                let after = after.canonical();
                if !hindered && seen.insert(after.clone()) {
                    work.push(after);
                }
            }
        }
    }
    Some(false)
}

fn least(model: &Model) -> u32 {
    match model {
        Model::Program(program) => {
            let counts = program.start().templates.iter().map(|template| match template.count {
                Count::Exactly(n) | Count::AtLeast(n) => n,
            });
            counts.sum()
        }
        Model::Net(net) => net.start().tokens.iter().map(|tokens| tokens.least).sum(),
        Model::C(_) => 1,
    }
}

/// Whether an error is known within this many rounds: each thread has a turn in each round, always in the
/// same order, and may make any number of steps in it, but not stop inside a section. Only for programs that
/// create no threads. Where threads of a fixed number are there one of them may have to come first: an error
/// counts if it is there whichever that is.
pub fn fails_in_rounds(program: &Program, rounds: u32) -> bool {
    if program.locations().iter().any(|location| matches!(location.op, Op::Start(_))) {
        return false;
    }
    let fixed =
        program.start().templates.iter().filter(|template| matches!(template.count, Count::Exactly(1..)));
    let entries: Vec<_> = fixed.map(|template| program.procedures()[template.procedure].entry).collect();
    let fails = |first: Option<ir::bp::Loc>| {
        (1..=THREADS).any(|threads| Schedules::new(program, threads).fails(rounds, first) == Some(true))
    };
    if entries.is_empty() { fails(None) } else { entries.into_iter().all(|entry| fails(Some(entry))) }
}

struct Schedules<'p> {
    machine: Machine<'p>,
    threads: u32,
    /// How many states may still be looked at.
    left: usize,
}

impl<'p> Schedules<'p> {
    fn new(program: &'p Program, threads: u32) -> Self {
        Self { machine: Machine::new(program, Some(threads)), threads, left: MOST_IN_ROUNDS }
    }

    /// `None` if there are too many states to say.
    fn fails(&mut self, rounds: u32, first: Option<ir::bp::Loc>) -> Option<bool> {
        for start in self.after_init()? {
            for order in orders(&start) {
                let leads = |entry| order.first().is_some_and(|it| start.threads[it].loc() == entry);
                if !first.is_none_or(leads) {
                    continue;
                }
                let mut states = HashSet::from([start.clone()]);
                for _ in 0..rounds {
                    for &thread in &order {
                        states = match self.turn(states, thread)? {
                            Some(after) => after,
                            None => return Some(true),
                        };
                    }
                }
            }
        }
        Some(false)
    }

    /// The states in which all threads are there.
    fn after_init(&mut self) -> Option<Vec<State>> {
        let mut seen: HashSet<State> = self.machine.starts().into_iter().collect();
        let mut work: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = work.pop() {
            self.left = self.left.checked_sub(1)?;
            if !state.initialising {
                continue;
            }
            for &thread in state.threads.keys() {
                let steps = self.machine.steps(&state, thread).into_iter();
                work.extend(steps.map(|(_, after)| after).filter(|after| seen.insert(after.clone())));
            }
        }
        let full = |state: &State| !state.initialising && state.threads.len() == self.threads as usize;
        let mut all: Vec<State> = seen.into_iter().filter(full).collect();
        all.sort();
        Some(all)
    }

    /// All states in which the turn of a thread may end; `Some(None)` if it meets an error.
    fn turn(&mut self, states: HashSet<State>, thread: ThreadId) -> Option<Option<HashSet<State>>> {
        let mut work: Vec<State> = states.iter().cloned().collect();
        let mut seen = states;
        while let Some(state) = work.pop() {
            self.left = self.left.checked_sub(1)?;
            if self.machine.failure(&state).is_some_and(|failure| failure.thread == thread) {
                return Some(None);
            }
            if !state.threads.contains_key(&thread) {
                continue;
            }
            let steps = self.machine.steps(&state, thread).into_iter();
            work.extend(steps.map(|(_, after)| after).filter(|after| seen.insert(after.clone())));
        }
        seen.retain(|state| state.threads.get(&thread).is_none_or(|it| !it.inside));
        Some(Some(seen))
    }
}

/// All orders of the threads.
fn orders(state: &State) -> Vec<Vec<ThreadId>> {
    let mut orders: Vec<Vec<ThreadId>> = vec![vec![]];
    for _ in 0..state.threads.len() {
        let longer = |order: Vec<ThreadId>| {
            let rest: Vec<ThreadId> =
                state.threads.keys().filter(|it| !order.contains(it)).copied().collect();
            rest.into_iter().map(move |thread| [&order[..], &[thread]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders
}
