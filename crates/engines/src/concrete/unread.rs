//! Stores into objects that nobody reads, such as the handles of threads that nobody joins: each would make
//! another memory, and a copy of a large array. What they would write is left out, if the step is defined.

use super::state::GlobalState;
use super::step::Runner;
use base::{Budget, Id, Stop};
use c::points_to::Targets;
use c::{AccessKind, Hit, PointsTo, Program, Region, ValueFrom, ValueTo};

/// By location: whether it is a plain store that only hits objects that no step reads.
pub fn unread_stores(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let points_to = PointsTo::new(program, budget)?;
    let mut read = Targets::new();
    let mut all = vec![];
    for loc in program.locations().ids() {
        let effects = program.effects(loc);
        for access in &effects.accesses {
            match access.kind {
                AccessKind::Write | AccessKind::Begin | AccessKind::End | AccessKind::Exists => {}
                // What is reached through pointers is not followed here.
                _ if matches!(access.region, Region::Reachable { .. }) => {
                    return Ok(vec![false; program.locations().len()]);
                }
                _ => read.extend(points_to.touched(access.region)),
            }
        }
        all.push(match (&effects.moves[..], effects.scalar()) {
            ([one], Some((access, place, _)))
                if access.kind == AccessKind::Write
                    && matches!((one.from, one.to), (ValueFrom::Expr(_), ValueTo::Memory(_))) =>
            {
                points_to.targets(place)
            }
            _ => Targets::new(),
        });
    }
    Ok(all.into_iter().map(|it| !it.is_empty() && it.is_disjoint(&read)).collect())
}

impl Runner<'_> {
    /// Whether the next step is a defined store that nobody reads. What memory leads to matters to leaks.
    pub(super) fn stores_for_nobody(&self, run: &GlobalState) -> bool {
        let (program, thread) = (self.machine.program(), &run.thread);
        let loc = thread.loc();
        if !self.analysis.unread[loc.index()]
            || !self.options.liveness
            || self.machine.options().leaks.matter()
        {
            return false;
        }
        let effects = program.effects(loc);
        let Some((_, place, bits)) = effects.scalar() else { return false };
        let [c::Move { from: ValueFrom::Expr(value), .. }] = effects.moves[..] else { return false };
        let hit = self.machine.hit(&run.memory, thread, place, bits);
        let plain = |hit| matches!(hit, Hit::Cell(_)) && self.machine.writable(&run.memory, hit).is_ok();
        hit.is_ok_and(plain) && self.machine.evaluator().value(thread, value).is_ok()
    }
}
