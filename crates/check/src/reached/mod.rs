//! Reached sets of programs: every start is in the set, every step from it leads back into it, nothing in it fails.
//!
//! The set speaks of threads seen through a view. A variable that the view forgets is read as either value and its writes vanish:
//! that only adds behaviour, so that a set that is closed all the same holds every reachable state, whatever was forgotten.

mod chart;
mod crowd;
mod passive;
mod starts;
mod step;

use crate::describe::place;
use crate::picks::Splits;
use crate::population::Population;
use crate::{Refused, Rejected, reject};
use base::Budget;
use crowd::{Crowd, States};
use ir::bp::Program;
use ir::certificate::{Reached, StateView};
use ir::{Bound, Scope};
use passive::Choice;
use std::collections::HashMap;
use std::rc::Rc;

pub use chart::{Chart, SharedNo, ThreadNo};
pub use passive::Broadcast;
pub use starts::newborns;
pub use step::{Moves, Stepper};

/// Checks the set; the scope that it proves. `asked` is the bound of the task.
pub fn check(program: &Program, reached: &Reached, asked: Bound, budget: &Budget) -> Result<Scope, Refused> {
    let chart = Chart::new(program, reached, budget)?;
    let templates = program.start().templates.iter();
    let mut checker = Checker {
        stepper: Stepper { chart: &chart, budget },
        states: States::new(&chart, budget)?,
        population: Population::new(program),
        newborns: templates.map(|it| newborns(&chart, it.procedure, budget)).collect::<Result<_, _>>()?,
        moves: HashMap::new(),
    };
    checker.starts()?;
    for (index, state) in reached.states.iter().enumerate() {
        checker.state(state).map_err(|refused| match refused {
            Refused::Rejected(Rejected(why)) => Rejected(format!("state {index}: {why}")).into(),
            stopped => stopped,
        })?;
    }
    Ok(checker.population.scope(program, reached.bound, asked)?)
}

struct Checker<'c> {
    stepper: Stepper<'c>,
    states: States,
    population: Population,
    /// What the threads of each template may be.
    newborns: Vec<Result<Vec<ThreadNo>, Rejected>>,
    moves: HashMap<(SharedNo, ThreadNo), Rc<Moves>>,
}

/// A thread that steps in some state.
#[derive(Clone, Copy)]
struct Actor<'s> {
    state: &'s StateView,
    shared: SharedNo,
    thread: ThreadNo,
}

impl Checker<'_> {
    fn bound(&self) -> u64 {
        u64::from(self.stepper.chart.reached.bound)
    }

    fn state(&mut self, state: &StateView) -> Result<(), Refused> {
        let chart = self.stepper.chart;
        let shared = chart.shared_number(&state.shared).expect("all valuations have numbers");
        let inside = state.threads.iter().filter(|it| chart.inside(it.0));
        let inside: u64 = inside.map(|it| u64::from(it.1)).sum();
        for &(thread, _) in &state.threads {
            self.stepper.budget.spend(1)?;
            if chart.program.at(chart.loc(thread)).error {
                let at = place(chart.program, chart.loc(thread));
                return Ok(reject(format!("thread {thread} stands at an error label, {at}"))?);
            }
            // While a thread is inside an atomic section only that thread may step.
            if inside == 0 || (inside == 1 && chart.inside(thread)) {
                let actor = Actor { state, shared, thread: thread as ThreadNo };
                self.thread(actor).map_err(|refused| match refused {
                    Refused::Rejected(Rejected(why)) => {
                        let at = place(chart.program, chart.loc(thread));
                        Rejected(format!("thread {thread} {at}: {why}")).into()
                    }
                    stopped => stopped,
                })?;
            }
        }
        Ok(())
    }

    fn thread(&mut self, actor: Actor<'_>) -> Result<(), Refused> {
        let key = (actor.shared, actor.thread);
        let moves = match self.moves.get(&key) {
            Some(known) => known.clone(),
            None => {
                let moves = Rc::new(self.stepper.moves(actor.shared, actor.thread)?);
                self.moves.insert(key, moves.clone());
                moves
            }
        };
        let crowd = Crowd::of(&actor.state.threads);
        let rest = crowd.without(actor.thread);
        match &*moves {
            Moves::Go(landings) => self.go(actor, landings, &rest)?,
            Moves::Start { me, .. } if crowd.len() >= self.bound() => {
                self.note_start(me, &crowd);
                self.go(actor, me, &rest)?;
            }
            Moves::Start { me, children } => {
                self.note_start(me, &crowd);
                if !me.is_empty() {
                    for child in children {
                        let mut others = rest.clone();
                        others.add(child.clone()?, 1);
                        self.go(actor, me, &others)?;
                    }
                }
            }
            Moves::End if actor.state.initialising => self.populate(actor.shared, &rest)?,
            Moves::End => self.require(false, actor.shared, &rest)?,
            Moves::Broadcast(broadcast) => {
                for choice in &broadcast.choices {
                    self.broadcast(actor, broadcast, choice, &rest)?;
                }
            }
        }
        Ok(())
    }

    fn note_start(&mut self, me: &[(SharedNo, ThreadNo)], crowd: &Crowd) {
        if !me.is_empty() {
            self.population.note_start(crowd.len());
        }
    }

    /// The thread goes on in any one of these ways, the others stay.
    fn go(
        &mut self,
        actor: Actor<'_>,
        landings: &[(SharedNo, ThreadNo)],
        others: &Crowd,
    ) -> Result<(), Refused> {
        for &(shared, me) in landings {
            let mut after = others.clone();
            after.add(me, 1);
            self.require(actor.state.initialising, shared, &after)?;
        }
        Ok(())
    }

    /// One choice of a broadcast: the passive threads of each group become any of the group's outcomes, each on its own.
    fn broadcast(
        &mut self,
        actor: Actor<'_>,
        broadcast: &Broadcast,
        choice: &Choice,
        rest: &Crowd,
    ) -> Result<(), Refused> {
        let mut reactions = vec![];
        for &(thread, n) in rest.groups() {
            reactions.push((broadcast.reaction(&self.stepper, choice, thread)?, n));
        }
        let blocked = reactions.iter().any(|(it, _)| it.outcomes.is_empty() && it.missing.is_none());
        let nobody = !reactions.iter().any(|(it, _)| it.asked);
        if blocked || choice.landings.is_empty() || (nobody && !choice.alone) {
            return Ok(());
        }
        if let Some(missing) = reactions.iter().find_map(|(it, _)| it.missing.clone()) {
            return Err(missing.into());
        }
        let landings = choice.landings.iter().cloned().collect::<Result<Vec<_>, Rejected>>()?;
        let mut splits = Splits::new(reactions.iter().map(|(it, n)| (*n, it.outcomes.len())));
        while let Some(split) = splits.current() {
            self.stepper.budget.spend(1)?;
            let mut others = Crowd::default();
            for ((reaction, _), counts) in reactions.iter().zip(split) {
                reaction.outcomes.iter().zip(counts).for_each(|(&outcome, &n)| others.add(outcome, n));
            }
            self.go(actor, &landings, &others)?;
            splits.advance();
        }
        Ok(())
    }

    fn require(&mut self, initialising: bool, shared: SharedNo, crowd: &Crowd) -> Result<(), Refused> {
        self.stepper.budget.spend(1)?;
        if self.states.contains(initialising, shared, crowd) {
            return Ok(());
        }
        Ok(reject(format!("a step leads out of the set: {}", self.words(initialising, shared, crowd)))?)
    }

    /// A state in words.
    fn words(&self, initialising: bool, shared: SharedNo, crowd: &Crowd) -> String {
        let chart = self.stepper.chart;
        let values = chart.kept_shared().iter().zip(chart.shared_values_kept(shared));
        let shared: Vec<String> = values
            .map(|(&id, &value)| format!("{}={}", chart.program.shared()[id].name, u8::from(value)))
            .collect();
        let threads: Vec<String> =
            crowd.groups().iter().map(|(thread, n)| format!("{n} of thread {thread}")).collect();
        let phase = if initialising { "during init, " } else { "" };
        let list =
            |items: Vec<String>| if items.is_empty() { "nothing".to_string() } else { items.join(", ") };
        format!("{phase}shared {}; alive {}", list(shared), list(threads))
    }
}
