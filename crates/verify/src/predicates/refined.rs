//! The abstract way's second route: Boolean programs by predicate abstraction, refined along the paths that
//! the engines find in them (`predicates::boolean::prove`). What it proves becomes a proof by predicates of
//! the usual kind where that can be; a path that the C machine confirms is an error.

use super::opinion::{OPINION, Solver};
use super::{certificate, proved};
use crate::answer::{Outcome, inside};
use crate::c::trace_of;
use crate::plan::Plan;
use ::c::{Machine, ThreadEffect, Trace};
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
    help: "abstract statements in this many threads; 0 is one for each core",
    paper: "",
};

/// What each engine may spend on one Boolean program.
const ENGINE_TICKS: u64 = 2_000_000;
/// What looking for the C machine's run along a path may cost.
const RUN_TICKS: u64 = 200_000;

/// Which routes are taken.
pub enum Route {
    Pairs,
    Boolean,
    Both,
}

/// The routes that the user wants.
pub fn route(settings: &Settings) -> Route {
    match settings.word(&ROUTE) {
        "pairs" => Route::Pairs,
        "boolean" => Route::Boolean,
        _ => Route::Both,
    }
}

/// How the route ended.
pub enum Ended {
    /// It decides, or what it says needs no more words.
    Verdict(Verdict),
    /// What is not excluded: what the other route says of it comes before.
    Alarm {
        /// What comes before that.
        first: &'static str,
        /// The story.
        why: String,
    },
    /// Two solvers contradict each other.
    Disputed(String),
}

/// The verdict; `alarm` is what the other route ended with, if it was taken.
pub fn verdict(ended: Ended, alarm: Option<String>) -> Verdict {
    match ended {
        Ended::Verdict(verdict) => verdict,
        // The first alarm is the shorter story, the second has the path.
        Ended::Alarm { first, why } => {
            unknown(ReasonKind::Refinement, format!("{first}{}{why}", story(alarm)))
        }
        Ended::Disputed(why) => unknown(ReasonKind::Fault, why),
    }
}

fn unknown(kind: ReasonKind, why: String) -> Verdict {
    Verdict::Unknown(Why::Because(Reason::new(kind, why)))
}

/// Takes the route.
pub fn run(model: &Model, scope: Scope, cx: &mut Cx<'_>) -> Result<Ended, Stop> {
    let relation = match model.relation(cx.budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(why)) => return Ok(unsupported(why)),
    };
    Ok(match refined(&relation, cx)? {
        Refined::Proving(predicates::Outcome::Proved { proof, relation, rounds, .. }) => {
            Ended::Verdict(proved(certificate(relation, proof, rounds)))
        }
        Refined::Proving(predicates::Outcome::Alarm { why, .. }) => Ended::Alarm { first: "", why },
        Refined::Proving(predicates::Outcome::Race { .. }) => {
            unsupported("Boolean programs know nothing of accesses".into())
        }
        Refined::Proving(predicates::Outcome::Unsupported { why, .. }) => unsupported(why),
        Refined::Unchecked { .. } => {
            cx.events.emit(Event::NoCertificate(
                "the Boolean program is safe, but the proof could not be lifted to C",
            ));
            Ended::Verdict(Verdict::Safe { scope: Scope::ANY, certificate: None })
        }
        Refined::Disputed(why) => Ended::Disputed(why),
        Refined::Real { why, path, .. } => {
            match real(model, scope, &Real { relation: &relation, path: &path }, cx)? {
                Some(trace) => Ended::Verdict(Verdict::Unsafe(ir::Trace::C(trace))),
                None if joins(model, &relation, &path) => Ended::Verdict(unknown(
                    ReasonKind::Refinement,
                    format!("refinement (join): no run of the program follows this path: {why}"),
                )),
                None => Ended::Alarm { first: ABSTRACTED, why },
            }
        }
    })
}

fn unsupported(why: String) -> Ended {
    Ended::Verdict(unknown(ReasonKind::Unsupported, why))
}

/// What is told where the machine has no run along a path that the formulas do not exclude.
const ABSTRACTED: &str =
    "what the abstract way follows of the program does not exclude a failing assertion\n";

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

/// Whether a thread of the path waits for the end of another: the guarded commands do not follow that
/// everywhere.
fn joins(model: &Model, relation: &Relation, path: &RealPath) -> bool {
    let steps = path.path.steps.iter().flat_map(|it| &relation.commands[it.command].steps);
    steps.into_iter().any(|&at| matches!(model.program.effects(at).threads, Some(ThreadEffect::Join(_))))
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
        // Which path to an error is found decides what refinement learns, and the paths of decision diagrams,
        // which keep all choices, lead it to the proof of a ticket lock.
        let questions = [
            (&["modular"][..], self.ticks),
            (&["counter"], self.ticks),
            (&["explicit", "cover", "modular"], self.ticks),
        ];
        for (engines, most_ticks) in questions {
            budget.spend(1)?;
            let names: Vec<String> = engines.iter().map(|it| it.to_string()).collect();
            let Ok(plan) = Plan::named(&names) else { continue };
            let plan = Plan { seed: self.seed, most_ticks, ..plan };
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
