//! Proofs about C by predicates: an invariant about each thread and each two threads ([`ir::c::relation::proof`]), over the program as
//! guarded commands. The invariant must hold at the start, each command must keep it for the thread that executes it, for a thread that it
//! creates, for one and for two threads that look on, and no failing command may be possible in it. Then no assertion fails, with any
//! number of threads.
//!
//! Each of these is a question to this crate's solver, which proves its refutations; commands become gates here, by code that shares
//! nothing with the code that found the proof. How the predicates and the rows were found does not matter.

mod frames;
mod obligations;
mod tables;
mod validate;
mod words;

use base::{Budget, Id};
use check::{Refused, within};
use ir::c::relation::proof::Proof;
use ir::c::relation::{ControlId, Relation};
use obligations::{Obligations, Subject};

/// What a check took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Questions to the solver.
    pub questions: u64,
    /// Questions that needed no solver, because the command changes nothing that a table speaks of.
    pub unchanged: u64,
}

/// Checks that a proof is an invariant of the relation in which nothing fails.
pub fn proof(relation: &Relation, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
    let reads = validate::check(relation, proof, budget)?;
    let tables = tables::Tables::new(relation, proof, &reads);
    let subject = Subject { relation, proof, tables: &tables };
    let mut statistics = Statistics::default();
    obligations::start(&subject, &mut statistics, budget)?;
    for (number, command) in relation.commands.iter().enumerate() {
        budget.spend(1)?;
        if !tables.singles.contains_key(&command.from) {
            continue;
        }
        Obligations::new(&subject, command, &mut statistics, budget).and_then(Obligations::check).map_err(
            |why| within(&format!("command {number} from {}", place(relation, command.from)), why),
        )?;
    }
    Ok(statistics)
}

/// A control location in messages.
fn place(relation: &Relation, control: ControlId) -> String {
    match relation.controls.get(control) {
        Some(found) => format!("control location {} (location {})", control.index(), found.loc.index()),
        None => format!("control location {}", control.index()),
    }
}

#[cfg(test)]
mod tests;
