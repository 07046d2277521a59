//! The engine `simulate` against brute force over the reference semantics, on random programs with every construct: verdicts, traces,
//! and that no option changes a verdict.

mod support;

use base::{Budget, Random, Settings, Silent};
use engines::simulate::Simulate;
use engines::{Cx, Engine, Facts};
use ir::bp::random::{Profile, program};
use ir::bp::{Init, Loc, LocalId, Op, Program, Role};
use ir::{Bound, Model, Property, Scope, Task, Verdict};
use std::sync::Arc;
use support::{program_trace, replay, truth};

type Choice = (&'static str, &'static str);

/// Every value of every option that is not the default.
const VARIANTS: &[Choice] = &[
    ("simulate.order", "dfs"),
    ("simulate.reduction", "off"),
    ("simulate.reduction", "static"),
    ("simulate.reduction", "clauses"),
    ("simulate.symmetry", "off"),
    ("simulate.chains", "off"),
    ("simulate.state_bits", "off"),
    ("simulate.live", "off"),
    ("simulate.groups", "off"),
    ("simulate.filters", "off"),
    ("simulate.cubes", "off"),
    ("simulate.union", "off"),
    ("simulate.reparameterise", "0"),
    ("simulate.reparameterise", "1"),
];

/// Without the union of older states a few programs take very long: what they may spend.
const MOST_TICKS: u64 = 1_000_000;

/// The verdict, or `None` if it takes too long, which the defaults never do.
fn run(program: &Program, threads: Bound, choices: &[Choice]) -> Option<Verdict> {
    let mut settings = Settings::default();
    for (name, value) in choices.iter().chain(&[("simulate.most_threads", "3")]) {
        settings.set(&[Simulate.settings()], name, value).expect("the option exists");
    }
    let model = Model::Program(Arc::new(program.clone()));
    let task = Task { model, property: Property::NoError, scope: Scope { threads, ..Scope::ANY } };
    Simulate.accepts(&task).expect("the program is flat");
    let ticks = if choices.is_empty() { u64::MAX } else { MOST_TICKS };
    let (budget, facts) = (Budget::with_ticks(ticks), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Simulate.run(&task, &mut cx).ok()
}

/// Marks some locals as dead (the reference semantics sets them to 0 whether or not somebody reads them), and jumps forward as
/// silent.
fn with_marks(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut builder = program.edit();
    let entries: Vec<Loc> = program.procedures().iter().map(|procedure| procedure.entry).collect();
    let begins: Vec<Loc> = program
        .locations()
        .iter()
        .filter_map(|location| match &location.op {
            Op::Start(ir::bp::Spawn::Clone(at)) => Some(*at),
            _ => None,
        })
        .collect();
    for (loc, location) in program.locations().enumerate() {
        let begins = entries.contains(&loc) || begins.contains(&loc);
        let dead = program.locals().enumerate().filter(|(id, local)| {
            let lives = local.role == Role::Plain && program.in_scope(loc, *id);
            lives && (!begins || local.init == Init::Fixed(false))
        });
        builder.at(loc).dead =
            dead.filter(|_| random.percent(10)).map(|(id, _)| id).collect::<Vec<LocalId>>();
        let forward = program.successors(loc).iter().all(|&to| to > loc && program.at(to).enforce.is_none());
        let jumps = matches!(location.op, Op::Skip | Op::Goto(_)) && location.enforce.is_none();
        builder.at(loc).silent = jumps && forward && !begins;
    }
    // A local that dies on the way is a change that others might notice.
    let draft = builder.finish().expect("it was valid before");
    let mut builder = draft.edit();
    for loc in draft.locations().ids() {
        let same = |&to: &Loc| draft.at(to).dead.iter().all(|it| draft.at(loc).dead.contains(it));
        let silent = draft.at(loc).silent && draft.successors(loc).iter().all(same);
        builder.at(loc).silent = silent;
    }
    builder.finish().expect("it was valid before")
}

/// How the comparisons of one program came out.
#[derive(Clone, Copy, Default)]
struct Tally {
    safe: usize,
    failing: usize,
    given_up: usize,
}

/// Compares one program with brute force, if it is small enough.
fn check(program: &Program, bound: u32, configs: &[Vec<Choice>], tally: &mut Tally) {
    let Some(truth) = truth(program, bound, 1500) else { return };
    for config in configs {
        let Some(verdict) = run(program, Bound::AtMost(bound), config) else {
            tally.given_up += 1;
            continue;
        };
        match truth.shortest {
            None => {
                let Verdict::Safe { scope, .. } = verdict else { panic!("safe, {config:?}: {verdict:?}") };
                assert!(scope.covers(Scope::threads(bound)));
            }
            Some(length) => {
                let trace = program_trace(verdict).unwrap_or_else(|| panic!("an error, {config:?}"));
                replay(program, Some(bound), &trace);
                assert!(trace.steps.len() >= length);
            }
        }
    }
    tally.safe += usize::from(truth.shortest.is_none());
    tally.failing += usize::from(truth.shortest.is_some());
}

/// Any number of threads: errors are real without a bound, what is safe has no error with a few threads.
fn check_any(program: &Program) {
    match run(program, Bound::Any, &[]).expect("the budget has no end") {
        Verdict::Unsafe(ir::Trace::Program(trace)) => replay(program, None, &trace),
        Verdict::Safe { scope, .. } => {
            assert_eq!(scope, Scope::ANY);
            assert!(truth(program, 3, 3000).is_none_or(|truth| truth.shortest.is_none()));
        }
        Verdict::Unknown(_) | Verdict::Unsafe(_) => {}
    }
}

/// The default, and as many combinations of options as there is time for.
fn configs(seed: u64) -> Vec<Vec<Choice>> {
    if seed.is_multiple_of(8) {
        return [vec![]].into_iter().chain(VARIANTS.iter().map(|&it| vec![it])).collect();
    }
    let mut random = Random::new(seed);
    let mut some = || VARIANTS.iter().copied().filter(|_| random.percent(25)).collect();
    vec![vec![], some(), some()]
}

fn compare(profile: &Profile, first: u64, wanted: usize) {
    let flat = (first..).map(|seed| (seed, program(seed, profile))).filter(|(_, program)| program.is_flat());
    let mut tally = Tally::default();
    for (seed, program) in flat.take(wanted) {
        let program = if seed.is_multiple_of(2) { with_marks(&program, seed) } else { program };
        let outcome = std::panic::catch_unwind(|| {
            check_any(&program);
            let mut tally = tally;
            (1..=3).for_each(|bound| check(&program, bound, &configs(seed), &mut tally));
            tally
        });
        tally = outcome.unwrap_or_else(|fault| {
            eprintln!("seed {seed}, {profile:?}");
            std::panic::resume_unwind(fault)
        });
    }
    let Tally { safe, failing, given_up } = tally;
    eprintln!("{wanted} programs: {safe} safe, {failing} unsafe, {given_up} runs given up");
    assert!(safe > wanted / 4 && failing > wanted / 8, "both verdicts are common: {safe}, {failing}");
    assert!(given_up * 50 < wanted, "few runs take too long: {given_up}");
}

#[test]
fn agrees_on_programs_with_everything() {
    compare(&Profile::ALL, 0, 600);
}

#[test]
fn agrees_on_broadcasts() {
    compare(&Profile { passive_conditions: 50, ..Profile::BROADCASTS }, 100_000, 350);
}

#[test]
fn agrees_on_thread_creation() {
    compare(&Profile::SPAWNING, 200_000, 350);
}

#[test]
fn nets_are_refused() {
    let net = ir::net::random::net(1, &ir::net::random::Profile::ALL);
    let task =
        Task { model: Model::Net(Arc::new(net)), property: Property::NoError, scope: Scope::threads(2) };
    let reason = Simulate.accepts(&task).expect_err("it has no variables");
    assert_eq!(reason.kind, ir::ReasonKind::Unsupported);
}
