//! Puts and-inverter graphs into a solver (Tseitin 1968), each node once however often it is asked for.

use super::{Literal, SatSolver, Var};
use crate::aig::{Aig, Input, Lit, Node};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;

/// Remembers which nodes of one graph one solver knows.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    vars: FxHashMap<usize, Var>,
}

impl Encoder {
    /// An encoder that has put nothing into its solver yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The literal that stands for a formula, after adding to the solver what it does not know of the
    /// formula.
    pub fn literal(
        &mut self,
        aig: &Aig,
        lit: Lit,
        solver: &mut impl SatSolver,
        budget: &Budget,
    ) -> Result<Literal, Stop> {
        if let Some(known) = self.known(lit) {
            return Ok(known);
        }
        if lit.as_constant().is_some() {
            let var = solver.new_var();
            solver.add_clause(&[var.negative()]);
            self.vars.insert(lit.node(), var);
        }
        for number in aig.cone_except([lit], |number| self.vars.contains_key(&number)) {
            budget.spend(1)?;
            let var = solver.new_var();
            if let Node::And(a, b) = aig.node_at(number) {
                let operands = [a, b].map(|operand| self.known(operand).expect("operands come first"));
                add_conjunction(solver, var.positive(), operands);
            }
            self.vars.insert(number, var);
        }
        Ok(self.known(lit).expect("the formula was just encoded"))
    }

    /// The literal of a formula that was encoded before.
    pub fn known(&self, lit: Lit) -> Option<Literal> {
        self.vars.get(&lit.node()).map(|var| var.literal(!lit.is_negated()))
    }

    /// The value of an input in the solver's model; false for inputs the solver has never seen.
    pub fn value(&self, aig: &Aig, input: Input, solver: &impl SatSolver) -> bool {
        self.known(aig.input(input)).is_some_and(|literal| solver.value(literal))
    }
}

fn add_conjunction(solver: &mut impl SatSolver, result: Literal, [a, b]: [Literal; 2]) {
    solver.add_clause(&[!result, a]);
    solver.add_clause(&[!result, b]);
    solver.add_clause(&[result, !a, !b]);
}
