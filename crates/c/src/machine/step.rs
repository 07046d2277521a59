//! One step of one thread.

use super::access::Rmw;
use super::calls::{Wanted, go_on};
use super::needs::fitting;
use super::{Blocked, Choice, Done, FailureKind, Machine, Others, Refusal};
use crate::op::Op;
use crate::reach::ReachKind;
use crate::state::{Memory, Thread};
use crate::value::{Fault, Value};

/// Why leaks are not looked for beyond a call.
const KEEPS: &str = "memory to which an external function may keep pointers";

impl Machine<'_> {
    /// Takes the thread's next step. Whether the thread may step at all (atomic sections of others) is for
    /// the caller to see to. On a refusal nothing has changed. If the thread ends, its own part is void: the
    /// caller removes it and remembers its result.
    pub fn execute(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        others: &mut impl Others,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        let location = self.program.at(thread.loc());
        let takes_number =
            matches!(location.op, Op::Choose { .. } | Op::Load { .. } | Op::Rmw { .. } | Op::Reach(_));
        let takes_failure = matches!(location.op, Op::Rmw { .. } | Op::Sync { .. });
        let takes_thread = matches!(location.op, Op::Sync { .. });
        let takes_address = matches!(location.op, Op::Alloc { automatic: false, .. } | Op::Reach(_));
        if !takes_number && choice.value.is_some()
            || !takes_failure && choice.fails
            || !takes_thread && choice.thread.is_some()
            || !takes_address && choice.reuses.is_some()
        {
            return Err(Refusal::Mismatch("the step has no such choice"));
        }
        match &location.op {
            // These say themselves where control goes.
            Op::Branch { cond, target } => {
                let next = if self.holds(thread, *cond)? { *target } else { location.next };
                go_on(thread, next);
                return Ok(Done::default());
            }
            Op::Call { procedure, args, .. } => {
                self.call(thread, *procedure, args)?;
                return Ok(Done::default());
            }
            Op::Return(value) => return self.leave(memory, thread, *value),
            Op::Exit(value) => {
                let value = value.map(|value| self.value(thread, value)).transpose()?;
                return Ok(self.end_thread(memory, thread, value));
            }
            Op::Halt(_) => {
                thread.halted = true;
                return Ok(Done::default());
            }
            Op::Sync { op, place, code } => {
                return self.sync(
                    memory,
                    thread,
                    others,
                    super::sync::Call { op: *op, place: *place, code: *code, choice },
                );
            }
            _ => {}
        }
        let done = self.straight(memory, thread, others, &location.op, choice)?;
        go_on(thread, location.next);
        Ok(done)
    }

    /// A step after which control goes on.
    fn straight(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        others: &mut impl Others,
        op: &Op,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        match op {
            Op::Assign { local, value } => {
                let value = self.value(thread, *value)?;
                thread.set(self.program, *local, value);
            }
            Op::Choose { local, range, .. } => {
                let chosen = choice.value.ok_or(Refusal::Mismatch("a number must be chosen"))?;
                let value = fitting(chosen, self.bits(*local), *range)?;
                thread.set(self.program, *local, value);
            }
            Op::Load { local, place, .. } => return self.load(memory, thread, *local, *place, choice),
            Op::Store { place, value, .. } => return self.store(memory, thread, *place, *value),
            &Op::Rmw { old, place, guard, value, success, weak } => {
                return self.rmw(memory, thread, Rmw { old, place, guard, value, success, weak }, choice);
            }
            Op::Assume(cond) if self.holds(thread, *cond)? => {}
            Op::Assume(_) => return Err(Refusal::Blocked(Blocked::Assumption)),
            Op::Assert { cond, .. } if self.holds(thread, *cond)? => {}
            Op::Assert { property, .. } | Op::Error(property) => {
                return Err(Refusal::Fails(FailureKind::Property(*property)));
            }
            &Op::Alloc { local, layout, count, zeroed, .. } => {
                return self.alloc(memory, thread, local, Wanted { layout, count, zeroed }, choice);
            }
            Op::Reach(reach) if self.options.leaks.matter() && !matches!(reach.kind, ReachKind::Pick(_)) => {
                return Err(Refusal::Unsupported(KEEPS.into()));
            }
            Op::Reach(reach) => return self.reach(memory, thread, reach, choice),
            &Op::Free { pointer, automatic } => return self.free(memory, thread, pointer, automatic),
            Op::Size { local, pointer } => return self.size(memory, thread, *local, *pointer),
            Op::Enter(object) => self.enter(memory, thread, *object),
            Op::Leave(object) => self.end_object(memory, thread, *object),
            Op::Create { .. } => return self.create(memory, thread, others, op),
            Op::Join { handle, result, code } => return self.join(thread, others, *handle, *result, *code),
            Op::Detach(handle) => return self.detach(thread, others, *handle),
            Op::Me(local) => thread.set(self.program, *local, Value::Thread(others.me())),
            Op::SectionBegin => thread.section = true,
            Op::SectionEnd => thread.section = false,
            Op::Undefined(why) => return Err(self.trouble(Fault::Stated(why.clone()).into())),
            Op::Refuse(why) => return Err(Refusal::Unsupported(why.clone())),
            Op::Skip
            | Op::Branch { .. }
            | Op::Call { .. }
            | Op::Return(_)
            | Op::Exit(_)
            | Op::Halt(_)
            | Op::Sync { .. } => {}
        }
        Ok(Done::default())
    }
}
