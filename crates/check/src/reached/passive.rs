//! Steps that involve the threads that look on: broadcasts, and conditions over passive copies. What each passive thread may become
//! depends on the active thread's choice and on itself alone, so that it is worked out once for each pair.

use super::chart::{Landing, ThreadNo};
use super::figure::{Figure, Side, slot, values, values_between};
use super::step::{Scene, Stepper};
use crate::picks::Picks;
use crate::{Refused, Rejected};
use ir::bp::{ExprId, LocalId, Read, Values, Var, When, Whose};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A condition without a thread to ask is tried for all values of so many passive copies; with more of them, a set of values is
/// taken for each, which may admit steps that are none.
const MOST_UNKNOWNS: usize = 12;

/// All that a thread may do by one broadcast statement.
pub struct Broadcast {
    now: Scene,
    updates: Vec<(LocalId, ExprId)>,
    /// The condition, if it speaks of passive copies.
    asked: Option<ExprId>,
    /// What the active thread may choose.
    pub choices: Vec<Choice>,
}

/// One choice of the active thread.
pub struct Choice {
    next: Scene,
    /// Where the active thread is afterwards.
    pub landings: Vec<Landing>,
    /// Whether the condition may hold when there is nobody to ask.
    pub alone: bool,
    reactions: RefCell<HashMap<ThreadNo, Rc<Reaction>>>,
}

/// What a passive thread may become by a choice.
#[derive(Default)]
pub struct Reaction {
    /// Whether the condition speaks of this thread.
    pub asked: bool,
    /// What it may become.
    pub outcomes: Vec<ThreadNo>,
    /// Why the certificate has no number for something that it may become.
    pub missing: Option<Rejected>,
}

impl Broadcast {
    /// The statement that leads from `now` to one of `after`, changes the passive threads by `updates` and asks them `asked`.
    pub fn new(
        stepper: &Stepper<'_>,
        now: Scene,
        after: Vec<Scene>,
        updates: &[(LocalId, ExprId)],
        asked: Option<ExprId>,
    ) -> Result<Broadcast, Refused> {
        let mut all = Broadcast { now, updates: updates.to_vec(), asked, choices: vec![] };
        for next in after {
            let landings = stepper.landings(&next)?;
            let alone = asked.is_none_or(|e| all.holds_alone(stepper, e, &next));
            all.choices.push(Choice { next, landings, alone, reactions: RefCell::default() });
        }
        Ok(all)
    }

    /// The reading of a passive copy when there is no thread: a new value that is not assigned is the old one.
    fn free(&self, read: Read) -> Read {
        let assigned = self.updates.iter().any(|&(local, _)| read.var == Var::Local(local));
        if assigned { read } else { Read { when: When::Now, ..read } }
    }

    fn holds_alone(&self, stepper: &Stepper<'_>, e: ExprId, next: &Scene) -> bool {
        let program = stepper.chart.program;
        let reads = program.exprs().reads(e).into_iter().filter(|read| read.whose == Whose::Passive);
        let mut unknowns: Vec<Read> = reads.map(|read| self.free(read)).collect();
        unknowns.sort();
        unknowns.dedup();
        if unknowns.len() > MOST_UNKNOWNS {
            return values_between(program, e, self.now.side(), next.side()).may_be(true);
        }
        let mut picks = Picks::new(vec![Values::ANY; unknowns.len()]);
        while let Some(pick) = picks.current() {
            let guess = |read: Read| {
                let known = unknowns.iter().position(|&it| it == self.free(read));
                known.map_or(Values::ANY, |index| Values::only(pick[index]))
            };
            let own = |read: Read| {
                let side = if read.when == When::Now { self.now.side() } else { next.side() };
                side.read(program, read)
            };
            let read = |read: Read| if read.whose == Whose::Passive { guess(read) } else { own(read) };
            if program.exprs().values(e, read).may_be(true) {
                return true;
            }
            picks.advance();
        }
        false
    }

    /// What a passive thread may become by a choice.
    pub fn reaction(
        &self,
        stepper: &Stepper<'_>,
        choice: &Choice,
        thread: ThreadNo,
    ) -> Result<Rc<Reaction>, Refused> {
        if let Some(known) = choice.reactions.borrow().get(&thread) {
            return Ok(known.clone());
        }
        let reaction = Rc::new(self.react(stepper, choice, thread)?);
        choice.reactions.borrow_mut().insert(thread, reaction.clone());
        Ok(reaction)
    }

    fn react(&self, stepper: &Stepper<'_>, choice: &Choice, thread: ThreadNo) -> Result<Reaction, Refused> {
        let chart = stepper.chart;
        let old = chart.figure(thread);
        let copies = self.asked_copies(stepper, &old);
        let received = self.received(stepper, &old);
        let pinned = self.pinned(stepper, &old);
        let mut new = old.clone();
        received.iter().for_each(|&(slot, value)| new.set(slot, value));
        let split: Vec<_> = received.into_iter().filter(|it| pinned.contains(&it.0)).collect();
        let mut picks = Picks::new(split.iter().map(|it| it.1).collect());
        let mut reaction = Reaction { asked: !copies.is_empty(), ..Reaction::default() };
        while let Some(pick) = picks.current() {
            stepper.budget.spend(1)?;
            split.iter().zip(pick).for_each(|(it, &value)| new.set(it.0, Values::only(value)));
            if self.admits(stepper, choice, &copies, (&old, &new)) {
                let mut settled = new.clone();
                settled.settle(chart.program);
                for outcome in chart.numbers(&settled, stepper.budget)? {
                    match outcome {
                        Ok(number) => reaction.outcomes.push(number),
                        Err(why) => reaction.missing = Some(why),
                    }
                }
            }
            picks.advance();
        }
        reaction.outcomes.sort_unstable();
        reaction.outcomes.dedup();
        Ok(reaction)
    }

    /// The activations that the condition speaks of: those that have every copy it mentions.
    fn asked_copies(&self, stepper: &Stepper<'_>, passive: &Figure) -> Vec<usize> {
        let program = stepper.chart.program;
        let Some(e) = self.asked else { return vec![] };
        let reads = program.exprs().reads(e).into_iter().filter(|read| read.whose == Whose::Passive);
        let locals: Vec<LocalId> = reads.filter_map(|read| local_of(read.var)).collect();
        let sees_all = |&depth: &usize| locals.iter().all(|&local| passive.sees(program, depth, local));
        (0..passive.stack.len()).filter(sees_all).collect()
    }

    /// What the broadcast writes to a passive thread, in each of its activations.
    fn received(&self, stepper: &Stepper<'_>, passive: &Figure) -> Vec<(usize, Values)> {
        let program = stepper.chart.program;
        let at = |depth: usize| {
            let seen = self.updates.iter().filter(move |it| passive.sees(program, depth, it.0));
            seen.map(move |&(local, e)| {
                let side = Side { passive: Some((passive, depth)), ..self.now.side() };
                (slot(program, depth, local), values(program, e, side))
            })
        };
        (0..passive.stack.len()).flat_map(at).collect()
    }

    /// The slots whose new values must be picked one by one: those that are kept and those that the condition reads.
    fn pinned(&self, stepper: &Stepper<'_>, passive: &Figure) -> Vec<usize> {
        let program = stepper.chart.program;
        let reads = self.asked.map_or_else(Vec::new, |e| program.exprs().reads(e));
        let new = |read: &Read| read.whose == Whose::Passive && read.when == When::Next;
        let locals = reads.into_iter().filter(new).filter_map(|read| local_of(read.var));
        let slots = |local| (0..passive.stack.len()).map(move |depth| slot(program, depth, local));
        let kept = stepper.chart.kept(passive).unwrap_or_default();
        locals.flat_map(slots).chain(kept.iter().copied()).collect()
    }

    fn admits(
        &self,
        stepper: &Stepper<'_>,
        choice: &Choice,
        copies: &[usize],
        (old, new): (&Figure, &Figure),
    ) -> bool {
        let holds = |e: ExprId, depth: usize| {
            let now = Side { passive: Some((old, depth)), ..self.now.side() };
            let next = Side { passive: Some((new, depth)), ..choice.next.side() };
            values_between(stepper.chart.program, e, now, next).may_be(true)
        };
        self.asked.is_none_or(|e| copies.iter().all(|&depth| holds(e, depth)))
    }
}

fn local_of(var: Var) -> Option<LocalId> {
    match var {
        Var::Local(local) => Some(local),
        Var::Shared(_) => None,
    }
}
