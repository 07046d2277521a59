//! The adapter on batsat, a MiniSat in Rust. It asks a callback before each decision whether to stop: there
//! we look at the budget's handle, so an interrupt takes effect within microseconds, and every so many
//! decisions the call returns to us to charge them.

use super::{Answer, Counters, Literal, SatSolver, Var};
use ::batsat::{Callbacks, Lit as BatLit, Solver, SolverInterface, Var as BatVar, lbool};
use base::budget::StopHandle;
use base::{Budget, Stop};
use std::cell::Cell;

/// The MiniSat-like solver batsat.
pub struct Batsat {
    solver: Solver<Watch>,
    failed: Vec<Literal>,
    calls: u64,
    /// Kept to reuse its memory.
    clause: Vec<BatLit>,
}

/// The callback: counts decisions, and stops the solver at the end of its slice or when the handle is raised.
#[derive(Default)]
struct Watch {
    handle: StopHandle,
    left: Cell<u64>,
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() == 0 || self.handle.reason().is_some()
    }
}

/// Decisions of the first slice. Each slice is twice as long as the one before, for a new slice begins the
/// solver's sequence of restarts anew.
const FIRST_SLICE: u64 = 1 << 14;
const LONGEST_SLICE: u64 = 1 << 20;

impl Default for Batsat {
    fn default() -> Self {
        Self::new()
    }
}

impl Batsat {
    /// A solver without clauses.
    pub fn new() -> Self {
        let solver = Solver::new(Default::default(), Watch::default());
        Self { solver, failed: vec![], calls: 0, clause: vec![] }
    }

    /// Runs one slice and charges the work done in it.
    fn slice(&mut self, assumptions: &[BatLit], length: u64, budget: &Budget) -> Result<lbool, Stop> {
        self.solver.cb_mut().left.set(length);
        let before = self.solver.num_conflicts();
        let answer = self.solver.solve_limited(assumptions);
        let decisions = length - self.solver.cb().left.get();
        budget.spend(decisions + (self.solver.num_conflicts() - before))?;
        Ok(answer)
    }
}

impl SatSolver for Batsat {
    fn new_var(&mut self) -> Var {
        Var(self.solver.new_var_default().idx())
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&literal| inner(literal)));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn solve_under(&mut self, assumptions: &[Literal], budget: &Budget) -> Result<Answer, Stop> {
        self.calls += 1;
        self.failed.clear();
        self.solver.cb_mut().handle = budget.handle().clone();
        let assumptions: Vec<BatLit> = assumptions.iter().map(|&literal| inner(literal)).collect();
        let mut length = FIRST_SLICE;
        loop {
            let answer = self.slice(&assumptions, length, budget)?;
            if answer == lbool::TRUE {
                return Ok(Answer::Sat);
            }
            if answer == lbool::FALSE {
                // What batsat calls the core is the learnt clause: the failed assumptions negated.
                let core =
                    assumptions.iter().filter(|&&literal| self.solver.unsat_core_contains_lit(!literal));
                self.failed = core.map(|&literal| outer(literal)).collect();
                self.failed.sort_unstable();
                self.failed.dedup();
                return Ok(Answer::Unsat);
            }
            length = (length * 2).min(LONGEST_SLICE);
        }
    }

    fn value(&self, literal: Literal) -> bool {
        // By variable, so that one the model leaves open is false and its negation true.
        let variable = BatVar::unsafe_from_idx(literal.var().0);
        (self.solver.value_var(variable) == lbool::TRUE) == literal.is_positive()
    }

    fn failed(&self) -> &[Literal] {
        &self.failed
    }

    fn counters(&self) -> Counters {
        Counters {
            calls: self.calls,
            conflicts: self.solver.num_conflicts(),
            decisions: self.solver.num_decisions(),
            propagations: self.solver.num_propagations(),
        }
    }
}

fn inner(literal: Literal) -> BatLit {
    BatLit::new(BatVar::unsafe_from_idx(literal.var().0), literal.is_positive())
}

fn outer(literal: BatLit) -> Literal {
    Var(literal.var().idx()).literal(literal.sign())
}
