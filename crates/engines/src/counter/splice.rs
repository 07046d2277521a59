//! Splice statements: those that may relate shared and local variables, found in their text (Basler et al.,
//! CAV 2009, section 6.2).

use super::statistics::Statistics;
use crate::command::{Command, Commands};
use ir::bp::{Op, Program, Var};
use std::collections::BTreeSet;

/// Counts the splice statements of a program and their shared variables.
pub fn count(program: &Program, commands: &Commands, statistics: &mut Statistics) {
    for (loc, location) in program.locations().enumerate() {
        if matches!(location.op, Op::Return(_) | Op::End) {
            continue;
        }
        statistics.statements += 1;
        let variables: BTreeSet<Var> =
            commands.at(loc).iter().flat_map(|command| splice_variables(commands, command)).collect();
        if !variables.is_empty() {
            statistics.splice_statements += 1;
            statistics.splice_variables += variables.len() as u64;
        }
    }
}

/// The shared variables that an assignment or a condition of the command mentions together with a local one.
fn splice_variables(commands: &Commands, command: &Command) -> Vec<Var> {
    let alone = command.requires.iter().chain(&command.asks).map(|&e| (None, e));
    let assigned = command.assign.iter().map(|&(var, e)| (Some(var), e));
    alone
        .chain(assigned)
        .flat_map(|(target, e)| {
            let reads = commands.exprs().reads(e).into_iter().map(|read| read.var);
            let all: BTreeSet<Var> = reads.chain(target).collect();
            let (shared, local): (Vec<Var>, Vec<Var>) =
                all.into_iter().partition(|var| matches!(var, Var::Shared(_)));
            if local.is_empty() { vec![] } else { shared }
        })
        .collect()
}
