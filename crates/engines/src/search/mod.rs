//! The search through states that engines share: a state space is asked three questions (what it starts in,
//! what the steps of a state lead to, and how a state is written as a row of words), and everything else is
//! here: the rows that were met, the order in which they are taken up, the paths that lead to them.
//!
//! States are numbered level by level, in a level by the number of the state that they were first found from,
//! and then by the index of the step. So numbers, and with them paths, do not depend on who expands a state
//! and when: the states of a level may be expanded in any order, or at once, as long as what they lead to is
//! stored in this order. Here it is stored in batches, between which nothing is looked up.

mod batch;

use crate::explore::{NONE, Store};
use base::{Budget, Stop, TickBatch};
use batch::Batch;

/// What is searched.
pub trait StateSpace {
    /// What a step leads to, before it is a row.
    type State;

    /// What it starts in.
    fn starts(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<Self::State>) -> Result<Expansion, Stop>;

    /// Takes up a state, of which [`StateSpace::successors`] is asked next.
    fn load(&mut self, row: &[u32]);

    /// What the steps of the state that was taken up lead to. After [`Expansion::Reduced`] it may be asked
    /// for the other steps.
    fn successors(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<Self::State>) -> Result<Expansion, Stop>;

    /// Appends the row of a state. States that behave alike should have the same row.
    fn row(&mut self, state: Self::State, row: &mut Vec<u32>) -> Result<(), Stop>;

    /// Whether a state that was just met is an error.
    fn is_error(&mut self, row: &[u32], budget: &Budget) -> Result<bool, Stop>;
}

/// How a state was expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// All its steps.
    Full,
    /// Steps that are enough unless one leads to a state that was there before: on every cycle a state must
    /// be expanded in full (the condition for cycles of partial-order reduction). States of the next level
    /// are no matter: a cycle leads back to some level.
    Reduced,
    /// A step fails.
    Failed,
}

/// Which state is taken up next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Level by level: the first error is a nearest one.
    Levels,
    /// The newest first: for errors that lie deep.
    Newest,
}

/// How a turn of a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnEnd {
    /// Everything was explored.
    Complete,
    /// There is more to do.
    Paused,
    /// There are more states than allowed.
    TooMany,
    /// This state is an error.
    Error(u32),
    /// A step of this state fails (`NONE`: before the first state).
    Failed(u32),
}

/// A search: the states met so far, each with the one it was first found from.
#[derive(Debug)]
pub struct StateSearch<S> {
    states: Store,
    parents: Vec<u32>,
    order: Order,
    most: usize,
    begun: bool,
    /// Level by level: the next state to be taken up.
    next: u32,
    /// The newest first: the states to be taken up.
    stack: Vec<u32>,
    /// The states that were there when the level began, or the expansion if there are no levels, are numbered
    /// below this.
    closed: u32,
    found: Vec<S>,
    batch: Batch,
    transitions: u64,
    again: u64,
    reduced: u64,
}

impl<S> StateSearch<S> {
    /// A search that has not begun, for at most this many states.
    pub fn new(order: Order, most: usize) -> Self {
        Self {
            states: Store::new(),
            parents: vec![],
            order,
            most,
            begun: false,
            next: 0,
            stack: vec![],
            closed: 0,
            found: vec![],
            batch: Batch::default(),
            transitions: 0,
            again: 0,
            reduced: 0,
        }
    }

    /// The states.
    pub fn states(&self) -> &Store {
        &self.states
    }

    /// How many steps were stored.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// How often a state was found again.
    pub fn again(&self) -> u64 {
        self.again
    }

    /// How many states were not expanded in full.
    pub fn reduced(&self) -> u64 {
        self.reduced
    }

    /// How many states were taken up, in a search level by level.
    pub fn expanded(&self) -> u64 {
        u64::from(self.next)
    }

    /// How many bytes the states take, with everything that the search keeps for them.
    pub fn bytes(&self) -> usize {
        self.states.bytes() + size_of_val(&self.parents[..]) + size_of_val(&self.stack[..])
    }

    /// The states on the way from a start to this one.
    pub fn path(&self, to: u32) -> Vec<u32> {
        let mut path = vec![to];
        let mut at = to;
        while self.parents[at as usize] != NONE {
            at = self.parents[at as usize];
            path.push(at);
        }
        path.reverse();
        path
    }

    /// Searches until everything is explored, an error is met, or this many states were taken up.
    pub fn advance<M>(&mut self, space: &mut M, mut turns: u64, budget: &Budget) -> Result<TurnEnd, Stop>
    where
        M: StateSpace<State = S>,
    {
        let ticks = TickBatch::new(budget);
        let end = self.go(space, &mut turns, &ticks)?;
        ticks.settle()?;
        Ok(end)
    }

    fn go<M>(&mut self, space: &mut M, turns: &mut u64, ticks: &TickBatch<'_>) -> Result<TurnEnd, Stop>
    where
        M: StateSpace<State = S>,
    {
        if !std::mem::replace(&mut self.begun, true) {
            if space.starts(ticks, &mut self.found)? == Expansion::Failed {
                return Ok(TurnEnd::Failed(NONE));
            }
            self.write(space, NONE)?;
        }
        loop {
            if self.batch.is_full() || *turns == 0 || !self.has_next() {
                if let Some(error) = self.flush(space, ticks)?.error {
                    return Ok(TurnEnd::Error(error));
                }
                if self.states.len() > self.most {
                    return Ok(TurnEnd::TooMany);
                }
                self.begin_level();
                if !self.has_next() {
                    return Ok(TurnEnd::Complete);
                }
                if *turns == 0 {
                    return Ok(TurnEnd::Paused);
                }
            }
            *turns -= 1;
            let state = self.take();
            if let Some(end) = self.expand(space, state, ticks)? {
                return Ok(end);
            }
        }
    }

    /// Whether a state can be taken up before the batch is stored.
    fn has_next(&self) -> bool {
        match self.order {
            Order::Levels => self.next < self.closed,
            Order::Newest => self.batch.is_empty() && !self.stack.is_empty(),
        }
    }

    /// Begins the next level if this one is done.
    fn begin_level(&mut self) {
        if self.order == Order::Levels && self.next == self.closed {
            self.closed = self.states.len() as u32;
        }
    }

    fn take(&mut self) -> u32 {
        match self.order {
            Order::Levels => {
                self.next += 1;
                self.next - 1
            }
            Order::Newest => {
                self.closed = self.states.len() as u32;
                self.stack.pop().expect("there is a state to take up")
            }
        }
    }

    /// Takes the steps of a state; how the search ends with that, if it does.
    fn expand<M>(&mut self, space: &mut M, state: u32, ticks: &TickBatch<'_>) -> Result<Option<TurnEnd>, Stop>
    where
        M: StateSpace<State = S>,
    {
        space.load(self.states.get(state));
        loop {
            let expansion = space.successors(ticks, &mut self.found)?;
            // What was found before comes before.
            if expansion != Expansion::Full
                && let Some(error) = self.flush(space, ticks)?.error
            {
                return Ok(Some(TurnEnd::Error(error)));
            }
            if expansion == Expansion::Failed {
                return Ok(Some(TurnEnd::Failed(state)));
            }
            self.write(space, state)?;
            if expansion == Expansion::Full {
                return Ok(None);
            }
            let flushed = self.flush(space, ticks)?;
            if let Some(error) = flushed.error {
                return Ok(Some(TurnEnd::Error(error)));
            }
            if !flushed.old {
                self.reduced += 1;
                return Ok(None);
            }
        }
    }

    /// Adds what was found from a state to the batch.
    fn write<M>(&mut self, space: &mut M, from: u32) -> Result<(), Stop>
    where
        M: StateSpace<State = S>,
    {
        for state in self.found.drain(..) {
            self.batch.add(from, |row| space.row(state, row))?;
        }
        Ok(())
    }

    /// Stores the batch.
    fn flush<M>(&mut self, space: &mut M, ticks: &TickBatch<'_>) -> Result<Flushed, Stop>
    where
        M: StateSpace<State = S>,
    {
        let mut flushed = Flushed { error: None, old: false };
        self.batch.read_ahead(&self.states);
        for entry in 0..self.batch.len() {
            let (row, hash, from) = self.batch.get(entry);
            let (id, new) = self.states.insert_hashed(row, hash)?;
            self.transitions += u64::from(from != NONE);
            flushed.old |= id < self.closed;
            if !new {
                self.again += 1;
                continue;
            }
            self.parents.push(from);
            if self.order == Order::Newest {
                self.stack.push(id);
            }
            if space.is_error(row, ticks.budget())? {
                flushed.error = Some(id);
                break;
            }
            if self.states.len() > self.most {
                break;
            }
        }
        self.batch.clear();
        Ok(flushed)
    }
}

/// What storing a batch has shown.
struct Flushed {
    /// The first error.
    error: Option<u32>,
    /// Whether there was a state that is not of the next level.
    old: bool,
}

#[cfg(test)]
mod tests;
