//! The answer to a task: prepare, ask the engines, lift what they say, confirm it. No file and no terminal is
//! needed for it: the command line, the automation and a refinement loop all call [`answer`].

use crate::limits::{Limits, stop_kind};
use crate::plan::Plan;
use crate::portfolio::{self, Host, Request};
use crate::predicates::Separated;
use crate::prepare::{Prepared, prepare};
use crate::progress::{Best, Ledger, ReportedEvent};
use crate::supervise::{Ended, RunContext, supervise};
use base::{Budget, Event, Events, Progress, Span, Stop};
use check::Run;
use check_formulas::Checker;
use ir::{Certificate, Model, Property, Reason, ReasonKind, Scope, Task, Trace};

/// A proof, and whether a checker that shares no code with the engines agreed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// It did.
    Confirmed {
        /// The proof, about the task as it was asked.
        certificate: Certificate,
        /// Who confirmed it.
        by: Checker,
    },
    /// There was no certificate, or no time to check it.
    Unchecked {
        /// The proof, if one was written.
        certificate: Option<Certificate>,
        /// Why nobody has checked it.
        why: String,
    },
}

impl Proof {
    /// A proof that was confirmed.
    pub fn confirmed(certificate: Certificate) -> Proof {
        let by = Checker::of(&certificate.body);
        Proof::Confirmed { certificate, by }
    }

    /// A proof for which there is no certificate, and why.
    pub fn without_certificate(why: impl Into<String>) -> Proof {
        Proof::Unchecked { certificate: None, why: why.into() }
    }

    /// The proof itself, if one was written.
    pub fn certificate(&self) -> Option<&Certificate> {
        match self {
            Proof::Confirmed { certificate, .. } => Some(certificate),
            Proof::Unchecked { certificate, .. } => certificate.as_ref(),
        }
    }

    /// Whether it was confirmed.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Proof::Confirmed { .. })
    }

    /// Who confirmed it, if somebody did.
    pub fn checker(&self) -> Option<Checker> {
        match self {
            Proof::Confirmed { by, .. } => Some(*by),
            Proof::Unchecked { .. } => None,
        }
    }

    /// Why nobody has checked it, if nobody has.
    pub fn why_unchecked(&self) -> Option<&str> {
        match self {
            Proof::Confirmed { .. } => None,
            Proof::Unchecked { why, .. } => Some(why),
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
        /// The proof.
        proof: Proof,
    },
    /// An error; the trace was replayed on the task as it was asked.
    Unsafe {
        /// What is violated.
        property: Property,
        /// The run into the error.
        trace: Trace,
        /// The most threads that are alive at once in it.
        threads: u32,
        /// The states that the replay went through.
        run: Run,
    },
    /// No answer.
    Unknown(Reason),
}

impl Outcome {
    /// Whether it is a proof that was confirmed.
    pub fn is_confirmed(&self) -> bool {
        self.proof().is_some_and(Proof::is_confirmed)
    }

    /// Whether it is a proof that nobody has checked.
    pub fn is_unchecked(&self) -> bool {
        self.proof().is_some_and(|proof| !proof.is_confirmed())
    }

    /// The proof, if it is one.
    pub fn proof(&self) -> Option<&Proof> {
        match self {
            Outcome::Safe { proof, .. } => Some(proof),
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

/// Why one engine does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineReason {
    /// The engine.
    pub engine: &'static str,
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
    /// The engine for C that found it, perhaps with the help of another, likewise.
    pub way: Option<&'static str>,
    /// What an answer about a C program takes for granted.
    pub assumptions: Vec<Assumption>,
    /// Without an answer about a C program, why each engine does not know, where they differ.
    pub reasons: Vec<EngineReason>,
    /// Where threads stand in a state of a C program in which all of them wait for each other; empty if none
    /// was met.
    pub waiting: Vec<Option<Span>>,
    /// How many pairs of accesses a proof keeps apart, if races were asked about.
    pub separated: Option<Separated>,
    /// What is known though there is no answer.
    pub best: Best,
    /// Two answers that contradict each other: a fault, and both are shown.
    pub contradiction: Option<Box<[Answer; 2]>>,
}

impl Answer {
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
            assumptions: vec![],
            reasons: vec![],
            waiting: vec![],
            separated: None,
            best: Best::default(),
            contradiction: None,
        }
    }

    /// Two answers, one of which must be wrong.
    pub fn contradiction(one: Answer, other: Answer) -> Answer {
        let name = |it: &Answer| it.way.or(it.engine).unwrap_or("an engine");
        let word = |it: &Answer| if it.outcome.proof().is_some() { "safe" } else { "unsafe" };
        let message = format!(
            "two answers contradict each other: {} says {}, {} says {}",
            name(&one),
            word(&one),
            name(&other),
            word(&other)
        );
        let contradiction = Some(Box::new([one, other]));
        Answer { contradiction, ..Answer::unknown(Reason::new(ReasonKind::Fault, message)) }
    }

    /// Whether one of two answers proves what the other refutes.
    pub fn contradicts(&self, other: &Answer) -> bool {
        let is_safe = |it: &Answer| match it.outcome {
            Outcome::Safe { .. } => Some(true),
            Outcome::Unsafe { .. } => Some(false),
            Outcome::Unknown(_) => None,
        };
        matches!((is_safe(self), is_safe(other)), (Some(one), Some(two)) if one != two)
    }
}

/// Answers a task. `events` hears of progress and counters on the caller's thread.
///
/// ```
/// use verify::base::NoEvents;
/// use verify::ir::{Scope, Task};
/// use verify::{Confirmation, Limits, Origin, Plan, Presented, ReadOptions, answer, confirm, read};
///
/// let file = Origin::File("../../examples/lock.bp".into());
/// let input = read(&file, &ReadOptions::default()).expect("a program");
/// let task = Task::new(input.source.model(), Scope::ANY);
/// let limits = Limits::default();
/// let answer = answer(&task, &Plan::default(), &limits, &mut NoEvents);
///
/// // The certificate can be checked again, by itself and without an engine.
/// let certificate = answer.outcome.proof().and_then(|it| it.certificate()).expect("a proof");
/// let presented = Presented::Certificate(certificate.clone());
/// assert_eq!(confirm(&task, &presented, &limits.stop), Confirmation::Certificate(Scope::ANY));
/// ```
pub fn answer(task: &Task, plan: &Plan, limits: &Limits, events: &mut dyn Events) -> Answer {
    let mut heard = Listening::default();
    let mut hear = |note: Note| heard.note(note, events);
    let job = {
        let (task, plan, limits) = (task.clone(), plan.clone(), limits.clone());
        move |context: RunContext<Note>| within(&task, &plan, &limits, &context)
    };
    let answer = match supervise(limits, &mut hear, job) {
        Ended::Done(answer) => answer,
        Ended::Panicked(message) => Answer::unknown(Reason::new(ReasonKind::Fault, message)),
        Ended::Abandoned(stop) => heard.first().unwrap_or_else(|| Answer::unknown(limits.reason(stop))),
    };
    Answer { best: heard.reported().iter().fold(answer.best, |best, it| best.with(&it.event)), ..answer }
}

/// The same as a part of work that is supervised already.
pub(crate) fn within(task: &Task, plan: &Plan, limits: &Limits, context: &RunContext<Note>) -> Answer {
    let hear = |note: Note| context.send(note);
    let host = Host { stop: &context.stop, hear: &hear, budget: None, limits };
    ask(task, plan, &host)
}

/// The same as a part of an engine's work, which pays for it: one engine after the other, so that what it
/// costs does not depend on the clock.
pub(crate) fn inside(task: &Task, plan: &Plan, budget: &Budget, events: &mut dyn Events) -> Answer {
    let events = std::sync::Mutex::new(events);
    let hear = |note: Note| {
        if let Note::Event(event) | Note::Timed { event, .. } = note {
            events.lock().unwrap_or_else(std::sync::PoisonError::into_inner).emit(event);
        }
    };
    let limits = Limits::default();
    let host = Host { stop: budget.handle(), hear: &hear, budget: Some(budget), limits: &limits };
    ask(task, plan, &host)
}

fn ask(task: &Task, plan: &Plan, host: &Host<'_>) -> Answer {
    (host.hear)(Note::Event(Event::Progress(Progress::Preparing)));
    let unlimited = Budget::new(u64::MAX, host.stop.clone());
    let budget = host.budget.unwrap_or(&unlimited);
    let stopped = |stop: Stop| Answer::unknown(Reason::new(stop_kind(stop), stop.to_string()));
    let answer = match prepare(task, plan, budget, &mut host.events()) {
        Ok(Prepared { task: prepared, back }) => {
            let answer = portfolio::ask(&Request { task, prepared: &prepared, back: &back, plan, host });
            Answer { separated: separated(&answer.outcome, &prepared), ..answer }
        }
        Err(stop) => stopped(stop),
    };
    match (&answer.outcome, host.stop.reason()) {
        // What an engine says of its end is less than what the limits say.
        (Outcome::Unknown(reason), Some(stop)) if is_stop(reason) && answer.reasons.is_empty() => {
            Answer { outcome: Outcome::Unknown(host.limits.reason(stop)), ..answer }
        }
        _ => answer,
    }
}

/// What a proof says of pairs of accesses, which is about the program that the engines were given.
fn separated(outcome: &Outcome, prepared: &Task) -> Option<Separated> {
    let Model::C(model) = &prepared.model else { return None };
    crate::predicates::separated(outcome.proof()?.certificate()?, model)
}

/// Whether a reason says no more than that a limit was reached.
fn is_stop(reason: &Reason) -> bool {
    use ReasonKind::{Interrupted, Memory, Ticks, Time};
    matches!(reason.kind, Time | Memory | Ticks | Interrupted)
}

/// What the work on a task sends while it runs.
pub enum Note {
    /// Something worth telling.
    Event(Event),
    /// The same from an engine at work beside others.
    Timed {
        /// When, in the time that they share.
        time: u64,
        /// The engine.
        engine: &'static str,
        /// What it tells.
        event: Event,
    },
    /// What engines told after this time does not count: whether they came so far is a matter of the clock.
    Until(u64),
    /// What an engine has proved, though nobody has checked it yet; nothing, if its claim has fallen.
    Claim {
        /// The engine.
        engine: &'static str,
        /// The claim; a note is passed on often, a claim is made seldom.
        answer: Option<Box<Answer>>,
    },
}

impl From<Event> for Note {
    fn from(event: Event) -> Note {
        Note::Event(event)
    }
}

/// What was heard of work under way: bounded results, and what engines have found or proved, though nobody
/// has checked it yet. It outlives work that is left behind.
#[derive(Default)]
pub(crate) struct Listening {
    ledger: Ledger,
    claims: Vec<(&'static str, Answer)>,
}

impl Listening {
    /// Takes a note; events are passed on.
    pub fn note(&mut self, note: Note, events: &mut dyn Events) {
        match note {
            Note::Event(event) => {
                self.ledger.keep(&event);
                events.emit(event);
            }
            Note::Timed { time, engine, event } => {
                self.ledger.wait((time, engine), &event);
                events.emit(event);
            }
            Note::Until(time) => self.ledger.close(time),
            Note::Claim { engine, answer } => {
                self.claims.retain(|it| it.0 != engine);
                self.claims.extend(answer.map(|it| (engine, *it)));
            }
        }
    }

    /// What was told and counts.
    pub fn reported(&mut self) -> Vec<ReportedEvent> {
        self.ledger.take()
    }

    /// The answer of the first engine that claimed one; one that is settled before one that nobody has
    /// checked.
    pub fn first(&mut self) -> Option<Answer> {
        let settled = self.claims.iter().position(|it| !it.1.outcome.is_unchecked());
        let at = settled.or((!self.claims.is_empty()).then_some(0))?;
        Some(self.claims.remove(at).1)
    }
}
