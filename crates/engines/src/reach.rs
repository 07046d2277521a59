//! Forward exploration with few threads, without any reduction: which threads can really be there together. It is an
//! under-approximation for any number of threads. Where a bound refuses a child the parent goes on without it: in a monotone system what
//! is left out could stand idle, so that whatever is met here can be covered. So it goes with any thread too many.

use crate::closure::{Group, Pool, Rule, System};
use crate::explore::{NONE, Store};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;

/// How far to explore.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most threads.
    pub threads: u32,
    /// The most states for each number of threads.
    pub states: usize,
}

/// States, each a shared state and a sorted multiset of local states.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The number of threads that was explored to the end; 0 if none was.
    pub threads: u32,
    /// Each row is a shared state and local states.
    states: Store,
    /// How many states a shared state has.
    by_shared: FxHashMap<u32, usize>,
    /// For a shared state and a local state: which of its states have one such thread, which have two, and so on, as rows of bits.
    with: FxHashMap<(u32, u32), Vec<Vec<u64>>>,
}

impl Reach {
    /// Explores with two threads, three and so on, until a number of threads has too many states. The last number that was explored
    /// to the end counts, or what was met with two.
    pub fn explore(system: &mut System<'_>, limits: Limits, budget: &Budget) -> Result<Reach, Stop> {
        let mut best = Reach::default();
        for threads in 2..=limits.threads.max(2) {
            let mut search =
                Search { system: &mut *system, budget, threads, limit: limits.states, found: Store::new() };
            let complete = search.run()?;
            if complete || best.states.is_empty() {
                best = Reach::of(if complete { threads } else { 0 }, search.found);
            }
            if !complete {
                break;
            }
        }
        Ok(best)
    }

    /// The set of these rows, which so many threads reach.
    pub fn of(threads: u32, states: Store) -> Reach {
        let (mut by_shared, mut with) = (FxHashMap::default(), FxHashMap::default());
        for id in 0..states.len() as u32 {
            let row = states.get(id);
            let place = by_shared.entry(row[0]).or_insert(0);
            for (at, &local) in row.iter().enumerate().skip(1) {
                let same = row[1..at].iter().rev().take_while(|&&it| it == local).count();
                let rows: &mut Vec<Vec<u64>> = with.entry((row[0], local)).or_default();
                if rows.len() <= same {
                    rows.push(vec![]);
                }
                set(&mut rows[same], *place);
            }
            *place += 1;
        }
        Reach { threads, states, by_shared, with }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether nothing was explored.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// All states: a shared state, then local states.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> + Clone {
        (0..self.states.len() as u32).map(|id| self.states.get(id))
    }

    /// Whether some state has at least these threads.
    pub fn covers(&self, shared: u32, threads: &[Group]) -> bool {
        if threads.is_empty() {
            return self.by_shared.contains_key(&shared);
        }
        let row = |&(local, count): &Group| self.with.get(&(shared, local))?.get(count as usize - 1);
        let Some(rows) = threads.iter().map(row).collect::<Option<Vec<_>>>() else { return false };
        let words = rows.iter().map(|row| row.len()).min().unwrap_or(0);
        (0..words).any(|word| rows.iter().fold(u64::MAX, |bits, row| bits & row[word]) != 0)
    }
}

fn set(row: &mut Vec<u64>, index: usize) {
    if row.len() <= index / 64 {
        row.resize(index / 64 + 1, 0);
    }
    row[index / 64] |= 1 << (index % 64);
}

struct Search<'a, 'm> {
    system: &'a mut System<'m>,
    budget: &'a Budget,
    threads: u32,
    limit: usize,
    found: Store,
}

impl Search<'_, '_> {
    /// Whether all was explored.
    fn run(&mut self) -> Result<bool, Stop> {
        let start = self.system.start(self.budget)?;
        for &shared in &start.shared {
            self.populate(shared, &start.first)?;
        }
        let mut next = 0;
        while (next as usize) < self.found.len() {
            if self.found.len() > self.limit {
                return Ok(false);
            }
            self.budget.spend(1)?;
            let row = self.found.get(next).to_vec();
            self.expand(row[0], &row[1..], &start.later)?;
            next += 1;
        }
        Ok(true)
    }

    fn expand(&mut self, shared: u32, locals: &[u32], later: &[Pool]) -> Result<(), Stop> {
        for at in 0..locals.len() {
            if at == 0 || locals[at - 1] != locals[at] {
                for number in self.system.single(shared, locals[at], self.budget)? {
                    let rule = self.system.rule(number);
                    match rule.starts {
                        true => self.populate(rule.to, later)?,
                        false => self.fire(&rule, locals)?,
                    }
                }
            }
        }
        for number in self.system.joint(shared) {
            let rule = self.system.rule(number);
            self.fire(&rule, locals)?;
        }
        Ok(())
    }

    /// Uses a rule if it can be used.
    fn fire(&mut self, rule: &Rule, locals: &[u32]) -> Result<(), Stop> {
        self.budget.spend(1)?;
        let count = |local: u32| locals.iter().filter(|&&it| it == local).count() as u32;
        let open = self.system.tests(rule).iter().all(|&(local, test)| {
            count(local) >= test.least && test.most.is_none_or(|most| count(local) <= most)
        });
        let mut rest = locals.to_vec();
        let taken = self.system.take(rule).iter().all(|&(local, n)| {
            (0..n).all(|_| rest.iter().position(|&it| it == local).map(|at| rest.remove(at)).is_some())
        });
        if !open || !taken {
            return Ok(());
        }
        let make: Vec<u32> = self
            .system
            .make(rule)
            .iter()
            .flat_map(|&(local, n)| std::iter::repeat_n(local, n as usize))
            .collect();
        self.react(rule, &rest, make)
    }

    /// Adds what becomes of the threads that look on, one after the other, together with what is made.
    fn react(&mut self, rule: &Rule, rest: &[u32], made: Vec<u32>) -> Result<(), Stop> {
        let mut all = vec![made];
        for &local in rest {
            let options = self.system.react(rule, local, self.budget)?;
            let with = |state: &Vec<u32>| {
                let state = state.clone();
                let longer = move |&new: &u32| {
                    state.iter().copied().chain((new != NONE).then_some(new)).collect::<Vec<u32>>()
                };
                options.iter().map(longer).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
            all.truncate(self.limit);
            self.budget.spend(all.len() as u64)?;
        }
        all.into_iter().try_for_each(|state| self.add(rule.to, state))
    }

    /// Adds a state; if it has a thread too many, every state with one thread less.
    fn add(&mut self, shared: u32, mut locals: Vec<u32>) -> Result<(), Stop> {
        locals.truncate(self.threads as usize + 1);
        locals.sort_unstable();
        if locals.len() <= self.threads as usize {
            locals.insert(0, shared);
            self.found.insert(&locals)?;
            return Ok(());
        }
        for at in 0..locals.len() {
            if at == 0 || locals[at - 1] != locals[at] {
                let rest = locals[..at].iter().chain(&locals[at + 1..]);
                let row: Vec<u32> = std::iter::once(&shared).chain(rest).copied().collect();
                self.found.insert(&row)?;
            }
        }
        Ok(())
    }

    /// Adds the starts with as many threads as there is room for.
    fn populate(&mut self, shared: u32, pools: &[Pool]) -> Result<(), Stop> {
        let mut all: Vec<Vec<u32>> = vec![vec![]];
        for pool in pools {
            let room = |state: &Vec<u32>| (self.threads as usize).saturating_sub(state.len());
            let mut longer = vec![];
            for state in &all {
                let most = pool.most.map_or(room(state), |most| room(state).min(most as usize));
                longer.extend(crowds(state, &pool.locals, most, self.limit));
                if pool.most.is_none() && most > 0 {
                    // With other templates to come fewer of this one leave them room.
                    longer.extend(crowds(state, &pool.locals, most / 2, self.limit));
                }
                self.budget.spend(1 + longer.len() as u64)?;
                longer.truncate(self.limit);
            }
            all = longer;
        }
        all.into_iter().try_for_each(|state| self.add(shared, state))
    }
}

/// The state with so many threads more, each in one of the local states; no more than `limit` ways.
fn crowds(state: &[u32], locals: &[u32], count: usize, limit: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<(usize, Vec<u32>)> = vec![(0, state.to_vec())];
    for _ in 0..count {
        let with = |(from, state): &(usize, Vec<u32>)| {
            let (from, state) = (*from, state.clone());
            (from..locals.len())
                .map(move |at| (at, state.iter().copied().chain([locals[at]]).collect::<Vec<u32>>()))
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).take(limit).collect();
    }
    all.into_iter().map(|it| it.1).collect()
}
