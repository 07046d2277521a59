//! Clauses and gates on an incremental solver (Tseitin 1968). Gates are simplified and never made twice, so that what a step
//! leaves as it was costs nothing the second time.

pub use crate::sat::Lit;
use crate::sat::Sat;
use base::Budget;
use check::Refused;
use std::collections::HashMap;

impl Lit {
    /// True.
    pub const TRUE: Lit = Lit(0);
    /// False.
    pub const FALSE: Lit = Lit(1);

    /// The constant.
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

/// A solver and the gates it knows.
pub struct Cnf<'b> {
    sat: Sat,
    gates: HashMap<[Lit; 3], Lit>,
    pub budget: &'b Budget,
}

impl<'b> Cnf<'b> {
    /// A solver without clauses.
    pub fn new(budget: &'b Budget) -> Self {
        let mut cnf = Cnf { sat: Sat::default(), gates: HashMap::new(), budget };
        let truth = cnf.fresh();
        debug_assert_eq!(truth, Lit::TRUE, "the first variable is the constant");
        cnf.clause(&[truth]);
        cnf
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.sat.fresh()
    }

    /// Adds a clause.
    pub fn clause(&mut self, lits: &[Lit]) {
        self.sat.clause(lits);
    }

    /// `a & b`
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.ite(a, b, Lit::FALSE)
    }

    /// `a | b`
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// `then` if `test`, else `other`.
    pub fn ite(&mut self, test: Lit, then: Lit, other: Lit) -> Lit {
        let (test, then, other) = if test.is_negated() { (!test, other, then) } else { (test, then, other) };
        let known = |it: Lit, value: bool| {
            if it == test {
                Lit::constant(value)
            } else if it == !test {
                Lit::constant(!value)
            } else {
                it
            }
        };
        let (then, other) = (known(then, true), known(other, false));
        match (then, other) {
            _ if test == Lit::TRUE => then,
            _ if then == other => then,
            (Lit::TRUE, Lit::FALSE) => test,
            (Lit::FALSE, Lit::TRUE) => !test,
            (_, Lit::FALSE) => self.gate([test.min(then), test.max(then), Lit::FALSE]),
            (Lit::FALSE, _) => self.gate([(!test).min(other), (!test).max(other), Lit::FALSE]),
            (Lit::TRUE, _) => !self.gate([(!test).min(!other), (!test).max(!other), Lit::FALSE]),
            (_, Lit::TRUE) => !self.gate([test.min(!then), test.max(!then), Lit::FALSE]),
            _ if then.is_negated() => !self.gate([test, !then, !other]),
            _ => self.gate([test, then, other]),
        }
    }

    /// A gate in its normal form.
    fn gate(&mut self, inputs: [Lit; 3]) -> Lit {
        if let Some(&known) = self.gates.get(&inputs) {
            return known;
        }
        let [test, then, other] = inputs;
        let result = self.fresh();
        self.clause(&[!test, !then, result]);
        self.clause(&[!test, then, !result]);
        self.clause(&[test, !other, result]);
        self.clause(&[test, other, !result]);
        self.gates.insert(inputs, result);
        result
    }

    /// Whether all of these can hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Refused> {
        Ok(self.sat.solve(assumptions, self.budget)?)
    }

    /// The value in the model that was found last.
    pub fn value(&self, lit: Lit) -> bool {
        self.sat.value(lit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Random, Stop};

    #[test]
    fn gates_mean_what_they_say() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let budget = Budget::unlimited();
            let mut cnf = Cnf::new(&budget);
            let inputs: Vec<Lit> = (0..3).map(|_| cnf.fresh()).collect();
            let mut known = vec![(Lit::TRUE, 0xffu8)];
            known.extend([0xaa, 0xcc, 0xf0].iter().zip(&inputs).map(|(&table, &lit)| (lit, table)));
            for _ in 0..12 {
                let mut pick = || {
                    let (lit, table) = *random.pick(&known);
                    if random.percent(50) { (lit, table) } else { (!lit, !table) }
                };
                let [a, b, c] = [pick(), pick(), pick()];
                known.push(match random.below(3) {
                    0 => (cnf.and(a.0, b.0), a.1 & b.1),
                    1 => (cnf.or(a.0, b.0), a.1 | b.1),
                    _ => (cnf.ite(a.0, b.0, c.0), a.1 & b.1 | !a.1 & c.1),
                });
            }
            for row in 0..8 {
                let literal =
                    |index: usize| if row >> index & 1 == 1 { inputs[index] } else { !inputs[index] };
                let row_lits: Vec<Lit> = (0..3).map(literal).collect();
                for &(lit, table) in &known {
                    let expected = table >> row & 1 == 1;
                    let mut assumptions = row_lits.clone();
                    assumptions.push(lit);
                    assert_eq!(cnf.solve(&assumptions), Ok(expected));
                    if expected {
                        assert!(assumptions.iter().all(|&it| cnf.value(it)));
                    }
                }
            }
        }
    }

    #[test]
    fn a_hard_question_is_stopped() {
        // Eleven pigeons in ten holes.
        let budget = Budget::with_ticks(20_000);
        let mut cnf = Cnf::new(&budget);
        let sits: Vec<Vec<Lit>> = (0..11).map(|_| (0..10).map(|_| cnf.fresh()).collect()).collect();
        sits.iter().for_each(|holes| cnf.clause(holes));
        for (index, first) in sits.iter().enumerate() {
            for second in &sits[..index] {
                first.iter().zip(second).for_each(|(&a, &b)| cnf.clause(&[!a, !b]));
            }
        }
        assert_eq!(cnf.solve(&[]), Err(Stop::Ticks.into()));
    }
}
