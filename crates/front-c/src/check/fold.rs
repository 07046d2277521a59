//! Constant folding, in the arithmetic of the types: two's complement, wrapping. What has no value (division
//! by zero, a shift too far) is left as it is.

use super::super::constructs::builtins;
use super::super::hir::{
    BinaryOp, Callee, ExprId, ExprKind, FoldedOverflow, PlaceId, PlaceKind, Storage, UnaryOp,
};
use super::super::types::{FloatKind, IntKind, Qualifiers, Type, TypeId};
use super::Checker;

impl Checker {
    /// A number reduced to what a type holds.
    pub fn wrap(&self, value: i128, ty: TypeId) -> i128 {
        match self.value_kind(ty) {
            Some(kind) => kind.wrap(value, self.model()),
            None => value,
        }
    }

    /// The integer kind that holds the bits of an integer or pointer.
    fn value_kind(&self, ty: TypeId) -> Option<IntKind> {
        match self.ty(ty) {
            Type::Pointer(_) => Some(IntKind::UnsignedLong),
            _ => self.program.types.int_kind(ty),
        }
    }

    /// A floating number rounded to a type.
    pub fn round(&self, value: f64, ty: TypeId) -> f64 {
        match self.program.types.float_kind(ty) {
            Some(FloatKind::Float) => f64::from(value as f32),
            _ => value,
        }
    }

    /// The value of an operator on integers of one type; `None` where it has none.
    pub fn fold_integers(&self, op: BinaryOp, left: i128, right: i128, ty: TypeId) -> Option<i128> {
        let kind = self.value_kind(ty)?;
        let width = kind.width(self.model());
        // Unsigned 128-bit numbers are kept as the signed number with the same bits.
        let wide_unsigned = kind == IntKind::UnsignedInt128;
        let (unsigned_left, unsigned_right) = (left as u128, right as u128);
        let value = match op {
            BinaryOp::Add => left.wrapping_add(right),
            BinaryOp::Subtract => left.wrapping_sub(right),
            BinaryOp::Multiply => left.wrapping_mul(right),
            BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return None,
            BinaryOp::Divide if wide_unsigned => (unsigned_left / unsigned_right) as i128,
            BinaryOp::Remainder if wide_unsigned => (unsigned_left % unsigned_right) as i128,
            BinaryOp::Divide => left.wrapping_div(right),
            BinaryOp::Remainder => left.wrapping_rem(right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if right < 0 || right >= i128::from(width) => {
                return None;
            }
            BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
            BinaryOp::ShiftRight if wide_unsigned => (unsigned_left >> right) as i128,
            BinaryOp::ShiftRight => left >> right,
            BinaryOp::And => left & right,
            BinaryOp::Or => left | right,
            BinaryOp::Xor => left ^ right,
            BinaryOp::Equal => i128::from(left == right),
            BinaryOp::NotEqual => i128::from(left != right),
            _ if wide_unsigned => i128::from(ordered(op, unsigned_left.cmp(&unsigned_right))),
            _ => i128::from(ordered(op, left.cmp(&right))),
        };
        Some(if op.is_comparison() { value } else { kind.wrap(value, self.model()) })
    }

    /// Whether the result of an operator on signed integers of one type does not fit it.
    pub fn folded_overflow(
        &self,
        op: BinaryOp,
        left: i128,
        right: i128,
        ty: TypeId,
    ) -> Option<FoldedOverflow> {
        let kind = self.value_kind(ty).filter(|it| it.is_signed())?;
        let exact = match op {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Subtract => left.checked_sub(right),
            BinaryOp::Multiply => left.checked_mul(right),
            BinaryOp::Divide | BinaryOp::Remainder if right != 0 => left.checked_div(right),
            BinaryOp::ShiftLeft if left >= 0 && (0..127).contains(&right) => left.checked_mul(1 << right),
            BinaryOp::ShiftLeft => None,
            _ => return None,
        };
        let fits = exact.is_some_and(|it| kind.wrap(it, self.model()) == it);
        let how = if op == BinaryOp::ShiftLeft { FoldedOverflow::Shift } else { FoldedOverflow::Arithmetic };
        (!fits).then_some(how)
    }

    /// Notes that the computation of a constant overflowed, there or in one of its parts.
    pub fn note_overflow(&mut self, id: ExprId, own: Option<FoldedOverflow>, parts: &[ExprId]) {
        let of_parts = parts.iter().filter_map(|it| self.program.overflowed.get(it).copied());
        if let Some(how) = of_parts.chain(own).max()
            && self.constant(id).is_some()
        {
            self.program.overflowed.insert(id, how);
        }
    }

    /// The value of an operator on floating constants: a number, or a truth value.
    pub fn fold_floats(&self, op: BinaryOp, left: f64, right: f64, ty: TypeId) -> Option<ExprKind> {
        if !matches!(self.program.types.float_kind(ty), Some(FloatKind::Float | FloatKind::Double)) {
            return None;
        }
        let value = match op {
            BinaryOp::Add => left + right,
            BinaryOp::Subtract => left - right,
            BinaryOp::Multiply => left * right,
            BinaryOp::Divide => left / right,
            BinaryOp::Equal => return Some(ExprKind::Integer(i128::from(left == right))),
            BinaryOp::NotEqual => return Some(ExprKind::Integer(i128::from(left != right))),
            _ if op.is_comparison() => {
                let holds = left.partial_cmp(&right).is_some_and(|order| ordered(op, order));
                return Some(ExprKind::Integer(i128::from(holds)));
            }
            _ => return None,
        };
        Some(ExprKind::Float(self.round(value, ty)))
    }

    /// A floating constant as an integer; `None` where the type does not hold it, which is undefined.
    pub fn fold_to_integer(&self, number: f64, to: TypeId) -> Option<ExprKind> {
        let whole = number.trunc();
        let exact = whole as i128;
        let holds = whole.abs() < 1e38 && self.wrap(exact, to) == exact;
        holds.then_some(ExprKind::Integer(exact))
    }

    /// A floating constant in another floating type. One that was written with more digits than are kept is
    /// left alone.
    pub fn fold_float(&self, number: f64, from: TypeId, to: TypeId) -> Option<ExprKind> {
        let kept = matches!(self.program.types.float_kind(from), Some(FloatKind::Float | FloatKind::Double));
        let whole = number.fract() == 0.0 && number.abs() < 9e15;
        (kept || whole).then(|| ExprKind::Float(self.round(number, to)))
    }

    /// The value of an operator on one constant.
    pub fn fold_unary(&self, op: UnaryOp, operand: ExprId, ty: TypeId) -> Option<ExprKind> {
        match (op, &self.program.exprs[operand].kind) {
            (UnaryOp::Negate, ExprKind::Integer(value)) => {
                Some(ExprKind::Integer(self.wrap(value.wrapping_neg(), ty)))
            }
            (UnaryOp::Complement, ExprKind::Integer(value)) => Some(ExprKind::Integer(self.wrap(!value, ty))),
            (UnaryOp::Negate, ExprKind::Float(value)) => Some(ExprKind::Float(-value)),
            _ => None,
        }
    }

    /// Whether a scalar is a constant that is true or false.
    pub fn truth(&self, id: ExprId) -> Option<bool> {
        if self.program.overflowed.contains_key(&id) {
            // It is computed when the program runs, where that is asked about.
            return None;
        }
        match self.program.exprs[id].kind {
            ExprKind::Integer(value) => Some(value != 0),
            ExprKind::Float(value) => Some(value != 0.0),
            // One that is declared only may be weak.
            ExprKind::FunctionAddress(id) => self.program.functions[id].body.as_ref().map(|_| true),
            _ => None,
        }
    }

    /// The address of an lvalue that is reached from a constant address: `&((struct S *)0)->m`.
    pub fn constant_address(&self, place: PlaceId) -> Option<i128> {
        let mut offset: i128 = 0;
        let mut place = place;
        loop {
            let node = &self.program.places[place];
            match node.kind {
                PlaceKind::Deref(pointer) => return Some(self.constant(pointer)?.wrapping_add(offset)),
                PlaceKind::Member { base, record, field } => {
                    let fields = self.program.types.records[record].fields.as_ref()?;
                    offset = offset.checked_add(i128::from(fields.get(field as usize)?.offset))?;
                    place = base;
                }
                PlaceKind::Index { array, index } => {
                    let size = self.program.types.size(node.ty.ty)?;
                    offset = offset.checked_add(self.constant(index)?.checked_mul(i128::from(size))?)?;
                    place = array;
                }
                _ => return None,
            }
        }
    }

    /// Whether a value can be worked out before the program starts: a constant, or the address of something
    /// static plus a constant.
    pub fn is_static_constant(&self, id: ExprId) -> bool {
        let all = |ids: &[ExprId]| ids.iter().all(|id| self.is_static_constant(*id));
        match &self.program.exprs[id].kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Refused(_) => true,
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => self.is_static_place(*place),
            ExprKind::Load(place) => self.is_constant_object(*place),
            ExprKind::Unary(_, operand) | ExprKind::Not(operand) | ExprKind::Cast(_, operand) => {
                all(&[*operand])
            }
            ExprKind::Binary { left, right, .. }
            | ExprKind::LogicalAnd(left, right)
            | ExprKind::LogicalOr(left, right)
            | ExprKind::Comma(left, right) => all(&[*left, *right]),
            ExprKind::PointerAdd { pointer, index, .. } => all(&[*pointer, *index]),
            ExprKind::PointerDifference { left, right, .. } => all(&[*left, *right]),
            ExprKind::Conditional { condition, then, otherwise } => all(&[*condition, *then, *otherwise]),
            ExprKind::Elvis { value, otherwise, .. } => all(&[*value, *otherwise]),
            // gcc works some of them out; who uses the value that is not worked out here is refused.
            ExprKind::Builtin { arguments, .. } => all(arguments),
            ExprKind::Call { callee: Callee::Function(f), arguments } => {
                let function = &self.program.functions[*f];
                function.body.is_none() && builtins::signature(&function.name).is_some() && all(arguments)
            }
            _ => false,
        }
    }

    fn is_static_place(&self, place: PlaceId) -> bool {
        match self.program.places[place].kind {
            PlaceKind::Variable(variable) | PlaceKind::CompoundLiteral(variable) => {
                matches!(self.program.variables[variable].storage, Storage::Global | Storage::Static)
            }
            PlaceKind::String(_) => true,
            PlaceKind::Deref(pointer) => self.is_static_constant(pointer),
            PlaceKind::Index { array, index } => {
                self.is_static_place(array) && self.is_static_constant(index)
            }
            PlaceKind::Member { base, .. } => self.is_static_place(base),
            PlaceKind::Temporary(_) => false,
        }
    }

    /// `"abc"[1]`.
    fn is_in_string(&self, place: PlaceId) -> bool {
        match self.program.places[place].kind {
            PlaceKind::Index { array, .. } => matches!(self.program.places[array].kind, PlaceKind::String(_)),
            PlaceKind::Deref(pointer) => match self.program.exprs[pointer].kind {
                ExprKind::PointerAdd { pointer, .. } => self.is_string(pointer),
                _ => self.is_string(pointer),
            },
            _ => false,
        }
    }

    fn is_string(&self, pointer: ExprId) -> bool {
        matches!(self.program.exprs[pointer].kind, ExprKind::Decay(place)
            if matches!(self.program.places[place].kind, PlaceKind::String(_)))
    }

    /// gcc reads a `const` object, or a file-scope compound literal, in the initialiser of another one.
    /// The value of a constant object with a constant initialiser, as gcc knows it in other initialisers.
    pub fn value_of_object(&self, place: PlaceId) -> Option<ExprKind> {
        let PlaceKind::Variable(id) = self.program.places[place].kind else { return None };
        let variable = &self.program.variables[id];
        let known =
            [Qualifiers::VOLATILE, Qualifiers::ATOMIC].iter().all(|it| !variable.ty.qualifiers.has(*it));
        let known = known
            && variable.ty.qualifiers.has(Qualifiers::CONST)
            && matches!(variable.storage, Storage::Global | Storage::Static)
            && !variable.weak
            && !variable.thread_local
            && self.is_arithmetic(variable.ty.ty);
        let cells = &variable.init.as_ref().filter(|_| known)?.cells;
        let [cell] = &cells[..] else { return None };
        let value = &self.program.exprs[cell.value];
        let constant = matches!(value.kind, ExprKind::Integer(_) | ExprKind::Float(_));
        (constant && value.ty == variable.ty.ty).then(|| value.kind.clone())
    }

    fn is_constant_object(&self, place: PlaceId) -> bool {
        let literal = matches!(self.program.places[place].kind, PlaceKind::CompoundLiteral(_));
        self.is_static_place(place)
            && (literal
                || self.is_in_string(place)
                || self.program.places[place].ty.qualifiers.has(Qualifiers::CONST))
    }
}

fn ordered(op: BinaryOp, order: std::cmp::Ordering) -> bool {
    match op {
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterEqual => order.is_ge(),
        _ => false,
    }
}
