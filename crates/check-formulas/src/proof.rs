//! Proofs that clauses have no model, and their checker. A proof is a list of steps in the manner of LRAT
//! (Cruz-Filipe et al., *Efficient Certified RAT Verification*, CADE 2017), without its RAT steps: each step
//! gives a clause and names the clauses from which unit propagation derives it. Steps are checked as they
//! come, so that a proof is never stored.
//!
//! What must be believed of a refutation is this file, and that the clauses given are those of the formula.

use std::fmt;
use std::ops::Not;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// A literal of the variable with this number.
    pub fn new(variable: usize, negated: bool) -> Lit {
        let variable = u32::try_from(variable).expect("memory ends before the variables do");
        Lit(variable << 1 | u32::from(negated))
    }

    /// The number of its variable.
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its own number: the literals of variable 0 are 0 and 1, those of variable 1 are 2 and 3, …
    pub fn code(self) -> usize {
        self.0 as usize
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// The number of a clause, given or derived, in the order in which they come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseId(pub u32);

/// Why a step is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A hint names a clause that is not there, or is no longer.
    Missing(ClauseId),
    /// A hint names a clause that is neither unit nor false when its turn comes.
    NotUnit(ClauseId),
    /// After the last hint no clause is false.
    NoConflict,
    /// The clause says more than that the assumptions cannot all hold.
    Beside(ClauseId),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Missing(id) => write!(f, "there is no clause {}", id.0),
            Flaw::NotUnit(id) => write!(f, "clause {} implies no literal", id.0),
            Flaw::NoConflict => f.write_str("the hints end without a conflict"),
            Flaw::Beside(id) => write!(f, "clause {} is not about the assumptions", id.0),
        }
    }
}

/// Where a solver writes its proof.
pub trait Proof {
    /// A clause that unit propagation through the hints, in their order, derives; its number.
    fn derive(&mut self, clause: &[Lit], hints: &[ClauseId]) -> Result<ClauseId, Flaw>;

    /// A clause that is not needed any more.
    fn forget(&mut self, id: ClauseId);
}

/// Clauses that follow from the clauses given.
#[derive(Default)]
pub struct RefutationChecker {
    /// By number; what is forgotten is `None`.
    clauses: Vec<Option<Box<[Lit]>>>,
    /// By literal, whether it is false at this point of a step; all are unknown between steps.
    is_false: Vec<bool>,
    /// The literals that are false.
    assigned: Vec<Lit>,
}

impl RefutationChecker {
    /// Takes a clause of the formula; its number.
    pub fn given(&mut self, clause: &[Lit]) -> ClauseId {
        let id = u32::try_from(self.clauses.len()).expect("memory ends before the numbers do");
        self.clauses.push(Some(clause.into()));
        ClauseId(id)
    }

    /// That the clauses given have no model in which all assumptions hold, because this clause follows from
    /// them.
    pub fn refutes(&self, id: ClauseId, assumptions: &[Lit]) -> Result<(), Flaw> {
        let clause = self.clause(id)?;
        let assumed = |&lit: &Lit| assumptions.contains(&!lit);
        if clause.iter().all(assumed) { Ok(()) } else { Err(Flaw::Beside(id)) }
    }

    /// A clause that was given or derived, and is not forgotten.
    pub fn clause(&self, id: ClauseId) -> Result<&[Lit], Flaw> {
        let clause = self.clauses.get(id.0 as usize).and_then(Option::as_deref);
        clause.ok_or(Flaw::Missing(id))
    }

    /// Whether the clause is false or implies a literal, and which.
    fn unit(&self, id: ClauseId) -> Result<Option<Lit>, Flaw> {
        let mut open = self.clause(id)?.iter().filter(|lit| !self.is_false[lit.code()]);
        match open.next() {
            None => Ok(None),
            Some(lit) if open.all(|other| other == lit) => Ok(Some(*lit)),
            Some(_) => Err(Flaw::NotUnit(id)),
        }
    }

    /// Makes a literal false for the rest of the step.
    fn falsify(&mut self, lit: Lit) {
        self.is_false[lit.code()] = true;
        self.assigned.push(lit);
    }

    /// Whether the hints lead from the negation of the clause to a conflict. A clause with a literal and its
    /// negation says nothing, so that it does no harm that both are false then.
    fn follows(&mut self, clause: &[Lit], hints: &[ClauseId]) -> Result<(), Flaw> {
        clause.iter().for_each(|&lit| self.falsify(lit));
        for &hint in hints {
            match self.unit(hint)? {
                Some(lit) => self.falsify(!lit),
                None => return Ok(()),
            }
        }
        Err(Flaw::NoConflict)
    }

    /// Makes room for the literals of a variable that is new.
    pub fn variable(&mut self) {
        self.is_false.extend([false; 2]);
    }
}

impl Proof for RefutationChecker {
    fn derive(&mut self, clause: &[Lit], hints: &[ClauseId]) -> Result<ClauseId, Flaw> {
        let follows = self.follows(clause, hints);
        for lit in self.assigned.drain(..) {
            self.is_false[lit.code()] = false;
        }
        follows?;
        Ok(self.given(clause))
    }

    fn forget(&mut self, id: ClauseId) {
        if let Some(clause) = self.clauses.get_mut(id.0 as usize) {
            *clause = None;
        }
    }
}
