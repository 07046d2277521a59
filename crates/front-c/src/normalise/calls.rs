//! Calls: each is a call of a procedure.

use ::c::{ExprId, Op};

use super::super::hir::{self, Callee, FunctionId, VarId};
use super::super::types::{Qualifiers, Type, TypeId};
use super::Normaliser;
use super::context::Binding;
use super::facts::definition;
use super::places::{Base, Spot};

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// A scalar.
    Value(ExprId, TypeId),
    /// A record.
    Record(Spot),
}

impl Normaliser<'_> {
    /// A call with a scalar result or none.
    pub fn call(&mut self, id: hir::ExprId, callee: Callee, arguments: &[hir::ExprId]) -> Option<ExprId> {
        let dropped = self.dropped.take() == Some(id);
        let ty = self.hir.exprs[id].ty;
        let scalar = self.scalar_of(ty).filter(|_| !dropped && !self.is_record(ty));
        let result = scalar.map(|scalar| self.temporary(scalar));
        match callee {
            Callee::Function(function) if self.error_function(function, arguments) => {
                return Some(self.any_constant(ty));
            }
            Callee::Function(function) => {
                self.cancellation_before(function, arguments);
                if self.shown.remove(&id)
                    && let Some(value) = self.shown_text(function, arguments)
                {
                    return Some(value);
                }
                let function = self.given_variant(definition(self.hir, function));
                if let Some(value) = self.library_call(id, function, arguments) {
                    self.cancellation_after(function);
                    return Some(value);
                }
                let pointees = self.pointees_of(function, arguments);
                let arguments = self.arguments(arguments);
                self.pointees = pointees;
                self.dropped = Some(id).filter(|_| dropped);
                let result = result.map(Binding::Register);
                // The library's declaration need not be the program's, nor one unit's that of another.
                if self.hir.functions[function].body.is_some() {
                    self.call_address(function, arguments, result);
                } else {
                    self.call_function(function, arguments, result);
                }
            }
            Callee::Pointer(pointer) => {
                let pointer = self.value(pointer);
                let pointer = self.keep(pointer);
                let arguments = self.arguments(arguments);
                self.call_pointer(pointer, arguments, result.map(Binding::Register));
            }
        }
        result.map(|local| self.pool.read(local))
    }

    /// A call that returns a record.
    pub fn call_for_record(&mut self, id: hir::ExprId, callee: Callee, arguments: &[hir::ExprId]) -> Spot {
        let ty = self.hir.exprs[id].ty;
        let to = self.record_temporary(ty);
        let Base::Object(object) = to.base else { return to };
        match callee {
            Callee::Function(function) if self.error_function(function, arguments) => return to,
            Callee::Function(function) => {
                let function = definition(self.hir, function);
                if self.library_call_for_record(function, arguments, to) {
                    return to;
                }
                let arguments = self.arguments(arguments);
                let result = Some(Binding::Object(object));
                if self.hir.functions[function].body.is_some() {
                    self.call_address(function, arguments, result);
                } else {
                    self.call_function(function, arguments, result);
                }
            }
            Callee::Pointer(pointer) => {
                let pointer = self.value(pointer);
                let pointer = self.keep(pointer);
                let arguments = self.arguments(arguments);
                self.call_pointer(pointer, arguments, Some(Binding::Object(object)));
            }
        }
        to
    }

    /// Evaluates arguments from left to right.
    pub fn arguments(&mut self, arguments: &[hir::ExprId]) -> Vec<Argument> {
        let mut values = vec![];
        let mut with_steps = 0;
        for (position, &argument) in arguments.iter().enumerate() {
            let ty = self.hir.exprs[argument].ty;
            let start = self.current.code.len();
            if self.is_record(ty) {
                let last = position + 1 == arguments.len();
                values.push(Argument::Record(self.record_argument(argument, last)));
            } else {
                let mut value = self.value(argument);
                if arguments[position + 1..].iter().any(|&later| self.facts.has_effects(later)) {
                    value = self.keep(value);
                }
                values.push(Argument::Value(value, self.seen_through(argument)));
            }
            with_steps += u32::from(self.current.code.len() > start);
        }
        if with_steps > 1 {
            self.assume_silently("evaluation order: operands are evaluated from left to right");
        }
        values
    }

    /// A record that is given to a function: read where it stands, before the arguments that come after it.
    fn record_argument(&mut self, argument: hir::ExprId, last: bool) -> Spot {
        let from = self.record(argument);
        let fresh = matches!(
            self.hir.exprs[argument].kind,
            hir::ExprKind::Call { .. } | hir::ExprKind::Conditional { .. } | hir::ExprKind::Statements { .. }
        );
        if last || fresh || self.types().record(from.ty).is_none() {
            return from;
        }
        let to = self.record_temporary(from.ty);
        self.copy(to, from);
        to
    }

    /// The type of an argument; of one that was converted to `void *`, the type before.
    fn seen_through(&self, argument: hir::ExprId) -> TypeId {
        let (mut e, mut ty) = (argument, self.hir.exprs[argument].ty);
        let to_void = |ty: TypeId| {
            let to = self.types().pointee(ty);
            to.is_some_and(|to| {
                matches!(self.types().get(to.ty), Type::Void) && !to.qualifiers.has(Qualifiers::CONST)
            })
        };
        while let hir::ExprKind::Cast(hir::CastKind::Pointer | hir::CastKind::Same, inner) =
            self.hir.exprs[e].kind
            && to_void(ty)
        {
            e = inner;
            ty = self.hir.exprs[e].ty;
        }
        ty
    }

    /// Calls a function of the program with scalars, forgetting its result.
    pub fn call_with(&mut self, function: FunctionId, values: Vec<ExprId>) {
        let types: Vec<TypeId> = match self.types().function(self.hir.functions[function].ty) {
            Some(ty) => ty.parameters.iter().map(|parameter| parameter.ty).collect(),
            None => vec![],
        };
        let arguments = values.into_iter().zip(types).map(|(value, ty)| Argument::Value(value, ty)).collect();
        self.call_function(function, arguments, None);
    }

    /// Calls a known function.
    pub fn call_function(&mut self, function: FunctionId, arguments: Vec<Argument>, result: Option<Binding>) {
        if self.hir.functions[function].body.is_none() {
            return self.external(function, &arguments, result);
        }
        self.call_procedure(function, &arguments, result)
    }

    /// Calls a procedure: a struct is passed by its address, the address where one is wanted comes first,
    /// that of a list of arguments last.
    fn call_procedure(&mut self, function: FunctionId, arguments: &[Argument], result: Option<Binding>) {
        let instance = self.called_instance(function, result.is_none());
        let parameters = self.parameters(function);
        let variadic = self.is_variadic(function);
        if arguments.len() < parameters.len() {
            return self.refuse("a call with too few arguments");
        }
        let mut args = vec![];
        if let (Some(Binding::Object(object)), true) = (result, self.gives_record(function)) {
            args.push(self.pool.address(object));
        }
        for (&argument, &parameter) in arguments.iter().zip(&parameters) {
            let Some(value) = self.passed(argument, parameter) else {
                return self.refuse("a struct given for a scalar");
            };
            args.push(value);
        }
        let list = variadic.then(|| self.argument_list(&arguments[parameters.len()..]));
        args.extend(list.map(|list| self.pool.address(list)));
        let scalar = self.scalar_result(function);
        let local = match result {
            Some(Binding::Register(local)) if Some(self.pool.draft().locals()[local].ty) == scalar => {
                Some(local)
            }
            _ => None,
        };
        let procedure = self.procedure_of(instance);
        self.emit(Op::Call { procedure, args, result: local });
        if let Some(list) = list {
            self.emit(Op::Leave(list));
        }
    }

    /// An argument as a procedure takes it; `None` if one of the two is a struct and the other is not.
    fn passed(&mut self, argument: Argument, parameter: VarId) -> Option<ExprId> {
        let ty = self.hir.variables[parameter].ty.ty;
        match argument {
            Argument::Record(spot) => self.is_record(ty).then(|| self.address(spot)),
            Argument::Value(value, from) => {
                let value = self.fit(value, from, ty);
                (self.type_of(value) == self.passed_as(parameter)).then_some(value)
            }
        }
    }

    /// A value given for a parameter, whose type it has already unless the function has no prototype.
    fn fit(&mut self, value: ExprId, from: TypeId, to: TypeId) -> ExprId {
        let (Some(have), Some(want)) = (self.scalar_of(from), self.scalar_of(to)) else { return value };
        if have == want {
            return value;
        }
        if have.is_float() || want.is_float() {
            self.convert_arithmetic(value, from, to)
        } else {
            self.resize(value, want, self.is_signed(from))
        }
    }

    fn is_atomic_function(&self, function: FunctionId) -> bool {
        self.hir.functions[function].name.starts_with("__VERIFIER_atomic_")
    }

    fn begin_section(&mut self, function: FunctionId) {
        if self.is_atomic_function(function) {
            self.emit(Op::SectionBegin);
        }
    }

    fn end_section(&mut self, function: FunctionId) {
        if self.is_atomic_function(function) {
            self.emit(Op::SectionEnd);
        }
    }

    /// The same for the function of the innermost frame.
    pub fn begin_section_of_function(&mut self) {
        if let Some(function) = self.frame().function {
            self.begin_section(function);
        }
    }

    /// The same for the function of the innermost frame.
    pub fn end_section_of_function(&mut self) {
        if let Some(function) = self.frame().function {
            self.end_section(function);
        }
    }
}
