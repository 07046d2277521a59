//! What runs before `main` and after the program has ended normally: constructors and destructors, by their
//! priorities.

use ::c::{End, LocalScope, Op, Place, Type as Scalar};
use ir::property::ABORT;

use super::super::hir::{Function, FunctionId};
use super::Normaliser;
use super::context::ReturnTo;

impl Normaliser<'_> {
    /// The constructors in the order in which they run: by priority, then as they are defined.
    pub fn constructors(&self) -> Vec<FunctionId> {
        self.by_priority(|function| function.constructor)
    }

    /// The destructors in the order in which they run: the other way round.
    fn destructors(&self) -> Vec<FunctionId> {
        let mut found = self.by_priority(|function| function.destructor);
        found.reverse();
        found
    }

    fn by_priority(&self, priority: impl Fn(&Function) -> Option<u32>) -> Vec<FunctionId> {
        let defined = self.hir.functions.enumerate().filter(|(_, function)| function.body.is_some());
        let place = |id: FunctionId, it: &Function| Some((priority(it)?, it.definition_order, id));
        let mut found: Vec<_> = defined.filter_map(|(id, function)| place(id, function)).collect();
        found.sort();
        found.into_iter().map(|(_, _, id)| id).collect()
    }

    /// `pthread_exit` in the first thread: the program ends with the last of the others, and the destructors
    /// run there.
    pub fn refuse_late_end(&mut self) {
        let thread = self.current.frame.returns == ReturnTo::Thread;
        if thread || self.destructors().is_empty() {
            return;
        }
        let other = self.label();
        if let Some(local) = self.first_thread {
            let first = self.pool.read(local);
            let first = self.is_true(first);
            self.jump_if_true(first, other, false);
        }
        self.refuse(
            "`pthread_exit` in `main` where destructors or `atexit` functions are left to the last thread",
        );
        self.place_label(other);
    }

    /// `main` begins: functions are procedures, so the first thread is known by a register of its own.
    pub fn note_first_thread(&mut self) {
        if self.destructors().is_empty() {
            return;
        }
        let local = self.pool.local("first_thread", LocalScope::Thread, Scalar::Bits(32));
        self.first_thread = Some(local);
        let value = self.int(1);
        self.emit(Op::Assign { local, value });
    }

    /// The program ends abnormally.
    pub fn abort(&mut self, how: &str) {
        if self.options.abort {
            let property = self.property(ABORT, format!("{how}()"));
            return self.emit(Op::Error(property));
        }
        // What is left then is nobody's leak.
        if self.options.leaks {
            let never = self.number(::c::TRUTH, 0);
            return self.emit(Op::Assume(never));
        }
        self.emit(Op::Halt(End::Exit));
    }

    /// A call that ends the program with a code: another one than 0 is an abnormal end. Evaluates the
    /// arguments.
    pub fn exit_code(&mut self, how: &str, arguments: &[super::super::hir::ExprId]) {
        let [code] = arguments else { return self.evaluate_all(arguments) };
        let code = self.value(*code);
        if !self.options.abort {
            return;
        }
        let failed = self.is_true(code);
        let cond = self.not(failed);
        self.claim(cond, ABORT, &format!("{how}()"));
    }

    /// Asserts what a class of properties says.
    pub fn claim(&mut self, cond: ::c::ExprId, class: ir::Class, text: &str) {
        let property = self.property(class, text);
        self.emit(Op::Assert { cond, property });
    }

    /// The program ends normally: `main` returns or `exit` is called. The destructors run in this thread,
    /// others go on meanwhile.
    pub fn end_program(&mut self, end: End) {
        // Only leaks tell the two ends apart.
        let end = if self.options.leaks { end } else { End::Exit };
        let destructors = self.destructors();
        if destructors.is_empty() {
            return self.emit(Op::Halt(end));
        }
        if self.ending {
            return self.refuse("`exit` called while the program ends");
        }
        self.ending = true;
        self.end_once();
        for destructor in destructors {
            self.call_with(destructor, vec![]);
        }
        self.ending = false;
        self.emit(Op::Halt(end));
    }

    /// A second end, of another thread or in a function that a destructor calls, is not followed.
    fn end_once(&mut self) {
        let object = self.special("ending", Scalar::Bits(32), 1, false);
        let old = self.temporary(Scalar::Bits(32));
        let value = self.int(1);
        let place = Place::Object { object, offset: 0 };
        self.emit(Op::Rmw { old, place, guard: None, value, success: None, weak: false });
        let before = self.pool.read(old);
        let again = self.is_true(before);
        let first = self.label();
        self.jump_if_true(again, first, false);
        self.refuse("a program that ends twice");
        self.place_label(first);
    }
}
