//! Who may hold what while it waits for what: an edge from each to each. Only a guess, from what each step
//! locks and unlocks; whether threads wait in an order is proved.

use base::{Budget, Id, Stop};
use c::Program;
use c::effects::{AccessKind, MemoryAccess, Region, SyncUse, ThreadEffect};
use c::machine::Blocked;
use c::op::Place;
use c::points_to::PointsTo;
use c::program::{Loc, ObjectId, ProcId};
use c::types::{ObjectScope, SyncKind};
use relation::{Direction, Resource};
use std::collections::{BTreeMap, BTreeSet};

/// A thread is not followed further into holding one class of locks again and again.
const MANY: u8 = 3;

/// What threads wait for, and what they may hold meanwhile.
pub struct Edges {
    /// What they wait for, each once.
    pub nodes: Vec<Resource>,
    /// By node: what may be waited for by who holds it.
    pub next: Vec<Vec<usize>>,
    /// The most locks that are held at once.
    pub deepest: usize,
    /// Where threads wait for what no order speaks of.
    pub otherwise: Option<Loc>,
}

/// What a step does to locks.
struct LockStep {
    classes: Vec<Resource>,
    takes: bool,
    gives: bool,
    waits: bool,
}

/// What may be held at a location: the most of each class, and the most in all.
#[derive(Clone, PartialEq, Eq, Default)]
struct Held {
    classes: BTreeMap<Resource, u8>,
    together: u8,
}

impl Edges {
    /// Looks at all steps.
    pub fn new(program: &Program, budget: &Budget) -> Result<Edges, Stop> {
        let steps = lock_steps(program, budget)?;
        let held = held(program, &steps, budget)?;
        let mut edges: BTreeSet<(Resource, Resource)> = BTreeSet::new();
        let mut nodes: BTreeSet<Resource> = BTreeSet::new();
        let templates: BTreeSet<ProcId> = program.templates().into_iter().collect();
        nodes.extend(templates.iter().map(|&it| Resource::Life(it)));
        for loc in program.locations().ids() {
            let own = Resource::Life(program.at(loc).procedure);
            let wanted = wanted(program, steps.get(&loc), loc);
            nodes.extend(&wanted);
            let holds = held.get(&loc).into_iter().flat_map(|it| it.classes.keys().copied());
            for holds in holds.chain([own]) {
                edges.extend(wanted.iter().map(|&it| (holds, it)));
            }
        }
        let nodes: Vec<Resource> = nodes.into_iter().collect();
        let at = |it: &Resource| nodes.binary_search(it).ok();
        let mut next = vec![vec![]; nodes.len()];
        for (holds, wants) in &edges {
            if let (Some(from), Some(to)) = (at(holds), at(wants)) {
                next[from].push(to);
            }
        }
        let deepest = held.values().map(|it| it.together).max().unwrap_or(0);
        let otherwise = held.keys().copied().find(|&loc| waits_otherwise(program, loc));
        Ok(Edges { nodes, next, deepest: usize::from(deepest), otherwise })
    }
}

/// Whether a thread may wait here for a condition, at a barrier or for `pthread_once`.
fn waits_otherwise(program: &Program, loc: Loc) -> bool {
    let effects = program.effects(loc);
    let gives_up = effects.chooses.fails;
    effects.waits.iter().any(|it| match it {
        Blocked::Signal => !gives_up,
        it => matches!(it, Blocked::Barrier | Blocked::Once),
    })
}

/// What may be waited for here.
fn wanted(program: &Program, step: Option<&LockStep>, loc: Loc) -> Vec<Resource> {
    if let Some(step) = step.filter(|it| it.waits) {
        return step.classes.clone();
    }
    let Some(ThreadEffect::Join(_)) = program.effects(loc).threads else { return vec![] };
    // Mostly threads join those that they created.
    let created = |of: Option<ProcId>| -> BTreeSet<ProcId> {
        let here = |at: &Loc| of.is_none_or(|it| program.at(*at).procedure == it);
        program.locations().ids().filter(here).filter_map(|at| program.effects(at).creates()).collect()
    };
    let own = created(Some(program.at(loc).procedure));
    let joined = if own.is_empty() { created(None) } else { own };
    joined.into_iter().map(Resource::Life).collect()
}

fn lock_steps(program: &Program, budget: &Budget) -> Result<BTreeMap<Loc, LockStep>, Stop> {
    let points_to = PointsTo::new(program, budget)?;
    let mut steps = BTreeMap::new();
    for loc in program.locations().ids() {
        budget.spend(1)?;
        let effects = program.effects(loc);
        for access in &effects.accesses {
            let (Region::Sync { kind, .. }, AccessKind::Sync(usage)) = (access.region, access.kind) else {
                continue;
            };
            if !matches!(kind, SyncKind::Mutex | SyncKind::RwLock | SyncKind::Semaphore) {
                continue;
            }
            let takes = matches!(usage, SyncUse::Acquire(_) | SyncUse::AcquireShared(_));
            let gives = usage == SyncUse::Release;
            let again = usage == SyncUse::Reacquire;
            if takes || gives || again {
                let waits = !effects.waits.is_empty() && (takes || again);
                let classes = classes(program, &points_to, access);
                steps.insert(loc, LockStep { classes, takes, gives, waits });
            }
        }
    }
    let whole: BTreeSet<ObjectId> = steps.values().flat_map(|it| &it.classes).filter_map(object).collect();
    for step in steps.values_mut() {
        for class in &mut step.classes {
            if let Resource::Cell(of, _) = *class
                && whole.contains(&of)
            {
                *class = Resource::Object(of, Direction::Up);
            }
        }
    }
    Ok(steps)
}

/// The object whose locks are one class.
fn object(class: &Resource) -> Option<ObjectId> {
    match class {
        Resource::Object(object, _) => Some(*object),
        _ => None,
    }
}

/// The classes that a lock may be of.
fn classes(program: &Program, points_to: &PointsTo, access: &MemoryAccess) -> Vec<Resource> {
    let is_static = |object: ObjectId| program.objects()[object].scope == ObjectScope::Static;
    let rest = Resource::Rest(Direction::Up);
    match access.region.place() {
        Some(Place::Object { object, offset }) if is_static(object) => {
            u64::try_from(offset).map_or(vec![], |offset| vec![Resource::Cell(object, offset)])
        }
        Some(Place::Indexed { object, .. }) if is_static(object) => {
            vec![Resource::Object(object, Direction::Up)]
        }
        Some(Place::Pointer { .. }) => {
            let class = |number: u32| {
                let declared = (number as usize) < program.objects().len();
                let object = ObjectId::from_index(number as usize);
                if declared && is_static(object) { Resource::Object(object, Direction::Up) } else { rest }
            };
            let targets: BTreeSet<Resource> =
                points_to.shared(access.region).into_iter().map(class).collect();
            if targets.is_empty() { vec![rest] } else { targets.into_iter().collect() }
        }
        _ => vec![rest],
    }
}

/// What may be held at each location that is reached.
fn held(
    program: &Program,
    steps: &BTreeMap<Loc, LockStep>,
    budget: &Budget,
) -> Result<BTreeMap<Loc, Held>, Stop> {
    let mut held: BTreeMap<Loc, Held> = BTreeMap::new();
    let mut work: Vec<Loc> = vec![];
    for template in program.templates() {
        let entry = program.procedures()[template].entry;
        held.insert(entry, Held::default());
        work.push(entry);
    }
    while let Some(loc) = work.pop() {
        budget.spend(1)?;
        let mut after = held[&loc].clone();
        if let Some(step) = steps.get(&loc) {
            after.step(step);
        }
        for next in program.successors(loc) {
            let known = held.get(&next);
            let joined = known.map_or(after.clone(), |it| it.join(&after));
            if known != Some(&joined) {
                held.insert(next, joined);
                work.push(next);
            }
        }
    }
    Ok(held)
}

impl Held {
    fn step(&mut self, step: &LockStep) {
        if step.takes {
            self.together = MANY.min(self.together + 1);
            for class in &step.classes {
                let count = self.classes.entry(*class).or_default();
                *count = MANY.min(*count + 1);
            }
        } else if step.gives {
            self.together = self.together.saturating_sub(1);
            for class in &step.classes {
                let left = self.classes.get(class).map_or(0, |it| it - 1);
                if left == 0 {
                    self.classes.remove(class);
                } else {
                    self.classes.insert(*class, left);
                }
            }
        }
    }

    fn join(&self, other: &Held) -> Held {
        let mut joined = self.clone();
        for (class, count) in &other.classes {
            let known = joined.classes.entry(*class).or_default();
            *known = (*known).max(*count);
        }
        joined.together = joined.together.max(other.together);
        joined
    }
}
