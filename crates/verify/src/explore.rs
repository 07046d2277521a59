//! A C program executed by hand on the reference machine: the next steps of a state are listed, one of them
//! is taken, and everything can be taken back. A run into an error is a trace like those of engines, and
//! judged as they are.

use crate::answer::Answer;
use crate::check::Report;
use crate::input::Input;
use crate::judge::judge;
use ::c::{Choice, Done, Loc, Machine, Program, Refusal, State, Step};
use base::{Budget, SourceMap, Span};
use front::Source;
use ir::c::Model as CModel;
use ir::{Model, Reason, ReasonKind, Scope, Task, Trace, Verdict};
use std::sync::Arc;

/// The numbers that are offered where a step may choose any.
const NUMBERS: [u128; 4] = [0, 1, 2, u128::MAX];

/// The most steps of the machine that one line of the source may take.
const LONGEST: usize = 10_000;

/// What can be done next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NextStep {
    /// Who steps.
    pub thread: u32,
    /// Where, in the user's text.
    pub span: Option<Span>,
    /// What the step chooses, if it does.
    pub chooses: Option<String>,
    /// What comes of it.
    pub fate: Fate,
    step: Step,
}

/// What comes of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is taken.
    Taken,
    /// The thread has to wait: nothing can be chosen.
    Waits,
    /// It is the error.
    Fails,
}

/// A run under way.
pub struct Explorer {
    model: Arc<CModel>,
    sources: SourceMap,
    source: Source,
    name: String,
    scope: Scope,
    steps: Vec<Step>,
    states: Vec<State>,
    /// By turn: how many steps there were before it.
    turns: Vec<usize>,
}

/// What came of a turn.
#[derive(Debug)]
pub enum Turn {
    /// The run goes on; what was read, written, chosen and created.
    Went(Vec<String>),
    /// It is in an error.
    Ended(Box<Report>),
}

impl Explorer {
    /// The beginning of a run; nothing if the file is no C program. Where undefined behaviour is looked for,
    /// it is an error here, too.
    pub fn new(input: Input, name: String, scope: Scope) -> Option<Explorer> {
        let Model::C(model) = input.source.model() else { return None };
        let subject = Arc::clone(model.literal.as_ref().unwrap_or(&model));
        let Input { sources, source, .. } = input;
        let (steps, turns) = (vec![], vec![]);
        let mut explorer =
            Explorer { model: subject, sources, source, name, scope, steps, states: vec![], turns };
        let start = explorer.machine().start();
        explorer.states.push(start);
        Some(explorer)
    }

    /// The texts that places refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// How many steps were taken.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether the run is at its beginning.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What can be done next. A thread whose step has no choice that fits waits.
    pub fn next_steps(&self) -> Vec<NextStep> {
        self.next_of(&self.machine())
    }

    /// Takes a step, and with `whole` all that the same thread does for the same line of the source, as long
    /// as nothing is left to choose.
    pub fn take(&mut self, next: &NextStep, whole: bool) -> Turn {
        self.turns.push(self.steps.len());
        let mut effects = vec![];
        let mut step = next.step;
        let line = self.line(next.span);
        let model = Arc::clone(&self.model);
        let machine = Machine::new(&model.program, model.options(self.scope.threads.limit()));
        for _ in 0..LONGEST {
            match machine.perform(self.state(), &step) {
                Ok((after, done)) => {
                    effects.extend(self.effects(&after, &done));
                    self.steps.push(step);
                    self.states.push(after);
                }
                // It fails, or it cannot be taken: the record says which.
                Err(_) => return self.ended(step),
            }
            if let Some(failure) = machine.bad_state(self.state()) {
                return self.ended(failure.step);
            }
            let all = self.next_of(&machine).into_iter();
            let own: Vec<NextStep> = all.filter(|it| it.thread == next.thread).collect();
            // A loop on one line ends nowhere: each round of it is a turn.
            let goes_on = |it: &NextStep| {
                it.fate == Fate::Taken && self.line(it.span) == line && it.step.at != next.step.at
            };
            match &own[..] {
                [only] if whole && goes_on(only) => step = only.step,
                _ => break,
            }
        }
        Turn::Went(effects)
    }

    /// Takes the last turn back; whether there was one.
    pub fn back(&mut self) -> bool {
        let Some(steps) = self.turns.pop() else { return false };
        self.steps.truncate(steps);
        self.states.truncate(steps + 1);
        true
    }

    fn next_of(&self, machine: &Machine<'_>) -> Vec<NextStep> {
        let state = self.state();
        let mut found: Vec<NextStep> = vec![];
        for step in machine.candidates(state, &NUMBERS) {
            let fate = match machine.apply(state, &step) {
                Ok(_) => Fate::Taken,
                Err(Refusal::Fails(_)) => Fate::Fails,
                Err(_) => continue,
            };
            found.push(self.next(step, fate));
        }
        let waiting = state.threads.iter().filter(|(id, _)| !found.iter().any(|it| it.thread == **id));
        let waiting: Vec<NextStep> = waiting
            .map(|(&thread, it)| Step { thread, at: it.loc(), choice: Choice::default() })
            .map(|step| self.next(step, Fate::Waits))
            .collect();
        found.extend(waiting);
        found.sort_by_key(|it| it.thread);
        found
    }

    fn machine(&self) -> Machine<'_> {
        Machine::new(&self.model.program, self.model.options(self.scope.threads.limit()))
    }

    fn state(&self) -> &State {
        self.states.last().expect("the first state stays")
    }

    fn line(&self, span: Option<Span>) -> Option<(base::FileId, u32)> {
        span.map(|it| (it.file, self.sources.file(it.file).position(it.start).line))
    }

    fn next(&self, step: Step, fate: Fate) -> NextStep {
        let Step { thread, at, choice } = step;
        let span = user_span(&self.sources, &self.model.program, self.state(), thread, at);
        NextStep { thread, span, chooses: chosen(choice), fate, step }
    }

    /// The run with its last step, as a report that an engine could have given.
    fn ended(&self, last: Step) -> Turn {
        let steps: Vec<Step> = self.steps.iter().copied().chain([last]).collect();
        let answer = match self.machine().record(&steps) {
            Ok(trace) => {
                let task = Task::new(self.source.model(), self.scope);
                let verdict = Verdict::Unsafe(Trace::C(trace));
                judge(&task, None, verdict, &Budget::unlimited(), |_| {})
            }
            Err(why) => Answer::unknown(Reason::new(ReasonKind::Rejected, why.why)),
        };
        let none = Reason::new(ReasonKind::Fault, String::new());
        let mut report = Report::unknown(self.name.clone(), self.scope, none);
        let subject = Source::of_c(Arc::clone(&self.model));
        report.properties = Task::new(subject.model(), self.scope).properties;
        (report.sources, report.source) = (self.sources.clone(), Some(subject));
        report.answer = Some(answer);
        Turn::Ended(Box::new(report))
    }

    fn effects(&self, after: &State, done: &Done) -> Vec<String> {
        let program = &self.model.program;
        let mut effects = vec![];
        if let Some(access) = done.access {
            let name = program.cell_name(&after.memory, access.cell);
            // Locks and the like have no value for people.
            let Some(ty) = program.cell_type(&after.memory, access.cell) else { return effects };
            let show = |value| program.show(&after.memory, value, ty, true);
            effects.extend(match (access.read, access.written) {
                (Some(read), Some(written)) => Some(format!("{name}: {} -> {}", show(read), show(written))),
                (Some(read), None) => Some(format!("reads {name} = {}", show(read))),
                (None, Some(written)) => Some(format!("{name} = {}", show(written))),
                (None, None) => None,
            });
        }
        effects.extend(done.created.map(|it| format!("starts thread {it}")));
        effects
    }
}

/// Where the next step of a thread stands in the user's text: what happens in a function of the library
/// happens where the program calls it.
pub fn user_span(
    sources: &SourceMap,
    program: &Program,
    state: &State,
    thread: u32,
    at: Loc,
) -> Option<Span> {
    let own = program.at(at).span;
    let frames = state.threads.get(&thread).map(|it| &it.frames[..]).unwrap_or_default();
    let callers = frames.iter().rev().skip(1).map(|frame| program.at(frame.loc).span);
    let is_users = |it: &Span| !sources.file(it.file).is_library();
    std::iter::once(own).chain(callers).flatten().find(is_users).or(own)
}

fn chosen(choice: Choice) -> Option<String> {
    let Choice { value, fails, thread, reuses } = choice;
    let words = [
        value.map(|it| format!("chooses {it}")),
        fails.then(|| "fails".to_string()),
        thread.map(|it| format!("wakes thread {it}")),
        reuses.map(|_| "uses a freed address again".to_string()),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(", "))
}
