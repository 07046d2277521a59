//! The condition of an annotation: ACSL computes with integers that have no bounds and reads chains of
//! comparisons as conjunctions, so only comparisons of variables and constants, joined by `&&`, `||` and `!`,
//! mean the same in C.

use super::super::hir::{BinaryOp, CastKind, ExprId, ExprKind, PlaceId, PlaceKind};
use super::super::types::TypeId;
use super::Checker;

impl Checker {
    /// Whether a condition means in ACSL what it means in C.
    pub(super) fn means_the_same(&self, condition: ExprId) -> bool {
        let mut open = vec![condition];
        while let Some(e) = open.pop() {
            match &self.program.exprs[e].kind {
                ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right) => {
                    open.extend([*left, *right])
                }
                ExprKind::Not(inner) => open.push(*inner),
                ExprKind::Binary { op, left, right } if is_comparison(*op) => {
                    if !self.is_term(*left) || !self.is_term(*right) {
                        return false;
                    }
                }
                _ if self.is_term(e) => {}
                _ => return false,
            }
        }
        true
    }

    /// A variable, a member, an element, a constant: of an integer or pointer type, and converted only where
    /// the value stays.
    fn is_term(&self, e: ExprId) -> bool {
        let expr = &self.program.exprs[e];
        let plain = self.is_integer(expr.ty) || self.is_pointer(expr.ty);
        plain
            && match expr.kind {
                // A great unsigned number may have been written as a negative one.
                ExprKind::Integer(value) => self.program.types.int_kind(expr.ty).is_none_or(|kind| {
                    kind.is_signed() || value >> (kind.width(self.model()).max(2) - 1) == 0
                }),
                ExprKind::Load(place) => self.is_plain_place(place),
                ExprKind::Cast(CastKind::Integer | CastKind::Same, inner) => {
                    self.keeps_value(self.type_of(inner), expr.ty) && self.is_term(inner)
                }
                ExprKind::Cast(CastKind::Pointer, inner) => self.is_term(inner),
                _ => false,
            }
    }

    fn is_plain_place(&self, place: PlaceId) -> bool {
        let mut place = place;
        loop {
            match self.program.places[place].kind {
                PlaceKind::Variable(_) => return true,
                PlaceKind::Member { base, .. } => place = base,
                PlaceKind::Deref(pointer) => return self.is_term(pointer),
                PlaceKind::Index { array, index } if self.is_term(index) => place = array,
                _ => return false,
            }
        }
    }

    /// Whether every value of one integer type is one of another.
    fn keeps_value(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(from), Some(to)) = (self.program.types.int_kind(from), self.program.types.int_kind(to))
        else {
            return false;
        };
        let width = |kind: super::super::types::IntKind| kind.width(self.model());
        match (from.is_signed(), to.is_signed()) {
            (false, true) => width(from) < width(to),
            (true, false) => false,
            _ => width(from) <= width(to),
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
