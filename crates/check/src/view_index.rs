//! What the numbers of a view mean: looks it over once, and finds its control locations again for the results
//! of steps.

use crate::describe::location;
use crate::thread::{AbstractThread, slot};
use crate::{Refused, Rejected, reject};
use base::{Budget, Id};
use ir::bp::{Loc, Op, Program, Values};
use ir::certificate::{ControlLocation, View};
use std::collections::{HashMap, HashSet};

/// A view that is well formed.
pub struct ViewIndex<'c> {
    /// The program.
    pub program: &'c Program,
    /// The view.
    pub view: &'c View,
    /// What a local may hold where it is not in scope: a broadcast can read it there.
    outside: Values,
    controls: HashMap<(&'c [Loc], bool), usize>,
    /// For each control location, where an abstract thread keeps the values listed.
    slots: Vec<Vec<usize>>,
}

impl<'c> ViewIndex<'c> {
    /// Reads a view; an ill-formed one is rejected.
    pub fn new(program: &'c Program, view: &'c View, budget: &Budget) -> Result<Self, Refused> {
        let outside = outside(program);
        let mut view_index = ViewIndex { program, view, outside, controls: HashMap::new(), slots: vec![] };
        view_index.read_shared()?;
        for (index, control) in view.controls.iter().enumerate() {
            budget.spend(1)?;
            view_index
                .read_control(control)
                .map_err(|why| Rejected::new(format!("control location {index}: {why}")))?;
        }
        Ok(view_index)
    }

    fn read_shared(&self) -> Result<(), Rejected> {
        let mut seen = HashSet::new();
        for &id in &self.view.shared {
            if self.program.shared().get(id).is_none() || !seen.insert(id) {
                return reject(format!("shared variable {} is unknown or listed twice", id.index()));
            }
        }
        Ok(())
    }

    fn read_control(&mut self, control: &'c ControlLocation) -> Result<(), Rejected> {
        if control.stack.is_empty()
            || control.stack.iter().any(|&loc| self.program.locations().get(loc).is_none())
        {
            return reject("no such location");
        }
        for pair in control.stack.windows(2) {
            let callee = self.program.at(pair[1]).procedure;
            if !matches!(self.program.at(pair[0]).op, Op::Call { procedure, .. } if procedure == callee) {
                return reject(format!("no call {}", location(self.program, pair[0])));
            }
        }
        let mut slots = vec![];
        let mut seen = HashSet::new();
        for kept in &control.kept {
            let known = control.stack.get(kept.depth).is_some_and(|&loc| {
                self.program.locals().get(kept.local).is_some() && self.program.in_scope(loc, kept.local)
            });
            if !known {
                return reject(format!("local {} is not in scope", kept.local.index()));
            }
            let slot = slot(self.program, kept.depth, kept.local);
            if !seen.insert(slot) {
                return reject(format!("local {} is listed twice", kept.local.index()));
            }
            slots.push(slot);
        }
        if self.controls.insert((&control.stack, control.inside), self.slots.len()).is_some() {
            return reject("the same control location twice");
        }
        self.slots.push(slots);
        Ok(())
    }

    /// Where an abstract thread keeps the values that are listed at a control location; `None` if there is no
    /// such control location.
    pub fn slots(&self, control: usize) -> Option<&[usize]> {
        self.slots.get(control).map(|slots| &slots[..])
    }

    /// Where control is at a control location.
    pub fn loc(&self, control: usize) -> Loc {
        *self.view.controls[control].stack.last().expect("a control location without a location was rejected")
    }

    /// The control location at which a thread stands, if the view has it.
    pub fn control<S>(&self, abstract_thread: &AbstractThread<S>) -> Option<usize> {
        self.controls.get(&(&abstract_thread.stack[..], abstract_thread.inside)).copied()
    }

    /// A thread at a control location with these values; what is forgotten may have either value.
    pub fn abstract_thread<S: Copy + From<Values>>(
        &self,
        control: usize,
        values: impl Iterator<Item = S>,
    ) -> AbstractThread<S> {
        let at = &self.view.controls[control];
        let mut abstract_thread = AbstractThread::unknown(self.program, &at.stack, at.inside, self.outside);
        self.slots[control].iter().zip(values).for_each(|(&slot, value)| abstract_thread.set(slot, value));
        abstract_thread
    }

    /// The shared variables with these values; those that are forgotten may have either value.
    pub fn shared<S: Copy + From<Values>>(&self, values: impl Iterator<Item = S>) -> Vec<S> {
        let mut all = vec![Values::ANY.into(); self.program.shared().len()];
        self.view.shared.iter().zip(values).for_each(|(id, value)| all[id.index()] = value);
        all
    }

    /// Says that a thread stands where no control location is.
    pub fn unknown_control<S: Copy + From<Values>>(&self, thread: &AbstractThread<S>) -> Rejected {
        let flag = if thread.inside { ", inside an atomic section" } else { "" };
        let (at, depth) = (location(self.program, thread.loc()), thread.stack.len());
        Rejected::new(format!("there is no control location {at} at depth {depth}{flag}"))
    }
}

/// Locals out of scope are 0, unless calls were inlined: then they may hold what was left in them.
fn outside(program: &Program) -> Values {
    let inlined = program.locations().iter().any(|location| !location.active.is_empty());
    if inlined { Values::ANY } else { Values::FALSE }
}
