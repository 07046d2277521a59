//! How the step at a location commutes with the steps of other threads, and whether it may wait.

use super::accesses::Accesses;
use base::{Budget, Id, Stop};
use c::{
    AccessKind, Control, Effects, Loc, LockMode, Locksets, MemoryAccess, Place, Program, Region, Reuse,
    SyncKind, SyncUse, ThreadEffect,
};

/// Which way a step may be moved past steps of other threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    /// Both ways.
    Both,
    /// Behind those that follow it.
    Right,
    /// Before those that it follows.
    Left,
    /// None.
    Neither,
    /// None, and it is taken on its own: it begins or ends a thread or a section, or takes two steps.
    Apart,
}

/// What is known of the step at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Where it may be moved.
    pub moves: Mover,
    /// Whether it may wait, were it only because it is undefined behaviour.
    pub waits: bool,
    /// Whether it touches what other threads may touch.
    pub visible: bool,
}

/// The kinds of all steps.
pub fn kinds(program: &Program, budget: &Budget) -> Result<Vec<Kind>, Stop> {
    let locksets = Locksets::new(program, budget)?;
    let effects: Vec<Effects> = program.locations().ids().map(|loc| program.effects(loc)).collect();
    let alone = alone(program, &effects, budget)?;
    let accesses = Accesses::new(program, &effects, &locksets, &alone, budget)?;
    let plain = plain_mutexes(program, &effects, &locksets, &alone);
    let sections = in_sections(program, &effects, budget)?;
    let reuse = Reuse::new(program, budget)?;
    let text = Text { program, effects, locksets, accesses, plain, reuse };
    let mut found = vec![];
    for loc in program.locations().ids() {
        budget.spend(1)?;
        let kind = text.kind(loc);
        found.push(if kind.moves == Mover::Apart || sections[loc.index()] {
            Kind { moves: Mover::Apart, waits: true, visible: true }
        } else if alone[loc.index()] {
            // Nobody is there to see it.
            Kind { moves: Mover::Both, waits: true, visible: false }
        } else {
            kind
        });
    }
    Ok(found)
}

struct Text<'p> {
    program: &'p Program,
    effects: Vec<Effects>,
    locksets: Locksets,
    accesses: Accesses,
    /// The mutexes of which nobody can tell whether they are taken but by waiting.
    plain: u64,
    reuse: Reuse,
}

impl Text<'_> {
    fn kind(&self, loc: Loc) -> Kind {
        let effects = &self.effects[loc.index()];
        let apart = Kind { moves: Mover::Apart, waits: true, visible: true };
        match (effects.threads, effects.control) {
            // Its own handle is always the same.
            (None | Some(ThreadEffect::Identify), Control::Next | Control::Branch(_)) => {}
            (None, Control::Check | Control::Nowhere) => {}
            _ => return apart,
        }
        let stops = effects.may_stop();
        let Some(access) = effects.accesses.first() else {
            return Kind { moves: Mover::Both, waits: stops, visible: false };
        };
        self.access(loc, access, stops)
    }

    fn access(&self, loc: Loc, access: &MemoryAccess, stops: bool) -> Kind {
        let own = |waits: bool| Kind { moves: Mover::Both, waits, visible: false };
        let seen = |moves: Mover, waits: bool| Kind { moves, waits, visible: true };
        match (access.region, access.kind) {
            (Region::Scalar { .. }, _) if self.program.at(loc).private => own(stops),
            (Region::Scalar { place, bits }, _) => {
                let commutes = self.accesses.commutes(self.program, place, bits);
                seen(if commutes { Mover::Both } else { Mover::Neither }, stops)
            }
            (Region::Sync { place, kind }, AccessKind::Sync(role)) => {
                let mutex = self.locksets.bit(self.program, place) & self.plain;
                match role {
                    SyncUse::Reacquire | SyncUse::Sleep | SyncUse::Meet => seen(Mover::Apart, true),
                    _ if kind != SyncKind::Mutex => seen(Mover::Neither, true),
                    SyncUse::Acquire(LockMode::Wait) if mutex != 0 => seen(Mover::Right, true),
                    SyncUse::Release if mutex & self.locksets.at(loc) != 0 => seen(Mover::Left, false),
                    _ => seen(Mover::Neither, true),
                }
            }
            // Others may hold the address that the object gets, and `free` decides which there are.
            (Region::New, _) if self.reuse.may_reuse(self.program, loc) => seen(Mover::Neither, true),
            (Region::New, _) => own(true),
            (Region::Declared(object), _) if !self.accesses.is_addressed(object) => own(true),
            _ => seen(Mover::Neither, true),
        }
    }
}

/// By location: whether `main` stands there before it has created a thread.
fn alone(program: &Program, effects: &[Effects], budget: &Budget) -> Result<Vec<bool>, Stop> {
    let mut found = vec![false; program.locations().len()];
    let creations = program.locations().ids().filter_map(|loc| Some((loc, effects[loc.index()].creates()?)));
    let (locs, templates): (Vec<Loc>, Vec<_>) = creations.unzip();
    if templates.contains(&program.main()) {
        return Ok(found);
    }
    let after = locs.into_iter().flat_map(|loc| program.successors(loc)).collect();
    let after = reached(program, after, |_| true, budget)?;
    for loc in program.locations_of(program.main()) {
        found[loc.index()] = !after[loc.index()];
    }
    Ok(found)
}

/// By location: whether a thread may stand there inside an atomic section.
fn in_sections(program: &Program, effects: &[Effects], budget: &Budget) -> Result<Vec<bool>, Stop> {
    let does = |loc: Loc, what: ThreadEffect| effects[loc.index()].threads == Some(what);
    let begins = program.locations().ids().filter(|&loc| does(loc, ThreadEffect::SectionBegin));
    let first = begins.map(|loc| program.at(loc).next).collect();
    reached(program, first, |loc| !does(loc, ThreadEffect::SectionEnd), budget)
}

/// The locations that control may come to from the first ones, going on where `goes_on` says so.
fn reached(
    program: &Program,
    first: Vec<Loc>,
    goes_on: impl Fn(Loc) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, Stop> {
    let mut found = vec![false; program.locations().len()];
    let mut work = first;
    while let Some(loc) = work.pop() {
        budget.spend(1)?;
        if !std::mem::replace(&mut found[loc.index()], true) && goes_on(loc) {
            work.extend(program.successors(loc));
        }
    }
    Ok(found)
}

/// The mutexes that are only locked, waiting as long as it takes, and unlocked while there may be several
/// threads: a thread that tries a lock, or gives up waiting, or destroys or initialises a mutex sees whether
/// it is taken.
fn plain_mutexes(program: &Program, effects: &[Effects], locksets: &Locksets, alone: &[bool]) -> u64 {
    let addressed = program.addressed();
    let mut plain = u64::MAX;
    for loc in program.locations().ids().filter(|loc| !alone[loc.index()]) {
        for access in &effects[loc.index()].accesses {
            let Region::Sync { place, kind: SyncKind::Mutex } = access.region else { continue };
            let AccessKind::Sync(role) = access.kind else { continue };
            let waits =
                matches!(role, SyncUse::Acquire(LockMode::Wait) | SyncUse::Release | SyncUse::Reacquire);
            if waits {
                continue;
            }
            plain &= !match place {
                Place::Object { .. } => locksets.bit(program, place),
                Place::Indexed { object, .. } => locksets.in_object(object),
                Place::Pointer { .. } => {
                    let objects = program.objects().ids().filter(|object| addressed[object.index()]);
                    objects.fold(0, |set, object| set | locksets.in_object(object))
                }
            };
        }
    }
    plain
}
