//! One step of a run, found backwards: given the state after it and the symbolic state that was expanded, a
//! state before it and all that was chosen on the way.

use super::super::broadcast::Broadcasts;
use super::super::deal::deal;
use super::super::group::{Control, Piece, ThreadGroup};
use super::super::threads::SymbolicThreads;
use super::run::First;
use super::state::{self, GlobalState, ThreadState, Values, is_in};
use crate::encoding::Slot;
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId, Var};
use solve::bdd::{Bdd, Level};

/// One command of a thread.
#[derive(Clone, Debug)]
pub struct MicroStep {
    /// Where.
    pub loc: Loc,
    /// Which command of the location.
    pub index: usize,
    /// The values written, in the order of the command.
    pub writes: Vec<bool>,
    /// The thread afterwards, unless it ended.
    pub after: Option<ThreadState>,
}

/// What happened to a passive thread.
#[derive(Clone, Debug)]
pub struct PassiveReaction {
    /// The thread before.
    pub before: ThreadState,
    /// The thread afterwards.
    pub after: ThreadState,
    /// The values that it was given.
    pub values: Vec<(LocalId, bool)>,
}

/// One step of a run.
#[derive(Clone, Debug)]
pub struct ConcreteStep {
    /// The state before.
    pub before: GlobalState,
    /// The thread that stepped, before.
    pub active_thread: ThreadState,
    /// Its commands: one, and those of the invisible transitions that follow.
    pub micros: Vec<MicroStep>,
    /// The thread created.
    pub child: Option<ThreadState>,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// What happened to each passive thread, if the step concerned them.
    pub reactions: Vec<PassiveReaction>,
    /// The threads that came when `init` had ended.
    pub newborn: Vec<ThreadState>,
}

/// Finds steps.
pub struct Finder<'a, 'p> {
    /// The steps of threads.
    pub threads: &'a mut SymbolicThreads<'p>,
    pub broadcasts: &'a mut Broadcasts,
    /// The threads that come when `init` has ended.
    pub populations: &'a [Vec<ThreadGroup>],
    /// The threads alive at once.
    pub bound: u32,
    /// What it may spend.
    pub budget: &'a Budget,
}

impl Finder<'_, '_> {
    /// A step of one thread of a group that leads to the state, or `None` if there is none.
    pub fn find(
        &mut self,
        piece: &Piece,
        active: usize,
        after: &GlobalState,
    ) -> Result<Option<ConcreteStep>, Stop> {
        let at = piece.groups[active].at;
        for index in 0..self.threads.encoding.steps(at.loc()).len() {
            let step = self.threads.encoding.steps(at.loc())[index];
            let found = match step.is_passive {
                true => self.with_passive(piece, active, index, after)?,
                false => self.plain(piece, active, index, after)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A step that concerns no other thread, but perhaps creates one or is the last of `init`.
    fn plain(
        &mut self,
        piece: &Piece,
        active: usize,
        index: usize,
        after: &GlobalState,
    ) -> Result<Option<ConcreteStep>, Stop> {
        let ThreadGroup { at, set, .. } = piece.groups[active];
        let left = piece.without(active);
        let step = self.threads.encoding.steps(at.loc())[index];
        let child = step.child.filter(|_| piece.total() < self.bound);
        let relation = child.map_or(step.relation, |child| child.relation);
        let manager = &mut self.threads.encoding.manager;
        let before = manager.and(piece.shared, set, self.budget)?;
        let active = manager.and(before, relation, self.budget)?;
        let first = First { at, index, step, active };
        let refused = step.child.is_some() && child.is_none();
        for (own, born, rest) in roles(after, step.to.is_some(), child.map(|it| Control::new(it.at, false))) {
            let dealt = self.dealing(piece, step.to.is_none(), after, &left, &rest);
            let Some((others, newborn)) = dealt else { continue };
            let Some(run) = self.run(&first, own, born, &after.shared)? else { continue };
            let step = run.concrete(piece.initialising, others);
            return Ok(Some(ConcreteStep { child: born.cloned(), refused, newborn, ..step }));
        }
        Ok(None)
    }

    /// How the threads that did not step may be those that were there before, and those that came when `init`
    /// ended.
    fn dealing(
        &self,
        piece: &Piece,
        ended: bool,
        after: &GlobalState,
        left: &[ThreadGroup],
        rest: &[&ThreadState],
    ) -> Option<(Vec<ThreadState>, Vec<ThreadState>)> {
        let encoding = &self.threads.encoding;
        let starts = piece.initialising && ended;
        if after.initialising != (piece.initialising && !starts) {
            return None;
        }
        let nobody = [vec![]];
        let populations = if starts { self.populations } else { &nobody[..] };
        populations.iter().find_map(|population| {
            let all: Vec<ThreadGroup> = left.iter().chain(population).copied().collect();
            let given = deal(rest, &all, |thread, group| is_in(encoding, thread, group))?;
            let of = |coming: bool| {
                let chosen = rest.iter().zip(&given).filter(|it| (*it.1 >= left.len()) == coming);
                chosen.map(|it| (*it.0).clone()).collect()
            };
            Some((of(false), of(true)))
        })
    }

    /// A broadcast, or a condition over passive copies.
    fn with_passive(
        &mut self,
        piece: &Piece,
        active: usize,
        index: usize,
        after: &GlobalState,
    ) -> Result<Option<ConcreteStep>, Stop> {
        let at = piece.groups[active].at;
        let step = self.threads.encoding.steps(at.loc())[index];
        let left = piece.without(active);
        for part in self.broadcasts.parts(self.threads, piece, active, index, self.budget)? {
            let first = First { at, index, step, active: part.active };
            for (own, _, rest) in roles(after, step.to.is_some(), None) {
                let Some(run) = self.run(&first, own, None, &after.shared)? else { continue };
                let Some(reactions) = self.reactions(&first, &run.active, &left, &rest)? else { continue };
                let others = reactions.iter().map(|reaction| reaction.before.clone()).collect();
                return Ok(Some(ConcreteStep { reactions, ..run.concrete(piece.initialising, others) }));
            }
        }
        Ok(None)
    }

    /// What each passive thread was before, dealt out to the groups that were there.
    fn reactions(
        &mut self,
        first: &First,
        active: &Values,
        left: &[ThreadGroup],
        rest: &[&ThreadState],
    ) -> Result<Option<Vec<PassiveReaction>>, Stop> {
        let mut ways = vec![];
        for (number, thread) in rest.iter().enumerate() {
            for (index, group) in left.iter().enumerate().filter(|it| it.1.at == thread.at) {
                let way = self.reaction(first, active, group.set, thread)?;
                ways.extend(way.map(|way| (number, index, way)));
            }
        }
        let numbers: Vec<usize> = (0..rest.len()).collect();
        let groups: Vec<ThreadGroup> = left.to_vec();
        let fits = |&number: &usize, group: &ThreadGroup| {
            ways.iter().any(|way| way.0 == number && groups[way.1] == *group)
        };
        let Some(given) = deal(&numbers, left, fits) else { return Ok(None) };
        let chosen = given.iter().enumerate().map(|(number, &group)| {
            let way = ways.iter().find(|way| (way.0, way.1) == (number, group));
            way.expect("dealt out where there is a way").2.clone()
        });
        Ok(Some(chosen.collect()))
    }

    /// A passive thread's part in a step: from a set before to `after`.
    fn reaction(
        &mut self,
        first: &First,
        active: &Values,
        set: Bdd,
        after: &ThreadState,
    ) -> Result<Option<PassiveReaction>, Stop> {
        let (loc, at) = (first.at.loc(), after.at.loc());
        let encoding = &mut self.threads.encoding;
        let relation = encoding.full_passive_relation(loc, first.index, at, self.budget)?;
        let updates = encoding.updates(loc, first.index, at);
        let updated = |local: LocalId| updates.iter().any(|it| it.0 == local);
        let mut fixed: Vec<(Level, bool)> = active_literals(encoding, active);
        for &local in encoding.kept(at) {
            let now = encoding.space.now(Var::Local(local), Slot::Passive);
            fixed.push((now + Level::from(updated(local)), after.values[local.index()]));
        }
        let cube = encoding.manager.cube(&fixed)?;
        let map = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Passive);
        let set = encoding.manager.rename(set, map, self.budget)?;
        let all = encoding.manager.and_all([relation, cube, set], self.budget)?;
        let Some(picked) = Values::pick(encoding, all) else { return Ok(None) };
        let value =
            |local: LocalId| (local, picked.get(encoding.space.next(Var::Local(local), Slot::Passive)));
        let values: Vec<(LocalId, bool)> = updates.iter().map(|&(local, _)| value(local)).collect();
        let before = state::thread_state(encoding, &picked, after.at, Slot::Passive);
        Ok(Some(PassiveReaction { before, after: after.clone(), values }))
    }
}

/// All literals of the shared variables and the active thread, old and new.
fn active_literals(encoding: &crate::encoding::Encoding<'_>, active: &Values) -> Vec<(Level, bool)> {
    let space = &encoding.space;
    let levels = space.levels_of_shared().into_iter().chain(space.levels_of_locals(Slot::Own));
    levels.flat_map(|now| [now, now + 1]).map(|level| (level, active.get(level))).collect()
}

type Roles<'s> = (Option<&'s ThreadState>, Option<&'s ThreadState>, Vec<&'s ThreadState>);

/// Who may be the thread that stepped and who its child: equal threads are tried once.
fn roles(after: &GlobalState, goes_on: bool, child: Option<Control>) -> Vec<Roles<'_>> {
    let threads = &after.threads;
    let distinct = |numbers: Vec<usize>| {
        let mut kept: Vec<usize> = vec![];
        for number in numbers {
            if kept.iter().all(|&other| threads[other] != threads[number]) {
                kept.push(number);
            }
        }
        kept
    };
    let active: Vec<Option<usize>> = match goes_on {
        true => distinct((0..threads.len()).collect()).into_iter().map(Some).collect(),
        false => vec![None],
    };
    let mut all = vec![];
    for active in active {
        let children: Vec<Option<usize>> = match child {
            Some(at) => {
                let fit = |&it: &usize| Some(it) != active && threads[it].at == at;
                distinct((0..threads.len()).filter(fit).collect()).into_iter().map(Some).collect()
            }
            None => vec![None],
        };
        for child in children {
            let rest = (0..threads.len()).filter(|&it| Some(it) != active && Some(it) != child);
            let rest = rest.map(|it| &threads[it]).collect();
            all.push((active.map(|it| &threads[it]), child.map(|it| &threads[it]), rest));
        }
    }
    all
}
