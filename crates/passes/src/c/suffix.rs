//! What comes after everything that matters, where only assertions are asked: once a thread can neither fail,
//! nor end, nor do anything that another thread can notice, it may as well stop for good. Most programs end
//! with a loop of joins; without it nobody reads the handles of the threads.

use super::Passed;
use super::rebuild::{Changes, reachable};
use base::{Budget, Id, Stop};
use c::{AccessKind, Control, Loc, Op, ProcId, Program, Region, ThreadEffect};
use std::collections::BTreeSet;

/// Stops threads where nothing that matters can follow.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let outside = outside(old, budget)?;
    let idle = idle(old, &outside);
    let halts = |loc: Loc| old.effects(loc).control == Control::Halt;
    if !reachable(old).into_iter().any(|loc| idle[loc.index()] && !halts(loc)) {
        return Ok(None);
    }
    let mut changes = Changes::new(old);
    for loc in old.locations().ids().filter(|it| idle[it.index()]) {
        changes.ops[loc.index()] = vec![Op::halt()];
    }
    let sections = begins_sections(old);
    (changes.gone, changes.outside, changes.outside_after_calls) = (idle, outside, !sections);
    changes.finish(budget).map(Some)
}

fn begins_sections(program: &Program) -> bool {
    program.locations().ids().any(|loc| program.effects(loc).threads == Some(ThreadEffect::SectionBegin))
}

/// By location: whether a thread there is certainly in no atomic section.
fn outside(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    if !begins_sections(program) {
        return Ok(vec![true; program.locations().len()]);
    }
    let called: BTreeSet<ProcId> = program
        .locations()
        .ids()
        .filter_map(|loc| match program.effects(loc).control {
            Control::Call(procedure) => Some(procedure),
            _ => None,
        })
        .collect();
    // Everywhere, until a path is found on which that is not so.
    let mut found = vec![true; program.locations().len()];
    let mut work: Vec<(Loc, bool)> = vec![];
    for (id, procedure) in program.procedures().enumerate() {
        work.push((procedure.entry, !called.contains(&id)));
    }
    let mut seen = vec![false; program.locations().len()];
    while let Some((loc, is_outside)) = work.pop() {
        budget.spend(1)?;
        let known = std::mem::replace(&mut seen[loc.index()], true);
        if known && (is_outside || !found[loc.index()]) {
            continue;
        }
        found[loc.index()] &= is_outside;
        let effects = program.effects(loc);
        let after = match (effects.threads, effects.control) {
            (Some(ThreadEffect::SectionBegin), _) | (_, Control::Call(_)) => false,
            (Some(ThreadEffect::SectionEnd), _) => true,
            _ => found[loc.index()],
        };
        work.extend(program.successors(loc).into_iter().map(|next| (next, after)));
    }
    Ok(found)
}

/// By location: whether nothing that matters can follow.
fn idle(program: &Program, outside: &[bool]) -> Vec<bool> {
    let addressed = program.addressed();
    let mut idle: Vec<bool> = program
        .locations()
        .ids()
        .map(|loc| outside[loc.index()] && is_idle(program, &addressed, loc))
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for loc in program.locations().ids().rev() {
            if idle[loc.index()] && program.successors(loc).into_iter().any(|next| !idle[next.index()]) {
                idle[loc.index()] = false;
                changed = true;
            }
        }
    }
    idle
}

/// Whether a step cannot fail and nobody else notices it: it reads, waits, or ends the program.
fn is_idle(program: &Program, addressed: &[bool], loc: Loc) -> bool {
    let effects = program.effects(loc);
    let stays = matches!(effects.control, Control::Next | Control::Branch(_) | Control::Halt);
    let alone = matches!(effects.threads, None | Some(ThreadEffect::Join(_) | ThreadEffect::Identify));
    let unseen = effects.accesses.iter().all(|access| match (access.kind, access.region) {
        (AccessKind::Read | AccessKind::Exists, _) => true,
        (AccessKind::Begin | AccessKind::End, Region::Declared(object)) => !addressed[object.index()],
        _ => false,
    });
    stays && alone && unseen
}
