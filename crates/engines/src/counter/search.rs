//! The search over symbolic counter states, oldest first.

use super::broadcast::Broadcasts;
use super::group::{Piece, ThreadGroup};
use super::start;
use super::statistics::CounterWork;
use super::store::{Departure, How, StateStore};
use super::threads::SymbolicThreads;
use crate::bounded::Sizes;
use crate::independence::{Futures, Independence};
use base::Stop;
use solve::bdd::Bdd;

/// A state is hashed, compared and stored group by group, which takes as long as a few steps on diagrams.
const TICKS_OF_A_GROUP: u64 = 2;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct CounterPlan {
    /// How many threads.
    pub sizes: Sizes,
    /// What is done with a new state.
    pub how: How,
    /// The bytes that stored states may take.
    pub bytes: usize,
    /// Give up after this many states.
    pub most_states: usize,
}

/// What the search found.
#[derive(Debug)]
pub struct CounterExploration {
    /// The states.
    pub store: StateStore,
    /// An arrival with an error, if there is one; otherwise all states were explored.
    pub error: Option<u32>,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// Whether there were more states than allowed.
    pub too_many: bool,
    /// The threads alive at once.
    pub bound: u32,
    /// The threads that come when `init` has ended.
    pub populations: Vec<Vec<ThreadGroup>>,
}

impl CounterExploration {
    /// The functions that must survive a collection.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> {
        self.store.roots().chain(self.populations.iter().flatten().map(|group| group.set))
    }
}

/// Explores the states of a program. With `independence` a thread that no other can disturb goes first.
pub fn search(
    threads: &mut SymbolicThreads<'_>,
    broadcasts: &mut Broadcasts,
    independence: Option<&Independence>,
    plan: CounterPlan,
    work: &mut CounterWork<'_>,
) -> Result<CounterExploration, Stop> {
    let populations = start::populations(threads, plan.sizes, work.budget)?;
    let starts = start::pieces(threads, &populations, work.budget)?;
    let futures = independence.map(Independence::futures);
    let found = CounterExploration {
        store: StateStore::new(plan.how),
        error: None,
        refused: false,
        too_many: false,
        bound: plan.sizes.bound,
        populations,
    };
    let mut search = CounterSearch { threads, broadcasts, independence, futures, plan, found, work };
    for piece in starts {
        search.insert(piece, None)?;
    }
    while search.found.error.is_none() && !search.found.too_many {
        let Some(expansion) = search.found.store.next() else { break };
        search.expand(expansion)?;
        search.collect();
    }
    Ok(search.finish())
}

struct CounterSearch<'a, 'b, 'p> {
    threads: &'a mut SymbolicThreads<'p>,
    broadcasts: &'a mut Broadcasts,
    independence: Option<&'a Independence>,
    futures: Option<Futures>,
    plan: CounterPlan,
    found: CounterExploration,
    work: &'a mut CounterWork<'b>,
}

impl CounterSearch<'_, '_, '_> {
    fn expand(&mut self, expansion: u32) -> Result<(), Stop> {
        self.work.budget.spend(1)?;
        self.work.statistics.expanded += 1;
        self.work.progress(self.work.statistics.expanded, self.plan.sizes.bound);
        let piece = self.found.store.expansions[expansion as usize].piece.clone();
        let groups = match (self.alone(&piece)?, piece.inside()) {
            (Some(group), _) | (None, Some(group)) => group..group + 1,
            (None, None) => 0..piece.groups.len(),
        };
        for active in groups {
            self.step(&piece, active, Departure { expansion, group: active as u32 })?;
            if self.found.error.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// All states after one step of one thread of a group.
    fn step(&mut self, piece: &Piece, active: usize, from: Departure) -> Result<(), Stop> {
        let at = piece.groups[active].at;
        let full = piece.total() >= self.plan.sizes.bound;
        let outcomes = self.threads.outcomes(piece.shared, &piece.groups[active], full, self.work.budget)?;
        self.found.refused |= outcomes.refused;
        for outcome in outcomes.list.iter() {
            if outcome.local.is_none() && piece.initialising {
                self.start_others(piece, active, outcome.shared, from)?;
                continue;
            }
            let coming = outcome.local.into_iter().chain(outcome.child);
            let coming = coming.map(|(at, set)| ThreadGroup::one(at, set));
            let groups = piece.without(active).into_iter().chain(coming).collect();
            self.insert(Piece::new(piece.initialising, outcome.shared, groups), Some(from))?;
        }
        for index in 0..self.threads.encoding.steps(at.loc()).len() {
            if self.threads.encoding.steps(at.loc())[index].is_passive {
                let budget = self.work.budget;
                for after in self.broadcasts.successors(self.threads, piece, active, index, budget)? {
                    self.insert(after, Some(from))?;
                }
            }
        }
        Ok(())
    }

    /// The last step of `init`: all numbers of the other threads.
    fn start_others(
        &mut self,
        piece: &Piece,
        active: usize,
        shared: Bdd,
        from: Departure,
    ) -> Result<(), Stop> {
        let left = piece.without(active);
        let present: u32 = left.iter().map(|group| group.count).sum();
        for population in self.found.populations.clone() {
            let coming: u32 = population.iter().map(|group| group.count).sum();
            if present + coming > self.plan.sizes.bound {
                self.found.refused = true;
                continue;
            }
            let groups = left.iter().copied().chain(population).collect();
            self.insert(Piece::new(false, shared, groups), Some(from))?;
        }
        Ok(())
    }

    fn insert(&mut self, piece: Piece, from: Option<Departure>) -> Result<(), Stop> {
        let (store, manager) = (&mut self.found.store, &mut self.threads.encoding.manager);
        if self.found.error.is_some() {
            return Ok(());
        }
        self.work.budget.spend(TICKS_OF_A_GROUP * (1 + piece.groups.len() as u64))?;
        if store.contains(manager, &piece, self.work.budget)? {
            self.work.statistics.subsumed += 1;
            return Ok(());
        }
        let fails = failing(self.threads, &piece, self.work)?.is_some();
        let (store, manager) = (&mut self.found.store, &mut self.threads.encoding.manager);
        let arrival = store.insert(manager, piece, from, self.work.budget)?;
        if fails {
            self.found.error = Some(arrival);
        }
        self.found.too_many |= store.arrivals.len() > self.plan.most_states;
        if store.bytes() > self.plan.bytes {
            return Err(Stop::Memory);
        }
        Ok(())
    }

    /// A group with a thread that can be run alone: it can step whatever the state is, and nothing that
    /// others may still do has to do with it.
    fn alone(&mut self, piece: &Piece) -> Result<Option<usize>, Stop> {
        let (Some(independence), Some(futures)) = (self.independence, &mut self.futures) else {
            return Ok(None);
        };
        let total = piece.total();
        if piece.inside().is_some() || total < 2 || piece.initialising {
            return Ok(None);
        }
        futures.clear();
        for group in piece.groups.iter() {
            futures.add(independence, group.at.loc(), group.count > 1);
        }
        for (index, group) in piece.groups.iter().enumerate() {
            let loc = group.at.loc();
            let encoding = &mut self.threads.encoding;
            if !independence.runs_alone(loc, futures) {
                continue;
            }
            // A thread that is blocked may be so for ever, and then the others must not wait for it.
            let enabled = encoding.enabled(loc);
            let blocked = encoding.manager.diff(piece.shared, enabled, self.work.budget)?;
            if encoding.manager.disjoint(blocked, group.set, self.work.budget)? {
                self.work.statistics.alone += 1;
                self.work.statistics.not_expanded += u64::from(total - 1);
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Collects garbage where that pays.
    fn collect(&mut self) {
        let nodes = self.threads.encoding.manager.statistics().peak_nodes as u64;
        self.work.statistics.peak_nodes = self.work.statistics.peak_nodes.max(nodes);
        let found = &self.found;
        self.work.statistics.collections += u64::from(self.threads.collect(|| found.roots()));
    }

    fn finish(self) -> CounterExploration {
        let statistics = &mut self.work.statistics;
        let counts = self.found.store.counts;
        statistics.states += self.found.store.arrivals.len() as u64;
        statistics.subsumed += counts.subsumed;
        statistics.merged_shared += counts.shared;
        statistics.merged_threads += counts.threads;
        let [images, looked_up, splits, cofactors] = std::mem::take(&mut self.threads.counts);
        statistics.images += images;
        statistics.looked_up += looked_up;
        statistics.splits += splits;
        statistics.cofactors += cofactors;
        let nodes = self.threads.encoding.manager.statistics().peak_nodes as u64;
        statistics.peak_nodes = statistics.peak_nodes.max(nodes);
        self.found
    }
}

/// A group of the state with a thread in an error, at a label or at an assertion that fails while it may
/// step, and where: a set over shared variables and locals.
pub fn failing(
    threads: &mut SymbolicThreads<'_>,
    piece: &Piece,
    work: &CounterWork<'_>,
) -> Result<Option<(usize, Bdd)>, Stop> {
    let inside = piece.inside();
    for (index, group) in piece.groups.iter().enumerate() {
        let loc = group.at.loc();
        let encoding = &mut threads.encoding;
        if encoding.program.at(loc).error {
            return Ok(Some((index, Bdd::TRUE)));
        }
        let fails = encoding.failing(loc);
        if fails.is_false() || inside.is_some_and(|inside| inside != index) {
            continue;
        }
        let fails = encoding.manager.and(fails, group.set, work.budget)?;
        let fails = encoding.manager.and(fails, piece.shared, work.budget)?;
        if !fails.is_false() {
            return Ok(Some((index, fails)));
        }
    }
    Ok(None)
}
