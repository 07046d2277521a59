//! What a run into a leak does beside its steps: memory is freed where the run frees it, and what the run no
//! longer has is overwritten, so that LeakSanitizer finds no old pointers. Objects are static here: they are
//! no allocations themselves, and what they hold is seen.

use super::expressions::comment;
use super::steps::Body;
use ::c::{Frame, LocalId, LocalScope, Machine, ObjectId, ObjectScope, State, Thread};
use base::Id;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A register or an object, and the activation that it is one of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfFrame<T> {
    /// Which.
    pub what: T,
    /// The number of the activation in the thread.
    pub frame: u32,
}

/// What may hold pointers.
#[derive(Default)]
pub struct Holders {
    /// Registers that were set.
    pub registers: BTreeSet<OfFrame<LocalId>>,
    /// Objects that have begun their lives.
    pub objects: BTreeSet<OfFrame<ObjectId>>,
}

impl Body<'_> {
    /// Overwrites what the thread no longer has after a step.
    pub fn forget(&mut self, after: &State) {
        let Some(machine) = self.machine else { return };
        let thread = after.threads.get(&self.thread);
        let gone = |it: &OfFrame<LocalId>| !self.may_read(machine, thread, *it);
        let registers: Vec<_> = self.holders.registers.iter().copied().filter(gone).collect();
        let gone = |it: &OfFrame<ObjectId>| !self.has(thread, *it);
        let objects: Vec<_> = self.holders.objects.iter().copied().filter(gone).collect();
        for it in registers {
            self.holders.registers.remove(&it);
            let _ = writeln!(self.text, "    v{}_{} = 0;", it.what.index(), it.frame);
        }
        for it in objects {
            self.holders.objects.remove(&it);
            let (name, bytes) = (format!("o{}_{}", it.what.index(), it.frame), self.bytes(it.what));
            let _ = writeln!(self.text, "    for (size_t i = 0; i < {bytes}; i++) {name}[i] = 0;");
        }
    }

    /// The end of the run: LeakSanitizer looks around when the program ends.
    pub fn leak(&mut self, says: &str) {
        let says = comment(says).replace('"', "'");
        let _ = writeln!(self.text, "    fprintf(stderr, \"%s\\n\", \"{says}\");\n    exit(1);");
    }

    fn may_read(&self, machine: &Machine<'_>, thread: Option<&Thread>, of: OfFrame<LocalId>) -> bool {
        let it = &self.program.locals()[of.what];
        match (it.scope, thread) {
            (_, None) => false,
            (LocalScope::Thread, Some(_)) => true,
            (LocalScope::Procedure(_), Some(thread)) => self.frame(thread, of.frame).is_some_and(|frame| {
                let is_top = std::ptr::eq(frame, thread.top());
                machine.may_read(frame, is_top, it.slot as usize)
            }),
        }
    }

    fn has(&self, thread: Option<&Thread>, of: OfFrame<ObjectId>) -> bool {
        match (self.program.objects()[of.what].scope, thread) {
            (ObjectScope::Static, _) => true,
            (_, None) => false,
            (ObjectScope::Thread, Some(_)) => true,
            (ObjectScope::Procedure(_), Some(thread)) => self
                .frame(thread, of.frame)
                .is_some_and(|frame| frame.objects.iter().any(|(id, _)| *id == of.what)),
        }
    }

    fn frame<'t>(&self, thread: &'t Thread, number: u32) -> Option<&'t Frame> {
        thread.frames.get(self.frames.iter().position(|&it| it == number)?)
    }
}
