//! Calls: inlined, unless the function is recursive. A constant argument stands for a parameter that is never
//! assigned, so that most pointers to locks and counters vanish.

use ::c::{ExprId, Op};

use super::super::hir::{self, Callee, FunctionId, VarId};
use super::super::types::{Qualifiers, Type, TypeId};
use super::Normaliser;
use super::context::{Binding, Frame, ReturnTo};
use super::facts::definition;
use super::places::{Base, Spot};
use super::procedures::Role;
use super::varargs::Varargs;

/// Deeper nesting than this, over all functions that are open, is not inlined any more: the function becomes
/// a procedure.
pub const NESTING: u32 = 3_000;
/// Once this many steps are written, functions are not inlined any more.
const STEPS: u64 = 300_000;

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
            Callee::Function(function) => {
                let function = definition(self.hir, function);
                if let Some(value) = self.library_call(id, function, arguments) {
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
        if self.stopped.is_some() {
            return;
        }
        let apart =
            self.facts.recursive.contains(&function) || self.nesting > NESTING || self.written > STEPS;
        if apart {
            if !self.facts.recursive.contains(&function) && self.has_handlers() && !self.lists_handlers() {
                return self.refuse("a call too deep to be inlined in a program with cleanup handlers");
            }
            self.call_procedure(function, &arguments, result)
        } else {
            self.inline(function, arguments, result)
        }
    }

    fn call_procedure(&mut self, function: FunctionId, arguments: &[Argument], result: Option<Binding>) {
        let parameters = self.parameters(function);
        let returned = self.types().function(self.hir.functions[function].ty).map(|ty| ty.result);
        let record = returned.is_some_and(|ty| self.is_record(ty));
        if record || arguments.iter().any(|argument| matches!(argument, Argument::Record(_))) {
            return self.refuse("a recursive function that takes or gives structs");
        }
        if arguments.len() != parameters.len() {
            return self.refuse("a recursive function with a variable number of arguments");
        }
        let mut args = vec![];
        for (argument, &parameter) in arguments.iter().zip(&parameters) {
            if let Argument::Value(value, ty) = *argument {
                args.push(self.fit(value, ty, self.hir.variables[parameter].ty.ty));
            }
        }
        // The two differ only where the function may end without a value.
        let dropped = result.is_none() && self.facts.without_value.contains(&function);
        let procedure = self.procedure_of(function, if dropped { Role::Dropped } else { Role::Called });
        let scalar = returned.and_then(|ty| self.scalar_of(ty));
        let local = match (result, scalar) {
            (Some(Binding::Register(local)), Some(ty)) if self.pool.draft().locals()[local].ty == ty => {
                Some(local)
            }
            _ => None,
        };
        self.emit(Op::Call { procedure, args, result: local });
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

    fn inline(&mut self, function: FunctionId, arguments: Vec<Argument>, result: Option<Binding>) {
        self.nesting += 1;
        let end = self.label();
        let mut frame = Frame::new(Some(function), ReturnTo::Caller(end));
        frame.result = result;
        frame.allocates = self.frame().allocates;
        let before = self.span;
        let outer = self.enter_site(function);
        frame.pointees = std::mem::take(&mut self.pointees);
        frame.dropped = self.dropped.take().is_some();
        // Arguments are read before the section of an atomic function begins.
        self.bind_parameters(&mut frame, function, arguments);
        self.begin_section(function);
        self.current.frames.push(frame);
        // Temporaries of the caller stay: the mark of each statement in the body is above them.
        self.body(function);
        self.current.frames.pop();
        self.span = before;
        self.place_label(end);
        self.end_section(function);
        self.site = outer;
        self.nesting -= 1;
    }

    fn bind_parameters(&mut self, frame: &mut Frame, function: FunctionId, arguments: Vec<Argument>) {
        let parameters = self.parameters(function);
        if arguments.len() < parameters.len() {
            self.refuse("a call with too few arguments");
        }
        let more = arguments.get(parameters.len()..).unwrap_or_default().to_vec();
        let mut variables: Vec<VarId> = vec![];
        let mut gifts = vec![];
        for (&parameter, argument) in parameters.iter().zip(arguments) {
            match argument {
                Argument::Value(value, from) => {
                    let to = self.hir.variables[parameter].ty.ty;
                    let value = self.fit(value, from, to);
                    if self.stands_for(parameter, value) {
                        frame.env.insert(parameter, Binding::Value(value));
                    } else {
                        variables.push(parameter);
                        gifts.push((parameter, Argument::Value(value, to)));
                    }
                }
                record => {
                    variables.push(parameter);
                    gifts.push((parameter, record));
                }
            }
        }
        // The parameters live in the new frame, their values come from the old one and are in registers by
        // now.
        let open = std::mem::replace(frame, Frame::new(None, ReturnTo::Thread));
        self.current.frames.push(open);
        self.open(None, &variables);
        for (parameter, argument) in gifts {
            self.give_argument(parameter, argument);
        }
        let varargs = self.give_more(&more, function);
        if let Some(open) = self.current.frames.pop() {
            *frame = open;
        }
        frame.varargs = varargs;
    }

    fn give_argument(&mut self, parameter: VarId, argument: Argument) {
        let binding = self.bind_local(parameter);
        let ty = self.hir.variables[parameter].ty.ty;
        match (argument, binding) {
            (Argument::Value(value, _), _) => self.give(binding, ty, value),
            (Argument::Record(from), Binding::Object(object)) => {
                self.copy(Spot::new(Base::Object(object), ty), from)
            }
            (Argument::Record(_), _) => self.refuse("a struct given for a scalar"),
        }
    }

    fn give_more(&mut self, more: &[Argument], function: FunctionId) -> Option<Varargs> {
        let variadic = self.types().function(self.hir.functions[function].ty).is_some_and(|ty| ty.variadic);
        variadic.then(|| self.keep_varargs(more))
    }

    /// Whether a constant can stand for a parameter wherever it is read.
    fn stands_for(&mut self, parameter: VarId, value: ExprId) -> bool {
        let declared = &self.hir.variables[parameter];
        !declared.address_taken && !self.facts.assigned.contains(&parameter) && self.is_fixed(value)
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
