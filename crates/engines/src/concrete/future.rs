//! What a thread may still do from a location on: which columns it may touch and how, which mutexes it then
//! holds, and whether it may create or join threads. The least fixed point over the control flow; calls
//! include what is called, creations what the child does.

use super::touch::{OWN, TouchColumns, touches, way};
use base::{Budget, Id, Stop};
use c::{AccessKind, Control, Effects, Loc, Locksets, ObjectScope, Program, Region, ThreadEffect};

/// May create threads.
pub const CREATES: u8 = 1;
/// May join or detach threads.
pub const JOINS: u8 = 2;
/// May end the program.
pub const ENDS: u8 = 8;
/// May free objects, whose addresses are used again, or look at what lives.
pub const FREES: u8 = 4;

/// What threads may still do, by location.
#[derive(Debug)]
pub struct FutureTouches {
    columns: usize,
    /// Ways to touch, by location and column.
    ways: Vec<u8>,
    /// The mutexes that are held at all these touches.
    locks: Vec<u64>,
    /// [`CREATES`], [`JOINS`], [`FREES`] and [`ENDS`], by location.
    threads: Vec<u8>,
}

impl FutureTouches {
    /// Works out what may happen from each location on.
    pub fn new(
        program: &Program,
        columns: &TouchColumns,
        locksets: &Locksets,
        spurious_wakeups: bool,
        budget: &Budget,
    ) -> Result<FutureTouches, Stop> {
        let number = program.locations().len();
        let mut made = FutureTouches {
            columns: columns.number,
            ways: vec![0; number * columns.number],
            locks: vec![u64::MAX; number * columns.number],
            threads: vec![0; number],
        };
        let mut followers = vec![];
        for loc in program.locations().ids() {
            let effects = program.effects(loc);
            for touch in touches(&effects, spurious_wakeups) {
                made.note(loc, columns.of_place(touch.place), touch.ways, locksets.at(loc));
            }
            if ends_objects(program, loc, &effects) {
                made.note(loc, OWN, way::END, locksets.at(loc));
            }
            made.threads[loc.index()] = match effects.threads {
                Some(ThreadEffect::Create(_)) => CREATES,
                Some(ThreadEffect::Join(_) | ThreadEffect::Detach(_)) => JOINS,
                _ if frees(&effects) => FREES,
                _ if effects.control == Control::Halt => ENDS,
                _ => 0,
            };
            followers.push(followers_of(program, loc, &effects));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for loc in program.locations().ids().rev() {
                budget.spend(1 + columns.number as u64 / 64)?;
                for &successor in &followers[loc.index()] {
                    changed |= made.join(loc, successor);
                }
            }
        }
        Ok(made)
    }

    fn note(&mut self, loc: Loc, column: usize, ways: u8, locks: u64) {
        let at = loc.index() * self.columns + column;
        self.ways[at] |= ways;
        self.locks[at] &= locks;
    }

    fn join(&mut self, into: Loc, from: Loc) -> bool {
        if into == from {
            return false;
        }
        let mut changed = false;
        let (to, of) = (into.index() * self.columns, from.index() * self.columns);
        for column in 0..self.columns {
            let ways = self.ways[to + column] | self.ways[of + column];
            let locks = self.locks[to + column] & self.locks[of + column];
            changed |= ways != self.ways[to + column] || locks != self.locks[to + column];
            self.ways[to + column] = ways;
            self.locks[to + column] = locks;
        }
        let threads = self.threads[into.index()] | self.threads[from.index()];
        changed |= threads != self.threads[into.index()];
        self.threads[into.index()] = threads;
        changed
    }

    /// The ways in which a column may be touched from a location on, and the mutexes then held.
    pub fn touches(&self, loc: Loc, column: usize) -> (u8, u64) {
        let at = loc.index() * self.columns + column;
        (self.ways[at], self.locks[at])
    }

    /// [`CREATES`], [`JOINS`], [`FREES`] and [`ENDS`].
    pub fn threads(&self, loc: Loc) -> u8 {
        self.threads[loc.index()]
    }
}

/// Where control may go, of this thread in this activation or a called one, or of a child.
fn followers_of(program: &Program, loc: Loc, effects: &Effects) -> Vec<Loc> {
    let mut found = program.successors(loc);
    found.extend(effects.begins().map(|begun| program.procedures()[begun].entry));
    found
}

/// Whether the step frees an object, or what it does depends on what lives behind all pointers.
fn frees(effects: &Effects) -> bool {
    effects.accesses.iter().any(|access| match access.region {
        Region::Pointed(_) => access.kind == AccessKind::End,
        Region::Reachable { .. } => true,
        _ => false,
    })
}

/// Whether the step may end objects of the activation or the thread.
pub fn ends_objects(program: &Program, loc: Loc, effects: &Effects) -> bool {
    let own = ObjectScope::Procedure(program.at(loc).procedure);
    let any =
        |wanted: &dyn Fn(ObjectScope) -> bool| program.objects().iter().any(|object| wanted(object.scope));
    effects.accesses.iter().filter(|access| access.kind == AccessKind::End).any(|access| {
        match access.region {
            Region::Declared(_) => true,
            Region::Activation => any(&|scope| scope == ObjectScope::Thread || scope == own),
            Region::Thread => any(&|scope| scope != ObjectScope::Static),
            _ => false,
        }
    })
}
