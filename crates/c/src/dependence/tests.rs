//! What runs depend on; and, on random programs, that a run goes the same way whatever else is chosen where
//! it depends on nothing.

use super::dependence;
use crate::{Choice, Machine, Op, Options, Program, Refusal, State, Step, Trace, text};
use base::{Random, SourceMap};

const PRELUDE: &str = r#"
pointer 64
layout 0 stride 4 { 0 b32 "" }
layout 1 stride 40 { 0 mutex 40 "" }
procedure main
procedure t => ptr
procedure f => b32
main main
object x static 0 * 1
object y static 0 * 1
object array static 0 * 4
object m static 1 * 2
local @tls b32 = 0
local main::a b32 = 0
local main::b b32 = 0
local main::s b1 = 0
local main::p ptr = 0
local main::h b64 = 0
local t::arg ptr = 0
local t::a b32 = 0
local t::b b32 = 0
local f::n b32 = 0
local f::r b32 = 0
property "it"
origin external "probe"
origin approximation "sqrt"
"#;

const REST: &str = "body t (arg) { return with arg } body f (n) { r := (add n 1:b32) return with r }";

fn read(text: &str) -> Program {
    let file = SourceMap::new().add("test.cir", text);
    text::parse(text, file).unwrap_or_else(|found| panic!("{:?}\n{text}", found.into_sorted()))
}

/// A run that always steps the last thread that can, with 1 for every number.
fn run(machine: &Machine<'_>) -> Trace {
    let mut state = machine.start();
    let mut steps = vec![];
    for _ in 0..1_000 {
        let mut candidates = machine.candidates(&state, &[1]);
        candidates.reverse();
        let Some(step) = candidates
            .into_iter()
            .find(|step| !matches!(machine.apply(&state, step), Err(Refusal::Blocked(_))))
        else {
            break;
        };
        steps.push(step);
        match machine.apply(&state, &step) {
            Ok(after) => state = after,
            Err(_) => break,
        }
    }
    machine.record(&steps).unwrap_or_else(|why| panic!("{why:?}"))
}

/// The functions that the run of a program depends on.
fn of(main: &str) -> Vec<String> {
    let program = read(&format!("{PRELUDE} body main () {{ {main} }} {REST}"));
    let machine = Machine::new(&program, Options { faults: crate::Faults::ALL, ..Options::default() });
    let trace = run(&machine);
    let found = dependence(&machine, &trace);
    found.iter().map(|it| program.origins()[it.origin].function.clone()).collect()
}

#[test]
fn conditions_addresses_and_operands_count() {
    for main in [
        "a := any from 0 branch (eq a 1:b32) then e halt e: error 0",
        "a := any from 0 assume (eq a 1:b32) error 0",
        "a := any from 0 assert (eq a 0:b32) property 0 halt",
        "a := any from 0 b := load [array at (zext b64 (shl a 2:b32))] error 0",
        "a := any from 0 store [array at (zext b64 (shl a 2:b32))] := 1:b32 error 0",
        "a := any from 0 b := (divu 7:b32 a) error 0",
        "a := any from 0 b := (shl 7:b32 a) error 0",
        "a := any from 0 p := alloc 0 * (zext b64 a) error 0",
        "a := any from 0 create t((cast ptr (zext b64 a))) error 0",
        "p := any from 0 free p halt",
        "p := any from 0 a := load [*p 0] halt",
        "a := any from 0 store [x 0] := a b := rmw [x 0] := 5:b32 if (eq b 1:b32) error 0",
        "a := any from 0 sync init mutex normal [m 0] h := (zext b64 (sub a 1:b32)) p := (add &m h) sync lock [*p 0] error 0",
    ] {
        assert_eq!(of(main), ["probe"], "{main}");
    }
}

#[test]
fn marks_go_with_values() {
    for main in [
        "a := any from 0 b := (add a 3:b32) store [x 0] := b a := 0:b32 b := load [x 0] assume (eq b 4:b32) error 0",
        "a := any from 0 call f(a) result b a := 0:b32 assume (eq b 2:b32) error 0",
        "a := any from 0 @tls := a a := 0:b32 assume (eq @tls 1:b32) error 0",
        "a := any from 0 store [x 0] := a b := rmw [x 0] := (add b 1:b32) a := 0:b32 b := 0:b32 a := load [x 0] \
         assume (eq a 2:b32) error 0",
    ] {
        assert_eq!(of(main), ["probe"], "{main}");
    }
    let joined = "create t(0:ptr) handle h join h result p assume (eq p 0:ptr) error 0";
    let program = read(&format!(
        "{PRELUDE} body main () {{ {joined} }} body t (arg) {{ a := any from 1 a := (sub a 1:b32) \
         return with (cast ptr (zext b64 a)) }} body f (n) {{ return with n }}"
    ));
    let machine = Machine::new(&program, Options::default());
    let found = dependence(&machine, &run(&machine));
    assert_eq!(found.len(), 1);
    assert_eq!(program.origins()[found[0].origin].function, "sqrt");
}

#[test]
fn what_is_only_carried_does_not_count() {
    for main in [
        "a := any from 0 error 0",
        "a := any from 0 store [x 0] := a b := load [x 0] @tls := b error 0",
        "a := any from 0 a := 7:b32 assume (eq a 7:b32) error 0",
        "a := any from 0 store [x 0] := a store [x 0] := 3:b32 b := load [x 0] assume (eq b 3:b32) error 0",
        "a := any from 0 b := (divu a 3:b32) error 0",
        "a := any assume (eq a 1:b32) error 0",
        "a := any from 0 call f(a) result b error 0",
        "a := any from 0 b := rmw [x 0] := a b := 0:b32 assume (eq b 0:b32) error 0",
    ] {
        assert!(of(main).is_empty(), "{main}");
    }
}

/// A body of random steps over the registers `a` and `b` of a procedure, with jumps forward only.
fn body(random: &mut Random, length: usize) -> String {
    let mut text = String::new();
    for at in 0..length {
        let (to, from) = if random.below(2) == 0 { ("a", "b") } else { ("b", "a") };
        let cell = ["[x 0]", "[y 0]", "[array 4]"][random.below(3)];
        let number = random.below(3);
        text += &match random.below(10) {
            0 | 1 => format!("l{at}: {to} := any 0..2 unsigned from {}\n", random.below(2)),
            2 => format!("l{at}: {to} := (add {from} {number}:b32)\n"),
            3 => format!("l{at}: {to} := {number}:b32\n"),
            4 | 5 => format!("l{at}: store {cell} := {to}\n"),
            6 => format!("l{at}: {to} := load {cell}\n"),
            7 => {
                let target = at + 1 + random.below(length - at);
                format!("l{at}: branch (ltu {to} {number}:b32) then l{target}\n")
            }
            8 => format!("l{at}: {to} := rmw {cell} := (xor {to} {number}:b32) if (ltu {to} 2:b32)\n"),
            _ => format!("l{at}: {to} := (remu {from} {}:b32)\n", number + 1),
        };
    }
    text
}

fn random_program(random: &mut Random) -> Program {
    let (first, second, other) = (body(random, 6), body(random, 8), body(random, 8));
    let second = second.replace('l', "k");
    let second = second.replace("koad", "load").replace("ktu", "ltu");
    read(&format!(
        "{PRELUDE} body main () {{ {first} l6: create t(0:ptr)\n {second} k8: error 0 }} body t (arg) {{ {other} l8: return }} \
         body f (n) {{ return with n }}"
    ))
}

/// A random run into the error, if one comes.
fn random_run(machine: &Machine<'_>, random: &mut Random) -> Option<Vec<Step>> {
    let mut state: State = machine.start();
    let mut steps = vec![];
    for _ in 0..200 {
        let candidates = machine.candidates(&state, &[0, 1, 2]);
        let step = *candidates.get(random.below(candidates.len().max(1)))?;
        match machine.apply(&state, &step) {
            Ok(after) => state = after,
            Err(Refusal::Fails(_)) => {
                steps.push(step);
                return Some(steps);
            }
            Err(_) => continue,
        }
        steps.push(step);
    }
    None
}

#[test]
fn choices_without_dependence_may_be_others() {
    let mut random = Random::new(7);
    let (mut changed, mut dependent) = (0, 0);
    for _ in 0..400 {
        let program = random_program(&mut random);
        let machine = Machine::new(&program, Options { faults: crate::Faults::ALL, ..Options::default() });
        let Some(steps) = random_run(&machine, &mut random) else { continue };
        let trace = machine.record(&steps).unwrap_or_else(|why| panic!("{why:?}"));
        let found = dependence(&machine, &trace);
        dependent += found.len();
        let mut others = steps.clone();
        for (number, step) in others.iter_mut().enumerate() {
            let chooses = matches!(program.at(step.at).op, Op::Choose { .. });
            if chooses && !found.iter().any(|it| it.step == number) {
                step.choice = Choice { value: Some(random.below(3) as u128), ..step.choice };
                changed += 1;
            }
        }
        let again =
            machine.record(&others).unwrap_or_else(|why| panic!("{why:?}\n{}", text::print(&program)));
        assert_eq!(again.failure, trace.failure);
    }
    assert!(changed > 200 && dependent > 100, "{changed} changed, {dependent} depended on");
}
