//! Drops code that control cannot reach from where threads begin, after conditions that are constant have
//! been decided. What remains makes the same steps.

use crate::origin::Passed;
use crate::rebuild::restrict;
use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Loc, Location, Op, Program, Spawn, Values};

/// The program without what cannot be reached.
pub fn drop_unreachable(program: &Program, budget: &Budget) -> Result<Passed, Stop> {
    // Deciding, searching and copying each look at every location.
    budget.spend(3 * program.locations().len() as u64)?;
    let decided = decide_constants(program);
    let keep = reachable(&decided);
    Ok(restrict(&decided, &keep, |_| true))
}

/// What an expression may be, whatever the variables are.
fn constant(program: &Program, e: ExprId) -> Values {
    program.exprs().values(e, |_| Values::ANY)
}

/// The same locations, with the constant conditions taken out where they decide something.
fn decide_constants(program: &Program) -> Program {
    let holds = |e: ExprId| constant(program, e) == Values::TRUE;
    let mut builder = program.edit();
    for (loc, location) in program.locations().enumerate() {
        let op = match &location.op {
            Op::Branch { target, .. } if *target == location.next => Op::Skip,
            Op::Branch { cond, target } if holds(*cond) => Op::Goto(vec![*target]),
            Op::Branch { cond, .. } if constant(program, *cond) == Values::FALSE => Op::Skip,
            Op::Assume(e) | Op::Assert(e) if holds(*e) => Op::Skip,
            Op::Assign { targets, broadcast, constrain: Some(e) } if holds(*e) => {
                Op::Assign { targets: targets.clone(), broadcast: broadcast.clone(), constrain: None }
            }
            op => op.clone(),
        };
        builder.at(loc).op = op;
        builder.at(loc).enforce = location.enforce.filter(|&e| !holds(e));
    }
    builder.finish().expect("a decided condition leaves the program valid")
}

/// The locations that a thread may come to.
fn reachable(program: &Program) -> Vec<bool> {
    let start = program.start();
    let first = start.init.into_iter().chain(start.templates.iter().map(|template| template.procedure));
    let mut work: Vec<Loc> = first.map(|procedure| program.procedures()[procedure].entry).collect();
    let mut seen = vec![false; program.locations().len()];
    while let Some(loc) = work.pop() {
        if std::mem::replace(&mut seen[loc.index()], true) {
            continue;
        }
        let location = program.at(loc);
        if !blocks_for_ever(program, location) {
            work.extend(program.successors(loc));
        }
        match &location.op {
            Op::Call { procedure, .. } | Op::Start(Spawn::Call(procedure, _)) => {
                work.push(program.procedures()[*procedure].entry);
            }
            Op::Start(Spawn::Clone(target)) => work.push(*target),
            _ => {}
        }
    }
    seen
}

fn blocks_for_ever(program: &Program, location: &Location) -> bool {
    match location.op {
        Op::Assume(e) | Op::Assign { constrain: Some(e), .. } => constant(program, e) == Values::FALSE,
        _ => false,
    }
}
