//! Rules about the other threads that random programs seldom tell apart.

mod common;

use base::Budget;
use common::{Brute, certificate, task};
use ir::Scope;
use ir::bp::{
    Builder, Count, ExprId, Init, LocalId, LocalScope, Machine, Node, Op, ProcId, Program, Read, Spawn, Var,
    When, Whose,
};

fn passive(b: &mut Builder, local: LocalId, when: When) -> ExprId {
    b.exprs().add(Node::Read(Read { var: Var::Local(local), whose: Whose::Passive, when }))
}

fn body(b: &mut Builder, procedure: ProcId, ops: Vec<Op>) {
    b.begin(procedure);
    for op in ops {
        b.push(procedure, op, None);
    }
    b.end(procedure, None);
}

/// Whether the set of states that do not fail, all variables but these kept, is confirmed.
fn confirmed(program: &Program, bound: u32, forgotten: &[Var]) -> bool {
    let mut brute = Brute::full(program, bound);
    brute.kept.retain(|var| !forgotten.contains(var));
    let mut set = brute.least(1000).expect("the set is small");
    set.retain(|it| brute.machine().failure(&it.0).is_none());
    let evidence = certificate(brute.reached(&set));
    check::certificate(&task(program, Scope::threads(bound)), &evidence, &Budget::unlimited()).is_ok()
}

#[test]
fn a_child_does_not_hold_the_locks_of_its_creator() {
    let mut b = Builder::new();
    let lock = b.lock("m");
    let main = b.declare("main", 0);
    let no = b.exprs().constant(false);
    let child = base::Id::from_index(3);
    let ops = vec![Op::Lock(lock), Op::Start(Spawn::Clone(child)), Op::End, Op::Unlock(lock), Op::Assert(no)];
    body(&mut b, main, ops);
    b.template(main, Count::Exactly(1));
    assert!(confirmed(&b.finish().expect("valid"), 2, &[]));
}

/// `main: goto 1, 2; 1: f(); 2: assume [t] & [x]; assert 0`, where `f` never returns. A thread in `f` has `x`
/// in an older activation, and `t` is there beside each of them: it is asked, and the condition never holds.
/// The reference semantics says so too.
#[test]
fn a_local_of_the_whole_thread_is_there_beside_older_activations() {
    let mut b = Builder::new();
    let (main, f) = (b.declare("main", 0), b.declare("f", 0));
    let t = b.local("t", LocalScope::Thread, Init::Fixed(false));
    let x = b.local("x", LocalScope::Procedure(main), Init::Fixed(false));
    let (its_t, its_x) = (passive(&mut b, t, When::Now), passive(&mut b, x, When::Now));
    let (both, no) = (b.exprs().and(its_t, its_x), b.exprs().constant(false));
    let [one, two, entry] = [1, 2, 5].map(base::Id::from_index);
    let call = Op::Call { procedure: f, args: vec![], results: vec![] };
    body(&mut b, main, vec![Op::Goto(vec![one, two]), call, Op::Assume(both), Op::Assert(no)]);
    body(&mut b, f, vec![Op::Goto(vec![entry])]);
    b.template(main, Count::Exactly(2));
    let program = b.finish().expect("valid");
    let machine = Machine::new(&program, Some(2));
    let states = machine.reachable(1000).expect("few states");
    assert!(states.iter().all(|state| machine.failure(state).is_none()));
    assert!(confirmed(&program, 2, &[]));
}

/// `x := 0 constrain '[y] != [y]; assert 0` with nobody else: a copy that is not assigned is the same before
/// and after.
#[test]
fn a_copy_that_is_not_assigned_stays_the_same_when_nobody_is_asked() {
    let mut b = Builder::new();
    let main = b.declare("main", 0);
    let [x, y] = ["x", "y"].map(|name| b.local(name, LocalScope::Procedure(main), Init::Fixed(false)));
    let (old, new) = (passive(&mut b, y, When::Now), passive(&mut b, y, When::Next));
    let (differ, no) = (b.exprs().add(Node::Xor(old, new)), b.exprs().constant(false));
    let targets = vec![(Var::Local(x), no)];
    let assign = Op::Assign { targets, broadcast: vec![], constrain: Some(differ) };
    body(&mut b, main, vec![assign, Op::Assert(no)]);
    b.template(main, Count::Exactly(1));
    assert!(confirmed(&b.finish().expect("valid"), 1, &[]));
}

/// `[y] := * constrain '[y] & !'[y]; assert 0`: both readings are of one new value, also where it is
/// forgotten.
#[test]
fn a_new_copy_has_one_value_in_all_readings() {
    let mut b = Builder::new();
    let main = b.declare("main", 0);
    let y = b.local("y", LocalScope::Procedure(main), Init::Any);
    let new = passive(&mut b, y, When::Next);
    let (not, star, no) = (b.exprs().not(new), b.exprs().choice(), b.exprs().constant(false));
    let never = b.exprs().and(new, not);
    let assign = Op::Assign { targets: vec![], broadcast: vec![(y, star)], constrain: Some(never) };
    body(&mut b, main, vec![assign, Op::Assert(no)]);
    b.template(main, Count::Exactly(2));
    let program = b.finish().expect("valid");
    assert!(confirmed(&program, 2, &[]));
    assert!(confirmed(&program, 2, &[Var::Local(y)]));
}
