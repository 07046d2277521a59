//! The baseline: plain symbolic exploration. Each thread has its own copy of the locals in one set, program counters stay explicit, and
//! nothing is done about symmetry. It only decides; it exists for the tables.

mod step;

use super::group::{Control, Group};
use super::settings::Options;
use super::start;
use super::statistics::Work;
use super::threads::Threads;
use crate::bounded::Sizes;
use crate::command::Commands;
use crate::independence::Independence;
use crate::symbolic::{self, Slot, Step};
use base::{Budget, Stop};
use ir::bp::{Loc, Program};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, LevelMap, VarSet};
use std::collections::VecDeque;

/// Whether `init` still runs, and where each thread stands.
type Key = (bool, Vec<Option<Control>>);

/// A set of states with the same program counters.
#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    reached: Bdd,
    /// The part that is not expanded yet.
    frontier: Bdd,
}

/// A command of one thread, in its own copy of the locals.
#[derive(Clone, Copy, Debug)]
struct Moved {
    step: Step,
    relation: Bdd,
    forget: VarSet,
    advance: LevelMap,
}

/// The exploration.
pub struct Plain<'p> {
    threads: Threads<'p>,
    sizes: Sizes,
    crowds: Vec<Vec<Group>>,
    entries: Vec<Entry>,
    index: FxHashMap<Key, u32>,
    queue: VecDeque<u32>,
    moved: FxHashMap<(Loc, usize, usize), Moved>,
    refused: bool,
    error: bool,
}

impl<'p> Plain<'p> {
    /// Encodes the program with room for all threads.
    pub fn new(
        program: &'p Program,
        commands: Commands,
        options: Options,
        sizes: Sizes,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let (order, limits) = (options.order, options.limits());
        let encoding = symbolic::Plan { order, copies: sizes.bound as usize, members: 0, limits };
        let mut threads = Threads::new(program, commands, encoding, options.chains, budget)?;
        threads.collects_always = options.collects_always;
        let crowds = start::crowds(&mut threads, sizes, budget)?;
        Ok(Self {
            threads,
            sizes,
            crowds,
            entries: vec![],
            index: FxHashMap::default(),
            queue: VecDeque::new(),
            moved: FxHashMap::default(),
            refused: false,
            error: false,
        })
    }

    /// Explores everything; whether there is an error and whether the bound refused a thread.
    pub fn search(
        &mut self,
        independence: Option<&Independence>,
        work: &mut Work<'_>,
    ) -> Result<(bool, bool), Stop> {
        let budget = work.budget;
        for piece in start::pieces(&mut self.threads, &self.crowds.clone(), budget)? {
            let slots = vec![None; self.sizes.bound.max(1) as usize];
            self.populate(piece.initialising, slots, piece.shared, &piece.groups, budget)?;
        }
        while let Some(id) = self.queue.pop_front().filter(|_| !self.error) {
            work.statistics.expanded += 1;
            work.progress(work.statistics.expanded, self.sizes.bound);
            let entry = &mut self.entries[id as usize];
            let (key, set) = (entry.key.clone(), std::mem::replace(&mut entry.frontier, Bdd::FALSE));
            self.expand(&key, set, independence, work)?;
            self.collect(work);
        }
        work.statistics.states += self.entries.len() as u64;
        let nodes = self.threads.symbolic.manager.statistics().peak_nodes as u64;
        work.statistics.peak_nodes = work.statistics.peak_nodes.max(nodes);
        Ok((self.error, self.refused))
    }

    fn collect(&mut self, work: &mut Work<'_>) {
        let entries = &self.entries;
        let roots = || entries.iter().flat_map(|entry| [entry.reached, entry.frontier]);
        work.statistics.collections += u64::from(self.threads.collect(roots));
    }

    /// Puts threads into free places.
    fn populate(
        &mut self,
        initialising: bool,
        mut slots: Vec<Option<Control>>,
        mut set: Bdd,
        groups: &[Group],
        budget: &Budget,
    ) -> Result<(), Stop> {
        for group in groups {
            for _ in 0..group.count {
                let free = slots.iter().position(Option::is_none).expect("the bound was looked at");
                let local = self.place(group.set, Slot::Own, free, budget)?;
                set = self.threads.symbolic.manager.and(set, local, budget)?;
                slots[free] = Some(group.at);
            }
        }
        self.insert((initialising, slots), set, budget)
    }

    /// A function of one thread's locals in the copy of another.
    fn place(&mut self, f: Bdd, from: Slot, thread: usize, budget: &Budget) -> Result<Bdd, Stop> {
        let symbolic = &mut self.threads.symbolic;
        let map = symbolic.space.map(&mut symbolic.manager, from, Slot::Copy(thread));
        symbolic.manager.rename(f, map, budget)
    }

    fn insert(&mut self, key: Key, set: Bdd, budget: &Budget) -> Result<(), Stop> {
        let id = match self.index.get(&key) {
            Some(&id) => id as usize,
            None => {
                let entry = Entry { key: key.clone(), reached: Bdd::FALSE, frontier: Bdd::FALSE };
                self.index.insert(key.clone(), self.entries.len() as u32);
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        let manager = &mut self.threads.symbolic.manager;
        let new = manager.diff(set, self.entries[id].reached, budget)?;
        if new.is_false() {
            return Ok(());
        }
        if self.entries[id].frontier.is_false() {
            self.queue.push_back(id as u32);
        }
        self.entries[id].reached = manager.or(self.entries[id].reached, new, budget)?;
        self.entries[id].frontier = manager.or(self.entries[id].frontier, new, budget)?;
        self.error |= self.fails(&key, new, budget)?;
        Ok(())
    }

    fn fails(&mut self, (_, slots): &Key, set: Bdd, budget: &Budget) -> Result<bool, Stop> {
        let inside = slots.iter().position(|at| at.is_some_and(Control::inside));
        for (thread, at) in slots.iter().enumerate() {
            let Some(at) = at else { continue };
            if self.threads.symbolic.program.at(at.loc()).error {
                return Ok(true);
            }
            let fails = self.threads.symbolic.failing(at.loc());
            if !fails.is_false() && inside.is_none_or(|inside| inside == thread) {
                let fails = self.place(fails, Slot::Own, thread, budget)?;
                if !self.threads.symbolic.manager.disjoint(fails, set, budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn expand(
        &mut self,
        key: &Key,
        set: Bdd,
        independence: Option<&Independence>,
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        work.budget.spend(1)?;
        let inside = key.1.iter().position(|at| at.is_some_and(Control::inside));
        let chosen = match inside {
            Some(thread) => Some(thread),
            None => self.alone(key, set, independence, work)?,
        };
        for (thread, at) in key.1.iter().enumerate() {
            if let Some(at) = at.filter(|_| chosen.is_none_or(|chosen| chosen == thread)) {
                for index in 0..self.threads.symbolic.steps(at.loc()).len() {
                    self.step(key, set, (thread, at, index), work)?;
                }
            }
        }
        Ok(())
    }

    /// A thread that can be run alone; as in the search over counters.
    fn alone(
        &mut self,
        key: &Key,
        set: Bdd,
        independence: Option<&Independence>,
        work: &mut Work<'_>,
    ) -> Result<Option<usize>, Stop> {
        let Some(independence) = independence.filter(|_| !key.0) else { return Ok(None) };
        let mut futures = independence.futures();
        let places: Vec<(usize, Loc)> =
            key.1.iter().enumerate().filter_map(|(thread, at)| Some((thread, (*at)?.loc()))).collect();
        places.iter().for_each(|it| futures.add(independence, it.1, false));
        for &(thread, loc) in places.iter().filter(|_| places.len() > 1) {
            if independence.runs_alone(loc, &futures) {
                let enabled = self.threads.symbolic.enabled(loc);
                let enabled = self.place(enabled, Slot::Own, thread, work.budget)?;
                if self.threads.symbolic.manager.leq(set, enabled, work.budget)? {
                    work.statistics.alone += 1;
                    work.statistics.not_expanded += places.len() as u64 - 1;
                    return Ok(Some(thread));
                }
            }
        }
        Ok(None)
    }
}
