//! Memoised steps of threads: for each pair of a shared valuation and a thread-local state that is met, what
//! the thread may do, so that the search itself only looks things up. Statements are translated on the fly,
//! for reached states alone: the first of the two ideas that make counter abstraction work for programs
//! (Basler et al., CAV 2009, section 4).
//!
//! An invisible transition is merged with the one before it. It stops early where it fails, so that the error
//! is stored.

pub mod micro;
pub mod passive;
pub mod replay;
pub mod valuations;
pub mod views;

use crate::command::Commands;
use crate::explore::{NONE, Pairs};
use base::{Budget, Stop};
use ir::bp::{Loc, Program};
use micro::{Micro, Semantics};
use passive::Passive;
use rustc_hash::FxHashSet;

/// The thread is inside an atomic section.
pub const INSIDE: u8 = 1;
/// The thread stands at an assertion or an error label.
pub const WATCHED: u8 = 2;

/// What one step of a thread leads to. `NONE` means: the thread ends, creates no child, or concerns no
/// passive thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The shared valuation.
    pub shared: u32,
    /// The thread.
    pub local: u32,
    /// The thread that it creates.
    pub child: u32,
    /// What the passive threads have to do with it.
    pub passive: u32,
}

/// What is known of a thread in a shared valuation.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    first: u32,
    end: u32,
    /// It fails if it may step.
    pub fails: bool,
    /// It is at an error label.
    pub at_label: bool,
}

impl Entry {
    /// The numbers of its outcomes.
    pub fn outcomes(self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// What a passive thread does: numbers of states in [`Threads::reacted`].
#[derive(Clone, Copy, Debug)]
pub struct Reacts {
    /// Whether the step's condition speaks of it.
    pub constrained: bool,
    first: u32,
    end: u32,
}

/// A step with the invisible transitions that follow, as a tree of single steps.
pub struct Run {
    /// The single steps, each with the one before it.
    pub steps: Vec<(Micro, Option<usize>)>,
    /// The first single step on the way to each.
    roots: Vec<usize>,
    /// The last single steps.
    pub ends: Vec<usize>,
}

/// The memory of all thread states met so far. It does not depend on the number of threads.
#[derive(Debug)]
pub struct Threads<'p> {
    /// How single steps are computed.
    pub semantics: Semantics<'p>,
    is_merged: Vec<bool>,
    marks: Vec<u8>,
    index: Pairs,
    entries: Vec<Entry>,
    outcomes: Vec<Outcome>,
    passives: Vec<Passive>,
    reaction_index: Pairs,
    reactions: Vec<Reacts>,
    reacted: Vec<u32>,
}

/// Whether the transitions from a location may be merged with those that lead there.
pub fn is_merged(program: &Program, commands: &Commands, loc: Loc) -> bool {
    let own = commands.at(loc).iter().all(|command| {
        command.to.is_some()
            && command.child.is_none()
            && command.asks.is_none()
            && command.broadcast.is_empty()
    });
    program.at(loc).invisible && own
}

impl<'p> Threads<'p> {
    /// Nothing met yet. With `merging` invisible transitions are merged with those before them.
    pub fn new(program: &'p Program, commands: Commands, merging: bool) -> Self {
        let locs = program.locations().ids();
        let is_merged = locs.map(|loc| merging && is_merged(program, &commands, loc)).collect();
        Self {
            semantics: Semantics::new(program, commands),
            is_merged,
            marks: vec![],
            index: Pairs::default(),
            entries: vec![],
            outcomes: vec![],
            passives: vec![],
            reaction_index: Pairs::default(),
            reactions: vec![],
            reacted: vec![],
        }
    }

    /// The locations whose transitions are merged with those that lead there.
    pub fn is_merged(&self, loc: Loc) -> bool {
        self.is_merged[base::Id::index(loc)]
    }

    /// How many thread states (pairs of a shared valuation and a local state) were met.
    pub fn met(&self) -> usize {
        self.entries.len()
    }

    /// The marks of a thread-local state.
    pub fn mark(&mut self, local: u32) -> u8 {
        if local as usize >= self.marks.len() {
            self.mark_new();
        }
        self.marks[local as usize]
    }

    fn mark_new(&mut self) {
        for local in self.marks.len()..self.semantics.locals.len() {
            let location = self.semantics.program.at(self.semantics.loc(local as u32));
            let watched = location.error || matches!(location.op, ir::bp::Op::Assert(_));
            let inside = self.semantics.inside(local as u32);
            self.marks.push(if inside { INSIDE } else { 0 } | if watched { WATCHED } else { 0 });
        }
    }

    /// What is known of a thread; computed when it is first needed.
    pub fn entry(&mut self, shared: u32, local: u32, budget: &Budget) -> Result<Entry, Stop> {
        match self.index.get(shared, local) {
            Some(number) => Ok(self.entries[number as usize]),
            None => self.compute(shared, local, budget),
        }
    }

    /// An outcome by its number.
    pub fn outcome(&self, number: usize) -> Outcome {
        self.outcomes[number]
    }

    /// A step that concerns passive threads.
    pub fn passive(&self, number: u32) -> &Passive {
        &self.passives[number as usize]
    }

    fn compute(&mut self, shared: u32, local: u32, budget: &Budget) -> Result<Entry, Stop> {
        let run = self.run(shared, local, budget)?;
        let first = self.outcomes.len() as u32;
        let mut passive_of_root: Vec<Option<u32>> = vec![None; run.steps.len()];
        let mut seen = FxHashSet::default();
        for &end in &run.ends {
            let root = run.roots[end];
            let begun = &run.steps[root].0;
            let passive = match (&begun.passive, passive_of_root[root]) {
                (None, _) => NONE,
                (Some(_), Some(number)) => number,
                (Some(passive), None) => {
                    self.passives.push(passive.clone());
                    let number = self.passives.len() as u32 - 1;
                    passive_of_root[root] = Some(number);
                    number
                }
            };
            let child = begun.child.as_ref().map_or(NONE, |child| child.0);
            let last = &run.steps[end].0;
            let outcome = Outcome { shared: last.shared, local: last.local, child, passive };
            if seen.insert(outcome) {
                self.outcomes.push(outcome);
            }
        }
        let fails = self.semantics.fails(shared, local);
        let at_label = self.semantics.program.at(self.semantics.loc(local)).error;
        let entry = Entry { first, end: self.outcomes.len() as u32, fails, at_label };
        self.index.put(shared, local, self.entries.len() as u32);
        self.entries.push(entry);
        Ok(entry)
    }

    /// All steps of a thread, with the invisible transitions that follow.
    pub fn run(&mut self, shared: u32, local: u32, budget: &Budget) -> Result<Run, Stop> {
        let roots = self.semantics.steps(shared, local, budget)?;
        let steps: Vec<_> = roots.into_iter().map(|micro| (micro, None)).collect();
        let mut run = Run { roots: (0..steps.len()).collect(), steps, ends: vec![] };
        let mut seen: FxHashSet<(u32, u32, usize)> = FxHashSet::default();
        let mut at = 0;
        while at < run.steps.len() {
            let (shared, local) = (run.steps[at].0.shared, run.steps[at].0.local);
            let invisible = local != NONE && self.is_merged[base::Id::index(self.semantics.loc(local))];
            let error = invisible && self.semantics.program.at(self.semantics.loc(local)).error;
            if !invisible || error || self.semantics.fails(shared, local) {
                run.ends.push(at);
            } else if seen.insert((shared, local, run.roots[at])) {
                let next = self.semantics.steps(shared, local, budget)?;
                if next.is_empty() {
                    run.ends.push(at);
                }
                run.roots.resize(run.steps.len() + next.len(), run.roots[at]);
                run.steps.extend(next.into_iter().map(|micro| (micro, Some(at))));
            }
            at += 1;
        }
        Ok(run)
    }

    /// What a passive thread does in a step that concerns it.
    pub fn reacts(&mut self, passive: u32, local: u32, budget: &Budget) -> Result<Reacts, Stop> {
        if let Some(number) = self.reaction_index.get(passive, local) {
            return Ok(self.reactions[number as usize]);
        }
        let step = self.passives[passive as usize].clone();
        let reaction = self.semantics.reaction(&step, local, budget)?;
        let first = self.reacted.len() as u32;
        self.reacted.extend(reaction.options.iter().map(|&(local, _)| local));
        let reacts = Reacts { constrained: reaction.constrained, first, end: self.reacted.len() as u32 };
        self.reaction_index.put(passive, local, self.reactions.len() as u32);
        self.reactions.push(reacts);
        Ok(reacts)
    }

    /// The states that a passive thread may be in afterwards.
    pub fn reacted(&self, reacts: Reacts) -> &[u32] {
        &self.reacted[reacts.first as usize..reacts.end as usize]
    }
}

impl Run {
    /// The single steps that lead to one of them, from the first on.
    pub fn path(&self, to: usize) -> Vec<usize> {
        let mut path = vec![to];
        while let Some(before) = self.steps[path[path.len() - 1]].1 {
            path.push(before);
        }
        path.reverse();
        path
    }
}
