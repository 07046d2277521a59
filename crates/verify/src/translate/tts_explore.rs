//! The thread states of a program that may matter: the closure of the initial ones under own steps and under
//! the steps of any other thread in the same shared state (the thread-modular relation without locks, which
//! over-approximates what is reachable). Steps are taken from the reference semantics, run on one thread, or
//! on two where a broadcast reaches another one.

use super::{stopped, unsupported};
use base::Budget;
use ir::bp::machine::Machine;
use ir::bp::program::{Init, Loc, Op};
use ir::bp::state::{FailureKind, Frame, State, Thread};
use ir::{Program, Reason};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

/// The most thread states, and the most steps.
const MOST: usize = 1 << 20;

/// The most undetermined variables at the start: each doubles the ways to start.
const MOST_UNDETERMINED: usize = 16;

/// Things with numbers in the order of their discovery.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    pub all: Vec<T>,
    index: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Self { all: vec![], index: HashMap::new() }
    }

    fn add(&mut self, item: T) -> usize {
        let next = self.all.len();
        let index = *self.index.entry(item.clone()).or_insert(next);
        if index == next {
            self.all.push(item);
        }
        index
    }
}

/// A shared state: the variables, whether somebody is inside an atomic section, and whether `init` still
/// runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Valuation {
    pub values: Vec<bool>,
    pub section: bool,
    pub initialising: bool,
}

/// A thread; that of `init` is told from the others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Local {
    pub thread: Thread,
    pub init: bool,
}

/// A step of one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub from: (usize, usize),
    pub shared: usize,
    /// The thread after the step, unless it ended.
    pub local: Option<usize>,
    pub child: Option<usize>,
    pub broadcast: bool,
}

/// The thread states and their steps.
pub(super) struct Explorer<'p> {
    program: &'p Program,
    machine: Machine<'p>,
    budget: &'p Budget,
    pub shared: Numbered<Valuation>,
    pub locals: Numbered<Local>,
    /// For each shared state the locals that occur with it.
    pub members: Vec<Vec<usize>>,
    known: HashSet<(usize, usize)>,
    work: Vec<(usize, usize)>,
    pub steps: Vec<Step>,
    /// For each shared state its successors by steps without a broadcast, and its broadcasts.
    plain: Vec<Vec<usize>>,
    broadcasts: Vec<Vec<usize>>,
    /// What `plain` holds.
    seen: HashSet<(usize, usize)>,
}

impl<'p> Explorer<'p> {
    pub fn new(program: &'p Program, budget: &'p Budget) -> Self {
        Self {
            program,
            machine: Machine::new(program, None),
            budget,
            shared: Numbered::new(),
            locals: Numbered::new(),
            members: vec![],
            known: HashSet::new(),
            work: vec![],
            steps: vec![],
            plain: vec![],
            broadcasts: vec![],
            seen: HashSet::new(),
        }
    }

    // ---- the start
    // -------------------------------------------------------------------------------------------------

    /// The shared states that the program may start in.
    pub fn valuations(&mut self) -> Result<Vec<usize>, Reason> {
        let inits: Vec<Init> = self.program.shared().iter().map(|it| it.init).collect();
        let initialising = self.program.start().init.is_some();
        let all = assignments(&inits)?.into_iter();
        Ok(all.map(|values| self.shared(Valuation { values, section: false, initialising })).collect())
    }

    /// The locals that a thread which begins here may start with.
    pub fn fresh(&mut self, at: Loc, init: bool) -> Result<Vec<usize>, Reason> {
        let program = self.program;
        let start = |local| match program.in_scope(at, local) && !program.at(at).dead.contains(&local) {
            true => program.locals()[local].init,
            false => Init::Fixed(false),
        };
        let inits: Vec<Init> = program.locals().ids().map(start).collect();
        let none = vec![false; inits.len()];
        let thread = |values: Vec<bool>| {
            let stack = vec![Frame { loc: at, values: none.clone() }];
            let mut thread = Thread { inside: false, values: none.clone(), stack };
            for (local, value) in program.locals().ids().zip(values) {
                thread.set(program, 0, local, value);
            }
            thread
        };
        let all = assignments(&inits)?.into_iter();
        Ok(all.map(|values| self.locals.add(Local { thread: thread(values), init })).collect())
    }

    // ---- the closure
    // -----------------------------------------------------------------------------------------------

    /// Closes these thread states under own and foreign steps.
    pub fn close(&mut self, start: impl IntoIterator<Item = (usize, usize)>) -> Result<(), Reason> {
        start.into_iter().for_each(|(s, l)| self.add(s, l));
        while let Some((s, l)) = self.work.pop() {
            self.charge(1)?;
            for to in self.plain[s].clone() {
                self.keep(l, to)?;
            }
            for step in self.broadcasts[s].clone() {
                self.receive(step, l)?;
            }
            for step in self.own_steps(s, l) {
                self.take(step)?;
            }
            if self.known.len() > MOST || self.steps.len() > MOST {
                return Err(unsupported(format!("the program has more than {MOST} thread states or steps")));
            }
        }
        Ok(())
    }

    fn charge(&self, ticks: u64) -> Result<(), Reason> {
        self.budget.spend(ticks).map_err(stopped)
    }

    fn shared(&mut self, valuation: Valuation) -> usize {
        let index = self.shared.add(valuation);
        if index == self.members.len() {
            self.members.push(vec![]);
            self.plain.push(vec![]);
            self.broadcasts.push(vec![]);
        }
        index
    }

    fn add(&mut self, s: usize, l: usize) {
        if self.known.insert((s, l)) {
            self.members[s].push(l);
            self.work.push((s, l));
        }
    }

    /// A new step: its thread moves on, a child appears, and every other thread sees it.
    fn take(&mut self, step: Step) -> Result<(), Reason> {
        let (s, to, broadcast) = (step.from.0, step.shared, step.broadcast);
        step.local.into_iter().chain(step.child).for_each(|l| self.add(to, l));
        let index = self.steps.len();
        self.steps.push(step);
        if broadcast {
            self.broadcasts[s].push(index);
            for l in self.members[s].clone() {
                self.receive(index, l)?;
            }
        } else if self.seen.insert((s, to)) {
            self.plain[s].push(to);
            for l in self.members[s].clone() {
                self.keep(l, to)?;
            }
        }
        Ok(())
    }

    /// Whether a thread may be there while another one steps: nobody is inside a section, and `init` has none
    /// beside it.
    pub fn is_passive(&self, l: usize) -> bool {
        let local = &self.locals.all[l];
        !local.thread.inside && !local.init
    }

    fn keep(&mut self, l: usize, to: usize) -> Result<(), Reason> {
        self.charge(1)?;
        if self.is_passive(l) {
            self.add(to, l);
        }
        Ok(())
    }

    fn receive(&mut self, step: usize, l: usize) -> Result<(), Reason> {
        self.charge(1)?;
        let to = self.steps[step].shared;
        for after in self.received(step, l) {
            self.add(to, after);
        }
        Ok(())
    }

    fn state(&self, s: usize, threads: &[usize]) -> State {
        let threads = threads.iter().map(|&l| self.locals.all[l].thread.clone());
        State {
            initialising: false,
            shared: self.shared.all[s].values.clone(),
            threads: (0..).zip(threads).collect::<BTreeMap<_, _>>(),
        }
    }

    /// Whether a thread may step: nobody else is inside a section, and while `init` runs only that thread is
    /// there.
    fn may_step(&self, s: usize, l: usize) -> bool {
        let (shared, local) = (&self.shared.all[s], &self.locals.all[l]);
        (!shared.section || local.thread.inside) && shared.initialising == local.init
    }

    fn own_steps(&mut self, s: usize, l: usize) -> Vec<Step> {
        if !self.may_step(s, l) {
            return vec![];
        }
        let op = &self.program.at(self.locals.all[l].thread.loc()).op;
        // While `init` runs there is nobody to broadcast to.
        let broadcast = matches!(op, Op::Assign { broadcast, .. } if !broadcast.is_empty())
            && !self.shared.all[s].initialising;
        let mut all: Vec<Step> = vec![];
        for (_, after) in self.machine.steps(&self.state(s, &[l]), 0) {
            let step = self.outcome(s, l, &after, 1, broadcast);
            if !all.contains(&step) {
                all.push(step);
            }
        }
        all
    }

    /// What a state after a step says about the thread that stepped and its child.
    fn outcome(&mut self, s: usize, l: usize, after: &State, child: u32, broadcast: bool) -> Step {
        let init = self.locals.all[l].init;
        let thread = after.threads.get(&0).cloned();
        let valuation = Valuation {
            values: after.shared.clone(),
            section: thread.as_ref().is_some_and(|it| it.inside),
            initialising: self.shared.all[s].initialising && thread.is_some(),
        };
        Step {
            from: (s, l),
            shared: self.shared(valuation),
            local: thread.map(|thread| self.locals.add(Local { thread, init })),
            child: after
                .threads
                .get(&child)
                .cloned()
                .map(|it| self.locals.add(Local { thread: it, init: false })),
            broadcast,
        }
    }

    /// What a passive thread may become by a broadcast.
    pub fn received(&mut self, step: usize, l: usize) -> Vec<usize> {
        let step = self.steps[step].clone();
        let (s, active) = step.from;
        if !self.is_passive(l) {
            return vec![];
        }
        let mut all = vec![];
        for (_, after) in self.machine.steps(&self.state(s, &[active, l]), 0) {
            if self.outcome(s, active, &after, 2, true) == step {
                let thread = after.threads[&1].clone();
                all.push(self.locals.add(Local { thread, init: false }));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a thread state is an error.
    pub fn fails(&self, s: usize, l: usize) -> bool {
        if self.shared.all[s].initialising != self.locals.all[l].init {
            return false;
        }
        self.machine.failure(&self.state(s, &[l])).is_some_and(|failure| {
            // A label is an error wherever its thread is; an assertion only when its thread may step.
            failure.kind == FailureKind::Label || self.may_step(s, l)
        })
    }
}

fn assignments(inits: &[Init]) -> Result<Vec<Vec<bool>>, Reason> {
    if inits.iter().filter(|&&init| init == Init::Any).count() > MOST_UNDETERMINED {
        let message = format!("more than {MOST_UNDETERMINED} variables have no first value");
        return Err(unsupported(message));
    }
    let mut all: Vec<Vec<bool>> = vec![vec![]];
    for init in inits {
        let longer = |list: Vec<bool>| {
            let values = [false, true].into_iter().filter(|&value| init.admits(value));
            values.map(move |value| [&list[..], &[value]].concat()).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    Ok(all)
}
