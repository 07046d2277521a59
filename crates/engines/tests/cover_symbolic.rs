//! Sets of elements against listed elements and brute force: the same verdicts on every monotone program, and every trace replays.

mod support;

use base::{Budget, Settings, Silent, SourceMap, Stop};
use engines::{Cover, Cx, Engine, Facts, Modular};
use front::{ReadOptions, read_program};
use ir::bp::random::{self, Profile};
use ir::bp::{Machine, Program};
use ir::{Model, Property, ReasonKind, Scope, Task, Trace, Verdict, Why};
use std::sync::Arc;

type Options<'a> = &'a [(&'a str, &'a str)];

fn run(program: &Program, options: Options<'_>, ticks: u64) -> Result<Verdict, Stop> {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[Cover.settings()], name, value).expect("the option exists");
    }
    ask(&Cover, program, &settings, ticks)
}

fn ask(engine: &dyn Engine, program: &Program, settings: &Settings, ticks: u64) -> Result<Verdict, Stop> {
    let model = Model::Program(Arc::new(program.clone()));
    let task = Task { model, property: Property::NoError, scope: Scope::ANY };
    engine.accepts(&task).expect("it is monotone");
    let (budget, facts) = (Budget::with_ticks(ticks), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings, seed: 0 };
    engine.run(&task, &mut cx)
}

/// Whether the program fails; its trace replays.
fn fails(program: &Program, options: Options<'_>, seed: u64) -> bool {
    match run(program, options, 200_000_000) {
        Ok(Verdict::Safe { scope: Scope::ANY, .. }) => false,
        Ok(Verdict::Unsafe(Trace::Program(trace))) => {
            support::replay(program, None, &trace);
            true
        }
        verdict => panic!("program {seed}: {verdict:?}"),
    }
}

/// Whether few threads fail, as far as brute force gets.
fn brute_force(program: &Program) -> Option<bool> {
    for bound in 1..=3 {
        let machine = Machine::new(program, Some(bound));
        if machine.reachable(1000)?.iter().any(|state| machine.failure(state).is_some()) {
            return Some(true);
        }
    }
    Some(false)
}

const SETS: Options<'_> = &[("cover.sets", "bdd")];
const LISTS: Options<'_> = &[("cover.sets", "explicit")];
/// So little room that it has to grow.
const NARROW: Options<'_> = &[("cover.sets", "bdd"), ("cover.room", "1"), ("cover.width", "1")];
/// A closure that rules out less, so that more is left to the search.
const BLIND: Options<'_> = &[("cover.sets", "bdd"), ("cover.width", "1")];
const WIDE: Options<'_> = &[("cover.sets", "bdd"), ("cover.width", "3")];

fn compare(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if !program.is_flat() || !program.monotone() {
            continue;
        }
        let expected = fails(&program, LISTS, seed);
        for options in [BLIND, [SETS, NARROW, WIDE][seed as usize % 3]] {
            assert_eq!(fails(&program, options, seed), expected, "program {seed}:\n{program:#?}");
        }
        assert!(
            brute_force(&program) != Some(true) || expected,
            "program {seed} has an error:\n{program:#?}"
        );
        *(if expected { &mut failing } else { &mut safe }) += 1;
    }
    assert!(safe > least && failing > least, "{safe} safe, {failing} failing");
}

#[test]
fn agrees_with_lists() {
    compare(&Profile::MONOTONE, 40_000..40_800, 100);
}

#[test]
fn agrees_with_lists_on_broadcasts() {
    compare(&Profile { passive_conditions: 10, ..Profile::BROADCASTS }, 50_000..50_600, 100);
}

#[test]
fn agrees_with_lists_on_spawning_programs() {
    compare(&Profile::SPAWNING, 60_000..60_600, 100);
}

/// Threads take one of `permits` permits and then one of two seats. Their data is free: nobody takes a permit whose bits have even parity.
fn seats(bits: usize, permits: u32) -> Program {
    let names: Vec<String> = (0..bits).map(|index| format!("d{index}")).collect();
    let (all, parity, any) = (names.join(", "), names.join(" ^ "), vec!["*"; bits].join(", "));
    let text = format!(
        "decl p0 := {}, p1 := {}, s1 := 0, s2 := 0;
        void worker() begin
          decl {all}, mine := 0;
          again: skip;
          assume({parity});
          atomic_begin;
          assume(p0 | p1);
          p0, p1 := !p0, p1 & p0;
          atomic_end;
          skip;
          atomic_begin;
          if !s1 then
            s1, mine := 1, 0;
          else
            assert(!s2);
            s2, mine := 1, 1;
          fi
          atomic_end;
          skip;
          atomic_begin;
          if mine then
            s2 := 0;
          else
            s1 := 0;
          fi
          p0, p1 := !p0, p1 | p0;
          atomic_end;
          {all} := {any};
          goto again;
        end
        void main() begin
          more: start_thread worker();
          goto more;
        end",
        permits & 1,
        permits >> 1 & 1,
    );
    let mut map = SourceMap::default();
    let source = map.add("seats.bp", text);
    read_program(&map, source, &ReadOptions::default()).expect("a program").0
}

/// Two permits for two seats are safe, which two threads in sight do not show; three are not. With 2^20 local states of each location
/// listed elements come to nothing.
#[test]
fn decides_threads_with_much_data() {
    for (permits, expected) in [(2, false), (3, true)] {
        assert_eq!(fails(&seats(2, permits), BLIND, 0), expected, "{permits} permits");
        let program = seats(20, permits);
        for options in [SETS, &[]] {
            assert_eq!(fails(&program, options, 0), expected, "{permits} permits");
        }
        assert!(matches!(run(&program, LISTS, 1_000_000), Err(Stop::Ticks)));
    }
    let mut width = Settings::default();
    width.set(&[Modular.settings()], "modular.width", "2").expect("the option exists");
    assert!(matches!(ask(&Modular, &seats(2, 2), &width, 100_000_000), Ok(Verdict::Unknown(_))));
}

/// An element may have no more threads than there is room for.
#[test]
fn says_when_there_is_no_room() {
    let options: Options<'_> = &[("cover.sets", "bdd"), ("cover.members", "2"), ("cover.room", "2")];
    let Ok(Verdict::Unknown(Why::Because(reason))) = run(&seats(3, 2), options, 100_000_000) else {
        panic!("two threads are not enough");
    };
    assert!(reason.kind == ReasonKind::Bound && reason.message.contains("2 threads"), "{reason:?}");
}
