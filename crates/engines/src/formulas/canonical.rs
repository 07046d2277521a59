//! Canonical forms (proposed by Cook, Kroening and Sharygina, section 6): the valuations of a state set as a
//! decision diagram over its state bits. With it the subsumption test is a comparison of two diagrams, and
//! the union of all older states can be compared with at once. A state with many choice variables can be
//! rewritten from it: each bit that is compared *becomes* a choice variable, the diagram the guard.
//!
//! Diagrams may explode where formulas do not: there are limits, and a set beyond them has no canonical form.

use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Input, Lit, Node};
use solve::bdd::{Bdd, GraphRef, Level, Limits, Manager};
use solve::inclusion::StateSet;
use std::collections::BTreeMap;

const MOST_NODES: usize = 400_000;
const MOST_TICKS: u64 = 200_000;
/// State bits are the first levels, choices follow. Operations recurse once per level.
const MOST_BITS: usize = 256;
const MOST_CHOICES: usize = 768;
/// After this many failures in a row no more diagrams are tried.
const MOST_FAILURES: u32 = 4;

/// A set that may be rewritten, its canonical form, and the union of older ones.
pub struct Candidate<'s> {
    /// The set.
    pub set: &'s StateSet,
    /// Its canonical form.
    pub valuations: Bdd,
    /// What older sets have.
    pub union: Bdd,
}

/// Makes and compares canonical forms.
pub struct CanonicalForms {
    manager: Manager,
    /// The choice variables that stand for state bits in rewritten states.
    pool: Vec<Input>,
    failures: u32,
}

impl Default for CanonicalForms {
    fn default() -> Self {
        Self::new()
    }
}

impl CanonicalForms {
    /// Nothing made yet.
    pub fn new() -> Self {
        let manager = Manager::new(Limits { nodes: MOST_NODES, ..Limits::default() });
        Self { manager, pool: vec![], failures: 0 }
    }

    /// The canonical form of a set, if it is small enough. It is valid until the next one is made, unless it
    /// is kept.
    pub fn of(&mut self, aig: &Aig, set: &StateSet, budget: &Budget) -> Result<Option<Bdd>, Stop> {
        if self.failures >= MOST_FAILURES || set.bits.len() > MOST_BITS {
            return Ok(None);
        }
        let choices = by_last_use(aig, set);
        if choices.len() > MOST_CHOICES {
            return Ok(None);
        }
        if self.manager.wants_collection() {
            self.manager.collect([]);
        }
        let part = budget.part(MOST_TICKS);
        let valuations = self.project(aig, set, &choices, &part);
        budget.spend(part.spent())?;
        // The limits of the part are no reason to stop.
        self.failures = if valuations.is_ok() { 0 } else { self.failures + 1 };
        Ok(valuations.ok())
    }

    /// Adds valuations to a union that is kept; says no if it becomes too large, and then the union is as
    /// before.
    pub fn unite(&mut self, union: &mut Bdd, valuations: Bdd, budget: &Budget) -> Result<bool, Stop> {
        let part = budget.part(MOST_TICKS);
        let all = self.manager.or(*union, valuations, &part);
        budget.spend(part.spent())?;
        let Ok(all) = all else { return Ok(false) };
        self.manager.protect(all);
        self.manager.release(*union);
        *union = all;
        Ok(true)
    }

    /// The decision diagrams; the level of a state bit is its position.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The valuations with some bits forgotten. It is valid until the next canonical form is made.
    pub fn without(&mut self, valuations: Bdd, bits: &[Level], budget: &Budget) -> Result<Bdd, Stop> {
        let bits = self.manager.var_set(bits)?;
        self.manager.exists(valuations, bits, budget)
    }

    /// The empty union, kept.
    pub fn nothing(&mut self) -> Bdd {
        self.manager.protect(Bdd::FALSE)
    }

    /// Whether all valuations are in the union; no if that is too hard to tell.
    pub fn within(&mut self, valuations: Bdd, union: Bdd, budget: &Budget) -> Result<bool, Stop> {
        let part = budget.part(MOST_TICKS);
        let answer = self.manager.leq(valuations, union, &part);
        budget.spend(part.spent())?;
        Ok(answer.unwrap_or(false))
    }

    /// The set over choice variables of the pool, if it has more than `most` choices and becomes smaller.
    /// Valuations in `union` may be left out.
    pub fn rewrite(
        &mut self,
        aig: &mut Aig,
        Candidate { set, valuations, union }: Candidate<'_>,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<StateSet>, Stop> {
        let choices = aig.support(set.bits.iter().copied().chain([set.guard])).len();
        if choices <= most || choices <= set.bits.len() {
            return Ok(None);
        }
        let new = self.manager.diff(valuations, union, &budget.part(MOST_TICKS)).unwrap_or(valuations);
        let smaller = self.manager.node_count([new]) < self.manager.node_count([valuations]);
        let rewritten = self.anew(aig, set, if smaller { new } else { valuations }, budget)?;
        let size = |set: &StateSet| aig.cone_size(set.bits.iter().copied().chain([set.guard]));
        Ok((size(&rewritten) < size(set)).then_some(rewritten))
    }

    /// The set with these valuations over choice variables of the pool: equal sets get equal formulas, but
    /// for bits that are constant.
    pub fn anew(
        &mut self,
        aig: &mut Aig,
        set: &StateSet,
        valuations: Bdd,
        budget: &Budget,
    ) -> Result<StateSet, Stop> {
        while self.pool.len() < set.bits.len() {
            self.pool.push(aig.new_input());
        }
        let guard = self.formula(aig, valuations, budget)?;
        let bit =
            |(&old, &input): (&Lit, &Input)| if old.as_constant().is_some() { old } else { aig.input(input) };
        let bits: Vec<Lit> = set.bits.iter().zip(&self.pool).map(bit).collect();
        Ok(StateSet { bits, guard })
    }

    /// A diagram over state bits as a formula over the pool.
    fn formula(&self, aig: &mut Aig, f: Bdd, budget: &Budget) -> Result<Lit, Stop> {
        let graph = self.manager.export(&[f]);
        let mut formulas: Vec<Lit> = Vec::with_capacity(graph.nodes.len());
        let of = |formulas: &[Lit], it: GraphRef| match it {
            GraphRef::Constant(value) => Lit::constant(value),
            GraphRef::Node(number) => formulas[number as usize],
        };
        for node in &graph.nodes {
            budget.spend(1)?;
            let test = aig.input(self.pool[node.level as usize]);
            let (high, low) = (of(&formulas, node.high), of(&formulas, node.low));
            formulas.push(aig.ite(test, high, low));
        }
        Ok(of(&formulas, graph.roots[0]))
    }

    /// The valuations of a set. A choice is quantified away as soon as no later bit needs it: what is
    /// independent stays small.
    fn project(
        &mut self,
        aig: &Aig,
        set: &StateSet,
        choices: &[(usize, Input)],
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let known = self.diagrams(aig, set, choices, budget)?;
        let of = |lit: Lit| if lit.is_negated() { !known[&lit.node()] } else { known[&lit.node()] };
        let mut valuations = of(set.guard);
        for (at, &bit) in set.bits.iter().enumerate() {
            let variable = self.manager.var(at as Level)?;
            let equal = self.manager.iff(variable, of(bit), budget)?;
            let done = (0..choices.len()).filter(|&position| choices[position].0 == at).map(level);
            let done = self.manager.var_set(&done.collect::<Vec<Level>>())?;
            valuations = self.manager.and_exists(valuations, equal, done, budget)?;
        }
        // Without bits there is no position to quantify at: the set is one valuation, or none.
        let rest = self.manager.var_set(&(0..choices.len()).map(level).collect::<Vec<Level>>())?;
        self.manager.exists(valuations, rest, budget)
    }

    /// A diagram for each node of the set's formulas.
    fn diagrams(
        &mut self,
        aig: &Aig,
        set: &StateSet,
        choices: &[(usize, Input)],
        budget: &Budget,
    ) -> Result<FxHashMap<usize, Bdd>, Stop> {
        let positions: FxHashMap<Input, usize> =
            choices.iter().enumerate().map(|(at, it)| (it.1, at)).collect();
        let mut known: FxHashMap<usize, Bdd> = FxHashMap::from_iter([(0, Bdd::FALSE)]);
        for number in aig.cone(set.bits.iter().copied().chain([set.guard])) {
            budget.spend(1)?;
            let of = |lit: Lit| if lit.is_negated() { !known[&lit.node()] } else { known[&lit.node()] };
            let f = match aig.node_at(number) {
                Node::False => Bdd::FALSE,
                Node::Input(input) => self.manager.var(level(positions[&input]))?,
                Node::And(a, b) => self.manager.and(of(a), of(b), budget)?,
            };
            known.insert(number, f);
        }
        Ok(known)
    }
}

/// The choices of a set, each with the last bit that needs it, in the order of these bits: so that what is
/// quantified together lies together.
fn by_last_use(aig: &Aig, set: &StateSet) -> Vec<(usize, Input)> {
    let mut last: BTreeMap<Input, usize> = aig.support([set.guard]).into_iter().map(|it| (it, 0)).collect();
    for (at, &bit) in set.bits.iter().enumerate() {
        last.extend(aig.support([bit]).into_iter().map(|input| (input, at)));
    }
    let mut choices: Vec<(usize, Input)> = last.into_iter().map(|(input, at)| (at, input)).collect();
    choices.sort_unstable();
    choices
}

/// The level of a choice.
fn level(position: usize) -> Level {
    (MOST_BITS + position) as Level
}

#[cfg(test)]
mod tests {
    use super::*;
    use solve::inclusion::{Options, included};

    /// ⟨ι1, ι2 ∧ ¬ι1⟩, the example of the paper, has the valuations 00, 10 and 01; so has its canonical form.
    #[test]
    fn the_example_has_three_points() {
        let mut aig = Aig::new(0);
        let inputs = [(); 2].map(|()| aig.new_input()).map(|input| aig.input(input));
        let second = aig.and(inputs[1], !inputs[0]);
        let set = StateSet { bits: vec![inputs[0], second], guard: Lit::TRUE };
        let budget = Budget::unlimited();
        let has = |aig: &Aig, set: &StateSet, valuation: [bool; 2]| {
            let valuation = StateSet { bits: valuation.map(Lit::constant).to_vec(), guard: Lit::TRUE };
            included(aig, &valuation, set, &Options::default(), &budget).expect("nothing stops it")
        };
        let mut valuations = CanonicalForms::new();
        let found = valuations.of(&aig, &set, &budget).expect("nothing stops it").expect("it is small");
        assert_eq!(valuations.manager.sat_count_exact(found, 2), Some(3));
        valuations.pool = vec![aig.new_input(), aig.new_input()];
        let guard = valuations.formula(&mut aig, found, &budget).expect("nothing stops it");
        let bits = valuations.pool.iter().map(|&input| aig.input(input)).collect();
        for set in [set, StateSet { bits, guard }] {
            let found = [[false, false], [true, false], [false, true], [true, true]];
            assert_eq!(found.map(|valuation| has(&aig, &set, valuation)), [true, true, true, false]);
        }
    }
}
