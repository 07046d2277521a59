//! Programs as rules: each step of a thread that may be there is a rule. A shared state is the kept shared values, whether `init`
//! still runs, and whether somebody is inside an atomic section; then only that thread may step.

use super::blocked::Blocked;
use super::proof::{self, Tuples};
use super::rules::{Crowd, Local, Pool, Reactions, Rule, Rules, State, add};
use crate::interpret::start_values;
use crate::picks::Picks;
use crate::population;
use crate::reached::{Broadcast, Chart, Moves, SharedNo, Stepper, newborns};
use crate::{Refused, Rejected, reject};
use base::Budget;
use ir::Scope;
use ir::bp::{ProcId, Program};
use ir::certificate::{Closure, Reached, StateView, TupleView};
use std::collections::HashMap;

/// Checks the closure; it proves everything or nothing.
pub fn check(program: &Program, closure: &Closure, budget: &Budget) -> Result<Scope, Refused> {
    let shown = shown(closure);
    let chart = Chart::new(program, &shown, budget)?;
    let stepper = Stepper { chart: &chart, budget };
    let mut translator = Translator { stepper, states: vec![], numbers: HashMap::new(), rules: vec![] };
    let mut tuples = Tuples::new(closure.width, budget)?;
    for tuple in &closure.tuples {
        let (state, crowd) = translator.read(tuple);
        tuples.add(state, &crowd)?;
    }
    let blocked: Vec<(State, Crowd)> = closure.blocked.iter().map(|it| translator.read(it)).collect();
    let blocked = Blocked::new(blocked, budget);
    let rules = translator.all(&tuples, &blocked)?;
    proof::check(&tuples, &rules, &blocked)?;
    Ok(Scope::ANY)
}

/// The tuples and elements in the form of states: what is checked of their numbers is the same.
fn shown(closure: &Closure) -> Reached {
    let state = |it: &TupleView| StateView {
        initialising: it.initialising,
        shared: it.shared.clone(),
        threads: it.threads.clone(),
    };
    let states = closure.tuples.iter().chain(&closure.blocked).map(state).collect();
    let (view, threads) = (closure.view.clone(), closure.threads.clone());
    // The sizes of tuples and elements are checked elsewhere.
    Reached { view, threads, states, bound: u32::MAX }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    initialising: bool,
    busy: bool,
    shared: SharedNo,
}

struct Translator<'c> {
    stepper: Stepper<'c>,
    states: Vec<Key>,
    numbers: HashMap<Key, State>,
    rules: Vec<Rule>,
}

impl Translator<'_> {
    fn number(&mut self, key: Key) -> State {
        *self.numbers.entry(key).or_insert_with(|| {
            self.states.push(key);
            self.states.len() as State - 1
        })
    }

    fn read(&mut self, tuple: &TupleView) -> (State, Crowd) {
        let shared = self.stepper.chart.shared_number(&tuple.shared).expect("all valuations have numbers");
        let (initialising, busy) = (tuple.initialising, tuple.busy);
        let state = self.number(Key { initialising, busy, shared });
        (state, tuple.threads.iter().map(|&(thread, n)| (thread as Local, n)).collect())
    }

    fn all(mut self, tuples: &Tuples<'_>, blocked: &Blocked<'_>) -> Result<Rules, Refused> {
        let mut errors = vec![];
        for (state, locals) in tuples.states() {
            let key = self.states[state as usize];
            for &local in locals {
                let (chart, element) = (self.stepper.chart, vec![(local, 1)]);
                let may_step = !key.busy || chart.inside(local as usize);
                if self.stepper.is_error(key.shared, local, may_step)? {
                    errors.push((state, element));
                } else if may_step && !blocked.covers(state, &element) {
                    self.thread(state, local, locals)?;
                }
            }
        }
        let start = self.starts()?;
        Ok(Rules { rules: self.rules, errors, ..start })
    }

    /// The steps of a thread that may step; `others` are those that may be there.
    fn thread(&mut self, from: State, local: Local, others: &[Local]) -> Result<(), Refused> {
        let key = self.states[from as usize];
        let end = |starts: bool| Key { initialising: key.initialising && !starts, busy: false, ..key };
        match self.stepper.moves(key.shared, local)? {
            Moves::Go(landings) => {
                landings.iter().for_each(|&it| self.go(from, local, it, None, None));
            }
            Moves::Start { me, children } => {
                for &it in &me {
                    for child in &children {
                        self.go(from, local, it, Some(child.clone()?), None);
                    }
                }
            }
            Moves::End => {
                let to = self.number(end(key.initialising));
                let (take, make, tests) = (vec![(local, 1)], vec![], vec![]);
                let starts = key.initialising;
                self.rules.push(Rule { from, to, take, make, react: None, tests, starts });
            }
            Moves::Broadcast(broadcast) => self.broadcast(from, local, others, &broadcast)?,
        }
        Ok(())
    }

    fn go(
        &mut self,
        from: State,
        local: Local,
        (shared, me): (SharedNo, Local),
        child: Option<Local>,
        react: Option<Reactions>,
    ) {
        let busy = self.stepper.chart.inside(me as usize);
        let to = self.number(Key { shared, busy, ..self.states[from as usize] });
        let mut make = vec![(me, 1)];
        child.into_iter().for_each(|child| add(&mut make, child, 1));
        let (take, tests) = (vec![(local, 1)], vec![]);
        self.rules.push(Rule { from, to, take, make, react, tests, starts: false });
    }

    /// Without anybody to ask the condition must be one that somebody could meet: a thread that meets it shows that.
    fn broadcast(
        &mut self,
        from: State,
        local: Local,
        others: &[Local],
        broadcast: &Broadcast,
    ) -> Result<(), Refused> {
        for choice in broadcast.choices.iter().filter(|choice| choice.alone) {
            let mut react = Reactions::new();
            for &other in others {
                let reaction = broadcast.reaction(&self.stepper, choice, other)?;
                let missing = reaction.missing.clone();
                react.insert(other, missing.map_or_else(|| Ok(reaction.outcomes.clone()), Err));
            }
            for landing in &choice.landings {
                self.go(from, local, landing.clone()?, None, Some(react.clone()));
            }
        }
        Ok(())
    }

    /// The start alone, without rules.
    fn starts(&mut self) -> Result<Rules, Refused> {
        let (chart, budget) = (self.stepper.chart, self.stepper.budget);
        let start = chart.program.start();
        let mut pools = vec![];
        // Where `init` never ends, nobody else ever begins.
        if start.init.is_none() || self.rules.iter().any(|rule| rule.starts) {
            for (procedure, most) in population::pools(chart.program) {
                pools.push(Pool { locals: self.begun(procedure, budget)?, most });
            }
        }
        let (first, later) = match start.init {
            None => (pools, vec![]),
            Some(init) => (vec![Pool { locals: self.begun(init, budget)?, most: Some(1) }], pools),
        };
        let values = chart.kept_shared().iter().map(|&id| start_values(chart.program.shared()[id].init));
        let mut picks = Picks::new(values.collect());
        let mut states = vec![];
        while let Some(pick) = picks.current() {
            budget.spend(1)?;
            let Some(shared) = chart.shared_number(pick) else {
                return Ok(reject("a start has shared values that no tuple has")?);
            };
            states.push(self.number(Key { initialising: start.init.is_some(), busy: false, shared }));
            picks.advance();
        }
        Ok(Rules { rules: vec![], starts: states, first, later, errors: vec![] })
    }

    fn begun(&self, procedure: ProcId, budget: &Budget) -> Result<Vec<Local>, Refused> {
        let begun: Result<Vec<Local>, Rejected> = newborns(self.stepper.chart, procedure, budget)?;
        Ok(begun?)
    }
}
