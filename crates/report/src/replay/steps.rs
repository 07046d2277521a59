//! The steps that one thread makes in a run, as straight C code.

use super::Subject;
use super::expressions::{comment, first, raw, value};
use super::leaks::{Holders, OfFrame};
use crate::trace::states::StateNames;
use ::c::{
    AccessMode, Choice, ExprId, InstanceId, Loc, LocalId, LockMode, Machine, MutexKind, ObjectId, Op, Place,
    ProcId, Program, RacingAccess, State, SyncInit, SyncOp, ThreadId, TraceStep, Type, Value, Waiting,
    WaitsOn,
};
use base::{Id, SourceMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The code of one thread.
pub struct Body<'a> {
    /// Which.
    pub thread: ThreadId,
    /// The procedure that it begins in.
    pub name: String,
    /// The code so far.
    pub text: String,
    /// What the run still reads, if it is one into a leak.
    pub(super) machine: Option<&'a Machine<'a>>,
    /// What holds pointers then.
    pub(super) holders: Holders,
    pub(super) program: &'a Program,
    pub(super) sources: &'a SourceMap,
    pub(super) procedure: ProcId,
    /// The activations that it is in: each has registers of its own.
    pub(super) frames: Vec<u32>,
    pub(super) next_frame: u32,
    pub(super) registers: BTreeSet<(LocalId, u32)>,
    pub(super) objects: BTreeSet<(ObjectId, u32)>,
}

impl<'a> Body<'a> {
    /// A thread at its beginning: its parameters are its arguments.
    pub(super) fn new(subject: Subject<'a>, thread: ThreadId, procedure: ProcId) -> Body<'a> {
        let Subject { sources, source, machine } = subject;
        let program = &source.program;
        let name = program.procedures()[procedure].name.clone();
        let mut body = Body {
            thread,
            name,
            text: String::new(),
            machine,
            holders: Holders::default(),
            program,
            sources,
            procedure,
            frames: vec![0],
            next_frame: 1,
            registers: BTreeSet::new(),
            objects: BTreeSet::new(),
        };
        for (index, &local) in program.procedures()[procedure].params.iter().enumerate() {
            let from = format!("sv_arguments_{thread}[{index}]");
            let text = body.unpacked(local, &from);
            body.set(local, &text);
            if machine.is_some() {
                let _ = writeln!(body.text, "    {from} = 0;");
            }
        }
        body
    }

    /// The number of its arguments.
    pub fn arguments(&self) -> usize {
        self.program.procedures()[self.procedure].params.len()
    }

    /// The registers and objects that its code uses.
    pub fn declarations(&self) -> String {
        let mut out = String::new();
        for &(local, frame) in &self.registers {
            let it = &self.program.locals()[local];
            let (first, name) = (first(it.ty, it.init), comment(&it.name));
            let _ = writeln!(out, "    {} v{}_{frame} = {first}; // {name}", value(it.ty), local.index());
        }
        for &(object, frame) in &self.objects {
            let it = &self.program.objects()[object];
            let (number, bytes, name) = (object.index(), self.bytes(object), comment(&it.name));
            let declared = match self.machine {
                Some(_) => format!("static _Alignas(16) unsigned char o{number}_{frame}[{bytes}]"),
                None => format!("unsigned char *o{number}_{frame} = calloc(1, {bytes})"),
            };
            let _ = writeln!(out, "    {declared}; // {name}");
            out.push_str(&super::first_values(self.program, object, &format!("o{}_{frame}", object.index())));
        }
        for &(local, frame) in &self.registers {
            let _ = writeln!(out, "    (void)v{}_{frame};", local.index());
        }
        out
    }

    /// A step of the run.
    pub fn step(
        &mut self,
        number: usize,
        taken: &TraceStep,
        [before, after]: [&State; 2],
        again: &BTreeMap<InstanceId, u64>,
    ) {
        let at = taken.step.at;
        self.place(number, at);
        let op = self.program.at(at).op.clone();
        match op {
            Op::Assign { local, value } => {
                let text = self.expr(value, number);
                self.set(local, &text);
            }
            Op::Load { local, place, .. } => self.load(number, local, place, taken.step.choice),
            Op::Store { place, value, .. } => {
                let text = self.expr(value, number);
                let ty = self.program.exprs().ty(value);
                let spot = self.spot(place, number);
                self.store(&spot, ty, &text);
            }
            Op::Rmw { old, place, guard, value, .. } => {
                self.load(number, old, place, Choice { fails: false, ..taken.step.choice });
                self.update(number, taken, guard, place, value);
                self.known(taken, Some(old));
            }
            Op::Branch { cond, target } => {
                let next = self.program.at(at).next;
                let now = after.threads.get(&self.thread).map(|thread| thread.loc());
                if target != next {
                    self.expect(number, cond, now == Some(target));
                }
            }
            Op::Assume(cond) => self.expect(number, cond, true),
            Op::Assert { cond, .. } => self.expect(number, cond, true),
            Op::Alloc { local, .. } => {
                let text = self.block(number, taken, again);
                self.line(at, before);
                self.set(local, &text);
            }
            Op::Free { pointer, automatic } => {
                let evaluator = ::c::Evaluator::new(self.program);
                let thread = before.threads.get(&self.thread);
                let freed = thread.and_then(|thread| evaluator.value(thread, pointer).ok());
                let is_kept =
                    matches!(freed, Some(Value::Address { instance, .. }) if again.contains_key(&instance));
                if !is_kept {
                    self.free(pointer, automatic, number);
                }
            }
            Op::Enter(object) => self.enter(object, before),
            Op::Leave(object) => self.dispose(object, before),
            Op::Create { template, args, .. } => self.create(number, taken, template, &args),
            Op::Call { procedure, args, .. } => self.call(number, procedure, &args),
            Op::Return(result) => self.leave(number, result, taken, before),
            Op::Exit(result) => self.end(number, result),
            Op::Join { handle, .. } => self.join(number, taken, handle, before),
            Op::Sync { op, place, .. } => {
                self.sync(number, op, place, before);
                self.known(taken, None);
            }
            // What an external function stores is known when it is read.
            Op::Choose { .. } | Op::Size { .. } | Op::Me(_) | Op::Reach(_) => self.known(taken, None),
            Op::Skip
            | Op::Error(_)
            | Op::Detach(_)
            | Op::Halt(_)
            | Op::SectionBegin
            | Op::SectionEnd
            | Op::Undefined(_)
            | Op::Refuse(_) => {}
        }
        self.forget(after);
    }

    /// The size of an object.
    pub(super) fn bytes(&self, object: ObjectId) -> u64 {
        let it = &self.program.objects()[object];
        self.program.layouts()[it.layout].stride.saturating_mul(it.count).max(1)
    }

    /// The writing half of an atomic operation, if it wrote.
    fn update(
        &mut self,
        number: usize,
        taken: &TraceStep,
        guard: Option<ExprId>,
        place: Place,
        value: ExprId,
    ) {
        if taken.access.is_none_or(|access| access.written.is_none()) {
            return;
        }
        if let Some(guard) = guard {
            self.expect(number, guard, true);
        }
        let text = self.expr(value, number);
        let spot = self.spot(place, number);
        self.store(&spot, self.program.exprs().ty(value), &text);
    }

    /// The address of a new allocation.
    fn block(&mut self, number: usize, taken: &TraceStep, again: &BTreeMap<InstanceId, u64>) -> String {
        let made = taken.registers.iter().find_map(|(_, value)| match value {
            Value::Address { instance, .. } => Some(*instance),
            _ => None,
        });
        if let Some((id, bytes)) = made.and_then(|id| Some((id, again.get(&id)?))) {
            return format!("sv_place({}u, {bytes}u)", id.index());
        }
        let Op::Alloc { layout, count, automatic, .. } = self.program.at(taken.step.at).op else {
            unreachable!("only an allocation makes a block")
        };
        let stride = self.program.layouts()[layout].stride.max(1);
        let count = self.expr(count, number);
        let word = if automatic { "sv_allocate_automatic" } else { "sv_allocate" };
        format!("{word}((size_t){count}, {stride}u)")
    }

    /// Gives an allocation back.
    fn free(&mut self, pointer: ExprId, automatic: bool, number: usize) {
        let text = self.expr(pointer, number);
        let word = if automatic { "sv_free_automatic" } else { "sv_free" };
        let _ = writeln!(self.text, "    {word}({text});");
    }

    /// Ends the life of an object of the activation, if it lives.
    fn dispose(&mut self, object: ObjectId, before: &State) {
        if self.machine.is_some() {
            return;
        }
        let thread = before.threads.get(&self.thread);
        if thread.is_some_and(|thread| thread.top().objects.iter().any(|it| it.0 == object)) {
            let name = self.names(|names| (names.object)(object));
            let _ = writeln!(self.text, "    sv_free((uptr){name});");
        }
    }

    /// An object of the activation begins its life.
    fn enter(&mut self, object: ObjectId, before: &State) {
        self.dispose(object, before);
        let frame = self.frame_of_object(object);
        let bytes = self.bytes(object);
        self.objects.insert((object, frame));
        if self.machine.is_some() {
            // What it held was overwritten when it ended.
            self.holders.objects.insert(OfFrame { what: object, frame });
            return;
        }
        let _ = writeln!(self.text, "    o{}_{frame} = calloc(1, {bytes});", object.index());
    }

    /// The step that fails, and what is wrong with it. Where a sanitizer looks at memory, the access happens.
    pub fn fail(&mut self, number: usize, at: Loc, state: &State, says: &str) {
        self.place(number, at);
        let says = comment(says).replace('"', "'");
        match self.program.at(at).op.clone() {
            Op::Assert { cond, .. } => {
                let condition = self.expr(cond, number);
                self.line(at, state);
                let _ = writeln!(self.text, "    assert(({condition}) && \"{says}\");");
                return;
            }
            Op::Free { pointer, automatic: false } => {
                let pointer = self.expr(pointer, number);
                self.line(at, state);
                let _ = writeln!(self.text, "    sv_free({pointer});");
            }
            Op::Load { local, place, .. } => {
                let ty = self.program.locals()[local].ty;
                self.touch(number, at, state, Touch { place, ty, writes: false });
            }
            Op::Store { place, value, .. } | Op::Rmw { place, value, .. } => {
                let ty = self.program.exprs().ty(value);
                self.touch(number, at, state, Touch { place, ty, writes: true });
            }
            _ => {}
        }
        self.line(at, state);
        let _ = writeln!(self.text, "    assert(0 && \"{says}\");");
    }

    /// An access that is undefined behaviour, for sanitizers.
    fn touch(&mut self, number: usize, at: Loc, state: &State, touch: Touch) {
        let spot = self.spot(touch.place, number);
        let raw = raw(touch.ty, self.program.pointer_bits());
        self.line(at, state);
        let access =
            if touch.writes { format!("*({raw} *){spot} = 0") } else { format!("(void)*({raw} *){spot}") };
        let _ = writeln!(self.text, "    if (SV_ADDRESSES) {access};");
    }

    /// What follows stands in the line of the location, or where the user calls the library: sanitizers
    /// report it.
    fn line(&mut self, at: Loc, state: &State) {
        let names = StateNames { sources: self.sources, program: self.program, state };
        if let Some(span) = names.span(self.thread, at) {
            let file = self.sources.file(span.file);
            let name = comment(file.name()).replace('"', "'");
            let _ = writeln!(self.text, "#line {} \"{name}\"", file.position(span.start).line);
        }
    }

    /// One of two accesses that race: it happens in the turn of both.
    pub fn race(&mut self, number: usize, racing: &RacingAccess, state: &State, says: &str) {
        let (at, access) = (racing.at, racing.access);
        self.place(number, at);
        let address = match self.program.at(at).op.clone() {
            Op::Load { place, .. }
            | Op::Store { place, .. }
            | Op::Rmw { place, .. }
            | Op::Sync { place, .. } => self.spot(place, number),
            Op::Free { pointer, .. } => self.expr(pointer, number),
            _ => self.own(access.instance, state),
        };
        self.line(at, state);
        let word = match (access.mode == AccessMode::Read, access.atomic) {
            (true, false) => "READ",
            (true, true) => "ATOMIC_READ",
            (false, false) => "WRITE",
            (false, true) => "ATOMIC_WRITE",
        };
        let bytes =
            if matches!(access.bytes, 1 | 2 | 4 | 8) { access.bytes.to_string() } else { "MANY".into() };
        let count = access.bytes;
        let says = comment(says).replace('"', "'");
        let _ = writeln!(self.text, "    SV_{word}_{bytes}({address}, {count}u); sv_raced(\"{says}\");");
    }

    /// The address of an object of the thread's own.
    fn own(&mut self, instance: InstanceId, state: &State) -> String {
        let Some(thread) = state.threads.get(&self.thread) else { return "0".to_string() };
        let frames = thread.frames.iter().zip(self.frames.clone());
        let objects = frames.flat_map(|(it, frame)| it.objects.iter().map(move |own| (own, frame)));
        let objects = objects.chain(thread.objects.iter().map(|own| (own, 0)));
        let found = objects.into_iter().find(|(own, _)| own.1 == instance);
        let Some((&(object, _), frame)) = found else { return "0".to_string() };
        self.objects.insert((object, frame));
        format!("((uptr)o{}_{frame})", object.index())
    }

    /// An operation on a synchronisation object, on a real one.
    fn sync(&mut self, number: usize, op: SyncOp, place: Place, before: &State) {
        let waits = before.threads.get(&self.thread).is_some_and(|thread| thread.wait.is_some());
        let (word, place, argument) = match op {
            SyncOp::Init(SyncInit::Mutex(kind)) => ("mutex_init", place, Some(mutex_kind(kind).to_string())),
            SyncOp::Init(SyncInit::RwLock) => ("rwlock_init", place, None),
            SyncOp::Init(SyncInit::Semaphore(value)) => {
                ("sem_init", place, Some(format!("(unsigned){}", self.expr(value, number))))
            }
            SyncOp::CondWait { mutex, .. } if waits => ("lock", mutex, None),
            SyncOp::CondWait { mutex, .. } => ("unlock", mutex, None),
            _ => match operation(op) {
                Some(word) => (word, place, None),
                None => return,
            },
        };
        let spot = self.spot(place, number);
        let argument = argument.map(|it| format!(", {it}")).unwrap_or_default();
        let _ = writeln!(self.text, "    sv_{word}({spot}{argument});");
    }

    /// A thread of a deadlock waits, for real where the library has such an operation.
    pub fn wait(&mut self, number: usize, waiting: &Waiting, state: &State) {
        let at = waiting.at;
        self.place(number, at);
        let call = match (waiting.on, self.program.at(at).op.clone()) {
            (WaitsOn::Thread(whom), _) => format!("sv_join_thread(sv_threads[{whom}])"),
            (WaitsOn::Mutex(_), Op::Sync { op: SyncOp::CondWait { mutex, .. }, .. }) => {
                format!("sv_lock({})", self.spot(mutex, number))
            }
            (WaitsOn::Mutex(_) | WaitsOn::RwLock(_) | WaitsOn::Semaphore(_), Op::Sync { op, place, .. }) => {
                format!("sv_{}({})", operation(op).unwrap_or("sleep"), self.spot(place, number))
            }
            _ => "sv_sleep(0)".to_string(),
        };
        self.line(at, state);
        let _ = writeln!(self.text, "    {call}; sv_moved({});", self.thread);
    }

    fn place(&mut self, number: usize, at: Loc) {
        let text = self.program.at(at).span.map_or_else(String::new, |span| {
            let file = self.sources.file(span.file);
            let line = file.position(span.start).line;
            format!(", {}:{line}: {}", file.name(), file.line(line).trim())
        });
        let _ = writeln!(self.text, "    // step {}{}", number + 1, comment(&text));
    }
}

/// An access that is undefined behaviour.
struct Touch {
    place: Place,
    ty: Type,
    writes: bool,
}

/// What a mutex of a kind is initialised with.
pub fn mutex_kind(kind: MutexKind) -> &'static str {
    match kind {
        MutexKind::Normal => "PTHREAD_MUTEX_NORMAL",
        MutexKind::Recursive => "PTHREAD_MUTEX_RECURSIVE",
        MutexKind::ErrorCheck => "PTHREAD_MUTEX_ERRORCHECK",
    }
}

/// The function of `head.c` for an operation, if it has one: sleepers, barriers and `pthread_once` need none,
/// since their threads wait for their turns.
fn operation(op: SyncOp) -> Option<&'static str> {
    let patient = |mode: LockMode, [waits, tries]: [&'static str; 2]| {
        if mode == LockMode::Wait { waits } else { tries }
    };
    Some(match op {
        SyncOp::Lock(mode) => patient(mode, ["lock", "trylock"]),
        SyncOp::Unlock => "unlock",
        SyncOp::ReadLock(mode) => patient(mode, ["rdlock", "tryrdlock"]),
        SyncOp::WriteLock(mode) => patient(mode, ["wrlock", "trywrlock"]),
        SyncOp::RwUnlock => "rwunlock",
        SyncOp::SemWait(mode) => patient(mode, ["sem_wait", "sem_trywait"]),
        SyncOp::SemPost => "sem_post",
        _ => return None,
    })
}
