//! Formulas as one if-then-else graph: constants, numbered inputs, and `ite(test, then, other)` of any nodes,
//! so that decision diagrams and and-inverter graphs are both graphs of this kind. All formulas of a
//! certificate share one.
//!
//! Operands come before what is made of them, so that nothing here recurses and every walk is linear in the
//! nodes: a hostile file can make a graph as large as itself, never larger. What an input means is for the
//! kind of certificate to say.

use base::{Id, define_id};
use std::collections::HashMap;

define_id!(
    /// A node of a [`Graph`]; 0 and 1 are the constants.
    pub struct NodeId = "n"
);

impl NodeId {
    /// The constant 0.
    pub const FALSE: NodeId = NodeId(0);
    /// The constant 1.
    pub const TRUE: NodeId = NodeId(1);

    /// A constant.
    pub fn constant(value: bool) -> NodeId {
        if value { NodeId::TRUE } else { NodeId::FALSE }
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// 0 or 1.
    Constant(bool),
    /// An input, by number.
    Input(u32),
    /// `then` if `test`, else `other`.
    Ite {
        /// The condition.
        test: NodeId,
        /// The value where it is 1.
        then: NodeId,
        /// The value where it is 0.
        other: NodeId,
    },
}

impl Node {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = NodeId> {
        let list = match self {
            Node::Constant(_) | Node::Input(_) => [None; 3],
            Node::Ite { test, then, other } => [Some(test), Some(then), Some(other)],
        };
        list.into_iter().flatten()
    }
}

/// The nodes, operands first. Code that makes one uses a [`Builder`]; a reader adds nodes as they come.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// All but the constants.
    nodes: Vec<Node>,
}

const CONSTANTS: usize = 2;

impl Graph {
    /// How many nodes there are, with the two constants.
    pub fn len(&self) -> usize {
        self.nodes.len() + CONSTANTS
    }

    /// Whether there are only the constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a node is; `None` if there is no such node.
    pub fn get(&self, id: NodeId) -> Option<Node> {
        match id.index().checked_sub(CONSTANTS) {
            None => Some(Node::Constant(id == NodeId::TRUE)),
            Some(index) => self.nodes.get(index).copied(),
        }
    }

    /// What a node is; it must be there.
    pub fn node(&self, id: NodeId) -> Node {
        self.get(id).expect("the node is one of this graph")
    }

    /// All nodes but the constants, in order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, Node)> {
        self.nodes.iter().enumerate().map(|(index, &node)| (NodeId::from_index(index + CONSTANTS), node))
    }

    /// Adds a node as it is, also one that is there already; refused unless its operands are there.
    pub fn push(&mut self, node: Node) -> Result<NodeId, String> {
        if let Some(missing) = node.operands().find(|it| it.index() >= self.len()) {
            return Err(format!("there is no node {} yet", missing.index()));
        }
        if self.len() >= u32::MAX as usize {
            return Err("there are too many nodes".to_string());
        }
        if let Node::Constant(value) = node {
            return Ok(NodeId::constant(value));
        }
        self.nodes.push(node);
        Ok(NodeId::from_index(self.len() - 1))
    }

    /// The nodes that these roots are made of and the roots themselves, each once, operands first; the
    /// constants are left out.
    pub fn below(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<NodeId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if id.index() >= CONSTANTS && seen.insert(id) {
                stack.extend(self.node(id).operands());
            }
        }
        let mut all: Vec<NodeId> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The value of a node for these inputs.
    pub fn evaluate(&self, root: NodeId, mut input: impl FnMut(u32) -> bool) -> bool {
        let value = self.evaluate_partly(&self.below([root]), root, |number| Some(input(number)));
        value.expect("all inputs have values")
    }

    /// The value of a node where not all inputs are known, if the known ones decide it node by node; `below`
    /// is what [`Graph::below`] says of the node.
    pub fn evaluate_partly(
        &self,
        below: &[NodeId],
        root: NodeId,
        mut input: impl FnMut(u32) -> Option<bool>,
    ) -> Option<bool> {
        let constants = [(NodeId::FALSE, Some(false)), (NodeId::TRUE, Some(true))];
        let mut values: HashMap<NodeId, Option<bool>> = HashMap::from(constants);
        for &id in below {
            let value = match self.node(id) {
                Node::Constant(value) => Some(value),
                Node::Input(number) => input(number),
                Node::Ite { test, then, other } => match values[&test] {
                    Some(true) => values[&then],
                    Some(false) => values[&other],
                    None => values[&then].filter(|_| values[&then] == values[&other]),
                },
            };
            values.insert(id, value);
        }
        values[&root]
    }
}

/// Makes a graph in which no node is there twice.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    graph: Graph,
    index: HashMap<Node, NodeId>,
}

/// Goes on with a graph; what is there twice stays so.
impl From<Graph> for Builder {
    fn from(graph: Graph) -> Builder {
        let index = graph.nodes().map(|(id, node)| (node, id)).collect();
        Builder { graph, index }
    }
}

impl Builder {
    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph.
    pub fn finish(self) -> Graph {
        self.graph
    }

    /// An input.
    pub fn input(&mut self, number: u32) -> NodeId {
        self.add(Node::Input(number))
    }

    /// `then` if `test`, else `other`; simplified where that is evident.
    pub fn ite(&mut self, test: NodeId, then: NodeId, other: NodeId) -> NodeId {
        let then = if then == test { NodeId::TRUE } else { then };
        let other = if other == test { NodeId::FALSE } else { other };
        match (test, then, other) {
            (NodeId::TRUE, _, _) => then,
            (NodeId::FALSE, _, _) => other,
            _ if then == other => then,
            (_, NodeId::TRUE, NodeId::FALSE) => test,
            _ => self.add(Node::Ite { test, then, other }),
        }
    }

    /// `!a`
    pub fn not(&mut self, a: NodeId) -> NodeId {
        self.ite(a, NodeId::FALSE, NodeId::TRUE)
    }

    /// `a & b`
    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.ite(a, b, NodeId::FALSE)
    }

    /// `a | b`
    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.ite(a, NodeId::TRUE, b)
    }

    /// All of them.
    pub fn all(&mut self, nodes: impl IntoIterator<Item = NodeId>) -> NodeId {
        nodes.into_iter().fold(NodeId::TRUE, |all, it| self.and(all, it))
    }

    /// Copies nodes of another graph, with every input replaced; what the roots have become, in their order.
    pub fn import(
        &mut self,
        other: &Graph,
        roots: &[NodeId],
        mut input: impl FnMut(&mut Builder, u32) -> NodeId,
    ) -> Vec<NodeId> {
        let mut copied = HashMap::from([(NodeId::FALSE, NodeId::FALSE), (NodeId::TRUE, NodeId::TRUE)]);
        for id in other.below(roots.iter().copied()) {
            let copy = match other.node(id) {
                Node::Constant(value) => NodeId::constant(value),
                Node::Input(number) => input(self, number),
                Node::Ite { test, then, other } => self.ite(copied[&test], copied[&then], copied[&other]),
            };
            copied.insert(id, copy);
        }
        roots.iter().map(|root| copied[root]).collect()
    }

    fn add(&mut self, node: Node) -> NodeId {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let id = self
            .graph
            .push(node)
            .expect("operands come from this builder, and memory ends before numbers do");
        self.index.insert(node, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;

    /// A random formula with its truth table over four inputs.
    fn formulas(random: &mut Random, builder: &mut Builder) -> Vec<(NodeId, u16)> {
        let mut known = vec![(NodeId::FALSE, 0), (NodeId::TRUE, u16::MAX)];
        let tables = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];
        known.extend(tables.iter().enumerate().map(|(input, &table)| (builder.input(input as u32), table)));
        for _ in 0..20 {
            let [a, b, c] = [0; 3].map(|_| *random.pick(&known));
            known.push(match random.below(4) {
                0 => (builder.not(a.0), !a.1),
                1 => (builder.and(a.0, b.0), a.1 & b.1),
                2 => (builder.or(a.0, b.0), a.1 | b.1),
                _ => (builder.ite(a.0, b.0, c.0), a.1 & b.1 | !a.1 & c.1),
            });
        }
        known
    }

    #[test]
    fn values_are_those_of_the_formulas() {
        let mut random = Random::new(3);
        for _ in 0..200 {
            let mut builder = Builder::default();
            let known = formulas(&mut random, &mut builder);
            let mut shifted = Builder::default();
            let roots: Vec<NodeId> = known.iter().map(|it| it.0).collect();
            let copies = shifted.import(builder.graph(), &roots, |to, input| to.input(input + 7));
            for (&(node, table), &copy) in known.iter().zip(&copies) {
                for row in 0..16 {
                    let expected = table >> row & 1 == 1;
                    assert_eq!(builder.graph().evaluate(node, |input| row >> input & 1 == 1), expected);
                    assert_eq!(shifted.graph().evaluate(copy, |input| row >> (input - 7) & 1 == 1), expected);
                }
            }
        }
    }

    #[test]
    fn what_is_known_in_part_holds_for_the_rest() {
        let mut random = Random::new(4);
        let (mut decided, mut open) = (0, 0);
        for _ in 0..200 {
            let mut builder = Builder::default();
            let known = formulas(&mut random, &mut builder);
            let graph = builder.finish();
            for (node, table) in known {
                let (mask, row) = (random.below(16), random.below(16));
                let input = |number| (mask >> number & 1 == 1).then_some(row >> number & 1 == 1);
                match graph.evaluate_partly(&graph.below([node]), node, input) {
                    Some(value) => {
                        decided += 1;
                        let rows = (0..16).filter(|it| it & mask == row & mask);
                        rows.for_each(|it| assert_eq!(table >> it & 1 == 1, value));
                    }
                    None => open += 1,
                }
            }
        }
        assert!(decided > 1000 && open > 500, "{decided} {open}");
    }

    #[test]
    fn no_node_is_there_twice() {
        let mut builder = Builder::default();
        let (a, b) = (builder.input(0), builder.input(1));
        let (first, second) = (builder.and(a, b), builder.and(a, b));
        assert_eq!(first, second);
        assert_eq!(builder.ite(a, a, b), builder.or(a, b));
        assert_eq!(builder.ite(a, b, b), b);
        assert_eq!(builder.ite(a, NodeId::TRUE, NodeId::FALSE), a);
        let mut nodes: Vec<Node> = builder.graph().nodes().map(|it| it.1).collect();
        nodes.sort_by_key(|it| format!("{it:?}"));
        nodes.dedup();
        assert_eq!(nodes.len() + 2, builder.graph().len());
    }

    #[test]
    fn operands_come_first() {
        let mut graph = Graph::default();
        let late = NodeId::from_index(2);
        assert!(graph.push(Node::Ite { test: late, then: NodeId::TRUE, other: NodeId::FALSE }).is_err());
        assert_eq!(graph.push(Node::Input(u32::MAX)), Ok(late));
        assert_eq!(graph.get(NodeId::from_index(3)), None);
        assert!(graph.evaluate(late, |input| input == u32::MAX));
    }

    #[test]
    fn deep_and_shared_graphs_are_walked_in_a_line() {
        let mut builder = Builder::default();
        let mut node = builder.input(0);
        for input in 1..100_000 {
            let next = builder.input(input);
            // Both branches lead to the node below: as a tree this has 2^100000 leaves.
            let not = builder.not(node);
            node = builder.ite(next, node, not);
        }
        assert!(builder.graph().evaluate(node, |_| true));
        assert_eq!(builder.graph().below([node]).len(), builder.graph().len() - 2);
    }
}
