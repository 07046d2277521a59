//! Guided replay: a trace of a prepared program shows the way, and the original program is executed along it.
//! Variables that the prepared program knows take the values of its trace where they may, the others any
//! value they may have; the reference semantics has the last word on every step. So a lifted trace is a trace
//! of the original, or there is none.

use crate::origin::Origin;
use base::Id;
use ir::bp::machine::Reaction;
use ir::bp::state::Passive;
use ir::bp::{
    Birth, Frame, Init, Loc, LocalId, Machine, Op, Program, SharedId, State, Step, Thread, ThreadId, Values,
    Var,
};
use ir::trace::ProgramTrace;
use std::collections::BTreeMap;

/// The trace of the original program along a trace of the prepared one, or what failed to fit.
pub fn replay(
    original: &Program,
    prepared: &Program,
    origin: &Origin,
    trace: &ProgramTrace,
) -> Result<ProgramTrace, String> {
    let guide = Guide::new(original, prepared, origin);
    let start = guide.start(&trace.start)?;
    let mut state = start.clone();
    let mut stacks = Stacks::new(&trace.start);
    let mut steps = Vec::with_capacity(trace.steps.len());
    for (index, followed) in trace.steps.iter().enumerate() {
        let moved = guide.step(&state, &stacks, followed);
        let (step, after) = moved.map_err(|why| format!("step {}: {why}", index + 1))?;
        stacks.follow(prepared, followed);
        steps.push(step);
        state = after;
    }
    let failure =
        Machine::new(original, None).failure(&state).ok_or("nothing fails at the end of the trace")?;
    Ok(ProgramTrace { start, steps, failure })
}

struct Guide<'a> {
    original: &'a Program,
    prepared: &'a Program,
    origin: &'a Origin,
    /// For each original variable the prepared one, if it was kept.
    shared: Vec<Option<SharedId>>,
    locals: Vec<Option<LocalId>>,
}

/// Where the activations of the prepared program's threads stand, the oldest first.
struct Stacks(BTreeMap<ThreadId, Vec<Loc>>);

impl Stacks {
    fn new(start: &State) -> Stacks {
        let stack = |thread: &Thread| thread.stack.iter().map(|frame| frame.loc).collect();
        Stacks(start.threads.iter().map(|(&name, thread)| (name, stack(thread))).collect())
    }

    /// The stacks after a step.
    fn follow(&mut self, prepared: &Program, step: &Step) {
        let mut stack = self.0.remove(&step.thread).unwrap_or_default();
        // A caller stays at its call while the callee runs.
        if !matches!(prepared.at(step.at).op, Op::Call { .. }) {
            stack.pop();
        }
        if let Some(to) = step.to {
            if matches!(prepared.at(step.at).op, Op::Return(_)) {
                stack.pop();
            }
            stack.push(to);
            self.0.insert(step.thread, stack);
        }
        self.0.extend(step.births.iter().map(|birth| (birth.thread, vec![birth.at])));
    }
}

impl<'a> Guide<'a> {
    fn new(original: &'a Program, prepared: &'a Program, origin: &'a Origin) -> Self {
        let mut shared = vec![None; original.shared().len()];
        let mut locals = vec![None; original.locals().len()];
        prepared.shared().ids().for_each(|id| shared[origin.shared[id.index()].index()] = Some(id));
        prepared.locals().ids().for_each(|id| locals[origin.locals[id.index()].index()] = Some(id));
        Guide { original, prepared, origin, shared, locals }
    }

    fn start(&self, start: &State) -> Result<State, String> {
        let shared = self.original.shared().enumerate().map(|(id, shared)| {
            let wanted = self.shared[id.index()].map(|id| start.shared[id.index()]);
            pick(start_values(shared.init), [wanted, None])
        });
        let shared = shared.collect();
        let threads = start.threads.iter().map(|(&name, thread)| (name, self.first_thread(thread)));
        let threads: BTreeMap<ThreadId, Thread> = threads.collect();
        let state = State { initialising: start.initialising, shared, threads };
        let machine = Machine::new(self.original, None);
        machine.starts_in(&state).map_err(|refusal| format!("the start: {}", refusal.0))?;
        Ok(state)
    }

    fn first_thread(&self, thread: &Thread) -> Thread {
        let at = self.origin.location(thread.loc());
        let none = vec![false; self.original.locals().len()];
        let mut first =
            Thread { inside: false, values: none.clone(), stack: vec![Frame { loc: at, values: none }] };
        let dead = &self.original.at(at).dead;
        for (local, values) in Machine::new(self.original, None).fresh_values(at) {
            let wanted = self.locals[local.index()].map(|local| thread.value(self.prepared, 0, local));
            let value = !dead.contains(&local) && pick(values, [wanted, None]);
            first.set(self.original, 0, local, value);
        }
        first
    }

    fn step(&self, state: &State, stacks: &Stacks, guide: &Step) -> Result<(Step, State), String> {
        let thread = guide.thread;
        let stands = state.threads.get(&thread).ok_or("there is no such thread")?;
        let choices = Machine::new(self.original, None).choices(state, thread);
        let write = |&(var, values): &(Var, Values)| {
            let wanted =
                guide.writes.iter().find(|write| self.origin.var(write.0) == var).map(|write| write.1);
            // A variable that a frame condition holds fast keeps its value.
            let old = match var {
                Var::Shared(id) => Some(state.shared[id.index()]),
                Var::Local(id) => Some(stands.value(self.original, stands.stack.len() - 1, id)),
            };
            (var, pick(values, [wanted, old]))
        };
        let step = Step {
            thread,
            at: stands.loc(),
            to: guide.to.map(|to| self.origin.location(to)),
            writes: choices.writes.iter().map(write).collect(),
            passive: choices.passive.iter().map(|it| self.passive(it, stacks, guide)).collect(),
            births: guide.births.iter().map(|birth| self.birth(state, &choices.child, birth)).collect(),
        };
        // At a bound, `start_thread` is a skip; the trace does not say which bound, but the skip says that it
        // is reached.
        let skipped = guide.births.is_empty() && matches!(self.original.at(step.at).op, Op::Start(_));
        let bound = skipped.then_some(state.threads.len() as u32);
        let after = Machine::new(self.original, bound).apply(state, &step).map_err(|refusal| refusal.0)?;
        Ok((step, after))
    }

    fn passive(&self, reaction: &Reaction, stacks: &Stacks, guide: &Step) -> Passive {
        let depth = self.depth(stacks.0.get(&reaction.thread), reaction.depth);
        let given = guide.passive.iter().find(|it| (it.thread, it.depth) == (reaction.thread, depth));
        let value = |&(local, values): &(LocalId, Values)| {
            let wanted = given.and_then(|given| self.value_of(local, &given.values));
            (local, pick(values, [wanted, None]))
        };
        let values = reaction.values.iter().map(value).collect();
        Passive { thread: reaction.thread, depth: reaction.depth, values }
    }

    /// The activation of the prepared program that an original one is part of: several may have become one.
    fn depth(&self, stack: Option<&Vec<Loc>>, original: usize) -> usize {
        let mut above = 0;
        let parts = stack.into_iter().flatten().map(|&loc| {
            above += self.origin.stack(loc).len();
            above
        });
        parts.take_while(|&above| above <= original).count()
    }

    fn birth(&self, state: &State, child: &[(LocalId, Values)], guide: &Birth) -> Birth {
        let at: Loc = self.origin.location(guide.at);
        let fresh = Machine::new(self.original, None).fresh_values(at);
        let possible = if state.initialising { &fresh } else { child };
        let value = |&(local, values): &(LocalId, Values)| {
            (local, pick(values, [self.value_of(local, &guide.values), None]))
        };
        Birth { thread: guide.thread, at, values: possible.iter().map(value).collect() }
    }

    /// The value of an original local in a list of the prepared trace.
    fn value_of(&self, local: LocalId, values: &[(LocalId, bool)]) -> Option<bool> {
        let prepared = self.locals[local.index()]?;
        values.iter().find(|value| value.0 == prepared).map(|value| value.1)
    }
}

fn start_values(init: Init) -> Values {
    match init {
        Init::Fixed(value) => Values::only(value),
        Init::Any => Values::ANY,
    }
}

/// The first wish that can be had, or else any value.
fn pick(values: Values, wishes: [Option<bool>; 2]) -> bool {
    let wish = wishes.into_iter().flatten().find(|&wish| values.may_be(wish));
    wish.unwrap_or_else(|| values.may_be(true) && !values.may_be(false))
}
