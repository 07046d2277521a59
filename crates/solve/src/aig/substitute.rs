//! Substitution of formulas for inputs, all at once.

use super::{Aig, Input, Lit, Node};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;

/// A substitution together with what it has computed so far, so that formulas that share nodes share the
/// work. Inputs without an entry stay.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    map: FxHashMap<Input, Lit>,
    done: FxHashMap<usize, Lit>,
}

impl Substitution {
    /// The substitution of these formulas for these inputs.
    pub fn new(pairs: impl IntoIterator<Item = (Input, Lit)>) -> Self {
        Self { map: pairs.into_iter().collect(), done: FxHashMap::default() }
    }

    fn result(&self, lit: Lit) -> Lit {
        if lit.as_constant().is_some() {
            return lit;
        }
        self.done[&lit.node()].negate_if(lit.is_negated())
    }
}

impl Aig {
    /// The formula with its inputs replaced.
    pub fn substitute(&mut self, lit: Lit, by: &mut Substitution, budget: &Budget) -> Result<Lit, Stop> {
        for number in self.cone_except([lit], |number| by.done.contains_key(&number)) {
            budget.spend(1)?;
            let result = match self.nodes[number] {
                Node::False => Lit::FALSE,
                Node::Input(input) => by.map.get(&input).copied().unwrap_or(Lit((number as u32) << 1)),
                Node::And(a, b) => self.and(by.result(a), by.result(b)),
            };
            by.done.insert(number, result);
        }
        Ok(by.result(lit))
    }

    /// The formula with its inputs replaced, without keeping the work for later.
    pub fn compose(&mut self, lit: Lit, by: &[(Input, Lit)], budget: &Budget) -> Result<Lit, Stop> {
        self.substitute(lit, &mut Substitution::new(by.iter().copied()), budget)
    }

    /// The formula with some inputs fixed.
    pub fn cofactor(&mut self, lit: Lit, values: &[(Input, bool)], budget: &Budget) -> Result<Lit, Stop> {
        let constants = values.iter().map(|&(input, value)| (input, Lit::constant(value)));
        self.substitute(lit, &mut Substitution::new(constants), budget)
    }
}
