//! The width-k closure: a set of (shared state, at most k threads) that contains what any k threads of a run
//! with any number of threads can look like together. With k = 1 it is the thread-state relation of Cook,
//! Kroening and Sharygina, *Over-Approximating Boolean Programs with Unbounded Thread Creation*, FMCAD 2006,
//! without its treatment of locks, which wider closures do not need.
//!
//! A rule takes the threads C and makes the threads P. If the threads U and C may be there together, that is,
//! if every part of their union that has at most k threads is in the set, then what U becomes is in the set
//! together with P: every part of it of at most k threads. A step of one of k threads, a step of the
//! environment, a spawn and an end are all cases of this. Nothing here needs the system to be monotone: where
//! a thread of U forbids the rule there is no successor, and threads outside the tuple are taken to agree.

mod certify;
mod derive;
pub mod diagrams;
pub mod nets;
pub mod places;
pub mod programs;
pub mod system;
#[cfg(test)]
mod tests;
pub mod tuples;
pub mod words;

pub use certify::certificate;
pub use derive::{Closure, Mode, close};
pub use system::{Goal, Group, Pool, Rule, RuleSystem, Source, Start};
pub use tuples::{MOST_WIDTH, Tuples};

use crate::command::Commands;
use crate::engine::no_c;
use ir::{Model, Reason};

/// The system of a model, or why there is none. With `merging` invisible transitions are merged with those
/// before them.
pub fn system(model: &Model, merging: bool) -> Result<RuleSystem<'_>, Reason> {
    Ok(RuleSystem::new(match model {
        Model::Program(program) => {
            let commands = Commands::new(program)?;
            Source::Program(Box::new(programs::Programs::new(program, commands, merging)))
        }
        Model::Net(net) => Source::Net(nets::Nets::new(net)),
        Model::C(_) => return Err(no_c()),
    }))
}

/// Whether transitions of the model are merged anywhere, so that a set closed with transition merging may not
/// be closed without.
pub fn has_merging(model: &Model) -> bool {
    match model {
        Model::Program(program) => program.locations().iter().any(|location| location.invisible),
        Model::Net(_) | Model::C(_) => false,
    }
}

/// A sorted multiset written out, at most `most` times each.
pub fn spread(groups: &[Group], most: usize) -> Vec<u32> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    groups.iter().flat_map(|&(local, n)| std::iter::repeat_n(local, n.min(most) as usize)).collect()
}
