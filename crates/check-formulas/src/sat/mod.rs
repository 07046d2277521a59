//! SAT under assumptions, by a solver that proves each refutation and a checker that reads the proofs. This
//! file is the only way to the solver: it gives each clause to both, and nobody hears of a refutation that
//! the checker has not seen.

mod analysis;
mod clauses;
mod order;
mod solver;

use crate::proof::{ClauseId, Flaw, Lit, Proof, RefutationChecker};
use base::{Budget, Stop};
use check::{Refused, Rejected};
use solver::{Answer, Solver};

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The budget ended.
    Stopped(Stop),
    /// The solver claimed a refutation that its proof does not prove.
    Unproved(Flaw),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stopped(stop)
    }
}

impl From<Flaw> for Halt {
    fn from(flaw: Flaw) -> Halt {
        Halt::Unproved(flaw)
    }
}

impl From<Halt> for Refused {
    fn from(halt: Halt) -> Refused {
        match halt {
            Halt::Stopped(stop) => stop.into(),
            Halt::Unproved(flaw) => Rejected::new(format!(
                "the solver claims that a formula has no model and does not prove it: {flaw}"
            ))
            .into(),
        }
    }
}

/// Clauses, and whether they have a model.
#[derive(Default)]
pub struct Sat {
    solver: Solver<RefutationChecker>,
    /// What is wrong with the proof; after that nothing is answered.
    flaw: Option<Flaw>,
}

impl Sat {
    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.solver.proof.variable();
        self.solver.variable()
    }

    /// Adds a clause.
    pub fn clause(&mut self, lits: &[Lit]) {
        let id = self.solver.proof.given(lits);
        if let Err(flaw) = self.solver.add(id, lits) {
            self.flaw.get_or_insert(flaw);
        }
    }

    /// Whether the clauses have a model in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Halt> {
        if let Some(flaw) = self.flaw {
            return Err(flaw.into());
        }
        if assumptions.iter().any(|&lit| assumptions.contains(&!lit)) {
            return Ok(false);
        }
        match self.solver.solve(assumptions, budget)? {
            Answer::Model => Ok(true),
            Answer::Refuted(id) => {
                self.solver.proof.refutes(id, assumptions)?;
                Ok(false)
            }
        }
    }

    /// A new variable that the solver does not decide.
    pub fn passive(&mut self) -> Lit {
        self.solver.proof.variable();
        self.solver.passive()
    }

    /// Lets the solver decide a variable.
    pub fn activate(&mut self, variable: usize) {
        self.solver.order.insert(variable);
    }

    /// Adds a clause that the solver does not know.
    pub fn given(&mut self, lits: &[Lit]) -> ClauseId {
        self.solver.proof.given(lits)
    }

    /// Derives a clause that the solver does not know from others, by unit propagation; `None` if it does not
    /// follow so.
    pub fn derive(&mut self, clause: &[Lit], from: &[ClauseId]) -> Result<Option<ClauseId>, Halt> {
        let proof = &mut self.solver.proof;
        let (mut refuted, mut hints) = (clause.to_vec(), vec![]);
        let mut open = from.to_vec();
        loop {
            let known = hints.len();
            for id in std::mem::take(&mut open) {
                let lits = proof.clause(id)?;
                let mut rest = lits.iter().copied().filter(|lit| !refuted.contains(lit));
                match (rest.next(), rest.next()) {
                    (None, _) => {
                        hints.push(id);
                        return Ok(Some(proof.derive(clause, &hints)?));
                    }
                    // One that holds already derives nothing.
                    (Some(lit), None) if refuted.contains(&!lit) => {}
                    (Some(lit), None) => {
                        hints.push(id);
                        refuted.push(!lit);
                    }
                    _ => open.push(id),
                }
            }
            if hints.len() == known {
                return Ok(None);
            }
        }
    }

    /// Lets the solver know a clause.
    pub fn show(&mut self, id: ClauseId) -> Result<(), Halt> {
        let lits = self.solver.proof.clause(id)?.to_vec();
        Ok(self.solver.add(id, &lits)?)
    }

    /// The same for a clause that was given.
    pub fn show_given(&mut self, id: ClauseId) {
        if let Err(Halt::Unproved(flaw)) = self.show(id) {
            self.flaw.get_or_insert(flaw);
        }
    }

    /// Forgets a clause that the solver does not know.
    pub fn forget(&mut self, id: ClauseId) {
        self.solver.proof.forget(id);
    }

    /// The value in the model that was found last.
    pub fn value(&self, lit: Lit) -> bool {
        self.solver.value(lit)
    }
}

#[cfg(test)]
mod tests;
