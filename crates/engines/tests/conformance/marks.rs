//! Programs with dead locals, and with as many invisible transitions as are allowed.

use base::Random;
use ir::Program;
use ir::bp::{ExprId, Init, Loc, LocalId, Op, Role, Spawn, Var, Whose};

/// Marks some locals as dead, and as invisible all transitions that touch nothing that another thread can see
/// and go forward. The reference semantics sets dead locals to 0 whether or not somebody reads them: so any
/// will do.
pub fn with_marks(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut builder = program.edit();
    let entries = program.procedures().iter().map(|procedure| procedure.entry);
    let clones = program.locations().iter().filter_map(|location| match &location.op {
        Op::Start(Spawn::Clone(at)) => Some(*at),
        _ => None,
    });
    let begins: Vec<Loc> = entries.chain(clones).collect();
    for loc in program.locations().ids() {
        // A thread must be able to start with the value that a dead local has.
        let dead = program.locals().enumerate().filter(|(id, local)| {
            let lives = local.role == Role::Plain && program.in_scope(loc, *id);
            lives && (!begins.contains(&loc) || local.init == Init::Fixed(false))
        });
        let dead: Vec<LocalId> = dead.filter(|_| random.percent(15)).map(|(id, _)| id).collect();
        builder.at(loc).dead = dead;
    }
    let program = builder.finish().expect("it was valid before");
    if seed.is_multiple_of(4) {
        // The marks of the pass: fewer outside atomic sections, more inside of them.
        let passed = passes::merging::mark_invisible(&program, &base::Budget::unlimited());
        return passed.expect("nobody stops it").program;
    }
    let mut builder = program.edit();
    for loc in program.locations().ids() {
        builder.at(loc).invisible = is_invisible(&program, loc);
    }
    builder.finish().expect("it was valid before")
}

fn is_invisible(program: &Program, loc: Loc) -> bool {
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
