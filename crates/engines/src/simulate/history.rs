//! The states seen so far, by their program counters, and the test whether one of them covers a new one (Cook, Kroening and Sharygina,
//! section 4). One single older state must cover it; unions are not considered.

use super::live::Live;
use super::oracle::Oracle;
use super::state::{Key, State};
use super::statistics::Statistics;
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit, Node};
use solve::inclusion::{self, Options, StateSet};

/// The history.
pub struct History {
    live: Live,
    options: Options,
    seen: FxHashMap<Key, Vec<StateSet>>,
}

impl History {
    /// Nothing seen yet.
    pub fn new(live: Live, options: Options) -> Self {
        Self { live, options, seen: FxHashMap::default() }
    }

    /// What is compared.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// The state as a set of points.
    pub fn set(&self, state: &State) -> StateSet {
        StateSet { bits: self.live.bits(state), guard: state.guard }
    }

    /// Keeps a state, to be compared with later ones.
    pub fn insert(&mut self, state: &State) {
        let set = self.set(state);
        self.seen.entry(state.key()).or_default().push(set);
    }

    /// Whether an older state covers this one.
    pub fn covers(
        &self,
        aig: &mut Aig,
        state: &State,
        oracle: &mut Oracle,
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let Some(old) = self.seen.get(&state.key()) else { return Ok(false) };
        let new = self.set(state);
        // The newest are the most similar: what covers is mostly found among them.
        for old in old.iter().rev() {
            budget.spend(1)?;
            statistics.subsumption_tests += 1;
            let mut options = self.options;
            if options.filters {
                if let Some(answer) = inclusion::filter(aig, &new, old) {
                    statistics.filtered += 1;
                    if answer {
                        return Ok(true);
                    }
                    continue;
                }
                options.filters = false;
                if new.bits == old.bits {
                    // The same formulas: it is enough that the old guard holds where the new one does.
                    let outside = aig.and(new.guard, !old.guard);
                    if !oracle.satisfiable(aig, outside, statistics, budget)? {
                        return Ok(true);
                    }
                    if are_choices(aig, &new.bits) {
                        continue;
                    }
                }
            }
            if inclusion::included(aig, &new, old, &options, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the formulas are different choice variables, so that a point has one choice for them.
fn are_choices(aig: &Aig, bits: &[Lit]) -> bool {
    let mut nodes: Vec<usize> = bits.iter().map(|bit| bit.node()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.len() == bits.len() && bits.iter().all(|&bit| matches!(aig.node(bit), Node::Input(_)))
}
