//! Re-parameterisation (proposed by Cook, Kroening and Sharygina, section 6): a state with many choice variables is rewritten so that
//! each bit that is compared *is* a choice variable and the guard says which points there are. The guard is computed as a decision
//! diagram, so two states with the same points get the same guard, and the subsumption test becomes trivial.
//!
//! Diagrams may explode where formulas do not: there is a limit on their nodes, beyond which the state stays as it is.

use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Input, Lit, Node};
use solve::bdd::{Bdd, GraphRef, Level, Limits, Manager};
use solve::inclusion::StateSet;

const MOST_NODES: usize = 40_000;
const MOST_TICKS: u64 = 2_000_000;
/// Operations on diagrams recurse once per level.
const MOST_LEVELS: usize = 1_000;

/// Rewrites sets over one pool of choice variables.
#[derive(Default)]
pub struct Rewriter {
    pool: Vec<Input>,
}

impl Rewriter {
    /// The same points over choice variables of the pool, if the set has more than `most` choices and becomes smaller.
    pub fn rewrite(
        &mut self,
        aig: &mut Aig,
        set: &StateSet,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<StateSet>, Stop> {
        let all = || set.bits.iter().copied().chain([set.guard]);
        let choices = aig.support(all());
        let few = choices.len() <= most || choices.len() <= set.bits.len();
        if few || choices.len() + set.bits.len() > MOST_LEVELS {
            return Ok(None);
        }
        let part = budget.part(MOST_TICKS);
        let points = points(aig, set, &choices, &part);
        budget.spend(part.spent())?;
        // The limits of the part are no reason to stop.
        let Ok((manager, points)) = points else { return Ok(None) };
        let bits = self.inputs(aig, set.bits.len());
        let mut rewritten = StateSet { guard: self.formula(aig, &manager, points, budget)?, bits };
        for (bit, &old) in rewritten.bits.iter_mut().zip(&set.bits) {
            if old.as_constant().is_some() {
                *bit = old;
            }
        }
        let size = aig.cone_size(rewritten.bits.iter().copied().chain([rewritten.guard]));
        Ok((size < aig.cone_size(all())).then_some(rewritten))
    }

    /// The first choice variables of the pool.
    fn inputs(&mut self, aig: &mut Aig, count: usize) -> Vec<Lit> {
        while self.pool.len() < count {
            self.pool.push(aig.new_input());
        }
        self.pool[..count].iter().map(|&input| aig.input(input)).collect()
    }

    /// A diagram over state bits as a formula over the pool.
    fn formula(&self, aig: &mut Aig, manager: &Manager, f: Bdd, budget: &Budget) -> Result<Lit, Stop> {
        let graph = manager.export(&[f]);
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
}

/// The points of a set: state bits are the first levels, choices follow and are quantified away. Constant bits are not mentioned.
fn points(aig: &Aig, set: &StateSet, choices: &[Input], budget: &Budget) -> Result<(Manager, Bdd), Stop> {
    let mut manager = Manager::new(Limits { nodes: MOST_NODES, ..Limits::default() });
    let level = |place: usize| (set.bits.len() + place) as Level;
    let places: FxHashMap<Input, usize> = choices.iter().enumerate().map(|(at, &it)| (it, at)).collect();
    let mut known: FxHashMap<usize, Bdd> = FxHashMap::from_iter([(0, Bdd::FALSE)]);
    let of = |known: &FxHashMap<usize, Bdd>, lit: Lit| {
        let f = known[&lit.node()];
        if lit.is_negated() { !f } else { f }
    };
    for number in aig.cone(set.bits.iter().copied().chain([set.guard])) {
        let f = match aig.node_at(number) {
            Node::False => Bdd::FALSE,
            Node::Input(input) => manager.var(level(places[&input]))?,
            Node::And(a, b) => {
                let (a, b) = (of(&known, a), of(&known, b));
                manager.and(a, b, budget)?
            }
        };
        known.insert(number, f);
    }
    let mut all = of(&known, set.guard);
    for (at, &bit) in set.bits.iter().enumerate().filter(|(_, bit)| bit.as_constant().is_none()) {
        let variable = manager.var(at as Level)?;
        let equal = manager.iff(variable, of(&known, bit), budget)?;
        all = manager.and(all, equal, budget)?;
    }
    let levels: Vec<Level> = (0..choices.len()).map(level).collect();
    let levels = manager.var_set(&levels)?;
    let points = manager.exists(all, levels, budget)?;
    Ok((manager, points))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solve::inclusion::{Options, included};

    /// ⟨ι1, ι2 ∧ ¬ι1⟩, the example of the paper, has the points 00, 10 and 01; so has it when it is rewritten.
    #[test]
    fn the_example_has_three_points() {
        let mut aig = Aig::new(0);
        let inputs = [(); 3].map(|()| aig.new_input()).map(|input| aig.input(input));
        let second = aig.and(inputs[1], !inputs[0]);
        let guard = aig.or(inputs[2], !inputs[2]);
        let set = StateSet { bits: vec![inputs[0], second], guard };
        let budget = Budget::unlimited();
        let has = |aig: &Aig, set: &StateSet, point: [bool; 2]| {
            let point = StateSet { bits: point.map(Lit::constant).to_vec(), guard: Lit::TRUE };
            included(aig, &point, set, &Options::default(), &budget).expect("nothing stops it")
        };
        let choices = aig.support(set.bits.iter().copied());
        let (manager, points) = points(&aig, &set, &choices, &budget).expect("it is small");
        let mut rewriter = Rewriter::default();
        let bits = rewriter.inputs(&mut aig, 2);
        let guard = rewriter.formula(&mut aig, &manager, points, &budget).expect("it is small");
        for set in [set, StateSet { bits, guard }] {
            let found = [[false, false], [true, false], [false, true], [true, true]];
            assert_eq!(found.map(|point| has(&aig, &set, point)), [true, true, true, false]);
        }
    }
}
