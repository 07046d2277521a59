//! After all units: what has one name is one thing, and what is not followed is refused where it is used.
//! Calls of functions that were not declared with their parameters pass what the definitions say.

use super::super::hir::{Callee, Expr, ExprId, ExprKind};
use super::super::types::TypeId;
use super::Checker;

impl Checker {
    /// Makes calls and definitions agree.
    pub fn link(&mut self) {
        self.link_symbols();
        for call in self.program.exprs.ids() {
            self.link_call(call);
        }
        self.refuse_uses();
    }

    fn link_call(&mut self, call: ExprId) {
        let ExprKind::Call { callee: Callee::Function(id), arguments } = &self.program.exprs[call].kind
        else {
            return;
        };
        let Some(body) = &self.program.functions[*id].body else { return };
        if body.parameters.len() != arguments.len() {
            return;
        }
        let prototype =
            self.program.types.function(self.program.functions[*id].ty).is_some_and(|it| it.prototype);
        let wanted: Vec<TypeId> =
            body.parameters.iter().map(|parameter| self.program.variables[*parameter].ty.ty).collect();
        if arguments.iter().zip(&wanted).all(|(argument, ty)| self.type_of(*argument) == *ty) {
            return;
        }
        let converted: Vec<ExprId> = arguments
            .clone()
            .into_iter()
            .zip(wanted)
            .map(|(argument, ty)| self.link_argument(argument, ty, prototype))
            .collect();
        if let ExprKind::Call { arguments, .. } = &mut self.program.exprs[call].kind {
            *arguments = converted;
        }
    }

    /// Whether an argument that was passed without a look at the parameter gets there: in the same kind of
    /// register, and not too narrow.
    fn is_passed(&self, argument: ExprId, to: TypeId) -> bool {
        let from = self.type_of(argument);
        let types = &self.program.types;
        let floats = (types.float_kind(from), types.float_kind(to));
        let small = self.constant(argument).is_some_and(|value| value >= 0);
        match floats {
            (None, None) => small || types.size(from) >= types.size(to),
            (one, other) => one == other,
        }
    }

    /// An argument as the definition takes it; what cannot be converted stays, to be refused where it is
    /// reached.
    fn link_argument(&mut self, argument: ExprId, ty: TypeId, prototype: bool) -> ExprId {
        let node = &self.program.exprs[argument];
        if node.ty == ty {
            return argument;
        }
        if prototype && !self.is_passed(argument, ty) {
            let span = node.span;
            return self.refused("an argument of a type that the function does not take", ty, span);
        }
        let Some(kind) = self.cast_kind(node.ty, ty) else { return argument };
        let (span, depth) = (node.span, node.depth + 1);
        if self.is_constant(argument) {
            return self.cast(argument, ty);
        }
        self.program.exprs.push(Expr { kind: ExprKind::Cast(kind, argument), ty, span, depth })
    }
}
