//! Threads: their creation, their end, and statements that run as threads.

use ::c::{CellType, ExprId, Node, ObjectScope, Op, Type as Scalar};

use super::super::hir::{FunctionId, StmtId, VarId};
use super::Normaliser;
use super::context::Binding;
use super::instances::Instance;
use super::places::{Base, Spot};
use super::procedures::{Copied, Work};

/// Objects with more scalars than this are not copied into a thread.
const COPIED: u64 = 256;

impl Normaliser<'_> {
    /// Starts a thread in whatever a function pointer points to, and stores its handle.
    pub fn create(&mut self, handle: Spot, function: ExprId, argument: ExprId) {
        if let Node::Address(object) = self.pool.exprs().node(function)
            && let Some(function) = self.function_of(object)
        {
            return self.create_in(handle, function, argument);
        }
        let end = self.label();
        for candidate in self.takers_of_pointer() {
            let past = self.label();
            self.unless_function(function, candidate, past);
            self.create_in(handle, candidate, argument);
            self.goto(end);
            self.place_label(past);
        }
        self.emit(Op::Undefined("a thread in a pointer to no function that takes a pointer".into()));
        self.place_label(end);
    }

    fn create_in(&mut self, handle: Spot, function: FunctionId, argument: ExprId) {
        if self.hir.functions[function].body.is_none() {
            return self.refuse(format!(
                "a thread in `{}`, which is not defined",
                self.hir.functions[function].name
            ));
        }
        let template = self.procedure_of(Instance::thread(function));
        self.assume_silently("sequential consistency");
        let local = self.temporary(self.word());
        let argument = self.resize(argument, Scalar::Pointer, false);
        if let Base::Pointer(pointer) = handle.base
            && self.constant(pointer) == Some(0)
        {
            // Nobody wants the handle.
            return self.emit(Op::Create { template, args: vec![argument], handle: None });
        }
        // Where threads compare themselves with handles, a thread must not run before its handle is stored.
        let names = ["pthread_self", "thrd_current"];
        let together =
            !self.options.races && names.iter().any(|name| self.facts.called_names.contains(*name));
        if together {
            self.assume_silently("the handle of a thread is stored before the thread runs");
            self.emit(Op::SectionBegin);
        }
        self.emit(Op::Create { template, args: vec![argument], handle: Some(local) });
        let value = self.pool.read(local);
        let scalar = self.scalar(handle.ty);
        let value = self.resize(value, scalar, false);
        self.store(handle, value);
        if together {
            self.emit(Op::SectionEnd);
        }
    }

    /// The thread ends with a result: cleanup handlers and the destructors of keys run first.
    pub fn end_thread(&mut self, value: Option<ExprId>, explicit: bool) {
        let value = value.map(|value| self.keep(value));
        if self.is_ending() {
            // What follows in the text is not reached.
            return;
        }
        if explicit {
            self.run_handlers();
            self.refuse_late_end();
        }
        self.run_key_destructors();
        self.current.ending = false;
        let is_main = self.pool.draft().main() == self.current.procedure;
        let value = value.map(|value| {
            if self.type_of(value).is_float() { value } else { self.resize(value, Scalar::Pointer, true) }
        });
        let missing = value.is_none() && self.facts.wants_results && !is_main && !explicit;
        let value = match value {
            None if missing => {
                // The end of the function was reached without a value.
                let local = self.temporary(Scalar::Pointer);
                self.emit(Op::any(local));
                Some(self.pool.read(local))
            }
            other => other,
        };
        // A result that nobody reads leads to memory as long as somebody might join.
        let wanted = self.facts.wants_results || self.options.leaks;
        self.emit(Op::Exit(value.filter(|_| wanted)));
    }

    /// `__CPROVER_ASYNC_n: statement`.
    pub fn asynchronous(&mut self, body: StmtId) {
        let mut bound: Vec<(VarId, Binding)> =
            self.frame().env.iter().map(|(variable, binding)| (*variable, *binding)).collect();
        bound.sort_by_key(|(variable, _)| *variable);
        let open: Vec<VarId> = self.frame().scopes.iter().flat_map(|scope| scope.variables.clone()).collect();
        let mut copies = vec![];
        let mut args = vec![];
        for (variable, binding) in bound {
            if let Some(copied) = self.copied(variable, binding, &open, &mut args) {
                copies.push(copied);
            }
        }
        let function = self.frame().function;
        let name = self.procedure_name("async");
        let template = self.pool.declare(name, Some(Scalar::Pointer));
        self.work.push_back((template, Work::Statement { body, function, copies }));
        self.emit(Op::Create { template, args, handle: None });
    }

    fn copied(
        &mut self,
        variable: VarId,
        binding: Binding,
        open: &[VarId],
        args: &mut Vec<ExprId>,
    ) -> Option<Copied> {
        let ty = self.hir.variables[variable].ty.ty;
        match binding {
            Binding::Value(value) => {
                // An address of an object of this activation or thread means nothing in another one.
                if self.names_own_object(value) {
                    self.refuse("a pointer to a local in a statement that runs as a thread");
                }
                Some(Copied { variable, fixed: Some(value), cells: vec![] })
            }
            _ if !open.contains(&variable) => None,
            Binding::Register(local) => {
                args.push(self.pool.read(local));
                let scalar = self.scalar(ty);
                Some(Copied { variable, fixed: None, cells: vec![(0, scalar)] })
            }
            Binding::Object(object) => {
                self.copied_object(variable, Spot::new(Base::Object(object), ty), args)
            }
            Binding::Pointed(_) => {
                self.refuse("a variable-length array in a statement that runs as a thread");
                None
            }
        }
    }

    fn copied_object(&mut self, variable: VarId, spot: Spot, args: &mut Vec<ExprId>) -> Option<Copied> {
        let shape = self.shape_or_refuse(spot.ty)?;
        if shape.len() > COPIED {
            self.refuse("a large object in a statement that runs as a thread");
            return None;
        }
        let mut cells = vec![];
        for (offset, cell) in shape.cells() {
            // A synchronisation object of the copy starts anew.
            let CellType::Scalar(scalar) = cell else { continue };
            let local = self.temporary(scalar);
            if let Some(place) = self.memory_place(spot.at(offset, spot.ty)) {
                self.emit(Op::Load { local, place, atomic: false });
            }
            args.push(self.pool.read(local));
            cells.push((offset, scalar));
        }
        Some(Copied { variable, fixed: None, cells })
    }

    fn names_own_object(&mut self, value: ExprId) -> bool {
        let below = self.pool.exprs().below(value);
        below.into_iter().any(|e| match self.pool.exprs().node(e) {
            Node::Address(object) => self.pool.draft().objects()[object].scope != ObjectScope::Static,
            _ => false,
        })
    }
}
