//! Flat programs as decision diagrams, for every engine that works on sets of thread states.
//!
//! The program counter stays explicit: it partitions the transition relation, so that each command has a
//! small relation of its own over the shared variables and one thread's locals (Basler et al., CAV 2009,
//! section 7.1). What differs from the usual encoding:
//! - a `*` needs no variable: an expression is two functions, where it may be 0 and where it may be 1, and
//!   because every choice is made on its own the two follow exactly from those of the operands
//!   ([`crate::evaluate`]);
//! - there are no identity relations: a relation speaks of the new values of assigned variables alone, and
//!   all others stay where they are in the set ([`step`]);
//! - the set of a location mentions only the locals that matter there; a dead local is 0 in relations and
//!   absent from sets.

pub mod order;
pub mod passive;
pub mod space;
pub mod step;
#[cfg(test)]
mod tests;
pub mod values;

pub use passive::PassiveStep;
pub use space::{Slot, Space};
pub use step::Step;

use crate::command::Commands;
use crate::evaluate::{self, Diagrams, Memo};
use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Init, Loc, LocalId, Op, ProcId, Program, Spawn, Var};
use solve::bdd::{Bdd, Limits, Manager, VarSet};

/// A flat program, encoded.
#[derive(Debug)]
pub struct Encoding<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its commands.
    pub commands: Commands,
    /// The decision diagrams.
    pub manager: Manager,
    /// Which variable sits where.
    pub space: Space,
    /// All shared variables, old values.
    pub all_shared: VarSet,
    /// All locals of the active thread, old values.
    pub all_own: VarSet,
    /// All locals of a passive thread or child, old values.
    pub all_passive: VarSet,
    /// The expressions encoded so far; nothing here survives a collection.
    ranges: Memo<Bdd>,
    kept: Vec<Vec<LocalId>>,
    steps: Vec<Vec<Step>>,
    failing: Vec<Bdd>,
    enabled: Vec<Bdd>,
}

/// How to encode.
#[derive(Clone, Copy, Debug)]
pub struct EncodingPlan {
    /// How many copies of the locals to make, beside the active and the passive thread's.
    pub copies: usize,
    /// How many threads are looked at together.
    pub members: usize,
    /// How large the decision diagrams may become.
    pub limits: Limits,
}

impl<'p> Encoding<'p> {
    /// Encodes all commands.
    pub fn new(
        program: &'p Program,
        commands: Commands,
        plan: EncodingPlan,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let mut manager = Manager::new(plan.limits);
        let space = Space::new(program, &commands, &plan);
        let all_shared = manager.var_set(&space.levels_of_shared())?;
        let all_own = manager.var_set(&space.levels_of_locals(Slot::Own))?;
        let all_passive = manager.var_set(&space.levels_of_locals(Slot::Passive))?;
        let mut encoding = Self {
            program,
            commands,
            manager,
            space,
            all_shared,
            all_own,
            all_passive,
            ranges: Memo::default(),
            kept: kept(program),
            steps: vec![],
            failing: vec![],
            enabled: vec![],
        };
        for loc in program.locations().ids() {
            let steps = encoding.steps_at(loc, budget)?;
            let enabled = steps.iter().map(|step| step.enabled);
            let enabled = encoding.manager.or_all(enabled, budget)?;
            encoding.enabled.push(encoding.manager.protect(enabled));
            let failing = encoding.failing_at(loc, budget)?;
            encoding.failing.push(encoding.manager.protect(failing));
            encoding.steps.push(steps);
        }
        encoding.forget();
        Ok(encoding)
    }

    fn steps_at(&mut self, loc: Loc, budget: &Budget) -> Result<Vec<Step>, Stop> {
        (0..self.commands.at(loc).len()).map(|index| self.encode(loc, index, budget)).collect()
    }

    /// Where a thread at the location violates its assertion: both the assertion may be false and `enforce`
    /// may hold.
    fn failing_at(&mut self, loc: Loc, budget: &Budget) -> Result<Bdd, Stop> {
        let location = self.program.at(loc);
        let Op::Assert(assertion) = location.op else { return Ok(Bdd::FALSE) };
        let fails = self.may_be(assertion, false, budget)?;
        let enforced = match location.enforce {
            Some(e) => self.may_be(e, true, budget)?,
            None => Bdd::TRUE,
        };
        let both = self.manager.and(fails, enforced, budget)?;
        self.with_dead_own(both, loc, budget)
    }

    /// Where an expression may have a value.
    pub fn may_be(&mut self, e: ExprId, value: bool, budget: &Budget) -> Result<Bdd, Stop> {
        let level = |read| self.space.read(read);
        let mut diagrams = Diagrams { manager: &mut self.manager, level, budget };
        Ok(evaluate::range(&mut diagrams, self.commands.exprs(), e, &mut self.ranges)?.may_be(value))
    }

    /// Forgets what was encoded on the way; to be called before a collection.
    pub fn forget(&mut self) {
        self.ranges.clear();
    }

    /// The commands of a location, encoded.
    pub fn steps(&self, loc: Loc) -> &[Step] {
        &self.steps[loc.index()]
    }

    /// Where a thread at the location violates its assertion, if it may step.
    pub fn failing(&self, loc: Loc) -> Bdd {
        self.failing[loc.index()]
    }

    /// Where a thread at the location can step, as far as that is up to it and the shared variables.
    pub fn enabled(&self, loc: Loc) -> Bdd {
        self.enabled[loc.index()]
    }

    /// The locals that sets at the location mention, sorted: those that are not dead and may come into scope
    /// again.
    pub fn kept(&self, loc: Loc) -> &[LocalId] {
        &self.kept[loc.index()]
    }

    /// Whether sets at the location mention the local.
    pub fn keeps(&self, loc: Loc, local: LocalId) -> bool {
        self.kept(loc).binary_search(&local).is_ok()
    }

    /// The valuations of the shared variables that the program may start with.
    pub fn first_shared(&mut self) -> Result<Bdd, Stop> {
        let fixed = self.program.shared().enumerate().filter_map(|(id, shared)| match shared.init {
            Init::Fixed(value) => Some((self.space.now(Var::Shared(id), Slot::Own), value)),
            Init::Any => None,
        });
        let fixed: Vec<_> = fixed.collect();
        self.manager.cube(&fixed)
    }

    /// The locals that a thread may have which is there from the start.
    pub fn fresh(&mut self, procedure: ProcId, budget: &Budget) -> Result<(Loc, Bdd), Stop> {
        let child = self.commands.fresh(procedure).clone();
        let born = self.encode_child(&child, budget)?;
        let map = self.space.map(&mut self.manager, Slot::Passive, Slot::Own);
        Ok((child.at, self.manager.rename(born, map, budget)?))
    }

    /// A function of the active thread at a location, with its dead locals 0.
    pub(crate) fn with_dead_own(&mut self, f: Bdd, loc: Loc, budget: &Budget) -> Result<Bdd, Stop> {
        let dead = self.program.at(loc).dead.iter();
        let zeros: Vec<_> =
            dead.map(|&local| (self.space.now(Var::Local(local), Slot::Own), false)).collect();
        self.manager.cofactor(f, &zeros, budget)
    }
}

/// The locals of each location that are not dead there and in scope there or somewhere that the thread, or a
/// copy of it, may still go.
fn kept(program: &Program) -> Vec<Vec<LocalId>> {
    let words = crate::bits::words(program.locals().len());
    let mut needed: Vec<Vec<u32>> = vec![];
    let mut predecessors = vec![vec![]; program.locations().len()];
    for loc in program.locations().ids() {
        let mut row = vec![0; words];
        for local in program.locals().ids().filter(|&local| program.in_scope(loc, local)) {
            crate::bits::set(&mut row, local.index(), true);
        }
        needed.push(row);
        let mut followers = program.successors(loc);
        if let Op::Start(Spawn::Clone(at)) = program.at(loc).op {
            followers.push(at);
        }
        followers.into_iter().for_each(|to| predecessors[to.index()].push(loc));
    }
    let mut work: Vec<Loc> = program.locations().ids().collect();
    while let Some(to) = work.pop() {
        let row = needed[to.index()].clone();
        for &from in &predecessors[to.index()] {
            if crate::bits::unite(&mut needed[from.index()], &row) {
                work.push(from);
            }
        }
    }
    let locs = program.locations().ids();
    locs.map(|loc| {
        let alive = |local: &LocalId| {
            crate::bits::get(&needed[loc.index()], local.index()) && !program.at(loc).dead.contains(local)
        };
        program.locals().ids().filter(alive).collect()
    })
    .collect()
}
