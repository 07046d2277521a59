//! `t := load x; y := t` is `y := load x` if nobody else reads `t`: results go where they are wanted.

use super::Passed;
use super::absorb::{entries, is_last_use};
use super::rebuild::{Changes, reachable};
use base::{Budget, Id, Stop};
use c::{AccessKind, Live, Loc, LocalId, LocalScope, Node, Program};
use std::collections::HashSet;

/// Gives results to the registers that they are copied to.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let live = Live::new(old, budget)?;
    let entries = entries(old);
    let mut changes = Changes::new(old);
    let mut touched: HashSet<Loc> = HashSet::new();
    for loc in reachable(old) {
        let next = old.at(loc).next;
        let Some((to, from)) = copy(old, next) else { continue };
        let alone = next != loc && entries[next.index()] == 1 && old.successors(loc) == [next];
        let fits = alone && is_last_use(old, &live, next, from) && can_give(old, loc, from, to);
        if !fits || touched.contains(&loc) || touched.contains(&next) {
            continue;
        }
        touched.extend([loc, next]);
        let op = &mut changes.ops[loc.index()][0];
        op.for_each_result(|it| *it = if *it == from { to } else { *it });
        let updates = old.effects(loc).accesses.iter().any(|it| it.kind == AccessKind::Update);
        if updates {
            // A read-modify-write computes with what it has just read.
            let mut op = changes.ops[loc.index()][0].clone();
            let value = changes.builder.read(to);
            op.for_each_expr(|e| *e = super::absorb::substituted(&mut changes.builder, *e, from, value));
            changes.ops[loc.index()] = vec![op];
        }
        changes.drop(next);
        changes.moved[next.index()] = Some((to, from));
    }
    if touched.is_empty() { Ok(None) } else { changes.finish(budget).map(Some) }
}

/// The registers of a step that copies one to another.
fn copy(program: &Program, loc: Loc) -> Option<(LocalId, LocalId)> {
    let (to, value) = program.at(loc).op.assignment()?;
    let Node::Local(from, _) = program.exprs().node(value) else { return None };
    let own = |it: LocalId| program.locals()[it].scope != LocalScope::Thread;
    (to != from && own(to) && own(from)).then_some((to, from))
}

/// Whether a step certainly writes the register, and may write the other one instead.
fn can_give(program: &Program, loc: Loc, from: LocalId, to: LocalId) -> bool {
    let op = &program.at(loc).op;
    let results: Vec<LocalId> = op.results().into_iter().flatten().collect();
    let effects = program.effects(loc);
    let once = results.iter().filter(|it| **it == from).count() == 1 && !results.contains(&to);
    let certain = op.registers(program).overwrites.contains(&from);
    let reads = |local: LocalId| op.exprs().into_iter().any(|e| program.exprs().locals(e).contains(&local));
    let updates = effects.accesses.iter().any(|it| it.kind == AccessKind::Update);
    let placed = |place: c::Place| match place {
        c::Place::Object { .. } => false,
        c::Place::Indexed { offset: e, .. } | c::Place::Pointer { pointer: e, .. } => {
            program.exprs().locals(e).contains(&from)
        }
    };
    let disturbed = updates && (reads(to) || op.places().into_iter().any(placed));
    once && certain && !disturbed
}
