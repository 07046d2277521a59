//! A run in rounds as one formula. The state is that of one run, with values that are formulas over all
//! choices; which of the controls a thread stands at is a formula too. A visit of a thread to a control
//! changes the state where the thread stands there and goes on.

use super::super::bounded::Simulation;
use super::super::settings::SimulateOptions;
use super::super::state::{State, SymbolicStep, SymbolicThread, ThreadOrigin};
use super::super::step::{Simulator, Successor};
use super::order::{ControlState, controls};
use crate::bounded::Sizes;
use base::{Budget, Stop};
use solve::aig::{Aig, Lit};
use std::collections::HashMap;

/// Nodes of the formula for a tick.
const NODES: usize = 8;

/// A thread that may be there.
struct ThreadSlot {
    /// Whether it has ever been.
    used: Lit,
    /// By control, whether it stands there.
    here: Vec<Lit>,
    locals: Vec<Lit>,
}

/// A way that a thread may go from a control.
pub struct Way {
    /// That it does.
    pub taken: Lit,
    /// The step.
    pub via: SymbolicStep,
    /// For each thread that may be the one created, that it is.
    pub child: Vec<(usize, Lit)>,
}

/// A visit of a thread to a control.
pub struct Visit {
    /// The thread, by slot.
    pub slot: usize,
    /// That it stands there and there is an error.
    pub fails: Lit,
    /// Where it may go.
    pub ways: Vec<Way>,
}

/// A run in rounds.
pub struct Unrolling<'p> {
    /// How steps are executed.
    pub simulator: Simulator<'p>,
    /// The state that it starts in.
    pub start: State,
    /// What happens, in order.
    pub visits: Vec<Visit>,
    /// That there is an error in some visit.
    pub error: Lit,
    controls: Vec<ControlState>,
    numbers: HashMap<ControlState, usize>,
    slots: Vec<ThreadSlot>,
    shared: Vec<Lit>,
    /// That no turn so far has ended inside an atomic section.
    valid: Lit,
}

impl<'p> Unrolling<'p> {
    /// A run that has not begun, from the start with this number; `None` if there are fewer.
    pub fn new(
        simulation: &Simulation<'p>,
        sizes: Sizes,
        start: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, Stop> {
        // The threads stay in the order in which they come.
        let options = SimulateOptions { symmetry: false, ..simulation.options };
        let mut simulator = Simulator::new(&Simulation { options, ..*simulation }, sizes, budget)?;
        let mut starts = simulator.starts(budget)?;
        if start >= starts.len() {
            return Ok(None);
        }
        let start = starts.swap_remove(start);
        let controls = controls(simulation.program, simulation.commands);
        let numbers: HashMap<ControlState, usize> = controls.iter().copied().zip(0..).collect();
        let slot = |index: usize| {
            let nowhere = vec![Lit::FALSE; controls.len()];
            match start.threads.get(index) {
                Some(thread) => {
                    let mut here = nowhere;
                    here[numbers[&(thread.loc, thread.inside)]] = Lit::TRUE;
                    ThreadSlot { used: Lit::TRUE, here, locals: thread.locals.clone() }
                }
                None => {
                    let locals = vec![Lit::FALSE; simulation.program.locals().len()];
                    ThreadSlot { used: Lit::FALSE, here: nowhere, locals }
                }
            }
        };
        let slots = (0..sizes.bound as usize).map(slot).collect();
        let shared = start.shared.clone();
        let (visits, error, valid) = (vec![], Lit::FALSE, start.guard);
        Ok(Some(Unrolling { simulator, start, visits, error, controls, numbers, slots, shared, valid }))
    }

    /// All formulas.
    pub fn aig(&self) -> &Aig {
        &self.simulator.aig
    }

    /// How many nodes they have.
    pub fn size(&self) -> usize {
        self.simulator.aig.len()
    }

    /// Each thread has a turn.
    pub fn round(&mut self, walks: u32, budget: &Budget) -> Result<(), Stop> {
        for slot in 0..self.slots.len() {
            for _ in 0..walks {
                for control in 0..self.controls.len() {
                    self.visit(slot, control, budget)?;
                }
            }
            self.hand_over(slot);
        }
        Ok(())
    }

    /// A turn cannot end inside an atomic section.
    fn hand_over(&mut self, slot: usize) {
        let inside = (0..self.controls.len()).filter(|&it| self.controls[it].1);
        for control in inside {
            let here = self.slots[slot].here[control];
            self.valid = self.simulator.aig.and(self.valid, !here);
        }
    }

    fn visit(&mut self, slot: usize, number: usize, budget: &Budget) -> Result<(), Stop> {
        let here = self.slots[slot].here[number];
        if here == Lit::FALSE {
            return Ok(());
        }
        let before = self.simulator.aig.len();
        let (loc, inside) = self.controls[number];
        let thread = SymbolicThread { loc, inside, locals: self.slots[slot].locals.clone() };
        let (threads, shared) = (vec![thread], self.shared.clone());
        let state = State { initialising: false, running: None, threads, shared, guard: Lit::TRUE };
        let mut fails = Lit::FALSE;
        if let Some(condition) = self.simulator.fails(&state, 0, budget)? {
            let there = self.simulator.aig.and(self.valid, here);
            fails = self.simulator.aig.and(there, condition);
            self.error = self.simulator.aig.or(self.error, fails);
        }
        let successors = self.simulator.steps(&state, 0, budget)?;
        let ways = self.leave(slot, number, successors);
        self.visits.push(Visit { slot, fails, ways });
        budget.spend(1 + ((self.simulator.aig.len() - before) / NODES) as u64)
    }

    /// The thread goes one of these ways, or stays.
    fn leave(&mut self, slot: usize, number: usize, successors: Vec<Successor>) -> Vec<Way> {
        // Nobody notices whether a thread stops before an invisible transition.
        let runs_on = self.simulator.is_merged(self.controls[number].0);
        let last = successors.len().saturating_sub(1);
        let mut stays = self.slots[slot].here[number];
        let mut ways = vec![];
        for (index, successor) in successors.into_iter().enumerate() {
            let mut taken = self.simulator.aig.and(stays, successor.state.guard);
            if !(runs_on && index == last) {
                let input = self.simulator.aig.new_input();
                let chosen = self.simulator.aig.input(input);
                taken = self.simulator.aig.and(taken, chosen);
            }
            let mut child = vec![];
            if !successor.via.births.is_empty() {
                (taken, child) = self.capacity(taken);
            }
            if taken == Lit::FALSE {
                continue;
            }
            stays = self.simulator.aig.and(stays, !taken);
            ways.push((Way { taken, via: successor.via.clone(), child }, successor.state));
        }
        self.slots[slot].here[number] = stays;
        ways.into_iter().map(|(way, after)| self.arrive(slot, way, &after)).collect()
    }

    /// The first thread that has never been there is the one created; without one there is no step.
    fn capacity(&mut self, taken: Lit) -> (Lit, Vec<(usize, Lit)>) {
        let aig = &mut self.simulator.aig;
        let (mut full, mut child) = (Lit::TRUE, vec![]);
        for (index, slot) in self.slots.iter().enumerate() {
            let first = aig.and(full, !slot.used);
            if first != Lit::FALSE {
                child.push((index, first));
            }
            full = aig.and(full, slot.used);
        }
        (aig.and(taken, !full), child)
    }

    /// The state is changed where the way is taken.
    fn arrive(&mut self, slot: usize, way: Way, after: &State) -> Way {
        let aig = &mut self.simulator.aig;
        for (old, &new) in self.shared.iter_mut().zip(&after.shared) {
            *old = aig.ite(way.taken, new, *old);
        }
        for (thread, origin) in after.threads.iter().zip(&way.via.origins) {
            match origin {
                ThreadOrigin::Before(_) => self.put(slot, way.taken, thread),
                ThreadOrigin::Birth(_) => {
                    for &(child, first) in &way.child {
                        let born = self.simulator.aig.and(way.taken, first);
                        self.slots[child].used = self.simulator.aig.or(self.slots[child].used, born);
                        self.put(child, born, thread);
                    }
                }
            }
        }
        way
    }

    /// The thread in a slot is this one, if the condition holds.
    fn put(&mut self, slot: usize, condition: Lit, thread: &SymbolicThread) {
        let aig = &mut self.simulator.aig;
        let slot = &mut self.slots[slot];
        let here = &mut slot.here[self.numbers[&(thread.loc, thread.inside)]];
        *here = aig.or(*here, condition);
        for (old, &new) in slot.locals.iter_mut().zip(&thread.locals) {
            *old = aig.ite(condition, new, *old);
        }
    }
}
