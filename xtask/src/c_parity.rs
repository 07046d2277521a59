//! C programs read literally and then passed through the passes, against the same programs by the usual
//! reading: how large both are, and what engines say of both in how many ticks.

use crate::c_passes::{chain, collect};
use crate::options::each;
use anyhow::{Result, bail};
use base::events::NoEvents;
use c::{AccessKind, Control, LocalScope, ObjectScope, Program};
use ir::{Model, Scope, Task};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::programs::{Expectation, literal, model, normalised};
use verify::{Limits, Outcome, Plan, answer};

struct Options {
    paths: Vec<PathBuf>,
    /// One file of this many is taken.
    every: usize,
    only: String,
    engines: Vec<String>,
    /// Prints the programs.
    show: bool,
}

/// The command `c-parity`.
pub fn run(args: &[String]) -> Result<()> {
    let mut options = Options { paths: vec![], every: 1, only: String::new(), engines: vec![], show: false };
    each(args, |name, value| {
        match name {
            "" => options.paths.push(value.into()),
            "--every" => options.every = value.parse()?,
            "--only" => options.only = value.into(),
            "--engines" => options.engines = value.split(',').map(String::from).collect(),
            "--show" => options.show = value == "true",
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if options.paths.is_empty() {
        bail!("no programs");
    }
    let mut all = vec![];
    options.paths.iter().try_for_each(|path| collect(path, &mut all))?;
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    for path in all.iter().step_by(options.every).filter(|it| it.to_string_lossy().contains(&options.only)) {
        for (kind, ahead) in compared(path, &options)? {
            *totals.entry(format!("{kind}: {ahead}")).or_default() += 1;
        }
    }
    totals.iter().for_each(|(kind, count)| println!("{count:6} {kind}"));
    Ok(())
}

/// Compares a program's two forms, and prints where the literal one is worse.
fn compared(path: &Path, options: &Options) -> Result<Vec<(String, &'static str)>> {
    let text = base::bytes::decode(std::fs::read(path)?);
    let name = path.display().to_string();
    let args = Expectation::read(&text).map_or(vec![], |it| it.args);
    let (Some(usual), Some(read)) = (normalised(&name, &text, &args), literal(&name, &text, &args)) else {
        return Ok(vec![("read".into(), "no")]);
    };
    let done = chain(&read.program, |_| {});
    if options.show {
        println!("{}\n-----\n{}", c::text::print(&usual.program), c::text::print(&done.program));
    }
    let mut found = vec![];
    let mut words = vec![];
    for ((kind, one), (_, other)) in sizes(&usual.program).into_iter().zip(sizes(&done.program)) {
        let ahead = match one.cmp(&other) {
            std::cmp::Ordering::Less => "worse",
            std::cmp::Ordering::Equal => "same",
            std::cmp::Ordering::Greater => "better",
        };
        if one != other {
            words.push(format!("{kind} {one}/{other}"));
        }
        found.push((kind.to_string(), ahead));
    }
    for engine in &options.engines {
        let (one, other) = (effort(&usual.program, engine)?, effort(&done.program, engine)?);
        let ahead = match (one.0, other.0) {
            _ if one == other => "same",
            ("-", _) => "better",
            (_, "-") => "worse",
            (a, b) if a != b => "DIFFERENT",
            _ if one.1 < other.1 => "worse",
            _ => "better",
        };
        if ahead != "same" {
            words.push(format!("{engine} {} {}/{} {} ({ahead})", one.0, one.1, other.0, other.1));
        }
        found.push((engine.clone(), ahead));
    }
    if !words.is_empty() {
        println!("{name}: {}; {}", words.join(", "), done.runs.join(" "));
    }
    done.refused.iter().for_each(|why| println!("{name}: refused: {why}"));
    Ok(found)
}

/// What makes a program hard.
fn sizes(program: &Program) -> Vec<(&'static str, usize)> {
    let reach: Vec<c::Loc> = used(program);
    let effects: Vec<_> = reach.iter().map(|&loc| (loc, program.effects(loc))).collect();
    let shared = |(loc, it): &&(c::Loc, c::Effects)| {
        let access = |kind| matches!(kind, AccessKind::Read | AccessKind::Write | AccessKind::Update);
        it.accesses.iter().any(|it| access(it.kind)) && !program.at(*loc).private
    };
    let procedures: std::collections::BTreeSet<_> =
        reach.iter().map(|&loc| program.at(loc).procedure).collect();
    let mut registers = std::collections::BTreeSet::new();
    for &loc in &reach {
        registers.extend(program.at(loc).op.writes());
    }
    registers.retain(|it| matches!(program.locals()[*it].scope, LocalScope::Procedure(_)));
    let mut objects = std::collections::BTreeSet::new();
    for &loc in &reach {
        let op = &program.at(loc).op;
        objects.extend(op.entered_or_left());
        objects.extend(op.places().into_iter().filter_map(c::Place::object));
    }
    objects.retain(|it| program.objects()[*it].scope != ObjectScope::Static);
    let pointers =
        effects.iter().filter(|(loc, _)| program.at(*loc).op.places().iter().any(|it| it.object().is_none()));
    vec![
        ("locations", reach.len()),
        ("procedures", procedures.len()),
        ("registers", registers.len()),
        ("shared", effects.iter().filter(shared).count()),
        ("pointers", pointers.count()),
        ("calls", effects.iter().filter(|(_, it)| matches!(it.control, Control::Call(_))).count()),
        ("objects", objects.len()),
        ("creates", effects.iter().filter(|(_, it)| it.creates().is_some()).count()),
    ]
}

/// The locations of procedures that may run.
fn used(program: &Program) -> Vec<c::Loc> {
    let mut seen = std::collections::BTreeSet::new();
    let mut work = vec![program.procedures()[program.main()].entry];
    while let Some(loc) = work.pop() {
        if seen.insert(loc) {
            work.extend(program.successors(loc));
            work.extend(program.effects(loc).begins().map(|it| program.procedures()[it].entry));
        }
    }
    seen.into_iter().collect()
}

/// What an engine says, and which of some numbers of ticks it needs for that.
fn effort(program: &Program, engine: &str) -> Result<(&'static str, u64)> {
    let plan = Plan::named(&[engine.to_string()]).map_err(|why| anyhow::anyhow!("{why}"))?;
    let task = Task::new(Model::C(model(program).into()), Scope::ANY);
    let mut ticks = 50_000;
    while ticks <= 4_000_000 {
        let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
        let plan = Plan { most_ticks: ticks, ..plan.clone() };
        match answer(&task, &plan, &limits, &mut NoEvents).outcome {
            Outcome::Safe { .. } => return Ok(("safe", ticks)),
            Outcome::Unsafe { .. } => return Ok(("unsafe", ticks)),
            Outcome::Unknown(why) if why.kind == ir::ReasonKind::Unsupported => break,
            Outcome::Unknown(_) => ticks *= 4,
        }
    }
    Ok(("-", 0))
}
