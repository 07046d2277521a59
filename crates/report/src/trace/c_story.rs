//! A trace of a C program retold for people. Steps that one thread makes one after the other for one
//! statement of the source are one row; what a row tells are the values that were read and written, those
//! that were chosen, and the locks and threads that changed.

use super::json::place;
use super::states::{self, StateNames};
use super::story::{Row, Story};
use ::c::{
    Access, FailureKind, Hold, LocalId, Op, State, Step, SyncOp, ThreadId, Trace, TraceStep, Type, Value,
};
use base::{SourceMap, Span};
use ir::c::Model;
use ir::property::OVERFLOW;

/// Retells a trace that was replayed before.
pub fn tell(sources: &SourceMap, source: &Model, trace: &Trace, states: &[State]) -> Story {
    let opening = "start: main begins, globals have their first values".to_string();
    let mut story = Story { opening: Some(opening), ..Story::default() };
    let teller = CTeller { sources, source };
    let mut open: Option<Span> = None;
    states.iter().take(1).for_each(|start| teller.name_threads(&mut story, start));
    for (number, (step, pair)) in trace.steps.iter().zip(states.windows(2)).enumerate() {
        let [state, after] = pair else { unreachable!("windows have two states") };
        let effects = teller.effects(state, step, after);
        let inside = inside(state, step.step.thread) || inside(after, step.step.thread);
        teller.add(&mut story, &step.step, state, &mut open, effects, inside);
        // A step that shows nothing belongs to the row before it, if that is of the same thread.
        if let Some(row) = story.rows.last_mut().filter(|row| row.thread == step.step.thread) {
            row.after = number + 1;
        }
        teller.name_threads(&mut story, after);
    }
    let last = &trace.failure;
    let is_inside = states.last().is_some_and(|state| inside(state, last.step.thread));
    open = None;
    let end = states.len().saturating_sub(1);
    if let Some(state) = states.last().filter(|_| !last.kind.is_step()) {
        let first = story.rows.len();
        teller.add_state(&mut story, trace, state);
        story.rows[first..].iter_mut().for_each(|row| row.after = end);
        return story;
    }
    let says = match &last.kind {
        FailureKind::Property(property) => {
            let site = &source.program.properties()[*property];
            match site.says() {
                // The text is the operator.
                _ if site.class == OVERFLOW => "signed overflow".to_string(),
                text if text.is_empty() => "the assertion fails".to_string(),
                text => format!("{text} fails"),
            }
        }
        FailureKind::Undefined(fault) => {
            format!("undefined behaviour: {}", verify::undefined::words(source, trace, fault))
        }
        FailureKind::Race(_) | FailureKind::Deadlock(_) | FailureKind::Leak(_) => String::new(),
    };
    if let Some(state) = states.last() {
        teller.add(&mut story, &last.step, state, &mut open, vec![says], is_inside);
    }
    if let Some(row) = story.rows.last_mut() {
        (row.error, row.after) = (true, end);
    }
    story
}

/// What a step of a run did, in words.
pub fn effects(
    sources: &SourceMap,
    source: &Model,
    before: &State,
    step: &TraceStep,
    after: &State,
) -> Vec<String> {
    CTeller { sources, source }.effects(before, step, after)
}

struct CTeller<'a> {
    sources: &'a SourceMap,
    source: &'a Model,
}

impl CTeller<'_> {
    fn name_threads(&self, story: &mut Story, state: &State) {
        let program = &self.source.program;
        for (&id, thread) in &state.threads {
            let procedure = program.at(thread.frames[0].loc).procedure;
            story.threads.entry(id).or_insert_with(|| program.procedures()[procedure].name.clone());
        }
    }

    /// Adds what is wrong with the last state: the next step of each thread that has a part in it.
    fn add_state(&self, story: &mut Story, trace: &Trace, state: &State) {
        let names = StateNames { sources: self.sources, program: &self.source.program, state };
        for (thread, at, says) in states::rows(&names, trace) {
            let step = Step { thread, at, choice: ::c::Choice::default() };
            self.add(story, &step, state, &mut None, vec![says], inside(state, thread));
            if let Some(row) = story.rows.last_mut() {
                row.error = true;
            }
        }
    }

    /// Adds a step to the last row if it belongs there. What shows nothing and belongs to no row is left out.
    fn add(
        &self,
        story: &mut Story,
        step: &Step,
        before: &State,
        open: &mut Option<Span>,
        effects: Vec<String>,
        inside: bool,
    ) {
        let names = StateNames { sources: self.sources, program: &self.source.program, state: before };
        let span = names.span(step.thread, step.at);
        let line = |span: Option<Span>| span.map(|span| (span.file, place(self.sources, span).0));
        let last = story.rows.last_mut();
        if let Some(row) =
            last.filter(|row| row.thread == step.thread && open.is_some() && line(*open) == line(span))
        {
            row.effects.extend(effects);
            row.inside |= inside;
            return;
        }
        if effects.is_empty() {
            return;
        }
        let switch = story.rows.last().is_some_and(|row| row.thread != step.thread);
        *open = span;
        let (line, text) = match span {
            Some(span) => (Some(place(self.sources, span).0), self.statement(span)),
            None => (None, String::new()),
        };
        let row = Row { thread: step.thread, line, text, effects, switch, inside, span, ..Row::default() };
        story.rows.push(row);
    }

    /// The line as it is written, without what is around it; another file than the one asked about is named.
    fn statement(&self, span: Span) -> String {
        let file = self.sources.file(span.file);
        let line = file.line(file.position(span.start).line).trim();
        let main_file = self.sources.file(self.source.file).name();
        if file.name() == main_file { line.to_string() } else { format!("{}: {line}", file.name()) }
    }

    fn effects(&self, before: &State, step: &TraceStep, after: &State) -> Vec<String> {
        let program = &self.source.program;
        let op = &program.at(step.step.at).op;
        let mut effects = vec![];
        effects.extend(
            step.access
                .filter(|_| !matches!(op, Op::Sync { .. }))
                .and_then(|it| self.access(before, after, it)),
        );
        for &(local, value) in &step.registers {
            effects.extend(self.register(after, op, local, value));
        }
        effects.extend(self.reuse(after, step));
        effects.extend(self.synchronisation(before, after, step, op));
        if let Some(child) = step.created {
            effects.push(format!("starts thread {child}"));
        }
        match op {
            Op::Join { .. } => effects.push("joins".to_string()),
            Op::Detach(_) => effects.push("detaches the thread".to_string()),
            Op::Halt(_) => effects.push("the program ends".to_string()),
            Op::Free { .. } => effects.push("frees the object".to_string()),
            _ if !after.threads.contains_key(&step.step.thread) => {
                effects.push("the thread ends".to_string())
            }
            _ => {}
        }
        effects
    }

    /// That a new object got the address of a dead one.
    fn reuse(&self, after: &State, step: &TraceStep) -> Option<String> {
        let address = Value::Address { instance: step.step.choice.reuses?, offset: 0 };
        let shown = self.source.program.show(&after.memory, address, Type::Pointer, false);
        Some(format!("the address {shown} is used again"))
    }

    fn access(&self, before: &State, after: &State, access: Access) -> Option<String> {
        let program = &self.source.program;
        let memory =
            if after.memory.get(access.cell.instance).is_some() { &after.memory } else { &before.memory };
        let name = program.cell_name(memory, access.cell);
        let ty = program.access_type(memory, access)?;
        let show = |value: Value| program.show(memory, value, ty, true);
        match (access.read, access.written) {
            (Some(read), Some(written)) => Some(format!("{name}: {} -> {}", show(read), show(written))),
            (Some(read), None) => Some(format!("reads {name} = {}", show(read))),
            (None, Some(written)) => Some(format!("{name} = {}", show(written))),
            (None, None) => None,
        }
    }

    fn register(&self, after: &State, op: &Op, local: LocalId, value: Value) -> Option<String> {
        let program = &self.source.program;
        let chosen = matches!(op, Op::Choose { .. });
        let shown = program.show_local(&after.memory, local, value);
        if program.locals()[local].temporary {
            return chosen.then(|| format!("chooses {shown}"));
        }
        let name = &program.locals()[local].name;
        Some(if chosen { format!("chooses {name} = {shown}") } else { format!("{name} = {shown}") })
    }

    fn synchronisation(&self, before: &State, after: &State, step: &TraceStep, op: &Op) -> Vec<String> {
        let id = step.step.thread;
        let held = |state: &State| state.threads.get(&id).map(|it| it.held.clone()).unwrap_or_default();
        let (old, new) = (held(before), held(after));
        let name = |cell| self.source.program.cell_name(&before.memory, cell);
        let mut effects = vec![];
        for it in old.iter().filter(|it| !new.iter().any(|other| other.lock == it.lock)) {
            effects.push(format!("gives {} back", name(it.lock)));
        }
        for it in new.iter().filter(|it| !old.contains(it)) {
            let how = match it.hold {
                Hold::Mutex(1) | Hold::Writer => String::new(),
                Hold::Mutex(n) => format!(" ({n} times)"),
                Hold::Reader(_) => " for reading".to_string(),
            };
            effects.push(format!("holds {}{how}", name(it.lock)));
        }
        let waits = |state: &State| state.threads.get(&id).is_some_and(|it| it.wait.is_some());
        match (waits(before), waits(after), op) {
            (false, true, Op::Sync { op: SyncOp::CondWait { .. }, .. }) => effects.push("sleeps".to_string()),
            (false, true, _) => effects.push("waits at the barrier".to_string()),
            (true, false, _) => effects.insert(0, "wakes".to_string()),
            (_, _, Op::Sync { op, .. }) if effects.is_empty() => {
                effects.extend(in_words(*op).map(String::from))
            }
            _ => {}
        }
        effects
    }
}

/// An operation that changes no lock of the thread.
fn in_words(op: SyncOp) -> Option<&'static str> {
    match op {
        SyncOp::Signal => Some("signals"),
        SyncOp::Broadcast => Some("wakes all sleepers"),
        SyncOp::BarrierWait => Some("opens the barrier"),
        SyncOp::SemWait(_) => Some("takes one from the semaphore"),
        SyncOp::SemPost => Some("gives one to the semaphore"),
        _ => None,
    }
}

fn inside(state: &State, thread: ThreadId) -> bool {
    state.threads.get(&thread).is_some_and(|it| it.section)
}
