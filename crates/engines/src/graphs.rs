//! Decision diagrams as the formulas of certificates, for every engine that writes some.

use base::{Budget, Stop};
use ir::certificate::graph::{Builder, NodeId};
use solve::bdd::{Bdd, GraphRef, Level, Manager};

/// Adds a function to the formulas of a certificate; `input` says which input a level is.
pub fn add(
    builder: &mut Builder,
    (manager, function): (&Manager, Bdd),
    input: impl Fn(Level) -> u32,
    budget: &Budget,
) -> Result<NodeId, Stop> {
    let graph = manager.export(&[function]);
    let mut nodes: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let node = |nodes: &[NodeId], it| match it {
        GraphRef::Constant(value) => NodeId::constant(value),
        GraphRef::Node(at) => nodes[at as usize],
    };
    for it in &graph.nodes {
        budget.spend(1)?;
        let (then, other) = (node(&nodes, it.high), node(&nodes, it.low));
        let test = builder.input(input(it.level));
        nodes.push(builder.ite(test, then, other));
    }
    Ok(node(&nodes, graph.roots[0]))
}

/// The points of threads that are in the order of their points, each with how many stand there.
pub fn counted(points: impl IntoIterator<Item = usize>) -> Vec<(usize, u32)> {
    let mut counted: Vec<(usize, u32)> = vec![];
    for point in points {
        match counted.last_mut() {
            Some(last) if last.0 == point => last.1 += 1,
            _ => counted.push((point, 1)),
        }
    }
    counted
}
