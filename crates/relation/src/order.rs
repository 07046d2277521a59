//! Deadlocks as failing commands, under an order of what threads wait for: locks, and the ends of threads.
//!
//! If every thread that waits only ever holds what comes before the thing that it waits for, and holds no
//! lock when it ends, no set of threads waits for each other: the one of them that waits for the last thing
//! waits for a thread that has not ended and waits for something that comes later still (Havender, 1968). A
//! thread holds its own end from its beginning on. So a command that cannot be followed stands wherever a
//! thread waits, with the guard that it holds something that does not come before. Waiting for anything else
//! (conditions, semaphores, barriers, `pthread_once`) or inside of an atomic section is never allowed.
//!
//! Locks have the numbers of their addresses ([`super::Numbers`]). What a thread holds is kept in ghosts of
//! its own, one number for each time that it has locked something.

use super::access::{Case, Target};
use super::maker::Maker;
use super::memory::{Content, Numbers, size};
use super::symbolic::Path;
use super::sync::Call;
use super::{Home, Variable, memory};
use c::expr::{Binary, ExprId};
use c::op::Place;
use c::program::{LocalId, ObjectId, ProcId, Program};
use c::types::{CellType, SyncKind, TRUTH, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Something that threads wait for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Resource {
    /// The end of a thread that began in this procedure.
    Life(ProcId),
    /// The lock at this byte of a static object.
    Cell(ObjectId, u64),
    /// The other locks of a static object, by address.
    Object(ObjectId, Direction),
    /// All other locks, by address.
    Rest(Direction),
}

/// How locks of one class are ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// The lower address comes first.
    Up,
    /// The higher address comes first.
    Down,
}

/// An order of what threads wait for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// The most locks that a thread holds at once.
    pub slots: usize,
    /// What comes first. What is not listed comes before all that is, by address.
    pub resources: Vec<Resource>,
}

/// The most locks that may be followed.
const MOST_SLOTS: usize = 8;

/// A lock that a step is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    pub number: ExprId,
    /// The object that it is in, if the step says so.
    pub within: Option<ObjectId>,
}

impl Lock {
    /// One that a thread holds.
    fn held(number: ExprId) -> Lock {
        Lock { number, within: None }
    }
}

/// What is said of a thread that waits for something that does not come after all that it holds.
pub const OUT_OF_ORDER: &str = "a thread may wait against the order";

/// What the construction knows of the order.
pub(super) struct Ordering {
    order: Order,
    /// Of each thread: the numbers of the locks that it holds; 0 for none.
    slots: Vec<LocalId>,
    /// The templates of which others may have a handle.
    joinable: BTreeSet<ProcId>,
    /// By the value of a semaphore, shared: whether it began with more than zero.
    stocked: BTreeMap<LocalId, LocalId>,
    /// Whether all mutexes are plain ones: these are not followed, and keep nobody from anything.
    plain: bool,
}

impl Order {
    /// The number of the end of a thread: its place in the list, and 0 if it is not there.
    fn life(&self, template: ProcId) -> u128 {
        let at = self.resources.iter().position(|it| *it == Resource::Life(template));
        at.map_or(0, |at| at as u128 + 1)
    }
}

impl Maker<'_> {
    /// Declares what is kept for the order. Why there can be no proof, if there cannot.
    pub fn follow(&mut self, order: &Order) -> Result<(), String> {
        let fits = |it: &Resource| match *it {
            Resource::Life(template) => self.program.procedures().get(template).is_some(),
            Resource::Cell(object, _) | Resource::Object(object, _) => {
                self.program.objects().get(object).is_some()
                    && memory::home(self.program, object) == Home::Shared
            }
            Resource::Rest(_) => true,
        };
        if order.slots > MOST_SLOTS || !order.resources.iter().all(fits) {
            return Err("the order is not one of what the program waits for".into());
        }
        if taken_at_first(self.program) {
            return Err("a lock that is taken at the start".into());
        }
        let word = Type::Bits(self.numbers.bits);
        let name = |slot: usize| format!("held.{slot}");
        let slots = (0..order.slots).map(|it| self.ghost(name(it), word, Home::Thread, Some(0))).collect();
        let joinable = joinable(self.program);
        let stocked = self.declare_stocks();
        let plain = self.only_plain_mutexes();
        self.order = Some(Ordering { order: order.clone(), slots, joinable, stocked, plain });
        Ok(())
    }

    fn declare_stocks(&mut self) -> BTreeMap<LocalId, LocalId> {
        let values: Vec<LocalId> = self.cells.values().filter_map(semaphore).collect();
        let mut stocked = BTreeMap::new();
        for value in values {
            let Variable { name, initial, .. } = &self.variables[value];
            let (name, some) = (format!("{name}.stocked"), u128::from(initial.is_some_and(|it| it > 0)));
            stocked.insert(value, self.ghost(name, TRUTH, Home::Shared, Some(some)));
        }
        stocked
    }

    /// The lock at a place.
    pub fn lock_at(&mut self, path: &mut Path, place: Place) -> Lock {
        let word = Type::Bits(self.numbers.bits);
        let (base, offset) = match place {
            Place::Object { object, offset } => (self.lock_base(path, object), offset),
            Place::Indexed { object, offset } => {
                let (base, index) = (self.lock_base(path, object), self.meaning(path, offset).value);
                let (base, index) = (self.pool.fit(base, word), self.pool.fit(index, word));
                (self.pool.binary(Binary::Add, base, index), 0)
            }
            Place::Pointer { pointer, offset } => (self.meaning(path, pointer).value, offset),
        };
        let at = self.pool.plus(base, offset as i128 as u128);
        let within = match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => Some(object),
            Place::Pointer { .. } => None,
        };
        Lock { number: self.pool.fit(at, word), within }
    }

    /// An object whose address nobody takes has a number of its own, as static ones do.
    fn lock_base(&mut self, path: &Path, object: ObjectId) -> ExprId {
        match self.addresses.get(&object) {
            Some(&variable) => self.read(path, variable),
            None => {
                let number = self.numbers.address(object, 0);
                self.pool.number(Type::Pointer, number)
            }
        }
    }

    /// Whether mutexes are not followed, because of a thread only what it holds matters.
    pub fn mutexes_are_free(&self) -> bool {
        self.order.as_ref().is_some_and(|it| it.plain)
    }

    /// A thread may wait for what the order does not speak of.
    pub fn waits_otherwise(&mut self, path: &Path, what: &str) {
        let always = self.pool.truth(true);
        self.refuse(&mut path.clone(), always, what);
    }

    /// A thread is about to take a lock; `own`: when it does not wait for it if it holds it itself.
    pub fn waits_for_lock(&mut self, path: &Path, lock: Lock, own: ExprId) {
        let Some(life) = self.life(path.template) else { return };
        for slot in self.held_slots() {
            let held = self.read(path, slot);
            let (none, same) = (self.pool.is(held, 0), self.pool.eq(held, lock.number));
            let again = self.pool.and(same, own);
            let (before, none) = (self.comes_before(Lock::held(held), lock), self.pool.or(none, again));
            let fine = self.pool.or(none, before);
            self.out_of_order(path, fine);
        }
        let later = self.comes_below(lock, life + 1);
        let fine = self.pool.not(later);
        self.out_of_order(path, fine);
    }

    /// A thread is about to take something from a semaphore: one that is followed and began with something.
    pub fn waits_for_semaphore(&mut self, path: &Path, target: &Target) {
        let mut fine = self.pool.truth(false);
        for Case { cond, content } in &target.cases {
            let stocked = semaphore(content).and_then(|it| self.order.as_ref()?.stocked.get(&it).copied());
            if let Some(stocked) = stocked {
                let stocked = self.read(path, stocked);
                let here = self.pool.and(*cond, stocked);
                fine = self.pool.or(fine, here);
            }
        }
        let wrong = self.pool.not(fine);
        let what = "a thread may wait for a semaphore that began at zero";
        self.refuse(&mut path.clone(), wrong, what);
    }

    /// A semaphore begins with this number.
    pub fn note_stock(&mut self, path: &mut Path, value: LocalId, first: ExprId) {
        let stocked = self.order.as_ref().and_then(|it| it.stocked.get(&value).copied());
        if let Some(stocked) = stocked {
            let zero = self.pool.is(first, 0);
            let some = self.pool.not(zero);
            self.write(path, stocked, some);
        }
    }

    /// A thread is about to join another one.
    pub fn waits_for_end(&mut self, path: &Path, handle: ExprId) {
        let Some(own) = self.life(path.template) else { return };
        if path.section {
            return self.waits_otherwise(path, WAITS_IN_SECTION);
        }
        let joinable = self.order.iter().flat_map(|it| it.joinable.clone()).collect::<Vec<_>>();
        for template in joinable {
            let mut path = path.clone();
            let may_be = self.may_be_handle(&mut path, handle, template);
            if !self.assume(&mut path, may_be) {
                continue;
            }
            let life = self.life(template).unwrap_or(0);
            let mut fine = self.pool.truth(own < life);
            for slot in self.held_slots() {
                let held = self.read(&path, slot);
                let (none, before) = (self.pool.is(held, 0), self.comes_below(Lock::held(held), life));
                let before = self.pool.or(none, before);
                fine = self.pool.and(fine, before);
            }
            self.out_of_order(&path, fine);
        }
    }

    /// A thread is about to end.
    pub fn ends_with_locks(&mut self, path: &Path) {
        for slot in self.held_slots() {
            let held = self.read(path, slot);
            let none = self.pool.is(held, 0);
            let some = self.pool.not(none);
            self.refuse(&mut path.clone(), some, "a thread may end while it holds a lock");
        }
    }

    /// A lock is taken: the ways in which it is noted.
    pub fn acquire(&mut self, mut path: Path, call: Call) -> Vec<Path> {
        let Some(lock) = call.lock else { return vec![path] };
        let mut found = vec![];
        for slot in self.held_slots() {
            let held = self.read(&path, slot);
            let free = self.pool.is(held, 0);
            let mut here = path.clone();
            if self.assume(&mut here, free) {
                self.write(&mut here, slot, lock.number);
                found.push(here);
            }
            let used = self.pool.not(free);
            if !self.assume(&mut path, used) {
                return found;
            }
        }
        self.waits_otherwise(&path, "a thread may hold more locks than the order has slots");
        found
    }

    /// A lock is given back: the ways in which it is noted.
    pub fn release(&mut self, mut path: Path, call: Call) -> Vec<Path> {
        let Some(lock) = call.lock else { return vec![path] };
        let mut found = vec![];
        for slot in self.held_slots() {
            let held = self.read(&path, slot);
            let same = self.pool.eq(held, lock.number);
            let mut here = path.clone();
            if self.assume(&mut here, same) {
                let none = self.pool.number(Type::Bits(self.numbers.bits), 0);
                self.write(&mut here, slot, none);
                found.push(here);
            }
            let other = self.pool.not(same);
            if !self.assume(&mut path, other) {
                return found;
            }
        }
        found.push(path);
        found
    }

    fn held_slots(&self) -> Vec<LocalId> {
        self.order.as_ref().map(|it| it.slots.clone()).unwrap_or_default()
    }

    /// The number of the end of a template's threads; `None` if deadlocks are not asked about.
    fn life(&self, template: ProcId) -> Option<u128> {
        Some(self.order.as_ref()?.order.life(template))
    }

    fn out_of_order(&mut self, path: &Path, fine: ExprId) {
        let wrong = self.pool.not(fine);
        self.refuse(&mut path.clone(), wrong, OUT_OF_ORDER);
    }

    /// Whether one lock comes before another.
    fn comes_before(&mut self, one: Lock, other: Lock) -> ExprId {
        let [ones, others] = [one, other].map(|it| self.classes(it));
        let mut found = self.pool.truth(false);
        for left in &ones {
            for right in others.iter().filter(|it| left.rank <= it.rank) {
                let mut here = self.pool.and(left.cond, right.cond);
                if left.rank == right.rank {
                    let (low, high) = if left.falls { (other, one) } else { (one, other) };
                    let lower = self.pool.binary(Binary::LtU, low.number, high.number);
                    here = self.pool.and(here, lower);
                }
                found = self.pool.or(found, here);
            }
        }
        found
    }

    /// When a lock comes before a resource with this number.
    fn comes_below(&mut self, lock: Lock, rank: u128) -> ExprId {
        let mut found = self.pool.truth(false);
        for class in self.classes(lock) {
            if class.rank < rank {
                found = self.pool.or(found, class.cond);
            }
        }
        found
    }

    /// The classes that a lock may be of; it is of one of them.
    fn classes(&mut self, lock: Lock) -> Vec<Class> {
        let Some(Ordering { order, .. }) = &self.order else { return vec![] };
        let resources = order.resources.clone();
        let has_cells =
            |object| resources.iter().any(|it| matches!(it, Resource::Cell(of, _) if *of == object));
        let mut rest = self.pool.truth(true);
        let mut found = vec![];
        let ranked = resources.iter().zip(1u128..);
        for (resource, rank) in ranked.clone() {
            let Some(range) = range(self.program, self.numbers, resource) else { continue };
            let known = lock.within.filter(|&it| memory::home(self.program, it) == Home::Shared);
            let inside = match (resource, known) {
                (Resource::Object(object, _), Some(within)) if !has_cells(within) => {
                    self.pool.truth(*object == within)
                }
                (Resource::Cell(object, _), Some(within)) if *object != within => self.pool.truth(false),
                _ => self.inside(lock.number, range),
            };
            let cond = self.pool.and(rest, inside);
            let outside = self.pool.not(inside);
            rest = self.pool.and(rest, outside);
            let falls = matches!(resource, Resource::Object(_, Direction::Down));
            found.push(Class { rank, falls, cond });
        }
        let listed = ranked.clone().find_map(|(it, rank)| match it {
            Resource::Rest(direction) => Some((rank, *direction == Direction::Down)),
            _ => None,
        });
        let (rank, falls) = listed.unwrap_or((0, false));
        found.push(Class { rank, falls, cond: rest });
        found.retain(|it| !self.pool.is_false(it.cond));
        found
    }

    fn inside(&mut self, lock: ExprId, range: [u128; 2]) -> ExprId {
        if range[1] == 1 {
            return self.pool.is(lock, range[0]);
        }
        let distance = self.pool.plus(lock, range[0].wrapping_neg());
        let length = self.pool.number(Type::Bits(self.numbers.bits), range[1]);
        self.pool.binary(Binary::LtU, distance, length)
    }
}

/// A class of locks that one may be of: its place in the order, and when it is of it.
struct Class {
    rank: u128,
    /// Whether higher addresses come first in it.
    falls: bool,
    cond: ExprId,
}

/// The words for waiting inside of a section.
pub(super) const WAITS_IN_SECTION: &str = "a thread may wait inside of an atomic section";

/// The first number of a resource's locks, and how many numbers there are.
fn range(program: &Program, numbers: Numbers, resource: &Resource) -> Option<[u128; 2]> {
    match *resource {
        Resource::Cell(object, offset) => {
            let offset = i64::try_from(offset).ok()?;
            Some([numbers.address(object, offset), 1])
        }
        Resource::Object(object, _) => Some([numbers.address(object, 0), u128::from(size(program, object))]),
        Resource::Life(_) | Resource::Rest(_) => None,
    }
}

/// The value of a semaphore that is followed.
fn semaphore(content: &Content) -> Option<LocalId> {
    match content {
        Content::Semaphore(value) => Some(*value),
        _ => None,
    }
}

/// Whether a static lock is taken before anybody takes it.
fn taken_at_first(program: &Program) -> bool {
    let is_lock = |ty: CellType| matches!(ty, CellType::Sync(SyncKind::Mutex | SyncKind::RwLock, _));
    program.objects().iter().any(|object| {
        let cells = &program.layouts()[object.layout].cells;
        let is_taken = |number: u64, value| {
            let cell =
                usize::try_from(number % (cells.len().max(1) as u64)).ok().and_then(|it| cells.get(it));
            cell.is_some_and(|it| is_lock(it.ty))
                && !matches!(value, c::types::Constant::Bits(it) if it & 1 == 0)
        };
        object.init.iter().any(|&(number, value)| is_taken(number, value))
    })
}

/// The templates whose threads somebody may have a handle of: that of a creation, or the thread's own.
fn joinable(program: &Program) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    for loc in program.locations().ids() {
        let effects = program.effects(loc);
        found.extend(effects.creates());
        if effects.threads == Some(c::effects::ThreadEffect::Identify) {
            found.insert(program.at(loc).procedure);
        }
    }
    found
}
