//! What runs before `main` and after the program has ended normally: constructors and destructors, by their
//! priorities.

use ::c::{Op, Place, Type as Scalar};

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
        let thread = self.current.frames.first().is_some_and(|frame| frame.returns == ReturnTo::Thread);
        if !thread && !self.destructors().is_empty() {
            self.refuse("`pthread_exit` in `main` where destructors or `atexit` functions are left to the last thread");
        }
    }

    /// The program ends normally: `main` returns or `exit` is called. The destructors run in this thread,
    /// others go on meanwhile.
    pub fn end_program(&mut self) {
        let destructors = self.destructors();
        if destructors.is_empty() {
            return self.emit(Op::Halt);
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
        self.emit(Op::Halt);
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
