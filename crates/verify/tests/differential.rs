//! Every engine, behind the passes and in front of the checker, against brute force on random programs: the
//! whole path of data. A disagreement is shrunk to its seed; put the program it makes into `tests/programs`
//! once it is understood.

mod support;

use base::Settings;
use engines::Engine;
use ir::{Bound, Model, Reason, ReasonKind, Scope, Task};
use std::sync::Arc;
use support::{decide, fails, starts_with};
use testing::bp::{Profile, program};
use verify::{Outcome, Proof};

/// Programs with more states than this are left to the engines.
const MOST_STATES: usize = 1500;

fn settings(off: &[&str]) -> Settings {
    let mut settings = Settings::default();
    for name in off {
        verify::set(&mut settings, name, "off").expect("the option exists");
    }
    settings
}

fn compare(engine: &dyn Engine, seeds: std::ops::Range<u64>, profile: &Profile, off: &[&str]) {
    let settings = settings(off);
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in seeds {
        let program = program(seed, profile);
        for bound in 1..=3 {
            let Some(fails) = fails(&program, bound, MOST_STATES) else { break };
            let model = Model::Program(Arc::new(program.clone()));
            let task = Task::new(model, Scope::threads(bound));
            let context = || format!("{} seed {seed} bound {bound} off {off:?}", engine.name());
            match decide(engine, &task, &settings, 20_000_000).expect("small programs are decided") {
                Outcome::Safe { proof, .. } => {
                    assert!(!fails, "wrong verdict safe: {}", context());
                    assert!(proof.is_confirmed(), "{}", context());
                    safe += 1;
                }
                Outcome::Unsafe { .. } => {
                    assert!(fails, "wrong verdict unsafe: {}", context());
                    unsafe_ += 1;
                }
                // Nobody is there: no error, and no proof.
                Outcome::Unknown(reason) if starts_with(&program) > bound => {
                    assert!(!fails && reason.kind == ReasonKind::Bound, "{reason:?}: {}", context());
                }
                Outcome::Unknown(reason) => panic!("{reason:?}: {}", context()),
            }
        }
    }
    assert!(safe > 50 && unsafe_ > 50, "both verdicts are common: {safe} safe, {unsafe_} unsafe");
}

#[test]
fn explicit_with_everything_on() {
    compare(&engines::Explicit, 0..800, &Profile::ALL, &[]);
}

#[test]
fn explicit_with_broadcasts() {
    compare(&engines::Explicit, 10_000..10_400, &Profile::BROADCASTS, &[]);
}

#[test]
fn explicit_with_spawning() {
    compare(&engines::Explicit, 20_000..20_400, &Profile::SPAWNING, &[]);
}

#[test]
fn explicit_with_each_option_off() {
    let switches = [
        "explicit.reduction",
        "explicit.symmetry",
        "explicit.transition_merging",
        "passes.unreachable",
        "passes.cone",
        "passes.live",
        "passes.transition_merging",
    ];
    for (index, off) in (0u64..).zip(switches) {
        compare(&engines::Explicit, 30_000 + 200 * index..30_200 + 200 * index, &Profile::ALL, &[off]);
    }
}

#[test]
fn explicit_with_everything_off() {
    let off = [
        "explicit.reduction",
        "explicit.symmetry",
        "passes.unreachable",
        "passes.cone",
        "passes.live",
        "passes.transition_merging",
    ];
    compare(&engines::Explicit, 40_000..40_300, &Profile::ALL, &off);
}

/// Nets pass no passes, but the same judge.
#[test]
fn explicit_on_nets() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..700 {
        let net = testing::net::net(seed, &testing::net::Profile::ALL);
        for bound in 1..=4 {
            let machine = ir::net::Machine::new(&net, Some(bound));
            let Some(markings) = machine.reachable(MOST_STATES) else { break };
            let covered = markings.iter().any(|marking| machine.at_target(marking));
            let model = Model::Net(Arc::new(net.clone()));
            let task = Task::new(model, Scope::threads(bound));
            match support::run(&engines::Explicit, &task, &task, None, &Settings::default(), 20_000_000) {
                Some(Outcome::Safe { proof: Proof::Confirmed { .. }, .. }) if !covered => safe += 1,
                Some(Outcome::Unsafe { .. }) if covered => unsafe_ += 1,
                Some(Outcome::Unknown(Reason { kind: ReasonKind::Bound, .. }))
                    if machine.starts().is_empty() => {}
                outcome => panic!("seed {seed} bound {bound}: {outcome:?}, covered: {covered}"),
            }
        }
    }
    assert!(safe > 100 && unsafe_ > 100, "both verdicts are common: {safe} safe, {unsafe_} unsafe");
}

/// Every engine on the same programs: none may contradict brute force, be refused by the checker, or present
/// an impossible trace. Engines that prove for any number of threads are asked for that, too.
#[test]
fn no_engine_contradicts_brute_force() {
    let profiles = [Profile::ALL, Profile::BROADCASTS, Profile::SPAWNING, Profile::RECURSIVE];
    for (index, profile) in (0u64..).zip(&profiles) {
        for seed in 50_000 + 1000 * index..50_000 + 1000 * index + 40 {
            let program = program(seed, profile);
            // A recursive program may have no end of states.
            if program.recursive_procedure().is_some() {
                continue;
            }
            for bound in [Bound::AtMost(2), Bound::Any] {
                let Some(fails) = fails(&program, bound.limit().unwrap_or(3), MOST_STATES) else { continue };
                let model = Model::Program(Arc::new(program.clone()));
                let scope = Scope { threads: bound };
                let task = Task::new(model, scope);
                for &engine in verify::engines() {
                    let context = || format!("{} seed {seed}, {scope}", engine.name());
                    match decide(engine, &task, &Settings::default(), 30_000) {
                        Some(Outcome::Safe { .. }) => assert!(!fails, "wrong verdict safe: {}", context()),
                        // With any number of threads an error may need more of them than brute force had.
                        Some(Outcome::Unsafe { .. }) => {
                            assert!(fails || bound == Bound::Any, "wrong verdict unsafe: {}", context());
                        }
                        Some(Outcome::Unknown(reason)) => {
                            assert_ne!(
                                reason.kind,
                                ReasonKind::Rejected,
                                "{}: {}",
                                context(),
                                reason.message
                            );
                            assert_ne!(reason.kind, ReasonKind::Fault, "{}: {}", context(), reason.message);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Engines may write no certificate; then nobody checks what they say, and it must be right all the same.
fn without_certificates(engine: &dyn Engine) -> Settings {
    let mut settings = Settings::default();
    for setting in engine.settings().iter().filter(|setting| setting.name.contains("certificate")) {
        verify::set(&mut settings, setting.name, "0").expect("all of them are numbers from 0");
    }
    settings
}

/// Shapes that nobody writes on purpose: dead ends behind children, an `init` that never ends, conditions
/// that never hold.
#[test]
fn rarer_shapes_with_and_without_certificates() {
    let (mut safe, mut unsafe_) = (0, 0);
    for (profile, seeds) in [(Profile::WILD, 60_000..60_150), (Profile::TINY, 70_000..70_200)] {
        for seed in seeds {
            let program = program(seed, &Profile { recursion: 0, ..profile });
            let Some(fails) = fails(&program, 2, MOST_STATES) else { continue };
            let model = Model::Program(Arc::new(program.clone()));
            let task = Task::new(model, Scope::threads(2));
            for &engine in verify::engines() {
                for settings in [Settings::default(), without_certificates(engine)] {
                    let context = || format!("{} seed {seed}", engine.name());
                    match decide(engine, &task, &settings, 30_000) {
                        Some(Outcome::Safe { .. }) => {
                            assert!(
                                !fails && starts_with(&program) <= 2,
                                "wrong verdict safe: {}",
                                context()
                            );
                            safe += 1;
                        }
                        Some(Outcome::Unsafe { .. }) => {
                            assert!(fails, "wrong verdict unsafe: {}", context());
                            unsafe_ += 1;
                        }
                        Some(Outcome::Unknown(reason)) => {
                            let bad = [ReasonKind::Rejected, ReasonKind::Fault].contains(&reason.kind);
                            assert!(!bad, "{}: {}", context(), reason.message);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(safe > 500 && unsafe_ > 500, "both verdicts are common: {safe} safe, {unsafe_} unsafe");
}

/// Classes of locations forget locals that a statement reads twice, as in `x := ... constrain 'x`: such a
/// local has one value all the same.
#[test]
fn what_a_class_forgets_has_one_value() {
    let mut settings = Settings::default();
    verify::set(&mut settings, "modular.sets", "bdd").expect("the option exists");
    let found = [
        (7_000_150, Profile::ALL),
        (7_001_271, Profile::MONOTONE),
        (7_001_301, Profile::MONOTONE),
        (7_001_343, Profile::SPAWNING),
        (7_001_673, Profile::SPAWNING),
        (7_002_055, Profile::ALL),
    ];
    for (seed, profile) in found {
        let model = Model::Program(Arc::new(program(seed, &profile)));
        let task = Task::new(model, Scope::ANY);
        let outcome = decide(&engines::Modular, &task, &settings, 20_000_000);
        assert!(
            matches!(outcome, Some(Outcome::Safe { proof: Proof::Confirmed { .. }, .. })),
            "seed {seed}: {outcome:?}"
        );
    }
}
