//! Live registers: steps that do nothing but write registers that nobody reads are left out, and so are
//! results that nobody reads.

use super::Passed;
use super::rebuild::{Changes, reachable};
use base::{Budget, Id, Stop};
use c::{Control, Live, Loc, LocalId, LocalScope, Program};

/// Leaves out what nobody reads.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let live = Live::new(old, budget)?;
    let mut changes = Changes::new(old);
    let mut changed = false;
    for loc in reachable(old) {
        let dead = |local: LocalId| is_dead(old, &live, loc, local);
        if only_writes(old, loc) && old.at(loc).op.writes().into_iter().all(dead) {
            changes.drop(loc);
            changed = true;
        } else {
            changed |= changes.ops[loc.index()][0].drop_results(dead);
        }
    }
    if changed { changes.finish(budget).map(Some) } else { Ok(None) }
}

/// Whether nobody reads a register after a step.
pub fn is_dead(program: &Program, live: &Live, loc: Loc, local: LocalId) -> bool {
    let register = &program.locals()[local];
    let reads = |next: &Loc| live.is_live(*next, register.slot as usize);
    register.scope != LocalScope::Thread && !program.successors(loc).iter().any(reads)
}

/// Whether a step does nothing but write registers, whatever they hold. What the model does not know how to
/// compute is computed by nobody then.
pub fn only_writes(program: &Program, loc: Loc) -> bool {
    let effects = program.effects(loc);
    effects.control == Control::Next
        && effects.accesses.is_empty()
        && effects.threads.is_none()
        && !effects.may_stop()
        && effects.writes.len() == effects.overwrites.len()
}
