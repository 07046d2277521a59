//! Live registers: choices and assignments that nobody reads go, and a value that only moves on is put where
//! it goes at once.

use std::collections::HashMap;

use ::c::{Builder, ExprId, LocalId, LocalScope, Node, Op, Registers};
use base::Budget;
use base::graphs::{BitSets, backward, insert, remove};

use super::super::code::Flow;
use super::flow::{entries, successors};

/// Procedures with more words of live sets than this are left as they are.
const WORDS: usize = 40_000_000;
/// Dropping a step may make others dead.
const ROUNDS: usize = 4;

/// The registers that are read later, after each step.
pub struct Live {
    numbers: HashMap<LocalId, usize>,
    successors: Vec<Vec<usize>>,
    before: BitSets,
}

impl Live {
    /// Finds them; `None` if the procedure is too large for that.
    pub fn new(pool: &Builder, body: &[Flow]) -> Option<Live> {
        let draft = pool.draft();
        let registers: Vec<Registers> = body.iter().map(|flow| flow.op.registers(draft)).collect();
        let mut numbers = HashMap::new();
        for &local in registers.iter().flat_map(|it| it.writes.iter().chain(&it.reads)) {
            if matches!(draft.locals()[local].scope, LocalScope::Procedure(_)) {
                let number = numbers.len();
                numbers.entry(local).or_insert(number);
            }
        }
        if numbers.len().div_ceil(64).saturating_mul(body.len()) > WORDS {
            return None;
        }
        let successors: Vec<Vec<usize>> = body.iter().map(|flow| successors(flow).collect()).collect();
        let transfer = |at: usize, set: &mut [u64]| {
            // A result that a step does not give is never read: codes are tested first, and C forbids to use
            // a missing value.
            registers[at].writes.iter().filter_map(|it| numbers.get(it)).for_each(|&it| remove(set, it));
            registers[at].reads.iter().filter_map(|it| numbers.get(it)).for_each(|&it| insert(set, it));
        };
        let before = backward(&successors, numbers.len(), transfer, &Budget::unlimited()).ok()?;
        Some(Live { numbers, successors, before })
    }

    /// Whether somebody reads the register after a step.
    pub fn is_live(&self, at: usize, local: LocalId) -> bool {
        let after = |number: usize| self.successors[at].iter().any(|&next| self.before.has(next, number));
        self.numbers.get(&local).is_none_or(|&number| after(number))
    }
}

/// Drops what nobody reads.
pub fn drop_dead(pool: &Builder, body: &mut [Flow]) {
    for _ in 0..ROUNDS {
        let Some(live) = Live::new(pool, body) else { return };
        let mut changed = false;
        for (at, flow) in body.iter_mut().enumerate() {
            let dead = |local: LocalId| !live.is_live(at, local);
            let op = &mut flow.op;
            let drop = match op {
                Op::Choose { local, .. } | Op::Me(local) => dead(*local),
                Op::Assign { local, value } => dead(*local) && is_total(pool, *value),
                _ => false,
            };
            if drop {
                *op = Op::Skip;
                changed = true;
            }
            forget(op, dead);
        }
        if !changed {
            return;
        }
    }
}

/// Results that nobody reads are not stored.
fn forget(op: &mut Op, dead: impl Fn(LocalId) -> bool) {
    let clear = |slot: &mut Option<LocalId>| {
        if slot.is_some_and(&dead) {
            *slot = None;
        }
    };
    match op {
        Op::Sync { code, .. } => clear(code),
        Op::Join { result, code, .. } => {
            clear(result);
            clear(code);
        }
        Op::Create { handle, .. } => clear(handle),
        Op::Rmw { success, .. } => clear(success),
        Op::Call { result, .. } => clear(result),
        _ => {}
    }
}

/// Whether an expression has a value whatever the registers hold.
pub fn is_total(pool: &Builder, e: ExprId) -> bool {
    let exprs = pool.draft().exprs();
    exprs.below(e).into_iter().all(|part| exprs.is_total(part))
}

/// `t := load x; y := t` becomes `y := load x` if nobody else reads t.
pub fn forward(pool: &Builder, body: &mut [Flow]) {
    let Some(live) = Live::new(pool, body) else { return };
    let entries = entries(body);
    for at in 0..body.len() {
        let next = body[at].next;
        let Some(from) = result(&body[at].op) else { continue };
        if next == at || entries[next] != 1 {
            continue;
        }
        let Op::Assign { local: to, value } = body[next].op else { continue };
        let moves = matches!(pool.draft().exprs().node(value), Node::Local(local, _) if local == from);
        if moves && to != from && !live.is_live(next, from) && can_move(&body[at].op, to) {
            set_result(&mut body[at].op, to);
            body[next].op = Op::Skip;
        }
    }
}

fn can_move(op: &Op, to: LocalId) -> bool {
    match op {
        Op::Join { result, code, .. } => *result != Some(to) && *code != Some(to),
        _ => true,
    }
}

/// The one register that a step puts its result in.
fn result(op: &Op) -> Option<LocalId> {
    match op {
        Op::Assign { local, .. }
        | Op::Choose { local, .. }
        | Op::Load { local, .. }
        | Op::Alloc { local, .. }
        | Op::Me(local) => Some(*local),
        Op::Sync { code, .. } => *code,
        Op::Call { result, .. } => *result,
        Op::Create { handle, .. } => *handle,
        Op::Join { result: Some(_), .. } => None,
        Op::Join { code, .. } => *code,
        _ => None,
    }
}

fn set_result(op: &mut Op, to: LocalId) {
    match op {
        Op::Assign { local, .. }
        | Op::Choose { local, .. }
        | Op::Load { local, .. }
        | Op::Alloc { local, .. }
        | Op::Me(local) => {
            *local = to;
        }
        Op::Sync { code, .. } => *code = Some(to),
        Op::Call { result, .. } => *result = Some(to),
        Op::Create { handle, .. } => *handle = Some(to),
        Op::Join { code, .. } => *code = Some(to),
        _ => {}
    }
}
