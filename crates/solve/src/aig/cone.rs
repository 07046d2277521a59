//! The cone of a formula, everything it is made of: its size, its inputs, its value.

use super::{Aig, Input, Lit, Node};
use rustc_hash::{FxHashMap, FxHashSet};

impl Aig {
    /// The numbers of all nodes the formulas are made of, children first, the constant left out.
    pub fn cone(&self, lits: impl IntoIterator<Item = Lit>) -> Vec<usize> {
        self.cone_except(lits, |_| false)
    }

    /// The cone without the nodes for which `known` holds and without what lies only below them.
    pub(crate) fn cone_except(
        &self,
        lits: impl IntoIterator<Item = Lit>,
        known: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<usize> = lits.into_iter().map(Lit::node).collect();
        while let Some(number) = stack.pop() {
            if number == 0 || known(number) || !seen.insert(number) {
                continue;
            }
            if let Node::And(a, b) = self.nodes[number] {
                stack.extend([a.node(), b.node()]);
            }
        }
        let mut cone: Vec<usize> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// The number of conjunctions the formulas are made of, shared ones counted once.
    pub fn cone_size(&self, lits: impl IntoIterator<Item = Lit>) -> usize {
        self.cone(lits).into_iter().filter(|&number| matches!(self.nodes[number], Node::And(..))).count()
    }

    /// The inputs that occur in the formulas, in order. A formula need not depend on all of them.
    pub fn support(&self, lits: impl IntoIterator<Item = Lit>) -> Vec<Input> {
        let inputs = self.cone(lits).into_iter().filter_map(|number| match self.nodes[number] {
            Node::Input(input) => Some(input),
            _ => None,
        });
        // Inputs are numbered in the order of their nodes.
        inputs.collect()
    }

    /// The values of formulas when `value` gives those of the inputs.
    pub fn eval_all(&self, lits: &[Lit], value: impl Fn(Input) -> bool) -> Vec<bool> {
        let mut values: FxHashMap<usize, bool> = FxHashMap::default();
        values.insert(0, false);
        for number in self.cone(lits.iter().copied()) {
            let known = |lit: Lit| values[&lit.node()] != lit.is_negated();
            let result = match self.nodes[number] {
                Node::False => false,
                Node::Input(input) => value(input),
                Node::And(a, b) => known(a) && known(b),
            };
            values.insert(number, result);
        }
        lits.iter().map(|lit| values[&lit.node()] != lit.is_negated()).collect()
    }

    /// The value of one formula when `value` gives those of the inputs.
    pub fn eval(&self, lit: Lit, value: impl Fn(Input) -> bool) -> bool {
        self.eval_all(&[lit], value)[0]
    }
}
