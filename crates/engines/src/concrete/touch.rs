//! What the step at a location may touch, as far as the program's text says. Columns stand for what can be touched: one for each static object that
//! some step names, one for everything that a pointer may lead to, one for objects of activations and threads that are named.

use base::Id;
use ir::c::{LockMode, ObjectId, ObjectScope, Op, Place, Program, SyncOp};

/// Ways to touch; sets of them are sums.
pub mod way {
    /// Reads a scalar.
    pub const READ: u8 = 1;
    /// Writes a scalar.
    pub const WRITE: u8 = 2;
    /// Locks a mutex, waiting as long as it takes, or unlocks it.
    pub const LOCK: u8 = 4;
    /// Any other operation on a synchronisation object.
    pub const SYNC: u8 = 8;
    /// Ends the life of an object.
    pub const END: u8 = 16;
    /// Everything.
    pub const ALL: u8 = 31;
}

/// What a step does to the one object that it touches: how, and what of the others' doing disturbs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Where.
    pub place: Place,
    /// How.
    pub ways: u8,
    /// The others' ways that do not commute with it.
    pub disturbed_by: u8,
}

/// The column of what pointers lead to.
pub const POINTED: usize = 0;
/// The column of objects of activations and threads that are named.
pub const OWN: usize = 1;
/// The first column of static objects.
const FIRST: usize = 2;

/// More locations times columns than this, and all static objects share one column.
const MOST: usize = 16_000_000;

/// Which column each object has, and which objects pointers may lead to.
#[derive(Debug)]
pub struct Columns {
    /// By object; [`OWN`] for those that are not static.
    of: Vec<usize>,
    /// How many there are.
    pub number: usize,
    pointed: Vec<bool>,
}

impl Columns {
    /// The columns of a program.
    pub fn new(program: &Program) -> Columns {
        let mut named = vec![false; program.objects().len()];
        for location in program.locations().iter() {
            for touch in touches(&location.op, true) {
                if let Place::Object { object, .. } | Place::Indexed { object, .. } = touch.place {
                    named[object.index()] = true;
                }
            }
        }
        let pointed = program.addressed();
        let wide = named.iter().filter(|&&it| it).count() + FIRST;
        let share = wide.saturating_mul(program.locations().len()) > MOST;
        let mut number = FIRST + usize::from(share);
        let mut of = vec![];
        for (id, object) in program.objects().enumerate() {
            of.push(match object.scope {
                ObjectScope::Static if share => FIRST,
                ObjectScope::Static if named[id.index()] => {
                    number += 1;
                    number - 1
                }
                // Nobody names it: only pointers lead there.
                ObjectScope::Static => POINTED,
                _ => OWN,
            });
        }
        Columns { of, number, pointed }
    }

    /// The column of a named object.
    pub fn of(&self, object: ObjectId) -> usize {
        self.of[object.index()]
    }

    /// The column of a place.
    pub fn of_place(&self, place: Place) -> usize {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => self.of(object),
            Place::Pointer { .. } => POINTED,
        }
    }

    /// Whether a pointer may lead to the object.
    pub fn is_pointed(&self, object: ObjectId) -> bool {
        self.pointed[object.index()]
    }
}

/// What a step touches in memory; ends of objects are left to the caller, except of allocated ones.
pub fn touches(op: &Op, spurious_wakeups: bool) -> Vec<Touch> {
    use way::*;
    let touch = |place: Place, ways: u8, disturbed_by: u8| Touch { place, ways, disturbed_by };
    match op {
        Op::Load { place, .. } => vec![touch(*place, READ, WRITE | END)],
        Op::Store { place, .. } | Op::Rmw { place, .. } => {
            vec![touch(*place, READ | WRITE, READ | WRITE | END)]
        }
        Op::Reach(reach) => {
            let place = |pointer| Place::Pointer { pointer, offset: 0 };
            reach.leads.iter().map(|lead| touch(place(lead.pointer), READ | WRITE, ALL)).collect()
        }
        Op::Free { pointer, .. } => vec![touch(Place::Pointer { pointer: *pointer, offset: 0 }, END, ALL)],
        Op::Sync { op, place, .. } => match op {
            SyncOp::Lock(LockMode::Wait) => vec![touch(*place, LOCK, LOCK | SYNC | END)],
            // While it holds the mutex, the others' locking and unlocking of it waits; it is tested only by the other operations.
            SyncOp::Unlock => vec![touch(*place, LOCK, SYNC | END)],
            SyncOp::CondWait { mutex, .. } => {
                let cond = if spurious_wakeups { READ } else { SYNC };
                vec![touch(*mutex, LOCK, LOCK | SYNC | END), touch(*place, cond, SYNC | END)]
            }
            // Where sleepers may always wake, a signal only looks whether there is a condition variable.
            SyncOp::Signal | SyncOp::Broadcast if spurious_wakeups => {
                vec![touch(*place, READ, SYNC | END)]
            }
            _ => vec![touch(*place, SYNC, LOCK | SYNC | END | READ)],
        },
        _ => vec![],
    }
}
