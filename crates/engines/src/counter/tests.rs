//! Small programs whose symbolic states are known, and the limits of memory.

use super::group::{Piece, ThreadGroup};
use super::search::{self, CounterExploration, CounterPlan};
use super::settings::CounterOptions;
use super::statistics::CounterWork;
use super::store::How;
use super::threads::SymbolicThreads;
use crate::bounded::Sizes;
use crate::command::Commands;
use crate::counter::broadcast::Broadcasts;
use crate::encoding::{self, Slot};
use crate::engine::Engine;
use crate::kit::{ask, task};
use base::{Budget, Id, NoEvents, Settings, Stop};
use ir::bp::{
    Builder, Count, ExprId, Init, Loc, LocalId, LocalScope, Node, Op, Program, Read, Var, When, Whose,
};
use ir::{Bound, Model, Trace, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;

fn find(program: &Program, bound: u32, how: How) -> (SymbolicThreads<'_>, CounterExploration) {
    let budget = Budget::unlimited();
    let options = CounterOptions::new(&Settings::default());
    let plan = encoding::EncodingPlan { copies: 0, members: 0, limits: options.limits() };
    let commands = Commands::new(program).expect("flat");
    let mut threads = SymbolicThreads::new(program, commands, plan, false, &budget).expect("no limit");
    let sizes = Sizes { bound, exact: true };
    let plan = CounterPlan { sizes, how, bytes: options.bytes, most_states: usize::MAX };
    let mut work = CounterWork { budget: &budget, events: &mut NoEvents, statistics: Default::default() };
    let found = search::search(&mut threads, &mut Broadcasts::default(), None, plan, &mut work);
    (threads, found.expect("no limit"))
}

const MERGING: How = How { merging: true, subsumption: true };
const APART: How = How { merging: false, subsumption: false };

/// The values of one local in a group's set.
fn values(threads: &SymbolicThreads<'_>, group: &ThreadGroup, local: LocalId) -> Vec<bool> {
    let level = threads.encoding.space.now(Var::Local(local), Slot::Own);
    let holds = |value: bool| {
        let manager = &threads.encoding.manager;
        manager.cubes(group.set).any(|cube| cube.iter().all(|&(at, is)| at != level || is == value))
    };
    [false, true].into_iter().filter(|&value| holds(value)).collect()
}

/// The groups of a state as location, values of a local, number.
fn shown(threads: &SymbolicThreads<'_>, piece: &Piece, local: LocalId) -> Vec<(usize, Vec<bool>, u32)> {
    let show = |group: &ThreadGroup| (group.at.loc().index(), values(threads, group, local), group.count);
    let mut groups: Vec<_> = piece.groups.iter().map(show).collect();
    groups.sort();
    groups
}

fn all_shown(
    threads: &SymbolicThreads<'_>,
    found: &CounterExploration,
    local: LocalId,
) -> BTreeSet<Vec<(usize, Vec<bool>, u32)>> {
    found.store.pieces().map(|piece| shown(threads, piece, local)).collect()
}

/// A program of one procedure that this many threads run.
fn simple(
    count: u32,
    first: Init,
    body: impl FnOnce(&mut Builder, &mut dyn FnMut(&mut Builder, Op) -> Loc, Var, LocalId),
) -> (Program, LocalId) {
    let mut builder = Builder::new();
    let shared = Var::Shared(builder.shared("s", Init::Fixed(false)));
    let main = builder.declare("main", 0);
    let local = builder.local("x", LocalScope::Procedure(main), first);
    builder.begin(main);
    body(&mut builder, &mut |builder, op| builder.push(main, op, None), shared, local);
    builder.end(main, None);
    builder.template(main, Count::Exactly(count));
    (builder.finish().expect("valid"), local)
}

#[test]
fn one_of_three_threads_chooses() {
    let (program, x) = simple(3, Init::Fixed(false), |builder, push, _, x| {
        let star = builder.exprs().choice();
        push(builder, Op::assign(Var::Local(x), star));
        push(builder, Op::Skip);
    });
    let (threads, found) = find(&program, 3, MERGING);
    let states = all_shown(&threads, &found, x);
    assert!(states.contains(&vec![(0, vec![false], 2), (1, vec![false, true], 1)]), "{states:?}");
    assert!(!states.iter().any(|state| state.contains(&(0, vec![false, true], 3))));
}

#[test]
fn a_relation_between_shared_and_local_is_two_states() {
    // `s := x` with any x: {(0, 0), (1, 1)} is no product.
    let (program, x) = simple(1, Init::Any, |builder, push, s, x| {
        let read = builder.exprs().var(Var::Local(x));
        push(builder, Op::assign(s, read));
        push(builder, Op::Skip);
    });
    let (threads, found) = find(&program, 1, MERGING);
    let after: Vec<&Piece> = found
        .store
        .pieces()
        .filter(|it| it.groups.first().is_some_and(|g| g.at.loc().index() == 1))
        .collect();
    assert_eq!(after.len(), 2);
    for piece in after {
        let level = threads.encoding.space.now(Var::Shared(Id::from_index(0)), Slot::Own);
        let s = threads.encoding.manager.eval(piece.shared, |at| at == level);
        assert_eq!(values(&threads, &piece.groups[0], x), [s]);
    }
}

#[test]
fn two_threads_in_other_sets_are_not_merged() {
    // From 0 both threads go to x = 0, or both to x = 1, by what the second reads of the first: never one to
    // each.
    let (program, x) = simple(2, Init::Fixed(false), |builder, push, s, x| {
        let read = builder.exprs().var(s);
        push(builder, Op::assign(Var::Local(x), read));
        let wait = push(builder, Op::Skip);
        push(builder, Op::Goto(vec![wait]));
    });
    let mut builder = program.edit();
    builder.shared_mut().iter_mut().for_each(|shared| shared.init = Init::Any);
    let program = builder.finish().expect("valid");
    let (threads, found) = find(&program, 2, MERGING);
    let states = all_shown(&threads, &found, x);
    for at in [1, 2] {
        assert!(states.contains(&vec![(at, vec![false], 2)]) && states.contains(&vec![(at, vec![true], 2)]));
    }
    assert!(
        states.iter().all(|state| state.iter().all(|group| group.2 < 2 || group.1.len() == 1)),
        "{states:?}"
    );
}

#[test]
fn merging_joins_states_that_differ_in_one_thread() {
    let (program, x) = simple(2, Init::Any, |builder, push, s, x| {
        let (read, star) = (builder.exprs().var(Var::Local(x)), builder.exprs().choice());
        push(builder, Op::assign(s, read));
        push(builder, Op::assign(s, star));
        let wait = push(builder, Op::Skip);
        push(builder, Op::Goto(vec![wait]));
    });
    let (threads, found) = find(&program, 2, MERGING);
    // Once s may be anything again nothing is left of the split.
    assert!(all_shown(&threads, &found, x).contains(&vec![(2, vec![false, true], 2)]));
    let (_, apart) = find(&program, 2, APART);
    assert!(found.store.pieces().count() < apart.store.pieces().count());
    assert!(found.store.counts.threads > 0);
}

/// `[b] := choose([b] & b, [b] ^ b)`, the broadcast of a statement s = l that the predicate s == l tracks.
#[test]
fn the_canonical_broadcast() {
    let (program, b) = simple(3, Init::Any, |builder, push, _, b| {
        let copy = Read { var: Var::Local(b), whose: Whose::Passive, when: When::Now };
        let (own, copy) = (builder.exprs().var(Var::Local(b)), builder.exprs().add(Node::Read(copy)));
        let (both, differ) = (builder.exprs().and(copy, own), builder.exprs().add(Node::Xor(copy, own)));
        let (value, yes) = (builder.exprs().add(Node::Choose(both, differ)), builder.exprs().constant(true));
        push(
            builder,
            Op::Assign { targets: vec![(Var::Local(b), yes)], broadcast: vec![(b, value)], constrain: None },
        );
        push(builder, Op::Skip);
    });
    let (threads, found) = find(&program, 3, MERGING);
    let states = all_shown(&threads, &found, b);
    // Active 1: a passive 1 stays 1, a passive 0 becomes 0. Active 0: 1 becomes 0, 0 becomes anything.
    // Together: anything.
    assert!(states.contains(&vec![(0, vec![false, true], 2), (1, vec![true], 1)]), "{states:?}");
    // With all passive copies 0 and an active 1 they stay 0; with an active 0 they may become anything.
    let mut fixed = program.edit();
    fixed.locals_mut().iter_mut().for_each(|local| local.init = Init::Fixed(true));
    let fixed = fixed.finish().expect("valid");
    let (threads, found) = find(&fixed, 3, MERGING);
    let states = all_shown(&threads, &found, b);
    assert!(states.contains(&vec![(0, vec![true], 2), (1, vec![true], 1)]), "{states:?}");
    assert!(states.iter().flatten().all(|group| group.1 == [true]));
}

fn run(program: &Program, bound: u32, set: &[(&str, &str)]) -> (Result<Verdict, Stop>, u64) {
    let task = task(&Model::Program(Arc::new(program.clone())), Bound::AtMost(bound));
    let budget = Budget::unlimited();
    (ask(&super::Counter, &task, set, &budget, &mut NoEvents), budget.spent())
}

/// Locals that are all set to `*` in one statement, by threads that then meet at an assertion.
fn choices(locals: usize, threads: u32, holds: bool) -> Program {
    let mut builder = Builder::new();
    let shared = builder.shared("s", Init::Fixed(false));
    let main = builder.declare("main", 0);
    let locals: Vec<Var> = (0..locals)
        .map(|index| Var::Local(builder.local(format!("x{index}"), LocalScope::Procedure(main), Init::Any)))
        .collect();
    builder.begin(main);
    let star = builder.exprs().choice();
    let targets = locals.iter().map(|&local| (local, star)).collect();
    builder.push(main, Op::Assign { targets, broadcast: vec![], constrain: None }, None);
    let all = locals.iter().map(|&local| builder.exprs().var(local)).collect::<Vec<ExprId>>();
    let all = all.into_iter().reduce(|a, b| builder.exprs().and(a, b)).expect("some locals");
    builder.push(main, Op::assign(Var::Shared(shared), all), None);
    let read = builder.exprs().var(Var::Shared(shared));
    let (not, or) = (builder.exprs().not(read), builder.exprs().or(read, all));
    let claim = if holds { builder.exprs().or(or, not) } else { not };
    builder.push(main, Op::Assert(claim), None);
    builder.end(main, None);
    builder.template(main, Count::Exactly(threads));
    builder.finish().expect("valid")
}

#[test]
fn forty_choices_and_four_threads_are_easy() {
    let (verdict, ticks) = run(&choices(40, 4, true), 4, &[]);
    assert!(matches!(verdict, Ok(Verdict::Safe { .. })), "{verdict:?}");
    // A tick is well under a microsecond.
    assert!(ticks < 1_000_000, "{ticks}");
    let (verdict, _) = run(&choices(40, 4, false), 4, &[]);
    let Ok(Verdict::Unsafe(Trace::Program(trace))) = verdict else { panic!("all locals may be 1") };
    assert!(trace.steps.len() >= 2);
}

/// Locals whose pairs are made equal by one statement each, far from each other in any order: x0 = x16 + x7,
/// and so on.
fn tangled(bits: usize) -> Program {
    let mut builder = Builder::new();
    let main = builder.declare("main", 0);
    let x: Vec<Var> = (0..bits)
        .map(|index| Var::Local(builder.local(format!("x{index}"), LocalScope::Procedure(main), Init::Any)))
        .collect();
    builder.begin(main);
    // The middle bits of a product: their diagrams are exponential in every order (Bryant 1991).
    let half = bits / 2;
    let mut claim = builder.exprs().constant(false);
    for sum in 0..half {
        let mut bit = builder.exprs().constant(false);
        for a in 0..=sum {
            let (left, right) = (builder.exprs().var(x[a]), builder.exprs().var(x[half + sum - a]));
            let product = builder.exprs().and(left, right);
            let carry = builder.exprs().and(bit, product);
            let odd = builder.exprs().add(Node::Xor(bit, product));
            bit = if a % 3 == 2 { builder.exprs().or(odd, carry) } else { odd };
        }
        claim = builder.exprs().add(Node::Xor(claim, bit));
        let all = builder.exprs().or(claim, bit);
        builder.push(main, Op::Assume(all), None);
    }
    builder.push(main, Op::Assert(claim), None);
    builder.end(main, None);
    builder.template(main, Count::Exactly(1));
    builder.finish().expect("valid")
}

#[test]
fn diagrams_that_explode_end_in_a_memory_stop_at_the_same_point() {
    let program = tangled(40);
    let first = run(&program, 1, &[("counter.memory", "2")]);
    assert!(matches!(first.0, Err(Stop::Memory)), "{:?}", first.0);
    for _ in 0..3 {
        let again = run(&program, 1, &[("counter.memory", "2")]);
        assert!(matches!(again.0, Err(Stop::Memory)) && again.1 == first.1);
    }
}

#[test]
fn a_net_is_refused_with_the_reason() {
    let net = testing::net::net(1, &testing::net::Profile::ALL);
    let task = task(&Model::Net(Arc::new(net)), Bound::Any);
    let reason = super::Counter.accepts(&task).expect_err("a net");
    assert_eq!(reason.kind, ir::ReasonKind::Unsupported);
}

/// A thread that waits for what another one's copy never becomes must not hold up that other one.
#[test]
fn a_condition_over_passive_threads_is_never_run_alone() {
    let mut builder = Builder::new();
    let v = builder.local("v", LocalScope::Thread, Init::Fixed(false));
    let (waits, loops) = (builder.declare("waits", 0), builder.declare("loops", 0));
    builder.begin(waits);
    let copy = Read { var: Var::Local(v), whose: Whose::Passive, when: When::Now };
    let asks = builder.exprs().add(Node::Read(copy));
    builder.push(waits, Op::Assume(asks), None);
    builder.end(waits, None);
    builder.begin(loops);
    let head = builder.here();
    builder.push(loops, Op::Goto(vec![head, Loc::from_index(head.index() + 1)]), None);
    let never = builder.exprs().constant(false);
    builder.push(loops, Op::Assert(never), None);
    builder.push(loops, Op::Goto(vec![head]), None);
    builder.end(loops, None);
    builder.template(waits, Count::Exactly(1));
    builder.template(loops, Count::Exactly(1));
    let program = builder.finish().expect("valid");
    let (verdict, _) = run(&program, 2, &[]);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
}
