//! Whether paths are possible, decided by our circuits and by a solver that shares nothing with them: random
//! paths over variables of several widths, and those that the abstract way meets in C programs. One answer
//! that is not ours makes the run fail.

use crate::options::each;
use anyhow::{Result, ensure};
use base::events::NoEvents;
use base::random::Random;
use base::{Arena, Budget, Id, Settings, Stop};
use c::{Exprs, Loc, LocalId, ProcId, PropertyId, Type};
use ir::{Bound, Scope};
use predicates::paths::{Compared, ControlPath, Decided, PathStep, SecondOpinion, opinion};
use relation::{Command, Control, ControlId, Home, Outcome, Relation, Update, Variable};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testing::expressions::{Expressions, number};
use verify::predicates::Solver;
use verify::{Limits, Origin, Plan, Question, ReadOptions};

/// What our own solver may spend on a random path.
const TICKS: u64 = 300_000;
/// The widths of variables; two of each.
const WIDTHS: [u8; 7] = [1, 3, 8, 13, 16, 32, 64];

/// What is to be compared, and with whom.
struct Request {
    folders: Vec<PathBuf>,
    solver: String,
    paths: u64,
    first: u64,
    timeout: u64,
}

/// The command `second-opinion`.
pub fn run(args: &[String]) -> Result<()> {
    let mut request = Request { folders: vec![], solver: "z3".into(), paths: 2_000, first: 0, timeout: 10 };
    each(args, |name, value| {
        match name {
            "--solver" => request.solver = value.to_string(),
            "--paths" => request.paths = value.parse()?,
            "--first" => request.first = value.parse()?,
            "--timeout" => request.timeout = value.parse()?,
            "" => request.folders.push(PathBuf::from(value)),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let is_found = Solver::named(&request.solver, None).is_some_and(|it| it.is_found());
    ensure!(is_found, "the solver `{}` is not found", request.solver);
    let mut wrong = random_paths(&request)?;
    for folder in &request.folders {
        wrong += programs(&request, folder)?;
    }
    ensure!(wrong == 0, "{wrong} answers are not ours");
    Ok(())
}

/// Counts how many paths are runs.
struct Counting {
    solver: Solver,
    runs: u64,
}

impl SecondOpinion for Counting {
    fn compare(&mut self, question: &Decided, budget: &Budget) -> Result<Compared, Stop> {
        self.runs += u64::from(question.satisfiable);
        self.solver.compare(question, budget)
    }
}

/// Compares random paths; how many answers are not ours.
fn random_paths(request: &Request) -> Result<u64> {
    let Some(solver) = Solver::named(&request.solver, None) else { return Ok(0) };
    let mut counting = Counting { solver, runs: 0 };
    let (begun, mut given_up) = (Instant::now(), 0);
    for seed in request.first..request.first.saturating_add(request.paths) {
        let (relation, path) = random_path(&mut Random::new(seed));
        match opinion::compared(&relation, &path, &mut counting, &Budget::with_ticks(TICKS)) {
            Ok(Compared::Differs(why)) => println!("seed {seed}: {why}"),
            Ok(_) => {}
            Err(_) => given_up += 1,
        }
    }
    let Solver { agreed, unanswered, differed, .. } = counting.solver;
    println!(
        "{} random paths in {:.1} s, {} of them runs: {} agrees on {agreed}, does not answer {unanswered}, disagrees on {differed}; {given_up} were too hard for ours",
        request.paths,
        begun.elapsed().as_secs_f64(),
        counting.runs,
        request.solver
    );
    Ok(differed)
}

/// Up to four steps of one thread that guard and change variables of several widths.
fn random_path(random: &mut Random) -> (Relation, ControlPath) {
    let variables = variables(random);
    let steps = 1 + random.below(4);
    let mut maker = Expressions {
        random,
        exprs: Exprs::new(64),
        variables: variables.enumerate().map(|(id, it)| (id, it.ty)).collect(),
        widths: WIDTHS.to_vec(),
        addresses: vec![],
        strange: true,
    };
    let commands: Vec<Command> = (0..steps).map(|at| command(&mut maker, at, steps)).collect();
    let control = Control {
        loc: <Loc as Id>::from_index(0),
        phase: 0,
        template: <ProcId as Id>::from_index(0),
        live: vec![],
    };
    let mut controls = Arena::new();
    (0..steps).for_each(|_| {
        controls.push(control.clone());
    });
    let exprs = maker.exprs;
    let start = <ControlId as Id>::from_index(0);
    let relation = Relation { exprs, variables, controls, commands, start, accesses: None };
    let steps = (0..steps).map(|command| PathStep { thread: 0, command, child: None }).collect();
    (relation, ControlPath { steps, threads: 1 })
}

fn variables(random: &mut Random) -> Arena<LocalId, Variable> {
    let mut variables = Arena::new();
    for bits in WIDTHS.into_iter().flat_map(|it| [it, it]) {
        let initial = random.percent(30).then(|| number(random) & c::types::mask(bits));
        let name = format!("x{}", variables.len());
        let ty = Type::Bits(bits);
        variables.push(Variable { name, ty, home: Home::Shared, signed: false, initial, ghost: false });
    }
    variables
}

/// The guard is a conjunction, each part of which may be to blame; the last step fails.
fn command(maker: &mut Expressions<'_>, at: usize, steps: usize) -> Command {
    let (a, b) = (maker.condition(2), maker.condition(2));
    let guard = maker.exprs.binary(c::Binary::And, a, b);
    let mut updates: Vec<Update> = vec![];
    for _ in 0..maker.random.below(3) {
        let (variable, ty) = *maker.random.pick(&maker.variables.clone());
        if updates.iter().all(|it| it.variable != variable) {
            updates.push(Update { variable, value: maker.word(ty, 2) });
        }
    }
    let outcome = match at + 1 == steps {
        true => Outcome::Fail(<PropertyId as Id>::from_index(0)),
        false => Outcome::Go(<ControlId as Id>::from_index(at + 1)),
    };
    Command {
        from: <ControlId as Id>::from_index(at),
        guard,
        others: None,
        choices: vec![],
        updates,
        creates: None,
        outcome,
        steps: vec![],
    }
}

/// Asks about the programs of a folder; how many answers are not ours.
fn programs(request: &Request, folder: &Path) -> Result<u64> {
    let mut settings = Settings::default();
    for (name, value) in [("abstraction.route", "boolean"), ("abstraction.opinion", &request.solver)] {
        verify::set(&mut settings, name, value).map_err(anyhow::Error::msg)?;
    }
    let named = Plan::named(&["abstract".to_string()]).map_err(anyhow::Error::msg)?;
    let plan = Plan { settings, ..named };
    let (mut files, mut with_paths) = (0, 0);
    let mut sums = [0; 3];
    let begun = Instant::now();
    for file in c_files(folder)? {
        let limits = Limits { time: Some(Duration::from_secs(request.timeout)), ..Limits::default() };
        let scope = Scope { threads: Bound::Any };
        let question =
            Question { reading: ReadOptions::default(), scope, plan: plan.clone(), limits, each: false };
        let report = verify::check(&Origin::from_argument(&file), &question, &mut NoEvents);
        let counts = ["agrees", "no answer", "disagrees"].map(|name| {
            let counters = report.counters.iter();
            counters
                .filter(|it| it.who == "second opinion" && it.name == name)
                .map(|it| it.value)
                .sum::<u64>()
        });
        files += 1;
        with_paths += u64::from(counts != [0; 3]);
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        if counts[1] + counts[2] > 0 {
            println!("{}: no answer {}, disagrees {}", file.display(), counts[1], counts[2]);
        }
    }
    let [agreed, unanswered, differed] = sums;
    println!(
        "{}: {files} programs in {:.1} s, {with_paths} with paths: {} agrees on {agreed}, does not answer {unanswered}, disagrees on {differed}",
        folder.display(),
        begun.elapsed().as_secs_f64(),
        request.solver
    );
    Ok(differed)
}

/// The C programs of a folder, in order.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "c" || it == "i") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
