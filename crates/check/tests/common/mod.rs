//! Brute force for the tests of the checker: certificates made by exploring states one by one on the
//! reference semantics, and a judge of certificates that enumerates every concrete state they stand for.
//! Slow, and nothing here is shared with the checker.
#![allow(dead_code)]

pub mod nets;
pub mod symbolic;

use base::Id;
use ir::bp::{
    Count, Frame, Loc, LocalId, LocalScope, Machine, Op, Program, SharedId, State, Step, Thread, Var,
};
use ir::certificate::{Body, ControlLocation, LocalAt, Reached, StateView, ThreadView, View};
use ir::{Certificate, Model, Scope, Task};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use testing::Viewed;

/// A question about a program.
pub fn task(program: &Program, scope: Scope) -> Task {
    let model = Model::Program(Arc::new(program.clone()));
    Task::new(model, scope)
}

/// The certificate with this set, claiming its bound.
pub fn certificate(reached: Viewed<Reached>) -> Certificate {
    let scope = Scope::threads(reached.bound);
    reached.certificate(scope, Body::Reached)
}

/// A program under a bound, and which variables are kept everywhere.
pub struct Brute<'p> {
    pub program: &'p Program,
    pub bound: u32,
    pub kept: Vec<Var>,
}

impl<'p> Brute<'p> {
    pub fn full(program: &'p Program, bound: u32) -> Self {
        let shared = program.shared().ids().map(Var::Shared);
        let kept = shared.chain(program.locals().ids().map(Var::Local)).collect();
        Self { program, bound, kept }
    }

    pub fn machine(&self) -> Machine<'p> {
        Machine::new(self.program, Some(self.bound))
    }

    /// Whether full multisets stand for all smaller ones.
    fn only_full(&self) -> bool {
        let spawns = self.program.locations().iter().any(|it| matches!(it.op, Op::Start(_)));
        let open = self.program.start().templates.iter().any(|it| matches!(it.count, Count::AtLeast(_)));
        open && !spawns && self.program.monotone()
    }

    pub fn starts(&self) -> Vec<State> {
        let all = self.machine().starts().into_iter();
        let full =
            |it: &State| it.initialising || !self.only_full() || it.threads.len() == self.bound as usize;
        all.filter(full).collect()
    }

    pub fn steps(&self, state: &State) -> Vec<(Step, State)> {
        let all = state.threads.keys().flat_map(|&thread| self.machine().steps(state, thread));
        let full = |(_, after): &(Step, State)| {
            let started = state.initialising && !after.initialising;
            !started || !self.only_full() || after.threads.len() == self.bound as usize
        };
        all.filter(full).collect()
    }

    /// The least closed set of the view, by enumerating every state that it stands for; `None` if it gets
    /// large.
    pub fn least(&self, most: usize) -> Option<BTreeSet<Shown>> {
        let mut seen: BTreeSet<Shown> = self.starts().iter().map(|it| self.show(it)).collect();
        let mut work: Vec<Shown> = seen.iter().cloned().collect();
        while let Some(shown) = work.pop() {
            for state in self.stands_for(&shown, most)? {
                for (_, after) in self.steps(&state) {
                    let after = self.show(&after);
                    if seen.insert(after.clone()) {
                        work.push(after);
                    }
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(seen)
    }

    /// Whether the set holds all starts, is closed and has no failing state; `None` if that is too much work.
    pub fn is_proof(&self, set: &BTreeSet<Shown>) -> Option<bool> {
        if !self.starts().iter().all(|it| set.contains(&self.show(it))) {
            return Some(false);
        }
        for shown in set {
            for state in self.stands_for(shown, 3000)? {
                let fails = self.machine().failure(&state).is_some();
                if fails || !self.steps(&state).iter().all(|(_, after)| set.contains(&self.show(after))) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// A state seen through the view: forgotten variables are 0, threads in order.
    pub fn show(&self, state: &State) -> Shown {
        let mut state = state.clone();
        let shared = self.program.shared().ids();
        shared.filter(|&id| !self.keeps(Var::Shared(id))).for_each(|id| state.shared[id.index()] = false);
        for thread in state.threads.values_mut() {
            for (depth, local) in self.places(thread) {
                if !self.keeps(Var::Local(local)) {
                    thread.set(self.program, depth, local, false);
                }
            }
        }
        Shown(state.canonical())
    }

    /// All states that look so.
    fn stands_for(&self, shown: &Shown, most: usize) -> Option<Vec<State>> {
        let mut all = vec![shown.0.clone()];
        let both = |all: Vec<State>, set: &dyn Fn(&mut State)| {
            let with = all.into_iter().flat_map(|state| {
                let mut other = state.clone();
                set(&mut other);
                [state, other]
            });
            with.collect::<Vec<_>>()
        };
        for id in self.program.shared().ids().filter(|&id| !self.keeps(Var::Shared(id))) {
            all = both(all, &|state| state.shared[id.index()] = true);
        }
        for (&name, thread) in &shown.0.threads {
            for (depth, local) in self.places(thread) {
                if !self.keeps(Var::Local(local)) && !self.is_dead(thread, depth, local) {
                    let set = |state: &mut State| {
                        let thread = state.threads.get_mut(&name).expect("it lives");
                        thread.set(self.program, depth, local, true);
                    };
                    all = both(all, &set);
                }
                if all.len() > most {
                    return None;
                }
            }
        }
        Some(all)
    }

    fn keeps(&self, var: Var) -> bool {
        self.kept.contains(&var)
    }

    /// Whether a local is dead where the thread stands, and so is 0.
    fn is_dead(&self, thread: &Thread, depth: usize, local: LocalId) -> bool {
        let wide = self.program.locals()[local].scope == LocalScope::Thread;
        (wide || depth + 1 == thread.stack.len()) && self.program.at(thread.loc()).dead.contains(&local)
    }

    /// The locals that a thread has, thread-wide ones once.
    fn places(&self, thread: &Thread) -> Vec<(usize, LocalId)> {
        self.places_at(&thread.stack.iter().map(|it| it.loc).collect::<Vec<_>>())
    }

    fn places_at(&self, stack: &[Loc]) -> Vec<(usize, LocalId)> {
        let at = |(depth, &loc): (usize, &Loc)| {
            let wide = |local: &LocalId| self.program.locals()[*local].scope == LocalScope::Thread;
            let all = self.program.locals().ids().filter(move |local| depth == 0 || !wide(local));
            all.filter(move |&local| self.program.in_scope(loc, local))
                .map(move |local| (depth, local))
                .collect::<Vec<_>>()
        };
        stack.iter().enumerate().flat_map(at).collect()
    }

    /// The set as the body of a certificate.
    pub fn reached(&self, set: &BTreeSet<Shown>) -> Viewed<Reached> {
        let mut controls: Vec<ControlLocation> = vec![];
        let mut threads: BTreeSet<(usize, Vec<bool>)> = BTreeSet::new();
        let shared: Vec<SharedId> =
            self.program.shared().ids().filter(|&id| self.keeps(Var::Shared(id))).collect();
        for thread in set.iter().flat_map(|it| it.0.threads.values()) {
            threads.insert(self.thread_view(thread, &mut controls));
        }
        let threads: Vec<(usize, Vec<bool>)> = threads.into_iter().collect();
        let state = |shown: &Shown| {
            let mut counts = BTreeMap::new();
            for thread in shown.0.threads.values() {
                let view = self.thread_view(thread, &mut controls.clone());
                *counts.entry(threads.binary_search(&view).expect("it was listed")).or_insert(0) += 1;
            }
            let shared = shared.iter().map(|id| shown.0.shared[id.index()]).collect();
            StateView { initialising: shown.0.initialising, shared, threads: counts.into_iter().collect() }
        };
        let states = set.iter().map(state).collect();
        let threads = threads.into_iter().map(|(control, values)| ThreadView { control, values }).collect();
        let view = View { shared: shared.clone(), controls };
        Viewed { view, body: Reached { threads, states, bound: self.bound } }
    }

    fn thread_view(&self, thread: &Thread, controls: &mut Vec<ControlLocation>) -> (usize, Vec<bool>) {
        let stack: Vec<Loc> = thread.stack.iter().map(|it| it.loc).collect();
        let kept = self.places(thread).into_iter().filter(|it| self.keeps(Var::Local(it.1)));
        let kept: Vec<LocalAt> = kept.map(|(depth, local)| LocalAt { depth, local }).collect();
        let values = kept.iter().map(|it| thread.value(self.program, it.depth, it.local)).collect();
        let control = ControlLocation { stack, inside: thread.inside, kept };
        let index = controls.iter().position(|it| *it == control).unwrap_or_else(|| {
            controls.push(control);
            controls.len() - 1
        });
        (index, values)
    }

    /// What the body says, if it is well formed and of this view.
    pub fn read(&self, reached: &Viewed<Reached>) -> Option<BTreeSet<Shown>> {
        let stacks: Vec<_> = reached.view.controls.iter().map(|it| (&it.stack, it.inside)).collect();
        let distinct = |len: usize, unique: usize| (len == unique).then_some(());
        distinct(stacks.len(), stacks.iter().collect::<HashSet<_>>().len())?;
        distinct(reached.threads.len(), reached.threads.iter().collect::<HashSet<_>>().len())?;
        let threads: Option<Vec<Thread>> =
            reached.threads.iter().map(|it| self.thread(reached, it)).collect();
        let threads = threads?;
        reached.states.iter().map(|state| self.state(reached, &threads, state)).collect()
    }

    fn thread(&self, reached: &Viewed<Reached>, view: &ThreadView) -> Option<Thread> {
        let control = reached.view.controls.get(view.control)?;
        let none = vec![false; self.program.locals().len()];
        let frame = |&loc: &Loc| Frame { loc, values: none.clone() };
        let stack = control.stack.iter().map(frame).collect();
        let mut thread = Thread { inside: control.inside, values: none.clone(), stack };
        (control.kept.len() == view.values.len()).then_some(())?;
        for (kept, &value) in control.kept.iter().zip(&view.values) {
            (!value || !self.is_dead(&thread, kept.depth, kept.local)).then_some(())?;
            thread.set(self.program, kept.depth, kept.local, value);
        }
        Some(thread)
    }

    fn state(&self, reached: &Viewed<Reached>, threads: &[Thread], state: &StateView) -> Option<Shown> {
        let mut shared = vec![false; self.program.shared().len()];
        (state.shared.len() == reached.view.shared.len()).then_some(())?;
        reached.view.shared.iter().zip(&state.shared).for_each(|(id, &value)| shared[id.index()] = value);
        let mut all = vec![];
        state.threads.is_sorted_by(|a, b| a.0 < b.0).then_some(())?;
        for &(thread, n) in &state.threads {
            (n > 0 && all.len() + n as usize <= self.bound.max(1) as usize).then_some(())?;
            all.extend(vec![threads.get(thread)?.clone(); n as usize]);
        }
        let threads = (0..).zip(all).collect();
        Some(Shown(State { initialising: state.initialising, shared, threads }.canonical()))
    }
}

/// A state seen through a view.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shown(pub State);
