//! Decision diagrams as formulas of a certificate: they are if-then-else graphs as they are.

use base::{Budget, Stop};
use ir::certificate::graph::{Builder, NodeId};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, GraphRef, Level, Manager};

/// The formula of a set; `inputs` says which input each of its variables is.
pub fn formula(
    manager: &Manager,
    builder: &mut Builder,
    set: Bdd,
    inputs: &FxHashMap<Level, u32>,
    budget: &Budget,
) -> Result<NodeId, Stop> {
    let graph = manager.export(&[set]);
    let mut nodes: Vec<NodeId> = vec![];
    let node = |nodes: &[NodeId], it| match it {
        GraphRef::Constant(value) => NodeId::constant(value),
        GraphRef::Node(at) => nodes[at as usize],
    };
    for it in &graph.nodes {
        budget.spend(1)?;
        let (then, other) = (node(&nodes, it.high), node(&nodes, it.low));
        let test = builder.input(inputs[&it.level]);
        nodes.push(builder.ite(test, then, other));
    }
    Ok(node(&nodes, graph.roots[0]))
}
