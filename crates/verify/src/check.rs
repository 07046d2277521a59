//! Checks a file: reads it, answers the task, and collects what is reported about the answer.

use crate::answer::{Answer, Listening, Note, Outcome, within};
use crate::input::{self, BadInput, Input, NotRead};
use crate::limits::Limits;
use crate::load::Origin;
use crate::memory;
use crate::plan::Plan;
use crate::predicates::misread;
use crate::progress::{Counter, Counters, ReportedEvent};
use crate::supervise::{Ended, RunContext, supervise};
use crate::vacuity::{Vacuity, each, together, vacuity};
use crate::{c, findings};
use base::{Budget, Diagnostic, Event, Events, Progress, Round, Severity, SourceMap, Warning};
use front::{ReadOptions, Source};
use ir::property::{CLASSES, PropertyClass, properties};
use ir::{Property, Reason, ReasonKind, Scope, Task};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// Whether each property is asked about alone, too.
    pub each: bool,
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
    /// How it was read, for those who want to know more.
    pub notes: Vec<String>,
    /// What was read.
    pub source: Option<Source>,
    /// What there was to check.
    pub properties: Vec<Property>,
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
    pub rounds: Vec<TimedRound>,
    /// How long it took.
    pub time: Duration,
    /// The most memory that was held, if that is known.
    pub peak_memory: Option<u64>,
}

impl Default for Question {
    /// Any number of threads, all engines with their default options, and no limit but that of memory.
    fn default() -> Question {
        Question {
            reading: ReadOptions::default(),
            scope: Scope::ANY,
            plan: Plan::default(),
            limits: Limits::default(),
            each: false,
        }
    }
}

impl Report {
    /// Nothing is known yet.
    fn new(name: String, requested: Scope) -> Report {
        Report {
            name,
            sources: SourceMap::new(),
            diagnostics: vec![],
            notes: vec![],
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

/// Answers a question about one file, looks whether the proof is about something, and asks about each
/// property if that is wanted. All of it is one job under one supervisor.
///
/// ```
/// use std::time::Duration;
/// use verify::base::{Event, Events, Progress};
/// use verify::ir::Scope;
/// use verify::{Limits, Origin, Outcome, Plan, Question, check};
///
/// /// Counts what the engines tell.
/// #[derive(Default)]
/// struct Count(usize);
///
/// impl Events for Count {
///     fn emit(&mut self, event: Event) {
///         self.0 += usize::from(matches!(event, Event::Progress(Progress::Starting { .. })));
///     }
/// }
///
/// let question = Question {
///     scope: Scope::threads(3),
///     plan: Plan::named(&["explicit".to_string()]).expect("there is such an engine"),
///     limits: Limits { time: Some(Duration::from_secs(60)), ..Limits::default() },
///     ..Question::default()
/// };
/// let mut count = Count::default();
/// let report = check(&Origin::File("../../examples/race.bp".into()), &question, &mut count);
/// let Some(Outcome::Unsafe { trace, threads, .. }) = report.outcome() else { panic!("it has a race") };
/// assert_eq!((*threads, trace.len()), (3, 9));
/// ```
pub fn check(origin: &Origin, question: &Question, events: &mut dyn Events) -> Report {
    check_classes(origin, question, CLASSES, events)
}

/// The same about the properties of some classes.
pub fn check_classes(
    origin: &Origin,
    question: &Question,
    classes: &'static [PropertyClass],
    events: &mut dyn Events,
) -> Report {
    let start = Instant::now();
    memory::forget_peak();
    let mut listening = Listening::default();
    let board = Board::new(Report::new(origin.name(), question.scope));
    let job = {
        let (origin, question, board) = (origin.clone(), question.clone(), board.clone());
        move |context: RunContext<Note>| {
            Work { question: &question, classes, context: &context, board: &board, start }.run(&origin)
        }
    };
    let ended = supervise(&question.limits, &mut |note| listening.note(note, events), job);
    let mut report = board.take();
    match ended {
        Ended::Done(()) => {}
        Ended::Panicked(message) => {
            report.answer = Some(Answer::unknown(Reason::new(ReasonKind::Fault, message)));
        }
        Ended::Abandoned(stop) => {
            let answer = report.answer.take().or_else(|| listening.first());
            report.answer = answer.or_else(|| Some(Answer::unknown(question.limits.reason(stop))));
        }
    }
    let mut heard = Heard { counters: Counters::default(), rounds: vec![], warnings: vec![], last: start };
    for reported in listening.reported() {
        if let Some(answer) = &mut report.answer {
            answer.best = answer.best.with(&reported.event);
        }
        heard.hear(reported);
    }
    report.diagnostics.extend(heard.warnings);
    report.diagnostics.extend(report.answer.as_ref().and_then(waiting));
    let found = findings::findings(&report);
    report.diagnostics.extend(found);
    report.counters = heard.counters.0;
    report.rounds = heard.rounds;
    report.time = start.elapsed();
    report.peak_memory = memory::peak();
    report
}

/// The report as far as it is known. It outlives work that is left behind.
#[derive(Clone)]
struct Board(Arc<Mutex<Report>>);

impl Board {
    fn new(report: Report) -> Board {
        Board(Arc::new(Mutex::new(report)))
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        // A panic elsewhere leaves whole values behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known; an engine that is left behind writes to an empty board.
    fn take(&self) -> Report {
        let mut report = self.lock();
        let empty = Report::new(String::new(), report.requested);
        std::mem::replace(&mut *report, empty)
    }
}

/// The work on a file.
struct Work<'a> {
    question: &'a Question,
    classes: &'static [PropertyClass],
    context: &'a RunContext<Note>,
    board: &'a Board,
    start: Instant,
}

impl Work<'_> {
    fn run(&self, origin: &Origin) {
        let mut events = self.context.clone();
        events.emit(Event::Progress(Progress::Reading { file: origin.name() }));
        let budget = Budget::new(u64::MAX, self.context.stop.clone());
        match input::read_within(origin, &self.question.reading, &budget) {
            Ok(input) => self.answer(input, &budget),
            Err(NotRead::Bad(BadInput { sources, diagnostics })) => {
                let mut board = self.board.lock();
                (board.sources, board.diagnostics) = (sources, diagnostics);
            }
            Err(NotRead::Stopped(stop)) => self.answered(Answer::unknown(self.question.limits.reason(stop))),
            Err(NotRead::Fault(message)) => {
                self.answered(Answer::unknown(Reason::new(ReasonKind::Fault, message)));
            }
        }
    }

    fn answered(&self, answer: Answer) {
        self.board.lock().answer = Some(answer);
    }

    fn answer(&self, input: Input, budget: &Budget) {
        let Input { sources, source, mut warnings, notes } = input;
        let wrong = wrong_predicates(&source, &self.question.plan, budget);
        let bad = wrong.iter().any(|it| it.severity == Severity::Error);
        warnings.extend(wrong);
        {
            let mut board = self.board.lock();
            (board.sources, board.diagnostics) = (sources, warnings);
            board.notes = notes;
            board.properties = properties(&source.model(), self.classes);
            board.source = Some(source.clone());
        }
        if bad {
            return;
        }
        let task = Task::of_classes(source.model(), self.question.scope, self.classes);
        let answer = within(&task, &self.question.plan, &self.question.limits, self.context);
        {
            let mut board = self.board.lock();
            let source = source_of(source, &answer.outcome);
            board.properties = properties(&source.model(), self.classes);
            board.source = Some(source);
            board.answer = Some(answer);
            board.time = self.start.elapsed();
        }
        self.look_closer();
    }

    /// Asks about each property if that is wanted, and whether the proof is about something.
    fn look_closer(&self) {
        let known = self.board.lock().clone();
        if self.question.each {
            let each = each(&known, self.question, self.classes, self.context);
            let mut board = self.board.lock();
            board.each = each;
            together(&mut board);
        }
        let known = self.board.lock().clone();
        let vacuity = vacuity(&known, self.question.scope, &self.context.stop);
        self.board.lock().vacuity = vacuity;
    }
}

/// What the answer is about: a run into undefined behaviour is one of the program with nothing dropped.
fn source_of(source: Source, outcome: &Outcome) -> Source {
    match (source.model(), outcome) {
        (ir::Model::C(model), Outcome::Unsafe { trace: ir::Trace::C(trace), .. }) => {
            Source::of_c(Arc::clone(model.subject(trace)))
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
fn wrong_predicates(source: &Source, plan: &Plan, budget: &Budget) -> Vec<Diagnostic> {
    if plan.predicates.is_empty() {
        return vec![];
    }
    let unused = |message: &str| vec![Diagnostic::warning("W0901", None, message.to_string())];
    let ir::Model::C(model) = source.model() else {
        return unused("--predicate has no effect on this kind of file");
    };
    let named: Vec<&str> =
        plan.engines.iter().filter(|it| c::is_engine_for_c(**it)).map(|it| it.name()).collect();
    if !named.is_empty() && !named.contains(&"abstract") {
        return unused("--predicate has no effect without the analysis `abstract`");
    }
    let wrong = misread(&model, &plan.predicates, budget);
    wrong.map(|why| Diagnostic::error("E0912", None, why)).into_iter().collect()
}

/// A round of refinement, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedRound {
    /// What came of it.
    pub round: Round,
    /// How long it took.
    pub time: Duration,
}

fn diagnostic(warning: &Warning) -> Diagnostic {
    match warning {
        Warning::NoSecondOpinion { unanswered, paths, why } => {
            let message = format!("no second opinion about {unanswered} of {paths} paths: {why}");
            Diagnostic::warning("W0902", None, message)
        }
        Warning::PassRefused { pass, why, at } => {
            let message = format!("the pass `{pass}` is left out, its result could not be validated: {why}");
            let help =
                "the answer does not rest on it; this is a fault of Selvedge, please report it with the file";
            Diagnostic::warning("W0904", *at, message).help(help)
        }
    }
}

/// The counters, rounds and warnings.
struct Heard {
    counters: Counters,
    rounds: Vec<TimedRound>,
    warnings: Vec<Diagnostic>,
    /// When the last round ended.
    last: Instant,
}

impl Heard {
    fn hear(&mut self, ReportedEvent { event, at }: ReportedEvent) {
        match event {
            Event::Round(round) => {
                let time = at.saturating_duration_since(self.last);
                self.rounds.push(TimedRound { round, time });
                self.last = at;
            }
            Event::Warning(warning) => self.warnings.push(diagnostic(&warning)),
            event => self.counters.emit(event),
        }
    }
}
