//! Monotone programs: adding threads never disables a step. Only a `constrain` or `assume` over passive
//! copies can break that.

use super::expr::{ExprId, Read, Var, When, Whose};
use super::program::{LocalId, Op, Program};
use super::values::Values;

/// Conditions over more readings than this are taken to be non-monotone: telling needs a look at all their
/// values.
const MOST_READINGS: usize = 16;

/// Whether every condition over passive copies can be met by every passive thread whenever it can be met
/// without one.
pub(super) fn is_monotone(program: &Program) -> bool {
    program.locations.iter().all(|location| match &location.op {
        Op::Assume(e) => harmless(program, *e, &[]),
        Op::Assign { broadcast, constrain: Some(e), .. } => harmless(program, *e, broadcast),
        _ => true,
    })
}

/// For all values of what the condition reads of the active thread and the shared variables: if some values
/// of the copies meet it, then whatever a passive thread's old values are, some new values that it may get
/// meet it.
fn harmless(program: &Program, e: ExprId, broadcast: &[(LocalId, ExprId)]) -> bool {
    if !program.exprs.mentions_passive(e) {
        return true;
    }
    let given: Vec<Read> = readings(program, e, broadcast).into_iter().filter(is_given).collect();
    let new: Vec<Read> = assigned_copies(program, e, broadcast);
    if given.len() + new.len() > MOST_READINGS {
        return false;
    }
    let own: Vec<Read> = given.iter().copied().filter(|read| read.whose == Whose::Own).collect();
    let old: Vec<Read> = given.iter().copied().filter(|read| read.whose == Whose::Passive).collect();
    assignments(&own).all(|own| {
        let meets = |old: &Known, new: &Known| condition(program, e, &[&own, old, new]).may_be(true);
        let alone = assignments(&old).any(|old| assignments(&new).any(|new| meets(&old, &new)));
        !alone
            || assignments(&old).all(|old| {
                let allowed = |new: &Known| {
                    new.iter()
                        .all(|&(read, value)| may_become(program, broadcast, read, value, &[&own, &old]))
                };
                assignments(&new).any(|new| allowed(&new) && meets(&old, &new))
            })
    })
}

type Known = Vec<(Read, bool)>;

/// What is fixed before the passive thread moves: old values, and the active thread's new ones.
fn is_given(read: &Read) -> bool {
    read.whose == Whose::Own || read.when == When::Now
}

/// All readings of the condition and of the right sides that give its new copies; an unassigned new copy is
/// the old one.
fn readings(program: &Program, e: ExprId, broadcast: &[(LocalId, ExprId)]) -> Vec<Read> {
    let copies = assigned_copies(program, e, broadcast);
    let right =
        broadcast.iter().filter(|&&(local, _)| copies.iter().any(|copy| copy.var == Var::Local(local)));
    let mut all: Vec<Read> =
        program.exprs.reads(e).into_iter().map(|read| resolve(read, broadcast)).collect();
    all.extend(right.flat_map(|&(_, value)| program.exprs.reads(value)));
    all.sort();
    all.dedup();
    all
}

fn assigned_copies(program: &Program, e: ExprId, broadcast: &[(LocalId, ExprId)]) -> Vec<Read> {
    let reads = program.exprs.reads(e).into_iter().map(|read| resolve(read, broadcast));
    reads.filter(|read| read.whose == Whose::Passive && read.when == When::Next).collect()
}

fn resolve(read: Read, broadcast: &[(LocalId, ExprId)]) -> Read {
    let assigned = broadcast.iter().any(|&(local, _)| read.var == Var::Local(local));
    if read.whose == Whose::Passive && !assigned { Read { when: When::Now, ..read } } else { read }
}

fn may_become(
    program: &Program,
    broadcast: &[(LocalId, ExprId)],
    copy: Read,
    value: bool,
    known: &[&Known],
) -> bool {
    let right = broadcast.iter().find(|&&(local, _)| copy.var == Var::Local(local));
    right.is_some_and(|&(_, e)| program.exprs.values(e, |read| look_up(read, known)).may_be(value))
}

fn condition(program: &Program, e: ExprId, known: &[&Known]) -> Values {
    program.exprs.values(e, |read| {
        // A new copy that is not assigned was resolved to the old one.
        let old = Read { when: When::Now, ..read };
        if read.whose == Whose::Passive && !known.iter().any(|it| it.iter().any(|&(r, _)| r == read)) {
            look_up(old, known)
        } else {
            look_up(read, known)
        }
    })
}

fn look_up(read: Read, known: &[&Known]) -> Values {
    let found = known.iter().flat_map(|it| it.iter()).find(|&&(it, _)| it == read);
    found.map_or(Values::ANY, |&(_, value)| Values::only(value))
}

fn assignments(reads: &[Read]) -> impl Iterator<Item = Known> + '_ {
    (0u32..1 << reads.len())
        .map(|bits| reads.iter().enumerate().map(|(index, &read)| (read, bits >> index & 1 == 1)).collect())
}
