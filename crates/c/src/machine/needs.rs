//! What a step leaves open.

use super::{Choice, Machine, Refusal};
use crate::op::{LockMode, Op, Place, Range, SyncOp};
use crate::state::{Memory, Thread, Wait};
use crate::types::{InstanceId, SyncKind, mask, signed};
use crate::value::{CellRef, ThreadId, Value};

/// A number to choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Of this many bits.
    pub bits: u8,
    /// Between these bounds.
    pub range: Option<Range>,
}

/// Which other thread a step may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakes {
    /// None.
    Nobody,
    /// One that sleeps on this condition variable and was not woken; `None` only if there is none.
    Sleeper(CellRef),
    /// If this thread is the last to arrive: one that waits at this barrier, or `None` for itself.
    Waiter(CellRef),
}

/// The choices that a step may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// A number: then [`Choice::value`] must be given.
    pub number: Option<Number>,
    /// Whether [`Choice::fails`] may be true.
    pub may_fail: bool,
    /// Whether [`Choice::thread`] may be given.
    pub wakes: Wakes,
    /// Whether [`Choice::reuses`] may be given.
    pub may_reuse: bool,
}

impl Needs {
    /// The combinations of choices that may fit, numbers, other threads and freed objects taken from lists.
    pub fn choices(
        &self,
        numbers: &[u128],
        others: impl Iterator<Item = ThreadId>,
        freed: impl Iterator<Item = InstanceId>,
    ) -> Vec<Choice> {
        let values: Vec<Option<u128>> = match self.number {
            None => vec![None],
            Some(number) => {
                let mut cut: Vec<u128> = numbers.iter().map(|value| value & mask(number.bits)).collect();
                cut.sort();
                cut.dedup();
                cut.into_iter().map(Some).collect()
            }
        };
        let mut threads = vec![None];
        if self.wakes != Wakes::Nobody {
            threads.extend(others.map(Some));
        }
        let addresses: Vec<Option<InstanceId>> =
            [None].into_iter().chain(freed.filter(|_| self.may_reuse).map(Some)).collect();
        let mut found = vec![];
        for value in values {
            for &fails in if self.may_fail { &[false, true][..] } else { &[false] } {
                for &thread in &threads {
                    found.extend(addresses.iter().map(|&reuses| Choice { value, fails, thread, reuses }));
                }
            }
        }
        found
    }
}

impl Machine<'_> {
    /// The choices that the thread's next step may have. If its place is no place, there are none.
    pub fn needs(&self, memory: &Memory, thread: &Thread) -> Needs {
        let mut needs = Needs { number: None, may_fail: false, wakes: Wakes::Nobody, may_reuse: false };
        match &self.program.at(thread.loc()).op {
            Op::Choose { local, range, .. } => {
                needs.number = Some(Number { bits: self.bits(*local), range: *range });
            }
            Op::Load { local, place, .. } => {
                let bits = self.bits(*local);
                let hit = self.hit(memory, thread, *place, bits);
                if !hit.is_ok_and(|hit| self.is_between(memory, hit)) {
                    needs.number = self.undetermined(memory, thread, *place, bits);
                }
            }
            Op::Rmw { old, place, weak, .. } => {
                needs.number = self.undetermined(memory, thread, *place, self.bits(*old));
                needs.may_fail = *weak;
            }
            Op::Alloc { automatic, .. } => needs.may_reuse = !automatic,
            Op::Reach(reach) => {
                needs.number = self.reach_number(memory, thread, reach);
                needs.may_reuse = needs.number.is_some();
            }
            Op::Sync { op, place, .. } => match op {
                SyncOp::Lock(LockMode::Timed)
                | SyncOp::ReadLock(LockMode::Timed)
                | SyncOp::WriteLock(LockMode::Timed)
                | SyncOp::SemWait(LockMode::Timed) => needs.may_fail = true,
                SyncOp::CondWait { timed, .. } => {
                    needs.may_fail = *timed && matches!(thread.wait, Some(Wait::Cond { .. }));
                }
                SyncOp::Signal if self.options.signals_matter() => {
                    let cell = self.sync_cell(memory, thread, *place, SyncKind::Cond);
                    needs.wakes = cell.map_or(Wakes::Nobody, Wakes::Sleeper);
                }
                SyncOp::BarrierWait if thread.wait.is_none() => {
                    let cell = self.sync_cell(memory, thread, *place, SyncKind::Barrier);
                    needs.wakes = cell.map_or(Wakes::Nobody, Wakes::Waiter);
                }
                _ => {}
            },
            _ => {}
        }
        needs
    }

    fn undetermined(&self, memory: &Memory, thread: &Thread, place: Place, bits: u8) -> Option<Number> {
        let hit = self.hit(memory, thread, place, bits).ok()?;
        (self.held(memory, hit, bits) == Ok(Value::Undetermined)).then_some(Number { bits, range: None })
    }
}

/// The chosen number, if it fits.
pub(super) fn fitting(chosen: u128, bits: u8, range: Option<Range>) -> Result<Value, Refusal> {
    let fits = chosen & !mask(bits) == 0
        && range.is_none_or(|Range { low, high, signed: is_signed }| {
            if is_signed {
                (low..=high).contains(&signed(chosen, bits))
            } else {
                // Numbers above the largest signed one are above every bound.
                i128::try_from(chosen).is_ok_and(|chosen| (low..=high).contains(&chosen))
            }
        });
    if fits { Ok(Value::Bits(chosen)) } else { Err(Refusal::Mismatch("the chosen number does not fit")) }
}
