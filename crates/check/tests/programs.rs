//! Certificates of programs written by hand, one rule of the semantics or of the form each.

mod common;

use base::{Budget, Id};
use check::Refused;
use common::{Brute, certificate, task};
use ir::bp::{Builder, Count, Init, Loc, LocalId, LocalScope, Op, ProcId, Program, SharedId, Spawn, Var};
use ir::certificate::{ControlLocation, LocalAt, Reached, StateView, ThreadView, View};
use ir::{Bound, Scope};
use std::collections::BTreeMap;
use testing::Viewed;

fn confirm(program: &Program, requested: Bound, body: Viewed<Reached>) -> Result<Scope, String> {
    let scope = Scope { threads: requested };
    let answer = check::certificate(&task(program, scope), &certificate(body), &Budget::unlimited());
    answer.map_err(|refused| refused.to_string())
}

/// The least closed set of a program when only these variables are kept.
fn closed(program: &Program, bound: u32, kept: &[Var]) -> Viewed<Reached> {
    let brute = Brute { program, bound, kept: kept.to_vec() };
    brute.reached(&brute.least(20_000).expect("the set is small"))
}

fn full(program: &Program, bound: u32) -> Viewed<Reached> {
    closed(program, bound, &Brute::full(program, bound).kept)
}

struct Critical {
    program: Program,
    busy: SharedId,
    noise: LocalId,
    taken: SharedId,
    owner: LocalId,
}

/// `noise := *; lock m; assert !busy; busy := 1; busy := 0; unlock m`, for any number of threads.
fn critical() -> Critical {
    let mut b = Builder::new();
    let busy = b.shared("busy", Init::Fixed(false));
    let lock = b.lock("m");
    let main = b.declare("main", 0);
    let noise = b.local("noise", LocalScope::Procedure(main), Init::Any);
    let (star, read) = (b.exprs().choice(), b.exprs().var(Var::Shared(busy)));
    let (free, yes, no) = (b.exprs().not(read), b.exprs().constant(true), b.exprs().constant(false));
    b.begin(main);
    let ops = [
        Op::assign(Var::Local(noise), star),
        Op::Lock(lock),
        Op::Assert(free),
        Op::assign(Var::Shared(busy), yes),
        Op::assign(Var::Shared(busy), no),
        Op::Unlock(lock),
    ];
    for op in ops {
        b.push(main, op, None);
    }
    b.end(main, None);
    b.template(main, Count::AtLeast(1));
    let program = b.finish().expect("the program is valid");
    let (taken, owner) = (program.locks()[lock].taken, program.locks()[lock].owner);
    Critical { program, busy, noise, taken, owner }
}

#[test]
fn what_does_not_matter_may_be_forgotten() {
    let Critical { program, busy, taken, owner, .. } = critical();
    let all = full(&program, 3);
    let less = closed(&program, 3, &[Var::Shared(busy), Var::Shared(taken), Var::Local(owner)]);
    assert!(less.states.len() < all.states.len());
    assert_eq!(confirm(&program, Bound::Any, all), Ok(Scope::threads(3)));
    assert_eq!(confirm(&program, Bound::Any, less), Ok(Scope::threads(3)));
}

#[test]
fn what_matters_may_not() {
    let Critical { program, busy, noise, taken, owner } = critical();
    let all = [Var::Shared(busy), Var::Shared(taken), Var::Local(owner), Var::Local(noise)];
    for forgotten in [Var::Shared(busy), Var::Shared(taken)] {
        let kept: Vec<Var> = all.into_iter().filter(|&var| var != forgotten).collect();
        let why = confirm(&program, Bound::Any, closed(&program, 2, &kept)).expect_err("no proof");
        assert!(why.contains("at l2 in `main`: the assertion may fail"), "{why}");
    }
}

/// Full multisets stand for smaller ones only where no thread is created.
#[test]
fn starts_of_every_size_are_asked_for_where_threads_are_created() {
    let keep_full = |mut body: Viewed<Reached>| {
        let bound = body.bound;
        body.states.retain(|state| state.threads.iter().map(|it| it.1).sum::<u32>() == bound);
        body
    };
    let spawning = spawner(Count::AtLeast(1), false);
    let all = full(&spawning, 2);
    assert_eq!(confirm(&spawning, Bound::AtMost(2), all.clone()), Ok(Scope::threads(2)));
    let why = confirm(&spawning, Bound::AtMost(2), keep_full(all)).expect_err("a start is missing");
    assert!(why.contains("at the start"), "{why}");
}

/// `start_thread f()`, for ever if `looping`; `f` does nothing for ever.
fn spawner(count: Count, looping: bool) -> Program {
    let mut b = Builder::new();
    let (main, f) = (b.declare("main", 0), b.declare("f", 0));
    b.begin(main);
    let entry = b.push(main, Op::Start(Spawn::Call(f, vec![])), None);
    let last = b.push(main, Op::Skip, None);
    b.at(last).next = if looping { entry } else { last };
    b.end(main, None);
    b.begin(f);
    let idle = b.push(f, Op::Skip, None);
    b.at(idle).next = idle;
    b.end(f, None);
    b.template(main, count);
    b.finish().expect("the program is valid")
}

#[test]
fn a_bound_that_is_never_met_is_no_bound() {
    let once = spawner(Count::Exactly(1), false);
    assert_eq!(confirm(&once, Bound::Any, full(&once, 1)), Ok(Scope::threads(1)));
    assert_eq!(confirm(&once, Bound::Any, full(&once, 2)), Ok(Scope::ANY));
    assert_eq!(confirm(&once, Bound::AtMost(1), full(&once, 2)), Ok(Scope::ANY), "the program is monotone");
    let forever = spawner(Count::Exactly(1), true);
    assert_eq!(confirm(&forever, Bound::Any, full(&forever, 4)), Ok(Scope::threads(4)));
    let why = confirm(&forever, Bound::AtMost(3), full(&forever, 4)).expect_err("another bound");
    assert!(why.contains("not for 3"), "{why}");
    let many = spawner(Count::Exactly(3), false);
    assert_eq!(
        confirm(&many, Bound::Any, full(&many, 2)),
        Ok(Scope::threads(2)),
        "three do not start at all"
    );
}

struct Calling {
    program: Program,
    flag: SharedId,
    result: LocalId,
    inner: LocalId,
}

/// `main: r := f(1); assert r; end`, `f(a): flag := *; return a`.
fn calling() -> Calling {
    let mut b = Builder::new();
    let flag = b.shared("flag", Init::Any);
    let (main, f) = (b.declare("main", 0), b.declare("f", 1));
    let result = b.local("r", LocalScope::Procedure(main), Init::Any);
    let inner = b.local("a", LocalScope::Procedure(f), Init::Any);
    b.params(f, vec![inner]);
    let (yes, star) = (b.exprs().constant(true), b.exprs().choice());
    let (r, a) = (b.exprs().var(Var::Local(result)), b.exprs().var(Var::Local(inner)));
    b.begin(main);
    let call = Op::Call { procedure: f, args: vec![yes], results: vec![Some(Var::Local(result))] };
    b.push(main, call, None);
    b.push(main, Op::Assert(r), None);
    b.end(main, None);
    b.begin(f);
    b.push(f, Op::assign(Var::Shared(flag), star), None);
    b.push(f, Op::Return(vec![a]), None);
    b.end(f, None);
    b.template(main, Count::AtLeast(1));
    Calling { program: b.finish().expect("the program is valid"), flag, result, inner }
}

/// The same set with some locals forgotten at some points.
fn forget(body: &Viewed<Reached>, forgotten: impl Fn(&ControlLocation, &LocalAt) -> bool) -> Viewed<Reached> {
    let mut less = body.clone();
    less.view.controls.iter_mut().for_each(|control| {
        let kept = control.kept.iter().filter(|it| !forgotten(control, it)).copied().collect();
        control.kept = kept;
    });
    let project = |thread: &ThreadView| {
        let control = &body.view.controls[thread.control];
        let values = control.kept.iter().zip(&thread.values).filter(|it| !forgotten(control, it.0));
        ThreadView { control: thread.control, values: values.map(|it| *it.1).collect() }
    };
    less.threads = body.threads.iter().map(project).collect();
    less.threads.sort();
    less.threads.dedup();
    let Reached { threads, states, .. } = &mut less.body;
    for state in states {
        let mut counts = BTreeMap::new();
        for &(thread, n) in &state.threads {
            let new = threads.binary_search(&project(&body.threads[thread])).expect("it is there");
            *counts.entry(new).or_insert(0) += n;
        }
        state.threads = counts.into_iter().collect();
    }
    less
}

#[test]
fn controls_are_call_strings() {
    let Calling { program, flag, result, inner } = calling();
    let all = full(&program, 2);
    assert!(all.view.controls.iter().any(|control| control.stack.len() == 2));
    assert_eq!(confirm(&program, Bound::AtMost(2), all.clone()), Ok(Scope::threads(2)));
    let kept = [Var::Local(result), Var::Local(inner)];
    assert_eq!(confirm(&program, Bound::AtMost(2), closed(&program, 2, &kept)), Ok(Scope::threads(2)));
    let kept = [Var::Shared(flag), Var::Local(result)];
    let why = confirm(&program, Bound::AtMost(2), closed(&program, 2, &kept)).expect_err("no proof");
    assert!(why.contains("may fail"), "{why}");
    // The caller's own variable is written by the return: it may be forgotten while the callee runs.
    let waits = |control: &ControlLocation, it: &LocalAt| control.stack.len() == 2 && it.local == result;
    let forgetful = forget(&full(&program, 1), waits);
    assert!(forgetful.threads.len() < full(&program, 1).threads.len());
    assert_eq!(confirm(&program, Bound::AtMost(1), forgetful), Ok(Scope::threads(1)));
}

#[test]
fn ill_formed_certificates_are_rejected() {
    let Calling { program, result, .. } = calling();
    let good = full(&program, 2);
    let deep = good.view.controls.iter().position(|it| it.stack.len() == 2).expect("there is a call");
    let check = |expected: &str, spoil: &dyn Fn(&mut Viewed<Reached>)| {
        let mut body = good.clone();
        spoil(&mut body);
        let why = confirm(&program, Bound::AtMost(2), body).expect_err(expected);
        assert!(why.contains(expected), "{why}");
    };
    check("unknown or listed twice", &|it| it.view.shared = vec![SharedId::from_index(7)]);
    check("unknown or listed twice", &|it| it.view.shared.push(it.view.shared[0]));
    check("no such location", &|it| it.view.controls[0].stack.clear());
    check("no such location", &|it| it.view.controls[0].stack[0] = Loc::from_index(99));
    check("no call", &|it| it.view.controls[deep].stack[0] = Loc::from_index(1));
    check("no call", &|it| it.view.controls[deep].stack[1] = Loc::from_index(0));
    check("not in scope", &|it| it.view.controls[0].kept[0].local = LocalId::from_index(99));
    check("not in scope", &|it| it.view.controls[0].kept[0].depth = 1);
    check("not in scope", &|it| it.view.controls[deep].kept[0] = LocalAt { depth: 1, local: result });
    check("listed twice", &|it| it.view.controls[0].kept.push(good.view.controls[0].kept[0]));
    check("same control location twice", &|it| it.view.controls.push(it.view.controls[0].clone()));
    check("no such control location", &|it| it.threads[0].control = 99);
    check("no such control location, or other values", &|it| it.threads[0].values.push(false));
    check("same thread twice", &|it| it.threads.push(good.threads[0].clone()));
    check("other shared values", &|it| it.states[0].shared.push(true));
    check("no such thread", &|it| it.states[0].threads.push((99, 1)));
    check("none of it", &|it| it.states[0].threads.push((good.threads.len() - 1, 0)));
    check("not in order", &|it| it.states[0].threads = vec![(1, 1), (0, 1)]);
    check("not in order", &|it| it.states[0].threads = vec![(0, 1), (0, 1)]);
    check("more threads than the bound", &|it| it.states[0].threads = vec![(0, 1), (1, u32::MAX)]);
    let net = common::nets::producer();
    let on_net = common::nets::task(&net, Bound::Any);
    assert!(check::certificate(&on_net, &certificate(good.clone()), &Budget::unlimited()).is_err());
}

#[test]
fn the_budget_stops_the_check() {
    let program = critical().program;
    let evidence = certificate(full(&program, 3));
    let answer = check::certificate(&task(&program, Scope::ANY), &evidence, &Budget::with_ticks(50));
    assert_eq!(answer, Err(Refused::Stopped(base::Stop::Ticks)));
}

/// Every multiset of threads over a few thread states.
#[test]
fn large_sets_are_checked() {
    let (program, main, shared, local) = chatter();
    let body = everything(&program, main, (shared, local), 12);
    assert!(body.states.len() > 10_000);
    let evidence = certificate(body);
    let answer = check::certificate(&task(&program, Scope::ANY), &evidence, &Budget::unlimited());
    assert_eq!(answer, Ok(Scope::threads(12)));
}

/// `x := *; g := x; goto first`, for any number of threads.
fn chatter() -> (Program, ProcId, SharedId, LocalId) {
    let mut b = Builder::new();
    let g = b.shared("g", Init::Any);
    let main = b.declare("main", 0);
    let x = b.local("x", LocalScope::Procedure(main), Init::Any);
    let (star, read) = (b.exprs().choice(), b.exprs().var(Var::Local(x)));
    b.begin(main);
    let first = b.push(main, Op::assign(Var::Local(x), star), None);
    b.push(main, Op::assign(Var::Shared(g), read), None);
    b.push(main, Op::Goto(vec![first]), None);
    b.end(main, None);
    b.template(main, Count::AtLeast(1));
    (b.finish().expect("the program is valid"), main, g, x)
}

/// All states with `n` threads in the first three locations of a procedure.
fn everything(
    program: &Program,
    main: ProcId,
    (shared, local): (SharedId, LocalId),
    n: u32,
) -> Viewed<Reached> {
    let at = |loc: Loc| ControlLocation {
        stack: vec![loc],
        inside: false,
        kept: vec![LocalAt { depth: 0, local }],
    };
    let controls: Vec<ControlLocation> = program.locations_of(main).take(3).map(at).collect();
    let threads: Vec<ThreadView> =
        (0..6).map(|index| ThreadView { control: index / 2, values: vec![index % 2 == 1] }).collect();
    let mut multisets: Vec<(Vec<(usize, u32)>, u32)> = vec![(vec![], n)];
    for thread in 0..6 {
        let with = |(multiset, left): (Vec<(usize, u32)>, u32)| {
            let least = if thread == 5 { left } else { 0 };
            (least..=left).map(move |k| {
                let more = if k > 0 { vec![(thread, k)] } else { vec![] };
                ([multiset.clone(), more].concat(), left - k)
            })
        };
        multisets = multisets.into_iter().flat_map(with).collect();
    }
    let both = multisets.into_iter().flat_map(|(threads, _)| {
        [false, true].map(|value| StateView {
            initialising: false,
            shared: vec![value],
            threads: threads.clone(),
        })
    });
    let view = View { shared: vec![shared], controls };
    Viewed { view, body: Reached { threads, states: both.collect(), bound: n } }
}

/// The example of the page on certificates is one.
#[test]
fn the_example_of_the_specification_is_confirmed() {
    let page = include_str!("../../../docs/formats/certificate.md");
    let lines = page.lines().map(str::trim_start).skip_while(|line| *line != ir::certificate::text::HEADER);
    let mut text: Vec<&str> = lines.clone().take_while(|line| *line != "end").collect();
    text.push("end");
    let evidence = ir::certificate::text::read(&text.join("\n")).expect("the example is of the form");
    let mut b = Builder::new();
    b.shared("g", Init::Fixed(false));
    let (main, f) = (b.declare("main", 0), b.declare("f", 0));
    b.local("x", LocalScope::Procedure(main), Init::Any);
    let never = b.exprs().constant(false);
    b.begin(main);
    b.push(main, Op::Start(Spawn::Call(f, vec![])), None);
    b.push(main, Op::Assume(never), None);
    b.end(main, None);
    b.begin(f);
    b.push(f, Op::Assume(never), None);
    b.end(f, None);
    b.template(main, Count::Exactly(1));
    let program = b.finish().expect("the program is valid");
    let requested = task(&program, Scope::ANY);
    assert_eq!(check::certificate(&requested, &evidence, &Budget::unlimited()), Ok(Scope::ANY));
    let names = ir::certificate::text::write(&evidence, &requested.model);
    assert_eq!(names, text.join("\n") + "\n");
}
