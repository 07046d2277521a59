//! The width-k closure as decision diagrams, over classes of locations.
//!
//! The set is the one of [`crate::closure`]: what at most k threads of a run with any number of threads can
//! look like together, closed under steps of its members, of threads outside and under creation. Control
//! stays explicit as a multiset of classes of locations, and one function for each says which shared
//! valuations and locals go together; a program with much data, or long code that an assertion has nothing to
//! do with, has few functions where there would be millions of explicit tuples. Locations are merged as
//! [`regions`] says, and a class is split when its merging may be what makes an alarm. Invisible transitions
//! are not merged.
//!
//! Like the explicit closure it over-approximates: without an error in it there is none for any number of
//! threads, monotone or not.

mod certify;
pub mod classes;
mod derive;
mod environment;
mod regions;
pub mod sets;
pub mod slots;
mod start;
pub mod transitions;

pub use certify::{ShownTuple, certificate};
pub use classes::Classes;
pub use sets::{TupleKey, TupleSets};

use super::Mode;
use crate::command::Commands;
use crate::encoding::{Encoding, EncodingPlan};
use base::{Budget, Event, Events, Progress, Stop};
use derive::DiagramDeriver;
use ir::bp::Program;
use solve::bdd::Limits;

/// A closed set, or as much of it as it took to find an error.
#[derive(Debug)]
pub struct Closed {
    /// The classes that it is over.
    pub classes: Classes,
    /// The set.
    pub sets: TupleSets,
    /// The most threads of a tuple.
    pub width: usize,
    /// The function in which a thread is in an error.
    pub error: Option<u32>,
}

/// What closing took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Classes that were split.
    pub splits: u64,
    /// Images computed.
    pub images: u64,
    /// The most nodes of decision diagrams at once.
    pub peak_nodes: u64,
}

/// Alarms after which everything is split that may have to do with one: each costs a closure.
const MOST_ALARMS: u32 = 4;

/// Encodes a program for closures up to a width.
pub fn encode<'p>(
    program: &'p Program,
    commands: Commands,
    width: usize,
    limits: Limits,
    budget: &Budget,
) -> Result<Encoding<'p>, Stop> {
    let plan = EncodingPlan { copies: 0, members: width + 1, limits };
    Encoding::new(program, commands, plan, budget)
}

/// Closes a program, which was encoded for the width or a larger one. Classes are split until no merging has
/// a part in an error. Where the mode stops at an error the set is not closed if there is one. There is no
/// limit to the tuples.
pub fn close(
    encoding: &mut Encoding<'_>,
    mut classes: Classes,
    mode: Mode,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<(Closed, Statistics), Stop> {
    let mut statistics = Statistics::default();
    for alarms in 1.. {
        let mut deriver = DiagramDeriver::new(encoding, &classes, mode.width, budget)?;
        let error = deriver.run(mode.stop_at_error)?;
        statistics.images += deriver.images;
        let sets = std::mem::take(&mut deriver.sets);
        statistics.peak_nodes = encoding.manager.statistics().peak_nodes as u64;
        let suspects = error.map_or(vec![], |error| suspects(&classes, &sets, error, alarms > MOST_ALARMS));
        if suspects.is_empty() {
            return Ok((Closed { classes, sets, width: mode.width, error }, statistics));
        }
        statistics.splits += suspects.len() as u64;
        classes = classes.split(encoding, &suspects);
        events.emit(Event::Progress(Progress::Classes { width: mode.width, classes: classes.len() }));
    }
    unreachable!("there are finitely many classes to split")
}

/// The coarse classes that an error was derived through: on the first way found, or if there is none on it,
/// on any.
fn suspects(classes: &Classes, sets: &TupleSets, error: u32, at_once: bool) -> Vec<u32> {
    let on = |all: bool| {
        let ancestors = sets.ancestors(error, all).into_iter();
        let controls = ancestors.flat_map(|number| sets.key(number).tuple.as_slice().to_vec());
        let mut found: Vec<u32> =
            controls.map(sets::class_of).filter(|&class| classes.is_coarse(class)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let first = if at_once { vec![] } else { on(false) };
    if first.is_empty() { on(true) } else { first }
}
