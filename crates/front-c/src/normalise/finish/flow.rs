//! The graph of a procedure: steps that do nothing and steps that nobody reaches go.

use ::c::{Loc, Op};
use base::Id;

use super::super::code::Flow;

/// The positions that control may go to from a step.
pub fn successors(flow: &Flow) -> impl Iterator<Item = usize> + use<> {
    let target = if let Op::Branch { target, .. } = flow.op { Some(target.index()) } else { None };
    let next = flow.op.goes_on().then_some(flow.next);
    target.into_iter().chain(next)
}

/// Removes empty steps and what is not reached; the order stays.
pub fn tidy(body: &mut Vec<Flow>) {
    let shortcut: Vec<usize> = (0..body.len()).map(|at| past_skips(body, at)).collect();
    for flow in body.iter_mut() {
        flow.next = shortcut[flow.next];
        if let Op::Branch { target, .. } = &mut flow.op {
            *target = Loc::from_index(shortcut[target.index()]);
        }
        // A branch that goes to the same step either way is dropped, if its condition is never undefined;
        // that is kept simple here.
    }
    let entry = shortcut[0];
    let mut reached = vec![false; body.len()];
    let mut stack = vec![entry];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            stack.extend(successors(&body[at]));
        }
    }
    compact(body, &reached, entry);
}

/// The first step from a position on that does something, or a step of a loop of steps that do nothing.
fn past_skips(body: &[Flow], from: usize) -> usize {
    let mut at = from;
    // Two walkers: the second one finds loops.
    let mut slow = from;
    let mut move_slow = false;
    while matches!(body[at].op, Op::Skip) {
        at = body[at].next;
        if move_slow {
            slow = body[slow].next;
        }
        move_slow = !move_slow;
        if at == slow {
            return at;
        }
    }
    at
}

/// Keeps the reached steps; the entry comes first.
fn compact(body: &mut Vec<Flow>, reached: &[bool], entry: usize) {
    let mut position = vec![usize::MAX; body.len()];
    let order: Vec<usize> =
        std::iter::once(entry).chain((0..body.len()).filter(|&at| at != entry && reached[at])).collect();
    for (new, &old) in order.iter().enumerate() {
        position[old] = new;
    }
    let kept: Vec<Flow> = order
        .iter()
        .map(|&old| {
            let mut flow = body[old].clone();
            flow.next = if flow.op.goes_on() { position[flow.next] } else { position[old] };
            if let Op::Branch { target, .. } = &mut flow.op {
                *target = Loc::from_index(position[target.index()]);
            }
            flow
        })
        .collect();
    *body = kept;
}
