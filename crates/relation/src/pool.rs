//! Expressions of a relation, simplified as they are made: constants are folded and conditions over
//! conditions are taken apart, so that what was composed from many steps stays small. Operators are total
//! here: where one is undefined, the guard of the command excludes it, and its value does not matter.

use c::evaluate::Evaluator;
use c::expr::{Binary, Convert, ExprId, Exprs, Node, Unary};
use c::program::LocalId;
use c::types::{TRUTH, Type};
use c::value::Value;
use std::collections::{BTreeMap, HashMap};

/// How deep a comparison with a constant is pushed into conditional expressions.
const DEPTH: u32 = 8;

pub(super) struct Pool {
    pub exprs: Exprs,
    evaluator: Evaluator,
}

impl Pool {
    pub fn new(pointer_bits: u8, evaluator: Evaluator) -> Self {
        Self { exprs: Exprs::new(pointer_bits), evaluator }
    }

    pub fn ty(&self, e: ExprId) -> Type {
        self.exprs.ty(e)
    }

    pub fn bits(&self, e: ExprId) -> u8 {
        self.ty(e).bits(self.exprs.pointer_bits())
    }

    pub fn constant(&self, e: ExprId) -> Option<u128> {
        self.exprs.constant(e)
    }

    pub fn number(&mut self, ty: Type, value: u128) -> ExprId {
        self.exprs.number(ty, value)
    }

    pub fn truth(&mut self, value: bool) -> ExprId {
        self.number(TRUTH, u128::from(value))
    }

    pub fn is_true(&self, e: ExprId) -> bool {
        self.ty(e) == TRUTH && self.constant(e) == Some(1)
    }

    pub fn is_false(&self, e: ExprId) -> bool {
        self.ty(e) == TRUTH && self.constant(e) == Some(0)
    }

    pub fn variable(&mut self, variable: LocalId, ty: Type) -> ExprId {
        self.exprs.add(Node::Local(variable, ty))
    }

    pub fn not(&mut self, e: ExprId) -> ExprId {
        self.unary(Unary::Not, e)
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::And, a, b)
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::Or, a, b)
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not = self.not(a);
        self.or(not, b)
    }

    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::Eq, a, b)
    }

    /// `e` is this number.
    pub fn is(&mut self, e: ExprId, value: u128) -> ExprId {
        let number = self.number(self.ty(e), value);
        self.eq(e, number)
    }

    /// `e` is at least this number, unsigned.
    pub fn at_least(&mut self, e: ExprId, value: u128) -> ExprId {
        let number = self.number(self.ty(e), value);
        self.binary(Binary::LeU, number, e)
    }

    /// `e` plus a number, wrapping.
    pub fn plus(&mut self, e: ExprId, value: u128) -> ExprId {
        let ty = match self.ty(e) {
            Type::Pointer => Type::Bits(self.exprs.pointer_bits()),
            ty => ty,
        };
        let number = self.number(ty, value);
        self.binary(Binary::Add, e, number)
    }

    pub fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        let ty = self.ty(a);
        if let (Some(value), false) = (self.constant(a), ty.is_float())
            && let Ok(Value::Bits(bits)) = self.evaluator.unary(op, ty, Value::Bits(value))
        {
            return self.number(ty, bits);
        }
        match self.exprs.node(a) {
            Node::Unary(inner, b) if inner == op => b,
            _ => self.exprs.add(Node::Unary(op, a)),
        }
    }

    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        if !ty.is_float()
            && let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
        {
            let value = self.evaluator.binary(op, ty, Value::Bits(x), Value::Bits(y));
            let ty = self.result_type(op, a, b);
            return self.number(ty, value.ok().and_then(Value::bits).unwrap_or(0));
        }
        match op {
            Binary::And | Binary::Or if ty == TRUTH => self.connective(op, a, b),
            Binary::Eq if !ty.is_float() => self.equality(a, b, DEPTH),
            Binary::Add | Binary::Sub | Binary::Or | Binary::Xor
                if self.constant(b) == Some(0) && self.result_type(op, a, b) == ty && !ty.is_float() =>
            {
                a
            }
            Binary::Add if self.ty(b) == ty && !ty.is_float() && self.constant(a) == Some(0) => b,
            Binary::LtU if self.constant(b) == Some(0) => self.truth(false),
            Binary::LeU if self.constant(a) == Some(0) => self.truth(true),
            Binary::LeU | Binary::LeS if a == b => self.truth(true),
            Binary::LtU | Binary::LtS if a == b => self.truth(false),
            _ => self.exprs.binary(op, a, b),
        }
    }

    fn result_type(&self, op: Binary, a: ExprId, b: ExprId) -> Type {
        match (op, self.ty(a), self.ty(b)) {
            _ if op.is_comparison() => TRUTH,
            (Binary::Sub, Type::Pointer, Type::Pointer) => Type::Bits(self.exprs.pointer_bits()),
            (_, ty, _) => ty,
        }
    }

    /// `and` and `or` of truth values.
    fn connective(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        // The value that decides: 0 for `and`, 1 for `or`.
        let decides = u128::from(op == Binary::Or);
        for (x, y) in [(a, b), (b, a)] {
            match self.constant(x) {
                Some(value) if value == decides => return x,
                Some(_) => return y,
                None => {}
            }
        }
        if a == b {
            return a;
        }
        if self.not(a) == b {
            return self.number(TRUTH, decides);
        }
        self.exprs.binary(op, a, b)
    }

    fn equality(&mut self, a: ExprId, b: ExprId, depth: u32) -> ExprId {
        if a == b {
            return self.truth(true);
        }
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        let Some(value) = self.constant(b) else { return self.exprs.binary(Binary::Eq, a, b) };
        if self.constant(a).is_some() {
            return self.truth(self.constant(a) == Some(value));
        }
        if self.ty(a) == TRUTH {
            return if value == 1 { a } else { self.not(a) };
        }
        match self.exprs.node(a) {
            Node::Ite(cond, x, y) if depth > 0 && self.is_leaf(x) | self.is_leaf(y) => {
                let x = self.equality(x, b, depth - 1);
                let y = self.equality(y, b, depth - 1);
                self.ite(cond, x, y)
            }
            Node::Convert(Convert::ZeroExtend, _, x) => {
                let narrow = self.number(self.ty(x), value);
                if self.constant(narrow) != Some(value) {
                    return self.truth(false);
                }
                if depth > 0 {
                    self.equality(x, narrow, depth - 1)
                } else {
                    self.exprs.binary(Binary::Eq, x, narrow)
                }
            }
            _ => self.exprs.binary(Binary::Eq, a, b),
        }
    }

    fn is_leaf(&self, e: ExprId) -> bool {
        self.constant(e).is_some()
    }

    /// `then` where the condition holds, else `other`.
    pub fn ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        if then == other || self.is_true(cond) {
            return then;
        }
        if self.is_false(cond) {
            return other;
        }
        if let Node::Unary(Unary::Not, inner) = self.exprs.node(cond) {
            return self.ite(inner, other, then);
        }
        if self.ty(then) == TRUTH {
            match (self.constant(then), self.constant(other)) {
                (Some(1), _) => return self.or(cond, other),
                (_, Some(0)) => return self.and(cond, then),
                (Some(_), _) => {
                    let not = self.not(cond);
                    return self.and(not, other);
                }
                (_, Some(_)) => {
                    let not = self.not(cond);
                    return self.or(not, then);
                }
                _ => {}
            }
        }
        self.exprs.add(Node::Ite(cond, then, other))
    }

    pub fn convert(&mut self, op: Convert, ty: Type, a: ExprId) -> ExprId {
        let from = self.ty(a);
        if from == ty {
            return a;
        }
        if let (Some(value), false) = (self.constant(a), from.is_float() || ty.is_float())
            && let Ok(Value::Bits(bits)) = self.evaluator.convert(op, from, ty, Value::Bits(value))
        {
            return self.number(ty, bits);
        }
        self.exprs.convert(op, ty, a)
    }

    /// The same expression, given truth values of some others.
    pub fn given(&mut self, root: ExprId, facts: &BTreeMap<ExprId, bool>) -> ExprId {
        let below = self.exprs.below(root);
        if facts.is_empty() || below.iter().all(|id| !facts.contains_key(id)) {
            return root;
        }
        let mut done: HashMap<ExprId, ExprId> = HashMap::new();
        for id in below {
            let new = match facts.get(&id) {
                Some(&value) => self.truth(value),
                None => self.rebuild(self.exprs.node(id).map_children(|child| done[&child])),
            };
            done.insert(id, new);
        }
        done[&root]
    }

    fn rebuild(&mut self, node: Node) -> ExprId {
        match node {
            Node::Unary(op, a) => self.unary(op, a),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Convert(op, ty, a) => self.convert(op, ty, a),
            Node::Ite(a, b, c) => self.ite(a, b, c),
            Node::Const(..) | Node::Local(..) | Node::Address(_) => self.exprs.add(node),
        }
    }

    /// Adds what a condition says about the truth of others.
    pub fn learn(&self, cond: ExprId, facts: &mut BTreeMap<ExprId, bool>) {
        let mut stack = vec![(cond, true)];
        while let Some((e, value)) = stack.pop() {
            match self.exprs.node(e) {
                Node::Const(..) => continue,
                Node::Unary(Unary::Not, a) => stack.push((a, !value)),
                Node::Binary(Binary::And, a, b) if value => stack.extend([(a, true), (b, true)]),
                Node::Binary(Binary::Or, a, b) if !value => stack.extend([(a, false), (b, false)]),
                _ => {}
            }
            facts.insert(e, value);
        }
    }

    /// The same bits as another type: cut, or with zeros in front.
    pub fn fit(&mut self, e: ExprId, ty: Type) -> ExprId {
        let pointer_bits = self.exprs.pointer_bits();
        let (from, to) = (self.bits(e), ty.bits(pointer_bits));
        let plain = self.convert(Convert::Reinterpret, Type::Bits(from), e);
        let cut = match from.cmp(&to) {
            std::cmp::Ordering::Less => self.convert(Convert::ZeroExtend, Type::Bits(to), plain),
            std::cmp::Ordering::Greater => self.convert(Convert::Truncate, Type::Bits(to), plain),
            std::cmp::Ordering::Equal => plain,
        };
        self.convert(Convert::Reinterpret, ty, cut)
    }
}
