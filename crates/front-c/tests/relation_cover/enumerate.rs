//! All runs of a small program against its relation: the states of the machine are enumerated, and each of
//! its steps is part of a command of the thread that takes it, begun where that thread stood at a control
//! location last. What other threads did in between is what they did on the way to the state that was found
//! first; where a step leads to a state that was seen before, its thread goes on alone to its next control
//! location.

use super::projection::Projection;
use super::{Cover, Tally, Walk, entry, read_shared};
use ::c::{FailureKind, Loc, Machine, Op, ProcId, PropertyId, Refusal, State, Step, ThreadId};
use relation::{ControlId, Home, Relation};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// How far an enumeration goes.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    /// The numbers that a step may choose among.
    pub numbers: &'static [u128],
    /// The most states.
    pub states: usize,
    /// The most problems: one is enough to say that something is wrong.
    pub problems: usize,
}

/// How many ways to go on alone are looked at, and the most steps of each.
const ALONE: (usize, usize) = (8, 60);

/// Where a thread is with respect to the relation.
#[derive(Clone, Copy)]
struct Progress {
    template: ProcId,
    /// Where it stood last.
    control: ControlId,
    /// The state from which it has gone on since then.
    begun: Option<usize>,
}

struct Node {
    state: Rc<State>,
    /// The state before, and the step from there.
    parent: Option<(usize, Step)>,
    born: Rc<BTreeMap<ThreadId, Loc>>,
    progress: BTreeMap<ThreadId, Progress>,
}

struct Enumerator<'a> {
    machine: &'a Machine<'a>,
    relation: &'a Relation,
    projection: Projection<'a>,
    shared: Rc<[::c::LocalId]>,
    limits: Enumeration,
    nodes: Vec<Node>,
    seen: HashMap<Rc<State>, usize>,
}

/// Checks every step of the machine; whether all states were looked at.
pub fn enumerate(machine: &Machine<'_>, relation: &Relation, limits: Enumeration, tally: &mut Tally) -> bool {
    let projection = Projection::new(machine.program(), relation);
    let shared = read_shared(relation);
    let mut it =
        Enumerator { machine, relation, projection, shared, limits, nodes: vec![], seen: HashMap::new() };
    it.start(tally);
    let mut at = 0;
    while at < it.nodes.len() && tally.problems.len() < limits.problems {
        if it.nodes.len() >= limits.states {
            return false;
        }
        it.expand(at, tally);
        at += 1;
    }
    true
}

impl Enumerator<'_> {
    /// The first state, in which the variables have their first values.
    fn start(&mut self, tally: &mut Tally) {
        let program = self.machine.program();
        let state = Rc::new(self.machine.start());
        let main = program.main();
        let control = self.relation.start;
        if entry(program, self.relation, main) != Some(control) {
            tally.problems.push("the first thread does not begin at its first step".into());
        }
        for (variable, it) in self.relation.variables.enumerate() {
            let live = self.relation.controls[control].live.contains(&variable);
            let Some(initial) = it.initial.filter(|_| live || it.home == Home::Shared) else { continue };
            if self.projection.value(variable, &state, 0).is_some_and(|seen| seen != initial) {
                tally.problems.push(format!("`{}` does not begin with {initial}", it.name));
            }
        }
        let progress = BTreeMap::from([(0, Progress { template: main, control, begun: None })]);
        self.seen.insert(state.clone(), 0);
        self.nodes.push(Node { state, parent: None, born: Rc::default(), progress });
    }

    /// Checks all steps from a state.
    fn expand(&mut self, at: usize, tally: &mut Tally) {
        let state = self.nodes[at].state.clone();
        for step in self.machine.candidates(&state, self.limits.numbers) {
            match self.machine.perform(&state, &step) {
                Ok((after, done)) => {
                    tally.steps += 1;
                    let mut walk = self.walk(at, step.thread);
                    Rc::make_mut(&mut walk.born).extend(done.created.map(|child| (child, step.at)));
                    walk.steps.push(step);
                    walk.states.push(Rc::new(after));
                    self.follow(at, walk, tally);
                }
                Err(Refusal::Fails(FailureKind::Property(property))) => {
                    let walk = self.walk(at, step.thread);
                    self.fail(at, walk, (step, property), tally);
                }
                Err(_) => {}
            }
        }
    }

    /// The run to a state, from where a thread has gone on.
    fn walk(&self, at: usize, id: ThreadId) -> Walk {
        let first = self.nodes[at].progress[&id].begun.unwrap_or(at);
        let mut walk = Walk {
            states: vec![self.nodes[at].state.clone()],
            steps: vec![],
            failure: None,
            born: self.nodes[at].born.clone(),
        };
        let mut node = at;
        while node != first {
            let (parent, step) = self.nodes[node].parent.expect("a thread has gone on from an earlier state");
            walk.steps.push(step);
            walk.states.push(self.nodes[parent].state.clone());
            node = parent;
        }
        walk.steps.reverse();
        walk.states.reverse();
        walk
    }

    fn fail(&self, at: usize, mut walk: Walk, failure: (Step, PropertyId), tally: &mut Tally) {
        walk.failure = Some(failure);
        self.check(&walk, failure.0.thread, self.nodes[at].progress[&failure.0.thread], tally);
    }

    /// Covers what a thread has done since it stood at a control location: where it stands now, if it does.
    fn check(&self, walk: &Walk, id: ThreadId, progress: Progress, tally: &mut Tally) -> Option<ControlId> {
        let cover = Cover {
            program: self.machine.program(),
            machine: self.machine,
            relation: self.relation,
            walk,
            projection: self.projection.of_threads(&walk.born),
            shared: self.shared.clone(),
        };
        cover.follow(&cover.thread_of(id, progress.template), progress.control, tally)
    }

    /// Goes on after a step that is the last of a run.
    fn follow(&mut self, from: usize, walk: Walk, tally: &mut Tally) {
        let step = walk.steps[walk.steps.len() - 1];
        let state = walk.states[walk.states.len() - 1].clone();
        let mut progress = self.nodes[from].progress[&step.thread];
        let stands = self.check(&walk, step.thread, progress, tally);
        match stands {
            Some(control) => (progress.control, progress.begun) = (control, None),
            None => progress.begun = Some(progress.begun.unwrap_or(from)),
        }
        if self.seen.contains_key(&state) {
            if stands.is_none() && state.threads.contains_key(&step.thread) {
                self.alone(walk, step.thread, self.nodes[from].progress[&step.thread], tally);
            }
            return;
        }
        let mut all = self.nodes[from].progress.clone();
        all.insert(step.thread, progress);
        self.begin(&walk, &mut all, tally);
        all.retain(|id, _| state.threads.contains_key(id));
        self.seen.insert(state.clone(), self.nodes.len());
        self.nodes.push(Node { state, parent: Some((from, step)), born: walk.born, progress: all });
    }

    /// Threads that have just begun.
    fn begin(&self, walk: &Walk, all: &mut BTreeMap<ThreadId, Progress>, tally: &mut Tally) {
        let program = self.machine.program();
        let state = &walk.states[walk.states.len() - 1];
        for (&id, &at) in walk.born.iter().filter(|(id, _)| state.threads.contains_key(id)) {
            let Op::Create { template, .. } = program.at(at).op else { continue };
            if all.contains_key(&id) {
                continue;
            }
            match entry(program, self.relation, template) {
                Some(control) => {
                    all.insert(id, Progress { template, control, begun: None });
                }
                None => tally.problems.push(format!("nobody begins at {template:?}")),
            }
        }
    }

    /// A thread goes on alone until it stands at a control location, in all ways.
    fn alone(&self, walk: Walk, id: ThreadId, progress: Progress, tally: &mut Tally) {
        let (mut ways, most) = (ALONE.0, walk.steps.len() + ALONE.1);
        let mut work = vec![walk];
        while let Some(walk) = work.pop().filter(|_| ways > 0) {
            ways -= 1;
            let state = walk.states[walk.states.len() - 1].clone();
            let steps = self.machine.candidates(&state, self.limits.numbers).into_iter();
            for step in steps.filter(|step| step.thread == id) {
                let next = match self.machine.perform(&state, &step) {
                    Ok((after, done)) => {
                        let mut next = walk.clone();
                        Rc::make_mut(&mut next.born).extend(done.created.map(|child| (child, step.at)));
                        next.steps.push(step);
                        next.states.push(Rc::new(after));
                        next
                    }
                    Err(Refusal::Fails(FailureKind::Property(property))) => {
                        Walk { failure: Some((step, property)), ..walk.clone() }
                    }
                    Err(_) => continue,
                };
                let stands = self.check(&next, id, progress, tally).is_some();
                let there = next.states[next.states.len() - 1].threads.contains_key(&id);
                if !stands && there && next.failure.is_none() && next.steps.len() < most {
                    work.push(next);
                }
            }
        }
    }
}
