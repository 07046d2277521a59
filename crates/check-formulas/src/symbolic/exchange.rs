//! Whether two threads can be exchanged in a formula. For a solver that is hard where the formula depends on the parity of many values,
//! because the formula and the exchanged one share no gate. As ordered decision diagrams (Bryant, *Graph-Based Algorithms for Boolean
//! Function Manipulation*, 1986) in which the values that change positions are neighbours they are one diagram.

use super::state::Formula;
use base::{Budget, Stop};
use ir::certificate::graph::{Graph, Node, NodeId};
use std::collections::HashMap;

/// Formulas with more inputs than this are left to the caller: diagrams are walked as deep as there are inputs.
const MOST_INPUTS: usize = 2000;

/// Whether a formula stays the same when each input is replaced by its partner, the partner of which it is. `None` if that was not
/// found out with this budget.
pub fn keeps(
    Formula { graph, root }: Formula<'_>,
    partner: impl Fn(u32) -> u32,
    limit: &Budget,
) -> Result<Option<bool>, Stop> {
    let below = graph.below([root]);
    let order = order(graph, &below, &partner);
    if order.len() > MOST_INPUTS {
        return Ok(None);
    }
    let levels: HashMap<u32, u32> = order.into_iter().zip(0..).collect();
    let mut diagrams = Diagrams::new(limit);
    let mut both = || {
        let plain = diagrams.formula(graph, &below, |input| levels[&input])?;
        let exchanged = diagrams.formula(graph, &below, |input| levels[&partner(input)])?;
        Ok(plain == exchanged)
    };
    match both() {
        Err(Stop::Ticks) => Ok(None),
        answer => answer.map(Some),
    }
}

/// The inputs and their partners, those that are read near the root first, partners side by side.
fn order(graph: &Graph, below: &[NodeId], partner: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut depths: HashMap<NodeId, usize> = HashMap::new();
    let mut inputs: HashMap<u32, usize> = HashMap::new();
    for &id in below.iter().rev() {
        let depth = depths.get(&id).copied().unwrap_or(0);
        if let Node::Input(number) = graph.node(id) {
            for input in [number, partner(number)] {
                let known = inputs.entry(input).or_insert(depth);
                *known = depth.min(*known);
            }
        }
        for operand in graph.node(id).operands() {
            let known = depths.entry(operand).or_insert(0);
            *known = (depth + 1).max(*known);
        }
    }
    let mut order: Vec<(usize, u32, u32)> =
        inputs.into_iter().map(|(input, depth)| (depth, input.min(partner(input)), input)).collect();
    order.sort_unstable();
    order.into_iter().map(|it| it.2).collect()
}

/// A diagram: the constants are 0 and 1, others are nodes; equal functions are equal numbers.
type Diagram = usize;

struct Diagrams<'b> {
    /// Level, and where to go on 0 and on 1; the constants are below all levels.
    nodes: Vec<(u32, Diagram, Diagram)>,
    unique: HashMap<(u32, Diagram, Diagram), Diagram>,
    memo: HashMap<[Diagram; 3], Diagram>,
    budget: &'b Budget,
}

impl<'b> Diagrams<'b> {
    fn new(budget: &'b Budget) -> Self {
        let nodes = vec![(u32::MAX, 0, 0), (u32::MAX, 1, 1)];
        Diagrams { nodes, unique: HashMap::new(), memo: HashMap::new(), budget }
    }

    /// The diagram of a formula, of which `below` are all nodes, operands first.
    fn formula(
        &mut self,
        graph: &Graph,
        below: &[NodeId],
        level: impl Fn(u32) -> u32,
    ) -> Result<Diagram, Stop> {
        let mut known = HashMap::from([(NodeId::FALSE, 0), (NodeId::TRUE, 1)]);
        let mut last = 0;
        for &id in below {
            last = match graph.node(id) {
                Node::Constant(value) => usize::from(value),
                Node::Input(number) => self.node(level(number), 0, 1),
                Node::Ite { test, then, other } => self.ite(known[&test], known[&then], known[&other])?,
            };
            known.insert(id, last);
        }
        Ok(last)
    }

    fn node(&mut self, level: u32, low: Diagram, high: Diagram) -> Diagram {
        if low == high {
            return low;
        }
        let fresh = self.nodes.len();
        let found = *self.unique.entry((level, low, high)).or_insert(fresh);
        if found == fresh {
            self.nodes.push((level, low, high));
        }
        found
    }

    fn ite(&mut self, test: Diagram, then: Diagram, other: Diagram) -> Result<Diagram, Stop> {
        match (test, then, other) {
            (1, ..) => return Ok(then),
            (0, ..) => return Ok(other),
            (_, 1, 0) => return Ok(test),
            _ if then == other => return Ok(then),
            _ => {}
        }
        let key = [test, then, other];
        if let Some(&known) = self.memo.get(&key) {
            return Ok(known);
        }
        self.budget.spend(1)?;
        let level = key.iter().map(|&it| self.nodes[it].0).min().expect("there are three");
        let sides = key.map(|it| match self.nodes[it] {
            (at, low, high) if at == level => (low, high),
            _ => (it, it),
        });
        let low = self.ite(sides[0].0, sides[1].0, sides[2].0)?;
        let high = self.ite(sides[0].1, sides[1].1, sides[2].1)?;
        let result = self.node(level, low, high);
        self.memo.insert(key, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use ir::certificate::graph::Builder;

    /// Inputs 0 to 2 are one thread's, 3 to 5 another's, 6 is shared.
    fn partner(input: u32) -> u32 {
        if input < 6 { (input + 3) % 6 } else { input }
    }

    #[test]
    fn random_formulas_are_kept_just_if_they_mean_the_same() {
        let (mut random, mut seen) = (Random::new(7), [0, 0]);
        for case in 0..600 {
            let mut builder = Builder::default();
            let mut nodes: Vec<NodeId> = (0..7).map(|number| builder.input(number)).collect();
            for _ in 0..6 {
                let [a, b, c] = [(); 3].map(|()| *random.pick(&nodes));
                nodes.push(builder.ite(a, b, c));
            }
            let mut root = *nodes.last().expect("there are nodes");
            if case % 2 == 0 {
                // Made to mean the same: this way or that way round.
                let graph = builder.graph().clone();
                let mut turned =
                    HashMap::from([(NodeId::FALSE, NodeId::FALSE), (NodeId::TRUE, NodeId::TRUE)]);
                for id in graph.below([root]) {
                    let new = match graph.node(id) {
                        Node::Constant(value) => NodeId::constant(value),
                        Node::Input(number) => builder.input(partner(number)),
                        Node::Ite { test, then, other } => {
                            builder.ite(turned[&test], turned[&then], turned[&other])
                        }
                    };
                    turned.insert(id, new);
                }
                root = builder.ite(root, NodeId::TRUE, turned[&root]);
            }
            let graph = builder.finish();
            let value = |row: u32, turn: bool| {
                graph.evaluate(root, |input| row >> (if turn { partner(input) } else { input }) & 1 == 1)
            };
            let same = (0..1 << 7).all(|row| value(row, false) == value(row, true));
            assert_eq!(
                keeps(Formula { graph: &graph, root }, partner, &Budget::unlimited()),
                Ok(Some(same)),
                "case {case}"
            );
            seen[usize::from(same)] += 1;
        }
        assert!(seen[0] > 50 && seen[1] > 200, "{seen:?}");
    }

    #[test]
    fn parity_is_kept_and_the_limit_ends() {
        let mut builder = Builder::default();
        let mut root = NodeId::FALSE;
        for number in 0..400 {
            let input = builder.input(number);
            let turned = builder.not(root);
            root = builder.ite(input, turned, root);
        }
        let graph = builder.finish();
        let partner = |input: u32| (input + 200) % 400;
        assert_eq!(keeps(Formula { graph: &graph, root }, partner, &Budget::unlimited()), Ok(Some(true)));
        assert_eq!(keeps(Formula { graph: &graph, root }, partner, &Budget::with_ticks(100)), Ok(None));
    }
}
