//! Puts one question to one engine and compares the answer with brute force. Wrong verdicts, a false "safe up
//! to", refused evidence and faults are failures.

use super::modes::Mode;
use super::oracle::{THREADS, Truth, fails_in_rounds};
use base::{Budget, Event, NoEvents};
use engines::{Cx, Facts};
use ir::{Bound, Model, ReasonKind, Scope, Task};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use verify::{Outcome, Proof};

/// What an engine may spend on a program.
pub const TICKS: u64 = 30_000;
/// The same where it goes from one number of threads to the next, perhaps for ever.
const TICKS_OF_MANY: u64 = 2_000;

/// What an engine may spend on a question.
pub fn ticks(mode: &Mode, bound: Bound) -> u64 {
    let counts_up = matches!(mode.engine.name(), "explicit" | "counter" | "simulate");
    if bound == Bound::Any && counts_up { TICKS_OF_MANY } else { TICKS }
}

/// What went wrong, by kind: the shrinker keeps to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Safe, but there is an error.
    WrongSafe,
    /// Unsafe, but there is none.
    WrongUnsafe,
    /// "Safe up to" this many threads or rounds, but there is an error.
    FalseBest,
    /// The checker refused a proof or a trace.
    Rejected,
    /// A panic, or what the tool itself calls a fault.
    Fault,
    /// What is decided with few locals is not with many that do not matter.
    SpareLocals,
    /// Safe, but no start fits the bound.
    Vacuous,
    /// The text of the program is not read back as the same program.
    Text,
    /// A translation says something else, or is no text of its format.
    Translation,
    /// `check` and `confirm` disagree.
    Confirm,
    /// A proof that nobody has checked, though one of the engines has evidence.
    Unchecked,
}

/// One failure.
#[derive(Clone)]
pub struct Failure {
    /// What kind.
    pub kind: Kind,
    /// Who, and about how many threads.
    pub who: String,
    /// In a sentence.
    pub message: String,
}

/// What came of a question that was answered as it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// Safe, with confirmed evidence.
    Confirmed,
    /// Safe without.
    Unchecked,
    /// Unsafe.
    Unsafe,
    /// No answer.
    Unknown,
    /// The engine takes no such program.
    Refused,
}

/// A question: a model and the most threads.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// About what.
    pub model: &'a Model,
    /// The most threads.
    pub bound: Bound,
    /// What it may cost.
    pub ticks: u64,
}

/// Puts the question and compares.
pub fn ask(question: Question<'_>, mode: &Mode, truth: &Truth) -> Result<Response, Failure> {
    compare(question, &mode.title(), truth, || decide(question, mode))
}

/// Compares what is decided with brute force.
pub fn compare(
    question: Question<'_>,
    title: &str,
    truth: &Truth,
    decide: impl FnOnce() -> Answer,
) -> Result<Response, Failure> {
    let who = format!("{title}, {}", bound_text(question.bound));
    let fail = |kind, message: &str| Err(Failure { kind, who: who.clone(), message: message.to_string() });
    let answer = match catch_unwind(AssertUnwindSafe(decide)) {
        Ok(answer) => answer,
        Err(payload) => return fail(Kind::Fault, &panic_text(&*payload)),
    };
    if let Some(message) = false_best(question, &answer, truth) {
        return fail(Kind::FalseBest, &message);
    }
    match answer.outcome {
        None => Ok(Response::Refused),
        Some(Outcome::Safe { .. }) if truth.fails(question.bound) => {
            fail(Kind::WrongSafe, "safe, but brute force finds an error")
        }
        Some(Outcome::Safe { .. }) if question.bound.limit().is_some_and(|n| n < truth.least) => {
            fail(Kind::Vacuous, "safe, but more threads are there from the start")
        }
        Some(Outcome::Safe { proof: Proof::Confirmed { .. }, .. }) => Ok(Response::Confirmed),
        Some(Outcome::Safe { .. }) => Ok(Response::Unchecked),
        Some(Outcome::Unsafe { .. }) => {
            let knows = matches!(question.bound, Bound::AtMost(_)) && truth.complete;
            if knows && !truth.fails(question.bound) {
                return fail(Kind::WrongUnsafe, "unsafe, but brute force finds no error");
            }
            Ok(Response::Unsafe)
        }
        Some(Outcome::Unknown(reason)) => match reason.kind {
            ReasonKind::Rejected => fail(Kind::Rejected, &reason.message),
            ReasonKind::Fault => fail(Kind::Fault, &reason.message),
            _ => Ok(Response::Unknown),
        },
    }
}

/// The bound in words.
pub fn bound_text(bound: Bound) -> String {
    match bound {
        Bound::AtMost(n) => format!("up to {n} threads"),
        Bound::Any => "any number of threads".to_string(),
    }
}

/// What a panic says.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_string()
}

/// What was decided, and what was told on the way.
pub struct Answer {
    /// `None` if the engine refuses the program or its ticks run out.
    pub outcome: Option<Outcome>,
    /// The most threads that were told to be safe.
    pub safe_up_to_threads: Option<u32>,
    /// The most rounds.
    pub safe_up_to_rounds: Option<u32>,
}

/// What the whole path says: prepare, run, lift, confirm.
fn decide(question: Question<'_>, mode: &Mode) -> Answer {
    let settings = mode.settings();
    let scope = Scope { threads: question.bound };
    let task = Task::new(question.model.clone(), scope);
    let (mut prepared, mut lifts) = (task.clone(), None);
    if let Model::Program(program) = question.model
        && let Ok(passes::Prepared { program, lift }) =
            passes::prepare(program, &settings, &Budget::unlimited(), &mut NoEvents)
    {
        (prepared.model, lifts) = (Model::Program(Arc::new(program)), Some(lift));
    }
    let mut answer = Answer { outcome: None, safe_up_to_threads: None, safe_up_to_rounds: None };
    if mode.engine.accepts(&prepared).is_err() {
        return answer;
    }
    let (budget, facts, mut events) = (Budget::with_ticks(question.ticks), Facts::default(), vec![]);
    let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
    let verdict = mode.engine.run(&prepared, &mut cx);
    for event in events {
        match event {
            Event::SafeUpToThreads(n) => answer.safe_up_to_threads = answer.safe_up_to_threads.max(Some(n)),
            Event::SafeUpToRounds(n) => answer.safe_up_to_rounds = answer.safe_up_to_rounds.max(Some(n)),
            _ => {}
        }
    }
    if let Ok(verdict) = verdict {
        let finding = verify::judge(&task, lifts.as_ref(), verdict, &Budget::unlimited(), |_| {});
        answer.safe_up_to_threads = answer.safe_up_to_threads.max(finding.best.threads);
        answer.outcome = Some(finding.outcome);
    }
    answer
}

/// What is wrong with what was told on the way.
fn false_best(question: Question<'_>, answer: &Answer, truth: &Truth) -> Option<String> {
    if let Some(n) = answer.safe_up_to_threads
        && truth.fails(Bound::AtMost(n.min(THREADS)))
        && (question.model.monotone()
            || question.bound != Bound::Any
            || (n >= THREADS && truth.fails(Bound::Any)))
    {
        return Some(format!("safe up to {n} threads, but brute force finds an error"));
    }
    let rounds = answer.safe_up_to_rounds?;
    if let Model::Program(program) = question.model
        && truth.fails(Bound::Any)
        && fails_in_rounds(program, rounds)
    {
        return Some(format!("safe up to {rounds} rounds, but brute force finds an error"));
    }
    None
}
