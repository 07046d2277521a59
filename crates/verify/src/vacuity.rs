//! Vacuity: an assertion that no run reaches holds whatever it says, and a proof that rests on such
//! assertions says less than it seems to. After a proof the assertions are looked for in the model itself:
//! one question asks whether any of them is reached; whichever the answer finds is taken out and the question
//! is put again, until none is left, or until it is proved that the rest is never reached. That costs a few
//! ticks a question. Where they do not suffice it is not known, and that is told too.

use crate::answer::{Answer, Note, Outcome, inside, within};
use crate::c;
use crate::check::{Question, Report};
use crate::plan::Plan;
use crate::properties::{alone, arrival};
use crate::supervise::RunContext;
use base::budget::StopHandle;
use base::{Budget, NoEvents};
use ir::c::Model as CModel;
use ir::property::{PropertyClass, UNDEFINED};
use ir::{Model, Property, Reason, ReasonKind, Scope, Task};
use std::sync::Arc;
use std::time::Duration;

/// What an engine may spend on one question.
const TICKS: u64 = 50_000;
/// The most questions about a small file; each looks at the whole of it.
const QUESTIONS: usize = 100;
/// This many locations, over all questions, are looked at.
const LOCATIONS: usize = 500_000;

/// Which assertions are reached. Those of neither list are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vacuity {
    /// No run within the scope reaches these.
    pub unreached: Vec<usize>,
    /// It is not known whether a run reaches these.
    pub unknown: Vec<usize>,
}

/// Looks which assertions of a file that was proved safe are reached.
pub(crate) fn vacuity(report: &Report, scope: Scope, stop: &StopHandle) -> Vacuity {
    let (Some(Outcome::Safe { .. }), Some(source)) = (report.outcome(), &report.source) else {
        return Vacuity::default();
    };
    let model = source.model();
    let is_condition = |index: &usize| report.properties[*index].is_condition();
    let mut open: Vec<usize> = (0..report.properties.len()).filter(is_condition).collect();
    for _ in 0..(LOCATIONS / size(&model).max(1)).clamp(2, QUESTIONS) {
        if open.is_empty() {
            return Vacuity::default();
        }
        let listed: Vec<&Property> = open.iter().map(|&index| &report.properties[index]).collect();
        let Some(changed) = arrival(&model, &listed) else { break };
        match reached(changed, scope, stop) {
            Outcome::Safe { .. } => return Vacuity { unreached: open, unknown: vec![] },
            Outcome::Unsafe { trace, .. } => {
                let before = open.len();
                open.retain(|&index| !report.properties[index].is_violated_by(&trace));
                if open.len() == before {
                    break;
                }
            }
            Outcome::Unknown(_) => break,
        }
    }
    Vacuity { unreached: vec![], unknown: open }
}

/// Asks whether anything is reached: most programs tell without passes, which cost more than the answer.
fn reached(model: Model, scope: Scope, stop: &StopHandle) -> Outcome {
    if let Model::C(literal) = &model
        && literal.wants_passes
    {
        let plain = CModel { wants_passes: false, ..CModel::clone(literal) };
        let found = briefly(Model::C(Arc::new(plain)), scope, stop);
        if !matches!(found, Outcome::Unknown(_)) {
            return found;
        }
    }
    briefly(model, scope, stop)
}

/// Asks those engines that are quick to find a state and can prove that there is none.
fn briefly(model: Model, scope: Scope, stop: &StopHandle) -> Outcome {
    let recursive = matches!(&model, Model::Program(program) if program.recursive_procedure().is_some());
    let mut names = ["explicit", "modular", "cover", c::CONCRETE].map(str::to_string).to_vec();
    names.extend(recursive.then(|| "rounds".to_string()));
    let plan = Plan::named(&names).expect("these engines are built");
    let plan = Plan { most_ticks: TICKS, ..plan };
    let budget = Budget::new(u64::MAX, stop.clone());
    inside(&Task::new(model, scope), &plan, &budget, &mut NoEvents).outcome
}

fn size(model: &Model) -> usize {
    match model {
        Model::Program(program) => program.locations().len(),
        Model::Net(net) => net.rules().len(),
        Model::C(model) => model.program.locations().len(),
    }
}

/// An answer for each property of a file, as if it were the only one. What is proved of all together is
/// proved of each. The time that is left is divided among those that are still to be asked about.
pub(crate) fn each(
    report: &Report,
    question: &Question,
    classes: &'static [PropertyClass],
    context: &RunContext<Note>,
) -> Vec<Answer> {
    let (Some(whole), Some(source)) = (&report.answer, &report.source) else { return vec![] };
    if let (Outcome::Safe { .. }, _) | (_, 1) = (&whole.outcome, report.properties.len()) {
        return vec![whole.clone(); report.properties.len()];
    }
    let mut answers = vec![];
    let begun = std::time::Instant::now();
    for (index, property) in report.properties.iter().enumerate() {
        if property.class == UNDEFINED {
            // It was found in the file as a whole, and only there it is looked for.
            answers.push(whole.clone());
            continue;
        }
        let passed: Duration = report.time.saturating_add(begun.elapsed());
        let share = question.limits.after(passed).share(report.properties.len() - index);
        let limits = crate::limits::Limits { time: share, ..question.limits.clone() };
        answers.push(match alone(&source.model(), property) {
            Some(model) => {
                let task = Task::of_classes(model, question.scope, classes);
                within(&task, &question.plan, &limits, &context.for_time(share))
            }
            None => Answer::unknown(Reason::new(
                ReasonKind::Unsupported,
                "this property cannot be looked at alone",
            )),
        });
    }
    answers
}

/// The answer about all, given those about each: one that fails fails the whole, and if all hold the whole
/// does, as far as the weakest. What contradicts the answer about the whole is a fault.
pub(crate) fn together(report: &mut Report) {
    let Some(whole) = &report.answer else { return };
    if let Some(fault) = contradiction(report, whole) {
        report.answer = Some(fault);
        return;
    }
    let open = |answer: &Answer| matches!(answer.outcome, Outcome::Unknown(_));
    if !open(whole) {
        return;
    }
    let fails = report.each.iter().find(|it| matches!(it.outcome, Outcome::Unsafe { .. }));
    let weakest = || report.each.iter().find(|it| it.outcome.is_unchecked()).or(report.each.first());
    let found = match fails {
        Some(answer) => Some(answer),
        None if report.each.iter().any(open) => None,
        None => weakest(),
    };
    report.answer = found.or(report.answer.as_ref()).cloned();
}

/// The fault that an answer about a property is which contradicts the answer about the whole.
fn contradiction(report: &Report, whole: &Answer) -> Option<Answer> {
    let fault = |other: &Answer| Answer::contradiction(whole.clone(), other.clone());
    if let Some(fault) = report.each.iter().find(|it| it.contradiction.is_some()) {
        return Some(fault.clone());
    }
    match &whole.outcome {
        Outcome::Safe { .. } => report.each.iter().find(|it| it.contradicts(whole)).map(fault),
        Outcome::Unsafe { property, .. } => {
            let same = report.properties.iter().position(|it| it == property)?;
            report.each.get(same).filter(|it| it.contradicts(whole)).map(fault)
        }
        Outcome::Unknown(_) => None,
    }
}
