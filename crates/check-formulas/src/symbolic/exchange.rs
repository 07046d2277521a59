//! Whether two threads can be exchanged in a formula. For a solver that is hard where the formula depends on
//! the parity of many values, because the formula and the exchanged one share no gate. As ordered decision
//! diagrams (Bryant, *Graph-Based Algorithms for Boolean Function Manipulation*, 1986) in which the values
//! that change positions are neighbours they are one diagram.

use super::diagrams::{Diagram, Diagrams, FALSE, MOST_INPUTS, TRUE};
use super::state::Formula;
use base::{Budget, Stop};
use ir::certificate::graph::{Graph, Node, NodeId};
use std::collections::HashMap;

/// Whether a formula stays the same when each input is replaced by its partner, the partner of which it is.
/// `None` if that was not found out with this budget.
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
    let mut diagrams = Diagrams::default();
    let mut both = || {
        let walk = Walk { graph, below: &below };
        let plain = walk.diagram(&mut diagrams, |input| levels[&input], limit)?;
        let exchanged = walk.diagram(&mut diagrams, |input| levels[&partner(input)], limit)?;
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

/// The nodes of a formula, operands first.
struct Walk<'c> {
    graph: &'c Graph,
    below: &'c [NodeId],
}

impl Walk<'_> {
    /// The diagram of the formula.
    fn diagram(
        &self,
        diagrams: &mut Diagrams,
        level: impl Fn(u32) -> u32,
        limit: &Budget,
    ) -> Result<Diagram, Stop> {
        let mut known = HashMap::from([(NodeId::FALSE, FALSE), (NodeId::TRUE, TRUE)]);
        let mut last = FALSE;
        for &id in self.below {
            last = match self.graph.node(id) {
                Node::Constant(value) => usize::from(value),
                Node::Input(number) => diagrams.input(level(number)),
                Node::Ite { test, then, other } => {
                    diagrams.ite([known[&test], known[&then], known[&other]], limit)?.diagram
                }
            };
            known.insert(id, last);
        }
        Ok(last)
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
