//! Linear inequalities over the rationals, decided exactly: whether variables with lower bounds and sums of
//! them with lower bounds have a solution. This is the simplex method of Dutertre and de Moura, *A Fast
//! Linear-Arithmetic Solver for DPLL(T)*, CAV 2006, for lower bounds only.
//!
//! What differs: rows hold integers, each with a common denominator, so that nothing is rounded and no
//! fraction is reduced on the way; where 64 bits are not enough the solver gives up. A conflict is read off
//! its row (Farkas' lemma). Bounds may change between two checks, and sums may be added: the next check
//! starts from where the last one ended.

mod rows;
#[cfg(test)]
mod tests;

use base::{Budget, Stop};
use rows::{Row, combine};
use std::collections::BTreeSet;

/// A variable.
pub type Variable = u32;
/// A variable with its coefficient.
pub type Term = (Variable, i64);

/// No row.
const NONE: u32 = u32::MAX;
/// This many pivots of a check follow the costs (the dual simplex method); after that Bland's rule makes sure
/// of an end.
const FREE_PIVOTS: u64 = 20_000;
/// This many entries of a row are touched for one tick.
const ENTRIES_PER_TICK: usize = 16;

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The budget ended; the solver can go on later.
    Stopped(Stop),
    /// A number was too large; the solver is of no more use.
    Overflow,
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a solution; [`Simplex::value`] tells it.
    Solution,
    /// There is none: with these positive weights the variables sum up to 0 whatever they are, but their
    /// bounds to more.
    Conflict(Vec<Term>),
}

/// The variables and what is known about them.
#[derive(Clone, Debug, Default)]
pub struct Simplex {
    rows: Vec<Row>,
    /// For each variable the rows that may hold it; some may not any more, and some stand there twice.
    columns: Vec<Vec<u32>>,
    /// The row of a basic variable, or none.
    row_of: Vec<u32>,
    least: Vec<i64>,
    /// What it costs to let a variable grow. Only which way the search goes depends on these numbers, so they
    /// may be rounded.
    costs: Vec<f64>,
    /// Basic variables that may be below their bounds.
    suspects: BTreeSet<Variable>,
    /// How many pivots there were.
    pub pivots: u64,
}

impl Simplex {
    /// A new variable that is at least this.
    pub fn variable(&mut self, least: i64) -> Variable {
        let number = self.least.len() as Variable;
        self.least.push(least);
        // Equal costs would be no guide.
        self.costs.push(1.0 + f64::from(number.wrapping_mul(0x9e37_79b1) >> 16) / f64::from(1 << 20));
        self.columns.push(vec![]);
        self.row_of.push(NONE);
        number
    }

    /// A new variable that is a sum of others, each of them named once, and at least this.
    pub fn sum(&mut self, terms: &[Term], least: i64) -> Result<Variable, Failure> {
        let basic = self.variable(least);
        let mut row = Row { basic, scale: 1, entries: vec![], rest: 0 };
        for &(variable, coefficient) in terms {
            let before = std::mem::take(&mut row.entries);
            let (one, single);
            let added = match self.row_of[variable as usize] {
                NONE => {
                    single = [(variable, 1)];
                    (1, &single[..])
                }
                at => {
                    one = &self.rows[at as usize];
                    (one.scale, &one.entries[..])
                }
            };
            let (scale, multipliers) = rows::common(row.scale, added.0).ok_or(Failure::Overflow)?;
            let factor = multipliers.1.checked_mul(coefficient).ok_or(Failure::Overflow)?;
            row.entries = combine(&before, multipliers.0, added.1, factor).ok_or(Failure::Overflow)?;
            row.scale = scale;
        }
        row.reduce();
        row.sum_up(&self.least).ok_or(Failure::Overflow)?;
        let number = self.rows.len() as u32;
        row.entries.iter().for_each(|it| self.columns[it.0 as usize].push(number));
        self.row_of[basic as usize] = number;
        self.costs[basic as usize] = 0.0;
        self.rows.push(row);
        self.suspects.insert(basic);
        Ok(basic)
    }

    /// Changes the bound of a variable.
    pub fn set_least(&mut self, variable: Variable, least: i64) -> Result<(), Failure> {
        let before = std::mem::replace(&mut self.least[variable as usize], least);
        if before == least {
            return Ok(());
        }
        if self.row_of[variable as usize] != NONE {
            self.suspects.insert(variable);
            return Ok(());
        }
        let change = i128::from(least) - i128::from(before);
        for number in self.holders(variable) {
            let row = &mut self.rows[number as usize];
            let coefficient = i128::from(row.coefficient(variable));
            let more = coefficient.checked_mul(change).ok_or(Failure::Overflow)?;
            row.rest = row.rest.checked_add(more).ok_or(Failure::Overflow)?;
            self.suspects.insert(row.basic);
        }
        Ok(())
    }

    /// Whether there is a solution.
    pub fn check(&mut self, budget: &Budget) -> Result<Outcome, Failure> {
        let bland = self.pivots.saturating_add(FREE_PIVOTS);
        while let Some(at) = self.leaving(self.pivots < bland) {
            let row = &self.rows[at as usize];
            budget.spend(1 + ((row.entries.len() + self.suspects.len()) / ENTRIES_PER_TICK) as u64)?;
            let entering = if self.pivots < bland { self.cheapest(row) } else { row.first_growing() };
            let Some(entering) = entering else {
                let weights = row.entries.iter().map(|it| (it.0, -it.1));
                return Ok(Outcome::Conflict(weights.chain([(row.basic, row.scale)]).collect()));
            };
            self.pivot(at, entering, budget)?;
        }
        Ok(Outcome::Solution)
    }

    /// The value of a variable in the solution found last, as a fraction with a positive denominator.
    pub fn value(&self, variable: Variable) -> (i128, i64) {
        match self.row_of[variable as usize] {
            NONE => (i128::from(self.least[variable as usize]), 1),
            row => (self.rows[row as usize].rest, self.rows[row as usize].scale),
        }
    }

    /// The row of a variable below its bound: the one furthest below, or the first.
    fn leaving(&mut self, furthest: bool) -> Option<u32> {
        let suspects = std::mem::take(&mut self.suspects);
        let violated = |it: &Variable| {
            let row = self.row_of[*it as usize];
            row != NONE && self.is_violated(row)
        };
        self.suspects = suspects.into_iter().filter(violated).collect();
        let mut rows = self.suspects.iter().map(|&it| self.row_of[it as usize]);
        if !furthest {
            return rows.next();
        }
        let below = |row: u32| {
            let Row { basic, scale, rest, .. } = self.rows[row as usize];
            self.least[basic as usize] as f64 - rest as f64 / scale as f64
        };
        rows.reduce(|best, row| if below(row) > below(best) { row } else { best })
    }

    /// What can grow at the least cost, so that the sum of all variables stays small: without a goal the
    /// search wanders about.
    fn cheapest(&self, row: &Row) -> Option<Variable> {
        let growing = row.entries.iter().filter(|it| it.1 > 0);
        let cost = |it: &Term| self.costs[it.0 as usize] / it.1 as f64;
        let length = |it: &Term| self.columns[it.0 as usize].len();
        let better = |one: &Term, other: &Term| {
            let order = cost(one).total_cmp(&cost(other));
            order.then(length(one).cmp(&length(other))).then(one.0.cmp(&other.0))
        };
        growing.min_by(|one, other| better(one, other)).map(|it| it.0)
    }

    /// The costs after a variable of a row became basic in place of another; the row is as it was before.
    fn update_costs(&mut self, at: u32, entering: Variable) {
        let row = &self.rows[at as usize];
        let each = self.costs[entering as usize] / row.coefficient(entering) as f64;
        for &(variable, coefficient) in &row.entries {
            let cost = &mut self.costs[variable as usize];
            *cost = (*cost - each * coefficient as f64).max(0.0);
        }
        self.costs[entering as usize] = 0.0;
        self.costs[row.basic as usize] = each * row.scale as f64;
    }

    fn is_violated(&self, row: u32) -> bool {
        let row = &self.rows[row as usize];
        row.rest < i128::from(row.scale) * i128::from(self.least[row.basic as usize])
    }

    /// The rows that hold a variable, in order.
    fn holders(&mut self, variable: Variable) -> Vec<u32> {
        let mut numbers = std::mem::take(&mut self.columns[variable as usize]);
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&number| self.rows[number as usize].coefficient(variable) != 0);
        self.columns[variable as usize].clone_from(&numbers);
        numbers
    }

    /// Makes a variable of the row basic in place of the present one, which goes to its bound.
    fn pivot(&mut self, at: u32, entering: Variable, budget: &Budget) -> Result<(), Failure> {
        let holders = self.holders(entering);
        let length = self.rows[at as usize].entries.len();
        let touched: usize = holders.iter().map(|&it| length + self.rows[it as usize].entries.len()).sum();
        // Before anything is changed: a check that is stopped here can go on later.
        budget.spend((touched / ENTRIES_PER_TICK) as u64)?;
        self.pivots += 1;
        self.update_costs(at, entering);
        let row = &mut self.rows[at as usize];
        let leaving = row.basic;
        row.exchange(entering);
        row.sum_up(&self.least).ok_or(Failure::Overflow)?;
        self.row_of[leaving as usize] = NONE;
        self.row_of[entering as usize] = at;
        self.columns[entering as usize].clear();
        self.columns[leaving as usize] = vec![at];
        self.suspects.insert(entering);
        let pivot = std::mem::take(&mut self.rows[at as usize]);
        for number in holders.into_iter().filter(|&it| it != at) {
            let row = &mut self.rows[number as usize];
            row.substitute(&pivot, |variable| self.columns[variable as usize].push(number))
                .ok_or(Failure::Overflow)?;
            row.sum_up(&self.least).ok_or(Failure::Overflow)?;
            self.suspects.insert(row.basic);
        }
        self.rows[at as usize] = pivot;
        Ok(())
    }
}
