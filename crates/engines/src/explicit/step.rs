//! The steps of a whole state: one thread for each local state, all its outcomes, and what they do to the
//! other threads (Basler et al., CAV 2009, section 5.2).

use super::compact::{self, LocalCount};
use super::split::Splits;
use crate::explore::NONE;
use crate::threads::replay::Taken;
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
    populations: Vec<Vec<LocalCount>>,
    /// The state that was loaded.
    pub shared: u32,
    /// Its threads.
    pub groups: Vec<LocalCount>,
    /// How many they are.
    pub total: u32,
    /// The group of the thread inside an atomic section.
    pub inside: Option<usize>,
    /// Whether the bound has refused a thread in any step so far.
    pub refused: bool,
    splits: Splits,
    passive: Vec<Vec<u32>>,
    next: Vec<LocalCount>,
    /// The threads after steps that concern passive threads, of the state that was loaded.
    composed: Vec<LocalCount>,
    /// What became of passive threads in these steps.
    reacted: Vec<PassiveUpdate>,
}

/// Old state, new state and number of passive threads that were updated.
pub type PassiveUpdate = (u32, u32, u32);

/// A step of the state that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct ThreadStep {
    /// The group of the thread that steps.
    group: u32,
    /// What it does.
    pub outcome: Outcome,
    others: OtherThreads,
}

/// What a step does to the other threads.
#[derive(Clone, Copy, Debug)]
enum OtherThreads {
    /// Nothing; whether the bound refuses the thread that it creates.
    Stay { refused: bool },
    /// Passive threads are updated: ranges of `composed` and of `reacted`.
    React { composed: [u32; 2], reacted: [u32; 2] },
    /// `init` ends, and they start.
    Start { shared: u32, population: u32 },
}

fn range([first, end]: [u32; 2]) -> std::ops::Range<usize> {
    first as usize..end as usize
}

impl Stepper {
    /// Steps states with at most `bound` threads.
    pub fn new(bound: u32, symmetry: bool, populations: Vec<Vec<LocalCount>>) -> Self {
        Self {
            bound,
            symmetry,
            populations,
            shared: 0,
            groups: vec![],
            total: 0,
            inside: None,
            refused: false,
            splits: Splits::default(),
            passive: vec![],
            next: vec![],
            composed: vec![],
            reacted: vec![],
        }
    }

    /// Takes up a state.
    pub fn load(&mut self, threads: &mut Threads<'_>, row: &[u32]) {
        self.shared = compact::decode(row, &mut self.groups);
        self.total = self.groups.iter().map(|group| group.1).sum();
        self.inside = self.groups.iter().position(|&(local, _)| threads.mark(local) & INSIDE != 0);
        self.composed.clear();
        self.reacted.clear();
    }

    /// The groups whose threads may step.
    pub fn active_groups(&self) -> std::ops::Range<usize> {
        self.inside.map_or(0..self.groups.len(), |group| group..group + 1)
    }

    /// All steps of one thread of a group.
    pub fn steps(
        &mut self,
        threads: &mut Threads<'_>,
        group: usize,
        budget: &Budget,
        visit: &mut impl FnMut(ThreadStep),
    ) -> Result<(), Stop> {
        let entry = threads.entry(self.shared, self.groups[group].0, budget)?;
        for number in entry.outcomes() {
            let outcome = threads.outcome(number);
            if outcome.passive != NONE {
                self.with_passive(threads, group, outcome, budget, visit)?;
            } else if outcome.local == NONE && threads.semantics.initialising(self.shared) {
                self.start_others(threads, group, outcome, visit)?;
            } else {
                let refused = outcome.child != NONE && self.total >= self.bound;
                self.refused |= refused;
                visit(ThreadStep { group: group as u32, outcome, others: OtherThreads::Stay { refused } });
            }
        }
        Ok(())
    }

    /// Appends the row of the state after a step.
    pub fn row(&mut self, step: ThreadStep, row: &mut Vec<u32>) {
        let group = step.group as usize;
        match step.others {
            OtherThreads::Stay { refused } => self.plain(group, step.outcome, refused, row),
            OtherThreads::React { composed, .. } => {
                compact::encode(step.outcome.shared, &self.composed[range(composed)], row);
            }
            OtherThreads::Start { shared, population } => {
                self.next.clone_from(&self.groups);
                self.replace(group, NONE);
                self.next.extend_from_slice(&self.populations[population as usize]);
                self.finish();
                compact::encode(shared, &self.next, row);
            }
        }
    }

    /// The step with everything that a trace needs.
    pub fn taken(&self, step: ThreadStep) -> Taken {
        let mut taken = Taken {
            local: self.groups[step.group as usize].0,
            outcome: step.outcome,
            refused: false,
            reacted: vec![],
            population: vec![],
        };
        match step.others {
            OtherThreads::Stay { refused } => taken.refused = refused,
            OtherThreads::React { reacted, .. } => {
                taken.reacted.extend_from_slice(&self.reacted[range(reacted)])
            }
            OtherThreads::Start { population, .. } => {
                taken.population.clone_from(&self.populations[population as usize])
            }
        }
        taken
    }

    /// A step that concerns no other thread, but perhaps creates one.
    fn plain(&mut self, group: usize, outcome: Outcome, refused: bool, row: &mut Vec<u32>) {
        let child = if refused { NONE } else { outcome.child };
        if self.symmetry {
            let pair = [outcome.local.min(child), outcome.local.max(child)];
            let coming = pair.iter().filter(|&&local| local != NONE).count();
            compact::update(outcome.shared, &self.groups, group, &pair[..coming], row);
        } else {
            self.next.clone_from(&self.groups);
            self.replace(group, outcome.local);
            if child != NONE {
                self.next.push((child, 1));
            }
            compact::encode(outcome.shared, &self.next, row);
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

    fn finish(&mut self) {
        self.next.retain(|group| group.1 > 0);
        if self.symmetry {
            crate::explore::normalise(&mut self.next);
        }
    }

    /// The last step of `init`: all ways to start the other threads.
    fn start_others(
        &mut self,
        threads: &mut Threads<'_>,
        group: usize,
        outcome: Outcome,
        visit: &mut impl FnMut(ThreadStep),
    ) -> Result<(), Stop> {
        let shared = threads.semantics.initialised(outcome.shared)?;
        for (number, population) in (0..).zip(&self.populations) {
            let coming: u32 = population.iter().map(|group| group.1).sum();
            if coming > self.bound.saturating_sub(self.total - 1) {
                self.refused = true;
                continue;
            }
            let others = OtherThreads::Start { shared, population: number };
            visit(ThreadStep { group: group as u32, outcome, others });
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
        visit: &mut impl FnMut(ThreadStep),
    ) -> Result<(), Stop> {
        if !self.react(threads, group, outcome, budget)? {
            return Ok(());
        }
        loop {
            budget.spend(1)?;
            let (composed, reacted) = (self.composed.len() as u32, self.reacted.len() as u32);
            self.compose(group, outcome);
            let others = OtherThreads::React {
                composed: [composed, self.composed.len() as u32],
                reacted: [reacted, self.reacted.len() as u32],
            };
            visit(ThreadStep { group: group as u32, outcome, others });
            if !self.splits.advance() {
                return Ok(());
            }
        }
    }

    /// The threads after a step that updates passive ones.
    fn compose(&mut self, group: usize, outcome: Outcome) {
        self.next.clear();
        for index in 0..self.groups.len() {
            if index == group && outcome.local != NONE {
                self.next.push((outcome.local, 1));
            }
            for (&local, &count) in self.passive[index].iter().zip(self.splits.parts(index)) {
                self.next.push((local, count));
                self.reacted.push((self.groups[index].0, local, count));
            }
        }
        self.finish();
        self.composed.extend_from_slice(&self.next);
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
