//! Is one parametric state set inside another? (Cook, Kroening and Sharygina; the fixed-point test of
//! symbolic simulation.) A set is given by formulas over choice variables: one per state bit, and a guard.
//! The question is
//!
//! > for all x: if some choice makes the new guard true and the new bits equal to x, then some choice does so
//! for old.
//!
//! Two incremental SAT solvers take turns instead of a QBF solver: `A` proposes a valuation x of the new set
//! that is not blocked, `B` looks for it in the old set. If `B` fails, the answer is no; otherwise a cube
//! around x that lies wholly in the old set is blocked in `A`. When `A` runs out of valuations, the answer is
//! yes. The formula printed in the paper for this quantifier order is wrong both ways; the tests keep it,
//! with its wrong answers.
//!
//! Choice variables are bound in each set: an input may occur in both without meaning the same choice.

mod cube;
mod filters;
mod parts;
#[cfg(test)]
mod tests;

use crate::aig::{Aig, Input, Lit};
use crate::sat::{Answer, Batsat, Encoder, Literal, SatSolver, Var};
use base::{Budget, Stop};
use cube::Generaliser;
use parts::Part;

/// The valuations x for which some choice of inputs makes `guard` true and bit i of x equal to `bits[i]`, for
/// all i.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSet {
    /// One formula per state bit.
    pub bits: Vec<Lit>,
    /// What the choices must satisfy.
    pub guard: Lit,
}

/// What `A` enumerates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantify {
    /// Valuations of the state space: few bits, and cubes of them can be blocked.
    StateBits,
    /// Choices of the new set: the unoptimised formula, kept for comparison.
    Choices,
}

/// Which optimisations are on. None changes the answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Look for equal formulas and at simulation words before calling a solver.
    pub filters: bool,
    /// Compare group by group, where the bits of the old set fall into groups that share no choice.
    pub groups: bool,
    /// Block cubes instead of valuations; only with [`Quantify::StateBits`].
    pub generalise: bool,
    /// What to enumerate.
    pub quantify: Quantify,
}

impl Default for Options {
    fn default() -> Self {
        Self { filters: true, groups: true, generalise: true, quantify: Quantify::StateBits }
    }
}

/// The answer, if equal formulas or simulation words give it without a solver.
pub fn filter(aig: &Aig, new: &StateSet, old: &StateSet) -> Option<bool> {
    assert_eq!(new.bits.len(), old.bits.len(), "both sets speak of the same state bits");
    filters::decide(aig, new, old, &parts::split(aig, old))
}

/// Whether every valuation of `new` is a valuation of `old`. Both have the same number of bits.
pub fn included(
    aig: &Aig,
    new: &StateSet,
    old: &StateSet,
    options: &Options,
    budget: &Budget,
) -> Result<bool, Stop> {
    Ok(answer(aig, new, old, options, budget)?.included)
}

/// An answer, and what it cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answered {
    /// Whether every valuation of the new set is a valuation of the old one.
    pub included: bool,
    /// How often one of the two solvers was asked.
    pub calls: u64,
}

/// The same as [`included`], with the number of calls to solvers.
pub fn answer(
    aig: &Aig,
    new: &StateSet,
    old: &StateSet,
    options: &Options,
    budget: &Budget,
) -> Result<Answered, Stop> {
    assert_eq!(new.bits.len(), old.bits.len(), "both sets speak of the same state bits");
    let parts = parts::split(aig, old);
    if options.filters
        && let Some(answer) = filters::decide(aig, new, old, &parts)
    {
        return Ok(Answered { included: answer, calls: 0 });
    }
    let mut duel = Duel::new(aig, new, old, options, budget)?;
    let whole = vec![Part { bits: (0..old.bits.len()).collect(), guards: vec![old.guard], private: false }];
    let mut parts = if options.groups { parts } else { whole };
    // A private bit takes any value beside any others: nothing to compare.
    parts.retain(|part| !part.private);
    if parts.is_empty() {
        // The old set is empty or everything: one question to B tells which.
        parts.push(Part { bits: vec![], guards: vec![], private: false });
    }
    for part in &parts {
        if !duel.part_included(part)? {
            return Ok(Answered { included: false, calls: duel.calls });
        }
    }
    Ok(Answered { included: true, calls: duel.calls })
}

/// The two solvers.
struct Duel<'a> {
    aig: &'a Aig,
    new: &'a StateSet,
    old: &'a StateSet,
    options: &'a Options,
    budget: &'a Budget,
    a: Side,
    b: Side,
    calls: u64,
}

/// A solver that knows the guard of one set.
struct Side {
    solver: Batsat,
    encoder: Encoder,
}

impl Side {
    fn new(aig: &Aig, guard: Lit, budget: &Budget) -> Result<Self, Stop> {
        let mut side = Self { solver: Batsat::new(), encoder: Encoder::new() };
        let guard = side.literal(aig, guard, budget)?;
        side.solver.add_clause(&[guard]);
        Ok(side)
    }

    fn literal(&mut self, aig: &Aig, lit: Lit, budget: &Budget) -> Result<Literal, Stop> {
        self.encoder.literal(aig, lit, &mut self.solver, budget)
    }
}

impl<'a> Duel<'a> {
    fn new(
        aig: &'a Aig,
        new: &'a StateSet,
        old: &'a StateSet,
        options: &'a Options,
        budget: &'a Budget,
    ) -> Result<Self, Stop> {
        let a = Side::new(aig, new.guard, budget)?;
        // B holds the whole old guard, also where only a part is compared: a part of an empty set must not
        // look full.
        let b = Side::new(aig, old.guard, budget)?;
        Ok(Self { aig, new, old, options, budget, a, b, calls: 0 })
    }

    /// Whether the new set, seen through the bits of this part only, lies in the old one.
    fn part_included(&mut self, part: &Part) -> Result<bool, Stop> {
        let mut new_bits = vec![];
        let mut old_bits = vec![];
        for &bit in &part.bits {
            new_bits.push(self.a.literal(self.aig, self.new.bits[bit], self.budget)?);
            old_bits.push(self.b.literal(self.aig, self.old.bits[bit], self.budget)?);
        }
        let mut blocker = self.blocker(part);
        // What is blocked for this part must not be blocked for the next.
        let active = self.a.solver.new_var();
        loop {
            self.calls += 1;
            if self.a.solver.solve_under(&[active.positive()], self.budget)? == Answer::Unsat {
                return Ok(true);
            }
            let valuation: Vec<bool> = new_bits.iter().map(|&bit| self.a.solver.value(bit)).collect();
            let assumed: Vec<Literal> =
                old_bits.iter().zip(&valuation).map(|(&bit, &value)| bit.negate_if(!value)).collect();
            self.calls += 1;
            if self.b.solver.solve_under(&assumed, self.budget)? == Answer::Unsat {
                return Ok(false);
            }
            self.block(&mut blocker, active, &new_bits, &valuation)?;
        }
    }

    fn blocker(&self, part: &Part) -> Blocker<'a> {
        let part_of = |set: &StateSet| part.bits.iter().map(|&bit| set.bits[bit]).collect::<Vec<Lit>>();
        match self.options.quantify {
            Quantify::Choices => {
                let formulas = part_of(self.new).into_iter().chain([self.new.guard]);
                Blocker::Choices(self.aig.support(formulas))
            }
            Quantify::StateBits if self.options.generalise => {
                Blocker::Cubes(Generaliser::new(self.aig, &part_of(self.old), &part.guards))
            }
            Quantify::StateBits => Blocker::Valuations,
        }
    }

    /// Takes the valuation, and what `blocker` finds around it, out of the new set.
    fn block(
        &mut self,
        blocker: &mut Blocker<'_>,
        active: Var,
        bits: &[Literal],
        valuation: &[bool],
    ) -> Result<(), Stop> {
        let differs = |at: usize| bits[at].negate_if(valuation[at]);
        let mut clause = vec![active.negative()];
        match blocker {
            Blocker::Valuations => clause.extend((0..bits.len()).map(differs)),
            Blocker::Cubes(generaliser) => {
                let b = &self.b;
                let choice = |input| b.encoder.value(self.aig, input, &b.solver);
                clause.extend(generaliser.fixed_bits(choice, self.budget)?.into_iter().map(differs));
            }
            Blocker::Choices(inputs) => {
                for &input in inputs.iter() {
                    let literal = self.a.literal(self.aig, self.aig.input(input), self.budget)?;
                    clause.push(literal.negate_if(self.a.solver.value(literal)));
                }
            }
        }
        self.a.solver.add_clause(&clause);
        Ok(())
    }
}

/// How to take a valuation out of the new set.
enum Blocker<'a> {
    /// The valuation alone.
    Valuations,
    /// A cube around it.
    Cubes(Generaliser<'a>),
    /// Only the choice that led to it, given by these inputs.
    Choices(Vec<Input>),
}
