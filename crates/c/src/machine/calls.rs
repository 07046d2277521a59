//! What comes into being and ends: threads, activations, objects.

use super::access::NO_POINTER;
use super::{Blocked, Choice, Done, Machine, Others, Refusal, Seen};
use crate::expr::ExprId;
use crate::op::Op;
use crate::program::{LayoutId, Loc, LocalId, LocalScope, ObjectId, ProcId, Program};
use crate::state::{Frame, Instance, Memory, Origin, Thread, constant};
use crate::types::{InstanceId, ObjectScope};
use crate::validate::CELLS;
use crate::value::{Fault, Value};
use base::Id;

/// Deeper calls than this are not followed: a state holds the whole stack.
const DEPTH: usize = 10_000;

impl Machine<'_> {
    /// A thread at the entry of a procedure, its thread-local objects made in memory.
    pub(super) fn new_thread(
        &self,
        memory: &mut Memory,
        template: ProcId,
        args: Vec<Value>,
        joinable: bool,
    ) -> Thread {
        let own =
            self.program.objects().enumerate().filter(|(_, object)| object.scope == ObjectScope::Thread);
        let objects = own.map(|(id, _)| (id, memory.add(self.new_object(id, false)))).collect();
        Thread {
            frames: vec![self.frame(template, args)],
            registers: self.first.thread.clone(),
            objects,
            held: vec![],
            wait: None,
            section: false,
            halted: false,
            joinable,
        }
    }

    /// A declared object with its first values, or undetermined.
    pub(super) fn new_object(&self, id: ObjectId, undetermined: bool) -> Instance {
        let object = &self.program.objects()[id];
        let number = object.count as usize * self.program.layouts()[object.layout].cells.len();
        let value = if undetermined { Value::Undetermined } else { Value::ZERO };
        let mut cells = vec![value; number];
        for &(cell, value) in &object.init {
            cells[cell as usize] = constant(value);
        }
        Instance { origin: Origin::Declared(id), layout: object.layout, count: object.count, cells }
    }

    fn frame(&self, procedure: ProcId, args: Vec<Value>) -> Frame {
        let mut registers = self.first.procedures[procedure.index()].clone();
        for (&param, value) in self.program.procedures()[procedure].params.iter().zip(args) {
            registers[self.program.locals()[param].slot as usize] = value;
        }
        Frame { loc: self.program.procedures()[procedure].entry, registers, objects: vec![] }
    }

    fn values(&self, thread: &Thread, args: &[ExprId]) -> Result<Vec<Value>, Refusal> {
        args.iter().map(|&arg| self.value(thread, arg)).collect()
    }

    pub(super) fn create(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        others: &mut impl Others,
        op: &Op,
    ) -> Result<Done, Refusal> {
        let Op::Create { template, args, handle } = op else {
            return Err(Refusal::Mismatch("the step creates no thread"));
        };
        let args = self.values(thread, args)?;
        if self.options.threads.is_some_and(|bound| others.alive() + 1 >= bound) {
            return Err(Refusal::Blocked(Blocked::ThreadBound));
        }
        let joinable = handle.is_some() || self.names_itself;
        let child = others.create(self.new_thread(memory, *template, args, joinable));
        if let Some(handle) = handle {
            thread.set(self.program, *handle, Value::Thread(child));
        }
        Ok(Done { created: Some(child), ..Done::default() })
    }

    pub(super) fn join(
        &self,
        thread: &mut Thread,
        others: &mut impl Others,
        handle: ExprId,
        result: Option<LocalId>,
        code: Option<LocalId>,
    ) -> Result<Done, Refusal> {
        let bad = self.trouble(Fault::BadHandle.into());
        let Value::Thread(other) = self.value(thread, handle)? else { return Err(bad) };
        if other == others.me() {
            self.set_number(thread, code, super::sync::errno::EDEADLK);
            return Ok(Done::default());
        }
        match others.see(other) {
            Seen::Alive => Err(Refusal::Blocked(Blocked::Join)),
            Seen::Detached | Seen::Unknown => Err(bad),
            Seen::Ended(value) => {
                let narrow = result.is_some_and(|result| self.bits(result) < self.program.pointer_bits());
                if narrow && value.bits().is_none() {
                    return Err(Refusal::Unsupported("a thread's result does not fit the register".into()));
                }
                others.forget(other);
                match (result, value) {
                    (Some(_), Value::Bits(number)) => self.set_number(thread, result, number),
                    (Some(result), _) => thread.set(self.program, result, value),
                    (None, _) => {}
                }
                self.set_number(thread, code, 0);
                Ok(Done::default())
            }
        }
    }

    /// Gives up the right to join a thread, once.
    pub(super) fn detach(
        &self,
        thread: &mut Thread,
        others: &mut impl Others,
        handle: ExprId,
    ) -> Result<Done, Refusal> {
        let bad = self.trouble(Fault::BadHandle.into());
        let Value::Thread(other) = self.value(thread, handle)? else { return Err(bad) };
        if other == others.me() {
            return if std::mem::take(&mut thread.joinable) { Ok(Done::default()) } else { Err(bad) };
        }
        match others.see(other) {
            Seen::Alive => others.detach(other),
            Seen::Ended(_) => others.forget(other),
            Seen::Detached | Seen::Unknown => return Err(bad),
        }
        Ok(Done::default())
    }

    /// Sets a register, if there is one, to a number cut to its width.
    pub(super) fn set_number(&self, thread: &mut Thread, local: Option<LocalId>, number: u128) {
        if let Some(local) = local {
            let number = number & crate::types::mask(self.bits(local));
            thread.set(self.program, local, Value::Bits(number));
        }
    }

    pub(super) fn call(
        &self,
        thread: &mut Thread,
        procedure: ProcId,
        args: &[ExprId],
    ) -> Result<(), Refusal> {
        if thread.frames.len() >= DEPTH {
            return Err(Refusal::Unsupported(format!("calls nested more than {DEPTH} deep")));
        }
        let args = self.values(thread, args)?;
        thread.frames.push(self.frame(procedure, args));
        Ok(())
    }

    /// Ends the current activation. The caller stands at its call and goes on from there; without one the
    /// thread ends.
    pub(super) fn leave(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        value: Option<ExprId>,
    ) -> Result<Done, Refusal> {
        let value = value.map(|value| self.value(thread, value)).transpose()?;
        if thread.frames.len() == 1 {
            return Ok(self.end_thread(memory, thread, value));
        }
        if let Some(frame) = thread.frames.pop() {
            frame.objects.iter().for_each(|&(_, instance)| memory.end(instance));
        }
        let location = self.program.at(thread.loc());
        let mut done = Done::default();
        if let (Op::Call { result: Some(local), .. }, Some(value)) = (&location.op, value) {
            thread.set(self.program, *local, value);
            done.returned = Some(*local);
        }
        go_on(thread, location.next);
        Ok(done)
    }

    /// Ends the thread: its objects die, the locks that it holds stay taken, an atomic section ends.
    pub(super) fn end_thread(&self, memory: &mut Memory, thread: &mut Thread, value: Option<Value>) -> Done {
        let frames = thread.frames.iter().flat_map(|frame| &frame.objects);
        frames.chain(&thread.objects).for_each(|&(_, instance)| memory.end(instance));
        Done { ended: Some(value.unwrap_or(Value::ZERO)), ..Done::default() }
    }

    pub(super) fn alloc(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        local: LocalId,
        wanted: Wanted,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        let count = match self.value(thread, wanted.count)? {
            Value::Bits(count) => count,
            _ => return Err(Refusal::Unsupported("the size of an allocation is not a number".into())),
        };
        let layout = &self.program.layouts()[wanted.layout];
        let number = count.checked_mul(layout.cells.len().max(1) as u128);
        let Some(number) = number.filter(|&number| number <= u128::from(CELLS)) else {
            return Err(Refusal::Unsupported("an allocation that is too large".into()));
        };
        let value = if wanted.zeroed { Value::ZERO } else { Value::Undetermined };
        let cells = if layout.cells.is_empty() { vec![] } else { vec![value; number as usize] };
        let origin = Origin::Allocated(thread.loc());
        let made = Instance { origin, layout: wanted.layout, count: count as u64, cells };
        let instance = self.placed(memory, made, choice)?;
        thread.set(self.program, local, Value::Address { instance, offset: 0 });
        Ok(Done::default())
    }

    /// Puts a new object where the choice says: at a fresh address, or at that of a freed one.
    pub(super) fn placed(
        &self,
        memory: &mut Memory,
        made: Instance,
        choice: Choice,
    ) -> Result<InstanceId, Refusal> {
        match choice.reuses {
            None => Ok(memory.add(made)),
            Some(old) if memory.is_freed(old) => {
                memory.reuse(old, made);
                Ok(old)
            }
            Some(_) => Err(Refusal::Mismatch("the address is not free to be used again")),
        }
    }

    pub(super) fn free(
        &self,
        memory: &mut Memory,
        thread: &Thread,
        pointer: ExprId,
        automatic: bool,
    ) -> Result<Done, Refusal> {
        match self.value(thread, pointer)? {
            Value::Bits(0) => return Ok(Done::default()),
            Value::Address { instance, .. }
                if memory.get(instance).is_some_and(|it| self.is_external(it)) =>
            {
                return Err(Refusal::Unsupported("`free` of an external function's object".into()));
            }
            Value::Address { instance, offset: 0 } if self.allocated(memory, instance, automatic) => {
                // What ends by itself lies among the locals: no allocation gets its place.
                if automatic { memory.end(instance) } else { memory.free(instance) }
            }
            Value::Part(_) | Value::Undetermined => return Err(self.trouble(NO_POINTER)),
            _ => return Err(self.trouble(Fault::BadFree.into())),
        }
        Ok(Done::default())
    }

    /// The size of the object that a pointer points into.
    pub(super) fn size(
        &self,
        memory: &Memory,
        thread: &mut Thread,
        local: LocalId,
        pointer: ExprId,
    ) -> Result<Done, Refusal> {
        let instance = match self.value(thread, pointer)? {
            Value::Address { instance, .. } => instance,
            Value::Part(_) | Value::Undetermined => return Err(self.trouble(NO_POINTER)),
            _ => return Err(self.trouble(Fault::BadPointer.into())),
        };
        let object = memory.get(instance).ok_or_else(|| self.trouble(Fault::DeadObject.into()))?;
        if self.is_external(object) {
            return Err(Refusal::Unsupported("the size of an external function's object".into()));
        }
        let stride = self.program.layouts()[object.layout].stride;
        self.set_number(thread, Some(local), u128::from(stride) * u128::from(object.count));
        Ok(Done::default())
    }

    /// Whether an object lives that was allocated, by itself ending or not.
    fn allocated(&self, memory: &Memory, instance: InstanceId, wanted: bool) -> bool {
        match memory.get(instance).map(|object| object.origin) {
            Some(Origin::Allocated(at)) => {
                matches!(self.program.at(at).op, Op::Alloc { automatic, .. } if automatic == wanted)
            }
            _ => false,
        }
    }

    pub(super) fn enter(&self, memory: &mut Memory, thread: &mut Thread, object: ObjectId) {
        self.end_object(memory, thread, object);
        let instance = memory.add(self.new_object(object, true));
        let objects = &mut thread.top_mut().objects;
        let at = objects.partition_point(|(id, _)| *id < object);
        objects.insert(at, (object, instance));
    }

    pub(super) fn end_object(&self, memory: &mut Memory, thread: &mut Thread, object: ObjectId) {
        let objects = &mut thread.top_mut().objects;
        if let Some(at) = objects.iter().position(|(id, _)| *id == object) {
            let (_, instance) = objects.remove(at);
            memory.end(instance);
        }
    }
}

/// What is allocated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub layout: LayoutId,
    pub count: ExprId,
    pub zeroed: bool,
}

/// The first values of registers, by slot.
#[derive(Debug)]
pub(super) struct FirstRegisters {
    thread: Vec<Value>,
    procedures: Vec<Vec<Value>>,
}

impl FirstRegisters {
    pub fn new(program: &Program) -> Self {
        let zeros = |number: u32| vec![Value::ZERO; number as usize];
        let procedures = program.procedures().iter().map(|procedure| zeros(procedure.registers));
        let mut made = Self { thread: zeros(program.thread_registers()), procedures: procedures.collect() };
        for local in program.locals().iter() {
            let registers = match local.scope {
                LocalScope::Thread => &mut made.thread,
                LocalScope::Procedure(procedure) => &mut made.procedures[procedure.index()],
            };
            registers[local.slot as usize] = constant(local.init);
        }
        made
    }
}

/// Where a thread goes on after a step that does not say so itself.
pub(super) fn go_on(thread: &mut Thread, next: Loc) {
    thread.top_mut().loc = next;
}
