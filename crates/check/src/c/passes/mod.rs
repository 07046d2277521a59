//! Validation of passes on normalised C: a pass gives a new program and a *correspondence*, and this says
//! whether every run of the old program into an error is matched by one of the new program, so that a proof
//! about the new program is one about the old. Nothing of the pass is trusted, and nothing is searched for:
//! each step of the old program at each pair of the correspondence is taken on terms, with the only path of
//! the new program that there is.
//!
//! A forward simulation, as Leroy has it in CompCert (CACM 2009), with a relation that is written down and
//! checked for each program, as Necula does in his translation validation (PLDI 2000). Memory, threads, locks
//! and sections are equal on both sides, but for promoted objects; facts are about one thread alone.

mod declarations;
mod gone;
mod paths;
mod promoted;
mod steps;
mod views;

use crate::{Refused, Rejected};
use base::Budget;
use c::correspondence::terms::Terms;
use c::{Correspondence, Loc, ObjectId, Program};
use paths::MadeSymbol;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What must not be lost, beside failing assertions and error calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Preserve {
    /// Undefined behaviour is an error, at its place.
    pub undefined: bool,
    /// Only some kinds of undefined behaviour are errors: which one comes first in a step matters.
    pub first_fault: bool,
    /// Two threads about to access one scalar.
    pub races: bool,
    /// Threads that wait for ever.
    pub deadlocks: bool,
    /// Allocations that nothing points to any more.
    pub leaks: bool,
}

/// Says whether a correspondence shows that every error of the old program is one of the new program.
pub fn validate(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    preserve: &Preserve,
    budget: &Budget,
) -> Result<(), Refused> {
    declarations::check(old, new, correspondence, preserve)?;
    let mut index: Index = HashMap::new();
    for (number, pair) in correspondence.pairs.iter().enumerate() {
        index.entry((pair.stack.clone(), pair.new)).or_default().push(number);
    }
    let mut validator = Validator {
        old,
        new,
        correspondence,
        preserve: *preserve,
        terms: Terms::new(new),
        index,
        stacks: correspondence.pairs.iter().map(|pair| pair.stack.clone()).collect(),
        promoted: correspondence.promoted.iter().copied().collect(),
        made: vec![],
    };
    validator.start()?;
    let gone = gone::Gone::new(old, correspondence, preserve.undefined)?;
    for pair in &correspondence.pairs {
        budget.spend(pair.facts.len() as u64 + 1)?;
        let place = pair.stack.last().and_then(|&loc| old.at(loc).span);
        let checked = match pair.new {
            Some(at) => validator.pair(&pair.stack, at, &pair.facts),
            None => gone.check(&pair.stack),
        };
        checked.map_err(|why| Rejected { why: format!("at {:?}: {}", pair.stack, why.why), at: place })?;
    }
    Ok(())
}

type Index = HashMap<(Vec<Loc>, Option<Loc>), Vec<usize>>;

/// What is checked, and the terms made so far.
struct Validator<'a> {
    old: &'a Program,
    new: &'a Program,
    correspondence: &'a Correspondence,
    preserve: Preserve,
    terms: Terms,
    /// The pairs by their locations.
    index: Index,
    stacks: HashSet<Vec<Loc>>,
    promoted: BTreeSet<ObjectId>,
    /// The symbols that the current step brought.
    made: Vec<MadeSymbol>,
}

impl Validator<'_> {
    fn is_promoted(&self, object: ObjectId) -> bool {
        self.promoted.contains(&object)
    }
}
