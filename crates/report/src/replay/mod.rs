//! A failing run as a C program of its own. Every thread of the run is a thread of the program and executes
//! its steps of the run, one after the other, on real memory; a counter says whose turn it is, so that the
//! steps happen in the order of the run. Nondeterministic values are filled in, branches are compared with
//! those of the run, and the last step is the assertion that fails. Compiled with `cc -pthread` it fails
//! every time.
//!
//! Mutexes, read-write locks and semaphores are real ones: a run that cannot happen would wait. Conditions,
//! barriers and `pthread_once` are decided by the turns. Memory that the run frees stays, since the program
//! could otherwise get the same address twice where the run does not; but not under a sanitizer of addresses,
//! which gives no address twice. Where the run does, an allocation gets the old block, which is large enough
//! for all that come to lie there.
//!
//! The end: an assertion that fails; two accesses in one turn, which nothing orders, so that a sanitizer
//! sees a data race; threads that wait for each other, until a watchdog says so; or the end of the program
//! where LeakSanitizer finds what was lost.

mod calls;
mod expressions;
mod leaks;
mod steps;
mod values;

use crate::document::Document;
use crate::trace::json_c;
use crate::verdict;
use ::c::{
    CellType, FailureKind, InstanceId, Machine, MutexKind, ObjectId, ObjectScope, Program, State, SyncKind,
    ThreadId, Trace,
};
use base::{Id, SourceMap, sanitise};
use ir::Model;
use std::collections::BTreeMap;
use std::fmt::Write;
use steps::Body;
use verify::{CProgram, Outcome, Report, Run, Source};

const HEAD: &str = include_str!("head.c");

/// The failing run of a report as a program, if there is one, or why it cannot be one.
pub fn program(report: &Report) -> Result<Option<Document>, String> {
    match (report.source.as_ref().map(Source::model), report.outcome()) {
        (
            Some(Model::C(model)),
            Some(Outcome::Unsafe { trace: ir::Trace::C(trace), run: Run::C(states), .. }),
        ) => {
            let verdict = sanitise(&verdict::line(report).unwrap_or_default());
            let program = write(&report.sources, &model, &Failing { trace, states }, &verdict);
            program.map(|text| Some(Document::Data(text))).map_err(|why| format!("--replay: {why}"))
        }
        (Some(Model::C(_)) | None, _) => Ok(None),
        _ => Err("--replay: only C programs can be run again".to_string()),
    }
}

/// A run into an error, with the states that its replay saw.
struct Failing<'a> {
    /// The run.
    trace: &'a Trace,
    /// The states, from the start to the one in which a step fails.
    states: &'a [State],
}

/// What a run is one of.
#[derive(Clone, Copy)]
struct Subject<'a> {
    sources: &'a SourceMap,
    source: &'a CProgram,
    /// What the run still reads, if it is one into a leak.
    machine: Option<&'a Machine<'a>>,
}

/// The program, or why there is none.
fn write(
    sources: &SourceMap,
    source: &CProgram,
    failing: &Failing<'_>,
    verdict: &str,
) -> Result<String, String> {
    let (program, trace) = (&source.program, failing.trace);
    let leaks = matches!(trace.failure.kind, FailureKind::Leak(_));
    let machine = leaks.then(|| Machine::new(program, trace.options));
    let subject = Subject { sources, source, machine: machine.as_ref() };
    let mut bodies: BTreeMap<ThreadId, Body<'_>> = BTreeMap::new();
    let mut state = failing.states.first().ok_or("the run has no states")?;
    open(&mut bodies, subject, state);
    let again = used_again(program, failing);
    let (mut turn, mut last) = (0u32, None);
    let failing_step = trace.failure.kind.is_step().then_some(trace.failure.step);
    let all = trace.steps.iter().map(|step| step.step).chain(failing_step);
    for (number, step) in all.enumerate() {
        if last != Some(step.thread) {
            if let Some(before) = last.replace(step.thread) {
                close_turn(&mut bodies, before, turn);
                turn += 1;
            }
            open_turn(&mut bodies, step.thread, turn);
        }
        let body = bodies.get_mut(&step.thread).ok_or("a thread of the trace was never created")?;
        let Some(taken) = trace.steps.get(number) else {
            body.fail(number, trace.failure.step.at, state, &json_c::says(source, trace));
            break;
        };
        let after = failing.states.get(number + 1).ok_or("the run has too few states")?;
        body.step(number, taken, [state, after], &again);
        state = after;
        open(&mut bodies, subject, state);
    }
    if let Some(before) = last.filter(|_| failing_step.is_none()) {
        close_turn(&mut bodies, before, turn);
    }
    end(&mut bodies, failing, turn + 1, verdict);
    let written = Written { program, bodies: &bodies, again: !again.is_empty(), last: state };
    let watchdog = match trace.failure.kind {
        FailureKind::Deadlock(_) => watchdog(turn + 1, verdict),
        _ => String::new(),
    };
    Ok(written.text(verdict, &watchdog))
}

/// The program once all steps are taken.
struct Written<'a> {
    program: &'a Program,
    bodies: &'a BTreeMap<ThreadId, Body<'a>>,
    /// Whether an address is used again.
    again: bool,
    /// The last state of the run.
    last: &'a State,
}

impl Written<'_> {
    fn text(&self, verdict: &str, watchdog: &str) -> String {
        let mut out = format!("// {}\n{HEAD}", expressions::comment(verdict));
        let _ = writeln!(
            out,
            "_Static_assert(sizeof(void *) * 8 == {}, \"another data model: see -m32\");",
            self.program.pointer_bits()
        );
        objects(&mut out, self.program);
        if self.again {
            let _ = writeln!(out, "static uptr sv_places[{}];\n{PLACE}", self.last.memory.instances.len());
        }
        let threads = self.last.next.max(1);
        let _ = writeln!(out, "static pthread_t sv_threads[{threads}];\nstatic u128 sv_results[{threads}];");
        for body in self.bodies.values() {
            let (thread, arguments) = (body.thread, body.arguments().max(1));
            let _ = writeln!(out, "static u128 sv_arguments_{thread}[{arguments}];");
            let _ = writeln!(out, "static void *sv_thread_{thread}(void *);");
        }
        for body in self.bodies.values() {
            let (thread, name) = (body.thread, expressions::comment(&body.name));
            let _ = writeln!(out, "\n// thread {thread}: {name}");
            let _ =
                writeln!(out, "static void *sv_thread_{thread}(void *sv_unused)\n{{\n    (void)sv_unused;");
            out.push_str(&body.declarations());
            out.push_str(&body.text);
            out.push_str("    return 0;\n}\n");
        }
        let _ = writeln!(
            out,
            "\nint main(void)\n{{\n    sv_initialise();\n{watchdog}    sv_threads[0] = pthread_self();\n    \
             sv_thread_0(0);\n    pthread_exit(0);\n}}"
        );
        out
    }
}

/// The end of a run whose last state fails: all that happens then happens in one turn.
fn end(bodies: &mut BTreeMap<ThreadId, Body<'_>>, failing: &Failing<'_>, turn: u32, verdict: &str) {
    let (number, Some(state)) = (failing.trace.steps.len(), failing.states.last()) else { return };
    match &failing.trace.failure.kind {
        FailureKind::Race(race) => {
            for racing in &race.accesses {
                open_turn(bodies, racing.thread, turn);
                if let Some(body) = bodies.get_mut(&racing.thread) {
                    body.race(number, racing, state, verdict);
                }
            }
        }
        FailureKind::Deadlock(deadlock) => {
            for waiting in &deadlock.waits {
                open_turn(bodies, waiting.thread, turn);
                if let Some(body) = bodies.get_mut(&waiting.thread) {
                    body.wait(number, waiting, state);
                }
            }
        }
        FailureKind::Leak(_) => {
            let thread = failing.trace.failure.step.thread;
            open_turn(bodies, thread, turn);
            if let Some(body) = bodies.get_mut(&thread) {
                body.leak(verdict);
            }
        }
        FailureKind::Property(_) | FailureKind::Undefined(_) => {}
    }
}

/// Starts the thread that says that all others wait.
fn watchdog(turn: u32, verdict: &str) -> String {
    let says = expressions::comment(verdict).replace('"', "'");
    format!(
        "    pthread_t watchdog;\n    static struct sv_end end = {{ {turn}u, \"{says}\" }};\n    \
         pthread_create(&watchdog, 0, sv_watch, &end);\n"
    )
}

/// Gives a block that is used several times.
const PLACE: &str = "static uptr sv_place(unsigned at, size_t bytes)
{
    if (!sv_places[at]) sv_places[at] = (uptr)calloc(1, bytes);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)sv_places[at])[i] = 0;
    return sv_places[at];
}";

/// The objects whose addresses the run uses again, with the bytes of the largest that lies there.
fn used_again(program: &Program, failing: &Failing<'_>) -> BTreeMap<InstanceId, u64> {
    let reused = failing.trace.steps.iter().filter_map(|step| step.step.choice.reuses);
    let mut found: BTreeMap<InstanceId, u64> = reused.map(|id| (id, 1)).collect();
    for (id, most) in &mut found {
        for object in failing.states.iter().filter_map(|state| state.memory.get(*id)) {
            let stride = program.layouts()[object.layout].stride.max(1);
            *most = (*most).max(stride.saturating_mul(object.count.saturating_add(1)));
        }
    }
    found
}

fn open_turn(bodies: &mut BTreeMap<ThreadId, Body<'_>>, thread: ThreadId, turn: u32) {
    if let Some(body) = bodies.get_mut(&thread) {
        let _ = writeln!(body.text, "    sv_wait({turn}u);");
    }
}

/// Ends the turn of a thread that goes on or ends.
fn close_turn(bodies: &mut BTreeMap<ThreadId, Body<'_>>, thread: ThreadId, turn: u32) {
    if let Some(body) = bodies.get_mut(&thread) {
        let _ = writeln!(body.text, "    sv_pass({}u);", turn + 1);
    }
}

/// A body for each thread that is new.
fn open<'a>(bodies: &mut BTreeMap<ThreadId, Body<'a>>, subject: Subject<'a>, state: &State) {
    for (&id, thread) in &state.threads {
        bodies.entry(id).or_insert_with(|| {
            let procedure = subject.source.program.at(thread.frames[0].loc).procedure;
            Body::new(subject, id, procedure)
        });
    }
}

/// The static objects and their first values.
fn objects(out: &mut String, program: &Program) {
    let mut first = String::new();
    for (id, object) in program.objects().enumerate() {
        if object.scope != ObjectScope::Static {
            continue;
        }
        let layout = &program.layouts()[object.layout];
        let bytes = layout.stride.saturating_mul(object.count).max(1);
        let name = expressions::comment(&object.name);
        let _ = writeln!(out, "static _Alignas(16) unsigned char o{}[{bytes}]; // {name}", id.index());
        first.push_str(&first_values(program, id, &format!("o{}", id.index())));
    }
    let _ = writeln!(out, "\nstatic void sv_initialise(void)\n{{\n{first}}}\n");
}

/// The assignments that give an object, which is called `name`, its first values.
fn first_values(program: &Program, id: ObjectId, name: &str) -> String {
    let object = &program.objects()[id];
    let layout = &program.layouts()[object.layout];
    let width = layout.cells.len().max(1) as u64;
    let mut out = String::new();
    for &(cell, value) in &object.init {
        let Some(shape) = layout.cells.get((cell % width) as usize) else { continue };
        let at = cell / width * layout.stride + shape.offset;
        let CellType::Scalar(ty) = shape.ty else {
            let is_mutex = matches!(shape.ty, CellType::Sync(SyncKind::Mutex, _));
            let kind = MutexKind::ALL.into_iter().find(|kind| is_mutex && kind.initial() == value);
            if let Some(kind) = kind {
                let _ = writeln!(out, "    sv_mutex_init((uptr){name} + {at}, {});", steps::mutex_kind(kind));
            }
            continue;
        };
        let raw = expressions::raw(ty, program.pointer_bits());
        let _ = writeln!(out, "    *({raw} *)({name} + {at}) = {};", expressions::first(ty, value));
    }
    out
}
