//! A proof that ignores rounds and contexts: the least set of thread states, each with a record of how its
//! activation was entered, that is closed under own steps, under returns to any matching caller, and under
//! what any other thread may do to the shared state.
//!
//! This is the test of context-unbounded analysis (Liu and Wahl, PLDI 2018) for any number of threads. There
//! a plateau of the visible states is a proof once every state that a return can uncover, inside an
//! over-approximation that ignores contexts, has been seen. Here what another thread does must be seen too,
//! because the visible states are those of one thread. What was seen in k rounds is inside this closure; so
//! it is closed exactly if it is the whole closure, and it is enough to compute the closure once and to look
//! for errors in it.
//!
//! Sections and locks keep their meaning: a bit says that somebody is inside, and no two threads own one
//! lock.

mod calls;

use super::Written;
use super::calls::{Call, calls};
use super::equations::{Equations, Kind, plain};
use super::moves::{Move, Moves, Position};
use super::summaries::{Collector, SummarySource};
use crate::certificate::Proof;
use crate::fixpoint::{Atom, Calculus, HornRule, LevelPairs, RelationId, System};
use base::{Budget, Stop};
use ir::bp::{LocalId, ProcId, Role};
use solve::bdd::{Bdd, Level};
use std::collections::BTreeMap;

/// If no error is in the closure, the program is safe for any number of threads and rounds; with the closure
/// as a certificate, unless that has more than `most` states.
pub fn prove(
    equations: &Equations<'_, '_>,
    nodes: usize,
    most: usize,
    budget: &Budget,
) -> Result<Option<Written>, Stop> {
    let (model, space) = (&equations.model, &equations.space);
    let mut calculus = Calculus::new(nodes, budget);
    let initial = equations.system.total(equations.initial);
    let initial =
        calculus.manager.transfer(&equations.system.calculus.manager, initial, |level| level, budget)?;
    let mut maker = Moves { model, space, calculus: &mut calculus };
    let moves = maker.all()?;
    let calls = calls(&mut maker)?;
    let failing = super::equations::failing(&mut maker)?;
    let mut system = System::new(calculus);
    let error = system.relation(vec![], 0);
    let mut closure =
        SummaryClosure { equations, system, seen: BTreeMap::new(), changes: BTreeMap::new(), moves, calls };
    closure.begin(initial)?;
    for kind in closure.kinds() {
        closure.own_steps(kind)?;
        closure.interference(kind)?;
    }
    for (key, seen) in closure.seen.clone() {
        let Position::At(loc) = key.1 else { continue };
        if let Some(&fails) = failing.get(&loc) {
            let may_step = closure.may_step(space.inside.now, space.busy.now)?;
            let with = closure.system.calculus.and(fails, may_step)?;
            closure.add(error, vec![plain(seen)], with)?;
        }
    }
    if closure.system.run(error)? {
        return Ok(None);
    }
    let proof = match closure.certificate(most) {
        // A certificate that is too large is dropped.
        Err(Stop::Ticks | Stop::Memory) => None,
        found => found?,
    };
    Ok(Some(proof))
}

/// A kind of thread, called or not, and where it stands.
type Seen = ((Kind, bool), Position);

struct SummaryClosure<'e, 'p, 'b, 'c> {
    equations: &'e Equations<'p, 'b>,
    system: System<'c>,
    seen: BTreeMap<Seen, RelationId>,
    /// What a kind of thread does to the shared state.
    changes: BTreeMap<Kind, RelationId>,
    moves: Vec<Move>,
    calls: Vec<Call>,
}

impl SummaryClosure<'_, '_, '_, '_> {
    fn kinds(&self) -> Vec<Kind> {
        self.equations.procedures.keys().copied().filter(|&kind| kind != Kind::Init).collect()
    }

    fn add(&mut self, head: RelationId, body: Vec<Atom>, with: Bdd) -> Result<(), Stop> {
        self.system.rule(HornRule { head, body, with }).map(|_| ())
    }

    fn seen(&mut self, kind: Kind, called: bool, position: Position) -> RelationId {
        if let Some(&seen) = self.seen.get(&((kind, called), position)) {
            return seen;
        }
        let space = &self.equations.space;
        let mut levels = vec![space.busy.now];
        if let Position::At(loc) = position {
            levels.extend(self.equations.local_levels(loc));
            if called {
                let record = self.equations.record_of(self.equations.model.program.at(loc).procedure, 1);
                levels.extend(record.iter().map(|copies| copies.entry));
                levels.extend(space.layout.levels(space.entry));
            }
        }
        levels.extend(space.layout.levels(space.v[0]));
        let seen = self.system.relation(levels, 1);
        self.seen.insert(((kind, called), position), seen);
        seen
    }

    fn begin(&mut self, initial: Bdd) -> Result<(), Stop> {
        let model = &self.equations.model;
        let mut begins: Vec<(Kind, Option<ProcId>)> =
            model.unbounded.iter().map(|&it| (Kind::Other, Some(it))).collect();
        begins.extend(model.has_dormant().then_some((Kind::Other, None)));
        begins.extend(model.first.map(|it| (Kind::First, Some(it))));
        let nobody = self.system.calculus.literal(self.equations.space.busy.now, false)?;
        let initial = self.system.calculus.and(initial, nobody)?;
        for (kind, procedure) in begins {
            let (position, fresh) = match procedure {
                Some(it) => (Position::At(model.program.procedures()[it].entry), self.fresh(it)?),
                None => (Position::Dormant, Bdd::TRUE),
            };
            let with = self.system.calculus.and(initial, fresh)?;
            let head = self.seen(kind, false, position);
            self.add(head, vec![], with)?;
        }
        Ok(())
    }

    fn fresh(&mut self, procedure: ProcId) -> Result<Bdd, Stop> {
        let Equations { model, space, .. } = self.equations;
        Moves { model, space, calculus: &mut self.system.calculus }.fresh(procedure)
    }

    /// The states one by one, those of `init` as the equations have them.
    fn certificate(&mut self, most: usize) -> Result<Option<Proof>, Stop> {
        let equations = self.equations;
        let Some(mut collector) = Collector::new(equations, most) else { return Ok(None) };
        for (&((kind, called), position), &seen) in &self.seen {
            let Position::At(loc) = position else { continue };
            let (from, set) = (SummarySource { kind, called, loc }, self.system.total(seen));
            if !collector.add(&mut self.system.calculus, from, set, Some(equations.space.busy.now))? {
                return Ok(None);
            }
        }
        for (&key, &path) in equations.paths.iter().filter(|it| it.0.kind == Kind::Init) {
            let Position::At(loc) = key.position else { continue };
            let Calculus { manager, budget } = &mut self.system.calculus;
            let set = equations.system.total(path);
            let set = manager.transfer(&equations.system.calculus.manager, set, |level| level, budget)?;
            let from = SummarySource { kind: Kind::Init, called: key.entered > 0, loc };
            if !collector.add(&mut self.system.calculus, from, set, None)? {
                return Ok(None);
            }
        }
        collector.finish().map(Some)
    }

    /// A thread steps if it is inside itself or nobody is.
    fn may_step(&mut self, inside: Level, busy: Level) -> Result<Bdd, Stop> {
        let (inside, busy) =
            (self.system.calculus.literal(inside, true)?, self.system.calculus.literal(busy, true)?);
        self.system.calculus.or(inside, !busy)
    }

    fn own_steps(&mut self, kind: Kind) -> Result<(), Stop> {
        let change = self.change(kind);
        for called in [false, true] {
            for index in 0..self.moves.len() {
                let it = self.moves[index].clone();
                let stands = self.equations.stands_at(kind, usize::from(called), it.from);
                if stands && !(it.root_only && called) {
                    self.own_step(kind, called, &it, change)?;
                }
            }
            for index in 0..self.calls.len() {
                let call = self.calls[index].clone();
                if self.equations.stands_at(kind, usize::from(called), Position::At(call.loc)) {
                    self.enter(kind, called, &call)?;
                    self.leave(kind, called, &call)?;
                    self.changes_by_return(kind, &call, change)?;
                }
            }
        }
        Ok(())
    }

    fn own_step(&mut self, kind: Kind, called: bool, it: &Move, change: RelationId) -> Result<(), Stop> {
        let space = &self.equations.space;
        let inside = if it.touched.inside { space.inside.old } else { space.inside.now };
        let before = match it.from {
            Position::At(_) => self.may_step(inside, space.busy.old)?,
            _ => self.system.calculus.literal(space.busy.old, false)?,
        };
        let after = match it.to {
            Position::At(_) => self.system.calculus.equal(&[(space.inside.now, space.busy.now)])?,
            _ => self.system.calculus.literal(space.busy.now, false)?,
        };
        let with = self.system.calculus.all([it.relation, before, after])?;
        let mut renamed: LevelPairs = vec![(space.busy.now, space.busy.old)];
        renamed.extend(
            it.touched.bits.iter().map(|&bit| (space.bit(space.v[0], bit), space.bit(space.old, bit))),
        );
        renamed.extend(it.touched.locals.iter().map(|&local| (space.of(local).now, space.of(local).old)));
        renamed.extend(it.touched.inside.then_some((space.inside.now, space.inside.old)));
        let body = Atom { relation: self.seen(kind, called, it.from), renamed };
        let head = self.seen(kind, called && it.to != Position::Ended, it.to);
        self.add(head, vec![body.clone()], with)?;
        if it.touched.bits.is_empty() && !it.touched.inside && it.to != Position::Ended {
            return Ok(());
        }
        let owner = |local: LocalId| {
            let copies = self.equations.space.of(local);
            if it.touched.locals.contains(&local) { copies.old } else { copies.now }
        };
        let owners = if matches!(it.from, Position::At(_)) { self.owners(owner) } else { self.no_owners() };
        self.changed(change, body, with, owners, &it.touched.bits)
    }

    /// The owner bits of a thread, at these levels, with their positions in a change.
    fn owners(&self, level: impl Fn(LocalId) -> Level) -> Vec<(Option<Level>, Level)> {
        let locals = self.equations.model.program.locals().enumerate();
        let owners = locals.filter(|(_, local)| local.role != Role::Plain);
        owners.map(|(id, _)| (Some(level(id)), self.equations.space.of(id).argument)).collect()
    }

    fn no_owners(&self) -> Vec<(Option<Level>, Level)> {
        self.owners(|_| 0).into_iter().map(|(_, position)| (None, position)).collect()
    }

    /// What others see of a step: the shared state before (`call`) and after (`w`), who is inside, and which
    /// locks the thread owned.
    fn changed(
        &mut self,
        change: RelationId,
        body: Atom,
        with: Bdd,
        owners: Vec<(Option<Level>, Level)>,
        touched: &[usize],
    ) -> Result<(), Stop> {
        let space = &self.equations.space;
        let mut positions: LevelPairs =
            vec![(space.busy.old, space.busy.call), (space.busy.now, space.busy.argument)];
        let mut same: LevelPairs = vec![];
        for bit in 0..self.equations.model.bits.len() {
            let [now, old, pre, post] =
                [space.v[0], space.old, space.call, space.w[0]].map(|column| space.bit(column, bit));
            if touched.contains(&bit) {
                positions.extend([(old, pre), (now, post)]);
            } else {
                positions.push((now, pre));
                same.push((pre, post));
            }
        }
        let mut with = self.system.calculus.rename(with, &positions)?;
        let unchanged = self.system.calculus.equal(&same)?;
        with = self.system.calculus.and(with, unchanged)?;
        for (level, position) in owners {
            let own = match level {
                Some(level) => self.system.calculus.equal(&[(level, position)])?,
                None => self.system.calculus.literal(position, false)?,
            };
            with = self.system.calculus.and(with, own)?;
        }
        // The body calls its levels as the step does; a change calls them by position.
        let position =
            |level: Level| positions.iter().find(|pair| pair.0 == level).map_or(level, |pair| pair.1);
        let levels: Vec<Level> = self.equations.space.levels(&[space.v[0]]);
        let named =
            |level: Level| body.renamed.iter().find(|pair| pair.0 == level).map_or(level, |pair| pair.1);
        let mut renamed: LevelPairs = body
            .renamed
            .iter()
            .map(|&(level, name)| (level, position(name)))
            .filter(|it| !levels.contains(&it.0))
            .collect();
        renamed.extend(levels.iter().map(|&level| (level, position(named(level)))));
        self.add(change, vec![Atom { relation: body.relation, renamed }], with)
    }

    fn change(&mut self, kind: Kind) -> RelationId {
        if let Some(&change) = self.changes.get(&kind) {
            return change;
        }
        let space = &self.equations.space;
        let mut levels = vec![space.busy.call, space.busy.argument];
        levels.extend(space.levels(&[space.call, space.w[0]]));
        levels.extend(self.no_owners().into_iter().map(|(_, position)| position));
        let change = self.system.relation(levels, 2);
        self.changes.insert(kind, change);
        change
    }

    /// What others do to the shared state while a thread of this kind stands outside sections.
    fn interference(&mut self, kind: Kind) -> Result<(), Stop> {
        let active: Vec<Kind> =
            self.kinds().into_iter().filter(|&other| (kind, other) != (Kind::First, Kind::First)).collect();
        let space = &self.equations.space;
        let mut moved: LevelPairs = space.layout.pairs(space.w[0], space.v[0]);
        moved.push((space.busy.argument, space.busy.now));
        let mut before: LevelPairs = space.layout.pairs(space.v[0], space.call);
        before.push((space.busy.now, space.busy.call));
        let outside = self.system.calculus.literal(space.inside.now, false)?;
        let apart = self.apart()?;
        let observers: Vec<(Seen, RelationId)> =
            self.seen.iter().filter(|(key, _)| key.0.0 == kind).map(|(&key, &seen)| (key, seen)).collect();
        for ((_, position), seen) in observers {
            let with = match position {
                Position::At(_) => self.system.calculus.and(outside, apart)?,
                Position::Dormant => Bdd::TRUE,
                Position::Ended => continue,
            };
            for &other in &active {
                let change = Atom { relation: self.change(other), renamed: moved.clone() };
                self.add(seen, vec![Atom { relation: seen, renamed: before.clone() }, change], with)?;
            }
        }
        Ok(())
    }

    /// No two threads own one lock.
    fn apart(&mut self) -> Result<Bdd, Stop> {
        let mut apart = Bdd::TRUE;
        for (own, other) in self.owners(|local| self.equations.space.of(local).now) {
            let own = own.expect("a thread at a location has owner bits");
            let both = self.system.calculus.manager.cube(&[(own, true), (other, true)])?;
            apart = self.system.calculus.and(apart, !both)?;
        }
        Ok(apart)
    }
}
