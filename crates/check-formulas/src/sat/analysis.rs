//! What a conflict teaches: the clause of the first unique implication point, without the literals that its
//! others imply (Sörensson and Biere, SAT 2009), and the hints that prove it: first the clauses of one
//! literal, then the reasons of what is not in the clause, in the order of the trail, and last the clause
//! that was false.

use super::clauses::ClauseRef;
use super::solver::{Reason, Solver};
use crate::proof::Lit;
use crate::proof::{ClauseId, Proof};

/// The last analysis, and marks that are used again.
#[derive(Default)]
pub struct Analysis {
    /// The clause; the literal to be assigned comes first, one of the level to go back to second.
    pub clause: Vec<Lit>,
    /// The clauses from which it follows.
    pub hints: Vec<ClauseId>,
    /// The level at which the clause implies its first literal.
    pub back: usize,
    /// Of how many levels its literals are.
    pub levels: u32,
    /// By variable.
    marks: Vec<bool>,
    marked: Vec<usize>,
    /// Literals whose reasons are needed, the latest first.
    resolved: Vec<(ClauseRef, usize)>,
    /// The clauses of one literal that are needed.
    units: Vec<ClauseId>,
}

impl Analysis {
    /// A new variable.
    pub fn add(&mut self) {
        self.marks.push(false);
    }

    /// Finds out what a conflict above level 0 teaches.
    pub fn run<P: Proof>(&mut self, solver: &mut Solver<P>, conflict: ClauseRef) {
        self.begin();
        self.implication_point(solver, conflict);
        self.minimise(solver);
        self.order_levels(solver);
        self.finish(solver, Some(conflict));
    }

    /// The clause over assumptions that makes this one, which is false, impossible.
    pub fn assumptions<P: Proof>(&mut self, solver: &Solver<P>, lit: Lit) {
        self.begin();
        self.clause.push(!lit);
        let Reason::Implied(reason) = solver.assigned[lit.variable()].reason else {
            unreachable!("no assumption contradicts another, and units were asked before")
        };
        let mut open = self.read(solver, reason, Some(!lit));
        // From the latest to the earliest; those that are decided are assumptions.
        let start = solver.assigned[lit.variable()].position;
        for &lit in solver.trail[..start].iter().rev() {
            if open == 0 {
                break;
            }
            if !self.marks[lit.variable()] {
                continue;
            }
            match solver.assigned[lit.variable()].reason {
                Reason::Decided => self.clause.push(!lit),
                Reason::Implied(reason) => {
                    self.resolved.push((reason, solver.assigned[lit.variable()].position));
                    open += self.read(solver, reason, Some(lit));
                }
                Reason::Unit(_) => continue,
            }
            open -= 1;
        }
        self.finish(solver, Some(reason));
    }

    fn begin(&mut self) {
        self.clause.clear();
        self.hints.clear();
        self.resolved.clear();
        self.units.clear();
    }

    /// Marks the literals of a clause but one; how many are new. Those that hold in every model are noted and
    /// do not count.
    fn read<P: Proof>(&mut self, solver: &Solver<P>, clause: ClauseRef, but: Option<Lit>) -> usize {
        let mut new = 0;
        for &lit in solver.clauses.lits(clause) {
            let variable = lit.variable();
            if Some(lit) == but || self.marks[variable] {
                continue;
            }
            self.mark(variable);
            match solver.assigned[variable].reason {
                Reason::Unit(id) => self.units.push(id),
                _ => new += 1,
            }
        }
        new
    }

    fn mark(&mut self, variable: usize) {
        self.marks[variable] = true;
        self.marked.push(variable);
    }

    /// Resolves the conflict with the reasons of the last level until one literal of that level is left.
    fn implication_point<P: Proof>(&mut self, solver: &mut Solver<P>, conflict: ClauseRef) {
        self.clause.push(Lit::new(0, false));
        let level = solver.level();
        let (mut reason, mut implied) = (conflict, None);
        let (mut open, mut index) = (0, solver.trail.len());
        loop {
            let known = self.marked.len();
            self.read(solver, reason, implied);
            for at in known..self.marked.len() {
                let variable = self.marked[at];
                let assigned = solver.assigned[variable];
                if matches!(assigned.reason, Reason::Unit(_)) {
                    continue;
                }
                solver.order.bump(variable);
                if assigned.level == level {
                    open += 1;
                } else {
                    self.clause.push(Lit::new(variable, solver.values[variable << 1] == Some(true)));
                }
            }
            let lit = loop {
                index -= 1;
                let lit = solver.trail[index];
                if self.marks[lit.variable()] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                self.clause[0] = !lit;
                return;
            }
            let Reason::Implied(next) = solver.assigned[lit.variable()].reason else {
                unreachable!("a literal of the level follows from the decision, which comes first")
            };
            self.resolved.push((next, index));
            (reason, implied) = (next, Some(lit));
        }
    }

    /// Leaves out literals whose reasons, and the reasons of these, end in other literals of the clause.
    fn minimise<P: Proof>(&mut self, solver: &Solver<P>) {
        let mut clause = std::mem::take(&mut self.clause);
        let mut index = 1;
        while index < clause.len() {
            if self.is_implied(solver, clause[index]) {
                clause.swap_remove(index);
            } else {
                index += 1;
            }
        }
        self.clause = clause;
    }

    /// Whether the rest of the clause implies the literal; if so, the reasons are noted and all that was
    /// visited stays marked.
    fn is_implied<P: Proof>(&mut self, solver: &Solver<P>, lit: Lit) -> bool {
        let (marked, units, resolved) = (self.marked.len(), self.units.len(), self.resolved.len());
        let mut work = vec![lit.variable()];
        while let Some(variable) = work.pop() {
            let assigned = solver.assigned[variable];
            let Reason::Implied(reason) = assigned.reason else {
                self.marked.drain(marked..).for_each(|it| self.marks[it] = false);
                self.units.truncate(units);
                self.resolved.truncate(resolved);
                return false;
            };
            self.resolved.push((reason, assigned.position));
            let known = self.marked.len();
            self.read(solver, reason, None);
            let new = self.marked[known..].iter();
            work.extend(new.filter(|&&it| !matches!(solver.assigned[it].reason, Reason::Unit(_))));
        }
        true
    }

    /// Where to go back to, and of how many levels the clause is.
    fn order_levels<P: Proof>(&mut self, solver: &Solver<P>) {
        let level = |lit: &Lit| solver.assigned[lit.variable()].level;
        let latest = (1..self.clause.len()).max_by_key(|&index| (level(&self.clause[index]), index));
        self.back = latest.map_or(0, |index| level(&self.clause[index]));
        if let Some(index) = latest {
            self.clause.swap(1, index);
        }
        let mut levels: Vec<usize> = self.clause.iter().map(level).collect();
        levels.sort_unstable();
        levels.dedup();
        self.levels = u32::try_from(levels.len()).unwrap_or(u32::MAX);
    }

    /// Brings the hints into their order and takes the marks away.
    fn finish<P: Proof>(&mut self, solver: &Solver<P>, conflict: Option<ClauseRef>) {
        self.marked.drain(..).for_each(|it| self.marks[it] = false);
        self.resolved.sort_unstable_by_key(|it| it.1);
        self.hints.append(&mut self.units);
        self.hints.extend(self.resolved.iter().map(|it| solver.clauses.id(it.0)));
        self.hints.extend(conflict.map(|it| solver.clauses.id(it)));
    }
}
