//! Locksets: which mutexes a thread certainly holds at a location, whatever it did before (Eraser's idea,
//! decided by data flow). Only mutexes in static objects at fixed offsets count, and only the first 64 of
//! them.

use super::op::{LockMode, Op, Place, SyncOp};
use super::program::{Loc, ObjectId, Program};
use super::state::{Hold, Thread};
use super::types::{InstanceId, ObjectScope};
use base::{Budget, Id, Stop};

/// A mutex of a static object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mutex {
    object: ObjectId,
    cell: u32,
}

/// The mutexes that are followed, and the sets held at each location.
#[derive(Debug)]
pub struct Locksets {
    mutexes: Vec<Mutex>,
    held: Vec<u64>,
}

impl Locksets {
    /// Works out the sets.
    pub fn new(program: &Program, budget: &Budget) -> Result<Locksets, Stop> {
        let mut mutexes = vec![];
        for location in program.locations().iter() {
            if let Op::Sync { op: SyncOp::Lock(LockMode::Wait), place, .. } = &location.op
                && let Some(mutex) = fixed(program, *place)
                && !mutexes.contains(&mutex)
                && mutexes.len() < 64
            {
                mutexes.push(mutex);
            }
        }
        let mut made = Locksets { mutexes, held: vec![u64::MAX; program.locations().len()] };
        let mut work: Vec<Loc> = vec![];
        for procedure in program.procedures().iter().filter(|it| it.entry != it.end) {
            made.held[procedure.entry.index()] = 0;
            work.push(procedure.entry);
        }
        while let Some(loc) = work.pop() {
            budget.spend(1)?;
            let after = made.after(program, loc);
            for successor in program.successors(loc) {
                let held = &mut made.held[successor.index()];
                if *held & after != *held {
                    *held &= after;
                    work.push(successor);
                }
            }
        }
        Ok(made)
    }

    /// What is held after the step at a location.
    fn after(&self, program: &Program, loc: Loc) -> u64 {
        let before = self.held[loc.index()];
        match &program.at(loc).op {
            Op::Sync { op: SyncOp::Lock(LockMode::Wait), place, .. } => before | self.bit(program, *place),
            Op::Sync { op: SyncOp::Unlock, place, .. } => match fixed(program, *place) {
                Some(_) => before & !self.bit(program, *place),
                None => 0,
            },
            // What is called may unlock.
            Op::Call { .. } => 0,
            _ => before,
        }
    }

    /// The mutex that a place always is, as a set; nothing if it is not known or not followed.
    pub fn bit(&self, program: &Program, place: Place) -> u64 {
        let mutex = fixed(program, place);
        let at = mutex.and_then(|mutex| self.mutexes.iter().position(|it| *it == mutex));
        at.map_or(0, |at| 1 << at)
    }

    /// The mutexes of an object.
    pub fn in_object(&self, object: ObjectId) -> u64 {
        let bits = self.mutexes.iter().enumerate().filter(|(_, mutex)| mutex.object == object);
        bits.fold(0, |set, (at, _)| set | 1 << at)
    }

    /// The mutexes that are certainly held when control is at the location.
    pub fn at(&self, loc: Loc) -> u64 {
        self.held[loc.index()]
    }

    /// The mutexes that a thread holds in a state.
    pub fn of(&self, thread: &Thread) -> u64 {
        let mut set = 0;
        for held in thread.held.iter().filter(|held| matches!(held.hold, Hold::Mutex(_))) {
            let same = |mutex: &Mutex| {
                held.lock.instance == InstanceId::from_index(mutex.object.index())
                    && held.lock.cell == mutex.cell
            };
            if let Some(at) = self.mutexes.iter().position(same) {
                set |= 1 << at;
            }
        }
        set
    }
}

/// The cell of a static object that a place always is.
fn fixed(program: &Program, place: Place) -> Option<Mutex> {
    let Place::Object { object, offset } = place else { return None };
    let declared = &program.objects()[object];
    if declared.scope != ObjectScope::Static {
        return None;
    }
    let layout = &program.layouts()[declared.layout];
    let offset = u64::try_from(offset).ok()?;
    let element = offset.checked_div(layout.stride)?;
    let position = layout.cells.iter().position(|cell| cell.offset == offset % layout.stride)?;
    let cell = u32::try_from(element.checked_mul(layout.cells.len() as u64)? + position as u64).ok()?;
    Some(Mutex { object, cell })
}
