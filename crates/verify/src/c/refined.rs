//! The abstract way's second route: Boolean programs by predicate abstraction, refined along the paths that the engines find in them (`cegar::boolean::prove`). What it
//! proves becomes a proof by predicates of the usual kind where that can be; a path that the C machine confirms is an error.

use super::abstraction::{Abstraction, confirmed};
use super::opinion::{OPINION, Solver};
use super::{Request, Way, WayResult, confirm, rests};
use crate::answer::{Answer, Evidence, Outcome, answer};
use crate::judge;
use crate::limits::{Limits, stop_kind};
use crate::plan::Plan;
use base::events::NoEvents;
use base::settings::Allowed;
use base::{Budget, Events, Setting, Stop};
use cegar::boolean::{BackEnd, Checked, LemmaUse, LoopOptions, Refined, prove};
use cegar::paths::{RealPath, SecondOpinion};
use ir::bp::Program;
use ir::c::relation::{NoRelation, Relation};
use ir::c::{Machine, Op};
use ir::{Model, Property, Reason, ReasonKind, Scope, Task};
use std::sync::Arc;

/// Which of the two routes are taken.
pub const ROUTE: Setting = Setting {
    name: "abstraction.route",
    default: "both",
    allowed: Allowed::Word(&["pairs", "boolean", "both"]),
    help: "close over states of pairs of threads, refine Boolean programs, or the second where the first ends in an alarm",
    paper: "Donaldson, Kaiser, Kroening, Wahl, CAV 2011",
};

/// Whether relations between two threads are tried in Boolean programs.
pub const LEMMAS: Setting = Setting {
    name: "abstraction.lemmas",
    default: "on",
    allowed: Allowed::Switch,
    help: "in Boolean programs, use what holds of two threads where that can be proved step by step",
    paper: "",
};

/// How many threads make the statements of a Boolean program.
pub const WORKERS: Setting = Setting {
    name: "abstraction.workers",
    default: "0",
    allowed: Allowed::Number { least: 0, most: 1024 },
    help: "abstract statements in so many threads; 0 is one for each core",
    paper: "",
};

/// What each engine may spend on one Boolean program.
const ENGINE_TICKS: u64 = 2_000_000;
/// What looking for the C machine's run along a path may cost.
const RUN_TICKS: u64 = 200_000;

/// Whether states of pairs of threads are looked at.
pub fn by_pairs(request: &Request) -> bool {
    request.plan.settings.word(&ROUTE) != "boolean"
}

/// Asks the route; `alarm` is what the other one ended with, if it was asked.
pub fn ask(request: &Request, alarm: Option<String>, budget: &Budget, events: &mut dyn Events) -> WayResult {
    let unknown = |kind, why| WayResult::of(Way::Abstract, Answer::unknown(Reason::new(kind, why)));
    if let Some(alarm) = &alarm
        && request.plan.settings.word(&ROUTE) == "pairs"
    {
        return unknown(ReasonKind::Refinement, alarm.clone());
    }
    let source = &request.source;
    let relation = match Relation::of(&source.program, &source.machine, budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return unknown(stop_kind(stop), stop.to_string()),
        Err(NoRelation::Unsupported(why)) => return unknown(ReasonKind::Unsupported, why),
    };
    // The clock is watched outside; what is stopped there stops here.
    let limits = Limits { time: None, stop: budget.handle().clone(), ..request.limits.clone() };
    let lemmas = if request.plan.settings.is_on(&LEMMAS) { LemmaUse::Proved } else { LemmaUse::Off };
    let mut options = LoopOptions { lemmas, ..LoopOptions::default() };
    options.limits.workers = usize::try_from(request.plan.settings.number(&WORKERS)).unwrap_or(0);
    let solver = Solver::named(request.plan.settings.word(&OPINION), limits.bytes());
    let engines = BooleanEngines { limits, seed: request.plan.seed, ticks: ENGINE_TICKS };
    let mut advised = Advised { engines, solver };
    let found = prove(&relation, &options, &mut advised, budget, events);
    advised.solver.iter().for_each(|solver| solver.report(events));
    let found = match found {
        Ok(found) => found,
        Err(stop) => return unknown(stop_kind(stop), stop.to_string()),
    };
    match found {
        Refined::Proving(cegar::Outcome::Proved { proof, relation, width, rounds, .. }) => {
            let abstraction = Abstraction { relation, proof, width, refinements: rounds.saturating_sub(1) };
            WayResult::of(Way::Abstract, confirmed(request, abstraction, budget))
        }
        Refined::Proving(cegar::Outcome::Alarm { why, .. }) => {
            // The first alarm is the shorter story, the second has the path.
            unknown(ReasonKind::Refinement, format!("{}{why}", story(alarm)))
        }
        Refined::Proving(cegar::Outcome::Unsupported { why, .. }) => unknown(ReasonKind::Unsupported, why),
        Refined::Unchecked { predicates, .. } => {
            let why = format!(
                "its Boolean program over {} predicates is safe, which is not carried back",
                predicates.conditions.len()
            );
            WayResult::of(Way::Abstract, judge::claimed(request.scope, Scope::ANY, &why))
        }
        Refined::Disputed(why) => unknown(ReasonKind::Fault, why),
        Refined::Real { why, path, .. } => match real(request, &relation, &path, budget) {
            Some(answer) => WayResult::of(Way::Abstract, answer),
            None if joins(request, &relation, &path) => unknown(
                ReasonKind::Refinement,
                format!("refinement (join): no run of the program follows this path: {why}"),
            ),
            None => {
                let first =
                    "what the abstract way follows of the program does not exclude a failing assertion";
                unknown(ReasonKind::Refinement, format!("{first}\n{}{why}", story(alarm)))
            }
        },
    }
}

/// What the other route ended with, before what this one says.
fn story(alarm: Option<String>) -> String {
    alarm.map(|it| format!("{it}\n")).unwrap_or_default()
}

/// An error, if the C machine has a run along the path within the bound on threads.
fn real(request: &Request, relation: &Relation, path: &RealPath, budget: &Budget) -> Option<Answer> {
    let source = &request.source;
    let machine = Machine::new(&source.program, source.options(request.scope.threads.limit()));
    let steps = path.run(relation, &machine, &budget.part(RUN_TICKS)).ok()??;
    let trace = confirm::trace_of(source, request.scope.threads.limit(), &steps).ok()?;
    let answer = rests::answer_of(source, trace);
    let refused =
        matches!(&answer.outcome, Outcome::Unknown(reason) if reason.kind != ReasonKind::Approximation);
    (!refused).then_some(answer)
}

/// Whether a thread of the path waits for the end of another: the guarded commands do not follow that everywhere.
fn joins(request: &Request, relation: &Relation, path: &RealPath) -> bool {
    let steps = path.path.steps.iter().flat_map(|it| &relation.commands[it.command].steps);
    steps.into_iter().any(|&at| matches!(request.source.program.at(at).op, Op::Join { .. }))
}

/// The engines, and a solver that is asked for a second opinion if that is wanted.
struct Advised {
    engines: BooleanEngines,
    solver: Option<Solver>,
}

impl BackEnd for Advised {
    fn check(&mut self, program: &Program, budget: &Budget) -> Result<Checked, Stop> {
        self.engines.check(program, budget)
    }

    fn second_opinion(&mut self) -> Option<&mut dyn SecondOpinion> {
        self.solver.as_mut().map(|it| it as &mut dyn SecondOpinion)
    }
}

/// The engines, asked about one Boolean program after the other: for proofs first, then for errors.
pub struct BooleanEngines {
    /// What it may cost.
    pub limits: Limits,
    /// Where random choices start.
    pub seed: u64,
    /// What each engine may spend on one program.
    pub ticks: u64,
}

impl BackEnd for BooleanEngines {
    fn check(&mut self, program: &Program, budget: &Budget) -> Result<Checked, Stop> {
        let model = Model::Program(Arc::new(program.clone()));
        let task = Task { model, property: Property::NoError, scope: Scope::ANY };
        let mut why = String::from("there is no engine");
        for engines in [&["modular"][..], &["explicit", "counter", "cover", "modular"]] {
            budget.spend(1)?;
            let names: Vec<String> = engines.iter().map(|it| it.to_string()).collect();
            let Ok(plan) = Plan::named(&names) else { continue };
            let plan = Plan { seed: self.seed, most_ticks: self.ticks, ..plan };
            match answer(&task, &plan, &self.limits, &mut NoEvents).outcome {
                Outcome::Safe { evidence: Evidence::Confirmed, certificate, .. } => {
                    return Ok(Checked::Safe(certificate.map(Box::new)));
                }
                Outcome::Safe { .. } => return Ok(Checked::Safe(None)),
                Outcome::Unsafe { trace: ir::Trace::Program(trace), .. } => {
                    return Ok(Checked::Fails(Box::new(trace)));
                }
                Outcome::Unsafe { .. } => why = "a program has a trace of something else".into(),
                Outcome::Unknown(reason) => why = reason.message,
            }
        }
        budget.spend(0)?;
        Ok(Checked::Unknown(why))
    }
}
