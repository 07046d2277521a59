//! All starts, all steps, all reachable states: guessed, and filtered by the definition beside this file.

use super::super::expr::{ExprId, Var};
use super::super::program::{Count, Loc, LocalId, Op};
use super::super::state::{Birth, Passive, State, Step, ThreadId};
use super::super::values::Values;
use super::{Activation, Choices, Machine, Reaction, product, start_values};
use std::collections::{BTreeMap, HashSet};

impl Machine<'_> {
    /// All states the program may start in. Where any number of threads may start there must be a bound.
    pub fn starts(&self) -> Vec<State> {
        let shared: Vec<(usize, Values)> =
            self.program.shared().iter().map(|shared| start_values(shared.init)).enumerate().collect();
        let births = match self.program.start().init {
            Some(init) => self.newborns(&[(0, self.program.procedures()[init].entry)]),
            None => self.populations(0),
        };
        let mut states = vec![];
        for shared in product(&shared) {
            let shared: Vec<bool> = shared.into_iter().map(|(_, value)| value).collect();
            for births in &births {
                let mut state = State {
                    initialising: self.program.start().init.is_some(),
                    shared: shared.clone(),
                    threads: BTreeMap::new(),
                };
                for birth in births {
                    let thread = self.newborn(birth, &self.fresh_values(birth.at)).expect("made to fit");
                    state.threads.insert(birth.thread, thread);
                }
                state.threads.values_mut().for_each(|thread| self.settle(thread));
                states.push(state);
            }
        }
        states
    }

    /// All ways to start the templates' threads, named from `first` on.
    fn populations(&self, first: ThreadId) -> Vec<Vec<Birth>> {
        let mut populations: Vec<Vec<Loc>> = vec![vec![]];
        for template in &self.program.start().templates {
            let entry = self.program.procedures()[template.procedure].entry;
            let (least, most) = match template.count {
                Count::Exactly(n) => (n, n),
                Count::AtLeast(n) => {
                    (n, self.bound.expect("any number may start: enumerating needs a bound"))
                }
            };
            let longer = |population: Vec<Loc>| {
                (least..=most).map(move |n| [population.clone(), vec![entry; n as usize]].concat())
            };
            populations = populations.into_iter().flat_map(longer).collect();
        }
        populations.retain(|population| self.bound.is_none_or(|bound| population.len() <= bound as usize));
        let named = |population: Vec<Loc>| (first..).zip(population).collect::<Vec<_>>();
        populations.into_iter().flat_map(|population| self.newborns(&named(population))).collect()
    }

    /// All fresh threads with these names and locations, one list of births for each choice of their locals.
    fn newborns(&self, population: &[(ThreadId, Loc)]) -> Vec<Vec<Birth>> {
        population.iter().fold(vec![vec![]], |lists, &(thread, at)| {
            let choices = product(&self.fresh_values(at));
            let longer = |list: Vec<Birth>| {
                let births = choices.iter().map(|values| Birth { thread, at, values: values.clone() });
                births.map(|birth| [list.clone(), vec![birth]].concat()).collect::<Vec<_>>()
            };
            lists.into_iter().flat_map(longer).collect()
        })
    }

    /// All steps of a thread, with the states they lead to.
    pub fn steps(&self, state: &State, thread: ThreadId) -> Vec<(Step, State)> {
        let candidates = self.candidates(state, thread).into_iter();
        candidates.filter_map(|step| self.apply(state, &step).ok().map(|after| (step, after))).collect()
    }

    /// What the next step of a thread may choose, part by part; everything that `apply` accepts is made of
    /// these.
    pub fn choices(&self, state: &State, thread: ThreadId) -> Choices {
        let me = self.current(state, thread);
        match &self.program.at(state.threads[&thread].loc()).op {
            Op::Assign { targets, broadcast, .. } => {
                let writes = targets.iter().map(|&(var, e)| (var, self.values(state, me, e))).collect();
                Choices { writes, passive: self.reactions(state, me, broadcast), ..Choices::default() }
            }
            Op::Call { procedure, args, .. } => {
                let value = |local| self.value_at_call(state, me, *procedure, args, local);
                let locals = self.locals_at_call(*procedure).into_iter();
                Choices { writes: locals.map(|v| (Var::Local(v), value(v))).collect(), ..Choices::default() }
            }
            Op::Return(values) if me.depth > 0 => {
                Choices { writes: self.taken_results(state, me, values), ..Choices::default() }
            }
            Op::Start(spawn) => Choices { child: self.child_values(state, me, spawn), ..Choices::default() },
            _ => Choices::default(),
        }
    }

    /// What a broadcast may do to the activations that it reaches.
    fn reactions(&self, state: &State, me: Activation, broadcast: &[(LocalId, ExprId)]) -> Vec<Reaction> {
        let reached = self.receivers(state, me, broadcast).into_iter();
        reached
            .map(|(copy, updates)| {
                let value = |e| self.values_between(state, state, me, Some(copy), e);
                let values = updates.iter().map(|&(local, e)| (local, value(e))).collect();
                Reaction { thread: copy.thread, depth: copy.depth, values }
            })
            .collect()
    }

    /// Steps that `apply` may accept, all steps of the thread among them.
    fn candidates(&self, state: &State, thread: ThreadId) -> Vec<Step> {
        let depth = self.current(state, thread).depth;
        let at = state.threads[&thread].loc();
        let location = self.program.at(at);
        let choices = self.choices(state, thread);
        let plain =
            Step { thread, at, to: Some(location.next), writes: vec![], passive: vec![], births: vec![] };
        let newest = state.threads.keys().last().map_or(0, |last| last + 1);
        match &location.op {
            Op::Goto(_) | Op::Branch { .. } => {
                let mut targets = self.program.successors(at);
                targets.sort();
                targets.dedup();
                targets.into_iter().map(|to| Step { to: Some(to), ..plain.clone() }).collect()
            }
            Op::Assign { .. } => {
                let passives = all_reactions(&choices.passive);
                let with = |writes: Vec<(Var, bool)>| {
                    let step = Step { writes, ..plain.clone() };
                    passives.iter().map(move |passive| Step { passive: passive.clone(), ..step.clone() })
                };
                product(&choices.writes).into_iter().flat_map(with).collect()
            }
            Op::Call { procedure, .. } => {
                let to = Some(self.program.procedures()[*procedure].entry);
                let all = product(&choices.writes).into_iter();
                all.map(|writes| Step { to, writes, ..plain.clone() }).collect()
            }
            Op::Return(_) if depth > 0 => {
                let caller = &state.threads[&thread].stack[depth - 1];
                let to = Some(self.program.at(caller.loc).next);
                let all = product(&choices.writes).into_iter();
                all.map(|writes| Step { to, writes, ..plain.clone() }).collect()
            }
            Op::Return(_) | Op::End => {
                let populations = if state.initialising { self.populations(newest) } else { vec![vec![]] };
                populations.into_iter().map(|births| Step { to: None, births, ..plain.clone() }).collect()
            }
            Op::Start(_) if self.bound.is_some_and(|bound| state.threads.len() >= bound as usize) => {
                vec![plain]
            }
            Op::Start(spawn) => {
                let at = self.child_location(spawn);
                let birth = |values| Birth { thread: newest, at, values };
                let all = product(&choices.child).into_iter();
                all.map(|values| Step { births: vec![birth(values)], ..plain.clone() }).collect()
            }
            _ => vec![plain],
        }
    }

    /// All states reachable from the starts, up to the names of threads; `None` if there are more than
    /// `most`.
    pub fn reachable(&self, most: usize) -> Option<HashSet<State>> {
        let mut seen: HashSet<State> = self.starts().iter().map(State::canonical).collect();
        let mut work: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = work.pop() {
            for &thread in state.threads.keys() {
                for (_, after) in self.steps(&state, thread) {
                    let after = after.canonical();
                    if !seen.contains(&after) {
                        seen.insert(after.clone());
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

    /// Whether an error is among the first `most` states found in which no stack has more than `depth`
    /// activations. A recursive program may have no end of states; an error that is found is real.
    pub fn fails_with_short_stacks(&self, depth: usize, most: usize) -> bool {
        let mut work: Vec<State> = self.starts().iter().map(State::canonical).collect();
        let mut seen: HashSet<State> = work.iter().cloned().collect();
        while let Some(state) = work.pop() {
            if self.failure(&state).is_some() {
                return true;
            }
            for &thread in state.threads.keys() {
                for (_, after) in self.steps(&state, thread) {
                    let after = after.canonical();
                    let short = after.threads.values().all(|it| it.stack.len() <= depth);
                    if short && seen.len() < most && seen.insert(after.clone()) {
                        work.push(after);
                    }
                }
            }
        }
        false
    }
}

/// All combinations of what a broadcast may do to the passive threads.
fn all_reactions(reactions: &[Reaction]) -> Vec<Vec<Passive>> {
    reactions.iter().fold(vec![vec![]], |lists, it| {
        let choices = product(&it.values);
        let longer = |list: Vec<Passive>| {
            let each = choices.iter().cloned();
            let passive = each.map(|values| Passive { thread: it.thread, depth: it.depth, values });
            passive.map(|it| [list.clone(), vec![it]].concat()).collect::<Vec<_>>()
        };
        lists.into_iter().flat_map(longer).collect()
    })
}
