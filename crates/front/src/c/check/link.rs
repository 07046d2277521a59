//! After all units: what has one name is one thing, and what is not followed is refused where it is used. Calls of functions that were not declared with their parameters pass what the definitions say.

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
        let wanted: Vec<TypeId> =
            body.parameters.iter().map(|parameter| self.program.variables[*parameter].ty.ty).collect();
        if arguments.iter().zip(&wanted).all(|(argument, ty)| self.type_of(*argument) == *ty) {
            return;
        }
        let converted: Vec<ExprId> = arguments
            .clone()
            .into_iter()
            .zip(wanted)
            .map(|(argument, ty)| self.link_argument(argument, ty))
            .collect();
        if let ExprKind::Call { arguments, .. } = &mut self.program.exprs[call].kind {
            *arguments = converted;
        }
    }

    /// An argument as the definition takes it; what cannot be converted stays, to be refused where it is reached.
    fn link_argument(&mut self, argument: ExprId, ty: TypeId) -> ExprId {
        let node = &self.program.exprs[argument];
        if node.ty == ty {
            return argument;
        }
        let Some(kind) = self.cast_kind(node.ty, ty) else { return argument };
        let (span, depth) = (node.span, node.depth + 1);
        if self.is_constant(argument) {
            return self.cast(argument, ty);
        }
        self.program.exprs.push(Expr { kind: ExprKind::Cast(kind, argument), ty, span, depth })
    }
}
