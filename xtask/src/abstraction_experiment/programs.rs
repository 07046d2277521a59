//! C programs, their Boolean programs and the answers about them, each under a time limit.

use super::times::Time;
use super::{Options, kept, stem};
use anyhow::{Context, Result};
use base::events::NoEvents;
use base::{Budget, Event, Id};
use c::{Binary, ProcId};
use ir::{Model, Reason, ReasonKind, Scope, Task};
use predicates::boolean::{
    Abstraction, Given, Lemma, LemmaUse, Limits, LoopOptions, Predicated, Refined, Request, Settled,
    Treatment, abstraction, of_proof, of_templates, prove, settle, under_lemmas,
};
use relation::proof::Proof;
use relation::{ControlId, Relation};
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
        let relation = Relation::of(&read.program, &c::Options::default(), &Budget::unlimited())
            .map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
        let functions = read.program.procedures().iter().map(|it| it.name.clone()).collect();
        Ok(Named { relation: Arc::new(relation), functions })
    }

    /// The name of a function.
    pub fn function(&self, id: ProcId) -> String {
        self.functions[id.index()].clone()
    }
}

/// Runs a job under a time limit; `None` if it took longer. The time is that of the processor, where the
/// system counts it: others may be at work.
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
    /// What is assumed of two threads.
    pub lemmas: Vec<Lemma>,
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
        let lemmas = lemmas(&relation, &predicated);
        Subject { relation, predicated, lemmas, starts: vec![], treatment: Treatment::Sound, workers }
    }

    /// Its Boolean program and the time that it took.
    pub fn boolean(&self, limit: Duration) -> Option<(Abstraction, Duration)> {
        let (subject, workers) = (self.clone(), self.workers);
        let begun = Instant::now();
        let (made, time) = timed(limit, move |budget| {
            if !subject.lemmas.is_empty() {
                return under_lemmas(&subject.given(), budget).ok();
            }
            let request = Request {
                relation: &subject.relation,
                exprs: &subject.predicated.exprs,
                conditions: &subject.predicated.conditions,
                starts: &subject.starts,
                limits: subject.limits(),
                treatment: subject.treatment,
            };
            abstraction(&request, budget).ok()
        })?;
        // Of several threads only the clock says how long they took.
        Some((made, if workers == 1 { time } else { begun.elapsed() }))
    }

    fn given(&self) -> Given<'_> {
        Given {
            relation: &self.relation,
            exprs: &self.predicated.exprs,
            conditions: &self.predicated.conditions,
            lemmas: &self.lemmas,
            limits: self.limits(),
        }
    }

    fn limits(&self) -> Limits {
        Limits { workers: self.workers, ..Limits::default() }
    }

    /// The same with the lemmas that are proved, if with them the Boolean program is safe.
    pub fn settled(&self, limit: Duration) -> Option<Subject> {
        let subject = self.clone();
        let (lemmas, _) = timed(limit, move |budget| {
            match settle(&subject.given(), LemmaUse::Proved, &mut engines(), budget) {
                Ok(Settled::Safe(lemmas)) => Some(lemmas),
                _ => None,
            }
        })?;
        Some(Subject { lemmas, ..self.clone() })
    }

    /// The same over other conditions.
    pub fn over(&self, conditions: Vec<c::ExprId>) -> Subject {
        let predicated = Predicated { conditions, ..self.predicated.clone() };
        Subject { predicated, ..self.clone() }
    }
}

/// What relations between two threads may be as lemmas: that equal ones differ, that others hold.
fn lemmas(relation: &Relation, predicated: &Predicated) -> Vec<Lemma> {
    let mut lemmas: Vec<Lemma> = vec![];
    for &pair in &predicated.pairs {
        let lemma = Lemma::new(relation, &predicated.exprs, pair, pair.compare == Binary::Eq);
        lemmas.extend(lemma.filter(|it| lemmas.iter().all(|other| other.pair != it.pair)));
    }
    lemmas
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
    let task = Task::new(model, scope);
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

/// Asks the engines for this many threads one after the other; the quickest that decides.
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

/// A program over the conditions that were kept, or that refinement ends with; without a proof those of a
/// proof by pairs, or its own comparisons.
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
        // Files have no relations between threads.
        Some(file) if predicated.pairs.is_empty() => kept::write(&file, &Named::read(path)?, predicated),
        _ => Ok(()),
    }
}

fn file(path: &Path, options: &Options) -> Option<PathBuf> {
    Some(options.keep.as_ref()?.join(stem(path) + ".predicates"))
}

fn engines() -> verify::predicates::BooleanEngines {
    verify::predicates::BooleanEngines { seed: 0, ticks: 2_000_000 }
}

fn refined(relation: &Relation, budget: &Budget) -> Option<Predicated> {
    match prove(relation, &LoopOptions::default(), &mut engines(), budget, &mut NoEvents) {
        Ok(Refined::Proving(predicates::Outcome::Proved { proof, .. })) => Some(of_proof(&proof)),
        Ok(Refined::Unchecked { predicates, .. }) => Some(predicates),
        _ => None,
    }
}

fn by_pairs(relation: &Relation, budget: &Budget) -> Option<Predicated> {
    pairs_proof(relation, budget).map(|it| of_proof(&it))
}

fn pairs_proof(relation: &Relation, budget: &Budget) -> Option<Arc<Proof>> {
    let options = predicates::Options::default();
    match predicates::prove_relation(relation.clone(), &options, budget, &mut NoEvents) {
        Ok(predicates::Outcome::Proved { proof, .. }) => Some(proof),
        _ => None,
    }
}

/// The conditions and relations of a proof by pairs, and the time that it took.
pub fn proved_by_pairs(all: &Subject, limit: Duration) -> Option<(Subject, Duration)> {
    let relation = Arc::clone(&all.relation);
    let (proof, time) = timed(limit, move |budget| pairs_proof(&relation, budget))?;
    Some((Subject::of(Arc::clone(&all.relation), of_proof(&proof), all.workers), time))
}
