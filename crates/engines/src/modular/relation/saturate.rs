//! The fixed point over sets of thread states that agree on all that is explicit: one set for each control.
//! Own steps first, as long as they lead to anything new; then every set hears of every change, one after the
//! other, each from what the last has left. What a set gains from one change it has when it hears of the
//! next: that keeps the number of rounds small.

use super::control::{self, CommandVariant, ThreadControl, attentive, is_visible, starts_several, ways};
use super::{Counters, Options};
use crate::command::Commands;
use base::{Budget, Event, Events, Progress, Stop};
use ir::bp::{Loc, Op, ProcId, Program};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;

/// What an own step leads to; sets that are surely empty are left out.
pub struct Stepped<S> {
    /// The thread itself where it goes on; where it ends, the shared states alone.
    pub after: S,
    /// The thread that it creates, and where.
    pub child: Option<(Loc, S)>,
}

/// A set of thread states with the same control.
#[derive(Clone, Copy)]
pub struct ThreadStates<'s, S> {
    /// What is explicit.
    pub control: ThreadControl,
    /// The rest.
    pub set: &'s S,
}

/// A representation of sets of thread states: over the shared variables and the locals of one thread.
pub trait Sets {
    /// A set of thread states with the same control.
    type Set: Clone;
    /// What the steps of a set's threads by one command are for the others.
    type EnvironmentStep: Clone + Eq + Hash;

    /// The program.
    fn program(&self) -> &Program;

    /// Its commands.
    fn commands(&self) -> &Commands;

    /// The threads that begin in a procedure, in the first shared states or in those of a set.
    fn begin(
        &mut self,
        procedure: ProcId,
        shared: Option<&Self::Set>,
        budget: &Budget,
    ) -> Result<Self::Set, Stop>;

    /// Case 1 of the relation; nothing if it is seen that there is no step.
    fn step(
        &mut self,
        from: ThreadStates<'_, Self::Set>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<Stepped<Self::Set>>, Stop>;

    /// How the others see the steps of a set's threads.
    fn effect(
        &mut self,
        active: ThreadStates<'_, Self::Set>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<Self::EnvironmentStep>, Stop>;

    /// Case 2 of the relation; nothing if it is seen that there is nothing new for a passive thread whose
    /// control `stays`.
    fn react(
        &mut self,
        passive: ThreadStates<'_, Self::Set>,
        effect: &Self::EnvironmentStep,
        stays: bool,
        budget: &Budget,
    ) -> Result<Option<Self::Set>, Stop>;

    /// The union, if the new set has something that the old one lacks.
    fn unite(
        &mut self,
        control: ThreadControl,
        old: Option<&Self::Set>,
        new: Self::Set,
        budget: &Budget,
    ) -> Result<Option<Self::Set>, Stop>;

    /// Whether a thread of the set is in error; it may step.
    fn fails(&mut self, control: ThreadControl, set: &Self::Set, budget: &Budget) -> Result<bool, Stop>;

    /// Whether there is garbage enough for [`Sets::collect`].
    fn wants_collection(&self) -> bool {
        false
    }

    /// Forgets all but these.
    fn collect(&mut self, _sets: Vec<&Self::Set>, _effects: Vec<&Self::EnvironmentStep>) {}

    /// What it counted.
    fn count(&self, counters: &mut Counters);
}

struct Cell<S> {
    control: ThreadControl,
    set: S,
    version: u32,
    pending: bool,
    /// For each change the version of it and of the set when it was last heard of.
    heard: Vec<(u32, u32)>,
}

/// The steps of a cell's threads by one command.
struct Change<E> {
    effect: E,
    version: u32,
    /// The section and `init` afterwards.
    to: (bool, bool),
}

/// The set of thread states, as far as it is known.
pub struct Saturation<T: Sets> {
    /// The representation.
    pub sets: T,
    options: Options,
    attentive: Vec<bool>,
    cells: Vec<Cell<T::Set>>,
    index: BTreeMap<ThreadControl, usize>,
    pending: VecDeque<usize>,
    changes: Vec<Change<T::EnvironmentStep>>,
    change_index: BTreeMap<(usize, usize, bool), usize>,
    /// For each context the changes that start in it.
    by_context: BTreeMap<(bool, bool), Vec<usize>>,
    /// Where a thread of the set is in error.
    failing: Option<Loc>,
    rounds: u64,
    united: u64,
}

impl<T: Sets> Saturation<T> {
    /// Nothing known yet.
    pub fn new(sets: T, options: Options) -> Self {
        let attentive = attentive(sets.program(), sets.commands(), options.reduction);
        Self {
            sets,
            options,
            attentive,
            cells: vec![],
            index: BTreeMap::new(),
            pending: VecDeque::new(),
            changes: vec![],
            change_index: BTreeMap::new(),
            by_context: BTreeMap::new(),
            failing: None,
            rounds: 0,
            united: 0,
        }
    }

    /// Closes the set, or stops at the first thread state that fails.
    pub fn saturate(&mut self, budget: &Budget, events: &mut dyn Events) -> Result<Option<Loc>, Stop> {
        let start = self.sets.program().start().clone();
        let several = starts_several(self.sets.program());
        let (procedures, started) = match start.init {
            Some(init) => (vec![init], false),
            None => (start.templates.iter().map(|it| it.procedure).collect(), several),
        };
        self.begin(&procedures, None, started, start.init.is_some(), budget)?;
        loop {
            while let Some(cell) = self.pending.pop_front() {
                budget.spend(1)?;
                self.own_steps(cell, budget)?;
                if self.is_over() {
                    return Ok(self.failing);
                }
            }
            self.rounds += 1;
            let (round, sets) = (self.rounds, self.cells.len());
            events.emit(Event::Progress(Progress::Saturation { round, sets }));
            self.hear_all(budget)?;
            if self.is_over() || self.pending.is_empty() {
                return Ok(self.failing);
            }
        }
    }

    /// What was counted.
    pub fn count(&self, counters: &mut Counters) {
        counters.extend([
            ("sets of thread states", self.cells.len() as u64),
            ("sets united", self.united),
            ("changes", self.changes.len() as u64),
            ("rounds", self.rounds),
        ]);
        self.sets.count(counters);
    }

    fn is_over(&self) -> bool {
        self.failing.is_some() && self.options.stop_at_error
    }

    fn begin(
        &mut self,
        procedures: &[ProcId],
        shared: Option<&T::Set>,
        started: bool,
        initialising: bool,
        budget: &Budget,
    ) -> Result<(), Stop> {
        for &procedure in procedures {
            let set = self.sets.begin(procedure, shared, budget)?;
            let loc = self.sets.program().procedures()[procedure].entry;
            let control = ThreadControl { loc, inside: false, section: false, started, initialising };
            self.add(control, set, budget)?;
        }
        Ok(())
    }

    /// Adds thread states; looks for an error among them if they are new.
    fn add(&mut self, control: ThreadControl, set: T::Set, budget: &Budget) -> Result<(), Stop> {
        let known = self.index.get(&control).copied();
        let old = known.map(|cell| &self.cells[cell].set);
        let Some(set) = self.sets.unite(control, old, set, budget)? else { return Ok(()) };
        self.united += 1;
        let cell = known.unwrap_or(self.cells.len());
        match known {
            Some(cell) => {
                self.cells[cell].set = set;
                self.cells[cell].version += 1;
            }
            None => {
                self.index.insert(control, cell);
                self.cells.push(Cell { control, set, version: 1, pending: false, heard: vec![] });
            }
        }
        if !std::mem::replace(&mut self.cells[cell].pending, true) {
            self.pending.push_back(cell);
        }
        let location = self.sets.program().at(control.loc);
        let watched = location.error || matches!(location.op, Op::Assert(_)) && control.may_step();
        if watched && self.failing.is_none() && self.sets.fails(control, &self.cells[cell].set, budget)? {
            self.failing = Some(control.loc);
        }
        Ok(())
    }

    /// Case 1 for all threads of a cell.
    fn own_steps(&mut self, cell: usize, budget: &Budget) -> Result<(), Stop> {
        self.tidy();
        self.cells[cell].pending = false;
        let control = self.cells[cell].control;
        if !control.may_step() {
            return Ok(());
        }
        for way in ways(self.sets.commands(), control) {
            budget.spend(1)?;
            let set = self.cells[cell].set.clone();
            let Some(stepped) = self.sets.step(ThreadStates { control, set: &set }, way, budget)? else {
                continue;
            };
            let to = self.sets.commands().at(control.loc)[way.command].to;
            if to.is_none() && control.initialising {
                let templates = self.sets.program().start().templates.iter();
                let procedures: Vec<ProcId> = templates.map(|it| it.procedure).collect();
                let several = starts_several(self.sets.program());
                self.begin(&procedures, Some(&stepped.after), several, false, budget)?;
                continue;
            }
            let started = control.started || stepped.child.is_some();
            let after = ThreadControl { section: way.inside, started, ..control };
            if let Some(loc) = to {
                self.add(ThreadControl { loc, inside: way.inside, ..after }, stepped.after, budget)?;
            }
            if let Some((loc, child)) = stepped.child {
                self.add(ThreadControl { loc, inside: false, ..after }, child, budget)?;
            }
            if control.started {
                self.note_change(cell, way, budget)?;
            }
        }
        Ok(())
    }

    /// Keeps what a step is for the others, if it is anything.
    fn note_change(&mut self, cell: usize, way: CommandVariant, budget: &Budget) -> Result<(), Stop> {
        let control = self.cells[cell].control;
        let command = &self.sets.commands().at(control.loc)[way.command];
        if !is_visible(command) && way.inside == control.section {
            return Ok(());
        }
        let active = ThreadStates { control, set: &self.cells[cell].set };
        let Some(effect) = self.sets.effect(active, way, budget)? else { return Ok(()) };
        let next = self.changes.len();
        match *self.change_index.entry((cell, way.command, way.inside)).or_insert(next) {
            new if new == next => {
                let to = (way.inside, control.initialising);
                self.changes.push(Change { effect, version: 1, to });
                self.by_context.entry(control.context()).or_default().push(next);
            }
            known if self.changes[known].effect != effect => {
                self.changes[known].effect = effect;
                self.changes[known].version += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// Case 2 for all passive thread and all changes.
    fn hear_all(&mut self, budget: &Budget) -> Result<(), Stop> {
        let distinct = self.distinct();
        for passive in 0..self.cells.len() {
            let control = self.cells[passive].control;
            let hears = control.section || self.attentive[control::at(control.loc)];
            if !control.started || control.inside || !hears {
                continue;
            }
            for &change in distinct.get(&control.context()).into_iter().flatten() {
                budget.spend(1)?;
                self.hear(passive, change, budget)?;
                if self.is_over() {
                    return Ok(());
                }
            }
            self.tidy();
        }
        Ok(())
    }

    /// The changes of each context, the first of those that are the same.
    fn distinct(&self) -> BTreeMap<(bool, bool), Vec<usize>> {
        let mut distinct = self.by_context.clone();
        for changes in distinct.values_mut() {
            let mut seen = FxHashSet::default();
            changes.retain(|&change| seen.insert((&self.changes[change].effect, self.changes[change].to)));
        }
        distinct
    }

    fn hear(&mut self, passive: usize, change: usize, budget: &Budget) -> Result<(), Stop> {
        let cell = &mut self.cells[passive];
        let now = (self.changes[change].version, cell.version);
        if cell.heard.len() <= change {
            cell.heard.resize(change + 1, (0, 0));
        }
        if std::mem::replace(&mut cell.heard[change], now) == now {
            return Ok(());
        }
        let Change { effect, to, .. } = &self.changes[change];
        let after = ThreadControl { section: to.0, initialising: to.1, ..cell.control };
        let stays = after == cell.control;
        let passive = ThreadStates { control: cell.control, set: &self.cells[passive].set };
        match self.sets.react(passive, effect, stays, budget)? {
            Some(set) => self.add(after, set, budget),
            None => Ok(()),
        }
    }

    fn tidy(&mut self) {
        if self.sets.wants_collection() {
            let sets = self.cells.iter().map(|cell| &cell.set).collect();
            let effects = self.changes.iter().map(|change| &change.effect).collect();
            self.sets.collect(sets, effects);
        }
    }

    /// The sets, by what is explicit.
    #[cfg(test)]
    pub fn all(&self) -> impl Iterator<Item = (ThreadControl, &T::Set)> {
        self.cells.iter().map(|cell| (cell.control, &cell.set))
    }
}
