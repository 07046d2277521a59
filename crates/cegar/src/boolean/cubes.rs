//! The strongest that predicates can say about a formula: the cubes that imply it, and those that imply its negation (`F` of Graf and Saidi
//! 1997, as Ball et al. use it for programs, PLDI 2001). First the valuations of the predicates are listed, up to a limit: then cubes are found
//! without the solver, and are as long as they must be. Beyond the limit, the listed valuations are shrunk to prime cubes by unsatisfiable cores,
//! and short cubes are tried; valuations that were seen refute most of these before the solver is asked.

use super::Limits;
use base::{Budget, Stop};
use rustc_hash::FxHashSet;
use solve::aig::{Aig, Lit};
use solve::sat::{Answer, Batsat, Encoder, Literal, SatSolver};

/// The most predicates that cubes are over; leaving out further ones loses precision only.
pub const MOST: usize = 128;

/// A conjunction of predicates and negated predicates: those in `bits`, with these values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// Which predicates occur.
    pub bits: u128,
    /// Which of them are not negated.
    pub values: u128,
}

impl Cube {
    /// Whether a valuation is in the cube.
    fn has(self, valuation: u128) -> bool {
        valuation & self.bits == self.values
    }

    /// Whether everything in the other cube is in this one.
    fn covers(self, other: Cube) -> bool {
        other.bits & self.bits == self.bits && other.values & self.bits == self.values
    }

    fn without(self, bit: u128) -> Cube {
        Cube { bits: self.bits & !bit, values: self.values & !bit }
    }
}

/// What predicates say about which of two formulas holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Split {
    /// Cubes in which the second formula is impossible and the first is not.
    pub first: Vec<Cube>,
    /// Cubes in which the first formula is impossible and the second is not.
    pub second: Vec<Cube>,
    /// Whether one of the two lists decides every valuation that is possible.
    pub decided: bool,
    /// Whether there were too many valuations, and nothing else was to be tried.
    pub given_up: bool,
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
}

/// The solver of a statement.
#[derive(Default)]
pub struct Solver {
    solver: Batsat,
    encoder: Encoder,
    /// How often it was asked.
    pub calls: u64,
}

impl Solver {
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
        aig: &Aig,
        question: &Question,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Split, Stop> {
        let formulas = [question.first, question.second];
        let mut sides = vec![];
        for formula in formulas {
            sides.push(self.encoder.literal(aig, formula, &mut self.solver, budget)?);
        }
        let mut given = vec![];
        for &lit in question.given.iter().take(MOST) {
            given.push(self.encoder.literal(aig, lit, &mut self.solver, budget)?);
        }
        let mut work = Work {
            solver: self,
            given,
            sides: [sides[0], sides[1]],
            seen: Default::default(),
            limits,
            budget,
        };
        work.run()
    }

    fn holds(&mut self, assumptions: &[Literal], budget: &Budget) -> Result<bool, Stop> {
        self.calls += 1;
        budget.spend(1)?;
        Ok(self.solver.solve_under(assumptions, budget)? == Answer::Sat)
    }
}

/// Valuations, in the order in which they were seen.
#[derive(Default)]
struct Seen {
    list: Vec<u128>,
    set: FxHashSet<u128>,
}

impl Seen {
    fn add(&mut self, valuation: u128) {
        if self.set.insert(valuation) {
            self.list.push(valuation);
        }
    }

    fn meets(&self, cube: Cube) -> bool {
        self.list.iter().any(|&it| cube.has(it))
    }
}

struct Work<'a> {
    solver: &'a mut Solver,
    given: Vec<Literal>,
    sides: [Literal; 2],
    /// The valuations of the predicates with which each formula is possible, as far as they are known.
    seen: [Seen; 2],
    limits: &'a Limits,
    budget: &'a Budget,
}

impl Work<'_> {
    fn run(&mut self) -> Result<Split, Stop> {
        let first = self.list(0)?;
        let second = if first || self.limits.cube > 0 { self.list(1)? } else { false };
        let complete = first && second;
        if complete {
            let (first, second) = (self.cover(0)?, self.cover(1)?);
            let decided = self.seen[0].set.is_disjoint(&self.seen[1].set);
            return Ok(Split { first, second, decided, given_up: false });
        }
        let mut found = [vec![], vec![]];
        if self.limits.cube == 0 {
            return Ok(Split { given_up: true, ..Split::default() });
        }
        for (side, found) in found.iter_mut().enumerate() {
            *found = self.cores(side)?;
        }
        self.short(&mut found)?;
        let [first, second] = found;
        Ok(Split { first, second, decided: false, given_up: false })
    }

    /// Lists the valuations with which a formula is possible; whether they are all.
    fn list(&mut self, side: usize) -> Result<bool, Stop> {
        // Clauses that block what was found hold only while this literal is assumed.
        let active = self.solver.solver.new_var();
        let assumptions = [self.sides[side], active.positive()];
        let mut complete = true;
        while self.solver.holds(&assumptions, self.budget)? {
            if self.seen[side].list.len() >= self.limits.valuations {
                complete = false;
                break;
            }
            let valuation = self.valuation();
            self.seen[side].add(valuation);
            let mut clause = vec![active.negative()];
            clause.extend(
                self.given.iter().enumerate().map(|(at, &it)| it.negate_if(valuation >> at & 1 == 1)),
            );
            self.solver.solver.add_clause(&clause);
        }
        self.solver.solver.add_clause(&[active.negative()]);
        Ok(complete)
    }

    fn valuation(&self) -> u128 {
        let given = self.given.iter().enumerate();
        given.fold(0, |bits, (at, &it)| bits | u128::from(self.solver.solver.value(it)) << at)
    }

    /// Prime cubes for the valuations of one formula alone, all valuations being known.
    fn cover(&self, side: usize) -> Result<Vec<Cube>, Stop> {
        let (wanted, other) = (&self.seen[side], &self.seen[1 - side]);
        let mut valuations: Vec<u128> =
            wanted.list.iter().copied().filter(|it| !other.set.contains(it)).collect();
        valuations.sort_unstable();
        let mut found: Vec<Cube> = vec![];
        for valuation in valuations {
            if found.iter().any(|cube| cube.has(valuation)) {
                continue;
            }
            let forward = self.prime(valuation, other, 0..self.given.len())?;
            let backward = self.prime(valuation, other, (0..self.given.len()).rev())?;
            let shorter =
                if backward.bits.count_ones() < forward.bits.count_ones() { backward } else { forward };
            found.push(shorter);
        }
        Ok(found)
    }

    /// A prime cube around a valuation that has none of the others, literals being dropped in this order.
    fn prime(&self, valuation: u128, other: &Seen, order: impl Iterator<Item = usize>) -> Result<Cube, Stop> {
        let mut cube = self.minterm(valuation);
        for at in order {
            self.budget.spend(1 + other.list.len() as u64 / 64)?;
            let shorter = cube.without(1 << at);
            if !other.meets(shorter) {
                cube = shorter;
            }
        }
        Ok(cube)
    }

    fn minterm(&self, valuation: u128) -> Cube {
        let bits = if self.given.len() >= MOST { u128::MAX } else { (1 << self.given.len()) - 1 };
        Cube { bits, values: valuation & bits }
    }

    /// Prime cubes for the valuations of a formula that are known, by unsatisfiable cores.
    fn cores(&mut self, side: usize) -> Result<Vec<Cube>, Stop> {
        let mut found: Vec<Cube> = vec![];
        for valuation in self.seen[side].list.clone() {
            if self.seen[1 - side].set.contains(&valuation) || found.iter().any(|cube| cube.has(valuation)) {
                continue;
            }
            let mut cube = self.minterm(valuation);
            if self.possible_in(cube, 1 - side)? {
                continue;
            }
            cube = self.core(cube);
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
        let mut assumptions = vec![self.sides[side]];
        for (at, &literal) in self.given.iter().enumerate() {
            if cube.bits >> at & 1 == 1 {
                assumptions.push(literal.negate_if(cube.values >> at & 1 == 0));
            }
        }
        let possible = self.solver.holds(&assumptions, self.budget)?;
        if possible {
            let valuation = self.valuation();
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
