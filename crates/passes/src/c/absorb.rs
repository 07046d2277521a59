//! A value that is computed in registers and read by the next step alone becomes a part of that step: there
//! is one step less to interleave.

use super::Passed;
use super::live::{is_dead, only_writes};
use super::rebuild::{Changes, reachable};
use base::{Budget, Id, Stop};
use c::{AccessKind, Builder, ExprId, Live, Loc, LocalId, LocalScope, Node, Program};
use std::collections::HashMap;

/// Larger expressions keep their own step.
const PARTS: usize = 12;

/// Moves assignments into the steps that follow them.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let live = Live::new(old, budget)?;
    let entries = entries(old);
    let mut changes = Changes::new(old);
    let mut changed = false;
    for loc in reachable(old) {
        let next = old.at(loc).next;
        let Some((local, value)) = changes.ops[loc.index()][0].assignment() else { continue };
        // In a cycle the step that follows may have been moved itself.
        let moved = changes.ops[next.index()].is_empty();
        let alone = next != loc && !moved && entries[next.index()] == 1 && only_writes(old, loc);
        let own = old.locals()[local].scope != LocalScope::Thread;
        if !alone || !own || !is_last_use(old, &live, next, local) {
            continue;
        }
        if !is_small(&changes.builder, value, local) || !can_read(&changes, next, local, value) {
            continue;
        }
        let mut op = changes.ops[next.index()][0].clone();
        op.for_each_expr(|e| *e = substituted(&mut changes.builder, *e, local, value));
        changes.ops[next.index()] = vec![op];
        changes.drop(loc);
        changes.absorbed[next.index()].push((local, value));
        changed = true;
    }
    if changed { changes.finish(budget).map(Some) } else { Ok(None) }
}

/// By location: how many steps lead there; the start of a procedure counts, too.
pub fn entries(program: &Program) -> Vec<usize> {
    let mut found = vec![0; program.locations().len()];
    program.procedures().iter().for_each(|it| found[it.entry.index()] += 1);
    for loc in reachable(program) {
        program.successors(loc).into_iter().for_each(|next| found[next.index()] += 1);
    }
    found
}

/// Whether nobody reads after a step what the register held before it.
pub fn is_last_use(program: &Program, live: &Live, loc: Loc, local: LocalId) -> bool {
    let rewritten = program.at(loc).op.registers(program).overwrites.contains(&local);
    rewritten || is_dead(program, live, loc, local)
}

fn is_small(builder: &Builder, value: ExprId, local: LocalId) -> bool {
    let exprs = builder.draft().exprs();
    exprs.below(value).len() <= PARTS && !exprs.locals(value).contains(&local)
}

/// Whether the step reads the register, and sees the same registers as the assignment did.
fn can_read(changes: &Changes<'_>, loc: Loc, local: LocalId, value: ExprId) -> bool {
    let (draft, op) = (changes.builder.draft(), &changes.ops[loc.index()][0]);
    let reads = op.exprs().into_iter().any(|e| draft.exprs().locals(e).contains(&local));
    // A read-modify-write sets a register before it computes.
    let early = op.effects(draft).accesses.iter().any(|it| it.kind == AccessKind::Update);
    let seen = draft.exprs().locals(value);
    let disturbed = early && op.writes().iter().any(|it| *it == local || seen.contains(it));
    reads && !disturbed
}

/// The expression with a value in place of a register.
pub fn substituted(builder: &mut Builder, root: ExprId, local: LocalId, value: ExprId) -> ExprId {
    let mut new: HashMap<ExprId, ExprId> = HashMap::new();
    for e in builder.exprs().below(root) {
        let made = match builder.exprs().node(e) {
            Node::Local(it, _) if it == local => value,
            node => builder.exprs().add(node.map_children(|child| new[&child])),
        };
        new.insert(e, made);
    }
    new[&root]
}
