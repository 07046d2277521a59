//! Calls and returns by summaries (Sharir and Pnueli 1981; Reps, Horwitz and Sagiv, POPL 1995): an activation
//! remembers how it was entered, and a return joins the callee's end with every caller that entered it so.
//!
//! A summary that spans rounds remembers the shared state of the round it was entered in; the outputs of
//! earlier rounds and the inputs of all rounds up to that one are the thread's and do not change, so that
//! caller and callee simply agree on them.

use super::moves::{Moves, Reader};
use super::space::RoundSpace;
use base::Stop;
use ir::bp::{ExprId, Loc, LocalId, LocalScope, Op, ProcId, Program, Var};
use solve::bdd::{Bdd, Level};

/// A call statement.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where it stands.
    pub loc: Loc,
    /// Where control goes on.
    pub next: Loc,
    /// What it calls.
    pub callee: ProcId,
    /// What it passes.
    pub args: Vec<ExprId>,
    /// Where the results go.
    pub results: Vec<Option<Var>>,
    /// Enters the callee: from the caller's locals (`old`) to the callee's (`now`) and the record of its
    /// entry.
    pub enter: Bdd,
    /// The callee's ends, each with the relation that joins it to the caller.
    pub returns: Vec<Return>,
    /// The caller's locals that a return changes.
    pub touched: Vec<LocalId>,
    /// The thread's locals that a return changes.
    pub thread_touched: Vec<LocalId>,
    /// The shared bits that a return changes.
    pub bits: Vec<usize>,
    /// Whether a return writes the atomic variable.
    pub inside: bool,
}

/// One end of the callee.
#[derive(Clone, Copy, Debug)]
pub struct Return {
    /// Where it stands.
    pub loc: Loc,
    /// The relation: the caller's touched locals at the call are in `call`, the callee's locals in `old`, its
    /// arguments in `argument`.
    pub relation: Bdd,
}

/// All calls of the program.
pub fn calls(moves: &mut Moves<'_, '_, '_>) -> Result<Vec<Call>, Stop> {
    let program = moves.model.program;
    let mut all = vec![];
    for (loc, location) in program.locations().enumerate() {
        let Op::Call { procedure, args, results } = &location.op else { continue };
        let mut call = draft(moves, loc, *procedure, results);
        call.args = args.clone();
        call.enter = enter(moves, &call)?;
        for end in program.locations_of(*procedure) {
            if let Op::Return(values) = &program.at(end).op {
                let relation = leave(moves, &call, end, values)?;
                call.returns.push(Return { loc: end, relation });
            }
        }
        all.push(call);
    }
    Ok(all)
}

fn draft(moves: &Moves<'_, '_, '_>, loc: Loc, callee: ProcId, results: &[Option<Var>]) -> Call {
    let program = moves.model.program;
    let next = program.at(loc).next;
    let written =
        results.iter().flatten().copied().chain(program.at(next).dead.iter().map(|&it| Var::Local(it)));
    let (mut touched, mut thread_touched, mut bits) = (vec![], vec![], vec![]);
    let mut inside = false;
    for var in written {
        match var {
            Var::Shared(id) => bits.push(moves.model.bit(super::model::Bit::Shared(id))),
            Var::Local(id) if of_thread(program, id) => thread_touched.push(id),
            Var::Local(id) => touched.push(id),
        }
        inside |= program.atomic_variable().map(Var::Shared) == Some(var);
    }
    touched.sort();
    touched.dedup();
    thread_touched.sort();
    thread_touched.dedup();
    let (args, returns, enter) = (vec![], vec![], Bdd::FALSE);
    Call {
        loc,
        next,
        callee,
        args,
        results: results.to_vec(),
        enter,
        returns,
        touched,
        thread_touched,
        bits,
        inside,
    }
}

/// Whether the local lives as long as the thread.
fn of_thread(program: &Program, local: LocalId) -> bool {
    program.locals()[local].scope == LocalScope::Thread
}

fn enter(moves: &mut Moves<'_, '_, '_>, call: &Call) -> Result<Bdd, Stop> {
    let (program, space) = (moves.model.program, moves.space);
    let caller_local = |id: LocalId| if of_thread(program, id) { space.of(id).now } else { space.of(id).old };
    let shared = |bit: usize| space.bit(space.v[0], bit);
    let caller = Reader { local: &caller_local, shared: &shared };
    let callee = &program.procedures()[call.callee];
    let mut relation = moves.enforced(call.loc, &caller)?;
    for (&param, &arg) in callee.params.iter().zip(&call.args) {
        let value = moves.truth(arg, &caller)?;
        relation = moves.gets(relation, space.of(param).entry, value)?;
    }
    let started = activation(moves, call.callee)?;
    let now_local = |id: LocalId| space.of(id).now;
    let enforced = moves.enforced(callee.entry, &Reader { local: &now_local, shared: &shared })?;
    let relation = moves.calculus.all([relation, started, enforced])?;
    let relation = moves.settle(callee.entry, relation)?;
    Ok(moves.calculus.manager.protect(relation))
}

/// The callee's locals at its entry, and the record of it.
fn activation(moves: &mut Moves<'_, '_, '_>, callee: ProcId) -> Result<Bdd, Stop> {
    let (program, space) = (moves.model.program, moves.space);
    let params = &program.procedures()[callee].params;
    let mut same = space.layout.pairs(space.v[0], space.entry);
    same.push((space.inside.now, space.inside.entry));
    let recorded = params.iter().copied().chain(moves.model.thread_locals());
    same.extend(recorded.map(|local| (space.of(local).now, space.of(local).entry)));
    let mut fixed = vec![];
    for local in moves.model.frame(callee).into_iter().filter(|local| !params.contains(local)) {
        let own = program.locals()[local].scope == LocalScope::Procedure(callee);
        match program.locals()[local].init {
            ir::bp::Init::Any if own => {}
            ir::bp::Init::Fixed(value) if own => fixed.push((space.of(local).now, value)),
            _ => fixed.push((space.of(local).now, false)),
        }
    }
    let (same, fixed) = (moves.calculus.equal(&same)?, moves.calculus.manager.cube(&fixed)?);
    moves.calculus.and(same, fixed)
}

fn leave(moves: &mut Moves<'_, '_, '_>, call: &Call, end: Loc, values: &[ExprId]) -> Result<Bdd, Stop> {
    let (program, space) = (moves.model.program, moves.space);
    let entered = agree_on_entry(moves, call)?;
    let callee_local = |id: LocalId| match of_thread(program, id) {
        true if !call.thread_touched.contains(&id) => space.of(id).now,
        _ => space.of(id).old,
    };
    let callee_shared =
        |bit: usize| space.bit(if call.bits.contains(&bit) { space.old } else { space.v[0] }, bit);
    let callee = Reader { local: &callee_local, shared: &callee_shared };
    let mut relation = moves.enforced(end, &callee)?;
    for (index, var) in call.results.iter().enumerate() {
        let Some(var) = *var else { continue };
        if let Some(&e) = values.get(index) {
            let value = moves.truth(e, &callee)?;
            relation = moves.gets(relation, moves.now(var), value)?;
        }
        relation = moves.follow_atomic_variable(relation, var)?;
    }
    let now_local = |id: LocalId| space.of(id).now;
    let now_shared = |bit: usize| space.bit(space.v[0], bit);
    let enforced = moves.enforced(call.next, &Reader { local: &now_local, shared: &now_shared })?;
    let kept = moves.calculus.equal(&unwritten(space, call))?;
    let relation = moves.calculus.all([entered, relation, kept, enforced])?;
    let relation = moves.settle(call.next, relation)?;
    Ok(moves.calculus.manager.protect(relation))
}

/// The callee was entered with what this call passes.
fn agree_on_entry(moves: &mut Moves<'_, '_, '_>, call: &Call) -> Result<Bdd, Stop> {
    let (program, space) = (moves.model.program, moves.space);
    let local = |id: LocalId| match of_thread(program, id) || call.touched.contains(&id) {
        true => space.of(id).call,
        false => space.of(id).now,
    };
    let shared = |bit: usize| space.bit(space.call, bit);
    let caller = Reader { local: &local, shared: &shared };
    let mut relation = moves.enforced(call.loc, &caller)?;
    let params = program.procedures()[call.callee].params.clone();
    for (&param, &arg) in params.iter().zip(&call.args) {
        let value = moves.truth(arg, &caller)?;
        relation = moves.gets(relation, space.of(param).argument, value)?;
    }
    Ok(relation)
}

/// Touched variables that are no result, only dead afterwards: they keep their value until `enforce` has
/// looked at them.
fn unwritten(space: &RoundSpace, call: &Call) -> Vec<(Level, Level)> {
    let result = |local: &LocalId| call.results.contains(&Some(Var::Local(*local)));
    let own = call.touched.iter().filter(|it| !result(it)).map(|&it| (space.of(it).call, space.of(it).now));
    let thread =
        call.thread_touched.iter().filter(|it| !result(it)).map(|&it| (space.of(it).old, space.of(it).now));
    own.chain(thread).collect()
}
