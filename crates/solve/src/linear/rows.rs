//! Rows of the tableau: a multiple of a basic variable as a sum of the others, in integers.

use super::{Term, Variable};

/// `scale · basic = Σ coefficient · variable`, and what the sum is while all its variables are at their
/// bounds.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub basic: Variable,
    /// Positive.
    pub scale: i64,
    /// Sorted, none zero.
    pub entries: Vec<Term>,
    pub rest: i128,
}

impl Row {
    /// The coefficient of a variable.
    pub fn coefficient(&self, variable: Variable) -> i64 {
        self.entries.binary_search_by_key(&variable, |it| it.0).map_or(0, |at| self.entries[at].1)
    }

    /// The first variable with a positive coefficient.
    pub fn first_growing(&self) -> Option<Variable> {
        self.entries.iter().find(|it| it.1 > 0).map(|it| it.0)
    }

    /// Works out what the sum is while all variables are at their bounds; nothing if it is too large.
    pub fn sum_up(&mut self, least: &[i64]) -> Option<()> {
        let mut rest = 0i128;
        for &(variable, coefficient) in &self.entries {
            // Two factors of 64 bits fit into 128.
            rest = rest.checked_add(i128::from(coefficient) * i128::from(least[variable as usize]))?;
        }
        self.rest = rest;
        Some(())
    }

    /// Solves the row for a variable with a positive coefficient.
    pub fn exchange(&mut self, entering: Variable) {
        let at = self.entries.binary_search_by_key(&entering, |it| it.0).expect("the row holds what enters");
        let (_, coefficient) = self.entries.remove(at);
        self.entries.iter_mut().for_each(|it| it.1 = -it.1);
        let at = self.entries.partition_point(|it| it.0 < self.basic);
        self.entries.insert(at, (self.basic, self.scale));
        (self.basic, self.scale) = (entering, coefficient);
    }

    /// Puts in what the basic variable of another row is; `added` is told of variables that were not there
    /// before. Nothing if a number is too large.
    pub fn substitute(&mut self, pivot: &Row, mut added: impl FnMut(Variable)) -> Option<()> {
        let at =
            self.entries.binary_search_by_key(&pivot.basic, |it| it.0).expect("the row holds the variable");
        let (_, coefficient) = self.entries.remove(at);
        let divisor = gcd(coefficient.unsigned_abs(), pivot.scale.unsigned_abs()) as i64;
        let (own, other) = (pivot.scale / divisor, coefficient / divisor);
        let entries = combine(&self.entries, own, &pivot.entries, other)?;
        let mut before = self.entries.iter().map(|it| it.0).peekable();
        for &(variable, _) in &entries {
            while before.next_if(|&it| it < variable).is_some() {}
            if before.next_if(|&it| it == variable).is_none() {
                added(variable);
            }
        }
        self.entries = entries;
        self.scale = self.scale.checked_mul(own)?;
        if own != 1 {
            self.reduce();
        }
        Some(())
    }

    /// Divides by what all numbers have in common. The sum at the bounds must be worked out anew.
    pub fn reduce(&mut self) {
        let mut divisor = self.scale.unsigned_abs();
        for it in &self.entries {
            if divisor == 1 {
                return;
            }
            divisor = gcd(divisor, it.1.unsigned_abs());
        }
        let divisor = divisor as i64;
        self.entries.iter_mut().for_each(|it| it.1 /= divisor);
        self.scale /= divisor;
    }
}

/// The least common multiple of two positive numbers, and what takes each of them there.
pub fn common(one: i64, other: i64) -> Option<(i64, (i64, i64))> {
    let divisor = gcd(one.unsigned_abs(), other.unsigned_abs()) as i64;
    let factors = (other / divisor, one / divisor);
    Some((one.checked_mul(factors.0)?, factors))
}

/// The sum of multiples of two sorted lists; nothing if a number is too large.
pub fn combine(one: &[Term], factor: i64, other: &[Term], other_factor: i64) -> Option<Vec<Term>> {
    // The least number has no negative, and rows are negated.
    let scaled = |coefficient: i64, factor: i64| coefficient.checked_mul(factor).filter(|&it| it != i64::MIN);
    let mut sum = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let first = match (one.peek(), other.peek()) {
            (None, None) => return Some(sum),
            (Some(it), None) | (None, Some(it)) => it.0,
            (Some(a), Some(b)) => a.0.min(b.0),
        };
        let mut total = 0i64;
        if let Some(it) = one.next_if(|it| it.0 == first) {
            total = scaled(it.1, factor)?;
        }
        if let Some(it) = other.next_if(|it| it.0 == first) {
            total = total.checked_add(scaled(it.1, other_factor)?).filter(|&it| it != i64::MIN)?;
        }
        if total != 0 {
            sum.push((first, total));
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
