//! The steps of a thread as relations. The program counter is explicit, one relation for each location, so that a step speaks only of
//! the variables that it touches and needs no frame condition, and what is new at one location wakes only the rules of that location;
//! with a counter in binary every step would be a product with the whole transition relation.
//!
//! A relation is over the touched variables before the step (`old`) and everything after it; the shared state after the step is in the
//! column of round 1, and is renamed for other rounds.

use super::formula::{Truth, truth};
use super::model::{Bit, Model, width};
use super::space::Space;
use crate::fixpoint::Calculus;
use base::Stop;
use ir::bp::{ExprId, Init, Loc, LocalId, Op, ProcId, Program, Read, Spawn, Var, When};
use solve::bdd::{Bdd, Level};

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// At a location.
    At(Loc),
    /// Not woken yet.
    Dormant,
    /// Ended.
    Ended,
}

/// What a move does besides changing variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: a statement of the thread.
    Plain,
    /// Creates a child that will be woken; the index of the site.
    Create(usize),
    /// Creates a child that never moves; the index of the site.
    CreateIdle(usize),
    /// Not a step of the program: the child of this site wakes.
    WakeChild(usize),
    /// Not a step of the program: a fixed thread wakes; the index in [`Model::late`].
    WakeLate(usize),
}

/// A step inside one activation.
#[derive(Clone, Debug)]
pub struct Move {
    /// Where it starts.
    pub from: Place,
    /// Where it leads.
    pub to: Place,
    /// Whether it is taken only by the activation that the thread began with.
    pub root_only: bool,
    /// What it does besides.
    pub effect: Effect,
    /// What it touches.
    pub touched: Touched,
    /// The relation.
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
    pub space: &'a Space,
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
        for index in 0..self.model.sites.len() {
            moves.push(self.wake_child(index)?);
        }
        Ok(moves)
    }

    fn at(&mut self, loc: Loc) -> Result<Vec<Move>, Stop> {
        let program = self.model.program;
        let location = program.at(loc);
        let next = Place::At(location.next);
        let plain = |to: Place| Draft { from: loc, to, root_only: false, effect: Effect::Plain };
        let none = Touched::default;
        Ok(match &location.op {
            Op::Skip | Op::Assert(_) => vec![self.finish(plain(next), none(), |_, _| Ok(Bdd::TRUE))?],
            Op::Goto(targets) => {
                let targets: std::collections::BTreeSet<Loc> = targets.iter().copied().collect();
                let mut moves = vec![];
                for target in targets {
                    moves.push(self.finish(plain(Place::At(target)), none(), |_, _| Ok(Bdd::TRUE))?);
                }
                moves
            }
            Op::Branch { cond, target } => {
                let cond = *cond;
                let test = |value: bool| {
                    move |it: &mut Self, old: &Reader<'_>| Ok(it.truth(cond, old)?.may_be(value))
                };
                vec![
                    self.finish(plain(Place::At(*target)), none(), test(true))?,
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
                let draft = Draft { root_only: true, ..plain(Place::Ended) };
                vec![self.finish(draft, none(), |_, _| Ok(Bdd::TRUE))?]
            }
            Op::End => vec![self.finish(plain(Place::Ended), none(), |_, _| Ok(Bdd::TRUE))?],
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
            let holds = truth(self.calculus, model.program.exprs(), e, &level)?.one;
            relation = self.calculus.and(relation, holds)?;
        }
        Ok(relation)
    }

    /// The new value at `level` is one that the expression may have.
    pub fn gets(&mut self, relation: Bdd, level: Level, value: Truth) -> Result<Bdd, Stop> {
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
    pub fn truth(&mut self, e: ExprId, reader: &Reader<'_>) -> Result<Truth, Stop> {
        let model = self.model;
        let level = |read: Read| match read.var {
            Var::Local(id) => (reader.local)(id),
            Var::Shared(id) => (reader.shared)(model.bit(Bit::Shared(id))),
        };
        truth(self.calculus, model.program.exprs(), e, &level)
    }

    /// That `enforce` lets a thread step out of or into a state at `loc`.
    pub fn enforced(&mut self, loc: Loc, reader: &Reader<'_>) -> Result<Bdd, Stop> {
        match self.model.program.at(loc).enforce {
            Some(e) => Ok(self.truth(e, reader)?.one),
            None => Ok(Bdd::TRUE),
        }
    }

    fn creation(&mut self, loc: Loc, spawn: &Spawn) -> Result<Vec<Move>, Stop> {
        let program = self.model.program;
        let next = Place::At(program.at(loc).next);
        let index = self.model.sites.iter().position(|site| site.loc == loc).expect("every start is a site");
        let passed = self.model.sites[index].passed.clone();
        let draft = |effect| Draft { from: loc, to: next, root_only: false, effect };
        let idle = self.finish(draft(Effect::CreateIdle(index)), Touched::default(), |_, _| Ok(Bdd::TRUE))?;
        let touched = Touched { bits: self.slot(passed.len()), ..Touched::default() };
        let posts = self.finish(draft(Effect::Create(index)), touched, |it, old| {
            let mut relation = it.message(index, old)?;
            for (place, &local) in passed.iter().enumerate() {
                let value = match spawn {
                    Spawn::Call(_, args) => it.truth(args[place], old)?,
                    Spawn::Clone(_) => {
                        let one = it.calculus.literal((old.local)(local), true)?;
                        Truth { zero: !one, one }
                    }
                };
                let bit = it.space.bit(it.space.v[0], it.model.bit(Bit::Passed(place)));
                relation = it.gets(relation, bit, value)?;
            }
            Ok(relation)
        })?;
        Ok(vec![posts, idle])
    }

    /// The bits of the slot that a message with so many values uses.
    fn slot(&self, values: usize) -> Vec<usize> {
        let message = (0..width(self.model.sites.len())).map(Bit::Message);
        message.chain((0..values).map(Bit::Passed)).map(|bit| self.model.bit(bit)).collect()
    }

    /// The slot was empty and now holds the message of this site.
    fn message(&mut self, site: usize, old: &Reader<'_>) -> Result<Bdd, Stop> {
        let bits: Vec<usize> = self.slot(0);
        let before: Vec<Level> = bits.iter().map(|&bit| (old.shared)(bit)).collect();
        let after: Vec<Level> = bits.iter().map(|&bit| self.space.bit(self.space.v[0], bit)).collect();
        let (before, after) = (self.calculus.number(&before, 0)?, self.calculus.number(&after, site + 1)?);
        self.calculus.and(before, after)
    }

    fn wake_child(&mut self, index: usize) -> Result<Move, Stop> {
        let site = self.model.sites[index].clone();
        let bits = self.slot(site.passed.len());
        let (before, after) = (self.space.old, self.space.v[0]);
        let code: Vec<Level> = self.slot(0).iter().map(|&bit| self.space.bit(before, bit)).collect();
        let emptied: Vec<Level> = bits.iter().map(|&bit| self.space.bit(after, bit)).collect();
        let mut given = vec![];
        for (place, &local) in site.passed.iter().enumerate() {
            let bit = self.model.bit(Bit::Passed(place));
            given.push((self.space.bit(before, bit), self.space.of(local).now));
        }
        let message = self.calculus.number(&code, index + 1)?;
        let emptied = self.calculus.number(&emptied, 0)?;
        let given = self.calculus.equal(&given)?;
        let copies = matches!(site.spawn, Spawn::Clone(_));
        let born = self.newborn(site.child, &site.passed, copies)?;
        let relation = self.calculus.all([message, emptied, given, born])?;
        let relation = self.settle(site.child, relation)?;
        Ok(self.wake(site.child, bits, Effect::WakeChild(index), relation))
    }

    fn wake_late(&mut self, index: usize) -> Result<Move, Stop> {
        let late = self.model.late[index];
        let bits: Vec<usize> =
            (0..width(late.count)).map(|bit| self.model.bit(Bit::Sleeping(index, bit))).collect();
        let levels = |column| bits.iter().map(|&bit| self.space.bit(column, bit)).collect::<Vec<Level>>();
        let (before, after) = (levels(self.space.old), levels(self.space.v[0]));
        let mut counts = Bdd::FALSE;
        for count in 1..=late.count {
            let (from, to) =
                (self.calculus.number(&before, count)?, self.calculus.number(&after, count - 1)?);
            let one = self.calculus.and(from, to)?;
            counts = self.calculus.or(counts, one)?;
        }
        let fresh = self.fresh(late.procedure)?;
        let relation = self.calculus.and(counts, fresh)?;
        let entry = self.model.program.procedures()[late.procedure].entry;
        Ok(self.wake(entry, bits, Effect::WakeLate(index), relation))
    }

    fn wake(&mut self, to: Loc, bits: Vec<usize>, effect: Effect, relation: Bdd) -> Move {
        self.calculus.manager.protect(relation);
        let touched = Touched { bits, ..Touched::default() };
        Move { from: Place::Dormant, to: Place::At(to), root_only: true, effect, touched, relation }
    }

    /// The local states in which a thread begins at the entry of a procedure.
    pub fn fresh(&mut self, procedure: ProcId) -> Result<Bdd, Stop> {
        let entry = self.model.program.procedures()[procedure].entry;
        let born = self.newborn(entry, &[], false)?;
        self.settle(entry, born)
    }

    /// The locals of a new thread except those `given`: copies lack owner bits, other locals start as declared, and what is not in
    /// scope is 0.
    fn newborn(&mut self, at: Loc, given: &[LocalId], copies: bool) -> Result<Bdd, Stop> {
        let program = self.model.program;
        let procedure = program.at(at).procedure;
        let all = [self.model.frame(procedure), self.model.thread_locals()].concat();
        let mut fixed = vec![(self.space.inside.now, false)];
        for local in all.into_iter().filter(|local| !given.contains(local)) {
            match program.locals()[local].init {
                _ if copies || !program.in_scope(at, local) => fixed.push((self.space.of(local).now, false)),
                Init::Fixed(value) => fixed.push((self.space.of(local).now, value)),
                Init::Any => {}
            }
        }
        self.calculus.manager.cube(&fixed)
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
    fn finish(
        &mut self,
        draft: Draft,
        mut touched: Touched,
        relation: impl FnOnce(&mut Self, &Reader<'_>) -> Result<Bdd, Stop>,
    ) -> Result<Move, Stop> {
        let program: &Program = self.model.program;
        let dead = if let Place::At(to) = draft.to { program.at(to).dead.clone() } else { vec![] };
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
        if let Place::At(to) = draft.to {
            let now_local = |id: LocalId| space.of(id).now;
            let now_shared = |bit: usize| space.bit(space.v[0], bit);
            let after = self.enforced(to, &Reader { local: &now_local, shared: &now_shared })?;
            relation = self.calculus.and(relation, after)?;
            relation = self.settle(to, relation)?;
        }
        self.calculus.manager.protect(relation);
        let Draft { from, to, root_only, effect } = draft;
        Ok(Move { from: Place::At(from), to, root_only, effect, touched, relation })
    }
}

/// A move without its relation.
struct Draft {
    from: Loc,
    to: Place,
    root_only: bool,
    effect: Effect,
}
