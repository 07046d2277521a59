//! Live registers: steps that do nothing but write registers that nobody reads are left out, and so are
//! results that nobody reads.

use super::Passed;
use super::promote::alive;
use super::rebuild::{Changes, reachable, read_of_threads};
use base::{Budget, Id, Stop};
use c::{
    Control, ExprId, Fault, Live, Loc, LocalId, LocalScope, Node, NumberChoice, ObjectId, ObjectScope,
    Program,
};
use std::collections::BTreeSet;

/// Leaves out what nobody reads.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let live = Live::new(old, budget)?;
    let mut changes = Changes::new(old);
    let alive = alive(old, budget)?;
    let mut changed = false;
    let read = read_of_threads(old);
    let mut pointed: BTreeSet<ObjectId> = BTreeSet::new();
    for loc in reachable(old) {
        let dead = |local: LocalId| match old.locals()[local].scope {
            LocalScope::Thread => !read.contains(&local),
            LocalScope::Procedure(_) => is_dead(old, &live, loc, local),
        };
        let unread = old.at(loc).op.writes().into_iter().all(dead);
        let exist = |it: &ObjectId| alive[loc.index()].as_ref().is_some_and(|all| all.contains(it));
        if unread && (only_writes(old, loc) || only_chooses(old, loc)) {
            changes.drop(loc);
            changed = true;
        } else if let Some(objects) = targets(old, loc).filter(|all| unread && all.iter().all(exist)) {
            changes.drop(loc);
            changed = true;
            pointed.extend(objects);
        } else {
            changed |= changes.ops[loc.index()][0].drop_results(dead);
        }
    }
    for loc in reachable(old).into_iter().filter(|_| !pointed.is_empty()) {
        let here = alive[loc.index()].iter().flatten().copied();
        changes.exists[loc.index()] = here.filter(|it| pointed.contains(it)).collect();
    }
    if changed { changes.finish(budget).map(Some) } else { Ok(None) }
}

/// The objects of the activation whose addresses an assignment needs, if they must exist and nothing else can
/// go wrong.
fn targets(program: &Program, loc: Loc) -> Option<Vec<ObjectId>> {
    let (local, value) = program.at(loc).op.assignment()?;
    let only = program.effects(loc).faults.iter().all(|it| *it == Fault::DeadObject);
    let exprs = program.exprs();
    let total = exprs.below(value).into_iter().all(|it| exprs.is_total(it));
    let own = |it: ObjectId| matches!(program.objects()[it].scope, ObjectScope::Procedure(_));
    let found = exprs.below(value).into_iter().filter_map(|it| match exprs.node(it) {
        Node::Address(object) if own(object) => Some(object),
        _ => None,
    });
    let fits = only && total && program.locals()[local].scope != LocalScope::Thread;
    fits.then(|| found.collect())
}

/// Whether nobody reads a register after a step.
pub fn is_dead(program: &Program, live: &Live, loc: Loc, local: LocalId) -> bool {
    let register = &program.locals()[local];
    let reads = |next: &Loc| live.is_live(*next, register.slot as usize);
    register.scope != LocalScope::Thread && !program.successors(loc).iter().any(reads)
}

/// Whether a step does nothing but write registers, whatever they hold: pointers, too, of which two may
/// not be comparable. What the model does not know how to compute is computed by nobody then.
pub fn only_writes(program: &Program, loc: Loc) -> bool {
    let (effects, exprs) = (program.effects(loc), program.exprs());
    let total = |e: ExprId| exprs.below(e).into_iter().all(|it| exprs.is_total(it));
    program.at(loc).op.exprs().into_iter().all(total)
        && effects.control == Control::Next
        && effects.accesses.is_empty()
        && effects.threads.is_none()
        && !effects.may_stop()
        && effects.writes.len() == effects.overwrites.len()
}

/// Whether a step does nothing but choose a number, and there is one to choose.
fn only_chooses(program: &Program, loc: Loc) -> bool {
    let effects = program.effects(loc);
    let bits = |it: LocalId| program.locals()[it].ty.bits(program.pointer_bits());
    match (effects.chooses.number, &program.at(loc).op.writes()[..]) {
        (NumberChoice::Input(Some(range)), [local]) => {
            effects.accesses.is_empty() && range.has_number(bits(*local))
        }
        _ => false,
    }
}
