//! Every pass, and all together, on random programs: same verdicts, same states, traces that lift; brute force is the judge.

mod common;

use base::{Settings, Silent};
use common::compare;
use ir::bp::Program;
use ir::bp::random::{Profile, program};
use passes::ProgramLift;
use passes::{chains, cone, inline, live, prepare, unreachable};

const MOST: usize = 600;

/// Runs a pass on random programs and compares what comes out with what went in.
fn check(
    seeds: std::ops::Range<u64>,
    profile: &Profile,
    pass: impl Fn(&Program) -> (Program, Box<ProgramLift>),
) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let original = program(seed, profile);
        let (prepared, lift) = pass(&original);
        for bound in 1..=3 {
            match compare(&original, &prepared, &*lift, bound, MOST) {
                Ok(Some(true)) => safe += 1,
                Ok(Some(false)) => failing += 1,
                Ok(None) => {}
                Err(why) => panic!("seed {seed}, bound {bound}: {why}\n{original:#?}\n{prepared:#?}"),
            }
        }
    }
    assert!(safe > 100 && failing > 100, "too few comparisons: {safe} safe, {failing} failing");
}

fn inlined(program: &Program) -> (Program, Box<ProgramLift>) {
    inline::inline(program, 10_000).expect("no recursion")
}

fn prepared(program: &Program) -> (Program, Box<ProgramLift>) {
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
