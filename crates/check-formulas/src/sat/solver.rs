//! A solver that learns clauses from conflicts (Marques-Silva and Sakallah, 1999), in the manner of MiniSat
//! (Eén and Sörensson, SAT 2003): two watched literals, activities, saved phases, Luby restarts, assumptions
//! as first decisions. What differs is that each clause it learns, also each of one literal, comes with the
//! clauses that imply it.

use super::clauses::{ClauseRef, Clauses, Watch};
use super::order::Order;
use super::{Halt, analysis::Analysis};
use crate::proof::Lit;
use crate::proof::{ClauseId, Flaw, Proof};
use base::Budget;

/// What a solver found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Model,
    /// There is none: this clause follows, and the assumptions make it false.
    Refuted(ClauseId),
}

/// How a variable got its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It was decided or assumed.
    Decided,
    /// All other literals of the clause are false.
    Implied(ClauseRef),
    /// It has this value in every model: this clause is the literal alone.
    Unit(ClauseId),
}

/// A variable's value and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Assigned {
    /// The number of decisions before.
    pub level: usize,
    /// Why.
    pub reason: Reason,
    /// Where it is on the trail.
    pub position: usize,
}

/// The conflicts of the shortest restart.
const RESTART: u64 = 100;
/// This many learnt clauses are kept at first.
const FIRST_CAPACITY: usize = 2000;
/// Decisions and conflicts between two looks at the budget.
const SLICE: u64 = 64;

/// Clauses, and what is known of their models.
#[derive(Default)]
pub struct Solver<P> {
    /// The proof of what is learnt.
    pub proof: P,
    pub(super) clauses: Clauses,
    /// By literal: whether it is true, false or open.
    pub(super) values: Vec<Option<bool>>,
    /// By variable; means nothing where it has no value.
    pub(super) assigned: Vec<Assigned>,
    /// The literals that are true, in the order in which they became so.
    pub(super) trail: Vec<Lit>,
    /// Where each level begins.
    levels: Vec<usize>,
    /// How much of the trail is propagated.
    head: usize,
    pub(super) order: Order,
    phases: Vec<bool>,
    model: Vec<bool>,
    /// The empty clause, once it is derived.
    empty: Option<ClauseId>,
    analysis: Analysis,
    /// This many learnt clauses may be kept.
    capacity: usize,
}

impl<P: Proof> Solver<P> {
    /// A new variable.
    pub fn variable(&mut self) -> Lit {
        let lit = self.passive();
        self.order.insert(lit.variable());
        lit
    }

    /// A new variable that is not decided, until the order has it.
    pub fn passive(&mut self) -> Lit {
        let lit = Lit::new(self.assigned.len(), false);
        self.values.extend([None, None]);
        self.assigned.push(Assigned { level: 0, reason: Reason::Decided, position: 0 });
        self.clauses.watches.extend([vec![], vec![]]);
        self.order.add();
        self.phases.push(false);
        self.analysis.add();
        lit
    }

    /// Takes a clause that has this number in the proof.
    pub fn add(&mut self, id: ClauseId, lits: &[Lit]) -> Result<(), Flaw> {
        debug_assert!(self.levels.is_empty(), "between questions nothing is decided");
        let mut lits = lits.to_vec();
        lits.sort_unstable();
        lits.dedup();
        let satisfied = lits.iter().any(|&lit| self.values[lit.code()] == Some(true));
        let says_nothing = lits.windows(2).any(|pair| pair[0] == !pair[1]);
        if self.empty.is_some() || satisfied || says_nothing {
            return Ok(());
        }
        // Open literals first: they are watched.
        lits.sort_by_key(|lit| self.values[lit.code()].is_some());
        let open = lits.iter().take_while(|lit| self.values[lit.code()].is_none()).count();
        match open {
            0 => self.contradiction(&lits, id),
            1 => {
                let unit = self.unit(lits[0], &lits, id)?;
                self.assign(lits[0], Reason::Unit(unit));
                self.settle()
            }
            _ => {
                self.clauses.add(id, &lits, 0);
                Ok(())
            }
        }
    }

    /// Whether there is a model in which all assumptions hold; no two of them contradict each other.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<Answer, Halt> {
        self.reduce();
        let mut ticks = 1;
        let answer = self.search(assumptions, &mut ticks, budget);
        let answer = answer.and_then(|it| Ok(budget.spend(ticks).map(|()| it)?));
        if answer == Ok(Answer::Model) {
            self.model.clear();
            self.model.extend((0..self.assigned.len()).map(|it| self.values[it << 1] == Some(true)));
        }
        self.backtrack(0);
        answer
    }

    /// The value in the last model. A variable that is newer than it is false.
    pub fn value(&self, lit: Lit) -> bool {
        self.model.get(lit.variable()).is_some_and(|&value| value) != lit.is_negated()
    }

    /// How many levels there are.
    pub(super) fn level(&self) -> usize {
        self.levels.len()
    }

    /// Looks for a model; `ticks` are those that the budget has not seen yet.
    fn search(&mut self, assumptions: &[Lit], ticks: &mut u64, budget: &Budget) -> Result<Answer, Halt> {
        let (mut restarts, mut conflicts, mut limit) = (0, 0, RESTART);
        loop {
            if *ticks >= SLICE {
                budget.spend(std::mem::take(ticks))?;
            }
            *ticks += 1;
            if let Some(empty) = self.empty {
                return Ok(Answer::Refuted(empty));
            }
            if let Some(conflict) = self.propagate() {
                conflicts += 1;
                self.learn(conflict)?;
                continue;
            }
            if conflicts >= limit {
                restarts += 1;
                (conflicts, limit) = (0, RESTART * luby(restarts));
                self.backtrack(0);
                self.reduce();
            }
            match self.next(assumptions) {
                Next::Decide(lit) => self.decide(lit),
                Next::Model => return Ok(Answer::Model),
                Next::Fails(lit) => return Ok(Answer::Refuted(self.refute(lit)?)),
            }
        }
    }

    /// What to decide next.
    fn next(&mut self, assumptions: &[Lit]) -> Next {
        while let Some(&lit) = assumptions.get(self.levels.len()) {
            match self.values[lit.code()] {
                // It has a level all the same, so that levels count assumptions.
                Some(true) => self.levels.push(self.trail.len()),
                Some(false) => return Next::Fails(lit),
                None => return Next::Decide(lit),
            }
        }
        while let Some(variable) = self.order.pop() {
            if self.values[variable << 1].is_none() {
                return Next::Decide(Lit::new(variable, !self.phases[variable]));
            }
        }
        Next::Model
    }

    fn decide(&mut self, lit: Lit) {
        self.levels.push(self.trail.len());
        self.assign(lit, Reason::Decided);
    }

    fn assign(&mut self, lit: Lit, reason: Reason) {
        self.values[lit.code()] = Some(true);
        self.values[(!lit).code()] = Some(false);
        let (level, position) = (self.levels.len(), self.trail.len());
        self.assigned[lit.variable()] = Assigned { level, reason, position };
        self.trail.push(lit);
    }

    /// Takes back all decisions above a level.
    fn backtrack(&mut self, level: usize) {
        let Some(&start) = self.levels.get(level) else { return };
        for lit in self.trail.drain(start..).rev() {
            self.values[lit.code()] = None;
            self.values[(!lit).code()] = None;
            self.phases[lit.variable()] = !lit.is_negated();
            self.order.insert(lit.variable());
        }
        self.levels.truncate(level);
        self.head = start;
    }

    /// Assigns all that the trail implies; a clause that is false, if there is one.
    fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            let lit = !lit;
            let mut watches = std::mem::take(&mut self.clauses.watches[lit.code()]);
            let conflict = self.visit(lit, &mut watches);
            self.clauses.watches[lit.code()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Looks at the clauses that watch a literal that became false. Those that watch another afterwards leave
    /// the list.
    fn visit(&mut self, lit: Lit, watches: &mut Vec<Watch>) -> Option<ClauseRef> {
        let (mut from, mut to) = (0, 0);
        let mut conflict = None;
        while from < watches.len() {
            let mut watch = watches[from];
            from += 1;
            let value = self.values[watch.blocker.code()];
            let mut first = watch.blocker;
            if value != Some(true) && !watch.binary {
                if self.moves(lit, watch.clause, &mut first) {
                    continue;
                }
                watch.blocker = first;
            }
            watches[to] = watch;
            to += 1;
            match self.values[first.code()] {
                Some(true) => {}
                None => self.assign(first, Reason::Implied(watch.clause)),
                Some(false) => {
                    conflict = Some(watch.clause);
                    watches.copy_within(from.., to);
                    to += watches.len() - from;
                    break;
                }
            }
        }
        watches.truncate(to);
        conflict
    }

    /// Whether the clause found another literal to watch in place of this one. `first` becomes the other that
    /// it watches.
    fn moves(&mut self, lit: Lit, clause: ClauseRef, first: &mut Lit) -> bool {
        let lits = self.clauses.lits_mut(clause);
        if lits[0] == lit {
            lits.swap(0, 1);
        }
        *first = lits[0];
        if self.values[first.code()] == Some(true) {
            return false;
        }
        let open = lits[2..].iter().position(|it| self.values[it.code()] != Some(false));
        let Some(index) = open else { return false };
        lits.swap(1, index + 2);
        let watched = lits[1];
        let watch = Watch { clause, blocker: *first, binary: false };
        self.clauses.watches[watched.code()].push(watch);
        true
    }

    /// Learns from a conflict, or finds that there is no model at all.
    fn learn(&mut self, conflict: ClauseRef) -> Result<(), Flaw> {
        if self.levels.is_empty() {
            let lits = self.clauses.lits(conflict).to_vec();
            return self.contradiction(&lits, self.clauses.id(conflict));
        }
        let mut analysis = std::mem::take(&mut self.analysis);
        analysis.run(self, conflict);
        let learnt = self.proof.derive(&analysis.clause, &analysis.hints);
        let (lits, back, levels) = (&analysis.clause, analysis.back, analysis.levels);
        let done = learnt.and_then(|id| {
            self.backtrack(back);
            if lits.len() == 1 {
                self.assign(lits[0], Reason::Unit(id));
                return self.settle();
            }
            let clause = self.clauses.add(id, lits, levels);
            self.assign(lits[0], Reason::Implied(clause));
            Ok(())
        });
        self.analysis = analysis;
        self.order.decay();
        done
    }

    /// The clause that says that the assumptions before this one imply its negation.
    fn refute(&mut self, lit: Lit) -> Result<ClauseId, Flaw> {
        if let Reason::Unit(id) = self.assigned[lit.variable()].reason {
            return Ok(id);
        }
        let mut analysis = std::mem::take(&mut self.analysis);
        analysis.assumptions(self, lit);
        let derived = self.proof.derive(&analysis.clause, &analysis.hints);
        self.analysis = analysis;
        derived
    }

    /// Propagates without decisions: each literal that comes out is a clause of its own.
    fn settle(&mut self) -> Result<(), Flaw> {
        let mut done = self.trail.len() - 1;
        let conflict = self.propagate();
        while let Some(&lit) = self.trail.get(done) {
            done += 1;
            if let Reason::Implied(clause) = self.assigned[lit.variable()].reason {
                let lits = self.clauses.lits(clause).to_vec();
                let unit = self.unit(lit, &lits, self.clauses.id(clause))?;
                self.assigned[lit.variable()].reason = Reason::Unit(unit);
            }
        }
        match conflict {
            Some(clause) => {
                let lits = self.clauses.lits(clause).to_vec();
                self.contradiction(&lits, self.clauses.id(clause))
            }
            None => Ok(()),
        }
    }

    /// The clause of one literal that remains of a clause whose others are false in every model.
    fn unit(&mut self, lit: Lit, lits: &[Lit], id: ClauseId) -> Result<ClauseId, Flaw> {
        if lits.len() == 1 {
            return Ok(id);
        }
        let mut hints = self.units(lits.iter().filter(|&&it| it != lit));
        hints.push(id);
        self.proof.derive(&[lit], &hints)
    }

    /// The empty clause, from one that is false in every model.
    fn contradiction(&mut self, lits: &[Lit], id: ClauseId) -> Result<(), Flaw> {
        let mut hints = self.units(lits.iter());
        hints.push(id);
        self.empty = Some(self.proof.derive(&[], &hints)?);
        Ok(())
    }

    /// The clauses that say that these literals are false.
    fn units<'a>(&self, lits: impl Iterator<Item = &'a Lit>) -> Vec<ClauseId> {
        let unit = |lit: &Lit| match self.assigned[lit.variable()].reason {
            Reason::Unit(id) => Some(id),
            _ => None,
        };
        lits.filter_map(unit).collect()
    }

    /// Forgets learnt clauses when there are many. Nothing is decided, and what holds without decisions has
    /// clauses of its own.
    fn reduce(&mut self) {
        self.capacity = self.capacity.max(FIRST_CAPACITY);
        if self.clauses.learnt.len() <= self.capacity {
            return;
        }
        for id in self.clauses.reduce() {
            self.proof.forget(id);
        }
        self.capacity += self.capacity / 10;
    }
}

/// What a search does next.
enum Next {
    Decide(Lit),
    Model,
    /// This assumption is false.
    Fails(Lit),
}

/// 1, 1, 2, 1, 1, 2, 4, … (Luby, Sinclair and Zuckerman, 1993), from index 0.
fn luby(mut index: u64) -> u64 {
    let (mut size, mut power) = (1, 0);
    while size < index + 1 {
        size = 2 * size + 1;
        power += 1;
    }
    while size - 1 != index {
        size = (size - 1) / 2;
        power -= 1;
        index %= size;
    }
    1 << power
}
