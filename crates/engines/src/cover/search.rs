//! The search backward from the errors. Elements that a tuple outside the closure makes unreachable are dropped; the fewest threads go
//! first, because small elements cover many.
//!
//! With the states that few threads reach at hand an element may be lowered ([`super::guess`]): then more is asked for than needed, and
//! where that turns out to be coverable it is taken back.

use super::backward::Backward;
use super::basis::{Basis, Found, Guess};
use super::guess::Guesses;
use crate::closure::{self, Closure, Group, Pool, Start, System};
use base::{Budget, Event, Events, Stop};
use std::collections::{BTreeSet, VecDeque};

/// What the search works with.
pub struct Search<'a, 'm> {
    /// The rules.
    pub system: &'a mut System<'m>,
    /// What is reachable at most.
    pub closure: &'a Closure,
    /// How the system starts.
    pub start: Start,
    /// The rules backward.
    pub backward: Backward,
    /// The elements from which an error can be reached.
    pub basis: Basis,
    /// How many elements the closure ruled out.
    pub pruned: u64,
    /// What elements are lowered by.
    pub guesses: Guesses,
    worklist: BTreeSet<(u64, u32)>,
    pending: VecDeque<Found>,
    budget: &'a Budget,
}

impl<'a, 'm> Search<'a, 'm> {
    /// Starts from the errors of the closure.
    pub fn new(
        system: &'a mut System<'m>,
        closure: &'a Closure,
        guesses: Guesses,
        budget: &'a Budget,
    ) -> Result<Self, Stop> {
        let start = system.start(budget)?;
        let backward = Backward::new(system);
        let (basis, worklist, pending) = (Basis::default(), BTreeSet::new(), VecDeque::new());
        Ok(Self { system, closure, start, backward, basis, pruned: 0, guesses, worklist, pending, budget })
    }

    /// An element that covers a start, if there is one; otherwise the basis is complete.
    pub fn run(&mut self, events: &mut dyn Events) -> Result<Option<u32>, Stop> {
        let errors = self.closure.errors.iter().map(|&(shared, local)| (shared, vec![(local, 1)]));
        let goals = self.closure.goals.iter().map(|(shared, goal)| (*shared, goal.threads.clone()));
        let targets = errors.chain(goals).map(|(shared, threads)| Found { shared, threads, via: None });
        self.pending.extend(targets);
        for (shared, local) in self.guesses.seeds(self.closure) {
            self.budget.spend(1)?;
            let found = Found { shared, threads: vec![(local, 1)], via: None };
            if !self.is_initial(shared, &found.threads) {
                self.add(found, Guess::Whole);
            }
        }
        let mut steps = 0u64;
        loop {
            if let Some(found) = self.pending.pop_front() {
                if let Some(first) = self.meet(found)?
                    && self.is_real(first)?
                {
                    return Ok(Some(first));
                }
                continue;
            }
            let Some((size, id)) = self.worklist.pop_first() else { return Ok(None) };
            if !self.basis.get(id).minimal {
                continue;
            }
            match self.expand(id)? {
                None => self.basis.expand(id),
                Some(first) if self.is_real(first)? => return Ok(Some(first)),
                // The rest of its predecessors is still to be found, unless it was taken back itself.
                Some(_) => drop(self.worklist.insert((size, id))),
            }
            steps += 1;
            if steps.is_multiple_of(1 << 12) {
                let (all, minimal) = self.basis.sizes();
                let line = format!("{minimal} minimal elements of {all}, {} to do", self.worklist.len());
                events.emit(Event::Progress(line));
            }
        }
    }

    /// Whether the way from an element that covers a start leads through no guess. The first guess on the way is coverable: it is taken
    /// back, and what it stood for comes back.
    fn is_real(&mut self, first: u32) -> Result<bool, Stop> {
        let mut at = first;
        while self.basis.get(at).guess == Guess::None {
            self.budget.spend(1)?;
            match self.basis.get(at).via {
                Some((_, to)) => at = to,
                None => return Ok(true),
            }
        }
        let element = self.basis.get(at).clone();
        self.guesses.learn(element.shared, element.threads);
        let guesses = match &element.guess {
            Guess::Whole => self.basis.wholes(),
            _ => vec![at],
        };
        self.budget.spend(self.basis.sizes().0 as u64 / 8)?;
        let (open, left_out) = self.basis.take_back(&guesses);
        for id in open {
            self.worklist.insert((size(&self.basis.get(id).threads), id));
        }
        if let Guess::Of(threads) = element.guess {
            self.pending.push_back(Found { shared: element.shared, threads, via: element.via });
        }
        self.pending.extend(left_out);
        Ok(false)
    }

    fn expand(&mut self, id: u32) -> Result<Option<u32>, Stop> {
        let (shared, threads) = (self.basis.get(id).shared, self.basis.get(id).threads.clone());
        for number in self.backward.rules(shared, &threads) {
            self.budget.spend(1)?;
            let rule = self.system.rule(number as usize);
            let mut before = vec![];
            if rule.starts {
                if fits(&self.start.later, &threads) {
                    before.push(self.system.take(&rule).to_vec());
                }
            } else {
                let (system, tuples) = (&mut *self.system, &self.closure.tuples);
                let mut keep = |threads, _: &[_]| {
                    before.push(threads);
                    Ok(())
                };
                self.backward.predecessors(system, tuples, number, &threads, self.budget, &mut keep)?;
            }
            for threads in before {
                let found = Found { shared: rule.from, threads, via: Some((number, id)) };
                if let Some(first) = self.meet(found)? {
                    return Ok(Some(first));
                }
            }
        }
        Ok(None)
    }

    /// Adds an element unless it is unreachable or covered; its number if it covers a start.
    fn meet(&mut self, found: Found) -> Result<Option<u32>, Stop> {
        let tuples = &self.closure.tuples;
        if found.via.is_some_and(|(_, to)| self.basis.get(to).taken_back) {
            return Ok(None);
        }
        if !tuples.consistent(found.shared, &closure::spread(&found.threads, tuples.width())) {
            self.pruned += 1;
            return Ok(None);
        }
        if self.basis.leaves_out(found.shared, &found.threads, found.via) {
            return Ok(None);
        }
        self.budget.spend(1)?;
        if self.is_initial(found.shared, &found.threads) {
            return Ok(Some(self.add(found, Guess::None)));
        }
        let starts = self.start.shared.contains(&found.shared);
        let initial = |threads: &[Group]| starts && fits(&self.start.first, threads);
        match self.guesses.lower(found.shared, &found.threads, initial) {
            None => self.add(found, Guess::None),
            Some(threads) => {
                let guess = Guess::Of(found.threads);
                self.add(Found { threads, ..found }, guess)
            }
        };
        Ok(None)
    }

    fn is_initial(&self, shared: u32, threads: &[Group]) -> bool {
        self.start.shared.contains(&shared) && fits(&self.start.first, threads)
    }

    fn add(&mut self, found: Found, guess: Guess) -> u32 {
        let size = size(&found.threads);
        let id = self.basis.add(found.shared, found.threads, found.via, guess);
        self.worklist.insert((size, id));
        id
    }
}

fn size(threads: &[Group]) -> u64 {
    threads.iter().map(|it| u64::from(it.1)).sum()
}

/// Whether threads can be there when the pools start.
pub fn fits(pools: &[Pool], threads: &[Group]) -> bool {
    let mut used = vec![0u64; pools.len()];
    for &(local, count) in threads {
        let Some(pool) = pools.iter().position(|it| it.locals.binary_search(&local).is_ok()) else {
            return false;
        };
        used[pool] += u64::from(count);
    }
    pools.iter().zip(used).all(|(pool, used)| pool.most.is_none_or(|most| used <= u64::from(most)))
}

/// The threads with as many more as the pools start with at least.
pub fn filled(pools: &[Pool], threads: &[Group]) -> Vec<Group> {
    let mut all = threads.to_vec();
    for pool in pools {
        let there = threads.iter().filter(|it| pool.locals.binary_search(&it.0).is_ok());
        let there = there.fold(0u32, |sum, it| sum.saturating_add(it.1));
        let more = pool.least.saturating_sub(there);
        if let (Some(&local), true) = (pool.locals.first(), more > 0) {
            all.push((local, more));
        }
    }
    super::backward::normalise(&mut all);
    all
}
