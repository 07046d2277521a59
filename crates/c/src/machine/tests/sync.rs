//! Synchronisation objects.

use super::{MEMORY, PLAIN, SIGNALS, check, main};

#[track_caller]
fn is_undefined(body: &str, fault: &str) {
    main(PLAIN, &format!("{body} error 0"), &["stuck"]);
    main(MEMORY, &format!("{body} error 0"), &[fault]);
}

const NOT_HELD: &str = "unlocking a lock that is not held";
const NOT_INITIALISED: &str = "use of a synchronisation object that is not initialised";

/// Two threads with this body; property 0 fails if both are inside `enter`…`leave` at once.
fn both_inside(enter: &str, leave: &str) -> String {
    let inside = format!(
        "{enter} a := rmw [x 0] := (add a 1:b32) assert (eq a 0:b32) property 0 a := rmw [x 0] := (sub a 1:b32) {leave}"
    );
    format!("body main () {{ create t(0:ptr) {inside} exit }} body t (arg) {{ {inside} return }}")
}

#[test]
fn a_mutex_excludes() {
    check(PLAIN, &both_inside("", ""), &["one"]);
    check(PLAIN, &both_inside("sync lock [m 0] code b", "sync unlock [m 0]"), &[]);
    check(
        MEMORY,
        &both_inside("sync timedlock [m 0] code b assume (eq b 0:b32)", "sync unlock [m 0]"),
        &["stuck"],
    );
    check(
        PLAIN,
        &both_inside("sync trylock [m 0] code b assume (eq b 0:b32)", "sync unlock [m 0]"),
        &["stuck"],
    );
}

#[test]
fn a_normal_mutex_locked_twice_waits_for_ever() {
    main(MEMORY, "sync lock [m 0] sync lock [m 0] error 0", &["stuck"]);
    main(MEMORY, "sync init mutex normal [m 0] sync lock [m 0] sync lock [m 0] error 0", &["stuck"]);
    main(MEMORY, "sync lock [m 0] sync trylock [m 0] code a assert (eq a 16:b32) property 0 halt", &[]);
    main(
        MEMORY,
        "sync lock [m 0] sync timedlock [m 0] code a assert (eq a 110:b32) property 0 error 1",
        &["two"],
    );
    main(MEMORY, "sync timedlock [m 0] code a assert (eq a 0:b32) property 0 error 1", &["two"]);
    main(
        MEMORY,
        "sync lock [m 0] sync unlock [m 0] code a assert (eq a 0:b32) property 0 sync lock [m 0] error 1",
        &["two"],
    );
}

#[test]
fn a_recursive_mutex_counts() {
    let init = "sync init mutex recursive [m 0]";
    main(
        MEMORY,
        &format!("{init} sync lock [m 0] sync lock [m 0] code a assert (eq a 0:b32) property 0 sync trylock [m 0] code a
                  assert (eq a 0:b32) property 0 sync unlock [m 0] sync unlock [m 0] sync unlock [m 0] sync unlock [m 0] code a
                  assert (eq a 1:b32) property 0 halt"),
        &[],
    );
    // The other thread gets it only when the count is back at 0.
    check(
        MEMORY,
        &format!("body main () {{ {init} sync lock [m 0] sync lock [m 0] create t(0:ptr) sync unlock [m 0] store [x 0] := 1:b32
                  sync unlock [m 0] exit }} body t (arg) {{ sync lock [m 0] a := load [x 0] assert (eq a 1:b32) property 0 error 1 }}"),
        &["two"],
    );
}

#[test]
fn an_errorcheck_mutex_tells() {
    let init = "sync init mutex errorcheck [m 0]";
    main(
        MEMORY,
        &format!("{init} sync lock [m 0] sync lock [m 0] code a assert (eq a 35:b32) property 0 halt"),
        &[],
    );
    main(
        MEMORY,
        &format!("{init} sync lock [m 0] sync timedlock [m 0] code a assert (eq a 35:b32) property 0 halt"),
        &[],
    );
    main(
        MEMORY,
        &format!("{init} sync lock [m 0] sync trylock [m 0] code a assert (eq a 16:b32) property 0 halt"),
        &[],
    );
    main(MEMORY, &format!("{init} sync unlock [m 0] code a assert (eq a 1:b32) property 0 halt"), &[]);
    main(MEMORY, &format!("{init} sync wait [m 0] [c 0] code a assert (eq a 1:b32) property 0 halt"), &[]);
}

#[test]
fn only_the_holder_unlocks() {
    is_undefined("sync unlock [m 0]", NOT_HELD);
    is_undefined("sync wait [m 0] [c 0]", NOT_HELD);
    check(
        MEMORY,
        "body main () { sync lock [m 0] create t(0:ptr) exit } body t (arg) { sync unlock [m 0] return }",
        &[NOT_HELD],
    );
    // A thread that ends keeps its lock.
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h join h sync lock [m 0] error 0 } body t (arg) { sync lock [m 0] return }",
        &["stuck"],
    );
}

#[test]
fn objects_must_be_initialised() {
    is_undefined("p := alloc 2 * 1:b64 sync lock [*p 0]", NOT_INITIALISED);
    main(MEMORY, "p := alloc 2 * 1:b64 sync init mutex normal [*p 0] sync lock [*p 0] error 0", &["one"]);
    is_undefined("sync destroymutex [m 0] sync lock [m 0]", NOT_INITIALISED);
    is_undefined("sync arrive [bar 0]", NOT_INITIALISED);
    main(PLAIN, "sync lock [m 0] sync destroymutex [m 0] code a assert (eq a 16:b32) property 0 halt", &[]);
    let in_use = "initialising or destroying a synchronisation object that is in use";
    main(MEMORY, "sync lock [m 0] sync destroymutex [m 0] halt", &[in_use]);
    is_undefined("sync lock [m 0] sync init mutex normal [m 0]", in_use);
}

#[test]
fn readers_share_and_writers_do_not() {
    check(PLAIN, &both_inside("sync rdlock [rw 0]", "sync rwunlock [rw 0]"), &["one"]);
    check(PLAIN, &both_inside("sync wrlock [rw 0]", "sync rwunlock [rw 0]"), &[]);
    let mixed = "body main () { create t(0:ptr) sync wrlock [rw 0] store [x 0] := 1:b32 store [x 0] := 0:b32 sync rwunlock [rw 0] exit }
                 body t (arg) { sync rdlock [rw 0] a := load [x 0] assert (eq a 0:b32) property 0 sync rwunlock [rw 0] return }";
    check(MEMORY, mixed, &[]);
    check(
        MEMORY,
        &mixed.replace("sync rdlock [rw 0]", "sync tryrdlock [rw 0] code b assume (eq b 0:b32)"),
        &["stuck"],
    );
}

#[test]
fn a_read_write_lock_tells() {
    main(MEMORY, "sync wrlock [rw 0] sync rdlock [rw 0] code a assert (eq a 35:b32) property 0 halt", &[]);
    main(MEMORY, "sync wrlock [rw 0] sync wrlock [rw 0] code a assert (eq a 35:b32) property 0 halt", &[]);
    main(MEMORY, "sync wrlock [rw 0] sync trywrlock [rw 0] code a assert (eq a 16:b32) property 0 halt", &[]);
    main(MEMORY, "sync wrlock [rw 0] sync tryrdlock [rw 0] code a assert (eq a 16:b32) property 0 halt", &[]);
    // One's own read locks keep one from writing, until the last is given back.
    main(
        MEMORY,
        "sync rdlock [rw 0] sync rdlock [rw 0] sync rwunlock [rw 0]
         sync trywrlock [rw 0] code a assert (eq a 16:b32) property 0
         sync timedwrlock [rw 0] code a assert (eq a 110:b32) property 0
         sync rwunlock [rw 0] sync wrlock [rw 0] code a assert (eq a 0:b32) property 0
         sync rwunlock [rw 0] sync rwunlock [rw 0] halt",
        &[NOT_HELD],
    );
    main(MEMORY, "sync rdlock [rw 0] sync wrlock [rw 0] error 1", &["stuck"]);
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h join h sync timedwrlock [rw 0] code a assert (eq a 110:b32) property 0
                        sync trywrlock [rw 0] code a assert (eq a 16:b32) property 0 sync rdlock [rw 0] error 1 }
         body t (arg) { sync rdlock [rw 0] return }",
        &["two"],
    );
    check(
        MEMORY,
        "body main () { create t(0:ptr) handle h join h sync wrlock [rw 0] error 1 } body t (arg) { sync rdlock [rw 0] return }",
        &["stuck"],
    );
}

/// Waits on a condition for x, which the other thread sets before it signals.
const WAITER: &str =
    "body main () { create t(0:ptr) sync lock [m 0] again: a := load [x 0] branch (eq a 1:b32) then done
       sync wait [m 0] [c 0] => again done: sync unlock [m 0] exit }";

#[test]
fn a_signal_wakes_a_sleeper() {
    let good = format!(
        "{WAITER} body t (arg) {{ sync lock [m 0] store [x 0] := 1:b32 sync unlock [m 0] sync signal [c 0] return }}"
    );
    check(SIGNALS, &good, &[]);
    check(PLAIN, &good, &[]);
    // Without the lock the signal can be lost; a spurious wake-up would help.
    let bad = format!("{WAITER} body t (arg) {{ store [x 0] := 1:b32 sync signal [c 0] return }}");
    check(SIGNALS, &bad, &["stuck"]);
    check(PLAIN, &bad, &[]);
}

#[test]
fn sleepers_wake_by_themselves_only_if_that_is_allowed() {
    let body = "sync lock [m 0] sync wait [m 0] [c 0] code a assert (eq a 0:b32) property 0 error 1";
    main(PLAIN, body, &["two"]);
    main(SIGNALS, body, &["stuck"]);
    // The mutex is free while it sleeps and taken when it wakes.
    check(
        PLAIN,
        "body main () { create t(0:ptr) sync lock [m 0] sync wait [m 0] [c 0] a := load [x 0] a := load [x 0] sync unlock [m 0] exit }
         body t (arg) { sync lock [m 0] store [x 0] := 1:b32 store [x 0] := 0:b32 sync unlock [m 0] return }",
        &[],
    );
}

/// Two sleepers, of which each that wakes adds one to x; `main` waits until both sleep (y counts them under
/// the mutex).
fn two_sleepers(wake: &str) -> String {
    format!(
        "body main () {{ create t(0:ptr) handle h create t(0:ptr) handle k
             again: sync lock [m 0] a := load [y 0] sync unlock [m 0] branch (ltu a 2:b32) then again
             sync lock [m 0] {wake} sync unlock [m 0] join h join k error 0 }}
         body t (arg) {{ sync lock [m 0] a := load [y 0] store [y 0] := (add a 1:b32) sync wait [m 0] [c 0]
             a := load [x 0] store [x 0] := (add a 1:b32) sync unlock [m 0] branch (eq a 0:b32) then first error 1
             first: return }}"
    )
}

#[test]
fn signal_wakes_one_and_broadcast_all() {
    check(SIGNALS, &two_sleepers("sync signal [c 0]"), &["stuck"]);
    check(SIGNALS, &two_sleepers("sync signal [c 0] sync signal [c 0]"), &["two"]);
    check(SIGNALS, &two_sleepers("sync broadcast [c 0]"), &["two"]);
    check(SIGNALS, &two_sleepers("skip"), &["stuck"]);
}

#[test]
fn a_timed_wait_may_give_up() {
    let body = "sync lock [m 0] sync timedwait [m 0] [c 0] code a branch (eq a 110:b32) then late error 0 late: sync unlock [m 0] error 1";
    main(SIGNALS, body, &["two"]);
    main(PLAIN, body, &["one", "two"]);
}

#[test]
fn a_recursive_mutex_is_given_back_once_by_a_wait() {
    let inner = "sync init mutex recursive [m 0] sync lock [m 0] create t(0:ptr) sync wait [m 0] [c 0] sync unlock [m 0] exit";
    check(PLAIN, &format!("body main () {{ {inner} }} body t (arg) {{ sync lock [m 0] error 0 }}"), &["one"]);
    let twice = inner.replacen("sync lock [m 0]", "sync lock [m 0] sync lock [m 0]", 1);
    check(
        SIGNALS,
        &format!("body main () {{ {twice} }} body t (arg) {{ sync lock [m 0] error 0 }}"),
        &["stuck"],
    );
}

#[test]
fn a_barrier_lets_all_pass_together() {
    // Nobody passes before both have written; exactly one is told that it is the one.
    check(
        MEMORY,
        "body main () { sync init barrier 2:b32 [bar 0] code a assert (eq a 0:b32) property 0 create t(0:ptr) handle h
             store [x 0] := 1:b32 sync arrive [bar 0] code a b := load [y 0] assert (eq b 1:b32) property 1
             join h result p assert (not (eq p (cast ptr (sext b64 a)))) property 2
             branch (eq a -1:b32) then serial assert (eq a 0:b32) property 3 halt serial: halt }
         body t (arg) { store [y 0] := 1:b32 sync arrive [bar 0] code a b := load [x 0] assert (eq b 1:b32) property 1
             return with (cast ptr (sext b64 a)) }",
        &[],
    );
    let which = |sign: &str| {
        format!(
            "body main () {{ sync init barrier 2:b32 [bar 0] create t(0:ptr) sync arrive [bar 0] code a assume (eq a {sign}:b32) error 0 }}
             body t (arg) {{ sync arrive [bar 0] assume s return }}"
        )
    };
    check(MEMORY, &which("0"), &["one", "stuck"]);
    check(MEMORY, &which("-1"), &["one", "stuck"]);
}

#[test]
fn a_barrier_can_be_used_again() {
    check(
        MEMORY,
        "body main () { sync init barrier 2:b32 [bar 0] create t(0:ptr) sync arrive [bar 0] store [x 0] := 1:b32 sync arrive [bar 0] exit }
         body t (arg) { sync arrive [bar 0] sync arrive [bar 0] a := load [x 0] assert (eq a 1:b32) property 0 return }",
        &[],
    );
    main(MEMORY, "sync init barrier 0:b32 [bar 0] code a assert (eq a 22:b32) property 0 halt", &[]);
    main(
        MEMORY,
        "sync init barrier 1:b32 [bar 0] sync arrive [bar 0] code a assert (eq a -1:b32) property 0 error 1",
        &["two"],
    );
    main(MEMORY, "sync init barrier 2:b32 [bar 0] sync arrive [bar 0] error 0", &["stuck"]);
}

#[test]
fn a_semaphore_counts() {
    let init = "sync init semaphore 1:b32 [sem 0] code a assert (eq a 0:b32) property 0";
    main(MEMORY, &format!("{init} sync semwait [sem 0] sync semwait [sem 0] error 1"), &["stuck"]);
    main(
        MEMORY,
        &format!("{init} sync post [sem 0] sync semwait [sem 0] sync semwait [sem 0] error 1"),
        &["two"],
    );
    main(
        MEMORY,
        &format!("{init} sync trysemwait [sem 0] code a assert (eq a 0:b32) property 1 sync trysemwait [sem 0] code a
                  assert (eq a 11:b32) property 1 sync timedsemwait [sem 0] code a assert (eq a 110:b32) property 1
                  sync post [sem 0] sync semvalue [sem 0] code a assert (eq a 1:b32) property 1 error 2"),
        &["three"],
    );
    main(MEMORY, "sync init semaphore -1:b32 [sem 0] code a assert (eq a 22:b32) property 0 halt", &[]);
    main(
        MEMORY,
        "sync init semaphore 2147483647:b32 [sem 0] sync post [sem 0] code a assert (eq a 75:b32) property 0 halt",
        &[],
    );
    // It may be given by another thread than the one that took it.
    check(
        MEMORY,
        "body main () { create t(0:ptr) sync semwait [sem 0] error 0 } body t (arg) { sync post [sem 0] return }",
        &["one"],
    );
}

#[test]
fn once_runs_once_and_others_wait() {
    let once = "sync oncebegin [once 0] code b branch (eq b 0:b32) then done a := load [x 0] store [x 0] := (add a 1:b32)
                sync onceend [once 0] done: a := load [x 0] assert (eq a 1:b32) property 0";
    check(
        MEMORY,
        &format!("body main () {{ create t(0:ptr) {once} exit }} body t (arg) {{ {once} return }}"),
        &[],
    );
    main(MEMORY, "sync oncebegin [once 0] sync oncebegin [once 0] error 0", &["stuck"]);
}

#[test]
fn locks_and_sleepers_are_renamed_with_their_objects() {
    // The first allocation is dropped, so that the second gets another number while it is held or slept on.
    main(
        MEMORY,
        "p := alloc 0 * 1:b64 q := alloc 2 * 1:b64 sync init mutex errorcheck [*q 0] sync lock [*q 0] p := 0:ptr
         sync lock [*q 0] code a assert (eq a 35:b32) property 0 sync unlock [*q 0] code a assert (eq a 0:b32) property 1 halt",
        &[],
    );
    check(
        SIGNALS,
        "body main () { p := alloc 0 * 1:b64 store [handle 0] := p p := 0:ptr q := alloc 4 * 1:b64 sync init cond [*q 0]
                        sync lock [m 0] create t(q) sync wait [m 0] [*q 0] error 0 }
         body t (arg) { sync lock [m 0] store [handle 0] := 0:ptr sync signal [*arg 0] sync unlock [m 0] return }",
        &["one"],
    );
}
