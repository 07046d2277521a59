//! The steps of a whole state: one thread for each local state, all its outcomes, and what they do to the other threads
//! (Basler et al., CAV 2009, section 5.2).

use super::compact::{self, Group};
use super::split::Splits;
use crate::explore::NONE;
use crate::threads::{INSIDE, Outcome, Threads};
use base::{Budget, Stop};

/// Steps states of a program under a bound.
#[derive(Debug)]
pub struct Stepper {
    /// The threads alive at once.
    bound: u32,
    /// Whether threads are kept as a multiset; otherwise in the order of their creation.
    symmetry: bool,
    /// The threads that may be there when `init` has ended.
    populations: Vec<Vec<Group>>,
    /// The state that was loaded.
    pub shared: u32,
    /// Its threads.
    pub groups: Vec<Group>,
    /// How many they are.
    pub total: u32,
    /// The group of the thread inside an atomic section.
    pub inside: Option<usize>,
    /// Whether the bound has refused a thread in any step so far.
    pub refused: bool,
    row: Vec<u32>,
    splits: Splits,
    passive: Vec<Vec<u32>>,
    next: Vec<Group>,
    reacted: Vec<(u32, u32, u32)>,
}

/// How a state was reached from the one loaded.
#[derive(Clone, Copy, Debug)]
pub struct StepTaken<'a> {
    /// The outcome of the thread that stepped.
    pub outcome: Outcome,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// Old state, new state and number of passive threads that were updated.
    pub reacted: &'a [(u32, u32, u32)],
    /// The threads that came when `init` ended.
    pub population: &'a [Group],
}

impl Stepper {
    /// Steps states with at most `bound` threads.
    pub fn new(bound: u32, symmetry: bool, populations: Vec<Vec<Group>>) -> Self {
        Self {
            bound,
            symmetry,
            populations,
            shared: 0,
            groups: vec![],
            total: 0,
            inside: None,
            refused: false,
            row: vec![],
            splits: Splits::default(),
            passive: vec![],
            next: vec![],
            reacted: vec![],
        }
    }

    /// Takes up a state.
    pub fn load(&mut self, threads: &mut Threads<'_>, row: &[u32]) {
        self.shared = compact::decode(row, &mut self.groups);
        self.total = self.groups.iter().map(|group| group.1).sum();
        self.inside = self.groups.iter().position(|&(local, _)| threads.mark(local) & INSIDE != 0);
    }

    /// The groups whose threads may step.
    pub fn active_groups(&self) -> std::ops::Range<usize> {
        self.inside.map_or(0..self.groups.len(), |group| group..group + 1)
    }

    /// All states after one step of one thread of a group.
    pub fn steps(
        &mut self,
        threads: &mut Threads<'_>,
        group: usize,
        budget: &Budget,
        visit: &mut impl FnMut(&mut Threads<'_>, &[u32], StepTaken<'_>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let entry = threads.entry(self.shared, self.groups[group].0, budget)?;
        for number in entry.outcomes() {
            let outcome = threads.outcome(number);
            if outcome.passive != NONE {
                self.with_passive(threads, group, outcome, budget, visit)?;
            } else if outcome.local == NONE && threads.semantics.initialising(self.shared) {
                self.start_others(threads, group, outcome, visit)?;
            } else {
                self.plain(group, outcome);
                let refused = outcome.child != NONE && self.total >= self.bound;
                self.refused |= refused;
                let via = StepTaken { outcome, refused, reacted: &[], population: &[] };
                visit(threads, &self.row, via)?;
            }
        }
        Ok(())
    }

    /// A step that concerns no other thread, but perhaps creates one.
    fn plain(&mut self, group: usize, outcome: Outcome) {
        let child = if self.total < self.bound { outcome.child } else { NONE };
        if self.symmetry {
            let pair = [outcome.local.min(child), outcome.local.max(child)];
            let coming = pair.iter().filter(|&&local| local != NONE).count();
            compact::update(outcome.shared, &self.groups, group, &pair[..coming], &mut self.row);
        } else {
            self.next.clone_from(&self.groups);
            self.replace(group, outcome.local);
            if child != NONE {
                self.next.push((child, 1));
            }
            compact::encode(outcome.shared, &self.next, &mut self.row);
        }
    }

    /// One thread of a group goes on in another state, or ends.
    fn replace(&mut self, group: usize, local: u32) {
        if local == NONE {
            self.next[group].1 -= 1;
        } else if self.symmetry {
            self.next[group].1 -= 1;
            self.next.push((local, 1));
        } else {
            self.next[group].0 = local;
        }
    }

    fn finish(&mut self, shared: u32) {
        self.next.retain(|group| group.1 > 0);
        if self.symmetry {
            crate::explore::normalise(&mut self.next);
        }
        compact::encode(shared, &self.next, &mut self.row);
    }

    /// The last step of `init`: all ways to start the other threads.
    fn start_others(
        &mut self,
        threads: &mut Threads<'_>,
        group: usize,
        outcome: Outcome,
        visit: &mut impl FnMut(&mut Threads<'_>, &[u32], StepTaken<'_>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let shared = threads.semantics.initialised(outcome.shared)?;
        for number in 0..self.populations.len() {
            let coming: u32 = self.populations[number].iter().map(|group| group.1).sum();
            if coming > self.bound.saturating_sub(self.total - 1) {
                self.refused = true;
                continue;
            }
            self.next.clone_from(&self.groups);
            self.replace(group, NONE);
            self.next.extend_from_slice(&self.populations[number]);
            self.finish(shared);
            let population = &self.populations[number];
            let via = StepTaken { outcome, refused: false, reacted: &[], population };
            visit(threads, &self.row, via)?;
        }
        Ok(())
    }

    /// A broadcast, or a condition over passive copies: each passive thread on its own.
    fn with_passive(
        &mut self,
        threads: &mut Threads<'_>,
        group: usize,
        outcome: Outcome,
        budget: &Budget,
        visit: &mut impl FnMut(&mut Threads<'_>, &[u32], StepTaken<'_>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if !self.react(threads, group, outcome, budget)? {
            return Ok(());
        }
        loop {
            budget.spend(1)?;
            self.next.clear();
            self.reacted.clear();
            for index in 0..self.groups.len() {
                if index == group && outcome.local != NONE {
                    self.next.push((outcome.local, 1));
                }
                for (&local, &count) in self.passive[index].iter().zip(self.splits.parts(index)) {
                    self.next.push((local, count));
                    self.reacted.push((self.groups[index].0, local, count));
                }
            }
            self.finish(outcome.shared);
            let via = StepTaken { outcome, refused: false, reacted: &self.reacted, population: &[] };
            visit(threads, &self.row, via)?;
            if !self.splits.advance() {
                return Ok(());
            }
        }
    }

    /// Collects what each passive thread may become; false if the step is not possible.
    fn react(
        &mut self,
        threads: &mut Threads<'_>,
        group: usize,
        outcome: Outcome,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        self.splits.clear();
        self.passive.clear();
        let (mut constrained, mut possible) = (false, true);
        for index in 0..self.groups.len() {
            let (local, count) = self.groups[index];
            let count = count - u32::from(index == group);
            let mut options = vec![];
            if count > 0 {
                let reacts = threads.reacts(outcome.passive, local, budget)?;
                options.extend_from_slice(threads.reacted(reacts));
                constrained |= reacts.constrained;
            }
            possible &= self.splits.add(count, options.len());
            self.passive.push(options);
        }
        Ok(possible && (constrained || threads.passive(outcome.passive).unconstrained))
    }
}
