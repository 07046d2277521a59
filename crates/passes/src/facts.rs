//! What statements read and write, as several passes ask it.

use base::Id;
use ir::bp::{LocalId, Op, Program, Read, Var, When, Whose};

/// The active thread's locals whose old values a statement reads. A new value is an old one where it is not
/// assigned.
pub fn own_locals_read(program: &Program, op: &Op) -> Vec<LocalId> {
    let assigned = |var: Var| match op {
        Op::Assign { targets, .. } => targets.iter().any(|target| target.0 == var),
        _ => false,
    };
    let reads = op.expressions().into_iter().flat_map(|e| program.exprs().reads(e));
    let old = |read: &Read| read.whose == Whose::Own && (read.when == When::Now || !assigned(read.var));
    reads.filter(old).filter_map(|read| local(read.var)).collect()
}

/// The active thread's locals that a statement certainly writes.
pub fn own_locals_written(op: &Op) -> Vec<LocalId> {
    match op {
        Op::Assign { targets, .. } => targets.iter().filter_map(|target| local(target.0)).collect(),
        Op::Call { results, .. } => results.iter().flatten().filter_map(|&var| local(var)).collect(),
        _ => vec![],
    }
}

/// For each local: whether some thread's step may depend on another thread's copy of it.
pub fn read_by_others(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.locals().len()];
    let all = program.locations().iter().flat_map(|location| location.op.expressions());
    for read in all.flat_map(|e| program.exprs().reads(e)).filter(|read| read.whose == Whose::Passive) {
        local(read.var).into_iter().for_each(|local| found[local.index()] = true);
    }
    found
}

/// For each local: whether some thread's step may change another thread's copy of it.
pub fn written_by_others(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.locals().len()];
    for location in program.locations().iter() {
        if let Op::Assign { broadcast, .. } = &location.op {
            broadcast.iter().for_each(|&(local, _)| found[local.index()] = true);
        }
    }
    found
}

/// The local, if it is one.
pub fn local(var: Var) -> Option<LocalId> {
    match var {
        Var::Local(local) => Some(local),
        Var::Shared(_) => None,
    }
}
