//! Values: an expression of the source becomes steps for what it reads and writes, and an expression over
//! registers. Operands are evaluated from left to right.

use ::c::{Binary, ExprId, Node, Op, TRUTH, Type as Scalar, Unary};

use super::super::hir::{self, CastKind, ExprKind, UnaryOp};
use super::super::types::{FloatKind, Type, TypeId};
use super::Normaliser;
use super::places::{Base, Spot};

impl Normaliser<'_> {
    /// Evaluates an expression of scalar or void type. Of a void one the result means nothing.
    pub fn value(&mut self, id: hir::ExprId) -> ExprId {
        if !self.may_go_deeper() {
            return self.any_constant(self.hir.exprs[id].ty);
        }
        let before = self.span;
        self.span = Some(self.hir.exprs[id].span);
        let value = self.value_of(id);
        self.span = before;
        value
    }

    fn value_of(&mut self, id: hir::ExprId) -> ExprId {
        let expr = &self.hir.exprs[id];
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Integer(value) => {
                if self.overflowed(id) {
                    let always = self.number(TRUTH, 1);
                    self.assert_fits(always, "a constant");
                }
                let scalar = self.scalar(ty);
                self.number(scalar, *value as u128)
            }
            ExprKind::Float(value) => self.float(*value, ty),
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                let spot = self.place(*place);
                self.address(spot)
            }
            ExprKind::FunctionAddress(function) => {
                let object = self.function_object(*function);
                self.pool.address(object)
            }
            ExprKind::LabelAddress(label) => self.label_number(*label),
            ExprKind::Load(_) if self.is_record(ty) => {
                self.read_record(id);
                self.nothing()
            }
            ExprKind::Load(place) => {
                let spot = self.place(*place);
                self.load(spot)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, ty),
            ExprKind::Not(_) | ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                let truth = self.condition(id);
                let scalar = self.scalar(ty);
                self.truth_as(truth, scalar)
            }
            ExprKind::Binary { op, left, right } => {
                let operand = self.hir.exprs[*left].ty;
                let (a, b) = self.operands(*left, *right);
                let result = self.arithmetic(*op, a, b, operand);
                let result = self.settled(result);
                if op.is_comparison() {
                    let scalar = self.scalar(ty);
                    return self.truth_as(result, scalar);
                }
                result
            }
            ExprKind::PointerAdd { pointer, index, subtract, element } => {
                let (pointer, index) = self.operands(*pointer, *index);
                let element = self.value(*element);
                self.advance(pointer, index, element, *subtract)
            }
            ExprKind::PointerDifference { left, right, element } => {
                let (left, right) = self.operands(*left, *right);
                let element = self.value(*element);
                let bytes = self.binary(Binary::Sub, left, right);
                let bytes = self.settled(bytes);
                let difference = self.binary(Binary::DivS, bytes, element);
                self.settled(difference)
            }
            ExprKind::Comma(left, right) => {
                self.drop_value(*left);
                self.value(*right)
            }
            ExprKind::Cast(kind, inner) => self.cast_value(*kind, *inner, ty),
            _ => self.other_value(id),
        }
    }

    fn other_value(&mut self, id: hir::ExprId) -> ExprId {
        let expr = &self.hir.exprs[id];
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Conditional { .. } | ExprKind::Elvis { .. } => self.conditional(id),
            ExprKind::Assign { .. } if self.is_record(ty) => {
                self.record(id);
                self.nothing()
            }
            ExprKind::Assign { place, value } => self.assign(*place, *value),
            ExprKind::AssignOp { place, op, computation, value } => {
                self.assign_op(*place, *op, *computation, *value)
            }
            ExprKind::AssignPointer { place, index, subtract, element } => {
                self.assign_pointer(*place, *index, *element, *subtract)
            }
            ExprKind::Increment { place, decrement, postfix, element } => {
                self.increment(*place, *element, *decrement, *postfix)
            }
            ExprKind::Call { callee, arguments } => {
                self.call(id, *callee, arguments).unwrap_or_else(|| self.nothing())
            }
            ExprKind::Atomic(atomic) => self.atomic(atomic, ty),
            ExprKind::Builtin { builtin, arguments } => self.builtin(*builtin, arguments, ty),
            ExprKind::VaArg(list) => self.va_arg(*list, ty),
            ExprKind::Statements { block, value } => self.statements(*block, *value),
            ExprKind::Refused(reason) => {
                self.refuse(reason.clone());
                self.any_constant(ty)
            }
            _ => self.nothing(),
        }
    }

    /// A value for what has none.
    pub fn nothing(&mut self) -> ExprId {
        self.truth(false)
    }

    /// A value of a type after something was refused: never used, since control does not get there.
    pub fn any_constant(&mut self, ty: TypeId) -> ExprId {
        match self.scalar_of(ty) {
            Some(scalar) => self.number(scalar, 0),
            None => self.nothing(),
        }
    }

    /// Whether values of the type are not scalars.
    pub fn is_record(&self, ty: TypeId) -> bool {
        self.types().record(ty).is_some() || matches!(self.types().get(ty), Type::Opaque(..) | Type::VaList)
    }

    fn float(&mut self, value: f64, ty: TypeId) -> ExprId {
        let bits = match self.types().float_kind(ty) {
            Some(FloatKind::Float) => u128::from((value as f32).to_bits()),
            _ => u128::from(value.to_bits()),
        };
        let scalar = self.scalar(ty);
        self.number(scalar, bits)
    }

    /// Two operands from left to right.
    pub fn operands(&mut self, left: hir::ExprId, right: hir::ExprId) -> (ExprId, ExprId) {
        let start = self.current.code.len();
        let mut a = self.value(left);
        if self.facts.has_effects(right) {
            a = self.keep(a);
        }
        let middle = self.current.code.len();
        let b = self.value(right);
        if start < middle && middle < self.current.code.len() {
            self.assume_silently("evaluation order: operands are evaluated from left to right");
        }
        (a, b)
    }

    fn unary(&mut self, op: UnaryOp, operand: hir::ExprId, ty: TypeId) -> ExprId {
        let value = self.value(operand);
        if op == UnaryOp::Negate {
            self.check_negation(value, ty);
        }
        let op = if op == UnaryOp::Negate { Unary::Neg } else { Unary::Not };
        let scalar = self.scalar(ty);
        if let (Some(number), false) = (self.constant(value), scalar.is_float()) {
            let number = if op == Unary::Neg { number.wrapping_neg() } else { !number };
            return self.number(scalar, number);
        }
        self.pool.exprs().add(Node::Unary(op, value))
    }

    /// A pointer moved by an index in elements.
    pub fn advance(&mut self, pointer: ExprId, index: ExprId, element: ExprId, subtract: bool) -> ExprId {
        let word = self.word();
        let index = self.resize(index, word, true);
        let element = self.resize(element, word, false);
        let bytes = self.binary(Binary::Mul, index, element);
        match (subtract, self.constant(bytes)) {
            (false, _) => self.binary(Binary::Add, pointer, bytes),
            (true, Some(number)) => {
                let negative = self.number(word, number.wrapping_neg());
                self.binary(Binary::Add, pointer, negative)
            }
            (true, None) => self.binary(Binary::Sub, pointer, bytes),
        }
    }

    fn cast_value(&mut self, kind: CastKind, inner: hir::ExprId, ty: TypeId) -> ExprId {
        let from = self.hir.exprs[inner].ty;
        if kind == CastKind::Pointer
            && let Some(to) = self.types().pointee(ty)
        {
            return self.with_allocation_hint(to.ty, inner);
        }
        if kind == CastKind::Void && self.is_record(from) {
            self.read_record(inner);
            return self.nothing();
        }
        let value = self.value(inner);
        let value = self.cast(kind, value, from, ty);
        self.settled(value)
    }

    /// `({ … })` with a scalar value or none.
    fn statements(&mut self, block: hir::StmtId, value: Option<hir::ExprId>) -> ExprId {
        let result =
            value.and_then(|value| self.scalar_of(self.hir.exprs[value].ty)).map(|ty| self.temporary(ty));
        self.enter_block(block);
        self.block_statements(block);
        if let Some(value) = value {
            let value = self.value(value);
            if let Some(local) = result {
                self.emit(Op::Assign { local, value });
            }
        }
        self.leave_block();
        match result {
            Some(local) => self.pool.read(local),
            None => self.nothing(),
        }
    }

    /// Reads a record whose value is dropped.
    fn read_record(&mut self, id: hir::ExprId) {
        let spot = self.record(id);
        if self.types().record(spot.ty).is_some() {
            self.read_cells(spot);
        }
    }

    /// Where the value of an expression of record type is. The copy reads it at once.
    pub fn record(&mut self, id: hir::ExprId) -> Spot {
        let expr = &self.hir.exprs[id];
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Load(place) => self.place(*place),
            ExprKind::Cast(_, inner) => Spot { ty, ..self.record(*inner) },
            ExprKind::Comma(left, right) => {
                self.drop_value(*left);
                self.record(*right)
            }
            ExprKind::Assign { place, value } => {
                let mut to = self.place(*place);
                if self.facts.has_effects(*value) {
                    self.keep_spot(&mut to);
                }
                let from = self.record(*value);
                self.copy(to, from);
                to
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let to = self.record_temporary(ty);
                let (other, end) = (self.label(), self.label());
                self.jump_if(*condition, other, false);
                let from = self.record(*then);
                self.copy(to, from);
                self.goto(end);
                self.place_label(other);
                let from = self.record(*otherwise);
                self.copy(to, from);
                self.place_label(end);
                to
            }
            ExprKind::Call { callee, arguments } => self.call_for_record(id, *callee, arguments),
            ExprKind::Statements { block, value: Some(value) } => {
                let to = self.record_temporary(ty);
                self.enter_block(*block);
                self.block_statements(*block);
                let from = self.record(*value);
                self.copy(to, from);
                self.leave_block();
                to
            }
            ExprKind::Refused(reason) => {
                self.refuse(reason.clone());
                self.record_temporary(ty)
            }
            _ => {
                self.refuse("a value of this type");
                self.record_temporary(ty)
            }
        }
    }

    /// An object for a value of record type.
    pub fn record_temporary(&mut self, ty: TypeId) -> Spot {
        match self.local_object("value", ty) {
            Some(object) => {
                self.emit(Op::Enter(object));
                Spot::new(Base::Object(object), ty)
            }
            None => {
                let null = self.number(Scalar::Pointer, 0);
                Spot::new(Base::Pointer(null), ty)
            }
        }
    }
}
