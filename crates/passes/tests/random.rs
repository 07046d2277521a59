//! Every pass, and all together, on random programs: same verdicts, same states, traces that lift; brute
//! force is the judge.

mod common;

use base::{Budget, NoEvents, Settings, Stop};
use common::compare;
use ir::bp::Program;
use passes::{Guided, Passed, Prepared, ProgramLift};
use passes::{cone, inline, live, merging, prepare, unreachable};
use testing::bp::{Profile, program};

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
    let inlined = inline::inline(program, 10_000, &Budget::unlimited());
    lifted(program, inlined.expect("no limit").expect("a small program"))
}

fn prepared(program: &Program) -> (Program, Box<ProgramLift>) {
    let prepared = prepare(program, &Settings::default(), &Budget::unlimited(), &mut NoEvents);
    let Prepared { program, lift } = prepared.expect("no limit");
    (program, Box::new(lift))
}

fn lifted(original: &Program, passed: Passed) -> (Program, Box<ProgramLift>) {
    let lift = Guided::new(original, &passed);
    (passed.program, Box::new(lift))
}

/// One pass, without a limit.
fn pass(
    pass: fn(&Program, &Budget) -> Result<Passed, Stop>,
) -> impl Fn(&Program) -> (Program, Box<ProgramLift>) {
    move |program| lifted(program, pass(program, &Budget::unlimited()).expect("no limit"))
}

/// Procedures in every program.
const CALLS: Profile = Profile { procedures: 100, ..Profile::ALL };

#[test]
fn inlining_changes_nothing() {
    check(0..350, &CALLS, inlined);
    check(5000..5250, &Profile { broadcasts: 100, passive_conditions: 60, ..CALLS }, inlined);
    check(6000..6200, &Profile::RECURSIVE, inlined);
    check(7000..7200, &Profile { broadcasts: 100, passive_conditions: 60, ..Profile::RECURSIVE }, inlined);
}

#[test]
fn dropping_unreachable_code_changes_nothing() {
    check(0..400, &Profile::ALL, pass(unreachable::drop_unreachable));
    check(1000..1300, &Profile::RECURSIVE, pass(unreachable::drop_unreachable));
}

#[test]
fn the_cone_changes_nothing() {
    check(0..400, &Profile::ALL, pass(cone::restrict_to_cone));
    check(1000..1300, &Profile::RECURSIVE, pass(cone::restrict_to_cone));
}

#[test]
fn forgetting_dead_locals_changes_nothing() {
    check(0..400, &Profile::ALL, pass(live::mark_dead));
    check(1000..1300, &Profile::RECURSIVE, pass(live::mark_dead));
    check(2000..2200, &Profile::BROADCASTS, pass(live::mark_dead));
}

#[test]
fn running_on_changes_nothing() {
    check(0..250, &Profile::ALL, pass(merging::mark_invisible));
    check(1000..1300, &Profile::RECURSIVE, pass(merging::mark_invisible));
    check(2000..2200, &Profile::BROADCASTS, pass(merging::mark_invisible));
    check(3000..3300, &Profile { sections: 100, ..Profile::ALL }, pass(merging::mark_invisible));
}

#[test]
fn all_passes_together_change_nothing() {
    check(8000..8200, &Profile::RECURSIVE, prepared);
    check(0..350, &Profile::ALL, prepared);
    check(1000..1350, &Profile { broadcasts: 70, sections: 70, ..CALLS }, prepared);
}
