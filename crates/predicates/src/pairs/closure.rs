//! The closure over states of one thread and of two threads (thread-modular reasoning with predicates; spec
//! width 1 and width 2): the least set that has the start and is closed under steps of each thread, of its
//! partner and of a third one, by exact images. If no failing command is possible in it, it is an invariant
//! for any number of threads.

use crate::pairs::basis::Basis;
use crate::pairs::companions::Companions;
use crate::pairs::formulas::{CHILD, Forms};
use crate::pairs::images::Question;
use crate::pairs::plan::{Joint, Planner, SHARED, Seen, local_word, pair_word};
use crate::pairs::races::Racing;
use crate::pairs::state::{About, Cause, Pair, Single, States};
use base::{Budget, Id, Stop};
use relation::{ControlId, Outcome, Relation};
use std::rc::Rc;

/// How wide to look, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// 1: threads one by one; 2: two at a time.
    pub width: u8,
    /// The most states of two threads.
    pub states: usize,
    /// Whether failing commands are passed over: they lead nowhere, and the closure is wanted for another
    /// use.
    pub all: bool,
}

/// What the closure came to.
pub enum Closed {
    /// No failing command is possible.
    Safe(States),
    /// A failing command is possible in a state of one thread.
    Alarm {
        /// All states.
        states: States,
        /// The number of the failing command.
        command: usize,
        /// The number of the state of one thread that it begins in.
        single: usize,
    },
    /// Two accesses may race in a state of two threads.
    Race {
        /// All states.
        states: States,
        /// The accesses.
        racing: Racing,
    },
    /// There are too many states.
    Large,
}

/// Computes the closure.
pub fn close(relation: &Relation, basis: &Basis, limits: Limits, budget: &Budget) -> Result<Closed, Stop> {
    close_with(relation, basis, None, limits, budget)
}

/// Computes the closure; at width 1, only threads that can be there together disturb each other.
pub fn close_with(
    relation: &Relation,
    basis: &Basis,
    companions: Option<&Companions>,
    limits: Limits,
    budget: &Budget,
) -> Result<Closed, Stop> {
    let mut closure = Closure {
        relation,
        basis,
        companions,
        limits,
        budget,
        commands: commands_by_control(relation),
        planner: Planner::new(Forms::new(relation, basis, budget)?, limits.states),
        states: States::default(),
    };
    let closed = closure.start().and_then(|()| closure.run());
    match closed {
        // One image alone has more states than there may be.
        Err(Stop::Ticks) if closure.planner.images.gave_up => Ok(Closed::Large),
        other => other,
    }
}

pub(super) struct Closure<'a> {
    pub(super) relation: &'a Relation,
    pub(super) basis: &'a Basis,
    pub(super) companions: Option<&'a Companions>,
    pub(super) limits: Limits,
    pub(super) budget: &'a Budget,
    commands: Vec<Rc<[usize]>>,
    pub(super) planner: Planner<'a>,
    pub(super) states: States,
}

fn commands_by_control(relation: &Relation) -> Vec<Rc<[usize]>> {
    let mut lists: Vec<Vec<usize>> = vec![vec![]; relation.controls.len()];
    for (number, command) in relation.commands.iter().enumerate() {
        lists[command.from.index()].push(number);
    }
    lists.into_iter().map(Rc::from).collect()
}

impl Closure<'_> {
    /// The states of the first thread: all that its initial values allow.
    fn start(&mut self) -> Result<(), Stop> {
        let lists = self.planner.forms.start()?;
        let control = self.relation.start;
        let live = [self.basis.shared_bits(), self.basis.local_bits(control)];
        let mut question = Question::default();
        let mut places = vec![];
        for (word, (list, bits)) in lists.iter().zip(live).enumerate() {
            for (at, &lit) in list.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1) {
                question.wanted.push(lit);
                places.push((word, at));
            }
        }
        let aig = &self.planner.forms.circuits.aig;
        let component = self.planner.images.component(aig, question, self.budget)?;
        for &solution in self.planner.images.solutions(component, 0, self.budget)?.iter() {
            let mut words = [0u64; 2];
            for (bit, &(word, at)) in places.iter().enumerate() {
                words[word] |= ((solution >> bit & 1) as u64) << at;
            }
            self.states.add_single(Single { control, shared: words[0], local: words[1] }, Cause::Start);
        }
        Ok(())
    }

    fn run(&mut self) -> Result<Closed, Stop> {
        let (mut single, mut edge) = (0, 0);
        loop {
            if single < self.states.singles.len() {
                if let Some(command) = self.single(single)? {
                    return Ok(Closed::Alarm { states: std::mem::take(&mut self.states), command, single });
                }
                single += 1;
            } else if edge < self.states.pair_causes.len() {
                self.edge(edge)?;
                edge += 1;
            } else {
                if let Some((command, single)) = self.miscount()? {
                    return Ok(Closed::Alarm { states: std::mem::take(&mut self.states), command, single });
                }
                let racing = if self.limits.all { None } else { self.race()? };
                let states = std::mem::take(&mut self.states);
                return Ok(match racing {
                    Some(racing) => Closed::Race { states, racing },
                    None => Closed::Safe(states),
                });
            }
            if self.states.pair_causes.len().max(self.states.singles.len()) > self.limits.states {
                return Ok(Closed::Large);
            }
        }
    }

    /// All that a state of one thread leads to; a failing command that is possible in it.
    fn single(&mut self, number: usize) -> Result<Option<usize>, Stop> {
        let state = self.states.singles[number];
        for &command in self.commands[state.control.index()].clone().iter() {
            self.budget.spend(1)?;
            let plan = self.planner.plan(command, Seen::Alone)?;
            let mut before = Joint::default();
            before.0[SHARED] = state.shared;
            before.0[local_word(0)] = state.local;
            let found = self.planner.image(&plan, &before)?;
            let fails =
                matches!(self.relation.commands[command].outcome, Outcome::Fail(_) | Outcome::Refuse(_));
            if fails && !self.limits.all && !found.is_empty() {
                return Ok(Some(command));
            }
            if !self.goes_on(command) {
                continue;
            }
            let step = Step { command, passive: None, about: None };
            for after in found {
                let cause = |child| Cause::Own { command, before: number, child };
                self.after(&step, &after, [cause(false), cause(true)]);
            }
        }
        if self.limits.width == 1 {
            self.environment(number)?;
        }
        Ok(None)
    }

    /// Width 1: what a thread in this state does to others, and others to it.
    fn environment(&mut self, number: usize) -> Result<(), Stop> {
        let state = self.states.singles[number];
        let partners: Vec<usize> = self.states.with_shared(state.shared).to_vec();
        for partner in partners.into_iter().filter(|&partner| partner <= number) {
            self.budget.spend(1)?;
            self.passive(number, partner)?;
            if partner != number {
                self.passive(partner, number)?;
            }
        }
        Ok(())
    }

    fn passive(&mut self, active: usize, passive: usize) -> Result<(), Stop> {
        let (one, other) = (self.states.singles[active], self.states.singles[passive]);
        if self.companions.is_some_and(|it| !it.allow(one, other)) {
            return Ok(());
        }
        for &command in self.commands[one.control.index()].clone().iter() {
            let plan = self.planner.plan(command, Seen::Passive(other.control))?;
            if plan.idle {
                continue;
            }
            let mut before = Joint::default();
            before.0[SHARED] = one.shared;
            before.0[local_word(0)] = one.local;
            before.0[local_word(1)] = other.local;
            for after in self.planner.image(&plan, &before)? {
                if self.goes_on(command) {
                    let cause = Cause::Environment { command, before: passive, other: active };
                    self.states.add_single(single_of(&after, 1, other.control), cause);
                }
            }
        }
        Ok(())
    }

    /// All that a state of two threads leads to.
    fn edge(&mut self, edge: usize) -> Result<(), Stop> {
        let sides = if self.states.is_symmetric(edge) { 1 } else { 2 };
        for number in 2 * edge..2 * edge + sides {
            self.pair(number)?;
            self.as_active_and_passive(number)?;
        }
        self.as_two_passive(2 * edge)
    }

    /// Steps of the first thread of the two.
    fn pair(&mut self, number: usize) -> Result<(), Stop> {
        let state = self.states.pairs[number];
        for &command in self.commands[state.control[0].index()].clone().iter() {
            self.budget.spend(1)?;
            if !self.goes_on(command) {
                continue;
            }
            let plan = self.planner.plan(command, Seen::Pair(state.control[1]))?;
            let mut before = Joint::default();
            before.0[SHARED] = state.shared;
            before.0[local_word(0)] = state.local[0];
            before.0[local_word(1)] = state.local[1];
            before.0[pair_word(0, 1)] = state.relations;
            let step = Step { command, passive: Some(state.control[1]), about: Some(number) };
            for after in self.planner.image(&plan, &before)? {
                let cause = |about| Cause::Pair { command, before: number, about };
                self.after(&step, &after, [cause(About::Active), cause(About::ActiveChild)]);
            }
        }
        Ok(())
    }

    /// Triples in which the first thread of this state is active and the second is one of two passive ones.
    fn as_active_and_passive(&mut self, number: usize) -> Result<(), Stop> {
        let state = self.states.pairs[number];
        let (active, one) = (state.single(0), state.single(1));
        if !self.disturbs(active.control)? {
            return Ok(());
        }
        let edge = number / 2;
        let partners: Vec<usize> = self.states.with_first(&active).to_vec();
        for partner in partners.into_iter().filter(|&it| it / 2 <= edge) {
            self.budget.spend(1)?;
            let with = self.states.pairs[partner];
            let related = self.states.between(one, with.single(1)).to_vec();
            for between in related.into_iter().filter(|it| it.edge <= edge) {
                let relations = [state.relations, with.relations, between.relations];
                self.third(active, [one, with.single(1)], relations, between.edge)?;
            }
        }
        Ok(())
    }

    /// Triples in which both threads of this state are passive.
    fn as_two_passive(&mut self, number: usize) -> Result<(), Stop> {
        let state = self.states.pairs[number];
        let (one, other) = (state.single(0), state.single(1));
        let edge = number / 2;
        let partners: Vec<usize> = self.states.with_first(&one).to_vec();
        for partner in partners.into_iter().filter(|&it| it / 2 <= edge) {
            self.budget.spend(1)?;
            let active = self.states.pairs[partner].single(1);
            if !self.disturbs(active.control)? {
                continue;
            }
            let first = self.basis.mirror(self.states.pairs[partner].relations);
            let related = self.states.between(active, other).to_vec();
            for between in related.into_iter().filter(|it| it.edge <= edge) {
                self.third(active, [one, other], [first, between.relations, state.relations], edge)?;
            }
        }
        Ok(())
    }

    /// Whether a thread here has a command that others can notice.
    fn disturbs(&mut self, control: ControlId) -> Result<bool, Stop> {
        for &command in self.commands[control.index()].clone().iter() {
            if self.goes_on(command) && !self.planner.forms.is_private(command)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Steps of a third thread: `relations` are those of the active thread with the first and with the second
    /// passive one, and theirs.
    fn third(
        &mut self,
        active: Single,
        passive: [Single; 2],
        relations: [u64; 3],
        edge: usize,
    ) -> Result<(), Stop> {
        for &command in self.commands[active.control.index()].clone().iter() {
            if !self.goes_on(command) || self.planner.forms.is_private(command)? {
                continue;
            }
            self.budget.spend(1)?;
            let plan = self.planner.plan(command, Seen::Third(passive[0].control, passive[1].control))?;
            if plan.idle {
                continue;
            }
            let mut before = Joint::default();
            before.0[SHARED] = active.shared;
            for (who, single) in (0u8..).zip([active, passive[0], passive[1]]) {
                before.0[local_word(who)] = single.local;
            }
            before.0[pair_word(0, 1)] = relations[0];
            before.0[pair_word(0, 2)] = relations[1];
            before.0[pair_word(1, 2)] = relations[2];
            for after in self.planner.image(&plan, &before)? {
                let pair = pair_of(&after, [1, 2], [passive[0].control, passive[1].control]);
                self.add_pair(pair, Cause::Third { command, before: 2 * edge });
            }
        }
        Ok(())
    }

    pub(super) fn goes_on(&self, command: usize) -> bool {
        matches!(self.relation.commands[command].outcome, Outcome::Go(_) | Outcome::End)
    }

    /// Adds what a step of the active thread, alone or with a passive one, leads to.
    fn after(&mut self, step: &Step, after: &Joint, causes: [Cause; 2]) {
        let about = &self.relation.commands[step.command];
        let to = if let Outcome::Go(to) = about.outcome { Some(to) } else { None };
        let entry = about.creates.as_ref().map(|it| it.entry);
        let passive = |about| {
            let before = step.about.expect("there is a passive thread only in a state of two");
            Cause::Pair { command: step.command, before, about }
        };
        if let Some(to) = to {
            self.states.add_single(single_of(after, 0, to), causes[0]);
        }
        if let Some(entry) = entry {
            self.states.add_single(single_of(after, CHILD, entry), causes[1]);
        }
        if let Some(control) = step.passive {
            self.states.add_single(single_of(after, 1, control), passive(About::Passive));
        }
        if self.limits.width == 1 {
            return;
        }
        if let (Some(to), Some(entry)) = (to, entry) {
            self.add_pair(pair_of(after, [0, CHILD], [to, entry]), causes[1]);
        }
        if let (Some(to), Some(control)) = (to, step.passive) {
            self.add_pair(pair_of(after, [0, 1], [to, control]), causes[0]);
        }
        if let (Some(entry), Some(control)) = (entry, step.passive) {
            let cause = passive(About::PassiveChild);
            self.add_pair(pair_of(after, [1, CHILD], [control, entry]), cause);
        }
    }

    fn add_pair(&mut self, pair: Pair, cause: Cause) {
        self.states.add_single(pair.single(0), cause);
        self.states.add_single(pair.single(1), cause);
        self.states.add_pair(self.basis, pair, cause);
    }
}

/// A step of the active thread.
struct Step {
    command: usize,
    /// Where the passive thread stands.
    passive: Option<ControlId>,
    /// The number of the state of two threads before.
    about: Option<usize>,
}

fn single_of(after: &Joint, who: u8, control: ControlId) -> Single {
    Single { control, shared: after.0[SHARED], local: after.0[local_word(who)] }
}

fn pair_of(after: &Joint, who: [u8; 2], control: [ControlId; 2]) -> Pair {
    let local = who.map(|who| after.0[local_word(who)]);
    Pair { control, shared: after.0[SHARED], local, relations: after.0[pair_word(who[0], who[1])] }
}
