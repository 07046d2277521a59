//! Clause (1.3) of the equations: local reachability, with calls and returns by summaries. One relation for
//! each kind of thread, round, location, and round in which the current activation was entered.

use super::calls::Call;
use super::equations::{Equations, Kind, Meaning, PathKey, plain, urgency};
use super::moves::Position;
use super::space::Copies;
use crate::fixpoint::{Atom, LevelPairs, RelationId};
use base::Stop;
use ir::bp::{Loc, ProcId};
use solve::bdd::{Bdd, Level};

impl Equations<'_, '_> {
    /// (1.3) Steps, calls and returns of one kind of thread in a round, and what they show to others.
    pub fn local_steps(&mut self, kind: Kind, round: usize) -> Result<(), Stop> {
        let entered: Vec<usize> = if self.calls.is_empty() { vec![0] } else { (0..=round).collect() };
        for entered in entered {
            self.plain_steps(kind, entered, round)?;
            self.call_steps(kind, entered, round)?;
            self.visible(kind, entered, round)?;
        }
        Ok(())
    }

    /// The procedures whose activations a relation with this entry is about.
    fn covers(&self, kind: Kind, entered: usize, procedure: ProcId) -> bool {
        let called = || self.calls.iter().any(|call| call.callee == procedure);
        self.procedures[&kind].contains(&procedure) && (entered == 0 || called())
    }

    pub fn stands_at(&self, kind: Kind, entered: usize, position: Position) -> bool {
        match position {
            Position::At(loc) => self.covers(kind, entered, self.model.program.at(loc).procedure),
            Position::Dormant => kind == Kind::Other && entered == 0,
            Position::Ended => entered == 0,
        }
    }

    fn plain_steps(&mut self, kind: Kind, entered: usize, round: usize) -> Result<(), Stop> {
        for index in 0..self.moves.len() {
            let it = self.moves[index].clone();
            if !self.stands_at(kind, entered, it.from) || it.root_only && entered > 0 {
                continue;
            }
            let body = self.path(PathKey { kind, entered, round, position: it.from });
            let lasting = if it.to == Position::Ended { 0 } else { entered };
            let head = self.path(PathKey { kind, entered: lasting, round, position: it.to });
            let now = self.space.v[round - 1];
            let mut renamed: LevelPairs = it
                .touched
                .bits
                .iter()
                .map(|&bit| (self.space.bit(now, bit), self.space.bit(self.space.old, bit)))
                .collect();
            renamed.extend(
                it.touched.locals.iter().map(|&local| (self.space.of(local).now, self.space.of(local).old)),
            );
            renamed.extend(it.touched.inside.then_some((self.space.inside.now, self.space.inside.old)));
            let with = self.in_round(it.relation, round)?;
            self.add(Meaning::Move(index), head, vec![Atom { relation: body, renamed }], with)?;
        }
        Ok(())
    }

    /// A relation of round 1 in another round.
    fn in_round(&mut self, relation: Bdd, round: usize) -> Result<Bdd, Stop> {
        let pairs = self.space.layout.pairs(self.space.v[0], self.space.v[round - 1]);
        self.system.calculus.rename(relation, &pairs)
    }

    fn call_steps(&mut self, kind: Kind, entered: usize, round: usize) -> Result<(), Stop> {
        for index in 0..self.calls.len() {
            let loc = self.calls[index].loc;
            if !self.stands_at(kind, entered, Position::At(loc)) {
                continue;
            }
            self.enter(kind, entered, round, index)?;
            for during in entered.max(1)..=round {
                for at in 0..self.calls[index].returns.len() {
                    self.leave(
                        PathKey { kind, entered, round, position: Position::At(loc) },
                        during,
                        index,
                        at,
                    )?;
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, kind: Kind, entered: usize, round: usize, index: usize) -> Result<(), Stop> {
        let call = &self.calls[index];
        let (loc, relation) = (call.loc, call.enter);
        let entry = self.model.program.procedures()[call.callee].entry;
        let caller = self.model.program.at(loc).procedure;
        let mut renamed: LevelPairs = self
            .model
            .frame(caller)
            .iter()
            .map(|&it| (self.space.of(it).now, self.space.of(it).old))
            .collect();
        renamed.extend(self.record_of(caller, entered).into_iter().map(|copies| (copies.entry, copies.call)));
        renamed.extend(self.space.layout.pairs(self.space.entry, self.space.call));
        let body = Atom {
            relation: self.path(PathKey { kind, entered, round, position: Position::At(loc) }),
            renamed,
        };
        let head = self.path(PathKey { kind, entered: round, round, position: Position::At(entry) });
        let with = self.in_round(relation, round)?;
        self.add(Meaning::Enter(index), head, vec![body], with)
    }

    /// What an activation remembers of its entry, apart from the shared state.
    pub fn record_of(&self, procedure: ProcId, entered: usize) -> Vec<Copies> {
        if entered == 0 {
            return vec![];
        }
        let params = self.model.program.procedures()[procedure].params.clone();
        let locals = params.into_iter().chain(self.model.thread_locals());
        locals.map(|local| self.space.of(local)).chain([self.space.inside]).collect()
    }

    /// What caller and callee call their levels in a return: the callee was entered in round `during`, and
    /// returns in `key.round`.
    pub fn names_in_return(&self, key: PathKey, during: usize, call: &Call) -> (LevelPairs, LevelPairs) {
        let space = &self.space;
        let mut caller: LevelPairs =
            call.touched.iter().map(|&it| (space.of(it).now, space.of(it).call)).collect();
        caller.extend(self.model.thread_locals().iter().map(|&it| (space.of(it).now, space.of(it).call)));
        caller.push((space.inside.now, space.inside.call));
        caller.extend(space.layout.pairs(space.v[during - 1], space.call));
        let mut callee: LevelPairs =
            self.model.frame(call.callee).iter().map(|&it| (space.of(it).now, space.of(it).old)).collect();
        callee.extend(call.thread_touched.iter().map(|&it| (space.of(it).now, space.of(it).old)));
        callee.extend(call.inside.then_some((space.inside.now, space.inside.old)));
        let now = space.v[key.round - 1];
        callee.extend(call.bits.iter().map(|&bit| (space.bit(now, bit), space.bit(space.old, bit))));
        let params = &self.model.program.procedures()[call.callee].params;
        callee.extend(params.iter().map(|&it| (space.of(it).entry, space.of(it).argument)));
        callee.extend(self.model.thread_locals().iter().map(|&it| (space.of(it).entry, space.of(it).call)));
        callee.push((space.inside.entry, space.inside.call));
        callee.extend(space.layout.pairs(space.entry, space.call));
        (caller, callee)
    }

    /// The caller at `key.position` entered the callee in round `during`; the callee returns in `key.round`.
    fn leave(&mut self, key: PathKey, during: usize, index: usize, at: usize) -> Result<(), Stop> {
        let call = self.calls[index].clone();
        let end = call.returns[at];
        let (caller, callee) = self.names_in_return(key, during, &call);
        let waiting = self.path(PathKey { round: during, ..key });
        let ending = self.path(PathKey { entered: during, position: Position::At(end.loc), ..key });
        let head = self.path(PathKey { position: Position::At(call.next), ..key });
        let body =
            vec![Atom { relation: waiting, renamed: caller }, Atom { relation: ending, renamed: callee }];
        let with = self.in_round(end.relation, key.round)?;
        self.add(Meaning::Leave(index, at), head, body, with)
    }

    /// What paths show: outputs of turns that end outside sections, and errors.
    fn visible(&mut self, kind: Kind, entered: usize, round: usize) -> Result<(), Stop> {
        let outside = self.system.calculus.literal(self.space.inside.now, false)?;
        let all = self
            .model
            .program
            .locations()
            .ids()
            .map(Position::At)
            .chain([Position::Dormant, Position::Ended]);
        for position in all.collect::<Vec<_>>() {
            if !self.stands_at(kind, entered, position) {
                continue;
            }
            let path = self.path(PathKey { kind, entered, round, position });
            if let Some(&out) = self.out.get(&(kind, round)) {
                let with = if matches!(position, Position::At(_)) { outside } else { Bdd::TRUE };
                self.add(Meaning::Other, out, vec![plain(path)], with)?;
            }
            if let Some(fails) = self.failing_at(position) {
                let with = self.in_round(fails, round)?;
                self.add(Meaning::Other, self.error, vec![plain(path)], with)?;
            }
        }
        Ok(())
    }

    fn failing_at(&self, position: Position) -> Option<Bdd> {
        match position {
            Position::At(loc) => self.failing.get(&loc).copied(),
            _ => None,
        }
    }

    /// The relation of these paths, made if it is new.
    pub fn path(&mut self, key: PathKey) -> RelationId {
        if let Some(&path) = self.paths.get(&key) {
            return path;
        }
        let levels = self.schema(key);
        let urgency = urgency(key.round, 0);
        let path = self.system.relation(levels, urgency);
        self.paths.insert(key, path);
        self.keys.insert(path, key);
        path
    }

    fn schema(&self, key: PathKey) -> Vec<Level> {
        let space = &self.space;
        let mut levels: Vec<Level> = vec![];
        if let Position::At(loc) = key.position {
            levels.extend(self.local_levels(loc));
            if key.entered > 0 {
                let procedure = self.model.program.at(loc).procedure;
                levels.extend(self.record_of(procedure, key.entered).iter().map(|copies| copies.entry));
                levels.extend(space.layout.levels(space.entry));
            }
        }
        // `init` runs alone: what it started from is nobody's business.
        let ins = if key.kind == Kind::Init || !self.inputs { &[] } else { &space.u[..key.round] };
        levels.extend(space.levels(&[ins, &space.v[..key.round]].concat()));
        levels
    }

    /// The levels of the local state of a thread at a location.
    pub fn local_levels(&self, loc: Loc) -> Vec<Level> {
        let frame = self.model.frame(self.model.program.at(loc).procedure);
        let locals = frame.into_iter().chain(self.model.thread_locals());
        locals.map(|local| self.space.of(local).now).chain([self.space.inside.now]).collect()
    }
}
