//! Live variables: at each location the locals that the thread will not read before it writes them are marked
//! dead, and dead locals are 0, so that states that differ in them alone become one. A local that other
//! threads read is live wherever it is; what other threads write changes nothing, since a value that is never
//! read may be any value.

use crate::facts::{own_locals_read, own_locals_written, read_by_others};
use crate::origin::{Origin, Passed};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId, LocalScope, Op, Program, Role, Spawn};

/// The program with dead locals marked.
pub fn mark_dead(program: &Program, budget: &Budget) -> Result<Passed, Stop> {
    let live = Liveness::of(program, budget)?;
    let mut builder = program.edit();
    for (loc, location) in program.locations().enumerate() {
        let mut dead = location.dead.clone();
        dead.extend(program.locals().ids().filter(|&local| live.is_dead(loc, local)));
        dead.sort();
        dead.dedup();
        builder.at(loc).dead = dead;
    }
    let prepared = builder.finish().expect("marks leave the program valid");
    Ok(Passed { origin: Origin::identity(&prepared), program: prepared })
}

/// A set of locals.
#[derive(Clone, PartialEq, Eq)]
struct LocalSet(Vec<u64>);

impl LocalSet {
    fn none(program: &Program) -> Self {
        LocalSet(vec![0; program.locals().len().div_ceil(64)])
    }

    fn has(&self, local: LocalId) -> bool {
        self.0[local.index() / 64] >> (local.index() % 64) & 1 == 1
    }

    fn add(&mut self, local: LocalId) {
        self.0[local.index() / 64] |= 1 << (local.index() % 64);
    }

    fn remove(&mut self, local: LocalId) {
        self.0[local.index() / 64] &= !(1 << (local.index() % 64));
    }

    fn add_all(&mut self, other: &LocalSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
}

struct Liveness<'p> {
    program: &'p Program,
    flat: bool,
    /// What a thread that stands at a location may read before it writes it.
    live: Vec<LocalSet>,
    read_by_others: Vec<bool>,
}

impl<'p> Liveness<'p> {
    fn of(program: &'p Program, budget: &Budget) -> Result<Self, Stop> {
        let live = vec![LocalSet::none(program); program.locations().len()];
        let read_by_others = read_by_others(program);
        let mut all = Liveness { program, flat: program.is_flat(), live, read_by_others };
        let before = predecessors(program);
        let mut waiting = vec![true; program.locations().len()];
        let mut work: Vec<Loc> = program.locations().ids().collect();
        while let Some(loc) = work.pop() {
            budget.spend(1)?;
            waiting[loc.index()] = false;
            let new = all.at(loc);
            if new == all.live[loc.index()] {
                continue;
            }
            all.live[loc.index()] = new;
            for &loc in &before[loc.index()] {
                if !std::mem::replace(&mut waiting[loc.index()], true) {
                    work.push(loc);
                }
            }
        }
        Ok(all)
    }

    /// What is live at a location, given what is live after it.
    fn at(&self, loc: Loc) -> LocalSet {
        let location = self.program.at(loc);
        let mut live = LocalSet::none(self.program);
        for after in self.program.successors(loc) {
            live.add_all(&self.live[after.index()]);
        }
        own_locals_written(&location.op).into_iter().for_each(|local| live.remove(local));
        // The values returned by a procedure that a thread began in are taken by nobody.
        if !(self.flat && matches!(location.op, Op::Return(_))) {
            own_locals_read(self.program, &location.op).into_iter().for_each(|local| live.add(local));
        }
        if let Op::Start(Spawn::Clone(target)) = location.op {
            live.add_all(&self.live[target.index()]);
        }
        let enforced = location.enforce.into_iter().flat_map(|e| self.program.exprs().reads(e));
        enforced.filter_map(|read| crate::facts::local(read.var)).for_each(|local| live.add(local));
        live
    }

    fn is_dead(&self, loc: Loc, local: LocalId) -> bool {
        let it = &self.program.locals()[local];
        // Owner bits stay: that a lock has one owner is what some proofs rest on.
        let plain = it.role == Role::Plain && !self.read_by_others[local.index()];
        // A procedure may read the thread's locals after any call or return.
        let known = self.flat || it.scope != LocalScope::Thread;
        plain && known && self.program.in_scope(loc, local) && !self.live[loc.index()].has(local)
    }
}

/// For each location those whose live variables depend on it.
fn predecessors(program: &Program) -> Vec<Vec<Loc>> {
    let mut before = vec![vec![]; program.locations().len()];
    for (loc, location) in program.locations().enumerate() {
        program.successors(loc).into_iter().for_each(|after| before[after.index()].push(loc));
        if let Op::Start(Spawn::Clone(target)) = location.op {
            before[target.index()].push(loc);
        }
    }
    before
}
