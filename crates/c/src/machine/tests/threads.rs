//! Threads, sections, the end of the program, evidence.

use super::super::{Choice, Machine, Options, Step};
use super::{MEMORY, PLAIN, SIGNALS, check, main, program, reached};
use crate::Value;

#[test]
fn threads_interleave() {
    check(
        PLAIN,
        "body main () { create t((add &x 0:b64)) a := load [x 0] branch (eq a 1:b32) then one error 1 one: error 0 }
         body t (arg) { store [*arg 0] := 1:b32 return }",
        &["one", "two"],
    );
}

#[test]
fn join_waits_and_gives_the_result() {
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h join h result p code a b := load [x 0]
                        assert (and (eq b 1:b32) (and (eq a 0:b32) (eq p 9:ptr))) property 0 halt }
         body t (arg) { store [x 0] := 1:b32 return with 9:ptr }",
        &[],
    );
    // An exit deep in calls is the same.
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h join h result p assert (eq p &y) property 0 halt }
         body t (arg) { call f(1:b32) return } body f (n) { exit with &y }",
        &[],
    );
}

#[test]
fn joining_oneself_or_nobody() {
    main(MEMORY, "h := me join h code a assert (eq a 35:b32) property 0 halt", &[]);
    let bad = "joining or detaching a thread that cannot be joined";
    main(MEMORY, "join 1:b64 halt", &[bad]);
    main(PLAIN, "join 1:b64 halt", &["stuck"]);
    main(MEMORY, "create t(0:ptr) handle h join h join h halt", &[bad]);
    // `main` may end first and be joined.
    check(
        MEMORY,
        "body main () { h := me store [handle 0] := h create t(0:ptr) exit with 4:ptr }
         body t (arg) { k := load [handle 0] join k result arg assert (eq arg 4:ptr) property 0 error 1 }",
        &["two"],
    );
}

#[test]
fn a_thread_is_detached_once_and_not_joined() {
    let bad = "joining or detaching a thread that cannot be joined";
    main(MEMORY, "create t(0:ptr) handle h detach h halt", &[]);
    main(MEMORY, "h := me detach h halt", &[]);
    main(PLAIN, "create t(0:ptr) handle h detach h join h error 1", &["stuck"]);
    for twice in ["detach h detach h", "detach h join h", "join h detach h", "detach 1:b64"] {
        main(MEMORY, &format!("create t(0:ptr) handle h {twice} halt"), &[bad]);
    }
    main(MEMORY, "h := me detach h detach h halt", &[bad]);
    // A thread that waits to join when another detaches waits for what never comes.
    check(
        MEMORY,
        "body main () { h := me store [handle 0] := h create t(0:ptr) detach h exit }
         body t (arg) { k := load [handle 0] join k halt }",
        &[bad],
    );
}

#[test]
fn handles_can_be_compared() {
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h create t(0:ptr) handle k assert (not (eq h k)) property 0
                        assert (not (eq h 0:b64)) property 1 join h join k halt }
         body t (arg) { k := me assert (not (eq k 0:b64)) property 2 return }",
        &[],
    );
}

#[test]
fn exit_of_main_lets_the_others_run() {
    check(PLAIN, "body main () { create t(0:ptr) exit } body t (arg) { error 0 }", &["one"]);
    check(PLAIN, "body main () { create t(0:ptr) return } body t (arg) { error 0 }", &["one"]);
}

#[test]
fn halt_ends_everybody() {
    check(PLAIN, "body main () { section begin create t(0:ptr) halt } body t (arg) { error 0 }", &[]);
    check(PLAIN, "body main () { create t(0:ptr) halt } body t (arg) { error 0 }", &["one"]);
}

#[test]
fn sections_exclude_others() {
    let bodies = |begin: &str, end: &str| {
        format!(
            "body main () {{ create t(0:ptr) handle h {begin} a := load [x 0] store [x 0] := (add a 1:b32) {end}
                             join h a := load [x 0] assert (eq a 2:b32) property 0 halt }}
             body t (arg) {{ {begin} a := load [x 0] store [x 0] := (add a 1:b32) {end} return }}"
        )
    };
    check(MEMORY, &bodies("section begin", "section end"), &[]);
    check(MEMORY, &bodies("", ""), &["one"]);
    // A begin inside a section adds nothing.
    check(MEMORY, &bodies("section begin section begin", "section end"), &[]);
}

#[test]
fn waiting_inside_a_section_stops_everybody() {
    check(
        PLAIN,
        "body main () { section begin create t(0:ptr) handle h join h halt } body t (arg) { error 0 }",
        &["stuck"],
    );
    check(
        PLAIN,
        "body main () { section begin create t(0:ptr) assume s halt } body t (arg) { error 0 }",
        &["stuck"],
    );
    // The end of a thread ends its section.
    check(PLAIN, "body main () { section begin create t(0:ptr) exit } body t (arg) { error 0 }", &["one"]);
}

#[test]
fn no_more_threads_than_the_bound() {
    let bodies =
        "body main () { create t(0:ptr) handle h create t(0:ptr) handle k error 0 } body t (arg) { return }";
    // The second is created once the first has ended, and at bound 1 none.
    let two = reached(&program(bodies), Options { threads: Some(2), ..PLAIN });
    assert_eq!(two.into_iter().collect::<Vec<_>>(), ["one"]);
    let one = reached(&program(bodies), Options { threads: Some(1), ..PLAIN });
    assert_eq!(one.into_iter().collect::<Vec<_>>(), ["stuck"]);
}

#[test]
fn thread_local_storage_belongs_to_the_thread() {
    check(
        MEMORY,
        "body main () { @tls := 1:b32 store [mine 0] := 1:b32 create t(&mine) handle h join h
                        call f(0:b32) result a assert (and (eq a 1:b32) (eq @tls 2:b32)) property 0
                        a := load [mine 0] assert (eq a 5:b32) property 1 halt }
         body t (arg) { assert (eq @tls 7:b32) property 2 @tls := 9:b32 a := load [mine 0] assert (eq a 3:b32) property 3
                        store [*arg 0] := 5:b32 return }
         body f (n) { n := @tls @tls := 2:b32 return with n }",
        &[],
    );
    // It ends with the thread.
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h join h result p a := load [*p 0] halt } body t (arg) { return with &mine }",
        &["use of an object outside its lifetime"],
    );
}

#[test]
fn assumptions_block_one_thread() {
    check(PLAIN, "body main () { create t(0:ptr) assume s error 1 } body t (arg) { error 0 }", &["one"]);
}

#[test]
fn a_loop_of_creations_returns_to_its_state() {
    check(
        PLAIN,
        "body main () { again: create t(0:ptr) handle h join h h := 0:b64 skip => again } body t (arg) { return }",
        &[],
    );
}

fn plain(thread: u32, state: &crate::State) -> Step {
    Step { thread, at: state.threads[&thread].loc(), choice: Choice::default() }
}

#[test]
fn traces_are_recorded_and_replayed() {
    let program = program(
        "body main () { create t(0:ptr) a := any store [x 0] := a call f(a) result b assert (eq b 0:b32) property 1 halt }
         body t (arg) { return } body f (n) { return with n }",
    );
    let machine = Machine::new(&program, PLAIN);
    let mut state = machine.start();
    let mut steps = vec![];
    for value in [None, Some(5), None, None, None] {
        let step = Step { choice: Choice { value, ..Choice::default() }, ..plain(0, &state) };
        state = machine.apply(&state, &step).expect("it is a step");
        steps.push(step);
    }
    let failure = machine.failure(&state).expect("the assertion is false");
    steps.push(failure.step);
    let trace = machine.record(&steps).expect("it is a run into an error");
    assert_eq!((trace.len(), trace.failure.clone()), (6, failure));
    assert_eq!(trace.steps[0].created, Some(1));
    assert_eq!(trace.steps[2].access.and_then(|access| access.written), Some(Value::Bits(5)));
    let returned = program.locals().enumerate().find(|(_, local)| local.name == "b").map(|(id, _)| id);
    assert_eq!(trace.steps[4].registers, [(returned.expect("`b` is there"), Value::Bits(5))]);
    let replay = machine.replay(&trace).expect("it is a run");
    assert_eq!((replay.states.len(), replay.threads), (6, 2));

    let mut other = trace.clone();
    other.steps[1].step.choice.value = Some(4);
    assert_eq!(machine.replay(&other).expect_err("another value").at, 1);
    let mut other = trace.clone();
    other.steps[0].step.thread = 1;
    assert_eq!(machine.replay(&other).expect_err("there is no thread 1 yet").at, 0);
    let mut other = trace.clone();
    other.steps.pop();
    assert!(machine.replay(&other).is_err());
    let mut other = trace.clone();
    other.failure.kind = super::super::FailureKind::Undefined(crate::Fault::BadFree);
    assert!(machine.replay(&other).is_err());
    assert!(Machine::new(&program, SIGNALS).replay(&trace).is_err());
    assert!(machine.record(&steps[..3]).is_err());
}

#[test]
fn choices_that_a_step_does_not_have_are_refused() {
    let program = program("body main () { skip a := any x: halt }");
    let machine = Machine::new(&program, PLAIN);
    let start = machine.start();
    let step = plain(0, &start);
    let with = |choice| machine.apply(&start, &Step { choice, ..step }).is_err();
    assert!(with(Choice { value: Some(0), ..Choice::default() }));
    assert!(with(Choice { fails: true, ..Choice::default() }));
    assert!(with(Choice { thread: Some(0), ..Choice::default() }));
    assert!(machine.apply(&start, &Step { thread: 3, ..step }).is_err());
    let after = machine.apply(&start, &step).expect("it is a step");
    assert!(machine.apply(&after, &step).is_err(), "the thread has gone on");
    assert!(machine.apply(&after, &plain(0, &after)).is_err(), "a number must be chosen");
    let large = Choice { value: Some(1 << 32), ..Choice::default() };
    assert!(machine.apply(&after, &Step { choice: large, ..plain(0, &after) }).is_err());
}
