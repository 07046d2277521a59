//! States that are errors, in words: who races with whom on what, who waits for whom, and what is lost.

use ::c::{
    CellRef, Deadlock, Leak, LeakKind, Loc, NextAccess, Origin, Program, Race, State, ThreadId, Trace,
    TraceStep, Value, Waiting, WaitsOn,
};
use base::{Id, SourceMap, Span};
use verify::explore::user_span;

/// The names of a program's objects and places in a state.
pub struct StateNames<'a> {
    /// The texts.
    pub sources: &'a SourceMap,
    /// The program.
    pub program: &'a Program,
    /// The state.
    pub state: &'a State,
}

impl StateNames<'_> {
    /// Where the next step of a thread stands in the user's text: what happens in a function of the library
    /// happens where the program calls it.
    pub fn span(&self, thread: ThreadId, at: Loc) -> Option<Span> {
        user_span(self.sources, self.program, self.state, thread, at)
    }

    /// The place of the next step of a thread as `FILE:LINE:COLUMN`.
    pub fn place(&self, thread: ThreadId, at: Loc) -> Option<String> {
        self.span(thread, at).map(|span| self.sources.describe(span))
    }

    /// The same as `FILE:LINE`.
    pub fn line(&self, thread: ThreadId, at: Loc) -> String {
        self.line_at(self.span(thread, at))
    }

    /// The place of a step that somebody took before.
    pub fn place_of(&self, at: Loc) -> Option<String> {
        self.program.at(at).span.map(|span| self.sources.describe(span))
    }

    /// The same as `FILE:LINE`.
    pub fn line_of(&self, at: Loc) -> String {
        self.line_at(self.program.at(at).span)
    }

    fn line_at(&self, span: Option<Span>) -> String {
        match span {
            Some(span) => {
                let file = self.sources.file(span.file);
                format!("{}:{}", file.name(), file.position(span.start).line)
            }
            None => "a place without a line".to_string(),
        }
    }

    /// The name of what is accessed: of the cell where it begins, or of the whole object.
    pub fn object(&self, access: &NextAccess) -> String {
        let memory = &self.state.memory;
        let Some(instance) = memory.get(access.instance) else {
            return format!("dead object {}", access.instance.index());
        };
        let layout = &self.program.layouts()[instance.layout];
        let whole = layout.stride.saturating_mul(instance.count);
        if access.bytes == whole {
            return match instance.origin {
                Origin::Declared(object) => self.program.objects()[object].name.clone(),
                _ => self.allocation(instance.origin, access),
            };
        }
        self.first_cell(access).map_or_else(String::new, |cell| self.program.cell_name(memory, cell))
    }

    /// The cell in which an access begins.
    pub fn first_cell(&self, access: &NextAccess) -> Option<CellRef> {
        let layout = &self.program.layouts()[self.state.memory.get(access.instance)?.layout];
        let within = access.first % layout.stride.max(1);
        let position = layout.cells.iter().rposition(|cell| cell.offset <= within).unwrap_or(0);
        let element = access.first / layout.stride.max(1);
        let cell = (element * layout.cells.len() as u64) as u32 + position as u32;
        Some(CellRef { instance: access.instance, cell })
    }

    fn allocation(&self, origin: Origin, access: &NextAccess) -> String {
        match origin {
            Origin::Allocated(at) => {
                format!("memory allocated at {}", self.line_of(at))
            }
            _ => format!("allocation {}", access.instance.index()),
        }
    }

    /// The locks that a thread holds.
    pub fn locks(&self, thread: ThreadId) -> Vec<String> {
        let held = self.state.threads.get(&thread).map(|it| &it.held[..]).unwrap_or_default();
        held.iter().map(|it| self.cell(it.lock)).collect()
    }

    fn cell(&self, cell: CellRef) -> String {
        self.program.cell_name(&self.state.memory, cell)
    }
}

/// What is waited for, with its kind: `mutex b`, `thread 2`.
pub fn kind_and_name(names: &StateNames<'_>, on: WaitsOn) -> String {
    match on {
        WaitsOn::Mutex(cell) => format!("mutex {}", names.cell(cell)),
        WaitsOn::RwLock(cell) => format!("rwlock {}", names.cell(cell)),
        WaitsOn::Thread(id) => format!("thread {id}"),
        WaitsOn::Condition(cell) => format!("condition {}", names.cell(cell)),
        WaitsOn::Barrier(cell) => format!("barrier {}", names.cell(cell)),
        WaitsOn::Semaphore(cell) => format!("semaphore {}", names.cell(cell)),
        WaitsOn::Once(cell) => format!("once {}", names.cell(cell)),
        WaitsOn::Section => "an atomic section".to_string(),
    }
}

/// What is waited for, in a verdict: the name of a lock, the end of a thread.
fn wanted(names: &StateNames<'_>, on: WaitsOn) -> String {
    match on {
        WaitsOn::Mutex(cell) | WaitsOn::RwLock(cell) => format!("`{}`", names.cell(cell)),
        WaitsOn::Thread(id) => format!("the end of thread {id}"),
        WaitsOn::Section => "the end of an atomic section".to_string(),
        WaitsOn::Condition(cell) => format!("condition `{}`", names.cell(cell)),
        WaitsOn::Barrier(cell) => format!("barrier `{}`", names.cell(cell)),
        WaitsOn::Semaphore(cell) => format!("semaphore `{}`", names.cell(cell)),
        WaitsOn::Once(cell) => format!("once `{}`", names.cell(cell)),
    }
}

fn holder(waiting: &Waiting) -> String {
    match (waiting.on, waiting.held_by) {
        (WaitsOn::Mutex(_) | WaitsOn::RwLock(_), Some(by)) => format!(" (held by thread {by})"),
        (WaitsOn::Mutex(_) | WaitsOn::RwLock(_), None) => " (held by a thread that ended)".to_string(),
        (WaitsOn::Section, Some(by)) => format!(" (of thread {by})"),
        _ => String::new(),
    }
}

/// The end of the sentence of a verdict about a race: what it is on, and where.
pub fn race(names: &StateNames<'_>, race: &Race) -> String {
    let [one, two] = &race.accesses;
    let at = |it: &::c::RacingAccess| format!("{} ({})", names.line(it.thread, it.at), it.access.mode.word());
    format!("`{}` between {} and {}", names.object(&one.access), at(one), at(two))
}

/// The end of the sentence of a verdict about a deadlock: how many threads, and who waits for what.
pub fn deadlock(names: &StateNames<'_>, deadlock: &Deadlock) -> String {
    let mut each = vec![];
    for it in &deadlock.waits {
        let waits = if each.is_empty() { " waits" } else { "" };
        let line = names.line(it.thread, it.at);
        each.push(format!("{line}{waits} for {}{}", wanted(names, it.on), holder(it)));
    }
    let threads = if deadlock.alive == 1 { "thread" } else { "threads" };
    format!("{} of {} {threads}: {}", deadlock.waits.len(), deadlock.alive, each.join(", "))
}

/// The end of the sentence of a verdict about a leak: where the memory was allocated, and what became of it.
pub fn leak(names: &StateNames<'_>, leak: &Leak, after: Loc) -> String {
    let (from, at) = (names.line_of(leak.allocated), names.line_of(after));
    match leak.kind {
        LeakKind::Lost => format!("allocated at {from} is lost at {at}"),
        LeakKind::Left => format!("allocated at {from} is left when the program ends at {at}"),
    }
}

/// Who allocated what leaks, and in which step of the run, from 1.
pub fn allocation(trace: &Trace, leak: &Leak) -> Option<(ThreadId, usize)> {
    let gives = |value: Value| value == Value::Address { instance: leak.object, offset: 0 };
    let allocates = |step: &TraceStep| {
        step.step.at == leak.allocated && step.registers.iter().any(|&(_, value)| gives(value))
    };
    let at = trace.steps.iter().rposition(allocates)?;
    Some((trace.steps[at].step.thread, at + 1))
}

fn leaking(names: &StateNames<'_>, trace: &Trace, leak: &Leak) -> String {
    let by = match allocation(trace, leak) {
        Some((thread, step)) => format!(" by thread {thread} in step {step}"),
        None => String::new(),
    };
    let fate = match leak.kind {
        LeakKind::Lost => "is lost",
        LeakKind::Left => "is left",
    };
    format!("memory allocated at {}{by} {fate}", names.line_of(leak.allocated))
}

/// What the rows at the end of a story say: one for each thread that has a part in the error.
pub fn rows(names: &StateNames<'_>, trace: &Trace) -> Vec<(ThreadId, Loc, String)> {
    let holding = |thread: ThreadId| match &names.locks(thread)[..] {
        [] => "holds nothing".to_string(),
        some => format!("holds {}", some.join(", ")),
    };
    match &trace.failure.kind {
        ::c::FailureKind::Race(race) => {
            let says = |it: &::c::RacingAccess| {
                let next = format!("next: {} of {}", it.access.mode.word(), names.object(&it.access));
                format!("{next}, {}", holding(it.thread))
            };
            race.accesses.iter().map(|it| (it.thread, it.at, says(it))).collect()
        }
        ::c::FailureKind::Deadlock(deadlock) => {
            let says = |it: &Waiting| {
                let waits = format!("waits for {}{}", kind_and_name(names, it.on), holder(it));
                format!("{waits}, {}", holding(it.thread))
            };
            deadlock.waits.iter().map(|it| (it.thread, it.at, says(it))).collect()
        }
        ::c::FailureKind::Leak(leak) => {
            let last = trace.failure.step;
            vec![(last.thread, last.at, leaking(names, trace, leak))]
        }
        _ => vec![],
    }
}
