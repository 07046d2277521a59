//! Conditions: truth values, jumps, and what is evaluated only if a condition holds.

use ::c::{Binary, ExprId, Op, TRUTH};

use super::super::hir::{self, BinaryOp, CastKind, ExprKind, PlaceKind, UnaryOp};
use super::Normaliser;
use super::code::Label;
use super::context::Binding;

/// Conditions with more parts than this are jumps: expressions that are combined stay small.
const COMBINED: u32 = 16;

impl Normaliser<'_> {
    /// The truth of a scalar expression.
    pub fn condition(&mut self, id: hir::ExprId) -> ExprId {
        let expr = &self.hir.exprs[id];
        match &expr.kind {
            ExprKind::Not(inner) => {
                let truth = self.condition(*inner);
                self.not(truth)
            }
            ExprKind::Binary { op, left, right } if op.is_comparison() => {
                let operand = self.hir.exprs[*left].ty;
                let (a, b) = self.operands(*left, *right);
                let truth = self.comparison(*op, a, b, operand);
                self.settled(truth)
            }
            ExprKind::LogicalAnd(left, right) => self.combine(*left, *right, Binary::And),
            ExprKind::LogicalOr(left, right) => self.combine(*left, *right, Binary::Or),
            ExprKind::Cast(CastKind::Bool | CastKind::Same | CastKind::Integer, inner)
                if self.is_truth_like(*inner) =>
            {
                self.condition(*inner)
            }
            _ => {
                let value = self.value(id);
                self.is_true(value)
            }
        }
    }

    /// Whether the value is 0 or 1, so that a conversion to an integer type does not change whether it is 0.
    fn is_truth_like(&self, id: hir::ExprId) -> bool {
        match &self.hir.exprs[id].kind {
            ExprKind::Not(_) | ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => true,
            ExprKind::Binary { op, .. } => op.is_comparison(),
            _ => false,
        }
    }

    /// `&&` and `||`: one expression if the right operand takes no step and cannot go wrong, else jumps.
    fn combine(&mut self, left: hir::ExprId, right: hir::ExprId, op: Binary) -> ExprId {
        let mut parts = COMBINED;
        if self.is_simple(right, &mut parts) {
            let a = self.condition(left);
            let b = self.condition(right);
            return self.combine_truths(op, a, b);
        }
        let result = self.temporary(TRUTH);
        let end = self.label();
        let otherwise = self.truth(op == Binary::Or);
        self.emit(Op::Assign { local: result, value: otherwise });
        self.jump_if(left, end, op == Binary::Or);
        let value = self.condition(right);
        self.emit(Op::Assign { local: result, value });
        self.place_label(end);
        self.pool.read(result)
    }

    fn combine_truths(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        match (op, self.constant(a), self.constant(b)) {
            (Binary::And, Some(0), _) | (Binary::Or, Some(1), _) => a,
            (Binary::And, _, Some(0)) | (Binary::Or, _, Some(1)) => b,
            (Binary::And, Some(_), _) | (Binary::Or, Some(_), _) => b,
            (Binary::And, _, Some(_)) | (Binary::Or, _, Some(_)) => a,
            _ => self.pool.exprs().binary(op, a, b),
        }
    }

    /// Whether evaluating takes no step and always has a meaning.
    fn is_simple(&mut self, id: hir::ExprId, parts: &mut u32) -> bool {
        if *parts == 0 {
            return false;
        }
        *parts -= 1;
        let hir = self.hir;
        match &hir.exprs[id].kind {
            ExprKind::Integer(_) => !self.overflowed(id),
            ExprKind::Float(_) | ExprKind::FunctionAddress(_) => true,
            ExprKind::Load(place) => match hir.places[*place].kind {
                PlaceKind::Variable(variable) => self.is_in_register(variable),
                _ => false,
            },
            ExprKind::Unary(UnaryOp::Negate, _) if self.options.overflow => false,
            ExprKind::Unary(_, inner) | ExprKind::Not(inner) => self.is_simple(*inner, parts),
            ExprKind::Cast(kind, inner) => {
                *kind != CastKind::FloatToInteger && *kind != CastKind::Void && self.is_simple(*inner, parts)
            }
            ExprKind::Binary { op, left, right } => {
                let total = !self.is_checked(*op, hir.exprs[*left].ty)
                    && !op.is_shift()
                    && !matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                // Pointers into different objects cannot be ordered.
                let ordered = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
                    || hir.types.pointee(hir.exprs[*left].ty).is_none();
                total && ordered && self.is_simple(*left, parts) && self.is_simple(*right, parts)
            }
            ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right) => {
                self.is_simple(*left, parts) && self.is_simple(*right, parts)
            }
            _ => false,
        }
    }

    /// Whether reading a variable takes no step and always has a value.
    fn is_in_register(&mut self, variable: hir::VarId) -> bool {
        let own = self.frame().env.get(&variable).copied();
        matches!(own, Some(Binding::Register(_) | Binding::Value(_)))
    }

    /// Jumps to a label if the expression's truth is `when`.
    pub fn jump_if(&mut self, id: hir::ExprId, target: Label, when: bool) {
        let before = self.span;
        self.span = Some(self.hir.exprs[id].span);
        let mut parts = COMBINED;
        match &self.hir.exprs[id].kind {
            ExprKind::Not(inner) => self.jump_if(*inner, target, !when),
            ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right)
                if !self.is_simple(*right, &mut parts) =>
            {
                let is_or = matches!(self.hir.exprs[id].kind, ExprKind::LogicalOr(..));
                if is_or == when {
                    self.jump_if(*left, target, when);
                    self.jump_if(*right, target, when);
                } else {
                    let past = self.label();
                    self.jump_if(*left, past, !when);
                    self.jump_if(*right, target, when);
                    self.place_label(past);
                }
            }
            _ => {
                let mark = self.mark();
                let truth = self.condition(id);
                self.jump_if_true(truth, target, when);
                self.release(mark);
            }
        }
        self.span = before;
    }

    /// Jumps to a label if a truth value is `when`.
    pub fn jump_if_true(&mut self, truth: ExprId, target: Label, when: bool) {
        match self.constant(truth) {
            Some(value) if (value != 0) == when => self.goto(target),
            Some(_) => {}
            None => {
                let cond = if when { truth } else { self.not(truth) };
                self.branch(cond, target);
            }
        }
    }

    /// `c ? a : b` and `c ?: b` of scalar or void type.
    pub fn conditional(&mut self, id: hir::ExprId) -> ExprId {
        let expr = &self.hir.exprs[id];
        let ty = expr.ty;
        let result = self.scalar_of(ty).map(|scalar| self.temporary(scalar));
        let (other, end) = (self.label(), self.label());
        let last = match &expr.kind {
            ExprKind::Conditional { condition, then, otherwise } => {
                self.jump_if(*condition, other, false);
                let value = self.value(*then);
                self.set(result, value);
                *otherwise
            }
            ExprKind::Elvis { value, cast, otherwise } => {
                let from = self.hir.exprs[*value].ty;
                let value = self.value(*value);
                let value = self.keep(value);
                let truth = self.is_true(value);
                self.jump_if_true(truth, other, false);
                let value = self.cast(*cast, value, from, ty);
                self.set(result, value);
                *otherwise
            }
            _ => return self.nothing(),
        };
        self.goto(end);
        self.place_label(other);
        let value = self.value(last);
        self.set(result, value);
        self.place_label(end);
        match result {
            Some(local) => self.pool.read(local),
            None => self.nothing(),
        }
    }

    /// Sets a register, if there is one.
    pub fn set(&mut self, local: Option<::c::LocalId>, value: ExprId) {
        if let Some(local) = local {
            self.emit(Op::Assign { local, value });
        }
    }
}
