//! Creation, join, handles, `pthread_once`, cleanup handlers.

use ::c::{Binary, ExprId, Op, SyncOp, TRUTH, Type as Scalar};

use super::super::hir;
use super::super::normalise::Normaliser;

const EAGAIN: i128 = 11;

impl Normaliser<'_> {
    /// Functions of threads.
    pub(super) fn thread_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("pthread_create", [handle, attributes, function, argument]) => {
                Some(self.create_call(*handle, Some(*attributes), *function, *argument))
            }
            ("thrd_create", [handle, function, argument]) => {
                let code = self.create_call(*handle, None, *function, *argument);
                Some(self.c11_code(code))
            }
            ("pthread_join", [handle, result]) => Some(self.join(*handle, *result)),
            ("thrd_join", [handle, result]) => {
                let code = self.join(*handle, *result);
                Some(self.c11_code(code))
            }
            ("pthread_exit" | "thrd_exit", [value]) => {
                let value = self.value(*value);
                self.end_thread(Some(value), true);
                Some(self.nothing())
            }
            ("pthread_detach" | "thrd_detach", [handle]) => Some(self.detach(*handle)),
            ("pthread_self" | "thrd_current", _) => {
                let local = self.temporary(self.word());
                self.emit(Op::Me(local));
                Some(self.pool.read(local))
            }
            ("pthread_equal" | "thrd_equal", [a, b]) => {
                let (a, b) = self.operands(*a, *b);
                let equal = self.binary(Binary::Eq, a, b);
                Some(self.resize(equal, Scalar::Bits(32), false))
            }
            ("pthread_once" | "call_once", [flag, function]) => {
                self.once(*flag, *function);
                Some(self.int(0))
            }
            _ => self.cleanup_call(name, arguments).or_else(|| self.quiet_thread_call(name, arguments)),
        }
    }

    fn create_call(
        &mut self,
        handle: hir::ExprId,
        attributes: Option<hir::ExprId>,
        function: hir::ExprId,
        argument: hir::ExprId,
    ) -> ExprId {
        let mut spot = self.target(handle);
        self.keep_spot(&mut spot);
        if let Some(attributes) = attributes {
            self.value(attributes);
        }
        let function = self.value(function);
        let function = self.keep(function);
        let argument = self.value(argument);
        let argument = self.keep(argument);
        if !self.options.create_may_fail {
            self.assume_silently("creating a thread succeeds");
            self.create(spot, function, argument);
            return self.int(0);
        }
        let code = self.temporary(Scalar::Bits(32));
        let end = self.label();
        let value = self.int(EAGAIN);
        self.emit(Op::Assign { local: code, value });
        let fails = self.any(TRUTH);
        self.jump_if_true(fails, end, true);
        self.create(spot, function, argument);
        let value = self.int(0);
        self.emit(Op::Assign { local: code, value });
        self.place_label(end);
        self.pool.read(code)
    }

    /// A thread that nobody will join.
    fn detach(&mut self, handle: hir::ExprId) -> ExprId {
        let handle = self.value(handle);
        let handle = self.resize(handle, self.word(), false);
        self.emit(Op::Detach(handle));
        self.int(0)
    }

    fn join(&mut self, handle: hir::ExprId, result: hir::ExprId) -> ExprId {
        let handle = self.value(handle);
        let handle = self.resize(handle, self.word(), false);
        let handle = self.keep(handle);
        let target = self.target(result);
        let address = self.address(target);
        let code = self.temporary(Scalar::Bits(32));
        if self.constant(address) == Some(0) {
            self.emit(Op::Join { handle, result: None, code: Some(code) });
            self.forget_cancelled(handle);
            return self.pool.read(code);
        }
        let local = self.temporary(Scalar::Pointer);
        self.emit(Op::Join { handle, result: Some(local), code: Some(code) });
        self.forget_cancelled(handle);
        let joined = self.pool.read(code);
        let failed = self.is_true(joined);
        let end = self.label();
        self.jump_if_true(failed, end, true);
        let wanted = self.is_true(address);
        self.jump_if_true(wanted, end, false);
        let value = self.pool.read(local);
        let ty = self.scalar(target.ty);
        let value = self.resize(value, ty, true);
        self.store(target, value);
        self.place_label(end);
        joined
    }

    fn once(&mut self, flag: hir::ExprId, function: hir::ExprId) {
        let flag = self.target(flag);
        let function = self.value(function);
        let function = self.keep(function);
        let first = self.sync(SyncOp::OnceBegin, flag);
        let first = self.is_true(first);
        let end = self.label();
        self.jump_if_true(first, end, false);
        self.call_pointer(function, vec![], None);
        self.sync(SyncOp::OnceEnd, flag);
        self.place_label(end);
    }

    /// Handlers are pushed and popped in one block of the source, so that the list of those pushed is known
    /// everywhere.
    fn cleanup_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("pthread_cleanup_push" | "__selvedge_cleanup_push", [function, argument])
            | ("_pthread_cleanup_push", [_, function, argument]) => {
                let function = self.value(*function);
                let function = self.pinned(function);
                let argument = self.value(*argument);
                let argument = self.pinned(argument);
                self.push_handler(function, argument);
            }
            ("pthread_cleanup_pop" | "__selvedge_cleanup_pop", [execute])
            | ("_pthread_cleanup_pop", [_, execute]) => {
                let execute = self.condition(*execute);
                let Some(cleanup) = self.pop_handler() else {
                    self.refuse("a cleanup handler popped that is not pushed");
                    return Some(self.nothing());
                };
                let end = self.label();
                self.jump_if_true(execute, end, false);
                self.call_handler(cleanup.function, cleanup.argument);
                self.place_label(end);
            }
            _ => return None,
        }
        Some(self.nothing())
    }

    /// A value that outlives its statement.
    fn pinned(&mut self, value: ExprId) -> ExprId {
        if self.is_fixed(value) {
            return value;
        }
        let ty = self.type_of(value);
        let local = self.named_register("handler", ty, false);
        self.emit(Op::Assign { local, value });
        self.pool.read(local)
    }

    fn quiet_thread_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match name {
            "pthread_yield" | "thrd_yield" => {
                self.evaluate_all(arguments);
                Some(self.int(0))
            }
            _ => None,
        }
    }
}
