//! The steps of a thread as relations. The program counter is explicit, one relation for each location, so
//! that a step speaks only of the variables that it touches and needs no frame condition, and what is new at
//! one location wakes only the rules of that location; with a counter in binary every step would be a product
//! with the whole transition relation.
//!
//! A relation is over the touched variables before the step (`old`) and everything after it; the shared state
//! after the step is in the column of round 1, and is renamed for other rounds.

use super::model::{Bit, Model};
use super::space::RoundSpace;
use crate::evaluate::{self, Diagrams, Memo, Range};
use crate::fixpoint::Calculus;
use base::Stop;
use ir::bp::{ExprId, Loc, LocalId, Op, Program, Read, Var, When};
use solve::bdd::{Bdd, Level};

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Position {
    /// At a location.
    At(Loc),
    /// Not woken yet.
    Dormant,
    /// Ended.
    Ended,
}

/// What a move does besides changing variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifecycle {
    /// Nothing: a statement of the thread.
    Plain,
    /// Creates a child that will be woken.
    Create,
    /// Creates a child that never moves.
    CreateIdle,
    /// Not a step of the program: a child wakes.
    WakeChild,
    /// Not a step of the program: a fixed thread wakes.
    WakeLate,
}

/// A step inside one activation.
#[derive(Clone, Debug)]
pub struct Move {
    /// Where it starts.
    pub from: Position,
    /// Where it leads.
    pub to: Position,
    /// Whether it is taken only by the activation that the thread began with.
    pub root_only: bool,
    /// What it does besides.
    pub effect: Lifecycle,
    /// What it touches.
    pub touched: Touched,
    pub relation: Bdd,
}

/// Variables with an old and a new value.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Locals.
    pub locals: Vec<LocalId>,
    /// The bit "inside".
    pub inside: bool,
    /// Shared bits.
    pub bits: Vec<usize>,
}

impl Touched {
    fn variables(vars: impl IntoIterator<Item = Var>, model: &Model<'_>) -> Touched {
        let mut touched = Touched::default();
        for var in vars {
            match var {
                Var::Local(id) if !touched.locals.contains(&id) => touched.locals.push(id),
                Var::Shared(id) => touched.bits.push(model.bit(Bit::Shared(id))),
                Var::Local(_) => {}
            }
            touched.inside |= model.program.atomic_variable().map(Var::Shared) == Some(var);
        }
        touched
    }
}

/// Which copy of each variable an expression reads.
pub struct Reader<'a> {
    /// Of locals.
    pub local: &'a dyn Fn(LocalId) -> Level,
    /// Of shared bits.
    pub shared: &'a dyn Fn(usize) -> Level,
}

/// Builds relations.
pub struct Moves<'a, 'p, 'b> {
    /// The program.
    pub model: &'a Model<'p>,
    /// The columns.
    pub space: &'a RoundSpace,
    /// The operations.
    pub calculus: &'a mut Calculus<'b>,
}

impl Moves<'_, '_, '_> {
    /// All moves of all threads, calls and returns to callers excepted.
    pub fn all(&mut self) -> Result<Vec<Move>, Stop> {
        let mut moves = vec![];
        for loc in self.model.program.locations().ids() {
            moves.extend(self.at(loc)?);
        }
        for index in 0..self.model.late.len() {
            moves.push(self.wake_late(index)?);
        }
        for index in 0..self.model.messages.len() {
            moves.push(self.wake_child(index)?);
        }
        Ok(moves)
    }

    fn at(&mut self, loc: Loc) -> Result<Vec<Move>, Stop> {
        let program = self.model.program;
        let location = program.at(loc);
        let next = Position::At(location.next);
        let plain = |to: Position| Draft { from: loc, to, root_only: false, effect: Lifecycle::Plain };
        let none = Touched::default;
        Ok(match &location.op {
            Op::Skip | Op::Assert(_) => vec![self.finish(plain(next), none(), |_, _| Ok(Bdd::TRUE))?],
            Op::Goto(targets) => {
                let targets: std::collections::BTreeSet<Loc> = targets.iter().copied().collect();
                let mut moves = vec![];
                for target in targets {
                    moves.push(self.finish(plain(Position::At(target)), none(), |_, _| Ok(Bdd::TRUE))?);
                }
                moves
            }
            Op::Branch { cond, target } => {
                let cond = *cond;
                let test = |value: bool| {
                    move |it: &mut Self, old: &Reader<'_>| Ok(it.truth(cond, old)?.may_be(value))
                };
                vec![
                    self.finish(plain(Position::At(*target)), none(), test(true))?,
                    self.finish(plain(next), none(), test(false))?,
                ]
            }
            Op::Assume(e) => vec![self.finish(plain(next), none(), |it, old| Ok(it.truth(*e, old)?.one))?],
            Op::Assign { targets, constrain, .. } => {
                let touched = Touched::variables(targets.iter().map(|it| it.0), self.model);
                let relation = |it: &mut Self, old: &Reader<'_>| it.assignment(targets, *constrain, old);
                vec![self.finish(plain(next), touched, relation)?]
            }
            Op::Call { .. } => vec![],
            Op::Return(_) => {
                let draft = Draft { root_only: true, ..plain(Position::Ended) };
                vec![self.finish(draft, none(), |_, _| Ok(Bdd::TRUE))?]
            }
            Op::End => vec![self.finish(plain(Position::Ended), none(), |_, _| Ok(Bdd::TRUE))?],
            Op::Start(spawn) => self.creation(loc, spawn)?,
            Op::AtomicBegin | Op::AtomicEnd => {
                let value = location.op == Op::AtomicBegin;
                let touched = Touched { inside: true, ..none() };
                let relation =
                    move |it: &mut Self, _: &Reader<'_>| it.calculus.literal(it.space.inside.now, value);
                vec![self.finish(plain(next), touched, relation)?]
            }
            Op::Lock(id) | Op::Unlock(id) => {
                let lock = &program.locks()[*id];
                let takes = matches!(location.op, Op::Lock(_));
                let vars = [Var::Shared(lock.taken), Var::Local(lock.owner)];
                let touched = Touched::variables(vars, self.model);
                vec![self.finish(plain(next), touched, |it, old| {
                    let taken = it.model.bit(Bit::Shared(lock.taken));
                    let before =
                        if takes { ((old.shared)(taken), false) } else { ((old.local)(lock.owner), true) };
                    let after =
                        [(it.space.bit(it.space.v[0], taken), takes), (it.space.of(lock.owner).now, takes)];
                    it.calculus.manager.cube(&[before, after[0], after[1]])
                })?]
            }
        })
    }

    /// The parallel assignment, its `constrain` and what it does to the atomic section.
    fn assignment(
        &mut self,
        targets: &[(Var, ExprId)],
        constrain: Option<ExprId>,
        old: &Reader<'_>,
    ) -> Result<Bdd, Stop> {
        let mut relation = Bdd::TRUE;
        for &(var, e) in targets {
            let value = self.truth(e, old)?;
            relation = self.gets(relation, self.now(var), value)?;
            relation = self.follow_atomic_variable(relation, var)?;
        }
        if let Some(e) = constrain {
            let (space, model) = (self.space, self.model);
            let level = |read: Read| match (read.when, read.var) {
                (When::Now, Var::Local(id)) => (old.local)(id),
                (When::Now, Var::Shared(id)) => (old.shared)(model.bit(Bit::Shared(id))),
                (When::Next, Var::Local(id)) => space.of(id).now,
                (When::Next, Var::Shared(id)) => space.bit(space.v[0], model.bit(Bit::Shared(id))),
            };
            let holds = self.range(e, level)?.one;
            relation = self.calculus.and(relation, holds)?;
        }
        Ok(relation)
    }

    /// The new value at `level` is one that the expression may have.
    pub fn gets(&mut self, relation: Bdd, level: Level, value: Range<Bdd>) -> Result<Bdd, Stop> {
        let new = self.calculus.literal(level, true)?;
        let fits = self.calculus.ite(new, value.one, value.zero)?;
        self.calculus.and(relation, fits)
    }

    /// Writing the atomic variable enters or leaves the section.
    pub fn follow_atomic_variable(&mut self, relation: Bdd, var: Var) -> Result<Bdd, Stop> {
        if self.model.program.atomic_variable().map(Var::Shared) != Some(var) {
            return Ok(relation);
        }
        let same = self.calculus.equal(&[(self.now(var), self.space.inside.now)])?;
        self.calculus.and(relation, same)
    }

    /// Where a variable is after a step.
    pub fn now(&self, var: Var) -> Level {
        match var {
            Var::Local(id) => self.space.of(id).now,
            Var::Shared(id) => self.space.bit(self.space.v[0], self.model.bit(Bit::Shared(id))),
        }
    }

    /// The truth of an expression over one copy of the variables.
    pub fn truth(&mut self, e: ExprId, reader: &Reader<'_>) -> Result<Range<Bdd>, Stop> {
        let model = self.model;
        let level = |read: Read| match read.var {
            Var::Local(id) => (reader.local)(id),
            Var::Shared(id) => (reader.shared)(model.bit(Bit::Shared(id))),
        };
        self.range(e, level)
    }

    fn range(&mut self, e: ExprId, level: impl Fn(Read) -> Level) -> Result<Range<Bdd>, Stop> {
        let Calculus { manager, budget } = &mut *self.calculus;
        let mut diagrams = Diagrams { manager, level, budget };
        evaluate::range(&mut diagrams, self.model.program.exprs(), e, &mut Memo::default())
    }

    /// That `enforce` lets a thread step out of or into a state at `loc`.
    pub fn enforced(&mut self, loc: Loc, reader: &Reader<'_>) -> Result<Bdd, Stop> {
        match self.model.program.at(loc).enforce {
            Some(e) => Ok(self.truth(e, reader)?.one),
            None => Ok(Bdd::TRUE),
        }
    }

    /// Dead locals are 0.
    pub fn settle(&mut self, at: Loc, relation: Bdd) -> Result<Bdd, Stop> {
        let dead: Vec<Level> =
            self.model.program.at(at).dead.iter().map(|&local| self.space.of(local).now).collect();
        let forgotten = self.calculus.exists(relation, &dead)?;
        let zero = self.calculus.number(&dead, 0)?;
        self.calculus.and(forgotten, zero)
    }

    /// Adds to a step what holds for every step: `enforce` before and after it, and dead locals.
    pub(super) fn finish(
        &mut self,
        draft: Draft,
        mut touched: Touched,
        relation: impl FnOnce(&mut Self, &Reader<'_>) -> Result<Bdd, Stop>,
    ) -> Result<Move, Stop> {
        let program: &Program = self.model.program;
        let dead = if let Position::At(to) = draft.to { program.at(to).dead.clone() } else { vec![] };
        let kept: Vec<LocalId> = dead.into_iter().filter(|local| !touched.locals.contains(local)).collect();
        touched.locals.extend(&kept);
        let space = self.space;
        let (locals, bits) = (touched.locals.clone(), touched.bits.clone());
        let old_local = |id: LocalId| if locals.contains(&id) { space.of(id).old } else { space.of(id).now };
        let old_shared =
            |bit: usize| space.bit(if bits.contains(&bit) { space.old } else { space.v[0] }, bit);
        let old = Reader { local: &old_local, shared: &old_shared };
        let enabled = self.enforced(draft.from, &old)?;
        let unchanged: Vec<_> =
            kept.iter().map(|&local| (space.of(local).old, space.of(local).now)).collect();
        let unchanged = self.calculus.equal(&unchanged)?;
        let own = relation(self, &old)?;
        let mut relation = self.calculus.all([enabled, unchanged, own])?;
        if let Position::At(to) = draft.to {
            let now_local = |id: LocalId| space.of(id).now;
            let now_shared = |bit: usize| space.bit(space.v[0], bit);
            let after = self.enforced(to, &Reader { local: &now_local, shared: &now_shared })?;
            relation = self.calculus.and(relation, after)?;
            relation = self.settle(to, relation)?;
        }
        self.calculus.manager.protect(relation);
        let Draft { from, to, root_only, effect } = draft;
        Ok(Move { from: Position::At(from), to, root_only, effect, touched, relation })
    }
}

/// A move without its relation.
pub(super) struct Draft {
    pub(super) from: Loc,
    pub(super) to: Position,
    pub(super) root_only: bool,
    pub(super) effect: Lifecycle,
}
