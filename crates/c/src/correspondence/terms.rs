//! Terms: values of registers of both programs, as expressions over what the old program's registers hold
//! before a step, and over what the step brings. Operators are functions: equal terms have equal values, and
//! what is computed from numbers alone is computed here, by the machine's own operators.

use super::OldValue;
use crate::evaluate::Evaluator;
use crate::expr::{Binary, Convert, ExprId, Exprs, Node};
use crate::program::{LocalId, ObjectId, Program};
use crate::types::{ObjectScope, Type};
use crate::value::Value;
use base::Id;
use std::collections::HashMap;

/// What a leaf of a term stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    /// What belongs to the old program's thread before the step.
    Old(OldValue),
    /// What the step brings: a number for each.
    Made(u32),
}

/// The pool of terms. Addresses in them are those of objects of the new program, as the current frame of the
/// new program sees them.
#[derive(Debug)]
pub struct Terms {
    exprs: Exprs,
    numbers: HashMap<Symbol, LocalId>,
    symbols: Vec<Symbol>,
    evaluator: Evaluator,
    /// By object of the new program: whether its address is one only while it lives.
    dies: Vec<bool>,
}

/// A part of an expression that is evaluated whenever the expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its value; `None` if it reads what nothing is known of.
    pub term: Option<ExprId>,
    /// Whether it may be undefined.
    pub may_fault: bool,
}

impl Terms {
    /// No terms yet.
    pub fn new(new: &Program) -> Terms {
        let dies = new.objects().iter().map(|it| matches!(it.scope, ObjectScope::Procedure(_))).collect();
        let (exprs, evaluator) = (Exprs::new(new.pointer_bits()), Evaluator::new(new));
        Terms { exprs, numbers: HashMap::new(), symbols: vec![], evaluator, dies }
    }

    /// A symbol as a term.
    pub fn symbol(&mut self, symbol: Symbol, ty: Type) -> ExprId {
        let number = *self.numbers.entry(symbol).or_insert_with(|| {
            self.symbols.push(symbol);
            LocalId::from_index(self.symbols.len() - 1)
        });
        self.exprs.add(Node::Local(number, ty))
    }

    /// The symbol, if the term is one.
    pub fn as_symbol(&self, term: ExprId) -> Option<Symbol> {
        match self.exprs.node(term) {
            Node::Local(number, _) => Some(self.symbols[number.index()]),
            _ => None,
        }
    }

    /// The type of a term.
    pub fn ty(&self, term: ExprId) -> Type {
        self.exprs.ty(term)
    }

    /// The number, if the term is one.
    pub fn number(&self, term: ExprId) -> Option<u128> {
        self.exprs.constant(term)
    }

    /// The operator of a term.
    pub fn node(&self, term: ExprId) -> Node {
        self.exprs.node(term)
    }

    /// The term with this operator, computed if its operands are numbers.
    pub fn add(&mut self, node: Node) -> ExprId {
        let number = |e: ExprId| self.exprs.constant(e).map(Value::Bits);
        let value = match node {
            Node::Unary(op, a) => number(a).map(|value| self.evaluator.unary(op, self.ty(a), value)),
            Node::Binary(Binary::Eq, a, b) if a == b && matches!(self.node(a), Node::Address(_)) => {
                Some(Ok(Value::truth(true)))
            }
            Node::Binary(op, a, b) => {
                number(a).zip(number(b)).map(|(x, y)| self.evaluator.binary(op, self.ty(a), x, y))
            }
            Node::Convert(op, to, a) => {
                number(a).map(|value| self.evaluator.convert(op, self.ty(a), to, value))
            }
            Node::Ite(cond, a, b) => match self.exprs.constant(cond) {
                Some(0) => return b,
                Some(_) => return a,
                None => None,
            },
            Node::Const(..) | Node::Local(..) | Node::Address(_) => None,
        };
        let made = self.exprs.add(node);
        match value {
            Some(Ok(Value::Bits(bits))) => self.exprs.add(Node::Const(self.ty(made), bits)),
            _ => made,
        }
    }

    /// The term with every leaf replaced; `None` as soon as one has no replacement.
    pub fn replace(
        &mut self,
        term: ExprId,
        mut leaf: impl FnMut(&mut Terms, ExprId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let mut made: HashMap<ExprId, ExprId> = HashMap::new();
        for id in self.exprs.below(term) {
            let node = self.exprs.node(id);
            let new = match node {
                Node::Const(..) | Node::Local(..) | Node::Address(_) => leaf(self, id)?,
                _ => self.add(node.map_children(|child| made[&child])),
            };
            made.insert(id, new);
        }
        Some(made[&term])
    }

    /// Whether a term mentions the address of an object.
    pub fn mentions(&self, term: ExprId, object: ObjectId) -> bool {
        self.exprs.below(term).into_iter().any(|id| self.exprs.node(id) == Node::Address(object))
    }

    /// The value of an expression whose leaves `leaf` gives, last, after those of all parts that are
    /// evaluated with it.
    pub fn evaluate(
        &mut self,
        exprs: &Exprs,
        root: ExprId,
        mut leaf: impl FnMut(&mut Terms, Node) -> Option<ExprId>,
    ) -> Vec<Part> {
        let mut parts: HashMap<ExprId, Part> = HashMap::new();
        // Whether an expression has a part, taken or not, that may be undefined.
        let mut risky: HashMap<ExprId, bool> = HashMap::new();
        for id in exprs.below(root) {
            let node = exprs.node(id);
            let of = |e: ExprId| parts[&e].term;
            let term = match node {
                Node::Const(..) => Some(self.add(node)),
                Node::Local(..) | Node::Address(_) => leaf(self, node),
                _ if node.children().any(|child| of(child).is_none()) => None,
                _ => Some(self.add(node.map_children(|child| of(child).expect("all operands are known")))),
            };
            let below = node.children().any(|child| risky[&child]);
            let own =
                term.is_none_or(|it| self.number(it).is_none()) && self.may_fault(exprs, node, term, of);
            let arms = matches!(node, Node::Ite(..)) && below;
            parts.insert(id, Part { term, may_fault: own || arms });
            risky.insert(id, own || below);
        }
        strict(exprs, root).into_iter().map(|id| parts[&id]).collect()
    }

    /// Whether an operator may be undefined on these operands.
    fn may_fault(
        &self,
        exprs: &Exprs,
        node: Node,
        term: Option<ExprId>,
        of: impl Fn(ExprId) -> Option<ExprId>,
    ) -> bool {
        use Binary::*;
        let number = |e: ExprId| of(e).and_then(|term| self.number(term));
        match node {
            Node::Address(_) => match term.map(|term| self.node(term)) {
                Some(Node::Address(object)) => self.dies.get(object.index()).copied().unwrap_or(true),
                _ => true,
            },
            Node::Binary(DivU | DivS | RemU | RemS, _, b) => number(b).is_none_or(|by| by == 0),
            Node::Binary(op, a, b) if op.is_shift() => {
                let width = exprs.ty(a).bits(exprs.pointer_bits());
                number(b).is_none_or(|by| by >= u128::from(width))
            }
            Node::Binary(Eq, ..) => false,
            Node::Binary(_, a, b) => exprs.ty(a) == Type::Pointer && exprs.ty(b) == Type::Pointer,
            Node::Convert(Convert::BitsU | Convert::BitsS, ..) => true,
            _ => false,
        }
    }
}

/// The parts that are evaluated whenever the whole is, operands first: not the arms of a conditional.
fn strict(exprs: &Exprs, root: ExprId) -> Vec<ExprId> {
    let (mut found, mut work) = (std::collections::BTreeSet::new(), vec![root]);
    while let Some(id) = work.pop() {
        if found.insert(id) {
            let all = if matches!(exprs.node(id), Node::Ite(..)) { 1 } else { 3 };
            work.extend(exprs.node(id).children().take(all));
        }
    }
    found.into_iter().collect()
}
