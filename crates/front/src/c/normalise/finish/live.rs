//! Live registers: choices and assignments that nobody reads go, and a value that only moves on is put where it goes at once.

use std::collections::HashMap;

use ir::c::{Builder, ExprId, LocalId, LocalScope, Node, Op};

use super::super::code::Flow;
use super::super::operators::is_total_node;
use super::flow::{entries, successors};

/// Procedures with more words of live sets than this are left as they are.
const WORDS: usize = 40_000_000;
/// Dropping a step may make others dead.
const ROUNDS: usize = 4;

/// The registers that are read later, after each step.
pub struct Live {
    numbers: HashMap<LocalId, usize>,
    words: usize,
    after: Vec<u64>,
}

impl Live {
    /// Finds them; `None` if the procedure is too large for that.
    pub fn new(pool: &Builder, body: &[Flow]) -> Option<Live> {
        let mut live = Live { numbers: HashMap::new(), words: 0, after: vec![] };
        let reads: Vec<Vec<LocalId>> = body.iter().map(|flow| reads(pool, &flow.op)).collect();
        for local in body.iter().flat_map(|flow| flow.op.writes()).chain(reads.iter().flatten().copied()) {
            if matches!(pool.draft().locals()[local].scope, LocalScope::Procedure(_)) {
                let number = live.numbers.len();
                live.numbers.entry(local).or_insert(number);
            }
        }
        live.words = live.numbers.len().div_ceil(64).max(1);
        if live.words.saturating_mul(body.len()) > WORDS {
            return None;
        }
        live.solve(body, &reads);
        Some(live)
    }

    fn solve(&mut self, body: &[Flow], reads: &[Vec<LocalId>]) {
        let words = self.words;
        self.after = vec![0; words * body.len()];
        let mut before = vec![0u64; words * body.len()];
        let mut predecessors: Vec<Vec<usize>> = vec![vec![]; body.len()];
        for (at, flow) in body.iter().enumerate() {
            for next in successors(flow) {
                predecessors[next].push(at);
            }
        }
        let mut queued = vec![true; body.len()];
        let mut work: Vec<usize> = (0..body.len()).collect();
        while let Some(at) = work.pop() {
            queued[at] = false;
            let mut set = vec![0u64; words];
            for next in successors(&body[at]) {
                for (word, more) in set.iter_mut().zip(&before[next * words..(next + 1) * words]) {
                    *word |= more;
                }
            }
            self.after[at * words..(at + 1) * words].copy_from_slice(&set);
            for number in body[at].op.writes().iter().filter_map(|local| self.numbers.get(local)) {
                set[number / 64] &= !(1 << (number % 64));
            }
            for number in reads[at].iter().filter_map(|local| self.numbers.get(local)) {
                set[number / 64] |= 1 << (number % 64);
            }
            if before[at * words..(at + 1) * words] != set[..] {
                before[at * words..(at + 1) * words].copy_from_slice(&set);
                for &previous in &predecessors[at] {
                    if !std::mem::replace(&mut queued[previous], true) {
                        work.push(previous);
                    }
                }
            }
        }
    }

    /// Whether somebody reads the register after a step.
    pub fn is_live(&self, at: usize, local: LocalId) -> bool {
        self.numbers
            .get(&local)
            .is_none_or(|number| self.after[at * self.words + number / 64] >> (number % 64) & 1 == 1)
    }
}

/// The registers that a step reads. What it writes and then reads (`old` of a read-modify-write) counts as read, which is harmless.
fn reads(pool: &Builder, op: &Op) -> Vec<LocalId> {
    let own = if let Op::Rmw { old, .. } = op { Some(*old) } else { None };
    let exprs = op.exprs();
    let locals = exprs.into_iter().flat_map(|e| pool.draft().exprs().locals(e));
    locals.filter(|local| Some(*local) != own).collect()
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
    exprs.below(e).into_iter().all(|part| is_total_node(exprs, part))
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
