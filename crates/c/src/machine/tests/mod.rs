//! What steps mean, seen by exploring small programs to the end. A program marks what it reaches by failing
//! properties with names.

mod memory;
mod sync;
mod threads;
mod values;

use super::others::Rest;
use super::{Choice, Deadlocks, FailureKind, Leaks, Machine, Options, Races, Refusal, Step};
use crate::{Faults, Program, State, text};
use base::SourceMap;
use std::collections::{BTreeSet, HashSet};

pub(super) const PLAIN: Options = Options {
    faults: Faults::NONE,
    spurious_wakeups: true,
    threads: None,
    races: Races::Ignored,
    deadlocks: Deadlocks::Ignored,
    leaks: Leaks::Ignored,
};
pub(super) const MEMORY: Options = Options { faults: Faults::ALL, ..PLAIN };
pub(super) const SIGNALS: Options = Options { spurious_wakeups: false, ..PLAIN };

/// What all programs of these tests declare.
const PRELUDE: &str = r#"
pointer 64
layout 0 stride 4 { 0 b32 "" }
layout 1 stride 64 { 0 mutex 40 ".m" 40 ptr ".next" 48 f64 ".d" 56 b8 ".c" }
layout 2 stride 40 { 0 mutex 40 "" }
layout 3 stride 56 { 0 rwlock 56 "" }
layout 4 stride 48 { 0 cond 48 "" }
layout 5 stride 32 { 0 barrier 32 "" }
layout 6 stride 32 { 0 semaphore 32 "" }
layout 7 stride 4 { 0 once 4 "" }
layout 8 stride 8 { 0 b64 "" }
procedure main
procedure t => ptr
procedure f => b32
main main
object x static 0 * 1
object y static 0 * 1
object array static 0 * 3
object fixed static 0 * 1 constant
object handle static 8 * 1
object m static 2 * 1
object rw static 3 * 1
object c static 4 * 1
object bar static 5 * 1
object sem static 6 * 1
object once static 7 * 1
object mine thread 0 * 1
object own of main 0 * 1
object inner of f 0 * 1
init array 1 = 11
init array 2 = 22
init mine 0 = 3
local @tls b32 = 7
local main::a b32 = 0
local main::b b32 = 0
local main::s b1 = 0
local main::p ptr = 0
local main::q ptr = 0
local main::h b64 = 0
local main::k b64 = 0
local t::arg ptr = 0
local t::a b32 = 0
local t::b b32 = 0
local t::s b1 = 0
local t::k b64 = 0
local f::n b32 = 0
local f::r b32 = 0
local f::p ptr = 0
property "one"
property "two"
property "three"
property "four"
"#;

pub(super) fn program(bodies: &str) -> Program {
    let has = |name: &str| bodies.contains(&format!("body {name} "));
    let t = if has("t") { "" } else { "body t (arg) { return }" };
    let f = if has("f") { "" } else { "body f (n) { return with 0:b32 }" };
    let source = format!("{PRELUDE}{bodies}{t}\n{f}");
    let file = SourceMap::new().add("test.cir", source.as_str());
    text::parse(&source, file).unwrap_or_else(|found| panic!("{bodies}\n{:?}", found.into_sorted()))
}

/// The numbers that are tried where one is to be chosen.
const NUMBERS: [u128; 4] = [0, 1, 2, 5];

/// Everything that is reached: failures by name, `unsupported` with its reason, and `stuck` where nobody
/// steps although the program has not ended.
pub(super) fn reached(program: &Program, options: Options) -> BTreeSet<String> {
    let machine = Machine::new(program, options);
    let mut found = BTreeSet::new();
    let mut seen: HashSet<State> = HashSet::new();
    let mut work = vec![machine.start().canonical(program)];
    while let Some(state) = work.pop() {
        assert!(seen.len() < 50_000, "the program does not end");
        let halted = state.threads.values().any(|thread| thread.halted);
        assert!(!halted || machine.enabled(&state).is_empty(), "nobody steps after the end");
        let mut stuck = !halted && !state.threads.is_empty();
        complete(&machine, &state);
        for step in machine.candidates(&state, &NUMBERS) {
            match machine.apply(&state, &step) {
                Ok(after) => {
                    stuck = false;
                    let after = after.canonical(program);
                    assert_eq!(after.canonical(program), after, "renaming twice changes nothing");
                    if seen.insert(after.clone()) {
                        work.push(after);
                    }
                }
                Err(refusal) => {
                    unchanged(&machine, &state, step, &refusal);
                    stuck &= !matches!(refusal, Refusal::Fails(_) | Refusal::Unsupported(_));
                    found.extend(listed(program, refusal));
                }
            }
        }
        if stuck {
            found.insert("stuck".into());
        }
    }
    found
}

/// No step has a choice that is not told before.
fn complete(machine: &Machine<'_>, state: &State) {
    let listed = machine.candidates(state, &NUMBERS);
    let threads: Vec<Option<u32>> =
        std::iter::once(None).chain(state.threads.keys().copied().map(Some)).collect();
    for (step, _) in machine.enabled(state) {
        for value in [None, Some(1)] {
            for fails in [false, true] {
                for &thread in &threads {
                    let step = Step { choice: Choice { value, fails, thread, reuses: None }, ..step };
                    assert!(machine.apply(state, &step).is_err() || listed.contains(&step), "{step:?}");
                }
            }
        }
    }
}

fn listed(program: &Program, refusal: Refusal) -> Option<String> {
    match refusal {
        Refusal::Fails(FailureKind::Property(id)) => Some(program.properties()[id].text.clone()),
        Refusal::Fails(FailureKind::Undefined(fault)) => Some(fault.to_string()),
        Refusal::Fails(FailureKind::Race(_) | FailureKind::Deadlock(_) | FailureKind::Leak(_)) => {
            unreachable!("steps do not fail so")
        }
        Refusal::Unsupported(why) => Some(format!("unsupported: {why}")),
        Refusal::Blocked(_) | Refusal::Mismatch(_) => None,
    }
}

/// What is refused changes nothing, also where a step works on states in place.
fn unchanged(machine: &Machine<'_>, state: &State, step: Step, refusal: &Refusal) {
    if !machine.may_step(state, step.thread) {
        return;
    }
    let mut rest = state.clone();
    let mut thread = rest.threads.remove(&step.thread).expect("the thread steps");
    let (mut memory, before) = (state.memory.clone(), rest.clone());
    let mut others = Rest { me: step.thread, state: &mut rest };
    let again = machine.execute(&mut memory, &mut thread, &mut others, step.choice);
    assert_eq!(again.as_ref().err(), Some(refusal));
    assert_eq!((&thread, &memory), (&state.threads[&step.thread], &state.memory));
    assert_eq!(rest, before);
}

/// Checks what a program reaches.
#[track_caller]
pub(super) fn check(options: Options, bodies: &str, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|it| it.to_string()).collect();
    assert_eq!(reached(&program(bodies), options), expected, "{bodies}");
}

/// Checks what a program reaches whose `main` is given.
#[track_caller]
pub(super) fn main(options: Options, body: &str, expected: &[&str]) {
    check(options, &format!("body main () {{ {body} }}"), expected);
}
