//! A run into an error as waypoints: what a validator that runs the program must know to come to the same
//! error, and no more. Those are the threads that are created, the values that come from outside, where one
//! thread goes on for another, and the target.

use super::places::{Location, Spot, Texts};
use super::property;
use ::c::{FailureKind, LocalId, State, ThreadId, Trace, Type, Value};
use base::{SourceMap, Span};
use ir::c::Model;
use std::collections::BTreeSet;

/// Something that a run comes by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What happens there.
    pub kind: WaypointKind,
    /// The thread: 0 is main, the k-th created one is k.
    pub thread: u32,
    /// Where.
    pub location: Location,
}

/// What happens at a waypoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// The condition holds before the statement.
    Assumption(String),
    /// The condition of the statement comes out as this.
    Branching(bool),
    /// A function is called; in what is written, one that creates a thread.
    Enter {
        /// The thread that the call creates, and the function that it begins in.
        creates: Option<(u32, String)>,
    },
    /// A call returns what the condition says of `\result`.
    Return {
        /// The condition.
        constraint: String,
        /// The value, and the variable that it is assigned to, if the statement is such an assignment.
        value: (String, Option<String>),
        /// The function that is called.
        call: String,
    },
    /// The error.
    Target,
}

/// A run in the terms of witnesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What is violated, as the formula of the competition.
    pub formula: String,
    /// The waypoints in order; those of one segment are in no order.
    pub segments: Vec<Vec<Waypoint>>,
    /// Whether threads change places in the middle of a statement, which witnesses cannot say.
    pub coarse: bool,
}

/// A run of a C program.
pub struct ErrorRun<'a> {
    /// The program.
    pub model: &'a Model,
    /// The run.
    pub trace: &'a Trace,
    /// The states that it goes through.
    pub states: &'a [State],
}

/// The waypoints of a run, or why it has none.
pub fn witness(sources: &SourceMap, run: &ErrorRun<'_>) -> Result<Witness, String> {
    let formula = property::formula(run.model, &run.trace.failure.kind)?;
    let teller = Teller { texts: Texts::new(sources, &run.model.program), run };
    let visits = teller.visits();
    let (chosen, coarse) = teller.chosen(&visits);
    let mut segments: Vec<Vec<Waypoint>> = vec![];
    let mut visit = visits.iter().peekable();
    for at in 0..run.trace.steps.len() {
        while let Some(it) = visit.next_if(|it| it.first == at) {
            // What it creates or takes from outside says that the statement is worked on.
            if chosen.contains(&(it.thread, it.spot)) && !teller.tells(it) {
                segments.push(vec![teller.passing(it)]);
            }
        }
        segments.extend(teller.waypoint_of(at).map(|it| vec![it]));
    }
    segments.push(teller.targets()?);
    Ok(Witness { formula, segments, coarse })
}

/// A thread works on a statement.
struct Visit {
    thread: ThreadId,
    spot: Spot,
    span: Span,
    /// The first step of it.
    first: usize,
    /// The last one.
    last: usize,
    /// Where the thread goes on; none where it has ended.
    next: Option<Span>,
}

struct Teller<'a> {
    texts: Texts<'a>,
    run: &'a ErrorRun<'a>,
}

impl Teller<'_> {
    fn span(&self, step: usize) -> Option<Span> {
        let it = self.run.trace.steps[step].step;
        self.texts.span(&self.run.states[step], it.thread, it.at)
    }

    /// The statements that the run works on, by their first steps. A statement that begins again is visited
    /// again.
    fn visits(&self) -> Vec<Visit> {
        let mut visits: Vec<Visit> = vec![];
        let mut current: std::collections::BTreeMap<ThreadId, usize> = Default::default();
        for (at, step) in self.run.trace.steps.iter().enumerate() {
            let thread = step.step.thread;
            let span = self.span(at);
            let spot = self.texts.spot_of(&self.run.states[at], thread);
            let open = current.get(&thread).copied();
            let goes_on = open.is_some_and(|open| {
                let first = self.run.trace.steps[visits[open].first].step.at;
                Some(visits[open].spot) == spot && first != step.step.at
            });
            if goes_on {
                visits[open.expect("a statement that goes on has begun")].last = at;
                continue;
            }
            if let Some(open) = open {
                visits[open].next = visits[open].next.or(span);
            }
            current.remove(&thread);
            if let (Some(spot), Some(span)) = (spot, span) {
                current.insert(thread, visits.len());
                visits.push(Visit { thread, spot, span, first: at, last: at, next: None });
            }
        }
        let state = self.run.states.last();
        for (thread, open) in current {
            let at = state.and_then(|it| it.threads.get(&thread)).map(|it| it.loc());
            let span = state.zip(at).and_then(|(state, at)| self.texts.span(state, thread, at));
            visits[open].next = visits[open].next.or(span);
        }
        visits.sort_by_key(|it| it.first);
        visits
    }

    /// The statements that must be told, each at all its visits by the thread, and whether threads change
    /// places in the middle of one: where a thread goes on for another, the last statement of the one and the
    /// first of the other.
    fn chosen(&self, visits: &[Visit]) -> (BTreeSet<(ThreadId, Spot)>, bool) {
        let mut chosen = BTreeSet::new();
        let mut coarse = false;
        let mut before: Option<&Visit> = None;
        for visit in visits {
            if let Some(left) = before.filter(|it| it.thread != visit.thread) {
                chosen.insert((left.thread, left.spot));
                chosen.insert((visit.thread, visit.spot));
            }
            before = Some(visit);
        }
        for visit in visits {
            let between = &self.run.trace.steps[visit.first..visit.last];
            let others = between.iter().filter(|it| it.step.thread != visit.thread);
            // What others do without a place, such as the end of a function, is no change of places.
            coarse |= others.count() > 0
                && visits
                    .iter()
                    .any(|it| it.thread != visit.thread && (visit.first..visit.last).contains(&it.first));
        }
        (chosen, coarse)
    }

    /// A waypoint where a thread begins with a statement.
    fn passing(&self, visit: &Visit) -> Waypoint {
        let outcome = self.texts.is_condition(visit.span).then(|| self.texts.outcome(visit.span, visit.next));
        let kind = match outcome.flatten() {
            Some(outcome) => WaypointKind::Branching(outcome),
            None => WaypointKind::Assumption("1".to_string()),
        };
        Waypoint { kind, thread: visit.thread, location: self.texts.location(visit.spot) }
    }

    /// Whether a step of a visit has a waypoint of its own.
    fn tells(&self, visit: &Visit) -> bool {
        let of_thread = |at: &usize| self.run.trace.steps[*at].step.thread == visit.thread;
        (visit.first..=visit.last).filter(of_thread).any(|at| self.waypoint_of(at).is_some())
    }

    /// The waypoint of a step that creates a thread or takes a value from outside.
    fn waypoint_of(&self, at: usize) -> Option<Waypoint> {
        let step = &self.run.trace.steps[at];
        let span = self.span(at)?;
        let program = self.texts.program;
        let location = self.texts.location(self.texts.end_of_call(span));
        let thread = step.step.thread;
        if let Some((child, template)) = step.created.zip(program.effects(step.step.at).creates()) {
            let begins = program.procedures()[template].name.clone();
            let kind = WaypointKind::Enter { creates: Some((child, begins)) };
            return Some(Waypoint { kind, thread, location });
        }
        if !self.texts.chooses_input(step.step.at, span) {
            return None;
        }
        let &(local, value) = step.registers.first()?;
        let value = self.literal(local, value)?;
        let call = self.texts.snippet(span).split('(').next().unwrap_or_default().trim().to_string();
        let kind = WaypointKind::Return {
            constraint: format!("\\result == {value}"),
            value: (value, self.assigned(span)),
            call,
        };
        Some(Waypoint { kind, thread, location })
    }

    /// A number as C writes it.
    fn literal(&self, local: LocalId, value: Value) -> Option<String> {
        let register = &self.texts.program.locals()[local];
        match (register.ty, value) {
            (Type::Bits(width), Value::Bits(bits)) => Some(match register.signed {
                true => ::c::signed(bits, width).to_string(),
                false => bits.to_string(),
            }),
            (Type::Float, Value::Bits(bits)) => number(f64::from(f32::from_bits(bits as u32))),
            (Type::Double, Value::Bits(bits)) => number(f64::from_bits(bits as u64)),
            _ => None,
        }
    }

    /// The variable that a statement such as `x = call();` or `int x = call();` gives a value to.
    fn assigned(&self, call: Span) -> Option<String> {
        let statement = self.texts.statement(call)?;
        let before = self.texts.snippet(Span { start: statement.start, end: call.start, ..call });
        let target = before.trim_end().strip_suffix('=')?.trim_end();
        let begin = target.rfind(|it: char| !(it.is_alphanumeric() || it == '_')).map_or(0, |it| it + 1);
        let name = &target[begin..];
        let first = name.chars().next()?;
        let plain = !first.is_ascii_digit() && !target[..begin].trim_end().ends_with(['.', '>', '*', ',']);
        plain.then(|| name.to_string())
    }

    /// Where the error is.
    fn targets(&self) -> Result<Vec<Waypoint>, String> {
        let state = self.run.states.last().ok_or("the run has no states")?;
        let failure = &self.run.trace.failure;
        let steps: Vec<(ThreadId, ::c::Loc)> = match &failure.kind {
            FailureKind::Race(race) => race.accesses.iter().map(|it| (it.thread, it.at)).collect(),
            _ => vec![(failure.step.thread, failure.step.at)],
        };
        let one = |(thread, at)| {
            let span = self.texts.span(state, thread, at).or(self.texts.program.at(at).span);
            let span = span.ok_or("the error is at no place of the program's text")?;
            let location = self.texts.location(self.texts.spot(span));
            Ok(Waypoint { kind: WaypointKind::Target, thread, location })
        };
        steps.into_iter().map(one).collect()
    }
}

/// A finite number as C writes it.
fn number(value: f64) -> Option<String> {
    value.is_finite().then(|| format!("{value:?}"))
}
