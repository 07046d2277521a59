//! C programs, their Boolean programs and the answers about them, each under a time limit.

use super::times::Time;
use super::{Options, kept, stem};
use anyhow::{Context, Result};
use base::events::NoEvents;
use base::{Budget, Event, Id};
use cegar::boolean::{
    Abstraction, Limits, LoopOptions, Predicated, Refined, Request, Treatment, abstraction, of_proof,
    of_templates, prove,
};
use ir::c::ProcId;
use ir::c::relation::proof::{PairPredicate, Proof};
use ir::c::relation::{ControlId, Relation};
use ir::{Model, Reason, ReasonKind, Scope, Task};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use verify::{Ended, Outcome, Plan, RunContext};

/// The most memory for one job and what those before it left.
const MEMORY: u64 = 8 << 30;
/// The comparisons that are taken where there is no proof.
const LAYER: usize = 2;

/// The commands of a C program and the names of its functions.
pub struct Named {
    /// The commands.
    pub relation: Arc<Relation>,
    functions: Vec<String>,
}

impl Named {
    /// Reads a program.
    fn read(path: &Path) -> Result<Named> {
        let text = std::fs::read_to_string(path)?;
        let name = path.to_string_lossy();
        let read =
            testing::programs::normalised(&name, &text, &[]).with_context(|| format!("{name} is no C"))?;
        let relation = Relation::of(&read.program, &ir::c::Options::default(), &Budget::unlimited())
            .map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
        let functions = read.program.procedures().iter().map(|it| it.name.clone()).collect();
        Ok(Named { relation: Arc::new(relation), functions })
    }

    /// The name of a function.
    pub fn function(&self, id: ProcId) -> String {
        self.functions[id.index()].clone()
    }
}

/// Runs a job under a time limit; `None` if it took longer. The time is that of the processor, where the system counts it: others may be at work.
pub fn timed<T: Send + 'static>(
    limit: Duration,
    job: impl FnOnce(&Budget) -> Option<T> + Send + 'static,
) -> Option<(T, Duration)> {
    let limits = verify::Limits { time: Some(limit), memory: Some(MEMORY), ..verify::Limits::default() };
    let job = move |context: RunContext<Event>| {
        let (begun, used) = (Instant::now(), processor());
        let done = job(&Budget::new(u64::MAX, context.stop.clone()));
        let time = match (used, processor()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => begun.elapsed(),
        };
        done.map(|it| (it, time))
    };
    match verify::supervise(&limits, &mut |_| {}, job) {
        Ended::Done(done) => done,
        _ => None,
    }
}

/// The time that this thread had a processor.
fn processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

/// What is abstracted, with the conditions that it is abstracted over.
#[derive(Clone)]
pub struct Subject {
    /// The commands.
    pub relation: Arc<Relation>,
    /// The conditions.
    pub predicated: Predicated,
    /// Relations between two threads: only without symmetry they are predicates.
    pub pairs: Vec<PairPredicate>,
    /// Where threads stand at the start, if not where the relation says.
    pub starts: Vec<ControlId>,
    /// How mixed predicates are treated.
    pub treatment: Treatment,
    /// How many threads abstract statements.
    pub workers: usize,
}

impl Subject {
    /// A program over conditions.
    fn of(relation: Arc<Relation>, predicated: Predicated, workers: usize) -> Subject {
        let treatment = Treatment::Sound;
        Subject { relation, predicated, pairs: vec![], starts: vec![], treatment, workers }
    }

    /// Its Boolean program and the time that it took.
    pub fn boolean(&self, limit: Duration) -> Option<(Abstraction, Duration)> {
        let (subject, workers) = (self.clone(), self.workers);
        let begun = Instant::now();
        let (made, time) = timed(limit, move |budget| {
            let request = Request {
                relation: &subject.relation,
                exprs: &subject.predicated.exprs,
                conditions: &subject.predicated.conditions,
                starts: &subject.starts,
                limits: Limits { workers, ..Limits::default() },
                treatment: subject.treatment,
            };
            abstraction(&request, budget).ok()
        })?;
        // Of several threads only the clock says how long they took.
        Some((made, if workers == 1 { time } else { begun.elapsed() }))
    }

    /// The same over other conditions.
    pub fn over(&self, conditions: Vec<ir::c::ExprId>) -> Subject {
        let predicated = Predicated { conditions, exprs: self.predicated.exprs.clone() };
        Subject { predicated, ..self.clone() }
    }
}

/// What an engine says about a Boolean program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineResult {
    /// Safe.
    Safe,
    /// It fails.
    Fails,
    /// An alarm that the engine could not confirm.
    Alarm,
    /// No answer in time.
    Late,
}

/// Asks an engine, and how long that took.
pub fn ask(
    program: &ir::bp::Program,
    scope: Scope,
    engine: &str,
    limit: Duration,
) -> Result<(EngineResult, Time)> {
    let model = Model::Program(Arc::new(program.clone()));
    let task = Task { model, property: Default::default(), scope };
    let plan = Plan::named(&[engine.to_string()]).map_err(anyhow::Error::msg)?;
    let limits = verify::Limits { time: Some(limit), memory: Some(MEMORY), ..verify::Limits::default() };
    let begun = Instant::now();
    let outcome = verify::answer(&task, &plan, &limits, &mut NoEvents).outcome;
    let time = begun.elapsed();
    Ok(match outcome {
        Outcome::Safe { .. } => (EngineResult::Safe, Time::Took(time)),
        Outcome::Unsafe { .. } => (EngineResult::Fails, Time::Took(time)),
        // Work is asked to stop a little before its time has passed.
        Outcome::Unknown(Reason { kind: ReasonKind::Time, .. }) => {
            (EngineResult::Late, Time::MoreThan(limit))
        }
        Outcome::Unknown(Reason { kind: ReasonKind::Memory, .. }) => {
            (EngineResult::Late, Time::MoreThan(time))
        }
        Outcome::Unknown(_) => (EngineResult::Alarm, Time::MoreThan(time)),
    })
}

/// Asks the engines for so many threads one after the other; the quickest that decides.
pub fn bounded(program: &ir::bp::Program, threads: usize, options: &Options) -> Result<(EngineResult, Time)> {
    let scope = Scope::threads(u32::try_from(threads)?);
    let mut best = (EngineResult::Late, Time::MoreThan(options.limit));
    for engine in &options.engines {
        let (result, time) = ask(program, scope, engine, best.1.least())?;
        if matches!(result, EngineResult::Safe | EngineResult::Fails) && time.least() <= best.1.least() {
            best = (result, time);
        }
    }
    Ok(best)
}

/// A program over its own comparisons.
pub fn compared(path: &Path, layer: usize, options: &Options) -> Result<Subject> {
    let relation = Named::read(path)?.relation;
    let predicated = of_templates(&relation, layer, &Budget::unlimited());
    let predicated = predicated.map_err(|stop| anyhow::anyhow!("{stop}"))?;
    Ok(Subject::of(relation, predicated, options.workers))
}

/// A program over the conditions that were kept, or that refinement ends with; without a proof those of a proof by pairs, or its own comparisons.
pub fn refined_subject(path: &Path, options: &Options) -> Result<Subject> {
    let named = Named::read(path)?;
    if let Some(file) = file(path, options)
        && let Some(predicated) = kept::read(&file, &named)?
    {
        return Ok(Subject::of(named.relation, predicated, options.workers));
    }
    let mut found = None;
    for look in [refined, by_pairs] {
        let relation = Arc::clone(&named.relation);
        found = found.or_else(|| timed(options.refine, move |budget| look(&relation, budget)));
    }
    match found {
        Some((predicated, _)) => Ok(Subject::of(named.relation, predicated, options.workers)),
        None => compared(path, LAYER, options),
    }
}

/// Keeps the conditions of a program, if they are to be kept.
pub fn keep(path: &Path, predicated: &Predicated, options: &Options) -> Result<()> {
    match file(path, options) {
        Some(file) => kept::write(&file, &Named::read(path)?, predicated),
        None => Ok(()),
    }
}

fn file(path: &Path, options: &Options) -> Option<PathBuf> {
    Some(options.keep.as_ref()?.join(stem(path) + ".predicates"))
}

fn refined(relation: &Relation, budget: &Budget) -> Option<Predicated> {
    let limits =
        verify::Limits { stop: budget.handle().clone(), memory: Some(MEMORY), ..verify::Limits::default() };
    let mut engines = verify::c::BooleanEngines { limits, seed: 0, ticks: 2_000_000 };
    match prove(relation, &LoopOptions::default(), &mut engines, budget, &mut NoEvents) {
        Ok(Refined::Proving(cegar::Outcome::Proved { proof, .. })) => Some(of_proof(&proof)),
        Ok(Refined::Unchecked { predicates, .. }) => Some(predicates),
        _ => None,
    }
}

fn by_pairs(relation: &Relation, budget: &Budget) -> Option<Predicated> {
    pairs_proof(relation, budget).map(|it| of_proof(&it))
}

fn pairs_proof(relation: &Relation, budget: &Budget) -> Option<Arc<Proof>> {
    let options = cegar::Options::default();
    match cegar::prove_relation(relation.clone(), &options, budget, &mut NoEvents) {
        Ok(cegar::Outcome::Proved { proof, .. }) => Some(proof),
        _ => None,
    }
}

/// The conditions and relations of a proof by pairs, and the time that it took.
pub fn proved_by_pairs(all: &Subject, limit: Duration) -> Option<(Subject, Duration)> {
    let relation = Arc::clone(&all.relation);
    let (proof, time) = timed(limit, move |budget| pairs_proof(&relation, budget))?;
    let subject = Subject { predicated: of_proof(&proof), pairs: proof.pairs.clone(), ..all.clone() };
    Some((subject, time))
}
