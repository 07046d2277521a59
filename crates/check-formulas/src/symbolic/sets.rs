//! Sets of values as formulas: where a variable may be 0, and where it may be 1. Each `*` is chosen on its
//! own, so that the values of operands combine freely and no choice needs a variable of its own.

use super::cnf::Cnf;
use crate::proof::Lit;
use base::Stop;
use check::logic::{Logic, repeated_reads};
use ir::bp::{ExprId, Node, Program, Read, Values};
use std::collections::HashMap;

/// Where a variable may be 0, and where it may be 1; everywhere one of them at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    may: [Lit; 2],
}

impl Set {
    /// The set that holds the value of `lit` alone.
    pub fn only(lit: Lit) -> Set {
        Set { may: [!lit, lit] }
    }

    /// The value, if there is but one everywhere.
    pub fn definite(self) -> Option<Lit> {
        (self.may[0] == !self.may[1]).then_some(self.may[1])
    }
}

impl From<Values> for Set {
    fn from(values: Values) -> Set {
        Set { may: [false, true].map(|value| Lit::constant(values.may_be(value))) }
    }
}

impl Logic for Cnf<'_> {
    type Set = Set;
    type Bit = Lit;

    fn always(&self) -> Lit {
        Lit::TRUE
    }

    fn possible(&self, bit: Lit) -> bool {
        bit != Lit::FALSE
    }

    fn both(&mut self, a: Lit, b: Lit) -> Lit {
        self.and(a, b)
    }

    fn either(&mut self, a: Lit, b: Lit) -> Lit {
        self.or(a, b)
    }

    fn may_be(&mut self, set: Set, value: bool) -> Lit {
        set.may[usize::from(value)]
    }

    fn values(
        &mut self,
        program: &Program,
        e: ExprId,
        read: &mut dyn FnMut(Read) -> Set,
    ) -> Result<Set, Stop> {
        let mut known: HashMap<ExprId, Set> = HashMap::new();
        let repeated = repeated_reads(program.exprs(), e);
        for id in program.exprs().below(e) {
            self.budget.spend(1)?;
            let node = program.exprs().node(id);
            let operands: Vec<Set> = node.children().map(|child| known[&child]).collect();
            let set = match node {
                // Two readings of one variable agree, whatever its value.
                Node::Read(it) if repeated.contains(&it) => some_value(self, read(it)),
                Node::Read(it) => read(it),
                node => operator(self, node, &operands),
            };
            known.insert(id, set);
        }
        Ok(known[&e])
    }

    fn valuations(&mut self, sets: Vec<Set>) -> Result<Vec<(Lit, Vec<Set>)>, Stop> {
        let mut all = Lit::TRUE;
        let mut chosen = vec![];
        for set in sets {
            self.budget.spend(1)?;
            let lit = set.definite().unwrap_or_else(|| {
                let lit = self.fresh();
                let possible = self.ite(lit, set.may[1], set.may[0]);
                all = self.and(all, possible);
                lit
            });
            chosen.push(Set::only(lit));
        }
        Ok(vec![(all, chosen)])
    }
}

/// Any one value of the set: a choice that is free where there are two.
fn some_value(cnf: &mut Cnf<'_>, set: Set) -> Set {
    if set.definite().is_some() {
        return set;
    }
    let choice = cnf.fresh();
    let one = cnf.and(choice, set.may[1]);
    Set::only(cnf.or(one, !set.may[0]))
}

/// What an operator may give.
fn operator(cnf: &mut Cnf<'_>, node: Node, operands: &[Set]) -> Set {
    let lists: Vec<[Lit; 2]> = operands.iter().map(|it| it.may).collect();
    let may = match (node, &lists[..]) {
        (Node::Const(value), _) => return Values::only(value).into(),
        (Node::Choice, _) => return Values::ANY.into(),
        (Node::Not(_), &[[a0, a1]]) => [a1, a0],
        (Node::And(..), &[[a0, a1], [b0, b1]]) => [cnf.or(a0, b0), cnf.and(a1, b1)],
        (Node::Or(..), &[[a0, a1], [b0, b1]]) => [cnf.and(a0, b0), cnf.or(a1, b1)],
        (Node::Implies(..), &[[a0, a1], [b0, b1]]) => [cnf.and(a1, b0), cnf.or(a0, b1)],
        (Node::Xor(..), &[a, b]) => [same(cnf, a, b), differ(cnf, a, b)],
        (Node::Equal(..), &[a, b]) => [differ(cnf, a, b), same(cnf, a, b)],
        (Node::Choose(..), &[[a0, a1], [b0, _]]) => {
            let open = cnf.and(a0, b0);
            [a0, cnf.or(a1, open)]
        }
        (Node::Ite(..), &[[a0, a1], b, c]) => [0, 1].map(|value| {
            let (then, other) = (cnf.and(a1, b[value]), cnf.and(a0, c[value]));
            cnf.or(then, other)
        }),
        (node, _) => unreachable!("{node:?} has other operands"),
    };
    Set { may }
}

fn same(cnf: &mut Cnf<'_>, a: [Lit; 2], b: [Lit; 2]) -> Lit {
    let (zeros, ones) = (cnf.and(a[0], b[0]), cnf.and(a[1], b[1]));
    cnf.or(zeros, ones)
}

fn differ(cnf: &mut Cnf<'_>, a: [Lit; 2], b: [Lit; 2]) -> Lit {
    same(cnf, a, [b[1], b[0]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Budget, Id};
    use ir::bp::{Exprs, SharedId, Var};

    /// Every operator on every combination of sets, against the operator on values.
    #[test]
    fn operators_are_those_of_values() {
        let mut exprs = Exprs::new();
        let [a, b, c] = [0, 1, 2].map(|index| exprs.var(Var::Shared(SharedId::from_index(index))));
        let nodes = [
            Node::Const(true),
            Node::Choice,
            Node::Not(a),
            Node::And(a, b),
            Node::Or(a, b),
            Node::Xor(a, b),
            Node::Equal(a, b),
            Node::Implies(a, b),
            Node::Choose(a, b),
            Node::Ite(a, b, c),
        ];
        let possible = [Values::FALSE, Values::TRUE, Values::ANY];
        let budget = Budget::unlimited();
        let mut cnf = Cnf::new(&budget);
        for node in nodes {
            for case in 0..27 {
                let values = [possible[case % 3], possible[case / 3 % 3], possible[case / 9]];
                let count = node.children().count();
                let sets: Vec<Set> = values[..count].iter().map(|&it| it.into()).collect();
                let expected = node.values(&values[..count], |_| Values::NONE);
                assert_eq!(operator(&mut cnf, node, &sets), expected.into(), "{node:?} {values:?}");
            }
        }
    }
}
