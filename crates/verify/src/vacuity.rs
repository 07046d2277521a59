//! Vacuity: an assertion that no run reaches holds whatever it says, and a proof that rests on such assertions says less than it seems to.
//! After a proof the assertions are looked for in the model itself: one question asks whether any of them is reached; whichever the answer
//! finds is taken out and the question is put again, until none is left, or until it is proved that the rest is never reached.
//! That costs a few ticks a question. Where they do not suffice it is not known, and that is told too.

use crate::answer::{Answer, Outcome, answer};
use crate::c;
use crate::check::{Question, Report};
use crate::limits::Limits;
use crate::plan::Plan;
use crate::properties::{ListedProperty, PropertyKind, alone, arrival, violates};
use base::{Events, NoEvents};
use front::Source;
use ir::{Reason, ReasonKind, Scope};
use std::time::Instant;

/// What an engine may spend on one question.
const TICKS: u64 = 50_000;
/// The most questions about a small file; each looks at the whole of it.
const QUESTIONS: usize = 100;
/// So many locations, over all questions, are looked at.
const LOCATIONS: usize = 500_000;

/// Which assertions are reached. Those of neither list are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vacuity {
    /// No run within the scope reaches these.
    pub unreached: Vec<usize>,
    /// It is not known whether a run reaches these.
    pub unknown: Vec<usize>,
}

/// Looks which assertions of a file that was proved safe are reached, with what is left of the limits.
pub fn vacuity(report: &Report, question: &Question) -> Vacuity {
    let begun = Instant::now();
    let (Some(Outcome::Safe { .. }), Some(source)) = (report.outcome(), &report.source) else {
        return Vacuity::default();
    };
    let is_condition = |index: &usize| report.properties[*index].is_condition();
    let mut open: Vec<usize> = (0..report.properties.len()).filter(is_condition).collect();
    for _ in 0..(LOCATIONS / size(source).max(1)).clamp(2, QUESTIONS) {
        if open.is_empty() {
            return Vacuity::default();
        }
        let listed: Vec<&ListedProperty> = open.iter().map(|&index| &report.properties[index]).collect();
        let Some(changed) = arrival(source, &listed) else { break };
        let limits = question.limits.after(report.time.saturating_add(begun.elapsed()));
        match briefly(&changed, question.scope, &limits) {
            Outcome::Safe { .. } => return Vacuity { unreached: open, unknown: vec![] },
            Outcome::Unsafe { trace, .. } => {
                let before = open.len();
                open.retain(|&index| !violates(&report.properties[index], &trace));
                if open.len() == before {
                    break;
                }
            }
            Outcome::Unknown(_) => break,
        }
    }
    Vacuity { unreached: vec![], unknown: open }
}

/// Asks those engines that are quick to find a state and can prove that there is none.
fn briefly(source: &Source, scope: Scope, limits: &Limits) -> Outcome {
    let recursive = matches!(source, Source::Program(program) if program.recursive_procedure().is_some());
    let mut names = ["explicit", "modular", "cover"].map(str::to_string).to_vec();
    names.extend(recursive.then(|| "rounds".to_string()));
    let plan = Plan::named(&names).expect("these engines are built");
    let plan = Plan { most_ticks: TICKS, ..plan };
    match source {
        Source::C(program) => {
            let request = c::Request { source: program.clone(), scope, plan, limits: limits.clone() };
            c::briefly(&request, TICKS)
        }
        source => match source.task(scope) {
            Some(task) => answer(&task, &plan, limits, &mut NoEvents).outcome,
            None => Outcome::Unknown(Reason::new(ReasonKind::Unsupported, "no model")),
        },
    }
}

fn size(source: &Source) -> usize {
    match source {
        Source::Program(program) => program.locations().len(),
        Source::Net(net) => net.rules().len(),
        Source::C(source) => source.program.locations().len(),
    }
}

/// An answer for each property of a file, as if it were the only one. What is proved of all together is proved of each. The time that is
/// left is divided among those that are still to be asked about.
pub fn each(report: &Report, question: &Question, events: &mut dyn Events) -> Vec<Answer> {
    let begun = Instant::now();
    let (Some(whole), Some(source)) = (&report.answer, &report.source) else { return vec![] };
    if let (Outcome::Safe { .. }, _) | (_, 1) = (&whole.outcome, report.properties.len()) {
        return vec![whole.clone(); report.properties.len()];
    }
    let mut answers = vec![];
    for (index, property) in report.properties.iter().enumerate() {
        let limits = question.limits.after(report.time.saturating_add(begun.elapsed()));
        let limits = limits.share(report.properties.len() - index);
        if property.kind == PropertyKind::Undefined {
            // It was found in the file as a whole, and only there it is looked for.
            answers.push(whole.clone());
            continue;
        }
        answers.push(match alone(source, property) {
            Some(Source::C(source)) => {
                let (scope, plan) = (question.scope, question.plan.clone());
                c::answer(&c::Request { source, scope, plan, limits }, events)
            }
            Some(source) => match source.task(question.scope) {
                Some(task) => answer(&task, &question.plan, &limits, events),
                None => unsupported(),
            },
            None => unsupported(),
        });
    }
    answers
}

fn unsupported() -> Answer {
    let message = "this property cannot be looked at alone";
    Answer::unknown(Reason::new(ReasonKind::Unsupported, message))
}
