//! Programs with as many silent locations as are allowed.

use ir::Program;
use ir::bp::{ExprId, Loc, Op, Var, Whose};

/// Marks as silent all locations whose statements touch nothing that another thread can see and go forward.
pub fn with_silent(program: &Program) -> Program {
    let silent: Vec<Loc> = program.locations().ids().filter(|&loc| is_silent(program, loc)).collect();
    let mut builder = program.edit();
    silent.into_iter().for_each(|loc| builder.at(loc).silent = true);
    builder.finish().expect("it was valid before")
}

/// The program with the marks of the pass, atomic sections included, or with those of [`with_silent`], which are more outside of them.
pub fn with_either(program: &Program, number: u64) -> Program {
    if number.is_multiple_of(2) { passes::chains::mark_silent(program).0 } else { with_silent(program) }
}

fn is_silent(program: &Program, loc: Loc) -> bool {
    let location = program.at(loc);
    let quiet = |to: Loc| {
        let dying = program.at(to).dead.iter().all(|&local| is_private(program, Var::Local(local)));
        program.at(to).enforce.is_none() && dying
    };
    let forward = program.successors(loc).iter().all(|&to| to > loc && quiet(to));
    let own = |e: ExprId| {
        program.exprs().reads(e).iter().all(|read| read.whose == Whose::Own && is_private(program, read.var))
    };
    let touches_nothing = match &location.op {
        Op::Skip | Op::Goto(_) => true,
        Op::Branch { cond, .. } | Op::Assert(cond) => own(*cond),
        Op::Assign { targets, broadcast, constrain } => {
            broadcast.is_empty()
                && constrain.is_none()
                && targets.iter().all(|&(var, e)| is_private(program, var) && own(e))
        }
        _ => false,
    };
    forward && location.enforce.is_none() && touches_nothing
}

/// A local that no broadcast and no condition over passive threads speaks of.
fn is_private(program: &Program, var: Var) -> bool {
    let Var::Local(local) = var else { return false };
    program.locations().iter().all(|location| match &location.op {
        Op::Assign { broadcast, constrain, .. } => {
            let exprs = broadcast.iter().map(|&(_, e)| e).chain(*constrain);
            broadcast.iter().all(|&(to, _)| to != local) && exprs.into_iter().all(|e| !asks(program, e, var))
        }
        Op::Assume(e) => !asks(program, *e, var),
        _ => true,
    })
}

fn asks(program: &Program, e: ExprId, var: Var) -> bool {
    program.exprs().reads(e).iter().any(|read| read.whose == Whose::Passive && read.var == var)
}
