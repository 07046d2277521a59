//! The reached set as a certificate: every variable is kept, except the locals that are dead or out of scope
//! where a thread stands.

use super::compact;
use crate::certificate::Proof;
use crate::explore::Store;
use crate::threads::Threads;
use crate::threads::views::Views;
use base::{Budget, Stop};
use ir::certificate::{Body, Reached, StateView};

/// The certificate of a complete search without reduction and without transition merging.
pub fn reached(threads: &Threads<'_>, found: &Store, bound: u32, budget: &Budget) -> Result<Proof, Stop> {
    let mut views = Views::new(threads);
    let mut states = Vec::with_capacity(found.len());
    let mut groups = vec![];
    for id in 0..found.len() as u32 {
        budget.spend(1)?;
        let shared = compact::decode(found.get(id), &mut groups);
        let mut population: Vec<(usize, u32)> =
            groups.iter().map(|&(local, count)| (views.number(local), count)).collect();
        population.sort_unstable();
        states.push(StateView {
            initialising: threads.semantics.initialising(shared),
            shared: views.shared(shared),
            threads: population,
        });
    }
    let reached = Reached { threads: views.index.threads, states, bound };
    Ok(Proof { view: views.index.view, body: Body::Reached(reached) })
}
