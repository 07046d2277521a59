//! The states seen so far, by their program counters, and the test whether they cover a new one (Cook,
//! Kroening and Sharygina, section 4).
//!
//! In the paper one single older state must cover the new one. Where state sets have canonical forms we ask
//! for the union of all older ones: then each state that is kept has a valuation that is new, and the search
//! ends sooner.

use super::live::Live;
use super::settings::SimulateOptions;
use super::state::{ControlKey, State};
use super::statistics::Statistics;
use crate::formulas::canonical::{Candidate, CanonicalForms};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::Aig;
use solve::bdd::Bdd;
use solve::inclusion::{self, StateSet};

/// The history.
pub struct History {
    live: Live,
    options: SimulateOptions,
    forms: CanonicalForms,
    seen: FxHashMap<ControlKey, Seen>,
}

/// The states with one key.
struct Seen {
    /// The union of all that have a canonical form.
    union: Bdd,
    /// The others.
    sets: Vec<StateSet>,
}

impl History {
    /// Nothing seen yet.
    pub fn new(live: Live, options: SimulateOptions) -> Self {
        Self { live, options, forms: CanonicalForms::new(), seen: FxHashMap::default() }
    }

    /// What is compared.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// All states seen, by their keys, in order; `None` if some set has no canonical form.
    pub fn unions(&self) -> Option<Vec<(ControlKey, Bdd)>> {
        let union =
            |(key, seen): (&ControlKey, &Seen)| seen.sets.is_empty().then(|| (key.clone(), seen.union));
        let mut all = self.seen.iter().map(union).collect::<Option<Vec<_>>>()?;
        all.sort_by(|a, b| a.0.cmp(&b.0));
        Some(all)
    }

    /// The decision diagrams of the unions.
    pub fn forms(&mut self) -> &mut CanonicalForms {
        &mut self.forms
    }

    /// Drops a state that older ones cover. Any other is kept, to be compared with later ones; it may come
    /// back rewritten.
    pub fn enter(
        &mut self,
        aig: &mut Aig,
        state: &State,
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Result<Entered, Stop> {
        let new = StateSet { bits: self.live.bits(state), guard: state.guard };
        let nothing = self.forms.nothing();
        let seen = self.seen.entry(state.key()).or_insert(Seen { union: nothing, sets: vec![] });
        let canonical = if self.options.union { self.forms.of(aig, &new, budget)? } else { None };
        if let Some(valuations) = canonical {
            statistics.canonical += 1;
            if self.forms.within(valuations, seen.union, budget)? {
                return Ok(Entered::Covered);
            }
        }
        if covered_by_one(aig, &new, &seen.sets, &self.options.inclusion, statistics, budget)? {
            return Ok(Entered::Covered);
        }
        let Some(valuations) = canonical else {
            seen.sets.push(new);
            return Ok(Entered::New(None));
        };
        let mut rewritten = None;
        if let Some(most) = self.options.reparameterise {
            let candidate = Candidate { set: &new, valuations, union: seen.union };
            rewritten = self.forms.rewrite(aig, candidate, most, budget)?;
        }
        if !self.forms.unite(&mut seen.union, valuations, budget)? {
            seen.sets.push(new);
        }
        let rewritten =
            rewritten.map(|set| State { guard: set.guard, ..self.live.with_bits(state, &set.bits) });
        Ok(Entered::New(rewritten))
    }
}

/// What became of a state.
pub enum Entered {
    /// Older states cover it.
    Covered,
    /// It has something new. The state with fewer choice variables, if there is one; it may lack valuations
    /// of older states.
    New(Option<State>),
}

/// Whether a single older state covers the new one.
fn covered_by_one(
    aig: &Aig,
    new: &StateSet,
    old: &[StateSet],
    options: &inclusion::Options,
    statistics: &mut Statistics,
    budget: &Budget,
) -> Result<bool, Stop> {
    // The newest are the most similar: what covers is mostly found among them.
    for old in old.iter().rev() {
        budget.spend(1)?;
        statistics.subsumption_tests += 1;
        if options.filters
            && let Some(answer) = inclusion::filter(aig, new, old)
        {
            statistics.filtered += 1;
            if answer {
                return Ok(true);
            }
            continue;
        }
        let options = inclusion::Options { filters: false, ..*options };
        if inclusion::included(aig, new, old, &options, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}
