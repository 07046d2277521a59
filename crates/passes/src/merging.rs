//! Transition merging: locations whose step no other thread can see are marked invisible. An engine may take
//! that step together with the one before, so that it stores fewer states and tries fewer interleavings (S3
//! §7.3 with the corrections of its reduction: no blocking, no cycles, other threads' broadcasts count).
//! Unlike a reduction on the fly this needs no look at the state; `docs/passes.md` argues that no verdict
//! changes.

use crate::facts::{read_by_others, written_by_others};
use crate::origin::{Origin, Passed};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId, Op, Program, Spawn, Values, Var};

/// The program with invisible locations marked.
pub fn mark_invisible(program: &Program, budget: &Budget) -> Result<Passed, Stop> {
    // Each location is looked at for itself, for sections and for cycles.
    budget.spend(3 * program.locations().len() as u64)?;
    let merging = Merging::of(program);
    let inside = certainly_inside(program);
    let begins = beginnings(program);
    let candidates = program
        .locations()
        .ids()
        .map(|loc| !begins[loc.index()] && (merging.invisible(loc) || inside[loc.index()] == Some(true)));
    let mut invisible: Vec<bool> = candidates.collect();
    break_cycles(program, &mut invisible);
    let mut builder = program.edit();
    program.locations().ids().for_each(|loc| builder.at(loc).invisible = invisible[loc.index()]);
    let program = builder.finish().expect("marks leave the program valid");
    Ok(Passed { origin: Origin::identity(&program), program })
}

/// For each location whether threads begin or procedures start there.
fn beginnings(program: &Program) -> Vec<bool> {
    let mut begins = vec![false; program.locations().len()];
    program.procedures().iter().for_each(|procedure| begins[procedure.entry.index()] = true);
    for location in program.locations().iter() {
        if let Op::Start(Spawn::Clone(target)) = location.op {
            begins[target.index()] = true;
        }
    }
    begins
}

struct Merging<'p> {
    program: &'p Program,
    /// For each local whether a broadcast or a condition of another thread concerns it.
    seen_by_others: Vec<bool>,
    exposed: Vec<LocalId>,
}

impl<'p> Merging<'p> {
    fn of(program: &'p Program) -> Self {
        let written = written_by_others(program);
        let seen_by_others: Vec<bool> =
            read_by_others(program).iter().zip(written).map(|(&read, written)| read | written).collect();
        let exposed = program.locals().ids().filter(|local| seen_by_others[local.index()]).collect();
        Merging { program, seen_by_others, exposed }
    }

    /// Whether the statement always has a successor and neither depends on other threads nor concerns them.
    fn invisible(&self, loc: Loc) -> bool {
        let location = self.program.at(loc);
        let private = match &location.op {
            Op::Skip | Op::Goto(_) | Op::Branch { .. } => true,
            Op::Assign { targets, broadcast, constrain: None } => {
                broadcast.is_empty() && targets.iter().all(|&(var, _)| self.is_private(var))
            }
            _ => false,
        };
        let reads = location.op.expressions().into_iter().flat_map(|e| self.program.exprs().reads(e));
        private
            && !location.error
            && location.enforce.is_none()
            && reads.into_iter().all(|read| self.is_private(read.var))
            && self.program.successors(loc).into_iter().all(|next| self.looks_alike(loc, next))
    }

    fn is_private(&self, var: Var) -> bool {
        matches!(var, Var::Local(local) if !self.seen_by_others[local.index()])
    }

    /// Whether entering `next` cannot be blocked, and other threads' broadcasts find the same locals at both
    /// locations.
    fn looks_alike(&self, loc: Loc, next: Loc) -> bool {
        let same = |&local: &LocalId| self.program.in_scope(loc, local) == self.program.in_scope(next, local);
        self.program.at(next).enforce.is_none() && self.exposed.iter().all(same)
    }
}

/// For each location whether every path there leaves the thread inside an atomic section; `None` if there is
/// no path.
fn certainly_inside(program: &Program) -> Vec<Option<bool>> {
    let mut inside: Vec<Option<bool>> = vec![None; program.locations().len()];
    let begins = beginnings(program);
    let mut work: Vec<Loc> = program.locations().ids().filter(|loc| begins[loc.index()]).collect();
    work.iter().for_each(|loc| inside[loc.index()] = Some(false));
    while let Some(loc) = work.pop() {
        let before = inside[loc.index()].expect("only known locations wait");
        let after = inside_after(program, &program.at(loc).op, before);
        for next in program.successors(loc) {
            let known = inside[next.index()];
            let new = known.unwrap_or(true) && after;
            if known != Some(new) {
                inside[next.index()] = Some(new);
                work.push(next);
            }
        }
    }
    inside
}

/// Whether the thread is certainly inside after a statement.
fn inside_after(program: &Program, op: &Op, before: bool) -> bool {
    match op {
        Op::AtomicBegin => true,
        // A procedure may leave the section of its caller.
        Op::AtomicEnd | Op::Call { .. } => false,
        Op::Assign { targets, .. } => {
            let atomic = program.atomic_variable().map(Var::Shared);
            let written = targets.iter().find(|target| Some(target.0) == atomic);
            written.map_or(before, |&(_, e)| program.exprs().values(e, |_| Values::ANY) == Values::TRUE)
        }
        _ => before,
    }
}

/// Takes invisible marks away until every cycle has a location without one: each cycle has an edge back to a
/// location that a depth-first search has entered and not left.
fn break_cycles(program: &Program, invisible: &mut [bool]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Entered,
        Left,
    }
    let mut marks = vec![Mark::New; invisible.len()];
    for root in program.locations().ids() {
        let mut work = vec![(root, false)];
        while let Some((loc, leave)) = work.pop() {
            let index = loc.index();
            if leave {
                marks[index] = Mark::Left;
            } else if invisible[index] && marks[index] == Mark::New {
                marks[index] = Mark::Entered;
                work.push((loc, true));
                for next in program.successors(loc) {
                    if marks[next.index()] == Mark::Entered {
                        invisible[next.index()] = false;
                    }
                    work.push((next, false));
                }
            }
        }
    }
}
