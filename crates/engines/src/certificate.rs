//! What engines write certificates with: the certificate index, counts of threads, and decision diagrams as
//! formulas.

use base::{Budget, Stop};
use ir::bp::{Loc, Program};
use ir::certificate::graph::{Builder, NodeId};
use ir::certificate::{Bits, Body, ControlLocation, LocalAt, ThreadView, View};
use ir::{Certificate, Scope, Verdict};
use solve::bdd::{Bdd, GraphRef, Level, Manager};
use std::collections::HashMap;

/// A certificate that claims nothing yet.
pub struct Proof {
    /// What is kept of the states.
    pub view: View,
    /// The proof.
    pub body: Body,
}

/// The verdict of a proof: unchecked if it was not written.
pub fn safe(scope: Scope, proof: Option<Proof>) -> Verdict {
    let certificate = proof.map(|Proof { view, body }| Certificate { scope, view, body, passes: vec![] });
    Verdict::Safe { scope, certificate }
}

/// The control locations and threads that a certificate lists, numbered as they come. All shared variables
/// are kept.
pub struct CertificateIndex {
    /// What is kept.
    pub view: View,
    /// The threads, by number.
    pub threads: Vec<ThreadView>,
    controls: HashMap<(Vec<Loc>, bool), usize>,
    numbers: HashMap<ThreadView, usize>,
}

impl CertificateIndex {
    /// Nothing listed yet.
    pub fn new(program: &Program) -> Self {
        let view = View { shared: program.shared().ids().collect(), controls: vec![] };
        Self { view, threads: vec![], controls: HashMap::new(), numbers: HashMap::new() }
    }

    /// The number of a control location with its callers; `kept` says which locals are shown there.
    pub fn control(
        &mut self,
        stack: Vec<Loc>,
        inside: bool,
        kept: impl FnOnce(&[Loc]) -> Vec<LocalAt>,
    ) -> usize {
        let controls = &mut self.view.controls;
        *self.controls.entry((stack, inside)).or_insert_with_key(|(stack, _)| {
            controls.push(ControlLocation { stack: stack.clone(), inside, kept: kept(stack) });
            controls.len() - 1
        })
    }

    /// The number of a thread at a control location.
    pub fn thread(&mut self, control: usize, values: Bits) -> usize {
        let threads = &mut self.threads;
        *self.numbers.entry(ThreadView { control, values }).or_insert_with_key(|thread| {
            threads.push(thread.clone());
            threads.len() - 1
        })
    }
}

/// The locals of one activation that are in scope at a location and not dead.
pub fn alive(program: &Program, loc: Loc) -> Vec<LocalAt> {
    let alive = |local: &_| program.in_scope(loc, *local) && !program.at(loc).dead.contains(local);
    program.locals().ids().filter(alive).map(|local| LocalAt { depth: 0, local }).collect()
}

/// Adds a function to the formulas of a certificate; `input` says which input a level is.
pub fn add(
    builder: &mut Builder,
    manager: &Manager,
    function: Bdd,
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

/// Sorted items, each with how often it comes.
pub fn counted<T: PartialEq>(sorted: impl IntoIterator<Item = T>) -> Vec<(T, u32)> {
    let mut counted: Vec<(T, u32)> = vec![];
    for item in sorted {
        match counted.last_mut() {
            Some(last) if last.0 == item => last.1 += 1,
            _ => counted.push((item, 1)),
        }
    }
    counted
}
