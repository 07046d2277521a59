//! Proofs about C by predicates: an invariant about each thread and each two threads ([`ir::c::relation::proof`]), over the program as
//! guarded commands. The invariant must hold at the start, each command must keep it for the thread that executes it, for a thread that it
//! creates, for one and for two threads that look on, and no failing command may be possible in it. Then no assertion fails, with any
//! number of threads.
//!
//! Each of these is a question to this crate's solver, which proves its refutations; commands become gates here, by code that shares
//! nothing with the code that found the proof. How the predicates and the rows were found does not matter.

mod frames;
mod names;
mod obligations;
pub mod states;
mod tables;
mod types;
mod validate;
mod words;

use base::{Budget, SourceMap};
use check::{Refused, Rejected, reject, within};
use ir::c::relation::proof::{Proof, Unread, read};
use ir::c::relation::{NoRelation, Relation};
use ir::c::{Options, Program};
use names::Names;
use obligations::{Claim, Obligations};
use tables::Tables;

/// What a check took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Questions to the solver.
    pub questions: u64,
    /// Questions that needed no solver, because the command changes nothing that a table speaks of.
    pub unchanged: u64,
}

/// A C program and how it is read.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What its steps mean.
    pub options: &'a Options,
    /// The files that it stems from, for messages.
    pub sources: Option<&'a SourceMap>,
}

impl Subject<'_> {
    /// Checks that a proof is an invariant of the program in which nothing fails.
    pub fn proof(&self, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
        let relation = self.relation(budget)?;
        self.check(&relation, proof, budget)
    }

    /// The same for a proof in its text form.
    pub fn text(&self, text: &str, budget: &Budget) -> Result<Statistics, Refused> {
        let relation = self.relation(budget)?;
        match read(text, &relation, budget) {
            Ok(proof) => self.check(&relation, &proof, budget),
            Err(Unread::Wrong(why)) => Ok(reject(why)?),
            Err(Unread::Stopped(stop)) => Err(stop.into()),
        }
    }

    /// The program as guarded commands.
    fn relation(&self, budget: &Budget) -> Result<Relation, Refused> {
        Relation::of(self.program, self.options, budget).map_err(|why| match why {
            NoRelation::Unsupported(why) => {
                Rejected(format!("no proof can speak of the program: {why}")).into()
            }
            NoRelation::Stopped(stop) => stop.into(),
        })
    }

    fn check(&self, relation: &Relation, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
        let names = Names { relation, program: Some(self.program), sources: self.sources };
        obligations(&names, proof, budget)
    }
}

/// Checks that a proof is an invariant of the relation in which nothing fails.
pub fn proof(relation: &Relation, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
    obligations(&Names { relation, program: None, sources: None }, proof, budget)
}

fn obligations(names: &Names<'_>, proof: &Proof, budget: &Budget) -> Result<Statistics, Refused> {
    let relation = names.relation;
    let reads = validate::check(relation, proof, budget)?;
    let tables = Tables::new(relation, proof, &reads);
    let claim = Claim { names, proof, tables: &tables };
    let mut statistics = Statistics::default();
    claim.start(&mut statistics, budget)?;
    for (number, command) in relation.commands.iter().enumerate() {
        budget.spend(1)?;
        // Where there is no table nobody stands.
        if tables.singles.contains_key(&command.from) {
            let place = || format!("command {number} from {}", names.control(command.from));
            Obligations::new(&claim, command, &mut statistics, budget)
                .and_then(Obligations::check)
                .map_err(|why| within(&place(), why))?;
        }
    }
    Ok(statistics)
}

#[cfg(test)]
mod tests;
