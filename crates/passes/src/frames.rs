//! Frame conditions: `x := * constrain 'x = x & ...` says that x keeps its value, and is the same as leaving
//! x alone. Programs whose `constrain` stands alone name every variable in this way, and would all be in the
//! cone if they were left so.

use ir::bp::{ExprId, Exprs, Node, Op, Program, Var, When, Whose};

/// The program without targets that a frame condition holds fast. Elsewhere in the condition `'x` then is the
/// old value, as before.
pub fn drop_frames(program: &Program) -> Program {
    let mut builder = program.edit();
    for (loc, location) in program.locations().enumerate() {
        let Op::Assign { targets, broadcast, constrain: Some(e) } = &location.op else { continue };
        let conjuncts = conjuncts(program.exprs(), *e);
        let framed = |e: ExprId| framed(program.exprs(), e).filter(|&var| is_free(program, targets, var));
        let kept: Vec<Var> = conjuncts.iter().filter_map(|&e| framed(e)).collect();
        if kept.is_empty() {
            continue;
        }
        let rest = conjuncts.iter().copied().filter(|&e| framed(e).is_none());
        let constrain = rest.reduce(|all, e| builder.exprs().and(all, e));
        let targets = targets.iter().copied().filter(|target| !kept.contains(&target.0)).collect();
        builder.at(loc).op = Op::Assign { targets, broadcast: broadcast.clone(), constrain };
    }
    builder.finish().expect("fewer targets leave the program valid")
}

/// Whether the statement lets the variable become anything. The variable that stands for atomic sections must
/// be seen to be written.
fn is_free(program: &Program, targets: &[(Var, ExprId)], var: Var) -> bool {
    let any = |e: ExprId| program.exprs().node(e) == Node::Choice;
    program.atomic_variable().map(Var::Shared) != Some(var)
        && targets.iter().any(|&(target, e)| target == var && any(e))
}

/// The parts of a conjunction, from left to right.
fn conjuncts(exprs: &Exprs, root: ExprId) -> Vec<ExprId> {
    let mut found = vec![];
    let mut work = vec![root];
    while let Some(e) = work.pop() {
        match exprs.node(e) {
            Node::And(a, b) => work.extend([b, a]),
            _ => found.push(e),
        }
    }
    found
}

/// The variable of a condition `'x = x`.
fn framed(exprs: &Exprs, e: ExprId) -> Option<Var> {
    let Node::Equal(a, b) = exprs.node(e) else { return None };
    let (Node::Read(a), Node::Read(b)) = (exprs.node(a), exprs.node(b)) else { return None };
    let own = a.whose == Whose::Own && b.whose == Whose::Own && a.var == b.var;
    let both = matches!((a.when, b.when), (When::Now, When::Next) | (When::Next, When::Now));
    (own && both).then_some(a.var)
}
