//! States whose values are formulas: the threads in their positions, each at a control location with the
//! values kept there.

use super::cnf::Cnf;
use crate::proof::Lit;
use base::{Budget, Stop};
use check::{Rejected, reject};
use ir::certificate::graph::{Graph, Node, NodeId};
use std::collections::HashMap;

/// A formula of a certificate.
#[derive(Clone, Copy)]
pub struct Formula<'c> {
    /// What it is a part of.
    pub graph: &'c Graph,
    /// Its node there.
    pub root: NodeId,
}

/// A state, or many: its values are of any kind.
#[derive(Clone, Debug)]
pub struct SymbolicState<V> {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// The values of the shared variables kept.
    pub shared: Vec<V>,
    /// The threads: their control locations and the values kept there.
    pub threads: Vec<(usize, Vec<V>)>,
}

impl<V: Copy> SymbolicState<V> {
    /// Brings the threads into the order of their control locations.
    pub fn sort(&mut self) {
        self.threads.sort_by_key(|it| it.0);
    }

    /// The control locations with how many threads stand there; the threads must be in order.
    pub fn controls(&self) -> Vec<(usize, u32)> {
        let mut controls: Vec<(usize, u32)> = vec![];
        for &(control, _) in &self.threads {
            match controls.last_mut() {
                Some(last) if last.0 == control => last.1 += 1,
                _ => controls.push((control, 1)),
            }
        }
        controls
    }

    /// The same state with other values.
    pub fn map<W>(&self, mut f: impl FnMut(V) -> W) -> SymbolicState<W> {
        let shared = self.shared.iter().map(|&it| f(it)).collect();
        let threads =
            self.threads.iter().map(|(control, values)| (*control, values.iter().map(|&it| f(it)).collect()));
        SymbolicState { initialising: self.initialising, shared, threads: threads.collect() }
    }

    /// The value of an input, where every position has `width` of them; `order` says which thread is in which
    /// position.
    pub fn input(&self, width: usize, order: impl Fn(usize) -> Option<usize>, number: u32) -> Option<V> {
        let number = number as usize;
        let Some(index) = number.checked_sub(self.shared.len()) else { return Some(self.shared[number]) };
        let thread = order(index.checked_div(width)?)?;
        self.threads.get(thread)?.1.get(index % width).copied()
    }
}

impl SymbolicState<()> {
    /// That a formula is there and reads nothing but the values of the state.
    pub fn reads(
        &self,
        Formula { graph, root }: Formula<'_>,
        width: usize,
        budget: &Budget,
    ) -> Result<Result<(), Rejected>, Stop> {
        if graph.get(root).is_none() {
            return Ok(reject("there is no such node"));
        }
        for id in graph.below([root]) {
            budget.spend(1)?;
            if let Node::Input(number) = graph.node(id)
                && self.input(width, Some, number).is_none()
            {
                return Ok(reject(format!("no value is input {number}")));
            }
        }
        Ok(Ok(()))
    }
}

impl SymbolicState<Lit> {
    /// What a formula says of the state, its threads in this order.
    pub fn formula(
        &self,
        cnf: &mut Cnf<'_>,
        Formula { graph, root }: Formula<'_>,
        width: usize,
        order: &[usize],
    ) -> Result<Lit, Stop> {
        let mut known = HashMap::from([(NodeId::FALSE, Lit::FALSE), (NodeId::TRUE, Lit::TRUE)]);
        for id in graph.below([root]) {
            cnf.budget.spend(1)?;
            let lit = match graph.node(id) {
                Node::Constant(value) => Lit::constant(value),
                Node::Input(number) => {
                    let value = self.input(width, |position| order.get(position).copied(), number);
                    value.expect("a piece that reads more than it has was rejected")
                }
                Node::Ite { test, then, other } => cnf.ite(known[&test], known[&then], known[&other]),
            };
            known.insert(id, lit);
        }
        Ok(known[&root])
    }
}
