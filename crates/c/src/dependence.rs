//! What a run depends on. A run depends on a chosen value if a branch, condition, address, size, divisor,
//! synchronisation operand or thread argument that it executed reads something computed from it. The replay
//! carries, with each register and cell, the set of choices that its value was computed from.
//!
//! Only choices with an origin count ([`super::origin`]): the others are inputs of the program itself, on
//! which a verdict may rest.

use super::expr::{Binary, Convert, ExprId, Node};
use super::machine::{Access, Failure, FailureKind, Machine};
use super::op::{Op, SyncInit, SyncOp};
use super::origin::OriginId;
use super::program::{Loc, LocalId, LocalScope, Program};
use super::reach::{Reach, ReachKind};
use super::state::{Memory, State};
use super::trace::{Trace, TraceStep};
use super::types::{InstanceId, Type};
use super::value::{ThreadId, Value};
use base::Id;
use std::collections::{BTreeMap, BTreeSet};

/// A choice that a run depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reliance {
    /// The number of the step that chose.
    pub step: usize,
    /// On whose behalf.
    pub origin: OriginId,
    /// What was chosen.
    pub value: Value,
    /// Its type.
    pub ty: Type,
    /// Whether people read it as a signed number; most functions give such.
    pub signed: bool,
    /// Whether the function left it in memory; otherwise it returned it.
    pub stored: bool,
}

/// The choices with an origin that a run into an error depends on, in their order. The trace must be one that
/// the replay accepts; of another one only the beginning is looked at.
pub fn dependence(machine: &Machine<'_>, trace: &Trace) -> Vec<Reliance> {
    let mut followed = Followed::new(machine);
    let mut state = machine.start();
    for (number, step) in trace.steps.iter().enumerate() {
        let Ok(after) = machine.apply(&state, &step.step) else { break };
        followed.step(number, &state, &after, step);
        state = after;
    }
    followed.fails(&state, &trace.failure);
    followed.depends.iter().filter_map(|number| followed.chosen.get(number).copied()).collect()
}

/// Choices, by the numbers of their steps.
type Marks = BTreeSet<usize>;

/// A register of a thread: of an activation, by depth, or of the thread itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Register {
    thread: ThreadId,
    depth: Option<usize>,
    slot: u32,
}

/// A byte of an object.
type Byte = (InstanceId, u64);

/// The bytes that an access touches.
fn bytes_of(program: &Program, memory: &Memory, access: Access) -> impl Iterator<Item = Byte> + Clone {
    let instance = access.cell.instance;
    let object = memory.get(instance);
    let (first, own) =
        object.and_then(|object| program.cell_extent(object, access.cell.cell)).unwrap_or((0, 0));
    let number = access.bytes.map_or(own, u64::from);
    (first..first + number).map(move |at| (instance, at))
}

/// What values were computed from.
struct Followed<'m, 'p> {
    machine: &'m Machine<'p>,
    program: &'p Program,
    registers: BTreeMap<Register, Marks>,
    bytes: BTreeMap<Byte, Marks>,
    results: BTreeMap<ThreadId, Marks>,
    /// Undetermined bytes, and whole objects of such, by who left them so.
    open: BTreeMap<Byte, OriginId>,
    own: BTreeMap<InstanceId, OriginId>,
    /// The choices with an origin, by the numbers of their steps.
    chosen: BTreeMap<usize, Reliance>,
    depends: Marks,
}

/// Who reads: a thread in its current activation.
#[derive(Clone, Copy)]
struct Reader {
    thread: ThreadId,
    depth: usize,
}

impl<'m, 'p> Followed<'m, 'p> {
    fn new(machine: &'m Machine<'p>) -> Self {
        Followed {
            machine,
            program: machine.program(),
            registers: BTreeMap::new(),
            bytes: BTreeMap::new(),
            results: BTreeMap::new(),
            open: BTreeMap::new(),
            own: BTreeMap::new(),
            chosen: BTreeMap::new(),
            depends: Marks::new(),
        }
    }

    fn register(&self, reader: Reader, local: LocalId) -> Register {
        let local = &self.program.locals()[local];
        let depth = match local.scope {
            LocalScope::Thread => None,
            LocalScope::Procedure(_) => Some(reader.depth),
        };
        Register { thread: reader.thread, depth, slot: local.slot }
    }

    fn write(&mut self, register: Register, marks: Marks) {
        if marks.is_empty() {
            self.registers.remove(&register);
        } else {
            self.registers.insert(register, marks);
        }
    }

    /// What the value of an expression is computed from.
    fn marks(&self, reader: Reader, e: ExprId) -> Marks {
        let read = self.program.exprs().locals(e);
        let registers =
            read.into_iter().filter_map(|local| self.registers.get(&self.register(reader, local)));
        registers.flatten().copied().collect()
    }

    fn depend(&mut self, reader: Reader, e: ExprId) {
        let marks = self.marks(reader, e);
        self.depends.extend(marks);
    }

    /// The run depends on operands that decide whether an operation is defined: divisors, widths of shifts,
    /// floats made integers, addresses that are subtracted or ordered.
    fn depend_on_operands(&mut self, reader: Reader, root: ExprId) {
        let exprs = self.program.exprs();
        for e in exprs.below(root) {
            use Binary::{DivF, DivS, DivU, LeS, LeU, LtS, LtU, RemS, RemU, Sub};
            let pointers = |a: ExprId| exprs.ty(a) == Type::Pointer;
            match exprs.node(e) {
                Node::Binary(op, _, b) if op.is_shift() => self.depend(reader, b),
                Node::Binary(DivU | DivS | RemU | RemS | DivF, _, b) => self.depend(reader, b),
                Node::Binary(Sub | LtU | LeU | LtS | LeS, a, b) if pointers(a) => {
                    self.depend(reader, a);
                    self.depend(reader, b);
                }
                Node::Convert(Convert::BitsU | Convert::BitsS, _, a) => self.depend(reader, a),
                _ => {}
            }
        }
    }

    /// What a step reads to know where control goes, where to access memory, how much, and with whom to
    /// synchronise.
    fn decide(&mut self, reader: Reader, op: &Op) {
        op.exprs().into_iter().for_each(|e| self.depend_on_operands(reader, e));
        match op {
            Op::Branch { cond: e, .. }
            | Op::Assume(e)
            | Op::Assert { cond: e, .. }
            | Op::Alloc { count: e, .. }
            | Op::Free { pointer: e, .. }
            | Op::Size { pointer: e, .. }
            | Op::Join { handle: e, .. } => self.depend(reader, *e),
            Op::Create { args, .. } => args.iter().for_each(|&e| self.depend(reader, e)),
            Op::Reach(reach) => reach.leads.iter().for_each(|lead| self.depend(reader, lead.pointer)),
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => {
                let mut place = *place;
                place.for_each_expr(|e| self.depend(reader, *e));
            }
            Op::Sync { op: sync, place, .. } => {
                let mut place = *place;
                place.for_each_expr(|e| self.depend(reader, *e));
                match sync {
                    SyncOp::Init(SyncInit::Barrier(e) | SyncInit::Semaphore(e)) => self.depend(reader, *e),
                    SyncOp::CondWait { mutex, .. } => {
                        let mut mutex = *mutex;
                        mutex.for_each_expr(|e| self.depend(reader, *e));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, number: usize, before: &State, after: &State, step: &TraceStep) {
        let program = self.program;
        let op = &program.at(step.step.at).op;
        let reader = reader(before, step.step.thread);
        self.decide(reader, op);
        if let Some(id) = step.step.choice.reuses {
            // What was known of the dead object says nothing of the new one.
            self.bytes.retain(|byte, _| byte.0 != id);
            self.open.retain(|byte, _| byte.0 != id);
            self.own.remove(&id);
        }
        if let Op::Reach(reach) = op {
            // Objects that came into being belong to the function.
            let new = before.memory.instances.len()..after.memory.instances.len();
            let new = new.map(InstanceId::from_index).chain(step.step.choice.reuses);
            self.own.extend(new.map(|id| (id, reach.origin)));
        }
        match op {
            Op::Assign { local, value } => {
                let marks = self.marks(reader, *value);
                self.write(self.register(reader, *local), marks);
            }
            Op::Choose { local, origin, .. } => {
                let marks = origin.map_or(Marks::new(), |origin| self.choose(number, origin, *local, step));
                self.write(self.register(reader, *local), marks);
            }
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } => {
                self.access(number, reader, op, step, &before.memory)
            }
            Op::Reach(reach) => self.reach(number, reader, reach, step, &before.memory),
            Op::Create { template, args, .. } => self.create(reader, *template, args, step),
            Op::Call { procedure, args, .. } => {
                let inside = Reader { depth: reader.depth + 1, ..reader };
                self.enter(reader, inside, *procedure, args);
            }
            Op::Return(value) | Op::Exit(value) => self.leave(reader, *value, before, after),
            Op::Join { handle, result, .. } => self.join(reader, *handle, *result, before),
            _ => {}
        }
        // What else a step writes is computed from nothing that was chosen.
        let rest = match op {
            Op::Sync { .. } | Op::Create { .. } | Op::Alloc { .. } | Op::Size { .. } | Op::Me(_) => {
                op.writes()
            }
            Op::Join { code, .. } => code.iter().copied().collect(),
            _ => vec![],
        };
        rest.into_iter().for_each(|local| self.write(self.register(reader, local), Marks::new()));
    }

    /// Notes that a register got a value that was chosen.
    fn choose(&mut self, number: usize, origin: OriginId, local: LocalId, step: &TraceStep) -> Marks {
        let value = step.registers.iter().find(|(it, _)| *it == local).map_or(Value::ZERO, |it| it.1);
        let local = &self.program.locals()[local];
        let signed = local.signed || local.temporary;
        let stored = self.program.origins()[origin].stores;
        self.chosen.insert(number, Reliance { step: number, origin, value, ty: local.ty, signed, stored });
        Marks::from([number])
    }

    /// A read of an undetermined cell chooses, for all later reads.
    fn first_read(&mut self, number: usize, op: &Op, step: &TraceStep, memory: &Memory) {
        let (Some(access), Op::Load { local, .. } | Op::Rmw { old: local, .. }) = (step.access, op) else {
            return;
        };
        let bytes = bytes_of(self.program, memory, access);
        let origin = bytes.clone().find_map(|byte| self.open.get(&byte).copied());
        let origin = origin.or_else(|| self.own.get(&access.cell.instance).copied());
        if let (Some(origin), Some(_)) = (origin, step.step.choice.value) {
            let marks = self.choose(number, origin, *local, step);
            self.chosen.entry(number).and_modify(|it| {
                it.value = access.read.unwrap_or(it.value);
                it.stored = true;
            });
            self.set(bytes, &marks);
        }
    }

    fn set(&mut self, bytes: impl Iterator<Item = Byte>, marks: &Marks) {
        for byte in bytes {
            if marks.is_empty() {
                self.bytes.remove(&byte);
            } else {
                self.bytes.insert(byte, marks.clone());
            }
        }
    }

    fn reach(&mut self, number: usize, reader: Reader, reach: &Reach, step: &TraceStep, memory: &Memory) {
        match reach.kind {
            ReachKind::Count(local) => self.write(self.register(reader, local), Marks::new()),
            ReachKind::Pick(local) => {
                let marks = self.choose(number, reach.origin, local, step);
                self.write(self.register(reader, local), marks);
            }
            ReachKind::Write(_) => {
                let Some(access @ Access { written: Some(value), .. }) = step.access else { return };
                let bytes = bytes_of(self.program, memory, access);
                self.open.extend(bytes.clone().map(|byte| (byte, reach.origin)));
                self.set(bytes.clone(), &Marks::new());
                if value != Value::Undetermined {
                    let (origin, ty) = (reach.origin, Type::Pointer);
                    let chosen = Reliance { step: number, origin, value, ty, signed: false, stored: true };
                    self.chosen.insert(number, chosen);
                    self.set(bytes, &Marks::from([number]));
                }
            }
        }
    }

    fn access(&mut self, number: usize, reader: Reader, op: &Op, step: &TraceStep, memory: &Memory) {
        let Some(access) = step.access else { return };
        self.first_read(number, op, step, memory);
        let bytes = bytes_of(self.program, memory, access);
        let marks = bytes.clone().filter_map(|byte| self.bytes.get(&byte));
        let held: Marks = marks.flatten().copied().collect();
        let written = match op {
            Op::Load { local, .. } => {
                self.write(self.register(reader, *local), held);
                return;
            }
            Op::Store { value, .. } => self.marks(reader, *value),
            Op::Rmw { old, guard, value, success, .. } => {
                self.write(self.register(reader, *old), held.clone());
                // Guard and value read what was there: only now is it known what from.
                op.exprs().into_iter().for_each(|e| self.depend_on_operands(reader, e));
                guard.iter().for_each(|&e| self.depend(reader, e));
                let marks = self.marks(reader, *value);
                let decided = guard.map_or(Marks::new(), |e| self.marks(reader, e));
                success.iter().for_each(|&it| self.write(self.register(reader, it), decided.clone()));
                if access.written.is_some() { marks } else { held }
            }
            _ => return,
        };
        self.set(bytes, &written);
    }

    /// Arguments become parameters; the other registers of the activation start anew.
    fn enter(&mut self, reader: Reader, inside: Reader, procedure: super::ProcId, args: &[ExprId]) {
        let given: Vec<Marks> = args.iter().map(|&e| self.marks(reader, e)).collect();
        self.forget(inside);
        for (&param, marks) in self.program.procedures()[procedure].params.iter().zip(given) {
            self.write(self.register(inside, param), marks);
        }
    }

    fn create(&mut self, reader: Reader, template: super::ProcId, args: &[ExprId], step: &TraceStep) {
        if let Some(thread) = step.created {
            self.enter(reader, Reader { thread, depth: 0 }, template, args);
        }
    }

    fn leave(&mut self, reader: Reader, value: Option<ExprId>, before: &State, after: &State) {
        let marks = value.map_or(Marks::new(), |e| self.marks(reader, e));
        if !after.threads.contains_key(&reader.thread) {
            self.results.insert(reader.thread, marks);
            return;
        }
        self.forget(reader);
        let outside = Reader { depth: reader.depth.saturating_sub(1), ..reader };
        let caller = before.threads.get(&reader.thread).and_then(|it| it.frames.get(outside.depth));
        if let Some(caller) = caller
            && let Op::Call { result: Some(local), .. } = self.program.at(caller.loc).op
        {
            self.write(self.register(outside, local), marks);
        }
    }

    fn forget(&mut self, reader: Reader) {
        self.registers.retain(|it, _| it.thread != reader.thread || it.depth != Some(reader.depth));
    }

    fn join(&mut self, reader: Reader, handle: ExprId, result: Option<LocalId>, before: &State) {
        let Some(result) = result else { return };
        let thread = before.threads.get(&reader.thread);
        let value = thread.and_then(|thread| self.handle(thread, handle));
        let marks = value.and_then(|it| self.results.get(&it).cloned()).unwrap_or_default();
        self.write(self.register(reader, result), marks);
    }

    fn handle(&self, thread: &super::Thread, handle: ExprId) -> Option<ThreadId> {
        match self.machine.evaluator().value(thread, handle) {
            Ok(Value::Thread(other)) => Some(other),
            _ => None,
        }
    }

    /// What fails, a step or the next steps of several threads: what they read to do so.
    fn fails(&mut self, state: &State, failure: &Failure) {
        let steps: Vec<(ThreadId, Loc)> = match &failure.kind {
            FailureKind::Race(race) => race.accesses.iter().map(|it| (it.thread, it.at)).collect(),
            FailureKind::Deadlock(deadlock) => deadlock.waits.iter().map(|it| (it.thread, it.at)).collect(),
            // Which steps led there says all.
            FailureKind::Leak(_) => vec![],
            FailureKind::Property(_) | FailureKind::Undefined(_) => {
                vec![(failure.step.thread, failure.step.at)]
            }
        };
        for (thread, at) in steps {
            self.decide(reader(state, thread), &self.program.at(at).op);
        }
    }
}

fn reader(state: &State, thread: ThreadId) -> Reader {
    let frames = state.threads.get(&thread).map_or(1, |it| it.frames.len());
    Reader { thread, depth: frames - 1 }
}

#[cfg(test)]
mod tests;
