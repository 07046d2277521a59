//! One suite for all engines: each is run in several ways on random programs and nets with every construct,
//! and compared with brute force over the reference semantics. `cargo xtask soak` does the same for as long
//! as one likes.

#[path = "../kit/mod.rs"]
mod kit;
mod marks;
mod oracle;

use base::{Budget, NoEvents, Stop};
use engines::{Counter, Cover, Engine, Explicit, Modular, Rounds, Simulate};
use ir::{Bound, Model, ReasonKind, Task, Verdict};
use kit::{ask, replay, task};
use oracle::{Truth, same_states, truth};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use testing::bp::{Profile, program};
use testing::net::{self as nets, net};

/// Options that are set.
type Options = &'static [(&'static str, &'static str)];

/// What an engine promises about what it accepts.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Promise {
    /// It decides every model for each bound on the threads.
    Bounded,
    /// It decides every model for any number of threads.
    Complete,
    /// It may give up.
    Sound,
}

/// An engine as the suite sees it.
struct Subject {
    engine: &'static dyn Engine,
    promise: Promise,
    /// Options that all runs have.
    fixed: Options,
    /// Ways to run it beside its defaults: they take turns.
    ways: &'static [Options],
}

const EXPLICIT: Subject = Subject {
    engine: &Explicit,
    promise: Promise::Bounded,
    fixed: &[("explicit.most_threads", "4")],
    ways: &[
        &[
            ("explicit.reduction", "off"),
            ("explicit.symmetry", "off"),
            ("explicit.transition_merging", "off"),
        ],
        &[("explicit.reduction", "off"), ("explicit.symmetry", "off")],
        &[("explicit.symmetry", "off"), ("explicit.transition_merging", "off")],
        &[("explicit.reduction", "off"), ("explicit.transition_merging", "off")],
        &[("explicit.symmetry", "off")],
        &[("explicit.transition_merging", "off")],
        &[("explicit.reduction", "off")],
    ],
};

/// With a collection after every state a function that nobody holds is missed at once.
const COUNTER: Subject = Subject {
    engine: &Counter,
    promise: Promise::Bounded,
    fixed: &[("counter.most_threads", "4"), ("counter.memory", "256")],
    ways: &[
        &[("counter.reduction", "off"), ("counter.transition_merging", "off"), ("counter.collect", "always")],
        &[("counter.merging", "off")],
        &[("counter.merging", "off"), ("counter.reduction", "off"), ("counter.transition_merging", "off")],
        &[("counter.collect", "always")],
        &[("counter.transition_merging", "off"), ("counter.subsumption", "off")],
        &[("counter.merging", "off"), ("counter.reduction", "off")],
    ],
};

const SIMULATE: Subject = Subject {
    engine: &Simulate,
    promise: Promise::Bounded,
    fixed: &[("simulate.most_threads", "3")],
    ways: &[
        &[("simulate.order", "dfs")],
        &[("simulate.reduction", "off"), ("simulate.transition_merging", "off")],
        &[("simulate.reduction", "static"), ("simulate.cubes", "off")],
        &[("simulate.symmetry", "off"), ("simulate.groups", "off")],
        &[("simulate.state_bits", "off")],
        &[("simulate.live", "off"), ("simulate.filters", "off")],
        &[("simulate.union", "off")],
        &[("simulate.reparameterise", "0")],
        &[("simulate.reparameterise", "1")],
    ],
};

const COVER: Subject = Subject {
    engine: &Cover,
    promise: Promise::Complete,
    fixed: &[],
    ways: &[
        &[("cover.sets", "explicit"), ("cover.width", "1"), ("cover.transition_merging", "off")],
        &[("cover.sets", "bdd")],
        // A closure that rules out less leaves more to the search.
        &[("cover.sets", "bdd"), ("cover.width", "1")],
        // So small a capacity that it has to grow.
        &[("cover.sets", "bdd"), ("cover.width", "1"), ("cover.capacity", "1")],
        &[("cover.sets", "bdd"), ("cover.width", "3")],
    ],
};

const MODULAR: Subject = Subject {
    engine: &Modular,
    promise: Promise::Sound,
    fixed: &[],
    ways: &[
        &[("modular.sets", "explicit"), ("modular.transition_merging", "off")],
        &[("modular.sets", "bdd")],
        &[("modular.sets", "bdd"), ("modular.classes", "off"), ("modular.width", "2")],
        &[("modular.relation", "threads"), ("modular.states", "explicit")],
        &[("modular.relation", "threads"), ("modular.states", "bdd"), ("modular.reduction", "off")],
        &[("modular.relation", "threads"), ("modular.states", "sat")],
    ],
};

const ROUNDS: Subject = Subject {
    engine: &Rounds,
    promise: Promise::Sound,
    fixed: &[("rounds.most", "2")],
    ways: &[&[("rounds.closure", "off")], &[("rounds.game", "off")]],
};

/// A few programs take very long in ways that nobody would choose: they are given up.
const TICKS: u64 = 2_000_000;

impl Subject {
    fn run(&self, task: &Task, way: Options) -> Result<Verdict, Stop> {
        let budget = Budget::with_ticks(TICKS);
        ask(self.engine, task, self.fixed.iter().chain(way), &budget, &mut NoEvents)
    }

    /// The questions for which brute force with this many threads has answers.
    fn questions(&self, threads: u32) -> Vec<Bound> {
        let bounded = (1..=threads).filter(|_| self.promise == Promise::Bounded).map(Bound::AtMost);
        bounded.chain([Bound::Any]).collect()
    }

    /// The defaults, and one other way.
    fn turns(&self, seed: u64) -> [Options; 2] {
        [&[], self.ways[seed as usize % self.ways.len()]]
    }

    fn must_decide(&self, threads: Bound) -> bool {
        match self.promise {
            Promise::Bounded => threads != Bound::Any,
            Promise::Complete => true,
            Promise::Sound => false,
        }
    }
}

/// How the comparisons came out.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    safe: usize,
    failing: usize,
    open: usize,
    given_up: usize,
    refused: usize,
}

/// Compares all answers about a model with brute force.
fn check(subject: &Subject, model: &Model, threads: u32, seed: u64, tally: &mut Tally) {
    if let Err(reason) = subject.engine.accepts(&task(model, Bound::Any)) {
        assert!(matches!(reason.kind, ReasonKind::Unsupported | ReasonKind::NonMonotone), "{reason:?}");
        tally.refused += 1;
        return;
    }
    let truths: Vec<Truth> = (1..=threads).map(|bound| truth(model, bound, 1000)).collect();
    let recursive = matches!(model, Model::Program(program) if !program.is_flat());
    if !recursive && truths.iter().any(|truth| !truth.complete) {
        return;
    }
    for bound in subject.questions(threads) {
        for way in subject.turns(seed) {
            compare(subject, &task(model, bound), way, &truths, tally);
        }
    }
}

fn compare(subject: &Subject, task: &Task, way: Options, truths: &[Truth], tally: &mut Tally) {
    let bound = task.scope.threads;
    let known = bound.limit().map_or(truths, |most| &truths[..most as usize]);
    let fails = known.iter().any(|truth| truth.shortest.is_some());
    match subject.run(task, way) {
        Ok(Verdict::Safe { scope, certificate }) => {
            assert!(scope.covers(task.scope), "{way:?}: {scope}");
            assert!(!fails, "{way:?} misses an error with {bound:?} threads");
            if let (Some(certificate), Bound::AtMost(most)) = (&certificate, bound) {
                same_states(&task.model, certificate, &truths[most as usize - 1]);
            }
            tally.safe += 1;
        }
        Ok(Verdict::Unsafe(trace)) => {
            let steps = replay(task, &trace);
            if let (Bound::AtMost(_), Some(truth)) = (bound, known.last()) {
                assert!(truth.shortest.is_some_and(|shortest| shortest <= steps), "{way:?}: {steps} steps");
            }
            tally.failing += 1;
        }
        Ok(Verdict::Unknown(why)) => {
            assert!(!subject.must_decide(bound), "{way:?}, {bound:?} threads: {why:?}");
            tally.open += 1;
        }
        Err(Stop::Ticks) if !way.is_empty() || !subject.must_decide(bound) => tally.given_up += 1,
        Err(stop) => panic!("{way:?}, {bound:?} threads: {stop:?}"),
    }
}

/// This many models of each kind.
const MODELS: u64 = 150;

fn suite(subject: &Subject, name: &str, first: u64, model: impl Fn(u64) -> Model) -> Tally {
    let mut tally = Tally::default();
    for seed in first..first + MODELS {
        let before = tally;
        let model = model(seed);
        let threads = if matches!(model, Model::Net(_)) { 4 } else { 3 };
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let mut tally = before;
            check(subject, &model, threads, seed, &mut tally);
            tally
        }));
        tally = outcome.unwrap_or_else(|fault| {
            eprintln!("{} on {name} {seed}", subject.engine.name());
            std::panic::resume_unwind(fault)
        });
    }
    eprintln!("{} on {MODELS} {name}: {tally:?}", subject.engine.name());
    tally
}

/// The engine on every kind of program; both verdicts must be common.
fn programs(subject: &Subject) {
    let broadcasts = Profile { passive_conditions: 50, ..Profile::BROADCASTS };
    let long = Profile { statements: 14, procedures: 0, templates: 50, ..Profile::ALL };
    let families = [
        ("programs", Profile::ALL),
        ("broadcasts", broadcasts),
        ("spawning programs", Profile::SPAWNING),
        ("monotone programs", Profile::MONOTONE),
        ("long programs", long),
        ("recursive programs", Profile { broadcasts: 0, locks: 40, ..Profile::RECURSIVE }),
    ];
    let mut all = Tally::default();
    for (index, (name, profile)) in (0..).zip(families) {
        let tally = suite(subject, name, 100_000 * index, |seed| {
            let program = program(seed, &profile);
            let marked = program.is_flat() && seed % 2 == 0;
            Model::Program(Arc::new(if marked { marks::with_marks(&program, seed) } else { program }))
        });
        all.safe += tally.safe;
        all.failing += tally.failing;
        all.given_up += tally.given_up;
    }
    let least = if subject.promise == Promise::Bounded { 200 } else { 50 };
    assert!(all.safe > least && (all.failing > least || subject.engine.name() == "modular"), "{all:?}");
    assert!(all.given_up * 10 < all.safe + all.failing, "{all:?}");
}

/// The engine on nets, or that it refuses them.
fn nets(subject: &Subject, accepts: bool) {
    for (name, first, profile) in
        [("nets", 0, nets::Profile::ALL), ("simple nets", 10_000, nets::Profile::SIMPLE)]
    {
        let tally = suite(subject, name, first, |seed| Model::Net(Arc::new(net(seed, &profile))));
        match accepts {
            true => assert!(tally.safe > 10, "{tally:?}"),
            false => assert_eq!(tally.refused as u64, MODELS),
        }
    }
}

macro_rules! conforms {
    ($engine:ident, $subject:expr, nets: $nets:expr) => {
        mod $engine {
            #[test]
            fn on_programs() {
                super::programs(&$subject);
            }

            #[test]
            fn on_nets() {
                super::nets(&$subject, $nets);
            }
        }
    };
}

conforms!(explicit, crate::EXPLICIT, nets: true);
conforms!(counter, crate::COUNTER, nets: false);
conforms!(simulate, crate::SIMULATE, nets: false);
conforms!(cover, crate::COVER, nets: true);
conforms!(modular, crate::MODULAR, nets: true);
conforms!(rounds, crate::ROUNDS, nets: false);

/// Or the suite would not test transition merging.
#[test]
fn transitions_are_invisible_often_enough() {
    let invisible = |seed| {
        let program = marks::with_marks(&program(seed, &Profile::ALL), seed);
        program.locations().iter().filter(|location| location.invisible).count()
    };
    assert!((0..100).map(invisible).sum::<usize>() > 100);
}
