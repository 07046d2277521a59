//! How the steps of a run as a program read and write registers and memory.

use super::expressions::{Names, Rendered, constant, raw};
use super::leaks::OfFrame;
use super::steps::Body;
use ::c::{Choice, ExprId, LocalId, LocalScope, ObjectId, ObjectScope, Place, TraceStep, Type, Value};
use base::Id;
use std::fmt::Write;

impl Body<'_> {
    pub(super) fn names<T>(&mut self, f: impl FnOnce(&Names<'_>) -> T) -> T {
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

    pub(super) fn expr(&mut self, e: ExprId, number: usize) -> String {
        let count = self.text.len();
        let Rendered { before, text } = self.names(|names| names.render(e, &format!("e{number}_{count}")));
        for line in before {
            let _ = writeln!(self.text, "    {line}");
        }
        text
    }

    /// The address of a place.
    pub(super) fn spot(&mut self, place: Place, number: usize) -> String {
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

    pub(super) fn store(&mut self, address: &str, ty: Type, text: &str) {
        let raw = raw(ty, self.program.pointer_bits());
        let _ = writeln!(self.text, "    *({raw} *){address} = {text};");
    }

    pub(super) fn load(&mut self, number: usize, local: LocalId, place: Place, choice: Choice) {
        let ty = self.program.locals()[local].ty;
        let spot = self.spot(place, number);
        if let Some(chosen) = choice.value {
            self.store(&spot, ty, &constant(ty, chosen));
        }
        let raw = raw(ty, self.program.pointer_bits());
        self.set(local, &format!("*({raw} *){spot}"));
    }

    pub(super) fn set(&mut self, local: LocalId, text: &str) {
        let name = self.names(|names| (names.local)(local));
        let frame = scope_frame(self.program.locals()[local].scope, *self.frames.last().unwrap_or(&0));
        self.holders.registers.insert(OfFrame { what: local, frame });
        let _ = writeln!(self.text, "    {name} = {text};");
    }

    pub(super) fn expect(&mut self, number: usize, cond: ExprId, holds: bool) {
        let text = self.expr(cond, number);
        let sign = if holds { "" } else { "!" };
        let _ = writeln!(self.text, "    sv_expect({sign}({text}), {}u);", number + 1);
    }

    /// Gives the registers that a step wrote the values that they have in the run, where those are numbers or
    /// handles.
    pub(super) fn known(&mut self, taken: &TraceStep, but: Option<LocalId>) {
        for &(local, it) in taken.registers.iter().filter(|(local, _)| Some(*local) != but) {
            let ty = self.program.locals()[local].ty;
            match it {
                Value::Bits(bits) => self.set(local, &constant(ty, bits)),
                Value::Thread(id) => self.set(local, &constant(ty, u128::from(id) + 1)),
                Value::Address { .. } | Value::Undetermined | Value::Part(_) | Value::Split => {}
            }
        }
    }

    pub(super) fn frame_of_object(&self, object: ObjectId) -> u32 {
        match self.program.objects()[object].scope {
            ObjectScope::Procedure(_) => *self.frames.last().unwrap_or(&0),
            ObjectScope::Static | ObjectScope::Thread => 0,
        }
    }
}

fn scope_frame(scope: LocalScope, frame: u32) -> u32 {
    match scope {
        LocalScope::Thread => 0,
        LocalScope::Procedure(_) => frame,
    }
}
