//! Checks a file: reads it, answers the task, and collects what is reported about the answer.

use crate::answer::{Answer, Outcome, answer};
use crate::c;
use crate::input::{self, BadInput, Input, NotRead};
use crate::limits::Limits;
use crate::load::Origin;
use crate::memory;
use crate::plan::Plan;
use crate::progress::{Counter, Counters};
use crate::properties::{ListedProperty, properties};
use crate::supervise::{Ended, RunContext, supervise};
use crate::vacuity::Vacuity;
use base::{Budget, Diagnostic, Event, Events, Severity, SourceMap};
use front::{ReadOptions, Source};
use ir::{Reason, ReasonKind, Scope};
use std::time::{Duration, Instant};

/// What is asked of a file.
#[derive(Clone)]
pub struct Question {
    /// How the file is to be read.
    pub reading: ReadOptions,
    /// How far.
    pub scope: Scope,
    /// Who is asked, and with which options.
    pub plan: Plan,
    /// What the answer may cost.
    pub limits: Limits,
}

/// All about one file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file's name.
    pub name: String,
    /// The texts that places refer to.
    pub sources: SourceMap,
    /// What was found while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read.
    pub source: Option<Source>,
    /// What there was to check.
    pub properties: Vec<ListedProperty>,
    /// Which assertions are reached, once that was asked.
    pub vacuity: Vacuity,
    /// The answers about each property, once they were asked for.
    pub each: Vec<Answer>,
    /// What was asked.
    pub requested: Scope,
    /// The answer; none if the file cannot be used, and the diagnostics say why.
    pub answer: Option<Answer>,
    /// The counters of passes and engines.
    pub counters: Vec<Counter>,
    /// The rounds of refinement and what came of them, with the time each took.
    pub rounds: Vec<Round>,
    /// How long it took.
    pub time: Duration,
    /// The most memory that was held, if that is known.
    pub peak_memory: Option<u64>,
}

impl Report {
    /// Nothing is known yet.
    fn new(name: String, requested: Scope) -> Report {
        Report {
            name,
            sources: SourceMap::new(),
            diagnostics: vec![],
            source: None,
            properties: vec![],
            vacuity: Vacuity::default(),
            each: vec![],
            requested,
            answer: None,
            counters: vec![],
            rounds: vec![],
            time: Duration::ZERO,
            peak_memory: None,
        }
    }

    /// About a file nothing can be told, not even what it holds.
    pub fn unknown(name: String, requested: Scope, reason: Reason) -> Report {
        let answer = Some(Answer::unknown(reason));
        Report { answer, peak_memory: memory::peak(), ..Report::new(name, requested) }
    }

    /// What came out; nothing if the file cannot be used.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.answer.as_ref().map(|answer| &answer.outcome)
    }
}

/// Answers a question about one file.
pub fn check(origin: &Origin, question: &Question, events: &mut dyn Events) -> Report {
    let start = Instant::now();
    memory::forget_peak();
    let mut heard =
        Heard { counters: Counters::default(), rounds: vec![], warnings: vec![], last: start, events };
    let mut report = Report::new(origin.name(), question.scope);
    match read_under(origin, &question.reading, &question.limits, &mut heard) {
        Ok(Input { sources, source, mut warnings }) => {
            let limits = question.limits.after(start.elapsed());
            let wrong = predicates(&source, question, &limits);
            let bad = wrong.iter().any(|it| it.severity == Severity::Error);
            warnings.extend(wrong);
            report.answer = match &source {
                _ if bad => None,
                Source::C(program) => {
                    let (source, scope, plan) = (program.clone(), question.scope, question.plan.clone());
                    heard.last = Instant::now();
                    Some(c::answer(&c::Request { source, scope, plan, limits }, &mut heard))
                }
                source => Some(ask(source, question, &limits, &mut heard)),
            };
            let source = source_of(source, report.outcome());
            report.properties = properties(&source);
            (report.sources, report.diagnostics, report.source) = (sources, warnings, Some(source));
        }
        Err(NotRead::Bad(BadInput { sources, diagnostics })) => {
            (report.sources, report.diagnostics) = (sources, diagnostics);
        }
        Err(NotRead::Stopped(stop)) => {
            report.answer = Some(Answer::unknown(question.limits.reason(stop)));
        }
        Err(NotRead::Fault(message)) => {
            report.answer = Some(Answer::unknown(Reason::new(ReasonKind::Fault, message)));
        }
    }
    report.diagnostics.extend(heard.warnings);
    report.diagnostics.extend(report.answer.as_ref().and_then(waiting));
    report.counters = heard.counters.0;
    report.rounds = heard.rounds;
    report.time = start.elapsed();
    report.peak_memory = memory::peak();
    report
}

/// What the answer is about: a run into undefined behaviour is one of the program with nothing dropped.
fn source_of(source: Source, outcome: Option<&Outcome>) -> Source {
    match (&source, outcome) {
        (Source::C(program), Some(Outcome::Unsafe { trace: ir::Trace::C(trace), .. })) => {
            let literal = program.literal.clone().filter(|_| trace.options.memory);
            literal.map_or(source, Source::C)
        }
        _ => source,
    }
}

/// The warning about a proof during which threads were met that wait for each other for ever.
fn waiting(answer: &Answer) -> Option<Diagnostic> {
    let threads = answer.waiting.len();
    if threads == 0 || !matches!(answer.outcome, Outcome::Safe { .. }) {
        return None;
    }
    let who = if threads == 1 { "a thread".to_string() } else { format!("{threads} threads") };
    let mut places: Vec<_> = answer.waiting.iter().copied().flatten().collect();
    places.sort_unstable();
    places.dedup();
    let message = format!("a run can end with {who} waiting for ever");
    let found = Diagnostic::warning("W0903", places.first().copied(), message);
    Some(places.into_iter().skip(1).fold(found, |found, span| found.label(span, "and here")))
}

/// What is wrong with the predicates that were named.
fn predicates(source: &Source, question: &Question, limits: &Limits) -> Vec<Diagnostic> {
    let named = question.plan.predicates.clone();
    if named.is_empty() {
        return vec![];
    }
    let Source::C(program) = source else {
        let message = "--predicate has no meaning for this kind of file";
        return vec![Diagnostic::warning("W0901", None, message.to_string())];
    };
    if !question.plan.ways.contains(&c::Way::Abstract) {
        let message = "--predicate has no meaning without the abstract way";
        return vec![Diagnostic::warning("W0901", None, message.to_string())];
    }
    let program = program.clone();
    let job = move |context: RunContext<Event>| {
        c::misread(&program, &named, &Budget::new(u64::MAX, context.stop.clone()))
    };
    match supervise(limits, &mut |_| {}, job) {
        Ended::Done(wrong) => wrong.map(|why| Diagnostic::error("E0912", None, why)).into_iter().collect(),
        // The answer will be that there was no time, or the fault.
        Ended::Abandoned(_) | Ended::Panicked(_) => vec![],
    }
}

/// Answers the question about a source, in the way of its language.
fn ask(source: &Source, question: &Question, limits: &Limits, events: &mut dyn Events) -> Answer {
    match source.task(question.scope) {
        Some(task) => answer(&task, &question.plan, limits, events),
        None => Answer::unknown(Reason::new(ReasonKind::Unsupported, "no engine takes such a source")),
    }
}

/// Reads a file under limits: it may be long.
pub fn read_under(
    origin: &Origin,
    reading: &ReadOptions,
    limits: &Limits,
    events: &mut dyn Events,
) -> Result<Input, NotRead> {
    let (origin, reading) = (origin.clone(), reading.clone());
    let job = move |mut context: RunContext<Event>| {
        context.emit(Event::Progress(format!("reads {}", origin.name())));
        input::read_within(&origin, &reading, &Budget::new(u64::MAX, context.stop.clone()))
    };
    match supervise(limits, &mut |event| events.emit(event), job) {
        Ended::Done(input) => input,
        Ended::Abandoned(stop) => Err(NotRead::Stopped(stop)),
        Ended::Panicked(message) => Err(NotRead::Fault(message)),
    }
}

/// A round of refinement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// What came of it.
    pub text: String,
    /// How long it took.
    pub time: Duration,
}

/// Keeps the counters, rounds and warnings, and passes everything on.
struct Heard<'e> {
    counters: Counters,
    rounds: Vec<Round>,
    warnings: Vec<Diagnostic>,
    /// When the last round ended.
    last: Instant,
    events: &'e mut dyn Events,
}

impl Events for Heard<'_> {
    fn emit(&mut self, event: Event) {
        self.counters.emit(event.clone());
        match &event {
            Event::Round(text) => {
                self.rounds.push(Round { text: text.clone(), time: self.last.elapsed() });
                self.last = Instant::now();
            }
            Event::Warning(text) => {
                self.warnings.push(Diagnostic::warning("W0902", None, text.clone()));
            }
            _ => {}
        }
        self.events.emit(event);
    }
}
