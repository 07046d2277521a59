//! And-inverter graphs: formulas as shared graphs of conjunctions and free negations, hash-consed and
//! simplified by local rules as they are built (Kuehlmann et al. 2002; the two-level rules of Brummayer and
//! Biere 2006).
//!
//! Symbolic execution adds a few nodes per step and may go hundreds of thousands of steps deep, so nothing
//! here recurses. A node's operands always have smaller numbers: ascending order is children first.
//!
//! Every node carries random-simulation words: two formulas whose words differ are different, for free.

mod cone;
mod rules;
mod substitute;
#[cfg(test)]
mod tests;

pub use substitute::Substitution;

use crate::random::Random;
use base::{Id, define_id};
use rules::Rewrite;
use rustc_hash::FxHashMap;
use std::fmt;

/// Words of 64 simulation patterns per node.
pub const SIMULATION_WORDS: usize = 4;

define_id!(
    /// An input variable of an [`Aig`].
    pub struct Input = "i"
);

/// A formula: a node or its negation, owned by the [`Aig`] that made it. Equal handles are equal formulas;
/// the converse does not hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The formula that is always false.
    pub const FALSE: Lit = Lit(0);
    /// The formula that is always true.
    pub const TRUE: Lit = Lit(1);

    /// The constant of a truth value.
    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// The truth value, if this is a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 <= 1).then_some(self.0 == 1)
    }

    /// Whether this is a negated node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// This formula, or its negation if `negate`.
    pub fn negate_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }

    /// The number of the node, the same for a formula and its negation; constants have number 0.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
}

/// Negation costs nothing.
impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}n{}", if self.is_negated() { "!" } else { "" }, self.node()),
        }
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant false, node 0.
    False,
    /// An input variable.
    Input(Input),
    /// A conjunction of two formulas with smaller node numbers.
    And(Lit, Lit),
}

/// Owns the nodes of all formulas made with it.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    words: Vec<[u64; SIMULATION_WORDS]>,
    conjunctions: FxHashMap<(Lit, Lit), Lit>,
    inputs: Vec<Lit>,
    random: Random,
}

impl Aig {
    /// An empty graph; the seed chooses the simulation patterns.
    pub fn new(seed: u64) -> Self {
        Self {
            nodes: vec![Node::False],
            words: vec![[0; SIMULATION_WORDS]],
            conjunctions: FxHashMap::default(),
            inputs: vec![],
            random: Random::new(seed),
        }
    }

    /// A fresh input variable.
    pub fn new_input(&mut self) -> Input {
        let input = Input::from_index(self.inputs.len());
        let words = std::array::from_fn(|_| self.random.word());
        let lit = self.push(Node::Input(input), words);
        self.inputs.push(lit);
        input
    }

    /// The formula of an input.
    pub fn input(&self, input: Input) -> Lit {
        self.inputs[input.index()]
    }

    /// The number of inputs.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// The number of nodes, constants and inputs included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The node of a formula; its sign is not part of it.
    pub fn node(&self, lit: Lit) -> Node {
        self.nodes[lit.node()]
    }

    /// The node with this number.
    pub fn node_at(&self, number: usize) -> Node {
        self.nodes[number]
    }

    /// The values of a formula under 256 random assignments. Bit b of word w belongs to the same assignment
    /// for all formulas.
    pub fn simulation(&self, lit: Lit) -> [u64; SIMULATION_WORDS] {
        let flip = if lit.is_negated() { u64::MAX } else { 0 };
        self.words[lit.node()].map(|word| word ^ flip)
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (mut a, mut b) = (a, b);
        loop {
            match self.rewrite(a, b) {
                Rewrite::Done(lit) => return lit,
                Rewrite::Again(c, d) => (a, b) = (c, d),
                Rewrite::Keep => break,
            }
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&lit) = self.conjunctions.get(&key) {
            return lit;
        }
        let (left, right) = (self.simulation(key.0), self.simulation(key.1));
        let lit = self.push(Node::And(key.0, key.1), std::array::from_fn(|at| left[at] & right[at]));
        self.conjunctions.insert(key, lit);
        lit
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Implication.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // The sign moves outside, so that a xor b and its three signed forms share their nodes.
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let both = self.and(a, b);
        let none = self.and(!a, !b);
        self.and(!both, !none).negate_if(negate)
    }

    /// Equivalence.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// If `test` then `then` else `other`.
    pub fn ite(&mut self, test: Lit, then: Lit, other: Lit) -> Lit {
        if then == other {
            return then;
        }
        if then == !other {
            return self.iff(test, then);
        }
        let taken = self.and(test, then);
        let left = self.and(!test, other);
        self.or(taken, left)
    }

    /// The conjunction of all of them; true if there are none.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::TRUE, |all, lit| self.and(all, lit))
    }

    /// The disjunction of all of them; false if there are none.
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::FALSE, |all, lit| self.or(all, lit))
    }

    fn push(&mut self, node: Node, words: [u64; SIMULATION_WORDS]) -> Lit {
        let number = u32::try_from(self.nodes.len()).ok().filter(|&number| number < 1 << 31);
        let number = number.expect("a graph holds fewer than 2^31 nodes");
        self.nodes.push(node);
        self.words.push(words);
        Lit(number << 1)
    }
}
