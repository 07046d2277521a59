//! What a run into a leak does beside its steps: memory is freed where the run frees it, and what the run no
//! longer has is overwritten, so that LeakSanitizer finds no old pointers. Objects are static here: they are no
//! allocations themselves, and what they hold is seen.

use super::steps::Body;
use ::c::{ExprId, Frame, LocalId, LocalScope, Machine, ObjectId, ObjectScope, State, Thread};
use base::Id;
use std::fmt::Write;

/// Registers and objects that may hold pointers, by activation.
#[derive(Default)]
pub struct Holders {
    /// Registers that were set.
    pub registers: std::collections::BTreeSet<(LocalId, u32)>,
    /// Objects that have begun their lives.
    pub objects: std::collections::BTreeSet<(ObjectId, u32)>,
}

impl Body<'_> {
    /// Frees what the run frees.
    pub fn free(&mut self, number: usize, pointer: ExprId) {
        if self.machine.is_some() {
            let text = self.expr(pointer, number);
            let _ = writeln!(self.text, "    free((void *){text});");
        }
    }

    /// Overwrites what the thread no longer has after a step.
    pub fn forget(&mut self, after: &State) {
        let Some(machine) = self.machine else { return };
        let thread = after.threads.get(&self.thread);
        let gone = |it: &&(LocalId, u32)| !self.may_read(machine, thread, **it);
        let registers: Vec<(LocalId, u32)> = self.holders.registers.iter().filter(gone).copied().collect();
        let gone = |it: &&(ObjectId, u32)| !self.has(thread, **it);
        let objects: Vec<(ObjectId, u32)> = self.holders.objects.iter().filter(gone).copied().collect();
        for it in registers {
            self.holders.registers.remove(&it);
            let _ = writeln!(self.text, "    v{}_{} = 0;", it.0.index(), it.1);
        }
        for it in objects {
            self.holders.objects.remove(&it);
            let (name, bytes) = (format!("o{}_{}", it.0.index(), it.1), self.bytes(it.0));
            let _ = writeln!(self.text, "    for (size_t i = 0; i < {bytes}; i++) {name}[i] = 0;");
        }
    }

    /// The end of the run: LeakSanitizer looks around when the program ends.
    pub fn leak(&mut self, says: &str) {
        let _ = writeln!(self.text, "    fprintf(stderr, \"%s\\n\", \"{says}\");\n    exit(1);");
    }

    fn frame<'t>(&self, thread: Option<&'t Thread>, number: u32) -> Option<(&'t Frame, bool)> {
        let thread = thread?;
        let depth = self.frames.iter().position(|&it| it == number)?;
        Some((thread.frames.get(depth)?, depth + 1 == thread.frames.len()))
    }

    fn may_read(
        &self,
        machine: &Machine<'_>,
        thread: Option<&Thread>,
        (local, frame): (LocalId, u32),
    ) -> bool {
        let it = &self.program.locals()[local];
        match it.scope {
            LocalScope::Thread => thread.is_some(),
            LocalScope::Procedure(_) => self
                .frame(thread, frame)
                .is_some_and(|(frame, is_top)| machine.may_read(frame, is_top, it.slot as usize)),
        }
    }

    fn has(&self, thread: Option<&Thread>, (object, frame): (ObjectId, u32)) -> bool {
        match self.program.objects()[object].scope {
            ObjectScope::Static => true,
            ObjectScope::Thread => thread.is_some(),
            ObjectScope::Procedure(_) => self
                .frame(thread, frame)
                .is_some_and(|(frame, _)| frame.objects.iter().any(|(id, _)| *id == object)),
        }
    }
}
