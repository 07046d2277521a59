//! What each step becomes. That the commands cover the machine is tested where C can be read.

use super::{NoRelation, Outcome, Relation};
use base::{Budget, SourceMap};
use c::machine::Options;
use c::{Program, text};

const DECLARATIONS: &str = r#"pointer 64
layout 0 stride 4 { 0 b32 "" }
layout 1 stride 40 { 0 mutex 40 "" }
layout 2 stride 56 { 0 rwlock 56 "" }
layout 3 stride 48 { 0 cond 48 "" }
layout 4 stride 32 { 0 semaphore 32 "" }
layout 5 stride 4 { 0 once 4 "" }
layout 6 stride 8 { 0 ptr "" }
procedure main
procedure f => ptr
main main
object x static 0 * 1
object a static 0 * 2
object m static 1 * 1
object recursive static 1 * 1
object rw static 2 * 1
object c static 3 * 1
object sem static 4 * 1
object once static 5 * 1
object p static 6 * 1
object own of main 0 * 1
init recursive 0 = 2
local main::v b32 = 0
local main::w b32 = 0
local main::q ptr = 0
local main::h b64 = 0
local f::arg ptr = 0
local f::n b32 = 0
property "assert"
"#;

fn program(main: &str, f: &str) -> Program {
    let text = format!("{DECLARATIONS} body main () {{ {main} }} body f (arg) {{ {f} }}");
    let file = SourceMap::new().add("test.cir", text.clone());
    text::parse(&text, file).unwrap_or_else(|found| panic!("{:?}", found.into_sorted()))
}

fn relation(main: &str, f: &str) -> Relation {
    Relation::of(&program(main, f), &Options::default(), &Budget::with_ticks(100_000))
        .expect("it has a relation")
}

/// The commands of a program, each with the place where it begins.
fn check(main: &str, expected: &[&str]) {
    check_with(main, "return", expected);
}

fn check_with(main: &str, f: &str, expected: &[&str]) {
    let relation = relation(main, f);
    let show = |command: &super::Command| format!("{:?} {}", command.from, relation.show_command(command));
    let found: Vec<String> = relation.commands.iter().map(show).collect();
    assert_eq!(found, expected, "{relation}");
}

#[test]
fn the_size_of_an_object_is_any_number() {
    check(
        "v := sizeof q assert (eq v 4:b32) property 0 exit",
        &["c0 [!((?b32.0 == 4))] -> fail 0", "c0 [(?b32.0 == 4)] -> end"],
    );
}

#[test]
fn a_command_is_a_visible_step_and_what_follows() {
    check(
        "v := load [x 0] v := (add v 1:b32) store [x 0] := v assert (eq v 3:b32) property 0 exit",
        &["c0 [1] v := (x + 1) -> c1", "c1 [!((v == 3))] x := v -> fail 0", "c1 [(v == 3)] x := v -> end"],
    );
}

#[test]
fn what_waits_for_ever_was_seen_before() {
    check(
        "v := any store [x 0] := 1:b32 w := load [x 0] store [x 0] := v assume (eq v 2:b32) w := load [x 0] assert (eq w v) property 0 exit",
        &[
            "c0 [1] v := ?b32.0 -> c1",
            "c1 [1] x := 1 -> c2",
            "c2 [1] -> c3",
            "c3 [!((v == 2))] x := v -> end",
            "c3 [(v == 2)] x := v -> c4",
            "c4 [!((x == v))] -> fail 0",
            "c4 [(x == v)] -> end",
        ],
    );
}

#[test]
fn undefined_behaviour_is_no_command() {
    check(
        "v := load [x 0] w := load [x 0] v := (divu v w) assert (ltu v 9:b32) property 0 exit",
        &[
            "c0 [1] v := x -> c1",
            "c1 [(!((x == 0)) & !(((v /u x) <u 9)))] -> fail 0",
            "c1 [(!((x == 0)) & ((v /u x) <u 9))] -> end",
        ],
    );
}

#[test]
fn cycles_of_steps_that_nobody_sees_are_cut_once() {
    let relation =
        relation("loop: v := (add v 1:b32) branch (eq v 7:b32) then out skip => loop out: error 0", "return");
    assert_eq!(relation.controls.len(), 1, "{relation}");
    assert!(
        relation.commands.iter().any(|command| matches!(command.outcome, Outcome::Fail(_))),
        "{relation}"
    );
}

#[test]
fn an_index_is_a_case_split_and_out_of_bounds_nothing() {
    check(
        "v := any store [a at (shl (zext b64 v) 2:b8)] := 5:b32 w := load [a 4] assert (eq w 0:b32) property 0 exit",
        &[
            "c0 [1] v := ?b32.0 -> c1",
            "c1 [((zeroextend.b64(v) << 2) <=u 4)] a[1] := ite(((zeroextend.b64(v) << 2) == 4), 5, a[1]) -> c2",
            "c2 [!((a[1] == 0))] -> fail 0",
            "c2 [(a[1] == 0)] -> end",
        ],
    );
}

#[test]
fn a_pointer_may_point_to_what_has_an_address() {
    let relation = relation(
        "store [p 0] := &x q := load [p 0] store [*q 0] := 5:b32 v := load [x 0] assert (eq v 5:b32) property 0 exit",
        "return",
    );
    let text = relation.to_string();
    assert!(text.contains("[(4294967296 <=u q)] x := ite((q == 4294967296), 5, ite("), "{text}");
    assert!(text.contains("[1] p := 4294967296 -> c1"), "{text}");
}

#[test]
fn mutexes() {
    check(
        "sync lock [m 0] sync unlock [m 0] sync trylock [m 0] code v assert (eq v 16:b32) property 0 exit",
        &[
            "c0 [!(m.taken)] m.taken := 1, m.mine := 1 -> c1",
            "c1 [m.mine] m.taken := 0 -> c2",
            "c2 [!(m.taken)] m.taken := 1 -> fail 0",
            "c2 [m.taken] -> end",
        ],
    );
    check(
        "sync lock [recursive 0] sync lock [recursive 0] sync unlock [recursive 0] exit",
        &[
            "c0 [!(recursive.taken)] recursive.taken := 1, recursive.mine := 1 -> c1",
            "c0 [(recursive.taken & !((recursive.mine == 0)))] recursive.mine := ite((recursive.mine == -1), recursive.mine, (recursive.mine + 1)) -> c1",
            "c0 [((recursive.taken & !((recursive.mine == 0))) & (recursive.mine == -1))] -> c1",
            "c1 [!(recursive.taken)] recursive.taken := 1, recursive.mine := 1 -> c2",
            "c1 [(recursive.taken & !((recursive.mine == 0)))] recursive.mine := ite((recursive.mine == -1), recursive.mine, (recursive.mine + 1)) -> c2",
            "c1 [((recursive.taken & !((recursive.mine == 0))) & (recursive.mine == -1))] -> c2",
            "c2 [(recursive.mine == 1)] recursive.taken := 0 -> end",
            "c2 [(!((recursive.mine == 0)) & !((recursive.mine == 1)))] -> end",
            "c2 [(recursive.mine == 0)] -> end",
        ],
    );
}

#[test]
fn a_writer_waits_for_all_readers() {
    check(
        "sync rdlock [rw 0] sync rwunlock [rw 0] sync wrlock [rw 0] exit",
        &[
            "c0 [rw.writes] -> c1",
            "c0 [!(rw.writer)] rw.reads := ite((rw.reads == -1), rw.reads, (rw.reads + 1)) -> c1",
            "c0 [(!(rw.writer) & (rw.reads == -1))] -> c1",
            "c1 [rw.writes] rw.writer := 0, rw.writes := 0 -> c2",
            "c1 [(!((rw.reads == 0)) & !(rw.writes))] rw.reads := ite(((rw.reads == -1) & ?b1.0), rw.reads, (rw.reads + -1)) -> c2",
            "c2 [rw.writes] -> end",
            "c2 [!((rw.writer | !((rw.reads == 0)))); others (rw.reads == 0)] rw.writer := 1 -> end",
        ],
    );
}

#[test]
fn a_sleeper_wakes_in_a_second_step() {
    check(
        "sync lock [m 0] sync wait [m 0] [c 0] sync unlock [m 0] exit",
        &[
            "c0 [!(m.taken)] m.taken := 1, m.mine := 1 -> c1",
            "c1 [m.mine] m.taken := 0 -> c2",
            "c2 [!(m.taken)] m.taken := 1, m.mine := 1 -> c3",
            "c3 [m.mine] m.taken := 0 -> end",
        ],
    );
}

#[test]
fn semaphores_and_once() {
    check(
        "sync semwait [sem 0] sync post [sem 0] sync oncebegin [once 0] code v branch (eq v 0:b32) then out sync onceend [once 0] out: exit",
        &[
            "c0 [!((sem.value == 0))] sem.value := (sem.value + -1) -> c1",
            "c1 [(2147483647 <=u sem.value)] -> c2",
            "c1 [!((2147483647 <=u sem.value))] sem.value := (sem.value + 1) -> c2",
            "c2 [(once.once == 2)] -> end",
            "c2 [(once.once == 0)] once.once := 1 -> c3",
            "c3 [1] once.once := 2 -> end",
        ],
    );
}

#[test]
fn a_join_waits_for_the_thread_that_was_created_once() {
    check_with(
        "create f(0:ptr) handle h join h exit",
        "return with arg",
        &[
            "c0 [1] h := 17293822569102704641 create c2() -> c1",
            "c1 [((17293822569102704640 <=u h) & (!((h == 17293822569102704641)) | ended@l0))] -> c3",
            "c2 [1] ended@l0 := 1 -> end",
            "c3 [1] -> end",
        ],
    );
    // Where the handle is any of several, nobody waits.
    check_with(
        "loop: create f(0:ptr) handle h join h skip => loop",
        "return",
        &[
            "c0 [(17293822569102704641 <=u ?b64.0)] h := ?b64.0 create c2() -> c1",
            "c1 [(17293822569102704640 <=u h)] -> c0",
            "c2 [1] -> end",
        ],
    );
}

#[test]
fn sections_are_single_commands() {
    check(
        "section begin v := load [x 0] store [x 0] := (add v 1:b32) section end w := load [x 0] assert (eq w 1:b32) property 0 exit",
        &["c0 [1] x := (x + 1) -> c1", "c1 [!((x == 1))] -> fail 0", "c1 [(x == 1)] -> end"],
    );
}

#[test]
fn a_loop_in_a_section_keeps_the_others_waiting() {
    check(
        "section begin loop: v := load [x 0] branch (eq v 0:b32) then loop section end error 0",
        &["c0 [!(section)] section := 1 -> c1", "c1 [!((x == 0))] section := 0 -> fail 0"],
    );
}

#[test]
fn recursion_is_refused() {
    let recursive = program("call f(0:ptr) result q exit", "return with arg");
    let refused = Relation::of(&recursive, &Options::default(), &Budget::with_ticks(1_000));
    assert!(matches!(refused, Err(NoRelation::Unsupported(_))), "{refused:?}");
    let stopped = Relation::of(&program("exit", "return"), &Options::default(), &Budget::with_ticks(0));
    assert!(matches!(stopped, Err(NoRelation::Stopped(_))), "{stopped:?}");
}
