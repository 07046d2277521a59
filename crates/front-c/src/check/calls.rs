//! Calls of functions, by name and through pointers.

use base::Span;

use super::super::hir::{Callee, ExprId, ExprKind};
use super::super::types::{FloatKind, FunctionType, Qualified, Type};
use super::{Checker, Operand};

impl Checker {
    /// `callee(arguments)`.
    pub fn call(&mut self, callee: Operand, arguments: Vec<Operand>, span: Span) -> Operand {
        let callee_type = match callee {
            Operand::Function(id, _) => self.program.functions[id].ty,
            _ => {
                let value = self.rvalue(callee);
                return self.call_pointer(value, arguments, span);
            }
        };
        let Some(function) = self.program.types.function(callee_type).cloned() else {
            return self.error_operand(span);
        };
        let Operand::Function(id, _) = callee else { return self.error_operand(span) };
        let name = self.program.functions[id].name.clone();
        let (given, wanted) = (arguments.len(), function.parameters.len());
        let fits = !function.prototype || given == wanted || given > wanted && function.variadic;
        if self.program.functions[id].implicit && !fits {
            // Nobody declared it: only what the compiler knows of it differs, and the compiler only warns.
            let why = format!("a call of `{name}`, which is not declared, with {given} arguments");
            return Operand::Value(self.refused(&why, function.result, span));
        }
        let Some(arguments) = self.arguments(&function, arguments, &name, span) else {
            return self.error_operand(span);
        };
        let kind = ExprKind::Call { callee: Callee::Function(id), arguments };
        Operand::Value(self.expr(kind, function.result, span))
    }

    fn call_pointer(&mut self, callee: ExprId, arguments: Vec<Operand>, span: Span) -> Operand {
        let ty = self.type_of(callee);
        let function = match *self.ty(ty) {
            Type::Pointer(_) => self.program.types.function(ty).cloned(),
            _ => None,
        };
        let Some(function) = function else {
            if !self.is_error(ty) {
                let message = format!("a value of type `{}` cannot be called", self.show(ty));
                self.error("E1250", span, message, "call functions and pointers to functions; or is a `;` or an operator missing before the `(`?");
            }
            return self.error_operand(span);
        };
        let Some(arguments) = self.arguments(&function, arguments, "the function", span) else {
            return self.error_operand(span);
        };
        // A cast function that is called at once: `((int (*)(void))f)()` stays a pointer, since the types may
        // differ.
        let callee = match self.program.exprs[callee].kind {
            ExprKind::FunctionAddress(id) if self.program.functions[id].ty == self.pointee_type(ty) => {
                Callee::Function(id)
            }
            _ => Callee::Pointer(callee),
        };
        Operand::Value(self.expr(ExprKind::Call { callee, arguments }, function.result, span))
    }

    fn pointee_type(&self, pointer: super::super::types::TypeId) -> super::super::types::TypeId {
        self.program.types.pointee(pointer).map_or(pointer, |to: Qualified| to.ty)
    }

    /// Converts the arguments of a call.
    fn arguments(
        &mut self,
        function: &FunctionType,
        arguments: Vec<Operand>,
        name: &str,
        span: Span,
    ) -> Option<Vec<ExprId>> {
        let (given, wanted) = (arguments.len(), function.parameters.len());
        if function.prototype && (given < wanted || given > wanted && !function.variadic) {
            let message = format!("`{name}` takes {wanted} arguments, not {given}");
            self.error("E1251", span, message, "pass as many arguments as its declaration says");
            return None;
        }
        let mut converted = vec![];
        for (index, argument) in arguments.into_iter().enumerate() {
            let place = self.operand_span(argument);
            let parameter = function.parameters.get(index).filter(|_| function.prototype);
            converted.push(match parameter {
                Some(parameter) => self.convert(argument, parameter.ty, place),
                None => self.default_promote(argument),
            });
        }
        Some(converted)
    }

    /// The default argument promotions: small integers become int, float becomes double.
    pub fn default_promote(&mut self, operand: Operand) -> ExprId {
        let value = self.promote(operand);
        let ty = self.type_of(value);
        if self.program.types.float_kind(ty) == Some(FloatKind::Float) {
            return self.cast(value, self.basic.double);
        }
        if matches!(self.ty(ty), Type::Void) {
            let span = self.span_of(value);
            self.error("E1252", span, "an argument without a value", "pass a value");
        }
        value
    }
}
