//! Proofs about C by predicates: an invariant about each thread and each two threads ([`relation::proof`]),
//! over the program as guarded commands. The invariant must hold at the start, each command must keep it for
//! the thread that executes it, for a thread that it creates, for one and for two threads that look on, and
//! no failing command may be possible in it. Then no assertion fails, with any number of threads.
//!
//! Each of these is a question to this crate's solver, which proves its refutations; commands become gates
//! here, by code that shares nothing with the code that found the proof. How the predicates and the rows were
//! found does not matter.

mod bit_vectors;
mod counts;
mod frames;
mod names;
mod obligations;
pub mod order;
mod races;
mod tables;
mod types;
mod validate;

use base::{Budget, Span};
use check::{Refused, Rejected, within};
use ir::c::Model;
use names::Names;
use obligations::{Claim, Obligations};
use relation::proof::Proof;
use relation::{NoRelation, Relation};
use tables::Tables;

/// What a check took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Questions to the solver.
    pub questions: u64,
    /// Questions that needed no solver, because the command changes nothing that a table speaks of.
    pub unchanged: u64,
    /// Pairs of accesses that may race, where that is asked.
    pub pairs: u64,
}

/// Checks that a proof is an invariant of the program in which nothing fails.
pub fn about(model: &Model, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
    let relation = model.relation(budget).map_err(no_relation)?;
    obligations(&Names { relation: &relation, program: Some(&model.program) }, proof, budget)
}

fn no_relation(why: NoRelation) -> Refused {
    match why {
        NoRelation::Unsupported(why) => {
            Rejected::new(format!("no proof can speak of the program: {why}")).into()
        }
        NoRelation::Stopped(stop) => stop.into(),
    }
}

/// Checks that a proof is an invariant of the relation in which nothing fails.
pub fn proof(relation: &Relation, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
    obligations(&Names { relation, program: None }, proof, budget)
}

fn obligations(names: &Names<'_>, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
    let relation = names.relation;
    let reads = validate::check(relation, proof, budget)?;
    counts::validate(relation, proof, budget)?;
    let tables = Tables::new(relation, proof, &reads);
    let claim = Claim { names, proof, tables: &tables };
    let mut statistics = Statistics::default();
    claim.start(&mut statistics, budget)?;
    counts::start(relation, proof)?;
    for (number, command) in relation.commands.iter().enumerate() {
        budget.spend(1)?;
        // Where there is no table nobody stands.
        if tables.singles.contains_key(&command.from) {
            let place = || format!("command {number} from {}", names.control(command.from));
            Obligations::new(&claim, command, &mut statistics, budget)
                .and_then(Obligations::check)
                .map_err(|why| placed(within(&place(), why), names.span(command.from)))?;
        }
    }
    races::check(&claim, &mut statistics, budget)?;
    Ok(statistics)
}

/// Says where in the source something was refused, unless that is known.
fn placed(refused: Refused, at: Option<Span>) -> Refused {
    match refused {
        Refused::Rejected(why) if why.at.is_none() => why.at(at).into(),
        refused => refused,
    }
}

#[cfg(test)]
mod tests;
