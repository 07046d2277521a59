//! A static order of the variables: the shared ones above the locals, and in each part those that statements
//! use together stand together.
//!
//! Greedy, after the minimum-width heuristics for static orders: begin with the variable that is used with
//! most others, and go on with the one that is tied most strongly to those already placed; ties that are used
//! in small statements weigh more.

use crate::command::{Command, Commands};
use base::Id;
use ir::bp::{ExprId, Op, Program, Var};
use std::collections::{BTreeMap, BTreeSet};

/// All variables of a program in order: the shared ones, then the locals.
pub fn arrange(program: &Program, commands: &Commands) -> Vec<Var> {
    let shared = program.shared().ids().map(Var::Shared);
    let declared: Vec<Var> = shared.chain(program.locals().ids().map(Var::Local)).collect();
    let mut arranged = greedy(program, commands, &declared);
    arranged.sort_by_key(|var| matches!(var, Var::Local(_)));
    arranged
}

/// A statement of more variables than this ties them as a chain only: a clique of thousands would be millions
/// of ties.
const MOST_TIED: usize = 24;
/// How much a statement with two variables ties them.
const STRONG: u64 = 1 << 12;

struct Ties {
    shared: usize,
    ties: Vec<BTreeMap<usize, u64>>,
}

impl Ties {
    fn number(&self, var: Var) -> usize {
        match var {
            Var::Shared(id) => id.index(),
            Var::Local(id) => self.shared + id.index(),
        }
    }

    /// The variables of one condition or assignment are tied to each other.
    fn tie(&mut self, vars: &BTreeSet<Var>) {
        let numbers: Vec<usize> = vars.iter().map(|&var| self.number(var)).collect();
        let weight = STRONG / (numbers.len().max(2) as u64 - 1);
        for (index, &a) in numbers.iter().enumerate() {
            let last = if numbers.len() > MOST_TIED { index + 2 } else { numbers.len() };
            for &b in &numbers[(index + 1).min(numbers.len())..last.min(numbers.len())] {
                *self.ties[a].entry(b).or_insert(0) += weight;
                *self.ties[b].entry(a).or_insert(0) += weight;
            }
        }
    }
}

fn greedy(program: &Program, commands: &Commands, declared: &[Var]) -> Vec<Var> {
    let mut ties = Ties { shared: program.shared().len(), ties: vec![BTreeMap::new(); declared.len()] };
    for (loc, location) in program.locations().enumerate() {
        commands.at(loc).iter().for_each(|command| tie_command(&mut ties, commands, command));
        if let Op::Assert(e) = location.op {
            ties.tie(&used(commands, [e], None));
        }
    }
    let all: Vec<u64> = ties.ties.iter().map(|of| of.values().sum()).collect();
    // The strongest tie to what is placed, then the most ties at all, then the order of declaration.
    let key = |number: usize, placed: u64| (u64::MAX - placed, u64::MAX - all[number], number);
    let mut drawn = vec![0u64; declared.len()];
    let mut open: BTreeSet<(u64, u64, usize)> = (0..declared.len()).map(|number| key(number, 0)).collect();
    let mut order = Vec::with_capacity(declared.len());
    while let Some((_, _, next)) = open.pop_first() {
        order.push(declared[next]);
        for (&other, &weight) in &ties.ties[next] {
            if open.remove(&key(other, drawn[other])) {
                drawn[other] += weight;
                open.insert(key(other, drawn[other]));
            }
        }
    }
    order
}

fn tie_command(ties: &mut Ties, commands: &Commands, command: &Command) {
    for &e in command.requires.iter().chain(&command.asks) {
        ties.tie(&used(commands, [e], None));
    }
    for &(var, e) in &command.assign {
        ties.tie(&used(commands, [e], Some(var)));
    }
    for &(local, e) in &command.broadcast {
        ties.tie(&used(commands, [e], Some(Var::Local(local))));
    }
    for &(local, e) in command.child.iter().flat_map(|child| &child.values) {
        ties.tie(&used(commands, [e], Some(Var::Local(local))));
    }
}

fn used(commands: &Commands, exprs: impl IntoIterator<Item = ExprId>, target: Option<Var>) -> BTreeSet<Var> {
    let reads = exprs.into_iter().flat_map(|e| commands.exprs().reads(e));
    reads.map(|read| read.var).chain(target).collect()
}
