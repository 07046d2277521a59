//! A value that is computed in registers and read by the next step alone becomes a part of that step: there
//! is one step less to interleave.

use std::collections::HashMap;

use ::c::{Builder, ExprId, LocalId, Node, Op};

use super::super::code::Flow;
use super::flow::entries;
use super::live::{Live, is_total};

/// Larger expressions keep their own step.
const PARTS: usize = 12;

/// Moves assignments into the steps that follow them.
pub fn absorb(pool: &mut Builder, body: &mut [Flow]) {
    let Some(live) = Live::new(pool, body) else { return };
    let entries = entries(body);
    for at in 0..body.len() {
        let Op::Assign { local, value } = body[at].op else { continue };
        let next = body[at].next;
        let temporary = pool.draft().locals()[local].temporary;
        let alone = temporary && next != at && entries[next] == 1 && !live.is_live(next, local);
        if !alone || !is_small(pool, value) || !can_read(pool, &body[next].op, local, value) {
            continue;
        }
        let mut op = body[next].op.clone();
        op.for_each_expr(|e| *e = substituted(pool, *e, local, value));
        body[next].op = op;
        body[at].op = Op::Skip;
    }
}

fn is_small(pool: &Builder, value: ExprId) -> bool {
    pool.draft().exprs().below(value).len() <= PARTS && is_total(pool, value)
}

/// Whether the step reads the register, and sees the same registers as the assignment did.
fn can_read(pool: &Builder, op: &Op, local: LocalId, value: ExprId) -> bool {
    let exprs = pool.draft().exprs();
    let reads = op.exprs().into_iter().any(|e| exprs.locals(e).contains(&local));
    // A read-modify-write sets `old` before it computes.
    let disturbed = matches!(op, Op::Rmw { old, .. } if *old == local || exprs.locals(value).contains(old));
    reads && !disturbed
}

/// The expression with a value in place of a register.
fn substituted(pool: &mut Builder, root: ExprId, local: LocalId, value: ExprId) -> ExprId {
    let mut new: HashMap<ExprId, ExprId> = HashMap::new();
    for e in pool.exprs().below(root) {
        let made = match pool.exprs().node(e) {
            Node::Local(it, _) if it == local => value,
            node => pool.exprs().add(node.map_children(|child| new[&child])),
        };
        new.insert(e, made);
    }
    new[&root]
}
