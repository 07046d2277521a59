//! The concrete way on programs made by hand: what it finds, with how many threads, and what it never claims.

#[path = "concrete/support.rs"]
mod support;

use base::{Budget, Event, Settings, Stop};
use c::{Machine, Options, Program};
use engines::concrete::{self, Request};
use ir::{Bound, ReasonKind, Verdict, Why};
use support::{read, run, run_within};

const HEAD: &str = r#"
pointer 64
layout 0 stride 4 { 0 b32 "" }
layout 1 stride 40 { 0 mutex 40 "" }
layout 2 stride 16 { 0 b32 ".value" 8 ptr ".next" }
layout 3 stride 8 { 0 ptr "" }
procedure main
procedure f
procedure g
procedure sum => b32
main main
object i static 0 * 1
object j static 0 * 1
object m static 1 * 1
object top static 3 * 1
init i 0 = 1
init j 0 = 1
property "it"
local main::a b32 = 0
local main::c b8 = 0
local main::h b64 = 0
local f::a b32 = 0
local f::b b32 = 0
local f::k b32 = 0
local f::p ptr = 0
local g::a b32 = 0
local g::b b32 = 0
local g::k b32 = 0
local sum::n b32 = 0
local sum::r b32 = 0
body sum (n) {
  branch (eq n 0:b32) then none
  call sum((sub n 1:b32)) result r
  return with (add n r)
  none: return with 0:b32
}
"#;

const NOTHING: &str = "body f () { return } body g () { return }";

fn program(main: &str, rest: &str) -> Program {
    read(&format!("{HEAD}\nbody main () {{ {main} }}\n{rest}"))
}

/// The threads alive in the trace, which must replay.
fn threads(program: &Program, machine: Options) -> u32 {
    let outcome = run(program, machine, &[]);
    let Verdict::Unsafe(trace) = outcome.verdict else { panic!("{:?}", outcome.verdict) };
    Machine::new(program, machine).replay(&trace).expect("traces replay").threads
}

/// How many states are stored.
fn states(program: &Program, reduction: &str) -> u64 {
    let mut settings = Settings::default();
    settings.set(&[concrete::SETTINGS], "concrete.reduction", reduction).expect("the option exists");
    let mut events: Vec<Event> = vec![];
    let request = Request { program, machine: Options::default(), settings: &settings, tolerated: None };
    let outcome = concrete::search(request, &Budget::unlimited(), &mut events);
    assert!(matches!(outcome.verdict, Verdict::Safe { .. }), "{:?}", outcome.verdict);
    let found = events.iter().find_map(|event| match event {
        Event::Counter { name: "states", value, .. } => Some(*value),
        _ => None,
    });
    found.expect("states are counted")
}

/// Two threads, `i += j` and `j += i`, this many times each; main says that neither passes a bound.
fn fibonacci(times: u32, bound: u32) -> Program {
    program(
        &format!(
            "create f() create g() a := load [i 0] assert (leu a {bound}:b32) property 0
             a := load [j 0] assert (leu a {bound}:b32) property 0 halt"
        ),
        &format!(
            "body f () {{ again: branch (leu {times}:b32 k) then out a := load [i 0] b := load [j 0]
               store [i 0] := (add a b) k := (add k 1:b32) => again out: return }}
             body g () {{ more: branch (leu {times}:b32 k) then done a := load [j 0] b := load [i 0]
               store [j 0] := (add a b) k := (add k 1:b32) => more done: return }}"
        ),
    )
}

#[test]
fn fibonacci_is_decided() {
    assert!(matches!(run(&fibonacci(3, 21), Options::default(), &[]).verdict, Verdict::Safe { .. }));
    assert_eq!(threads(&fibonacci(3, 20), Options::default()), 3);
}

#[test]
fn errors_come_with_few_threads() {
    let many = "create f() create f() create f() create f() halt";
    let counting = "body f () { a := load [i 0] store [i 0] := (add a 1:b32) b := load [i 0]
                    assert (eq b (add a 1:b32)) property 0 return } body g () { return }";
    assert_eq!(threads(&program(many, counting), Options::default()), 3);
}

#[test]
fn any_number_of_threads_is_never_proved_by_some() {
    let endless = program(
        "again: create f() skip => again",
        "body f () { sync lock [m 0] a := load [i 0] store [i 0] := 2:b32 store [i 0] := 1:b32
         assert (eq a 1:b32) property 0 sync unlock [m 0] return } body g () { return }",
    );
    let outcome = run_within(&endless, Options::default(), &[], 40_000);
    assert!(matches!(outcome.verdict, Verdict::Unknown(Why::Stopped(Stop::Ticks))), "{:?}", outcome.verdict);
    assert!(outcome.best >= Some(3), "{:?}", outcome.best);
    let bounded = Options { threads: Some(3), ..Options::default() };
    match run(&endless, bounded, &[]).verdict {
        Verdict::Safe { scope, .. } => assert_eq!(scope.threads, Bound::AtMost(3)),
        other => panic!("{other:?}"),
    }
    let few = run(&endless, Options::default(), &[("concrete.most_threads", "4")]);
    assert!(matches!(few.verdict, Verdict::Unknown(Why::OutOfScope(_))), "{:?}", few.verdict);
    assert_eq!(few.best, Some(4));
}

#[test]
fn values_that_were_not_tried_prove_nothing() {
    let reason = |program: &Program| match run(program, Options::default(), &[]).verdict {
        Verdict::Unknown(Why::Because(reason)) => Some(reason.kind),
        _ => None,
    };
    // A constant of the program and its neighbours are tried; the root of one is not.
    let constant = program("a := any assert (not (eq a 12344:b32)) property 0 a := 12345:b32 halt", NOTHING);
    assert_eq!(threads(&constant, Options::default()), 1);
    let root = program("a := any assert (not (eq (mul a a) 1522756:b32)) property 0 halt", NOTHING);
    assert_eq!(reason(&root), Some(ReasonKind::Bound));
    let small = program("c := any assert (not (eq (mul c c) 3:b8)) property 0 halt", NOTHING);
    assert!(matches!(run(&small, Options::default(), &[]).verdict, Verdict::Safe { .. }));
    let found = program("c := any assert (not (eq (mul c c) 49:b8)) property 0 halt", NOTHING);
    assert_eq!(threads(&found, Options::default()), 1);
}

#[test]
fn calls_are_followed() {
    let deep = |depth: u32, expected: u32| {
        program(
            &format!("call sum({depth}:b32) result a assert (eq a {expected}:b32) property 0 halt"),
            NOTHING,
        )
    };
    assert!(matches!(run(&deep(300, 45150), Options::default(), &[]).verdict, Verdict::Safe { .. }));
    assert_eq!(threads(&deep(300, 45151), Options::default()), 1);
    let cut = run(&deep(300, 45150), Options::default(), &[("concrete.calls", "20")]);
    assert!(matches!(cut.verdict, Verdict::Unknown(_)), "{:?}", cut.verdict);
}

#[test]
fn what_is_not_supported_counts_only_if_reached() {
    let reached = program("create f() refuse \"asm\"", NOTHING);
    match run(&reached, Options::default(), &[]).verdict {
        Verdict::Unknown(Why::Because(reason)) => {
            assert_eq!((reason.kind, reason.message.as_str()), (ReasonKind::Unsupported, "asm"));
        }
        other => panic!("{other:?}"),
    }
    let behind = program("assume (eq a 1:b32) refuse \"asm\"", NOTHING);
    assert!(matches!(run(&behind, Options::default(), &[]).verdict, Verdict::Safe { .. }));
    let both = program("create f() refuse \"asm\"", "body f () { skip error 0 } body g () { return }");
    assert_eq!(threads(&both, Options::default()), 2);
}

#[test]
fn critical_sections_and_own_objects_are_one_step() {
    let locked = program(
        "create f() create f() halt",
        "body f () { sync lock [m 0] a := load [i 0] store [i 0] := (add a 1:b32) b := load [i 0]
         assert (eq b (add a 1:b32)) property 0 sync unlock [m 0] return } body g () { return }",
    );
    let (with, without) = (states(&locked, "on"), states(&locked, "off"));
    assert!(with * 5 < without, "{with} states, {without} without reduction");
    let own = program(
        "create f() create f() halt",
        "body f () { p := alloc 2 * 1:b64 store [*p 0] := 7:b32 store [*p 8] := 0:ptr a := load [*p 0]
         assert (eq a 7:b32) property 0 store [top 0] := p return } body g () { return }",
    );
    let (with, without) = (states(&own, "on"), states(&own, "off"));
    assert!(with * 5 < without, "{with} states, {without} without reduction");
}

#[test]
fn names_without_meaning_are_forgotten() {
    // A loop that allocates and frees comes back to its state, and so does one that creates and joins.
    let again = program(
        "again: create f() handle h join h code a assert (eq a 0:b32) property 0 skip => again",
        "body f () { p := alloc 2 * 1:b64 free p return } body g () { return }",
    );
    match run_within(&again, Options::default(), &[], 100_000).verdict {
        Verdict::Safe { scope, .. } => assert_eq!(scope.threads, Bound::Any),
        other => panic!("{other:?}"),
    }
}
