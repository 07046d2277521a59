//! Which variables matter: those that flow into an assertion, and perhaps those that flow into a condition (the cone of influence, Clarke,
//! Grumberg and Peled, *Model Checking*). What no assertion and no condition depends on changes nothing that anybody can notice, in
//! whichever order and by whomever it is written.

use base::Id;
use ir::bp::{ExprId, Op, Program, Spawn, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The variables that flow into an assertion, and with `conditions` those that flow into a condition, too. Locks and the variable
/// that opens and closes atomic sections are conditions.
pub fn cone(program: &Program, conditions: bool) -> BTreeSet<Var> {
    let (mut work, flows) = (seeds(program, conditions), flows(program));
    let mut found = BTreeSet::new();
    while let Some(var) = work.pop() {
        if found.insert(var) {
            work.extend(flows.get(&var).into_iter().flatten());
        }
    }
    found
}

fn reads(program: &Program, e: ExprId) -> impl Iterator<Item = Var> {
    program.exprs().reads(e).into_iter().map(|read| read.var)
}

/// What assertions and conditions read themselves.
fn seeds(program: &Program, conditions: bool) -> Vec<Var> {
    let mut seeds = vec![];
    for location in program.locations().iter() {
        let read = match &location.op {
            Op::Assert(e) => Some(*e),
            Op::Assume(e) | Op::Branch { cond: e, .. } if conditions => Some(*e),
            Op::Assign { constrain, .. } if conditions => *constrain,
            _ => None,
        };
        let enforced = location.enforce.filter(|_| conditions || matches!(location.op, Op::Assert(_)));
        seeds.extend(read.into_iter().chain(enforced).flat_map(|e| reads(program, e)));
    }
    if conditions {
        seeds.extend(program.atomic_variable().map(Var::Shared));
        let bits = |lock: &ir::bp::Lock| [Var::Shared(lock.taken), Var::Local(lock.owner)];
        seeds.extend(program.locks().iter().flat_map(bits));
    }
    seeds
}

/// For each variable those that its new values are made of.
fn flows(program: &Program) -> BTreeMap<Var, BTreeSet<Var>> {
    let mut flows: BTreeMap<Var, BTreeSet<Var>> = BTreeMap::new();
    let mut flow = |var: Var, e: ExprId| flows.entry(var).or_default().extend(reads(program, e));
    for location in program.locations().iter() {
        match &location.op {
            Op::Assign { targets, broadcast, .. } => {
                targets.iter().for_each(|&(var, e)| flow(var, e));
                broadcast.iter().for_each(|&(local, e)| flow(Var::Local(local), e));
            }
            Op::Start(Spawn::Call(procedure, args)) | Op::Call { procedure, args, .. } => {
                let params = program.procedures()[*procedure].params.iter();
                params.zip(args).for_each(|(&param, &e)| flow(Var::Local(param), e));
            }
            _ => {}
        }
    }
    flows
}

/// The cone as one bit for each shared variable and one for each local.
pub fn bits(program: &Program, cone: &BTreeSet<Var>) -> [Vec<bool>; 2] {
    let mut bits = [vec![false; program.shared().len()], vec![false; program.locals().len()]];
    for var in cone {
        match var {
            Var::Shared(id) => bits[0][id.index()] = true,
            Var::Local(id) => bits[1][id.index()] = true,
        }
    }
    bits
}
