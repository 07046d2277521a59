//! Every pass, and all together, on random programs: same verdicts, same states, traces that lift; brute force is the judge.

mod common;

use base::{Settings, Silent};
use common::{Found, replay, same_states, search};
use ir::bp::Program;
use ir::bp::random::{Profile, program};
use ir::lift::Lift;
use passes::{chains, cone, inline, live, prepare, unreachable};

const MOST: usize = 3000;

/// Runs a pass on random programs and compares what comes out with what went in.
fn check(
    seeds: std::ops::Range<u64>,
    profile: &Profile,
    pass: impl Fn(&Program) -> (Program, Box<dyn Lift>),
) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let original = program(seed, profile);
        let (prepared, lift) = pass(&original);
        for bound in 1..=3 {
            let context =
                |why: &str| format!("seed {seed}, bound {bound}: {why}\n{original:#?}\n{prepared:#?}");
            let expected = search(&original, bound, false, MOST);
            for run_on in [false, true] {
                let found = search(&prepared, bound, run_on, MOST);
                let (Some(expected), Some(found_safe)) = (expected.is_safe(), found.is_safe()) else {
                    continue;
                };
                assert_eq!(expected, found_safe, "{}", context("the verdict changed"));
                if found_safe {
                    safe += 1
                } else {
                    failing += 1
                }
                if let Found::Unsafe(trace) = found {
                    let lifted = lift.trace(*trace).unwrap_or_else(|why| panic!("{}", context(&why)));
                    replay(&original, bound, &lifted).unwrap_or_else(|why| panic!("{}", context(&why)));
                }
            }
            let same = same_states(&original, &prepared, &*lift, bound, MOST);
            same.unwrap_or_else(|why| panic!("{}", context(&why)));
        }
    }
    assert!(safe > 300 && failing > 300, "too few comparisons: {safe} safe, {failing} failing");
}

fn inlined(program: &Program) -> (Program, Box<dyn Lift>) {
    inline::inline(program, 10_000).expect("no recursion")
}

fn prepared(program: &Program) -> (Program, Box<dyn Lift>) {
    let (prepared, lifts) = prepare(program, &Settings::default(), &mut Silent).expect("no recursion");
    (prepared, Box::new(lifts))
}

/// Procedures in every program.
const CALLS: Profile = Profile { procedures: 100, ..Profile::ALL };

#[test]
fn inlining_changes_nothing() {
    check(0..700, &CALLS, inlined);
    check(5000..5500, &Profile { broadcasts: 100, passive_conditions: 60, ..CALLS }, inlined);
}

#[test]
fn dropping_unreachable_code_changes_nothing() {
    check(0..400, &Profile::ALL, unreachable::drop_unreachable);
    check(1000..1300, &Profile::RECURSIVE, unreachable::drop_unreachable);
}

#[test]
fn the_cone_changes_nothing() {
    check(0..400, &Profile::ALL, cone::restrict_to_cone);
    check(1000..1300, &Profile::RECURSIVE, cone::restrict_to_cone);
}

#[test]
fn forgetting_dead_locals_changes_nothing() {
    check(0..400, &Profile::ALL, live::mark_dead);
    check(1000..1300, &Profile::RECURSIVE, live::mark_dead);
    check(2000..2400, &Profile::BROADCASTS, live::mark_dead);
}

#[test]
fn running_on_changes_nothing() {
    check(0..500, &Profile::ALL, chains::mark_silent);
    check(1000..1300, &Profile::RECURSIVE, chains::mark_silent);
    check(2000..2400, &Profile::BROADCASTS, chains::mark_silent);
    check(3000..3300, &Profile { sections: 100, ..Profile::ALL }, chains::mark_silent);
}

#[test]
fn all_passes_together_change_nothing() {
    check(0..700, &Profile::ALL, prepared);
    check(1000..1700, &Profile { broadcasts: 70, sections: 70, ..CALLS }, prepared);
}
