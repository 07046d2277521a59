//! The steps that one thread makes in a run, as straight C code.

use super::Subject;
use super::expressions::{Names, Rendered, comment, constant, first, raw, value};
use super::leaks::{Holders, OfFrame};
use ::c::{
    Choice, ExprId, InstanceId, Loc, LocalId, LocalScope, Machine, ObjectId, ObjectScope, Op, Place, ProcId,
    Program, State, ThreadId, TraceStep, Type, Value,
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
    pub machine: Option<&'a Machine<'a>>,
    /// What holds pointers then.
    pub holders: Holders,
    /// The program.
    pub program: &'a Program,
    sources: &'a SourceMap,
    procedure: ProcId,
    /// The activations that it is in: each has registers of its own.
    pub frames: Vec<u32>,
    next_frame: u32,
    registers: BTreeSet<(LocalId, u32)>,
    objects: BTreeSet<(ObjectId, u32)>,
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
            let _ = match self.machine {
                Some(_) => {
                    writeln!(
                        out,
                        "    static _Alignas(16) unsigned char o{number}_{frame}[{bytes}]; // {name}"
                    )
                }
                None => writeln!(out, "    unsigned char *o{number}_{frame} = calloc(1, {bytes}); // {name}"),
            };
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
            Op::Alloc { local, layout, count, .. } => {
                let made = taken.registers.iter().find_map(|(_, value)| match value {
                    Value::Address { instance, .. } => Some(*instance),
                    _ => None,
                });
                let text = match made.and_then(|id| Some((id, again.get(&id)?))) {
                    Some((id, bytes)) => format!("sv_place({}u, {bytes}u)", id.index()),
                    None => {
                        let stride = self.program.layouts()[layout].stride.max(1);
                        format!("(uptr)calloc((size_t){} + 1, {stride}u)", self.expr(count, number))
                    }
                };
                self.set(local, &text);
            }
            Op::Free { pointer, .. } => self.free(number, pointer),
            Op::Enter(object) => self.enter(object),
            Op::Create { template, args, .. } => self.create(number, taken, template, &args),
            Op::Call { procedure, args, .. } => self.call(number, procedure, &args),
            Op::Return(result) => self.leave(number, result, taken, before),
            Op::Exit(result) => self.end(number, result),
            Op::Join { handle, .. } => self.join(number, taken, handle, before),
            // What an external function stores is known when it is read.
            Op::Choose { .. } | Op::Size { .. } | Op::Me(_) | Op::Sync { .. } | Op::Reach(_) => {
                self.known(taken, None)
            }
            Op::Skip
            | Op::Error(_)
            | Op::Detach(_)
            | Op::Leave(_)
            | Op::Halt(_)
            | Op::SectionBegin
            | Op::SectionEnd
            | Op::Undefined(_)
            | Op::Refuse(_) => {}
        }
        self.forget(after);
    }

    /// The size of an object.
    pub fn bytes(&self, object: ObjectId) -> u64 {
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

    /// An object of the activation begins its life.
    fn enter(&mut self, object: ObjectId) {
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

    /// The step that fails, and what is wrong with it.
    pub fn fail(&mut self, number: usize, at: Loc, says: &str) {
        self.place(number, at);
        let location = self.program.at(at);
        let says = comment(says).replace('"', "'");
        let condition = match location.op {
            Op::Assert { cond, .. } => format!("({}) && ", self.expr(cond, number)),
            _ => "0 && ".to_string(),
        };
        if let Some(span) = location.span {
            let file = self.sources.file(span.file);
            let name = comment(file.name()).replace('"', "'");
            let _ = writeln!(self.text, "#line {} \"{name}\"", file.position(span.start).line);
        }
        let _ = writeln!(self.text, "    assert({condition}\"{says}\");");
    }

    fn place(&mut self, number: usize, at: Loc) {
        let text = self.program.at(at).span.map_or_else(String::new, |span| {
            let file = self.sources.file(span.file);
            let line = file.position(span.start).line;
            format!(", {}:{line}: {}", file.name(), file.line(line).trim())
        });
        let _ = writeln!(self.text, "    // step {}{}", number + 1, comment(&text));
    }

    fn names<T>(&mut self, f: impl FnOnce(&Names<'_>) -> T) -> T {
        let used = std::cell::RefCell::new((vec![], vec![]));
        let frame = *self.frames.last().unwrap_or(&0);
        let program = self.program;
        let local = |local: LocalId| {
            let frame = scope_frame(program.locals()[local].scope, frame);
            used.borrow_mut().0.push((local, frame));
            format!("v{}_{frame}", local.index())
        };
        let object = |object: ObjectId| match program.objects()[object].scope {
            ObjectScope::Static => format!("o{}", object.index()),
            scope => {
                let frame = if scope == ObjectScope::Thread { 0 } else { frame };
                used.borrow_mut().1.push((object, frame));
                format!("o{}_{frame}", object.index())
            }
        };
        let result = f(&Names { exprs: program.exprs(), local: &local, object: &object });
        let (registers, objects) = used.into_inner();
        self.registers.extend(registers);
        self.objects.extend(objects);
        result
    }

    /// The text of an expression.
    pub fn expr(&mut self, e: ExprId, number: usize) -> String {
        let count = self.text.len();
        let Rendered { before, text } = self.names(|names| names.render(e, &format!("e{number}_{count}")));
        for line in before {
            let _ = writeln!(self.text, "    {line}");
        }
        text
    }

    /// The address of a place.
    fn spot(&mut self, place: Place, number: usize) -> String {
        match place {
            Place::Object { object, offset } => {
                let base = self.names(|names| (names.object)(object));
                format!("((uptr){base} + {offset})")
            }
            Place::Indexed { object, offset } => {
                let offset = self.expr(offset, number);
                let base = self.names(|names| (names.object)(object));
                format!("((uptr){base} + (uptr){offset})")
            }
            Place::Pointer { pointer, offset } => format!("({} + {offset})", self.expr(pointer, number)),
        }
    }

    fn store(&mut self, address: &str, ty: Type, text: &str) {
        let raw = raw(ty, self.program.pointer_bits());
        let _ = writeln!(self.text, "    *({raw} *){address} = {text};");
    }

    fn load(&mut self, number: usize, local: LocalId, place: Place, choice: Choice) {
        let ty = self.program.locals()[local].ty;
        let spot = self.spot(place, number);
        if let Some(chosen) = choice.value {
            self.store(&spot, ty, &constant(ty, chosen));
        }
        let raw = raw(ty, self.program.pointer_bits());
        self.set(local, &format!("*({raw} *){spot}"));
    }

    fn set(&mut self, local: LocalId, text: &str) {
        let name = self.names(|names| (names.local)(local));
        let frame = scope_frame(self.program.locals()[local].scope, *self.frames.last().unwrap_or(&0));
        self.holders.registers.insert(OfFrame { what: local, frame });
        let _ = writeln!(self.text, "    {name} = {text};");
    }

    fn expect(&mut self, number: usize, cond: ExprId, holds: bool) {
        let text = self.expr(cond, number);
        let sign = if holds { "" } else { "!" };
        let _ = writeln!(self.text, "    sv_expect({sign}({text}), {}u);", number + 1);
    }

    /// Gives the registers that a step wrote the values that they have in the run, where those are numbers or
    /// handles.
    fn known(&mut self, taken: &TraceStep, but: Option<LocalId>) {
        for &(local, it) in taken.registers.iter().filter(|(local, _)| Some(*local) != but) {
            let ty = self.program.locals()[local].ty;
            match it {
                Value::Bits(bits) => self.set(local, &constant(ty, bits)),
                Value::Thread(id) => self.set(local, &constant(ty, u128::from(id) + 1)),
                Value::Address { .. } | Value::Undetermined => {}
            }
        }
    }

    fn frame_of_object(&self, object: ObjectId) -> u32 {
        match self.program.objects()[object].scope {
            ObjectScope::Procedure(_) => *self.frames.last().unwrap_or(&0),
            ObjectScope::Static | ObjectScope::Thread => 0,
        }
    }

    fn create(&mut self, number: usize, taken: &TraceStep, template: ProcId, args: &[ExprId]) {
        let Some(child) = taken.created else { return };
        let params = self.program.procedures()[template].params.clone();
        for (index, (&arg, &param)) in args.iter().zip(&params).enumerate() {
            let text = self.expr(arg, number);
            let text = packed(self.program.locals()[param].ty, &text);
            let _ = writeln!(self.text, "    sv_arguments_{child}[{index}] = {text};");
        }
        let _ = writeln!(self.text, "    pthread_create(&sv_threads[{child}], 0, sv_thread_{child}, 0);");
        self.known(taken, None);
    }

    fn call(&mut self, number: usize, procedure: ProcId, args: &[ExprId]) {
        let texts: Vec<String> = args.iter().map(|&arg| self.expr(arg, number)).collect();
        self.frames.push(self.next_frame);
        self.next_frame += 1;
        for (&param, text) in self.program.procedures()[procedure].params.clone().iter().zip(texts) {
            self.set(param, &text);
        }
    }

    fn leave(&mut self, number: usize, result: Option<ExprId>, taken: &TraceStep, before: &State) {
        let depth = before.threads.get(&self.thread).map_or(1, |thread| thread.frames.len());
        if depth <= 1 {
            return self.end(number, result);
        }
        let text = result.map(|result| self.expr(result, number));
        self.frames.pop();
        if let (Some(text), Some(&(local, _))) = (text, taken.registers.first()) {
            self.set(local, &text);
        }
    }

    fn end(&mut self, number: usize, result: Option<ExprId>) {
        if let Some(result) = result {
            let text = self.expr(result, number);
            let text = packed(self.program.exprs().ty(result), &text);
            let _ = writeln!(self.text, "    sv_results[{}] = {text};", self.thread);
        }
    }

    fn join(&mut self, number: usize, taken: &TraceStep, handle: ExprId, before: &State) {
        let evaluator = ::c::Evaluator::new(self.program);
        let whom = before.threads.get(&self.thread).and_then(|thread| evaluator.value(thread, handle).ok());
        let joined = before.ended.keys().find(|id| whom == Some(Value::Thread(**id)));
        let Some(&joined) = joined else { return self.known(taken, None) };
        let _ = writeln!(self.text, "    pthread_join(sv_threads[{joined}], 0); // step {}", number + 1);
        for &(local, it) in &taken.registers {
            let text = match it {
                Value::Address { .. } => self.unpacked(local, &format!("sv_results[{joined}]")),
                Value::Bits(bits) => constant(self.program.locals()[local].ty, bits),
                Value::Thread(id) => constant(self.program.locals()[local].ty, u128::from(id) + 1),
                Value::Undetermined => continue,
            };
            self.set(local, &text);
        }
        if self.machine.is_some() {
            let _ = writeln!(self.text, "    sv_results[{joined}] = 0;");
        }
    }

    /// A register's value from an argument or a result.
    fn unpacked(&self, local: LocalId, from: &str) -> String {
        match self.program.locals()[local].ty {
            Type::Float => format!("sv_f32((uint32_t){from})"),
            Type::Double => format!("sv_f64((uint64_t){from})"),
            ty => format!("({}){from}", value(ty)),
        }
    }
}

/// A value as an argument or a result.
fn packed(ty: Type, text: &str) -> String {
    match ty {
        Type::Float => format!("sv_b32({text})"),
        Type::Double => format!("sv_b64({text})"),
        _ => format!("(u128){text}"),
    }
}

fn scope_frame(scope: LocalScope, frame: u32) -> u32 {
    match scope {
        LocalScope::Thread => 0,
        LocalScope::Procedure(_) => frame,
    }
}
