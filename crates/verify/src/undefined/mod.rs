//! Undefined behaviour. Assertions are proved as if a thread blocked there, so somebody has to look whether
//! it happens: the concrete engine searches the program with nothing dropped, in which it is an error. What
//! it finds is told if a sanitizer would say so, too; what it neither finds nor excludes is assumed not to
//! happen.

mod places;
mod reporting;
mod rests;
mod search;

pub use reporting::words;
pub(crate) use rests::Rests;
pub(crate) use search::{AT_LEAST, Finding, Watch};

use crate::answer::Assumption;
use crate::prepare::passed;
use ::c::{Fault, Loc};
use base::budget::StopHandle;
use base::{Budget, Span};
use front::CProgram;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What listing the places of undefined behaviour may cost.
pub const PLACES: u64 = 20_000_000;

/// What is known of undefined behaviour in the program with nothing dropped.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Where a run comes to it, though that is not told as an error.
    pub met: BTreeMap<Loc, Fault>,
    /// What external functions give in runs that do not come to it.
    pub excuses: BTreeSet<String>,
    /// Whether there is no other within the scope.
    pub excluded: bool,
}

/// What a proof about the assertions of a program takes for granted, as far as the text of the program tells.
pub fn taken_for_granted(source: &CProgram, handle: &StopHandle) -> Vec<Assumption> {
    let general = source.assumptions.iter().cloned().map(Assumption::General);
    let budget = Budget::new(PLACES, handle.clone());
    let literal = source.literal.as_ref().map(|it| passed(it, &budget).unwrap_or_else(|_| Arc::clone(it)));
    let places = literal.map(|it| assumptions(&it, &Known::default(), &budget));
    general.chain(places.into_iter().flatten()).collect()
}

/// What a proof about assertions takes for granted: no undefined behaviour at these places, in the order of
/// the source.
pub fn assumptions(literal: &CProgram, known: &Known, budget: &Budget) -> Vec<Assumption> {
    let mut all = known.met.clone();
    if !known.excluded {
        match places::places(&literal.program, budget) {
            Ok(found) => found.into_iter().for_each(|(at, fault)| {
                all.entry(at).or_insert(fault);
            }),
            Err(_) => return vec![Assumption::NoUndefined { span: None, fault: "any place".to_string() }],
        }
    }
    let places: BTreeSet<(Option<Span>, String)> =
        all.into_iter().map(|(at, fault)| (literal.program.at(at).span, fault.to_string())).collect();
    let (nowhere, somewhere): (Vec<_>, Vec<_>) = places.into_iter().partition(|it| it.0.is_none());
    let excuses = known.excuses.iter().cloned().map(Assumption::General);
    let places = somewhere.into_iter().chain(nowhere);
    places.map(|(span, fault)| Assumption::NoUndefined { span, fault }).chain(excuses).collect()
}
