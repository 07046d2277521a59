//! Clauses and gates on an incremental solver (Tseitin 1968). Gates are simplified and never made twice, so
//! that what a step leaves as it was costs nothing the second time. Where the solver is long about a
//! question, decision diagrams show it a shorter proof (`guide`).

use super::guide::{Advice, Guide};
use crate::proof::ClauseId;
use crate::proof::Lit;
use crate::sat::{Halt, Sat};
use base::{Budget, Stop};
use check::Refused;
use std::collections::{HashMap, HashSet};

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

/// What a gate is made of.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Test, then and other, which are older.
    pub inputs: [Lit; 3],
    /// The clauses that say so.
    pub clauses: [ClauseId; 4],
    /// Whether the solver knows it: what serves proofs alone would only keep it from its work.
    shown: bool,
}

/// A solver and the gates it knows.
pub struct Cnf<'b> {
    sat: Sat,
    gates: HashMap<[Lit; 3], Lit>,
    /// By variable, for gates.
    definitions: Vec<Option<Definition>>,
    /// The clauses that are no gate's.
    constraints: Vec<Vec<Lit>>,
    /// `None` where nobody guides the solver, or has failed to too often.
    guide: Option<Box<Guide>>,
    /// What the solver may spend on a question before it is guided.
    limit: u64,
    /// How often the guide did not help.
    failures: u32,
    pub budget: &'b Budget,
}

/// What the solver may spend on a first question before it is guided.
const FIRST_LIMIT: u64 = 2000;
/// What it may spend at least.
const LEAST_LIMIT: u64 = 50;
/// After this many failures the guide is given up.
const MOST_FAILURES: u32 = 3;

impl<'b> Cnf<'b> {
    /// A solver without clauses.
    pub fn new(budget: &'b Budget) -> Self {
        let mut cnf = Cnf {
            sat: Sat::default(),
            gates: HashMap::new(),
            definitions: vec![],
            constraints: vec![],
            guide: None,
            limit: FIRST_LIMIT,
            failures: 0,
            budget,
        };
        let truth = cnf.fresh();
        debug_assert_eq!(truth, Lit::TRUE, "the first variable is the constant");
        let id = cnf.sat.given(&[truth]);
        debug_assert_eq!(id, Cnf::TRUTH, "the first clause says so");
        cnf.sat.show_given(id);
        cnf
    }

    /// The clause that says what the constant is.
    pub const TRUTH: ClauseId = ClauseId(0);

    /// A solver without clauses that is guided where questions are hard.
    pub fn guided(budget: &'b Budget) -> Self {
        Cnf { guide: Some(Box::default()), ..Cnf::new(budget) }
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.definitions.push(None);
        self.sat.fresh()
    }

    /// Adds a clause.
    pub fn clause(&mut self, lits: &[Lit]) {
        if self.guide.is_some() {
            self.constraints.push(lits.to_vec());
        }
        self.sat.clause(lits);
    }

    /// What a gate is made of; `None` if the variable is no gate's.
    pub fn definition(&self, variable: usize) -> Option<Definition> {
        self.definitions[variable]
    }

    /// Derives a clause from others by unit propagation; `None` if it does not follow so.
    pub fn derive(&mut self, clause: &[Lit], from: &[ClauseId]) -> Result<Option<ClauseId>, Refused> {
        self.budget.spend(1)?;
        Ok(self.sat.derive(clause, from)?)
    }

    /// Forgets a clause that was derived and that the solver does not know.
    pub fn forget(&mut self, clause: ClauseId) {
        self.sat.forget(clause);
    }

    /// Lets the solver know a clause that was derived.
    pub fn show(&mut self, clause: ClauseId) -> Result<(), Refused> {
        Ok(self.sat.show(clause)?)
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
        self.branch([test, then, other], true)
    }

    /// The same, for proofs alone unless `shown`.
    pub fn branch(&mut self, [test, then, other]: [Lit; 3], shown: bool) -> Lit {
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
            (_, Lit::FALSE) => self.gate([test.min(then), test.max(then), Lit::FALSE], shown),
            (Lit::FALSE, _) => self.gate([(!test).min(other), (!test).max(other), Lit::FALSE], shown),
            (Lit::TRUE, _) => !self.gate([(!test).min(!other), (!test).max(!other), Lit::FALSE], shown),
            (_, Lit::TRUE) => !self.gate([test.min(!then), test.max(!then), Lit::FALSE], shown),
            _ if then.is_negated() => !self.gate([test, !then, !other], shown),
            _ => self.gate([test, then, other], shown),
        }
    }

    /// A gate in its normal form.
    fn gate(&mut self, inputs: [Lit; 3], shown: bool) -> Lit {
        let result = match self.gates.get(&inputs) {
            Some(&known) => known,
            None => self.define(inputs),
        };
        if shown {
            self.show_gate(result.variable());
        }
        result
    }

    fn define(&mut self, inputs: [Lit; 3]) -> Lit {
        let [test, then, other] = inputs;
        let result = self.sat.passive();
        let clauses =
            [[!test, !then, result], [!test, then, !result], [test, !other, result], [test, other, !result]];
        let clauses = clauses.map(|clause| self.sat.given(&clause));
        self.definitions.push(Some(Definition { inputs, clauses, shown: false }));
        self.gates.insert(inputs, result);
        result
    }

    /// Lets the solver know a gate and those that it is made of.
    fn show_gate(&mut self, gate: usize) {
        let mut stack = vec![gate];
        while let Some(variable) = stack.pop() {
            let Some(definition) = self.definitions[variable].as_mut().filter(|it| !it.shown) else {
                continue;
            };
            definition.shown = true;
            let Definition { inputs, clauses, .. } = *definition;
            self.sat.activate(variable);
            clauses.iter().for_each(|&clause| self.sat.show_given(clause));
            stack.extend(inputs.iter().map(|it| it.variable()));
        }
    }

    /// Whether all of these can hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Refused> {
        let Some(mut guide) = self.guide.take() else { return Ok(self.sat.solve(assumptions, self.budget)?) };
        match self.sat.solve(assumptions, &self.budget.part(self.limit)) {
            Err(Halt::Stopped(Stop::Ticks)) => self.budget.spend(0)?,
            answer => {
                self.guide = Some(guide);
                return Ok(answer?);
            }
        }
        let roots = self.roots(assumptions);
        let advice = guide.advise(self, &roots)?;
        let helped = advice.is_some();
        if let Some(Advice::Model(inputs)) = advice {
            let more: Vec<Lit> = assumptions.iter().copied().chain(inputs).collect();
            if self.sat.solve(&more, self.budget)? {
                self.note(guide, helped);
                return Ok(true);
            }
        }
        self.note(guide, helped);
        Ok(self.sat.solve(assumptions, self.budget)?)
    }

    /// Takes the guide back, and asks it sooner or later the next time.
    fn note(&mut self, guide: Box<Guide>, helped: bool) {
        self.failures += u32::from(!helped);
        self.limit = if helped { (self.limit / 4).max(LEAST_LIMIT) } else { self.limit.saturating_mul(4) };
        self.guide = (self.failures < MOST_FAILURES).then_some(guide);
    }

    /// What must hold: the constraints, as far as they matter here, and the assumptions. A constraint that is
    /// left out makes no refutation wrong, and a model is one only if the solver says so.
    fn roots(&mut self, assumptions: &[Lit]) -> Vec<Lit> {
        let constraints = std::mem::take(&mut self.constraints);
        let units: HashSet<Lit> = constraints.iter().filter(|it| it.len() == 1).flatten().copied().collect();
        let mut roots = vec![];
        for clause in &constraints {
            let matters = match clause[..] {
                [unit] => self.definitions[unit.variable()].is_some(),
                _ => {
                    !clause.iter().any(|lit| units.contains(lit))
                        && clause.iter().any(|&lit| assumptions.contains(&!lit))
                }
            };
            if matters {
                roots.push(clause.iter().fold(Lit::FALSE, |any, &lit| self.or(any, lit)));
            }
        }
        self.constraints = constraints;
        roots.extend(assumptions);
        roots
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

    /// The parity of literals, as a circuit in this order.
    fn parity(cnf: &mut Cnf<'_>, lits: impl Iterator<Item = Lit>) -> Lit {
        lits.fold(Lit::FALSE, |odd, lit| cnf.ite(lit, !odd, odd))
    }

    /// Whether the parity of this many values, read in two orders, is the same.
    fn parities_agree(mut cnf: Cnf<'_>, count: usize) -> Result<bool, Refused> {
        let inputs: Vec<Lit> = (0..count).map(|_| cnf.fresh()).collect();
        let plain = parity(&mut cnf, inputs.iter().copied());
        let turned = (0..count).map(|index| inputs[index * 7 % count]);
        let turned = parity(&mut cnf, turned);
        cnf.clause(&[plain]);
        cnf.solve(&[!turned]).map(|differ| !differ)
    }

    #[test]
    fn parities_of_many_values_are_seen_to_be_the_same() {
        for count in [22, 40, 80] {
            // The diagrams of all parts of a circuit in another order are quadratic in the values.
            let budget = Budget::with_ticks(100 * (count * count) as u64);
            assert_eq!(parities_agree(Cnf::guided(&budget), count), Ok(true), "{count} values");
        }
        // Without a guide this is long, so that it is the guide that the test is about.
        let budget = Budget::with_ticks(40_000);
        assert_eq!(parities_agree(Cnf::new(&budget), 40), Err(Stop::Ticks.into()));
    }

    #[test]
    fn a_guided_solver_answers_as_it_does_alone() {
        let mut random = Random::new(11);
        let mut seen = [0, 0];
        for case in 0..400 {
            let budget = Budget::unlimited();
            let mut cnf = Cnf::guided(&budget);
            let inputs: Vec<Lit> = (0..4).map(|_| cnf.fresh()).collect();
            let mut known: Vec<(Lit, u16)> =
                inputs.iter().copied().zip([0xaaaa, 0xcccc, 0xf0f0, 0xff00]).collect();
            let mut allowed = 0xffff;
            for round in 0..10 {
                let mut pick = || {
                    let (lit, table) = *random.pick(&known);
                    if random.percent(50) { (lit, table) } else { (!lit, !table) }
                };
                let [a, b, c] = [pick(), pick(), pick()];
                known.push((cnf.ite(a.0, b.0, c.0), a.1 & b.1 | !a.1 & c.1));
                if round == 3 || round == 6 {
                    cnf.clause(&[a.0, b.0]);
                    allowed &= a.1 | b.1;
                }
                // Every question is put to the guide.
                (cnf.limit, cnf.failures) = (0, 0);
                let expected = allowed & b.1 & c.1 != 0;
                assert_eq!(cnf.solve(&[b.0, c.0]), Ok(expected), "case {case}, round {round}");
                assert!(!expected || cnf.value(b.0) && cnf.value(c.0));
                assert!(cnf.guide.is_some() && cnf.failures == 0, "case {case}, round {round}: no help");
                seen[usize::from(expected)] += 1;
            }
        }
        assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
    }
}
