//! How the threads of a run as a program begin, call, return, end and join each other.

use super::expressions::{constant, value};
use super::steps::Body;
use ::c::{ExprId, LocalId, ProcId, State, TraceStep, Type, Value};
use std::fmt::Write;

impl Body<'_> {
    pub(super) fn create(&mut self, number: usize, taken: &TraceStep, template: ProcId, args: &[ExprId]) {
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

    pub(super) fn call(&mut self, number: usize, procedure: ProcId, args: &[ExprId]) {
        let texts: Vec<String> = args.iter().map(|&arg| self.expr(arg, number)).collect();
        self.frames.push(self.next_frame);
        self.next_frame += 1;
        for (&param, text) in self.program.procedures()[procedure].params.clone().iter().zip(texts) {
            self.set(param, &text);
        }
    }

    pub(super) fn leave(&mut self, number: usize, result: Option<ExprId>, taken: &TraceStep, before: &State) {
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

    pub(super) fn end(&mut self, number: usize, result: Option<ExprId>) {
        if let Some(result) = result {
            let text = self.expr(result, number);
            let text = packed(self.program.exprs().ty(result), &text);
            let _ = writeln!(self.text, "    sv_results[{}] = {text};", self.thread);
        }
    }

    pub(super) fn join(&mut self, number: usize, taken: &TraceStep, handle: ExprId, before: &State) {
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
                Value::Undetermined | Value::Part(_) | Value::Split => continue,
            };
            self.set(local, &text);
        }
        if self.machine.is_some() {
            let _ = writeln!(self.text, "    sv_results[{joined}] = 0;");
        }
    }

    /// A register's value from an argument or a result.
    pub(super) fn unpacked(&self, local: LocalId, from: &str) -> String {
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
