//! Which few predicates exclude each other (`x == 0` and `x == 1`; none of `x < y`, `x == y`, `y < x`): contradictory conjunctions of two and three,
//! found once for all statements. Random simulation refutes most of them before the solver is asked.

use super::cubes::Solver;
use super::formulas::Formulas;
use super::predicates::{Class, Predicates};
use super::statement::{Bit, Literal, Statement};
use base::{Budget, Stop};
use ir::c::relation::{Command, Outcome};
use solve::aig::Lit;

/// With more predicates than this only conjunctions of two are looked for.
const MOST_FOR_THREE: usize = 48;

/// The contradictory conjunctions, each without a contradictory part: those that were known, and those with a predicate of number `from` or above.
pub fn exclusions(
    predicates: &Predicates,
    formulas: &mut Formulas<'_>,
    known: Vec<Vec<Literal>>,
    from: usize,
    budget: &Budget,
) -> Result<Vec<Vec<Literal>>, Stop> {
    let count = predicates.list.len();
    let mut neighbours = vec![vec![false; count]; count];
    for (a, row) in neighbours.iter_mut().enumerate() {
        budget.spend(1)?;
        for (b, cell) in row.iter_mut().enumerate() {
            let [x, y] = [a, b].map(|it| &predicates.list[it]);
            let together = x.template.is_none() || y.template.is_none() || x.template == y.template;
            let common = x.shared.iter().any(|it| y.shared.contains(it))
                || x.local.iter().any(|it| y.local.contains(it));
            *cell = a != b && together && common;
        }
    }
    let mut search = Search { formulas, solver: Solver::default(), budget, found: known };
    let follows = |a: usize, row: &[bool]| (a + 1..count).filter(|&b| row[b]).collect::<Vec<usize>>();
    for (a, row) in neighbours.iter().enumerate() {
        for b in follows(a, row).into_iter().filter(|&b| b >= from) {
            search.try_all(&[a, b])?;
        }
    }
    if count <= MOST_FOR_THREE {
        for (a, row) in neighbours.iter().enumerate() {
            for b in follows(a, row) {
                for c in follows(b, row).into_iter().filter(|&c| c >= from && neighbours[b][c]) {
                    search.try_all(&[a, b, c])?;
                }
            }
        }
    }
    Ok(search.found)
}

/// Excludes what no state after a command has, where that cuts off choices.
pub fn exclude(
    exclusions: &[Vec<Literal>],
    predicates: &Predicates,
    command: &Command,
    statement: &mut Statement,
) {
    let loose: Vec<usize> =
        statement.targets.iter().filter(|it| it.value.is_loose()).map(|it| it.predicate).collect();
    let to = match command.outcome {
        Outcome::Go(to) => Some(to),
        _ => None,
    };
    let has_meaning = |predicate: usize| match (predicates.list[predicate].class, to) {
        (Class::Shared, _) => true,
        (_, Some(to)) => predicates.is_live(to, predicate),
        _ => false,
    };
    statement.excluded.clear();
    for exclusion in exclusions {
        let touched = exclusion.iter().any(|it| loose.contains(&it.bit.predicate));
        if touched && exclusion.iter().all(|it| has_meaning(it.bit.predicate)) {
            statement.excluded.push(exclusion.clone());
        }
    }
}

struct Search<'a, 'b> {
    formulas: &'a mut Formulas<'b>,
    solver: Solver,
    budget: &'a Budget,
    found: Vec<Vec<Literal>>,
}

impl Search<'_, '_> {
    /// All values of some predicates.
    fn try_all(&mut self, chosen: &[usize]) -> Result<(), Stop> {
        for values in 0..1u32 << chosen.len() {
            let literals: Vec<Literal> = chosen
                .iter()
                .enumerate()
                .map(|(at, &predicate)| Literal {
                    bit: Bit { predicate, passive: false },
                    value: values >> at & 1 == 1,
                })
                .collect();
            self.budget.spend(1)?;
            let known = |it: &Vec<Literal>| it.iter().all(|literal| literals.contains(literal));
            if !self.found.iter().any(known) && !self.possible(&literals)? {
                self.found.push(literals);
            }
        }
        Ok(())
    }

    fn possible(&mut self, literals: &[Literal]) -> Result<bool, Stop> {
        let lits: Vec<Lit> =
            literals.iter().map(|it| self.formulas.active[it.bit.predicate].negate_if(!it.value)).collect();
        let patterns: Vec<_> = lits.iter().map(|&lit| self.formulas.aig().simulation(lit)).collect();
        let words = 0..solve::aig::SIMULATION_WORDS;
        if words.into_iter().any(|word| patterns.iter().fold(u64::MAX, |all, it| all & it[word]) != 0) {
            return Ok(true);
        }
        let all = self.formulas.all(&lits);
        self.solver.possible(self.formulas.aig(), all, self.budget)
    }
}
