//! SAT solvers behind one small trait, a pure-Rust solver that implements it ([`Batsat`]), and the encoding
//! of and-inverter graphs into clauses ([`Encoder`]).

mod batsat;
mod encoder;
#[cfg(test)]
mod tests;

pub use batsat::Batsat;
pub use encoder::Encoder;

use base::{Budget, Stop};
use std::fmt;

/// A propositional variable of one solver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(u32);

impl Var {
    /// The literal that is true when the variable is.
    pub fn positive(self) -> Literal {
        Literal(self.0 << 1)
    }

    /// The literal that is true when the variable is not.
    pub fn negative(self) -> Literal {
        Literal(self.0 << 1 | 1)
    }

    /// The literal that is true when the variable has this value.
    pub fn literal(self, value: bool) -> Literal {
        Literal(self.0 << 1 | u32::from(!value))
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The variable.
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether this is the variable itself.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// This literal, or its negation if `negate`.
    pub fn negate_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", if self.is_positive() { "" } else { "!" }, self.0 >> 1)
    }
}

/// What a solver says about its clauses under assumptions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// There is a model; [`SatSolver::value`] tells it.
    Sat,
    /// There is none; [`SatSolver::failed`] tells which assumptions matter.
    Unsat,
}

/// The work a solver has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Calls to [`SatSolver::solve_under`].
    pub calls: u64,
    /// Conflicts met.
    pub conflicts: u64,
    /// Decisions made.
    pub decisions: u64,
    /// Literals propagated.
    pub propagations: u64,
}

/// An incremental SAT solver: clauses stay, assumptions hold for one call.
pub trait SatSolver {
    /// A fresh variable.
    fn new_var(&mut self) -> Var;

    /// Adds a clause for good. The empty clause makes everything unsatisfiable.
    fn add_clause(&mut self, clause: &[Literal]);

    /// Whether the clauses and the assumptions have a common model. The budget can stop it at any moment; the
    /// solver can be used again afterwards.
    fn solve_under(&mut self, assumptions: &[Literal], budget: &Budget) -> Result<Answer, Stop>;

    /// The value of a literal in the model of the last call, which must have answered [`Answer::Sat`].
    /// Variables that do not matter count as false.
    fn value(&self, literal: Literal) -> bool;

    /// Assumptions of the last call, which must have answered [`Answer::Unsat`], that together with the
    /// clauses have no model. Sorted; not necessarily a smallest set.
    fn failed(&self) -> &[Literal];

    /// The work done so far.
    fn counters(&self) -> Counters;

    /// Whether the clauses alone have a model.
    fn solve(&mut self, budget: &Budget) -> Result<Answer, Stop> {
        self.solve_under(&[], budget)
    }
}
