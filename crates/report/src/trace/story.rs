//! A trace retold for people: who executes which line of the source, and what that changes. The text and the
//! page are drawn from it.

use super::json::place;
use base::{Id, SourceMap, Span, sanitise};
use ir::bp::{FailureKind, Loc, LocalId, Op, Role, State, Step, Thread, ThreadId};
use ir::net::{Marking, Move};
use ir::trace::{NetTrace, ProgramTrace};
use ir::{Model, Net, Program, Trace};
use std::collections::BTreeMap;
use verify::Run;

/// A run, step by step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Story {
    /// The threads with the procedures that they begin in; empty for a net, whose tokens have no names.
    pub threads: BTreeMap<ThreadId, String>,
    /// What is said of the start, if it is not made from `start`.
    pub opening: Option<String>,
    /// What holds at the start.
    pub start: Vec<String>,
    /// The steps; the last row of a program's trace is what goes wrong.
    pub rows: Vec<Row>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// Who steps.
    pub thread: ThreadId,
    /// The line in the source.
    pub line: Option<u32>,
    /// The statement or rule.
    pub text: String,
    /// What it changes.
    pub effects: Vec<String>,
    /// Whether another thread made the step before.
    pub switch: bool,
    /// Whether the thread is inside an atomic section before or after the step.
    pub inside: bool,
    /// Whether this is the error.
    pub error: bool,
    /// Where the step stands.
    pub span: Option<Span>,
    /// The state after the step, by its number among those that the replay saw.
    pub after: usize,
}

impl Story {
    /// The same with every text sanitised, for those who have to know how wide it is shown.
    pub fn sanitised(&self) -> Story {
        let all = |texts: &[String]| texts.iter().map(|it| sanitise(it)).collect();
        let row = |row: &Row| Row { text: sanitise(&row.text), effects: all(&row.effects), ..row.clone() };
        Story {
            threads: self.threads.iter().map(|(&id, name)| (id, sanitise(name))).collect(),
            opening: self.opening.as_deref().map(sanitise),
            start: all(&self.start),
            rows: self.rows.iter().map(row).collect(),
        }
    }
}

/// Retells a trace with the states that its replay saw.
pub fn tell(sources: &SourceMap, model: &Model, trace: &Trace, run: &Run) -> Story {
    match (model, trace, run) {
        (Model::Program(program), Trace::Program(trace), Run::Program(states)) => {
            ProgramTeller { sources, program }.tell(trace, states)
        }
        (Model::Net(net), Trace::Net(trace), Run::Net(markings)) => tell_net(sources, net, trace, markings),
        // Replay lets no such pair through.
        _ => Story::default(),
    }
}

struct ProgramTeller<'a> {
    sources: &'a SourceMap,
    program: &'a Program,
}

impl ProgramTeller<'_> {
    fn tell(&self, trace: &ProgramTrace, states: &[State]) -> Story {
        let mut story = Story { start: self.values_at_start(&trace.start), ..Story::default() };
        self.name_threads(&mut story, &trace.start);
        let mut last = None;
        for (number, (step, pair)) in trace.steps.iter().zip(states.windows(2)).enumerate() {
            let (state, after) = (&pair[0], &pair[1]);
            let mut row = self.row(step.thread, step.at, last);
            row.after = number + 1;
            row.inside = inside(state, step.thread) || inside(after, step.thread);
            row.effects = self.effects(state, step, after);
            self.name_threads(&mut story, after);
            last = Some(step.thread);
            story.rows.push(row);
        }
        let failure = &trace.failure;
        let mut row = self.row(failure.thread, failure.at, last);
        row.after = states.len().saturating_sub(1);
        row.inside = states.last().is_some_and(|state| inside(state, failure.thread));
        row.effects = vec![match failure.kind {
            FailureKind::Assertion => "the assertion fails".to_string(),
            FailureKind::Label => format!("{} is reached", self.label(failure.at)),
        }];
        row.error = true;
        story.rows.push(row);
        story
    }

    fn label(&self, at: Loc) -> String {
        match self.program.at(at).labels.last() {
            Some(label) => format!("label {label}"),
            None => "the error".to_string(),
        }
    }

    fn name_threads(&self, story: &mut Story, state: &State) {
        for (&id, thread) in &state.threads {
            let procedure = self.program.at(thread.stack[0].loc).procedure;
            let name = || self.program.procedures()[procedure].name.clone();
            story.threads.entry(id).or_insert_with(name);
        }
    }

    fn row(&self, thread: ThreadId, at: Loc, last: Option<ThreadId>) -> Row {
        let location = self.program.at(at);
        let (line, text) = match location.span.map(|span| place(self.sources, span)) {
            Some((line, text)) => (Some(line), text),
            None => (None, String::new()),
        };
        let text = if text.is_empty() { in_words(&location.op).to_string() } else { text };
        let switch = last.is_some_and(|last| last != thread);
        Row { thread, line, text, switch, span: location.span, ..Row::default() }
    }

    fn values_at_start(&self, state: &State) -> Vec<String> {
        let shared = self.program.shared().enumerate().filter(|(id, _)| state.shared[id.index()]);
        let shared = shared.map(|(_, shared)| format!("{} = 1", shared.name));
        let locals = state.threads.iter().flat_map(|(id, thread)| {
            let ones = self.ones(thread, 0).into_iter();
            ones.map(move |name| format!("{name} = 1 in thread {id}"))
        });
        shared.chain(locals).collect()
    }

    /// The locals of an activation that are 1; bits of locks are not the program's own.
    fn ones(&self, thread: &Thread, depth: usize) -> Vec<&str> {
        let shown = self.program.locals().enumerate().filter(|(_, local)| local.role == Role::Plain);
        let ones = shown.filter(|&(id, _)| thread.value(self.program, depth, id));
        ones.map(|(_, local)| local.name.as_str()).collect()
    }

    fn effects(&self, before: &State, step: &Step, after: &State) -> Vec<String> {
        let mut effects = vec![];
        for (id, shared) in self.program.shared().enumerate() {
            let value = after.shared[id.index()];
            if before.shared[id.index()] != value {
                effects.push(format!("{} = {}", shared.name, u8::from(value)));
            }
        }
        for (&id, thread) in &after.threads {
            let whose = if id == step.thread { String::new() } else { format!(" in thread {id}") };
            match before.threads.get(&id) {
                Some(old) => effects.extend(self.changes(old, thread).map(|change| change + &whose)),
                None => {
                    effects.push(format!("starts thread {id}"));
                    effects.extend(self.ones(thread, 0).into_iter().map(|name| format!("{name} = 1{whose}")));
                }
            }
        }
        if matches!(self.program.at(step.at).op, Op::Start(_)) && step.births.is_empty() {
            effects.push("no thread is started: the bound is reached".to_string());
        }
        if step.to.is_none() {
            effects.push("the thread ends".to_string());
        }
        effects.extend(self.jump(step));
        effects
    }

    /// Where control goes, if the statement chooses.
    fn jump(&self, step: &Step) -> Option<String> {
        let chooses = match &self.program.at(step.at).op {
            Op::Branch { .. } => true,
            Op::Goto(targets) => targets.len() > 1,
            _ => false,
        };
        let span = self.program.at(step.to?).span.filter(|_| chooses)?;
        Some(format!("goes to line {}", place(self.sources, span).0))
    }

    /// What a step changes in a thread: the values of the activations that stay, and what is 1 in a new one.
    fn changes<'s>(&'s self, old: &'s Thread, new: &'s Thread) -> impl Iterator<Item = String> + 's {
        let depth = old.stack.len().min(new.stack.len()) - 1;
        let shown = self.program.locals().enumerate().filter(|(_, local)| local.role == Role::Plain);
        let changed = shown.filter_map(move |(id, local)| {
            let value = |thread: &Thread| thread.value(self.program, depth, id);
            let now = value(new);
            (value(old) != now && !self.is_dead(new, depth, id))
                .then(|| format!("{} = {}", local.name, u8::from(now)))
        });
        let entered = if new.stack.len() > old.stack.len() { self.ones(new, depth + 1) } else { vec![] };
        changed.chain(entered.into_iter().map(|name| format!("{name} = 1")))
    }

    /// A local that is never read again is 0: that is no news.
    fn is_dead(&self, thread: &Thread, depth: usize, local: LocalId) -> bool {
        self.program.at(thread.stack[depth].loc).dead.contains(&local)
    }
}

fn inside(state: &State, thread: ThreadId) -> bool {
    state.threads.get(&thread).is_some_and(|it| it.inside)
}

/// A statement that has no text of its own in the source.
fn in_words(op: &Op) -> &'static str {
    match op {
        Op::Skip => "skip",
        Op::Goto(_) => "goto",
        Op::Branch { .. } => "if",
        Op::Assign { .. } => "assignment",
        Op::Assume(_) => "assume",
        Op::Assert(_) => "assert",
        Op::Call { .. } => "call",
        Op::Return(_) => "return",
        Op::Start(_) => "start_thread",
        Op::End => "end_thread",
        Op::AtomicBegin => "atomic_begin",
        Op::AtomicEnd => "atomic_end",
        Op::Lock(_) => "lock",
        Op::Unlock(_) => "unlock",
    }
}

fn tell_net(sources: &SourceMap, net: &Net, trace: &NetTrace, markings: &[Marking]) -> Story {
    let mut story = Story { start: marking_at_start(net, &trace.start), ..Story::default() };
    for (number, (step, pair)) in trace.steps.iter().zip(markings.windows(2)).enumerate() {
        let row = net_row(sources, net, &pair[0], step, &pair[1]);
        story.rows.push(Row { after: number + 1, ..row });
    }
    if let Some(last) = story.rows.last_mut() {
        last.effects.push("the target is covered".to_string());
        last.error = true;
    }
    story
}

fn marking_at_start(net: &Net, marking: &Marking) -> Vec<String> {
    let shared = (net.shared().len() > 1).then(|| format!("shared state {}", net.shared()[marking.shared]));
    let held = net.places().enumerate().filter(|(id, _)| marking.tokens[id.index()] > 0);
    let places = held.map(|(id, place)| format!("{} in place {}", marking.tokens[id.index()], place.name));
    shared.into_iter().chain(places).collect()
}

fn net_row(sources: &SourceMap, net: &Net, before: &Marking, step: &Move, after: &Marking) -> Row {
    let span = net.rules().get(step.rule).and_then(|rule| rule.span);
    let (line, text) = match span.map(|span| place(sources, span)) {
        Some((line, text)) => (Some(line), text),
        None => (None, format!("rule {}", step.rule.index())),
    };
    let mut effects = vec![];
    if before.shared != after.shared {
        effects.push(format!("shared state {}", net.shared()[after.shared]));
    }
    for (id, place) in net.places().enumerate() {
        let (old, new) = (before.tokens[id.index()], after.tokens[id.index()]);
        if old != new {
            effects.push(format!("place {}: {old} to {new}", place.name));
        }
    }
    Row { line, text, effects, span, ..Row::default() }
}
