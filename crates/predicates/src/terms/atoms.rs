//! Substitution and the normal form of atoms. Every rewriting is valid for bit-vectors that wrap: `a + 1 == b
//! + 1` is `a == b`, but `a + 1 <= b` is not `a < b`.

use c::types::{mask, signed};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, TRUTH, Type, Unary};
use rustc_hash::FxHashMap;

/// An expression with variables replaced, simplified on the way.
pub fn substitute(exprs: &mut Exprs, root: ExprId, values: &FxHashMap<LocalId, ExprId>) -> ExprId {
    let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for id in exprs.below(root) {
        let node = match exprs.node(id) {
            Node::Local(local, ty) => match values.get(&local) {
                Some(&value) if exprs.ty(value) == ty => {
                    made.insert(id, value);
                    continue;
                }
                _ => Node::Local(local, ty),
            },
            node => node.map_children(|child| made[&child]),
        };
        let simple = simplify(exprs, node);
        made.insert(id, simple);
    }
    made[&root]
}

/// The expression of an operator, in a simpler form where there is an obvious one.
pub fn simplify(exprs: &mut Exprs, node: Node) -> ExprId {
    match node {
        Node::Unary(Unary::Not, a) if exprs.ty(a) == TRUTH => not(exprs, a),
        Node::Binary(op, a, b) => binary(exprs, op, a, b),
        Node::Ite(test, then, other) => match exprs.constant(test) {
            Some(value) => {
                if value == 1 {
                    then
                } else {
                    other
                }
            }
            None if then == other => then,
            None => exprs.add(node),
        },
        Node::Convert(op, ty, a) => {
            let bits = exprs.ty(a).bits(exprs.pointer_bits());
            match (exprs.constant(a), op) {
                (Some(value), Convert::ZeroExtend | Convert::Truncate) => exprs.number(ty, value),
                (Some(value), Convert::SignExtend) => exprs.number(ty, signed(value, bits) as u128),
                (None, Convert::Reinterpret) => reinterpreted(exprs, ty, a),
                _ => exprs.add(node),
            }
        }
        node => exprs.add(node),
    }
}

/// The same bits as another type: nothing, if they were of that type before they were read as numbers,
/// perhaps with a number added.
fn reinterpreted(exprs: &mut Exprs, ty: Type, a: ExprId) -> ExprId {
    let from = |exprs: &Exprs, id: ExprId| match exprs.node(id) {
        Node::Convert(Convert::Reinterpret, _, inner) if exprs.ty(inner) == ty => Some(inner),
        _ if exprs.ty(id) == ty => Some(id),
        _ => None,
    };
    if let Some(inner) = from(exprs, a) {
        return inner;
    }
    if let Node::Binary(op @ (Binary::Add | Binary::Sub), x, by) = exprs.node(a)
        && exprs.constant(by).is_some()
        && let Some(inner) = from(exprs, x)
    {
        return binary(exprs, op, inner, by);
    }
    exprs.convert(Convert::Reinterpret, ty, a)
}

fn not(exprs: &mut Exprs, a: ExprId) -> ExprId {
    match exprs.node(a) {
        Node::Unary(Unary::Not, inner) => inner,
        Node::Const(ty, value) => exprs.number(ty, value ^ 1),
        _ => exprs.not(a),
    }
}

fn binary(exprs: &mut Exprs, op: Binary, a: ExprId, b: ExprId) -> ExprId {
    use Binary::*;
    let bits = exprs.ty(a).bits(exprs.pointer_bits());
    if exprs.ty(a).is_float() {
        return exprs.binary(op, a, b);
    }
    if let (Some(x), Some(y)) = (exprs.constant(a), exprs.constant(b))
        && let Some(value) = fold(op, x, y, bits)
    {
        let ty = if op.is_comparison() { TRUTH } else { exprs.ty(a) };
        return exprs.number(ty, value);
    }
    match op {
        Eq | LeU | LeS if a == b => exprs.number(TRUTH, 1),
        LtU | LtS if a == b => exprs.number(TRUTH, 0),
        Eq => equal(exprs, a, b),
        Add | Sub => match (split(exprs, a), exprs.constant(b)) {
            (sum, Some(value)) if sum.base.is_some() => {
                let value = if op == Add { value } else { value.wrapping_neg() };
                let base = sum.base.expect("this was just asked");
                with_offset(exprs, base, sum.offset.wrapping_add(value))
            }
            _ => exprs.binary(op, a, b),
        },
        And | Or if exprs.ty(a) == TRUTH => match (exprs.constant(a), exprs.constant(b)) {
            (Some(x), _) => {
                if (x == 1) == (op == And) {
                    b
                } else {
                    a
                }
            }
            (_, Some(y)) => {
                if (y == 1) == (op == And) {
                    a
                } else {
                    b
                }
            }
            _ => exprs.binary(op, a, b),
        },
        _ => exprs.binary(op, a, b),
    }
}

/// The operator on numbers, where it is one of those that occur in atoms.
fn fold(op: Binary, x: u128, y: u128, bits: u8) -> Option<u128> {
    use Binary::*;
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    Some(match op {
        Eq => u128::from(x == y),
        LtU => u128::from(x < y),
        LeU => u128::from(x <= y),
        LtS => u128::from(sx < sy),
        LeS => u128::from(sx <= sy),
        Add => x.wrapping_add(y) & mask(bits),
        Sub => x.wrapping_sub(y) & mask(bits),
        Mul => x.wrapping_mul(y) & mask(bits),
        And => x & y,
        Or => x | y,
        Xor => x ^ y,
        _ => return None,
    })
}

/// A sum of something and a number.
struct Offset {
    base: Option<ExprId>,
    offset: u128,
}

fn split(exprs: &Exprs, id: ExprId) -> Offset {
    match exprs.node(id) {
        Node::Const(_, value) => Offset { base: None, offset: value },
        Node::Binary(op @ (Binary::Add | Binary::Sub), a, b) => match exprs.constant(b) {
            Some(value) if op == Binary::Add => Offset { base: Some(a), offset: value },
            Some(value) => Offset { base: Some(a), offset: value.wrapping_neg() },
            None => Offset { base: Some(id), offset: 0 },
        },
        _ => Offset { base: Some(id), offset: 0 },
    }
}

fn with_offset(exprs: &mut Exprs, base: ExprId, offset: u128) -> ExprId {
    let number_type = match exprs.ty(base) {
        Type::Pointer => Type::Bits(exprs.pointer_bits()),
        ty => ty,
    };
    let number = exprs.number(number_type, offset);
    if exprs.constant(number) == Some(0) { base } else { exprs.binary(Binary::Add, base, number) }
}

/// What two zero-extended values are compared by: the values before, if they are of one width.
fn before_extension(exprs: &mut Exprs, a: ExprId, b: ExprId) -> Option<[ExprId; 2]> {
    let Node::Convert(Convert::ZeroExtend, _, x) = exprs.node(a) else { return None };
    match exprs.node(b) {
        Node::Convert(Convert::ZeroExtend, _, y) if exprs.ty(x) == exprs.ty(y) => Some([x, y]),
        Node::Const(_, value) if value <= mask(exprs.ty(x).bits(exprs.pointer_bits())) => {
            Some([x, exprs.number(exprs.ty(x), value)])
        }
        _ => None,
    }
}

/// Equal summands on both sides go; numbers go to the right, variables in the order of their names.
fn equal(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if let Some([a, b]) = before_extension(exprs, a, b) {
        return exprs.binary(Binary::Eq, a, b);
    }
    let (left, right) = (split(exprs, a), split(exprs, b));
    match (left.base, right.base) {
        (Some(a), Some(b)) => {
            let difference = right.offset.wrapping_sub(left.offset);
            let (low, high, difference) =
                if a <= b { (a, b, difference) } else { (b, a, difference.wrapping_neg()) };
            // What is added is the smaller of the two numbers: `a == b - 12` and `c == b + 12` share their
            // circuits as `b == a + 12`.
            let bits = exprs.ty(a).bits(exprs.pointer_bits());
            let (low, high, difference) = match signed(difference & mask(bits), bits) {
                ..0 => (high, low, difference.wrapping_neg()),
                _ => (low, high, difference),
            };
            let high = with_offset(exprs, high, difference);
            if low == high { exprs.number(TRUTH, 1) } else { exprs.binary(Binary::Eq, low, high) }
        }
        (Some(base), None) | (None, Some(base)) => {
            let (number, offset) =
                if left.base.is_some() { (right.offset, left.offset) } else { (left.offset, right.offset) };
            let number = exprs.number(exprs.ty(base), number.wrapping_sub(offset));
            exprs.binary(Binary::Eq, base, number)
        }
        (None, None) => exprs.binary(Binary::Eq, a, b),
    }
}

/// The atoms of a truth value: what stands below its logical operators, without negations, in normal form.
pub fn atoms(exprs: &mut Exprs, root: ExprId) -> Vec<ExprId> {
    let mut stack = vec![substitute(exprs, root, &FxHashMap::default())];
    let mut seen = rustc_hash::FxHashSet::default();
    let mut found = vec![];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match exprs.node(id) {
            Node::Const(..) => {}
            Node::Unary(Unary::Not, a) => stack.push(a),
            Node::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => stack.extend([b, a]),
            Node::Binary(Binary::Eq, a, b) if exprs.ty(a) == TRUTH => stack.extend([b, a]),
            Node::Binary(op @ (Binary::Eq | Binary::LtU), a, b) if quotient(exprs, op, a, b).is_some() => {
                stack.extend(quotient(exprs, op, a, b).into_iter().flatten());
            }
            Node::Ite(test, then, other) => stack.extend([other, then, test]),
            _ => match parted(exprs, id) {
                Some(parts) if seen.len() < MOST_PARTS => stack.extend(parts),
                _ => {
                    let atom = normal(exprs, id);
                    if exprs.constant(atom).is_none() {
                        found.push(atom);
                    }
                }
            },
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Atoms with choices inside are not taken apart beyond this: two long choices make a part for each two of
/// their values.
const MOST_PARTS: usize = 400;

/// An atom that chooses between values, such as one that reads an array: the test, and the atom with each of
/// the two values.
fn parted(exprs: &mut Exprs, atom: ExprId) -> Option<[ExprId; 3]> {
    let below = exprs.below(atom);
    let choice = below.iter().rev().find(|&&id| matches!(exprs.node(id), Node::Ite(..)))?;
    let Node::Ite(test, then, other) = exprs.node(*choice) else { return None };
    let mut with = |value: ExprId| {
        let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in &below {
            let node = exprs.node(id).map_children(|child| made[&child]);
            let part = if id == *choice { value } else { simplify(exprs, node) };
            made.insert(id, part);
        }
        made[&atom]
    };
    Some([with(other), with(then), test])
}

/// A quotient by a number that is compared with a number, as bounds on what is divided: `a / 4 < 2` is `a <
/// 8`.
fn quotient(exprs: &mut Exprs, op: Binary, a: ExprId, b: ExprId) -> Option<Vec<ExprId>> {
    let Node::Binary(Binary::DivU, dividend, divisor) = exprs.node(a) else { return None };
    let (divisor, value) = (exprs.constant(divisor)?, exprs.constant(b)?);
    let bits = exprs.ty(dividend).bits(exprs.pointer_bits());
    let bounds = if op == Binary::Eq { vec![value, value.checked_add(1)?] } else { vec![value] };
    let bounds = bounds.into_iter().map(|it| it.checked_mul(divisor)).collect::<Option<Vec<u128>>>()?;
    if divisor == 0 || bounds.iter().any(|&it| it > mask(bits)) {
        return None;
    }
    let mut made = vec![];
    for bound in bounds {
        let bound = exprs.number(exprs.ty(dividend), bound);
        made.push(binary(exprs, Binary::LtU, dividend, bound));
    }
    Some(made)
}

/// The normal form of an atom, up to negation: `a <= b` as `b < a`.
pub fn normal(exprs: &mut Exprs, atom: ExprId) -> ExprId {
    match exprs.node(atom) {
        Node::Unary(Unary::Not, inner) => inner,
        Node::Binary(Binary::LeU, a, b) => binary(exprs, Binary::LtU, b, a),
        Node::Binary(Binary::LeS, a, b) => binary(exprs, Binary::LtS, b, a),
        Node::Binary(op, a, b) if op.is_comparison() => binary(exprs, op, a, b),
        _ => atom,
    }
}

/// A value where the guard holds: a choice between two whose test the guard decides is the one that is taken.
pub fn under_guard(exprs: &mut Exprs, guard: ExprId, value: ExprId) -> ExprId {
    let mut value = value;
    while let Node::Ite(test, then, other) = exprs.node(value) {
        match decided(exprs, guard, test) {
            Some(true) => value = then,
            Some(false) => value = other,
            None => break,
        }
    }
    substitute(exprs, value, &FxHashMap::default())
}

fn decided(exprs: &Exprs, guard: ExprId, test: ExprId) -> Option<bool> {
    let mut stack = vec![guard];
    while let Some(id) = stack.pop() {
        if id == test {
            return Some(true);
        }
        match exprs.node(id) {
            Node::Unary(Unary::Not, a) if a == test => return Some(false),
            Node::Binary(Binary::And, a, b) => stack.extend([a, b]),
            _ => {}
        }
    }
    None
}
