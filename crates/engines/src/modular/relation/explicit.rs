//! Thread states one by one: a worklist over pairs of a shared state and a local one, with all that is known about a shared state in one
//! place: who stands there and looks on, and which changes start from it.

use super::control::{self, attentive, starts_several};
use super::{Found, Options};
use crate::bits;
use crate::command::Commands;
use crate::explore::{NONE, Pairs, Store};
use crate::threads::{INSIDE, Outcome, Threads, valuations};
use base::{Budget, Id, Stop};
use ir::bp::{ProcId, Program};
use rustc_hash::FxHashSet;

const STARTED: u32 = 1;
const SECTION: u32 = 2;

/// A step of some thread as the others see it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Change {
    /// The shared state afterwards.
    to: u32,
    /// What it asks or makes of the others; `NONE` for nothing.
    passive: u32,
    /// The locks that the mover holds before or after, as the number of a set.
    busy: u32,
}

/// What is known of a shared state.
#[derive(Clone, Debug, Default)]
struct Place {
    observers: Vec<u32>,
    changes: Vec<(Change, u32)>,
    known: FxHashSet<Change>,
}

/// The relation over single thread states. A shared state is a valuation with the bits of the section and of the flag.
#[derive(Debug)]
pub struct Explicit<'p> {
    threads: Threads<'p>,
    options: Options,
    attentive: Vec<bool>,
    /// The bits of the owner bits among the locals.
    owners: Vec<u32>,
    /// Sets of locks.
    held: Store,
    states: Vec<(u32, u32)>,
    index: Pairs,
    /// For each state the one that it comes from, and the mover if it was moved.
    via: Vec<(u32, u32)>,
    places: Vec<Place>,
    several: bool,
    failed: Option<u32>,
}

impl<'p> Explicit<'p> {
    /// Nothing known yet.
    pub fn new(program: &'p Program, commands: Commands, options: Options) -> Self {
        let attentive = attentive(program, &commands, options.reduction);
        let mut owners = vec![0; bits::words(program.locals().len())];
        program.locks().iter().for_each(|lock| bits::set(&mut owners, lock.owner.index(), true));
        Self {
            threads: Threads::new(program, commands, false),
            options,
            attentive,
            owners,
            held: Store::new(),
            states: vec![],
            index: Pairs::default(),
            via: vec![],
            places: vec![],
            several: starts_several(program),
            failed: None,
        }
    }

    /// Adds all thread states that follow, or stops at the first that fails.
    pub fn saturate(&mut self, budget: &Budget) -> Result<Option<Found>, Stop> {
        self.start(budget)?;
        let mut next = 0;
        while next < self.states.len() {
            budget.spend(1)?;
            self.expand(next as u32, budget)?;
            if self.failed.is_some() && self.options.stop_at_error {
                break;
            }
            next += 1;
        }
        Ok(self.failed.map(|state| self.found(state)))
    }

    /// How many thread states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// How many different changes of the shared state there are.
    pub fn changes(&self) -> usize {
        self.places.iter().map(|place| place.changes.len()).sum()
    }

    fn start(&mut self, budget: &Budget) -> Result<(), Stop> {
        let mut first = vec![];
        valuations::valuations(&mut self.threads.semantics, budget, &mut |_, valuation| {
            first.push(valuation);
            Ok(())
        })?;
        let start = self.threads.semantics.program.start().clone();
        let (begins, started) = match start.init {
            Some(init) => (vec![init], false),
            None => (start.templates.iter().map(|it| it.procedure).collect(), self.several),
        };
        for valuation in first {
            self.begin(&begins, code(valuation, false, started)?, (NONE, NONE), budget)?;
        }
        Ok(())
    }

    fn begin(
        &mut self,
        procedures: &[ProcId],
        shared: u32,
        via: (u32, u32),
        budget: &Budget,
    ) -> Result<(), Stop> {
        for &procedure in procedures {
            for (local, _) in self.threads.semantics.fresh(procedure, budget)? {
                self.add(shared, local, via)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, shared: u32, local: u32, via: (u32, u32)) -> Result<(), Stop> {
        if self.index.get(shared, local).is_none() {
            let number =
                u32::try_from(self.states.len()).ok().filter(|&it| it != NONE).ok_or(Stop::Memory)?;
            self.index.put(shared, local, number);
            self.states.push((shared, local));
            self.via.push(via);
        }
        Ok(())
    }

    /// All that follows from a thread state and those expanded before.
    fn expand(&mut self, number: u32, budget: &Budget) -> Result<(), Stop> {
        let (shared, local) = self.states[number as usize];
        if self.places.len() <= shared as usize {
            self.places.resize(shared as usize + 1, Place::default());
        }
        let inside = self.threads.mark(local) & INSIDE != 0;
        let may_step = inside || shared & SECTION == 0;
        let entry = self.threads.entry(shared >> 2, local, budget)?;
        if entry.at_label || entry.fails && may_step {
            self.failed.get_or_insert(number);
        }
        if shared & STARTED != 0 && !inside {
            let at = control::at(self.threads.semantics.loc(local));
            if self.attentive[at] || shared & SECTION != 0 {
                self.observe(number, budget)?;
            }
        }
        if may_step {
            for outcome in entry.outcomes() {
                self.step(number, self.threads.outcome(outcome), budget)?;
            }
        }
        Ok(())
    }

    /// Case 1 of the relation, and the change that the step is for the others.
    fn step(&mut self, number: u32, outcome: Outcome, budget: &Budget) -> Result<(), Stop> {
        if outcome.passive != NONE && !self.threads.passive(outcome.passive).unasked {
            return Ok(());
        }
        let (shared, local) = self.states[number as usize];
        let via = (number, NONE);
        let ends = outcome.local == NONE;
        let inside = !ends && self.threads.mark(outcome.local) & INSIDE != 0;
        if ends && self.threads.semantics.initialising(outcome.shared) {
            let valuation = self.threads.semantics.initialised(outcome.shared)?;
            let templates = self.threads.semantics.program.start().templates.iter();
            let procedures: Vec<ProcId> = templates.map(|it| it.procedure).collect();
            return self.begin(&procedures, code(valuation, false, self.several)?, via, budget);
        }
        let started = shared & STARTED != 0;
        let to = code(outcome.shared, inside, started || outcome.child != NONE)?;
        if !ends {
            self.add(to, outcome.local, via)?;
        }
        if outcome.child != NONE {
            self.add(to, outcome.child, via)?;
        }
        if started && (to != shared || outcome.passive != NONE) {
            let busy = self.busy(local, outcome.local)?;
            self.change(number, Change { to, passive: outcome.passive, busy }, budget)?;
        }
        Ok(())
    }

    /// The locks that a thread holds before or after a step.
    fn busy(&mut self, before: u32, after: u32) -> Result<u32, Stop> {
        let mut row = self.locks_of(before);
        if after != NONE {
            bits::unite(&mut row, &self.locks_of(after));
        }
        Ok(self.held.insert(&row)?.0)
    }

    fn locks_of(&self, local: u32) -> Vec<u32> {
        let values = self.threads.semantics.values(local);
        values.iter().zip(&self.owners).map(|(value, owner)| value & owner).collect()
    }

    fn change(&mut self, mover: u32, change: Change, budget: &Budget) -> Result<(), Stop> {
        let place = &mut self.places[self.states[mover as usize].0 as usize];
        if !place.known.insert(change) {
            return Ok(());
        }
        place.changes.push((change, mover));
        for observer in place.observers.clone() {
            self.apply(observer, change, mover, budget)?;
        }
        Ok(())
    }

    fn observe(&mut self, observer: u32, budget: &Budget) -> Result<(), Stop> {
        let place = &mut self.places[self.states[observer as usize].0 as usize];
        place.observers.push(observer);
        for (change, mover) in place.changes.clone() {
            self.apply(observer, change, mover, budget)?;
        }
        Ok(())
    }

    /// Case 2 of the relation.
    fn apply(&mut self, observer: u32, change: Change, mover: u32, budget: &Budget) -> Result<(), Stop> {
        budget.spend(1)?;
        let local = self.states[observer as usize].1;
        // Condition (2d): two threads never hold the same lock.
        let meets = |busy: &[u32]| {
            let held = self.threads.semantics.values(local).iter().zip(&self.owners).zip(busy);
            held.into_iter().any(|((value, owner), busy)| value & owner & busy != 0)
        };
        if self.options.owner && meets(self.held.get(change.busy)) {
            return Ok(());
        }
        if change.passive == NONE {
            return self.add(change.to, local, (observer, mover));
        }
        let reacts = self.threads.reacts(change.passive, local, budget)?;
        for local in self.threads.reacted(reacts).to_vec() {
            self.add(change.to, local, (observer, mover))?;
        }
        Ok(())
    }

    /// The way back from a failing thread state.
    fn found(&self, state: u32) -> Found {
        let loc = self.threads.semantics.loc(self.states[state as usize].1);
        let (mut own, mut moved, mut at) = (0, 0, self.via[state as usize]);
        while at.0 != NONE {
            if at.1 == NONE {
                own += 1
            } else {
                moved += 1
            };
            at = self.via[at.0 as usize];
        }
        Found { loc, path: Some((own, moved)) }
    }
}

/// The number of a shared state; when the numbers are used up the memory is, too.
fn code(valuation: u32, section: bool, started: bool) -> Result<u32, Stop> {
    let high = valuation.checked_mul(4).ok_or(Stop::Memory)?;
    Ok(high | if section { SECTION } else { 0 } | if started { STARTED } else { 0 })
}

#[cfg(test)]
impl Explicit<'_> {
    /// The thread states, for tests.
    pub fn points(&self) -> impl Iterator<Item = (control::Control, Vec<bool>, Vec<bool>)> {
        let semantics = &self.threads.semantics;
        let row = |words: &[u32], len| (0..len).map(|index| bits::get(words, index)).collect();
        self.states.iter().map(move |&(shared, local)| {
            let control = control::Control {
                loc: semantics.loc(local),
                inside: semantics.inside(local),
                section: shared & SECTION != 0,
                started: shared & STARTED != 0,
                initialising: semantics.initialising(shared >> 2),
            };
            let program = semantics.program;
            let values = row(semantics.shared.get(shared >> 2), program.shared().len());
            (control, values, row(semantics.values(local), program.locals().len()))
        })
    }
}
