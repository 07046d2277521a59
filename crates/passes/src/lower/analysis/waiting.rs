//! Waiting for others at barriers and condition variables, as far as values go. A thread has a variable that
//! says how it waits; others change it while the thread stands in the second half of its step.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::model::Birth;
use super::super::numbers::Numbers;
use super::super::slots::{SlotId, SlotKind};
use super::super::sync_outcomes::{Arrival, CHOSEN, EINVAL, MOST_AT_BARRIER, RELEASED, SERIAL, arrival};
use super::{Analysis, CellOf, Locals};
use c::{ExprId, Loc, LocalId, Value, mask};

/// States of a barrier that are told apart.
const STATES: usize = 64;

impl Analysis<'_> {
    /// The only object that may be meant, if it is always there: who waits at it must not be mistaken for one
    /// who waits at another.
    pub fn only(&self, cells: &[CellOf]) -> Result<CellOf, Problem> {
        match cells {
            &[cell] if self.model.instance(cell.0).birth == Birth::Always => Ok(cell),
            _ => Err(self.refuse("waiting at an object of which there may be several")),
        }
    }

    /// The states that a barrier may be in.
    pub fn barrier_states(&mut self, locals: &Locals, cell: CellOf) -> Result<Vec<Value>, Problem> {
        let slot = self.slot(SlotKind::Cell(cell.0, cell.1));
        let states = self.read(locals, slot).list(STATES);
        states.ok_or_else(|| self.refuse("a barrier for a number of threads that is not known"))
    }

    /// For how many threads a barrier may be made.
    pub fn counts(&mut self, locals: &Locals, count: ExprId) -> Result<Vec<u128>, Problem> {
        let counts = self.eval(locals, count)?.numbers.list(MOST_AT_BARRIER as usize);
        counts.ok_or_else(|| self.refuse("a barrier for a number of threads that is not known"))
    }

    pub(super) fn barrier_init(
        &mut self,
        locals: &mut Locals,
        cells: &[CellOf],
        count: ExprId,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let cell = self.only(cells)?;
        let counts = self.counts(locals, count)?;
        let slot = self.slot(SlotKind::Cell(cell.0, cell.1));
        let states = counts.iter().filter(|&&it| it != 0).map(|it| it & mask(32)).collect();
        self.write(locals, slot, Abs::numbers(Numbers::Few(states)), false);
        self.write_codes(locals, code, &[0, EINVAL]);
        Ok(())
    }

    pub(super) fn barrier_wait(
        &mut self,
        loc: Loc,
        mut locals: Locals,
        cells: &[CellOf],
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let cell = self.only(cells)?;
        let next = self.model.program.at(loc).next;
        let (mut after, mut waits, mut last) = (Abs::none(), 0, false);
        for state in self.barrier_states(&locals, cell)? {
            match arrival(state) {
                Arrival::Fault => {}
                Arrival::Large => return Err(self.refuse("a barrier for more than 16 threads")),
                Arrival::Waits { state, index } => {
                    after = after.join(&Abs::number(state), 64);
                    waits = waits.max(index);
                }
                Arrival::Last { state } => {
                    after = after.join(&Abs::number(state), 64);
                    last = true;
                }
            }
        }
        let slot = self.slot(SlotKind::Cell(cell.0, cell.1));
        self.write(&mut locals, slot, after, true);
        if waits > 0 {
            let waiting = self.slot(SlotKind::Wait(cell.0, cell.1));
            let values = (1..=waits).chain([RELEASED, CHOSEN]).collect();
            self.second_half(loc, &locals, waiting, Numbers::Few(values));
        }
        if waits > 0 || last {
            self.write_codes(&mut locals, code, &[0, SERIAL]);
            self.arrive(next, locals)?;
        }
        Ok(())
    }

    /// Notes what the variables may hold in the second half of a step, where others may change how the thread
    /// waits.
    pub(super) fn second_half(&mut self, loc: Loc, locals: &Locals, waiting: SlotId, values: Numbers) {
        let mut asleep = locals.clone();
        asleep.insert(waiting, Abs::numbers(values));
        let merged = match self.second.remove(&loc) {
            None => asleep,
            Some(old) => self.merge(&old, &asleep),
        };
        self.second.insert(loc, merged);
    }
}
