//! What the step at a location may touch, as far as the program's text says. Columns stand for what can be
//! touched: one for each static object that some step names, one for everything that a pointer may lead to,
//! one for objects of activations and threads that are named.

use base::Id;
use c::{
    AccessKind, Effects, LockMode, MemoryAccess, ObjectId, ObjectScope, Place, Program, Region, SyncKind,
    SyncUse,
};

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
    /// What it touches.
    pub region: Region,
    /// Where that begins.
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
pub struct TouchColumns {
    /// By object; [`OWN`] for those that are not static.
    of: Vec<usize>,
    /// How many there are.
    pub number: usize,
    pointed: Vec<bool>,
}

impl TouchColumns {
    /// The columns of a program.
    pub fn new(program: &Program) -> TouchColumns {
        let mut named = vec![false; program.objects().len()];
        for loc in program.locations().ids() {
            let places = program.effects(loc).accesses.into_iter().filter_map(|access| access.region.place());
            for object in places.filter_map(Place::object) {
                named[object.index()] = true;
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
        TouchColumns { of, number, pointed }
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

/// What a step touches in memory; ends of objects of activations and threads are left to the caller.
pub fn touches(effects: &Effects, spurious_wakeups: bool) -> Vec<Touch> {
    effects.accesses.iter().filter_map(|access| touch(access, spurious_wakeups)).collect()
}

fn touch(access: &MemoryAccess, spurious_wakeups: bool) -> Option<Touch> {
    use way::*;
    let place = access.region.start()?;
    let (ways, disturbed_by) = match access.kind {
        AccessKind::Read => (READ, WRITE | END),
        AccessKind::Update if matches!(access.region, Region::Reachable { .. }) => (READ | WRITE, ALL),
        AccessKind::Write | AccessKind::Update => (READ | WRITE, READ | WRITE | END),
        AccessKind::Exists => (READ, END),
        AccessKind::End => (END, ALL),
        AccessKind::Begin => return None,
        AccessKind::Sync(role) => sync(access.region, role, spurious_wakeups),
    };
    Some(Touch { region: access.region, place, ways, disturbed_by })
}

fn sync(region: Region, role: SyncUse, spurious_wakeups: bool) -> (u8, u8) {
    use way::*;
    let mutex = matches!(region, Region::Sync { kind: SyncKind::Mutex, .. });
    match role {
        SyncUse::Acquire(LockMode::Wait) if mutex => (LOCK, LOCK | SYNC | END),
        // While it holds the mutex, the others' locking and unlocking of it waits; it is tested only by the
        // other operations.
        SyncUse::Release if mutex => (LOCK, SYNC | END),
        SyncUse::Reacquire => (LOCK, LOCK | SYNC | END),
        SyncUse::Sleep if spurious_wakeups => (READ, SYNC | END),
        SyncUse::Sleep => (SYNC, SYNC | END),
        // Where sleepers may always wake, a signal only looks whether there is a condition variable.
        SyncUse::Wake if spurious_wakeups => (READ, SYNC | END),
        _ => (SYNC, LOCK | SYNC | END | READ),
    }
}
