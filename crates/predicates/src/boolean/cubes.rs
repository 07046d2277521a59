//! The strongest that predicates can say about a formula: the cubes that imply it, and those that imply its
//! negation (`F` of Graf and Saidi 1997, as Ball et al. use it for programs, PLDI 2001). First the valuations
//! of the predicates are listed, up to a limit: then cubes are found without the solver, and are as long as
//! they must be. Beyond the limit, the listed valuations are shrunk to prime cubes by unsatisfiable cores,
//! and short cubes are tried; valuations that were seen refute most of these before the solver is asked.

mod cover;
mod listing;

pub use cover::{Cube, Seen};
pub use listing::{Joint, Listed};

use super::Limits;
use super::formulas::Formulas;
use super::samples::Sample;
use base::{Budget, Stop};
use cover::cover;
use solve::aig::{Aig, Lit};
use solve::sat::{Answer, Batsat, Encoder, Literal, SatSolver};

/// The most predicates that cubes are over; leaving out further ones loses precision only.
pub const MOST: usize = 128;

/// What predicates say about which of two formulas holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Split {
    /// Cubes in which the second formula is impossible and the first is not.
    pub first: Vec<Cube>,
    /// Cubes in which the first formula is impossible and the second is not.
    pub second: Vec<Cube>,
    /// Whether one of the two lists decides every valuation that is possible.
    pub decided: bool,
}

/// Two formulas and the predicates.
#[derive(Clone, Debug)]
pub struct Question {
    /// A formula.
    pub first: Lit,
    /// Another one.
    pub second: Lit,
    /// The predicates.
    pub given: Vec<Lit>,
    /// Valuations of the predicates with which each formula is known to be possible.
    pub seen: [Seen; 2],
    /// Whether these are all: then the solver is not asked.
    pub complete: bool,
}

/// The solver of a statement.
#[derive(Default)]
pub struct Solver {
    solver: Batsat,
    encoder: Encoder,
    /// Disjunctions that hold in any case, and that the solver would be long in finding; each is added when
    /// all of its parts are encoded.
    clauses: Vec<Vec<Lit>>,
    /// How often it was asked.
    pub calls: u64,
}

impl Solver {
    /// A solver that is told disjunctions which hold in any case.
    pub fn with(clauses: Vec<Vec<Lit>>) -> Solver {
        Solver { clauses, ..Solver::default() }
    }

    /// Whether a formula has a model.
    pub fn possible(&mut self, aig: &Aig, lit: Lit, budget: &Budget) -> Result<bool, Stop> {
        if let Some(value) = lit.as_constant() {
            return Ok(value);
        }
        let literal = self.encoder.literal(aig, lit, &mut self.solver, budget)?;
        self.holds(&[literal], budget)
    }

    /// What the predicates say.
    pub fn split(
        &mut self,
        formulas: &mut Formulas<'_>,
        question: &Question,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Split, Stop> {
        let sides = self.literals(formulas.aig(), &[question.first, question.second], budget)?;
        let given = self.literals(formulas.aig(), &question.given, budget)?;
        let mut work = Work {
            solver: self,
            formulas,
            question,
            given,
            sides: [sides[0], sides[1]],
            seen: question.seen.clone(),
            complete: question.complete,
            limits,
            budget,
        };
        work.run()
    }

    fn literals(&mut self, aig: &Aig, lits: &[Lit], budget: &Budget) -> Result<Vec<Literal>, Stop> {
        let mut literals = vec![];
        for &lit in lits.iter().take(MOST) {
            literals.push(self.encoder.literal(aig, lit, &mut self.solver, budget)?);
        }
        let (encoder, solver) = (&self.encoder, &mut self.solver);
        self.clauses.retain(|clause| {
            let clause: Option<Vec<Literal>> = clause.iter().map(|&it| encoder.known(it)).collect();
            clause.iter().for_each(|it| solver.add_clause(it));
            clause.is_none()
        });
        Ok(literals)
    }

    fn valuation(&self, literals: &[Literal]) -> u128 {
        let values = literals.iter().enumerate();
        values.fold(0, |bits, (at, &it)| bits | u128::from(self.solver.value(it)) << at)
    }

    fn holds(&mut self, assumptions: &[Literal], budget: &Budget) -> Result<bool, Stop> {
        self.calls += 1;
        budget.spend(1)?;
        Ok(self.solver.solve_under(assumptions, budget)? == Answer::Sat)
    }
}

struct Work<'a, 'b> {
    solver: &'a mut Solver,
    formulas: &'a mut Formulas<'b>,
    question: &'a Question,
    given: Vec<Literal>,
    sides: [Literal; 2],
    /// The valuations of the predicates with which each formula is possible, as far as they are known.
    seen: [Seen; 2],
    complete: bool,
    limits: &'a Limits,
    budget: &'a Budget,
}

impl Work<'_, '_> {
    fn run(&mut self) -> Result<Split, Stop> {
        let first = self.list(0)?;
        // Cores are made of what was listed.
        let second = (first || self.limits.cube > 0) && self.list(1)?;
        if first && second {
            let (first, second) = (self.cover(0)?, self.cover(1)?);
            let decided = self.seen[0].is_disjoint(&self.seen[1]);
            return Ok(Split { first, second, decided });
        }
        if self.limits.cube == 0 {
            return Ok(Split::default());
        }
        let mut found = [vec![], vec![]];
        for (side, found) in found.iter_mut().enumerate() {
            *found = self.cores(side)?;
        }
        self.short(&mut found)?;
        let [first, second] = found;
        Ok(Split { first, second, decided: false })
    }

    fn cover(&self, side: usize) -> Result<Vec<Cube>, Stop> {
        cover(&self.seen[side], &self.seen[1 - side], self.given.len(), self.budget)
    }

    /// Lists the valuations with which a formula is possible; whether they are all.
    fn list(&mut self, side: usize) -> Result<bool, Stop> {
        let most = self.limits.valuations;
        if self.complete || self.seen[side].list.len() > most {
            return Ok(self.seen[side].list.len() <= most);
        }
        let facts = [self.question.first, self.question.second][side];
        let known = self.seen[side].list.iter().map(|&valuation| Sample { valuation, ones: 0 });
        let (given, known) = (self.question.given.clone(), known.collect());
        let question = Joint { facts, given, after: vec![], known };
        let listed = self.solver.joint(self.formulas, &question, most, self.budget)?;
        for row in &listed.rows {
            self.seen[side].add(row.valuation);
        }
        Ok(listed.complete)
    }

    /// Prime cubes for the valuations of a formula that are known, by unsatisfiable cores.
    fn cores(&mut self, side: usize) -> Result<Vec<Cube>, Stop> {
        let mut found: Vec<Cube> = vec![];
        let some: Vec<u128> = self.seen[side].list.iter().copied().take(self.limits.valuations).collect();
        for valuation in some {
            if self.seen[1 - side].contains(valuation) || found.iter().any(|cube| cube.has(valuation)) {
                continue;
            }
            let mut cube = Cube::minterm(valuation, self.given.len());
            if self.possible_in(cube, 1 - side)? {
                continue;
            }
            if !self.complete {
                cube = self.core(cube);
            }
            for at in 0..self.given.len() {
                let shorter = cube.without(1 << at);
                if shorter != cube
                    && !self.seen[1 - side].meets(shorter)
                    && !self.possible_in(shorter, 1 - side)?
                {
                    cube = shorter;
                }
            }
            found.push(cube);
        }
        Ok(found)
    }

    /// Whether a formula is possible in a cube; if so, the valuation that shows it is remembered.
    fn possible_in(&mut self, cube: Cube, side: usize) -> Result<bool, Stop> {
        if self.complete {
            return Ok(self.seen[side].meets(cube));
        }
        let mut assumptions = vec![self.sides[side]];
        for (at, &literal) in self.given.iter().enumerate() {
            if cube.bits >> at & 1 == 1 {
                assumptions.push(literal.negate_if(cube.values >> at & 1 == 0));
            }
        }
        let possible = self.solver.holds(&assumptions, self.budget)?;
        if possible {
            let valuation = self.solver.valuation(&self.given);
            self.seen[side].add(valuation);
        }
        Ok(possible)
    }

    /// The part of a cube that the last refutation used.
    fn core(&self, cube: Cube) -> Cube {
        let failed = self.solver.solver.failed();
        let mut core = cube;
        for (at, literal) in self.given.iter().enumerate() {
            let assumed = literal.negate_if(cube.values >> at & 1 == 0);
            if failed.binary_search(&assumed).is_err() {
                core = core.without(1 << at);
            }
        }
        core
    }

    /// Cubes up to the limit on their length that are not known yet.
    fn short(&mut self, found: &mut [Vec<Cube>; 2]) -> Result<(), Stop> {
        let mut contradictory: Vec<Cube> = vec![];
        let mut front = vec![Cube::default()];
        for _ in 0..self.limits.cube {
            let mut longer = vec![];
            for cube in front {
                let from = 128 - cube.bits.leading_zeros() as usize;
                for at in from..self.given.len() {
                    for value in [false, true] {
                        let bit = 1u128 << at;
                        let next = Cube {
                            bits: cube.bits | bit,
                            values: if value { cube.values | bit } else { cube.values },
                        };
                        if self.try_cube(next, found, &mut contradictory)? {
                            longer.push(next);
                        }
                    }
                }
            }
            front = longer;
        }
        Ok(())
    }

    /// Whether longer cubes than this one may say more.
    fn try_cube(
        &mut self,
        cube: Cube,
        found: &mut [Vec<Cube>; 2],
        contradictory: &mut Vec<Cube>,
    ) -> Result<bool, Stop> {
        self.budget.spend(1)?;
        let known = |list: &[Cube]| list.iter().any(|it| it.covers(cube));
        if known(contradictory) {
            return Ok(false);
        }
        if known(&found[0]) || known(&found[1]) {
            return Ok(false);
        }
        let mut possible = [false; 2];
        for (side, possible) in possible.iter_mut().enumerate() {
            *possible = self.seen[side].meets(cube) || self.possible_in(cube, side)?;
        }
        match possible {
            [true, true] => return Ok(true),
            [true, false] => found[0].push(cube),
            [false, true] => found[1].push(cube),
            [false, false] => contradictory.push(cube),
        }
        Ok(false)
    }
}
