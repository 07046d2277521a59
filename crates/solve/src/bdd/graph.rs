//! Functions as plain if-then-else graphs, the form in which certificates carry them: no complement edges,
//! children before parents, so that a reader needs one pass and no decision diagram package.

use super::{Bdd, Level, Manager};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use std::fmt;

/// A constant or a node of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GraphRef {
    /// A truth value.
    Constant(bool),
    /// The node at this position.
    Node(u32),
}

/// If the variable at `level` then `high` else `low`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GraphNode {
    /// The variable.
    pub level: Level,
    /// Taken when the variable is false.
    pub low: GraphRef,
    /// Taken when the variable is true.
    pub high: GraphRef,
}

/// Functions that share their nodes; each node stands after its children.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// One reference per function.
    pub roots: Vec<GraphRef>,
}

/// Why a graph could not be read back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportError {
    /// A reference to a node that does not stand before it.
    ForwardReference {
        /// The position referred to.
        node: u32,
    },
    /// The budget or the node limit ended the work.
    Stopped(Stop),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::ForwardReference { node } => write!(f, "node {node} is used before it is defined"),
            ImportError::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<Stop> for ImportError {
    fn from(stop: Stop) -> Self {
        ImportError::Stopped(stop)
    }
}

impl Manager {
    /// The functions as a graph, one root for each in the same order.
    pub fn export(&self, functions: &[Bdd]) -> Graph {
        let mut graph = Graph::default();
        let mut places = FxHashMap::default();
        for &f in functions {
            self.export_into(f, &mut graph, &mut places);
            let root = place(f, &places).expect("the walk has placed the function");
            graph.roots.push(root);
        }
        graph
    }

    fn export_into(&self, f: Bdd, graph: &mut Graph, places: &mut FxHashMap<Bdd, u32>) {
        let mut stack = vec![f];
        while let Some(&f) = stack.last() {
            let Some(level) = self.top_level(f).filter(|_| !places.contains_key(&f)) else {
                stack.pop();
                continue;
            };
            let (low, high) = self.children(f);
            match (place(low, places), place(high, places)) {
                (Some(low), Some(high)) => {
                    places.insert(f, graph.nodes.len() as u32);
                    graph.nodes.push(GraphNode { level, low, high });
                    stack.pop();
                }
                (None, _) => stack.push(low),
                (_, None) => stack.push(high),
            }
        }
    }

    /// The functions of a graph, whatever the order of its levels.
    pub fn import(&mut self, graph: &Graph, budget: &Budget) -> Result<Vec<Bdd>, ImportError> {
        let mut made: Vec<Bdd> = vec![];
        for node in &graph.nodes {
            let (low, high) = (resolve(node.low, &made)?, resolve(node.high, &made)?);
            let var = self.var(node.level)?;
            made.push(self.ite(var, high, low, budget)?);
        }
        graph.roots.iter().map(|&root| resolve(root, &made)).collect()
    }
}

fn place(f: Bdd, places: &FxHashMap<Bdd, u32>) -> Option<GraphRef> {
    if f.is_constant() {
        return Some(GraphRef::Constant(f.is_true()));
    }
    places.get(&f).map(|&at| GraphRef::Node(at))
}

fn resolve(reference: GraphRef, made: &[Bdd]) -> Result<Bdd, ImportError> {
    match reference {
        GraphRef::Constant(value) => Ok(Bdd::constant(value)),
        GraphRef::Node(node) => {
            made.get(node as usize).copied().ok_or(ImportError::ForwardReference { node })
        }
    }
}
