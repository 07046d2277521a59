//! The abstract way's second route: Boolean programs by predicate abstraction, refined along the paths that the engines find in them (`predicates::boolean::prove`). What it
//! proves becomes a proof by predicates of the usual kind where that can be; a path that the C machine confirms is an error.

use super::opinion::{OPINION, Solver};
use super::{certificate, proved};
use crate::answer::{Outcome, inside};
use crate::c::trace_of;
use crate::plan::Plan;
use ::c::{Machine, Op, Trace};
use base::events::NoEvents;
use base::settings::Allowed;
use base::{Budget, Event, Setting, Settings, Stop};
use engines::Cx;
use ir::bp::Program;
use ir::c::Model;
use ir::{Reason, ReasonKind, Scope, Task, Verdict, Why};
use predicates::boolean::{BackEnd, Checked, LemmaUse, LoopOptions, Refined, prove};
use predicates::paths::{RealPath, SecondOpinion};
use relation::{NoRelation, Relation};
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
pub fn by_pairs(settings: &Settings) -> bool {
    settings.word(&ROUTE) != "boolean"
}

/// Takes the route; `alarm` is what the other one ended with, if it was taken.
pub fn run(model: &Model, scope: Scope, alarm: Option<String>, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let unknown = |kind, why: String| Ok(Verdict::Unknown(Why::Because(Reason::new(kind, why))));
    if let Some(alarm) = &alarm
        && cx.settings.word(&ROUTE) == "pairs"
    {
        return unknown(ReasonKind::Refinement, alarm.clone());
    }
    let relation = match model.relation(cx.budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(why)) => return unknown(ReasonKind::Unsupported, why),
    };
    let found = refined(&relation, cx)?;
    match found {
        Refined::Proving(predicates::Outcome::Proved { proof, relation, rounds, .. }) => {
            Ok(proved(certificate(relation, proof, rounds)))
        }
        Refined::Proving(predicates::Outcome::Alarm { why, .. }) => {
            // The first alarm is the shorter story, the second has the path.
            unknown(ReasonKind::Refinement, format!("{}{why}", story(alarm)))
        }
        Refined::Proving(predicates::Outcome::Unsupported { why, .. }) => {
            unknown(ReasonKind::Unsupported, why)
        }
        Refined::Unchecked { .. } => {
            cx.events.emit(Event::NoCertificate(
                "the Boolean program is safe, but the proof could not be lifted to C",
            ));
            Ok(Verdict::Safe { scope: Scope::ANY, certificate: None })
        }
        Refined::Disputed(why) => unknown(ReasonKind::Fault, why),
        Refined::Real { why, path, .. } => {
            match real(model, scope, &Real { relation: &relation, path: &path }, cx)? {
                Some(trace) => Ok(Verdict::Unsafe(ir::Trace::C(trace))),
                None if joins(model, &relation, &path) => unknown(
                    ReasonKind::Refinement,
                    format!("refinement (join): no run of the program follows this path: {why}"),
                ),
                None => {
                    let first =
                        "what the abstract way follows of the program does not exclude a failing assertion";
                    unknown(ReasonKind::Refinement, format!("{first}\n{}{why}", story(alarm)))
                }
            }
        }
    }
}

/// Refines Boolean programs.
fn refined(relation: &Relation, cx: &mut Cx<'_>) -> Result<Refined, Stop> {
    let lemmas = if cx.settings.is_on(&LEMMAS) { LemmaUse::Proved } else { LemmaUse::Off };
    let mut options = LoopOptions { lemmas, ..LoopOptions::default() };
    options.limits.workers = usize::try_from(cx.settings.number(&WORKERS)).unwrap_or(0);
    let solver = Solver::named(cx.settings.word(&OPINION), cx.facts.given.memory);
    let engines = BooleanEngines { seed: cx.seed, ticks: ENGINE_TICKS };
    let mut advised = Advised { engines, solver };
    let found = prove(relation, &options, &mut advised, cx.budget, cx.events);
    advised.solver.iter().for_each(|solver| solver.report(cx.events));
    found
}

/// What the other route ended with, before what this one says.
fn story(alarm: Option<String>) -> String {
    alarm.map(|it| format!("{it}\n")).unwrap_or_default()
}

/// A path into an error of a program as guarded commands.
struct Real<'a> {
    relation: &'a Relation,
    path: &'a RealPath,
}

/// An error, if the C machine has a run along the path within the bound on threads.
fn real(model: &Model, scope: Scope, real: &Real<'_>, cx: &Cx<'_>) -> Result<Option<Trace>, Stop> {
    let threads = scope.threads.limit();
    let machine = Machine::new(&model.program, model.options(threads));
    let steps = match real.path.run(real.relation, &machine, &cx.budget.part(RUN_TICKS)) {
        Ok(steps) => steps,
        Err(_) => {
            // Only this part of the budget may be at its end.
            cx.budget.spend(0)?;
            None
        }
    };
    Ok(steps.and_then(|steps| trace_of(model, threads, &steps).ok()))
}

/// Whether a thread of the path waits for the end of another: the guarded commands do not follow that everywhere.
fn joins(model: &Model, relation: &Relation, path: &RealPath) -> bool {
    let steps = path.path.steps.iter().flat_map(|it| &relation.commands[it.command].steps);
    steps.into_iter().any(|&at| matches!(model.program.at(at).op, Op::Join { .. }))
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
    /// Where random choices start.
    pub seed: u64,
    /// What each engine may spend on one program.
    pub ticks: u64,
}

impl BackEnd for BooleanEngines {
    fn check(&mut self, program: &Program, budget: &Budget) -> Result<Checked, Stop> {
        let task = Task::new(ir::Model::Program(Arc::new(program.clone())), Scope::ANY);
        let mut why = String::from("there is no engine");
        for engines in [&["modular"][..], &["explicit", "counter", "cover", "modular"]] {
            budget.spend(1)?;
            let names: Vec<String> = engines.iter().map(|it| it.to_string()).collect();
            let Ok(plan) = Plan::named(&names) else { continue };
            let plan = Plan { seed: self.seed, most_ticks: self.ticks, ..plan };
            match inside(&task, &plan, budget, &mut NoEvents).outcome {
                Outcome::Safe { proof, .. } => {
                    let certificate = proof.certificate().filter(|_| proof.is_confirmed());
                    return Ok(Checked::Safe(certificate.cloned().map(Box::new)));
                }
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
