//! Typed expressions over the registers of a thread, hash-consed into one pool per program. Operands come
//! before what they are part of, so that nothing recurses. No expression reads memory: that takes a step of
//! its own.

use super::program::{LocalId, ObjectId};
use super::types::{TRUTH, Type, mask};
use super::value::Fault;
use base::{Arena, Id, define_id};
use std::collections::HashMap;

define_id!(
    /// An expression of a program's pool.
    pub struct ExprId = "e"
);

/// An operator on one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// Every bit inverted; on truth values the logical not. Bits.
    Not,
    /// The two's complement, or the float with its sign changed.
    Neg,
}

/// An operator on two operands. `U` and `S` say how bit-vectors are read: unsigned or signed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// Wrapping sum: bits, floats, or a pointer and bits of its width (bytes).
    Add,
    /// Wrapping difference: bits, floats, a pointer and bits (bytes), or two pointers into one object (giving
    /// bits).
    Sub,
    /// Wrapping product: bits or floats.
    Mul,
    /// Quotient of unsigned numbers; undefined for a zero divisor.
    DivU,
    /// Quotient rounded to zero; undefined for a zero divisor; the smallest number by -1 wraps.
    DivS,
    /// Remainder of unsigned numbers.
    RemU,
    /// Remainder with the sign of the dividend.
    RemS,
    /// Quotient of floats.
    DivF,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    Xor,
    /// Shift left; the second operand is unsigned, of any width; undefined from the first one's width on.
    Shl,
    /// Shift right, zeros come in.
    ShrU,
    /// Shift right, copies of the sign bit come in.
    ShrS,
    /// Equal: bits, pointers or floats (0.0 equals -0.0, a NaN nothing). Comparisons give truth values.
    Eq,
    /// Less, unsigned: bits, or two pointers into one object.
    LtU,
    /// At most, unsigned: bits, or two pointers into one object.
    LeU,
    /// Less, signed.
    LtS,
    /// At most, signed.
    LeS,
    /// Less, floats.
    LtF,
    /// At most, floats.
    LeF,
}

impl Binary {
    /// Whether it gives a truth value.
    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Eq | LtU | LeU | LtS | LeS | LtF | LeF)
    }

    /// Whether it shifts.
    pub fn is_shift(self) -> bool {
        matches!(self, Binary::Shl | Binary::ShrU | Binary::ShrS)
    }
}

/// A conversion to another type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Convert {
    /// Zeros in front: bits to at least as many bits.
    ZeroExtend,
    /// Copies of the sign bit in front: bits to at least as many bits.
    SignExtend,
    /// The lowest bits: bits to at most as many bits.
    Truncate,
    /// The same bits as another type of the same width: pointer, bits, float. An address stays one.
    Reinterpret,
    /// Unsigned bits to the nearest float.
    FloatU,
    /// Signed bits to the nearest float.
    FloatS,
    /// A float to unsigned bits, rounded to zero; undefined if it does not fit.
    BitsU,
    /// A float to signed bits, rounded to zero; undefined if it does not fit.
    BitsS,
    /// A float to the other float type.
    FloatF,
}

/// An operator applied to smaller expressions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A number of a type (of a pointer: an integer; of a float: its bits).
    Const(Type, u128),
    /// A register of the thread, with the type it was declared with.
    Local(LocalId, Type),
    /// The address of a declared object: the only one, this thread's, or this activation's.
    Address(ObjectId),
    /// An operator on one operand.
    Unary(Unary, ExprId),
    /// An operator on two.
    Binary(Binary, ExprId, ExprId),
    /// A conversion to a type.
    Convert(Convert, Type, ExprId),
    /// The second if the first (a truth value) is 1, else the third. Undefined behaviour in the other one
    /// does not matter.
    Ite(ExprId, ExprId, ExprId),
}

impl Node {
    /// The operands, in order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = ExprId> {
        let list = match self {
            Node::Const(..) | Node::Local(..) | Node::Address(_) => [None; 3],
            Node::Unary(_, a) | Node::Convert(_, _, a) => [Some(a), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Ite(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// The same operator on other operands.
    pub fn map_children(self, mut f: impl FnMut(ExprId) -> ExprId) -> Node {
        match self {
            Node::Const(..) | Node::Local(..) | Node::Address(_) => self,
            Node::Unary(op, a) => Node::Unary(op, f(a)),
            Node::Convert(op, ty, a) => Node::Convert(op, ty, f(a)),
            Node::Binary(op, a, b) => Node::Binary(op, f(a), f(b)),
            Node::Ite(a, b, c) => Node::Ite(f(a), f(b), f(c)),
        }
    }
}

/// The pool of a program's expressions.
#[derive(Clone, Debug)]
pub struct Exprs {
    pointer_bits: u8,
    nodes: Arena<ExprId, Node>,
    types: Vec<Type>,
    index: HashMap<Node, ExprId>,
}

impl Exprs {
    /// An empty pool, with the width of pointers.
    pub fn new(pointer_bits: u8) -> Self {
        Self { pointer_bits, nodes: Arena::new(), types: vec![], index: HashMap::new() }
    }

    /// The width of pointers.
    pub fn pointer_bits(&self) -> u8 {
        self.pointer_bits
    }

    /// The expression with this operator, made if it is new. Ill-typed ones are found by the validator.
    pub fn add(&mut self, node: Node) -> ExprId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        debug_assert!(node.children().all(|child| child.index() < self.nodes.len()), "operands come first");
        let ty = self.type_of(node);
        let id = self.nodes.push(node);
        self.types.push(ty);
        self.index.insert(node, id);
        id
    }

    /// The type that an operator gives, if its operands are as they should be.
    fn type_of(&self, node: Node) -> Type {
        match node {
            Node::Const(ty, _) | Node::Convert(_, ty, _) | Node::Local(_, ty) => ty,
            Node::Address(_) => Type::Pointer,
            Node::Unary(_, a) | Node::Ite(_, a, _) => self.ty(a),
            Node::Binary(op, ..) if op.is_comparison() => TRUTH,
            // The difference of two pointers has the width of one; the other cases take after the first
            // operand.
            Node::Binary(Binary::Sub, a, b) if (self.ty(a), self.ty(b)) == (Type::Pointer, Type::Pointer) => {
                Type::Bits(self.pointer_bits)
            }
            Node::Binary(_, a, _) => self.ty(a),
        }
    }

    /// The operator of an expression.
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id]
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> Type {
        self.types[id.index()]
    }

    /// The number of different expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the pool is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All expressions, operands first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + ExactSizeIterator + use<> {
        self.nodes.ids()
    }

    /// The constant, if it is a number.
    pub fn constant(&self, id: ExprId) -> Option<u128> {
        match self.node(id) {
            Node::Const(_, value) => Some(value),
            _ => None,
        }
    }

    /// How an operator may be undefined, whatever numbers its operands are; that they may be addresses is
    /// another question.
    pub fn fault(&self, e: ExprId) -> Option<Fault> {
        match self.node(e) {
            Node::Binary(Binary::DivU | Binary::DivS | Binary::RemU | Binary::RemS, _, b) => {
                self.constant(b).is_none_or(|by| by == 0).then_some(Fault::DivisionByZero)
            }
            Node::Binary(op, a, b) if op.is_shift() => {
                let width = u128::from(self.ty(a).bits(self.pointer_bits()));
                self.constant(b).is_none_or(|by| by >= width).then_some(Fault::ShiftTooFar)
            }
            Node::Convert(Convert::BitsU | Convert::BitsS, ..) => Some(Fault::FloatConversion),
            _ => None,
        }
    }

    /// Whether an operator has a value whatever its operands are, addresses too.
    pub fn is_total(&self, e: ExprId) -> bool {
        let compares_addresses = match self.node(e) {
            Node::Binary(Binary::Sub | Binary::LtU | Binary::LeU, a, _) => self.ty(a) == Type::Pointer,
            _ => false,
        };
        !compares_addresses && self.fault(e).is_none()
    }

    /// The expressions below `root` and itself, each once, operands first.
    pub fn below(&self, root: ExprId) -> Vec<ExprId> {
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.node(id).children());
            }
        }
        let mut all: Vec<ExprId> = seen.into_iter().collect();
        all.sort();
        all
    }

    /// The registers that an expression reads, each once, in order.
    pub fn locals(&self, root: ExprId) -> Vec<LocalId> {
        let nodes = self.below(root).into_iter().map(|id| self.node(id));
        let mut locals: Vec<LocalId> = nodes
            .filter_map(|node| if let Node::Local(local, _) = node { Some(local) } else { None })
            .collect();
        locals.sort();
        locals
    }

    /// A number of a type, cut to its width.
    pub fn number(&mut self, ty: Type, value: u128) -> ExprId {
        let bits = ty.bits(self.pointer_bits);
        self.add(Node::Const(ty, value & mask(bits)))
    }

    /// `!e`
    pub fn not(&mut self, e: ExprId) -> ExprId {
        self.add(Node::Unary(Unary::Not, e))
    }

    /// An operator on two operands.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.add(Node::Binary(op, a, b))
    }

    /// A conversion; none if the type is the same already.
    pub fn convert(&mut self, op: Convert, ty: Type, e: ExprId) -> ExprId {
        if self.ty(e) == ty { e } else { self.add(Node::Convert(op, ty, e)) }
    }

    /// Copies an expression of another pool, with every leaf (constant, register, address) replaced by `f`.
    pub fn import(&mut self, other: &Exprs, root: ExprId, mut f: impl FnMut(Node) -> Node) -> ExprId {
        let mut copied: HashMap<ExprId, ExprId> = HashMap::new();
        for id in other.below(root) {
            let node = match other.node(id) {
                leaf @ (Node::Const(..) | Node::Local(..) | Node::Address(_)) => f(leaf),
                node => node.map_children(|child| copied[&child]),
            };
            copied.insert(id, self.add(node));
        }
        copied[&root]
    }
}
