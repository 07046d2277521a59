//! Single states inside symbolic ones: picking them, and dealing their threads out to groups.

use super::super::deal::deal;
use super::super::group::{Control, Group, Piece};
use crate::symbolic::{Slot, Symbolic};
use base::{Id, Stop};
use ir::bp::{Loc, Var};
use solve::bdd::{Bdd, Level};

/// One thread: where it stands and its locals, those that are not kept there 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Person {
    /// Where it stands.
    pub at: Control,
    /// Its locals.
    pub values: Vec<bool>,
}

/// One state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// The shared variables.
    pub shared: Vec<bool>,
    /// The threads.
    pub people: Vec<Person>,
}

/// Values by level; what does not matter is 0.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<bool>);

impl Values {
    /// An assignment that satisfies the function, if there is one.
    pub fn pick(symbolic: &Symbolic<'_>, f: Bdd) -> Option<Values> {
        let mut values = Values::default();
        for (level, value) in symbolic.manager.pick_cube(f)? {
            values.set(level, value);
        }
        Some(values)
    }

    fn set(&mut self, level: Level, value: bool) {
        let level = level as usize;
        if level >= self.0.len() {
            self.0.resize(level + 1, false);
        }
        self.0[level] = value;
    }

    /// The value at a level.
    pub fn get(&self, level: Level) -> bool {
        self.0.get(level as usize).copied().unwrap_or(false)
    }

    /// The old values of the shared variables.
    pub fn shared(&self, symbolic: &Symbolic<'_>) -> Vec<bool> {
        let ids = symbolic.program.shared().ids();
        ids.map(|id| self.get(symbolic.space.now(Var::Shared(id), Slot::Own))).collect()
    }

    /// The old values of a thread's locals.
    pub fn person(&self, symbolic: &Symbolic<'_>, at: Control, slot: Slot) -> Person {
        let mut values = vec![false; symbolic.program.locals().len()];
        for &local in symbolic.kept(at.loc()) {
            values[local.index()] = self.get(symbolic.space.now(Var::Local(local), slot));
        }
        Person { at, values }
    }
}

/// The literals of the shared variables.
pub fn shared_literals(symbolic: &Symbolic<'_>, shared: &[bool]) -> Vec<(Level, bool)> {
    let ids = symbolic.program.shared().ids();
    ids.map(|id| (symbolic.space.now(Var::Shared(id), Slot::Own), shared[id.index()])).collect()
}

/// The literals of a thread's locals.
pub fn person_literals(symbolic: &Symbolic<'_>, person: &Person, slot: Slot) -> Vec<(Level, bool)> {
    local_literals(symbolic, person.at.loc(), &person.values, slot)
}

fn local_literals(symbolic: &Symbolic<'_>, loc: Loc, values: &[bool], slot: Slot) -> Vec<(Level, bool)> {
    let kept = symbolic.kept(loc).iter();
    kept.map(|&local| (symbolic.space.now(Var::Local(local), slot), values[local.index()])).collect()
}

/// Whether a thread is in a group's set.
pub fn is_in(symbolic: &Symbolic<'_>, person: &Person, group: &Group) -> bool {
    let mut values = Values::default();
    for (level, value) in person_literals(symbolic, person, Slot::Own) {
        values.set(level, value);
    }
    person.at == group.at && symbolic.manager.eval(group.set, |level| values.get(level))
}

/// Whether a state is one of those that a symbolic state means.
pub fn means(symbolic: &Symbolic<'_>, piece: &Piece, scene: &Scene) -> bool {
    let mut values = Values::default();
    for (level, value) in shared_literals(symbolic, &scene.shared) {
        values.set(level, value);
    }
    scene.initialising == piece.initialising
        && scene.people.len() == piece.total() as usize
        && symbolic.manager.eval(piece.shared, |level| values.get(level))
        && deal(&scene.people, &piece.groups, |person, group| is_in(symbolic, person, group)).is_some()
}

/// One of the states that a symbolic state means, its thread of group `index` in `set` (over shared variables and locals).
pub fn pick(
    symbolic: &mut Symbolic<'_>,
    piece: &Piece,
    (index, set): (usize, Bdd),
    budget: &base::Budget,
) -> Result<Scene, Stop> {
    let group = piece.groups[index];
    let first = symbolic.manager.and(piece.shared, group.set, budget)?;
    let first = symbolic.manager.and(first, set, budget)?;
    let values = Values::pick(symbolic, first).expect("the state fails, so it is not empty");
    let mut people = vec![values.person(symbolic, group.at, Slot::Own)];
    for (other, group) in piece.groups.iter().enumerate() {
        let count = group.count - u32::from(other == index);
        let values = Values::pick(symbolic, group.set).expect("no stored set is empty");
        people.extend((0..count).map(|_| values.person(symbolic, group.at, Slot::Own)));
    }
    Ok(Scene { initialising: piece.initialising, shared: values.shared(symbolic), people })
}
