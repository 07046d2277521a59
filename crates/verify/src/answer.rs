//! The answer to a task: prepare, ask the engines, lift what they say, confirm it. No file and no terminal is needed for it: the command
//! line, the automation and a refinement loop all call [`answer`].

use crate::c::Abstraction;
use crate::limits::{Limits, stop_kind};
use crate::plan::Plan;
use crate::portfolio::{self, Request};
use crate::prepare::{Prepared, prepare};
use crate::progress::Best;
use crate::supervise::{Ended, RunContext, supervise};
use base::{Budget, Event, Events, Span, Stop};
use check::Run;
use check_formulas::Checker;
use check_formulas::c::states::Listing;
use ir::{Certificate, Reason, ReasonKind, Scope, Task, Trace};

/// Whether a checker that shares no code with the engines agreed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// It did.
    Confirmed,
    /// There was no certificate, or no time to check it.
    Unchecked,
}

impl Evidence {
    /// The word in the contract.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Confirmed => "confirmed",
            Evidence::Unchecked => "unchecked",
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// No error within `scope`, which covers what was asked.
    Safe {
        /// How far the proof reaches.
        scope: Scope,
        /// Whether it was confirmed.
        evidence: Evidence,
        /// The proof, about the task as it was asked.
        certificate: Option<Certificate>,
        /// Why it was not confirmed, if it was not.
        why_unchecked: Option<String>,
    },
    /// An error; the trace was replayed on the task as it was asked.
    Unsafe {
        /// The run into the error.
        trace: Trace,
        /// The most threads that are alive at once in it.
        threads: u32,
        /// The states that the replay went through; those of a C program are not kept.
        run: Option<Run>,
    },
    /// No answer.
    Unknown(Reason),
}

impl Outcome {
    /// Whether it is a proof that nobody has checked.
    pub fn is_unchecked(&self) -> bool {
        matches!(self, Outcome::Safe { evidence: Evidence::Unchecked, .. })
    }

    /// Who confirmed the proof, if it was confirmed.
    pub fn checker(&self) -> Option<Checker> {
        match self {
            Outcome::Safe { evidence: Evidence::Confirmed, certificate: Some(proof), .. } => {
                Some(Checker::of(&proof.body))
            }
            _ => None,
        }
    }
}

/// Something that an answer about a C program takes for granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// In words.
    General(String),
    /// What a function that nobody defines gives in the run into the error.
    Given(String),
    /// There is no undefined behaviour here.
    NoUndefined {
        /// Where, if the step has a place.
        span: Option<Span>,
        /// What may be undefined.
        fault: String,
    },
}

/// Why one way down from C does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WayReason {
    /// The way.
    pub way: &'static str,
    /// Why.
    pub reason: Reason,
}

/// What may be told about a task.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What came out.
    pub outcome: Outcome,
    /// Who found it; without an answer, who was asked if it was one alone.
    pub engine: Option<&'static str>,
    /// The way down from C, likewise.
    pub way: Option<&'static str>,
    /// What a C program was proved with, if it was by predicates.
    pub abstraction: Option<Abstraction>,
    /// How a C program was proved, if it was by all of its states.
    pub listing: Option<Listing>,
    /// What an answer about a C program takes for granted.
    pub assumptions: Vec<Assumption>,
    /// Without an answer about a C program, why each way does not know, where they differ.
    pub reasons: Vec<WayReason>,
    /// Where threads stand in a state of a C program in which all of them wait for each other; empty if none was met.
    pub waiting: Vec<Option<Span>>,
    /// What is known though there is no answer.
    pub best: Best,
}

impl Answer {
    /// Who confirmed the proof, if it was confirmed.
    pub fn checker(&self) -> Option<Checker> {
        let by_predicates = self.abstraction.is_some() && !self.outcome.is_unchecked();
        let by_states = self.listing.is_some() && !self.outcome.is_unchecked();
        self.outcome
            .checker()
            .or(by_predicates.then_some(Checker::Formulas))
            .or(by_states.then_some(Checker::Formulas))
    }

    /// No answer, and nothing known.
    pub fn unknown(reason: Reason) -> Answer {
        Answer::of(Outcome::Unknown(reason))
    }

    /// This outcome and nothing else.
    pub fn of(outcome: Outcome) -> Answer {
        Answer {
            outcome,
            engine: None,
            way: None,
            abstraction: None,
            listing: None,
            assumptions: vec![],
            reasons: vec![],
            waiting: vec![],
            best: Best::default(),
        }
    }
}

/// Answers a task. `events` hears of progress and counters on the caller's thread.
pub fn answer(task: &Task, plan: &Plan, limits: &Limits, events: &mut dyn Events) -> Answer {
    let mut claims = Claims::default();
    let mut best = Best::default();
    let mut hear = |note: Note| match note {
        Note::Event(event) => {
            best.note(&event);
            events.emit(event);
        }
        Note::Claim { engine, outcome } => claims.note(engine, outcome.map(|it| *it)),
    };
    let job = {
        let (task, plan, timed) = (task.clone(), plan.clone(), limits.time.is_some());
        move |context: RunContext<Note>| work(&task, &plan, timed, context)
    };
    let answer = match supervise(limits, &mut hear, job) {
        Ended::Done(Done { answer, stop }) => match (&answer.outcome, stop) {
            // What an engine says of its end is less than what the limits say.
            (Outcome::Unknown(_), Some(stop)) => {
                Answer { outcome: Outcome::Unknown(limits.reason(stop)), ..answer }
            }
            _ => answer,
        },
        Ended::Panicked(message) => Answer::unknown(Reason::new(ReasonKind::Fault, message)),
        Ended::Abandoned(stop) => claims.first().unwrap_or_else(|| Answer::unknown(limits.reason(stop))),
    };
    Answer { best, ..answer }
}

/// What the work on a task sends while it runs.
pub enum Note {
    /// Something worth telling.
    Event(Event),
    /// What an engine has proved, though nobody has checked it yet; nothing, if its claim has fallen.
    Claim {
        /// The engine.
        engine: &'static str,
        /// The claim; a note is passed on often, a claim is made seldom.
        outcome: Option<Box<Outcome>>,
    },
}

impl From<Event> for Note {
    fn from(event: Event) -> Note {
        Note::Event(event)
    }
}

/// What engines have proved, though nobody has checked it yet. It outlives work that is left behind.
#[derive(Default)]
struct Claims(Vec<Answer>);

impl Claims {
    fn note(&mut self, engine: &'static str, outcome: Option<Outcome>) {
        self.0.retain(|it| it.engine != Some(engine));
        let answer = |outcome| Answer { engine: Some(engine), ..Answer::of(outcome) };
        self.0.extend(outcome.map(answer));
    }

    fn first(self) -> Option<Answer> {
        self.0.into_iter().next()
    }
}

/// The end of the work.
struct Done {
    answer: Answer,
    /// What stopped it, if something did.
    stop: Option<Stop>,
}

fn work(task: &Task, plan: &Plan, timed: bool, mut context: RunContext<Note>) -> Done {
    context.emit(Event::Progress("prepares the program".to_string()));
    let budget = Budget::new(u64::MAX, context.stop.clone());
    let answer = match prepare(task, &plan.settings, &budget, &mut context) {
        Ok(Prepared { task: prepared, lift }) => {
            portfolio::ask(&Request { task, prepared: &prepared, lift: lift.as_ref(), plan, timed }, &context)
        }
        Err(stop) => Answer::unknown(Reason::new(stop_kind(stop), stop.to_string())),
    };
    Done { answer, stop: context.stop.reason() }
}
